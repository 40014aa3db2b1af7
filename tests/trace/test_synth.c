/* Synthetic traces: shapes against the published figures, streams that don't disturb each other, loads, wrong
 * options. */
#define _POSIX_C_SOURCE 200809L
#include <orrery/synth.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/stat.h"
#include "making.h"

#include <math.h>

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *data = malloc(1 << 20);
    *size = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

/* The trace as written, and the file removed again. */
static char *written(const orr_synth_options *o, size_t *size)
{
    char path[] = "/tmp/orrery-synth-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    orr_trace *t = make(o);
    assert_int_equal(orr_trace_write(t, path, "made by a test", NULL), ORR_OK);
    orr_trace_destroy(t);
    char *data = slurp(path, size);
    unlink(path);
    return data;
}

static void one_seed_one_trace(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.vcs = 3;
    o.deadline_share = 0.5;
    o.limit_factor = 2;
    size_t n, m, k;
    char *first = written(&o, &n), *again = written(&o, &m);
    o.seed = 2;
    char *other = written(&o, &k);
    assert_true(n > 1000);
    assert_true(n == m && memcmp(first, again, n) == 0);
    assert_false(n == k && memcmp(first, other, n) == 0);
    free(first);
    free(again);
    free(other);
}

static void a_change_moves_its_own_column_only(void **state)
{
    (void)state;
    orr_synth_options base = orr_synth_options_default(), o = base;
    base.vcs = o.vcs = 4;
    o.arrivals = "poisson";
    assert_int_equal(columns_that_differ(&base, &o), SUBMIT);
    o.arrivals = "bursty";
    assert_int_equal(columns_that_differ(&base, &o), SUBMIT);
    o.arrivals = "at-once";
    assert_int_equal(columns_that_differ(&base, &o), SUBMIT);
    o = base;
    o.load = 0.5;
    o.gpus = 100;
    assert_int_equal(columns_that_differ(&base, &o), SUBMIT);
    o = base;
    o.jobs = 1500; /* a longer trace begins with the same jobs */
    assert_int_equal(columns_that_differ(&base, &o), SUBMIT);
    o = base;
    o.users = 7;
    assert_int_equal(columns_that_differ(&base, &o), USER | NAME);
    o = base;
    o.limit_factor = 3;
    o.deadline_share = 1;
    assert_int_equal(columns_that_differ(&base, &o), LIMIT | DEADLINE);
    o.deadline_share = 0.5; /* fewer jobs, the same deadlines */
    assert_int_equal(columns_that_differ(&base, &o), LIMIT | DEADLINE);
    o = base;
    o.durations = "exp:1h";
    assert_int_equal(columns_that_differ(&base, &o), DURATION | NAME);
    o = base;
    o.recurrence = 0.2;
    assert_int_equal(columns_that_differ(&base, &o), NAME);
    o = base;
    o.user_zipf = 2;
    assert_int_equal(columns_that_differ(&base, &o), USER | NAME);
    o = base;
    o.vc_zipf = 0;
    assert_int_equal(columns_that_differ(&base, &o), VC | USER | NAME);
}

/* Bounding the sizes changes the durations of the jobs whose size changed, and of no other. */
static void a_bound_on_sizes_is_kept(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.shape = "helios";
    o.jobs = 20000;
    o.span = 10 * ORR_DAY;
    orr_trace *free_sizes = make(&o);
    o.max_gpus = 12;
    orr_trace *bound = make(&o);
    const orr_trace_job *a = orr_trace_jobs(free_sizes), *b = orr_trace_jobs(bound);
    int32_t most = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        most = b[i].gpus > most ? b[i].gpus : most;
        if (a[i].gpus == b[i].gpus)
            assert_int_equal(a[i].duration, b[i].duration);
    }
    assert_int_equal(most, 8);
    orr_trace_destroy(free_sizes);
    orr_trace_destroy(bound);
}

