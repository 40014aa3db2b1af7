/* What all plots stand in: colours, title, axes, legend. Inside src/report/svg_*.c only.
 *
 * A plot's area is as many pixels high as the frame says and as wide as there is room: whatever lies along x is placed
 * in percent of the width, so that texts and strokes keep their size from a phone to a wide screen. Curves are paths in
 * a box of 1000 units that is stretched over the area. Labels that would run into another on a narrow area are of a
 * class that shows only where there is room.
 */
#ifndef ORR_REPORT_SVG_FRAME_H
#define ORR_REPORT_SVG_FRAME_H

#include "report/svg_plot.h"

/* Of a drawing: what is left around the area. */
enum { ORR_SVG_LEFT = 58, ORR_SVG_RIGHT = 16, ORR_SVG_TOP = 46, ORR_SVG_BOTTOM = 30 };
enum { ORR_SVG_BOX = 1000 }; /* what a curve's area is wide */

typedef enum orr_svg_swatch { ORR_SVG_STROKE, ORR_SVG_FILL } orr_svg_swatch;

typedef struct orr_svg_legend {
    orr_svg_swatch swatch;
    const char *const *classes, *const *names;
    size_t n; /* 0: no legend */
} orr_svg_legend;

/* `flush`: no labels stand left of the area, which then begins at the edge. `legend` may be NULL. */
void orr_svg_begin(orr_text *out, const orr_svg_frame *frame, bool flush, const orr_svg_legend *legend);
void orr_svg_end(orr_text *out, const orr_svg_frame *frame);

void orr_svg_y_axis(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *axis);
/* `lines`: a line up from each tick, else a mark below the area. */
void orr_svg_x_axis(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *axis, bool lines);

double orr_svg_x(const orr_svg_axis *axis, double v);                             /* percent */
double orr_svg_y(const orr_svg_frame *frame, const orr_svg_axis *axis, double v); /* from the top */

/* `x` in percent, `y` in pixels. */
void orr_svg_text(orr_text *out, double x, double y, const char *class, const char *text);
/* Beside a point: `dx` pixels from it. */
void orr_svg_text_beside(orr_text *out, double x, double dx, double y, const char *class, const char *text);
void orr_svg_line(orr_text *out, const char *class, double x1, double y1, double x2, double y2);
/* A box with its tip; `x` and `width` in percent. */
void orr_svg_box(orr_text *out, const char *class, double x, double y, double width, double height, const char *tip);
/* Around paths in units of the stretched box. */
void orr_svg_stretch_begin(orr_text *out, const orr_svg_frame *frame);
void orr_svg_stretch_end(orr_text *out);

/* A name of at most 28 characters, cut between them. buf holds 128. */
const char *orr_svg_short(const char *name, char *buf);

#endif
