/* qssf: gangs first, then priorities; once and for good; queues a VC; and that predictions are worth something. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void ends(const run_job *jobs, size_t n, const char *cluster, const char *policy, const char *expected)
{
    run *r = run_of(jobs, n, cluster, policy);
    run_ends(r, expected);
    run_preempted(r, "");
    run_free(r);
}

static const run_job someone_waits[] = {{.id = "A", .gpus = 4, .duration = 10},
                                        {.id = "B", .submit = 1, .gpus = 4, .duration = 5},
                                        {.id = "C", .submit = 2, .gpus = 1, .duration = 6},
                                        {.id = "D", .submit = 3, .gpus = 2, .duration = 4}};

/* GPUs x run: C 6, D 8, B 20. B blocks while one GPU is free.
 *
 *   A 4444444444              0-10
 *   B  ...............44444   16-21
 *   C   ........111111        10-16
 *   D    .......2222          10-14
 */
static void by_priority_where_someone_waits(void **state)
{
    (void)state;
    ends(someone_waits, 4, "4", "qssf~oracle", "A:10 B:21 C:16 D:14");
}

static const run_job three_at_once[] = {{.id = "X", .gpus = 1, .duration = 9},
                                        {.id = "Y", .gpus = 4, .duration = 1},
                                        {.id = "Z", .gpus = 2, .duration = 5}};

/* Nobody waited: the smaller gangs first, though Y has the least to do (4, 9 and 10 GPU-s).
 *
 *   X 111111111    0-9
 *   Y .........4   9-10
 *   Z 22222        0-5
 */
static void by_gang_where_nobody_waited(void **state)
{
    (void)state;
    ends(three_at_once, 3, "4", "qssf~oracle", "X:9 Y:10 Z:5");
}

/* ssf looks at the priority alone.
 *
 *   X .111111111   1-10
 *   Y 4            0-1
 *   Z .22222       1-6
 */
static void unlike_ssf(void **state)
{
    (void)state;
    ends(three_at_once, 3, "4", "ssf", "X:10 Y:1 Z:6");
}

/* A takes the cores. B, the smaller gang, has none and blocks; then C's priority (2 x 3) is before B's (1 x 9), and it
 * is started at once.
 *
 *   A 1111111111            0-10
 *   B  .........111111111   10-19
 *   C  222                  1-4
 */
static const run_job no_cores[] = {{.id = "A", .gpus = 1, .duration = 10, .cpus = 8},
                                   {.id = "B", .submit = 1, .gpus = 1, .duration = 9, .cpus = 8},
                                   {.id = "C", .submit = 1, .gpus = 2, .duration = 3}};

static void whoever_is_left_is_tried_by_priority(void **state)
{
    (void)state;
    ends(no_cores, 3, "nodes=1,gpus=4,cpus=8", "qssf~oracle", "A:10 B:19 C:4");
}

/* Or a second later, as the public simulator does.
 *
 *   A 1111111111            0-10
 *   B  .........111111111   10-19
 *   C  .222                 2-5
 */
static void or_a_second_later(void **state)
{
    (void)state;
    ends(no_cores, 3, "nodes=1,gpus=4,cpus=8", "qssf:helios~oracle", "A:10 B:19 C:5");
}

/* While X runs nobody has finished: B and C are believed to take an hour each. X teaches that jobs take 10 s, so that
 * D, who comes then, goes first; but B and C keep what they got, and B stays before C, although C's user had X.
 *
 *   X 1111111111                    0-10
 *   B  .........................1   26-27
 *   C   .........................1  27-28
 *   D           1111111111111111    10-26
 */
static void once_and_for_good(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "X", .user = "c", .gpus = 1, .duration = 10},
                            {.id = "B", .user = "b", .submit = 1, .gpus = 1, .duration = 1},
                            {.id = "C", .user = "c", .submit = 2, .gpus = 1, .duration = 1},
                            {.id = "D", .user = "d", .submit = 10, .gpus = 1, .duration = 16}};
    ends(jobs, 4, "1", "qssf", "X:10 B:27 C:28 D:26");
    ends(jobs, 4, "1", "qssf~rolling", "X:10 B:27 C:28 D:26");
}

static const run_job two_vcs[] = {{.id = "A", .vc = "red", .gpus = 2, .duration = 10},
                                  {.id = "B", .vc = "red", .submit = 1, .gpus = 1, .duration = 5},
                                  {.id = "C", .vc = "blue", .submit = 1, .gpus = 2, .duration = 4},
                                  {.id = "D", .vc = "blue", .submit = 1, .gpus = 1, .duration = 9}};

/* Each VC has its own queue: in blue nobody waits, and D, the smaller gang, is first.
 *
 *   A 2222222222            0-10
 *   B  .........11111       10-15
 *   C  .........2222        10-14
 *   D  111111111            1-10
 */
static void a_queue_a_vc(void **state)
{
    (void)state;
    ends(two_vcs, 4, "2@red 2@blue", "qssf~oracle", "A:10 B:15 C:14 D:10");
}

/* One queue for both: B (1) and D (1) start, C doesn't fit.
 *
 *   A 2222222222            0-10
 *   B  11111                1-6
 *   C  .........2222        10-14
 *   D  111111111            1-10
 */
