#define ORR_BUILTIN /* a module that no plugin file holds */
#include "probe.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static double *asked;

static double submission(orr_ctx *ctx, const orr_job *job)
{
    asked[orr_job_index(job)] = orr_est_duration(ctx, job);
    return orr_time_seconds(orr_job_submit(job));
}

ORR_ORDER(probe) = {
    .summary = "fifo that asks for durations",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE},
    .key = submission,
};

void probe_trace(const orr_trace *trace, const char *cluster, const char *estimator, double *out)
{
    char policy[256];
    orr_error e = {0};
    orr_registry *registry = orr_registry_create();
    orr_cluster_spec *spec = run_cluster(cluster);
    orr_sim_options o = orr_sim_options_default();
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_probe, &e), ORR_OK);
    o.registry = registry;
    asked = out;
    snprintf(policy, sizeof policy, "probe~%s", estimator);
    run_free(run_policy(trace, spec, policy, &o));
    orr_cluster_spec_destroy(spec);
    orr_registry_destroy(registry);
}

void probe_jobs(const run_job *jobs, size_t count, const char *cluster, const char *estimator, double *out)
{
    orr_trace *trace = run_trace(jobs, count);
    probe_trace(trace, cluster, estimator, out);
    orr_trace_destroy(trace);
}

void probe_expect(const run_job *jobs, size_t count, const char *estimator, const double *expected)
{
    double *got = orr_xcalloc(count, sizeof *got);
    probe_jobs(jobs, count, "64", estimator, got);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - expected[i]) <= 1e-9 * fabs(expected[i])))
            fail_msg("%s: %s is believed to take %.12g s, should be %.12g", estimator, jobs[i].id, got[i], expected[i]);
    free(got);
}
