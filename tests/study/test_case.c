/* Cases as data, and what a stock and a run make of them. */
#include "study/case.h"

#include "base/io.h"
#include "study/extras.h"
#include "study/wall.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLE ORR_SOURCE_DIR "/traces/philly-2k.csv"

/* ---- a folder of this test's own, with a trace in it ---- */

static char folder[64], trace[100];

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/orrery-case-%d", (int)getpid());
    snprintf(trace, sizeof trace, "%s/t.csv", folder);
    if (mkdir(folder, 0700) != 0)
        return -1;
    write_file(trace, "job_id,submit,duration,gpus,vc,user\n1,0,10,1,a,ann\n2,0,5,8,b,bob\n3,1,2,4,a,\"ann b\"\n");
    return 0;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static orr_case small(void)
{
    orr_case c = orr_case_default();
    c.trace = trace;
    c.cluster = "nodes=2,gpus=4";
    c.policy = "fifo";
    return c;
}

static void same_text(const orr_case *c, const char *want)
{
    orr_text text = {0};
    orr_case_text(c, &text);
    assert_string_equal(text.at, want);
    orr_text_fini(&text);
}

/* ---- data ---- */

static void the_default_says_nothing(void **state)
{
    (void)state;
    orr_case c = orr_case_default(), zeros = c;
    same_text(&c, "");
    zeros.trace = zeros.where = NULL; /* NULL and "" are the same */
    zeros.costs = "zero";
    same_text(&zeros, "");
    assert_true(c.seed == 1 && c.gpus_per_node == 8 && c.until == ORR_TIME_MAX && c.know == ORR_KNOW_ORACLE);
}

static void a_text_sets_its_case(void **state)
{
    (void)state;
    static const char *const keys[][2] = {{"trace", "a b.csv"}, {"where", "gpus >= 8"}, {"until", "1h"},
                                          {"user", "ann \"b c\""}, {"know", "history"}, {"seed", "7"},
                                          {"sample", "0.5"},    {"strict", "yes"},     {"seed", "9"}};
    orr_arena arena = {0};
    orr_case c = orr_case_default(), again = orr_case_default();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_int_equal(orr_case_set(&c, &arena, keys[i][0], keys[i][1], NULL), 0);
    same_text(&c, "trace=\"a b.csv\" strict=on where=\"gpus >= 8\" user=\"ann \\\"b c\\\"\" sample=0.5 know=history "
                  "seed=9 until=3600s");
    for (size_t i = sizeof keys / sizeof *keys; i-- > 0;) /* another order, other spellings: the same case */
        if (strcmp(keys[i][1], "7") != 0)
            assert_int_equal(orr_case_set(&again, &arena, keys[i][0], keys[i][1], NULL), 0);
    assert_int_equal(orr_case_set(&again, &arena, "until", "60m", NULL), 0);
    orr_text one = {0}, other = {0};
    orr_case_text(&c, &one);
    orr_case_text(&again, &other);
    assert_string_equal(one.at, other.at);
    orr_text_fini(&one);
    orr_text_fini(&other);
    orr_arena_fini(&arena);
}

static void wrong_keys_are_told(void **state)
{
    (void)state;
    orr_arena arena = {0};
    orr_case c = orr_case_default();
    orr_error e = {0};
    assert_int_equal(orr_case_set(&c, &arena, "polic", "fifo", &e), ORR_E_UNKNOWN_KEY);
    assert_string_equal(e.hint, "did you mean 'policy'?");
    e = (orr_error){0};
    assert_int_equal(orr_case_set(&c, &arena, "know", "all", &e), ORR_E_BAD_VALUE);
    same_text(&c, "");
    orr_arena_fini(&arena);
}

static void yaml_sets_a_case(void **state)
{
    (void)state;
    static const char text[] = "trace: x.csv\nuser: [ann, b c]\nignore-vcs: on\ncosts: testbed\nours: {a: 1}\n";
    static const char *const skip[] = {"ours", NULL};
    orr_yaml_doc doc = {0};
    orr_case c = orr_case_default();
    assert_int_equal(orr_yaml_read(&doc, "x.yaml", text, strlen(text), NULL), 0);
    assert_int_equal(orr_case_read(&c, &doc, doc.root, NULL, NULL), ORR_E_UNKNOWN_KEY);
    assert_int_equal(orr_case_read(&c, &doc, doc.root, skip, NULL), 0);
    same_text(&c, "trace=x.csv user=\"ann \\\"b c\\\"\" ignore-vcs=on costs=testbed");
    orr_yaml_fini(&doc);
}

