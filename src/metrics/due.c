#include "metrics/due.h"

#include "base/mem.h"
#include "metrics/tally.h"

#include <orrery/solve.h>

#include <math.h>

struct orr_due {
    int32_t vcs;
    orr_time at, lower, upper;          /* up to when, and within what; NONE: no bound */
    double gpus;                        /* that are up */
    double *want, *weight, *got, *held; /* [vcs], GPUs */
    double *had, *due;                  /* [vcs], GPU-seconds */
    double *numbers;                    /* all of them */
    bool dirty;
};

enum { ROWS = 6 };

/* By its nodes; or, of tenants, its quota. One without any counts as if it had one. */
static void weigh(orr_due *d, const orr_cluster_spec *cluster)
{
    const bool tenants = orr_cluster_spec_tenants(cluster);
    for (int32_t i = 0; !tenants && i < orr_cluster_spec_nodes(cluster); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(cluster, i);
        d->weight[orr_cluster_spec_find_vc(cluster, node->vc)] += node->gpus;
    }
    for (int32_t v = 0; v < d->vcs; v++) {
        d->weight[v] += tenants ? (double)orr_cluster_spec_quota(cluster, v).gpus : 0;
        d->weight[v] = d->weight[v] > 0 ? d->weight[v] : 1;
    }
}

orr_due *orr_due_create(const orr_sim *sim, const orr_measure *measure)
{
    const orr_cluster_spec *cluster = orr_sim_cluster(sim);
    const int32_t vcs = orr_cluster_spec_vcs(cluster);
    if (vcs < 2)
        return NULL;
    orr_due *d = orr_xcalloc(1, sizeof *d);
    const size_t n = (size_t)vcs;
    d->numbers = orr_xcalloc(ROWS * n, sizeof *d->numbers);
    d->want = d->numbers;
    d->weight = d->want + n;
    d->got = d->weight + n;
    d->held = d->got + n;
    d->had = d->held + n;
    d->due = d->had + n;
    d->vcs = vcs;
    d->at = ORR_TIME_NONE;
    d->lower = orr_measure_from(measure);
    d->upper = orr_measure_to(measure);
    weigh(d, cluster);
    return d;
}

void orr_due_destroy(orr_due *d)
{
    if (!d)
        return;
    free(d->numbers);
    free(d);
}

static double span_to(const orr_due *d, orr_time to)
{
    const orr_time from = d->at < d->lower ? d->lower : d->at;
    to = d->upper != ORR_TIME_NONE && d->upper < to ? d->upper : to;
    return d->at != ORR_TIME_NONE && to > from ? orr_time_seconds(to - from) : 0;
}

static void move_on(orr_due *d, orr_time to)
{
    const double span = span_to(d, to);
    if (span > 0 && d->dirty)
        orr_fill_fair(d->want, d->weight, d->vcs, d->gpus, d->got);
    d->dirty &= !(span > 0);
    for (int32_t v = 0; span > 0 && v < d->vcs; v++) {
        d->had[v] += d->held[v] * span;
        d->due[v] += d->got[v] * span;
    }
    d->at = to;
}

void orr_due_set(orr_due *d, orr_time at, const orr_levels *levels)
{
    if (at > d->at || d->at == ORR_TIME_NONE)
        move_on(d, at);
    d->dirty = true;
    if (levels->vc < 0) {
        d->gpus = (double)levels->gpus_total;
        return;
    }
    d->held[levels->vc] = (double)levels->milli_held / 1000;
    d->want[levels->vc] = (double)(levels->milli_held + levels->milli_queued) / 1000;
}

double orr_due_spread(orr_due *d, orr_time to)
{
    double least = INFINITY, most = 0;
    move_on(d, to);
    for (int32_t v = 0; v < d->vcs; v++) {
        if (!(d->due[v] > 0))
            continue;
        least = fmin(least, d->had[v] / d->due[v]);
        most = fmax(most, d->had[v] / d->due[v]);
    }
    return least > 0 && least < INFINITY ? most / least : NAN;
}
