/* Rows of fields under names: a header's, bound to the columns that a reader knows, or a fixed order where the file has
 * no header. A call a row. Columns in any order, `#` comment lines before the header; columns that nobody knows are
 * noted and kept as attributes.
 */
#ifndef ORR_TRACE_SHEET_H
#define ORR_TRACE_SHEET_H

#include "trace/intake.h"

typedef struct orr_sheet_column {
    const char *name;
    bool needed;
    bool attribute; /* known, but no member of a record: kept as an attribute of this name */
} orr_sheet_column;

#define ORR_SHEET_COLUMNS 64

typedef struct orr_sheet {
    orr_csv csv;
    const orr_sheet_column *columns;
    size_t n;
    int32_t at[ORR_SHEET_COLUMNS]; /* where columns[i] stands in the file; -1: absent */
    size_t width;                  /* fields of a row */
    void (*comment)(orr_intake *k, const char *text, size_t n); /* may be NULL; text behind the comment mark */
    char mark;      /* of comment lines, which may stand anywhere if it isn't '#'; 0: '#', before the header only */
    char separator; /* 0: comma */
    bool may_blank; /* a header without a comma but with blanks means blank-separated rows */
    bool no_header; /* rows begin at once, fields in the order of `columns`, all of them there */
    bool may_header; /* with no_header: a first row that begins with a column's name is a header after all */
    /* May be NULL. Asked when the header is bound, before a column is missed: it may refuse the file (false). */
    bool (*header)(orr_intake *k, struct orr_sheet *sheet);
    bool foreign;   /* rows aren't records: nothing is kept as an attribute (a table that a format joins) */
    /* Attributes that are called like a column stand under their name behind "x_", those that are called so behind
     * another one: see orr_write_attribute_name. */
    bool escaped;
    void *self;     /* the reader's own */
    ORR_VEC(uint32_t) attribute_fields, attribute_places; /* field i of these is the row's attribute of that place */
} orr_sheet;

/* Reads the whole sheet; `row` is called for each well-formed row with its line counted already. */
orr_err orr_sheet_read(orr_sheet *sheet, orr_intake *k, void (*row)(orr_intake *k, orr_sheet *sheet));
/* The cell of columns[column] in the current row; empty if the file has no such column. */
orr_cell orr_sheet_cell(const orr_sheet *sheet, size_t column);
/* Its text as it is, "" if absent. */
const char *orr_sheet_text(const orr_sheet *sheet, size_t column);
bool orr_sheet_has(const orr_sheet *sheet, size_t column);

/* A separator that isn't a comma, if the header has one field that holds it; 0 otherwise. */
char orr_header_separator(const orr_csv *csv);
/* A hint that says so. */
void orr_header_hint(orr_error *e, char separator);

#endif
