/* Turns of jobs that are wider than a server. A pool's central stride has each of them and each server as clients; a
 * server stands for the jobs at home there. From the least pass on, a server takes as many of its GPUs as its jobs ask,
 * and a wide job takes what it needs of those that nobody took: where it is, if it can, else the servers with most
 * left. What is over on a server goes to its own jobs in any case.
 *
 * Done only where there are wide jobs, once a quantum: O(servers) for each GPU of a server and each server that it
 * takes. */
#include "sched/turns.h"

#include <string.h>

void orr_turns_wide_join(orr_turns *t, pool *p, seat *s)
{
    ORR_VEC_PUSH(&p->wide, s);
    t->any_wide++;
    orr_stride_join(t->ctx, &p->line, &s->client);
}

void orr_turns_wide_leave(orr_turns *t, pool *p, seat *s)
{
    size_t i = 0;
    while (i < p->wide.n && p->wide.at[i] != s)
        i++;
    if (i == p->wide.n)
        return;
    memmove(p->wide.at + i, p->wide.at + i + 1, (p->wide.n - i - 1) * sizeof *p->wide.at);
    p->wide.n--;
    t->any_wide--;
    orr_stride_leave(&p->line, &s->client);
}

static void set_counted(orr_turns *t, int32_t at, bool counts)
{
    pool *p = &t->pools[at];
    for (size_t i = 0; i < p->wide.n && counts && !p->counted; i++)
        orr_turns_begin(t, p->wide.at[i]);
    p->counted = counts;
}

void orr_turns_count_pool(orr_turns *t, orr_plan *plan, int32_t at)
{
    const pool *p = &t->pools[at];
    bool waits = false;
    for (size_t i = 0; i < p->wide.n && !waits; i++)
        waits = !orr_plan_held(plan, p->wide.at[i]->job);
    for (int32_t i = 0; i < t->nodes && !waits; i++)
        waits = t->homes[i].pool == at && t->homes[i].waiting > 0;
    set_counted(t, at, waits);
}

/* Homes take part while somebody lives there. */
void orr_turns_enter_homes(orr_turns *t, int32_t at)
{
    pool *p = &t->pools[at];
    for (int32_t i = 0; i < t->nodes; i++) {
        home *h = &t->homes[i];
        if (h->pool != at || (h->client.place > 0) == (h->demand > 0))
            continue;
        if (h->demand > 0)
            orr_stride_join(t->ctx, &p->line, &h->client);
        else
            orr_stride_leave(&p->line, &h->client);
    }
}

/* ---- dealing ----------------------------------------------------------------------------------------------------- */

typedef struct deal {
    orr_turns *t;
    int32_t pool, widest;
    bool any; /* somebody took some */
} deal;

static int32_t holds_at(const orr_job *job, int32_t node)
{
    for (int32_t i = 0; orr_holds(job) && i < job->held.count; i++)
        if (orr_slices(&job->held)[i].node == node)
            return __builtin_popcountll(orr_slices(&job->held)[i].gpus);
    return 0;
}

static bool may_use(const deal *d, const seat *s, const home *h)
{
    return h->pool == d->pool && orr_node_suits(d->t->ctx, s->job, h->node) &&
           (!s->scope.types || s->scope.types & (UINT64_C(1) << orr_node_type(d->t->ctx, h->node)));
}

static void take_lot(deal *d, seat *s, home *h, int32_t gpus, int32_t *need)
{
    h->left -= gpus;
    *need -= gpus;
    s->lots++;
    ORR_VEC_PUSH(&d->t->lots, ((lot){h->node, gpus}));
}

static void give_back(deal *d, seat *s)
{
    orr_turns *t = d->t;
    for (size_t i = s->lot; i < s->lot + s->lots; i++)
        t->homes[t->lots.at[i].node].left += t->lots.at[i].gpus;
    t->lots.n = s->lot;
    s->lots = 0;
}

/* Just where it is. */
static bool stays(deal *d, seat *s)
{
    int32_t need = s->job->record->gpus;
    for (int32_t i = 0; orr_holds(s->job) && i < s->job->held.count; i++) {
        home *h = &d->t->homes[orr_slices(&s->job->held)[i].node];
        const int32_t held = holds_at(s->job, h->node);
        if (h->left >= held && may_use(d, s, h))
            take_lot(d, s, h, held, &need);
    }
    if (need > 0)
        give_back(d, s);
    return need == 0;
}

/* Of the servers with so many GPUs left the one whose jobs are furthest ahead. */
static home *next_server(deal *d, const seat *s, int32_t left)
{
    home *best = NULL;
    for (int32_t i = 0; i < d->t->nodes; i++) {
        home *h = &d->t->homes[i];
        if (h->left == left && (!best || h->client.pass > best->client.pass) && may_use(d, s, h))
            best = h;
    }
    return best;
}

