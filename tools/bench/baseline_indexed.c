/* The indexed binary heap: tags are swapped whole, and the hash map follows each of them. Open addressing with linear
 * probing, at most half full; a slot whose event is gone may be taken again by the next handle that passes it. */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

typedef struct tag {
    uint64_t handle; /* also the sequence */
    uint64_t slot;   /* in the map */
    orr_time at;
    int64_t priority;
    void *payload[4];
} tag; /* 64 bytes */

typedef struct entry {
    uint64_t handle; /* 0: never used */
    uint64_t place;  /* in the heap, from 1; 0: the event is gone */
} entry;

struct indexed_heap {
    tag *tags; /* from 1 */
    entry *map;
    uint64_t count, capacity, map_mask, next;
};

static void *must(void *p)
{
    if (!p)
        abort();
    return p;
}

indexed_heap *indexed_create(void)
{
    indexed_heap *h = must(calloc(1, sizeof *h));
    h->capacity = 64;
    h->map_mask = 2 * h->capacity - 1;
    h->tags = must(aligned_alloc(64, h->capacity * sizeof(tag)));
    h->map = must(calloc(h->map_mask + 1, sizeof(entry)));
    h->next = 1;
    return h;
}

void indexed_destroy(indexed_heap *h)
{
    if (!h)
        return;
    free(h->tags);
    free(h->map);
    free(h);
}

static uint64_t hash_of(const indexed_heap *h, uint64_t handle)
{
    return (handle * 0x9E3779B97F4A7C15u >> 20) & h->map_mask;
}

static uint64_t free_entry(const indexed_heap *h, uint64_t handle)
{
    uint64_t i = hash_of(h, handle);
    while (h->map[i].place)
        i = (i + 1) & h->map_mask;
    return i;
}

static void grow(indexed_heap *h)
{
    tag *tags = must(aligned_alloc(64, 2 * h->capacity * sizeof(tag)));
    memcpy(tags, h->tags, h->capacity * sizeof(tag));
    free(h->tags);
    h->tags = tags;
    h->capacity *= 2;
    h->map_mask = 2 * h->capacity - 1;
    free(h->map);
    h->map = must(calloc(h->map_mask + 1, sizeof(entry)));
    for (uint64_t p = 1; p <= h->count; p++) {
        tags[p].slot = free_entry(h, tags[p].handle);
        h->map[tags[p].slot] = (entry){tags[p].handle, p};
    }
}

static bool before(const tag *a, const tag *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->handle < b->handle;
}

static void put(indexed_heap *h, uint64_t place, const tag *t)
{
    h->tags[place] = *t;
    h->map[t->slot].place = place;
}

static void sift_up(indexed_heap *h, uint64_t place, tag t)
{
    for (; place > 1 && before(&t, &h->tags[place / 2]); place /= 2)
        put(h, place, &h->tags[place / 2]);
    put(h, place, &t);
}

static void sift_down(indexed_heap *h, uint64_t place, tag t)
{
    for (;;) {
        uint64_t child = 2 * place;
        if (child > h->count)
            break;
        if (child < h->count && before(&h->tags[child + 1], &h->tags[child]))
            child++;
        if (!before(&h->tags[child], &t))
            break;
        put(h, place, &h->tags[child]);
        place = child;
    }
    put(h, place, &t);
}

uint64_t indexed_push(indexed_heap *h, orr_time at, int64_t priority, void *what)
{
    if (h->count + 1 == h->capacity)
        grow(h);
    tag t = {.handle = h->next++, .at = at, .priority = priority, .payload = {what}};
    t.slot = free_entry(h, t.handle);
    h->map[t.slot].handle = t.handle;
    h->count++;
    sift_up(h, h->count, t);
    return t.handle;
}

static void take(indexed_heap *h, uint64_t place)
{
    h->map[h->tags[place].slot].place = 0;
    tag last = h->tags[h->count--];
    if (place > h->count)
        return;
    if (place > 1 && before(&last, &h->tags[place / 2]))
        sift_up(h, place, last);
    else
        sift_down(h, place, last);
}

bool indexed_cancel(indexed_heap *h, uint64_t handle)
{
    uint64_t i = hash_of(h, handle), looked = 0;
    while (h->map[i].handle && h->map[i].handle != handle && looked++ <= h->map_mask)
        i = (i + 1) & h->map_mask;
    if (h->map[i].handle != handle || !h->map[i].place)
        return false;
    take(h, h->map[i].place);
    return true;
}

orr_time indexed_pop(indexed_heap *h, void **what)
{
    orr_time at = h->tags[1].at;
    *what = h->tags[1].payload[0];
    take(h, 1);
    return at;
}
