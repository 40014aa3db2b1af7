/* Nodes that belong to serving, lent to jobs and back.
 *
 * Within an instant serving decides before jobs do (sim/sim.c): what it lends is there for them at once, and they
 * hear of what it wants back. Between two instants of jobs, where serving runs alone, a loan or a reclaim makes one.
 */
#include "cluster/nodelife.h"
#include "serve/nodes.h"

static orr_serving *of(const orr_ctx *ctx)
{
    return ctx->serving;
}

static orr_err illegal(orr_ctx *ctx, const char *call, const char *why)
{
    char name[64];
    orr_serving_violation(of(ctx), ORR_E_SERVE_DECISION, "%s: %s: %s", orr_ctx_name(ctx, name, sizeof name), call, why);
    return ORR_E_BAD_VALUE;
}

/* Jobs get an instant of their own at `at`. */
static void stir(orr_serving *s, orr_time at)
{
    orr_queue_add(s->world->queue, &(orr_queued){.at = at, .class_ = ORR_CLASS_CAPACITY, .kind = ORR_WORLD_STIR});
}

void orr_serving_step_out(orr_serving *s)
{
    orr_life *life = s->world->life;
    if (s->inside)
        return;
    life->now = s->now > life->now ? s->now : life->now;
    s->stirred = true;
    stir(s, s->now);
}

static void tell(orr_serving *s, int32_t node, orr_serve_event_kind kind)
{
    s->idle_decisions = 0;
    orr_serving_tell(
        s, &(orr_serve_event){
               .kind = kind, .service = -1, .variant = -1, .replica = -1, .exec = -1, .node = node, .due = s->now});
}

/* ---- the end of a loan ------------------------------------------------------------------------------------------- */

void orr_serving_loan_ends(orr_serving *s, int32_t node)
{
    orr_sv_node *n = &s->nodes[node];
    orr_nodelife *nodes = s->world->nodes;
    orr_serving_step_out(s);
    s->loans.interrupted += s->world->life->tenants[node].n;
    s->loans.returns++;
    s->loans.node_seconds += orr_time_seconds(s->now - n->since);
    n->loan = ORR_LOAN_HERE;
    s->periodic -= orr_queue_cancel(s->queue, n->due_event);
    n->due_event = 0;
    orr_nodelife_say(nodes, node, ORR_LOSS_OWNED, true);
    if (nodes->nodes[node].wish == ORR_WISH_LEAVE)
        orr_nodelife_wish(nodes, node, ORR_WISH_TAKE);
    tell(s, node, ORR_SE_RETURNED);
}

void orr_serving_loan_due(orr_serving *s, int32_t node)
{
    s->nodes[node].due_event = 0;
    s->periodic--;
    orr_serving_loan_ends(s, node);
}

orr_loans orr_serving_loans(const orr_serving *s)
{
    orr_loans loans = s->loans;
    for (size_t i = 0; i < s->owned.n; i++)
        if (s->nodes[s->owned.at[i]].loan != ORR_LOAN_HERE)
            loans.node_seconds += orr_time_seconds(s->now - s->nodes[s->owned.at[i]].since);
    return loans;
}

/* ---- what may be asked ------------------------------------------------------------------------------------------- */

int32_t orr_nodes_owned(const orr_ctx *ctx, const int32_t **out)
{
    *out = of(ctx)->owned.at;
    return (int32_t)of(ctx)->owned.n;
}

orr_loan orr_node_loan(const orr_ctx *ctx, int32_t node)
{
    return of(ctx)->nodes[node].loan;
}

bool orr_node_serves(const orr_ctx *ctx, int32_t node)
{
    return orr_serving_node_serves(of(ctx), node);
}

int32_t orr_node_execs(const orr_ctx *ctx, int32_t node)
{
    return (int32_t)of(ctx)->nodes[node].execs.n;
}

static orr_borrower borrower(const orr_serving *s, const orr_job *job)
{
    const orr_time since = job->hold_start < s->now ? job->hold_start : s->now;
    return (orr_borrower){.job = job->slot,
                          .nodes = job->held.count,
                          .gpus = job->held.gpus,
                          .gpu_seconds = job->held.gpus * orr_time_seconds(s->now - since)};
}

