/* The neighbours' files: small ones by hand, then the real ones with the facts published about them. */
#include "given.h"

#include <stdio.h>

static void helios_vc_config(void **state)
{
    (void)state;
    /* named as Philly's hashes are: texts that look like numbers */
    static const char *const texts[] = {
        "vc,num\n4e7,3\n0042,4\nidle,0\n",
        ",num\r\n4e7,3\r\n0042,4\r\nidle,0",
        "\xef\xbb\xbf\n\nvc,num\n\n4e7 , 3\n\"0042\",4\n\nidle,0\n\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_cluster_spec *spec = must_read(texts[i], NULL);
        assert_string_equal(orr_cluster_spec_format(spec), "helios-vc");
        assert_int_equal(orr_cluster_spec_vcs(spec), 2);
        assert_string_equal(orr_cluster_spec_vc(spec, 0), "4e7");
        assert_string_equal(orr_cluster_spec_vc(spec, 1), "0042");
        vc_holds(spec, "4e7", 3, 24);
        vc_holds(spec, "0042", 4, 32);
        assert_string_equal(orr_cluster_spec_node(spec, 3)->vc, "0042");
        assert_int_equal(orr_cluster_spec_notes(spec), 2);
        assert_non_null(strstr(orr_cluster_spec_note(spec, 0), "left out: 1"));
        orr_cluster_spec_destroy(spec);
    }
    orr_cluster_spec *spec = must_read(texts[0], &(orr_cluster_options){.gpus_per_node = 4});
    assert_int_equal(orr_cluster_spec_gpus(spec), 28);
    orr_cluster_spec_destroy(spec);
}

/* Three days; b has 20 at most: two nodes of 8 and one of 4. c never has any. */
static const char daily[] = "date,a,b,c,total\n"
                            "2020-04-01,16,8,0,24\n"
                            "2020-04-02,8,20,0,28\n"
                            "2020-04-03,8,0,0,8\n";

static void helios_daily_maximum(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(daily, NULL);
    assert_string_equal(orr_cluster_spec_format(spec), "helios-daily");
    assert_int_equal(orr_cluster_spec_vcs(spec), 2);
    vc_holds(spec, "a", 2, 16);
    vc_holds(spec, "b", 3, 20);
    assert_int_equal(orr_cluster_spec_node(spec, 4)->gpus, 4);
    assert_non_null(strstr(orr_cluster_spec_note(spec, 0), "36 GPUs in all, on one day at most 28"));
    orr_cluster_spec_destroy(spec);
}

