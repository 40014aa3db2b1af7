/* Metrics of simulations: what only a run can tell, and what must hold in every run. */
#include "feed.h"
#include "metrics/custom.h"
#include "run.h"
#include "sim/sim.h"

typedef struct outcome {
    orr_sim *sim;
    orr_collector *collector;
    const orr_metrics *metrics;
    size_t count;
} outcome;

static outcome simulate(const orr_trace *trace, const orr_cluster_spec *cluster, const orr_sim_options *options,
                        const orr_measure *measure)
{
    outcome o = {.collector = orr_collector_create(measure)};
    orr_sink sink = orr_collector_sink(o.collector);
    orr_error e = {0};
    o.sim = orr_sim_create(trace, cluster, options, &sink, &e);
    if (!o.sim || orr_sim_run(o.sim, &e))
        fail_msg("%s: %s", options->policy, e.message);
    o.metrics = orr_collector_finish(o.collector, o.sim, &o.count);
    return o;
}

static void outcome_fini(outcome *o)
{
    orr_sim_destroy(o->sim);
    orr_collector_destroy(o->collector);
}

/* Two nodes of 4 GPUs. C needs 2 on one node and waits for them, though 2 are free.
 *
 *     t      0    2         10      14
 *     n0     AAA. AAA.      CC..            free  2, 2, 6
 *     n1     BBB. BBB.      ....
 *     jobs that f free GPUs on a node are of no use to: 3 of 3 for 1, 2 (A, B) for 2, none for 4
 *     F      2    2         2 x 2/3
 */
static void fragmentation(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10}, {.id = "B", .gpus = 3, .duration = 10},
                                   {.id = "C", .submit = 2, .gpus = 2, .duration = 4}};
    orr_trace *trace = run_trace(jobs, COUNT(jobs));
    orr_cluster_spec *cluster = run_cluster("4/r0 4/r0");
    orr_sim_options options = orr_sim_options_default();
    options.policy = "fifo";
    outcome o = simulate(trace, cluster, &options, NULL);
    assert_metric(o.metrics, "gpu_alloc", (10 * 6 + 4 * 2) / (14 * 8.0));
    assert_metric(o.metrics, "frag", (10 * 2 + 4 * 4 / 3.0) / (10 * 2 + 4 * 6));
    assert_metric(o.metrics, "frag:node", 1); /* 2..10: 2 of 2 */
    assert_metric(o.metrics, "frag:rack", NAN); /* there is one */
    outcome_fini(&o);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* The same on a rack each, and only what is submitted from 1 s on. C's window is [1, 14). */
static void fragmentation_within_a_window(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10}, {.id = "B", .gpus = 3, .duration = 10},
                                   {.id = "C", .submit = 2, .gpus = 2, .duration = 4}};
    orr_trace *trace = run_trace(jobs, COUNT(jobs));
    orr_cluster_spec *cluster = run_cluster("4/r0 4/r1");
    orr_sim_options options = orr_sim_options_default();
    orr_measure measure;
    assert_int_equal(orr_measure_parse("warmup:1", &measure, NULL), ORR_OK);
    options.policy = "fifo";
    outcome o = simulate(trace, cluster, &options, &measure);
    assert_int_equal(o.metrics->measured, 1);
    assert_metric(o.metrics, "window", 13);
    assert_metric(o.metrics, "frag", (9 * 2 + 4 * 4 / 3.0) / (9 * 2 + 4 * 6));
    assert_metric(o.metrics, "frag:rack", 1);
    outcome_fini(&o);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* 4 GPUs of one type, 12 of another. P asks 2 of the first, Q 3 of either: a quarter of its load falls on the first. */
