/* aryl: nodes that belong to serving and aren't needed soon are lent to jobs, and come back before they are.
 *
 * Source: Li et al., "Aryl: an elastic cluster scheduler for deep learning", arXiv 2202.07896 (later Lyra, EuroSys
 * 2023), §3 on capacity loaning.
 *   load      what a service will need is the greatest rate of the last `window`, and replicas are busy for `load` of
 *             their time at it.
 *   loaning   idle nodes beyond what all services need and a headroom are lent.
 *   reclaim   where less is there than that, nodes are called back with a notice. A job on k nodes costs 1/k on each
 *             of them; the cheapest node goes first, and once a job is lost that way its other nodes cost nothing for
 *             it: few jobs are stopped, not few GPUs.
 * Assumed: replicas are made and drained by this policy itself (`scale`), since in the paper the inference cluster's
 * own scheduler does; one is drained on the node with the fewest. Known deviations are told below; any job policy may
 * run beside, and one that heeds notices loses less than one that waits until nodes are taken.
 */
#include <orrery/serve.h>

#include <math.h>

enum { SERVERS, SECONDS, FIRST };
enum { GONE = 512, ON_NODE = 128 };

struct knobs {
    orr_time period, window, bin, lead;
    int64_t batch, least;
    double load, headroom;
    int32_t reclaim;
    bool lend, scale;
};

static const orr_knob knobs[] = {
    {"lend", ORR_KNOB_BOOL, offsetof(struct knobs, lend), "on", NULL, "off: nodes stay with serving"},
    {"scale", ORR_KNOB_BOOL, offsetof(struct knobs, scale), "on", NULL,
     "make and drain replicas; off: they are as stated"},
    {"period", ORR_KNOB_TIME, offsetof(struct knobs, period), "60s", "100ms..10min", "how often the load is looked at"},
    {"window", ORR_KNOB_TIME, offsetof(struct knobs, window), "5min", "1s..10min", "of which the greatest rate counts"},
    {"bin", ORR_KNOB_TIME, offsetof(struct knobs, bin), "10s", "100ms..10min", "over which a rate is taken"},
    {"lead", ORR_KNOB_TIME, offsetof(struct knobs, lead), "60s", "0..1d", "notice before a node is taken back"},
    {"batch", ORR_KNOB_INT, offsetof(struct knobs, batch), "1", "1..1024", "batches that replicas are thought to run"},
    {"least", ORR_KNOB_INT, offsetof(struct knobs, least), "1", "0..1000", "replicas of a service at least"},
    {"load", ORR_KNOB_NUMBER, offsetof(struct knobs, load), "0.6", "0.01..1",
     "part of its time that a replica is busy, as planned"},
    {"headroom", ORR_KNOB_NUMBER, offsetof(struct knobs, headroom), "0.02", "0..1",
     "part of the nodes that stays besides, rounded up"},
    {"reclaim", ORR_KNOB_CHOICE, offsetof(struct knobs, reclaim), "servers", "servers|seconds|first",
     "nodes that come back: by jobs and their nodes; by GPU-seconds held; by index"},
    {0},
};

static const orr_preset presets[] = {
    {"no-loans", "lend=off", "the baseline: replicas follow the load, nodes stay idle"},
    {0},
};

/* ---- what is needed ---- */

static double capacity(orr_ctx *ctx, orr_variant_id variant, const orr_exec_profile *p)
{
    const struct knobs *k = orr_knobs(ctx);
    const int32_t most = orr_variant_of(ctx, variant)->max_batch, b = k->batch < most ? (int32_t)k->batch : most;
    const double t = orr_variant_time(ctx, variant, -1, p->milli, p->gpus, b);
    if (!isnan(t) && t > 0)
        return b / t;
    const double own = orr_exec_seconds(p, b);
    return own > 0 ? b / own : 1;
}

static int32_t needed(orr_ctx *ctx, orr_service_id service, const orr_exec_profile *p)
{
    const struct knobs *k = orr_knobs(ctx);
    const uint64_t most = orr_arrived_most(ctx, service, k->window, k->bin < k->window ? k->bin : k->window);
    const double rate = (double)most / ((double)k->bin * 1e-9);
    const double n = ceil(rate / (k->load * capacity(ctx, orr_service_current(ctx, service), p)) - 1e-9);
    return n > (double)k->least ? (int32_t)fmin(n, 1e6) : (int32_t)k->least;
}

/* ---- replicas ---- */

/* On the node with the fewest executors, the last of equals. */
static orr_replica_id to_drain(orr_ctx *ctx, orr_variant_id variant)
{
    const orr_replica_id *all;
    const int32_t n = orr_variant_replicas(ctx, variant, &all);
    orr_replica_id best = -1;
    int32_t fewest = INT32_MAX;
    for (int32_t i = 0; i < n; i++) {
        const int32_t execs = orr_node_execs(ctx, orr_exec_node(ctx, orr_replica_exec(ctx, all[i])));
        if (orr_replica_phase(ctx, all[i]) >= ORR_PHASE_DRAINING || execs > fewest)
            continue;
        best = all[i];
        fewest = execs;
    }
    return best;
}

/* On nodes of ours only, where there are some: those that serve already, then empty ones. What is for all stays with
 * jobs. */
static bool add_one(orr_ctx *ctx, orr_replica_ask ask)
{
    const int32_t *nodes;
    orr_replica_id id;
    const int32_t n = orr_nodes_owned(ctx, &nodes);
    for (int32_t i = 0; i < 2 * n; i++) {
        ask.node = nodes[i % n];
        if (orr_node_serves(ctx, ask.node) && (orr_node_execs(ctx, ask.node) > 0) == (i < n) &&
            orr_replica_add(ctx, &ask, &id) == ORR_OK)
            return true;
    }
    return !n && orr_replica_add(ctx, &ask, &id) == ORR_OK;
}

