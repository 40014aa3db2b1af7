/* Facts about a trace, computed once: what `orrery describe` prints and what its --json and --html hold.
 *
 * Quantiles are linear between order statistics (type 7), deviations are of the population. Sums of GPU time are exact.
 * GPU time weighs shares: duration x GPUs x gpu_milli / 1000, so that half a GPU counts half; `gpu_ns` beside it counts
 * whole GPUs. Jobs that were withdrawn before they ran are counted apart wherever both appear; they do count as
 * submissions, as time in the system, and in what was asked for. Calendar statistics need a trace whose origin is
 * known; without one, days are 24 hours from the origin, hours are hours of those days and must be shown as relative,
 * and weekdays and months are left out. Text without a zone is taken as it stands: no daylight saving is undone.
 * O(n log n).
 */
#ifndef ORR_TRACE_DESCRIBE_H
#define ORR_TRACE_DESCRIBE_H

#include "base/assert.h"
#include "base/mem.h"
#include "base/text.h"
#include "trace/civil.h"
#include <orrery/trace.h>

struct cJSON;

/* ---- distributions ---- */

#define ORR_DESCRIBE_QUANTILES 10
/* 0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999, and their keys "p1" … "p99_9". */
extern const double orr_describe_p[ORR_DESCRIBE_QUANTILES];
extern const char *const orr_describe_p_names[ORR_DESCRIBE_QUANTILES];

/* n = 0: the rest is NaN. */
typedef struct orr_spread {
    uint64_t n;
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
    uint64_t jobs, withdrawn;
    orr_wide gpu_ns, milli_ns;
} orr_size_facts;

/* Jobs of one GPU by the share of it that they ask for. */
typedef struct orr_fraction_facts {
    int32_t gpu_milli;
    uint64_t jobs, withdrawn;
} orr_fraction_facts;

/* What records ask for, summed as if all were there at once. */
typedef struct orr_asked {
    uint64_t records, cpus_stated, mem_stated; /* in all; those that state cores, memory */
    uint64_t of_fractions;                     /* those that ask for less than whole GPUs */
    orr_wide gpus, milli, cpu_milli, mem_bytes; /* GPUs; GPUs x gpu_milli; cores / 1000; bytes */
} orr_asked;

/* ---- who ---- */

/* The jobs of one VC, user, GPU type, model or group. */
typedef struct orr_share_facts {
    const char *name;
    uint64_t jobs;
    orr_wide gpu_ns, milli_ns;
    double median_duration; /* s */
    int32_t max_gpus;
    orr_time first, last; /* submissions */
} orr_share_facts;
typedef ORR_VEC(orr_share_facts) orr_shares; /* most jobs first, then by name; jobs without a name are one of "" */

/* ---- when ---- */

typedef struct orr_month_facts {
    int32_t year, month;
    uint64_t jobs;
} orr_month_facts;

typedef struct orr_day_facts {
    orr_time at; /* its beginning, since the origin; of the first day it may lie before it */
    uint64_t jobs;
} orr_day_facts;

/* Of all submissions, those of withdrawn jobs too. */
typedef struct orr_arrival_facts {
    uint64_t submissions, instants;  /* instants: different times of submission */
    uint64_t most_at_once;           /* submissions of one instant, */
    orr_time most_at;                /* the first such */
    uint64_t days, days_with_jobs;   /* spanned, first and last included */
    double mean_a_day, median_a_day; /* days without a job count */
    uint64_t max_a_day;
    orr_time max_day;
    uint64_t hours_spanned, max_an_hour; /* clock hours, first and last included */
    orr_time max_hour;
    double hourly_dispersion; /* variance / mean of the counts of clock hours; 1 for Poisson arrivals */
    uint64_t weekdays[7];     /* from Monday; calendar only */
    uint64_t hours[24];       /* of the day */
    uint64_t week[7][24];     /* calendar only */
    double weekday_rate[7],
        hour_rate[24];               /* submissions per such day, per such hour, of those spanned; NaN: none was */
    ORR_VEC(orr_month_facts) months; /* calendar only */
    ORR_VEC(orr_day_facts) by_day;   /* days with a submission */
    double gap_mean, gap_median, gap_p99, gap_max, gap_cv; /* s; NaN for a single submission */
    uint64_t zero_gaps;
} orr_arrival_facts;

/* The order of the rows in the file, of those kept as jobs. */
typedef struct orr_order_facts {
    uint64_t descents;  /* rows submitted before the row above them */
    orr_time step_back; /* the largest such step; 0: none */
    uint32_t step_line; /* of the row after it; 0: the format has no lines */
} orr_order_facts;

/* The most in use at once if every job started at its submission; ends come before starts. */
typedef struct orr_peak {
    int64_t amount;
    orr_time at; /* first reached */
} orr_peak;

/* ---- what the record says happened ---- */

#define ORR_ATTEMPT_BINS 10

typedef struct orr_recorded_facts {
    orr_spread wait;                            /* start - submit, s; below 0 where the record is odd */
    orr_spread run;                             /* end - start, s: queueing between attempts counts */
    orr_spread in_system;                       /* end - submit, s; of withdrawn jobs too */
    uint64_t at_once, early;                    /* of `wait`: those of at most 0, below 0 */
    orr_wide in_system_milli_ns;                /* GPU time as if GPUs had been held from submission to end */
    uint64_t attempts, most_attempts, repeated; /* in all; of one job; jobs with several */
    uint64_t by_attempts[ORR_ATTEMPT_BINS];     /* jobs with 1, 2, …; the last: so many or more */
} orr_recorded_facts;

