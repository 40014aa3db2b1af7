/* best-fit: the node that is left with the least room; if none holds the whole gang, the fullest ones are filled up first.
 * Room is counted in free GPUs, and a part of a GPU goes to the fullest GPU that has room. With `by=both` room is cores and
 * GPUs, each as a part of a large node and half of the whole, after the job has taken its own; cut to whole per cent, and
 * a gang is never split where a node could hold it: the baseline of FGD. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    int32_t by;
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
    const double asked = (double)r->gpus * r->milli;
    const double cores = (double)(orr_node_cpu_free(ctx, node) - orr_job_cpu_milli(r->job)) / (k->cores * 1000);
    const double gpus = ((double)orr_node_free_milli(ctx, node) - asked) / (k->gpus * 1000);
    return trunc(100 * (1 - (0.5 * (orr_node_cpus(ctx, node) ? cores : 0) + 0.5 * gpus)));
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    const state *s = orr_state(ctx);
    if (s->scores || r->gpus == 0)
        return s->scores ? orr_scores_place(s->scores, plan, r, out) : orr_fill_cores(ctx, r, out);
    if (r->milli < 1000)
        return orr_fill_parts(ctx, r, out);
    int32_t node = orr_node_for(ctx, r, r->gpus, ORR_NODES_FULLEST);
    if (node >= 0)
        return orr_alloc_take(out, plan, node, r->gpus);
    return orr_fill_nodes(ctx, plan, r, ORR_NODES_FULLEST, out);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    if (k->by == 1)
        ((state *)orr_state(ctx))->scores = orr_scores_create(ctx, score);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"by", ORR_KNOB_CHOICE, offsetof(settings, by), "gpus", "gpus|both", "what room is: free GPUs, or cores and GPUs"},
    {"cores", ORR_KNOB_NUMBER, offsetof(settings, cores), "128", "1..1e6", "both: cores of the node that counts as 1"},
    {"gpus", ORR_KNOB_NUMBER, offsetof(settings, gpus), "8", "1..64", "both: GPUs of the node that counts as 1"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"fgd", "by=both", "baseline BestFit of FGD, USENIX ATC 2023"},
    {NULL, NULL, NULL},
};

ORR_PLACER(best_fit) = {
    .summary = "least room left, split where needed",
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .parts = true,
    .place = place,
};
