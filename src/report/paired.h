/* Two results job by job: the same job under one policy and under another, d = JCT there - JCT here in seconds, so that
 * a negative difference is a gain. Only jobs that both results measured make a pair.
 *
 * Jobs are matched by id. Results of one trace tell of its jobs in one order, and are walked in step: 17 bytes a pair
 * stay in memory. Where the orders differ (results of different selections) the first one's ids are kept, too, some 130
 * bytes a job. Equal ids are matched by their order. O(n) but for the radix sort of the differences.
 */
#ifndef ORR_REPORT_PAIRED_H
#define ORR_REPORT_PAIRED_H

#include "report/result.h"

/* p1 p5 p25 p50 p75 p95 p99, type 7. */
enum { ORR_PAIR_QUANTILES = 7 };
extern const double orr_pair_quantiles[ORR_PAIR_QUANTILES];
extern const char *const orr_pair_quantile_names[ORR_PAIR_QUANTILES];

/* Classes of jobs by GPUs asked, and by duration (alone, on what it asks for; lower bound included). */
enum { ORR_PAIR_SIZES = 7, ORR_PAIR_DURATIONS = 4 };
extern const char *const orr_pair_size_names[ORR_PAIR_SIZES];         /* "0", "1", "2-4", … "> 32" */
extern const char *const orr_pair_duration_names[ORR_PAIR_DURATIONS]; /* "< 10 min", … ">= 1 d" */
int orr_pair_size(int32_t gpus);
int orr_pair_duration(orr_time duration);

typedef struct orr_pair_sums {
    uint64_t pairs, better, worse, equal; /* better: it completed sooner in the second result */
    double mean, p50;                     /* of d, s; NaN without pairs */
} orr_pair_sums;

/* A job that moved far. */
typedef struct orr_pair_move {
    char *id;
    int32_t gpus;
    orr_time first, second; /* its JCT in either */
} orr_pair_move;

enum { ORR_PAIR_MOVES = 10 };

typedef struct orr_paired {
    orr_pair_sums all;
    double quantile[ORR_PAIR_QUANTILES];
    orr_pair_sums size[ORR_PAIR_SIZES], duration[ORR_PAIR_DURATIONS];
    uint64_t first_only, second_only; /* jobs measured in one of the results only, be it that the other lacks them */
    uint64_t unmatched;               /* of them, ids that the other doesn't have at all */
    orr_pair_move moved[ORR_PAIR_MOVES]; /* the largest |d| first, none of 0; equal ones in the order of the rows */
    size_t moved_count;
} orr_paired;

orr_err orr_paired_of(const orr_result *first, const orr_result *second, orr_paired *out, orr_error *e);
void orr_paired_fini(orr_paired *paired);

#endif
