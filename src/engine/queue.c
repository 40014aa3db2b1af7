/* A 4-ary heap over (time, class|sequence). Node i has children 4i+1 .. 4i+4; the array is shifted by three entries so
 * that the four siblings share a 64-byte line. Sifting moves a hole instead of swapping. */
#include "engine/queue.h"

#include "base/mem.h"

#include <stdlib.h>

enum { ARITY = 4, SHIFT = 3 };

typedef struct key {
    int64_t at;
    uint64_t order; /* class in the top byte, sequence below */
} key;

typedef struct slot {
    orr_queued event;
    uint32_t generation;
    uint32_t place; /* position in the heap, or the next free slot */
} slot;

struct orr_queue {
    key *keys;       /* SHIFT entries of padding in front */
    uint32_t *slots; /* slot number by heap position */
    void *keys_block;
    slot *pool;
    uint32_t count, capacity, pool_count, pool_capacity, free_slot;
    uint64_t sequence, compares;
};

#define NO_SLOT UINT32_MAX

orr_queue *orr_queue_create(void)
{
    orr_queue *q = orr_xcalloc(1, sizeof *q);
    q->free_slot = NO_SLOT;
    return q;
}

void orr_queue_destroy(orr_queue *q)
{
    if (!q)
        return;
    free(q->keys_block);
    free(q->slots);
    free(q->pool);
    free(q);
}

static void grow_heap(orr_queue *q)
{
    uint32_t capacity = q->capacity ? q->capacity * 2 : 64;
    size_t bytes = ((size_t)capacity + SHIFT) * sizeof(key);
    void *block = orr_xmalloc(bytes + 64);
    key *base = (key *)(((uintptr_t)block + 63) & ~(uintptr_t)63);
    if (q->count)
        memcpy(base + SHIFT, q->keys, q->count * sizeof(key));
    free(q->keys_block);
    q->keys_block = block;
    q->keys = base + SHIFT;
    q->slots = orr_xrealloc(q->slots, capacity, sizeof *q->slots);
    q->capacity = capacity;
}

static uint32_t take_slot(orr_queue *q)
{
    if (q->free_slot != NO_SLOT) {
        uint32_t s = q->free_slot;
        q->free_slot = q->pool[s].place;
        return s;
    }
    if (q->pool_count == q->pool_capacity) {
        q->pool_capacity = q->pool_capacity ? q->pool_capacity * 2 : 64;
        q->pool = orr_xrealloc(q->pool, q->pool_capacity, sizeof *q->pool);
    }
    q->pool[q->pool_count].generation = 1;
    return q->pool_count++;
}

static void drop_slot(orr_queue *q, uint32_t s)
{
    if (++q->pool[s].generation == 0)
        q->pool[s].generation = 1;
    q->pool[s].place = q->free_slot;
    q->free_slot = s;
}

static inline bool before(const key *a, const key *b)
{
    return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static inline void put(orr_queue *q, uint32_t place, key k, uint32_t s)
{
    q->keys[place] = k;
    q->slots[place] = s;
    q->pool[s].place = place;
}

static void sift_up(orr_queue *q, uint32_t hole, key k, uint32_t s)
{
    while (hole > 0) {
        uint32_t parent = (hole - 1) / ARITY;
        q->compares++;
        if (!before(&k, &q->keys[parent]))
            break;
        put(q, hole, q->keys[parent], q->slots[parent]);
        hole = parent;
    }
    put(q, hole, k, s);
}

static uint32_t least_child(orr_queue *q, uint32_t first)
{
    uint32_t end = first + ARITY < q->count ? first + ARITY : q->count;
    uint32_t best = first;
    for (uint32_t c = first + 1; c < end; c++) {
        q->compares++;
        if (before(&q->keys[c], &q->keys[best]))
            best = c;
    }
    return best;
}

static void sift_down(orr_queue *q, uint32_t hole, key k, uint32_t s)
{
    for (;;) {
        uint32_t first = hole * ARITY + 1;
        if (first >= q->count)
            break;
        uint32_t child = least_child(q, first);
        q->compares++;
        if (!before(&q->keys[child], &k))
            break;
        put(q, hole, q->keys[child], q->slots[child]);
        hole = child;
    }
    put(q, hole, k, s);
}

/* Puts (k, s) where `hole` is, whichever way it has to go. */
static void settle(orr_queue *q, uint32_t hole, key k, uint32_t s)
{
    if (hole > 0 && before(&k, &q->keys[(hole - 1) / ARITY]))
        sift_up(q, hole, k, s);
    else
        sift_down(q, hole, k, s);
}

static key next_key(orr_queue *q, orr_time at, orr_class class_)
{
    return (key){.at = at, .order = (uint64_t)class_ << 56 | q->sequence++};
}

orr_event_id orr_queue_add(orr_queue *q, const orr_queued *event)
{
    if (q->count == q->capacity)
        grow_heap(q);
    uint32_t s = take_slot(q);
    q->pool[s].event = *event;
    sift_up(q, q->count++, next_key(q, event->at, event->class_), s);
    return (orr_event_id)q->pool[s].generation << 32 | s;
}

static slot *find(const orr_queue *q, orr_event_id id)
{
    uint32_t s = (uint32_t)id;
    if (id == 0 || s >= q->pool_count || q->pool[s].generation != id >> 32)
        return NULL;
    return &q->pool[s];
}

/* Takes the entry at `place` out of the heap; its slot stays. */
static void unlink_place(orr_queue *q, uint32_t place)
{
    q->count--;
    if (place != q->count)
        settle(q, place, q->keys[q->count], q->slots[q->count]);
}

bool orr_queue_cancel(orr_queue *q, orr_event_id id)
{
    slot *e = find(q, id);
    if (!e)
        return false;
    unlink_place(q, e->place);
    drop_slot(q, (uint32_t)id);
    return true;
}

bool orr_queue_move(orr_queue *q, orr_event_id id, orr_time at)
{
    slot *e = find(q, id);
    if (!e)
        return false;
    e->event.at = at;
    settle(q, e->place, next_key(q, at, e->event.class_), (uint32_t)id);
    return true;
}

const orr_queued *orr_queue_peek(const orr_queue *q)
{
    return q->count ? &q->pool[q->slots[0]].event : NULL;
}

bool orr_queue_pop(orr_queue *q, orr_queued *out)
{
    if (!q->count)
        return false;
    uint32_t s = q->slots[0];
    *out = q->pool[s].event;
    unlink_place(q, 0);
    drop_slot(q, s);
    return true;
}

size_t orr_queue_count(const orr_queue *q)
{
    return q->count;
}

uint64_t orr_queue_compares(const orr_queue *q)
{
    return q->compares;
}
