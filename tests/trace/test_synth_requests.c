/* Synthetic requests: as many as asked, shared among services as asked, each service's arrivals its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "making.h"
#include "scratch.h"

#include <math.h>

static orr_synth_requests_options many(uint64_t requests)
{
    orr_synth_requests_options o = orr_synth_requests_options_default();
    o.requests = requests;
    return o;
}

static size_t made(const orr_synth_requests_options *o, orr_trace **trace, const orr_trace_request **out)
{
    orr_error e = {0};
    *trace = orr_synth_requests(o, &e);
    if (!*trace)
        fail_msg("not made: %s", e.message);
    assert_int_equal(orr_trace_count(*trace), 0);
    return orr_trace_requests(*trace, out);
}

/* Nine models by Zipf's law: shares 1/i over their sum, 2.829; exponential gaps of each and of all together. */
static void nine_models_by_zipf(void **state)
{
    (void)state;
    orr_synth_requests_options o = many(60000);
    o.services = "9";
    o.service_zipf = 1;
    o.rate = 300;
    orr_trace *t;
    const orr_trace_request *r;
    assert_int_equal(made(&o, &t, &r), 60000);
    double counts[9] = {0}, sum = 0, squares = 0;
    for (size_t i = 0; i < 60000; i++) {
        counts[r[i].service[1] - '0']++;
        const double gap = i ? orr_time_seconds(r[i].arrival - r[i - 1].arrival) : 0;
        assert_true(gap >= 0 && r[i].arrival % ORR_US == 0 && r[i].count == 1 && r[i].tokens_in == -1);
        sum += gap;
        squares += gap * gap;
    }
    for (int i = 0; i < 9; i++)
        check_near("share", counts[i] / 60000, 1.0 / (i + 1) / 2.828968254, 0.04);
    check_near("mean gap", sum / 59999, 1.0 / 300, 0.015);
    check_near("cv^2 of the gaps", squares / 59999 / (sum / 59999 * (sum / 59999)), 2, 0.03);
    orr_trace_destroy(t);
}

/* What one service is asked when is the same with and without another. */
static void services_don_t_move_each_other(void **state)
{
    (void)state;
    static const char *const arrivals[] = {"poisson", "diurnal", "bursty", "mmpp"};
    for (size_t k = 0; k < 4; k++) {
        orr_synth_requests_options alone = many(200), both = many(1000);
        alone.arrivals = both.arrivals = arrivals[k];
        alone.services = "chat";
        both.services = "search,chat";
        alone.rate = 5;
        both.rate = 10;
        alone.tokens_in = both.tokens_in = "100:1";
        both.tokens_out = "7";
        orr_trace *a, *b;
        const orr_trace_request *x, *y;
        size_t n = made(&alone, &a, &x), m = made(&both, &b, &y), same = 0;
        for (size_t i = 0; i < m && same < n; i++) {
            if (strcmp(y[i].service, "chat") != 0)
                continue;
            assert_int_equal(y[i].arrival, x[same].arrival);
            assert_int_equal(y[i].tokens_in, x[same].tokens_in);
            assert_int_equal(y[i].tokens_out, 7);
            same++;
        }
        assert_true(same > 100);
        orr_trace_destroy(a);
        orr_trace_destroy(b);
    }
}

static void days_swing(void **state)
{
    (void)state;
    orr_synth_requests_options o = many(40000);
    o.arrivals = "diurnal";
    o.swing = 0.8;
    o.span = 4 * ORR_DAY;
    orr_trace *t;
    const orr_trace_request *r;
    const size_t n = made(&o, &t, &r);
    double noon = 0;
    for (size_t i = 0; i < n; i++)
        noon += r[i].arrival % ORR_DAY >= 6 * ORR_HOUR && r[i].arrival % ORR_DAY < 18 * ORR_HOUR;
    check_near("of all between 6 and 18", noon / (double)n, 0.5 + 0.8 / 3.14159265358979, 0.02);
    check_near("span", orr_time_seconds(r[n - 1].arrival), 4 * 86400, 0.03);
    orr_trace_destroy(t);
}

