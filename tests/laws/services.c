#include "services.h"

#include "base/rng.h"

#include <string.h>

typedef struct dice {
    uint64_t x;
} dice;

static int throw_(dice *d, int below)
{
    d->x = orr_mix64(d->x + 1);
    return (int)((d->x >> 16) % (uint64_t)below);
}

static bool one_in(dice *d, int n)
{
    return throw_(d, n) == 0;
}

/* The dice are thrown whether the trait is left out or not: what is left stays as it was. */
static bool has(const services_world *w, sw_trait trait, bool thrown)
{
    return thrown && !(w->without >> trait & 1);
}

const char *sw_trait_name(sw_trait trait)
{
    static const char *const names[SW_TRAITS] = {"edges",
                                                 "timeouts",
                                                 "bounds",
                                                 "caches",
                                                 "markets",
                                                 "contention",
                                                 "slots",
                                                 "shared slots",
                                                 "noise",
                                                 "more classes",
                                                 "more variants",
                                                 "sources",
                                                 "stages",
                                                 "operators",
                                                 "tables",
                                                 "warm-up",
                                                 "reply",
                                                 "phases",
                                                 "calls",
                                                 "SLOs",
                                                 "inputs",
                                                 "twins",
                                                 "a second service",
                                                 "a third",
                                                 "a fourth",
                                                 "many requests",
                                                 "some requests",
                                                 "an end"};
    return names[trait];
}

/* ---- how long ---------------------------------------------------------------------------------------------------- */

static const double split[2] = {0.25, 0.75},
                    stages[SW_POINTS][2] = {{0.004, 0.006}, {0.005, 0.010}, {0.011, 0.013}, {0.020, 0.030}};

static void make_points(orr_exec_profile *p, orr_exec_point *at, dice *d)
{
    p->points = at;
    p->point_count = SW_POINTS;
    for (int i = 0; i < SW_POINTS; i++) {
        at[i].batch = 1 << i;
        at[i].mean = p->kind == ORR_EXEC_STAGES ? stages[i][0] + stages[i][1] : 0.001 * (3 + throw_(d, 30));
        at[i].deviation = at[i].mean / 10;
        at[i].stages = p->kind == ORR_EXEC_STAGES ? stages[i] : NULL;
    }
}

static void make_profile(const services_world *w, orr_exec_profile *p, orr_exec_point *at, dice *d)
{
    static const orr_jitter noises[] = {
        {ORR_SCATTER_EXPONENTIAL, 1}, {ORR_SCATTER_GAMMA, 0.5}, {ORR_SCATTER_LOGNORMAL, 2}, {ORR_SCATTER_NORMAL, 0.2}};
    *p = (orr_exec_profile){.gpu_type = one_in(d, 2) ? "V100" : "", .milli = 250, .gpus = 1};
    p->alpha = 0.001 * (1 + throw_(d, 20));
    p->beta = one_in(d, 4) ? 0 : 0.0005 * (1 + throw_(d, 20));
    const int kind = throw_(d, 4);
    if (has(w, SW_TABLES, kind == 1) || has(w, SW_OPS, kind == 2))
        p->kind = kind == 1 ? ORR_EXEC_TABLE : ORR_EXEC_OPS;
    p->interpolate = one_in(d, 2);
    const orr_jitter noise = noises[throw_(d, 4)];
    if (has(w, SW_NOISE, one_in(d, 2)))
        p->noise = noise;
    if (p->kind != ORR_EXEC_LINEAR)
        make_points(p, at, d);
    if (p->kind != ORR_EXEC_OPS)
        return;
    p->ops = split;
    p->op_count = 2;
}

static void make_variant(services_world *w, int s, int v, dice *d)
{
    static const char *const names[] = {"large", "medium", "small"};
    orr_variant *x = &w->variants[s][v];
    *x = (orr_variant){.name = names[v],
                       .accuracy = 0.9 - 0.1 * v,
                       .max_batch = 1 << throw_(d, 4),
                       .profiles = w->profiles[s][v],
                       .profile_count = 1};
    make_profile(w, &w->profiles[s][v][0], w->points[s][v][0], d);
    const orr_time load = (orr_time)throw_(d, 200) * ORR_MS, call = (orr_time)(1 + throw_(d, 50)) * ORR_MS;
    if (has(w, SW_PHASES, one_in(d, 2)))
        x->load = load;
    if (has(w, SW_CALLS, one_in(d, 3))) {
        x->call = call;
        x->cost = 0.001;
    }
    if (!has(w, SW_STAGES, one_in(d, 4)))
        return;
    orr_exec_profile *p = &w->profiles[s][v][x->profile_count++];
    *p = (orr_exec_profile){.gpu_type = "", .milli = 1000, .gpus = 2, .kind = ORR_EXEC_STAGES, .stage_count = 2};
    make_points(p, w->points[s][v][1], d);
}

/* ---- who asks ---------------------------------------------------------------------------------------------------- */

