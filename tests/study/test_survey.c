/* The survey: that every module has its claim, what verdicts are made of, and that configs/survey/README.md is what the
 * tables say. Whether the claims hold is asked of the command line. */
#include "study/survey.h"

#include "config/presets.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER ORR_SOURCE_DIR "/configs/survey"
#define README FOLDER "/README.md"

/* ---- the folder ---- */

typedef ORR_VEC(orr_claim *) claims;

static void read_folder(claims *all)
{
    char **names;
    const size_t n = orr_preset_names(FOLDER, &names);
    for (size_t i = 0; i < n; i++) {
        char path[400];
        orr_error e = {0};
        snprintf(path, sizeof path, FOLDER "/%s.yaml", names[i]);
        orr_claim *c = orr_claim_read(path, &e);
        if (!c)
            fail_msg("%s:%d:%d: %s (%s)", e.file, e.line, e.column, e.message, e.text);
        ORR_VEC_PUSH(all, c);
    }
    orr_preset_names_free(names, n);
}

static void drop(claims *all)
{
    for (size_t i = 0; i < all->n; i++)
        orr_claim_destroy(all->at[i]);
    ORR_VEC_FREE(all);
}

static size_t claims_about(const claims *all, const char *module)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        n += orr_claim_about(all->at[i], module);
    return n;
}

static void every_module_has_its_claim(void **state)
{
    (void)state;
    claims all = {0};
    orr_text without = {0};
    const orr_module *const *modules;
    orr_registry *registry = orr_registry_create();
    read_folder(&all);
    const size_t n = orr_registry_modules(registry, &modules);
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) {
        char name[64];
        orr_module_shown_name(modules[i], name, sizeof name);
        if (!claims_about(&all, name))
            orr_text_addf(&without, " %s", name);
    }
    if (without.n)
        fail_msg("no file in configs/survey has a policy with%s", without.at);
    orr_text_fini(&without);
    orr_registry_destroy(registry);
    drop(&all);
}

/* ---- verdicts ---- */

/* On one GPU a runs 0-10, b from 10 to 30 though it came at 5: the mean completion time is 17.5 s, with two GPUs 15 s. */
static const char claim_text[] =
    "schema: orrery.claim/1\nsystem: S\nsurvey: 3.1.1\nsource: T\nclaim: It is so.\npolicy: fifo\n"
    "case: {cluster: 'nodes=1,gpus=1'}\nruns:\n  - {name: two, cluster: 'nodes=1,gpus=2'}\n"
    "jobs: |\n  submit,gpus,duration\n  0,1,10\n  5,1,20\n";

static orr_claim *claim_with(const char *rest)
{
    orr_error e = {0};
    orr_text text = {0};
    orr_text_addf(&text, "%s%s", claim_text, rest);
    orr_claim *c = orr_claim_parse("it.yaml", text.at, text.n, &e);
    orr_text_fini(&text);
    if (!c)
        fail_msg("%d:%d %s (%s)", e.line, e.column, e.message, e.text);
    return c;
}

static void run_survey(orr_claim *const *list, size_t n, int jobs, orr_survey *out)
{
    const orr_survey_options options = {.jobs = jobs};
    orr_error e = {0};
    if (orr_survey_run(list, n, &options, out, &e))
        fail_msg("%s", e.message);
}

static void check_verdict(const char *rest, orr_claim_verdict verdict, int status, const char *told)
{
    orr_claim *c = claim_with(rest);
    orr_survey survey;
    orr_text t = {0};
    run_survey(&c, 1, 1, &survey);
    orr_survey_tell(&survey, &t);
    if (survey.results[0].verdict != verdict || orr_survey_status(&survey) != status || !strstr(t.at, told))
        fail_msg("%s: %s", rest, t.at);
    orr_text_fini(&t);
    orr_survey_fini(&survey);
    orr_claim_destroy(c);
}

static void verdicts_follow_from_the_numbers(void **state)
{
    (void)state;
    check_verdict("expect: value == 17.5\n", ORR_CLAIM_HOLDS, 0, "1 claim: 1 holds");
    check_verdict("expect: policy - two == 2.5s\n", ORR_CLAIM_HOLDS, 0, "1 holds");
    check_verdict("expect: [two / policy < 0.9, two.makespan == 25]\n", ORR_CLAIM_HOLDS, 0, "1 holds");
    check_verdict("expect: [value == 17.5, value < 17]\n", ORR_CLAIM_FAILS, 1,
                  "it fails: jct.mean < 17, measured 17.5 s\n1 claim: 1 fails");
    check_verdict("expect: policy.sum(wait_first where gpus = 1) == 5\n", ORR_CLAIM_HOLDS, 0, "1 holds");
    check_verdict("expect: policy.deadline_met > 0\n", ORR_CLAIM_ERROR, 2, "undefined");
    check_verdict("expect: two.wait_first.max / two.wait_first.mean > 0\n", ORR_CLAIM_ERROR, 2, "can't be told");
    check_verdict("expect: value == 0\nneeds: /no/such/file\n", ORR_CLAIM_SKIPPED, 2, "it needs /no/such/file");
}

