/* gpu-clustering: jobs of one size together. A class is the parts of GPUs, or the gangs of k whole GPUs. A node on which
 * only the job's own class runs is best, then one where it runs among others, then one without jobs on its GPUs, then the
 * rest: 75, 50, 25 and 0, and up to 25 more the less is left of its GPUs. Jobs without GPUs go to the first node that has
 * room. Parts go to the fullest GPU with room. A baseline of FGD. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    double gpus;
} settings;

typedef struct state {
    orr_scores *scores;
} state;

/* Classes that run there; *own: whether the job's is one of them. */
static int32_t classes(const orr_ctx *ctx, const orr_request *r, int32_t node, bool *own)
{
    int32_t n = orr_node_shared_gpus(ctx, node) != 0;
    *own = r->milli < 1000 ? n : orr_node_gangs(ctx, node, r->gpus);
    for (int32_t k = 1; k <= orr_node_gpus(ctx, node); k++)
        n += orr_node_gangs(ctx, node, k) > 0;
    return n;
}

static double score(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    const settings *s = orr_knobs(ctx);
    const double gpus = s->gpus * 1000;
    bool own;
    if (!orr_node_hosts(ctx, r, node))
        return -INFINITY;
    if (r->gpus == 0)
        return 0;
    const double full = trunc(25 * (gpus - (double)orr_node_free_milli(ctx, node)) / gpus);
    const int32_t n = classes(ctx, r, node, &own);
    if (own)
        return full + (n == 1 ? 75 : 50);
    return full + (n == 0 ? 25 : 0);
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

static const orr_knob knobs[] = {
    {"gpus", ORR_KNOB_NUMBER, offsetof(settings, gpus), "8", "1..64", "GPUs of the node that counts as full at 25"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_PLACER(gpu_clustering) = {
    .summary = "jobs of one size together",
    .cite = "baseline GpuClustering of FGD, USENIX ATC 2023; after Xiao et al., Gandiva, OSDI 2018",
    .deviations = "a gang that no node holds, which the baseline does not have, fills the fullest nodes",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .parts = true,
    .place = place,
};
