/* Tolerances: their forms, and which of several levels and patterns counts. */
#include "study/tolerance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double got, double want, double within)
{
    if (!(fabs(got - want) <= within))
        fail_msg("%.17g instead of %.17g", got, want);
}

static orr_err read_as(const char *text, orr_tolerance *t, orr_error *e)
{
    orr_yaml_doc doc = {0};
    orr_text yaml = {0};
    orr_text_addf(&yaml, "t: %s\n", text);
    assert_int_equal(orr_yaml_read(&doc, "f.yaml", yaml.at, yaml.n, e), ORR_OK);
    const orr_err err = orr_tolerance_read(&doc, doc.root->first, t, e);
    orr_yaml_fini(&doc);
    orr_text_fini(&yaml);
    return err;
}

static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double abs, rel;
        const char *shown;
    } rows[] = {
        {"exact", 0, 0, "exact"},
        {"abs 0.01", 0.01, 0, "abs 0.01"},
        {"abs 30s", 30, 0, "abs 30"},
        {"abs 1m30s", 90, 0, "abs 90"},
        {"rel 0.5%", 0, 0.005, "rel 0.5%"},
        {"rel 0.005", 0, 0.005, "rel 0.5%"},
        {"rel 1e-9", 0, 1e-9, "rel 1e-09"},
        {"abs 30s, rel 1%", 30, 0.01, "abs 30, rel 1%"},
        {"rel 1% abs 2", 2, 0.01, "abs 2, rel 1%"},
        {"{abs: 30s, rel: 1%}", 30, 0.01, "abs 30, rel 1%"},
        {"{rel: 2%}", 0, 0.02, "rel 2%"},
        {"abs 0", 0, 0, "exact"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_tolerance t = {0};
        orr_text shown = {0};
        orr_error e = {0};
        if (read_as(rows[i].text, &t, &e))
            fail_msg("%s: %s", rows[i].text, e.message);
        assert_true(t.said);
        assert_near(t.abs, rows[i].abs, 0);
        assert_near(t.rel, rows[i].rel, 1e-18);
        orr_tolerance_text(&t, &shown);
        assert_string_equal(shown.at, rows[i].shown);
        orr_text_fini(&shown);
    }
}

static void wrong_forms(void **state)
{
    (void)state;
    static const char *const rows[] = {"0.5%",       "rel",       "rel -1%",        "abs -1",  "rel 1%,x",
                                       "exact abs",  "abs 1%",    "[1]",            "{}",      "{abs: x}",
                                       "about 1%",   "\"\"",      "{rel: [1]}",     "abs nan", "rel 1e999"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_tolerance t = {0};
        orr_error e = {0};
        if (read_as(rows[i], &t, &e) != ORR_E_NUMBER)
            fail_msg("taken: %s", rows[i]);
        assert_int_equal(e.line, 1);
        assert_true(*e.hint);
        assert_false(t.said);
    }
    orr_tolerance t = {0};
    orr_error e = {0};
    assert_int_equal(read_as("{abs: 1, rol: 1%}", &t, &e), ORR_E_UNKNOWN_KEY);
    assert_int_equal(e.column, 13);
}

static void either_suffices(void **state)
{
    (void)state;
    const orr_tolerance t = {.said = true, .abs = 5, .rel = 0.01};
    assert_near(orr_tolerance_band(&t, 100), 5, 0);    /* 1 % would be 1 */
    assert_near(orr_tolerance_band(&t, -1000), 10, 0); /* of the magnitude */
    assert_near(orr_tolerance_band(&t, 0), 5, 0);
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *key;
        bool matches;
    } rows[] = {
        {"jct.*", "jct.mean", true},      {"jct.*", "jct", false},          {"*.p99", "jct.p99", true},
        {"*", "gpu_alloc", true},         {"jct.p9*", "jct.p95", true},     {"jct.p9*", "jct.p50", false},
        {"rho:*.max", "rho:avg_n.max", true}, {"jct.mean", "jct.mean", true}, {"jct.mean", "jct.meanx", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (orr_tolerance_matches(rows[i].pattern, rows[i].key) != rows[i].matches)
            fail_msg("%s on %s", rows[i].pattern, rows[i].key);
}

/* What says more of a key counts, wherever it stands; of equals the later one. */
static void the_nearest_pattern_counts(void **state)
{
    (void)state;
    static const char yaml[] = "jct.mean: abs 1\n\"*\": abs 2\njct.*: abs 3\n\"*.mean\": abs 4\n\"*.p99\": abs 5\n";
    orr_yaml_doc doc = {0};
    orr_tolerances level = {0};
    orr_error e = {0};
    assert_int_equal(orr_yaml_read(&doc, "f.yaml", yaml, sizeof yaml - 1, &e), ORR_OK);
    assert_int_equal(orr_tolerances_read(&doc, doc.root, &level, &e), ORR_OK);
    static const struct {
        const char *key;
        double abs;
    } rows[] = {{"jct.mean", 1}, {"gpu_alloc", 2}, {"jct.p50", 3}, {"slowdown.mean", 4}, {"jct.p99", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(orr_tolerances_find(&level, rows[i].key)->abs, rows[i].abs, 0);
    ORR_VEC_FREE(&level);
    orr_yaml_fini(&doc);
    assert_null(orr_tolerances_find(&level, "jct.mean"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(wrong_forms),
        cmocka_unit_test(either_suffices),
        cmocka_unit_test(patterns),
        cmocka_unit_test(the_nearest_pattern_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