static void loads_of_types(void **state)
{
    (void)state;
    orr_cluster_spec *cluster = orr_cluster_spec_create("mixed");
    orr_node_spec v = orr_node_spec_default(), k = v;
    v.gpus = 4, v.gpu_type = "V100";
    k.gpus = 12, k.gpu_type = "K80";
    assert_int_equal(orr_cluster_spec_add(cluster, &v, 1, NULL), ORR_OK);
    assert_int_equal(orr_cluster_spec_add(cluster, &k, 1, NULL), ORR_OK);
    orr_trace *trace = orr_trace_create("two");
    orr_trace_job p = orr_trace_job_default(), q = p;
    p.id = "P", p.gpus = 2, p.duration = 20 * ORR_SECOND, p.gpu_type = "V100";
    q.id = "Q", q.gpus = 3, q.duration = 40 * ORR_SECOND, q.submit = 10 * ORR_SECOND;
    assert_int_equal(orr_trace_add(trace, &p, NULL), ORR_OK);
    assert_int_equal(orr_trace_add(trace, &q, NULL), ORR_OK);
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    orr_sim_options options = orr_sim_options_default();
    outcome o = simulate(trace, cluster, &options, NULL);
    assert_metric(o.metrics, "load", (40 + 120) / 160.0);
    assert_metric(o.metrics, "load:V100", (40 + 120 / 4.0) / 40);
    assert_metric(o.metrics, "load:K80", 90 / 120.0);
    outcome_fini(&o);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* ---- expressions of a run ---- */

static void custom_numbers(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 4, .duration = 10, .user = "u"},
                                   {.id = "B", .gpus = 2, .duration = 30, .user = "u"},
                                   {.id = "C", .submit = 2, .gpus = 2, .duration = 4, .user = "v"}};
    static const char *const texts[] = {"mean(jct)", "jct.mean", "sum(service where user = u)", "mean(jct)",
                                        "rho:fixed_n=2.max", "count(wait_first > 0)"};
    orr_trace *trace = run_trace(jobs, COUNT(jobs));
    orr_cluster_spec *cluster = run_cluster("nodes=1,gpus=4");
    orr_sim_options options = orr_sim_options_default();
    orr_exprs asked;
    assert_int_equal(orr_exprs_parse(texts, COUNT(texts), &asked, NULL), ORR_OK);
    assert_int_equal(asked.n, 5); /* one was there twice */
    outcome o = simulate(trace, cluster, &options, NULL);
    orr_custom *custom = orr_collector_custom(o.collector, &asked);
    /* A 0..10, B and C 10..: JCT 10, 40, 12 */
    assert_true(custom[0].value == 62 / 3.0 && custom[1].value == custom[0].value);
    assert_true(custom[2].value == 40 + 60);
    assert_true(custom[3].value == 12 / 4.0); /* A 10/20, B 40/30, C 12/4: each of two shares is 2 GPUs */
    assert_true(custom[4].value == 2);
    free(custom);
    outcome_fini(&o);
    orr_exprs_fini(&asked);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

static void a_wrong_expression_among_others(void **state)
{
    (void)state;
    static const char *const texts[] = {"mean(jct)", "mean(jct"};
    orr_exprs asked = {0};
    orr_error e = {0};
    assert_int_equal(orr_exprs_parse(texts, 2, &asked, &e), ORR_E_BAD_VALUE);
    assert_int_equal(e.column, 9);
    assert_null(asked.exprs);
}

/* ---- laws ---- */

static const char *const policies[] = {"fifo", "srtf", "sjf,backfill=easy", "tiresias", "fifo,hol=skip+spread"};

static orr_trace *any_trace(uint64_t seed, double load)
{
    orr_synth_options options = orr_synth_options_default();
    options.jobs = 150;
    options.seed = seed;
    options.load = load;
    options.gpus = 24;
    options.max_gpus = 16;
    return run_synth(&options);
}

