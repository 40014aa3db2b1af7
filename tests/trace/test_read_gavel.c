/* Gavel's traces and its throughput tables: worked out by hand, and the public files. */
#include "reading.h"
#include "scratch.h"
#include "model/throughputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Steps per second: model A makes 2 on a V100 and 0.5 on a K80; two GPUs of A make 3 there and aren't known on a K80;
 * B can't run on a V100. */
#define TABLE \
    "{\"v100\": {\"('A (batch size 16)', 1)\": {\"null\": 2.0, \"('B', 1)\": [1.5, 0.25]},\n" \
    "            \"('A (batch size 16)', 2)\": {\"null\": 3},\n" \
    "            \"('B', 1)\": {\"null\": 0.0, \"('A (batch size 16)', 1)\": [0.25, 1.5]}},\n" \
    " \"k80\": {\"('A (batch size 16)', 1)\": {\"null\": 0.5}, \"plain\": {\"null\": 1e1}}}"

/* ---- the table ---- */

static orr_throughputs *table_of(const char *text, orr_error *e)
{
    *e = (orr_error){0};
    orr_input *in = orr_input_memory("table.json", text, strlen(text));
    orr_throughputs *table = orr_throughputs_read(in, e);
    orr_input_close(in);
    assert_true((table != NULL) == (e->code == ORR_OK));
    return table;
}

static void table_by_hand(void **state)
{
    (void)state;
    orr_error e;
    double speeds[2] = {0, 0};
    int64_t gpus = 0;
    orr_throughputs *t = table_of(TABLE, &e);
    assert_non_null(t);
    assert_int_equal(orr_throughputs_types(t), 2);
    assert_int_equal(orr_throughputs_jobs(t), 4);
    const int32_t v100 = orr_throughputs_type(t, "v100"), k80 = orr_throughputs_type(t, "k80");
    const int32_t one = orr_throughputs_job(t, "A (batch size 16)", 1);
    const int32_t two = orr_throughputs_job(t, "A (batch size 16)", 2), b = orr_throughputs_job(t, "B", 1);
    assert_string_equal(orr_throughputs_type_name(t, k80), "k80");
    assert_string_equal(orr_throughputs_model(t, two, &gpus), "A (batch size 16)");
    assert_int_equal(gpus, 2);
    assert_true(orr_throughputs_alone(t, v100, one) == 2 && orr_throughputs_alone(t, v100, two) == 3);
    assert_true(orr_throughputs_alone(t, k80, one) == 0.5);
    assert_true(orr_throughputs_alone(t, k80, two) == -1);
    assert_true(orr_throughputs_alone(t, v100, b) == 0);
    assert_true(orr_throughputs_alone(t, k80, orr_throughputs_job(t, "plain", 1)) == 10);
    assert_true(orr_throughputs_pair(t, v100, one, b, speeds));
    assert_true(speeds[0] == 1.5 && speeds[1] == 0.25);
    assert_true(orr_throughputs_pair(t, v100, b, one, speeds));
    assert_true(speeds[0] == 0.25 && speeds[1] == 1.5);
    assert_false(orr_throughputs_pair(t, k80, one, b, speeds));
    assert_false(orr_throughputs_pair(t, v100, one, -1, speeds));
    assert_int_equal(orr_throughputs_type(t, "V100"), v100); /* without case */
    assert_int_equal(orr_throughputs_type(t, "a100"), -1);
    assert_int_equal(orr_throughputs_job(t, "B", 2), -1);
    orr_throughputs_destroy(t);
}

