/* Turns on servers; where jobs live is turns_homes.c. Each home keeps its jobs in a stride. A turn tries in the plan,
 * in the order of passes, who finds room once everybody has left, takes that back, and lets just those go who found
 * none. Where there are jobs wider than a server, turns_wide.c says beforehand how many GPUs of each server its own
 * jobs may have.
 *
 * Between two turns nobody is preempted: GPUs that become idle go to the next at home there, then to a waiting job of
 * the most crowded home. Only homes at which something happened are looked at. */
#include "sched/turns.h"
#include "sched/list.h"

#include <stdlib.h>

/* Whoever can't be preempted starts on what others leave, and with enough of them a gang would wait for ever. So many
 * turns are it; then they wait until it runs. Who can be preempted leaves when its turn comes. */
enum { PATIENCE = 10 };

#define COOKIE (ORR_COOKIE_DRIVER | (uint64_t)1 << 61)

orr_turns *orr_turns_create(orr_ctx *ctx, const orr_turns_rules *rules)
{
    orr_turns *t = orr_xcalloc(1, sizeof *t);
    ORR_ASSERT(!ctx->turns, "an instance takes turns once");
    ctx->turns = t;
    t->ctx = ctx;
    t->rules = *rules;
    t->nodes = orr_cluster_nodes(ctx);
    t->homes = orr_xcalloc((size_t)t->nodes, sizeof *t->homes);
    t->dirty = orr_xcalloc((size_t)t->nodes, sizeof *t->dirty);
    t->pool_count = orr_vcs_are_tenants(ctx) ? 1 : orr_cluster_vcs(ctx);
    t->pools = orr_xcalloc((size_t)t->pool_count, sizeof *t->pools);
    t->others = orr_waiting_create();
    for (int32_t i = 0; i < t->nodes; i++) {
        home *h = &t->homes[i];
        *h = (home){.is_home = true, .node = i, .gpus = orr_node_gpus(ctx, i)};
        h->pool = orr_vcs_are_tenants(ctx) ? 0 : orr_node_vc(ctx, i);
        h->client.item = h;
    }
    return t;
}

void orr_turns_destroy(orr_turns *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->seats.n; i++)
        free(t->seats.at[i]);
    for (int32_t i = 0; i < t->pool_count; i++)
        ORR_VEC_FREE(&t->pools[i].wide);
    ORR_VEC_FREE(&t->seats);
    ORR_VEC_FREE(&t->lots);
    ORR_VEC_FREE(&t->line);
    orr_waiting_destroy(t->others);
    free(t->homes);
    free(t->dirty);
    free(t->pools);
    free(t);
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

static bool is_ours(const orr_job *job)
{
    return job->record->gpus > 0 && job->record->gpu_milli == ORR_WHOLE_GPU;
}

static void wait_aside(orr_turns *t, orr_job *job)
{
    seat *s = orr_turns_seat(t, job);
    if (!s->aside)
        orr_waiting_add(t->others, job, job->shape, (orr_rank){0, 0});
    s->aside = true;
}

static void leave_aside(orr_turns *t, orr_job *job)
{
    seat *s = orr_turns_seat(t, job);
    if (s->aside)
        orr_waiting_remove(t->others, job, job->shape);
    s->aside = false;
}

static void touch_held(orr_turns *t, const orr_job *job)
{
    for (int32_t i = 0; i < job->held.count; i++)
        orr_turns_touch(t, orr_slices(&job->held)[i].node);
}

static void other_event(orr_turns *t, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_STARTED || event->kind == ORR_EV_ENDED)
        leave_aside(t, job);
    else if (event->kind == ORR_EV_SUBMITTED || event->kind == ORR_EV_PREEMPTED || event->kind == ORR_EV_RETRIED ||
             event->kind == ORR_EV_INTERRUPTED)
        wait_aside(t, job);
}

