/* Places gangs on wired clusters of three sizes and prints what one placement costs: nanoseconds must not grow with the
 * cluster. Each node has from none to all of its GPUs taken; a gang is placed and taken back, again and again.
 *
 * usage: bench_place [repetitions] [PLACER...]
 * e.g.   bench_place 20000 consolidate topology
 */
#define _POSIX_C_SOURCE 200809L
#define ORR_BUILTIN /* the module below is registered by hand */

#include "cluster/cluster.h"
#include "cluster/links.h"

#include <orrery/orrery.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROBES = 9 };

/* What is asked; a gang of 0 GPUs is a part of one. */
static const int32_t gangs[PROBES] = {1, 2, 4, 8, 16, 32, 64, 3, 0};

typedef struct probe {
    const orr_cluster_spec *spec;
    int repetitions;
    double ns[PROBES]; /* < 0: it found no room */
} probe;

/* ---- the policy that asks ---- */

typedef struct settings {
    const char *probe; /* the address of the probe: a policy has no other way to its host */
} settings;

typedef struct state {
    orr_job **jobs;
    int32_t count, room, decisions;
} state;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static orr_err init(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    s->room = orr_cluster_nodes(ctx) + PROBES;
    s->jobs = orr_alloc_memory(ctx, (size_t)s->room * sizeof *s->jobs);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED && s->count < s->room)
        s->jobs[s->count++] = job;
}

/* A job named by its node takes the lowest GPUs there. */
static orr_err fill(orr_plan *plan, orr_job *job)
{
    orr_alloc *alloc = orr_plan_alloc(plan);
    orr_err err = orr_alloc_take(alloc, plan, atoi(orr_job_name(job)), orr_job_gpus(job));
    return err ? err : orr_plan_assign(plan, job, alloc);
}

static double cost_of(orr_plan *plan, orr_job *job, int repetitions)
{
    const uint32_t mark = orr_plan_mark(plan);
    const double start = now_ns();
    for (int i = 0; i < repetitions; i++) {
        if (orr_plan_start(plan, job))
            return -1;
        orr_plan_undo(plan, mark);
    }
    return (now_ns() - start) / repetitions;
}

static orr_err fill_all(const state *s, orr_plan *plan)
{
    orr_err err = ORR_OK;
    for (int32_t i = PROBES; i < s->count && !err; i++)
        err = fill(plan, s->jobs[i]);
    return err;
}

/* Once for practice: the plan gets memory for as many allocations, and tables are made. Then it counts. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    probe *p = NULL;
    if (sscanf(((const settings *)orr_knobs(ctx))->probe, "%p", (void **)&p) != 1)
        return ORR_E_BAD_VALUE;
    if (s->count <= PROBES || s->decisions == 2)
        return ORR_OK;
    const orr_err err = s->decisions++ ? ORR_OK : fill_all(s, plan);
    for (int i = 0; i < PROBES && !err; i++)
        p->ns[i] = cost_of(plan, s->jobs[i], p->repetitions);
    return err ? err : orr_arm(ctx, 1, orr_now(ctx) + 1);
}

static const orr_knob knobs[] = {
    {"probe", ORR_KNOB_TEXT, offsetof(settings, probe), "", NULL, "where results go"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(probing) = {
    .summary = "places gangs and takes them back",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};

/* ---- a workload: the probes, then what fills the nodes ---- */

static void add_job(orr_trace *trace, int32_t id, const char *name, int32_t gpus)
{
    char text[16];
    orr_error e = {0};
    orr_trace_job job = orr_trace_job_default();
    snprintf(text, sizeof text, "%ld", (long)id);
    job.id = text;
    job.name = name;
    job.gpus = gpus ? gpus : 1;
    job.gpu_milli = gpus ? 1000 : 300;
    job.duration = ORR_SECOND;
    if (orr_trace_add(trace, &job, &e))
        fprintf(stderr, "%s\n", e.message);
}

