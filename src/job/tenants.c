#include "job/tenants.h"

#include "job/progress.h"

double orr_gpu_seconds(orr_wide milli_ns)
{
    if (milli_ns % ORR_WHOLE_GPU == 0)
        return (double)(milli_ns / ORR_WHOLE_GPU) / 1e9;
    return (double)milli_ns / (1e9 * ORR_WHOLE_GPU);
}

/* ---- who shares -------------------------------------------------------------------------------------------------- */

/* The GPUs of a node that a job holds in parts. */
static uint64_t parts_on(const orr_job *job, int32_t node)
{
    for (int32_t i = 0; i < job->held.count; i++) {
        const orr_slice *s = &orr_slices(&job->held)[i];
        if (s->node == node)
            return s->milli < ORR_WHOLE_GPU ? s->gpus : 0;
    }
    return 0;
}

int32_t orr_life_residents(const orr_life *life, int32_t node, int gpu, orr_job **out, int32_t n)
{
    const orr_tenants *all = &life->tenants[node];
    int32_t found = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (!(parts_on(all->at[i], node) >> gpu & 1))
            continue;
        if (found < n)
            out[found] = all->at[i];
        found++;
    }
    return found;
}

void orr_life_each_sharer(const orr_life *life, const orr_job *job, void (*each)(void *self, orr_job *other), void *self)
{
    for (int32_t i = 0; i < job->held.count; i++) {
        const orr_slice *s = &orr_slices(&job->held)[i];
        const orr_tenants *all = &life->tenants[s->node];
        for (size_t k = 0; s->milli < ORR_WHOLE_GPU && k < all->n; k++)
            if (all->at[k] != job && parts_on(all->at[k], s->node) & s->gpus)
                each(self, all->at[k]);
    }
}

static void disturb(void *life, orr_job *job)
{
    orr_life_disturb(life, job);
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */

static void tell_links(const orr_life *life, orr_job *job, bool holds)
{
    if (life->moved)
        life->moved(life->links_self, job, holds);
}

void orr_tenants_enter(orr_life *life, orr_job *job)
{
    for (int32_t i = 0; i < job->held.count; i++)
        ORR_VEC_PUSH(&life->tenants[orr_slices(&job->held)[i].node], job);
    job->settled = true;
    orr_life_each_sharer(life, job, disturb, life);
    tell_links(life, job, true);
}

static void remove_from(orr_tenants *all, const orr_job *job)
{
    size_t k = 0;
    while (k < all->n && all->at[k] != job)
        k++;
    if (k == all->n)
        return;
    all->n--;
    memmove(all->at + k, all->at + k + 1, (all->n - k) * sizeof *all->at);
}

void orr_tenants_leave(orr_life *life, orr_job *job)
{
    if (!job->settled)
        return;
    job->settled = false;
    orr_life_each_sharer(life, job, disturb, life);
    for (int32_t i = 0; i < job->held.count; i++)
        remove_from(&life->tenants[orr_slices(&job->held)[i].node], job);
    tell_links(life, job, false);
}

/* ---- speeds ------------------------------------------------------------------------------------------------------ */

void orr_life_disturb(orr_life *life, orr_job *job)
{
    if (job->rate_dirty)
        return;
    job->rate_dirty = true;
    ORR_VEC_PUSH(&life->disturbed, job);
}

static bool rerate(orr_life *life, orr_job *job)
{
    double rate = life->rate(life->rate_self, job) * job->pace;
    if (rate == job->rate)
        return false;
    const orr_speed speed = {.job = job, .at = life->now, .rate = rate};
    const orr_event event = {.kind = ORR_EV_SPEED};
    orr_progress_accrue(life, job);
    job->rate = rate;
    orr_progress_arm(life, job);
    life->counts.speed_changes++;
    if (life->sink.speed)
        life->sink.speed(life->sink.self, &speed);
    if (life->notify)
        life->notify(life->notify_self, job, &event);
    return true;
}

bool orr_life_settle(orr_life *life)
{
    bool any = false;
    if (life->links)
        life->links(life->links_self);
    for (size_t i = 0; i < life->disturbed.n; i++) {
        orr_job *job = life->disturbed.at[i];
        bool dirty = job->rate_dirty; /* of one that has ended meanwhile, or is another job by now, it isn't set */
        job->rate_dirty = false;
        any |= dirty && orr_holds(job) && rerate(life, job);
    }
    life->disturbed.n = 0;
    for (size_t i = 0; i < life->working.n; i++) {
        orr_job *job = life->working.at[i];
        const bool now = job->works_new && job->state == ORR_JOB_RUNNING; /* the struct may be another job's by now */
        job->works_new = false;
        if (now)
            life->works(life->works_self, job);
    }
    life->working.n = 0;
    return any;
}
