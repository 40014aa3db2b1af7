#include "metrics/energy.h"

#include "base/mem.h"
#include "base/text.h"
#include "metrics/tally.h"
#include "sim/sim.h"
#include <math.h>

/* Of one pool, within the bounds: microwatts x ns, and millionths of money x ns / hour. */
typedef struct sums {
    orr_wide up, held, used, asleep, transition; /* held: of `up`, the idle power of GPUs that jobs hold */
    orr_wide money, money_held;
    double electricity; /* microwatts x millionths x ns / hour: too large for an integer */
    orr_wide node_ns;   /* nodes that are up or drain */
    uint64_t wakes;
} sums;

/* A node's GPUs run at this point from `since` on. */
typedef struct clocked {
    orr_time since;
    int32_t point;
} clocked;

typedef struct watched {
    orr_time since;
    orr_node_state state;
    int32_t gpus; /* that are up */
    ORR_VEC(clocked) clocks; /* all changes: a hold is reported when it is over */
} watched;

struct orr_energy {
    const orr_sim *sim;
    orr_time from, to; /* bounds; `to` ORR_TIME_NONE: none */
    bool has_util;
    int32_t pools, kwh; /* kwh: the price of electricity; -1: none */
    bool unpriced;      /* there was a GPU without a price */
    sums *sums;
    watched *nodes;
    int32_t count; /* of nodes: the simulation may be gone when this goes */
};

/* ---- life ---- */

static bool states_util(const orr_trace *trace)
{
    const char *const *names;
    size_t n = orr_trace_attributes(trace, &names);
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], "gpu_util") == 0)
            return true;
    return false;
}

orr_energy *orr_energy_create(const orr_sim *sim, const orr_measure *measure)
{
    const orr_cluster *c = sim->world.real;
    if (!sim->capacity.scenario)
        return NULL;
    orr_energy *w = orr_xcalloc(1, sizeof *w);
    orr_time first = orr_trace_count(sim->trace) ? orr_trace_jobs(sim->trace)[0].submit : 0, low = orr_measure_from(measure);
    w->sim = sim;
    w->from = low > first ? low : first;
    w->to = orr_measure_to(measure);
    w->has_util = states_util(sim->trace);
    w->pools = c->vcs;
    w->count = c->count;
    w->kwh = sim->capacity.prices ? orr_prices_own(sim->capacity.prices, "kWh") : -1;
    w->sums = orr_xcalloc((size_t)c->vcs + 1, sizeof *w->sums);
    w->nodes = orr_xcalloc((size_t)c->count + 1, sizeof *w->nodes);
    for (int32_t i = 0; i < c->count; i++)
        w->nodes[i].gpus = c->nodes[i].spec->gpus;
    return w;
}

void orr_energy_destroy(orr_energy *w)
{
    if (!w)
        return;
    for (int32_t i = 0; i < w->count; i++)
        ORR_VEC_FREE(&w->nodes[i].clocks);
    free(w->sums);
    free(w->nodes);
    free(w);
}

/* ---- integrals ---- */

static orr_time within(const orr_energy *w, orr_time at)
{
    at = at < w->from ? w->from : at;
    return w->to != ORR_TIME_NONE && at > w->to ? w->to : at;
}

typedef struct stretch {
    orr_time from, to;
} stretch;

static void draw(const orr_energy *w, sums *s, orr_wide *into, stretch t, int64_t microwatts)
{
    *into += ((orr_wide)t.to - t.from) * microwatts;
    if (w->kwh >= 0)
        s->electricity += (double)microwatts * (double)orr_prices_over(w->sim->capacity.prices, w->kwh, t.from, t.to);
}

/* `milli` thousandths of GPUs. */
static void pay(orr_energy *w, orr_wide *into, stretch t, const orr_node *n, int64_t milli)
{
    const orr_capacity *c = &w->sim->capacity;
    if (!c->prices || milli == 0 || t.to == t.from)
        return;
    int32_t type = c->price_types[orr_lowest_bit(n->type)];
    w->unpriced |= type < 0;
    if (type >= 0)
        *into += orr_prices_over(c->prices, type, t.from, t.to) * milli / ORR_WHOLE_GPU;
}

