/* fgd: fragmentation gradient descent. A job goes to the node, and a part of a GPU to the GPU, where it adds least to
 * what the jobs to come can't use; where it makes fragments whole again they become fewer. What is a fragment is told in
 * <orrery/fragment.h>; the score of a place is 100 sigmoid((before - after) / 1000 thousandths), cut to a whole number as
 * the public simulator does, and ties go to the first node, then the first GPU.
 *
 * The jobs to come are the kinds of request that make up 95 % of all: of a trace that `typical` names, the paper's way,
 * or of the jobs submitted so far.
 *
 * Source: Weng et al., Beware of Fragmentation, ATC'23, and its public simulator. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    orr_asks typical;
    double part;
} settings;

typedef struct state {
    orr_scores *scores;
    orr_target *target;
} state;

/* ---- the gradient ------------------------------------------------------------------------------------------------ */

static double score_of(double before, double after)
{
    return floor(100 * (1 / (1 + exp(-(before - after) / 1000))));
}

/* Thousandths that are taken of GPUs with `milli` left, in the order in which such a job takes them: fullest first. The
 * same as on any of its equals, so that one of each kind is enough for a job of one part. */
static int32_t fullest(const orr_remnant *left, int32_t milli, uint64_t except)
{
    int32_t best = -1;
    for (int32_t g = 0; g < left->gpus; g++)
        if (left->milli[g] >= milli && !(except >> g & 1) && (best < 0 || left->milli[g] < left->milli[best]))
            best = g;
    return best;
}

static double after_gang(const orr_fragments *f, const orr_request *r, orr_remnant left)
{
    uint64_t taken = 0;
    for (int32_t k = 0; k < r->gpus; k++) {
        const int32_t g = fullest(&left, r->milli, taken);
        if (g < 0)
            break;
        left.milli[g] -= r->milli;
        taken |= (uint64_t)1 << g;
    }
    return orr_fragments_of(f, &left);
}

static bool tried_before(const orr_remnant *left, int32_t gpu)
{
    for (int32_t g = 0; g < gpu; g++)
        if (left->milli[g] == left->milli[gpu])
            return true;
    return false;
}

/* The GPU of the best score, the first among equals; -1: none has room. `left` has the job's cores taken already. */
static int32_t best_gpu(orr_ctx *ctx, const orr_request *r, int32_t node, double before, orr_remnant *left, double *most)
{
    const state *s = orr_state(ctx);
    const orr_fragments *f = orr_target_fragments(s->target);
    int32_t best = -1;
    for (int32_t g = 0; g < left->gpus; g++) {
        if (left->milli[g] < r->milli || tried_before(left, g) || !orr_node_takes(ctx, r->job, node, g, r->milli))
            continue;
        left->milli[g] -= r->milli;
        const double score = score_of(before, orr_fragments_of(f, left));
        left->milli[g] += r->milli;
        if (best < 0 || score > *most) {
            *most = score;
            best = g;
        }
    }
    return best;
}

static bool is_one_part(const orr_request *r)
{
    return r->gpus == 1 && r->milli < 1000;
}

static double before_it(orr_ctx *ctx, const orr_request *r, int32_t node, orr_remnant *left)
{
    const state *s = orr_state(ctx);
    orr_node_remnant(ctx, node, left);
    const double before = orr_fragments_of(orr_target_fragments(s->target), left);
    if (left->cpu_milli != INT64_MAX)
        left->cpu_milli -= orr_job_cpu_milli(r->job);
    return before;
}

static double score(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    const state *s = orr_state(ctx);
    orr_remnant left;
    double most = -INFINITY;
    if (!orr_node_hosts(ctx, r, node))
        return -INFINITY;
    const double before = before_it(ctx, r, node, &left);
    if (!is_one_part(r))
        return score_of(before, after_gang(orr_target_fragments(s->target), r, left));
    best_gpu(ctx, r, node, before, &left, &most);
    return most;
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    const state *s = orr_state(ctx);
    orr_remnant left;
    double most;
    if (!is_one_part(r))
        return orr_scores_place(s->scores, plan, r, out);
    const int32_t node = orr_scores_best(s->scores, r);
    if (node < 0)
        return ORR_E_NOFIT;
    const double before = before_it(ctx, r, node, &left);
    const int32_t gpu = best_gpu(ctx, r, node, before, &left, &most);
    return orr_alloc_add_slice(out, &(orr_slice){.node = node, .milli = r->milli, .gpus = (uint64_t)1 << gpu});
}

static void on_job(orr_ctx *ctx, const orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED && orr_target_saw(s->target, job))
        orr_scores_renew(s->scores);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    s->scores = orr_scores_create(ctx, score);
    s->target = orr_target_create(ctx, &k->typical, k->part);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"typical", ORR_KNOB_ASKS, offsetof(settings, typical), "", NULL,
     "a trace whose jobs are what is to come; none: those submitted so far"},
    {"part", ORR_KNOB_NUMBER, offsetof(settings, part), "0.95", "0.01..1",
     "of all jobs, those of the most frequent kinds that count"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_PLACER(fgd) = {
    .summary = "where least is left that later jobs can't use",
    .cite = "Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent, "
            "USENIX ATC 2023",
    .deviations = "without `typical` the jobs to come are those submitted so far, and all are counted anew when they have "
                  "become a quarter more; device memory refuses a GPU, but is no part of the measure. A gang that no node "
                  "holds, which the paper does not have, fills the fullest nodes.",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = on_job,
    .parts = true,
    .place = place,
};
