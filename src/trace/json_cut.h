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
    bool begun, ended;
    orr_text element;
} orr_json_cut;

void orr_json_cut_init(orr_json_cut *cut, orr_input *in);
void orr_json_cut_fini(orr_json_cut *cut);
/* The next element's text, NUL-terminated and valid until the next call, UTF-8; NULL when the array and the file are
 * at their end. ORR_E_TRUNCATED if the file ends inside the array, ORR_E_SYNTAX for anything beside it,
 * ORR_E_ENCODING. Whether the element itself is JSON is for its parser to say. */
orr_err orr_json_cut_next(orr_json_cut *cut, const char **text, size_t *n, orr_error *e);

#endif