/* ---- shapes ---- */

typedef struct columns {
    size_t n;
    double *seconds;         /* ascending */
    double mean, gpus, work; /* means; work is GPU-seconds a job */
    double failed, killed;
    double share_one; /* jobs on one GPU */
} columns;

static columns columns_of(const orr_synth_options *o)
{
    orr_trace *t = make(o);
    columns c = {.n = orr_trace_count(t)};
    c.seconds = malloc(c.n * sizeof *c.seconds);
    double one = 1.0 / (double)c.n;
    for (size_t i = 0; i < c.n; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        assert_int_equal(j->duration % ORR_SECOND, 0);
        assert_int_equal(j->submit % ORR_SECOND, 0);
        assert_true(j->duration >= ORR_SECOND);
        c.seconds[i] = orr_time_seconds(j->duration);
        c.mean += c.seconds[i] * one;
        c.gpus += j->gpus * one;
        c.work += c.seconds[i] * j->gpus * one;
        c.failed += j->ending == ORR_ENDING_FAILED ? one : 0;
        c.killed += j->ending == ORR_ENDING_KILLED ? one : 0;
        c.share_one += j->gpus == 1 ? one : 0;
    }
    orr_sort_doubles(c.seconds, c.n);
    orr_trace_destroy(t);
    return c;
}

/* The published quantiles of the Philly csv. The tail's tolerances are wider than its sampling error alone would ask,
 * since a mixture has no kinks where the recorded curve has. */
static void philly_looks_like_philly(void **state)
{
    (void)state;
    static const struct {
        double p, seconds, tolerance;
    } rows[] = {{0.05, 48, 0.15},    {0.10, 61, 0.10},     {0.25, 115, 0.10},
                {0.50, 1144, 0.05},  {0.75, 2932, 0.10},   {0.90, 11265, 0.10},
                {0.95, 43646, 0.20}, {0.99, 254758, 0.10}, {0.999, 1186277, 0.15}};
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 100000;
    columns c = columns_of(&o);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char what[32];
        snprintf(what, sizeof what, "quantile %g", rows[i].p);
        check_near(what, orr_quantile(c.seconds, c.n, rows[i].p), rows[i].seconds, rows[i].tolerance);
    }
    check_near("mean duration", c.mean, 13135.9, 0.05);
    check_near("mean GPUs", c.gpus, 1.3038, 0.02);
    check_near("GPU-seconds a job", c.work, 42811, 0.10);
    check_near("share of one GPU", c.share_one, 76627 / 82247.0, 0.01);
    check_near("failed", c.failed, 0.172, 0.03);
    check_near("killed", c.killed, 0.135, 0.03);
    assert_true(c.seconds[c.n - 1] <= 4628226);
    free(c.seconds);
}

static void helios_looks_like_helios(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.shape = "helios";
    o.jobs = 100000;
    columns c = columns_of(&o);
    check_near("median duration", orr_quantile(c.seconds, c.n, 0.5), 206, 0.05);
    check_near("mean duration", c.mean, 6651.7, 0.10);
    check_near("mean GPUs", c.gpus, 3.716, 0.03);
    check_near("GPU-seconds a job", c.work, 49351, 0.20);
    check_near("failed", c.failed, 0.155, 0.03);
    check_near("killed", c.killed, 0.221, 0.03);
    assert_true(c.share_one > 0.5);
    assert_true(c.seconds[c.n - 1] <= 4320009);
    free(c.seconds);
}

/* Wider jobs run longer: hours a job from the published GPU-hours. */
static void size_and_duration_go_together(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 300000;
    orr_trace *t = make(&o);
    double hours[9] = {0}, jobs[9] = {0};
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        if (j->gpus > 8)
            continue;
        hours[j->gpus] += orr_time_seconds(j->duration) / 3600;
        jobs[j->gpus]++;
    }
    check_near("hours on 1 GPU", hours[1] / jobs[1], 2.306, 0.10);
    check_near("hours on 2 GPUs", hours[2] / jobs[2], 8.595, 0.15);
    check_near("hours on 4 GPUs", hours[4] / jobs[4], 21.88, 0.10);
    check_near("hours on 8 GPUs", hours[8] / jobs[8], 36.05, 0.10);
    orr_trace_destroy(t);
}

