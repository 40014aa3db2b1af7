/* Matchings in general graphs: known answers, and every matching of small random ones. */
#include "base/rng.h"
#include <orrery/solve.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "near.h"

enum { MOST = 10 };

/* Muri's four jobs A, B, C, D: their pairs' efficiencies; the best two are BD and AC. */
static void four_jobs_that_interleave(void **state)
{
    (void)state;
    const double ab = .357143, ac = .416667, bc = .454545, ad = .454545, bd = .5, cd = .357143;
    const double weight[] = {0, ab, ac, ad, ab, 0, bc, bd, ac, bc, 0, cd, ad, bd, cd, 0};
    const int32_t expected[] = {2, 3, 0, 1};
    for (int perfect = 0; perfect < 2; perfect++) {
        int32_t mate[4];
        assert_near(orr_match_pairs(weight, 4, perfect, mate), bd + ac, 1e-12);
        assert_memory_equal(mate, expected, sizeof expected);
    }
}

/* A path 0 - 1 - 2 - 3 of weights 2, 5, 2: the middle alone is worth more; two pairs are more. */
static void as_many_pairs_as_can_be_come_first_if_asked(void **state)
{
    (void)state;
    const double weight[] = {0, 2, 0, 0, 2, 0, 5, 0, 0, 5, 0, 2, 0, 0, 2, 0};
    int32_t mate[4];
    assert_near(orr_match_pairs(weight, 4, false, mate), 5, 0);
    assert_int_equal(mate[0], -1);
    assert_int_equal(mate[1], 2);
    assert_near(orr_match_pairs(weight, 4, true, mate), 4, 0);
    assert_int_equal(mate[0], 1);
    assert_int_equal(mate[3], 2);
}

