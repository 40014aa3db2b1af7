/* themis: finish-time fairness among apps by auctions. An app is the trials of a group; a job without one is an app of its own.
 *
 *   rho        of an app: how long it takes with the GPUs that it would have, by how long it was promised to take, which is N times
 *              as long as it takes alone, N the apps that it has seen on average
 *   leases     GPUs are given for `lease`. Leases end together, so that there is something to deal out; GPUs that become free
 *              between are dealt out at once, until then
 *   auction    what is free is offered to the part 1 - `f` of the apps that are treated worst. Each bids for one, two, … of its trials,
 *              1 / rho for what it would get; the product of all is made as great as can be
 *   payment    a winner keeps the part of its trials by which its presence lessens the others' product, the last one by lot:
 *              then it does best to tell the truth
 *   leftovers  what nobody won stays with whoever has it; what is free goes to the others, the worst treated first
 *
 * greedy gives the worst treated app all that it asks, then the next. lp is Gavel's finish-time fairness in rounds, which later
 * papers call Themis.
 *
 * Source: Mahajan et al., Themis, NSDI'20, sections 3 to 5. Assumed: remaining times are known (the estimator's). */
#include <orrery/policy.h>
#include <orrery/share_rounds.h>
#include <orrery/solve.h>

#include <math.h>
#include <stdlib.h>

enum { AUCTION, GREEDY, LP };
enum { BIDS = 16 }; /* of one app */

typedef struct settings {
    int32_t how, vc;
    double f;
    orr_time lease, round, reset;
    bool together;
} settings;

typedef struct own { /* a job */
    struct app *app;
    double total;     /* believed run time */
    double near, far; /* speed where it is on few nodes, on more */
    bool chosen;      /* in this auction */
} own;

typedef struct pool { /* a VC's nodes, or all */
    double seen;      /* integral of its apps over time */
    orr_time since;
    int32_t apps, gpus;
    orr_scope scope;
    orr_line line;
} pool;

typedef struct app {
    struct app *next; /* of those that are there, or of the spare ones */
    pool *pool;
    int32_t group;
    orr_time start;
    double seen;           /* of its pool, at its start */
    double work, longest;  /* GPU·s and longest run of its trials that have ended */
    /* now */
    double left, last;     /* GPU·s left, and of the trial that will be last, alone */
    double all, alone;     /* of all of it: GPU·s, and the longest trial */
    double held, speed;    /* GPUs that it keeps, and they at their speeds */
    double rho;            /* with those; where it keeps none, with the first trial that it would get */
    orr_line asks;         /* its trials that wait or whose lease is over, the latter first */
    orr_bid bids[BIDS];
    int32_t trials[BIDS];  /* of each bid */
} app;

typedef struct state {
    orr_leases *leases;
    orr_share_rounds *rounds; /* lp */
    pool *pools;
    int32_t pool_count, apps, room;
    app *first, *spare;
    /* of one auction */
    app **list; /* the worst treated first */
    int32_t listed, *won;
    orr_bidder *bidders;
    double *keeps;
} state;

static own *of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

/* ---- apps that come and go --------------------------------------------------------------------------------------- */

static pool *pool_of(orr_ctx *ctx, const orr_job *job)
{
    state *st = orr_state(ctx);
    return &st->pools[st->pool_count > 1 ? orr_job_vc(job) : 0];
}

static void count(orr_ctx *ctx, pool *p, int32_t apps)
{
    p->seen += p->apps * orr_time_seconds(orr_now(ctx) - p->since);
    p->since = orr_now(ctx);
    p->apps += apps;
    ((state *)orr_state(ctx))->apps += apps;
}

static void make_room(orr_ctx *ctx, state *st)
{
    if (st->apps <= st->room)
        return;
    st->room = 2 * st->apps;
    st->list = orr_alloc_memory(ctx, (size_t)st->room * sizeof *st->list);
    st->bidders = orr_alloc_memory(ctx, (size_t)st->room * sizeof *st->bidders);
    st->won = orr_alloc_memory(ctx, (size_t)st->room * sizeof *st->won);
    st->keeps = orr_alloc_memory(ctx, (size_t)st->room * sizeof *st->keeps);
}

