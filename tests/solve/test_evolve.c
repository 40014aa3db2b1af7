/* The breeder of deals: repairs and scores worked out by hand, ranks and crowding, and on small cases the best of all deals. */
#include <orrery/evolve.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 3, COLUMNS = 2 };

typedef struct made {
    uint32_t start[ROWS + 1];
    orr_deal_part parts[ROWS * COLUMNS + 8];
    orr_deal deal;
} made;

static orr_deal *make(made *m, const int counts[ROWS][COLUMNS])
{
    uint32_t n = 0;
    m->start[0] = 0;
    for (int j = 0; j < ROWS; j++) {
        for (uint16_t c = 0; c < COLUMNS; c++)
            if (counts[j][c])
                m->parts[n++] = (orr_deal_part){c, (uint16_t)counts[j][c]};
        m->start[j + 1] = n;
    }
    m->deal = (orr_deal){ROWS, m->start, m->parts};
    return &m->deal;
}

static void repairs_to(const orr_deal_rules *rules, const int raw[ROWS][COLUMNS], const int expected[ROWS][COLUMNS])
{
    made from, to, got;
    make(&from, raw);
    make(&to, expected);
    for (uint64_t seed = 0; seed < 5; seed++) {
        orr_deal_repair(rules, &from.deal, seed, got.start, got.parts);
        got.deal = (orr_deal){ROWS, got.start, got.parts};
        for (int j = 0; j < ROWS; j++)
            assert_true(orr_deal_same_row(&got.deal, &to.deal, j));
    }
}

static const int32_t four[] = {4, 4}, many[] = {8, 8, 8};

static void earlier_rows_go_first(void **state)
{
    (void)state;
    orr_deal_rules rules = {.rows = ROWS, .columns = COLUMNS, .capacity = four, .most = many};
    repairs_to(&rules, (const int[][2]){{3, 0}, {2, 3}, {4, 4}}, (const int[][2]){{3, 0}, {1, 3}, {0, 1}});
    int32_t most[] = {8, 0, 1};
    rules.most = most;
    repairs_to(&rules, (const int[][2]){{3, 0}, {2, 3}, {0, 4}}, (const int[][2]){{3, 0}, {0, 0}, {0, 1}});
}

/* Rows 0 and 1 are on both columns: the later one loses both, although the first has none left of the second. */
static void wide_rows_keep_apart(void **state)
{
    (void)state;
    const orr_deal_rules rules = {.rows = ROWS, .columns = COLUMNS, .capacity = four, .most = many, .apart = true};
    repairs_to(&rules, (const int[][2]){{1, 4}, {2, 1}, {4, 0}}, (const int[][2]){{1, 4}, {0, 0}, {3, 0}});
}

/* Row 1 needs 4: it has 1 of the first column, takes the other one there, then 2 of the second. Row 2 needs 4 and finds 2. */
static void all_or_nothing(void **state)
{
    (void)state;
    const int32_t least[] = {1, 4, 4};
    orr_deal_rules rules = {.rows = ROWS, .columns = COLUMNS, .capacity = four, .most = many, .least = least};
    repairs_to(&rules, (const int[][2]){{2, 0}, {1, 0}, {0, 1}}, (const int[][2]){{2, 0}, {2, 2}, {0, 0}});
    rules.most_columns = 1;
    repairs_to(&rules, (const int[][2]){{2, 0}, {1, 0}, {0, 1}}, (const int[][2]){{2, 0}, {0, 0}, {0, 4}});
}

/* (3,1) (2,2) (1,3) stand in the first rank, the second (2,2) beside its like, (1,1) behind (3,1). */
static void ranks_and_crowding(void **state)
{
    (void)state;
    const double score[][2] = {{2, 2}, {3, 1}, {1, 1}, {1, 3}, {2, 2}};
    int32_t rank[5];
    double crowding[5];
    orr_pareto_ranks(score, 5, rank);
    assert_memory_equal(rank, ((const int32_t[]){0, 0, 1, 0, 0}), sizeof rank);
    orr_crowding(score, rank, 5, crowding);
    assert_true(crowding[0] == 1 && crowding[4] == 0);
    assert_true(isinf(crowding[1]) && isinf(crowding[2]) && isinf(crowding[3]));
}

