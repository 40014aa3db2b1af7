/* How fast an application can be with so many GPUs, if its batch is the best for them. */
#include "model/application_data.h"

#include <math.h>

enum { CANDIDATES = 50 };

double orr_application_iteration(const orr_application *a, int32_t type, const orr_placement *shape, orr_batch batch)
{
    double step, sync;
    return orr_application_step(a, type, shape, batch.local, &step, &sync) ? step + batch.steps * (step - sync) : INFINITY;
}

double orr_application_gain(const orr_application *a, int32_t epoch, int64_t total)
{
    return orr_gain(orr_application_noise(a, epoch, total), a->limits.initial, total);
}

/* Iterations of the initial batch a second. */
double orr_application_pace(const orr_application *a, int32_t type, const orr_placement *shape, int32_t epoch, orr_batch batch)
{
    const int64_t total = orr_batch_total(batch, shape->gpus);
    const double seconds = total < 1 ? INFINITY : orr_application_iteration(a, type, shape, batch);
    return isinf(seconds) ? 0 : orr_application_gain(a, epoch, total) / seconds;
}

double orr_application_best(const orr_application *a, int32_t type, const orr_placement *shape, int32_t epoch, orr_batch *best)
{
    const orr_batch_limits limits = orr_application_limits_on(a, type, shape);
    const double least = fmax((double)limits.initial, (double)limits.local_least * shape->gpus);
    const double span = log((double)limits.most / least);
    double most = 0;
    *best = (orr_batch){0, 0};
    for (int i = 0; i < CANDIDATES && span >= 0; i++) {
        const double total = i == CANDIDATES - 1 ? (double)limits.most : least * exp(span * i / (CANDIDATES - 1));
        const orr_batch batch = orr_batch_split(&limits, shape->gpus, (int64_t)total);
        const double pace = orr_application_pace(a, type, shape, epoch, batch);
        if (batch.local < limits.local_least || !(pace > most))
            continue;
        most = pace;
        *best = batch;
    }
    return most;
}

void orr_placement_add(orr_placement *p, int32_t gpus)
{
    if (p->nodes < ORR_PLACEMENT_NODES)
        p->at[p->nodes] = gpus;
    p->nodes++;
    p->gpus += gpus;
}

orr_placement orr_placement_packed(int32_t gpus, int32_t width)
{
    orr_placement p = {0};
    for (; gpus > 0; gpus -= width)
        orr_placement_add(&p, gpus < width ? gpus : width);
    return p;
}

orr_placement orr_application_gang(const orr_application *a, int32_t type, int32_t gpus)
{
    return orr_placement_packed(gpus, a->types.at[type < 0 ? 0 : type].width);
}

/* Seconds of all its epochs. */
double orr_application_length(const orr_application *a, int32_t type, const orr_placement *shape, orr_batch batch)
{
    double sum = 0;
    for (int32_t e = 0; e < a->epochs; e++)
        sum += (a->progress[e + 1] - a->progress[e]) / orr_application_pace(a, type, shape, e, batch);
    return sum;
}
