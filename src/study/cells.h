/* The cells that a sweep has finished: one line of JSON each, kept so that nothing is lost.
 *
 * While a sweep goes on, a folder holds the journal `cells.part.jsonl`, in the order in which cells ended; a line is
 * in it for good when append returns. At the end it becomes `cells.jsonl`, in cell order: the same bytes whatever the
 * order, the number of processes or of interruptions. A line that a kill cut off is dropped when the journal is
 * opened again. One process at a time may write a journal.
 *
 * Lines stay on disk; memory holds where each begins.
 */
#ifndef ORR_STUDY_CELLS_H
#define ORR_STUDY_CELLS_H

#include "base/text.h"

#define ORR_CELLS_FILE "cells.jsonl"
#define ORR_CELLS_JOURNAL "cells.part.jsonl"

typedef struct orr_cells orr_cells;

/* What every line begins with: the schema and the cell's number, from 1. */
void orr_cells_line_begin(size_t cell, orr_text *out);

/* The store of cells 1..total. `dir` is a folder that exists, with what it holds of both files; NULL: a temporary file
 * that nobody else sees. ORR_E_WRITE, or ORR_E_CREATE, also where another process writes this journal. */
orr_cells *orr_cells_open(const char *dir, size_t total, orr_error *e);
/* What a folder holds, finished or not, none if there is nothing; nothing is written or locked. */
orr_cells *orr_cells_read(const char *dir, size_t total);
void orr_cells_close(orr_cells *cells); /* takes NULL */

bool orr_cells_has(const orr_cells *cells, size_t cell);
size_t orr_cells_count(const orr_cells *cells);
/* The line without its newline is put into `out` instead of what is there. */
orr_err orr_cells_line(const orr_cells *cells, size_t cell, orr_text *out, orr_error *e);
/* Adds a line, with its newline, of a cell that isn't there yet. On disk when it returns, if `durable`. */
orr_err orr_cells_append(orr_cells *cells, const orr_text *line, bool durable, orr_error *e);
/* Writes cells.jsonl and removes the journal; lines can still be read. Does nothing where there is no folder. */
orr_err orr_cells_finish(orr_cells *cells, orr_error *e);
/* Removes both files of a folder, where they are. */
orr_err orr_cells_remove(const char *dir, orr_error *e);

#endif
