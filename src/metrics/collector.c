/* The sink keeps; `close` computes: jobs sorted by rank, fair shares over all of them, then one tally a pool. */
#include "metrics/collector.h"

#include "base/mem.h"
#include "base/radix.h"
#include "base/text.h"
#include "base/stat.h"
#include "metrics/apps.h"
#include "metrics/due.h"
#include "metrics/energy.h"
#include "metrics/loads.h"
#include "metrics/presence.h"
#include "metrics/room.h"
#include "metrics/tally.h"
#include <math.h>
#include <stdlib.h>

struct orr_collector {
    orr_measure measure;
    orr_job_access access;
    ORR_VEC(orr_kept_job) jobs;
    ORR_VEC(orr_track) tracks; /* 0: the whole cluster, 1 + i: VC i */
    bool came;                 /* some job has */
    orr_metrics *metrics;      /* the whole, then each VC that was kept apart */
    size_t metrics_count;
    int32_t widest_vc;         /* the highest VC heard of, -1: none */
    orr_names *reasons;
    orr_room *room;            /* NULL: nobody told of the beginning */
    orr_energy *energy;        /* NULL: the run has no scenario, or nobody told */
    orr_apps *apps;            /* NULL: no trial groups */
    orr_due *due;              /* NULL: one VC, or nobody told of the beginning */
};

/* ---- the sink ---- */

static void note_vc(orr_collector *c, int32_t vc)
{
    c->widest_vc = vc > c->widest_vc ? vc : c->widest_vc;
}

static orr_track *track_at(orr_collector *c, size_t at)
{
    while (c->tracks.n <= at) {
        ORR_VEC_PUSH(&c->tracks, ((orr_track){.seen = false}));
        orr_track_bound(&c->tracks.at[c->tracks.n - 1], orr_measure_from(&c->measure), orr_measure_to(&c->measure));
    }
    return &c->tracks.at[at];
}

static void keep_job(void *self, const orr_job_record *record)
{
    orr_collector *c = self;
    orr_kept_job kept = {.record = *record, .rho = NAN};
    kept.index = c->access.index(record->job);
    kept.vc = c->access.vc(record->job);
    kept.record.reason = "";
    if (record->reason && record->reason[0])
        kept.record.reason = orr_names_text(
            c->reasons, orr_names_id(c->reasons, record->reason, strlen(record->reason)));
    note_vc(c, kept.vc);
    ORR_VEC_PUSH(&c->jobs, kept);
    if (c->room)
        orr_room_job(c->room, record);
}

static void keep_levels(void *self, orr_time at, const orr_levels *levels)
{
    orr_collector *c = self;
    note_vc(c, levels->vc);
    orr_track_set(track_at(c, (size_t)(levels->vc + 1)), at, levels);
    if (c->due)
        orr_due_set(c->due, at, levels);
    if (c->room && levels->vc < 0) /* once an instant in which anything changed, when all of it has */
        orr_room_instant(c->room, at);
}

static void begin(void *self, const orr_sim *sim)
{
    orr_collector *c = self;
    if (c->room)
        return;
    c->room = orr_room_create(sim, &c->measure);
    c->energy = orr_energy_create(sim, &c->measure);
    c->due = orr_due_create(sim, &c->measure);
}

static void note_submission(void *self, orr_time at, const orr_job *job)
{
    orr_collector *c = self;
    for (size_t i = 0; i < c->tracks.n && !c->came; i++)
        orr_track_begin(&c->tracks.at[i], at);
    c->came = true;
    if (c->room)
        orr_room_submit(c->room, job);
}

static void note_grant(void *self, const orr_grant *grant)
{
    const orr_collector *c = self;
    if (c->room)
        orr_room_grant(c->room, grant);
}

static void note_preemption(void *self, const orr_preemption *preemption)
{
    const orr_collector *c = self;
    if (c->room)
        orr_room_preempt(c->room, preemption);
}

static void note_hold(void *self, const orr_hold *hold)
{
    const orr_collector *c = self;
    if (c->room)
        orr_room_hold(c->room, hold);
    if (c->energy)
        orr_energy_hold(c->energy, hold);
}

static void note_node(void *self, const orr_node_change *change)
{
    const orr_collector *c = self;
    if (c->energy)
        orr_energy_node(c->energy, change);
}

