/* A queue is one to four services with Poisson arrivals and one kind of executor. Formulas are those of
 * <orrery/queueing.h>, which test_queueing.c compares with the published numbers. */
#define ORR_BUILTIN /* modules in this file: none is a plugin */
#include "closed_forms.h"

#include "base/mem.h"

#include <orrery/queueing.h>

#include <math.h>
#include <stdio.h>

enum { SERVICES = 4 };

/* ---- modules that these queues need
 * --------------------------------------------------------------------------------- */

/* As many as wait, at once. */
ORR_BATCHER(closed_greedy) = {.summary = "takes all that wait", .form = orr_form_all};

/* Nobody waits. */
static bool only_if_free(orr_ctx *ctx, orr_service_id service, const orr_req *req, orr_dest dest)
{
    (void)service, (void)req, (void)dest;
    for (orr_exec_id e = 0; e < orr_execs_count(ctx); e++)
        if (!orr_exec_busy(ctx, e))
            return true;
    return false;
}
ORR_DROPPER(closed_loss) = {.summary = "refuses what would wait", .admit = only_if_free};

/* The service that stands first, of those that somebody waits for. */
static void first_class(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    orr_replica_id on[SERVICES];
    const int32_t n = orr_exec_replicas(ctx, exec, on, SERVICES);
    for (int32_t i = 0; i < n; i++) {
        const orr_variant_id variant = orr_replica_variant(ctx, on[i]);
        if (!orr_dest_waiting(ctx, (orr_dest){.variant = variant, .replica = -1}))
            continue;
        f->replica = on[i];
        f->variant = variant;
        f->service = orr_variant_service(ctx, variant);
        f->central = true;
        f->take = 1;
        return;
    }
}
ORR_BATCHER(closed_priority) = {.summary = "lower services wait for higher ones", .form = first_class};

/* The same, and what runs makes way. Which service that is stands in the memory of the first one. */
static void first_class_noted(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    first_class(ctx, exec, f);
    *(orr_service_id *)orr_service_priv(ctx, 0) = f->service;
}
static void make_way(orr_ctx *ctx, const orr_req *req, orr_dest dest)
{
    (void)req;
    if (orr_exec_busy(ctx, 0) && orr_variant_service(ctx, dest.variant) < *(orr_service_id *)orr_service_priv(ctx, 0))
        orr_batch_preempt(ctx, 0, false);
}
ORR_BATCHER(closed_preemptive) = {.summary = "lower services make way for higher ones",
                                  .service_priv = sizeof(orr_service_id),
                                  .flags = ORR_SERVE_PREEMPTS,
                                  .form = first_class_noted,
                                  .on_arrive = make_way};

static const orr_module *const modules[] = {&orr_module_serve_closed_greedy, &orr_module_serve_closed_loss,
                                            &orr_module_serve_closed_priority,
                                            &orr_module_serve_closed_preemptive};

/* ---- the cases
 * ------------------------------------------------------------------------------------------------------ */

typedef enum form_kind {
    FORM_QUEUE,    /* one queue, c servers */
    FORM_MIX,      /* two constant services in one queue */
    FORM_OVER,     /* c servers: who waits longer than `over` */
    FORM_LOSS,     /* nobody waits */
    FORM_ROOM,     /* no more than `room` in the system */
    FORM_SPLIT,    /* a queue a server */
    FORM_PIPELINE, /* two services on two stages of half the time each */
    FORM_PRIORITY, /* services by priority on one server */
    FORM_PREEMPT,  /* the same, and they resume what was interrupted */
    FORM_SHARED,   /* all at once on one server, each at its part of the speed */
    FORM_BULK      /* greedy batches of alpha + beta b */
} form_kind;

struct closed_form {
    const char *id;
    double tolerance, spread;
    form_kind kind;
    double rate, mean; /* mean: of a service, seconds */
    orr_jitter law;
    int32_t servers, room, most;
    double over;
    double rates[SERVICES], means[SERVICES]; /* MIX, PRIORITY */
    int32_t classes;
    double alpha, beta;
};

