/* Sources: when requests arrive and what they carry. Processes are checked by their moments, with a fixed seed; what
 * is exact by hand. */
#include "serve/source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S ORR_SECOND

static const orr_slo_class one_class[] = {{"all", ORR_TIME_MAX, 1, 0, 1}};

/* A service of one class. */
static orr_service service(orr_source source)
{
    if (source.until == 0)
        source.until = ORR_TIME_MAX;
    if (!(source.speed > 0))
        source.speed = 1;
    return (orr_service){.name = "a", .classes = one_class, .class_count = 1, .source = source};
}

static orr_pull *pull(const orr_service *s)
{
    return orr_pull_create(s, 1);
}

/* The next n arrivals; how many there were. Always in order, and as they were seen before they were taken. */
static size_t take(orr_pull *p, orr_arrival *out, size_t n)
{
    size_t i = 0;
    for (; i < n && orr_pull_peek(p) != ORR_TIME_MAX; i++) {
        const orr_time seen = orr_pull_peek(p);
        orr_pull_next(p, &out[i]);
        assert_int_equal(out[i].at, seen);
        assert_true(i == 0 || out[i].at >= out[i - 1].at);
    }
    return i;
}

/* All of a source arrives at these times, and no more. */
static void arrives(orr_source source, const orr_time *times, size_t n)
{
    const orr_service s = service(source);
    orr_pull *p = pull(&s);
    orr_arrival got[64];
    assert_int_equal(take(p, got, 64), n);
    for (size_t i = 0; i < n; i++)
        if (got[i].at != times[i])
            fail_msg("request %zu at %lld instead of %lld", i, (long long)got[i].at, (long long)times[i]);
    assert_int_equal(orr_pull_peek(p), ORR_TIME_MAX);
    orr_pull_destroy(p);
}

static void near(const char *name, double got, double expected, double relative)
{
    if (fabs(got - expected) > relative * fabs(expected))
        fail_msg("%s: %.6g instead of %.6g", name, got, expected);
}

/* ---- moments ---- */

typedef struct gap_moments {
    double mean, deviation;
} gap_moments;

static gap_moments gaps_of(orr_source source, int n)
{
    const orr_service s = service(source);
    orr_pull *p = pull(&s);
    orr_arrival a;
    orr_time before = 0;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        orr_pull_next(p, &a);
        const double gap = orr_time_seconds(a.at - before);
        before = a.at;
        sum += gap;
        squares += gap * gap;
    }
    orr_pull_destroy(p);
    return (gap_moments){sum / n, sqrt(squares / n - sum / n * (sum / n))};
}

typedef struct gap_row {
    const char *name;
    orr_source source;
    double mean, deviation, mean_apart, apart;
} gap_row;

static const double rates_100[] = {100, 10}, stays_100[] = {5, 20}, rates_200[] = {200, 20}, stays_200[] = {1, 3};

/* The cases gamma_arrivals_* and mmpp2_* of the golden formulas: deviation of a gap = its mean * sqrt(gap_scv). */
static const gap_row gap_rows[] = {
    {"poisson", {.kind = ORR_SOURCE_POISSON, .rate = 50}, 0.02, 0.02, 0.005, 0.01},
    {"poisson, faster than the clock ticks", {.kind = ORR_SOURCE_POISSON, .rate = 5e9}, 2e-10, 4.03e-10, 0.01, 0.02},
    {"gamma 10 1", {.kind = ORR_SOURCE_GAMMA, .rate = 10, .cv = 1}, 0.1, 0.1, 0.005, 0.01},
    {"gamma 10 3", {.kind = ORR_SOURCE_GAMMA, .rate = 10, .cv = 3}, 0.1, 0.3, 0.015, 0.03},
    {"gamma 50 0.5", {.kind = ORR_SOURCE_GAMMA, .rate = 50, .cv = 0.5}, 0.02, 0.01, 0.005, 0.01},
    {"gamma 10 12", {.kind = ORR_SOURCE_GAMMA, .rate = 10, .cv = 12}, 0.1, 1.2, 0.06, 0.12},
    {"mmpp 100 10",
     {.kind = ORR_SOURCE_MMPP, .rates = rates_100, .stays = stays_100, .states = 2},
     1 / 28.0,
     1 / 28.0 * 1.8904978,
     0.04,
     0.05},
    {"mmpp 200 20",
     {.kind = ORR_SOURCE_MMPP, .rates = rates_200, .stays = stays_200, .states = 2},
     1 / 65.0,
     1 / 65.0 * 1.9932369,
     0.04,
     0.05},
};

