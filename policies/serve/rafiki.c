/* rafiki: the largest batch of a fixed set that is there, once the oldest request can't wait any longer.
 *
 * Source: Wang et al., "Rafiki: machine learning as an analytics service system", VLDB 2018, §5.2 (the greedy algorithm). With
 * as many waiting as the largest batch, that runs. Else b is the largest of the set that is full, and it runs when its
 * time, the oldest one's wait and a back-off together reach the SLO; until then one waits for more.
 * Assumed: where fewer wait than the smallest batch, all of them run when the smallest would have to.
 */
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    orr_list_of_numbers sizes;
    double back_off;
};

static const orr_knob knobs[] = {
    {"sizes", ORR_KNOB_LIST, offsetof(struct knobs, sizes), "16/32/48/64", "1..1000000", "batches that there are"},
    {"back_off", ORR_KNOB_NUMBER, offsetof(struct knobs, back_off), "0.1", "0..1", "so much of the SLO is kept in hand"},
    {0},
};

/* The i-th smallest size there is for a variant; those beyond its largest batch are that. */
static int32_t size_at(const struct knobs *k, int32_t i, int32_t most)
{
    return k->sizes.at[i] < most ? (int32_t)k->sizes.at[i] : most;
}

/* The largest that `waiting` fill, or the smallest; *next: the one after it, 0: none. */
static int32_t size_for(const struct knobs *k, int32_t waiting, int32_t most, int32_t *next)
{
    int32_t size = size_at(k, 0, most);
    *next = 0;
    for (int32_t i = 0; i < k->sizes.count; i++) {
        const int32_t s = size_at(k, i, most);
        if (s <= waiting && s > size)
            size = s;
    }
    for (int32_t i = 0; i < k->sizes.count; i++) {
        const int32_t s = size_at(k, i, most);
        if (s > waiting && (*next == 0 || s < *next))
            *next = s;
    }
    return size;
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_time slo = orr_service_of(ctx, f->service)->classes[0].slo;
    int32_t next;
    const int32_t size = size_for(k, f->waiting, orr_variant_of(ctx, f->variant)->max_batch, &next);
    if (f->take > size)
        f->take = size;
    if (next == 0 || slo == ORR_TIME_MAX)
        return;
    const double seconds = orr_exec_time(ctx, exec, f->variant, size);
    const double wait = (double)slo * (1 - k->back_off) - (isnan(seconds) ? 0 : seconds * 1e9);
    const orr_time until = orr_time_add(f->head->arrival, wait > 0 ? (orr_time)wait : 0);
    if (f->take == (f->waiting < size ? f->waiting : size) && orr_serve_now(ctx) < until)
        orr_form_wait(ctx, f, next, until);
}

ORR_BATCHER(rafiki) = {
    .summary = "batches of a fixed set, as late as the SLO lets them be",
    .cite = "Wang et al., Rafiki, VLDB 2018, section 5.2; code nginyc/rafiki",
    .deviations = "the greedy baseline only, not the reinforcement learner; one model a request (async): ensembles are a selector's",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .form = form,
};