/* ---- fair shares ---- */

static bool contends(const orr_kept_job *job)
{
    bool admitted = orr_kept_submitted(job) && job->record.state != ORR_JOB_REJECTED;
    return admitted && job->vc >= 0 && job->record.trace->gpus > 0;
}

/* T_sh / T_id, where T_id is the work on min(g, G / N) GPUs, at a speed in proportion to them. */
static double rho(const orr_kept_job *job, const orr_stay *stay, int64_t gpus)
{
    orr_wide stayed = (orr_wide)stay->to - stay->from;
    double d = orr_time_seconds(job->record.trace->duration);
    if (!orr_kept_ended(job) || stayed <= 0 || d <= 0 || gpus <= 0)
        return NAN;
    double g = orr_kept_gpus(job);
    double fair = (double)((orr_wide)gpus * stayed) / (double)stay->company;
    const bool in_full = fair >= g && job->record.trace->gpu_milli != 1000; /* parts don't divide exactly */
    double alone = in_full ? d : d * g / (fair < g ? fair : g);
    return orr_time_seconds(job->record.end - job->record.submit) / alone;
}

static void set_rho(orr_collector *c, const orr_run_end *end, bool split)
{
    orr_stay *stays = orr_xcalloc(c->jobs.n + 1, sizeof *stays);
    size_t n = 0;
    for (size_t i = 0; i < c->jobs.n; i++) {
        const orr_kept_job *job = &c->jobs.at[i];
        if (!contends(job))
            continue;
        orr_time to = orr_kept_ended(job) ? job->record.end : end->now;
        stays[n++] = (orr_stay){.from = job->record.submit, .to = to, .pool = split ? job->vc : 0};
    }
    orr_presence(stays, n, split ? end->vcs : 1);
    n = 0;
    for (size_t i = 0; i < c->jobs.n; i++) {
        orr_kept_job *job = &c->jobs.at[i];
        if (!contends(job))
            continue;
        job->rho = rho(job, &stays[n++], split ? end->vc_gpus[job->vc] : end->gpus);
    }
    free(stays);
}

/* ---- closing ---- */

/* Jobs were reported as they ended. Ranks are unique: their order is found by numbers, and each job moved once. */
static void sort_by_index(orr_collector *c)
{
    size_t n = c->jobs.n;
    orr_kept_job *jobs = c->jobs.at;
    uint64_t *ranks = orr_xcalloc(n + 1, sizeof *ranks);
    uint32_t *from = orr_xcalloc(n + 1, sizeof *from);
    for (size_t i = 0; i < n; i++) {
        ranks[i] = jobs[i].index;
        from[i] = (uint32_t)i;
    }
    orr_radix_sort(ranks, from, n);
    for (size_t i = 0; i < n; i++) {
        const orr_kept_job moved = jobs[i];
        size_t at = i;
        while (from[at] != i) { /* round the cycle that begins here */
            size_t next = from[at];
            jobs[at] = jobs[next];
            from[at] = (uint32_t)at;
            at = next;
        }
        jobs[at] = moved;
        from[at] = (uint32_t)at;
    }
    free(ranks);
    free(from);
}

static orr_time first_submission(const orr_collector *c, orr_time otherwise)
{
    orr_time first = ORR_TIME_NONE;
    for (size_t i = 0; i < c->jobs.n; i++) {
        orr_time submit = c->jobs.at[i].record.submit;
        if (orr_kept_submitted(&c->jobs.at[i]) && (first == ORR_TIME_NONE || submit < first))
            first = submit;
    }
    return first == ORR_TIME_NONE ? otherwise : first;
}

typedef struct span {
    orr_time from, to;
} span;

/* From the first submission to the stop, within the bounds of the measure. */
static span window_of(const orr_collector *c, const orr_run_end *end)
{
    orr_time from = first_submission(c, end->now), low = orr_measure_from(&c->measure);
    orr_time to = end->now, high = orr_measure_to(&c->measure);
    from = low > from ? low : from;
    to = high != ORR_TIME_NONE && high < to ? high : to;
    return (span){from, to > from ? to : from};
}