static void gaps_have_their_moments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gap_rows / sizeof *gap_rows; i++) {
        const gap_row *r = &gap_rows[i];
        const gap_moments got = gaps_of(r->source, 400000);
        near(r->name, got.mean, r->mean, r->mean_apart);
        near(r->name, got.deviation, r->deviation, r->apart);
    }
}

/* Variance of the count in a window over its mean. In a window T the limit D of an MMPP of two states that are left r
 * times a second together is reached up to 1 + (D - 1) (1 - (1 - exp(-r T)) / (r T)). */
static void mmpp_counts_are_as_dispersed_as_known(void **state)
{
    (void)state;
    enum { WINDOWS = 1500 };
    const double width = 40, r = 0.2 + 0.05, limit = 371.28571428571433;
    const orr_service s = service(gap_rows[6].source);
    orr_pull *p = pull(&s);
    double sum = 0, squares = 0;
    for (int w = 0; w < WINDOWS; w++) {
        double n = 0;
        for (orr_arrival a; orr_pull_peek(p) < (w + 1) * 40 * S; n++)
            orr_pull_next(p, &a);
        sum += n;
        squares += n * n;
    }
    const double mean = sum / WINDOWS, variance = squares / WINDOWS - mean * mean;
    const double expected = 1 + (limit - 1) * (1 - (1 - exp(-r * width)) / (r * width));
    near("dispersion", variance / mean, expected, 0.1);
    near("rate", mean / width, 28, 0.05);
    orr_pull_destroy(p);
}

/* Of three states, each is left for both others alike: shares of time follow the stays, 1 : 2 : 1. */
static void mmpp_visits_its_states(void **state)
{
    (void)state;
    static const double rates[] = {10, 0, 30}, stays[] = {1, 2, 1};
    const orr_service s =
        service((orr_source){.kind = ORR_SOURCE_MMPP, .rates = rates, .stays = stays, .states = 3, .from = 7 * S});
    orr_pull *p = pull(&s);
    int in[3] = {0}, came[3] = {0};
    for (int i = 0; i < 200000; i++) {
        const double rate = orr_pull_rate(p, 7 * S + i * (S / 5));
        in[rate == 30 ? 2 : rate == 10 ? 0 : 1]++;
    }
    near("first", in[0], 50000, 0.04);
    near("second", in[1], 100000, 0.04);
    /* Requests come by the rate that is told, which may be asked for again from the beginning. */
    for (orr_arrival a; orr_pull_peek(p) < 5000 * S;) {
        orr_pull_next(p, &a);
        const double rate = orr_pull_rate(p, a.at);
        came[rate == 30 ? 2 : rate == 10 ? 0 : 1]++;
    }
    assert_true(came[1] <= 2); /* in the nanosecond in which a state ends */
    near("third to first", (double)came[2] / came[0], 3, 0.1);
    orr_pull_destroy(p);
}

/* The first half of the period has (1 + 2 swing / pi) / 2 of all; its middle the most. */
static void diurnal_follows_the_sine(void **state)
{
    (void)state;
    const orr_service s = service((orr_source){.kind = ORR_SOURCE_DIURNAL,
                                               .rate = 20,
                                               .swing = 0.8,
                                               .period = 1000 * S,
                                               .phase = 250 * S,
                                               .until = 20000 * S});
    orr_pull *p = pull(&s);
    double n = 0, half = 0;
    for (orr_arrival a; orr_pull_peek(p) != ORR_TIME_MAX; n++) {
        orr_pull_next(p, &a);
        half += (a.at - 250 * S + 1000 * S) % (1000 * S) < 500 * S;
    }
    near("all", n, 20 * 20000, 0.01);
    near("first half", half / n, 0.5 + 0.8 / 3.14159265358979, 0.01);
    near("at the top", orr_pull_rate(p, 500 * S), 36, 1e-9);
    near("at the bottom", orr_pull_rate(p, 0), 4, 1e-9);
    assert_true(orr_pull_rate(p, 20000 * S) == 0);
    orr_pull_destroy(p);
}

/* ---- exact ---- */

