/* Energy and cost of a run, worked out by hand, and against a walk through time. */
#include "../sim/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static orr_incident incident(double at, orr_incident_kind kind)
{
    orr_incident in = orr_incident_default();
    in.at = orr_time_from_seconds(at);
    in.kind = kind;
    return in;
}

static void price(orr_scenario *s, double at, const char *type, double money)
{
    orr_incident in = incident(at, ORR_INCIDENT_PRICE);
    in.type = type;
    in.price = money;
    orr_scenario_add(s, &in);
}

static void down(orr_scenario *s, double at, const char *node, uint64_t gpus, double lasts)
{
    orr_incident in = incident(at, ORR_INCIDENT_DOWN);
    in.which.names = &node;
    in.which.name_count = 1;
    in.gpus = gpus;
    in.lasts = orr_time_from_seconds(lasts);
    orr_scenario_add(s, &in);
}

static orr_metrics measured(const orr_trace *trace, const char *cluster, const char *policy,
                            const orr_scenario *scenario, const char *rule)
{
    orr_measure measure;
    orr_error e = {0};
    size_t n;
    assert_int_equal(orr_measure_parse(rule, &measure, &e), ORR_OK);
    orr_collector *c = orr_collector_create(&measure);
    const orr_sink sink = orr_collector_sink(c);
    orr_sim_options options = orr_sim_options_default();
    options.policy = policy;
    options.scenario = scenario;
    orr_cluster_spec *spec = run_cluster(cluster);
    orr_sim *sim = orr_sim_create(trace, spec, &options, &sink, &e);
    if (!sim || orr_sim_run(sim, &e))
        fail_msg("%s", e.message);
    orr_metrics m = *orr_collector_finish(c, sim, &n);
    orr_sim_destroy(sim);
    orr_collector_destroy(c);
    orr_cluster_spec_destroy(spec);
    return m;
}

/*  node0  AAAAAAAAAA|--down--|AAAAAAAAAA   A: 4 GPUs, 0-10 and 20-30; node0 is down 10-20
 *  node1  BBBBBBBBBBBBBBBBBBBB..........   B: 2 GPUs, 0-20; GPU 3 of node1 is down 5-15
 *
 *  Hosts draw 100 W, a GPU 10 W idle and 110 W at work. Up: node0 20 s, node1 30 s.
 *    hosts 50 s x 100 = 5000; idle GPUs 4 x 20 x 10 + (4 x 30 - 10) x 10 = 800 + 1100;
 *    work (4 x 20 + 2 x 20) x 100 = 12000; of the idle power, 120 GPU·s x 10 = 1200 are of GPUs that jobs hold
 *  A GPU costs 36 an hour, from 15 s on 72, which is a hundredth and a fiftieth a second:
 *    node0: 0-10 40 GPU·s = 0.4, 20-30 40 GPU·s = 0.8; node1: 0-15 4 x 15 - 10 = 50 GPU·s = 0.5, 15-30 60 GPU·s = 1.2
 *    held: A 0.4 + 0.8; B 0-15 30 GPU·s = 0.3, 15-20 10 GPU·s = 0.2 */
static void a_run_worked_out_by_hand(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 4, .duration = 20}, {.id = "B", .gpus = 2, .duration = 20}};
    static const orr_gpu_power gpu = {"V100", 10, 110};
    orr_scenario *s = orr_scenario_create("hand");
    orr_trace *trace = run_trace(jobs, 2);
    s->power = (orr_power){.known = true, .host = 100, .gpus = &gpu, .gpu_count = 1, .said = {.file = ""}};
    down(s, 10, "node0", 0, 10);
    down(s, 5, "node1", 8, 10);
    price(s, 0, "V100", 36);
    price(s, 15, "V100", 72);
    price(s, 0, "kWh", 3600);
    orr_metrics m = measured(trace, "nodes=2,gpus=4,type=V100", "fifo", s, "all");
    assert_true(m.energy == 18900);
    assert_true(m.energy_idle == 5000 + 1900 - 1200);
    assert_true(m.energy_active == 13200);
    assert_true(m.energy_asleep == 0 && m.energy_transition == 0);
    assert_true(fabs(m.cost - 2.9) < 1e-12);
    assert_true(fabs(m.cost_held - 1.7) < 1e-12);
    assert_true(fabs(m.cost_energy - 18.9) < 1e-9); /* 3600 a kWh: a thousandth a joule */
    assert_true(m.nodes_up == 50.0 / 30);
    /* 5 to 25 s: what was drawn before and after doesn't count */
    m = measured(trace, "nodes=2,gpus=4,type=V100", "fifo", s, "time:5..25");
    assert_true(m.energy == 100 * (10 + 20) + 10 * (4 * 10 + 4 * 20 - 10) + 100 * (4 * 10 + 2 * 15));
    orr_trace_destroy(trace);
    orr_scenario_destroy(s);
}

