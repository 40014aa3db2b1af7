/* Where a thing is added depends on how its map is written. In brackets: behind its last member. By indentation: on a
 * line of its own below the line on which the last member ends, as far right as the first one. */
#include "study/baseline_update.h"

#include "study/text_edit.h"
#include <math.h>
#include <stdio.h>

typedef struct editor {
    const orr_check *check;
    orr_edits edits;
    orr_update *out;
} editor;

/* ---- places ---- */

static size_t begin_of(const editor *d, const orr_yaml *v)
{
    return orr_edits_offset(&d->edits, v->line, v->column);
}

static bool in_brackets(const editor *d, const orr_yaml *v)
{
    const size_t at = begin_of(d, v);
    return at < d->edits.size && strchr("{[", d->edits.text[at]);
}

static size_t end_of(const editor *d, const orr_yaml *v)
{
    while (v->kind != ORR_YAML_SCALAR && v->first && !in_brackets(d, v))
        for (v = v->first; v->next;)
            v = v->next;
    return orr_edits_offset(&d->edits, v->end_line, v->end_column);
}

static bool is_blank(const orr_yaml *v)
{
    return v->kind == ORR_YAML_SCALAR && !v->quoted && !*v->text;
}

static void add_line(const editor *d, int indent, orr_text *out)
{
    orr_text_addf(out, "%s%*s", orr_edits_break(&d->edits), indent, "");
}

/* ---- texts ---- */

static void add_number(double v, orr_text *out)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(v, buf); /* "null" where undefined */
    orr_text_addf(out, "%s", buf);
}

static void add_numbers(const double *v, size_t n, orr_text *out)
{
    if (n == 1) {
        add_number(v[0], out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        orr_text_addf(out, "%s", i ? ", " : "[");
        add_number(v[i], out);
    }
    orr_text_addf(out, "]");
}

/* In double quotes. */
static void add_quoted(const char *text, orr_text *out)
{
    orr_text_addf(out, "\"");
    for (const char *c = text; *c; c++)
        if (*c == '"' || *c == '\\')
            orr_text_addf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7F)
            orr_text_addf(out, "\\x%02X", (unsigned)*c);
        else
            orr_text_add(out, c, 1);
    orr_text_addf(out, "\"");
}

static bool is_plain(const char *key)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@/+-";
    return *key && !strchr("@:-+", *key) && key[strspn(key, allowed)] == '\0' && key[strlen(key) - 1] != ':';
}

static void add_key(const char *key, orr_text *out)
{
    if (is_plain(key))
        orr_text_addf(out, "%s: ", key);
    else {
        add_quoted(key, out);
        orr_text_addf(out, ": ");
    }
}

/* ---- members ---- */

/* Puts "KEY: VALUE" behind the last member of a map that has some. */
static void append_member(editor *d, const orr_yaml *map, const char *text)
{
    const size_t end = end_of(d, map);
    orr_text t = {0};
    if (in_brackets(d, map)) {
        const orr_yaml *last = map->first;
        while (last && last->next)
            last = last->next;
        orr_text_addf(&t, "%s%s", last ? ", " : "", text);
        orr_edits_insert(&d->edits, last ? end_of(d, last) : end - 1, t.at);
    } else {
        add_line(d, map->first->key_column - 1, &t);
        orr_text_addf(&t, "%s", text);
        orr_edits_insert(&d->edits, orr_edits_line_end(&d->edits, end), t.at);
    }
    orr_text_fini(&t);
}

/* "KEY: VALUE" members, for a map that isn't there yet. */
typedef ORR_VEC(char *) members;

static void members_fini(members *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->at[i]);
    ORR_VEC_FREE(m);
}

/* `indent` < 0: in brackets. */
static void add_map(const editor *d, const members *m, int indent, orr_text *out)
{
    for (size_t i = 0; i < m->n; i++) {
        if (indent >= 0)
            add_line(d, indent, out);
        else
            orr_text_addf(out, "%s", i ? ", " : "{");
        orr_text_addf(out, "%s", m->at[i]);
    }
    if (indent < 0)
        orr_text_addf(out, "}");
}

