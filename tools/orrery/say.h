/* What goes to stderr: errors, warnings and notes in the one form that editors and CI matchers read,
 * `file:line:column: error: what is wrong [code]`, at most 20 of one kind. Quiet drops all but errors. */
#ifndef ORRERY_TOOL_SAY_H
#define ORRERY_TOOL_SAY_H

#include "base/mem.h"
#include "base/text.h"
#include "term.h"

#define SAY_MAX_OF_A_KIND 20

typedef struct said {
    const char *code;
    bool error;
    uint64_t count;
} said;

typedef struct say {
    term to;
    bool quiet;
    ORR_VEC(said) kinds;
    uint64_t warned; /* warnings so far, said or not */
} say;

/* Returns the exit status that belongs to the error. */
int say_error(say *s, const orr_error *e);
/* `code` is a stable name with a life as long as `s`; `file` and `line` may be NULL and 0. */
void say_warning(say *s, const char *code, const char *file, uint32_t line, const char *fmt, ...) ORR_PRINTF(5, 6);
/* The same for what is only worth knowing. */
void say_note(say *s, const char *code, const char *file, uint32_t line, const char *fmt, ...) ORR_PRINTF(5, 6);
/* Says how many of each kind were left out, and frees. */
void say_fini(say *s);

#endif
