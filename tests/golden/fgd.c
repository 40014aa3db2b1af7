#include "fgd.h"

#include "base/mem.h"
#include "base/text.h"
#include "sched/ctx.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { DROPPED = -1 };

static double real(const table *t, size_t row, const char *column)
{
    double v = NAN;
    const char *text = table_text(t, row, column);
    if (!orr_parse_double(text, strlen(text), &v))
        fail_msg("%s is no number: %s", column, text);
    return v;
}

/* ---- the world --------------------------------------------------------------------------------------------------- */

static const char *types_of(const table *pods, size_t i)
{
    return table_has(pods, "gpu_spec") ? table_text(pods, i, "gpu_spec") : "";
}

static void add_pod(orr_trace *trace, const table *pods, size_t i)
{
    char id[24];
    orr_error e = {0};
    orr_trace_job job = orr_trace_job_default();
    snprintf(id, sizeof id, "%zu", i);
    job.id = id;
    job.submit = (orr_time)i * ORR_SECOND;
    job.duration = (orr_time)1000000000 * ORR_SECOND;
    job.gpus = (int32_t)table_number(pods, i, "num_gpu");
    job.gpu_milli = job.gpus ? (int32_t)table_number(pods, i, "gpu_milli") : 1000;
    job.cpu_milli = table_number(pods, i, "cpu_milli");
    job.mem_bytes = table_number(pods, i, "memory_mib") << 20;
    job.gpu_type = types_of(pods, i);
    if (orr_trace_add(trace, &job, &e))
        fail_msg("%s", e.message);
}

static orr_trace *trace_of(const table *pods)
{
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("pods");
    for (size_t i = 0; i < pods->count; i++)
        add_pod(trace, pods, i);
    if (orr_trace_finish(trace, &e))
        fail_msg("%s", e.message);
    return trace;
}

static orr_cluster_spec *cluster_of(const table *nodes)
{
    orr_cluster_spec *cluster = orr_cluster_spec_create("nodes");
    for (size_t i = 0; nodes && i < nodes->count; i++) {
        orr_error e = {0};
        orr_node_spec node = orr_node_spec_default();
        node.name = table_text(nodes, i, "node");
        node.gpus = (int32_t)table_number(nodes, i, "gpu");
        node.gpu_type = table_text(nodes, i, "model");
        node.cpus = (int32_t)(table_number(nodes, i, "cpu_milli") / 1000);
        node.mem_bytes = table_number(nodes, i, "memory_mib") << 20;
        if (orr_cluster_spec_add(cluster, &node, 1, &e))
            fail_msg("%s", e.message);
    }
    return cluster;
}

static void write_jobs(const table *jobs, const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("submit,duration,gpus,gpu_milli,cpus,gpu_type\n", f);
    for (size_t i = 0; i < jobs->count; i++) {
        const long long gpus = table_number(jobs, i, "num_gpu"), cores = table_number(jobs, i, "cpu_milli");
        const long long milli = gpus ? table_number(jobs, i, "gpu_milli") : 1000;
        fprintf(f, "0,1,%lld,%lld,%lld.%03lld,%s\n", gpus, milli, cores / 1000, cores % 1000, types_of(jobs, i));
    }
    fclose(f);
}

fgd_world *fgd_open(const table *pods, const table *nodes, const table *jobs, const char *part)
{
    fgd_world *w = orr_xcalloc(1, sizeof *w);
    w->trace = trace_of(pods);
    w->cluster = cluster_of(nodes);
    w->pods = pods->count;
    w->part = part;
    snprintf(w->typical, sizeof w->typical, "/tmp/orrery-typical-%d.csv", (int)getpid());
    write_jobs(jobs, w->typical);
    return w;
}