static void regular_times_don_t_drift(void **state)
{
    (void)state;
    const orr_time quarters[] = {10 * S + S / 4, 10 * S + S / 2, 10 * S + 3 * S / 4};
    arrives((orr_source){.kind = ORR_SOURCE_REGULAR, .rate = 4, .from = 10 * S, .until = 11 * S}, quarters, 3);
    arrives((orr_source){.kind = ORR_SOURCE_REGULAR, .rate = 4, .from = 10 * S, .limit = 2}, quarters, 2);
    const orr_service thirds = service((orr_source){.kind = ORR_SOURCE_REGULAR, .rate = 3});
    orr_pull *p = pull(&thirds);
    orr_arrival a = {0};
    for (int i = 0; i < 3000000; i++)
        orr_pull_next(p, &a);
    assert_int_equal(a.at, 1000000 * S);
    assert_int_equal(a.input, 2999999); /* none is like another */
    orr_pull_destroy(p);
}

static void bounds_hold_for_what_is_drawn(void **state)
{
    (void)state;
    static const orr_source_kind kinds[] = {ORR_SOURCE_POISSON, ORR_SOURCE_GAMMA, ORR_SOURCE_MMPP, ORR_SOURCE_DIURNAL};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        orr_source source = {.kind = kinds[i],
                             .rate = 50,
                             .cv = 2,
                             .rates = rates_100,
                             .stays = stays_100,
                             .states = 2,
                             .swing = 1,
                             .period = 60 * S,
                             .from = 100 * S,
                             .until = 200 * S};
        orr_service s = service(source);
        orr_pull *p = pull(&s);
        orr_arrival a[10000];
        const size_t n = take(p, a, 10000);
        assert_in_range(n, 1000, 9000);
        assert_true(a[0].at >= 100 * S && a[n - 1].at < 200 * S);
        assert_true(orr_pull_rate(p, 99 * S) == 0 && orr_pull_rate(p, 150 * S) > 0 && orr_pull_rate(p, 200 * S) == 0);
        orr_pull_destroy(p);
        /* A limit changes nothing before it is reached. */
        s.source.limit = 70;
        p = pull(&s);
        orr_arrival b[100];
        assert_int_equal(take(p, b, 100), 70);
        for (int k = 0; k < 70; k++)
            assert_int_equal(b[k].at, a[k].at);
        orr_pull_destroy(p);
    }
}

static void nothing_comes_of_nothing(void **state)
{
    (void)state;
    static const double zeros[] = {0, 0};
    arrives((orr_source){.kind = ORR_SOURCE_NONE}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_POISSON}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_POISSON, .rate = 1e-30}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_POISSON, .rate = 1e9, .from = 5, .until = 5}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_MMPP, .rates = zeros, .stays = stays_100, .states = 2}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_CLOSED}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_COUNTS, .bin = S}, NULL, 0);
    arrives((orr_source){.kind = ORR_SOURCE_LIST}, NULL, 0);
    orr_pull_destroy(NULL);
}

/* ---- bins ---- */

static void even_bins_are_exact(void **state)
{
    (void)state;
    static const uint64_t counts[] = {2, 0, 1, 4};
    const orr_time all[] = {250, 750, 2500, 3125, 3375, 3625, 3875};
    orr_time times[7];
    orr_source s = {
        .kind = ORR_SOURCE_COUNTS, .counts = counts, .bins = 4, .bin = S, .within = ORR_BIN_EVEN, .speed = 1};
    for (int speed = 1; speed <= 2; speed++) {
        s.speed = speed;
        for (int i = 0; i < 7; i++)
            times[i] = all[i] * ORR_MS / speed;
        arrives(s, times, 7);
    }
    s.speed = 1;
    for (int i = 0; i < 7; i++)
        times[i] = all[i] * ORR_MS;
    s.from = 750 * ORR_MS;
    s.until = 3375 * ORR_MS;
    arrives(s, times + 1, 3);
    s.limit = 2;
    arrives(s, times + 1, 2);
}

