/* The plots of a trace of requests. Inside src/report only. */
#ifndef ORR_REPORT_REQUEST_PLOTS_H
#define ORR_REPORT_REQUEST_PLOTS_H

#include "trace/describe_requests.h"

/* Each prints nothing if there is nothing to show. */
void orr_request_plot_arrivals(const orr_request_description *d, orr_text *out);
void orr_request_plot_tokens(const orr_request_description *d, orr_text *out);
void orr_request_plot_gaps(const orr_request_description *d, orr_text *out);   /* of single requests */
void orr_request_plot_counts(const orr_request_description *d, orr_text *out); /* of bins */
void orr_request_plot_bursts(const orr_request_description *d, orr_text *out);
void orr_request_plot_durations(const orr_request_description *d, orr_text *out);
void orr_request_plot_hours(const orr_request_description *d, orr_text *out);
void orr_request_plot_askers(const orr_askers *askers, const char *id, const char *title, orr_text *out);

#endif
