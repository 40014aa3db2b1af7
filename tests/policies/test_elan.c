/* elan: by hand, and against fifo and easy where jobs can't be resized. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* A has all four until B comes, which takes its least number, two, from it; C asks four and blocks. At 4 A (8 GPU-s)
 * is done and B grows; at 6 it is done.
 *
 *   A 4422      0-4
 *   B   2244    2-6 (12 GPU-s)
 *   C     ..444 6-9
 *   D     ...   9-10, behind C */
static const run_job four[] = {{.id = "A", .gpus = 2, .duration = 6, .min_gpus = 1, .max_gpus = 4},
                               {.id = "B", .submit = 2, .gpus = 2, .duration = 6, .min_gpus = 2, .max_gpus = 4},
                               {.id = "C", .submit = 3, .gpus = 4, .duration = 3},
                               {.id = "D", .submit = 3, .gpus = 1, .duration = 1}};

static void jobs_start_small_and_grow(void **state)
{
    (void)state;
    run *r = run_of(four, 4, "4", "elan");
    run_held(r, "A", "0-2@0:4 2-4@0:2");
    run_held(r, "B", "2-4@0:2 4-6@0:4");
    run_held(r, "C", "6-9@0:4");
    run_held(r, "D", "9-10@0:1");
    run_preempted(r, "");
    run_free(r);
}

/* D passes C: on their least numbers A (4 GPU-s left on one) and B (10 on two) end at 7 and 8, and D at 4. A gives it
 * one of its two. */
static void backfill_lets_pass(void **state)
{
    (void)state;
    run *r = run_of(four, 4, "4", "elan:backfill");
    run_held(r, "D", "3-4@0:1");
    run_held(r, "A", "0-2@0:4 2-3@0:2 3-4@0:1 4-4.5@0:2");
    run_free(r);
}

static void same(const small *s, const char *cluster, const char *policy, const char *as)
{
    run *a = run_of(s->jobs, s->count, cluster, policy), *b = run_of(s->jobs, s->count, cluster, as);
    for (size_t i = 0; i < s->count; i++)
        if (a->jobs[i].end != b->jobs[i].end || a->jobs[i].first_start != b->jobs[i].first_start) {
            run_print(a);
            run_print(b);
            fail_msg("%s and %s differ in %s", policy, as, s->ids[i]);
        }
    run_free(a);
    run_free(b);
}

/* On several nodes, too: a head that finds no shape blocks. Promises are counts, so that easy is compared on one node. */
static void rigid_jobs_are_fifos(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 3 + seed % 20, .gpus = 5, .span = 60, .work = 40});
        same(&s, "5 5", "elan", "fifo");
        same(&s, "8", "elan,queue=skip", "fifo,hol=skip");
        same(&s, "8", "elan:backfill", "easy");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_start_small_and_grow),
        cmocka_unit_test(backfill_lets_pass),
        cmocka_unit_test(rigid_jobs_are_fifos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
