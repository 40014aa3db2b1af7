#include "sim/sim.h"

#include "base/rng.h"
#include "serve/nodes.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* ---- what the policy hears --------------------------------------------------------------------------------------- */

static void tell_policy(orr_sim *sim, int32_t node, orr_event event)
{
    if (sim->world.trigger_events >> event.kind & 1u && !sim->committing)
        sim->world.decide = true;
    orr_ctx_on_node(sim->policy, node, &event);
}

static double clock_of(const orr_sim *sim, const orr_node *n)
{
    return n->clock ? sim->capacity.clocks[orr_lowest_bit(n->type)].at[n->clock]->clock : 1;
}

static void report(const orr_sim *sim, int32_t node)
{
    const orr_node *n = &sim->world.real->nodes[node];
    const orr_sink *sink = &sim->life.sink;
    const orr_node_change change = {.node = node,
                                    .at = sim->life.now,
                                    .up = n->up,
                                    .clock = clock_of(sim, n),
                                    .state = orr_node_state_name(orr_nodelife_state(&sim->capacity.nodes, node)),
                                    .takes = orr_nodelife_state(&sim->capacity.nodes, node) == ORR_NODE_UP};
    if (sink->node)
        sink->node(sink->self, &change);
}

/* A node is in another state, or other GPUs of it work. */
static void told(void *self, int32_t node, orr_node_state was)
{
    static const int events[ORR_NODE_STATES] = {
        [ORR_NODE_UP] = ORR_EV_NODE_UP,     [ORR_NODE_DRAINING] = ORR_EV_NODE_DRAINING,
        [ORR_NODE_DOWN] = ORR_EV_NODE_DOWN, [ORR_NODE_ASLEEP] = ORR_EV_NODE_ASLEEP,
        [ORR_NODE_FALLING_ASLEEP] = -1,     [ORR_NODE_WAKING] = -1};
    orr_sim *sim = self;
    orr_node_state state = orr_nodelife_state(&sim->capacity.nodes, node);
    orr_life_count_gpus(&sim->life, node);
    report(sim, node);
    int kind = state == was ? ORR_EV_NODE_GPUS : events[state];
    if (kind >= 0)
        tell_policy(sim, node, (orr_event){.kind = (orr_event_kind)kind});
}

/* Those on it run at another speed. */
static void clocked(void *self, int32_t node)
{
    orr_sim *sim = self;
    const orr_tenants *t = &sim->life.tenants[node];
    for (size_t i = 0; i < t->n; i++)
        orr_life_disturb(&sim->life, t->at[i]);
    report(sim, node);
}

/* ---- who must go ------------------------------------------------------------------------------------------------- */

static bool is_on(const orr_alloc *a, int32_t node, uint64_t gpus)
{
    for (int32_t i = 0; i < a->count; i++) {
        const orr_slice *s = &orr_slices(a)[i];
        if (s->node == node && (s->gpus & gpus || (!s->gpus && gpus == ~(uint64_t)0)))
            return true;
    }
    return false;
}

static orr_job *next_victim(const orr_life *life, int32_t node, uint64_t gpus)
{
    const orr_tenants *t = &life->tenants[node];
    for (size_t i = 0; i < t->n; i++)
        if (is_on(&t->at[i]->held, node, gpus))
            return t->at[i];
    return NULL;
}

/* Those that save their state there can't go on with it, whoever has got their GPUs meanwhile. O(live jobs), where
 * saving takes time and a node is lost. */
static void evict_saving(orr_sim *sim, int32_t node, uint64_t gpus)
{
    orr_time *free_at = sim->world.real->free_at;
    if (!free_at)
        return;
    for (orr_job *job = sim->life.first, *next; job; job = next) {
        next = job->next;
        if (job->state == ORR_JOB_CHECKPOINTING && is_on(&job->held, node, gpus))
            orr_life_interrupt(&sim->life, job, node);
    }
    for (int g = 0; g < ORR_NODE_MAX_GPUS; g++)
        if (gpus >> g & 1)
            free_at[(size_t)node * 64 + (size_t)g] = 0;
}

static void evict(void *self, int32_t node, uint64_t gpus)
{
    orr_sim *sim = self;
    for (orr_job *job; (job = next_victim(&sim->life, node, gpus)) != NULL;)
        orr_life_interrupt(&sim->life, job, node);
    evict_saving(sim, node, gpus);
    if (sim->serving)
        orr_serving_evict(sim->serving, node, gpus);
}

static void beside(void *self, int32_t node)
{
    const orr_sim *sim = self;
    if (sim->serving)
        orr_serving_node_beside(sim->serving, node);
}

/* To jobs it is as if they worked again. */
static void freed(void *self, int32_t node)
{
    tell_policy(self, node, (orr_event){.kind = ORR_EV_NODE_GPUS});
}

static void noticed(void *self, int32_t node, orr_time due)
{
    tell_policy(self, node, (orr_event){.kind = ORR_EV_NODE_NOTICE, .due = due});
}

static bool busy(void *self, int32_t node)
{
    const orr_sim *sim = self;
    return sim->life.tenants[node].n > 0;
}

