/* timeline.csv in one pass: step functions into bins of equal width. A row costs the bins it spans. */
#include "report/run_facts.h"

#include "base/text.h"
#include <math.h>

typedef struct levels_pass {
    orr_run_levels *out;
    orr_names *names; /* "entity metric": its id is the place in the list */
    orr_text key;
    double width;
} levels_pass;

static orr_binned *binned_of(levels_pass *p, const char *entity, const char *metric)
{
    orr_text_clear(&p->key);
    orr_text_addf(&p->key, "%s\n%s", entity, metric);
    const uint32_t id = orr_names_id(p->names, p->key.at, p->key.n);
    if (id == p->out->list.n) {
        orr_binned *b = orr_xcalloc(1, sizeof *b);
        b->entity = orr_xstrdup(entity);
        b->metric = orr_xstrdup(metric);
        ORR_VEC_PUSH(&p->out->list, b);
    }
    return p->out->list.at[id];
}

static void fill_bin(orr_binned *b, size_t bin, double seconds)
{
    b->mean[bin] += b->value * seconds;
    b->most[bin] = b->value > b->most[bin] ? b->value : b->most[bin];
}

/* The value held from `b->since` to `to`. */
static void spread(const levels_pass *p, orr_binned *b, double to)
{
    const double from = b->since;
    if (!b->begun || !(to > from))
        return;
    b->integral += b->value * (to - from);
    size_t bin = (size_t)((from - p->out->from) / p->width);
    for (double at = from; at < to && bin < ORR_RUN_BINS; bin++) {
        const double end = fmin(to, p->out->from + (double)(bin + 1) * p->width);
        if (end > at)
            fill_bin(b, bin, end - at);
        at = fmax(at, end);
    }
}

static bool take_level(void *self, const orr_result_level *level)
{
    levels_pass *p = self;
    orr_binned *b = binned_of(p, level->entity, level->metric);
    const double t = fmin(fmax(orr_time_seconds(level->t), p->out->from), p->out->to);
    spread(p, b, t);
    b->since = t;
    b->value = isnan(level->value) ? 0 : level->value;
    b->begun = true;
    return true;
}

static void finish(levels_pass *p)
{
    for (size_t i = 0; i < p->out->list.n; i++) {
        orr_binned *b = p->out->list.at[i];
        spread(p, b, p->out->to);
        for (int bin = 0; bin < ORR_RUN_BINS; bin++)
            b->mean[bin] /= p->width;
    }
}

typedef orr_err read_fn(const orr_result *result, bool (*each)(void *self, const orr_result_level *level), void *self,
                        orr_error *e);

static orr_err levels_by(read_fn *read, const orr_result *result, orr_time from, orr_time to, orr_run_levels *out,
                         orr_error *e)
{
    *out = (orr_run_levels){.from = orr_time_seconds(from), .to = orr_time_seconds(to)};
    if (!(out->to > out->from))
        out->to = out->from + 1;
    levels_pass pass = {.out = out, .names = orr_names_create(), .width = (out->to - out->from) / ORR_RUN_BINS};
    for (int i = 0; i < ORR_RUN_BINS; i++)
        out->at[i] = out->from + i * pass.width;
    const orr_err err = read(result, take_level, &pass, e);
    finish(&pass);
    orr_names_destroy(pass.names);
    orr_text_fini(&pass.key);
    if (err)
        orr_run_levels_fini(out);
    return err;
}

orr_err orr_run_levels_of(const orr_result *result, orr_time from, orr_time to, orr_run_levels *out, orr_error *e)
{
    return levels_by(orr_result_levels, result, from, to, out, e);
}

orr_err orr_run_serving_of(const orr_result *result, orr_time from, orr_time to, orr_run_levels *out, orr_error *e)
{
    return levels_by(orr_result_serving_levels, result, from, to, out, e);
}

void orr_run_levels_fini(orr_run_levels *levels)
{
    for (size_t i = 0; i < levels->list.n; i++) {
        free(levels->list.at[i]->entity);
        free(levels->list.at[i]->metric);
        free(levels->list.at[i]);
    }
    ORR_VEC_FREE(&levels->list);
}

const orr_binned *orr_run_level(const orr_run_levels *levels, const char *entity, const char *metric)
{
    for (size_t i = 0; i < levels->list.n; i++)
        if (strcmp(levels->list.at[i]->entity, entity) == 0 && strcmp(levels->list.at[i]->metric, metric) == 0)
            return levels->list.at[i];
    return NULL;
}
