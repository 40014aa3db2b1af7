/* Profiles: how long batches take, said by a line, by points, by the stages of a pipeline, by the cost of
 * iterations, or by a table of measurements. Points need not be monotone: what was measured stays as it is. */
#include "config/services.h"

#include "config/schema_value.h"

#include <math.h>
#include <orrery/curves.h>
#include <stdio.h>

#define MAX_SECONDS 1000000
#define MAX_TOKENS 1000000000000
#define MAX_BATCH 1000000

typedef struct profile_entry {
    const char *type, *slice;
    double share, alpha, beta;
    int64_t gpus;
    bool interpolate;
    const orr_yaml *latency, *deviation, *memory, *stages, *ops, *iter, *table, *noise;
} profile_entry;

enum { TABLE_PICKS = 5, FIT_PICKS = 3 };

typedef struct table_entry {
    const char *file, *pick[TABLE_PICKS];
} table_entry;

typedef struct iter_entry {
    orr_iter_cost cost;
    int32_t part;
    const orr_yaml *fit;
} iter_entry;

/* clang-format off */
#define AT(member) offsetof(profile_entry, member)
#define SECONDS(name, member, doc) {name, ORR_KEY_SECONDS, member, "0", 0, MAX_SECONDS, doc, NULL}
static const orr_key profile_keys[] = {
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0,
     "GPU type, as the cluster names it. Without one: any that has no profile of its own.", NULL},
    {"share", ORR_KEY_REAL, AT(share), "1", 0, 1, "Measured on this part of a GPU, in thousandths.", NULL},
    {"slice", ORR_KEY_TEXT, AT(slice), "", 0, 0,
     "In place of a share, a MIG instance (of an A100, where no type is stated): its part of the compute.", NULL},
    {"gpus", ORR_KEY_INT, AT(gpus), "0", 0, 100000, "GPUs of the executor; left out, one, or one a stage.", NULL},
    SECONDS("alpha", AT(alpha), "A batch of b takes alpha + beta b."),
    SECONDS("beta", AT(beta), "More for each request."),
    {"latency", ORR_KEY_MAP, AT(latency), "", 0, 0,
     "In place of those, measured points: `{1: 4.1ms, 2: 6ms, 4: 9.5ms}`.", NULL},
    {"deviation", ORR_KEY_MAP, AT(deviation), "", 0, 0, "With `latency`: standard deviations, `{1: 0.2ms}`.", NULL},
    {"memory", ORR_KEY_MAP, AT(memory), "", 0, 0,
     "With `latency` and `stages`: device memory in use, `{1: 900MB}`.", NULL},
    {"stages", ORR_KEY_MAP, AT(stages), "", 0, 0,
     "A pipeline: `{1: [51ms, 52ms], 2: [90ms, 93ms]}`, a time a stage.", NULL},
    {"table", ORR_KEY_MAP, AT(table), "", 0, 0,
     "Points, or a pipeline, out of a CSV file (below).", &orr_exec_table_keys},
    {"iter", ORR_KEY_MAP, AT(iter), "", 0, 0, "Tokens, made by iterations (below).", &orr_iter_keys},
    {"interpolate", ORR_KEY_BOOL, AT(interpolate), "off", 0, 0,
     "Batches between points take what lies on the line between them. Otherwise they are run as the next larger one.",
     NULL},
    {"ops", ORR_KEY_TEXTS, AT(ops), "", 1, 100000,
     "With points: operators between which a batch may be preempted, by the part of its time that each takes, `[0.2, "
     "0.5, 0.3]`.", NULL},
    {"noise", ORR_KEY_ANY, AT(noise), "", 0, 0,
     "How a batch's time scatters (below); `measured`: normal, by the points' own deviations.", NULL},
    {0},
};
#undef AT
const orr_keys orr_exec_profile_keys = {
    .title = "`profile`, and an element of `profiles`",
    .doc = "How long a batch takes. One of `alpha` and `beta`, `latency`, `stages`, `table`, `iter`. Times may be "
           "finer than the clock.",
    .at = profile_keys,
};

