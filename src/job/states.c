#include "job/states.h"

/* Which changes are legal, and why. */
static const struct {
    orr_job_state from, to;
    orr_cause why;
} legal[] = {
    {ORR_JOB_PENDING, ORR_JOB_QUEUED, ORR_CAUSE_SUBMIT},
    {ORR_JOB_QUEUED, ORR_JOB_REJECTED, ORR_CAUSE_REJECT},
    {ORR_JOB_QUEUED, ORR_JOB_STARTING, ORR_CAUSE_START},
    {ORR_JOB_STARTING, ORR_JOB_RUNNING, ORR_CAUSE_PAID},
    {ORR_JOB_RESIZING, ORR_JOB_RUNNING, ORR_CAUSE_PAID},
    {ORR_JOB_STARTING, ORR_JOB_CHECKPOINTING, ORR_CAUSE_PREEMPT},
    {ORR_JOB_RUNNING, ORR_JOB_CHECKPOINTING, ORR_CAUSE_PREEMPT},
    {ORR_JOB_RESIZING, ORR_JOB_CHECKPOINTING, ORR_CAUSE_PREEMPT},
    {ORR_JOB_CHECKPOINTING, ORR_JOB_QUEUED, ORR_CAUSE_SAVED},
    {ORR_JOB_STARTING, ORR_JOB_RESIZING, ORR_CAUSE_CHANGE},
    {ORR_JOB_RUNNING, ORR_JOB_RESIZING, ORR_CAUSE_CHANGE},
    {ORR_JOB_RESIZING, ORR_JOB_RESIZING, ORR_CAUSE_CHANGE},
    {ORR_JOB_RUNNING, ORR_JOB_DONE, ORR_CAUSE_FINISH},
    {ORR_JOB_RUNNING, ORR_JOB_FAILED, ORR_CAUSE_FINISH},
    {ORR_JOB_RUNNING, ORR_JOB_KILLED, ORR_CAUSE_FINISH},
    {ORR_JOB_RUNNING, ORR_JOB_QUEUED, ORR_CAUSE_RETRY},
    {ORR_JOB_QUEUED, ORR_JOB_KILLED, ORR_CAUSE_KILL},
    {ORR_JOB_STARTING, ORR_JOB_KILLED, ORR_CAUSE_KILL},
    {ORR_JOB_RUNNING, ORR_JOB_KILLED, ORR_CAUSE_KILL},
    {ORR_JOB_RESIZING, ORR_JOB_KILLED, ORR_CAUSE_KILL},
    {ORR_JOB_STARTING, ORR_JOB_QUEUED, ORR_CAUSE_INTERRUPT},
    {ORR_JOB_RUNNING, ORR_JOB_QUEUED, ORR_CAUSE_INTERRUPT},
    {ORR_JOB_RESIZING, ORR_JOB_QUEUED, ORR_CAUSE_INTERRUPT},
};

static bool is_legal(orr_job_state from, orr_job_state to, orr_cause why)
{
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        if (legal[i].from == from && legal[i].to == to && legal[i].why == why)
            return true;
    return false;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

void orr_life_mark_level(orr_life *life, int32_t vc)
{
    if (life->level_changed[vc])
        return;
    life->level_changed[vc] = true;
    life->changed_vcs[life->changed_count++] = vc;
}

int64_t orr_life_asked_milli(const orr_job *job)
{
    return (int64_t)job->record->gpus * job->record->gpu_milli;
}

static void count_state(const orr_job *job, orr_levels *l, int sign)
{
    switch (job->state) {
    case ORR_JOB_QUEUED:
        l->jobs_queued += sign;
        l->milli_queued += sign * orr_life_asked_milli(job);
        break;
    case ORR_JOB_RUNNING:
        l->milli_busy += sign * job->held.milli;
        l->jobs_running += sign;
        l->milli_held += sign * job->held.milli;
        break;
    case ORR_JOB_CHECKPOINTING:
        l->jobs_running += sign;
        l->milli_held += sign * job->kept.milli;
        break;
    case ORR_JOB_STARTING:
    case ORR_JOB_RESIZING:
        l->jobs_running += sign;
        l->milli_held += sign * job->held.milli;
        break;
    default:
        break;
    }
}

static void count_job(orr_life *life, const orr_job *job, int sign)
{
    int32_t total = orr_cluster_owners(life->cluster);
    count_state(job, &life->levels[total], sign);
    orr_life_mark_level(life, total);
    if (job->vc < 0) /* of a VC that isn't there: about to be refused */
        return;
    count_state(job, &life->levels[job->vc], sign);
    orr_life_mark_level(life, job->vc);
}

/* Out of the counters, change, back in. */
void orr_life_move_to(orr_life *life, orr_job *job, orr_job_state to, orr_cause why)
{
    ORR_ASSERT(is_legal(job->state, to, why), "a job changed state in a way that the lifecycle doesn't know");
    count_job(life, job, -1);
    job->state = to;
    count_job(life, job, 1);
}

void orr_life_set_held(orr_life *life, orr_job *job, const orr_alloc *alloc)
{
    count_job(life, job, -1);
    if (alloc)
        orr_alloc_copy(&job->held, alloc);
    else
        orr_alloc_clear(&job->held);
    count_job(life, job, 1);
}

void orr_life_set_kept(orr_life *life, orr_job *job, const orr_alloc *alloc)
{
    count_job(life, job, -1);
    if (alloc)
        orr_alloc_copy(&job->kept, alloc);
    else
        orr_alloc_clear(&job->kept);
    count_job(life, job, 1);
}
