/* Numbers and texts as bytes, both ways: what records are made of. Private to this folder; log.h says how each looks.
 */
#ifndef ORR_LOG_CODE_H
#define ORR_LOG_CODE_H

#include "base/mem.h"
#include "base/text.h"
#include <orrery/time.h>

void orr_pack_byte(orr_text *out, unsigned byte);
void orr_pack_fixed32(orr_text *out, uint32_t value);
void orr_pack_unsigned(orr_text *out, uint64_t value);
void orr_pack_signed(orr_text *out, int64_t value);
void orr_pack_time(orr_text *out, orr_time t); /* ORR_TIME_NONE has a form, too */
void orr_pack_double(orr_text *out, double value);
void orr_pack_text(orr_text *out, const char *text);

/* Bytes still to be taken. What isn't there or can't be sets `bad` and gives 0; later calls then give 0 as well. */
typedef struct orr_packed {
    const unsigned char *at, *end;
    bool bad;
} orr_packed;

unsigned orr_unpack_byte(orr_packed *in);
uint32_t orr_unpack_fixed32(orr_packed *in);
uint64_t orr_unpack_unsigned(orr_packed *in);
int64_t orr_unpack_signed(orr_packed *in);
orr_time orr_unpack_time(orr_packed *in);
double orr_unpack_double(orr_packed *in);
/* NUL-terminated in `arena`; a text that holds a NUL is bad. */
const char *orr_unpack_text(orr_packed *in, orr_arena *arena);
/* The same within a range; outside it is bad. */
int32_t orr_unpack_int32(orr_packed *in, int32_t low, int32_t high);
/* The same, not below 0. */
int64_t orr_unpack_amount(orr_packed *in);
/* A count of things of at least `least` bytes each (>= 1): more than the bytes that are left is bad. */
uint32_t orr_unpack_count(orr_packed *in, size_t least);

#endif
