/* edf: deadlines, preemption, admission; and no miss on one GPU whenever none is possible. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const run_job of_two[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 30},
                                 {.id = "B", .submit = 2, .gpus = 1, .duration = 4, .deadline = 8}};

/* B is due at 8.
 *
 *   A 11....11111111   0-2 6-14  preempted once
 *   B   1111           2-6
 */
static void the_earlier_deadline_preempts(void **state)
{
    (void)state;
    run *r = run_of(of_two, 2, "1", "edf");
    run_held(r, "A", "0-2@0:1 6-14@0:1");
    run_held(r, "B", "2-6@0:1");
    run_free(r);
}

/* B misses.
 *
 *   A 1111111111       0-10
 *   B   ........1111   10-14
 */
static void or_waits(void **state)
{
    (void)state;
    run *r = run_of(of_two, 2, "1", "edf,preempt=off");
    run_ends(r, "A:10 B:14");
    run_free(r);
}

/* A's deadline passes at 4: from then on it stands behind B, which comes at 5 and can still be in time, but before C,
 * which has none.
 *
 *   A 11111....11111     0-5 9-14  preempted once
 *   B      1111          5-9
 *   C       ........11   14-16
 */
static void a_missed_deadline_is_given_up(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 4},
                            {.id = "B", .submit = 5, .gpus = 1, .duration = 4, .deadline = 30},
                            {.id = "C", .submit = 6, .gpus = 1, .duration = 2}};
    run *r = run_of(jobs, 3, "1", "edf");
    run_held(r, "A", "0-5@0:1 9-14@0:1");
    run_held(r, "B", "5-9@0:1");
    run_held(r, "C", "14-16@0:1");
    run_free(r);
}

/* The instant of passing counts: B (due at 12) waits behind A (due at 6) until 6, and runs from there on, not from A's
 * end.
 *
 *   A 111111....1111   0-6 10-14  preempted once
 *   B  .....1111       6-10
 */
static void at_the_very_instant(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 6},
                            {.id = "B", .submit = 1, .gpus = 1, .duration = 4, .deadline = 12}};
    run *r = run_of(jobs, 2, "1", "edf");
    run_held(r, "A", "0-6@0:1 10-14@0:1");
    run_held(r, "B", "6-10@0:1");
    run_free(r);
}

/* ---- admission ---- */

static void rejected(const run *r, const char *id, bool expected)
{
    if ((run_job_of(r, id)->state == ORR_JOB_REJECTED) != expected)
        fail_msg("%s is %s", id, orr_job_state_name(run_job_of(r, id)->state));
}

/* One GPU, all due at 12. 10 + 5 s don't fit into 12: B is rejected. 10 + 2 do: C is taken.
 *
 *   A 1111111111     0-10
 *   C ..........11   10-12
 */
static void admission_by_demand(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 12},
                            {.id = "B", .gpus = 1, .duration = 5, .deadline = 12},
                            {.id = "C", .gpus = 1, .duration = 2, .deadline = 12}};
    run *r = run_of(jobs, 3, "1", "edf,admission=demand");
    rejected(r, "A", false);
    rejected(r, "B", true);
    rejected(r, "C", false);
    run_ends(r, "A:10 C:12");
    assert_int_equal(run_note(r, "deadline-not-admitted"), 1);
    run_free(r);
}

/* Two GPUs, both due at 10: 10 + 10 GPU-s are just the demand of 20, so B is taken. But A needs both GPUs at once, B
 * one for 10 s: no plan by deadlines meets both, and B is late. `plan` rejects it.
 *
 *   A 22222             0-5
 *   B .....1111111111   5-15
 */
static void admission_by_plan(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 5, .deadline = 10},
                            {.id = "B", .gpus = 1, .duration = 10, .deadline = 10}};
    run *demand = run_of(jobs, 2, "2", "edf,admission=demand"), *plan = run_of(jobs, 2, "2", "edf:admission");
    rejected(demand, "B", false);
    run_ends(demand, "A:5 B:15");
    rejected(plan, "A", false);
    rejected(plan, "B", true);
    run_free(demand);
    run_free(plan);
}

/* What already runs counts with what is left of it: at 6 A has 4 s to go, so B (5 s, due at 16) just fits behind A (due
 * at 12) and C (6 s, due at 20) doesn't fit behind both.
 *
 *   A 1111111111        0-10
 *   B       ....11111   10-15
 */
static void admission_sees_progress(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 12},
                            {.id = "B", .submit = 6, .gpus = 1, .duration = 5, .deadline = 16},
                            {.id = "C", .submit = 6, .gpus = 1, .duration = 6, .deadline = 20}};
    run *r = run_of(jobs, 3, "1", "edf:admission");
    rejected(r, "B", false);
    rejected(r, "C", true);
    run_ends(r, "A:10 B:15");
    run_free(r);
}

