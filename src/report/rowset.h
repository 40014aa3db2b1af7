/* Rows of a CSV table into a struct, by the names of its columns: a list says which member each column fills. */
#ifndef ORR_REPORT_ROWSET_H
#define ORR_REPORT_ROWSET_H

#include <orrery/time.h>
#include <stddef.h>

typedef enum orr_rowset_cell {
    ORR_ROWSET_TEXT,  /* const char *, borrowed until the next row */
    ORR_ROWSET_TIME,  /* orr_time; ORR_TIME_NONE where empty */
    ORR_ROWSET_REAL,  /* double; NaN where empty */
    ORR_ROWSET_INT,   /* int64_t; 0 where empty */
    ORR_ROWSET_SMALL, /* int32_t; 0 where empty */
    ORR_ROWSET_FLAG   /* bool: 0 or 1 */
} orr_rowset_cell;

typedef struct orr_rowset_column {
    const char *name; /* NULL ends the list */
    orr_rowset_cell cell;
    size_t offset;
    bool needed;      /* the table is refused without it; else its cells are empty */
} orr_rowset_column;

typedef struct orr_rowset orr_rowset;

/* Opens the file and reads its header. `columns` is borrowed. NULL and `e`: ORR_E_OPEN, ORR_E_EMPTY,
 * ORR_E_MISSING_COLUMN. */
orr_rowset *orr_rowset_open(const char *path, const orr_rowset_column *columns, orr_error *e);
/* Fills `row`; *more is false at the end. ORR_E_RAGGED, ORR_E_NUMBER, ORR_E_TIME with the place. */
orr_err orr_rowset_next(orr_rowset *reader, void *row, bool *more, orr_error *e);
void orr_rowset_close(orr_rowset *reader); /* takes NULL */

#endif
