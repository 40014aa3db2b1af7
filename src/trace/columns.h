/* The columns of our own CSV: one table that reads, writes and documents them. */
#ifndef ORR_TRACE_COLUMNS_H
#define ORR_TRACE_COLUMNS_H

#include "trace/intake.h"

typedef struct orr_column orr_column;
struct orr_column {
    const char *name;
    bool needed;
    const char *unit, *fallback, *meaning; /* for the documentation */
    size_t text_at;                        /* of a text column: its member's offset in the record */
    /* Takes a cell into the record; false when the row is over. */
    bool (*take)(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job);
    /* Adds the value's text; nothing if it is the default. */
    void (*print)(const orr_column *column, const orr_trace_job *job, orr_text *out);
};

#define ORR_COLUMNS 29
extern const orr_column orr_columns[ORR_COLUMNS];

/* The table as Markdown, one row a column: what traces/README.md shows. */
void orr_columns_markdown(orr_text *out);

/* ---- what our CSV of jobs and that of requests share ---- */

/* Takes a comment line's `origin` and `clock` (see read_orrery.c). */
void orr_comment(orr_intake *k, const char *text, size_t n);
/* Cuts a comment line `key: value` up; false if it is none. */
bool orr_comment_split(const char *text, size_t n, const char **key, size_t *key_length, const char **value,
                       size_t *length);
/* Lines of `comment` behind "# ". */
void orr_write_comment(orr_output *out, const char *comment);
/* One field, quoted where a reader would not see it as it is. */
void orr_write_cell(orr_output *out, const orr_text *cell);

#endif
