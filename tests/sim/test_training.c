/* Jobs whose model is an application: speed by GPUs and batch, epochs, what is seen of them, and who is told.
 *
 * The application: an iteration takes local / 4 s of computation and, on several GPUs, 0.5 s of synchronisation; 4 samples are its
 * initial batch, 64 the most, and it has two epochs of 3 iterations each. In the first the gradient is all noise (a batch of c times as
 * many samples gains c times as much), in the second there is none (it gains nothing). */
#define ORR_BUILTIN /* the modules are registered by hand */
#include "stage.h"

#include "model/application_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static orr_applications *applications(void)
{
    orr_error e = {0};
    orr_applications *all = orr_applications_create("test");
    orr_application *a = orr_application_create("app");
    orr_steps *s = orr_application_add_type(a, "");
    s->kind = ORR_STEPS_FORMULA;
    s->local_least = 1;
    s->local_most = 16;
    s->most_gpus = 8;
    s->width = 4;
    s->perf = (orr_perf){.beta_c = 0.25, .alpha_n = 0.5, .alpha_r = 0.5, .gamma = 1};
    orr_validated run = {.batch = 4};
    for (int e_ = 0; e_ < 2; e_++) {
        ORR_VEC_PUSH(&run.progress, 3.0 * (e_ + 1));
        ORR_VEC_PUSH(&run.noise, (e_ ? (orr_noise){1, 0} : (orr_noise){0, 1}));
    }
    ORR_VEC_PUSH(&a->runs, run);
    orr_application_sum_up(a);
    a->limits = (orr_batch_limits){.initial = 4, .most = 64, .local_least = 1, .local_most = 16, .accumulates = true};
    ORR_VEC_PUSH(&all->at, a);
    assert_int_equal(orr_applications_settle(all, &e), ORR_OK);
    return all;
}

/* ---- a policy that does what the test says ----------------------------------------------------------------------- */

static struct {
    int32_t gpus;
    orr_batch batch;  /* {0, 0}: its own */
    int epochs;       /* told */
    size_t seen;
    orr_measurement last;
    orr_noise noise;
    double progress, four; /* when its first epoch ended; its scaling on 4 GPUs */
    int32_t least, most;
} does;

static void hear(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    const orr_measurement *m;
    if (event->kind != ORR_EV_EPOCH)
        return;
    does.epochs++;
    does.progress = orr_job_progress(ctx, job);
    does.noise = orr_job_noise(ctx, job);
    does.seen = orr_job_measurements(ctx, job, -1, &m);
    if (does.seen)
        does.last = m[does.seen - 1];
    assert_int_equal(orr_job_epoch(ctx, job), 1);
    assert_int_equal(orr_job_epochs(ctx, job), 2);
}

static orr_err start(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *const *jobs;
    for (int32_t g = 0; g < orr_groups_seen(ctx); g++)
        for (size_t i = 0, n = orr_group_jobs(ctx, g, &jobs); i < n; i++) {
            if (orr_job_holds(jobs[i]))
                continue;
            does.least = orr_job_min_gpus(jobs[i]);
            does.most = orr_job_max_gpus(jobs[i]);
            does.four = orr_job_scaling(ctx, jobs[i], 4, 1, -1);
            assert_int_equal(orr_plan_resize(plan, jobs[i], does.gpus, (orr_scope){.vc = -1}), ORR_OK);
            if (does.batch.local)
                assert_int_equal(orr_plan_tune(plan, jobs[i], does.batch), ORR_OK);
        }
    return ORR_OK;
}

static const orr_policy observer = {.summary = "observes", .know = {[ORR_Q_SCALING] = ORR_KNOW_ORACLE}, .on_job = hear,
                                    .schedule = start, .placer = "first-fit"};

static stage *trained(int32_t gpus, orr_batch batch, const char *costs, orr_applications *all)
{
    stage *s = stage_create("nodes=2,gpus=4");
    orr_trace_job a = stage_job("A", 0, 2, 12);
    a.model = "app";
    stage_add(s, a);
    memset(&does, 0, sizeof does);
    does.gpus = gpus;
    does.batch = batch;
    stage_policy(s, &observer);
    s->options.applications = all;
    s->options.costs = costs;
    stage_run(s);
    return s;
}

