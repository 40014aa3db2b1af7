/* recorded: what production did, done again; and what happens where that can't be. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define NONE (-1e9)

typedef struct given {
    const char *id;
    double submit;
    int32_t gpus;
    double duration, start; /* NONE: not recorded */
    const char *vc;
} given;

static orr_trace_job job_of(const given *g)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = g->id;
    job.vc = g->vc;
    job.submit = orr_time_from_seconds(g->submit);
    job.gpus = g->gpus;
    job.duration = orr_time_from_seconds(g->duration);
    if (g->start != NONE)
        job.start = orr_time_from_seconds(g->start);
    return job;
}

static run *ran(const given *jobs, size_t n, const char *cluster, const char *policy, const orr_sim_options *options)
{
    orr_trace *trace = orr_trace_create("given");
    orr_cluster_spec *spec = run_cluster(cluster);
    for (size_t i = 0; i < n; i++) {
        orr_trace_job job = job_of(&jobs[i]);
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    run *r = run_policy(trace, spec, policy, options);
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; k < n; k++)
            if (strcmp(r->jobs[i].id, jobs[k].id) == 0)
                r->jobs[i].id = jobs[k].id; /* the trace goes, its texts with it */
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(spec);
    return r;
}

static uint64_t notes(const run *r)
{
    return run_note(r, "no-recorded-start") + run_note(r, "recorded-start-missed") +
           run_note(r, "recorded-start-passed");
}

static const given four[] = {{"A", 0, 2, 8, 0, ""}, {"B", 0, 2, 5, 8, ""}, {"C", 1, 2, 3, 3, ""}, {"D", 4, 2, 4, 6, ""}};

/* Four GPUs. Production let B wait although there was room, C pass it, and D start in the instant in which C ended.
 *
 *   A  22222222              0-8
 *   B  ........22222         8-13
 *   C   ..222                3-6
 *   D      ..2222            6-10
 */
static void at_the_recorded_instants(void **state)
{
    (void)state;
    run *r = ran(four, 4, "4", "recorded", NULL);
    run_starts(r, "A:0 B:8 C:3 D:6");
    run_ends(r, "A:8 B:13 C:6 D:10");
    assert_int_equal(notes(r), 0);
    assert_int_equal(r->used[ORR_Q_RECORD], ORR_KNOW_ORACLE);
    assert_int_equal(r->used[ORR_Q_DURATION], ORR_KNOW_NONE);
    run_free(r);
}

/* The same on two GPUs: whoever is late comes by its recorded start: D (6) before B (8).
 *
 *   A  22222222                   0-8     on time
 *   C   .......222                8-11    missed 3
 *   D      .......2222            11-15   missed 6
 *   B  ...............22222       15-20   missed 8
 */
static void on_a_smaller_cluster(void **state)
{
    (void)state;
    run *r = ran(four, 4, "2", "recorded", NULL);
    run_starts(r, "A:0 C:8 D:11 B:15");
    assert_int_equal(run_note(r, "recorded-start-missed"), 3);
    assert_int_equal(notes(r), 3);
    run_free(r);
}

/* W, 3 GPUs, is late at 2 and holds up nobody: N starts at its instant although W came first. */
static void late_jobs_hold_up_nobody(void **state)
{
    (void)state;
    static const given jobs[] = {{"A", 0, 2, 9, 0, ""}, {"W", 0, 3, 5, 2, ""}, {"N", 1, 1, 2, 4, ""}};
    run *r = ran(jobs, 3, "3", "recorded", NULL);
    run_starts(r, "A:0 W:9 N:4");
    assert_int_equal(notes(r), 1);
    run_free(r);
}

/* U and V have no recorded start: in the order of submission, as soon as they fit, but behind L, which is late.
 *
 *   A  1111           0-4
 *   U  ......11       6-8
 *   V   .......1      8-9
 *   L     ..11        4-6, recorded at 3
 */
static void unknown_starts_are_first_come(void **state)
{
    (void)state;
    static const given jobs[] = {{"A", 0, 1, 4, 0, ""}, {"U", 0, 1, 2, NONE, ""},
                                 {"V", 1, 1, 1, NONE, ""}, {"L", 2, 1, 2, 3, ""}};
    run *r = ran(jobs, 4, "1", "recorded", NULL);
    run_starts(r, "A:0 L:4 U:6 V:8");
    assert_int_equal(run_note(r, "no-recorded-start"), 2);
    assert_int_equal(run_note(r, "recorded-start-missed"), 1);
    run_free(r);
}

