/* How far a run has come: one line on a terminal, rewritten at most ten times a second; elsewhere nothing, or with -v
 * a plain line every 30 s; and one line whenever SIGUSR1 asks. Costs a clock reading every few instants. */
#ifndef ORRERY_TOOL_PROGRESS_H
#define ORRERY_TOOL_PROGRESS_H

#include "cmd.h"

typedef struct progress {
    const char *what; /* the policy's name */
    bool live, plain, shown;
    int width;
    double began, last; /* real seconds */
} progress;

/* Whether a line may be rewritten on stderr. */
bool progress_is_live(const app *a);
void progress_begin(progress *p, const app *a, const char *what);
/* `now` is orr_wall_seconds(). */
void progress_tick(progress *p, const orr_sim *sim, double now);
void progress_once(progress *p, const orr_sim *sim, double now);
/* Takes the line away. */
void progress_end(progress *p);

#endif
