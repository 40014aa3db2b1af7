/* Throughput tables as CSV, settings, and who is next to a gang size; Gavel's JSON is in tests/trace/test_read_gavel.c. */
#include "model/throughputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "model,gpus,gpu_type,steps_per_s,spread_steps_per_s,beside,beside_steps_per_s\n"

static orr_throughputs *table_of(const char *text, orr_error *e)
{
    *e = (orr_error){0};
    orr_input *in = orr_input_memory("t.csv", text, strlen(text));
    orr_throughputs *t = orr_throughputs_read(in, e);
    orr_input_close(in);
    assert_true((t != NULL) == (e->code == ORR_OK));
    return t;
}

static void columns(void **state)
{
    (void)state;
    orr_error e;
    double speeds[2];
    orr_throughputs *t = table_of(HEAD "net,1,V100,10,,,\nnet,2,V100,18,15,,\nnet,1,k80,0,,,\nnet,1,K80_unconsolidated,3,,,\n"
                                       "net,1,v100,6,,mesh,2\n", &e);
    assert_non_null(t);
    const int32_t v100 = orr_throughputs_type(t, "V100"), k80 = orr_throughputs_type(t, "K80");
    const int32_t one = orr_throughputs_job(t, "net", 1), two = orr_throughputs_job(t, "net", 2);
    const int32_t mesh = orr_throughputs_job(t, "mesh", 1);
    assert_int_equal(orr_throughputs_types(t), 2);
    assert_string_equal(orr_throughputs_type_name(t, v100), "V100"); /* as it stands there first */
    assert_true(orr_throughputs_alone(t, v100, one) == 10 && orr_throughputs_alone(t, v100, two) == 18);
    assert_true(orr_throughputs_spread(t, v100, two) == 15 && orr_throughputs_spread(t, v100, one) == -1);
    assert_true(orr_throughputs_alone(t, k80, one) == 0 && orr_throughputs_spread(t, k80, one) == 3);
    assert_true(orr_throughputs_alone(t, k80, two) == -1 && orr_throughputs_alone(t, v100, mesh) == -1);
    assert_true(orr_throughputs_pair(t, v100, one, mesh, speeds) && speeds[0] == 6 && speeds[1] == 2);
    assert_false(orr_throughputs_pair(t, v100, mesh, one, speeds));
    assert_false(orr_throughputs_pair(t, k80, one, mesh, speeds));
    assert_true(orr_throughputs_uses_pairs(t) && orr_throughputs_uses_spread(t));
    orr_throughputs_ignore_pairs(t);
    orr_throughputs_ignore_spread(t);
    assert_false(orr_throughputs_uses_pairs(t) || orr_throughputs_uses_spread(t));
    assert_int_equal(strlen(orr_throughputs_digest(t)), 64);
    orr_throughputs_destroy(t);
}

