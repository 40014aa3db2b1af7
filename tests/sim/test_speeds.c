/* Speeds by GPU type from end to end: a throughput table moves ends, says where jobs can't run, and what pairs do. Worked out by
 * hand. */
#include "run.h"

#include "model/speeds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct job {
    const char *id, *model, *type;
    int32_t gpus, milli;
    double submit, duration;
    int32_t low, high; /* elastic, where not 0 */
} job;

/* On one K80 `net` is 4 times as slow as on a V100, `big` doesn't run. Two of `net` on V100s make 18 steps/s, spread 12. */
static orr_throughputs *table(const char *reference)
{
    static const char text[] =
        "model,gpus,gpu_type,steps_per_s,spread_steps_per_s,beside,beside_steps_per_s\n"
        "net,1,v100,10,,,\nnet,1,k80,2.5,,,\nnet,2,v100,18,12,,\nnet,2,k80,4.5,0,,\nnet,4,v100,30,,,\n"
        "big,1,v100,5,,,\nbig,1,k80,0,,,\nmesh,1,v100,8,,,\nmesh,1,k80,4,,,\nnet,1,v100,5,,mesh,6\n";
    orr_error e = {0};
    orr_input *in = orr_input_memory("by hand", text, sizeof text - 1);
    orr_throughputs *t = orr_throughputs_read(in, &e);
    orr_input_close(in);
    if (!t)
        fail_msg("%s", e.message);
    if (reference)
        assert_int_equal(orr_throughputs_refer(t, reference, &e), ORR_OK);
    return t;
}

static orr_trace *trace_of(const job *at, size_t n)
{
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("by hand");
    for (size_t i = 0; i < n; i++) {
        orr_trace_job j = orr_trace_job_default();
        j.id = at[i].id;
        j.model = at[i].model;
        j.gpu_type = at[i].type ? at[i].type : "";
        j.gpus = at[i].gpus ? at[i].gpus : 1;
        j.gpu_milli = at[i].milli ? at[i].milli : 1000;
        j.min_gpus = at[i].low ? at[i].low : j.gpus;
        j.max_gpus = at[i].high ? at[i].high : j.gpus;
        j.submit = orr_time_from_seconds(at[i].submit);
        j.duration = orr_time_from_seconds(at[i].duration);
        assert_int_equal(orr_trace_add(trace, &j, &e), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, &e), ORR_OK);
    return trace;
}

/* A word a node: "k80:1 V100:2". */
static orr_cluster_spec *nodes_of(const char *words)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("nodes");
    char type[16];
    int used, gpus;
    for (; sscanf(words, " %15[^:]:%d%n", type, &gpus, &used) == 2; words += used) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = gpus;
        n.gpu_type = type;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return spec;
}

typedef struct scene {
    const char *nodes, *policy, *reference, *interference;
    bool no_spread, no_pairs;
} scene;

/* The run, and what its records borrow. */
typedef struct played {
    run *r;
    orr_throughputs *table;
    orr_trace *trace;
    orr_cluster_spec *spec;
} played;

static played play(const job *at, size_t n, scene s)
{
    played p = {.table = table(s.reference), .trace = trace_of(at, n), .spec = nodes_of(s.nodes)};
    orr_sim_options options = orr_sim_options_default();
    if (s.no_spread)
        orr_throughputs_ignore_spread(p.table);
    if (s.no_pairs)
        orr_throughputs_ignore_pairs(p.table);
    options.throughputs = p.table;
    options.interference = s.interference;
    p.r = run_policy(p.trace, p.spec, s.policy ? s.policy : "fifo+first-fit", &options);
    return p;
}

static void leave(played p)
{
    run_free(p.r);
    orr_cluster_spec_destroy(p.spec);
    orr_trace_destroy(p.trace);
    orr_throughputs_destroy(p.table);
}

static void ends(const job *at, size_t n, scene s, const char *expected)
{
    played p = play(at, n, s);
    run_ends(p.r, expected);
    leave(p);
}

