/* The door for modules: what is refused and with which words, what an older descriptor may lack, and how modules are found. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static double key(orr_ctx *ctx, const orr_job *job)
{
    (void)ctx;
    return (double)orr_job_gpus(job);
}

static orr_err nothing(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx, (void)plan;
    return ORR_OK;
}

static const orr_order good = {.summary = "good", .key = key};

static orr_module module_of(orr_kind kind, const char *name, uint32_t size, const void *descriptor)
{
    return (orr_module){ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), size, kind,
                        name, descriptor};
}

static orr_module good_module(void)
{
    return module_of(ORR_KIND_ORDER, "good", sizeof good, &good);
}

static void refused(const orr_module *m, orr_err code, const char *says)
{
    orr_registry *r = orr_registry_create();
    const orr_module *const *list;
    size_t before = orr_registry_modules(r, &list);
    orr_error e = {0};
    if (orr_registry_add(r, m, &e) != code || !strstr(e.message, says))
        fail_msg("%s: \"%s\" instead of \"%s\"", orr_err_name(e.code), e.message, says);
    assert_int_equal(orr_err_exit_status(code), 76);
    assert_int_equal(orr_registry_modules(r, &list), before);
    orr_registry_destroy(r);
}

static void another_interface_is_refused_with_both_values(void **state)
{
    (void)state;
    char says[128];
    orr_module m = good_module();
    m.abi = ORR_ABI + 1;
    snprintf(says, sizeof says, "ABI %u, this is %u", ORR_ABI + 1, ORR_ABI);
    refused(&m, ORR_E_PLUGIN_ABI, says);
    struct {
        size_t offset;
        const char *name;
        size_t ours;
    } sizes[] = {{offsetof(orr_module, module_size), "sizeof(orr_module)", sizeof(orr_module)},
                 {offsetof(orr_module, knob_size), "sizeof(orr_knob)", sizeof(orr_knob)},
                 {offsetof(orr_module, event_size), "sizeof(orr_event)", sizeof(orr_event)},
                 {offsetof(orr_module, request_size), "sizeof(orr_request)", sizeof(orr_request)},
                 {offsetof(orr_module, descriptor_size), "descriptor of size", sizeof(orr_order)}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int more = 0; more < 2; more++) {
            m = good_module();
            uint32_t theirs = (uint32_t)sizes[i].ours + (more ? 8 : (uint32_t)-(int32_t)(sizes[i].ours - 4));
            memcpy((char *)&m + sizes[i].offset, &theirs, sizeof theirs);
            snprintf(says, sizeof says, "%s %u, this is %zu", sizes[i].name, theirs, sizes[i].ours);
            refused(&m, ORR_E_PLUGIN_ABI, says);
        }
    m = good_module();
    m.kind = (orr_kind)99;
    refused(&m, ORR_E_PLUGIN_ABI, "");
}

/* A module of another layout: what we would take for its name is no pointer. */
static void nothing_but_the_sizes_of_a_stranger_is_read(void **state)
{
    (void)state;
    orr_module m = good_module();
    m.abi = 7;
    m.module_size = 16;
    m.name = (const char *)(uintptr_t)1;
    m.descriptor = (const void *)(uintptr_t)1;
    refused(&m, ORR_E_PLUGIN_ABI, "ABI 7");
}

static void a_descriptor_must_hold_together(void **state)
{
    (void)state;
    static const orr_order mute = {.key = key}, keyless = {.summary = "s"};
    static const orr_policy idle = {.summary = "s"};
    static const orr_placer placeless = {.summary = "s"};
    static const orr_estimator clueless = {.summary = "s"};
    static const orr_order wise = {.summary = "s", .key = key, .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE + 1}};
    const struct {
        orr_kind kind;
        uint32_t size;
        const void *descriptor;
        const char *says;
    } rows[] = {
        {ORR_KIND_ORDER, sizeof mute, &mute, "summary is missing"},
        {ORR_KIND_ORDER, sizeof keyless, &keyless, "decision function is missing"},
        {ORR_KIND_POLICY, sizeof idle, &idle, "decision function is missing"},
        {ORR_KIND_PLACER, sizeof placeless, &placeless, "decision function is missing"},
        {ORR_KIND_ESTIMATOR, sizeof clueless, &clueless, "decision function is missing"},
        {ORR_KIND_ORDER, sizeof wise, &wise, "knowledge level"},
        {ORR_KIND_ORDER, sizeof good, NULL, "no descriptor"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_module m = module_of(rows[i].kind, "bad", rows[i].size, rows[i].descriptor);
        refused(&m, ORR_E_PLUGIN_DESCRIPTOR, rows[i].says);
    }
}

