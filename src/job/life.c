#include "job/life.h"

#include "job/progress.h"
#include "job/states.h"
#include "job/tenants.h"

#include <math.h>
#include <stdlib.h>

static void tell(orr_life *life, orr_job *job, orr_event_kind kind)
{
    orr_event event = {.kind = kind};
    if (life->notify)
        life->notify(life->notify_self, job, &event);
}

/* ---- holds ------------------------------------------------------------------------------------------------------- */

/* When the last of the former holders has left these GPUs: they may still be saving. */
static orr_time vacant_at(const orr_life *life, const orr_alloc *alloc)
{
    orr_time at = life->now;
    if (!life->cluster->free_at)
        return at;
    for (int32_t i = 0; i < alloc->count; i++) {
        orr_slice s = orr_slices(alloc)[i];
        for (uint64_t m = s.gpus; m; m &= m - 1) {
            orr_time t = life->cluster->free_at[(size_t)s.node * 64 + (size_t)orr_lowest_bit(m)];
            if (t > at)
                at = t;
        }
    }
    return at;
}

static void begin_hold(orr_life *life, orr_job *job, const orr_alloc *alloc)
{
    orr_life_set_held(life, job, alloc);
    job->hold_start = job->since = vacant_at(life, alloc);
    job->hold_overhead = 0;
    orr_tenants_enter(life, job);
    job->pace = 1.0;
    job->batch = (orr_batch){0};
    job->rate = life->rate(life->rate_self, job);
}

static void end_hold(orr_life *life, orr_job *job, orr_hold_end reason)
{
    orr_hold hold = {.job = job, .start = job->hold_start, .end = life->now, .overhead = job->hold_overhead,
                     .slices = orr_slices(&job->held), .slice_count = job->held.count, .gpus = job->held.gpus,
                     .milli = job->held.milli, .reason = reason};
    orr_tenants_leave(life, job);
    if (hold.end < hold.start) { /* its GPUs were never vacated for it */
        if (job->first_start == job->hold_start)
            job->first_start = ORR_TIME_NONE;
        return;
    }
    job->held_before += hold.end - hold.start;
    if (life->sink.hold)
        life->sink.hold(life->sink.self, &hold);
}

/* The run stops while it holds: reported, and still held as far as `report` is concerned. */
static void report_open_hold(orr_life *life, orr_job *job)
{
    orr_time before = job->held_before;
    end_hold(life, job, ORR_HOLD_OPEN);
    job->held_before = before;
}

static void give_back(orr_life *life, const orr_job *job, const orr_alloc *alloc)
{
    for (int32_t i = 0; i < alloc->count; i++) {
        const orr_slice *s = &orr_slices(alloc)[i];
        orr_cluster_give(life->cluster, s->node, s->gpus, orr_job_slice_share(job, s));
    }
}

/* Cores and memory are free from the preemption on; only the GPUs stay while state is saved. */
static orr_share share_kept(const orr_job *job, const orr_slice *s)
{
    return (orr_share){.milli = s->milli, .gpu_mem = job->gpu_mem, .holder = job->slot + 1};
}

static void give_back_kept(orr_life *life, const orr_job *job)
{
    for (int32_t i = 0; i < job->kept.count; i++) {
        const orr_slice *s = &orr_slices(&job->kept)[i];
        orr_cluster_give(life->cluster, s->node, s->gpus, share_kept(job, s));
    }
}

static void report_grant(const orr_life *life, const orr_job *job, orr_hold_end instead_of)
{
    const orr_grant grant = {.job = job, .at = life->now, .from = job->hold_start, .pay = job->debt, .rate = job->rate,
                             .slices = orr_slices(&job->held), .slice_count = job->held.count, .gpus = job->held.gpus,
                             .milli = job->held.milli, .instead_of = instead_of};
    if (life->sink.grant)
        life->sink.grant(life->sink.self, &grant);
}

/* Told when the instant is over: what it holds and its batch may still change in it. */
static void begins_work(orr_life *life, orr_job *job)
{
    if (!life->works || job->works_new)
        return;
    job->works_new = true;
    ORR_VEC_PUSH(&life->working, job);
}

