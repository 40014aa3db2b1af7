/* Small random worlds of services: from a seed, and without what a mask leaves out. */
#ifndef TESTS_LAWS_SERVICES_H
#define TESTS_LAWS_SERVICES_H

#include <orrery/sim.h>

enum { SW_SERVICES = 4, SW_VARIANTS = 3, SW_PROFILES = 3, SW_CLASSES = 2, SW_EXECS = 8, SW_POINTS = 4, SW_LISTED = 60 };

/* What a world may be made without: a world that breaks a law is shrunk by leaving out one after the other. */
typedef enum sw_trait {
    SW_EDGES, SW_TIMEOUTS, SW_BOUNDS, SW_CACHES, SW_MARKETS, SW_CONTENTION, SW_SLOTS, SW_SHARED_SLOTS, SW_NOISE, SW_MORE_CLASSES,
    SW_MORE_VARIANTS, SW_SOURCES, SW_STAGES, SW_OPS, SW_TABLES, SW_WARM_UP, SW_REPLY, SW_PHASES, SW_CALLS, SW_SLOS, SW_INPUTS, SW_TWINS,
    SW_SECOND, SW_THIRD, SW_FOURTH, SW_MANY, SW_SOME, SW_UNTIL, SW_TRAITS
} sw_trait;

/* Pointers point into it: it must not move. */
typedef struct services_world {
    uint64_t seed;
    uint32_t without; /* 1 << sw_trait */
    orr_exec_profile profiles[SW_SERVICES][SW_VARIANTS][SW_PROFILES];
    orr_exec_point points[SW_SERVICES][SW_VARIANTS][SW_PROFILES][SW_POINTS];
    orr_variant variants[SW_SERVICES][SW_VARIANTS];
    orr_slo_class classes[SW_SERVICES][SW_CLASSES];
    orr_service_edge edges[SW_SERVICES][SW_SERVICES];
    orr_service services[SW_SERVICES];
    orr_trace_request listed[SW_SERVICES][SW_LISTED];
    orr_hosted_ask hosts[SW_EXECS][SW_SERVICES * SW_VARIANTS];
    orr_exec_ask execs[SW_EXECS];
    orr_market markets[2];
    orr_contention contention[2];
    orr_services all;
    orr_time until;
} services_world;

/* One to four services; their variants have lines, tables, pipelines and operators, alone or beside each other on shares of GPUs; some
 * ask each other. All are hosted somewhere. Runs on "nodes=4,gpus=8,type=V100". */
void services_world_make(services_world *w, uint64_t seed, uint32_t without);
const char *sw_trait_name(sw_trait trait);

#endif