void fgd_close(fgd_world *w)
{
    unlink(w->typical);
    orr_trace_destroy(w->trace);
    orr_cluster_spec_destroy(w->cluster);
    free(w);
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static void on_grant(void *self, const orr_grant *g)
{
    fgd_run *r = self;
    const orr_slice *s = g->slices;
    assert_int_equal(g->slice_count, 1);
    r->pods[orr_job_index(g->job)] = (fgd_placed){.node = s->node, .milli = s->milli ? s->milli : 1000, .gpus = s->gpus};
    r->used += g->milli;
}

static void name_policy(const fgd_world *w, const char *policy, char *out, size_t size)
{
    static const char *const placers[][2] = {{"BestFit", "best-fit:fgd"},       {"DotProd", "dot-product"},
                                             {"GpuPacking", "gpu-packing"},     {"Random", "random:fgd"},
                                             {"GpuClustering", "gpu-clustering"}};
    snprintf(out, size, "drop+fgd,typical=%s,part=%s", w->typical, w->part);
    for (size_t i = 0; i < RUN_COUNT(placers); i++)
        if (strcmp(placers[i][0], policy) == 0)
            snprintf(out, size, "drop+%s", placers[i][1]);
}

fgd_run *fgd_go(const fgd_world *w, const char *policy, uint64_t seed)
{
    fgd_run *r = orr_xcalloc(1, sizeof *r);
    char name[128];
    orr_error e = {0};
    orr_sim_options o = orr_sim_options_default();
    orr_sink sink = {.self = r, .grant = on_grant};
    r->pods = orr_xcalloc(w->pods, sizeof *r->pods);
    for (size_t i = 0; i < w->pods; i++)
        r->pods[i].node = DROPPED;
    name_policy(w, policy, name, sizeof name);
    o.policy = name;
    o.seed = seed;
    orr_sim *sim = orr_sim_create(w->trace, w->cluster, &o, &sink, &e);
    if (!sim || orr_sim_run(sim, &e))
        fail_msg("%s: %s", name, e.message);
    r->counts = orr_sim_count(sim);
    orr_sim_destroy(sim);
    return r;
}

void fgd_done(fgd_run *r)
{
    if (!r)
        return;
    free(r->pods);
    free(r);
}

/* ---- placements -------------------------------------------------------------------------------------------------- */

static void add_gpus(orr_text *out, uint64_t gpus)
{
    for (int g = 0; g < 64; g++)
        if (gpus >> g & 1)
            orr_text_addf(out, "%s%d", out->n && out->at[out->n - 1] != '@' ? "+" : "", g);
}

size_t fgd_placements_differ(const fgd_world *w, const fgd_run *r, const table *theirs)
{
    size_t differ = 0;
    assert_int_equal(theirs->count, w->pods);
    for (size_t i = 0; i < w->pods; i++) {
        orr_text ours = {0}, wanted = {0};
        const fgd_placed *p = &r->pods[i];
        orr_text_addf(&ours, "%s@", p->node == DROPPED ? "" : orr_cluster_spec_node(w->cluster, p->node)->name);
        add_gpus(&ours, p->gpus);
        orr_text_addf(&wanted, "%s@%s", table_text(theirs, i, "node"), table_text(theirs, i, "gpu"));
        if (strcmp(ours.at, wanted.at) != 0 && differ++ == 0)
            printf("pod %zu: %s, should be %s\n", i, ours.at, wanted.at);
        orr_text_fini(&ours);
        orr_text_fini(&wanted);
    }
    return differ;
}

/* ---- the series -------------------------------------------------------------------------------------------------- */

typedef struct walk { /* what is left after some pods */
    orr_cluster *cluster;
    orr_remnant *left;
    bool *used;
    int32_t used_nodes;
    int64_t arrived, used_milli, idle;
} walk;

static walk walk_begin(const fgd_world *w)
{
    walk k = {.cluster = orr_cluster_create(w->cluster, false)};
    k.left = orr_xcalloc((size_t)k.cluster->count, sizeof *k.left);
    k.used = orr_xcalloc((size_t)k.cluster->count, sizeof *k.used);
    for (int32_t n = 0; n < k.cluster->count; n++) {
        const orr_node *node = &k.cluster->nodes[n];
        orr_remnant *left = &k.left[n];
        *left = (orr_remnant){.cpu_milli = node->cpu_milli_free, .type = node->type, .gpus = node->spec->gpus};
        for (int32_t g = 0; g < left->gpus; g++)
            left->milli[g] = 1000;
        k.idle += 1000 * left->gpus;
    }
    return k;
}

static void walk_end(walk *k)
{
    orr_cluster_destroy(k->cluster);
    free(k->left);
    free(k->used);
}

static void walk_on(walk *k, const orr_trace_job *job, const fgd_placed *p)
{
    k->arrived += (int64_t)job->gpus * (job->gpus ? job->gpu_milli : 0);
    if (p->node == DROPPED)
        return;
    orr_remnant *left = &k->left[p->node];
    k->used_nodes += !k->used[p->node];
    k->used[p->node] = true;
    left->cpu_milli -= job->cpu_milli;
    assert_true(left->cpu_milli >= 0);
    for (int32_t g = 0; g < left->gpus; g++) {
        const int32_t taken = p->gpus >> g & 1 ? p->milli : 0;
        left->milli[g] -= taken;
        assert_true(left->milli[g] >= 0);
        k->used_milli += taken;
        k->idle -= taken;
    }
}

static void sum_causes(const walk *k, const orr_fragments *f, double sums[ORR_FRAGMENT_CAUSES])
{
    memset(sums, 0, ORR_FRAGMENT_CAUSES * sizeof *sums);
    for (int32_t n = 0; n < k->cluster->count; n++) {
        double one[ORR_FRAGMENT_CAUSES];
        orr_fragments_by_cause(f, &k->left[n], one);
        for (int c = 0; c < ORR_FRAGMENT_CAUSES; c++)
            sums[c] += one[c];
    }
}

static bool row_is(const walk *k, const orr_fragments *f, const table *theirs, size_t row, double abs)
{
    static const char *const columns[] = {"q1", "q2", "q3", "q4", "xl", "xr", "na", "frag_milli", "idle_milli"};
    double sums[ORR_FRAGMENT_CAUSES], ours[ORR_FRAGMENT_CAUSES + 2] = {0};
    bool same = table_number(theirs, row, "arrived_gpu_milli") == k->arrived &&
                table_number(theirs, row, "used_gpu_milli") == k->used_milli &&
                table_number(theirs, row, "used_nodes") == k->used_nodes;
    sum_causes(k, f, sums);
    for (int c = 0; c < ORR_FRAGMENT_CAUSES; c++) {
        ours[c] = sums[c];
        ours[ORR_FRAGMENT_CAUSES] += c == ORR_FRAGMENT_USABLE ? 0 : sums[c];
    }
    ours[ORR_FRAGMENT_CAUSES + 1] = (double)k->idle;
    for (size_t c = 0; c < RUN_COUNT(columns); c++)
        same = same && fabs(ours[c] - real(theirs, row, columns[c])) <= abs;
    return same;
}

/* Classes as the placer makes them of the world's file. */
typedef struct made {
    orr_arena texts;
    orr_asks asks;
    orr_world world;
    orr_ctx ctx;
    orr_target *target;
} made;

static made make_target(const fgd_world *w)
{
    orr_error e = {0};
    made m = {.texts = {0}};
    if (orr_asks_read(w->typical, &m.texts, &m.asks, &e))
        fail_msg("%s", e.message);
    m.world.real = orr_cluster_create(w->cluster, false);
    return m;
}

static const orr_fragments *target_of(made *m, const char *part)
{
    m->ctx.world = &m->world;
    m->target = orr_target_create(&m->ctx, &m->asks, atof(part));
    return orr_target_fragments(m->target);
}

static void made_fini(made *m)
{
    orr_targets_destroy(m->target);
    orr_cluster_destroy(m->world.real);
    orr_arena_fini(&m->texts);
}

size_t fgd_series_differ(const fgd_world *w, const fgd_run *r, const table *theirs, double abs)
{
    walk k = walk_begin(w);
    made m = make_target(w);
    const orr_fragments *f = target_of(&m, w->part);
    size_t differ = 0, row = 0;
    for (size_t i = 0; i < w->pods; i++) {
        walk_on(&k, &orr_trace_jobs(w->trace)[i], &r->pods[i]);
        if (row >= theirs->count || table_number(theirs, row, "seq") != (int64_t)i)
            continue;
        if (!row_is(&k, f, theirs, row, abs) && differ++ == 0)
            printf("after pod %zu: %lld used on %d nodes\n", i, (long long)k.used_milli, k.used_nodes);
        row++;
    }
    assert_int_equal(row, theirs->count);
    assert_int_equal(k.used_milli, r->used);
    made_fini(&m);
    walk_end(&k);
    return differ;
}

/* ---- the jobs to come -------------------------------------------------------------------------------------------- */

size_t fgd_typical_differ(const fgd_world *w, const table *theirs, double abs)
{
    made m = make_target(w);
    double all = 0, taken = 0;
    size_t n = 0, differ = 0;
    for (size_t i = 0; i < m.asks.count; i++)
        all += m.asks.at[i].count;
    for (; n < m.asks.count && taken < atof(w->part) * all; n++)
        taken += m.asks.at[n].count;
    assert_int_equal(n, theirs->count);
    for (size_t i = 0; i < n; i++) {
        const orr_ask *a = &m.asks.at[i];
        differ += a->cpu_milli != table_number(theirs, i, "cpu_milli") || a->gpus != table_number(theirs, i, "num_gpu") ||
                  a->milli != table_number(theirs, i, "gpu_milli") ||
                  strcmp(a->gpu_type, table_text(theirs, i, "gpu_spec")) != 0 ||
                  fabs(a->count / taken - real(theirs, i, "probability")) > abs;
    }
    made_fini(&m);
    return differ;
}

/* ---- a row of a manifest ----------------------------------------------------------------------------------------- */

size_t fgd_differ(const golden_case *c)
{
    const bool kinds = strcmp(c->policy, "typical pods") == 0;
    table *theirs = table_read(c->expected), *pods = table_read(kinds ? c->trace : c->cluster);
    table *nodes = kinds ? NULL : table_read(c->trace);
    fgd_world *w = fgd_open(pods, nodes, pods, "0.95");
    fgd_run *r = kinds ? NULL : fgd_go(w, c->policy, 1);
    size_t differ;
    if (kinds)
        differ = fgd_typical_differ(w, theirs, 1e-9);
    else if (table_has(theirs, "frag_milli"))
        differ = fgd_series_differ(w, r, theirs, 0.011);
    else
        differ = fgd_placements_differ(w, r, theirs);
    fgd_done(r);
    fgd_close(w);
    table_free(theirs);
    table_free(pods);
    table_free(nodes);
    return differ;
}

/* ---- a published trace under all policies ---------------------------------------------------------------------- */

static table *shared_table(const char *trace, const char *rest)
{
    char path[1024], name[256];
    snprintf(name, sizeof name, "golden/fgd/%s.%s", trace, rest);
    return run_shared(path, name) ? table_read(path) : NULL;
}

static void compare(const fgd_world *w, const char *trace, const char *policy)
{
    char name[64], label[128];
    snprintf(name, sizeof name, "seed42.%s.placement.csv", policy);
    table *placed = shared_table(trace, name);
    snprintf(name, sizeof name, "seed42.%s.series.csv", policy);
    table *series = shared_table(trace, name);
    fgd_run *r = fgd_go(w, policy, 1);
    if (fgd_placements_differ(w, r, placed))
        fail_msg("%s %s", trace, policy);
    if (fgd_series_differ(w, r, series, 0.011))
        fail_msg("%s %s: series", trace, policy);
    snprintf(label, sizeof label, "fgd %s.%s", trace, policy);
    golden_ran(label);
    fgd_done(r);
    table_free(placed);
    table_free(series);
}

void fgd_trace_is_theirs(const char *trace)
{
    static const char *const policies[] = {"FGD", "BestFit", "DotProd", "GpuPacking", "GpuClustering"};
    table *pods = shared_table(trace, "seed42.arrivals.csv");
    if (!pods) {
        golden_skipped(trace, "no data outside the tree");
        return;
    }
    char path[1024], name[128];
    snprintf(name, sizeof name, "data/openb/openb_pod_list_%s.csv", trace);
    assert_true(run_shared(path, name)); /* the jobs to come are those before some were drawn again */
    table *nodes = shared_table(trace, "seed42.nodes.csv"), *jobs = table_read(path);
    table *typical = shared_table(trace, "typical_pods.csv");
    fgd_world *w = fgd_open(pods, nodes, jobs, "0.95");
    assert_int_equal(fgd_typical_differ(w, typical, 1e-9), 0);
    for (size_t i = 0; i < RUN_COUNT(policies); i++)
        compare(w, trace, policies[i]);
    fgd_close(w);
    table_free(pods);
    table_free(nodes);
    table_free(jobs);
    table_free(typical);
}
