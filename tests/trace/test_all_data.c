/* Every file of the shared data, as a trace: the workloads are read as what they are, with the tables that they need;
 * everything else is refused by one error that names the file and says why. */
#define _XOPEN_SOURCE 700
#include "reading.h"

#include <dirent.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

/* The first that matches holds. No format: the file is refused, and the message or the hint says this. */
typedef struct rule {
    const char *pattern, *format, *tables, *gpu_type, *says;
    uint32_t files; /* how many there are */
} rule;

static const rule rules[] = {
    {"acme/trace_*.example.csv", "acme", NULL, NULL, NULL, 2},
    {"alibaba-gpu-v2020/pai_machine_metric.example.csv", NULL, NULL, NULL, "measurements", 1},
    {"alibaba-gpu-v2020/pai_sensor_table.example.csv", NULL, NULL, NULL, "measurements", 1},
    {"alibaba-gpu-v2020/pai_*.example.csv", "pai", NULL, NULL, NULL, 5}, /* any table names its siblings */
    {"alibaba-gpu-v2020/pai_*.header", NULL, NULL, NULL, "", 7},
    {"alibaba-gpu-v2025/*.csv.gz", "dlrm", NULL, NULL, NULL, 1},
    {"alibaba-spot-2026/job_info_df.example.csv", "spot", NULL, NULL, NULL, 1},
    {"chronus/trace_job_Philly_*.csv.gz", "chronus", NULL, NULL, NULL, 2},
    {"elasticflow/traces/*.csv", "elasticflow", NULL, NULL, NULL, 3},
    {"gavel/msr/*.trace", "gavel", "data/gavel/simulation_throughputs.json.gz", NULL, NULL, 24},
    {"gavel/physical_cluster/*.trace", "gavel", "data/gavel/simulation_throughputs.json.gz", NULL, NULL, 6},
    {"shockwave/*.trace", "gavel", "data/shockwave/tacc_throughputs.json.gz", NULL, NULL, 4},
    {"helios/cluster_log.example.csv", "helios", NULL, NULL, NULL, 1},
    {"inference/azure-llm-2023/*.csv", "azure-llm", NULL, NULL, NULL, 1},
    {"inference/mooncake-fast25/*.jsonl.gz", "mooncake", NULL, NULL, NULL, 1},
    {"inference/vidur/splitwise_code.csv", "vidur", NULL, NULL, NULL, 1},
    {"inference/vidur/arxiv*", NULL, NULL, NULL, "not a trace", 1},
    {"inference/alibaba-genai-2026/lora_request_trace.csv.gz", "alibaba-genai", NULL, NULL, NULL, 1},
    {"inference/alibaba-genai-2026/*.tar.gz", NULL, NULL, NULL, "tar", 7},
    {"muri/trace-data/*.csv", "muri", NULL, NULL, NULL, 9},
    {"muri/cluster_exp/*.csv", "muri", NULL, NULL, NULL, 1},
    {"openb/openb_pod_list_multigpu*.csv", NULL, NULL, NULL, "without times", 3},
    {"openb/openb_pod_list_*.csv", "openb", NULL, NULL, NULL, 18},
    {"openb/openb_node_list_*.csv", NULL, NULL, NULL, "cluster", 2},
    {"philly/philly.csv.gz", "philly-csv", NULL, NULL, NULL, 1},
    {"philly/philly_vc_2869ce.csv", "philly-csv", NULL, NULL, NULL, 1},
    {"philly/cluster_job_log.*.json", "philly-json", NULL, NULL, NULL, 2},
    {"pollux/workloads*/*.csv", "pollux", "data/pollux/traces", NULL, NULL, 35},
    {"sia/workloads/*.csv", "pollux", "data/pollux/traces", NULL, NULL, 68},
    {"pollux/traces/*", NULL, NULL, NULL, "not a trace", 52},
    {"sia/traces/*", NULL, NULL, NULL, "not a trace", 82},
    {"swf/lublin_256.swf", "swf", NULL, NULL, NULL, 1},
    {"synergy/static_100job_*", "synergy", NULL, NULL, NULL, 1},
    {"synergy/test_trace", "synergy", NULL, NULL, NULL, 1},
    {"tiresias/60_job.csv", "tiresias", NULL, NULL, NULL, 1},
    {"tiresias/tf_job.csv", "tiresias", NULL, NULL, NULL, 1},
    {"*", NULL, NULL, NULL, "", 0},
};
#define RULES (sizeof rules / sizeof *rules)

typedef struct walk {
    char root[512];
    uint32_t seen[RULES], loaded, refused;
} walk;

static const rule *rule_of(const char *name)
{
    const rule *r = rules;
    while (fnmatch(r->pattern, name, 0) != 0)
        r++;
    return r;
}

static void check_read(const char *name, const orr_trace *trace, const rule *r, const orr_error *e)
{
    char form[2048];
    orr_error_format(e, form, sizeof form);
    if (!trace)
        fail_msg("%s should be read\n%s", name, form);
    if (strcmp(orr_trace_format(trace), r->format) != 0)
        fail_msg("%s is %s, read as %s", name, r->format, orr_trace_format(trace));
}

static void check_refused(const char *name, const orr_trace *trace, const rule *r, const orr_error *e)
{
    char form[2048];
    orr_error_format(e, form, sizeof form);
    if (trace)
        fail_msg("%s is no workload, but was read as %s", name, orr_trace_format(trace));
    if (!e->code || !e->file[0] || !strstr(form, r->says))
        fail_msg("%s should be refused because \"%s\"\n%s", name, r->says, form);
}

static void visit_file(walk *w, const char *path)
{
    const char *name = path + strlen(w->root) + 1;
    char tables[1024];
    orr_error e = {0};
    const rule *r = rule_of(name);
    snprintf(tables, sizeof tables, "%.500s/../%s", w->root, r->tables ? r->tables : "");
    const orr_trace_options options = {
        .keep_cpu_jobs = true, .tables = r->tables ? tables : NULL, .gpu_type = r->gpu_type};
    orr_trace *trace = orr_trace_read(path, &options, &e);
    w->seen[r - rules]++;
    if (r->format) {
        check_read(name, trace, r, &e);
        w->loaded++;
    } else {
        check_refused(name, trace, r, &e);
        w->refused++;
    }
    orr_trace_destroy(trace);
}

static void visit(walk *w, const char *path)
{
    struct stat what;
    struct dirent **entries;
    assert_int_equal(stat(path, &what), 0);
    if (!S_ISDIR(what.st_mode)) {
        visit_file(w, path);
        return;
    }
    const int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char child[1024];
        snprintf(child, sizeof child, "%.700s/%.255s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            visit(w, child);
        free(entries[i]);
    }
    free(entries);
}

static void every_file(void **state)
{
    static walk w;
    char readme[512];
    (void)state;
    shared_path(readme, "data/README.md");
    snprintf(w.root, sizeof w.root, "%.*s", (int)(strlen(readme) - strlen("/README.md")), readme);
    visit(&w, w.root);
    for (size_t i = 0; i + 1 < RULES; i++)
        if (w.seen[i] != rules[i].files)
            fail_msg("%s: %u files instead of %u", rules[i].pattern, w.seen[i], rules[i].files);
    print_message("%u workloads read, %u other files refused\n", w.loaded, w.refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
