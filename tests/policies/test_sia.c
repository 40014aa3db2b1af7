/* sia: its numbers by hand, the published objective against all choices, and whole runs.
 *
 * A round is 10 s in the runs, nothing is charged. */
#include "../sim/run.h"
#include "../sim/stage.h"

#include "../../policies/sched/sia.c"

#include "base/rng.h"
#include "config/applications.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static void near(double got, double expected)
{
    if (fabs(got - expected) > 1e-12)
        fail_msg("%.17g, not %.17g", got, expected);
}

static void costs_by_hand(void **unused)
{
    (void)unused;
    near(cost_of(4, -0.5), 0.5);
    near(cost_of(2, -0.5), 0.71);
    near(cost_of(0, -0.5), 3000);
    near(cost_of(4, 0.5), -2);
    near(cost_of(1, 0), 0);
    near(cost_of(2, 0), -0.69);
    double row[] = {0, 3, 1.5, 6};
    normalise(row, 4, 1);
    near(row[0], 0), near(row[1], 2), near(row[2], 1), near(row[3], 4);
    normalise(row, 4, 8);
    near(row[2], 8);
    normalise(row, 1, 1); /* nothing is possible */
    near(row[0], 0);
}

static void restarts_weigh_less_with_age(void **unused)
{
    (void)unused;
    near(restart_factor(29, 0, 30), 1);
    near(restart_factor(30, 0, 30), 0.5);
    near(restart_factor(270, 3, 30), 0.6);
    near(restart_factor(60, 3, 30), 0);
    near(restart_factor(60, 0, 0), 1);
    const settings k = {.restart = 30 * ORR_SECOND, .restarts = "bert:120/cifar10:50"};
    near(pause_of(&k, "bert"), 120);
    near(pause_of(&k, "cifar10"), 50);
    near(pause_of(&k, "cifar"), 30);
    near(pause_of(&k, ""), 30);
}

/* T = 0.01 m a step, no synchronisation, and a sample of a large batch is worth as much as one of a small: 100 samples a second a GPU. A type
 * with no model of its own is twice as fast with one GPU. */
static void a_type_is_projected_from_another(void **unused)
{
    (void)unused;
    const model known = {.known = true, .perf = {.beta_c = 0.01, .gamma = 1}, .peak = 1,
                         .limits = {.initial = 32, .most = 1024, .local_least = 32, .local_most = 128, .accumulates = true}};
    const model models[2] = {known, {.limits = known.limits, .peak = 2}};
    const int32_t width[2] = {4, 8};
    const orr_noise noise = {1e-12, 1};
    const config c = {0, 4, 1};
    const double here = goodput_on(models, width, 2, noise, 0, 0, &c), there = goodput_on(models, width, 2, noise, 0, 1, &c);
    assert_true(fabs(here - 400) < 0.01 && fabs(there - 800) < 0.02);
    /* Its own batch of 64 can't be split over more than two GPUs. */
    const config two = {0, 2, 1};
    assert_true(fabs(goodput_on(models, width, 2, noise, 64, 0, &two) - 200) < 0.01);
    near(goodput_on(models, width, 2, noise, 64, 0, &c), 0);
    near(goodput_on(&models[1], width, 1, noise, 0, 0, &two), 1);
}

/* ---- the published objective ------------------------------------------------------------------------------------- */

enum { JOBS = 5, CONFIGS = 6 };

typedef struct game {
    settings k;
    int32_t jobs, pool[CONFIGS], size[CONFIGS], room[2];
    double utility[JOBS][CONFIGS];
    int32_t before[JOBS]; /* -1: nothing */
} game;

