/* What a decision about elastic jobs costs: the drivers alone, and whole policies.
 *
 * usage: bench_elastic [drivers|policies|elasticflow]...
 * Jobs with min 1 and max 16 GPUs, all in the system at the start; their speed grows with the square root of their GPUs under
 * `drivers`, in proportion to them under the policies. Prints CPU milliseconds.
 */
#define _POSIX_C_SOURCE 200809L

#include <orrery/orrery.h>
#include <orrery/policy.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void stop(const orr_error *e)
{
    char text[2048];
    orr_error_format(e, text, sizeof text);
    fputs(text, stderr);
    exit(1);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

/* `n` jobs that come over so much time; `slack`: from submission to deadline, in times of their work on one GPU; 0: none. */
static orr_trace *make_trace(int32_t n, double over, double slack)
{
    orr_trace *trace = orr_trace_create("bench");
    orr_error e = {0};
    for (int32_t i = 0; i < n; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        orr_trace_job job = orr_trace_job_default();
        const double work = 3600 + i * 7919.0 / n * 5 + i * 127 % 3600;
        job.id = id;
        job.submit = orr_time_from_seconds(over * i / n);
        job.duration = orr_time_from_seconds(work);
        job.gpus = job.min_gpus = 1;
        job.max_gpus = 16;
        if (slack > 0)
            job.deadline = job.submit + orr_time_from_seconds(work * slack * (1 + i * 31 % 7 / 4.0));
        if (orr_trace_add(trace, &job, &e))
            stop(&e);
    }
    if (orr_trace_finish(trace, &e))
        stop(&e);
    return trace;
}

static orr_cluster_spec *make_cluster(int32_t nodes)
{
    char text[64];
    orr_error e = {0};
    snprintf(text, sizeof text, "nodes=%d,gpus=8", nodes);
    orr_cluster_spec *cluster = orr_cluster_spec_load(text, NULL, &e);
    if (!cluster)
        stop(&e);
    return cluster;
}

/* ---- drivers ----------------------------------------------------------------------------------------------------- */

enum { GREEDY, DOUBLING, TOURNAMENT, WAYS };

static struct {
    int way;
    double pool, deal, stage; /* seconds, of the latest decision */
    int32_t capacity;
} seen;

static double gain(orr_ctx *ctx, const orr_portion *p, int32_t to)
{
    (void)ctx;
    return sqrt(to) - sqrt(p->gpus);
}

static bool beats(orr_ctx *ctx, const orr_portion *a, const orr_portion *b)
{
    return gain(ctx, a, a->gpus + 1) >= gain(ctx, b, b->gpus + 1);
}

static void deal(orr_ctx *ctx, orr_portion *portions, size_t n, int32_t *left)
{
    const orr_greedy_rules greedy = {.gain = gain, .per_gpu = true, .step = seen.way == DOUBLING ? orr_step_doubling : NULL};
    const orr_tournament_rules pairs = {.beats = beats};
    if (seen.way == TOURNAMENT)
        orr_deal_tournament(ctx, &pairs, portions, n, left);
    else
        orr_deal_greedy(ctx, &greedy, portions, n, left);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const orr_portion_rules rules = {.in_place = true, .lack = ORR_PORTIONS_LESS};
    orr_portion *portions;
    int32_t capacity;
    const double at = cpu_seconds();
    const size_t n = orr_elastic_pool(*(orr_elastic **)orr_state(ctx), 0, &portions, &capacity);
    seen.capacity = capacity;
    const double pooled = cpu_seconds();
    deal(ctx, portions, n, &capacity);
    const double dealt = cpu_seconds();
    const orr_err err = orr_plan_portions(plan, &rules, portions, n);
    seen.pool = pooled - at;
    seen.deal = dealt - pooled;
    seen.stage = cpu_seconds() - dealt;
    return err;
}

static orr_err init(orr_ctx *ctx)
{
    *(orr_elastic **)orr_state(ctx) = orr_elastic_create(ctx, ORR_VC_SHARED);
    orr_trigger_events(ctx, 0);
    orr_trigger_period(ctx, 60 * ORR_SECOND, 0);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_elastic_event(*(orr_elastic **)orr_state(ctx), job, event);
}

static const orr_policy driving = {.summary = "drivers of elastic jobs", .state_size = sizeof(orr_elastic *), .init = init,
                                   .on_job = on_job, .schedule = schedule, .placer = "consolidate"};

static void run(const orr_trace *trace, const orr_cluster_spec *cluster, const orr_sim_options *options)
{
    orr_error e = {0};
    orr_sim *sim = orr_sim_create(trace, cluster, options, NULL, &e);
    if (!sim || orr_sim_run(sim, &e))
        stop(&e);
    orr_sim_destroy(sim);
}

/* The second decision: all run, and nobody came or went. */
static void bench_drivers(void)
{
    static const char *const names[WAYS] = {"greedy, one more", "greedy, doubling", "tournament"};
    const orr_module module = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request),
                               sizeof driving, ORR_KIND_POLICY, "driving", &driving};
    orr_error e = {0};
    orr_registry *registry = orr_registry_create();
    if (orr_registry_add(registry, &module, &e))
        stop(&e);
    puts("| driver | jobs | GPUs | who takes part | dealing | placing, first | unchanged |\n|---|---|---|---|---|---|---|");
    for (seen.way = 0; seen.way < WAYS; seen.way++)
        for (int32_t jobs = 100; jobs <= 10000; jobs *= 10) {
            orr_trace *trace = make_trace(jobs, 0, 0);
            orr_cluster_spec *cluster = make_cluster(jobs / 2);
            orr_sim_options options = orr_sim_options_default();
            options.registry = registry;
            options.policy = "driving";
            options.until = 70 * ORR_SECOND;
            run(trace, cluster, &options);
            const double first = seen.stage;
            options.until = 130 * ORR_SECOND;
            run(trace, cluster, &options);
            printf("| %s | %d | %d | %.2f | %.2f | %.2f | %.2f |\n", names[seen.way], jobs, seen.capacity, seen.pool * 1e3,
                   seen.deal * 1e3, first * 1e3, seen.stage * 1e3);
            orr_cluster_spec_destroy(cluster);
            orr_trace_destroy(trace);
        }
    orr_registry_destroy(registry);
}

