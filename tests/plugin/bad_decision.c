/* bad-decision: all there but the one function that is required. */
#include <orrery/policy.h>

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    (void)ctx, (void)job, (void)event;
}

ORR_POLICY(bad_decision) = {
    .summary = "decides nothing",
    .on_job = on_job,
};
