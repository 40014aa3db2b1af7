/* Lucid's tables: a row a model that was measured alone, a row a pair that was measured side by side. A model's name is
 * put together from what distinguishes its rows. */
#include "config/profiles.h"
#include "base/table.h"

#include "base/text.h"

#include <math.h>

#define MAX_MIB 1e8

/* Where the parts of a name stand; SIZE_MAX: there is no such column. */
typedef struct name_columns {
    size_t model, dataset, batchsize, amp;
} name_columns;

static bool has(const orr_table *t, const char *name, const char *suffix, size_t *column)
{
    char whole[32];
    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    *column = orr_table_find(t, whole);
    return *column != SIZE_MAX;
}

static orr_err find_name(const orr_table *t, const char *suffix, name_columns *out, orr_error *e)
{
    char model[16];
    snprintf(model, sizeof model, "model%s", suffix);
    (void)has(t, "dataset", suffix, &out->dataset);
    (void)has(t, "batchsize", suffix, &out->batchsize);
    (void)has(t, "amp", suffix, &out->amp);
    return orr_table_column(t, model, &out->model, e);
}

static void name_of(const orr_table *t, const name_columns *at, orr_text *out)
{
    const size_t parts[] = {at->dataset, at->batchsize, at->amp};
    orr_text_clear(out);
    orr_text_addf(out, "%s", t->fields.at[at->model]);
    for (size_t i = 0; i < 3; i++)
        if (parts[i] != SIZE_MAX)
            orr_text_addf(out, "/%s", t->fields.at[parts[i]]);
}

/* A number in low..high; ORR_E_NUMBER. */
static orr_err real(const orr_table *t, size_t column, double low, double high, double *out, orr_error *e)
{
    const char *text = t->fields.at[column];
    if (orr_parse_double(text, strlen(text), out) && *out >= low && *out <= high)
        return ORR_OK;
    return orr_table_fail(t, column, ORR_E_NUMBER, e, "'%s' should be a number from %g to %g", t->columns.at[column],
                          low, high);
}

/* ---- models ---- */

typedef struct model_columns {
    name_columns name;
    size_t util, mem, label;
    bool labelled;
} model_columns;

static orr_err find_models(const orr_table *t, model_columns *out, orr_error *e)
{
    orr_err err = find_name(t, "", &out->name, e);
    if (!err)
        err = orr_table_column(t, "gpu_util", &out->util, e);
    if (!err)
        err = orr_table_column(t, "gmem", &out->mem, e);
    out->labelled = has(t, "label", "", &out->label);
    return err;
}

static orr_err read_model(const orr_table *t, const model_columns *at, orr_profile *out, orr_error *e)
{
    double util = 0, mib = 0;
    int64_t label = -1;
    orr_err err = real(t, at->util, 0, 100, &util, e);
    if (!err)
        err = real(t, at->mem, 0, MAX_MIB, &mib, e);
    if (!err && at->labelled)
        err = orr_table_int(t, at->label, 0, 2, &label, e);
    if (err)
        return err;
    *out = orr_profile_default();
    out->gpu_util = util / 100;
    out->gpu_mem = (int64_t)ceil(mib * 1048576);
    out->sharing = (int32_t)label;
    return ORR_OK;
}

static orr_err read_models(orr_profiles *profiles, orr_table *t, orr_text *name, orr_error *e)
{
    model_columns at;
    bool more = true;
    orr_err err = find_models(t, &at, e);
    while (!err && !(err = orr_table_next(t, &more, e)) && more) {
        orr_profile profile;
        err = read_model(t, &at, &profile, e);
        if (err)
            return err;
        name_of(t, &at.name, name);
        profile.model = name->at;
        if (name->n)
            orr_profiles_add(profiles, &profile);
    }
    return err;
}

orr_err orr_profiles_read_models(orr_profiles *profiles, orr_input *in, orr_error *e)
{
    orr_table t;
    orr_text name = {0};
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = read_models(profiles, &t, &name, e);
    orr_text_fini(&name);
    orr_table_close(&t);
    return err;
}

/* ---- pairs ---- */

typedef struct pair_columns {
    name_columns name[2];
    size_t speed[2];
} pair_columns;

static orr_err find_pairs(const orr_table *t, pair_columns *out, orr_error *e)
{
    orr_err err = ORR_OK;
    for (int k = 0; k < 2 && !err; k++) {
        err = find_name(t, k ? "2" : "1", &out->name[k], e);
        if (!err)
            err = orr_table_column(t, k ? "speed2" : "speed1", &out->speed[k], e);
    }
    return err;
}

static orr_err read_pair(orr_profiles *profiles, const orr_table *t, const pair_columns *at, orr_text *name,
                         orr_error *e)
{
    const orr_profile *of[2] = {NULL, NULL};
    double speed[2] = {1, 1};
    for (int k = 0; k < 2; k++) {
        const orr_err err = real(t, at->speed[k], 1e-6, 1000, &speed[k], e);
        if (err)
            return err;
        name_of(t, &at->name[k], name);
        of[k] = orr_profiles_find(profiles, name->at);
        if (!of[k])
            return orr_table_fail(t, at->name[k].model, ORR_E_SYNTAX, e, "the model '%.80s' is not described",
                                  name->at);
    }
    orr_profiles_add_pair(profiles, of[0], of[1], speed[0], speed[1]);
    return ORR_OK;
}

orr_err orr_profiles_read_pairs(orr_profiles *profiles, orr_input *in, orr_error *e)
{
    orr_table t;
    orr_text name = {0};
    pair_columns at;
    bool more = true;
    orr_err err = orr_table_open(&t, in, e);
    if (!err)
        err = find_pairs(&t, &at, e);
    while (!err && !(err = orr_table_next(&t, &more, e)) && more)
        err = read_pair(profiles, &t, &at, &name, e);
    orr_text_fini(&name);
    orr_table_close(&t);
    return err;
}