/* Parts of a GPU draw what they use, and count as held in proportion. One GPU, 10 to 110 W, 10 s: 500 + 250 thousandths
 * are held, so 100 + 75 x 10 J, of which 75 J idle power and all of the work are the jobs'. */
static void parts_draw_in_proportion(void **state)
{
    (void)state;
    static const orr_gpu_power gpu = {"V100", 10, 110};
    orr_scenario *s = orr_scenario_create("parts");
    orr_trace *trace = orr_trace_create("parts");
    orr_error e = {0};
    for (int i = 0; i < 2; i++) {
        orr_trace_job j = orr_trace_job_default();
        j.id = i ? "B" : "A";
        j.gpus = j.min_gpus = j.max_gpus = 1;
        j.gpu_milli = i ? 250 : 500;
        j.duration = 10 * ORR_SECOND;
        assert_int_equal(orr_trace_add(trace, &j, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    s->power = (orr_power){.known = true, .gpus = &gpu, .gpu_count = 1, .said = {.file = ""}};
    orr_metrics m = measured(trace, "nodes=1,gpus=1,type=V100", "fifo", s, "all");
    assert_true(m.energy == 850);
    assert_true(m.energy_active == 75 + 750);
    orr_trace_destroy(trace);
    orr_scenario_destroy(s);
}

/* What isn't asked for isn't told, and a type without a price leaves the cost open. */
static void what_is_not_known_is_not_told(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 20}};
    orr_trace *trace = run_trace(jobs, 1);
    double v;
    orr_metrics m = measured(trace, "nodes=1,gpus=4,type=V100", "fifo", NULL, "all");
    assert_false(orr_metrics_get(&m, "energy.total", &v) || orr_metrics_get(&m, "cost.total", &v) ||
                 orr_metrics_get(&m, "nodes_up", &v));
    orr_scenario *s = orr_scenario_create("empty");
    m = measured(trace, "nodes=1,gpus=4,type=V100", "fifo", s, "all");
    assert_true(orr_metrics_get(&m, "nodes_up", &v) && v == 1);
    assert_false(orr_metrics_get(&m, "energy.total", &v) || orr_metrics_get(&m, "cost.total", &v));
    price(s, 0, "T4", 1);
    m = measured(trace, "nodes=1,gpus=4,type=V100", "fifo", s, "all");
    assert_true(orr_metrics_get(&m, "cost.total", &v) && isnan(v));
    orr_trace_destroy(trace);
    orr_scenario_destroy(s);
}

/* ---- conservation: what a walk through time adds up ---- */

typedef struct meter {
    orr_time last;
    double watts[4][16], joules; /* by node and GPU; a GPU of -1 would be the host */
    double host[4];
    bool begun;
} meter;

static void pass(meter *m, orr_time at)
{
    for (int n = 0; n < 4; n++) {
        m->joules += m->host[n] * orr_time_seconds(at - m->last);
        for (int g = 0; g < 16; g++)
            m->joules += m->watts[n][g] * orr_time_seconds(at - m->last);
    }
    m->last = at;
}

static void on_node(void *self, const orr_node_change *c)
{
    meter *m = self;
    pass(m, c->at);
    bool there = strcmp(c->state, "up") == 0 || strcmp(c->state, "draining") == 0;
    m->host[c->node] = there ? 200 : 0;
    for (int g = 0; g < 4; g++)
        m->watts[c->node][g] = !(c->up >> g & 1) ? 0 : m->watts[c->node][g] > 0 ? m->watts[c->node][g] : 10;
}

static void set(meter *m, const orr_slice *slices, int32_t n, double watts)
{
    for (int32_t i = 0; i < n; i++)
        for (int g = 0; g < 4; g++)
            if (slices[i].gpus >> g & 1 && m->watts[slices[i].node][g] > 0)
                m->watts[slices[i].node][g] = watts;
}

static void on_grant(void *self, const orr_grant *g)
{
    pass(self, g->at);
    set(self, g->slices, g->slice_count, 110);
}

static void on_hold(void *self, const orr_hold *h)
{
    pass(self, h->end);
    set(self, h->slices, h->slice_count, 10);
}

typedef struct both {
    orr_sink collector;
    meter meter;
} both;

static void begin(void *self, const orr_sim *sim)
{
    both *b = self;
    b->collector.begin(b->collector.self, sim);
}
static void job_(void *self, const orr_job_record *r)
{
    both *b = self;
    b->collector.job(b->collector.self, r);
}
static void levels(void *self, orr_time at, const orr_levels *l)
{
    both *b = self;
    b->collector.levels(b->collector.self, at, l);
}
static void submit(void *self, orr_time at, const orr_job *j)
{
    both *b = self;
    b->collector.submit(b->collector.self, at, j);
}
static void preempt(void *self, const orr_preemption *p)
{
    both *b = self;
    b->collector.preempt(b->collector.self, p);
}
static void grant(void *self, const orr_grant *g)
{
    both *b = self;
    on_grant(&b->meter, g);
    b->collector.grant(b->collector.self, g);
}
static void hold(void *self, const orr_hold *h)
{
    both *b = self;
    on_hold(&b->meter, h);
    b->collector.hold(b->collector.self, h);
}
static void node(void *self, const orr_node_change *c)
{
    both *b = self;
    on_node(&b->meter, c);
    b->collector.node(b->collector.self, c);
}

static void energy_is_the_integral_of_power(void **state)
{
    (void)state;
    static const orr_gpu_power gpu = {"V100", 10, 110};
    orr_synth_options o = orr_synth_options_default();
    o.jobs = 300;
    o.gpus = 16;
    o.max_gpus = 8;
    o.load = 0.8;
    orr_trace *trace = run_synth(&o);
    orr_scenario *s = orr_scenario_create("random");
    s->power = (orr_power){.known = true, .host = 200, .gpus = &gpu, .gpu_count = 1, .said = {.file = ""}};
    const orr_failures nodes = {.mtbf = 40 * ORR_HOUR, .mttr = 2 * ORR_HOUR, .shape = 1, .repair_shape = 1};
    orr_failures gpus = {.mtbf = 90 * ORR_HOUR, .mttr = ORR_HOUR, .shape = 0.7, .repair_shape = 2, .of_gpus = true};
    orr_scenario_add_failures(s, &nodes);
    orr_scenario_add_failures(s, &gpus);
    orr_measure measure = orr_measure_default();
    orr_collector *c = orr_collector_create(&measure);
    both b = {.collector = orr_collector_sink(c), .meter = {.last = orr_trace_jobs(trace)[0].submit}};
    for (int n = 0; n < 4; n++) {
        b.meter.host[n] = 200;
        for (int g = 0; g < 4; g++)
            b.meter.watts[n][g] = 10;
    }
    const orr_sink sink = {.self = &b,
                           .begin = begin,
                           .job = job_,
                           .levels = levels,
                           .submit = submit,
                           .preempt = preempt,
                           .grant = grant,
                           .hold = hold,
                           .node = node};
    orr_sim_options options = orr_sim_options_default();
    options.policy = "srtf";
    options.scenario = s;
    orr_error e = {0};
    size_t n;
    orr_cluster_spec *spec = run_cluster("nodes=4,gpus=4,type=V100");
    orr_sim *sim = orr_sim_create(trace, spec, &options, &sink, &e);
    assert_non_null(sim);
    if (orr_sim_run(sim, &e))
        fail_msg("%s", e.message);
    orr_metrics m = *orr_collector_finish(c, sim, &n);
    pass(&b.meter, orr_sim_now(sim));
    assert_true(orr_sim_count(sim).interruptions > 5);
    if (fabs(m.energy - b.meter.joules) > 1e-9 * m.energy)
        fail_msg("%.17g J, a walk through time gives %.17g", m.energy, b.meter.joules);
    assert_true(fabs(m.energy - (m.energy_idle + m.energy_active)) <= 1e-9 * m.energy);
    orr_sim_destroy(sim);
    orr_collector_destroy(c);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
    orr_scenario_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_worked_out_by_hand),
        cmocka_unit_test(parts_draw_in_proportion),
        cmocka_unit_test(what_is_not_known_is_not_told),
        cmocka_unit_test(energy_is_the_integral_of_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
