/* GPUs as kinds of machines: by type, and by when they are believed to be free. */
#include "sched/ctx.h"

#include <stdlib.h>

typedef struct busy { /* GPUs of a job that runs */
    int32_t type, gpus;
    double left; /* seconds */
} busy;

void orr_machines_find_free(orr_ctx *ctx, int32_t vc, orr_machines *m)
{
    *m = (orr_machines){0};
    for (int32_t k = 0; k < orr_cluster_types(ctx); k++) {
        const int32_t free = orr_scope_free(ctx, (orr_scope){.vc = vc, .types = (uint64_t)1 << k});
        if (!free)
            continue;
        m->type[m->kinds] = k;
        m->gpus[m->kinds++] = free;
        m->free += free;
    }
    m->free_kinds = m->kinds;
}

static int by_release(const void *a, const void *b)
{
    const busy *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->left < y->left ? -1 : x->left > y->left;
}

static int32_t list_busy(orr_ctx *ctx, const orr_plan *plan, const orr_line *running, busy *out)
{
    int32_t n = 0;
    for (size_t i = 0; i < running->n; i++) {
        const orr_alloc *held = orr_plan_held(plan, running->at[i]);
        if (!held || !orr_alloc_nodes(held))
            continue;
        const int32_t type = orr_node_type(ctx, orr_alloc_slices(held)->node);
        const double speed = orr_job_speed_on(ctx, running->at[i], type, orr_alloc_nodes(held) > 1);
        if (speed > 0)
            out[n++] = (busy){type, orr_job_gpus(running->at[i]), orr_est_remaining(ctx, running->at[i]) / speed};
    }
    return n;
}

void orr_machines_add_busy(orr_ctx *ctx, const orr_plan *plan, const orr_line *running, orr_machines *m)
{
    busy *all = orr_xcalloc(running->n + 1, sizeof *all);
    const int32_t n = list_busy(ctx, plan, running, all), together = n / ORR_MACHINES_BUSY + 1;
    if (n)
        qsort(all, (size_t)n, sizeof *all, by_release);
    for (int32_t i = 0, count = 0; i < n; i++) {
        const bool new = count == 0 || count == together || all[i].type != all[i - 1].type;
        const int32_t k = new ? m->kinds++ : m->kinds - 1;
        count = new ? 1 : count + 1;
        m->type[k] = all[i].type;
        m->ready[k] += (all[i].left - m->ready[k]) / count;
        m->gpus[k] += all[i].gpus;
    }
    free(all);
}
