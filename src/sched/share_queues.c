/* Rounds by shares: ORR_SHARES_QUEUES, AlloX as the reference has it. Whoever is first in the queue of a machine has
 * all of it, until the job ends. */
#include "sched/share_rounds.h"

#include <orrery/solve.h>

#include <math.h>
#include <stdlib.h>

typedef struct table { /* rows x (rows x machines) */
    orr_share_rounds *r;
    const orr_share_problem *p;
    orr_share_row *const *all; /* [p->jobs] */
    int32_t rows, machines;
    int32_t *row, *machine; /* which of all; the type */
} table;

/* Jobs with a GPU keep it; its machines are the other GPUs, by the types' names: that is the order of its columns. */
static void find_machines(table *t)
{
    for (int32_t i = t->p->types - 1; i >= 0; i--) {
        const int32_t type = t->r->visit[i];
        int32_t left = (int32_t)t->p->capacity[type];
        for (int32_t j = 0; j < t->p->jobs; j++)
            left -= t->all[j]->given == type + 1;
        while (left-- > 0)
            t->machine[t->machines++] = type;
    }
}

static void find_rows(table *t)
{
    for (int32_t j = 0; j < t->p->jobs; j++)
        if (!t->all[j]->given)
            t->row[t->rows++] = j;
    const int32_t part = (int32_t)(t->r->rules.queue_part * t->rows), most = part > t->machines ? part : t->machines;
    t->rows = t->rows < most ? t->rows : most;
}

static table table_of(orr_share_rounds *r, const orr_share_view *view, orr_share_row *const *rows)
{
    const orr_share_problem *p = &view->problem;
    double numbers = p->jobs + 1;
    for (int32_t k = 0; k < p->types; k++)
        numbers += p->capacity[k];
    table t = {.r = r, .p = p, .all = rows, .row = orr_xcalloc((size_t)numbers, sizeof *t.row)};
    t.machine = t.row + p->jobs;
    find_machines(&t);
    find_rows(&t);
    return t;
}

/* All machines at position 1, then at 2, and so on, with the time since it came as a constant of each row. Which of
 * several best matchings comes out hangs on how these doubles were rounded, so that they are computed as there. */
static void fill_costs(const table *t, double *time, double *cost)
{
    for (int32_t i = 0; i < t->rows; i++) {
        orr_share_row *row = t->all[t->row[i]];
        const double here = orr_share_clock(t->r) - orr_time_seconds(row->a->submit);
        for (int32_t k = 0; k < t->p->types; k++)
            time[k] = orr_share_steps(t->r, row) / fmax(orr_share_rate(t->r, row, k), 1e-10);
        for (int32_t p = 1; p <= t->rows; p++)
            for (int32_t m = 0; m < t->machines; m++)
                *cost++ = p * time[t->machine[m]] + here;
    }
}

/* Whoever has the greatest position on a machine is its first. */
static void give(const table *t, const int32_t *to)
{
    for (int32_t m = 0; m < t->machines; m++) {
        int32_t first = -1;
        for (int32_t i = 0; i < t->rows; i++)
            if (to[i] % t->machines == m && (first < 0 || to[i] > to[first]))
                first = i;
        if (first >= 0 && t->p->speed[t->row[first] * t->p->types + t->machine[m]] > 0)
            t->all[t->row[first]]->given = t->machine[m] + 1;
    }
}

static void match(const table *t)
{
    const size_t columns = (size_t)t->rows * (size_t)t->machines;
    double *time = orr_xcalloc((size_t)t->p->types + columns * (size_t)t->rows, sizeof *time);
    int32_t *to = orr_xcalloc((size_t)t->rows, sizeof *to);
    fill_costs(t, time, time + t->p->types);
    orr_assign_least(time + t->p->types, t->rows, t->rows * t->machines, to);
    give(t, to);
    free(time);
    free(to);
}

void orr_share_queues(orr_share_rounds *r, const orr_share_view *view, orr_share_row *const *rows, double *x)
{
    const table t = table_of(r, view, rows);
    if (t.rows && t.machines)
        match(&t);
    free(t.row);
    for (int32_t j = 0; j < t.p->jobs; j++)
        if (rows[j]->given)
            x[j * t.p->types + rows[j]->given - 1] = 1;
}
