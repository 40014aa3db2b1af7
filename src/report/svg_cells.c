/* Areas of many cells. Equal shades are one path, since a box each would be ten times the bytes; few cells are boxes
 * with tips. */
#include "base/mem.h"
#include "report/page.h"
#include "report/svg_frame.h"
#include <math.h>
#include <stdio.h>

enum { FEW = 200 };

static int shade_of(double v, double high)
{
    if (!(v > 0) || !(high > 0))
        return 0;
    const int shade = (int)ceil(v / high * (ORR_SVG_SHADES - 1));
    return shade < ORR_SVG_SHADES ? shade : ORR_SVG_SHADES - 1;
}

/* ---- heat ---- */

static void boxes(orr_text *out, const orr_svg_frame *f, const orr_svg_cells *c)
{
    const double width = 100 / (double)c->columns, height = f->height / (double)c->rows;
    char tip[128], value[ORR_DOUBLE_BUF], class[16];
    for (size_t i = 0; i < c->rows * c->columns; i++) {
        const size_t row = i / c->columns, column = i % c->columns;
        if (isnan(c->values[i]))
            continue;
        orr_format_double(c->values[i], value);
        snprintf(tip, sizeof tip, "%.20s %zu: %s %.20s", c->labels ? c->labels[row] : "", column, value, c->unit);
        snprintf(class, sizeof class, "h%d", shade_of(c->values[i], c->high));
        orr_svg_box(out, class, (double)column * width, (double)row * height, width * 0.94, height - 1, tip);
    }
}

/* Cells of one shade; neighbours in a row are joined. */
static void shade_path(orr_text *out, const orr_svg_frame *f, const orr_svg_cells *c, const int *shades, int shade)
{
    const double width = ORR_SVG_BOX / (double)c->columns, height = f->height / (double)c->rows;
    const double gap = height > 6 ? 1 : 0;
    bool any = false;
    for (size_t i = 0, end; i < c->rows * c->columns; i = end) {
        const size_t row = i / c->columns;
        for (end = i + 1; end < (row + 1) * c->columns && shades[end] == shades[i];)
            end++;
        if (shades[i] != shade)
            continue;
        if (!any)
            orr_text_addf(out, "<path class=\"h%d\" d=\"", shade);
        any = true;
        orr_text_addf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", (double)(i % c->columns) * width, (double)row * height,
                      (double)(end - i) * width, height - gap, (double)(end - i) * width);
    }
    if (any)
        orr_text_addf(out, "\"/>\n");
}

static void paths(orr_text *out, const orr_svg_frame *f, const orr_svg_cells *c)
{
    const size_t n = c->rows * c->columns;
    int *shades = orr_xmalloc(n * sizeof *shades);
    for (size_t i = 0; i < n; i++)
        shades[i] = isnan(c->values[i]) ? -1 : shade_of(c->values[i], c->high);
    orr_svg_stretch_begin(out, f);
    for (int shade = 0; shade < ORR_SVG_SHADES; shade++)
        shade_path(out, f, c, shades, shade);
    orr_svg_stretch_end(out);
    free(shades);
}

static void row_labels(orr_text *out, const orr_svg_frame *f, const orr_svg_cells *c)
{
    const double height = f->height / (double)c->rows;
    for (size_t i = 0; c->labels && i < c->rows; i++)
        if (c->labels[i])
            orr_svg_text_beside(out, 0, -8, ((double)i + 0.5) * height + 4, "end", c->labels[i]);
}

void orr_svg_heat(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_cells *cells)
{
    char low[64], middle[64], high[64], v[24];
    const char *const names[] = {low, middle, high};
    char half[16];
    const char *const classes[] = {"h0", half, "h9"};
    snprintf(half, sizeof half, "h%d", shade_of(0.5, 1));
    snprintf(low, sizeof low, "0");
    snprintf(middle, sizeof middle, "%s", orr_svg_brief(cells->high / 2, v));
    snprintf(high, sizeof high, "%s %.30s", orr_svg_brief(cells->high, v), cells->unit);
    const orr_svg_legend legend = {ORR_SVG_FILL, classes, names, 3};
    orr_svg_begin(out, frame, false, &legend);
    row_labels(out, frame, cells);
    if (cells->rows * cells->columns <= FEW)
        boxes(out, frame, cells);
    else
        paths(out, frame, cells);
    orr_svg_x_axis(out, frame, x, false);
    orr_svg_end(out, frame);
}

/* ---- a schedule ---- */

static void span(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_gantt *g,
                 const orr_svg_span *s)
{
    const double row = f->height / g->rows, from = orr_svg_x(x, s->from), to = orr_svg_x(x, s->to);
    const double height = s->rows * row - (row > 3 ? 1 : 0.5);
    char class[16];
    snprintf(class, sizeof class, "h%d", s->shade);
    orr_svg_box(out, class, from, s->row * row, fmax(to - from, 0.06), height, s->tip);
    if (s->broken)
        orr_svg_box(out, "broken", fmax(to - 0.12, from), s->row * row, 0.12, height, NULL);
}

void orr_svg_spans(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_gantt *gantt)
{
    const double row = frame->height / gantt->rows;
    const orr_svg_legend legend = {ORR_SVG_FILL, gantt->shades, gantt->names, gantt->shade_count};
    orr_svg_begin(out, frame, false, &legend);
    for (size_t i = 0; i < gantt->band_count; i++) {
        const double next = i + 1 < gantt->band_count ? gantt->bands[i + 1] : gantt->rows;
        orr_svg_line(out, "grid", 0, gantt->bands[i] * row, 100, gantt->bands[i] * row);
        orr_svg_text_beside(out, 0, -8, (gantt->bands[i] + next) / 2 * row + 4, "end", gantt->labels[i]);
    }
    for (size_t i = 0; i < gantt->n; i++)
        span(out, frame, x, gantt, &gantt->spans[i]);
    orr_svg_x_axis(out, frame, x, false);
    orr_svg_end(out, frame);
}
