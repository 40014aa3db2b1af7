/* lazy: at each batch the requests at the head that would be late even alone are dropped, and no others.
 *
 * Source: Shen et al., "Nexus: a GPU cluster engine for accelerating DNN-based video analysis", SOSP 2019, §4.3.1 (lazy
 * drop, the baseline). Near saturation the heads have little time left, batches shrink to suit them, and throughput
 * collapses. Assumed: times as profiled.
 */
#include <orrery/serve.h>

static int32_t shed(orr_ctx *ctx, orr_exec_id exec, const orr_form *f)
{
    const double seconds = orr_exec_time(ctx, exec, f->variant, 1);
    const orr_time ends = orr_time_add(orr_serve_now(ctx), (orr_time)(seconds * 1e9 + 0.5));
    const orr_dest from = orr_form_dest(f);
    int32_t n = 0;
    while (n < f->waiting && orr_dest_at(ctx, from, n)->deadline < ends) /* each one looked at goes */
        n++;
    return n;
}

ORR_DROPPER(lazy) = {
    .summary = "drops who would be late even alone",
    .cite = "Shen et al., Nexus, SOSP 2019, section 4.3.1 (the baseline)",
    .deviations = "whether the batch shrinks so that its head is in time is the batcher's",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED},
    .shed = shed,
};
