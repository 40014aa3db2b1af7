/* One simulation of one policy: driven with progress, limits and signals, written into its folder, and boiled down to
 * what the tables need, so that nothing of it has to stay in memory. */
#ifndef ORRERY_TOOL_RUN_H
#define ORRERY_TOOL_RUN_H

#include "cmd.h"
#include "report/report.h"
#include "scenario.h"

typedef struct run {
    const char *spec;
    char *dir; /* NULL: nothing is written */
    orr_sim_options options;
    orr_report_run report; /* what it points to lives here or in the scenario */
    orr_metrics *metrics;
    char *policy_resolved, *costs_resolved;
    orr_error error;
    orr_text json; /* summary, made if --json was given */
    double wall_s, decide_us[3]; /* the latter: p50, p99, max of a decision, -1: not timed */
    bool hit_wall;
    int status;
} run;

/* The options of all runs of a command, without the policy. */
orr_sim_options run_options(const settings *s, const orr_registry *registry);
/* Could a simulation of it be made? Costs as much as making one. */
orr_err run_check(const scenario *s, const orr_sim_options *options, orr_error *e);
/* `r` has spec, dir and options; `alone` makes its JSON a document to be read by itself. Says what goes
 * wrong; returns the exit status, which is also kept. */
int run_do(run *r, app *a, const scenario *s, const orr_measure *measure, bool alone);
void run_fini(run *r);

#endif
