/* Evolving deals: who gets how many units of what, found by NSGA-II (Deb et al. 2002) with operators for allocations.
 *
 * A deal is a matrix of small counts, a row for each who asks, a column for each place that has units to give: jobs and
 * the GPUs of nodes, say. Most counts are 0, so that a row is kept as a short list; work is in proportion to rows +
 * units, not to rows × columns. A population of deals is bred for two scores, both the greater the better: parents are
 * picked by tournaments, rows are crossed over, children mutate and are repaired, and of parents and children those
 * survive that few others dominate, in less crowded places first. The operators and their odds are those of Pollux
 * (Qiao et al., OSDI'21) by default.
 *
 * Plain functions of numbers: nothing here knows of jobs. Same input, same answer; randomness comes from seeds.
 */
#ifndef ORRERY_EVOLVE_H
#define ORRERY_EVOLVE_H

#include <orrery/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many units of this column; never 0. */
typedef struct orr_deal_part {
    uint16_t column, count;
} orr_deal_part;

/* Row i is parts[start[i]] .. parts[start[i + 1]] exclusive, columns ascending; start[0] is 0. Borrowed. */
typedef struct orr_deal {
    int32_t rows;
    const uint32_t *start; /* [rows + 1] */
    const orr_deal_part *parts;
} orr_deal;

/* What every deal must keep to. Earlier rows go before later ones where units are short. */
typedef struct orr_deal_rules {
    int32_t rows, columns;
    const int32_t *capacity; /* by column: units, 0..65535 */
    const int32_t *most;     /* by row: units in all */
    const int32_t *least;    /* by row: units in all, if it has any; NULL: 1 */
    const bool *pinned;      /* by row: it is as it is at present, whatever happens; NULL: none */
    int32_t most_columns;    /* of which one row may have units; 0: any number */
    bool apart;              /* rows with units of several columns keep apart: at most one such row a column */
    bool (*may)(void *self, int32_t row, int32_t column); /* may it have units of this column? NULL: it may */
    void *self;
} orr_deal_rules;

typedef enum orr_crossing {
    ORR_CROSS_POINT,  /* rows before a random one change sides */
    ORR_CROSS_UNIFORM /* each row does with even odds */
} orr_crossing;

typedef struct orr_evolve_rules {
    orr_deal_rules deal;
    void (*score)(void *self, const orr_deal *deal, double score[2]); /* required; finite; `deal` keeps the rules */
    void *self;
    int32_t population, generations; /* the first one, which isn't bred, counts */
    orr_crossing crossing;
    double cross;       /* odds that two parents are crossed over */
    double reset;       /* odds of each row to become as at present */
    double thin, drop;  /* odds of each row to be thinned out, and then of each of its parts to be dropped */
} orr_evolve_rules;

ORR_BEGIN

/* Pollux' numbers; `deal`, `score` and `self` are left to fill in. Besides, where a column has units left, about one
 * row in all and about one of those that have some of it become greater: a count up to all of the column's units, with
 * even odds. */
ORR_API orr_evolve_rules orr_evolve_usual(void);

/* Populations; what was bred last is where the next call goes on from. */
typedef struct orr_evolve orr_evolve;
ORR_API orr_evolve *orr_evolve_create(uint64_t seed);
ORR_API void orr_evolve_destroy(orr_evolve *evolve);
/* Breeds, and returns the deal with the greatest first score (the second breaks ties), borrowed until the next call.
 * `present` is what rows are reset to. Row i was row from[i] of the last call, -1: it is new; NULL, or never called
 * before: begin with `present` alone. score[2] gets its scores. O(generations × population × (rows + units)). */
ORR_API const orr_deal *orr_evolve_run(orr_evolve *evolve, const orr_evolve_rules *rules, const orr_deal *present,
                                       const int32_t *from, double score[2]);
/* How many deals were bred in the last call, duplicates included. */
ORR_API int64_t orr_evolve_bred(const orr_evolve *evolve);

/* Makes a deal keep the rules: (1) later ones of rows that must be apart lose that column, as judged before anything
 * else was changed; (2) who has more than `most`, or units of too many columns, loses those behind the bound, columns
 * in random order;
 * (3) rows get what earlier ones leave; then (4) who has some but less than `least` gets more from the columns with the
 * most units left, or loses all. `start` has room for rows + 1, `parts` for all units and a part a column more. */
ORR_API void orr_deal_repair(const orr_deal_rules *rules, const orr_deal *raw, uint64_t seed, uint32_t *start,
                             orr_deal_part *parts);
ORR_API bool orr_deal_same_row(const orr_deal *a, const orr_deal *b, int32_t row);
ORR_API int32_t orr_deal_units(const orr_deal *deal, int32_t row);

/* Scores of a deal by what rows have of it, for `score`. First: the power mean (orr_power_mean) of value * scale, and
 * of that times changed[row] where the row isn't as at present. Second: the sum of values by the units of columns in
 * use; `fewest`: minus the number of these. */
typedef struct orr_merit {
    double (*value)(void *self, int32_t row, int32_t units, int32_t columns); /* >= 0; asked of rows with units */
    void *self;
    double scale, power, floor; /* floor > 0 unless power > 0 */
    const double *changed;  /* by row */
    const orr_deal *present;
    const int32_t *capacity; /* by column, as in the rules */
    int32_t columns;
    bool fewest;
} orr_merit;
ORR_API void orr_merit_score(const orr_merit *merit, const orr_deal *deal, double score[2]);

/* Rank 0: nobody dominates it; rank 1: only those of rank 0 do, and so on. O(n log n). */
ORR_API void orr_pareto_ranks(const double (*score)[2], size_t n, int32_t *rank);
/* How far the neighbours of each in its rank are apart, on average over both scores, each in parts of the rank's range;
 * INFINITY at the ends; 0 for all but the first of those with equal scores. */
ORR_API void orr_crowding(const double (*score)[2], const int32_t *rank, size_t n, double *crowding);

/* [ sum of (max(value, 0) + floor)^p / n ]^(1/p); p = 0: the geometric mean. floor > 0; n >= 1. */
ORR_API double orr_power_mean(const double *value, size_t n, double p, double floor);

ORR_END
#endif
