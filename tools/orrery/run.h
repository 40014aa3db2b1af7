/* The runs of one command: a case each, one after the other or side by side, told in their order. */
#ifndef ORRERY_TOOL_RUN_H
#define ORRERY_TOOL_RUN_H

#include "cmd.h"
#include "study/case.h"

typedef struct run {
    orr_case setup;
    char *dir;              /* owned; NULL: nothing is written */
    orr_case_result result; /* has a report if the run began */
    orr_error error;        /* why it could not begin */
    bool over;              /* and result or error say how it went */
} run;

typedef struct runs {
    app *a;
    orr_stock *stock;
    run *at;
    size_t n;
    int argc; /* the command line for the manifests */
    const char *const *argv;
    const orr_case_extra *extras;
    size_t extra_count;
    const char *const *write; /* as of orr_case_hooks */
    /* of the call under way */
    size_t told;   /* so many have been told about */
    size_t ended;
    double last;
    bool side_by_side, shown;
    int status;
} runs;

/* Runs all of them, up to `jobs` side by side, and says what goes wrong; the exit status. An interrupt ends those under
 * way early and begins no more. */
int runs_do(runs *r, int jobs);
void runs_fini(runs *r);

#endif
