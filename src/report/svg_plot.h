/* Plots as SVG, without script, well-formed XML; values are in <title> elements where a pointer rests on single marks.
 *
 * In a page a plot is a <figure> as wide as its column; in a drawing (`frame.width` > 0) it is one <svg> element at its
 * place. Colours come by `orr_svg_style`, once a document, and follow the reader's light or dark scheme: one blue for
 * what stands alone, eight colours that the colour-blind tell apart, with dashes besides, for what is compared. Equal
 * values give equal bytes.
 */
#ifndef ORR_REPORT_SVG_PLOT_H
#define ORR_REPORT_SVG_PLOT_H

#include "base/text.h"
#include "report/svg_axis.h"

enum { ORR_SVG_SERIES = 8, ORR_SVG_SHADES = 10 };

typedef struct orr_svg_frame {
    const char *id;           /* of the figure, unique in a page; letters, digits, '-' */
    const char *title, *note; /* note: under the title; NULL: none */
    int height;               /* of the area, pixels */
    bool wide;                /* has a row of the page to itself */
    int width;                /* of a drawing, labels and title included; 0: in a page */
    double x, y;              /* within the drawing */
} orr_svg_frame;

/* The height of a drawing's frame, all included. */
int orr_svg_drawing_height(const orr_svg_frame *frame);

/* The rules of <style> that all plots of a document share. */
void orr_svg_style(orr_text *out);

/* ---- curves ---- */

typedef struct orr_svg_mark {
    double x, y;
    const char *label; /* "p50 1 h" */
} orr_svg_mark;

/* Points in the order of x. `steps`: y holds until the next x, else points are joined. */
typedef struct orr_svg_series {
    const char *name;
    const double *x, *y;
    size_t n;
    bool steps;
    bool faint; /* a hairline of the next series' colour, before it in the list, and without a place in the legend */
    const orr_svg_mark *marks;
    size_t mark_count;
} orr_svg_series;

/* At most ORR_SVG_SERIES that aren't faint; a single one is filled down to the axis if `fill`. */
void orr_svg_lines(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_axis *y,
                   const orr_svg_series *series, size_t n, bool fill);
/* Steps one upon another, the first lowest. All have the x of the first. `bound` is a dashed line above; NULL: none. */
void orr_svg_stack(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_axis *y,
                   const orr_svg_series *layers, size_t n, const orr_svg_series *bound);

/* ---- bars ---- */

typedef struct orr_svg_bar {
    const char *label, *tip; /* tip NULL: label and value */
    double value;
} orr_svg_bar;

void orr_svg_bars(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n);
/* A bar a line, label in front, value behind. */
void orr_svg_rows(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n);
/* Counts of [edges[i], edges[i + 1]) over an axis of any scale, with a dashed line at `rule`. */
void orr_svg_histogram(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const double *edges,
                       const uint64_t *counts, size_t n, double rule, const char *rule_label);

/* ---- rows of distributions and of shares ---- */

/* A hairline from q[0] to q[4], a bar from q[1] to q[3], a dot at q[2]; NaN: nothing is drawn. */
typedef struct orr_svg_spread {
    const char *name, *count, *tip; /* count stands at the right edge */
    double q[5];
    size_t colour; /* of this series */
} orr_svg_spread;

/* A line stands at 0 of a symlog axis. */
void orr_svg_spreads(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_spread *rows,
                     size_t n);

/* Of a whole: what is better, equal, worse; the rest is nothing. */
typedef struct orr_svg_split {
    const char *name, *count;
    uint64_t better, equal, worse;
} orr_svg_split;

void orr_svg_splits(orr_text *out, const orr_svg_frame *frame, const orr_svg_split *rows, size_t n);

/* ---- areas of cells ---- */

/* values[row * columns + column], the darker the more, `high` darkest; NaN: empty. `x` lies along all columns. Row
 * labels may be NULL, each or all. `unit` names the values in tips and legend. */
typedef struct orr_svg_cells {
    const double *values;
    size_t rows, columns;
    const char *const *labels;
    double high;
    const char *unit;
} orr_svg_cells;

void orr_svg_heat(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_cells *cells);

/* A box in a schedule: [from, to) along x; rows from the top; the shade is one of ORR_SVG_SHADES. */
typedef struct orr_svg_span {
    double from, to;
    double row, rows;
    int shade;
    bool broken; /* it ended before its time: a mark at its end */
    const char *tip;
} orr_svg_span;

/* Lines lie above the rows `bands[i]`, with labels below them. The legend: what boxes of the classes
 * shades[i] ("h0" … "h9") are. */
typedef struct orr_svg_gantt {
    const orr_svg_span *spans;
    size_t n;
    double rows;
    const double *bands;
    const char *const *labels;
    size_t band_count;
    const char *const *shades, *const *names;
    size_t shade_count;
} orr_svg_gantt;

void orr_svg_spans(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_gantt *gantt);

#endif
