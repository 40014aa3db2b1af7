/* synergy: cores and memory by need instead of in proportion to GPUs. Every round the jobs are put in an order (fifo,
 * srtf, las or finish-time fairness), and GPUs are dealt out in it; jobs that don't fit into what is left are passed
 * over. Each job demands the cores and memory with which it reaches `need` of its best speed, by its profile, and gets
 *   tune          that, where there is room; else its fair share, in proportion to its GPUs; and where not even that is
 *                 left, because others got more than theirs, those are cut back to their fair share. So nobody gets
 *                 less than fair, and no GPU stays idle for want of cores;
 *   greedy        that, or nothing in this round;
 *   proportional  its fair share.
 * A job on several GPUs goes to the server with the fewest free GPUs that has room for it, else to as few as filling
 * them in that order takes. `keep=on` leaves a job that is counted in again on its GPUs, and only its cores and memory
 * change; `keep=off` places everyone anew.
 *
 * Source: Mohan et al., Synergy, OSDI'22, sections 3 and 4, and its public simulator (preset `sim`). The fair share is
 * that of the node with the least cores and memory a GPU. Jobs without a profile demand their fair share, and so do
 * those wider than a server. What a job asks of cores and memory in the trace is not looked at. Parts of GPUs and jobs
 * without GPUs are started where the placer says and left alone. */
#include <orrery/policy.h>

#include <math.h>

enum { FIFO, SRTF, LAS, FTF, FTF_LEAST };
enum { TUNE, GREEDY, PROPORTIONAL };

typedef struct settings {
    int32_t order, allocation, vc;
    bool keep;
    double need;
    orr_time round;
} settings;

typedef struct lot { /* a job's GPUs on one node in the round being made */
    orr_job *job;
    struct lot *next;
} lot;

typedef struct state {
    orr_host_each fair, most; /* a GPU's; a node's at most */
    bool cpus, mem;   /* are they modelled */
    orr_rounds *rounds;
    orr_heap wide;    /* scratch */
    lot **on_node;    /* [nodes]; those granted in this round, the latest first */
    lot *spare;
} state;

typedef struct own { /* by job */
    orr_host_each demand, has;
    int32_t place;    /* among the wide ones, and */
    size_t rank;      /* its place in the line before */
    double speed;     /* with what it demands; 0: that was not worked out yet */
} own;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool exceeds(orr_host_each a, orr_host_each b)
{
    return a.cpu_milli > b.cpu_milli || a.mem > b.mem;
}

/* ---- what there is, and what is needed --------------------------------------------------------------------------- */

/* O(nodes), once. */
static void measure(orr_ctx *ctx, state *s)
{
    s->fair = (orr_host_each){INT64_MAX, INT64_MAX};
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        int64_t cpus = INT64_C(1000) * orr_node_cpus(ctx, i), mem = orr_node_mem(ctx, i), gpus = orr_node_gpus(ctx, i);
        if (gpus == 0)
            continue;
        s->cpus |= cpus > 0;
        s->mem |= mem > 0;
        s->fair.cpu_milli = cpus ? least(s->fair.cpu_milli, cpus / gpus) : s->fair.cpu_milli;
        s->fair.mem = mem ? least(s->fair.mem, mem / gpus) : s->fair.mem;
        s->most.cpu_milli = cpus > s->most.cpu_milli ? cpus : s->most.cpu_milli;
        s->most.mem = mem > s->most.mem ? mem : s->most.mem;
    }
    s->fair.cpu_milli = s->cpus ? s->fair.cpu_milli : 0;
    s->fair.mem = s->mem ? s->fair.mem : 0;
}

