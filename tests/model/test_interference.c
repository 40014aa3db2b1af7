/* What sharing does to speed: the rules' texts, and speeds worked out by hand. */
#include "model/interference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static orr_interference rule_of(const char *text)
{
    orr_interference rule;
    orr_error e = {0};
    if (orr_interference_parse(text, &rule, &e))
        fail_msg("%s: %s", text ? text : "(none)", e.message);
    return rule;
}

static void is_near(double is, double should)
{
    if (fabs(is - should) > 1e-12)
        fail_msg("%.17g should be %.17g", is, should);
}

/* ---- text ---- */

static void texts_read_back(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"", "none"},
        {"none", "none"},
        {"pairs", "pairs,unknown=1"},
        {"pairs,unknown=0.8", "pairs,unknown=0.8"},
        {"utilisation", "utilisation"},
        {"mps", "mps"},
        {"stages", "stages"},
        {"time-slice", "time-slice,quantum=60s,switch=0s"},
        {"time-slice,switch=500ms,quantum=1m", "time-slice,quantum=60s,switch=0.5s"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char buf[128], again[128];
        const orr_interference rule = rule_of(texts[i][0]);
        orr_interference_format(&rule, buf, sizeof buf);
        assert_string_equal(buf, texts[i][1]);
        const orr_interference back = rule_of(buf);
        orr_interference_format(&back, again, sizeof again);
        assert_string_equal(again, buf);
    }
    assert_int_equal(rule_of(NULL).kind, ORR_INTERFERENCE_NONE);
}

static void texts_that_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"pair",
                                        "pairs,unknown=0",
                                        "pairs,unknown=-1",
                                        "pairs,quantum=1s",
                                        "stages,",
                                        "time-slice,quantum",
                                        "none,x=1",
                                        "time-slice,switch=60s",
                                        "pairs,known=1",
                                        "time-slice,quantum=0s",
                                        "Pairs",
                                        "pairs,unknown="};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_interference rule = {.kind = ORR_INTERFERENCE_MPS};
        orr_error e = {0};
        if (orr_interference_parse(texts[i], &rule, &e) != ORR_E_BAD_VALUE)
            fail_msg("'%s' was taken", texts[i]);
        assert_true(strstr(e.hint, "time-slice") != NULL);
        assert_int_equal(rule.kind, ORR_INTERFERENCE_MPS);
    }
}

/* ---- alone ---- */

/* One resident with what it asked for runs as recorded, exactly, under every rule. */
static void alone_is_as_recorded(void **state)
{
    (void)state;
    static const char *const rules[] = {"none",   "pairs,unknown=0.3",   "utilisation", "mps",
                                        "stages", "time-slice,switch=5s"};
    orr_profile busy = orr_profile_default();
    busy.gpu_util = 0.97;
    busy.stages[ORR_STAGE_GPU] = 0.3;
    busy.stages[ORR_STAGE_CPU] = 0.1;
    const orr_resident cases[] = {{&busy, 1000, 1000}, {NULL, 300, 300}, {NULL, 1000, 1000}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const orr_interference rule = rule_of(rules[i]);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            assert_true(orr_interference_speed(&rule, NULL, &cases[k], 1, 0) == 1.0);
    }
}

/* ---- pairs ---- */

static void pairs_and_strangers(void **state)
{
    (void)state;
    orr_profiles *p = orr_profiles_create("pairs");
    orr_profile made = orr_profile_default();
    const char *names[] = {"a", "b", "c"};
    const orr_profile *of[3];
    for (int i = 0; i < 3; i++) {
        made.model = names[i];
        assert_true(orr_profiles_add(p, &made));
        of[i] = orr_profiles_find(p, names[i]);
    }
    assert_true(orr_profiles_add_pair(p, of[1], of[0], 0.75, 0.5));
    assert_false(orr_profiles_add_pair(p, of[0], of[1], 1, 1));
    const orr_resident all[] = {{of[0], 500, 1000}, {of[1], 500, 1000}, {of[2], 500, 1000}, {NULL, 500, 1000}};
    const orr_interference kind = rule_of("pairs,unknown=0.8");
    is_near(orr_interference_speed(&kind, p, all, 2, 0), 0.5);
    is_near(orr_interference_speed(&kind, p, all, 2, 1), 0.75);
    is_near(orr_interference_speed(&kind, p, all, 3, 0), 0.5 * 0.8);
    is_near(orr_interference_speed(&kind, p, all + 2, 2, 1), 0.8);
    orr_profiles_destroy(p);
}

/* ---- utilisation ---- */

