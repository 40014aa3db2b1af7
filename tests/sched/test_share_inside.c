/* Which of many optima rounds by shares take under `sim`: the centre of all of them, and traces of what should be 0. */
#include "sched/share_rounds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double x, double y, double within)
{
    if (!(fabs(x - y) <= within))
        fail_msg("%.12g, not %.12g", x, y);
}

/* Two equal jobs on two equal types: all x alike, where 4 log x + 4 log (1 - 2 x) is greatest. */
static void equal_jobs_have_a_quarter_of_each_type(void **state)
{
    (void)state;
    static const double speed[4] = {1, 1, 1, 1}, gpus[2] = {1, 1}, capacity[2] = {1, 1}, least[2] = {0, 0};
    const orr_share_problem p = {.jobs = 2, .types = 2, .speed = speed, .gpus = gpus, .capacity = capacity};
    double x[4] = {1, 0, 0, 1};
    orr_share_centre(&p, least, x);
    for (int i = 0; i < 4; i++)
        assert_near(x[i], 0.25, 1e-6);
}

/* One job on one of three types, the second of which is down and the third too slow for what it must have: log x0 + log x2 +
 * log (1 - x0 - x2) + log (4 x0 + x2 - 2) + log (3 - x0) + log (3 - x2) is flat there. */
static void a_floor_is_kept_from_the_inside(void **state)
{
    (void)state;
    static const double speed[3] = {4, 2, 1}, gpus[1] = {1}, capacity[3] = {3, 0, 3}, least[1] = {2};
    const orr_share_problem p = {.jobs = 1, .types = 3, .speed = speed, .gpus = gpus, .capacity = capacity};
    double x[3] = {1, 0, 0};
    orr_share_centre(&p, least, x);
    const double time = 1 - x[0] - x[2], over = 4 * x[0] + x[2] - 2;
    assert_true(time > 0 && over > 0);
    assert_near(x[1], 0, 0);
    assert_near(1 / x[0] - 1 / time + 4 / over - 1 / (3 - x[0]), 0, 1e-3);
    assert_near(1 / x[2] - 1 / time + 1 / over - 1 / (3 - x[2]), 0, 1e-3);
}

/* Gangs take more of a type for the same time, and who has nothing to spare keeps what it has. */
static void without_room_nothing_moves(void **state)
{
    (void)state;
    static const double speed[1] = {2}, gpus[1] = {2}, capacity[1] = {2}, least[1] = {2};
    const orr_share_problem p = {.jobs = 1, .types = 1, .speed = speed, .gpus = gpus, .capacity = capacity};
    double x[1] = {1};
    orr_share_centre(&p, least, x);
    assert_near(x[0], 1, 0);
}

/* One type for two jobs of three: 0.5 of its GPU for the first, which gains 3 a unit; the others would lose 1 and 2 of it. */
static void traces_stand_in_the_order_of_losses(void **state)
{
    (void)state;
    static const double speed[6] = {3, 0, 1, 0, 2, 0}, gpus[3] = {1, 1, 1}, capacity[2] = {0.5, 0};
    const orr_share_problem p = {.jobs = 3, .types = 2, .speed = speed, .gpus = gpus, .capacity = capacity};
    double x[6], loss[6];
    assert_true(orr_shares_max_sum_losses(&p, speed, NULL, x, loss));
    assert_near(x[0], 0.5, 1e-9);
    assert_near(loss[0], 0, 1e-9);
    assert_near(loss[2], 2, 1e-9);
    assert_near(loss[4], 1, 1e-9);
    for (int i = 1; i < 6; i += 2)
        assert_true(isinf(loss[i]));
    orr_share_leave_traces(&p, speed, loss, x);
    assert_near(x[0], 0.5, 1e-9);
    assert_true(x[4] > x[2] && x[2] > 0 && x[4] < 1e-6);
    for (int i = 1; i < 6; i += 2)
        assert_true(x[i] <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_jobs_have_a_quarter_of_each_type),
        cmocka_unit_test(a_floor_is_kept_from_the_inside),
        cmocka_unit_test(without_room_nothing_moves),
        cmocka_unit_test(traces_stand_in_the_order_of_losses),
    };
    return cmocka_run_group_tests_name("share inside", tests, NULL, NULL);
}
