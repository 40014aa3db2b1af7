/* What the simulation reports, as records. A decision is written only when something comes of it: it is kept until
 * then. */
#include "log/sink.h"

#include "sim/sim.h"
#include <orrery/version.h>

#include <stdio.h>

struct orr_log_sink {
    orr_log_writer *writer;
    char *measure;
    uint64_t deciding;           /* 1 + the number of the decision that is being carried out; 0: none is */
    bool told;                   /* it has its record */
    const orr_job *left_at_once; /* preempted, and its hold ends now: one record says both */
    ORR_VEC(orr_log_slice) slices;
    ORR_VEC(uint32_t) after;
    ORR_VEC(orr_log_tenant) tenants;
};

static void put(orr_log_sink *s, const orr_log_record *record)
{
    orr_log_write(s->writer, record);
}

/* What a decision has done comes behind its own record. */
static void put_deed(orr_log_sink *s, const orr_log_record *record)
{
    if (s->deciding && !s->told)
        put(s, &(orr_log_record){.kind = ORR_LOG_DECIDE, .at = record->at, .number = s->deciding - 1, .reason = ""});
    s->told = true;
    put(s, record);
}

/* ---- the header ---- */

static bool has_default_name(const orr_node_spec *node, int32_t index)
{
    char name[32];
    snprintf(name, sizeof name, "node%d", index);
    return strcmp(node->name, name) == 0;
}

static bool alike(const orr_log_nodes *n, const orr_node_spec *node)
{
    return !n->name[0] && n->gpus == node->gpus && n->cpus == node->cpus && n->mem == node->mem_bytes &&
           n->gpu_mem == node->gpu_mem_bytes && strcmp(n->type, node->gpu_type) == 0 &&
           strcmp(n->vc, node->vc) == 0 && strcmp(n->rack, node->rack) == 0;
}

static orr_log_nodes *node_runs(const orr_cluster_spec *cluster, size_t *n)
{
    const int32_t count = orr_cluster_spec_nodes(cluster);
    orr_log_nodes *runs = orr_xcalloc((size_t)count + 1, sizeof *runs);
    *n = 0;
    for (int32_t i = 0; i < count; i++) {
        const orr_node_spec *node = orr_cluster_spec_node(cluster, i);
        const bool plain = has_default_name(node, i);
        if (plain && *n && alike(&runs[*n - 1], node)) {
            runs[*n - 1].count++;
            continue;
        }
        runs[(*n)++] = (orr_log_nodes){.count = 1,
                                       .gpus = node->gpus,
                                       .cpus = node->cpus,
                                       .mem = node->mem_bytes,
                                       .gpu_mem = node->gpu_mem_bytes,
                                       .type = node->gpu_type,
                                       .vc = node->vc,
                                       .rack = node->rack,
                                       .name = plain ? "" : node->name};
    }
    return runs;
}

