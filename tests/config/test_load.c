/* What a text names: file, stdin, inline form or preset, in that order; presets; digests. */
#define _POSIX_C_SOURCE 200809L
#include "given.h"

#include "base/text.h"
#include "config/presets.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/orrery-load-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *text)
{
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path_of(name);
}

static void sha256_of(char hex[65], const char *a, const char *b)
{
    orr_sha256 s;
    orr_sha256_init(&s);
    orr_sha256_add(&s, a, strlen(a));
    orr_sha256_add(&s, b, strlen(b));
    orr_sha256_hex(&s, hex);
}

#define TWO "schema: orrery.cluster/1\nnodes: [{gpus: 2}]\n"
#define THREE "schema: orrery.cluster/1\nnodes: [{gpus: 3, type: T}]\n"

static void a_file_comes_before_all_else(void **state)
{
    (void)state;
    char hex[65];
    sha256_of(hex, TWO, "");
    /* its name would be an inline form, were it not there */
    const char *path = write_file("nodes=5", TWO);
    orr_cluster_spec *spec = must_load(path, NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 2);
    assert_string_equal(orr_cluster_spec_name(spec), path);
    assert_string_equal(orr_cluster_spec_digest(spec), hex);
    orr_cluster_spec_destroy(spec);
    unlink(path_of("nodes=5"));
}

static void stdin_is_a_dash(void **state)
{
    (void)state;
    assert_non_null(freopen(write_file("in", TWO), "rb", stdin));
    orr_cluster_spec *spec = must_load("-", NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 2);
    orr_cluster_spec_destroy(spec);
    unlink(path_of("in"));
}

