/* Where jobs live that take turns: which server a new one gets, and how they move between servers so that tickets a GPU
 * are the same on all of one type. */
#include "sched/turns.h"

#include <math.h>
#include <stdlib.h>

seat *orr_turns_seat(orr_turns *t, const orr_job *job)
{
    while (t->seats.n <= job->slot)
        ORR_VEC_PUSH(&t->seats, (seat *)NULL);
    seat **s = &t->seats.at[job->slot];
    if (!*s) {
        *s = orr_xcalloc(1, sizeof **s);
        (*s)->home = -1;
    }
    return *s;
}

void orr_turns_touch(orr_turns *t, int32_t node)
{
    if (node < 0 || t->homes[node].dirty)
        return;
    t->homes[node].dirty = true;
    t->dirty[t->dirty_count++] = node;
}

int32_t orr_turns_vc(const orr_turns *t, const orr_job *job)
{
    return t->pool_count == 1 ? -1 : job->vc;
}

static pool *pool_of(orr_turns *t, const orr_job *job)
{
    return &t->pools[t->pool_count == 1 ? 0 : job->vc];
}

bool orr_turns_suits(orr_turns *t, const orr_job *job, int32_t node)
{
    const int64_t cpus = orr_node_cpus(t->ctx, node), mem = orr_node_mem(t->ctx, node);
    return job->record->gpus <= t->homes[node].gpus && &t->pools[t->homes[node].pool] == pool_of(t, job) &&
           orr_node_suits(t->ctx, job, node) && (!cpus || orr_job_cpu_milli(job) <= 1000 * cpus) &&
           (!mem || orr_job_mem(job) <= mem);
}

/* ---- settling ---------------------------------------------------------------------------------------------------- */

static void moved(orr_turns *t, const orr_job *job, int32_t type)
{
    if (t->rules.moved)
        t->rules.moved(t->ctx, job, type);
}

void orr_turns_unsettle(orr_turns *t, seat *s)
{
    if (s->home >= 0 || s->wide)
        orr_turns_refused(t, s, 0);
    if (s->home >= 0) {
        home *h = &t->homes[s->home];
        orr_stride_leave(&h->line, &s->client);
        h->demand -= s->job->record->gpus;
        h->load -= s->tickets;
        orr_turns_touch(t, s->home);
    } else if (s->wide) {
        orr_turns_wide_leave(t, pool_of(t, s->job), s);
    }
    if (s->home >= 0 || s->wide)
        moved(t, s->job, -1);
    s->home = -1;
    s->wide = false;
}

void orr_turns_settle(orr_turns *t, orr_job *job, int32_t node, int32_t type)
{
    seat *s = orr_turns_seat(t, job);
    const int32_t refused = s->refused;
    orr_turns_unsettle(t, s);
    s->job = job;
    s->client.item = s;
    s->home = node;
    s->wide = node < 0;
    s->scope = (orr_scope){.vc = orr_turns_vc(t, job), .types = type < 0 ? 0 : UINT64_C(1) << type};
    moved(t, job, type);
    if (s->wide) {
        orr_turns_wide_join(t, pool_of(t, job), s);
        orr_turns_refused(t, s, refused);
        return;
    }
    home *h = &t->homes[node];
    const double before = s->tickets;
    s->tickets = t->rules.tickets(t->ctx, job);
    s->client.pass *=
        before > 0 ? before / s->tickets : 1; /* by which it is ahead, in units of what it is worth here */
    h->load += s->tickets;
    h->demand += job->record->gpus;
    orr_stride_join(t->ctx, &h->line, &s->client);
    orr_turns_touch(t, node);
    orr_turns_refused(t, s, refused);
}

void orr_turns_adopt(orr_turns *t, orr_job *job)
{
    const seat *s = orr_turns_seat(t, job);
    const int32_t node = orr_slices(&job->held)[0].node;
    if (s->home != node && !s->wide && job->held.count == 1)
        orr_turns_settle(t, job, node, orr_node_type(t->ctx, node));
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

typedef struct place {
    int32_t node; /* -1: none */
    bool up, idle;
    double liked, load;
} place;

static double likes(orr_turns *t, const orr_job *job, int32_t type, bool idle)
{
    return t->rules.likes ? t->rules.likes(t->ctx, job, type, idle) : 0;
}

static double load_of(const home *h)
{
    return h->load / h->gpus;
}

static bool is_better(const place *a, const place *b)
{
    if (b->node < 0 || a->up != b->up)
        return b->node < 0 || a->up;
    if (a->idle != b->idle)
        return a->idle;
    return a->liked != b->liked ? a->liked > b->liked : a->load < b->load;
}

/* One pass over the nodes a new job, as in the source's central scheduler. On `type`, -1: on any. */
static int32_t choose(orr_turns *t, const orr_job *job, int32_t type)
{
    place best = {.node = -1};
    for (int32_t i = 0; i < t->nodes; i++) {
        const home *h = &t->homes[i];
        const int32_t its = orr_node_type(t->ctx, i);
        if ((type >= 0 && its != type) || !orr_turns_suits(t, job, i))
            continue;
        const bool idle = h->demand + job->record->gpus <= h->gpus;
        const place p = {i, orr_node_state_now(t->ctx, i) == ORR_NODE_UP, idle, likes(t, job, its, idle), load_of(h)};
        if (p.liked > -INFINITY && is_better(&p, &best))
            best = p;
    }
    return best.node;
}

/* Of those that have so many GPUs the one that it likes most; -1: none has. */
static int32_t type_for(orr_turns *t, const orr_job *job)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t k = 0; k < orr_cluster_types(t->ctx); k++) {
        const orr_scope scope = {.vc = orr_turns_vc(t, job), .types = UINT64_C(1) << k};
        const double liked = likes(t, job, k, false);
        if (orr_scope_gpus(t->ctx, scope) < job->record->gpus || !(liked > most))
            continue;
        best = k;
        most = liked;
    }
    return best;
}

