/* edl: by hand, and against tiresias where jobs can't be resized. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Nobody waits, so that A has all four at once. B comes at 2 and asks two: A gives back the two that it didn't ask. B
 * is done at 5, and A grows again.
 *
 *   A 44222444  0-8, 26 GPU-s
 *   B   222     2-5 */
static void idle_gpus_are_lent(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 13, .min_gpus = 1, .max_gpus = 4},
                            {.id = "B", .submit = 2, .gpus = 2, .duration = 3}};
    run *r = run_of(jobs, 2, "4", "edl");
    run_held(r, "A", "0-2@0:4 2-5@0:2 5-8@0:4");
    run_held(r, "B", "2-5@0:2");
    run_preempted(r, "");
    run_free(r);
}

/* B and C wait, one more than may; A, in the last queue, has passed 4 GPU-s. It shrinks to one GPU, where a GPU brings
 * as much as anywhere, and lets B in; C waits for its end. */
static void many_that_wait_compact(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 4, .duration = 5, .min_gpus = 1, .max_gpus = 4},
                            {.id = "B", .submit = 2, .gpus = 3, .duration = 4, .pinned = true},
                            {.id = "C", .submit = 2, .gpus = 3, .duration = 1}};
    run *r = run_of(jobs, 3, "4", "edl,pending=1,thresholds=1000,compact=best");
    run_held(r, "A", "0-2@0:4 2-7@0:1 7-8.75@0:4");
    run_held(r, "B", "2-6@0:3");
    run_held(r, "C", "6-7@0:3");
    run_free(r);
    r = run_of(jobs, 3, "4", "edl,pending=2,thresholds=1000,compact=best");
    run_starts(r, "A:0 B:5 C:9");
    run_free(r);
}

static void rigid_jobs_are_tiresias(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 3 + seed % 20, .gpus = 5, .span = 60, .work = 40});
        run *a = run_of(s.jobs, s.count, "5 5", "edl,thresholds=20/60"), *b = run_of(s.jobs, s.count, "5 5", "tiresias,thresholds=20/60");
        for (size_t i = 0; i < s.count; i++)
            assert_true(a->jobs[i].end == b->jobs[i].end && a->jobs[i].preemptions == b->jobs[i].preemptions);
        run_free(a);
        run_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_gpus_are_lent),
        cmocka_unit_test(many_that_wait_compact),
        cmocka_unit_test(rigid_jobs_are_tiresias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
