#include "report/trace_plots.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- distributions ---- */

#define POINTS 200

typedef struct weighed {
    double seconds, weight;
} weighed;

static int by_seconds(const void *left, const void *right)
{
    const weighed *a = left, *b = right;
    return a->seconds < b->seconds ? -1 : a->seconds > b->seconds;
}

/* Share of the weight that lies at or below x, at about POINTS places of equal steps of the share. */
static size_t cumulative(weighed *v, size_t n, double *x, double *y)
{
    double all = 0, sum = 0;
    size_t points = 0;
    qsort(v, n, sizeof *v, by_seconds);
    for (size_t i = 0; i < n; i++)
        all += v[i].weight;
    for (size_t i = 0; i < n && all > 0; i++) {
        sum += v[i].weight;
        if (points && i + 1 < n && sum / all < y[points - 1] + 1.0 / POINTS)
            continue;
        x[points] = v[i].seconds;
        y[points++] = sum / all;
    }
    return points;
}

/* A job that has no such value weighs nothing. */
enum { JOBS, GPU_TIME, WAITS };

static weighed value_of(const orr_trace_job *job, int kind)
{
    if (kind == JOBS)
        return (weighed){orr_time_seconds(job->duration), 1};
    if (kind == GPU_TIME)
        return (weighed){orr_time_seconds(job->duration), orr_milli_seconds(orr_milli_ns(job, job->duration))};
    const bool known = job->start != ORR_TIME_NONE && !job->carried;
    return (weighed){known ? orr_time_seconds(job->start - job->submit) : 0, known};
}

static orr_svg_series curve_of(const orr_description *d, int kind, const char *name, double *x, double *y)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    weighed *v = orr_xmalloc(d->jobs * sizeof *v);
    for (size_t i = 0; i < d->jobs; i++)
        v[i] = value_of(&jobs[i], kind);
    const orr_svg_series s = {.name = name, .x = x, .y = y, .n = cumulative(v, d->jobs, x, y)};
    free(v);
    return s;
}

static double positive(double v)
{
    return v > 1e-9 ? v : 1e-9;
}

static void durations(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    double x[2][POINTS + 2], y[2][POINTS + 2];
    frame.id = "durations";
    frame.title = "Duration, cumulative";
    frame.note = "share of jobs, and of their GPU time";
    const orr_svg_series series[] = {curve_of(d, JOBS, "jobs", x[0], y[0]),
                                     curve_of(d, GPU_TIME, "GPU time", x[1], y[1])};
    const double low = d->duration.min > 0 ? d->duration.min : d->duration.q[0];
    const orr_svg_axis across = orr_svg_durations(positive(low), positive(d->duration.max));
    const orr_svg_axis down = orr_svg_shares();
    orr_svg_lines(out, &frame, &across, &down, series, 2, false);
}

static void waits(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    double x[POINTS + 2], y[POINTS + 2];
    frame.id = "waits";
    frame.title = "Recorded wait, cumulative";
    frame.note = "share of jobs with a recorded start; at the left edge: started at once";
    const orr_svg_series series = curve_of(d, WAITS, "jobs", x, y);
    const orr_svg_axis across = orr_svg_durations(1, positive(d->recorded.wait.max)), down = orr_svg_shares();
    orr_svg_lines(out, &frame, &across, &down, &series, 1, true);
}

/* ---- bars ---- */

#define BARS 40

typedef struct bar_list {
    orr_svg_bar bars[BARS];
    char labels[BARS][24], tips[BARS][96];
    size_t n;
} bar_list;

static orr_svg_bar *next_bar(bar_list *list, double value)
{
    const size_t i = list->n++;
    list->bars[i] = (orr_svg_bar){list->labels[i], list->tips[i], value};
    return &list->bars[i];
}

static void sizes(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    bar_list list = {.n = 0};
    char hours[ORR_WIDE_BUF];
    frame.id = "sizes";
    frame.title = "Jobs by GPUs asked for";
    for (size_t i = 0; i < d->sizes.n && i < BARS; i++) {
        const orr_size_facts *size = &d->sizes.at[i];
        snprintf(list.labels[i], sizeof *list.labels, "%d", size->gpus);
        snprintf(list.tips[i], sizeof *list.tips, "%d GPUs: %llu jobs, %.30s GPU-hours", size->gpus,
                 (unsigned long long)size->jobs, orr_grouped(orr_milli_hours(size->milli_ns), 1, hours));
        next_bar(&list, (double)size->jobs);
    }
    orr_svg_bars(out, &frame, list.bars, list.n);
}

