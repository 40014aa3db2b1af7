/* How alike two names are: Ratcliff and Obershelp's ratio, 2 M / (length of a + length of b), M being the bytes matched
 * by taking the longest common block (the earliest in a, then in b) and going on left and right of it. This is what
 * Python's difflib computes, but for its leaving out of frequent characters in texts of 200 and more. Not symmetric. Of
 * longer names the first ORR_SIMILAR_LENGTH bytes count.
 *
 * One name is prepared and then compared with many.
 */
#ifndef ORR_PREDICT_SIMILAR_H
#define ORR_PREDICT_SIMILAR_H

#include <orrery/api.h>

#define ORR_SIMILAR_LENGTH 255

/* The name b: where its bytes stand, and scratch for the comparison. Positions count from 1; 0: none. */
typedef struct orr_similar {
    size_t length;
    uint8_t counts[256];                      /* of each byte, */
    uint8_t last[256];                        /* its last place, */
    uint8_t before[ORR_SIMILAR_LENGTH + 1];   /* and from a place the one before */
    uint32_t turn, turns[ORR_SIMILAR_LENGTH + 1];
    uint8_t runs[ORR_SIMILAR_LENGTH + 1];     /* length of the common block that ended at a place at that turn */
} orr_similar;

void orr_similar_to(orr_similar *b, const char *text);
/* O(pairs of equal bytes) a block. Two empty names are alike: 1. */
double orr_similarity(orr_similar *b, const char *a);
/* No less than the similarity, by counting bytes. O(length). */
double orr_similarity_bound(const orr_similar *b, const char *a);

#endif