/* ---- arrivals ---- */

static double offered_load(const orr_trace *t, double gpus)
{
    const orr_trace_job *j = orr_trace_jobs(t);
    size_t n = orr_trace_count(t);
    double work = 0;
    for (size_t i = 0; i < n; i++)
        work += orr_time_seconds(j[i].duration) * j[i].gpus;
    return work / (gpus * orr_time_seconds(j[n - 1].submit - j[0].submit));
}

static void the_load_is_met(void **state)
{
    (void)state;
    static const char *const arrivals[] = {"poisson", "diurnal", "bursty"};
    orr_synth_options o = orr_synth_options_default();
    o.load = 0.85;
    o.gpus = 256;
    o.jobs = 3000;
    for (size_t i = 0; i < 3; i++) {
        o.arrivals = arrivals[i];
        orr_trace *t = make(&o);
        check_near(arrivals[i], offered_load(t, 256), 0.85, 0.02);
        orr_trace_destroy(t);
    }
}

static double gap_cv(const char *arrivals, double cv)
{
    orr_synth_options o = orr_synth_options_default();
    o.arrivals = arrivals;
    o.cv = cv;
    o.jobs = 50000;
    o.span = 1000 * ORR_DAY;
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    double sum = 0, squares = 0, n = (double)o.jobs - 1;
    for (size_t i = 1; i < o.jobs; i++) {
        double gap = orr_time_seconds(j[i].submit - j[i - 1].submit);
        sum += gap;
        squares += gap * gap;
    }
    orr_trace_destroy(t);
    return sqrt(squares / n - (sum / n) * (sum / n)) / (sum / n);
}

static void gaps_vary_as_asked(void **state)
{
    (void)state;
    check_near("poisson", gap_cv("poisson", 4), 1, 0.03);
    check_near("bursty, 0.5", gap_cv("bursty", 0.5), 0.5, 0.03);
    check_near("bursty, 4", gap_cv("bursty", 4), 4, 0.10);
}

/* Shares of hours and weekdays over 20 weeks, against the table they came from: of 82,247 jobs, 7,159 in hour 7. */
static void days_have_their_rhythm(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 100000;
    o.span = 140 * ORR_DAY;
    orr_trace *t = make(&o);
    double hour[24] = {0}, day[7] = {0};
    for (size_t i = 0; i < o.jobs; i++) {
        orr_time at = orr_trace_jobs(t)[i].submit;
        assert_true(at >= 0 && at < o.span);
        hour[at / ORR_HOUR % 24]++;
        day[at / ORR_DAY % 7]++;
    }
    check_near("hour 7", hour[7] / 1e5, 7159 / 82247.0, 0.04);
    check_near("hour 14", hour[14] / 1e5, 2185 / 82247.0, 0.06);
    check_near("Friday", day[4] / 1e5, 16954 / 82247.0, 0.03);
    check_near("Sunday", day[6] / 1e5, 6988 / 82247.0, 0.04);
    orr_trace_destroy(t);
}

static void the_usual_gap_sets_the_span(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.arrivals = "poisson";
    o.jobs = 20000;
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    check_near("mean gap", orr_time_seconds(j[o.jobs - 1].submit) / 20000, 114.4, 0.01);
    size_t equal = 0;
    for (size_t i = 1; i < o.jobs; i++)
        equal += j[i].submit == j[i - 1].submit;
    assert_true(equal > 20); /* jobs of one second happen */
    orr_trace_destroy(t);
}

/* ---- people ---- */