/* The largest below, else the least above. */
static void sizes(void **state)
{
    (void)state;
    orr_error e;
    orr_throughputs *t = table_of("model,gpus,gpu_type,steps_per_s\nnet,8,a,3\nnet,2,a,1\nnet,4,a,2\nmesh,1,a,1\n", &e);
    static const int64_t rows[][2] = {{1, 2}, {2, 2}, {3, 2}, {4, 4}, {7, 4}, {8, 8}, {64, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t gpus;
        assert_string_equal(orr_throughputs_model(t, orr_throughputs_near(t, "net", rows[i][0]), &gpus), "net");
        assert_int_equal(gpus, rows[i][1]);
    }
    assert_int_equal(orr_throughputs_near(t, "nets", 1), -1);
    assert_int_equal(orr_throughputs_job(t, "net", 3), -1);
    assert_int_equal(orr_throughputs_sized(t, orr_throughputs_job(t, "net", 8), 4), orr_throughputs_job(t, "net", 4));
    assert_int_equal(orr_throughputs_sized(t, orr_throughputs_job(t, "net", 8), 5), -1);
    orr_throughputs_destroy(t);
}

static void reference(void **state)
{
    (void)state;
    orr_error e;
    orr_throughputs *t = table_of("model,gpus,gpu_type,steps_per_s\nnet,1,K80,1\nnet,1,V100,2\n", &e);
    assert_int_equal(orr_throughputs_reference(t), 1);
    assert_int_equal(orr_throughputs_referred(t), -1);
    assert_int_equal(orr_throughputs_refer(t, "k80", &e), ORR_OK);
    assert_int_equal(orr_throughputs_reference(t), 0);
    assert_int_equal(orr_throughputs_refer(t, "K8O", &e), ORR_E_BAD_VALUE);
    assert_non_null(strstr(e.hint, "K80"));
    orr_throughputs_destroy(t);
    t = table_of("model,gpus,gpu_type,steps_per_s\nnet,1,K80,1\nnet,1,T4,2\n", &e);
    assert_int_equal(orr_throughputs_reference(t), 0);
    orr_throughputs_destroy(t);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
        int line, column;
    } rows[] = {
        {"model,gpus,gpu_type\nnet,1,a\n", ORR_E_MISSING_COLUMN, 1, 0},
        {HEAD, ORR_E_EMPTY, 1, 0},
        {HEAD "net,1,a,1\n", ORR_E_RAGGED, 2, 0},
        {HEAD "net,0,a,1,,,\n", ORR_E_NUMBER, 2, 5},
        {HEAD "net,1,a,-1,,,\n", ORR_E_NUMBER, 2, 9},
        {HEAD "net,1,a,fast,,,\n", ORR_E_NUMBER, 2, 9},
        {HEAD "net,1,a,1,slow,,\n", ORR_E_NUMBER, 2, 11},
        {HEAD "net,1,a,1,,mesh,\n", ORR_E_SYNTAX, 2, 12},
        {HEAD ",1,a,1,,,\n", ORR_E_SYNTAX, 2, 1},
        {HEAD "net,1,,1,,,\n", ORR_E_SYNTAX, 2, 7},
        {HEAD "net,1,a,1,,,\nnet,1,b,1,,,\nnet,1,A,2,,,\n", ORR_E_SYNTAX, 4, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e;
        if (table_of(rows[i].text, &e))
            fail_msg("should be refused: %s", rows[i].text);
        if (e.code != rows[i].code || e.line != rows[i].line || (rows[i].column && e.column != rows[i].column))
            fail_msg("%s: %s at %d:%d, %s", rows[i].text, orr_err_name(e.code), e.line, e.column, e.message);
        assert_string_equal(e.file, "t.csv");
    }
}

static void settings(void **state)
{
    (void)state;
    static const char *const wrong[] = {"synthetic,", "synthetic,spread", "synthetic,spread=maybe", "synthetic,reference=A100",
                                        "synthetic,spread=no,", "no-such-table"};
    orr_error e = {0};
    orr_throughputs *t = orr_throughputs_load("synthetic,reference=p100,spread=no,pairs=no", &e);
    assert_non_null(t);
    assert_string_equal(orr_throughputs_name(t), "synthetic");
    assert_string_equal(orr_throughputs_type_name(t, orr_throughputs_referred(t)), "P100");
    assert_false(orr_throughputs_uses_pairs(t) || orr_throughputs_uses_spread(t));
    orr_throughputs_destroy(t);
    t = orr_throughputs_load("synthetic,spread=yes", &e);
    assert_true(orr_throughputs_uses_pairs(t) && orr_throughputs_uses_spread(t));
    orr_throughputs_destroy(t);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e = (orr_error){0};
        if (orr_throughputs_load(wrong[i], &e))
            fail_msg("%s should be refused", wrong[i]);
        assert_true(e.code == ORR_E_BAD_VALUE || e.code == ORR_E_OPEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),  cmocka_unit_test(sizes),    cmocka_unit_test(reference),
        cmocka_unit_test(refusals), cmocka_unit_test(settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
