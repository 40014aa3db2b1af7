/* The prefix integral P(t) of the number present is piecewise linear with corners at the ends of stays; a stay's
 * company is P(to) - P(from). The sweep holds P and subtracts it at the start, adds it at the end. */
#include "metrics/presence.h"

#include "base/mem.h"
#include <stdlib.h>

typedef struct corner {
    orr_time at;
    orr_stay *stay;
    bool leaves;
} corner;

static int by_pool_then_time(const void *a, const void *b)
{
    const corner *x = a, *y = b;
    if (x->stay->pool != y->stay->pool)
        return x->stay->pool < y->stay->pool ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->stay != y->stay)
        return x->stay < y->stay ? -1 : 1;
    return (int)x->leaves - (int)y->leaves;
}

static corner *corners_of(orr_stay *stays, size_t n)
{
    corner *corners = orr_xcalloc(2 * n, sizeof *corners);
    for (size_t i = 0; i < n; i++) {
        ORR_ASSERT(stays[i].from <= stays[i].to, "a job ended before it came");
        corners[2 * i] = (corner){stays[i].from, &stays[i], false};
        corners[2 * i + 1] = (corner){stays[i].to, &stays[i], true};
    }
    qsort(corners, 2 * n, sizeof *corners, by_pool_then_time);
    return corners;
}

void orr_presence(orr_stay *stays, size_t n)
{
    if (n == 0)
        return;
    corner *corners = corners_of(stays, n);
    orr_wide integral = 0, present = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        const corner *c = &corners[i];
        bool same_pool = i > 0 && corners[i - 1].stay->pool == c->stay->pool;
        if (same_pool)
            integral += present * ((orr_wide)c->at - corners[i - 1].at);
        if (c->leaves)
            c->stay->company += integral;
        else
            c->stay->company = -integral;
        present += c->leaves ? -1 : 1;
    }
    free(corners);
}