static void power_means(void **state)
{
    (void)state;
    const double v[] = {1, 3};
    assert_float_equal(orr_power_mean(v, 2, -1, 1e-12), 1.5, 1e-9);
    assert_float_equal(orr_power_mean(v, 2, 0, 1e-12), sqrt(3), 1e-9);
    assert_float_equal(orr_power_mean(v, 2, 1, 0), 2, 1e-12);
    assert_float_equal(orr_power_mean(v, 2, 2, 0), sqrt(5), 1e-12);
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

static const double weight[] = {1, 2, 3};

static double worth(void *self, int32_t row, int32_t units, int32_t columns)
{
    (void)self;
    return weight[row] * sqrt(units) / columns;
}

static void score(void *self, const orr_deal *deal, double scores[2])
{
    orr_merit_score(self, deal, scores);
}

/* Row 0 on both columns, 2 units of each: 1 * 2 / 2 = 1, changed: half. Row 2 as before: 3. The mean of 0.5, 0 and 3; 4 of 8 values a unit. */
static void scores_by_hand(void **state)
{
    (void)state;
    made present, deal;
    make(&present, (const int[][2]){{0, 0}, {0, 0}, {1, 0}});
    make(&deal, (const int[][2]){{2, 2}, {0, 0}, {1, 0}});
    const double half[] = {0.5, 0.5, 0.5};
    orr_merit merit = {.value = worth, .scale = 1, .power = 1, .changed = half, .present = &present.deal, .capacity = four, .columns = 2};
    double scores[2];
    orr_merit_score(&merit, &deal.deal, scores);
    assert_float_equal(scores[0], 3.5 / 3, 1e-12);
    assert_float_equal(scores[1], 0.5, 1e-12);
    merit.fewest = true;
    orr_merit_score(&merit, &deal.deal, scores);
    assert_float_equal(scores[1], -2, 1e-12);
}

/* All 3^6 matrices of counts up to 2, as far as they keep to the rules. */
static double best_of_all(const orr_merit *merit, const int32_t *capacity)
{
    double best = 0;
    for (int code = 0; code < 729; code++) {
        int counts[ROWS][COLUMNS], used[COLUMNS] = {0}, rest = code;
        for (int k = 0; k < ROWS * COLUMNS; k++, rest /= 3) {
            counts[k / 2][k % 2] = rest % 3;
            used[k % 2] += rest % 3;
        }
        made m;
        double scores[2];
        if (used[0] > capacity[0] || used[1] > capacity[1])
            continue;
        orr_merit_score(merit, make(&m, (const int(*)[COLUMNS])counts), scores);
        best = fmax(best, scores[0]);
    }
    return best;
}

static void finds_the_best(void **state)
{
    (void)state;
    static const int32_t two[] = {2, 2};
    static const double powers[] = {-1, 0, 1};
    made present;
    make(&present, (const int[][2]){{0, 0}, {0, 0}, {0, 0}});
    const double all[] = {1, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        orr_merit merit = {.value = worth, .scale = 1, .power = powers[i], .floor = 0.001, .changed = all, .present = &present.deal,
                           .capacity = two, .columns = 2};
        orr_evolve_rules rules = orr_evolve_usual();
        rules.deal.rows = ROWS;
        rules.deal.columns = COLUMNS;
        rules.deal.capacity = two;
        rules.deal.most = many;
        rules.deal.apart = false;
        rules.score = score;
        rules.self = &merit;
        rules.crossing = i == 1 ? ORR_CROSS_UNIFORM : ORR_CROSS_POINT;
        rules.generations = 20;
        double scores[2], again[2];
        orr_evolve *evolve = orr_evolve_create(i), *same = orr_evolve_create(i);
        orr_evolve_run(evolve, &rules, &present.deal, NULL, scores);
        assert_float_equal(scores[0], best_of_all(&merit, two), 1e-12);
        orr_evolve_run(same, &rules, &present.deal, NULL, again);
        assert_memory_equal(scores, again, sizeof scores);
        orr_evolve_destroy(evolve);
        orr_evolve_destroy(same);
    }
}

/* One call's rows 0, 1, 2 become another's 2, 0 and a new one: without breeding, what they had is there. */
static void goes_on_with_the_rows_that_are_left(void **state)
{
    (void)state;
    static const int32_t two[] = {2, 2};
    made present;
    make(&present, (const int[][2]){{2, 0}, {0, 1}, {0, 1}});
    const double all[] = {1, 1, 1};
    orr_merit merit = {.value = worth, .scale = 1, .power = 1, .changed = all, .present = &present.deal, .capacity = two, .columns = 2};
    orr_evolve_rules rules = orr_evolve_usual();
    rules.deal = (orr_deal_rules){.rows = ROWS, .columns = COLUMNS, .capacity = two, .most = many};
    rules.score = score;
    rules.self = &merit;
    rules.generations = 1;
    double scores[2];
    orr_evolve *evolve = orr_evolve_create(7);
    orr_evolve_run(evolve, &rules, &present.deal, NULL, scores);
    const int32_t from[] = {2, 0, -1};
    const orr_deal *deal = orr_evolve_run(evolve, &rules, &present.deal, from, scores);
    assert_int_equal(orr_deal_units(deal, 0), 1);
    assert_int_equal(orr_deal_units(deal, 1), 2);
    assert_int_equal(orr_deal_units(deal, 2), 0);
    orr_evolve_destroy(evolve);
}

static bool not_the_second(void *self, int32_t row, int32_t column)
{
    (void)self;
    return row != 2 || column != 1;
}

/* A pinned row stays, and nobody gets what it may not. */
static void pins_and_bans(void **state)
{
    (void)state;
    static const int32_t two[] = {2, 2};
    static const bool pinned[] = {true, false, false};
    made present;
    make(&present, (const int[][2]){{1, 0}, {0, 0}, {0, 0}});
    const double all[] = {1, 1, 1};
    orr_merit merit = {.value = worth, .scale = 1, .power = 1, .changed = all, .present = &present.deal, .capacity = two, .columns = 2};
    orr_evolve_rules rules = orr_evolve_usual();
    rules.deal = (orr_deal_rules){.rows = ROWS, .columns = COLUMNS, .capacity = two, .most = many, .pinned = pinned,
                                  .may = not_the_second};
    rules.score = score;
    rules.self = &merit;
    double scores[2];
    orr_evolve *evolve = orr_evolve_create(3);
    const orr_deal *deal = orr_evolve_run(evolve, &rules, &present.deal, NULL, scores);
    assert_true(orr_deal_same_row(deal, &present.deal, 0));
    assert_int_equal(orr_deal_units(deal, 1), 2); /* 2 sqrt 2 and 3: the best that is left */
    assert_int_equal(orr_deal_units(deal, 2), 1);
    orr_evolve_destroy(evolve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(earlier_rows_go_first),
        cmocka_unit_test(wide_rows_keep_apart),
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(ranks_and_crowding),
        cmocka_unit_test(power_means),
        cmocka_unit_test(scores_by_hand),
        cmocka_unit_test(finds_the_best),
        cmocka_unit_test(goes_on_with_the_rows_that_are_left),
        cmocka_unit_test(pins_and_bans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
