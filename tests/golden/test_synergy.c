/* The public Synergy simulator's results, job by job, where they are: four orders, three ways to deal out cores and
 * memory.
 *
 * That simulator books whole iterations, floor(300 s / time of an iteration) a round, and ends a job with the round.
 * Neither is built in here: ends are compared by the round they lie in, and the booking is put into the profiles,
 * whose speeds are what that many iterations come to. With that the proportional runs are equal, and so are the greedy
 * ones but FTF's: the simulator compares slowdowns at speeds before booking, which differ by up to 0.3 %, and an order
 * by slowdown never makes up for a change. Its way of cutting jobs back in mode `tune` is known too loosely to be
 * followed job by job. Of both, averages are met, and that tuning is better than proportion. */
#include "compare.h"

#include "model/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOT "golden/synergy/"
#define GB INT64_C(1000000000)
#define ROUND_NS (300 * ORR_SECOND)

/* Of each model: an iteration, and by cores and memory a GPU how much faster than with 3 cores and 62.5 GB it is. */
static const struct model {
    const char *name;
    int64_t ms;
    struct {
        double cpus, gb, speedup;
    } points[4];
} models[] = {
    {"alexnet", 600, {{3, 62.5, 1}, {6, 125, 1 + 1.94 * 3 / 9}, {12, 125, 2.94}}},
    {"shufflenet", 615, {{3, 62.5, 1}, {6, 125, 1 + 1.89 * 3 / 9}, {12, 125, 2.89}}},
    {"res18", 640, {{3, 62.5, 1}, {6, 62.5, 1.7}, {9, 62.5, 2.4}}},
    {"m5", 600, {{3, 62.5, 1}, {6, 125, 2.5}, {6, 187.5, 2.5}}},
    {"mobilenet", 710, {{3, 62.5, 1}, {6, 62.5, 1.55}}},
    {"res50", 780, {{3, 62.5, 1}, {4, 62.5, 1.15}}},
    {"deepspeech", 757, {{3, 62.5, 1}}},
    {"transformer", 670, {{1, 20, 1}}},
    {"gnmt", 120, {{1, 20, 1}}},
    {"bert", 600, {{3, 62.5, 1}, {6, 125, 1 + 1.94 * 3 / 9}, {12, 125, 2.94}}}, /* its runs take it for alexnet */
    {"lstm", 11, {{1, 20, 1}}},
    {"vae", 11, {{1, 20, 1}}},
};

/* The speed at which a round does as many whole iterations as fit into it: not a ns less, for all rounding. */
static double booked(int64_t ms, double speedup)
{
    double iterations = floor(300.0 / ((double)ms / 1000 / speedup));
    double speed = iterations * (double)ms * 1e6 / (double)ROUND_NS;
    for (int ulp = 0; ulp < 8; ulp++)
        speed = nextafter(speed, INFINITY);
    return speed;
}

static orr_profiles *make_profiles(void)
{
    orr_profiles *all = orr_profiles_create("synergy");
    for (size_t i = 0; i < RUN_COUNT(models); i++) {
        const struct model *m = &models[i];
        orr_host_point points[4];
        orr_profile p = orr_profile_default();
        p.model = m->name;
        p.host = points;
        for (; p.host_points < 4 && m->points[p.host_points].cpus > 0; p.host_points++) {
            size_t k = p.host_points;
            points[k] = (orr_host_point){m->points[k].cpus, m->points[k].gb * 1e9, booked(m->ms, m->points[k].speedup)};
            if (k && points[k].speed <= points[k - 1].speed) /* it is asked for although it gains nothing */
                points[k].speed = nextafter(points[k - 1].speed, INFINITY);
        }
        assert_true(orr_profiles_add(all, &p));
    }
    return all;
}

static int64_t iteration_of(const char *model)
{
    for (size_t i = 0; i < RUN_COUNT(models); i++)
        if (strcmp(models[i].name, model) == 0)
            return models[i].ms * ORR_MS;
    fail_msg("no model %s", model);
    return 0;
}

