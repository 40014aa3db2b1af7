/* What results differ in besides the policy. Some of it is in the summary by name; the rest are the settings that the
 * manifest lists, all but those which are about policies, paths and limits: a path says less than the digest, and a
 * limit that cut a run short shows in the jobs it measured. */
#include "report/comparison_facts.h"

#include "base/text.h"
#include <stdio.h>

/* One value by result; NULL: that result says nothing of it. */
typedef char *value_of(const orr_result *result, const char *name);

static char *text_value(const orr_result *r, const char *path)
{
    return orr_xstrdup(orr_result_text(r, path));
}

/* As it stands in the document, whatever its type. */
static char *raw_value(const orr_result *r, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), name);
    char *printed = item ? cJSON_PrintUnformatted(item) : NULL;
    char *copy = printed ? orr_xstrdup(printed) : NULL;
    cJSON_free(printed);
    return copy;
}

/* Of the trace after its selection. */
static char *job_count(const orr_result *r, const char *name)
{
    const cJSON *trace = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "trace");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(trace, name);
    char buf[ORR_DOUBLE_BUF] = "none";
    if (cJSON_IsNumber(item))
        orr_format_double(item->valuedouble, buf);
    return orr_xstrdup(buf);
}

static char *until_value(const orr_result *r, const char *name)
{
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "limits");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(limits, name);
    char buf[ORR_DOUBLE_BUF] = "none";
    if (cJSON_IsNumber(item))
        orr_format_double(item->valuedouble, buf);
    return orr_xstrdup(buf);
}

/* By digest where there is one: a name says nothing about the content, and paths vary. */
static char *input_value(const orr_result *r, const char *name)
{
    char path[32];
    snprintf(path, sizeof path, "%s.digest", name);
    const char *digest = orr_result_text(r, path);
    snprintf(path, sizeof path, "%s.name", name);
    orr_text t = {0};
    if (*digest)
        orr_text_addf(&t, "sha256 %.12s", digest);
    else
        orr_text_addf(&t, "%s", orr_result_text(r, path));
    return t.at;
}

static const cJSON *settings_of(const orr_result *r)
{
    return cJSON_GetObjectItemCaseSensitive(orr_result_manifest(r), "settings");
}

static char *setting_value(const orr_result *r, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(settings_of(r), name);
    return cJSON_IsString(item) ? orr_xstrdup(item->valuestring) : NULL;
}

/* ---- the list ---- */

static bool all_equal(char *const *values, size_t n)
{
    const char *first = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!first)
            first = values[i];
        else if (values[i] && strcmp(values[i], first) != 0)
            return false;
    }
    return true;
}

void orr_disparity_fini(orr_disparity *d, size_t results)
{
    for (size_t i = 0; i < results; i++)
        free(d->values[i]);
    free(d->values);
    free(d->what);
}

void orr_comparison_note(orr_comparison *c, const char *what, char **values)
{
    orr_disparity d = {orr_xstrdup(what), values};
    ORR_VEC_PUSH(&c->disparities, d);
}

static void look_at(orr_comparison *c, const char *what, const char *name, value_of *get)
{
    char **values = orr_xcalloc(c->results.n + 1, sizeof *values);
    for (size_t i = 0; i < c->results.n; i++)
        values[i] = get(c->results.at[i].result, name);
    if (all_equal(values, c->results.n)) {
        orr_disparity d = {NULL, values};
        orr_disparity_fini(&d, c->results.n);
        return;
    }
    for (size_t i = 0; i < c->results.n; i++)
        if (!values[i] || !*values[i]) {
            free(values[i]);
            values[i] = orr_xstrdup("none");
        }
    orr_comparison_note(c, what, values);
}

static bool is_listed(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

/* Settings that aren't of the scenario, or are looked at under their own names. */
static bool is_passed_over(const char *name)
{
    static const char *const list[] = {"trace",    "cluster", "policy",       "policies", "plugin",
                                       "strict",   "werror",  "seed",         "costs",    "clock",
                                       "measure",  "until",   "max-events",   "max-wall", "warmup",
                                       "cooldown", "metric",  "on-violation", "format",   "services",
                                       "serve",    NULL};
    return is_listed(list, name);
}

static void look_at_settings(orr_comparison *c)
{
    for (size_t i = 0; i < c->results.n; i++) {
        const cJSON *item;
        cJSON_ArrayForEach(item, settings_of(c->results.at[i].result))
        {
            bool told = is_passed_over(item->string);
            for (size_t before = 0; before < i && !told; before++)
                told = cJSON_GetObjectItemCaseSensitive(settings_of(c->results.at[before].result), item->string);
            if (!told)
                look_at(c, item->string, item->string, setting_value);
        }
    }
}

void orr_comparison_look(orr_comparison *c)
{
    look_at(c, "trace", "trace", input_value);
    look_at(c, "format", "trace.format", text_value);
    look_at(c, "jobs", "jobs", job_count);
    look_at(c, "services", "serving", input_value);
    look_at(c, "cluster", "cluster", input_value);
    look_at(c, "seed", "seed", raw_value);
    look_at(c, "clock", "clock", text_value);
    look_at(c, "costs", "costs", text_value);
    look_at(c, "until", "until", until_value);
    look_at(c, "measure", "measured.rule", text_value);
    look_at_settings(c);
}

bool orr_comparison_same(const orr_comparison *c, const char *what)
{
    for (size_t i = 0; i < c->disparities.n; i++)
        if (strcmp(c->disparities.at[i].what, what) == 0)
            return false;
    return true;
}

static void add_values(const orr_comparison *c, const orr_disparity *d, orr_text *t)
{
    orr_text_addf(t, "%s (", d->what);
    for (size_t i = 0; i < c->results.n; i++)
        orr_text_addf(t, "%s%s: %s", i ? "; " : "", c->results.at[i].label, d->values[i]);
    orr_text_addf(t, ")");
}

orr_err orr_comparison_refuse(const orr_comparison *c, orr_error *e)
{
    enum { ROOM = 600 };
    orr_text t = {0};
    for (size_t i = 0; i < c->disparities.n; i++) {
        if (i > 0 && t.n > ROOM) {
            orr_text_addf(&t, ", and %zu more", c->disparities.n - i);
            break;
        }
        orr_text_addf(&t, "%s", i ? ", " : "");
        add_values(c, &c->disparities.at[i], &t);
    }
    orr_error_set(e, ORR_E_NOT_COMPARABLE, "the results differ in more than the policy: %s", t.at);
    orr_error_hint(e, "--force compares them all the same, and says what differs");
    orr_text_fini(&t);
    return ORR_E_NOT_COMPARABLE;
}
