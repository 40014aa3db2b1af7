/* orrery version: what exactly this program is, for reports of what it did. */
#include "cmd.h"
#include "formats.h"
#include "json.h"

#include <gsl/gsl_version.h>
#include <nettle/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

typedef struct library {
    const char *name, *version;
} library;

#define TEXT_OF(x) #x
#define NUMBER(x) TEXT_OF(x)

enum { LIBRARIES = 6 };

static void libraries_of(library list[LIBRARIES])
{
    list[0] = (library){"libyaml", yaml_get_version_string()};
    list[1] = (library){"cjson", cJSON_Version()};
    list[2] = (library){"gsl", gsl_version};
    list[3] = (library){"zlib", zlibVersion()};
    list[4] = (library){"zstd", ZSTD_versionString()};
    list[5] = (library){"nettle", NUMBER(NETTLE_VERSION_MAJOR) "." NUMBER(NETTLE_VERSION_MINOR)};
}

static void formats_json(cJSON *object, const char *key, size_t (*formats)(const char *names[FORMATS_MAX]))
{
    const char *names[FORMATS_MAX];
    cJSON *array = json_array(object, key);
    formats(names);
    for (size_t i = 0; names[i]; i++)
        json_append_text(array, names[i]);
}

static void print_json(const library *list)
{
    cJSON *root = cJSON_CreateObject();
    json_text(root, "schema", "orrery.version/1");
    json_text(root, "version", orr_version());
    json_text(root, "commit", *orr_commit() ? orr_commit() : NULL);
    json_text(root, "build", orr_build());
    json_count(root, "abi", ORR_ABI);
    cJSON *libraries = json_object(root, "libraries");
    for (size_t i = 0; i < LIBRARIES; i++)
        json_text(libraries, list[i].name, list[i].version);
    cJSON *formats = json_object(root, "formats");
    formats_json(formats, "trace", formats_of_traces);
    formats_json(formats, "cluster", formats_of_clusters);
    json_print(root);
}

static void formats_line(const char *what, size_t (*formats)(const char *names[FORMATS_MAX]))
{
    const char *names[FORMATS_MAX];
    formats(names);
    printf("%-10s", what);
    for (size_t i = 0; names[i]; i++)
        printf("%s%s", i ? ", " : "", names[i]);
    printf("\n");
}

static void print_plain(const library *list)
{
    printf("orrery %s", orr_version());
    if (*orr_commit())
        printf(" (%s)", orr_commit());
    printf("\n%-10s%s\n%-10s%u\n%-10s", "build", orr_build(), "abi", ORR_ABI, "libraries");
    for (size_t i = 0; i < LIBRARIES; i++)
        printf("%s%s %s", i ? ", " : "", list[i].name, list[i].version);
    printf("\n");
    formats_line("traces", formats_of_traces);
    formats_line("clusters", formats_of_clusters);
}

int cmd_version(app *a)
{
    library list[LIBRARIES];
    libraries_of(list);
    if (a->set->json)
        print_json(list);
    else
        print_plain(list);
    return 0;
}
