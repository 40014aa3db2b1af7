/* The linear program over classes, by column generation: begin with the jobs alone; price every pair by the duals of
 * the last solve; add for each class the best of its pairs that improves; until none does. A round is O(columns) and
 * the pivots that it needs from the last basis on. See packed.h.
 */
#include "solve/packed.h"

#include "solve/lp.h"

#include "base/mem.h"

#include <math.h>

/* What a column must improve by, in units of the objective, which is near 1. */
static const double improves = 1e-10;

/* ---- rows and columns ---- */

/* A column of the program is a mean over the jobs of its smaller class. */
static double share_of(const orr_packed *c, const orr_packed_column *q)
{
    return q->b < 0 ? c->count[q->a] : fmin(c->count[q->a], c->count[q->b]);
}

static void add_end(orr_master *m, int32_t column, int32_t class_, double share, double speed)
{
    double part = share / m->of->count[class_];
    orr_lp_add(m->lp, m->time_row[class_], column, part);
    if (m->speed_row[class_] >= 0)
        orr_lp_add(m->lp, m->speed_row[class_], column, part * speed / m->unit[class_]);
}

static double gain_of(const orr_master *m, const orr_packed_column *q)
{
    return m->gain_unit > 0 ? q->gain * share_of(m->of, q) / m->gain_unit : 0;
}

static double gpus_of(const orr_packed *c, const orr_packed_column *q)
{
    return c->problem->gpus[c->first[q->a]] / c->problem->capacity[q->type];
}

static void enter(orr_master *m, orr_packed_column *q)
{
    double share = share_of(m->of, q);
    q->at = orr_lp_column(m->lp, gain_of(m, q), 0, INFINITY);
    add_end(m, q->at, q->a, share, q->speed_a);
    if (q->b >= 0)
        add_end(m, q->at, q->b, share, q->speed_b);
    orr_lp_add(m->lp, m->type_row[q->type], q->at, share * gpus_of(m->of, q));
}

static void add_rows(orr_master *m)
{
    const orr_packed *c = m->of;
    for (int32_t i = 0; i < c->classes; i++) {
        m->time_row[i] = orr_lp_row(m->lp, -INFINITY, 1);
        m->speed_row[i] = -1;
        m->rise[i] = 1;
        if (m->unit[i] <= 0)
            continue;
        m->speed_row[i] = orr_lp_row(m->lp, 0, INFINITY);
        orr_lp_add(m->lp, m->speed_row[i], m->t, -1);
    }
    for (int32_t k = 0; k < c->problem->types; k++)
        m->type_row[k] = orr_lp_row(m->lp, -INFINITY, 1);
}

void orr_master_init(orr_master *m, orr_packed *of, const double *unit)
{
    size_t classes = (size_t)of->classes;
    *m = (orr_master){.of = of, .unit = unit, .lp = orr_lp_create(true)};
    m->time_row = orr_xcalloc(classes, sizeof *m->time_row);
    m->speed_row = orr_xcalloc(classes, sizeof *m->speed_row);
    m->type_row = orr_xcalloc((size_t)of->problem->types, sizeof *m->type_row);
    m->rise = orr_xcalloc(classes, sizeof *m->rise);
    orr_lp_is_scaled(m->lp);
    m->t = orr_lp_column(m->lp, 1, 0, INFINITY);
    add_rows(m);
    for (int32_t q = 0; q < of->columns; q++)
        if (of->column[q].b < 0)
            enter(m, &of->column[q]);
}

void orr_master_fini(orr_master *m)
{
    orr_lp_destroy(m->lp);
    free(m->time_row);
    free(m->speed_row);
    free(m->type_row);
    free(m->rise);
    *m = (orr_master){0};
}

void orr_master_rise(orr_master *m, int32_t class_, double rise)
{
    if (m->speed_row[class_] < 0 || rise == m->rise[class_])
        return;
    orr_lp_put(m->lp, m->speed_row[class_], m->t, -rise);
    m->rise[class_] = rise;
}

