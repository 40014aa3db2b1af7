/* round-robin: each request goes to the next ready replica in turn.
 *
 * Source: the textbook rule, and what load balancers do by default. Assumed: replicas that are starting are passed
 * over.
 */
#include <orrery/serve.h>

struct mine {
    int32_t last; /* the replica that got the last one, + 1 */
};

/* O(replicas of the variant): few, and by nobody else looked at. */
static orr_dest route(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    struct mine *m = orr_service_priv(ctx, service);
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    orr_replica_id first = -1, next = -1;
    (void)req;
    for (int32_t i = 0; i < n && next < 0; i++) { /* they come by index */
        if (orr_replica_phase(ctx, replicas[i]) != ORR_PHASE_READY)
            continue;
        if (first < 0)
            first = replicas[i];
        if (replicas[i] >= m->last)
            next = replicas[i];
    }
    next = next < 0 ? first : next;
    m->last = next + 1;
    return (orr_dest){.variant = variant, .replica = next};
}

ORR_ROUTER(round_robin) = {
    .summary = "requests go to replicas in turn",
    .cite = "textbook rule",
    .deviations = "one turn for all variants of a service",
    .service_priv = sizeof(struct mine),
    .route = route,
};
