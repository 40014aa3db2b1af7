/* Numbers of one's own over the job table, as people type them:
 *
 *     mean(jct where gpus >= 8)      share(wait_first < 60s)      p95(wait_first where vc = "vision" and state = done)
 *     sum(service) / 3600            jct.p99 / jct.p50            count(gpus = 1 of all) / count(of all)
 *
 *   expr      = product {("+" | "-") product}        product = unary {("*" | "/") unary}
 *   unary     = "-" unary | "(" expr ")" | number | duration | aggregate | key
 *   aggregate = of ("(" expr-of-columns ["where" condition] ["of" "all"] ")")
 *             | ("count" | "share") "(" [condition] ["where" condition] ["of" "all"] ")"
 *   of        = mean sum min max geomean stddev cv pNN p99.9 …
 *
 * A key is any of `orr_metrics_each`, or `rho:fixed_n=K.PART` with a part of a distribution. Inside an aggregate stand
 * columns of jobs.csv, and `bsld` and `rho:fixed_n=K`; odd names go in backticks. Conditions are those of base/where.h.
 * Times count in seconds. Rows are the measured jobs, with `of all` all that were submitted. A row in which the value
 * is undefined or infinite is left out; one in which a condition can't be told doesn't meet it. Without rows the answer
 * is undefined (NaN), as it is where something is divided by 0; `count` is 0 then. `share(C)` is the share of rows that
 * meet C; `stddev` has n - 1 below, `cv` is that over the mean; quantiles are type 7.
 *
 * An expression that was parsed changes no more and may be asked by many.
 */
#ifndef ORR_METRICS_EXPR_H
#define ORR_METRICS_EXPR_H

#include "metrics/rows.h"

typedef struct orr_expr orr_expr;

/* NULL and `e` on failure: ORR_E_BAD_VALUE with file "metric", the column in the text, and the nearest name. `text` is
 * copied. */
orr_expr *orr_expr_parse(const char *text, orr_error *e);
void orr_expr_destroy(orr_expr *expr); /* takes NULL */
const char *orr_expr_text(const orr_expr *expr);
/* The expression is one key of the summary and nothing else. */
bool orr_expr_is_key(const orr_expr *expr);
/* Its value is a time in seconds; else a plain number. */
bool orr_expr_is_time(const orr_expr *expr);

/* Where the rows and keys come from. */
typedef struct orr_expr_source {
    void *self;
    /* Hands every row to `row`, in the order of the trace. */
    orr_err (*each)(void *self, void (*row)(void *to, const orr_job_row *row), void *to, orr_error *e);
    /* A metric by its key; false: there is none. */
    bool (*key)(void *self, const char *key, double *value);
} orr_expr_source;

/* The values of n expressions in one pass over the rows; NaN where undefined. Only the errors of `each`. Memory: a
 * double for each row of each aggregate that isn't a count or a share. */
orr_err orr_expr_values(const orr_expr *const *list, size_t n, const orr_expr_source *source, double *values,
                        orr_error *e);

#endif
