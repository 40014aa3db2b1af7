/* One option of each class, least cost, several pools: exact, by prices and a dynamic program over what is left.
 *
 * With a price on each pool every class chooses alone, and what that costs, less what the room is worth, is a bound: no
 * choice that fits costs less. The prices with the greatest bound are found by cutting planes in as many dimensions as
 * there are pools. What an option costs more than its class's cheapest one, at these prices, is its excess; a choice
 * costs the bound, plus the excess of its options, plus the price of the room that it leaves. So only options count
 * whose excess is at most as much as the best choice is above the bound, which is mostly next to nothing. How much that
 * is isn't known: it is guessed, and the guess is multiplied until a choice is found; that is then the best one.
 *
 * The dynamic program goes through the classes that have several options left; a state is what is used of each pool,
 * with the least excess that leads there. Where states are too many the best are kept, and the bound says how far off
 * the answer may be.
 */
#include "base/assert.h"
#include "base/mem.h"
#include <orrery/solve.h>

#include <math.h>

enum { CUTS = 400, STATES = 1000000, LEAST_STATES = 256 };

/* What led to a state: the state before, by its place in that layer, and an option. */
typedef struct step {
    int32_t from, option;
} step;

/* States of one layer: what each has used, pool by pool. */
typedef struct layer {
    ORR_VEC(double) excess;
    ORR_VEC(int32_t) used;
} layer;

typedef struct search {
    const orr_options *o;
    double bound, *price;
    double *excess;   /* of each option */
    double limit;     /* no choice with more excess is looked for */
    int32_t *open, n; /* classes with several options within the limit */
    int32_t *room;    /* less what the other classes take */
    layer now, next;
    ORR_VEC(step) steps; /* of all layers */
    size_t *begin;       /* [n + 1] where a layer's steps begin */
    ORR_VEC(int32_t) slots; /* 1 + state, by hash of what it has used */
    ORR_VEC(int32_t) order; /* scratch */
    ORR_VEC(double) merit;
    int64_t *later;      /* [n + 1][pools] the most that open classes from there on can take */
    int32_t at;          /* the layer that is made */
    size_t most;         /* states in a layer */
    bool cut;            /* states were left out */
} search;

/* ---- prices ------------------------------------------------------------------------------------------------------ */

static double priced(const orr_options *o, const double *price, int32_t k)
{
    return o->cost[k] + (o->pool[k] < 0 ? 0 : price[o->pool[k]] * o->size[k]);
}

static int32_t cheapest(const orr_options *o, const double *price, int32_t class_)
{
    int32_t best = o->first[class_];
    for (int32_t k = best + 1; k < o->first[class_ + 1]; k++)
        best = priced(o, price, k) < priced(o, price, best) ? k : best;
    return best;
}

/* The bound at these prices; `over` gets what the pools lack. */
static double look(const orr_options *o, const double *price, double *over)
{
    double sum = 0;
    for (int32_t p = 0; p < o->pools; p++) {
        over[p] = -o->room[p];
        sum -= price[p] * o->room[p];
    }
    for (int32_t i = 0; i < o->classes; i++) {
        const int32_t k = cheapest(o, price, i);
        sum += priced(o, price, k);
        if (o->pool[k] >= 0)
            over[o->pool[k]] += o->size[k];
    }
    return sum;
}

/* A price beyond which nobody takes anything that it can do without. */
static double highest_price(const orr_options *o)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t k = 0; k < o->first[o->classes]; k++) {
        low = fmin(low, o->cost[k]);
        high = fmax(high, o->cost[k]);
    }
    return (high - low) * (o->pools + 1) + 1;
}

/* Under the cuts so far the bound is at most *top, at the prices that are set. */
static bool next_prices(orr_lp *lp, int32_t pools, double *price, double *top)
{
    if (orr_lp_solve(lp, NULL) != ORR_LP_OPTIMAL)
        return false;
    for (int32_t p = 0; p < pools; p++)
        price[p] = fmax(0, orr_lp_value(lp, p + 1));
    *top = orr_lp_objective(lp);
    return true;
}

