#include "study/sweep.h"

#include "report/json.h"
#include "study/folder.h"
#include "study/pool.h"
#include "study/sweep_inputs.h"
#include "study/sweep_report.h"
#include <stdio.h>

struct orr_sweep {
    const orr_sweep_plan *plan;
    orr_sweep_options options;
    orr_stock *stock;
    orr_sweep_inputs inputs;
    orr_cells *cells;
    orr_sweep_progress progress;
    bool stopped;
    orr_error failure; /* of the first cell, by number, that has no result */
    size_t failed_cell;
    orr_error broken; /* why results can't be kept any more */
};

bool orr_sweep_covers(const orr_sweep_options *o, size_t cell)
{
    if (o->cell)
        return cell == o->cell;
    return !o->shards || (cell - 1) % o->shards == o->shard - 1;
}

/* ---- one cell, in a child ---- */

/* Whether an error says something about the cell, so that it would come again. */
static bool is_result(orr_err code)
{
    switch (code) {
    case ORR_E_OPEN:
    case ORR_E_MEMORY:
    case ORR_E_RESOURCE:
    case ORR_E_CREATE:
    case ORR_E_WRITE:
    case ORR_E_INTERRUPTED:
    case ORR_E_INVARIANT:
        return false;
    default:
        return true;
    }
}

static void add_error(cJSON *line, const orr_error *error)
{
    if (!error->code) {
        cJSON_AddNullToObject(line, "error");
        return;
    }
    cJSON *object = orr_json_object(line, "error");
    orr_json_text(object, "code", orr_err_name(error->code));
    orr_json_text(object, "message", error->message);
    orr_json_text(object, "job", error->job[0] ? error->job : NULL);
    orr_json_time(object, "at", error->has_time ? error->at_ns : ORR_TIME_NONE);
}

static void add_summary(cJSON *line, const orr_case_result *result)
{
    const orr_text *t = &result->summary;
    if (!t->n) {
        cJSON_AddNullToObject(line, "summary");
        return;
    }
    char *text = orr_xstrndup(t->at, strcspn(t->at, "\n"));
    cJSON_AddRawToObject(line, "summary", text);
    free(text);
}

static orr_err write_line(const orr_sweep_plan *plan, size_t cell, const uint32_t *at, const orr_case_result *result,
                          const orr_error *error, orr_text *out, orr_error *e)
{
    cJSON *line = cJSON_CreateObject();
    orr_text rest = {0};
    cJSON_AddItemToObject(line, "axes", orr_sweep_axes_json(plan, at));
    add_error(line, error);
    add_summary(line, result);
    const orr_err err = orr_json_print(line, false, &rest, e);
    if (!err) {
        orr_cells_line_begin(cell, out);
        orr_text_add(out, rest.at + 1, rest.n - 1); /* without its brace */
    }
    orr_text_fini(&rest);
    return err;
}

static bool keep_going(void *self, orr_sim *sim)
{
    const orr_sweep *s = self;
    (void)sim;
    return !s->options.interrupted();
}

static orr_err run_cell(orr_sweep *s, size_t cell, orr_text *out, orr_error *e)
{
    uint32_t at[ORR_SWEEP_AXES];
    orr_arena arena = {0};
    orr_case c;
    orr_error error = {0};
    orr_case_result result = {0};
    const orr_case_hooks hooks = {.more = s->options.interrupted ? keep_going : NULL, .more_self = s};
    orr_sweep_cell(s->plan, cell, at);
    orr_err err = orr_sweep_case(s->plan, at, &arena, &c, &error);
    if (!err)
        err = orr_case_run(&c, s->stock, &hooks, &result, &error);
    if (!err)
        err = result.code;
    if (err && !error.code)
        orr_error_set(&error, err, "%s", orr_err_text(err));
    if (is_result(err)) {
        orr_text_add(out, err ? "!" : ".", 1); /* for the parent, before the line */
        err = write_line(s->plan, cell, at, &result, &error, out, e);
    } else if (e) {
        *e = error;
    }
    orr_case_result_fini(&result);
    orr_arena_fini(&arena);
    return err;
}

static orr_err piece(void *self, size_t i, orr_text *out, orr_error *e)
{
    return run_cell(self, i, out, e);
}

/* ---- the parent ---- */

static void note_failure(orr_sweep *s, size_t cell, const orr_error *error)
{
    if (error->code == ORR_E_INTERRUPTED || (s->failed_cell && s->failed_cell < cell))
        return;
    s->failed_cell = cell;
    s->failure = *error;
}

static bool done(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    orr_sweep *s = self;
    if (error) {
        note_failure(s, i, error);
        return !s->stopped;
    }
    const orr_text line = {.at = bytes->at + 1, .n = bytes->n - 1};
    if (orr_cells_append(s->cells, &line, true, &s->broken))
        return false;
    s->progress.done++;
    s->progress.failed += bytes->at[0] == '!';
    return !s->stopped;
}

static bool tick(void *self)
{
    orr_sweep *s = self;
    if (s->options.tick && !s->options.tick(s->options.self, &s->progress))
        s->stopped = true;
    return !s->stopped;
}

static orr_err outcome(const orr_sweep *s, orr_error *e)
{
    if (s->broken.code) {
        *e = s->broken;
    } else if (s->stopped) {
        orr_error_set(e, ORR_E_INTERRUPTED, "interrupted with %zu of %zu cells finished",
                      s->progress.found + s->progress.done, s->progress.cells);
    } else if (s->failed_cell) {
        *e = s->failure;
        snprintf(e->message, sizeof e->message, "cell %zu: %.700s", s->failed_cell, s->failure.message);
    }
    return e->code;
}

