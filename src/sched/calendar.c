/* The availability calendar: how many GPUs of a scope are believed free, from now on for ever.
 *
 * A step function, kept as its steps: each has its time and by how much the free count changes there. They stand in a
 * treap by time (Seidel and Aragon 1996), and every subtree knows the sum of its changes and the least and greatest
 * running sum inside it. So a reservation is two changes, at its begin and its end, and nothing between them is touched;
 * and the next time at which enough, or no longer enough, is free is found past whole subtrees that don't get there.
 * The search for it climbs from where it stands instead of descending from the root: a near one costs little. A step
 * without a change is taken out, so that their number stays within twice the number of reservations that are alive.
 *
 * Times saturate: an interval that would end past the clock's range has no end, and what starts there never starts.
 * What lies before the calendar's `now` is not kept: a question about the past is answered as of `now`.
 */
#include <orrery/drive.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/rng.h"
#include <stdlib.h>

typedef uint32_t place; /* of a step in the pool; 0: none */

enum { FIRST = 1 }; /* the place of the step at `now`: there always, be its change 0 or not */

typedef struct step {
    orr_time at;
    int32_t change;
    int32_t sum;       /* of the subtree's changes, */
    int32_t low, high; /* and its least and greatest running sum, the empty one (0) included */
    place left, right, up;
    uint32_t priority;
} step;

struct orr_calendar {
    ORR_VEC(step) steps; /* [0] stands for the empty subtree: all zero, never written */
    place root, spare;   /* spare: a list of unused places, through `left` */
};

/* A step, and how many are free from it on. */
typedef struct stand {
    place at;
    int32_t free;
} stand;

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static place take_place(orr_calendar *c)
{
    place at = c->spare;
    if (at) {
        c->spare = c->steps.at[at].left;
        return at;
    }
    ORR_ASSERT(c->steps.n < UINT32_MAX, "a calendar is full");
    ORR_VEC_PUSH(&c->steps, ((step){0}));
    return (place)(c->steps.n - 1);
}

static void sum_up(step *s, place at)
{
    step *x = &s[at];
    const step *left = &s[x->left], *right = &s[x->right];
    int32_t through = left->sum + x->change;
    int32_t low = through + right->low, high = through + right->high;
    x->sum = through + right->sum;
    x->low = left->low < low ? left->low : low;
    x->high = left->high > high ? left->high : high;
}

static void sum_up_to_root(step *s, place at)
{
    for (; at; at = s[at].up)
        sum_up(s, at);
}

/* Puts `now` where `old` hangs; 0 for nothing. */
static void replace(orr_calendar *c, place old, place now)
{
    step *s = c->steps.at;
    place up = s[old].up;
    if (!up)
        c->root = now;
    else if (s[up].left == old)
        s[up].left = now;
    else
        s[up].right = now;
    if (now)
        s[now].up = up;
}

/* Rotates `at` above its parent. The sums of `at` itself are left to the caller, who goes to the root anyway. */
static void lift(orr_calendar *c, place at)
{
    step *s = c->steps.at;
    place up = s[at].up;
    bool was_left = s[up].left == at;
    place moved = was_left ? s[at].right : s[at].left;
    replace(c, up, at);
    *(was_left ? &s[up].left : &s[up].right) = moved;
    *(was_left ? &s[at].right : &s[at].left) = up;
    if (moved)
        s[moved].up = up;
    s[up].up = at;
    sum_up(s, up);
}

static void insert(orr_calendar *c, place up, orr_time time, int32_t change)
{
    place at = take_place(c);
    step *s = c->steps.at;
    s[at] = (step){.at = time, .change = change, .up = up, .priority = (uint32_t)(orr_mix64(at) >> 32)};
    *(time < s[up].at ? &s[up].left : &s[up].right) = at;
    while (s[at].up && s[at].priority > s[s[at].up].priority)
        lift(c, at);
    sum_up_to_root(s, at);
}

static void take_out(orr_calendar *c, place at)
{
    step *s = c->steps.at;
    while (s[at].left && s[at].right)
        lift(c, s[s[at].left].priority > s[s[at].right].priority ? s[at].left : s[at].right);
    replace(c, at, s[at].left ? s[at].left : s[at].right);
    sum_up_to_root(s, s[at].up);
    s[at].left = c->spare;
    c->spare = at;
}

