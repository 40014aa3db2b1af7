#include "serve/tally.h"

#include "base/mem.h"

#include <math.h>

uint64_t *orr_sv_tally_octave(orr_sv_tally *t, int octave)
{
    return t->octaves[octave] = orr_xcalloc(ORR_TALLY_PARTS, sizeof(uint64_t));
}

/* The values of a place are [low, low + width). */
static void edges(int octave, int part, double *low, double *width)
{
    if (octave == 0) {
        *width = 1;
        *low = part;
        return;
    }
    *width = ldexp(1, octave - 7);
    *low = ldexp(1, octave) + (double)part * *width;
}

double orr_sv_tally_quantile(const orr_sv_tally *t, double q, uint64_t all)
{
    const double rank = q * (double)(all ? all - 1 : 0);
    if (!t->count || rank > (double)(t->count - 1))
        return NAN;
    double before = 0;
    for (int o = 0; o < ORR_TALLY_OCTAVES; o++) {
        for (int p = 0; t->octaves[o] && p < ORR_TALLY_PARTS; p++) {
            const double here = (double)t->octaves[o][p];
            if (here > 0 && rank < before + here) {
                double low, width;
                edges(o, p, &low, &width);
                const double value = low + width * (rank - before + 0.5) / here;
                return fmin(fmax(value, (double)t->least), (double)t->most);
            }
            before += here;
        }
    }
    return (double)t->most;
}

void orr_sv_tally_fini(orr_sv_tally *t)
{
    for (int o = 0; o < ORR_TALLY_OCTAVES; o++)
        free(t->octaves[o]);
}

void orr_sv_tally_add_many(orr_sv_tally *t, orr_time value, uint64_t n)
{
    const int octave = orr_sv_tally_octave_of(value);
    orr_sv_tally_add(t, value);
    t->octaves[octave][orr_sv_tally_part_of(value, octave)] += n - 1;
    t->count += n - 1;
    t->sum += (double)value * (double)(n - 1);
}

void orr_sv_tally_join(orr_sv_tally *to, const orr_sv_tally *t)
{
    for (int o = 0; o < ORR_TALLY_OCTAVES; o++) {
        if (!t->octaves[o])
            continue;
        uint64_t *parts = to->octaves[o] ? to->octaves[o] : orr_sv_tally_octave(to, o);
        for (int p = 0; p < ORR_TALLY_PARTS; p++)
            parts[p] += t->octaves[o][p];
    }
    if (t->count) {
        to->least = to->count == 0 || t->least < to->least ? t->least : to->least;
        to->most = t->most > to->most ? t->most : to->most;
    }
    to->count += t->count;
    to->sum += t->sum;
}

uint64_t orr_sv_tally_at(const orr_sv_tally *t, orr_time value)
{
    const int octave = orr_sv_tally_octave_of(value);
    return t->octaves[octave] ? t->octaves[octave][orr_sv_tally_part_of(value, octave)] : 0;
}
