/* pollux: GPUs where they make most goodput, shared fairly. Goodput is throughput times how much a sample of the batch
 * is worth; both are learned of each job while it runs: throughput is fitted to its measured iterations, efficiency
 * follows from its gradient noise. Every round a genetic search (orrery/evolve.h) looks for the matrix of jobs by
 * nodes with the greatest
 *   fitness = [ mean over jobs of (speedup_j * nodes / GPUs * f_j + 0.001)^p ]^(1/p),
 * where speedup is the best goodput with these GPUs, over any batch, by that of a fair share of the GPUs on one node;
 * f_j is 1 for a job that stays as it is, and max(age - penalty * restarts, 0) / (age + penalty) for one that would
 * restart. The population of one round is where the next one begins. Jobs on several nodes keep apart, two such jobs
 * on no node. A job may have twice the GPUs that it ever had, so that its model is never asked far from what was
 * measured. Its batch is tuned to what it holds, in each round and at the end of each epoch, which costs nothing; how
 * much of it a GPU has memory for is known. A job without a model is believed to scale in proportion to its GPUs.
 *
 * With max_nodes the cluster breathes: when the mean of sum speedup / GPUs, over one GPU, of the last 15 rounds leaves
 * [low, high], the number of nodes is searched whose allocation comes nearest to the middle, and nodes wake up or are
 * emptied and sleep.
 *
 * Source: Qiao et al., Pollux, OSDI'21, sections 3 and 4, and its public simulator (preset `osdi21`); preset
 * `adaptdl`: as in its later releases, the sum of speedups over one GPU, any restart costing a tenth, and few nodes as
 * second goal. Assumed: the band of utility, which is that of later releases; that the record of utility begins anew
 * when nodes were added or removed; jobs that hold one GPU at most keep their own batch, as in the simulator. Rigid
 * jobs get all of their GPUs or none. Parts of GPUs and jobs without GPUs start where the placer says and are left
 * alone. */
#include <orrery/evolve.h>
#include <orrery/policy.h>

#include <math.h>
#include <string.h>

enum { MEAN, SUM };          /* fitness */
enum { MOST_GPUS = 64, RECORD = 16 };

typedef struct settings {
    orr_time round, penalty;
    int64_t gpus, nodes, min_nodes, max_nodes, population, generations;
    double p, keep, low, high;
    int32_t fitness, vc;
    bool apart;
} settings;

typedef struct own { /* by job */
    bool app, fitted, alone; /* alone: on one GPU at most, with its own batch */
    bool told;               /* of an epoch since it was last tuned */
    int32_t places;          /* times it was given GPUs, or others */
    int32_t least, most, widest;
    int64_t round;           /* of which `row` is */
    int32_t row;
    size_t measured;
    orr_batch_limits limits;
    orr_perf perf;
    orr_noise noise;
    double goodput[2][MOST_GPUS + 1]; /* on one node, on several; < 0: not worked out yet */
} own;

