/* What would be: a policy's plan tried out on a serving of its own, with believed times and a sample of arrivals. */
#include "serve/serving.h"

#include <math.h>

/* A copy of the scenario in which nothing scatters, one service has a source, and executors are those of the plan. */
typedef struct scratch {
    orr_arena arena;
    orr_services services;
    orr_service *list;
    orr_exec_ask *executors;
    orr_world world;
} scratch;

static const orr_exec_profile *quiet_profiles(orr_arena *a, const orr_variant *v)
{
    orr_exec_profile *copy = orr_arena_alloc(a, (size_t)v->profile_count * sizeof *copy);
    for (int32_t i = 0; i < v->profile_count; i++) {
        copy[i] = v->profiles[i];
        copy[i].noise = (orr_jitter){ORR_SCATTER_NONE, 0};
        copy[i].measured_noise = false;
    }
    return copy;
}

static void copy_service(scratch *x, const orr_service *from, orr_service *to)
{
    orr_variant *variants = orr_arena_alloc(&x->arena, (size_t)from->variant_count * sizeof *variants);
    *to = *from;
    to->source = (orr_source){.kind = ORR_SOURCE_NONE};
    to->cache = (orr_result_cache){0};
    for (int32_t i = 0; i < from->variant_count; i++) {
        variants[i] = from->variants[i];
        variants[i].profiles = quiet_profiles(&x->arena, &from->variants[i]);
    }
    to->variants = variants;
}

static void copy_services(scratch *x, const orr_services *from)
{
    x->services = (orr_services){
        .name = from->name, .path = "", .digest = "", .count = from->count, .bandwidth = from->bandwidth};
    x->list = orr_arena_alloc(&x->arena, (size_t)from->count * sizeof *x->list);
    for (int32_t i = 0; i < from->count; i++)
        copy_service(x, &from->services[i], &x->list[i]);
    x->services.services = x->list;
}

static void set_source(scratch *x, orr_service_id root, const orr_time *arrivals, size_t n)
{
    orr_trace_request *list = orr_arena_alloc(&x->arena, (n + 1) * sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = (orr_trace_request){.id = "",
                                      .service = "",
                                      .client = "",
                                      .arrival = arrivals[i] - arrivals[0],
                                      .duration = ORR_TIME_NONE,
                                      .tokens_in = -1,
                                      .tokens_out = -1,
                                      .count = 1};
    x->list[root].source =
        (orr_source){.kind = ORR_SOURCE_LIST, .list = list, .listed = n, .speed = 1, .until = ORR_TIME_MAX};
}

static void set_executors(scratch *x, const orr_serving *s, const orr_try_row *rows, int32_t n)
{
    orr_hosted_ask *hosts = orr_arena_alloc(&x->arena, (size_t)n * sizeof *hosts);
    x->executors = orr_arena_alloc(&x->arena, (size_t)n * sizeof *x->executors);
    for (int32_t i = 0; i < n; i++) {
        const orr_sv_variant *v = &s->variants.at[rows[i].variant];
        hosts[i] = (orr_hosted_ask){v->service, rows[i].variant - s->services.at[v->service].first};
        x->executors[i] = (orr_exec_ask){.name = "",
                                         .gpu_type = rows[i].type < 0 ? "" : s->cluster->type_names[rows[i].type],
                                         .gpus = rows[i].gpus,
                                         .milli = rows[i].milli,
                                         .count = rows[i].count,
                                         .slots = 1,
                                         .market = "",
                                         .hosts = &hosts[i],
                                         .host_count = 1};
        orr_variant *mine = (orr_variant *)(uintptr_t)&x->list[v->service].variants[hosts[i].variant];
        mine->max_batch = rows[i].batch < v->spec->max_batch ? rows[i].batch : v->spec->max_batch;
    }
    x->services.executors = x->executors;
    x->services.executor_count = n;
}

static void read_result(const orr_serving *s, orr_service_id root, orr_try_result *out)
{
    const orr_service_counts c = orr_serving_count(s, root);
    out->arrived = c.arrived;
    out->answered = c.answered;
    out->in_time = c.answered - c.late;
    out->mean = orr_serving_mean(s, root, ORR_SERVING_LATENCY);
    out->p50 = orr_serving_quantile(s, root, ORR_SERVING_ALL, 0.5);
    out->p99 = orr_serving_quantile(s, root, ORR_SERVING_ALL, 0.99);
}

/* Batches as large as what waits. */
static const orr_batcher greedy = {.form = orr_form_all};

static orr_err run(scratch *x, orr_service_id root, orr_try_result *out)
{
    orr_error e = {0};
    orr_serving *s = orr_serving_create(&x->world, &x->services, NULL, "", NULL, &e);
    if (!s)
        return e.code == ORR_E_NOFIT ? ORR_E_NOFIT : ORR_E_MISSING;
    s->batcher = &greedy;
    orr_serving_run(s, ORR_TIME_MAX);
    orr_serving_close(s, s->now);
    read_result(s, root, out);
    orr_serving_destroy(s);
    return ORR_OK;
}

static bool legal(const orr_serving *s, orr_service_id root, const orr_try_row *rows, int32_t n, size_t count)
{
    bool fine = root >= 0 && (size_t)root < s->services.n && n > 0 && count > 0;
    for (int32_t i = 0; fine && i < n; i++)
        fine = rows[i].variant >= 0 && (size_t)rows[i].variant < s->variants.n && rows[i].batch >= 1 &&
               rows[i].count >= 0 && rows[i].type < s->cluster->gpu_types;
    return fine;
}

orr_err orr_serve_try(orr_ctx *ctx, orr_service_id root, const orr_try_row *rows, int32_t n, const orr_time *arrivals,
                      size_t count, orr_try_result *out)
{
    const orr_serving *s = ctx->serving;
    *out = (orr_try_result){.mean = NAN, .p50 = NAN, .p99 = NAN};
    if (!legal(s, root, rows, n, count))
        return ORR_E_BAD_VALUE;
    if (!orr_serving_may_use(ctx, ORR_SQ_EXEC, ORR_KNOW_PROFILED))
        return ORR_E_KNOWLEDGE;
    scratch x = {0};
    copy_services(&x, s->spec);
    set_source(&x, root, arrivals, count);
    set_executors(&x, s, rows, n);
    x.world = (orr_world){.spec = s->world->spec, .life = s->world->life, .seed = s->seed, .skip_violations = true};
    x.world.real = x.world.cluster = orr_cluster_create(s->world->spec, true);
    const orr_err err = run(&x, root, out);
    orr_cluster_destroy(x.world.real);
    orr_arena_fini(&x.arena);
    return err;
}

/* The same law under another seed: the same hours of another day. */
size_t orr_serve_sample(orr_ctx *ctx, orr_service_id service, orr_time span, orr_time *out, size_t most)
{
    const orr_serving *s = ctx->serving;
    const orr_service *spec = s->services.at[service].spec;
    size_t n = 0;
    orr_arrival a;
    if (spec->source.kind == ORR_SOURCE_NONE || spec->source.kind == ORR_SOURCE_CLOSED ||
        !orr_serving_may_use(ctx, ORR_SQ_RATE, ORR_KNOW_ORACLE))
        return 0;
    orr_pull *pull = orr_pull_create(spec, orr_mix64(s->seed + 1));
    while (n < most && orr_pull_peek(pull) != ORR_TIME_MAX && (n == 0 || orr_pull_peek(pull) - out[0] <= span)) {
        orr_pull_next(pull, &a);
        out[n++] = a.at;
    }
    orr_pull_destroy(pull);
    return n;
}