static void make_list(services_world *w, int s, dice *d)
{
    orr_time at = 0;
    for (int i = 0; i < SW_LISTED; i++) {
        at += one_in(d, 4) ? 0 : (orr_time)throw_(d, 20) * ORR_MS; /* some at the same time */
        w->listed[s][i] = (orr_trace_request){.id = "",
                                              .service = "",
                                              .client = "",
                                              .arrival = at,
                                              .duration = ORR_TIME_NONE,
                                              .tokens_in = -1,
                                              .tokens_out = -1,
                                              .count = 1};
    }
    w->services[s].source.list = w->listed[s];
    w->services[s].source.listed = SW_LISTED;
}

static void make_source(services_world *w, int s, dice *d)
{
    static const double rates[] = {20, 200}, stays[] = {0.3, 0.1};
    static const uint64_t counts[] = {3, 0, 20, 7, 1};
    orr_source *x = &w->services[s].source;
    *x = (orr_source){.kind = ORR_SOURCE_REGULAR,
                      .rate = 20 + throw_(d, 200),
                      .cv = one_in(d, 2) ? 0.5 : 2,
                      .rates = rates,
                      .stays = stays,
                      .states = 2,
                      .counts = counts,
                      .bins = 5,
                      .bin = 200 * ORR_MS,
                      .swing = 0.8,
                      .period = ORR_SECOND,
                      .until = ORR_TIME_MAX,
                      .speed = 1};
    x->clients = 1 + throw_(d, 12);
    x->think = one_in(d, 3) ? 0 : (orr_time)throw_(d, 40) * ORR_MS;
    x->think_spread = (orr_jitter){one_in(d, 2) ? ORR_SCATTER_EXPONENTIAL : ORR_SCATTER_NONE, 1};
    x->within = (orr_bin_law)throw_(d, 3);
    x->limit = 20 + (uint64_t)throw_(d, 130);
    const int kind = 1 + throw_(d, ORR_SOURCE_KINDS - 1);
    if (has(w, SW_SOURCES, true))
        x->kind = (orr_source_kind)kind;
    make_list(w, s, d);
    if (w->without >> SW_MANY & 1)
        x->limit = x->limit / 4;
    if (w->without >> SW_SOME & 1)
        x->limit = x->limit > 5 ? 5 : x->limit;
    const int inputs = 2 + throw_(d, 30);
    if (has(w, SW_INPUTS, one_in(d, 2))) {
        x->inputs = (uint64_t)inputs;
        x->zipf = 0.8;
    }
}

/* ---- services ---------------------------------------------------------------------------------------------------- */

static void make_classes(services_world *w, int s, dice *d)
{
    orr_service *x = &w->services[s];
    const orr_time tight = (orr_time)(10 + throw_(d, 200)) * ORR_MS;
    const bool slos = has(w, SW_SLOS, !one_in(d, 4));
    w->classes[s][0] =
        (orr_slo_class){.name = "tight", .slo = slos ? tight : ORR_TIME_MAX, .part = 1, .priority = 2, .weight = 3};
    w->classes[s][1] = (orr_slo_class){
        .name = "loose", .slo = slos && one_in(d, 2) ? 4 * tight : ORR_TIME_MAX, .part = 0.25, .weight = 1};
    x->classes = w->classes[s];
    x->class_count = 1;
    if (has(w, SW_MORE_CLASSES, one_in(d, 2))) {
        w->classes[s][0].part = 0.75;
        x->class_count = 2;
    }
}

static void make_limits(services_world *w, orr_service *x, dice *d)
{
    const int64_t bound = 1 + throw_(d, 12);
    const orr_time timeout = (orr_time)(5 + throw_(d, 100)) * ORR_MS, reply = (orr_time)throw_(d, 5) * ORR_MS;
    const orr_time container = (orr_time)throw_(d, 300) * ORR_MS;
    const int64_t items = 1 + throw_(d, 10);
    x->bound = has(w, SW_BOUNDS, one_in(d, 3)) ? bound : 0;
    x->timeout = has(w, SW_TIMEOUTS, one_in(d, 3)) ? timeout : ORR_TIME_MAX;
    x->retries = throw_(d, 3);
    x->reply = has(w, SW_REPLY, one_in(d, 3)) ? reply : 0;
    x->container = has(w, SW_PHASES, one_in(d, 2)) ? container : 0;
    x->alike = one_in(d, 2) ? 0.3 : 0;
    if (has(w, SW_CACHES, one_in(d, 4)))
        x->cache = (orr_result_cache){.items = items, .hit = one_in(d, 2) ? ORR_MS : 0};
}