static void add_cut(orr_lp *lp, double bound, const double *price, const double *over, int32_t pools)
{
    double at_zero = bound;
    for (int32_t p = 0; p < pools; p++)
        at_zero -= price[p] * over[p];
    const int32_t row = orr_lp_row(lp, -INFINITY, at_zero);
    orr_lp_add(lp, row, 0, 1);
    for (int32_t p = 0; p < pools; p++)
        orr_lp_add(lp, row, p + 1, -over[p]);
}

/* Any prices make a true bound: where the linear program fails, the best so far will do. */
static void find_prices(search *s)
{
    const orr_options *o = s->o;
    double *price = orr_xcalloc((size_t)o->pools + 1, sizeof *price), *over = orr_xcalloc((size_t)o->pools + 1, sizeof *over);
    const double highest = highest_price(o);
    orr_lp *lp = orr_lp_create(true);
    orr_lp_column(lp, 1, -INFINITY, INFINITY);
    for (int32_t p = 0; p < o->pools; p++)
        orr_lp_column(lp, 0, 0, highest);
    s->bound = -INFINITY;
    for (int32_t i = 0; i < CUTS; i++) {
        const double bound = look(o, price, over);
        double top;
        add_cut(lp, bound, price, over, o->pools);
        if (bound > s->bound) {
            s->bound = bound;
            memcpy(s->price, price, (size_t)o->pools * sizeof *price);
        }
        if (!next_prices(lp, o->pools, price, &top) || top - s->bound <= 1e-10 * (1 + fabs(s->bound)))
            break;
    }
    orr_lp_destroy(lp);
    free(over);
    free(price);
}

/* `most`: no choice that fits has more. */
static void find_excess(search *s, double *most)
{
    const orr_options *o = s->o;
    *most = 0;
    for (int32_t i = 0; i < o->classes; i++) {
        const double least = priced(o, s->price, cheapest(o, s->price, i));
        double top = 0;
        for (int32_t k = o->first[i]; k < o->first[i + 1]; k++) {
            s->excess[k] = priced(o, s->price, k) - least;
            top = fmax(top, s->excess[k]);
        }
        *most += top;
    }
    for (int32_t p = 0; p < o->pools; p++)
        *most += s->price[p] * o->room[p];
}

/* ---- which classes are open -------------------------------------------------------------------------------------- */

static bool within(const search *s, double excess)
{
    return excess <= s->limit * (1 + 1e-12) + 1e-12;
}

/* How many options it has left; *last is one of them. */
static int32_t options_left(const search *s, int32_t class_, int32_t *last)
{
    int32_t n = 0;
    for (int32_t k = s->o->first[class_]; k < s->o->first[class_ + 1]; k++)
        if (within(s, s->excess[k])) {
            n++;
            *last = k;
        }
    return n;
}

/* False: the classes that have no choice already take more than there is. */
static bool settle(search *s, int32_t *chosen)
{
    const orr_options *o = s->o;
    memcpy(s->room, o->room, (size_t)o->pools * sizeof *s->room);
    s->n = 0;
    for (int32_t i = 0; i < o->classes; i++) {
        int32_t k = 0;
        if (options_left(s, i, &k) > 1) {
            s->open[s->n++] = i;
            continue;
        }
        chosen[i] = k;
        if (o->pool[k] >= 0)
            s->room[o->pool[k]] -= o->size[k];
    }
    for (int32_t p = 0; p < o->pools; p++)
        if (s->room[p] < 0)
            return false;
    return true;
}

/* What the classes from each on can take at most, so that a state that must leave too much room is known early. */
static void look_ahead(search *s)
{
    const orr_options *o = s->o;
    const size_t pools = (size_t)o->pools;
    memset(s->later + (size_t)s->n * pools, 0, pools * sizeof *s->later);
    for (int32_t i = s->n - 1; i >= 0; i--) {
        int64_t *at = s->later + (size_t)i * pools;
        memset(at, 0, pools * sizeof *at);
        for (int32_t k = o->first[s->open[i]]; k < o->first[s->open[i] + 1]; k++)
            if (o->pool[k] >= 0 && within(s, s->excess[k]) && o->size[k] > at[o->pool[k]])
                at[o->pool[k]] = o->size[k];
        for (size_t p = 0; p < pools; p++)
            at[p] += at[pools + p];
    }
}

