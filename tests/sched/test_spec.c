/* The text that names a policy: taken apart, presets, settings, and the resolved form. */
#include "../sim/stage.h"
#include "sched/ctx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void parts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *policy, *placer, *estimator;
    } rows[] = {
        {"fifo", "fifo", NULL, NULL},
        {"", "", NULL, NULL},
        {"fifo+spread", "fifo", "spread", NULL},
        {"sjf~noisy", "sjf", NULL, "noisy"},
        {"sjf~noisy,sigma=2+skew:x,threshold=0.3", "sjf", "skew:x,threshold=0.3", "noisy,sigma=2"},
        {"a:b,c=1+d~e:f,g=2", "a:b,c=1", "d", "e:f,g=2"},
        {"a,k=1e+5", "a,k=1e+5", NULL, NULL},     /* a number's sign */
        {"a,k=1e+5+b", "a,k=1e+5", "b", NULL},
        {"a,k=/tmp/x~1", "a,k=/tmp/x~1", NULL, NULL},
        {"a+", "a+", NULL, NULL},
        {"+spread", "", "spread", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_spec spec;
        assert_int_equal(orr_spec_parse(rows[i].text, &spec, NULL), ORR_OK);
        assert_string_equal(spec.policy, rows[i].policy);
        assert_string_equal(spec.placer ? spec.placer : "-", rows[i].placer ? rows[i].placer : "-");
        assert_string_equal(spec.estimator ? spec.estimator : "-", rows[i].estimator ? rows[i].estimator : "-");
        orr_spec_fini(&spec);
    }
}

static void two_of_a_kind(void **state)
{
    (void)state;
    static const char *const rows[] = {"fifo+spread+random", "sjf~noisy~oracle", "sjf+a~b+c"};
    for (size_t i = 0; i < 3; i++) {
        orr_spec spec = {0};
        orr_error e = {0};
        assert_int_equal(orr_spec_parse(rows[i], &spec, &e), ORR_E_CONFLICT);
        assert_null(spec.policy);
        assert_non_null(strstr(e.message, rows[i]));
    }
}

static stage *opened(const char *policy)
{
    stage *s = stage_create("nodes=1,gpus=1");
    orr_trace_job job = stage_job("A", 0, 1, 1);
    job.deadline = ORR_SECOND;
    job.start = 0;
    stage_add(s, job);
    s->options.policy = policy;
    stage_open(s);
    return s;
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        orr_err code;
        const char *says, *hint;
    } rows[] = {
        {"fito", ORR_E_UNKNOWN_POLICY, "no policy 'fito'", "fifo"},
        {"", ORR_E_UNKNOWN_POLICY, "no policy ''", ""},
        {"FIFO", ORR_E_UNKNOWN_POLICY, "no policy 'FIFO'", ""},
        {"fifo+sprad", ORR_E_UNKNOWN_POLICY, "no placer 'sprad'", "spread"},
        {"sjf~nosy", ORR_E_UNKNOWN_POLICY, "no estimator 'nosy'", "noisy"},
        {"spread", ORR_E_UNKNOWN_POLICY, "no policy 'spread'", ""},
        {"fifo,hll=block", ORR_E_UNKNOWN_KNOB, "fifo has no knob 'hll'", "hol"},
        {"fifo,hol", ORR_E_BAD_VALUE, "'hol' is no setting", "KNOB=VALUE"},
        {"fifo,hol=blok", ORR_E_BAD_VALUE, "knob hol can't be 'blok'", "block|skip"},
        {"fifo,hol=", ORR_E_BAD_VALUE, "knob hol can't be ''", "block|skip"},
        {"fifo,", ORR_OK, "", ""},
        {"fifo:heliosx", ORR_E_UNKNOWN_PRESET, "fifo has no preset 'heliosx'", "helios"},
        {"fifo:", ORR_E_UNKNOWN_PRESET, "fifo has no preset ''", ""},
        {"lpjf:x", ORR_E_UNKNOWN_PRESET, "lpjf has no preset 'x'", "lists its presets"},
        {"fifo+skew,threshold=2", ORR_E_BAD_VALUE, "knob threshold", "0..1"},
        {"fifo+skew,hol=block", ORR_E_UNKNOWN_KNOB, "skew has no knob 'hol'", ""},
        {"fifo~oracle", ORR_E_CONFLICT, "an estimator changes nothing", ""},
        {"fifo+spread+spread", ORR_E_CONFLICT, "names two of one kind", ""},
        {"tiresias,index=gittins", ORR_E_MISSING, "policy 'tiresias'", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = opened(rows[i].policy);
        if (s->code != rows[i].code)
            fail_msg("'%s' gives %s: %s", rows[i].policy, orr_err_name(s->code), s->error.message);
        if (!strstr(s->error.message, rows[i].says) || !strstr(s->error.hint, rows[i].hint))
            fail_msg("'%s': \"%s\", hint \"%s\"", rows[i].policy, s->error.message, s->error.hint);
        stage_destroy(s);
    }
}

