/* Cuts the outer array of a JSON file into its elements, so that a file of any size is parsed one element at a time. */
#ifndef ORR_TRACE_JSON_CUT_H
#define ORR_TRACE_JSON_CUT_H

#include "base/io.h"
#include "base/text.h"

typedef struct orr_json_cut {
    orr_input *in;
    char *chunk;
    size_t at, got;
    uint32_t line;         /* of the next byte */
    uint32_t element_line; /* where the element last returned begins */
    bool begun, ended;     /* begun: a byte order mark has been looked for */
    orr_text element;
} orr_json_cut;

void orr_json_cut_init(orr_json_cut *cut, orr_input *in);
void orr_json_cut_fini(orr_json_cut *cut);
/* The next element's text, NUL-terminated and valid until the next call, UTF-8; NULL when the array and the file are
 * at their end. ORR_E_TRUNCATED if the file ends inside the array, ORR_E_SYNTAX for anything beside it,
 * ORR_E_ENCODING. Whether the element itself is JSON is for its parser to say. */
orr_err orr_json_cut_next(orr_json_cut *cut, const char **text, size_t *n, orr_error *e);

/* For files of another outer form, which their reader walks over itself: the next byte that is no blank, 0 at the
 * end. */
orr_err orr_json_cut_peek(orr_json_cut *cut, char *out, orr_error *e);
/* Consumes that byte, which must be `c`: ORR_E_SYNTAX, or ORR_E_TRUNCATED at the end. */
orr_err orr_json_cut_take(orr_json_cut *cut, char c, orr_error *e);
/* The next value or `"key": value`, up to the comma or bracket behind it, as orr_json_cut_next gives elements. */
orr_err orr_json_cut_value(orr_json_cut *cut, const char **text, size_t *n, orr_error *e);
/* The next `"key":` alone, consumed; the key without its quotes, escapes left as they are. */
orr_err orr_json_cut_key(orr_json_cut *cut, const char **key, orr_error *e);

#endif