static void knobs_lie_inside_their_struct(void **state)
{
    (void)state;
    static const orr_knob tables[][2] = {
        {{"k", ORR_KNOB_BOOL, 16, "off", NULL, "d"}},    /* behind it */
        {{"k", ORR_KNOB_NUMBER, 12, "0", NULL, "d"}},    /* over its end */
        {{"k", ORR_KNOB_LIST, 0, "", NULL, "d"}},        /* larger than it */
        {{"k", ORR_KNOB_BOOL, UINT32_MAX, "off", NULL, "d"}},
        {{"k", ORR_KNOB_BOOL, 0, "off", NULL, NULL}},    /* no doc */
        {{"k", ORR_KNOB_CHOICE, 0, "a", NULL, "d"}},     /* no choices */
        {{"k", (orr_knob_type)99, 0, "a", NULL, "d"}},
    };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        orr_order order = {.summary = "s", .key = key, .knobs = tables[i], .knobs_size = 16};
        orr_module m = module_of(ORR_KIND_ORDER, "bad", sizeof order, &order);
        refused(&m, ORR_E_PLUGIN_DESCRIPTOR, "a knob lies outside");
    }
    static const orr_preset presets[] = {{"p", NULL, "d"}, {NULL, NULL, NULL}};
    orr_order order = {.summary = "s", .key = key, .presets = presets};
    orr_module m = module_of(ORR_KIND_ORDER, "bad", sizeof order, &order);
    refused(&m, ORR_E_PLUGIN_DESCRIPTOR, "preset");
}

static void names_are_plain_and_new(void **state)
{
    (void)state;
    static const char *const names[] = {NULL, "", "Fifo", "a-b", "a b", "a+b", "\xc3\xa9"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        orr_module m = good_module();
        m.name = names[i];
        refused(&m, ORR_E_PLUGIN_DESCRIPTOR, "name");
    }
    orr_module m = good_module();
    m.name = "fifo";
    refused(&m, ORR_E_PLUGIN_DESCRIPTOR, "there is a module of this name already");
    static const orr_policy policy = {.summary = "s", .schedule = nothing};
    m = module_of(ORR_KIND_POLICY, "fifo", sizeof policy, &policy); /* orders and policies share their names */
    refused(&m, ORR_E_PLUGIN_DESCRIPTOR, "already");
}

static int family(orr_kind kind)
{
    return kind >= ORR_KIND_BATCHER ? ORR_KIND_SERVE : kind == ORR_KIND_POLICY ? ORR_KIND_ORDER : (int)kind;
}

static void lists_are_by_kind_and_name(void **state)
{
    (void)state;
    orr_registry *r = orr_registry_create();
    orr_module m = good_module(), z = good_module();
    z.name = "zz_top";
    assert_int_equal(orr_registry_add(r, &z, NULL), ORR_OK);
    assert_int_equal(orr_registry_add(r, &m, NULL), ORR_OK);
    const orr_module *const *list;
    size_t n = orr_registry_modules(r, &list);
    for (size_t i = 1; i < n; i++) {
        const int a = family(list[i - 1]->kind), b = family(list[i]->kind);
        assert_true(a < b || (a == b && strcmp(list[i - 1]->name, list[i]->name) < 0));
    }
    orr_error e = {0};
    assert_ptr_equal(orr_registry_find(r, ORR_KIND_ORDER, "good", &e), &m);
    assert_ptr_equal(orr_registry_find(r, ORR_KIND_POLICY, "zz-top", &e), &z); /* shown with '-' */
    assert_null(orr_registry_find(r, ORR_KIND_POLICY, "zz_top", &e));
    assert_non_null(strstr(e.hint, "zz-top"));
    assert_null(orr_registry_find(r, ORR_KIND_PLACER, "good", NULL));
    char shown[8];
    orr_module_shown_name(&z, shown, sizeof shown);
    assert_string_equal(shown, "zz-top");
    orr_module_shown_name(&z, shown, 4);
    assert_string_equal(shown, "zz-");
    orr_module_shown_name(&z, shown, 0);
    orr_registry_destroy(r);
    orr_registry_destroy(NULL);
}

/* ---- older descriptors ------------------------------------------------------------------------------------------- */

/* Up to and with the decision: what the first release had. What stands behind it in memory must not be read. */
static void an_older_descriptor_runs_with_defaults(void **state)
{
    (void)state;
    struct {
        unsigned char head[offsetof(orr_order, key) + sizeof(void *)];
        unsigned char rubbish[64];
    } old;
    memset(&old, 0xff, sizeof old);
    memcpy(old.head, &good, sizeof old.head);
    orr_module m = module_of(ORR_KIND_ORDER, "old", sizeof old.head, &old);
    stage *s = stage_create("nodes=1,gpus=4");
    assert_int_equal(orr_registry_add(s->registry, &m, &s->error), ORR_OK);
    stage_add(s, stage_job("wide", 0, 4, 10));
    stage_add(s, stage_job("narrow", 0, 1, 10));
    s->options.policy = "old";
    stage_run(s);
    stage_ends(s, "narrow:10 wide:20"); /* by its key; flags, admission, quantum and placer are the defaults */
    assert_non_null(strstr(orr_sim_policy_resolved(s->sim), "+consolidate"));
    assert_non_null(strstr(orr_sim_policy_resolved(s->sim), "hol=block,preempt=off"));
    stage_destroy(s);
}

