/* Non-negative least squares, curves of speed and of losses: by hand, and random exact data from which the
 * parameters must come back. */
#include "base/rng.h"

#include <orrery/curves.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static double between(gsl_rng *rng, double low, double high)
{
    return low * pow(high / low, gsl_rng_uniform(rng));
}

/* ---- non-negative least squares ---- */

typedef struct nnls_row {
    const char *name;
    size_t rows, columns;
    double a[8], b[4], x[3], error;
} nnls_row;

static const nnls_row nnls_rows[] = {
    {"one of each", 2, 2, {1, 0, 0, 2}, {3, 4}, {3, 2}, 0},
    {"what would be negative is 0", 2, 2, {1, 0, 0, 1}, {3, -4}, {3, 0}, 4},
    {"nothing helps", 2, 1, {1, 1}, {-1, -2}, {0}, 2.2360679774997896},
    {"a mean", 3, 1, {1, 1, 1}, {1, 2, 6}, {3}, 3.7416573867739413},
    /* Without bounds the line is 5 - 2 k: falling, so it is its mean. */
    {"a falling line", 3, 2, {1, 1, 1, 2, 1, 3}, {3, 1, -1}, {1, 0}, 2.8284271247461903},
    {"through 0", 2, 2, {1, 1, 1, 2}, {0, 2}, {0, 0.8}, 0.89442719099991586},
    {"columns that are alike", 2, 3, {1, 1, 0, 1, 1, 0}, {2, 2}, {2, 0, 0}, 0},
    {"a column of nothing", 1, 2, {0, 2}, {6}, {0, 3}, 0},
    {"of nothing", 2, 2, {1, 0, 0, 1}, {0, 0}, {0, 0}, 0},
    {"fewer rows than columns", 1, 3, {1, 4, 2}, {8}, {0, 2, 0}, 0}, /* any would do */
};

static void least_squares_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(nnls_rows); i++) {
        const nnls_row *r = &nnls_rows[i];
        double x[3] = {-1, -1, -1};
        const double error = orr_nnls(r->a, r->b, r->rows, r->columns, x);
        assert_near(error, r->error, 1e-12);
        double off = 0;
        for (size_t k = 0; k < r->rows; k++) {
            double sum = -r->b[k];
            for (size_t c = 0; c < r->columns; c++)
                sum += r->a[k * r->columns + c] * x[c];
            off = hypot(off, sum);
        }
        assert_near(off, r->error, 1e-12);
        for (size_t c = 0; c < r->columns && r->columns <= r->rows; c++)
            assert_near(x[c], r->x[c], 1e-12);
    }
}

/* Optimal where no column that isn't used would help, and no used one would be better larger or smaller. */
static void least_squares_are_least(void **state)
{
    (void)state;
    enum { MOST_ROWS = 30 };
    gsl_rng *rng = orr_rng_create(7, "nnls");
    for (int i = 0; i < 2000; i++) {
        const size_t rows = 1 + gsl_rng_uniform_int(rng, MOST_ROWS),
                     columns = 1 + gsl_rng_uniform_int(rng, ORR_NNLS_COLUMNS);
        double a[MOST_ROWS * ORR_NNLS_COLUMNS], b[MOST_ROWS], x[ORR_NNLS_COLUMNS], left[MOST_ROWS];
        for (size_t k = 0; k < rows * columns; k++)
            a[k] = gsl_rng_uniform(rng) - (i % 3 ? 0 : 0.5);
        for (size_t k = 0; k < rows; k++)
            b[k] = 2 * gsl_rng_uniform(rng) - 0.7;
        orr_nnls(a, b, rows, columns, x);
        for (size_t k = 0; k < rows; k++) {
            left[k] = b[k];
            for (size_t c = 0; c < columns; c++)
                left[k] -= a[k * columns + c] * x[c];
        }
        for (size_t c = 0; c < columns; c++) {
            double slope = 0;
            for (size_t k = 0; k < rows; k++)
                slope += a[k * columns + c] * left[k];
            assert_true(x[c] >= 0);
            assert_true(slope < 1e-9);
            assert_true(x[c] <= 0 || slope > -1e-9);
        }
    }
    gsl_rng_free(rng);
}