static void shares_fall_and_users_stay_in_their_vc(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 60000;
    o.vcs = 3;
    o.users = 7; /* u0 u3 u6 in vc0; u1 u4 in vc1; u2 u5 in vc2 */
    orr_trace *t = make(&o);
    double vc[3] = {0}, user[7] = {0};
    for (size_t i = 0; i < o.jobs; i++) {
        int v = atoi(orr_trace_jobs(t)[i].vc + 2), u = atoi(orr_trace_jobs(t)[i].user + 1);
        assert_int_equal(u % 3, v);
        vc[v]++;
        user[u]++;
    }
    check_near("vc0", vc[0], 60000 * 6 / 11.0, 0.02); /* 1 : 1/2 : 1/3 */
    check_near("vc1", vc[1], 60000 * 3 / 11.0, 0.03);
    check_near("u0 in vc0", user[0] / vc[0], 6 / 11.0, 0.03);
    check_near("u4 in vc1", user[4] / vc[1], 1 / 3.0, 0.05);
    orr_trace_destroy(t);
}

static void few_or_no_people(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.vcs = 5;
    o.users = 2;
    orr_trace *t = make(&o);
    for (size_t i = 0; i < o.jobs; i++)
        assert_true(strcmp(orr_trace_jobs(t)[i].user, "u0") == 0 || strcmp(orr_trace_jobs(t)[i].user, "u1") == 0);
    orr_trace_destroy(t);
    o.vcs = o.users = 0;
    t = make(&o);
    assert_string_equal(orr_trace_jobs(t)[0].user, "");
    assert_string_equal(orr_trace_jobs(t)[0].vc, "");
    orr_trace_destroy(t);
}

/* Knowing user and name narrows the spread of ln(duration) by much, but not to nothing. */
static void names_tell_something(void **state)
{
    (void)state;
    enum { USERS = 5, NAMES = 100 };
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 50000;
    o.users = USERS;
    orr_trace *t = make(&o);
    static double n[USERS][NAMES], sum[USERS][NAMES], squares[USERS][NAMES];
    double all = 0, all_squares = 0, inside = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        int u = atoi(j->user + 1), k = atoi(j->name + 4);
        double x = log(orr_time_seconds(j->duration));
        n[u][k]++;
        sum[u][k] += x;
        squares[u][k] += x * x;
        all += x;
        all_squares += x * x;
    }
    for (int u = 0; u < USERS; u++)
        for (int k = 0; k < NAMES; k++)
            inside += n[u][k] > 0 ? squares[u][k] - sum[u][k] * sum[u][k] / n[u][k] : 0;
    double total = all_squares - all * all / (double)o.jobs;
    assert_true(inside < 0.5 * total);
    assert_true(inside > 0.05 * total);
    orr_trace_destroy(t);
}

/* ---- limits and deadlines ---- */

static void limits_and_deadlines_cover_the_run(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 20000;
    o.deadline_share = 0.25;
    o.limit_factor = 2;
    orr_trace *t = make(&o);
    double deadlines = 0, factors = 0, long_jobs = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        assert_true(j->limit >= j->duration);
        assert_int_equal(j->limit % ORR_MINUTE, 0);
        if (j->duration > ORR_HOUR) {
            factors += (double)j->limit / (double)j->duration;
            long_jobs++;
        }
        if (j->deadline == ORR_TIME_NONE)
            continue;
        deadlines++;
        assert_true(j->deadline >= j->submit + j->duration);
        assert_true(j->deadline <= j->submit + 3 * j->duration + ORR_SECOND);
    }
    check_near("deadlines", deadlines, 5000, 0.04);
    check_near("limit factor", factors / long_jobs, 2, 0.03);
    orr_trace_destroy(t);
}

/* ---- refusals ---- */

