#define _POSIX_C_SOURCE 200809L
#include "manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef ORR_VEC(orr_report_setting) setting_list;

static void choice_text(const opt *o, int32_t index, orr_text *t)
{
    const char *p = o->values;
    for (; index > 0; index--)
        p = strchr(p, '|') + 1;
    orr_text_add(t, p, strcspn(p, "|"));
}

static void list_text(const texts *list, orr_text *t)
{
    for (size_t i = 0; i < list->n; i++)
        orr_text_addf(t, "%s%s", i ? " " : "", list->at[i]);
}

static void time_text(orr_time v, orr_text *t)
{
    char buf[ORR_TIME_BUF];
    if (v == ORR_TIME_MAX) {
        orr_text_addf(t, "inf");
    } else if (v != ORR_TIME_NONE) {
        orr_time_format(v, buf);
        orr_text_addf(t, "%ss", buf);
    }
}

static void real_text(double v, orr_text *t)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(v, buf);
    orr_text_addf(t, "%s", buf);
}

/* The value of an option as one would type it. */
static void value_text(const opt *o, const settings *set, orr_text *t)
{
    const void *member = (const char *)set + o->offset;
    switch (o->type) {
    case OPT_BOOL:
        orr_text_addf(t, "%s", *(const bool *)member ? "on" : "off");
        return;
    case OPT_TEXT:
        orr_text_addf(t, "%s", *(const char *const *)member ? *(const char *const *)member : "");
        return;
    case OPT_LIST:
        list_text(member, t);
        return;
    case OPT_INT:
        orr_text_addf(t, "%lld", (long long)*(const int64_t *)member);
        return;
    case OPT_COUNT:
        orr_text_addf(t, "%llu", (unsigned long long)*(const uint64_t *)member);
        return;
    case OPT_REAL:
        real_text(*(const double *)member, t);
        return;
    case OPT_TIME:
        time_text(*(const orr_time *)member, t);
        return;
    case OPT_CHOICE:
        choice_text(o, *(const int32_t *)member, t);
        return;
    }
}

/* What decides the results: everything but how and where they are told. */
static bool matters(const opt *o)
{
    return (o->commands & CMD_RUN) && strcmp(o->group, "Output") != 0 && strcmp(o->group, "General") != 0;
}

static void list_settings(const settings *set, setting_list *list)
{
    for (const opt *o = opt_table(); o->name; o++) {
        if (!matters(o))
            continue;
        orr_text t = {0};
        value_text(o, set, &t);
        ORR_VEC_PUSH(list, ((orr_report_setting){o->name, t.at ? t.at : orr_xstrdup("")}));
    }
}

static void free_settings(setting_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free((char *)list->at[i].value);
    ORR_VEC_FREE(list);
}

static void date_text(char *buf, size_t size)
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static int64_t max_rss_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

orr_err manifest_text(const run *r, const app *a, orr_text *out, orr_error *e)
{
    setting_list list = {0};
    char date[32], host[256] = "";
    list_settings(a->set, &list);
    date_text(date, sizeof date);
    gethostname(host, sizeof host - 1);
    const orr_report_manifest m = {.argc = a->argc,
                                   .argv = (const char *const *)a->argv,
                                   .settings = list.at,
                                   .setting_count = list.n,
                                   .no_wall = !a->set->wall,
                                   .wall_date = date,
                                   .wall_host = host,
                                   .wall_duration_s = r->wall_s,
                                   .wall_max_rss_kib = max_rss_kib(),
                                   .wall_decide_us = {r->decide_us[0], r->decide_us[1], r->decide_us[2]}};
    const orr_err err = orr_manifest_json(&r->report, &m, out, e);
    free_settings(&list);
    return err;
}