static void presets_come_from_the_folder_asked(void **state)
{
    (void)state;
    write_file("small.yaml", TWO);
    orr_cluster_spec *spec = must_load("small", &(orr_cluster_options){.preset_dir = folder});
    assert_int_equal(orr_cluster_spec_gpus(spec), 2);
    orr_cluster_spec_destroy(spec);

    orr_error e = {0};
    assert_null(orr_cluster_spec_load("smal", &(orr_cluster_options){.preset_dir = folder}, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_non_null(strstr(e.hint, "'small'"));
    e = (orr_error){0};
    assert_null(orr_cluster_spec_load("small", &(orr_cluster_options){.preset_dir = ""}, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    unlink(path_of("small.yaml"));
}

/* A node's preset is looked for beside the file first; both files are in the digest. */
static void a_preset_beside_the_file_wins(void **state)
{
    (void)state;
    char hex[65];
    static const char user[] = "schema: orrery.cluster/1\nnodes: [{preset: dgx2, count: 2}]\n";
    write_file("dgx2.yaml", THREE);
    sha256_of(hex, user, THREE);
    orr_cluster_spec *spec = must_load(write_file("user", user), NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 6);
    assert_string_equal(orr_cluster_spec_node(spec, 1)->gpu_type, "T");
    assert_string_equal(orr_cluster_spec_digest(spec), hex);
    orr_cluster_spec_destroy(spec);
    unlink(path_of("dgx2.yaml"));
    spec = must_load(path_of("user"), NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 32);
    orr_cluster_spec_destroy(spec);
    unlink(path_of("user"));
}

static void presets_that_cannot_be_hardware(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
        int line;
    } cases[] = {
        {"loop", "schema: orrery.cluster/1\nnodes: [{preset: loop}]\n", "deep", 2},
        {"mixed", "schema: orrery.cluster/1\nnodes: [{}, {gpus: 4}]\n", "2 kinds", 2},
        {"wrong", "schema: orrery.cluster/1\nname: x\nnodes: [{gpu: 4}]\n", "'gpu'", 3},
    };
    for (size_t i = 0; i < 3; i++) {
        char name[32], user[100], path[256];
        orr_error e = {0};
        snprintf(name, sizeof name, "%s.yaml", cases[i].name);
        snprintf(path, sizeof path, "%s", write_file(name, cases[i].text));
        snprintf(user, sizeof user, "schema: orrery.cluster/1\nnodes: [{preset: %s}]\n", cases[i].name);
        assert_null(orr_cluster_spec_load(write_file("user", user), NULL, &e));
        assert_non_null(strstr(e.message, cases[i].message));
        assert_string_equal(e.file, path); /* where the mistake is */
        assert_int_equal(e.line, cases[i].line);
        unlink(path);
    }
    unlink(path_of("user"));
}

static void what_is_nothing_is_said_so(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"near a preset", "dgx-a10", ORR_E_OPEN, 0, 0, "'dgx-a10'", "dgx-a100"},
        {"near none", "no/such/file.yaml", ORR_E_OPEN, 0, 0, "no file and no preset", "8x8-v100"},
        {"a path that is not there", "out/nodes=4/c.yaml", ORR_E_OPEN, 0, 0, "no file", NULL},
        {"nothing", "", ORR_E_OPEN, 0, 0, NULL, NULL},
        {"a folder", "/tmp", ORR_E_OPEN, 0, 0, NULL, NULL},
    };
    check_bad_arguments(cases, sizeof cases / sizeof *cases);
    orr_error e = {0};
    assert_null(orr_cluster_spec_load("dgx-a10", NULL, &e));
    assert_int_equal(orr_err_exit_status(e.code), 66);
}

/* Three clusters have several kinds of node. */
static int64_t gpus_of(const char *preset, int64_t alike)
{
    static const struct {
        const char *preset;
        int64_t gpus;
    } mixed[] = {{"openb", 6212}, {"philly", 2490}, {"t4-v100-a100", 64}};
    for (size_t i = 0; i < sizeof mixed / sizeof *mixed; i++)
        if (strcmp(preset, mixed[i].preset) == 0)
            return mixed[i].gpus;
    return alike;
}

/* GPUs, sockets, cores, GiB of a node; GiB of a GPU: the published figures. */
static void every_preset_loads(void **state)
{
    (void)state;
    static const struct {
        const char *name, *type;
        int32_t nodes, gpus, sockets, cpus;
        int64_t mem_gib, gpu_mem;
    } cases[] = {
        {"16x4-t4", "T4", 16, 4, 1, 48, 192, INT64_C(16) << 30},
        {"64x8-4vcs", "", 64, 8, 1, 0, 0, 0},
        {"8x8-v100", "V100", 8, 8, 2, 40, 512, INT64_C(16) << 30},
        {"dgx-a100", "A100", 1, 8, 2, 128, 1024, INT64_C(40) << 30},
        {"dgx1-p100", "P100", 1, 8, 2, 40, 512, INT64_C(16) << 30},
        {"dgx1-v100", "V100", 1, 8, 2, 40, 512, INT64_C(16) << 30},
        {"dgx2", "V100", 1, 16, 2, 48, 1536, INT64_C(32) << 30},
        {"g4dn.12xlarge", "T4", 1, 4, 1, 48, 192, INT64_C(16) << 30},
        {"helios-earth", "Volta", 143, 8, 1, 48, 376, 0},
        {"helios-saturn", "", 262, 8, 1, 64, 256, 0},
        {"helios-uranus", "Pascal", 264, 8, 1, 64, 256, 0},
        {"helios-venus", "Volta", 133, 8, 1, 48, 376, 0},
        {"hgx-h100", "H100", 1, 8, 2, 112, 2048, INT64_C(80) << 30},
        {"hgx-h200", "H200", 1, 8, 2, 112, 2048, INT64_C(141000000000)},
        {"openb", "G2", 1523, 8, 1, 96, 384, INT64_C(20000) << 20},
        {"p2.16xlarge", "K80", 1, 16, 1, 64, 732, INT64_C(12) << 30},
        {"p3.16xlarge", "V100", 1, 8, 2, 64, 488, INT64_C(16) << 30},
        {"p3.8xlarge", "V100", 1, 4, 1, 32, 244, INT64_C(16) << 30},
        {"p3dn.24xlarge", "V100", 1, 8, 2, 96, 768, INT64_C(32) << 30},
        {"p4d.24xlarge", "A100", 1, 8, 2, 96, 1152, INT64_C(40) << 30},
        {"p5.48xlarge", "H100", 1, 8, 2, 192, 2048, INT64_C(80) << 30},
        {"philly", "", 552, 8, 1, 0, 0, 0},
        {"philly-vcs", "", 352, 8, 1, 0, 0, 0},
        {"t4-v100-a100", "T4", 11, 4, 1, 0, 0, 0},
        {"v100-p100-k80", "V100", 3, 4, 1, 0, 0, 0},
    };
    char **names;
    size_t n = orr_preset_names(orr_preset_dir(), &names);
    assert_int_equal(n, sizeof cases / sizeof *cases);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(names[i], cases[i].name);
        orr_cluster_spec *spec = must_load(names[i], NULL);
        const orr_node_spec *node = orr_cluster_spec_node(spec, 0);
        assert_string_equal(orr_cluster_spec_name(spec), names[i]);
        assert_int_equal(orr_cluster_spec_nodes(spec), cases[i].nodes);
        assert_string_equal(node->gpu_type, cases[i].type);
        assert_int_equal(node->gpus, cases[i].gpus);
        assert_int_equal(node->sockets, cases[i].sockets);
        assert_int_equal(node->cpus, cases[i].cpus);
        assert_true(node->mem_bytes == cases[i].mem_gib << 30);
        assert_true(node->gpu_mem_bytes == cases[i].gpu_mem);
        assert_int_equal(orr_cluster_spec_gpus(spec), gpus_of(names[i], cases[i].nodes * cases[i].gpus));
        assert_int_equal(orr_cluster_spec_find_vc(spec, ""), orr_cluster_spec_vcs(spec) > 1 ? -1 : 0);
        orr_cluster_spec_destroy(spec);
    }
    orr_preset_names_free(names, n);
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_comes_before_all_else),
        cmocka_unit_test(stdin_is_a_dash),
        cmocka_unit_test(presets_come_from_the_folder_asked),
        cmocka_unit_test(a_preset_beside_the_file_wins),
        cmocka_unit_test(presets_that_cannot_be_hardware),
        cmocka_unit_test(what_is_nothing_is_said_so),
        cmocka_unit_test(every_preset_loads),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