static void tables_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
        int line;
        const char *word;
    } rows[] = {
        {"", ORR_E_EMPTY, 0, "nothing"},
        {"{\"v100\":\n {\"A\": {\"null\": 1,}}}", ORR_E_SYNTAX, 2, "JSON"},
        {"[1]", ORR_E_SYNTAX, 0, "object"},
        {"{}", ORR_E_EMPTY, 0, "no throughputs"},
        {"{\"v100\": 1}", ORR_E_SYNTAX, 0, "object of jobs"},
        {"{\"v100\": {\"A\": 2}}", ORR_E_SYNTAX, 0, "object of speeds"},
        {"{\"v100\": {\"A\": {\"null\": \"fast\"}}}", ORR_E_NUMBER, 0, "number"},
        {"{\"v100\": {\"A\": {\"null\": -1}}}", ORR_E_NUMBER, 0, "negative"},
        {"{\"v100\": {\"A\": {\"null\": 1e999}}}", ORR_E_NUMBER, 0, "number"},
        {"{\"v100\": {\"A\": {\"B\": 1}}}", ORR_E_SYNTAX, 0, "list of two"},
        {"{\"v100\": {\"A\": {\"B\": [1]}}}", ORR_E_SYNTAX, 0, "list of two"},
        {"{\"v100\": {\"A\": {\"B\": [1, null]}}}", ORR_E_NUMBER, 0, "number"},
        {"{\"v100\": {\"('A', x)\": {\"null\": 1}}}", ORR_E_SYNTAX, 0, "named like"},
        {"{\"v100\": {\"('A', 0)\": {\"null\": 1}}}", ORR_E_SYNTAX, 0, "named like"},
        {"{\"v100\": {\"(A, 1)\": {\"null\": 1}}}", ORR_E_SYNTAX, 0, "named like"},
        {"{\"v100\": {\"A\": {\"('B'\": [1, 1]}}}", ORR_E_SYNTAX, 0, "named like"},
        {"{\"v100\": {\"A\": {\"null\": 1}}, \"V100\": {\"A\": {\"null\": 1}}}", ORR_E_SYNTAX, 0, "twice"},
        {"{\"v100\": {\"A\": {\"null\": 1, \"null\": 2}}}", ORR_E_SYNTAX, 0, "twice"},
        {"{\"v100\": {\"A\": {\"null\": 1}, \"('A', 1)\": {\"null\": 1}}}", ORR_E_SYNTAX, 0, "twice"},
        {"{\"v\xff\": {\"A\": {\"null\": 1}}}", ORR_E_ENCODING, 0, "UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e;
        if (table_of(rows[i].text, &e))
            fail_msg("should be refused: %s", rows[i].text);
        if (e.code != rows[i].code || e.line != rows[i].line || !strstr(e.message, rows[i].word))
            fail_msg("%s: %s, line %d, %s", rows[i].text, orr_err_name(e.code), e.line, e.message);
        assert_string_equal(e.file, "table.json");
    }
}

/* ---- traces ---- */

static char folder[64], table_path[128];

static int with_table(void **state)
{
    (void)state;
    scratch_folder(folder);
    scratch_write(folder, "t.json", TABLE);
    snprintf(table_path, sizeof table_path, "%s/t.json", folder);
    return 0;
}

