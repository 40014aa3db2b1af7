/* A format: how it is recognised, read and written. One file each way (read_*.c, write_*.c); `ORR_FORMATS` lists them.
 */
#ifndef ORR_TRACE_READER_H
#define ORR_TRACE_READER_H

#include "trace/sheet.h"

/* The beginning of a file, from its first line that is neither blank nor a `#` comment. */
typedef struct orr_head {
    const char *name;  /* of the file */
    const char *bytes; /* up to 64 KiB; not NUL-terminated */
    size_t n;
    const char *line; /* its first line, NUL-terminated, without its end */
} orr_head;

#define ORR_SIGNATURE 6

typedef struct orr_format {
    const char *name;  /* for orr_trace_options.format */
    const char *label; /* what orr_trace_format says */
    const char *about; /* what it is, for the documentation */
    const char *told;  /* what it is recognised by, where no signature says it */
    const char *signature[ORR_SIGNATURE]; /* header names it is recognised by, NULL-padded; none: by `is` */
    char separator;                       /* of the header; 0: comma */
    bool blanks;                          /* rows may be separated by blanks instead */
    bool (*is)(const orr_head *head);     /* a format that no header tells; NULL: by signature */
    orr_err (*read)(orr_intake *k);       /* everything into the intake, which is finished by the caller */
} orr_format;

/* In the order in which `is` is asked and ties between signatures are settled. */
#define ORR_FORMATS(X)                                                                                                 \
    X(orrery)                                                                                                          \
    X(helios)                                                                                                          \
    X(philly_csv)                                                                                                      \
    X(philly_json)                                                                                                     \
    X(tiresias)

#define ORR_X(name) extern const orr_format orr_format_##name;
ORR_FORMATS(ORR_X)
#undef ORR_X

/* All formats; *n of them. */
const orr_format *const *orr_formats(size_t *n);
/* As orr_trace_read, from an input that the caller opened and closes. */
orr_trace *orr_trace_read_input(orr_input *in, const orr_trace_options *options, orr_error *e);
/* The formats as a Markdown table. */
void orr_formats_markdown(orr_text *out);

#endif
