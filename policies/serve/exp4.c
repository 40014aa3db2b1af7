/* exp4: all variants answer, and the weighted majority counts; a variant's weight falls with what it got wrong.
 *
 * Source: Crankshaw et al., "Clipper: a low-latency online prediction serving system", NSDI 2017, sections 5.1 and
 * 5.2.2. A wrong answer (loss 1) makes a weight exp(-eta) times as large. At the deadline those that have come are
 * combined: stragglers are left out. Assumed: eta, which the paper leaves to the user.
 */
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    double eta;
    int64_t need;
};

static const orr_knob knobs[] = {
    {"eta", ORR_KNOB_NUMBER, offsetof(struct knobs, eta), "0.1", "0..1", "how fast weights change; 0: they stay equal"},
    {"need", ORR_KNOB_INT, offsetof(struct knobs, need), "0", "0..16", "answer when so many have come; 0: all"},
    {0},
};

struct mine {
    double log_weight[ORR_FAN_MOST]; /* so that zeroed memory is a valid start */
};

static void choose(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan)
{
    const struct knobs *k = orr_knobs(ctx);
    const struct mine *m = orr_service_priv(ctx, service);
    const int32_t n = orr_service_of(ctx, service)->variant_count;
    const orr_replica_id *replicas;
    double most = -INFINITY;
    (void)req;
    for (int32_t i = 0; i < n && i < ORR_FAN_MOST; i++)
        most = fmax(most, m->log_weight[i]);
    int32_t count = 0;
    for (int32_t i = 0; i < n && i < ORR_FAN_MOST; i++) {
        const orr_variant_id variant = orr_service_variant(ctx, service, i);
        if (orr_variant_replicas(ctx, variant, &replicas) == 0)
            continue;
        fan->variants[count] = variant;
        fan->weights[count++] = exp(m->log_weight[i] - most);
    }
    if (count)
        fan->count = count;
    fan->need = k->need < fan->count ? (int32_t)k->need : 0;
}

static void on_answer(orr_ctx *ctx, const orr_answer *a)
{
    const struct knobs *k = orr_knobs(ctx);
    struct mine *m = orr_service_priv(ctx, a->service);
    const int32_t place = a->variant - orr_service_variant(ctx, a->service, 0);
    if (a->correct == 0 && place < ORR_FAN_MOST)
        m->log_weight[place] -= k->eta;
}

ORR_SELECTOR(exp4) = {
    .summary = "all variants answer; the majority, weighted by what they got right, counts",
    .cite = "Crankshaw et al., Clipper, NSDI 2017, sections 5.1 and 5.2.2",
    .deviations = "answers are right or wrong, so that the wrong ones agree with each other; no default answer "
                  "below a confidence; whether an answer was right is known as soon as it is given",
    .know = {[ORR_SQ_CORRECT] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .select = choose,
    .on_answer = on_answer,
};
