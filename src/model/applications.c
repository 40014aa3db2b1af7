#include "model/application_data.h"

#include "base/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- a set of them ---- */

orr_applications *orr_applications_create(const char *name)
{
    orr_applications *all = orr_xcalloc(1, sizeof *all);
    all->name = orr_xstrdup(name);
    return all;
}

void orr_applications_destroy(orr_applications *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->at.n; i++)
        orr_application_destroy(all->at.at[i]);
    ORR_VEC_FREE(&all->at);
    free(all->name);
    free(all);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(orr_application *const *)a)->name, (*(orr_application *const *)b)->name);
}

orr_err orr_applications_settle(orr_applications *all, orr_error *e)
{
    if (!all->at.n)
        return orr_error_set(e, ORR_E_EMPTY, "there is no application in '%.200s'", all->name);
    qsort(all->at.at, all->at.n, sizeof *all->at.at, by_name);
    for (size_t i = 1; i < all->at.n; i++)
        if (strcmp(all->at.at[i - 1]->name, all->at.at[i]->name) == 0)
            return orr_error_set(e, ORR_E_SYNTAX, "the application '%.80s' stands twice", all->at.at[i]->name);
    return ORR_OK;
}

const char *orr_applications_name(const orr_applications *all)
{
    return all->name;
}

const char *orr_applications_digest(const orr_applications *all)
{
    return all->digest;
}

int32_t orr_applications_count(const orr_applications *all)
{
    return (int32_t)all->at.n;
}

const orr_application *orr_applications_at(const orr_applications *all, int32_t i)
{
    return all->at.at[i];
}

const orr_application *orr_applications_find(const orr_applications *all, const char *model)
{
    if (!model)
        return NULL;
    size_t from = 0, to = all->at.n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = strcmp(all->at.at[middle]->name, model);
        if (order == 0)
            return all->at.at[middle];
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return NULL;
}

bool orr_applications_whole_epochs(const orr_applications *all)
{
    return all->whole_epochs;
}

bool orr_applications_own_work(const orr_applications *all)
{
    return all->own_work;
}

/* ---- making one ---- */

orr_application *orr_application_create(const char *name)
{
    orr_application *a = orr_xcalloc(1, sizeof *a);
    a->name = orr_xstrdup(name);
    a->epochs = 1;
    a->restart = ORR_TIME_NONE;
    return a;
}

static void free_steps(orr_steps *s)
{
    free(s->type);
    ORR_VEC_FREE(&s->counts.batches);
    ORR_VEC_FREE(&s->counts.gpus);
    ORR_VEC_FREE(&s->counts.rate);
    ORR_VEC_FREE(&s->shapes);
    ORR_VEC_FREE(&s->points);
    ORR_VEC_FREE(&s->places);
    ORR_VEC_FREE(&s->values);
    ORR_VEC_FREE(&s->faces);
    orr_mesh_destroy(s->mesh);
}

void orr_application_destroy(orr_application *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->types.n; i++)
        free_steps(&a->types.at[i]);
    for (size_t i = 0; i < a->runs.n; i++) {
        ORR_VEC_FREE(&a->runs.at[i].progress);
        ORR_VEC_FREE(&a->runs.at[i].iterations);
        ORR_VEC_FREE(&a->runs.at[i].noise);
    }
    ORR_VEC_FREE(&a->types);
    ORR_VEC_FREE(&a->runs);
    free(a->progress);
    free(a->name);
    free(a);
}

orr_steps *orr_application_add_type(orr_application *a, const char *type)
{
    ORR_VEC_PUSH(&a->types, ((orr_steps){.type = orr_xstrdup(type), .slowdown = 1, .width = 1, .most_gpus = 1}));
    return &a->types.at[a->types.n - 1];
}

void orr_application_sum_up_types(orr_application *a)
{
    for (size_t i = 0; i < a->types.n; i++) {
        const orr_steps *s = &a->types.at[i];
        if (i == 0 || s->local_least < a->limits.local_least)
            a->limits.local_least = s->local_least;
        if (i == 0 || s->local_most > a->limits.local_most)
            a->limits.local_most = s->local_most;
    }
}

void orr_application_sum_up(orr_application *a)
{
    orr_application_sum_up_types(a);
    if (!a->runs.n || !a->runs.at[0].progress.n)
        return;
    a->limits.initial = a->runs.at[0].batch;
    a->limits.most = a->runs.at[a->runs.n - 1].batch;
    a->epochs = (int32_t)a->runs.at[0].progress.n;
    a->progress = orr_xcalloc((size_t)a->epochs + 1, sizeof *a->progress);
    for (int32_t e = 0; e < a->epochs; e++) {
        a->progress[e + 1] = INFINITY;
        for (size_t i = 0; i < a->runs.n; i++)
            a->progress[e + 1] = fmin(a->progress[e + 1], a->runs.at[i].progress.at[e]);
    }
}

