/* What programs of this folder may do to a linear program beside <orrery/solve.h>. */
#ifndef ORR_SOLVE_LP_H
#define ORR_SOLVE_LP_H

#include <orrery/solve.h>

void orr_lp_is_scaled(orr_lp *lp); /* its rows and columns are near 1 as they are: don't scale them at every solve */
void orr_lp_put(orr_lp *lp, int32_t row, int32_t column, double value); /* in the place of what stands there */

#endif
