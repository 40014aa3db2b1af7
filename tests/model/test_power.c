/* What GPUs and nodes draw. */
#include "model/power.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_scenario_wins_over_the_table(void **state)
{
    (void)state;
    static const orr_gpu_power own[] = {{"V100", 20, 250}, {"X", 1, 2.5}};
    const orr_power power = {.known = true, .gpus = own, .gpu_count = 2};
    orr_watts w;
    assert_true(orr_power_of_gpu(&power, "V100", &w));
    assert_int_equal(w.idle, 20000000);
    assert_int_equal(w.span, 230000000);
    assert_true(orr_power_of_gpu(&power, "X", &w));
    assert_int_equal(w.span, 1500000);
    assert_true(orr_power_of_gpu(&power, "T4", &w)); /* of the table */
    assert_int_equal(w.idle + w.span, 70000000);
    assert_false(orr_power_of_gpu(&power, "Y", &w));
}

static void the_table_makes_sense(void **state)
{
    (void)state;
    for (const orr_gpu_power *row = orr_power_table(); row->type; row++)
        if (row->idle <= 0 || row->tdp <= row->idle || row->tdp > 1500)
            fail_msg("%s: %g to %g W", row->type, row->idle, row->tdp);
}

/* A job never draws more than the part of the GPU that it has. */
static void use_is_bounded_by_the_part(void **state)
{
    (void)state;
    const orr_watts w = {.idle = 50000000, .span = 200000000};
    static const struct {
        double util;
        int32_t milli;
        int64_t watts;
    } rows[] = {{1, 0, 200}, {1, 1000, 200}, {0.5, 1000, 100}, {1, 250, 50}, {0.1, 250, 20}, {0, 500, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(orr_power_of_use(&w, rows[i].util, rows[i].milli), rows[i].watts * 1000000);
}

static void nodes_draw_by_their_state(void **state)
{
    (void)state;
    const orr_power power = {.known = true, .host = 400, .falling_asleep = 300, .asleep = 10.5, .waking = 600};
    static const double watts[ORR_NODE_STATES] = {400, 400, 300, 10.5, 600, 0};
    for (int s = 0; s < ORR_NODE_STATES; s++)
        assert_int_equal(orr_power_of_node(&power, (orr_node_state)s), (int64_t)(watts[s] * 1e6));
    assert_true(orr_joules((orr_wide)400000000 * 3600 * ORR_SECOND) == 400 * 3600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scenario_wins_over_the_table),
        cmocka_unit_test(the_table_makes_sense),
        cmocka_unit_test(use_is_bounded_by_the_part),
        cmocka_unit_test(nodes_draw_by_their_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
