/* Progressive filling in at most as many steps as there are types.
 *
 * All levels rise until the types' room allows no more, each job no further than its fastest type can carry it. The
 * prices that stop them (shares_prices.c) name the types that are now full: whoever would have to pay can't rise any
 * more, since that type is used as sparingly as it can be, and whoever doesn't pay never gets any of it from now on.
 * So for the next step full types are barred to those who can still rise, and they go on, no further than their
 * fastest type of the rest. Those who can't keep their levels, not their mixes. Each step fills at least one type.
 *
 * Who rises how fast: each job by its weight; or an entity's amount, entity weight times level, goes to its jobs by
 * weight until each has what it can take, or to its jobs in order (fifo).
 */
#include "base/mem.h"
#include "solve/prices.h"
#include "solve/shares.h"
#include "solve/shares_class.h"

#include <math.h>

#define NEAR 1e-11  /* levels this near to each other are equal */
#define SLACK 4e-12 /* let go of after each step, so that full types aren't over by rounding */
#define PRICED 1e-6 /* a price below this part of all is none, and so is room left below it */

/* A class of jobs while they rise. */
typedef struct riser {
    double need, weight; /* of one job */
    double jobs;
    double level, want; /* of one job: reached, and how far it can still rise in this step */
    int32_t entity;
} riser;

/* The risers of an entity: a part of `order`. */
typedef struct queue {
    int32_t first, count;
} queue;

typedef struct fill {
    orr_share_classes classes;
    const orr_share_fill *how;
    riser *risers;  /* [classes] */
    int32_t *order; /* [classes]: by entity, and inside by who has enough first; fifo: by age */
    double *reach;  /* [classes], as `order`: want / weight */
    double *enough; /* [classes], as `order`: the entity's amount at which this one and all before it have enough */
    queue *queues;  /* [entities] */
    bool *full;     /* [types] */
    double *share, *price, *left;
} fill;

/* ---- how far each is at a level of this step ---- */

