/* GPU types as policies see them: their names, scopes of some of them, speeds on each, and who may ask. */
#define ORR_BUILTIN /* the modules are registered by hand */
#include "run.h"

#include "model/throughputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Nodes: 0 V100 x2, 1 none, 2 K80 x4, 3 V100 x2, 4 P100 x1. */
static orr_cluster_spec *nodes(void)
{
    static const struct {
        const char *type;
        int32_t gpus;
    } rows[] = {{"V100", 2}, {"", 0}, {"K80", 4}, {"V100", 2}, {"P100", 1}};
    orr_cluster_spec *spec = orr_cluster_spec_create("types");
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = rows[i].gpus;
        n.gpu_type = rows[i].type;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return spec;
}

enum { V100 = 1, K80 = 2, P100 = 4 };

static orr_scope of(uint64_t types)
{
    return (orr_scope){.vc = -1, .types = types};
}

static void names_and_counts(orr_ctx *ctx)
{
    assert_int_equal(orr_cluster_types(ctx), 3);
    assert_string_equal(orr_type_name(ctx, 0), "V100");
    assert_string_equal(orr_type_name(ctx, 2), "P100");
    assert_int_equal(orr_node_type(ctx, 1), -1);
    assert_int_equal(orr_node_type(ctx, 3), 0);
    static const struct {
        uint64_t types;
        int32_t gpus, widest;
    } rows[] = {{0, 9, 4}, {V100, 4, 2}, {K80, 4, 4}, {P100, 1, 1}, {V100 | P100, 5, 2}, {7, 9, 4}, {8, 0, 0}};
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        assert_int_equal(orr_scope_gpus(ctx, of(rows[i].types)), rows[i].gpus);
        assert_int_equal(orr_scope_free(ctx, of(rows[i].types)), rows[i].gpus);
        assert_int_equal(orr_scope_free_milli(ctx, of(rows[i].types)), 1000 * rows[i].gpus);
        assert_int_equal(orr_scope_widest(ctx, of(rows[i].types)), rows[i].widest);
    }
    assert_int_equal(orr_node_with_free(ctx, of(V100), 2, 0), 3);
    assert_int_equal(orr_node_with_free(ctx, of(K80), 2, -1), -1);
    assert_int_equal(orr_node_with_at_least(ctx, of(K80 | P100), 1, 2), 4);
}

static void speeds(orr_ctx *ctx, const orr_job *job)
{
    double pair[2];
    assert_true(orr_job_speed_on(ctx, job, 0, false) == 1 && orr_job_speed_on(ctx, job, 1, false) == 0.25);
    assert_true(orr_job_speed_on(ctx, job, 0, true) == 0.75); /* 12 of 16 */
    assert_true(orr_job_speed_on(ctx, job, 2, false) == 0.125); /* no node has two: they are spread */
    assert_true(orr_job_step_rate(ctx, job) == 16);
    assert_true(orr_jobs_speed_beside(ctx, job, job, 0, pair) && pair[0] == 0.5 && pair[1] == 0.5);
    assert_false(orr_jobs_speed_beside(ctx, job, job, 1, pair));
    assert_true(pair[0] == 0 && pair[1] == 0);
}

/* Tries types one after the other, and stays with the last that has room. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *job = *(orr_job **)orr_state(ctx);
    if (!job || orr_job_holds(job))
        return ORR_OK;
    names_and_counts(ctx);
    speeds(ctx, job);
    assert_false(orr_plan_fits(plan, job, of(P100)));
    assert_true(orr_plan_fits(plan, job, of(0)));
    assert_int_equal(orr_plan_start_in(plan, job, of(P100)), ORR_E_NOFIT);
    for (uint64_t types = V100; types <= K80; types *= 2) {
        const uint32_t mark = orr_plan_mark(plan);
        assert_int_equal(orr_plan_start_in(plan, job, of(types)), ORR_OK);
        const orr_slice *s = orr_alloc_slices(orr_plan_held(plan, job));
        assert_int_equal(orr_node_type(ctx, s->node), types == V100 ? 0 : 1);
        assert_int_equal(orr_scope_free(ctx, of(types)), 2);
        assert_int_equal(orr_scope_free(ctx, of(7 & ~types)), 5);
        if (types == V100)
            orr_plan_undo(plan, mark);
    }
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED || event->kind == ORR_EV_ENDED)
        *(orr_job **)orr_state(ctx) = event->kind == ORR_EV_SUBMITTED ? job : NULL;
}

ORR_POLICY(picks_types) = {.summary = "test",
                           .state_size = sizeof(orr_job *),
                           .know = {[ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
                           .schedule = schedule,
                           .on_job = on_job};

static double asks(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_speed_on(ctx, job, 0, false);
}

ORR_ORDER(asks_speeds) = {.summary = "test", .key = asks};

static orr_throughputs *table(void)
{
    static const char text[] = "model,gpus,gpu_type,steps_per_s,spread_steps_per_s,beside,beside_steps_per_s\n"
                               "net,2,v100,16,12,,\nnet,2,k80,4,,,\nnet,2,p100,8,2,,\nnet,2,v100,8,,net,8\n"
                               "net,2,k80,0,,net,0\n";
    orr_error e = {0};
    orr_input *in = orr_input_memory("by hand", text, sizeof text - 1);
    orr_throughputs *t = orr_throughputs_read(in, &e);
    orr_input_close(in);
    assert_non_null(t);
    return t;
}

static run *play(const char *policy, const orr_trace *trace, const orr_cluster_spec *spec, const orr_throughputs *t)
{
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_picks_types, NULL), ORR_OK);
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_asks_speeds, NULL), ORR_OK);
    orr_sim_options options = orr_sim_options_default();
    options.registry = registry;
    options.throughputs = t;
    run *r = run_try(trace, spec, policy, &options);
    orr_registry_destroy(registry);
    return r;
}

/* Every placer keeps inside a scope; two GPUs of a K80 node run at a quarter. */
static void scopes_and_speeds(void **state)
{
    (void)state;
    static const char *const placers[] = {"consolidate", "first-fit", "best-fit", "spread", "random", "consolidate-first",
                                          "topology", "fgd", "dot-product", "gpu-clustering", "gpu-packing", "skew"};
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 100, .model = "net"}};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *spec = nodes();
    orr_throughputs *t = table();
    for (size_t i = 0; i < RUN_COUNT(placers); i++) {
        char policy[64];
        snprintf(policy, sizeof policy, "picks-types+%s", placers[i]);
        run *r = play(policy, trace, spec, t);
        if (r->code == ORR_E_UNKNOWN_POLICY)
            fail_msg("%s", policy);
        run_ends(r, "A:400");
        assert_int_equal(r->used[ORR_Q_PROFILE], ORR_KNOW_PROFILED);
        run_free(r);
    }
    orr_throughputs_destroy(t);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

