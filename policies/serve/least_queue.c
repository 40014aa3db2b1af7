/* least-queue: a request goes to the ready replica with the fewest requests waiting at it and batches running beside
 * it.
 *
 * Source: join the shortest queue (Winston, "Optimality of the shortest line discipline", 1977). Assumed: a running
 * batch counts as one, since how much is left of it isn't known; ties go to the replica with the lowest index.
 */
#include <orrery/serve.h>

/* O(replicas of the variant) a request: the lengths are those of now, and no index of them is worth its upkeep for a
 * few dozen. */
static orr_dest route(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_variant_id variant)
{
    const orr_replica_id *replicas;
    const int32_t n = orr_variant_replicas(ctx, variant, &replicas);
    orr_dest best = {.variant = variant, .replica = -1};
    int32_t least = INT32_MAX;
    (void)service;
    (void)req;
    for (int32_t i = 0; i < n && least > 0; i++) {
        const orr_dest d = {.variant = variant, .replica = replicas[i]};
        if (orr_replica_phase(ctx, d.replica) != ORR_PHASE_READY)
            continue;
        const int32_t load = orr_dest_waiting(ctx, d) + orr_exec_busy(ctx, orr_replica_exec(ctx, d.replica));
        if (load < least) {
            least = load;
            best = d;
        }
    }
    return best;
}

ORR_ROUTER(least_queue) = {
    .summary = "requests go where the fewest wait",
    .cite = "Winston, Optimality of the shortest line discipline, J. Appl. Prob. 1977",
    .deviations = "a running batch counts as one request",
    .route = route,
};
