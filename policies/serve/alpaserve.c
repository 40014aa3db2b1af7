/* alpaserve: models share pipelines of several GPUs. A request goes to the group, of those that host its model, whose
 * last stage is free first, the first of equals; it is refused at its arrival if it would be late there, and nobody
 * who is let in is late.
 *
 * With `batch=yes` requests wait for their model, first come, first served. One that comes while its group's first
 * stage is free starts there at once with those that wait for the same model; when a first stage becomes free the
 * model goes on whose head is the oldest. Heads that would be late even alone are dropped, then the batch doubles
 * while it is full and its head stays in time; those behind the head aren't looked at.
 *
 * With `place=yes` it makes the groups itself when the simulation begins. For each size of groups, models are added to
 * groups one by one, always the one to the group that raises the requests most which a trial with a sample answers in
 * time; the best size is kept. A model takes a part of its weights on each GPU of a group.
 *
 *     two models of 100 ms, two GPUs with memory for one model each, two requests for one of them at once, 160 ms: on
 *     one GPU the second ends at 200; on a pipeline of both GPUs, which holds both models, at 150
 *
 * Source: Li et al., "AlpaServe: statistical multiplexing with model parallelism for deep learning serving", OSDI
 * 2023, sections 4.2 and 4.3, and the released fast simulator. Assumed: batches take what the profiles say, which is
 * when this module's stage clocks are the true ones; a group's models have the same number of stages. */
#include <orrery/serve.h>

#include <stdlib.h>
#include <string.h>

enum { STAGES = 16, GROUPS = 64, MODELS = 64 };

struct knobs {
    bool batch, place;
    int64_t most, sample;
    double memory;
};

static const orr_knob knobs[] = {
    {"batch", ORR_KNOB_BOOL, offsetof(struct knobs, batch), "no", NULL, "requests wait and are answered in batches"},
    {"place", ORR_KNOB_BOOL, offsetof(struct knobs, place), "no", NULL, "plan the groups, on free GPUs"},
    {"most", ORR_KNOB_INT, offsetof(struct knobs, most), "8", "1..16", "GPUs of a group, powers of two up to this"},
    {"memory", ORR_KNOB_NUMBER, offsetof(struct knobs, memory), "16e9", "0..1e15", "bytes of a GPU for weights"},
    {"sample", ORR_KNOB_INT, offsetof(struct knobs, sample), "500", "10..100000", "requests of each model to try on"},
    {0},
};

static const orr_preset presets[] = {
    {"fifo", "batch=no", "one at a time, refused at arrival"},
    {"batching", "batch=yes", "batches of 1, 2, 4, 8 and 16, dropped at dispatch"},
    {"place", "place=yes", "as fifo, on groups that are planned"},
    {"replicate", "place=yes,most=1", "planned, but a GPU each: the baseline"},
    {0},
};

struct group { /* memory of an executor's first replica */
    orr_time clock[STAGES]; /* when each stage is free */
    orr_replica_id replica; /* planned at an arrival: what runs now */
    int32_t take, drop;
    bool planned;
};

static bool batches(const orr_ctx *ctx)
{
    return ((const struct knobs *)orr_knobs(ctx))->batch;
}

static struct group *group_of(orr_ctx *ctx, orr_exec_id exec)
{
    orr_replica_id first = -1;
    return orr_exec_replicas(ctx, exec, &first, 1) > 0 ? orr_replica_priv(ctx, first) : NULL;
}

static int32_t stages_of(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant)
{
    int32_t stages = 1;
    (void)orr_exec_stage_time(ctx, exec, variant, 1, 0, &stages);
    return stages < STAGES ? stages : STAGES;
}

/* When a batch that starts now is through; its clocks in out (NULL: not wanted). ORR_TIME_MAX: it can't run. */
static orr_time walk(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch, orr_time *out)
{
    const struct group *g = group_of(ctx, exec);
    const int32_t n = stages_of(ctx, exec, variant);
    orr_time at = orr_serve_now(ctx);
    for (int32_t k = 0; k < n; k++) {
        int32_t stages;
        const double seconds = orr_exec_stage_time(ctx, exec, variant, batch, k, &stages);
        if (!(seconds >= 0))
            return ORR_TIME_MAX;
        at = (at > g->clock[k] ? at : g->clock[k]) + (orr_time)(seconds * 1e9 + 0.5);
        if (out)
            out[k] = at;
    }
    return at;
}

static void start(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch)
{
    walk(ctx, exec, variant, batch, group_of(ctx, exec)->clock);
}

static bool in_time(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t batch, orr_time deadline)
{
    const orr_time reply = orr_service_of(ctx, orr_variant_service(ctx, variant))->reply;
    return orr_time_add(walk(ctx, exec, variant, batch, NULL), reply) <= deadline;
}