static const char *or_else(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* Where nothing but its GPUs counts, a job's speed can be told from them. */
static bool is_linear(const orr_sim *sim)
{
    return !sim->capacity.clocks && !sim->options.profiles && !sim->options.throughputs && !sim->options.applications &&
           sim->interference.kind == ORR_INTERFERENCE_NONE && !sim->net;
}

static void set_scenario(orr_log_header *header, const orr_sim *sim)
{
    const orr_profiles *profiles = sim->options.profiles;
    const orr_scenario *scenario = sim->options.scenario;
    const orr_applications *applications = sim->options.applications;
    const bool whole = applications && orr_applications_whole_epochs(applications);
    header->model = is_linear(sim) ? "linear" : whole ? "whole-epochs" : "scenario";
    header->profiles = profiles ? orr_profiles_name(profiles) : "";
    header->profiles_digest = profiles ? orr_profiles_digest(profiles) : "";
    const orr_throughputs *table = sim->options.throughputs;
    header->throughputs = table ? orr_throughputs_name(table) : "";
    header->throughputs_digest = table ? orr_throughputs_digest(table) : "";
    header->applications = applications ? orr_applications_name(applications) : "";
    header->applications_digest = applications ? orr_applications_digest(applications) : "";
    header->interference = orr_sim_interference_resolved(sim);
    header->net = sim->net ? orr_sim_net_resolved(sim) : "";
    header->scenario = !scenario ? "" : scenario->name[0] ? scenario->name : "unnamed";
    header->scenario_digest = scenario ? scenario->digest : "";
    const orr_services *services = sim->options.services;
    header->services = !services ? "" : services->name[0] ? services->name : "unnamed";
    header->services_digest = services ? services->digest : "";
    header->serve = services ? orr_serving_resolved(orr_sim_serving(sim)) : "";
}

static void set_tenants(orr_log_sink *s, orr_log_header *header, const orr_cluster *cluster)
{
    s->tenants.n = 0;
    for (int32_t v = 0; v < cluster->tenants; v++)
        ORR_VEC_PUSH(&s->tenants, ((orr_log_tenant){cluster->vc_names[v], cluster->quotas[v]}));
    header->tenants = s->tenants.at;
    header->tenant_count = s->tenants.n;
}

static void take_begin(void *self, const orr_sim *sim)
{
    orr_log_sink *s = self;
    size_t runs;
    char program[64];
    const size_t jobs = orr_trace_count(sim->trace);
    const orr_trace_job *records = orr_trace_jobs(sim->trace);
    orr_log_nodes *nodes = node_runs(sim->cluster_spec, &runs);
    snprintf(program, sizeof program, "orrery %s", orr_version());
    orr_log_header header = {.program = program,
                             .trace = orr_trace_name(sim->trace),
                             .trace_digest = orr_trace_digest(sim->trace),
                             .cluster = orr_cluster_spec_name(sim->cluster_spec),
                             .cluster_digest = orr_cluster_spec_digest(sim->cluster_spec),
                             .policy = or_else(sim->options.policy, "fifo"),
                             .policy_resolved = orr_sim_policy_resolved(sim),
                             .costs = orr_sim_costs_resolved(sim),
                             .clock = or_else(sim->options.clock, "exact"),
                             .measure = s->measure,
                             .seed = sim->options.seed,
                             .jobs = jobs,
                             .first_asked = records[0].submit,
                             .last_asked = records[jobs - 1].submit,
                             .one_pool = sim->options.ignore_vcs,
                             .borrows = sim->world.reach_all,
                             .nodes = nodes,
                             .node_runs = runs};
    set_scenario(&header, sim);
    set_tenants(s, &header, sim->world.real);
    orr_log_write_header(s->writer, &header);
    free(nodes);
}

/* ---- jobs come and go ---- */

static orr_log_ending ending_of(orr_ending ending)
{
    return ending == ORR_ENDING_DONE ? ORR_LOG_DONE : ending == ORR_ENDING_FAILED ? ORR_LOG_FAILED : ORR_LOG_KILLED;
}

/* What ran at the origin waits for nobody. */
static uint32_t list_after(orr_log_sink *s, const orr_trace_job *r)
{
    s->after.n = 0;
    for (uint32_t i = 0; orr_follows(r) && i < r->after_count; i++)
        ORR_VEC_PUSH(&s->after, r->after[i].job);
    return (uint32_t)s->after.n;
}

static void take_submit(void *self, orr_time at, const orr_job *job)
{
    orr_log_sink *s = self;
    const orr_trace_job *r = job->record;
    const uint32_t after = list_after(s, r);
    const orr_log_request request = {.id = r->id,
                                     .user = r->user,
                                     .vc = r->vc,
                                     .name = r->name,
                                     .model = r->model,
                                     .types = r->gpu_type,
                                     .pool = job->vc,
                                     .gpus = r->gpus,
                                     .min_gpus = orr_job_min_gpus(job),
                                     .max_gpus = orr_job_max_gpus(job),
                                     .milli = r->gpu_milli,
                                     .cpu_milli = r->cpu_milli,
                                     .mem = r->mem_bytes,
                                     .gpu_mem = job->gpu_mem,
                                     .asked = r->submit,
                                     .duration = r->duration,
                                     .deadline = r->deadline,
                                     .ran = r->ran,
                                     .think = r->think,
                                     .attempts = r->attempts,
                                     .attempt_count = r->attempts ? r->attempt_count : 1,
                                     .after = s->after.at,
                                     .after_count = after,
                                     .ending = ending_of(r->ending),
                                     .pinned = !r->preemptible,
                                     .censored = r->censored,
                                     .carried = r->carried};
    put(s, &(orr_log_record){.kind = ORR_LOG_SUBMIT, .at = at, .job = job->index, .request = &request, .reason = ""});
}

/* A kill by the policy is told from a recorded one by its reason. */
static void take_job(void *self, const orr_job_record *r)
{
    orr_log_sink *s = self;
    orr_log_record record = {
        .kind = ORR_LOG_FINISH, .at = r->end, .job = r->job->index, .reason = or_else(r->reason, "")};
    if (r->end == ORR_TIME_NONE)
        return;
    if (r->state == ORR_JOB_REJECTED)
        record.kind = ORR_LOG_REJECT;
    else if (s->deciding && !record.reason[0])
        record.reason = "by-policy";
    record.ending = r->state == ORR_JOB_DONE     ? ORR_LOG_DONE
                    : r->state == ORR_JOB_FAILED ? ORR_LOG_FAILED
                                                 : ORR_LOG_KILLED;
    put_deed(s, &record);
}

/* ---- GPUs ---- */

static orr_log_kind kind_of(const orr_grant *g)
{
    return g->instead_of == ORR_HOLD_RESIZED    ? ORR_LOG_RESIZE
           : g->instead_of == ORR_HOLD_MIGRATED ? ORR_LOG_MIGRATE
           : g->instead_of == ORR_HOLD_RESHARED ? ORR_LOG_RESHARE
                                                : ORR_LOG_START;
}

static orr_log_slice slice_of(const orr_slice *slice)
{
    return (orr_log_slice){.node = slice->node,
                           .milli = slice->milli ? slice->milli : 1000,
                           .gpus = slice->gpus,
                           .cpu_milli = slice->cpu_milli,
                           .mem = slice->mem};
}

static void take_grant(void *self, const orr_grant *g)
{
    orr_log_sink *s = self;
    s->slices.n = 0;
    for (int32_t i = 0; i < g->slice_count; i++)
        ORR_VEC_PUSH(&s->slices, slice_of(&g->slices[i]));
    put_deed(s, &(orr_log_record){.kind = kind_of(g),
                                  .at = g->at,
                                  .job = g->job->index,
                                  .from = g->from,
                                  .pay = g->pay,
                                  .rate = g->rate,
                                  .resumed = s->deciding == 1,
                                  .slices = s->slices.at,
                                  .slice_count = g->slice_count,
                                  .reason = ""});
}

static void take_preempt(void *self, const orr_preemption *p)
{
    orr_log_sink *s = self;
    s->left_at_once = p->until == p->at ? p->job : NULL;
    put_deed(s, &(orr_log_record){.kind = ORR_LOG_PREEMPT,
                                  .at = p->at,
                                  .job = p->job->index,
                                  .until = p->until,
                                  .lost = p->lost,
                                  .reason = ""});
}

/* What others do to it is no decision. */
static void take_speed(void *self, const orr_speed *speed)
{
    orr_log_sink *s = self;
    put(s, &(orr_log_record){
               .kind = ORR_LOG_SPEED, .at = speed->at, .job = speed->job->index, .rate = speed->rate, .reason = ""});
}

/* ---- nodes ---- */

static void take_node(void *self, const orr_node_change *n)
{
    orr_log_sink *s = self;
    orr_text state = {0};
    orr_text_add(&state, n->state, strlen(n->state));
    char clock[32];
    orr_format_double(n->clock, clock);
    if (n->clock < 1)
        orr_text_addf(&state, "@%s", clock);
    put_deed(s, &(orr_log_record){.kind = ORR_LOG_NODE,
                                  .at = n->at,
                                  .node = n->node,
                                  .state = state.at,
                                  .up = n->up,
                                  .takes = n->takes,
                                  .reason = ""});
    orr_text_fini(&state);
}

static void take_interrupt(void *self, const orr_interruption *i)
{
    orr_log_sink *s = self;
    put(s, &(orr_log_record){.kind = ORR_LOG_INTERRUPT,
                             .at = i->at,
                             .job = i->job->index,
                             .node = i->node,
                             .lost = i->lost,
                             .reason = ""});
}

static void take_hold(void *self, const orr_hold *h)
{
    orr_log_sink *s = self;
    const bool told = h->job == s->left_at_once;
    s->left_at_once = NULL;
    if (h->reason == ORR_HOLD_PREEMPTED && !told)
        put(s, &(orr_log_record){.kind = ORR_LOG_SAVED, .at = h->end, .job = h->job->index, .reason = ""});
    else if (h->reason == ORR_HOLD_RETRIED)
        put(s, &(orr_log_record){.kind = ORR_LOG_RETRY, .at = h->end, .job = h->job->index, .reason = ""});
}

/* ---- the run ---- */

static void take_decision(void *self, orr_time at, uint64_t number, bool begins)
{
    orr_log_sink *s = self;
    (void)at;
    s->deciding = begins ? number + 1 : 0;
    s->told = false;
}

static void take_end(void *self, const orr_sim *sim)
{
    orr_log_sink *s = self;
    const orr_sim_counts c = orr_sim_count(sim);
    const orr_log_counts counts = {.submitted = c.submitted,
                                   .done = c.done,
                                   .failed = c.failed,
                                   .killed = c.killed,
                                   .rejected = c.rejected,
                                   .running = c.running_at_end,
                                   .queued = c.queued_at_end,
                                   .preemptions = c.preemptions,
                                   .migrations = c.migrations,
                                   .resizes = c.resizes,
                                   .retries = c.retries,
                                   .decisions = c.decisions,
                                   .commits = c.commits,
                                   .events = c.events,
                                   .instants = c.instants,
                                   .reshares = c.reshares,
                                   .interruptions = c.interruptions,
                                   .speed_changes = c.speed_changes};
    put(s, &(orr_log_record){.kind = ORR_LOG_STOP,
                             .at = orr_sim_now(sim),
                             .stop = (orr_log_stop)orr_sim_stop(sim),
                             .counts = counts,
                             .reason = ""});
}

orr_log_sink *orr_log_sink_create(const char *path, const char *measure, orr_error *e)
{
    orr_log_writer *writer = orr_log_writer_create(path, e);
    if (!writer)
        return NULL;
    orr_log_sink *s = orr_xcalloc(1, sizeof *s);
    s->writer = writer;
    s->measure = orr_xstrdup(or_else(measure, ""));
    return s;
}

orr_sink orr_log_sink_sink(orr_log_sink *s)
{
    return (orr_sink){.self = s,
                      .job = take_job,
                      .hold = take_hold,
                      .begin = take_begin,
                      .submit = take_submit,
                      .decision = take_decision,
                      .grant = take_grant,
                      .preempt = take_preempt,
                      .speed = take_speed,
                      .node = take_node,
                      .interrupt = take_interrupt,
                      .end = take_end};
}

static void release(orr_log_sink *s)
{
    ORR_VEC_FREE(&s->slices);
    ORR_VEC_FREE(&s->after);
    ORR_VEC_FREE(&s->tenants);
    free(s->measure);
    free(s);
}

orr_err orr_log_sink_commit(orr_log_sink *s, orr_error *e)
{
    const orr_err err = orr_log_writer_commit(s->writer, e);
    release(s);
    return err;
}

orr_text orr_log_sink_take(orr_log_sink *s)
{
    const orr_text bytes = orr_log_writer_take(s->writer);
    release(s);
    return bytes;
}

void orr_log_sink_abandon(orr_log_sink *s)
{
    if (!s)
        return;
    orr_log_writer_abandon(s->writer);
    release(s);
}

uint64_t orr_log_sink_bytes(const orr_log_sink *s)
{
    return orr_log_writer_bytes(s->writer);
}
