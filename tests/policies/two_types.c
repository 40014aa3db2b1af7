#include "two_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

orr_cluster_spec *two_types(int32_t a, int32_t b)
{
    const orr_node_spec of_a = {.gpu_type = "A", .gpus = a, .sockets = 1, .vc = "", .rack = ""};
    const orr_node_spec of_b = {.gpu_type = "B", .gpus = b, .sockets = 1, .vc = "", .rack = ""};
    orr_cluster_spec *spec = orr_cluster_spec_create("two types");
    orr_error e;
    assert_int_equal(orr_cluster_spec_add(spec, &of_a, 1, &e), ORR_OK);
    if (b)
        assert_int_equal(orr_cluster_spec_add(spec, &of_b, 1, &e), ORR_OK);
    return spec;
}

ran two_types_run(const char *table, orr_trace *trace, int32_t a, int32_t b, const char *policy)
{
    orr_error e;
    orr_sim_options options = orr_sim_options_default();
    orr_throughputs *speeds = orr_throughputs_load(table, &e);
    assert_non_null(speeds);
    options.throughputs = speeds;
    orr_cluster_spec *spec = two_types(a, b);
    ran it = {run_policy(trace, spec, policy, &options), trace};
    orr_cluster_spec_destroy(spec);
    orr_throughputs_destroy(speeds);
    return it;
}

void ran_free(ran *it)
{
    run_free(it->r);
    orr_trace_destroy(it->trace);
}
