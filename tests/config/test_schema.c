/* The table interpreter on a table of its own, and that configs/README.md is what the tables say. */
#include "given.h"

#include "config/scenario_keys.h"
#include "config/presets.h"
#include "config/applications.h"
#include "config/profiles.h"
#include "config/reader.h"
#include "config/schema.h"
#include "config/services.h"
#include "study/experiment.h"
#include <stdio.h>

enum { BLUE = 1 };

typedef struct thing {
    const char *title;
    bool ready;
    uint64_t big;
    orr_time wait;
    int32_t color;
    ORR_VEC(const char *) tags;
    int64_t number, size;
    const orr_yaml *parts, *counts, *names, *rest, *any;
    double share, step, rate;
} thing;

static const orr_key part_keys[] = {{"id", ORR_KEY_INT, 0, "7", 0, 9, "An id.", NULL}, {0}};
static const orr_keys parts = {"Part", "Of a thing.", part_keys};
static const orr_key thing_keys[] = {
    {"title", ORR_KEY_TEXT, offsetof(thing, title), NULL, 0, 0, "Its title.", NULL},
    {"number", ORR_KEY_INT, offsetof(thing, number), "3", -5, 5, "A number.", NULL},
    {"size", ORR_KEY_BYTES, offsetof(thing, size), "1KiB", 0, 1 << 20, "A size.", NULL},
    {"parts", ORR_KEY_LIST, offsetof(thing, parts), "", 1, 2, "Its parts.", &parts},
    {"counts", ORR_KEY_COUNTS, offsetof(thing, counts), "", 1, 4, "Some counts.", NULL},
    {"share", ORR_KEY_REAL, offsetof(thing, share), "0.5", -1, 1, "A share.", NULL},
    {"names", ORR_KEY_TEXTS, offsetof(thing, names), "", 1, 2, "Its names.", NULL},
    {"rest", ORR_KEY_MAP, offsetof(thing, rest), "", 0, 0, "What else.", NULL},
    {"ready", ORR_KEY_BOOL, offsetof(thing, ready), "off", 0, 0, "Whether.", NULL},
    {"big", ORR_KEY_NATURAL, offsetof(thing, big), "3", 0, 0, "How many.", NULL},
    {"wait", ORR_KEY_DURATION, offsetof(thing, wait), "inf", 0, 0, "How long.", NULL},
    {"color", ORR_KEY_CHOICE, offsetof(thing, color), "blue", 0, 0, "Which.", "red|blue|green"},
    {"tags", ORR_KEY_NAMES, offsetof(thing, tags), "", 0, 0, "Words.", NULL},
    {"step", ORR_KEY_SECONDS, offsetof(thing, step), "5ms", 0, 60, "A time.", NULL},
    {"rate", ORR_KEY_RATE, offsetof(thing, rate), "3/min", 0, 100, "How often.", NULL},
    {"any", ORR_KEY_ANY, offsetof(thing, any), "", 0, 0, "Whatever.", NULL},
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

static void numbers_texts_and_maps(void **state)
{
    (void)state;
    orr_yaml_doc doc = {0};
    thing t;
    assert_int_equal(read_thing("title: x\n", &doc, &t, NULL), 0);
    assert_true(t.share == 0.5 && !t.names && !t.rest);
    orr_yaml_fini(&doc);
    assert_int_equal(read_thing("title: x\nshare: -0.25\nnames: one\nrest: {any: [1]}\n", &doc, &t, NULL), 0);
    assert_true(t.share == -0.25);
    assert_string_equal(t.names->text, "one");
    assert_string_equal(t.rest->first->key, "any");
    orr_yaml_fini(&doc);
    assert_int_equal(read_thing("title: x\nnames: [one, 2]\n", &doc, &t, NULL), 0);
    assert_string_equal(t.names->first->next->text, "2");
    orr_yaml_fini(&doc);
    static const char *const shapes[] = {"title: x\nany: 3\n", "title: x\nany: [3]\n", "title: x\nany: {a: 3}\n"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(read_thing(shapes[i], &doc, &t, NULL), 0);
        assert_true(t.any && t.any->kind == (orr_yaml_kind)i);
        orr_yaml_fini(&doc);
    }
}

static void words_times_and_choices(void **state)
{
    (void)state;
    orr_yaml_doc doc = {0};
    thing t;
    assert_int_equal(read_thing("title: x\n", &doc, &t, NULL), 0);
    assert_true(!t.ready && t.big == 3 && t.wait == ORR_TIME_MAX && t.color == BLUE && t.tags.n == 0);
    orr_yaml_fini(&doc);
    assert_int_equal(read_thing("title: x\nready: yes\nbig: 18446744073709551615\nwait: 1m30s\ncolor: 'green'\ntags: "
                                "[a b, c]\n",
                                &doc, &t, NULL),
                     0);
    assert_true(t.ready && t.big == UINT64_MAX && t.wait == 90 * ORR_SECOND && t.color == 2);
    assert_int_equal(t.tags.n, 2);
    assert_string_equal(t.tags.at[0], "a b");
    orr_yaml_fini(&doc);
    assert_int_equal(read_thing("title: x\ntags: one\n", &doc, &t, NULL), 0);
    assert_true(t.tags.n == 1 && strcmp(t.tags.at[0], "one") == 0);
    orr_yaml_fini(&doc);
}

/* What a value prints as sets the same value again. */
static void a_value_is_its_text(void **state)
{
    (void)state;
    static const char *const rows[][3] = {/* key, as typed, as printed */
                                          {"title", "a \"b\"", "a \"b\""},
                                          {"number", "-5", "-5"},
                                          {"size", "2048", "2KiB"},
                                          {"share", "2.5e-1", "0.25"},
                                          {"ready", "true", "on"},
                                          {"big", "007", "7"},
                                          {"wait", "1h30m", "5400s"},
                                          {"wait", "0.25", "0.25s"},
                                          {"wait", "inf", "inf"},
                                          {"color", "red", "red"},
                                          {"tags", " a  b ", "a b"},
                                          {"tags", "\"a b\" c\\d \"\" \"q\\\"\"", "\"a b\" \"c\\\\d\" \"\" \"q\\\"\""},
                                          {"tags", "", ""},
                                          {"step", "4.1ms", "0.0041s"},
                                          {"step", "250ns", "2.5e-07s"},
                                          {"step", "1m", "60s"},
                                          {"step", "0.5", "0.5s"},
                                          {"rate", "120/min", "2/s"},
                                          {"rate", "7.5/s", "7.5/s"},
                                          {"rate", "36/h", "0.01/s"},
                                          {"rate", "3", "3/s"}};
    orr_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        thing t, again;
        orr_text text = {0};
        orr_schema_defaults(&things, &t);
        orr_schema_defaults(&things, &again);
        const orr_key *key = orr_schema_find(&things, rows[i][0]);
        assert_int_equal(orr_schema_set(&things, &arena, rows[i][0], rows[i][1], &t, NULL), 0);
        orr_schema_value(key, &t, &text);
        assert_string_equal(text.at, rows[i][2]);
        assert_int_equal(orr_schema_set(&things, &arena, rows[i][0], text.at, &again, NULL), 0);
        orr_text_clear(&text);
        orr_schema_value(key, &again, &text);
        assert_string_equal(text.at, rows[i][2]);
        orr_text_fini(&text);
    }
    orr_arena_fini(&arena);
}

