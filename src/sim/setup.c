/* Making a simulation, taking it apart, and what can be asked of it. */
#include "sim/sim.h"

#include "serve/serving.h"

#include "base/mem.h"
#include "model/truth.h"
#include "sched/groups.h"

#include <stdio.h>
#include <stdlib.h>

orr_sim_options orr_sim_options_default(void)
{
    return (orr_sim_options){.seed = 1, .policy = "fifo", .know = ORR_KNOW_ORACLE, .until = ORR_TIME_MAX};
}

orr_err orr_sim_parse_clock(const char *text, orr_time *round, orr_time *tick, orr_error *e)
{
    *round = *tick = 0;
    if (!text || strcmp(text, "exact") == 0)
        return ORR_OK;
    orr_time *into = strncmp(text, "round=", 6) == 0 ? round : strncmp(text, "tick=", 5) == 0 ? tick : NULL;
    if (into && orr_time_parse_duration(strchr(text, '=') + 1, into) == ORR_OK && *into > 0)
        return ORR_OK;
    orr_error_set(e, ORR_E_BAD_VALUE, "the clock can't be '%s'", text);
    orr_error_hint(e, "write exact, round=360s or tick=1s");
    return ORR_E_BAD_VALUE;
}

/* What happens to jobs, on its way to the policy. */
static void notify(void *self, orr_job *job, const orr_event *event)
{
    orr_sim *sim = self;
    if (event->kind == ORR_EV_ENDED && !job->reason) /* what a policy cut short says nothing about how long it takes */
        orr_ctx_observe(sim->policy->estimator_ctx, job, orr_job_length(job));
    if (job->training && (event->kind == ORR_EV_STARTED || event->kind == ORR_EV_RETRIED))
        orr_trainings_resume(&sim->trainings, job);
    if (event->kind == ORR_EV_ENDED) {
        orr_groups_leave(sim->world.groups, job);
        orr_early_ended(sim, job);
        orr_sim_job_ended(sim, job);
    }
    bool asks = sim->world.trigger_events >> event->kind & 1u;
    if (asks && (!sim->committing || event->kind == ORR_EV_ENDED))
        sim->world.decide = true;
    if (job->state == ORR_JOB_REJECTED && job->shape == UINT32_MAX)
        return; /* refused at the door: the policy never saw it */
    orr_ctx_on_job(sim->policy, job, event);
    if (event->kind == ORR_EV_PREEMPTED)
        orr_capacity_waits(sim, job);
    if (event->kind == ORR_EV_PREEMPTED || event->kind == ORR_EV_RETRIED)
        orr_early_waits(sim, job);
}

/* Events that policies hear whatever happens to others would make them decide more often than they did without
 * applications. */
static void tell_epoch(void *self, orr_job *job)
{
    orr_sim *sim = self;
    const orr_event event = {.kind = ORR_EV_EPOCH};
    if (sim->policy->know[ORR_Q_SCALING] >= ORR_KNOW_OBSERVED)
        notify(sim, job, &event);
}

static uint32_t offers(const orr_trace_job *job)
{
    return (job->deadline != ORR_TIME_NONE ? ORR_CAP_DEADLINE : 0u) |
           (job->limit != ORR_TIME_NONE ? ORR_CAP_LIMIT : 0u) |
           (job->start != ORR_TIME_NONE || job->starts ? ORR_CAP_RECORDED : 0u);
}

static orr_err check_needs(const orr_sim *sim, orr_error *e)
{
    static const struct {
        uint32_t bit;
        const char *name, *what, *column;
    } list[] = {{ORR_CAP_DEADLINE, "DEADLINE", "deadline", "deadline"},
                {ORR_CAP_LIMIT, "LIMIT", "limit", "limit"},
                {ORR_CAP_RECORDED, "RECORDED", "recorded start", "start"}};
    uint32_t needs = orr_ctx_needs(sim->policy), has = 0;
    const orr_trace_job *jobs = orr_trace_jobs(sim->trace);
    for (size_t i = 0; i < orr_trace_count(sim->trace) && (has & needs) != needs; i++)
        has |= offers(&jobs[i]);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[64];
        if (!(needs & ~has & list[i].bit))
            continue;
        orr_error_set(e, ORR_E_CAPABILITY, "policy '%s' needs %s; no job of the trace has a %s",
                      orr_ctx_name(sim->policy, name, sizeof name), list[i].name, list[i].what);
        orr_error_hint(e, "add a column '%s' to the trace, or choose another policy", list[i].column);
        return ORR_E_CAPABILITY;
    }
    return ORR_OK;
}

