/* A schedule by hand with parts of GPUs, speeds that change and nodes that come and go: its log is believed, and each of
 * many corruptions of it is found, by the rule that it breaks.
 *
 * Two nodes of 2 GPUs (16 bytes of memory each) and 4 cores. It costs 1 s to start, 2 s to save, 3 s to restore; state is
 * safe every 10 s of work. Those that share a GPU take turns by their shares.
 *
 *     A  1 GPU, 8 bytes   node0:0  500 from 0, 250 from 21, saves 31-33; node1:0 500 from 46 to 79
 *            40 s: 10 till 11, 5 till 21, 2.5 till 31, of which 7.5 are lost: 30 left, from 49 on
 *     B  1 GPU, 8 bytes   node0:0  500 from 11, 750 from 21; alone from 31; done at 39
 *            20 s: 4.5 from 12 till 21, 7.5 till 31, 8 till 39
 *     C  2 GPUs, 500 of each, 4 bytes    node1:0-1  5-16
 *     D  1 GPU            node1:0  20-35, when the node fails (14 s done, 4 lost); node0:1  40-63
 *     E  1 GPU            node1:1  48-50: its user cancels it
 * node1 is down from 35 to 45, node0 drains from 55 on.
 */
#include "scene.h"
#include "tape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define S ORR_SECOND

/* ---- the schedule ------------------------------------------------------------------------------------------------ */

static orr_cluster_spec *two_nodes(void)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("two");
    orr_node_spec n = orr_node_spec_default();
    n.gpus = 2;
    n.cpus = 4;
    n.gpu_mem_bytes = 16;
    assert_int_equal(orr_cluster_spec_add(spec, &n, 2, NULL), ORR_OK);
    return spec;
}

static void add_incident(orr_scenario *scenario, double at, orr_incident_kind kind, const char *const *node, double lasts)
{
    orr_incident i = orr_incident_default();
    i.at = orr_time_from_seconds(at);
    i.kind = kind;
    i.which.names = node;
    i.which.name_count = node ? 1 : 0;
    if (lasts > 0)
        i.lasts = orr_time_from_seconds(lasts);
    if (kind == ORR_INCIDENT_CANCEL)
        i.job = "E";
    orr_scenario_add(scenario, &i);
}

static orr_scenario *outages(void)
{
    static const char *const first[] = {"node0"}, *const second[] = {"node1"};
    orr_scenario *scenario = orr_scenario_create("outages");
    add_incident(scenario, 35, ORR_INCIDENT_DOWN, second, 10);
    add_incident(scenario, 50, ORR_INCIDENT_CANCEL, NULL, 0);
    add_incident(scenario, 55, ORR_INCIDENT_DRAIN, first, 0);
    return scenario;
}

static orr_trace_job job(const char *id, double submit, int32_t gpus, double duration, int64_t mem)
{
    orr_trace_job j = stage_job(id, submit, gpus, duration);
    j.gpu_mem_bytes = mem;
    return j;
}

static orr_text shared_log(void)
{
    stage *s = stage_on(two_nodes());
    orr_scenario *scenario = outages();
    orr_trace_job c = job("C", 0, 2, 10, 4);
    c.gpu_milli = 500;
    stage_add(s, job("A", 0, 1, 40, 8));
    stage_add(s, job("B", 0, 1, 20, 8));
    stage_add(s, c);
    stage_add(s, job("D", 0, 1, 30, 0));
    stage_add(s, job("E", 47, 1, 100, 0));
    stage_script(s, "0 A@0:1/500; 5 C@1:3/500; 11 B@0:1/500; 20 D@1:1; 21 A@0:1/250; 21 B@0:1/750; 31 A-; "
                    "40 D@0:2; 46 A@1:1/500; 48 E@1:2");
    s->options.costs = "start=1s,save=2s,restore=3s,checkpoint=10s";
    s->options.interference = "time-slice,switch=0s";
    s->options.scenario = scenario;
    orr_text bytes = scene_run(s);
    orr_scenario_destroy(scenario);
    return bytes;
}

/* ---- what the log says ------------------------------------------------------------------------------------------- */

static void add_time(orr_text *out, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_time_format(t, buf);
    orr_text_addf(out, "%s ", buf);
}

static void add_record(orr_text *out, const orr_log_header *h, const orr_log_record *r, const char *ids)
{
    add_time(out, r->at);
    orr_text_addf(out, "%s", orr_log_kind_name(r->kind));
    if (orr_log_has_job(r->kind))
        orr_text_addf(out, " %c", ids[r->job]);
    if (orr_log_is_grant(r->kind)) {
        orr_text_addf(out, " ");
        orr_log_slices_text(h, r, out);
    }
    if (orr_log_is_grant(r->kind) || r->kind == ORR_LOG_SPEED)
        orr_text_addf(out, " at %g", r->rate);
    if (r->kind == ORR_LOG_NODE)
        orr_text_addf(out, " %d %s %x%s", r->node, r->state, (unsigned)r->up, r->takes ? "" : " takes none");
    if (r->kind == ORR_LOG_INTERRUPT)
        orr_text_addf(out, " node %d loses %g", r->node, orr_time_seconds(r->lost));
    if (r->reason[0])
        orr_text_addf(out, " (%s)", r->reason);
    orr_text_addf(out, "\n");
}

