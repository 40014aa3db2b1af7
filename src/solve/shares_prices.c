/* Price cuts (Kelley; Dantzig and Wolfe seen from the prices).
 *
 * At a level s and prices q of the types, each job's cheapest mix for its target is closed form (shares_mix.c). F(q,
 * s), what all of them cost less what the room is worth, is concave in q and rises with s, and s can be reached if
 * and only if F(q, s) <= 0 at all prices. So any prices with F > 0 are a proof against s, and the root of F(q, ·) is
 * a bound. The loads of the mixes found at each are a cut, a plane over q that lies above F; the prices to try next
 * are those where the least of all cuts is greatest, which is a game (shares_game.c) whose other side says how to mix
 * the mixes. It ends when that mix fits: then the level is both bound and reached.
 *
 * When the level falls, older cuts are moved along the slopes of their loads. That is not exact, so no end is
 * believed before the cuts in the mix have been computed anew.
 */
#include "base/mem.h"
#include "solve/prices.h"

#include <math.h>

enum { MOST_CUTS = 96 };
#define FITS 1e-12

typedef struct cut {
    double level; /* at which load and slope hold */
    double *price, *load, *slope;
} cut;

typedef struct search {
    const orr_price_task *task;
    size_t types;
    double level, low; /* of `low` it is known that it can be reached */
    double *target, *rise;
    double *money; /* [types]: a unit of load of each, at the prices looked at */
    cut cuts[MOST_CUTS];
    int32_t count, steps;
    double *cost; /* [MOST_CUTS][types]: overloads of the cuts at `level` */
    int32_t *row; /* of the mix */
    double *part;
    int32_t mixed;
    double *price; /* where the cuts are greatest */
    double over;
    double *best; /* the prices that set the level */
    double *store;
    cut spare;
} search;

/* ---- one look at all jobs ---- */

static void set_money(search *s, const double *price)
{
    for (size_t k = 0; k < s->types; k++)
        s->money[k] = price[k] / s->task->room[k];
}

static void add_load(cut *c, const orr_mix *m, double size, double rise)
{
    double moved = size * m->step * rise;
    c->load[m->fast] += size * m->fast_part;
    c->slope[m->fast] += moved;
    if (m->slow < 0)
        return;
    c->load[m->slow] += size * m->slow_part;
    c->slope[m->slow] -= moved;
}

/* Fills the cut at these prices and this level; loads are parts of the room. */
static void look(search *s, const double *price, double level, cut *out)
{
    const orr_price_task *t = s->task;
    s->steps++;
    out->level = level;
    memmove(out->price, price, s->types * sizeof *price);
    memset(out->load, 0, s->types * sizeof *out->load);
    memset(out->slope, 0, s->types * sizeof *out->slope);
    set_money(s, out->price);
    t->targets(t->self, level, s->target, s->rise);
    for (int32_t j = 0; j < t->jobs; j++) {
        orr_mix m = orr_mix_cheapest(t->speed + (size_t)j * s->types, s->money, t->types, s->target[j]);
        if (m.fast >= 0)
            add_load(out, &m, t->size[j], s->rise[j]);
    }
    for (size_t k = 0; k < s->types; k++) {
        out->load[k] /= t->room[k];
        out->slope[k] /= t->room[k];
    }
}

/* F at the cut's own prices and level, and its slope over the level. */
static double excess(const search *s, const cut *c, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (size_t k = 0; k < s->types; k++) {
        sum += c->price[k] * (c->load[k] - 1);
        *slope += c->price[k] * c->slope[k];
    }
    return sum;
}

/* ---- the cuts ---- */

static void swap_cuts(cut *a, cut *b)
{
    cut keep = *a;
    *a = *b;
    *b = keep;
}

/* Keeps what is in `spare` as a cut; where there is no place, in that of the one that is slackest at the prices
 * looked at. */
static void keep_spare(search *s)
{
    int32_t at = s->count;
    if (at == MOST_CUTS) {
        double most = -INFINITY;
        for (int32_t i = 0; i < MOST_CUTS; i++) {
            double sum = 0;
            for (size_t k = 0; k < s->types; k++)
                sum += s->price[k] * s->cost[(size_t)i * s->types + k];
            if (sum > most) {
                most = sum;
                at = i;
            }
        }
    } else {
        s->count++;
    }
    swap_cuts(&s->cuts[at], &s->spare);
}

static void play(search *s)
{
    for (int32_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->types; k++)
            s->cost[(size_t)i * s->types + k] =
                s->cuts[i].load[k] - 1 + s->cuts[i].slope[k] * (s->level - s->cuts[i].level);
    s->mixed = orr_game_solve(s->cost, s->count, s->task->types, &s->over, s->price, s->row, s->part);
}

