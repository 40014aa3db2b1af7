/* Curves and bars. */
#include "report/svg_plot.h"
#include "base/mem.h"
#include "report/page.h"
#include "report/svg_frame.h"
#include <math.h>
#include <stdio.h>

/* ---- curves ---- */

/* Places in a stretched box, one decimal. */
static void point(orr_text *out, const char *lead, double x, double y)
{
    orr_text_addf(out, "%s%.1f %.1f", lead, x, y);
}

static double box_x(const orr_svg_axis *axis, double v)
{
    return ORR_SVG_BOX * orr_svg_place(axis, v);
}

static void trace_path(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                       const orr_svg_series *s)
{
    double last = NAN;
    for (size_t i = 0; i < s->n; i++) {
        const double at = box_x(x, s->x[i]), height = orr_svg_y(f, y, s->y[i]);
        if (i && s->steps && fabs(height - last) < 0.05 && i + 1 < s->n)
            continue;
        if (i && s->steps)
            orr_text_addf(out, "H%.1fV%.1f", at, height);
        else
            point(out, i ? "L" : "M", at, height);
        last = height;
    }
}

static void area_below(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                       const orr_svg_series *s)
{
    if (s->n == 0)
        return;
    orr_text_addf(out, "<path class=\"fill\" d=\"");
    trace_path(out, f, x, y, s);
    orr_text_addf(out, "V%dH%.1fZ\"/>\n", f->height, box_x(x, s->x[0]));
}

static void curve(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                  const orr_svg_series *s, size_t number)
{
    if (s->n == 0)
        return;
    orr_text_addf(out, "<path class=\"%s%zu\" d=\"", s->faint ? "g" : "s", number);
    trace_path(out, f, x, y, s);
    orr_text_addf(out, "\"/>\n");
}

/* Labels stand left of their points where there is no room at the right. */
static void marks(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                  const orr_svg_series *s, size_t number)
{
    for (size_t i = 0; i < s->mark_count; i++) {
        const orr_svg_mark *m = &s->marks[i];
        const double across = orr_svg_x(x, m->x), down = orr_svg_y(f, y, m->y);
        const bool left = across > 55;
        orr_text_addf(out, "<circle class=\"t%zu\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"3.5\"/>\n", number, across, down);
        orr_svg_text_beside(out, across, left ? -8 : 8, left ? down - 4 : down + 13, left ? "ink halo end" : "ink halo",
                            m->label);
    }
}

static orr_svg_legend legend_of(const orr_svg_series *series, size_t n, orr_svg_swatch swatch,
                                const char *names[ORR_SVG_SERIES])
{
    static const char *const strokes[ORR_SVG_SERIES] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
    static const char *const fills[ORR_SVG_SERIES] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
    orr_svg_legend legend = {swatch, swatch == ORR_SVG_FILL ? fills : strokes, names, 0};
    for (size_t i = 0; i < n; i++)
        if (!series[i].faint && legend.n < ORR_SVG_SERIES)
            names[legend.n++] = series[i].name;
    legend.n = legend.n > 1 ? legend.n : 0;
    return legend;
}

void orr_svg_lines(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_axis *y,
                   const orr_svg_series *series, size_t n, bool fill)
{
    const char *names[ORR_SVG_SERIES];
    const orr_svg_legend legend = legend_of(series, n, ORR_SVG_STROKE, names);
    size_t number = 0;
    orr_svg_begin(out, frame, false, &legend);
    orr_svg_y_axis(out, frame, y);
    orr_svg_x_axis(out, frame, x, true);
    orr_svg_stretch_begin(out, frame);
    for (size_t i = 0; i < n && number < ORR_SVG_SERIES; i++) {
        if (fill && legend.n == 0 && !series[i].faint)
            area_below(out, frame, x, y, &series[i]);
        curve(out, frame, x, y, &series[i], number);
        number += !series[i].faint;
    }
    orr_svg_stretch_end(out);
    for (size_t i = 0; i < n && legend.n == 0; i++)
        marks(out, frame, x, y, &series[i], 0);
    orr_svg_end(out, frame);
}

/* ---- a stack ---- */

/* From a lower edge to an upper one, both steps over the same x. */
static void layer(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                  const orr_svg_series *edge, const double *below, size_t number)
{
    orr_text_addf(out, "<path class=\"f%zu\" d=\"", number);
    trace_path(out, f, x, y, edge);
    for (size_t i = edge->n; i-- > 1;)
        if (i + 1 == edge->n || fabs(below[i - 1] - below[i]) > 0 || i == 1)
            orr_text_addf(out, "V%.1fH%.1f", orr_svg_y(f, y, below[i - 1]), box_x(x, edge->x[i - 1]));
    orr_text_addf(out, "Z\"/>\n");
}

