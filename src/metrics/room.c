#include "metrics/room.h"

#include "base/mem.h"
#include "base/text.h"
#include "metrics/tally.h"
#include "sim/sim.h"
#include <math.h>

#define MICRO 1000000 /* utilisation is kept in millionths */

/* GPU·ns of one pool within the bounds: held, and held times utilisation, where that is known and where not. */
typedef struct use {
    orr_wide micro, unknown;
} use;

struct orr_room {
    orr_cluster *cluster; /* the simulation's; NULL: another listener watches it */
    const orr_trace *trace;
    orr_time from, to; /* bounds; ORR_TIME_NONE: none */
    orr_frag *frag;
    bool has_util;
    int32_t pools;
    use *use; /* by pool */
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
    return orr_sim_vc_of(*sim, job);
}

orr_room *orr_room_create(const orr_sim *sim, orr_measure *measure)
{
    orr_room *w = orr_xcalloc(1, sizeof *w);
    orr_measure_on(measure, sim->trace);
    w->trace = sim->trace;
    w->from = orr_measure_from(measure);
    w->to = orr_measure_to(measure);
    w->pools = sim->world.real->vcs;
    w->use = orr_xcalloc((size_t)w->pools + 1, sizeof *w->use);
    w->has_util = has_attribute(sim->trace, "gpu_util");
    if (!orr_cluster_watch(sim->world.real))
        return w;
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
        orr_frag_wait(w->frag, job->index, job->vc, job->record->gpus, job->types);
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

void orr_room_instant(orr_room *w, orr_time at)
{
    const int32_t *nodes;
    if (!w->frag)
        return;
    int32_t n = orr_cluster_take_touched(w->cluster, &nodes);
    for (int32_t i = 0; i < n; i++)
        orr_frag_node(w->frag, nodes[i], w->cluster->nodes[nodes[i]].free);
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
    orr_wide gpu_ns = ((orr_wide)within(w, hold->end) - within(w, hold->start)) * hold->gpus;
    int64_t micro = utilisation(w, job->record);
    use *u = &w->use[job->vc];
    u->micro += micro < 0 ? 0 : gpu_ns * micro;
    u->unknown += micro < 0 ? gpu_ns : 0;
}

void orr_room_hold(orr_room *w, const orr_hold *hold)
{
    if (hold->reason == ORR_HOLD_PREEMPTED || hold->reason == ORR_HOLD_RETRIED)
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

static double share(orr_wide part, orr_wide whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static double used(const orr_room *w, int32_t pool, orr_wide gpu_ns)
{
    use sum = {0, 0};
    for (int32_t p = 0; p < w->pools; p++) {
        sum.micro += pool < 0 || p == pool ? w->use[p].micro : 0;
        sum.unknown += pool < 0 || p == pool ? w->use[p].unknown : 0;
    }
    return !w->has_util || sum.unknown ? NAN : share(sum.micro, gpu_ns) / MICRO;
}

typedef struct shares {
    double unfit, free; /* of pools with jobs */
    orr_wide waited, in_node, in_rack;
} shares;

static void add_shares(shares *r, const orr_frag_sums *sums)
{
    if (sums->jobs) {
        r->unfit += (double)sums->unfit / (double)sums->jobs;
        r->free += (double)sums->free;
    }
    r->waited += sums->free_waited;
    r->in_node += sums->in_node;
    r->in_rack += sums->in_rack;
}

void orr_room_tell(const orr_room *w, int32_t pool, orr_wide gpu_ns, orr_metrics *out)
{
    shares r = {0};
    out->gpu_util = used(w, pool, gpu_ns);
    out->frag = out->frag_node = out->frag_rack = NAN;
    if (!w->frag)
        return;
    for (int32_t p = 0; p < w->pools; p++) {
        orr_frag_sums sums = orr_frag_of(w->frag, p);
        if (pool < 0 || p == pool)
            add_shares(&r, &sums);
    }
    out->frag = r.free > 0 ? r.unfit / r.free : NAN;
    out->frag_node = share(r.in_node, r.waited);
    out->frag_rack = orr_frag_has_racks(w->frag) ? share(r.in_rack, r.waited) : NAN;
}