static void bins_keep_their_counts(void **state)
{
    (void)state;
    uint64_t counts[200];
    for (size_t i = 0; i < 200; i++)
        counts[i] = i * 7919 % 40;
    for (int law = ORR_BIN_POISSON; law <= ORR_BIN_GAMMA; law++) {
        const orr_service s = service((orr_source){.kind = ORR_SOURCE_COUNTS,
                                                   .counts = counts,
                                                   .bins = 200,
                                                   .bin = 100,
                                                   .within = (orr_bin_law)law,
                                                   .cv = 4,
                                                   .speed = 1});
        orr_pull *p = pull(&s);
        for (size_t i = 0; i < 200; i++)
            for (uint64_t k = 0; k < counts[i]; k++) {
                orr_arrival a;
                assert_true(orr_pull_peek(p) != ORR_TIME_MAX);
                orr_pull_next(p, &a);
                assert_int_equal(a.at / 100, i);
            }
        assert_int_equal(orr_pull_peek(p), ORR_TIME_MAX);
        near("rate", orr_pull_rate(p, 150), (double)counts[1] * 1e7, 1e-9);
        orr_pull_destroy(p);
    }
}

/* Of n uniform draws the i-th has mean i / (n + 1) and variance i (n + 1 - i) / ((n + 1)^2 (n + 2)); gaps of cv 1,
 * scaled, are the same; those of a greater cv scatter more. */
static void draws_lie_in_bins_as_they_should(void **state)
{
    (void)state;
    enum { BINS = 30000 };
    uint64_t *counts = malloc(BINS * sizeof *counts);
    for (size_t i = 0; i < BINS; i++)
        counts[i] = 3;
    static const struct {
        orr_bin_law law;
        double cv, variance;
    } rows[] = {{ORR_BIN_POISSON, 0, 3.0 / 80}, {ORR_BIN_GAMMA, 1, 3.0 / 80}, {ORR_BIN_GAMMA, 2, 3.0 / 32}};
    for (int r = 0; r < 3; r++) {
        const orr_service s = service((orr_source){.kind = ORR_SOURCE_COUNTS,
                                                   .counts = counts,
                                                   .bins = BINS,
                                                   .bin = S,
                                                   .within = rows[r].law,
                                                   .cv = rows[r].cv,
                                                   .speed = 1});
        orr_pull *p = pull(&s);
        double sum = 0, squares = 0;
        for (int i = 0; i < BINS; i++) {
            orr_arrival a[3];
            take(p, a, 3);
            const double x = orr_time_seconds(a[0].at - i * S);
            sum += x;
            squares += x * x;
        }
        near("mean of the first", sum / BINS, 0.25, 0.02);
        near("variance of the first", squares / BINS - sum / BINS * (sum / BINS), rows[r].variance, 0.03);
        orr_pull_destroy(p);
    }
    free(counts);
}

/* ---- lists ---- */

static void lists_are_replayed(void **state)
{
    (void)state;
    static const uint64_t prefix[] = {1, 2}, other[] = {1, 3};
    const orr_trace_request list[] = {
        {.arrival = 1 * S, .tokens_in = 100, .tokens_out = 7, .count = 1, .blocks = prefix, .block_count = 2},
        {.arrival = 1 * S, .tokens_in = -1, .tokens_out = 0, .count = 1, .blocks = other, .block_count = 2},
        {.arrival = 3 * S, .tokens_in = 5, .tokens_out = -1, .count = 1, .blocks = prefix, .block_count = 2},
        {.arrival = 9 * S, .tokens_in = 5, .tokens_out = 5, .count = 1},
    };
    orr_service s =
        service((orr_source){.kind = ORR_SOURCE_LIST, .list = list, .listed = 4, .tokens_in = 50, .until = 9 * S});
    orr_pull *p = pull(&s);
    orr_arrival a[4];
    near("rate", orr_pull_rate(p, 2 * S), 4 / 60.0, 1e-9);
    assert_int_equal(take(p, a, 4), 3);
    assert_int_equal(a[0].at, S);
    assert_int_equal(a[2].at, 3 * S);
    assert_int_equal(a[0].tokens_in, 100);
    assert_int_equal(a[0].tokens_out, 7);
    assert_int_equal(a[1].tokens_in, 50); /* by the law, where the record doesn't say */
    assert_int_equal(a[1].tokens_out, 0);
    assert_int_equal(a[2].tokens_out, 0); /* no record and no law: none */
    assert_true(a[0].input == a[2].input && a[0].input != a[1].input);
    orr_pull_destroy(p);
    s.source.speed = 4;
    p = pull(&s);
    assert_int_equal(take(p, a, 4), 4);
    assert_int_equal(a[0].at, S / 4);
    assert_int_equal(a[3].at, 9 * S / 4);
    near("rate", orr_pull_rate(p, S / 2), 4 * 4 / 60.0, 1e-9);
    orr_pull_destroy(p);
}

