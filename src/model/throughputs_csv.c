/* A table with a header: a row is a model with so many GPUs on a GPU type, alone, or beside another on the same
 * GPUs. */
#include "model/throughputs.h"

#include "base/table.h"
#include "base/text.h"

/* Those from SPREAD on may be left out. */
enum { MODEL, GPUS, TYPE, SPEED, SPREAD, BESIDE, BESIDE_SPEED, COLUMNS };

static const char *const names[COLUMNS] = {"model",  "gpus", "gpu_type", "steps_per_s", "spread_steps_per_s",
                                           "beside", "beside_steps_per_s"};

static bool has(const orr_table *t, const size_t at[COLUMNS], int column)
{
    return at[column] < t->columns.n && t->fields.at[at[column]][0];
}

static orr_err find(const orr_table *t, size_t at[COLUMNS], orr_error *e)
{
    for (int c = 0; c < COLUMNS; c++) {
        const orr_err err = orr_table_column(t, names[c], &at[c], c < SPREAD ? e : NULL);
        if (err && c < SPREAD)
            return err;
        at[c] = err ? SIZE_MAX : at[c];
    }
    return ORR_OK;
}

static orr_err speed(const orr_table *t, size_t column, double *out, orr_error *e)
{
    const char *text = t->fields.at[column];
    if (orr_parse_double(text, strlen(text), out) && *out >= 0)
        return ORR_OK;
    return orr_table_fail(t, column, ORR_E_NUMBER, e, "'%s' should be a number that isn't negative",
                          t->columns.at[column]);
}

static orr_err take_pair(orr_throughputs *table, const orr_table *t, const size_t at[COLUMNS], int32_t type, int32_t job,
                         int64_t gpus, double own, orr_error *e)
{
    double speeds[2] = {own};
    const char *other = t->fields.at[at[BESIDE]];
    if (!has(t, at, BESIDE_SPEED))
        return orr_table_fail(t, at[BESIDE], ORR_E_SYNTAX, e, "a model beside another needs '%s', too", names[BESIDE_SPEED]);
    const orr_err err = speed(t, at[BESIDE_SPEED], &speeds[1], e);
    if (!err)
        orr_throughputs_add_pair(table, type, false, job, orr_throughputs_add_job(table, other, strlen(other), gpus),
                                 speeds, t->line);
    return err;
}

static orr_err take_row(orr_throughputs *table, const orr_table *t, const size_t at[COLUMNS], orr_error *e)
{
    const char *model = t->fields.at[at[MODEL]], *named = t->fields.at[at[TYPE]];
    int64_t gpus = 0;
    double own = 0, over = 0;
    bool spread;
    if (!model[0] || !named[0])
        return orr_table_fail(t, at[model[0] ? TYPE : MODEL], ORR_E_SYNTAX, e, "a row needs a model and a GPU type");
    orr_err err = orr_table_int(t, at[GPUS], 1, INT32_MAX, &gpus, e);
    if (!err)
        err = speed(t, at[SPEED], &own, e);
    if (!err && has(t, at, SPREAD))
        err = speed(t, at[SPREAD], &over, e);
    if (err)
        return err;
    const int32_t type = orr_throughputs_add_type(table, named, &spread);
    const int32_t job = orr_throughputs_add_job(table, model, strlen(model), gpus);
    if (has(t, at, BESIDE))
        return take_pair(table, t, at, type, job, gpus, own, e);
    orr_throughputs_add(table, type, spread, job, own, t->line);
    if (has(t, at, SPREAD))
        orr_throughputs_add(table, type, true, job, over, t->line);
    return ORR_OK;
}

static orr_err take_rows(orr_throughputs *table, orr_table *t, orr_error *e)
{
    size_t at[COLUMNS];
    bool more = false;
    orr_err err = find(t, at, e);
    while (!err && !(err = orr_table_next(t, &more, e)) && more)
        err = take_row(table, t, at, e);
    return err;
}

orr_err orr_throughputs_read_csv(orr_throughputs *table, orr_input *in, orr_error *e)
{
    orr_table t;
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = take_rows(table, &t, e);
    orr_table_close(&t);
    return err;
}
