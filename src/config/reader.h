/* The formats a cluster can be written in. A reader is one file here that fills an empty description from one input;
 * the table in cluster_load.c lists them, and the documentation of formats is printed from it.
 */
#ifndef ORR_CONFIG_READER_H
#define ORR_CONFIG_READER_H

#include "base/io.h"
#include "base/text.h"
#include "config/spec.h"

/* What a reader may need to know besides its input. */
typedef struct orr_cluster_source {
    const char *capacity_day; /* NULL: not asked */
    int32_t gpus_per_node;
    const char *preset_dir; /* "": none */
    const char *beside;     /* folder of the file being read, searched for presets first; "": none */
    orr_sha256 digest;      /* of all files read so far */
    bool digested;
    int depth; /* of presets that name presets */
} orr_cluster_source;

typedef struct orr_cluster_reader {
    const char *format; /* its name for --format */
    const char *begins; /* how such a file begins, for people */
    const char *doc;
    bool by_day; /* has a capacity for each day */
    /* Judges by the first line that holds anything, without its end. */
    bool (*sniff)(const char *line);
    orr_err (*read)(orr_input *in, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e);
} orr_cluster_reader;

extern const orr_cluster_reader orr_reader_yaml, orr_reader_helios_vc, orr_reader_helios_daily, orr_reader_philly_vc,
    orr_reader_tiresias, orr_reader_openb;

/* Fills in the options' defaults; ORR_E_BAD_VALUE. Both `options` and `e` may be NULL. */
orr_err orr_cluster_source_init(orr_cluster_source *source, const orr_cluster_options *options, orr_error *e);
void orr_cluster_source_digest(orr_cluster_source *source, const void *data, size_t n);

/* Reads a description from an open input; what `orr_cluster_spec_load` does once it knows what to open. */
orr_cluster_spec *orr_cluster_read(orr_input *in, const orr_cluster_options *options, orr_error *e);
/* `nodes=128,gpus=8,…` */
orr_err orr_cluster_read_inline(const char *text, orr_cluster_source *source, orr_cluster_spec *spec, orr_error *e);

/* Adds `gpus` GPUs as nodes of `per_node`, and one smaller node for what is left over. */
orr_err orr_cluster_add_gpus(orr_cluster_spec *spec, const char *vc, int64_t gpus, int32_t per_node, orr_error *e);

/* The keys of YAML and inline form, and the table of formats, as Markdown. */
void orr_cluster_keys_markdown(orr_text *out);
void orr_cluster_formats_markdown(orr_text *out);

#endif
