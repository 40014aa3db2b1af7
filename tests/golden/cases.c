#include "cases.h"

#include "run.h"

#include "base/io.h"
#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct said_value {
    char key[96];
    double value;
    const char *text; /* NULL: a number */
    bool asked;
} said_value;

struct answers {
    ORR_VEC(said_value) all;
    const char *id, *passed_over;
    double apart;
    size_t compared;
};

/* ---- reading ---- */

cJSON *json_read(const char *path)
{
    orr_error e = {0};
    orr_input *in = orr_input_open(path, &e);
    char *data = NULL;
    size_t size = 0;
    if (!in || orr_input_all(in, &data, &size, &e))
        fail_msg("%s: %s", path, e.message);
    orr_input_close(in);
    cJSON *root = cJSON_ParseWithLength(data, size);
    free(data);
    assert_non_null(root);
    return root;
}

cJSON *cases_read(const char *name)
{
    char path[1024];
    return run_shared(path, name) ? json_read(path) : NULL;
}

const cJSON *field_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!item)
        fail_msg("%s is not there", key);
    return item;
}

double real_of(const cJSON *object, const char *key)
{
    const cJSON *item = field_of(object, key);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

void reals_of(const cJSON *array, double unit, double *out, size_t cap, size_t *n)
{
    *n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        assert_true(cJSON_IsNumber(item) && *n < cap);
        out[(*n)++] = item->valuedouble * unit;
    }
}

/* ---- answering ---- */

static void add(answers *out, double value, const char *text, const char *key, va_list args)
{
    said_value v = {.value = value, .text = text};
    assert_true(vsnprintf(v.key, sizeof v.key, key, args) < (int)sizeof v.key);
    ORR_VEC_PUSH(&out->all, v);
}

void answer(answers *out, double value, const char *key, ...)
{
    va_list args;
    va_start(args, key);
    add(out, value, NULL, key, args);
    va_end(args);
}

void answer_text(answers *out, const char *value, const char *key, ...)
{
    va_list args;
    va_start(args, key);
    add(out, 0, value, key, args);
    va_end(args);
}

/* ---- comparing ---- */

static said_value *find(answers *a, const char *key)
{
    for (size_t i = 0; i < a->all.n; i++)
        if (strcmp(a->all.at[i].key, key) == 0)
            return &a->all.at[i];
    fail_msg("%s: %s has no answer", a->id, key);
    return NULL;
}

static void compare_number(const answers *a, const char *key, double expected, double got)
{
    if (!(fabs(got - expected) <= a->apart * fabs(expected)))
        fail_msg("%s: %s is %.17g, not %.17g", a->id, key, got, expected);
}

static void compare_leaf(answers *a, const char *key, const cJSON *expected)
{
    said_value *got = find(a, key);
    got->asked = true;
    a->compared++;
    if (cJSON_IsString(expected)) {
        assert_non_null(got->text);
        assert_string_equal(got->text, expected->valuestring);
    } else if (cJSON_IsBool(expected)) {
        compare_number(a, key, cJSON_IsTrue(expected), got->value);
    } else {
        assert_true(cJSON_IsNumber(expected));
        compare_number(a, key, expected->valuedouble, got->value);
    }
}

static void compare(answers *a, const char *path, const cJSON *expected)
{
    if (!cJSON_IsArray(expected) && !cJSON_IsObject(expected)) {
        compare_leaf(a, path, expected);
        return;
    }
    size_t i = 0;
    for (const cJSON *item = expected->child; item; item = item->next, i++) {
        char key[128], number[24];
        snprintf(number, sizeof number, "%zu", i);
        snprintf(key, sizeof key, "%s%s%s", path, path[0] ? "." : "", item->string ? item->string : number);
        if (!a->passed_over || strcmp(key, a->passed_over) != 0)
            compare(a, key, item);
    }
}

/* What was answered and is not expected: an item too many. */
static void all_were_asked(const answers *a)
{
    for (size_t i = 0; i < a->all.n; i++)
        if (!a->all.at[i].asked)
            fail_msg("%s: %s was not expected", a->id, a->all.at[i].key);
}

size_t cases_run(const cJSON *root, double apart, const char *passed_over,
                 void (*one)(const cJSON *a_case, const char *id, const cJSON *input, answers *out))
{
    size_t n = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, field_of(root, "cases"))
    {
        answers a = {.id = field_of(item, "id")->valuestring, .apart = apart, .passed_over = passed_over};
        one(item, a.id, field_of(item, "input"), &a);
        compare(&a, "", field_of(item, "expected"));
        all_were_asked(&a);
        assert_true(a.compared > 0);
        ORR_VEC_FREE(&a.all);
        n++;
    }
    return n;
}
