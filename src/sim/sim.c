/* The run: one instant after another. All events of an instant are dealt with, in the order of their classes; then the
 * policy decides once; if that made new events in the same instant, they are dealt with and it decides again. */
#include "sim/sim.h"

#include "serve/nodes.h"

#include <stdlib.h>

enum { SERVING_PORTION = 1000000000 }; /* ns */
enum { SERVING_EVENTS = 16384 };       /* between two steps of a simulation that only serves */

static void dispatch(orr_sim *sim, const orr_queued *event)
{
    sim->life.counts.events++;
    sim->life.counts.ties += event->at == sim->last_at && event->class_ == sim->last_class;
    sim->last_at = event->at;
    sim->last_class = event->class_;
    if (event->class_ == ORR_CLASS_DECIDE) {
        sim->decide_event = 0;
        sim->world.decide = true;
        orr_ctx_on_timer(sim->policy, ORR_COOKIE_DRIVER);
    } else if (event->kind >= ORR_CAPACITY_FIRST && event->kind < ORR_CAPACITY_END) {
        orr_capacity_dispatch(sim, event);
    } else if (event->kind == ORR_WORLD_TIMER) {
        orr_world_fire(&sim->world, event);
    } else if (event->kind != ORR_WORLD_STIR) {
        orr_life_dispatch(&sim->life, event);
    }
}

static void submit_due(orr_sim *sim, orr_time at)
{
    while (orr_sim_next_submit(sim) == at) {
        orr_queued event = {.at = at, .class_ = ORR_CLASS_SUBMIT};
        sim->life.counts.events++;
        sim->life.counts.ties += at == sim->last_at && sim->last_class == event.class_;
        sim->last_at = at;
        sim->last_class = event.class_;
        orr_sim_submit_next(sim);
    }
}