static void tells_what_happens(void **state)
{
    (void)state;
    orr_text bytes = shared_log(), told = {0};
    tape *t = tape_of(&bytes);
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].kind != ORR_LOG_DECIDE && t->at[i].kind != ORR_LOG_SUBMIT)
            add_record(&told, &t->header, &t->at[i], "ABCDE");
    assert_string_equal(told.at, "0 start A node0:0@500 at 1\n5 start C node1:0-1@500 at 1\n"
                                 "11 start B node0:0@500 at 0.5\n11 speed A at 0.5\n16 finish C\n20 start D node1:0 at 1\n"
                                 "21 reshare A node0:0@250 at 0.333333\n21 reshare B node0:0@750 at 0.75\n"
                                 "21 speed A at 0.25\n31 preempt A\n31 speed B at 1\n33 saved A\n"
                                 "35 interrupt D node 1 loses 4\n35 node 1 down 0 takes none\n39 finish B\n"
                                 "40 start D node0:1 at 1\n45 node 1 up 3\n46 start A node1:0@500 at 1\n"
                                 "48 start E node1:1 at 1\n50 finish E (cancelled)\n55 node 0 draining 3 takes none\n"
                                 "63 finish D\n79 finish A\n79 stop\n");
    assert_string_equal(t->header.model, "scenario");
    assert_string_equal(t->header.scenario, "outages");
    assert_int_equal(t->nodes[0].gpu_mem, 16);
    orr_text_fini(&told);
    tape_free(t);
    orr_text_fini(&bytes);
}

/* ---- corruptions ------------------------------------------------------------------------------------------------- */

static orr_log_record *find(tape *t, orr_log_kind kind, const char *id, size_t n)
{
    return tape_find(t, kind, id, n);
}

static orr_log_slice *slice_of(tape *t, orr_log_kind kind, const char *id, size_t n)
{
    return tape_slice(find(t, kind, id, n), 0);
}

static orr_log_record *node_change(tape *t, const char *is)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].kind == ORR_LOG_NODE && strcmp(t->at[i].state, is) == 0)
            return &t->at[i];
    fail_msg("no node is %s", is);
    return NULL;
}

static orr_log_counts *counts(tape *t)
{
    return &t->at[t->n - 1].counts;
}

static void decides_nothing_at_21(tape *t)
{
    tape_drop(t, find(t, ORR_LOG_RESHARE, "A", 0) - 1);
}

/* clang-format off */
static void takes_more_than_is_left(tape *t) { slice_of(t, ORR_LOG_START, "B", 0)->milli = 501; }
static void grows_beyond_the_gpu(tape *t) { slice_of(t, ORR_LOG_RESHARE, "B", 0)->milli = 751; }
static void takes_the_whole_beside_another(tape *t) { slice_of(t, ORR_LOG_START, "B", 0)->milli = 1000; }
static void needs_more_memory(tape *t) { tape_request(t, "B")->gpu_mem = 9; }
static void has_less_memory(tape *t) { t->nodes[0].gpu_mem = 15; }
static void takes_more_cores(tape *t) { slice_of(t, ORR_LOG_START, "A", 0)->cpu_milli = 4001; }
static void asks_more_cores(tape *t) { tape_request(t, "B")->cpu_milli = 4001; }
static void starts_on_a_dead_node(tape *t) { slice_of(t, ORR_LOG_START, "D", 1)->node = 1; }
static void starts_on_one_that_never_came_back(tape *t) { tape_drop(t, node_change(t, "up")); }
static void starts_on_one_that_drains(tape *t) { node_change(t, "up")->takes = false; }
static void lives_on_on_a_dead_node(tape *t) { tape_drop(t, find(t, ORR_LOG_INTERRUPT, "D", 0)); }
static void is_interrupted_for_another(tape *t) { find(t, ORR_LOG_INTERRUPT, "D", 0)->node = 0; }
static void is_interrupted_for_nothing(tape *t) { tape_drop(t, node_change(t, "down")); }
static void has_gpus_that_are_not_there(tape *t) { node_change(t, "up")->up = 7; }
static void is_a_node_that_is_not_there(tape *t) { node_change(t, "up")->node = 2; }
static void slows_below_nothing(tape *t) { find(t, ORR_LOG_SPEED, "A", 0)->rate = -0.5; }
static void has_no_speed_at_all(tape *t) { find(t, ORR_LOG_SPEED, "A", 0)->rate = NAN; }
static void changes_speed_for_nothing(tape *t) { t->header.model = "linear"; }
static void is_slowed_less(tape *t) { find(t, ORR_LOG_SPEED, "B", 0)->rate = 0.9; }
static void is_not_slowed(tape *t) { tape_drop(t, find(t, ORR_LOG_SPEED, "B", 0)); }
static void is_slowed_later(tape *t) { find(t, ORR_LOG_SPEED, "B", 0)->at += S; }
static void stands_still(tape *t) { find(t, ORR_LOG_SPEED, "B", 0)->rate = 0; }
static void starts_slower(tape *t) { find(t, ORR_LOG_START, "B", 0)->rate = 0.25; }
static void pays_for_another_share(tape *t) { find(t, ORR_LOG_RESHARE, "B", 0)->pay = S; }
static void has_no_other_share(tape *t) { slice_of(t, ORR_LOG_RESHARE, "B", 0)->milli = 500; }
static void calls_another_share_a_migration(tape *t) { find(t, ORR_LOG_RESHARE, "A", 0)->kind = ORR_LOG_MIGRATE; }
static void calls_another_share_a_start(tape *t) { find(t, ORR_LOG_RESHARE, "A", 0)->kind = ORR_LOG_START; }
static void moves_with_another_share(tape *t) { slice_of(t, ORR_LOG_RESHARE, "B", 0)->gpus = 2; }
static void loses_less_with_the_node(tape *t) { find(t, ORR_LOG_INTERRUPT, "D", 0)->lost -= S; }
static void restores_for_nothing(tape *t) { find(t, ORR_LOG_START, "D", 1)->pay = 0; }
static void is_cancelled_by_nobody(tape *t) { t->header.scenario = ""; }
static void is_interrupted_twice(tape *t) { tape_insert(t, 1 + (size_t)(find(t, ORR_LOG_INTERRUPT, "D", 0) - t->at), *find(t, ORR_LOG_INTERRUPT, "D", 0)); }
static void claims_a_reshare(tape *t) { counts(t)->reshares++; }
static void claims_an_interruption(tape *t) { counts(t)->interruptions--; }
static void claims_a_change_of_speed(tape *t) { counts(t)->speed_changes++; }

