/* Reading inputs and saying everything that the readers had to drop, repair or assume. */
#ifndef ORRERY_TOOL_SCENARIO_H
#define ORRERY_TOOL_SCENARIO_H

#include "cmd.h"
#include "study/case.h"

orr_trace_options scenario_trace_options(const settings *s);
/* Puts the part that was asked for in the place of the trace. */
orr_err scenario_select(const settings *s, orr_trace **trace, orr_error *e);
/* Says what the reader noted. NULL and `status` after saying why. */
orr_trace *scenario_trace(app *a, const char *path, int *status);
orr_cluster_spec *scenario_cluster(app *a, const char *what, int *status);
/* Says what a reader noted. */
void scenario_tell(say *s, const orr_trace *trace);
void scenario_tell_cluster(say *s, const orr_cluster_spec *cluster);
/* Under --werror: 65, after saying so, for a trace with drops, repairs or warnings; else 0. */
int scenario_refuse_warnings(app *a, const orr_trace *trace);
/* The cluster and the trace of a case into the stock; says what was noted. 0, or the exit status after saying what is
 * wrong. */
int scenario_load(app *a, orr_stock *stock, const orr_case *c);

#endif