/* Adds a map of this name to the map `parent`, which may have the bare name already. */
static void append_map(editor *d, const orr_yaml *parent, const char *key, const members *m)
{
    const orr_yaml *bare = orr_yaml_member(parent, key);
    const bool flow = in_brackets(d, parent);
    const int indent = flow ? -1 : parent->first->key_column + 1;
    orr_text t = {0};
    if (!bare)
        orr_text_addf(&t, "%s:%s", key, flow ? " " : "");
    else if (flow)
        orr_text_addf(&t, " ");
    add_map(d, m, indent, &t);
    if (!bare)
        append_member(d, parent, t.at);
    else
        orr_edits_insert(&d->edits, flow ? begin_of(d, bare) : orr_edits_line_end(&d->edits, begin_of(d, bare)), t.at);
    orr_text_fini(&t);
}

static void replace_map(editor *d, const orr_yaml *map, const members *m)
{
    orr_text t = {0};
    add_map(d, m, -1, &t);
    orr_edits_replace(&d->edits, begin_of(d, map), end_of(d, map), t.at);
    orr_text_fini(&t);
}

/* ---- numbers ---- */

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

static void replace_scalar(editor *d, const orr_yaml *v, double number)
{
    orr_text t = {0};
    if (is_blank(v))
        orr_text_addf(&t, " ");
    add_number(number, &t);
    orr_edits_replace(&d->edits, begin_of(d, v), end_of(d, v), t.at);
    orr_text_fini(&t);
}

static void replace_whole(editor *d, const orr_yaml *v, const double *got, size_t n)
{
    orr_text t = {0};
    /* A list by indentation may stand right below its key, what is in brackets may not. */
    if (v->kind == ORR_YAML_LIST && !in_brackets(d, v))
        orr_text_addf(&t, "  ");
    add_numbers(got, n, &t);
    orr_edits_replace(&d->edits, begin_of(d, v), end_of(d, v), t.at);
    orr_text_fini(&t);
}

static void update_number(editor *d, const orr_check_number *x, size_t seeds)
{
    const orr_expected *w = x->expected;
    const orr_yaml *v = w->value;
    bool changed = w->n != seeds;
    for (size_t i = 0; i < seeds && !changed; i++)
        changed = !same(w->values[i], x->got[i]);
    if (!changed)
        return;
    d->out->numbers++;
    if (w->n != seeds || (seeds == 1 && v->kind == ORR_YAML_SCALAR && !is_blank(v))) {
        replace_whole(d, v, x->got, seeds);
        return;
    }
    if (v->kind == ORR_YAML_SCALAR) {
        replace_scalar(d, v, x->got[0]);
        return;
    }
    const orr_yaml *element = v->first;
    for (size_t i = 0; i < seeds; i++, element = element->next)
        if (!same(w->values[i], x->got[i]))
            replace_scalar(d, element, x->got[i]);
}

static void update_numbers(editor *d, const orr_check_case *k)
{
    const size_t seeds = k->from->seeds.n;
    members fresh = {0};
    for (size_t i = 0; i < k->numbers.n; i++) {
        const orr_check_number *x = &k->numbers.at[i];
        orr_text t = {0};
        if (x->expected) {
            update_number(d, x, seeds);
            continue;
        }
        add_key(x->key, &t);
        add_numbers(x->got, seeds, &t);
        ORR_VEC_PUSH(&fresh, t.at);
    }
    d->out->numbers += fresh.n;
    if (fresh.n && k->from->expect_at) /* {} */
        replace_map(d, k->from->expect_at, &fresh);
    else if (fresh.n)
        append_map(d, k->from->at, "expect", &fresh);
    members_fini(&fresh);
}

