/* gandiva-fair: equal GPU time for every user, by her tickets, whatever jobs she brings; and users trade GPU types.
 *
 *   tickets    of each GPU type a user has her weight's part, as far as her jobs want GPUs; it is shared out among her
 *              jobs on that type in proportion to their gangs
 *   turns      gang-aware split stride: on each server, and a central one for gangs that are wider (orr_turns)
 *   balance    every `balance` a user's jobs are spread over the types as her tickets are, and jobs move from the
 *              server with the most tickets a GPU to the one with the fewest
 *   trade      whose jobs gain most from the faster of two types buys it of whose gain least, at the second highest
 *              gain (orr_trade_kinds): nobody loses
 *
 * A user's speed on a type is that of her active jobs, weighted by their gangs; a type on which one of them can't run
 * she doesn't trade. Shares and trades are within a VC, where VCs own nodes. Source: Chaudhary et al., Gandiva_fair,
 * EuroSys'20, sections 3 and 4. */
#include <orrery/policy.h>
#include <orrery/solve.h>

#include <math.h>

enum { TYPES = 64 };

typedef struct settings {
    orr_time quantum, balance;
    int32_t over;
    const char *weights;
    bool trade;
    double gap;
} settings;

typedef struct user { /* in one pool */
    orr_owner is;
    int32_t gpus;         /* that her active jobs ask */
    double share[TYPES];  /* GPUs that are hers */
    double speed[TYPES];  /* sum of gang times speed of her jobs */
    int32_t unfit[TYPES]; /* GPUs asked by those that can't run there */
    int32_t on[TYPES];    /* GPUs asked by those that live there */
} user;

typedef struct pool { /* a VC's nodes, or all */
    orr_owners users;
    double gpus[TYPES];
    double all; /* of them */
} pool;

typedef struct own { /* by job */
    user *of;
    int32_t type; /* where it lives; -1: anywhere, or nowhere yet */
} own;

