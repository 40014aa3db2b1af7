#include "facts.h"
#include "trace/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

cJSON *facts_of(orr_trace *trace)
{
    orr_description *d = orr_trace_describe(trace);
    cJSON *json = orr_trace_describe_json(d);
    char *text = cJSON_PrintUnformatted(json);
    cJSON *again = cJSON_Parse(text);
    assert_non_null(again);
    cJSON_free(text);
    cJSON_Delete(json);
    orr_description_destroy(d);
    orr_trace_destroy(trace);
    return again;
}

cJSON *facts_of_text(const char *text, const orr_trace_options *options)
{
    orr_error e;
    orr_trace *trace = reading(text, options, &e);
    if (!trace)
        fail_msg("%s: %s", e.message, text);
    return facts_of(trace);
}

/* [12], or [key=value]: the first item whose member is this text or number. */
static const cJSON *item_of(const cJSON *list, const char *index)
{
    char key[64], want[64];
    const cJSON *item;
    if (sscanf(index, "[%63[^]=]=%63[^]]]", key, want) < 2)
        return cJSON_GetArrayItem(list, atoi(index + 1));
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *member = cJSON_GetObjectItemCaseSensitive(item, key);
        if (cJSON_IsString(member) ? strcmp(member->valuestring, want) == 0
                                   : cJSON_IsNumber(member) && member->valuedouble == atof(want))
            return item;
    }
    return NULL;
}

const cJSON *fact_at(const cJSON *facts, const char *path)
{
    while (facts && *path) {
        char name[64];
        const size_t n = *path == '[' ? strcspn(path, "]") + 1 : strcspn(path, ".[");
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        facts = *path == '[' ? item_of(facts, name) : cJSON_GetObjectItemCaseSensitive(facts, name);
        path += n;
        path += *path == '.';
    }
    return facts;
}

void assert_fact(const cJSON *facts, fact_row row)
{
    char buf[64] = "null";
    const cJSON *at = fact_at(facts, row.path);
    if (!at)
        fail_msg("there is no %s", row.path);
    if (cJSON_IsNumber(at))
        snprintf(buf, sizeof buf, "%.*f", row.decimals, at->valuedouble);
    const char *got = cJSON_IsString(at) ? at->valuestring : buf;
    if (strcmp(got, row.want) != 0)
        fail_msg("%s is %s, not %s", row.path, got, row.want);
}

void assert_facts(const cJSON *facts, const fact_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_fact(facts, rows[i]);
}