/* ---- inputs ---- */

static void list_inputs(const orr_check_case *k, members *out)
{
    for (size_t i = 0; i < k->inputs.n; i++) {
        orr_text t = {0};
        add_key(k->inputs.at[i].name, &t);
        orr_text_addf(&t, "%s", k->inputs.at[i].digest);
        ORR_VEC_PUSH(out, t.at);
    }
}

/* The same names in whatever order: digests are replaced where they stand. */
static bool same_names(const orr_check_case *k)
{
    const orr_baseline_case *from = k->from;
    size_t found = 0;
    for (size_t i = 0; i < k->inputs.n; i++)
        for (size_t n = 0; n < from->inputs.n; n++)
            found += strcmp(from->inputs.at[n].name, k->inputs.at[i].name) == 0;
    return found == k->inputs.n && found == from->inputs.n;
}

static void update_digests(editor *d, const orr_check_case *k)
{
    for (size_t i = 0; i < k->inputs.n; i++)
        for (size_t n = 0; n < k->from->inputs.n; n++) {
            const orr_baseline_input *then = &k->from->inputs.at[n];
            const orr_check_input *now = &k->inputs.at[i];
            if (strcmp(then->name, now->name) != 0 || strcmp(then->digest, now->digest) == 0)
                continue;
            orr_edits_replace(&d->edits, begin_of(d, then->at), end_of(d, then->at), now->digest);
            d->out->inputs++;
        }
}

static void update_inputs(editor *d, const orr_check_case *k)
{
    const orr_yaml *map = k->from->inputs_at;
    members all = {0};
    if (map && same_names(k)) {
        update_digests(d, k);
        return;
    }
    list_inputs(k, &all);
    d->out->inputs += all.n;
    if (map)
        replace_map(d, map, &all);
    else
        append_map(d, k->from->at, "inputs", &all);
    members_fini(&all);
}

/* ---- real time ---- */

static void update_wall(editor *d, const orr_check_case *k)
{
    const orr_baseline_case *from = k->from;
    orr_text kind = {0}, run = {0};
    if (k->wall_s <= 0)
        return;
    add_quoted(d->check->machine, &kind);
    d->out->times++;
    if (from->wall.key) {
        replace_scalar(d, from->wall.at, k->wall_s);
        orr_edits_replace(&d->edits, begin_of(d, from->wall_class_at), end_of(d, from->wall_class_at), kind.at);
    } else {
        members all = {0};
        orr_text_addf(&run, "run_s: ");
        add_number(k->wall_s, &run);
        ORR_VEC_PUSH(&all, orr_xstrdup(run.at));
        orr_text_clear(&run);
        orr_text_addf(&run, "class: %s", kind.at);
        ORR_VEC_PUSH(&all, orr_xstrdup(run.at));
        append_map(d, from->at, "wall", &all);
        members_fini(&all);
    }
    orr_text_fini(&run);
    orr_text_fini(&kind);
}

/* What fills a bare `expect:` comes right below it, before anything is added behind. */
static void update_case(editor *d, const orr_check_case *k)
{
    const bool bare = !k->from->expect_at && orr_yaml_member(k->from->at, "expect");
    if (bare)
        update_numbers(d, k);
    update_inputs(d, k);
    if (!bare)
        update_numbers(d, k);
    update_wall(d, k);
}

/* ---- the log ---- */

static void add_entry(const editor *d, const orr_update_note *note, int indent, orr_text *out)
{
    const char *const keys[] = {"date", "commit", "reason"};
    const char *const values[] = {note->date, note->commit, note->reason};
    for (size_t i = 0; i < 3; i++) {
        if (indent >= 0) {
            add_line(d, indent, out);
            orr_text_addf(out, "%s", i ? "  " : "- ");
        } else {
            orr_text_addf(out, "%s", i ? ", " : "{");
        }
        orr_text_addf(out, "%s: ", keys[i]);
        add_quoted(values[i], out);
    }
    orr_text_addf(out, "%s", indent < 0 ? "}" : "");
}

