/* The searches of all parts go on in step: a round runs what each of them wants next. */
#include "study/plan.h"

#include "study/claim_number.h"
#include "study/pool.h"
#include <math.h>
#include <stdlib.h>

/* A probe of the round at hand. */
typedef struct errand {
    size_t part;
    int64_t nodes;
} errand;

typedef struct work {
    const orr_plan_ask *ask;
    orr_stock *stock;
    orr_plan *plan;
    ORR_VEC(errand) round;
    orr_error error; /* of the first probe of the round that failed */
    size_t failed;   /* its place in the round */
    bool stopped;
} work;

/* ---- targets ---- */

orr_err orr_target_parse(const char *text, orr_target *out, orr_error *e)
{
    orr_target t = {.text = text};
    size_t n = 0;
    orr_err err = orr_claim_bound_parse(text, &n, &t.bound, e);
    if (err)
        return err;
    if (n >= sizeof t.metric) {
        orr_error_set(e, ORR_E_BAD_VALUE, "a target's metric has at most %zu bytes", sizeof t.metric - 1);
        return ORR_E_BAD_VALUE;
    }
    memcpy(t.metric, text, n);
    err = orr_number_check(t.metric, &t.expression, e);
    if (!err)
        *out = t;
    return err;
}

/* ---- one probe, where it is done ---- */

/* What a probe sends home, followed by the values of the targets. */
typedef struct answer {
    int64_t gpus;
    uint64_t rejected;
    bool stalled, no_room;
} answer;

static void put_answer(const work *w, const orr_case_result *result, orr_text *out)
{
    answer a = {0};
    memset(&a, 0, sizeof a);
    a.gpus = (int64_t)result->metrics[0].gpus;
    a.rejected = result->metrics[0].jobs.rejected;
    a.stalled = result->code == ORR_E_STALLED;
    orr_text_add(out, (const char *)&a, sizeof a);
    cJSON *summary = cJSON_Parse(result->summary.at);
    for (size_t i = 0; i < w->ask->target_count; i++) {
        const double v = orr_number_of(summary, w->ask->targets[i].metric);
        orr_text_add(out, (const char *)&v, sizeof v);
    }
    cJSON_Delete(summary);
}

static void put_no_room(const work *w, const orr_case *c, orr_text *out)
{
    const double none = NAN;
    answer a;
    memset(&a, 0, sizeof a);
    const orr_cluster_spec *cluster = orr_stock_cluster(w->stock, c, NULL);
    a.gpus = cluster ? orr_cluster_spec_gpus(cluster) : 0;
    a.no_room = true;
    orr_text_add(out, (const char *)&a, sizeof a);
    for (size_t i = 0; i < w->ask->target_count; i++)
        orr_text_add(out, (const char *)&none, sizeof none);
}

/* An interrupt doesn't wait for the end of a long probe. */
static bool go_on(void *self, orr_sim *sim)
{
    const work *w = self;
    (void)sim;
    return !w->ask->tick || w->ask->tick(w->ask->tick_self);
}

static orr_err do_probe(void *self, size_t i, orr_text *out, orr_error *e)
{
    const work *w = self;
    const orr_case_hooks hooks = {.more = go_on, .more_self = self};
    const errand *at = &w->round.at[i];
    orr_case conditions = w->plan->parts.at[at->part].conditions;
    orr_case_result result = {0};
    orr_text cluster = {0};
    orr_text_addf(&cluster, "nodes=%lld,%s", (long long)at->nodes, w->ask->node);
    conditions.cluster = cluster.at;
    orr_err err = orr_case_run(&conditions, w->stock, &hooks, &result, e);
    if (err == ORR_E_NO_ROOM) {
        put_no_room(w, &conditions, out);
        *e = (orr_error){0};
        err = ORR_OK;
    } else if (!err && result.stop == ORR_STOP_INTERRUPTED)
        err = orr_error_set(e, ORR_E_INTERRUPTED, "interrupted: the plan isn't made");
    else if (!err && (!result.code || result.code == ORR_E_STALLED))
        put_answer(w, &result, out);
    else if (!err)
        err = result.code;
    orr_case_result_fini(&result);
    orr_text_fini(&cluster);
    return err;
}

