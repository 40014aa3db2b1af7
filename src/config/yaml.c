/* libyaml's events into a tree. libyaml counts lines and columns from 0 and reports encoding trouble by offset only;
 * both are put right here. Depth is bounded, so that no input can exhaust the stack.
 */
#include "config/yaml.h"

#include "base/text.h"
#include <stdlib.h>
#include <yaml.h>

#define MAX_DEPTH 24

typedef struct reader {
    yaml_parser_t parser;
    yaml_event_t event;
    orr_yaml_doc *doc;
    orr_error *e;
    int depth;
} reader;

/* ---- errors ---- */

static orr_err fail(const orr_yaml_doc *doc, orr_err code, int line, int column, orr_error *e, const char *fmt,
                    va_list args)
{
    char message[600];
    vsnprintf(message, sizeof message, fmt, args);
    if (doc->command_line)
        code = ORR_E_BAD_VALUE;
    orr_error_set(e, code, "%s", message);
    if (!doc->command_line)
        orr_error_at(e, doc->file, line, column);
    return code;
}

orr_err orr_yaml_fail(const orr_yaml_doc *doc, const orr_yaml *at, orr_err code, orr_error *e, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    code = fail(doc, code, at->line, at->column, e, fmt, args);
    va_end(args);
    if (at->kind == ORR_YAML_SCALAR)
        orr_error_text(e, at->text, strlen(at->text));
    return code;
}

orr_err orr_yaml_fail_key(const orr_yaml_doc *doc, const orr_yaml *at, orr_err code, orr_error *e, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    code = fail(doc, code, at->key_line, at->key_column, e, fmt, args);
    va_end(args);
    if (at->key)
        orr_error_text(e, at->key, strlen(at->key));
    return code;
}

static orr_err refuse_at(reader *r, yaml_mark_t mark, const char *fmt, ...) ORR_PRINTF(3, 4);
static orr_err refuse_at(reader *r, yaml_mark_t mark, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    orr_err code = fail(r->doc, ORR_E_SYNTAX, (int)mark.line + 1, (int)mark.column + 1, r->e, fmt, args);
    va_end(args);
    return code;
}

/* ---- events ---- */

static yaml_mark_t mark_at_offset(const char *data, size_t offset)
{
    yaml_mark_t mark = {.index = offset};
    for (size_t i = 0; i < offset; i++) {
        mark.column = data[i] == '\n' ? 0 : mark.column + 1;
        mark.line += data[i] == '\n';
    }
    return mark;
}

static orr_err parser_failed(reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "it can't be read";
    if (p->error == YAML_READER_ERROR) {
        const char *data = (const char *)p->input.string.start;
        size_t size = (size_t)(p->input.string.end - p->input.string.start);
        size_t offset = p->problem_offset < size ? p->problem_offset : size;
        return refuse_at(r, mark_at_offset(data, offset), "not YAML: %s", problem);
    }
    if (p->context)
        return refuse_at(r, p->problem_mark, "not YAML: %s, %s", p->context, problem);
    return refuse_at(r, p->problem_mark, "not YAML: %s", problem);
}

static orr_err advance(reader *r)
{
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event))
        return parser_failed(r);
    return ORR_E_OK;
}

/* Anchors and tags change what a text means behind its back; a configuration does without them. */
static orr_err refuse_extras(reader *r, const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor) {
        refuse_at(r, r->event.start_mark, "anchors (&%s) are not used here", (const char *)anchor);
        orr_error_hint(r->e, "write the value out where it is needed");
        return ORR_E_SYNTAX;
    }
    if (tag) {
        refuse_at(r, r->event.start_mark, "tags (%s) are not used here", (const char *)tag);
        orr_error_hint(r->e, "quote a text that looks like a number; leave a number plain");
        return ORR_E_SYNTAX;
    }
    return ORR_E_OK;
}

/* ---- values ---- */

static orr_err read_value(reader *r, orr_yaml **out);

static void ends_here(const reader *r, orr_yaml *v)
{
    v->end_line = (int)r->event.end_mark.line + 1;
    v->end_column = (int)r->event.end_mark.column + 1;
}

static orr_yaml *new_value(reader *r, orr_yaml_kind kind)
{
    orr_yaml *v = orr_arena_alloc(&r->doc->arena, sizeof *v);
    v->kind = kind;
    v->line = (int)r->event.start_mark.line + 1;
    v->column = (int)r->event.start_mark.column + 1;
    ends_here(r, v);
    return v;
}