static void layers_of(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                      const orr_svg_series *layers, size_t n)
{
    const size_t points = layers[0].n;
    double *below = orr_xcalloc(points + 1, sizeof *below), *above = orr_xcalloc(points + 1, sizeof *above);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < points; i++)
            above[i] = below[i] + layers[k].y[i];
        const orr_svg_series edge = {.x = layers[0].x, .y = above, .n = points, .steps = true};
        layer(out, f, x, y, &edge, below, k);
        memcpy(below, above, points * sizeof *below);
    }
    free(below);
    free(above);
}

void orr_svg_stack(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_axis *y,
                   const orr_svg_series *layers, size_t n, const orr_svg_series *bound)
{
    const char *names[ORR_SVG_SERIES];
    const orr_svg_legend legend = legend_of(layers, n, ORR_SVG_FILL, names);
    orr_svg_begin(out, frame, false, &legend);
    orr_svg_y_axis(out, frame, y);
    orr_svg_x_axis(out, frame, x, true);
    orr_svg_stretch_begin(out, frame);
    if (n && layers[0].n)
        layers_of(out, frame, x, y, layers, n < ORR_SVG_SERIES ? n : ORR_SVG_SERIES);
    if (bound && bound->n) {
        orr_text_addf(out, "<path class=\"rule\" d=\"");
        trace_path(out, frame, x, y, bound);
        orr_text_addf(out, "\"/>\n");
    }
    orr_svg_stretch_end(out);
    if (bound && bound->n)
        orr_svg_text(out, 100, orr_svg_y(frame, y, bound->y[bound->n - 1]) - 5, "end halo", bound->name);
    orr_svg_end(out, frame);
}

/* ---- bars ---- */

static double most_of(const orr_svg_bar *bars, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = bars[i].value > most ? bars[i].value : most;
    return most;
}

static const char *tip_of(const orr_svg_bar *b, orr_text *scratch)
{
    char value[ORR_DOUBLE_BUF];
    if (b->tip)
        return b->tip;
    if (b->value == floor(b->value))
        orr_format_double(b->value, value);
    else
        orr_svg_brief(b->value, value);
    orr_text_clear(scratch);
    orr_text_addf(scratch, "%s: %s", b->label, value);
    return scratch->at;
}

/* Labels under bars are ticks in the middle of their places, as many as an axis has. */
static orr_svg_axis places_of(const orr_svg_bar *bars, size_t n)
{
    orr_svg_axis axis = orr_svg_places(n);
    const size_t step = n / (ORR_SVG_TICKS + 1) + 1;
    for (size_t i = 0; i < n; i += step)
        orr_svg_add_tick(&axis, (double)i + 0.5, bars[i].label);
    return axis;
}

void orr_svg_bars(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n)
{
    const orr_svg_axis y = orr_svg_numbers(most_of(bars, n)), x = places_of(bars, n);
    const double slot = 100 / (double)(n ? n : 1), gap = slot * 0.18;
    orr_text scratch = {0};
    orr_svg_begin(out, frame, false, NULL);
    orr_svg_y_axis(out, frame, &y);
    for (size_t i = 0; i < n; i++) {
        const double top = orr_svg_y(frame, &y, bars[i].value);
        orr_svg_box(out, "bar", (double)i * slot + gap / 2, top, slot - gap, frame->height - top,
                    tip_of(&bars[i], &scratch));
    }
    orr_svg_x_axis(out, frame, &x, false);
    orr_svg_end(out, frame);
    orr_text_fini(&scratch);
}

void orr_svg_histogram(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const double *edges,
                       const uint64_t *counts, size_t n, double rule, const char *rule_label)
{
    uint64_t most = 0;
    char tip[96], from[24], to[24], count[ORR_DOUBLE_BUF];
    for (size_t i = 0; i < n; i++)
        most = counts[i] > most ? counts[i] : most;
    const orr_svg_axis y = orr_svg_numbers((double)most);
    orr_svg_begin(out, frame, false, NULL);
    orr_svg_y_axis(out, frame, &y);
    for (size_t i = 0; i < n; i++) {
        const double left = orr_svg_x(x, edges[i]), right = orr_svg_x(x, edges[i + 1]);
        const double top = orr_svg_y(frame, &y, (double)counts[i]), gap = (right - left) * 0.1;
        orr_format_count(counts[i], count);
        snprintf(tip, sizeof tip, "%s to %s: %s", orr_svg_brief(edges[i], from), orr_svg_brief(edges[i + 1], to),
                 count);
        if (counts[i])
            orr_svg_box(out, "bar", left + gap / 2, top, right - left - gap, frame->height - top, tip);
    }
    orr_svg_x_axis(out, frame, x, false);
    const double at = orr_svg_x(x, rule);
    orr_svg_line(out, "rule", at, 0, at, frame->height);
    orr_svg_text_beside(out, at, at > 60 ? -6 : 6, 10, at > 60 ? "halo end" : "halo", rule_label);
    orr_svg_end(out, frame);
}
