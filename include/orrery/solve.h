/* Solvers for policies that optimise: linear and integer programs, matchings, knapsacks.
 *
 * All of it is deterministic: the same input gives the same answer, bit for bit, whatever else runs. Work is bounded by
 * counts (pivots, nodes), never by time. Nothing here knows of jobs or clusters. What is wrong with the arguments
 * themselves (an index out of range, a bound that is NaN) is a bug of the caller and asserted.
 */
#ifndef ORRERY_SOLVE_H
#define ORRERY_SOLVE_H

#include <orrery/api.h>

#include <stddef.h>

ORR_BEGIN

/* ---- linear and integer programs (GLPK: primal simplex, branch and cut) ---- */

/* Columns x, rows of sums over them: maximise (or minimise) cost · x within the bounds of both. INFINITY where there is
 * no bound. A program can be changed and solved again; it then begins where it ended before. */
typedef struct orr_lp orr_lp;

typedef enum orr_lp_status {
    ORR_LP_OPTIMAL,
    ORR_LP_INFEASIBLE,
    ORR_LP_UNBOUNDED,
    ORR_LP_FEASIBLE, /* a limit was reached: there is a solution, perhaps not the best */
    ORR_LP_LIMIT     /* a limit was reached, without any solution */
} orr_lp_status;

typedef struct orr_lp_limits {
    int64_t pivots; /* of a linear program, or in all of a branch and cut; 0: 1,000,000 */
    int64_t nodes;  /* of branch and cut; 0: 100,000 */
    double gap;     /* relative, at which an integer solution is good enough; 0: none but the best is */
} orr_lp_limits;

ORR_API orr_lp *orr_lp_create(bool maximise); /* the caller's */
ORR_API void orr_lp_destroy(orr_lp *lp);
/* Each returns its number, from 0 on. O(1) amortised. */
ORR_API int32_t orr_lp_column(orr_lp *lp, double cost, double lower, double upper);
ORR_API int32_t orr_lp_integer(orr_lp *lp, double cost, double lower, double upper); /* a column of whole numbers */
ORR_API int32_t orr_lp_row(orr_lp *lp, double lower, double upper);
/* Adds to what stands at row and column. */
ORR_API void orr_lp_add(orr_lp *lp, int32_t row, int32_t column, double value);
ORR_API void orr_lp_set_cost(orr_lp *lp, int32_t column, double cost);
ORR_API void orr_lp_set_bounds(orr_lp *lp, int32_t column, double lower, double upper);
ORR_API void orr_lp_set_row(orr_lp *lp, int32_t row, double lower, double upper);
/* `limits` may be NULL. */
ORR_API orr_lp_status orr_lp_solve(orr_lp *lp, const orr_lp_limits *limits);
/* Of the last solution. */
ORR_API double orr_lp_objective(const orr_lp *lp);
ORR_API double orr_lp_value(const orr_lp *lp, int32_t column);
/* what the objective gains by one more of the row's bound; of a linear program */
ORR_API double orr_lp_dual(const orr_lp *lp, int32_t row);
ORR_API int64_t orr_lp_pivots(const orr_lp *lp);           /* in all solves so far */

/* ---- matchings ---- */

/* Least-cost assignment of each of `rows` to a column of its own, rows <= columns; cost[row * columns + column],
 * INFINITY: not allowed. Fills to[row] with columns and returns the cost; INFINITY: there is none, and `to` is not set.
 * Among equals the answer is fixed, not further defined. Shortest augmenting paths (Jonker and Volgenant), O(rows^2
 * columns). */
ORR_API double orr_assign_least(const double *cost, int32_t rows, int32_t columns, int32_t *to);
/* Least sum of completion times on unlike machines (AlloX). The p-th from the end of a machine's queue takes p times
 * its time: its own, and that of all behind it which wait meanwhile. */
typedef struct orr_queues {
    int32_t jobs, kinds;  /* kinds of machines */
    const double *time;   /* [jobs][kinds] >= 0; INFINITY: it can't run there */
    const int32_t *alike; /* [kinds] so many machines are of this kind; NULL: one each */
    const double *ready;  /* [kinds] when they are free, which all in their queues wait for; NULL: now */
} orr_queues;
/* Fills kind[j] and position[j], 1: last. At most alike[k] jobs have one position of a kind, and exactly so many each
 * below the greatest: who of them queues on which of these machines makes no difference to the sum, which is returned.
 * INFINITY: some job can run nowhere, and nothing is set. Among equals the answer is fixed. About O(jobs x positions in
 * use x kinds) at worst. */
ORR_API double orr_assign_queues(const orr_queues *q, int32_t *kind, int32_t *position);
/* Greatest weight of pairs, no vertex in two: weight[a * n + b] = weight[b * n + a]; <= 0: never worth it. Fills
 * mate[v], -1: alone. With `perfect` as many pairs as can be come first, and weight second. Blossom, O(n^3). */
ORR_API double orr_match_pairs(const double *weight, int32_t n, bool perfect, int32_t *mate);

/* ---- knapsacks, by dynamic programs over whole capacities; exact ---- */

/* Each item once: fills taken[i] with 0 or 1, returns the value. Of equal value the lighter choice, then the one that
 * takes earlier items. O(n capacity). */