#define AT(member) offsetof(table_entry, member)
static const orr_key table_keys[] = {
    {"file", ORR_KEY_TEXT, AT(file), NULL, 0, 0,
     "A CSV file with the columns `batch`, `latency_ms` and perhaps `latency_std_ms`, `memory_mb` (millions of bytes); "
     "or of a pipeline "
     "`batch`, `stage`, `stage_latency_ms` and perhaps `stage_weight_gb` (thousand millions).", NULL},
    {"model", ORR_KEY_TEXT, AT(pick[0]), "", 0, 0, "Rows with this in the column `model`;", NULL},
    {"gpu", ORR_KEY_TEXT, AT(pick[1]), "", 0, 0, "in `gpu`, as the table writes it;", NULL},
    {"framework", ORR_KEY_TEXT, AT(pick[2]), "", 0, 0, "in `framework`;", NULL},
    {"precision", ORR_KEY_TEXT, AT(pick[3]), "", 0, 0, "in `precision`;", NULL},
    {"pipeline_stages", ORR_KEY_TEXT, AT(pick[4]), "", 0, 0,
     "in `pipeline_stages`. What isn't stated must be the same in all rows that are left.", NULL},
    {0},
};
const orr_keys orr_exec_table_keys = {
    .title = "`table`",
    .doc = "Rows of a table of measurements that give the points of a profile. Rows without a time are passed over.",
    .at = table_keys,
};

static const orr_key fit_keys[] = {
    {"file", ORR_KEY_TEXT, AT(file), NULL, 0, 0,
     "A CSV file with the columns `prompt_tokens`, `batch`, `output_tokens`, `prompt_ms_median`, `token_ms_median`.",
     NULL},
    {"model", ORR_KEY_TEXT, AT(pick[0]), "", 0, 0, "Rows with this in the column `model`;", NULL},
    {"gpu", ORR_KEY_TEXT, AT(pick[1]), "", 0, 0, "in `gpu`;", NULL},
    {"tensor_parallel", ORR_KEY_TEXT, AT(pick[2]), "", 0, 0,
     "in `tensor_parallel`. What isn't stated must be the same in all rows that are left.", NULL},
    {0},
};
#undef AT
const orr_keys orr_iter_fit_keys = {
    .title = "`fit`",
    .doc = "The four times of `iter` fitted to measurements: the least squares of relative errors, none of the times "
           "below 0. A row "
           "tells two iterations: all prompts of the batch at once, and one in which the batch decodes with half its "
           "answers made. "
           "A note states that it is a fit and what it leaves.",
    .at = fit_keys,
};

#define AT(member) offsetof(iter_entry, member)
static const orr_key iter_keys[] = {
    SECONDS("base", AT(cost.base), "An iteration,"),
    SECONDS("per_prompt", AT(cost.per_prompt), "more for each prompt token that is processed in it,"),
    SECONDS("per_running", AT(cost.per_running), "more for each sequence that decodes,"),
    SECONDS("per_context", AT(cost.per_context), "more for each token that those hold."),
    {"fit", ORR_KEY_MAP, AT(fit), "", 0, 0, "In place of those: fitted to measurements (below).", &orr_iter_fit_keys},
    {"kv_tokens", ORR_KEY_INT, AT(cost.kv_tokens), "0", 0, MAX_TOKENS,
     "Tokens that the executor can hold; 0: any number.", NULL},
    {"chunk", ORR_KEY_INT, AT(cost.chunk), "0", 0, MAX_TOKENS,
     "Prompt tokens of one iteration at most; 0: whole prompts.", NULL},
    {"part", ORR_KEY_CHOICE, AT(part), "whole", 0, 0,
     "Of a request's work that is done here: `whole`; `prefill`, the prompt, answered with the first token; `decode`, the "
     "rest of what another service began, with the cache of its prompt.", "whole|prefill|decode"},
    {0},
};
#undef AT
const orr_keys orr_iter_keys = {
    .title = "`iter`",
    .doc = "A model that makes a token of each sequence an iteration. A sequence holds its prompt and what it has "
           "made.",
           
    .at = iter_keys,
};
/* clang-format on */

