/* Judging what the runs of a baseline gave: which exit status follows, what can't be compared and where that is said.
 * And our own baseline: it has a case for every module that there is. */
#include "checked.h"
#include "study/check_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CASE                                                                                                           \
    "schema: orrery.baseline/1\nbase: {trace: t.csv, cluster: nodes=1}\ncases:\n  - name: x\n    policy: fifo\n"       \
    "    expect:\n"

/* The made-up run has jct.mean 101, jct.p50 7, gpu_alloc 0.5, preemptions 3. */
static void statuses(void **state)
{
    (void)state;
    static const struct {
        const char *expect;
        int status, strict;
    } rows[] = {
        {"      jct.mean: 101\n      gpu_alloc: 0.5\n", 0, 0},
        {"      jct.mean: 100\n", 1, 1},
        {"      jct.mean: 102\n", 0, 1},
        {"      gpu_alloc: 0.6\n", 1, 1},
        {"      measured: 4\n", 1, 1},
        {"      measured: 6\n", 1, 1},
        {"      jct.mean: {value: 100, tolerance: rel 1%}\n", 0, 0},
        {"      jct.mean: {value: 100, better: higher}\n", 0, 1},
        {"      jct.mean: {value: 102, better: target}\n", 1, 1},
        {"      jct.mean: 101.0000000001\n", 0, 0},
        {"      preemptions: 3.0000000001\n", 0, 0}, /* no whole number: not held to be exact */
        {"      deadline_met: null\n", 0, 0},
        {"      deadline_met: 1\n", 2, 2},
        {"      jct.mean: null\n", 2, 2},
        {"      jct.mean: [101, 101]\n", 2, 2},
        {"      jct.maen: 101\n      jct.mean: 100\n", 2, 2}, /* a doubt outweighs a no */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        checked c;
        orr_text yaml = {0};
        orr_text_addf(&yaml, "%s%s", CASE, rows[i].expect);
        checked_begin(&c, yaml.at, 100, false);
        const int status = orr_check_status(&c.check, false), strict = orr_check_status(&c.check, true);
        if (status != rows[i].status || strict != rows[i].strict)
            fail_msg("row %zu: %d, strict %d", i, status, strict);
        checked_end(&c);
        orr_text_fini(&yaml);
    }
}

static void problems_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *expect;
        int line, column;
        const char *says;
    } rows[] = {
        {"      jct.maen: 101\n", 7, 7, "no number of the result has the key jct.maen; did you mean jct.mean?"},
        {"      jct.mean:\n        value: [1, 2]\n", 8, 16, "jct.mean has 2 numbers for 1 seed"},
        {"      jct.mean:   ~\n", 7, 19, "jct.mean is defined, and wasn't expected to be"},
        {"      deadline_met: 0.5\n", 7, 21, "deadline_met is undefined, and wasn't expected to be"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        checked c;
        orr_text yaml = {0};
        orr_text_addf(&yaml, "%s%s", CASE, rows[i].expect);
        checked_begin(&c, yaml.at, 100, false);
        const orr_check_problems *p = &c.check.cases[0].problems;
        assert_int_equal(p->n, 1);
        assert_string_equal(p->at[0].text, rows[i].says);
        if (p->at[0].line != rows[i].line || p->at[0].column != rows[i].column)
            fail_msg("row %zu: %d:%d", i, p->at[0].line, p->at[0].column);
        checked_end(&c);
        orr_text_fini(&yaml);
    }
}

static void no_cases_are_no_pass(void **state)
{
    (void)state;
    checked c;
    checked_begin(&c, "schema: orrery.baseline/1\ncases: []\n", 0, false);
    assert_int_equal(orr_check_status(&c.check, false), 2);
    assert_int_equal(c.check.general.n, 1);
    checked_end(&c);
}

