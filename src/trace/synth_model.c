/* The common parts of models: making, freeing, and quantile tables.
 *
 * The knots stand at 3t^2 - 2t^3 for t = 0, 1/96, ... 1: at most 1.6 % apart in the middle and 0.03 % at the ends, so
 * that a table of 97 numbers follows a distribution to within 0.016 in probability, and its tails far more closely.
 */
#include "trace/synth_model.h"

double orr_synth_knot(int i)
{
    const double t = (double)i / (SYNTH_KNOTS - 1);
    return t * t * (3 - 2 * t);
}

double orr_synth_quantile(const double *knots, double u)
{
    int low = 0, high = SYNTH_KNOTS - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (orr_synth_knot(middle) <= u)
            low = middle;
        else
            high = middle;
    }
    const double from = orr_synth_knot(low), to = orr_synth_knot(high);
    return knots[low] + (knots[high] - knots[low]) * ((u - from) / (to - from));
}

/* Monday first, midnight first: submissions of the 82,247 jobs of the Philly csv, on its cluster's clock. */
static const double philly_weekdays[7] = {10136, 12528, 13370, 15114, 16954, 7157, 6988};
static const double philly_hours[24] = {4367, 3374, 3835, 3780, 2400, 3950, 5732, 7159, 3802, 3447, 3510, 2979,
                                        2567, 2415, 2185, 2224, 3021, 2289, 2744, 2496, 3483, 3142, 3885, 3461};

orr_synth_model *orr_synth_model_create(const char *name, const char *about)
{
    orr_synth_model *m = orr_xcalloc(1, sizeof *m);
    m->name = orr_synth_keep(m, name);
    m->about = orr_synth_keep(m, about);
    m->user_zipf = 1;
    m->recurrence = 0.85;
    m->names_a_user = 100;
    m->names_by_size = 64;
    for (int h = 0; h < SYNTH_WEEK; h++)
        m->week[h] = philly_weekdays[h / 24] * philly_hours[h % 24];
    return m;
}

void orr_synth_model_destroy(orr_synth_model *m)
{
    if (!m)
        return;
    ORR_VEC_FREE(&m->laws);
    ORR_VEC_FREE(&m->classes);
    ORR_VEC_FREE(&m->types);
    ORR_VEC_FREE(&m->models);
    ORR_VEC_FREE(&m->vcs);
    ORR_VEC_FREE(&m->people);
    ORR_VEC_FREE(&m->days);
    orr_arena_fini(&m->arena);
    free(m);
}

uint64_t orr_synth_model_jobs(const orr_synth_model *model)
{
    return (uint64_t)model->jobs;
}

synth_law *orr_synth_add_law(orr_synth_model *m)
{
    ORR_VEC_PUSH(&m->laws, (synth_law){0});
    return &m->laws.at[m->laws.n - 1];
}

void orr_synth_add_class(orr_synth_model *m, synth_class c)
{
    ORR_VEC_PUSH(&m->classes, c);
}

const char *orr_synth_keep(orr_synth_model *m, const char *text)
{
    return orr_arena_strdup(&m->arena, text, strlen(text));
}