static game draw(gsl_rng *rng)
{
    game g = {.k = {.p = -0.5, .lambda_n = 1.1, .lambda_a = 0.05 * gsl_rng_uniform(rng)}};
    g.jobs = 1 + (int32_t)gsl_rng_uniform_int(rng, JOBS);
    for (int32_t c = 0; c < CONFIGS; c++) {
        g.pool[c] = c / 3;
        g.size[c] = 1 << c % 3;
    }
    g.room[0] = 1 + (int32_t)gsl_rng_uniform_int(rng, 8);
    g.room[1] = 1 + (int32_t)gsl_rng_uniform_int(rng, 8);
    for (int32_t j = 0; j < g.jobs; j++) {
        g.before[j] = (int32_t)gsl_rng_uniform_int(rng, CONFIGS + 1) - 1;
        for (int32_t c = 0; c < CONFIGS; c++)
            g.utility[j][c] = 0.7 + 5 * gsl_rng_uniform(rng);
    }
    return g;
}

/* Sum of x A, of lambda_n (1 - sum of x), of lambda_a |x - before|, entry by entry. INFINITY: it doesn't fit. */
static double objective(const game *g, const int32_t *choice)
{
    double sum = 0;
    int32_t used[2] = {0, 0};
    for (int32_t j = 0; j < g->jobs; j++) {
        sum += choice[j] < 0 ? g->k.lambda_n : 0;
        for (int32_t c = 0; c < CONFIGS; c++) {
            const int32_t x = choice[j] == c, was = g->before[j] == c;
            sum += x * nearbyint(100 * pow(g->utility[j][c], g->k.p)) / 100 + g->k.lambda_a * abs(x - was);
            used[g->pool[c]] += x * g->size[c];
        }
    }
    return used[0] <= g->room[0] && used[1] <= g->room[1] ? sum : INFINITY;
}

static double best_choice(const game *g)
{
    int32_t choice[JOBS];
    double best = INFINITY;
    int32_t all = 1;
    for (int32_t j = 0; j < g->jobs; j++)
        all *= CONFIGS + 1;
    for (int32_t n = 0; n < all; n++) {
        for (int32_t j = 0, rest = n; j < g->jobs; j++, rest /= CONFIGS + 1)
            choice[j] = rest % (CONFIGS + 1) - 1;
        best = fmin(best, objective(g, choice));
    }
    return best;
}

static double program(const game *g)
{
    double cost[JOBS * (CONFIGS + 1)];
    int32_t first[JOBS + 1] = {0}, pool_of[JOBS * (CONFIGS + 1)], size[JOBS * (CONFIGS + 1)], chosen[JOBS], n = 0;
    for (int32_t j = 0; j < g->jobs; j++, first[j] = n) {
        const bool had = g->before[j] >= 0;
        for (int32_t c = 0; c < CONFIGS; c++, n++) {
            cost[n] = price_of(&g->k, g->utility[j][c], had, g->before[j] == c);
            pool_of[n] = g->pool[c], size[n] = g->size[c];
        }
        cost[n] = price_of_none(&g->k, had), pool_of[n] = -1, size[n++] = 0;
    }
    const orr_options o = {.classes = g->jobs, .pools = 2, .first = first, .cost = cost, .pool = pool_of, .size = size, .room = g->room};
    return orr_choose_options(&o, chosen, NULL);
}

