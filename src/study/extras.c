#include "study/extras.h"

#include "base/text.h"
#include "report/out.h"
#include "report/run_page.h"

static const orr_extra table[] = {
    {"html", "report.html", orr_run_page_write},
    {"perfetto", "perfetto.json.gz", orr_out_perfetto},
    {"openmetrics", "metrics.txt", orr_out_openmetrics},
    {"batsim", "batsim/", orr_out_batsim},
    {"swf", "schedule.swf", orr_out_swf},
    {"sqlite", "result.sqlite", orr_out_sqlite},
    {"requests", "requests.csv", NULL},
    {0},
};

enum { COUNT = sizeof table / sizeof *table - 1 };

const orr_extra *orr_extras(void)
{
    return table;
}

static const orr_extra *find(const char *name)
{
    for (const orr_extra *x = table; x->name; x++)
        if (strcmp(x->name, name) == 0)
            return x;
    return NULL;
}

static orr_err unknown(const char *name, orr_error *e)
{
    const char *names[COUNT + 1];
    orr_text all = {0};
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = table[i].name;
        orr_text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    }
    orr_error_set(e, ORR_E_BAD_VALUE, "--write knows no '%.40s'", name);
    orr_error_text(e, name, strlen(name));
    const char *near = orr_nearest(name, names, COUNT);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    else
        orr_error_hint(e, "it takes all, or names with commas between: %s", all.at);
    orr_text_fini(&all);
    return ORR_E_BAD_VALUE;
}

/* Of `all`: a row for each of millions of requests is asked for by name. */
static bool is_possible(const orr_extra *x)
{
    return x->write && (x->write != orr_out_sqlite || orr_out_has_sqlite());
}

/* Marks one name, or all that this program was built with. */
static orr_err mark(const char *name, bool wanted[COUNT], orr_error *e)
{
    const orr_extra *x = find(name);
    const bool all = strcmp(name, "all") == 0;
    if (!x && !all)
        return unknown(name, e);
    for (size_t i = 0; i < COUNT; i++)
        wanted[i] = wanted[i] || (all && is_possible(&table[i])) || x == &table[i];
    return ORR_OK;
}

orr_err orr_extras_parse(const char *text, orr_arena *arena, const char *const **names, orr_error *e)
{
    bool wanted[COUNT] = {false};
    const char **list = orr_arena_alloc(arena, (COUNT + 1) * sizeof *list);
    size_t n = 0;
    for (const char *at = text ? text : ""; *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        if (mark(orr_arena_strdup(arena, at, length), wanted, e))
            return ORR_E_BAD_VALUE;
        at += length;
    }
    for (size_t i = 0; i < COUNT; i++)
        if (wanted[i])
            list[n++] = table[i].name;
    *names = list;
    return ORR_OK;
}

bool orr_extras_has(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

void orr_extras_write(const char *const *names, const char *dir, void (*failed)(void *self, const orr_error *e),
                      void *self)
{
    orr_error e = {0};
    orr_result *result = names && *names ? orr_result_open(dir, &e) : NULL;
    for (; result && *names; names++) {
        orr_error own = {0};
        const orr_extra *x = find(*names);
        if (x->write && x->write(result, dir, &own))
            failed(self, &own);
    }
    if (e.code)
        failed(self, &e);
    orr_result_close(result);
}
