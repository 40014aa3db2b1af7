/* allox of the public Gavel simulator, job by job: every end to the millisecond, every job's rounds on every GPU
 * type. */
#include "compare.h"
#include "gavel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define OURS ORR_TEST_DATA_DIR "/golden/ours/gavel-60/"

static void compare(const char *label, const gavel_case *c, const char *expected)
{
    table *t = table_read(expected);
    gavel_run *r = gavel_go(c, "allox:gavel");
    assert_int_equal(gavel_differ(label, r, t), 0);
    golden_ran(label);
    gavel_free(r);
    table_free(t);
}

static void sixty_jobs_on_eighteen_gpus(void **state)
{
    (void)state;
    const gavel_case c = {.jobs = OURS "single.jobs.csv", .table = OURS "throughputs.csv", .gpus = {4, 6, 8}};
    compare("gavel-60 allox", &c, OURS "single.allox.csv");
}

/* More than 300 jobs, of which a window is measured: the run stopped when these were done. */
static void generated_jobs_on_twelve_gpus(void **state)
{
    (void)state;
    static const char label[] = "gavel gen_single_l6000_seed0_4-4-4 allox";
    gavel_case c = {.gpus = {4, 4, 4}};
    char expected[1024];
    if (!run_shared(c.jobs, "golden/gavel/sim/gen_single_l6000_seed0_4-4-4/fifo.jobs.csv.gz") ||
        !run_shared(c.table, "data/gavel/simulation_throughputs.json.gz") ||
        !run_shared(expected, "golden/gavel/sim/gen_single_l6000_seed0_4-4-4/allox.jobs.csv.gz")) {
        golden_skipped(label, "not here");
        return;
    }
    compare(label, &c, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixty_jobs_on_eighteen_gpus),
        cmocka_unit_test(generated_jobs_on_twelve_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
