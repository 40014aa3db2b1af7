/* Single values of key tables. What a value prints as reads back to the same value; bounds are told in the words of the
 * type. */
#include "config/schema_value.h"

#include "base/assert.h"
#include <orrery/time.h>
#include <stdio.h>

bool orr_value_is_scalar(orr_key_type type)
{
    switch (type) {
    case ORR_KEY_INT:
    case ORR_KEY_BYTES:
    case ORR_KEY_BANDWIDTH:
    case ORR_KEY_REAL:
    case ORR_KEY_SECONDS:
    case ORR_KEY_RATE:
    case ORR_KEY_BOOL:
    case ORR_KEY_NATURAL:
    case ORR_KEY_DURATION:
    case ORR_KEY_CHOICE:
        return true;
    default:
        return false;
    }
}

/* ---- out ---- */

/* "16GiB" where it comes out even, else plain bytes. */
static void format_bytes(int64_t v, char buf[ORR_TIME_BUF])
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    while (v && v % 1024 == 0 && unit < 5) {
        v /= 1024;
        unit++;
    }
    snprintf(buf, ORR_TIME_BUF, "%lld%s", (long long)v, units[unit]);
}

static void format_bandwidth(int64_t v, char buf[ORR_TIME_BUF])
{
    static const char *const units[] = {"", "kB/s", "MB/s", "GB/s", "TB/s"};
    int unit = 0;
    while (v && v % 1000 == 0 && unit < 4) {
        v /= 1000;
        unit++;
    }
    snprintf(buf, ORR_TIME_BUF, "%lld%s", (long long)v, units[unit]);
}

static void format_duration(orr_time v, char buf[ORR_TIME_BUF])
{
    if (v == ORR_TIME_MAX || v == ORR_TIME_NONE) {
        snprintf(buf, ORR_TIME_BUF, v == ORR_TIME_MAX ? "inf" : "");
        return;
    }
    const int n = orr_time_format(v, buf);
    snprintf(buf + n, (size_t)(ORR_TIME_BUF - n), "s");
}

/* Behind a number of such a key. */
static const char *unit_of(orr_key_type type)
{
    return type == ORR_KEY_SECONDS ? "s" : type == ORR_KEY_RATE ? "/s" : "";
}

void orr_value_bound(const orr_key *key, int64_t v, char buf[ORR_TIME_BUF])
{
    if (key->type == ORR_KEY_BYTES)
        format_bytes(v, buf);
    else if (key->type == ORR_KEY_BANDWIDTH)
        format_bandwidth(v, buf);
    else if (key->type == ORR_KEY_DURATION)
        format_duration(v, buf);
    else
        snprintf(buf, ORR_TIME_BUF, "%lld%s", (long long)v, unit_of(key->type));
}

const char *orr_value_choice(const char *choices, int32_t index, size_t *length)
{
    for (; index > 0 && *choices; index--) {
        choices += strcspn(choices, "|");
        choices += *choices == '|';
    }
    *length = strcspn(choices, "|");
    return choices;
}

void orr_value_add_word(const char *text, orr_text *out)
{
    bool plain = *text;
    for (const char *c = text; *c; c++)
        plain = plain && (unsigned char)*c > ' ' && *c != '"' && *c != '\\';
    if (plain) {
        orr_text_add(out, text, strlen(text));
        return;
    }
    orr_text_add(out, "\"", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            orr_text_add(out, "\\", 1);
        orr_text_add(out, c, 1);
    }
    orr_text_add(out, "\"", 1);
}

typedef ORR_VEC(const char *) names;

static void add_names(const names *list, orr_text *out)
{
    for (size_t i = 0; i < list->n; i++) {
        orr_text_add(out, " ", i > 0);
        orr_value_add_word(list->at[i], out);
    }
}

static void add_real(const orr_key *key, double v, orr_text *out)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(v, buf);
    orr_text_addf(out, "%s%s", buf, unit_of(key->type));
}

static void add_integer(const orr_key *key, int64_t v, orr_text *out)
{
    char buf[ORR_TIME_BUF];
    orr_value_bound(key, v, buf);
    orr_text_addf(out, "%s", buf);
}

