/* elasticflow: shares, admission and the elastic phase by hand; whoever is taken in is in time. */
#include "../sim/stage.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* As fast as it has GPUs, from 1 to `most`; `work` is what one takes. */
static orr_trace_job elastic(const char *id, double submit, double work, double deadline, int32_t most)
{
    orr_trace_job job = stage_job(id, submit, 1, work);
    job.max_gpus = most;
    job.deadline = deadline > 0 ? orr_time_from_seconds(deadline) : ORR_TIME_NONE;
    return job;
}

static orr_trace_job rigid(const char *id, double submit, int32_t gpus, double duration, double deadline)
{
    orr_trace_job job = stage_job(id, submit, gpus, duration);
    job.deadline = deadline > 0 ? orr_time_from_seconds(deadline) : ORR_TIME_NONE;
    return job;
}

static stage *begin(const char *cluster, const char *policy)
{
    stage *s = stage_create(cluster);
    s->options.policy = policy;
    return s;
}

static void rejected(const stage *s, const char *id)
{
    assert_int_equal(stage_of(s, id)->state, ORR_JOB_REJECTED);
}

typedef struct count_of {
    const char *reason;
    uint64_t count;
} count_of;

static void add_note(void *self, const char *reason, uint64_t count)
{
    count_of *c = self;
    if (strcmp(reason, c->reason) == 0)
        c->count += count;
}

static uint64_t noted(const stage *s, const char *reason)
{
    count_of c = {reason, 0};
    orr_sim_each_note(s->sim, add_note, &c);
    return c.count;
}

/* ---- by hand: slots of 10 s, four GPUs ---------------------------------------------------------------------------- */

/* A must do 40 GPU-s until 20: with one GPU it does 20, with two it does. B must do 20: one is enough. One GPU is left: A could only
 * use two more, B takes it, and is done at 10. Then A has 20 to go until 20; two GPUs do that, two are left, and A takes them.
 *
 *   A 2222222222 44444       done at 15
 *   B 2222222222             done at 10
 */
static void two_jobs(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s");
    stage_add(s, elastic("A", 0, 40, 20, 4));
    stage_add(s, elastic("B", 0, 20, 20, 4));
    stage_run(s);
    stage_held(s, "A", "0-10/2 resized, 10-15/4 done");
    stage_held(s, "B", "0-10/2 done");
    stage_destroy(s);
}

/* Besides those C could do 20 until 20 at most, but must do 21: rejected. D must do 20. Now all four GPUs are needed, and all is done just
 * in time. */
static void three_jobs_and_one_too_many(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s");
    stage_add(s, elastic("A", 0, 40, 20, 4));
    stage_add(s, elastic("B", 0, 20, 20, 4));
    stage_add(s, elastic("C", 0, 21, 20, 4));
    stage_add(s, elastic("D", 0, 20, 20, 4));
    stage_run(s);
    rejected(s, "C");
    stage_held(s, "A", "0-20/2 done");
    stage_held(s, "B", "0-20/1 done");
    stage_held(s, "D", "0-20/1 done");
    assert_int_equal(noted(s, "deadline-not-admitted"), 1);
    stage_destroy(s);
}

/* Two GPUs. At 5 A has 30 to do until 20, 30 is all there is: N, due sooner, would take 5 of it and is rejected, and so is M, due
 * later, as nothing is left for it. L comes at 5 too and has until 25, of which the last 5 s are free. */
static void nobody_is_pushed_out(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=2", "elasticflow,slot=10s");
    stage_add(s, elastic("A", 0, 40, 20, 2));
    stage_add(s, elastic("N", 5, 5, 10, 2));
    stage_add(s, elastic("M", 5, 1, 20, 2));
    stage_add(s, elastic("L", 5, 10, 25, 2));
    stage_run(s);
    rejected(s, "N");
    rejected(s, "M");
    stage_held(s, "A", "0-20/2 done");
    stage_held(s, "L", "20-25/2 done");
    stage_destroy(s);
}

/* R asks all four until 10. A must do 50 until 30: two GPUs in the two slots behind do 40, four do. It has four from 10 on. */
static void around_a_rigid_one(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s");
    stage_add(s, rigid("R", 0, 4, 10, 10));
    stage_add(s, elastic("A", 0, 50, 30, 4));
    stage_run(s);
    stage_held(s, "R", "0-10/4 done");
    stage_held(s, "A", "10-22.5/4 done");
    stage_destroy(s);
}

/* B has no deadline. A, due at 40, must do 40: one GPU. The first of the three others goes to B, which has none; of equal gains A's comes first,
 * so that A gets a second one. One is left, which nobody can use: both would need two more... B does: one more. */
