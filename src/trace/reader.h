/* A format: how it is recognised and how it is read. One file each; reader.c lists them. */
#ifndef ORR_TRACE_READER_H
#define ORR_TRACE_READER_H

#include "trace/sheet.h"

#define ORR_SIGNATURE 4

typedef struct orr_format {
    const char *name;                     /* for orr_trace_options.format */
    const char *label;                    /* what orr_trace_format says */
    const char *signature[ORR_SIGNATURE]; /* header names it is recognised by, NULL-padded; none: by its first byte */
    bool blanks;                          /* rows may be separated by blanks */
    /* Reads everything into the intake, which is finished by the caller. */
    orr_err (*read)(orr_intake *k);
} orr_format;

extern const orr_format orr_format_orrery, orr_format_helios, orr_format_philly_json, orr_format_philly_csv,
    orr_format_tiresias;

/* As orr_trace_read, from an input that the caller opened and closes. */
orr_trace *orr_trace_read_input(orr_input *in, const orr_trace_options *options, orr_error *e);

#endif