static void wrong_options_are_refused(void **state)
{
    (void)state;
    REFUSED(ORR_E_BAD_VALUE, o.shape = "phily");
    REFUSED(ORR_E_BAD_VALUE, o.shape = NULL);
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "posson");
    REFUSED(ORR_E_BAD_VALUE, o.jobs = 0);
    REFUSED(ORR_E_BAD_VALUE, o.span = 0);
    REFUSED(ORR_E_BAD_VALUE, o.load = -1);
    REFUSED(ORR_E_BAD_VALUE, o.load = (double)NAN);
    REFUSED(ORR_E_BAD_VALUE, o.cv = 0);
    REFUSED(ORR_E_BAD_VALUE, o.vcs = -2);
    REFUSED(ORR_E_BAD_VALUE, o.users = -2);
    REFUSED(ORR_E_BAD_VALUE, o.user_zipf = 11);
    REFUSED(ORR_E_BAD_VALUE, o.vc_zipf = -0.5);
    REFUSED(ORR_E_BAD_VALUE, o.recurrence = 1.01);
    REFUSED(ORR_E_BAD_VALUE, o.trials = 0);
    REFUSED(ORR_E_BAD_VALUE, o.shape = "acme-kalos", o.max_gpus = 0, o.durations = "exp");
    REFUSED(ORR_E_BAD_VALUE, o.durations = "exp:-1h");
    REFUSED(ORR_E_BAD_VALUE, o.durations = "exp:1h:2");
    REFUSED(ORR_E_BAD_VALUE, o.durations = "lognormal:1h");
    REFUSED(ORR_E_BAD_VALUE, o.durations = "pareto:1h:0");
    REFUSED(ORR_E_BAD_VALUE, o.durations = "weibull:1h:2");
    REFUSED(ORR_E_BAD_VALUE, o.deadline_slack = "1");
    REFUSED(ORR_E_BAD_VALUE, o.deadline_slack = "2:1");
    REFUSED(ORR_E_BAD_VALUE, o.with = "loss,nois");
    REFUSED(ORR_E_BAD_VALUE, o.with = "loss,");
    REFUSED(ORR_E_BAD_VALUE, o.deadline_share = 1.5);
    REFUSED(ORR_E_BAD_VALUE, o.limit_factor = 0.5);
    REFUSED(ORR_E_MISSING, o.load = 0.9);
    REFUSED(ORR_E_CONFLICT, o.load = 0.9, o.gpus = 8, o.span = ORR_DAY);
    REFUSED(ORR_E_CONFLICT, o.arrivals = "at-once", o.span = ORR_DAY);
    REFUSED(ORR_E_RANGE, o.load = 1e-9, o.gpus = 1);
}

static void a_near_name_is_suggested(void **state)
{
    (void)state;
    orr_synth_options o = orr_synth_options_default();
    orr_error e = {0};
    o.shape = "phily";
    assert_null(orr_synth(&o, &e));
    assert_string_equal(e.hint, "did you mean philly?");
    e = (orr_error){0};
    o.shape = "zzzzzzzzzz";
    assert_null(orr_synth(&o, &e));
    assert_string_equal(e.hint, "known: philly, helios, pai, acme, acme-kalos, gavel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_one_trace),
        cmocka_unit_test(a_change_moves_its_own_column_only),
        cmocka_unit_test(a_bound_on_sizes_is_kept),
        cmocka_unit_test(philly_looks_like_philly),
        cmocka_unit_test(helios_looks_like_helios),
        cmocka_unit_test(size_and_duration_go_together),
        cmocka_unit_test(the_load_is_met),
        cmocka_unit_test(gaps_vary_as_asked),
        cmocka_unit_test(days_have_their_rhythm),
        cmocka_unit_test(the_usual_gap_sets_the_span),
        cmocka_unit_test(shares_fall_and_users_stay_in_their_vc),
        cmocka_unit_test(few_or_no_people),
        cmocka_unit_test(names_tell_something),
        cmocka_unit_test(limits_and_deadlines_cover_the_run),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(a_near_name_is_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