typedef ORR_VEC(orr_exec_point) points;

/* ---- points ---- */

static int by_batch(const void *a, const void *b)
{
    const orr_exec_point *x = a, *y = b;
    return (x->batch > y->batch) - (x->batch < y->batch);
}

/* Sorted and kept; *twice is a batch that stands twice, 0: none does. */
static void keep_points(orr_services_reader *r, points *from, orr_exec_profile *out, int32_t *twice)
{
    orr_exec_point *kept = orr_arena_alloc(&r->memory->arena, from->n * sizeof *kept);
    if (from->n)
        qsort(from->at, from->n, sizeof *from->at, by_batch);
    *twice = 0;
    for (size_t i = 0; i < from->n; i++) {
        kept[i] = from->at[i];
        if (i && kept[i].batch == kept[i - 1].batch)
            *twice = kept[i].batch;
    }
    out->points = kept;
    out->point_count = (int32_t)from->n;
}

static orr_err read_size(const orr_services_reader *r, const orr_yaml *v, int32_t *batch)
{
    int64_t n = 0;
    if (!orr_parse_i64(v->key, strlen(v->key), &n) || n < 1 || n > MAX_BATCH)
        return orr_yaml_fail_key(r->doc, v, ORR_E_NUMBER, r->e, "a batch should be a number from 1 to %d", MAX_BATCH);
    *batch = (int32_t)n;
    return ORR_OK;
}

static orr_err read_time(const orr_services_reader *r, const orr_yaml *v, double *seconds)
{
    const orr_err err = orr_services_scalar(r, v, ORR_KEY_SECONDS, 0, MAX_SECONDS, seconds);
    if (err || *seconds > 0)
        return err;
    return orr_yaml_fail(r->doc, v, ORR_E_NUMBER, r->e, "a time should be above 0");
}

static orr_err read_stage_times(orr_services_reader *r, const orr_yaml *list, int32_t n, orr_exec_point *out)
{
    double *stages = orr_arena_alloc(&r->memory->arena, (size_t)n * sizeof *stages);
    orr_err err = ORR_OK;
    int32_t i = 0;
    for (const orr_yaml *v = list->first; v && !err; v = v->next) {
        err = read_time(r, v, &stages[i]);
        out->mean += stages[i++];
    }
    out->stages = stages;
    return err;
}

static orr_err read_stages_point(orr_services_reader *r, const orr_yaml *v, orr_exec_profile *p, orr_exec_point *out)
{
    if (v->kind != ORR_YAML_LIST || v->count < 1 || v->count > 10000)
        return orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "'stages' should have a list of times for each batch");
    if (p->stage_count && p->stage_count != (int32_t)v->count)
        return orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "%zu stages here and %d before", v->count,
                             (int)p->stage_count);
    p->stage_count = (int32_t)v->count;
    return read_stage_times(r, v, p->stage_count, out);
}

static orr_err read_points(orr_services_reader *r, const orr_yaml *map, bool stages, orr_exec_profile *p, points *found)
{
    int32_t twice;
    if (!map->first)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'%s' has no points", map->key);
    for (const orr_yaml *v = map->first; v; v = v->next) {
        orr_exec_point point = {0};
        orr_err err = read_size(r, v, &point.batch);
        if (!err)
            err = stages ? read_stages_point(r, v, p, &point) : read_time(r, v, &point.mean);
        if (err)
            return err;
        ORR_VEC_PUSH(found, point);
    }
    keep_points(r, found, p, &twice);
    return twice ? orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "a batch of %d stands twice", (int)twice) : ORR_OK;
}

static orr_exec_point *point_of(const orr_exec_profile *p, int32_t batch)
{
    const orr_exec_point wanted = {.batch = batch};
    return p->point_count ? bsearch(&wanted, p->points, (size_t)p->point_count, sizeof *p->points, by_batch) : NULL;
}

