/* When jobs were submitted: counts by month, day, weekday and hour, gaps, bursts; and the order of the rows. All walk
 * once over the ascending times of submission. */
#include "base/stat.h"
#include "trace/describe_walk.h"
#include <math.h>
#include <stdlib.h>

static int by_time(const void *left, const void *right)
{
    const orr_time a = *(const orr_time *)left, b = *(const orr_time *)right;
    return a < b ? -1 : a > b;
}

/* Of all records, ascending; freed by the caller. */
static orr_time *submissions(const orr_description *d)
{
    const size_t n = orr_records(d);
    orr_time *at = orr_xmalloc(n * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[i] = orr_record(d, i)->submit;
    if (d->withdrawn)
        qsort(at, n, sizeof *at, by_time);
    return at;
}

static int64_t hour_of(orr_time local)
{
    const int64_t hour = local / ORR_HOUR;
    return local < hour * ORR_HOUR ? hour - 1 : hour;
}

/* ---- the clock face ---- */

static void count_month(orr_arrival_facts *a, orr_date date)
{
    orr_month_facts *last = a->months.n ? &a->months.at[a->months.n - 1] : NULL;
    if (last && last->year == date.year && last->month == date.month) {
        last->jobs++;
        return;
    }
    const orr_month_facts month = {date.year, date.month, 1};
    ORR_VEC_PUSH(&a->months, month);
}

static void clock_counts(orr_description *d, const orr_time *at, size_t n)
{
    orr_arrival_facts *a = &d->arrivals;
    for (size_t i = 0; i < n; i++) {
        const orr_time local = orr_day_shift(d) + at[i];
        const int64_t hour = hour_of(local) - 24 * orr_civil_day(local);
        a->hours[hour]++;
        if (!d->calendar)
            continue;
        const orr_date date = orr_civil_date(local);
        a->weekdays[date.weekday]++;
        a->week[date.weekday][hour]++;
        count_month(a, date);
    }
}

/* How many of `n` following slots, the first of kind `first` of `kinds`, are of kind `kind`. */
static uint64_t slots_of(uint64_t n, int kinds, int first, int kind)
{
    const uint64_t rest = n % (uint64_t)kinds;
    return n / (uint64_t)kinds + ((uint64_t)((kind - first + kinds) % kinds) < rest);
}

static double rate_of(uint64_t count, uint64_t slots)
{
    return slots ? (double)count / (double)slots : NAN;
}

static void rates(orr_description *d, orr_time first)
{
    orr_arrival_facts *a = &d->arrivals;
    const orr_time local = orr_day_shift(d) + first;
    const int hour = (int)(hour_of(local) - 24 * orr_civil_day(local));
    const int weekday = d->calendar ? orr_civil_date(local).weekday : 0;
    for (int i = 0; i < 24; i++)
        a->hour_rate[i] = rate_of(a->hours[i], slots_of(a->hours_spanned, 24, hour, i));
    for (int i = 0; i < 7; i++)
        a->weekday_rate[i] = d->calendar ? rate_of(a->weekdays[i], slots_of(a->days, 7, weekday, i)) : NAN;
}

/* ---- days and hours in a row ---- */

/* The median over all days of which only those with a job are listed: zeros come first. */
static double median_with_zeros(double *counts, size_t n, uint64_t days)
{
    orr_sort_doubles(counts, n);
    const uint64_t zeros = days - n, low = (days - 1) / 2, high = days / 2;
    const double a = low < zeros ? 0 : counts[low - zeros], b = high < zeros ? 0 : counts[high - zeros];
    return (a + b) / 2;
}

static void day_counts(orr_description *d, const orr_time *at, size_t n)
{
    orr_arrival_facts *a = &d->arrivals;
    const orr_time shift = orr_day_shift(d);
    ORR_VEC(double) counts = {0};
    for (size_t from = 0, to; from < n; from = to) {
        const int64_t day = orr_civil_day(shift + at[from]);
        for (to = from + 1; to < n && orr_civil_day(shift + at[to]) == day;)
            to++;
        const orr_day_facts facts = {day * ORR_DAY - shift, to - from};
        ORR_VEC_PUSH(&a->by_day, facts);
        ORR_VEC_PUSH(&counts, (double)(to - from));
        if (facts.jobs > a->max_a_day) {
            a->max_a_day = facts.jobs;
            a->max_day = facts.at;
        }
    }
    a->days = (uint64_t)(orr_civil_day(shift + at[n - 1]) - orr_civil_day(shift + at[0])) + 1;
    a->days_with_jobs = counts.n;
    a->mean_a_day = (double)n / (double)a->days;
    a->median_a_day = median_with_zeros(counts.at, counts.n, a->days);
    ORR_VEC_FREE(&counts);
}

/* The variance of counts over all hours spanned, those without a submission too, over their mean. */
static void hour_counts(orr_description *d, const orr_time *at, size_t n)
{
    orr_arrival_facts *a = &d->arrivals;
    const orr_time shift = orr_day_shift(d);
    double squares = 0;
    for (size_t from = 0, to; from < n; from = to) {
        const int64_t hour = hour_of(shift + at[from]);
        for (to = from + 1; to < n && hour_of(shift + at[to]) == hour;)
            to++;
        const uint64_t count = to - from;
        squares += (double)count * (double)count;
        if (count > a->max_an_hour) {
            a->max_an_hour = count;
            a->max_hour = hour * ORR_HOUR - shift;
        }
    }
    a->hours_spanned = (uint64_t)(hour_of(shift + at[n - 1]) - hour_of(shift + at[0])) + 1;
    const double hours = (double)a->hours_spanned, mean = (double)n / hours;
    a->hourly_dispersion = (squares / hours - mean * mean) / mean;
}

/* ---- gaps ---- */

static void gaps(orr_arrival_facts *a, const orr_time *at, size_t n)
{
    a->gap_mean = a->gap_median = a->gap_p99 = a->gap_max = a->gap_cv = NAN;
    if (n < 2)
        return;
    double *gap = orr_xmalloc((n - 1) * sizeof *gap);
    for (size_t i = 1; i < n; i++) {
        gap[i - 1] = orr_time_seconds(at[i] - at[i - 1]);
        a->zero_gaps += at[i] == at[i - 1];
    }
    const orr_spread s = orr_spread_of(gap, n - 1);
    free(gap);
    a->gap_mean = s.mean;
    a->gap_median = s.q[4];
    a->gap_p99 = s.q[8];
    a->gap_max = s.max;
    a->gap_cv = s.mean > 0 ? s.sd / s.mean : NAN;
}

static void instants(orr_arrival_facts *a, const orr_time *at, size_t n)
{
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && at[to] == at[from];)
            to++;
        a->instants++;
        if (to - from > a->most_at_once) {
            a->most_at_once = to - from;
            a->most_at = at[from];
        }
    }
}