static void scale(orr_ctx *ctx, orr_variant_id variant, const orr_exec_profile *p, int32_t want)
{
    const orr_replica_ask ask = {
        .variant = variant, .on = -1, .type = -1, .milli = p->milli, .gpus = p->gpus, .market = -1, .node = -1};
    const orr_replica_id *all;
    orr_replica_id id;
    const int32_t n = orr_variant_replicas(ctx, variant, &all);
    int32_t there = 0;
    for (int32_t i = 0; i < n; i++)
        there += orr_replica_phase(ctx, all[i]) < ORR_PHASE_DRAINING;
    for (; there > want && (id = to_drain(ctx, variant)) >= 0; there--)
        orr_replica_drain(ctx, id);
    while (there < want && add_one(ctx, ask))
        there++;
}

/* GPUs that services will need, and replicas made to fit. */
static double follow(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    double gpus = 0;
    for (orr_service_id s = 0; s < orr_services_count(ctx); s++) {
        const orr_variant_id variant = orr_service_current(ctx, s);
        const orr_variant *v = orr_variant_of(ctx, variant);
        if (!v->profile_count)
            continue;
        const int32_t want = needed(ctx, s, &v->profiles[0]);
        gpus += want * v->profiles[0].gpus * (v->profiles[0].milli / 1000.0);
        if (k->scale)
            scale(ctx, variant, &v->profiles[0], want);
    }
    return gpus;
}

/* ---- nodes ---- */

/* Jobs that are as good as stopped: on nodes that come back. */
struct gone {
    int32_t n;
    uint32_t jobs[GONE];
};

static bool is_gone(const struct gone *g, uint32_t job)
{
    for (int32_t i = 0; i < g->n; i++)
        if (g->jobs[i] == job)
            return true;
    return false;
}

static void stop_all(orr_ctx *ctx, struct gone *g, int32_t node)
{
    orr_borrower on[ON_NODE];
    const int32_t n = orr_node_borrowers(ctx, node, on, ON_NODE);
    for (int32_t i = 0; i < n && i < ON_NODE && g->n < GONE; i++)
        if (!is_gone(g, on[i].job))
            g->jobs[g->n++] = on[i].job;
}

static double cost(orr_ctx *ctx, const struct gone *g, int32_t node)
{
    const struct knobs *k = orr_knobs(ctx);
    orr_borrower on[ON_NODE];
    const int32_t n = k->reclaim == FIRST ? 0 : orr_node_borrowers(ctx, node, on, ON_NODE);
    double sum = 0;
    for (int32_t i = 0; i < n && i < ON_NODE; i++)
        if (k->reclaim == SECONDS)
            sum += on[i].gpu_seconds;
        else if (!is_gone(g, on[i].job))
            sum += 1.0 / on[i].nodes;
    return sum;
}

static int32_t cheapest(orr_ctx *ctx, const struct gone *g, const int32_t *nodes, int32_t n)
{
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        const double c = orr_node_loan(ctx, nodes[i]) == ORR_LOAN_LENT ? cost(ctx, g, nodes[i]) : INFINITY;
        if (c >= least)
            continue;
        best = nodes[i];
        least = c;
    }
    return best;
}

static void reclaim(orr_ctx *ctx, const int32_t *nodes, int32_t n, double lacks)
{
    const struct knobs *k = orr_knobs(ctx);
    struct gone gone = {0};
    for (int32_t i = 0; i < n; i++)
        if (orr_node_loan(ctx, nodes[i]) == ORR_LOAN_RECLAIMED)
            stop_all(ctx, &gone, nodes[i]);
    for (int32_t node; lacks > 1e-9 && (node = cheapest(ctx, &gone, nodes, n)) >= 0;
         lacks -= orr_node_gpus(ctx, node)) {
        stop_all(ctx, &gone, node);
        orr_node_reclaim(ctx, node, k->lead);
    }
}

static orr_err decide(orr_ctx *ctx)
{
    const struct knobs *k = orr_knobs(ctx);
    const int32_t *nodes;
    const int32_t n = orr_nodes_owned(ctx, &nodes);
    double keep = follow(ctx), there = 0;
    if (!n || !k->lend)
        return ORR_OK;
    keep += ceil(k->headroom * n - 1e-9) * orr_node_gpus(ctx, nodes[0]);
    for (int32_t i = 0; i < n; i++)
        if (orr_node_loan(ctx, nodes[i]) == ORR_LOAN_RECLAIMED || orr_node_serves(ctx, nodes[i]))
            there += orr_node_gpus(ctx, nodes[i]);
    for (int32_t i = n - 1; i >= 0; i--)
        if (there - orr_node_gpus(ctx, nodes[i]) >= keep - 1e-9 && orr_node_lend(ctx, nodes[i]) == ORR_OK)
            there -= orr_node_gpus(ctx, nodes[i]);
    reclaim(ctx, nodes, n, keep - there);
    return ORR_OK;
}

ORR_SERVE(aryl) = {
    .summary = "idle nodes of serving are lent to jobs",
    .cite = "Li et al., Aryl, arXiv 2202.07896; Lyra, EuroSys 2023",
    .deviations = "loans follow a measured maximum, not a learned forecast; the training half (elastic jobs by a "
                  "knapsack, flexible workers on "
                  "lent nodes first) is no part of it: any job policy runs beside",
    .knobs = knobs,
    .knobs_size = sizeof(struct knobs),
    .presets = presets,
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_PROFILED, [ORR_SQ_RATE] = ORR_KNOW_OBSERVED},
    .flags = ORR_SERVE_LENDS,
    .period = "60s",
    .decide = decide,
};
