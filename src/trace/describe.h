/* Facts about a trace, computed once: what `orrery describe` prints and what its --json holds.
 *
 * Quantiles are linear between order statistics (type 7), deviations are of the population. Sums of GPU time are exact.
 * Calendar statistics need a trace whose origin is known; without one, days are 24 hours from the origin, and weekdays,
 * hours and months are left out. Text without a zone is taken as it stands: no daylight saving is undone. O(n log n).
 */
#ifndef ORR_TRACE_DESCRIBE_H
#define ORR_TRACE_DESCRIBE_H

#include "base/assert.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/civil.h"
#include <orrery/trace.h>

struct cJSON;

#define ORR_DESCRIBE_QUANTILES 10
/* 0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999, and their keys "p1" … "p99_9". */
extern const double orr_describe_p[ORR_DESCRIBE_QUANTILES];
extern const char *const orr_describe_p_names[ORR_DESCRIBE_QUANTILES];

typedef struct orr_spread {
    double min, max, mean, sd;
    double q[ORR_DESCRIBE_QUANTILES];
} orr_spread;

#define ORR_DESCRIBE_BINS 7
typedef struct orr_duration_bin {
    const char *name; /* "1h..10h" */
    orr_time from;    /* up to the next bin's */
    uint64_t jobs;
} orr_duration_bin;

typedef struct orr_size_facts {
    int32_t gpus;
    uint64_t jobs;
    orr_wide gpu_ns;
} orr_size_facts;

typedef struct orr_vc_facts {
    const char *name;
    uint64_t jobs;
    orr_wide gpu_ns;
    double median_duration; /* s */
    int32_t max_gpus;
    orr_time first, last; /* submissions */
} orr_vc_facts;

typedef struct orr_month_facts {
    int32_t year, month;
    uint64_t jobs;
} orr_month_facts;

typedef struct orr_arrival_facts {
    uint64_t days, days_with_jobs; /* spanned, first and last included */
    double mean_a_day, median_a_day; /* days without a job count */
    uint64_t max_a_day;
    orr_time max_day; /* its beginning, since the origin; may lie before it */
    uint64_t weekdays[7]; /* from Monday */
    uint64_t hours[24];
    ORR_VEC(orr_month_facts) months;
    double gap_mean, gap_median, gap_p99, gap_max, gap_cv; /* s; NaN for a single job */
    uint64_t zero_gaps;
} orr_arrival_facts;

/* The most in use at once if every job started at its submission; ends come before starts. */
typedef struct orr_peak {
    int64_t amount;
    orr_time at; /* first reached */
} orr_peak;

typedef struct orr_description {
    const orr_trace *trace; /* borrowed; must outlive this */
    bool calendar;          /* the origin's calendar time is known: */
    orr_civil origin;
    uint64_t jobs, rows, dropped;
    orr_time first, last, last_end;
    orr_wide gpu_ns, job_ns;
    double mean_gpus;
    orr_spread duration, gpu_time; /* s, GPU-s */
    orr_duration_bin bins[ORR_DESCRIBE_BINS];
    ORR_VEC(orr_size_facts) sizes; /* by GPUs */
    ORR_VEC(orr_vc_facts) vcs;     /* most jobs first, then by name */
    orr_arrival_facts arrivals;
    orr_peak peak_gpus, peak_jobs;
    uint64_t endings[3]; /* by orr_ending */
    uint64_t censored;
    /* Jobs with the same numbers and texts under different ids: groups of them, jobs in the groups, jobs beyond the
     * first of each. */
    uint64_t same_groups, same_jobs, same_surplus;
} orr_description;

orr_description *orr_trace_describe(const orr_trace *trace);
void orr_description_destroy(orr_description *d);

/* For people; ends with a newline. */
void orr_trace_describe_text(const orr_description *d, orr_text *out);
/* Schema "orrery.describe/1"; the caller frees it by cJSON_Delete. */
struct cJSON *orr_trace_describe_json(const orr_description *d);

/* ---- shared by the two above ---- */

/* Nanoseconds as seconds, exactly, also beyond 64 bits ("3521082502", "0.5"). Returns the length. */
#define ORR_WIDE_BUF 64
int orr_wide_seconds(orr_wide ns, char buf[ORR_WIDE_BUF]);
double orr_wide_hours(orr_wide ns);
/* The calendar text of a time since the origin; "" if the origin is not known. */
int orr_describe_when(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF]);

#endif
