/* What the runs of one command share: the jobs and the cluster. Loading says everything that the readers had to drop,
 * repair or assume. */
#ifndef ORRERY_TOOL_SCENARIO_H
#define ORRERY_TOOL_SCENARIO_H

#include "cmd.h"

typedef struct scenario {
    orr_trace *trace;
    orr_cluster_spec *cluster;
} scenario;

orr_trace_options scenario_trace_options(const settings *s);
/* Says what the reader noted. NULL and `status` after saying why. */
orr_trace *scenario_trace(app *a, const char *path, int *status);
/* Says what a reader noted about a trace. */
void scenario_tell(say *s, const orr_trace *trace);
/* Under --werror: 65, after saying so, for a trace with drops, repairs or warnings; else 0. */
int scenario_refuse_warnings(app *a, const orr_trace *trace);
orr_cluster_spec *scenario_cluster(app *a, const char *what, int *status);
/* 0, or the exit status after saying what is wrong. */
int scenario_load(scenario *s, app *a);
void scenario_fini(scenario *s);

#endif
