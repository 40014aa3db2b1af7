/* Several results side by side: what they differ in besides the policy, a table of metrics by result, and every result
 * against one of them, the base, job by job. A plain structure: whoever prints it (text, JSON, CSV, Markdown, HTML)
 * only reads.
 *
 * Results are comparable when all but the policy is equal: trace, its selection, cluster, costs, clock, seed, what was
 * granted to be known, the rule of measuring, and the jobs measured by it.
 */
#ifndef ORR_REPORT_COMPARISON_H
#define ORR_REPORT_COMPARISON_H

#include "base/mem.h"
#include "report/paired.h"
#include "report/report.h"

/* A setting in which the results aren't equal. */
typedef struct orr_disparity {
    char *what;    /* "trace", "cluster", "costs", "measured jobs", "where" */
    char **values; /* by result */
} orr_disparity;

typedef enum orr_bucket { ORR_BUCKET_SAME, ORR_BUCKET_IMPROVED, ORR_BUCKET_REGRESSED, ORR_BUCKET_CHANGED } orr_bucket;
const char *orr_bucket_name(orr_bucket bucket);
/* By direction; values within 1e-9 of each other, relative, are the same. One undefined: changed; both: the same. */
orr_bucket orr_bucket_of(double base, double value, orr_direction direction);

/* One result's value of a metric. */
typedef struct orr_compared_value {
    double value, difference, relative; /* the latter to the base, NaN where undefined; relative 0.05 is 5 % more */
    bool best;                          /* no other is better, and not all are equal */
    orr_bucket bucket;                  /* against the base */
} orr_compared_value;

typedef struct orr_compared_metric {
    char *key;
    const char *unit; /* "s", "ratio", "count", "gpu*s", "" */
    orr_direction direction;
    orr_compared_value *values; /* by result */
} orr_compared_metric;

/* One of the results. */
typedef struct orr_compared_result {
    const orr_result *result; /* borrowed: it must stay open */
    char *label;              /* unique: the policy as asked, or the folder where policies are equal */
    bool biased;              /* its means cover survivors only */
    bool has_paired;          /* not of the base, nor where traces differ */
    orr_paired paired;        /* base first, this one second */
} orr_compared_result;

/* How far a metric may move from the base: `+X` not up by more, `-X` not down by more, `X` not for the worse by more
 * (of a target: neither way). X is a share with %, else of the metric's unit, durations as people type them:
 * "jct.mean:+2%", "gpu_alloc:-1%", "jct.p99:+30s". */
typedef struct orr_bound {
    char *text, *key;
    char sign;     /* '+', '-', or ' ' */
    bool relative;
    double amount; /* >= 0; a share where relative */
} orr_bound;

typedef struct orr_bound_answer {
    bool holds, decided; /* not decided: a value is undefined; then it doesn't hold either */
    double base, value;
} orr_bound_answer;

typedef struct orr_compared_bound {
    orr_bound bound;
    orr_bound_answer *answers; /* by result; the base's own holds */
} orr_compared_bound;

typedef struct orr_comparison {
    ORR_VEC(orr_compared_result) results; /* in the order given */
    size_t base;
    ORR_VEC(orr_disparity) disparities;
    ORR_VEC(orr_compared_metric) metrics;
    ORR_VEC(orr_compared_bound) bounds;
} orr_comparison;

typedef struct orr_comparison_options {
    const char *base;           /* label, policy or folder of the base; NULL: the first */
    const char *const *metrics; /* keys, `*` for any letters ("jct.*"), "all", or expressions; none: a choice of them */
    size_t metric_count;
    bool force;                 /* compare what isn't comparable, too */
} orr_comparison_options;

/* Compares at least two results. NULL and `e`: ORR_E_NOT_COMPARABLE where they differ in more than the policy (unless
 * forced), are fewer than two, or measured no job at all; ORR_E_BAD_VALUE for a metric or base that isn't there; what
 * reading their tables gives. */
orr_comparison *orr_comparison_make(const orr_result *const *results, size_t n, const orr_comparison_options *options,
                                    orr_error *e);
void orr_comparison_destroy(orr_comparison *comparison);
const orr_compared_metric *orr_comparison_metric(const orr_comparison *comparison, const char *key); /* NULL: absent */

/* ---- bounds ---- */

/* Adds a bound and its answers; its metric gets a row. ORR_E_BAD_VALUE, also for a metric that isn't there. */
orr_err orr_comparison_bound(orr_comparison *comparison, const char *text, orr_error *e);
/* ORR_E_BAD_VALUE where the text is no bound; whether there is such a metric isn't asked. */
orr_err orr_bound_parse(const char *text, orr_bound *out, orr_error *e);
void orr_bound_fini(orr_bound *bound);
orr_bound_answer orr_bound_check(const orr_bound *bound, double base, double value);

/* ---- told ---- */

/* CSV is one table in long form; the others are several tables under a head. */
void orr_comparison_print(const orr_comparison *comparison, orr_table_form form, orr_text *out);
/* Schema "orrery.comparison/1". */
orr_err orr_comparison_json(const orr_comparison *comparison, orr_text *out, orr_error *e);

/* Values as people read them: a duration, a count, a share; "-" where undefined. */
void orr_metric_shown(double value, const char *unit, orr_text *out);
/* "-94.8 %", and the difference with its sign in the unit. */
void orr_relative_shown(double relative, orr_text *out);
void orr_difference_shown(double difference, const char *unit, orr_text *out);

#endif
