/* Expressions over a job table of five rows, answered by hand.
 *
 *   job  user  vc      gpus  wait_first  jct  duration  service  state
 *   a    u     vision     1          10   30        20       20  done
 *   b    u     nlp        8          60  160       100      800  done
 *   c    v     vision     8         100  300       200     1600  failed
 *   d    v     nlp        2           -    -        50        0  queued    not measured
 *   e          vision     4           0   40         0      160  done      of no length: no slowdown
 */
#include "metrics/expr.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define S ORR_SECOND
#define NO ORR_TIME_NONE

static const orr_job_row table[] = {
    {.id = "a", .user = "u", .vc = "vision", .state = "done", .reason = "", .gpus = 1, .gpu_milli = 1000, .submit = 0, .first_start =
     10 * S, .end = 30 * S, .wait_first = 10 * S, .wait_total = 10 * S, .jct = 30 * S, .duration = 20 * S, .held =
     20 * S, .service = 20, .slowdown = 1.5, .rho = 0.5, .bsld = 1.5, .deadline = 40 * S, .starts = 1, .attempts =
     1, .pool_gpus = 16, .submitted = true, .measured = true},
    {.id = "b", .user = "u", .vc = "nlp", .state = "done", .reason = "", .gpus = 8, .gpu_milli = 1000, .submit = 5 * S, .first_start
     = 65 * S, .end = 165 * S, .wait_first = 60 * S, .wait_total = 60 * S, .jct = 160 * S, .duration = 100 * S,
     .held = 100 * S, .service = 800, .slowdown = 1.6, .rho = 1.25, .bsld = 1.6, .deadline = NO, .starts = 2,
     .preemptions = 1, .attempts = 1, .pool_gpus = 16, .submitted = true, .measured = true},
    {.id = "c", .user = "v", .vc = "vision", .state = "failed", .reason = "", .gpus = 8, .gpu_milli = 1000, .submit = 6 * S,
     .first_start = 106 * S, .end = 306 * S, .wait_first = 100 * S, .wait_total = 100 * S, .jct = 300 * S,
     .duration = 200 * S, .held = 200 * S, .service = 1600, .slowdown = 1.5, .rho = 1.0, .bsld = 1.5, .deadline =
     NO, .starts = 1, .attempts = 1, .pool_gpus = 16, .submitted = true, .measured = true},
    {.id = "d", .user = "v", .vc = "nlp", .state = "queued", .reason = "", .gpus = 2, .gpu_milli = 1000, .submit = 7 * S,
     .first_start = NO, .end = NO, .wait_first = NO, .wait_total = NO, .jct = NO, .duration = 50 * S, .slowdown =
     NAN, .rho = NAN, .bsld = NAN, .deadline = NO, .attempts = 1, .pool_gpus = 16, .submitted = true},
    {.id = "e", .user = "", .vc = "vision", .state = "done", .reason = "", .gpus = 4, .gpu_milli = 1000, .submit = 8 * S,
     .first_start = 8 * S, .end = 48 * S, .wait_first = 0, .wait_total = 0, .jct = 40 * S, .duration = 0, .held =
     40 * S, .service = 160, .slowdown = NAN, .rho = NAN, .bsld = 4, .deadline = NO, .starts = 1, .attempts = 1,
     .pool_gpus = 16, .submitted = true, .measured = true},
    {.id = "later", .user = "", .vc = "", .state = "pending", .reason = "", .submit = 9000 * S, .first_start = NO,
     .end = NO, .wait_first = NO, .wait_total = NO, .jct = NO, .deadline = NO, .slowdown = NAN, .rho = NAN, .bsld
     = NAN},
};

static orr_err each(void *self, void (*row)(void *to, const orr_job_row *row), void *to, orr_error *e)
{
    int *passes = self;
    ++*passes;
    (void)e;
    for (size_t i = 0; i < COUNT(table); i++)
        row(to, &table[i]);
    return ORR_OK;
}

