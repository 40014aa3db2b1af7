/* aimd: a replica's largest batch grows by a step with each full batch that was in time and shrinks by a tenth after
 * one that was late.
 *
 * Source: Crankshaw et al., "Clipper: a low-latency online prediction serving system", NSDI 2017, §4.3.1. The step and
 * the back-off are the paper's 1 and 10 %. Assumed: only a full batch says that a larger one could be tried.
 */
#include <orrery/serve.h>

struct knobs {
    int64_t add;
    double back_off;
};

static const orr_knob knobs[] = {
    {"add", ORR_KNOB_INT, offsetof(struct knobs, add), "1", "1..1024", "gained by a full batch in time"},
    {"back_off", ORR_KNOB_NUMBER, offsetof(struct knobs, back_off), "0.9", "0.1..1", "kept after a late one"},
    {0},
};

struct mine {
    int32_t extra; /* limit - 1, so that zeroed memory is a valid start */
};

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const struct mine *m = orr_replica_priv(ctx, f->replica);
    (void)exec;
    if (f->take > 1 + m->extra)
        f->take = 1 + m->extra;
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    const struct knobs *k = orr_knobs(ctx);
    struct mine *m = orr_replica_priv(ctx, b->replica);
    const int32_t limit = 1 + m->extra;
    if (b->exec > b->slo)
        m->extra = (int32_t)(k->back_off * limit) > 1 ? (int32_t)(k->back_off * limit) - 1 : 0;
    else if (b->size >= limit)
        m->extra += (int32_t)k->add;
}

ORR_BATCHER(aimd) = {
    .summary = "batch limit up by one when in time, down by a tenth when late",
    .cite = "Crankshaw et al., Clipper, NSDI 2017, section 4.3.1",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .replica_priv = sizeof(struct mine),
    .form = form,
    .on_done = on_done,
};