/* ---- what comes back ---- */

static bool is_met(const orr_plan_ask *ask, const orr_plan_probe *p)
{
    if (p->stalled || p->no_room || (p->rejected && !ask->allow_rejected))
        return false;
    for (size_t i = 0; i < ask->target_count; i++)
        if (!orr_claim_bound_holds(&ask->targets[i].bound, p->values[i]))
            return false;
    return true;
}

static void take_answer(work *w, const errand *at, const orr_text *bytes)
{
    const size_t size = w->ask->target_count * sizeof(double);
    orr_plan_part *part = &w->plan->parts.at[at->part];
    answer a;
    if (bytes->n != sizeof a + size)
        return;
    memcpy(&a, bytes->at, sizeof a);
    orr_plan_probe p = {.nodes = at->nodes, .gpus = a.gpus, .stalled = a.stalled, .no_room = a.no_room,
                        .rejected = a.rejected};
    p.values = orr_xmalloc(size + 1);
    memcpy(p.values, bytes->at + sizeof a, size);
    p.met = is_met(w->ask, &p);
    orr_plan_search_tell(part->search, p.nodes, p.met);
    ORR_VEC_PUSH(&part->probes, p);
}

static bool take_probe(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    work *w = self;
    if (!error) {
        take_answer(w, &w->round.at[i], bytes);
    } else if (!w->error.code || i < w->failed) {
        w->error = *error;
        w->failed = i;
    }
    return true;
}

static bool tick(void *self)
{
    work *w = self;
    w->stopped = w->ask->tick && !w->ask->tick(w->ask->tick_self);
    return !w->stopped;
}

/* ---- rounds ---- */

static bool next_round(work *w)
{
    w->round.n = 0;
    for (size_t i = 0; i < w->plan->parts.n; i++) {
        size_t n = 0;
        const int64_t *sizes = orr_plan_search_next(w->plan->parts.at[i].search, &n);
        for (size_t k = 0; k < n; k++)
            ORR_VEC_PUSH(&w->round, ((errand){i, sizes[k]}));
    }
    return w->round.n > 0;
}

static orr_err run_round(work *w, orr_error *e)
{
    const orr_pool_work pool = {.self = w, .piece = do_probe, .done = take_probe, .tick = tick};
    size_t *list = orr_xcalloc(w->round.n, sizeof *list);
    for (size_t i = 0; i < w->round.n; i++)
        list[i] = i;
    orr_err err = orr_pool_run(&pool, list, w->round.n, w->ask->jobs, e);
    free(list);
    if (err)
        return err;
    if (w->stopped)
        return orr_error_set(e, ORR_E_INTERRUPTED, "interrupted: the plan isn't made");
    if (w->error.code && e)
        *e = w->error;
    return w->error.code;
}

/* ---- parts ---- */

static int by_name(const void *a, const void *b)
{
    return orr_natural_compare(((const orr_plan_part *)a)->vc, ((const orr_plan_part *)b)->vc);
}

static orr_err missing_vc(const orr_trace_job *job, const orr_trace *trace, orr_error *e)
{
    orr_error_set(e, ORR_E_MISSING, "--split vc gives each virtual cluster its own nodes, and job %s names none",
                  job->id);
    orr_error_at(e, orr_trace_name(trace), (int)job->line, 0);
    orr_error_hint(e, "leave such jobs out: --where 'known(vc)'");
    return ORR_E_MISSING;
}

