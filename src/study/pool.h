/* Work in parallel that shares nothing: numbered pieces, each done in a child process, whose bytes come back over a
 * line. Children are forked once, so they have what the parent had read until then, and take pieces in order as they
 * get free. What comes out depends on the pieces alone, never on how many children there were or who was first.
 */
#ifndef ORR_STUDY_POOL_H
#define ORR_STUDY_POOL_H

#include "base/text.h"
#include <orrery/error.h>

typedef struct orr_pool_work {
    void *self;
    /* In a child (or, with one job, in this process): does piece `i`, puts its bytes into `out`. A failure is sent to
     * the parent as it is. */
    orr_err (*piece)(void *self, size_t i, orr_text *out, orr_error *e);
    /* In the parent, in the order in which pieces end: `error` is NULL, or why it failed; then `bytes` may be partial.
     * False: no more pieces are begun. */
    bool (*done)(void *self, size_t i, const orr_text *bytes, const orr_error *error);
    /* In the parent, a few times a second while it waits, and before each piece with one job; false stops: no more
     * pieces are begun, and children at one get SIGINT, so that a piece which handles it ends early and comes back
     * as it is; one that doesn't is an error ORR_E_INTERRUPTED. May be NULL. */
    bool (*tick)(void *self);
} orr_pool_work;

/* Does the pieces `list[0..n)` with up to `jobs` children; 0: one a core of those that this process may use; 1:
 * none, it is done here. A child that dies is an error of the piece it was at (ORR_E_INVARIANT, naming the signal;
 * ORR_E_MEMORY), and another takes its place. ORR_E_RESOURCE if no child can be made, or none instead of the last
 * one. Errors of pieces are not errors of the call. */
orr_err orr_pool_run(const orr_pool_work *work, const size_t *list, size_t n, int jobs, orr_error *e);

#endif
