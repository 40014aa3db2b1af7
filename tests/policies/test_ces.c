/* ces: the rule on numbers, and whole runs in which nodes sleep. */
#include "../sim/run.h"

#include "../../policies/sched/ces.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* 30 nodes; what is needed at each step, and a forecast that is the truth:
 *
 *   step    0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19
 *   needed 10 10 10 10 10 10 12 14 15 15 13 12 11 10  9  9  8  8  8  8
 *   awake  13 13 13 13 13 13 13 17 17 17 17 15 15 13 13 13 13 13 13 13
 *
 * At 7 it needs 14 and 13 are awake: 14 + 3, and none sleeps before 11. Then it has fallen by 14.33 - 12 and will by
 * 12 - 9.83: 12 + 3. At 12 only one could sleep. At 14 it will fall by 0.67 only. */
static void the_rule_step_by_step(void **unused)
{
    (void)unused;
    static const double needed[] = {10, 10, 10, 10, 10, 10, 12, 14, 15, 15, 13, 12, 11, 10, 9, 9, 8, 8, 8, 8};
    static const int64_t expected[] = {13, 13, 13, 13, 13, 13, 13, 17, 17, 17, 17, 15, 15, 13, 13, 13, 13, 13, 13, 13};
    const settings k = {.past = 3, .ahead = 6, .fell = 1, .falls = 1, .least = 2, .buffer = 3, .keep = 4};
    int64_t active = 30, hold = 0;
    for (int64_t i = 0; i < 20; i++) {
        const view v = {.step = i,
                        .total = 30,
                        .active = active,
                        .used = needed[i],
                        .before = i < 3 ? NULL : needed + i - 3,
                        .forecast = needed + i,
                        .known = 20 - i};
        active = next_active(&k, &v, &hold);
        if (active != expected[i])
            fail_msg("step %d: %d nodes, not %d", (int)i, (int)active, (int)expected[i]);
    }
}

static void it_doesnt_let_sleep_what_is_needed_soon(void **unused)
{
    (void)unused;
    static const double before[] = {9, 9}, rises[] = {5, 4, 4, 4, 9, 9, 9, 9}, stays[] = {5, 4, 4, 4, 4, 4, 4, 4};
    const settings k = {.past = 2, .ahead = 4, .fell = 1, .falls = 0.5, .least = 1, .buffer = 0, .keep = 0};
    view v = {.step = 10, .total = 20, .active = 9, .used = 5, .before = before, .forecast = rises, .known = 8};
    int64_t hold = 0;
    assert_int_equal(next_active(&k, &v, &hold), 9);
    v.forecast = stays;
    assert_int_equal(next_active(&k, &v, &hold), 5);
    hold = 11;
    assert_int_equal(next_active(&k, &v, &hold), 9);
}

/* ---- whole runs ---- */

typedef struct log {
    char text[4096];
} log_;

static void note_node(void *self, const orr_node_change *c)
{
    log_ *l = self;
    char word[64];
    snprintf(word, sizeof word, "%s%g n%d %s", l->text[0] ? "; " : "", orr_time_seconds(c->at) / 60, c->node, c->state);
    strncat(l->text, word, sizeof l->text - strlen(l->text) - 1);
}

static orr_sim *make(const orr_trace *trace, const orr_cluster_spec *spec, const char *policy,
                     const orr_scenario *scenario, log_ *l)
{
    const orr_sink sink = {.self = l, .node = note_node};
    orr_sim_options options = orr_sim_options_default();
    orr_error e = {0};
    options.policy = policy;
    options.scenario = scenario;
    orr_sim *sim = orr_sim_create(trace, spec, &options, &sink, &e);
    if (!sim)
        fail_msg("%s", e.message);
    if (orr_sim_run(sim, &e))
        fail_msg("%s", e.message);
    return sim;
}

/* Four nodes of one GPU, a step a minute, one node in reserve. A needs one: from minute 1 on two are awake, and two
 * fall asleep. At 5.5 B needs three: at minute 6 four are wanted, and it starts when those have woken, at 8. */
static void jobs_wait_for_nodes_that_sleep(void **unused)
{
    (void)unused;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 3600},
                                   {.id = "B", .submit = 330, .gpus = 3, .duration = 60}};
    orr_trace *trace = run_trace(jobs, 2);
    orr_cluster_spec *spec = run_cluster("nodes=4,gpus=1");
    orr_scenario *s = orr_scenario_create("slow");
    log_ l = {""};
    s->sleep_time = 30 * ORR_SECOND;
    s->wake_time = 2 * ORR_MINUTE;
    orr_sim *sim = make(trace, spec, "ces,step=1m,past=1,ahead=1,buffer=1,keep=60+spread", s, &l);
    assert_string_equal(l.text, "1 n3 falling-asleep; 1 n2 falling-asleep; 1.5 n3 asleep; 1.5 n2 asleep; "
                                "6 n2 waking; 6 n3 waking; 8 n2 up; 8 n3 up");
    assert_int_equal(orr_sim_now(sim), 3600 * ORR_SECOND);
    orr_know used[ORR_Q_COUNT];
    orr_sim_knowledge(sim, used);
    assert_int_equal(used[ORR_Q_LOAD], ORR_KNOW_HISTORY);
    assert_int_equal(used[ORR_Q_DURATION], ORR_KNOW_NONE); /* in the order of submission nobody is asked */
    orr_sim_destroy(sim);
    orr_scenario_destroy(s);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(spec);
}

/* All nodes of the only type that B can use sleep while nothing runs: it gets them all the same. */
static void nobody_waits_for_ever(void **unused)
{
    (void)unused;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 60},
                                   {.id = "B", .submit = 900, .gpus = 8, .duration = 60}};
    orr_trace *trace = run_trace(jobs, 2);
    orr_cluster_spec *spec = run_cluster("1 1 1 8");
    log_ l = {""};
    orr_sim *sim = make(trace, spec, "ces,step=1m,past=1,ahead=1,buffer=0,vc=shared", NULL, &l);
    assert_int_equal(orr_sim_count(sim).done, 2);
    orr_sim_destroy(sim);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(spec);
}

/* With a reserve as large as the cluster nobody sleeps, and it is fifo (or sjf). */
static void without_sleep_it_is_its_order(void **unused)
{
    (void)unused;
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 300;
    o.gpus = 32;
    o.max_gpus = 16;
    orr_trace *trace = run_synth(&o);
    orr_cluster_spec *spec = run_cluster("nodes=4,gpus=8");
    static const char *const pairs[][2] = {{"ces,buffer=4", "fifo"},
                                           {"ces,buffer=4,order=duration~oracle", "sjf,hol=block"},
                                           {"ces,buffer=4,hol=skip", "fifo,hol=skip"}};
    for (size_t i = 0; i < 3; i++) {
        run *a = run_policy(trace, spec, pairs[i][0], NULL), *b = run_policy(trace, spec, pairs[i][1], NULL);
        for (size_t k = 0; k < a->count; k++)
            if (a->jobs[k].end != b->jobs[k].end)
                fail_msg("%s and %s differ in job %s", pairs[i][0], pairs[i][1], a->jobs[k].id);
        run_free(a);
        run_free(b);
    }
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_step_by_step),          cmocka_unit_test(it_doesnt_let_sleep_what_is_needed_soon),
        cmocka_unit_test(jobs_wait_for_nodes_that_sleep), cmocka_unit_test(nobody_waits_for_ever),
        cmocka_unit_test(without_sleep_it_is_its_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