/* Deviations or memory, by batch, of points that are there. */
static orr_err read_beside(const orr_services_reader *r, const orr_yaml *map, bool memory, const orr_exec_profile *p)
{
    for (const orr_yaml *v = map ? map->first : NULL; v; v = v->next) {
        int32_t batch = 0;
        orr_err err = read_size(r, v, &batch);
        orr_exec_point *point = err ? NULL : point_of(p, batch);
        if (!err && !point)
            err = orr_yaml_fail_key(r->doc, v, ORR_E_SYNTAX, r->e, "'%s' tells of a batch that has no time", map->key);
        if (!err && memory)
            err = orr_services_scalar(r, v, ORR_KEY_BYTES, 0, (int64_t)1 << 50, &point->mem);
        else if (!err)
            err = orr_services_scalar(r, v, ORR_KEY_SECONDS, 0, MAX_SECONDS, &point->deviation);
        if (err)
            return err;
    }
    return ORR_OK;
}

static orr_err points_said(orr_services_reader *r, const profile_entry *entry, orr_exec_profile *p)
{
    points found = {0};
    const orr_yaml *map = entry->latency ? entry->latency : entry->stages;
    p->kind = entry->latency ? ORR_EXEC_TABLE : ORR_EXEC_STAGES;
    orr_err err = read_points(r, map, !entry->latency, p, &found);
    ORR_VEC_FREE(&found);
    if (!err)
        err = read_beside(r, entry->deviation, false, p);
    return err ? err : read_beside(r, entry->memory, true, p);
}

/* ---- tables ---- */

static void batches_of(orr_services_reader *r, const orr_measured_rows *rows, orr_exec_profile *p, int32_t *twice)
{
    points found = {0};
    for (size_t i = 0; i < rows->n; i++) {
        const orr_measured_row *row = &rows->at[i];
        ORR_VEC_PUSH(&found, ((orr_exec_point){row->batch, row->mean, row->deviation, (int64_t)row->bytes, NULL}));
    }
    p->kind = ORR_EXEC_TABLE;
    keep_points(r, &found, p, twice);
    ORR_VEC_FREE(&found);
}

static int by_stage(const void *a, const void *b)
{
    const orr_measured_row *x = a, *y = b;
    if (x->batch != y->batch)
        return (x->batch > y->batch) - (x->batch < y->batch);
    return (x->stage > y->stage) - (x->stage < y->stage);
}

/* Rows of a batch are its stages 0, 1, ...; false: some are missing or stand twice. */
static bool stages_of(orr_services_reader *r, orr_measured_rows *rows, orr_exec_profile *p, double *weights)
{
    points found = {0};
    int32_t most = 0, twice;
    qsort(rows->at, rows->n, sizeof *rows->at, by_stage);
    for (size_t i = 0; i < rows->n; i++)
        most = rows->at[i].stage >= most ? rows->at[i].stage + 1 : most;
    const size_t n = (size_t)most;
    bool whole = rows->n % n == 0;
    for (size_t i = 0; i < rows->n && whole; i += n) {
        orr_exec_point point = {.batch = rows->at[i].batch};
        double *times = orr_arena_alloc(&r->memory->arena, n * sizeof *times), sum = 0;
        for (size_t k = 0; k < n; k++) {
            const orr_measured_row *row = &rows->at[i + k];
            whole = whole && row->batch == point.batch && row->stage == (int32_t)k;
            point.mean += times[k] = row->mean;
            sum += row->bytes;
        }
        point.stages = times;
        *weights = sum;
        ORR_VEC_PUSH(&found, point);
    }
    p->kind = ORR_EXEC_STAGES;
    p->stage_count = most;
    keep_points(r, &found, p, &twice);
    ORR_VEC_FREE(&found);
    return whole && !twice;
}

