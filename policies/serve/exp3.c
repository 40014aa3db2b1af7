/* exp3: each request goes to one variant, drawn by weights that fall with what a variant got wrong.
 *
 * Source: Crankshaw et al., "Clipper: a low-latency online prediction serving system", NSDI 2017, section 5.1. A
 * variant is drawn with p = (1 - eta) weight / sum + eta / K; a wrong answer (loss 1) makes its weight exp(-eta / p)
 * times as large. Assumed: the loss is known with the answer; eta, which the paper leaves to the user.
 */
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    double eta;
};

static const orr_knob knobs[] = {
    {"eta", ORR_KNOB_NUMBER, offsetof(struct knobs, eta), "0.1", "0..1",
     "how fast weights change, and the part that is drawn evenly"},
    {0},
};

struct mine {
    double log_weight[ORR_FAN_MOST]; /* so that zeroed memory is a valid start */
};

struct request {
    double chance; /* with which its variant was drawn */
};

/* Variants that can answer at all: the first 16 with replicas. */
static int32_t there(orr_ctx *ctx, orr_service_id service, int32_t *places)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_service_of(ctx, service)->variant_count;
    int32_t count = 0;
    for (int32_t i = 0; i < n && i < ORR_FAN_MOST; i++)
        if (orr_variant_replicas(ctx, orr_service_variant(ctx, service, i), &replicas) > 0)
            places[count++] = i;
    return count;
}

static void choose(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_fan *fan)
{
    const struct knobs *k = orr_knobs(ctx);
    const struct mine *m = orr_service_priv(ctx, service);
    struct request *r = orr_req_priv(ctx, service, req);
    int32_t places[ORR_FAN_MOST];
    double chance[ORR_FAN_MOST], most = -INFINITY, sum = 0;
    const int32_t n = there(ctx, service, places);
    for (int32_t i = 0; i < n; i++)
        most = fmax(most, m->log_weight[places[i]]);
    for (int32_t i = 0; i < n; i++)
        sum += chance[i] = exp(m->log_weight[places[i]] - most);
    double u = orr_random(ctx);
    for (int32_t i = 0; i < n; i++) {
        chance[i] = (1 - k->eta) * chance[i] / sum + k->eta / n;
        if (u < chance[i] || i == n - 1) {
            fan->variants[0] = orr_service_variant(ctx, service, places[i]);
            r->chance = chance[i];
            return;
        }
        u -= chance[i];
    }
}

static void on_answer(orr_ctx *ctx, const orr_answer *a)
{
    const struct knobs *k = orr_knobs(ctx);
    struct mine *m = orr_service_priv(ctx, a->service);
    const struct request *r = orr_req_priv(ctx, a->service, a->req);
    const int32_t place = a->variant - orr_service_variant(ctx, a->service, 0);
    if (a->correct == 0 && place < ORR_FAN_MOST && r->chance > 0)
        m->log_weight[place] -= k->eta / r->chance;
}

ORR_SELECTOR(exp3) = {
    .summary = "one variant a request, drawn by weights that fall with its errors",
    .cite = "Crankshaw et al., Clipper, NSDI 2017, section 5.1",
    .deviations = "whether an answer was right is known as soon as it is given; the paper's feedback comes later, "
                  "or for some answers only",
    .know = {[ORR_SQ_CORRECT] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .service_priv = sizeof(struct mine),
    .req_priv = sizeof(struct request),
    .select = choose,
    .on_answer = on_answer,
};
