/* A CSV with a header: names of columns bound to the ones a reader knows, then a call a row. Any order, any extra
 * columns (noted), `#` comment lines before the header.
 */
#ifndef ORR_TRACE_SHEET_H
#define ORR_TRACE_SHEET_H

#include "trace/intake.h"

typedef struct orr_sheet_column {
    const char *name;
    bool needed;
} orr_sheet_column;

#define ORR_SHEET_COLUMNS 32

typedef struct orr_sheet {
    orr_csv csv;
    const orr_sheet_column *columns;
    size_t n;
    int32_t at[ORR_SHEET_COLUMNS]; /* where columns[i] stands in the file; -1: absent */
    size_t width;                  /* fields of the header */
    void (*comment)(orr_intake *k, const char *text, size_t n); /* may be NULL; text behind the # */
    bool may_blank; /* a header without a comma but with blanks means blank-separated rows */
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