/* Bins of the same requests, summed by service and bin. */
static void bins_sum_up(void **state)
{
    (void)state;
    orr_synth_requests_options o = many(5000);
    o.services = "3";
    o.tokens_in = "50:0.5";
    o.tokens_out = "9:2";
    orr_trace *single, *binned;
    const orr_trace_request *r, *b;
    const size_t n = made(&o, &single, &r);
    o.bin = 2 * ORR_SECOND;
    const size_t bins = made(&o, &binned, &b);
    assert_int_equal(orr_trace_bin(binned), 2 * ORR_SECOND);
    assert_int_equal(orr_trace_bin(single), 0);
    uint64_t all = 0;
    for (size_t i = 0; i < bins; i++) {
        uint64_t count = 0;
        int64_t in = 0, out = 0;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(r[k].service, b[i].service) != 0 || r[k].arrival / o.bin * o.bin != b[i].arrival)
                continue;
            count++;
            in += r[k].tokens_in;
            out += r[k].tokens_out;
        }
        assert_true(count == b[i].count && in == b[i].tokens_in && out == b[i].tokens_out);
        all += count;
    }
    assert_int_equal(all, 5000);
    orr_trace_destroy(single);
    orr_trace_destroy(binned);
}

static void files_bring_them_back(void **state)
{
    (void)state;
    char folder[64], path[128];
    orr_error e = {0};
    scratch_folder(folder);
    snprintf(path, sizeof path, "%s/r.csv", folder);
    for (int binned = 0; binned < 2; binned++) {
        orr_synth_requests_options o = many(500);
        o.services = "x,y";
        o.arrivals = "bursty";
        o.tokens_in = "20:1";
        o.bin = binned ? 5 * ORR_SECOND : 0;
        orr_trace *t, *back;
        const orr_trace_request *r, *s;
        const size_t n = made(&o, &t, &r);
        assert_int_equal(orr_trace_write(t, path, NULL, &e), ORR_OK);
        back = orr_trace_read(path, NULL, &e);
        assert_non_null(back);
        assert_int_equal(orr_trace_bin(back), o.bin);
        assert_int_equal(orr_trace_requests(back, &s), n);
        for (size_t i = 0; i < n; i++)
            assert_true(r[i].arrival == s[i].arrival && r[i].count == s[i].count && r[i].tokens_in == s[i].tokens_in &&
                        strcmp(r[i].service, s[i].service) == 0);
        orr_trace_destroy(t);
        orr_trace_destroy(back);
    }
    scratch_remove(folder);
}

#define BAD(expected, ...)                                                                                             \
    do {                                                                                                               \
        orr_error e = {0};                                                                                             \
        orr_synth_requests_options o = orr_synth_requests_options_default();                                           \
        __VA_ARGS__;                                                                                                   \
        assert_null(orr_synth_requests(&o, &e));                                                                       \
        if (e.code != (expected))                                                                                      \
            fail_msg(#__VA_ARGS__ ": %s", e.message);                                                                  \
    } while (0)

static void wrong_options_are_refused(void **state)
{
    (void)state;
    BAD(ORR_E_BAD_VALUE, o.requests = 0);
    BAD(ORR_E_BAD_VALUE, o.rate = NAN);
    BAD(ORR_E_BAD_VALUE, o.rate = -1);
    BAD(ORR_E_BAD_VALUE, o.swing = 1.5);
    BAD(ORR_E_BAD_VALUE, o.cv = 0);
    BAD(ORR_E_BAD_VALUE, o.service_zipf = 11);
    BAD(ORR_E_BAD_VALUE, o.services = "0");
    BAD(ORR_E_BAD_VALUE, o.services = "");
    BAD(ORR_E_BAD_VALUE, o.services = "a,,b");
    BAD(ORR_E_BAD_VALUE, o.services = "a,b,a");
    BAD(ORR_E_BAD_VALUE, o.services = "100001");
    BAD(ORR_E_BAD_VALUE, o.arrivals = "at-once");
    BAD(ORR_E_BAD_VALUE, o.mmpp = "1:x");
    BAD(ORR_E_BAD_VALUE, o.tokens_in = "many");
    BAD(ORR_E_BAD_VALUE, o.tokens_out = "5:-1");
    BAD(ORR_E_BAD_VALUE, o.bin = 1);
    BAD(ORR_E_BAD_VALUE, o.span = 1);
    BAD(ORR_E_CONFLICT, o.rate = 1; o.span = ORR_SECOND);
    BAD(ORR_E_RANGE, o.rate = 1e-6; o.requests = 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_models_by_zipf),
        cmocka_unit_test(services_don_t_move_each_other),
        cmocka_unit_test(days_swing),
        cmocka_unit_test(bins_sum_up),
        cmocka_unit_test(files_bring_them_back),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
