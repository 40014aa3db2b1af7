/* gpu-packing: GPUs in use first, then free GPUs of nodes in use, then idle nodes. A job of parts is best where the GPUs it
 * would take are fullest; one that needs free GPUs takes them of nodes on which something runs. Scores as the public FGD
 * simulator has them:
 *   jobs without GPUs                                   0: the first node that has room
 *   the node's GPUs are all idle, F of them             max(33 - F, F)
 *   k of the GPUs that it would take are idle, k > 0    max(50 - k, 33)
 *   else, with R left of each such GPU in sum of parts  max(100 - R / 10 %, 50), R in whole per cent of a GPU
 * A baseline of FGD. */
#include <orrery/policy.h>

#include <math.h>

typedef struct state {
    orr_scores *scores;
} state;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool all_idle(const orr_ctx *ctx, int32_t node)
{
    return orr_node_free_milli(ctx, node) == 1000 * (int64_t)orr_node_gpus(ctx, node);
}

/* The fullest GPU with so much left that isn't among those taken already. */
static int32_t fullest(const orr_ctx *ctx, const orr_request *r, int32_t node, uint64_t taken)
{
    int32_t best = -1, least = 0;
    for (int32_t g = 0; g < orr_node_gpus(ctx, node); g++) {
        const int32_t left = orr_node_gpu_free(ctx, node, g);
        if (taken >> g & 1 || !orr_node_takes(ctx, r->job, node, g, r->milli) || (best >= 0 && left >= least))
            continue;
        best = g;
        least = left;
    }
    return best;
}

static double by_gpus(const orr_ctx *ctx, const orr_request *r, int32_t node)
{
    const uint64_t idle = orr_node_free_gpus(ctx, node);
    uint64_t taken = 0;
    int32_t idle_taken = 0, per_cent = 0;
    for (int32_t k = 0; k < r->gpus; k++) {
        const int32_t g = fullest(ctx, r, node, taken);
        if (g < 0)
            return -INFINITY;
        taken |= (uint64_t)1 << g;
        idle_taken += (int32_t)(idle >> g & 1);
        per_cent += orr_node_gpu_free(ctx, node, g) / 10;
    }
    return idle_taken ? larger(50 - idle_taken, 33) : larger(100 - per_cent / 10, 50);
}

static double score(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    if (!orr_node_hosts(ctx, r, node))
        return -INFINITY;
    if (r->gpus == 0)
        return 0;
    const int32_t gpus = orr_node_gpus(ctx, node);
    return all_idle(ctx, node) ? larger(33 - gpus, gpus) : by_gpus(ctx, r, node);
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    return orr_scores_place(((state *)orr_state(ctx))->scores, plan, r, out);
}

static orr_err init(orr_ctx *ctx)
{
    ((state *)orr_state(ctx))->scores = orr_scores_create(ctx, score);
    return ORR_OK;
}

ORR_PLACER(gpu_packing) = {
    .summary = "GPUs in use first, then nodes in use, then idle nodes",
    .cite = "baseline GpuPacking of FGD, USENIX ATC 2023; after Weng et al., MLaaS in the Wild, NSDI 2022",
    .deviations = "a gang that no node holds, which the baseline does not have, fills the fullest nodes",
    .state_size = sizeof(state),
    .init = init,
    .parts = true,
    .place = place,
};
