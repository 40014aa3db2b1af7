/* The one door: finds out what a text names, opens it, finds out what format it has, and checks what came out. */
#define _POSIX_C_SOURCE 200809L
#include "config/presets.h"
#include "config/reader.h"

#include "base/mem.h"
#include <stdlib.h>
#include <sys/stat.h>

#define SNIFF_BYTES 65536

/* In the order in which they are asked; YAML is the least choosy and comes last. */
static const orr_cluster_reader *const readers[] = {
    &orr_reader_helios_vc, &orr_reader_helios_daily, &orr_reader_philly_vc,
    &orr_reader_tiresias,  &orr_reader_openb,        &orr_reader_yaml,
};
#define READERS (sizeof readers / sizeof *readers)

/* ---- the source ---- */

orr_err orr_cluster_source_init(orr_cluster_source *source, const orr_cluster_options *options, orr_error *e)
{
    static const orr_cluster_options none;
    const orr_cluster_options *o = options ? options : &none;
    *source = (orr_cluster_source){.capacity_day = o->capacity_day, .beside = ""};
    source->gpus_per_node = o->gpus_per_node ? o->gpus_per_node : 8;
    source->preset_dir = o->preset_dir ? o->preset_dir : orr_preset_dir();
    orr_sha256_init(&source->digest);
    if (source->gpus_per_node < 1 || source->gpus_per_node > ORR_NODE_MAX_GPUS)
        return orr_error_set(e, ORR_E_BAD_VALUE, "GPUs per node: %d is not in 1..%d", (int)source->gpus_per_node,
                             ORR_NODE_MAX_GPUS);
    return ORR_E_OK;
}

void orr_cluster_source_digest(orr_cluster_source *source, const void *data, size_t n)
{
    orr_sha256_add(&source->digest, data, n);
    source->digested = true;
}

orr_err orr_cluster_add_gpus(orr_cluster_spec *spec, const char *vc, int64_t gpus, int32_t per_node, orr_error *e)
{
    orr_node_spec node = orr_node_spec_default();
    node.vc = vc;
    node.gpus = per_node;
    int64_t whole = gpus / per_node;
    if (whole > ORR_CLUSTER_MAX_NODES)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "more than %d nodes in all", ORR_CLUSTER_MAX_NODES);
    orr_err err = whole ? orr_cluster_spec_add(spec, &node, (int32_t)whole, e) : ORR_E_OK;
    node.gpus = (int32_t)(gpus % per_node);
    return err || !node.gpus ? err : orr_cluster_spec_add(spec, &node, 1, e);
}

/* ---- formats ---- */

static void format_list(char *buf, size_t size)
{
    buf[0] = 0;
    for (size_t i = 0; i < READERS; i++) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s%s", i ? ", " : "", readers[i]->format);
    }
}

static const orr_cluster_reader *reader_by_name(const char *format, orr_error *e)
{
    const char *names[READERS];
    for (size_t i = 0; i < READERS; i++) {
        names[i] = readers[i]->format;
        if (strcmp(names[i], format) == 0)
            return readers[i];
    }
    char all[300];
    format_list(all, sizeof all);
    const char *nearest = orr_nearest(format, names, READERS);
    orr_error_set(e, ORR_E_BAD_VALUE, "no cluster format is named '%.80s'", format);
    if (nearest)
        orr_error_hint(e, "did you mean '%s'?", nearest);
    else
        orr_error_hint(e, "formats: %s", all);
    return NULL;
}

/* The first line that holds anything but blanks or a comment, cut at 1 KiB. False: there is none. */
static bool first_line(const char *bytes, size_t n, char line[1024])
{
    size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n) {
        while (i < n && (bytes[i] == ' ' || bytes[i] == '\t'))
            i++;
        size_t end = i;
        while (end < n && bytes[end] != '\n' && bytes[end] != '\r')
            end++;
        if (end > i && bytes[i] != '#') {
            size_t length = end - i < 1023 ? end - i : 1023;
            memcpy(line, bytes + i, length);
            line[length] = 0;
            return true;
        }
        i = end + 1;
    }
    return false;
}

static orr_err unknown_format(orr_input *in, const char *line, orr_error *e)
{
    orr_error_set(e, ORR_E_FORMAT, "this is no cluster in a known format");
    orr_error_at(e, orr_input_name(in), 0, 0);
    orr_error_text(e, line, strlen(line));
    orr_error_hint(e, "a cluster begins with `schema:`, or vc,num; vc,node num; date,…; num_switch,…; sn,cpu_milli,…");
    return ORR_E_FORMAT;
}

static const orr_cluster_reader *sniff(orr_input *in, orr_error *e)
{
    const char *bytes = NULL;
    size_t n = 0;
    char line[1024];
    if (orr_input_peek(in, SNIFF_BYTES, &bytes, &n, e))
        return NULL;
    if (!first_line(bytes, n, line)) {
        orr_error_set(e, ORR_E_EMPTY, "there is nothing in the file");
        orr_error_at(e, orr_input_name(in), 0, 0);
        return NULL;
    }
    for (size_t i = 0; i < READERS; i++)
        if (readers[i]->sniff(line))
            return readers[i];
    unknown_format(in, line, e);
    return NULL;
}

