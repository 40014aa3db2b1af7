/* Result folders written by hand. */
#ifndef MADE_H
#define MADE_H

#include "report/result.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What is NULL has a default: policy fifo, no costs, no rows. `jobs` has rows of
 * job_id,gpus,submit,first_start,end,state,jct,wait_total,duration,held,measured;
 * the other tables all their columns. */
typedef struct made {
    const char *policy, *costs, *trace_digest, *settings; /* the latter: members of the manifest's object */
    const char *metrics, *vcs;                            /* members of the summary's objects */
    const char *more;                                     /* members of the summary itself */
    int measured;
    bool biased;
    const char *jobs, *attempts, *timeline;
} made;

/* In a new folder; fails the test if it can't be opened. */
orr_result *made_result(const made *m);
/* Closes it and removes the folder and all in it. */
void made_remove(orr_result *result);

/* Writes a file into a folder, "" being one; and reads one: to be freed; the test fails if it isn't there. */
void made_file(const char *dir, const char *name, const char *text);
char *made_read(const char *dir, const char *name);

#endif
