/* The shapes of pai and acme against the figures that were published; philly and helios are in test_synth.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/stat.h"
#include "making.h"

#include <math.h>

/* ---- pai ---- */

/* What one instance asks for: a job's class is instances times request, so the request is what is left of one-instance
 * jobs; the draws of both are independent. */
static void pai_instances_look_like_pai(void **state)
{
    (void)state;
    orr_synth_options o = shaped("pai", 200000);
    o.max_gpus = 8; /* requests of one instance, and gangs of few */
    orr_trace *t = make(&o);
    double *seconds = malloc(o.jobs * sizeof *seconds), mean = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        seconds[i] = orr_time_seconds(orr_trace_jobs(t)[i].duration);
        mean += seconds[i] / (double)o.jobs;
    }
    orr_sort_doubles(seconds, o.jobs);
    check_near("median run time", orr_quantile(seconds, o.jobs, 0.5), 480.667, 0.03);
    check_near("mean run time", mean, 4787.109, 0.07);
    assert_true(seconds[o.jobs - 1] <= 626371);
    free(seconds);
    orr_trace_destroy(t);
}

/* 0.1, 0.25 and 0.5 of a GPU for 10, 18 and 33.8 % of the jobs, whatever the gang: median half a GPU. */
static void pai_has_shares_of_gpus(void **state)
{
    (void)state;
    orr_synth_options o = shaped("pai", 100000);
    orr_trace *t = make(&o);
    double tenth = 0, quarter = 0, half = 0, gangs = 0, typed = 0, misc = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        tenth += j->gpu_milli == 100;
        quarter += j->gpu_milli == 250;
        half += j->gpu_milli == 500;
        gangs += j->gpu_milli < 1000 && j->gpus > 1;
        typed += j->gpu_type[0] != '\0';
        misc += strcmp(j->gpu_type, "MISC") == 0;
    }
    check_near("a tenth", tenth / 1e5, 0.10, 0.03);
    check_near("a quarter", quarter / 1e5, 0.18, 0.02);
    check_near("a half", half / 1e5, 0.338, 0.02);
    check_near("gangs among shares", gangs / (tenth + quarter + half), 0.2246, 0.03);
    check_near("with a type", typed / 1e5, 0.25, 0.02);
    check_near("MISC among types", misc / typed, 2240 / 6742.0, 0.03);
    orr_trace_destroy(t);
}

/* Of instances (a job of shares has one a GPU) 85 % in gangs and a fifth in gangs of more than a hundred. */
static void pai_schedules_gangs(void **state)
{
    (void)state;
    orr_synth_options o = shaped("pai", 400000);
    orr_trace *t = make(&o);
    double all = 0, in_gangs = 0, in_big = 0, jobs = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        if (j->gpu_milli == 1000)
            continue;
        jobs++;
        all += j->gpus;
        in_gangs += j->gpus > 1 ? j->gpus : 0;
        in_big += j->gpus > 100 ? j->gpus : 0;
    }
    check_near("instances a job", all / jobs, 5.85, 0.05);
    check_near("in gangs", in_gangs / all, 0.85, 0.04);
    check_near("in gangs of over 100", in_big / all, 0.20, 0.15);
    orr_trace_destroy(t);
}

/* A share of a GPU counts as a share of the load. */
static void a_load_counts_shares(void **state)
{
    (void)state;
    orr_synth_options o = shaped("pai", 20000);
    o.load = 0.8;
    o.gpus = 6742;
    o.arrivals = "poisson";
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    double work = 0;
    for (size_t i = 0; i < o.jobs; i++)
        work += orr_time_seconds(j[i].duration) * j[i].gpus * j[i].gpu_milli / 1000;
    check_near("load", work / (6742 * orr_time_seconds(j[o.jobs - 1].submit)), 0.8, 0.01);
    orr_trace_destroy(t);
}

/* ---- acme ---- */

typedef struct acme {
    const char *shape;
    double median, mean, longest, gpus, work; /* s, s, s, GPUs a job, GPU-seconds a job */
    double ended[3], ended_work[3];           /* done, failed, killed: of the jobs, of their GPU time */
    double pretrain, pretrain_work, evaluation, evaluation_work;
} acme;

static const acme published[] = {
    {"acme", 122, 1414.335, 1209604, 5.68, 32405, {.497, .429, .075}, {.212, .124, .664}, .009, .695, .60, .009},
    {"acme-kalos",
     124,
     1259.689,
     625740,
     26.77,
     267905,
     {.541, .397, .062},
     {.313, .080, .607},
     .032,
     .940,
     .929,
     .008},
};