static void helios_daily_day(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read(daily, &(orr_cluster_options){.capacity_day = "2020-04-03"});
    assert_int_equal(orr_cluster_spec_vcs(spec), 1);
    vc_holds(spec, "a", 1, 8);
    orr_cluster_spec_destroy(spec);

    orr_error e = {0};
    assert_null(read_text(daily, &(orr_cluster_options){.capacity_day = "2021-04-03"}, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    assert_non_null(strstr(e.hint, "2020-04-01 to 2020-04-03"));
    e = (orr_error){0};
    assert_null(read_text("vc,num\na,1\n", &(orr_cluster_options){.capacity_day = "2020-04-03"}, &e));
    assert_int_equal(e.code, ORR_E_CONFLICT);
}

/* The day on which all is booked to d is no capacity of d; without `total` the last VC is a VC like the others. */
static void a_lone_day_is_left_out_of_maxima(void **state)
{
    (void)state;
    static const char text[] = "date,a,b,d\n"
                               "2020-05-08,8,8,8\n"
                               "2020-05-09,0,0,24\n"
                               "2020-05-10,8,16,8\n";
    orr_cluster_spec *spec = must_read(text, NULL);
    vc_holds(spec, "b", 2, 16);
    vc_holds(spec, "d", 1, 8);
    assert_non_null(strstr(orr_cluster_spec_note(spec, 0), "2020-05-09"));
    orr_cluster_spec_destroy(spec);
    spec = must_read(text, &(orr_cluster_options){.capacity_day = "2020-05-09"});
    vc_holds(spec, "d", 3, 24);
    orr_cluster_spec_destroy(spec);
}

static void tiresias_spec(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n2,3,4,128,256",
        "num_switch num_node_p_switch\tnum_gpu_p_node num_cpu_p_node mem_p_node \r\n2 3 4  128\t256\r\n",
    };
    for (size_t i = 0; i < 2; i++) {
        orr_cluster_spec *spec = must_read(texts[i], NULL);
        assert_string_equal(orr_cluster_spec_format(spec), "tiresias");
        assert_int_equal(orr_cluster_spec_nodes(spec), 6);
        assert_int_equal(orr_cluster_spec_gpus(spec), 24);
        assert_string_equal(orr_cluster_spec_node(spec, 2)->rack, "rack0");
        assert_string_equal(orr_cluster_spec_node(spec, 3)->rack, "rack1");
        assert_int_equal(orr_cluster_spec_node(spec, 3)->cpus, 128);
        assert_true(orr_cluster_spec_node(spec, 3)->mem_bytes == 256000000000);
        orr_cluster_spec_destroy(spec);
    }
}

static void openb_list(void **state)
{
    (void)state;
    orr_cluster_spec *spec =
        must_read("sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\nn1,96000,393216,8,G2\n", NULL);
    const orr_node_spec *n0 = orr_cluster_spec_node(spec, 0), *n1 = orr_cluster_spec_node(spec, 1);
    assert_string_equal(orr_cluster_spec_format(spec), "openb");
    assert_string_equal(n0->name, "n0");
    assert_int_equal(n0->gpus, 0);
    assert_string_equal(n0->gpu_type, "");
    assert_string_equal(n1->gpu_type, "G2");
    assert_int_equal(n1->gpus, 8);
    assert_int_equal(n1->cpus, 96);
    assert_true(n1->mem_bytes == INT64_C(384) << 30);
    orr_cluster_spec_destroy(spec);
}

#define TIRESIAS "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"
#define OPENB "sn,cpu_milli,memory_mib,gpu,model\n"

static void bad_files(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"header only", "vc,num\n", ORR_E_EMPTY, 1, 0, "no row", NULL},
        {"wrong delimiter", "vc;num\na;3\n", ORR_E_FORMAT, 0, 0, NULL, "vc,num"},
        {"a trace", "job_id,user,vc,gpu_num\n1,u,v,8\n", ORR_E_FORMAT, 0, 0, "no cluster", NULL},
        {"ragged", "vc,num\na,3\nb,4,5\n", ORR_E_RAGGED, 3, 0, "3 fields", NULL},
        {"ragged by a comma", "vc,num\na,3,\n", ORR_E_RAGGED, 2, 0, "3 fields", NULL},
        {"not a number", "vc,num\na,x\n", ORR_E_NUMBER, 2, 3, "'num'", NULL},
        {"no number", "vc,num\na,\n", ORR_E_NUMBER, 2, 3, "'num'", NULL},
        {"a fraction", "vc,num\na,3.5\n", ORR_E_NUMBER, 2, 3, "'num'", NULL},
        {"negative", "vc,num\nabc,-3\n", ORR_E_NUMBER, 2, 5, "range", NULL},
        {"absurd", "vc,num\na,1000001\n", ORR_E_NUMBER, 2, 3, "range", NULL},
        {"absurd in sum", "vc,num\na,900000\nb,900000\n", ORR_E_BAD_CLUSTER, 3, 0, "whole cluster", NULL},
        {"VC twice", "vc,num\na,3\na,4\n", ORR_E_BAD_CLUSTER, 3, 1, "twice", NULL},
        {"VC without a name", "vc,num\n,3\n", ORR_E_BAD_CLUSTER, 2, 1, "no name", NULL},
        {"no GPUs", "vc,num\na,0\n", ORR_E_NO_GPUS, 0, 0, "0 nodes", NULL},
        {"not UTF-8", "vc,num\na,3\n\xff,4\n", ORR_E_ENCODING, 3, 0, "UTF-8", NULL},
        {"date", "date,a\n2020-04,8\n", ORR_E_TIME, 2, 1, "YYYY-MM-DD", NULL},
        {"days without VCs", "date,total\n2020-04-01,8\n", ORR_E_MISSING_COLUMN, 1, 0, "VC", NULL},
        {"VC with two columns", "date,a,b,a\n2020-04-01,8,8,8\n", ORR_E_BAD_CLUSTER, 1, 0, "'a'", NULL},
        {"VC column without a name", "date,a,\n2020-04-01,8,8\n", ORR_E_BAD_CLUSTER, 1, 0, "no name", NULL},
        {"negative capacity", "date,a\n2020-04-01,8\n2020-04-02,-8\n", ORR_E_NUMBER, 3, 12, "'a'", NULL},
        {"no capacity", "date,a\n2020-04-01,0\n", ORR_E_NO_GPUS, 0, 0, NULL, NULL},
        {"absurd capacity", "date,a\n2020-04-01,63999999\n", ORR_E_BAD_CLUSTER, 0, 0, "1000000", NULL},
        {"no row", TIRESIAS, ORR_E_EMPTY, 0, 0, "no row", NULL},
        {"two rows", TIRESIAS "1,1,4,8,64\n1,1,4,8,64\n", ORR_E_BAD_CLUSTER, 3, 0, "one row", NULL},
        {"missing column", "num_switch,num_node_p_switch,num_gpu_p_nod\n1,1,4\n", ORR_E_MISSING_COLUMN, 0, 0,
         "'num_gpu_p_node'", "'num_gpu_p_nod'"},
        {"no switch", TIRESIAS "0,1,4,8,64\n", ORR_E_NUMBER, 2, 1, "num_switch", NULL},
        {"65 GPUs", TIRESIAS "1,1,65,8,64\n", ORR_E_NUMBER, 2, 5, "num_gpu_p_node", NULL},
        {"absurd product", TIRESIAS "1000000,1000000,8,8,64\n", ORR_E_BAD_CLUSTER, 2, 0, "1000000", NULL},
        {"CPU nodes only", TIRESIAS "1,4,0,8,64\n", ORR_E_NO_GPUS, 0, 0, "4 nodes", NULL},
        {"node twice", OPENB "a,1000,1,8,T4\na,1000,1,8,T4\n", ORR_E_BAD_CLUSTER, 3, 0, "named 'a'", NULL},
        {"node without a name", OPENB ",1000,1,8,T4\n", ORR_E_BAD_CLUSTER, 2, 0, "empty", NULL},
        {"memory", OPENB "a,1000,many,8,T4\n", ORR_E_NUMBER, 2, 8, "memory_mib", NULL},
        {"model is missing", "sn,cpu_milli,memory_mib,gpu\na,1,1,1\n", ORR_E_MISSING_COLUMN, 1, 0, "'model'", NULL},
    };
    check_bad_texts(cases, sizeof cases / sizeof *cases);
}