#define EXPONENTIAL {ORR_SCATTER_EXPONENTIAL, 1}
#define CONSTANT {ORR_SCATTER_NONE, 0}

static const closed_form forms[] = {
    {"mm1_rho50", 0.02, 7, FORM_QUEUE, 50, 0.01, EXPONENTIAL, .servers = 1},
    {"mm1_rho80", 0.02, 21, FORM_QUEUE, 80, 0.01, EXPONENTIAL, .servers = 1},
    {"mm1_rho90", 0.02, 39, FORM_QUEUE, 90, 0.01, EXPONENTIAL, .servers = 1},
    {"mm1_rho95", 0.05, 125, FORM_QUEUE, 95, 0.01, EXPONENTIAL, .servers = 1},
    {"md1_rho50", 0.02, 4, FORM_QUEUE, 50, 0.01, CONSTANT, .servers = 1},
    {"md1_rho80", 0.02, 8, FORM_QUEUE, 80, 0.01, CONSTANT, .servers = 1},
    {"md1_rho90", 0.02, 16, FORM_QUEUE, 90, 0.01, CONSTANT, .servers = 1},
    {"md1_rho95", 0.05, 29, FORM_QUEUE, 95, 0.01, CONSTANT, .servers = 1},
    {"mg1_two_models", 0.03, 6, FORM_MIX, .rates = {35, 35}, .means = {0.005, 0.02}, .classes = 2},
    {"mg1_rare_slow", 0.03, 21, FORM_MIX, .rates = {57, 3}, .means = {0.008, 0.1}, .classes = 2},
    {"mg1_erlang4", 0.03, 8, FORM_QUEUE, 80, 0.01, {ORR_SCATTER_GAMMA, 0.5}, .servers = 1},
    {"mg1_gamma_cv2", 0.03, 8, FORM_QUEUE, 60, 0.01, {ORR_SCATTER_GAMMA, 2}, .servers = 1},
    {"mmc_c2_lam150", 0.03, 17, FORM_QUEUE, 150, 0.01, EXPONENTIAL, .servers = 2},
    {"mmc_c4_lam360", 0.03, 39, FORM_QUEUE, 360, 0.01, EXPONENTIAL, .servers = 4},
    {"mmc_c8_lam760", 0.06, 128, FORM_QUEUE, 760, 0.01, EXPONENTIAL, .servers = 8},
    {"mmc_c16_lam1500", 0.06, 108, FORM_QUEUE, 1500, 0.01, EXPONENTIAL, .servers = 16},
    {"mmc_c100_lam9500", 0.06, 152, FORM_QUEUE, 9500, 0.01, EXPONENTIAL, .servers = 100},
    {"erlang_c_sizing_500", 0.1, 179, FORM_OVER, 500, 0.05, EXPONENTIAL, .servers = 29, .over = 0.05},
    {"erlang_c_sizing_500 c-1", 0.1, 92, FORM_OVER, 500, 0.05, EXPONENTIAL, .servers = 28, .over = 0.05},
    {"erlang_c_sizing_1000", 0.1, 76, FORM_OVER, 1000, 0.02, EXPONENTIAL, .servers = 23, .over = 0.02},
    {"erlang_c_sizing_1000 c-1", 0.1, 44, FORM_OVER, 1000, 0.02, EXPONENTIAL, .servers = 22, .over = 0.02},
    {"erlang_c_sizing_200", 0.1, 131, FORM_OVER, 200, 0.1, EXPONENTIAL, .servers = 24, .over = 0.1},
    {"erlang_c_sizing_200 c-1", 0.1, 76, FORM_OVER, 200, 0.1, EXPONENTIAL, .servers = 23, .over = 0.1},
    {"erlang_b_c1", 0.02, 1, FORM_LOSS, 80, 0.01, CONSTANT, .servers = 1},
    {"erlang_b_c4", 0.02, 2, FORM_LOSS, 300, 0.01, CONSTANT, .servers = 4},
    {"erlang_b_c10", 0.02, 4, FORM_LOSS, 800, 0.01, EXPONENTIAL, .servers = 10},
    {"mm1k_90_10", 0.02, 7, FORM_ROOM, 90, 0.01, EXPONENTIAL, .servers = 1, .room = 10},
    {"mm1k_120_20", 0.02, 7, FORM_ROOM, 120, 0.01, EXPONENTIAL, .servers = 1, .room = 20},
    {"mm1k_100_9", 0.02, 7, FORM_ROOM, 100, 0.01, EXPONENTIAL, .servers = 1, .room = 9},
    {"split_vs_shared_c4 split", 0.03, 11, FORM_SPLIT, 360, 0.01, EXPONENTIAL, .servers = 4},
    {"split_vs_shared_c4 shared", 0.03, 39, FORM_QUEUE, 360, 0.01, EXPONENTIAL, .servers = 4},
    {"alpaserve_md1_pipeline simple", 0.02, 1, FORM_SPLIT, 3, 0.4, CONSTANT, .servers = 2},
    {"alpaserve_md1_pipeline pipeline", 0.02, 1, FORM_PIPELINE, 3, 0.4, CONSTANT, .servers = 1},
    {"prio_2class_det waits", 0.03, 12, FORM_PRIORITY, .law = CONSTANT, .rates = {40, 5}, .means = {0.01, 0.08},
     .classes = 2},
    {"prio_3class_exp waits", 0.03, 9, FORM_PRIORITY, .law = EXPONENTIAL, .rates = {20, 10, 2},
     .means = {0.01, 0.02, 0.1}, .classes = 3},
    {"prio_2class_det responses", 0.03, 15, FORM_PREEMPT, .law = CONSTANT, .rates = {40, 5}, .means = {0.01, 0.08},
     .classes = 2},
    {"prio_3class_exp responses", 0.03, 25, FORM_PREEMPT, .law = EXPONENTIAL, .rates = {20, 10, 2},
     .means = {0.01, 0.02, 0.1}, .classes = 3},
    {"mg1_ps", 0.02, 15, FORM_SHARED, .rates = {35, 35}, .means = {0.005, 0.015}, .classes = 2},
    {"bulk_light", 0.02, 2, FORM_BULK, 100, .alpha = 0.005, .beta = 0.001, .most = 16},
    {"bulk_mid", 0.02, 3, FORM_BULK, 500, .alpha = 0.005, .beta = 0.001, .most = 16},
    {"bulk_heavy", 0.03, 10, FORM_BULK, 720, .alpha = 0.005, .beta = 0.001, .most = 16},
    {"bulk_b1", 0.02, 3, FORM_BULK, 100, .alpha = 0.005, .beta = 0.001, .most = 1},
    {"bulk_resnet_v100", 0.02, 3, FORM_BULK, 900, .alpha = 0.0092, .beta = 0.00055, .most = 32},
};