ORR_API double orr_knapsack(const double *value, const int32_t *size, int32_t n, int32_t capacity, uint8_t *taken);
/* Of each of `n` classes exactly one option of `first[i]` .. `first[i + 1]` - 1: fills chosen[i] with that number.
 * -INFINITY: no choice fits. O(options x capacity). */
ORR_API double orr_knapsack_classes(const double *value, const int32_t *size, const int32_t *first, int32_t n,
                                    int32_t capacity, int32_t *chosen);
/* Each item once, several capacities: size[i * dimensions + d] against capacity[d]. The linear program first, then its
 * fractions rounded down and what still fits added by value; exact up to `exact` items (branch and cut). */
ORR_API double orr_knapsack_many(const double *value, const double *size, int32_t n, const double *capacity,
                                 int32_t dimensions, int32_t exact, uint8_t *taken);

/* Of each of `classes` exactly one of its options, each of which takes some of one of several pools, so that the sum of
 * costs is least: a job runs in one of its configurations, on GPUs of one type. */
typedef struct orr_options {
    int32_t classes, pools;
    const int32_t *first; /* [classes + 1] options of class i are first[i] .. first[i + 1] - 1 */
    const double *cost;
    const int32_t *pool;  /* -1: it takes nothing */
    const int32_t *size;  /* >= 0, of that pool */
    const int32_t *room;  /* [pools] >= 0 */
    int32_t states;       /* bound on the search, in all classes together; 0: 1,000,000 */
} orr_options;
/* Fills chosen[i] with an option of class i and returns the cost; INFINITY: no choice fits, and nothing is set. *bound,
 * if not NULL: no choice costs less; the cost itself (to rounding) unless the search was cut short. Among equals the
 * answer is fixed, not further defined. A price on each pool leaves most classes with one option that can be part of
 * the best choice; over the others it is a dynamic program. O(options x pools) some dozens of times, and the states
 * that are left. */
ORR_API double orr_choose_options(const orr_options *options, int32_t *chosen, double *bound);

/* The same where options are added one by one. Zeroed memory is an empty list. */
typedef struct orr_option_list {
    int32_t classes, options, classes_room, options_room;
    int32_t *first;      /* as above */
    int32_t *chosen;     /* an option of each class, once chosen */
    int32_t *pool, *size;
    double *cost;
} orr_option_list;
ORR_API void orr_option_list_clear(orr_option_list *list);
ORR_API void orr_option_list_fini(orr_option_list *list);
ORR_API void orr_option_list_class(orr_option_list *list); /* those that are added from now on are the next class's */
ORR_API void orr_option_list_add(orr_option_list *list, double cost, int32_t pool, int32_t size);
/* Fills `chosen`. False: no choice fits. */
ORR_API bool orr_option_list_choose(orr_option_list *list, const int32_t *room, int32_t pools);

/* ---- auctions ---- */

/* What so many things are worth to a bidder. */
typedef struct orr_bid {
    int32_t count;
    double value; /* > 0 */
} orr_bid;
typedef struct orr_bidder {
    const orr_bid *bids; /* by count, ascending; the first of count 0 */
    int32_t n;
} orr_bidder;

/* Partial allocation (Cole, Gkatzelis and Goel, EC'13; Themis): `offer` equal things go to n bidders so that the
 * product of values is greatest. bid[i] says which of its bids a bidder wins; keeps[i], 0..1, which part of that it may
 * keep: the product of what the others win, by what they would win without it. Whoever is worth its value times its
 * part does best to tell the truth. Of equal products the one that gives more to the first bidders. Exact while bids x
 * offer is at most 2^24: O(bids x offer); beyond by greatest gain of log value for each thing, and then whatever fits,
 * O(bids x n): there a lie may pay. */
ORR_API void orr_auction(const orr_bidder *bidders, int32_t n, int32_t offer, int32_t *bid, double *keeps);

/* ---- sharing out ---- */

/* Max-min by filling: `amount` goes to those that want at most want[i], in proportion to weight[i] (> 0), until each
 * has what it wants. Fills got[i]; returns what is left over. O(n log n). */
ORR_API double orr_fill_fair(const double *want, const double *weight, int32_t n, double amount, double *got);
/* Users trade kinds of machines that they have been given (Gandiva_fair, Chaudhary et al., EuroSys'20, section 4.3):
 * for each two kinds, from the best and the worst on, who gains most from the better one buys it of who gains least,
 * for machines of the worse one, at the gain that comes second; while the buyer gains more than `gap` (>= 1) times what
 * the seller does. Changes have[user * kinds + kind] in place, so that nobody's sum of speed * have falls, no kind's
 * total changes, and nobody comes to have more than want[user] in all who didn't before. Speed 0: that user can't use
 * the kind, and doesn't trade it. O(kinds^2 users log users). */
ORR_API void orr_trade_kinds(double *have, const double *speed, const double *want, int32_t users, int32_t kinds,
                             double gap);
/* The least x in [low, high] at which `holds`, which stays true from then on, to within `apart` (relative, > 0);
 * INFINITY: not even at `high`. */
ORR_API double orr_bisect(bool (*holds)(void *self, double x), void *self, double low, double high, double apart);

ORR_END
#endif
