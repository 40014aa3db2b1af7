/* Rounds by shares under `sim`: micro-tasks of whole steps, and rounds that last as long as the longest of them. A
 * job whose steps are done before the others' runs slower instead of standing still at the end: at the round's end
 * both have come equally far. Two that run together have one micro-task: neither ends before the other has done its
 * steps. */
#include "base/text.h"
#include "model/speeds.h"
#include "sched/share_rounds.h"

#include <math.h>
#include <string.h>

static const double GRACE = 1e-3; /* seconds that a job may be late by what was rounded to ns */
static const double CRUMB = 1e-5; /* steps: fewer are none */

static double seconds_since(const orr_share_rounds *r, orr_time at)
{
    return orr_time_seconds(r->ctx->world->life->now - at);
}

bool orr_share_tasks_due(orr_share_rounds *r)
{
    const orr_time now = r->ctx->world->life->now;
    if (!r->round_on || r->tasks <= 0)
        return true;
    if (now < r->round_end)
        return false;
    if (r->finals <= 0 || seconds_since(r, r->round_end) >= GRACE)
        return true;
    orr_arm(r->ctx, ORR_COOKIE_DRIVER, orr_time_add(r->round_end, orr_time_from_seconds(GRACE)));
    return false;
}

/* ---- the end of a round ------------------------------------------------------------------------------------------ */

/* The reference counts from the end of the round before, idle time in between included. */
static double given(const orr_share_rounds *r, const orr_share_row *row)
{
    return orr_time_seconds(r->round_began - r->round_before) + row->lasts;
}

static void book_task(orr_share_rounds *r, orr_share_row *row)
{
    orr_share_row *run = row->run;
    double time = given(r, row);
    if (run->b && run->a != row->a)
        return; /* with its partner */
    if (run->b)
        time = fmax(time, given(r, orr_share_row_of(r, run->b)));
    run->cell[row->on].received += time;
    row->pool->total[row->on] += time;
}

void orr_share_task_ended(orr_share_rounds *r, orr_share_row *row)
{
    if (row->task <= 0)
        return;
    book_task(r, row);
    r->tasks--;
    r->finals -= row->last;
    row->steps = -1; /* to be asked again, should it come back */
    row->task = 0;
}

static void end_task(orr_share_rounds *r, orr_share_row *row)
{
    if (row->task <= 0)
        return;
    if (row->on >= 0)
        book_task(r, row);
    row->steps -= row->last ? 0 : row->task; /* a last one that is still here takes longer than was believed */
}

void orr_share_tasks_end(orr_share_rounds *r)
{
    if (!r->round_on)
        return;
    for (int32_t i = 0; i < r->pool_count; i++) {
        const orr_share_pool *p = &r->pools[i];
        for (size_t k = 0; k < p->jobs.n; k++)
            end_task(r, p->jobs.at[k]);
        for (size_t k = 0; k < p->jobs.n; k++)
            p->jobs.at[k]->task = 0;
    }
    r->round_before = r->ctx->world->life->now;
    r->round_on = false;
    r->tasks = r->finals = 0;
}

/* ---- the beginning of one ---------------------------------------------------------------------------------------- */

/* Steps a second as they stand in the table: a part of a part may be another double, and steps are counted by the
 * whole. */
static double stated(const orr_share_rounds *r, const orr_share_row *row, int32_t type)
{
    const struct orr_speeds *s = r->ctx->world->speeds;
    if (row->run->b || !s || row->a->speed_row < 0)
        return -1;
    return orr_throughputs_alone(s->table, s->types[type], row->a->speed_row);
}

static double speed_now(orr_share_rounds *r, const orr_share_row *row, int32_t type)
{
    const orr_share_row *run = row->run;
    double both[2];
    if (!run->b)
        return row->cell[type].speed;
    orr_jobs_speed_beside(r->ctx, run->a, run->b, type, both);
    return both[run->a != row->a];
}

/* Steps are mostly whole: then it was durations that were rounded, to ns. */
double orr_share_steps(orr_share_rounds *r, orr_share_row *row)
{
    if (row->steps >= 0)
        return row->steps;
    const char *text = orr_trace_attribute(r->ctx->world->trace, row->a->record, "total_steps");
    const double left = orr_est_remaining(r->ctx, row->a) * orr_job_step_rate(r->ctx, row->a), whole = nearbyint(left);
    double all;
    row->steps = fabs(left - whole) < CRUMB ? whole : left;
    if (orr_parse_double(text, strlen(text), &all) && fabs(all - left) < CRUMB)
        row->steps = all;
    return row->steps;
}

