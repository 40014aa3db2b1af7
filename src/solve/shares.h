/* What the programs of shares with pairs give those without: each is the public function of like name in
 * <orrery/shares.h>, for problems that have pairs (it is right without, too, but slower). */
#ifndef ORR_SOLVE_SHARES_H
#define ORR_SOLVE_SHARES_H

#include <orrery/shares.h>

double orr_packed_max_min(const orr_share_problem *p, const double *need, double *x);
double orr_packed_finish(const orr_share_problem *p, const orr_share_finish *about, double *x);
void orr_packed_fill(const orr_share_problem *p, const orr_share_fill *how, double *x);

#endif
