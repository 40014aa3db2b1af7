#include "report/serve_plots.h"

#include "report/run_plots.h"
#include <math.h>
#include <stdio.h>

/* ---- gathering ---- */

static bool take_latency(void *self, const orr_result_latency *row)
{
    orr_served *s = self;
    if (s->curves.n == 0 || strcmp(s->curves.at[s->curves.n - 1].service, row->service) != 0)
        ORR_VEC_PUSH(&s->curves, ((orr_served_curve){.service = orr_xstrdup(row->service)}));
    orr_cdf *c = &s->curves.at[s->curves.n - 1].cdf;
    if (isnan(row->latency_all) || c->n > ORR_CURVE_POINTS)
        return true;
    c->x[c->n] = row->latency_all;
    c->share[c->n++] = row->share;
    return true;
}

static orr_batch_count *of_size(orr_served *s, int32_t size)
{
    size_t at = 0;
    while (at < s->batches.n && s->batches.at[at].size < size)
        at++;
    if (at < s->batches.n && s->batches.at[at].size == size)
        return &s->batches.at[at];
    ORR_VEC_PUSH(&s->batches, ((orr_batch_count){0}));
    memmove(&s->batches.at[at + 1], &s->batches.at[at], (s->batches.n - 1 - at) * sizeof *s->batches.at);
    s->batches.at[at] = (orr_batch_count){.size = size};
    return &s->batches.at[at];
}

static void take_batches(const cJSON *services, orr_served *s)
{
    const cJSON *service, *count;
    cJSON_ArrayForEach(service, services)
    {
        cJSON_ArrayForEach(count, cJSON_GetObjectItemCaseSensitive(service, "batch_sizes"))
        {
            int64_t size;
            if (orr_parse_i64(count->string, strlen(count->string), &size) && size > 0 && size <= INT32_MAX &&
                cJSON_IsNumber(count))
                of_size(s, (int32_t)size)->count += (uint64_t)count->valuedouble;
        }
    }
}

orr_err orr_served_of(const orr_result *result, orr_time from, orr_time to, orr_served *out, orr_error *e)
{
    const cJSON *serving = cJSON_GetObjectItemCaseSensitive(orr_result_summary(result), "serving");
    *out = (orr_served){.any = serving != NULL};
    if (!serving)
        return ORR_OK;
    orr_err err = orr_run_serving_of(result, from, to, &out->levels, e);
    err = err ? err : orr_result_latencies(result, take_latency, out, e);
    if (err) {
        orr_served_fini(out);
        return err;
    }
    double answered = 0, dropped = 0;
    if (orr_result_metric(result, "requests.answered", &answered) &&
        orr_result_metric(result, "requests.dropped", &dropped) && answered + dropped > 0)
        out->dropped = dropped / (answered + dropped);
    take_batches(cJSON_GetObjectItemCaseSensitive(serving, "services"), out);
    return err;
}

void orr_served_fini(orr_served *s)
{
    orr_run_levels_fini(&s->levels);
    for (size_t i = 0; i < s->curves.n; i++)
        free(s->curves.at[i].service);
    ORR_VEC_FREE(&s->curves);
    ORR_VEC_FREE(&s->batches);
    *s = (orr_served){0};
}

/* ---- latency ---- */

static void plot_curves(const char *title, orr_cdf *cdfs, const char *const *names, size_t n, orr_text *out)
{
    orr_svg_series series[ORR_SVG_SERIES];
    const orr_svg_axis x = orr_cdf_axis(cdfs, n, 1e-6), y = orr_svg_shares();
    for (size_t i = 0; i < n; i++) {
        orr_cdf_reach(&cdfs[i], x.high);
        series[i] = (orr_svg_series){.name = names[i], .x = cdfs[i].x, .y = cdfs[i].share, .n = cdfs[i].n};
    }
    const orr_svg_frame frame = {.id = "latency",
                                 .title = title,
                                 .note = "latency_all: the share of all that arrived which was answered within that "
                                         "time; what was dropped never is",
                                 .height = ORR_HALF_HEIGHT,
                                 .wide = true};
    orr_svg_lines(out, &frame, &x, &y, series, n, true);
}

/* A curve a service while each can have a colour; else that of all. */
void orr_serve_plot_latency(const orr_served *s, orr_text *out)
{
    const char *names[ORR_SVG_SERIES];
    orr_cdf cdfs[ORR_SVG_SERIES];
    const bool each = s->curves.n > 1 && s->curves.n <= ORR_SVG_SERIES + 1;
    size_t n = 0;
    for (size_t i = each ? 1 : 0; i < s->curves.n && (each || i == 0); i++) {
        cdfs[n] = s->curves.at[i].cdf;
        names[n] = s->curves.at[i].service;
        n += cdfs[n].n > 0;
    }
    if (n)
        plot_curves("Arrival to answer", cdfs, names, n, out);
}