static void best_effort_has_what_is_left(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s");
    stage_add(s, elastic("A", 0, 40, 40, 4));
    stage_add(s, elastic("B", 0, 30, 0, 4));
    stage_run(s);
    stage_held(s, "A", "0-15/2 resized, 15-17.5/4 done");
    stage_held(s, "B", "0-15/2 done");
    stage_destroy(s);
}

/* B runs on what is left and goes when D, which needs all GPUs, comes; it stays out until D is done. */
static void best_effort_gives_way(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s");
    stage_add(s, rigid("B", 0, 4, 30, 0));
    stage_add(s, rigid("D", 5, 4, 10, 17));
    stage_run(s);
    stage_held(s, "B", "0-5/4 preempted, 15-40/4 done");
    stage_held(s, "D", "5-15/4 done");
    stage_destroy(s);
}

/* A must not be preempted and runs until 30, D can't have its GPUs before 20: rejected. E can wait until 40. */
static void who_stays_is_planned_around(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s");
    orr_trace_job a = rigid("A", 0, 3, 30, 0);
    a.preemptible = false;
    stage_add(s, a);
    stage_add(s, rigid("D", 5, 2, 10, 25));
    stage_add(s, rigid("E", 5, 2, 10, 40));
    stage_run(s);
    rejected(s, "D");
    stage_held(s, "A", "0-30/3 done");
    stage_held(s, "E", "30-40/2 done");
    stage_destroy(s);
}

/* Without admission C is late, behind those in time, and A and B are as if it weren't there. */
static void without_admission(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=4", "elasticflow,slot=10s,admission=off");
    stage_add(s, rigid("A", 0, 2, 20, 20));
    stage_add(s, rigid("B", 0, 2, 20, 20));
    stage_add(s, rigid("C", 1, 2, 10, 15));
    stage_run(s);
    stage_ends(s, "A:20 B:20 C:30");
    stage_destroy(s);
}

/* Each start takes 5 s: 41 s of work are done in 46 s and not in 45. */
static void costs_are_planned(void **unused)
{
    (void)unused;
    stage *s = begin("nodes=1,gpus=1", "elasticflow,slot=10s,overhead=5s");
    s->options.costs = "start=5s,restore=5s,resize=5s";
    stage_add(s, elastic("A", 0, 41, 46, 1));
    stage_add(s, elastic("B", 50, 41, 95, 1));
    stage_run(s);
    stage_ends(s, "A:46");
    rejected(s, "B");
    stage_destroy(s);
}

/* ---- whoever is taken in is in time ------------------------------------------------------------------------------- */

typedef struct dice {
    uint64_t x;
} dice;

static int roll(dice *d, int below)
{
    d->x = orr_mix64(d->x + 1);
    return (int)((d->x >> 16) % (uint64_t)below);
}

static orr_trace_job random_job(dice *d, const char *id, bool smooth)
{
    const int32_t gang = 1 << roll(d, 4);
    orr_trace_job job = stage_job(id, roll(d, 300), gang, 1 + roll(d, 120));
    if (smooth)
        job.duration += roll(d, 1000000000);
    if (roll(d, 3)) {
        job.min_gpus = gang >> roll(d, 3);
        job.min_gpus = job.min_gpus > 0 ? job.min_gpus : 1;
        job.max_gpus = gang << roll(d, 3);
    }
    job.preemptible = roll(d, 12) > 0;
    if (roll(d, 5))
        job.deadline = job.submit + job.duration / 4 + roll(d, 200) * ORR_SECOND;
    return job;
}

typedef struct tally {
    int taken, rejected, moved;
} tally;

static void in_time(const stage *s, uint64_t seed, tally *t)
{
    const orr_trace_job *jobs = orr_trace_jobs(s->trace);
    for (size_t i = 0; i < orr_trace_count(s->trace); i++) {
        const stage_record *r = stage_of(s, jobs[i].id);
        if (jobs[i].deadline == ORR_TIME_NONE)
            continue;
        t->taken += r->state == ORR_JOB_DONE;
        t->rejected += r->state == ORR_JOB_REJECTED;
        t->moved += r->migrations;
        if (r->state == ORR_JOB_DONE && r->end > jobs[i].deadline)
            fail_msg("seed %llu: %s was taken in, due at %g and done at %.9f", (unsigned long long)seed, r->id,
                     orr_time_seconds(jobs[i].deadline), orr_time_seconds(r->end));
    }
    if (noted(s, "promise-lost"))
        fail_msg("seed %llu: a promise was lost", (unsigned long long)seed);
}

static void random_worlds(uint64_t count, const char *policy, const char *costs, tally *t)
{
    static const char *const clusters[] = {"nodes=1,gpus=8", "nodes=4,gpus=4", "nodes=2,gpus=8", "nodes=16,gpus=1"};
    for (uint64_t seed = 0; seed < count; seed++) {
        dice d = {seed * 104729};
        stage *s = begin(clusters[roll(&d, 4)], policy);
        char id[16];
        const int jobs = 3 + roll(&d, 12);
        s->options.costs = costs;
        for (int i = 0; i < jobs; i++) {
            snprintf(id, sizeof id, "j%d", i);
            stage_add(s, random_job(&d, id, seed % 2));
        }
        stage_run(s);
        stage_conserves(s);
        in_time(s, seed, t);
        stage_destroy(s);
    }
    assert_true(t->taken > (int)count && t->rejected > (int)count / 4);
}