size_t closed_forms_count(void)
{
    return sizeof forms / sizeof *forms;
}

const closed_form *closed_form_at(size_t i)
{
    return &forms[i];
}

const char *closed_form_id(const closed_form *f)
{
    return f->id;
}

double closed_form_tolerance(const closed_form *f)
{
    return f->tolerance;
}

double closed_form_thin(const closed_form *f, double requests)
{
    return 6 * fmax(f->spread, 4) / sqrt(requests); /* five seeds measure a deviation only roughly */
}

/* ---- as services
 * ---------------------------------------------------------------------------------------------------- */

typedef struct world {
    orr_exec_profile profiles[SERVICES];
    orr_exec_point point;
    double stages[2];
    orr_variant variants[SERVICES];
    orr_slo_class class_;
    orr_service services[SERVICES];
    orr_hosted_ask hosts[SERVICES];
    orr_exec_ask asks[SERVICES];
    orr_services all;
    const char *serve;
} world;

static const char *const names[SERVICES] = {"a", "b", "c", "d"};

static void add_service(world *w, double rate, double mean, orr_jitter law)
{
    const int32_t i = w->all.count++;
    w->profiles[i] = (orr_exec_profile){
        .gpu_type = "", .milli = 1000, .gpus = 1, .kind = ORR_EXEC_LINEAR, .alpha = mean, .noise = law};
    w->variants[i] = (orr_variant){
        .name = "v", .accuracy = NAN, .max_batch = 1, .profiles = &w->profiles[i], .profile_count = 1};
    w->services[i] = (orr_service){.name = names[i],
                                   .variants = &w->variants[i],
                                   .variant_count = 1,
                                   .classes = &w->class_,
                                   .class_count = 1,
                                   .timeout = ORR_TIME_MAX,
                                   .source = {.kind = ORR_SOURCE_POISSON, .rate = rate, .speed = 1}};
    w->hosts[i] = (orr_hosted_ask){.service = i};
}