/* 5 + 2 requests of one bin in two records, with 17 + 4 and 7 + 0 tokens; then a bin that doesn't say how many. */
static void bins_of_lists_share_their_tokens(void **state)
{
    (void)state;
    const orr_trace_request list[] = {{.arrival = 0, .tokens_in = 17, .tokens_out = 7, .count = 5},
                                      {.arrival = 0, .tokens_in = 4, .tokens_out = 0, .count = 2},
                                      {.arrival = S, .tokens_in = 10, .tokens_out = -1, .count = 3}};
    const orr_service s =
        service((orr_source){.kind = ORR_SOURCE_LIST, .list = list, .listed = 3, .bin = S, .tokens_out = 9});
    orr_pull *p = pull(&s);
    orr_arrival a[16];
    int64_t in = 0, out = 0;
    assert_int_equal(take(p, a, 16), 10);
    for (int i = 0; i < 7; i++) {
        in += a[i].tokens_in;
        out += a[i].tokens_out;
        assert_true(a[i].at < S && a[i].tokens_in == 3 && a[i].tokens_out == 1);
    }
    assert_int_equal(in, 21);
    assert_int_equal(out, 7);
    assert_int_equal(a[7].tokens_in + a[8].tokens_in + a[9].tokens_in, 10);
    assert_int_equal(a[9].tokens_out, 9);
    assert_true(a[7].at >= S && a[9].at < 2 * S);
    near("rate", orr_pull_rate(p, S / 2), 7, 1e-9);
    orr_pull_destroy(p);
}

/* ---- a closed loop ---- */

/* Two clients, who think a second:      0: both ask
 * an answer at 3 s: that one asks at 4 s; one at 3.5 s: at 4.5 s; the limit of four requests is met then. */
static void clients_ask_after_they_have_thought(void **state)
{
    (void)state;
    const orr_service s = service((orr_source){.kind = ORR_SOURCE_CLOSED, .clients = 2, .think = S, .limit = 4});
    orr_pull *p = pull(&s);
    orr_arrival a[8];
    near("rate", orr_pull_rate(p, 0), 2, 1e-9);
    assert_int_equal(take(p, a, 8), 2);
    assert_true(a[0].at == 0 && a[1].at == 0);
    assert_int_equal(orr_pull_peek(p), ORR_TIME_MAX);
    orr_pull_answered(p, 3 * S + S / 2);
    assert_int_equal(orr_pull_peek(p), 4 * S + S / 2);
    orr_pull_answered(p, 3 * S); /* told later, asks earlier */
    assert_int_equal(take(p, a, 1), 1);
    assert_int_equal(a[0].at, 4 * S);
    orr_pull_answered(p, 4 * S);
    assert_int_equal(take(p, a, 8), 1);
    assert_int_equal(a[0].at, 4 * S + S / 2);
    assert_int_equal(orr_pull_peek(p), ORR_TIME_MAX);
    orr_pull_answered(p, 5 * S);
    assert_int_equal(orr_pull_peek(p), ORR_TIME_MAX);
    orr_pull_destroy(p);
}

/* Whatever is answered in which order: never more than so many are under way, nobody is forgotten, and no one asks at
 * the end. */
static void no_more_clients_than_there_are(void **state)
{
    (void)state;
    enum { CLIENTS = 7 };
    const orr_service s = service((orr_source){.kind = ORR_SOURCE_CLOSED,
                                               .clients = CLIENTS,
                                               .think = 20 * ORR_MS,
                                               .from = S,
                                               .until = 100 * S,
                                               .think_spread = {ORR_SCATTER_EXPONENTIAL, 0}});
    orr_pull *p = pull(&s);
    int under_way = 0, asked = 0, most = 0;
    orr_time now = S;
    double thought = 0;
    for (uint64_t n = 0;; n++) {
        const orr_time next = orr_pull_peek(p);
        if (next == ORR_TIME_MAX && under_way == 0)
            break;
        if (next != ORR_TIME_MAX && (under_way == 0 || next <= now + 5 * ORR_MS)) {
            orr_arrival a;
            orr_pull_next(p, &a);
            assert_true(a.at >= now && a.at < 100 * S);
            now = a.at;
            under_way++;
            asked++;
        } else {
            now += 5 * ORR_MS;
            orr_pull_answered(p, now);
            under_way--;
            thought += 1;
        }
        assert_in_range(under_way, 0, CLIENTS);
        most = under_way > most ? under_way : most;
    }
    assert_true(asked > 5000 && thought == asked);
    assert_int_equal(most, CLIENTS);
    orr_pull_destroy(p);
}

