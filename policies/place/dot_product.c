/* dot-product: the node whose free room points least the way the job asks. Of the nodes that can host it the one with the
 * smallest product of what is free and what is asked, cores and GPUs each as a part of a large node: score
 * 100 (1 - (free cores x asked cores + free GPUs x asked GPUs) / 2), cut to a whole number. Parts of GPUs go to the
 * fullest GPU with room. A baseline of FGD; the rule is Tetris' alignment with its sign turned. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    double cores, gpus;
} settings;

typedef struct state {
    orr_scores *scores;
} state;

static double score(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    const settings *k = orr_knobs(ctx);
    if (!orr_node_hosts(ctx, r, node))
        return -INFINITY;
    const double cores = k->cores * 1000, gpus = k->gpus * 1000;
    const double asked = (double)r->gpus * r->milli;
    const double by_cores = (double)orr_node_cpu_free(ctx, node) / cores * ((double)orr_job_cpu_milli(r->job) / cores);
    return trunc(100 * (1 - (by_cores + (double)orr_node_free_milli(ctx, node) / gpus * (asked / gpus)) / 2));
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
    {"cores", ORR_KNOB_NUMBER, offsetof(settings, cores), "128", "1..1e6", "cores of the node that counts as 1"},
    {"gpus", ORR_KNOB_NUMBER, offsetof(settings, gpus), "8", "1..64", "GPUs of the node that counts as 1"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_PLACER(dot_product) = {
    .summary = "least product of free and asked",
    .cite = "baseline DotProd of FGD, USENIX ATC 2023; after Grandl et al., Multi-Resource Packing for Cluster Schedulers, "
            "SIGCOMM 2014",
    .deviations = "a gang that no node holds, which the baseline does not have, fills the fullest nodes",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .parts = true,
    .place = place,
};