static void size_hours(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    bar_list list = {.n = 0};
    frame.id = "size-hours";
    frame.title = "GPU-hours by GPUs asked for";
    for (size_t i = 0; i < d->sizes.n && i < BARS; i++) {
        snprintf(list.labels[i], sizeof *list.labels, "%d", d->sizes.at[i].gpus);
        next_bar(&list, orr_milli_hours(d->sizes.at[i].milli_ns))->tip = NULL;
    }
    orr_svg_bars(out, &frame, list.bars, list.n);
}

static void fractions(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    bar_list list = {.n = 0};
    frame.id = "fractions";
    frame.title = "Jobs of one GPU by the share they ask for";
    frame.note = "in thousandths of a GPU; withdrawn ones too";
    for (size_t i = 0; i < d->fractions.n && i < BARS; i++) {
        snprintf(list.labels[i], sizeof *list.labels, "%d", d->fractions.at[i].gpu_milli);
        next_bar(&list, (double)(d->fractions.at[i].jobs + d->fractions.at[i].withdrawn))->tip = NULL;
    }
    orr_svg_bars(out, &frame, list.bars, list.n);
}

static void hours(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    bar_list list = {.n = 0};
    frame.id = "hours";
    frame.title = d->calendar ? "Submissions by hour of the day" : "Submissions by hour of relative days";
    frame.note = d->calendar ? NULL : "24-hour days from the origin; the hour of the clock is not known";
    for (int i = 0; i < 24; i++) {
        snprintf(list.labels[i], sizeof *list.labels, "%d", i);
        snprintf(list.tips[i], sizeof *list.tips, "hour %d: %llu", i, (unsigned long long)d->arrivals.hours[i]);
        next_bar(&list, (double)d->arrivals.hours[i]);
    }
    orr_svg_bars(out, &frame, list.bars, list.n);
}

static void week(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    double values[7 * 24];
    double most = 1;
    char hour[8];
    orr_svg_axis across = orr_svg_places(24);
    frame.id = "week";
    frame.title = "Submissions by weekday and hour";
    for (int i = 0; i < 7 * 24; i++) {
        values[i] = (double)d->arrivals.week[i / 24][i % 24];
        most = fmax(most, values[i]);
    }
    for (int i = 0; i < 24; i += 3) {
        snprintf(hour, sizeof hour, "%d", i);
        orr_svg_add_tick(&across, i + 0.5, hour);
    }
    orr_svg_heat(out, &frame, &across, &(orr_svg_cells){values, 7, 24, days, most, "submissions"});
}

/* Largest first. */
static void share_rows(const orr_shares *shares, orr_svg_frame frame, orr_text *out)
{
    enum { ROWS = 10, ROWS_DRAWN = 6, ROW = 32 };
    const size_t most = frame.width > 0 ? ROWS_DRAWN : ROWS;
    orr_svg_bar bars[ROWS];
    char tips[ROWS][96];
    size_t n = 0;
    for (; n < shares->n && n < most; n++) {
        const orr_share_facts *share = &shares->at[n];
        snprintf(tips[n], sizeof *tips, "%llu jobs, median %.15g s", (unsigned long long)share->jobs,
                 share->median_duration);
        bars[n] = (orr_svg_bar){share->name[0] ? share->name : "(none)", tips[n], orr_milli_hours(share->milli_ns)};
    }
    frame.height = frame.width > 0 ? frame.height : ROW * (int)n;
    orr_svg_rows(out, &frame, bars, n);
}

static void vcs(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    frame.id = "vcs";
    frame.title = "GPU-hours by virtual cluster";
    frame.note = "those with the most jobs";
    share_rows(&d->vcs, frame, out);
}

static void users(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    frame.id = "users";
    frame.title = "GPU-hours by user";
    frame.note = "those with the most jobs";
    share_rows(&d->users, frame, out);
}

static void types(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    frame.id = "types";
    frame.title = "GPU-hours by GPU type asked for";
    share_rows(&d->gpu_types, frame, out);
}

/* ---- over time ---- */

