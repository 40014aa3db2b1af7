/* Files of services: what they say, member by member and worked out by hand, and what is refused with its place. */
#define _GNU_SOURCE
#include "config/services.h"

#include "config/presets.h"
#include "given.h"
#include "report/service_facts.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define HEAD "schema: orrery.services/1\n"
#define V "variants: [{name: m, max_batch: 8, profile: {alpha: 5ms, beta: 1ms}}]"
/* One service in a line; its keys follow. */
#define S "services:\n  - name: s\n    " V "\n"

static orr_services *read_from(const char *text, const char *folder, orr_error *e)
{
    orr_input *in = orr_input_memory("given", text, strlen(text));
    orr_services *all = orr_services_read(in, folder, e);
    orr_input_close(in);
    return all;
}

static orr_services *must_services(const char *text, const char *folder)
{
    orr_error e = {0};
    orr_services *all = read_from(text, folder, &e);
    if (!all)
        fail_msg("%s:%d:%d %s (%s) %s", e.file, e.line, e.column, e.message, e.text, e.hint);
    return all;
}

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%.17g, not %.17g", got, wanted);
}

static const orr_exec_profile *first_profile(const orr_services *all)
{
    return &all->services[0].variants[0].profiles[0];
}

/* ---- what a file says ---- */

static void the_shortest(void **state)
{
    (void)state;
    orr_services *all = must_services(HEAD S, "");
    const orr_service *s = all->services;
    assert_int_equal(all->count, 1);
    assert_string_equal(all->name, "given");
    assert_string_equal(all->path, "given");
    assert_int_equal(strlen(all->digest), 64);
    assert_int_equal(s->class_count, 1);
    assert_true(s->classes[0].slo == ORR_TIME_MAX && s->classes[0].part == 1 && s->classes[0].weight == 1);
    assert_true(s->timeout == ORR_TIME_MAX && s->bound == 0 && s->retries == 1 && s->edge_count == 0 &&
                s->cache.items == 0);
    assert_int_equal(s->source.kind, ORR_SOURCE_NONE);
    assert_true(s->source.speed == 1 && s->source.until == ORR_TIME_MAX);
    assert_true(isnan(s->variants[0].accuracy) && s->variants[0].max_batch == 8 && s->variants[0].bytes == 0);
    assert_int_equal(first_profile(all)->kind, ORR_EXEC_LINEAR);
    assert_true(first_profile(all)->milli == 1000 && first_profile(all)->gpus == 1 && !first_profile(all)->gpu_type[0]);
    assert_true(all->store.bandwidth == 0 && all->store.channels == 1 && all->executor_count == 0);
    assert_int_equal(s->said.line, 3);
    assert_int_equal(all->note_count, 1); /* nobody asks */
    orr_services_destroy(all);
}

static void every_key_of_a_service(void **state)
{
    (void)state;
    orr_services *all = must_services(
        HEAD "name: n\nwarm_up: 10s\npreempt_save: 2ms\nbandwidth: 100MB/s\n"
             "store: {bandwidth: 12GB/s, channels: 2, page: 16MiB, capacity: 23GB}\n"
             "markets: [{name: spot, type: T4, price: 0.9, mean_life: 4h, notice: 2m}, {name: spot, price: 1}]\n"
             "services:\n"
             "  - name: z\n"
             "    classes: [{name: gold, slo: 50ms, part: 0.25, priority: 2, weight: 3}, {name: tin, part: 0.75}]\n"
             "    bound: 100\n    timeout: 1s\n    retries: 4\n    alike: 0.5\n"
             "    cache: {items: 10, bytes: 1MiB, item_bytes: 1KiB, hit: 1ms}\n"
             "    start: {machine: 30s, container: 5s}\n"
             "    to: [{service: a, fan_out: 1.5, bytes: 2kB, budget: 20ms}]\n"
             "    arrivals: {kind: regular, rate: 90/min, limit: 7, from: 1s, until: 9s, tokens: {in: 100, out: 20, "
             "in_spread: "
             "exponential, out_spread: {law: normal, cv: 0.25}}, inputs: {count: 50, zipf: 0.9}}\n"
             "    variants:\n"
             "      - {name: big, accuracy: 0.9, weights: 1GB, item_memory: 1MB, max_batch: 4, load: 2s, cost: 0.5, "
             "call: 80ms, profile: {alpha: 1ms, share: 0.5}}\n"
             "      - {name: small, max_batch: 4, profile: {beta: 250us, share: 0.2}}\n"
             "  - {name: a, variants: [{name: m, max_batch: 8, profile: {alpha: 5ms, share: 0.5}}], cache: {bytes: "
             "10kB, item_bytes: 3kB}}\n"
             "nodes: [{nodes: [n1, n3..n4], type: V100}, {count: 2}]\n"
             "contention: [{a: z/big, b: a/m, slowdown: 1.3}, {b: job, slowdown: 2}]\n"
             "executors:\n"
             "  - {name: e, type: V100, share: 0.5, slots: 2, shared_slots: on, count: 3, market: spot, hosts: [z/small, z/big, a]}\n",
        "");
    const orr_service *z = &all->services[1]; /* by name */
    assert_string_equal(all->services[0].name, "a");
    assert_true(all->warm_up == 10 * ORR_SECOND && all->preempt_save == 2 * ORR_MS && all->bandwidth == 1e8);
    assert_true(all->store.bandwidth == 12e9 && all->store.channels == 2 && all->store.page == 16 << 20 &&
                all->store.capacity == 23000000000);
    assert_int_equal(all->market_count, 2);
    assert_true(all->markets[0].mean_life == 4 * ORR_HOUR && all->markets[0].notice == 2 * ORR_MINUTE &&
                all->markets[1].mean_life == ORR_TIME_MAX);
    assert_int_equal(z->class_count, 2);
    assert_true(z->classes[0].slo == 50 * ORR_MS && z->classes[0].priority == 2 && z->classes[0].weight == 3 &&
                z->classes[1].part == 0.75);
    assert_true(z->bound == 100 && z->timeout == ORR_SECOND && z->retries == 4 && z->alike == 0.5);
    assert_true(z->cache.items == 10 && z->cache.bytes == 1 << 20 && z->cache.item_bytes == 1024 &&
                z->cache.hit == ORR_MS);
    assert_int_equal(all->services[0].cache.items, 3); /* as fit */
    assert_true(z->machine == 30 * ORR_SECOND && z->container == 5 * ORR_SECOND);
    assert_int_equal(z->edge_count, 1);
    assert_true(z->edges[0].to == 0 && z->edges[0].fan_out == 1.5 && z->edges[0].bytes == 2000 &&
                z->edges[0].budget == 20 * ORR_MS);
    near(z->source.rate, 1.5);
    assert_true(z->source.limit == 7 && z->source.from == ORR_SECOND && z->source.until == 9 * ORR_SECOND);
    assert_true(z->source.tokens_in == 100 && z->source.in_spread.law == ORR_SCATTER_EXPONENTIAL &&
                z->source.in_spread.cv == 1);
    assert_true(z->source.out_spread.law == ORR_SCATTER_NORMAL && z->source.out_spread.cv == 0.25);
    assert_true(z->source.inputs == 50 && z->source.zipf == 0.9);
    assert_true(z->variants[0].accuracy == 0.9 && z->variants[0].bytes == 1000000000 &&
                z->variants[0].item_bytes == 1000000);
    assert_true(z->variants[0].load == 2 * ORR_SECOND && z->variants[0].cost == 0.5 &&
                z->variants[0].call == 80 * ORR_MS);
    assert_true(z->variants[1].profiles[0].beta == 0.00025 && z->variants[0].profiles[0].alpha == 0.001);
    assert_true(all->nodes_count == 2 && all->nodes[0].name_count == 2 && all->nodes[1].count == 2 && !all->nodes[1].names);
    assert_true(strcmp(all->nodes[0].names[1], "n3..n4") == 0 && strcmp(all->nodes[0].type, "V100") == 0);
    assert_int_equal(all->contention_count, 2);
    assert_true(strcmp(all->contention[0].a, "z/big") == 0 && strcmp(all->contention[1].b, "job") == 0 &&
                !all->contention[1].a[0]);
    const orr_exec_ask *e = all->executors;
    assert_int_equal(all->executor_count, 1);
    assert_true(e->milli == 500 && e->slots == 2 && e->shared_slots && e->count == 3 && e->gpus == 1 && strcmp(e->market, "spot") == 0);
    assert_int_equal(e->host_count, 3);
    assert_true(e->hosts[0].service == 1 && e->hosts[0].variant == 1 && e->hosts[1].variant == 0 &&
                e->hosts[2].service == 0);
    assert_int_equal(all->note_count, 0);
    orr_services_destroy(all);
}