static void run(orr_life *life, orr_job *job)
{
    orr_life_move_to(life, job, ORR_JOB_RUNNING, ORR_CAUSE_PAID);
    begins_work(life, job);
}

void orr_life_tune(orr_life *life, orr_job *job, orr_batch batch)
{
    if (batch.local == job->batch.local && batch.steps == job->batch.steps)
        return;
    job->batch = batch;
    orr_life_disturb(life, job);
    if (job->state == ORR_JOB_RUNNING)
        begins_work(life, job);
}

static void to_running_if_paid(orr_life *life, orr_job *job)
{
    if (job->debt == 0 && job->since <= life->now)
        run(life, job);
}

void orr_life_carry_on(orr_job *job)
{
    job->debt = 0;
}

void orr_life_start(orr_life *life, orr_job *job, const orr_alloc *alloc)
{
    orr_life_move_to(life, job, ORR_JOB_STARTING, ORR_CAUSE_START);
    begin_hold(life, job, alloc);
    job->starts++;
    if (job->first_start == ORR_TIME_NONE)
        job->first_start = job->hold_start;
    job->checkpointed = job->left;
    report_grant(life, job, ORR_HOLD_OPEN);
    to_running_if_paid(life, job);
    orr_progress_arm(life, job);
    orr_progress_arm_watches(life, job);
    tell(life, job, ORR_EV_STARTED);
}

/* Work done since the last periodic checkpoint is gone; returns how much. */
static orr_time lose_work(orr_life *life, orr_job *job)
{
    orr_time period = life->costs->checkpoint;
    if (period <= 0)
        return 0;
    orr_time since = (job->checkpointed - job->left) % period;
    job->left += since;
    /* as many GPU·ns on any number of GPUs: speed is linear */
    job->lost += (orr_wide)since * orr_life_asked_milli(job);
    return since;
}

static void wait_again(orr_life *life, orr_job *job, orr_event_kind kind)
{
    job->wait_since = life->now;
    orr_progress_arm_watches(life, job);
    tell(life, job, kind);
}

static orr_time delay_of(const orr_life *life, const orr_job *job, const orr_cost *cost, int32_t gpus)
{
    return life->costs->by_application && job->restart != ORR_TIME_NONE ? job->restart : orr_cost_of(cost, gpus);
}

/* A change of what it holds: besides what it owes still, or instead. */
static void owe_besides(const orr_life *life, orr_job *job, orr_time delay)
{
    job->debt = life->costs->unpaid == ORR_UNPAID_RENEW ? delay : orr_time_add(job->debt, delay);
}

static void owe(orr_life *life, orr_job *job, const orr_cost *cost)
{
    const orr_time delay = delay_of(life, job, cost, job->record->gpus);
    job->debt = life->costs->unpaid == ORR_UNPAID_KEEP ? orr_time_add(job->debt, delay) : delay;
}

/* Marks the GPUs as not vacated before `until`. */
static void vacate_late(orr_life *life, const orr_alloc *alloc, orr_time until)
{
    if (!life->cluster->free_at)
        life->cluster->free_at = orr_xcalloc((size_t)life->cluster->count * 64, sizeof(orr_time));
    for (int32_t i = 0; i < alloc->count; i++) {
        orr_slice s = orr_slices(alloc)[i];
        for (uint64_t m = s.gpus; m; m &= m - 1)
            life->cluster->free_at[(size_t)s.node * 64 + (size_t)orr_lowest_bit(m)] = until;
    }
}

static void accrue_saving(orr_life *life, orr_job *job)
{
    orr_time span = life->now - job->since;
    if (span <= 0)
        return;
    job->service += (orr_wide)span * job->held.milli;
    job->overhead += (orr_wide)span * job->held.milli;
    job->hold_overhead += span;
    job->since = life->now;
}

static void saved(orr_life *life, orr_job *job)
{
    accrue_saving(life, job);
    end_hold(life, job, ORR_HOLD_PREEMPTED);
    give_back_kept(life, job);
    orr_life_set_kept(life, job, NULL);
    orr_life_set_held(life, job, NULL);
    orr_life_move_to(life, job, ORR_JOB_QUEUED, ORR_CAUSE_SAVED);
    wait_again(life, job, ORR_EV_PREEMPTED);
}

