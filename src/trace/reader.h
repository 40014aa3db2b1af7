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

/* Whether the first line, as a header, has a column of this name. */
bool orr_head_has(const orr_head *head, const char *name);

/* Sets an error that says what a file of no format is, if its header is a known one (strangers.c); else ORR_OK. */
orr_err orr_head_stranger(const orr_head *head, orr_error *e);

/* The beginning of an input, which nothing is taken from; ORR_E_EMPTY if there is no such line. `bytes` is borrowed
 * until the next call for the input, `line` is freed by `fini`. */
orr_err orr_head_peek(orr_input *in, orr_head *head, orr_error *e);
void orr_head_fini(orr_head *head);
/* Whether a file is of a trace format that its beginning tells without a header, as logs and JSON are. */
bool orr_trace_told(const char *path);

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
    X(requests)                                                                                                        \
    X(azure)                                                                                                           \
    X(burstgpt)                                                                                                        \
    X(vidur)                                                                                                           \
    X(genai)                                                                                                           \
    X(mooncake)                                                                                                        \
    X(bailian)                                                                                                         \
    X(counts)                                                                                                          \
    X(helios)                                                                                                          \
    X(philly_csv)                                                                                                      \
    X(philly_json)                                                                                                     \
    X(swf)                                                                                                             \
    X(slurm)                                                                                                           \
    X(batsim)                                                                                                          \
    X(aaic)                                                                                                            \
    X(gavel)                                                                                                           \
    X(synergy)                                                                                                         \
    X(pollux)                                                                                                          \
    X(elasticflow)                                                                                                     \
    X(chronus)                                                                                                         \
    X(muri)                                                                                                            \
    X(tiresias)                                                                                                        \
    X(pai)                                                                                                             \
    X(openb)                                                                                                           \
    X(acme)                                                                                                            \
    X(spot)                                                                                                            \
    X(dlrm)

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
