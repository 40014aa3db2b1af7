/* Errors: the tables made from the list in error.h, and the plain struct that carries the detail. */
#include <orrery/error.h>

#include "base/text.h"

#include <orrery/time.h>
#include <stdio.h>
#include <string.h>

typedef struct kind {
    orr_err code;
    const char *name;
    int status;
    const char *text;
} kind;

static const kind kinds[] = {
#define ORR_X(sym, num, name, status, text) {ORR_E_##sym, name, status, text},
    ORR_ERRORS(ORR_X)
#undef ORR_X
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* An unknown number comes from a plugin only; it reads as a failure of that policy. */
static const kind *kind_of(orr_err code)
{
    static const kind unknown = {ORR_E_POLICY, "unknown", 76, "an error without a name"};
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].code == code)
            return &kinds[i];
    return &unknown;
}

const char *orr_err_name(orr_err code)
{
    return kind_of(code)->name;
}

const char *orr_err_text(orr_err code)
{
    return kind_of(code)->text;
}

int orr_err_exit_status(orr_err code)
{
    return kind_of(code)->status;
}

int orr_err_by_name(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return (int)kinds[i].code;
    return -1;
}

orr_err orr_error_set(orr_error *e, orr_err code, const char *fmt, ...)
{
    if (!e || code == ORR_OK)
        return code;
    if (e->code != ORR_OK) {
        e->settled = true;
        return code;
    }
    *e = (orr_error){.code = code};
    va_list args;
    va_start(args, fmt);
    vsnprintf(e->message, sizeof e->message, fmt, args);
    va_end(args);
    return code;
}

static bool takes_details(const orr_error *e)
{
    return e && e->code != ORR_OK && !e->settled;
}

void orr_error_at(orr_error *e, const char *file, int line, int column)
{
    if (!takes_details(e))
        return;
    if (file && !e->file[0])
        snprintf(e->file, sizeof e->file, "%s", file);
    if (line > 0 && e->line == 0) {
        e->line = line;
        e->column = column > 0 ? column : 0;
    }
}

/* The bytes of one UTF-8 character at `s`, 0 if there is none or it is a control character. */
static size_t shown_as_is(const char *s, size_t n)
{
    unsigned char first = (unsigned char)s[0];
    if (first < 0x20 || first == 0x7f)
        return 0;
    for (size_t length = 1; length <= 4 && length <= n; length++)
        if (orr_utf8_valid(s, length))
            return length;
    return 0;
}

void orr_error_text(orr_error *e, const char *text, size_t length)
{
    if (!takes_details(e) || !text || e->text[0])
        return;
    size_t used = 0, room = sizeof e->text - sizeof "...";
    for (size_t i = 0; i < length;) {
        size_t plain = shown_as_is(text + i, length - i), wanted = plain ? plain : 4;
        if (used + wanted > room) {
            memcpy(e->text + used, "...", sizeof "...");
            return;
        }
        if (plain)
            memcpy(e->text + used, text + i, plain);
        else
            snprintf(e->text + used, 5, "\\x%02x", (unsigned)(unsigned char)text[i]);
        used += wanted;
        i += plain ? plain : 1;
    }
    e->text[used] = '\0';
}

void orr_error_hint(orr_error *e, const char *fmt, ...)
{
    if (!takes_details(e) || e->hint[0])
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(e->hint, sizeof e->hint, fmt, args);
    va_end(args);
}

void orr_error_when(orr_error *e, int64_t at_ns, const char *job)
{
    if (!takes_details(e) || e->has_time)
        return;
    e->has_time = true;
    e->at_ns = at_ns;
    if (job)
        snprintf(e->job, sizeof e->job, "%s", job);
}

/* A buffer that counts on when it is full. */
typedef struct page {
    char *at;
    size_t size;
    int length;
} page;

ORR_PRINTF(2, 3) static void put(page *p, const char *fmt, ...)
{
    size_t used = (size_t)p->length < p->size ? (size_t)p->length : p->size;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(p->at ? p->at + used : NULL, p->size - used, fmt, args);
    va_end(args);
    p->length += n > 0 ? n : 0;
}

static void put_place(page *p, const orr_error *e)
{
    if (!e->file[0])
        return;
    put(p, "%s:", strcmp(e->file, "-") == 0 ? "<stdin>" : e->file);
    if (e->line)
        put(p, "%d:", e->line);
    if (e->line && e->column)
        put(p, "%d:", e->column);
    put(p, " ");
}

static void put_when(page *p, const orr_error *e)
{
    if (!e->has_time)
        return;
    char clock[ORR_TIME_BUF];
    orr_time_clock(e->at_ns, clock);
    if (e->job[0])
        put(p, "job %s ", e->job);
    if (e->at_ns == ORR_TIME_NONE) {
        put(p, "@ -: ");
        return;
    }
    long long ms = e->at_ns / 1000000, size = ms < 0 ? -ms : ms;
    put(p, "@ %s (%s%lld.%03lld s): ", clock, ms < 0 ? "-" : "", size / 1000, size % 1000);
}

int orr_error_format(const orr_error *e, char *buf, size_t size)
{
    page p = {size ? buf : NULL, size, 0};
    if (size)
        buf[0] = '\0';
    if (!e->file[0] && !e->has_time)
        put(&p, "orrery: ");
    put_place(&p, e);
    put_when(&p, e);
    put(&p, "error: %s [%s]\n", e->message[0] ? e->message : orr_err_text(e->code), orr_err_name(e->code));
    if (e->text[0])
        put(&p, "    %s\n", e->text);
    if (e->hint[0])
        put(&p, "hint: %s\n", e->hint);
    return p.length;
}