static void the_objective_against_all_choices(void **unused)
{
    (void)unused;
    gsl_rng *rng = orr_rng_create(7, "sia");
    for (int round = 0; round < 60; round++) {
        const game g = draw(rng);
        const double got = program(&g), best = best_choice(&g);
        if (fabs(got - best) > 1e-9)
            fail_msg("round %d: %.17g, not %.17g", round, got, best);
    }
    gsl_rng_free(rng);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void elastic(stage *s, const char *id, double submit, int32_t gpus, double duration)
{
    orr_trace_job job = stage_job(id, submit, gpus, duration);
    job.min_gpus = 1;
    stage_add(s, job);
}

/* One node of 4 GPUs. A and B scale in proportion and take 100 s on 4 GPUs; B comes at 25. With k GPUs a job's utility is k, its cost
 * k^-0.5: 0.5, 0.71, 1. */
static stage *two_jobs(const char *policy)
{
    stage *s = stage_create("nodes=1,gpus=4");
    elastic(s, "A", 0, 4, 100);
    elastic(s, "B", 25, 4, 100);
    s->options.policy = policy;
    stage_run(s);
    return s;
}

/* Restarts cost nothing: at 30 two GPUs each, 0.73 + 0.72, are better than four and none, 0.5 + 1.1. */
static void two_share_at_once(void **unused)
{
    (void)unused;
    stage *s = two_jobs("sia,round=10s,restart=0s");
    stage_held(s, "A", "0-30/4 resized, 30-170/2 done");
    stage_held(s, "B", "30-170/2 resized, 170-200/4 done");
    stage_destroy(s);
}

/* A restart takes 30 s: A with two GPUs is worth 2 t / (t + 30). At 60 that costs 0.87 + 0.02, and 0.72 for B, in all 1.61; at 70 only
 * 1.59, and 1.6 as it is. */
static void a_young_job_is_left_alone(void **unused)
{
    (void)unused;
    stage *s = two_jobs("sia,round=10s");
    stage_held(s, "A", "0-70/4 resized, 70-130/2 done");
    stage_held(s, "B", "70-130/2 resized, 130-200/4 done");
    stage_destroy(s);
}

static orr_applications *plain_training(void)
{
    static const char text[] = "schema: orrery.applications/1\n"
                               "applications:\n"
                               "  - model: plain\n"
                               "    batch: {initial: 32, most: 1024, local: [32, 128]}\n"
                               "    perf: [{beta_c: 0.01}]\n";
    const orr_applications_wish wish = {0};
    orr_error e = {0};
    orr_input *in = orr_input_memory("plain", text, strlen(text));
    orr_applications *all = orr_applications_read(in, "", &wish, &e);
    orr_input_close(in);
    if (!all)
        fail_msg("%s", e.message);
    return all;
}

/* It never gets more than twice as many as it had: 60 and 120 of its 600 s of work are done, then four GPUs do the rest. */
static void a_job_finds_out_how_it_scales(void **unused)
{
    (void)unused;
    orr_applications *all = plain_training();
    stage *s = stage_create("nodes=1,gpus=4");
    orr_trace_job job = stage_job("A", 0, 1, 600);
    job.model = "plain";
    stage_add(s, job);
    s->options.applications = all;
    s->options.policy = "sia,restart=0s";
    stage_run(s);
    assert_int_equal(s->hold_count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s->holds[i].start, 60 * i * ORR_SECOND);
        assert_int_equal(s->holds[i].gpus, 1 << i);
    }
    assert_true(fabs(orr_time_seconds(stage_of(s, "A")->end) - 225) < 1e-4); /* a larger batch has fewer of its 10 ns to wait */
    stage_destroy(s);
    orr_applications_destroy(all);
}

/* All jobs rigid, on nodes like those on which they were recorded: what is known of their applications makes no difference. Four are
 * wider than a node. */
static void rigid_jobs_are_as_without_applications(void **unused)
{
    (void)unused;
    orr_applications *all = plain_training();
    orr_trace *trace = run_trace_file(ORR_TEST_DATA_DIR "/policies/sia-rigid.csv");
    orr_cluster_spec *cluster = run_cluster("nodes=3,gpus=4");
    orr_sim_options options = orr_sim_options_default();
    run *without = run_policy(trace, cluster, "sia", &options);
    options.applications = all;
    run *with = run_policy(trace, cluster, "sia", &options);
    assert_int_equal(with->hold_count, without->hold_count);
    assert_true(without->hold_count > without->count); /* some gave way and came back */
    for (size_t i = 0; i < with->hold_count; i++) {
        assert_int_equal(with->holds[i].start, without->holds[i].start);
        assert_int_equal(with->holds[i].end, without->holds[i].end);
        assert_string_equal(with->holds[i].nodes, without->holds[i].nodes);
    }
    run_free(with);
    run_free(without);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    orr_applications_destroy(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_by_hand),
        cmocka_unit_test(restarts_weigh_less_with_age),
        cmocka_unit_test(a_type_is_projected_from_another),
        cmocka_unit_test(the_objective_against_all_choices),
        cmocka_unit_test(two_share_at_once),
        cmocka_unit_test(a_young_job_is_left_alone),
        cmocka_unit_test(a_job_finds_out_how_it_scales),
        cmocka_unit_test(rigid_jobs_are_as_without_applications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
