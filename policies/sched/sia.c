/* sia: goodput of adaptive jobs on GPUs of unlike types, as an integer program every round.
 *
 *   configurations  a job runs on 1, 2, 4, … GPUs of one node, or on whole nodes, of one type; so everybody who is chosen finds a place
 *   goodput         of each job in each configuration, from a throughput model for each type, fitted to the iterations that the job has
 *                   run with, and its gradient noise. A type on which it hasn't run yet is taken to scale as the first one on which it
 *                   has, in proportion to their speeds with one GPU. A job that never ran gets one GPU, and at most twice as many
 *                   as it ever had
 *   utility         goodput by the least one of the job, times (age - restarts x S) / (age + S) where it would have to restart (S seconds)
 *   choice          of one configuration at most for each job: the least sum of utility^p, of lambda_n for each job without GPUs,
 *                   and of lambda_a for each entry of the matrix of choices that changes. Exact (orr_choose_options)
 *   placement       who keeps type and number of GPUs keeps its GPUs. Whole nodes first, empty ones from the last on, or the emptiest after
 *                   its small jobs have left; then the others, widest first, where they leave least room
 *
 * The trace's attribute `category` says what of a job may be chosen: of `adaptive` ones, the default, GPUs, type and batch; `scale-gpus`: its
 * batch is its own; `rigid`: its GPUs, too. A job whose model isn't an application is rigid, unless the trace has a range of
 * GPUs for it.
 *
 * Source: Jayaram Subramanya et al., Sia, SOSP'23, sections 3 and 4; the authors' simulator (preset sosp23). Assumed: p = 0 stands for the
 * logarithm, for which no program is published. */
#include <orrery/policy.h>
#include <orrery/solve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ADAPTIVE, SCALE_GPUS, RIGID };

typedef struct settings {
    double p, lambda_n, lambda_a;
    orr_time round, restart;
    const char *restarts;
    int32_t vc;
} settings;

/* GPUs of one type, of one VC's nodes or all. */
typedef struct pool {
    orr_scope scope;
    int32_t type, width, *node, nodes;
    int32_t first, count; /* its configurations */
    int32_t room;         /* GPUs to be dealt out in this round */
} pool;

typedef struct config {
    int32_t pool, gpus, nodes;
} config;

/* What is known of a job on one type. */
typedef struct model {
    bool known;
    orr_perf perf;
    orr_batch_limits limits;
    double peak; /* speed with one GPU; 0: it can't run on this type */
} model;

/* A job's, given to another when it has ended. */
typedef struct sheet {
    struct sheet *next;
    model *models; /* [types] */
    size_t *seen;  /* [types] measurements that went into each */
    double *row;   /* goodput of its columns; 0: not possible. Configurations of its VC; of a rigid job its pools */
    orr_noise noise;
    bool filled;
    int32_t most;  /* GPUs that it may be given */
} sheet;

typedef struct own {
    sheet *sheet;
    bool trains;            /* its model is an application */
    int32_t category, base; /* the first pool of its VC */
    int32_t restarts;
    double pause;    /* S */
    config now;      /* what it holds; gpus 0: nothing */
    config next;     /* what it is to have */
    orr_batch batch; /* as it was tuned */
    bool judged; /* some configuration of one type will do for it */
} own;

typedef struct state {
    orr_rounds *rounds;
    pool *pools;
    config *configs;
    int32_t types, vcs, most_configs; /* of one VC */
    sheet *spare;
    /* one round */
    orr_option_list options;
    int32_t *room, seats_room;
    orr_seat *seats;
} state;

static own *of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Goodput with a batch that may be chosen, or (total > 0) with its own. 0: it can't run so. */
static double model_goodput(const model *m, orr_noise noise, int64_t total, int32_t nodes, int32_t gpus)
{
    orr_batch batch;
    if (total <= 0)
        return orr_goodput_best(&m->perf, noise, &m->limits, nodes, gpus, &batch);
    batch = orr_batch_split(&m->limits, gpus, total);
    if (batch.local < 1 || batch.local > m->limits.local_most || (int64_t)m->limits.local_least * gpus > total)
        return 0;
    const int64_t all = orr_batch_total(batch, gpus);
    return orr_throughput(&m->perf, nodes, gpus, batch) * orr_efficiency(noise, m->limits.initial, all);
}

/* On a type without a model of its own: as the first type that has one, by their speeds with one GPU. Without any model all that it may have
 * is worth the same. `width[t]`: GPUs of that type's nodes. */