static bool key(void *self, const char *name, double *value)
{
    static const orr_metrics m = {.jct = {.n = 4, .p50 = 100, .p99 = 295}, .gpu_alloc = 0.5, .lost_work = 129,
                                  .jobs = {.submitted = 5, .rejected = 1}, .rho = {.max = 1.25}, .window = 7200};
    (void)self;
    return orr_metrics_get(&m, name, value);
}

static double value_of(const char *text)
{
    orr_error e = {0};
    int passes = 0;
    double value = -77;
    orr_expr *x = orr_expr_parse(text, &e);
    if (!x)
        fail_msg("%s: %s (%s)", text, e.message, e.text);
    const orr_expr *list[] = {x};
    const orr_expr_source source = {.self = &passes, .each = each, .key = key};
    assert_int_equal(orr_expr_values(list, 1, &source, &value, NULL), ORR_OK);
    orr_expr_destroy(x);
    return value;
}

static void answers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double want;
    } rows[] = {
        {"mean(jct)", 530.0 / 4},
        {"mean(jct where gpus>=8)", 230},
        {"mean(jct where gpus >= 8 and state = done)", 160},
        {"sum(service)", 2580},
        {"sum(service)/3600", 2580.0 / 3600},
        {"sum(service) / 1h", 2580.0 / 3600},
        {"min(wait_first)", 0},
        {"max(wait_first)", 100},
        {"share(wait_first<60s)", 0.5},
        {"share(wait_first <= 1m)", 0.75},
        {"share(wait_first < 60s of all)", 0.4},               /* d doesn't meet it */
        {"share(gpus >= 8 where vc = vision)", 1.0 / 3},
        {"count()", 4},
        {"count(of all)", 5},
        {"count(where gpus = 8)", 2},
        {"count(gpus = 8)", 2},
        {"count(gpus = 8 where user = 'v')", 1},
        {"count(not known(user))", 1},
        {"count(state = queued of all)", 1},
        {"count(state in (done, failed) and (vc = nlp or gpus = 1))", 2},
        {"p50(jct)", 100},                                     /* 30 40 160 300 */
        {"p0(jct)", 30},
        {"p100(jct)", 300},
        {"p25(jct)", 37.5},
        {"p95(wait_first where vc = \"vision\" and state = done)", 9.5},
        {"p99.9(wait_first)", 60 + 0.997 * 40},                 /* 0 10 60 100 at 2.997 */
        {"geomean(gpus)", 4},                                  /* 1 8 8 4: the fourth root of 256 */
        {"stddev(gpus)", 3.4034296427770228},                  /* mean 5.25, squares 34.75 over 3 */
        {"cv(gpus)", 3.4034296427770228 / 5.25},
        {"mean(service / gpus where gpus > 1)", (100 + 200 + 40) / 3.0},
        {"mean(jct / duration)", (1.5 + 1.6 + 1.5) / 3},       /* e divides by 0 and is left out */
        {"mean(slowdown)", (1.5 + 1.6 + 1.5) / 3},
        {"max(bsld)", 4},
        {"sum(starts - 1)", 1},
        {"sum(jct - wait_first - held)", 0},
        {"mean(-gpus)", -5.25},
        {"mean((gpus + 1) * 2)", 12.5},
        {"mean(deadline - end)", 10},                          /* a alone has one */
        {"mean(rho)", 2.75 / 3},
        {"1 + 2 * 3 - 4 / 2", 5},
        {"(1 + 2) * 3", 9},
        {"2 - 3 - 4", -5},
        {"8 / 4 / 2", 1},
        {"--3", 3},
        {"2e3 * 1.5e-1", 300},
        {"1h30m", 5400},
        {"jct.p99 / jct.p50", 2.95},
        {"jct.p99-jct.p50", 195},
        {"jobs.rejected / jobs.submitted", 0.2},
        {"lost_work / sum(service)", 0.05},
        {"gpu_alloc*100", 50},
        {"rho.max", 1.25},
        {"rho:avg_n.max", 1.25},
        {"`rho:avg_n.max` * 2", 2.5},
        {"window / 1h", 2},
        {"mean(jct where gpus >= 8) / mean(jct)", 230 / 132.5},
        {"  mean ( jct )  ", 132.5},
        {"count(where vc = 'where')", 0},
        {"count(vc ~ 'i')", 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double got = value_of(rows[i].text);
        if (!(fabs(got - rows[i].want) <= 1e-12 * fmax(1, fabs(rows[i].want))))
            fail_msg("%s is %.17g, should be %.17g", rows[i].text, got, rows[i].want);
    }
}