/* ---- the dynamic program ----------------------------------------------------------------------------------------- */

/* The price of the room that is left over if the classes from `i` on take all they can. */
static double sure_to_be_left(const search *s, int32_t i, const int32_t *used)
{
    const int64_t *later = s->later + (size_t)i * (size_t)s->o->pools;
    double sum = 0;
    for (int32_t p = 0; p < s->o->pools; p++)
        sum += s->price[p] * fmax(0, (double)s->room[p] - used[p] - (double)later[p]);
    return sum;
}

static uint64_t hash_of(const int32_t *used, int32_t pools)
{
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (int32_t p = 0; p < pools; p++) {
        h = (h ^ (uint64_t)used[p]) * 0xBF58476D1CE4E5B9u;
        h ^= h >> 29;
    }
    return h;
}

static void place_states(search *s, size_t slots)
{
    const size_t pools = (size_t)s->o->pools;
    ORR_VEC_RESERVE(&s->slots, slots);
    s->slots.n = slots;
    memset(s->slots.at, 0, slots * sizeof *s->slots.at);
    for (size_t k = 0; k < s->next.excess.n; k++) {
        size_t at = hash_of(s->next.used.at + k * pools, s->o->pools) & (slots - 1);
        while (s->slots.at[at] != 0)
            at = (at + 1) & (slots - 1);
        s->slots.at[at] = (int32_t)k + 1;
    }
}

/* The state of the next layer that has used as much as the candidate, which stands behind the last one; that, if it is
 * new. */
static size_t same_state(search *s)
{
    const size_t pools = (size_t)s->o->pools, n = s->next.excess.n;
    const int32_t *used = s->next.used.at + n * pools;
    if (2 * (n + 1) > s->slots.n)
        place_states(s, s->slots.n ? 2 * s->slots.n : 64);
    size_t at = hash_of(used, s->o->pools) & (s->slots.n - 1);
    for (; s->slots.at[at] != 0; at = (at + 1) & (s->slots.n - 1)) {
        const size_t k = (size_t)s->slots.at[at] - 1;
        if (memcmp(s->next.used.at + k * pools, used, pools * sizeof *used) == 0)
            return k;
    }
    s->slots.at[at] = (int32_t)n + 1;
    return n;
}

/* One more option of open class `i` for a state of this layer. */
static void extend(search *s, int32_t i, int32_t from, int32_t k)
{
    const size_t pools = (size_t)s->o->pools;
    const double excess = s->now.excess.at[from] + s->excess[k];
    const int32_t pool = s->o->pool[k];
    ORR_VEC_RESERVE(&s->next.used, s->next.used.n + pools);
    int32_t *used = s->next.used.at + s->next.used.n;
    memcpy(used, s->now.used.at + (size_t)from * pools, pools * sizeof *used);
    if (pool >= 0) {
        if (s->o->size[k] > s->room[pool] - used[pool])
            return;
        used[pool] += s->o->size[k];
    }
    if (!within(s, excess + sure_to_be_left(s, i + 1, used)))
        return;
    const size_t at = same_state(s), first = s->begin[i];
    if (at == s->next.excess.n) {
        s->next.used.n += pools;
        ORR_VEC_PUSH(&s->next.excess, excess);
        ORR_VEC_PUSH(&s->steps, ((step){from, k}));
    } else if (excess < s->next.excess.at[at]) {
        s->next.excess.at[at] = excess;
        s->steps.at[first + at] = (step){from, k};
    }
}

/* How good a state is where some must go: its excess, and how far it is from using each pool in step with what could be
 * used so far; or the first of many equals would fill one pool, and leave nothing of it to those that need it. */
