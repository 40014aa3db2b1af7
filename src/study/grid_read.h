/* Between the two halves of reading a plan: its values (grid_read.c) and its shape (grid.c). */
#ifndef ORR_STUDY_GRID_READ_H
#define ORR_STUDY_GRID_READ_H

#include "study/grid.h"

/* All values that an element of the file stands for: a scalar itself, A..B the integers
 * from A to B, {name: …, knobs: {…}} of a policy every combination of the knobs. */
orr_err orr_axis_read(orr_sweep_plan *plan, orr_axis *axis, const orr_yaml *element, orr_error *e);
/* {axis: value or list of values}: sets, for each axis that is named, named[axis] and the flags of its values there,
 * picked[axis][value]. The flags belong to the plan's arena. */
orr_err orr_assignment_read(orr_sweep_plan *plan, const orr_yaml *map, const char *what, bool named[ORR_SWEEP_AXES],
                            bool *picked[ORR_SWEEP_AXES], orr_error *e);

/* A key, an expression, {metric: KEY OR EXPRESSION, better: lower|higher}, or a list of these. */
orr_err orr_sweep_metrics_read(orr_sweep_plan *plan, const orr_yaml *v, orr_error *e);
void orr_sweep_metrics_default(orr_sweep_plan *plan);

#endif
