/* Keys of numbers: where they lie in a summary, what is known of them without one. */
#include "study/numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "{\"measured\": {\"n\": 5}, \"jobs\": {\"completed\": 4, \"rejected\": 1}, \"counts\": {\"events\": 11},"
    " \"metrics\": {\"jct\": {\"mean\": 12.5, \"p50\": null}, \"gpu_alloc\": 0.5, \"rho:avg_n\": {\"p99\": 2},"
    " \"custom\": {\"mean(jct where gpus >= 8)\": 3, \"jct.p50 / 2\": null}},"
    " \"vcs\": {\"a.b\": {\"measured\": {\"n\": 2}, \"jobs\": {\"completed\": 1},"
    " \"metrics\": {\"jct\": {\"mean\": 4}}}}}";

static void looked_up(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        bool found;
        double value;
    } rows[] = {
        {"jct.mean", true, 12.5},      {"jct.p50", true, NAN},          {"gpu_alloc", true, 0.5},
        {"measured", true, 5},         {"jobs.completed", true, 4},     {"counts.events", true, 11},
        {"rho:avg_n.p99", true, 2},    {"rho.p99", true, 2},            {"jct.mean@a.b", true, 4},
        {"measured@a.b", true, 2},     {"jobs.completed@a.b", true, 1}, {"mean(jct where gpus >= 8)", true, 3},
        {"jct.p50 / 2", true, NAN},    {"jct", false, 0},               {"jct.maen", false, 0},
        {"metrics.jct", false, 0},     {"jct.mean@c", false, 0},        {"gpu_alloc@a.b", false, 0},
        {"counts.event", false, 0},    {"", false, 0},                  {"@", false, 0},
    };
    cJSON *summary = cJSON_Parse(text);
    assert_non_null(summary);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v = -1;
        if (orr_numbers_get(summary, rows[i].key, &v) != rows[i].found)
            fail_msg("%s is%s found", rows[i].key, rows[i].found ? " not" : "");
        if (rows[i].found && v != rows[i].value && !(isnan(v) && isnan(rows[i].value)))
            fail_msg("%s is %g", rows[i].key, v);
    }
    char near[64] = "";
    assert_true(orr_numbers_nearest(summary, "jct.maen", near));
    assert_string_equal(near, "jct.mean");
    assert_true(orr_numbers_nearest(summary, "job.completed", near));
    assert_string_equal(near, "jobs.completed");
    assert_false(orr_numbers_nearest(summary, "nothing of the kind", near));
    cJSON_Delete(summary);
}

static void known_without_a_run(void **state)
{
    (void)state;
    static const struct {
        const char *key, *unit;
        bool known;
        orr_direction direction;
    } rows[] = {
        {"jct.mean", "s", true, ORR_BETTER_LOWER},
        {"gpu_alloc", "ratio", true, ORR_BETTER_HIGHER},
        {"gpu_alloc@vision", "ratio", true, ORR_BETTER_HIGHER},
        {"rho.p99", "ratio", true, ORR_BETTER_LOWER},
        {"preemptions", "count", true, ORR_BETTER_LOWER},
        {"measured", "count", true, ORR_BETTER_TARGET},
        {"jct.n", "count", true, ORR_BETTER_TARGET},
        {"jobs.rejected", "count", true, ORR_BETTER_TARGET},
        {"counts.events", "count", true, ORR_BETTER_TARGET},
        {"mean(jct)", "s", false, ORR_BETTER_TARGET},
        {"share(gpus > 1)", "", false, ORR_BETTER_TARGET},
        {"nothing", "", false, ORR_BETTER_TARGET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(orr_numbers_unit(rows[i].key), rows[i].unit);
        assert_int_equal(orr_numbers_known(rows[i].key), rows[i].known);
        assert_int_equal(orr_numbers_direction(rows[i].key), rows[i].direction);
    }
    assert_true(orr_numbers_known("jct.*"));
    assert_true(orr_numbers_known("*"));
    assert_false(orr_numbers_known("jtc.*"));
}

typedef struct seen {
    size_t n;
} seen;

static void has_a_direction(void *self, const char *key, double value, const char *unit)
{
    (void)value, (void)unit;
    assert_true(orr_numbers_known(key));
    /* times to wait, and shares of GPUs in use, never are what anyone would keep as they are */
    if (strncmp(key, "wait", 4) == 0 && !strstr(key, ".n"))
        assert_int_equal(orr_numbers_direction(key), ORR_BETTER_LOWER);
    ((seen *)self)->n++;
}

static void every_metric_is_known(void **state)
{
    (void)state;
    static const orr_metrics none;
    seen s = {0};
    orr_metrics_each(&none, has_a_direction, &s);
    assert_true(s.n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looked_up),
        cmocka_unit_test(known_without_a_run),
        cmocka_unit_test(every_metric_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
