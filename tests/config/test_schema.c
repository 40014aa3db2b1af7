/* The table interpreter on a table of its own, and that configs/README.md is what the tables say. */
#include "given.h"

#include "config/presets.h"
#include "config/reader.h"
#include "config/schema.h"
#include <stdio.h>

typedef struct thing {
    const char *title;
    int64_t number, size;
    const orr_yaml *parts, *counts;
} thing;

static const orr_key part_keys[] = {{"id", ORR_KEY_INT, 0, "7", 0, 9, "An id.", NULL}, {0}};
static const orr_keys parts = {"Part", "Of a thing.", part_keys};
static const orr_key thing_keys[] = {
    {"title", ORR_KEY_TEXT, offsetof(thing, title), NULL, 0, 0, "Its title.", NULL},
    {"number", ORR_KEY_INT, offsetof(thing, number), "3", -5, 5, "A number.", NULL},
    {"size", ORR_KEY_BYTES, offsetof(thing, size), "1KiB", 0, 1 << 20, "A size.", NULL},
    {"parts", ORR_KEY_LIST, offsetof(thing, parts), "", 1, 2, "Its parts.", &parts},
    {"counts", ORR_KEY_COUNTS, offsetof(thing, counts), "", 1, 4, "Some counts.", NULL},
    {0},
};
static const orr_keys things = {"Thing", "For a test.", thing_keys};

static orr_err read_thing(const char *text, orr_yaml_doc *doc, thing *out, orr_error *e)
{
    orr_err err = orr_yaml_read(doc, "thing", text, strlen(text), e);
    orr_schema_defaults(&things, out);
    return err ? err : orr_schema_read(&things, doc, doc->root, out, e);
}

static void defaults_then_what_is_given(void **state)
{
    (void)state;
    orr_yaml_doc doc = {0};
    thing t;
    assert_int_equal(read_thing("title: x\nnumber: -5\n", &doc, &t, NULL), 0);
    assert_string_equal(t.title, "x");
    assert_int_equal(t.number, -5);
    assert_int_equal(t.size, 1024);
    assert_null(t.parts);
    orr_yaml_fini(&doc);
    /* a second layer leaves alone what it does not give */
    t.number = 4;
    static const char more[] = "title: y\ncounts: {a: 1, b: 4}\nparts: [{}, {id: 2}]\n";
    assert_int_equal(orr_yaml_read(&doc, "thing", more, strlen(more), NULL), 0);
    assert_int_equal(orr_schema_read(&things, &doc, doc.root, &t, NULL), 0);
    assert_int_equal(t.number, 4);
    assert_int_equal(t.parts->count, 2);
    assert_string_equal(t.counts->first->next->key, "b");
    assert_int_equal(orr_schema_count(t.counts->first->next), 4);
    orr_yaml_fini(&doc);
}

static void errors_say_where(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"missing", "number: 1\n", ORR_E_SYNTAX, 1, 1, "'title' is missing", NULL},
        {"unknown", "title: x\nnumbr: 1\n", ORR_E_UNKNOWN_KEY, 2, 1, "'numbr'", "did you mean 'number'?"},
        {"range", "title: x\nnumber: 6\n", ORR_E_NUMBER, 2, 9, "from -5 to 5", NULL},
        {"size range", "title: x\nsize: 2MiB\n", ORR_E_NUMBER, 2, 7, "from 0 to 1MiB", NULL},
        {"too many", "title: x\nparts: [{}, {}, {}]\n", ORR_E_SYNTAX, 2, 8, "3 elements", NULL},
        {"count", "title: x\ncounts: {a: 5}\n", ORR_E_NUMBER, 2, 13, "'a' is out of range", NULL},
        {"count of maps", "title: x\ncounts: {a: {b: 1}}\n", ORR_E_NUMBER, 2, 13, "'a'", NULL},
        {"counts as list", "title: x\ncounts: [1]\n", ORR_E_SYNTAX, 2, 9, "a map, not a list", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_yaml_doc doc = {0};
        orr_error e = {0};
        thing t;
        orr_err err = read_thing(cases[i].input, &doc, &t, &e);
        orr_yaml_fini(&doc);
        if (err != cases[i].code || e.line != cases[i].line || e.column != cases[i].column ||
            !strstr(e.message, cases[i].message) || (cases[i].hint && !strstr(e.hint, cases[i].hint)))
            fail_msg("%s: %d:%d %s [%s]", cases[i].name, e.line, e.column, e.message, orr_err_name(err));
        assert_string_equal(e.file, "thing");
    }
}

