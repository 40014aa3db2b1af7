/* Files of profiles: what they say, and what is refused with its place. */
#include "config/profiles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "schema: orrery.profiles/1\n"

static orr_profiles *read_text(const char *text, orr_error *e)
{
    orr_input *in = orr_input_memory("given", text, strlen(text));
    orr_profiles *profiles = orr_profiles_read(in, "", e);
    orr_input_close(in);
    return profiles;
}

static orr_profiles *must_read(const char *text)
{
    orr_error e = {0};
    orr_profiles *profiles = read_text(text, &e);
    if (!profiles)
        fail_msg("%d:%d %s", e.line, e.column, e.message);
    return profiles;
}

static void all_keys(void **state)
{
    (void)state;
    orr_profiles *p = must_read(HEAD "name: two\n"
                                     "models:\n"
                                     "  - model: resnet50\n"
                                     "    iteration: 250ms\n"
                                     "    stages: {storage: 20ms, cpu: 60ms, gpu: 150ms, network: 20ms}\n"
                                     "    gradient: 100MB\n"
                                     "    overlap: 0.5\n"
                                     "    gpu_util: 0.9\n"
                                     "    gpu_mem: 8GiB\n"
                                     "    largest_tensor: 0.08\n"
                                     "    sharing: 1\n"
                                     "    host:\n"
                                     "      - {cpus: 1, mem: 4GiB, speed: 0.4}\n"
                                     "      - {cpus: 3, mem: 4GiB, speed: 1}\n"
                                     "  - model: lstm\n"
                                     "pairs:\n"
                                     "  - {a: lstm, b: resnet50, a_speed: 0.9, b_speed: 0.96}\n");
    const orr_profile *r = orr_profiles_find(p, "resnet50"), *l = orr_profiles_find(p, "lstm");
    assert_string_equal(orr_profiles_name(p), "two");
    assert_int_equal(orr_profiles_count(p), 2);
    assert_int_equal(strlen(orr_profiles_digest(p)), 64);
    assert_null(orr_profiles_find(p, "resnet"));
    assert_true(r->number == 0 && l->number == 1);
    assert_true(r->iteration == 0.25 && r->stages[ORR_STAGE_CPU] == 0.06 && r->stages[ORR_STAGE_NET] == 0.02);
    assert_true(r->gradient_bytes == 1e8 && r->overlap == 0.5 && r->gpu_util == 0.9 && r->largest_tensor == 0.08);
    assert_true(r->gpu_mem == INT64_C(8) << 30 && r->sharing == 1 && r->host_points == 2 && r->host[1].speed == 1);
    assert_true(l->iteration == 0 && l->gpu_util < 0 && l->gpu_mem == 0 && l->largest_tensor < 0 && !l->host);
    assert_true(orr_profiles_pair(p, l, r) == 0.9 && orr_profiles_pair(p, r, l) == 0.96);
    assert_true(orr_profiles_pair(p, l, l) < 0);
    orr_profiles_destroy(p);
}

