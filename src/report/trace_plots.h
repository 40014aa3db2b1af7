/* The plots of a trace. Inside src/report only. */
#ifndef ORR_REPORT_TRACE_PLOTS_H
#define ORR_REPORT_TRACE_PLOTS_H

#include "report/svg_plot.h"
#include "trace/describe.h"

/* Of half a drawing; the height of an area there and in a page. */
enum { ORR_PLOT_WIDTH = 520, ORR_PLOT_HEIGHT = 184 };

/* `frame` says where: the plot gives it id and texts. */
typedef void orr_trace_plot(const orr_description *d, orr_svg_frame frame, orr_text *out);

/* Those that say something about this trace, at most `size`. */
size_t orr_trace_plots(const orr_description *d, orr_trace_plot **plots, size_t size);

#endif
