/* The public Sia simulator: 25 single decisions. The matrix of costs follows from the jobs' models to its two decimals, and no choice
 * of theirs is better than ours, which is proved to be the best. */
#include "cases.h"
#include "compare.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "config/applications.h"

#include "../../policies/sched/sia.c"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { TYPES = 3, CONFIGS = 19, MOST_JOBS = 64 };

static const char *const type_names[TYPES] = {"aws", "dgx-ext", "rtx"};
static const int32_t widths[TYPES] = {4, 8, 8}, gpus_of[TYPES] = {24, 16, 24};

static int32_t type_of(const char *name)
{
    int32_t t = 0;
    while (t < TYPES && strcmp(type_names[t], name) != 0)
        t++;
    assert_true(t < TYPES);
    return t;
}

static model model_of(const cJSON *params, const char *application, int32_t type)
{
    const cJSON *a = field_of(field_of(field_of(params, "types"), type_names[type]), application);
    double v[7];
    for (int i = 0; i < 7; i++)
        v[i] = cJSON_GetArrayItem(field_of(a, "perf_params_all_placements"), i)->valuedouble;
    return (model){
        .perf = {v[0], v[1], v[2], v[3], v[4], v[5], v[6]},
        .limits = {.initial = (int64_t)real_of(a, "init_batch_size"), .most = (int64_t)real_of(a, "max_batch_size"),
                   .local_least = (int32_t)real_of(a, "min_local_bsz"), .local_most = (int32_t)real_of(a, "max_local_bsz"),
                   .accumulates = true},
        .peak = real_of(a, "peak_rate_1gpu"),
    };
}

static config config_at(const cJSON *c, int i)
{
    const cJSON *a = cJSON_GetArrayItem(field_of(c, "configs"), i);
    return (config){type_of(cJSON_GetArrayItem(a, 0)->valuestring), cJSON_GetArrayItem(a, 2)->valueint,
                    cJSON_GetArrayItem(a, 1)->valueint};
}

/* How long a restart is believed to take, by the preset. */
static double pause_for(const char *application)
{
    const settings k = {.restart = 30 * ORR_SECOND, .restarts = strstr(presets[0].settings, "restarts=") + 9};
    return pause_of(&k, application);
}

/* One row of the matrix, as the policy makes it. */
static void row_of(const cJSON *params, const cJSON *c, const cJSON *job, double *cost)
{
    const char *application = field_of(job, "application")->valuestring;
    const cJSON *before = field_of(job, "previous_config"), *known;
    const orr_noise noise = {real_of(job, "grad_sqr"), real_of(job, "grad_var")};
    model models[TYPES];
    double row[CONFIGS], most = 1;
    for (int32_t t = 0; t < TYPES; t++) {
        models[t] = model_of(params, application, t);
        most = fmax(most, real_of(field_of(job, "max_replicas"), type_names[t]));
    }
    cJSON_ArrayForEach(known, field_of(job, "known_types")) models[type_of(known->valuestring)].known = true;
    for (int i = 0; i < CONFIGS; i++) {
        const config to = config_at(c, i);
        row[i] = to.gpus <= most ? goodput_on(models, widths, TYPES, noise, 0, to.pool, &to) : 0;
    }
    normalise(row, CONFIGS, 1);
    const double factor = restart_factor(real_of(job, "age"), (int32_t)real_of(job, "num_restarts"), pause_for(application));
    for (int i = 0; i < CONFIGS; i++)
        cost[i] = cost_of(row[i] * (cJSON_IsNull(before) || before->valueint == i ? 1 : factor), real_of(c, "p"));
}

/* What they give to an impossible configuration is never chosen: both must be far above a job without GPUs. Theirs are floats. */
static void compare_rows(int which, const cJSON *job, const cJSON *theirs, const double *cost)
{
    for (int i = 0; i < CONFIGS; i++) {
        const double expected = cJSON_GetArrayItem(theirs, i)->valuedouble;
        if (fabs(cost[i] - expected) > 1e-6 * expected && !(expected >= 100 && cost[i] >= 100))
            fail_msg("case %d, %s, configuration %d: %.17g, not %.17g", which, field_of(job, "name")->valuestring, i, cost[i], expected);
    }
}

static void solve(int which, const cJSON *c, const double *cost, int jobs)
{
    static double costs[MOST_JOBS * (CONFIGS + 1)];
    static int32_t first[MOST_JOBS + 1], pool_of[MOST_JOBS * (CONFIGS + 1)], size[MOST_JOBS * (CONFIGS + 1)], chosen[MOST_JOBS];
    int32_t n = 0;
    for (int j = 0; j < jobs; j++, first[j] = n) {
        for (int i = 0; i < CONFIGS; i++, n++) {
            const config to = config_at(c, i);
            costs[n] = cost[j * CONFIGS + i], pool_of[n] = to.pool, size[n] = to.gpus;
        }
        costs[n] = real_of(c, "lambda_n"), pool_of[n] = -1, size[n++] = 0;
    }
    const orr_options o = {.classes = jobs, .pools = TYPES, .first = first, .cost = costs, .pool = pool_of, .size = size, .room = gpus_of};
    double bound;
    const double got = orr_choose_options(&o, chosen, &bound), theirs = real_of(c, "objective");
    if (got > theirs + 1e-4 * theirs || got < theirs - 1e-4 * theirs || bound < got - 1e-9)
        fail_msg("case %d: %.17g (at least %.17g), not %.17g", which, got, bound, theirs);
}

