/* A throughput table by the text that names it: its file or preset, and settings. */
#include "model/throughputs.h"

#include "base/mem.h"
#include "config/presets.h"
#include "model/rule_text.h"

#include <stdlib.h>
#include <sys/stat.h>

static orr_err wrong(const char *item, size_t n, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "a throughput table has no setting '%.*s'", (int)(n < 80 ? n : 80), item);
    orr_error_hint(e, "write FILE[,reference=TYPE][,spread=no][,pairs=no]");
    return ORR_E_BAD_VALUE;
}

/* yes: as it is anyway. */
static bool is_switch(const char *item, const char *key, bool *no)
{
    if (!orr_rule_is_key(item, strlen(item), key))
        return false;
    const char *value = item + strlen(key) + 1;
    *no = strcmp(value, "no") == 0;
    return *no || strcmp(value, "yes") == 0;
}

static orr_err set(orr_throughputs *table, const char *item, orr_error *e)
{
    bool no;
    if (orr_rule_is_key(item, strlen(item), "reference"))
        return orr_throughputs_refer(table, item + sizeof "reference", e);
    if (is_switch(item, "spread", &no)) {
        if (no)
            orr_throughputs_ignore_spread(table);
        return ORR_OK;
    }
    if (!is_switch(item, "pairs", &no))
        return wrong(item, strlen(item), e);
    if (no)
        orr_throughputs_ignore_pairs(table);
    return ORR_OK;
}

/* Cuts the list at its commas. */
static orr_err set_all(orr_throughputs *table, char *list, orr_error *e)
{
    orr_err err = ORR_OK;
    while (!err && *list) {
        char *item = list + 1; /* behind a comma */
        list = item + strcspn(item, ",");
        const char cut = *list;
        *list = '\0';
        err = set(table, item, e);
        *list = cut;
    }
    return err;
}

static orr_throughputs *read_file(const char *path, orr_error *e)
{
    orr_text folder = {0};
    orr_input *in = orr_preset_open("throughputs", path, &folder, e);
    orr_throughputs *table = in ? orr_throughputs_read(in, e) : NULL;
    if (table)
        orr_throughputs_set_source(table, path, orr_throughputs_digest(table));
    if (in)
        orr_input_close(in);
    orr_text_fini(&folder);
    return table;
}

/* Where the file's name ends: all of the text if there is such a file, else in front of the first comma. */
static size_t name_length(const char *text)
{
    struct stat st;
    return stat(text, &st) == 0 ? strlen(text) : strcspn(text, ",");
}

/* `{ "TYPE": { "JOB": { "JOB": NUMBER or [`: as far as the beginning of a text goes. */
static bool begins_as_json(const char *at)
{
    for (int depth = 0; depth < 3; depth++) {
        at += strspn(at, " \t\r\n");
        if (*at != '{')
            return false;
        at += 1 + strspn(at + 1, " \t\r\n");
        if (*at != '"')
            return false;
        at += 1 + strcspn(at + 1, "\"");
        at += *at == '"';
        at += strspn(at, " \t\r\n");
        if (*at != ':')
            return false;
        at++;
    }
    at += strspn(at, " \t\r\n");
    return *at == '[' || *at == '-' || (*at >= '0' && *at <= '9');
}

/* A header with the columns that every table has. */
static bool begins_as_csv(char *text)
{
    static const char *const needed[] = {"model", "gpus", "gpu_type", "steps_per_s"};
    size_t found = 0;
    text[strcspn(text, "\r\n")] = '\0';
    for (char *field = text; *field; field += *field != '\0') {
        const size_t n = strcspn(field, ",");
        for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
            found += strlen(needed[i]) == n && memcmp(needed[i], field, n) == 0;
        field += n;
    }
    return found == sizeof needed / sizeof *needed;
}

bool orr_throughputs_told(const char *text)
{
    const char *bytes = NULL;
    size_t n = 0;
    bool told = false;
    char *path = orr_xstrndup(text, name_length(text));
    orr_input *in = orr_input_open(path, NULL);
    if (in && orr_input_peek(in, 4096, &bytes, &n, NULL) == ORR_OK) {
        char *head = orr_xstrndup(bytes, n);
        told = begins_as_json(head) || begins_as_csv(head);
        free(head);
    }
    if (in)
        orr_input_close(in);
    free(path);
    return told;
}

orr_throughputs *orr_throughputs_load(const char *text, orr_error *e)
{
    const size_t name = name_length(text);
    char *path = orr_xstrndup(text, name), *settings = orr_xstrdup(text + name);
    orr_error own = {0};
    orr_throughputs *table = read_file(path, &own);
    if (table && set_all(table, settings, &own)) {
        orr_throughputs_destroy(table);
        table = NULL;
    }
    free(path);
    free(settings);
    if (own.code && e)
        *e = own;
    return table;
}