static orr_err read_scalar(reader *r, orr_yaml **out)
{
    const yaml_event_t *event = &r->event;
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    orr_err err = refuse_extras(r, event->data.scalar.anchor, event->data.scalar.tag);
    if (err)
        return err;
    if (memchr(text, 0, length))
        return refuse_at(r, event->start_mark, "a text has a NUL byte in it");
    orr_yaml *v = new_value(r, ORR_YAML_SCALAR);
    v->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    v->text = orr_arena_strdup(&r->doc->arena, text, length);
    v->texts = &v->text;
    *out = v;
    return ORR_E_OK;
}

static void append(orr_yaml *parent, orr_yaml ***tail, orr_yaml *child)
{
    **tail = child;
    *tail = &child->next;
    parent->count++;
}

static void gather_texts(orr_yaml_doc *doc, orr_yaml *list)
{
    size_t n = 0;
    for (const orr_yaml *v = list->first; v; v = v->next)
        if (v->kind != ORR_YAML_SCALAR)
            return;
    list->texts = orr_arena_alloc(&doc->arena, (list->count + 1) * sizeof *list->texts);
    for (const orr_yaml *v = list->first; v; v = v->next)
        list->texts[n++] = v->text;
}

static orr_err read_list(reader *r, orr_yaml **out)
{
    orr_err err = refuse_extras(r, r->event.data.sequence_start.anchor, r->event.data.sequence_start.tag);
    if (err)
        return err;
    orr_yaml *list = new_value(r, ORR_YAML_LIST);
    orr_yaml **tail = &list->first;
    for (;;) {
        err = advance(r);
        if (err)
            return err;
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        orr_yaml *element = NULL;
        err = read_value(r, &element);
        if (err)
            return err;
        append(list, &tail, element);
    }
    ends_here(r, list);
    gather_texts(r->doc, list);
    *out = list;
    return ORR_E_OK;
}

/* A key: a scalar not seen in this map before. */
static orr_err read_key(reader *r, orr_names *seen, orr_yaml **out)
{
    yaml_mark_t mark = r->event.start_mark;
    if (r->event.type == YAML_ALIAS_EVENT)
        return read_value(r, out); /* refuses it */
    if (r->event.type != YAML_SCALAR_EVENT)
        return refuse_at(r, mark, "a key must be a plain text");
    orr_err err = read_scalar(r, out);
    if (err)
        return err;
    uint32_t before = orr_names_count(seen);
    orr_names_id(seen, (*out)->text, strlen((*out)->text));
    if (orr_names_count(seen) == before)
        return refuse_at(r, mark, "the key '%.80s' is given twice", (*out)->text);
    return ORR_E_OK;
}

static orr_err read_members(reader *r, orr_yaml *map, orr_names *seen)
{
    orr_yaml **tail = &map->first;
    for (;;) {
        orr_err err = advance(r);
        if (err || r->event.type == YAML_MAPPING_END_EVENT)
            return err;
        orr_yaml *key = NULL, *member = NULL;
        err = read_key(r, seen, &key);
        if (!err)
            err = advance(r);
        if (!err)
            err = read_value(r, &member);
        if (err)
            return err;
        member->key = key->text;
        member->key_line = key->line;
        member->key_column = key->column;
        append(map, &tail, member);
    }
}

static orr_err read_map(reader *r, orr_yaml **out)
{
    orr_err err = refuse_extras(r, r->event.data.mapping_start.anchor, r->event.data.mapping_start.tag);
    if (err)
        return err;
    orr_yaml *map = new_value(r, ORR_YAML_MAP);
    orr_names *seen = orr_names_create();
    err = read_members(r, map, seen);
    orr_names_destroy(seen);
    if (err)
        return err;
    ends_here(r, map);
    *out = map;
    return ORR_E_OK;
}

static orr_err read_nested(reader *r, orr_yaml **out)
{
    if (r->depth >= MAX_DEPTH)
        return refuse_at(r, r->event.start_mark, "nested deeper than %d levels", MAX_DEPTH);
    r->depth++;
    orr_err err = r->event.type == YAML_MAPPING_START_EVENT ? read_map(r, out) : read_list(r, out);
    r->depth--;
    return err;
}