void orr_serve_plot_latencies(const orr_served *const *list, const char *const *names, size_t n, orr_text *out)
{
    orr_cdf cdfs[ORR_SVG_SERIES];
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        cdfs[i] = list[i]->curves.n ? list[i]->curves.at[0].cdf : (orr_cdf){0};
        any |= cdfs[i].n > 0;
    }
    if (any)
        plot_curves("Arrival to answer, all services", cdfs, names, n, out);
}

/* ---- over time ---- */

static void plot_levels(const orr_served *s, const char *const metrics[], const char *const labels[], size_t n,
                        orr_svg_frame frame, orr_text *out)
{
    orr_svg_series series[4];
    orr_text note = {0};
    double most = 0;
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_binned *b = orr_run_level(&s->levels, "services", metrics[i]);
        if (!b)
            continue;
        series[shown++] = (orr_svg_series){
            .name = labels[i], .x = s->levels.at, .y = b->mean, .n = ORR_RUN_BINS, .steps = true};
        for (int bin = 0; bin < ORR_RUN_BINS; bin++)
            most = fmax(most, b->mean[bin]);
    }
    orr_text_addf(&note, "%s, ", frame.note);
    orr_bins_note(&s->levels, &note);
    frame.note = note.at;
    const orr_svg_axis x = orr_svg_clock(s->levels.from, s->levels.to), y = orr_svg_numbers(most);
    if (shown)
        orr_svg_lines(out, &frame, &x, &y, series, shown, true);
    orr_text_fini(&note);
}

void orr_serve_plot_requests(const orr_served *s, orr_text *out)
{
    static const char *const metrics[] = {"arrived", "late", "dropped"};
    const orr_svg_frame frame = {.id = "requests",
                                 .title = "Requests",
                                 .note = "a second: all that arrived; of them those answered late and dropped, "
                                         "if there are any",
                                 .height = ORR_TIMELINE_HEIGHT,
                                 .wide = true};
    plot_levels(s, metrics, metrics, 3, frame, out);
}

void orr_serve_plot_waiting(const orr_served *s, orr_text *out)
{
    static const char *const metrics[] = {"waiting"};
    const orr_svg_frame frame = {.id = "waiting",
                                 .title = "Requests that wait",
                                 .note = "for their batch to begin",
                                 .height = ORR_TIMELINE_HEIGHT - 40,
                                 .wide = true};
    plot_levels(s, metrics, metrics, 1, frame, out);
}

/* ---- batches ---- */

enum { BARS = 24 };

/* Sizes one by one while there is room for them, else by powers of two: 1, 2, 3-4, 5-8, … */
static size_t bar_of(int32_t size, bool each)
{
    size_t i = 0;
    if (each)
        return (size_t)size - 1;
    while ((int64_t)1 << i < size)
        i++;
    return i;
}

static void label_bar(size_t i, bool each, char label[32])
{
    if (each || i < 2)
        snprintf(label, 32, "%zu", i + 1);
    else
        snprintf(label, 32, "%lld-%lld", (1LL << (i - 1)) + 1, 1LL << i);
}

void orr_serve_plot_batches(const orr_served *s, orr_text *out)
{
    orr_svg_bar bars[32] = {0};
    char labels[32][32], note[96], count[ORR_DOUBLE_BUF];
    if (!s->batches.n)
        return;
    const int32_t most = s->batches.at[s->batches.n - 1].size;
    const bool each = most <= BARS;
    const size_t n = bar_of(most, each) + 1;
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        label_bar(i, each, labels[i]);
        bars[i].label = labels[i];
    }
    for (size_t i = 0; i < s->batches.n; i++) {
        bars[bar_of(s->batches.at[i].size, each)].value += (double)s->batches.at[i].count;
        all += s->batches.at[i].count;
    }
    orr_format_count(all, count);
    snprintf(note, sizeof note, "%s batches, by the number of requests in them", count);
    const orr_svg_frame frame = {
        .id = "batches", .title = "Batch sizes", .note = note, .height = ORR_HALF_HEIGHT, .wide = true};
    orr_svg_bars(out, &frame, bars, n);
}