void orr_schema_value(const orr_key *key, const void *out, orr_text *text)
{
    const void *member = (const char *)out + key->offset;
    const char *choice;
    size_t length;
    orr_text_add(text, "", 0);
    switch (key->type) {
    case ORR_KEY_TEXT:
        if (*(const char *const *)member)
            orr_text_addf(text, "%s", *(const char *const *)member);
        return;
    case ORR_KEY_INT:
    case ORR_KEY_BYTES:
    case ORR_KEY_BANDWIDTH:
    case ORR_KEY_DURATION:
        add_integer(key, *(const int64_t *)member, text);
        return;
    case ORR_KEY_REAL:
    case ORR_KEY_SECONDS:
    case ORR_KEY_RATE:
        add_real(key, *(const double *)member, text);
        return;
    case ORR_KEY_BOOL:
        orr_text_addf(text, "%s", *(const bool *)member ? "on" : "off");
        return;
    case ORR_KEY_NATURAL:
        orr_text_addf(text, "%llu", (unsigned long long)*(const uint64_t *)member);
        return;
    case ORR_KEY_CHOICE:
        choice = orr_value_choice(key->each, *(const int32_t *)member, &length);
        orr_text_add(text, choice, length);
        return;
    case ORR_KEY_NAMES:
        add_names(member, text);
        return;
    case ORR_KEY_LIST:
    case ORR_KEY_COUNTS:
    case ORR_KEY_TEXTS:
    case ORR_KEY_MAP:
    case ORR_KEY_ANY:
        return;
    }
}

/* ---- in ---- */

static bool should_be(const char *what, char why[ORR_VALUE_WHY])
{
    snprintf(why, ORR_VALUE_WHY, "should be %s", what);
    return false;
}

static bool is_out_of_range(const orr_key *key, char why[ORR_VALUE_WHY])
{
    char low[ORR_TIME_BUF], high[ORR_TIME_BUF];
    orr_value_bound(key, key->low, low);
    orr_value_bound(key, key->high, high);
    snprintf(why, ORR_VALUE_WHY, "is out of range: it goes from %s to %s", low, high);
    return false;
}

static bool read_integer(orr_key_type type, const char *text, int64_t *out)
{
    if (type == ORR_KEY_BYTES)
        return orr_parse_bytes(text, out);
    if (type == ORR_KEY_BANDWIDTH)
        return orr_parse_bandwidth(text, out);
    return orr_parse_i64(text, strlen(text), out);
}

static bool parse_integer(const orr_key *key, const char *text, int64_t *member, char why[ORR_VALUE_WHY])
{
    int64_t v = 0;
    if (!read_integer(key->type, text, &v))
        return should_be(key->type == ORR_KEY_BYTES       ? "a size such as 16GiB"
                         : key->type == ORR_KEY_BANDWIDTH ? "a bandwidth such as 12GB/s or 100Gb/s"
                                                          : "an integer",
                         why);
    if (v < key->low || v > key->high)
        return is_out_of_range(key, why);
    return *member = v, true;
}

static bool parse_natural(const orr_key *key, const char *text, uint64_t *member, char why[ORR_VALUE_WHY])
{
    uint64_t v = 0;
    if (!orr_parse_u64(text, strlen(text), &v))
        return should_be("a whole number, 0 or more", why);
    if ((key->low || key->high) && (v < (uint64_t)key->low || v > (uint64_t)key->high))
        return is_out_of_range(key, why);
    return *member = v, true;
}

/* Seconds in one of the units of durations, rounded once; several parts as the clock takes them. */
static bool read_seconds(const char *text, double *out)
{
    static const char *const units[] = {"", "s", "ms", "us", "ns"};
    static const int places[] = {0, 0, -3, -6, -9};
    const size_t n = strlen(text), number = strspn(text, "0123456789.eE+-");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + number, units[i]) == 0)
            return orr_parse_scaled(text, number, places[i], out);
    orr_time t;
    if (n == 0 || orr_time_parse_duration(text, &t))
        return false;
    return *out = orr_time_seconds(t), true;
}