/* Computes the cuts of the mix anew where they were moved. False: none was. */
static bool renew_mixed(search *s)
{
    bool any = false;
    for (int32_t i = 0; i < s->mixed; i++) {
        cut *c = &s->cuts[s->row[i]];
        if (c->level <= s->level && c->level >= s->level)
            continue;
        look(s, c->price, s->level, c);
        any = true;
    }
    return any;
}

/* ---- levels ---- */

/* Lowers the level to where the prices of `spare`, at which it costs too much, allow it: roughly as long as it was
 * far off, but never to where it would cost too little (but by rounding). Newton's steps, kept between what is known
 * on either side. */
static void lower(search *s)
{
    double slope, over = excess(s, &s->spare, &slope), low = s->low, at = s->level;
    double enough = fmax(over / 16, FITS / 8);
    memcpy(s->best, s->spare.price, s->types * sizeof *s->best);
    for (int32_t i = 0; i < 100 && !(over >= 0 && over <= enough); i++) {
        at -= over / slope;
        if (!(at > low && at < s->level))
            at = low + (s->level - low) / 2;
        if (!(at > low && at < s->level)) { /* neighbours among the numbers that there are */
            s->level = low;
            return;
        }
        look(s, s->best, at, &s->spare);
        over = excess(s, &s->spare, &slope);
        if (over >= 0)
            s->level = at;
        else
            low = at;
    }
}

/* The mix fits, and its cuts are all of this level. */
static bool fits(search *s)
{
    play(s);
    while (s->over <= FITS && renew_mixed(s))
        play(s);
    return s->over <= FITS;
}

static void climb_down(search *s)
{
    double slope;
    for (size_t k = 0; k < s->types; k++)
        s->price[k] = 1 / (double)s->types;
    do {
        look(s, s->price, s->level, &s->spare);
        if (excess(s, &s->spare, &slope) > FITS / 2)
            lower(s);
        keep_spare(s);
    } while (!fits(s) && s->steps < ORR_PRICES_STEPS);
}

/* ---- the answer ---- */

static void add_mix(const orr_mix *m, double part, double *x)
{
    if (m->fast >= 0)
        x[m->fast] += part * m->fast_part;
    if (m->slow >= 0)
        x[m->slow] += part * m->slow_part;
}

static void mix_cuts(search *s, double *x)
{
    const orr_price_task *t = s->task;
    memset(x, 0, (size_t)t->jobs * s->types * sizeof *x);
    t->targets(t->self, s->level, s->target, s->rise);
    for (int32_t i = 0; i < s->mixed; i++) {
        set_money(s, s->cuts[s->row[i]].price);
        for (int32_t j = 0; j < t->jobs; j++) {
            size_t at = (size_t)j * s->types;
            orr_mix m = orr_mix_cheapest(t->speed + at, s->money, t->types, s->target[j]);
            add_mix(&m, s->part[i], x + at);
        }
    }
}

static void room_left(const search *s, double *left)
{
    for (size_t k = 0; k < s->types; k++) {
        left[k] = 0;
        for (int32_t i = 0; i < s->mixed; i++)
            left[k] -= s->part[i] * s->cost[(size_t)s->row[i] * s->types + k];
    }
}

static void set_up(search *s, const orr_price_task *task)
{
    size_t types = (size_t)task->types, jobs = (size_t)task->jobs;
    *s = (search){.task = task, .types = types, .level = task->high};
    s->store = orr_xcalloc(2 * jobs + (3 * (MOST_CUTS + 1) + MOST_CUTS + 5) * (types + 1), sizeof *s->store);
    s->row = orr_xcalloc(types + 1, sizeof *s->row);
    double *next = s->store;
    s->target = next, next += jobs;
    s->rise = next, next += jobs;
    s->money = next, next += types;
    s->part = next, next += types + 1;
    s->price = next, next += types;
    s->best = next, next += types;
    s->cost = next, next += MOST_CUTS * types;
    for (size_t i = 0; i <= MOST_CUTS; i++, next += 3 * types) {
        cut *c = i < MOST_CUTS ? &s->cuts[i] : &s->spare;
        *c = (cut){.price = next, .load = next + types, .slope = next + 2 * types};
    }
}

orr_price_answer orr_prices_raise(const orr_price_task *task, double *x, double *price, double *left)
{
    search s;
    set_up(&s, task);
    climb_down(&s);
    mix_cuts(&s, x);
    room_left(&s, left);
    memcpy(price, s.best, s.types * sizeof *price);
    orr_price_answer answer = {.level = s.level, .full = s.level < task->high, .over = s.over, .steps = s.steps};
    free(s.row);
    free(s.store);
    return answer;
}
