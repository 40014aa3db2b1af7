/* manifest.json. */
#include "sample.h"

#include <cjson/cJSON.h>

static cJSON *manifest_of(const orr_report_run *run, const orr_report_manifest *m)
{
    orr_text text = {0};
    assert_int_equal(orr_manifest_json(run, m, &text, NULL), ORR_OK);
    cJSON *d = cJSON_Parse(text.at);
    assert_non_null(d);
    orr_text_fini(&text);
    return d;
}

static const char *const argv[] = {"orrery", "run", "-t", "a b\n\"c\".csv"};
static const orr_report_setting settings[] = {{"trace", "a b"}, {"seed", "7"}};

static orr_report_manifest filled(void)
{
    return (orr_report_manifest){.argc = 4, .argv = argv, .settings = settings, .setting_count = 2,
                                 .wall_date = "2024-05-01T10:00:00Z", .wall_duration_s = 0.5, .wall_max_rss_kib = 4096,
                                 .wall_decide_us = {-1, -1, -1}};
}

static void says_how_it_was_made(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    orr_report_manifest m = filled();
    cJSON *d = manifest_of(&s.run, &m);
    assert_string_equal(d->child->string, "schema");
    assert_string_equal(d->child->valuestring, "orrery.manifest/1");
    const cJSON *command = cJSON_GetObjectItem(d, "command");
    assert_int_equal(cJSON_GetArraySize(command), 4);
    assert_string_equal(cJSON_GetArrayItem(command, 3)->valuestring, argv[3]);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(d, "settings"), "seed")->valuestring, "7");
    const cJSON *inputs = cJSON_GetObjectItem(d, "inputs");
    assert_int_equal(cJSON_GetArraySize(inputs), 2);
    assert_string_equal(cJSON_GetObjectItem(inputs->child, "name")->valuestring, "traces/three.csv");
    assert_int_equal(cJSON_GetObjectItem(d, "abi")->valueint, ORR_ABI);
    assert_string_equal(cJSON_GetObjectItem(d, "knowledge_granted")->valuestring, "oracle");
    assert_string_equal(cJSON_GetObjectItem(d, "stop_reason")->valuestring, "horizon");
    cJSON_Delete(d);
    sample_fini(&s);
}

static void wall_is_apart_and_can_be_left_out(void **state)
{
    (void)state;
    sample s;
    sample_init(&s);
    orr_report_manifest m = filled();
    cJSON *d = manifest_of(&s.run, &m);
    const cJSON *wall = cJSON_GetObjectItem(d, "wall");
    assert_true(cJSON_GetObjectItem(wall, "duration_s")->valuedouble == 0.5);
    assert_int_equal(cJSON_GetObjectItem(wall, "max_rss_kib")->valueint, 4096);
    assert_null(cJSON_GetObjectItem(wall, "host"));
    assert_null(cJSON_GetObjectItem(wall, "decide_us"));
    cJSON_DeleteItemFromObject(d, "wall");
    m.no_wall = true;
    cJSON *bare = manifest_of(&s.run, &m);
    assert_true(cJSON_Compare(d, bare, true)); /* nothing else differs */
    cJSON_Delete(bare);
    cJSON_Delete(d);
    m = filled();
    m.wall_decide_us[0] = 1;
    m.wall_decide_us[1] = 2;
    m.wall_decide_us[2] = 3;
    d = manifest_of(&s.run, &m);
    const cJSON *decide = cJSON_GetObjectItem(cJSON_GetObjectItem(d, "wall"), "decide_us");
    assert_int_equal(cJSON_GetObjectItem(decide, "max")->valueint, 3);
    cJSON_Delete(d);
    sample_fini(&s);
}

static void written_whole(void **state)
{
    (void)state;
    const char *path = sample_path("manifest.json");
    orr_text text = {0};
    orr_text_addf(&text, "{}\n");
    assert_int_equal(orr_report_write(path, &text, NULL), ORR_OK);
    sample_assert_file(path, "{}\n");
    sample_clean();
    assert_int_equal(orr_report_write("/nonexistent/x.json", &text, NULL), ORR_E_CREATE);
    orr_text_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_how_it_was_made),
        cmocka_unit_test(wall_is_apart_and_can_be_left_out),
        cmocka_unit_test(written_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
