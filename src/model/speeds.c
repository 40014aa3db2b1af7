#include "model/speeds.h"

#include "model/rate.h"

#include <math.h>

void orr_speeds_init(orr_speeds *s, const orr_throughputs *table, const orr_cluster *cluster)
{
    *s = (orr_speeds){.table = table, .cluster = cluster, .spread = orr_throughputs_uses_spread(table)};
    for (int32_t t = 0; t < cluster->types && t < ORR_MAX_TYPES; t++)
        s->types[t] = orr_throughputs_type(table, cluster->type_names[t]);
    for (int32_t i = 0; i < cluster->count; i++) {
        int32_t *widest = &s->widest[orr_lowest_bit(cluster->nodes[i].type)];
        const int32_t gpus = cluster->nodes[i].spec->gpus;
        *widest = gpus > *widest ? gpus : *widest;
    }
}

/* Steps/s of a row on a type of the table; < 0: not stated. Where nothing is said of gangs that are spread they are as
 * fast as others. */
static double steps_of(const orr_speeds *s, int32_t row, int32_t type, bool spread)
{
    const double apart = spread && s->spread ? orr_throughputs_spread(s->table, type, row) : -1;
    return apart < 0 ? orr_throughputs_alone(s->table, type, row) : apart;
}

/* ---- at the door ------------------------------------------------------------------------------------------------- */

/* The type on which its duration is stated. */
static int32_t reference_of(const orr_speeds *s, const orr_trace_job *r)
{
    int32_t type = orr_throughputs_referred(s->table);
    if (type < 0 && r->gpu_type[0]) /* "A|B" is the name of none */
        type = orr_throughputs_type(s->table, r->gpu_type);
    return type < 0 ? orr_throughputs_reference(s->table) : type;
}

static uint64_t impossible(const orr_speeds *s, int32_t row)
{
    uint64_t types = 0;
    for (int32_t t = 0; t < s->cluster->gpu_types && t < ORR_MAX_TYPES; t++)
        if (steps_of(s, row, s->types[t], false) == 0 && steps_of(s, row, s->types[t], true) <= 0)
            types |= (uint64_t)1 << t;
    return types;
}

orr_speeds_found orr_speeds_submit(const orr_speeds *s, orr_job *job)
{
    const orr_trace_job *r = job->record;
    job->speed_row = -1;
    job->step_rate = 1;
    if (r->gpus == 0)
        return ORR_SPEEDS_EXACT;
    const int32_t exact = orr_throughputs_job(s->table, r->model, r->gpus);
    const int32_t row = exact >= 0 ? exact : orr_throughputs_near(s->table, r->model, r->gpus);
    if (row < 0)
        return ORR_SPEEDS_NO_MODEL;
    job->types &= ~impossible(s, row);
    const double steps = orr_throughputs_alone(s->table, reference_of(s, r), row);
    if (!(steps > 0))
        return ORR_SPEEDS_NO_REFERENCE;
    int64_t gpus;
    orr_throughputs_model(s->table, row, &gpus);
    job->speed_row = row;
    job->speed_base = steps;
    job->step_rate = gpus == r->gpus ? steps : steps / (double)gpus * r->gpus;
    return exact >= 0 ? ORR_SPEEDS_EXACT : ORR_SPEEDS_NEAR;
}

/* ---- speeds ------------------------------------------------------------------------------------------------------ */

/* Of its gang, or of as many GPUs as `row` tells of. */
static double on_type(const orr_speeds *s, const orr_job *job, int32_t row, int32_t type, bool spread)
{
    const double steps = row < 0 ? -1 : steps_of(s, row, s->types[type], spread);
    if (steps < 0)
        return job->types >> type & 1 ? 1 : 0;
    return steps == job->speed_base ? 1 : steps / job->speed_base;
}

double orr_speeds_on(const orr_speeds *s, const orr_job *job, int32_t type, bool spread)
{
    const bool wide = job->record->gpus > s->widest[type]; /* the fewest nodes are several then */
    return job->types >> type & 1 ? on_type(s, job, job->speed_row, type, spread || wide) : 0;
}

static double slowest(const orr_speeds *s, const orr_job *job, int32_t row, const orr_alloc *alloc)
{
    double least = INFINITY;
    for (int32_t i = 0; i < alloc->count; i++) {
        const int32_t type = orr_lowest_bit(s->cluster->nodes[orr_slices(alloc)[i].node].type);
        least = fmin(least, on_type(s, job, row, type, alloc->count > 1));
    }
    return least;
}

/* The job of as many GPUs as it holds, where it is elastic and the table has one; -1: none. */
static int32_t row_with(const orr_speeds *s, const orr_job *job, int32_t gpus)
{
    int64_t own;
    if (gpus == job->record->gpus || job->speed_row < 0)
        return -1;
    orr_throughputs_model(s->table, job->speed_row, &own);
    return own == job->record->gpus ? orr_throughputs_sized(s->table, job->speed_row, gpus) : -1;
}

double orr_speeds_with(const orr_speeds *s, const orr_job *job, const orr_alloc *alloc)
{
    if (alloc->gpus == 0)
        return orr_rate_linear(job, alloc->gpus);
    const int32_t sized = row_with(s, job, alloc->gpus);
    if (sized >= 0)
        return slowest(s, job, sized, alloc);
    return orr_rate_linear(job, alloc->gpus) * slowest(s, job, job->speed_row, alloc);
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* Steps/s of both; the entry is that under the one that came first, else that under the other. */
static bool pair_of(const orr_speeds *s, const orr_job *a, const orr_job *b, int32_t type, double steps[2])
{
    const bool turned = b->index < a->index;
    const orr_job *first = turned ? b : a, *second = turned ? a : b;
    double found[2];
    if (!orr_throughputs_uses_pairs(s->table) || a->speed_row < 0 || b->speed_row < 0)
        return false;
    if (orr_throughputs_pair(s->table, s->types[type], first->speed_row, second->speed_row, found)) {
        steps[turned] = found[0];
        steps[!turned] = found[1];
        return true;
    }
    if (!orr_throughputs_pair(s->table, s->types[type], second->speed_row, first->speed_row, found))
        return false;
    steps[turned] = found[1];
    steps[!turned] = found[0];
    return true;
}

bool orr_speeds_beside(const orr_speeds *s, const orr_job *a, const orr_job *b, int32_t type, double speeds[2])
{
    double steps[2];
    speeds[0] = speeds[1] = 0;
    if (a->record->gpus != b->record->gpus || !pair_of(s, a, b, type, steps) || !(steps[0] > 0 && steps[1] > 0))
        return false;
    speeds[0] = steps[0] / a->speed_base;
    speeds[1] = steps[1] / b->speed_base;
    return true;
}

double orr_speeds_slowed(const orr_speeds *s, const orr_job *job, const orr_job *other, int32_t type)
{
    double steps[2];
    if (!pair_of(s, job, other, type, steps))
        return -1;
    const double alone = orr_throughputs_alone(s->table, s->types[type], job->speed_row);
    return alone > 0 ? steps[0] / alone : -1;
}
