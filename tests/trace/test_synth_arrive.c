/* Arrivals whose rate jumps, durations as asked. Profiles, gamma gaps and loads are in test_synth.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/stat.h"
#include "making.h"

#include <math.h>

/* ---- rates that jump ---- */

/* Variance over mean of the counts in windows of this length. */
static double dispersion(const char *arrivals, const char *mmpp, orr_time window)
{
    orr_synth_options o = shaped("helios", 400000);
    o.arrivals = arrivals;
    o.mmpp = mmpp;
    o.span = 4000 * ORR_DAY;
    orr_trace *t = make(&o);
    const size_t windows = (size_t)(o.span / window);
    double *count = calloc(windows, sizeof *count), squares = 0, mean = (double)o.jobs / (double)windows;
    for (size_t i = 0; i < o.jobs; i++)
        count[orr_trace_jobs(t)[i].submit / window]++;
    for (size_t i = 0; i < windows; i++)
        squares += (count[i] - mean) * (count[i] - mean);
    free(count);
    orr_trace_destroy(t);
    return squares / (double)windows / mean;
}

/* Two states of rates a and b with mean sojourns S and T: over long windows the index of dispersion tends to
 * 1 + 2 (a - b)^2 (S T)^2 / ((S + T)^2 (a S + b T)). Rates 1 : 9 and sojourns of 3 h and 1 h, 100 jobs a day on
 * average: (3 a + 9 a) / 4 = 3 a = 100/24 an hour, a = 1.3889, b = 12.5:
 * 1 + 2 * 11.1111^2 * 9 / (16 * 16.6667) = 1 + 2222.2 / 266.67 = 9.3333. */
static void jumping_rates_bunch_as_theory_says(void **state)
{
    (void)state;
    check_near("poisson", dispersion("poisson", NULL, 2 * ORR_DAY), 1, 0.08);
    check_near("mmpp", dispersion("mmpp", "1:3h,9:1h", 2 * ORR_DAY), 9.3333, 0.12);
    check_near("one state is poisson", dispersion("mmpp", "5:1h", 2 * ORR_DAY), 1, 0.08);
}

/* States follow each other in their order: with sojourns of 10, 10 and 10 days and rates 0, 1 and 100, what comes in
 * the rush comes before what is empty: the longest gap follows a crowded day. */
static void states_follow_each_other_around(void **state)
{
    (void)state;
    orr_synth_options o = shaped("helios", 20000);
    o.arrivals = "mmpp";
    o.mmpp = "0:10d,1:10d,100:10d";
    o.span = 400 * ORR_DAY;
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    orr_time longest = 0;
    size_t at = 0, day_before = 0, day_after = 0;
    for (size_t i = 1; i < o.jobs; i++)
        if (j[i].submit - j[i - 1].submit > longest) {
            longest = j[i].submit - j[i - 1].submit;
            at = i;
        }
    for (size_t i = 0; i < o.jobs; i++) {
        day_before += i < at && j[at - 1].submit - j[i].submit < ORR_DAY / 2;
        day_after += i >= at && j[i].submit - j[at].submit < ORR_DAY / 2;
    }
    assert_true(longest > 5 * ORR_DAY);
    assert_true(day_before > 10 * day_after);
    orr_trace_destroy(t);
}

/* ---- durations as asked ---- */

typedef struct durations {
    double min, median, mean, q90;
} durations;

static durations drawn(const char *how)
{
    orr_synth_options o = shaped("helios", 100000);
    o.durations = how;
    orr_trace *t = make(&o);
    double *s = malloc(o.jobs * sizeof *s);
    for (size_t i = 0; i < o.jobs; i++)
        s[i] = orr_time_seconds(orr_trace_jobs(t)[i].duration);
    orr_sort_doubles(s, o.jobs);
    const durations d = {s[0], orr_quantile(s, o.jobs, 0.5), orr_mean(s, o.jobs), orr_quantile(s, o.jobs, 0.9)};
    free(s);
    orr_trace_destroy(t);
    return d;
}

/* exp: median ln 2 of the mean. lognormal: mean e^(1/2) of the median at sigma 1, 90th percentile e^1.2816.
 * pareto of exponent 3: mean 3/2 of the least, median 2^(1/3), 90th percentile 10^(1/3). */
static void durations_follow_what_is_asked(void **state)
{
    (void)state;
    durations d = drawn("fixed:90m");
    assert_true(d.min >= 5400 && d.mean <= 5400);
    d = drawn("exp:10h");
    check_near("exp, mean", d.mean, 36000, 0.01);
    check_near("exp, median", d.median, 36000 * log(2), 0.02);
    d = drawn("lognormal:1h:1");
    check_near("lognormal, median", d.median, 3600, 0.02);
    check_near("lognormal, mean", d.mean, 3600 * exp(0.5), 0.02);
    check_near("lognormal, 90 %", d.q90, 3600 * exp(1.2815516), 0.02);
    d = drawn("pareto:1h:3");
    assert_true(d.min >= 3600);
    check_near("pareto, mean", d.mean, 5400, 0.02);
    check_near("pareto, median", d.median, 3600 * cbrt(2), 0.01);
    check_near("pareto, 90 %", d.q90, 3600 * cbrt(10), 0.02);
}

static void deadlines_keep_their_range(void **state)
{
    (void)state;
    orr_synth_options o = shaped("philly", 5000);
    o.deadline_share = 1;
    o.deadline_slack = "2:4";
    orr_trace *t = make(&o);
    double sum = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const double slack = (double)(j->deadline - j->submit) / (double)j->duration;
        assert_true(slack >= 2 && slack <= 4 + 1 / orr_time_seconds(j->duration));
        sum += j->duration > ORR_MINUTE ? slack - 3 : 0;
    }
    assert_true(fabs(sum / 5000) < 0.03);
    orr_trace_destroy(t);
}

static void wrong_states_are_refused(void **state)
{
    (void)state;
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "");
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "1");
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "1:0s");
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "-1:1h");
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "0:1h");
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "1:1h:2");
    REFUSED(ORR_E_BAD_VALUE, o.arrivals = "mmpp", o.mmpp = "1:1h,1:1h,1:1h,1:1h,1:1h,1:1h,1:1h,1:1h,1:1h");
    REFUSED(ORR_E_RANGE, o.arrivals = "mmpp", o.mmpp = "1:1us", o.span = ORR_DAY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumping_rates_bunch_as_theory_says), cmocka_unit_test(states_follow_each_other_around),
        cmocka_unit_test(durations_follow_what_is_asked),     cmocka_unit_test(deadlines_keep_their_range),
        cmocka_unit_test(wrong_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