typedef struct state {
    orr_turns *turns;
    pool *pools;
    double *numbers; /* scratch of `room` users */
    int32_t room, types, pool_count;
    bool dirty; /* somebody came or went: shares aren't what they should be */
} state;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static double speed_on(orr_ctx *ctx, const orr_job *job, int32_t type)
{
    return ((const state *)orr_state(ctx))->types > 1 ? orr_job_speed_on(ctx, job, type, false) : 1;
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

static bool is_active(const user *u)
{
    return u && u->gpus > 0;
}

static double *scratch(orr_ctx *ctx, int32_t users)
{
    state *s = orr_state(ctx);
    if (users > s->room) {
        s->room = 2 * users;
        s->numbers = orr_alloc_memory(ctx, (size_t)s->room * (3 + 2 * (size_t)s->types) * sizeof *s->numbers);
    }
    return s->numbers;
}

static void trade(orr_ctx *ctx, const pool *o, int32_t n, double *have, double *speed, const double *want)
{
    const settings *k = orr_knobs(ctx);
    const int32_t types = ((const state *)orr_state(ctx))->types;
    int32_t row = 0;
    for (int32_t i = 0; i < o->users.count; i++) {
        const user *u = o->users.at[i];
        for (int32_t t = 0; t < types && is_active(u); t++) {
            have[row * types + t] = u->share[t];
            speed[row * types + t] = u->unfit[t] ? 0 : u->speed[t] / u->gpus;
        }
        row += is_active(u);
    }
    orr_trade_kinds(have, speed, want, n, types, k->gap);
    row = 0;
    for (int32_t i = 0; i < o->users.count; i++) {
        user *u = o->users.at[i];
        for (int32_t t = 0; t < types && is_active(u); t++)
            u->share[t] = have[row * types + t];
        row += is_active(u);
    }
}

/* Max-min by weights, nobody more than her jobs ask; of each type the same part. Then users trade. */
static void share_out(orr_ctx *ctx, const pool *o)
{
    const settings *k = orr_knobs(ctx);
    const int32_t types = ((const state *)orr_state(ctx))->types, most = o->users.count;
    if (most == 0)
        return;
    double *want = scratch(ctx, most), *weight = want + most, *got = weight + most, *have = got + most;
    int32_t n = 0, row = 0;
    for (int32_t i = 0; i < most; i++) {
        const user *u = o->users.at[i];
        if (!is_active(u))
            continue;
        want[n] = u->gpus;
        weight[n++] = u->is.weight;
    }
    orr_fill_fair(want, weight, n, o->all, got);
    for (int32_t i = 0; i < most; i++) {
        user *u = o->users.at[i];
        for (int32_t t = 0; t < types && is_active(u); t++)
            u->share[t] = got[row] * o->gpus[t] / o->all;
        row += is_active(u);
    }
    if (k->trade && types > 1)
        trade(ctx, o, n, have, have + most * types, want);
}

static double all_of(const user *u, int32_t types)
{
    double all = 0;
    for (int32_t k = 0; k < types; k++)
        all += u->share[k];
    return all;
}

/* Who has none left on a type, or none yet, has a hundredth of a GPU there: enough to go on when others want
 * nothing. */
static double tickets(orr_ctx *ctx, const orr_job *job)
{
    const own *o = own_of(ctx, job);
    const user *u = o->of;
    if (o->type >= 0)
        return fmax(u->share[o->type], 0.01) * orr_job_gpus(job) / u->on[o->type];
    return fmax(all_of(u, ((const state *)orr_state(ctx))->types), 0.01) * orr_job_gpus(job) / u->gpus;
}

/* ---- where jobs live --------------------------------------------------------------------------------------------- */

/* How many more GPUs her jobs on this type would ask if they were spread as her tickets are; before she has any, as
 * GPUs are. */
static double lacks(orr_ctx *ctx, const orr_job *job, int32_t type)
{
    const state *s = orr_state(ctx);
    const user *u = own_of(ctx, job)->of;
    const pool *o = &s->pools[s->pool_count == 1 ? 0 : orr_job_vc(job)];
    const double all = all_of(u, s->types);
    return u->gpus * (all > 0 ? u->share[type] / all : o->gpus[type] / o->all) - u->on[type];
}

/* Where GPUs are idle, the fastest; else where its user's jobs are too few. */
static double likes(orr_ctx *ctx, const orr_job *job, int32_t type, bool idle)
{
    const double speed = speed_on(ctx, job, type);
    return !(speed > 0) ? -INFINITY : idle ? speed : lacks(ctx, job, type);
}

/* The type on which its user lacks most, if less is lacking in all when it lives there. */
static int32_t better(orr_ctx *ctx, const orr_job *job)
{
    const state *s = orr_state(ctx);
    const own *o = own_of(ctx, job);
    const double g = orr_job_gpus(job), here = lacks(ctx, job, o->type);
    int32_t best = -1;
    double most = 1e-6;
    for (int32_t k = 0; k < s->types; k++) {
        const double there = lacks(ctx, job, k), less = fabs(here) + fabs(there) - fabs(here + g) - fabs(there - g);
        if (k == o->type || less <= most || !(speed_on(ctx, job, k) > 0))
            continue;
        most = less;
        best = k;
    }
    return best;
}

static void moved(orr_ctx *ctx, const orr_job *job, int32_t type)
{
    own *o = own_of(ctx, job);
    if (o->type >= 0)
        o->of->on[o->type] -= orr_job_gpus(job);
    if (type >= 0)
        o->of->on[type] += orr_job_gpus(job);
    o->type = type;
}

/* ---- a job's life ------------------------------------------------------------------------------------------------ */

static void count(orr_ctx *ctx, const orr_job *job, int sign)
{
    state *s = orr_state(ctx);
    user *u = own_of(ctx, job)->of;
    s->dirty = true;
    u->gpus += sign * orr_job_gpus(job);
    for (int32_t k = 0; k < s->types; k++) {
        const double speed = speed_on(ctx, job, k);
        u->speed[k] = u->gpus ? u->speed[k] + sign * speed * orr_job_gpus(job) : 0;
        u->unfit[k] += speed > 0 ? 0 : sign * orr_job_gpus(job);
    }
}

static void enter(orr_ctx *ctx, const orr_job *job)
{
    const state *s = orr_state(ctx);
    pool *o = &s->pools[s->pool_count == 1 ? 0 : orr_job_vc(job)];
    *own_of(ctx, job) = (own){.of = orr_owner_of(ctx, &o->users, job), .type = -1};
    count(ctx, job, 1);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    const bool ours = orr_job_gpus(job) > 0 && orr_job_gpu_milli(job) == 1000;
    if (ours && event->kind == ORR_EV_SUBMITTED)
        enter(ctx, job);
    orr_turns_event(((state *)orr_state(ctx))->turns, job, event);
    if (ours && event->kind == ORR_EV_ENDED)
        count(ctx, job, -1);
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    orr_turns_node(((state *)orr_state(ctx))->turns, node, event);
}

/* Tickets matter only when turns are taken: shares are found anew then, at most once a quantum. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    const bool renew = s->dirty && orr_turns_due(s->turns);
    for (int32_t p = 0; renew && p < s->pool_count; p++)
        if (s->pools[p].all > 0)
            share_out(ctx, &s->pools[p]);
    s->dirty &= !renew;
    return orr_turns_schedule(s->turns, plan);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    const bool one = orr_vcs_are_tenants(ctx);
    if (!orr_weights_are_good(k->weights))
        return ORR_E_BAD_VALUE;
    s->turns = orr_turns_create(ctx, &(orr_turns_rules){.quantum = k->quantum,
                                                        .balance = k->balance,
                                                        .tickets = tickets,
                                                        .likes = likes,
                                                        .better = better,
                                                        .moved = moved});
    s->types = orr_cluster_types(ctx) < TYPES ? orr_cluster_types(ctx) : TYPES;
    s->pool_count = one ? 1 : orr_cluster_vcs(ctx);
    s->pools = orr_alloc_memory(ctx, (size_t)s->pool_count * sizeof *s->pools);
    for (int32_t p = 0; p < s->pool_count; p++)
        s->pools[p].users = (orr_owners){.size = sizeof(user), .over = k->over, .weights = k->weights};
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        pool *o = &s->pools[one || s->pool_count == 1 ? 0 : orr_node_vc(ctx, i)];
        if (orr_node_type(ctx, i) >= 0)
            o->gpus[orr_node_type(ctx, i)] += orr_node_gpus(ctx, i);
        o->all += orr_node_gpus(ctx, i);
    }
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"quantum", ORR_KNOB_TIME, offsetof(settings, quantum), "60s", "0.001..inf", "length of a turn"},
    {"balance", ORR_KNOB_TIME, offsetof(settings, balance), "5m", "0.001..inf",
     "jobs move between types and servers this often"},
    {"over", ORR_KNOB_CHOICE, offsetof(settings, over), "user", "user|vc", "who has tickets"},
    {"weights", ORR_KNOB_TEXT, offsetof(settings, weights), "", NULL, "tickets: NAME:WEIGHT/NAME:WEIGHT…; others 1"},
    {"trade", ORR_KNOB_BOOL, offsetof(settings, trade), "on", NULL, "users trade GPU types"},
    {"gap", ORR_KNOB_NUMBER, offsetof(settings, gap), "1", "1..inf",
     "the buyer gains more than this times what the seller does"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(gandiva_fair) = {
    .summary = "equal GPU time for users by stride scheduling of gangs, and trade between GPU types",
    .cite = "Chaudhary et al., Gandiva_fair, EuroSys'20",
    .deviations = "shares are traded in any amount, not GPU by GPU; speeds are those of the scenario's table, not "
                  "measured as jobs "
                  "run; parts of GPUs and jobs without GPUs are outside of turns and start wherever there is room",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .on_node = on_node,
    .schedule = schedule,
};
