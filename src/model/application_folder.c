/* Folders of applications: which layout one has, and all that is in it. */
#define _POSIX_C_SOURCE 200809L
#include "model/application_data.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void orr_folder_list(const char *path, const char *before, const char *after, orr_folder_names *out)
{
    const size_t front = strlen(before), back = strlen(after);
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        const char *name = entry->d_name;
        const size_t n = strlen(name);
        if (name[0] != '.' && n > front + back && memcmp(name, before, front) == 0 && strcmp(name + n - back, after) == 0)
            ORR_VEC_PUSH(out, orr_xstrndup(name + front, n - front - back));
    }
    if (folder)
        closedir(folder);
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_bytes);
}

void orr_folder_names_free(orr_folder_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->at[i]);
    ORR_VEC_FREE(names);
}

static orr_err read_counts(orr_applications *all, const orr_application_folder *from, const char *name, orr_error *e)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/%s.csv", from->path, name);
    orr_input *in = orr_input_open(path.at, e);
    orr_application *a = in ? orr_application_read_counts(in, name, e) : NULL;
    if (a)
        ORR_VEC_PUSH(&all->at, a);
    if (a && from->file) {
        char hex[65];
        orr_input_digest(in, hex);
        from->file(from->self, path.at, hex);
    }
    orr_input_close(in);
    orr_text_fini(&path);
    return a ? ORR_OK : ORR_E_OPEN;
}

static orr_err read_tables(orr_applications *all, const orr_application_folder *from, const char *name, orr_error *e)
{
    orr_application *a = NULL;
    const orr_err err = orr_application_read_tables(from, name, &a, e);
    if (a)
        ORR_VEC_PUSH(&all->at, a);
    return err;
}

/* Which of the names are folders. */
static bool is_folder(const char *path, const char *name)
{
    struct stat s;
    orr_text whole = {0};
    orr_text_addf(&whole, "%s/%s", path, name);
    const bool is = stat(whole.at, &s) == 0 && S_ISDIR(s.st_mode);
    orr_text_fini(&whole);
    return is;
}

static orr_err nothing_here(const orr_application_folder *from, orr_error *e)
{
    const orr_err err = orr_error_set(e, ORR_E_EMPTY, "there are no applications%s%s in this folder",
                                      from->type_count ? " with GPUs of type " : "", from->type_count ? from->types->in_tables : "");
    orr_error_at(e, from->path, 0, 0);
    orr_error_hint(e, "it should hold folders with placements.csv and validation-BATCH.csv, or files MODEL.csv that begin with "
                      "global_batch_size");
    return err;
}

orr_err orr_applications_read_folder(orr_applications *all, const orr_application_folder *from, orr_error *e)
{
    orr_folder_names folders = {0}, files = {0};
    orr_err err = ORR_OK;
    orr_folder_list(from->path, "", "", &folders);
    orr_folder_list(from->path, "", ".csv", &files);
    for (size_t i = 0; i < folders.n && !err; i++)
        if (is_folder(from->path, folders.at[i]))
            err = read_tables(all, from, folders.at[i], e);
    const bool may_be_counts = !all->at.n && !from->type_count;
    for (size_t i = 0; i < files.n && !err && may_be_counts; i++)
        err = read_counts(all, from, files.at[i], e);
    if (!err && !all->at.n)
        err = nothing_here(from, e);
    orr_folder_names_free(&folders);
    orr_folder_names_free(&files);
    return err;
}
