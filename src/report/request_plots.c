#include "report/request_plots.h"

#include "report/cdf.h"
#include "report/svg_plot.h"
#include <math.h>
#include <stdio.h>

enum { HALF = 220, WIDE = 190, BINS = 480 };

static size_t list_of(const orr_request_description *d, const orr_trace_request **list)
{
    return orr_trace_requests(d->clock.trace, list);
}

/* Counts in `n` equal windows from the first arrival on; a bin of the trace counts where it begins. */
static double *counts_in(const orr_request_description *d, size_t n, orr_time width)
{
    const orr_trace_request *r;
    const size_t records = list_of(d, &r);
    double *counts = orr_xcalloc(n, sizeof *counts);
    for (size_t i = 0; i < records; i++) {
        const size_t at = (size_t)((r[i].arrival - d->first) / width);
        counts[at < n ? at : n - 1] += (double)r[i].count;
    }
    return counts;
}

static orr_time span_of(const orr_request_description *d)
{
    return d->last - d->first + (d->bin ? d->bin : 1);
}

/* ---- over time ---- */

/* Windows are whole bins of the trace, so that none is cut. */
static orr_time window_of(const orr_request_description *d)
{
    const orr_time least = span_of(d) / BINS + 1;
    return d->bin ? orr_time_ceil(least, d->bin) : least;
}

static void arrivals_note(const orr_request_description *d, orr_time width, orr_text *note)
{
    char shown[ORR_TIME_BUF];
    orr_time_human(width, shown);
    orr_text_addf(note, "requests a second, means over %s", shown);
    if (d->clock.calendar)
        orr_text_addf(note, "; time since %s", orr_trace_origin(d->clock.trace));
}

void orr_request_plot_arrivals(const orr_request_description *d, orr_text *out)
{
    const orr_time width = window_of(d);
    const size_t n = (size_t)((span_of(d) + width - 1) / width);
    double *rate = counts_in(d, n, width), *x = orr_xmalloc((n + 1) * sizeof *x), most = 0;
    orr_text note = {0};
    if (d->last == d->first) {
        free(rate);
        free(x);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = orr_time_seconds(d->first + (orr_time)i * width);
        rate[i] /= orr_time_seconds(width);
        most = fmax(most, rate[i]);
    }
    arrivals_note(d, width, &note);
    const orr_svg_frame frame = {
        .id = "arrivals", .title = "Arrivals over time", .note = note.at, .height = WIDE, .wide = true};
    const orr_svg_series series = {.x = x, .y = rate, .n = n, .steps = true};
    const orr_svg_axis across = orr_svg_clock(x[0], x[0] + orr_time_seconds((orr_time)n * width));
    const orr_svg_axis down = orr_svg_numbers(most);
    orr_svg_lines(out, &frame, &across, &down, &series, 1, true);
    orr_text_fini(&note);
    free(rate);
    free(x);
}

void orr_request_plot_hours(const orr_request_description *d, orr_text *out)
{
    orr_svg_bar bars[24];
    char labels[24][4];
    if (!d->clock.calendar)
        return;
    for (int i = 0; i < 24; i++) {
        snprintf(labels[i], sizeof *labels, "%d", i);
        bars[i] = (orr_svg_bar){labels[i], NULL, (double)d->hours[i]};
    }
    const orr_svg_frame frame = {.id = "hours", .title = "Arrivals by hour of the day", .height = HALF};
    orr_svg_bars(out, &frame, bars, 24);
}

/* ---- distributions ---- */

/* Values of the records that state them, sorted. */
static orr_values values_of(const orr_request_description *d, double (*value)(const orr_trace_request *r))
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    orr_values v = {0};
    for (size_t i = 0; i < n; i++)
        if (!isnan(value(&r[i])))
            ORR_VEC_PUSH(&v, value(&r[i]));
    orr_values_sort(&v);
    return v;
}

static double tokens_in(const orr_trace_request *r)
{
    return r->tokens_in >= 0 ? (double)r->tokens_in : NAN;
}

static double tokens_out(const orr_trace_request *r)
{
    return r->tokens_out >= 0 ? (double)r->tokens_out : NAN;
}

static double duration(const orr_trace_request *r)
{
    return r->duration != ORR_TIME_NONE && !r->censored ? orr_time_seconds(r->duration) : NAN;
}

static double count(const orr_trace_request *r)
{
    return (double)r->count;
}

static orr_cdf cdf_of(const orr_request_description *d, double (*value)(const orr_trace_request *r))
{
    orr_values v = values_of(d, value);
    const orr_cdf cdf = orr_cdf_of(v.at, v.n);
    ORR_VEC_FREE(&v);
    return cdf;
}

static orr_svg_series series_of(const orr_cdf *cdf, const char *name)
{
    return (orr_svg_series){.name = name, .x = cdf->x, .y = cdf->share, .n = cdf->n};
}

void orr_request_plot_tokens(const orr_request_description *d, orr_text *out)
{
    const orr_cdf in = cdf_of(d, tokens_in), answer = cdf_of(d, tokens_out);
    orr_svg_series series[2];
    size_t n = 0;
    double most = 1;
    if (in.n)
        series[n++] = series_of(&in, "input");
    if (answer.n)
        series[n++] = series_of(&answer, "output");
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, series[i].x[series[i].n - 1]);
    const orr_svg_frame frame = {.id = "tokens",
                                 .title = "Tokens of a request, cumulative",
                                 .note = "share of the records that state them; below 1 at the left edge",
                                 .height = HALF};
    const orr_svg_axis x = orr_svg_decades(1, fmax(most, 10)), y = orr_svg_shares();
    orr_svg_lines(out, &frame, &x, &y, series, n, true);
}