static size_t set_picks(const orr_keys *keys, const orr_yaml *map, const table_entry *entry, orr_table_pick *picks)
{
    size_t n = 0;
    for (const orr_key *key = keys->at + 1; key->name; key++, n++)
        picks[n] = (orr_table_pick){key->name, entry->pick[n], orr_yaml_member(map, key->name)};
    return n;
}

static orr_err no_batches(const orr_services_reader *r, const orr_yaml *map)
{
    const orr_err err = orr_yaml_fail(r->doc, orr_yaml_member(map, "file"), ORR_E_FORMAT, r->e,
                                      "this table tells times of prompts and tokens, not of batches");
    orr_error_hint(r->e, "`iter: {fit: {file: ..., model: ...}}` takes it");
    return err;
}

static orr_err read_table(orr_services_reader *r, const orr_yaml *map, orr_exec_profile *p, double *weights)
{
    table_entry entry;
    orr_table_pick picks[TABLE_PICKS];
    orr_measured_rows rows = {0};
    orr_measured_shape shape = ORR_MEASURED_BATCHES;
    int32_t twice = 0;
    bool whole = true;
    orr_schema_defaults(&orr_exec_table_keys, &entry);
    orr_err err = orr_schema_read(&orr_exec_table_keys, r->doc, map, &entry, r->e);
    const orr_yaml *file = err ? NULL : orr_yaml_member(map, "file");
    if (!err)
        err =
            orr_services_read_table(r, file, picks, set_picks(&orr_exec_table_keys, map, &entry, picks), &shape, &rows);
    if (!err && shape == ORR_MEASURED_TOKENS)
        err = no_batches(r, map);
    if (!err && shape == ORR_MEASURED_STAGES)
        whole = stages_of(r, &rows, p, weights);
    else if (!err)
        batches_of(r, &rows, p, &twice);
    if (!err && twice)
        err = orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "two rows of the table tell of a batch of %d", (int)twice);
    if (!err && !whole)
        err = orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "the table should have each stage of each batch once");
    ORR_VEC_FREE(&rows);
    return err;
}

/* ---- iterations ---- */

enum { TERMS = 4 };

/* Both iterations of a row, divided by what was measured: the right side is 1 then. */
static void add_equations(const orr_measured_row *row, double *a)
{
    const double b = row->batch, held = b * (row->prompt + row->output / 2);
    const double prompt[TERMS] = {1, b * row->prompt, 0, 0}, token[TERMS] = {1, 0, b, held};
    for (int k = 0; k < TERMS; k++) {
        a[k] = prompt[k] / row->prompt_time;
        a[TERMS + k] = token[k] / row->token_time;
    }
}

static void note_fit(orr_services_reader *r, const char *variant, size_t rows, const double *a, const double *x)
{
    double sum = 0, worst = 0;
    char text[256];
    for (size_t i = 0; i < 2 * rows; i++) {
        double made = 0;
        for (int k = 0; k < TERMS; k++)
            made += a[i * TERMS + (size_t)k] * x[k];
        sum += fabs(made - 1);
        worst = fmax(worst, fabs(made - 1));
    }
    snprintf(text, sizeof text,
             "iterations of %.160s are a fit to %zu measured times, off by %.1f %% in the mean, %.1f %% at worst",
             variant, 2 * rows, 100 * sum / (2 * (double)rows), 100 * worst);
    orr_services_note(r, ORR_NOTE_ASSUME, "fitted", text);
}

static void fit_rows(orr_services_reader *r, const char *variant, const orr_measured_rows *rows, orr_iter_cost *out)
{
    double *a = orr_xcalloc(2 * rows->n * (TERMS + 1), sizeof *a), *ones = a + 2 * rows->n * TERMS, x[TERMS];
    for (size_t i = 0; i < rows->n; i++) {
        add_equations(&rows->at[i], a + 2 * i * TERMS);
        ones[2 * i] = ones[2 * i + 1] = 1;
    }
    orr_nnls(a, ones, 2 * rows->n, TERMS, x);
    out->base = x[0];
    out->per_prompt = x[1];
    out->per_running = x[2];
    out->per_context = x[3];
    note_fit(r, variant, rows->n, a, x);
    free(a);
}

