/* How many GPUs each elastic job gets: greedy by marginal gain from a heap, and by a knock-out tournament. */
#include "sched/ctx.h"

#include <math.h>
#include <stdlib.h>

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static int32_t one_more(orr_ctx *ctx, const orr_portion *p)
{
    (void)ctx;
    if (p->gpus >= p->max || p->min > p->max)
        return 0;
    return p->gpus < p->min ? p->min : p->gpus + 1;
}

int32_t orr_step_doubling(orr_ctx *ctx, const orr_portion *p)
{
    int32_t power = 1;
    (void)ctx;
    if (p->gpus >= p->max || p->min > p->max)
        return 0;
    if (p->gpus < p->min)
        return p->min;
    while (power <= p->gpus)
        power *= 2;
    return power < p->max ? power : p->max;
}

double orr_gain_speed(orr_ctx *ctx, const orr_portion *p, int32_t to)
{
    const double least = orr_job_scaling(ctx, p->job, p->min, 0, -1);
    const double has = p->gpus ? orr_job_scaling(ctx, p->job, p->gpus, 0, -1) : 0;
    return least > 0 ? (orr_job_scaling(ctx, p->job, to, 0, -1) - has) * p->min / least : 0;
}

/* ---- greedy ------------------------------------------------------------------------------------------------------ */

typedef struct bid {
    orr_portion *portion;
    double gain;
    int32_t to, place;
} bid;

static bool gains_more(void *self, const void *a, const void *b)
{
    const bid *x = a, *y = b;
    (void)self;
    return x->gain > y->gain || (x->gain == y->gain && x->portion < y->portion);
}

static int32_t *place_of(void *self, void *item)
{
    (void)self;
    return &((bid *)item)->place;
}

/* False: it has all that it may have, or that it gains from. */
static bool bid_again(orr_ctx *ctx, const orr_greedy_rules *rules, bid *b)
{
    b->to = rules->step(ctx, b->portion);
    if (b->to <= b->portion->gpus)
        return false;
    const double gain = rules->gain(ctx, b->portion, b->to);
    b->gain = rules->per_gpu ? gain / (b->to - b->portion->gpus) : gain;
    return b->gain > rules->least;
}

/* The first steps of those that have nothing. */
static void deal_first(orr_ctx *ctx, const orr_greedy_rules *rules, orr_portion *portions, size_t n, int32_t *left)
{
    for (size_t i = 0; i < n && *left > 0; i++) {
        const int32_t to = portions[i].gpus ? 0 : rules->step(ctx, &portions[i]);
        if (to > *left)
            continue;
        portions[i].gpus += to;
        *left -= to;
    }
}

static void deal_best(orr_ctx *ctx, const orr_greedy_rules *rules, orr_heap *heap, int32_t *left)
{
    while (heap->count && *left > 0) {
        bid *best = heap->at[0];
        const int32_t more = best->to - best->portion->gpus;
        if (more > *left) { /* and what is left only shrinks */
            orr_heap_remove(heap, best);
            continue;
        }
        *left -= more;
        best->portion->gpus = best->to;
        if (bid_again(ctx, rules, best))
            orr_heap_moved(heap, best);
        else
            orr_heap_remove(heap, best);
    }
}

void orr_deal_greedy(orr_ctx *ctx, const orr_greedy_rules *given, orr_portion *portions, size_t n, int32_t *left)
{
    orr_greedy_rules rules = *given;
    rules.step = given->step ? given->step : one_more;
    if (rules.first)
        deal_first(ctx, &rules, portions, n, left);
    if (n == 0 || *left <= 0)
        return;
    bid *bids = orr_xcalloc(n, sizeof *bids);
    orr_heap heap = {.before = gains_more, .place = place_of, .room = (int32_t)n};
    heap.at = orr_xcalloc(n, sizeof *heap.at);
    for (size_t i = 0; i < n; i++) {
        bids[i].portion = &portions[i];
        if (bid_again(ctx, &rules, &bids[i]))
            orr_heap_add(ctx, &heap, &bids[i]);
    }
    deal_best(ctx, &rules, &heap, left);
    free(heap.at);
    free(bids);
}

int32_t orr_deal_back(orr_ctx *ctx, const orr_greedy_rules *rules, orr_portion *portions, size_t n, int32_t need)
{
    int32_t over = 0;
    if (n == 0)
        return 0;
    int32_t *most = orr_xcalloc(n, sizeof *most);
    for (size_t i = 0; i < n; i++) { /* nobody gets more than it has */
        orr_portion *p = &portions[i];
        most[i] = p->max;
        p->max = p->gpus;
        over += p->gpus > p->min ? p->gpus - p->min : 0;
        p->gpus = p->gpus > p->min ? p->min : p->gpus;
    }
    int32_t left = over > need ? over - need : 0;
    const int32_t kept = left;
    orr_deal_greedy(ctx, rules, portions, n, &left);
    for (size_t i = 0; i < n; i++)
        portions[i].max = most[i];
    free(most);
    return over - (kept - left);
}

/* ---- tournament -------------------------------------------------------------------------------------------------- */

/* A tree of matches as in a heap: node i has the children 2i and 2i+1, leaves begin at `leaves`. Each holds its winner,
 * 1 + the portion's index; 0: nobody. */
typedef struct bracket {
    orr_ctx *ctx;
    const orr_tournament_rules *rules;
    orr_portion *portions;
    size_t leaves;
    size_t *won;
    int32_t *to; /* next step, by portion */
} bracket;

static void play(bracket *b, size_t match)
{
    const size_t x = b->won[2 * match], y = b->won[2 * match + 1];
    const bool both = x && y;
    const bool left = both ? b->rules->beats(b->ctx, &b->portions[x - 1], &b->portions[y - 1]) : x != 0;
    b->won[match] = left ? x : y;
}

static void enter(bracket *b, size_t i, orr_step_fn *step, int32_t left)
{
    b->to[i] = step(b->ctx, &b->portions[i]);
    const bool plays = b->to[i] > b->portions[i].gpus && b->to[i] - b->portions[i].gpus <= left;
    b->won[b->leaves + i] = plays ? i + 1 : 0;
}

static void play_again(bracket *b, size_t i)
{
    for (size_t match = (b->leaves + i) / 2; match >= 1; match /= 2)
        play(b, match);
}

void orr_deal_tournament(orr_ctx *ctx, const orr_tournament_rules *rules, orr_portion *portions, size_t n, int32_t *left)
{
    orr_step_fn *step = rules->step ? rules->step : one_more;
    bracket b = {.ctx = ctx, .rules = rules, .portions = portions, .leaves = 1};
    while (b.leaves < n)
        b.leaves *= 2;
    b.won = orr_xcalloc(2 * b.leaves, sizeof *b.won);
    b.to = orr_xcalloc(n + 1, sizeof *b.to);
    for (size_t i = 0; i < n; i++)
        enter(&b, i, step, *left);
    for (size_t match = b.leaves - 1; match >= 1; match--)
        play(&b, match);
    while (*left > 0 && b.won[1]) {
        const size_t winner = b.won[1] - 1;
        const int32_t more = b.to[winner] - portions[winner].gpus;
        if (more <= *left) {
            *left -= more;
            portions[winner].gpus = b.to[winner];
        }
        enter(&b, winner, step, *left); /* out, if its step doesn't fit any more */
        play_again(&b, winner);
    }
    free(b.won);
    free(b.to);
}
