#define _POSIX_C_SOURCE 200809L
#include "verify/verify.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

typedef ORR_VEC(const char *) paths;

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static const char *joined(orr_verify_targets *t, const char *dir, const char *file)
{
    orr_text path = {0};
    const size_t n = strlen(dir);
    orr_text_addf(&path, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", file);
    const char *kept = orr_arena_strdup(&t->texts, path.at, path.n);
    orr_text_fini(&path);
    return kept;
}

/* NULL: there is no such file. */
static const char *file_in(orr_verify_targets *t, const char *dir, const char *file)
{
    struct stat st;
    const char *path = joined(t, dir, file);
    return stat(path, &st) == 0 ? path : NULL;
}

static bool add_folder(orr_verify_targets *t, const char *dir)
{
    const char *log = file_in(t, dir, ORR_LOG_NAME);
    const orr_verify_beside beside = {.summary = file_in(t, dir, "summary.json"),
                                      .jobs = file_in(t, dir, "jobs.csv"),
                                      .holds = file_in(t, dir, "attempts.csv")};
    if (log)
        ORR_VEC_PUSH(&t->list, ((orr_verify_target){orr_arena_strdup(&t->texts, dir, strlen(dir)), log, beside}));
    return log != NULL;
}

static int by_name(const void *a, const void *b)
{
    return orr_natural_compare(*(const char *const *)a, *(const char *const *)b);
}

static orr_err list_folders(orr_verify_targets *t, const char *dir, paths *out, orr_error *e)
{
    DIR *open = opendir(dir);
    if (!open) {
        orr_error_set(e, ORR_E_OPEN, "the folder can't be opened: %s", strerror(errno));
        orr_error_at(e, dir, 0, 0);
        return ORR_E_OPEN;
    }
    const struct dirent *entry;
    while ((entry = readdir(open))) {
        const char *path = joined(t, dir, entry->d_name);
        if (entry->d_name[0] != '.' && is_folder(path))
            ORR_VEC_PUSH(out, path);
    }
    closedir(open);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_name);
    return ORR_OK;
}

static orr_err has_no_log(const char *dir, orr_error *e)
{
    orr_error_set(e, ORR_E_NOT_COMPARABLE, "the folder holds no event log, so that nothing can be proved");
    orr_error_at(e, dir, 0, 0);
    orr_error_hint(e, "`orrery run -o DIR` writes DIR/%s unless --no-log is given, or only requests were served, which aren't logged",
                   ORR_LOG_NAME);
    return ORR_E_NOT_COMPARABLE;
}

orr_err orr_verify_find(const char *path, orr_verify_targets *t, orr_error *e)
{
    paths folders = {0};
    if (!is_folder(path)) {
        const char *name = orr_arena_strdup(&t->texts, path, strlen(path));
        ORR_VEC_PUSH(&t->list, ((orr_verify_target){name, name, {NULL, NULL, NULL}}));
        return ORR_OK;
    }
    if (add_folder(t, path))
        return ORR_OK;
    bool any = false;
    const orr_err err = list_folders(t, path, &folders, e);
    for (size_t i = 0; i < folders.n; i++)
        any |= add_folder(t, folders.at[i]);
    ORR_VEC_FREE(&folders);
    return err || any ? err : has_no_log(path, e);
}

void orr_verify_targets_fini(orr_verify_targets *t)
{
    ORR_VEC_FREE(&t->list);
    orr_arena_fini(&t->texts);
}