/* ---- policies ---------------------------------------------------------------------------------------------------- */

typedef struct watch {
    double began, sum, worst;
    uint64_t count;
} watch;

static void time_decision(void *self, bool begins)
{
    watch *w = self;
    if (begins) {
        w->began = cpu_seconds();
        return;
    }
    const double took = cpu_seconds() - w->began;
    w->sum += took;
    w->worst = took > w->worst ? took : w->worst;
    w->count++;
}

/* Jobs come within an hour, with half as many GPUs as jobs; then they go. */
static void measure(const char *policy, int32_t jobs, double slack)
{
    orr_trace *trace = make_trace(jobs, 3600, slack);
    orr_cluster_spec *cluster = make_cluster(jobs / 16 + 1);
    watch w = {0};
    orr_sim_options options = orr_sim_options_default();
    options.policy = policy;
    options.until = orr_time_from_seconds(4000);
    options.on_decision = time_decision;
    options.on_decision_self = &w;
    const double at = cpu_seconds();
    run(trace, cluster, &options);
    const double all = cpu_seconds() - at;
    printf("| %s | %d | %d | %llu | %.3f | %.2f | %.3f |\n", policy, jobs, 8 * (jobs / 16 + 1), (unsigned long long)w.count,
           w.sum * 1e3 / (double)w.count, w.worst * 1e3, (all - w.sum) * 1e3 / jobs);
    fflush(stdout);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

static void bench_policies(void)
{
    static const char *const names[] = {"afs", "edl", "elan", "gandiva", "optimus"};
    puts("| policy | jobs | GPUs | decisions | ms a decision | the worst | ms a job besides |\n|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int32_t jobs = 100; jobs <= 10000; jobs *= 10)
            measure(names[i], jobs, 0);
}

/* Besides is admission. */
static void bench_elasticflow(void)
{
    puts("| policy | jobs | GPUs | decisions | ms a decision | the worst | ms a job besides |\n|---|---|---|---|---|---|---|");
    for (int32_t jobs = 100; jobs <= 10000; jobs *= 10)
        measure("elasticflow", jobs, 6);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"drivers", bench_drivers}, {"policies", bench_policies}, {"elasticflow", bench_elasticflow}};
    enum { PARTS = sizeof parts / sizeof *parts };
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (size_t k = 0; k < PARTS; k++)
            known |= strcmp(argv[i], parts[k].name) == 0;
        if (!known) {
            fprintf(stderr, "usage: bench_elastic [drivers|policies|elasticflow]...\n");
            return 64;
        }
    }
    for (size_t k = 0; k < PARTS; k++)
        for (int i = 1; i < argc || (argc < 2 && i == 1); i++)
            if (argc < 2 || strcmp(argv[i], parts[k].name) == 0)
                parts[k].run();
    return 0;
}