static int without_table(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

static orr_trace *read_on(const char *text, const char *gpu_type)
{
    const orr_trace_options options = {.tables = table_path, .gpu_type = gpu_type};
    orr_trace *t = reading_well(text, &options);
    assert_string_equal(orr_trace_format(t), "gavel");
    return t;
}

#define TEN(type, steps, gpus, weight, slo, arrival) \
    type "\tpython3 x.py --a=%s && b\timages/cifar\t--num_steps\t1\t" steps "\t" gpus "\t" weight "\t" slo "\t"      \
         arrival "\n"
#define A "A (batch size 16)"

static void ten_fields(void **state)
{
    (void)state;
    orr_trace *t = read_on(TEN(A, "300", "1", "2.5", "1.2", "40") TEN(A, "1", "2", "1", "-1.000000", "7"), NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    assert_string_equal(job[0].id, "1"); /* rows count from 0; this one arrived first */
    assert_int_equal(job[0].duration, 333333333); /* 1 step at 3 a second, to the nearest ns */
    assert_int_equal(job[0].gpus, 2);
    assert_true(job[0].deadline == ORR_TIME_NONE);
    assert_string_equal(job[1].model, A);
    assert_int_equal(job[1].submit, 40 * ORR_SECOND);
    assert_int_equal(job[1].duration, 150 * ORR_SECOND);
    assert_int_equal(job[1].deadline, 220 * ORR_SECOND); /* 40 + 1.2 * 150 */
    assert_true(job[1].weight == 2.5);
    assert_string_equal(orr_trace_attribute(t, &job[1], "batch_size"), "16");
    assert_string_equal(orr_trace_attribute(t, &job[1], "command"), "python3 x.py --a=%s && b");
    assert_string_equal(orr_trace_attribute(t, &job[1], "working_dir"), "images/cifar");
    assert_string_equal(orr_trace_attribute(t, &job[1], "steps_arg"), "--num_steps");
    assert_string_equal(orr_trace_attribute(t, &job[1], "needs_data"), "1");
    assert_string_equal(orr_trace_attribute(t, &job[1], "total_steps"), "300");
    assert_int_equal(noted(t, "unsorted"), 1);
    const orr_trace_input *inputs;
    assert_int_equal(orr_trace_inputs(t, &inputs), 2);
    assert_string_equal(inputs[1].path, table_path);
    orr_trace_destroy(t);
}

/* The speed is that of the type asked for, an SLO's yardstick stays the V100; two GPUs of A aren't known here. */
static void on_another_type(void **state)
{
    (void)state;
    orr_trace *t = read_on(TEN(A, "300", "1", "1", "2", "0") TEN(A, "300", "2", "1", "-1", "0")
                           TEN("plain", "50", "1", "1", "2", "0"), "k80");
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(job[0].duration, 600 * ORR_SECOND);
    assert_int_equal(job[0].deadline, 300 * ORR_SECOND);
    assert_int_equal(job[1].duration, 5 * ORR_SECOND);
    assert_int_equal(job[1].deadline, 10 * ORR_SECOND); /* no V100 speed: its own duration */
    assert_int_equal(noted(t, "no-throughput"), 1);
    orr_trace_destroy(t);
}

static void dropped_rows(void **state)
{
    (void)state;
    static const struct {
        const char *row, *reason;
    } rows[] = {
        {TEN("A", "1", "1", "1", "-1", "0"), "no-throughput"},
        {TEN(A, "1", "4", "1", "-1", "0"), "no-throughput"},
        {TEN("B", "1", "1", "1", "-1", "0"), "zero-throughput"},
        {TEN(A, "-1", "1", "1", "-1", "0"), "bad-number"},
        {TEN(A, "1.5", "1", "1", "-1", "0"), "bad-number"},
        {TEN(A, "", "1", "1", "-1", "0"), "no-duration"},
        {TEN(A, "1", "", "1", "-1", "0"), "no-gpus"},
        {TEN(A, "1", "1", "0", "-1", "0"), "bad-weight"},
        {TEN(A, "1", "1", "1", "x", "0"), "bad-number"},
        {TEN(A, "1", "1", "1", "-1", ""), "no-submit"},
        {TEN(A, "1", "1", "1", "-1", "-3"), "negative-time"},
        {A "\tc\t-n\t1\t5\t0\t1\n", "ragged-row"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, "%s%s", TEN(A, "1", "1", "1", "-1", "0"), rows[i].row);
        orr_trace *t = read_on(text.at, NULL);
        if (orr_trace_count(t) != 1 || noted(t, rows[i].reason) != 1)
            fail_msg("%s: no %s", rows[i].row, rows[i].reason);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void seven_fields(void **state)
{
    (void)state;
    orr_trace *t = read_on(A "\tcd %s/x && python3 t.py\t-step\t1\t10\t0.250000\t1\n"
                           A "\tcd %s/x && python3 t.py\t-step\t0\t12\t58417.000000\t2\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(job[0].submit, 250 * ORR_MS);
    assert_int_equal(job[0].duration, 5 * ORR_SECOND);
    assert_int_equal(job[1].duration, 4 * ORR_SECOND);
    assert_int_equal(job[1].gpus, 2);
    assert_true(job[0].weight == 1 && job[0].deadline == ORR_TIME_NONE);
    assert_string_equal(orr_trace_attribute(t, &job[1], "steps_arg"), "-step");
    orr_trace_destroy(t);
}

#define TWELVE(steps, mode, slo, duration) \
    A "\tc\td\t-n\t1\t" steps "\t1\t" mode "\t1\t" slo "\t" duration "\t5\n"

static void twelve_fields(void **state)
{
    (void)state;
    const char *text = TWELVE("300", "gns", "2", "149") TWELVE("300", "static", "-1", "140");
    orr_trace *t = reading_well(text, NULL); /* without a table its own durations */
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "gavel");
    assert_int_equal(job[0].duration, 149 * ORR_SECOND);
    assert_int_equal(job[0].deadline, 303 * ORR_SECOND);
    assert_string_equal(orr_trace_attribute(t, &job[0], "mode"), "gns");
    orr_trace_destroy(t);
    t = read_on(text, NULL); /* 150 s by the table: the first is near enough */
    job = orr_trace_jobs(t);
    assert_int_equal(job[0].duration, 150 * ORR_SECOND);
    assert_int_equal(job[1].duration, 150 * ORR_SECOND);
    assert_int_equal(noted(t, "duration-mismatch"), 1);
    assert_string_equal(orr_trace_attribute(t, &job[1], "stated_duration"), "140");
    orr_trace_destroy(t);
}

static void refusals(void **state)
{
    (void)state;
    const char *ten = TEN(A, "1", "1", "1", "-1", "0");
    const orr_trace_options wrong_type = {.tables = table_path, .gpu_type = "V10"};
    const orr_trace_options odd_type = {.tables = table_path, .gpu_type = "MI300X"};
    const orr_trace_options nowhere = {.tables = "/nowhere/t.json"}, named = {.format = "gavel"};
    orr_error e;
    assert_null(reading(ten, NULL, &e));
    assert_int_equal(e.code, ORR_E_MISSING);
    assert_non_null(strstr(e.hint, "--tables FILE"));
    assert_null(reading(ten, &wrong_type, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    assert_non_null(strstr(e.hint, "\"v100\""));
    assert_string_equal(e.file, table_path);
    assert_null(reading(ten, &odd_type, &e));
    assert_non_null(strstr(e.hint, "v100, k80"));
    assert_null(reading(ten, &nowhere, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_null(reading("a\tb\tc\n", &named, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
    assert_non_null(strstr(e.message, "7, 10 or 12"));
}

static void what_looks_like_one(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool is;
    } rows[] = {
        {TEN(A, "1", "1", "1", "-1", "0"), true},
        {TWELVE("1", "static", "-1", "1"), true},
        {A "\tc\t-n\t1\t5\t0\t1\n", true},
        {A "\tc\t-n\t2\t5\t0\t1\n", false},   /* needs data is 0 or 1 */
        {A "\tc\t-n\t1\tfive\t0\t1\n", false},
        {A "\tc\t-n\t1\t5\tx\t1\n", false},
        {"\tc\t-n\t1\t5\t0\t1\n", false},
        {A "\tc\t-n\t1\t5\t0\t1\t9\n", false}, /* 8 fields */
        {"a\tb\tc\td\te\tf\tg\n", false},
    };
    const orr_trace_options options = {.tables = table_path};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e;
        orr_trace *t = reading(rows[i].line, &options, &e);
        if (rows[i].is != (t && strcmp(orr_trace_format(t), "gavel") == 0))
            fail_msg("%s: %s", rows[i].line, e.message);
        orr_trace_destroy(t);
    }
}

/* ---- public files ---- */

typedef struct public_file {
    const char *name;
    uint64_t rows, unknown; /* rows, those whose (type, GPUs) isn't in the table */
    int64_t last;           /* arrival of the last job kept, s */
    uint64_t other;         /* stated durations that the table contradicts */
} public_file;

static void check_files(const public_file *files, size_t n, const char *tables)
{
    char path[512], table[512], form[2048];
    const orr_trace_options options = {.tables = shared_path(table, tables)};
    for (size_t i = 0; i < n; i++) {
        orr_error e = {0};
        orr_trace *t = orr_trace_read(shared_path(path, files[i].name), &options, &e);
        orr_error_format(&e, form, sizeof form);
        if (!t)
            fail_msg("%s", form);
        const size_t kept = orr_trace_count(t);
        if (orr_trace_rows_read(t) != files[i].rows || kept + files[i].unknown != files[i].rows ||
            noted(t, "no-throughput") != files[i].unknown || noted(t, "duration-mismatch") != files[i].other ||
            orr_trace_jobs(t)[kept - 1].submit != files[i].last * ORR_SECOND)
            fail_msg("%s: %zu jobs of %llu, %llu unknown, %llu other durations", files[i].name, kept,
                     (unsigned long long)orr_trace_rows_read(t), (unsigned long long)noted(t, "no-throughput"),
                     (unsigned long long)noted(t, "duration-mismatch"));
        orr_trace_destroy(t);
    }
}

#define ROOT "data/gavel/"
#define SIMULATED ROOT "simulation_throughputs.json.gz"

/* Two seeds share arrivals and sizes, but not models: other jobs are unknown, twice the very last one. */
static void public_msr(void **state)
{
    (void)state;
#define MSR(seed, vc) ROOT "msr/seed=" seed "/" vc ".trace"
    static const public_file files[] = {
        {MSR("0", "0e4a51"), 1181, 197, 7363956, 0}, {MSR("1", "0e4a51"), 1181, 203, 7363956, 0},
        {MSR("0", "103959"), 986, 125, 7910536, 0},  {MSR("1", "103959"), 986, 130, 7910536, 0},
        {MSR("0", "11cb48"), 2000, 181, 8799232, 0}, {MSR("1", "11cb48"), 2000, 158, 8794879, 0},
        {MSR("0", "23dbec"), 9, 1, 188011, 0},       {MSR("1", "23dbec"), 9, 3, 188011, 0},
        {MSR("0", "2869ce"), 533, 179, 8042503, 0},  {MSR("1", "2869ce"), 533, 170, 8141054, 0},
        {MSR("0", "51b7ef"), 18, 1, 3022240, 0},     {MSR("1", "51b7ef"), 18, 6, 3022240, 0},
        {MSR("0", "6214e9"), 2000, 15, 4184082, 0},  {MSR("1", "6214e9"), 2000, 15, 4184082, 0},
        {MSR("0", "6c71a0"), 2000, 63, 2590914, 0},  {MSR("1", "6c71a0"), 2000, 52, 2590914, 0},
        {MSR("0", "795a4c"), 3, 0, 3362, 0},         {MSR("1", "795a4c"), 3, 0, 3362, 0},
        {MSR("0", "b436b2"), 2000, 126, 2722420, 0}, {MSR("1", "b436b2"), 2000, 120, 2722420, 0},
        {MSR("0", "ed69ec"), 951, 0, 6555771, 0},    {MSR("1", "ed69ec"), 951, 0, 6555771, 0},
        {MSR("0", "ee9e8c"), 2000, 373, 4508448, 0}, {MSR("1", "ee9e8c"), 2000, 352, 4508448, 0},
    };
    check_files(files, sizeof files / sizeof *files, SIMULATED);
}

static void public_physical(void **state)
{
    (void)state;
    static const public_file files[] = {
        {ROOT "physical_cluster/artifact_evaluation.trace", 15, 0, 0, 0},
        {ROOT "physical_cluster/debug.trace", 14, 0, 0, 0},
        {ROOT "physical_cluster/debug_v2.trace", 14, 0, 0, 0},
        {ROOT "physical_cluster/highmem_test.trace", 8, 0, 0, 0},
        {ROOT "physical_cluster/small_test.trace", 20, 0, 0, 0},
        {ROOT "physical_cluster/max_min_fairness.trace", 96, 0, 46317, 0},
    };
    check_files(files, sizeof files / sizeof *files, ROOT "physical_cluster_throughputs.json.gz");
}

/* The durations of the first file are made from this very table, those of the others not. */
static void public_shockwave(void **state)
{
    (void)state;
#define SHOCKWAVE(start, middle)                                                                                       \
    "data/shockwave/" start "_0.2_5_" middle "_0,0.5,0.5_0.6,0.3,0.09,0.01_multigpu_dynamic.trace"
    static const public_file files[] = {
        {SHOCKWAVE("120", "100_40_25"), 120, 0, 5011, 0},
        {SHOCKWAVE("220", "100_25_4"), 220, 0, 5956, 220},
        {SHOCKWAVE("900", "1000_5_15"), 900, 0, 4400, 900},
        {SHOCKWAVE("900", "100_5_15"), 900, 0, 4400, 900},
    };
    check_files(files, sizeof files / sizeof *files, "data/shockwave/tacc_throughputs.json.gz");
}

/* The simulator's own run of this trace: job 0 ran alone on V100s at once and took 13237.69 s, whole steps a round. */
static void public_durations(void **state)
{
    (void)state;
    char path[512], table[512];
    orr_error e = {0};
    const orr_trace_options options = {.tables = shared_path(table, ROOT "physical_cluster_throughputs.json.gz")};
    orr_trace *t = orr_trace_read(shared_path(path, ROOT "physical_cluster/max_min_fairness.trace"), &options, &e);
    assert_non_null(t);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_int_equal(job[0].duration, INT64_C(13237671872704));
    assert_int_equal(job[1].duration, INT64_C(4402914923849));
    assert_int_equal(job[3].duration, INT64_C(880330059826));
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_by_hand),       cmocka_unit_test(tables_that_are_none), cmocka_unit_test(ten_fields),
        cmocka_unit_test(on_another_type),     cmocka_unit_test(dropped_rows),         cmocka_unit_test(seven_fields),
        cmocka_unit_test(twelve_fields),       cmocka_unit_test(refusals),
        cmocka_unit_test(what_looks_like_one), cmocka_unit_test(public_msr),           cmocka_unit_test(public_physical),
        cmocka_unit_test(public_shockwave),    cmocka_unit_test(public_durations),
    };
    return cmocka_run_group_tests(tests, with_table, without_table);
}
