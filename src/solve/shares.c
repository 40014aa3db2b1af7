/* Max-min shares and finish-time fairness: targets that rise with one level, raised as far as they go by price cuts
 * (shares_prices.c) over classes of equal jobs. The level is t for max-min, and 1 / rho for finish-time fairness:
 * with D = isolated + left / isolated_speed, rho is kept if thr >= left / (rho D - elapsed), which is left s / (D -
 * elapsed s) at s = 1 / rho. */
#include "solve/shares.h"

#include "base/mem.h"
#include "solve/prices.h"
#include "solve/shares_class.h"

#include <math.h>

/* ---- plain sums ---- */

void orr_shares_even(const orr_share_problem *p, double *x)
{
    size_t types = (size_t)p->types;
    memset(x, 0, ((size_t)p->jobs + (size_t)p->pairs) * types * sizeof *x);
    for (int32_t j = 0; j < p->jobs; j++) {
        double *row = x + (size_t)j * types, sum = 0;
        for (size_t k = 0; p->gpus[j] > 0 && k < types; k++) {
            row[k] = fmax(p->capacity[k], 0) / p->jobs / p->gpus[j];
            sum += row[k];
        }
        for (size_t k = 0; sum > 1 && k < types; k++)
            row[k] /= sum;
    }
}

double orr_shares_speed(const orr_share_problem *p, const double *x, int32_t job)
{
    size_t types = (size_t)p->types;
    double sum = 0;
    for (size_t k = 0; k < types; k++)
        sum += p->speed[(size_t)job * types + k] * x[(size_t)job * types + k];
    for (size_t i = 0; i < (size_t)p->pairs; i++) {
        if (p->pair[i].a != job && p->pair[i].b != job)
            continue;
        size_t mine = p->pair[i].b == job;
        for (size_t k = 0; k < types; k++)
            sum += p->pair_speed[2 * (i * types + k) + mine] * x[((size_t)p->jobs + i) * types + k];
    }
    return sum;
}

/* ---- the greatest level of all classes ---- */

/* What the targets are computed from. */
typedef struct aims {
    orr_share_classes classes;
    const double *need;             /* max-min: of jobs */
    const orr_share_finish *finish; /* or finish-time fairness */
} aims;

static void need_targets(const void *self, double level, double *target, double *rise)
{
    const aims *a = self;
    for (int32_t i = 0; i < a->classes.count; i++) {
        rise[i] = a->need[a->classes.first[i]];
        target[i] = level * rise[i];
    }
}

static double alone(const orr_share_finish *f)
{
    return f->isolated + f->left / f->isolated_speed;
}

static void finish_targets(const void *self, double level, double *target, double *rise)
{
    const aims *a = self;
    for (int32_t i = 0; i < a->classes.count; i++) {
        const orr_share_finish *f = &a->finish[a->classes.first[i]];
        double time = alone(f), least = f->left * level / a->classes.fastest[i]; /* at `high`, but for rounding */
        double rest = fmax(time - f->elapsed * level, least);
        target[i] = f->left * level / rest;
        rise[i] = f->left * time / (rest * rest);
    }
}

/* The level that is reached; `high` if nobody has to run for it. */
static double raise_all(const orr_share_problem *p, aims *a, orr_price_task *task, double *x)
{
    const orr_share_classes *c = &a->classes;
    size_t types = (size_t)c->types, count = (size_t)c->count;
    if (!count) {
        orr_share_classes_hand_out(c, p, NULL, x);
        return task->high;
    }
    double *share = orr_xcalloc(count * types + 2 * types, sizeof *share);
    double *price = share + count * types, *left = price + types;
    task->jobs = c->count;
    task->types = c->types;
    task->speed = c->speed;
    task->size = c->size;
    task->room = c->room;
    task->self = a;
    orr_price_answer answer = orr_prices_raise(task, share, price, left);
    orr_share_classes_hand_out(c, p, share, x); /* which scales down by what is over */
    free(share);
    return answer.level / (1 + fmax(answer.over, 0));
}

double orr_shares_max_min(const orr_share_problem *p, const double *need, double *x)
{
    if (p->pairs > 0)
        return orr_packed_max_min(p, need, x);
    aims a = {.need = need};
    orr_price_task task = {.targets = need_targets, .high = INFINITY};
    bool hopeless = false;
    for (int32_t j = 0; j < p->jobs; j++) {
        double fastest = orr_share_fastest(p, j);
        hopeless |= need[j] > 0 && !(fastest > 0);
        if (need[j] > 0 && fastest > 0)
            task.high = fmin(task.high, fastest / need[j]);
    }
    orr_share_classes_init(&a.classes, p, need, 1);
    double level = raise_all(p, &a, &task, x);
    orr_share_classes_fini(&a.classes);
    return hopeless ? 0 : level;
}

/* left, elapsed and the time alone of each job; `left` is 0 where nothing is asked. Returns the greatest level that
 * could be. */
static double finish_keys(const orr_share_problem *p, const orr_share_finish *about, double *key, bool *hopeless)
{
    double high = INFINITY;
    for (int32_t j = 0; j < p->jobs; j++, key += 3) {
        const orr_share_finish *f = &about[j];
        double fastest = orr_share_fastest(p, j), time = f->left > 0 ? alone(f) : f->isolated;
        *hopeless |= f->left > 0 && !(fastest > 0);
        if (!(time > 0) || !(time < INFINITY) || (f->left > 0 && !(fastest > 0)))
            continue;
        high = fmin(high, time / (f->elapsed + (f->left > 0 ? f->left / fastest : 0)));
        key[0] = f->left;
        key[1] = f->elapsed;
        key[2] = time;
    }
    return high;
}

double orr_shares_finish(const orr_share_problem *p, const orr_share_finish *about, double *x)
{
    if (p->pairs > 0)
        return orr_packed_finish(p, about, x);
    aims a = {.finish = about};
    double *key = orr_xcalloc(3 * (size_t)p->jobs + 1, sizeof *key);
    bool hopeless = false;
    orr_price_task task = {.targets = finish_targets, .high = finish_keys(p, about, key, &hopeless)};
    orr_share_classes_init(&a.classes, p, key, 3);
    double level = raise_all(p, &a, &task, x);
    orr_share_classes_fini(&a.classes);
    free(key);
    return hopeless ? INFINITY : 1 / level;
}