static app *new_app(orr_ctx *ctx, const orr_job *job)
{
    state *st = orr_state(ctx);
    app *a = st->spare;
    if (a)
        st->spare = a->next;
    else
        a = orr_alloc_memory(ctx, sizeof *a);
    const orr_line asks = a->asks; /* keeps its memory */
    pool *p = pool_of(ctx, job);
    count(ctx, p, 1);
    make_room(ctx, st);
    *a = (app){.next = st->first, .pool = p, .group = orr_job_group(job), .start = orr_now(ctx), .seen = p->seen, .asks = asks};
    return st->first = a;
}

/* Over the GPUs of the types that it may use. */
static double speed_on(orr_ctx *ctx, const orr_job *job, bool spread)
{
    double gpus = 0, sum = 0;
    for (int32_t type = 0; type < orr_cluster_types(ctx); type++) {
        const double speed = orr_job_speed_on(ctx, job, type, spread);
        const int32_t n =
            orr_scope_gpus(ctx, (orr_scope){.vc = pool_of(ctx, job)->scope.vc, .types = (uint64_t)1 << type});
        gpus += speed > 0 ? n : 0;
        sum += n * speed;
    }
    return sum > 0 ? sum / gpus : 1;
}

static void come(orr_ctx *ctx, orr_job *job)
{
    orr_job *const *jobs;
    const size_t n = orr_group_jobs(ctx, orr_job_group(job), &jobs);
    *of(ctx, job) = (own){.app = n > 1 ? of(ctx, jobs[0])->app : new_app(ctx, job),
                          .total = orr_est_duration(ctx, job),
                          .near = speed_on(ctx, job, false),
                          .far = speed_on(ctx, job, true)};
}

static void leave(orr_ctx *ctx, const orr_job *job)
{
    orr_job *const *others;
    state *st = orr_state(ctx);
    app *a = of(ctx, job)->app, **at = &st->first;
    const double had = fmax(0, of(ctx, job)->total - orr_est_remaining(ctx, job));
    a->work += had * orr_job_gpus(job);
    a->longest = fmax(a->longest, had);
    if (orr_group_jobs(ctx, a->group, &others))
        return;
    count(ctx, a->pool, -1);
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    a->next = st->spare;
    st->spare = a;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    const state *st = orr_state(ctx);
    if (st->rounds) {
        orr_share_rounds_event(st->rounds, job, event);
        return;
    }
    orr_leases_event(st->leases, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        come(ctx, job);
    else if (event->kind == ORR_EV_ENDED)
        leave(ctx, job);
}

/* ---- how an app fares -------------------------------------------------------------------------------------------- */

static double speed_of(orr_ctx *ctx, const orr_job *job, int32_t widest)
{
    return orr_job_gpus(job) * (orr_job_gpus(job) <= widest ? of(ctx, job)->near : of(ctx, job)->far);
}

/* With so many GPUs in all, which work as `speed` would at speed 1. A moment is added on both sides, so that both are
 * positive. */
static double rho_with(orr_ctx *ctx, const app *a, double gpus, double speed)
{
    const double stayed = orr_time_seconds(orr_now(ctx) - a->start);
    const double company = stayed > 0 ? (a->pool->seen - a->seen) / stayed : a->pool->apps;
    const double ideal = fmax(a->alone, a->all / a->pool->gpus) * company;
    const double left = speed > 0 ? fmax(a->last * gpus, a->left) / speed : a->last;
    return (stayed + left + 1e-9) / (ideal + 1e-9);
}

static void add_trial(orr_ctx *ctx, app *a, orr_job *job, int32_t widest)
{
    own *o = of(ctx, job);
    const bool over = orr_lease_is_over(((state *)orr_state(ctx))->leases, job);
    const double left = orr_est_remaining(ctx, job), gpus = orr_job_gpus(job);
    o->chosen = false;
    a->left += left * gpus;
    a->last = fmax(a->last, left);
    a->all += o->total * gpus;
    a->alone = fmax(a->alone, o->total);
    if (over || orr_job_state_now(job) == ORR_JOB_QUEUED) {
        orr_line_insert(ctx, &a->asks, over ? 0 : a->asks.n, job);
    } else if (orr_job_holds(job)) {
        a->held += gpus;
        a->speed += speed_of(ctx, job, widest);
    }
}

/* False: it asks for nothing. */
static bool look_at(orr_ctx *ctx, app *a, int32_t widest)
{
    orr_job *const *jobs;
    const size_t n = orr_group_jobs(ctx, a->group, &jobs);
    a->left = a->last = a->held = a->speed = 0;
    a->all = a->work;
    a->alone = a->longest;
    a->asks.n = 0;
    for (size_t i = 0; i < n; i++)
        add_trial(ctx, a, jobs[i], widest);
    if (a->asks.n)
        a->rho = a->held > 0 ? rho_with(ctx, a, a->held, a->speed)
                             : rho_with(ctx, a, orr_job_gpus(a->asks.at[0]), speed_of(ctx, a->asks.at[0], widest));
    return a->asks.n > 0;
}

static int by_rho(const void *x, const void *y)
{
    const app *a = *(app *const *)x, *b = *(app *const *)y;
    if (a->rho != b->rho)
        return a->rho > b->rho ? -1 : 1;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->group > b->group) - (a->group < b->group);
}

