/* attempts.csv is read along with the log: holds end in the order of its rows. */
#include "verify/proof.h"

#include <inttypes.h>
#include <stdio.h>

enum { JOB, ATTEMPT, START, END, GPUS, ALLOCATION, NODES, REASON, OVERHEAD, COLUMNS };
static const char *const names[COLUMNS] = {"job_id",     "attempt", "start",  "end",     "gpus",
                                           "allocation", "nodes",   "reason", "overhead"};

struct rows {
    orr_beside sheet;
    size_t column[COLUMNS];
    orr_error error; /* the first of reading; from then on nothing is compared */
    orr_text allocation;
    int64_t compared;
};

static orr_err find_columns(struct rows *rows, orr_error *e)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t k = 0;
        while (k < rows->sheet.cells.n && strcmp(orr_beside_cell(&rows->sheet, k), names[i]) != 0)
            k++;
        rows->column[i] = k;
        if (k < rows->sheet.cells.n)
            continue;
        orr_error_set(e, ORR_E_MISSING_COLUMN, "there is no column '%s'", names[i]);
        orr_error_at(e, rows->sheet.path, 1, 0);
        return ORR_E_MISSING_COLUMN;
    }
    return ORR_OK;
}

struct rows *orr_rows_open(const char *path, orr_error *e)
{
    struct rows *rows = orr_xcalloc(1, sizeof *rows);
    if (orr_beside_open(&rows->sheet, path, e) == ORR_OK && find_columns(rows, e) == ORR_OK)
        return rows;
    orr_rows_close(rows);
    return NULL;
}

void orr_rows_close(struct rows *rows)
{
    if (!rows)
        return;
    orr_beside_close(&rows->sheet);
    orr_text_fini(&rows->allocation);
    free(rows);
}

static void add_slice(orr_text *out, const orr_log_slice *s)
{
    const char *join = "";
    orr_text_addf(out, "%s%d:", out->n ? ";" : "", s->node);
    for (int first = 0, end; first < ORR_LOG_MAX_GPUS; first = end + 1) {
        for (end = first; end < ORR_LOG_MAX_GPUS && s->gpus >> end & 1; end++) {
        }
        if (end == first)
            continue;
        orr_text_addf(out, end - first > 1 ? "%s%d-%d" : "%s%d", join, first, end - 1);
        join = "+";
    }
    if (s->milli != 1000)
        orr_text_addf(out, "@%d", s->milli);
}

static const char *cell(const struct rows *rows, int column)
{
    return orr_beside_cell(&rows->sheet, rows->column[column]);
}

/* The first column that differs; COLUMNS: none. */
static int differing(struct rows *rows, const live *l, orr_time end, const char *reason)
{
    orr_text_clear(&rows->allocation);
    for (size_t i = 0; i < l->slices.n; i++)
        add_slice(&rows->allocation, &l->slices.at[i]);
    const bool same[COLUMNS] = {strcmp(cell(rows, JOB), l->f->id) == 0,
                                orr_cell_is_count(cell(rows, ATTEMPT), l->holds),
                                orr_cell_is_time(cell(rows, START), l->from),
                                orr_cell_is_time(cell(rows, END), end),
                                orr_cell_is_count(cell(rows, GPUS), l->gpus),
                                strcmp(cell(rows, ALLOCATION), rows->allocation.n ? rows->allocation.at : "") == 0,
                                orr_cell_is_count(cell(rows, NODES), (int64_t)l->slices.n),
                                strcmp(cell(rows, REASON), reason) == 0,
                                orr_cell_is_time(cell(rows, OVERHEAD), l->overhead)};
    int i = 0;
    while (i < COLUMNS && same[i])
        i++;
    return i;
}

void orr_rows_hold(proof *p, const live *l, orr_time end, const char *reason)
{
    struct rows *rows = p->holds;
    char place[64];
    if (rows->error.code || orr_beside_next(&rows->sheet, &rows->error))
        return;
    snprintf(place, sizeof place, "attempts.csv:%" PRIu32, rows->sheet.line);
    if (rows->sheet.over) {
        orr_proof_finds(p, RULE_HOLDS, "attempts.csv", "a hold of this job has no row");
        return;
    }
    rows->compared++;
    const int wrong = differing(rows, l, end, reason);
    if (wrong < COLUMNS)
        orr_proof_finds(p, RULE_HOLDS, place, "%s is '%.80s', which the log doesn't say", names[wrong],
                        cell(rows, wrong));
}

orr_err orr_rows_over(proof *p, orr_error *e)
{
    struct rows *rows = p->holds;
    if (!rows->error.code && !rows->sheet.over)
        (void)!orr_beside_next(&rows->sheet, &rows->error);
    p->out->hold_rows = rows->compared;
    if (rows->error.code) {
        if (e && !e->code)
            *e = rows->error;
        return rows->error.code;
    }
    if (!rows->sheet.over)
        orr_proof_finds(p, RULE_HOLDS, "attempts.csv", "it has rows of holds that the log doesn't have");
    return ORR_OK;
}