/* Of node i the GPUs (7 i) mod 9 are taken: as many nodes with each number, all over the racks. */
static orr_trace *workload(const orr_cluster_spec *spec)
{
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("probes");
    for (int32_t i = 0; i < PROBES; i++)
        add_job(trace, i, "", gangs[i]);
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++) {
        char name[16];
        snprintf(name, sizeof name, "%ld", (long)i);
        if (7 * i % 9)
            add_job(trace, PROBES + i, name, 7 * i % 9);
    }
    if (orr_trace_finish(trace, &e))
        fprintf(stderr, "%s\n", e.message);
    return trace;
}

static void run(probe *p, const char *placer)
{
    orr_error e = {0};
    char policy[128];
    snprintf(policy, sizeof policy, "probing,probe=%p+%s", (void *)p, placer);
    orr_registry *registry = orr_registry_create();
    orr_trace *trace = workload(p->spec);
    orr_sim_options options = orr_sim_options_default();
    options.registry = registry;
    options.policy = policy;
    options.until = 10;
    orr_sim *sim = orr_registry_add(registry, &orr_module_sched_probing, &e)
                       ? NULL
                       : orr_sim_create(trace, p->spec, &options, NULL, &e);
    if (!sim || orr_sim_run(sim, &e))
        fprintf(stderr, "%s: %s\n", placer, e.message);
    orr_sim_destroy(sim);
    orr_trace_destroy(trace);
    orr_registry_destroy(registry);
}

/* ---- the tables ---- */

static const int32_t sizes[] = {1000, 10000, 100000};

/* In whole racks of 16 nodes of 8. */
static orr_cluster_spec *cluster_of(int32_t gpus)
{
    orr_error e = {0};
    char text[128];
    const int racks = (gpus + 127) / 128;
    snprintf(text, sizeof text, "nodes=%d,preset=dgx1-v100,racks=%d,oversubscription=4", 16 * racks, racks);
    orr_cluster_spec *spec = orr_cluster_spec_load(text, NULL, &e);
    if (!spec)
        fprintf(stderr, "%s\n", e.message);
    return spec;
}

static void print_memory(void)
{
    printf("%-16s %10s %12s %12s %12s\n", "bytes a GPU", "GPUs", "description", "cluster", "links");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t start = mallinfo2().uordblks;
        orr_cluster_spec *spec = cluster_of(sizes[i]);
        const size_t described = mallinfo2().uordblks;
        orr_cluster *c = orr_cluster_create(spec, false);
        orr_cluster_topology(c, 0);
        const size_t made = mallinfo2().uordblks;
        orr_links *links = orr_links_create(c, orr_cluster_spec_fabric(spec));
        const size_t linked = mallinfo2().uordblks;
        const double gpus = (double)orr_cluster_spec_gpus(spec);
        printf("%-16s %10.0f %12.1f %12.1f %12.1f\n", "", gpus, (double)(described - start) / gpus,
               (double)(made - described) / gpus, (double)(linked - made) / gpus);
        orr_links_destroy(links);
        orr_cluster_destroy(c);
        orr_cluster_spec_destroy(spec);
    }
}

static void print_rows(int repetitions, const char *placer)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        orr_cluster_spec *spec = cluster_of(sizes[i]);
        probe p = {.spec = spec, .repetitions = repetitions};
        run(&p, placer);
        printf("%-16s %10ld", i ? "" : placer, (long)orr_cluster_spec_gpus(spec));
        for (int k = 0; k < PROBES; k++)
            printf(p.ns[k] < 0 ? "        -" : " %8.0f", p.ns[k]);
        printf("\n");
        orr_cluster_spec_destroy(spec);
    }
}

int main(int argc, char **argv)
{
    static char *usual[] = {"consolidate", "best-fit", "topology", "fgd"};
    const int repetitions = argc > 1 ? atoi(argv[1]) : 20000;
    if (repetitions < 1) {
        fprintf(stderr, "usage: bench_place [repetitions] [PLACER...]\n");
        return 64;
    }
    printf("%-16s %10s", "ns a placement", "GPUs");
    for (int k = 0; k < PROBES; k++)
        printf(gangs[k] ? " %8ld" : "     part", (long)gangs[k]);
    printf("\n");
    for (int i = 2; i < argc; i++)
        print_rows(repetitions, argv[i]);
    for (size_t i = 0; argc <= 2 && i < sizeof usual / sizeof *usual; i++)
        print_rows(repetitions, usual[i]);
    printf("\n");
    print_memory();
    return 0;
}
