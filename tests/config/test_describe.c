/* Facts of a cluster: a small one counted by hand, then openb's published table. */
#include "given.h"

#include "config/describe.h"
#include <stdio.h>

/* 2 nodes of 8 V100 in VC a, 1 of 4 T4 in the common pool, 1 CPU node in b. */
static const char mixed[] = "schema: orrery.cluster/1\n"
                            "name: mixed\n"
                            "nodes:\n"
                            "  - {count: 2, type: V100, vc: a, rack: r0, cpus: 40, mem: 512GiB, gpu_mem: 16GiB}\n"
                            "  - {gpus: 4, type: T4, rack: r1, cpus: 8, mem: 128GiB}\n"
                            "  - {gpus: 0, vc: b, rack: r1, cpus: 64}\n";

static void text_for_people(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(mixed, NULL);
    orr_text text = {0};
    orr_describe_cluster_text(spec, &text);
    assert_string_equal(text.at, "cluster  mixed  (orrery-yaml)\n"
                                 "nodes    4 nodes, 1 of them without GPUs, 2 racks\n"
                                 "gpus     20 GPUs\n"
                                 "host     152 cores, 1.1 TiB\n"
                                 "\n"
                                 "gpu type      nodes       gpus\n"
                                 "V100              2         16\n"
                                 "T4                1          4\n"
                                 "\n"
                                 "vc            nodes       gpus\n"
                                 "a                 2         16\n"
                                 "(common)          1          4\n"
                                 "b                 1          0\n"
                                 "\n"
                                 "gpus a node      nodes\n"
                                 "          8          2\n"
                                 "          4          1\n"
                                 "          0          1\n");
    orr_text_fini(&text);
    orr_cluster_spec_destroy(spec);
}

static void json_for_programs(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(mixed, NULL);
    cJSON *json = orr_describe_cluster_json(spec);
    char *text = cJSON_PrintUnformatted(json);
    char want[2000];
    snprintf(want, sizeof want,
             "{\"schema\":\"orrery.cluster-facts/1\",\"name\":\"mixed\",\"format\":\"orrery-yaml\",\"digest\":\"%s\","
             "\"nodes\":4,\"gpu_nodes\":3,\"gpus\":20,\"cpus\":152,\"mem\":1236950581248,\"racks\":2,"
             "\"gpu_node_cpus\":88,\"gpu_node_mem\":1236950581248,"
             "\"by_type\":[{\"type\":\"V100\",\"nodes\":2,\"gpus\":16,"
             "\"gpu_mem_low\":17179869184,\"gpu_mem_high\":17179869184,"
             "\"by_node_size\":[{\"gpus\":8,\"nodes\":2}]},"
             "{\"type\":\"T4\",\"nodes\":1,\"gpus\":4,\"gpu_mem_low\":0,\"gpu_mem_high\":0,"
             "\"by_node_size\":[{\"gpus\":4,\"nodes\":1}]}],"
             "\"by_vc\":[{\"vc\":\"a\",\"nodes\":2,\"gpus\":16},{\"vc\":\"\",\"nodes\":1,\"gpus\":4},"
             "{\"vc\":\"b\",\"nodes\":1,\"gpus\":0}],"
             "\"by_node_size\":[{\"gpus\":8,\"nodes\":2},{\"gpus\":4,\"nodes\":1},{\"gpus\":0,\"nodes\":1}],"
             "\"fabric\":{\"rack_bps\":null,\"oversubscription\":null,\"spine_bps\":null},\"wiring\":[],"
             "\"notes\":[]}",
             orr_cluster_spec_digest(spec));
    assert_string_equal(text, want);
    cJSON_free(text);
    cJSON_Delete(json);
    orr_cluster_spec_destroy(spec);
}

/* Two GPUs with two links, below one switch of two; a CPU node is no kind. */
static void links_are_shown(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read("schema: orrery.cluster/1\n"
                                       "racks: 2\n"
                                       "nodes:\n"
                                       "  - {count: 2, gpus: 3, sockets: 1, nvlink: 0-1x2, nvlink_bw: 20GB/s, pcie_bw: 12GB/s,\n"
                                       "     pcie_switches: 2, uplink_bw: 10GB/s, nics: 1, nic_bw: 100Gb/s}\n"
                                       "  - {count: 2, gpus: 4, sockets: 2}\n"
                                       "  - {gpus: 0}\n"
                                       "fabric: {oversubscription: 2.5, spine_bw: 1TB/s}\n",
                                       NULL);
    orr_text text = {0};
    orr_describe_cluster_text(spec, &text);
    assert_non_null(strstr(text.at, "\nfabric   racks over-subscribed 2.5 to 1, the spine 1 TB/s\n"));
    const char *node = strstr(text.at, "\nnode ");
    assert_non_null(node);
    assert_string_equal(node, "\nnode     3 x GPU, NVLink between pairs (2 nodes, first node0)\n"
                              "  socket 0\n"
                              "    switch 0  gpu 0 1  nic 0\n"
                              "    switch 1  gpu 2\n"
                              "  nvlink  0  1  2\n"
                              "       0  -  2  .\n"
                              "       1  2  -  .\n"
                              "       2  .  .  -\n"
                              "  rates   an NVLink 20 GB/s, PCIe 12 GB/s, switch to socket 10 GB/s, a NIC 12.5 GB/s\n"
                              "  rings    2 GPUs     40 GB/s  gpu 0 1\n"
                              "           3 GPUs     10 GB/s  gpu 0 1 2\n");
    cJSON *json = orr_describe_cluster_json(spec);
    char *wiring = cJSON_PrintUnformatted(cJSON_GetObjectItem(json, "wiring"));
    assert_string_equal(wiring, "[{\"first\":\"node0\",\"nodes\":2,\"type\":\"\",\"gpus\":3,\"sockets\":1,\"nvswitch_links\":0,"
                                "\"nvlinks\":[[0,2,0],[2,0,0],[0,0,0]],\"nvlink_bps\":20000000000,\"pcie_switches\":2,"
                                "\"pcie_bps\":12000000000,\"uplink_bps\":10000000000,\"socket_bps\":null,\"nics\":1,"
                                "\"nic_bps\":12500000000,\"rings\":[{\"bps\":40000000000,\"gpus\":[0,1]},"
                                "{\"bps\":10000000000,\"gpus\":[0,1,2]}]}]");
    free(wiring);
    cJSON_Delete(json);
    orr_text_fini(&text);
    orr_cluster_spec_destroy(spec);
}

