/* What the pages of runs and comparisons draw of serving, gathered from serving.csv, latencies.csv and the summary.
 * Bounded by the screen, whatever the number of requests. Inside src/report only.
 */
#ifndef ORR_REPORT_SERVE_PLOTS_H
#define ORR_REPORT_SERVE_PLOTS_H

#include "report/report.h"
#include "report/run_facts.h"
#include "report/svg_plot.h"

/* Of all who arrived: it ends at the share that was answered. */
typedef struct orr_served_curve {
    char *service; /* "*": all */
    orr_cdf cdf;
} orr_served_curve;

typedef struct orr_served {
    bool any; /* something was served; else all the rest is empty */
    double dropped; /* share of those that had their last word; 0 where nobody had */
    orr_run_levels levels;
    ORR_VEC(orr_served_curve) curves;   /* that of all first */
    ORR_VEC(orr_batch_count) batches;   /* of all services, by size */
} orr_served;

/* On failure `out` is empty. */
orr_err orr_served_of(const orr_result *result, orr_time from, orr_time to, orr_served *out, orr_error *e);
void orr_served_fini(orr_served *served);

/* Each prints nothing if there is nothing to show. */
void orr_serve_plot_latency(const orr_served *served, orr_text *out);
void orr_serve_plot_requests(const orr_served *served, orr_text *out);
void orr_serve_plot_waiting(const orr_served *served, orr_text *out);
void orr_serve_plot_batches(const orr_served *served, orr_text *out);
void orr_serve_plot_executors(const orr_served *served, orr_text *out);

/* Latency and batch sizes as bars of text. */
void orr_served_text(const orr_served *served, orr_text *out);

/* ---- side by side: `n` of them, at most ORR_SVG_SERIES, by name ---- */

void orr_serve_plot_latencies(const orr_served *const *list, const char *const *names, size_t n, orr_text *out);
void orr_serve_plot_batch_shares(const orr_served *const *list, const char *const *names, size_t n, orr_text *out);

#endif
