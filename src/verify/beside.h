/* A CSV file beside the log, row by row, after RFC 4180: cells may be quoted, and a quoted cell may hold line ends.
 * Private to this folder. */
#ifndef ORR_VERIFY_BESIDE_H
#define ORR_VERIFY_BESIDE_H

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"

typedef struct orr_beside {
    orr_input *in;
    const char *path;
    orr_text row;          /* the cells of the present one, each NUL-terminated */
    ORR_VEC(size_t) cells; /* where each begins */
    uint32_t line;         /* on which the row begins */
    bool over;
} orr_beside;

/* Reads the first row: the names of the columns. */
orr_err orr_beside_open(orr_beside *s, const char *path, orr_error *e);
void orr_beside_close(orr_beside *s);
/* The next row; `s->over` where there is none. */
orr_err orr_beside_next(orr_beside *s, orr_error *e);
/* "" where the row is too short. */
const char *orr_beside_cell(const orr_beside *s, size_t i);

#endif