static void report_preemption(const orr_life *life, const orr_job *job, orr_time until, orr_time lost)
{
    const orr_preemption preemption = {.job = job, .at = life->now, .until = until, .lost = lost};
    if (life->sink.preempt)
        life->sink.preempt(life->sink.self, &preemption);
}

void orr_life_preempt(orr_life *life, orr_job *job)
{
    orr_time lost = 0;
    orr_progress_accrue(life, job);
    orr_progress_disarm(life, job);
    orr_tenants_leave(life, job);
    if (job->hold_start <= life->now) { /* else its GPUs were never vacated for it: it owes what it owed */
        lost = lose_work(life, job);
        owe(life, job, &life->costs->restore);
    }
    job->preemptions++;
    life->counts.preemptions++;
    orr_life_move_to(life, job, ORR_JOB_CHECKPOINTING, ORR_CAUSE_PREEMPT);
    orr_time save = orr_cost_of(&life->costs->save, job->held.gpus);
    bool at_once = save == 0 || job->since > life->now;
    orr_time until = at_once ? life->now : orr_life_on_grid(life, orr_time_add(life->now, save));
    report_preemption(life, job, until, lost);
    if (at_once) {
        saved(life, job);
        return;
    }
    vacate_late(life, &job->held, until);
    job->since = life->now;
    orr_progress_arm_watches(life, job);
    job->paid_event = orr_progress_schedule(life, job, until, ORR_CLASS_END, ORR_LIFE_SAVED, 0);
    tell(life, job, ORR_EV_SAVING);
}

static uint64_t untaken(const orr_life *life, const orr_job *job, const orr_slice *s)
{
    const orr_node *n = &life->cluster->nodes[s->node];
    uint64_t left = s->gpus & n->idle;
    if (s->milli == ORR_WHOLE_GPU)
        return left;
    for (uint64_t m = s->gpus & n->shared; m; m &= m - 1) /* whether the node drains or not */
        if (orr_node_holds_part(n, orr_lowest_bit(m), share_kept(job, s)))
            left |= m & (~m + 1);
    return left;
}

/* The plan gave all of its GPUs back; those that nobody took stay with it until it has saved. */
void orr_life_hold_saving(orr_life *life, orr_job *job)
{
    if (job->state != ORR_JOB_CHECKPOINTING)
        return;
    orr_alloc kept = {0};
    for (int32_t i = 0; i < job->held.count; i++) {
        orr_slice s = orr_slices(&job->held)[i];
        s.gpus = untaken(life, job, &s);
        if (!s.gpus)
            continue;
        orr_alloc_append(&kept, s);
        orr_cluster_take(life->cluster, s.node, s.gpus, share_kept(job, &s));
    }
    orr_life_set_kept(life, job, &kept);
    orr_alloc_clear(&kept);
}

/* One that works already goes on at once, even if another still saves on its GPU. */
static void reshare(orr_life *life, orr_job *job, const orr_alloc *alloc)
{
    bool at_work = job->since <= life->now;
    end_hold(life, job, ORR_HOLD_RESHARED);
    begin_hold(life, job, alloc);
    if (at_work)
        job->hold_start = job->since = life->now;
    if (job->first_start == ORR_TIME_NONE)
        job->first_start = job->hold_start;
    life->counts.reshares++;
    report_grant(life, job, ORR_HOLD_RESHARED);
    orr_progress_arm(life, job);
    orr_progress_arm_watches(life, job);
    tell(life, job, ORR_EV_RESHARED);
}

