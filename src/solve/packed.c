/* Max-min shares and finish-time fairness with pairs, over the program of packed.h.
 *
 * Finish-time fairness asks for the least rho at which everyone has the speed
 *     need_j(rho) = left_j / (rho (isolated_j + left_j / isolated_speed_j) - elapsed_j).
 * At some rho the program for max-min gives t: enough if t >= 1. If it is less, its prices v say of every x that v ·
 * thr <= the program's best, t v · need(rho); so no rho will do at which v · need is more than that. v · need(rho)
 * falls and is convex, and its root is the next rho: Newton's method from below, which ends in a few steps since the
 * prices are those of a vertex.
 */
#include "solve/packed.h"
#include "solve/shares.h"

#include "base/mem.h"

#include <math.h>

static void clear(const orr_share_problem *p, double *x)
{
    memset(x, 0, ((size_t)p->jobs + (size_t)p->pairs) * (size_t)p->types * sizeof *x);
}

/* Fills thr of every job. O(rows types). */
static void all_speeds(const orr_share_problem *p, const double *x, double *speed)
{
    size_t types = (size_t)p->types;
    for (size_t j = 0; j < (size_t)p->jobs; j++) {
        speed[j] = 0;
        for (size_t k = 0; k < types; k++)
            speed[j] += p->speed[j * types + k] * x[j * types + k];
    }
    for (size_t i = 0; i < (size_t)p->pairs; i++)
        for (size_t k = 0; k < types; k++) {
            double part = x[((size_t)p->jobs + i) * types + k];
            speed[p->pair[i].a] += p->pair_speed[(i * types + k) * 2] * part;
            speed[p->pair[i].b] += p->pair_speed[(i * types + k) * 2 + 1] * part;
        }
}

/* More than t can be, and no more than a few times it: each job alone with the best, and all GPUs busy with pairs at
 * full speed. */
static double bound_of_t(const orr_packed *c, const double *need)
{
    double bound = INFINITY, asked = 0, given = 0;
    for (int32_t i = 0; i < c->classes; i++)
        if (need[i] > 0) {
            bound = fmin(bound, c->best[i] / need[i]);
            asked += c->count[i] * c->problem->gpus[c->first[i]] * need[i] / c->best[i];
        }
    for (int32_t k = 0; k < c->problem->types; k++)
        given += c->problem->capacity[k];
    return asked > 0 ? fmin(bound, 2 * given / asked) : bound;
}

static bool someone_stands_still(const orr_packed *c, const double *need)
{
    for (int32_t i = 0; i < c->classes; i++)
        if (need[i] > 0 && c->best[i] <= 0)
            return true;
    return false;
}

/* ---- max-min ---- */

static double reached(const orr_share_problem *p, const double *need, const double *x)
{
    double *speed = orr_xcalloc((size_t)p->jobs, sizeof *speed), t = INFINITY;
    all_speeds(p, x, speed);
    for (int32_t j = 0; j < p->jobs; j++)
        if (need[j] > 0)
            t = fmin(t, speed[j] / need[j]);
    free(speed);
    return t;
}

/* `of_class` has room for what each class needs. */
static double max_min(orr_packed *c, const double *need, double *of_class, double *x)
{
    double t = INFINITY;
    for (int32_t i = 0; i < c->classes; i++)
        of_class[i] = need[c->first[i]];
    if (someone_stands_still(c, of_class))
        return 0;
    double bound = bound_of_t(c, of_class);
    if (isinf(bound) || bound <= 0)
        return bound;
    for (int32_t i = 0; i < c->classes; i++)
        of_class[i] *= bound;
    orr_master m;
    orr_master_init(&m, c, of_class);
    orr_master_solve(&m);
    orr_master_read(&m, x);
    t = reached(c->problem, need, x);
    orr_master_fini(&m);
    return t;
}

static uint64_t *marks_of(const double *need, int32_t jobs)
{
    uint64_t *mark = orr_xcalloc((size_t)jobs, sizeof *mark);
    for (int32_t j = 0; j < jobs; j++)
        mark[j] = orr_packed_mark(&need[j], 1);
    return mark;
}

double orr_packed_max_min(const orr_share_problem *p, const double *need, double *x)
{
    orr_packed c;
    uint64_t *mark = marks_of(need, p->jobs);
    orr_packed_init(&c, p, mark, NULL);
    double *of_class = orr_xcalloc((size_t)c.classes, sizeof *of_class);
    clear(p, x);
    double t = max_min(&c, need, of_class, x);
    free(of_class);
    free(mark);
    orr_packed_fini(&c);
    return t;
}

/* ---- finish-time fairness ---- */

typedef struct finishing {
    orr_packed *c;
    const orr_share_finish *about; /* of jobs */
    orr_master m;
    double *unit; /* [classes] what each needs at the first rho, in units of the first t */
    double *best_x, *x, *speed;
    double best;
} finishing;

/* Seconds that the job would need alone with its even share, from its arrival on. INFINITY: that is for ever, so any
 * time is fair. */
static double alone(const orr_share_finish *f)
{
    return f->left > 0 ? f->isolated + f->left / f->isolated_speed : f->isolated;
}

