/* Jobs that are trainings of applications: which, on how many GPUs, with which batch, and how long that takes on a gang
 * packed on few nodes of the type that durations are stated on. Three numbers a job are drawn, whatever comes of
 * them. */
#include "trace/synth.h"

#include "base/rng.h"
#include "model/applications.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES = 40, BATCHES = 50 };
#define LONGEST_TUNED (12 * 3600.0)

typedef struct configuration {
    int32_t gpus;
    int64_t batch;
    double seconds;
} configuration;

/* What a tuned job may be. */
typedef struct choices {
    configuration at[SIZES];
    int n;
    double alone; /* seconds on one GPU, or the fewest it runs on, with the best batch; 0: it never runs */
} choices;

/* 1, 2, 3, 4, 6, 8, 12, 16, … */
static int32_t gang_size(int i)
{
    return i == 0 ? 1 : i % 2 ? 2 << (i / 2) : 3 << (i / 2 - 1);
}

static int32_t most_gpus(const synth *s, const orr_application *a)
{
    const int32_t most = orr_application_most_gpus(a), bound = s->plan.options->max_gpus;
    return bound > 0 && bound < most ? bound : most;
}

/* The i-th batch of so many in geometric spacing, split over the gang. */
static configuration configured(const orr_application *a, int32_t gpus, double share)
{
    const orr_placement gang = orr_application_gang(a, 0, gpus);
    const orr_batch_limits l = orr_application_limits_on(a, 0, &gang);
    const double least = fmax((double)l.initial, (double)l.local_least * gpus);
    configuration c = {.gpus = gpus, .seconds = INFINITY};
    if (least > (double)l.most)
        return c;
    const orr_batch batch = orr_batch_split(&l, gpus, (int64_t)floor(least * pow((double)l.most / least, share) + 1e-6));
    c.batch = orr_batch_total(batch, gpus);
    c.seconds = batch.local >= l.local_least ? orr_application_length(a, 0, &gang, batch) : INFINITY;
    return c;
}

static configuration best_batch(const orr_application *a, int32_t gpus)
{
    configuration best = {.seconds = INFINITY};
    for (int i = 0; i < BATCHES; i++) {
        const configuration c = configured(a, gpus, i / (BATCHES - 1.0));
        if (c.seconds < best.seconds)
            best = c;
    }
    return best;
}

static choices tune(const synth *s, const orr_application *a)
{
    choices all = {0};
    configuration first = {0};
    for (int i = 0; i < SIZES && gang_size(i) <= most_gpus(s, a); i++) {
        const int32_t gpus = gang_size(i);
        const configuration c = best_batch(a, gpus);
        if (isinf(c.seconds))
            continue;
        if (!(all.alone > 0)) {
            first = c;
            all.alone = c.seconds * gpus;
        }
        const double each = all.alone / c.seconds / gpus;
        if (each > 0.5 && each < 0.8 && c.seconds < LONGEST_TUNED)
            all.at[all.n++] = c;
    }
    if (!all.n && all.alone > 0)
        all.at[all.n++] = first;
    return all;
}

/* Any gang, any batch; where that can't run, the best that is known of the application. */
static configuration at_random(const synth *s, const orr_application *a, const choices *c, double gang, double batch)
{
    int sizes = 1;
    while (sizes < SIZES && gang_size(sizes) <= most_gpus(s, a))
        sizes++;
    const configuration drawn = configured(a, gang_size((int)(gang * sizes)), batch);
    return isinf(drawn.seconds) ? c->at[0] : drawn;
}

void orr_synth_train(synth *s)
{
    const orr_applications *all = s->plan.options->applications;
    if (!all)
        return;
    const bool tuned = !s->plan.options->configured || strcmp(s->plan.options->configured, "tuned") == 0;
    const int32_t n = orr_applications_count(all);
    choices *of = orr_xcalloc((size_t)n, sizeof *of);
    double *cumulated = orr_xcalloc((size_t)n, sizeof *cumulated), sum = 0;
    for (int32_t i = 0; i < n; i++) {
        of[i] = tune(s, orr_applications_at(all, i));
        cumulated[i] = sum += of[i].alone > 0 ? 1 / sqrt(of[i].alone) : 0;
    }
    gsl_rng *rng = orr_synth_stream(s->plan.options->seed, "training");
    for (size_t i = 0; i < s->n && sum > 0; i++) {
        const double which = gsl_rng_uniform(rng), gang = gsl_rng_uniform(rng), batch = gsl_rng_uniform(rng);
        int32_t k = orr_synth_pick(cumulated, n, which * sum);
        while (!of[k].n) /* one of no weight, by rounding */
            k = (k + 1) % n;
        const configuration c = tuned ? of[k].at[(int)(gang * of[k].n)]
                                      : at_random(s, orr_applications_at(all, k), &of[k], gang, batch);
        s->jobs[i].model = k;
        s->jobs[i].gpus = c.gpus;
        s->jobs[i].batch = c.batch;
        s->jobs[i].seconds = c.seconds < 1 ? 1 : (int64_t)ceil(c.seconds);
    }
    gsl_rng_free(rng);
    free(cumulated);
    free(of);
}
