/* las: the least attained service runs, in two dimensions, and looks again every quantum. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* B has nothing yet: it displaces A at once.
 *
 *   A 111....1111111   0-3 7-14  preempted once
 *   B    1111          3-7
 */
static void a_new_job_displaces(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 10}, {.id = "B", .submit = 3, .gpus = 1, .duration = 4}};
    run *r = run_of(jobs, 2, "1", "las");
    run_ends(r, "A:14 B:7");
    run_preempted(r, "A:1");
    run_free(r);
}

/* Two dimensions: at 2 A has 4 GPU-s. B (1 GPU) overtakes at 6, when both have 4, and is seen to at 7; from then on
 * they change whenever the other has less, with a look every second.
 *
 *   A 22.....2..222   0-2 7-8 10-13  preempted 2 times
 *   B   11111.11      2-7 8-10  preempted once
 */
static void service_counts_gpus(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 6}, {.id = "B", .submit = 2, .gpus = 1, .duration = 7}};
    run *r = run_of(jobs, 2, "2", "las,quantum=1");
    run_held(r, "A", "0-2@0:2 7-8@0:2 10-13@0:2");
    run_held(r, "B", "2-7@0:1 8-10@0:1");
    run_free(r);
}

/* Two equal jobs take turns. At an even score whoever runs stays, so a turn is two quanta long (a column is 5 s).
 *
 *   A 11....1111....11   0-10 30-50 70-80  preempted 2 times
 *   B ..1111....1111     10-30 50-70  preempted once
 */
static void equal_jobs_take_turns(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 40}, {.id = "B", .gpus = 1, .duration = 40}};
    run *r = run_of(jobs, 2, "1", "las,quantum=10");
    run_held(r, "A", "0-10@0:1 30-50@0:1 70-80@0:1");
    run_held(r, "B", "10-30@0:1 50-70@0:1");
    run_free(r);
}

/* By default it looks once a minute while somebody waits. B has its turn at 60, and at 120, the score being even,
 * stays; it ends before the next look. A column is 10 s.
 *
 *   A 111111..........1111   0-60 160-200
 *   B ......1111111111       60-160
 */
static void a_look_every_minute(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 100}, {.id = "B", .gpus = 1, .duration = 100}};
    run *r = run_of(jobs, 2, "1", "las");
    run_held(r, "A", "0-60@0:1 160-200@0:1");
    run_held(r, "B", "60-160@0:1");
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_job_displaces),
        cmocka_unit_test(service_counts_gpus),
        cmocka_unit_test(equal_jobs_take_turns),
        cmocka_unit_test(a_look_every_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