/* 16 GPUs shared by N at all times. a: 30 / (20 1 / 1). b: 160 / (100 8 / min(8, 16/N)). c: 300 over twice as much. */
static void fixed_shares(void **state)
{
    (void)state;
    assert_true(value_of("mean(rho:fixed_n=2)") == (1.5 + 1.6 + 1.5) / 3);
    assert_true(value_of("rho:fixed_n=8.max") == 1.5);
    assert_true(value_of("min(rho:fixed_n=8)") == 300 / 800.0);
    assert_true(value_of("rho:fixed_n=8.min") == 300 / 800.0);
    assert_true(value_of("rho:fixed_n=8.p50") == 0.4);
    assert_true(value_of("sum(`rho:fixed_n=8` where gpus = 8)") == 0.4 + 300 / 800.0);
}

static void undefined(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "mean(jct where gpus > 100)", "sum(jct where gpus > 100)", "max(jct where gpus > 100)",
        "share(gpus = 1 where gpus > 100)", "stddev(jct where gpus = 1)", "cv(jct where gpus = 1)", "1 / 0", "0/0",
        "sum(jct) / count(where gpus > 100)", "mean(jct / (gpus - gpus))", "gpu_alloc / lost_work / 0",
        "load:V100", "geomean(0 - gpus)",
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (!isnan(value_of(rows[i])))
            fail_msg("%s is %g, should be undefined", rows[i], value_of(rows[i]));
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *message, *hint; /* parts of them */
    } rows[] = {
        {"", 1, "missing", ""},
        {"mean(", 6, "missing", ""},
        {"mean()", 6, "missing", ""},
        {"mean(jct", 9, "closing parenthesis", ""},
        {"mean(jcts)", 6, "no such column", "jct"},
        {"mean(jct where gpsu > 1)", 16, "no such column", "gpus"},
        {"mean(jct where gpus > many)", 23, "no number", ""},
        {"mean(jct where gpus > 1", 24, "closing parenthesis", ""},
        {"mean(jct where)", 15, "column is missing", ""},
        {"meam(jct)", 1, "no such function", "\"mean\""},
        {"p101(jct)", 1, "no such function", "p0 to p100"},
        {"p5.5.5(jct)", 1, "no such function", ""},
        {"jct", 1, "no such metric", "jct is a column: mean(jct)"},
        {"vc", 1, "no such metric", "share(vc = '...')"},
        {"gpu_aloc", 1, "no such metric", "gpu_alloc"},
        {"1 + que_len", 5, "no such metric", "queue_len"},
        {"mean(state)", 6, "holds texts", ""},
        {"mean(jct < 60s)", 10, "a condition can't be summed", ""},
        {"share()", 7, "share takes a condition", ""},
        {"share(jct)", 10, "operator is missing", ""},
        {"mean(jct) mean(jct)", 11, "ends before this", ""},
        {"mean(jct))", 10, "ends before this", ""},
        {"1 +", 4, "missing", ""},
        {"1 $ 2", 3, "ends before this", ""},
        {"12parsecs", 1, "no number and no duration", ""},
        {"`jct.mean", 1, "not closed", ""},
        {"rho:fixed_n=0.max", 1, "no such metric", ""},
        {"rho:fixed_n=8", 1, "part of the distribution", ""},
        {"rho:fixed_n=8.count", 1, "part of the distribution", ""},
        {"mean(mean(jct))", 6, "no such column", ""},
        {"mean(jct.mean)", 6, "no such column", ""},
        {"mean(jct of)", 10, "closing parenthesis", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        orr_error e = {0};
        if (orr_expr_parse(rows[i].text, &e))
            fail_msg("\"%s\" was taken", rows[i].text);
        assert_int_equal(e.code, ORR_E_BAD_VALUE);
        if (e.column != rows[i].column || !strstr(e.message, rows[i].message) || !strstr(e.hint, rows[i].hint))
            fail_msg("\"%s\": column %d, %s; hint: %s", rows[i].text, e.column, e.message, e.hint);
        assert_string_equal(e.file, "metric");
    }
}

