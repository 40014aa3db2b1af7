/* alpaserve: models share pipelines of several GPUs. A request goes to the group, of those that host its model, whose
 * last stage is free first, the first of equals; it is refused at its arrival if it would be late there, and nobody
 * who is let in is late.
 *
 * With `batch=yes` requests wait for their model, first come, first served. One that comes while its group's first
 * stage is free starts there at once with those that wait for the same model; when a first stage becomes free the
 * model goes on whose head is the oldest. Heads that would be late even alone are dropped, then the batch doubles
 * while it is full and its head stays in time; those behind the head aren't looked at.
 *
 * Source: Li et al., "AlpaServe: statistical multiplexing with model parallelism for deep learning serving", OSDI
 * 2023, section 4.3, and the released fast simulator. Assumed: batches take what the profiles say, which is when this
 * module's stage clocks are the true ones; a group's models have the same number of stages. */
#include <orrery/serve.h>

enum { STAGES = 16 };

struct knobs {
    bool batch;
};

static const orr_knob knobs[] = {
    {"batch", ORR_KNOB_BOOL, offsetof(struct knobs, batch), "no", NULL, "requests wait and are answered in batches"},
    {0},
};

static const orr_preset presets[] = {
    {"fifo", "batch=no", "one at a time, refused at arrival"},
    {"batching", "batch=yes", "batches of 1, 2, 4, 8 and 16, dropped at dispatch"},
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
    (void)service;
    (void)req;
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

static const orr_router router = {.summary = "to the group whose last stage is free first", .route = route};
static const orr_dropper dropper = {.summary = "refused if it would be late", .admit = admit};
static const orr_batcher batcher = {
    .summary = "doubled while the head is in time", .on_arrive = on_arrive, .form = form};

ORR_SERVE(alpaserve) = {
    .summary = "pipelines shared by models, least last stage first, late ones refused at arrival",
    .cite = "Li et al., AlpaServe, OSDI 2023, section 4.3",
    .deviations = "groups are those of the scenario: the placement search isn't made. The reference's quirk of passing "
                  "over idle groups until the next arrival isn't kept; no recorded case shows it.",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .replica_priv = sizeof(struct group),
    .batcher = &batcher,
    .dropper = &dropper,
    .router = &router,
};
