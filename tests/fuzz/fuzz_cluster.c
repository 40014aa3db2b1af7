/* Bytes as a cluster file, in whatever format they look like; and, if they are a text, as the argument of -c. What is
 * accepted must hold what the header promises. Files and presets are out of reach: the folder of presets is "none", and
 * a text that could be a path is left alone.
 */
#include "base/io.h"
#include "base/text.h"
#include "config/describe.h"
#include "config/reader.h"

#include <stdlib.h>
#include <string.h>

#define MAX_INPUT 65536

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Fixed sums, so that a spec that contradicts itself is noticed. */
static void check(const orr_cluster_spec *spec)
{
    int64_t gpus = 0;
    must(orr_cluster_spec_nodes(spec) >= 1 && orr_cluster_spec_nodes(spec) <= 1000000);
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(spec, i);
        must(node->gpus >= 0 && node->gpus <= ORR_NODE_MAX_GPUS && node->sockets >= 1 && node->cpus >= 0);
        must(node->mem_bytes >= 0 && node->gpu_mem_bytes >= 0);
        must(node->name[0] && node->gpu_type && node->rack);
        must(orr_cluster_spec_find_vc(spec, node->vc) >= 0);
        gpus += node->gpus;
    }
    must(gpus > 0 && gpus == orr_cluster_spec_gpus(spec));
}

static void describe(const orr_cluster_spec *spec)
{
    orr_text text = {0};
    orr_describe_cluster_text(spec, &text);
    orr_text_fini(&text);
    cJSON_Delete(orr_describe_cluster_json(spec));
}

static void judge(orr_cluster_spec *spec, const orr_error *e)
{
    char text[4096];
    must((spec != NULL) == (e->code == 0));
    if (!spec) {
        must(orr_error_format(e, text, sizeof text) > 0 && orr_err_exit_status(e->code) >= 64);
        return;
    }
    check(spec);
    describe(spec);
    orr_cluster_spec_destroy(spec);
}

static void as_file(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    judge(orr_cluster_read(in, &(orr_cluster_options){.preset_dir = ""}, &e), &e);
    orr_input_close(in);
}

static void as_argument(const uint8_t *data, size_t size)
{
    if (size > 200 || memchr(data, 0, size) || memchr(data, '/', size) || !memchr(data, '=', size))
        return;
    char text[201];
    memcpy(text, data, size);
    text[size] = 0;
    orr_error e = {0};
    judge(orr_cluster_spec_load(text, &(orr_cluster_options){.preset_dir = ""}, &e), &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    as_file(data, size);
    as_argument(data, size);
    return 0;
}