static bool read_rate(const char *text, double *out)
{
    static const char *const units[] = {"", "/s", "/min", "/h", "/d"};
    static const double seconds[] = {1, 1, 60, 3600, 86400};
    const size_t number = strcspn(text, "/");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text + number, units[i]) == 0 && orr_parse_double(text, number, out))
            return *out /= seconds[i], true;
    return false;
}

static bool read_real(orr_key_type type, const char *text, double *out)
{
    if (type == ORR_KEY_SECONDS)
        return read_seconds(text, out);
    return type == ORR_KEY_RATE ? read_rate(text, out) : orr_parse_double(text, strlen(text), out);
}

static bool parse_real(const orr_key *key, const char *text, double *member, char why[ORR_VALUE_WHY])
{
    double v = 0;
    if (!read_real(key->type, text, &v))
        return should_be(key->type == ORR_KEY_SECONDS ? "a duration such as 4.1ms or 90s"
                         : key->type == ORR_KEY_RATE  ? "a rate such as 120/s or 90/min"
                                                      : "a number",
                         why);
    if (v < (double)key->low || v > (double)key->high)
        return is_out_of_range(key, why);
    return *member = v, true;
}

static bool parse_duration(const orr_key *key, const char *text, orr_time *member, char why[ORR_VALUE_WHY])
{
    orr_time v = ORR_TIME_MAX;
    if (strcmp(text, "inf") != 0 && orr_time_parse_duration(text, &v))
        return should_be("a duration such as 90s or 1h30m", why);
    if (v < key->low || v > (key->low || key->high ? key->high : ORR_TIME_MAX))
        return key->low || key->high ? is_out_of_range(key, why) : should_be("a duration of 0 or more", why);
    return *member = v, true;
}

static bool parse_bool(const char *text, bool *member, char why[ORR_VALUE_WHY])
{
    return orr_parse_bool(text, member) || should_be("on or off", why);
}

static bool parse_choice(const orr_key *key, const char *text, int32_t *member, char why[ORR_VALUE_WHY])
{
    size_t length;
    int32_t i = 0;
    for (const char *p = orr_value_choice(key->each, i, &length); length; p = orr_value_choice(key->each, ++i, &length))
        if (strlen(text) == length && memcmp(text, p, length) == 0)
            return *member = i, true;
    snprintf(why, ORR_VALUE_WHY, "should be one of %s", (const char *)key->each);
    return false;
}

bool orr_value_parse(const orr_key *key, const char *text, void *member, char why[ORR_VALUE_WHY])
{
    switch (key->type) {
    case ORR_KEY_NATURAL:
        return parse_natural(key, text, member, why);
    case ORR_KEY_REAL:
    case ORR_KEY_SECONDS:
    case ORR_KEY_RATE:
        return parse_real(key, text, member, why);
    case ORR_KEY_DURATION:
        return parse_duration(key, text, member, why);
    case ORR_KEY_BOOL:
        return parse_bool(text, member, why);
    case ORR_KEY_CHOICE:
        return parse_choice(key, text, member, why);
    default:
        return parse_integer(key, text, member, why);
    }
}

/* One text from `text` on, into `word`; what follows it, or NULL if a quote isn't closed. */
static const char *next_word(const char *text, orr_text *word)
{
    orr_text_clear(word);
    orr_text_add(word, "", 0);
    if (*text != '"') {
        const size_t n = strcspn(text, " ");
        orr_text_add(word, text, n);
        return text + n;
    }
    for (text++; *text && *text != '"'; text++) {
        text += *text == '\\' && text[1];
        orr_text_add(word, text, 1);
    }
    return *text ? text + 1 : NULL;
}

bool orr_value_split(const char *text, orr_arena *arena, const char ***at, size_t *n)
{
    orr_text word = {0};
    *n = 0;
    *at = orr_arena_alloc(arena, (strlen(text) / 2 + 1) * sizeof **at);
    for (text += strspn(text, " "); text && *text; text += text ? strspn(text, " ") : 0) {
        text = next_word(text, &word);
        (*at)[(*n)++] = orr_arena_strdup(arena, word.at, word.n);
        if (!text)
            break;
    }
    orr_text_fini(&word);
    return text != NULL;
}
