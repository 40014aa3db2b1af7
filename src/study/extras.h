/* What a run's folder may hold besides, made from it when it is complete: reports, and the formats of other tools. One
 * table; a row is all that another one takes.
 */
#ifndef ORR_STUDY_EXTRAS_H
#define ORR_STUDY_EXTRAS_H

#include "base/mem.h"
#include "report/result.h"

typedef struct orr_extra {
    const char *name; /* as `--write` takes it; NULL ends the table */
    const char *file; /* what appears in the folder */
    orr_err (*write)(const orr_result *result, const char *dir, orr_error *e); /* NULL: written while the run goes */
} orr_extra;

const orr_extra *orr_extras(void);
/* Names with commas between, as a NULL-ended list in `arena`, each once; `all` is every one that this program was built
 * with, but for `requests`. ORR_E_BAD_VALUE with the nearest name. NULL or "" is the empty list. */
orr_err orr_extras_parse(const char *text, orr_arena *arena, const char *const **names, orr_error *e);
/* Is this one of the list? */
bool orr_extras_has(const char *const *names, const char *name);
/* Writes them into `dir`, which has a complete result. Tries all of them; calls `failed` for each that fails, the
 * folder itself included. */
void orr_extras_write(const char *const *names, const char *dir, void (*failed)(void *self, const orr_error *e),
                      void *self);

#endif
