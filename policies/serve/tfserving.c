/* tfserving: a batch runs when it is full, or when its oldest request has waited for a fixed time.
 *
 * Source: Olston et al., "TensorFlow-Serving: flexible, high-performance ML serving", 2017, §2.2.1; the same two settings are MXNet Model
 * Server's. It is what most systems compare themselves with. Assumed: as many batching threads as executors have slots.
 */
#include <orrery/serve.h>

struct knobs {
    int64_t max_batch;
    orr_time timeout;
};

static const orr_knob knobs[] = {
    {"max_batch", ORR_KNOB_INT, offsetof(struct knobs, max_batch), "32", "1..1000000", "the most requests in a batch"},
    {"timeout", ORR_KNOB_TIME, offsetof(struct knobs, timeout), "10ms", "0..inf", "how long the oldest waits for a full batch"},
    {0},
};

static const orr_preset presets[] = {
    {"greedy", "timeout=0", "no waiting: what is there, up to the largest batch"},
    {0},
};

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const struct knobs *k = orr_knobs(ctx);
    const int32_t most = orr_variant_of(ctx, f->variant)->max_batch;
    const int32_t full = k->max_batch < most ? (int32_t)k->max_batch : most;
    const orr_time until = orr_time_add(f->head->arrival, k->timeout);
    (void)exec;
    if (f->take > full)
        f->take = full;
    /* a replica that may take less than waits has a full batch */
    if (f->waiting < full && f->take == f->waiting && orr_serve_now(ctx) < until)
        orr_form_wait(ctx, f, full, until);
}

ORR_BATCHER(tfserving) = {
    .summary = "a full batch, or what came within a time limit",
    .cite = "Olston et al., TensorFlow-Serving, 2017, section 2.2.1",
    .deviations = "one queue a variant for all batching threads; no limit on batches that wait (the service's bound limits requests); "
                  "batches are not padded to allowed sizes (a profile by measured sizes does that)",
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .form = form,
};
