/* Claim files as they are read: what is made of a right one, and where a wrong one is said to be wrong. */
#include "study/claim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                                           \
    "schema: orrery.claim/1\nsystem: S\nsurvey: 3.1.1\nsource: T\nclaim: It is so.\npolicy: las+spread~limit\n"        \
    "baseline: fifo\n"
#define TWO "case: {cluster: 'nodes=1,gpus=4'}\njobs: |\n  submit,gpus,duration\n  0,1,10\n  5,4,20\n"

static orr_claim *parse(const char *text, orr_error *e)
{
    return orr_claim_parse("configs/survey/it.yaml", text, strlen(text), e);
}

static orr_claim *must_parse(const char *text)
{
    orr_error e = {0};
    orr_claim *c = parse(text, &e);
    if (!c)
        fail_msg("%d:%d %s (%s)", e.line, e.column, e.message, e.text);
    return c;
}

static void check_term(const orr_claim *c, const orr_claim_term *t, const char *run, const char *metric)
{
    assert_string_equal(c->runs.at[t->run].name, run);
    assert_string_equal(t->metric, metric);
}

static void a_claim_has_runs_and_expectations(void **state)
{
    (void)state;
    orr_claim *c = must_parse(HEAD TWO "runs:\n  - {name: big, cluster: 'nodes=2,gpus=4'}\n"
                                       "  - {name: baseline, seed: 7}\n"
                                       "expect:\n  - ratio <= 0.6\n  - difference < 0\n  - value == 3\n"
                                       "  - big.jct.p99 - policy.makespan in 1s..2min\n");
    assert_string_equal(c->name, "it");
    assert_int_equal(c->runs.n, 3);
    assert_string_equal(c->runs.at[0].conditions.policy, "las+spread~limit");
    assert_string_equal(c->runs.at[1].conditions.policy, "fifo");
    assert_int_equal(c->runs.at[1].conditions.seed, 7);
    assert_int_equal(c->runs.at[0].conditions.seed, 1);
    assert_string_equal(c->runs.at[2].conditions.policy, "las+spread~limit");
    assert_string_equal(c->runs.at[2].conditions.cluster, "nodes=2,gpus=4");
    assert_int_equal(c->expects.n, 4);
    assert_int_equal(c->expects.at[0].op, '/');
    check_term(c, &c->expects.at[0].terms[0], "policy", "jct.mean");
    check_term(c, &c->expects.at[0].terms[1], "baseline", "jct.mean");
    assert_int_equal(c->expects.at[1].op, '-');
    assert_int_equal(c->expects.at[2].op, 0);
    check_term(c, &c->expects.at[3].terms[0], "big", "jct.p99");
    check_term(c, &c->expects.at[3].terms[1], "policy", "makespan");
    orr_claim_destroy(c);
}

static void jobs_stand_in_the_file(void **state)
{
    (void)state;
    orr_claim *c = must_parse(HEAD TWO "expect: value > 0\n");
    orr_error e = {0};
    orr_trace *trace = orr_claim_workload(c, 1, &e);
    assert_non_null(trace);
    assert_int_equal(orr_trace_count(trace), 2);
    assert_int_equal(orr_trace_jobs(trace)[1].gpus, 4);
    orr_trace_destroy(trace);
    orr_claim_destroy(c);
}

static void a_drawn_workload_goes_by_the_seed(void **state)
{
    (void)state;
    orr_claim *c = must_parse(HEAD "case: {cluster: 'nodes=1,gpus=4'}\nsynth: {jobs: 50, span: 1d, max-gpus: 4}\n"
                                   "expect: value > 0\n");
    orr_trace *a = orr_claim_workload(c, 1, NULL), *b = orr_claim_workload(c, 1, NULL),
              *other = orr_claim_workload(c, 2, NULL);
    assert_int_equal(orr_trace_count(a), 50);
    bool same = true, different = false;
    for (size_t i = 0; i < 50; i++) {
        same = same && orr_trace_jobs(a)[i].duration == orr_trace_jobs(b)[i].duration;
        different = different || orr_trace_jobs(a)[i].duration != orr_trace_jobs(other)[i].duration;
    }
    assert_true(same && different);
    orr_trace_destroy(a);
    orr_trace_destroy(b);
    orr_trace_destroy(other);
    orr_claim_destroy(c);
}

static void it_is_about_what_its_policy_names(void **state)
{
    (void)state;
    orr_claim *c = must_parse(HEAD TWO "expect: value > 0\n");
    assert_true(orr_claim_about(c, "las") && orr_claim_about(c, "spread") && orr_claim_about(c, "limit"));
    assert_false(orr_claim_about(c, "la") || orr_claim_about(c, "fifo") || orr_claim_about(c, "read"));
    orr_claim_destroy(c);
}

