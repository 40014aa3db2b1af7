/* Changes to a text by line and column, as a YAML tree gives them, that leave every other byte alone.
 *
 * Lines and columns count from 1 as libyaml does: columns in code points, lines by LF, CRLF, CR and the separators of
 * Unicode.
 */
#ifndef ORR_STUDY_TEXT_EDIT_H
#define ORR_STUDY_TEXT_EDIT_H

#include "base/mem.h"
#include "base/text.h"

typedef struct orr_edit {
    size_t from, to; /* bytes [from, to) go */
    char *text;      /* and this comes */
    size_t order;
} orr_edit;

typedef struct orr_edits {
    const char *text; /* borrowed */
    size_t size;
    ORR_VEC(size_t) lines; /* where each begins */
    ORR_VEC(orr_edit) list;
} orr_edits;

void orr_edits_init(orr_edits *edits, const char *text, size_t size);
void orr_edits_fini(orr_edits *edits);
/* The byte at a place; past the end of a line its end, past the last line the end of the text. */
size_t orr_edits_offset(const orr_edits *edits, int line, int column);
/* Changes must not overlap; insertions at one place stand in the order given. */
void orr_edits_replace(orr_edits *edits, size_t from, size_t to, const char *text);
void orr_edits_insert(orr_edits *edits, size_t at, const char *text);
/* The end of the line, before its break, on which the last thing before `at` stands. */
size_t orr_edits_line_end(const orr_edits *edits, size_t at);
/* "\n", or "\r\n" where the first line ends so. */
const char *orr_edits_break(const orr_edits *edits);
void orr_edits_apply(orr_edits *edits, orr_text *out);

#endif