static double merit(const search *s, int32_t state)
{
    const size_t pools = (size_t)s->o->pools;
    const int32_t *used = s->next.used.at + (size_t)state * pools;
    const int64_t *later = s->later + (size_t)s->at * pools;
    double apart = 0;
    for (size_t p = 0; p < pools; p++)
        if (s->room[p] > 0 && s->later[p] > 0)
            apart += fabs((double)used[p] / s->room[p] - (1 - (double)later[p] / (double)s->later[p]));
    return s->next.excess.at[state] + s->limit * apart;
}

static bool before(const search *s, int32_t a, int32_t b)
{
    const double x = s->merit.at[a], y = s->merit.at[b];
    return x != y ? x < y : a < b;
}

/* Numbers of the best states to the front of `order`, the first among equals: Hoare's selection. */
static void select_least(search *s, size_t most)
{
    int32_t *at = s->order.at;
    for (size_t low = 0, high = s->order.n - 1; low < high;) {
        const int32_t pivot = at[low + (high - low) / 2];
        size_t i = low, j = high;
        while (i <= j) {
            while (before(s, at[i], pivot))
                i++;
            while (before(s, pivot, at[j]))
                j--;
            if (i > j)
                break;
            const int32_t swap = at[i];
            at[i++] = at[j], at[j] = swap;
            if (j-- == 0)
                break;
        }
        if (most <= j + 1)
            high = j;
        else if (most > i)
            low = i;
        else
            return;
    }
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Keeps the best states, in their order. */
static void keep_least(search *s, size_t first)
{
    const size_t pools = (size_t)s->o->pools, n = s->next.excess.n;
    ORR_VEC_RESERVE(&s->order, n);
    ORR_VEC_RESERVE(&s->merit, n);
    for (s->order.n = 0; s->order.n < n; s->order.n++) {
        s->order.at[s->order.n] = (int32_t)s->order.n;
        s->merit.at[s->order.n] = merit(s, (int32_t)s->order.n);
    }
    select_least(s, s->most);
    qsort(s->order.at, s->most, sizeof *s->order.at, by_number);
    for (size_t k = 0; k < s->most; k++) {
        const size_t from = (size_t)s->order.at[k];
        s->next.excess.at[k] = s->next.excess.at[from];
        memmove(s->next.used.at + k * pools, s->next.used.at + from * pools, pools * sizeof *s->next.used.at);
        s->steps.at[first + k] = s->steps.at[first + from];
    }
    s->next.excess.n = s->most;
    s->next.used.n = s->most * pools;
    s->steps.n = first + s->most;
    s->cut = true;
}

static void one_class(search *s, int32_t i)
{
    const orr_options *o = s->o;
    s->next.excess.n = s->next.used.n = s->slots.n = 0;
    s->begin[i] = s->steps.n;
    s->at = i + 1;
    for (size_t from = 0; from < s->now.excess.n; from++)
        for (int32_t k = o->first[s->open[i]]; k < o->first[s->open[i] + 1]; k++)
            if (within(s, s->now.excess.at[from] + s->excess[k]))
                extend(s, i, (int32_t)from, k);
    if (s->next.excess.n > s->most)
        keep_least(s, s->begin[i]);
    const layer swap = s->now;
    s->now = s->next;
    s->next = swap;
}

/* The state of the last layer that is worth most; -1: there is none within the limit. */
static int32_t best_state(const search *s, double *excess)
{
    int32_t best = -1;
    for (size_t k = 0; k < s->now.excess.n; k++) {
        const double all =
            s->now.excess.at[k] + sure_to_be_left(s, s->n, s->now.used.at + k * (size_t)s->o->pools);
        if (within(s, all) && (best < 0 || all < *excess)) {
            best = (int32_t)k;
            *excess = all;
        }
    }
    return best;
}

/* False: no choice has so little excess. */
static bool try_limit(search *s, int32_t *chosen, int32_t states)
{
    const size_t pools = (size_t)s->o->pools;
    double excess = 0;
    s->cut = false;
    if (!settle(s, chosen))
        return false;
    look_ahead(s);
    s->most = (size_t)(states / (s->n > 0 ? s->n : 1));
    s->most = s->most < LEAST_STATES ? LEAST_STATES : s->most;
    s->steps.n = 0;
    s->now.excess.n = 0;
    ORR_VEC_PUSH(&s->now.excess, 0);
    ORR_VEC_RESERVE(&s->now.used, pools + 1);
    memset(s->now.used.at, 0, pools * sizeof *s->now.used.at);
    s->now.used.n = pools;
    for (int32_t i = 0; i < s->n; i++)
        one_class(s, i);
    int32_t state = best_state(s, &excess);
    if (state < 0)
        return false;
    for (int32_t i = s->n - 1; i >= 0; i--) {
        const step *at = &s->steps.at[s->begin[i] + (size_t)state];
        chosen[s->open[i]] = at->option;
        state = at->from;
    }
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void check(const orr_options *o)
{
    ORR_ASSERT(o->classes >= 0 && o->pools >= 0 && o->states >= 0, "size of a choice of options");
    for (int32_t i = 0; i < o->classes; i++)
        ORR_ASSERT(o->first[i] < o->first[i + 1], "a class without options");
    for (int32_t k = 0; k < o->first[o->classes]; k++) {
        ORR_ASSERT(isfinite(o->cost[k]), "cost of an option");
        ORR_ASSERT(o->pool[k] < o->pools && o->size[k] >= 0, "what an option takes");
    }
    for (int32_t p = 0; p < o->pools; p++)
        ORR_ASSERT(o->room[p] >= 0, "room of a pool");
}

static void begin_search(search *s, const orr_options *o)
{
    const size_t classes = (size_t)o->classes, pools = (size_t)o->pools;
    *s = (search){.o = o};
    s->price = orr_xcalloc(pools + 1, sizeof *s->price);
    s->excess = orr_xcalloc((size_t)o->first[classes] + 1, sizeof *s->excess);
    s->open = orr_xcalloc(classes + 1, sizeof *s->open);
    s->room = orr_xcalloc(pools + 1, sizeof *s->room);
    s->later = orr_xcalloc((classes + 1) * pools + 1, sizeof *s->later);
    s->begin = orr_xcalloc(classes + 1, sizeof *s->begin);
}

static void end_search(search *s)
{
    ORR_VEC_FREE(&s->now.excess);
    ORR_VEC_FREE(&s->now.used);
    ORR_VEC_FREE(&s->next.excess);
    ORR_VEC_FREE(&s->next.used);
    ORR_VEC_FREE(&s->steps);
    ORR_VEC_FREE(&s->slots);
    ORR_VEC_FREE(&s->order);
    ORR_VEC_FREE(&s->merit);
    free(s->price);
    free(s->excess);
    free(s->open);
    free(s->room);
    free(s->later);
    free(s->begin);
}

/* The guess grows fast, since most of the work is in the last one, but not so fast that it lets in what can't win. */
static bool find_choice(search *s, int32_t *chosen)
{
    const int32_t states = s->o->states ? s->o->states : STATES;
    double most;
    find_excess(s, &most);
    for (s->limit = most / (1024.0 * (s->o->classes + 1));; s->limit = fmin(most, 2 * s->limit)) {
        if (try_limit(s, chosen, states))
            return true;
        if (s->limit >= most)
            return false;
    }
}

double orr_choose_options(const orr_options *o, int32_t *chosen, double *bound)
{
    search s;
    double cost = 0;
    check(o);
    if (o->classes > 0) {
        begin_search(&s, o);
        int32_t *found = orr_xcalloc((size_t)o->classes, sizeof *found);
        find_prices(&s);
        cost = find_choice(&s, found) ? 0 : INFINITY;
        for (int32_t i = 0; i < o->classes && cost < INFINITY; i++)
            cost += o->cost[chosen[i] = found[i]];
        if (bound)
            *bound = s.cut ? fmin(cost, s.bound) : cost;
        free(found);
        end_search(&s);
    } else if (bound) {
        *bound = 0;
    }
    return cost;
}