static void a_bad_text_sets_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value;
        orr_err code;
        const char *told;
    } rows[] = {{"numbr", "1", ORR_E_UNKNOWN_KEY, "'numbr' is not known"},
                {"number", "6", ORR_E_BAD_VALUE, "from -5 to 5"},
                {"color", "", ORR_E_BAD_VALUE, "red|blue|green"},
                {"tags", "\"a", ORR_E_BAD_VALUE, "a quote"},
                {"parts", "x", ORR_E_BAD_VALUE, "can't be set"}};
    orr_arena arena = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        thing t, before;
        orr_error e = {0};
        orr_schema_defaults(&things, &t);
        orr_schema_defaults(&things, &before);
        assert_int_equal(orr_schema_set(&things, &arena, rows[i].key, rows[i].value, &t, &e), rows[i].code);
        assert_non_null(strstr(e.message, rows[i].told));
        assert_true(t.number == before.number && t.color == before.color && t.tags.n == 0);
    }
    orr_arena_fini(&arena);
}

/* Two tables read one map; neither minds the other's keys. */
static void a_table_beside_another(void **state)
{
    (void)state;
    static const char *const others[] = {"strange", NULL};
    static const char text[] = "title: x\nstrange: [1]\n", wrong[] = "title: x\nstrang: 1\n";
    orr_yaml_doc doc = {0};
    orr_error e = {0};
    thing t;
    orr_schema_defaults(&things, &t);
    assert_int_equal(orr_yaml_read(&doc, "thing", text, strlen(text), NULL), 0);
    assert_int_equal(orr_schema_read_beside(&things, others, &doc, doc.root, &t, NULL), 0);
    orr_yaml_fini(&doc);
    assert_int_equal(orr_yaml_read(&doc, "thing", wrong, strlen(wrong), NULL), 0);
    assert_int_equal(orr_schema_read_beside(&things, others, &doc, doc.root, &t, &e), ORR_E_UNKNOWN_KEY);
    assert_string_equal(e.hint, "did you mean 'strange'?");
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
        {"share", "title: x\nshare: 1.5\n", ORR_E_NUMBER, 2, 8, "from -1 to 1", NULL},
        {"share as text", "title: x\nshare: much\n", ORR_E_NUMBER, 2, 8, "should be a number", NULL},
        {"too many names", "title: x\nnames: [a, b, c]\n", ORR_E_SYNTAX, 2, 8, "3 elements", NULL},
        {"names as maps", "title: x\nnames: [a, {b: c}]\n", ORR_E_SYNTAX, 2, 12, "should be a text", NULL},
        {"names as map", "title: x\nnames: {b: c}\n", ORR_E_SYNTAX, 2, 8, "a single value, not a map", NULL},
        {"ready", "title: x\nready: maybe\n", ORR_E_NUMBER, 2, 8, "on or off", NULL},
        {"big", "title: x\nbig: -1\n", ORR_E_NUMBER, 2, 6, "0 or more", NULL},
        {"wait", "title: x\nwait: 3 parsecs\n", ORR_E_NUMBER, 2, 7, "a duration", NULL},
        {"negative wait", "title: x\nwait: -3s\n", ORR_E_NUMBER, 2, 7, "0 or more", NULL},
        {"quoted wait", "title: x\nwait: '3s'\n", ORR_E_NUMBER, 2, 7, "without quotes", NULL},
        {"color", "title: x\ncolor: re\n", ORR_E_NUMBER, 2, 8, "one of red|blue|green", NULL},
        {"step", "title: x\nstep: 3 weeks\n", ORR_E_NUMBER, 2, 7, "a duration such as 4.1ms", NULL},
        {"step range", "title: x\nstep: 61\n", ORR_E_NUMBER, 2, 7, "from 0s to 60s", NULL},
        {"rate", "title: x\nrate: 3/m\n", ORR_E_NUMBER, 2, 7, "a rate such as 120/s", NULL},
        {"rate range", "title: x\nrate: -1/s\n", ORR_E_NUMBER, 2, 7, "from 0/s to 100/s", NULL},
        {"tags", "title: x\ntags: a b\n", ORR_E_SYNTAX, 2, 7, "or a list", NULL},
        {"tags as lists", "title: x\ntags: [[a]]\n", ORR_E_SYNTAX, 2, 7, "a list of texts", NULL},
        {"rest as text", "title: x\nrest: all\n", ORR_E_SYNTAX, 2, 7, "a map, not a single value", NULL},
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
                                 "| `counts` | map of name to integer |  | 1 to 4 each | Some counts. |\n"
                                 "| `share` | number | `0.5` | -1 to 1 | A share. |\n"
                                 "| `names` | text or list of texts |  | 1 to 2 elements | Its names. |\n"
                                 "| `rest` | map |  |  | What else. |\n"
                                 "| `ready` | switch | `off` |  | Whether. |\n"
                                 "| `big` | integer | `3` |  | How many. |\n"
                                 "| `wait` | duration | `inf` |  | How long. |\n"
                                 "| `color` | choice | `blue` | red, blue, green | Which. |\n"
                                 "| `tags` | text or list of texts |  |  | Words. |\n"
                                 "| `step` | duration | `5ms` | 0s to 60s | A time. |\n"
                                 "| `rate` | rate | `3/min` | 0/s to 100/s | How often. |\n"
                                 "| `any` | see there |  |  | Whatever. |\n");
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
    static char text[1 << 18];
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
    orr_text want = {0}, keys = {0}, formats = {0}, presets = {0}, cases = {0}, scenario = {0}, profiles = {0}, applications = {0}, services = {0};
    orr_cluster_formats_markdown(&formats);
    presets_markdown(&presets);
    orr_cluster_keys_markdown(&keys);
    put_part(&want, &rest, "formats", &formats);
    put_part(&want, &rest, "presets", &presets);
    put_part(&want, &rest, "keys", &keys);
    orr_profiles_keys_markdown(&profiles);
    put_part(&want, &rest, "profiles", &profiles);
    orr_applications_keys_markdown(&applications);
    put_part(&want, &rest, "applications", &applications);
    orr_services_keys_markdown(&services);
    put_part(&want, &rest, "services", &services);
    orr_scenario_keys_markdown(&scenario);
    put_part(&want, &rest, "scenario", &scenario);
    orr_experiment_keys_markdown(&cases);
    orr_text_addf(&cases, "\n");
    orr_case_keys_markdown(&cases);
    put_part(&want, &rest, "cases", &cases);
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
    orr_text_fini(&scenario);
    orr_text_fini(&formats);
    orr_text_fini(&presets);
    orr_text_fini(&profiles);
    orr_text_fini(&applications);
    orr_text_fini(&services);
    orr_text_fini(&cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_then_what_is_given),
        cmocka_unit_test(numbers_texts_and_maps),
        cmocka_unit_test(words_times_and_choices),
        cmocka_unit_test(a_value_is_its_text),
        cmocka_unit_test(a_bad_text_sets_nothing),
        cmocka_unit_test(a_table_beside_another),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(a_table_prints_itself),
        cmocka_unit_test(the_page_is_what_the_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
