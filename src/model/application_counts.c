/* ElasticFlow's layout: a file a model, a row a batch, a column a number of GPUs, iterations a second in the cells;
 * nan, 0 or nothing where it wasn't measured. A job trains one epoch, in which a sample is as good as any other. */
#include "model/application_data.h"

#include "base/table.h"

#include <stdlib.h>
#include <strings.h>

enum { MOST_GPUS = 1 << 20 };

static orr_err read_header(const orr_table *t, orr_step_counts *c, orr_error *e)
{
    size_t first;
    orr_err err = orr_table_column(t, "global_batch_size", &first, e);
    if (!err && first != 0)
        err = orr_error_set(e, ORR_E_MISSING_COLUMN, "'global_batch_size' should be the first column");
    if (!err && t->columns.n < 2)
        err = orr_error_set(e, ORR_E_MISSING_COLUMN, "there is no column of a number of GPUs");
    for (size_t i = 1; i < t->columns.n && !err; i++) {
        int64_t gpus = 0;
        const char *text = t->columns.at[i];
        if (!orr_parse_i64(text, strlen(text), &gpus) || gpus < 1 || gpus > MOST_GPUS)
            err = orr_error_set(e, ORR_E_NUMBER, "the column '%.40s' should be named by a number of GPUs", text);
        else if (i > 1 && gpus <= c->gpus.at[i - 2])
            err = orr_error_set(e, ORR_E_SYNTAX, "columns should rise by their numbers of GPUs");
        else
            ORR_VEC_PUSH(&c->gpus, (int32_t)gpus);
    }
    if (err)
        orr_error_at(e, orr_input_name(t->in), t->line, 0);
    return err;
}

static orr_err read_rate(const orr_table *t, size_t column, double *out, orr_error *e)
{
    const char *text = t->fields.at[column];
    *out = 0;
    if (!text[0] || strcasecmp(text, "nan") == 0)
        return ORR_OK;
    if (orr_parse_double(text, strlen(text), out) && (*out == 0 || (*out >= 1e-12 && *out <= 1e12)))
        return ORR_OK;
    return orr_table_fail(t, column, ORR_E_NUMBER, e, "iterations a second should be a number that isn't negative (from 1e-12 on), or nan");
}

static orr_err read_row(const orr_table *t, orr_step_counts *c, orr_error *e)
{
    int64_t batch = 0;
    orr_err err = orr_table_int(t, 0, 1, INT32_MAX, &batch, e);
    if (!err && c->batches.n && batch <= c->batches.at[c->batches.n - 1])
        err = orr_table_fail(t, 0, ORR_E_SYNTAX, e, "rows should rise by their batches");
    if (!err)
        ORR_VEC_PUSH(&c->batches, batch);
    for (size_t i = 1; i < t->columns.n && !err; i++) {
        double rate;
        err = read_rate(t, i, &rate, e);
        if (!err)
            ORR_VEC_PUSH(&c->rate, rate);
    }
    return err;
}

static orr_err read_rows(orr_table *t, orr_step_counts *c, orr_error *e)
{
    bool more = true;
    orr_err err = read_header(t, c, e);
    while (!err && !(err = orr_table_next(t, &more, e)) && more)
        err = read_row(t, c, e);
    return err;
}

/* The most GPUs of which any row knows something. */
static int32_t most_known(const orr_step_counts *c)
{
    int32_t most = 0;
    for (size_t i = 0; i < c->rate.n; i++)
        if (c->rate.at[i] > 0 && c->gpus.at[i % c->gpus.n] > most)
            most = c->gpus.at[i % c->gpus.n];
    return most;
}

static void finish(orr_application *a)
{
    orr_steps *s = &a->types.at[0];
    const orr_step_counts *c = &s->counts;
    a->limits.initial = c->batches.at[0];
    a->limits.most = c->batches.at[c->batches.n - 1];
    s->local_least = 1;
    s->local_most = (int32_t)a->limits.most;
    s->most_gpus = most_known(c);
    s->width = s->most_gpus < 8 ? s->most_gpus : 8; /* nodes of its paper; the table knows nothing of nodes */
    a->progress = orr_xcalloc(2, sizeof *a->progress);
    a->progress[1] = 1;
    orr_application_sum_up(a);
}

orr_application *orr_application_read_counts(orr_input *in, const char *name, orr_error *e)
{
    orr_table t;
    orr_application *a = orr_application_create(name);
    orr_steps *s = orr_application_add_type(a, "");
    s->kind = ORR_STEPS_COUNTS;
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = read_rows(&t, &s->counts, e);
    orr_table_close(&t);
    if (!err && most_known(&s->counts) == 0)
        err = orr_error_set(e, ORR_E_EMPTY, "%s: no cell says anything", orr_input_name(in));
    if (!err) {
        finish(a);
        return a;
    }
    orr_application_destroy(a);
    return NULL;
}
