/* The manifest of a run: every key of the case as it was, with the caller's own settings among them. */
#include "study/case_keys.h"
#include "study/run_files.h"
#include "study/wall.h"

#include <stdlib.h>

typedef ORR_VEC(orr_report_setting) setting_list;

static void add_setting(setting_list *list, const char *name, char *value_owned)
{
    ORR_VEC_PUSH(list, ((orr_report_setting){name, value_owned}));
}

/* The extras behind this key; NULL: those that name no key. */
static void add_extras(setting_list *list, const orr_case_hooks *hooks, const char *behind)
{
    for (size_t i = 0; i < hooks->extra_count; i++) {
        const orr_case_extra *x = &hooks->extras[i];
        if (behind && x->behind ? strcmp(behind, x->behind) == 0 : !behind && !x->behind)
            add_setting(list, x->name, orr_xstrdup(x->value));
    }
}

static void list_settings(setting_list *list, const orr_case *c, const orr_case_hooks *hooks)
{
    for (const orr_key *key = orr_case_keys.at; key->name; key++) {
        orr_text value = {0};
        orr_schema_value(key, c, &value);
        add_setting(list, key->name, value.at);
        add_extras(list, hooks, key->name);
    }
    add_extras(list, hooks, NULL);
}

static void free_settings(setting_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((char *)list->at[i].value);
    ORR_VEC_FREE(list);
}

orr_err orr_run_manifest(const orr_run_done *done, orr_text *out, orr_error *e)
{
    setting_list list = {0};
    const orr_wall_place here = orr_wall_here();
    list_settings(&list, done->c, done->hooks);
    const orr_report_manifest m = {.argc = done->hooks->argc,
                                   .argv = done->hooks->argv,
                                   .settings = list.at,
                                   .setting_count = list.n,
                                   .no_wall = done->hooks->no_wall,
                                   .wall_date = here.date,
                                   .wall_host = here.host,
                                   .wall_duration_s = done->wall_s,
                                   .wall_max_rss_kib = here.max_rss_kib,
                                   .wall_decide_us = {done->decide_us[0], done->decide_us[1], done->decide_us[2]}};
    const orr_err err = orr_manifest_json(done->report, &m, out, e);
    free_settings(&list);
    return err;
}
