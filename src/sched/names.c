/* Names of things, as they are spelled everywhere. */
#include <orrery/sim.h>

const char *orr_know_name(orr_know level)
{
    static const char *const names[] = {"none", "declared", "observed", "history", "profiled", "noisy", "oracle"};
    return level >= 0 && (size_t)level < sizeof names / sizeof *names ? names[level] : "?";
}

const char *orr_quantity_name(orr_quantity quantity)
{
    static const char *const names[] = {"duration", "service", "limit", "record", "profile", "rate", "load", "scaling"};
    return quantity >= 0 && quantity < ORR_Q_COUNT ? names[quantity] : "?";
}

const char *orr_job_state_name(orr_job_state state)
{
    static const char *const names[] = {"pending",  "queued", "starting", "running", "checkpointing",
                                        "resizing", "done",   "failed",   "killed",  "rejected"};
    return state >= 0 && state < ORR_JOB_STATES ? names[state] : "?";
}

const char *orr_stop_name(orr_stop stop)
{
    static const char *const names[] = {"none", "drained", "horizon", "stalled", "limit", "interrupted", "error"};
    return stop >= 0 && (size_t)stop < sizeof names / sizeof *names ? names[stop] : "?";
}

const char *orr_hold_end_name(orr_hold_end end)
{
    static const char *const names[] = {"done", "failed", "killed", "preempted", "resized", "migrated", "retried", "open", "reshared", "interrupted"};
    return end >= 0 && (size_t)end < sizeof names / sizeof *names ? names[end] : "?";
}
