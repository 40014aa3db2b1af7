/* The interpreter of key tables: a loop over the keys given, a switch over types, and a printer. */
#include "config/schema.h"

#include "base/assert.h"
#include "config/schema_value.h"
#include <stdio.h>

#define MAX_KEYS 128

static void *member_of(const orr_key *key, void *out)
{
    return (char *)out + key->offset;
}

/* ---- defaults ---- */

typedef ORR_VEC(const char *) name_list;

static void write_scalar(const orr_key *key, const char *text, void *member)
{
    char why[ORR_VALUE_WHY];
    const bool ok = orr_value_parse(key, text, member, why);
    ORR_ASSERT(ok, "a default must parse");
}

static size_t size_of(orr_key_type type)
{
    switch (type) {
    case ORR_KEY_BOOL:
        return sizeof(bool);
    case ORR_KEY_CHOICE:
        return sizeof(int32_t);
    case ORR_KEY_NAMES:
        return sizeof(name_list);
    case ORR_KEY_REAL:
    case ORR_KEY_SECONDS:
    case ORR_KEY_RATE:
        return sizeof(double);
    case ORR_KEY_INT:
    case ORR_KEY_BYTES:
    case ORR_KEY_BANDWIDTH:
    case ORR_KEY_NATURAL:
    case ORR_KEY_DURATION:
        return sizeof(int64_t);
    case ORR_KEY_TEXT:
    case ORR_KEY_LIST:
    case ORR_KEY_COUNTS:
    case ORR_KEY_TEXTS:
    case ORR_KEY_MAP:
    case ORR_KEY_ANY:
        return sizeof(void *);
    }
    return 0;
}

static void write_default(const orr_key *key, void *out)
{
    const char *text = key->fallback ? key->fallback : "";
    void *member = member_of(key, out);
    memset(member, 0, size_of(key->type));
    if (key->type == ORR_KEY_TEXT)
        *(const char **)member = text;
    else if (text[0] && orr_value_is_scalar(key->type))
        write_scalar(key, text, member);
}

void orr_schema_copy(const orr_key *key, void *out, const void *from)
{
    memcpy(member_of(key, out), (const char *)from + key->offset, size_of(key->type));
}

void orr_schema_defaults(const orr_keys *keys, void *out)
{
    for (const orr_key *key = keys->at; key->name; key++)
        write_default(key, out);
}

/* ---- reading ---- */

static orr_err read_text(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    bool nothing = !v->text[0] || (!v->quoted && strcmp(v->text, "~") == 0);
    if (nothing && !v->quoted)
        return orr_yaml_fail_key(doc, v, ORR_E_SYNTAX, e, "'%s' has no value", v->key);
    *(const char **)member_of(key, out) = v->text;
    return ORR_E_OK;
}

/* A value of a scalar type, or one of a map of counts. */
static orr_err read_scalar(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *member, orr_error *e)
{
    char why[ORR_VALUE_WHY] = "should be an integer";
    const bool may_be = v->kind == ORR_YAML_SCALAR && (!v->quoted || key->type == ORR_KEY_CHOICE);
    if (may_be && orr_value_parse(key, v->text, member, why))
        return ORR_E_OK;
    if (v->quoted && !may_be)
        snprintf(why, sizeof why, "should stand without quotes");
    return orr_yaml_fail(doc, v, ORR_E_NUMBER, e, "'%.80s' %s", v->key, why);
}

static orr_err read_list(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    if (v->count < (size_t)key->low || v->count > (size_t)key->high)
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "'%s' has %zu elements; %lld to %lld are possible", v->key,
                             v->count, (long long)key->low, (long long)key->high);
    for (const orr_yaml *element = v->first; element; element = element->next)
        if (element->kind != ORR_YAML_MAP)
            return orr_yaml_fail(doc, element, ORR_E_SYNTAX, e, "an element of '%s' should be a map", v->key);
    *(const orr_yaml **)member_of(key, out) = v;
    return ORR_E_OK;
}

static orr_err read_counts(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    int64_t n = 0;
    for (const orr_yaml *member = v->first; member; member = member->next) {
        orr_err err = read_scalar(key, doc, member, &n, e);
        if (err)
            return err;
    }
    *(const orr_yaml **)member_of(key, out) = v;
    return ORR_E_OK;
}

/* A scalar stands for the list of it alone. */
static orr_err read_texts(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    if (v->kind == ORR_YAML_LIST && (v->count < (size_t)key->low || v->count > (size_t)key->high))
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "'%s' has %zu elements; %lld to %lld are possible", v->key,
                             v->count, (long long)key->low, (long long)key->high);
    for (const orr_yaml *element = v->first; element; element = element->next)
        if (element->kind != ORR_YAML_SCALAR)
            return orr_yaml_fail(doc, element, ORR_E_SYNTAX, e, "an element of '%s' should be a text", v->key);
    *(const orr_yaml **)member_of(key, out) = v;
    return ORR_E_OK;
}