void orr_walk_arrivals(orr_description *d)
{
    const size_t n = orr_records(d);
    orr_time *at = submissions(d);
    d->arrivals.submissions = n;
    clock_counts(d, at, n);
    day_counts(d, at, n);
    hour_counts(d, at, n);
    rates(d, at[0]);
    gaps(&d->arrivals, at, n);
    instants(&d->arrivals, at, n);
    free(at);
}

/* ---- the order of the rows ---- */

static int by_row(const void *left, const void *right)
{
    const orr_trace_job *a = *(const orr_trace_job *const *)left, *b = *(const orr_trace_job *const *)right;
    return a->row < b->row ? -1 : a->row > b->row;
}

void orr_walk_order(orr_description *d)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    const orr_trace_job **rows = orr_xmalloc(d->jobs * sizeof *rows);
    for (size_t i = 0; i < d->jobs; i++)
        rows[i] = &jobs[i];
    qsort(rows, d->jobs, sizeof *rows, by_row);
    for (size_t i = 1; i < d->jobs; i++) {
        const orr_time back = rows[i - 1]->submit - rows[i]->submit;
        d->order.descents += back > 0;
        if (back > d->order.step_back) {
            d->order.step_back = back;
            d->order.step_line = rows[i]->line;
        }
    }
    free(rows);
}