/* Several VCs may be run as one pool; the run itself tells by what it reported. */
static bool kept_apart(const orr_collector *c, const orr_run_end *end)
{
    if (end->vcs < 2)
        return false;
    if (c->widest_vc >= 1)
        return true;
    return c->tracks.n > 1 && c->tracks.at[1].seen && c->tracks.at[1].first_total < c->tracks.at[0].first_total;
}

/* Jobs by (pool, index); starts[p] is where pool p begins, starts[pools] the end. A job rejected for want of its VC is
 * in none of them. */
static const orr_kept_job **by_pool(const orr_collector *c, size_t pools, size_t *starts)
{
    const orr_kept_job **list = orr_xcalloc(c->jobs.n + 1, sizeof *list);
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.at[i].vc >= 0)
            starts[c->jobs.at[i].vc + 1]++;
    for (size_t p = 0; p < pools; p++)
        starts[p + 1] += starts[p];
    size_t *next = orr_xcalloc(pools + 1, sizeof *next);
    memcpy(next, starts, pools * sizeof *next);
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.at[i].vc >= 0)
            list[next[c->jobs.at[i].vc]++] = &c->jobs.at[i];
    free(next);
    return list;
}

static const orr_kept_job **all_jobs(const orr_collector *c)
{
    const orr_kept_job **list = orr_xcalloc(c->jobs.n + 1, sizeof *list);
    for (size_t i = 0; i < c->jobs.n; i++)
        list[i] = &c->jobs.at[i];
    return list;
}

static orr_metrics pool_metrics(orr_collector *c, size_t at, const orr_kept_job **jobs, size_t n, orr_pool_facts facts)
{
    orr_track *track = track_at(c, at);
    orr_track_close(track, facts.from, facts.to, facts.gpus);
    facts.track = track;
    facts.measure = &c->measure;
    orr_metrics m = orr_tally(jobs, n, &facts);
    m.gpu_util = m.frag = m.frag_node = m.frag_rack = m.jain_vc = m.ltgf_vc = NAN;
    m.without_serving = true; /* whoever knows the simulation says otherwise */
    if (c->energy)
        orr_energy_tell(c->energy, (int32_t)at - 1, &m);
    else
        orr_energy_untold(&m);
    if (c->room)
        orr_room_tell(c->room, (int32_t)at - 1, track->total, &m);
    orr_apps_tell(c->apps, (int32_t)at - 1, &m);
    return m;
}

/* Of each VC what its jobs in range got, by what it has. */
static double jain_of_vcs(const orr_collector *c, const orr_run_end *end)
{
    double *got = orr_xcalloc((size_t)end->vcs + 1, sizeof *got);
    size_t entitled = 0;
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.at[i].vc >= 0 && orr_measure_in_range(&c->measure, &c->jobs.at[i]))
            got[c->jobs.at[i].vc] += c->jobs.at[i].record.service;
    for (int32_t v = 0; v < end->vcs; v++)
        if (end->vc_gpus[v] > 0)
            got[entitled++] = got[v] / (double)end->vc_gpus[v];
    double jain = orr_jain(got, entitled);
    free(got);
    return jain;
}

static void close_vcs(orr_collector *c, const orr_run_end *end, span window)
{
    size_t pools = (size_t)end->vcs;
    size_t *starts = orr_xcalloc(pools + 1, sizeof *starts);
    const orr_kept_job **jobs = by_pool(c, pools, starts);
    for (size_t p = 0; p < pools; p++) {
        orr_pool_facts facts = {.from = window.from, .to = window.to, .now = end->now, .gpus = end->vc_gpus[p]};
        c->metrics[1 + p] = pool_metrics(c, 1 + p, jobs + starts[p], starts[p + 1] - starts[p], facts);
    }
    free(jobs);
    free(starts);
}