static void ask(orr_ctx *ctx, const orr_job *job, own *o)
{
    const state *s = orr_state(ctx);
    const settings *k = orr_knobs(ctx);
    int32_t gpus = orr_job_gpus(job);
    double cpus, mem;
    *o = (own){.demand = s->fair, .speed = 1};
    bool known = k->allocation != PROPORTIONAL && orr_job_host_needs(ctx, job, k->need, &cpus, &mem);
    if (!known || gpus > orr_scope_widest(ctx, orr_rounds_scope(s->rounds, job)))
        return;
    if (s->cpus && cpus > 0)
        o->demand.cpu_milli = least((int64_t)ceil(cpus * 1000), s->most.cpu_milli / gpus);
    if (s->mem && mem > 0)
        o->demand.mem = least((int64_t)ceil(mem), s->most.mem / gpus);
    o->speed = orr_job_host_speed(ctx, job, s->cpus ? (double)o->demand.cpu_milli / 1000 : INFINITY,
                                  s->mem ? (double)o->demand.mem : INFINITY);
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* How long it takes from submission to end if it runs from now on, by how long it takes alone. */
static double slowdown(orr_ctx *ctx, const orr_job *job, const own *o)
{
    double spent = orr_time_seconds(orr_now(ctx) - orr_job_submit(job)), alone = orr_est_duration(ctx, job);
    return (spent + orr_est_remaining(ctx, job) / o->speed) / fmax(alone, 1e-9);
}

static double key_of(orr_ctx *ctx, const orr_job *job)
{
    own *o = own_of(ctx, job);
    if (o->speed == 0)
        ask(ctx, job, o);
    switch (((const settings *)orr_knobs(ctx))->order) {
    case SRTF:
        return orr_est_remaining(ctx, job) / o->speed;
    case LAS:
        return orr_job_service(ctx, job);
    case FTF:
        return -slowdown(ctx, job, o);
    case FTF_LEAST:
        return slowdown(ctx, job, o);
    default:
        return orr_time_seconds(orr_job_submit(job));
    }
}

static bool is_wider(void *self, const void *a, const void *b)
{
    int32_t x = orr_job_gpus(a), y = orr_job_gpus(b);
    return x != y ? x > y : own_of(self, a)->rank < own_of(self, b)->rank;
}

static int32_t *place_of(void *self, void *job)
{
    return &own_of(self, job)->place;
}

/* Wide gangs first, equal ones as they stand. */
static void widest_first(orr_ctx *ctx, orr_job **line, size_t n)
{
    orr_heap *heap = &((state *)orr_state(ctx))->wide;
    *heap = (orr_heap){.before = is_wider, .place = place_of, .self = ctx, .at = heap->at, .room = heap->room};
    for (size_t i = 0; i < n; i++) {
        own_of(ctx, line[i])->rank = i;
        orr_heap_add(ctx, heap, line[i]);
    }
    for (size_t i = 0; i < n; i++) {
        line[i] = heap->at[0];
        orr_heap_remove(heap, line[i]);
    }
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static bool give(orr_ctx *ctx, orr_plan *plan, orr_job *job, orr_host_each each)
{
    const state *s = orr_state(ctx);
    orr_alloc *out = orr_plan_alloc(plan);
    orr_request r = {.job = job, .gpus = orr_job_gpus(job), .milli = 1000, .scope = orr_rounds_scope(s->rounds, job)};
    const orr_alloc *held = orr_plan_held(plan, job);
    orr_err err = held ? orr_keep_hosted(ctx, plan, job, each, out) : orr_fill_hosted(ctx, &r, each, out);
    if (err || orr_plan_assign(plan, job, out))
        return false;
    own_of(ctx, job)->has = each;
    return true;
}

/* ---- cutting others back ----------------------------------------------------------------------------------------- */

static void enter(orr_ctx *ctx, const orr_plan *plan, orr_job *job)
{
    state *s = orr_state(ctx);
    const orr_alloc *held = orr_plan_held(plan, job);
    for (int32_t i = 0; i < orr_alloc_nodes(held); i++) {
        lot *l = s->spare ? s->spare : orr_alloc_memory(ctx, sizeof *l);
        int32_t node = orr_alloc_slices(held)[i].node;
        s->spare = s->spare ? s->spare->next : NULL;
        *l = (lot){.job = job, .next = s->on_node[node]};
        s->on_node[node] = l;
    }
}

static void clear_lots(state *s, int32_t nodes)
{
    for (int32_t i = 0; i < nodes; i++)
        while (s->on_node[i]) {
            lot *l = s->on_node[i];
            s->on_node[i] = l->next;
            l->next = s->spare;
            s->spare = l;
        }
}

/* Down to the fair share; less is always to be had. */
static bool trim(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    const state *s = orr_state(ctx);
    orr_host_each has = own_of(ctx, job)->has;
    return exceeds(has, s->fair) &&
           give(ctx, plan, job, (orr_host_each){least(has.cpu_milli, s->fair.cpu_milli), least(has.mem, s->fair.mem)});
}

/* Is `a` cut back before `b`? Fewest servers first, then most cores, then most memory a GPU, then who came first. */
static bool gives_way(orr_ctx *ctx, const orr_plan *plan, const orr_job *a, const orr_job *b)
{
    const own *x = own_of(ctx, a), *y = own_of(ctx, b);
    int32_t n = orr_alloc_nodes(orr_plan_held(plan, a)), m = orr_alloc_nodes(orr_plan_held(plan, b));
    if (n != m)
        return n < m;
    if (x->has.cpu_milli != y->has.cpu_milli)
        return x->has.cpu_milli > y->has.cpu_milli;
    return x->has.mem != y->has.mem ? x->has.mem > y->has.mem : orr_job_index(a) < orr_job_index(b);
}

/* Who holds more than the fair share on a node should give way one after the other, until `job` gets `each`. At most
 * as many as the node has GPUs. */
static bool cut_back_on(orr_ctx *ctx, orr_plan *plan, int32_t node, orr_job *job, orr_host_each each)
{
    const state *s = orr_state(ctx);
    for (;;) {
        orr_job *next = NULL;
        for (const lot *l = s->on_node[node]; l; l = l->next)
            if (l->job != job && exceeds(own_of(ctx, l->job)->has, s->fair) &&
                (!next || gives_way(ctx, plan, l->job, next)))
                next = l->job;
        if (!next || !trim(ctx, plan, next))
            return false;
        if (give(ctx, plan, job, each))
            return true;
    }
}

/* On its own nodes if it stays; else on the first with enough free GPUs; else on all that have some. */
static bool cut_back(orr_ctx *ctx, orr_plan *plan, orr_job *job, orr_host_each each)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    for (int32_t i = 0; held && i < orr_alloc_nodes(held); i++, held = orr_plan_held(plan, job))
        if (cut_back_on(ctx, plan, orr_alloc_slices(held)[i].node, job, each))
            return true;
    if (held)
        return false;
    orr_scope scope = orr_rounds_scope(((const state *)orr_state(ctx))->rounds, job);
    int32_t node = orr_node_with_at_least(ctx, scope, orr_job_gpus(job), -1);
    if (node >= 0 && cut_back_on(ctx, plan, node, job, each))
        return true;
    for (node = -1; (node = orr_node_with_at_least(ctx, scope, 1, node)) >= 0;)
        if (cut_back_on(ctx, plan, node, job, each))
            return true;
    return false;
}

static bool grant(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    const state *s = orr_state(ctx);
    const own *o = own_of(ctx, job);
    int32_t allocation = ((const settings *)orr_knobs(ctx))->allocation;
    if (give(ctx, plan, job, o->demand))
        return true;
    if (allocation != TUNE)
        return false;
    orr_host_each fair = exceeds(o->demand, s->fair) ? s->fair : o->demand;
    return give(ctx, plan, job, fair) || cut_back(ctx, plan, job, fair);
}

/* ---- the round --------------------------------------------------------------------------------------------------- */

/* Whoever isn't to keep its GPUs loses them; whoever is, the first `in`, lets go of what is more than fair until its
 * turn. */
static void let_go(orr_ctx *ctx, orr_plan *plan, orr_job *const *line, size_t n, size_t in)
{
    for (size_t i = 0; i < n; i++) {
        if (!orr_job_holds(line[i]))
            continue;
        if (i < in)
            trim(ctx, plan, line[i]);
        else
            orr_plan_preempt(plan, line[i]);
    }
}

/* In order, whether or not GPUs were counted before. */
static void deal(orr_ctx *ctx, orr_plan *plan, orr_job *const *line, size_t n, bool counted)
{
    const state *s = orr_state(ctx);
    for (size_t i = 0; i < n; i++) {
        int32_t *left = orr_rounds_left(s->rounds, line[i]);
        if (!counted && orr_job_gpus(line[i]) > *left)
            continue;
        if (grant(ctx, plan, line[i])) {
            *left -= counted ? 0 : orr_job_gpus(line[i]);
            enter(ctx, plan, line[i]);
        } else if (orr_plan_held(plan, line[i])) {
            orr_plan_preempt(plan, line[i]);
        }
    }
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    bool counted = k->keep || k->order == LAS;
    orr_job **line;
    if (!orr_rounds_due(s->rounds))
        return ORR_OK;
    size_t n = orr_rounds_line_up(s->rounds, key_of, &line), in = counted ? orr_rounds_count_in(s->rounds) : n;
    if (counted && k->allocation == TUNE)
        widest_first(ctx, line, in); /* they find room first */
    let_go(ctx, plan, line, n, k->keep ? in : 0);
    deal(ctx, plan, line, in, counted);
    clear_lots(s, orr_cluster_nodes(ctx));
    orr_rounds_start_others(s->rounds, plan);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_rounds_event(((state *)orr_state(ctx))->rounds, job, event);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    measure(ctx, s);
    s->on_node = orr_alloc_memory(ctx, (size_t)orr_cluster_nodes(ctx) * sizeof(lot *));
    s->rounds = orr_rounds_create(ctx, &(orr_rounds_rules){.period = k->round, .vc = k->vc});
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"order", ORR_KNOB_CHOICE, offsetof(settings, order), "fifo", "fifo|srtf|las|ftf|ftf-least",
     "who goes first: by submission, time left, GPU-seconds attained, slowdown (worst or least first)"},
    {"allocation", ORR_KNOB_CHOICE, offsetof(settings, allocation), "tune", "tune|greedy|proportional",
     "cores and memory by need and never below the fair share; by need or not at all; in proportion to GPUs"},
    {"need", ORR_KNOB_NUMBER, offsetof(settings, need), "0.9", "0.01..1", "part of its best speed that a job demands"},
    {"keep", ORR_KNOB_BOOL, offsetof(settings, keep), "on", NULL, "a job counted in again stays on its GPUs"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "300s", "1s..inf", "time from one round to the next"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "in their VC's nodes, or anywhere"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"sim", "need=1,keep=off", "as the public simulator: everyone is placed anew each round"},
    {NULL, NULL, NULL},
};

ORR_POLICY(synergy) = {
    .summary = "cores and memory by need, never below the share that goes with the GPUs",
    .cite = "Mohan et al., Synergy, OSDI'22",
    .deviations = "profiling runs are not charged to the cluster; the linear programs of its mode opt are not here",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_SERVICE] = ORR_KNOW_OBSERVED,
             [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
