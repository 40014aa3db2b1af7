#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

void small_world_init(small_world *w, double alpha, double beta, double rate, uint64_t limit, int32_t count)
{
    *w = (small_world){
        .profile = {.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = alpha, .beta = beta},
        .class_ = {.name = "all", .slo = ORR_TIME_MAX, .part = 1, .weight = 1},
        .exec = {.name = "", .gpu_type = "", .gpus = 1, .milli = 1000, .count = count, .slots = 1, .market = ""},
        .options = orr_sim_options_default(),
    };
    w->variant = (orr_variant){
        .name = "v", .accuracy = 1, .max_batch = 64, .profiles = &w->profile, .profile_count = 1};
    w->service = (orr_service){.name = "s",
                               .variants = &w->variant,
                               .variant_count = 1,
                               .classes = &w->class_,
                               .class_count = 1,
                               .timeout = ORR_TIME_MAX,
                               .source = {.kind = ORR_SOURCE_POISSON,
                                          .rate = rate,
                                          .limit = limit,
                                          .until = ORR_TIME_MAX,
                                          .speed = 1}};
    w->exec.hosts = &w->host;
    w->exec.host_count = 1;
    w->services = (orr_services){.name = "test",
                                 .path = "",
                                 .digest = "",
                                 .services = &w->service,
                                 .count = 1,
                                 .executors = &w->exec,
                                 .executor_count = 1};
}

const orr_serving *small_world_run(small_world *w, const char *serve, uint64_t seed)
{
    orr_error e = {0};
    if (!w->cluster)
        assert_non_null(w->cluster = orr_cluster_spec_load("nodes=8,gpus=8", NULL, &e));
    w->options.services = &w->services;
    w->options.serve = serve;
    w->options.serving_sink = &w->sink;
    w->options.seed = seed;
    orr_sim_destroy(w->sim);
    w->sim = orr_sim_create(NULL, w->cluster, &w->options, NULL, &e);
    if (!w->sim)
        fail_msg("%s", e.message);
    if (orr_sim_run(w->sim, &e))
        fail_msg("%s", e.message);
    return orr_sim_serving(w->sim);
}

void small_world_fini(small_world *w)
{
    orr_sim_destroy(w->sim);
    orr_cluster_spec_destroy(w->cluster);
}
