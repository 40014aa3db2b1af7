/* Costs: text in and out, steps by size, and what is refused. */
#include "model/costs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static orr_costs parsed(const char *text)
{
    orr_costs costs;
    orr_error e = {0};
    if (orr_costs_parse(text, &costs, &e))
        fail_msg("'%s': %s", text ? text : "NULL", e.message);
    return costs;
}

static void nothing_costs_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {NULL, "", "zero"};
    for (size_t i = 0; i < 3; i++) {
        orr_costs c = parsed(texts[i]);
        char buf[512];
        assert_int_equal(orr_cost_of(&c.start, 8), 0);
        assert_int_equal(orr_cost_of(&c.restore, 1), 0);
        assert_int_equal(c.checkpoint, 0);
        assert_int_equal(c.unpaid, ORR_UNPAID_DROP);
        orr_costs_format(&c, buf, sizeof buf);
        assert_string_equal(buf, "zero");
    }
}

static void steps_begin_at_their_size(void **state)
{
    (void)state;
    orr_costs c = parsed("restore=2:7s/4:30s/9:1m,save=5,start=250ms");
    static const struct {
        int32_t gpus;
        orr_time delay;
    } rows[] = {{1, 0}, {2, 7}, {3, 7}, {4, 30}, {8, 30}, {9, 60}, {1000, 60}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(orr_cost_of(&c.restore, rows[i].gpus), rows[i].delay * ORR_SECOND);
    assert_int_equal(orr_cost_of(&c.save, 1), 5 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&c.start, 64), 250 * ORR_MS);
    assert_int_equal(orr_cost_of(&c.resize, 64), 0);
}

static void presets_are_what_papers_charged(void **state)
{
    (void)state;
    orr_costs pollux = parsed("pollux"), lucid = parsed("lucid"), helios = parsed("helios"), testbed = parsed("testbed");
    assert_int_equal(orr_cost_of(&pollux.restore, 1), 30 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&pollux.start, 1), 30 * ORR_SECOND); /* the first start pays, too */
    assert_int_equal(pollux.unpaid, ORR_UNPAID_RENEW);
    assert_int_equal(orr_cost_of(&pollux.resize, 16), 30 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&lucid.restore, 8), 40 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&lucid.restore, 9), 60 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&testbed.restore, 3), 62 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&helios.start, 3), ORR_SECOND);
    assert_int_equal(orr_cost_of(&helios.restore, 1), 7 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&helios.restore, 8), 30 * ORR_SECOND);
    assert_int_equal(helios.unpaid, ORR_UNPAID_KEEP);
}

static void settings_follow_a_preset(void **state)
{
    (void)state;
    orr_costs c = parsed("pollux,restore=2s,checkpoint=10m,unpaid=keep");
    assert_int_equal(orr_cost_of(&c.restore, 1), 2 * ORR_SECOND);
    assert_int_equal(orr_cost_of(&c.resize, 1), 30 * ORR_SECOND); /* as in the preset */
    assert_int_equal(c.checkpoint, 600 * ORR_SECOND);
    assert_int_equal(c.unpaid, ORR_UNPAID_KEEP);
    assert_int_equal(parsed("helios,unpaid=drop").unpaid, ORR_UNPAID_DROP);
}

static void formatted_parses_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "zero", "pollux", "lucid", "testbed", "helios", "start=1ns", "save=0.123456789s,resize=3:1h",
        "restore=1:7s/2:30s/9:60s,unpaid=keep", "checkpoint=1h30m", "resize=1s,unpaid=renew,by=application", "start=0s,checkpoint=1ns",
        "restore=1:1s/2:2s/3:3s/4:4s/5:5s/6:6s/7:7s/2147483647:8s"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char once[512], twice[512];
        orr_costs a = parsed(texts[i]);
        orr_costs_format(&a, once, sizeof once);
        orr_costs b = parsed(once);
        orr_costs_format(&b, twice, sizeof twice);
        assert_string_equal(once, twice);
        for (int32_t gpus = 0; gpus < 12; gpus++) {
            assert_int_equal(orr_cost_of(&a.start, gpus), orr_cost_of(&b.start, gpus));
            assert_int_equal(orr_cost_of(&a.save, gpus), orr_cost_of(&b.save, gpus));
            assert_int_equal(orr_cost_of(&a.restore, gpus), orr_cost_of(&b.restore, gpus));
            assert_int_equal(orr_cost_of(&a.resize, gpus), orr_cost_of(&b.resize, gpus));
        }
        assert_int_equal(a.checkpoint, b.checkpoint);
        assert_int_equal(a.unpaid, b.unpaid);
        assert_int_equal(a.by_application, b.by_application);
    }
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says, *offends;
    } rows[] = {
        {"polux", "there is no such preset", "polux"},
        {"start", "there is no such preset", "start"},
        {"begin=5s", "there is no such cost", "begin"},
        {"start=", "duration", ""},
        {"start=-1s", "duration", "-1s"},
        {"start=soon", "duration", "soon"},
        {"start=1:5s/1:6s", "steps go up", "1:6s"},
        {"start=4:5s/2:6s", "steps go up", "2:6s"},
        {"start=x:5s", "GPUs:duration", "x:5s"},
        {"start=-1:5s", "GPUs:duration", "-1:5s"},
        {"start=2147483648:5s", "GPUs:duration", "2147483648:5s"},
        {"start=1:1s/2:1s/3:1s/4:1s/5:1s/6:1s/7:1s/8:1s/9:1s", "at most 8 steps", "9:1s"},
        {"checkpoint=-5s", "duration", "-5s"},
        {"checkpoint=never", "duration", "never"},
        {"unpaid=perhaps", "drop, keep or renew", "perhaps"},
        {"by=size", "by=application", "size"},
        {"pollux,lucid", "there is no such preset", "lucid"},
        {"start=5s,pollux", "there is no such preset", "pollux"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_costs c = {.checkpoint = 42};
        orr_error e = {0};
        if (orr_costs_parse(rows[i].text, &c, &e) != ORR_E_BAD_VALUE)
            fail_msg("'%s' was taken", rows[i].text);
        if (!strstr(e.message, rows[i].says) || strcmp(e.text, rows[i].offends) != 0)
            fail_msg("'%s': \"%s\", text \"%s\"", rows[i].text, e.message, e.text);
        assert_true(e.hint[0] != '\0');
        assert_int_equal(c.checkpoint, 42); /* untouched on failure */
    }
}

static void a_text_without_end_is_refused(void **state)
{
    (void)state;
    char text[4000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    orr_costs c;
    orr_error e = {0};
    assert_int_equal(orr_costs_parse(text, &c, &e), ORR_E_BAD_VALUE);
    assert_int_equal(orr_costs_parse(text, &c, NULL), ORR_E_BAD_VALUE);
}

static void every_preset_is_well_formed(void **state)
{
    (void)state;
    size_t n = 0;
    for (const orr_costs_preset *p = orr_costs_presets(); p->name; p++, n++) {
        parsed(p->name);
        assert_true(p->doc && *p->doc);
    }
    assert_true(n >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_costs_nothing),           cmocka_unit_test(steps_begin_at_their_size),
        cmocka_unit_test(presets_are_what_papers_charged), cmocka_unit_test(settings_follow_a_preset),
        cmocka_unit_test(formatted_parses_back),           cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(a_text_without_end_is_refused),   cmocka_unit_test(every_preset_is_well_formed),
    };
    return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}