void orr_request_plot_durations(const orr_request_description *d, orr_text *out)
{
    const orr_cdf cdf = cdf_of(d, duration);
    if (cdf.n == 0)
        return;
    const orr_svg_frame frame = {.id = "durations",
                                 .title = "Recorded time, cumulative",
                                 .note = "share of the records that state it",
                                 .height = HALF};
    const orr_svg_axis x = orr_svg_durations(fmax(cdf.x[0], 1e-3), cdf.x[cdf.n - 1]), y = orr_svg_shares();
    const orr_svg_series series = series_of(&cdf, "requests");
    orr_svg_lines(out, &frame, &x, &y, &series, 1, true);
}

/* ---- how they bunch ---- */

static orr_values gaps_of(const orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    orr_values v = {0};
    for (size_t i = 1; i < n; i++)
        ORR_VEC_PUSH(&v, orr_time_seconds(r[i].arrival - r[i - 1].arrival));
    orr_values_sort(&v);
    return v;
}

/* What gaps would be if arrivals of this rate came independently. */
static void poisson(double rate, const orr_svg_axis *axis, orr_cdf *cdf)
{
    for (cdf->n = 0; cdf->n <= ORR_CURVE_POINTS; cdf->n++) {
        cdf->x[cdf->n] = axis->low * pow(axis->high / axis->low, (double)cdf->n / ORR_CURVE_POINTS);
        cdf->share[cdf->n] = -expm1(-rate * cdf->x[cdf->n]);
    }
}

void orr_request_plot_gaps(const orr_request_description *d, orr_text *out)
{
    if (d->bin || d->gaps.n == 0 || !(d->gaps.max > 0) || isnan(d->rate))
        return;
    char note[128], buf[ORR_WIDE_BUF];
    orr_values gaps = gaps_of(d);
    const orr_cdf cdf = orr_cdf_of(gaps.at, gaps.n);
    const orr_svg_axis x = orr_svg_durations(fmax(d->gaps.q[0], 1e-4), d->gaps.max), y = orr_svg_shares();
    orr_cdf reference;
    poisson(d->rate, &x, &reference);
    const orr_svg_series series[] = {series_of(&cdf, "recorded"), series_of(&reference, "independent, at this rate")};
    snprintf(note, sizeof note, "coefficient of variation %s; 1 if they came independently",
             orr_grouped(d->gap_cv, 3, buf));
    const orr_svg_frame frame = {
        .id = "gaps", .title = "Gaps between arrivals, cumulative", .note = note, .height = HALF};
    orr_svg_lines(out, &frame, &x, &y, series, 2, false);
    ORR_VEC_FREE(&gaps);
}

void orr_request_plot_counts(const orr_request_description *d, orr_text *out)
{
    if (!d->bin)
        return;
    const orr_cdf cdf = cdf_of(d, count);
    const orr_svg_frame frame = {.id = "counts",
                                 .title = "Arrivals in a bin, cumulative",
                                 .note = "share of the bins that the trace states; below 1 at the left edge",
                                 .height = HALF};
    const orr_svg_axis x = orr_svg_decades(1, fmax(cdf.x[cdf.n - 1], 10)), y = orr_svg_shares();
    const orr_svg_series series = series_of(&cdf, "bins");
    orr_svg_lines(out, &frame, &x, &y, &series, 1, true);
}

static double dispersion(const double *counts, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += counts[i];
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (counts[i] - mean) * (counts[i] - mean) / (double)n;
    return mean > 0 ? squares / mean : NAN;
}

/* Whole windows only; too few tell nothing. */
static double dispersion_at(const orr_request_description *d, orr_time width)
{
    enum { FEWEST = 10, MOST = 10000000 };
    const orr_time windows = (d->last - d->first) / width;
    if (windows < FEWEST || windows > MOST || (d->bin && width % d->bin))
        return NAN;
    double *counts = counts_in(d, (size_t)windows + 1, width);
    const double value = dispersion(counts, (size_t)windows);
    free(counts);
    return value;
}

void orr_request_plot_bursts(const orr_request_description *d, orr_text *out)
{
    static const struct {
        orr_time width;
        const char *name;
    } windows[] = {{ORR_SECOND, "1 s"}, {10 * ORR_SECOND, "10 s"}, {ORR_MINUTE, "1 m"}, {10 * ORR_MINUTE, "10 m"},
                   {ORR_HOUR, "1 h"},   {6 * ORR_HOUR, "6 h"},     {ORR_DAY, "1 d"}};
    orr_svg_bar bars[sizeof windows / sizeof *windows];
    size_t n = 0;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const double value = dispersion_at(d, windows[i].width);
        if (!isnan(value))
            bars[n++] = (orr_svg_bar){windows[i].name, NULL, value};
    }
    const orr_svg_frame frame = {.id = "bursts",
                                 .title = "Burstiness by width of the window",
                                 .note = "variance of the counts over their mean; 1 if they came independently",
                                 .height = HALF};
    if (n)
        orr_svg_bars(out, &frame, bars, n);
}

/* ---- who ---- */

void orr_request_plot_askers(const orr_askers *askers, const char *id, const char *title, orr_text *out)
{
    enum { ROWS = 10, ROW = 32 };
    orr_svg_bar bars[ROWS];
    size_t n = 0;
    for (; n < askers->n && n < ROWS; n++)
        bars[n] =
            (orr_svg_bar){askers->at[n].name[0] ? askers->at[n].name : "(none)", NULL, (double)askers->at[n].requests};
    const orr_svg_frame frame = {
        .id = id, .title = title, .note = askers->n > ROWS ? "those with the most" : NULL, .height = ROW * (int)n};
    if (n)
        orr_svg_rows(out, &frame, bars, n);
}
