/* CSV files of measurements: which of the known shapes one has, and the rows that are asked for. */
#include "config/services.h"

#include "base/table.h"

#define MOST_PICKS 8
#define MAX_MS 1e9

/* Columns of a shape; SIZE_MAX: it isn't there. */
typedef struct columns {
    size_t batch, stage, time, deviation, bytes, prompt, output, token;
    int unit; /* of `bytes`, as a power of ten */
} columns;

typedef struct reading {
    orr_services_reader *r;
    orr_table table;
    orr_table_pick *picks;
    size_t pick_count;
    size_t pick_column[MOST_PICKS];
    orr_names *values[MOST_PICKS]; /* of that column, in rows that the picks before leave */
    const orr_yaml *at;
    orr_measured_shape shape;
    columns column;
} reading;

/* ---- which shape ---- */

static orr_err refuse_systems(const reading *in)
{
    const orr_err err = orr_yaml_fail(in->r->doc, in->at, ORR_E_FORMAT, in->r->e,
                                      "this table tells what whole systems get done, not how long a batch takes");
    orr_error_hint(in->r->e, "state `latency`, or `alpha` and `beta`, by an assumption of your own about batches");
    return err;
}

static orr_err find_batches(reading *in)
{
    const orr_table *t = &in->table;
    in->shape = ORR_MEASURED_BATCHES;
    in->column =
        (columns){.deviation = orr_table_find(t, "latency_std_ms"), .bytes = orr_table_find(t, "memory_mb"), .unit = 6};
    const orr_err err = orr_table_column(t, "latency_ms", &in->column.time, in->r->e);
    return err ? err : orr_table_column(t, "batch", &in->column.batch, in->r->e);
}

static orr_err find_stages(reading *in, size_t time)
{
    const orr_table *t = &in->table;
    in->shape = ORR_MEASURED_STAGES;
    in->column =
        (columns){.time = time, .deviation = SIZE_MAX, .bytes = orr_table_find(t, "stage_weight_gb"), .unit = 9};
    const orr_err err = orr_table_column(t, "batch", &in->column.batch, in->r->e);
    return err ? err : orr_table_column(t, "stage", &in->column.stage, in->r->e);
}

static orr_err find_tokens(reading *in, size_t token)
{
    const struct {
        const char *name;
        size_t *column;
    } wanted[] = {{"batch", &in->column.batch},
                  {"prompt_tokens", &in->column.prompt},
                  {"output_tokens", &in->column.output},
                  {"prompt_ms_median", &in->column.time}};
    orr_err err = ORR_OK;
    in->shape = ORR_MEASURED_TOKENS;
    in->column.token = token;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !err; i++)
        err = orr_table_column(&in->table, wanted[i].name, wanted[i].column, in->r->e);
    return err;
}

static orr_err find_shape(reading *in)
{
    const orr_table *t = &in->table;
    const size_t stage = orr_table_find(t, "stage_latency_ms"), token = orr_table_find(t, "token_ms_median");
    if (orr_table_find(t, "system") != SIZE_MAX && orr_table_find(t, "scenario") != SIZE_MAX)
        return refuse_systems(in);
    if (stage != SIZE_MAX)
        return find_stages(in, stage);
    return token != SIZE_MAX ? find_tokens(in, token) : find_batches(in);
}

static orr_err find_picks(reading *in)
{
    for (size_t i = 0; i < in->pick_count; i++) {
        in->pick_column[i] = orr_table_find(&in->table, in->picks[i].column);
        in->values[i] = orr_names_create();
        if (in->picks[i].at && in->pick_column[i] == SIZE_MAX)
            return orr_yaml_fail_key(in->r->doc, in->picks[i].at, ORR_E_MISSING_COLUMN, in->r->e,
                                     "the table has no column '%s'", in->picks[i].column);
    }
    return ORR_OK;
}

/* ---- rows ---- */

static bool is_picked(const reading *in)
{
    for (size_t i = 0; i < in->pick_count; i++) {
        if (in->pick_column[i] == SIZE_MAX)
            continue;
        const char *value = in->table.fields.at[in->pick_column[i]];
        orr_names_id(in->values[i], value, strlen(value));
        if (in->picks[i].at && strcmp(value, in->picks[i].text) != 0)
            return false;
    }
    return true;
}

/* A number of 10^places in low..MAX_MS; an empty field is 0. */
static orr_err number(const reading *in, size_t column, int places, double *out)
{
    double plain = 0;
    *out = 0;
    if (column == SIZE_MAX || !in->table.fields.at[column][0])
        return ORR_OK;
    const char *text = in->table.fields.at[column];
    if (orr_parse_double(text, strlen(text), &plain) && plain >= 0 && plain <= MAX_MS)
        return orr_parse_scaled(text, strlen(text), places, out), ORR_OK;
    return orr_table_fail(&in->table, column, ORR_E_NUMBER, in->r->e, "'%s' should be a number from 0 to %g",
                          in->table.columns.at[column], MAX_MS);
}

