/* mig: services on instances of GPUs that MIG cuts, each GPU in the way that adds most to what is still needed.
 *
 * A service needs its rate and some headroom. On an instance it answers batches as large as fit into its SLO. A GPU's
 * configuration is a legal layout with a service on each instance; its utility is the sum over services of the part of
 * their need that it adds, weighted by the part that is still needed. The best configuration is taken again and again
 * until nothing is needed. GPUs that are as planned already stay; others are made on idle GPUs, and an old one goes
 * when what is ready without it is enough (exchange and compact).
 *
 *     a needs 30/s, b 6/s; 1g gives 6/s, 2g 10/s, 7g 24/s
 *     2g 2g 2g 1g: 3 x 10/30 of a, 6/6 of b: utility 2, and nothing is needed any more. 7g: 24/30 of a, or 1 of b
 *
 * Source: Tan et al., "Serving DNN models with multi-instance GPUs: a case of the reconfigurable machine scheduling
 * problem", 2021: the fast algorithm and the controller. Assumed: needs are measured; throughputs are profiled. */
#include <orrery/mig.h>
#include <orrery/serve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILES = 8, LAYOUTS = 16, GPUS = 4096 };

struct knobs {
    orr_time period;
    double headroom, budget;
    bool whole;
};

static const orr_knob knobs[] = {
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "30s", "1s..10min",
     "how often needs are looked at, by the rate since"},
    {"headroom", ORR_KNOB_NUMBER, offsetof(struct knobs, headroom), "0.2", "0..10", "above the rate, as a part of it"},
    {"budget", ORR_KNOB_NUMBER, offsetof(struct knobs, budget), "0.5", "0.01..1", "of the SLO for a batch's execution"},
    {"whole", ORR_KNOB_BOOL, offsetof(struct knobs, whole), "no", NULL, "whole GPUs only, the baseline"},
    {0},
};

struct state {
    orr_time looked;
    bool changing;
};

struct mine { /* of a service */
    double need;
};

static double need_of(orr_ctx *ctx, orr_service_id service)
{
    return ((const struct mine *)orr_service_priv(ctx, service))->need;
}

/* One GPU: an instance's profile (its place in the model) and service. */
struct config {
    int32_t n, profile[ORR_MIG_MOST];
    orr_service_id service[ORR_MIG_MOST];
    int32_t node; /* of one that exists */
    uint64_t mask;
    bool fits; /* it is as planned, or the plan's is there */
};

struct plan {
    const orr_mig_model *model;
    int32_t type, services, layout_count, wanted_count, there_count;
    orr_mig_layout layouts[LAYOUTS];
    double *rate; /* [services * PROFILES] requests a second; 0: not within its SLO */
    double *left; /* [3 * services] part of the need; then room to try */
    struct config *wanted, *there; /* [GPUS] */
};

/* ---- throughput -------------------------------------------------------------------------------------------------- */

static orr_time budget_of(orr_ctx *ctx, orr_service_id service)
{
    const double slo = (double)orr_service_of(ctx, service)->classes[0].slo;
    return (orr_time)(slo * ((const struct knobs *)orr_knobs(ctx))->budget);
}

