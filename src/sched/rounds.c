/* Rounds: who is in the system, put in order every so often, and how many GPUs there are to be dealt out. */
#include "sched/ctx.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranked {
    double key;
    orr_job *job;
} ranked;

struct orr_rounds {
    orr_ctx *ctx;
    orr_rounds_rules rules;
    ORR_VEC(orr_job *) active, line;
    ORR_VEC(ranked) order;   /* scratch */
    ORR_VEC(int32_t) places; /* by job slot: where in `active` */
    ORR_VEC(bool) out;       /* by job slot: left out */
    int32_t *left;           /* by VC; the first for all where they share */
};

orr_rounds *orr_rounds_create(orr_ctx *ctx, const orr_rounds_rules *rules)
{
    orr_rounds *r = orr_xcalloc(1, sizeof *r);
    r->ctx = ctx;
    r->rules = *rules;
    r->left = orr_xcalloc((size_t)ctx->world->real->vcs, sizeof *r->left);
    ctx->rounds = r;
    if (rules->vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    orr_trigger_events(ctx, 1u << ORR_EV_SUBMITTED); /* one at the very time of a round belongs to it */
    orr_trigger_period(ctx, rules->period, 0);
    return r;
}

void orr_rounds_destroy(orr_rounds *r)
{
    if (!r)
        return;
    ORR_VEC_FREE(&r->active);
    ORR_VEC_FREE(&r->line);
    ORR_VEC_FREE(&r->order);
    ORR_VEC_FREE(&r->places);
    ORR_VEC_FREE(&r->out);
    free(r->left);
    free(r);
}

void orr_rounds_event(orr_rounds *r, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED) {
        while (r->places.n <= job->slot) {
            ORR_VEC_PUSH(&r->places, -1);
            ORR_VEC_PUSH(&r->out, false);
        }
        r->places.at[job->slot] = (int32_t)r->active.n;
        r->out.at[job->slot] = false;
        ORR_VEC_PUSH(&r->active, job);
    } else if (event->kind == ORR_EV_ENDED) {
        int32_t place = r->places.at[job->slot];
        orr_job *last = r->active.at[--r->active.n];
        r->active.at[place] = last;
        r->places.at[last->slot] = place;
    }
}

bool orr_rounds_due(const orr_rounds *r)
{
    return r->ctx->world->life->now % r->rules.period == 0;
}

orr_scope orr_rounds_scope(const orr_rounds *r, const orr_job *job)
{
    return (orr_scope){.vc = r->rules.vc == ORR_VC_SHARED ? -1 : job->vc};
}

int32_t *orr_rounds_left(orr_rounds *r, const orr_job *job)
{
    return &r->left[r->rules.vc == ORR_VC_SHARED ? 0 : job->vc];
}

void orr_rounds_leave_out(orr_rounds *r, const orr_job *job)
{
    r->out.at[job->slot] = true;
}

/* Rounds deal with whole GPUs, of jobs that wait or can be made to. */
static bool takes_part(const orr_rounds *r, const orr_job *job)
{
    bool whole = job->record->gpus > 0 && job->record->gpu_milli == ORR_WHOLE_GPU;
    return whole && !r->out.at[job->slot] && (job->state == ORR_JOB_QUEUED || (orr_holds(job) && job->record->preemptible));
}

static int by_key(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->job->index > y->job->index) - (x->job->index < y->job->index);
}

size_t orr_rounds_line_up(orr_rounds *r, double (*key)(orr_ctx *ctx, const orr_job *job), orr_job ***line)
{
    bool shared = r->rules.vc == ORR_VC_SHARED;
    for (int32_t vc = 0; vc < r->ctx->world->real->vcs; vc++)
        r->left[vc] = orr_scope_free(r->ctx, (orr_scope){.vc = shared ? -1 : vc});
    r->order.n = r->line.n = 0;
    for (size_t i = 0; i < r->active.n; i++) {
        orr_job *job = r->active.at[i];
        if (!takes_part(r, job))
            continue;
        *orr_rounds_left(r, job) += orr_holds(job) ? job->held.gpus : 0;
        double k = key(r->ctx, job);
        ORR_VEC_PUSH(&r->order, ((ranked){k == k ? k : INFINITY, job}));
    }
    if (r->order.n)
        qsort(r->order.at, r->order.n, sizeof *r->order.at, by_key);
    for (size_t i = 0; i < r->order.n; i++)
        ORR_VEC_PUSH(&r->line, r->order.at[i].job);
    r->ctx->world->jobs_examined += r->active.n;
    *line = r->line.at;
    return r->line.n;
}

size_t orr_rounds_count_in(orr_rounds *r)
{
    size_t in = 0, out = 0;
    for (size_t i = 0; i < r->line.n; i++) {
        orr_job *job = r->line.at[i];
        int32_t *left = orr_rounds_left(r, job), gpus = job->record->gpus;
        if (gpus > *left) {
            r->order.at[out++].job = job;
            continue;
        }
        *left -= gpus;
        r->line.at[in++] = job;
    }
    for (size_t i = 0; i < out; i++)
        r->line.at[in + i] = r->order.at[i].job;
    return in;
}

void orr_rounds_start_others(orr_rounds *r, orr_plan *plan)
{
    for (size_t i = 0; i < r->active.n; i++) {
        orr_job *job = r->active.at[i];
        if (job->state == ORR_JOB_QUEUED && !takes_part(r, job) && !orr_plan_held(plan, job))
            orr_plan_start_in(plan, job, orr_rounds_scope(r, job));
    }
}
