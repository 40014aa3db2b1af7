#include "model/rule_text.h"

#include <stdio.h>
#include <string.h>

orr_err orr_rule_wrong(const orr_rule_names *names, const char *text, size_t n, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "the %s can't be '%.*s': %s", names->what, (int)(n < 80 ? n : 80), text, why);
    orr_error_hint(e, "%s", names->hint);
    return ORR_E_BAD_VALUE;
}

bool orr_rule_is_key(const char *item, size_t n, const char *key)
{
    const size_t k = strlen(key);
    return n > k && memcmp(item, key, k) == 0 && item[k] == '=';
}

/* -1: there is none. */
static int find_name(const orr_rule_names *names, const char *name, size_t n)
{
    for (int i = 0; i < names->count; i++)
        if (strlen(names->at[i]) == n && memcmp(names->at[i], name, n) == 0)
            return i;
    return -1;
}

orr_err orr_rule_parse(const orr_rule_names *names, const char *text, int *kind,
                       bool (*set)(void *self, int kind, const char *item, size_t n), void *self, orr_error *e)
{
    char why[64];
    const char *item = text ? text : "";
    size_t n = strcspn(item, ",");
    *kind = n ? find_name(names, item, n) : 0;
    if (*kind < 0) {
        snprintf(why, sizeof why, "there is no such %s", names->noun);
        return orr_rule_wrong(names, item, n, why, e);
    }
    while (item[n]) {
        item += n + 1;
        n = strcspn(item, ",");
        if (set(self, *kind, item, n))
            continue;
        snprintf(why, sizeof why, "the %s has no such setting", names->noun);
        return orr_rule_wrong(names, item, n, why, e);
    }
    return ORR_OK;
}
