/* Virtual time: signed 64-bit nanoseconds since the origin of the trace (its first submission, unless told otherwise).
 *
 * The resolution is 1 ns, the range 292 years either way. Nothing in a simulation reads a wall clock. Text in and out
 * is exact: decimal seconds with at most nine places never pass through a double. Additions that could leave the range
 * go through the checked or saturating forms below.
 */
#ifndef ORRERY_TIME_H
#define ORRERY_TIME_H

#include <orrery/error.h>

typedef int64_t orr_time;

#define ORR_NS ((orr_time)1)
#define ORR_US ((orr_time)1000)
#define ORR_MS ((orr_time)1000000)
#define ORR_SECOND ((orr_time)1000000000)
#define ORR_MINUTE (60 * ORR_SECOND)
#define ORR_HOUR (3600 * ORR_SECOND)
#define ORR_DAY (86400 * ORR_SECOND)
#define ORR_TIME_MAX INT64_MAX
#define ORR_TIME_NONE INT64_MIN /* "not known", "never", "not yet" */

/* What a calendar and a clock on the wall show. */
typedef struct orr_date {
    int32_t year, month, day; /* month and day from 1 */
    int32_t weekday;          /* 0 = Monday */
    int32_t hour;
} orr_date;

ORR_BEGIN

/* Seconds as a double: for keys, scores and statistics; never for the clock. */
static inline double orr_time_seconds(orr_time t)
{
    return (double)t / 1e9;
}

/* a + b, held at the ends of the range (ORR_TIME_MAX and its negative) instead of wrapping. ORR_TIME_NONE is not a
 * number: don't pass it, and no function here but the formatters makes or takes it. */
ORR_API orr_time orr_time_add(orr_time a, orr_time b);
/* t * k for k >= 0, held likewise. */
ORR_API orr_time orr_time_mul(orr_time t, int64_t k);
/* From seconds, rounded to the nearest ns (half away from zero), held at the ends of the range; NaN gives 0. */
ORR_API orr_time orr_time_from_seconds(double s);
/* The least multiple of `step` (> 0) that is >= t. */
ORR_API orr_time orr_time_ceil(orr_time t, orr_time step);

/* Parses decimal seconds, exactly ("12", "-3.25", ".5", "1e3"); digits past the ninth place are rounded, half away from
 * 0. ORR_E_TIME if it is no number, ORR_E_RANGE if it doesn't fit. No unit, no blanks. */
ORR_API orr_err orr_time_parse_seconds(const char *text, size_t length, orr_time *out);
/* Parses a duration as people type it: a number and an optional unit ns us ms s m min h d w; compound forms ("1h30m")
 * are taken too; plain numbers are seconds. ORR_E_BAD_VALUE otherwise. */
ORR_API orr_err orr_time_parse_duration(const char *text, orr_time *out);

#define ORR_TIME_BUF 40
/* Exact decimal seconds, shortest form ("12", "0.25", "-1.000000001"); returns the length. buf holds ORR_TIME_BUF.
 * ORR_TIME_NONE gives "" here and "-" in the forms for people. */
ORR_API int orr_time_format(orr_time t, char *buf);
/* For people: "3 d 04 h", "5 h 12 m", "41 m", "12.5 s", "250 ms". */
ORR_API int orr_time_human(orr_time t, char *buf);
/* Days and clock time since the origin: "12d 03:14:07". */
ORR_API int orr_time_clock(orr_time t, char *buf);

ORR_END
#endif
