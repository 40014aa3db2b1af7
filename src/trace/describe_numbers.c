/* Numbers of a description: exact ones as text, spreads of samples, times for people. */
#include "base/stat.h"
#include "trace/describe_walk.h"
#include <math.h>
#include <stdio.h>

const double orr_describe_p[ORR_DESCRIBE_QUANTILES] = {0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 0.999};
const char *const orr_describe_p_names[ORR_DESCRIBE_QUANTILES] = {"p1",  "p5",  "p10", "p25", "p50",
                                                                  "p75", "p90", "p95", "p99", "p99_9"};

int orr_wide_decimal(orr_wide v, int places, char buf[ORR_WIDE_BUF])
{
    char digits[ORR_WIDE_BUF];
    int n = 0, length = 0;
    const bool negative = v < 0;
    orr_wide rest = negative ? -v : v;
    for (; places && rest % 10 == 0; places--)
        rest /= 10;
    for (int printed = 0; rest || printed <= places; printed++, rest /= 10) {
        if (printed == places && places)
            digits[n++] = '.';
        digits[n++] = (char)('0' + (int)(rest % 10));
    }
    if (negative)
        buf[length++] = '-';
    while (n)
        buf[length++] = digits[--n];
    buf[length] = '\0';
    return length;
}

int orr_wide_seconds(orr_wide ns, char buf[ORR_WIDE_BUF])
{
    return orr_wide_decimal(ns, 9, buf);
}

/* v / unit, rounded once at the end: whole units are exact. */
static double ratio(orr_wide v, orr_wide unit)
{
    return (double)(v / unit) + (double)(v % unit) / (double)unit;
}

double orr_wide_hours(orr_wide ns)
{
    return ratio(ns, ORR_HOUR);
}

double orr_milli_seconds(orr_wide milli_ns)
{
    return ratio(milli_ns, (orr_wide)1000 * ORR_SECOND);
}

double orr_milli_hours(orr_wide milli_ns)
{
    return ratio(milli_ns, (orr_wide)1000 * ORR_HOUR);
}

int orr_describe_when(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF])
{
    buf[0] = '\0';
    if (!d->calendar)
        return 0;
    orr_civil civil = d->origin;
    civil.local = orr_time_add(civil.local, t);
    return orr_civil_format(&civil, buf);
}

const char *orr_describe_moment(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF])
{
    if (!orr_describe_when(d, t, buf))
        orr_time_clock(t, buf);
    return buf;
}

const char *orr_describe_day(const orr_description *d, orr_time t, char buf[ORR_CIVIL_BUF])
{
    orr_describe_moment(d, t, buf);
    buf[d->calendar ? 10 : strcspn(buf, " ")] = '\0';
    return buf;
}

const char *orr_grouped(double value, int decimals, char buf[ORR_WIDE_BUF])
{
    char plain[ORR_WIDE_BUF], whole[ORR_WIDE_BUF];
    if (isnan(value)) {
        strcpy(buf, "-");
        return buf;
    }
    if (!(fabs(value) < 1e15)) {
        orr_format_double(value, buf);
        return buf;
    }
    snprintf(plain, sizeof plain, "%.*f", decimals, fabs(value));
    uint64_t integer = 0;
    const char *p = plain;
    for (; *p >= '0' && *p <= '9'; p++)
        integer = integer * 10 + (uint64_t)(*p - '0');
    orr_format_count(integer, whole);
    snprintf(buf, ORR_WIDE_BUF, "%s%.30s%.20s", value < 0 ? "-" : "", whole, p);
    return buf;
}

orr_spread orr_spread_of(double *v, size_t n)
{
    orr_spread s = {.n = n};
    orr_sort_doubles(v, n);
    s.min = n ? v[0] : NAN;
    s.max = n ? v[n - 1] : NAN;
    s.mean = orr_mean(v, n);
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        s.q[i] = orr_quantile(v, n, orr_describe_p[i]);
    for (size_t i = 0; i < n; i++)
        v[i] = (v[i] - s.mean) * (v[i] - s.mean);
    s.sd = n ? sqrt(orr_sum(v, n) / (double)n) : NAN;
    return s;
}
