#include "study/numbers.h"

#include "base/text.h"
#include "metrics/expr.h"
#include "study/tolerance.h"
#include <math.h>
#include <stdio.h>

/* ---- looking up ---- */

static const cJSON *member(const cJSON *object, const char *key, size_t n)
{
    char name[96];
    if (n >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)n, key);
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool take(const cJSON *item, double *value)
{
    if (!cJSON_IsNumber(item) && !cJSON_IsNull(item))
        return false;
    *value = cJSON_IsNull(item) ? (double)NAN : item->valuedouble;
    return true;
}

/* "a.b" is the member b of a, "a" is a itself. */
static bool in_group(const cJSON *groups, const char *key, size_t n, double *value)
{
    const char *dot = memchr(key, '.', n);
    if (!dot)
        return take(member(groups, key, n), value);
    const size_t head = (size_t)(dot - key);
    return take(member(member(groups, key, head), dot + 1, n - head - 1), value);
}

static bool starts(const char *key, size_t n, const char *head)
{
    return n > strlen(head) && memcmp(key, head, strlen(head)) == 0;
}

static bool in_scope(const cJSON *scope, const char *key, size_t n, double *value)
{
    if (n == 8 && memcmp(key, "measured", 8) == 0)
        return in_group(scope, "measured.n", 10, value);
    if (starts(key, n, "jobs.") || starts(key, n, "counts."))
        return in_group(scope, key, n, value);
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(scope, "metrics");
    if (!starts(key, n, "rho."))
        return in_group(metrics, key, n, value);
    char full[96];
    const int length = snprintf(full, sizeof full, "rho:avg_n%.*s", (int)n - 3, key + 3);
    return in_group(metrics, full, (size_t)length, value);
}

static const cJSON *scope_of(const cJSON *summary, const char *key, size_t *n)
{
    const char *at = strchr(key, '@');
    *n = at ? (size_t)(at - key) : strlen(key);
    if (!at)
        return summary;
    const cJSON *vc = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(summary, "vcs"), at + 1);
    const cJSON *serving = cJSON_GetObjectItemCaseSensitive(summary, "serving");
    const cJSON *services = cJSON_GetObjectItemCaseSensitive(serving, "services");
    return vc ? vc : cJSON_GetObjectItemCaseSensitive(services, at + 1);
}

bool orr_numbers_get(const cJSON *summary, const char *key, double *value)
{
    size_t n;
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(summary, "metrics");
    const cJSON *custom = cJSON_GetObjectItemCaseSensitive(metrics, "custom");
    if (take(cJSON_GetObjectItemCaseSensitive(custom, key), value))
        return true;
    const cJSON *scope = scope_of(summary, key, &n);
    return scope && in_scope(scope, key, n, value);
}

/* ---- nearest ---- */

typedef struct candidates {
    char (*names)[64];
    ORR_VEC(const char *) list;
    size_t n;
} candidates;

static void add_candidate(candidates *c, const char *group, const char *name)
{
    if (c->n == 512)
        return;
    snprintf(c->names[c->n], sizeof *c->names, "%s%s%s", group, *group ? "." : "", name);
    ORR_VEC_PUSH(&c->list, c->names[c->n]);
    c->n++;
}

static void add_group(candidates *c, const char *group, const cJSON *object)
{
    for (const cJSON *item = object ? object->child : NULL; item; item = item->next)
        if (cJSON_IsObject(item))
            add_group(c, item->string, item);
        else
            add_candidate(c, group, item->string);
}

bool orr_numbers_nearest(const cJSON *summary, const char *key, char near[64])
{
    candidates c = {.names = orr_xcalloc(512, sizeof *c.names)};
    add_candidate(&c, "", "measured");
    add_group(&c, "", cJSON_GetObjectItemCaseSensitive(summary, "metrics"));
    add_group(&c, "jobs", cJSON_GetObjectItemCaseSensitive(summary, "jobs"));
    add_group(&c, "counts", cJSON_GetObjectItemCaseSensitive(summary, "counts"));
    const char *found = orr_nearest(key, c.list.at, c.list.n);
    if (found)
        snprintf(near, 64, "%s", found);
    ORR_VEC_FREE(&c.list);
    free(c.names);
    return found;
}

/* ---- what is known of a key without a run ---- */

typedef struct lookup {
    const char *key;
    const char *unit;
    bool known;
} lookup;

static void match(void *self, const char *key, double value, const char *unit)
{
    lookup *l = self;
    (void)value;
    if (l->known || !orr_tolerance_matches(l->key, key))
        return;
    l->known = true;
    l->unit = unit;
}

/* The key without its virtual cluster, and with rho's full name. */
static void plain(const char *key, char buf[96])
{
    const size_t n = strcspn(key, "@");
    const bool rho = strncmp(key, "rho.", 4) == 0;
    snprintf(buf, 96, "%s%.*s", rho ? "rho:avg_n." : "", (int)(rho ? n - 4 : n), rho ? key + 4 : key);
}

static lookup look_up(const char *key)
{
    static const orr_metrics none;
    char buf[96];
    lookup l = {.key = buf, .unit = ""};
    plain(key, buf);
    if (strncmp(buf, "jobs.", 5) == 0 || strncmp(buf, "counts.", 7) == 0)
        return (lookup){.unit = "count", .known = true};
    orr_metrics_each(&none, match, &l);
    return l;
}

const char *orr_numbers_unit(const char *key)
{
    const lookup l = look_up(key);
    orr_expr *expr = l.known ? NULL : orr_expr_parse(key, NULL);
    const bool time = expr && orr_expr_is_time(expr);
    orr_expr_destroy(expr);
    return time ? "s" : l.unit;
}

bool orr_numbers_known(const char *pattern)
{
    return look_up(pattern).known;
}

orr_direction orr_numbers_direction(const char *key)
{
    char buf[96];
    plain(key, buf);
    return orr_metric_direction(buf);
}
