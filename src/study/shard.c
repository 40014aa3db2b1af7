#include "study/shard.h"

#include "study/folder.h"
#include "study/sweep_record.h"

orr_err orr_shard_parse(const char *text, size_t *shard, size_t *shards, orr_error *e)
{
    const char *slash = strchr(text, '/');
    uint64_t i = 0, n = 0;
    if (slash && orr_parse_u64(text, (size_t)(slash - text), &i) && orr_parse_u64(slash + 1, strlen(slash + 1), &n) &&
        i >= 1 && i <= n && n <= ORR_SWEEP_CELLS) {
        *shard = (size_t)i;
        *shards = (size_t)n;
        return ORR_OK;
    }
    orr_error_set(e, ORR_E_BAD_VALUE, "a shard is I/N, from 1/N to N/N");
    orr_error_text(e, text, strlen(text));
    return ORR_E_BAD_VALUE;
}

/* ---- plans ---- */

typedef struct merge {
    cJSON *first;
    const char *first_dir;
    orr_sweep_plan *plan;
    orr_cells *cells;
} merge;

/* The record without its shard is that of the whole. */
static void make_whole(cJSON *record)
{
    cJSON_ReplaceItemInObjectCaseSensitive(record, "shard", cJSON_CreateNull());
}

static orr_err take_plan(merge *m, const char *dir, orr_error *e)
{
    m->first = orr_sweep_record_read(dir, e);
    if (!m->first)
        return e->code;
    m->first_dir = dir;
    make_whole(m->first);
    const char *source = orr_sweep_record_source(m->first);
    m->plan = orr_sweep_plan_read(dir, source, strlen(source), e);
    return m->plan ? ORR_OK : e->code;
}

static orr_err check_plan(const merge *m, const char *dir, orr_error *e)
{
    cJSON *record = orr_sweep_record_read(dir, e);
    if (!record)
        return e->code;
    make_whole(record);
    orr_err err = orr_sweep_record_match(dir, record, m->first, e);
    cJSON_Delete(record);
    return err;
}

/* ---- cells ---- */

static orr_err check_same(const merge *m, size_t cell, const orr_text *line, const char *dir, orr_error *e)
{
    orr_text ours = {0};
    orr_err err = orr_cells_line(m->cells, cell, &ours, e);
    if (!err && (ours.n + 1 != line->n || memcmp(ours.at, line->at, ours.n) != 0)) {
        err = orr_error_set(e, ORR_E_NOT_COMPARABLE, "cell %zu has another result here than elsewhere", cell);
        orr_error_at(e, dir, 0, 0);
    }
    orr_text_fini(&ours);
    return err;
}

static orr_err take_cell(merge *m, const orr_cells *shard, size_t cell, orr_text *line, const char *dir, orr_error *e)
{
    orr_err err = orr_cells_line(shard, cell, line, e);
    if (err)
        return err;
    orr_text_add(line, "\n", 1);
    return orr_cells_has(m->cells, cell) ? check_same(m, cell, line, dir, e)
                                         : orr_cells_append(m->cells, line, false, e);
}

static orr_err take_cells(merge *m, const char *dir, orr_error *e)
{
    orr_text line = {0};
    orr_err err = ORR_OK;
    orr_cells *shard = orr_cells_read(dir, m->plan->cells);
    for (size_t cell = 1; cell <= m->plan->cells && !err; cell++)
        if (orr_cells_has(shard, cell))
            err = take_cell(m, shard, cell, &line, dir, e);
    orr_cells_close(shard);
    orr_text_fini(&line);
    return err;
}

/* "3, 5-7, 11 and 200 more" */
static void missing_text(const merge *m, orr_text *out)
{
    enum { RUNS = 20 };
    size_t runs = 0, more = 0;
    for (size_t cell = 1; cell <= m->plan->cells; cell++) {
        const size_t from = cell;
        while (cell <= m->plan->cells && !orr_cells_has(m->cells, cell))
            cell++;
        if (cell == from)
            continue;
        if (runs++ >= RUNS)
            more += cell - from;
        else if (cell - from == 1)
            orr_text_addf(out, "%s%zu", out->n ? ", " : "", from);
        else
            orr_text_addf(out, "%s%zu-%zu", out->n ? ", " : "", from, cell - 1);
    }
    if (more)
        orr_text_addf(out, " and %zu more", more);
}

static orr_err check_complete(const merge *m, orr_error *e)
{
    const size_t there = orr_cells_count(m->cells);
    if (there == m->plan->cells)
        return ORR_OK;
    orr_text list = {0};
    missing_text(m, &list);
    orr_error_set(e, ORR_E_NOT_COMPARABLE, "%zu of %zu cells are missing: %s", m->plan->cells - there, m->plan->cells,
                  list.at);
    orr_error_hint(e, "run the shards that they belong to, then merge again");
    orr_text_fini(&list);
    return ORR_E_NOT_COMPARABLE;
}

/* ---- the whole ---- */

/* A folder that holds this very sweep is what an earlier merge left. */
static orr_err open_out(merge *m, const char *dir, bool force, orr_error *e)
{
    orr_err err = ORR_OK;
    if (dir && orr_sweep_record_exists(dir) && !force)
        err = check_plan(m, dir, e);
    else if (dir)
        err = orr_folder_check(dir, force, e);
    if (!err && dir && force)
        err = orr_folder_make(dir, e);
    if (!err && dir && force)
        err = orr_cells_remove(dir, e);
    if (!err)
        m->cells = orr_cells_open(NULL, m->plan->cells, e);
    return err ? err : m->cells ? ORR_OK : e->code;
}

/* Nothing is written before everything was found to be right. */
static orr_err write_out(merge *m, const char *dir, orr_error *e)
{
    orr_text line = {0};
    orr_err err = orr_folder_make(dir, e);
    if (!err)
        err = orr_sweep_record_write(dir, m->first, e);
    orr_cells *out = err ? NULL : orr_cells_open(dir, m->plan->cells, e);
    if (!out)
        return e->code;
    for (size_t cell = 1; cell <= m->plan->cells && !err; cell++) {
        if (orr_cells_has(out, cell))
            continue;
        err = orr_cells_line(m->cells, cell, &line, e);
        orr_text_add(&line, "\n", 1);
        if (!err)
            err = orr_cells_append(out, &line, false, e);
    }
    orr_text_fini(&line);
    orr_cells_close(m->cells);
    m->cells = out;
    return err ? err : orr_cells_finish(out, e);
}

static orr_err merge_all(merge *m, const char *const *dirs, size_t n, const char *dir, bool force, orr_error *e)
{
    orr_err err = take_plan(m, dirs[0], e);
    for (size_t i = 1; i < n && !err; i++)
        err = check_plan(m, dirs[i], e);
    if (!err)
        err = open_out(m, dir, force, e);
    for (size_t i = 0; i < n && !err; i++)
        err = take_cells(m, dirs[i], e);
    if (!err)
        err = check_complete(m, e);
    return err || !dir ? err : write_out(m, dir, e);
}

orr_err orr_shards_merge(const char *const *dirs, size_t n, const char *dir, bool force, orr_sweep_plan **plan,
                         orr_cells **cells, orr_error *e)
{
    orr_error own = {0};
    merge m = {0};
    const orr_err err = merge_all(&m, dirs, n, dir, force, &own);
    cJSON_Delete(m.first);
    if (!err) {
        *plan = m.plan;
        *cells = m.cells;
        return ORR_OK;
    }
    orr_cells_close(m.cells);
    orr_sweep_plan_destroy(m.plan);
    if (e)
        *e = own;
    return err;
}