static orr_err check_inputs(const orr_sim *sim, orr_error *e)
{
    if (orr_trace_count(sim->trace) == 0 && !sim->options.services)
        return orr_error_set(e, ORR_E_NO_JOBS, "the trace has no jobs");
    if (orr_cluster_spec_gpus(sim->cluster_spec) == 0)
        return orr_error_set(e, ORR_E_NO_GPUS, "the cluster has no GPUs");
    return ORR_OK;
}

/* Types of which the table says nothing are told once. */
static void set_speeds(orr_sim *sim)
{
    orr_world *w = &sim->world;
    char reason[128];
    if (!sim->options.throughputs)
        return;
    orr_speeds_init(&sim->speeds, sim->options.throughputs, w->real);
    sim->speeds.spread &= sim->net_model.kind == ORR_NET_NONE; /* else the network says what distance costs */
    w->speeds = &sim->speeds;
    for (int32_t t = 0; t < w->real->gpu_types; t++) {
        if (sim->speeds.types[t] >= 0)
            continue;
        snprintf(reason, sizeof reason, "GPU type '%.60s' isn't in the throughput table: jobs run as recorded",
                 w->real->type_names[t]);
        orr_world_note(w, reason);
    }
}

static orr_err make_world(orr_sim *sim, orr_error *e)
{
    const orr_sim_options *o = &sim->options;
    orr_world *w = &sim->world;
    w->queue = orr_queue_create();
    w->real = w->cluster = orr_cluster_create(sim->cluster_spec, o->ignore_vcs);
    w->empty = orr_cluster_create(sim->cluster_spec, o->ignore_vcs);
    w->spec = sim->cluster_spec;
    w->one_pool = o->ignore_vcs;
    w->trace = sim->trace;
    w->life = &sim->life;
    w->profiles = o->profiles;
    w->seed = o->seed;
    w->granted = o->know;
    w->trigger_events = ~(1u << ORR_EV_SPEED | 1u << ORR_EV_RESHARED);
    w->skip_violations = o->skip_violations;
    w->plan = orr_plan_create(w);
    w->groups = orr_groups_create();
    if (w->real->types <= ORR_MAX_TYPES) {
        set_speeds(sim);
        return ORR_OK;
    }
    return orr_error_set(e, ORR_E_BAD_CLUSTER, "the cluster has %d GPU types, more than %d", w->real->types,
                         ORR_MAX_TYPES);
}

static void make_life(orr_sim *sim, const orr_sink *sink, size_t priv_size)
{
    orr_life_init(&sim->life, sim->world.queue, sim->world.real, &sim->costs, priv_size);
    sim->begun = true;
    sim->life.grid = sim->tick;
    sim->truth = (orr_truth){.profiles = sim->options.profiles,
                             .interference = &sim->interference,
                             .speeds = sim->world.speeds,
                             .life = &sim->life};
    sim->life.rate = orr_truth_rate;
    sim->life.rate_self = &sim->truth;
    if (sim->net_model.kind != ORR_NET_NONE)
        sim->net = sim->truth.net = sim->world.net =
            orr_net_create(&sim->net_model, &sim->life, orr_cluster_spec_fabric(sim->cluster_spec));
    if (sim->options.applications) {
        orr_trainings_init(&sim->trainings, sim->options.applications, &sim->life);
        sim->trainings.epoch = tell_epoch;
        sim->trainings.self = sim;
    }
    sim->life.sink = sink ? *sink : (orr_sink){0};
    sim->life.notify = notify;
    sim->life.notify_self = sim;
}

static orr_err begin_policy(orr_sim *sim, orr_error *e)
{
    orr_err err = check_needs(sim, e);
    if (!err)
        err = orr_ctx_begin(sim->policy);
    if (!err)
        err = orr_ctx_check_knowledge(sim->policy, e);
    if (!err || e->code)
        return err;
    if (sim->world.fault.code) {
        *e = sim->world.fault;
        return e->code;
    }
    char name[64];
    orr_ctx_name(sim->policy, name, sizeof name);
    return orr_error_set(e, err, "policy '%s' can't begin: %s", name, orr_err_text(err));
}

