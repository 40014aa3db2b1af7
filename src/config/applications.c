/* PATH[,type=TYPE][,work=own][,epochs=whole][,mesh=FOLDER][,validation=FOLDER] */
#define _POSIX_C_SOURCE 200809L
#include "config/applications.h"

#include "config/presets.h"
#include "model/rule_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct wish {
    orr_applications_wish tables;
    bool whole_epochs, own_work;
} wish;

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Where the path ends: all of the text if there is such a file, else in front of the first comma. */
static size_t path_length(const char *text)
{
    struct stat s;
    return stat(text, &s) == 0 ? strlen(text) : strcspn(text, ",");
}

static bool value_of(const char *item, const char *key, const char **value)
{
    if (!orr_rule_is_key(item, strlen(item), key) || !item[strlen(key) + 1])
        return false;
    *value = item + strlen(key) + 1;
    return true;
}

static orr_err set(wish *w, const char *item, orr_error *e)
{
    const char *word = "";
    if (value_of(item, "type", &w->tables.type) || value_of(item, "mesh", &w->tables.mesh) ||
        value_of(item, "validation", &w->tables.validation))
        return ORR_OK;
    if (value_of(item, "work", &word) && (strcmp(word, "own") == 0 || strcmp(word, "recorded") == 0)) {
        w->own_work = strcmp(word, "own") == 0;
        return ORR_OK;
    }
    if (value_of(item, "epochs", &word) && (strcmp(word, "whole") == 0 || strcmp(word, "exact") == 0)) {
        w->whole_epochs = strcmp(word, "whole") == 0;
        return ORR_OK;
    }
    const orr_err err = orr_error_set(e, ORR_E_BAD_VALUE, "applications have no setting '%.80s'", item);
    orr_error_hint(e, "write PATH[,type=TYPE][,work=own][,epochs=whole][,mesh=FOLDER][,validation=FOLDER]");
    return err;
}

/* Cuts the list at its commas, for good: what `w` is told lies in it. */
static orr_err set_all(wish *w, char *list, orr_error *e)
{
    orr_err err = ORR_OK;
    char *next = *list ? list + 1 : NULL; /* behind a comma */
    while (next && !err) {
        char *item = next, *comma = strchr(item, ',');
        next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        err = set(w, item, e);
    }
    return err;
}

static void add_digest(void *self, const char *path, const char digest[65])
{
    (void)path;
    orr_sha256_add(self, digest, 64);
}

static orr_applications *read_folder(const char *path, const orr_applications_wish *w, orr_error *e)
{
    orr_sha256 sha;
    orr_applications *all = orr_applications_create(path);
    orr_sha256_init(&sha);
    const orr_type_wish type = {w->type, ""};
    const orr_application_folder from = {.path = path, .validation = w->validation, .types = &type, .type_count = w->type != NULL,
                                         .mesh = w->mesh, .file = add_digest, .self = &sha};
    orr_err err = orr_applications_read_folder(all, &from, e);
    if (!err)
        err = orr_applications_settle(all, e);
    orr_sha256_hex(&sha, all->digest);
    if (!err)
        return all;
    orr_applications_destroy(all);
    return NULL;
}

static orr_applications *read_path(const char *path, const orr_applications_wish *w, orr_error *e)
{
    if (is_folder(path))
        return read_folder(path, w, e);
    orr_text folder = {0};
    orr_input *in = orr_preset_open("applications", path, &folder, e);
    orr_applications *all = in ? orr_applications_read(in, folder.at, w, e) : NULL;
    orr_input_close(in);
    orr_text_fini(&folder);
    return all;
}

orr_applications *orr_applications_load(const char *text, orr_error *e)
{
    const size_t n = path_length(text);
    char *path = orr_xstrndup(text, n), *settings = orr_xstrdup(text + n);
    orr_error own = {0};
    wish w = {0};
    orr_applications *all = set_all(&w, settings, &own) ? NULL : read_path(path, &w.tables, &own);
    if (all) {
        all->whole_epochs = w.whole_epochs;
        all->own_work = w.own_work;
    }
    free(path);
    free(settings);
    if (own.code && e)
        *e = own;
    return all;
}

/* ---- is it one? ---- */

static bool counts_told(const char *path)
{
    char *line = NULL;
    size_t n = 0;
    orr_input *in = orr_input_open(path, NULL);
    const bool told = in && orr_input_line(in, &line, &n, NULL) == ORR_OK && line &&
                      strncmp(line, "global_batch_size,", strlen("global_batch_size,")) == 0;
    orr_input_close(in);
    return told;
}

/* One file is enough to tell. */
static bool folder_told(const char *path)
{
    bool told = false;
    orr_folder_names names = {0}, tables = {0};
    orr_text inside = {0};
    orr_folder_list(path, "", "", &names);
    for (size_t i = 0; i < names.n && !told; i++) {
        const size_t n = strlen(names.at[i]);
        orr_text_clear(&inside);
        orr_text_addf(&inside, "%s/%s", path, names.at[i]);
        if (is_folder(inside.at)) {
            orr_folder_list(inside.at, "placements", ".csv", &tables);
            orr_text_addf(&inside, "/placements.csv");
            struct stat s;
            told = tables.n > 0 || stat(inside.at, &s) == 0;
        } else {
            told = n > 4 && strcmp(names.at[i] + n - 4, ".csv") == 0 && counts_told(inside.at);
        }
    }
    orr_folder_names_free(&names);
    orr_folder_names_free(&tables);
    orr_text_fini(&inside);
    return told;
}

bool orr_applications_told(const char *text)
{
    char *path = orr_xstrndup(text, path_length(text));
    const bool told = is_folder(path) ? folder_told(path)
                                      : orr_preset_says("applications", path, "schema: " ORR_APPLICATIONS_SCHEMA);
    free(path);
    return told;
}