static void ends(int32_t gpus, orr_batch batch, const char *expected)
{
    orr_applications *all = applications();
    stage *s = trained(gpus, batch, NULL, all);
    stage_held(s, "A", expected);
    stage_destroy(s);
    orr_applications_destroy(all);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* 12 s as recorded on its 2 GPUs with its own 4 samples: (2/4 + 0.5) s an iteration. On 4 GPUs (1/4 + 0.5): 9 s. On one it must
 * take 4/4 s: as long. */
static void as_recorded_on_its_gang(void **state)
{
    (void)state;
    ends(2, (orr_batch){0}, "0-12/2 done");
    ends(4, (orr_batch){0}, "0-9/4 done");
}

/* 16 samples on 4 GPUs: (4/4 + 0.5) s, and 4 times the gain in the first epoch: 6 s of work at 4/1.5, then 6 s at 1/1.5. Accumulated
 * in two steps of 2 samples: (0.5 + 0.5 + 0.5) s, the same. */
static void a_tuned_batch_gains_by_the_noise(void **state)
{
    (void)state;
    ends(4, (orr_batch){4, 0}, "0-11.25/4 done");
    ends(4, (orr_batch){2, 1}, "0-11.25/4 done");
}

static void epochs_are_told_and_seen(void **state)
{
    (void)state;
    orr_applications *all = applications();
    stage *s = trained(4, (orr_batch){4, 0}, NULL, all);
    assert_int_equal(does.epochs, 1); /* the last one ends with the job */
    assert_true(fabs(does.progress - 0.5) < 1e-9);
    assert_true(does.noise.sqr == 1 && does.noise.var == 0);
    assert_int_equal(does.seen, 1);
    assert_int_equal(does.last.nodes, 1);
    assert_int_equal(does.last.gpus, 4);
    assert_int_equal(does.last.local, 4);
    assert_true(fabs(does.last.step - 1.5) < 1e-12 && fabs(does.last.sync - 0.5) < 1e-12);
    assert_int_equal(does.least, 1);
    assert_int_equal(does.most, 8);
    assert_true(fabs(does.four - 4.0 / 3) < 1e-9);
    stage_destroy(s);
    orr_applications_destroy(all);
}

/* The first epoch ends at 2.25 s: the second begins at 2 s, and takes 9 s. */
static void whole_epochs(void **state)
{
    (void)state;
    orr_applications *all = applications();
    all->whole_epochs = true;
    stage *s = trained(4, (orr_batch){4, 0}, NULL, all);
    stage_held(s, "A", "0-11/4 done");
    stage_destroy(s);
    orr_applications_destroy(all);
}

/* Six iterations of a second each, not the 12 s of the trace. */
static void its_own_work(void **state)
{
    (void)state;
    orr_applications *all = applications();
    all->own_work = true;
    stage *s = trained(2, (orr_batch){0}, NULL, all);
    stage_held(s, "A", "0-6/2 done");
    stage_destroy(s);
    orr_applications_destroy(all);
}

static void restarts_that_applications_state(void **state)
{
    (void)state;
    orr_applications *all = applications();
    stage *s = trained(2, (orr_batch){0}, "start=1s,by=application", all);
    stage_held(s, "A", "0-13/2 done"); /* it states none: as by size */
    stage_destroy(s);
    all->at.at[0]->restart = 3 * ORR_SECOND;
    s = trained(2, (orr_batch){0}, "start=1s,by=application", all);
    stage_held(s, "A", "0-15/2 done");
    stage_destroy(s);
    s = trained(2, (orr_batch){0}, "start=1s", all);
    stage_held(s, "A", "0-13/2 done");
    stage_destroy(s);
    orr_applications_destroy(all);
}

/* Others decide no more often than they did, and jobs of other models run as recorded. */
static void who_does_not_ask_is_not_told(void **state)
{
    (void)state;
    orr_applications *all = applications();
    uint64_t decisions[2];
    for (int with = 0; with < 2; with++) {
        stage *s = stage_create("nodes=2,gpus=4");
        orr_trace_job a = stage_job("A", 0, 2, 12), b = stage_job("B", 0, 1, 5);
        a.model = "app";
        b.model = "other";
        stage_add(s, a);
        stage_add(s, b);
        s->options.policy = "fifo";
        s->options.applications = with ? all : NULL;
        stage_run(s);
        stage_ends(s, "A:12 B:5");
        decisions[with] = s->counts.decisions;
        stage_destroy(s);
    }
    assert_int_equal(decisions[0], decisions[1]);
    orr_applications_destroy(all);
}

static orr_err tune_badly(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *const *jobs;
    if (orr_group_jobs(ctx, 0, &jobs) && !orr_job_holds(jobs[0])) {
        assert_int_equal(orr_plan_start(plan, jobs[0]), ORR_OK);
        assert_int_equal(orr_plan_tune(plan, jobs[0], does.batch), ORR_E_PLAN_STATE);
    }
    return ORR_OK;
}

static void batches_beyond_its_limits_are_refused(void **state)
{
    (void)state;
    static const orr_policy bad = {.summary = "tunes badly", .schedule = tune_badly};
    static const orr_batch batches[] = {{17, 0}, {0, 0}, {16, 2}, {1, -1}};
    orr_applications *all = applications();
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        stage *s = stage_create("nodes=2,gpus=4");
        orr_trace_job a = stage_job("A", 0, 2, 12);
        a.model = "app";
        stage_add(s, a);
        does.batch = batches[i];
        stage_policy(s, &bad);
        s->options.applications = all;
        assert_int_equal(stage_try(s), ORR_E_PLAN_STATE);
        stage_destroy(s);
    }
    orr_applications_destroy(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_recorded_on_its_gang),
        cmocka_unit_test(a_tuned_batch_gains_by_the_noise),
        cmocka_unit_test(epochs_are_told_and_seen),
        cmocka_unit_test(whole_epochs),
        cmocka_unit_test(its_own_work),
        cmocka_unit_test(restarts_that_applications_state),
        cmocka_unit_test(who_does_not_ask_is_not_told),
        cmocka_unit_test(batches_beyond_its_limits_are_refused),
    };
    return cmocka_run_group_tests_name("training", tests, NULL, NULL);
}