void orr_turns_event(orr_turns *t, orr_job *job, const orr_event *event)
{
    const bool freed = event->kind == ORR_EV_PREEMPTED || event->kind == ORR_EV_RETRIED ||
                       event->kind == ORR_EV_ENDED || event->kind == ORR_EV_INTERRUPTED;
    if (event->kind == ORR_EV_SUBMITTED)
        *orr_turns_seat(t, job) = (seat){.job = job, .home = -1};
    if (freed) {
        touch_held(t, job);
        orr_waiting_room(t->others);
    }
    if (!is_ours(job)) {
        other_event(t, job, event);
        return;
    }
    seat *s = orr_turns_seat(t, job);
    orr_turns_touch(t, s->home);
    if (event->kind == ORR_EV_SUBMITTED || event->kind == ORR_EV_INTERRUPTED)
        orr_turns_find_home(t, job);
    else if (event->kind == ORR_EV_ENDED)
        orr_turns_unsettle(t, s);
    else if (event->kind == ORR_EV_STARTED)
        orr_turns_adopt(t, job);
}

/* Others may invite its jobs, and when it is lost they look for other homes. */
void orr_turns_node(orr_turns *t, int32_t node, const orr_event *event)
{
    if (node < 0)
        return;
    orr_waiting_room(t->others);
    for (int32_t i = 0; i < t->nodes; i++)
        orr_turns_touch(t, i);
    if (event->kind == ORR_EV_NODE_DOWN)
        orr_turns_abandon(t, node);
}

/* ---- who has had what -------------------------------------------------------------------------------------------- */

static double had(orr_turns *t, seat *s)
{
    const double service = orr_job_service(t->ctx, s->job), amount = service - s->charged;
    s->charged = service;
    return amount > 0 ? amount : 0;
}

void orr_turns_charge(orr_turns *t, orr_stride *stride, seat *s)
{
    const double amount = had(t, s);
    if (amount > 0)
        orr_stride_charge(stride, &s->client, amount, t->rules.tickets(t->ctx, s->job));
}

void orr_turns_begin(orr_turns *t, seat *s)
{
    had(t, s);
}

/* Of a heap that is about to change its order: copied first. */
static size_t line_of(orr_turns *t, const home *h)
{
    t->line.n = 0;
    for (int32_t i = 0; i < h->line.heap.count; i++)
        ORR_VEC_PUSH(&t->line, (seat *)((orr_stride_client *)h->line.heap.at[i])->item);
    return t->line.n;
}

static void charge_home(orr_turns *t, home *h)
{
    const bool shared = t->pools[h->pool].wide.n > 0;
    double amount = 0, tickets = 0;
    const size_t n = line_of(t, h);
    for (size_t i = 0; i < n; i++) {
        seat *s = t->line.at[i];
        const double one = had(t, s);
        orr_turns_count_tickets(t, h, s);
        if (one > 0)
            orr_stride_charge(&h->line, &s->client, one, s->tickets);
        amount += one;
        tickets += s->tickets;
    }
    if (shared && amount > 0)
        orr_stride_charge(&t->pools[h->pool].line, &h->client, amount, tickets);
}

