/* Baselines: what their keys mean, how wrong files are refused, and how an update changes the text that people wrote.
 */
#include "checked.h"
#include "study/baseline_update.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEAD "schema: orrery.baseline/1\nbase: {trace: t.csv, cluster: nodes=1}\n"
#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C64 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static void keys_have_meanings(void **state)
{
    (void)state;
    static const char yaml[] = HEAD "tolerances: {jct.*: rel 1%, preemptions: abs 2}\n"
                                    "reference: refs\n"
                                    "cases:\n"
                                    "  - name: one\n"
                                    "    policy: fifo,hol=skip\n"
                                    "    seeds: [3, 5..7]\n"
                                    "    tolerances: {jct.p50: exact}\n"
                                    "    expect:\n"
                                    "      jct.mean: [1, 2.5, null, 4e3]\n"
                                    "      jct.p50: 7\n"
                                    "      jct.p99: {value: 8, tolerance: abs 1h}\n"
                                    "      preemptions: 3\n"
                                    "      gpu_alloc: 0.5\n"
                                    "      p95(jct where gpus >= 8): {value: 5, better: lower}\n"
                                    "      mean(wait_first): 6\n"
                                    "  - {name: two, policy: srtf, cluster: nodes=2, seed: 9}\n";
    orr_baseline b;
    orr_error e = {0};
    if (orr_baseline_parse(&b, "b.yaml", yaml, sizeof yaml - 1, &e))
        fail_msg("%d:%d: %s", e.line, e.column, e.message);
    assert_int_equal(b.cases.n, 2);
    const orr_baseline_case *one = &b.cases.at[0], *two = &b.cases.at[1];
    assert_string_equal(one->setup.trace, "t.csv");
    assert_string_equal(one->setup.policy, "fifo,hol=skip");
    assert_int_equal(one->seeds.n, 4);
    assert_int_equal(one->seeds.at[3], 7);
    assert_int_equal(one->setup.seed, 3);
    assert_int_equal(one->expect.at[0].n, 4);
    assert_true(isnan(one->expect.at[0].values[2]));
    assert_true(one->expect.at[0].values[3] == 4000);
    assert_int_equal(one->setup.metrics.n, 2); /* expressions are asked of the run */
    assert_string_equal(one->setup.metrics.at[1], "mean(wait_first)");
    assert_int_equal(one->expect.at[5].direction, ORR_BETTER_LOWER);
    assert_int_equal(one->expect.at[6].direction, ORR_BETTER_TARGET);
    assert_int_equal(one->expect.at[4].direction, ORR_BETTER_HIGHER);
    assert_string_equal(two->setup.cluster, "nodes=2"); /* its own wins */
    assert_int_equal(two->seeds.n, 1);
    assert_int_equal(two->seeds.at[0], 9);
    assert_string_equal(b.reference, "refs");
    /* metric before case before file before what is usual */
    static const struct {
        double abs, rel;
    } want[5] = {{0, 0.01}, {0, 0}, {3600, 0}, {2, 0}, {0, ORR_TOLERANCE_USUAL}};
    for (size_t i = 0; i < 5; i++) {
        const orr_tolerance t = orr_baseline_tolerance(&b, one, &one->expect.at[i], false);
        assert_true(t.abs == want[i].abs && t.rel == want[i].rel);
    }
    assert_true(orr_baseline_tolerance(&b, one, &one->expect.at[4], true).rel == 0);
    orr_baseline_fini(&b);
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        orr_err code;
        int line, column;
        const char *says;
    } rows[] = {
        {"cases: []\n", ORR_E_FORMAT, 1, 1, "no baseline"},
        {"schema: orrery.cluster/1\n", ORR_E_FORMAT, 1, 9, "no baseline"},
        {"schema: orrery.baseline/2\ncases: []\n", ORR_E_VERSION, 1, 9, "knows orrery.baseline/1"},
        {"schema: orrery.baseline/1\n", ORR_E_SYNTAX, 1, 1, "'cases' is missing"},
        {HEAD "cases: []\ncase: 1\n", ORR_E_UNKNOWN_KEY, 4, 1, ""},
        {HEAD "cases:\n  - policy: fifo\n", ORR_E_SYNTAX, 4, 5, "'name' is missing"},
        {HEAD "cases:\n  - name: x\n", ORR_E_SYNTAX, 4, 5, "no policy"},
        {"schema: orrery.baseline/1\ncases:\n  - {name: x, policy: fifo, cluster: c}\n", ORR_E_SYNTAX, 3, 5,
         "no trace"},
        {"schema: orrery.baseline/1\ncases:\n  - {name: x, policy: fifo, trace: t}\n", ORR_E_SYNTAX, 3, 5,
         "no cluster"},
        {HEAD "cases:\n  - {name: x, policy: fifo}\n  - {name: x, policy: fifo}\n", ORR_E_SYNTAX, 5, 5, "name 'x'"},
        {HEAD "cases:\n  - {name: x, policy: fifo, polcy: las}\n", ORR_E_UNKNOWN_KEY, 4, 29, ""},
        {HEAD "cases:\n  - {name: x, policy: fifo, seeds: [1, 2, 1]}\n", ORR_E_SYNTAX, 4, 43, "given twice"},
        {HEAD "cases:\n  - {name: x, policy: fifo, seeds: [9..1]}\n", ORR_E_NUMBER, 4, 37, "whole number"},
        {HEAD "cases:\n  - {name: x, policy: fifo, seeds: 1..99999999}\n", ORR_E_NUMBER, 4, 36, "whole number"},
        {HEAD "cases:\n  - {name: x, policy: fifo, seed: 1, seeds: 2}\n", ORR_E_CONFLICT, 4, 29, "exclude"},
        {HEAD "cases:\n  - {name: x, policy: fifo, inputs: {trace: 12ab}}\n", ORR_E_SYNTAX, 4, 45, "SHA-256"},
        {HEAD "cases:\n  - {name: x, policy: fifo, expect: {jct.mean: soon}}\n", ORR_E_NUMBER, 4, 48, "number"},
        {HEAD "cases:\n  - {name: x, policy: fifo, expect: {jct.mean: \"1\"}}\n", ORR_E_NUMBER, 4, 48, "number"},
        {HEAD "cases:\n  - {name: x, policy: fifo, expect: {jct.mean: [[1]]}}\n", ORR_E_NUMBER, 4, 49, "number"},
        {HEAD "cases:\n  - {name: x, policy: fifo, expect: {jct.mean: {tolerance: exact}}}\n", ORR_E_SYNTAX, 4, 48,
         "'value' is missing"},
        {HEAD "cases:\n  - {name: x, policy: fifo, expect: {jct.mean: {value: 1, within: 2}}}\n", ORR_E_UNKNOWN_KEY, 4,
         59, "value, tolerance and better"},
        {HEAD "cases:\n  - {name: x, policy: fifo, expect: {jct.mean: {value: 1, better: up}}}\n", ORR_E_SYNTAX, 4, 67,
         "lower, higher or target"},
        {HEAD "tolerances: {jct.maen: exact}\ncases: []\n", ORR_E_UNKNOWN_KEY, 3, 14, "no number"},
        {HEAD "tolerances: {jtc.*: exact}\ncases: []\n", ORR_E_UNKNOWN_KEY, 3, 14, "no number"},
        {HEAD "tolerances: {jct.*: 1%}\ncases: []\n", ORR_E_NUMBER, 3, 21, "no tolerance"},
        {HEAD "metrics: [jct.mean, jct.maen]\ncases: []\n", ORR_E_UNKNOWN_KEY, 3, 21, "no number"},
        {HEAD "cases: []\nupdates: [{when: now}]\n", ORR_E_UNKNOWN_KEY, 4, 12, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_baseline b;
        orr_error e = {0};
        const orr_err code = orr_baseline_parse(&b, "b.yaml", rows[i].yaml, strlen(rows[i].yaml), &e);
        if (code != rows[i].code || e.line != rows[i].line || e.column != rows[i].column ||
            !strstr(e.message, rows[i].says))
            fail_msg("row %zu: %d:%d: %s [%s]", i, e.line, e.column, e.message, orr_err_name(code));
        assert_string_equal(e.file, "b.yaml");
        orr_baseline_fini(&b);
    }
}

