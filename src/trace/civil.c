/* Calendar arithmetic by counting: days before a year from the leap-year rule, days before a month from a table. Only
 * years 1970 to 2105 occur, so that neither negative divisions nor overflow can. */
#include "trace/civil.h"
#include <stdio.h>

#define FIRST_YEAR 1970
#define LAST_YEAR 2105

static const int16_t month_starts[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static bool leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int64_t days_before_year(int32_t year)
{
    const int32_t past = year - 1;
    return 365 * (int64_t)(year - FIRST_YEAR) + past / 4 - past / 100 + past / 400 - 477;
}

static int32_t days_before_month(int32_t year, int32_t month)
{
    return month_starts[month - 1] + (month > 2 && leap(year));
}

static int32_t month_length(int32_t year, int32_t month)
{
    return month_starts[month] - month_starts[month - 1] + (month == 2 && leap(year));
}

/* A cursor over the text; every `take` leaves it where it was on failure. */
typedef struct cursor {
    const char *at, *end;
} cursor;

static bool take_digits(cursor *c, int count, int32_t *out)
{
    if (c->end - c->at < count)
        return false;
    int32_t value = 0;
    for (int i = 0; i < count; i++) {
        if (c->at[i] < '0' || c->at[i] > '9')
            return false;
        value = value * 10 + (c->at[i] - '0');
    }
    c->at += count;
    *out = value;
    return true;
}

static bool take_char(cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_date(cursor *c, int32_t *year, int32_t *month, int32_t *day)
{
    return take_digits(c, 4, year) && take_char(c, '-') && take_digits(c, 2, month) && take_char(c, '-') &&
           take_digits(c, 2, day) && *month >= 1 && *month <= 12 && *day >= 1 && *day <= month_length(*year, *month);
}

/* Digits past the ninth are dropped: a recorded instant is never moved into the next. */
static bool take_fraction(cursor *c, orr_time *ns)
{
    orr_time scale = ORR_SECOND / 10;
    const char *from = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++, scale /= 10)
        *ns += (*c->at - '0') * scale;
    return c->at > from;
}

static bool take_clock(cursor *c, orr_time *ns)
{
    int32_t hour, minute, second = 0;
    if (!take_digits(c, 2, &hour) || !take_char(c, ':') || !take_digits(c, 2, &minute))
        return false;
    if (take_char(c, ':') && !take_digits(c, 2, &second))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *ns = (hour * 3600 + minute * 60 + second) * ORR_SECOND;
    return !take_char(c, '.') || take_fraction(c, ns);
}

static bool take_zone(cursor *c, orr_civil *out)
{
    take_char(c, ' ');
    out->zoned = true;
    if (take_char(c, 'Z'))
        return true;
    const int32_t sign = take_char(c, '-') ? -1 : 1;
    if (sign > 0 && !take_char(c, '+'))
        return false;
    int32_t hours, minutes = 0;
    if (!take_digits(c, 2, &hours))
        return false;
    if (c->at < c->end) {
        take_char(c, ':');
        if (!take_digits(c, 2, &minutes))
            return false;
    }
    out->offset_minutes = sign * (hours * 60 + minutes);
    return hours <= 18 && minutes <= 59;
}

bool orr_civil_looks_like(const char *text, size_t n)
{
    if (n < 8 || text[4] != '-')
        return false;
    for (int i = 0; i < 4; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

orr_err orr_civil_parse(const char *text, size_t n, orr_civil *out)
{
    cursor c = {text, text + n};
    int32_t year, month, day;
    orr_time clock = 0;
    orr_civil civil = {0};
    if (!take_date(&c, &year, &month, &day))
        return ORR_E_TIME;
    if (c.at < c.end) {
        if (!take_char(&c, ' ') && !take_char(&c, 'T'))
            return ORR_E_TIME;
        if (!take_clock(&c, &clock) || (c.at < c.end && !take_zone(&c, &civil)) || c.at < c.end)
            return ORR_E_TIME;
    }
    if (year < FIRST_YEAR || year > LAST_YEAR)
        return ORR_E_RANGE;
    civil.local = (days_before_year(year) + days_before_month(year, month) + day - 1) * ORR_DAY + clock;
    *out = civil;
    return ORR_OK;
}

int64_t orr_civil_day(orr_time local)
{
    const int64_t day = local / ORR_DAY;
    return local % ORR_DAY < 0 ? day - 1 : day;
}

orr_date orr_civil_date(orr_time local)
{
    const int64_t days = orr_civil_day(local);
    int32_t year = FIRST_YEAR + (int32_t)(days / 366);
    while (days_before_year(year + 1) <= days)
        year++;
    const int32_t in_year = (int32_t)(days - days_before_year(year));
    int32_t month = 1;
    while (month < 12 && days_before_month(year, month + 1) <= in_year)
        month++;
    return (orr_date){
        .year = year,
        .month = month,
        .day = in_year - days_before_month(year, month) + 1,
        .weekday = (int32_t)((days % 7 + 10) % 7), /* 1970-01-01 was a Thursday */
        .hour = (int32_t)((local - days * ORR_DAY) / ORR_HOUR),
    };
}

static int format_fraction(orr_time ns, char *buf, size_t size)
{
    if (ns == 0)
        return 0;
    int n = snprintf(buf, size, ".%09d", (int)ns);
    while (buf[n - 1] == '0')
        buf[--n] = '\0';
    return n;
}

static int format_zone(const orr_civil *civil, char *buf, size_t size)
{
    if (!civil->zoned)
        return 0;
    if (civil->offset_minutes == 0)
        return snprintf(buf, size, "Z");
    const int32_t minutes = civil->offset_minutes < 0 ? -civil->offset_minutes : civil->offset_minutes;
    return snprintf(buf, size, "%c%02d:%02d", civil->offset_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

int orr_civil_format(const orr_civil *civil, char buf[ORR_CIVIL_BUF])
{
    const orr_date d = orr_civil_date(civil->local);
    const orr_time in_hour = civil->local - orr_civil_day(civil->local) * ORR_DAY - d.hour * ORR_HOUR;
    int n = snprintf(buf, ORR_CIVIL_BUF, "%04d-%02d-%02d %02d:%02d:%02d", d.year, d.month, d.day, d.hour,
                     (int)(in_hour / ORR_MINUTE), (int)(in_hour % ORR_MINUTE / ORR_SECOND));
    n += format_fraction(in_hour % ORR_SECOND, buf + n, ORR_CIVIL_BUF - (size_t)n);
    return n + format_zone(civil, buf + n, ORR_CIVIL_BUF - (size_t)n);
}
