#include "report/rowset.h"

#include "base/assert.h"
#include "trace/csv.h"
#include <math.h>

enum { COLUMNS_MAX = 40 };

struct orr_rowset {
    orr_input *in;
    orr_csv csv;
    const orr_rowset_column *columns;
    size_t place[COLUMNS_MAX]; /* of each column in the file; SIZE_MAX: it isn't there */
    size_t width;              /* fields of the header */
};

static orr_err fail(const orr_rowset *r, orr_err code, const orr_field *field, const char *column, orr_error *e)
{
    orr_error_set(e, code, "column %s: %s", column, orr_err_text(code));
    orr_error_at(e, orr_input_name(r->in), (int)r->csv.line, (int)field->column);
    orr_error_text(e, field->at, field->n);
    return code;
}

static void empty_cell(orr_rowset_cell cell, void *member)
{
    switch (cell) {
    case ORR_ROWSET_TEXT:
        *(const char **)member = "";
        return;
    case ORR_ROWSET_TIME:
        *(orr_time *)member = ORR_TIME_NONE;
        return;
    case ORR_ROWSET_REAL:
        *(double *)member = NAN;
        return;
    case ORR_ROWSET_INT:
        *(int64_t *)member = 0;
        return;
    case ORR_ROWSET_SMALL:
        *(int32_t *)member = 0;
        return;
    case ORR_ROWSET_FLAG:
        *(bool *)member = false;
        return;
    }
}

static bool small_of(const orr_field *field, int32_t *out)
{
    int64_t v;
    if (!orr_parse_i64(field->at, field->n, &v) || v < INT32_MIN || v > INT32_MAX)
        return false;
    *out = (int32_t)v;
    return true;
}

static bool flag_of(const orr_field *field, bool *out)
{
    *out = field->at[0] == '1';
    return field->n == 1 && (field->at[0] == '0' || field->at[0] == '1');
}

static orr_err read_cell(orr_rowset_cell cell, const orr_field *field, void *member)
{
    switch (cell) {
    case ORR_ROWSET_TEXT:
        *(const char **)member = field->at;
        return ORR_OK;
    case ORR_ROWSET_TIME:
        return orr_time_parse_seconds(field->at, field->n, member);
    case ORR_ROWSET_REAL:
        return orr_parse_double(field->at, field->n, member) ? ORR_OK : ORR_E_NUMBER;
    case ORR_ROWSET_INT:
        return orr_parse_i64(field->at, field->n, member) ? ORR_OK : ORR_E_NUMBER;
    case ORR_ROWSET_SMALL:
        return small_of(field, member) ? ORR_OK : ORR_E_NUMBER;
    case ORR_ROWSET_FLAG:
        return flag_of(field, member) ? ORR_OK : ORR_E_NUMBER;
    }
    return ORR_OK;
}

/* ---- the header ---- */

static size_t find(const orr_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->fields.n; i++)
        if (strcmp(csv->fields.at[i].at, name) == 0)
            return i;
    return SIZE_MAX;
}

static orr_err lacks(const orr_rowset *r, const char *name, orr_error *e)
{
    orr_error_set(e, ORR_E_MISSING_COLUMN, "there is no column %s", name);
    orr_error_at(e, orr_input_name(r->in), (int)r->csv.line, 0);
    orr_error_hint(e, "results are written by `orrery run -o`; one of an older version is made again by its command");
    return ORR_E_MISSING_COLUMN;
}

static orr_err read_header(orr_rowset *r, orr_error *e)
{
    const orr_err err = orr_csv_next(&r->csv, e);
    if (err)
        return err;
    if (!r->csv.text) {
        orr_error_set(e, ORR_E_EMPTY, "the table has no header");
        orr_error_at(e, orr_input_name(r->in), 0, 0);
        return ORR_E_EMPTY;
    }
    orr_csv_split(&r->csv);
    r->width = r->csv.fields.n;
    for (size_t i = 0; r->columns[i].name; i++) {
        ORR_ASSERT(i < COLUMNS_MAX, "a table of more columns than expected");
        r->place[i] = find(&r->csv, r->columns[i].name);
        if (r->place[i] == SIZE_MAX && r->columns[i].needed)
            return lacks(r, r->columns[i].name, e);
    }
    return ORR_OK;
}

orr_rowset *orr_rowset_open(const char *path, const orr_rowset_column *columns, orr_error *e)
{
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    orr_rowset *r = orr_xcalloc(1, sizeof *r);
    r->in = in;
    r->columns = columns;
    orr_csv_init(&r->csv, in);
    if (!read_header(r, e))
        return r;
    orr_rowset_close(r);
    return NULL;
}

void orr_rowset_close(orr_rowset *r)
{
    if (!r)
        return;
    orr_csv_fini(&r->csv);
    orr_input_close(r->in);
    free(r);
}

/* ---- rows ---- */

static orr_err ragged(const orr_rowset *r, orr_error *e)
{
    orr_error_set(e, ORR_E_RAGGED, "a row of %zu fields below a header of %zu", r->csv.fields.n, r->width);
    orr_error_at(e, orr_input_name(r->in), (int)r->csv.line, 0);
    return ORR_E_RAGGED;
}

orr_err orr_rowset_next(orr_rowset *r, void *row, bool *more, orr_error *e)
{
    orr_err err = orr_csv_next(&r->csv, e);
    *more = !err && r->csv.text;
    if (!*more)
        return err;
    orr_csv_split(&r->csv);
    if (r->csv.fields.n != r->width)
        return ragged(r, e);
    for (size_t i = 0; r->columns[i].name; i++) {
        const orr_rowset_column *c = &r->columns[i];
        void *member = (char *)row + c->offset;
        const orr_field *field = r->place[i] == SIZE_MAX ? NULL : &r->csv.fields.at[r->place[i]];
        if (!field || field->n == 0)
            empty_cell(c->cell, member);
        else if ((err = read_cell(c->cell, field, member)))
            return fail(r, err, field, c->name, e);
    }
    return ORR_OK;
}
