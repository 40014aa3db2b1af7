/* Between cells and plans: the cells of the simulated cluster, and gangs of jobs that hold what a plan gives them. */
#include "sched/ctx.h"

#include <math.h>
#include <orrery/cells.h>
#include <stdlib.h>

orr_cells *orr_cells_of(orr_ctx *ctx)
{
    orr_error e = {0};
    orr_cells *cells = orr_cells_of_cluster(ctx->world->spec, ctx->world->one_pool, &e);
    if (!cells)
        orr_world_fault(ctx->world, ORR_E_CAPABILITY, NULL, "it needs the cluster as cells: %s", e.message);
    return cells;
}

/* Do the cores and memory that go with the GPUs of a whole node, or with all of a smaller job's, exist on a node? */
static bool node_holds(const orr_node_spec *node, const orr_job *job)
{
    int32_t gpus = orr_job_gpus(job);
    double share = gpus > node->gpus ? (double)node->gpus / gpus : 1;
    return (!node->cpus || ceil((double)orr_job_cpu_milli(job) * share) <= 1000.0 * node->cpus) &&
           (!node->mem_bytes || ceil((double)orr_job_mem(job) * share) <= (double)node->mem_bytes);
}

static bool chain_holds(const orr_ctx *ctx, const orr_cells *cells, int32_t chain, const orr_job *job)
{
    const orr_cluster *c = ctx->world->real;
    bool modelled = orr_job_cpu_milli(job) > 0 || orr_job_mem(job) > 0;
    for (int32_t i = 0, n; (n = orr_cells_chain_node(cells, chain, i)) >= 0; i++) {
        if (c->vcs > 1 && c->nodes[n].vc != job->vc)
            return false;
        if (!orr_node_suits(ctx, job, n) || !node_holds(c->nodes[n].spec, job))
            return false;
        if (!modelled) /* nodes of a chain are alike but for those */
            return true;
    }
    return true;
}

uint64_t orr_cells_for(const orr_ctx *ctx, const orr_cells *cells, const orr_job *job)
{
    uint64_t bits = 0;
    for (int32_t c = 0; c < orr_cells_chains(cells); c++)
        bits |= (uint64_t)chain_holds(ctx, cells, c, job) << c;
    return bits;
}

/* A node's part of a gang; false: it lacks cores or memory, or a GPU is broken. */
static bool add_part(const orr_ctx *ctx, const orr_job *job, int32_t node, uint64_t gpus, orr_alloc *alloc)
{
    if ((gpus & ~orr_node_free_gpus(ctx, node)) || orr_node_room(ctx, job, node) < orr_bit_count(gpus))
        return false;
    return orr_alloc_add(alloc, node, gpus) == ORR_OK;
}

orr_err orr_plan_gang(const orr_ctx *ctx, orr_plan *plan, orr_job *job, const orr_gang *gang)
{
    orr_alloc *alloc = orr_plan_alloc(plan);
    int32_t gpus, total = orr_job_gpus(job);
    const orr_leaf *leaves = orr_gang_pod(gang, 0, &gpus); /* pods, and so the parts of a node, follow each other */
    uint64_t part = 0;
    for (int32_t i = 0; i < total; i++) {
        part |= (uint64_t)1 << leaves[i].gpu;
        if (i + 1 < total && leaves[i + 1].node == leaves[i].node)
            continue;
        if (!add_part(ctx, job, leaves[i].node, part, alloc))
            return ORR_E_NOFIT;
        part = 0;
    }
    return orr_plan_assign(plan, job, alloc);
}

bool orr_gang_adopt_held(orr_gang *gang, const orr_plan *plan, const orr_job *job)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    ORR_VEC(orr_leaf) leaves = {0};
    for (int32_t i = 0; held && i < orr_alloc_nodes(held); i++) {
        const orr_slice *s = &orr_alloc_slices(held)[i];
        for (uint64_t m = s->gpus; m; m &= m - 1)
            ORR_VEC_PUSH(&leaves, ((orr_leaf){s->node, orr_lowest_bit(m)}));
    }
    bool taken = leaves.n && orr_gang_adopt(gang, leaves.at, (int32_t)leaves.n);
    ORR_VEC_FREE(&leaves);
    return taken;
}