/* Every job that came is in one state, in the metrics as in the simulation, wherever the run is cut. */
static void jobs_add_up(void **state)
{
    (void)state;
    orr_cluster_spec *cluster = run_cluster("8/r0 8/r1 4/r1 4/r2");
    for (uint64_t seed = 1; seed <= 10; seed++) {
        orr_trace *trace = any_trace(seed, 1.1);
        const orr_trace_job *jobs = orr_trace_jobs(trace);
        orr_sim_options options = orr_sim_options_default();
        options.policy = policies[seed % COUNT(policies)];
        options.costs = seed % 2 ? "start=5s,save=20s,restore=30s,checkpoint=10m" : NULL;
        options.until = seed % 3 ? jobs[orr_trace_count(trace) * seed / 12].submit + 7 * ORR_SECOND : ORR_TIME_MAX;
        outcome o = simulate(trace, cluster, &options, NULL);
        const orr_job_counts *j = &o.metrics->jobs;
        const orr_sim_counts c = orr_sim_count(o.sim);
        assert_int_equal(j->submitted,
                         j->done + j->failed + j->killed + j->rejected + j->running_at_end + j->queued_at_end);
        assert_int_equal(j->submitted, c.submitted);
        assert_int_equal(j->running_at_end, c.running_at_end);
        assert_int_equal(j->queued_at_end, c.queued_at_end);
        assert_int_equal(j->submitted + c.pending, orr_trace_count(trace));
        assert_true(o.metrics->biased == (j->running_at_end + j->queued_at_end > 0));
        assert_true(o.metrics->gpu_busy <= o.metrics->gpu_alloc && o.metrics->gpu_alloc <= 1);
        outcome_fini(&o);
        orr_trace_destroy(trace);
    }
    orr_cluster_spec_destroy(cluster);
}

/* Listens beside the collector and looks at everything after each instant: every node that changed was told, and the
 * free GPUs of nodes that can't host the one that has waited longest are counted anew. */
typedef struct witness {
    orr_collector *collector;
    const orr_sim *sim;
    int32_t free[4];
    orr_time since;
    orr_wide stuck, free_waited;
    int64_t stuck_now, free_now;
    bool waits;
    double frag_node;
} witness;

static const orr_job *longest_waiting(const orr_sim *sim)
{
    const orr_job *longest = NULL;
    for (const orr_job *job = sim->life.first; job; job = job->next)
        if (job->state == ORR_JOB_QUEUED && (!longest || job->wait_since < longest->wait_since))
            longest = job;
    return longest;
}

static void look(witness *w, orr_time at)
{
    const orr_cluster *c = w->sim->world.real;
    const orr_job *longest = longest_waiting(w->sim);
    orr_wide dt = (orr_wide)at - w->since;
    w->stuck += w->waits ? dt * w->stuck_now : 0;
    w->free_waited += w->waits ? dt * w->free_now : 0;
    w->since = at;
    w->waits = longest != NULL;
    w->stuck_now = w->free_now = 0;
    for (int32_t n = 0; n < c->count; n++) {
        w->free_now += c->nodes[n].free;
        w->stuck_now += longest && c->nodes[n].free < longest->record->gpus ? c->nodes[n].free : 0;
    }
}

static void see_begin(void *self, const orr_sim *sim)
{
    witness *w = self;
    orr_sink to = orr_collector_sink(w->collector);
    w->sim = sim;
    to.begin(to.self, sim);
}

static void see_levels(void *self, orr_time at, const orr_levels *levels)
{
    witness *w = self;
    orr_sink to = orr_collector_sink(w->collector);
    to.levels(to.self, at, levels);
    if (levels->vc < 0)
        look(w, at);
}

static void see_job(void *self, const orr_job_record *record)
{
    orr_sink to = orr_collector_sink(((witness *)self)->collector);
    to.job(to.self, record);
}

static void see_hold(void *self, const orr_hold *hold)
{
    orr_sink to = orr_collector_sink(((witness *)self)->collector);
    to.hold(to.self, hold);
}

static void see_submit(void *self, orr_time at, const orr_job *job)
{
    orr_sink to = orr_collector_sink(((witness *)self)->collector);
    to.submit(to.self, at, job);
}

static void see_grant(void *self, const orr_grant *grant)
{
    orr_sink to = orr_collector_sink(((witness *)self)->collector);
    to.grant(to.self, grant);
}

static void see_preempt(void *self, const orr_preemption *preemption)
{
    orr_sink to = orr_collector_sink(((witness *)self)->collector);
    to.preempt(to.self, preemption);
}

