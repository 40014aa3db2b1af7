/* A small table with a header row, as neighbours write clusters and measurements: comma or blank separated, fields
 * perhaps in quotes. Errors name line and column of the field. Blank lines are skipped; a row of another width is
 * refused.
 */
#ifndef ORR_BASE_TABLE_H
#define ORR_BASE_TABLE_H

#include "base/io.h"
#include "base/mem.h"

typedef struct orr_table {
    orr_input *in;  /* borrowed */
    char *names;    /* the header's text, which `columns` points into */
    char delimiter; /* ',' or ' ' for any blanks */
    ORR_VEC(const char *) columns;
    ORR_VEC(const char *) fields; /* of the present row, borrowed until the next */
    ORR_VEC(int) places;          /* where each field begins, from 1 */
    int line;
    size_t rows;
} orr_table;

/* Reads the header. ORR_E_EMPTY, ORR_E_ENCODING. A BOM is dropped. */
orr_err orr_table_open(orr_table *t, orr_input *in, orr_error *e);
void orr_table_close(orr_table *t);
/* *more is false at the end; then a table without any row is ORR_E_EMPTY. */
orr_err orr_table_next(orr_table *t, bool *more, orr_error *e);

/* The column of this name; SIZE_MAX: there is none. */
size_t orr_table_find(const orr_table *t, const char *name);
/* The column of this name; ORR_E_MISSING_COLUMN. */
orr_err orr_table_column(const orr_table *t, const char *name, size_t *column, orr_error *e);
/* An integer in low..high; ORR_E_NUMBER. */
orr_err orr_table_int(const orr_table *t, size_t column, int64_t low, int64_t high, int64_t *out, orr_error *e);
/* Sets an error at a field of the present row. */
orr_err orr_table_fail(const orr_table *t, size_t column, orr_err code, orr_error *e, const char *fmt, ...)
    ORR_PRINTF(5, 6);
/* Adds the present row's place to the error just set. */
void orr_table_place(const orr_table *t, orr_error *e);

#endif