static orr_watts watts_of(const orr_energy *w, const orr_node *n)
{
    const orr_capacity *c = &w->sim->capacity;
    return c->watts ? c->watts[orr_lowest_bit(n->type)] : (orr_watts){0, 0};
}

/* A node was in one state since the last change. */
static void add_stretch(orr_energy *w, int32_t node, stretch t)
{
    const orr_node *n = &w->sim->world.real->nodes[node];
    const orr_power *power = &w->sim->capacity.scenario->power;
    const watched *was = &w->nodes[node];
    sums *s = &w->sums[n->vc];
    int64_t microwatts = power->known ? orr_power_of_node(power, was->state) : 0;
    if (was->state == ORR_NODE_UP || was->state == ORR_NODE_DRAINING) {
        s->node_ns += (orr_wide)t.to - t.from;
        draw(w, s, &s->up, t, microwatts + was->gpus * watts_of(w, n).idle);
        pay(w, &s->money, t, n, (int64_t)was->gpus * ORR_WHOLE_GPU);
    } else if (was->state == ORR_NODE_ASLEEP) {
        draw(w, s, &s->asleep, t, microwatts);
    } else {
        draw(w, s, &s->transition, t, microwatts);
    }
}

static void advance(orr_energy *w, int32_t node, orr_time at)
{
    const stretch t = {within(w, w->nodes[node].since), within(w, at)};
    if (t.to > t.from)
        add_stretch(w, node, t);
    w->nodes[node].since = at;
}

static void note_clock(watched *n, orr_time at, int32_t point)
{
    const int32_t was = n->clocks.n ? n->clocks.at[n->clocks.n - 1].point : 0;
    if (was != point)
        ORR_VEC_PUSH(&n->clocks, ((clocked){at, point}));
}

void orr_energy_node(orr_energy *w, const orr_node_change *change)
{
    watched *now = &w->nodes[change->node];
    orr_node_state state = orr_nodelife_state(&w->sim->capacity.nodes, change->node);
    advance(w, change->node, change->at);
    if (state == ORR_NODE_WAKING && now->state != state && within(w, change->at) == change->at)
        w->sums[w->sim->world.real->nodes[change->node].vc].wakes++;
    now->state = state;
    now->gpus = orr_bit_count(change->up);
    note_clock(now, change->at, w->sim->world.real->nodes[change->node].clock);
}

/* ---- what jobs use ---- */

/* Of each of its GPUs, 0..1. */
static double utilisation(const orr_energy *w, const orr_job *job)
{
    double percent;
    const char *text = w->has_util ? orr_trace_attribute(w->sim->trace, job->record, "gpu_util") : "";
    if (text[0] && orr_parse_double(text, strlen(text), &percent) && percent >= 0 && percent <= 100)
        return percent / 100;
    return job->profile && job->profile->gpu_util >= 0 ? job->profile->gpu_util : 1;
}

/* What it uses at the clocks that the node had meanwhile, piece by piece. */
static void draw_clocked(orr_energy *w, const orr_slice *slice, stretch t, double util)
{
    const orr_node *n = &w->sim->world.real->nodes[slice->node];
    const watched *node = &w->nodes[slice->node];
    const orr_watts full = watts_of(w, n);
    const int32_t milli = slice->milli > 0 ? slice->milli : ORR_WHOLE_GPU;
    size_t i = node->clocks.n;
    for (orr_time to = t.to; to > t.from;) { /* backwards: holds end late */
        while (i > 0 && node->clocks.at[i - 1].since >= to)
            i--;
        const orr_time since = i > 0 ? node->clocks.at[i - 1].since : t.from;
        const orr_time from = since > t.from ? since : t.from;
        const int32_t point = i > 0 ? node->clocks.at[i - 1].point : 0;
        const orr_clocks *clocks = point ? &w->sim->capacity.clocks[orr_lowest_bit(n->type)] : NULL;
        const orr_watts gpu = clocks ? orr_watts_at(&full, clocks->at[point]) : full;
        sums *s = &w->sums[n->vc];
        draw(w, s, &s->used, (stretch){from, to}, orr_bit_count(slice->gpus) * orr_power_of_use(&gpu, util, milli));
        to = from;
    }
}

