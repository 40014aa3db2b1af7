#include "trace/slurm_text.h"
#include "base/decimal.h"
#include "base/text.h"
#include <string.h>

static const orr_slurm_resources nothing = {.gpus = -1, .cpus = -1, .nodes = -1, .mem_bytes = -1};

/* Adds a name to the list unless it is there. */
static bool add_type(char types[ORR_SLURM_TYPES], const char *name, size_t n)
{
    const size_t used = strlen(types);
    for (const char *at = types; *at;) {
        const size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, name, n) == 0)
            return true;
        at += length + (at[length] == '|');
    }
    if (n == 0 || used + n + 2 > ORR_SLURM_TYPES)
        return n == 0;
    const size_t bar = used > 0;
    if (bar)
        types[used] = '|';
    memcpy(types + used + bar, name, n);
    types[used + bar + n] = '\0';
    return true;
}

static bool add_count(int64_t *sum, const char *text, size_t n)
{
    int64_t value;
    if (!orr_parse_i64(text, n, &value) || value < 0 || value > INT32_MAX)
        return false;
    *sum = (*sum < 0 ? 0 : *sum) + value;
    return *sum <= INT32_MAX;
}

static bool starts_with(const char *text, size_t n, const char *head)
{
    return n >= strlen(head) && memcmp(text, head, strlen(head)) == 0;
}

static bool is(const char *text, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(text, word, n) == 0;
}

/* One `key=value`; `typed` sums the GPUs that are named by type. */
static bool take_tres(const char *key, size_t n, const char *value, size_t m, orr_slurm_resources *out, int64_t *typed)
{
    char per;
    if (is(key, n, "gres/gpu"))
        return add_count(&out->gpus, value, m);
    if (starts_with(key, n, "gres/gpu:"))
        return add_count(typed, value, m) && add_type(out->types, key + 9, n - 9);
    if (is(key, n, "cpu"))
        return add_count(&out->cpus, value, m);
    if (is(key, n, "node"))
        return add_count(&out->nodes, value, m);
    if (is(key, n, "mem"))
        return orr_slurm_memory(value, m, &out->mem_bytes, &per) && per == 0;
    return true;
}

bool orr_slurm_tres(const char *text, orr_slurm_resources *out)
{
    int64_t typed = -1;
    bool good = true;
    *out = nothing;
    for (const char *at = text; *at && good;) {
        const size_t n = strcspn(at, ","), key = strcspn(at, "=,");
        if (key < n)
            good = take_tres(at, key, at + key + 1, n - key - 1, out, &typed);
        at += n + (at[n] == ',');
    }
    if (out->gpus < 0)
        out->gpus = typed;
    return good;
}

/* What stands behind "gpu:": a type, a count, or both. */
static bool take_gpu(const char *text, size_t n, orr_slurm_resources *out)
{
    const char *colon = memchr(text, ':', n);
    const size_t type = colon ? (size_t)(colon - text) : n;
    if (colon)
        return add_type(out->types, text, type) && add_count(&out->gpus, colon + 1, n - type - 1);
    if (n && text[0] >= '0' && text[0] <= '9')
        return add_count(&out->gpus, text, n);
    return add_type(out->types, text, n) && add_count(&out->gpus, "1", 1);
}

bool orr_slurm_gres(const char *text, orr_slurm_resources *out)
{
    *out = nothing;
    bool good = true;
    for (const char *at = text; *at && good;) {
        const size_t n = strcspn(at, ",(");
        if (is(at, n, "gpu"))
            good = add_count(&out->gpus, "1", 1);
        else if (starts_with(at, n, "gpu:"))
            good = take_gpu(at + 4, n - 4, out);
        at += n;
        if (*at == '(')
            at += strcspn(at, ")"); /* which ones: may hold commas */
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return good;
}

bool orr_slurm_memory(const char *text, size_t n, int64_t *bytes, char *per)
{
    static const char units[] = "KMGTP";
    orr_decimal d;
    size_t used = orr_decimal_scan(text, n, &d);
    if (!used || d.negative)
        return false;
    const char *unit = used < n ? memchr(units, text[used], sizeof units - 1) : NULL;
    const int64_t scale = INT64_C(1024) << (unit ? 10 * (unit - units) : 10);
    used += unit != NULL;
    *per = 0;
    if (used < n && (text[used] == 'c' || text[used] == 'n'))
        *per = text[used++];
    return used == n && orr_decimal_scaled(&d, scale, 0, bytes);
}

/* A whole number up to 9 digits. */
static bool take_number(const char **at, const char *end, int64_t *out)
{
    const char *from = *at;
    while (*at < end && **at >= '0' && **at <= '9')
        ++*at;
    return *at - from <= 9 && orr_parse_i64(from, (size_t)(*at - from), out);
}

bool orr_slurm_elapsed(const char *text, size_t n, orr_time *out)
{
    const char *at = text, *const end = text + n;
    int64_t part, days = 0, minutes = 0;
    int colons = 0;
    orr_time seconds;
    if (memchr(text, '-', n) && (!take_number(&at, end, &days) || at == end || *at++ != '-'))
        return false;
    while (memchr(at, ':', (size_t)(end - at))) {
        if (++colons > 2 || !take_number(&at, end, &part) || *at++ != ':')
            return false;
        minutes = minutes * 60 + part;
    }
    if (colons == 0 || at == end || *at < '0' || *at > '9' || orr_time_parse_seconds(at, (size_t)(end - at), &seconds))
        return false;
    *out = orr_time_add(seconds, orr_time_add(orr_time_mul(ORR_DAY, days), orr_time_mul(ORR_MINUTE, minutes)));
    return true;
}
