#define _XOPEN_SOURCE 700
#include "compare_runs.h"

#include "conditions.h"
#include "module.h"
#include "scenario.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

static orr_err make_folder(compare_runs *r, orr_error *e)
{
    const char *where = getenv("TMPDIR");
    orr_text path = {0};
    orr_text_addf(&path, "%s/orrery-compare-XXXXXX", where && *where ? where : "/tmp");
    if (mkdtemp(path.at)) {
        r->dir = path.at;
        return ORR_OK;
    }
    orr_error_set(e, ORR_E_CREATE, "a folder for the results can't be made: %s", strerror(errno));
    orr_error_at(e, path.at, 0, 0);
    orr_error_hint(e, "TMPDIR names the place");
    orr_text_fini(&path);
    return ORR_E_CREATE;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

/* All wrong ones are told before any run begins. */
static int try_all(compare_runs *r, app *a)
{
    int status = 0;
    for (size_t i = 0; i < r->runs.n; i++) {
        orr_error e = {0};
        if (!orr_case_try(&r->runs.at[i].setup, r->stock, &e))
            continue;
        if (!*e.text)
            orr_error_text(&e, r->runs.at[i].setup.policy, strlen(r->runs.at[i].setup.policy));
        const int one = say_error(&a->say, &e);
        status = status ? status : one;
    }
    return status;
}

static void set_up(compare_runs *r, app *a, const texts *specs, const orr_case *base)
{
    orr_case_extra *extras = orr_arena_alloc(&r->arena, CONDITIONS_EXTRAS * sizeof *extras);
    conditions_extras(a->set, &r->arena, extras);
    r->runs = (runs){.a = a,
                     .stock = r->stock,
                     .at = orr_xcalloc(specs->n + 1, sizeof *r->runs.at),
                     .n = specs->n,
                     .argc = a->argc,
                     .argv = (const char *const *)a->argv,
                     .extras = extras,
                     .extra_count = CONDITIONS_EXTRAS};
    for (size_t i = 0; i < specs->n; i++) {
        orr_text dir = {0};
        orr_text_addf(&dir, "%s/%zu", r->dir, i);
        r->runs.at[i].setup = *base;
        r->runs.at[i].setup.policy = specs->at[i];
        r->runs.at[i].dir = dir.at;
    }
}

int compare_runs_do(compare_runs *r, app *a, const texts *specs)
{
    int status = 0;
    orr_error e = {0};
    orr_case base = conditions_of(a->set);
    base.metrics = (orr_texts){0}; /* the comparison asks for them itself */
    if (orr_case_check(&base, &e))
        return say_error(&a->say, &e);
    r->registry = module_registry(&a->say, &a->set->plugins, &status);
    if (status)
        return status;
    r->stock = orr_stock_create(r->registry);
    status = scenario_load(a, r->stock, &base);
    if (!status && make_folder(r, &e))
        status = say_error(&a->say, &e);
    if (status)
        return status;
    set_up(r, a, specs, &base);
    status = try_all(r, a);
    return status ? status : runs_do(&r->runs, (int)a->set->parallel);
}

void compare_runs_fini(compare_runs *r)
{
    if (r->dir)
        nftw(r->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(r->dir);
    runs_fini(&r->runs);
    orr_stock_destroy(r->stock);
    orr_registry_destroy(r->registry);
    orr_arena_fini(&r->arena);
}
