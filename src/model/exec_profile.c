/* How long a batch takes as a profile states it: the truth behind executors, and what policies are told of it. */
#include <orrery/services.h>

#include <math.h>
#include <string.h>

static bool is_better(const orr_exec_profile *p, const orr_exec_profile *best, const char *type)
{
    if (!best)
        return true;
    const bool named = *p->gpu_type && strcmp(p->gpu_type, type) == 0, best_named = *best->gpu_type != 0;
    return (named && !best_named) || (named == best_named && p->milli > best->milli);
}

const orr_exec_profile *orr_variant_profile(const orr_variant *variant, const char *gpu_type, int32_t milli,
                                            int32_t gpus)
{
    const orr_exec_profile *best = NULL;
    for (int32_t i = 0; i < variant->profile_count; i++) {
        const orr_exec_profile *p = &variant->profiles[i];
        const bool other = *p->gpu_type && *gpu_type && strcmp(p->gpu_type, gpu_type) != 0;
        const int32_t of = p->gpus > 1 ? p->gpus : 1;
        if (!other && p->milli <= milli && of == gpus && is_better(p, best, gpu_type))
            best = p;
    }
    return best;
}

/* The first point of at least so many; point_count: there is none. */
static int32_t point_from(const orr_exec_profile *p, int32_t batch)
{
    int32_t low = 0, high = p->point_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (p->points[middle].batch < batch)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Nothing is known below the first point: a smaller batch is run as that. */
static double of_points(const orr_exec_profile *p, int32_t batch)
{
    const int32_t i = point_from(p, batch);
    if (i == p->point_count)
        return NAN;
    const orr_exec_point *high = &p->points[i];
    if (!p->interpolate || i == 0 || high->batch == batch)
        return high->mean;
    const orr_exec_point *low = high - 1;
    const double share = (double)(batch - low->batch) / (double)(high->batch - low->batch);
    return low->mean + share * (high->mean - low->mean);
}

double orr_exec_seconds(const orr_exec_profile *profile, int32_t batch)
{
    switch (profile->kind) {
    case ORR_EXEC_LINEAR:
        return profile->alpha + profile->beta * batch;
    case ORR_EXEC_ITER:
        return profile->iter.base + profile->iter.per_running * batch;
    default:
        return of_points(profile, batch);
    }
}

/* The point that stands for a batch; NULL: none does. */
static const orr_exec_point *stands_for(const orr_exec_profile *p, int32_t batch)
{
    const int32_t i = point_from(p, batch);
    return i == p->point_count ? NULL : &p->points[i];
}

double orr_exec_stage_seconds(const orr_exec_profile *profile, int32_t batch, int32_t stage)
{
    const orr_exec_point *point = profile->kind == ORR_EXEC_STAGES ? stands_for(profile, batch) : NULL;
    if (!point || !point->stages)
        return orr_exec_seconds(profile, batch);
    const double whole = orr_exec_seconds(profile, batch); /* interpolated: in the proportions of the point */
    return point->mean > 0 ? point->stages[stage] * (whole / point->mean) : point->stages[stage];
}

double orr_exec_deviation(const orr_exec_profile *profile, int32_t batch)
{
    const orr_exec_point *point = profile->point_count ? stands_for(profile, batch) : NULL;
    return point ? point->deviation : 0;
}
