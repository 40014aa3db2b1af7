#define _POSIX_C_SOURCE 200809L
#include "report/results.h"

#include "base/text.h"
#include <dirent.h>
#include <errno.h>

typedef ORR_VEC(char *) names;

static int by_name(const void *a, const void *b)
{
    return orr_natural_compare(*(char *const *)a, *(char *const *)b);
}

static orr_err cannot_open(const char *dir, orr_error *e)
{
    orr_error_set(e, ORR_E_OPEN, "the folder can't be opened: %s", strerror(errno));
    orr_error_at(e, dir, 0, 0);
    return ORR_E_OPEN;
}

static orr_err list_results(const char *dir, names *list, orr_error *e)
{
    DIR *open = opendir(dir);
    if (!open)
        return cannot_open(dir, e);
    const struct dirent *entry;
    while ((entry = readdir(open))) {
        orr_text path = {0};
        orr_text_addf(&path, "%s/%s", dir, entry->d_name);
        if (entry->d_name[0] != '.' && orr_result_is(path.at))
            ORR_VEC_PUSH(list, path.at);
        else
            orr_text_fini(&path);
    }
    closedir(open);
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_name);
    return ORR_OK;
}

static orr_err holds_none(const char *dir, orr_error *e)
{
    orr_error_set(e, ORR_E_NOT_COMPARABLE, "the folder holds no result");
    orr_error_at(e, dir, 0, 0);
    orr_error_hint(e, "a result has a summary.json, which `orrery run -o` writes when a run has ended");
    return ORR_E_NOT_COMPARABLE;
}

static orr_err add_one(orr_results *results, const char *dir, orr_error *e)
{
    orr_error own = {0};
    orr_result *r = orr_result_open(dir, &own);
    if (r)
        ORR_VEC_PUSH(results, r);
    else if (e && !e->code)
        *e = own;
    return own.code;
}

orr_err orr_results_add(orr_results *results, const char *dir, orr_error *e)
{
    names list = {0};
    if (orr_result_is(dir))
        return add_one(results, dir, e);
    orr_err err = list_results(dir, &list, e);
    if (!err && list.n == 0)
        err = holds_none(dir, e);
    for (size_t i = 0; i < list.n; i++) {
        if (!err)
            err = add_one(results, list.at[i], e);
        free(list.at[i]);
    }
    ORR_VEC_FREE(&list);
    return err;
}

void orr_results_fini(orr_results *results)
{
    for (size_t i = 0; i < results->n; i++)
        orr_result_close(results->at[i]);
    ORR_VEC_FREE(results);
}