static orr_trace *make_trace(const table *t)
{
    orr_trace *trace = orr_trace_create("synergy");
    orr_error e = {0};
    for (size_t i = 0; i < t->count; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = table_text(t, i, "job_id");
        job.model = table_text(t, i, "model");
        job.gpus = (int32_t)table_number(t, i, "num_gpu");
        job.submit = table_number(t, i, "submit_s") * ORR_SECOND;
        job.duration = table_number(t, i, "iterations") * iteration_of(job.model);
        assert_int_equal(orr_trace_add(trace, &job, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    return trace;
}

static orr_cluster_spec *make_cluster(void)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("synergy");
    orr_node_spec node = orr_node_spec_default();
    orr_error e = {0};
    node.cpus = 24;
    node.mem_bytes = 500 * GB;
    assert_int_equal(orr_cluster_spec_add(spec, &node, 4, &e), ORR_OK);
    return spec;
}

/* ---- the runs ---- */

typedef struct outcome {
    size_t same, count;
    double ours, theirs; /* mean JCT in hours */
} outcome;

static const char *const orders[][2] = {{"FIFO", "fifo"}, {"SRTF", "srtf"}, {"LAS", "las"}, {"FTF", "ftf-least"}};
static const char *const allocations[] = {"proportional", "greedy", "tune"};

static outcome compare(const run *r, const char *label, const char *path)
{
    table *theirs = table_read(path);
    outcome o = {.count = theirs->count};
    for (size_t i = 0; i < theirs->count; i++) {
        double end = atof(table_text(theirs, i, "finish_s"));
        double ours = ceil(run_end(r, table_text(theirs, i, "job_id")) / 300) * 300;
        o.theirs += atof(table_text(theirs, i, "jct_s")) / 3600 / (double)theirs->count;
        o.ours += (ours - atof(table_text(theirs, i, "submit_s"))) / 3600 / (double)theirs->count;
        o.same += end == ours;
        if (end != ours && o.same + 1 == i + 1)
            printf("%s: job %s ends at %.9g, should be %.9g\n", label, table_text(theirs, i, "job_id"), ours, end);
    }
    table_free(theirs);
    return o;
}

static outcome run_one(const orr_profiles *profiles, size_t order, size_t allocation)
{
    char path[1024], name[64], policy[128], label[64];
    snprintf(label, sizeof label, "synergy %s.%s", orders[order][0], allocations[allocation]);
    snprintf(name, sizeof name, ROOT "%s.%s.csv", orders[order][0], allocations[allocation]);
    snprintf(policy, sizeof policy, "synergy:sim,order=%s,allocation=%s", orders[order][1], allocations[allocation]);
    assert_true(run_shared(path, ROOT "trace.csv"));
    table *t = table_read(path);
    orr_trace *trace = make_trace(t);
    orr_cluster_spec *cluster = make_cluster();
    orr_sim_options options = orr_sim_options_default();
    options.profiles = profiles;
    run *r = run_policy(trace, cluster, policy, &options);
    assert_true(run_shared(path, name));
    outcome o = compare(r, label, path);
    printf("%s: %zu of %zu equal, mean JCT %.4f h, theirs %.4f h\n", label, o.same, o.count, o.ours, o.theirs);
    golden_ran(label);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    table_free(t);
    return o;
}

typedef struct world {
    orr_profiles *profiles;
    double proportional[RUN_COUNT(orders)]; /* our mean JCT */
} world;

static void proportional_runs_are_equal(void **state)
{
    world *w = *state;
    for (size_t i = 0; i < RUN_COUNT(orders); i++) {
        outcome o = run_one(w->profiles, i, 0);
        assert_int_equal(o.same, o.count);
        w->proportional[i] = o.ours;
    }
}

static bool is_ftf(size_t order)
{
    return strcmp(orders[order][0], "FTF") == 0;
}

static void greedy_runs_are_equal_but_for_ftf(void **state)
{
    const world *w = *state;
    for (size_t i = 0; i < RUN_COUNT(orders); i++) {
        outcome o = run_one(w->profiles, i, 1);
        assert_true(is_ftf(i) ? fabs(o.ours / o.theirs - 1) < 0.05 : o.same == o.count);
    }
}

static void tuned_runs_are_near_and_better(void **state)
{
    const world *w = *state;
    for (size_t i = 0; i < RUN_COUNT(orders); i++) {
        outcome o = run_one(w->profiles, i, 2);
        assert_true(fabs(o.ours / o.theirs - 1) < (is_ftf(i) ? 0.10 : 0.02));
        assert_true(o.ours < w->proportional[i]);
    }
}

static int make(void **state)
{
    world *w = calloc(1, sizeof *w);
    w->profiles = make_profiles();
    *state = w;
    return 0;
}

static int unmake(void **state)
{
    world *w = *state;
    orr_profiles_destroy(w->profiles);
    free(w);
    return 0;
}

int main(void)
{
    char path[1024];
    if (!run_shared(path, ROOT "summary.csv")) {
        golden_skipped("synergy", "no data outside the tree");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proportional_runs_are_equal),
        cmocka_unit_test(greedy_runs_are_equal_but_for_ftf),
        cmocka_unit_test(tuned_runs_are_near_and_better),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
