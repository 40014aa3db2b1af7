/* Who is on which node, for the lifecycle's own use: entered when a hold begins, left when it ends or saving begins.
 * Whoever shares a GPU with them is disturbed. */
#ifndef ORR_JOB_TENANTS_H
#define ORR_JOB_TENANTS_H

#include "job/life.h"

void orr_tenants_enter(orr_life *life, orr_job *job);
/* Does nothing for one that has left already. */
void orr_tenants_leave(orr_life *life, orr_job *job);

#endif