/* A slice is the share of the compute that it is, of the type that is stated, or of an A100. */
static void slices(void **state)
{
    (void)state;
    orr_services *all =
        must_services(HEAD "mig_change: 7s\n"
                           "services: [{name: s, variants: [{name: m, max_batch: 1, profiles: [{slice: 1g, alpha: 2ms}, "
                           "{slice: 2g, type: A30, alpha: 3ms}]}]}]\n"
                           "executors: [{hosts: s, slice: 3g.40gb}, {hosts: s, slice: 2g, type: A30}]\n",
                      "");
    assert_true(all->mig_change == 7 * ORR_SECOND);
    assert_int_equal(all->services[0].variants[0].profiles[0].milli, 142);
    assert_int_equal(all->services[0].variants[0].profiles[1].milli, 500);
    assert_int_equal(all->executors[0].milli, 428);
    assert_string_equal(all->executors[0].slice, "3g.40gb");
    assert_int_equal(all->executors[1].milli, 500);
    orr_services_destroy(all);
}

static const orr_source *source_of(const char *arrivals, orr_services **all)
{
    char text[1024];
    snprintf(text, sizeof text, HEAD S "    arrivals: %s\n", arrivals);
    *all = must_services(text, "");
    return &(*all)->services[0].source;
}

static void who_asks(void **state)
{
    (void)state;
    orr_services *all;
    const orr_source *s = source_of("{kind: gamma, rate: 3/s, cv: 2}", &all);
    assert_true(s->kind == ORR_SOURCE_GAMMA && s->rate == 3 && s->cv == 2);
    orr_services_destroy(all);
    s = source_of("{kind: mmpp, rates: [0, 40/s], stays: [2s, 500ms]}", &all);
    assert_true(s->kind == ORR_SOURCE_MMPP && s->states == 2 && s->rates[1] == 40 && s->stays[1] == 0.5);
    near(orr_source_mean_rate(s), 8);
    orr_services_destroy(all);
    s = source_of("{kind: closed, clients: 16, think: 10ms, think_spread: {law: gamma, cv: 0.5}}", &all);
    assert_true(s->kind == ORR_SOURCE_CLOSED && s->clients == 16 && s->think == 10 * ORR_MS &&
                s->think_spread.cv == 0.5);
    assert_true(isnan(orr_source_mean_rate(s)));
    orr_services_destroy(all);
    s = source_of("{kind: counts, values: [3, 0, 9], bin: 2s, within: gamma, cv: 3, speed: 2}", &all);
    assert_true(s->kind == ORR_SOURCE_COUNTS && s->bins == 3 && s->counts[2] == 9 && s->bin == 2 * ORR_SECOND);
    assert_true(s->within == ORR_BIN_GAMMA && s->cv == 3);
    near(orr_source_mean_rate(s), 4);
    orr_services_destroy(all);
    s = source_of("{kind: diurnal, rate: 10, swing: 0.5, period: 1h, phase: 5m}", &all);
    assert_true(s->kind == ORR_SOURCE_DIURNAL && s->swing == 0.5 && s->period == ORR_HOUR &&
                s->phase == 5 * ORR_MINUTE);
    orr_services_destroy(all);
    s = source_of("{kind: none}", &all);
    assert_int_equal(s->kind, ORR_SOURCE_NONE);
    orr_services_destroy(all);
}

/* ---- profiles ---- */

static orr_services *with_profile(const char *profile, const char *max_batch)
{
    char text[1024];
    snprintf(text, sizeof text, HEAD "services:\n  - {name: s, variants: [{name: m, %s profile: %s}]}\n", max_batch,
             profile);
    return must_services(text, "");
}

static void a_line(void **state)
{
    (void)state;
    orr_services *all = with_profile("{alpha: 4.1ms, beta: 250ns, type: T4, share: 0.25}", "max_batch: 9,");
    const orr_exec_profile *p = first_profile(all);
    assert_true(p->alpha == 0.0041 && p->beta == 250e-9 && p->milli == 250);
    near(orr_exec_seconds(p, 4), 0.004101);
    orr_services_destroy(all);
}