void orr_life_change(orr_life *life, orr_job *job, const orr_alloc *alloc)
{
    orr_progress_accrue(life, job);
    if (orr_alloc_same_gpus(alloc, &job->held)) {
        reshare(life, job, alloc);
        return;
    }
    bool resize = alloc->gpus != job->held.gpus;
    end_hold(life, job, resize ? ORR_HOLD_RESIZED : ORR_HOLD_MIGRATED);
    orr_progress_disarm(life, job);
    orr_life_move_to(life, job, ORR_JOB_RESIZING, ORR_CAUSE_CHANGE);
    if (resize) {
        owe_besides(life, job, delay_of(life, job, &life->costs->resize, alloc->gpus));
        job->resizes++;
        life->counts.resizes++;
    } else {
        owe_besides(life, job, orr_time_add(orr_cost_of(&life->costs->save, alloc->gpus),
                                            delay_of(life, job, &life->costs->restore, alloc->gpus)));
        job->migrations++;
        life->counts.migrations++;
    }
    begin_hold(life, job, alloc);
    if (job->first_start == ORR_TIME_NONE)
        job->first_start = job->hold_start;
    report_grant(life, job, resize ? ORR_HOLD_RESIZED : ORR_HOLD_MIGRATED);
    to_running_if_paid(life, job);
    orr_progress_arm(life, job);
    orr_progress_arm_watches(life, job);
    tell(life, job, resize ? ORR_EV_RESIZED : ORR_EV_MIGRATED);
}

/* ---- the two ends ------------------------------------------------------------------------------------------------ */

/* What it had before the origin is no part of this run. */
static double service_here(const orr_life *life, const orr_job *job)
{
    return orr_gpu_seconds(orr_life_service(life, job) - (orr_wide)job->ran * orr_life_asked_milli(job));
}

static void report(orr_life *life, orr_job *job, orr_time end)
{
    orr_job_record r = {
        .job = job, .trace = job->record, .state = job->state, .reason = job->reason ? job->reason : "",
        .submit = job->submit, .first_start = job->first_start, .end = end, .held = orr_life_held(life, job) - job->ran,
        .service = service_here(life, job), .overhead = orr_gpu_seconds(job->overhead),
        .lost_work = orr_gpu_seconds(job->lost), .starts = job->starts, .preemptions = job->preemptions,
        .migrations = job->migrations, .resizes = job->resizes, .attempts = job->attempt + 1,
        .interruptions = job->interruptions};
    if (life->sink.job)
        life->sink.job(life->sink.self, &r);
}

static void unlink_job(orr_life *life, orr_job *job)
{
    if (job->previous)
        job->previous->next = job->next;
    else
        life->first = job->next;
    if (job->next)
        job->next->previous = job->previous;
    else
        life->last = job->previous;
    life->live--;
}

static void retire(orr_life *life, orr_job *job)
{
    for (int w = 0; w < ORR_WATCH_COUNT; w++)
        orr_queue_cancel(life->queue, job->watch_event[w]);
    report(life, job, life->now);
    tell(life, job, ORR_EV_ENDED);
    unlink_job(life, job);
    ORR_VEC_PUSH(&life->spare, job);
}

void orr_life_reject(orr_life *life, orr_job *job, const char *why)
{
    job->reason = why;
    orr_life_move_to(life, job, ORR_JOB_REJECTED, ORR_CAUSE_REJECT);
    life->counts.rejected++;
    retire(life, job);
}

void orr_life_kill(orr_life *life, orr_job *job, const char *why)
{
    job->reason = why;
    orr_progress_accrue(life, job);
    orr_progress_disarm(life, job);
    if (orr_holds(job))
        end_hold(life, job, ORR_HOLD_KILLED);
    orr_life_move_to(life, job, ORR_JOB_KILLED, ORR_CAUSE_KILL);
    orr_alloc_clear(&job->held);
    life->counts.killed++;
    retire(life, job);
}

void orr_life_interrupt(orr_life *life, orr_job *job, int32_t node)
{
    orr_interruption lost = {.job = job, .at = life->now, .node = node};
    if (job->state == ORR_JOB_CHECKPOINTING) { /* it had been charged for what a restore will miss */
        orr_queue_cancel(life->queue, job->paid_event);
        job->paid_event = 0;
        saved(life, job);
        return;
    }
    orr_progress_accrue(life, job);
    orr_progress_disarm(life, job);
    if (job->hold_start <= life->now) {
        lost.lost = lose_work(life, job);
        owe(life, job, &life->costs->restore);
    }
    job->interruptions++;
    life->counts.interruptions++;
    if (life->sink.interrupt)
        life->sink.interrupt(life->sink.self, &lost);
    end_hold(life, job, ORR_HOLD_INTERRUPTED);
    give_back(life, job, &job->held);
    orr_life_set_held(life, job, NULL);
    orr_life_move_to(life, job, ORR_JOB_QUEUED, ORR_CAUSE_INTERRUPT);
    wait_again(life, job, ORR_EV_INTERRUPTED);
}

