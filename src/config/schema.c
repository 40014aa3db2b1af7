/* The interpreter of key tables: a loop over the keys given, a switch over types, and a printer. */
#include "config/schema.h"

#include "base/assert.h"
#include <stdio.h>

#define MAX_KEYS 64

static void *member_of(const orr_key *key, void *out)
{
    return (char *)out + key->offset;
}

/* ---- values ---- */

/* "16GiB" where it comes out even, else plain bytes. */
static void format_bytes(int64_t v, char buf[32])
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    while (v && v % 1024 == 0 && unit < 5) {
        v /= 1024;
        unit++;
    }
    snprintf(buf, 32, "%lld%s", (long long)v, units[unit]);
}

static void format_bound(const orr_key *key, int64_t v, char buf[32])
{
    if (key->type == ORR_KEY_BYTES)
        format_bytes(v, buf);
    else
        snprintf(buf, 32, "%lld", (long long)v);
}

static bool parse_number(const orr_key *key, const char *text, int64_t *v)
{
    return key->type == ORR_KEY_BYTES ? orr_parse_bytes(text, v) : orr_parse_i64(text, strlen(text), v);
}

static void write_default(const orr_key *key, void *out)
{
    const char *text = key->fallback ? key->fallback : "";
    int64_t v = 0;
    switch (key->type) {
    case ORR_KEY_TEXT:
        *(const char **)member_of(key, out) = text;
        return;
    case ORR_KEY_INT:
    case ORR_KEY_BYTES:
        ORR_ASSERT(!text[0] || parse_number(key, text, &v), "a default must parse");
        *(int64_t *)member_of(key, out) = v;
        return;
    case ORR_KEY_LIST:
    case ORR_KEY_COUNTS:
        *(const orr_yaml **)member_of(key, out) = NULL;
        return;
    }
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

static orr_err number_in(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, int64_t *n, orr_error *e)
{
    const char *kind = key->type == ORR_KEY_BYTES ? "a size such as 16GiB" : "an integer";
    if (v->kind != ORR_YAML_SCALAR || v->quoted || !parse_number(key, v->text, n))
        return orr_yaml_fail(doc, v, ORR_E_NUMBER, e, "'%.80s' should be %s", v->key, kind);
    if (*n >= key->low && *n <= key->high)
        return ORR_E_OK;
    char low[32], high[32];
    format_bound(key, key->low, low);
    format_bound(key, key->high, high);
    return orr_yaml_fail(doc, v, ORR_E_NUMBER, e, "'%.80s' is out of range: it goes from %s to %s", v->key, low, high);
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
        orr_err err = number_in(key, doc, member, &n, e);
        if (err)
            return err;
    }
    *(const orr_yaml **)member_of(key, out) = v;
    return ORR_E_OK;
}

static const char *shape_name(orr_yaml_kind kind)
{
    return kind == ORR_YAML_SCALAR ? "a single value" : kind == ORR_YAML_LIST ? "a list" : "a map";
}

static orr_yaml_kind shape_of(orr_key_type type)
{
    return type == ORR_KEY_LIST ? ORR_YAML_LIST : type == ORR_KEY_COUNTS ? ORR_YAML_MAP : ORR_YAML_SCALAR;
}

static orr_err read_member(const orr_key *key, const orr_yaml_doc *doc, const orr_yaml *v, void *out, orr_error *e)
{
    if (v->kind != shape_of(key->type))
        return orr_yaml_fail(doc, v, ORR_E_SYNTAX, e, "'%s' should be %s, not %s", v->key,
                             shape_name(shape_of(key->type)), shape_name(v->kind));
    switch (key->type) {
    case ORR_KEY_TEXT:
        return read_text(key, doc, v, out, e);
    case ORR_KEY_INT:
    case ORR_KEY_BYTES:
        return number_in(key, doc, v, member_of(key, out), e);
    case ORR_KEY_LIST:
        return read_list(key, doc, v, out, e);
    case ORR_KEY_COUNTS:
        return read_counts(key, doc, v, out, e);
    }
    return ORR_E_OK;
}

static const orr_key *find_key(const orr_keys *keys, const char *name)
{
    for (const orr_key *key = keys->at; key->name; key++)
        if (strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

static orr_err unknown_key(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *v, orr_error *e)
{
    const char *names[MAX_KEYS];
    size_t n = 0;
    char all[300] = "";
    for (const orr_key *key = keys->at; key->name && n < MAX_KEYS; key++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", n ? ", " : "", key->name);
        names[n++] = key->name;
    }
    orr_err code = orr_yaml_fail_key(doc, v, ORR_E_UNKNOWN_KEY, e, "the key '%.80s' is not known here", v->key);
    const char *nearest = orr_nearest(v->key, names, n);
    if (nearest)
        orr_error_hint(e, "did you mean '%s'?", nearest);
    else
        orr_error_hint(e, "known keys: %s", all);
    return code;
}

static orr_err check_required(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map, orr_error *e)
{
    for (const orr_key *key = keys->at; key->name; key++)
        if (!key->fallback && !orr_yaml_member(map, key->name))
            return orr_yaml_fail(doc, map, ORR_E_SYNTAX, e, "the key '%s' is missing", key->name);
    return ORR_E_OK;
}

orr_err orr_schema_read(const orr_keys *keys, const orr_yaml_doc *doc, const orr_yaml *map, void *out, orr_error *e)
{
    if (map->kind != ORR_YAML_MAP)
        return orr_yaml_fail(doc, map, ORR_E_SYNTAX, e, "a map of keys is expected here, not %s",
                             shape_name(map->kind));
    for (const orr_yaml *v = map->first; v; v = v->next) {
        const orr_key *key = find_key(keys, v->key);
        orr_err err = key ? read_member(key, doc, v, out, e) : unknown_key(keys, doc, v, e);
        if (err)
            return err;
    }
    return check_required(keys, doc, map, e);
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
        return "integer";
    case ORR_KEY_BYTES:
        return "size";
    case ORR_KEY_LIST:
        return "list of maps";
    case ORR_KEY_COUNTS:
        return "map of name to integer";
    }
    return "";
}

static void add_range(const orr_key *key, orr_text *out)
{
    if (key->type == ORR_KEY_TEXT)
        return;
    char low[32], high[32];
    format_bound(key, key->low, low);
    format_bound(key, key->high, high);
    orr_text_addf(out, "%s to %s", low, high);
    if (key->type == ORR_KEY_LIST)
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