/* ---- what depends on what ---- */

static void same_arrivals(const orr_service *a, const orr_service *b, bool same)
{
    orr_pull *p = pull(a), *q = pull(b);
    orr_arrival x, y;
    bool all = true;
    for (int i = 0; i < 500; i++) {
        orr_pull_next(p, &x);
        orr_pull_next(q, &y);
        all &= x.at == y.at;
    }
    assert_int_equal(all, same);
    orr_pull_destroy(p);
    orr_pull_destroy(q);
}

static const orr_slo_class three[] = {{"x", S, 0.5, 0, 1}, {"y", S, 0, 0, 1}, {"z", S, 0.5, 0, 1}};

static void arrivals_depend_on_nothing_else(void **state)
{
    (void)state;
    const orr_service plain = service((orr_source){.kind = ORR_SOURCE_GAMMA, .rate = 5, .cv = 2});
    orr_service rich = plain, other = plain;
    rich.classes = three;
    rich.class_count = 3;
    rich.source.tokens_in = 100;
    rich.source.in_spread = (orr_jitter){ORR_SCATTER_GAMMA, 1};
    rich.source.inputs = 9;
    other.name = "b";
    same_arrivals(&plain, &plain, true);
    same_arrivals(&plain, &rich, true);
    same_arrivals(&plain, &other, false);
    orr_pull *p = orr_pull_create(&plain, 1), *q = orr_pull_create(&plain, 2);
    assert_true(orr_pull_peek(p) != orr_pull_peek(q));
    orr_pull_destroy(p);
    orr_pull_destroy(q);
}

static void drawn_properties_are_independent(void **state)
{
    (void)state;
    enum { N = 20000 };
    orr_service a = service((orr_source){.kind = ORR_SOURCE_POISSON,
                                         .rate = 5,
                                         .tokens_in = 100,
                                         .tokens_out = 3,
                                         .in_spread = {ORR_SCATTER_LOGNORMAL, 1},
                                         .inputs = 50,
                                         .zipf = 1});
    a.classes = three;
    a.class_count = 3;
    orr_service b = a;
    b.source.kind = ORR_SOURCE_REGULAR;
    b.source.tokens_out = 0;
    b.source.inputs = 0;
    orr_pull *p = pull(&a), *q = pull(&b);
    double in = 0;
    int classes[3] = {0}, first = 0;
    for (int i = 0; i < N; i++) {
        orr_arrival x, y;
        orr_pull_next(p, &x);
        orr_pull_next(q, &y);
        assert_true(x.class_ == y.class_ && x.tokens_in == y.tokens_in);
        assert_true(x.tokens_in >= 1 && x.tokens_out == 3 && y.tokens_out == 0);
        assert_true(y.input == (uint64_t)i && x.input >= 1 && x.input <= 50);
        in += (double)x.tokens_in;
        classes[x.class_]++;
        first += x.input == 1;
    }
    near("tokens", in / N, 100, 0.03);
    near("a class", classes[0], N / 2.0, 0.03);
    assert_int_equal(classes[1], 0);
    near("an input", first, N / 4.499205338, 0.05); /* over 1 + 1/2 + ... + 1/50 */
    orr_pull_destroy(p);
    orr_pull_destroy(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_have_their_moments),
        cmocka_unit_test(mmpp_counts_are_as_dispersed_as_known),
        cmocka_unit_test(mmpp_visits_its_states),
        cmocka_unit_test(diurnal_follows_the_sine),
        cmocka_unit_test(regular_times_don_t_drift),
        cmocka_unit_test(bounds_hold_for_what_is_drawn),
        cmocka_unit_test(nothing_comes_of_nothing),
        cmocka_unit_test(even_bins_are_exact),
        cmocka_unit_test(bins_keep_their_counts),
        cmocka_unit_test(draws_lie_in_bins_as_they_should),
        cmocka_unit_test(lists_are_replayed),
        cmocka_unit_test(bins_of_lists_share_their_tokens),
        cmocka_unit_test(clients_ask_after_they_have_thought),
        cmocka_unit_test(no_more_clients_than_there_are),
        cmocka_unit_test(arrivals_depend_on_nothing_else),
        cmocka_unit_test(drawn_properties_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
