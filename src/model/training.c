#include "model/training.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- placements -------------------------------------------------------------------------------------------------- */

orr_placement orr_placement_even(int32_t gpus, int32_t nodes)
{
    orr_placement p = {0};
    for (int32_t i = 0; i < nodes; i++)
        orr_placement_add(&p, gpus / nodes + (i < gpus % nodes));
    return p;
}

orr_placement orr_placement_of(const orr_alloc *alloc)
{
    orr_placement p = {0};
    for (int32_t i = 0; i < alloc->count; i++)
        orr_placement_add(&p, orr_bit_count(orr_slices(alloc)[i].gpus));
    return p;
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

/* Its own batch over so many GPUs of a type. */
static orr_batch own_batch(const struct orr_training *t, int32_t table, int32_t gpus)
{
    const orr_batch_limits limits = orr_application_limits_on(t->of, table, NULL);
    return orr_batch_split(&limits, gpus, t->own);
}

double orr_training_speed_on(const orr_life *life, const orr_job *job, int32_t type, const orr_placement *on, orr_batch batch)
{
    const struct orr_training *t = job->training;
    const int32_t table = orr_application_type(t->of, type < 0 ? "" : life->cluster->type_names[type]);
    if (!batch.local)
        batch = own_batch(t, table, on->gpus);
    const double seconds = orr_application_iteration(t->of, table, on, batch);
    if (isinf(seconds) || seconds <= 0)
        return 0;
    const int64_t total = orr_batch_total(batch, on->gpus);
    const double gained = total == t->reference ? 1 : orr_application_gain(t->of, t->epoch, total) / orr_application_gain(t->of, t->epoch, t->reference);
    return t->scale * gained * t->iteration / seconds;
}

double orr_training_speed_with(const orr_life *life, const orr_job *job, const orr_alloc *alloc, orr_batch batch)
{
    const orr_placement on = orr_placement_of(alloc);
    double least = INFINITY;
    for (int32_t i = 0; i < alloc->count; i++) {
        const int32_t type = orr_lowest_bit(life->cluster->nodes[orr_slices(alloc)[i].node].type);
        if (i == 0 || life->cluster->gpu_types > 1)
            least = fmin(least, orr_training_speed_on(life, job, type, &on, batch));
    }
    return isinf(least) ? 0 : least;
}

double orr_training_speed(const orr_life *life, const orr_job *job)
{
    return orr_training_speed_with(life, job, &job->held, job->batch);
}

bool orr_training_allows(const orr_job *job, int32_t gpus, orr_batch batch)
{
    if (!job->training)
        return false;
    const orr_batch_limits *l = orr_application_limits(job->training->of);
    return batch.local >= 1 && batch.local <= l->local_most && batch.steps >= 0 && (l->accumulates || batch.steps == 0) &&
           orr_batch_total(batch, gpus) <= l->most;
}

/* ---- how far it is ----------------------------------------------------------------------------------------------- */

/* What all of its present attempt is, the part before the origin included. */
static orr_time length_of(const orr_job *job)
{
    return job->record->attempts ? job->record->attempts[job->attempt] : orr_job_length(job);
}

static double recorded_part(const orr_job *job)
{
    return (double)length_of(job) * 1e-9 / job->training->work;
}

double orr_training_part(const orr_job *job)
{
    return recorded_part(job) / job->training->scale;
}

/* What it has left when so many epochs are done. */
static orr_time left_after(const orr_job *job, int32_t epochs)
{
    const orr_time length = length_of(job);
    const orr_time done = (orr_time)((double)length * job->training->until[epochs]);
    return done < length ? length - done : 0;
}

static double part_done(const orr_life *life, const orr_job *job)
{
    const orr_time length = length_of(job);
    return length > 0 ? 1 - (double)orr_life_left(life, job) / (double)length : 1;
}

double orr_training_progress(const orr_life *life, const orr_job *job)
{
    const struct orr_training *t = job->training;
    const double part = part_done(life, job), from = t->until[t->epoch], to = t->until[t->epoch + 1];
    const double before = orr_application_progress(t->of, t->epoch), after = orr_application_progress(t->of, t->epoch + 1);
    const double within = to > from ? fmin(fmax((part - from) / (to - from), 0), 1) : 0;
    return (before + within * (after - before)) / orr_application_progress(t->of, orr_application_epochs(t->of));
}

/* The last epoch ends with the job. */
static void mark_next(orr_life *life, orr_job *job)
{
    const bool more = job->training->epoch + 1 < orr_application_epochs(job->training->of);
    orr_life_mark(life, job, ORR_MARK_EPOCH, more ? left_after(job, job->training->epoch + 1) : 0);
}

static int32_t table_of(const orr_life *life, const orr_job *job)
{
    const int32_t node = orr_slices(&job->held)[0].node;
    return orr_application_type(job->training->of, life->cluster->type_names[orr_lowest_bit(life->cluster->nodes[node].type)]);
}

static void see_noise(const orr_life *life, orr_job *job)
{
    struct orr_training *t = job->training;
    const orr_batch batch = job->batch.local ? job->batch : own_batch(t, table_of(life, job), job->held.gpus);
    t->noise = orr_application_noise(t->of, t->epoch, orr_batch_total(batch, job->held.gpus));
}

/* An epoch's end that falls between two seconds counts as the nearest one of them: what is over, or missing, is the
 * next epoch's. */
static void to_whole_second(orr_life *life, orr_job *job)
{
    const orr_time second = ORR_SECOND, whole = (life->now + second / 2) / second * second;
    const double rate = life->rate(life->rate_self, job) * job->pace;
    orr_life_advance(life, job, (orr_time)nearbyint((double)(life->now - whole) * rate));
}

static void marked(void *self, orr_job *job)
{
    orr_trainings *all = self;
    job->training->epoch++;
    if (orr_applications_whole_epochs(all->applications))
        to_whole_second(all->life, job);
    orr_life_disturb(all->life, job);
    see_noise(all->life, job);
    mark_next(all->life, job);
    if (all->epoch)
        all->epoch(all->self, job);
}

void orr_trainings_resume(orr_trainings *all, orr_job *job)
{
    struct orr_training *t = job->training;
    const int32_t last = orr_application_epochs(t->of) - 1, was = t->epoch;
    for (t->epoch = 0; t->epoch < last && left_after(job, t->epoch + 1) >= job->left;)
        t->epoch++;
    if (t->epoch != was && orr_holds(job))
        orr_life_disturb(all->life, job);
    mark_next(all->life, job);
}

/* ---- measurements ------------------------------------------------------------------------------------------------ */

static bool is_known(const struct orr_training *t, int32_t type, const orr_measurement *m)
{
    for (size_t i = 0; i < t->seen.n; i++) /* few: it has run with so many configurations */
        if (t->seen.at[i].type == type && t->seen.at[i].at.nodes == m->nodes && t->seen.at[i].at.gpus == m->gpus &&
            t->seen.at[i].at.local == m->local)
            return true;
    return false;
}

static void measure(orr_trainings *all, orr_job *job)
{
    struct orr_training *t = job->training;
    const orr_placement on = orr_placement_of(&job->held);
    if (on.gpus < 1)
        return;
    const int32_t type = orr_lowest_bit(all->life->cluster->nodes[orr_slices(&job->held)[0].node].type);
    const int32_t table = table_of(all->life, job);
    const orr_batch batch = job->batch.local ? job->batch : own_batch(t, table, on.gpus);
    orr_measurement m = {.nodes = on.nodes, .gpus = on.gpus, .local = batch.local};
    see_noise(all->life, job);
    if (table >= 0 && !is_known(t, type, &m) && orr_application_step(t->of, table, &on, m.local, &m.step, &m.sync))
        ORR_VEC_PUSH(&t->seen, ((orr_seen){m, type}));
}

/* ---- coming in --------------------------------------------------------------------------------------------------- */

static struct orr_training *training_of(orr_trainings *all, const orr_job *job)
{
    while (all->at.n <= job->slot)
        ORR_VEC_PUSH(&all->at, NULL);
    if (!all->at.at[job->slot])
        all->at.at[job->slot] = orr_xcalloc(1, sizeof **all->at.at);
    struct orr_training *t = all->at.at[job->slot];
    t->epoch = 0;
    t->noise = (orr_noise){0};
    t->seen.n = 0;
    return t;
}

/* Where epochs end, on its recorded gang with its own batch. False: it gets nowhere. */
static bool lay_out(struct orr_training *t)
{
    const int32_t epochs = orr_application_epochs(t->of);
    if (t->room < epochs + 1) {
        t->room = epochs + 1;
        t->until = orr_xrealloc(t->until, (size_t)t->room, sizeof *t->until);
    }
    t->work = t->until[0] = 0;
    for (int32_t e = 0; e < epochs; e++) {
        const double progress = orr_application_progress(t->of, e + 1) - orr_application_progress(t->of, e);
        t->work += progress / orr_application_gain(t->of, e, t->reference) * t->iteration;
        t->until[e + 1] = t->work;
    }
    for (int32_t e = 1; e <= epochs; e++)
        t->until[e] /= t->work;
    return t->work > 0 && isfinite(t->work);
}

static int32_t reference_type(const orr_trainings *all, const orr_job *job)
{
    const bool named = job->types && !(job->types & (job->types - 1)) && orr_lowest_bit(job->types) < all->life->cluster->gpu_types;
    return orr_application_type(job->training->of, named ? all->life->cluster->type_names[orr_lowest_bit(job->types)] : "");
}

/* As many as its batches can be split over, and its gang in any case. */
static void widen(orr_job *job)
{
    const orr_application *a = job->training->of;
    const orr_batch_limits *l = orr_application_limits(a);
    const int64_t by_batch = l->local_least > 0 ? l->most / l->local_least : INT32_MAX;
    const int32_t most = orr_application_most_gpus(a);
    job->least_gpus = 1;
    job->most_gpus = by_batch < most ? (int32_t)by_batch : most;
    job->most_gpus = job->most_gpus > job->record->gpus ? job->most_gpus : job->record->gpus;
}

orr_trained orr_trainings_submit(orr_trainings *all, orr_job *job, int64_t batch)
{
    const orr_application *a = orr_applications_find(all->applications, job->record->model);
    if (!a || job->record->gpus < 1 || job->record->gpu_milli != ORR_WHOLE_GPU)
        return ORR_TRAINED_AS_RECORDED;
    struct orr_training *t = job->training = training_of(all, job);
    const orr_batch_limits *l = orr_application_limits(a);
    t->of = a;
    t->own = batch > 0 ? batch : l->initial;
    const orr_placement gang = orr_placement_packed(job->record->gpus, orr_application_width(a));
    const int32_t table = reference_type(all, job);
    const orr_batch split = own_batch(t, table, gang.gpus);
    t->reference = orr_batch_total(split, gang.gpus);
    t->iteration = orr_application_iteration(t->of, table, &gang, split);
    if (isinf(t->iteration) || !lay_out(t)) {
        job->training = NULL;
        return ORR_TRAINED_UNKNOWN;
    }
    t->scale = orr_applications_own_work(all->applications) ? recorded_part(job) : 1;
    widen(job);
    job->restart = orr_application_restart(a);
    if (all->life->costs->by_application && job->restart != ORR_TIME_NONE)
        job->debt = job->restart;
    orr_trainings_resume(all, job);
    return ORR_TRAINED;
}

static void works(void *self, orr_job *job)
{
    if (job->training)
        measure(self, job);
}

void orr_trainings_init(orr_trainings *all, const orr_applications *applications, orr_life *life)
{
    *all = (orr_trainings){.applications = applications, .life = life};
    life->marked[ORR_MARK_EPOCH] = marked;
    life->marked_self[ORR_MARK_EPOCH] = all;
    life->works = works;
    life->works_self = all;
}

void orr_trainings_fini(orr_trainings *all)
{
    for (size_t i = 0; i < all->at.n; i++) {
        if (!all->at.at[i])
            continue;
        free(all->at.at[i]->until);
        ORR_VEC_FREE(&all->at.at[i]->seen);
        ORR_VEC_FREE(&all->at.at[i]->one_type);
        free(all->at.at[i]);
    }
    ORR_VEC_FREE(&all->at);
}