static void needs_are_looked_for(void **state)
{
    (void)state;
    orr_claim *c = must_parse(HEAD TWO "expect: value > 0\nneeds: [/, /no/such/file]\n");
    assert_string_equal(orr_claim_missing(c), "/no/such/file");
    orr_claim_destroy(c);
    c = must_parse(HEAD TWO "expect: value > 0\nneeds: /\n");
    assert_null(orr_claim_missing(c));
    orr_claim_destroy(c);
}

static void errors_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        orr_err code;
        int line, column;
        const char *message, *hint;
    } rows[] = {
        {"no key", HEAD TWO, ORR_E_SYNTAX, 1, 1, "'expect' is missing", ""},
        {"typo", HEAD TWO "expct: value > 0\n", ORR_E_UNKNOWN_KEY, 13, 1, "'expct'", "did you mean 'expect'"},
        {"schema", "schema: orrery.cluster/1\n" TWO, ORR_E_SYNTAX, 1, 1, "missing", ""},
        {"case key", HEAD "case: {clustr: x}\nexpect: value > 0\n", ORR_E_UNKNOWN_KEY, 8, 8, "clustr", "cluster"},
        {"synth key", HEAD TWO "synth: {job: 3}\nexpect: value > 0\n", ORR_E_UNKNOWN_KEY, 13, 9, "'job'", "'jobs'"},
        {"two workloads", HEAD TWO "synth: {jobs: 3}\nexpect: value > 0\n", ORR_E_SYNTAX, 1, 1, "exclude", ""},
        {"no workload", HEAD "case: {cluster: x}\nexpect: value > 0\n", ORR_E_SYNTAX, 1, 1, "needs a workload", ""},
        {"no cluster", HEAD "synth: {jobs: 3}\nexpect: value > 0\n", ORR_E_SYNTAX, 1, 1, "no cluster", ""},
        {"no bound", HEAD TWO "expect: ratio\n", ORR_E_BAD_VALUE, 13, 9, "no bound", "`jct.mean < 2h`"},
        {"no run", HEAD TWO "expect:\n  - value > 0\n  - other > 0\n", ORR_E_BAD_VALUE, 15, 5, "no run 'other'", ""},
        {"no metric", HEAD TWO "expect: policy.jct.men > 0\n", ORR_E_BAD_VALUE, 13, 9, "no such metric", "jct.mean"},
        {"pattern", HEAD TWO "expect: policy.jct.* > 0\n", ORR_E_BAD_VALUE, 13, 9, "", ""},
        {"run name", HEAD TWO "runs: [{name: ratio}]\nexpect: value > 0\n", ORR_E_SYNTAX, 13, 15, "small letters", ""},
        {"same name", HEAD TWO "runs: [{name: a}, {name: a}]\nexpect: a > 0\n", ORR_E_SYNTAX, 13, 26, "two runs", ""},
        {"seeds", HEAD TWO "seeds: 0\nexpect: value > 0\n", ORR_E_NUMBER, 13, 8, "from 1 to 1000", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        if (parse(rows[i].text, &e))
            fail_msg("%s: was read", rows[i].name);
        if (e.code != rows[i].code || e.line != rows[i].line || e.column != rows[i].column ||
            !strstr(e.message, rows[i].message) || !strstr(e.hint, rows[i].hint))
            fail_msg("%s: %d:%d %s [%s] hint: %s", rows[i].name, e.line, e.column, e.message, orr_err_name(e.code),
                     e.hint);
        assert_string_equal(e.file, "configs/survey/it.yaml");
    }
}

static void schemas_are_told_apart(void **state)
{
    (void)state;
    static const char rest[] = "\nsystem: S\nsurvey: 3.1.1\nsource: T\nclaim: C\npolicy: fifo\nexpect: value > 0\n";
    orr_error later = {0}, other = {0};
    char text[400];
    snprintf(text, sizeof text, "schema: orrery.claim/2%s", rest);
    assert_null(parse(text, &later));
    assert_int_equal(later.code, ORR_E_VERSION);
    snprintf(text, sizeof text, "schema: orrery.cluster/1%s", rest);
    assert_null(parse(text, &other));
    assert_int_equal(other.code, ORR_E_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_has_runs_and_expectations), cmocka_unit_test(jobs_stand_in_the_file),
        cmocka_unit_test(a_drawn_workload_goes_by_the_seed), cmocka_unit_test(it_is_about_what_its_policy_names),
        cmocka_unit_test(needs_are_looked_for),              cmocka_unit_test(errors_say_where),
        cmocka_unit_test(schemas_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