/* As stated; else by the mean speed over its pairs; else jumbo. */
static void sharing_classes(void **state)
{
    (void)state;
    orr_profiles *p =
        must_read(HEAD "models: [{model: s, sharing: 0}, {model: a}, {model: b}, {model: c}, {model: d}]\n"
                       "pairs:\n"
                       "  - {a: a, b: b, a_speed: 0.95, b_speed: 0.8}\n"
                       "  - {a: b, b: c, a_speed: 0.9, b_speed: 0.84}\n");
    const struct {
        const char *model;
        orr_sharing sharing;
    } rows[] = {{"s", ORR_SHARING_TINY},
                {"a", ORR_SHARING_TINY},
                {"b", ORR_SHARING_MEDIUM},
                {"c", ORR_SHARING_JUMBO},
                {"d", ORR_SHARING_JUMBO}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(orr_profiles_sharing(p, orr_profiles_find(p, rows[i].model)), rows[i].sharing);
    assert_int_equal(orr_profiles_sharing(p, NULL), ORR_SHARING_JUMBO);
    orr_profiles_destroy(p);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
        int line, column;
        const char *message;
    } rows[] = {
        {"schema: orrery.cluster/1\nmodels: []\n", ORR_E_FORMAT, 1, 9, "no file of profiles"},
        {"models: [{model: a}]\n", ORR_E_SYNTAX, 1, 1, "the key 'schema' is missing"},
        {HEAD, ORR_E_EMPTY, 1, 1, "no model"},
        {HEAD "models: [{model: a, gpu_utl: 1}]\n", ORR_E_UNKNOWN_KEY, 2, 21, "gpu_utl"},
        {HEAD "models: [{model: a, gpu_util: 80}]\n", ORR_E_NUMBER, 2, 31, "gpu_util"},
        {HEAD "models: [{model: ''}]\n", ORR_E_SYNTAX, 2, 18, "needs a name"},
        {HEAD "models: [{model: a}, {model: a}]\n", ORR_E_SYNTAX, 2, 30, "described twice"},
        {HEAD "models: [{model: a, stages: {gpu: 1x}}]\n", ORR_E_NUMBER, 2, 35, "gpu"},
        {HEAD "models: [{model: a, host: [{cpus: 2, speed: 1}, {cpus: 1, speed: 1}]}]\n", ORR_E_SYNTAX, 2, 49, "ascend"},
        {HEAD "models: [{model: a}]\npairs: [{a: a, b: c, a_speed: 1, b_speed: 1}]\n", ORR_E_SYNTAX, 3, 19, "'c'"},
        {HEAD "models: [{model: a}]\npairs: [{a: a, b: a, a_speed: 0, b_speed: 1}]\n", ORR_E_NUMBER, 3, 31, "greater"},
        {HEAD
         "models: [{model: a}]\npairs: [{a: a, b: a, a_speed: 1, b_speed: 1}, {a: a, b: a, a_speed: 1, b_speed: 1}]\n",
         ORR_E_SYNTAX, 3, 47, "twice"},
        {HEAD "models_table: ../x.csv\n", ORR_E_SYNTAX, 2, 15, "in the folder"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        assert_null(read_text(rows[i].text, &e));
        if (e.code != rows[i].code || e.line != rows[i].line || e.column != rows[i].column ||
            !strstr(e.message, rows[i].message))
            fail_msg("%zu: %d:%d %s [%s]", i, e.line, e.column, e.message, orr_err_name(e.code));
        assert_string_equal(e.file, "given");
    }
}

/* ---- tables ---- */

typedef orr_err read_table(orr_profiles *profiles, orr_input *in, orr_error *e);

static orr_err read_csv(orr_profiles *p, read_table *read, const char *text, orr_error *e)
{
    orr_input *in = orr_input_memory("table", text, strlen(text));
    const orr_err err = read(p, in, e);
    orr_input_close(in);
    return err;
}

#define MODELS                                                                                                         \
    "model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,label\n"                                                \
    "VGG,CIFAR-10,32,0,84.8,44.0,62.4,3386.5,0\n"                                                                      \
    "PPO,LunarLander,64,0,11.9,12.5,1,2051,2\n"

static void tables_of_measurements(void **state)
{
    (void)state;
    orr_profiles *p = orr_profiles_create("tables");
    assert_int_equal(read_csv(p, orr_profiles_read_models, MODELS, NULL), ORR_OK);
    assert_int_equal(read_csv(p, orr_profiles_read_pairs,
                              ",model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,amp2,speed2\n"
                              "0,PPO,LunarLander,64,0,0.7,VGG,CIFAR-10,32,0,1.02\n"
                              "1,VGG,CIFAR-10,32,0,0.5,PPO,LunarLander,64,0,0.5\n",
                              NULL),
                     ORR_OK);
    const orr_profile *v = orr_profiles_find(p, "VGG/CIFAR-10/32/0"), *l = orr_profiles_find(p, "PPO/LunarLander/64/0");
    assert_true(v->gpu_util == 0.44 && v->gpu_mem == 3551002624 && v->sharing == 0 && l->sharing == 2);
    assert_true(orr_profiles_pair(p, v, l) == 1.02 && orr_profiles_pair(p, l, v) == 0.7);
    orr_profiles_destroy(p);
}

static void tables_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        read_table *read;
        const char *text;
        orr_err code;
        int line, column;
    } rows[] = {
        {orr_profiles_read_models, "model,gpu_util\na,1\n", ORR_E_MISSING_COLUMN, 1, 0},
        {orr_profiles_read_models, "model,gpu_util,gmem\na,101,1\n", ORR_E_NUMBER, 2, 3},
        {orr_profiles_read_models, "model,gpu_util,gmem,label\na,1,1,3\n", ORR_E_NUMBER, 2, 7},
        {orr_profiles_read_pairs, "model1,speed1,model2\na,1,a\n", ORR_E_MISSING_COLUMN, 1, 0},
        {orr_profiles_read_pairs, "model1,speed1,model2,speed2\na,1,a,0\n", ORR_E_NUMBER, 2, 7},
        {orr_profiles_read_pairs, "model1,speed1,model2,speed2\na,1,b,1\n", ORR_E_SYNTAX, 2, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_profile a = orr_profile_default();
        orr_profiles *p = orr_profiles_create("tables");
        a.model = "a";
        orr_profiles_add(p, &a);
        read_csv(p, rows[i].read, rows[i].text, &e);
        if (e.code != rows[i].code || e.line != rows[i].line || e.column != rows[i].column)
            fail_msg("%zu: %d:%d %s [%s]", i, e.line, e.column, e.message, orr_err_name(e.code));
        orr_profiles_destroy(p);
    }
}

/* The bundled file, and the tables beside a file. */
static void files(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_profiles *p = orr_profiles_load(ORR_SOURCE_DIR "/configs/profiles/synthetic.yaml", &e);
    if (!p)
        fail_msg("%d:%d %s", e.line, e.column, e.message);
    assert_true(orr_profiles_count(p) == 14);
    assert_true(orr_profiles_pair(p, orr_profiles_find(p, "a3c"), orr_profiles_find(p, "gpt3")) > 0);
    orr_profiles_destroy(p);
    assert_null(orr_profiles_load("/nowhere/x.yaml", &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys),
        cmocka_unit_test(sharing_classes),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(tables_of_measurements),
        cmocka_unit_test(tables_that_are_refused),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