static void taken_in_is_in_time(void **unused)
{
    (void)unused;
    tally t = {0, 0, 0};
    random_worlds(400, "elasticflow,slot=10s", NULL, &t);
    assert_true(t.moved > 0);
    random_worlds(200, "elasticflow,slot=7s,place=counts+first-fit", NULL, &t);
    random_worlds(400, "elasticflow,slot=100s", NULL, &t);
}

static void with_costs_that_are_known(void **unused)
{
    (void)unused;
    tally t = {0, 0, 0};
    random_worlds(300, "elasticflow,slot=10s,overhead=4s", "start=4s,restore=3s,resize=2s", &t);
    random_worlds(200, "elasticflow,slot=10s,overhead=4s,place=counts+first-fit", "start=4s,restore=4s,resize=4s", &t);
    random_worlds(200, "elasticflow,slot=100s,overhead=4s", "start=4s,restore=3s,resize=2s", &t);
}

/* ---- rigid jobs on one GPU ---------------------------------------------------------------------------------------- */

/* Jobs that are all there at 0 and whose times are whole slots: edf's admission by a plan takes in those of which each next one can be met
 * besides those before, and that is what these plans can do, too. */
static void rigid_jobs_at_once_are_as_with_edf(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 200; seed++) {
        stage *two[2];
        for (int k = 0; k < 2; k++) {
            dice d = {seed * 7907};
            char id[16];
            two[k] = begin("nodes=1,gpus=1", k ? "edf:admission" : "elasticflow,slot=1s");
            for (int i = 0; i < 8; i++) {
                snprintf(id, sizeof id, "j%d", i);
                const int work = 1 + roll(&d, 9);
                stage_add(two[k], rigid(id, 0, 1, work, work + roll(&d, 30)));
            }
            stage_run(two[k]);
        }
        for (size_t i = 0; i < two[0]->record_count; i++) {
            const stage_record *r = &two[0]->records[i];
            assert_int_equal(r->state, stage_of(two[1], r->id)->state);
        }
        stage_destroy(two[0]);
        stage_destroy(two[1]);
    }
}

/* ---- what a decision costs --------------------------------------------------------------------------------------- */

/* How often all were planned until then: 200 jobs that stay, ten that end and ten that come, all in one slot. */
static uint64_t planned_anew(double until)
{
    stage *s = begin("nodes=8,gpus=8", "elasticflow,slot=1h");
    char id[16];
    for (int i = 0; i < 220; i++) {
        const bool ends = i < 10, comes = i >= 210;
        const double due = i % 2 || ends ? 9e5 + i : 0;
        snprintf(id, sizeof id, "j%d", i);
        stage_add(s, elastic(id, comes ? 100 * (i - 200) : 0, ends ? 300 + i : 50000, due, ends ? 1 : 4));
    }
    s->options.until = orr_time_from_seconds(until);
    if (stage_try(s) != ORR_OK)
        fail_msg("%s", s->error.message);
    for (int i = 0; i < 10 && until > 1000; i++) {
        snprintf(id, sizeof id, "j%d", i);
        assert_int_equal(stage_of(s, id)->state, ORR_JOB_DONE);
    }
    const uint64_t count = noted(s, "all-planned");
    stage_destroy(s);
    return count;
}

/* Within a slot decisions are about those that come and those that get something. In the next one all are planned, once. */
static void cost_follows_change(void **unused)
{
    (void)unused;
    const uint64_t at_first = planned_anew(60);
    assert_true(at_first > 0);
    assert_int_equal(planned_anew(3599), at_first);
    assert_int_equal(planned_anew(3601), at_first + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_jobs),
        cmocka_unit_test(three_jobs_and_one_too_many),
        cmocka_unit_test(nobody_is_pushed_out),
        cmocka_unit_test(around_a_rigid_one),
        cmocka_unit_test(best_effort_has_what_is_left),
        cmocka_unit_test(best_effort_gives_way),
        cmocka_unit_test(who_stays_is_planned_around),
        cmocka_unit_test(without_admission),
        cmocka_unit_test(costs_are_planned),
        cmocka_unit_test(taken_in_is_in_time),
        cmocka_unit_test(with_costs_that_are_known),
        cmocka_unit_test(rigid_jobs_at_once_are_as_with_edf),
        cmocka_unit_test(cost_follows_change),
    };
    return cmocka_run_group_tests_name("elasticflow", tests, NULL, NULL);
}
