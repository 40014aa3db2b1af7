/* Communication in whole runs, worked out by hand.
 *
 * Nodes have two GPUs on an NVSwitch of 10 GB/s and one NIC of 1 GB/s. An iteration of model "m" takes 1 s and
 * exchanges 1 GB a worker. Two workers in one node: 0.1 s of it, so that computing takes 0.9 s. On two nodes: 1 s, an
 * iteration of 1.9 s. Two such jobs on the same nodes, each with half of the NICs: 2 s, an iteration of 2.9 s. */
#include "stage.h"

#include "base/rng.h"
#include "log/log.h"
#include "log/sink.h"
#include "model/profile.h"
#include "verify/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NS = 200 }; /* work is whole ns: each change of speed may round one */

static orr_profiles *profiles(void)
{
    orr_profiles *p = orr_profiles_create("test");
    orr_profile m = orr_profile_default();
    m.model = "m";
    m.iteration = 1;
    m.gradient_bytes = 1e9;
    assert_true(orr_profiles_add(p, &m));
    m.model = "overlaps";
    m.overlap = 0.5;
    assert_true(orr_profiles_add(p, &m));
    m.model = "served";
    m.overlap = 0;
    m.servers = 2;
    assert_true(orr_profiles_add(p, &m));
    m.model = "quiet";
    m.gradient_bytes = 0;
    assert_true(orr_profiles_add(p, &m));
    return p;
}

static orr_cluster_spec *cluster(int32_t nodes, double nvlink, double nic)
{
    orr_error e = {0};
    orr_cluster_spec *spec = orr_cluster_spec_create("net");
    const orr_wiring wiring = {.nvswitch_links = nvlink > 0, .nvlink_bps = nvlink, .nics = nic > 0, .nic_bps = nic};
    orr_node_spec node = orr_node_spec_default();
    node.gpus = 2;
    node.wiring = &wiring;
    if (orr_cluster_spec_add(spec, &node, nodes, &e))
        fail_msg("%s", e.message);
    return spec;
}

typedef struct scene {
    stage *s;
    orr_profiles *profiles;
} scene;

static scene scene_on(orr_cluster_spec *spec, const char *net)
{
    scene v = {.s = stage_on(spec), .profiles = profiles()};
    v.s->options.profiles = v.profiles;
    v.s->options.net = net;
    return v;
}

static scene scene_of(const char *net)
{
    return scene_on(cluster(4, 10e9, 1e9), net);
}

static void add(const scene *v, const char *id, double submit, double duration, const char *model)
{
    orr_trace_job job = stage_job(id, submit, 2, duration);
    job.model = model;
    stage_add(v->s, job);
}

static void play(const scene *v, const char *script)
{
    stage_script(v->s, script);
    stage_run(v->s);
}

static void ends(const scene *v, const char *id, double seconds)
{
    const orr_time end = stage_of(v->s, id)->end, expected = orr_time_from_seconds(seconds);
    if (llabs((long long)(end - expected)) > NS)
        fail_msg("%s ends at %.9f instead of %.9f", id, orr_time_seconds(end), seconds);
}