/* One that can't be run keeps the others from nothing. */
static void a_run_that_cannot_be_is_an_error_of_its_claim(void **state)
{
    (void)state;
    orr_claim *list[] = {claim_with("expect: value == 17.5\n"), claim_with("expect: value > 0\n")};
    list[1]->runs.at[1].conditions.policy = "fivo";
    orr_survey survey;
    run_survey(list, 2, 1, &survey);
    assert_int_equal(survey.results[0].verdict, ORR_CLAIM_HOLDS);
    assert_int_equal(survey.results[1].verdict, ORR_CLAIM_ERROR);
    assert_int_equal(survey.results[1].error.code, ORR_E_UNKNOWN_POLICY);
    assert_int_equal(orr_survey_status(&survey), 2);
    orr_survey_fini(&survey);
    orr_claim_destroy(list[0]);
    orr_claim_destroy(list[1]);
}

/* The same bytes from one worker and from three. */
static void workers_change_nothing(void **state)
{
    (void)state;
    orr_claim *list[] = {claim_with("expect: value == 17.5\n"), claim_with("expect: two < 1\n"),
                         claim_with("expect: policy / two > 1\n")};
    orr_text texts[2] = {0};
    for (int i = 0; i < 2; i++) {
        orr_survey survey;
        run_survey(list, 3, i ? 3 : 1, &survey);
        assert_int_equal(orr_survey_json(&survey, &texts[i], NULL), ORR_OK);
        orr_survey_fini(&survey);
    }
    assert_string_equal(texts[0].at, texts[1].at);
    for (int i = 0; i < 3; i++)
        orr_claim_destroy(list[i]);
    orr_text_fini(&texts[0]);
    orr_text_fini(&texts[1]);
}

static void seeds_are_told_apart(void **state)
{
    (void)state;
    static const char text[] =
        "schema: orrery.claim/1\nsystem: S\nsurvey: 3.1.1\nsource: T\nclaim: C\npolicy: srtf\nbaseline: fifo\n"
        "case: {cluster: 'nodes=1,gpus=4'}\nsynth: {jobs: 60, load: 0.9, gpus: 4, max-gpus: 4}\nseeds: 3\n"
        "expect: ratio < 1\n";
    orr_claim *c = orr_claim_parse("it.yaml", text, sizeof text - 1, NULL);
    orr_survey survey;
    assert_non_null(c);
    run_survey(&c, 1, 1, &survey);
    const orr_claim_measured *m = &survey.results[0].measured[0];
    assert_true(m->values[0] != m->values[1] && m->values[1] != m->values[2]);
    assert_true(m->low <= m->values[0] && m->values[0] <= m->high && m->low < m->high);
    orr_survey_fini(&survey);
    orr_claim_destroy(c);
}

/* ---- the page ---- */

static char *read_file(const char *path)
{
    static char text[65536];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

/* ORRERY_UPDATE_DOCS=1 writes the page instead of comparing it. */
static void the_page_is_what_the_tables_say(void **state)
{
    (void)state;
    static const char begin[] = "<!-- keys begins -->\n", end[] = "<!-- keys ends -->";
    const char *page = read_file(README), *from = strstr(page, begin), *to = strstr(page, end);
    orr_text want = {0};
    assert_true(from && to);
    orr_text_add(&want, page, (size_t)(from - page) + sizeof begin - 1);
    orr_claim_keys_markdown(&want);
    orr_text_add(&want, to, strlen(to));
    if (getenv("ORRERY_UPDATE_DOCS")) {
        FILE *f = fopen(README, "wb");
        assert_non_null(f);
        fputs(want.at, f);
        fclose(f);
    } else if (strcmp(page, want.at) != 0) {
        fail_msg("%s differs from the tables; ORRERY_UPDATE_DOCS=1 with this test writes it anew", README);
    }
    orr_text_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_module_has_its_claim),
        cmocka_unit_test(verdicts_follow_from_the_numbers),
        cmocka_unit_test(a_run_that_cannot_be_is_an_error_of_its_claim),
        cmocka_unit_test(workers_change_nothing),
        cmocka_unit_test(seeds_are_told_apart),
        cmocka_unit_test(the_page_is_what_the_tables_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
