/* A query's budget dealt out over a tree of models (Nexus, §6.2): a dynamic program over budgets on a grid, from the
 * leaves up. With k steps for a stage and all below it, it takes j itself and leaves k - j to each of its children. */
#include <orrery/batching.h>

#include "base/mem.h"
#include "solve/limits.h"

static const double alike = 1e-12;

typedef struct splitter {
    const orr_split_stage *stages;
    int32_t n, grid; /* steps of the whole budget */
    double step;
    double *below;   /* [n][grid + 1] GPUs of all children that have k steps */
    int32_t *own;    /* [n][grid + 1] the stage's own steps */
    double *alone;   /* [grid + 1] GPUs of the stage itself */
    double all;      /* GPUs of the tree with the budget last looked at */
} splitter;

static size_t cell(const splitter *s, int32_t stage, int32_t k)
{
    return (size_t)stage * (size_t)(s->grid + 1) + (size_t)k;
}

static double gpus_alone(const orr_split_stage *stage, double budget)
{
    const int32_t batch = orr_batch_fastest(stage->times, budget / 2);
    return batch ? stage->rate / orr_batch_rate(stage->times, batch) : INFINITY;
}

/* GPUs of the stage and all below it, with k steps; how many are its own goes into *own. */
static double best_own(const splitter *s, int32_t stage, int32_t k, int32_t *own)
{
    double least = INFINITY;
    *own = 0;
    for (int32_t j = 1; j <= k; j++) {
        const double gpus = s->alone[j] + s->below[cell(s, stage, k - j)];
        if (gpus < least * (1 - alike) || (gpus < INFINITY && least == INFINITY)) {
            least = gpus;
            *own = j;
        }
    }
    return least;
}

static void solve_stage(splitter *s, int32_t stage, bool leaf)
{
    const orr_split_stage *here = &s->stages[stage];
    for (int32_t k = 0; k <= s->grid; k++)
        s->alone[k] = gpus_alone(here, k * s->step);
    for (int32_t k = 0; k <= s->grid; k++) {
        int32_t own = k;
        const double gpus = leaf ? s->alone[k] : best_own(s, stage, k, &own);
        s->own[cell(s, stage, k)] = own;
        if (stage)
            s->below[cell(s, here->parent, k)] += gpus;
        else
            s->all = gpus;
    }
}

static void hand_out(const splitter *s, double *budgets)
{
    int32_t *rest = orr_xcalloc((size_t)s->n, sizeof *rest); /* steps for what is below a stage */
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t k = i ? rest[s->stages[i].parent] : s->grid, own = s->own[cell(s, i, k)];
        budgets[i] = own * s->step;
        rest[i] = k - own;
    }
    free(rest);
}

static void solve_all(splitter *s)
{
    bool *parent = orr_xcalloc((size_t)s->n, sizeof *parent);
    for (int32_t i = 1; i < s->n; i++)
        parent[s->stages[i].parent] = true;
    for (int32_t i = s->n - 1; i >= 0; i--)
        solve_stage(s, i, !parent[i]);
    free(parent);
}

bool orr_split_budget(const orr_split_stage *stages, int32_t n, double budget, double step, double *budgets,
                      double *gpus)
{
    splitter s = {.stages = stages, .n = n, .grid = orr_round_down(budget / step), .step = step};
    const size_t cells = cell(&s, n, 0);
    s.below = orr_xcalloc(cells, sizeof *s.below);
    s.own = orr_xcalloc(cells, sizeof *s.own);
    s.alone = orr_xcalloc((size_t)s.grid + 1, sizeof *s.alone);
    solve_all(&s);
    const bool found = s.all < INFINITY;
    if (found)
        hand_out(&s, budgets);
    if (found && gpus)
        *gpus = s.all;
    free(s.below);
    free(s.own);
    free(s.alone);
    return found;
}
