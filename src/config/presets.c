/* Presets by name. The folder is listed only for hints and completion: a name that exists is opened directly. */
#define _POSIX_C_SOURCE 200809L
#include "config/presets.h"

#include "base/mem.h"
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifndef ORR_CONFIG_DIR
#define ORR_CONFIG_DIR "configs/clusters"
#endif

#define SUFFIX ".yaml"

const char *orr_preset_dir(void)
{
    return ORR_CONFIG_DIR;
}

/* A name, not a path: so that a cluster file can't reach out of the folder. */
static bool is_name(const char *name)
{
    return name[0] && name[0] != '.' && strlen(name) < 128 && !strpbrk(name, "/\\");
}

static bool has_file(const char *dir, const char *name, const char *suffix, orr_text *path)
{
    if (!dir[0] || !is_name(name))
        return false;
    orr_text_clear(path);
    orr_text_addf(path, "%s/%s%s", dir, name, suffix);
    struct stat st;
    return stat(path->at, &st) == 0 && S_ISREG(st.st_mode);
}

bool orr_preset_path(const char *dir, const char *name, orr_text *path)
{
    return has_file(dir, name, SUFFIX, path);
}

/* The folder of a kind beside that of clusters. */
static void folder_of(const char *kind, orr_text *dir)
{
    const char *clusters = orr_preset_dir(), *slash = strrchr(clusters, '/');
    orr_text_addf(dir, "%.*s%s%s", slash ? (int)(slash - clusters) : 0, clusters, slash ? "/" : "", kind);
}

static void find_beside(const char *kind, const char *text, orr_text *path)
{
    struct stat st;
    orr_text dir = {0};
    folder_of(kind, &dir);
    if (stat(text, &st) == 0 || !(has_file(dir.at, text, SUFFIX, path) || has_file(dir.at, text, ".csv", path))) {
        orr_text_clear(path);
        orr_text_addf(path, "%s", text);
    }
    orr_text_fini(&dir);
}

static void set_folder(const char *path, orr_text *folder)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    orr_text_clear(folder);
    if (!slash)
        orr_text_addf(folder, "%s", strcmp(path, "-") == 0 ? "" : ".");
    else
        orr_text_addf(folder, "%.*s", n ? (int)n : 1, path);
}

/* What was no file may have been meant as a name. */
static void hint_names(const char *kind, const char *text, orr_error *e)
{
    orr_text dir = {0};
    char **names;
    folder_of(kind, &dir);
    const size_t n = is_name(text) && !strchr(text, '.') ? orr_preset_names(dir.at, &names) : 0;
    if (n) {
        e->hint[0] = '\0';
        orr_preset_hint(dir.at, text, e);
        orr_preset_names_free(names, n);
    }
    orr_text_fini(&dir);
}

orr_input *orr_preset_open(const char *kind, const char *text, orr_text *folder, orr_error *e)
{
    orr_text path = {0};
    find_beside(kind, text, &path);
    set_folder(path.at, folder);
    orr_input *in = orr_input_open(path.at, e);
    if (!in && e && e->code == ORR_E_OPEN)
        hint_names(kind, text, e);
    orr_text_fini(&path);
    return in;
}

/* A line that begins so. */
static bool has_line(const char *text, const char *line)
{
    const char *at = strstr(text, line);
    return at && (at == text || at[-1] == '\n');
}

bool orr_preset_says(const char *kind, const char *text, const char *line)
{
    const char *bytes = NULL;
    size_t n = 0;
    bool told = false;
    orr_text folder = {0};
    orr_input *in = orr_preset_open(kind, text, &folder, NULL);
    if (in && orr_input_peek(in, 4096, &bytes, &n, NULL) == ORR_OK) {
        char *head = orr_xstrndup(bytes, n);
        told = has_line(head, line);
        free(head);
    }
    orr_input_close(in);
    orr_text_fini(&folder);
    return told;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

size_t orr_preset_names(const char *dir, char ***names)
{
    ORR_VEC(char *) found = {0};
    DIR *d = dir[0] ? opendir(dir) : NULL;
    for (struct dirent *entry = d ? readdir(d) : NULL; entry; entry = readdir(d)) {
        size_t n = strlen(entry->d_name), s = strlen(SUFFIX);
        if (n > s && entry->d_name[0] != '.' && strcmp(entry->d_name + n - s, SUFFIX) == 0)
            ORR_VEC_PUSH(&found, orr_xstrndup(entry->d_name, n - s));
    }
    if (d)
        closedir(d);
    if (found.n)
        qsort(found.at, found.n, sizeof *found.at, by_bytes);
    *names = found.at;
    return found.n;
}

void orr_preset_names_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void orr_preset_hint(const char *dir, const char *name, orr_error *e)
{
    char **names;
    size_t n = orr_preset_names(dir, &names);
    const char *nearest = orr_nearest(name, (const char *const *)names, n);
    orr_text all = {0};
    for (size_t i = 0; i < n; i++)
        orr_text_addf(&all, "%s%s", i ? ", " : "", names[i]);
    if (nearest)
        orr_error_hint(e, "did you mean the preset '%s'?", nearest);
    else if (n)
        orr_error_hint(e, "presets: %s", all.at);
    else
        orr_error_hint(e, "a cluster is a file, a preset's name, or nodes=N,gpus=G; there are no presets in '%s'", dir);
    orr_text_fini(&all);
    orr_preset_names_free(names, n);
}