static double goodput_on(const model *models, const int32_t *width, int32_t types, orr_noise noise, int64_t total, int32_t type,
                         const config *c)
{
    int32_t from = 0;
    if (models[type].known)
        return model_goodput(&models[type], noise, total, c->nodes, c->gpus);
    while (from < types && !models[from].known)
        from++;
    if (from == types)
        return 1;
    if (models[from].peak <= 0 || width[from] < 1)
        return 0;
    const int32_t nodes = (c->gpus + width[from] - 1) / width[from];
    return model_goodput(&models[from], noise, total, nodes, c->gpus) * models[type].peak / models[from].peak;
}

/* So that the least useful column that is possible has the utility 1. */
static void normalise(double *row, int32_t n, double least_is)
{
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++)
        if (row[i] > 0)
            least = fmin(least, row[i]);
    for (int32_t i = 0; i < n && least < INFINITY; i++)
        row[i] *= least_is / least;
}

static double restart_factor(double age, int32_t restarts, double pause)
{
    return age < pause ? 1 : fmax(age - restarts * pause, 0) / (age + pause);
}

/* What the program adds up, to two decimals: less is better, whatever p is. */
static double cost_of(double utility, double p)
{
    const double most = 3000, u = fmax(utility, 1e-30);
    const double value = p == 0 ? log(u) : fmin(pow(u, p), most);
    return (p < 0 ? 1 : -1) * nearbyint(value * 100) / 100;
}

/* "NAME:SECONDS/…" */
static double pause_of(const settings *k, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = k->restarts; *at; at += *at == '/') {
        const size_t length = strcspn(at, ":/");
        if (n > 0 && length == n && memcmp(at, name, n) == 0 && at[n] == ':')
            return strtod(at + n + 1, NULL);
        at += strcspn(at, "/");
    }
    return orr_time_seconds(k->restart);
}

/* ---- what a job can be given ------------------------------------------------------------------------------------- */

static int32_t columns(const state *s, const own *o)
{
    const pool *last = &s->pools[o->base + s->types - 1];
    return o->category == RIGID ? s->types : last->first + last->count - s->pools[o->base].first;
}

static config column(const state *s, const orr_job *job, const own *o, int32_t i)
{
    if (o->category != RIGID)
        return s->configs[s->pools[o->base].first + i];
    const pool *p = &s->pools[o->base + i];
    const int32_t gpus = orr_job_gpus(job);
    return (config){o->base + i, gpus, p->width ? (gpus + p->width - 1) / p->width : 0};
}

static bool allowed(orr_ctx *ctx, const orr_job *job, const pool *p)
{
    return p->nodes > 0 && orr_node_suits(ctx, job, p->node[0]);
}

/* A rigid job's speed; that of a job that scales in proportion, or as the scenario knows. */
static double plain_speed(orr_ctx *ctx, const orr_job *job, const own *o, const pool *p, const config *c)
{
    if (c->gpus > p->nodes * p->width)
        return 0;
    if (o->trains || o->category != RIGID)
        return orr_job_scaling(ctx, job, c->gpus, c->nodes, p->type);
    return orr_job_speed_on(ctx, job, p->type, c->nodes > 1);
}

/* Fits anew where it has run with something new. */
static bool learn(orr_ctx *ctx, const orr_job *job, const state *s, sheet *h)
{
    bool news = false;
    for (int32_t t = 0; t < s->types; t++) {
        const orr_measurement *at;
        model *m = &h->models[t];
        const size_t n = orr_job_measurements(ctx, job, t, &at);
        for (; h->seen[t] < n; h->seen[t]++, news = true) {
            const int32_t twice = 2 * at[h->seen[t]].gpus;
            h->most = twice > h->most ? twice : h->most;
            m->known = false;
        }
        if (n > 0 && !m->known) {
            orr_perf_fit(at, n, NULL, &m->perf);
            m->known = true;
        }
    }
    return news;
}

