/* early: at each batch the requests at the head that would be late at the end of this batch are dropped, so that a
 * whole batch is in time.
 *
 * Source: Shen et al., "Nexus: a GPU cluster engine for accelerating DNN-based video analysis", SOSP 2019, §4.3.1
 * (early drop). A window as wide as the batch slides over the queue until its first request is in time. Assumed: times
 * as profiled.
 */
#include <orrery/serve.h>

static int32_t shed(orr_ctx *ctx, orr_exec_id exec, const orr_form *f)
{
    const double seconds = orr_exec_time(ctx, exec, f->variant, f->take);
    const orr_time ends = orr_time_add(orr_serve_now(ctx), (orr_time)(seconds * 1e9 + 0.5));
    const orr_dest from = orr_form_dest(f);
    int32_t n = 0;
    while (n < f->waiting && orr_dest_at(ctx, from, n)->deadline < ends) /* each one looked at goes */
        n++;
    return n;
}

ORR_DROPPER(early) = {
    .summary = "drops who would be late at the end of a whole batch",
    .cite = "Shen et al., Nexus, SOSP 2019, section 4.3.1",
    .deviations = "the window is as wide as the batch that the batcher asks for, which shrinks when fewer wait",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED},
    .shed = shed,
};