static void make_edges(services_world *w, int s, int count, dice *d)
{
    static const double fans[] = {1, 0.5, 1.7, 2};
    orr_service *x = &w->services[s];
    x->edges = w->edges[s];
    for (int to = s + 1; to < count; to++) {
        const orr_service_edge edge = {.to = to, .fan_out = fans[throw_(d, 4)], .bytes = one_in(d, 2) ? 100000 : 0,
                                       .budget = one_in(d, 3) ? 50 * ORR_MS : ORR_TIME_MAX};
        if (has(w, SW_EDGES, one_in(d, 3)))
            w->edges[s][x->edge_count++] = edge;
    }
}

static void make_service(services_world *w, int s, dice *d)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    orr_service *x = &w->services[s];
    *x = (orr_service){.name = names[s], .variants = w->variants[s], .variant_count = 1};
    const int variants = 1 + throw_(d, SW_VARIANTS);
    x->variant_count = has(w, SW_MORE_VARIANTS, true) ? variants : 1;
    for (int v = 0; v < SW_VARIANTS; v++)
        make_variant(w, s, v, d);
    make_classes(w, s, d);
    make_limits(w, x, d);
    make_source(w, s, d);
}

/* ---- executors --------------------------------------------------------------------------------------------------- */

static orr_exec_ask *another(services_world *w)
{
    const int i = w->all.executor_count++;
    w->execs[i] = (orr_exec_ask){.name = "",
                                 .gpu_type = "",
                                 .gpus = 1,
                                 .milli = 1000,
                                 .count = 1,
                                 .slots = 1,
                                 .market = "",
                                 .hosts = w->hosts[i]};
    return &w->execs[i];
}

static void host(services_world *w, orr_exec_ask *e, int s, int v)
{
    w->hosts[e - w->execs][e->host_count++] = (orr_hosted_ask){s, v};
}

/* All variants of a service on one executor each, on shares of one, or all services together. */
static void make_executors(services_world *w, dice *d)
{
    const int common = throw_(d, 4);
    for (int s = 0; s < w->all.count; s++) {
        orr_exec_ask *e = common == 0 && s > 0 ? &w->execs[0] : another(w);
        const int slots = 1 + throw_(d, 3), count = 1 + throw_(d, 2), share = throw_(d, 3);
        if (has(w, SW_SLOTS, one_in(d, 3)))
            e->slots = slots;
        e->shared_slots = has(w, SW_SHARED_SLOTS, one_in(d, 2));
        e->count = has(w, SW_TWINS, true) ? count : 1;
        if (has(w, SW_CONTENTION, share == 0))
            e->milli = 500;
        if (has(w, SW_MARKETS, one_in(d, 4)))
            e->market = "spot";
        for (int v = 0; v < w->services[s].variant_count; v++)
            host(w, e, s, v);
    }
    for (int s = 0; s < w->all.count; s++)
        for (int v = 0; v < w->services[s].variant_count && w->all.executor_count < SW_EXECS; v++)
            if (w->variants[s][v].profile_count > 1) {
                orr_exec_ask *e = another(w);
                e->gpus = 2;
                host(w, e, s, v);
            }
}

void services_world_make(services_world *w, uint64_t seed, uint32_t without)
{
    dice d = {orr_mix64(seed ^ 0x5e7)};
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->without = without;
    int count = 1 + throw_(&d, SW_SERVICES);
    for (int i = 3; i > 0; i--)
        if (without >> (SW_SECOND + i - 1) & 1)
            count = count > i ? i : count;
    w->all = (orr_services){
        .name = "laws", .path = "", .digest = "", .services = w->services, .executors = w->execs, .count = count};
    for (int s = 0; s < SW_SERVICES; s++)
        make_service(w, s, &d);
    for (int s = 0; s < SW_SERVICES; s++)
        make_edges(w, s, count, &d);
    for (int s = 1; s < count; s++) /* some are asked by others alone */
        for (int by = 0; by < s; by++)
            for (int k = 0; k < w->services[by].edge_count; k++)
                if (w->edges[by][k].to == s && seed % 2)
                    w->services[s].source.kind = ORR_SOURCE_NONE;
    make_executors(w, &d);
    w->contention[0] = (orr_contention){"", "", 1.5};
    w->all.contention = w->contention;
    w->all.contention_count = has(w, SW_CONTENTION, one_in(&d, 2));
    w->markets[0] =
        (orr_market){.name = "spot", .gpu_type = "", .price = 1, .mean_life = ORR_SECOND, .notice = 100 * ORR_MS};
    w->markets[1] = (orr_market){.name = "on-demand", .gpu_type = "", .price = 3, .mean_life = ORR_TIME_MAX};
    w->all.markets = w->markets;
    w->all.market_count = 2;
    w->all.warm_up = has(w, SW_WARM_UP, one_in(&d, 3)) ? 300 * ORR_MS : 0;
    w->all.bandwidth = one_in(&d, 2) ? 1e7 : 0;
    w->all.preempt_save = one_in(&d, 2) ? ORR_MS : 0;
    w->until = has(w, SW_UNTIL, one_in(&d, 4)) ? 700 * ORR_MS : ORR_TIME_MAX;
}