static void notes_are_shown(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read("vc,num\na,2\n", NULL);
    orr_text text = {0};
    orr_describe_cluster_text(spec, &text);
    assert_non_null(strstr(text.at, "\nnote     the file counts nodes only; each is taken to have 8 GPUs\n"));
    assert_non_null(strstr(text.at, "host     cores not stated, memory not stated\n"));
    assert_non_null(strstr(text.at, "(not stated)          2         16\n"));
    orr_text_fini(&text);
    orr_cluster_spec_destroy(spec);
}

static double number_at(const cJSON *list, const char *key, const char *name, const char *member)
{
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, list)
    {
        const cJSON *k = cJSON_GetObjectItemCaseSensitive(row, key);
        if (strcmp(cJSON_IsString(k) ? k->valuestring : k->string, name) == 0)
            return cJSON_GetObjectItemCaseSensitive(row, member)->valuedouble;
    }
    fail_msg("nothing is called %s", name);
    return 0;
}

/* Nodes of this type with so many GPUs. */
static int nodes_of(const cJSON *types, const char *type, int gpus)
{
    const cJSON *row, *size;
    cJSON_ArrayForEach(row, types)
    {
        cJSON_ArrayForEach(size, cJSON_GetObjectItemCaseSensitive(row, "by_node_size"))
        {
            if (strcmp(cJSON_GetObjectItem(row, "type")->valuestring, type) == 0 &&
                cJSON_GetObjectItem(size, "gpus")->valuedouble == gpus)
                return (int)cJSON_GetObjectItem(size, "nodes")->valuedouble;
        }
    }
    return 0;
}

/* Raw digits become numbers when the JSON is read back. */
static cJSON *read_back(const orr_cluster_spec *spec)
{
    cJSON *json = orr_describe_cluster_json(spec);
    char *text = cJSON_PrintUnformatted(json);
    cJSON *back = cJSON_Parse(text);
    assert_non_null(back);
    cJSON_free(text);
    cJSON_Delete(json);
    return back;
}

static void openb_as_published(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int nodes, gpus;
    } models[] = {{"G2", 549, 4392},    {"T4", 404, 842},     {"G3", 39, 312}, {"P100", 134, 265},
                  {"V100M32", 30, 204}, {"V100M16", 55, 195}, {"A10", 2, 2}};
    static const struct {
        const char *type;
        int gpus, nodes;
    } parts[] = {{"G2", 8, 549},     {"T4", 2, 387},     {"T4", 4, 17},     {"G3", 8, 39},
                 {"P100", 1, 3},     {"P100", 2, 131},   {"V100M32", 4, 9}, {"V100M32", 8, 21},
                 {"V100M16", 1, 19}, {"V100M16", 4, 28}, {"V100M16", 8, 8}, {"A10", 1, 2}};
    static const int sizes[][2] = {{8, 617}, {4, 54}, {2, 518}, {1, 24}, {0, 310}};
    char path[1024];
    if (!shared_file("data/openb/openb_node_list_all_node.csv", path))
        skip();
    orr_cluster_spec *spec = must_load(path, NULL);
    cJSON *json = read_back(spec);
    assert_int_equal(cJSON_GetObjectItem(json, "nodes")->valuedouble, 1523);
    assert_int_equal(cJSON_GetObjectItem(json, "gpu_nodes")->valuedouble, 1213);
    assert_int_equal(cJSON_GetObjectItem(json, "gpus")->valuedouble, 6212);
    assert_int_equal(cJSON_GetObjectItem(json, "cpus")->valuedouble, 125514);
    assert_true(cJSON_GetObjectItem(json, "mem")->valuedouble == 612028416.0 * 1048576);
    assert_int_equal(cJSON_GetObjectItem(json, "gpu_node_cpus")->valuedouble, 107018);
    assert_true(cJSON_GetObjectItem(json, "gpu_node_mem")->valuedouble == 503828480.0 * 1048576);
    const cJSON *types = cJSON_GetObjectItem(json, "by_type");
    assert_int_equal(cJSON_GetArraySize(types), 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(number_at(types, "type", models[i].type, "nodes"), models[i].nodes);
        assert_int_equal(number_at(types, "type", models[i].type, "gpus"), models[i].gpus);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(nodes_of(types, parts[i].type, parts[i].gpus), parts[i].nodes);
    for (int i = 0; i < 5; i++) {
        const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "by_node_size"), i);
        assert_int_equal(cJSON_GetObjectItem(row, "gpus")->valuedouble, sizes[i][0]);
        assert_int_equal(cJSON_GetObjectItem(row, "nodes")->valuedouble, sizes[i][1]);
    }
    cJSON_Delete(json);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_for_people),
        cmocka_unit_test(json_for_programs),
        cmocka_unit_test(links_are_shown),
        cmocka_unit_test(notes_are_shown),
        cmocka_unit_test(openb_as_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
