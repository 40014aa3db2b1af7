#include "given.h"

#include "base/io.h"
#include "config/reader.h"
#include <stdio.h>

orr_cluster_spec *read_text(const char *text, const orr_cluster_options *options, orr_error *e)
{
    orr_input *in = orr_input_memory("given", text, strlen(text));
    orr_cluster_spec *spec = orr_cluster_read(in, options, e);
    orr_input_close(in);
    return spec;
}

static orr_cluster_spec *or_fail(orr_cluster_spec *spec, const orr_error *e)
{
    char text[2048];
    if (spec)
        return spec;
    orr_error_format(e, text, sizeof text);
    fail_msg("%s", text);
    return NULL;
}

orr_cluster_spec *must_read(const char *text, const orr_cluster_options *options)
{
    orr_error e = {0};
    return or_fail(read_text(text, options, &e), &e);
}

orr_cluster_spec *must_load(const char *text, const orr_cluster_options *options)
{
    orr_error e = {0};
    return or_fail(orr_cluster_spec_load(text, options, &e), &e);
}

static bool has(const char *text, const char *part)
{
    return !part || strstr(text, part);
}

static void check_case(const bad_case *c, orr_cluster_spec *spec, const orr_error *e)
{
    char text[2048];
    orr_error_format(e, text, sizeof text);
    if (spec)
        fail_msg("%s: was accepted", c->name);
    if (e->code != c->code)
        fail_msg("%s: expected %s, got: %s", c->name, orr_err_name(c->code), text);
    if ((c->line && c->line != e->line) || (c->column && c->column != e->column))
        fail_msg("%s: expected line %d column %d, got: %s", c->name, c->line, c->column, text);
    if (!has(e->message, c->message) || !has(e->hint, c->hint))
        fail_msg("%s: expected '%s' and hint '%s', got: %s", c->name, c->message ? c->message : "",
                 c->hint ? c->hint : "", text);
}

void check_bad_texts(const bad_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        orr_error e = {0};
        check_case(&cases[i], read_text(cases[i].input, NULL, &e), &e);
    }
}

void check_bad_arguments(const bad_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        orr_error e = {0};
        check_case(&cases[i], orr_cluster_spec_load(cases[i].input, NULL, &e), &e);
    }
}

void vc_holds(const orr_cluster_spec *spec, const char *vc, int32_t nodes, int64_t gpus)
{
    int32_t n = 0;
    int64_t g = 0;
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(spec, i);
        if (strcmp(node->vc, vc) != 0)
            continue;
        n++;
        g += node->gpus;
    }
    if (n != nodes || g != gpus)
        fail_msg("VC '%s': expected %d nodes and %lld GPUs, got %d and %lld", vc, nodes, (long long)gpus, n,
                 (long long)g);
}

const char *shared_file(const char *name, char buf[1024])
{
    const char *root = getenv("ORRERY_SHARED");
    if (root)
        snprintf(buf, 1024, "%s/%s", root, name);
    else
        snprintf(buf, 1024, "%s/../shared/%s", ORR_SOURCE_DIR, name);
    FILE *f = fopen(buf, "rb");
    if (!f) {
        print_message("skipped: no real data at %s\n", buf);
        return NULL;
    }
    fclose(f);
    return buf;
}
