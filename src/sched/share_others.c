/* Rounds by shares: jobs that aren't dealt with, which start where the placer says: parts of GPUs, none at all, and
 * gangs for which no type alone has room. Whole gangs take turns beside them and would never leave them anything, so
 * that who has waited too long is waited for: rounds hold back as many GPUs as it asks, and more the longer that
 * doesn't help. In the end it is all of them, and whoever can run at all does. */
#include "sched/share_rounds.h"

#include <string.h>

enum { PATIENCE = 10 }; /* rounds */

static int32_t gpus_of(const orr_job *job)
{
    return job->record->gpus;
}

static bool waits(const orr_share_rounds *r, const orr_job *job)
{
    return job->state == ORR_JOB_QUEUED && (!r->plan || !orr_plan_held(r->plan, job));
}

/* While something is held back for one of them, the others that need GPUs wait. */
void orr_share_others_start(orr_share_rounds *r, orr_plan *plan)
{
    for (size_t i = 0; i < r->others.n; i++) {
        orr_job *job = r->others.at[i];
        if (!waits(r, job) || (r->held_for && job != r->held_for && gpus_of(job) > 0))
            continue;
        if (orr_plan_start_in(plan, job, (orr_scope){.vc = orr_share_pool_of(r, job)->vc}) == ORR_OK && job == r->held_for)
            orr_share_others_let_go(r);
    }
}

void orr_share_others_let_go(orr_share_rounds *r)
{
    r->held_for = NULL;
    memset(r->held_back, 0, (size_t)r->types * sizeof *r->held_back);
    r->freed = true;
}

/* The one that has waited longest. */
static orr_job *first_of(const orr_share_rounds *r)
{
    orr_job *first = NULL;
    for (size_t i = 0; i < r->others.n; i++) {
        orr_job *job = r->others.at[i];
        if (waits(r, job) && gpus_of(job) > 0 && (!first || job->submit < first->submit))
            first = job;
    }
    return first;
}

/* From the largest type on, so that it is one alone where that will do. */
static void hold_back(orr_share_rounds *r, const orr_job *job, int64_t need)
{
    const orr_share_pool *p = orr_share_pool_of(r, job);
    while (need > 0) {
        int32_t largest = -1;
        int64_t most = 0;
        for (int32_t k = 0; k < r->types; k++) {
            const int64_t gpus = orr_scope_gpus(r->ctx, (orr_scope){.vc = p->vc, .types = (uint64_t)1 << k});
            if (!r->held_back[k] && gpus > most && job->types & (uint64_t)1 << k) {
                largest = k;
                most = gpus;
            }
        }
        if (largest < 0)
            return;
        r->held_back[largest] = need < most ? need : most;
        need -= r->held_back[largest];
    }
}

void orr_share_others_reserve(orr_share_rounds *r)
{
    orr_job *job = first_of(r);
    orr_share_others_let_go(r);
    if (!job)
        return;
    const orr_time waited = r->ctx->world->life->now - job->submit;
    const int64_t times = waited / r->rules.round / PATIENCE;
    if (times < 1)
        return;
    r->held_for = job;
    hold_back(r, job, times * gpus_of(job));
}

void orr_share_leave_back(const orr_share_rounds *r, const orr_share_pool *p)
{
    for (int32_t k = 0; r->held_for && orr_share_pool_of(r, r->held_for) == p && k < r->types; k++)
        r->left[k] = r->left[k] > r->held_back[k] ? r->left[k] - r->held_back[k] : 0;
}