/* ---- the auction ------------------------------------------------------------------------------------------------- */

/* Who is left out is taken to wait for its turn among all bidders: so many times as late as with its first trial. */
static orr_bidder bid(orr_ctx *ctx, app *a, int32_t offer, int32_t bidders, int32_t widest)
{
    double speed = a->speed;
    int32_t n = 1, asked = 0, most = (int32_t)a->asks.n, every = (most + BIDS - 2) / (BIDS - 1);
    a->bids[0] = (orr_bid){0, 1 / (a->held > 0 ? a->rho : a->rho * (bidders + 1))};
    for (int32_t k = 0; k < most && asked + orr_job_gpus(a->asks.at[k]) <= offer; k++) {
        asked += orr_job_gpus(a->asks.at[k]);
        speed += speed_of(ctx, a->asks.at[k], widest);
        if (asked == a->bids[n - 1].count || ((k + 1) % every && k + 1 < most))
            continue;
        a->bids[n] = (orr_bid){asked, 1 / rho_with(ctx, a, a->held + asked, speed)};
        a->trials[n++] = k + 1;
    }
    return (orr_bidder){a->bids, n};
}

static void auction(orr_ctx *ctx, int32_t offer, int32_t widest)
{
    const state *st = orr_state(ctx);
    const double f = ((const settings *)orr_knobs(ctx))->f;
    const int32_t n = (int32_t)fmax(1, ceil((1 - f) * st->listed - 1e-9));
    for (int32_t i = 0; i < n; i++)
        st->bidders[i] = bid(ctx, st->list[i], offer, n, widest);
    orr_auction(st->bidders, n, offer, st->won, st->keeps);
    for (int32_t i = 0; i < n; i++) {
        const double trials = st->keeps[i] * st->list[i]->trials[st->won[i]], whole = floor(trials);
        const bool one_more = whole < trials && orr_random(ctx) < trials - whole;
        for (int32_t k = 0; k < (int32_t)whole + one_more; k++)
            of(ctx, st->list[i]->asks.at[k])->chosen = true;
    }
}

/* greedy: to the worst treated all that it asks. */
static void hand_out(orr_ctx *ctx, int32_t offer)
{
    const state *st = orr_state(ctx);
    for (int32_t i = 0; i < st->listed; i++)
        for (size_t k = 0; k < st->list[i]->asks.n; k++) {
            const orr_job *job = st->list[i]->asks.at[k];
            of(ctx, job)->chosen = orr_job_gpus(job) <= offer;
            offer -= of(ctx, job)->chosen ? orr_job_gpus(job) : 0;
        }
}

/* Winners, then who would lose its GPUs, then the rest; the worst treated first. */
static void line_up(orr_ctx *ctx, orr_line *line)
{
    const state *st = orr_state(ctx);
    line->n = 0;
    for (int part = 0; part < 3; part++)
        for (int32_t i = 0; i < st->listed; i++)
            for (size_t k = 0; k < st->list[i]->asks.n; k++) {
                orr_job *job = st->list[i]->asks.at[k];
                if (part == (of(ctx, job)->chosen ? 0 : orr_lease_is_over(st->leases, job) ? 1 : 2))
                    orr_line_add(ctx, line, job);
            }
}

static int32_t widest_free(orr_ctx *ctx, orr_scope scope)
{
    int32_t gpus = orr_scope_widest(ctx, scope);
    while (gpus > 0 && orr_node_with_free(ctx, scope, gpus, -1) < 0)
        gpus--;
    return gpus;
}

/* `taken`: GPUs whose lease is over. O(active jobs of the pool) where there is something to deal out: time alone moves every
 * rho. */