/* Cumulative over sizes from 1 on. */
static void batch_shares(const orr_served *s, double **x, double **y, size_t *n, double most)
{
    double all = 0, sum = 0;
    *x = orr_xcalloc(s->batches.n + 2, sizeof **x);
    *y = orr_xcalloc(s->batches.n + 2, sizeof **y);
    *n = 0;
    for (size_t i = 0; i < s->batches.n; i++)
        all += (double)s->batches.at[i].count;
    if (s->batches.n && s->batches.at[0].size > 1)
        (*x)[(*n)++] = 1;
    for (size_t i = 0; i < s->batches.n; i++, (*n)++) {
        sum += (double)s->batches.at[i].count;
        (*x)[*n] = s->batches.at[i].size;
        (*y)[*n] = sum / all;
    }
    if (*n) {
        (*x)[*n] = most;
        (*y)[(*n)++] = 1;
    }
}

void orr_serve_plot_batch_shares(const orr_served *const *list, const char *const *names, size_t n, orr_text *out)
{
    orr_svg_series series[ORR_SVG_SERIES] = {0};
    double *xs[ORR_SVG_SERIES], *ys[ORR_SVG_SERIES], most = 2;
    bool any = false;
    for (size_t i = 0; i < n; i++)
        if (list[i]->batches.n)
            most = fmax(most, list[i]->batches.at[list[i]->batches.n - 1].size);
    for (size_t i = 0; i < n; i++) {
        batch_shares(list[i], &xs[i], &ys[i], &series[i].n, most);
        series[i] = (orr_svg_series){.name = names[i], .x = xs[i], .y = ys[i], .n = series[i].n, .steps = true};
        any |= series[i].n > 0;
    }
    const orr_svg_frame frame = {.id = "batches",
                                 .title = "Batch sizes",
                                 .note = "the share of batches of at most so many requests",
                                 .height = ORR_HALF_HEIGHT,
                                 .wide = true};
    const orr_svg_axis x = orr_svg_decades(1, most), y = orr_svg_shares();
    if (any)
        orr_svg_lines(out, &frame, &x, &y, series, n, false);
    for (size_t i = 0; i < n; i++) {
        free(xs[i]);
        free(ys[i]);
    }
}

/* ---- executors ---- */

enum { EXECUTORS = 48, LABELS = 16 };

/* Those of the list, in the order of their numbers. */
static size_t executors_of(const orr_served *s, const orr_binned *list[EXECUTORS])
{
    size_t n = 0;
    for (int i = 0; i < EXECUTORS; i++) {
        char entity[32];
        snprintf(entity, sizeof entity, "executor:%d", i);
        list[i] = orr_run_level(&s->levels, entity, "busy");
        n = list[i] ? (size_t)i + 1 : n;
    }
    return n;
}

void orr_serve_plot_executors(const orr_served *s, orr_text *out)
{
    enum { COLUMNS = ORR_HEAT_COLUMNS, TO_ONE = ORR_RUN_BINS / ORR_HEAT_COLUMNS };
    const orr_binned *list[EXECUTORS];
    const char *labels[EXECUTORS] = {0};
    char texts[EXECUTORS][16], note[96], width[ORR_TIME_BUF];
    const size_t n = executors_of(s, list), step = (n + LABELS - 1) / LABELS;
    double *heat = orr_xcalloc(n * COLUMNS + 1, sizeof *heat), most = 1;
    for (size_t i = 0; i < n; i++) {
        snprintf(texts[i], sizeof *texts, "%zu", i);
        labels[i] = i % step == 0 ? texts[i] : NULL;
        for (int bin = 0; list[i] && bin < ORR_RUN_BINS; bin++)
            heat[i * COLUMNS + (size_t)bin / TO_ONE] += list[i]->mean[bin] / TO_ONE;
    }
    for (size_t i = 0; i < n * COLUMNS; i++)
        most = fmax(most, heat[i]);
    orr_time_human(orr_time_from_seconds((s->levels.to - s->levels.from) / COLUMNS), width);
    snprintf(note, sizeof note, "batches that run, by executor; means over %.40s%s", width,
             n == EXECUTORS ? "; the first 48" : "");
    const orr_svg_frame frame = {.id = "executors",
                                 .title = "Executors at work",
                                 .note = note,
                                 .height = (int)n * (n <= LABELS ? 18 : 8),
                                 .wide = true};
    const orr_svg_cells cells = {heat, n, COLUMNS, labels, most, "batches"};
    const orr_svg_axis x = orr_svg_clock(s->levels.from, s->levels.to);
    if (n)
        orr_svg_heat(out, &frame, &x, &cells);
    free(heat);
}