/* `count` executors that host services first, …, first + hosts - 1. */
static void add_executors(world *w, int32_t count, int32_t first, int32_t hosts)
{
    w->asks[w->all.executor_count++] = (orr_exec_ask){.name = "",
                                                      .gpu_type = "",
                                                      .gpus = 1,
                                                      .milli = 1000,
                                                      .count = count,
                                                      .slots = 1,
                                                      .market = "",
                                                      .hosts = &w->hosts[first],
                                                      .host_count = hosts};
}

static void make_pipeline(world *w, const closed_form *f)
{
    w->stages[0] = w->stages[1] = f->mean / 2;
    w->point = (orr_exec_point){.batch = 1, .mean = f->mean, .stages = w->stages};
    for (int32_t i = 0; i < 2; i++) {
        add_service(w, f->rate / 2, f->mean, f->law);
        w->profiles[i].kind = ORR_EXEC_STAGES;
        w->profiles[i].gpus = 2;
        w->profiles[i].points = &w->point;
        w->profiles[i].point_count = 1;
        w->profiles[i].stage_count = 2;
    }
    add_executors(w, 1, 0, 2);
    w->asks[0].gpus = 2;
}

static void make_split(world *w, const closed_form *f)
{
    for (int32_t i = 0; i < f->servers; i++) {
        add_service(w, f->rate / f->servers, f->mean, f->law);
        add_executors(w, 1, i, 1);
    }
}

static void make_classes(world *w, const closed_form *f)
{
    for (int32_t i = 0; i < f->classes; i++)
        add_service(w, f->rates[i], f->means[i], f->law);
    add_executors(w, 1, 0, f->classes);
    if (f->kind == FORM_PRIORITY)
        w->serve = "closed-priority";
    if (f->kind == FORM_PREEMPT)
        w->serve = "closed-preemptive";
    w->asks[0].shared_slots = f->kind == FORM_SHARED;
    w->asks[0].slots = f->kind == FORM_SHARED ? 128 : 1; /* as good as any number at 70 % */
}

static void make_queue(world *w, const closed_form *f)
{
    add_service(w, f->rate, f->mean, f->law);
    add_executors(w, f->kind == FORM_BULK ? 1 : f->servers, 0, 1);
    if (f->kind == FORM_ROOM)
        w->services[0].bound = f->room - 1; /* that wait, beside the one served */
    if (f->kind == FORM_LOSS)
        w->serve = "closed-loss";
    if (f->kind != FORM_BULK)
        return;
    w->profiles[0].alpha = f->alpha;
    w->profiles[0].beta = f->beta;
    w->variants[0].max_batch = f->most;
    w->serve = "closed-greedy";
}