void orr_cluster_formats_markdown(orr_text *out)
{
    orr_text_addf(out, "| format | begins with | what it is |\n|---|---|---|\n");
    for (size_t i = 0; i < READERS; i++)
        orr_text_addf(out, "| %s | `%s` | %s |\n", readers[i]->format, readers[i]->begins, readers[i]->doc);
}

/* ---- reading ---- */

static orr_err check_whole(const orr_cluster_spec *spec, const char *file, orr_error *e)
{
    if (orr_cluster_spec_gpus(spec) > 0)
        return ORR_E_OK;
    orr_error_set(e, ORR_E_NO_GPUS, "the cluster has %ld nodes and no GPU among them",
                  (long)orr_cluster_spec_nodes(spec));
    orr_error_at(e, file, 0, 0);
    return ORR_E_NO_GPUS;
}

/* Nobody should believe that a day was chosen where the file has none. */
static orr_err check_day(const orr_cluster_source *source, const orr_cluster_reader *reader, const char *file,
                         orr_error *e)
{
    if (!source->capacity_day || (reader && reader->by_day))
        return ORR_E_OK;
    orr_error_set(e, ORR_E_CONFLICT, "a capacity day is asked for, but this cluster does not vary by day");
    orr_error_at(e, file, 0, 0);
    return ORR_E_CONFLICT;
}

/* The readers of tables let the input hash what they consume; YAML is hashed by its reader, with its presets. */
static void set_digest(orr_cluster_source *source, const orr_input *in, orr_cluster_spec *spec)
{
    char hex[65];
    if (source->digested)
        orr_sha256_hex(&source->digest, hex);
    else if (in)
        orr_input_digest(in, hex);
    else
        return;
    orr_cluster_spec_set_digest(spec, hex);
}

static orr_cluster_spec *finish(orr_cluster_spec *spec, orr_err err)
{
    if (!err)
        return spec;
    orr_cluster_spec_destroy(spec);
    return NULL;
}

static orr_cluster_spec *read_with(const orr_cluster_reader *reader, orr_input *in, orr_cluster_source *source,
                                   orr_error *e)
{
    const char *file = orr_input_name(in);
    orr_cluster_spec *spec = orr_cluster_spec_create(file);
    orr_cluster_spec_set_format(spec, reader->format);
    orr_err err = check_day(source, reader, file, e);
    if (!err)
        err = reader->read(in, source, spec, e);
    if (!err)
        err = check_whole(spec, file, e);
    if (!err)
        set_digest(source, in, spec);
    return finish(spec, err);
}

/* The folder of a path, in `buf`; "" for stdin and for what is too long: then there is nothing beside it. */
static const char *folder_of(const char *path, char buf[1024])
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (strcmp(path, "-") == 0 || n >= 1023)
        return "";
    if (!slash)
        return ".";
    memcpy(buf, path, n);
    strcpy(buf + n, n ? "" : "/");
    return buf;
}

static orr_cluster_spec *read_input(orr_input *in, const char *format, orr_cluster_source *source, orr_error *e)
{
    const orr_cluster_reader *reader = format ? reader_by_name(format, e) : sniff(in, e);
    return reader ? read_with(reader, in, source, e) : NULL;
}

orr_cluster_spec *orr_cluster_read(orr_input *in, const orr_cluster_options *options, orr_error *e)
{
    orr_cluster_source source;
    if (orr_cluster_source_init(&source, options, e))
        return NULL;
    return read_input(in, options ? options->format : NULL, &source, e);
}

static orr_cluster_spec *read_path(const char *path, const char *format, orr_cluster_source *source, orr_error *e)
{
    char folder[1024];
    source->beside = folder_of(path, folder);
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    orr_cluster_spec *spec = read_input(in, format, source, e);
    orr_input_close(in);
    source->beside = "";
    return spec;
}

static orr_cluster_spec *read_inline(const char *text, orr_cluster_source *source, orr_error *e)
{
    orr_cluster_spec *spec = orr_cluster_spec_create(text);
    orr_cluster_spec_set_format(spec, "inline");
    orr_err err = check_day(source, NULL, "", e);
    if (!err)
        err = orr_cluster_read_inline(text, source, spec, e);
    if (!err)
        err = check_whole(spec, "", e);
    if (!err)
        set_digest(source, NULL, spec);
    return finish(spec, err);
}

static orr_cluster_spec *read_preset(const char *name, orr_cluster_source *source, orr_error *e)
{
    orr_text path = {0};
    orr_cluster_spec *spec = NULL;
    if (orr_preset_path(source->preset_dir, name, &path)) {
        spec = read_path(path.at, "orrery-yaml", source, e);
    } else {
        orr_error_set(e, ORR_E_OPEN, "no file and no preset is named '%.200s'", name);
        orr_preset_hint(source->preset_dir, name, e);
    }
    orr_text_fini(&path);
    return spec;
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

/* A '=' behind a slash belongs to a path. */
static bool is_inline(const char *text)
{
    return text[strcspn(text, "=/")] == '=';
}

orr_cluster_spec *orr_cluster_spec_load(const char *text, const orr_cluster_options *options, orr_error *e)
{
    orr_cluster_source source;
    if (orr_cluster_source_init(&source, options, e))
        return NULL;
    const char *format = options ? options->format : NULL;
    if (strcmp(text, "-") == 0 || exists(text))
        return read_path(text, format, &source, e);
    if (is_inline(text))
        return read_inline(text, &source, e);
    return read_preset(text, &source, e);
}