static orr_err set_interference(orr_sim *sim, orr_error *e)
{
    const orr_sim_options *o = &sim->options;
    const orr_err err = orr_interference_parse(o->interference, &sim->interference, e);
    const bool pairs = o->throughputs && orr_throughputs_uses_pairs(o->throughputs);
    if (pairs && sim->interference.kind == ORR_INTERFERENCE_NONE)
        sim->interference.kind = ORR_INTERFERENCE_TABLE;
    if (!err && !pairs && sim->interference.kind == ORR_INTERFERENCE_TABLE) {
        orr_error_set(e, ORR_E_MISSING, "the interference '%s' needs a throughput table with pairs", o->interference);
        orr_error_hint(e, "--throughputs FILE names one; its columns are in configs/README.md");
        return ORR_E_MISSING;
    }
    orr_interference_format(&sim->interference, sim->interference_text, sizeof sim->interference_text);
    if (err || o->profiles || !orr_interference_needs_profiles(&sim->interference))
        return err;
    orr_error_set(e, ORR_E_MISSING, "the interference '%s' needs profiles of the models", o->interference);
    orr_error_text(e, o->interference, strlen(o->interference));
    orr_error_hint(e, "--profiles FILE names them; utilisation, mps and time-slice do without");
    return ORR_E_MISSING;
}

/* Without profiles nobody is known to communicate. Phases end between the ticks of a clock. */
static orr_err set_net(orr_sim *sim, orr_error *e)
{
    const orr_sim_options *o = &sim->options;
    const orr_err err = orr_net_parse(o->net, &sim->net_model, e);
    orr_net_format(&sim->net_model, sim->net_text, sizeof sim->net_text);
    if (err || sim->net_model.kind == ORR_NET_NONE)
        return err;
    if (sim->net_model.kind == ORR_NET_PHASES && sim->tick) {
        orr_error_set(e, ORR_E_BAD_VALUE, "phases of iterations don't go with a clock that ticks");
        orr_error_hint(e, "use the clock exact or round=T, or the network flows");
        return ORR_E_BAD_VALUE;
    }
    if (o->profiles)
        return ORR_OK;
    orr_error_set(e, ORR_E_MISSING, "the network '%s' needs profiles of the models", o->net);
    orr_error_hint(e, "--profiles FILE names them: `gradient` and `iteration` of each model");
    return ORR_E_MISSING;
}

/* A source that never ends would keep a run alive for ever. */
static orr_err check_ends(const orr_sim *sim, orr_error *e)
{
    const orr_services *all = sim->options.services;
    if (sim->options.until != ORR_TIME_MAX || orr_trace_count(sim->trace))
        return ORR_OK;
    for (int32_t i = 0; i < all->count; i++) {
        const orr_source *source = &all->services[i].source;
        const bool ends = source->limit || source->until != ORR_TIME_MAX || source->kind == ORR_SOURCE_NONE ||
                          source->kind == ORR_SOURCE_LIST || source->kind == ORR_SOURCE_COUNTS;
        if (ends)
            continue;
        orr_error_set(e, ORR_E_MISSING, "service '%s' is asked for ever", all->services[i].name);
        orr_error_hint(e, "give its arrivals a `limit` or `until`, or the run an end with --until");
        return ORR_E_MISSING;
    }
    return ORR_OK;
}

static orr_err begin_serving(orr_sim *sim, orr_error *e)
{
    const orr_sim_options *o = &sim->options;
    orr_err err = o->services ? check_ends(sim, e) : ORR_OK;
    if (err || !o->services)
        return err;
    sim->serving = orr_serving_create(&sim->world, o->services, o->registry ? o->registry : sim->own_registry, o->serve, o->serving_sink, e);
    return sim->serving ? ORR_OK : e->code ? e->code : ORR_E_BAD_VALUE;
}

static orr_err set_up(orr_sim *sim, const orr_sink *sink, orr_error *e)
{
    size_t priv_size = 0;
    const orr_sim_options *o = &sim->options;
    orr_err err = check_inputs(sim, e);
    if (!err)
        err = orr_costs_parse(o->costs, &sim->costs, e);
    if (!err)
        err = set_interference(sim, e);
    if (!err)
        err = orr_sim_parse_clock(o->clock, &sim->round, &sim->tick, e);
    if (!err)
        err = set_net(sim, e);
    if (!err)
        err = make_world(sim, e);
    if (err)
        return err;
    if (!o->registry)
        sim->own_registry = orr_registry_create();
    sim->policy = orr_ctx_create(&sim->world, o->registry ? o->registry : sim->own_registry,
                                 o->policy ? o->policy : "fifo", &priv_size, e);
    if (!sim->policy)
        return e && e->code ? e->code : ORR_E_UNKNOWN_POLICY;
    make_life(sim, sink, priv_size);
    if ((err = orr_capacity_begin(sim, e)) != ORR_OK || (err = orr_early_begin(sim, e)) != ORR_OK)
        return err;
    orr_sim_submit_begin(sim);
    orr_costs_format(&sim->costs, sim->costs_text, sizeof sim->costs_text);
    orr_ctx_describe(sim->policy, &sim->policy_text);
    err = begin_policy(sim, e);
    return err ? err : begin_serving(sim, e);
}