orr_err orr_sweep_run(orr_sweep *s, orr_error *e)
{
    const orr_pool_work work = {.self = s, .piece = piece, .done = done, .tick = tick};
    orr_error own = {0};
    size_t n = 0;
    size_t *list = orr_xmalloc((s->progress.cells + 1) * sizeof *list);
    for (size_t cell = 1; cell <= s->plan->cells; cell++)
        if (orr_sweep_covers(&s->options, cell) && !orr_cells_has(s->cells, cell))
            list[n++] = cell;
    orr_err err = n ? orr_pool_run(&work, list, n, s->options.jobs, &own) : ORR_OK;
    if (!err)
        err = outcome(s, &own);
    free(list);
    if (!err)
        err = orr_cells_finish(s->cells, &own);
    if (err && e)
        *e = own;
    return err;
}

/* ---- the folder ---- */

static orr_err add_plugins(orr_sweep *s, orr_error *e)
{
    for (size_t i = 0; i < s->options.plugin_count; i++) {
        char digest[65], *data = NULL;
        size_t size;
        orr_input *in = orr_input_open(s->options.plugins[i], e);
        if (!in)
            return ORR_E_OPEN;
        const orr_err err = orr_input_all(in, &data, &size, e);
        orr_input_digest(in, digest);
        orr_input_close(in);
        free(data);
        if (err)
            return err;
        orr_sweep_inputs_add(&s->inputs, s->options.plugins[i], digest);
    }
    return ORR_OK;
}

static orr_err check_there(const orr_sweep_options *o, const cJSON *record, orr_error *e)
{
    cJSON *there = orr_sweep_record_read(o->dir, e);
    if (!there)
        return e->code;
    const orr_err err = orr_sweep_record_match(o->dir, there, record, e);
    cJSON_Delete(there);
    return err;
}

/* A folder of the same sweep is taken up again; any other is refused, or by force cleared of what are no cells of this
 * one. */
static orr_err enter(const orr_sweep_options *o, const cJSON *record, orr_error *e)
{
    orr_error own = {0};
    const bool ours = orr_sweep_record_exists(o->dir);
    orr_err err = ours ? check_there(o, record, &own) : orr_folder_check(o->dir, o->force, &own);
    if (o->force && (err || !ours))
        err = orr_cells_remove(o->dir, e);
    else if (err && e)
        *e = own;
    if (!err)
        err = orr_folder_make(o->dir, e);
    return err ? err : orr_sweep_record_write(o->dir, record, e);
}

static orr_err open_folder(orr_sweep *s, orr_error *e)
{
    cJSON *record = orr_sweep_record_make(s->plan, &s->inputs, s->options.shard, s->options.shards);
    orr_err err = s->options.dir ? enter(&s->options, record, e) : ORR_OK;
    cJSON_Delete(record);
    if (err)
        return err;
    s->cells = orr_cells_open(s->options.dir, s->plan->cells, e);
    return s->cells ? ORR_OK : e->code;
}

/* ---- life ---- */

static void count_cells(orr_sweep *s)
{
    for (size_t cell = 1; cell <= s->plan->cells; cell++) {
        if (!orr_sweep_covers(&s->options, cell))
            continue;
        s->progress.cells++;
        s->progress.found += orr_cells_has(s->cells, cell);
    }
}

orr_sweep *orr_sweep_create(const orr_sweep_plan *plan, const orr_sweep_options *options, orr_error *e)
{
    orr_error own = {0};
    orr_sweep *s = orr_xcalloc(1, sizeof *s);
    s->plan = plan;
    s->options = *options;
    s->stock = orr_stock_create(options->registry);
    orr_err err = orr_sweep_check(plan, options->registry, &own);
    if (!err)
        err = orr_sweep_load(plan, s->stock, 0, &s->inputs, &own);
    if (!err)
        err = add_plugins(s, &own);
    if (!err)
        err = open_folder(s, &own);
    if (!err) {
        count_cells(s);
        return s;
    }
    if (e)
        *e = own;
    orr_sweep_destroy(s);
    return NULL;
}

void orr_sweep_destroy(orr_sweep *s)
{
    if (!s)
        return;
    orr_cells_close(s->cells);
    orr_sweep_inputs_fini(&s->inputs);
    orr_stock_destroy(s->stock);
    free(s);
}

const orr_sweep_progress *orr_sweep_progress_of(const orr_sweep *s)
{
    return &s->progress;
}

orr_cells *orr_sweep_cells(orr_sweep *s)
{
    return s->cells;
}

/* ---- what it is told as ---- */

typedef void csv_writer(const orr_sweep_plan *plan, const orr_sweep_results *results, orr_output *out);

static orr_err write_csv(const char *dir, const char *name, csv_writer *write, const orr_sweep_plan *plan,
                         const orr_sweep_results *results, orr_error *e)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/%s", dir, name);
    orr_output *out = orr_output_create(path.at, e);
    orr_text_fini(&path);
    if (!out)
        return ORR_E_CREATE;
    write(plan, results, out);
    return orr_output_commit(out, e);
}

orr_err orr_sweep_write(const char *dir, const orr_sweep_plan *plan, const orr_sweep_results *results, orr_error *e)
{
    orr_text path = {0}, text = {0};
    orr_err err = write_csv(dir, "cells.csv", orr_sweep_cells_csv, plan, results, e);
    if (!err)
        err = write_csv(dir, "stats.csv", orr_sweep_stats_csv, plan, results, e);
    if (!err) {
        orr_text_addf(&path, "%s/report.md", dir);
        orr_sweep_tables(plan, results, ORR_TABLE_MARKDOWN, &text);
        err = orr_report_write(path.at, &text, e);
    }
    orr_text_fini(&path);
    orr_text_fini(&text);
    return err;
}