static void words(void **state)
{
    (void)state;
    checked c;
    orr_text t = {0};
    checked_begin(&c, CASE "      jct.mean: {value: 100, tolerance: rel 0.5%}\n      preemptions: 0\n", 100, false);
    const orr_check_case *k = &c.check.cases[0];
    orr_check_sentence(k, &k->numbers.at[0], &t);
    assert_string_equal(t.at, "jct.mean 100 \xE2\x86\x92 101 s (+1, +1 %, tolerance rel 0.5%)");
    orr_text_clear(&t);
    orr_check_sentence(k, &k->numbers.at[1], &t); /* there is no share of nothing */
    assert_string_equal(t.at, "preemptions 0 \xE2\x86\x92 3 (+3, tolerance exact)");
    orr_text_clear(&t);
    orr_check_value(1234.5678901234, 1234.5678901235, "s", &t); /* as many digits as tell them apart */
    assert_string_equal(t.at, "1234.5678901234 s");
    orr_text_clear(&t);
    orr_github_escape("50 %: a,b\r\n", false, &t);
    assert_string_equal(t.at, "50 %25: a,b%0D%0A");
    orr_text_clear(&t);
    orr_github_escape("50 %: a,b\n", true, &t);
    assert_string_equal(t.at, "50 %25%3A a%2Cb%0A");
    orr_text_fini(&t);
    checked_end(&c);
}

/* ---- our own baseline ---- */

/* The part of a spec that names a module of this kind: NAME… +NAME… ~NAME… */
static bool uses(const char *spec, char mark, const char *name)
{
    const char *at = mark ? strchr(spec, mark) : spec;
    at = at && mark ? at + 1 : at;
    const size_t n = strlen(name);
    return at && strncmp(at, name, n) == 0 && (!at[n] || strchr(":,+~", at[n]));
}

static bool has_case(const orr_baseline *b, char mark, const char *name)
{
    for (size_t i = 0; i < b->cases.n; i++)
        if (uses(b->cases.at[i].setup.policy, mark, name))
            return true;
    return false;
}

static bool serves(const orr_baseline *b, const char *name)
{
    for (size_t i = 0; i < b->cases.n; i++)
        if (uses(b->cases.at[i].setup.serve, 0, name) || uses(b->cases.at[i].setup.serve, '+', name))
            return true;
    return false;
}

/* What every case uses that names nothing else. */
static bool is_usual(const char *name)
{
    return strcmp(name, "consolidate") == 0 || strcmp(name, "oracle") == 0;
}

static void every_module_has_its_case(void **state)
{
    (void)state;
    orr_baseline b, served;
    orr_error e = {0};
    if (orr_baseline_read(&b, ORR_SOURCE_DIR "/tests/baseline/policies.yaml", &e) ||
        orr_baseline_read(&served, ORR_SOURCE_DIR "/tests/baseline/serving.yaml", &e))
        fail_msg("%d:%d: %s", e.line, e.column, e.message);
    orr_registry *registry = orr_registry_create();
    const orr_module *const *list;
    const size_t n = orr_registry_modules(registry, &list);
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) {
        char name[64];
        const char mark = list[i]->kind == ORR_KIND_PLACER ? '+' : list[i]->kind == ORR_KIND_ESTIMATOR ? '~' : 0;
        orr_module_shown_name(list[i], name, sizeof name);
        if (list[i]->kind >= ORR_KIND_BATCHER && !serves(&served, name))
            fail_msg("%s has no case in tests/baseline/serving.yaml: add one, then `orrery check "
                     "tests/baseline/serving.yaml --update -m REASON --case NAME`", name);
        if (list[i]->kind < ORR_KIND_BATCHER && !is_usual(name) && !has_case(&b, mark, name))
            fail_msg("%s has no case in tests/baseline/policies.yaml: add one, then `orrery check "
                     "tests/baseline/policies.yaml --update -m REASON --case NAME`", name);
    }
    orr_registry_destroy(registry);
    orr_baseline_fini(&b);
    orr_baseline_fini(&served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses), cmocka_unit_test(problems_have_places), cmocka_unit_test(no_cases_are_no_pass),
        cmocka_unit_test(words),    cmocka_unit_test(every_module_has_its_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
