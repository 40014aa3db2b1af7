/* The numbers of a sweep's cells, read back from their lines: a matrix that the tables are made from.
 *
 * O(bytes of the lines) time; memory 8 bytes a cell and metric.
 */
#ifndef ORR_STUDY_SWEEP_RESULTS_H
#define ORR_STUDY_SWEEP_RESULTS_H

#include "study/cells.h"
#include "study/grid.h"

/* What one cell says of itself. `code` is why it failed, ORR_OK if it didn't: then its numbers count. */
typedef struct orr_cell_state {
    orr_err code;
    bool there, biased;
} orr_cell_state;

typedef struct orr_sweep_results {
    size_t cells, metrics, failed;
    orr_cell_state *states; /* by cell - 1 */
    double *values;         /* [(cell - 1) * metrics + metric]; NaN: undefined */
} orr_sweep_results;

/* ORR_E_FORMAT for a line that isn't what a sweep writes. */
orr_err orr_sweep_results_load(const orr_sweep_plan *plan, const orr_cells *cells, orr_sweep_results *out,
                               orr_error *e);
void orr_sweep_results_fini(orr_sweep_results *results);

/* The values of one metric in the cells that differ in the repeats alone and didn't fail, in the order of the repeats:
 * `at` says the rest. NaN for a repeat that is left out, failed or has no such number. Returns how many repeats there
 * are. `out` holds as many as the axis has values, one if there is none. */
size_t orr_sweep_repeats(const orr_sweep_plan *plan, const orr_sweep_results *results,
                         const uint32_t at[ORR_SWEEP_AXES], size_t metric, double *out);
/* The values that are numbers move to the front; returns how many. */
size_t orr_sweep_defined(double *v, size_t n);

#endif
