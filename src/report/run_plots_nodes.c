/* Where the GPUs of a run went: by node over time, and job by job. */
#include "report/run_plots.h"

#include "base/text.h"
#include "report/svg_plot.h"
#include <math.h>
#include <stdio.h>

static orr_svg_axis clock_axis(orr_time from, orr_time to)
{
    return orr_svg_clock(orr_time_seconds(from), orr_time_seconds(to));
}

/* ---- heat ---- */

static void heat_note(const orr_run_holds *h, orr_time from, orr_time to, orr_text *note)
{
    char width[ORR_TIME_BUF];
    orr_time_human((to - from) / ORR_HEAT_COLUMNS, width);
    orr_text_addf(note, "means over %s", width);
    if (h->nodes_a_row > 1)
        orr_text_addf(note, " and %d nodes a row", h->nodes_a_row);
    orr_text_addf(note, ", of %d GPUs a node", h->node_gpus);
    if (!h->uniform)
        orr_text_addf(note, " at most; smaller nodes stay lighter");
}

void orr_run_plot_heat(const orr_run_holds *h, orr_time from, orr_time to, orr_text *out)
{
    enum { LABELS = 16 };
    const char *labels[ORR_HEAT_ROWS] = {0};
    char texts[ORR_HEAT_ROWS][16];
    orr_text note = {0};
    const int step = (h->rows + LABELS - 1) / LABELS, height = h->rows <= LABELS ? 18 : 8;
    for (int row = 0; row < h->rows; row += step) {
        snprintf(texts[row], sizeof *texts, "%d", row * h->nodes_a_row);
        labels[row] = texts[row];
    }
    heat_note(h, from, to, &note);
    const orr_svg_frame frame = {
        .id = "nodes", .title = "GPUs held, by node", .note = note.at, .height = h->rows * height, .wide = true};
    const orr_svg_cells cells = {h->heat, (size_t)h->rows, ORR_HEAT_COLUMNS, labels, h->node_gpus, "GPUs"};
    const orr_svg_axis x = clock_axis(from, to);
    orr_svg_heat(out, &frame, &x, &cells);
    orr_text_fini(&note);
}

/* ---- the schedule ---- */

enum { SIZES = 5 };
static const int size_most[SIZES] = {1, 4, 8, 32, INT32_MAX};
static const char *const size_names[SIZES] = {"1 GPU", "2-4", "5-8", "9-32", "more"};
static const char *const size_classes[SIZES] = {"h3", "h5", "h7", "h8", "h9"};
static const int size_shades[SIZES] = {3, 5, 7, 8, 9};

static int size_of(int32_t gpus)
{
    int i = 0;
    while (gpus > size_most[i])
        i++;
    return i;
}

static char *tip_of(const orr_held_box *b)
{
    char from[ORR_TIME_BUF], to[ORR_TIME_BUF];
    orr_text tip = {0};
    orr_time_clock(b->from, from);
    orr_time_clock(b->to, to);
    orr_text_addf(&tip, "%s: %d GPU%s", b->id, b->job_gpus, b->job_gpus == 1 ? "" : "s");
    if (b->milli < 1000)
        orr_text_addf(&tip, ", %d thousandths of each", b->milli);
    orr_text_addf(&tip, ", %s to %s%s", from, to, b->broken ? ", cut short" : "");
    return tip.at;
}

/* Half a row stays free between nodes. */
static double node_rows(const orr_run_holds *h)
{
    return h->node_gpus + 0.5;
}

static orr_svg_span span_of(const orr_run_holds *h, const orr_held_box *b)
{
    const int32_t place = b->node / h->node_step;
    return (orr_svg_span){.from = orr_time_seconds(b->from),
                          .to = orr_time_seconds(b->to),
                          .row = place * node_rows(h) + b->gpu + b->low / 1000.0,
                          .rows = b->milli < 1000 ? b->milli / 1000.0 : b->gpus,
                          .shade = size_shades[size_of(b->job_gpus)],
                          .broken = b->broken,
                          .tip = tip_of(b)};
}

static void schedule_note(const orr_run_holds *h, orr_text *note)
{
    char shown[ORR_DOUBLE_BUF], all[ORR_DOUBLE_BUF];
    orr_format_count(h->box_count, shown);
    orr_format_count(h->box_total, all);
    if (h->node_step > 1)
        orr_text_addf(note, "one node in %d, %d of %d; ", h->node_step, h->shown, h->nodes);
    if (h->box_total > h->box_count)
        orr_text_addf(note, "the %s boxes of %s with the most GPU time, %.2f %% of it; ", shown, all,
                      floor(10000 * h->shown_weight / h->all_weight) / 100);
    orr_text_addf(note, "the darker the more GPUs the job has; an orange end was cut short");
}

static void draw_schedule(const orr_run_holds *h, const orr_svg_frame *frame, const orr_svg_axis *x, orr_text *out)
{
    orr_svg_span *spans = orr_xcalloc(h->box_count, sizeof *spans);
    double bands[ORR_GANTT_NODES];
    char texts[ORR_GANTT_NODES][16];
    const char *labels[ORR_GANTT_NODES];
    for (size_t i = 0; i < h->box_count; i++)
        spans[i] = span_of(h, &h->boxes[i]);
    for (int32_t i = 0; i < h->shown; i++) {
        bands[i] = i * node_rows(h);
        snprintf(texts[i], sizeof *texts, "%d", i * h->node_step);
        labels[i] = texts[i];
    }
    const orr_svg_gantt gantt = {
        spans, h->box_count, h->shown * node_rows(h), bands, labels, (size_t)h->shown, size_classes, size_names, SIZES};
    orr_svg_spans(out, frame, x, &gantt);
    for (size_t i = 0; i < h->box_count; i++)
        free((char *)spans[i].tip);
    free(spans);
}

void orr_run_plot_schedule(const orr_run_holds *h, orr_time from, orr_time to, orr_text *out)
{
    orr_text note = {0};
    if (h->box_count == 0)
        return;
    const double pixels = fmin(9, fmax(2, 440 / (h->shown * node_rows(h))));
    schedule_note(h, &note);
    const orr_svg_frame frame = {.id = "schedule",
                                 .title = "Who held which GPU",
                                 .note = note.at,
                                 .height = (int)(pixels * h->shown * node_rows(h)),
                                 .wide = true};
    const orr_svg_axis x = clock_axis(from, to);
    draw_schedule(h, &frame, &x, out);
    orr_text_fini(&note);
}