static void close_scene(scene *v)
{
    stage_destroy(v->s);
    orr_profiles_destroy(v->profiles);
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

static void spreading_slows_down(void **state)
{
    (void)state;
    static const struct {
        const char *net, *model, *script;
        double end;
    } rows[] = {
        {NULL, "m", "0 A@0:1@1:1", 100},
        {"none", "m", "0 A@0:1@1:1", 100},
        {"flows,latency=0", "m", "0 A@0:3", 100}, /* as recorded: by NVLink, no NIC in use */
        {"alpha-beta,latency=0", "m", "0 A@0:1@1:1", 190},
        {"flows,latency=0", "m", "0 A@0:1@1:1", 190},
        {"phases,latency=0", "m", "0 A@0:1@1:1", 190},
        {"flows,latency=0", "", "0 A@0:1@1:1", 100},      /* no profile */
        {"flows,latency=0", "quiet", "0 A@0:1@1:1", 100}, /* exchanges nothing */
        /* 0.95 s of computing hide half of what is sent: 0.05 s of 0.1 s, 0.5 s of 1 s */
        {"flows,latency=0", "overlaps", "0 A@0:1@1:1", 145},
        {"phases,latency=0", "overlaps", "0 A@0:1@1:1", 145},
        /* a server beside each worker, each with half: half a gradient goes out and half comes in, twice; in one node
         * none */
        {"flows,latency=0", "served", "0 A@0:1@1:1", 200},
        /* the ring has two steps: 2 x 3.4 us in the node, 2 x 14 us between them, and 8.4 us each time. The computation
         * is what the recorded iteration leaves: 1 - 0.1 - 15.2e-6 */
        {"flows", "m", "0 A@0:1@1:1", 100 * (1.9 - 15.2e-6 + 36.4e-6)},
        {"flows,latency=10", "m", "0 A@0:1@1:1", 100 * (1.9 - 152e-6 + 364e-6)},
        /* 10 s on two nodes are 10 / 1.9 of work; the rest in one */
        {"flows,latency=0", "m", "0 A@0:1@1:1; 10 A@0:3", 110 - 10 / 1.9},
        {"phases,latency=0", "m", "0 A@0:1@1:1; 10 A-; 20 A@2:3", 120 - 10 / 1.9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene v = scene_of(rows[i].net);
        add(&v, "A", 0, 100, rows[i].model);
        play(&v, rows[i].script);
        const orr_time end = stage_of(v.s, "A")->end;
        if (fabs(orr_time_seconds(end) - rows[i].end) > 1e-6)
            fail_msg("row %zu (%s, '%s'): ends at %.9f instead of %.9f", i, rows[i].net ? rows[i].net : "",
                     rows[i].model, orr_time_seconds(end), rows[i].end);
        close_scene(&v);
    }
}

/* ---- two jobs ---------------------------------------------------------------------------------------------------- */

/* B ends after 50 iterations of 2.9 s; A has done 50 of its 100, and goes on alone at 1.9 s. */
static void neighbours_on_a_link_slow_each_other(void **state)
{
    (void)state;
    static const struct {
        const char *net, *script;
        double a, b;
    } rows[] = {
        {"alpha-beta,latency=0", "0 A@0:1@1:1; 0 B@0:2@1:2", 190, 95},
        {"flows,latency=0", "0 A@0:1@1:1; 0 B@0:2@1:2", 240, 145},
        {"phases,latency=0", "0 A@0:1@1:1; 0 B@0:2@1:2", 240, 145}, /* in step they always meet */
        {"flows,latency=0", "0 A@0:1@1:1; 0 B@2:2@3:2", 190, 95},   /* elsewhere */
        {"flows,latency=0", "0 A@0:1@1:1; 0 B@2:3", 190, 50},
        /* nobody shares a GPU, but node 1's NIC */
        {"flows,latency=0", "0 A@0:1@1:1; 0 B@1:2@2:1", 240, 145},
        /* 2.5 s for two messages at once, of which one alone takes 1 s: 50 x 3.4 s, then 50 x 1.9 s */
        {"flows,latency=0,penalty=0.5", "0 A@0:1@1:1; 0 B@0:2@1:2", 265, 170},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene v = scene_of(rows[i].net);
        add(&v, "A", 0, 100, "m");
        add(&v, "B", 0, 50, "m");
        play(&v, rows[i].script);
        ends(&v, "A", rows[i].a);
        ends(&v, "B", rows[i].b);
        stage_conserves(v.s);
        close_scene(&v);
    }
}

/* A computes 0-0.9 and sends from 0.9; B begins at 0.95 and sends from 1.85, when A has 0.05 GB left. They share until
 * A is through at 1.95; B is alone until A sends again at 2.85 with 0.05 GB of B's left, and so on: an iteration takes
 * hardly more than alone.
 *
 *   A  ...compute...|====send====|...compute...|====send====|
 *   B      ...compute...|====send====|...compute...|====send====|      */
static void phases_that_interleave_hardly_meet(void **state)
{
    (void)state;
    scene v = scene_of("phases,latency=0");
    add(&v, "A", 0, 2, "m");
    add(&v, "B", 0, 2, "m");
    play(&v, "0 A@0:1@1:1; 0.95 B@0:2@1:2");
    ends(&v, "A", 3.95);
    ends(&v, "B", 4.9);
    close_scene(&v);
}

/* Ten iterations as one: A and B compute 9 s and send 10 GB each in 20 s. */
static void a_stride_takes_iterations_together(void **state)
{
    (void)state;
    scene v = scene_of("phases,latency=0,stride=10");
    add(&v, "A", 0, 10, "m");
    add(&v, "B", 0, 20, "m");
    play(&v, "0 A@0:1@1:1; 0 B@0:2@1:2");
    ends(&v, "A", 29);
    ends(&v, "B", 29 + 19);
    assert_in_range(v.s->counts.speed_changes, 2, 8);
    close_scene(&v);
}

/* ---- what plans say ---------------------------------------------------------------------------------------------- */

typedef struct directed {
    orr_job *jobs[2];
    int n;
} directed;

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    directed *d = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED)
        d->jobs[d->n++] = job;
}