/* ---- asking ---- */

const char *orr_application_name(const orr_application *a)
{
    return a->name;
}

const orr_batch_limits *orr_application_limits(const orr_application *a)
{
    return &a->limits;
}

orr_batch_limits orr_application_limits_on(const orr_application *a, int32_t type, const orr_placement *shape)
{
    orr_batch_limits limits = a->limits;
    if (type < 0)
        return limits;
    const orr_steps *s = &a->types.at[type];
    limits.local_least = s->local_least;
    limits.local_most = shape ? orr_steps_local_most(s, shape) : s->local_most;
    return limits;
}

int32_t orr_application_most_gpus(const orr_application *a)
{
    int32_t most = 1;
    for (size_t i = 0; i < a->types.n; i++)
        most = a->types.at[i].most_gpus > most ? a->types.at[i].most_gpus : most;
    return a->most_gpus > 0 && a->most_gpus < most ? a->most_gpus : most;
}

int32_t orr_application_width(const orr_application *a)
{
    return a->types.at[0].width;
}

orr_time orr_application_restart(const orr_application *a)
{
    return a->restart;
}

int32_t orr_application_types(const orr_application *a)
{
    return (int32_t)a->types.n;
}

const char *orr_application_type_name(const orr_application *a, int32_t type)
{
    return a->types.at[type].type;
}

int32_t orr_application_type(const orr_application *a, const char *gpu_type)
{
    int32_t others = -1;
    if (a->types.n == 1 || !gpu_type || !gpu_type[0])
        return 0;
    for (size_t i = 0; i < a->types.n; i++) {
        if (strcasecmp(a->types.at[i].type, gpu_type) == 0)
            return (int32_t)i;
        if (!a->types.at[i].type[0])
            others = (int32_t)i;
    }
    return others;
}

bool orr_application_step(const orr_application *a, int32_t type, const orr_placement *shape, int32_t local, double *step,
                          double *sync)
{
    if (type < 0 || (size_t)type >= a->types.n || shape->gpus < 1 || local < 1)
        return false;
    const orr_steps *s = &a->types.at[type];
    if (!orr_steps_find(s, shape, local, step, sync))
        return false;
    *step *= s->slowdown;
    *sync *= s->slowdown;
    return true;
}

int32_t orr_application_epochs(const orr_application *a)
{
    return a->epochs;
}

double orr_application_progress(const orr_application *a, int32_t epochs)
{
    return a->progress[epochs < 0 ? 0 : epochs > a->epochs ? a->epochs : epochs];
}

/* The runs around this batch, and how far it is from the first to the second, 0..1; those at the ends stand for what is
 * beyond. */
static double between(const orr_application *a, int64_t total, const orr_validated **low, const orr_validated **high)
{
    size_t i = 0;
    while (i < a->runs.n && a->runs.at[i].batch < total)
        i++;
    *high = &a->runs.at[i < a->runs.n ? i : a->runs.n - 1];
    *low = i == 0 || i == a->runs.n || (*high)->batch == total ? *high : *high - 1;
    return *low == *high ? 0 : (double)(total - (*low)->batch) / (double)((*high)->batch - (*low)->batch);
}

static double mix(double a, double b, double share)
{
    return a + share * (b - a);
}

orr_noise orr_application_noise(const orr_application *a, int32_t epoch, int64_t total)
{
    const orr_validated *low, *high;
    if (!a->runs.n)
        return (orr_noise){0, 1};
    epoch = epoch < 0 ? 0 : epoch >= a->epochs ? a->epochs - 1 : epoch;
    const double share = between(a, total, &low, &high);
    const orr_noise l = low->noise.at[epoch], h = high->noise.at[epoch];
    return (orr_noise){mix(l.sqr, h.sqr, share), mix(l.var, h.var, share)};
}

static double summed_iterations(const orr_application *a, int32_t epochs, int64_t total)
{
    double sum = 0;
    for (int32_t e = 0; e < epochs; e++)
        sum += (a->progress[e + 1] - a->progress[e]) / orr_gain(orr_application_noise(a, e, total), a->limits.initial, total);
    return sum;
}

double orr_application_iterations(const orr_application *a, int32_t epochs, int64_t total)
{
    const orr_validated *low, *high;
    if (a->types.at[0].kind == ORR_STEPS_COUNTS || total < 1)
        return -1;
    if (epochs <= 0)
        return 0;
    epochs = epochs > a->epochs ? a->epochs : epochs;
    if (!a->runs.n || !a->runs.at[0].iterations.n)
        return summed_iterations(a, epochs, total);
    const double share = between(a, total, &low, &high);
    return mix(low->iterations.at[epochs - 1], high->iterations.at[epochs - 1], share);
}

double orr_application_loss(const orr_application *a, double epochs)
{
    const double below = a->loss[0] * epochs + a->loss[1];
    return a->has_loss && below > 0 ? 1 / below + a->loss[2] : -1;
}
