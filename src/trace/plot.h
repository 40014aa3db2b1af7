/* Small plots for a terminal: plain characters, or Unicode blocks of an eighth of a cell where the terminal can show
 * them.
 */
#ifndef ORR_TRACE_PLOT_H
#define ORR_TRACE_PLOT_H

#include "base/text.h"

/* A horizontal bar of at most `width` cells, `most` filling them; what isn't zero shows. No newline. */
void orr_plot_bar(orr_text *out, double value, double most, int width, bool blocks);
/* Bars side by side, `cell` columns each, `height` lines, the largest value at the top; lines are indented. */
void orr_plot_columns(orr_text *out, const double *values, size_t n, int cell, int height, int indent, bool blocks);
/* One character for a share: '.' none, '1' … '9' tenths begun, '#' all. */
char orr_plot_tenth(uint64_t part, uint64_t whole);

#endif
