/* Jobs at the door: which VC they belong to, whether they could ever run, whether the policy takes them. */
#include "sim/sim.h"

#include "base/text.h"
#include "sched/groups.h"

#include <string.h>

/* ---- who comes next ---------------------------------------------------------------------------------------------- */

static orr_time submit_time(const orr_sim *sim, const orr_trace_job *r)
{
    return sim->tick ? orr_time_ceil(r->submit, sim->tick) : r->submit;
}

static void skip_followers(orr_sim *sim)
{
    const orr_trace_job *jobs = orr_trace_jobs(sim->trace);
    while (sim->next < orr_trace_count(sim->trace) && orr_follows(&jobs[sim->next]))
        sim->next++;
}

void orr_sim_submit_begin(orr_sim *sim)
{
    orr_follow_init(&sim->follow, sim->trace);
    skip_followers(sim);
}

/* The next of the record; {ORR_TIME_MAX} when all have come. */
static orr_due recorded(const orr_sim *sim)
{
    if (sim->next >= orr_trace_count(sim->trace))
        return (orr_due){.at = ORR_TIME_MAX};
    return (orr_due){submit_time(sim, &orr_trace_jobs(sim->trace)[sim->next]), (uint32_t)sim->next};
}

orr_time orr_sim_next_submit(const orr_sim *sim)
{
    orr_time at = recorded(sim).at;
    const orr_due *due = orr_follow_first(&sim->follow);
    return due && due->at < at ? due->at : at;
}

/* By (time, place in the trace), whether the record or an end says when. */
static orr_due take_next(orr_sim *sim)
{
    orr_due next = recorded(sim);
    const orr_due *due = orr_follow_first(&sim->follow);
    if (due && (due->at < next.at || (due->at == next.at && due->job < next.job))) {
        next = *due;
        orr_follow_pop(&sim->follow);
        return next;
    }
    sim->next++;
    skip_followers(sim);
    return next;
}

static orr_time due_time(void *self, const orr_trace_job *follower)
{
    const orr_life *life = &((const orr_sim *)self)->life;
    return orr_life_on_grid(life, orr_time_add(life->now, follower->think));
}

void orr_sim_job_ended(orr_sim *sim, const orr_job *job)
{
    orr_follow_ended(&sim->follow, sim->trace, job->index, due_time, sim);
}

/* ---- at the door ------------------------------------------------------------------------------------------------- */

/* Without VCs in the cluster a trace's VC is a label only. */
int32_t orr_sim_vc_of(const orr_sim *sim, const orr_trace_job *r)
{
    const orr_cluster *c = sim->world.real;
    if (c->vcs == 1 && (sim->options.ignore_vcs || c->vc_names[0][0] == '\0'))
        return 0;
    int32_t vc = orr_cluster_spec_find_vc(sim->cluster_spec, r->vc);
    if (vc < 0 && !sim->options.reject_unknown_vc)
        vc = orr_cluster_spec_find_vc(sim->cluster_spec, "");
    return vc;
}

/* What the throughput table makes of it. */
static void find_speeds(orr_sim *sim, orr_job *job)
{
    static const char *const notes[] = {
        [ORR_SPEEDS_EXACT] = NULL,
        [ORR_SPEEDS_NEAR] = "the throughput table lacks its gang size: another one's ratios",
        [ORR_SPEEDS_NO_MODEL] = "the throughput table lacks its model: as recorded",
        [ORR_SPEEDS_NO_REFERENCE] = "the throughput table lacks its speed where it was recorded: as recorded",
    };
    const orr_speeds_found found = orr_speeds_submit(&sim->speeds, job);
    if (notes[found])
        orr_world_note(&sim->world, notes[found]);
}

/* What its application makes of it, with the batch that the trace states. */
static void find_training(orr_sim *sim, orr_job *job)
{
    const char *batch = orr_trace_attribute(sim->trace, job->record, "batch_size");
    int64_t samples = 0;
    if (!orr_parse_i64(batch, strlen(batch), &samples) || samples < 1)
        samples = 0;
    switch (orr_trainings_submit(&sim->trainings, job, samples)) {
    case ORR_TRAINED:
        break;
    case ORR_TRAINED_AS_RECORDED:
        orr_world_note(&sim->world, "its model is no application: as recorded");
        break;
    case ORR_TRAINED_UNKNOWN:
        orr_world_note(&sim->world, "its application says nothing of its gang and batch: as recorded");
        break;
    }
}

/* Why it can never run here; NULL: it can. */
static const char *refusal(orr_sim *sim, orr_job *job, int32_t vc)
{
    orr_world *w = &sim->world;
    if (vc < 0)
        return "unknown-vc";
    if (!job->types)
        return orr_cluster_types_named(w->real, job->record->gpu_type) ? "runs-on-no-gpu-type" : "no-such-gpu-type";
    if (job->record->gpus > orr_cluster_pool(w->empty, w->reach_all ? -1 : vc)->gpus)
        return "too-wide";
    if (!orr_world_feasible(w, sim->policy, job))
        return "no-room-even-when-empty";
    return NULL;
}

void orr_sim_submit_next(orr_sim *sim)
{
    const orr_due next = take_next(sim);
    const orr_trace_job *r = &orr_trace_jobs(sim->trace)[next.job];
    int32_t vc = orr_sim_vc_of(sim, r);
    orr_job *job = orr_life_submit(&sim->life, r, next.job, vc, next.at);
    job->types = orr_cluster_types_named(sim->world.real, r->gpu_type);
    if (sim->world.speeds && job->types)
        find_speeds(sim, job);
    if (sim->options.applications)
        find_training(sim, job);
    job->profile = orr_profiles_find(sim->options.profiles, r->model);
    if (!job->gpu_mem && job->profile)
        job->gpu_mem = job->profile->gpu_mem;
    job->shape = UINT32_MAX;
    orr_groups_enter(sim->world.groups, job);
    if (sim->life.sink.submit)
        sim->life.sink.submit(sim->life.sink.self, next.at, job);
    const char *why = refusal(sim, job, vc);
    if (!why && !orr_ctx_admit(sim->policy, job))
        why = "not-admitted";
    if (why) {
        job->shape = UINT32_MAX;
        orr_life_reject(&sim->life, job, why);
        return;
    }
    if (r->ran != ORR_TIME_NONE && next.at == 0)
        ORR_VEC_PUSH(&sim->resuming, job);
    orr_event event = {.kind = ORR_EV_SUBMITTED};
    sim->world.decide |= sim->world.trigger_events >> ORR_EV_SUBMITTED & 1u;
    orr_ctx_on_job(sim->policy, job, &event);
    orr_capacity_waits(sim, job);
    orr_early_waits(sim, job);
}