static void or_one_for_all(void **state)
{
    (void)state;
    ends(two_vcs, 4, "2@red 2@blue", "qssf,vc=shared~oracle", "A:10 B:6 C:14 D:10");
}

/* ---- levels of knowledge ---- */

static void what_is_told(const char *policy, orr_know level, const char *says)
{
    run *r = run_of(someone_waits, RUN_COUNT(someone_waits), "4", policy);
    if (r->used[ORR_Q_DURATION] != level)
        fail_msg("%s used durations at %s", policy, orr_know_name(r->used[ORR_Q_DURATION]));
    if (!strstr(r->resolved, says))
        fail_msg("%s is resolved as %s", policy, r->resolved);
    run_free(r);
}

/* The same policy with any estimator; results tell with which. */
static void any_estimator_for_any_order(void **state)
{
    (void)state;
    what_is_told("qssf", ORR_KNOW_HISTORY, "+consolidate,pick=fullest,rest=emptiest,within=any~qssf,alpha=0.1,cut=0.6");
    what_is_told("qssf~oracle", ORR_KNOW_ORACLE, "~oracle");
    what_is_told("qssf:helios~given", ORR_KNOW_DECLARED, "~given,column=est_duration,guess=3600");
    what_is_told("sjf", ORR_KNOW_ORACLE, "~oracle");
    what_is_told("sjf~qssf,alpha=0.5", ORR_KNOW_HISTORY, "~qssf,alpha=0.5");
    what_is_told("srtf~ridge", ORR_KNOW_HISTORY, "~ridge,lambda=1,buckets=256,refit=jobs,every=1000");
    what_is_told("ssf~noisy,sigma=0.3", ORR_KNOW_NOISY, "~noisy,sigma=0.3");
    what_is_told("srtf~user-mean", ORR_KNOW_HISTORY, "~user-mean");
    what_is_told("ssf~rolling,matches=0", ORR_KNOW_HISTORY, "~rolling,cut=0.6,matches=0,look=1000");
}

/* ---- what it is worth ---- */

static double mean_jct(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy)
{
    run *r = run_policy(trace, cluster, policy, NULL);
    double jct = run_mean_jct(r);
    run_free(r);
    printf("mean JCT %9.0f s: %s\n", jct, policy);
    return jct;
}

/* On the bundled sample, whose jobs repeat names: predictions are worth nearly as much as the truth, and both far
 * more than the order of arrival. (sjf with the truth, which doesn't look at GPUs, comes behind here.) */
static void on_the_sample(void **state)
{
    (void)state;
    orr_trace *trace = run_trace_file(ORR_SOURCE_DIR "/traces/helios-5k.csv");
    orr_cluster_spec *cluster = run_cluster(ORR_SOURCE_DIR "/traces/helios-5k.vc.csv");
    double fifo = mean_jct(trace, cluster, "fifo"), qssf = mean_jct(trace, cluster, "qssf");
    double rolling = mean_jct(trace, cluster, "qssf~rolling"), oracle = mean_jct(trace, cluster, "qssf~oracle");
    assert_true(oracle <= rolling && rolling <= qssf && qssf <= 0.25 * fifo);
    double srtf = mean_jct(trace, cluster, "srtf"), learned = mean_jct(trace, cluster, "srtf~qssf");
    assert_true(srtf <= learned && learned <= 0.15 * fifo);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* Philly's jobs have neither users nor names here, so only their VC, GPUs and time of day tell anything: sjf with
 * the truth <= qssf <= 0.7 fifo all the same, in each of the five cases. */
static void on_philly(void **state)
{
    (void)state;
    static const char *const cases[] = {"tiny", "tiny_mix", "medium", "medium16", "full"};
    for (size_t i = 0; i < RUN_COUNT(cases); i++) {
        char path[1024], config[1024], name[128];
        snprintf(name, sizeof name, "golden/helios/inputs/%s.cluster_log.csv.gz", cases[i]);
        bool there = run_shared(path, name);
        snprintf(name, sizeof name, "golden/helios/inputs/%s.vc_config.csv", cases[i]);
        if (!there || !run_shared(config, name)) {
            printf("skipped %s: no data outside the tree\n", cases[i]);
            continue;
        }
        orr_trace *trace = run_trace_file(path);
        orr_cluster_spec *cluster = run_cluster(config);
        printf("%s\n", cases[i]);
        double fifo = mean_jct(trace, cluster, "fifo"), qssf = mean_jct(trace, cluster, "qssf");
        double sjf = mean_jct(trace, cluster, "sjf");
        assert_true(sjf <= qssf && qssf <= 0.7 * fifo);
        orr_cluster_spec_destroy(cluster);
        orr_trace_destroy(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_priority_where_someone_waits),
        cmocka_unit_test(by_gang_where_nobody_waited),
        cmocka_unit_test(unlike_ssf),
        cmocka_unit_test(whoever_is_left_is_tried_by_priority),
        cmocka_unit_test(or_a_second_later),
        cmocka_unit_test(once_and_for_good),
        cmocka_unit_test(a_queue_a_vc),
        cmocka_unit_test(or_one_for_all),
        cmocka_unit_test(any_estimator_for_any_order),
        cmocka_unit_test(on_the_sample),
        cmocka_unit_test(on_philly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
