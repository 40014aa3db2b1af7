/* A treap (Seidel and Aragon 1996) in a pool, its priorities a hash of the place: the same shape on every machine.
 * Since only differences are kept, there is nothing to push down, and reading writes nothing. Freed places form a list
 * through `left`.
 */
#include "sched/calendar_tree.h"

#include "base/assert.h"
#include "base/rng.h"

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void sum_up(orr_step *s, orr_step_at at)
{
    orr_step *x = &s[at];
    const orr_step *left = &s[x->left], *right = &s[x->right];
    int32_t through = left->sum + x->change;
    int32_t low = through + right->low, high = through + right->high;
    x->sum = through + right->sum;
    x->low = left->low < low ? left->low : low;
    x->high = left->high > high ? left->high : high;
}

static void sum_up_to_root(orr_step *s, orr_step_at at)
{
    for (; at; at = s[at].up)
        sum_up(s, at);
}

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static orr_step_at take_place(orr_steps *steps)
{
    orr_step_at at = steps->spare;
    if (at) {
        steps->spare = steps->pool.at[at].left;
        return at;
    }
    ORR_ASSERT(steps->pool.n < UINT32_MAX, "a calendar is full");
    ORR_VEC_PUSH(&steps->pool, ((orr_step){0}));
    return (orr_step_at)(steps->pool.n - 1);
}

/* Puts `next` where `old` hangs; 0 for nothing. */
static void replace(orr_steps *steps, orr_step_at old, orr_step_at next)
{
    orr_step *s = steps->pool.at;
    orr_step_at up = s[old].up;
    if (!up)
        steps->root = next;
    else if (s[up].left == old)
        s[up].left = next;
    else
        s[up].right = next;
    if (next)
        s[next].up = up;
}

/* Rotates `at` above its parent. The sums of `at` itself are left to the caller, who goes up to the root anyway. */
static void lift(orr_steps *steps, orr_step_at at)
{
    orr_step *s = steps->pool.at;
    orr_step_at up = s[at].up;
    bool was_left = s[up].left == at;
    orr_step_at moved = was_left ? s[at].right : s[at].left;
    replace(steps, up, at);
    *(was_left ? &s[up].left : &s[up].right) = moved;
    *(was_left ? &s[at].right : &s[at].left) = up;
    if (moved)
        s[moved].up = up;
    s[up].up = at;
    sum_up(s, up);
}

static void insert(orr_steps *steps, orr_step_at up, orr_time time, int32_t change)
{
    orr_step_at at = take_place(steps);
    orr_step *s = steps->pool.at;
    s[at] = (orr_step){.at = time, .change = change, .up = up, .priority = (uint32_t)(orr_mix64(at) >> 32)};
    *(time < s[up].at ? &s[up].left : &s[up].right) = at;
    while (s[at].up && s[at].priority > s[s[at].up].priority)
        lift(steps, at);
    sum_up_to_root(s, at);
}

static void take_out(orr_steps *steps, orr_step_at at)
{
    orr_step *s = steps->pool.at;
    while (s[at].left && s[at].right)
        lift(steps, s[s[at].left].priority > s[s[at].right].priority ? s[at].left : s[at].right);
    replace(steps, at, s[at].left ? s[at].left : s[at].right);
    sum_up_to_root(s, s[at].up);
    s[at].left = steps->spare;
    steps->spare = at;
}

void orr_steps_reset(orr_steps *steps, orr_time first, int32_t value)
{
    steps->pool.n = 0;
    ORR_VEC_PUSH(&steps->pool, ((orr_step){0}));
    ORR_VEC_PUSH(&steps->pool, ((orr_step){.at = first, .change = value}));
    steps->root = ORR_STEP_FIRST;
    steps->spare = 0;
    sum_up(steps->pool.at, ORR_STEP_FIRST);
}

void orr_steps_fini(orr_steps *steps)
{
    ORR_VEC_FREE(&steps->pool);
}

void orr_steps_change(orr_steps *steps, orr_time time, int32_t change)
{
    orr_step *s = steps->pool.at;
    orr_step_at at = steps->root, up = 0;
    while (at && s[at].at != time) {
        up = at;
        at = time < s[at].at ? s[at].left : s[at].right;
    }
    if (!at) {
        insert(steps, up, time, change);
        return;
    }
    s[at].change += change;
    if (s[at].change == 0 && at != ORR_STEP_FIRST)
        take_out(steps, at);
    else
        sum_up_to_root(s, at);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

orr_stand orr_steps_stand(const orr_steps *steps, orr_time time)
{
    const orr_step *s = steps->pool.at;
    orr_stand last = {0};
    for (orr_step_at at = steps->root; at;) {
        if (s[at].at > time) {
            at = s[at].left;
            continue;
        }
        last.value += s[s[at].left].sum + s[at].change;
        last.at = at;
        at = s[at].right;
    }
    return last;
}

/* Does a subtree, with `value` before it, hold a step from which on the value is at least (`rising`) or less than
 * `bound`? Before it that isn't so, hence the empty running sum does no harm. */
static bool turns_in(const orr_step *subtree, int32_t value, int32_t bound, bool rising)
{
    return rising ? value + subtree->high >= bound : value + subtree->low < bound;
}

/* The first such step of a subtree that holds one. */
static orr_stand first_turn_in(const orr_step *s, orr_step_at at, int32_t value, int32_t bound, bool rising)
{
    for (;;) {
        orr_step_at left = s[at].left;
        if (turns_in(&s[left], value, bound, rising)) {
            at = left;
            continue;
        }
        value += s[left].sum + s[at].change;
        if ((value >= bound) == rising)
            return (orr_stand){at, value};
        at = s[at].right;
    }
}

orr_stand orr_steps_turn(const orr_steps *steps, orr_stand from, int32_t bound)
{
    const orr_step *s = steps->pool.at;
    bool rising = from.value < bound;
    int32_t value = from.value;
    for (orr_step_at at = from.at;;) {
        orr_step_at right = s[at].right;
        if (turns_in(&s[right], value, bound, rising))
            return first_turn_in(s, right, value, bound, rising);
        value += s[right].sum;
        while (s[s[at].up].right == at) /* up past those that lie before */
            at = s[at].up;
        at = s[at].up;
        if (!at)
            return (orr_stand){0, value};
        value += s[at].change;
        if ((value >= bound) == rising)
            return (orr_stand){at, value};
    }
}
