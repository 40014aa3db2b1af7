/* Axes of plots: where a value lies between two ends, and the labelled ticks between them. Ticks are round numbers of
 * what people count in: 1, 2, 5 times a power of ten, parts of a day, quarters of a whole.
 */
#ifndef ORR_REPORT_SVG_AXIS_H
#define ORR_REPORT_SVG_AXIS_H

#include <orrery/api.h>
#include <stddef.h>

#define ORR_SVG_TICKS 24

typedef struct orr_svg_tick {
    double at;
    char label[24];
} orr_svg_tick;

typedef enum orr_svg_scale {
    ORR_SVG_LINEAR,
    ORR_SVG_LOG,   /* both ends > 0 */
    ORR_SVG_SYMLOG /* logarithmic on both sides of 0, linear about it: within `about` */
} orr_svg_scale;

typedef struct orr_svg_axis {
    double low, high; /* low < high */
    double about;
    orr_svg_scale scale;
    orr_svg_tick ticks[ORR_SVG_TICKS];
    size_t n;
} orr_svg_axis;

orr_svg_axis orr_svg_numbers(double high);               /* from 0 to `high`, rounded up */
orr_svg_axis orr_svg_shares(void);                       /* from 0 to 1, in percent */
orr_svg_axis orr_svg_durations(double low, double high); /* of seconds, logarithmic, from a tick on */
orr_svg_axis orr_svg_decades(double low, double high);   /* of numbers > 0, logarithmic, rounded to 1, 2, 5 */
orr_svg_axis orr_svg_changes(double low, double high);   /* of seconds, symlog, to ticks on both sides of 0 */
orr_svg_axis orr_svg_clock(double from, double to);      /* of seconds since the origin, as they are */
orr_svg_axis orr_svg_places(size_t n);                   /* from 0 to n: n places side by side, without ticks */
void orr_svg_add_tick(orr_svg_axis *axis, double at, const char *label); /* no more than ORR_SVG_TICKS */

/* Where `v` lies, 0 to 1; held at the ends. */
double orr_svg_place(const orr_svg_axis *axis, double v);
/* Four digits at most, with a letter for thousands and so on: "12.35k". buf holds 24. */
const char *orr_svg_brief(double v, char *buf);

#endif