/* Both jobs on nodes 0 and 1; their names say how their messages go: class, weight, cap. */
static orr_err direct(orr_ctx *ctx, orr_plan *plan)
{
    directed *d = orr_state(ctx);
    for (int i = 0; i < d->n; i++) {
        orr_alloc *alloc = orr_plan_alloc(plan);
        int class_;
        double weight, cap;
        if (sscanf(orr_job_name(d->jobs[i]), "%d %lf %lf", &class_, &weight, &cap) != 3)
            return ORR_E_POLICY;
        orr_alloc_add(alloc, 0, 1u << i);
        orr_alloc_add(alloc, 1, 1u << i);
        orr_err err = orr_plan_assign(plan, d->jobs[i], alloc);
        const uint32_t mark = orr_plan_mark(plan);
        if (!err && orr_plan_flow(plan, d->jobs[i], 7, 1, 0) == ORR_OK)
            orr_plan_undo(plan, mark); /* taken back: of no effect */
        if (!err)
            err = orr_plan_flow(plan, d->jobs[i], class_, weight, cap);
        if (err)
            return err;
    }
    d->n = 0;
    return ORR_OK;
}

static const orr_policy director = {.summary = "says how messages go", .schedule = direct, .on_job = on_job,
                                    .state_size = sizeof(directed)};

static orr_err play_directed(scene *v, const char *a, const char *b)
{
    orr_trace_job jobs[] = {stage_job("A", 0, 2, 100), stage_job("B", 0, 2, 50)};
    jobs[0].model = jobs[1].model = "m";
    jobs[0].name = a;
    jobs[1].name = b;
    stage_add(v->s, jobs[0]);
    stage_add(v->s, jobs[1]);
    stage_policy(v->s, &director);
    return stage_try(v->s);
}

