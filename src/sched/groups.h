/* Who belongs together: the active jobs of each trial group, for policies and for the scenario's early stop. A job
 * without a group is one of its own; its number is given to another when it has ended. */
#ifndef ORR_SCHED_GROUPS_H
#define ORR_SCHED_GROUPS_H

#include "job/job.h"

typedef struct orr_groups orr_groups;

orr_groups *orr_groups_create(void);
void orr_groups_destroy(orr_groups *groups); /* takes NULL */
/* A job comes: sets its `group`. O(length of the group's name). */
void orr_groups_enter(orr_groups *groups, orr_job *job);
void orr_groups_leave(orr_groups *groups, const orr_job *job); /* O(active jobs of the group) */
/* Those that have come and not left, as they came; borrowed until one comes or leaves. */
size_t orr_groups_members(const orr_groups *groups, int32_t group, orr_job *const **jobs);

#endif