/* ---- cancelled jobs ---------------------------------------------------------------------------------------------- */

bool orr_capacity_may_kill(const orr_job *job)
{
    return job->state == ORR_JOB_QUEUED || orr_holds(job);
}

static orr_job *live_job(const orr_life *life, uint32_t index)
{
    orr_job *job = life->first;
    while (job && job->index != index)
        job = job->next;
    return job;
}

/* One that ran at the origin and isn't placed yet. */
static void forget_resuming(orr_sim *sim, const orr_job *job)
{
    size_t left = 0;
    for (size_t i = 0; i < sim->resuming.n; i++)
        if (sim->resuming.at[i] != job)
            sim->resuming.at[left++] = sim->resuming.at[i];
    sim->resuming.n = left;
}

void orr_capacity_kill(orr_sim *sim, orr_job *job, const char *why)
{
    forget_resuming(sim, job);
    orr_life_cancel(&sim->life, job, why);
}

/* O(live jobs): users cancel few. */
static void cancel(orr_sim *sim, uint32_t index)
{
    orr_job *job = live_job(&sim->life, index);
    if (job && orr_capacity_may_kill(job))
        orr_capacity_kill(sim, job, "cancelled");
    else /* later; if it has ended already, never */
        ORR_VEC_PUSH(&sim->capacity.cancelled, index);
}

void orr_capacity_waits(orr_sim *sim, const orr_job *job)
{
    orr_capacity *c = &sim->capacity;
    for (size_t i = 0; i < c->cancelled.n; i++) {
        if (c->cancelled.at[i] != job->index)
            continue;
        c->cancelled.at[i] = c->cancelled.at[--c->cancelled.n];
        orr_queue_add(sim->world.queue, &(orr_queued){.at = sim->life.now,
                                                      .class_ = ORR_CLASS_SUBMIT,
                                                      .kind = ORR_CAPACITY_CANCEL,
                                                      .cookie = job->index});
        return;
    }
}

/* ---- capacity of a VC -------------------------------------------------------------------------------------------- */

/* Its first nodes stay, as many as hold so many GPUs; the others leave when they are empty. Which these are doesn't
 * depend on the policy. O(nodes of the VC) a change of capacity, of which there is one a day. */
static void set_capacity(orr_sim *sim, int32_t vc, int64_t gpus)
{
    orr_nodelife *nodes = &sim->capacity.nodes;
    const orr_pool *pool = orr_cluster_pool(sim->world.real, vc);
    int64_t sum = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        int32_t node = pool->nodes[i];
        bool stays = sum < gpus, leaves = nodes->nodes[node].wish == ORR_WISH_LEAVE;
        sum += sim->world.real->nodes[node].spec->gpus;
        if (stays == leaves)
            orr_nodelife_wish(nodes, node, stays ? ORR_WISH_TAKE : ORR_WISH_LEAVE);
    }
}

/* ---- what is listed ---------------------------------------------------------------------------------------------- */

static void regain(orr_nodelife *nodes, const orr_happening *h)
{
    if (h->gpus)
        orr_nodelife_regain_gpus(nodes, h->node, h->gpus);
    else
        orr_nodelife_regain(nodes, h->node);
}

static void lose(orr_nodelife *nodes, const orr_happening *h)
{
    if (h->gpus)
        orr_nodelife_lose_gpus(nodes, h->node, h->gpus);
    else
        orr_nodelife_lose(nodes, h->node);
}

static void say(orr_nodelife *nodes, const orr_happening *h, bool down)
{
    if (h->gpus)
        orr_nodelife_say_gpus(nodes, h->node, h->gpus, down);
    else
        orr_nodelife_say(nodes, h->node, ORR_LOSS_FAILED, down);
}

/* A drain ends for a node that still drains for it: what was wished since stays. */
static void resume(orr_nodelife *nodes, int32_t node)
{
    if (nodes->nodes[node].wish == ORR_WISH_DRAIN)
        orr_nodelife_wish(nodes, node, ORR_WISH_TAKE);
}

static void happen(orr_sim *sim, const orr_happening *h)
{
    orr_nodelife *nodes = &sim->capacity.nodes;
    switch (h->kind) {
    case ORR_HAPPENS_PRICE:
        tell_policy(sim, -1, (orr_event){.kind = ORR_EV_PRICE});
        break;
    case ORR_HAPPENS_CLOCK:
        orr_nodelife_clock(nodes, h->node, (int32_t)h->count);
        break;
    case ORR_HAPPENS_REGAIN:
        regain(nodes, h);
        break;
    case ORR_HAPPENS_UP:
        say(nodes, h, false);
        break;
    case ORR_HAPPENS_RETURN:
        orr_nodelife_say(nodes, h->node, ORR_LOSS_LENT, false);
        break;
    case ORR_HAPPENS_RESUME:
        resume(nodes, h->node);
        break;
    case ORR_HAPPENS_CAPACITY:
        set_capacity(sim, h->node, h->count);
        break;
    case ORR_HAPPENS_NOTICE:
        noticed(sim, h->node, h->due);
        break;
    case ORR_HAPPENS_DRAIN:
        orr_nodelife_wish(nodes, h->node, ORR_WISH_DRAIN);
        break;
    case ORR_HAPPENS_AWAY:
        orr_nodelife_say(nodes, h->node, ORR_LOSS_LENT, true);
        break;
    case ORR_HAPPENS_OWNED:
        told(sim, h->node, ORR_NODE_UP);
        break;
    case ORR_HAPPENS_LOSE:
        lose(nodes, h);
        break;
    case ORR_HAPPENS_DOWN:
        say(nodes, h, true);
        break;
    case ORR_HAPPENS_CANCEL:
        cancel(sim, (uint32_t)h->node);
        break;
    }
}

