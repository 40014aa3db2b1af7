/* The plots of a run's page. Inside src/report only. */
#ifndef ORR_REPORT_RUN_PLOTS_H
#define ORR_REPORT_RUN_PLOTS_H

#include "base/text.h"
#include "report/run_facts.h"
#include "report/svg_axis.h"

/* Each prints nothing if there is nothing to show. */
void orr_run_plot_gpus(const orr_run_levels *levels, orr_text *out);
void orr_run_plot_queue(const orr_run_levels *levels, orr_text *out);
void orr_run_plot_jct(const orr_run_jobs *jobs, orr_text *out);
void orr_run_plot_wait(const orr_run_jobs *jobs, orr_text *out);
void orr_run_plot_sizes(const orr_run_jobs *jobs, orr_text *out);
void orr_run_plot_rho(const orr_run_jobs *jobs, orr_text *out);
void orr_run_plot_heat(const orr_run_holds *holds, orr_time from, orr_time to, orr_text *out);
void orr_run_plot_schedule(const orr_run_holds *holds, orr_time from, orr_time to, orr_text *out);

/* What the page of a comparison says alike. */
enum { ORR_TIMELINE_HEIGHT = 190, ORR_HALF_HEIGHT = 220, ORR_ROW_HEIGHT = 34 };
/* "means over bins of 56 m 10 s" */
void orr_bins_note(const orr_run_levels *levels, orr_text *out);
/* "2,000 jobs", "240 exact quantiles of 1,000,000 jobs" */
void orr_cdf_note(const orr_cdf *cdf, orr_text *out);
/* The axis of several distributions of seconds; `low` 0: from a second on. */
orr_svg_axis orr_cdf_axis(const orr_cdf *cdfs, size_t n, double low);

#endif
