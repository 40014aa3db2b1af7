/* The samples in traces/: each comes out of the command that traces/README.md gives for it, byte for byte, and holds
 * what the text there says. */
#define _POSIX_C_SOURCE 200809L
#include "model/applications.h"
#include "model/throughputs.h"

#include <orrery/cluster.h>
#include <orrery/trace.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TRACES ORR_SOURCE_DIR "/traces/"

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("can't open %s", path);
    char *data = malloc((1 << 21) + 1);
    *size = fread(data, 1, 1 << 21, f);
    data[*size] = '\0';
    fclose(f);
    return data;
}

static void compare_files(const char *sample, const char *made)
{
    size_t n, m;
    char *a = slurp(sample, &n), *b = slurp(made, &m);
    if (n != m || memcmp(a, b, n) != 0)
        fail_msg("%s is not what its command makes", sample);
    free(a);
    free(b);
}

/* Runs `args` (what follows "orrery" up to "-o traces/NAME") into a scratch folder and compares. */
static void check_command(const char *folder, const char *args, const char *name)
{
    char command[1024], made[256], sample[1024];
    snprintf(made, sizeof made, "%s/%s", folder, name);
    snprintf(sample, sizeof sample, TRACES "%s", name);
    snprintf(command, sizeof command, "'%s' %s -o '%s'", ORR_CLI, args, made);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
    compare_files(sample, made);
    unlink(made);
}

static void commands_make_the_samples(void **state)
{
    (void)state;
    char folder[] = "/tmp/orrery-samples-XXXXXX";
    assert_non_null(mkdtemp(folder));
    size_t size;
    char *readme = slurp(TRACES "README.md", &size), *rest = readme;
    int commands = 0;
    while ((rest = strstr(rest, "\n$ orrery synth "))) {
        char *args = rest + strlen("\n$ orrery "), *end = strchr(args, '\n');
        *end = '\0';
        char *out = strstr(args, " -o traces/");
        assert_non_null(out);
        *out = '\0';
        check_command(folder, args, out + strlen(" -o traces/"));
        commands++;
        rest = end + 1;
        rest[-1] = '\n'; /* the next command may begin here */
        rest--;
    }
    assert_int_equal(commands, 11);
    rmdir(folder);
    free(readme);
}

typedef struct facts {
    size_t jobs;
    double days, work; /* of submissions; GPU-seconds */
    int32_t most_gpus;
    size_t limits, deadlines;
} facts;

static facts read_facts(const char *path, orr_trace **trace)
{
    orr_error e = {0};
    *trace = orr_trace_read(path, NULL, &e);
    if (!*trace)
        fail_msg("%s: %s", path, e.message);
    const orr_trace_job *jobs = orr_trace_jobs(*trace);
    facts f = {.jobs = orr_trace_count(*trace)};
    for (size_t i = 0; i < f.jobs; i++) {
        f.work += orr_time_seconds(jobs[i].duration) * jobs[i].gpus;
        f.most_gpus = jobs[i].gpus > f.most_gpus ? jobs[i].gpus : f.most_gpus;
        f.limits += jobs[i].limit != ORR_TIME_NONE;
        f.deadlines += jobs[i].deadline != ORR_TIME_NONE;
    }
    f.days = orr_time_seconds(jobs[f.jobs - 1].submit - jobs[0].submit) / 86400;
    return f;
}

static void philly_2k_loads_64_gpus(void **state)
{
    (void)state;
    orr_trace *t;
    facts f = read_facts(TRACES "philly-2k.csv", &t);
    assert_int_equal(f.jobs, 2000);
    assert_int_equal(f.most_gpus, 32);
    assert_true(f.days > 13.5 && f.days < 14.5);
    double load = f.work / (64 * f.days * 86400);
    assert_true(load > 0.88 && load < 0.92);
    assert_int_equal(f.limits, 2000);
    assert_true(f.deadlines > 500 && f.deadlines < 700);
    orr_trace_destroy(t);
}