/* ---- updates ---- */

static const orr_update_note note = {"2025-11-30", "1c69f5a", "because \"it\"\\"};
#define ENTRY "  - date: \"2025-11-30\"\n    commit: \"1c69f5a\"\n    reason: \"because \\\"it\\\"\\\\\"\n"

static void update_gives(const char *name, const char *before, const char *after, size_t numbers, size_t inputs)
{
    checked c;
    orr_update u;
    orr_error e = {0};
    checked_begin(&c, before, 100, true);
    if (orr_baseline_update(&c.check, &note, &u, &e))
        fail_msg("%s: %s\n%s", name, e.message, u.text.at);
    if (strcmp(u.text.at, after) != 0)
        fail_msg("%s gives\n%s", name, u.text.at);
    assert_int_equal(u.numbers, numbers);
    assert_int_equal(u.inputs, inputs);
    orr_update_fini(&u);
    checked_end(&c);
}

#define INPUTS "    inputs: {trace: " A64 ", cluster: " B64 "}\n"

static void numbers_change_where_they_stand(void **state)
{
    (void)state;
    update_gives("comments and layout",
                 HEAD "cases:\n"
                      "  # the first\n"
                      "  - name: x\n"
                      "    policy:   fifo\n" INPUTS
                      "    expect:\n"
                      "      jct.mean:  99.5   # too good\n"
                      "      preemptions: 3\n"
                      "\n"
                      "      gpu_alloc: {tolerance: rel 1%, value: 0.4} # loose\n"
                      "# the log\n"
                      "updates:\n"
                      "  - {date: 2025-01-01, reason: first}\n"
                      "# the end\n",
                 HEAD "cases:\n"
                      "  # the first\n"
                      "  - name: x\n"
                      "    policy:   fifo\n" INPUTS
                      "    expect:\n"
                      "      jct.mean:  101   # too good\n"
                      "      preemptions: 3\n"
                      "\n"
                      "      gpu_alloc: {tolerance: rel 1%, value: 0.5} # loose\n"
                      "# the log\n"
                      "updates:\n"
                      "  - {date: 2025-01-01, reason: first}\n" ENTRY
                      "# the end\n",
                 2, 0);
    update_gives("nothing to change", HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                                           "    expect: {jct.mean: 1.01e2, deadline_met: ~}\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                      "    expect: {jct.mean: 1.01e2, deadline_met: ~}\n", 0, 0);
    update_gives("defined and undefined", HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                                               "    expect: {jct.mean: null, deadline_met: 1, jct.mean@vision: 3}\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                      "    expect: {jct.mean: 101, deadline_met: null, jct.mean@vision: 4}\nupdates:\n" ENTRY, 3, 0);
    update_gives("no number yet", HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                                       "    expect:\n      jct.mean:\n      jct.p50: 7\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                      "    expect:\n      jct.mean: 101\n      jct.p50: 7\nupdates:\n" ENTRY, 1, 0);
}

static void lists_change_where_they_stand(void **state)
{
    (void)state;
    update_gives("one of three", HEAD "cases:\n  - name: x\n    policy: fifo\n    seeds: [1, 2, 3]\n" INPUTS
                                      "    expect: {jct.mean: [101,  0 , 103], jct.p50: [7, 7, 7]}\nupdates: []\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n    seeds: [1, 2, 3]\n" INPUTS
                      "    expect: {jct.mean: [101,  102 , 103], jct.p50: [7, 7, 7]}\n"
                      "updates: [{date: \"2025-11-30\", commit: \"1c69f5a\", reason: \"because \\\"it\\\"\\\\\"}]\n",
                 1, 0);
    update_gives("a list by lines", HEAD "cases:\n  - name: x\n    policy: fifo\n    seeds: [1, 2]\n" INPUTS
                                         "    expect:\n      jct.mean:\n        - 5 # one\n        - 102\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n    seeds: [1, 2]\n" INPUTS
                      "    expect:\n      jct.mean:\n        - 101 # one\n        - 102\nupdates:\n" ENTRY,
                 1, 0);
    update_gives("more seeds than before", HEAD "cases:\n  - name: x\n    policy: fifo\n    seeds: [1, 2]\n" INPUTS
                                                "    expect:\n      jct.mean: 5\n      jct.p50: [7]\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n    seeds: [1, 2]\n" INPUTS
                      "    expect:\n      jct.mean: [101, 102]\n      jct.p50: [7, 7]\nupdates:\n" ENTRY,
                 2, 0);
    update_gives("fewer, by lines below the key", HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                                                       "    expect:\n      jct.mean:\n      - 5\n      - 6\n"
                                                       "      jct.p50: 7\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS
                      "    expect:\n      jct.mean:\n        101\n      jct.p50: 7\nupdates:\n" ENTRY,
                 1, 0);
}

#define METRICS "metrics: [jct.mean, gpu_alloc, \"rho:avg_n.p99\"]\n"

static void new_cases_are_filled_in(void **state)
{
    (void)state;
    update_gives("by lines", HEAD METRICS "cases:\n  - name: x # new\n    policy: fifo # simple\n  - name: y\n"
                                          "    policy: srtf\n    expect:\n",
                 HEAD METRICS "cases:\n"
                              "  - name: x # new\n"
                              "    policy: fifo # simple\n"
                              "    inputs:\n"
                              "      trace: " A64 "\n"
                              "      cluster: " B64 "\n"
                              "    expect:\n"
                              "      jct.mean: 101\n"
                              "      gpu_alloc: 0.5\n"
                              "      rho:avg_n.p99: 2\n"
                              "  - name: y\n"
                              "    policy: srtf\n"
                              "    expect:\n"
                              "      jct.mean: 101\n"
                              "      gpu_alloc: 0.5\n"
                              "      rho:avg_n.p99: 2\n"
                              "    inputs:\n"
                              "      trace: " A64 "\n"
                              "      cluster: " B64 "\n"
                              "updates:\n" ENTRY,
                 6, 4);
    update_gives("in brackets",
                 HEAD METRICS "cases:\n  - {name: x, policy: fifo, seeds: 1..2}\n  - {name: y, policy: las,\n"
                                             "     expect: {}, inputs: {trace: " C64 "}}\n",
                 HEAD METRICS "cases:\n"
                              "  - {name: x, policy: fifo, seeds: 1..2, inputs: {trace: " A64 ", cluster: " B64 "}, "
                              "expect: {jct.mean: [101, 102], gpu_alloc: [0.5, 0.5], rho:avg_n.p99: [2, 2]}}\n"
                              "  - {name: y, policy: las,\n"
                              "     expect: {jct.mean: 101, gpu_alloc: 0.5, rho:avg_n.p99: 2}, "
                              "inputs: {trace: " A64 ", cluster: " B64 "}}\n"
                              "updates:\n" ENTRY,
                 6, 4);
}

static void digests_change_where_they_stand(void **state)
{
    (void)state;
    update_gives("one of two", HEAD "cases:\n  - name: x\n    policy: fifo\n    inputs:\n      cluster: " B64 "\n"
                                    "      trace: \"" C64 "\" # quoted\n    expect: {jct.mean: 101}\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n    inputs:\n      cluster: " B64 "\n"
                      "      trace: " A64 " # quoted\n    expect: {jct.mean: 101}\nupdates:\n" ENTRY,
                 0, 1);
    update_gives("an input that is read no more",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n    inputs: {trace: " A64 ", cluster: " B64
                      ", old: " C64 "}\n    expect: {jct.mean: 101}\n",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n    inputs: {trace: " A64 ", cluster: " B64
                      "}\n    expect: {jct.mean: 101}\nupdates:\n" ENTRY,
                 0, 2);
}

static void line_ends_stay(void **state)
{
    (void)state;
    update_gives("no break at the end",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS "    expect: {jct.mean: 1}",
                 HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS "    expect: {jct.mean: 101}\nupdates:\n"
                      "  - date: \"2025-11-30\"\n    commit: \"1c69f5a\"\n    reason: \"because \\\"it\\\"\\\\\"",
                 1, 0);
    static const char before[] = "\xEF\xBB\xBFschema: orrery.baseline/1\r\nbase: {trace: t, cluster: c} # \xC3\xA9\r\n"
                                 "cases:\r\n  - {name: \xC3\xA9\xC3\xA9, policy: fifo, expect: {jct.mean: 1}, inputs: "
                                 "{trace: " A64 ", cluster: " B64 "}}\r\nupdates:\r\n";
    static const char after[] = "\xEF\xBB\xBFschema: orrery.baseline/1\r\nbase: {trace: t, cluster: c} # \xC3\xA9\r\n"
                                "cases:\r\n  - {name: \xC3\xA9\xC3\xA9, policy: fifo, expect: {jct.mean: 101}, inputs: "
                                "{trace: " A64 ", cluster: " B64 "}}\r\nupdates:\r\n"
                                "  - date: \"2025-11-30\"\r\n    commit: \"1c69f5a\"\r\n"
                                "    reason: \"because \\\"it\\\"\\\\\"\r\n";
    update_gives("CRLF, a byte order mark, wide letters", before, after, 1, 0);
}

/* What isn't selected keeps its old numbers. */
static void one_case_alone(void **state)
{
    (void)state;
    static const char yaml[] = HEAD "cases:\n  - name: x\n    policy: fifo\n" INPUTS "    expect: {jct.mean: 1}\n"
                                    "  - name: y\n    policy: fifo\n" INPUTS "    expect: {jct.mean: 1}\n";
    checked c;
    orr_update u;
    orr_error e = {0};
    checked_begin(&c, yaml, 100, true);
    c.check.cases[0].selected = false;
    assert_int_equal(orr_baseline_update(&c.check, &note, &u, &e), ORR_OK);
    assert_non_null(strstr(u.text.at, "expect: {jct.mean: 1}\n  - name: y"));
    assert_non_null(strstr(u.text.at, "expect: {jct.mean: 101}\nupdates:"));
    orr_update_fini(&u);
    checked_end(&c);
}

/* ---- the page ---- */

#define README ORR_SOURCE_DIR "/configs/README.md"

static void read_page(orr_text *out)
{
    char buf[4096];
    FILE *f = fopen(README, "rb");
    assert_non_null(f);
    for (size_t n = fread(buf, 1, sizeof buf, f); n; n = fread(buf, 1, sizeof buf, f))
        orr_text_add(out, buf, n);
    fclose(f);
}

/* ORRERY_UPDATE_DOCS=1 writes the page instead of comparing it. */
static void the_page_is_what_the_tables_say(void **state)
{
    (void)state;
    static const char begin[] = "<!-- baselines begins -->\n", end[] = "<!-- baselines ends -->";
    orr_text page = {0}, want = {0};
    read_page(&page);
    const char *from = strstr(page.at, begin), *to = strstr(page.at, end);
    assert_true(from && to);
    orr_text_add(&want, page.at, (size_t)(from - page.at) + sizeof begin - 1);
    orr_baseline_keys_markdown(&want);
    orr_text_add(&want, to, strlen(to));
    if (getenv("ORRERY_UPDATE_DOCS")) {
        FILE *f = fopen(README, "wb");
        assert_non_null(f);
        fputs(want.at, f);
        fclose(f);
    } else if (strcmp(page.at, want.at) != 0) {
        fail_msg("%s differs from the tables; ORRERY_UPDATE_DOCS=1 with this test writes it anew", README);
    }
    orr_text_fini(&page);
    orr_text_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_meanings),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(numbers_change_where_they_stand),
        cmocka_unit_test(lists_change_where_they_stand),
        cmocka_unit_test(new_cases_are_filled_in),
        cmocka_unit_test(digests_change_where_they_stand),
        cmocka_unit_test(line_ends_stay),
        cmocka_unit_test(one_case_alone),
        cmocka_unit_test(the_page_is_what_the_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