static double total_rate(const closed_form *f)
{
    double rate = f->rate;
    for (int32_t i = 0; i < f->classes; i++)
        rate += f->rates[i];
    return rate;
}

static void make_world(world *w, const closed_form *f, double requests)
{
    *w = (world){.class_ = {.name = "all", .slo = ORR_TIME_MAX, .part = 1, .weight = 1}, .serve = ""};
    w->all = (orr_services){.name = f->id, .path = "", .digest = "", .services = w->services, .executors = w->asks};
    switch (f->kind) {
    case FORM_PIPELINE:
        make_pipeline(w, f);
        break;
    case FORM_SPLIT:
        make_split(w, f);
        break;
    case FORM_MIX:
    case FORM_PRIORITY:
    case FORM_PREEMPT:
    case FORM_SHARED:
        make_classes(w, f);
        break;
    default:
        make_queue(w, f);
    }
    const orr_time ends = orr_time_from_seconds(requests / total_rate(f));
    for (int32_t i = 0; i < w->all.count; i++)
        w->services[i].source.until = ends;
    w->all.warm_up = ends / 10;
}

/* ---- what is seen
 * --------------------------------------------------------------------------------------------------- */

typedef struct request {
    orr_time arrival, start, end;
    int32_t service;
} request;

typedef struct service_seen {
    uint64_t answered, dropped, delayed, over;
    double wait, response; /* sums, seconds */
} service_seen;

typedef struct seen {
    const closed_form *form;
    service_seen of[SERVICES];
    bool replay;
    ORR_VEC(request) requests; /* all that were answered, also in the warm-up */
    uint64_t all;
} seen;

static void see(void *self, const orr_request_record *r)
{
    seen *s = self;
    service_seen *v = &s->of[r->service];
    s->all++;
    if (s->replay && r->answered)
        ORR_VEC_PUSH(&s->requests, ((request){r->arrival, r->start, r->end, r->service}));
    if (!r->measured)
        return;
    if (!r->answered) {
        v->dropped++;
        return;
    }
    const double wait = (double)(r->start - r->arrival) * 1e-9;
    v->answered++;
    v->wait += wait;
    v->response += (double)(r->end - r->arrival) * 1e-9;
    v->delayed += r->start > r->arrival;
    v->over += wait > s->form->over;
}

static service_seen sum_of(const seen *s)
{
    service_seen sum = {0};
    for (int32_t i = 0; i < SERVICES; i++) {
        sum.answered += s->of[i].answered;
        sum.dropped += s->of[i].dropped;
        sum.delayed += s->of[i].delayed;
        sum.over += s->of[i].over;
        sum.wait += s->of[i].wait;
        sum.response += s->of[i].response;
    }
    return sum;
}

/* ---- the replay: earliest free server, in order of arrival
 * ---------------------------------------------------------- */

static int by_arrival(const void *a, const void *b)
{
    const request *x = a, *y = b;
    if (x->arrival != y->arrival)
        return x->arrival < y->arrival ? -1 : 1;
    return x->service - y->service;
}

static int32_t earliest(const orr_time *free_at, int32_t servers)
{
    int32_t best = 0;
    for (int32_t i = 1; i < servers; i++)
        best = free_at[i] < free_at[best] ? i : best;
    return best;
}

static orr_time later(orr_time a, orr_time b)
{
    return a > b ? a : b;
}

/* Of one queue with so many servers: a request begins when it is there and a server is free. */
static size_t replay_queue(const seen *s, int32_t servers, int32_t service)
{
    orr_time free_at[128] = {0};
    size_t wrong = 0;
    for (size_t i = 0; i < s->requests.n; i++) {
        const request *r = &s->requests.at[i];
        if (service >= 0 && r->service != service)
            continue;
        const int32_t on = earliest(free_at, servers);
        wrong += r->start != later(r->arrival, free_at[on]);
        free_at[on] = r->end;
    }
    return wrong;
}

