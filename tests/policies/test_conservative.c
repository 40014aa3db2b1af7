/* conservative: everyone is promised a start at arrival, and with exact estimates on one node everyone gets it. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* B is promised 20, as A says; C, gone by 14, may start at 2. A ends at 10: B, which can't start beside C,
 * moves up to 14.
 *
 *   A 3333333333            0-10
 *   B  .............44444   14-19
 *   C   111111111111        2-14
 */
static void an_early_end_brings_promises_forward(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10, .limit = 20},
                            {.id = "B", .submit = 1, .gpus = 4, .duration = 5, .limit = 5},
                            {.id = "C", .submit = 2, .gpus = 1, .duration = 12, .limit = 12}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "4", "conservative~limit");
    run_ends(r, "A:10 B:19 C:14");
    run_free(r);
}

/* Promised 20, 2 and 14 as A says. A ends at 10: B may move to 19, when D is promised to have ended; D moves to 10, and that
 * lets B move again. A plan made anew at 10 would have put D behind B, at 19: later than it was promised.
 *
 *   A 3333333333             0-10
 *   B  ..............44444   15-20
 *   C   111111111111         2-14
 *   D    .......11111        10-15
 */
static void an_early_end_moves_nobody_back(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10, .limit = 20},
                            {.id = "B", .submit = 1, .gpus = 4, .duration = 5, .limit = 5},
                            {.id = "C", .submit = 2, .gpus = 1, .duration = 12, .limit = 12},
                            {.id = "D", .submit = 3, .gpus = 1, .duration = 5, .limit = 5}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "4", "conservative~limit");
    run_ends(r, "A:10 B:20 C:14 D:15");
    run_free(r);
}

/* At 3 there is a GPU for D, and one is left over beside B: but C, promised 15, needs all four.
 *
 *   A 2222222222                                 0-10
 *   B  .........33333                            10-15
 *   C   .............44444                       15-20
 *   D    .................11111111111111111111   20-40
 *
 * easy promises B alone, so that D delays C:
 *
 *   A 2222222222                     0-10
 *   B  .........33333                10-15
 *   C   .....................44444   23-28
 *   D    11111111111111111111        3-23
 */
static void a_promise_for_everyone(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 10},
                            {.id = "B", .submit = 1, .gpus = 3, .duration = 5},
                            {.id = "C", .submit = 2, .gpus = 4, .duration = 5},
                            {.id = "D", .submit = 3, .gpus = 1, .duration = 20}};
    run *conservative = run_of(jobs, RUN_COUNT(jobs), "4", "conservative");
    run *easy = run_of(jobs, RUN_COUNT(jobs), "4", "easy");
    run_starts(conservative, "B:10 C:15 D:20");
    run_starts(easy, "B:10 C:23 D:3");
    run_free(conservative);
    run_free(easy);
}

/* ---- replayed: promises by brute force, in the order of submission ---- */

typedef struct promises {
    const small *s;
    double start[SMALL_MAX];
} promises;

static int32_t promised_at(const promises *p, size_t count, double t)
{
    int32_t gpus = 0;
    for (size_t i = 0; i < count; i++)
        if (p->start[i] <= t && t < p->start[i] + p->s->jobs[i].duration)
            gpus += p->s->jobs[i].gpus;
    return gpus;
}

/* All times are whole seconds: the first second from which it fits to its end. */
static double first_hole(const promises *p, size_t job, int32_t all)
{
    const run_job *j = &p->s->jobs[job];
    double from = j->submit;
    for (double t = from; t < from + j->duration; t++)
        if (promised_at(p, job, t) + j->gpus > all)
            from = t + 1;
    return from;
}

static void everyone_gets_what_was_promised(void **state)
{
    (void)state;
    size_t waited = 0, passed = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 12, .gpus = 8, .span = 40, .work = 30});
        promises p = {.s = &s};
        run *r = run_of(s.jobs, s.count, "8", "conservative");
        for (size_t i = 0; i < r->count; i++) {
            p.start[i] = first_hole(&p, i, 8);
            double start = orr_time_seconds(r->jobs[i].first_start);
            if (start != p.start[i]) {
                run_print(r);
                fail_msg("seed %llu: %s starts at %g, was promised %g", (unsigned long long)seed, s.ids[i], start,
                         p.start[i]);
            }
            waited += start > s.jobs[i].submit;
            passed += i > 0 && start < p.start[i - 1];
        }
        run_free(r);
    }
    assert_true(waited > 1000 && passed > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_early_end_brings_promises_forward),
        cmocka_unit_test(an_early_end_moves_nobody_back),
        cmocka_unit_test(a_promise_for_everyone),
        cmocka_unit_test(everyone_gets_what_was_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