/* 2 is slower than 4: it stays so. */
static void points_round_up_or_interpolate(void **state)
{
    (void)state;
    orr_services *all =
        with_profile("{latency: {4: 8ms, 1: 3ms, 2: 9ms}, deviation: {2: 1ms}, memory: {4: 1GB}, noise: measured}", "");
    const orr_exec_profile *p = first_profile(all);
    assert_true(p->kind == ORR_EXEC_TABLE && p->point_count == 3 && p->points[0].batch == 1 && p->measured_noise);
    assert_true(p->points[1].deviation == 0.001 && p->points[2].mem == 1000000000 && p->points[0].deviation == 0);
    assert_true(orr_exec_seconds(p, 1) == 0.003 && orr_exec_seconds(p, 2) == 0.009 && orr_exec_seconds(p, 3) == 0.008);
    assert_true(isnan(orr_exec_seconds(p, 5)));
    assert_int_equal(all->services[0].variants[0].max_batch, 4);
    orr_services_destroy(all);
    all = with_profile("{latency: {2: 3ms, 6: 5ms}, interpolate: yes}", "");
    p = first_profile(all);
    near(orr_exec_seconds(p, 3), 0.0035);
    assert_true(orr_exec_seconds(p, 1) == 0.003 && orr_exec_seconds(p, 6) == 0.005);
    orr_services_destroy(all);
}

static void pipelines_operators_and_iterations(void **state)
{
    (void)state;
    orr_services *all = with_profile("{stages: {1: [10ms, 20ms], 4: [30ms, 31ms]}}", "");
    const orr_exec_profile *p = first_profile(all);
    assert_true(p->kind == ORR_EXEC_STAGES && p->stage_count == 2 && p->gpus == 2 && p->points[1].stages[1] == 0.031);
    near(orr_exec_seconds(p, 3), 0.061);
    orr_services_destroy(all);
    all = with_profile("{latency: {1: 10ms}, ops: [0.2, 0.3, 0.5]}", "");
    p = first_profile(all);
    assert_true(p->kind == ORR_EXEC_OPS && p->op_count == 3 && orr_exec_seconds(p, 1) == 0.01);
    near(p->ops[2], 0.5);
    orr_services_destroy(all);
    all = with_profile("{iter: {base: 9ms, per_prompt: 45us, per_running: 1ms, per_context: 55ns, kv_tokens: 1000, "
                       "chunk: 64, part: decode}, noise: exponential}",
                       "max_batch: 8,");
    p = first_profile(all);
    assert_true(p->kind == ORR_EXEC_ITER && p->iter.per_context == 55e-9 && p->iter.kv_tokens == 1000 &&
                p->iter.chunk == 64 && p->iter.part == ORR_ITER_DECODE);
    assert_int_equal(p->noise.law, ORR_SCATTER_EXPONENTIAL);
    near(orr_exec_seconds(p, 3), 0.012);
    orr_services_destroy(all);
}

/* Of its type before any; of as many GPUs; on the largest share that isn't more than there is. */
static void the_profile_for_an_executor(void **state)
{
    (void)state;
    static const orr_exec_profile p[] = {{.gpu_type = "", .milli = 1000, .gpus = 1},
                                         {.gpu_type = "T4", .milli = 250, .gpus = 1},
                                         {.gpu_type = "T4", .milli = 500, .gpus = 1},
                                         {.gpu_type = "", .milli = 100, .gpus = 1},
                                         {.gpu_type = "T4", .milli = 1000, .gpus = 4}};
    const orr_variant v = {.name = "v", .profiles = p, .profile_count = 5};
    assert_ptr_equal(orr_variant_profile(&v, "T4", 1000, 1), &p[2]);
    assert_ptr_equal(orr_variant_profile(&v, "T4", 400, 1), &p[1]);
    assert_ptr_equal(orr_variant_profile(&v, "T4", 200, 1), &p[3]);
    assert_ptr_equal(orr_variant_profile(&v, "V100", 1000, 1), &p[0]);
    assert_ptr_equal(orr_variant_profile(&v, "V100", 999, 1), &p[3]);
    assert_ptr_equal(orr_variant_profile(&v, "", 1000, 1), &p[0]);
    assert_ptr_equal(orr_variant_profile(&v, "", 1000, 4), &p[4]);
    assert_null(orr_variant_profile(&v, "V100", 1000, 4));
    assert_null(orr_variant_profile(&v, "T4", 50, 1));
}

/* ---- tables and traces beside the file ---- */

static char folder[64];