static void a_table_prints_itself(void **state)
{
    (void)state;
    orr_text text = {0};
    orr_schema_markdown(&things, &text);
    assert_string_equal(text.at, "### Thing\n\nFor a test.\n\n"
                                 "| key | type | default | range | meaning |\n|---|---|---|---|---|\n"
                                 "| `title` | text | required |  | Its title. |\n"
                                 "| `number` | integer | `3` | -5 to 5 | A number. |\n"
                                 "| `size` | size | `1KiB` | 0 to 1MiB | A size. |\n"
                                 "| `parts` | list of maps |  | 1 to 2 elements | Its parts. |\n"
                                 "| `counts` | map of name to integer |  | 1 to 4 each | Some counts. |\n");
    orr_text_fini(&text);
}

/* ---- configs/README.md ---- */

#define README ORR_SOURCE_DIR "/configs/README.md"

static void presets_markdown(orr_text *out)
{
    char **names;
    size_t n = orr_preset_names(orr_preset_dir(), &names);
    orr_text_addf(out, "| preset | nodes | GPUs of a node | type |\n|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        orr_cluster_spec *spec = must_load(names[i], NULL);
        const orr_node_spec *node = orr_cluster_spec_node(spec, 0);
        orr_text_addf(out, "| [`%s`](clusters/%s.yaml) | %d | %d | %s |\n", names[i], names[i],
                      orr_cluster_spec_nodes(spec), node->gpus, node->gpu_type);
        orr_cluster_spec_destroy(spec);
    }
    orr_preset_names_free(names, n);
}

static char *read_file(const char *path)
{
    static char text[65536];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

/* What stands between `<!-- NAME begins -->` and `<!-- NAME ends -->`, replaced by `body`. */
static void put_part(orr_text *out, const char **rest, const char *name, const orr_text *body)
{
    char begin[64], end[64];
    snprintf(begin, sizeof begin, "<!-- %s begins -->\n", name);
    snprintf(end, sizeof end, "<!-- %s ends -->", name);
    const char *at = strstr(*rest, begin);
    if (!at || !strstr(at, end)) {
        fail_msg("%s lacks the part '%s'", README, name);
        return;
    }
    orr_text_add(out, *rest, (size_t)(at - *rest) + strlen(begin));
    orr_text_add(out, body->at, body->n);
    *rest = strstr(at, end);
}

/* ORRERY_UPDATE_DOCS=1 writes the page instead of comparing it. */
static void the_page_is_what_the_tables_say(void **state)
{
    (void)state;
    const char *page = read_file(README), *rest = page;
    orr_text want = {0}, keys = {0}, formats = {0}, presets = {0};
    orr_cluster_formats_markdown(&formats);
    presets_markdown(&presets);
    orr_cluster_keys_markdown(&keys);
    put_part(&want, &rest, "formats", &formats);
    put_part(&want, &rest, "presets", &presets);
    put_part(&want, &rest, "keys", &keys);
    orr_text_add(&want, rest, strlen(rest));
    if (getenv("ORRERY_UPDATE_DOCS")) {
        FILE *f = fopen(README, "wb");
        assert_non_null(f);
        fputs(want.at, f);
        fclose(f);
    } else if (strcmp(page, want.at) != 0) {
        fail_msg("%s differs from the tables; ORRERY_UPDATE_DOCS=1 with this test writes it anew", README);
    }
    orr_text_fini(&want);
    orr_text_fini(&keys);
    orr_text_fini(&formats);
    orr_text_fini(&presets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_then_what_is_given),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(a_table_prints_itself),
        cmocka_unit_test(the_page_is_what_the_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
