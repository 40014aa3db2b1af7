/* Serving: requests a second of CPU.
 *
 * usage: bench_serving [CASE]...   cases: fifo, eager, aimd, aimd-eager, many, day (a tenth of a day of 10,000 requests/s over 1,000 services)
 * Prints requests, CPU seconds, requests a second of CPU, events.
 */
#define _POSIX_C_SOURCE 200809L

#include <orrery/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1000 };

typedef struct bench_case {
    const char *name, *serve;
    int32_t services, executors;
    double alpha, beta, rate; /* of each service */
    uint64_t limit;
} bench_case;

static const bench_case cases[] = {
    {"fifo", "", 1, 1, 0.0008, 0, 1000, 20000000},
    {"eager", "round-robin", 1, 1, 0.0008, 0, 1000, 5000000},
    {"aimd", "aimd", 1, 1, 0.002, 0.0005, 1500, 20000000},
    {"aimd-eager", "aimd+round-robin", 1, 1, 0.002, 0.0005, 1500, 5000000},
    {"many", "", 1000, 1000, 0.0008, 0, 1000, 10000},
    {"day", "", 1000, 1000, 0.02, 0.01, 10, 86400},
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

typedef struct world {
    orr_exec_profile profile;
    orr_variant variant;
    orr_slo_class class_;
    orr_service services[MOST];
    orr_hosted_ask hosts[MOST];
    orr_exec_ask execs[MOST];
    char names[MOST][16];
    orr_services all;
} world;

static void fill(world *w, const bench_case *c)
{
    memset(w, 0, sizeof *w);
    w->profile = (orr_exec_profile){.gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = c->alpha, .beta = c->beta};
    w->variant = (orr_variant){.name = "v", .accuracy = 1, .max_batch = 256, .profiles = &w->profile, .profile_count = 1};
    w->class_ = (orr_slo_class){.name = "all", .slo = 50000000, .part = 1, .weight = 1};
    for (int32_t i = 0; i < c->services; i++) {
        snprintf(w->names[i], sizeof w->names[i], "s%05d", (int)i);
        w->services[i] = (orr_service){
            .name = w->names[i], .variants = &w->variant, .variant_count = 1, .classes = &w->class_, .class_count = 1, .timeout = ORR_TIME_MAX,
            .source = {.kind = ORR_SOURCE_POISSON, .rate = c->rate, .limit = c->limit, .until = ORR_TIME_MAX, .speed = 1}};
        w->hosts[i] = (orr_hosted_ask){.service = i};
        w->execs[i] = (orr_exec_ask){.name = "", .gpu_type = "", .gpus = 1, .milli = 1000, .count = c->executors / c->services, .slots = 1,
                                     .market = "", .hosts = &w->hosts[i], .host_count = 1};
    }
    w->all = (orr_services){.name = "bench", .path = "", .digest = "", .services = w->services, .count = c->services, .executors = w->execs,
                            .executor_count = c->services};
}

static int run(const bench_case *c)
{
    static world w; /* large */
    orr_error e = {0};
    orr_sim_options options = orr_sim_options_default();
    fill(&w, c);
    options.services = &w.all;
    options.serve = c->serve;
    orr_cluster_spec *cluster = orr_cluster_spec_load("nodes=128,gpus=8", NULL, &e);
    orr_sim *sim = cluster ? orr_sim_create(NULL, cluster, &options, NULL, &e) : NULL;
    const double before = cpu_seconds();
    if (!sim || orr_sim_run(sim, &e)) {
        fprintf(stderr, "%s: %s\n", c->name, e.message);
        return 1;
    }
    const double took = cpu_seconds() - before;
    const orr_service_counts n = orr_serving_count(orr_sim_serving(sim), -1);
    printf("%-11s %9llu requests %8.3f s %7.2f M/s %6.1f ns %9llu batches %9llu events, mean %.6f s\n", c->name, (unsigned long long)n.arrived,
           took, (double)n.arrived / took / 1e6, took / (double)n.arrived * 1e9, (unsigned long long)n.batches,
           (unsigned long long)orr_serving_events(orr_sim_serving(sim)), orr_serving_mean(orr_sim_serving(sim), -1, ORR_SERVING_LATENCY));
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(cluster);
    return 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool asked = argc == 1;
        for (int k = 1; k < argc; k++)
            asked |= strcmp(argv[k], cases[i].name) == 0;
        if (asked && run(&cases[i]))
            return 1;
    }
    return 0;
}