/* An odd ring of five, one tail: 0-1-2-3-4-0 and 2-5. It must be seen that the ring leaves any of its vertices. */
static void a_blossom(void **state)
{
    (void)state;
    double weight[36] = {0};
    const int ends[][3] = {{0, 1, 9}, {1, 2, 9}, {2, 3, 9}, {3, 4, 9}, {4, 0, 9}, {2, 5, 1}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        weight[ends[i][0] * 6 + ends[i][1]] = weight[ends[i][1] * 6 + ends[i][0]] = ends[i][2];
    int32_t mate[6];
    assert_near(orr_match_pairs(weight, 6, false, mate), 19, 0);
    const int32_t expected[] = {1, 0, 5, 4, 3, 2};
    assert_memory_equal(mate, expected, sizeof expected);
}

static void pairs_that_are_worth_nothing_are_none(void **state)
{
    (void)state;
    const double weight[] = {0, 0, -3, 0, 0, 0, -3, 0, 0};
    int32_t mate[3];
    assert_near(orr_match_pairs(weight, 3, true, mate), 0, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(mate[i], -1);
    assert_near(orr_match_pairs(NULL, 0, false, NULL), 0, 0);
}

/* ---- against every matching ---- */

typedef struct answer {
    double weight;
    int pairs;
} answer;

static bool is_better(answer a, answer b, bool perfect)
{
    return perfect && a.pairs != b.pairs ? a.pairs > b.pairs : a.weight > b.weight;
}

static answer best_of(const double *weight, int n, unsigned used, bool perfect)
{
    int v = 0;
    while (v < n && used >> v & 1)
        v++;
    if (v == n)
        return (answer){0, 0};
    answer best = best_of(weight, n, used | 1u << v, perfect);
    for (int w = v + 1; w < n; w++) {
        if (used >> w & 1 || weight[v * n + w] <= 0)
            continue;
        answer with = best_of(weight, n, used | 1u << v | 1u << w, perfect);
        with.weight += weight[v * n + w];
        with.pairs++;
        if (is_better(with, best, perfect))
            best = with;
    }
    return best;
}

static answer sum_of(const double *weight, int n, const int32_t *mate)
{
    answer sum = {0, 0};
    for (int v = 0; v < n; v++) {
        assert_true(mate[v] >= -1 && mate[v] < n && mate[v] != v);
        if (mate[v] < 0)
            continue;
        assert_int_equal(mate[mate[v]], v);
        sum.weight += weight[v * n + mate[v]] / 2;
        sum.pairs += mate[v] > v;
    }
    return sum;
}

/* Few weights make many blossoms; `odds` of 100 are edges. */
static void draw(double *weight, int n, uint64_t seed, unsigned odds, unsigned weights)
{
    for (int v = 0; v < n; v++)
        for (int w = 0; w <= v; w++) {
            uint64_t draw = orr_mix64((seed << 20) + (uint64_t)(v * 64 + w));
            weight[v * n + w] = weight[w * n + v] =
                v != w && draw % 100 < odds ? 1 + (double)(draw / 100 % weights) : 0;
        }
}

static void compare(const double *weight, int n, bool perfect)
{
    int32_t mate[MOST];
    answer best = best_of(weight, n, 0, perfect);
    double got = orr_match_pairs(weight, n, perfect, mate);
    answer sum = sum_of(weight, n, mate);
    assert_near(got, best.weight, 1e-9);
    assert_near(sum.weight, best.weight, 1e-9);
    if (perfect)
        assert_int_equal(sum.pairs, best.pairs);
}

static void as_every_matching_shows(void **state)
{
    (void)state;
    const unsigned weights[] = {1, 2, 4, 10, 1000}, odds[] = {25, 40, 60, 100};
    double weight[MOST * MOST];
    for (uint64_t seed = 0; seed < 4000; seed++) {
        int n = 2 + (int)(orr_mix64(seed ^ UINT64_C(0x5eed)) % (seed % 16 ? 7 : MOST - 1));
        draw(weight, n, seed, odds[seed % 4], weights[seed / 4 % 5]);
        compare(weight, n, seed / 2 % 2);
    }
}

/* ---- larger, with blossoms in blossoms ---- */

/* A best matching has a proof: here chains of triangles, of which the answer is known. Triangle i has the vertices
 * 3i..3i+2, edges of 10 within, and of 1 from its last vertex to the next one's first. An even number of triangles
 * can be paired up: two edges of 10 and one of 1 each two. */
static void a_chain_of_triangles(void **state)
{
    (void)state;
    enum { TRIANGLES = 40, N = 3 * TRIANGLES };
    double *weight = calloc(N * N, sizeof *weight);
    for (int i = 0; i < TRIANGLES; i++)
        for (int a = 3 * i; a < 3 * i + 3; a++)
            for (int b = 3 * i; b < 3 * i + 3; b++)
                weight[a * N + b] = a == b ? 0 : 10;
    for (int i = 1; i < TRIANGLES; i++)
        weight[(3 * i - 1) * N + 3 * i] = weight[3 * i * N + 3 * i - 1] = 1;
    int32_t mate[N];
    assert_near(orr_match_pairs(weight, N, false, mate), TRIANGLES / 2 * 21, 0);
    assert_near(sum_of(weight, N, mate).weight, TRIANGLES / 2 * 21, 0);
    free(weight);
}

/* Random ones too large to try all: no two pairs, and no pair and a single vertex, can be put together better. Same
 * bits each time. */
static void a_large_one(void **state)
{
    (void)state;
    enum { N = 120 };
    double *weight = calloc(N * N, sizeof *weight);
    int32_t mate[N], again[N];
    draw(weight, N, 5, 100, 1u << 20);
    double got = orr_match_pairs(weight, N, true, mate);
    assert_int_equal(sum_of(weight, N, mate).pairs, N / 2);
    for (int a = 0; a < N; a++)
        for (int b = 0; b < N; b++) {
            if (a == b || mate[a] == b)
                continue;
            double now = weight[a * N + mate[a]] + weight[b * N + mate[b]];
            assert_true(now >= weight[a * N + b] + weight[mate[a] * N + mate[b]] - 1e-9);
        }
    assert_near(orr_match_pairs(weight, N, true, again), got, 0);
    assert_memory_equal(mate, again, sizeof mate);
    free(weight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_jobs_that_interleave),
        cmocka_unit_test(as_many_pairs_as_can_be_come_first_if_asked),
        cmocka_unit_test(a_blossom),
        cmocka_unit_test(pairs_that_are_worth_nothing_are_none),
        cmocka_unit_test(as_every_matching_shows),
        cmocka_unit_test(a_chain_of_triangles),
        cmocka_unit_test(a_large_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
