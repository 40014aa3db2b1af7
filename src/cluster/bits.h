/* A set of small integers with "the first member at or after i" in O(log64 n): a bitmap of words, and over it a bitmap
 * of the words that aren't empty, and so on. Zeroed memory is not valid: init first. */
#ifndef ORR_CLUSTER_BITS_H
#define ORR_CLUSTER_BITS_H

#include <orrery/api.h>

enum { ORR_BITS_LEVELS = 4 }; /* up to 64^4 = 16.7 million members */

typedef struct orr_bits {
    uint64_t *level[ORR_BITS_LEVELS];
    int32_t depth, size;
} orr_bits;

void orr_bits_init(orr_bits *b, int32_t size);
void orr_bits_fini(orr_bits *b);
void orr_bits_add(orr_bits *b, int32_t i);
void orr_bits_remove(orr_bits *b, int32_t i);
/* The least member >= i, or -1. */
int32_t orr_bits_next(const orr_bits *b, int32_t i);

/* Position of the lowest set bit of a word that isn't 0; number of bits set. */
int orr_lowest_bit(uint64_t w);
int orr_bit_count(uint64_t w);
/* Its `count` lowest bits that are set, or all if it has fewer. */
uint64_t orr_lowest_bits(uint64_t w, int32_t count);

#endif
