/* Jobs that are submitted when others have ended: who waits for whom, and who is due when.
 *
 * Built once from the trace's links, in O(jobs + links), and not at all where no job has any: then `first` is NULL. An
 * end costs O(followers), a submission O(log due). What is due comes out by (time, place in the trace), so that the
 * order of ends within an instant doesn't show.
 */
#ifndef ORR_SIM_FOLLOW_H
#define ORR_SIM_FOLLOW_H

#include "base/mem.h"

#include <orrery/trace.h>

typedef struct orr_due {
    orr_time at;
    uint32_t job; /* its place in the trace */
} orr_due;

typedef struct orr_follow {
    size_t *first;   /* [jobs + 1]: those that wait for job i are followers[first[i]] to followers[first[i + 1] - 1] */
    uint32_t *followers;
    uint32_t *open;  /* [jobs]: predecessors that have not ended yet */
    ORR_VEC(orr_due) due; /* a binary heap */
} orr_follow;

/* Is its submission an event, instead of a time of the record? What ran at the origin waits for nobody. */
static inline bool orr_follows(const orr_trace_job *job)
{
    return job->after_count > 0 && job->ran == ORR_TIME_NONE;
}

void orr_follow_init(orr_follow *f, const orr_trace *trace);
void orr_follow_fini(orr_follow *f);
/* Calls `due` for every job that waited for this one and for no other any more; it answers when that one is due. */
typedef orr_time orr_due_time(void *self, const orr_trace_job *follower);
void orr_follow_ended(orr_follow *f, const orr_trace *trace, uint32_t job, orr_due_time *due, void *self);
/* Who is due first; NULL: nobody yet. */
const orr_due *orr_follow_first(const orr_follow *f);
void orr_follow_pop(orr_follow *f);

#endif