/* A recorded start before the submission, as odd records have it: at the submission. */
static void starts_before_the_submission(void **state)
{
    (void)state;
    static const given jobs[] = {{"A", 5, 1, 4, 3, ""}};
    run *r = ran(jobs, 1, "1", "recorded", NULL);
    run_starts(r, "A:5");
    assert_int_equal(run_note(r, "recorded-start-passed"), 1);
    run_free(r);
}

/* B is red, whose node A fills until 9; the blue node is no place for it unless it is asked. */
static void virtual_clusters(void **state)
{
    (void)state;
    static const given jobs[] = {{"A", 0, 2, 9, 0, "red"}, {"B", 0, 2, 5, 1, "red"}};
    run *own = ran(jobs, 2, "2@red 2@blue", "recorded", NULL);
    run *any = ran(jobs, 2, "2@red 2@blue", "recorded,vc=borrow", NULL);
    run_starts(own, "A:0 B:9");
    run_starts(any, "A:0 B:1");
    run_free(own);
    run_free(any);
}

/* A hundred thousand come before the first one starts: that is no standstill. */
static void waiting_for_its_time_is_no_stall(void **state)
{
    (void)state;
    enum { MANY = 110000 };
    orr_trace *trace = orr_trace_create("given");
    for (int i = 0; i < MANY; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        orr_trace_job job = job_of(&(given){id, i * 1e-3, 1, 1, 1000, ""});
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    orr_cluster_spec *cluster = run_cluster("nodes=2000,gpus=64");
    run *r = run_policy(trace, cluster, "recorded", NULL);
    assert_int_equal(r->jobs[MANY - 1].first_start, 1000 * ORR_SECOND);
    assert_in_range(r->counts.decisions, 2, 3);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* A trace without any recorded start has nothing to replay. */
static void it_needs_a_record(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 1}};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *cluster = run_cluster("1");
    run *r = run_try(trace, cluster, "recorded", NULL);
    assert_int_equal(r->code, ORR_E_CAPABILITY);
    assert_non_null(strstr(r->error.message, "'recorded' needs RECORDED; no job of the trace has a recorded start"));
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

static void it_is_marked_as_an_oracle(void **state)
{
    (void)state;
    orr_trace *trace = orr_trace_create("given");
    orr_trace_job job = job_of(&(given){"A", 0, 1, 1, 0, ""});
    assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    orr_cluster_spec *cluster = run_cluster("1");
    orr_sim_options options = orr_sim_options_default();
    options.know = ORR_KNOW_NOISY;
    run *r = run_try(trace, cluster, "recorded", &options);
    assert_int_equal(r->code, ORR_E_KNOWLEDGE);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/*  A  11..11.1      0-2, 4-6, 7-8: each at its own
 *  B    11          2-4, in between */
static void each_attempt_at_its_own(void **state)
{
    (void)state;
    static const orr_time lengths[] = {2 * ORR_SECOND, 2 * ORR_SECOND, ORR_SECOND};
    static const orr_time starts[] = {0, 4 * ORR_SECOND, 7 * ORR_SECOND};
    orr_trace *trace = orr_trace_create("attempts");
    orr_trace_job a = job_of(&(given){"A", 0, 1, 5, 0, ""}), b = job_of(&(given){"B", 1, 1, 2, 2, ""});
    a.attempts = lengths;
    a.starts = starts;
    a.attempt_count = 3;
    assert_int_equal(orr_trace_add(trace, &a, NULL) + orr_trace_add(trace, &b, NULL), ORR_OK);
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    orr_cluster_spec *cluster = run_cluster("1");
    run *r = run_policy(trace, cluster, "recorded", NULL);
    run_held(r, "A", "0-2@0:1 4-6@0:1 7-8@0:1");
    run_held(r, "B", "2-4@0:1");
    assert_int_equal(notes(r), 0);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* ---- the start state --------------------------------------------------------------------------------------------- */

/* Z ran at the origin, Y ran, too, and finds no room: it is late from the beginning, and before A. */
static void what_ran_is_there_already(void **state)
{
    (void)state;
    orr_trace *trace = orr_trace_create("carried");
    orr_trace_job z = job_of(&(given){"Z", 0, 1, 5, -9, ""}), y = job_of(&(given){"Y", 0, 1, 3, -8, ""});
    orr_trace_job a = job_of(&(given){"A", 0, 1, 1, 5, ""});
    z.ran = 9 * ORR_SECOND;
    y.ran = 8 * ORR_SECOND;
    z.carried = y.carried = true;
    assert_int_equal(orr_trace_add(trace, &z, NULL) + orr_trace_add(trace, &y, NULL), ORR_OK);
    assert_int_equal(orr_trace_add(trace, &a, NULL), ORR_OK);
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    orr_cluster_spec *cluster = run_cluster("1");
    run *r = run_policy(trace, cluster, "recorded", NULL);
    run_ends(r, "Z:5 Y:8 A:9");
    assert_int_equal(run_note(r, "recorded-start-passed"), 1);
    assert_int_equal(run_note(r, "recorded-start-missed"), 1);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* ---- real records ------------------------------------------------------------------------------------------------ */

/* Replays a file on a cluster with room for all of it: every wait is start - submit, every completion time end -
 * submit of the record, to the nanosecond. Returns the jobs; 0: no such file. */
static size_t replays(const char *name, bool attempts)
{
    char path[1024];
    orr_error e = {0};
    if (!run_shared(path, name)) {
        printf("skipped: no %s\n", name);
        return 0;
    }
    orr_trace_options options = {.replay_attempts = attempts};
    orr_trace *trace = orr_trace_read(path, &options, &e);
    if (!trace)
        fail_msg("%s", e.message);
    orr_cluster_spec *cluster = run_cluster("nodes=8,gpus=8");
    run *r = run_policy(trace, cluster, "recorded", NULL);
    for (size_t i = 0; i < r->count; i++) {
        const orr_trace_job *job = &orr_trace_jobs(trace)[i];
        assert_true(job->start != ORR_TIME_NONE && job->end != ORR_TIME_NONE);
        assert_int_equal(r->jobs[i].first_start - r->jobs[i].submit, job->start - job->submit);
        assert_int_equal(r->jobs[i].end - r->jobs[i].submit, job->end - job->submit);
        assert_int_equal(r->jobs[i].wait_total, job->end - job->submit - job->duration);
    }
    assert_int_equal(notes(r), 0);
    size_t n = r->count;
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    return n;
}

/* Three jobs that waited 0 s, as their column `queue` says. */
static void helios(void **state)
{
    (void)state;
    size_t n = replays("data/helios/cluster_log.example.csv", false);
    assert_true(n == 0 || n == 3);
}

/* Two attempts, 01:12:09-01:13:23 and 01:13:30-06:53:12 two days later, submitted at 01:11:39: a wait of 30 s, 7 s
 * between the attempts, and an end 193,293 s after the submission. As one run it would end 7 s too early. */
static void philly(void **state)
{
    (void)state;
    char path[1024];
    if (replays("data/philly/cluster_job_log.example.json", true) == 0)
        return;
    assert_true(run_shared(path, "data/philly/cluster_job_log.example.json"));
    orr_trace *merged = run_trace_file(path);
    orr_cluster_spec *cluster = run_cluster("nodes=1,gpus=8");
    run *r = run_policy(merged, cluster, "recorded", NULL);
    assert_int_equal(r->jobs[0].first_start - r->jobs[0].submit, 30 * ORR_SECOND);
    assert_int_equal(r->jobs[0].end - r->jobs[0].submit, (193293 - 7) * ORR_SECOND);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(merged);
}

/* Of four attempts one has both times, 03:11:14-03:11:57; submitted at 03:04:16. The other job never ran. */
static void philly_dirt(void **state)
{
    (void)state;
    size_t n = replays("data/philly/cluster_job_log.dirt-example.json", true);
    assert_true(n == 0 || n == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_recorded_instants),      cmocka_unit_test(on_a_smaller_cluster),
        cmocka_unit_test(late_jobs_hold_up_nobody),      cmocka_unit_test(unknown_starts_are_first_come),
        cmocka_unit_test(starts_before_the_submission),  cmocka_unit_test(virtual_clusters),
        cmocka_unit_test(waiting_for_its_time_is_no_stall), cmocka_unit_test(it_needs_a_record),
        cmocka_unit_test(it_is_marked_as_an_oracle),     cmocka_unit_test(each_attempt_at_its_own),
        cmocka_unit_test(what_ran_is_there_already),     cmocka_unit_test(helios),
        cmocka_unit_test(philly),                        cmocka_unit_test(philly_dirt),
    };
    return cmocka_run_group_tests_name("recorded", tests, NULL, NULL);
}