static void deal(orr_ctx *ctx, orr_plan *plan, pool *p, int32_t taken)
{
    state *st = orr_state(ctx);
    const int32_t offer = orr_scope_free(ctx, p->scope) + taken;
    if (p->apps == 0 || (taken == 0 && orr_scope_free_milli(ctx, p->scope) == 0))
        return;
    const int32_t widest = taken ? orr_scope_widest(ctx, p->scope) : widest_free(ctx, p->scope);
    count(ctx, p, 0);
    st->listed = 0;
    for (app *a = st->first; a; a = a->next)
        if (a->pool == p && look_at(ctx, a, widest))
            st->list[st->listed++] = a;
    qsort(st->list, (size_t)st->listed, sizeof *st->list, by_rho);
    if (((const settings *)orr_knobs(ctx))->how == GREEDY)
        hand_out(ctx, offer);
    else if (st->listed)
        auction(ctx, offer, widest);
    line_up(ctx, &p->line);
    orr_leases_deal(st->leases, plan, p->line.at, p->line.n, p->scope);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const state *st = orr_state(ctx);
    if (st->rounds)
        return orr_share_rounds_schedule(st->rounds, plan);
    orr_job *const *over;
    const size_t n = orr_leases_over(st->leases, &over);
    for (int32_t v = 0; v < st->pool_count; v++) {
        int32_t taken = 0;
        for (size_t i = 0; i < n; i++)
            if (pool_of(ctx, over[i]) == &st->pools[v] && orr_lease_is_over(st->leases, over[i]))
                taken += orr_job_gpus(over[i]);
        deal(ctx, plan, &st->pools[v], taken);
    }
    return ORR_OK;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    if (s->how == LP) {
        const orr_share_rules rules = {.round = s->round, .reset = s->reset, .vc = s->vc, .objective = ORR_SHARES_FINISH};
        st->rounds = orr_share_rounds_create(ctx, &rules);
        return ORR_OK;
    }
    st->leases = orr_leases_create(ctx, &(orr_lease_rules){.length = s->lease, .together = s->together});
    st->pool_count = s->vc == ORR_VC_SHARED || orr_vcs_are_tenants(ctx) ? 1 : orr_cluster_vcs(ctx);
    st->pools = orr_alloc_memory(ctx, (size_t)st->pool_count * sizeof *st->pools);
    for (int32_t v = 0; v < st->pool_count; v++) {
        st->pools[v].scope.vc = st->pool_count > 1 ? v : -1;
        st->pools[v].gpus = orr_scope_gpus(ctx, st->pools[v].scope);
        st->pools[v].gpus += st->pools[v].gpus == 0;
    }
    if (s->vc == ORR_VC_SHARED)
        orr_reach_all(ctx);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"how", ORR_KNOB_CHOICE, offsetof(settings, how), "auction", "auction|greedy|lp",
     "auction: bids and payments; greedy: the worst treated app gets all it asks; lp: Gavel's finish-time fairness"},
    {"f", ORR_KNOB_NUMBER, offsetof(settings, f), "0.8", "0..1",
     "auction: the part of the apps that is treated best and isn't offered anything; what the others don't win is theirs"},
    {"lease", ORR_KNOB_TIME, offsetof(settings, lease), "20m", "0.001..inf", "for how long GPUs are given; not lp"},
    {"together", ORR_KNOB_BOOL, offsetof(settings, together), "on", NULL,
     "leases end at multiples of `lease`; off: each so long after it was given"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "nodes of its VC, or all"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "360s", "0.001..inf", "lp: length of a round"},
    {"reset", ORR_KNOB_TIME, offsetof(settings, reset), "1920s", "0..inf", "lp: shares are computed anew not more often than that"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"auction", "how=auction", "as published"},
    {"greedy", "how=greedy", "a form used in the simulators of later papers"},
    {"lp", "how=lp", "what later papers compare with as Themis: gavel,objective=finish-time"},
    {NULL, NULL, NULL},
};

ORR_POLICY(themis) = {
    .summary = "finish-time fairness among apps: GPUs on lease, auctioned to those treated worst",
    .cite = "Mahajan et al., Themis: Fair and Efficient GPU Cluster Scheduling, NSDI'20",
    .deviations = "leases end together; a bid names numbers of trials, each as near as the offer allows, not sets of GPUs; an app that "
                  "gets nothing is taken to wait for its turn, where its rho has no bound; trials are rigid gangs",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
