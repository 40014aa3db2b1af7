/* srtf and srsf: preemption by what is left, and the optimum on one GPU. */
#include "small.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const run_job wide_and_long[] = {{.id = "A", .gpus = 4, .duration = 10},
                                        {.id = "B", .submit = 2, .gpus = 1, .duration = 30}};

/* At 2 A has 8 s left, B 30.
 *
 *   A 4444444444                                 0-10
 *   B   ........111111111111111111111111111111   10-40
 */
static void srtf_compares_time(void **state)
{
    (void)state;
    run *r = run_of(wide_and_long, 2, "4", "srtf");
    run_ends(r, "A:10 B:40");
    run_preempted(r, "");
    run_free(r);
}

/* At 2 A has 32 GPU-s left, B 30.
 *
 *   A 44..............................44444444   0-2 32-40  preempted once
 *   B   111111111111111111111111111111           2-32
 */
static void srsf_compares_gpu_time(void **state)
{
    (void)state;
    run *r = run_of(wide_and_long, 2, "4", "srsf");
    run_ends(r, "A:40 B:32");
    run_preempted(r, "A:1");
    run_free(r);
}

/* C (2 s, both GPUs) goes first, so that B, shorter than A, doesn't fit and waits too.
 *
 *   A 2.....22222   0-1 6-11  preempted once
 *   B  ..111        3-6
 *   C  22           1-3
 */
static void whoever_does_not_fit_is_skipped(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 6},
                            {.id = "B", .submit = 1, .gpus = 1, .duration = 3},
                            {.id = "C", .submit = 1, .gpus = 2, .duration = 2}};
    run *r = run_of(jobs, 3, "2", "srtf");
    run_held(r, "A", "0-1@0:2 6-11@0:2");
    run_held(r, "B", "3-6@0:1");
    run_held(r, "C", "1-3@0:2");
    run_free(r);
}

/* A job that must not be preempted isn't. */
static void a_pinned_job_stays(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 10, .pinned = true},
                            {.id = "B", .submit = 1, .gpus = 1, .duration = 1}};
    run *r = run_of(jobs, 2, "1", "srtf");
    run_ends(r, "A:10 B:11");
    run_free(r);
}

/* ---- brute force on one GPU ----
 *
 * With preemption at whole seconds a schedule says who runs in each second. Among those, some optimal one gives the
 * GPU, at each second, to the first job of a fixed priority list that is there and unfinished (swap two jobs' seconds
 * so that the one that ends first runs first). So the best of all permutations as priority lists is the optimum. */

typedef struct search {
    const small *s;
    int order[8];
    bool used[8];
    double best; /* sum of ends */
} search;

static double sum_of_ends(const search *b)
{
    double left[8], sum = 0;
    size_t n = b->s->count, done = 0;
    for (size_t i = 0; i < n; i++)
        left[i] = b->s->jobs[i].duration;
    for (double t = 0; done < n; t++) {
        for (size_t k = 0; k < n; k++) {
            int j = b->order[k];
            if (b->s->jobs[j].submit > t || left[j] == 0)
                continue;
            if (--left[j] == 0) {
                sum += t + 1;
                done++;
            }
            break;
        }
    }
    return sum;
}

static void all_orders(search *b, size_t depth)
{
    if (depth == b->s->count) {
        double sum = sum_of_ends(b);
        b->best = sum < b->best ? sum : b->best;
        return;
    }
    for (int j = 0; j < (int)b->s->count; j++) {
        if (b->used[j])
            continue;
        b->used[j] = true;
        b->order[depth] = j;
        all_orders(b, depth + 1);
        b->used[j] = false;
    }
}

static void the_optimum_on_one_gpu(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 1 + seed % 6, .gpus = 1, .span = 12, .work = 9});
        search b = {.s = &s, .best = 1e9};
        all_orders(&b, 0);
        run *r = run_of(s.jobs, s.count, "1", "srtf");
        double sum = 0;
        for (size_t i = 0; i < r->count; i++)
            sum += orr_time_seconds(r->jobs[i].end);
        if (sum != b.best) {
            run_print(r);
            fail_msg("seed %llu: the ends sum to %g, the optimum is %g", (unsigned long long)seed, sum, b.best);
        }
        run_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srtf_compares_time),
        cmocka_unit_test(srsf_compares_gpu_time),
        cmocka_unit_test(whoever_does_not_fit_is_skipped),
        cmocka_unit_test(a_pinned_job_stays),
        cmocka_unit_test(the_optimum_on_one_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
