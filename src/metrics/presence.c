/* The prefix integral P(t) of the number present is piecewise linear with corners at the ends of stays; a stay's
 * company is P(to) - P(from). Beginnings and ends are each brought into the order of time and merged; within an instant
 * their order means nothing, for P is continuous. */
#include "metrics/presence.h"

#include "base/mem.h"
#include "base/radix.h"
#include <stdlib.h>

/* One kind of corner, in the order of time. */
typedef struct corners {
    uint64_t *times; /* as keys of the sort */
    uint32_t *stays;
} corners;

typedef struct pool {
    orr_time last;
    orr_wide integral, present; /* up to `last` */
} pool;

static orr_time time_of(uint64_t key)
{
    return (orr_time)(key ^ (uint64_t)1 << 63);
}

static corners corners_of(const orr_stay *stays, size_t n, bool ends)
{
    corners c = {orr_xcalloc(n + 1, sizeof *c.times), orr_xcalloc(n + 1, sizeof *c.stays)};
    for (size_t i = 0; i < n; i++) {
        ORR_ASSERT(stays[i].from <= stays[i].to, "a job ended before it came");
        c.times[i] = orr_radix_time(ends ? stays[i].to : stays[i].from);
        c.stays[i] = (uint32_t)i;
    }
    orr_radix_sort(c.times, c.stays, n);
    return c;
}

static void corners_fini(corners *c)
{
    free(c->times);
    free(c->stays);
}

static void pass(pool *p, orr_stay *stay, orr_time at, bool leaves)
{
    p->integral += p->present * ((orr_wide)at - p->last);
    p->last = at;
    p->present += leaves ? -1 : 1;
    stay->company += leaves ? p->integral : -p->integral;
}

void orr_presence(orr_stay *stays, size_t n, int32_t pools)
{
    corners from = corners_of(stays, n, false), to = corners_of(stays, n, true);
    pool *in = orr_xcalloc((size_t)pools + 1, sizeof *in);
    for (size_t i = 0; i < n; i++)
        stays[i].company = 0;
    for (size_t i = 0, j = 0; j < n;) {
        bool leaves = i == n || to.times[j] < from.times[i];
        orr_stay *stay = &stays[leaves ? to.stays[j] : from.stays[i]];
        pass(&in[stay->pool], stay, time_of(leaves ? to.times[j] : from.times[i]), leaves);
        *(leaves ? &j : &i) += 1;
    }
    free(in);
    corners_fini(&from);
    corners_fini(&to);
}