/* ---- speed ---- */

static void speed_by_hand(void **state)
{
    (void)state;
    const orr_speed_curve sync = {ORR_SPEED_SYNC, 100, 0.01, 0.2, 0.1, 0.05, 0.025};
    const orr_speed_curve async = {ORR_SPEED_ASYNC, 0, 1, 0.5, 0.1, 0.2, 0};
    assert_near(orr_speed_at(&sync, 2, 4), 1 / (0.25 + 0.2 + 0.2 + 0.2 + 0.05), 1e-12);
    assert_near(orr_speed_at(&async, 2, 4), 4 / (1 + 1 + 0.4 + 0.4), 1e-12);
    assert_int_equal(orr_speed_needs(ORR_SPEED_SYNC), 5);
    assert_int_equal(orr_speed_needs(ORR_SPEED_ASYNC), 4);
}

static orr_speed_sample sample_of(const orr_speed_curve *curve, int32_t servers, int32_t workers)
{
    return (orr_speed_sample){servers, workers, orr_speed_at(curve, servers, workers)};
}

static void speed_comes_back(orr_speed_kind kind, gsl_rng *rng)
{
    static const int32_t at[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {4, 3}, {6, 8}, {8, 2}, {2, 9}};
    orr_speed_sample some[COUNT(at)];
    orr_speed_curve truth = {kind, between(rng, 16, 1024), 0, 0, 0, 0, 0}, got;
    double *part[] = {&truth.a, &truth.b, &truth.c, &truth.d, &truth.e};
    for (size_t k = 0; k < orr_speed_needs(kind); k++)
        *part[k] = gsl_rng_uniform(rng) < 0.3 ? 0 : between(rng, 1e-3, 1);
    truth.b += 1e-3;
    for (size_t i = 0; i < COUNT(at); i++)
        some[i] = sample_of(&truth, at[i][0], at[i][1]);
    const double error = orr_speed_fit(kind, truth.batch, some, COUNT(some), &got);
    assert_true(error < 1e-12 / some[0].speed);
    assert_near(got.a, truth.a, 1e-9);
    assert_near(got.b, truth.b, 1e-9);
    assert_near(got.c, truth.c, 1e-9);
    assert_near(got.d, truth.d, 1e-9);
    assert_near(got.e, truth.e, 1e-9);
}

static void exact_speeds_come_back(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(7, "speed");
    for (int i = 0; i < 500; i++)
        speed_comes_back(i % 2 ? ORR_SPEED_SYNC : ORR_SPEED_ASYNC, rng);
    gsl_rng_free(rng);
}

/* All-reduce: only as many parameters as p = w can show, and speeds as they are at other counts. */
static void as_many_servers_as_workers(void **state)
{
    (void)state;
    const orr_speed_curve truth = {ORR_SPEED_SYNC, 64, 0.02, 0.1, 0.03, 0.01, 0.02};
    orr_speed_sample some[5];
    orr_speed_curve got;
    for (int32_t w = 1; w <= 5; w++)
        some[w - 1] = sample_of(&truth, w, w);
    orr_speed_fit(ORR_SPEED_SYNC, 64, some, COUNT(some), &got);
    assert_near(got.a, 0.02, 1e-9);
    assert_near(got.b + got.c, 0.13, 1e-9);
    assert_near(got.d + got.e, 0.03, 1e-9);
    assert_true(got.b * got.c == 0 && got.d * got.e == 0);
    assert_near(orr_speed_at(&got, 16, 16), orr_speed_at(&truth, 16, 16), 1e-9);
}

static void measured_speeds_stand(void **state)
{
    (void)state;
    const orr_speed_sample some[] = {{1, 1, 2}, {1, 1, 4}, {2, 2, 5}};
    orr_speed_curve got;
    orr_speed_fit(ORR_SPEED_SYNC, 8, some, COUNT(some), &got);
    assert_near(orr_speed_known(&got, some, COUNT(some), 1, 1), 3, 0);
    assert_near(orr_speed_known(&got, some, COUNT(some), 2, 2), 5, 0);
    assert_near(orr_speed_known(&got, some, COUNT(some), 3, 3), orr_speed_at(&got, 3, 3), 0);
}