/* Within 5 %, which half a million jobs of such spread give; shares of GPU time within 5 points. */
static void check_acme(const acme *p)
{
    orr_synth_options o = shaped(p->shape, 500000);
    orr_trace *t = make(&o);
    double *seconds = malloc(o.jobs * sizeof *seconds), mean = 0, gpus = 0, work = 0, one = 0;
    double ended[3] = {0}, ended_work[3] = {0}, pretrain = 0, pretrain_work = 0, evaluation = 0, evaluation_work = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const char *type = orr_trace_attribute(t, j, "type");
        const double w = orr_time_seconds(j->duration) * j->gpus;
        seconds[i] = orr_time_seconds(j->duration);
        mean += seconds[i];
        gpus += j->gpus;
        work += w;
        one += j->gpus == 1;
        ended[j->ending]++;
        ended_work[j->ending] += w;
        pretrain += strcmp(type, "Pretrain") == 0;
        pretrain_work += strcmp(type, "Pretrain") == 0 ? w : 0;
        evaluation += strcmp(type, "Evaluation") == 0;
        evaluation_work += strcmp(type, "Evaluation") == 0 ? w : 0;
        assert_true(j->gpus <= 1024);
    }
    const double n = (double)o.jobs;
    orr_sort_doubles(seconds, o.jobs);
    check_near("median", orr_quantile(seconds, o.jobs, 0.5), p->median, 0.05);
    check_near("mean", mean / n, p->mean, 0.05);
    check_near("GPUs", gpus / n, p->gpus, 0.05);
    check_near("GPU-seconds a job", work / n, p->work, 0.06);
    assert_true(one > n / 2 && seconds[o.jobs - 1] <= p->longest);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(ended[k] / n - p->ended[k]) < 0.005);
        assert_true(fabs(ended_work[k] / work - p->ended_work[k]) < 0.05);
    }
    check_near("pre-training", pretrain / n, p->pretrain, 0.05);
    assert_true(fabs(pretrain_work / work - p->pretrain_work) < 0.05);
    check_near("evaluation", evaluation / n, p->evaluation, 0.01);
    assert_true(fabs(evaluation_work / work - p->evaluation_work) < 0.005);
    free(seconds);
    orr_trace_destroy(t);
}

static void acme_looks_like_seren(void **state)
{
    (void)state;
    check_acme(&published[0]);
}

static void acme_kalos_looks_like_kalos(void **state)
{
    (void)state;
    check_acme(&published[1]);
}

/* ---- gavel ---- */

/* Medians and shares as worked out from the generator's formula: the median is where 1.5 + 1.5 * 0.5 / 0.8 of ten's powers of a
 * minute are, and a fifth is above a thousand minutes. */
static void gavel_is_as_its_generator(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_throughputs *table = orr_throughputs_load("synthetic", &e);
    orr_synth_options o = shaped("gavel", 20000);
    o.arrivals = "poisson";
    o.throughputs = table;
    orr_trace *t = make(&o);
    const orr_trace_job *jobs = orr_trace_jobs(t);
    double of_size[9] = {0}, above = 0, below_median = 0, conv_of_one = 0, wide_policy_nets = 0;
    for (size_t i = 0; i < 20000; i++) {
        const double minutes = orr_time_seconds(jobs[i].duration) / 60;
        of_size[jobs[i].gpus] += 1.0 / 20000;
        above += minutes > 1000 ? 1.0 / 20000 : 0;
        below_median += minutes < pow(10, 1.5 + 1.5 * 0.5 / 0.8) ? 1.0 / 20000 : 0;
        assert_true(minutes >= 31 && minutes <= 10000 && jobs[i].ending == ORR_ENDING_DONE && jobs[i].model[0]);
        conv_of_one += jobs[i].gpus == 1 && strcmp(jobs[i].model, "conv-small") == 0 ? 1.0 / 20000 : 0;
        wide_policy_nets += jobs[i].gpus > 1 && strcmp(jobs[i].model, "policy-net") == 0;
    }
    assert_true(fabs(of_size[1] - 0.70) < 0.01 && fabs(of_size[2] - 0.10) < 0.01 && fabs(of_size[4] - 0.15) < 0.01 &&
                fabs(of_size[8] - 0.05) < 0.01);
    assert_true(fabs(above - 0.2) < 0.01 && fabs(below_median - 0.5) < 0.01);
    assert_true(fabs(conv_of_one - 0.70 / 6) < 0.01); /* one of six models that run on one GPU */
    assert_true(wide_policy_nets == 0);
    o.with = "models";
    refused("two sources of models", o, ORR_E_CONFLICT);
    orr_trace_destroy(t);
    orr_throughputs_destroy(table);
}

/* ---- the list ---- */

static void shapes_are_listed(void **state)
{
    (void)state;
    orr_synth_shape shapes[8];
    assert_int_equal(orr_synth_shapes(NULL, 0), 6);
    assert_int_equal(orr_synth_shapes(shapes, 8), 6);
    for (int i = 0; i < 6; i++) {
        orr_synth_options o = shaped(shapes[i].name, 10);
        assert_true(strlen(shapes[i].about) > 20);
        orr_trace_destroy(make(&o));
    }
}

/* Every shape has jobs of one GPU; what was measured may have none so small. */
static void a_bound_below_all_sizes_is_refused(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_trace *wide = orr_trace_create("wide");
    orr_trace_job j = orr_trace_job_default();
    j.gpus = j.min_gpus = j.max_gpus = 16;
    j.duration = ORR_HOUR;
    assert_int_equal(orr_trace_add(wide, &j, &e), ORR_OK);
    assert_int_equal(orr_trace_finish(wide, &e), ORR_OK);
    orr_synth_model *m = orr_synth_fit(wide, &e);
    orr_synth_options o = orr_synth_options_default();
    o.model = m;
    o.max_gpus = 8;
    refused("max_gpus = 8", o, ORR_E_BAD_VALUE);
    orr_synth_model_destroy(m);
    orr_trace_destroy(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gavel_is_as_its_generator),
        cmocka_unit_test(pai_instances_look_like_pai), cmocka_unit_test(pai_has_shares_of_gpus),
        cmocka_unit_test(pai_schedules_gangs),         cmocka_unit_test(a_load_counts_shares),
        cmocka_unit_test(acme_looks_like_seren),       cmocka_unit_test(acme_kalos_looks_like_kalos),
        cmocka_unit_test(shapes_are_listed),           cmocka_unit_test(a_bound_below_all_sizes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