static double ratio_at(const orr_share_finish *f, double speed)
{
    double fair = alone(f), time = f->left > 0 ? f->elapsed + f->left / speed : f->elapsed;
    return time > 0 && fair < INFINITY ? time / fair : 0;
}

/* 0: whoever has nothing left, or for ever. */
static double need_at(const orr_share_finish *f, double rho)
{
    double seconds = rho * alone(f) - f->elapsed;
    return f->left > 0 && seconds < INFINITY ? f->left / seconds : 0;
}

static double worst_ratio(finishing *f, const double *x)
{
    const orr_share_problem *p = f->c->problem;
    double worst = 0;
    all_speeds(p, x, f->speed);
    for (int32_t j = 0; j < p->jobs; j++)
        worst = fmax(worst, ratio_at(&f->about[j], f->speed[j]));
    return worst;
}

/* Less than rho can be: each alone with the best. */
static double least_ratio(const finishing *f)
{
    double least = 0;
    for (int32_t i = 0; i < f->c->classes; i++)
        least = fmax(least, ratio_at(&f->about[f->c->first[i]], f->c->best[i]));
    return least;
}

static double priced_need(const finishing *f, double rho)
{
    double sum = 0;
    for (int32_t i = 0; i < f->c->classes; i++)
        if (f->unit[i] > 0)
            sum += orr_master_price(&f->m, i) / f->unit[i] * need_at(&f->about[f->c->first[i]], rho);
    return sum;
}

/* The least rho >= `from` at which the prices of the last solve allow everyone's need. */
static double next_ratio(const finishing *f, double from, double worth)
{
    double low = from, high = fmax(f->best, from);
    if (priced_need(f, low) <= worth)
        return low;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (priced_need(f, middle) > worth)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void keep_if_best(finishing *f)
{
    const orr_share_problem *p = f->c->problem;
    orr_master_read(&f->m, f->x);
    double worst = worst_ratio(f, f->x);
    if (worst >= f->best)
        return;
    f->best = worst;
    memcpy(f->best_x, f->x, ((size_t)p->jobs + (size_t)p->pairs) * (size_t)p->types * sizeof *f->x);
}

static void descend(finishing *f, double rho)
{
    for (int step = 0; step < 100; step++) {
        for (int32_t i = 0; i < f->c->classes; i++)
            if (f->unit[i] > 0)
                orr_master_rise(&f->m, i, need_at(&f->about[f->c->first[i]], rho) / f->unit[i]);
        if (!orr_master_solve(&f->m))
            return;
        keep_if_best(f);
        double next = next_ratio(f, rho, orr_master_t(&f->m));
        if (next <= rho * (1 + 1e-13) || f->best <= next * (1 + 1e-10))
            return;
        rho = next;
    }
}

static double finish(finishing *f)
{
    for (int32_t i = 0; i < f->c->classes; i++)
        f->unit[i] = f->about[f->c->first[i]].left;
    if (someone_stands_still(f->c, f->unit))
        return INFINITY;
    double rho = least_ratio(f);
    if (isinf(rho))
        return rho;
    for (int32_t i = 0; i < f->c->classes; i++)
        f->unit[i] = need_at(&f->about[f->c->first[i]], rho);
    double t = bound_of_t(f->c, f->unit);
    if (isinf(t))
        return rho;
    for (int32_t i = 0; i < f->c->classes; i++)
        f->unit[i] *= t;
    orr_master_init(&f->m, f->c, f->unit);
    f->best = INFINITY;
    descend(f, rho);
    orr_master_fini(&f->m);
    return f->best;
}

/* need_j(rho) is 1 / (rho of[1] - of[0]): where these are equal, as for all jobs of a kind that just came, so is all
 * that matters. */
static uint64_t *marks_of_finish(const orr_share_finish *about, int32_t jobs)
{
    uint64_t *mark = orr_xcalloc((size_t)jobs, sizeof *mark);
    for (int32_t j = 0; j < jobs; j++) {
        const orr_share_finish *f = &about[j];
        double of[] = {f->elapsed / f->left, f->isolated / f->left + 1 / f->isolated_speed, 1};
        double of_ended[] = {f->elapsed, f->isolated, 0};
        mark[j] = orr_packed_mark(f->left > 0 ? of : of_ended, 3);
    }
    return mark;
}

double orr_packed_finish(const orr_share_problem *p, const orr_share_finish *about, double *x)
{
    orr_packed c;
    uint64_t *mark = marks_of_finish(about, p->jobs);
    orr_packed_init(&c, p, mark, NULL);
    finishing f = {.c = &c, .about = about, .best_x = x};
    f.unit = orr_xcalloc((size_t)c.classes, sizeof *f.unit);
    f.x = orr_xcalloc(((size_t)p->jobs + (size_t)p->pairs) * (size_t)p->types, sizeof *f.x);
    f.speed = orr_xcalloc((size_t)p->jobs, sizeof *f.speed);
    clear(p, x);
    double rho = finish(&f);
    free(f.speed);
    free(f.x);
    free(f.unit);
    free(mark);
    orr_packed_fini(&c);
    return rho;
}