/* Texts with blanks are named in a list, so that nobody takes one for two. */
static orr_err read_names(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    if (!v->texts)
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "'%s' should be a list of texts", v->key);
    if (v->kind == ORR_YAML_SCALAR && (!v->text[0] || strchr(v->text, ' ')))
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "'%s' should be one text without blanks, or a list", v->key);
    *(name_list *)member_of(key, out) =
        (name_list){.at = v->texts, .n = v->kind == ORR_YAML_SCALAR ? 1 : v->count};
    return ORR_E_OK;
}

static const char *shape_name(orr_yaml_kind kind)
{
    return kind == ORR_YAML_SCALAR ? "a single value" : kind == ORR_YAML_LIST ? "a list" : "a map";
}

static orr_yaml_kind shape_of(orr_key_type type)
{
    if (type == ORR_KEY_LIST)
        return ORR_YAML_LIST;
    return type == ORR_KEY_COUNTS || type == ORR_KEY_MAP ? ORR_YAML_MAP : ORR_YAML_SCALAR;
}

static bool takes_both(orr_key_type type)
{
    return type == ORR_KEY_TEXTS || type == ORR_KEY_NAMES;
}

static orr_err read_member(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    const bool either = key->type == ORR_KEY_ANY || (takes_both(key->type) && v->kind == ORR_YAML_LIST);
    if (v->kind != shape_of(key->type) && !either)
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "'%s' should be %s, not %s", v->key,
                             shape_name(shape_of(key->type)), shape_name(v->kind));
    switch (key->type) {
    case ORR_KEY_TEXT:
        return read_text(key, doc, v, out, e);
    case ORR_KEY_LIST:
        return read_list(key, doc, v, out, e);
    case ORR_KEY_COUNTS:
        return read_counts(key, doc, v, out, e);
    case ORR_KEY_TEXTS:
        return read_texts(key, doc, v, out, e);
    case ORR_KEY_NAMES:
        return read_names(key, doc, v, out, e);
    case ORR_KEY_MAP:
    case ORR_KEY_ANY:
        *(const orr_yaml **)member_of(key, out) = v;
        return ORR_E_OK;
    default:
        return read_scalar(key, doc, v, member_of(key, out), e);
    }
}

