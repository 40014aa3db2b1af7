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
    ORR_KEY_BANDWIDTH, /* int64_t in low..high, bytes a second; 12GB/s, 100Gb/s */
    ORR_KEY_LIST,   /* const orr_yaml *; a list of low..high maps that `each` describes, checked when they are read */
    ORR_KEY_COUNTS, /* const orr_yaml *; a map of free names to integers in low..high */
    ORR_KEY_REAL,   /* double in low..high */
    /* double in low..high seconds; 4.1ms, 250ns, 1m30s: finer than the clock, for times that are measured */
    ORR_KEY_SECONDS,
    ORR_KEY_RATE,   /* double in low..high a second; 120/s, 90/min, 2/h, a plain number */
    ORR_KEY_TEXTS,  /* const orr_yaml *; a scalar, or a list of low..high scalars */
    ORR_KEY_MAP,    /* const orr_yaml *; a map that is checked when it is read */
    ORR_KEY_ANY,    /* const orr_yaml *; of whatever shape, which is checked when it is read */
    ORR_KEY_BOOL,     /* bool; on off, yes no, true false */
    ORR_KEY_NATURAL,  /* uint64_t in low..high; low and high 0: any */
    ORR_KEY_DURATION, /* orr_time in low..high ns, low and high 0: from 0 on; 90s, 1h30m, inf (ORR_TIME_MAX) */
    ORR_KEY_CHOICE,   /* int32_t; the place of the name in `each` */
    ORR_KEY_NAMES,    /* ORR_VEC(const char *), borrowed and never grown; a list of texts, or one without blanks */
} orr_key_type;

typedef struct orr_key {
    const char *name; /* NULL ends a table */
    orr_key_type type;
    size_t offset;
    const char *fallback; /* the default as a user would write it; "" : nothing; NULL: the key is required */
    int64_t low, high;    /* both 0: any text */
    const char *doc;      /* one or two sentences */
    const void *each; /* LIST: the orr_keys of an element; CHOICE: the names, "a|b|c" */
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
/* The same for a map that also has keys of another table: members named in `others` (NULL-ended; may be NULL) are
 * passed over. */
orr_err orr_schema_read_beside(const orr_keys *keys, const char *const *others, const orr_yaml_doc *doc,
                               const orr_yaml *map, void *out, orr_error *e);
/* The key of this name, or NULL. */
const orr_key *orr_schema_find(const orr_keys *keys, const char *name);
/* Sets one member by a text, as the command line would; several texts stand with blanks between, in double quotes where
 * they have blanks themselves. What has to be kept goes to `arena`. ORR_E_UNKNOWN_KEY, ORR_E_BAD_VALUE; a tree can't be
 * set so. */
orr_err orr_schema_set(const orr_keys *keys, orr_arena *arena, const char *name, const char *value, void *out,
                       orr_error *e);
/* The text that sets this value: the same for equal values. Trees have none. */
void orr_schema_value(const orr_key *key, const void *out, orr_text *text);
/* Makes one member that of another struct of this table; what it points to is shared. */
void orr_schema_copy(const orr_key *key, void *out, const void *from);
/* The value of a member of ORR_KEY_COUNTS that was read. */
int64_t orr_schema_count(const orr_yaml *member);
/* A heading, the table's own text and a row a key. */
void orr_schema_markdown(const orr_keys *keys, orr_text *out);

#endif
