/* afs: by hand, and against srtf where jobs can't be resized. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Speeds are as GPUs. Both have nothing: A, the shorter one. A would gain 1/1 by a second, B owes all of 1 to its
 * first: not more, so A. A would gain 1/2 then: B. B would owe 1/2 to a second and A gain 1/2: A. At 3 A is done, and
 * B, 9 s of it left, has all four.
 *
 *   A 333      0-3
 *   B 111444   0-5.25 */
static void gpus_go_where_they_count(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 9, .min_gpus = 1, .max_gpus = 4},
                            {.id = "B", .gpus = 1, .duration = 12, .min_gpus = 1, .max_gpus = 4}};
    run *r = run_of(jobs, 2, "4", "afs");
    run_ends(r, "A:3 B:5.25");
    run_held(r, "A", "0-3@0:3");
    run_held(r, "B", "0-3@0:1 3-5.25@0:4");
    assert_int_equal(r->used[ORR_Q_SCALING], ORR_KNOW_PROFILED);
    assert_int_equal(r->used[ORR_Q_SERVICE], ORR_KNOW_NONE);
    run_free(r);
}

/* C, the shortest, comes at 2 and can't have less than two. A (6 left on 3) is longer than C would be; A and B have
 * nothing again: first C with 2, then A, then B. A has 1 until C is done at 3, when it has 5 left, B 9. */
static void an_arrival_is_let_in(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 12, .min_gpus = 1, .max_gpus = 4},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 1}};
    run *r = run_of(jobs, 2, "4", "afs");
    run_held(r, "A", "0-2@0:4 2-3@0:2 3-3.5@0:4");
    run_held(r, "C", "2-3@0:2");
    run_preempted(r, "");
    run_free(r);
}

/* Unknown length. A's service passes 4 GPU-s at 2; then B, who waits behind A's gang of two, comes first, and A, now
 * below, gets what is left: nothing. B passes 4 at 4: both are below, A came first.
 *
 *   A 22..222    0-2 4-7
 *   B ..22...22  2-4 7-9 */
static void unknown_length_by_service(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 5}, {.id = "B", .submit = 1, .gpus = 2, .duration = 4}};
    run *r = run_of(jobs, 2, "2", "afs:p,thresholds=4");
    run_held(r, "A", "0-2@0:2 4-7@0:2");
    run_held(r, "B", "2-4@0:2 7-9@0:2");
    assert_int_equal(r->used[ORR_Q_DURATION], ORR_KNOW_NONE);
    run_free(r);
}

/* Jobs that can't be resized: the shortest first that fit. */
static void rigid_jobs_are_srtfs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 3 + seed % 20, .gpus = 5, .span = 60, .work = 40});
        for (size_t i = 0; i < s.count; i++)
            s.jobs[i].duration += 0.0137 * (double)(i + 1); /* no two are ever equal */
        run *a = run_of(s.jobs, s.count, "8", "afs"), *b = run_of(s.jobs, s.count, "8", "srtf,admit=count");
        for (size_t i = 0; i < s.count; i++)
            if (a->jobs[i].end != b->jobs[i].end || a->jobs[i].preemptions != b->jobs[i].preemptions) {
                run_print(a);
                run_print(b);
                fail_msg("seed %llu: %s differs", (unsigned long long)seed, s.ids[i]);
            }
        run_free(a);
        run_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_go_where_they_count),
        cmocka_unit_test(an_arrival_is_let_in),
        cmocka_unit_test(unknown_length_by_service),
        cmocka_unit_test(rigid_jobs_are_srtfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