#define ROW(rule, what) {rule, #what, what}
static const struct {
    const char *rule, *name;
    void (*corrupt)(tape *t);
} rows[] = {
    ROW("capacity", takes_more_than_is_left), ROW("capacity", grows_beyond_the_gpu),
    ROW("capacity", takes_the_whole_beside_another), ROW("device-memory", needs_more_memory),
    ROW("device-memory", has_less_memory), ROW("host", takes_more_cores), ROW("host", asks_more_cores),
    ROW("node-up", starts_on_a_dead_node), ROW("node-up", starts_on_one_that_never_came_back),
    ROW("node-up", starts_on_one_that_drains), ROW("node-up", lives_on_on_a_dead_node),
    ROW("node-up", is_interrupted_for_another), ROW("node-up", is_interrupted_for_nothing),
    ROW("no-such-gpu", has_gpus_that_are_not_there), ROW("no-such-gpu", is_a_node_that_is_not_there),
    ROW("rate", slows_below_nothing), ROW("rate", has_no_speed_at_all), ROW("rate", changes_speed_for_nothing),
    ROW("work", is_slowed_less), ROW("work", is_not_slowed), ROW("work", is_slowed_later), ROW("work", stands_still),
    ROW("work", starts_slower), ROW("cost", pays_for_another_share), ROW("lifecycle", has_no_other_share),
    ROW("lifecycle", calls_another_share_a_migration), ROW("lifecycle", calls_another_share_a_start),
    ROW("lifecycle", moves_with_another_share), ROW("lost-work", loses_less_with_the_node),
    ROW("cost", restores_for_nothing), ROW("decision", is_cancelled_by_nobody), ROW("decision", decides_nothing_at_21),
    ROW("lifecycle", is_interrupted_twice), ROW("conservation", claims_a_reshare),
    ROW("conservation", claims_an_interruption), ROW("conservation", claims_a_change_of_speed),
};
/* clang-format on */

static void print(const orr_verification *v)
{
    for (size_t i = 0; i < v->findings.n; i++)
        printf("  %s: %s %s: %s\n", v->findings.at[i].rule, v->findings.at[i].job, v->findings.at[i].resource,
               v->findings.at[i].text);
}

static void the_good_log_holds(void **state)
{
    (void)state;
    orr_text bytes = shared_log();
    tape *t = tape_of(&bytes);
    orr_verification v = tape_verify(t);
    print(&v);
    assert_true(orr_verification_holds(&v));
    orr_verification_fini(&v);
    tape_free(t);
    orr_text_fini(&bytes);
}

static void each_corruption_is_found(void **state)
{
    (void)state;
    orr_text bytes = shared_log();
    int missed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tape *t = tape_of(&bytes);
        rows[i].corrupt(t);
        orr_verification v = tape_verify(t);
        if (!tape_breaks(&v, rows[i].rule)) {
            printf("%s doesn't break %s, but:\n", rows[i].name, rows[i].rule);
            print(&v);
            missed++;
        }
        orr_verification_fini(&v);
        tape_free(t);
    }
    orr_text_fini(&bytes);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_what_happens), cmocka_unit_test(the_good_log_holds),
                                       cmocka_unit_test(each_corruption_is_found)};
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