static void fill_adaptive(orr_ctx *ctx, const orr_job *job, const state *s, const own *o)
{
    sheet *h = o->sheet;
    const int64_t total = o->category == SCALE_GPUS ? orr_job_own_batch(ctx, job) : 0;
    const int32_t n = columns(s, o), most = orr_job_max_gpus(job) < h->most ? orr_job_max_gpus(job) : h->most;
    int32_t width[64] = {0};
    for (int32_t t = 0; t < s->types; t++)
        width[t] = s->pools[o->base + t].width;
    for (int32_t i = 0; i < n; i++) {
        const config c = column(s, job, o, i);
        const pool *p = &s->pools[c.pool];
        const bool may = c.gpus <= most && c.gpus >= orr_job_min_gpus(job) && h->models[p->type].peak > 0;
        h->row[i] = may ? goodput_on(h->models, width, s->types, h->noise, total, p->type, &c) : 0;
    }
    normalise(h->row, n, 1);
}

static void fill_plain(orr_ctx *ctx, const orr_job *job, const state *s, const own *o)
{
    sheet *h = o->sheet;
    const int32_t n = columns(s, o);
    for (int32_t i = 0; i < n; i++) {
        const config c = column(s, job, o, i);
        const pool *p = &s->pools[c.pool];
        const bool may = c.gpus <= orr_job_max_gpus(job) && c.gpus >= orr_job_min_gpus(job) && allowed(ctx, job, p);
        h->row[i] = may ? plain_speed(ctx, job, o, p, &c) : 0;
    }
    normalise(h->row, n, o->category == RIGID ? orr_job_gpus(job) : 1);
}

/* Goodput moves with what the job has run with and with its noise, which is one within an epoch; mostly nothing has changed. */
static void fill(orr_ctx *ctx, const orr_job *job, const state *s, const own *o)
{
    sheet *h = o->sheet;
    const bool trains = o->category != RIGID && o->trains;
    const orr_noise noise = trains ? orr_job_noise(ctx, job) : (orr_noise){0};
    const bool news = trains && learn(ctx, job, s, h);
    if (h->filled && !news && noise.sqr == h->noise.sqr && noise.var == h->noise.var)
        return;
    h->noise = noise;
    h->filled = true;
    if (trains)
        fill_adaptive(ctx, job, s, o);
    else
        fill_plain(ctx, job, s, o);
}

/* ---- jobs that come and go --------------------------------------------------------------------------------------- */

static sheet *new_sheet(orr_ctx *ctx, state *s)
{
    sheet *h = s->spare;
    if (h) {
        s->spare = h->next;
    } else {
        h = orr_alloc_memory(ctx, sizeof *h);
        h->models = orr_alloc_memory(ctx, (size_t)s->types * sizeof *h->models);
        h->seen = orr_alloc_memory(ctx, (size_t)s->types * sizeof *h->seen);
        h->row = orr_alloc_memory(ctx, (size_t)(s->most_configs + s->types) * sizeof *h->row);
    }
    memset(h->models, 0, (size_t)s->types * sizeof *h->models);
    memset(h->seen, 0, (size_t)s->types * sizeof *h->seen);
    h->filled = false;
    h->most = 1;
    return h;
}

static int32_t category_of(orr_ctx *ctx, const orr_job *job, bool trains)
{
    const char *said = orr_job_attribute(ctx, job, "category");
    if (orr_job_min_gpus(job) == orr_job_max_gpus(job) || strcmp(said, "rigid") == 0)
        return RIGID;
    return !trains || strcmp(said, "scale-gpus") == 0 ? SCALE_GPUS : ADAPTIVE;
}

static void come(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    const settings *k = orr_knobs(ctx);
    own *o = of(ctx, job);
    orr_batch_limits limits;
    *o = (own){.sheet = new_sheet(ctx, s), .base = s->vcs > 1 ? orr_job_vc(job) * s->types : 0};
    o->trains = orr_job_batch_limits(ctx, job, &limits);
    o->category = category_of(ctx, job, o->trains);
    while (o->sheet->most < orr_job_min_gpus(job))
        o->sheet->most *= 2;
    o->pause = pause_of(k, orr_job_model(job));
    for (int32_t t = 0; o->trains && t < s->types; t++) {
        model *m = &o->sheet->models[t];
        if (orr_job_batch_limits_on(ctx, job, t, NULL, &m->limits) && allowed(ctx, job, &s->pools[o->base + t]))
            m->peak = orr_job_scaling(ctx, job, 1, 1, t);
    }
}

