/* The numbers that a user asked for by expressions (metrics/expr.h), and their values of one run.
 */
#ifndef ORR_METRICS_CUSTOM_H
#define ORR_METRICS_CUSTOM_H

#include "metrics/expr.h"

typedef struct orr_custom {
    const orr_expr *expr; /* borrowed */
    double value;         /* NaN where undefined */
} orr_custom;

/* The expressions of `--metric`, in their order, each text once. */
typedef struct orr_exprs {
    orr_expr **exprs;
    size_t n;
} orr_exprs;

/* ORR_E_BAD_VALUE with the place in the text, and nothing in `out`. Zeroed memory is an empty list. */
orr_err orr_exprs_parse(const char *const *texts, size_t n, orr_exprs *out, orr_error *e);
void orr_exprs_fini(orr_exprs *asked);

/* Their values of a run, after `orr_collector_finish`, of its jobs and of the metrics of the whole cluster; an array of
 * `asked->n` for the caller to free. */
orr_custom *orr_collector_custom(const orr_collector *collector, const orr_exprs *asked);

#endif
