/* Files of services: the keys, the readers of their parts, and what those share. services.c is the door. */
#ifndef ORR_CONFIG_SERVICES_H
#define ORR_CONFIG_SERVICES_H

#include "base/io.h"
#include "config/schema.h"

#include <orrery/services.h>

#define ORR_SERVICES_SCHEMA "orrery.services/1"

/* What `orr_services_load` does once the file is open. `folder` is where tables and traces that it names are looked
 * for, "": there can't be any. */
orr_services *orr_services_read(orr_input *in, const char *folder, orr_error *e);
/* Is the file that such a text names one of services, by its beginning? */
bool orr_services_told(const char *text);
/* The tables of keys as Markdown, for configs/README.md. */
void orr_services_keys_markdown(orr_text *out);

/* ---- between the readers ----------------------------------------------------------------------------------------- */

/* A trace that was read: several services may take their requests from one. */
typedef struct orr_services_trace {
    const char *path, *tz, *format;
    orr_trace *trace;
} orr_services_trace;

/* Everything that services point to. */
typedef struct orr_services_memory {
    orr_yaml_doc doc; /* whose texts they borrow */
    orr_arena arena;
    ORR_VEC(orr_services_trace) traces;
    ORR_VEC(orr_note) notes;
    char digest[65];
} orr_services_memory;

/* A service while the file is being read: what names others waits until all are known. */
typedef struct orr_service_draft {
    orr_service service;
    const char *base;    /* its name in the file, which copies share */
    const orr_yaml *map; /* where it stands */
    const orr_yaml *to, *replicas;
} orr_service_draft;

typedef ORR_VEC(orr_service_draft) orr_service_drafts;

typedef struct orr_services_reader {
    orr_services *out;
    orr_services_memory *memory;
    const orr_yaml_doc *doc;
    const char *folder;
    orr_sha256 sha;
    orr_service_drafts drafts;
    orr_error *e;
} orr_services_reader;

/* services.c */
/* The path of a file that the file names at `at`; ORR_E_OPEN where it doesn't lie in a folder itself. */
orr_err orr_services_path(const orr_services_reader *r, const orr_yaml *at, orr_text *path);
void orr_services_digest(orr_services_reader *r, const char hex[65]);
void orr_services_note(orr_services_reader *r, orr_note_kind kind, const char *reason, const char *detail);
orr_said orr_services_said(const orr_services_reader *r, const orr_yaml *at);
/* One scalar of a list or of a map of free names, as a key of this type would read it. */
orr_err orr_services_scalar(const orr_services_reader *r, const orr_yaml *v, orr_key_type type, int64_t low,
                            int64_t high, void *out);
/* A law with its cv: a word, or a map; nothing: none. `measured` NULL: that word isn't known here. */
orr_err orr_services_spread(const orr_services_reader *r, const orr_yaml *v, orr_jitter *out, bool *measured);
/* Whether a name can stand for a service or a variant in SERVICE/VARIANT. */
orr_err orr_services_name(const orr_services_reader *r, const orr_yaml *at);
/* The share of a map's `slice`, if it has one. `type`: its GPU type; "": any. */
orr_err orr_services_slice(const orr_services_reader *r, const orr_yaml *map, const char *type, int32_t *milli);
/* The first element of a list, or the one value itself; then `next` goes on. NULL: nothing. */
const orr_yaml *orr_services_first(const orr_yaml *v);

/* services_service.c: an element of `services`, pushed to the drafts. */
orr_err orr_services_read_service(orr_services_reader *r, const orr_yaml *map);
/* The edges of all, once they are sorted; refuses circles. */
orr_err orr_services_read_edges(orr_services_reader *r);
/* The place of this name among the sorted; -1: there is none. */
int32_t orr_services_find(const orr_services_reader *r, const char *text, size_t length);
/* services_source.c */
orr_err orr_services_read_source(orr_services_reader *r, const orr_yaml *map, orr_source *out);
/* services_variant.c: `variants` of the service of this name. */
orr_err orr_services_read_variants(orr_services_reader *r, const orr_yaml *list, const char *service, orr_service *out);
/* services_profile.c: *weights is what its table says of them, bytes; 0: nothing. */
orr_err orr_services_read_profile(orr_services_reader *r, const orr_yaml *map, const char *variant,
                                  orr_exec_profile *out, double *weights);
/* services_executors.c: `executors`, or the replicas of services; markets; contention. */
orr_err orr_services_read_executors(orr_services_reader *r, const orr_yaml *list);
orr_err orr_services_read_markets(orr_services_reader *r, const orr_yaml *list);
orr_err orr_services_read_contention(orr_services_reader *r, const orr_yaml *list);

/* ---- tables of measurements -------------------------------------------------------------------------------------- */

/* What picks rows of a table: the text a column must have; NULL: whatever, as long as it is the same in all. */
typedef struct orr_table_pick {
    const char *column, *text;
    const orr_yaml *at; /* where it was asked for; NULL: it wasn't */
} orr_table_pick;

/* A row of one of the shapes that are known; what a shape lacks is 0. */
typedef struct orr_measured_row {
    int32_t batch, stage;
    double mean, deviation;         /* seconds of a batch, or of its stage */
    double bytes;                   /* memory in use; STAGES: weights of the stage */
    double prompt, output;          /* TOKENS: tokens of each */
    double prompt_time, token_time; /* TOKENS: seconds */
} orr_measured_row;

typedef enum orr_measured_shape { ORR_MEASURED_BATCHES, ORR_MEASURED_STAGES, ORR_MEASURED_TOKENS } orr_measured_shape;

typedef ORR_VEC(orr_measured_row) orr_measured_rows;

/* services_tables.c: the rows that `picks` leaves of the CSV file named at `at`, in the order of the file, and their
 * shape. */
orr_err orr_services_read_table(orr_services_reader *r, const orr_yaml *at, orr_table_pick *picks, size_t pick_count,
                                orr_measured_shape *shape, orr_measured_rows *rows);

extern const orr_keys orr_services_keys, orr_service_keys, orr_service_class_keys, orr_service_edge_keys,
    orr_service_cache_keys, orr_service_start_keys, orr_source_keys, orr_source_token_keys, orr_source_input_keys,
    orr_spread_keys, orr_variant_keys, orr_exec_profile_keys, orr_exec_table_keys, orr_iter_keys, orr_iter_fit_keys,
    orr_exec_ask_keys, orr_replica_keys, orr_market_keys, orr_contention_keys, orr_weight_store_keys;

#endif
