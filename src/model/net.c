/* One record for each job that holds GPUs and communicates: its flows, and the numbers its speed is made of.
 *
 * Speed is T / t: T the iteration as it was recorded, t the present one. t is computation plus the part of the
 * communication that doesn't hide behind it. With phases the same work is split in proportion to what both take alone,
 * so that the job's speed is one number until somebody gets in its way: a boundary between computing and sending costs
 * an event, not a change of speed.
 */
#include "model/net.h"

#include "cluster/topology.h"
#include "model/traffic.h"

#include <math.h>

enum { NO_FLOW = UINT32_MAX };

/* A communicating job with what it holds now. */
typedef struct talk {
    orr_job *job;
    uint32_t inside, between;           /* flows; NO_FLOW: it shares no links there */
    double bytes, latency;              /* of a message; seconds */
    double inside_bps, between_bps;     /* bytes of gradient a second now; INFINITY: not limited */
    double inside_cap;                  /* what its GPUs' own links allow */
    orr_flow_rule rule;                 /* the policy's */
    double computing, overlap;          /* seconds of an iteration; of the communication, hidden */
    double recorded, now_alone, message; /* seconds: the iteration as recorded; alone with what it holds; its message */
    bool phased, watched;
    orr_message sending;
    orr_time from;   /* work left when it got what it holds */
    double round;    /* work, ns, of an iteration (of `stride` of them) */
    uint64_t rounds; /* done */
} talk;

/* What a gang would exchange on as few nodes as can hold it. */
typedef struct reference {
    uint64_t types;
    int32_t gpus, servers;
    double latency, inside_bps, between_bps;
} reference;

struct orr_net {
    orr_net_model model;
    orr_life *life;
    orr_links *links;
    orr_flows *flows;
    ORR_VEC(talk *) talks; /* by slot of the job; NULL: it doesn't communicate */
    ORR_VEC(reference) references;
    int32_t *widest; /* nodes, those with most GPUs first */
    orr_traffic traffic; /* to work in */
};

/* ---- times ------------------------------------------------------------------------------------------------------- */

static double per(double bytes, double bps)
{
    return isinf(bps) ? 0 : bps > 0 ? bytes / bps : INFINITY;
}

static double message_seconds(double bytes, double latency, double inside_bps, double between_bps)
{
    return latency + per(bytes, inside_bps) + per(bytes, between_bps);
}

static double present_message(const talk *t)
{
    return message_seconds(t->bytes, t->latency, t->inside_bps, t->between_bps);
}

/* Of an iteration that computes so long and sends so long. */
static double iteration(double computing, double message, double overlap)
{
    return computing + (message - fmin(overlap * message, computing));
}

/* The computation in an iteration of `all` seconds of which the message takes so many. Where a profile says less than
 * its message takes the iteration is the message, and the computation what hides behind it. */
static double computing_in(double all, double message, double overlap)
{
    return fmax(all - (1 - overlap) * message, overlap * message);
}

static double hidden(const talk *t)
{
    return fmin(t->overlap * t->message, t->computing);
}

static double phase_speed(const talk *t, double slowed)
{
    const double base = t->recorded / t->now_alone;
    if (t->sending == ORR_MESSAGE_WAITS)
        return 0;
    if (t->sending == ORR_MESSAGE_GOES) {
        const double now = present_message(t);
        return isinf(now) ? 0 : base * (t->message / now);
    }
    const double alone = t->computing - hidden(t), now = slowed - hidden(t);
    return now > 0 && alone > 0 ? base * (alone / now) : base;
}

static const talk *find(const orr_net *net, const orr_job *job)
{
    return job->slot < net->talks.n ? net->talks.at[job->slot] : NULL;
}

double orr_net_speed(const orr_net *net, const orr_job *job, double computing)
{
    const talk *t = find(net, job);
    if (!t || computing <= 0)
        return computing;
    const double slowed = t->computing / computing;
    if (t->phased)
        return phase_speed(t, slowed);
    const double message = present_message(t);
    return isinf(message) ? 0 : t->recorded / iteration(slowed, message, t->overlap);
}

/* ---- the reference ----------------------------------------------------------------------------------------------- */

typedef struct width {
    int32_t node, gpus;
} width;

