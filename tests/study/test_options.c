/* The keys of a case and the options of `run` that decide a result are one set: the same names, types and defaults. */
#include "study/case_keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../tools/orrery/options.c"

/* What is about this process or these messages, and not about the result. */
static const char *const others[] = {"werror", "plugin", "max-wall"};
static const char *const groups[] = {"Input", "Selection", "Cluster", "Policy", "Scenario", "Limits"};

static bool is_among(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static bool decides(const opt *o)
{
    return (o->commands & CMD_RUN) && is_among(o->group, groups, sizeof groups / sizeof *groups) &&
           !is_among(o->name, others, sizeof others / sizeof *others);
}

static const opt *option_of(const char *name)
{
    for (const opt *o = opt_table(); o->name; o++)
        if (decides(o) && strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static orr_key_type type_of(const opt *o)
{
    switch (o->type) {
    case OPT_BOOL:
        return ORR_KEY_BOOL;
    case OPT_TEXT:
        return ORR_KEY_TEXT;
    case OPT_LIST:
        /* of these a case has one */
        return strcmp(o->name, "policy") == 0 || strcmp(o->name, "serve") == 0 ? ORR_KEY_TEXT : ORR_KEY_NAMES;
    case OPT_INT:
        return ORR_KEY_INT;
    case OPT_COUNT:
        return ORR_KEY_NATURAL;
    case OPT_REAL:
        return ORR_KEY_REAL;
    case OPT_TIME:
        return ORR_KEY_DURATION;
    case OPT_CHOICE:
        return ORR_KEY_CHOICE;
    }
    return ORR_KEY_MAP;
}

static const char *fallback_of(const opt *o)
{
    return o->fallback ? o->fallback : o->type == OPT_BOOL ? "off" : "";
}

static void every_option_is_a_key(void **state)
{
    (void)state;
    for (const opt *o = opt_table(); o->name; o++)
        if (decides(o) && !orr_schema_find(&orr_case_keys, o->name))
            fail_msg("--%s is no key of a case", o->name);
}

static void every_key_is_an_option(void **state)
{
    (void)state;
    for (const orr_key *key = orr_case_keys.at; key->name; key++) {
        const opt *o = option_of(key->name);
        if (!o) {
            fail_msg("the key %s is no option of run", key->name);
            return;
        }
        if (type_of(o) != key->type)
            fail_msg("%s has two types", key->name);
        if (strcmp(fallback_of(o), key->fallback) != 0)
            fail_msg("%s is '%s' as an option and '%s' as a key", key->name, fallback_of(o), key->fallback);
        if (key->type == ORR_KEY_CHOICE)
            assert_string_equal(key->each, o->values);
    }
}

static void they_stand_in_one_order(void **state)
{
    (void)state;
    const orr_key *key = orr_case_keys.at;
    for (const opt *o = opt_table(); o->name; o++) {
        if (!decides(o))
            continue;
        assert_string_equal(key->name, o->name);
        key++;
    }
    assert_null(key->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_a_key),
        cmocka_unit_test(every_key_is_an_option),
        cmocka_unit_test(they_stand_in_one_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
