/* Plugins from files: the good run like built-in modules, the bad are refused or stopped, and none of them hurts. */
#include "../sim/stage.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.so", ORR_PLUGIN_DIR, name);
    return path;
}

static void loads(stage *s, const char *name)
{
    orr_error e = {0};
    if (orr_registry_load(s->registry, path_of(name), &e))
        fail_msg("%s: %s", name, e.message);
}

/* Several users, ties, gangs of several sizes. */
static stage *workload(int users)
{
    stage *s = stage_create("nodes=4,gpus=4");
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t x = orr_mix64(i);
        char id[16], user[16];
        snprintf(id, sizeof id, "j%d", (int)i);
        snprintf(user, sizeof user, "u%d", (int)((x >> 40) % (uint64_t)users));
        orr_trace_job job = stage_job(id, (double)(i / 3 * 20), 1 << x % 4, (double)((x >> 8) % 200));
        job.user = user;
        stage_add(s, job);
    }
    return s;
}

static char *story_of(const char *plugin, const char *policy, int users, const char *costs)
{
    stage *s = workload(users);
    if (plugin)
        loads(s, plugin);
    s->options.policy = policy;
    s->options.costs = costs;
    stage_run(s);
    char *story = stage_story(s);
    stage_destroy(s);
    return story;
}

static void equal(char *a, char *b)
{
    assert_string_equal(a, b);
    free(a);
    free(b);
}

/* Job by job and GPU by GPU. */
static void the_first_abi_still_runs_as_fifo(void **state)
{
    (void)state;
    static const char *const costs[] = {NULL, "start=3s", "helios"};
    for (size_t i = 0; i < 3; i++)
        equal(story_of("abi1_fifo", "abi1-fifo", 3, costs[i]), story_of(NULL, "fifo", 3, costs[i]));
    equal(story_of("abi1_fifo", "abi1-fifo+spread", 3, NULL), story_of(NULL, "fifo+spread", 3, NULL));
}

static void the_example_is_fifo_for_one_user(void **state)
{
    (void)state;
    equal(story_of("example_policy", "example-policy:fifo", 5, NULL), story_of(NULL, "fifo,hol=skip", 5, NULL));
    equal(story_of("example_policy", "example-policy,turn=inf", 5, NULL), story_of(NULL, "fifo,hol=skip", 5, NULL));
}

/*  One GPU. a brings A B C at 0, b brings D at 1 and E at 2:
 *  turn=1   A |##########| D #| B #| E #| C #|          turn=2   A |##########| B D E … */
static void users_take_turns(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *ends;
    } rows[] = {{"example-policy", "A:10 D:11 B:12 E:13 C:14"},
                {"example-policy,turn=2", "A:10 B:11 D:12 E:13 C:14"},
                {"example-policy:fifo", "A:10 B:11 C:12 D:13 E:14"}};
    for (size_t i = 0; i < 3; i++) {
        static const double jobs[][2] = {{0, 10}, {0, 1}, {0, 1}, {1, 1}, {2, 1}};
        stage *s = stage_create("nodes=1,gpus=1");
        for (int k = 0; k < 5; k++) {
            orr_trace_job job = stage_job((const char *[]){"A", "B", "C", "D", "E"}[k], jobs[k][0], 1, jobs[k][1]);
            job.user = k < 3 ? "a" : "b";
            stage_add(s, job);
        }
        loads(s, "example_policy");
        s->options.policy = rows[i].policy;
        stage_run(s);
        stage_ends(s, rows[i].ends);
        stage_destroy(s);
    }
}

static void loaded_modules_are_listed_like_others(void **state)
{
    (void)state;
    orr_registry *r = orr_registry_create();
    const orr_module *const *list;
    size_t before = orr_registry_modules(r, &list);
    assert_int_equal(orr_registry_load(r, path_of("example_policy"), NULL), ORR_OK);
    assert_int_equal(orr_registry_load(r, path_of("abi1_fifo"), NULL), ORR_OK);
    assert_int_equal(orr_registry_modules(r, &list), before + 2);
    assert_non_null(orr_registry_find(r, ORR_KIND_POLICY, "example-policy", NULL));
    orr_error e = {0};
    assert_int_equal(orr_registry_load(r, path_of("example_policy"), &e), ORR_E_PLUGIN_DESCRIPTOR); /* once is enough */
    assert_non_null(strstr(e.message, "already"));
    assert_int_equal(orr_registry_modules(r, &list), before + 2);
    orr_registry_destroy(r);
}