void orr_master_least(orr_master *m, int32_t class_, double least)
{
    if (m->speed_row[class_] >= 0)
        orr_lp_set_row(m->lp, m->speed_row[class_], least, INFINITY);
}

void orr_master_maximise_gain(orr_master *m, double t)
{
    const orr_packed *c = m->of;
    for (int32_t q = 0; q < c->columns; q++)
        m->gain_unit = fmax(m->gain_unit, fabs(c->column[q].gain) * share_of(c, &c->column[q]));
    if (m->gain_unit <= 0)
        m->gain_unit = 1;
    orr_lp_set_cost(m->lp, m->t, 0);
    orr_lp_set_bounds(m->lp, m->t, t, t);
    for (int32_t q = 0; q < c->columns; q++)
        if (c->column[q].at >= 0)
            orr_lp_set_cost(m->lp, c->column[q].at, gain_of(m, &c->column[q]));
}

/* ---- prices ---- */

/* Of the last solve, for one unit of a column's time: of each class's time, of its speed, and of each type's GPUs. */
typedef struct prices {
    double *time, *speed, *type;
} prices;

static void read_prices(const orr_master *m, prices *of)
{
    const orr_packed *c = m->of;
    for (int32_t i = 0; i < c->classes; i++) {
        of->time[i] = orr_lp_dual(m->lp, m->time_row[i]) / c->count[i];
        of->speed[i] = m->speed_row[i] < 0 ? 0 : orr_lp_dual(m->lp, m->speed_row[i]) / (m->unit[i] * c->count[i]);
    }
    for (int32_t k = 0; k < c->problem->types; k++)
        of->type[k] = orr_lp_dual(m->lp, m->type_row[k]) / c->problem->capacity[k];
}

static double improvement(const orr_master *m, const prices *at, const orr_packed_column *q)
{
    double cost = at->time[q->a] + at->speed[q->a] * q->speed_a;
    if (q->b >= 0)
        cost += at->time[q->b] + at->speed[q->b] * q->speed_b;
    cost += at->type[q->type] * m->of->problem->gpus[m->of->first[q->a]];
    return gain_of(m, q) - cost * share_of(m->of, q);
}

typedef struct candidate {
    int32_t column; /* -1: none */
    double improvement;
} candidate;

static void keep_better(candidate *best, int32_t column, double by)
{
    if (by > best->improvement)
        *best = (candidate){column, by};
}

/* Fills for each class the best of its columns outside. */
static void price(const orr_master *m, const prices *at, candidate *best)
{
    const orr_packed *c = m->of;
    for (int32_t i = 0; i < c->classes; i++)
        best[i] = (candidate){-1, improves};
    for (int32_t i = 0; i < c->columns; i++) {
        const orr_packed_column *q = &c->column[i];
        if (q->at >= 0)
            continue;
        double by = improvement(m, at, q);
        if (by <= improves)
            continue;
        keep_better(&best[q->a], i, by);
        if (q->b >= 0)
            keep_better(&best[q->b], i, by);
    }
}

static bool enter_best(orr_master *m, prices *at, candidate *best)
{
    bool any = false;
    read_prices(m, at);
    price(m, at, best);
    for (int32_t i = 0; i < m->of->classes; i++)
        if (best[i].column >= 0 && m->of->column[best[i].column].at < 0) {
            enter(m, &m->of->column[best[i].column]);
            any = true;
        }
    return any;
}

bool orr_master_solve(orr_master *m)
{
    size_t classes = (size_t)m->of->classes;
    double *room = orr_xcalloc(2 * classes + (size_t)m->of->problem->types, sizeof *room);
    candidate *best = orr_xcalloc(classes, sizeof *best);
    prices at = {room, room + classes, room + 2 * classes};
    orr_lp_status status;
    do {
        status = orr_lp_solve(m->lp, NULL);
        m->rounds++;
    } while (status == ORR_LP_OPTIMAL && enter_best(m, &at, best));
    free(best);
    free(room);
    return status == ORR_LP_OPTIMAL;
}

