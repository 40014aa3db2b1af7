/* Who submits synthetic jobs, and what names tell: shares by the exponent, and how well history predicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "making.h"
#include "trace/synth.h"

#include <math.h>

/* Four VCs at exponent 2 have 1 : 1/4 : 1/9 : 1/16 = 144 : 36 : 16 : 9 of 205; at exponent 0 a quarter each. */
static void an_exponent_sets_the_shares(void **state)
{
    (void)state;
    static const double expected[2][4] = {{144 / 205.0, 36 / 205.0, 16 / 205.0, 9 / 205.0}, {.25, .25, .25, .25}};
    orr_synth_options o = shaped("helios", 60000);
    o.vcs = 4;
    for (int k = 0; k < 2; k++) {
        double count[4] = {0};
        o.vc_zipf = k == 0 ? 2 : 0;
        orr_trace *t = make(&o);
        for (size_t i = 0; i < o.jobs; i++)
            count[atoi(orr_trace_jobs(t)[i].vc + 2)]++;
        for (int v = 0; v < 4; v++)
            check_near("share", count[v] / 60000, expected[k][v], 0.05);
        orr_trace_destroy(t);
    }
}

/* The most active 5 % of PAI's 1,300 users submit 77 %: that is what its exponent was chosen for. */
static void pais_users_are_as_uneven_as_published(void **state)
{
    (void)state;
    orr_synth_options o = shaped("pai", 100000);
    o.users = 1300;
    orr_trace *t = make(&o);
    double top = 0;
    for (size_t i = 0; i < o.jobs; i++)
        top += atoi(orr_trace_jobs(t)[i].user + 1) < 65;
    check_near("top 5 %", top / 1e5, 0.77, 0.03);
    orr_trace_destroy(t);
}

/* ---- what names tell ---- */

typedef struct told {
    double explained; /* of the variance of ln(duration), by user and name */
    double rank;      /* correlation of a job's rank with that of the mean of its user's earlier jobs of the name */
} told;

static int by_value(const void *left, const void *right)
{
    const double *const *a = left, *const *b = right;
    return **a < **b ? -1 : **a > **b;
}

/* Ranks, equal values sharing theirs. */
static void ranks_of(const double *v, double *rank, size_t n)
{
    const double **order = malloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = &v[i];
    qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && *order[end] <= *order[i]; end++)
            ;
        for (size_t k = i; k < end; k++)
            rank[order[k] - v] = (double)(i + end - 1) / 2;
    }
    free(order);
}

static double rank_correlation(const double *a, const double *b, size_t n)
{
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), mean = (double)(n - 1) / 2, xy = 0, xx = 0, yy = 0;
    ranks_of(a, x, n);
    ranks_of(b, y, n);
    for (size_t i = 0; i < n; i++) {
        xy += (x[i] - mean) * (y[i] - mean);
        xx += (x[i] - mean) * (x[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    free(x);
    free(y);
    return xy / sqrt(xx * yy);
}

static told measure(double recurrence)
{
    enum { JOBS = 20000, KEYS = 30 * 100 };
    static double sum[KEYS], count[KEYS], past[JOBS], real[JOBS], seconds[JOBS];
    static uint64_t keys[JOBS];
    orr_synth_options o = shaped("philly", JOBS);
    size_t known = 0;
    o.recurrence = recurrence;
    memset(sum, 0, sizeof sum);
    memset(count, 0, sizeof count);
    orr_trace *t = make(&o);
    for (size_t i = 0; i < JOBS; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const int key = atoi(j->user + 1) * 100 + atoi(j->name + 4);
        keys[i] = (uint64_t)key;
        seconds[i] = orr_time_seconds(j->duration);
        if (count[key] > 0) {
            past[known] = sum[key] / count[key];
            real[known++] = seconds[i];
        }
        sum[key] += seconds[i];
        count[key]++;
    }
    orr_trace_destroy(t);
    return (told){orr_synth_explained(keys, seconds, JOBS), rank_correlation(past, real, known)};
}

/* The figures that <orrery/synth.h> states. */
static void names_tell_as_much_as_is_stated(void **state)
{
    (void)state;
    static const double stated[5][3] = {
        {1, 0.92, 0.90}, {0.85, 0.67, 0.67}, {0.6, 0.41, 0.34}, {0.2, 0.17, 0.06}, {0, 0.13, 0.02}};
    for (int i = 0; i < 5; i++) {
        const told r = measure(stated[i][0]);
        if (fabs(r.explained - stated[i][1]) > 0.01 || fabs(r.rank - stated[i][2]) > 0.01)
            fail_msg("recurrence %g: explained %.3f, rank correlation %.3f", stated[i][0], r.explained, r.rank);
    }
}

/* Two groups of ln 1, ln e^2 and ln e^3, ln e^5: means 1 and 4, inside 2 + 2 = 4; the mean of all is 2.5, total
 * 6.25 + 0.25 + 0.25 + 6.25 = 13. */
static void explained_variance_by_hand(void **state)
{
    (void)state;
    const uint64_t keys[] = {7, 9, 9, 7};
    const double seconds[] = {1, exp(3), exp(5), exp(2)}, same[] = {60, 60, 60, 60};
    check_near("explained", orr_synth_explained(keys, seconds, 4), 9 / 13.0, 1e-12);
    assert_true(isnan(orr_synth_explained(keys, same, 4)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exponent_sets_the_shares),
        cmocka_unit_test(pais_users_are_as_uneven_as_published),
        cmocka_unit_test(names_tell_as_much_as_is_stated),
        cmocka_unit_test(explained_variance_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