/* From the origin; ticks a whole number of days apart, or none if there is less than a day. */
static orr_svg_axis time_axis(const orr_description *d, orr_time from, orr_time to)
{
    const orr_time shift = d->calendar ? d->origin.local : 0;
    const int64_t first = orr_civil_day(shift + from), last = orr_civil_day(shift + to);
    const int64_t step = (last - first) / 8 + 1;
    orr_svg_axis axis = {.low = orr_time_seconds(from), .high = orr_time_seconds(to)};
    char label[ORR_CIVIL_BUF];
    for (int64_t day = first; day <= last; day += step) {
        const orr_time at = day * ORR_DAY - shift;
        if (at >= from)
            orr_svg_add_tick(&axis, orr_time_seconds(at), orr_describe_day(d, at, label));
    }
    if (axis.n == 0) {
        orr_time_human(to - from, label);
        orr_svg_add_tick(&axis, axis.low, "0");
        orr_svg_add_tick(&axis, axis.high, label);
    }
    return axis;
}

/* Steps of a day; a day without a submission is 0. */
static void days(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    const orr_arrival_facts *a = &d->arrivals;
    const size_t n = a->by_day.n;
    const orr_time first = a->by_day.at[0].at, end = a->by_day.at[n - 1].at + ORR_DAY;
    double *x = orr_xmalloc(2 * (n + 1) * sizeof *x), *y = orr_xmalloc(2 * (n + 1) * sizeof *y);
    size_t points = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_time after = a->by_day.at[i].at + ORR_DAY;
        x[points] = orr_time_seconds(a->by_day.at[i].at);
        y[points++] = (double)a->by_day.at[i].jobs;
        if (i + 1 < n && a->by_day.at[i + 1].at == after)
            continue;
        x[points] = orr_time_seconds(after);
        y[points++] = 0;
    }
    frame.id = "days";
    frame.wide = true;
    frame.title = "Submissions by day";
    const orr_svg_axis across = time_axis(d, first, end), down = orr_svg_numbers((double)a->max_a_day);
    const orr_svg_series series = {.name = "submissions", .x = x, .y = y, .n = points, .steps = true};
    orr_svg_lines(out, &frame, &across, &down, &series, 1, true);
    free(x);
    free(y);
}

static void demand(const orr_description *d, orr_svg_frame frame, orr_text *out)
{
    enum { PARTS = 240 };
    double x[PARTS], submitted[PARTS], recorded[PARTS], most = 0;
    orr_describe_demand(d, PARTS, submitted, recorded);
    const double from = orr_time_seconds(d->first), part = orr_time_seconds(d->last_end - d->first) / PARTS;
    for (int i = 0; i < PARTS; i++) {
        x[i] = from + i * part;
        most = fmax(most, fmax(submitted[i], recorded[i]));
    }
    frame.id = "demand";
    frame.wide = true;
    frame.title = "GPUs in use over time";
    frame.note = "means";
    const orr_svg_axis across = time_axis(d, d->first, d->last_end), down = orr_svg_numbers(most);
    const orr_svg_series series[] = {
        {.name = "if started at submission", .x = x, .y = submitted, .n = PARTS, .steps = true},
        {.name = "as recorded", .x = x, .y = recorded, .n = PARTS, .steps = true}};
    orr_svg_lines(out, &frame, &across, &down, series, d->recorded.wait.n ? 2 : 1, true);
}

/* ---- which ---- */

size_t orr_trace_plots(const orr_description *d, orr_trace_plot **plots, size_t size)
{
    const bool several_fractions = d->fractions.n > 1;
    const struct {
        orr_trace_plot *plot;
        bool wanted;
    } all[] = {
        {durations, true},
        {waits, d->recorded.wait.n > 0 && d->recorded.wait.max > 0},
        {sizes, d->sizes.n <= BARS},
        {size_hours, d->sizes.n <= BARS},
        {fractions, several_fractions && d->fractions.n <= BARS},
        {days, true},
        {demand, d->last_end > d->first},
        {hours, true},
        {week, d->calendar},
        {vcs, orr_shares_named(&d->vcs)},
        {users, orr_shares_named(&d->users)},
        {types, orr_shares_named(&d->gpu_types)},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && n < size; i++)
        if (all[i].wanted)
            plots[n++] = all[i].plot;
    return n;
}