typedef struct state {
    orr_rounds *rounds;
    orr_evolve *evolve;
    orr_line told;   /* jobs of which an epoch ended since the last decision */
    int64_t round;
    /* of the round being made; by row */
    orr_job **line;
    own **owns;
    double *base, *changed;
    int32_t *from, *least, *most;
    int32_t rows, rows_room;
    /* by column: node */
    int32_t *capacity, *held;
    int32_t columns, target; /* target: nodes that should be on */
    uint32_t *start; /* what jobs hold */
    orr_deal_part *parts;
    size_t parts_room;
    orr_deal present;
    orr_merit merit;
    orr_ctx *ctx;
    double record[RECORD]; /* of utility, the latest last */
    int32_t recorded;
} state;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static int32_t bits(uint64_t x)
{
    int32_t n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static int32_t at_most(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

/* ---- what is known of a job -------------------------------------------------------------------------------------- */

static void forget(own *o)
{
    for (int32_t i = 0; i <= MOST_GPUS; i++)
        o->goodput[0][i] = o->goodput[1][i] = -1;
}

/* GPUs are alike to it: the type with the least memory decides how much goes on one. */
static void meet(orr_ctx *ctx, const orr_job *job)
{
    own *o = own_of(ctx, job);
    orr_batch_limits limits;
    o->app = orr_job_batch_limits(ctx, job, &o->limits);
    for (int32_t type = 0; type < orr_cluster_types(ctx); type++)
        if (orr_job_batch_limits_on(ctx, job, type, NULL, &limits) && limits.local_most < o->limits.local_most)
            o->limits.local_most = limits.local_most;
    o->alone = orr_job_max_gpus(job) == 1;
    o->round = -1;
    forget(o);
}

/* Fits anew what was measured anew. */
static void learn(orr_ctx *ctx, const orr_job *job, own *o)
{
    const orr_measurement *measured;
    size_t n = o->app ? orr_job_measurements(ctx, job, -1, &measured) : 0;
    if (n == 0)
        return;
    orr_noise noise = orr_job_noise(ctx, job);
    if (n == o->measured && noise.sqr == o->noise.sqr && noise.var == o->noise.var)
        return;
    if (n > o->measured)
        orr_perf_fit(measured, n, NULL, &o->perf);
    for (; o->measured < n; o->measured++)
        o->widest = measured[o->measured].gpus > o->widest ? measured[o->measured].gpus : o->widest;
    o->noise = noise;
    o->fitted = true;
    forget(o);
}

static double goodput(own *o, int32_t gpus, int32_t nodes)
{
    double *known = &o->goodput[nodes > 1][gpus];
    orr_batch batch;
    if (*known < 0)
        *known = orr_goodput_best(&o->perf, o->noise, &o->limits, nodes > 1 ? 2 : 1, gpus, &batch);
    return *known;
}

/* Goodput of so many GPUs on one node, or of the most that it can use. A job without a model: its GPUs. */
static double base_of(own *o, int32_t gpus)
{
    double best = 0;
    if (!o->fitted)
        return gpus;
    for (gpus = at_most(gpus, MOST_GPUS); gpus > 0 && best <= 0; gpus--)
        best = goodput(o, gpus, 1);
    return best > 0 ? best : 1;
}

static double speedup(void *self, int32_t row, int32_t gpus, int32_t nodes)
{
    const state *s = self;
    own *o = s->owns[row];
    return (o->fitted ? goodput(o, gpus, nodes) : gpus) / s->base[row];
}

/* ---- the batch --------------------------------------------------------------------------------------------------- */

/* Of the best goodput; before anything was measured the initial one, or the least that so many GPUs can have. {0, 0}: its own. */
static orr_batch batch_for(const own *o, int32_t gpus, int32_t nodes)
{
    orr_batch batch = {0, 0};
    if (!o->app || o->alone)
        return batch;
    int64_t least = (int64_t)o->limits.local_least * gpus;
    if (o->fitted)
        orr_goodput_best(&o->perf, o->noise, &o->limits, nodes, gpus, &batch);
    if (batch.local == 0)
        batch = orr_batch_split(&o->limits, gpus, least > o->limits.initial ? least : o->limits.initial);
    batch.local = at_most(batch.local, o->limits.most / (gpus * ((int64_t)batch.steps + 1)));
    return batch;
}

static void tune(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    own *o = own_of(ctx, job);
    const orr_alloc *held = orr_plan_held(plan, job);
    o->told = false;
    orr_batch batch = held ? batch_for(o, orr_alloc_gpus(held), orr_alloc_nodes(held)) : (orr_batch){0, 0};
    if (batch.local > 0)
        orr_plan_tune(plan, job, batch);
}

static void tune_told(orr_ctx *ctx, orr_plan *plan)
{
    orr_line *told = &((state *)orr_state(ctx))->told;
    for (size_t i = 0; i < told->n; i++) {
        learn(ctx, told->at[i], own_of(ctx, told->at[i]));
        tune(ctx, plan, told->at[i]);
    }
    told->n = 0;
}

/* ---- the round as numbers ---------------------------------------------------------------------------------------- */

static void make_room(orr_ctx *ctx, state *s, int32_t rows)
{
    if (rows <= s->rows_room)
        return;
    s->rows_room = rows + rows / 2 + 16;
    size_t n = (size_t)s->rows_room;
    s->owns = orr_alloc_memory(ctx, n * sizeof *s->owns);
    s->base = orr_alloc_memory(ctx, n * sizeof *s->base);
    s->changed = orr_alloc_memory(ctx, n * sizeof *s->changed);
    s->from = orr_alloc_memory(ctx, n * sizeof *s->from);
    s->least = orr_alloc_memory(ctx, n * sizeof *s->least);
    s->most = orr_alloc_memory(ctx, n * sizeof *s->most);
    s->start = orr_alloc_memory(ctx, (n + 1) * sizeof *s->start);
}

/* What the job holds, by node in order. */
static uint32_t write_held(orr_ctx *ctx, state *s, const orr_plan *plan, const orr_job *job, uint32_t first)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    int32_t n = held ? orr_alloc_nodes(held) : 0;
    uint32_t end = first;
    if (first + (size_t)n > s->parts_room) {
        s->parts_room = 2 * (first + (size_t)n) + 64;
        orr_deal_part *more = orr_alloc_memory(ctx, s->parts_room * sizeof *more);
        if (first)
            memcpy(more, s->parts, first * sizeof *more);
        s->parts = more;
    }
    for (int32_t i = 0; i < n; i++) {
        orr_slice slice = orr_alloc_slices(held)[i];
        uint32_t at = end++;
        for (; at > first && s->parts[at - 1].column > slice.node; at--)
            s->parts[at] = s->parts[at - 1];
        s->parts[at] = (orr_deal_part){(uint16_t)slice.node, (uint16_t)bits(slice.gpus)};
        s->held[slice.node] += bits(slice.gpus);
    }
    return end;
}

static double kept_after(orr_ctx *ctx, const orr_job *job, const own *o)
{
    const settings *k = orr_knobs(ctx);
    double age = orr_time_seconds(orr_now(ctx) - orr_job_submit(job)), penalty = orr_time_seconds(k->penalty);
    int32_t restarts = o->places > 1 ? o->places - 1 : 0;
    if (k->keep > 0)
        return k->keep;
    return age + penalty > 0 ? fmax(age - penalty * restarts, 0) / (age + penalty) : 1;
}

static void write_row(orr_ctx *ctx, state *s, int32_t row)
{
    const settings *k = orr_knobs(ctx);
    orr_job *job = s->line[row];
    own *o = own_of(ctx, job);
    learn(ctx, job, o);
    int64_t most = orr_job_max_gpus(job);
    if (o->app && !o->alone) {
        most = at_most(most, at_most(k->gpus, o->limits.most / o->limits.local_least));
        most = at_most(most, o->widest ? 2 * o->widest : 1);
    }
    s->owns[row] = o;
    s->least[row] = orr_job_min_gpus(job);
    s->most[row] = (int32_t)(most > s->least[row] ? most : s->least[row]);
    s->changed[row] = kept_after(ctx, job, o);
    s->from[row] = o->round == s->round ? o->row : -1;
    o->row = row;
    o->round = s->round + 1;
}

/* O(nodes + jobs + what they hold), and fits. */
static void write_round(orr_ctx *ctx, state *s, const orr_plan *plan)
{
    make_room(ctx, s, s->rows);
    memset(s->held, 0, (size_t)s->columns * sizeof *s->held);
    for (int32_t i = 0; i < s->rows; i++) {
        s->start[i + 1] = write_held(ctx, s, plan, s->line[i], s->start[i]);
        write_row(ctx, s, i);
    }
    s->present = (orr_deal){s->rows, s->start, s->parts};
    s->round++;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static bool may(void *self, int32_t row, int32_t node)
{
    const state *s = self;
    int32_t vc = orr_rounds_scope(s->rounds, s->line[row]).vc;
    return orr_node_suits(s->ctx, s->line[row], node) &&
           (vc < 0 || orr_vcs_are_tenants(s->ctx) || orr_node_vc(s->ctx, node) == vc);
}

static void score(void *self, const orr_deal *deal, double scores[2])
{
    orr_merit_score(&((state *)self)->merit, deal, scores);
}

static int32_t total_gpus(const state *s, int32_t *nodes)
{
    int32_t gpus = 0;
    *nodes = 0;
    for (int32_t i = 0; i < s->columns; i++) {
        gpus += s->capacity[i];
        *nodes += s->capacity[i] > 0;
    }
    return gpus;
}

static const orr_deal *search(orr_ctx *ctx, state *s, orr_evolve *evolve, const int32_t *from)
{
    const settings *k = orr_knobs(ctx);
    int32_t nodes, gpus = total_gpus(s, &nodes);
    bool sum = k->fitness == SUM;
    orr_evolve_rules rules = orr_evolve_usual();
    rules.deal = (orr_deal_rules){.rows = s->rows, .columns = s->columns, .capacity = s->capacity, .most = s->most,
                                  .least = s->least, .most_columns = (int32_t)k->nodes, .apart = k->apart, .may = may, .self = s};
    rules.score = score;
    rules.self = s;
    rules.population = (int32_t)k->population;
    rules.generations = (int32_t)k->generations;
    for (int32_t i = 0; i < s->rows; i++)
        s->base[i] = base_of(s->owns[i], sum ? 1 : (gpus + s->rows - 1) / s->rows);
    s->merit = (orr_merit){.value = speedup, .self = s, .scale = gpus && !sum ? (double)nodes / gpus : 1, .power = sum ? 1 : k->p,
                           .floor = 0.001, .changed = s->changed, .present = &s->present, .capacity = s->capacity,
                           .columns = s->columns, .fewest = sum};
    double scores[2];
    return orr_evolve_run(evolve, &rules, &s->present, from, scores);
}

static double utility_of(state *s, const orr_deal *deal)
{
    int32_t nodes, gpus = total_gpus(s, &nodes);
    double sum = 0;
    for (int32_t i = 0; i < s->rows; i++) {
        int32_t units = orr_deal_units(deal, i), columns = (int32_t)(deal->start[i + 1] - deal->start[i]);
        s->base[i] = base_of(s->owns[i], 1);
        sum += units ? speedup(s, i, units, columns) : 0;
    }
    return gpus ? sum / gpus : 0;
}

/* ---- a cluster that breathes ------------------------------------------------------------------------------------- */

static bool breathes(const settings *k)
{
    return k->max_nodes > k->min_nodes;
}

/* GPUs of the first `n` nodes that aren't down, asleep or not. */
static void pretend(orr_ctx *ctx, state *s, int32_t n)
{
    for (int32_t i = 0; i < s->columns; i++) {
        bool in = n > 0 && orr_node_state_now(ctx, i) != ORR_NODE_DOWN;
        s->capacity[i] = in ? orr_node_gpus(ctx, i) : 0;
        n -= in;
    }
}

static double utility_with(orr_ctx *ctx, state *s, int32_t nodes)
{
    orr_evolve *evolve = orr_evolve_create(orr_random_below(ctx, UINT64_MAX));
    pretend(ctx, s, nodes);
    double utility = utility_of(s, search(ctx, s, evolve, NULL));
    orr_evolve_destroy(evolve);
    return utility;
}

static int32_t nodes_for(orr_ctx *ctx, state *s, double utility)
{
    const settings *k = orr_knobs(ctx);
    int32_t low = (int32_t)k->min_nodes, high = at_most(k->max_nodes, s->columns), best = s->target;
    double nearest = INFINITY;
    while (low <= high) {
        int32_t middle = (low + high) / 2;
        double now = utility_with(ctx, s, middle);
        if (fabs(now - utility) < nearest) {
            nearest = fabs(now - utility);
            best = middle;
        }
        if (now > utility) /* more nodes are used less well */
            low = middle + 1;
        else
            high = middle - 1;
    }
    return best;
}

static void record(state *s, double utility)
{
    if (s->recorded == RECORD)
        memmove(s->record, s->record + 1, (size_t)--s->recorded * sizeof *s->record);
    s->record[s->recorded++] = utility;
}

/* How many nodes there should be from now on. */
static void breathe(orr_ctx *ctx, state *s)
{
    const settings *k = orr_knobs(ctx);
    double mean = 0;
    if (s->recorded < RECORD)
        return;
    for (int32_t i = 1; i < RECORD; i++)
        mean += s->record[i] / (RECORD - 1);
    if (mean >= k->low && mean <= k->high)
        return;
    int32_t target = nodes_for(ctx, s, (k->low + k->high) / 2);
    s->recorded = target == s->target ? s->recorded : 0;
    s->target = target;
}

/* The first nodes that aren't down should be on, the others off. */
static void switch_nodes(orr_ctx *ctx, orr_plan *plan, const state *s)
{
    int32_t n = s->target;
    for (int32_t i = 0; i < s->columns; i++) {
        orr_node_state now = orr_node_state_now(ctx, i);
        bool on = n > 0 && now != ORR_NODE_DOWN;
        n -= on;
        if (on && now == ORR_NODE_ASLEEP)
            orr_plan_node(plan, i, ORR_NODE_WAKE);
        else if (on && now == ORR_NODE_DRAINING)
            orr_plan_node(plan, i, ORR_NODE_RESUME);
        else if (!on && now == ORR_NODE_UP)
            orr_plan_node(plan, i, ORR_NODE_SLEEP);
    }
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

/* GPUs of nodes that are on and are to stay so, but for those held in parts or by others. O(nodes). */
static void count_capacity(orr_ctx *ctx, state *s)
{
    int32_t n = s->target;
    for (int32_t i = 0; i < s->columns; i++) {
        orr_node_state now = orr_node_state_now(ctx, i);
        bool in = n > 0 && now != ORR_NODE_DOWN;
        n -= in;
        s->capacity[i] = in && now == ORR_NODE_UP ? bits(orr_node_free_gpus(ctx, i)) + s->held[i] : 0;
    }
}

static bool give(orr_plan *plan, orr_job *job, const own *o, const orr_deal *deal, int32_t row)
{
    orr_alloc *out = orr_plan_alloc(plan);
    for (uint32_t i = deal->start[row]; i < deal->start[row + 1]; i++)
        if (orr_alloc_take(out, plan, deal->parts[i].column, deal->parts[i].count))
            return false;
    orr_batch batch = batch_for(o, orr_alloc_gpus(out), orr_alloc_nodes(out));
    return (batch.local > 0 ? orr_plan_assign_tuned(plan, job, out, batch) : orr_plan_try_assign(plan, job, out)) == ORR_OK;
}

/* Deals count GPUs alone: who finds no cores or memory there goes where the placer says, on as many, or on as few as it can. */
static void give_elsewhere(orr_ctx *ctx, orr_plan *plan, const state *s, orr_job *job, int32_t gpus)
{
    const orr_scope scope = orr_rounds_scope(s->rounds, job);
    if (orr_plan_resize(plan, job, gpus, scope) && orr_plan_resize(plan, job, orr_job_min_gpus(job), scope))
        orr_note_decision(ctx, job, "no cores or memory, or it can't run so");
}

/* Whoever changes lets go before anybody takes. */
static void apply(orr_ctx *ctx, orr_plan *plan, const state *s, const orr_deal *deal)
{
    for (int32_t i = 0; i < s->rows; i++)
        if (s->start[i] < s->start[i + 1] && !orr_deal_same_row(deal, &s->present, i))
            orr_plan_preempt(plan, s->line[i]);
    for (int32_t i = 0; i < s->rows; i++) {
        if (orr_deal_same_row(deal, &s->present, i))
            tune(ctx, plan, s->line[i]);
        else if (orr_deal_units(deal, i) > 0)
            (void)give(plan, s->line[i], s->owns[i], deal, i);
    }
    for (int32_t i = 0; i < s->rows; i++)
        if (orr_deal_units(deal, i) > 0 && !orr_plan_held(plan, s->line[i]))
            give_elsewhere(ctx, plan, s, s->line[i], orr_deal_units(deal, i));
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    tune_told(ctx, plan);
    if (!orr_rounds_due(s->rounds))
        return ORR_OK;
    s->rows = (int32_t)orr_rounds_line_up(s->rounds, orr_job_service, &s->line);
    if (s->rows) {
        write_round(ctx, s, plan);
        if (breathes(k)) {
            breathe(ctx, s);
            switch_nodes(ctx, plan, s);
        }
        count_capacity(ctx, s);
        const orr_deal *deal = search(ctx, s, s->evolve, s->from);
        if (breathes(k))
            record(s, utility_of(s, deal));
        apply(ctx, plan, s, deal);
    }
    orr_rounds_start_others(s->rounds, plan);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    own *o = own_of(ctx, job);
    orr_rounds_event(s->rounds, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        meet(ctx, job);
    o->places += event->kind == ORR_EV_STARTED || event->kind == ORR_EV_RESIZED || event->kind == ORR_EV_MIGRATED;
    if (event->kind == ORR_EV_EPOCH && !o->told) {
        o->told = true;
        orr_line_add(ctx, &s->told, job);
    } else if (event->kind == ORR_EV_ENDED && o->told) {
        orr_line_remove(&s->told, job);
    }
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    s->ctx = ctx;
    s->columns = orr_cluster_nodes(ctx);
    s->target = breathes(k) ? at_most(k->max_nodes, s->columns) : s->columns;
    s->capacity = orr_alloc_memory(ctx, (size_t)s->columns * sizeof *s->capacity);
    s->held = orr_alloc_memory(ctx, (size_t)s->columns * sizeof *s->held);
    s->evolve = orr_evolve_create(orr_random_below(ctx, UINT64_MAX));
    s->rounds = orr_rounds_create(ctx, &(orr_rounds_rules){.period = k->round, .vc = k->vc});
    orr_trigger_events(ctx, 1u << ORR_EV_SUBMITTED | 1u << ORR_EV_EPOCH);
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    orr_evolve_destroy(((state *)orr_state(ctx))->evolve);
}

static const orr_knob knobs[] = {
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "60s", "1s..inf", "time from one round to the next"},
    {"fitness", ORR_KNOB_CHOICE, offsetof(settings, fitness), "mean", "mean|sum",
     "power mean of speedups over a fair share; sum of those over one GPU, with few nodes as second goal"},
    {"p", ORR_KNOB_NUMBER, offsetof(settings, p), "-1", "-20..1",
     "exponent of that mean: the less, the fairer; 1: efficiency alone"},
    {"penalty", ORR_KNOB_TIME, offsetof(settings, penalty), "30s", "0s..1h", "what a restart is believed to cost"},
    {"keep", ORR_KNOB_NUMBER, offsetof(settings, keep), "0", "0..1",
     "part of its speedup that counts for a job that would restart; 0: by its age and restarts"},
    {"gpus", ORR_KNOB_INT, offsetof(settings, gpus), "64", "1..64", "most GPUs of a job whose model is learned"},
    {"nodes", ORR_KNOB_INT, offsetof(settings, nodes), "16", "1..65535", "most nodes of a job"},
    {"apart", ORR_KNOB_BOOL, offsetof(settings, apart), "on", NULL, "no node has two jobs that are on several nodes"},
    {"population", ORR_KNOB_INT, offsetof(settings, population), "100", "2..10000", "allocations that are bred at a time"},
    {"generations", ORR_KNOB_INT, offsetof(settings, generations), "100", "1..100000", "of those, in each round"},
    {"min_nodes", ORR_KNOB_INT, offsetof(settings, min_nodes), "0", "0..65535", "nodes that are always on, if max_nodes is more"},
    {"max_nodes", ORR_KNOB_INT, offsetof(settings, max_nodes), "0", "0..65535", "nodes that may be on; 0: all are"},
    {"low", ORR_KNOB_NUMBER, offsetof(settings, low), "0.35", "0..1", "utility below which nodes are switched off"},
    {"high", ORR_KNOB_NUMBER, offsetof(settings, high), "0.65", "0..1", "utility above which nodes are switched on"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "in their VC's nodes, or anywhere"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"osdi21", "fitness=mean,keep=0", "as the paper and its simulator"},
    {"adaptdl", "fitness=sum,keep=0.9", "as later releases: sum of speedups over one GPU"},
    {NULL, NULL, NULL},
};

ORR_POLICY(pollux) = {
    .summary = "goodput: GPUs and batch sizes by learned models, by a genetic search for the fairest fast allocation",
    .cite = "Qiao et al., Pollux, OSDI'21",
    .deviations = "nodes are switched on and off by index; adaptdl's choice of a node count from the front of its search is "
                  "not here",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED, [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .fini = fini,
    .on_job = on_job,
    .schedule = schedule,
};