/* Durations are those on a V100, whatever the case of its name; a type of which nothing is known is like it. */
static void types_have_speeds(void **state)
{
    (void)state;
    const job jobs[] = {{.id = "A", .model = "net", .duration = 100}, {.id = "B", .model = "net", .duration = 100},
                        {.id = "C", .model = "net", .duration = 100}, {.id = "D", .model = "?", .duration = 100}};
    ends(jobs, 4, (scene){.nodes = "K80:1 V100:1 T4:1 K80:1"}, "A:400 B:100 C:100 D:100");
    ends(jobs, 4, (scene){.nodes = "K80:1 V100:1 T4:1 K80:1", .reference = "k80"}, "A:100 B:25 C:100 D:100");
    played p = play(jobs, 4, (scene){.nodes = "K80:1 V100:1 T4:1 K80:1"});
    assert_int_equal(run_note(p.r, "the throughput table lacks its model: as recorded"), 1);
    assert_int_equal(run_note(p.r, "GPU type 'T4' isn't in the throughput table: jobs run as recorded"), 1);
    leave(p);
}

/* One that names a type in the trace ran on that. */
static void the_reference_is_the_job_s_own(void **state)
{
    (void)state;
    const job jobs[] = {{.id = "A", .model = "net", .type = "k80", .duration = 100},
                        {.id = "B", .model = "net", .type = "v100", .duration = 100},
                        {.id = "C", .model = "net", .type = "k80|v100", .duration = 100}};
    ends(jobs, 3, (scene){.nodes = "k80:2 v100:1"}, "A:100 B:100 C:400");
    ends(jobs, 3, (scene){.nodes = "k80:2 v100:1", .reference = "v100"}, "A:400 B:100 C:400");
}

/* 18 steps/s on one node, 12 on two, and as slow as the slowest on two types; 0 spread over K80s: it waits for one node. */
static void gangs(void **state)
{
    (void)state;
    const job two[] = {{.id = "A", .model = "net", .gpus = 2, .duration = 180}};
    ends(two, 1, (scene){.nodes = "v100:2"}, "A:180");
    ends(two, 1, (scene){.nodes = "v100:1 v100:1"}, "A:270");
    ends(two, 1, (scene){.nodes = "v100:1 v100:1", .no_spread = true}, "A:180");
    ends(two, 1, (scene){.nodes = "v100:1 k80:1", .no_spread = true}, "A:720");
    const job first[] = {{.id = "H", .model = "?", .duration = 10}, two[0]};
    ends(first, 2, (scene){.nodes = "k80:1 k80:2"}, "H:10 A:720"); /* first-fit finds one of each node, and that is no place */
    played p = play(two, 1, (scene){.nodes = "k80:1 k80:1"});
    assert_int_equal(run_job_of(p.r, "A")->state, ORR_JOB_REJECTED);
    leave(p);
}

/* A gang of 3 goes by the ratios of 2: spread that is 2/3. */
static void other_sizes(void **state)
{
    (void)state;
    const job three[] = {{.id = "A", .model = "net", .gpus = 3, .duration = 90}};
    ends(three, 1, (scene){.nodes = "k80:3"}, "A:360");
    ends(three, 1, (scene){.nodes = "v100:2 v100:1"}, "A:135");
}

/* `big` doesn't run on a K80: it waits for the V100, or is turned away. */
static void where_it_cannot_run(void **state)
{
    (void)state;
    const job jobs[] = {{.id = "A", .model = "big", .duration = 100}, {.id = "B", .model = "big", .duration = 100}};
    ends(jobs, 2, (scene){.nodes = "k80:1 v100:1"}, "A:100 B:200");
    played p = play(jobs, 2, (scene){.nodes = "k80:1"});
    assert_int_equal(p.r->counts.rejected, 2);
    leave(p);
}