/* ---- what is stated at all ---- */

#define ORR_ATTRIBUTE_VALUES 32

typedef struct orr_value_facts {
    const char *value;
    uint64_t jobs, withdrawn;
} orr_value_facts;

typedef struct orr_attribute_facts {
    const char *name;
    uint64_t stated, distinct; /* records that have it; different values */
    bool numeric;              /* every value is a number: */
    double min, max, sum;
    ORR_VEC(orr_value_facts) values; /* most frequent first; empty: more than ORR_ATTRIBUTE_VALUES of them */
} orr_attribute_facts;

/* How many records, withdrawn ones too, state a column that may be missing. */
typedef struct orr_column_coverage {
    const char *column;
    bool attribute; /* of the format; else a column of ours */
    uint64_t stated;
    uint64_t *by_day; /* for each of arrivals.by_day */
} orr_column_coverage;

/* ---- all of it ---- */

typedef struct orr_description {
    const orr_trace *trace; /* borrowed; must outlive this */
    bool blocks;            /* to be set by the caller: bars of Unicode blocks in the text, not of # */
    bool calendar;          /* the origin's calendar time is known: */
    orr_civil origin;
    uint64_t jobs, withdrawn, rows, dropped;
    /* The rest is zero without jobs. */
    orr_time first, last, last_end; /* submissions of jobs; submission + duration */
    orr_wide gpu_ns, milli_ns, job_ns;
    double mean_gpus;
    orr_asked asked, asked_withdrawn;
    orr_spread duration, gpu_time; /* s, GPU-s */
    orr_duration_bin bins[ORR_DESCRIBE_BINS];
    ORR_VEC(orr_size_facts) sizes;         /* by GPUs */
    ORR_VEC(orr_fraction_facts) fractions; /* by gpu_milli; all 1000: a single row */
    orr_shares vcs, users, gpu_types, models, groups;
    orr_arrival_facts arrivals;
    orr_order_facts order;
    orr_peak peak_gpus, peak_jobs;
    orr_recorded_facts recorded;
    uint64_t endings[3]; /* by orr_ending */
    orr_wide ending_milli_ns[3];
    uint64_t censored;
    orr_wide censored_milli_ns;
    /* Jobs with the same numbers and texts under different ids: groups of them, jobs in the groups, jobs beyond the
     * first of each. */
    uint64_t same_groups, same_jobs, same_surplus;
    ORR_VEC(orr_attribute_facts) attributes;
    ORR_VEC(orr_column_coverage) coverage; /* our columns, then attributes */
} orr_description;

orr_description *orr_trace_describe(const orr_trace *trace);
void orr_description_destroy(orr_description *d);

/* For people; ends with a newline. No line over 80 columns but for long names. */
void orr_trace_describe_text(const orr_description *d, orr_text *out);
/* Schema "orrery.describe/1"; the caller frees it by cJSON_Delete. */
struct cJSON *orr_trace_describe_json(const orr_description *d);

/* Whether any of these jobs has a name. */
bool orr_shares_named(const orr_shares *shares);
/* Whether no record states a column, or all of them do; neither: it has gaps. */
static inline bool orr_coverage_never(const orr_column_coverage *c)
{
    return c->stated == 0;
}
static inline bool orr_coverage_always(const orr_description *d, const orr_column_coverage *c)
{
    return c->stated == d->arrivals.submissions;
}

/* GPUs in use on average in each of `n` equal parts of [d->first, d->last_end), weighed by shares: if each job started
 * at its submission, and from its recorded start on (zero where none is recorded). O(jobs + n). */
void orr_describe_demand(const orr_description *d, size_t n, double *submitted, double *recorded);

/* ---- numbers ---- */

/* An exact value as v / 10^places, shortest form, also beyond 64 bits ("3521082502", "0.5"). Returns the length. */
#define ORR_WIDE_BUF 64
int orr_wide_decimal(orr_wide v, int places, char buf[ORR_WIDE_BUF]);
int orr_wide_seconds(orr_wide ns, char buf[ORR_WIDE_BUF]); /* from nanoseconds */
double orr_wide_hours(orr_wide ns);
/* GPU time of a job that is held for so long: thousandths of GPU·ns. */
static inline orr_wide orr_milli_ns(const orr_trace_job *job, orr_time held)
{
    return (orr_wide)held * job->gpus * job->gpu_milli;
}
double orr_milli_seconds(orr_wide milli_ns);
double orr_milli_hours(orr_wide milli_ns);
/* The calendar text of a time since the origin; "" if the origin is not known. */
int orr_describe_when(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF]);
/* For people: calendar text, else days and clock time since the origin; and the day alone ("2017-10-31", "12d"). */
const char *orr_describe_moment(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF]);
const char *orr_describe_day(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF]);
/* "1,234,567.891": a number with this many decimals, its whole part grouped; NaN gives "-". */
const char *orr_grouped(double value, int decimals, char buf[ORR_WIDE_BUF]);

#endif