int32_t orr_node_borrowers(const orr_ctx *ctx, int32_t node, orr_borrower *out, int32_t n)
{
    const orr_serving *s = of(ctx);
    const orr_tenants *t = &s->world->life->tenants[node];
    for (int32_t i = 0; i < n && (size_t)i < t->n; i++)
        out[i] = borrower(s, t->at[i]);
    return (int32_t)t->n;
}

/* ---- what may be done -------------------------------------------------------------------------------------------- */

/* NULL: it may do this. */
static const char *refused(const orr_serving *s, int32_t node)
{
    if (!s->lends)
        return "its table doesn't say that it lends";
    if (s->forming || !s->running)
        return "not inside `form`, and not before the run begins";
    return node < 0 || node >= s->cluster->count || s->nodes[node].loan == ORR_LOAN_NOT_OURS ? "no such node of ours"
                                                                                             : NULL;
}

orr_err orr_node_lend(orr_ctx *ctx, int32_t node)
{
    orr_serving *s = of(ctx);
    const char *why = refused(s, node);
    if (why)
        return illegal(ctx, "orr_node_lend", why);
    orr_sv_node *n = &s->nodes[node];
    if (n->loan != ORR_LOAN_HERE || n->execs.n || !orr_serving_node_serves(s, node))
        return ORR_E_NOFIT;
    orr_serving_step_out(s);
    n->loan = ORR_LOAN_LENT;
    n->since = s->now;
    s->loans.loans++;
    orr_nodelife_wish(s->world->nodes, node, ORR_WISH_TAKE);
    orr_nodelife_say(s->world->nodes, node, ORR_LOSS_OWNED, false);
    tell(s, node, ORR_SE_LOANED);
    return ORR_OK;
}

static void reclaim(orr_serving *s, int32_t node, orr_time lead)
{
    orr_sv_node *n = &s->nodes[node];
    orr_nodelife *nodes = s->world->nodes;
    const orr_time due = orr_time_add(s->now, lead);
    orr_serving_step_out(s);
    n->loan = ORR_LOAN_RECLAIMED;
    if (lead <= 0) {
        orr_serving_loan_ends(s, node);
        return;
    }
    n->due_event = orr_queue_add(
        s->queue,
        &(orr_queued){.at = due, .class_ = ORR_CLASS_CAPACITY, .kind = ORR_SV_RETURN, .cookie = (uint64_t)node});
    s->periodic++;
    stir(s, due);
    nodes->noticed(nodes->self, node, due);
    if (nodes->nodes[node].wish != ORR_WISH_DRAIN)
        orr_nodelife_wish(nodes, node, ORR_WISH_LEAVE);
}

orr_err orr_node_reclaim(orr_ctx *ctx, int32_t node, orr_time lead)
{
    orr_serving *s = of(ctx);
    const char *why = lead < 0 ? "a time from now on" : refused(s, node);
    if (why)
        return illegal(ctx, "orr_node_reclaim", why);
    if (s->nodes[node].loan != ORR_LOAN_LENT)
        return ORR_E_NOFIT;
    reclaim(s, node, lead);
    return ORR_OK;
}

static double at_stake(const orr_serving *s, int32_t node)
{
    const orr_tenants *t = &s->world->life->tenants[node];
    double sum = 0;
    for (size_t i = 0; i < t->n; i++)
        sum += borrower(s, t->at[i]).gpu_seconds;
    return sum;
}

static int32_t cheapest(const orr_serving *s)
{
    int32_t best = -1;
    double least = 0;
    for (size_t i = 0; i < s->owned.n; i++) {
        const int32_t node = s->owned.at[i];
        const double lost = s->nodes[node].loan == ORR_LOAN_LENT ? at_stake(s, node) : 0;
        if (s->nodes[node].loan != ORR_LOAN_LENT || (best >= 0 && lost >= least))
            continue;
        best = node;
        least = lost;
    }
    return best;
}

orr_err orr_nodes_reclaim(orr_ctx *ctx, int32_t count, orr_time lead)
{
    orr_serving *s = of(ctx);
    const char *why = lead < 0 || count < 0 ? "a number, and a time from now on"
                      : s->owned.n          ? refused(s, s->owned.at[0])
                                            : NULL;
    if (why)
        return illegal(ctx, "orr_nodes_reclaim", why);
    for (; count > 0; count--) {
        const int32_t node = cheapest(s);
        if (node < 0)
            return ORR_E_NOFIT;
        reclaim(s, node, lead);
    }
    return ORR_OK;
}
