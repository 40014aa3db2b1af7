/* skew: models whose largest tensor is a large part of the whole suffer most from being spread, so they are consolidated or
 * wait; all others take GPUs wherever there are. The placement rule of Tiresias; a model that is not in the table is consolidated.
 * Shares from the tensor sizes of the public Tiresias simulator (largest / total, tensors over 1 MB). */
#include <orrery/policy.h>

#include <string.h>

typedef struct settings {
    double threshold;
} settings;

static const struct {
    const char *model;
    double largest, total; /* MB */
} models[] = {
    {"vgg19", 392.0, 547.1},   {"vgg16", 392.0, 526.8},   {"vgg11", 392.0, 506.5},
    {"alexnet", 144.0, 235.8}, {"resnet152", 9.0, 149.6}, {"resnet101", 9.0, 119.7},
    {"resnet50", 9.0, 80.6},   {"inception4", 5.9, 132.8}, {"inception3", 7.8, 56.6},
};

static bool is_skewed(const char *model, double threshold)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].model, model) == 0)
            return models[i].largest / models[i].total > threshold;
    return true;
}

/* The fewest nodes: one with room for all, or wholly free ones and another for the rest. */
static orr_err together(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    int32_t widest = orr_scope_widest(ctx, r->scope), left = r->gpus, last = -1;
    for (; left > widest; left -= widest) {
        do
            last = orr_node_with_free(ctx, r->scope, widest, last);
        while (last >= 0 && orr_node_room(ctx, r->job, last) < widest);
        if (last < 0 || orr_alloc_take(out, plan, last, widest))
            return ORR_E_NOFIT;
    }
    for (int32_t free = left; free <= widest; free++) {
        int32_t node = orr_node_with_free(ctx, r->scope, free, free == widest ? last : -1);
        for (; node >= 0; node = orr_node_with_free(ctx, r->scope, free, node))
            if (orr_node_room(ctx, r->job, node) >= left)
                return orr_alloc_take(out, plan, node, left);
    }
    return ORR_E_NOFIT;
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    bool skewed = is_skewed(orr_job_model(r->job), ((const settings *)orr_knobs(ctx))->threshold);
    return skewed ? together(ctx, plan, r, out) : orr_fill_nodes(ctx, plan, r, ORR_NODES_INDEXED, out);
}

static const orr_knob knobs[] = {
    {"threshold", ORR_KNOB_NUMBER, offsetof(settings, threshold), "0.5", "0..1", "consolidate models with a larger share"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_PLACER(skew) = {
    .summary = "consolidate models with skewed tensor sizes only",
    .cite = "Tiresias NSDI'19 section 3.4; tensor sizes of its public simulator",
    .deviations = "the threshold is ours: the paper profiles it on the testbed",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .place = place,
    .by_model = true,
};
