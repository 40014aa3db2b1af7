/* Memory: checked allocation, arenas as a list of blocks, growth of arrays by doubling.
 *
 * An arena allocates from its newest block only. A request too large for it gets a block of its own behind the head, so
 * that the room left in the head isn't lost.
 */
#include "base/mem.h"

#include <stdio.h>

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct orr_arena_block {
    orr_arena_block *next;
    size_t size; /* of the room behind this header */
};

_Noreturn void orr_out_of_memory(size_t size)
{
    if (size)
        fprintf(stderr, "orrery: error: out of memory (%zu bytes were asked for) [memory]\n", size);
    else
        fputs("orrery: error: out of memory [memory]\n", stderr);
    _Exit(71);
}

/* malloc(0) may be NULL, which isn't a failure: ask for one byte. */
static size_t at_least_one(size_t size)
{
    return size ? size : 1;
}

void *orr_xmalloc(size_t size)
{
    void *p = malloc(at_least_one(size));
    if (!p)
        orr_out_of_memory(size);
    return p;
}

void *orr_xcalloc(size_t count, size_t size)
{
    void *p = count && size ? calloc(count, size) : calloc(1, 1);
    if (!p)
        orr_out_of_memory(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    return p;
}

void *orr_xrealloc(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        orr_out_of_memory(SIZE_MAX);
    void *grown = realloc(p, at_least_one(count * size));
    if (!grown)
        orr_out_of_memory(count * size);
    return grown;
}

char *orr_xstrdup(const char *s)
{
    return orr_xstrndup(s, strlen(s));
}

char *orr_xstrndup(const char *s, size_t n)
{
    char *copy = orr_xmalloc(n + 1);
    if (n)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

static size_t aligned(size_t size)
{
    if (size > SIZE_MAX - 4096)
        orr_out_of_memory(size);
    return (at_least_one(size) + ALIGN - 1) / ALIGN * ALIGN;
}

static const size_t header = (sizeof(orr_arena_block) + ALIGN - 1) / ALIGN * ALIGN;

static orr_arena_block *new_block(size_t size)
{
    orr_arena_block *block = orr_xmalloc(header + size);
    block->size = size;
    block->next = NULL;
    return block;
}

static void *room_of(orr_arena_block *block, size_t offset)
{
    return (char *)block + header + offset;
}

static void push_block(orr_arena *a, size_t need)
{
    size_t size = a->head ? a->head->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    orr_arena_block *block = new_block(size > need ? size : need);
    block->next = a->head;
    a->head = block;
    a->used = 0;
}

static void *alloc_apart(orr_arena *a, size_t size)
{
    orr_arena_block *block = new_block(size);
    block->next = a->head->next;
    a->head->next = block;
    return memset(room_of(block, 0), 0, size);
}

void *orr_arena_alloc(orr_arena *a, size_t size)
{
    size = aligned(size);
    a->total += size;
    if (!a->head || a->head->size - a->used < size) {
        if (a->head && size > LARGEST_BLOCK / 4)
            return alloc_apart(a, size);
        push_block(a, size);
    }
    void *p = room_of(a->head, a->used);
    a->used += size;
    return memset(p, 0, size);
}

char *orr_arena_strdup(orr_arena *a, const char *s, size_t n)
{
    char *copy = orr_arena_alloc(a, n + 1);
    if (n)
        memcpy(copy, s, n);
    return copy;
}

static void free_blocks(orr_arena_block *block)
{
    while (block) {
        orr_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void orr_arena_reset(orr_arena *a)
{
    if (a->head) {
        free_blocks(a->head->next);
        a->head->next = NULL;
    }
    a->used = a->total = 0;
}

void orr_arena_fini(orr_arena *a)
{
    free_blocks(a->head);
    *a = (orr_arena){0};
}

void *orr_vec_grow(void *at, size_t *cap, size_t need, size_t size)
{
    size_t doubled = *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
    size_t wanted = need > doubled ? need : doubled;
    if (wanted < 8)
        wanted = 8;
    at = orr_xrealloc(at, wanted, size);
    *cap = wanted;
    return at;
}