static void more_than_a_gpu_is_shared_out(void **state)
{
    (void)state;
    orr_profile half = orr_profile_default(), most = orr_profile_default();
    half.gpu_util = 0.5;
    most.gpu_util = 0.75;
    const orr_interference rule = rule_of("utilisation"), mps = rule_of("mps");
    const orr_resident fit[] = {{&half, 500, 1000}, {&half, 500, 1000}};
    const orr_resident over[] = {{&half, 500, 1000}, {&most, 500, 1000}};
    const orr_resident parts[] = {{NULL, 250, 250}, {NULL, 250, 250}, {&half, 500, 500}};
    const orr_resident unknown[] = {{NULL, 500, 1000}, {NULL, 500, 1000}};
    assert_true(orr_interference_speed(&rule, NULL, fit, 2, 0) == 1.0);
    is_near(orr_interference_speed(&rule, NULL, over, 2, 0), 0.8); /* 1 / 1.25 */
    is_near(orr_interference_speed(&rule, NULL, over, 2, 1), 0.8);
    for (int i = 0; i < 3; i++)
        assert_true(orr_interference_speed(&rule, NULL, parts, 3, i) == 1.0);
    is_near(orr_interference_speed(&rule, NULL, unknown, 2, 0), 0.5); /* each is taken to use all of it */
    /* With shares as limits nobody takes from the other: 0.5 of 0.5, and 0.5 of 0.75. */
    assert_true(orr_interference_speed(&mps, NULL, over, 2, 0) == 1.0);
    is_near(orr_interference_speed(&mps, NULL, over, 2, 1), 0.5 / 0.75);
}

/* ---- stages ---- */

static const double A[] = {.2, .1, .5, .2}, B[] = {.6, .2, .1, .1}, C[] = {.1, .1, .2, .6}, D[] = {.1, .6, .2, .1};

/* The published example: the period of every pair, and of all four; efficiency is stage time over 4 periods. */
static void periods_of_the_published_example(void **state)
{
    (void)state;
    const struct {
        const double *at[4];
        int32_t n;
        double period, efficiency;
    } rows[] = {
        {{A, B}, 2, 1.4, 0.357143},       {{A, C}, 2, 1.2, 0.416667}, {{B, C}, 2, 1.1, 0.454545},
        {{A, D}, 2, 1.1, 0.454545},       {{B, D}, 2, 1.0, 0.5},      {{C, D}, 2, 1.4, 0.357143},
        {{A, B, C, D}, 4, 1.2, 0.833333}, {{A}, 1, 1.0, 0.25},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double stages[4][ORR_STAGES], sum = 0;
        for (int32_t k = 0; k < rows[i].n; k++) {
            memcpy(stages[k], rows[i].at[k], sizeof stages[k]);
            for (int s = 0; s < ORR_STAGES; s++)
                sum += stages[k][s];
        }
        const double period = orr_stages_period((const double(*)[ORR_STAGES])stages, rows[i].n);
        is_near(period, rows[i].period);
        assert_true(fabs(sum / (ORR_STAGES * period) - rows[i].efficiency) < 5e-7);
    }
}

/* All four last 1 s alone, and 1.2 s together. A fifth makes them take turns with it: 1.2 and 1 s. Whoever's stages
 * aren't known neither slows nor is slowed. */
static void speeds_of_interleaved_jobs(void **state)
{
    (void)state;
    const double *at[] = {A, B, C, D};
    orr_profile profiles[5];
    orr_resident all[6];
    for (int i = 0; i < 5; i++) {
        profiles[i] = orr_profile_default();
        if (i < 4)
            memcpy(profiles[i].stages, at[i], sizeof profiles[i].stages);
        all[i] = (orr_resident){&profiles[i], 200, 1000};
    }
    profiles[4].iteration = 1;
    all[5] = (orr_resident){NULL, 200, 1000};
    const orr_interference rule = rule_of("stages");
    for (int i = 0; i < 4; i++)
        is_near(orr_interference_speed(&rule, NULL, all, 4, i), 1 / 1.2);
    is_near(orr_interference_speed(&rule, NULL, all, 5, 4), 1 / 2.2);
    is_near(orr_interference_speed(&rule, NULL, all, 6, 0), 1 / 2.2);
    assert_true(orr_interference_speed(&rule, NULL, all, 6, 5) == 1.0);
}

/* ---- turns ---- */

static void turns_by_share(void **state)
{
    (void)state;
    const orr_interference rule = rule_of("time-slice,quantum=10s,switch=1s");
    const orr_resident even[] = {{NULL, 500, 1000}, {NULL, 500, 1000}};
    const orr_resident parts[] = {{NULL, 250, 250}, {NULL, 250, 1000}};
    is_near(orr_interference_speed(&rule, NULL, even, 2, 0), 0.5 * 0.9);
    is_near(orr_interference_speed(&rule, NULL, parts, 2, 0), 0.9); /* half of the GPU is more than it asked for */
    is_near(orr_interference_speed(&rule, NULL, parts, 2, 1), 0.5 * 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_read_back),
        cmocka_unit_test(texts_that_are_refused),
        cmocka_unit_test(alone_is_as_recorded),
        cmocka_unit_test(pairs_and_strangers),
        cmocka_unit_test(more_than_a_gpu_is_shared_out),
        cmocka_unit_test(periods_of_the_published_example),
        cmocka_unit_test(speeds_of_interleaved_jobs),
        cmocka_unit_test(turns_by_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
