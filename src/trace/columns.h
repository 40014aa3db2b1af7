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

/* Their places in the table. */
enum orr_column_place {
    ORR_COLUMN_ID,
    ORR_COLUMN_SUBMIT,
    ORR_COLUMN_DURATION,
    ORR_COLUMN_GPUS,
    ORR_COLUMN_USER,
    ORR_COLUMN_VC,
    ORR_COLUMN_NAME,
    ORR_COLUMN_MODEL,
    ORR_COLUMN_GPU_TYPE,
    ORR_COLUMN_CPUS,
    ORR_COLUMN_MEM_BYTES,
    ORR_COLUMN_GPU_MEM,
    ORR_COLUMN_LIMIT,
    ORR_COLUMN_DEADLINE,
    ORR_COLUMN_WEIGHT,
    ORR_COLUMN_STATE,
    ORR_COLUMN_ATTEMPTS,
    ORR_COLUMN_MIN_GPUS,
    ORR_COLUMN_MAX_GPUS,
    ORR_COLUMN_GPU_MILLI,
    ORR_COLUMN_PREEMPTIBLE,
    ORR_COLUMN_CENSORED,
    ORR_COLUMN_GROUP,
    ORR_COLUMN_START,
    ORR_COLUMN_END,
    ORR_COLUMN_STARTS,
    ORR_COLUMN_AFTER,
    ORR_COLUMN_THINK,
    ORR_COLUMN_RAN,
    ORR_COLUMN_CARRIED,
    ORR_COLUMNS
};
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
/* The name of an attribute in a header. One that is called like a column of the file gets a leading "x_", and so does
 * one that is called like that, so that readers can take it off again: `vc` is `x_vc`, `x_vc` is `x_x_vc`. */
void orr_write_attribute_name(orr_output *out, const char *name, bool (*is_column)(const char *name));
/* One field, quoted where a reader would not see it as it is. */
void orr_write_cell(orr_output *out, const orr_text *cell);

#endif
