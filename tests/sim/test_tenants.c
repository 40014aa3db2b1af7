/* VCs that own no nodes: one pool for all, whatever the quotas, for policies that don't know them. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static orr_cluster_spec *two_tenants(void)
{
    orr_cluster_spec *spec = run_cluster("nodes=2,gpus=4");
    const orr_quota red = {.kind = ORR_QUOTA_GPUS, .gpus = 6}, blue = {.kind = ORR_QUOTA_GPUS, .gpus = 2};
    assert_int_equal(orr_cluster_spec_add_tenant(spec, "red", &red, NULL), ORR_OK);
    assert_int_equal(orr_cluster_spec_add_tenant(spec, "blue", &blue, NULL), ORR_OK);
    assert_int_equal(orr_cluster_spec_add_tenant(spec, "red", &blue, NULL), ORR_E_BAD_CLUSTER);
    return spec;
}

/* blue is given all 8 GPUs though it was promised 2, and red stands behind it in the one queue; a job of nobody's VC is
 * turned away. */
static void one_pool_and_one_queue(void **state)
{
    static const char *const policies[] = {"fifo", "fifo,vc=borrow", "fifo,vc=shared"};
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 8, .duration = 10, .vc = "blue"},
                            {.id = "B", .submit = 1, .gpus = 4, .duration = 10, .vc = "red"},
                            {.id = "C", .submit = 2, .gpus = 1, .duration = 10, .vc = "green"},
                            {.id = "D", .submit = 3, .gpus = 8, .duration = 5, .vc = "red"}};
    orr_trace *trace = run_trace(jobs, RUN_COUNT(jobs));
    orr_cluster_spec *spec = two_tenants();
    for (size_t i = 0; i < RUN_COUNT(policies); i++) {
        orr_sim_options options = orr_sim_options_default();
        options.reject_unknown_vc = true;
        run *r = run_policy(trace, spec, policies[i], &options);
        run_starts(r, "A:0 B:10 D:20");
        assert_int_equal(run_job_of(r, "C")->state, ORR_JOB_REJECTED);
        run_free(r);
    }
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* A VC's level counts against its quota, the total against the pool. */
typedef struct seen {
    int64_t quota[2], total, held[2];
} seen;

static void note_levels(void *self, orr_time at, const orr_levels *l)
{
    seen *s = self;
    (void)at;
    if (l->vc < 0) {
        s->total = l->gpus_total;
        return;
    }
    s->quota[l->vc] = l->gpus_total;
    if (l->milli_held > s->held[l->vc])
        s->held[l->vc] = l->milli_held;
}

static void levels_are_a_tenant_s(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 5, .duration = 10, .vc = "blue"},
                            {.id = "B", .gpus = 3, .duration = 10, .vc = "red"}};
    orr_trace *trace = run_trace(jobs, RUN_COUNT(jobs));
    orr_cluster_spec *spec = two_tenants();
    orr_sim_options options = orr_sim_options_default();
    orr_error e = {0};
    seen s = {0};
    options.policy = "fifo+first-fit";
    orr_sim *sim = orr_sim_create(trace, spec, &options, &(orr_sink){.self = &s, .levels = note_levels}, &e);
    if (!sim || orr_sim_run(sim, &e))
        fail_msg("%s", e.message);
    assert_int_equal(s.total, 8);
    assert_int_equal(s.quota[0], 6);
    assert_int_equal(s.quota[1], 2);
    assert_int_equal(s.held[0], 3000);
    assert_int_equal(s.held[1], 5000);
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_pool_and_one_queue),
                                       cmocka_unit_test(levels_are_a_tenant_s)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
