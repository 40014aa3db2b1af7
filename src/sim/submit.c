/* Jobs at the door: which VC they belong to, whether they could ever run, whether the policy takes them. */
#include "sim/sim.h"

static orr_time submit_time(const orr_sim *sim, const orr_trace_job *r)
{
    return sim->tick ? orr_time_ceil(r->submit, sim->tick) : r->submit;
}

orr_time orr_sim_next_submit(const orr_sim *sim)
{
    if (sim->next >= orr_trace_count(sim->trace))
        return ORR_TIME_MAX;
    return submit_time(sim, &orr_trace_jobs(sim->trace)[sim->next]);
}

/* -1: the cluster has no such VC. Without VCs in the cluster a trace's VC is a label only. */
static int32_t vc_of(const orr_sim *sim, const orr_trace_job *r)
{
    const orr_cluster *c = sim->world.real;
    if (c->vcs == 1 && (sim->options.ignore_vcs || c->vc_names[0][0] == '\0'))
        return 0;
    int32_t vc = orr_cluster_spec_find_vc(sim->cluster_spec, r->vc);
    if (vc < 0 && !sim->options.reject_unknown_vc)
        vc = orr_cluster_spec_find_vc(sim->cluster_spec, "");
    return vc;
}

static int32_t type_of(const orr_sim *sim, const orr_trace_job *r)
{
    if (!r->gpu_type[0])
        return -1;
    int32_t type = orr_cluster_type_named(sim->world.real, r->gpu_type);
    return type < 0 ? -2 : type;
}

/* Why it can never run here; NULL: it can. */
static const char *refusal(orr_sim *sim, orr_job *job, int32_t vc)
{
    orr_world *w = &sim->world;
    if (vc < 0)
        return "unknown-vc";
    if (job->type == -2)
        return "no-such-gpu-type";
    if (job->record->gpus > orr_cluster_pool(w->empty, w->reach_all ? -1 : vc)->gpus)
        return "too-wide";
    if (!orr_world_feasible(w, sim->policy, job))
        return "no-room-even-when-empty";
    return NULL;
}

void orr_sim_submit_next(orr_sim *sim)
{
    const orr_trace_job *r = &orr_trace_jobs(sim->trace)[sim->next];
    int32_t vc = vc_of(sim, r);
    orr_job *job = orr_life_submit(&sim->life, r, (uint32_t)sim->next++, vc, type_of(sim, r), submit_time(sim, r));
    job->shape = UINT32_MAX;
    const char *why = refusal(sim, job, vc);
    if (!why && !orr_ctx_admit(sim->policy, job))
        why = "not-admitted";
    if (why) {
        job->shape = UINT32_MAX;
        orr_life_reject(&sim->life, job, why);
        return;
    }
    orr_event event = {.kind = ORR_EV_SUBMITTED};
    sim->world.decide |= sim->world.trigger_events >> ORR_EV_SUBMITTED & 1u;
    orr_ctx_on_job(sim->policy, job, &event);
}