static orr_err read_fit(orr_services_reader *r, const orr_yaml *map, const char *variant, orr_iter_cost *out)
{
    table_entry entry;
    orr_table_pick picks[FIT_PICKS];
    orr_measured_rows rows = {0};
    orr_measured_shape shape = ORR_MEASURED_TOKENS;
    orr_schema_defaults(&orr_iter_fit_keys, &entry);
    orr_err err = orr_schema_read(&orr_iter_fit_keys, r->doc, map, &entry, r->e);
    const orr_yaml *file = err ? NULL : orr_yaml_member(map, "file");
    if (!err)
        err = orr_services_read_table(r, file, picks, set_picks(&orr_iter_fit_keys, map, &entry, picks), &shape, &rows);
    if (!err && shape != ORR_MEASURED_TOKENS)
        err = orr_yaml_fail(r->doc, file, ORR_E_FORMAT, r->e, "this table doesn't tell times of prompts and tokens");
    if (!err && rows.n < 2)
        err = orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "two rows at least should be left to fit");
    if (!err)
        fit_rows(r, variant, &rows, out);
    ORR_VEC_FREE(&rows);
    return err;
}

static orr_err read_iter(orr_services_reader *r, const orr_yaml *map, const char *variant, orr_exec_profile *p)
{
    static const char *const times[] = {"base", "per_prompt", "per_running", "per_context"};
    iter_entry entry;
    orr_schema_defaults(&orr_iter_keys, &entry);
    orr_err err = orr_schema_read(&orr_iter_keys, r->doc, map, &entry, r->e);
    for (int i = 0; i < TERMS && !err && entry.fit; i++)
        if (orr_yaml_member(map, times[i]))
            err = orr_yaml_fail_key(r->doc, orr_yaml_member(map, times[i]), ORR_E_SYNTAX, r->e,
                                    "'%s' is what 'fit' finds", times[i]);
    if (!err && entry.fit)
        err = read_fit(r, entry.fit, variant, &entry.cost);
    p->kind = ORR_EXEC_ITER;
    p->iter = entry.cost;
    p->iter.part = (orr_iter_part)entry.part;
    if (!err && !(entry.cost.base + entry.cost.per_running > 0 && entry.cost.base + entry.cost.per_prompt > 0))
        err = orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "an iteration takes time: 'base' should be above 0");
    return err;
}

/* ---- operators, noise ---- */

static orr_err read_ops(orr_services_reader *r, const orr_yaml *list, orr_exec_profile *p)
{
    if (!list)
        return ORR_OK;
    if (p->kind != ORR_EXEC_TABLE)
        return orr_yaml_fail_key(r->doc, list, ORR_E_SYNTAX, r->e,
                                 "'ops' goes with points: 'latency' or a table of batches");
    const size_t n = list->kind == ORR_YAML_LIST ? list->count : 1;
    double *ops = orr_arena_alloc(&r->memory->arena, n * sizeof *ops), sum = 0;
    orr_err err = ORR_OK;
    size_t i = 0;
    for (const orr_yaml *v = orr_services_first(list); i < n && !err; v = v->next, i++) {
        err = orr_services_scalar(r, v, ORR_KEY_REAL, 0, 1, &ops[i]);
        sum += ops[i];
    }
    if (!err && !(fabs(sum - 1) <= 1e-6))
        err =
            orr_yaml_fail(r->doc, list, ORR_E_SYNTAX, r->e, "the parts of operators should sum to 1, and are %g", sum);
    for (i = 0; i < n && !err; i++)
        ops[i] /= sum;
    p->kind = ORR_EXEC_OPS;
    p->ops = ops;
    p->op_count = (int32_t)n;
    return err;
}

static orr_err read_noise(const orr_services_reader *r, const orr_yaml *v, orr_exec_profile *p)
{
    orr_err err = orr_services_spread(r, v, &p->noise, &p->measured_noise);
    bool any = false;
    for (int32_t i = 0; i < p->point_count; i++)
        any = any || p->points[i].deviation > 0;
    if (!err && p->measured_noise && !any)
        err = orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "no deviations were measured");
    return err;
}