/* Of the groups that host it the one whose last stage is free first. O(groups of the model) a request. */
static orr_replica_id choose(orr_ctx *ctx, orr_variant_id variant)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    orr_replica_id best = -1;
    orr_time least = 0;
    for (int32_t i = 0; i < n; i++) {
        const orr_exec_id exec = orr_replica_exec(ctx, replicas[i]);
        if (orr_replica_phase(ctx, replicas[i]) != ORR_PHASE_READY)
            continue;
        const orr_time last = group_of(ctx, exec)->clock[stages_of(ctx, exec, variant) - 1];
        if (best < 0 || last < least || (last == least && exec < orr_replica_exec(ctx, best))) {
            best = replicas[i];
            least = last;
        }
    }
    return best;
}

static orr_dest route(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    (void)service, (void)req;
    return (orr_dest){.variant = variant, .replica = batches(ctx) ? -1 : choose(ctx, variant)};
}

static bool admit(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_dest dest)
{
    (void)service;
    if (batches(ctx))
        return true;
    if (dest.replica < 0)
        return false;
    const orr_exec_id exec = orr_replica_exec(ctx, dest.replica);
    if (!in_time(ctx, exec, dest.variant, 1, req->deadline))
        return false;
    start(ctx, exec, dest.variant, 1);
    return true;
}

/* What would start now of those that wait for a variant: how many heads are dropped, how many run. Each head looked
 * at goes. */
static int32_t plan(orr_ctx *ctx, orr_exec_id exec, orr_variant_id variant, int32_t *drop)
{
    const orr_dest from = {.variant = variant, .replica = -1};
    const int32_t waiting = orr_dest_waiting(ctx, from), most = orr_variant_of(ctx, variant)->max_batch;
    *drop = 0;
    while (*drop < waiting && !in_time(ctx, exec, variant, 1, orr_dest_at(ctx, from, *drop)->deadline))
        ++*drop;
    if (*drop == waiting)
        return 0;
    const orr_time deadline = orr_dest_at(ctx, from, *drop)->deadline;
    int32_t batch = 1;
    while (2 * batch <= most && 2 * batch <= waiting - *drop && in_time(ctx, exec, variant, 2 * batch, deadline))
        batch *= 2;
    start(ctx, exec, variant, batch);
    return batch;
}

/* Planned at once, so that the next request of the same instant meets the group's new clocks. */
static void on_arrive(orr_ctx *ctx, const orr_req *req, orr_dest dest)
{
    (void)req;
    const orr_replica_id replica = batches(ctx) ? choose(ctx, dest.variant) : -1;
    if (replica < 0)
        return;
    const orr_exec_id exec = orr_replica_exec(ctx, replica);
    struct group *g = group_of(ctx, exec);
    if (g->planned || g->clock[0] > orr_serve_now(ctx) || (g->clock[0] == orr_serve_now(ctx) && g->clock[0]))
        return; /* busy, or asked at the end of this instant anyway */
    g->take = plan(ctx, exec, dest.variant, &g->drop);
    g->replica = replica;
    g->planned = true;
    orr_exec_wake(ctx, exec, orr_serve_now(ctx));
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    struct group *g = group_of(ctx, exec);
    if (!batches(ctx)) {
        f->take = f->waiting > 0;
        return;
    }
    if (g->planned) {
        g->planned = false;
        f->replica = g->replica;
        f->variant = orr_replica_variant(ctx, g->replica);
        f->service = orr_variant_service(ctx, f->variant);
        f->central = true;
        f->take = g->take;
        f->drop = g->drop;
    } else if (g->clock[0] == orr_serve_now(ctx)) {
        f->take = plan(ctx, exec, f->variant, &f->drop);
    } else {
        f->take = 0; /* who waits has a group of its own choice */
    }
}

/* ---- placement --------------------------------------------------------------------------------------------------- */

struct request {
    orr_time at;
    orr_service_id model;
};

struct placement {
    int32_t size, groups;
    size_t in_time;
    uint64_t hosts[GROUPS]; /* sets of models */
    double bytes[GROUPS];   /* of their weights, on each GPU */
};

struct trial {
    int32_t models;
    size_t n;
    struct request *requests;
    orr_time slo[MODELS], seconds[MODELS][STAGES]; /* in groups of the size that is looked at; the first 0: not there */
    double bytes[MODELS];
};

static int by_arrival(const void *a, const void *b)
{
    const struct request *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : x->model - y->model;
}

/* Each model's requests, from its first on. */
static bool draw_sample(orr_ctx *ctx, struct trial *t)
{
    const size_t most = (size_t)((const struct knobs *)orr_knobs(ctx))->sample;
    orr_time *at = malloc(most * sizeof *at);
    t->requests = malloc((size_t)t->models * most * sizeof *t->requests);
    for (orr_service_id s = 0; at && t->requests && s < t->models; s++) {
        for (size_t i = 0, n = orr_serve_sample(ctx, s, ORR_TIME_MAX / 2, at, most); i < n; i++)
            t->requests[t->n++] = (struct request){at[i], s};
    }
    if (t->n)
        qsort(t->requests, t->n, sizeof *t->requests, by_arrival);
    free(at);
    return t->n > 0;
}