static void add_slice(orr_energy *w, const orr_slice *slice, stretch t, double util)
{
    const orr_node *n = &w->sim->world.real->nodes[slice->node];
    sums *s = &w->sums[n->vc];
    const orr_watts gpu = watts_of(w, n);
    int32_t milli = slice->milli > 0 ? slice->milli : ORR_WHOLE_GPU;
    int64_t gpus = orr_bit_count(slice->gpus);
    s->held += ((orr_wide)t.to - t.from) * (gpus * gpu.idle * milli / ORR_WHOLE_GPU);
    draw_clocked(w, slice, t, util);
    pay(w, &s->money_held, t, n, gpus * milli);
}

void orr_energy_hold(orr_energy *w, const orr_hold *hold)
{
    const stretch t = {within(w, hold->start), within(w, hold->end)};
    double util = utilisation(w, hold->job);
    for (int32_t i = 0; t.to > t.from && i < hold->slice_count; i++)
        add_slice(w, &hold->slices[i], t, util);
}

/* ---- told ---- */

void orr_energy_close(orr_energy *w, orr_time now)
{
    for (int32_t i = 0; i < w->sim->world.real->count; i++)
        advance(w, i, now);
    w->to = within(w, now);
}

static void add(sums *all, const sums *s)
{
    all->up += s->up;
    all->held += s->held;
    all->used += s->used;
    all->asleep += s->asleep;
    all->transition += s->transition;
    all->money += s->money;
    all->money_held += s->money_held;
    all->electricity += s->electricity;
    all->node_ns += s->node_ns;
    all->wakes += s->wakes;
}

void orr_energy_untold(orr_metrics *out)
{
    out->without_scenario = out->without_power = out->without_prices = true;
    out->energy = out->energy_idle = out->energy_active = out->energy_asleep = out->energy_transition = NAN;
    out->cost = out->cost_held = out->cost_energy = out->nodes_up = NAN;
    out->node_wakes = 0;
}

static void tell_energy(const orr_energy *w, const sums *s, orr_metrics *out)
{
    out->without_power = !w->sim->capacity.watts;
    if (out->without_power)
        return;
    out->energy = orr_joules(s->up + s->used + s->asleep + s->transition);
    out->energy_idle = orr_joules(s->up - s->held);
    out->energy_active = orr_joules(s->held + s->used);
    out->energy_asleep = orr_joules(s->asleep);
    out->energy_transition = orr_joules(s->transition);
    if (w->kwh >= 0)
        out->cost_energy = s->electricity / (1e9 * 1e6 * 1e6 * 3600e3); /* ns x microwatts x millionths a kWh: money */
}

void orr_energy_tell(const orr_energy *w, int32_t pool, orr_metrics *out)
{
    sums all = {0};
    double window = (double)((orr_wide)w->to - w->from);
    orr_energy_untold(out);
    for (int32_t p = 0; p < w->pools; p++)
        if (pool < 0 || p == pool)
            add(&all, &w->sums[p]);
    out->without_scenario = false;
    out->nodes_up = window > 0 ? (double)all.node_ns / window : NAN;
    out->node_wakes = all.wakes;
    tell_energy(w, &all, out);
    out->without_prices = !w->sim->capacity.prices;
    if (out->without_prices || w->unpriced)
        return;
    out->cost = orr_money(all.money);
    out->cost_held = orr_money(all.money_held);
}