/* Noise, few samples, speeds that fall: parameters are never negative, speeds never 0. */
static void speeds_are_never_negative(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(8, "speed");
    for (int i = 0; i < 500; i++) {
        orr_speed_sample some[6];
        orr_speed_curve got;
        const size_t n = 1 + gsl_rng_uniform_int(rng, 6);
        for (size_t k = 0; k < n; k++)
            some[k] = (orr_speed_sample){1 + (int32_t)gsl_rng_uniform_int(rng, 9),
                                         1 + (int32_t)gsl_rng_uniform_int(rng, 9), between(rng, 0.01, 100)};
        orr_speed_fit(i % 2 ? ORR_SPEED_SYNC : ORR_SPEED_ASYNC, 32, some, n, &got);
        assert_true(got.a >= 0 && got.b >= 0 && got.c >= 0 && got.d >= 0 && got.e >= 0);
        assert_true(orr_speed_at(&got, 12, 12) > 0);
    }
    gsl_rng_free(rng);
}

/* ---- losses ---- */

static void losses_of(const orr_loss_curve *curve, double *loss, size_t n)
{
    for (size_t i = 0; i < n; i++)
        loss[i] = orr_loss_at(curve, (double)(i + 1));
}

static void loss_comes_back(const orr_loss_curve *truth, size_t n)
{
    double loss[100];
    orr_loss_curve got;
    losses_of(truth, loss, n);
    assert_true(orr_loss_fit(loss, n, &got));
    assert_near(got.a, truth->a, 1e-5 * truth->a);
    assert_near(got.b, truth->b, 1e-5 * (truth->a + truth->b));
    assert_near(got.c, truth->c, 1e-5 * (truth->c + loss[0]));
}

static void exact_losses_come_back(void **state)
{
    (void)state;
    loss_comes_back(&(orr_loss_curve){0.1, 0.5, 0.3}, 5);
    loss_comes_back(&(orr_loss_curve){0.1, 0.5, 0}, 20);
    loss_comes_back(&(orr_loss_curve){0.25, 0, 0.1}, 20); /* 4 / k + 0.1 */
    gsl_rng *rng = orr_rng_create(7, "loss");
    for (int i = 0; i < 300; i++) {
        const double b = between(rng, 0.1, 10);
        const orr_loss_curve truth = {b * between(rng, 0.02, 5), b, i % 4 ? between(rng, 0.01, 1) : 0};
        loss_comes_back(&truth, 5 + gsl_rng_uniform_int(rng, 90));
    }
    gsl_rng_free(rng);
}

/* Losses that rise or stay: the curve is a constant, by the weights 1, 16 and 256. */
static void losses_that_do_not_fall(void **state)
{
    (void)state;
    orr_loss_curve got;
    assert_true(orr_loss_fit((double[]){2, 2, 2, 2}, 4, &got));
    assert_near(orr_loss_at(&got, 7), 2, 1e-9);
    assert_true(orr_loss_fit((double[]){1, 2, 3}, 3, &got));
    assert_near(orr_loss_at(&got, 7), (1 + 2 * 16 + 3 * 256) / 273.0, 1e-9);
    assert_true(orr_loss_fit((double[]){0, 0, 0}, 3, &got));
    assert_near(orr_loss_at(&got, 7), 0, 1e-9);
}

/* Known at 2, 4 and 6 only; too few otherwise. */
static void losses_that_are_not_known(void **state)
{
    (void)state;
    const orr_loss_curve truth = {0.2, 0.4, 0.1};
    double loss[6];
    orr_loss_curve got = {7, 7, 7};
    losses_of(&truth, loss, 6);
    loss[0] = loss[2] = loss[4] = -1;
    assert_true(orr_loss_fit(loss, 6, &got));
    assert_near(orr_loss_at(&got, 20), orr_loss_at(&truth, 20), 1e-6);
    loss[3] = -1;
    got.a = 7;
    assert_false(orr_loss_fit(loss, 6, &got));
    assert_near(got.a, 7, 0);
    assert_false(orr_loss_fit(NULL, 0, &got));
}

