/* Knob values from text and back, by the table that declares them. */
#include "base/io.h"
#include "base/stat.h"
#include "sched/ctx.h"

#include <math.h>
#include <stdlib.h>

static orr_err bad(const orr_knob *knob, const char *value, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "knob %s can't be '%s'", knob->name, value);
    if (knob->values)
        orr_error_hint(e, "%s: %s", knob->type == ORR_KNOB_CHOICE ? "one of" : "range", knob->values);
    else
        orr_error_hint(e, "%s", knob->doc);
    return ORR_E_BAD_VALUE;
}

static bool parse_number(const char *text, size_t n, double *out)
{
    if (n == 3 && memcmp(text, "inf", 3) == 0) {
        *out = INFINITY;
        return true;
    }
    return orr_parse_double(text, n, out);
}

static bool parse_time(const char *text, orr_time *out)
{
    if (strcmp(text, "inf") == 0) {
        *out = ORR_TIME_MAX;
        return true;
    }
    return orr_time_parse_duration(text, out) == ORR_OK;
}

/* The two ends of "low..high" as numbers; times in their own unit. False: no range. */
static bool range_of(const orr_knob *knob, double *low, double *high)
{
    const char *dots = knob->values ? strstr(knob->values, "..") : NULL;
    if (!dots)
        return false;
    char first[64];
    size_t n = (size_t)(dots - knob->values);
    if (n >= sizeof first)
        return false;
    memcpy(first, knob->values, n);
    first[n] = '\0';
    orr_time a, b;
    if (knob->type == ORR_KNOB_TIME) {
        if (!parse_time(first, &a) || !parse_time(dots + 2, &b))
            return false;
        *low = (double)a, *high = (double)b;
        return true;
    }
    return parse_number(first, n, low) && parse_number(dots + 2, strlen(dots + 2), high);
}

static bool in_range(const orr_knob *knob, double v)
{
    double low, high;
    return !range_of(knob, &low, &high) || (v >= low && v <= high);
}

static bool set_choice(const orr_knob *knob, const char *value, int32_t *out)
{
    int32_t i = 0;
    for (const char *v = knob->values; v && *v; i++) {
        size_t n = strcspn(v, "|");
        if (strlen(value) == n && strncmp(v, value, n) == 0) {
            *out = i;
            return true;
        }
        v += n + (v[n] == '|');
    }
    return false;
}

static bool set_list(const orr_knob *knob, const char *value, orr_list_of_numbers *out)
{
    orr_list_of_numbers list = {0};
    for (const char *v = value; *v;) {
        size_t n = strcspn(v, "/");
        if (list.count == ORR_LIST_MAX || !parse_number(v, n, &list.at[list.count]) || !in_range(knob, list.at[list.count]))
            return false;
        list.count++;
        v += n + (v[n] == '/');
    }
    *out = list;
    return true;
}

static orr_err read_samples(orr_input *in, orr_arena *arena, orr_samples *out, orr_error *e)
{
    ORR_VEC(double) v = {0};
    orr_err err = ORR_OK;
    char *line;
    size_t n;
    while (!(err = orr_input_line(in, &line, &n, e)) && line) {
        double x;
        if (n == 0)
            continue;
        if (orr_parse_double(line, n, &x)) {
            ORR_VEC_PUSH(&v, x);
        } else if (orr_input_line_number(in) > 1) { /* the first line may be a header */
            err = orr_error_set(e, ORR_E_NUMBER, "a sample is no number");
            orr_error_at(e, orr_input_name(in), (int)orr_input_line_number(in), 1);
            orr_error_text(e, line, n);
            break;
        }
    }
    if (!err) {
        orr_sort_doubles(v.at, v.n);
        double *at = orr_arena_alloc(arena, (v.n + 1) * sizeof *at);
        if (v.n)
            memcpy(at, v.at, v.n * sizeof *at);
        out->at = at;
        out->count = v.n;
    }
    ORR_VEC_FREE(&v);
    return err;
}

static orr_err set_samples(const char *value, orr_arena *arena, orr_samples *out, orr_error *e)
{
    *out = (orr_samples){.path = orr_arena_strdup(arena, value, strlen(value))};
    if (!*value)
        return ORR_OK;
    orr_input *in = orr_input_open(value, e);
    if (!in)
        return ORR_E_OPEN;
    orr_err err = read_samples(in, arena, out, e);
    orr_input_close(in);
    return err;
}

