/* Plots with a name in each row. Names stand above their marks, so that a narrow screen has all its width for them. */
#include "report/svg_frame.h"
#include <math.h>
#include <stdio.h>

/* The top of row i, its text's line, its mark's top and height. */
typedef struct row_place {
    double text, top, height;
} row_place;

static row_place place_of(const orr_svg_frame *f, size_t n, size_t i)
{
    const double slot = f->height / (double)(n ? n : 1), height = fmin(9, slot * 0.3);
    const double top = (double)i * slot;
    return (row_place){top + slot * 0.4, top + slot * 0.4 + fmin(5, slot * 0.16), height};
}

static void row_texts(orr_text *out, row_place p, const char *name, const char *value)
{
    char label[128];
    orr_svg_text(out, 0, p.text, "ink halo", orr_svg_short(name, label));
    if (value)
        orr_svg_text(out, 100, p.text, "end halo", value);
}

/* ---- bars ---- */

static void one_bar(orr_text *out, const orr_svg_bar *b, row_place p, double most)
{
    char value[24], exact[ORR_DOUBLE_BUF];
    orr_text tip = {0};
    orr_format_double(b->value, exact);
    orr_text_addf(&tip, "%s: %s", b->label, b->tip ? b->tip : exact);
    row_texts(out, p, b->label, orr_svg_brief(b->value, value));
    orr_svg_box(out, "bar", 0, p.top, most > 0 ? 100 * b->value / most : 0, p.height, tip.at);
    orr_text_fini(&tip);
}

void orr_svg_rows(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, bars[i].value);
    orr_svg_begin(out, frame, true, NULL);
    for (size_t i = 0; i < n; i++)
        one_bar(out, &bars[i], place_of(frame, n, i), most);
    orr_svg_end(out, frame);
}

/* ---- distributions ---- */

static void whisker(orr_text *out, const orr_svg_axis *x, const orr_svg_spread *s, row_place p)
{
    const double middle = p.top + p.height / 2;
    char class[16];
    snprintf(class, sizeof class, "g%zu", s->colour % ORR_SVG_SERIES);
    orr_svg_line(out, class, orr_svg_x(x, s->q[0]), middle, orr_svg_x(x, s->q[4]), middle);
    const double from = orr_svg_x(x, s->q[1]), to = orr_svg_x(x, s->q[3]);
    snprintf(class, sizeof class, "f%zu", s->colour % ORR_SVG_SERIES);
    orr_svg_box(out, class, from, p.top, fmax(to - from, 0.4), p.height, s->tip);
    orr_text_addf(out, "<circle class=\"dot\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"3.5\"/>\n", orr_svg_x(x, s->q[2]), middle);
}

void orr_svg_spreads(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_spread *rows,
                     size_t n)
{
    orr_svg_begin(out, frame, true, NULL);
    orr_svg_x_axis(out, frame, x, true);
    if (x->scale == ORR_SVG_SYMLOG)
        orr_svg_line(out, "mid-line", orr_svg_x(x, 0), 0, orr_svg_x(x, 0), frame->height);
    for (size_t i = 0; i < n; i++) {
        const row_place p = place_of(frame, n, i);
        if (!isnan(rows[i].q[2]))
            whisker(out, x, &rows[i], p);
        row_texts(out, p, rows[i].name, rows[i].count);
    }
    orr_svg_end(out, frame);
}

/* ---- shares of a whole ---- */

static double part(orr_text *out, const char *class, const char *what, uint64_t n, uint64_t all, double from,
                   row_place p)
{
    char tip[96], count[ORR_DOUBLE_BUF];
    const double width = 100 * (double)n / (double)all;
    orr_format_count(n, count);
    snprintf(tip, sizeof tip, "%s: %s (%.1f %%)", what, count, width);
    if (n)
        orr_svg_box(out, class, from, p.top, width, p.height, tip);
    return from + width;
}

void orr_svg_splits(orr_text *out, const orr_svg_frame *frame, const orr_svg_split *rows, size_t n)
{
    static const char *const names[] = {"sooner", "equal", "later"};
    static const char *const classes[] = {"f0", "even", "f1"};
    const orr_svg_legend legend = {ORR_SVG_FILL, classes, names, 3};
    orr_svg_begin(out, frame, true, &legend);
    for (size_t i = 0; i < n; i++) {
        const row_place p = place_of(frame, n, i);
        const uint64_t all = rows[i].better + rows[i].equal + rows[i].worse;
        row_texts(out, p, rows[i].name, rows[i].count);
        if (!all)
            continue;
        double at = part(out, classes[0], names[0], rows[i].better, all, 0, p);
        at = part(out, classes[1], names[1], rows[i].equal, all, at, p);
        part(out, classes[2], names[2], rows[i].worse, all, at, p);
    }
    orr_svg_end(out, frame);
}