static void write_beside(const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#define TABLE(keys) HEAD "services:\n  - name: s\n    variants: [{name: m, profile: {" keys "}}]\n"

static void a_table_of_batches(void **state)
{
    (void)state;
    write_beside("b.csv",
                 "model,gpu,precision,batch,latency_ms,latency_std_ms,memory_mb\n"
                 "x,T4,fp16,2,6.2774,0.1,906.5\nx,T4,fp16,1,7,,\nx,T4,fp32,1,9,,\ny,T4,fp16,1,1,,\nx,T4,fp16,4,,,\n");
    orr_services *all =
        must_services(TABLE("table: {file: b.csv, model: x, precision: fp16}, noise: measured"), folder);
    const orr_exec_profile *p = first_profile(all);
    assert_true(p->kind == ORR_EXEC_TABLE && p->point_count == 2 && p->points[1].mean == 0.0062774 &&
                p->points[1].deviation == 0.0001);
    assert_true(p->points[1].mem == 906500000 && p->points[0].mean == 0.007 && p->points[0].mem == 0);
    char before[65];
    snprintf(before, sizeof before, "%s", all->digest);
    orr_services_destroy(all);
    write_beside("b.csv", "model,precision,batch,latency_ms\nx,fp16,1,7\n");
    all = must_services(TABLE("table: {file: b.csv, model: x, precision: fp16}"), folder);
    assert_string_not_equal(before, all->digest);
    orr_services_destroy(all);
}

static void a_table_of_stages(void **state)
{
    (void)state;
    write_beside("p.csv", "model,pipeline_stages,batch,stage,stage_latency_ms,stage_weight_gb\n"
                          "b,1,1,0,99,2.6\nb,2,1,1,52,1.3\nb,2,1,0,51,1.3\n");
    orr_services *all = must_services(TABLE("table: {file: p.csv, model: b, pipeline_stages: 2}"), folder);
    const orr_exec_profile *p = first_profile(all);
    assert_true(p->kind == ORR_EXEC_STAGES && p->stage_count == 2 && p->points[0].stages[0] == 0.051 && p->gpus == 2);
    near(orr_exec_seconds(p, 1), 0.103);
    assert_int_equal(all->services[0].variants[0].bytes, 2600000000);
    orr_services_destroy(all);
}

/* Times made by base 10 ms, 0.1 ms a prompt token, 1 ms a sequence, 1 us a token held: the fit finds them again. */
static void iterations_are_fitted(void **state)
{
    (void)state;
    char text[1024] = "model,gpu,tensor_parallel,prompt_tokens,batch,output_tokens,prompt_ms_median,token_ms_median\n";
    for (int p = 100; p <= 400; p *= 2)
        for (int b = 1; b <= 4; b *= 2)
            snprintf(text + strlen(text), sizeof text - strlen(text), "m,A,8,%d,%d,20,%.6f,%.6f\n", p, b,
                     10 + 0.1 * p * b, 10 + b + 0.001 * b * (p + 10));
    write_beside("t.csv", text);
    orr_services *all = must_services(
        HEAD "services:\n  - name: s\n    variants: [{name: m, max_batch: 8, profile: {gpus: 8, iter: "
             "{fit: {file: t.csv, tensor_parallel: 8}, kv_tokens: 99}}}]\n    arrivals: {kind: closed, clients: 1}\n",
        folder);
    const orr_iter_cost *c = &first_profile(all)->iter;
    assert_true(fabs(c->base - 0.01) < 1e-9 && fabs(c->per_prompt - 1e-4) < 1e-9 &&
                fabs(c->per_running - 1e-3) < 1e-9 && fabs(c->per_context - 1e-6) < 1e-9);
    assert_int_equal(c->kv_tokens, 99);
    assert_int_equal(all->note_count, 1);
    assert_non_null(strstr(all->notes[0].detail, "s/m are a fit to 18 measured times, off by 0.0 %"));
    orr_services_destroy(all);
}

static void requests_of_a_trace(void **state)
{
    (void)state;
    orr_error e = {0};
    write_beside("r.csv", "service,arrival,tokens_in,tokens_out\na,0,5,6\nb,1.5,7,8\na,2,9,10\n");
    orr_services *all =
        must_services(HEAD "services:\n"
                           "  - {name: one, " V ", arrivals: {kind: trace, file: r.csv, service: a, speed: 2}}\n"
                           "  - {name: two, " V ", arrivals: {kind: trace, file: r.csv}}\n",
                      folder);
    const orr_source *s = &all->services[0].source;
    assert_true(s->kind == ORR_SOURCE_LIST && s->listed == 2 && s->list[1].arrival == 2 * ORR_SECOND &&
                s->list[1].tokens_out == 10);
    near(orr_source_mean_rate(s), 1);
    assert_int_equal(all->services[1].source.listed, 3);
    orr_services_destroy(all);
    assert_null(read_from(HEAD S "    arrivals: {kind: trace, file: r.csv, service: c}\n", folder, &e));
    assert_string_equal(e.hint, "there are 'a', 'b'");
    e = (orr_error){0};
    assert_null(read_from(HEAD S "    arrivals: {kind: counts, file: r.csv}\n", folder, &e));
    assert_string_equal(e.hint, "`kind: trace` takes it");
}

static void bins_of_a_trace(void **state)
{
    (void)state;
    orr_error e = {0};
    write_beside("c.csv", "time,count\n0,4\n60,0\n120,6\n");
    orr_services *all = must_services(HEAD S "    arrivals: {kind: counts, file: c.csv, within: even}\n", folder);
    const orr_source *s = &all->services[0].source;
    assert_true(s->bins == 3 && s->bin == ORR_MINUTE && s->counts[0] == 4 && s->counts[1] == 0 && s->counts[2] == 6);
    near(orr_source_mean_rate(s), 10 / 180.0);
    orr_services_destroy(all);
    assert_null(read_from(HEAD S "    arrivals: {kind: trace, file: c.csv}\n", folder, &e));
    assert_string_equal(e.hint, "`kind: counts` takes it");
}

/* Counts that come with tokens are kept as the records that they are; as often and as fast. */
static void bins_keep_their_tokens(void **state)
{
    (void)state;
    write_beside("t.csv", "# bin: 60s\narrival,count,tokens_in,tokens_out\n0,4,400,10\n120,6,60,\n");
    orr_services *all = must_services(HEAD S "    arrivals: {kind: counts, file: t.csv, within: even}\n", folder);
    const orr_source *s = &all->services[0].source;
    assert_true(s->kind == ORR_SOURCE_LIST && s->listed == 2 && s->bin == ORR_MINUTE && s->within == ORR_BIN_EVEN);
    assert_true(s->list[0].count == 4 && s->list[0].tokens_in == 400 && s->list[1].tokens_in == 60 && s->list[1].tokens_out < 0);
    near(orr_source_mean_rate(s), 10 / 180.0);
    orr_services_destroy(all);
}

/* ---- executors ---- */

static void replicas_are_executors(void **state)
{
    (void)state;
    orr_services *all = must_services(HEAD "services:\n"
                                           "  - {name: b, variants: [{name: m, profile: {stages: {1: [1ms, 2ms]}}}, "
                                           "{name: n, max_batch: 2, profile: {alpha: 1ms, share: 0.5}}], "
                                           "replicas: [{variant: n, share: 0.5, count: 4}, {}]}\n"
                                           "  - {name: a, " V ", replicas: 3}\n"
                                           "  - {name: c, " V ", copies: 2, replicas: 1}\n"
                                           "  - {name: d, " V ", replicas: 0}\n",
                                      "");
    static const struct {
        int32_t service, variant, count, milli, gpus;
    } want[] = {{0, 0, 3, 1000, 1}, {1, 1, 4, 500, 1}, {1, 0, 1, 1000, 2}, {2, 0, 1, 1000, 1}, {3, 0, 1, 1000, 1}};
    assert_int_equal(all->executor_count, 5);
    for (int i = 0; i < 5; i++) {
        const orr_exec_ask *e = &all->executors[i];
        assert_true(e->host_count == 1 && e->hosts[0].service == want[i].service &&
                    e->hosts[0].variant == want[i].variant);
        assert_true(e->count == want[i].count && e->milli == want[i].milli && e->gpus == want[i].gpus);
    }
    assert_string_equal(all->services[3].name, "c-2");
    orr_services_destroy(all);
}

static void copies_are_hosted_together(void **state)
{
    (void)state;
    orr_services *all = must_services(
        HEAD "services: [{name: c, copies: 12, " V "}]\nexecutors: [{hosts: c}, {hosts: [c-10, c-2]}]\n", "");
    assert_int_equal(all->count, 12);
    assert_string_equal(all->services[1].name, "c-2"); /* by value, not by bytes */
    assert_int_equal(all->executors[0].host_count, 12);
    assert_true(all->executors[1].hosts[0].service == 9 && all->executors[1].hosts[1].service == 1);
    orr_services_destroy(all);
}

/* The order of services in the file decides nothing. */
static void order_is_of_names(void **state)
{
    (void)state;
    orr_services *x = must_services(
        HEAD "services:\n  - {name: a, " V ", to: [{service: b}]}\n  - {name: b, " V ", replicas: 1}\n", "");
    orr_services *y = must_services(
        HEAD "services:\n  - {name: b, " V ", replicas: 1}\n  - {name: a, " V ", to: [{service: b}]}\n", "");
    assert_string_equal(x->services[0].name, y->services[0].name);
    assert_true(x->services[0].edges[0].to == 1 && y->services[0].edges[0].to == 1);
    assert_int_equal(x->executors[0].hosts[0].service, y->executors[0].hosts[0].service);
    orr_services_destroy(x);
    orr_services_destroy(y);
}

/* ---- what executors can do ---- */

/* l(b) = 5 + b ms; within 10 ms five at once, 500 a second; two executors with two slots. */
static void best_batch_and_capacity(void **state)
{
    (void)state;
    orr_services *all = must_services(HEAD "services:\n"
                                           "  - {name: a, slo: 10ms, " V
                                           ", arrivals: {kind: poisson, rate: 100}, to: [{service: b, fan_out: 2}]}\n"
                                           "  - {name: b, slo: 1ms, " V "}\n"
                                           "executors: [{hosts: [a, b], count: 2, slots: 2}]\n",
                                      "");
    const orr_best_batch best =
        orr_profile_best(&all->services[0].variants[0], first_profile(all), &all->services[0].source, 10 * ORR_MS);
    assert_int_equal(best.batch, 5);
    near(best.seconds, 0.01);
    near(best.rate, 500);
    orr_service_load *loads = orr_service_loads(all);
    near(loads[0].capacity, 2000);
    assert_true(loads[0].rate == 100 && loads[1].rate == 200 && loads[1].capacity == 0 && loads[1].executors == 2);
    free(loads);
    orr_services_destroy(all);
}

/* A pipeline takes the next batch when its slowest stage is free. */
static void best_of_a_pipeline(void **state)
{
    (void)state;
    orr_services *all = with_profile("{stages: {1: [10ms, 20ms], 2: [15ms, 25ms]}}", "");
    const orr_best_batch best =
        orr_profile_best(&all->services[0].variants[0], first_profile(all), &all->services[0].source, ORR_TIME_MAX);
    assert_int_equal(best.batch, 2);
    near(best.rate, 80);
    orr_services_destroy(all);
}

/* ---- what is refused ---- */

#define ARRIVALS(keys) HEAD S "    arrivals: {" keys "}\n"
#define PROFILE(keys) HEAD "services:\n  - name: s\n    variants:\n      - name: m\n        profile: {" keys "}\n"

static void what_is_refused(void **state)
{
    (void)state;
    /* clang-format off */
    static const bad_case cases[] = {
        {"other schema", "schema: orrery.cluster/1\n", ORR_E_FORMAT, 1, 9, "no file of services", "orrery.services/1"},
        {"no services", HEAD, ORR_E_SYNTAX, 1, 1, "'services' is missing", NULL},
        {"unknown key", HEAD "servces: []\n", ORR_E_UNKNOWN_KEY, 2, 1, "'servces'", "did you mean 'services'?"},
        {"name", HEAD "services: [{name: a/b, " V "}]\n", ORR_E_SYNTAX, 2, 19, "without '/'", NULL},
        {"twice", HEAD "services:\n  - {name: a, " V "}\n  - {name: a, " V "}\n", ORR_E_SYNTAX, 4, 12, "described twice", NULL},
        {"slo and classes", HEAD S "    slo: 1s\n    classes: [{name: x}]\n", ORR_E_SYNTAX, 5, 5, "don't go together", NULL},
        {"parts", HEAD S "    classes: [{name: x, part: 0.5}, {name: y, part: 0.4}]\n", ORR_E_SYNTAX, 5, 14, "sum to 1, and are 0.9", NULL},
        {"some parts", HEAD S "    classes: [{name: x, part: 1}, {name: y}]\n", ORR_E_SYNTAX, 5, 14, "1 of 2 classes", NULL},
        {"class twice", HEAD S "    classes: [{name: x}, {name: x}]\n", ORR_E_SYNTAX, 5, 0, "two classes", NULL},
        {"weight", HEAD S "    classes: [{name: x, weight: 0}]\n", ORR_E_NUMBER, 5, 0, "'weight' should be above 0", NULL},
        {"slo 0", HEAD S "    slo: 0\n", ORR_E_NUMBER, 5, 10, "out of range", NULL},
        {"retries", HEAD S "    retries: 1001\n", ORR_E_NUMBER, 5, 14, "from 0 to 1000", NULL},
        {"empty cache", HEAD S "    cache: {hit: 1ms}\n", ORR_E_SYNTAX, 5, 12, "needs 'items'", NULL},
        {"half a cache", HEAD S "    cache: {items: 1, bytes: 1kB}\n", ORR_E_SYNTAX, 5, 12, "go together", NULL},
        {"edge", HEAD S "    to: [{service: ss}]\n", ORR_E_SYNTAX, 5, 20, "no service 'ss'", "did you mean 's'?"},
        {"circle", HEAD S "    to: [{service: s}]\n", ORR_E_SYNTAX, 5, 9, "comes back to itself", NULL},
        {"long circle",
         HEAD "services:\n  - {name: a, " V ", to: [{service: b}]}\n  - {name: b, " V ", to: [{service: c}, {service: d}]}\n"
              "  - {name: c, " V "}\n  - {name: d, " V ", to: [{service: a}]}\n",
         ORR_E_SYNTAX, 0, 0, "'a' comes back", NULL},
        {"edge twice", HEAD S "    to: [{service: t}, {service: t}]\n  - {name: t, " V "}\n", ORR_E_SYNTAX, 5, 0, "stands twice", NULL},
        {"no fan-out", HEAD S "    to: [{service: t, fan_out: 0}]\n  - {name: t, " V "}\n", ORR_E_NUMBER, 5, 0, "above 0", NULL},
        {"kind", ARRIVALS("kind: poison, rate: 1"), ORR_E_NUMBER, 5, 0, "none|poisson|gamma", NULL},
        {"no kind", ARRIVALS("rate: 1"), ORR_E_SYNTAX, 5, 15, "'kind' is missing", NULL},
        {"no rate", ARRIVALS("kind: poisson"), ORR_E_SYNTAX, 5, 15, "'kind: poisson' needs 'rate'", NULL},
        {"rate 0", ARRIVALS("kind: poisson, rate: 0"), ORR_E_NUMBER, 5, 0, "'rate' should be above 0", NULL},
        {"rate in words", ARRIVALS("kind: poisson, rate: 3/y"), ORR_E_NUMBER, 5, 0, "a rate such as 120/s", NULL},
        {"poisson with cv", ARRIVALS("kind: poisson, rate: 1, cv: 2"), ORR_E_SYNTAX, 5, 0, "'cv' means nothing with 'kind: poisson'", NULL},
        {"mmpp", ARRIVALS("kind: mmpp, rates: [1, 2], stays: [1s, 2s, 3s]"), ORR_E_SYNTAX, 5, 0, "2 'rates' and 3 'stays'", NULL},
        {"mmpp of rest", ARRIVALS("kind: mmpp, rates: [0, 0], stays: [1s, 2s]"), ORR_E_NUMBER, 5, 0, "above 0", NULL},
        {"mmpp in words", ARRIVALS("kind: mmpp, rates: [1, fast], stays: [1s, 2s]"), ORR_E_NUMBER, 5, 39, "this should be a rate", NULL},
        {"counts", ARRIVALS("kind: counts"), ORR_E_SYNTAX, 5, 0, "needs 'file', or 'values'", NULL},
        {"counts without bin", ARRIVALS("kind: counts, values: [1]"), ORR_E_SYNTAX, 5, 0, "'values' and 'bin' go together", NULL},
        {"counts of nobody", ARRIVALS("kind: counts, values: [0, 0], bin: 1s"), ORR_E_NUMBER, 5, 0, "nobody comes", NULL},
        {"gamma without cv", ARRIVALS("kind: counts, values: [1], bin: 1s, within: gamma"), ORR_E_SYNTAX, 5, 0, "go together", NULL},
        {"no folder", ARRIVALS("kind: trace, file: a.csv"), ORR_E_OPEN, 5, 0, "'file' names a file, but this one", NULL},
        {"no trace", ARRIVALS("kind: trace"), ORR_E_SYNTAX, 5, 0, "needs 'file'", NULL},
        {"until", ARRIVALS("kind: poisson, rate: 1, from: 2s, until: 2s"), ORR_E_SYNTAX, 5, 0, "'until' should be after 'from'", NULL},
        {"law", ARRIVALS("kind: poisson, rate: 1, tokens: {in: 1, out: 1, in_spread: wild}"), ORR_E_SYNTAX, 5, 0, "none, exponential", NULL},
        {"law without cv", ARRIVALS("kind: poisson, rate: 1, tokens: {in: 1, out: 1, in_spread: {law: gamma}}"), ORR_E_SYNTAX, 5, 0, "needs a 'cv'", NULL},
        {"law with cv", ARRIVALS("kind: poisson, rate: 1, tokens: {in: 1, out: 1, in_spread: {law: none, cv: 2}}"), ORR_E_SYNTAX, 5, 0, "of its own", NULL},
        {"two ways", PROFILE("alpha: 1ms, latency: {1: 1ms}"), ORR_E_SYNTAX, 6, 18, "told in one way", NULL},
        {"no way", PROFILE("type: T4"), ORR_E_SYNTAX, 6, 18, "told in one way", NULL},
        {"no time", PROFILE("alpha: 0"), ORR_E_SYNTAX, 6, 18, "a batch takes time", NULL},
        {"no largest batch", PROFILE("alpha: 1ms"), ORR_E_SYNTAX, 5, 0, "needs a 'max_batch'", NULL},
        {"batch too large", HEAD "services: [{name: s, variants: [{name: m, max_batch: 9, profile: {latency: {8: 1ms}}}]}]\n", ORR_E_SYNTAX, 2, 0,
         "ends at a batch of 8", NULL},
        {"no batch", PROFILE("latency: {0: 1ms}"), ORR_E_NUMBER, 6, 29, "from 1 to", NULL},
        {"batch in words", PROFILE("latency: {few: 1ms}"), ORR_E_NUMBER, 6, 29, "from 1 to", NULL},
        {"batch twice", PROFILE("latency: {1: 1ms, 01: 2ms}"), ORR_E_SYNTAX, 6, 0, "a batch of 1 stands twice", NULL},
        {"no points", PROFILE("latency: {}"), ORR_E_SYNTAX, 6, 0, "has no points", NULL},
        {"time 0", PROFILE("latency: {1: 0}"), ORR_E_NUMBER, 6, 32, "above 0", NULL},
        {"time in words", PROFILE("latency: {1: soon}"), ORR_E_NUMBER, 6, 32, "'1' should be a duration such as 4.1ms", NULL},
        {"memory", PROFILE("latency: {1: 1ms}, memory: {2: 1GB}"), ORR_E_SYNTAX, 6, 0, "a batch that has no time", NULL},
        {"memory alone", PROFILE("alpha: 1ms, memory: {2: 1GB}"), ORR_E_SYNTAX, 6, 0, "'memory' goes with 'latency'", NULL},
        {"nothing between", PROFILE("alpha: 1ms, interpolate: yes"), ORR_E_SYNTAX, 6, 0, "goes with points", NULL},
        {"stages differ", PROFILE("stages: {1: [1ms], 2: [1ms, 2ms]}"), ORR_E_SYNTAX, 6, 0, "2 stages here and 1 before", NULL},
        {"stages and gpus", PROFILE("stages: {1: [1ms, 2ms]}, gpus: 3"), ORR_E_SYNTAX, 6, 0, "a pipeline of 2 stages", NULL},
        {"share", PROFILE("latency: {1: 1ms}, share: 0.0001"), ORR_E_NUMBER, 6, 0, "a thousandth", NULL},
        {"slice", PROFILE("latency: {1: 1ms}, slice: 5g"), ORR_E_SYNTAX, 6, 0, "no MIG instance '5g'", "1g, 1g+, 2g, 3g, 4g, 7g, or 3g.40gb"},
        {"slice and share", PROFILE("latency: {1: 1ms}, slice: 3g, share: 0.5"), ORR_E_SYNTAX, 6, 0, "'slice' and 'share'", NULL},
        {"slice of none", HEAD S "executors: [{hosts: s, slice: 3g, type: T4}]\n", ORR_E_SYNTAX, 5, 0, "MIG doesn't cut GPUs of the type 'T4'", NULL},
        {"slice of two", PROFILE("latency: {1: 1ms}, slice: 3g, gpus: 2"), ORR_E_SYNTAX, 6, 0, "a share is of one GPU", NULL},
        {"share of two", PROFILE("latency: {1: 1ms}, share: 0.5, gpus: 2"), ORR_E_SYNTAX, 6, 0, "a share is of one GPU", NULL},
        {"ops", PROFILE("latency: {1: 1ms}, ops: [0.5, 0.4]"), ORR_E_SYNTAX, 6, 0, "sum to 1, and are 0.9", NULL},
        {"ops of a line", PROFILE("alpha: 1ms, ops: [1]"), ORR_E_SYNTAX, 6, 0, "'ops' goes with points", NULL},
        {"noise", PROFILE("latency: {1: 1ms}, noise: measured"), ORR_E_SYNTAX, 6, 0, "no deviations were measured", NULL},
        {"iter", PROFILE("iter: {per_context: 1ms}"), ORR_E_SYNTAX, 6, 0, "an iteration takes time", NULL},
        {"part", PROFILE("iter: {base: 1ms, part: half}"), ORR_E_NUMBER, 6, 43, "whole|prefill|decode", NULL},
        {"iter and fit", PROFILE("iter: {base: 1ms, fit: {file: x.csv}}"), ORR_E_SYNTAX, 6, 0, "'base' is what 'fit' finds", NULL},
        {"no profile", HEAD "services: [{name: s, variants: [{name: m}]}]\n", ORR_E_SYNTAX, 2, 33, "needs 'profile'", NULL},
        {"both", HEAD "services: [{name: s, variants: [{name: m, profile: {}, profiles: [{}]}]}]\n", ORR_E_SYNTAX, 2, 33, "don't go together", NULL},
        {"same place", HEAD "services: [{name: s, variants: [{name: m, max_batch: 1, profiles: [{alpha: 1}, {alpha: 2}]}]}]\n", ORR_E_SYNTAX, 2, 0,
         "two profiles of 's/m'", NULL},
        {"variant twice", HEAD "services: [{name: s, variants: [{name: m, profile: {latency: {1: 1}}}, {name: m, profile: {latency: {1: 1}}}]}]\n",
         ORR_E_SYNTAX, 2, 0, "two variants of 's'", NULL},
        {"host", HEAD S "executors: [{hosts: s/n}]\n", ORR_E_SYNTAX, 5, 21, "no service has a variant 's/n'", "did you mean 's/m'?"},
        {"host twice", HEAD S "executors: [{hosts: [s, s/m]}]\n", ORR_E_SYNTAX, 5, 0, "stands twice", NULL},
        {"host without GPUs", HEAD S "executors: [{hosts: s, gpus: 2}]\n", ORR_E_SYNTAX, 5, 0, "no profile for 2 GPUs of any type", NULL},
        {"host without a share", HEAD S "executors: [{hosts: s, share: 0.5, type: T4}]\n", ORR_E_SYNTAX, 5, 0, "no profile for type T4 and a share of 0.5", NULL},
        {"market", HEAD S "executors: [{hosts: s, market: spot}]\n", ORR_E_SYNTAX, 5, 32, "'markets' has no 'spot'", NULL},
        {"executor twice", HEAD S "executors: [{hosts: s, name: e}, {hosts: s, name: e}]\n", ORR_E_SYNTAX, 5, 0, "two executors", NULL},
        {"both forms", HEAD S "    replicas: 1\nexecutors: [{hosts: s}]\n", ORR_E_SYNTAX, 5, 5, "'replicas' and 'executors'", NULL},
        {"replicas", HEAD S "    replicas: {a: 1}\n", ORR_E_SYNTAX, 5, 0, "a number, or a list", NULL},
        {"replica of none", HEAD S "    replicas: [{variant: n}]\n", ORR_E_SYNTAX, 5, 26, "'s' has no variant 'n'", NULL},
        {"replicas in words", HEAD S "    replicas: few\n", ORR_E_NUMBER, 5, 15, "'replicas' should be an integer", NULL},
        {"nodes of nothing", HEAD S "nodes: [{count: 0}]\n", ORR_E_SYNTAX, 5, 0, "this should say which nodes", NULL},
        {"nodes as text", HEAD S "nodes: [a..b]\n", ORR_E_SYNTAX, 5, 0, "map", NULL},
        {"contention", HEAD S "contention: [{a: s/x, slowdown: 2}]\n", ORR_E_SYNTAX, 5, 18, "no service has a variant", NULL},
        {"job alone", HEAD S "contention: [{a: job, slowdown: 2}]\n", ORR_E_SYNTAX, 5, 18, "no service has a variant", NULL},
        {"slowdown", HEAD S "contention: [{slowdown: 0.5}]\n", ORR_E_NUMBER, 5, 0, "from 1 to 1000", NULL},
        {"pair twice", HEAD S "contention: [{slowdown: 2}, {slowdown: 3}]\n", ORR_E_SYNTAX, 5, 0, "this pair stands twice", NULL},
        {"market twice", HEAD S "markets: [{name: a, price: 1}, {name: a, price: 2}]\n", ORR_E_SYNTAX, 5, 0, "this market", NULL},
        {"endless warm-up", HEAD "warm_up: inf\n" S, ORR_E_NUMBER, 2, 10, "should end", NULL},
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_error e = {0};
        orr_services *all = read_from(cases[i].input, "", &e);
        if (all || e.code != cases[i].code || (cases[i].line && e.line != cases[i].line) ||
            (cases[i].column && e.column != cases[i].column) || !strstr(e.message, cases[i].message) ||
            (cases[i].hint && !strstr(e.hint, cases[i].hint)))
            fail_msg("%s: %d:%d %s [%s] %s", cases[i].name, e.line, e.column, e.message, orr_err_name(e.code), e.hint);
        orr_services_destroy(all);
    }
}

static void tables_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *table, *keys, *message, *hint;
    } cases[] = {
        /* clang-format off */
        {"not there", NULL, "table: {file: none.csv}", "", NULL},
        {"no column", "batch,ms\n1,2\n", "table: {file: x.csv}", "'latency_ms' is missing", NULL},
        {"no such model", "model,batch,latency_ms\nvgg16,1,2\n", "table: {file: x.csv, model: vgg61}", "no row has this model", "did you mean 'vgg16'?"},
        {"no such gpu", "model,gpu,batch,latency_ms\na,T4,1,2\nb,V100,1,2\n", "table: {file: x.csv, model: a, gpu: V100}", "no row has this gpu", "there are 'T4'"},
        {"several", "model,precision,batch,latency_ms\na,p,1,2\na,q,2,2\n", "table: {file: x.csv, model: a}", "say which 'precision'", "there are 'p', 'q'"},
        {"no such column", "batch,latency_ms\n1,2\n", "table: {file: x.csv, gpu: a}", "the table has no column 'gpu'", NULL},
        {"twice", "batch,latency_ms\n1,2\n1,3\n", "table: {file: x.csv}", "two rows of the table tell of a batch of 1", NULL},
        {"no time", "batch,latency_ms\n1,\n", "table: {file: x.csv}", "no row of the table has a time", NULL},
        {"time in words", "batch,latency_ms\n1,x\n", "table: {file: x.csv}", "'latency_ms' should be a number", NULL},
        {"batch 0", "batch,latency_ms\n0,1\n", "table: {file: x.csv}", "", NULL},
        {"systems", "system,benchmark,scenario,value\na,b,c,1\n", "table: {file: x.csv}", "what whole systems get done", "assumption"},
        {"tokens", "prompt_tokens,batch,output_tokens,prompt_ms_median,token_ms_median\n1,1,1,1,1\n", "table: {file: x.csv}", "times of prompts", "iter"},
        {"half a pipeline", "batch,stage,stage_latency_ms\n1,1,2\n", "table: {file: x.csv}", "each stage of each batch once", NULL},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        orr_error e = {0};
        if (cases[i].table)
            write_beside("x.csv", cases[i].table);
        snprintf(text, sizeof text, HEAD "services:\n  - name: s\n    variants: [{name: m, profile: {%s}}]\n",
                 cases[i].keys);
        orr_services *all = read_from(text, folder, &e);
        if (all || !e.code || !strstr(e.message, cases[i].message) || (cases[i].hint && !strstr(e.hint, cases[i].hint)))
            fail_msg("%s: %s:%d:%d %s [%s] %s", cases[i].name, e.file, e.line, e.column, e.message,
                     orr_err_name(e.code), e.hint);
        orr_services_destroy(all);
    }
}

