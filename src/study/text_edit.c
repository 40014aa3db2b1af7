#include "study/text_edit.h"

#include <stdlib.h>

static unsigned byte_at(const orr_edits *t, size_t i)
{
    return i < t->size ? (unsigned char)t->text[i] : 0;
}

/* How long the line break at i is; 0: there is none. */
static size_t break_at(const orr_edits *t, size_t i)
{
    const unsigned c = byte_at(t, i), next = byte_at(t, i + 1);
    if (c == '\n')
        return 1;
    if (c == '\r')
        return next == '\n' ? 2 : 1;
    if (c == 0xC2)
        return next == 0x85 ? 2 : 0;
    return c == 0xE2 && next == 0x80 && (byte_at(t, i + 2) & 0xFE) == 0xA8 ? 3 : 0;
}

void orr_edits_init(orr_edits *t, const char *text, size_t size)
{
    *t = (orr_edits){.text = text, .size = size};
    const bool mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    ORR_VEC_PUSH(&t->lines, mark ? 3u : 0u);
    for (size_t i = 0; i < size;) {
        const size_t n = break_at(t, i);
        i += n ? n : 1;
        if (n)
            ORR_VEC_PUSH(&t->lines, i);
    }
}

void orr_edits_fini(orr_edits *t)
{
    for (size_t i = 0; i < t->list.n; i++)
        free(t->list.at[i].text);
    ORR_VEC_FREE(&t->list);
    ORR_VEC_FREE(&t->lines);
}

static bool continues(unsigned c)
{
    return (c & 0xC0) == 0x80;
}

size_t orr_edits_offset(const orr_edits *t, int line, int column)
{
    if ((size_t)line > t->lines.n)
        return t->size;
    size_t i = t->lines.at[line - 1];
    for (int at = 1; at < column && i < t->size && break_at(t, i) == 0; at++)
        for (i++; continues(byte_at(t, i));)
            i++;
    return i;
}

void orr_edits_replace(orr_edits *t, size_t from, size_t to, const char *text)
{
    ORR_VEC_PUSH(&t->list, ((orr_edit){from, to, orr_xstrdup(text), t->list.n}));
}

void orr_edits_insert(orr_edits *t, size_t at, const char *text)
{
    orr_edits_replace(t, at, at, text);
}

size_t orr_edits_line_end(const orr_edits *t, size_t at)
{
    while (at > 0 && strchr(" \t\r\n", t->text[at - 1]))
        at--;
    while (at < t->size && break_at(t, at) == 0)
        at++;
    return at;
}

const char *orr_edits_break(const orr_edits *t)
{
    const char *first = memchr(t->text, '\n', t->size);
    return first && first > t->text && first[-1] == '\r' ? "\r\n" : "\n";
}

static int by_place(const void *a, const void *b)
{
    const orr_edit *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void orr_edits_apply(orr_edits *t, orr_text *out)
{
    size_t at = 0;
    if (t->list.n)
        qsort(t->list.at, t->list.n, sizeof *t->list.at, by_place);
    for (size_t i = 0; i < t->list.n; i++) {
        const orr_edit *edit = &t->list.at[i];
        orr_text_add(out, t->text + at, edit->from - at);
        orr_text_add(out, edit->text, strlen(edit->text));
        at = edit->to;
    }
    orr_text_add(out, t->text + at, t->size - at);
}
