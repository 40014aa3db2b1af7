/* A binary heap whose elements know their places, so that one can be taken out or moved from anywhere. */
#include "sched/ctx.h"

static void put(orr_heap *h, int32_t place, void *item)
{
    h->at[place - 1] = item;
    *h->place(h->self, item) = place;
}

/* From an empty place up or down to where it belongs. */
static void settle(orr_heap *h, int32_t place, void *item)
{
    while (place > 1 && h->before(h->self, item, h->at[place / 2 - 1])) {
        put(h, place, h->at[place / 2 - 1]);
        place /= 2;
    }
    for (int32_t child; (child = 2 * place) <= h->count; place = child) {
        if (child < h->count && h->before(h->self, h->at[child], h->at[child - 1]))
            child++;
        if (!h->before(h->self, h->at[child - 1], item))
            break;
        put(h, place, h->at[child - 1]);
    }
    put(h, place, item);
}

void orr_heap_add(orr_ctx *ctx, orr_heap *h, void *item)
{
    if (h->count == h->room) {
        void **before = h->at;
        h->room = h->room ? 2 * h->room : 8;
        h->at = orr_alloc_memory(ctx, (size_t)h->room * sizeof *h->at);
        for (int32_t i = 0; i < h->count; i++)
            h->at[i] = before[i];
    }
    settle(h, ++h->count, item);
}

bool orr_heap_remove(orr_heap *h, void *item)
{
    int32_t place = *h->place(h->self, item);
    if (!place)
        return false;
    *h->place(h->self, item) = 0;
    void *last = h->at[--h->count];
    if (last != item)
        settle(h, place, last);
    return true;
}

void orr_heap_moved(orr_heap *h, void *item)
{
    if (*h->place(h->self, item))
        settle(h, *h->place(h->self, item), item);
}