/* What came last counts most: of a curve that changes its mind the later part is believed. */
static void later_losses_count_more(void **state)
{
    (void)state;
    double loss[30];
    orr_loss_curve got;
    losses_of(&(orr_loss_curve){0.1, 0.5, 0.2}, loss, 30);
    for (int i = 0; i < 10; i++)
        loss[i] += 0.3;
    assert_true(orr_loss_fit(loss, 30, &got));
    for (int i = 20; i < 30; i++)
        assert_near(orr_loss_at(&got, i + 1), loss[i], 0.01);
}

static void losses_are_never_negative(void **state)
{
    (void)state;
    gsl_rng *rng = orr_rng_create(8, "loss");
    for (int i = 0; i < 300; i++) {
        double loss[40];
        orr_loss_curve got;
        const size_t n = 3 + gsl_rng_uniform_int(rng, 38);
        for (size_t k = 0; k < n; k++)
            loss[k] = 1 / (0.2 * (double)k + 1) + 0.5 * gsl_rng_uniform(rng);
        assert_true(orr_loss_fit(loss, n, &got));
        assert_true(got.a >= 0 && got.b >= 0 && got.c >= 0 && got.a + got.b > 0);
        assert_true(orr_loss_at(&got, 1) >= orr_loss_at(&got, 1000));
        assert_true(orr_loss_at(&got, 1000) >= 0);
    }
    gsl_rng_free(rng);
}

/* ---- the end ---- */

/* l = 10 / k, greatest 10: from k - 10 to k it falls by 100 / (k (k - 10)), which is 0.5 at 20. */
static void the_end_by_hand(void **state)
{
    (void)state;
    const orr_loss_rule rule = {0.05, 10, 20, 100}, soon = {0.05, 10, 20, 15}, low = {0.05, 10, 20, 7};
    double loss[40];
    losses_of(&(orr_loss_curve){0.1, 0, 0}, loss, 40);
    assert_int_equal(orr_loss_end(loss, 12, &(orr_loss_rule){0.0499, 10, 20, 100}), 21);
    assert_int_equal(orr_loss_end(loss, 12, &(orr_loss_rule){0.0501, 10, 20, 100}), 20);
    assert_int_equal(orr_loss_end(loss, 12, &(orr_loss_rule){0.01, 10, 20, 100}), 38); /* 100 / (37 x 27) = 0.1001 */
    assert_int_equal(orr_loss_end(loss, 12, &soon), 15);
    assert_int_equal(orr_loss_end(loss, 12, &low), 7);
    assert_int_equal(orr_loss_end(loss, 30, &rule), 50); /* passed already */
    assert_int_equal(orr_loss_end(loss, 2, &rule), 22);  /* too few */
    assert_int_equal(orr_loss_end(NULL, 0, &rule), 20);
    assert_int_equal(orr_loss_end((double[]){1, 1, 1, 1}, 4, &rule),
                     10); /* flat: as soon as 10 epochs can be looked back on */
    assert_int_equal(orr_loss_end(loss, 30, &(orr_loss_rule){0.05, 10, 0, 100}), 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_by_hand),
        cmocka_unit_test(least_squares_are_least),
        cmocka_unit_test(speed_by_hand),
        cmocka_unit_test(exact_speeds_come_back),
        cmocka_unit_test(as_many_servers_as_workers),
        cmocka_unit_test(measured_speeds_stand),
        cmocka_unit_test(speeds_are_never_negative),
        cmocka_unit_test(exact_losses_come_back),
        cmocka_unit_test(losses_that_do_not_fall),
        cmocka_unit_test(losses_that_are_not_known),
        cmocka_unit_test(later_losses_count_more),
        cmocka_unit_test(losses_are_never_negative),
        cmocka_unit_test(the_end_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