/* Beside `mesh` a `net` makes 5 of its 10 steps/s and the other 6 of 8: B's 60 s take 80, A has 100 - 40 left then. */
static void pairs(void **state)
{
    (void)state;
    const job jobs[] = {{.id = "A", .model = "net", .milli = 500, .duration = 100},
                        {.id = "B", .model = "mesh", .milli = 500, .duration = 60}};
    ends(jobs, 2, (scene){.nodes = "v100:1"}, "A:140 B:80");
    ends(jobs, 2, (scene){.nodes = "v100:1", .no_pairs = true}, "A:100 B:60");
    ends(jobs, 2, (scene){.nodes = "v100:1", .interference = "utilisation"}, "A:100 B:60");
    const job turned[] = {{.id = "B", .model = "mesh", .milli = 500, .duration = 60},
                          {.id = "A", .model = "net", .milli = 500, .duration = 100}};
    ends(turned, 2, (scene){.nodes = "v100:1"}, "A:140 B:80");
    const job same[] = {jobs[0], {.id = "C", .model = "net", .milli = 500, .duration = 50}};
    ends(same, 2, (scene){.nodes = "v100:1"}, "A:100 C:50"); /* not measured */
    ends(same, 2, (scene){.nodes = "v100:1", .interference = "table,unknown=0.5"}, "A:150 C:100");
}

/* An elastic job of 2: on 1 and 4 the table has rows; on 3 it goes in proportion to 2, spread (12 of 18) or not. */
static void elastic_jobs(void **state)
{
    (void)state;
    static const struct {
        uint64_t first, second; /* GPUs of the two nodes */
        double speed;
    } rows[] = {{1, 0, 10.0 / 18}, {3, 0, 1}, {7, 0, 1.5}, {15, 0, 30.0 / 18}, {3, 1, 1.5 * 12 / 18}, {1, 1, 12.0 / 18}};
    orr_throughputs *t = table(NULL);
    orr_cluster_spec *spec = nodes_of("v100:4 v100:4");
    orr_cluster *c = orr_cluster_create(spec, false);
    orr_trace_job record = orr_trace_job_default();
    record.model = "net";
    record.gpu_type = "";
    record.gpus = 2;
    orr_job *live = calloc(1, sizeof *live);
    live->record = &record;
    live->types = ORR_ANY_TYPE;
    orr_speeds s;
    orr_speeds_init(&s, t, c);
    assert_int_equal(orr_speeds_submit(&s, live), ORR_SPEEDS_EXACT);
    assert_true(live->step_rate == 18);
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        orr_alloc held = {0};
        orr_alloc_append(&held, (orr_slice){.node = 0, .gpus = rows[i].first});
        if (rows[i].second)
            orr_alloc_append(&held, (orr_slice){.node = 1, .gpus = rows[i].second});
        const double speed = orr_speeds_with(&s, live, &held);
        if (speed < rows[i].speed - 1e-12 || speed > rows[i].speed + 1e-12)
            fail_msg("row %zu: %g should be %g", i, speed, rows[i].speed);
        orr_alloc_clear(&held);
    }
    free(live);
    orr_cluster_destroy(c);
    orr_cluster_spec_destroy(spec);
    orr_throughputs_destroy(t);
}

static void table_rule_needs_pairs(void **state)
{
    (void)state;
    const job jobs[] = {{.id = "A", .model = "net", .duration = 100}};
    orr_trace *trace = trace_of(jobs, 1);
    orr_cluster_spec *spec = nodes_of("v100:1");
    orr_sim_options options = orr_sim_options_default();
    options.interference = "table";
    run *r = run_try(trace, spec, "fifo", &options);
    assert_int_equal(r->code, ORR_E_MISSING);
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_speeds),
        cmocka_unit_test(the_reference_is_the_job_s_own),
        cmocka_unit_test(gangs),
        cmocka_unit_test(other_sizes),
        cmocka_unit_test(where_it_cannot_run),
        cmocka_unit_test(pairs),
        cmocka_unit_test(elastic_jobs),
        cmocka_unit_test(table_rule_needs_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
