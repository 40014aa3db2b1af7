/* Files in and out. Inputs are opened by path or "-" and decompressed by their magic bytes (gzip, zstd); outputs are
 * written under a temporary name in the same folder and renamed when complete, so that no half file looks whole.
 */
#ifndef ORR_BASE_IO_H
#define ORR_BASE_IO_H

#include <orrery/error.h>
#include <stdio.h>

typedef struct orr_input orr_input;
/* NULL and `e` (ORR_E_OPEN) on failure. A folder is refused. */
orr_input *orr_input_open(const char *path, orr_error *e);
/* Bytes already in memory, for tests and fuzzing; `name` is used in messages. Not copied. */
orr_input *orr_input_memory(const char *name, const void *data, size_t size);
void orr_input_close(orr_input *in);
const char *orr_input_name(const orr_input *in);
/* Fills up to `n` bytes; *got is less only at the end. ORR_E_TRUNCATED for damaged or cut compressed data. */
orr_err orr_input_read(orr_input *in, void *buf, size_t n, size_t *got, orr_error *e);
/* The next bytes without consuming them, up to `n` (<= 65536): for sniffing. Borrowed until the next call. */
orr_err orr_input_peek(orr_input *in, size_t n, const char **bytes, size_t *got, orr_error *e);
/* The next line without its end (LF or CRLF; a CR that ends the input goes too); *line is NULL at the end of input. The
 * text is NUL-terminated, borrowed until the next call, may be changed in place; a NUL byte inside is ORR_E_ENCODING. A
 * UTF-8 byte order mark at the very beginning is dropped. Lines over 16 MiB are refused. */
orr_err orr_input_line(orr_input *in, char **line, size_t *length, orr_error *e);
uint32_t orr_input_line_number(const orr_input *in); /* of the line last returned, from 1 */
bool orr_input_line_crlf(const orr_input *in);       /* whether it ended in CRLF */
/* SHA-256 of all decompressed bytes consumed so far (the whole input once at its end). */
void orr_input_digest(const orr_input *in, char hex[65]);
/* Reads the rest into memory (NUL-terminated, malloc'd); at most 1 GiB. */
orr_err orr_input_all(orr_input *in, char **data, size_t *size, orr_error *e);

typedef struct orr_output orr_output;
/* Opens a temporary file beside `path` ("-": stdout, not renamed). NULL and `e` (ORR_E_CREATE) on failure. A path that
 * ends in .gz or .zst is compressed, to the same bytes each time. What exists and is no plain file (a pipe, a device)
 * is written to directly; a link stays a link. */
orr_output *orr_output_create(const char *path, orr_error *e);
/* Write errors are remembered and reported by `commit`; these never fail visibly. */
void orr_output_write(orr_output *out, const void *data, size_t n);
void orr_output_text(orr_output *out, const char *text);
void orr_output_printf(orr_output *out, const char *fmt, ...) ORR_PRINTF(2, 3);
/* A CSV field after RFC 4180, quoted only if it must be. */
void orr_output_csv(orr_output *out, const char *text);
/* Flushes, closes, renames; frees `out` either way. ORR_E_WRITE: nothing is left under `path`. */
orr_err orr_output_commit(orr_output *out, orr_error *e);
/* Drops what was written. Takes NULL. */
void orr_output_abandon(orr_output *out);

#endif