/* From now on it counts who has what, or no longer: while everybody runs nobody is owed anything. */
static void count_from_now(orr_turns *t, home *h, bool counts)
{
    t->line.n = 0;
    while (counts && !h->counted && h->line.heap.count > 0) {
        seat *s = ((orr_stride_client *)h->line.heap.at[0])->item;
        orr_stride_leave(&h->line, &s->client);
        orr_turns_begin(t, s);
        s->client.pass = 0;
        ORR_VEC_PUSH(&t->line, s);
    }
    for (size_t i = 0; i < t->line.n; i++)
        orr_stride_join(t->ctx, &h->line, &t->line.at[i]->client);
    h->counted = counts;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

static bool is_here(const orr_job *job, int32_t node)
{
    return orr_holds(job) && job->held.count == 1 && orr_slices(&job->held)[0].node == node;
}

static bool start_at(orr_plan *plan, orr_job *job, int32_t node)
{
    orr_alloc *out = orr_plan_alloc(plan);
    return !orr_alloc_take(out, plan, node, job->record->gpus) && !orr_plan_try_assign(plan, job, out);
}

bool orr_turns_may_leave(const orr_job *job)
{
    return orr_holds(job) && job->record->preemptible;
}

int32_t orr_turns_idle(const orr_turns *t, int32_t node)
{
    return t->ctx->world->cluster->nodes[node].free;
}

void orr_turns_refused(orr_turns *t, seat *s, int32_t times)
{
    const int32_t change = (times > PATIENCE) - (s->refused > PATIENCE);
    s->refused = times;
    if (!change)
        return;
    pool *p = s->wide ? &t->pools[t->pool_count == 1 ? 0 : s->job->vc] : &t->pools[t->homes[s->home].pool];
    p->starving += change;
    if (s->wide)
        p->starving_wide += change;
    else
        t->homes[s->home].starving += change;
}

bool orr_turns_yields(const orr_turns *t, const seat *s)
{
    if (s->job->record->preemptible || s->refused > PATIENCE)
        return false;
    const pool *p = &t->pools[t->pool_count == 1 ? 0 : s->job->vc];
    return s->wide ? p->starving > 0 : p->starving_wide > 0 || t->homes[s->home].starving > 0;
}

typedef struct trial {
    orr_turns *t;
    orr_plan *plan;
    int32_t node, left;
    bool any; /* somebody who waited or could leave was asked */
} trial;

static orr_offer try_seat(void *self, void *client)
{
    trial *a = self;
    seat *s = client;
    orr_job *job = s->job;
    if (a->left <= 0 && a->any)
        return ORR_OFFER_FULL;
    if (!orr_turns_may_leave(job) && job->state != ORR_JOB_QUEUED)
        return ORR_OFFER_ASIDE;
    if (!orr_holds(job) && orr_turns_yields(a->t, s))
        return ORR_OFFER_ASIDE;
    s->chosen = job->record->gpus <= a->left &&
                ((is_here(job, a->node) && orr_plan_restore(a->plan, job)) || start_at(a->plan, job, a->node));
    if (s->chosen || !a->any)
        orr_turns_refused(a->t, s, s->chosen ? 0 : s->refused + 1);
    a->any = true;
    a->left -= s->chosen ? job->record->gpus : 0;
    return s->chosen ? ORR_OFFER_TOOK : ORR_OFFER_REFUSED;
}

/* Whose turn it is gets `chosen`; `limit` GPUs may be given. */
static void choose(orr_turns *t, orr_plan *plan, home *h, int32_t limit)
{
    const uint32_t mark = orr_plan_mark(plan);
    const size_t n = line_of(t, h);
    for (size_t i = 0; i < n; i++) {
        orr_job *job = t->line.at[i]->job;
        t->line.at[i]->chosen = false;
        if (orr_turns_may_leave(job) && orr_plan_held(plan, job))
            orr_plan_preempt(plan, job);
    }
    trial a = {.t = t, .plan = plan, .node = h->node, .left = limit};
    orr_stride_turn(t->ctx, &h->line, try_seat, &a);
    orr_plan_undo(plan, mark);
}

static void turn_at(orr_turns *t, orr_plan *plan, home *h, int32_t limit)
{
    choose(t, plan, h, limit);
    for (size_t i = 0; i < t->line.n; i++) {
        seat *s = t->line.at[i];
        s->moves = s->chosen && orr_holds(s->job) && !is_here(s->job, h->node);
        if (orr_turns_may_leave(s->job) && orr_plan_held(plan, s->job) && (!s->chosen || s->moves))
            orr_plan_preempt(plan, s->job);
    }
    orr_turns_touch(t, h->node);
}

/* What is idle there, and what its own jobs hold there and may be made to leave. */
int32_t orr_turns_own(const orr_turns *t, const home *h)
{
    int32_t gpus = orr_turns_idle(t, h->node);
    for (int32_t i = 0; i < h->line.heap.count; i++) {
        const seat *s = ((orr_stride_client *)h->line.heap.at[i])->item;
        if (orr_turns_may_leave(s->job) && is_here(s->job, h->node))
            gpus += s->job->record->gpus;
    }
    return gpus;
}

/* All homes at which somebody waits: passes of all that run have moved. */
static void take_turns(orr_turns *t, orr_plan *plan)
{
    for (int32_t p = 0; p < t->pool_count; p++)
        if (t->pools[p].wide.n > 0)
            orr_turns_enter_homes(t, p);
    for (int32_t i = 0; i < t->nodes; i++)
        if (t->homes[i].counted)
            charge_home(t, &t->homes[i]);
    t->lots.n = 0;
    for (int32_t p = 0; p < t->pool_count; p++)
        if (t->pools[p].wide.n > 0 && t->pools[p].counted)
            orr_turns_deal(t, plan, p);
    for (int32_t i = 0; i < t->nodes; i++) {
        home *h = &t->homes[i];
        if (!h->counted)
            continue;
        const bool dealt = t->pools[h->pool].wide.n > 0;
        turn_at(t, plan, h, dealt ? h->cap : orr_turns_own(t, h));
    }
    for (int32_t p = 0; p < t->pool_count; p++)
        if (t->pools[p].wide.n > 0 && t->pools[p].counted)
            orr_turns_place_wide(t, plan, p);
}

/* ---- idle GPUs --------------------------------------------------------------------------------------------------- */

static bool can_start(const orr_plan *plan, const seat *s)
{
    return !orr_plan_held(plan, s->job) && (s->job->state == ORR_JOB_QUEUED || (s->moves && orr_holds(s->job)));
}

static orr_offer fill_seat(void *self, void *client)
{
    trial *a = self;
    seat *s = client;
    if (orr_turns_idle(a->t, a->node) == 0)
        return ORR_OFFER_FULL;
    if (can_start(a->plan, s) && !orr_turns_yields(a->t, s) && start_at(a->plan, s->job, a->node))
        orr_turns_refused(a->t, s, 0);
    s->moves = false;
    return ORR_OFFER_ASIDE;
}

static void fill(orr_turns *t, orr_plan *plan, home *h)
{
    trial a = {.t = t, .plan = plan, .node = h->node};
    if (orr_turns_idle(t, h->node) > 0)
        orr_stride_turn(t->ctx, &h->line, fill_seat, &a);
}

static bool is_more_crowded(const orr_turns *t, const home *h, const home *than)
{
    const bool up = orr_node_state_now(t->ctx, h->node) == ORR_NODE_UP;
    if (up && h->demand <= h->gpus)
        return false;
    return !than || !up || (int64_t)h->demand * than->gpus > (int64_t)than->demand * h->gpus;
}

/* A waiting job that fits into what is idle on `to`, of the most crowded home that has one. O(nodes), when somebody
 * waits and GPUs of a home became idle. */
static orr_job *guest_for(orr_turns *t, orr_plan *plan, int32_t to)
{
    const home *most = NULL;
    orr_job *found = NULL;
    for (int32_t i = 0; i < t->nodes; i++) {
        const home *h = &t->homes[i];
        if (i == to || !h->waiting || !is_more_crowded(t, h, most))
            continue;
        for (int32_t k = 0; k < h->line.heap.count; k++) {
            const seat *s = ((orr_stride_client *)h->line.heap.at[k])->item;
            if (!can_start(plan, s) || orr_turns_yields(t, s) || s->job->state != ORR_JOB_QUEUED || !orr_turns_suits(t, s->job, to) ||
                orr_node_room(t->ctx, s->job, to) < s->job->record->gpus)
                continue;
            most = h;
            found = s->job;
            break;
        }
    }
    return found;
}

static void invite(orr_turns *t, orr_plan *plan, home *h)
{
    orr_job *job;
    while (t->waiting > 0 && orr_turns_idle(t, h->node) > 0 && h->demand < h->gpus &&
           (job = guest_for(t, plan, h->node)) != NULL && start_at(plan, job, h->node)) {
        orr_turns_settle(t, job, h->node, orr_node_type(t->ctx, h->node));
        orr_turns_refused(t, orr_turns_seat(t, job), 0);
        orr_note_decision(t->ctx, job, "moved to idle GPUs");
    }
}

/* All of its type's GPUs are idle and still it finds no room: cores or memory aren't enough. */
static bool asks_too_much(const orr_turns *t, const seat *s)
{
    return s->scope.types && orr_scope_free(t->ctx, s->scope) == orr_scope_gpus(t->ctx, s->scope);
}

static void start_wide(orr_turns *t, orr_plan *plan)
{
    for (int32_t p = 0; p < t->pool_count; p++)
        for (size_t i = 0; i < t->pools[p].wide.n; i++) {
            seat *s = t->pools[p].wide.at[i];
            const bool waits = s->job->state == ORR_JOB_QUEUED && !orr_plan_held(plan, s->job);
            if (!waits || orr_turns_yields(t, s) || orr_scope_free(t->ctx, s->scope) < s->job->record->gpus)
                continue;
            if (!orr_plan_start_in(plan, s->job, s->scope)) {
                orr_turns_refused(t, s, 0);
                continue;
            }
            if (asks_too_much(t, s))
                orr_turns_settle(t, s->job, -1, -1); /* to the end of the list: it is asked once more */
        }
}

static void start_others(orr_turns *t, orr_plan *plan)
{
    uint32_t shape;
    orr_job *job;
    while ((job = orr_waiting_first(t->others, true, &shape)) != NULL) {
        const bool room = job->record->gpus <= 0 || !t->pools[t->pool_count == 1 ? 0 : job->vc].starving;
        if (room && orr_plan_start_in(plan, job, (orr_scope){.vc = orr_turns_vc(t, job)}) == ORR_OK)
            leave_aside(t, job);
        else
            orr_waiting_failed(t->others, shape);
    }
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static void recount(orr_turns *t, orr_plan *plan, home *h)
{
    t->waiting -= h->waiting;
    h->waiting = 0;
    for (int32_t i = 0; i < h->line.heap.count; i++)
        h->waiting += !orr_plan_held(plan, ((const seat *)((orr_stride_client *)h->line.heap.at[i])->item)->job);
    t->waiting += h->waiting;
}

static bool look_at_wide(orr_turns *t, orr_plan *plan)
{
    bool any = false;
    for (int32_t p = 0; p < t->pool_count; p++) {
        pool *o = &t->pools[p];
        if (o->wide.n > 0)
            orr_turns_count_pool(t, plan, p);
        any |= o->wide.n > 0 && o->counted;
    }
    return any;
}

/* Where there are wide jobs, all homes of the pool wait for each other. */
static void look_at_homes(orr_turns *t)
{
    for (int32_t i = 0; i < t->dirty_count; i++) {
        home *h = &t->homes[t->dirty[i]];
        if (t->pools[h->pool].wide.n == 0)
            count_from_now(t, h, h->waiting > 0);
        h->dirty = false;
    }
    t->dirty_count = 0;
    for (int32_t i = 0; i < t->nodes && t->any_wide > 0; i++)
        if (t->pools[t->homes[i].pool].wide.n > 0)
            count_from_now(t, &t->homes[i], t->pools[t->homes[i].pool].counted);
}

bool orr_turns_due(const orr_turns *t)
{
    return t->ticking && orr_now(t->ctx) >= t->next;
}

orr_err orr_turns_schedule(orr_turns *t, orr_plan *plan)
{
    if (orr_turns_due(t)) {
        t->ticking = false;
        orr_turns_balance(t);
        take_turns(t, plan);
    }
    start_wide(t, plan);
    for (int32_t i = 0; i < t->dirty_count; i++) {
        fill(t, plan, &t->homes[t->dirty[i]]);
        recount(t, plan, &t->homes[t->dirty[i]]);
    }
    for (int32_t i = 0; t->waiting > 0 && i < t->dirty_count; i++)
        invite(t, plan, &t->homes[t->dirty[i]]);
    start_others(t, plan);
    for (int32_t i = 0; i < t->dirty_count; i++)
        recount(t, plan, &t->homes[t->dirty[i]]);
    const bool wide = look_at_wide(t, plan);
    look_at_homes(t);
    if (t->ticking || (t->waiting == 0 && !wide))
        return ORR_OK;
    t->ticking = true;
    t->next = orr_time_add(orr_now(t->ctx), t->rules.quantum);
    return orr_arm(t->ctx, COOKIE, t->next);
}