static double rate_on(orr_ctx *ctx, orr_service_id service, int32_t type, int32_t milli)
{
    const orr_variant_id v = orr_service_current(ctx, service);
    const double budget = (double)budget_of(ctx, service) * 1e-9;
    for (int32_t b = orr_variant_of(ctx, v)->max_batch; b > 0; b--) {
        const double seconds = orr_variant_time(ctx, v, type, milli, 1, b);
        if (seconds <= budget)
            return b / seconds;
    }
    return 0;
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const int32_t most = orr_batch_fit(ctx, exec, f->variant, budget_of(ctx, f->service), f->take);
    f->take = f->take && !most ? 1 : most;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* The utility of a layout: again and again the instance and the service that add most, of equal ones the smallest
 * instance. What is left changes in `left`. */
static double fill(orr_ctx *ctx, const struct plan *p, const orr_mig_layout *layout, double *left, struct config *out)
{
    double utility = 0, most = 1;
    orr_service_id on[ORR_MIG_MOST] = {0}; /* counted from 1 */
    for (int32_t best = 0, at = 0; most > 0;) {
        double part = most = 0;
        for (int32_t i = layout->count - 1; i >= 0; i--)
            for (orr_service_id s = 0; s < p->services && !on[i]; s++) {
                const double adds = fmin(p->rate[s * PROFILES + layout->profile[i]] / need_of(ctx, s), left[s]);
                if (p->left[s] * adds <= most)
                    continue;
                most = p->left[s] * (part = adds);
                best = s;
                at = i;
            }
        utility += most;
        if (most > 0) {
            left[best] = left[best] - part < 1e-9 ? 0 : left[best] - part;
            on[at] = best + 1;
        }
    }
    *out = (struct config){0};
    for (int32_t i = 0; i < layout->count; i++)
        if (on[i]) {
            out->profile[out->n] = layout->profile[i];
            out->service[out->n++] = on[i] - 1;
        }
    return utility;
}

/* One more GPU; of equal ones that with fewer and then smaller instances. False: nothing is needed. */
static bool best_gpu(orr_ctx *ctx, struct plan *p)
{
    const size_t size = (size_t)p->services * sizeof *p->left;
    double most = 0, *left = p->left + p->services, *next = left + p->services;
    struct config best = {0}, one;
    for (int32_t i = 0; i < p->layout_count && p->wanted_count < GPUS; i++) {
        memcpy(left, p->left, size);
        const double utility = fill(ctx, p, &p->layouts[i], left, &one);
        if (utility > most * (1 + 1e-9) || (best.n && utility > most * (1 - 1e-9) && one.n <= best.n)) {
            most = fmax(most, utility);
            best = one;
            memcpy(next, left, size);
        }
    }
    if (best.n) {
        memcpy(p->left, next, size);
        p->wanted[p->wanted_count++] = best;
    }
    return best.n > 0;
}

static void make_plan(orr_ctx *ctx, struct plan *p)
{
    for (orr_service_id s = 0; s < p->services; s++)
        for (int32_t k = 0; k < p->model->count; k++) {
            p->rate[s * PROFILES + k] = rate_on(ctx, s, p->type, orr_mig_milli(p->model, &p->model->profiles[k]));
            if (p->rate[s * PROFILES + k] > 0)
                p->left[s] = 1;
        }
    p->layouts[0] = (orr_mig_layout){1, {p->model->count - 1}};
    p->layout_count = 1;
    if (!((const struct knobs *)orr_knobs(ctx))->whole)
        p->layout_count = orr_mig_layouts(p->model, p->layouts, LAYOUTS);
    while (best_gpu(ctx, p))
        ;
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

/* The place of an executor's instance in the model; a whole GPU is the last one; -1: something else. */
static int32_t profile_of(orr_ctx *ctx, const struct plan *p, orr_exec_id exec)
{
    const char *slice = orr_exec_slice(ctx, exec);
    for (int32_t k = 0; slice && k < p->model->count; k++)
        if (strcmp(p->model->profiles[k].name, slice) == 0)
            return k;
    const uint64_t gpus = orr_exec_mask(ctx, exec);
    const bool whole = orr_exec_milli(ctx, exec) == 1000 && !(gpus & (gpus - 1));
    return whole ? p->model->count - 1 : -1;
}

static bool is_on(orr_ctx *ctx, orr_exec_id exec, const struct config *gpu)
{
    return orr_exec_node(ctx, exec) == gpu->node && orr_exec_mask(ctx, exec) == gpu->mask;
}

/* The one replica of an executor that stays and is an instance or a GPU; -1. */
static orr_replica_id lives_on(orr_ctx *ctx, const struct plan *p, orr_exec_id exec)
{
    orr_replica_id r = -1;
    const bool one = orr_exec_alive(ctx, exec) && orr_exec_replicas(ctx, exec, &r, 1) == 1;
    return one && orr_replica_phase(ctx, r) < ORR_PHASE_DRAINING && profile_of(ctx, p, exec) >= 0 ? r : -1;
}

/* By period, and while GPUs change: O(executors * GPUs). */
static void look(orr_ctx *ctx, struct plan *p)
{
    for (orr_exec_id e = 0; e < orr_execs_count(ctx); e++) {
        const orr_replica_id r = lives_on(ctx, p, e);
        int32_t i = 0;
        while (r >= 0 && i < p->there_count && !is_on(ctx, e, &p->there[i]))
            i++;
        if (r < 0 || i == GPUS)
            continue;
        if (i == p->there_count)
            p->there[p->there_count++] = (struct config){.node = orr_exec_node(ctx, e), .mask = orr_exec_mask(ctx, e)};
        struct config *c = &p->there[i];
        c->profile[c->n] = profile_of(ctx, p, e);
        c->service[c->n++] = orr_variant_service(ctx, orr_replica_variant(ctx, r));
    }
}

/* GPUs that are as planned. Their instances were made in the plan's order. */
static void match(struct plan *p)
{
    const size_t size = offsetof(struct config, node);
    for (int32_t i = 0; i < p->wanted_count; i++)
        for (int32_t k = 0; k < p->there_count && !p->wanted[i].fits; k++)
            if (!p->there[k].fits && memcmp(&p->wanted[i], &p->there[k], size) == 0)
                p->wanted[i].fits = p->there[k].fits = true;
}

/* Requests a second of a service's replicas: those that are ready, or all; without those on one GPU (NULL: with). */
static double capacity(orr_ctx *ctx, const struct plan *p, orr_service_id s, bool ready, const struct config *without)
{
    const orr_replica_id *list;
    double sum = 0;
    for (int32_t i = orr_variant_replicas(ctx, orr_service_current(ctx, s), &list) - 1; i >= 0; i--) {
        const orr_exec_id e = orr_replica_exec(ctx, list[i]);
        const orr_phase phase = orr_replica_phase(ctx, list[i]);
        const int32_t k = profile_of(ctx, p, e);
        const bool counts = ready ? phase == ORR_PHASE_READY : phase < ORR_PHASE_DRAINING;
        if (k >= 0 && counts && !(without && is_on(ctx, e, without)))
            sum += p->rate[s * PROFILES + k];
    }
    return sum;
}

/* ---- exchange and compact ---------------------------------------------------------------------------------------- */

static bool place(orr_ctx *ctx, const struct plan *p, const struct config *c)
{
    orr_replica_ask ask = {.on = -1, .type = p->type, .gpus = 1, .market = -1, .node = -1, .idle = true};
    orr_replica_id r;
    for (int32_t i = 0; i < c->n; i++) {
        ask.variant = orr_service_current(ctx, c->service[i]);
        ask.slice = p->model->profiles[c->profile[i]].name;
        if (orr_replica_add(ctx, &ask, &r) != ORR_OK)
            return i > 0;
        ask.node = orr_exec_node(ctx, orr_replica_exec(ctx, r));
        ask.gpus_at = orr_exec_mask(ctx, orr_replica_exec(ctx, r));
        ask.idle = false;
    }
    return true;
}

static bool dispensable(orr_ctx *ctx, const struct plan *p, const struct config *c)
{
    bool enough = !c->fits;
    for (int32_t i = 0; i < c->n && enough; i++)
        enough = capacity(ctx, p, c->service[i], true, c) >= need_of(ctx, c->service[i]);
    return enough;
}

static void drain(orr_ctx *ctx, const struct plan *p, const struct config *c)
{
    for (orr_exec_id e = orr_execs_count(ctx) - 1; e >= 0; e--)
        if (is_on(ctx, e, c) && lives_on(ctx, p, e) >= 0)
            orr_replica_drain(ctx, lives_on(ctx, p, e));
}

/* Done when all that is planned is there, and nothing else. */
static bool exchange(orr_ctx *ctx, struct plan *p)
{
    bool done = true, room = true;
    for (int32_t i = 0; i < p->there_count; i++)
        if (dispensable(ctx, p, &p->there[i]))
            drain(ctx, p, &p->there[i]);
        else
            done = done && p->there[i].fits;
    for (int32_t i = 0; i < p->wanted_count && room; i++)
        if (!p->wanted[i].fits) {
            room = place(ctx, p, &p->wanted[i]);
            done = false;
        }
    return done;
}

/* A service has not even half of its headroom. */
static bool too_little(orr_ctx *ctx, const struct plan *p)
{
    const double room = ((const struct knobs *)orr_knobs(ctx))->headroom, part = (1 + room / 2) / (1 + room);
    bool little = false;
    for (orr_service_id s = 0; s < p->services; s++)
        little = little || (p->rate[s * PROFILES + p->model->count - 1] > 0 &&
                            capacity(ctx, p, s, false, NULL) < need_of(ctx, s) * part);
    return little;
}

static void measure(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    for (orr_service_id s = 0; s < orr_services_count(ctx); s++) {
        const double rate = (double)orr_arrived(ctx, s, k->period) / ((double)k->period * 1e-9);
        ((struct mine *)orr_service_priv(ctx, s))->need = fmax(rate * (1 + k->headroom), 1e-3);
    }
}

static void change(orr_ctx *ctx, struct plan *p)
{
    struct state *st = orr_state(ctx);
    make_plan(ctx, p);
    look(ctx, p);
    if (!st->changing && !too_little(ctx, p) && p->wanted_count >= p->there_count)
        return;
    match(p);
    st->changing = !exchange(ctx, p);
}

static orr_err decide(orr_ctx *ctx)
{
    struct state *st = orr_state(ctx);
    struct plan p = {.services = orr_services_count(ctx), .type = orr_execs_count(ctx) ? orr_exec_type(ctx, 0) : 0};
    const bool looks = orr_serve_now(ctx) - st->looked >= ((const struct knobs *)orr_knobs(ctx))->period;
    p.model = orr_mig_model_of(orr_type_name(ctx, p.type));
    if ((!looks && !st->changing) || !p.model)
        return ORR_OK;
    if (looks) {
        st->looked = orr_serve_now(ctx);
        measure(ctx);
    }
    p.rate = calloc((size_t)p.services * (PROFILES + 3), sizeof *p.rate);
    p.wanted = calloc(2 * GPUS, sizeof *p.wanted);
    const bool room = p.rate && p.wanted;
    if (room) {
        p.left = p.rate + (size_t)p.services * PROFILES;
        p.there = p.wanted + GPUS;
        change(ctx, &p);
    }
    free(p.rate);
    free(p.wanted);
    return room ? ORR_OK : ORR_E_MEMORY;
}

static const orr_batcher batcher = {.summary = "as large as fits into its part of the SLO", .form = form};

ORR_SERVE(mig) = {
    .summary = "MIG instances, each GPU cut and filled in the way that adds most to what services still need",
    .cite = "Tan et al., MIG-Serving, 2021",
    .deviations = "The greedy plan only: it isn't improved by a genetic algorithm and tree search. Of each "
                  "layout one filling is tried, a greedy one. An old GPU goes as soon as what is ready without it "
                  "is enough; instances aren't moved between GPUs one by one. Instances with twice the memory aren't "
                  "used. Only GPUs like the first executor's.",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .state_size = sizeof(struct state),
    .service_priv = sizeof(struct mine),
    .batcher = &batcher,
    .period = "30s",
    .decide = decide,
};
