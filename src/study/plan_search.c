/* The state is the sorted list of tries; each round is worked out from it alone. */
#include "study/plan_search.h"

#include "base/assert.h"
#include "base/mem.h"

enum { ROUND = 4 }; /* sizes of a round; fixed, since what is tried may not depend on the machine */

struct orr_plan_search {
    orr_plan_range range;
    ORR_VEC(orr_plan_try) tried; /* ascending */
    ORR_VEC(int64_t) round;
};

orr_plan_search *orr_plan_search_create(orr_plan_range range)
{
    ORR_ASSERT(range.low >= 1 && range.low <= range.high, "a range of sizes");
    orr_plan_search *s = orr_xcalloc(1, sizeof *s);
    s->range = range;
    return s;
}

void orr_plan_search_destroy(orr_plan_search *s)
{
    if (!s)
        return;
    ORR_VEC_FREE(&s->tried);
    ORR_VEC_FREE(&s->round);
    free(s);
}

/* ---- the tries ---- */

/* Of the first try of at least this size. */
static size_t place_of(const orr_plan_search *s, int64_t size)
{
    size_t low = 0, high = s->tried.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->tried.at[middle].size < size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_tried(const orr_plan_search *s, int64_t size)
{
    const size_t i = place_of(s, size);
    return i < s->tried.n && s->tried.at[i].size == size;
}

static void insert(orr_plan_search *s, int64_t size)
{
    const size_t i = place_of(s, size);
    ORR_VEC_PUSH(&s->tried, (orr_plan_try){0});
    memmove(&s->tried.at[i + 1], &s->tried.at[i], (s->tried.n - 1 - i) * sizeof *s->tried.at);
    s->tried.at[i] = (orr_plan_try){.size = size};
}

/* Into the round, unless it is out of range or was tried; in ascending order. */
static void want(orr_plan_search *s, int64_t size)
{
    if (size >= s->range.low && size <= s->range.high && !is_tried(s, size))
        ORR_VEC_PUSH(&s->round, size);
}

/* ---- the rounds ---- */

static void every_size(orr_plan_search *s)
{
    if (s->tried.n)
        return;
    for (int64_t size = s->range.low; size <= s->range.high; size++)
        want(s, size);
}

/* Nothing tried so far does. */
static void greater_sizes(orr_plan_search *s)
{
    int64_t last = s->tried.n ? s->tried.at[s->tried.n - 1].size : 0;
    while (s->round.n < ROUND && last < s->range.high) {
        const int64_t next = last == 0 ? s->range.low : last > s->range.high / 2 ? s->range.high : 2 * last;
        want(s, next);
        last = next;
    }
}

/* Between `below`, which doesn't, and `found`, which does. */
static void part_gap(orr_plan_search *s, int64_t below, int64_t found)
{
    const int64_t inside = found - below - 1, parts = inside < ROUND ? inside : ROUND;
    for (int64_t i = 1; i <= parts; i++)
        want(s, below + (inside + 1) * i / (parts + 1));
}

static void neighbours(orr_plan_search *s, int64_t found)
{
    for (int64_t size = found - s->range.check; size <= found + s->range.check; size++)
        want(s, size);
}

static void plan_round(orr_plan_search *s)
{
    const int64_t found = orr_plan_search_found(s);
    if (s->range.all) {
        every_size(s);
        return;
    }
    if (!found) {
        greater_sizes(s);
        return;
    }
    const size_t i = place_of(s, found);
    part_gap(s, i ? s->tried.at[i - 1].size : s->range.low - 1, found);
    if (s->round.n == 0)
        neighbours(s, found);
}

const int64_t *orr_plan_search_next(orr_plan_search *s, size_t *n)
{
    s->round.n = 0;
    plan_round(s);
    for (size_t i = 0; i < s->round.n; i++)
        insert(s, s->round.at[i]);
    *n = s->round.n;
    return s->round.at;
}

void orr_plan_search_tell(orr_plan_search *s, int64_t size, bool met)
{
    const size_t i = place_of(s, size);
    ORR_ASSERT(i < s->tried.n && s->tried.at[i].size == size, "only what was asked is told");
    s->tried.at[i].met = met;
}

/* ---- what came out ---- */

int64_t orr_plan_search_found(const orr_plan_search *s)
{
    for (size_t i = 0; i < s->tried.n; i++)
        if (s->tried.at[i].met)
            return s->tried.at[i].size;
    return 0;
}

int64_t orr_plan_search_steady(const orr_plan_search *s)
{
    size_t i = s->tried.n;
    while (i && s->tried.at[i - 1].met)
        i--;
    return i < s->tried.n ? s->tried.at[i].size : 0;
}

const orr_plan_try *orr_plan_search_tried(const orr_plan_search *s, size_t *n)
{
    *n = s->tried.n;
    return s->tried.at;
}