/* Every VC of the trace is in the file beside it, and every job fits its VC. */
static void helios_5k_matches_its_cluster(void **state)
{
    (void)state;
    orr_trace *t;
    facts f = read_facts(TRACES "helios-5k.csv", &t);
    orr_error e = {0};
    orr_cluster_spec *c = orr_cluster_spec_load(TRACES "helios-5k.vc.csv", NULL, &e);
    if (!c)
        fail_msg("%s", e.message);
    assert_int_equal(f.jobs, 5000);
    assert_int_equal(orr_cluster_spec_gpus(c), 512);
    assert_int_equal(orr_cluster_spec_vcs(c), 4);
    int32_t gpus[4] = {0};
    for (int32_t i = 0; i < orr_cluster_spec_nodes(c); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(c, i);
        gpus[orr_cluster_spec_find_vc(c, node->vc)] += node->gpus;
    }
    for (size_t i = 0; i < f.jobs; i++) {
        int32_t vc = orr_cluster_spec_find_vc(c, orr_trace_jobs(t)[i].vc);
        assert_true(vc >= 0 && orr_trace_jobs(t)[i].gpus <= gpus[vc]);
    }
    orr_cluster_spec_destroy(c);
    orr_trace_destroy(t);
}

static void tiny_has_some_of_everything(void **state)
{
    (void)state;
    orr_trace *t;
    facts f = read_facts(TRACES "tiny.csv", &t);
    assert_int_equal(f.jobs, 12);
    assert_int_equal(f.most_gpus, 8);
    assert_int_equal(f.limits, 12);
    assert_true(f.deadlines > 0 && f.deadlines < 12);
    int endings[3] = {0};
    for (size_t i = 0; i < f.jobs; i++)
        endings[orr_trace_jobs(t)[i].ending]++;
    assert_true(endings[ORR_ENDING_DONE] && endings[ORR_ENDING_FAILED] && endings[ORR_ENDING_KILLED]);
    orr_trace_destroy(t);
}

/* Sum of the GPU time of the jobs of one stage, in GPU-seconds, and how many they are. */
static double stage(const orr_trace *t, const char *type, int *jobs)
{
    double work = 0;
    *jobs = 0;
    for (size_t i = 0; i < orr_trace_count(t); i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        if (strcmp(orr_trace_attribute(t, j, "type"), type) != 0)
            continue;
        work += orr_time_seconds(j->duration) * j->gpus;
        ++*jobs;
    }
    return work;
}

static void acme_2k_is_pretraining_by_time(void **state)
{
    (void)state;
    orr_trace *t;
    facts f = read_facts(TRACES "acme-2k.csv", &t);
    int evaluations, pretraining;
    double of_evaluation = stage(t, "Evaluation", &evaluations), of_pretraining = stage(t, "Pretrain", &pretraining);
    assert_int_equal(f.jobs, 2000);
    assert_int_equal(f.most_gpus, 1024);
    assert_int_equal(evaluations, 1851);
    assert_int_equal(pretraining, 68);
    assert_true(of_evaluation / f.work > 0.0065 && of_evaluation / f.work < 0.0075);
    assert_true(of_pretraining / f.work > 0.955 && of_pretraining / f.work < 0.965);
    double load = f.work / (2416 * f.days * 86400);
    assert_true(load > 0.78 && load < 0.82 && f.days > 2.45 && f.days < 2.55);
    orr_trace_destroy(t);
}

static void pai_2k_shares_gpus(void **state)
{
    (void)state;
    orr_trace *t;
    facts f = read_facts(TRACES "pai-2k.csv", &t);
    double work = 0;
    int shares = 0, typed = 0;
    for (size_t i = 0; i < f.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        work += orr_time_seconds(j->duration) * j->gpus * j->gpu_milli / 1000;
        shares += j->gpu_milli < 1000;
        typed += j->gpu_type[0] != '\0';
    }
    assert_int_equal(f.jobs, 2000);
    assert_int_equal(f.most_gpus, 32);
    assert_true(shares > 1225 && shares < 1275 && typed > 460 && typed < 540);
    double load = work / (128 * f.days * 86400);
    assert_true(load > 0.79 && load < 0.81 && f.days > 1.6 && f.days < 1.75);
    orr_trace_destroy(t);
}

static void trials_1k_has_what_no_trace_has(void **state)
{
    (void)state;
    static const char *const attributes[] = {"epochs",          "loss_a",   "batch_size",  "noise_scale",
                                             "cpu_sensitivity", "gpu_util", "scaling_exponent"};
    orr_trace *t;
    facts f = read_facts(TRACES "trials-1k.csv", &t);
    int groups = 0;
    for (size_t i = 0; i < f.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        groups += i == 0 || strcmp(j->group, j[-1].group) != 0;
        for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
            assert_true(orr_trace_attribute(t, j, attributes[k])[0] != '\0');
        assert_true(j->cpu_milli > 0 && j->gpu_mem_bytes > 0 && j->mem_bytes > 0 && j->model[0] && j->max_gpus >= j->gpus);
    }
    assert_int_equal(f.jobs, 1000);
    assert_int_equal(f.deadlines, 1000);
    assert_int_equal(groups, 153);
    double load = f.work / (128 * f.days * 86400);
    assert_true(load > 0.79 && load < 0.81);
    orr_trace_destroy(t);
}

