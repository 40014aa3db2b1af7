/* model-switching: the variant of largest effective accuracy answers: accuracy times the part of answers in time at
 * the present load.
 *
 * Source: Zhang et al., "Model-Switching: dealing with fluctuating workloads in machine-learning-as-a-service
 * systems", HotCloud 2020. Each period the rate is the largest of any period within `recent`. The part in time is
 * that of M/M/c with the variant's replicas and the time of one request; the paper measures it. All variants are
 * resident, so that a switch costs nothing.
 */
#include <orrery/queueing.h>
#include <orrery/serve.h>

#include <math.h>

struct knobs {
    orr_time period, recent;
};

static const orr_knob knobs[] = {
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "1s", "10ms..10min", "how often it looks"},
    {"recent", ORR_KNOB_TIME, offsetof(struct knobs, recent), "1s", "10ms..10min",
     "the busiest period in this time is the load"},
    {0},
};

static double rate_of(orr_ctx *ctx, orr_service_id service)
{
    const struct knobs *k = orr_knobs(ctx);
    const orr_time window = k->recent > k->period ? k->recent : k->period;
    return (double)orr_arrived_most(ctx, service, window, k->period) / orr_time_seconds(k->period);
}

static int32_t ready(orr_ctx *ctx, orr_variant_id variant, orr_exec_id *exec)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (orr_replica_phase(ctx, replicas[i]) != ORR_PHASE_READY)
            continue;
        *exec = orr_replica_exec(ctx, replicas[i]);
        count++;
    }
    return count;
}

static void want(orr_ctx *ctx, orr_service_id service, orr_want *w)
{
    const orr_service *spec = orr_service_of(ctx, service);
    const double rate = rate_of(ctx, service), deadline = orr_time_seconds(spec->classes[0].slo);
    double best = 0, fastest = 0;
    orr_variant_id refuge = w->current;
    for (int32_t i = 0; i < spec->variant_count; i++) {
        const orr_variant_id variant = orr_service_variant(ctx, service, i);
        orr_exec_id exec = -1;
        const int32_t servers = ready(ctx, variant, &exec);
        const double seconds = servers ? orr_exec_time(ctx, exec, variant, 1) : NAN;
        if (isnan(seconds))
            continue;
        const double effective = spec->variants[i].accuracy * orr_mmc_within(rate, 1 / seconds, servers, deadline);
        if (effective > best) {
            best = effective;
            w->current = variant;
        }
        if (servers / seconds > fastest) {
            fastest = servers / seconds;
            refuge = variant;
        }
    }
    if (!(best > 0)) /* more comes in than any can serve */
        w->current = refuge;
}

ORR_SCALER(model_switching) = {
    .summary = "switches to the variant of most accuracy in time at the present rate",
    .cite = "Zhang et al., Model-Switching, HotCloud 2020",
    .deviations = "the part of answers in time is that of M/M/c with batches of one, where the paper measures a "
                  "table; under overload of all variants the one that serves most is taken",
    .know =
        {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED, [ORR_SQ_ACCURACY] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .period = "1s",
    .want = want,
};