static void bounds_of_size(void **state)
{
    (void)state;
    char text[20001];
    memset(text, '(', 20000);
    text[20000] = '\0';
    orr_error deep = {0}, wide = {0};
    assert_null(orr_expr_parse(text, &deep));
    assert_non_null(strstr(deep.message, "nested too deeply"));
    for (size_t i = 0; i < 20000; i += 2)
        memcpy(text + i, i + 2 < 20000 ? "1+" : "1 ", 2);
    assert_null(orr_expr_parse(text, &wide));
    assert_non_null(strstr(wide.message, "too long"));
}

static void kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool time, is_key;
    } rows[] = {
        {"mean(jct)", true, false},       {"p99(wait_first) * 2", true, false}, {"mean(jct) / 1h", false, false},
        {"share(jct > 1)", false, false}, {"cv(jct)", false, false},            {"jct.mean", true, true},
        {"gpu_alloc", false, true},       {"jct.mean + 5s", true, false},       {"mean(jct) + 5", false, false},
        {"mean(service)", false, false},  {"-jct.p50", true, false},            {"rho.max", false, true},
        {"count()", false, false},        {"mean(jct * gpus)", true, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        orr_expr *x = orr_expr_parse(rows[i].text, NULL);
        assert_non_null(x);
        assert_string_equal(orr_expr_text(x), rows[i].text);
        if (orr_expr_is_time(x) != rows[i].time || orr_expr_is_key(x) != rows[i].is_key)
            fail_msg("%s: time %d, key %d", rows[i].text, orr_expr_is_time(x), orr_expr_is_key(x));
        orr_expr_destroy(x);
    }
    orr_expr_destroy(NULL);
}

/* Several expressions share one pass; none is made where only keys are asked. */
static void one_pass(void **state)
{
    (void)state;
    static const char *const texts[] = {"mean(jct)", "jct.p50", "sum(service) + count()", "share(gpus = 8)"};
    static const double want[] = {132.5, 100, 2584, 0.5};
    const orr_expr *list[COUNT(texts)];
    orr_expr *owned[COUNT(texts)];
    double values[COUNT(texts)];
    int passes = 0;
    const orr_expr_source source = {.self = &passes, .each = each, .key = key};
    for (size_t i = 0; i < COUNT(texts); i++)
        list[i] = owned[i] = orr_expr_parse(texts[i], NULL);
    assert_int_equal(orr_expr_values(list, COUNT(texts), &source, values, NULL), ORR_OK);
    assert_int_equal(passes, 1);
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_true(values[i] == want[i]);
    assert_int_equal(orr_expr_values(list + 1, 1, &source, values, NULL), ORR_OK);
    assert_int_equal(passes, 1);
    for (size_t i = 0; i < COUNT(texts); i++)
        orr_expr_destroy(owned[i]);
}

static orr_err broken(void *self, void (*row)(void *to, const orr_job_row *row), void *to, orr_error *e)
{
    (void)self;
    row(to, &table[0]);
    return orr_error_set(e, ORR_E_RAGGED, "half a row");
}

static void a_source_that_fails(void **state)
{
    (void)state;
    orr_error e = {0};
    double value = 5;
    orr_expr *x = orr_expr_parse("mean(jct)", NULL);
    const orr_expr *list[] = {x};
    const orr_expr_source source = {.each = broken};
    assert_int_equal(orr_expr_values(list, 1, &source, &value, &e), ORR_E_RAGGED);
    assert_true(value == 5);
    orr_expr_destroy(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers),        cmocka_unit_test(fixed_shares), cmocka_unit_test(undefined),
        cmocka_unit_test(refusals),       cmocka_unit_test(bounds_of_size), cmocka_unit_test(kinds),
        cmocka_unit_test(one_pass),       cmocka_unit_test(a_source_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
