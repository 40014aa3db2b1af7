/* Virtual time: arithmetic that holds at the ends of the range, text in and out in integers. */
#include <orrery/time.h>

#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

orr_time orr_time_add(orr_time a, orr_time b)
{
    if (b > 0 && a > ORR_TIME_MAX - b)
        return ORR_TIME_MAX;
    if (b < 0 && a < -ORR_TIME_MAX - b)
        return -ORR_TIME_MAX;
    return a + b;
}

orr_time orr_time_mul(orr_time t, int64_t k)
{
    if (t == 0 || k <= 0)
        return 0;
    if (t > 0)
        return t > ORR_TIME_MAX / k ? ORR_TIME_MAX : t * k;
    return t < -ORR_TIME_MAX / k ? -ORR_TIME_MAX : t * k;
}

/* Whole seconds and the rest are scaled apart: the rest is exact, so that only the nanoseconds are rounded. */
orr_time orr_time_from_seconds(double s)
{
    if (isnan(s))
        return 0;
    double whole = trunc(s);
    if (fabs(whole) > 9223372036.0)
        return s > 0 ? ORR_TIME_MAX : -ORR_TIME_MAX;
    return orr_time_add((orr_time)whole * ORR_SECOND, (orr_time)llround((s - whole) * 1e9));
}

orr_time orr_time_ceil(orr_time t, orr_time step)
{
    orr_time over = t % step;
    if (over == 0)
        return t;
    return over > 0 ? orr_time_add(t, step - over) : t - over;
}

orr_err orr_time_parse_seconds(const char *text, size_t length, orr_time *out)
{
    orr_decimal d;
    if (length == 0 || orr_decimal_scan(text, length, &d) != length)
        return ORR_E_TIME;
    return orr_decimal_scaled(&d, 1, 9, out) ? ORR_OK : ORR_E_RANGE;
}

typedef struct unit {
    const char *name;
    int64_t multiplier;
    int places; /* 10^places * multiplier nanoseconds */
} unit;

static const unit units[] = {
    {"ns", 1, 0},   {"us", 1, 3},   {"ms", 1, 6},    {"s", 1, 9},      {"m", 60, 9},
    {"min", 60, 9}, {"h", 3600, 9}, {"d", 86400, 9}, {"w", 604800, 9},
};

static const unit *unit_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
            return &units[i];
    return NULL;
}

static size_t letters_at(const char *text)
{
    size_t n = 0;
    while (text[n] >= 'a' && text[n] <= 'z')
        n++;
    return n;
}

/* Takes one "15m" off *text; only the whole text may go without a unit. */
static bool take_part(const char **text, bool unit_needed, orr_time *out)
{
    orr_decimal d;
    size_t used = orr_decimal_scan(*text, strlen(*text), &d);
    size_t letters = used ? letters_at(*text + used) : 0;
    bool bare = used && (*text)[used] == '\0';
    const unit *u = bare ? unit_named("s", 1) : unit_named(*text + used, letters);
    if (!used || !u || (bare && unit_needed))
        return false;
    *text += used + letters;
    return orr_decimal_scaled(&d, u->multiplier, u->places, out);
}

/* A sign stands before the whole duration: "-1h30m" is minus ninety minutes. */
orr_err orr_time_parse_duration(const char *text, orr_time *out)
{
    bool negative = text[0] == '-';
    const char *at = text + negative;
    orr_time sum = 0;
    do {
        orr_time part;
        if (*at == '-' || !take_part(&at, at != text + negative, &part) || part > ORR_TIME_MAX - sum)
            return ORR_E_BAD_VALUE;
        sum += part;
    } while (*at);
    *out = negative ? -sum : sum;
    return ORR_OK;
}

static uint64_t size_of(orr_time t)
{
    return t < 0 ? -(uint64_t)t : (uint64_t)t;
}

int orr_time_format(orr_time t, char *buf)
{
    if (t == ORR_TIME_NONE) {
        buf[0] = '\0';
        return 0;
    }
    uint64_t ns = size_of(t);
    int n = snprintf(buf, ORR_TIME_BUF, "%s%llu", t < 0 ? "-" : "", (unsigned long long)(ns / 1000000000));
    if (ns % 1000000000 == 0)
        return n;
    n += snprintf(buf + n, ORR_TIME_BUF - (size_t)n, ".%09llu", (unsigned long long)(ns % 1000000000));
    while (buf[n - 1] == '0')
        n--;
    buf[n] = '\0';
    return n;
}

static int format_none(char *buf)
{
    memcpy(buf, "-", 2);
    return 1;
}

static unsigned long long rounded(uint64_t ns, int64_t step)
{
    return (ns + (uint64_t)step / 2) / (uint64_t)step;
}

static int small_human(uint64_t ns, const char *sign, char *buf)
{
    if (ns < 1000)
        return snprintf(buf, ORR_TIME_BUF, "%s%llu ns", sign, (unsigned long long)ns);
    if (rounded(ns, ORR_US) < 1000)
        return snprintf(buf, ORR_TIME_BUF, "%s%llu us", sign, rounded(ns, ORR_US));
    return snprintf(buf, ORR_TIME_BUF, "%s%llu ms", sign, rounded(ns, ORR_MS));
}

/* Each form is tried after rounding to its own last place, so that 59.96 s is "1 m 00 s" and never "60 s". */
int orr_time_human(orr_time t, char *buf)
{
    if (t == ORR_TIME_NONE)
        return format_none(buf);
    const char *sign = t < 0 ? "-" : "";
    uint64_t ns = size_of(t);
    unsigned long long n;
    if (ns && rounded(ns, ORR_MS) < 1000)
        return small_human(ns, sign, buf);
    if ((n = rounded(ns, 100 * ORR_MS)) < 600)
        return n % 10 ? snprintf(buf, ORR_TIME_BUF, "%s%llu.%llu s", sign, n / 10, n % 10)
                      : snprintf(buf, ORR_TIME_BUF, "%s%llu s", sign, n / 10);
    if ((n = rounded(ns, ORR_SECOND)) < 600)
        return n % 60 ? snprintf(buf, ORR_TIME_BUF, "%s%llu m %02llu s", sign, n / 60, n % 60)
                      : snprintf(buf, ORR_TIME_BUF, "%s%llu m", sign, n / 60);
    if ((n = rounded(ns, ORR_MINUTE)) < 60)
        return snprintf(buf, ORR_TIME_BUF, "%s%llu m", sign, n);
    if (n < 24 * 60)
        return snprintf(buf, ORR_TIME_BUF, "%s%llu h %02llu m", sign, n / 60, n % 60);
    n = rounded(ns, ORR_HOUR);
    return snprintf(buf, ORR_TIME_BUF, "%s%llu d %02llu h", sign, n / 24, n % 24);
}

int orr_time_clock(orr_time t, char *buf)
{
    if (t == ORR_TIME_NONE)
        return format_none(buf);
    unsigned long long s = size_of(t) / 1000000000;
    return snprintf(buf, ORR_TIME_BUF, "%s%llud %02llu:%02llu:%02llu", t < 0 ? "-" : "", s / 86400, s / 3600 % 24,
                    s / 60 % 60, s % 60);
}
