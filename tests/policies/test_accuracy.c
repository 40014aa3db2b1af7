/* How far estimators that learn are off on the bundled sample, asked at each job's submission while fifo runs it:
 * median of |believed - true| / true over jobs that took time, and Spearman's rank correlation. The figures of
 * policies/estimate/README.md. */
#include "probe.h"

#include "base/mem.h"
#include "base/stat.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define TRACES ORR_SOURCE_DIR "/traces/"

static double median_error(const double *believed, const double *truth, size_t n)
{
    double *error = orr_xcalloc(n, sizeof *error);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (truth[i] > 0)
            error[k++] = fabs(believed[i] - truth[i]) / truth[i];
    orr_sort_doubles(error, k);
    double median = orr_quantile(error, k, 0.5);
    free(error);
    return median;
}

static double rank_correlation(const double *a, const double *b, size_t n)
{
    double *work = orr_xcalloc(2 * n, sizeof *work);
    double r = gsl_stats_spearman(a, 1, b, 1, n, work);
    free(work);
    return r;
}

static void on_the_sample(void **state)
{
    (void)state;
    static const struct {
        const char *estimator;
        double error, correlation; /* to 0.01 */
    } rows[] = {
        {"oracle", 0, 1},       {"noisy", 0.33, 0.98}, {"rolling", 0.74, 0.47},
        {"qssf", 0.91, 0.35}, {"ridge", 0.95, 0.19}, {"user-mean", 7.59, 0.01},
    };
    orr_trace *trace = run_trace_file(TRACES "helios-5k.csv");
    size_t n = orr_trace_count(trace), wrong = 0;
    double *truth = orr_xcalloc(n, sizeof *truth), *believed = orr_xcalloc(n, sizeof *believed);
    for (size_t i = 0; i < n; i++)
        truth[i] = orr_time_seconds(orr_trace_jobs(trace)[i].duration);
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        probe_trace(trace, TRACES "helios-5k.vc.csv", rows[i].estimator, believed);
        double error = median_error(believed, truth, n), correlation = rank_correlation(believed, truth, n);
        printf("%-10s median error %.3f, rank correlation %.3f\n", rows[i].estimator, error, correlation);
        wrong += fabs(error - rows[i].error) > 0.01 || fabs(correlation - rows[i].correlation) > 0.01;
    }
    assert_int_equal(wrong, 0);
    free(truth);
    free(believed);
    orr_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_the_sample)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
