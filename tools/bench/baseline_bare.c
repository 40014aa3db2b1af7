/* The bare 4-ary heap: siblings share a cache line, sifting moves a hole. */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

enum { ARITY = 4, SHIFT = 3 };

typedef struct key {
    orr_time at;
    uint64_t sequence;
} key;

struct bare_heap {
    key *keys; /* `SHIFT` unused ones in front, so that the children of a node begin a line */
    size_t count, capacity;
    uint64_t next;
};

static key *keys_of(size_t capacity)
{
    size_t bytes = (capacity + SHIFT) * sizeof(key);
    key *keys = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!keys)
        abort();
    return keys;
}

bare_heap *bare_create(void)
{
    bare_heap *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    h->capacity = 64;
    h->keys = keys_of(h->capacity);
    return h;
}

void bare_destroy(bare_heap *h)
{
    if (!h)
        return;
    free(h->keys);
    free(h);
}

static bool before(key a, key b)
{
    return a.at < b.at || (a.at == b.at && a.sequence < b.sequence);
}

void bare_push(bare_heap *h, orr_time at)
{
    if (h->count == h->capacity) {
        key *keys = keys_of(2 * h->capacity);
        memcpy(keys + SHIFT, h->keys + SHIFT, h->count * sizeof(key));
        free(h->keys);
        h->keys = keys;
        h->capacity *= 2;
    }
    key *k = h->keys + SHIFT, new = {at, h->next++};
    size_t hole = h->count++;
    for (; hole > 0 && before(new, k[(hole - 1) / ARITY]); hole = (hole - 1) / ARITY)
        k[hole] = k[(hole - 1) / ARITY];
    k[hole] = new;
}

static size_t least_child(const key *k, size_t first, size_t count)
{
    size_t end = first + ARITY < count ? first + ARITY : count, best = first;
    for (size_t c = first + 1; c < end; c++)
        if (before(k[c], k[best]))
            best = c;
    return best;
}

orr_time bare_pop(bare_heap *h)
{
    key *k = h->keys + SHIFT, last = k[--h->count];
    orr_time at = k[0].at;
    size_t hole = 0;
    while (hole * ARITY + 1 < h->count) {
        size_t child = least_child(k, hole * ARITY + 1, h->count);
        if (!before(k[child], last))
            break;
        k[hole] = k[child];
        hole = child;
    }
    k[hole] = last;
    return at;
}