static orr_err split(work *w, orr_error *e)
{
    const orr_trace_job *jobs = orr_trace_jobs(w->plan->trace);
    orr_names *names = orr_names_create();
    orr_err err = ORR_OK;
    for (size_t i = 0; i < orr_trace_count(w->plan->trace) && !err; i++) {
        if (!jobs[i].vc[0]) {
            err = missing_vc(&jobs[i], w->plan->trace, e);
            break;
        }
        const uint32_t id = orr_names_id(names, jobs[i].vc, strlen(jobs[i].vc));
        if (id == w->plan->parts.n)
            ORR_VEC_PUSH(&w->plan->parts, ((orr_plan_part){.vc = jobs[i].vc, .conditions = *w->ask->base}));
        w->plan->parts.at[id].trace_jobs++;
    }
    orr_names_destroy(names);
    if (!err)
        qsort(w->plan->parts.at, w->plan->parts.n, sizeof *w->plan->parts.at, by_name);
    return err;
}

/* The selection of each part is made here, before workers are forked: they share it then. */
static orr_err prepare(work *w, orr_plan_part *part, orr_error *e)
{
    part->search = orr_plan_search_create(w->ask->range);
    for (size_t i = 0; i < w->ask->target_count; i++)
        if (w->ask->targets[i].expression)
            ORR_VEC_PUSH(&part->metrics, w->ask->targets[i].metric);
    part->conditions.metrics = part->metrics;
    if (!part->vc[0])
        return ORR_OK;
    ORR_VEC_PUSH(&part->vcs, part->vc);
    part->conditions.vcs = part->vcs;
    return orr_stock_trace(w->stock, &part->conditions, e) ? ORR_OK : e->code;
}

static orr_err make_parts(work *w, orr_error *e)
{
    orr_plan *p = w->plan;
    orr_err err = ORR_OK;
    p->trace = orr_stock_trace(w->stock, w->ask->base, e);
    if (!p->trace)
        return e->code;
    err = orr_stock_services(w->stock, w->ask->base, &p->services, e);
    if (err)
        return err;
    if (w->ask->by_vc)
        err = split(w, e);
    else
        ORR_VEC_PUSH(&p->parts, ((orr_plan_part){.vc = "", .conditions = *w->ask->base,
                                                 .trace_jobs = orr_trace_count(p->trace)}));
    for (size_t i = 0; i < p->parts.n && !err; i++)
        err = prepare(w, &p->parts.at[i], e);
    return err;
}

/* ---- the plan ---- */

static int by_nodes(const void *a, const void *b)
{
    const int64_t x = ((const orr_plan_probe *)a)->nodes, y = ((const orr_plan_probe *)b)->nodes;
    return (x > y) - (x < y);
}

orr_err orr_plan_make(const orr_plan_ask *ask, orr_stock *stock, orr_plan *out, orr_error *e)
{
    work w = {.ask = ask, .stock = stock, .plan = out};
    orr_error own = {0};
    *out = (orr_plan){.ask = ask};
    orr_err err = make_parts(&w, &own);
    while (!err && next_round(&w))
        err = run_round(&w, &own);
    for (size_t i = 0; i < out->parts.n; i++)
        if (out->parts.at[i].probes.n)
            qsort(out->parts.at[i].probes.at, out->parts.at[i].probes.n, sizeof(orr_plan_probe), by_nodes);
    ORR_VEC_FREE(&w.round);
    if (err && e)
        *e = own;
    return err;
}

void orr_plan_fini(orr_plan *plan)
{
    for (size_t i = 0; i < plan->parts.n; i++) {
        orr_plan_part *part = &plan->parts.at[i];
        for (size_t k = 0; k < part->probes.n; k++)
            free(part->probes.at[k].values);
        ORR_VEC_FREE(&part->probes);
        ORR_VEC_FREE(&part->vcs);
        ORR_VEC_FREE(&part->metrics);
        orr_plan_search_destroy(part->search);
    }
    ORR_VEC_FREE(&plan->parts);
}

const orr_plan_probe *orr_plan_found(const orr_plan_part *part)
{
    for (size_t i = 0; i < part->probes.n; i++)
        if (part->probes.at[i].met)
            return &part->probes.at[i];
    return NULL;
}

bool orr_plan_met(const orr_plan *plan)
{
    for (size_t i = 0; i < plan->parts.n; i++)
        if (!orr_plan_found(&plan->parts.at[i]))
            return false;
    return plan->parts.n > 0;
}
