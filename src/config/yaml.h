/* A YAML text as a small tree in which every value knows its line and column.
 *
 * Only what a configuration needs: one document, maps with plain keys, lists, scalars. Anchors, aliases, tags, merge
 * keys and repeated keys are refused, so that a file means what it shows. A text of the command line (`key=value,…`)
 * becomes the same tree; its errors are errors of usage and have no place in a file.
 */
#ifndef ORR_CONFIG_YAML_H
#define ORR_CONFIG_YAML_H

#include "base/mem.h"
#include <orrery/error.h>

typedef enum orr_yaml_kind { ORR_YAML_SCALAR, ORR_YAML_LIST, ORR_YAML_MAP } orr_yaml_kind;

typedef struct orr_yaml orr_yaml;
struct orr_yaml {
    orr_yaml_kind kind;
    bool quoted;      /* a scalar in quotes or a block: text, never a number */
    int line, column; /* from 1 */
    int end_line, end_column; /* just behind it; of a list or map without brackets: where the next thing begins */
    const char *text; /* of a scalar */
    const char *key;  /* of a map's member; NULL otherwise */
    int key_line, key_column;
    const char **texts; /* of a scalar: its one text; of a list of scalars: theirs; NULL otherwise */
    orr_yaml *first, *next; /* members or elements in the order of the text */
    size_t count;
};

/* Zeroed memory is an empty document. The tree lives in the arena. */
typedef struct orr_yaml_doc {
    orr_arena arena;
    const char *file; /* borrowed */
    bool command_line;
    orr_yaml *root;
} orr_yaml_doc;

/* ORR_E_EMPTY, ORR_E_ENCODING or ORR_E_SYNTAX with the place. `data` needn't outlive the call. */
orr_err orr_yaml_read(orr_yaml_doc *doc, const char *file, const char *data, size_t size, orr_error *e);
/* `key=value,key=value`; ORR_E_BAD_VALUE. */
orr_err orr_yaml_inline(orr_yaml_doc *doc, const char *text, orr_error *e);
void orr_yaml_fini(orr_yaml_doc *doc);

/* The member of a map with this key; NULL: none. O(members). */
const orr_yaml *orr_yaml_member(const orr_yaml *map, const char *key);

/* Sets an error at a value, or at its key, with the offending text; an error of the command line is ORR_E_BAD_VALUE
 * whatever `code` is. */
orr_err orr_yaml_fail(const orr_yaml_doc *doc, const orr_yaml *at, orr_err code, orr_error *e, const char *fmt, ...)
    ORR_PRINTF(5, 6);
orr_err orr_yaml_fail_key(const orr_yaml_doc *doc, const orr_yaml *at, orr_err code, orr_error *e, const char *fmt, ...)
    ORR_PRINTF(5, 6);

#endif
