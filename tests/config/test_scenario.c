/* Scenario files: what they say, and what is wrong with them where. */
#include "given.h"

#include "base/io.h"
#include "cluster/scenario.h"
#include "config/scenario_keys.h"

#include <stdio.h>

static orr_scenario *read_scenario(const char *text, orr_error *e)
{
    orr_input *in = orr_input_memory("given", text, strlen(text));
    orr_scenario *s = orr_scenario_read(in, "", e);
    orr_input_close(in);
    return s;
}

static orr_scenario *must(const char *text)
{
    orr_error e = {0};
    orr_scenario *s = read_scenario(text, &e);
    if (!s)
        fail_msg("%d:%d %s", e.line, e.column, e.message);
    return s;
}

#define HEAD "schema: orrery.scenario/1\n"

static void all_keys_are_read(void **state)
{
    (void)state;
    orr_scenario *s = must(
        HEAD "name: bad week\nsleep: 30s\nwake: 5m\n"
             "events:\n"
             "  - {at: 1h, do: down, nodes: [node3, node5..node7], gpus: [0, 2..3], for: 30m}\n"
             "  - {at: 2h, do: revoke, type: V100, count: 4, notice: 2m}\n"
             "  - {at: 3h, do: cancel, job: j17}\n"
             "  - {at: 4h, do: capacity, vc: red, count: 24}\n"
             "  - {at: 5h, do: price, type: kWh, price: 0.25}\n"
             "failures:\n"
             "  - {rack: r1, of: gpu, mtbf: 30d, mttr: 4h, shape: 0.8}\n"
             "power: {host: 400, asleep: 12, waking: 500, falling_asleep: 300, gpus: [{type: X, idle: 1, tdp: 2}]}\n");
    assert_string_equal(s->name, "bad week");
    assert_string_equal(s->path, "given");
    assert_int_equal(strlen(s->digest), 64);
    assert_int_equal(s->sleep_time, 30 * ORR_SECOND);
    assert_int_equal(s->wake_time, 5 * ORR_MINUTE);
    assert_int_equal(s->incident_count, 5);
    const orr_incident *in = s->incidents;
    assert_int_equal(in[0].kind, ORR_INCIDENT_DOWN);
    assert_int_equal(in[0].at, ORR_HOUR);
    assert_int_equal(in[0].gpus, 13);
    assert_int_equal(in[0].lasts, 30 * ORR_MINUTE);
    assert_int_equal(in[0].which.name_count, 2);
    assert_string_equal(in[0].which.names[1], "node5..node7");
    assert_int_equal(in[0].said.line, 6);
    assert_int_equal(in[1].kind, ORR_INCIDENT_REVOKE);
    assert_int_equal(in[1].notice, 2 * ORR_MINUTE);
    assert_true(in[1].lasts == ORR_TIME_NONE && in[1].which.count == 4 && !in[1].which.names);
    assert_string_equal(in[1].which.type, "V100");
    assert_string_equal(in[2].job, "j17");
    assert_true(in[3].kind == ORR_INCIDENT_CAPACITY && in[3].which.count == 24);
    assert_true(in[4].kind == ORR_INCIDENT_PRICE && in[4].price == 0.25);
    assert_string_equal(in[4].type, "kWh");
    assert_int_equal(s->failure_count, 1);
    assert_true(s->failures[0].of_gpus && s->failures[0].mtbf == 30 * ORR_DAY && s->failures[0].shape == 0.8);
    assert_true(s->failures[0].repair_shape == 1);
    assert_true(s->power.known && s->power.host == 400 && s->power.gpu_count == 1 && s->power.gpus[0].tdp == 2);
    orr_scenario_destroy(s);
}

