/* Decimals are scaled as decimals; see base/decimal.h. */
#include "trace/amounts.h"
#include "base/assert.h"
#include "base/decimal.h"
#include <stdio.h>

bool orr_take_amount(orr_intake *k, orr_cell cell, int64_t multiplier, int places, int64_t *out)
{
    orr_decimal d;
    int64_t value;
    if (orr_cell_missing(cell))
        return true;
    if (orr_decimal_scan(cell.at, cell.n, &d) != cell.n || !orr_decimal_scaled(&d, multiplier, places, &value) ||
        value < 0)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    *out = value;
    return true;
}

bool orr_take_cores(orr_intake *k, orr_cell cell, int64_t *milli)
{
    int64_t value = *milli;
    if (!orr_take_amount(k, cell, 1, 3, &value))
        return false;
    if (value > INT64_C(1000) * INT32_MAX)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    *milli = value;
    return true;
}

int orr_cores_format(int64_t milli, char buf[ORR_CORES_BUF])
{
    const int part = (int)(milli % 1000);
    int n = snprintf(buf, ORR_CORES_BUF, part ? "%lld.%03d" : "%lld", (long long)(milli / 1000), part);
    while (part && buf[n - 1] == '0')
        n--;
    buf[n] = '\0';
    return n;
}

int32_t orr_cores_for(int64_t milli)
{
    const int64_t cores = milli / 1000 + (milli % 1000 != 0);
    return cores < INT32_MAX ? (int32_t)cores : INT32_MAX;
}

static bool listed(const char *list, size_t n, const char *word, size_t length)
{
    for (const char *at = list, *const end = list + n; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        const size_t m = (size_t)((bar ? bar : end) - at);
        if (m == length && memcmp(at, word, m) == 0)
            return true;
        at += m + 1;
    }
    return false;
}

bool orr_drop_repeated_types(char *list)
{
    bool repeated = false;
    char *to = list;
    for (char *at = list, *next; at; at = next) {
        char *bar = strchr(at, '|');
        const size_t n = bar ? (size_t)(bar - at) : strlen(at);
        next = bar ? bar + 1 : NULL;
        if (listed(list, (size_t)(to - list), at, n)) {
            repeated = true;
            continue;
        }
        if (to > list)
            *to++ = '|';
        memmove(to, at, n);
        to += n;
    }
    *to = '\0';
    return repeated;
}

bool orr_gpu_time_fits(orr_cell stated, orr_time duration, int32_t gpus)
{
    orr_time said;
    if (orr_cell_missing(stated) || orr_time_parse_seconds(stated.at, stated.n, &said))
        return true;
    const orr_wide off = (orr_wide)duration * gpus - said;
    const orr_wide slack = (orr_wide)ORR_MS * (gpus + 1);
    return off <= slack && off >= -slack;
}
