/* Services for tests, made in code: one service with one variant of a linear profile on GPUs of any type, unless the
 * test changes it. */
#ifndef TESTS_SERVE_WORLD_H
#define TESTS_SERVE_WORLD_H

#include <orrery/sim.h>

typedef struct small_world {
    orr_exec_profile profile;
    orr_variant variant;
    orr_slo_class class_;
    orr_service service;
    orr_hosted_ask host;
    orr_exec_ask exec;
    orr_services services;
    orr_sim_options options;
    orr_serving_sink sink;
    orr_sim *sim;
    orr_cluster_spec *cluster;
} small_world;

/* alpha + beta * batch seconds; Poisson arrivals of `rate` a second, `limit` of them; `count` executors of one whole
 * GPU each. Pointers point into *w: it must not move. */
void small_world_init(small_world *w, double alpha, double beta, double rate, uint64_t limit, int32_t count);
/* Runs it with these modules ("" : none) on a cluster with GPUs enough; asserts that it ends well. */
const orr_serving *small_world_run(small_world *w, const char *serve, uint64_t seed);
void small_world_fini(small_world *w);

#endif
