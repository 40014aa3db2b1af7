/* What the parts of the breeder share: a deal and what is known of it, and what children are made with. */
#ifndef ORR_SOLVE_EVOLVE_H
#define ORR_SOLVE_EVOLVE_H

#include "base/mem.h"
#include <orrery/evolve.h>

typedef struct orr_bred {
    uint32_t *start;
    orr_deal_part *parts;
    double score[2];
    uint64_t hash; /* of rows and parts */
    double crowding;
} orr_bred;

/* Children are made one at a time, row by row. */
typedef struct orr_breeder {
    const orr_evolve_rules *rules;
    orr_deal present;
    uint64_t random;
    /* the child before it grows: both parents' rows */
    uint64_t *special; /* rows that are reset or thinned out */
    uint32_t *start;
    ORR_VEC(orr_deal_part) parts;
    int32_t *used, *holders; /* by column */
    /* while it grows */
    uint16_t *open;   /* columns with units left */
    int32_t opens;
    double *chance;   /* by column: odds of a row that has some of it to get more; < 0: no units are left */
    double even;      /* one by the log of the odds that an element isn't chosen */
    /* the chosen element that comes next: its row (beyond all: none does), and which of `open` */
    int32_t next_row, next_open;
    ORR_VEC(orr_deal_part) row;
    /* while it is repaired */
    int32_t *left;    /* by column */
    bool *claimed;    /* by column: a row that keeps apart has it */
    uint32_t *out_start;
    orr_deal_part *out;
    uint32_t n;
    uint64_t hash;
} orr_breeder;

/* SplitMix64: fast, and good enough for odds. */
static inline uint64_t orr_draw(uint64_t *random)
{
    uint64_t x = *random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* 0 .. n - 1; the bias is n / 2^32. */
static inline uint32_t orr_draw_below(uint64_t *random, uint32_t n)
{
    return (uint32_t)((orr_draw(random) >> 32) * n >> 32);
}

static inline bool orr_draw_odds(uint64_t *random, double odds)
{
    return (double)(orr_draw(random) >> 11) * 0x1p-53 < odds;
}

/* `b` is zeroed before the first time. */
void orr_breeder_init(orr_breeder *b, const orr_evolve_rules *rules, const orr_deal *present);
void orr_breeder_fini(orr_breeder *b);
/* A child with rows before `cut` of `first`, the others of `second`; crossing UNIFORM: `cut` < 0, and each row has even
 * odds. */
void orr_breed(orr_breeder *b, const orr_bred *first, const orr_bred *second, int32_t cut, orr_bred *child);
/* Repairs row after row into `out`. */
void orr_repair_begin(orr_breeder *b, uint32_t *start, orr_deal_part *parts);
void orr_repair_row(orr_breeder *b, int32_t row, const orr_deal_part *part, uint32_t n);
/* The numbers of those that survive, `most` at most, and their crowding. */
size_t orr_survivors(const double (*score)[2], size_t n, size_t most, uint64_t *random, uint32_t *chosen,
                     double *crowding);

#endif
