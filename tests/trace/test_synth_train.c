/* Synthetic jobs that are trainings of applications. */
#include "making.h"

#include "model/applications.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static orr_applications *applications;

static int load(void **state)
{
    (void)state;
    applications = orr_applications_load("synthetic", NULL);
    return applications ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    orr_applications_destroy(applications);
    return 0;
}

static orr_synth_options options(void)
{
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 2000;
    o.applications = applications;
    return o;
}

static int64_t batch_of(const orr_trace *t, const orr_trace_job *j)
{
    return strtoll(orr_trace_attribute(t, j, "batch_size"), NULL, 10);
}

static double seconds(const orr_application *a, int32_t gpus, int64_t batch)
{
    const orr_placement gang = orr_application_gang(a, 0, gpus);
    const orr_batch_limits l = orr_application_limits_on(a, 0, &gang);
    return orr_application_length(a, 0, &gang, orr_batch_split(&l, gpus, batch));
}

/* Of each application the least time on one GPU, over all its batches. */
static double alone(const orr_application *a)
{
    const orr_batch_limits *l = orr_application_limits(a);
    double least = INFINITY;
    for (int64_t batch = l->initial; batch <= l->most; batch++)
        least = fmin(least, seconds(a, 1, batch));
    return least;
}

static void tuned(void **state)
{
    (void)state;
    orr_synth_options o = options();
    orr_trace *t = make(&o);
    double one[6];
    size_t of[6] = {0};
    for (int32_t i = 0; i < 6; i++)
        one[i] = alone(orr_applications_at(applications, i));
    for (size_t k = 0; k < o.jobs; k++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[k];
        const orr_application *a = orr_applications_find(applications, j->model);
        int32_t i = 0;
        while (orr_applications_at(applications, i) != a)
            i++;
        of[i]++;
        const double takes = seconds(a, j->gpus, batch_of(t, j)), each = one[i] / takes / j->gpus;
        assert_int_equal(j->duration, (int64_t)ceil(takes) * ORR_SECOND);
        assert_true(each > 0.5 && each < 0.81 && takes < 12 * 3600); /* of 50 batches, not of all */
        assert_true(j->min_gpus == j->gpus && j->max_gpus == j->gpus && j->gpu_milli == 1000);
    }
    /* Shares are as 1 / sqrt of the time on one GPU; four standard deviations. */
    double sum = 0;
    for (int32_t i = 0; i < 6; i++)
        sum += 1 / sqrt(one[i]);
    for (int32_t i = 0; i < 6; i++) {
        const double share = 1 / sqrt(one[i]) / sum, n = (double)o.jobs;
        assert_true(fabs((double)of[i] - share * n) < 4 * sqrt(share * (1 - share) * n));
    }
    orr_trace_destroy(t);
}

static void at_random(void **state)
{
    (void)state;
    orr_synth_options o = options();
    o.configured = "random";
    o.max_gpus = 16;
    orr_trace *t = make(&o);
    size_t of[17] = {0};
    for (size_t k = 0; k < o.jobs; k++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[k];
        const orr_application *a = orr_applications_find(applications, j->model);
        const orr_batch_limits *l = orr_application_limits(a);
        assert_in_range(j->gpus, 1, 16);
        of[j->gpus]++;
        assert_true(batch_of(t, j) <= l->most && batch_of(t, j) >= l->local_least * j->gpus);
        assert_int_equal(j->duration, (int64_t)ceil(seconds(a, j->gpus, batch_of(t, j))) * ORR_SECOND);
    }
    const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
    for (size_t i = 0; i < 8; i++)
        assert_in_range(of[sizes[i]], 200, 300); /* 250 each */
    orr_trace_destroy(t);
}

/* Submissions, people and names stay what they are without. */
static void nothing_else_changes(void **state)
{
    (void)state;
    orr_synth_options o = options();
    o.span = 8 * ORR_HOUR;
    orr_trace *with = make(&o);
    o.applications = NULL;
    orr_trace *without = make(&o);
    for (size_t k = 0; k < o.jobs; k++) {
        const orr_trace_job *a = &orr_trace_jobs(with)[k], *b = &orr_trace_jobs(without)[k];
        assert_int_equal(a->submit, b->submit);
        assert_string_equal(a->user, b->user);
        assert_string_equal(a->name, b->name);
    }
    orr_trace_destroy(with);
    orr_trace_destroy(without);
}

static void is_refused(const orr_synth_options *o, orr_err code, const char *message)
{
    orr_error e = {0};
    assert_null(orr_synth(o, &e));
    if (e.code != code || !strstr(e.message, message))
        fail_msg("%d: %s", (int)e.code, e.message);
}

static void refusals(void **state)
{
    (void)state;
    orr_synth_options o = options();
    o.with = "host,noise";
    is_refused(&o, ORR_E_CONFLICT, "noise");
    o = options();
    o.durations = "fixed:1h";
    is_refused(&o, ORR_E_CONFLICT, "durations");
    o = options();
    o.configured = "well";
    is_refused(&o, ORR_E_BAD_VALUE, "'random'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuned),
        cmocka_unit_test(at_random),
        cmocka_unit_test(nothing_else_changes),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
