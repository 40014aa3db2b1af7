/* What a deal is worth: a power mean over its rows, and how well the columns in use are used. */
#include "solve/evolve.h"

#include "base/assert.h"

#include <math.h>

static double powered(double value, double p)
{
    if (p == -1)
        return 1 / value;
    return p == 0 ? log(value) : p == 1 ? value : pow(value, p);
}

static double mean_of(double sum, double n, double p)
{
    double mean = sum / n;
    if (p == -1)
        return 1 / mean;
    return p == 0 ? exp(mean) : p == 1 ? mean : pow(mean, 1 / p);
}

double orr_power_mean(const double *value, size_t n, double p, double floor)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += powered(fmax(value[i], 0) + floor, p);
    return mean_of(sum, (double)n, p);
}

/* Columns met so far, as bits. */
typedef struct columns {
    uint64_t bits[(UINT16_MAX + 1) / 64];
    int32_t count, units;
} columns;

static void meet(columns *met, const orr_merit *merit, int32_t column)
{
    uint64_t bit = UINT64_C(1) << (column % 64), *word = &met->bits[column / 64];
    if (*word & bit)
        return;
    *word |= bit;
    met->count++;
    met->units += merit->capacity[column];
}

void orr_merit_score(const orr_merit *m, const orr_deal *deal, double score[2])
{
    columns met; /* 8 KB, of which little is looked at */
    memset(met.bits, 0, ((size_t)m->columns + 63) / 64 * sizeof *met.bits);
    met.count = met.units = 0;
    double sum = 0, values = 0, nothing = powered(m->floor, m->power);
    for (int32_t j = 0; j < deal->rows; j++) {
        uint32_t first = deal->start[j], end = deal->start[j + 1];
        if (first == end) { /* worth nothing, whether or not it is so at present */
            sum += nothing;
            continue;
        }
        int32_t units = 0;
        for (uint32_t i = first; i < end; i++) {
            units += deal->parts[i].count;
            meet(&met, m, deal->parts[i].column);
        }
        double value = m->value(m->self, j, units, (int32_t)(end - first));
        double factor = orr_deal_same_row(deal, m->present, j) ? 1 : m->changed[j];
        sum += powered(value * m->scale * factor + m->floor, m->power);
        values += value;
    }
    score[0] = deal->rows ? mean_of(sum, deal->rows, m->power) : 0;
    score[1] = m->fewest ? -met.count : met.units ? values / met.units : 0;
}