static void speeds_are_knowledge(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 100, .model = "net"}};
    orr_trace *trace = run_trace(jobs, 1);
    orr_cluster_spec *spec = nodes();
    run *r = play("asks-speeds", trace, spec, NULL);
    assert_int_equal(r->code, ORR_E_KNOWLEDGE);
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* ---- which type alone could host a gang -------------------------------------------------------------------------- */

static char hosts[512]; /* "A:VK/VKP ": of the VC's nodes, of all */

static void ask_hosts(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_job **waits = orr_state(ctx);
    if (event->kind != ORR_EV_SUBMITTED)
        return;
    *waits = job;
    snprintf(hosts + strlen(hosts), sizeof hosts - strlen(hosts), "%s%s:", *hosts ? " " : "", orr_job_id(job));
    for (int anywhere = 0; anywhere < 2; anywhere++) {
        for (int32_t type = 0; type < orr_cluster_types(ctx); type++)
            if (orr_type_hosts(ctx, job, type, anywhere))
                snprintf(hosts + strlen(hosts), sizeof hosts - strlen(hosts), "%c", *orr_type_name(ctx, type));
        snprintf(hosts + strlen(hosts), sizeof hosts - strlen(hosts), "%s", anywhere ? "" : "/");
    }
}

static orr_err start_it(orr_ctx *ctx, orr_plan *plan)
{
    orr_job **waits = orr_state(ctx);
    if (*waits)
        (void)orr_plan_start_in(plan, *waits, (orr_scope){.vc = orr_job_vc(*waits)});
    *waits = NULL;
    return ORR_OK;
}

ORR_POLICY(asks_hosts) = {.summary = "test", .state_size = sizeof(orr_job *), .schedule = start_it, .on_job = ask_hosts};

/* V100 x2 twice, K80 x4 with few cores, P100 x1; the last two of another VC. */
static orr_cluster_spec *hosting(bool vcs)
{
    static const struct {
        const char *type, *vc;
        int32_t gpus, cpus;
    } rows[] = {{"V100", "red", 2, 16}, {"V100", "red", 2, 16}, {"K80", "blue", 4, 4}, {"P100", "blue", 1, 16}};
    orr_cluster_spec *spec = orr_cluster_spec_create("hosts");
    for (size_t i = 0; i < RUN_COUNT(rows); i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = rows[i].gpus;
        n.gpu_type = rows[i].type;
        n.cpus = rows[i].cpus;
        n.vc = vcs ? rows[i].vc : "";
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return spec;
}

static void hosted(const char *policy, bool vcs, const run_job *jobs, size_t n, const char *expected)
{
    orr_trace *trace = run_trace(jobs, n);
    orr_cluster_spec *spec = hosting(vcs);
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_asks_hosts, NULL), ORR_OK);
    orr_sim_options options = orr_sim_options_default();
    options.registry = registry;
    options.until = 20 * ORR_SECOND;
    *hosts = '\0';
    run_free(run_try(trace, spec, policy, &options));
    assert_string_equal(hosts, expected);
    orr_registry_destroy(registry);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* By GPUs, over several nodes of the type if need be; by cores, too; and whether or not they are free: A holds all V100s
 * when the others come. */
static void gangs_that_a_type_alone_hosts(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "A", .gpus = 4, .duration = 100},
                                   {.id = "B", .submit = 1, .gpus = 1, .duration = 100},
                                   {.id = "C", .submit = 2, .gpus = 2, .duration = 100},
                                   {.id = "D", .submit = 3, .gpus = 4, .duration = 100},
                                   {.id = "E", .submit = 4, .gpus = 5, .duration = 100},
                                   {.id = "F", .submit = 5, .gpus = 2, .duration = 100, .cpus = 8}};
    hosted("asks-hosts", false, jobs, RUN_COUNT(jobs), "A:VK/VK B:VKP/VKP C:VK/VK D:VK/VK E:/ F:V/V");
}

/* In its VC's nodes, or in all. */
static void of_its_vc_or_anywhere(void **state)
{
    (void)state;
    static const run_job jobs[] = {{.id = "R", .gpus = 1, .duration = 100, .vc = "red"},
                                   {.id = "B", .submit = 1, .gpus = 2, .duration = 100, .vc = "blue"}};
    hosted("asks-hosts", true, jobs, RUN_COUNT(jobs), "R:V/VKP B:K/VK");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scopes_and_speeds), cmocka_unit_test(speeds_are_knowledge),
                                       cmocka_unit_test(gangs_that_a_type_alone_hosts),
                                       cmocka_unit_test(of_its_vc_or_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
