/* Walks that preempt nobody: the head blocks, or what doesn't fit is skipped. */
#include "sched/list.h"

/* The queue's head, and on while it starts. O(1) when the head's shape is known to find no room. */
static void walk_blocking(orr_list *list, orr_plan *plan, group *g)
{
    for (orr_tree_at at = orr_tree_first(g->waiting); at; at = orr_tree_next(g->waiting, at)) {
        item *it = orr_list_item(list, g->waiting, at);
        if (orr_list_shape_blocked(list, it->job->shape) || !orr_list_start(list, plan, it))
            return;
    }
}

static bool eligible(const orr_list *list, const shape_queue *q, uint32_t shape, int64_t left)
{
    const orr_shape *asked = &list->ctx->world->shapes.at[shape];
    return q->cursor && (int64_t)asked->gpus * asked->milli <= left && !orr_list_shape_blocked(list, shape);
}

/* The next waiting job by rank among the shapes that may still find room. O(shapes): sizes that occur, not jobs. */
static shape_queue *next_shape(orr_list *list, const group *g)
{
    shape_queue *best = NULL;
    const item *first = NULL;
    int64_t left = orr_list_left(list, g);
    for (size_t i = 0; i < g->shapes.n; i++) {
        shape_queue *q = &list->shapes.at[g->shapes.at[i]];
        if (!eligible(list, q, g->shapes.at[i], left))
            continue;
        const item *it = orr_list_item(list, q->waiting, q->cursor);
        if (!first || orr_list_before(list, it, first)) {
            best = q;
            first = it;
        }
    }
    return best;
}

void orr_list_fill(orr_list *list, orr_plan *plan, group *g)
{
    orr_list_rewind(list, g);
    for (shape_queue *q; (q = next_shape(list, g)) != NULL;) {
        item *it = orr_list_item(list, q->waiting, q->cursor);
        if (orr_plan_held(plan, it->job) || orr_list_start(list, plan, it))
            q->cursor = orr_tree_next(q->waiting, q->cursor);
    }
}

void orr_list_walk(orr_list *list, orr_plan *plan, group *g)
{
    if (list->rules.hol == ORR_HOL_BLOCK)
        walk_blocking(list, plan, g);
    else
        orr_list_fill(list, plan, g);
}
