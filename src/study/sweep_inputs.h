/* What a sweep reads before its first cell: every trace and cluster of the plan, once; and what can be known to be
 * wrong without running anything. */
#ifndef ORR_STUDY_SWEEP_INPUTS_H
#define ORR_STUDY_SWEEP_INPUTS_H

#include "study/sweep_record.h"

/* Values that no run could take (an unknown policy, a knob out of range, costs that don't parse), each at its place in
 * the file. Needs that a trace doesn't meet are left to the cells. */
orr_err orr_sweep_check(const orr_sweep_plan *plan, const orr_registry *registry, orr_error *e);
/* Makes the stock read, or draw, all that the cells need, in their order, and notes the files; `cell` is one alone, 0
 * all. */
orr_err orr_sweep_load(const orr_sweep_plan *plan, orr_stock *stock, size_t cell, orr_sweep_inputs *inputs,
                       orr_error *e);

#endif