/* Two stages of equal length: the first is free again when half of it is over, and nobody waits for the second. */
static size_t replay_pipeline(const seen *s)
{
    const orr_time half = orr_time_from_seconds(s->form->mean / 2);
    orr_time free_at = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < s->requests.n; i++) {
        const request *r = &s->requests.at[i];
        const orr_time start = later(r->arrival, free_at);
        wrong += r->start != start || r->end != start + 2 * half;
        free_at = start + half;
    }
    return wrong;
}

static size_t replay(seen *s)
{
    const closed_form *f = s->form;
    size_t wrong = 0;
    qsort(s->requests.at, s->requests.n, sizeof *s->requests.at, by_arrival);
    switch (f->kind) {
    case FORM_QUEUE:
    case FORM_OVER:
    case FORM_ROOM:
    case FORM_LOSS:
        return replay_queue(s, f->servers, -1);
    case FORM_MIX:
        return replay_queue(s, 1, -1);
    case FORM_PIPELINE:
        return replay_pipeline(s);
    case FORM_SPLIT:
        for (int32_t i = 0; i < f->servers; i++)
            wrong += replay_queue(s, 1, i);
        return wrong;
    default:
        return 0; /* classes overtake, batches begin together */
    }
}

/* ---- what the formulas say, and what was seen
 * ----------------------------------------------------------------------- */

typedef struct report {
    closed_result *out;
    size_t next;
    double sums[CLOSED_VALUES], squares[CLOSED_VALUES];
} report;

static void say(report *r, const char *what, double expected, double got)
{
    closed_value *v = &r->out->values[r->next];
    snprintf(v->what, sizeof v->what, "%s", what);
    v->expected = expected;
    r->sums[r->next] += got;
    r->squares[r->next] += got * got;
    r->next++;
    r->out->count = r->next;
}

typedef struct outcome {
    const orr_serving *serving;
    service_seen all;
    double seconds; /* of the part that is measured */
    double busy;    /* part of the executors' time */
} outcome;

static double part(uint64_t some, uint64_t all)
{
    return (double)some / (double)all;
}

static void say_queue(report *r, const closed_form *f, const outcome *o)
{
    const double cv = f->law.law ? f->law.cv : 0;
    const orr_long_run run = f->servers > 1 ? orr_mmc(f->rate, 1 / f->mean, f->servers)
                                            : orr_mg1(f->rate, orr_moments_of(f->mean, cv));
    say(r, "utilization", run.busy, o->busy);
    say(r, "mean_wait_s", run.wait, o->all.wait / (double)o->all.answered);
    say(r, "mean_response_s", run.response, o->all.response / (double)o->all.answered);
    say(r, "mean_in_system", run.in_system, o->all.response / o->seconds);
    say(r, "mean_in_queue", run.waiting, o->all.wait / o->seconds);
    say(r, "prob_wait", run.delayed, part(o->all.delayed, o->all.answered));
    if (f->law.law != ORR_SCATTER_EXPONENTIAL)
        return;
    say(r, "p99_wait_s", orr_mmc_wait_quantile(f->rate, 1 / f->mean, f->servers, 0.99),
        orr_serving_quantile(o->serving, 0, ORR_SERVING_WAIT, 0.99));
    say(r, "p50_response_s", orr_mmc_quantile(f->rate, 1 / f->mean, f->servers, 0.5),
        orr_serving_quantile(o->serving, 0, ORR_SERVING_LATENCY, 0.5));
    say(r, "p95_response_s", orr_mmc_quantile(f->rate, 1 / f->mean, f->servers, 0.95),
        orr_serving_quantile(o->serving, 0, ORR_SERVING_LATENCY, 0.95));
    say(r, "p99_response_s", orr_mmc_quantile(f->rate, 1 / f->mean, f->servers, 0.99),
        orr_serving_quantile(o->serving, 0, ORR_SERVING_LATENCY, 0.99));
}