/* The first of the queue that doesn't have enough when the entity has dealt out `amount`. */
static int32_t first_short(const fill *f, const queue *q, double amount)
{
    int32_t low = q->first, high = q->first + q->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (f->enough[middle] <= amount)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put(const fill *f, int32_t at, double gain, double pace, double *target, double *rise)
{
    int32_t i = f->order[at];
    const riser *r = &f->risers[i];
    target[i] = r->need * (r->level + fmin(gain, r->want));
    rise[i] = r->need * pace;
}

/* One after another: before `now` all have enough, behind it nobody has anything yet. */
static void deal_in_order(const fill *f, const queue *q, double amount, double pace, double *target, double *rise)
{
    int32_t now = first_short(f, q, amount);
    double before = now > q->first ? f->enough[now - 1] : 0;
    for (int32_t at = q->first; at < q->first + q->count; at++)
        put(f, at, at < now ? INFINITY : at > now ? 0 : amount - before, at == now ? pace : 0, target, rise);
}

/* By weight: before `now` all have enough, the others are equally far, between the reaches of `now` and the one
 * before it. */
static void deal_by_weight(const fill *f, const queue *q, double amount, double pace, double *target, double *rise)
{
    int32_t now = first_short(f, q, amount), end = q->first + q->count;
    double weights = 0;
    for (int32_t at = now; at < end; at++)
        weights += f->risers[f->order[at]].jobs * f->risers[f->order[at]].weight;
    double far = now < end ? f->reach[now] - (f->enough[now] - amount) / weights : 0;
    for (int32_t at = q->first; at < end; at++) {
        double weight = f->risers[f->order[at]].weight;
        put(f, at, at < now ? INFINITY : weight * far, at < now ? 0 : weight * pace / weights, target, rise);
    }
}

static void each_alone(const fill *f, double level, double *target, double *rise)
{
    for (int32_t i = 0; i < f->classes.count; i++) {
        const riser *r = &f->risers[i];
        bool rises = r->weight * level < r->want;
        target[i] = r->need * (r->level + (rises ? r->weight * level : r->want));
        rise[i] = rises ? r->need * r->weight : 0;
    }
}

static void fill_targets(const void *self, double level, double *target, double *rise)
{
    const fill *f = self;
    if (!f->how->entity) {
        each_alone(f, level, target, rise);
        return;
    }
    for (int32_t e = 0; e < f->how->entities; e++) {
        double pace = f->how->entity_weight[e];
        (f->how->fifo ? deal_in_order : deal_by_weight)(f, &f->queues[e], pace * level, pace, target, rise);
    }
}

/* ---- the queues of a step ---- */

static int by_enough(const fill *f, int32_t a, int32_t b)
{
    const riser *x = &f->risers[a], *y = &f->risers[b];
    if (x->entity != y->entity)
        return x->entity < y->entity ? -1 : 1;
    double mine = x->want / x->weight, other = y->want / y->weight;
    if (!f->how->fifo && (mine < other || mine > other))
        return mine < other ? -1 : 1;
    return a < b ? -1 : 1;
}

static void merge(const fill *f, int32_t *to, const int32_t *a, size_t na, const int32_t *b, size_t nb)
{
    while (na || nb) {
        bool left = na && (!nb || by_enough(f, *a, *b) < 0);
        *to++ = left ? *a++ : *b++;
        left ? na-- : nb--;
    }
}

/* Merge sort: qsort can't be told of `f`. */
static void sort_risers(const fill *f, int32_t *v, int32_t *room, size_t n)
{
    if (n < 2)
        return;
    size_t half = n / 2;
    sort_risers(f, v, room, half);
    sort_risers(f, v + half, room, n - half);
    memcpy(room, v, n * sizeof *v);
    merge(f, v, room, half, room + half, n - half);
}

static void line_up(fill *f)
{
    int32_t n = f->classes.count;
    int32_t *room = orr_xcalloc((size_t)n, sizeof *room);
    for (int32_t i = 0; i < n; i++)
        f->order[i] = i;
    sort_risers(f, f->order, room, (size_t)n);
    free(room);
    memset(f->queues, 0, (size_t)f->how->entities * sizeof *f->queues);
    for (int32_t at = 0; at < n; at++) {
        const riser *r = &f->risers[f->order[at]];
        queue *q = &f->queues[r->entity];
        q->first = q->count++ ? q->first : at;
        f->reach[at] = r->want / r->weight;
    }
}

/* What the entity has dealt out when each of its jobs has enough; walked from behind for the weights. */
static void sum_up(fill *f, const queue *q)
{
    double wants = 0, weights = 0;
    for (int32_t at = q->first + q->count - 1; at >= q->first; at--) {
        const riser *r = &f->risers[f->order[at]];
        f->enough[at] = f->how->fifo ? 0 : f->reach[at] * weights;
        weights += r->jobs * r->weight;
    }
    for (int32_t at = q->first; at < q->first + q->count; at++) {
        const riser *r = &f->risers[f->order[at]];
        wants += r->jobs * r->want;
        f->enough[at] += wants;
    }
}

/* Sets up the step; the level at which everybody has enough, 0: nobody can rise. */
static double prepare(fill *f)
{
    double high = 0;
    if (!f->how->entity) {
        for (int32_t i = 0; i < f->classes.count; i++)
            high = fmax(high, f->risers[i].want / f->risers[i].weight);
        return high;
    }
    line_up(f);
    for (int32_t e = 0; e < f->how->entities; e++) {
        const queue *q = &f->queues[e];
        sum_up(f, q);
        if (q->count)
            high = fmax(high, f->enough[q->first + q->count - 1] / f->how->entity_weight[e]);
    }
    return high;
}

/* ---- full types ---- */

/* How far the types that aren't full can carry a class. */
static double cap(const fill *f, int32_t i)
{
    const double *speed = f->classes.speed + (size_t)i * (size_t)f->classes.types;
    double best = 0;
    for (int32_t k = 0; k < f->classes.types; k++)
        best = f->full[k] ? best : fmax(best, speed[k]);
    return best / f->risers[i].need;
}

static void bar_full(fill *f)
{
    for (int32_t i = 0; i < f->classes.count; i++) {
        riser *r = &f->risers[i];
        double most = cap(f, i), *speed = f->classes.speed + (size_t)i * (size_t)f->classes.types;
        if (r->level >= most * (1 - NEAR)) {
            r->want = 0;
            continue;
        }
        r->want = most - r->level;
        for (int32_t k = 0; k < f->classes.types; k++)
            speed[k] = f->full[k] ? 0 : speed[k];
    }
}

/* The types that have a price, of what those have that weren't full before, and no room; the dearest if rounding
 * leaves none. */
static void mark_full(fill *f)
{
    int32_t dearest = -1;
    double all = 0;
    bool any = false;
    for (int32_t k = 0; k < f->classes.types; k++)
        if (!f->full[k]) {
            all += f->price[k];
            dearest = dearest < 0 || f->price[k] > f->price[dearest] ? k : dearest;
        }
    for (int32_t k = 0; k < f->classes.types; k++)
        if (!f->full[k])
            any |= f->full[k] = f->price[k] > PRICED * all && f->left[k] < PRICED;
    if (!any && dearest >= 0)
        f->full[dearest] = true;
}

/* ---- the steps ---- */

static void settle(fill *f, double level)
{
    double *target = orr_xcalloc(2 * (size_t)f->classes.count, sizeof *target);
    fill_targets(f, level, target, target + f->classes.count);
    for (int32_t i = 0; i < f->classes.count; i++)
        f->risers[i].level = target[i] / f->risers[i].need * (1 - SLACK);
    free(target);
}

/* False: nobody could rise. */
static bool step(fill *f)
{
    const orr_share_classes *c = &f->classes;
    bar_full(f);
    orr_price_task task = {.jobs = c->count, .types = c->types, .speed = c->speed, .size = c->size, .room = c->room};
    task.targets = fill_targets;
    task.self = f;
    task.high = prepare(f);
    if (!(task.high > 0))
        return false;
    orr_price_answer answer = orr_prices_raise(&task, f->share, f->price, f->left);
    settle(f, answer.level);
    if (answer.full)
        mark_full(f);
    return answer.full;
}

static void set_up(fill *f, const orr_share_problem *p, const orr_share_fill *how)
{
    size_t jobs = (size_t)p->jobs;
    double *key = orr_xcalloc(4 * jobs + 1, sizeof *key);
    for (size_t j = 0; j < jobs; j++) {
        key[4 * j] = how->need[j];
        key[4 * j + 1] = how->weight[j];
        key[4 * j + 2] = how->entity ? how->entity[j] : 0;
        key[4 * j + 3] = how->entity && how->fifo ? (double)j : 0; /* each has its own turn */
    }
    *f = (fill){.how = how};
    orr_share_classes_init(&f->classes, p, key, 4);
    free(key);
    size_t count = (size_t)f->classes.count, types = (size_t)f->classes.types;
    f->risers = orr_xcalloc(count + 1, sizeof *f->risers);
    f->order = orr_xcalloc(count + 1, sizeof *f->order);
    f->queues = orr_xcalloc((size_t)how->entities + 1, sizeof *f->queues);
    f->full = orr_xcalloc(types + 1, sizeof *f->full);
    f->reach = orr_xcalloc(2 * count + (count + 2) * types + 1, sizeof *f->reach);
    f->enough = f->reach + count;
    f->share = f->enough + count;
    f->price = f->share + count * types;
    f->left = f->price + types;
    for (size_t i = 0; i < count; i++) {
        int32_t j = f->classes.first[i];
        f->risers[i] = (riser){.need = how->need[j], .weight = how->weight[j], .jobs = f->classes.jobs[i]};
        f->risers[i].entity = how->entity ? how->entity[j] : 0;
    }
}

static void tear_down(fill *f)
{
    orr_share_classes_fini(&f->classes);
    free(f->risers);
    free(f->order);
    free(f->queues);
    free(f->full);
    free(f->reach);
}

void orr_shares_fill(const orr_share_problem *p, const orr_share_fill *how, double *x)
{
    if (p->pairs > 0) {
        orr_packed_fill(p, how, x);
        return;
    }
    fill f;
    set_up(&f, p, how);
    while (step(&f))
        continue;
    orr_share_classes_hand_out(&f.classes, p, f.share, x);
    tear_down(&f);
}
