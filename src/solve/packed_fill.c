/* Progressive filling with pairs, over the program of packed.h: see <orrery/shares.h> for what it means.
 *
 * A stage raises all levels that rise by t times their weights, t as great as can be. Whoever's row has a price then
 * has the same speed in every best solution, so it is saturated; at least one is, since the prices add up to 1 over
 * those that rise. Others may be saturated, too, without a price in this solution: the next stage, which then raises
 * nothing, finds out by its prices. So no more stages than classes, without a program for each job and without
 * integers.
 */
#include "solve/packed.h"
#include "solve/shares.h"

#include "base/mem.h"

#include <math.h>

typedef struct filling {
    orr_packed *c;
    const orr_share_fill *how;
    orr_master m;
    double *unit, *level; /* [classes] the speed of level 1; the level, in units of what the first stage could reach */
    double *rise;         /* [classes] of this stage; 0: saturated, or waits for its turn */
    double *total;        /* [entities] weights of those that can still rise; less than 0: somebody rises, alone */
    bool *saturated;      /* [classes] */
} filling;

static double weight_of(const filling *f, int32_t class_)
{
    return f->how->weight[f->c->first[class_]];
}

static int32_t entity_of(const filling *f, int32_t class_)
{
    return f->how->entity[f->c->first[class_]];
}

/* Inside an entity the oldest alone: every job is a class of its own then. */
static void rise_of_oldest(filling *f)
{
    memset(f->total, 0, (size_t)f->how->entities * sizeof *f->total);
    for (int32_t i = 0; i < f->c->classes; i++) {
        f->rise[i] = 0;
        if (f->saturated[i] || f->total[entity_of(f, i)] < 0)
            continue;
        f->rise[i] = f->how->entity_weight[entity_of(f, i)];
        f->total[entity_of(f, i)] = -1;
    }
}

static void rise_by_entity(filling *f)
{
    memset(f->total, 0, (size_t)f->how->entities * sizeof *f->total);
    for (int32_t i = 0; i < f->c->classes; i++)
        if (!f->saturated[i])
            f->total[entity_of(f, i)] += f->c->count[i] * weight_of(f, i);
    for (int32_t i = 0; i < f->c->classes; i++)
        f->rise[i] =
            f->saturated[i] ? 0 : f->how->entity_weight[entity_of(f, i)] * weight_of(f, i) / f->total[entity_of(f, i)];
}

/* Fills the rises, the greatest 1. False: nobody can rise any more. */
static bool next_rises(filling *f)
{
    if (f->how->entity == NULL)
        for (int32_t i = 0; i < f->c->classes; i++)
            f->rise[i] = f->saturated[i] ? 0 : weight_of(f, i);
    else if (f->how->fifo)
        rise_of_oldest(f);
    else
        rise_by_entity(f);
    double most = 0;
    for (int32_t i = 0; i < f->c->classes; i++)
        most = fmax(most, f->rise[i]);
    for (int32_t i = 0; most > 0 && i < f->c->classes; i++)
        f->rise[i] /= most;
    return most > 0;
}

/* Those that rose and have a price, of all prices together 1e-7 at least: less may be no more than an error of
 * rounding. */
static void saturate(filling *f)
{
    for (int32_t i = 0; i < f->c->classes; i++)
        if (f->rise[i] > 0 && orr_master_price(&f->m, i) * f->rise[i] > 1e-7)
            f->saturated[i] = true;
}

static void raise_levels(filling *f, double t)
{
    for (int32_t i = 0; i < f->c->classes; i++)
        f->level[i] += t * f->rise[i];
}

/* The units of speed: what anybody's need times this can be, so that t comes near 1. */
static void choose_units(filling *f)
{
    const orr_packed *c = f->c;
    double reach = 0;
    for (int32_t i = 0; i < c->classes; i++)
        if (c->best[i] > 0 && f->rise[i] > 0) {
            double alone = c->best[i] / f->how->need[c->first[i]] / f->rise[i];
            reach = reach > 0 ? fmin(reach, alone) : alone;
        }
    for (int32_t i = 0; i < c->classes; i++)
        f->unit[i] = f->saturated[i] ? 0 : f->how->need[c->first[i]] * reach;
}

/* Everyone's level is kept but for `slack` of it. */
static void hold_levels(filling *f, double slack)
{
    for (int32_t i = 0; i < f->c->classes; i++)
        orr_master_least(&f->m, i, f->level[i] * (1 - slack));
}

/* A level may be reached but for the tolerance of the solver, and two such can exclude each other. */
static bool solve_stage(filling *f)
{
    for (int32_t i = 0; i < f->c->classes; i++)
        orr_master_rise(&f->m, i, f->rise[i]);
    for (double slack = 0; slack < 1e-6; slack = fmax(1e-9, slack * 10)) {
        hold_levels(f, slack);
        if (orr_master_solve(&f->m))
            return true;
    }
    return false;
}

/* Leaves in x the last solution that was found: where a limit is reached, the levels of the stages before it. */
static void fill(filling *f, double *x)
{
    for (int32_t i = 0; i < f->c->classes; i++)
        f->saturated[i] = f->c->best[i] <= 0;
    if (!next_rises(f))
        return;
    choose_units(f);
    orr_master_init(&f->m, f->c, f->unit);
    do {
        if (!solve_stage(f))
            break;
        raise_levels(f, orr_master_t(&f->m));
        saturate(f);
    } while (next_rises(f));
    orr_master_read(&f->m, x);
    orr_master_fini(&f->m);
}

static uint64_t *marks_of(const orr_share_problem *p, const orr_share_fill *how)
{
    uint64_t *mark = orr_xcalloc((size_t)p->jobs, sizeof *mark);
    for (int32_t j = 0; j < p->jobs; j++) {
        bool in_turn = how->entity != NULL && how->fifo;
        double of[] = {how->need[j], how->weight[j], how->entity != NULL ? how->entity[j] : 0, in_turn ? j : 0};
        mark[j] = orr_packed_mark(of, 4);
    }
    return mark;
}

void orr_packed_fill(const orr_share_problem *p, const orr_share_fill *how, double *x)
{
    orr_packed c;
    uint64_t *mark = marks_of(p, how);
    orr_packed_init(&c, p, mark, NULL);
    size_t n = (size_t)c.classes;
    filling f = {.c = &c, .how = how};
    double *room = orr_xcalloc(3 * n + (size_t)how->entities, sizeof *room);
    f.unit = room, f.level = room + n, f.rise = room + 2 * n, f.total = room + 3 * n;
    f.saturated = orr_xcalloc(n, sizeof *f.saturated);
    memset(x, 0, ((size_t)p->jobs + (size_t)p->pairs) * (size_t)p->types * sizeof *x);
    fill(&f, x);
    free(f.saturated);
    free(room);
    free(mark);
    orr_packed_fini(&c);
}