static void say_mix(report *r, const closed_form *f, const outcome *o)
{
    const double rate = total_rate(f), parts[] = {f->rates[0] / rate, f->rates[1] / rate};
    const orr_long_run run = orr_mg1(rate, orr_moments_mix(parts, f->means, 2));
    say(r, "utilization", run.busy, o->busy);
    say(r, "mean_wait_s", run.wait, o->all.wait / (double)o->all.answered);
    say(r, "mean_response_s", run.response, o->all.response / (double)o->all.answered);
}

static void say_room(report *r, const closed_form *f, const outcome *o)
{
    const orr_long_run run = orr_mmck(f->rate, 1 / f->mean, f->servers, f->room);
    say(r, "loss_probability", run.lost, part(o->all.dropped, o->all.answered + o->all.dropped));
    say(r, "mean_in_system", run.in_system, o->all.response / o->seconds);
    say(r, "mean_response_accepted_s", run.response, o->all.response / (double)o->all.answered);
    say(r, "goodput_per_s", f->rate * (1 - run.lost), (double)o->all.answered / o->seconds);
}

static void say_one(report *r, const char *what, double expected, const outcome *o)
{
    say(r, what, expected, o->all.response / (double)o->all.answered);
}

static void say_priority(report *r, const closed_form *f, const seen *s)
{
    orr_load_class classes[SERVICES];
    double wait[SERVICES], response[SERVICES];
    const bool preempts = f->kind == FORM_PREEMPT;
    for (int32_t i = 0; i < f->classes; i++)
        classes[i] = (orr_load_class){f->rates[i], orr_moments_of(f->means[i], f->law.law ? f->law.cv : 0)};
    orr_priorities(classes, (size_t)f->classes, preempts, wait, response);
    for (int32_t i = 0; i < f->classes; i++) {
        char what[48];
        const service_seen *v = &s->of[i];
        snprintf(what, sizeof what, "class%d_%s_s", i,
                 preempts ? "preemptive_resume_mean_response" : "nonpreemptive_mean_wait");
        say(r, what, preempts ? response[i] : wait[i], (preempts ? v->response : v->wait) / (double)v->answered);
    }
}

/* Whoever is twice as long stays twice as long. */
static void say_shared(report *r, const closed_form *f, const seen *s, const outcome *o)
{
    const double mean = (f->means[0] + f->means[1]) / 2; /* they are as frequent */
    const double rate = total_rate(f);
    say(r, "mean_response_s", orr_shared_response(rate, mean, mean), o->all.response / (double)o->all.answered);
    for (int32_t i = 0; i < f->classes; i++)
        say(r, i ? "conditional_slowdown, 15 ms" : "conditional_slowdown, 5 ms", orr_shared_response(rate, mean, 1),
            s->of[i].response / (double)s->of[i].answered / f->means[i]);
}

static void say_bulk(report *r, const closed_form *f, const outcome *o)
{
    double seconds[64];
    orr_bulk b = {0};
    for (int32_t i = 0; i < f->most; i++)
        seconds[i] = f->alpha + f->beta * (i + 1);
    orr_bulk_service(f->rate, seconds, f->most, &b);
    const orr_service_counts c = orr_serving_count(o->serving, 0);
    say(r, "mean_batch", b.batch, part(c.batched, c.batches));
    say(r, "throughput_per_s", f->rate, (double)o->all.answered / o->seconds);
    say(r, "mean_in_system", b.in_system, o->all.response / o->seconds);
    say(r, "mean_response_s", b.response, o->all.response / (double)o->all.answered);
    say(r, "utilization", b.busy, o->busy);
}