double orr_master_t(const orr_master *m)
{
    return orr_lp_value(m->lp, m->t);
}

double orr_master_price(const orr_master *m, int32_t class_)
{
    return m->speed_row[class_] < 0 ? 0 : fmax(0, -orr_lp_dual(m->lp, m->speed_row[class_]));
}

/* ---- the solution ---- */

static size_t rows_of(const orr_share_problem *p)
{
    return (size_t)p->jobs + (size_t)p->pairs;
}

/* Fills what each job must be scaled by to have no more than all of its time. */
static void scale_jobs(const orr_share_problem *p, const double *x, double *scale)
{
    memset(scale, 0, (size_t)p->jobs * sizeof *scale);
    for (size_t row = 0; row < rows_of(p); row++)
        for (int32_t k = 0; k < p->types; k++) {
            double part = x[row * (size_t)p->types + (size_t)k];
            if (row < (size_t)p->jobs) {
                scale[row] += part;
                continue;
            }
            const orr_share_pair *pair = &p->pair[row - (size_t)p->jobs];
            scale[pair->a] += part, scale[pair->b] += part;
        }
    for (int32_t j = 0; j < p->jobs; j++)
        scale[j] = scale[j] > 1 ? 1 / scale[j] : 1;
}

static int32_t job_of_row(const orr_share_problem *p, size_t row)
{
    return row < (size_t)p->jobs ? (int32_t)row : p->pair[row - (size_t)p->jobs].a;
}

static void scale_types(const orr_share_problem *p, double *x)
{
    for (int32_t k = 0; k < p->types; k++) {
        double used = 0;
        for (size_t row = 0; row < rows_of(p); row++)
            used += p->gpus[job_of_row(p, row)] * x[row * (size_t)p->types + (size_t)k];
        if (used <= p->capacity[k])
            continue;
        for (size_t row = 0; row < rows_of(p); row++)
            x[row * (size_t)p->types + (size_t)k] *= p->capacity[k] / used;
    }
}

static void tidy(const orr_share_problem *p, double *x)
{
    size_t types = (size_t)p->types;
    double *scale = orr_xcalloc((size_t)p->jobs, sizeof *scale);
    for (size_t i = 0; i < rows_of(p) * types; i++)
        x[i] = x[i] < 1e-9 ? 0 : fmin(x[i], 1);
    scale_jobs(p, x, scale);
    for (size_t row = 0; row < rows_of(p); row++) {
        double by = scale[job_of_row(p, row)];
        if (row >= (size_t)p->jobs)
            by = fmin(by, scale[p->pair[row - (size_t)p->jobs].b]);
        for (size_t k = 0; k < types; k++)
            x[row * types + k] *= by;
    }
    scale_types(p, x);
    free(scale);
}

void orr_master_read(const orr_master *m, double *x)
{
    const orr_packed *c = m->of;
    for (size_t i = 0; i < rows_of(c->problem) * (size_t)c->problem->types; i++) {
        const orr_packed_column *q = c->column_of[i] < 0 ? NULL : &c->column[c->column_of[i]];
        x[i] = q == NULL || q->at < 0 ? 0 : orr_lp_value(m->lp, q->at) * share_of(c, q) / q->members;
    }
    tidy(c->problem, x);
}

void orr_master_losses(const orr_master *m, double *loss)
{
    const orr_packed *c = m->of;
    const size_t classes = (size_t)c->classes;
    double *room = orr_xcalloc(2 * classes + (size_t)c->problem->types, sizeof *room);
    prices at = {room, room + classes, room + 2 * classes};
    read_prices(m, &at);
    for (size_t i = 0; i < rows_of(c->problem) * (size_t)c->problem->types; i++) {
        const orr_packed_column *q = c->column_of[i] < 0 ? NULL : &c->column[c->column_of[i]];
        loss[i] = q == NULL ? INFINITY : fmax(0, -improvement(m, &at, q)) * m->gain_unit / share_of(c, q);
    }
    free(room);
}