static void little_is_enough(void **state)
{
    (void)state;
    orr_scenario *s = must(HEAD);
    assert_true(s->incident_count == 0 && s->failure_count == 0 && !s->power.known && s->wake_time == 0);
    assert_string_equal(s->name, "given");
    orr_scenario_destroy(s);
    s = must(HEAD "power: {}\n");
    assert_true(s->power.known && s->power.host == 0);
    orr_scenario_destroy(s);
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"another schema", "schema: orrery.cluster/1\nnodes: []\n", ORR_E_FORMAT, 1, 9, "no scenario file",
         "orrery.scenario/1"},
        {"no schema", "name: x\n", ORR_E_SYNTAX, 0, 0, "schema", NULL},
        {"an unknown key", HEAD "event: []\n", ORR_E_UNKNOWN_KEY, 2, 1, "event", "events"},
        {"an unknown event", HEAD "events:\n  - {at: 1, do: explode, nodes: a}\n", ORR_E_NUMBER, 3, 0, "do", NULL},
        {"no time", HEAD "events:\n  - {do: down, nodes: a}\n", ORR_E_SYNTAX, 3, 0, "at", NULL},
        {"never", HEAD "events:\n  - {at: inf, do: down, nodes: a}\n", ORR_E_NUMBER, 3, 0, "'at' should be a time",
         NULL},
        {"no nodes", HEAD "events:\n  - {at: 1, do: drain}\n", ORR_E_SYNTAX, 3, 5, "'do: drain' needs nodes", NULL},
        {"no job", HEAD "events:\n  - {at: 1, do: cancel}\n", ORR_E_SYNTAX, 3, 5, "needs a 'job'", NULL},
        {"no count", HEAD "events:\n  - {at: 1, do: capacity, vc: a}\n", ORR_E_SYNTAX, 3, 5, "needs a 'count'", NULL},
        {"no price", HEAD "events:\n  - {at: 1, do: price, type: T4}\n", ORR_E_SYNTAX, 3, 5, "needs a 'price'", NULL},
        {"a key for another", HEAD "events:\n  - {at: 1, do: drain, nodes: a, gpus: 1}\n", ORR_E_SYNTAX, 3, 34,
         "'gpus' means nothing with 'do: drain'", NULL},
        {"a GPU too many", HEAD "events:\n  - {at: 1, do: down, nodes: a, gpus: 64}\n", ORR_E_NUMBER, 3, 0, "0 to 63",
         NULL},
        {"a range backwards", HEAD "events:\n  - {at: 1, do: down, nodes: a, gpus: 3..1}\n", ORR_E_NUMBER, 3, 0, "gpus",
         NULL},
        {"no mtbf", HEAD "failures:\n  - {mttr: 1h}\n", ORR_E_SYNTAX, 3, 0, "mtbf", NULL},
        {"a shape", HEAD "failures:\n  - {mtbf: 1d, mttr: 1h, shape: 0}\n", ORR_E_NUMBER, 3, 0, "at least 0.1", NULL},
        {"less than idle", HEAD "power: {gpus: [{type: A, idle: 5, tdp: 4}]}\n", ORR_E_NUMBER, 2, 0, "'tdp'", NULL},
        {"a file beside nothing", HEAD "prices: p.csv\n", ORR_E_OPEN, 2, 0, "folder", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bad_case *c = &cases[i];
        orr_error e = {0};
        orr_scenario *s = read_scenario(c->input, &e);
        bool right = !s && e.code == c->code && (!c->line || e.line == c->line) &&
                     (!c->column || e.column == c->column) && strstr(e.message, c->message) &&
                     (!c->hint || strstr(e.hint, c->hint));
        if (!right)
            fail_msg("%s: %d:%d %s (%s) [%s]", c->name, e.line, e.column, e.message, e.hint, orr_err_name(e.code));
    }
}

/* ---- tables ---- */

static orr_err read_table(orr_err (*read)(orr_scenario *, orr_input *, orr_error *), const char *text, orr_scenario *s,
                          orr_error *e)
{
    orr_input *in = orr_input_memory("table", text, strlen(text));
    orr_err err = read(s, in, e);
    orr_input_close(in);
    return err;
}

static void recorded_events(void **state)
{
    (void)state;
    orr_scenario *s = orr_scenario_create("t");
    orr_error e = {0};
    assert_int_equal(read_table(orr_scenario_read_recorded,
                                "time,node,event,gpu\n90,n1,down,\n1h30m,n1,up,\n7,n2,down,3\n8,n2,drain,\n", s, &e),
                     ORR_OK);
    assert_int_equal(s->incident_count, 4);
    assert_int_equal(s->incidents[0].at, 90 * ORR_SECOND);
    assert_string_equal(s->incidents[0].which.names[0], "n1");
    assert_int_equal(s->incidents[1].kind, ORR_INCIDENT_UP);
    assert_int_equal(s->incidents[2].gpus, 8);
    assert_int_equal(s->incidents[2].said.line, 4);
    static const struct {
        const char *text;
        int line, column;
    } wrong[] = {{"time,node\n1,a\n", 1, 0},
                 {"time,node,event\nx,a,down\n", 2, 1},
                 {"time,node,event\n1,a,broken\n", 2, 5},
                 {"time,node,event\n1,,down\n", 2, 3},
                 {"time,node,event,gpu\n1,a,drain,3\n", 2, 11},
                 {"time,node,event,gpu\n1,a,down,64\n", 2, 10},
                 {"time,node,event\n", 0, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e = (orr_error){0};
        assert_int_not_equal(read_table(orr_scenario_read_recorded, wrong[i].text, s, &e), ORR_OK);
        if ((wrong[i].line && e.line != wrong[i].line) || (wrong[i].column && e.column != wrong[i].column))
            fail_msg("%zu: %d:%d %s", i, e.line, e.column, e.message);
    }
    orr_scenario_destroy(s);
}

static void price_tables(void **state)
{
    (void)state;
    orr_scenario *s = orr_scenario_create("t");
    orr_error e = {0};
    assert_int_equal(read_table(orr_scenario_read_prices, "time,type,price\n0,V100,2.48\n1d,V100,3\n0,,1\n", s, &e),
                     ORR_OK);
    assert_int_equal(s->incident_count, 3);
    assert_true(s->incidents[1].kind == ORR_INCIDENT_PRICE && s->incidents[1].price == 3 &&
                s->incidents[1].at == ORR_DAY);
    assert_string_equal(s->incidents[2].type, "");
    assert_int_equal(read_table(orr_scenario_read_prices, "time,type,price\n0,V100,-1\n", s, &e), ORR_E_NUMBER);
    assert_true(e.line == 2 && e.column == 8);
    orr_scenario_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys_are_read),     cmocka_unit_test(little_is_enough),
        cmocka_unit_test(mistakes_have_a_place), cmocka_unit_test(recorded_events),
        cmocka_unit_test(price_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
