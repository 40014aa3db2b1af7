/* easy: the head's promise, what may pass it, and what early ends and overruns do to it. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* B, of 7 GPUs, is promised 10, when A ends; one GPU is left over even then. C (2 GPUs, 30 s) would delay B and waits;
 * D takes the one that is left over; E is gone by 10.
 *
 *   A 6666666666                                           0-10
 *   B  .........7777777777                                 10-20
 *   C   ..................222222222222222222222222222222   20-50
 *   D    111111111111111111111111111111                    3-33
 *   E     111111                                           4-10
 */
static void gpus_left_over_at_the_promise(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 6, .duration = 10},
                            {.id = "B", .submit = 1, .gpus = 7, .duration = 10},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 30},
                            {.id = "D", .submit = 3, .gpus = 1, .duration = 30},
                            {.id = "E", .submit = 4, .gpus = 1, .duration = 6}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "8", "easy");
    run *one_by_one = run_of(jobs, RUN_COUNT(jobs), "8", "easy,depth=9");
    run_starts(r, "A:0 B:10 C:20 D:3 E:4");
    run_starts(one_by_one, "A:0 B:10 C:20 D:3 E:4");
    run_free(r);
    run_free(one_by_one);
}

/* In one decision: D, gone by 8, takes nothing of the GPU that is left over then, so that E may have it; F, like E, may
 * not. A column is two seconds.
 *
 *   A 5555                      0-8
 *   B ....77777                 8-18
 *   D  111                      2-8
 *   E  111111111111111          2-32
 *   F  ........111111111111111  18-48
 */
static void what_is_gone_by_then_takes_nothing(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 5, .duration = 8},
                            {.id = "B", .submit = 1, .gpus = 7, .duration = 10},
                            {.id = "D", .submit = 2, .gpus = 1, .duration = 6},
                            {.id = "E", .submit = 2, .gpus = 1, .duration = 30},
                            {.id = "F", .submit = 2, .gpus = 1, .duration = 30}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "8", "easy");
    run *one_by_one = run_of(jobs, RUN_COUNT(jobs), "8", "easy,depth=9");
    run_starts(r, "B:8 D:2 E:2 F:18");
    run_starts(one_by_one, "B:8 D:2 E:2 F:18");
    run_free(r);
    run_free(one_by_one);
}

/* A said 20 s and takes 10. At 2 the promise is 20, so C (15 s) may start; at 10 B doesn't fit beside it and waits
 * until 17: not before A ended, but before the promise.
 *
 *   A 6666666666                    0-10
 *   B  ................7777777777   17-27
 *   C   222222222222222             2-17
 */
static void an_early_end(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 6, .duration = 10, .limit = 20},
                            {.id = "B", .submit = 1, .gpus = 7, .duration = 10, .limit = 10},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 15, .limit = 15}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "8", "easy~limit");
    run_ends(r, "A:10 B:27 C:17");
    run_free(r);
}

/* A said 10 s and takes 20. At 10 it is believed to take a second more (a tenth of 10 s), again and again: C (5 s)
 * comes at 8, waits, since it would end after the promise, and isn't let in later either.
 *
 *   A 66666666666666666666                  0-20
 *   B  ...................7777777777        20-30
 *   C         ......................22222   30-35
 */
static void an_overrun(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 6, .duration = 20, .limit = 10},
                            {.id = "B", .submit = 1, .gpus = 7, .duration = 10, .limit = 10},
                            {.id = "C", .submit = 8, .gpus = 2, .duration = 5, .limit = 5}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "8", "easy~limit");
    run_ends(r, "A:20 B:30 C:35");
    run_free(r);
}

/* Only the next `depth` jobs are looked at: E is the third behind B, and the second behind C once B runs.
 *
 *   A 6666666666                                           0-10
 *   B  .........7777777777                                 10-20
 *   C   ..................222222222222222222222222222222   20-50
 *   D    .................222222222222222222222222222222   20-50
 *   E     ......111111                                     10-16
 */
static void depth(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 6, .duration = 10},
                            {.id = "B", .submit = 1, .gpus = 7, .duration = 10},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 30},
                            {.id = "D", .submit = 3, .gpus = 2, .duration = 30},
                            {.id = "E", .submit = 4, .gpus = 1, .duration = 6}};
    run *two = run_of(jobs, RUN_COUNT(jobs), "8", "easy,depth=2");
    run *three = run_of(jobs, RUN_COUNT(jobs), "8", "easy,depth=3");
    run_starts(two, "B:10 C:20 D:20 E:10");
    run_starts(three, "B:10 C:20 D:20 E:4");
    run_free(two);
    run_free(three);
}

/* ---- the head never starts later than it was first promised (exact estimates, one node) ---- */

/* When all that came before it have started. */
static orr_time head_since(const run *r, size_t job)
{
    orr_time t = r->jobs[job].submit;
    for (size_t i = 0; i < job; i++)
        t = r->jobs[i].first_start > t ? r->jobs[i].first_start : t;
    return t;
}

/* GPUs at `at` by what ran at `seen`, the moment of the promise, and hadn't ended. */
static int32_t busy(const run *r, const small *s, size_t head, orr_time seen, orr_time at)
{
    int32_t gpus = 0;
    for (size_t i = 0; i < r->count; i++) {
        bool before = r->jobs[i].first_start < seen || (i < head && r->jobs[i].first_start == seen);
        if (before && r->jobs[i].end > at)
            gpus += s->jobs[i].gpus;
    }
    return gpus;
}

static orr_time promise(const run *r, const small *s, size_t head, int32_t all)
{
    orr_time seen = head_since(r, head), best = ORR_TIME_MAX;
    if (busy(r, s, head, seen, seen) + s->jobs[head].gpus <= all)
        return seen;
    for (size_t i = 0; i < r->count; i++) { /* room grows only when something ends */
        orr_time t = r->jobs[i].end;
        if (t > seen && t < best && busy(r, s, head, seen, t) + s->jobs[head].gpus <= all)
            best = t;
    }
    return best;
}

static void heads_keep_their_promise(void **state)
{
    (void)state;
    size_t waited = 0, passed = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 12, .gpus = 8, .span = 40, .work = 30});
        run *r = run_of(s.jobs, s.count, "8", seed % 2 ? "easy" : "easy,depth=4");
        for (size_t i = 0; i < r->count; i++) {
            orr_time promised = promise(r, &s, i, 8);
            if (r->jobs[i].first_start > promised) {
                run_print(r);
                fail_msg("seed %llu: %s was promised %g", (unsigned long long)seed, s.ids[i],
                         orr_time_seconds(promised));
            }
            waited += promised > r->jobs[i].submit;
            passed += i > 0 && r->jobs[i].first_start < r->jobs[i - 1].first_start;
        }
        run_free(r);
    }
    assert_true(waited > 1000 && passed > 500); /* the cases mean something */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_left_over_at_the_promise),
        cmocka_unit_test(what_is_gone_by_then_takes_nothing),
        cmocka_unit_test(an_early_end),
        cmocka_unit_test(an_overrun),
        cmocka_unit_test(depth),
        cmocka_unit_test(heads_keep_their_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