static void append_entry(editor *d, const orr_yaml *list, const orr_update_note *note)
{
    const bool flow = in_brackets(d, list);
    const size_t end = end_of(d, list);
    orr_text t = {0};
    if (flow)
        orr_text_addf(&t, "%s", list->first ? ", " : "");
    add_entry(d, note, flow ? -1 : list->column - 1, &t);
    orr_edits_insert(&d->edits, flow ? end - 1 : orr_edits_line_end(&d->edits, end), t.at);
    orr_text_fini(&t);
}

static void log_update(editor *d, const orr_update_note *note)
{
    const orr_baseline *b = d->check->baseline;
    const orr_yaml *root = b->doc.root, *bare = orr_yaml_member(root, "updates");
    const bool flow = in_brackets(d, root);
    orr_text t = {0};
    if (b->updates) {
        append_entry(d, b->updates, note);
        return;
    }
    orr_text_addf(&t, "%s%s", bare ? "" : "updates:", flow ? " [" : "");
    add_entry(d, note, flow ? -1 : root->first->key_column + 1, &t);
    orr_text_addf(&t, "%s", flow ? "]" : "");
    if (bare)
        orr_edits_insert(&d->edits, orr_edits_line_end(&d->edits, begin_of(d, bare)), t.at);
    else
        append_member(d, root, t.at);
    orr_text_fini(&t);
}

/* ---- the proof ---- */

static bool holds(const orr_check_case *k, const orr_baseline_case *now)
{
    if (now->expect.n != k->numbers.n || now->inputs.n != k->inputs.n)
        return false;
    for (size_t i = 0; i < k->numbers.n; i++) {
        const orr_check_number *x = &k->numbers.at[i];
        const orr_expected *w = &now->expect.at[i];
        bool equal = w->n == k->from->seeds.n && strcmp(w->key, x->key) == 0;
        for (size_t s = 0; equal && s < w->n; s++)
            equal = same(w->values[s], x->got[s]);
        if (!equal)
            return false;
    }
    return true;
}

static orr_err read_again(const orr_check *c, const orr_text *text, orr_error *e)
{
    orr_baseline now;
    orr_error why = {0};
    orr_err err = orr_baseline_parse(&now, c->file, text->at, text->n, &why);
    if (!err && now.cases.n != c->n)
        err = ORR_E_SYNTAX;
    for (size_t i = 0; i < c->n && !err; i++)
        if (c->cases[i].selected && !holds(&c->cases[i], &now.cases.at[i]))
            err = ORR_E_SYNTAX;
    orr_baseline_fini(&now);
    if (!err)
        return ORR_OK;
    orr_error_set(e, ORR_E_SYNTAX, "the file has a form that can't be edited in place");
    orr_error_at(e, c->file, 0, 0);
    if (why.code)
        orr_error_hint(e, "its line %d would be wrong: %s", why.line, why.message);
    else
        orr_error_hint(e, "write maps and lists with a key or an element a line");
    return ORR_E_SYNTAX;
}

/* ---- the whole ---- */

orr_err orr_baseline_update(const orr_check *c, const orr_update_note *note, orr_update *out, orr_error *e)
{
    editor d = {.check = c, .out = out};
    *out = (orr_update){0};
    orr_edits_init(&d.edits, c->baseline->text, c->baseline->size);
    for (size_t i = 0; i < c->n; i++) {
        if (!c->cases[i].selected)
            continue;
        update_case(&d, &c->cases[i]);
    }
    if (out->numbers + out->inputs + out->times)
        log_update(&d, note);
    orr_edits_apply(&d.edits, &out->text);
    orr_edits_fini(&d.edits);
    return read_again(c, &out->text, e);
}

void orr_update_fini(orr_update *update)
{
    orr_text_fini(&update->text);
}