/* From `time` on, `change` more are free. `time` is not before the first step. */
static void change_at(orr_calendar *c, orr_time time, int32_t change)
{
    step *s = c->steps.at;
    place at = c->root, up = 0;
    while (at && s[at].at != time) {
        up = at;
        at = time < s[at].at ? s[at].left : s[at].right;
    }
    if (!at) {
        insert(c, up, time, change);
        return;
    }
    s[at].change += change;
    if (s[at].change == 0 && at != FIRST)
        take_out(c, at);
    else
        sum_up_to_root(s, at);
}

/* ---- looking for room -------------------------------------------------------------------------------------------- */

/* The last step at or before `time`, which is not before the first. */
static stand stand_at(const orr_calendar *c, orr_time time)
{
    const step *s = c->steps.at;
    stand best = {0};
    int32_t before = 0;
    for (place at = c->root; at;) {
        if (s[at].at > time) {
            at = s[at].left;
            continue;
        }
        before += s[s[at].left].sum + s[at].change;
        best = (stand){at, before};
        at = s[at].right;
    }
    return best;
}

/* Does a subtree, with `free` before it, hold a step from which on at least (`more`) or fewer than `gpus` are free?
 * Before it that isn't so: the empty running sum does no harm. */
static bool turns_in(const step *subtree, int32_t free, int32_t gpus, bool more)
{
    return more ? free + subtree->high >= gpus : free + subtree->low < gpus;
}

static stand first_turn_in(const step *s, place at, int32_t free, int32_t gpus, bool more)
{
    for (;;) {
        place left = s[at].left;
        if (turns_in(&s[left], free, gpus, more)) {
            at = left;
            continue;
        }
        free += s[left].sum + s[at].change;
        if ((free >= gpus) == more)
            return (stand){at, free};
        at = s[at].right;
    }
}

/* The first step behind `from` at which "`gpus` are free" turns from true to false or from false to true; 0: none. */
static stand next_turn(const step *s, stand from, int32_t gpus)
{
    bool more = from.free < gpus;
    int32_t free = from.free;
    for (place at = from.at;;) {
        place right = s[at].right;
        if (turns_in(&s[right], free, gpus, more))
            return first_turn_in(s, right, free, gpus, more);
        free += s[right].sum;
        while (s[s[at].up].right == at)
            at = s[at].up;
        at = s[at].up;
        if (!at)
            return (stand){0, free};
        free += s[at].change;
        if ((free >= gpus) == more)
            return (stand){at, free};
    }
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

orr_calendar *orr_calendar_create(orr_time now, int32_t free)
{
    orr_calendar *c = orr_xcalloc(1, sizeof *c);
    orr_calendar_reset(c, now, free);
    return c;
}

void orr_calendar_destroy(orr_calendar *calendar)
{
    if (!calendar)
        return;
    ORR_VEC_FREE(&calendar->steps);
    free(calendar);
}

void orr_calendar_reset(orr_calendar *calendar, orr_time now, int32_t free)
{
    calendar->steps.n = 0;
    ORR_VEC_PUSH(&calendar->steps, ((step){0}));
    ORR_VEC_PUSH(&calendar->steps, ((step){.at = now, .change = free}));
    calendar->root = FIRST;
    calendar->spare = 0;
    sum_up(calendar->steps.at, FIRST);
}

void orr_calendar_reserve(orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    orr_time end = orr_time_add(from, length), now = calendar->steps.at[FIRST].at;
    if (from < now)
        from = now;
    if (end <= from || gpus == 0)
        return;
    change_at(calendar, from, -gpus);
    if (end != ORR_TIME_MAX)
        change_at(calendar, end, gpus);
}

orr_time orr_calendar_fit(const orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus)
{
    const step *s = calendar->steps.at;
    orr_time start = from < s[FIRST].at ? s[FIRST].at : from;
    stand here = stand_at(calendar, start);
    if (here.free < gpus) {
        here = next_turn(s, here, gpus);
        start = s[here.at].at;
    }
    while (here.at) {
        stand past = next_turn(s, here, gpus);
        if (!past.at || orr_time_add(start, length) <= s[past.at].at)
            return start;
        here = next_turn(s, past, gpus);
        start = s[here.at].at;
    }
    return ORR_TIME_MAX;
}

int32_t orr_calendar_free(const orr_calendar *calendar, orr_time at)
{
    orr_time now = calendar->steps.at[FIRST].at;
    return stand_at(calendar, at < now ? now : at).free;
}
