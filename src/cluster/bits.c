#include "cluster/bits.h"

#include "base/mem.h"

#include <stdlib.h>

int orr_lowest_bit(uint64_t w)
{
    return __builtin_ctzll(w);
}

int orr_bit_count(uint64_t w)
{
    return __builtin_popcountll(w);
}

uint64_t orr_lowest_bits(uint64_t w, int32_t count)
{
    uint64_t rest = w;
    for (; count > 0; count--)
        rest &= rest - 1;
    return w & ~rest;
}

void orr_bits_init(orr_bits *b, int32_t size)
{
    *b = (orr_bits){.size = size};
    size_t words = (size_t)size;
    do {
        words = (words + 63) / 64;
        b->level[b->depth++] = orr_xcalloc(words ? words : 1, sizeof(uint64_t));
    } while (words > 1 && b->depth < ORR_BITS_LEVELS);
}

void orr_bits_fini(orr_bits *b)
{
    for (int d = 0; d < b->depth; d++)
        free(b->level[d]);
    *b = (orr_bits){0};
}

void orr_bits_add(orr_bits *b, int32_t i)
{
    for (int d = 0; d < b->depth; d++, i >>= 6)
        b->level[d][i >> 6] |= (uint64_t)1 << (i & 63);
}

void orr_bits_remove(orr_bits *b, int32_t i)
{
    for (int d = 0; d < b->depth; d++, i >>= 6) {
        b->level[d][i >> 6] &= ~((uint64_t)1 << (i & 63));
        if (b->level[d][i >> 6])
            return;
    }
}

/* Climbs until a word has a member at or after the place, then descends to the lowest one. */
int32_t orr_bits_next(const orr_bits *b, int32_t i)
{
    if (i < 0)
        i = 0;
    if (i >= b->size)
        return -1;
    int d = 0;
    int32_t at = i;
    for (;;) {
        uint64_t word = b->level[d][at >> 6] & (~(uint64_t)0 << (at & 63));
        if (word) {
            at = (at & ~63) | orr_lowest_bit(word);
            break;
        }
        int32_t words = b->size; /* words of this level */
        for (int k = 0; k <= d; k++)
            words = (words + 63) / 64;
        at = (at >> 6) + 1;
        if (++d == b->depth || at >= words)
            return -1;
    }
    while (d-- > 0)
        at = (at << 6) | orr_lowest_bit(b->level[d][at]);
    return at;
}
