/* The scanner knows strings and depth, nothing else: an element ends at a comma or bracket of depth 0 outside of
 * strings. It doesn't recurse, so that depth costs nothing, and holds one chunk of input and one element. */
#include "trace/json_cut.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>

#define CHUNK ((size_t)65536)
#define ELEMENT_LIMIT ((size_t)64 << 20)

void orr_json_cut_init(orr_json_cut *cut, orr_input *in)
{
    *cut = (orr_json_cut){.in = in, .line = 1, .chunk = orr_xmalloc(CHUNK)};
}

void orr_json_cut_fini(orr_json_cut *cut)
{
    free(cut->chunk);
    orr_text_fini(&cut->element);
}

static orr_err fail(orr_json_cut *cut, orr_err code, uint32_t line, const char *message, orr_error *e)
{
    orr_error_set(e, code, "%s", message);
    orr_error_at(e, orr_input_name(cut->in), (int)line, 0);
    return code;
}

/* Makes sure that a byte is there unless the input is at its end (got = 0). */
static orr_err fill(orr_json_cut *cut, orr_error *e)
{
    if (cut->at < cut->got)
        return ORR_OK;
    cut->at = 0;
    return orr_input_read(cut->in, cut->chunk, CHUNK, &cut->got, e);
}

/* The next byte that is no blank, not consumed; 0 at the end. */
static orr_err next_byte(orr_json_cut *cut, char *out, orr_error *e)
{
    for (;;) {
        const orr_err err = fill(cut, e);
        if (err)
            return err;
        *out = cut->at < cut->got ? cut->chunk[cut->at] : '\0';
        if (cut->at == cut->got || (*out != ' ' && *out != '\t' && *out != '\r' && *out != '\n'))
            break;
        cut->line += *out == '\n';
        cut->at++;
    }
    if (cut->at < cut->got && *out == '\0')
        return fail(cut, ORR_E_ENCODING, cut->line, "the file holds zero bytes: it is no UTF-8 text", e);
    return ORR_OK;
}

orr_err orr_json_cut_peek(orr_json_cut *cut, char *out, orr_error *e)
{
    const orr_err err = fill(cut, e);
    if (err)
        return err;
    if (!cut->begun && cut->got - cut->at >= 3 && memcmp(cut->chunk + cut->at, "\xEF\xBB\xBF", 3) == 0)
        cut->at += 3;
    cut->begun = true;
    return next_byte(cut, out, e);
}

static orr_err begin(orr_json_cut *cut, orr_error *e)
{
    char c;
    const orr_err err = orr_json_cut_peek(cut, &c, e);
    if (err)
        return err;
    if (c == '\0')
        return fail(cut, ORR_E_EMPTY, 0, "the file is empty", e);
    if (c != '[')
        return fail(cut, ORR_E_SYNTAX, cut->line, "the file should be a JSON array and does not begin with [", e);
    cut->at++;
    return ORR_OK;
}

typedef struct scan {
    size_t depth;
    bool in_string, escaped;
} scan;

/* Runs over the chunk; returns true at the element's end, with cut->at on the byte behind it. */
static bool run(orr_json_cut *cut, scan *s)
{
    for (; cut->at < cut->got; cut->at++) {
        const char c = cut->chunk[cut->at];
        cut->line += c == '\n';
        if (s->in_string) {
            if (s->escaped)
                s->escaped = false;
            else if (c == '\\')
                s->escaped = true;
            else
                s->in_string = c != '"';
        } else if (c == '"') {
            s->in_string = true;
        } else if (c == '{' || c == '[') {
            s->depth++;
        } else if (s->depth == 0 && (c == ',' || c == ']' || c == '}')) {
            return true;
        } else if (c == '}' || c == ']') {
            s->depth--;
        }
    }
    return false;
}

static orr_err collect(orr_json_cut *cut, orr_error *e)
{
    scan s = {0};
    orr_text_clear(&cut->element);
    for (;;) {
        const size_t from = cut->at;
        const bool complete = run(cut, &s);
        orr_text_add(&cut->element, cut->chunk + from, cut->at - from);
        if (complete)
            return ORR_OK;
        if (cut->element.n > ELEMENT_LIMIT)
            return fail(cut, ORR_E_LIMIT, cut->element_line, "an element is longer than 64 MiB", e);
        const orr_err err = fill(cut, e);
        if (err)
            return err;
        if (cut->got == 0)
            return fail(cut, ORR_E_TRUNCATED, cut->element_line, "the file ends in the element that begins here", e);
    }
}

