/* A case as data: defaults, keys in, a canonical text out. */
#include "study/case.h"

#include "config/schema_value.h"
#include "study/case_keys.h"

orr_case orr_case_default(void)
{
    orr_case c;
    memset(&c, 0, sizeof c);
    orr_schema_defaults(&orr_case_keys, &c);
    return c;
}

orr_err orr_case_set(orr_case *c, orr_arena *arena, const char *key, const char *value, orr_error *e)
{
    return orr_schema_set(&orr_case_keys, arena, key, value, c, e);
}

orr_err orr_case_read(orr_case *c, const orr_yaml_doc *doc, const orr_yaml *map, const char *const *skip, orr_error *e)
{
    return orr_schema_read_beside(&orr_case_keys, skip, doc, map, c, e);
}

static bool is_given(const char *text)
{
    return text && text[0];
}

bool orr_case_has_jobs(const orr_case *c)
{
    return is_given(c->trace) || !is_given(c->services);
}

void orr_case_label(const orr_case *c, orr_text *out)
{
    const bool jobs = orr_case_has_jobs(c), serves = is_given(c->services);
    orr_text_addf(out, "%s", !jobs ? "" : is_given(c->policy) ? c->policy : "fifo");
    orr_text_addf(out, "%s%s", jobs && serves ? " / " : "", !serves ? "" : is_given(c->serve) ? c->serve : "none");
}

/* ---- the canonical text ---- */

void orr_case_text(const orr_case *c, orr_text *out)
{
    const orr_case normal = orr_case_default();
    orr_text value = {0}, usual = {0};
    size_t told = 0;
    orr_text_add(out, "", 0);
    for (const orr_key *key = orr_case_keys.at; key->name; key++) {
        orr_text_clear(&value);
        orr_text_clear(&usual);
        orr_schema_value(key, c, &value);
        orr_schema_value(key, &normal, &usual);
        if (strcmp(value.at, usual.at) == 0)
            continue;
        orr_text_addf(out, "%s%s=", told++ ? " " : "", key->name);
        orr_value_add_word(value.at, out);
    }
    orr_text_fini(&value);
    orr_text_fini(&usual);
}