static orr_err whole(const reading *in, size_t column, int64_t low, int32_t *out)
{
    int64_t v = 0;
    const orr_err err = orr_table_int(&in->table, column, low, 1000000, &v, in->r->e);
    *out = (int32_t)v;
    return err;
}

static orr_err read_tokens(const reading *in, orr_measured_row *row)
{
    orr_err err = number(in, in->column.time, -3, &row->prompt_time);
    if (!err)
        err = number(in, in->column.token, -3, &row->token_time);
    if (!err)
        err = number(in, in->column.prompt, 0, &row->prompt);
    return err ? err : number(in, in->column.output, 0, &row->output);
}

static orr_err read_batch(const reading *in, orr_measured_row *row)
{
    orr_err err = number(in, in->column.time, -3, &row->mean);
    if (!err)
        err = number(in, in->column.deviation, -3, &row->deviation);
    if (!err)
        err = number(in, in->column.bytes, in->column.unit, &row->bytes);
    return err || in->shape != ORR_MEASURED_STAGES ? err : whole(in, in->column.stage, 0, &row->stage);
}

/* A time that wasn't published leaves the row out. */
static orr_err take_row(const reading *in, orr_measured_rows *rows)
{
    orr_measured_row row = {0};
    const bool tokens = in->shape == ORR_MEASURED_TOKENS;
    orr_err err = whole(in, in->column.batch, 1, &row.batch);
    if (!err)
        err = tokens ? read_tokens(in, &row) : read_batch(in, &row);
    if (!err && (tokens ? row.prompt_time > 0 && row.token_time > 0 : row.mean > 0))
        ORR_VEC_PUSH(rows, row);
    return err;
}

/* ---- what is left ---- */

static void hint_values(const reading *in, size_t pick)
{
    const orr_names *names = in->values[pick];
    const uint32_t n = orr_names_count(names);
    const char **texts = orr_xcalloc(n + 1, sizeof *texts);
    orr_text all = {0};
    for (uint32_t i = 0; i < n; i++) {
        texts[i] = orr_names_text(names, i);
        orr_text_addf(&all, "%s'%s'", i ? ", " : "", texts[i]);
    }
    const char *nearest = in->picks[pick].at ? orr_nearest(in->picks[pick].text, texts, n) : NULL;
    if (nearest)
        orr_error_hint(in->r->e, "did you mean '%s'?", nearest);
    else
        orr_error_hint(in->r->e, "there are %s", n ? all.at : "none");
    orr_text_fini(&all);
    free(texts);
}

/* The first pick that leaves nothing, or that should have been stated. */
static orr_err judge(const reading *in, const orr_measured_rows *rows)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < in->pick_count && !err; i++) {
        const orr_table_pick *pick = &in->picks[i];
        if (in->pick_column[i] == SIZE_MAX)
            continue;
        if (pick->at && orr_names_find(in->values[i], pick->text, strlen(pick->text)) < 0)
            err = orr_yaml_fail(in->r->doc, pick->at, ORR_E_SYNTAX, in->r->e, "no row has this %s", pick->column);
        else if (!pick->at && orr_names_count(in->values[i]) > 1)
            err = orr_yaml_fail(in->r->doc, in->at, ORR_E_SYNTAX, in->r->e,
                                "the table has rows of several: say which '%s'", pick->column);
        if (err)
            hint_values(in, i);
    }
    if (!err && !rows->n)
        err = orr_yaml_fail(in->r->doc, in->at, ORR_E_EMPTY, in->r->e, "no row of the table has a time");
    return err;
}

static orr_err read_rows(reading *in, orr_input *from, orr_measured_rows *rows)
{
    bool more = true;
    orr_err err = orr_table_open(&in->table, from, in->r->e);
    if (!err)
        err = find_shape(in);
    if (!err)
        err = find_picks(in);
    while (!err && !(err = orr_table_next(&in->table, &more, in->r->e)) && more)
        err = is_picked(in) ? take_row(in, rows) : ORR_OK;
    return err ? err : judge(in, rows);
}

orr_err orr_services_read_table(orr_services_reader *r, const orr_yaml *at, orr_table_pick *picks, size_t pick_count,
                                orr_measured_shape *shape, orr_measured_rows *rows)
{
    reading in = {.r = r, .at = at, .picks = picks, .pick_count = pick_count};
    orr_text path = {0};
    orr_err err = orr_services_path(r, at, &path);
    if (err)
        return err;
    orr_input *from = orr_input_open(path.at, r->e);
    err = from ? read_rows(&in, from, rows) : ORR_E_OPEN;
    if (!err) {
        char hex[65];
        orr_input_digest(from, hex);
        orr_services_digest(r, hex);
    }
    *shape = in.shape;
    if (from)
        orr_table_close(&in.table);
    orr_input_close(from);
    for (size_t i = 0; i < pick_count; i++)
        if (in.values[i])
            orr_names_destroy(in.values[i]);
    orr_text_fini(&path);
    return err;
}
