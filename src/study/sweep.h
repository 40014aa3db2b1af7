/* Running a sweep: the cells of a plan over all cores, kept as they end, told when all are there.
 *
 * Cells share nothing but what was read before the first of them; each is simulated in a child process. A cell that
 * fails by its own doing (a policy that stalls or breaks the contract, a need that the scenario doesn't meet, a limit
 * that was hit) has a result all the same: its error. One that fails for another reason (no memory, a process that
 * died) has none, and is run again when the sweep is.
 *
 * A folder holds sweep.json (what is run, and digests of that and of the inputs), the cells (cells.h), and at the end
 * cells.csv, stats.csv and report.md. It can be taken up again at any time: finished cells are never run twice. What
 * comes out is the same whatever happened on the way.
 */
#ifndef ORR_STUDY_SWEEP_H
#define ORR_STUDY_SWEEP_H

#include "study/cells.h"
#include "study/grid.h"

typedef struct orr_sweep_progress {
    size_t cells;  /* to be done in all: those of the plan or of the shard */
    size_t found;  /* of them there when it began */
    size_t done;   /* finished since */
    size_t failed; /* of `done` */
} orr_sweep_progress;

typedef struct orr_sweep_options {
    const orr_registry *registry; /* NULL: the built-in modules */
    const char *const *plugins;   /* files that the registry was loaded from: inputs, too */
    size_t plugin_count;
    const char *dir;      /* NULL: nothing is written */
    bool force;           /* a folder of another sweep, or that holds something else, is used all the same */
    size_t shard, shards; /* the cells shard, shard + shards, …; 0, 0: all */
    size_t cell;          /* this one alone; 0: all */
    int jobs;             /* children at a time; 0: one a core */
    void *self;
    bool (*tick)(void *self, const orr_sweep_progress *progress); /* a few times a second; false stops; may be NULL */
    bool (*interrupted)(void); /* asked inside children: true ends a cell early; may be NULL */
} orr_sweep_options;

typedef struct orr_sweep orr_sweep;

/* Reads the inputs, checks every policy of the plan, and opens the folder. The plan and what the options point to are
 * borrowed. NULL and `e`: ORR_E_NOT_COMPARABLE where the folder holds a sweep of another plan or other inputs. */
orr_sweep *orr_sweep_create(const orr_sweep_plan *plan, const orr_sweep_options *options, orr_error *e);
void orr_sweep_destroy(orr_sweep *sweep); /* takes NULL; what is finished stays */
/* Runs the cells that aren't there. ORR_E_INTERRUPTED if `tick` stopped it. The first cell without a result, by number,
 * gives its error; the others are run first. */
orr_err orr_sweep_run(orr_sweep *sweep, orr_error *e);
const orr_sweep_progress *orr_sweep_progress_of(const orr_sweep *sweep);
orr_cells *orr_sweep_cells(orr_sweep *sweep);
/* Is this cell one of those to be run? */
bool orr_sweep_covers(const orr_sweep_options *options, size_t cell);

/* The files that tell of a whole sweep, into the folder of its cells. */
struct orr_sweep_results;
orr_err orr_sweep_write(const char *dir, const orr_sweep_plan *plan, const struct orr_sweep_results *results,
                        orr_error *e);

#endif
