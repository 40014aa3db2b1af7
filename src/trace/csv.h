/* Rows of comma-separated text after RFC 4180: quoted fields may hold commas, doubled quotes and line ends. Blank
 * lines are skipped, fields without quotes lose the blanks around them, and every field is NUL-terminated in place.
 * With another `separator` than a comma quotes mean nothing; a blank stands for runs of blanks and tabs.
 *
 * Nothing is allocated per row: fields point into the input's own line, or into one growing buffer if quotes span
 * lines.
 */
#ifndef ORR_TRACE_CSV_H
#define ORR_TRACE_CSV_H

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"

typedef struct orr_field {
    char *at; /* NUL-terminated */
    size_t n;
    uint32_t column; /* 1-based byte column in its line, for messages */
} orr_field;

typedef struct orr_csv {
    orr_input *in;
    char separator; /* ',' unless set otherwise before splitting */
    bool damaged;  /* the row last read has text behind a closing quote */
    uint32_t line; /* where the row last read begins */
    char *text;    /* the row last read; cut up once split */
    size_t length;
    ORR_VEC(orr_field) fields;
    orr_text joined;
} orr_csv;

void orr_csv_init(orr_csv *csv, orr_input *in);
void orr_csv_fini(orr_csv *csv);
/* The next row that isn't blank, whole but not yet split; csv->text is NULL at the end. ORR_E_ENCODING for what is not
 * UTF-8, ORR_E_TRUNCATED for a quote that never closes. */
orr_err orr_csv_next(orr_csv *csv, orr_error *e);
/* Splits csv->text into csv->fields. */
void orr_csv_split(orr_csv *csv);

#endif
