#include "sched/timers.h"

#include "base/mem.h"

#include <stdlib.h>

#define uthash_malloc(size) orr_xmalloc(size)
#pragma GCC diagnostic ignored "-Wconversion"
#include <uthash.h>

struct timer {
    uint64_t cookie;
    orr_event_id id;
    UT_hash_handle hh;
};

orr_event_id *orr_timers_at(struct timer **timers, uint64_t cookie)
{
    struct timer *t;
    HASH_FIND(hh, *timers, &cookie, sizeof cookie, t);
    if (!t) {
        t = orr_xcalloc(1, sizeof *t);
        t->cookie = cookie;
        HASH_ADD(hh, *timers, cookie, sizeof t->cookie, t);
    }
    return &t->id;
}

orr_event_id orr_timers_drop(struct timer **timers, uint64_t cookie)
{
    struct timer *t;
    HASH_FIND(hh, *timers, &cookie, sizeof cookie, t);
    if (!t)
        return 0;
    orr_event_id id = t->id;
    HASH_DEL(*timers, t);
    free(t);
    return id;
}

void orr_timers_free(struct timer **timers)
{
    struct timer *t, *next;
    HASH_ITER(hh, *timers, t, next)
    {
        HASH_DEL(*timers, t);
        free(t);
    }
}