/* ---- files that are there ---- */

static void what_comes_with_the_library(void **state)
{
    (void)state;
    static const char *const names[] = {"two-models", "pipeline", "llm", "many-small"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        orr_error e = {0};
        assert_true(orr_services_told(names[i]));
        orr_services *all = orr_services_load(names[i], &e);
        if (!all)
            fail_msg("%s:%d:%d %s", e.file, e.line, e.column, e.message);
        assert_string_equal(all->name, names[i]);
        assert_int_equal(all->note_count, 0);
        orr_service_load *loads = orr_service_loads(all);
        for (int32_t k = 0; k < all->count; k++)
            if (!(loads[k].rate > 0 && loads[k].rate < loads[k].capacity))
                fail_msg("%s: %g asked, %g possible", all->services[k].name, loads[k].rate, loads[k].capacity);
        free(loads);
        orr_services_destroy(all);
    }
    assert_false(orr_services_told("none"));
}

/* Measured tables of others, where they are. */
static void measured_tables(void **state)
{
    (void)state;
    char path[1024];
    if (!shared_file("data/inference-profiles/nexus_titanx.csv", path))
        return;
    *strrchr(path, '/') = 0;
    orr_services *all = must_services(
        HEAD "services:\n  - name: s\n    arrivals: {kind: poisson, rate: 1}\n    variants:\n"
             "      - {name: vgg, profile: {table: {file: nexus_titanx.csv, model: vgg16}, noise: measured}}\n"
             "      - {name: resnet, profile: {table: {file: nvidia_dle.csv, model: resnet50v1.5, gpu: NVIDIA DGX-1 "
             "(1x V100 16GB), framework: PyTorch, precision: FP32 Inference Latency}}}\n"
             "      - {name: bert, profile: {table: {file: alpaserve_pipeline_stages.csv, model: bert-1.3b, "
             "pipeline_stages: 4}}}\n"
             "      - {name: llama, max_batch: 64, profile: {gpus: 8, iter: {fit: {file: splitwise_llm.csv, model: "
             "llama2-70b, gpu: a100-80gb, tensor_parallel: 8}}}}\n",
        path);
    const orr_variant *v = all->services[0].variants;
    assert_true(v[0].profiles[0].points[0].mean == 0.0062774 && v[0].profiles[0].points[0].mem == 905900000);
    assert_true(orr_exec_seconds(v[0].profiles, 5) < orr_exec_seconds(v[0].profiles, 4)); /* as measured */
    assert_true(v[1].profiles[0].points[0].mean == 0.01037);
    assert_true(v[2].profiles[0].stage_count == 4 && v[2].bytes > 2000000000);
    assert_true(v[3].profiles[0].iter.base > 0.01 && v[3].profiles[0].iter.base < 0.1);
    assert_int_equal(all->note_count, 1);
    printf("%s\n", all->notes[0].detail);
    orr_services_destroy(all);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/orrery-services-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"b.csv", "p.csv", "t.csv", "r.csv", "c.csv", "x.csv"};
    char path[160];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest),
        cmocka_unit_test(every_key_of_a_service),
        cmocka_unit_test(slices),
        cmocka_unit_test(who_asks),
        cmocka_unit_test(a_line),
        cmocka_unit_test(points_round_up_or_interpolate),
        cmocka_unit_test(pipelines_operators_and_iterations),
        cmocka_unit_test(the_profile_for_an_executor),
        cmocka_unit_test(a_table_of_batches),
        cmocka_unit_test(a_table_of_stages),
        cmocka_unit_test(iterations_are_fitted),
        cmocka_unit_test(requests_of_a_trace),
        cmocka_unit_test(bins_of_a_trace),
        cmocka_unit_test(bins_keep_their_tokens),
        cmocka_unit_test(replicas_are_executors),
        cmocka_unit_test(copies_are_hosted_together),
        cmocka_unit_test(order_is_of_names),
        cmocka_unit_test(best_batch_and_capacity),
        cmocka_unit_test(best_of_a_pipeline),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(tables_that_are_refused),
        cmocka_unit_test(what_comes_with_the_library),
        cmocka_unit_test(measured_tables),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