static orr_err check_text(orr_json_cut *cut, orr_error *e)
{
    if (memchr(cut->element.at, 0, cut->element.n) || !orr_utf8_valid(cut->element.at, cut->element.n))
        return fail(cut, ORR_E_ENCODING, cut->element_line, "the element that begins here is not UTF-8 text", e);
    return ORR_OK;
}

static orr_err end(orr_json_cut *cut, orr_error *e)
{
    char c;
    cut->at++; /* the ] */
    cut->ended = true;
    const orr_err err = next_byte(cut, &c, e);
    if (!err && c != '\0')
        return fail(cut, ORR_E_SYNTAX, cut->line, "text follows the end of the array", e);
    return err;
}

/* Consumes what stands behind an element: a comma, or nothing if the array ends. */
static orr_err after_element(orr_json_cut *cut, orr_error *e)
{
    char c;
    const orr_err err = next_byte(cut, &c, e);
    if (err)
        return err;
    if (c == ',') {
        cut->at++;
        return ORR_OK;
    }
    return c == ']' ? ORR_OK : fail(cut, ORR_E_SYNTAX, cut->line, "an array element is followed by a stray bracket", e);
}

orr_err orr_json_cut_next(orr_json_cut *cut, const char **text, size_t *n, orr_error *e)
{
    char c;
    *text = NULL;
    *n = 0;
    if (cut->ended)
        return ORR_OK;
    orr_err err = cut->begun ? ORR_OK : begin(cut, e);
    if (!err)
        err = next_byte(cut, &c, e);
    if (err)
        return err;
    if (c == ']')
        return end(cut, e);
    if (c == '\0')
        return fail(cut, ORR_E_TRUNCATED, cut->line, "the file ends before the array does", e);
    err = orr_json_cut_value(cut, text, n, e);
    return err ? err : after_element(cut, e);
}

orr_err orr_json_cut_value(orr_json_cut *cut, const char **text, size_t *n, orr_error *e)
{
    char c;
    orr_err err = orr_json_cut_peek(cut, &c, e);
    if (err)
        return err;
    cut->element_line = cut->line;
    err = collect(cut, e);
    if (!err && cut->element.n == 0)
        err = fail(cut, ORR_E_SYNTAX, cut->line, "a value is missing before a comma or bracket", e);
    if (!err)
        err = check_text(cut, e);
    if (err)
        return err;
    *text = cut->element.at;
    *n = cut->element.n;
    return ORR_OK;
}

orr_err orr_json_cut_take(orr_json_cut *cut, char c, orr_error *e)
{
    char found, message[64];
    const orr_err err = orr_json_cut_peek(cut, &found, e);
    if (err)
        return err;
    if (found == '\0')
        return fail(cut, ORR_E_TRUNCATED, cut->line, "the file ends before its outer value does", e);
    snprintf(message, sizeof message, "a %c should stand here", c);
    if (found != c)
        return fail(cut, ORR_E_SYNTAX, cut->line, message, e);
    cut->at++;
    return ORR_OK;
}

static orr_err collect_string(orr_json_cut *cut, orr_error *e)
{
    orr_text_clear(&cut->element);
    for (bool escaped = false;;) {
        const orr_err err = fill(cut, e);
        if (err)
            return err;
        if (cut->got == 0 || cut->element.n > ELEMENT_LIMIT)
            return fail(cut, ORR_E_TRUNCATED, cut->element_line, "the key that begins here does not end", e);
        const char c = cut->chunk[cut->at++];
        cut->line += c == '\n';
        if (c == '"' && !escaped)
            return ORR_OK;
        escaped = c == '\\' && !escaped;
        orr_text_add(&cut->element, &c, 1);
    }
}

orr_err orr_json_cut_key(orr_json_cut *cut, const char **key, orr_error *e)
{
    cut->element_line = cut->line;
    orr_err err = orr_json_cut_take(cut, '"', e);
    if (!err)
        err = collect_string(cut, e);
    if (!err && cut->element.n)
        err = check_text(cut, e);
    if (!err)
        err = orr_json_cut_take(cut, ':', e);
    *key = cut->element.n ? cut->element.at : "";
    return err;
}
