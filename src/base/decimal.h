/* A decimal number as text, taken apart but not yet rounded: what doubles, times, durations and sizes are parsed from.
 * The form is -?digits(.digits)?([eE][+-]?digits)?, with a digit on at least one side of the point; never hexadecimal,
 * never "inf", whatever the locale.
 */
#ifndef ORR_BASE_DECIMAL_H
#define ORR_BASE_DECIMAL_H

#include <orrery/api.h>

/* (negative ? -1 : 1) * `digits` * 10^`power`; `digits` without the point is text [first, end), the point skipped. */
typedef struct orr_decimal {
    bool negative;
    const char *first, *end; /* the digits, perhaps with one '.' among them */
    int64_t power;           /* of the last digit; held within +-10^9 */
} orr_decimal;

/* Takes the longest decimal at the start of `text`; returns the bytes taken, 0 if there is none. */
size_t orr_decimal_scan(const char *text, size_t length, orr_decimal *out);

/* d * multiplier * 10^places to the nearest integer, half away from 0; false if it leaves +-INT64_MAX. The multiplier
 * is below 2^53. Exact to 22 digits of `d`, those after them are dropped. */
bool orr_decimal_scaled(const orr_decimal *d, int64_t multiplier, int places, int64_t *out);

#endif