static int widest_first(const void *a, const void *b)
{
    const width *x = a, *y = b;
    return x->gpus != y->gpus ? (x->gpus > y->gpus ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

static void sort_nodes(orr_net *net)
{
    const orr_cluster *c = net->life->cluster;
    width *all = orr_xcalloc((size_t)c->count + 1, sizeof *all);
    for (int32_t i = 0; i < c->count; i++)
        all[i] = (width){i, c->nodes[i].spec->gpus};
    qsort(all, (size_t)c->count, sizeof *all, widest_first);
    net->widest = orr_xcalloc((size_t)c->count + 1, sizeof *net->widest);
    for (int32_t i = 0; i < c->count; i++)
        net->widest[i] = all[i].node;
    free(all);
}

/* Whole nodes, and of the last one its best GPUs. */
static void consolidate(const orr_net *net, uint64_t types, int32_t gpus, orr_alloc *out)
{
    orr_cluster *c = net->life->cluster;
    for (int32_t i = 0; i < c->count && gpus > 0; i++) {
        const int32_t node = net->widest[i];
        const orr_node *n = &c->nodes[node];
        if (!(n->type & types) || !n->all)
            continue;
        const bool whole = n->spec->gpus <= gpus;
        const uint64_t take = whole ? n->all : orr_topology_best(orr_cluster_topology(c, node), n->all, gpus);
        orr_alloc_append(out, (orr_slice){.node = node, .gpus = take});
        gpus -= orr_bit_count(take);
    }
}

/* Of the traffic that was worked out last. */
static double inside_alone(const orr_net *net)
{
    const orr_traffic *t = &net->traffic;
    return fmin(t->inside_bps, orr_flows_alone(net->flows, t->inside.at, (int32_t)t->inside.n));
}

static double between_alone(const orr_net *net)
{
    return orr_flows_alone(net->flows, net->traffic.between.at, (int32_t)net->traffic.between.n);
}

static void find_traffic(orr_net *net, const orr_alloc *a, int32_t servers)
{
    orr_traffic_of(&net->traffic, net->life->cluster, net->links, orr_slices(a), a->count, servers);
    net->traffic.latency *= net->model.latency;
}

/* O(nodes) the first time; there are few sizes of gangs, so a list will do. */
static const reference *reference_of(orr_net *net, const orr_job *job)
{
    const int32_t gpus = job->record->gpus, servers = job->profile->servers;
    for (size_t i = 0; i < net->references.n; i++) {
        const reference *r = &net->references.at[i];
        if (r->gpus == gpus && r->types == job->types && r->servers == servers)
            return r;
    }
    orr_alloc a = {0};
    consolidate(net, job->types, gpus, &a);
    find_traffic(net, &a, servers);
    orr_alloc_clear(&a);
    ORR_VEC_PUSH(&net->references, ((reference){job->types, gpus, servers, net->traffic.latency, inside_alone(net),
                                                between_alone(net)}));
    return &net->references.at[net->references.n - 1];
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */

/* Seconds; 0: not stated. */
static double iteration_of(const orr_profile *p)
{
    double sum = 0;
    for (int i = 0; i < ORR_STAGES; i++)
        sum += p->stages[i];
    return p->iteration > 0 ? p->iteration : sum;
}

static bool communicates(const orr_job *job)
{
    const orr_profile *p = job->profile;
    return p && p->gradient_bytes > 0 && job->record->gpus > 0 && job->held.gpus > 0 && iteration_of(p) > 0 &&
           (job->held.gpus > 1 || job->record->gpus > 1);
}

static talk *new_talk(orr_net *net, orr_job *job)
{
    const orr_profile *p = job->profile;
    const reference *r = reference_of(net, job);
    const double then = message_seconds(p->gradient_bytes, r->latency, r->inside_bps, r->between_bps);
    talk *t = orr_xcalloc(1, sizeof *t);
    *t = (talk){.job = job, .inside = NO_FLOW, .between = NO_FLOW, .bytes = p->gradient_bytes, .overlap = p->overlap};
    find_traffic(net, &job->held, p->servers);
    t->latency = net->traffic.latency;
    t->inside_cap = net->traffic.inside_bps;
    t->inside_bps = inside_alone(net);
    t->between_bps = between_alone(net);
    t->rule = (orr_flow_rule){0, 1, INFINITY};
    t->computing = computing_in(iteration_of(p), then, p->overlap);
    t->recorded = iteration(t->computing, then, p->overlap);
    t->message = present_message(t);
    t->now_alone = iteration(t->computing, t->message, p->overlap);
    return t;
}

static bool is_active(const orr_net *net, const talk *t)
{
    return net->model.kind == ORR_NET_FLOWS || t->sending == ORR_MESSAGE_GOES;
}

static orr_flow_rule present_rule(const orr_net *net, const talk *t, double cap)
{
    orr_flow_rule rule = t->rule;
    rule.cap = !is_active(net, t) || rule.cap <= 0 ? 0 : cap;
    return rule;
}

static void apply_rule(const orr_net *net, const talk *t)
{
    if (t->inside != NO_FLOW)
        orr_flows_set(net->flows, t->inside, present_rule(net, t, t->inside_cap));
    if (t->between != NO_FLOW)
        orr_flows_set(net->flows, t->between, present_rule(net, t, t->rule.cap));
}

static uint32_t add_flow(const orr_net *net, talk *t, const orr_flow_uses *uses, uint32_t which, double cap)
{
    if (!uses->n)
        return NO_FLOW;
    return orr_flows_add(net->flows, (uint64_t)t->job->index * 2 + which, t, uses->at, (int32_t)uses->n,
                         present_rule(net, t, cap));
}

static void add_flows(const orr_net *net, talk *t)
{
    if (net->model.kind < ORR_NET_FLOWS)
        return;
    t->inside = add_flow(net, t, &net->traffic.inside, 0, t->inside_cap);
    t->between = add_flow(net, t, &net->traffic.between, 1, t->rule.cap);
}

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* The work left at the end of a part of an iteration, counted from when it got what it holds. */
static orr_time left_after(const talk *t, double part)
{
    const double done = ((double)t->rounds + part) * t->round;
    return done < (double)t->from ? t->from - (orr_time)done : 0;
}

/* The part of an iteration's work that is done while it computes; the rest while it sends. */
static double computing_part(const talk *t)
{
    return (t->computing - hidden(t)) / t->now_alone;
}

static void mark_next(orr_net *net, talk *t)
{
    orr_life_mark(net->life, t->job, ORR_MARK_LINKS, left_after(t, t->sending == ORR_MESSAGE_GOES ? 1 : computing_part(t)));
}

static void begin_phases(orr_net *net, talk *t)
{
    const double linear = (double)t->job->held.gpus / t->job->record->gpus;
    t->phased = net->model.kind == ORR_NET_PHASES && t->message > 0 && isfinite(t->message);
    if (!t->phased)
        return;
    t->from = t->job->left;
    t->round = fmax(t->recorded * linear * (double)net->model.stride * 1e9, 1000);
    mark_next(net, t);
}

static void tell(const orr_net *net, const talk *t)
{
    const orr_event event = {.kind = ORR_EV_MESSAGE};
    if (t->watched && net->life->notify)
        net->life->notify(net->life->notify_self, t->job, &event);
}

static void go(orr_net *net, talk *t)
{
    t->sending = ORR_MESSAGE_GOES;
    apply_rule(net, t);
    mark_next(net, t);
    orr_life_disturb(net->life, t->job);
}

static void wait(orr_net *net, talk *t)
{
    t->sending = ORR_MESSAGE_WAITS;
    orr_life_mark(net->life, t->job, ORR_MARK_LINKS, 0);
    orr_life_disturb(net->life, t->job);
}

static void sent(orr_net *net, talk *t)
{
    t->sending = ORR_MESSAGE_NONE;
    t->rounds++;
    apply_rule(net, t);
    mark_next(net, t);
    orr_life_disturb(net->life, t->job);
}

/* It has computed what it had to, or its message is through. */
static void marked(void *self, orr_job *job)
{
    orr_net *net = self;
    talk *t = net->talks.at[job->slot];
    if (t->sending == ORR_MESSAGE_GOES)
        sent(net, t);
    else if (t->watched)
        wait(net, t);
    else
        go(net, t);
    tell(net, t);
}

/* ---- what life tells --------------------------------------------------------------------------------------------- */

static void leave(orr_net *net, orr_job *job)
{
    talk *t = job->slot < net->talks.n ? net->talks.at[job->slot] : NULL;
    if (!t)
        return;
    if (t->inside != NO_FLOW)
        orr_flows_remove(net->flows, t->inside);
    if (t->between != NO_FLOW)
        orr_flows_remove(net->flows, t->between);
    net->talks.at[job->slot] = NULL;
    orr_life_mark(net->life, job, ORR_MARK_LINKS, 0);
    free(t);
}

static void come(orr_net *net, orr_job *job)
{
    if (!communicates(job))
        return;
    while (net->talks.n <= job->slot)
        ORR_VEC_PUSH(&net->talks, NULL);
    talk *t = net->talks.at[job->slot] = new_talk(net, job);
    add_flows(net, t);
    begin_phases(net, t);
}

static void moved(void *self, orr_job *job, bool holds)
{
    if (holds)
        come(self, job);
    else
        leave(self, job);
}

static void rate_moved(void *self, void *owner, double rate)
{
    orr_net *net = self;
    talk *t = owner;
    (void)rate; /* of one of its two flows */
    const double inside = t->inside != NO_FLOW ? orr_flows_rate(net->flows, t->inside) : t->inside_bps;
    const double between = t->between != NO_FLOW ? orr_flows_rate(net->flows, t->between) : t->between_bps;
    if (inside == t->inside_bps && between == t->between_bps)
        return;
    t->inside_bps = inside;
    t->between_bps = between;
    if (is_active(net, t))
        orr_life_disturb(net->life, t->job);
}

static void settle_links(void *self)
{
    orr_net *net = self;
    orr_flows_settle(net->flows, rate_moved, net);
}

/* ---- made -------------------------------------------------------------------------------------------------------- */

static orr_flows *make_flows(const orr_net *net)
{
    const orr_links *links = net->links;
    double *capacity = orr_xcalloc((size_t)links->count + 1, sizeof *capacity);
    for (int32_t i = 0; i < links->count; i++)
        capacity[i] = links->bps[i] > 0 ? links->bps[i] : INFINITY;
    orr_flows *flows = orr_flows_create(capacity, links->count, net->model.penalty);
    free(capacity);
    return flows;
}

orr_net *orr_net_create(const orr_net_model *model, orr_life *life, const orr_fabric *fabric)
{
    orr_net *net = orr_xcalloc(1, sizeof *net);
    net->model = *model;
    net->life = life;
    net->links = orr_links_create(life->cluster, fabric);
    net->flows = make_flows(net);
    sort_nodes(net);
    life->moved = moved;
    life->links = settle_links;
    life->marked[ORR_MARK_LINKS] = marked;
    life->links_self = life->marked_self[ORR_MARK_LINKS] = net;
    return net;
}

void orr_net_destroy(orr_net *net)
{
    if (!net)
        return;
    for (size_t i = 0; i < net->talks.n; i++)
        free(net->talks.at[i]);
    ORR_VEC_FREE(&net->talks);
    ORR_VEC_FREE(&net->references);
    orr_traffic_fini(&net->traffic);
    orr_flows_destroy(net->flows);
    orr_links_destroy(net->links);
    free(net->widest);
    free(net);
}

/* ---- for policies ------------------------------------------------------------------------------------------------ */

void orr_net_set_rule(orr_net *net, orr_job *job, orr_flow_rule rule)
{
    talk *t = job->slot < net->talks.n ? net->talks.at[job->slot] : NULL;
    if (!t)
        return;
    t->rule = rule;
    if (t->sending == ORR_MESSAGE_WAITS && rule.cap > 0)
        go(net, t);
    else
        apply_rule(net, t);
}

void orr_net_watch(orr_net *net, const orr_job *job)
{
    talk *t = job->slot < net->talks.n ? net->talks.at[job->slot] : NULL;
    if (t)
        t->watched = true;
}

bool orr_net_has_phases(const orr_net *net)
{
    return net->model.kind == ORR_NET_PHASES;
}

orr_message orr_net_state(const orr_net *net, const orr_job *job)
{
    const talk *t = find(net, job);
    return t ? t->sending : ORR_MESSAGE_NONE;
}

double orr_net_left(const orr_net *net, const orr_job *job)
{
    const talk *t = find(net, job);
    if (!t || t->sending == ORR_MESSAGE_NONE)
        return 0;
    const double whole = t->bytes * (double)net->model.stride;
    if (t->sending == ORR_MESSAGE_WAITS)
        return whole;
    const double work = (double)(left_after(t, computing_part(t)) - left_after(t, 1));
    const double todo = (double)(orr_life_left(net->life, job) - left_after(t, 1));
    return work > 0 ? whole * fmin(fmax(todo, 0) / work, 1) : 0;
}

double orr_net_alone(const orr_net *net, const orr_job *job)
{
    const talk *t = find(net, job);
    return t ? t->message * (double)net->model.stride : 0;
}

bool orr_net_meet(const orr_net *net, const orr_job *a, const orr_job *b)
{
    const talk *x = find(net, a), *y = find(net, b);
    if (!x || !y)
        return false;
    const uint32_t one[] = {x->inside, x->between}, other[] = {y->inside, y->between};
    for (int i = 0; i < 4; i++)
        if (one[i / 2] != NO_FLOW && other[i % 2] != NO_FLOW && orr_flows_meet(net->flows, one[i / 2], other[i % 2]))
            return true;
    return false;
}

uint64_t orr_net_visited(const orr_net *net)
{
    return orr_flows_visited(net->flows);
}
