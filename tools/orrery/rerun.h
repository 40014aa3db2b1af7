/* A run by its manifest: the settings it tells, and the inputs it was made from. */
#ifndef ORRERY_TOOL_RERUN_H
#define ORRERY_TOOL_RERUN_H

#include "conditions.h"

enum { RERUN_INPUTS = 7 };

typedef struct rerun {
    orr_arena arena; /* texts of the case and the rest */
    char *path;
    int argc;        /* the command line that was typed first */
    const char **argv;
    const char *digests[RERUN_INPUTS]; /* of the trace, the cluster, the profiles, the scenario, the throughput table,
                                        * the applications; NULL: it tells none */
} rerun;

/* Reads it into a case, and into the settings what a case doesn't know. Zeroed memory is a valid rerun to begin with.
 * ORR_E_OPEN, ORR_E_SYNTAX, ORR_E_FORMAT, ORR_E_VERSION, ORR_E_UNKNOWN_KEY, ORR_E_BAD_VALUE. */
orr_err rerun_read(rerun *r, const char *path, orr_case *c, settings *s, orr_error *e);
/* ORR_E_CHANGED if an input isn't what it was. */
orr_err rerun_check(const rerun *r, const orr_case *c, orr_stock *stock, orr_error *e);
void rerun_fini(rerun *r);

#endif