const orr_key *orr_schema_find(const orr_keys *keys, const char *name)
{
    for (const orr_key *key = keys->at; key->name; key++)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

/* Says which name was meant, or which there are. */
static void hint_names(const orr_keys *keys, const char *const *others, const char *wrong, orr_error *e)
{
    const char *names[MAX_KEYS];
    size_t n = 0;
    orr_text all = {0};
    for (; others && others[n] && n < MAX_KEYS / 2; n++)
        names[n] = others[n];
    for (const orr_key *key = keys->at; key->name && n < MAX_KEYS; key++)
        names[n++] = key->name;
    for (size_t i = 0; i < n; i++)
        orr_text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    const char *nearest = orr_nearest(wrong, names, n);
    if (nearest)
        orr_error_hint(e, "did you mean '%s'?", nearest);
    else
        orr_error_hint(e, "known keys: %s", all.at);
    orr_text_fini(&all);
}

static orr_err unknown_key(const orr_keys *keys, const char *const *others, const orr_yaml_doc *doc, const orr_yaml *v,
                           orr_error *e)
{
    orr_err code = orr_yaml_fail_key(doc, v, ORR_E_UNKNOWN_KEY, e, "the key '%.80s' is not known here", v->key);
    hint_names(keys, others, v->key, e);
    return code;
}

static orr_err check_required(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map, orr_error *e)
{
    for (const orr_key *key = keys->at; key->name; key++)
        if (!key->fallback && !orr_yaml_member(map, key->name))
            return orr_yaml_fail(doc, map, ORR_E_SYNTAX, e, "the key '%s' is missing", key->name);
    return ORR_E_OK;
}

static bool is_among(const char *name, const char *const *list)
{
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static orr_err read_one(const orr_keys *keys, const char *const *others, const orr_yaml_doc *doc, const orr_yaml *v,
                        void *out, orr_error *e)
{
    const orr_key *key = orr_schema_find(keys, v->key);
    if (is_among(v->key, others))
        return ORR_E_OK;
    return key ? read_member(key, doc, v, out, e) : unknown_key(keys, others, doc, v, e);
}

orr_err orr_schema_read_beside(const orr_keys *keys, const char *const *others, const orr_yaml_doc *doc,
                               const orr_yaml *map, void *out, orr_error *e)
{
    if (map->kind != ORR_YAML_MAP)
        return orr_yaml_fail(doc, map, ORR_E_SYNTAX, e, "a map of keys is expected here, not %s",
                             shape_name(map->kind));
    for (const orr_yaml *v = map->first; v; v = v->next) {
        const orr_err err = read_one(keys, others, doc, v, out, e);
        if (err)
            return err;
    }
    return check_required(keys, doc, map, e);
}

orr_err orr_schema_read(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map, void *out, orr_error *e)
{
    return orr_schema_read_beside(keys, NULL, doc, map, out, e);
}

/* ---- one value by its text ---- */

static orr_err bad_value(const char *name, const char *value, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "'%.80s' %s", name, why);
    orr_error_text(e, value, strlen(value));
    return ORR_E_BAD_VALUE;
}

static orr_err set_names(const orr_key *key, orr_arena *arena, const char *value, void *out, orr_error *e)
{
    name_list list = {0};
    if (!orr_value_split(value, arena, &list.at, &list.n))
        return bad_value(key->name, value, "has a quote that isn't closed", e);
    *(name_list *)member_of(key, out) = list;
    return ORR_E_OK;
}

orr_err orr_schema_set(const orr_keys *keys, orr_arena *arena, const char *name, const char *value, void *out,
                       orr_error *e)
{
    char why[ORR_VALUE_WHY] = "can't be set by a text";
    const orr_key *key = orr_schema_find(keys, name);
    if (!key) {
        orr_error_set(e, ORR_E_UNKNOWN_KEY, "the key '%.80s' is not known here", name);
        hint_names(keys, NULL, name, e);
        return ORR_E_UNKNOWN_KEY;
    }
    if (key->type == ORR_KEY_TEXT)
        return *(const char **)member_of(key, out) = orr_arena_strdup(arena, value, strlen(value)), ORR_E_OK;
    if (key->type == ORR_KEY_NAMES)
        return set_names(key, arena, value, out, e);
    if (orr_value_is_scalar(key->type) && orr_value_parse(key, value, member_of(key, out), why))
        return ORR_E_OK;
    return bad_value(name, value, why, e);
}

int64_t orr_schema_count(const orr_yaml *member)
{
    int64_t n = 0;
    bool ok = orr_parse_i64(member->text, strlen(member->text), &n);
    ORR_ASSERT(ok, "counts were checked when they were read");
    return n;
}

/* ---- documentation ---- */

static const char *type_name(orr_key_type type)
{
    switch (type) {
    case ORR_KEY_TEXT:
        return "text";
    case ORR_KEY_INT:
    case ORR_KEY_NATURAL:
        return "integer";
    case ORR_KEY_BYTES:
        return "size";
    case ORR_KEY_BANDWIDTH:
        return "bandwidth";
    case ORR_KEY_LIST:
        return "list of maps";
    case ORR_KEY_COUNTS:
        return "map of name to integer";
    case ORR_KEY_REAL:
        return "number";
    case ORR_KEY_SECONDS:
        return "duration";
    case ORR_KEY_RATE:
        return "rate";
    case ORR_KEY_ANY:
        return "see there";
    case ORR_KEY_TEXTS:
    case ORR_KEY_NAMES:
        return "text or list of texts";
    case ORR_KEY_MAP:
        return "map";
    case ORR_KEY_BOOL:
        return "switch";
    case ORR_KEY_DURATION:
        return "duration";
    case ORR_KEY_CHOICE:
        return "choice";
    }
    return "";
}

static void add_choices(const char *choices, orr_text *out)
{
    for (const char *c = choices; *c; c++) {
        if (*c == '|')
            orr_text_addf(out, ", ");
        else
            orr_text_add(out, c, 1);
    }
}

static void add_range(const orr_key *key, orr_text *out)
{
    if (key->type == ORR_KEY_CHOICE)
        add_choices(key->each, out);
    if (key->type == ORR_KEY_TEXT || key->type == ORR_KEY_MAP || key->type == ORR_KEY_ANY || (!key->low && !key->high))
        return;
    char low[ORR_TIME_BUF], high[ORR_TIME_BUF];
    orr_value_bound(key, key->low, low);
    orr_value_bound(key, key->high, high);
    orr_text_addf(out, "%s to %s", low, high);
    if (key->type == ORR_KEY_LIST || key->type == ORR_KEY_TEXTS)
        orr_text_addf(out, " elements");
    if (key->type == ORR_KEY_COUNTS)
        orr_text_addf(out, " each");
}

static void add_row(const orr_key *key, orr_text *out)
{
    orr_text_addf(out, "| `%s` | %s | ", key->name, type_name(key->type));
    if (!key->fallback)
        orr_text_addf(out, "required");
    else if (key->fallback[0])
        orr_text_addf(out, "`%s`", key->fallback);
    orr_text_addf(out, " | ");
    add_range(key, out);
    orr_text_addf(out, " | %s |\n", key->doc);
}

void orr_schema_markdown(const orr_keys *keys, orr_text *out)
{
    orr_text_addf(out, "### %s\n\n%s\n\n| key | type | default | range | meaning |\n|---|---|---|---|---|\n",
                  keys->title, keys->doc);
    for (const orr_key *key = keys->at; key->name; key++)
        add_row(key, out);
}
