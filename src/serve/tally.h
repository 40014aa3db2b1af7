/* Distributions of times, kept in little memory: counts by value, to 1 part in 128. */
#ifndef ORR_SERVE_TALLY_H
#define ORR_SERVE_TALLY_H

#include <orrery/time.h>

enum { ORR_TALLY_OCTAVES = 64, ORR_TALLY_PARTS = 128 };

/* Zeroed memory is an empty one. */
typedef struct orr_sv_tally {
    uint64_t *octaves[ORR_TALLY_OCTAVES]; /* [ORR_TALLY_PARTS] each, made when something falls into it */
    uint64_t count;
    double sum;     /* ns */
    orr_time least, most;
} orr_sv_tally;

uint64_t *orr_sv_tally_octave(orr_sv_tally *t, int octave);

/* 0: each of the least values has its own place. */
static inline int orr_sv_tally_octave_of(orr_time value)
{
    return value < ORR_TALLY_PARTS ? 0 : 63 - __builtin_clzll((uint64_t)value);
}

static inline int orr_sv_tally_part_of(orr_time value, int octave)
{
    return (int)(octave == 0 ? value : (value >> (octave - 7)) & (ORR_TALLY_PARTS - 1));
}

static inline void orr_sv_tally_add(orr_sv_tally *t, orr_time value)
{
    const int octave = orr_sv_tally_octave_of(value);
    uint64_t *parts = t->octaves[octave];
    if (__builtin_expect(!parts, 0))
        parts = orr_sv_tally_octave(t, octave);
    parts[orr_sv_tally_part_of(value, octave)]++;
    t->least = t->count == 0 || value < t->least ? value : t->least;
    t->most = value > t->most ? value : t->most;
    t->count++;
    t->sum += (double)value;
}

void orr_sv_tally_add_many(orr_sv_tally *t, orr_time value, uint64_t n); /* n >= 1 times the same */

/* The value that a part `q` of `all` (>= count) lies below, those that aren't counted being the greatest: linear
 * between the edges of a place, never outside least and most. NaN: nothing there, or it falls among those that aren't
 * counted. */
double orr_sv_tally_quantile(const orr_sv_tally *t, double q, uint64_t all);
void orr_sv_tally_join(orr_sv_tally *to, const orr_sv_tally *t);
uint64_t orr_sv_tally_at(const orr_sv_tally *t, orr_time value); /* how many lie in its place */
void orr_sv_tally_fini(orr_sv_tally *t);

#endif