void orr_life_cancel(orr_life *life, orr_job *job, const char *why)
{
    if (orr_holds(job))
        give_back(life, job, &job->held);
    orr_life_kill(life, job, why);
}

void orr_life_count_gpus(orr_life *life, int32_t node)
{
    int32_t vc = life->cluster->nodes[node].vc, total = orr_cluster_owners(life->cluster);
    life->levels[total].gpus_total = orr_cluster_pool(life->cluster, -1)->gpus;
    orr_life_mark_level(life, total);
    if (life->cluster->tenants) /* a quota stays what it is */
        return;
    life->levels[vc].gpus_total = orr_cluster_pool(life->cluster, vc)->gpus;
    orr_life_mark_level(life, vc);
}

static void retry(orr_life *life, orr_job *job)
{
    end_hold(life, job, ORR_HOLD_RETRIED);
    give_back(life, job, &job->held);
    orr_life_set_held(life, job, NULL);
    orr_life_move_to(life, job, ORR_JOB_QUEUED, ORR_CAUSE_RETRY);
    job->done_before += job->record->attempts[job->attempt];
    job->attempt++;
    job->left = job->record->attempts[job->attempt];
    job->debt = delay_of(life, job, &life->costs->start, job->record->gpus);
    life->counts.retries++;
    wait_again(life, job, ORR_EV_RETRIED);
}

static void finish(orr_life *life, orr_job *job)
{
    orr_progress_accrue(life, job);
    orr_progress_disarm(life, job);
    if (job->state != ORR_JOB_RUNNING) /* its delays end in the very instant in which it does */
        orr_life_move_to(life, job, ORR_JOB_RUNNING, ORR_CAUSE_PAID);
    job->left = 0;
    if (job->record->attempts && (uint32_t)job->attempt + 1 < job->record->attempt_count) {
        retry(life, job);
        return;
    }
    static const orr_job_state states[] = {ORR_JOB_DONE, ORR_JOB_FAILED, ORR_JOB_KILLED};
    static const orr_hold_end holds[] = {ORR_HOLD_DONE, ORR_HOLD_FAILED, ORR_HOLD_KILLED};
    orr_ending ending = job->record->ending;
    end_hold(life, job, holds[ending]);
    give_back(life, job, &job->held);
    orr_life_move_to(life, job, states[ending], ORR_CAUSE_FINISH);
    orr_alloc_clear(&job->held);
    uint64_t *counts[] = {&life->counts.done, &life->counts.failed, &life->counts.killed};
    ++*counts[ending];
    retire(life, job);
}

void orr_life_dispatch(orr_life *life, const orr_queued *event)
{
    orr_job *job = event->what;
    switch ((orr_life_event)event->kind) {
    case ORR_LIFE_END:
        job->end_event = 0;
        finish(life, job);
        break;
    case ORR_LIFE_PAID:
        job->paid_event = 0;
        orr_progress_accrue(life, job);
        run(life, job);
        break;
    case ORR_LIFE_SAVED:
        job->paid_event = 0;
        saved(life, job);
        break;
    case ORR_LIFE_WATCH: {
        orr_watched what = (orr_watched)event->cookie;
        orr_event told = {.kind = ORR_EV_THRESHOLD, .watched = what};
        job->watch_event[what] = 0;
        job->watch_value[what] = NAN;
        life->notify(life->notify_self, job, &told);
        break;
    }
    case ORR_LIFE_MARK:
        job->mark_event[event->cookie] = 0;
        job->mark[event->cookie] = 0;
        life->marked[event->cookie](life->marked_self[event->cookie], job);
        break;
    }
}

/* ---- coming in --------------------------------------------------------------------------------------------------- */

static orr_job *new_job(orr_life *life)
{
    if (life->spare.n) {
        orr_job *job = life->spare.at[--life->spare.n];
        uint32_t slot = job->slot;
        memset(job, 0, sizeof *job + life->priv_size);
        job->slot = slot;
        return job;
    }
    orr_job *job = orr_xcalloc(1, sizeof *job + life->priv_size);
    job->slot = life->slots++;
    return job;
}

