/* Draws from keys: laws of scatter and Zipf's, by their moments and frequencies. */
#include "serve/draw.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct law_row {
    const char *name;
    orr_jitter jitter;
    double cv; /* of what is drawn */
} law_row;

/* A normal of deviation 0.5 is cut at 0.1 by one in thirty: its cv is a little less then. */
static const law_row laws[] = {
    {"none", {ORR_SCATTER_NONE, 0}, 0},
    {"exponential", {ORR_SCATTER_EXPONENTIAL, 0}, 1},
    {"gamma 0.3", {ORR_SCATTER_GAMMA, 0.3}, 0.3},
    {"gamma 3", {ORR_SCATTER_GAMMA, 3}, 3},
    {"lognormal 0.5", {ORR_SCATTER_LOGNORMAL, 0.5}, 0.5},
    {"normal 0.1", {ORR_SCATTER_NORMAL, 0.1}, 0.1},
    {"normal 0.5", {ORR_SCATTER_NORMAL, 0.5}, 0.479},
    {"gamma without cv", {ORR_SCATTER_GAMMA, 0}, 0},
};

static void near(const char *name, double got, double expected, double apart)
{
    if (fabs(got - expected) > apart)
        fail_msg("%s: %.6g instead of %.6g", name, got, expected);
}

static void laws_have_mean_1_and_their_cv(void **state)
{
    (void)state;
    enum { N = 200000 };
    for (size_t r = 0; r < sizeof laws / sizeof *laws; r++) {
        const orr_scattering law = orr_scattering_of(&laws[r].jitter);
        double sum = 0, squares = 0, least = INFINITY;
        for (uint64_t i = 0; i < N; i++) {
            const double x = orr_scattering_draw(&law, orr_mix64(orr_draw_at(7, i)));
            sum += x;
            squares += x * x;
            least = fmin(least, x);
        }
        const double mean = sum / N, cv = sqrt(fmax(0, squares / N - mean * mean)) / mean;
        near(laws[r].name, mean, 1, 0.005 * (laws[r].cv + 0.01) * 2);
        near(laws[r].name, cv, laws[r].cv, 0.03 * laws[r].cv + 1e-9);
        assert_true(least >= (laws[r].jitter.law == ORR_SCATTER_NORMAL ? 0.1 : 0));
    }
}

static void check_zipf(uint64_t n, double s)
{
    enum { DRAWS = 200000, MOST = 6 };
    const orr_zipf zipf = orr_zipf_of(n, s);
    uint64_t counts[MOST] = {0};
    double all = 0;
    char name[64];
    for (uint64_t i = 0; i < DRAWS; i++) {
        const uint64_t k = orr_zipf_draw(&zipf, orr_mix64(orr_draw_at(11, i)));
        assert_in_range(k, 1, n);
        if (k <= MOST)
            counts[k - 1]++;
    }
    for (uint64_t k = 1; k <= n; k++)
        all += pow((double)k, -s);
    for (uint64_t k = 1; k <= n && k <= MOST; k++) {
        const double share = pow((double)k, -s) / all;
        snprintf(name, sizeof name, "%llu of %llu at %g", (unsigned long long)k, (unsigned long long)n, s);
        near(name, (double)counts[k - 1] / DRAWS, share, 5 * sqrt(share / DRAWS));
    }
}

static void zipf_has_its_frequencies(void **state)
{
    (void)state;
    static const double exponents[] = {0, 0.5, 0.99, 1, 1.00001, 1.2, 3};
    static const uint64_t sizes[] = {1, 2, 5, 100, 20000};
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_zipf(sizes[k], exponents[i]);
}

/* GSL's laws on a key begin at the key: the same one gives the same. */
static void a_key_says_all(void **state)
{
    (void)state;
    uint64_t a = 5, b = 5, c = 6;
    const double x = orr_draw_gamma(&a, 2), y = orr_draw_gamma(&b, 2), z = orr_draw_gamma(&c, 2);
    assert_true(x == y && a == b);
    assert_true(x != z);
    a = orr_draw_at(5, 1);
    b = 5;
    orr_draw_next(&b);
    assert_true(a == b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_have_mean_1_and_their_cv),
        cmocka_unit_test(zipf_has_its_frequencies),
        cmocka_unit_test(a_key_says_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