static void look_at_size(orr_ctx *ctx, struct trial *t, int32_t size)
{
    for (orr_service_id s = 0; s < t->models; s++) {
        const orr_variant *v = orr_variant_of(ctx, orr_service_current(ctx, s));
        const orr_exec_profile *p = orr_variant_profile(v, orr_type_name(ctx, 0), 1000, size);
        t->slo[s] = orr_service_of(ctx, s)->classes[0].slo - orr_service_of(ctx, s)->reply;
        t->bytes[s] = (double)v->bytes / size;
        const int32_t stages = !p ? 0 : p->kind == ORR_EXEC_STAGES ? size : 1;
        for (int32_t k = 0; k < STAGES; k++)
            t->seconds[s][k] = k < stages ? (orr_time)(orr_exec_stage_seconds(p, 1, k) * 1e9 + 0.5) : 0;
    }
}

/* How many of the sample are in time: this module's own rule. O(requests * groups). */
static size_t try_out(const struct trial *t, const struct placement *p)
{
    orr_time clock[GROUPS][STAGES] = {{0}}, next[STAGES];
    size_t in_time = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct request *r = &t->requests[i];
        int32_t best = -1, n = 0;
        while (n < p->size && n < STAGES && t->seconds[r->model][n])
            n++;
        for (int32_t g = 0; g < p->groups; g++)
            if (n && (p->hosts[g] >> r->model & 1) && (best < 0 || clock[g][n - 1] < clock[best][n - 1]))
                best = g;
        orr_time end = r->at;
        for (int32_t k = 0; best >= 0 && k < n; k++)
            end = next[k] = (end > clock[best][k] ? end : clock[best][k]) + t->seconds[r->model][k];
        if (best < 0 || end - r->at > t->slo[r->model])
            continue;
        memcpy(clock[best], next, (size_t)n * sizeof *next);
        in_time++;
    }
    return in_time;
}

/* One model more to one group; of groups in a row that host the same one is tried. False: none adds anything. */
static bool add_one(const struct trial *t, double memory, struct placement *p)
{
    const size_t before = p->in_time;
    struct placement best = *p;
    for (int32_t i = 0; i < p->groups * t->models; i++) {
        const int32_t g = i / t->models, s = i % t->models;
        struct placement more = *p;
        more.hosts[g] |= UINT64_C(1) << s;
        more.bytes[g] += t->bytes[s];
        if (more.hosts[g] == p->hosts[g] || (g && p->hosts[g] == p->hosts[g - 1]) || more.bytes[g] > memory)
            continue;
        more.in_time = try_out(t, &more);
        if (more.in_time > best.in_time)
            best = more;
    }
    *p = best;
    return p->in_time > before;
}

static orr_err carry_out(orr_ctx *ctx, const struct placement *p, int32_t models)
{
    orr_err err = ORR_OK;
    for (int32_t g = 0; g < p->groups; g++) {
        orr_replica_ask ask = {.on = -1, .type = 0, .gpus = p->size, .market = -1, .node = -1};
        for (orr_service_id s = 0; s < models && !err; s++) {
            orr_replica_id r = -1;
            ask.variant = orr_service_current(ctx, s);
            if (p->hosts[g] >> s & 1)
                err = orr_replica_add(ctx, &ask, &r);
            ask.on = r >= 0 ? orr_replica_exec(ctx, r) : ask.on;
        }
    }
    return err;
}

static orr_err init(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    struct trial t = {.models = orr_services_count(ctx) < MODELS ? orr_services_count(ctx) : MODELS};
    struct placement best = {0};
    const bool place = k->place && draw_sample(ctx, &t);
    for (int32_t size = 1; place && size <= k->most; size *= 2) {
        struct placement p = {.size = size};
        for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++)
            p.groups += orr_node_type(ctx, i) == 0 ? orr_node_gpus(ctx, i) / size : 0;
        p.groups = p.groups < GROUPS ? p.groups : GROUPS;
        look_at_size(ctx, &t, size);
        while (add_one(&t, k->memory, &p))
            ;
        best = p.in_time > best.in_time ? p : best;
    }
    free(t.requests);
    return carry_out(ctx, &best, t.models);
}

static const orr_router router = {.summary = "to the group whose last stage is free first", .route = route};
static const orr_dropper dropper = {.summary = "refused if it would be late", .admit = admit};
static const orr_batcher batcher = {
    .summary = "doubled while the head is in time", .on_arrive = on_arrive, .form = form};

ORR_SERVE(alpaserve) = {
    .summary = "pipelines shared by models, least last stage first, late ones refused at arrival",
    .cite = "Li et al., AlpaServe, OSDI 2023, section 4.3",
    .deviations = "the placement search has groups of one size only, pipelines but no other parallelism, and tries "
                  "each model on each group (beam 1, not the fast variant), on a sample of the source's own law; it "
                  "needs all GPUs of the first type. The reference's quirk of passing over idle groups isn't kept.",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_ORACLE},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .replica_priv = sizeof(struct group),
    .batcher = &batcher,
    .dropper = &dropper,
    .router = &router,
    .init = init,
};
