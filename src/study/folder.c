#define _POSIX_C_SOURCE 200809L
#include "study/folder.h"

#include "base/mem.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { NAME_MAX_BYTES = 100 };

static orr_err refuse(const char *dir, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_CREATE, "the output folder can't be used: %s", why);
    orr_error_at(e, dir, 0, 0);
    return ORR_E_CREATE;
}

static bool holds_something(DIR *open)
{
    const struct dirent *entry;
    while ((entry = readdir(open)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return true;
    return false;
}

orr_err orr_folder_check(const char *dir, bool force, orr_error *e)
{
    if (strcmp(dir, "-") == 0) {
        orr_error_set(e, ORR_E_BAD_VALUE, "--out names a folder; stdout can't hold several files");
        orr_error_hint(e, "without --out the table goes to stdout, with --json the summary");
        return ORR_E_BAD_VALUE;
    }
    DIR *open = opendir(dir);
    if (!open)
        return errno == ENOENT ? ORR_OK : refuse(dir, strerror(errno), e);
    const bool full = holds_something(open);
    closedir(open);
    if (!full || force)
        return ORR_OK;
    refuse(dir, "it isn't empty", e);
    orr_error_hint(e, "--force writes into it all the same");
    return ORR_E_CREATE;
}

orr_err orr_folder_make(const char *dir, orr_error *e)
{
    char *path = orr_xstrdup(dir);
    orr_err err = ORR_OK;
    for (char *p = path + 1; !err; p++) {
        const char c = *p;
        if (c && c != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            err = refuse(dir, strerror(errno), e);
        *p = c;
        if (!c)
            break;
    }
    free(path);
    return err;
}

static void safe_form(const char *spec, orr_text *out)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+-";
    orr_text_clear(out);
    for (const char *c = spec; *c && out->n < NAME_MAX_BYTES; c++)
        orr_text_add(out, strchr(allowed, *c) && !(*c == '.' && c == spec) ? c : "-", 1);
}

/* How many specs before this one have the same safe form: the second gets "-2". */
void orr_folder_name(const char *const *specs, size_t n, const char *spec, orr_text *out)
{
    size_t same = 1;
    orr_text other = {0};
    safe_form(spec, out);
    for (size_t i = 0; i < n; i++) {
        safe_form(specs[i], &other);
        same += strcmp(other.at, out->at) == 0;
    }
    if (same > 1)
        orr_text_addf(out, "-%zu", same);
    orr_text_fini(&other);
}