void orr_turns_find_home(orr_turns *t, orr_job *job)
{
    orr_turns_unsettle(t, orr_turns_seat(t, job)); /* so that it doesn't count itself */
    const int32_t node = choose(t, job, -1);
    orr_turns_settle(t, job, node, node < 0 ? type_for(t, job) : orr_node_type(t->ctx, node));
}

/* Those at home there, as jobs: homes change while they move. */
static size_t jobs_of(orr_turns *t, const home *h)
{
    t->line.n = 0;
    for (int32_t i = 0; i < h->line.heap.count; i++)
        ORR_VEC_PUSH(&t->line, (seat *)((orr_stride_client *)h->line.heap.at[i])->item);
    return t->line.n;
}

void orr_turns_abandon(orr_turns *t, int32_t node)
{
    const size_t n = jobs_of(t, &t->homes[node]);
    for (size_t i = 0; i < n; i++)
        if (!orr_holds(t->line.at[i]->job))
            orr_turns_find_home(t, t->line.at[i]->job);
}

/* ---- balance ----------------------------------------------------------------------------------------------------- */

static bool may_move(const seat *s)
{
    return s->job->state == ORR_JOB_QUEUED || orr_turns_may_leave(s->job);
}

/* What it is ahead or behind by is GPU time: worth more turns to whom has more tickets now. */
void orr_turns_count_tickets(orr_turns *t, home *h, seat *s)
{
    const double before = s->tickets;
    s->tickets = t->rules.tickets(t->ctx, s->job);
    if (s->tickets == before)
        return;
    h->load += s->tickets - before;
    orr_stride_leave(&h->line, &s->client);
    s->client.pass *= before / s->tickets;
    orr_stride_join(t->ctx, &h->line, &s->client);
}

static void count_load(orr_turns *t, home *h)
{
    const size_t n = jobs_of(t, h);
    for (size_t i = 0; i < n; i++)
        orr_turns_count_tickets(t, h, t->line.at[i]);
    h->load = 0; /* the sum anew: no errors add up */
    for (size_t i = 0; i < n; i++)
        h->load += t->line.at[i]->tickets;
}

/* Those that wait move first: they lose nothing. */
static void spread_over_types(orr_turns *t)
{
    for (int held = 0; held < 2; held++)
        for (int32_t k = 0; k < t->nodes; k++) {
            const size_t n = jobs_of(t, &t->homes[k]);
            for (size_t i = 0; i < n; i++) {
                seat *s = t->line.at[i];
                const int32_t type = orr_holds(s->job) == held && may_move(s) ? t->rules.better(t->ctx, s->job) : -1;
                const int32_t node = type < 0 ? -1 : choose(t, s->job, type);
                if (node >= 0)
                    orr_turns_settle(t, s->job, node, type);
            }
        }
}

/* Its move to `to` leaves the more loaded of the two as little loaded as any can. */
static seat *mover(orr_turns *t, const home *from, const home *to)
{
    seat *best = NULL;
    double least = load_of(from) * (1 - 1e-9);
    for (int32_t i = 0; i < from->line.heap.count; i++) {
        seat *s = ((orr_stride_client *)from->line.heap.at[i])->item;
        const double most = fmax((from->load - s->tickets) / from->gpus, (to->load + s->tickets) / to->gpus);
        if (most >= least || !may_move(s) || !orr_turns_suits(t, s->job, to->node))
            continue;
        best = s;
        least = most;
    }
    return best;
}

/* From the most to the least loaded server of a type, while they differ by a tenth, and a few at a time: each move
 * costs its job a restart. */
static void spread_over_servers(orr_turns *t, int32_t at, int32_t type)
{
    for (int32_t moves = 0; moves <= t->nodes / 10; moves++) {
        const home *most = NULL, *least = NULL;
        for (int32_t i = 0; i < t->nodes; i++) {
            const home *h = &t->homes[i];
            if (h->pool != at || orr_node_type(t->ctx, i) != type || orr_node_state_now(t->ctx, i) != ORR_NODE_UP)
                continue;
            most = !most || load_of(h) > load_of(most) ? h : most;
            least = !least || load_of(h) < load_of(least) ? h : least;
        }
        if (!most || most->demand <= most->gpus || load_of(most) <= 1.1 * load_of(least))
            return;
        seat *s = mover(t, most, least);
        if (!s)
            return;
        orr_turns_settle(t, s->job, least->node, type);
        orr_note_decision(t->ctx, s->job, "moved to balance");
    }
}

void orr_turns_balance(orr_turns *t)
{
    if (orr_time_add(t->balanced, t->rules.balance) > orr_now(t->ctx))
        return;
    t->balanced = orr_now(t->ctx);
    for (int32_t i = 0; i < t->nodes; i++)
        count_load(t, &t->homes[i]);
    if (t->rules.better)
        spread_over_types(t);
    for (int32_t p = 0; p < t->pool_count; p++)
        for (int32_t k = 0; k < orr_cluster_types(t->ctx); k++)
            spread_over_servers(t, p, k);
}