double orr_share_rate(orr_share_rounds *r, const orr_share_row *row, int32_t type)
{
    const double rate = stated(r, row, type);
    return rate > 0 ? rate : speed_now(r, row, type) * orr_job_step_rate(r->ctx, row->a);
}

double orr_share_clock(const orr_share_rounds *r)
{
    const bool right_behind = r->clock > 0 && seconds_since(r, r->round_end) < 2 * GRACE;
    return right_behind ? r->clock : orr_time_seconds(r->ctx->world->life->now);
}

static void begin_task(orr_share_rounds *r, orr_share_row *row, int32_t type)
{
    orr_share_steps(r, row);
    row->rate = orr_share_rate(r, row, type);
    row->task = fmax(1, floor(row->rate * orr_time_seconds(r->rules.round)));
    row->last = row->steps - row->task <= CRUMB;
    if (row->last)
        row->task = fmax(row->steps, CRUMB);
    row->lasts = row->task / row->rate;
    r->finals += row->last;
    r->tasks++;
}

static void pace(orr_plan *plan, orr_share_row *row, double seconds)
{
    const double alone = row->task / row->rate, until = row->last ? row->lasts : seconds;
    const double part = alone >= until ? 1 : alone / until;
    if (part != 1 || row->a->pace != 1)
        orr_plan_pace(plan, row->a, part);
}

static orr_share_row *member(const orr_share_rounds *r, const orr_share_pick *pick, int which)
{
    if (which)
        return pick->row->b ? orr_share_row_of(r, pick->row->b) : NULL;
    return orr_share_row_of(r, pick->row->a);
}

static bool runs(const orr_plan *plan, const orr_share_row *row)
{
    return row && orr_plan_held(plan, row->a);
}

/* Returns how long it lasts. */
static double begin_tasks(orr_share_rounds *r, const orr_plan *plan, const orr_share_pick *pick)
{
    orr_share_row *a = member(r, pick, 0), *b = member(r, pick, 1);
    if (runs(plan, a))
        begin_task(r, a, pick->type);
    if (runs(plan, b))
        begin_task(r, b, pick->type);
    if (!runs(plan, a))
        return 0;
    if (runs(plan, b))
        a->lasts = b->lasts = fmax(a->lasts, b->lasts);
    return a->lasts;
}

void orr_share_tasks_begin(orr_share_rounds *r, orr_plan *plan)
{
    double longest = 0;
    for (size_t i = 0; i < r->picks.n; i++)
        longest = fmax(longest, begin_tasks(r, plan, &r->picks.at[i]));
    r->round_on = longest > 0;
    if (!r->round_on)
        return;
    r->clock = orr_share_clock(r) + longest;
    r->round_began = r->ctx->world->life->now;
    r->round_end = orr_time_add(r->round_began, orr_time_from_seconds(longest));
    const double lasts = orr_time_seconds(r->round_end - r->round_began);
    for (size_t i = 0; i < r->picks.n; i++)
        for (int which = 0; which < 2; which++) {
            orr_share_row *row = member(r, &r->picks.at[i], which);
            if (runs(plan, row))
                pace(plan, row, lasts);
        }
    orr_arm(r->ctx, ORR_COOKIE_DRIVER, r->round_end);
}

/* ---- in the middle of one ---------------------------------------------------------------------------------------- */

/* Whose partner has ended goes on at the speed of the two, as the reference has it. */
static void slow_down(orr_share_rounds *r, orr_plan *plan, orr_share_row *row)
{
    const double past = seconds_since(r, r->round_began), round = orr_time_seconds(r->round_end - r->round_began);
    const double until = row->last ? row->lasts : round;
    const double done = row->task * fmin(1, past / until);
    const double alone = row->cell[row->on].speed * orr_job_step_rate(r->ctx, row->a);
    const double need = until > past ? (row->task - done) / (until - past) : alone;
    orr_plan_pace(plan, row->a, fmin(1, need / alone));
}

void orr_share_tasks_left(orr_share_rounds *r, orr_plan *plan)
{
    for (size_t i = 0; i < r->left_alone.n; i++) {
        orr_share_row *row = orr_share_row_of(r, r->left_alone.at[i]);
        if (row->task > 0 && orr_plan_held(plan, row->a))
            slow_down(r, plan, row);
    }
    r->left_alone.n = 0;
}