/* ---- refused ----------------------------------------------------------------------------------------------------- */

static void the_bad_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        orr_err code;
        const char *says;
    } rows[] = {
        {"bad_abi", ORR_E_PLUGIN_ABI, "ABI 42, this is 1"},
        {"bad_decision", ORR_E_PLUGIN_DESCRIPTOR, "decision function is missing"},
        {"bad_export", ORR_E_PLUGIN_LOAD, "exports no"},
        {"bad_name", ORR_E_PLUGIN_DESCRIPTOR, "module of this name already"},
        {"not_there", ORR_E_PLUGIN_LOAD, ""},
    };
    orr_registry *r = orr_registry_create();
    const orr_module *const *list;
    size_t before = orr_registry_modules(r, &list);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        if (orr_registry_load(r, path_of(rows[i].name), &e) != rows[i].code || !strstr(e.message, rows[i].says))
            fail_msg("%s: %s, %s", rows[i].name, orr_err_name(e.code), e.message);
        assert_string_equal(e.file, path_of(rows[i].name));
        assert_int_equal(orr_registry_modules(r, &list), before);
    }
    orr_registry_destroy(r);
}

static void what_is_no_library_is_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {ORR_SOURCE_DIR "/README.md", ORR_SOURCE_DIR, "/dev/null", "", "no-slash.so"};
    orr_registry *r = orr_registry_create();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        orr_error e = {0};
        assert_int_equal(orr_registry_load(r, paths[i], &e), ORR_E_PLUGIN_LOAD);
        assert_true(e.message[0] && e.hint[0]);
    }
    char *far = malloc(10000);
    memset(far, 'x', 9999);
    far[9999] = '\0';
    assert_int_equal(orr_registry_load(r, far, NULL), ORR_E_PLUGIN_LOAD);
    free(far);
    orr_registry_destroy(r);
}

/* ---- stopped ----------------------------------------------------------------------------------------------------- */

static void illegal_plans_are_stopped(void **state)
{
    (void)state;
    static const struct {
        const char *crime;
        orr_err code;
    } rows[] = {{"capacity", ORR_E_PLAN_CAPACITY}, {"twice", ORR_E_PLAN_CAPACITY},    {"nowhere", ORR_E_PLAN_CAPACITY},
                {"phantom", ORR_E_PLAN_CAPACITY},  {"half", ORR_E_PLAN_GANG},         {"too-much", ORR_E_PLAN_GANG},
                {"preempt-waiting", ORR_E_PLAN_STATE}, {"start-running", ORR_E_PLAN_STATE}, {"fail", ORR_E_POLICY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int skip = 0; skip < 2; skip++) {
            char policy[64];
            stage *s = stage_create("nodes=1,gpus=4");
            stage_add(s, stage_job("first", 0, 2, 10));
            stage_add(s, stage_job("second", 3, 2, 10));
            loads(s, "bad_plans");
            snprintf(policy, sizeof policy, "bad-plans,crime=%s", rows[i].crime);
            s->options.policy = policy;
            s->options.skip_violations = skip;
            orr_err err = stage_try(s);
            bool counted = skip && rows[i].code != ORR_E_POLICY; /* then the second waits, perhaps for ever */
            bool in_time = rows[i].code == ORR_E_PLAN_CAPACITY && i == 0; /* what it takes is free once the first has gone */
            if (err != (!counted ? rows[i].code : in_time ? ORR_OK : ORR_E_STALLED))
                fail_msg("%s: %s", rows[i].crime, s->error.message);
            if (counted) {
                stage_held(s, "first", "0-10/2 done");
                assert_true(s->counts.violations >= 1);
            } else {
                assert_int_equal(s->error.at_ns, 3 * ORR_SECOND);
                stage_held(s, "first", "0-3/2 open");
            }
            stage_destroy(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_abi_still_runs_as_fifo),
        cmocka_unit_test(the_example_is_fifo_for_one_user),
        cmocka_unit_test(users_take_turns),
        cmocka_unit_test(loaded_modules_are_listed_like_others),
        cmocka_unit_test(the_bad_are_refused),
        cmocka_unit_test(what_is_no_library_is_refused),
        cmocka_unit_test(illegal_plans_are_stopped),
    };
    return cmocka_run_group_tests_name("plugins", tests, NULL, NULL);
}
