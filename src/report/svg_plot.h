/* Plots as SVG: lines and steps over axes, bars, rows of bars, a heat map. Each is one <svg> element of a fixed size
 * that scales, without script, well-formed XML; the values are in <title> elements where a pointer rests. Colours come
 * by `orr_svg_style`, once a document, and follow the reader's light or dark scheme. Equal values give equal bytes.
 */
#ifndef ORR_REPORT_SVG_PLOT_H
#define ORR_REPORT_SVG_PLOT_H

#include "base/text.h"

#define ORR_SVG_TICKS 24

typedef struct orr_svg_frame {
    const char *title, *note; /* note: under the title; NULL: none */
    double x, y;              /* within an outer drawing; 0, 0 in a page */
    int width, height;
} orr_svg_frame;

typedef struct orr_svg_tick {
    double at;
    char label[24];
} orr_svg_tick;

typedef struct orr_svg_axis {
    double low, high; /* low < high; both > 0 if log */
    bool log;
    orr_svg_tick ticks[ORR_SVG_TICKS];
    size_t n;
} orr_svg_axis;

orr_svg_axis orr_svg_numbers(double high);                               /* from 0 to `high`, rounded up */
orr_svg_axis orr_svg_shares(void);                                       /* from 0 to 1, in percent */
orr_svg_axis orr_svg_durations(double low, double high);                 /* of seconds, logarithmic, rounded to ticks */
void orr_svg_add_tick(orr_svg_axis *axis, double at, const char *label); /* no more than ORR_SVG_TICKS */

/* Points in the order of x. `steps`: y holds until the next x, else points are joined. */
typedef struct orr_svg_series {
    const char *name;
    const double *x, *y;
    size_t n;
    bool steps;
} orr_svg_series;

typedef struct orr_svg_bar {
    const char *label, *tip; /* tip NULL: label and value */
    double value;
} orr_svg_bar;

/* The rules of <style> that all plots of a document share. */
void orr_svg_style(orr_text *out);
/* At most 3 series. */
void orr_svg_lines(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_axis *y,
                   const orr_svg_series *series, size_t n);
void orr_svg_bars(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n);
/* A bar a line, label in front, value behind. */
void orr_svg_rows(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n);
/* values[row * columns + column], the darker the more; columns are numbered from 0. */
void orr_svg_heat(orr_text *out, const orr_svg_frame *frame, const double *values, const char *const *rows, size_t n,
                  size_t columns);

#endif