static void plans_say_how_messages_go(void **state)
{
    (void)state;
    static const struct {
        const char *what, *a, *b;
        double a_end, b_end;
    } rows[] = {
        {"classes are strict: B stands still until A has ended", "0 1 inf", "1 1 inf", 190, 190 + 95},
        /* A's message takes 4/3 s, B's 4 s: iterations of 2.2333 and 4.9 s until A ends */
        {"weights", "0 3 inf", "0 1 inf", 670 / 3., 670 / 3. + (50 - 670 / 3. / 4.9) * 1.9},
        {"a cap of A's leaves 0.8 GB/s for B", "0 1 2e8", "0 1 inf", 590, 107.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene v = scene_of("flows,latency=0");
        if (play_directed(&v, rows[i].a, rows[i].b))
            fail_msg("%s: %s", rows[i].what, v.s->error.message);
        ends(&v, "A", rows[i].a_end);
        ends(&v, "B", rows[i].b_end);
        close_scene(&v);
    }
}

static void plans_may_not_say_everything(void **state)
{
    (void)state;
    static const struct {
        const char *net, *a;
        orr_err code;
    } rows[] = {
        {NULL, "0 1 inf", ORR_E_PLAN_STATE},               /* there is nothing to direct */
        {"flows", "0 0 inf", ORR_E_PLAN_STATE},            /* no weight */
        {"flows", "0 1 -1", ORR_E_PLAN_STATE},             /* no such cap */
        {"flows", "0 1 nan", ORR_E_PLAN_STATE},
        {"flows,latency=0", "0 1 0", ORR_E_STALLED},       /* A is held back for ever */
        {"alpha-beta", "0 1 0", ORR_OK},                   /* nobody shares anything */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene v = scene_of(rows[i].net);
        if (play_directed(&v, rows[i].a, "0 1 inf") != rows[i].code)
            fail_msg("row %zu: code %d, %s", i, (int)v.s->code, v.s->error.message);
        close_scene(&v);
    }
}

/* ---- what isn't modelled ----------------------------------------------------------------------------------------- */

static void add_many(const scene *v)
{
    for (int i = 0; i < 60; i++) {
        const uint64_t x = orr_mix64((uint64_t)i);
        orr_trace_job job = stage_job("", (double)i * 7, 1 << x % 4, 5 + (double)((x >> 8) % 200));
        job.model = x >> 20 & 1 ? "m" : "overlaps";
        stage_add(v->s, job);
    }
}

static char *story_of(orr_cluster_spec *spec, const char *net, uint64_t *flows)
{
    scene v = scene_on(spec, net);
    add_many(&v);
    v.s->options.policy = "srtf+spread";
    stage_run(v.s);
    char *story = stage_story(v.s);
    *flows = v.s->counts.flows_examined;
    close_scene(&v);
    return story;
}

static void links_without_end_are_no_links(void **state)
{
    (void)state;
    static const char *const nets[] = {"alpha-beta,latency=0", "flows,latency=0", "phases,latency=0", "phases"};
    uint64_t flows;
    char *none = story_of(cluster(8, 10e9, 1e9), NULL, &flows);
    for (size_t i = 0; i < 4; i++) {
        char *story = story_of(cluster(8, 0, 0), nets[i], &flows); /* nothing is stated of its links */
        assert_string_equal(story, none);
        free(story);
    }
    char *slower = story_of(cluster(8, 10e9, 1e9), "flows", &flows);
    assert_true(flows > 0);
    assert_string_not_equal(slower, none);
    free(slower);
    free(none);
}

/* The second opinion on logs in which speeds change, jobs stand still, are preempted and go on elsewhere. */
static void the_proof_agrees(void **state)
{
    (void)state;
    static const char *const nets[] = {"flows,penalty=0.3", "phases,penalty=0.3", "phases,stride=7"};
    static const char *const policies[] = {"srtf+spread", "ada-srsf", "srtf+spread"};
    for (size_t i = 0; i < 3; i++) {
        scene v = scene_on(cluster(8, 10e9, 1e9), nets[i]);
        orr_log_sink *sink = orr_log_sink_create(NULL, "all", NULL);
        orr_error e = {0};
        orr_verification found = {.metrics = -1};
        add_many(&v);
        v.s->options.policy = policies[i];
        v.s->also = orr_log_sink_sink(sink);
        stage_run(v.s);
        stage_conserves(v.s);
        assert_true(v.s->counts.speed_changes > 0);
        orr_text bytes = orr_log_sink_take(sink);
        orr_log *log = orr_log_memory("log", bytes.at, bytes.n, &e);
        assert_non_null(log);
        assert_int_equal(orr_verify_log(log, NULL, &found, &e), ORR_OK);
        if (found.findings.n)
            fail_msg("%s under %s: %s", policies[i], nets[i], found.findings.at[0].text);
        orr_verification_fini(&found);
        orr_log_close(log);
        orr_text_fini(&bytes);
        close_scene(&v);
    }
}

/* Thirty pairs of nodes, a job on each: when one job ends nobody else's flow is looked at. */
static void work_is_what_changed(void **state)
{
    (void)state;
    scene v = scene_on(cluster(60, 10e9, 1e9), "flows");
    char script[4096] = "";
    for (int i = 0; i < 30; i++) {
        char id[8];
        snprintf(id, sizeof id, "J%d", i);
        add(&v, id, 0, 10 + i, "m");
        snprintf(script + strlen(script), sizeof script - strlen(script), "%s0 %s@%d:1@%d:1", i ? "; " : "", id, 2 * i,
                 2 * i + 1);
    }
    play(&v, script);
    assert_int_equal(v.s->counts.flows_examined, 30); /* each once, when it came */
    assert_int_equal(v.s->counts.speed_changes, 0);
    close_scene(&v);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *net, *clock;
        bool with_profiles;
        orr_err code;
        const char *says;
    } rows[] = {
        {"magic", NULL, true, ORR_E_BAD_VALUE, "the network can't be 'magic': there is no such model"},
        {"flows,stride=2", NULL, true, ORR_E_BAD_VALUE, "'stride=2': the model has no such setting"},
        {"phases,stride=0", NULL, true, ORR_E_BAD_VALUE, "'stride=0'"},
        {"alpha-beta,latency=-1", NULL, true, ORR_E_BAD_VALUE, "'latency=-1'"},
        {"none,latency=1", NULL, true, ORR_E_BAD_VALUE, "'latency=1'"},
        {"flows", NULL, false, ORR_E_MISSING, "needs profiles"},
        {"phases", "tick=1s", true, ORR_E_BAD_VALUE, "clock that ticks"},
        {"flows", "tick=1s", true, ORR_OK, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scene v = scene_of(rows[i].net);
        add(&v, "A", 0, 10, "m");
        v.s->options.clock = rows[i].clock;
        v.s->options.profiles = rows[i].with_profiles ? v.profiles : NULL;
        assert_int_equal(stage_open(v.s), rows[i].code);
        if (!strstr(v.s->error.message, rows[i].says))
            fail_msg("row %zu: %s", i, v.s->error.message);
        close_scene(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreading_slows_down),
        cmocka_unit_test(neighbours_on_a_link_slow_each_other),
        cmocka_unit_test(phases_that_interleave_hardly_meet),
        cmocka_unit_test(a_stride_takes_iterations_together),
        cmocka_unit_test(plans_say_how_messages_go),
        cmocka_unit_test(plans_may_not_say_everything),
        cmocka_unit_test(links_without_end_are_no_links),
        cmocka_unit_test(the_proof_agrees),
        cmocka_unit_test(work_is_what_changed),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
