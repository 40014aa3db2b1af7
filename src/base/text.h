/* Text: interning, numbers in and out, nearest names. Independent of the locale. */
#ifndef ORR_BASE_TEXT_H
#define ORR_BASE_TEXT_H

#include <nettle/sha2.h>
#include <orrery/error.h>
#include <stdarg.h>

/* A pool that keeps one copy of each text; pointers stay valid until it is destroyed. Ids count from 0 in order of
 * first mention; id lookup is a hash map (uthash). Texts may hold any bytes; each is NUL-terminated besides. */
typedef struct orr_names orr_names;
orr_names *orr_names_create(void);
void orr_names_destroy(orr_names *names);
uint32_t orr_names_id(orr_names *names, const char *text, size_t length); /* adds it if new */
int64_t orr_names_find(const orr_names *names, const char *text, size_t length); /* -1: absent */
const char *orr_names_text(const orr_names *names, uint32_t id);
uint32_t orr_names_count(const orr_names *names);

/* Strict parsers of a whole field (no blanks, nothing left over); false if it isn't one or doesn't fit. */
bool orr_parse_i64(const char *text, size_t length, int64_t *out);
bool orr_parse_u64(const char *text, size_t length, uint64_t *out);
bool orr_parse_double(const char *text, size_t length, double *out); /* finite; "inf" is refused */
/* The same of a number in a unit of 10^places, rounded once: "4.1" in thousandths is the double 0.0041. */
bool orr_parse_scaled(const char *text, size_t length, int places, double *out);
/* "16GiB", "25GB", "512MiB", plain bytes. */
bool orr_parse_bytes(const char *text, int64_t *out);
/* Bytes a second: "12GB/s", "100Gb/s" (bits), plain bytes a second. */
bool orr_parse_bandwidth(const char *text, int64_t *out);
bool orr_parse_bool(const char *text, bool *out); /* on off yes no true false 1 0 */

#define ORR_DOUBLE_BUF 40
/* The shortest form that reads back to the same double ("0.1", "1e+30", "3"); NaN and infinities give "null". */
int orr_format_double(double v, char *buf);
/* "82,247" with thin grouping for people. */
int orr_format_count(uint64_t v, char *buf);

/* Compares ids as people do: runs of digits by value, the rest by bytes; equal values by length, then bytes. A total
 * order. */
int orr_natural_compare(const char *a, const char *b);
bool orr_utf8_valid(const char *text, size_t length);
/* Levenshtein distance, and the nearest of `n` names if near enough to suggest (else NULL). */
int orr_edit_distance(const char *a, const char *b);
const char *orr_nearest(const char *text, const char *const *names, size_t n);

/* A growable text. Zeroed memory is valid and empty. */
typedef struct orr_text {
    char *at; /* NUL-terminated once anything was added; NULL before */
    size_t n, cap;
} orr_text;
void orr_text_add(orr_text *t, const char *s, size_t n);
void orr_text_addf(orr_text *t, const char *fmt, ...) ORR_PRINTF(2, 3);
void orr_text_clear(orr_text *t);
void orr_text_fini(orr_text *t);

/* SHA-256, streaming, by Nettle; hex is 64 digits and a NUL. A copy goes its own way. */
typedef struct orr_sha256 {
    struct sha256_ctx context;
} orr_sha256;
void orr_sha256_init(orr_sha256 *s);
void orr_sha256_add(orr_sha256 *s, const void *data, size_t n);
void orr_sha256_hex(orr_sha256 *s, char hex[65]); /* finishes it */

#endif
