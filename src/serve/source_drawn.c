/* Arrivals that are drawn: Poisson, Gamma, MMPP, regular, diurnal, closed loop. */
#include "serve/source_parts.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#define TWO_PI 6.283185307179586
#define NS 1e9      /* in a second */
#define ROOM 9.2e18 /* of the clock, ns; a little less, since doubles are coarse there */

orr_time orr_pull_time(orr_time base, double along)
{
    return along < ROOM - (double)base ? base + (orr_time)along : ORR_TIME_MAX;
}

/* Moves whole nanoseconds over, so that what is added to stays small. */
static void settle(orr_pull *p)
{
    const orr_time base = orr_pull_time(p->base, p->along);
    p->along = base == ORR_TIME_MAX ? 0 : p->along - (double)(base - p->base);
    p->base = base;
}

/* ---- renewals ---- */

static void add_up(orr_pull *p, const double *gaps)
{
    double along = p->along;
    const double room = ROOM - (double)p->base;
    for (int i = 0; i < ORR_PULL_ROW; i++) {
        along += gaps[i];
        p->at[i] = along < room ? p->base + (orr_time)along : ORR_TIME_MAX;
    }
    p->along = along;
    p->ready = ORR_PULL_ROW;
    settle(p);
}

/* Draws first, sums later: the logarithms don't wait for each other. */
void orr_pull_poisson(orr_pull *p)
{
    const double mean = NS / p->source->rate;
    double gaps[ORR_PULL_ROW];
    for (int i = 0; i < ORR_PULL_ROW; i++)
        gaps[i] = -mean * log(orr_draw_next(&p->draws));
    add_up(p, gaps);
}

void orr_pull_gamma(orr_pull *p)
{
    const double cv = p->source->cv, shape = 1 / (cv * cv), scale = NS / p->source->rate * cv * cv;
    const gsl_rng rng = orr_draws_rng(&p->draws);
    double gaps[ORR_PULL_ROW];
    for (int i = 0; i < ORR_PULL_ROW; i++)
        gaps[i] = gsl_ran_gamma(&rng, shape, scale);
    add_up(p, gaps);
}

/* From its number and not from the one before: nothing adds up. */
void orr_pull_regular(orr_pull *p)
{
    const orr_source *s = p->source;
    for (int i = 0; i < ORR_PULL_ROW; i++)
        p->at[i] = orr_pull_time(s->from, floor((double)++p->place / s->rate * NS + 0.5));
    p->ready = ORR_PULL_ROW;
}

/* ---- rates that change ---- */

static void stay(const orr_pull *p, orr_pull_chain *chain)
{
    uint64_t draw = orr_draw_at(p->stays, chain->before);
    chain->left = orr_draw_exponential(&draw) * p->source->stays[chain->state] * NS;
}

orr_pull_chain orr_pull_chain_start(const orr_pull *p)
{
    const orr_source *s = p->source;
    orr_pull_chain chain = {0};
    double all = 0;
    for (int32_t i = 0; i < s->states; i++)
        all += s->stays[i];
    uint64_t draw = orr_draw_at(p->jumps, 0);
    double rest = orr_draw_next(&draw) * all - s->stays[0];
    while (rest > 0 && chain.state < s->states - 1)
        rest -= s->stays[++chain.state];
    stay(p, &chain);
    return chain;
}

void orr_pull_chain_step(const orr_pull *p, orr_pull_chain *chain)
{
    const int32_t others = p->source->states - 1;
    chain->before++;
    if (others > 0) {
        const uint64_t bits = orr_mix64(orr_draw_at(p->jumps, chain->before));
        const int32_t other = (int32_t)(bits % (uint64_t)others);
        chain->state = other < chain->state ? other : other + 1;
    }
    stay(p, chain);
}

/* To the next arrival. What a state leaves of a gap is drawn anew in the next one: exponentials don't remember. */
static void follow_chain(orr_pull *p)
{
    for (;;) {
        const double rate = p->source->rates[p->chain.state];
        const double gap = rate > 0 ? orr_draw_exponential(&p->draws) * NS / rate : INFINITY;
        if (gap < p->chain.left) {
            p->along += gap;
            p->chain.left -= gap;
            return;
        }
        p->along += p->chain.left;
        if (orr_pull_time(p->base, p->along) >= p->source->until)
            return;
        orr_pull_chain_step(p, &p->chain);
    }
}

void orr_pull_mmpp(orr_pull *p)
{
    for (int i = 0; i < ORR_PULL_ROW; i++) {
        follow_chain(p);
        p->at[i] = orr_pull_time(p->base, p->along);
    }
    p->ready = ORR_PULL_ROW;
    settle(p);
}

/* To the next arrival, by thinning: candidates at the greatest rate; what lies under the least rate needs no sine. */
static orr_time follow_day(orr_pull *p)
{
    const orr_source *s = p->source;
    const double most = 1 + s->swing, mean = NS / (s->rate * most);
    for (;;) {
        p->along += mean * orr_draw_exponential(&p->draws);
        const orr_time at = orr_pull_time(p->base, p->along);
        const double level = orr_draw_next(&p->draws) * most;
        if (at == ORR_TIME_MAX || level <= 1 - s->swing)
            return at;
        const double angle = TWO_PI * (double)((at - s->phase) % s->period) / (double)s->period;
        if (level <= 1 + s->swing * sin(angle))
            return at;
    }
}

void orr_pull_diurnal(orr_pull *p)
{
    for (int i = 0; i < ORR_PULL_ROW; i++)
        p->at[i] = follow_day(p);
    p->ready = ORR_PULL_ROW;
    settle(p);
}

/* ---- a closed loop ---- */

void orr_pull_ask(orr_pull *p, orr_time at)
{
    int32_t i = p->asking++;
    for (; i > 0 && p->asks[(i - 1) / 2] > at; i = (i - 1) / 2)
        p->asks[i] = p->asks[(i - 1) / 2];
    p->asks[i] = at;
}

/* Takes the earliest client away. */
static void asked(orr_pull *p)
{
    const orr_time moved = p->asks[--p->asking];
    int32_t i = 0;
    for (int32_t child = 1; child < p->asking; child = 2 * i + 1) {
        if (child + 1 < p->asking && p->asks[child + 1] < p->asks[child])
            child++;
        if (p->asks[child] >= moved)
            break;
        p->asks[i] = p->asks[child];
        i = child;
    }
    p->asks[i] = moved;
}

/* The row is the one client that asks next; another may still come before it, so it is taken from the heap only here,
 * when the one before was taken. */
void orr_pull_closed(orr_pull *p)
{
    if (p->ready)
        asked(p);
    p->ready = p->asking > 0;
    p->at[0] = p->asking > 0 ? p->asks[0] : ORR_TIME_MAX;
}
