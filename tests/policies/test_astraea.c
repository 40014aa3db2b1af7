/* astraea: leases, tenants by what they had, jobs by class; by hand. */
#include "run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One GPU, leases of 600 s. A and B are tenants: they take turns. At 600 A had all that both were entitled to.
 *
 *   A 0-600 1200-1500
 *   B 600-1200 1500-1800
 */
static void tenants_take_turns(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 900, .user = "a"},
                            {.id = "B", .gpus = 1, .duration = 900, .user = "b"}};
    run *r = run_of(jobs, 2, "1", "astraea");
    run_held(r, "A", "0-600@0:1 1200-1500@0:1");
    run_held(r, "B", "600-1200@0:1 1500-1800@0:1");
    run_free(r);
}

/* Inside a tenant by class: at 600 a0 had 600 of the 300 to which it was entitled, class 3 of 5; a1 none, class 0. At
 * 1200 both had what they were entitled to and are of class 2, so that the one that runs stays; at 1800 still, with 2/3
 * and 4/3. */
static void jobs_go_by_class(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a0", .gpus = 1, .duration = 1000, .user = "a"},
                            {.id = "a1", .gpus = 1, .duration = 1500, .user = "a"}};
    run *r = run_of(jobs, 2, "1", "astraea");
    run_held(r, "a0", "0-600@0:1 2100-2500@0:1");
    run_held(r, "a1", "600-2100@0:1");
    run_free(r);
    r = run_of(jobs, 2, "1", "astraea,classes=1"); /* one class: who runs stays */
    run_preempted(r, "");
    run_free(r);
}

/* GPUs that become idle within a lease go to the tenant that had least: c had none, though it came last. */
static void idle_gpus_are_handed_out_at_once(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a0", .gpus = 1, .duration = 100, .user = "a"},
                            {.id = "a1", .gpus = 1, .duration = 100, .user = "a"},
                            {.id = "c", .submit = 50, .gpus = 1, .duration = 100, .user = "c"}};
    run *r = run_of(jobs, 3, "1", "astraea");
    run_starts(r, "a0:0 c:100 a1:200");
    run_free(r);
}

/* Four GPUs. The gang of four finds no room between leases, and gets it when all are handed out anew: b had nothing. */
static void gangs_are_not_starved(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a0", .gpus = 1, .duration = 5000, .user = "a"},
                            {.id = "a1", .gpus = 1, .duration = 5000, .user = "a"},
                            {.id = "a2", .gpus = 1, .duration = 5000, .user = "a"},
                            {.id = "a3", .gpus = 1, .duration = 5000, .user = "a"},
                            {.id = "b", .submit = 10, .gpus = 4, .duration = 600, .user = "b"}};
    run *r = run_of(jobs, 5, "4", "astraea");
    run_starts(r, "b:600");
    run_ends(r, "b:1200 a0:5600");
    run_free(r);
}

/* Four GPUs; a wants one and has it. b and c are entitled to one and a half each and so to turns on the third.
 * Weighted, c is entitled to twice as much as b: two and one, and nobody takes turns. */
static void entitlements_follow_demand_and_weights(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "a", .gpus = 1, .duration = 6000, .user = "a"},
                            {.id = "b0", .gpus = 1, .duration = 4500, .user = "b"},
                            {.id = "b1", .gpus = 1, .duration = 4500, .user = "b"},
                            {.id = "c0", .gpus = 1, .duration = 4500, .user = "c"},
                            {.id = "c1", .gpus = 1, .duration = 4500, .user = "c"}};
    run *r = run_of(jobs, 5, "4", "astraea");
    run_ends(r, "a:6000");
    double b = 0, c = 0;
    for (size_t i = 0; i < r->hold_count; i++) {
        const run_hold *h = &r->holds[i];
        const double until = fmin((double)h->end / 1e9, 4800), s = fmax(until - (double)h->start / 1e9, 0);
        b += r->jobs[h->job].id[0] == 'b' ? s : 0;
        c += r->jobs[h->job].id[0] == 'c' ? s : 0;
    }
    assert_true(fabs(b - c) <= 600);
    run_free(r);
    r = run_of(jobs, 5, "4", "astraea,weights=c:2");
    run_ends(r, "c0:4500 c1:4500");
    run_free(r);
}

/* Seen at `at`: GPU-seconds of the jobs of a user, by the first letter of their names. */
static double had(const run *r, char user, double at)
{
    double sum = 0;
    for (size_t i = 0; i < r->hold_count; i++) {
        const run_hold *h = &r->holds[i];
        if (r->jobs[h->job].id[0] == user)
            sum += h->gpus * fmax(fmin((double)h->end / 1e9, at) - (double)h->start / 1e9, 0);
    }
    return sum;
}

/* Eight GPUs. x comes first with eight jobs, y an hour later with one gang of eight, z with gangs of two: all want all.
 * Their GPU time by entitlement becomes equal: it is never a lease apart by more than the GPUs, and the ratio goes to
 * 1. */
static void equal_demand_means_equal_time(void **state)
{
    (void)state;
    run_job jobs[13] = {{.id = "y", .submit = 3600, .gpus = 8, .duration = 40000, .user = "y"}};
    static char ids[13][4];
    for (int i = 1; i < 13; i++) {
        const bool x = i <= 8;
        snprintf(ids[i], sizeof ids[i], "%c%d", x ? 'x' : 'z', i % 10);
        jobs[i] = (run_job){
            .id = ids[i], .submit = x ? 0 : 3600, .gpus = x ? 1 : 2, .duration = 40000, .user = x ? "x" : "z"};
    }
    run *r = run_of(jobs, 13, "8", "astraea");
    double last = INFINITY;
    for (double at = 3600 + 6 * 3600; at <= 86400; at += 6 * 3600) {
        const double due = 8 * (at - 3600) / 3, x = had(r, 'x', at) / (due + 8 * 3600), y = had(r, 'y', at) / due,
                     z = had(r, 'z', at) / due;
        const double ratio = fmax(x, fmax(y, z)) / fmin(x, fmin(y, z));
        assert_true(ratio <= last && ratio < 1 + 2 * 8 * 600 / due);
        last = ratio + 1e-3;
    }
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tenants_take_turns),
        cmocka_unit_test(jobs_go_by_class),
        cmocka_unit_test(idle_gpus_are_handed_out_at_once),
        cmocka_unit_test(gangs_are_not_starved),
        cmocka_unit_test(entitlements_follow_demand_and_weights),
        cmocka_unit_test(equal_demand_means_equal_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