static void a_format_can_be_said(void **state)
{
    (void)state;
    orr_cluster_spec *spec = must_read("group,nodes\na,3\n", &(orr_cluster_options){.format = "helios-vc"});
    assert_int_equal(orr_cluster_spec_gpus(spec), 24);
    orr_cluster_spec_destroy(spec);

    orr_error e = {0};
    assert_null(read_text("vc,num\na,3\n", &(orr_cluster_options){.format = "helios_vc"}, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    assert_non_null(strstr(e.hint, "helios-vc"));
    e = (orr_error){0};
    assert_null(read_text("vc,num\na,3\n", &(orr_cluster_options){.gpus_per_node = 65}, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    e = (orr_error){0};
    assert_null(read_text("a,b,c\n1,2,3\n", &(orr_cluster_options){.format = "helios-vc"}, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
}

/* ---- real files ---- */

static orr_cluster_spec *real(const char *name, const orr_cluster_options *options)
{
    char path[1024];
    return shared_file(name, path) ? must_load(path, options) : NULL;
}

static void venus_day_by_day(void **state)
{
    (void)state;
    orr_cluster_spec *spec = real("data/helios/Venus_cluster_gpu_number.csv", NULL);
    if (!spec)
        skip();
    /* 25 columns; vcIya's is 0 on every day. The maxima are more than any day has (1,264). */
    assert_int_equal(orr_cluster_spec_vcs(spec), 24);
    assert_int_equal(orr_cluster_spec_find_vc(spec, "vcIya"), -1);
    assert_int_equal(orr_cluster_spec_gpus(spec), 1680);
    orr_cluster_spec_destroy(spec);
    spec = real("data/helios/Venus_cluster_gpu_number.csv", &(orr_cluster_options){.capacity_day = "2020-04-01"});
    assert_int_equal(orr_cluster_spec_gpus(spec), 968);
    assert_int_equal(orr_cluster_spec_nodes(spec), 121);
    orr_cluster_spec_destroy(spec);

    /* our preset is the day it says */
    spec = real("data/helios/Venus_cluster_gpu_number.csv", &(orr_cluster_options){.capacity_day = "2020-09-01"});
    orr_cluster_spec *preset = must_load("helios-venus", NULL);
    assert_int_equal(orr_cluster_spec_nodes(preset), orr_cluster_spec_nodes(spec));
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++)
        assert_string_equal(orr_cluster_spec_node(preset, i)->vc, orr_cluster_spec_node(spec, i)->vc);
    orr_cluster_spec_destroy(preset);
    orr_cluster_spec_destroy(spec);
}

static void earth_totals(void **state)
{
    (void)state;
    static const struct {
        const char *day;
        int64_t gpus;
    } days[] = {{"2020-04-01", 784}, {"2020-09-01", 1144}, {"2020-05-09", 840}};
    for (size_t i = 0; i < 3; i++) {
        orr_cluster_spec *spec =
            real("data/helios/Earth_gpu_number.csv", &(orr_cluster_options){.capacity_day = days[i].day});
        if (!spec)
            skip();
        assert_int_equal(orr_cluster_spec_gpus(spec), days[i].gpus);
        orr_cluster_spec_destroy(spec);
    }
    /* without the one-day artefact that gives vcIya all 840 */
    orr_cluster_spec *spec = real("data/helios/Earth_gpu_number.csv", NULL);
    assert_int_equal(orr_cluster_spec_gpus(spec), 1664);
    assert_non_null(strstr(orr_cluster_spec_note(spec, 0), "2020-05-09"));
    orr_cluster_spec_destroy(spec);
}

static void vc_configs(void **state)
{
    (void)state;
    orr_cluster_spec *spec = real("data/helios/Venus_vc_config.csv", NULL);
    if (!spec)
        skip();
    assert_int_equal(orr_cluster_spec_vcs(spec), 15);
    assert_int_equal(orr_cluster_spec_nodes(spec), 135);
    assert_int_equal(orr_cluster_spec_gpus(spec), 1080);
    vc_holds(spec, "vcKeu", 12, 96);
    assert_string_equal(orr_cluster_spec_digest(spec),
                        "e25f63eecc9d19e905f55c37dceddffcd3a797bf83895fc7efe63c8cde6ca524");
    orr_cluster_spec_destroy(spec);

    spec = real("golden/helios/inputs/full.vc_config.csv", NULL);
    assert_int_equal(orr_cluster_spec_vcs(spec), 11);
    assert_int_equal(orr_cluster_spec_gpus(spec), 648);
    orr_cluster_spec_destroy(spec);
}

static void philly_list(void **state)
{
    (void)state;
    orr_cluster_spec *spec = real("data/philly/philly_vc.csv", NULL);
    if (!spec)
        skip();
    assert_string_equal(orr_cluster_spec_format(spec), "philly-vc");
    assert_int_equal(orr_cluster_spec_vcs(spec), 11);
    assert_int_equal(orr_cluster_spec_nodes(spec), 352);
    assert_int_equal(orr_cluster_spec_gpus(spec), 2816);
    vc_holds(spec, "6214e9", 64, 512);
    vc_holds(spec, "103959", 8, 64);
    vc_holds(spec, "0e4a51", 32, 256);
    /* our preset says the same */
    orr_cluster_spec *preset = must_load("philly-vcs", NULL);
    assert_int_equal(orr_cluster_spec_nodes(preset), 352);
    for (int32_t i = 0; i < 352; i++)
        assert_string_equal(orr_cluster_spec_node(preset, i)->vc, orr_cluster_spec_node(spec, i)->vc);
    orr_cluster_spec_destroy(preset);
    orr_cluster_spec_destroy(spec);
}

static void tiresias_specs(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        int32_t racks, nodes, gpus;
    } cases[] = {
        {"data/tiresias/n160g8.csv", 5, 160, 1280}, {"data/tiresias/cluster_spec.csv", 1, 16, 64},
        {"data/tiresias/n1g4.csv", 1, 1, 4},        {"data/tiresias/n256g8.csv", 8, 256, 2048},
        {"data/tiresias/n32g4.csv", 1, 32, 128},    {"golden/tiresias/inputs/cluster.n2s7n8.csv", 2, 14, 112},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_cluster_spec *spec = real(cases[i].file, NULL);
        if (!spec)
            skip();
        int32_t n = orr_cluster_spec_nodes(spec);
        char last[32];
        snprintf(last, sizeof last, "rack%d", cases[i].racks - 1);
        assert_int_equal(n, cases[i].nodes);
        assert_int_equal(orr_cluster_spec_gpus(spec), cases[i].gpus);
        assert_string_equal(orr_cluster_spec_node(spec, n - 1)->rack, last);
        orr_cluster_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helios_vc_config), cmocka_unit_test(helios_daily_maximum),
        cmocka_unit_test(helios_daily_day), cmocka_unit_test(a_lone_day_is_left_out_of_maxima),
        cmocka_unit_test(tiresias_spec),    cmocka_unit_test(openb_list),
        cmocka_unit_test(bad_files),        cmocka_unit_test(a_format_can_be_said),
        cmocka_unit_test(venus_day_by_day), cmocka_unit_test(earth_totals),
        cmocka_unit_test(vc_configs),       cmocka_unit_test(philly_list),
        cmocka_unit_test(tiresias_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