static void deal_with_instant(orr_sim *sim, orr_time at)
{
    orr_queue *q = sim->world.queue;
    for (;;) {
        const orr_queued *head = orr_queue_peek(q);
        bool now = head && head->at <= at;
        if (!(now && head->class_ < ORR_CLASS_SUBMIT) && orr_sim_next_submit(sim) == at) {
            submit_due(sim, at);
            continue;
        }
        if (!now && (orr_life_settle(&sim->life) || orr_nodelife_settle(&sim->capacity.nodes)))
            continue;
        if (!now)
            return;
        orr_queued event;
        orr_queue_pop(q, &event);
        dispatch(sim, &event);
    }
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static orr_err policy_failed(orr_sim *sim, orr_err err, orr_error *e)
{
    char name[64];
    orr_plan_abandon(sim->world.plan);
    sim->stop = ORR_STOP_ERROR;
    orr_error_set(e, ORR_E_POLICY, "policy '%s' failed: %s", orr_ctx_name(sim->policy, name, sizeof name), orr_err_text(err));
    orr_error_when(e, sim->life.now, NULL);
    return ORR_E_POLICY;
}

static orr_err fault(orr_sim *sim, orr_error *e)
{
    if (!sim->world.fault.code)
        return ORR_OK;
    sim->stop = ORR_STOP_ERROR;
    if (e && !e->code)
        *e = sim->world.fault;
    return sim->world.fault.code;
}

static orr_err violation(orr_sim *sim, orr_err err, const orr_error *what, orr_error *e)
{
    char name[64];
    sim->world.violations++;
    if (sim->options.skip_violations)
        return ORR_OK;
    sim->stop = ORR_STOP_ERROR;
    orr_error_set(e, err, "policy '%s': %s", orr_ctx_name(sim->policy, name, sizeof name), what->message);
    orr_error_when(e, what->at_ns, what->job);
    return err;
}

static void mark_decision(const orr_sim *sim, bool begins)
{
    if (sim->options.on_decision)
        sim->options.on_decision(sim->options.on_decision_self, begins);
}

/* Plans are committed between the two calls. */
static void tell_decision(const orr_sim *sim, uint64_t number, bool begins)
{
    const orr_sink *sink = &sim->life.sink;
    if (sink->decision)
        sink->decision(sink->self, sim->life.now, number, begins);
}

static orr_err commit(orr_sim *sim, uint64_t number, bool *changed, orr_error *what)
{
    sim->committing = true;
    tell_decision(sim, number, true);
    orr_err err = orr_plan_commit(sim->world.plan, changed, what);
    tell_decision(sim, number, false);
    sim->committing = false;
    return err;
}

static orr_err decide_once(orr_sim *sim, bool *changed, orr_error *e)
{
    orr_plan *plan = sim->world.plan;
    orr_error what = {0};
    *changed = false;
    sim->world.decide = false;
    sim->life.counts.decisions++;
    orr_plan_begin(plan, sim->policy);
    mark_decision(sim, true);
    orr_err err = orr_ctx_decide(sim->policy, plan);
    mark_decision(sim, false);
    if (sim->world.fault.code) {
        orr_plan_abandon(plan);
        return fault(sim, e);
    }
    if (err && !orr_plan_broken(plan))
        return policy_failed(sim, err, e);
    err = commit(sim, sim->life.counts.decisions, changed, &what);
    sim->life.counts.commits += *changed;
    if (err)
        return violation(sim, err, &what, e);
    return fault(sim, e);
}

/* ---- the start state --------------------------------------------------------------------------------------------- */

static orr_time began(const orr_job *job)
{
    return job->record->start != ORR_TIME_NONE ? job->record->start : -job->ran;
}

static int by_beginning(const void *a, const void *b)
{
    const orr_job *x = *(orr_job *const *)a, *y = *(orr_job *const *)b;
    if (began(x) != began(y))
        return began(x) < began(y) ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* In its VC; elsewhere only where the policy might put it, too. */
static bool resume(orr_sim *sim, orr_job *job)
{
    orr_plan *plan = sim->world.plan;
    orr_err err = orr_plan_start(plan, job);
    if (err == ORR_E_NOFIT && sim->world.reach_all)
        err = orr_plan_start_in(plan, job, (orr_scope){.vc = -1});
    if (!err)
        orr_life_carry_on(job);
    return !err;
}

/* Jobs that ran at the origin hold GPUs before the policy decides for the first time: the engine makes a plan of its
 * own, by the policy's placer, whoever began first before the others. */
static orr_err resume_all(orr_sim *sim, orr_error *e)
{
    orr_error what = {0};
    bool changed;
    uint64_t placed = 0, count = sim->resuming.n;
    if (!count)
        return ORR_OK;
    qsort(sim->resuming.at, count, sizeof *sim->resuming.at, by_beginning);
    orr_plan_begin(sim->world.plan, sim->policy);
    for (size_t i = 0; i < count; i++)
        placed += resume(sim, sim->resuming.at[i]);
    sim->resuming.n = 0;
    orr_err err = commit(sim, 0, &changed, &what);
    sim->life.counts.resumed += err ? 0 : placed;
    sim->life.counts.displaced += err ? count : count - placed;
    err = err ? violation(sim, err, &what, e) : fault(sim, e);
    if (!err)
        deal_with_instant(sim, sim->life.now); /* some may end at once */
    return err;
}

/* ---- when to decide ---------------------------------------------------------------------------------------------- */

/* One event stands for the next decision that time alone asks for: the earliest wins. */
static void decide_at(orr_sim *sim, orr_time at)
{
    orr_queue *q = sim->world.queue;
    at = orr_life_on_grid(&sim->life, at);
    if (sim->decide_event && sim->decide_at <= at)
        return;
    sim->decide_at = at;
    if (!orr_queue_move(q, sim->decide_event, at))
        sim->decide_event = orr_queue_add(q, &(orr_queued){.at = at, .class_ = ORR_CLASS_DECIDE});
}

/* The scenario's rounds, or its grid where a node came or went between two ticks, and the policy's own gap may put a
 * decision off. */
static bool put_off(orr_sim *sim)
{
    orr_time now = sim->life.now, due = orr_life_on_grid(&sim->life, now);
    if (sim->round)
        due = orr_time_ceil(now, sim->round);
    if (sim->world.min_gap && sim->last_decision != ORR_TIME_NONE) {
        orr_time free_at = orr_time_add(sim->last_decision, sim->world.min_gap);
        due = free_at > due ? free_at : due;
    }
    if (due == now)
        return false;
    decide_at(sim, due);
    return true;
}

/* While there are jobs, rounds go on. */
static void plan_next_round(orr_sim *sim)
{
    orr_time now = sim->life.now;
    const orr_world *w = &sim->world;
    if (!sim->life.live)
        return;
    if (sim->round)
        decide_at(sim, orr_time_ceil(orr_time_add(now, 1), sim->round));
    if (w->period) {
        orr_time since = (now - w->phase) % w->period;
        decide_at(sim, orr_time_add(now, w->period - (since < 0 ? since + w->period : since)));
    }
}

static orr_err decide(orr_sim *sim, orr_error *e)
{
    if (put_off(sim))
        return ORR_OK;
    sim->last_decision = sim->life.now;
    for (uint32_t rounds = 0; sim->world.decide; rounds++) {
        bool changed;
        if (rounds == ORR_MAX_ROUNDS) {
            char name[64];
            sim->stop = ORR_STOP_ERROR;
            orr_error_set(e, ORR_E_NO_PROGRESS, "policy '%s' decided %u times in one instant and time does not move",
                          orr_ctx_name(sim->policy, name, sizeof name), rounds);
            orr_error_when(e, sim->life.now, NULL);
            return ORR_E_NO_PROGRESS;
        }
        orr_err err = decide_once(sim, &changed, e);
        if (err || (err = orr_sim_watch_progress(sim, changed, e)) != ORR_OK)
            return err;
        deal_with_instant(sim, sim->life.now);
    }
    return ORR_OK;
}

/* ---- after it ---------------------------------------------------------------------------------------------------- */

static void check_invariants(const orr_sim *sim)
{
    const orr_sim_counts *c = &sim->life.counts;
    const orr_levels *all = &sim->life.levels[orr_cluster_owners(sim->world.real)];
    const orr_pool *pool = orr_cluster_pool(sim->world.real, -1);
    ORR_ASSERT(c->submitted == c->done + c->failed + c->killed + c->rejected + sim->life.live, "jobs got lost");
    ORR_ASSERT(all->milli_held + (sim->serving ? sim->serving->milli_held : 0) == pool->milli, "GPUs got lost");
    ORR_ASSERT(all->milli_busy <= all->milli_held && all->jobs_queued >= 0, "counters went wrong");
}

static void report_levels(orr_sim *sim)
{
    orr_life *life = &sim->life;
    for (int32_t i = 0; i < life->changed_count; i++) {
        int32_t vc = life->changed_vcs[i];
        life->level_changed[vc] = false;
        if (life->sink.levels)
            life->sink.levels(life->sink.self, life->now, &life->levels[vc]);
    }
    life->changed_count = 0;
}

static uint64_t events_so_far(const orr_sim *sim)
{
    return sim->life.counts.events + (sim->serving ? orr_serving_events(sim->serving) : 0);
}

static bool limit_hit(orr_sim *sim, orr_time at)
{
    int asked = atomic_load_explicit(&sim->interrupted, memory_order_relaxed);
    if (asked)
        sim->stop = (orr_stop)asked;
    else if (sim->options.max_events && events_so_far(sim) >= sim->options.max_events)
        sim->stop = ORR_STOP_LIMIT;
    else if (at >= sim->options.until && at != ORR_TIME_MAX) {
        sim->stop = ORR_STOP_HORIZON;
        sim->life.now = sim->options.until;
    }
    return sim->stop != ORR_STOP_NONE;
}

static orr_err nothing_left(orr_sim *sim, orr_error *e)
{
    if (sim->life.live)
        return orr_sim_stalled(sim, e);
    ORR_ASSERT(sim->life.counts.submitted == orr_trace_count(sim->trace), "jobs wait for ends that never come");
    sim->stop = ORR_STOP_DRAINED;
    return ORR_OK;
}

/* Where there are no jobs, nodes come and go for those who are served. */
static bool nodes_matter(const orr_sim *sim)
{
    orr_serving *s = sim->serving;
    const orr_capacity *c = &sim->capacity;
    if (!s || orr_trace_count(sim->trace) || (!c->failing.n && c->next == c->list.n))
        return false;
    if (orr_serving_next(s) != ORR_TIME_MAX)
        return true;
    bool comes = c->next < c->list.n;
    for (size_t i = 0; i < c->failing.n && !comes; i++)
        comes = c->failing.at[i].down;
    return comes && orr_serving_hopes(s);
}

static orr_time next_of_jobs(const orr_sim *sim)
{
    const orr_queued *head = orr_queue_peek(sim->world.queue);
    orr_time submit = orr_sim_next_submit(sim);
    if (sim->life.live == 0 && submit == ORR_TIME_MAX && !nodes_matter(sim))
        return ORR_TIME_MAX; /* timers of a policy don't keep a finished run alive */
    const orr_time at = head && head->at < submit ? head->at : submit;
    return at > sim->life.now ? at : sim->life.now;
}

/* Serving runs in bulk until jobs have their next instant, and takes part in that. Without jobs an instant of its own
 * is the next. False: it has not come so far yet, and whoever drives the simulation gets a word in. */
static bool next_instant(orr_sim *sim, orr_time *out)
{
    orr_time at = *out = next_of_jobs(sim);
    orr_serving *s = sim->serving;
    if (!s)
        return true;
    const uint64_t pause = orr_serving_events(s) + SERVING_EVENTS;
    const orr_time jobs_end = orr_trace_count(sim->trace) && at == ORR_TIME_MAX && !sim->life.live ? sim->life.now : ORR_TIME_MAX;
    const orr_time last = sim->options.until < jobs_end ? sim->options.until : jobs_end;
    orr_time bound = at < last ? at : last;
    s->stirred = false;
    for (orr_time next; (next = orr_serving_next(s)) < bound && !sim->world.fault.code && !atomic_load(&sim->interrupted);) {
        /* in portions, so that an interrupt is heard */
        const orr_time portion = orr_time_add(next, SERVING_PORTION);
        orr_serving_run(s, portion < bound ? portion : bound);
        sim->life.now = s->now > sim->life.now ? s->now : sim->life.now;
        if (orr_serving_events(s) >= pause)
            return false;
        if (s->stirred) { /* jobs have an instant now that they hadn't */
            s->stirred = false;
            at = *out = next_of_jobs(sim);
            bound = at < last ? at : last;
        }
    }
    sim->life.now = s->now > sim->life.now ? s->now : sim->life.now;
    if (!orr_trace_count(sim->trace) && !nodes_matter(sim)) /* nor for nodes that nobody waits for any more */
        at = *out = ORR_TIME_MAX;
    if (at == ORR_TIME_MAX && orr_serving_next(s) >= sim->options.until && sim->options.until != ORR_TIME_MAX &&
        orr_serving_next(s) != ORR_TIME_MAX)
        *out = sim->options.until;
    return true;
}

static void tell_begin(orr_sim *sim)
{
    if (!sim->told && sim->life.sink.begin)
        sim->life.sink.begin(sim->life.sink.self, sim);
    sim->told = true;
}

static void report_end(orr_sim *sim)
{
    if (sim->serving)
        orr_serving_close(sim->serving, sim->life.now);
    orr_life_report_open(&sim->life);
    if (sim->life.sink.end)
        sim->life.sink.end(sim->life.sink.self, sim);
}

/* Serving decides before jobs do: what it lends in this instant is there for them. */
static void begin_instant(orr_sim *sim, orr_time at)
{
    orr_serving *s = sim->serving;
    if (!s) {
        deal_with_instant(sim, at);
        return;
    }
    s->inside = true;
    orr_serving_begin(s, at);
    deal_with_instant(sim, at);
    orr_serving_finish(s, at);
    deal_with_instant(sim, at);
    s->inside = false;
}

orr_err orr_sim_step(orr_sim *sim, bool *more, orr_error *e)
{
    orr_time at;
    orr_err err = ORR_OK;
    *more = false;
    if (sim->stop != ORR_STOP_NONE)
        return ORR_OK;
    tell_begin(sim);
    const bool there = next_instant(sim, &at);
    if (!limit_hit(sim, there ? at : sim->life.now) && !there) {
        *more = true;
        return ORR_OK;
    }
    if (sim->stop == ORR_STOP_NONE) {
        if (at == ORR_TIME_MAX) {
            err = nothing_left(sim, e);
        } else {
            sim->life.now = at;
            sim->life.counts.instants++;
            begin_instant(sim, at);
            err = fault(sim, e);
            if (!err)
                err = resume_all(sim, e);
            if (!err && sim->world.decide)
                err = decide(sim, e);
            if (!err && sim->serving) { /* there may be room now for what waits for some */
                orr_serving_finish(sim->serving, at);
                err = fault(sim, e);
            }
            if (!err) {
                plan_next_round(sim);
                check_invariants(sim);
            }
            report_levels(sim);
        }
    }
    if (!err)
        err = fault(sim, e);
    if (sim->stop != ORR_STOP_NONE)
        report_end(sim);
    *more = sim->stop == ORR_STOP_NONE;
    return err;
}

orr_err orr_sim_run(orr_sim *sim, orr_error *e)
{
    bool more = sim->stop == ORR_STOP_NONE;
    orr_err err = ORR_OK;
    while (more && !err)
        err = orr_sim_step(sim, &more, e);
    return err;
}