/* One queue event stands for the next of the list. */
static void await_next(orr_sim *sim)
{
    const orr_capacity *c = &sim->capacity;
    if (c->next < c->list.n)
        orr_queue_add(
            sim->world.queue,
            &(orr_queued){.at = c->list.at[c->next].at, .class_ = ORR_CLASS_CAPACITY, .kind = ORR_CAPACITY_LIST});
}

static void happen_next(orr_sim *sim, orr_time at)
{
    orr_capacity *c = &sim->capacity;
    while (c->next < c->list.n && c->list.at[c->next].at == at)
        happen(sim, &c->list.at[c->next++]);
    await_next(sim);
}

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

/* Weibull's, with this mean; at least 1 ns, so that time moves. */
static orr_time draw(orr_failing *f, orr_time mean, double shape)
{
    double u = (double)(orr_mix64(f->key ^ orr_mix64(f->draws++)) >> 11) * 0x1p-53;
    double scale = orr_time_seconds(mean) / tgamma(1 + 1 / shape);
    orr_time t = orr_time_from_seconds(gsl_cdf_weibull_Pinv(u, scale, shape));
    return t > 0 ? t : 1;
}

static void await_turn(orr_sim *sim, size_t i)
{
    orr_failing *f = &sim->capacity.failing.at[i];
    orr_time wait = f->down ? draw(f, f->how->mttr, f->how->repair_shape) : draw(f, f->how->mtbf, f->how->shape);
    orr_queue_add(sim->world.queue, &(orr_queued){.at = orr_time_add(sim->life.now, wait),
                                                  .class_ = ORR_CLASS_CAPACITY,
                                                  .kind = ORR_CAPACITY_FAILURE,
                                                  .cookie = i});
}

static void turn(orr_sim *sim, size_t i)
{
    orr_failing *f = &sim->capacity.failing.at[i];
    const orr_happening h = {.node = f->node, .gpus = f->gpus};
    f->down = !f->down;
    if (f->down)
        lose(&sim->capacity.nodes, &h);
    else
        regain(&sim->capacity.nodes, &h);
    await_turn(sim, i);
}

/* ---- the door ---------------------------------------------------------------------------------------------------- */

void orr_capacity_dispatch(orr_sim *sim, const orr_queued *event)
{
    switch (event->kind) {
    case ORR_CAPACITY_NODE:
        orr_nodelife_dispatch(&sim->capacity.nodes, event);
        break;
    case ORR_CAPACITY_LIST:
        happen_next(sim, event->at);
        break;
    case ORR_CAPACITY_FAILURE:
        turn(sim, (size_t)event->cookie);
        break;
    case ORR_CAPACITY_EARLY:
        orr_early_due(sim, (uint32_t)event->cookie);
        break;
    default:
        cancel(sim, (uint32_t)event->cookie);
    }
}

orr_err orr_capacity_begin(orr_sim *sim, orr_error *e)
{
    orr_capacity *c = &sim->capacity;
    c->scenario = sim->options.scenario;
    orr_nodelife_init(&c->nodes, sim->world.real, sim->world.queue, &sim->life.now, ORR_CAPACITY_NODE);
    c->nodes.self = sim;
    c->nodes.evict = evict;
    c->nodes.told = told;
    c->nodes.busy = busy;
    c->nodes.clocked = clocked;
    c->nodes.beside = beside;
    c->nodes.noticed = noticed;
    c->nodes.freed = freed;
    sim->world.nodes = &c->nodes;
    if (c->scenario) {
        c->nodes.sleep_time = c->scenario->sleep_time;
        c->nodes.wake_time = c->scenario->wake_time;
    }
    orr_err err = orr_capacity_resolve(sim, e);
    if (err)
        return err;
    sim->world.prices = c->prices;
    sim->world.price_types = c->price_types;
    sim->world.clocks = sim->truth.clocks = c->clocks;
    await_next(sim);
    for (size_t i = 0; i < c->failing.n; i++)
        await_turn(sim, i);
    return ORR_OK;
}

void orr_capacity_fini(orr_capacity *c)
{
    if (c->nodes.cluster)
        orr_nodelife_fini(&c->nodes);
    ORR_VEC_FREE(&c->list);
    ORR_VEC_FREE(&c->failing);
    ORR_VEC_FREE(&c->cancelled);
    orr_prices_destroy(c->prices);
    free(c->price_types);
    for (int32_t t = 0; t < c->clock_types; t++)
        orr_clocks_fini(&c->clocks[t]);
    free(c->clocks);
    free(c->watts);
}