static void smaller_than_the_first_is_refused(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .schedule = nothing};
    orr_module m = module_of(ORR_KIND_POLICY, "old", offsetof(orr_policy, schedule) + sizeof(void *), &policy);
    orr_registry *r = orr_registry_create();
    assert_int_equal(orr_registry_add(r, &m, NULL), ORR_OK);
    orr_registry_destroy(r);
    m.descriptor_size--;
    refused(&m, ORR_E_PLUGIN_ABI, "a descriptor of size");
}

/* ---- knobs that must be given ------------------------------------------------------------------------------------ */

static void a_required_knob_must_be_given(void **state)
{
    (void)state;
    typedef struct settings {
        const char *file;
        int64_t count;
    } settings;
    static const orr_knob knobs[] = {
        {"file", ORR_KNOB_TEXT, offsetof(settings, file), NULL, NULL, "where it lies"},
        {"count", ORR_KNOB_INT, offsetof(settings, count), NULL, NULL, "how many"},
        {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
    };
    static const orr_preset presets[] = {{"usual", "file=f,count=1", "d"}, {NULL, NULL, NULL}};
    static const orr_order order = {.summary = "s", .key = key, .knobs = knobs, .presets = presets, .knobs_size = sizeof(settings)};
    static const struct {
        const char *policy, *lacks;
    } rows[] = {{"test", "file"}, {"test,file=x", "count"}, {"test,count=1", "file"}, {"test,count=1,file=x", NULL},
                {"test:usual", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = stage_create("nodes=1,gpus=1");
        stage_order(s, &order);
        stage_add(s, stage_job("A", 0, 1, 1));
        s->options.policy = rows[i].policy;
        stage_open(s);
        assert_int_equal(s->code, rows[i].lacks ? ORR_E_MISSING : ORR_OK);
        if (rows[i].lacks)
            assert_non_null(strstr(s->error.message, rows[i].lacks));
        stage_destroy(s);
    }
}

/* ---- init and fini ----------------------------------------------------------------------------------------------- */

static int begun, ended;

static orr_err init(orr_ctx *ctx)
{
    (void)ctx;
    begun++;
    return ORR_OK;
}

static orr_err init_fails(orr_ctx *ctx)
{
    (void)ctx;
    begun++;
    return ORR_E_CAPABILITY;
}

static void fini(orr_ctx *ctx)
{
    (void)ctx;
    ended++;
}

static void fini_follows_init(void **state)
{
    (void)state;
    static const orr_policy fine = {.summary = "s", .schedule = nothing, .init = init, .fini = fini};
    static const orr_policy broken = {.summary = "s", .schedule = nothing, .init = init_fails, .fini = fini};
    static const orr_policy needy = {.summary = "s", .schedule = nothing, .init = init, .fini = fini, .needs = ORR_CAP_DEADLINE};
    const struct {
        const orr_policy *policy;
        const char *spec;
        int begun, ended;
        orr_err code;
    } rows[] = {
        {&fine, "test", 1, 1, ORR_OK},
        {&broken, "test", 1, 0, ORR_E_CAPABILITY},
        {&needy, "test", 0, 0, ORR_E_CAPABILITY},           /* never began */
        {&fine, "test+nowhere", 0, 0, ORR_E_UNKNOWN_POLICY},
        {&fine, "test,x=1", 0, 0, ORR_E_UNKNOWN_KNOB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = stage_create("nodes=1,gpus=1");
        begun = ended = 0;
        stage_policy(s, rows[i].policy);
        stage_add(s, stage_job("A", 0, 1, 1));
        s->options.policy = rows[i].spec;
        assert_int_equal(stage_open(s), rows[i].code);
        if (rows[i].code)
            assert_true(s->error.message[0] != '\0');
        if (rows[i].policy == &broken)
            assert_non_null(strstr(s->error.message, "policy 'test'"));
        stage_destroy(s);
        assert_int_equal(begun, rows[i].begun);
        assert_int_equal(ended, rows[i].ended);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_interface_is_refused_with_both_values),
        cmocka_unit_test(nothing_but_the_sizes_of_a_stranger_is_read),
        cmocka_unit_test(a_descriptor_must_hold_together),
        cmocka_unit_test(knobs_lie_inside_their_struct),
        cmocka_unit_test(names_are_plain_and_new),
        cmocka_unit_test(lists_are_by_kind_and_name),
        cmocka_unit_test(an_older_descriptor_runs_with_defaults),
        cmocka_unit_test(smaller_than_the_first_is_refused),
        cmocka_unit_test(a_required_knob_must_be_given),
        cmocka_unit_test(fini_follows_init),
    };
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