orr_job *orr_life_submit(orr_life *life, const orr_trace_job *record, uint32_t index, int32_t vc, orr_time submit)
{
    orr_job *job = new_job(life);
    job->record = record;
    job->index = index;
    job->vc = vc;
    job->types = ORR_ANY_TYPE;
    job->speed_row = -1;
    job->step_rate = 1;
    job->gpu_mem = record->gpu_mem_bytes;
    job->least_gpus = record->min_gpus;
    job->most_gpus = record->max_gpus;
    job->submit = submit;
    job->first_start = ORR_TIME_NONE;
    job->believed = ORR_TIME_NONE;
    job->wait_since = life->now;
    job->left = record->attempts ? record->attempts[0] : record->duration;
    job->ran = record->ran == ORR_TIME_NONE ? 0 : record->ran;
    job->done_before = job->held_before = job->ran;
    job->service = (orr_wide)job->ran * orr_life_asked_milli(job);
    job->debt = orr_cost_of(&life->costs->start, record->gpus);
    job->restart = ORR_TIME_NONE;
    job->rate = job->pace = 1.0;
    for (int w = 0; w < ORR_WATCH_COUNT; w++)
        job->watch_value[w] = NAN;
    job->previous = life->last;
    if (life->last)
        life->last->next = job;
    else
        life->first = job;
    life->last = job;
    life->live++;
    life->counts.submitted++;
    orr_life_move_to(life, job, ORR_JOB_QUEUED, ORR_CAUSE_SUBMIT);
    return job;
}

void orr_life_init(orr_life *life, orr_queue *queue, orr_cluster *cluster, const orr_costs *costs, size_t priv_size)
{
    *life = (orr_life){.queue = queue, .cluster = cluster, .costs = costs, .priv_size = priv_size};
    life->tenants = orr_xcalloc((size_t)cluster->count + 1, sizeof *life->tenants);
    int32_t vcs = orr_cluster_owners(cluster);
    size_t levels = (size_t)vcs + 1;
    life->levels = orr_xcalloc(levels, sizeof *life->levels);
    life->level_changed = orr_xcalloc(levels, sizeof *life->level_changed);
    life->changed_vcs = orr_xcalloc(levels, sizeof *life->changed_vcs);
    for (int32_t v = 0; v < vcs; v++) {
        life->levels[v] = (orr_levels){.vc = v, .gpus_total = orr_cluster_quota(cluster, v)};
        orr_life_mark_level(life, v);
    }
    life->levels[vcs] = (orr_levels){.vc = -1, .gpus_total = orr_cluster_pool(cluster, -1)->gpus};
    orr_life_mark_level(life, vcs);
}

void orr_life_fini(orr_life *life)
{
    for (orr_job *job = life->first, *next; job; job = next) {
        next = job->next;
        orr_alloc_clear(&job->held);
        orr_alloc_clear(&job->kept);
        free(job);
    }
    for (size_t i = 0; i < life->spare.n; i++)
        free(life->spare.at[i]);
    ORR_VEC_FREE(&life->spare);
    ORR_VEC_FREE(&life->disturbed);
    ORR_VEC_FREE(&life->working);
    for (int32_t i = 0; i < life->cluster->count; i++)
        ORR_VEC_FREE(&life->tenants[i]);
    free(life->tenants);
    free(life->levels);
    free(life->level_changed);
    free(life->changed_vcs);
}

void orr_life_report_open(orr_life *life)
{
    for (orr_job *job = life->first; job; job = job->next) {
        if (job->state != ORR_JOB_QUEUED) {
            if (orr_holds(job))
                orr_progress_accrue(life, job);
            else
                accrue_saving(life, job);
            report_open_hold(life, job);
            life->counts.running_at_end++;
        } else {
            life->counts.queued_at_end++;
        }
        report(life, job, ORR_TIME_NONE);
    }
}

size_t orr_life_waiting(const orr_life *life, const orr_job **out, size_t n)
{
    size_t found = 0;
    for (const orr_job *job = life->first; job && found < n; job = job->next)
        if (job->state == ORR_JOB_QUEUED)
            out[found++] = job;
    return found;
}
