/* Runs one case and compares it, job by job, with what the reference simulator got. */
#ifndef TESTS_GOLDEN_COMPARE_H
#define TESTS_GOLDEN_COMPARE_H

#include "run.h"
#include "table.h"

typedef struct golden_case {
    char label[128];  /* "helios-300 fifo.consolidate" */
    char trace[1024], cluster[1024], expected[1024];
    char policy[1200];/* as ours is called */
    const char *costs;/* NULL: none */
} golden_case;

/* What of ours is the reference's policy. False: none; `reason` says why. `samples`: the file for Gittins. */
bool golden_helios_policy(const char *policy, const char *placer, golden_case *out, const char **reason);
bool golden_tiresias_policy(const char *schedule, const char *scheme, const char *samples, golden_case *out,
                            const char **reason);

/* Jobs that differ; the first of them is described on stdout. *first_end: the earliest end, theirs or ours, that
 * differs. */
size_t golden_helios_differ(const golden_case *c);
size_t golden_tiresias_differ(const golden_case *c, orr_time *first_end);

/* One line a case on stdout, which tools/test.sh counts. */
void golden_ran(const char *label);
void golden_skipped(const char *label, const char *reason);

#endif