static void what_needs_no_file_is_checked_without(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"measure", "some"}, {"costs", "free"}, {"clock", "late"}, {"metric", "mean("}};
    orr_arena arena = {0};
    orr_measure m;
    orr_case c = orr_case_default();
    assert_int_equal(orr_case_check(&c, NULL), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c = orr_case_default();
        assert_int_equal(orr_case_set(&c, &arena, bad[i][0], bad[i][1], NULL), 0);
        assert_int_equal(orr_case_check(&c, NULL), ORR_E_BAD_VALUE);
    }
    c = orr_case_default();
    c.warmup = 5 * ORR_SECOND;
    assert_int_equal(orr_case_measure(&c, &m, NULL), 0);
    assert_int_equal(m.warmup, 5 * ORR_SECOND);
    c.measure = "warmup:5";
    assert_int_equal(orr_case_check(&c, NULL), ORR_E_CONFLICT);
    orr_arena_fini(&arena);
}

/* ---- inputs ---- */

static void a_stock_reads_once(void **state)
{
    (void)state;
    char copy[120];
    orr_stock *stock = orr_stock_create(NULL);
    orr_case c = small(), part = small(), other = small();
    static const char *vc_a[] = {"a"};
    snprintf(copy, sizeof copy, "%s/once.csv", folder);
    write_file(copy, "job_id,submit,duration,gpus,vc\n1,0,10,1,a\n2,0,5,8,b\n");
    c.trace = part.trace = other.trace = copy;
    part.vcs = (orr_texts){.at = vc_a, .n = 1};
    const orr_trace *whole = orr_stock_trace(stock, &c, NULL);
    assert_non_null(whole);
    unlink(copy); /* from now on nothing can be read */
    const orr_trace *some = orr_stock_trace(stock, &part, NULL);
    assert_int_equal(orr_trace_count(some), 1);
    other.policy = "sjf";
    other.seed = 5; /* decides nothing about a trace of which no sample is taken */
    assert_ptr_equal(orr_stock_trace(stock, &other, NULL), whole);
    assert_ptr_equal(orr_stock_trace(stock, &part, NULL), some);
    assert_ptr_equal(orr_stock_cluster(stock, &c, NULL), orr_stock_cluster(stock, &other, NULL));
    orr_stock_trim(stock); /* the whole is a case's own trace: it stays */
    assert_ptr_equal(orr_stock_trace(stock, &c, NULL), whole);
    other.strict = true;
    orr_error e = {0};
    assert_null(orr_stock_trace(stock, &other, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    orr_stock_destroy(stock);
}

static void a_trimmed_stock_keeps_the_parts(void **state)
{
    (void)state;
    orr_stock *stock = orr_stock_create(NULL);
    orr_case part = small(), whole = small();
    part.limit = 2;
    const orr_trace *some = orr_stock_trace(stock, &part, NULL);
    orr_stock_trim(stock);
    assert_ptr_equal(orr_stock_trace(stock, &part, NULL), some);
    assert_int_equal(orr_trace_count(some), 2);
    assert_int_equal(orr_trace_count(orr_stock_trace(stock, &whole, NULL)), 3); /* is read again */
    orr_stock_destroy(stock);
}

static void samples_follow_the_seed(void **state)
{
    (void)state;
    orr_stock *stock = orr_stock_create(NULL);
    orr_case c = small();
    c.trace = SAMPLE;
    c.sample = 0.5;
    const orr_trace *first = orr_stock_trace(stock, &c, NULL);
    c.seed = 2;
    const orr_trace *second = orr_stock_trace(stock, &c, NULL);
    assert_ptr_not_equal(first, second);
    assert_int_not_equal(orr_trace_count(first), orr_trace_count(second));
    orr_stock_destroy(stock);
}

static void missing_inputs_are_told(void **state)
{
    (void)state;
    orr_stock *stock = orr_stock_create(NULL);
    orr_case c = small();
    orr_case_result r;
    orr_error e = {0};
    c.trace = "";
    assert_int_equal(orr_case_run(&c, stock, NULL, &r, &e), ORR_E_MISSING);
    e = (orr_error){0};
    c = small();
    c.where = "gpus > 100";
    assert_int_equal(orr_case_run(&c, stock, NULL, &r, &e), ORR_E_NO_JOBS);
    assert_int_equal(e.code, ORR_E_NO_JOBS);
    c = small();
    c.policy = "fofi";
    assert_int_equal(orr_case_try(&c, stock, NULL), ORR_E_UNKNOWN_POLICY);
    assert_int_equal(orr_case_run(&c, stock, NULL, &r, NULL), ORR_E_UNKNOWN_POLICY);
    assert_null(r.report);
    orr_case_result_fini(&r);
    orr_stock_destroy(stock);
}

/* ---- running ---- */

/* 8 GPUs. Job 1 (1 GPU) runs 0-10 and keeps 2 (8 GPUs) from starting, which keeps 3 (4 GPUs): 2 runs 10-15, 3 15-17.
 * Completion times 10, 15, 16. */
static void a_run_by_hand(void **state)
{
    (void)state;
    static const char *asked[] = {"count(gpus >= 4)", "max(jct)"};
    orr_stock *stock = orr_stock_create(NULL);
    orr_case c = small();
    orr_case_result r;
    double mean = 0;
    c.metrics = (orr_texts){.at = asked, .n = 2};
    assert_int_equal(orr_case_run(&c, stock, NULL, &r, NULL), 0);
    assert_int_equal(r.code, 0);
    assert_int_equal(r.stop, ORR_STOP_DRAINED);
    assert_true(orr_metrics_get(r.metrics, "jct.mean", &mean));
    assert_true(fabs(mean - 41 / 3.0) < 1e-12);
    assert_int_equal(r.report->custom_count, 2);
    assert_true(r.report->custom[0].value == 2 && r.report->custom[1].value == 16);
    assert_non_null(strstr(r.summary.at, "\"schema\":\"orrery.summary/1\""));
    assert_int_equal(strcspn(r.summary.at, "\n"), r.summary.n - 1);
    orr_case_result_fini(&r);
    orr_stock_destroy(stock);
}

static bool never(void *self, orr_sim *sim)
{
    (void)sim;
    ++*(int *)self;
    return false;
}

static bool until_limit(void *self, orr_sim *sim)
{
    if (++*(int *)self == 2)
        orr_sim_interrupt(sim, ORR_STOP_LIMIT);
    return true;
}

static void a_run_can_be_cut_short(void **state)
{
    (void)state;
    int asked = 0;
    orr_stock *stock = orr_stock_create(NULL);
    orr_case c = small();
    orr_case_hooks hooks = {.more = never, .more_self = &asked};
    orr_case_result r;
    orr_error e = {0};
    assert_int_equal(orr_case_run(&c, stock, &hooks, &r, &e), 0);
    assert_true(r.code == ORR_E_INTERRUPTED && e.code == ORR_E_INTERRUPTED && r.stop == ORR_STOP_INTERRUPTED);
    assert_int_equal(asked, 1);
    orr_case_result_fini(&r);
    hooks.more = until_limit;
    asked = 0;
    e = (orr_error){0};
    assert_int_equal(orr_case_run(&c, stock, &hooks, &r, &e), 0);
    assert_int_equal(r.code, ORR_E_LIMIT);
    assert_non_null(strstr(e.message, "--max-wall ended the run after 0 of 3 jobs"));
    orr_case_result_fini(&r);
    c.max_events = 1;
    e = (orr_error){0};
    assert_int_equal(orr_case_run(&c, stock, NULL, &r, &e), 0);
    assert_non_null(strstr(e.message, "--max-events"));
    orr_case_result_fini(&r);
    orr_stock_destroy(stock);
}

static void count_job(void *self, const orr_job_record *record)
{
    (void)record;
    ++*(int *)self;
}

static void a_caller_may_listen(void **state)
{
    (void)state;
    int jobs = 0;
    orr_stock *stock = orr_stock_create(NULL);
    const orr_case c = small();
    const orr_case_hooks hooks = {.sink = {.self = &jobs, .job = count_job}};
    orr_case_result r;
    assert_int_equal(orr_case_run(&c, stock, &hooks, &r, NULL), 0);
    assert_int_equal(jobs, 3);
    orr_case_result_fini(&r);
    orr_stock_destroy(stock);
}

/* Job 2 asks for more than one node of 4 GPUs has. */
static void a_packed_result_is_the_same(void **state)
{
    (void)state;
    static const char *asked[] = {"max(jct)"};
    orr_stock *stock = orr_stock_create(NULL);
    orr_case c = small();
    orr_case_result r, copy;
    orr_text bytes = {0}, again = {0}, table = {0}, table_again = {0};
    c.cluster = "nodes=1,gpus=4";
    c.metrics = (orr_texts){.at = asked, .n = 1};
    assert_int_equal(orr_case_run(&c, stock, NULL, &r, NULL), 0);
    assert_int_equal(r.rejected_count, 1);
    orr_case_result_pack(&r, &bytes);
    assert_int_equal(orr_case_result_unpack(&c, stock, &bytes, &copy, NULL), 0);
    orr_case_result_pack(&copy, &again);
    orr_report_table(r.report, 1, ORR_TABLE_TEXT, &table);
    orr_report_table(copy.report, 1, ORR_TABLE_TEXT, &table_again);
    assert_string_equal(table.at, table_again.at);
    assert_string_equal(r.summary.at, copy.summary.at);
    assert_string_equal(r.rejected[0].name, copy.rejected[0].name);
    assert_int_equal(bytes.n, again.n);
    orr_text_clear(&table);
    orr_text_clear(&table_again);
    assert_int_equal(orr_summary_json(r.report, true, &table, NULL), 0);
    assert_int_equal(orr_summary_json(copy.report, true, &table_again, NULL), 0);
    assert_string_equal(table.at, table_again.at);
    orr_case_result_fini(&copy);
    for (size_t n = 0; n < bytes.n; n += n < 200 ? 1 : 97) { /* whatever is cut off is seen */
        const orr_text cut = {.at = bytes.at, .n = n};
        assert_int_equal(orr_case_result_unpack(&c, stock, &cut, &copy, NULL), ORR_E_INVARIANT);
    }
    orr_case_result_fini(&r);
    orr_text_fini(&bytes);
    orr_text_fini(&again);
    orr_text_fini(&table);
    orr_text_fini(&table_again);
    orr_stock_destroy(stock);
}

static bool exists(const char *dir, const char *file)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return access(path, F_OK) == 0;
}

static void a_folder_holds_what_was_asked(void **state)
{
    (void)state;
    char dir[100];
    orr_arena arena = {0};
    orr_stock *stock = orr_stock_create(NULL);
    const orr_case c = small();
    orr_case_hooks hooks = {.dir = dir, .no_wall = true, .no_log = true};
    orr_case_result r;
    snprintf(dir, sizeof dir, "%s/deep/er", folder);
    assert_int_equal(orr_extras_parse("swf,openmetrics,swf", &arena, &hooks.write, NULL), 0);
    assert_string_equal(hooks.write[0], "openmetrics");
    assert_string_equal(hooks.write[1], "swf");
    assert_null(hooks.write[2]);
    assert_int_equal(orr_case_run(&c, stock, &hooks, &r, NULL), 0);
    assert_int_equal(r.code, 0);
    assert_true(exists(dir, "summary.json") && exists(dir, "jobs.csv") && exists(dir, "manifest.json"));
    assert_true(exists(dir, "schedule.swf") && exists(dir, "metrics.txt") && !exists(dir, "events.orrlog"));
    orr_case_result_fini(&r);
    orr_arena_fini(&arena);
    orr_stock_destroy(stock);
}

static void a_wrong_extra_is_told(void **state)
{
    (void)state;
    orr_arena arena = {0};
    const char *const *names = NULL;
    orr_error e = {0};
    assert_int_equal(orr_extras_parse("swf,perfeto", &arena, &names, &e), ORR_E_BAD_VALUE);
    assert_string_equal(e.hint, "did you mean perfetto?");
    assert_int_equal(orr_extras_parse(NULL, &arena, &names, NULL), 0);
    assert_null(names[0]);
    orr_arena_fini(&arena);
}

/* ---- real time ---- */

/* 1..100 ns: half are below 51, and 99 below 100. Classes are exact up to 128 and within 1/64 above. */
static void decisions_are_counted_in_classes(void **state)
{
    (void)state;
    double us[3];
    orr_wall_timing *t = orr_wall_timing_create();
    orr_wall_timing_sum_up(t, us);
    assert_true(us[0] == -1 && us[2] == -1);
    for (uint64_t i = 1; i <= 100; i++)
        orr_wall_timing_add(t, i);
    orr_wall_timing_sum_up(t, us);
    assert_true(us[0] == 0.05 && us[1] == 0.099 && us[2] == 0.1);
    for (uint64_t i = 0; i < 64; i++)
        orr_wall_timing_add(t, (uint64_t)1 << i);
    orr_wall_timing_add(t, UINT64_MAX);
    orr_wall_timing_destroy(t);
    for (uint64_t ns = 129; ns < UINT64_MAX / 3; ns = ns * 2 + 77) {
        t = orr_wall_timing_create();
        orr_wall_timing_add(t, ns);
        orr_wall_timing_sum_up(t, us);
        assert_true(us[0] * 1e3 <= (double)ns && us[0] * 1e3 >= (double)ns * (63.0 / 64));
        orr_wall_timing_destroy(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_says_nothing),
        cmocka_unit_test(a_text_sets_its_case),
        cmocka_unit_test(wrong_keys_are_told),
        cmocka_unit_test(yaml_sets_a_case),
        cmocka_unit_test(what_needs_no_file_is_checked_without),
        cmocka_unit_test(a_stock_reads_once),
        cmocka_unit_test(a_trimmed_stock_keeps_the_parts),
        cmocka_unit_test(samples_follow_the_seed),
        cmocka_unit_test(missing_inputs_are_told),
        cmocka_unit_test(a_run_by_hand),
        cmocka_unit_test(a_run_can_be_cut_short),
        cmocka_unit_test(a_caller_may_listen),
        cmocka_unit_test(a_packed_result_is_the_same),
        cmocka_unit_test(a_folder_holds_what_was_asked),
        cmocka_unit_test(a_wrong_extra_is_told),
        cmocka_unit_test(decisions_are_counted_in_classes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