/* Each job's model and gang have a row in the table that comes with it. */
static void mixed_400_has_the_models_of_its_table(void **state)
{
    (void)state;
    orr_trace *t;
    orr_error e = {0};
    facts f = read_facts(TRACES "mixed-400.csv", &t);
    orr_throughputs *table = orr_throughputs_load("synthetic", &e);
    assert_non_null(table);
    for (size_t i = 0; i < f.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        assert_true(orr_throughputs_job(table, j->model, j->gpus) >= 0);
    }
    assert_int_equal(f.jobs, 400);
    double load = f.work / (12 * f.days * 86400);
    assert_true(load > 0.39 && load < 0.41);
    orr_throughputs_destroy(table);
    orr_trace_destroy(t);
}

/* Each job takes what its application needs on its gang, and asks the batch of that. */
static void elastic_160_are_trainings(void **state)
{
    (void)state;
    orr_trace *t;
    orr_error e = {0};
    facts f = read_facts(TRACES "elastic-160.csv", &t);
    orr_applications *all = orr_applications_load("synthetic", &e);
    assert_non_null(all);
    for (size_t i = 0; i < f.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const orr_application *a = orr_applications_find(all, j->model);
        assert_non_null(a);
        const orr_placement gang = orr_application_gang(a, 0, j->gpus);
        const int64_t total = strtoll(orr_trace_attribute(t, j, "batch_size"), NULL, 10);
        const orr_batch batch = orr_batch_split(orr_application_limits(a), j->gpus, total);
        assert_int_equal(orr_batch_total(batch, j->gpus), total);
        assert_int_equal(j->duration / ORR_SECOND, (int64_t)ceil(orr_application_length(a, 0, &gang, batch)));
    }
    assert_int_equal(f.jobs, 160);
    assert_int_equal(f.most_gpus, 48);
    assert_true(f.days > 7.5 / 24 && f.days < 8 / 24.0);
    assert_true(f.work / (64 * 8 * 3600) > 1.15 && f.work / (64 * 8 * 3600) < 1.25);
    orr_applications_destroy(all);
    orr_trace_destroy(t);
}

/* Requests, the services they are shared among, and how many of the first one. */
static void check_requests(const char *name, uint64_t requests, orr_time bin, const char *first, uint64_t of_first, double seconds)
{
    orr_error e = {0};
    char path[512];
    const orr_trace_request *r;
    snprintf(path, sizeof path, TRACES "%s", name);
    orr_trace *t = orr_trace_read(path, NULL, &e);
    if (!t)
        fail_msg("%s: %s", path, e.message);
    const size_t n = orr_trace_requests(t, &r);
    uint64_t all = 0, of = 0;
    for (size_t i = 0; i < n; i++) {
        all += r[i].count;
        of += strcmp(r[i].service, first) == 0 ? r[i].count : 0;
    }
    assert_int_equal(all, requests);
    assert_int_equal(of, of_first);
    assert_int_equal(orr_trace_bin(t), bin);
    assert_true(fabs(orr_time_seconds(r[n - 1].arrival) - seconds) < 1);
    orr_trace_destroy(t);
}

static void requests_are_what_the_readme_says(void **state)
{
    (void)state;
    check_requests("requests-mix-2k.csv", 2000, 0, "s0", 708, 49.5);
    check_requests("requests-chat-1k.csv", 1000, 0, "chat", 1000, 516.850376);
    check_requests("requests-day.csv", 600000, 300 * ORR_SECOND, "search", 326980, 87300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_make_the_samples),       cmocka_unit_test(philly_2k_loads_64_gpus),
        cmocka_unit_test(helios_5k_matches_its_cluster),   cmocka_unit_test(tiny_has_some_of_everything),
        cmocka_unit_test(acme_2k_is_pretraining_by_time),  cmocka_unit_test(pai_2k_shares_gpus),
        cmocka_unit_test(trials_1k_has_what_no_trace_has), cmocka_unit_test(mixed_400_has_the_models_of_its_table),
        cmocka_unit_test(elastic_160_are_trainings),       cmocka_unit_test(requests_are_what_the_readme_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