static void resolves_to(const char *policy, const char *with, const char *without)
{
    stage *s = opened(policy);
    if (s->code)
        fail_msg("%s: %s", policy, s->error.message);
    const char *resolved = orr_sim_policy_resolved(s->sim);
    if ((with && !strstr(resolved, with)) || (without && strstr(resolved, without)))
        fail_msg("%s resolves to %s", policy, resolved);
    stage *again = opened(resolved); /* what it resolves to resolves to itself */
    if (again->code)
        fail_msg("%s: %s", resolved, again->error.message);
    assert_string_equal(orr_sim_policy_resolved(again->sim), resolved);
    stage_destroy(again);
    stage_destroy(s);
}

static void the_resolved_form_has_everything(void **state)
{
    (void)state;
    resolves_to("fifo", "fifo,hol=block,", "~");
    resolves_to("fifo", "+consolidate,pick=fullest", NULL);
    resolves_to("fifo:helios", "ties=row", NULL);
    resolves_to("fifo:helios,ties=id", "ties=id", "ties=row"); /* the user's word stands over the preset's */
    resolves_to("fifo,hol=skip,hol=block", "hol=block", "hol=skip");
    resolves_to("sjf", "~oracle", NULL);
    resolves_to("sjf~noisy,sigma=0.25", "~noisy,sigma=0.25", NULL);
    resolves_to("sgf:tiresias", "+first-fit", "+consolidate");      /* a preset brings its placer, */
    resolves_to("sgf:tiresias+spread", "+spread", "+first-fit");    /* unless the user names one */
    resolves_to("fifo+consolidate:yarn", "pick=first,rest=first,within=rack", NULL);
    resolves_to("fifo+consolidate-first", "+consolidate-first", NULL); /* '-' shown for '_' */
    resolves_to("tiresias", "thresholds=3250/7200", NULL);
    resolves_to("las", "quantum=60", NULL);
}

static void every_module_resolves_with_every_preset(void **state)
{
    (void)state;
    orr_registry *registry = orr_registry_create();
    const orr_module *const *modules;
    size_t n = orr_registry_modules(registry, &modules);
    for (size_t i = 0; i < n; i++) {
        char name[64], text[256];
        const orr_placer *head = modules[i]->descriptor;
        if (modules[i]->kind >= ORR_KIND_BATCHER)
            continue; /* they serve: tests/serve/test_resolved.c */
        orr_module_shown_name(modules[i], name, sizeof name);
        const char *form = modules[i]->kind == ORR_KIND_PLACER ? "fifo+%s" : modules[i]->kind == ORR_KIND_ESTIMATOR ? "sjf~%s" : "%s";
        const char *star = strstr(form, "%s");
        snprintf(text, sizeof text, "%.*s%s", (int)(star - form), form, name);
        resolves_to(text, name, NULL);
        for (const orr_preset *p = head->presets; p && p->name; p++) {
            snprintf(text, sizeof text, "%.*s%s:%s", (int)(star - form), form, name, p->name);
            resolves_to(text, name, NULL);
        }
    }
    orr_registry_destroy(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(two_of_a_kind),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(the_resolved_form_has_everything),
        cmocka_unit_test(every_module_resolves_with_every_preset),
    };
    return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