static orr_err read_value(reader *r, orr_yaml **out)
{
    switch (r->event.type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(r, out);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        return read_nested(r, out);
    case YAML_ALIAS_EVENT:
        refuse_at(r, r->event.start_mark, "aliases (*%s) are not used here", (const char *)r->event.data.alias.anchor);
        orr_error_hint(r->e, "write the value out where it is needed");
        return ORR_E_SYNTAX;
    default:
        return refuse_at(r, r->event.start_mark, "a value is missing");
    }
}

/* ---- the document ---- */

static orr_err read_document(reader *r)
{
    orr_err err = advance(r); /* the stream begins */
    if (!err)
        err = advance(r);
    if (!err && r->event.type == YAML_STREAM_END_EVENT) {
        orr_error_set(r->e, ORR_E_EMPTY, "there is nothing in the file");
        orr_error_at(r->e, r->doc->file, 0, 0);
        return ORR_E_EMPTY;
    }
    if (!err)
        err = advance(r); /* the first value */
    if (!err)
        err = read_value(r, &r->doc->root);
    if (!err)
        err = advance(r); /* the document ends */
    if (!err)
        err = advance(r);
    if (!err && r->event.type != YAML_STREAM_END_EVENT)
        err = refuse_at(r, r->event.start_mark, "a second document begins here; one is expected");
    return err;
}

static orr_err check_encoding(const char *file, const char *data, size_t size, orr_error *e)
{
    if (orr_utf8_valid(data, size))
        return ORR_E_OK;
    int line = 1;
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] != '\n')
            continue;
        if (!orr_utf8_valid(data + begin, i - begin))
            break;
        begin = i + 1;
        line++;
    }
    orr_error_set(e, ORR_E_ENCODING, "the text is not UTF-8");
    orr_error_at(e, file, line, 0);
    return ORR_E_ENCODING;
}

orr_err orr_yaml_read(orr_yaml_doc *doc, const char *file, const char *data, size_t size, orr_error *e)
{
    *doc = (orr_yaml_doc){.file = file};
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        size -= 3;
    }
    orr_err err = check_encoding(file, data, size, e);
    if (err)
        return err;
    reader r = {.doc = doc, .e = e};
    if (!yaml_parser_initialize(&r.parser))
        return orr_error_set(e, ORR_E_MEMORY, "out of memory");
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)data, size);
    err = read_document(&r);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return err;
}

/* ---- the command line ---- */

static orr_err inline_member(orr_yaml_doc *doc, const char *item, size_t n, orr_yaml ***tail, orr_error *e)
{
    const char *equals = memchr(item, '=', n);
    if (!equals || equals == item) {
        orr_error_set(e, ORR_E_BAD_VALUE, "'%.*s' has not the form key=value", (int)(n < 80 ? n : 80), item);
        return ORR_E_BAD_VALUE;
    }
    orr_yaml *v = orr_arena_alloc(&doc->arena, sizeof *v);
    v->kind = ORR_YAML_SCALAR;
    v->key = orr_arena_strdup(&doc->arena, item, (size_t)(equals - item));
    v->text = orr_arena_strdup(&doc->arena, equals + 1, n - (size_t)(equals - item) - 1);
    v->texts = &v->text;
    if (orr_yaml_member(doc->root, v->key))
        return orr_yaml_fail_key(doc, v, ORR_E_BAD_VALUE, e, "the key '%.80s' is given twice", v->key);
    append(doc->root, tail, v);
    return ORR_E_OK;
}

orr_err orr_yaml_inline(orr_yaml_doc *doc, const char *text, orr_error *e)
{
    *doc = (orr_yaml_doc){.file = "", .command_line = true};
    if (!orr_utf8_valid(text, strlen(text)))
        return orr_error_set(e, ORR_E_BAD_VALUE, "the text is not UTF-8");
    doc->root = orr_arena_alloc(&doc->arena, sizeof *doc->root);
    doc->root->kind = ORR_YAML_MAP;
    orr_yaml **tail = &doc->root->first;
    for (const char *item = text;;) {
        size_t n = strcspn(item, ",");
        orr_err err = inline_member(doc, item, n, &tail, e);
        if (err)
            return err;
        if (!item[n])
            return ORR_E_OK;
        item += n + 1;
    }
}

void orr_yaml_fini(orr_yaml_doc *doc)
{
    orr_arena_fini(&doc->arena);
    *doc = (orr_yaml_doc){0};
}

const orr_yaml *orr_yaml_member(const orr_yaml *map, const char *key)
{
    for (const orr_yaml *v = map->first; v; v = v->next)
        if (strcmp(v->key, key) == 0)
            return v;
    return NULL;
}