/* With jobs of different beginnings of their waits, so that one has waited longest. */
static void the_room_is_seen_as_it_is(void **state)
{
    (void)state;
    orr_cluster_spec *cluster = run_cluster("8/r0 8/r1 4/r1 4/r2");
    int proper = 0; /* runs in which some of it was stuck, not all */
    for (uint64_t seed = 1; seed <= 6; seed++) {
        orr_trace *trace = any_trace(seed, 4);
        witness w = {.collector = orr_collector_create(NULL)};
        orr_sink sink = {.self = &w, .job = see_job, .hold = see_hold, .levels = see_levels, .begin = see_begin,
                         .submit = see_submit, .grant = see_grant, .preempt = see_preempt};
        orr_sim_options options = orr_sim_options_default();
        options.policy = seed % 2 ? "sjf,hol=block" : "srtf";
        options.costs = "start=5s,save=20s,restore=30s";
        orr_sim *sim = orr_sim_create(trace, cluster, &options, &sink, NULL);
        size_t count;
        assert_int_equal(orr_sim_run(sim, NULL), ORR_OK);
        const orr_metrics *m = orr_collector_finish(w.collector, sim, &count);
        look(&w, orr_sim_now(sim));
        proper += w.stuck > 0 && w.stuck < w.free_waited;
        assert_metric(m, "frag:node", w.free_waited ? (double)w.stuck / (double)w.free_waited : NAN);
        orr_sim_destroy(sim);
        orr_collector_destroy(w.collector);
        orr_trace_destroy(trace);
    }
    assert_true(proper > 0);
    orr_cluster_spec_destroy(cluster);
}

/* Two VCs of two GPUs each, which share all four. Each has four jobs of one GPU and 100 s; blue's run first, then
 * red's.
 *
 *     t         0       100      200
 *     blue      400              due: 2 x 100            400 / 200 = 2
 *     red               400      due: 2 x 100 + 4 x 100  400 / 600
 *
 * By astraea both have two GPUs at all times: what is due to them. */
static void long_term_fairness_of_vcs(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *measure;
        double spread;
    } rows[] = {
        {"fifo,vc=shared", NULL, 3}, {"astraea,over=vc,vc=shared", NULL, 1}, {"fifo,vc=shared", "time:0..100", NAN}};
    static const run_job jobs[] = {
        {.id = "b0", .gpus = 1, .duration = 100, .vc = "blue"}, {.id = "b1", .gpus = 1, .duration = 100, .vc = "blue"},
        {.id = "b2", .gpus = 1, .duration = 100, .vc = "blue"}, {.id = "b3", .gpus = 1, .duration = 100, .vc = "blue"},
        {.id = "r0", .gpus = 1, .duration = 100, .vc = "red"},  {.id = "r1", .gpus = 1, .duration = 100, .vc = "red"},
        {.id = "r2", .gpus = 1, .duration = 100, .vc = "red"},  {.id = "r3", .gpus = 1, .duration = 100, .vc = "red"}};
    orr_trace *trace = run_trace(jobs, COUNT(jobs));
    orr_cluster_spec *cluster = run_cluster("2@red 2@blue");
    for (size_t i = 0; i < COUNT(rows); i++) {
        orr_sim_options options = orr_sim_options_default();
        orr_measure measure = orr_measure_default();
        if (rows[i].measure)
            assert_int_equal(orr_measure_parse(rows[i].measure, &measure, NULL), ORR_OK);
        options.policy = rows[i].policy;
        outcome o = simulate(trace, cluster, &options, &measure);
        assert_metric(o.metrics, "ltgf:vc", rows[i].spread); /* in the first 100 s red has had nothing */
        assert_metric(&o.metrics[1], "ltgf:vc", NAN);
        outcome_fini(&o);
    }
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragmentation),
        cmocka_unit_test(fragmentation_within_a_window),
        cmocka_unit_test(loads_of_types),
        cmocka_unit_test(custom_numbers),
        cmocka_unit_test(a_wrong_expression_among_others),
        cmocka_unit_test(jobs_add_up),
        cmocka_unit_test(the_room_is_seen_as_it_is),
        cmocka_unit_test(long_term_fairness_of_vcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
