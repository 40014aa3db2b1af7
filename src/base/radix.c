/* Least significant digit first, eleven bits a digit. The counts of all digits are made in one pass, and a digit that
 * is the same in all keys costs nothing more: times of one trace share their upper ones. */
#include "base/radix.h"

#include "base/mem.h"
#include <math.h>

enum { BITS = 11, VALUES = 1 << BITS, DIGITS = (64 + BITS - 1) / BITS };

typedef struct column {
    uint64_t *keys;
    uint32_t *values;
} column;

static size_t digit(uint64_t key, int d)
{
    return (size_t)(key >> (d * BITS)) & (VALUES - 1);
}

static void count_digits(const uint64_t *keys, size_t n, size_t (*counts)[VALUES])
{
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            counts[d][digit(keys[i], d)]++;
}

/* Counts become the places where each digit's run begins. */
static void to_places(size_t *counts)
{
    size_t place = 0;
    for (size_t v = 0; v < VALUES; v++) {
        size_t n = counts[v];
        counts[v] = place;
        place += n;
    }
}

static void deal(const column *from, const column *to, size_t n, int d, size_t *places)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = places[digit(from->keys[i], d)]++;
        to->keys[at] = from->keys[i];
        if (from->values)
            to->values[at] = from->values[i];
    }
}

void orr_radix_sort(uint64_t *keys, uint32_t *values, size_t n)
{
    if (n < 2)
        return;
    column at = {keys, values}, other = {orr_xcalloc(n, sizeof *keys), values ? orr_xcalloc(n, sizeof *values) : NULL};
    const column scratch = other;
    size_t(*counts)[VALUES] = orr_xcalloc(DIGITS, sizeof *counts);
    count_digits(keys, n, counts);
    for (int d = 0; d < DIGITS; d++) {
        if (counts[d][digit(keys[0], d)] == n)
            continue;
        to_places(counts[d]);
        deal(&at, &other, n, d, counts[d]);
        const column swap = at;
        at = other;
        other = swap;
    }
    if (at.keys != keys) {
        memcpy(keys, at.keys, n * sizeof *keys);
        if (values)
            memcpy(values, at.values, n * sizeof *values);
    }
    free(counts);
    free(scratch.keys);
    free(scratch.values);
}

#define SIGN ((uint64_t)1 << 63)

uint64_t orr_radix_double(double v)
{
    uint64_t bits;
    if (isnan(v))
        return UINT64_MAX;
    memcpy(&bits, &v, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

double orr_radix_double_back(uint64_t key)
{
    uint64_t bits = key & SIGN ? key ^ SIGN : ~key;
    double v;
    if (key == UINT64_MAX)
        return NAN;
    memcpy(&v, &bits, sizeof v);
    return v;
}
