/* power-of-two: of two ready replicas drawn at random a request goes to the one with fewer requests.
 *
 * Source: Mitzenmacher, "The power of two choices in randomized load balancing", TPDS 2001. Assumed: the two are
 * different where there are two; a running batch counts as one; of equals the one drawn first.
 */
#include <orrery/serve.h>

/* The i-th ready one; they are few. */
static orr_replica_id nth_ready(orr_ctx *ctx, const orr_replica_id *replicas, int32_t n, uint64_t i)
{
    for (int32_t k = 0; k < n; k++)
        if (orr_replica_phase(ctx, replicas[k]) == ORR_PHASE_READY && i-- == 0)
            return replicas[k];
    return -1;
}

static int32_t load_of(orr_ctx *ctx, orr_variant_id variant, orr_replica_id replica)
{
    return orr_dest_waiting(ctx, (orr_dest){.variant = variant, .replica = replica}) +
           orr_exec_busy(ctx, orr_replica_exec(ctx, replica));
}

static orr_dest route(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    uint64_t ready = 0;
    (void)service;
    (void)req;
    for (int32_t k = 0; k < n; k++)
        ready += orr_replica_phase(ctx, replicas[k]) == ORR_PHASE_READY;
    if (ready < 2)
        return (orr_dest){.variant = variant, .replica = nth_ready(ctx, replicas, n, 0)};
    const uint64_t a = orr_random_below(ctx, ready), b = orr_random_below(ctx, ready - 1);
    const orr_replica_id one = nth_ready(ctx, replicas, n, a), other = nth_ready(ctx, replicas, n, b + (b >= a));
    return (orr_dest){.variant = variant,
                      .replica = load_of(ctx, variant, other) < load_of(ctx, variant, one) ? other : one};
}

ORR_ROUTER(power_of_two) = {
    .summary = "of two replicas drawn at random the less loaded",
    .cite = "Mitzenmacher, The power of two choices in randomized load balancing, TPDS 2001",
    .deviations = "a running batch counts as one request",
    .route = route,
};
