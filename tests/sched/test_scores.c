/* Scored placement finds what a look at every node finds, whatever came and went in between, and looks at few nodes. */
#define ORR_BUILTIN /* the module is registered by hand */
#include "run.h"

#include "sched/ctx.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct state_of_probe {
    orr_scores *scores;
    uint64_t asked;
} state_of_probe;

/* Nodes tie often; the third place is no room at all. */
static double score(orr_ctx *ctx, const orr_request *r, int32_t node)
{
    if (!orr_node_hosts(ctx, r, node))
        return -INFINITY;
    return (double)((orr_node_free_milli(ctx, node) / 500 * 7 + orr_node_cpu_free(ctx, node) / 4000 + r->gpus) % 5);
}

static int32_t by_looking(orr_ctx *ctx, const orr_request *r)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        const bool inside = r->scope.vc < 0 || orr_node_vc(ctx, i) == r->scope.vc;
        const double v = inside ? score(ctx, r, i) : -INFINITY;
        if (v > most) {
            most = v;
            best = i;
        }
    }
    return best;
}

static orr_err place(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    state_of_probe *s = orr_state(ctx);
    const int32_t node = orr_scores_best(s->scores, r);
    assert_int_equal(node, by_looking(ctx, r));
    if (s->asked++ % 97 == 0)
        orr_scores_renew(s->scores);
    return node < 0 ? ORR_E_NOFIT : orr_take_on_node(ctx, plan, r, node, out);
}

static orr_err init(orr_ctx *ctx)
{
    ((state_of_probe *)orr_state(ctx))->scores = orr_scores_create(ctx, score);
    return ORR_OK;
}

ORR_PLACER(probe) = {
    .summary = "scores, checked", .state_size = sizeof(state_of_probe), .init = init, .parts = true, .place = place};

static void add(orr_trace *trace, int i, int vcs)
{
    static const char *const names[] = {"", "red", "blue"};
    orr_trace_job job = orr_trace_job_default();
    job.submit = (orr_time)(rand() % 4000) * ORR_SECOND;
    job.duration = (orr_time)(1 + rand() % 300) * ORR_SECOND;
    job.gpus = rand() % 4;
    job.gpu_milli = job.gpus == 1 && rand() % 2 ? 250 * (1 + rand() % 3) : 1000;
    job.cpu_milli = 500 * (rand() % 8);
    job.vc = names[vcs ? 1 + i % 2 : 0];
    assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
}

static orr_cluster_spec *nodes(int n, int vcs)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("nodes");
    for (int i = 0; i < n; i++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = 1 + i % 4;
        node.cpus = 8;
        node.vc = vcs ? i % 3 ? "red" : "blue" : "";
        assert_int_equal(orr_cluster_spec_add(spec, &node, 1, NULL), ORR_OK);
    }
    return spec;
}

static void the_best_is_the_best(void **state)
{
    (void)state;
    srand(3);
    for (int vcs = 0; vcs < 2; vcs++) {
        orr_trace *trace = orr_trace_create("t");
        for (int i = 0; i < 600; i++)
            add(trace, i, vcs);
        assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
        orr_cluster_spec *spec = nodes(23, vcs);
        orr_registry *registry = orr_registry_create();
        orr_sim_options o = orr_sim_options_default();
        assert_int_equal(orr_registry_add(registry, &orr_module_place_probe, NULL), ORR_OK);
        o.registry = registry;
        run_free(run_policy(trace, spec, vcs ? "srtf,vc=borrow+probe" : "fifo,hol=skip+probe", &o));
        orr_registry_destroy(registry);
        orr_cluster_spec_destroy(spec);
        orr_trace_destroy(trace);
    }
}

/* Three kinds of request on 1,000 nodes: each kind looks at all of them twice, for its feasibility and when it is first
 * asked for, and from then on at those only that a placement has changed since. */
static void few_nodes_are_looked_at(void **state)
{
    (void)state;
    orr_trace *trace = orr_trace_create("t");
    for (int i = 0; i < 3000; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.submit = (orr_time)i * ORR_SECOND;
        job.duration = 1000000 * ORR_SECOND;
        job.gpus = 1 + i % 2;
        job.gpu_milli = i % 3 == 0 && job.gpus == 1 ? 500 : 1000;
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    orr_cluster_spec *spec = run_cluster("nodes=1000,gpus=8");
    run *r = run_policy(trace, spec, "fifo+dot-product", NULL);
    assert_true(r->counts.nodes_examined >= 6000 && r->counts.nodes_examined <= 6000 + 3 * 3000);
    run_free(r);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_the_best),
        cmocka_unit_test(few_nodes_are_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