static void compare(report *r, const closed_form *f, const seen *s, const outcome *o)
{
    const double stages[] = {f->mean / 2, f->mean / 2};
    switch (f->kind) {
    case FORM_QUEUE:
        say_queue(r, f, o);
        break;
    case FORM_MIX:
        say_mix(r, f, o);
        break;
    case FORM_OVER:
        say(r, "P_wait_gt_T", orr_mmc_wait_over(f->rate, 1 / f->mean, f->servers, f->over),
            part(o->all.over, o->all.answered));
        break;
    case FORM_LOSS:
        say(r, "loss_probability", orr_erlang_b(f->rate * f->mean, f->servers),
            part(o->all.dropped, o->all.answered + o->all.dropped));
        break;
    case FORM_ROOM:
        say_room(r, f, o);
        break;
    case FORM_SPLIT:
        say_one(r, "mean_response_s", orr_mg1(f->rate / f->servers, orr_moments_of(f->mean, f->law.cv)).response, o);
        break;
    case FORM_PIPELINE:
        say_one(r, "mean_response_pipeline_s", orr_pipeline_response(f->rate, stages, 2), o);
        break;
    case FORM_PRIORITY:
    case FORM_PREEMPT:
        say_priority(r, f, s);
        break;
    case FORM_SHARED:
        say_shared(r, f, s, o);
        break;
    case FORM_BULK:
        say_bulk(r, f, o);
        break;
    }
}

/* ---- running
 * -------------------------------------------------------------------------------------------------------- */

static orr_err run_seed(const closed_form *f, double requests, uint64_t seed, const orr_cluster_spec *cluster,
                        const orr_registry *registry, bool again, report *r, orr_error *e)
{
    world w;
    make_world(&w, f, requests);
    seen s = {.form = f, .replay = again};
    const orr_serving_sink sink = {.self = &s, .request = see};
    orr_sim_options options = orr_sim_options_default();
    options.registry = registry;
    options.services = &w.all;
    options.serve = w.serve;
    options.serving_sink = &sink;
    options.seed = seed;
    orr_sim *sim = orr_sim_create(NULL, cluster, &options, NULL, e);
    orr_err err = sim ? orr_sim_run(sim, e) : e->code;
    if (!err) {
        outcome o = {.serving = orr_sim_serving(sim), .all = sum_of(&s)};
        double busy, there, gpu_seconds;
        orr_serving_use(o.serving, &busy, &there, &gpu_seconds);
        o.busy = busy / there;
        o.seconds = (double)(w.services[0].source.until - w.all.warm_up) * 1e-9;
        r->next = 0;
        compare(r, f, &s, &o);
        r->out->out_of_order += again ? replay(&s) : 0;
        r->out->requests += s.all;
    }
    ORR_VEC_FREE(&s.requests);
    orr_sim_destroy(sim);
    return err;
}

static void average(report *r, int seeds, double requests)
{
    for (size_t i = 0; i < r->out->count; i++) {
        const double mean = r->sums[i] / seeds;
        const double variance = seeds > 1 ? fmax(r->squares[i] - seeds * mean * mean, 0) / (seeds - 1) : 0;
        r->out->values[i].got = mean;
        r->out->values[i].spread = sqrt(variance * requests) / mean;
    }
}

orr_err closed_form_run(const closed_form *f, double requests, int seeds, uint64_t first, bool replay_too,
                        closed_result *out, orr_error *e)
{
    *out = (closed_result){.count = 0};
    report r = {.out = out};
    orr_registry *registry = orr_registry_create();
    orr_cluster_spec *cluster = orr_cluster_spec_load("nodes=13,gpus=8", NULL, e);
    orr_err err = cluster ? ORR_OK : e->code;
    for (size_t i = 0; i < sizeof modules / sizeof *modules && !err; i++)
        err = orr_registry_add(registry, modules[i], e);
    for (int i = 0; i < seeds && !err; i++)
        err = run_seed(f, requests, first + (uint64_t)i, cluster, registry, replay_too, &r, e);
    if (!err)
        average(&r, seeds, requests);
    orr_cluster_spec_destroy(cluster);
    orr_registry_destroy(registry);
    return err;
}
