/* The plots of a comparison's page. Inside src/report only. */
#ifndef ORR_REPORT_COMPARE_PLOTS_H
#define ORR_REPORT_COMPARE_PLOTS_H

#include "report/comparison.h"
#include "report/run_facts.h"
#include "report/serve_plots.h"
#include "report/svg_plot.h"

/* Of the results that have a colour. */
typedef struct orr_compare_curves {
    const orr_comparison *comparison;
    size_t n;
    orr_time from, to;
    orr_cdf jct[ORR_SVG_SERIES], wait[ORR_SVG_SERIES]; /* wait_total */
    orr_run_levels levels[ORR_SVG_SERIES];
    orr_served served[ORR_SVG_SERIES];
    bool jobs, requests; /* whether the base has any */
} orr_compare_curves;

/* NULL and `e`. */
orr_compare_curves *orr_compare_curves_of(const orr_comparison *comparison, orr_error *e);
void orr_compare_curves_destroy(orr_compare_curves *curves); /* takes NULL */

void orr_compare_plot_jct(orr_compare_curves *curves, orr_text *out);
void orr_compare_plot_wait(orr_compare_curves *curves, orr_text *out);
/* What all answered within a time, how large their batches were, and how their requests fared over time. */
void orr_compare_plot_serving(const orr_compare_curves *curves, orr_text *out);
/* A level of the cluster ("jobs_queued") over time. */
void orr_compare_plot_level(const orr_compare_curves *curves, const char *metric, const char *title, orr_text *out);
void orr_compare_plot_changes(const orr_comparison *comparison, orr_text *out);
/* One plot a pair: who gained and lost by size and by duration. */
void orr_compare_plot_splits(const orr_comparison *comparison, orr_text *out);

#endif
