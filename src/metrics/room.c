#include "metrics/room.h"

#include "base/mem.h"
#include "base/text.h"
#include "metrics/tally.h"
#include "sim/sim.h"
#include <math.h>

#define MICRO 1000000 /* utilisation is kept in millionths */

/* Thousandths of GPU·ns of a VC within the bounds: held, and held times utilisation, where known and where not. */
typedef struct use {
    orr_wide micro, unknown;
} use;

struct orr_room {
    const orr_cluster *real;
    orr_cluster *cluster; /* the simulation's */
    uint64_t seen;        /* changes of its nodes */
    const orr_trace *trace;
    orr_time from, to; /* bounds; ORR_TIME_NONE: none */
    orr_frag *frag;
    bool has_util;
    int32_t vcs; /* that jobs belong to: the pools of nodes, or tenants of one pool */
    use *use;    /* by VC */
};

/* ---- life ---- */

static bool has_attribute(const orr_trace *trace, const char *name)
{
    const char *const *names;
    size_t n = orr_trace_attributes(trace, &names);
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int32_t pool_of(void *self, const orr_trace_job *job)
{
    const orr_sim *const *sim = self;
    return orr_cluster_pool_of((*sim)->world.real, orr_sim_vc_of(*sim, job));
}

orr_room *orr_room_create(const orr_sim *sim, orr_measure *measure)
{
    orr_room *w = orr_xcalloc(1, sizeof *w);
    orr_measure_on(measure, sim->trace);
    w->trace = sim->trace;
    w->from = orr_measure_from(measure);
    w->to = orr_measure_to(measure);
    w->real = sim->world.real;
    w->vcs = orr_cluster_owners(sim->world.real);
    w->use = orr_xcalloc((size_t)w->vcs + 1, sizeof *w->use);
    w->has_util = has_attribute(sim->trace, "gpu_util");
    orr_cluster_watch(sim->world.real);
    w->seen = UINT64_MAX;
    w->cluster = sim->world.real;
    w->frag = orr_frag_create(w->cluster, w->trace, pool_of, &sim);
    orr_frag_bound(w->frag, w->from, w->to);
    return w;
}

void orr_room_destroy(orr_room *w)
{
    if (!w)
        return;
    orr_frag_destroy(w->frag);
    free(w->use);
    free(w);
}

/* ---- who waits, and where there is room ---- */

static void wait(orr_room *w, const orr_job *job)
{
    if (w->frag)
        orr_frag_wait(w->frag, job->index, orr_cluster_pool_of(w->real, job->vc), job->record->gpus, job->types);
}

static void leave(orr_room *w, const orr_job *job)
{
    if (w->frag)
        orr_frag_leave(w->frag, job->index);
}

void orr_room_submit(orr_room *w, const orr_job *job)
{
    wait(w, job);
}

void orr_room_grant(orr_room *w, const orr_grant *grant)
{
    leave(w, grant->job);
}

/* One that saves its state waits when that is done: the end of its hold tells. */
void orr_room_preempt(orr_room *w, const orr_preemption *preemption)
{
    if (preemption->until == preemption->at)
        wait(w, preemption->job);
}

void orr_room_job(orr_room *w, const orr_job_record *record)
{
    if (record->end != ORR_TIME_NONE)
        leave(w, record->job);
}

static void look_at(void *self, int32_t node)
{
    const orr_room *w = self;
    const orr_node *n = &w->cluster->nodes[node];
    int32_t left[ORR_NODE_MAX_GPUS], shared = 0;
    for (uint64_t m = n->shared & n->usable; m; m &= m - 1)
        left[shared++] = orr_node_part_free(n, orr_lowest_bit(m));
    orr_frag_node(w->frag, node, n->free, left, shared);
}

void orr_room_instant(orr_room *w, orr_time at)
{
    if (!orr_cluster_changes(w->cluster, &w->seen, look_at, w))
        for (int32_t i = 0; i < w->cluster->count; i++)
            look_at(w, i);
    orr_frag_settle(w->frag, at);
}

/* ---- use ---- */

static orr_time within(const orr_room *w, orr_time at)
{
    at = at < w->from ? w->from : at;
    return w->to != ORR_TIME_NONE && at > w->to ? w->to : at;
}

/* In millionths; -1: not stated. */
static int64_t utilisation(const orr_room *w, const orr_trace_job *job)
{
    double percent;
    const char *text = orr_trace_attribute(w->trace, job, "gpu_util");
    if (!orr_parse_double(text, strlen(text), &percent) || percent < 0 || percent > 100)
        return -1;
    return llround(percent * (MICRO / 100));
}

static void add_use(orr_room *w, const orr_hold *hold)
{
    const orr_job *job = hold->job;
    orr_wide gpu_ns = ((orr_wide)within(w, hold->end) - within(w, hold->start)) * hold->milli;
    int64_t micro = utilisation(w, job->record);
    use *u = &w->use[job->vc];
    u->micro += micro < 0 ? 0 : gpu_ns * micro;
    u->unknown += micro < 0 ? gpu_ns : 0;
}

void orr_room_hold(orr_room *w, const orr_hold *hold)
{
    if (hold->reason == ORR_HOLD_PREEMPTED || hold->reason == ORR_HOLD_RETRIED || hold->reason == ORR_HOLD_INTERRUPTED)
        wait(w, hold->job);
    if (w->has_util && hold->job->vc >= 0)
        add_use(w, hold);
}

/* ---- told ---- */

void orr_room_close(orr_room *w, orr_time now)
{
    if (w->frag)
        orr_frag_close(w->frag, now);
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double used(const orr_room *w, int32_t vc, orr_wide there)
{
    use sum = {0, 0};
    for (int32_t v = 0; v < w->vcs; v++) {
        sum.micro += vc < 0 || v == vc ? w->use[v].micro : 0;
        sum.unknown += vc < 0 || v == vc ? w->use[v].unknown : 0;
    }
    return !w->has_util || sum.unknown ? NAN : share(orr_gpu_ns(sum.micro), (double)there) / MICRO;
}

typedef struct shares {
    double unfit, free; /* of pools with jobs */
    orr_wide waited, in_node, in_rack;
} shares;

static void add_shares(shares *r, const orr_frag_sums *sums)
{
    if (sums->jobs) {
        r->unfit += orr_gpu_ns(sums->unfit) / (double)sums->jobs;
        r->free += orr_gpu_ns(sums->free);
    }
    r->waited += sums->free_waited;
    r->in_node += sums->in_node;
    r->in_rack += sums->in_rack;
}

void orr_room_tell(const orr_room *w, int32_t vc, orr_wide there, orr_metrics *out)
{
    shares r = {0};
    out->gpu_util = used(w, vc, there);
    out->frag = out->frag_node = out->frag_rack = NAN;
    if (vc >= 0 && w->real->tenants) /* it has no nodes */
        return;
    for (int32_t p = 0; p < orr_frag_pools(w->frag); p++) {
        orr_frag_sums sums = orr_frag_of(w->frag, p);
        if (vc < 0 || p == vc)
            add_shares(&r, &sums);
    }
    out->frag = r.free > 0 ? r.unfit / r.free : NAN;
    out->frag_node = share(orr_gpu_ns(r.in_node), orr_gpu_ns(r.waited));
    out->frag_rack = orr_frag_has_racks(w->frag) ? share(orr_gpu_ns(r.in_rack), orr_gpu_ns(r.waited)) : NAN;
}
