/* What plans say besides who holds what: nodes, their clocks, messages, pace and batches. */
#include "sched/plan.h"

#include "model/training.h"

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Later calls on the plan find room there, or none, as it will be when the plan is committed. */
static void show_node(orr_plan *plan, int32_t node, orr_node_wish wish)
{
    orr_cluster *c = plan->world->cluster;
    orr_node_state state = orr_nodelife_state(plan->world->nodes, node);
    if (state == ORR_NODE_UP || state == ORR_NODE_DRAINING)
        orr_cluster_set_up(c, node, c->nodes[node].up, wish == ORR_WISH_TAKE);
}

orr_err orr_plan_node(orr_plan *plan, int32_t node, orr_node_action what)
{
    static const orr_node_wish wishes[] = {[ORR_NODE_DRAIN] = ORR_WISH_DRAIN, [ORR_NODE_RESUME] = ORR_WISH_TAKE,
                                           [ORR_NODE_SLEEP] = ORR_WISH_SLEEP, [ORR_NODE_WAKE] = ORR_WISH_TAKE};
    orr_cluster *c = plan->world->cluster;
    if (orr_plan_closed(plan, NULL))
        return ORR_E_PLAN_STATE;
    if (node < 0 || node >= c->count)
        return orr_plan_illegal(plan, NULL, ORR_E_PLAN_STATE, "the plan acts on a node that isn't there");
    orr_node_status *s = &plan->world->nodes->nodes[node];
    if (s->state == ORR_NODE_DOWN || s->wish == ORR_WISH_LEAVE)
        return orr_plan_illegal(plan, NULL, ORR_E_PLAN_STATE, "the plan acts on a node that is down or taken away");
    orr_undo u = {.kind = ORR_UNDO_NODE, .took = c->nodes[node].takes, .planned = s->planned};
    ORR_VEC_PUSH(&plan->log, u);
    ORR_VEC_PUSH(&plan->nodes, ((orr_staged_node){.node = node, .wish = wishes[what]}));
    s->planned = (int32_t)plan->nodes.n;
    show_node(plan, node, wishes[what]);
    return ORR_OK;
}

void orr_plan_undo_node(orr_plan *plan, const orr_undo *u)
{
    orr_staged_node last = plan->nodes.at[--plan->nodes.n];
    plan->world->nodes->nodes[last.node].planned = u->planned;
    show_node(plan, last.node, u->took ? ORR_WISH_TAKE : ORR_WISH_DRAIN);
}

bool orr_plan_commit_nodes(orr_plan *plan)
{
    orr_nodelife *nodes = plan->world->nodes;
    bool any = false;
    for (size_t i = 0; i < plan->nodes.n; i++) {
        orr_staged_node to = plan->nodes.at[i];
        orr_node_status *s = &nodes->nodes[to.node];
        if (s->planned != (int32_t)i + 1)
            continue;
        s->planned = 0;
        any |= s->wish != to.wish;
        orr_nodelife_wish(nodes, to.node, to.wish);
    }
    plan->nodes.n = 0;
    return any;
}

orr_err orr_plan_clock(orr_plan *plan, int32_t node, int32_t point)
{
    if (orr_plan_closed(plan, NULL))
        return ORR_E_PLAN_STATE;
    if (node < 0 || node >= plan->world->cluster->count || point < 0 || point >= orr_node_clocks(plan->ctx, node))
        return orr_plan_illegal(plan, NULL, ORR_E_PLAN_STATE, "the plan sets a node to a clock that it doesn't have");
    ORR_VEC_PUSH(&plan->log, ((orr_undo){.kind = ORR_UNDO_CLOCK}));
    ORR_VEC_PUSH(&plan->clocks, ((orr_staged_clock){node, point}));
    return ORR_OK;
}

void orr_plan_commit_clocks(orr_plan *plan)
{
    for (size_t i = 0; i < plan->clocks.n; i++)
        orr_nodelife_clock(plan->world->nodes, plan->clocks.at[i].node, plan->clocks.at[i].point);
    plan->clocks.n = 0;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

orr_err orr_plan_flow(orr_plan *plan, orr_job *job, int32_t class_, double weight, double cap)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (!plan->world->net)
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE, "the plan directs messages where no network is modelled");
    if (!orr_plan_held(plan, job) || !(weight > 0) || !(cap >= 0))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE,
                                "the plan directs messages of a job that holds no GPUs, or by no weight");
    ORR_VEC_PUSH(&plan->log, ((orr_undo){.kind = ORR_UNDO_FLOW}));
    ORR_VEC_PUSH(&plan->flows, ((orr_staged_flow){job, {class_, weight, cap}}));
    return ORR_OK;
}

void orr_plan_commit_flows(orr_plan *plan)
{
    for (size_t i = 0; i < plan->flows.n; i++)
        if (orr_holds(plan->flows.at[i].job))
            orr_net_set_rule(plan->world->net, plan->flows.at[i].job, plan->flows.at[i].rule);
    plan->flows.n = 0;
}

/* ---- pace -------------------------------------------------------------------------------------------------------- */

orr_err orr_plan_pace(orr_plan *plan, orr_job *job, double part)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    if (!orr_plan_held(plan, job) || !(part >= 0 && part <= 1))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE,
                                "the plan slows a job that holds no GPUs, or to no part of its speed");
    ORR_VEC_PUSH(&plan->log, ((orr_undo){.kind = ORR_UNDO_PACE}));
    ORR_VEC_PUSH(&plan->paces, ((orr_staged_pace){.job = job, .part = part}));
    return ORR_OK;
}

orr_err orr_plan_tune(orr_plan *plan, orr_job *job, orr_batch batch)
{
    if (orr_plan_closed(plan, job))
        return ORR_E_PLAN_STATE;
    const orr_alloc *held = orr_plan_held(plan, job);
    if (!held || !orr_training_allows(job, held->gpus, batch))
        return orr_plan_illegal(plan, job, ORR_E_PLAN_STATE,
                                "the plan tunes a job that holds no GPUs, or to a batch that it can't have");
    ORR_VEC_PUSH(&plan->log, ((orr_undo){.kind = ORR_UNDO_PACE}));
    ORR_VEC_PUSH(&plan->paces, ((orr_staged_pace){.job = job, .part = -1, .batch = batch}));
    return ORR_OK;
}

/* Its speed follows before time moves on. */
void orr_plan_commit_paces(orr_plan *plan)
{
    for (size_t i = 0; i < plan->paces.n; i++) {
        const orr_staged_pace *to = &plan->paces.at[i];
        if (orr_holds(to->job) && to->part >= 0 && to->job->pace != to->part) {
            to->job->pace = to->part;
            orr_life_disturb(plan->world->life, to->job);
        }
        if (orr_holds(to->job) && to->batch.local)
            orr_life_tune(plan->world->life, to->job, to->batch);
    }
    plan->paces.n = 0;
}
