/* Declared keys: one table says what a map may hold, and from it come the defaults, the checks, the error texts and the
 * documentation.
 *
 * A table fills a C struct by offsets. Reading writes only the members whose keys are given, so that layers are calls
 * in turn: defaults, then what a preset says, then what the user says. All errors carry file, line and column, and an
 * unknown key is answered with the nearest known one.
 */
#ifndef ORR_CONFIG_SCHEMA_H
#define ORR_CONFIG_SCHEMA_H

#include "base/text.h"
#include "config/yaml.h"

typedef enum orr_key_type {
    ORR_KEY_TEXT,   /* const char *; a scalar, as it stands: 0042 and 6214e9 stay texts */
    ORR_KEY_INT,    /* int64_t in low..high */
    ORR_KEY_BYTES,  /* int64_t in low..high; 16GiB, 25GB, plain bytes */
    ORR_KEY_LIST,   /* const orr_yaml *; a list of low..high maps that `each` describes, checked when they are read */
    ORR_KEY_COUNTS, /* const orr_yaml *; a map of free names to integers in low..high */
} orr_key_type;

struct orr_keys;

typedef struct orr_key {
    const char *name; /* NULL ends a table */
    orr_key_type type;
    size_t offset;
    const char *fallback; /* the default as a user would write it; "" : nothing; NULL: the key is required */
    int64_t low, high;    /* both 0: any text */
    const char *doc;      /* one or two sentences */
    const struct orr_keys *each;
} orr_key;

typedef struct orr_keys {
    const char *title, *doc;
    const orr_key *at;
} orr_keys;

/* Writes every default; members of required keys become zero, "" or NULL. */
void orr_schema_defaults(const orr_keys *keys, void *out);
/* Writes the members given in `map`. ORR_E_UNKNOWN_KEY, ORR_E_NUMBER (not a number, or out of range), ORR_E_SYNTAX
 * (another shape, or a required key is missing); on the command line ORR_E_BAD_VALUE. Texts and trees are borrowed from
 * `doc`. */
orr_err orr_schema_read(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map, void *out, orr_error *e);
/* The value of a member of ORR_KEY_COUNTS that was read. */
int64_t orr_schema_count(const orr_yaml *member);
/* A heading, the table's own text and a row a key. */
void orr_schema_markdown(const orr_keys *keys, orr_text *out);

#endif
