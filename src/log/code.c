/* Every reader here is bounded by the bytes it was given: nothing is believed, not even a length. */
#include "log/record.h"

#include <zlib.h>

static const orr_time units[] = {ORR_NS, ORR_US, ORR_MS, ORR_SECOND};

/* ---- out ---- */

void orr_pack_byte(orr_text *out, unsigned byte)
{
    const char c = (char)(unsigned char)byte;
    orr_text_add(out, &c, 1);
}

void orr_pack_fixed32(orr_text *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        orr_pack_byte(out, value >> (8 * i) & 0xff);
}

void orr_pack_unsigned(orr_text *out, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (char)(unsigned char)(value | 0x80);
    bytes[n++] = (char)(unsigned char)value;
    orr_text_add(out, bytes, n);
}

void orr_pack_signed(orr_text *out, int64_t value)
{
    orr_pack_unsigned(out, ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

static unsigned largest_unit(uint64_t ns)
{
    unsigned unit = 3;
    while (unit && ns % (uint64_t)units[unit])
        unit--;
    return unit;
}

void orr_pack_time(orr_text *out, orr_time t)
{
    const uint64_t ns = t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
    const unsigned unit = largest_unit(ns);
    uint64_t value = ns / (uint64_t)units[unit];
    const unsigned head = unit << 5 | (t < 0 ? 0x10u : 0) | (unsigned)(value & 15);
    value >>= 4;
    orr_pack_byte(out, head | (value ? 0x80u : 0));
    if (value)
        orr_pack_unsigned(out, value);
}

void orr_pack_double(orr_text *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    orr_pack_fixed32(out, (uint32_t)bits);
    orr_pack_fixed32(out, (uint32_t)(bits >> 32));
}

void orr_pack_text(orr_text *out, const char *text)
{
    const size_t n = strlen(text);
    orr_pack_unsigned(out, n);
    if (n)
        orr_text_add(out, text, n);
}

uint32_t orr_log_sum(uint32_t packed, uint32_t size, const void *bytes)
{
    unsigned char sizes[8];
    for (int i = 0; i < 4; i++) {
        sizes[i] = (unsigned char)(packed >> (8 * i));
        sizes[4 + i] = (unsigned char)(size >> (8 * i));
    }
    const uLong sum = crc32(crc32(0, NULL, 0), sizes, sizeof sizes);
    return (uint32_t)crc32(sum, bytes, packed);
}

/* ---- in ---- */

static size_t left(const orr_packed *in)
{
    return (size_t)(in->end - in->at);
}

static uint64_t bad(orr_packed *in)
{
    in->bad = true;
    in->at = in->end;
    return 0;
}

unsigned orr_unpack_byte(orr_packed *in)
{
    return left(in) ? *in->at++ : (unsigned)bad(in);
}

uint32_t orr_unpack_fixed32(orr_packed *in)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)orr_unpack_byte(in) << (8 * i);
    return in->bad ? 0 : value;
}

uint64_t orr_unpack_unsigned(orr_packed *in)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        const uint64_t byte = orr_unpack_byte(in);
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return bad(in);
}

int64_t orr_unpack_signed(orr_packed *in)
{
    const uint64_t value = orr_unpack_unsigned(in);
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

orr_time orr_unpack_time(orr_packed *in)
{
    const unsigned head = orr_unpack_byte(in);
    const uint64_t rest = head & 0x80 ? orr_unpack_unsigned(in) : 0;
    const uint64_t unit = (uint64_t)units[head >> 5 & 3], most = (uint64_t)INT64_MAX + (head & 0x10 ? 1 : 0);
    if (rest > UINT64_MAX >> 4 || (rest << 4 | (head & 15)) > most / unit)
        return (orr_time)bad(in);
    const uint64_t ns = (rest << 4 | (head & 15)) * unit;
    return (orr_time)(head & 0x10 ? 0 - ns : ns);
}

double orr_unpack_double(orr_packed *in)
{
    const uint64_t low = orr_unpack_fixed32(in), bits = low | (uint64_t)orr_unpack_fixed32(in) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const char *orr_unpack_text(orr_packed *in, orr_arena *arena)
{
    const uint64_t n = orr_unpack_unsigned(in);
    if (n > left(in) || (n && memchr(in->at, 0, (size_t)n))) {
        bad(in);
        return "";
    }
    const char *text = n ? orr_arena_strdup(arena, (const char *)in->at, (size_t)n) : "";
    in->at += n;
    return text;
}

int32_t orr_unpack_int32(orr_packed *in, int32_t low, int32_t high)
{
    const int64_t value = orr_unpack_signed(in);
    return value < low || value > high ? (int32_t)bad(in) : (int32_t)value;
}

int64_t orr_unpack_amount(orr_packed *in)
{
    const int64_t amount = orr_unpack_signed(in);
    in->bad |= amount < 0;
    return in->bad ? 0 : amount;
}

uint32_t orr_unpack_count(orr_packed *in, size_t least)
{
    const uint64_t n = orr_unpack_unsigned(in);
    return n > left(in) / least ? (uint32_t)bad(in) : (uint32_t)n;
}