static void every_single_decision(void **unused)
{
    (void)unused;
    char cases_at[1024], params_at[1024];
    if (!run_shared(cases_at, "golden/pollux/sia/mip-cases.json.gz") || !run_shared(params_at, "golden/pollux/sia/params.json")) {
        golden_skipped("sia decisions", "not here");
        return;
    }
    cJSON *cases = json_read(cases_at), *params = json_read(params_at);
    assert_int_equal(cJSON_GetArraySize(cases), 25);
    for (int i = 0; i < 25; i++) {
        const cJSON *c = cJSON_GetArrayItem(cases, i), *jobs = field_of(c, "jobs");
        const int n = cJSON_GetArraySize(jobs);
        static double cost[MOST_JOBS * CONFIGS];
        assert_in_range(n, 1, MOST_JOBS);
        for (int j = 0; j < n; j++) {
            const cJSON *job = cJSON_GetArrayItem(jobs, j);
            row_of(params, c, job, &cost[j * CONFIGS]);
            compare_rows(i, job, cJSON_GetArrayItem(field_of(c, "cost_matrix"), j), &cost[j * CONFIGS]);
        }
        solve(i, c, cost, n);
    }
    golden_ran("sia decisions");
    cJSON_Delete(cases);
    cJSON_Delete(params);
}

/* ---- a workload -------------------------------------------------------------------------------------------------- */

/* The six applications as that simulator has them: GPU types by their names in the tables, times longer than measured, restarts. */
static orr_applications *their_applications(const char *tables, const char *validation)
{
    static const struct {
        const char *model, *restart;
        double slowdown;
    } apps[] = {{"cifar10", "50s", 1.8}, {"deepspeech2", "25s", 1.2}, {"bert", "120s", 1.2}, {"yolov3", "80s", 1.2}, {"imagenet", "250s", 1.2},
                {"ncf", "15s", 1.5}};
    const orr_applications_wish wish = {.validation = validation};
    orr_text t = {0};
    orr_error e = {0};
    orr_text_addf(&t, "schema: orrery.applications/1\ntables: %s\napplications:\n", tables);
    for (size_t i = 0; i < sizeof apps / sizeof *apps; i++)
        orr_text_addf(&t, "  - {model: %s, restart: %s, slowdown: %g}\n", apps[i].model, apps[i].restart, apps[i].slowdown);
    orr_input *in = orr_input_memory("sia", t.at, t.n);
    orr_applications *all = orr_applications_read(in, "", &wish, &e);
    orr_input_close(in);
    orr_text_fini(&t);
    if (!all)
        fail_msg("%s", e.message);
    all->own_work = true;
    return all;
}

/* A job is its application's whole training. What it is recorded to take doesn't matter then, nor on how many GPUs. */
static orr_trace *their_jobs(const table *t)
{
    orr_trace *trace = orr_trace_create("sia");
    orr_error e = {0};
    for (size_t i = 0; i < t->count; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = table_text(t, i, "name");
        job.model = table_text(t, i, "application");
        job.submit = table_number(t, i, "submit_s") * ORR_SECOND;
        job.duration = 36000 * ORR_SECOND;
        if (orr_trace_add(trace, &job, &e))
            fail_msg("%s", e.message);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    return trace;
}

static orr_cluster_spec *their_cluster(void)
{
    static const int32_t counts[TYPES] = {6, 2, 3};
    orr_cluster_spec *spec = orr_cluster_spec_create("sia");
    orr_error e = {0};
    for (int t = 0; t < TYPES; t++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = widths[t];
        node.gpu_type = type_names[t];
        assert_int_equal(orr_cluster_spec_add(spec, &node, counts[t], &e), ORR_OK);
    }
    return spec;
}

/* Their solver breaks ties otherwise, so that single jobs differ; averages are to agree to a tenth. */
static void a_workload_by_its_averages(void **unused)
{
    (void)unused;
#if defined(__SANITIZE_ADDRESS__)
    golden_skipped("sia philly workload-1", "takes too long under sanitizers");
    return;
#endif
    char tables[1024], validation[1024], expected[1024];
    if (!run_shared(tables, "data/sia/traces") || !run_shared(validation, "golden/pollux/inputs/traces") ||
        !run_shared(expected, "golden/pollux/sia/rerun-philly-workload-1.csv.gz")) {
        golden_skipped("sia philly workload-1", "not here");
        return;
    }
    table *t = table_read(expected);
    orr_applications *all = their_applications(tables, validation);
    orr_trace *trace = their_jobs(t);
    orr_cluster_spec *cluster = their_cluster();
    orr_sim_options options = orr_sim_options_default();
    options.applications = all;
    options.costs = "pollux,by=application";
    run *r = run_policy(trace, cluster, "sia:sosp23", &options);
    double jct = 0, hours = 0;
    for (size_t i = 0; i < t->count; i++) {
        jct += (double)table_number(t, i, "jct_s") / (double)t->count;
        hours += (double)table_number(t, i, "gpu_seconds") / 3600 / (double)t->count;
    }
    double got_hours = 0;
    for (size_t i = 0; i < r->count; i++)
        got_hours += r->jobs[i].service / 3600 / (double)r->count;
    printf("mean JCT %.1f s, theirs %.1f s; GPU hours a job %.2f, theirs %.2f; makespan %.2f h\n", run_mean_jct(r), jct, got_hours, hours,
           run_makespan(r) / 3600);
    assert_true(fabs(run_mean_jct(r) - jct) <= 0.1 * jct);
    assert_true(fabs(got_hours - hours) <= 0.1 * hours);
    golden_ran("sia philly workload-1");
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    orr_applications_destroy(all);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_single_decision),
        cmocka_unit_test(a_workload_by_its_averages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
