/* Numbers in and out, without the locale.
 *
 * Doubles are read by strtod from digits and an exponent only: the one thing of strtod that depends on the locale is
 * its decimal point, and it is never given one. They are written by printf, after which whatever stands for the decimal
 * point becomes a point. The library never calls setlocale, but a program around it may.
 */
#include "base/assert.h"
#include "base/decimal.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_at(const char *text, size_t from, size_t length)
{
    size_t i = from;
    while (i < length && is_digit(text[i]))
        i++;
    return i - from;
}

bool orr_parse_u64(const char *text, size_t length, uint64_t *out)
{
    uint64_t value = 0;
    if (length == 0 || digits_at(text, 0, length) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool orr_parse_i64(const char *text, size_t length, int64_t *out)
{
    bool negative = length && text[0] == '-';
    uint64_t size, most = (uint64_t)INT64_MAX + negative;
    if (!orr_parse_u64(text + negative, length - negative, &size) || size > most)
        return false;
    *out = size > (uint64_t)INT64_MAX ? INT64_MIN : negative ? -(int64_t)size : (int64_t)size;
    return true;
}

static const int64_t farthest = 1000000000;

/* The exponent at `i`, if one is complete there: "2e" of "2eggs" is no number, "2" is. */
static size_t scan_exponent(const char *text, size_t i, size_t length, int64_t *power)
{
    if (i >= length || (text[i] | 0x20) != 'e')
        return 0;
    size_t at = i + 1;
    bool negative = at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+'))
        at++;
    size_t n = digits_at(text, at, length);
    int64_t value = 0;
    for (size_t k = 0; k < n && value < farthest; k++)
        value = value * 10 + (text[at + k] - '0');
    if (value > farthest)
        value = farthest;
    *power += negative ? -value : value;
    return n ? at + n - i : 0;
}

size_t orr_decimal_scan(const char *text, size_t length, orr_decimal *out)
{
    orr_decimal d = {.negative = length && text[0] == '-'};
    size_t i = d.negative;
    size_t whole = digits_at(text, i, length), part = 0;
    d.first = text + i;
    i += whole;
    if (i < length && text[i] == '.') {
        part = digits_at(text, i + 1, length);
        i += 1 + part;
    }
    if (whole + part == 0 || part > (size_t)farthest)
        return 0;
    d.end = text + i;
    d.power = -(int64_t)part;
    i += scan_exponent(text, i, length, &d.power);
    *out = d;
    return i;
}

/* A significand of at most `room` digits and the power of ten of its last one. */
static int64_t leading_digits(const orr_decimal *d, int room, orr_wide *out)
{
    orr_wide value = 0;
    int64_t power = d->power;
    int held = 0;
    for (const char *at = d->first; at < d->end; at++) {
        if (*at == '.')
            continue;
        if (held == room) {
            power++;
            continue;
        }
        value = value * 10 + (*at - '0');
        held += value != 0;
    }
    *out = value;
    return power;
}

static orr_wide divided_by_power(orr_wide value, int64_t power)
{
    int last = 0;
    for (; power > 0 && value; power--) {
        last = (int)(value % 10);
        value /= 10;
    }
    return power > 0 ? 0 : value + (last >= 5);
}

bool orr_decimal_scaled(const orr_decimal *d, int64_t multiplier, int places, int64_t *out)
{
    orr_wide value;
    int64_t power = leading_digits(d, 22, &value) + places;
    value *= multiplier;
    if (power < 0)
        value = divided_by_power(value, -power);
    for (; power > 0 && value && value <= INT64_MAX; power--)
        value *= 10;
    if (value > INT64_MAX)
        return false;
    *out = d->negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* A double is decided by its first 767 significant digits, and by whether any digit after them isn't 0. */
enum { DECISIVE = 780 };

static double read_by_strtod(const orr_decimal *d)
{
    char buf[DECISIVE + 32];
    int n = 0;
    int64_t power = d->power;
    for (const char *at = d->first; at < d->end; at++) {
        if (*at == '.' || (n == 0 && *at == '0'))
            continue;
        if (n < DECISIVE) {
            buf[n++] = *at;
            continue;
        }
        power++;
        if (*at != '0')
            buf[DECISIVE - 1] = '1'; /* that place is past the decisive ones: it only says "more" */
    }
    if (n == 0)
        buf[n++] = '0';
    snprintf(buf + n, sizeof buf - (size_t)n, "e%lld", (long long)power);
    return strtod(buf, NULL);
}

/* Both the significand and the power of ten are exact doubles, so one operation rounds once (Clinger 1990). */
static bool read_exactly(const orr_decimal *d, double *out)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t value = 0;
    for (const char *at = d->first; at < d->end; at++)
        if (*at != '.' && (value = value * 10 + (*at - '0')) > INT64_C(1) << 53)
            return false;
    if (d->power < -22 || d->power > 22)
        return false;
    *out = d->power < 0 ? (double)value / tens[-d->power] : (double)value * tens[d->power];
    return true;
}

bool orr_parse_double(const char *text, size_t length, double *out)
{
    return orr_parse_scaled(text, length, 0, out);
}

bool orr_parse_scaled(const char *text, size_t length, int places, double *out)
{
    orr_decimal d;
    double value;
    if (length == 0 || orr_decimal_scan(text, length, &d) != length)
        return false;
    d.power += places;
    if (!read_exactly(&d, &value))
        value = read_by_strtod(&d);
    if (!isfinite(value))
        return false;
    *out = d.negative ? -value : value;
    return true;
}

typedef struct unit {
    const char *name; /* NULL ends a list */
    int64_t bytes;
} unit;

static bool parse_in_units(const char *text, const unit *units, int64_t *out)
{
    orr_decimal d;
    size_t used = orr_decimal_scan(text, strlen(text), &d);
    if (!used || d.negative)
        return false;
    for (; units->name; units++)
        if (strcmp(text + used, units->name) == 0)
            return orr_decimal_scaled(&d, units->bytes, 0, out);
    return false;
}

bool orr_parse_bytes(const char *text, int64_t *out)
{
    static const unit units[] = {
        {"", 1},
        {"B", 1},
        {"kB", 1000},
        {"KB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"TB", 1000000000000},
        {"PB", 1000000000000000},
        {"KiB", INT64_C(1) << 10},
        {"MiB", INT64_C(1) << 20},
        {"GiB", INT64_C(1) << 30},
        {"TiB", INT64_C(1) << 40},
        {"PiB", INT64_C(1) << 50},
        {NULL, 0},
    };
    return parse_in_units(text, units, out);
}

bool orr_parse_bandwidth(const char *text, int64_t *out)
{
    static const unit units[] = {
        {"", 1},
        {"B/s", 1},
        {"kB/s", 1000},
        {"MB/s", 1000000},
        {"GB/s", 1000000000},
        {"TB/s", 1000000000000},
        {"kb/s", 125},
        {"Mb/s", 125000},
        {"Gb/s", 125000000},
        {"Tb/s", 125000000000},
        {NULL, 0},
    };
    return parse_in_units(text, units, out);
}

static bool same_word(const char *text, const char *word)
{
    for (; *text && *word; text++, word++)
        if ((*text >= 'A' && *text <= 'Z' ? *text | 0x20 : *text) != *word)
            return false;
    return *text == *word;
}

bool orr_parse_bool(const char *text, bool *out)
{
    static const char *const words[][2] = {{"off", "on"}, {"no", "yes"}, {"false", "true"}, {"0", "1"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (int value = 0; value < 2; value++)
            if (same_word(text, words[i][value])) {
                *out = value != 0;
                return true;
            }
    return false;
}

/* A decimal point of any length and script becomes '.'. */
static int with_point(char *buf)
{
    char *to = buf;
    for (const char *from = buf; *from; from++) {
        bool plain = is_digit(*from) || *from == '-' || *from == '+' || *from == 'e';
        if (plain || to == buf || to[-1] != '.')
            *to++ = plain ? *from : '.';
    }
    *to = '\0';
    return (int)(to - buf);
}

/* Fifteen digits name every normal double that has a form that short; subnormal ones may need but one. (Where the two
 * neighbours of a double are unequally far, a 16-digit form that isn't the nearest could do; 17 are written then.) */
int orr_format_double(double v, char *buf)
{
    if (!isfinite(v)) {
        memcpy(buf, "null", 5);
        return 4;
    }
    if (fabs(v) < 1e15 && v == (double)(int64_t)v && !(v == 0 && signbit(v)))
        return snprintf(buf, ORR_DOUBLE_BUF, "%lld", (long long)v);
    for (int digits = fabs(v) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(buf, ORR_DOUBLE_BUF, "%.*g", digits, v);
        if (digits == 17 || strtod(buf, NULL) == v)
            break;
    }
    return with_point(buf);
}

int orr_format_count(uint64_t v, char *buf)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v), length = 0;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            buf[length++] = ',';
        buf[length++] = digits[i];
    }
    buf[length] = '\0';
    return length;
}