orr_err orr_knob_set(const orr_knob *knob, void *base, const char *value, orr_arena *arena, orr_error *e)
{
    void *at = (char *)base + knob->offset;
    switch (knob->type) {
    case ORR_KNOB_BOOL:
        return orr_parse_bool(value, at) ? ORR_OK : bad(knob, value, e);
    case ORR_KNOB_INT: {
        int64_t v = INT64_MAX;
        if (strcmp(value, "inf") != 0 && !orr_parse_i64(value, strlen(value), &v))
            return bad(knob, value, e);
        if (!in_range(knob, v == INT64_MAX ? INFINITY : (double)v))
            return bad(knob, value, e);
        *(int64_t *)at = v;
        return ORR_OK;
    }
    case ORR_KNOB_NUMBER: {
        double v;
        if (!parse_number(value, strlen(value), &v) || !in_range(knob, v))
            return bad(knob, value, e);
        *(double *)at = v;
        return ORR_OK;
    }
    case ORR_KNOB_TIME: {
        orr_time v;
        if (!parse_time(value, &v) || !in_range(knob, (double)v))
            return bad(knob, value, e);
        *(orr_time *)at = v;
        return ORR_OK;
    }
    case ORR_KNOB_CHOICE:
        return set_choice(knob, value, at) ? ORR_OK : bad(knob, value, e);
    case ORR_KNOB_LIST:
        return set_list(knob, value, at) ? ORR_OK : bad(knob, value, e);
    case ORR_KNOB_SAMPLES:
        return set_samples(value, arena, at, e);
    case ORR_KNOB_TEXT:
        *(const char **)at = orr_arena_strdup(arena, value, strlen(value));
        return ORR_OK;
    case ORR_KNOB_ASKS:
        return orr_asks_read(value, arena, at, e);
    }
    return bad(knob, value, e);
}

static void format_number(double v, orr_text *out)
{
    char buf[ORR_DOUBLE_BUF];
    if (isinf(v)) {
        orr_text_addf(out, "inf");
        return;
    }
    orr_format_double(v, buf);
    orr_text_addf(out, "%s", buf);
}

static void format_time(orr_time t, orr_text *out)
{
    char buf[ORR_TIME_BUF];
    if (t == ORR_TIME_MAX) {
        orr_text_addf(out, "inf");
        return;
    }
    orr_time_format(t, buf);
    orr_text_addf(out, "%s", buf);
}

static void format_choice(const orr_knob *knob, int32_t index, orr_text *out)
{
    const char *v = knob->values;
    for (int32_t i = 0; i < index && *v; i++) {
        v += strcspn(v, "|");
        v += *v == '|';
    }
    orr_text_add(out, v, strcspn(v, "|"));
}

void orr_knob_format(const orr_knob *knob, const void *base, orr_text *out)
{
    const void *at = (const char *)base + knob->offset;
    switch (knob->type) {
    case ORR_KNOB_BOOL:
        orr_text_addf(out, "%s", *(const bool *)at ? "on" : "off");
        break;
    case ORR_KNOB_INT:
        if (*(const int64_t *)at == INT64_MAX)
            orr_text_addf(out, "inf");
        else
            orr_text_addf(out, "%lld", (long long)*(const int64_t *)at);
        break;
    case ORR_KNOB_NUMBER:
        format_number(*(const double *)at, out);
        break;
    case ORR_KNOB_TIME:
        format_time(*(const orr_time *)at, out);
        break;
    case ORR_KNOB_CHOICE:
        format_choice(knob, *(const int32_t *)at, out);
        break;
    case ORR_KNOB_LIST: {
        const orr_list_of_numbers *list = at;
        for (int32_t i = 0; i < list->count; i++) {
            orr_text_addf(out, "%s", i ? "/" : "");
            format_number(list->at[i], out);
        }
        break;
    }
    case ORR_KNOB_SAMPLES:
        orr_text_addf(out, "%s", ((const orr_samples *)at)->path ? ((const orr_samples *)at)->path : "");
        break;
    case ORR_KNOB_TEXT:
        orr_text_addf(out, "%s", *(const char *const *)at);
        break;
    case ORR_KNOB_ASKS:
        orr_text_addf(out, "%s", ((const orr_asks *)at)->path ? ((const orr_asks *)at)->path : "");
        break;
    }
}
