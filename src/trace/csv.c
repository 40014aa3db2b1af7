/* The row is found first and split second, so that a caller can look at a line (is it a comment, which separator)
 * before it is cut. A row whose quotes are open at the end of a line is joined with the lines that follow; the quote
 * state is carried along, so the joining stays linear. */
#include "trace/csv.h"
#include <stdlib.h>

#define JOIN_LIMIT ((size_t)1 << 20)

void orr_csv_init(orr_csv *csv, orr_input *in)
{
    *csv = (orr_csv){.in = in, .separator = ','};
}

void orr_csv_fini(orr_csv *csv)
{
    ORR_VEC_FREE(&csv->fields);
    orr_text_fini(&csv->joined);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool all_blank(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && blank(text[i]))
        i++;
    return i == n;
}

static size_t ascii_prefix(const char *text, size_t n)
{
    size_t i = 0;
    for (uint64_t eight; i + 8 <= n; i += 8) {
        memcpy(&eight, text + i, 8);
        if (eight & UINT64_C(0x8080808080808080))
            break;
    }
    while (i < n && !(text[i] & 0x80))
        i++;
    return i;
}

static orr_err check_text(const orr_csv *csv, const char *line, size_t n, orr_error *e)
{
    const size_t ascii = ascii_prefix(line, n);
    if (ascii == n || orr_utf8_valid(line, n))
        return ORR_OK;
    orr_error_set(e, ORR_E_ENCODING, "the line holds bytes that are not UTF-8");
    orr_error_at(e, orr_input_name(csv->in), (int)orr_input_line_number(csv->in), (int)ascii + 1);
    orr_error_hint(e, "convert the file to UTF-8 first, for example with iconv");
    return ORR_E_ENCODING;
}

typedef enum quote_state { AT_FIELD, IN_PLAIN, IN_QUOTES, AFTER_QUOTE } quote_state;

static quote_state quotes_after(quote_state s, const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char c = line[i];
        if (s == IN_QUOTES)
            s = c == '"' ? AFTER_QUOTE : IN_QUOTES;
        else if (c == ',')
            s = AT_FIELD;
        else if (c == '"' && s != IN_PLAIN)
            s = IN_QUOTES; /* opens a field, or the second of a doubled pair */
        else if (!(s == AT_FIELD && blank(c)))
            s = IN_PLAIN;
    }
    return s;
}

static orr_err never_closed(orr_csv *csv, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_TRUNCATED, "a quoted field begins here and %s", why);
    orr_error_at(e, orr_input_name(csv->in), (int)csv->line, 0);
    orr_error_hint(e, "a quote inside a quoted field is written twice");
    return ORR_E_TRUNCATED;
}

static orr_err join_lines(orr_csv *csv, quote_state s, orr_error *e)
{
    orr_text_clear(&csv->joined);
    orr_text_add(&csv->joined, csv->text, csv->length);
    while (s == IN_QUOTES) {
        char *line;
        size_t n;
        const char *end = orr_input_line_crlf(csv->in) ? "\r\n" : "\n"; /* a part of the field */
        const orr_err err = orr_input_line(csv->in, &line, &n, e);
        if (err)
            return err;
        if (!line)
            return never_closed(csv, "never ends", e);
        if (csv->joined.n + n > JOIN_LIMIT)
            return never_closed(csv, "is longer than 1 MiB", e);
        const orr_err bad = check_text(csv, line, n, e);
        if (bad)
            return bad;
        orr_text_add(&csv->joined, end, strlen(end));
        orr_text_add(&csv->joined, line, n);
        s = quotes_after(s, line, n);
    }
    csv->text = csv->joined.at;
    csv->length = csv->joined.n;
    return ORR_OK;
}

orr_err orr_csv_next(orr_csv *csv, orr_error *e)
{
    do {
        const orr_err err = orr_input_line(csv->in, &csv->text, &csv->length, e);
        if (err)
            return err;
    } while (csv->text && all_blank(csv->text, csv->length));
    csv->line = orr_input_line_number(csv->in);
    if (!csv->text)
        return ORR_OK;
    const orr_err err = check_text(csv, csv->text, csv->length, e);
    if (err || csv->separator != ',' || !memchr(csv->text, '"', csv->length))
        return err;
    const quote_state s = quotes_after(AT_FIELD, csv->text, csv->length);
    return s == IN_QUOTES ? join_lines(csv, s, e) : ORR_OK;
}

static void push(orr_csv *csv, char *at, size_t n)
{
    at[n] = '\0';
    const orr_field field = {at, n, (uint32_t)(at - csv->text) + 1};
    ORR_VEC_PUSH(&csv->fields, field);
}

static void split_blanks(orr_csv *csv)
{
    char *p = csv->text, *const end = csv->text + csv->length;
    while (p < end) {
        while (p < end && blank(*p))
            p++;
        char *const from = p;
        while (p < end && !blank(*p))
            p++;
        if (p > from)
            push(csv, from, (size_t)(p - from));
        p++;
    }
}

/* From behind the opening quote; returns where the next field begins, NULL if this was the last. */
static char *split_quoted(orr_csv *csv, char *p, char *end)
{
    char *const from = p, *to = p;
    while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
        p += *p == '"';
        *to++ = *p++;
    }
    for (p++; p < end && *p != ','; p++)
        csv->damaged |= !blank(*p);
    push(csv, from, (size_t)(to - from));
    return p < end ? p + 1 : NULL;
}

static char *split_plain(orr_csv *csv, char *p, char *end)
{
    char *comma = memchr(p, csv->separator, (size_t)(end - p));
    char *to = comma ? comma : end;
    while (to > p && blank(to[-1]))
        to--;
    push(csv, p, (size_t)(to - p));
    return comma ? comma + 1 : NULL;
}

static bool skippable(const orr_csv *csv, char c)
{
    return blank(c) && c != csv->separator;
}

void orr_csv_split(orr_csv *csv)
{
    csv->fields.n = 0;
    csv->damaged = false;
    if (csv->separator == ' ') {
        split_blanks(csv);
        return;
    }
    char *const end = csv->text + csv->length;
    for (char *p = csv->text; p;) {
        while (p < end && skippable(csv, *p))
            p++;
        p = p < end && *p == '"' && csv->separator == ',' ? split_quoted(csv, p + 1, end) : split_plain(csv, p, end);
    }
}