/* ---- the whole ---- */

/* Exactly one way of saying it, and nothing that belongs to another. */
static orr_err check_forms(const orr_services_reader *r, const orr_yaml *map, const profile_entry *entry)
{
    static const struct {
        const char *key, *with, * or ;
    } uses[] = {{"deviation", "latency", NULL}, {"memory", "latency", "stages"}};
    const bool line = orr_yaml_member(map, "alpha") || orr_yaml_member(map, "beta");
    const int ways =
        line + (entry->latency != NULL) + (entry->stages != NULL) + (entry->table != NULL) + (entry->iter != NULL);
    if (ways != 1)
        return orr_yaml_fail(
            r->doc, map, ORR_E_SYNTAX, r->e,
            "a profile is told in one way: 'alpha' and 'beta', 'latency', 'stages', 'table' or 'iter'");
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const orr_yaml *at = orr_yaml_member(map, uses[i].key);
        if (at && !orr_yaml_member(map, uses[i].with) && !(uses[i].or &&orr_yaml_member(map, uses[i].or)))
            return orr_yaml_fail_key(r->doc, at, ORR_E_SYNTAX, r->e, "'%s' goes with '%s'", uses[i].key, uses[i].with);
    }
    const orr_yaml *between = orr_yaml_member(map, "interpolate");
    if (between && (line || entry->iter))
        return orr_yaml_fail_key(r->doc, between, ORR_E_SYNTAX, r->e, "'interpolate' goes with points");
    if (line && !(entry->alpha + entry->beta > 0))
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e,
                             "a batch takes time: 'alpha' or 'beta' should be above 0");
    return ORR_OK;
}

static orr_err set_place(const orr_services_reader *r, const orr_yaml *map, const profile_entry *entry,
                         orr_exec_profile *p)
{
    p->milli = (int32_t)lround(1000 * entry->share);
    const orr_err err = orr_services_slice(r, map, entry->type, &p->milli);
    if (err)
        return err;
    p->gpus = entry->gpus ? (int32_t)entry->gpus : p->stage_count ? p->stage_count : 1;
    if (p->milli < 1)
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "share"), ORR_E_NUMBER, r->e,
                             "'share' should be a thousandth at least");
    if (p->milli < 1000 && p->gpus > 1)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "a share is of one GPU");
    if (p->stage_count && p->gpus != p->stage_count)
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "gpus"), ORR_E_SYNTAX, r->e,
                             "a pipeline of %d stages has as many GPUs", (int)p->stage_count);
    return ORR_OK;
}

static orr_err read_form(orr_services_reader *r, const profile_entry *entry, const char *variant, orr_exec_profile *p,
                         double *weights)
{
    if (entry->table)
        return read_table(r, entry->table, p, weights);
    if (entry->iter)
        return read_iter(r, entry->iter, variant, p);
    if (entry->latency || entry->stages)
        return points_said(r, entry, p);
    p->kind = ORR_EXEC_LINEAR;
    return ORR_OK;
}

orr_err orr_services_read_profile(orr_services_reader *r, const orr_yaml *map, const char *variant,
                                  orr_exec_profile *out, double *weights)
{
    profile_entry entry;
    orr_schema_defaults(&orr_exec_profile_keys, &entry);
    orr_err err = orr_schema_read(&orr_exec_profile_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = check_forms(r, map, &entry);
    if (err)
        return err;
    *weights = 0;
    *out = (orr_exec_profile){
        .gpu_type = entry.type, .alpha = entry.alpha, .beta = entry.beta, .interpolate = entry.interpolate};
    err = read_form(r, &entry, variant, out, weights);
    if (!err)
        err = set_place(r, map, &entry, out);
    if (!err)
        err = read_ops(r, entry.ops, out);
    return err ? err : read_noise(r, entry.noise, out);
}
