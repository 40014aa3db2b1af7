/* Asking the placer, within a scope of VCs and GPU types; and what the throughput table says of places. */
#include "model/speeds.h"
#include "model/training.h"
#include "sched/ctx.h"

bool orr_world_moves(const orr_world *w, const orr_job *job, const orr_alloc *a)
{
    if (job->training && a->gpus)
        return orr_training_speed_with(w->life, job, a, (orr_batch){0}) > 0;
    return !w->speeds || a->gpus == 0 || orr_speeds_with(w->speeds, job, a) > 0;
}

bool orr_world_gets_on(const orr_world *w, const orr_job *job, const orr_job *host, const orr_alloc *held)
{
    const int32_t type = orr_lowest_bit(w->cluster->nodes[orr_slices(held)->node].type);
    return !w->speeds || orr_speeds_slowed(w->speeds, job, host, type) != 0 ||
           orr_speeds_slowed(w->speeds, host, job, type) != 0;
}

static orr_err ask_placer(orr_ctx *ctx, orr_plan *plan, const orr_job *job, int32_t gpus, orr_scope scope, orr_alloc *out)
{
    orr_ctx *placer = ctx->placer_ctx;
    const orr_trace_job *r = job->record;
    orr_request request = {.job = job, .gpus = gpus, .scope = scope, .milli = r->gpu_milli};
    if (gpus == 0 && !placer->desc.placer.parts)
        return orr_fill_cores(ctx, &request, out);
    if (gpus > 0 && r->gpu_milli < ORR_WHOLE_GPU && !placer->desc.placer.parts)
        return orr_fill_parts(ctx, &request, out);
    orr_err err = placer->desc.placer.place(placer, plan, &request, out);
    if (err && err != ORR_E_NOFIT)
        orr_world_fault(ctx->world, err, job, "the placer failed");
    return err;
}

/* It can't run spread over nodes, as the placer would have it: on one, where there is one. */
static orr_err on_one_node(orr_ctx *ctx, orr_plan *plan, const orr_job *job, int32_t gpus, orr_scope scope, orr_alloc *out)
{
    const orr_request r = {.job = job, .gpus = gpus, .scope = scope, .milli = ORR_WHOLE_GPU};
    const bool whole = r.gpus > 0 && job->record->gpu_milli == ORR_WHOLE_GPU;
    const int32_t node = whole && out->count > 1 ? orr_node_for(ctx, &r, r.gpus, ORR_NODES_INDEXED) : -1;
    orr_alloc_clear(out);
    return node < 0 ? ORR_E_NOFIT : orr_alloc_take(out, plan, node, r.gpus);
}

/* The scope comes down to types that suit the job, and the job, as long as it is asked, to types of the scope: a placer
 * that looks at either stays inside, and needn't pass over nodes of other types. */
orr_err orr_world_place(orr_world *w, orr_ctx *ctx, orr_plan *plan, const orr_job *job, int32_t gpus, orr_scope scope,
                        orr_alloc *out)
{
    orr_job *asking = (orr_job *)job; /* as it was when we return */
    const uint64_t own = job->types, both = scope.types ? own & scope.types : own;
    if (!both)
        return ORR_E_NOFIT;
    scope.types = w->cluster->types <= 1 || both == ORR_ANY_TYPE ? 0 : both;
    asking->types = both;
    orr_err err = ask_placer(ctx, plan, job, gpus, scope, out);
    if (!err && !orr_world_moves(w, job, out))
        err = on_one_node(ctx, plan, job, gpus, scope, out);
    asking->types = own;
    return err;
}
