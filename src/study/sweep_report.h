/* What a sweep is told as: tables for people (text, Markdown), tidy CSV for programs. All of it is a function of the
 * plan and the numbers.
 *
 * A configuration is shown by the mean over its repeats, with the half width of its 95 % interval where there are
 * ORR_STATS_LEAST of them or more, else with the values themselves. It is compared with the baseline repeat by
 * repeat. At each point of the other axes the best value of the compared ones is named.
 */
#ifndef ORR_STUDY_SWEEP_REPORT_H
#define ORR_STUDY_SWEEP_REPORT_H

#include "base/io.h"
#include "study/stats.h"
#include "study/sweep_results.h"

/* Configurations; differences from the baseline, a table a metric; who wins where; cells that failed. Form TEXT or
 * MARKDOWN. */
void orr_sweep_tables(const orr_sweep_plan *plan, const orr_sweep_results *results, orr_table_form form, orr_text *out);

/* A row a cell: cell, the axes, error, biased, the metrics. */
void orr_sweep_cells_csv(const orr_sweep_plan *plan, const orr_sweep_results *results, orr_output *out);
/* A row a configuration and metric: the sample, and the paired differences from the baseline. */
void orr_sweep_stats_csv(const orr_sweep_plan *plan, const orr_sweep_results *results, orr_output *out);

/* ---- what they are made of ---- */

/* Goes through the combinations of the axes that aren't `fixed`, the last innermost; `at` begins as it is for the fixed
 * ones and 0 for the others. False after the last. */
bool orr_sweep_next(const orr_sweep_plan *plan, const bool fixed[ORR_SWEEP_AXES], uint32_t at[ORR_SWEEP_AXES]);

/* One configuration and metric. */
typedef struct orr_sweep_contrast {
    orr_sample sample; /* of the configuration */
    bool biased;
    size_t repeats;             /* that the plan has of it, failed ones included; 0: it has no cells */
    bool paired;                /* there is a baseline, and this isn't it */
    orr_sample difference;      /* configuration - baseline, over the repeats that both have */
    double base;                /* the baseline's mean over these */
    double boot_low, boot_high; /* of the mean difference */
    orr_signs signs;
    double *values, *differences; /* sample.n and difference.n of them; to be freed by orr_sweep_contrast_fini */
} orr_sweep_contrast;
void orr_sweep_contrast_make(const orr_sweep_plan *plan, const orr_sweep_results *results,
                             const uint32_t at[ORR_SWEEP_AXES], size_t metric, orr_bootstrap *bootstrap,
                             orr_sweep_contrast *out);
void orr_sweep_contrast_fini(orr_sweep_contrast *contrast);

/* Who is best by one metric at one point (the axes that are neither compared nor repeats), among those with the most
 * repeats there. */
typedef struct orr_sweep_winner {
    size_t candidates; /* 0: nobody has a number, or no direction is better */
    uint32_t best[ORR_SWEEP_AXES], second[ORR_SWEEP_AXES];
    bool tie;           /* the two means are equal */
    bool clear;         /* the 95 % interval of the paired difference of the two excludes 0 */
    double mean;        /* of the best */
    double gap, behind; /* how far the second is off, and that relative to the best; NaN where the best is 0 */
} orr_sweep_winner;
void orr_sweep_winner_find(const orr_sweep_plan *plan, const orr_sweep_results *results,
                           const uint32_t point[ORR_SWEEP_AXES], size_t metric, orr_sweep_winner *out);

#endif