const orr_metrics *orr_collector_close(orr_collector *c, const orr_run_end *end, size_t *count)
{
    ORR_ASSERT(!c->metrics, "a collector is finished once");
    ORR_ASSERT(c->widest_vc < (end->vcs > 1 ? end->vcs : 1), "a job of a VC that the cluster lacks");
    sort_by_index(c);
    bool split = kept_apart(c, end);
    set_rho(c, end, split);
    c->apps = orr_apps_of(c->jobs.at, c->jobs.n, &c->measure, end, split);
    *count = c->metrics_count = split ? 1 + (size_t)end->vcs : 1;
    c->metrics = orr_xcalloc(*count, sizeof *c->metrics);
    const span window = window_of(c, end);
    const orr_kept_job **jobs = all_jobs(c);
    if (c->room)
        orr_room_close(c->room, end->now);
    if (c->energy)
        orr_energy_close(c->energy, end->now);
    orr_pool_facts whole = {.from = window.from, .to = window.to, .now = end->now, .gpus = end->gpus};
    c->metrics[0] = pool_metrics(c, 0, jobs, c->jobs.n, whole);
    free(jobs);
    if (split) {
        c->metrics[0].jain_vc = jain_of_vcs(c, end);
        c->metrics[0].ltgf_vc = c->due ? orr_due_spread(c->due, end->now) : NAN;
        close_vcs(c, end, window);
    }
    return c->metrics;
}

const orr_metrics *orr_collector_finish(orr_collector *c, const orr_sim *sim, size_t *count)
{
    const orr_cluster_spec *cluster = orr_sim_cluster(sim);
    int32_t vcs = orr_cluster_spec_vcs(cluster);
    int64_t *vc_gpus = orr_xcalloc((size_t)vcs + 1, sizeof *vc_gpus);
    for (int32_t i = 0; !orr_cluster_spec_tenants(cluster) && i < orr_cluster_spec_nodes(cluster); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(cluster, i);
        vc_gpus[orr_cluster_spec_find_vc(cluster, node->vc)] += node->gpus;
    }
    for (int32_t v = 0; orr_cluster_spec_tenants(cluster) && v < vcs; v++)
        vc_gpus[v] = orr_cluster_spec_quota(cluster, v).gpus;
    orr_run_end end = {.now = orr_sim_now(sim), .gpus = orr_cluster_spec_gpus(cluster), .vcs = vcs, .vc_gpus = vc_gpus};
    orr_collector_close(c, &end, count);
    orr_type_loads(cluster, &c->measure, c->jobs.at, c->jobs.n, &c->metrics[0]);
    free(vc_gpus);
    if (orr_sim_serving(sim)) {
        c->metrics[0].without_serving = false;
        c->metrics[0].serving = orr_serving_measure(orr_sim_serving(sim), -1, end.now);
        c->metrics[0].without_jobs = orr_sim_count(sim).trace == 0;
        if (c->metrics[0].without_jobs)
            c->metrics[0].window = orr_time_seconds(end.now);
    }
    return c->metrics;
}

/* ---- life ---- */

orr_collector *orr_collector_create_for(const orr_measure *measure, orr_job_access access)
{
    orr_collector *c = orr_xcalloc(1, sizeof *c);
    c->measure = measure ? *measure : orr_measure_default();
    c->access = access;
    c->widest_vc = -1;
    c->reasons = orr_names_create();
    return c;
}

orr_collector *orr_collector_create(const orr_measure *measure)
{
    return orr_collector_create_for(measure, orr_job_access_default());
}

void orr_collector_destroy(orr_collector *c)
{
    if (!c)
        return;
    ORR_VEC_FREE(&c->jobs);
    ORR_VEC_FREE(&c->tracks);
    free(c->metrics);
    orr_names_destroy(c->reasons);
    orr_room_destroy(c->room);
    orr_energy_destroy(c->energy);
    orr_apps_destroy(c->apps);
    orr_due_destroy(c->due);
    free(c);
}

orr_sink orr_collector_sink(orr_collector *c)
{
    return (orr_sink){.self = c, .job = keep_job, .hold = note_hold, .levels = keep_levels, .begin = begin,
                      .submit = note_submission, .grant = note_grant, .preempt = note_preemption, .node = note_node};
}

const orr_kept_job *orr_collector_jobs(const orr_collector *c, size_t *count)
{
    *count = c->jobs.n;
    return c->jobs.at;
}

bool orr_collector_measured(const orr_collector *c, const orr_kept_job *job)
{
    return orr_measure_counts(&c->measure, job);
}

int64_t orr_collector_pool_gpus(const orr_collector *c, const orr_kept_job *job)
{
    size_t pool = c->metrics_count > 1 ? (size_t)job->vc + 1 : 0;
    return job->vc < 0 ? 0 : (int64_t)c->metrics[pool].gpus;
}

const orr_metrics *orr_collector_whole(const orr_collector *c)
{
    return &c->metrics[0];
}
