/* Policies that `compare` runs itself: their results are in a folder that is gone afterwards. */
#ifndef ORRERY_TOOL_COMPARE_RUNS_H
#define ORRERY_TOOL_COMPARE_RUNS_H

#include "run.h"

typedef struct compare_runs {
    char *dir;
    orr_registry *registry;
    orr_stock *stock;
    orr_arena arena;
    runs runs; /* in the order of the specs, each with its folder */
} compare_runs;

/* Says what goes wrong; the exit status. */
int compare_runs_do(compare_runs *r, app *a, const texts *specs);
/* Takes zeroed memory. */
void compare_runs_fini(compare_runs *r);

#endif