static void leave(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    own *o = of(ctx, job);
    if (!o->sheet)
        return;
    o->sheet->next = s->spare;
    s->spare = o->sheet;
    o->sheet = NULL;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_rounds_event(((state *)orr_state(ctx))->rounds, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        come(ctx, job);
    else if (event->kind == ORR_EV_ENDED)
        leave(ctx, job);
    else if (event->kind == ORR_EV_RESIZED || event->kind == ORR_EV_MIGRATED ||
             (event->kind == ORR_EV_STARTED && orr_job_starts(job) > 1))
        of(ctx, job)->restarts++;
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* In the program: an entry of the matrix of choices that isn't as before costs lambda_a. */
static double price_of(const settings *k, double utility, bool had, bool stays)
{
    return cost_of(utility, k->p) + (stays ? 0 : had ? 2 * k->lambda_a : k->lambda_a);
}

static double price_of_none(const settings *k, bool had)
{
    return k->lambda_n + (had ? k->lambda_a : 0);
}

static bool same(const config *a, const config *b)
{
    return a->pool == b->pool && a->gpus == b->gpus;
}

/* Only what could be chosen: not what costs more than no GPUs at all, or no less than fewer of them. */
static void add_options(orr_ctx *ctx, state *s, const orr_job *job, const own *o)
{
    const settings *k = orr_knobs(ctx);
    const bool had = o->now.gpus > 0, young = o->category == RIGID && had && orr_job_service(ctx, job) < o->pause;
    const double age = orr_time_seconds(orr_now(ctx) - orr_job_submit(job)), none = price_of_none(k, had);
    const double factor = had && !young ? restart_factor(age, o->restarts, o->pause) : 1;
    const int32_t n = columns(s, o);
    double least = none;
    for (int32_t i = 0, before = -1; i < n; i++) {
        const config c = column(s, job, o, i);
        const bool stays = had && (o->category == RIGID ? c.pool == o->now.pool : same(&c, &o->now));
        least = c.pool != before ? none : least;
        before = c.pool;
        if (o->sheet->row[i] <= 0)
            continue;
        const double cost = price_of(k, o->sheet->row[i] * (stays ? 1 : factor), had, stays);
        if (cost < least || (stays && cost <= none))
            orr_option_list_add(&s->options, cost, c.pool, c.gpus);
        least = fmin(least, cost);
    }
    orr_option_list_add(&s->options, none, -1, 0);
}

static config config_of(const orr_ctx *ctx, const own *o, const orr_alloc *held)
{
    if (!held || orr_alloc_gpus(held) == 0)
        return (config){.pool = -1};
    return (config){o->base + orr_node_type(ctx, orr_alloc_slices(held)[0].node), orr_alloc_gpus(held), orr_alloc_nodes(held)};
}

/* One that pays for a start or a change keeps what it has. */
static bool is_fixed(const orr_job *job)
{
    return orr_job_state_now(job) == ORR_JOB_STARTING || orr_job_state_now(job) == ORR_JOB_RESIZING;
}

static void pose(orr_ctx *ctx, state *s, const orr_plan *plan, orr_job *const *line, size_t n)
{
    orr_option_list_clear(&s->options);
    for (int32_t q = 0; q < s->vcs * s->types; q++)
        s->pools[q].room = s->pools[q].nodes ? orr_scope_free(ctx, s->pools[q].scope) : 0;
    for (size_t i = 0; i < n; i++) {
        own *o = of(ctx, line[i]);
        orr_option_list_class(&s->options);
        o->now = config_of(ctx, o, orr_plan_held(plan, line[i]));
        if (o->now.gpus)
            s->pools[o->now.pool].room += o->now.gpus;
        if (o->now.gpus && is_fixed(line[i])) {
            orr_option_list_add(&s->options, 0, o->now.pool, o->now.gpus);
            continue;
        }
        fill(ctx, line[i], s, o);
        add_options(ctx, s, line[i], o);
    }
}

static bool choose(state *s)
{
    for (int32_t q = 0; q < s->vcs * s->types; q++)
        s->room[q] = s->pools[q].room;
    return orr_option_list_choose(&s->options, s->room, s->vcs * s->types);
}

/* ---- placement --------------------------------------------------------------------------------------------------- */

/* Who changes or waits lets go first, so that there is room for the others. */
static void let_go(orr_ctx *ctx, const state *s, orr_plan *plan, orr_job *const *line)
{
    for (int32_t i = 0; i < s->options.classes; i++) {
        own *o = of(ctx, line[i]);
        const int32_t k = s->options.chosen[i];
        o->next = (config){.pool = s->options.pool[k], .gpus = s->options.size[k]};
        if (o->now.gpus > 0 && !same(&o->next, &o->now))
            orr_plan_preempt(plan, line[i]);
    }
}

/* An adaptive job's best batch with these GPUs; before there is a model the least one, so that it learns. {0, 0}: its own. */
static orr_batch batch_for(orr_ctx *ctx, const orr_job *job, const orr_alloc *held)
{
    const own *o = of(ctx, job);
    const int32_t gpus = orr_alloc_gpus(held), type = orr_node_type(ctx, orr_alloc_slices(held)[0].node);
    const model *m = &o->sheet->models[type];
    orr_batch_limits limits;
    orr_batch batch;
    if (o->category != ADAPTIVE || !orr_job_batch_limits_on(ctx, job, type, held, &limits))
        return (orr_batch){0, 0};
    const int64_t parts = (int64_t)limits.local_least * gpus;
    if (m->known && orr_goodput_best(&m->perf, o->sheet->noise, &limits, orr_alloc_nodes(held), gpus, &batch) > 0)
        return batch;
    return orr_batch_split(&limits, gpus, parts > limits.initial ? parts : limits.initial);
}

static orr_err give(orr_ctx *ctx, orr_plan *plan, orr_job *job, const orr_alloc *alloc)
{
    const orr_batch batch = of(ctx, job)->batch = batch_for(ctx, job, alloc);
    return batch.local > 0 ? orr_plan_assign_tuned(plan, job, alloc, batch) : orr_plan_try_assign(plan, job, alloc);
}

/* Noise moves on, and models: who keeps its GPUs may have another batch. */
static void retune(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    own *o = of(ctx, job);
    const orr_batch batch = batch_for(ctx, job, orr_plan_held(plan, job));
    if (batch.local == o->batch.local && batch.steps == o->batch.steps)
        return;
    if (batch.local > 0 && orr_plan_tune(plan, job, batch) == ORR_OK)
        o->batch = batch;
}

static void place_pool(orr_ctx *ctx, state *s, orr_plan *plan, orr_job *const *line, int32_t q)
{
    size_t n = 0;
    if (s->options.classes > s->seats_room)
        s->seats = orr_alloc_memory(ctx, (size_t)(s->seats_room = 2 * s->options.classes) * sizeof *s->seats);
    for (int32_t i = 0; i < s->options.classes; i++) {
        const own *o = of(ctx, line[i]);
        if (o->next.pool == q)
            s->seats[n++] = (orr_seat){.job = line[i], .gpus = o->next.gpus, .keeps = same(&o->next, &o->now),
                                       .fixed = is_fixed(line[i])};
    }
    orr_plan_seats(ctx, plan, s->pools[q].scope, give, s->seats, n);
    for (size_t i = 0; i < n; i++) {
        if (!s->seats[i].found)
            orr_note_decision(ctx, s->seats[i].job, "chosen, but its nodes have no room");
        else if (s->seats[i].keeps)
            retune(ctx, plan, s->seats[i].job);
    }
}

static double nothing(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx, (void)job;
    return 0;
}

/* Asked once. */
static bool is_nowhere(orr_ctx *ctx, const state *s, const orr_job *job)
{
    own *o = of(ctx, job);
    bool nowhere = !o->judged;
    fill(ctx, job, s, o);
    o->judged = true;
    for (int32_t i = 0, n = columns(s, o); i < n && nowhere; i++) {
        const config c = column(s, job, o, i);
        nowhere = o->sheet->row[i] <= 0 || orr_scope_gpus(ctx, s->pools[c.pool].scope) < c.gpus;
    }
    return nowhere;
}

/* Who only GPUs of several types can host isn't dealt with; returns how many others there are. */
static size_t leave_out(orr_ctx *ctx, const state *s, orr_job **line, size_t n)
{
    size_t in = 0;
    for (size_t i = 0; i < n; i++)
        if (is_nowhere(ctx, s, line[i]))
            orr_rounds_leave_out(s->rounds, line[i]);
        else
            line[in++] = line[i];
    return in;
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    orr_job **line;
    if (!orr_rounds_due(s->rounds))
        return ORR_OK;
    const size_t all = orr_rounds_line_up(s->rounds, nothing, &line), n = leave_out(ctx, s, line, all);
    pose(ctx, s, plan, line, n);
    if (choose(s)) {
        let_go(ctx, s, plan, line);
        for (int32_t q = 0; q < s->vcs * s->types; q++)
            place_pool(ctx, s, plan, line, q);
    }
    orr_rounds_start_others(s->rounds, plan);
    return ORR_OK;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void add_config(state *s, pool *p, int32_t gpus, int32_t nodes)
{
    s->configs[p->first + p->count++] = (config){(int32_t)(p - s->pools), gpus, nodes};
}

/* `first`: where its configurations begin. Returns where they end. */
static int32_t make_configs(state *s, pool *p, int32_t first)
{
    p->first = first;
    for (int32_t gpus = 1; p->nodes && gpus < p->width; gpus *= 2)
        add_config(s, p, gpus, 1);
    for (int32_t k = 1; k <= p->nodes; k++)
        add_config(s, p, k * p->width, k);
    return p->first + p->count;
}

/* O(nodes), once. */
static void make_pools(orr_ctx *ctx, state *s, bool shared)
{
    const int32_t nodes = orr_cluster_nodes(ctx), pools = s->vcs * s->types;
    s->pools = orr_alloc_memory(ctx, (size_t)pools * sizeof *s->pools);
    int32_t *all = orr_alloc_memory(ctx, (size_t)nodes * sizeof *all);
    s->configs = orr_alloc_memory(ctx, ((size_t)nodes + 32 * (size_t)pools) * sizeof *s->configs);
    for (int32_t q = 0, first = 0; q < pools; q++) {
        pool *p = &s->pools[q];
        *p = (pool){.type = q % s->types, .node = all};
        p->scope = (orr_scope){.vc = shared ? -1 : q / s->types, .types = (uint64_t)1 << p->type};
        for (int32_t i = 0; i < nodes; i++)
            if (orr_node_type(ctx, i) == p->type && (shared || orr_node_vc(ctx, i) == p->scope.vc)) {
                *all++ = i;
                p->nodes++;
                p->width = orr_node_gpus(ctx, i) > p->width ? orr_node_gpus(ctx, i) : p->width;
            }
        first = make_configs(s, p, first);
        const int32_t of_vc = first - s->pools[q - p->type].first;
        s->most_configs = of_vc > s->most_configs ? of_vc : s->most_configs;
    }
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    const bool shared = k->vc == ORR_VC_SHARED || orr_vcs_are_tenants(ctx) || orr_cluster_vcs(ctx) == 1;
    s->types = orr_cluster_types(ctx);
    s->vcs = shared ? 1 : orr_cluster_vcs(ctx);
    s->room = orr_alloc_memory(ctx, (size_t)(s->vcs * s->types + 1) * sizeof *s->room);
    make_pools(ctx, s, shared);
    s->rounds = orr_rounds_create(ctx, &(orr_rounds_rules){.period = k->round, .vc = shared ? ORR_VC_SHARED : ORR_VC_ISOLATED});
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    orr_option_list_fini(&((state *)orr_state(ctx))->options);
}

static const orr_knob knobs[] = {
    {"p", ORR_KNOB_NUMBER, offsetof(settings, p), "-0.5", "-10..10",
     "exponent of utilities: the smaller, the fairer; 0: their logarithm; > 0: their sum is to be great"},
    {"lambda_n", ORR_KNOB_NUMBER, offsetof(settings, lambda_n), "1.1", "0..1000", "what a job without GPUs costs; least useful ones cost 1"},
    {"lambda_a", ORR_KNOB_NUMBER, offsetof(settings, lambda_a), "0.01", "0..1000",
     "what each entry of the matrix of choices costs that isn't as before, two for another configuration"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "60s", "0.001..inf", "time from one decision to the next"},
    {"restart", ORR_KNOB_TIME, offsetof(settings, restart), "30s", "0..inf", "what a restart is believed to take"},
    {"restarts", ORR_KNOB_TEXT, offsetof(settings, restarts), "", NULL, "the same for models, in seconds: NAME:SECONDS/NAME:SECONDS"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "nodes of its VC, or all"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"sosp23", "lambda_a=0,restarts=deepspeech2:25/imagenet:250/cifar10:30/bert:120/yolov3:45",
     "as the authors' simulator: changes cost nothing in the program, restarts as long as it says"},
    {NULL, NULL, NULL},
};

ORR_POLICY(sia) = {
    .summary = "adaptive jobs on unlike GPUs: one configuration each, by an integer program over goodput",
    .cite = "Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP'23",
    .deviations = "a type on which a job hasn't run is projected from its speeds with one GPU and its own batch, not from peak rates; no hybrid "
                  "parallel jobs; lambda_a is in the program as the paper has it, which the authors' simulator leaves out (preset sosp23)",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED,
             [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
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
