/* Calendar text: `YYYY-MM-DD[ |T]HH:MM[:SS[.fraction]][Z|+HH:MM|+HHMM|+HH]`, or a date alone.
 *
 * Times count nanoseconds from 1970-01-01 00:00:00 on the calendar that the text was written in; nothing here knows of
 * daylight saving, so text without a zone stays wall-clock time and differences are differences of clock faces. Years
 * 1970 to 2105 are taken: more than any log needs, and sums of two such times still fit the clock.
 */
#ifndef ORR_TRACE_CIVIL_H
#define ORR_TRACE_CIVIL_H

#include <orrery/time.h>

typedef struct orr_civil {
    orr_time local;         /* the clock face, in ns since 1970 */
    bool zoned;             /* the text named an offset */
    int32_t offset_minutes; /* local minus UTC; 0 unless zoned */
} orr_civil;

#define ORR_CIVIL_BUF 48

/* Whether the text starts like a calendar time (four digits and a dash): decides which parser is asked. */
bool orr_civil_looks_like(const char *text, size_t n);
/* ORR_E_TIME: not such a text; ORR_E_RANGE: a year outside 1970..2105. */
orr_err orr_civil_parse(const char *text, size_t n, orr_civil *out);
/* "2017-09-04 10:30:41", with a fraction only if there is one; a zone is appended ("Z", "+08:00") if zoned. */
int orr_civil_format(const orr_civil *civil, char buf[ORR_CIVIL_BUF]);
orr_date orr_civil_date(orr_time local);
/* Days since 1970-01-01 of a local time. */
int64_t orr_civil_day(orr_time local);

#endif