/* The last one that it needs may keep some: so that is the one whose jobs are furthest behind. */
static bool goes(deal *d, seat *s)
{
    int32_t need = s->job->record->gpus;
    for (int32_t left = d->widest; left > 0; left--)
        for (home *h; need > 0 && (h = next_server(d, s, left)) != NULL;)
            take_lot(d, s, h, left < need ? left : need, &need);
    if (need > 0)
        give_back(d, s);
    return need == 0;
}

static orr_offer deal_home(home *h)
{
    h->cap = h->demand < h->left ? h->demand : h->left;
    h->left -= h->cap;
    return h->cap > 0 ? ORR_OFFER_TOOK : ORR_OFFER_REFUSED;
}

static orr_offer deal_one(void *self, void *client)
{
    deal *d = self;
    seat *s = client;
    if (s->is_home) {
        const orr_offer answer = deal_home(client);
        d->any |= answer == ORR_OFFER_TOOK;
        return answer;
    }
    s->lot = d->t->lots.n;
    s->lots = 0;
    if (!orr_turns_may_leave(s->job) && s->job->state != ORR_JOB_QUEUED)
        return ORR_OFFER_ASIDE;
    if (!orr_holds(s->job) && orr_turns_yields(d->t, s))
        return ORR_OFFER_ASIDE;
    s->chosen = stays(d, s) || goes(d, s);
    if (s->chosen || !d->any)
        orr_turns_refused(d->t, s, s->chosen ? 0 : s->refused + 1);
    d->any |= s->chosen;
    return s->chosen ? ORR_OFFER_TOOK : ORR_OFFER_REFUSED;
}

/* ---- before and after -------------------------------------------------------------------------------------------- */

static bool is_unmoved(const orr_turns *t, const seat *s)
{
    bool same = orr_holds(s->job) && (size_t)s->job->held.count == s->lots;
    for (size_t i = s->lot; same && i < s->lot + s->lots; i++)
        same = holds_at(s->job, t->lots.at[i].node) == t->lots.at[i].gpus;
    return same;
}

/* What can be dealt: idle GPUs, and what jobs hold that may be made to leave. */
static int32_t gather(orr_turns *t, pool *p, int32_t at)
{
    int32_t widest = 0;
    for (int32_t i = 0; i < t->nodes; i++) {
        home *h = &t->homes[i];
        h->left = h->pool == at ? orr_turns_own(t, h) : 0;
        h->cap = h->pool == at ? 0 : h->cap;
    }
    for (size_t k = 0; k < p->wide.n; k++) {
        const orr_job *job = p->wide.at[k]->job;
        p->wide.at[k]->chosen = false;
        orr_turns_charge(t, &p->line, p->wide.at[k]);
        for (int32_t i = 0; orr_turns_may_leave(job) && i < job->held.count; i++)
            t->homes[orr_slices(&job->held)[i].node].left += holds_at(job, orr_slices(&job->held)[i].node);
    }
    for (int32_t i = 0; i < t->nodes; i++)
        widest = t->homes[i].left > widest ? t->homes[i].left : widest;
    return widest;
}

void orr_turns_deal(orr_turns *t, orr_plan *plan, int32_t at)
{
    pool *p = &t->pools[at];
    deal d = {.t = t, .pool = at};
    d.widest = gather(t, p, at);
    orr_stride_turn(t->ctx, &p->line, deal_one, &d);
    for (int32_t i = 0; i < t->nodes; i++)
        if (t->homes[i].pool == at)
            t->homes[i].cap += t->homes[i].left;
    for (size_t k = 0; k < p->wide.n; k++) {
        seat *s = p->wide.at[k];
        if (orr_turns_may_leave(s->job) && (!s->chosen || !is_unmoved(t, s)))
            orr_plan_preempt(plan, s->job);
    }
}

void orr_turns_place_wide(orr_turns *t, orr_plan *plan, int32_t at)
{
    for (size_t k = 0; k < t->pools[at].wide.n; k++) {
        seat *s = t->pools[at].wide.at[k];
        if (!s->chosen || orr_plan_held(plan, s->job))
            continue;
        orr_alloc *out = orr_plan_alloc(plan);
        bool room = true;
        for (size_t i = s->lot; i < s->lot + s->lots && room; i++)
            room = orr_alloc_take(out, plan, t->lots.at[i].node, t->lots.at[i].gpus) == ORR_OK;
        if (room)
            orr_plan_try_assign(plan, s->job, out);
    }
}