orr_sim *orr_sim_create(const orr_trace *trace, const orr_cluster_spec *cluster, const orr_sim_options *options,
                        const orr_sink *sink, orr_error *e)
{
    orr_sim *sim = orr_xcalloc(1, sizeof *sim);
    sim->no_jobs = trace ? NULL : orr_trace_create("");
    sim->trace = trace ? trace : sim->no_jobs;
    sim->cluster_spec = cluster;
    sim->options = options ? *options : orr_sim_options_default();
    sim->last_at = sim->last_decision = ORR_TIME_NONE;
    atomic_init(&sim->interrupted, (int)ORR_STOP_NONE);
    orr_error local = {0};
    if (set_up(sim, sink, &local) == ORR_OK)
        return sim;
    if (e && !e->code)
        *e = local;
    orr_sim_destroy(sim);
    return NULL;
}

void orr_sim_destroy(orr_sim *sim)
{
    if (!sim)
        return;
    orr_serving_destroy(sim->serving);
    orr_ctx_destroy(sim->policy);
    orr_follow_fini(&sim->follow);
    orr_capacity_fini(&sim->capacity);
    orr_early_fini(&sim->early);
    ORR_VEC_FREE(&sim->resuming);
    if (sim->begun)
        orr_life_fini(&sim->life);
    orr_trainings_fini(&sim->trainings);
    orr_net_destroy(sim->net);
    orr_plan_destroy(sim->world.plan);
    orr_world_fini(&sim->world);
    orr_cluster_destroy(sim->world.real);
    orr_cluster_destroy(sim->world.empty);
    orr_queue_destroy(sim->world.queue);
    orr_registry_destroy(sim->own_registry);
    orr_text_fini(&sim->policy_text);
    orr_trace_destroy(sim->no_jobs);
    free(sim);
}

void orr_sim_interrupt(orr_sim *sim, orr_stop reason)
{
    atomic_store(&sim->interrupted, (int)reason);
}

orr_stop orr_sim_stop(const orr_sim *sim)
{
    return sim->stop;
}

orr_time orr_sim_now(const orr_sim *sim)
{
    return sim->life.now;
}

orr_sim_counts orr_sim_count(const orr_sim *sim)
{
    orr_sim_counts c = sim->life.counts;
    c.trace = orr_trace_count(sim->trace);
    c.pending = c.trace - c.submitted;
    c.violations = sim->world.violations;
    c.queue_compares = orr_queue_compares(sim->world.queue);
    c.jobs_examined = sim->world.jobs_examined;
    c.nodes_examined = sim->world.real->nodes_examined;
    c.flows_examined = sim->net ? orr_net_visited(sim->net) : 0;
    return c;
}

void orr_sim_knowledge(const orr_sim *sim, orr_know used[ORR_Q_COUNT])
{
    for (int q = 0; q < ORR_Q_COUNT; q++)
        used[q] = (orr_know)sim->policy->used[q];
}

const char *orr_sim_policy_resolved(const orr_sim *sim)
{
    return sim->policy_text.at ? sim->policy_text.at : "";
}

const char *orr_sim_costs_resolved(const orr_sim *sim)
{
    return sim->costs_text;
}

const char *orr_sim_interference_resolved(const orr_sim *sim)
{
    return sim->interference_text;
}

const char *orr_sim_net_resolved(const orr_sim *sim)
{
    return sim->net_text;
}

const orr_serving *orr_sim_serving(const orr_sim *sim)
{
    return sim->serving;
}

void orr_sim_explain(const orr_sim *sim, const orr_job *job, char *buf, size_t size)
{
    orr_ctx_explain(sim->policy, job, buf, size);
}

const orr_cluster_spec *orr_sim_cluster(const orr_sim *sim)
{
    return sim->cluster_spec;
}

void orr_sim_each_note(const orr_sim *sim, void (*each)(void *self, const char *reason, uint64_t count), void *self)
{
    for (size_t i = 0; i < sim->world.notes.n; i++)
        each(self, sim->world.notes.at[i].reason, sim->world.notes.at[i].count);
}