/* Without preemption A keeps its GPU until 10: B, due at 16, fits behind it, and C, due at 9, doesn't; with it, C
 * would.
 *
 *   A 1111111111        0-10
 *   B   ........11111   10-15
 */
static void admission_knows_who_stays(void **state)
{
    (void)state;
    const run_job fits[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 20},
                            {.id = "B", .submit = 2, .gpus = 1, .duration = 5, .deadline = 16}};
    const run_job urgent[] = {{.id = "A", .gpus = 1, .duration = 10, .deadline = 20},
                              {.id = "C", .submit = 2, .gpus = 1, .duration = 5, .deadline = 9}};
    run *b = run_of(fits, 2, "1", "edf,admission=plan,preempt=off");
    run *c = run_of(urgent, 2, "1", "edf,admission=plan,preempt=off");
    run *over = run_of(urgent, 2, "1", "edf,admission=plan");
    run_ends(b, "A:10 B:15");
    rejected(c, "C", true);
    rejected(over, "C", false);
    run_ends(over, "A:15 C:7");
    run_free(b);
    run_free(c);
    run_free(over);
}

/* ---- one GPU: a set is feasible if and only if edf misses nothing ---- */

/* Processor demand: between any submission and any deadline, what is submitted and due in between must fit. */
static bool feasible(const small *s)
{
    for (size_t a = 0; a < s->count; a++) {
        for (size_t d = 0; d < s->count; d++) {
            double from = s->jobs[a].submit, to = s->jobs[d].deadline, demand = 0;
            for (size_t i = 0; i < s->count; i++)
                if (s->jobs[i].submit >= from && s->jobs[i].deadline <= to)
                    demand += s->jobs[i].duration;
            if (demand > to - from && to > from)
                return false;
        }
    }
    return true;
}

static size_t missed(const run *r, const small *s)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++)
        n += r->jobs[i].state != ORR_JOB_REJECTED && orr_time_seconds(r->jobs[i].end) > s->jobs[i].deadline;
    return n;
}

static void make_with_deadlines(small *s, uint64_t seed)
{
    small_make(s, seed, (small_shape){.count = 3 + seed % 6, .gpus = 1, .span = 30, .work = 9});
    for (size_t i = 0; i < s->count; i++)
        s->jobs[i].deadline = s->jobs[i].submit + s->jobs[i].duration + (double)small_below(s, 25);
}

static void optimal_on_one_gpu(void **state)
{
    (void)state;
    size_t possible = 0, impossible = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        small s;
        make_with_deadlines(&s, seed);
        run *r = run_of(s.jobs, s.count, "1", "edf");
        bool can = feasible(&s);
        if (can != (missed(r, &s) == 0)) {
            run_print(r);
            fail_msg("seed %llu: %s, but %zu missed", (unsigned long long)seed, can ? "feasible" : "infeasible",
                     missed(r, &s));
        }
        possible += can;
        impossible += !can;
        run_free(r);
    }
    assert_true(possible > 100 && impossible > 100);
}

/* On one GPU, whoever is let in by either test is in time; and nobody is turned away from a feasible set. */
static void admitted_jobs_are_in_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        small s;
        make_with_deadlines(&s, seed);
        for (int plan = 0; plan < 2; plan++) {
            run *r = run_of(s.jobs, s.count, "1", plan ? "edf,admission=plan" : "edf,admission=demand");
            assert_int_equal(missed(r, &s), 0);
            if (feasible(&s))
                assert_int_equal(r->counts.rejected, 0);
            run_free(r);
        }
    }
}

/* Without a deadline anywhere it is refused by name. */
static void needs_deadlines(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 1}};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *cluster = run_cluster("1");
    run *r = run_try(trace, cluster, "edf", NULL);
    assert_int_equal(r->code, ORR_E_CAPABILITY);
    assert_non_null(strstr(r->error.message, "DEADLINE"));
    run_free(r);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earlier_deadline_preempts),
        cmocka_unit_test(or_waits),
        cmocka_unit_test(a_missed_deadline_is_given_up),
        cmocka_unit_test(at_the_very_instant),
        cmocka_unit_test(admission_by_demand),
        cmocka_unit_test(admission_by_plan),
        cmocka_unit_test(admission_sees_progress),
        cmocka_unit_test(admission_knows_who_stays),
        cmocka_unit_test(optimal_on_one_gpu),
        cmocka_unit_test(admitted_jobs_are_in_time),
        cmocka_unit_test(needs_deadlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
