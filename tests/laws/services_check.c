#include "services_check.h"

#include "serve/serving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void keep_request(void *self, const orr_request_record *r)
{
    served *s = self;
    ORR_VEC_PUSH(&s->records, *r);
}

static void keep_batch(void *self, const orr_batch_run *b)
{
    served *s = self;
    ORR_VEC_PUSH(&s->batches, ((served_batch){b->exec_id, b->service, b->variant, b->size, b->start, b->end}));
}

static int by_number(const void *a, const void *b)
{
    const orr_request_record *x = a, *y = b;
    if (x->service != y->service)
        return x->service < y->service ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_exec(const void *a, const void *b)
{
    const served_batch *x = a, *y = b;
    if (x->exec != y->exec)
        return x->exec < y->exec ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

void serve_world(const services_world *w, const serve_how *how, served *out)
{
    orr_sim_options options = orr_sim_options_default();
    const orr_serving_sink sink = {.self = out, .request = keep_request, .batch = keep_batch};
    orr_cluster_spec *cluster = orr_cluster_spec_load("nodes=4,gpus=8,type=V100", NULL, NULL);
    *out = (served){.w = w};
    options.services = &w->all;
    options.serve = how->modules;
    options.registry = how->registry;
    options.skip_violations = how->skips;
    options.serving_sink = &sink;
    options.until = w->until;
    options.seed = w->seed;
    options.max_events = 400000; /* some thousand would do: a run without end is found out soon */
    out->sim = orr_sim_create(NULL, cluster, &options, NULL, &out->error);
    out->seated = out->sim != NULL;
    if (out->sim && orr_sim_run(out->sim, &out->error) == ORR_OK && orr_sim_stop(out->sim) == ORR_STOP_LIMIT)
        orr_error_set(&out->error, ORR_E_NO_PROGRESS, "the run doesn't end");
    if (out->sim) {
        out->serving = orr_sim_serving(out->sim);
        out->ended = orr_sim_now(out->sim);
    }
    if (out->records.n)
        qsort(out->records.at, out->records.n, sizeof *out->records.at, by_number);
    if (out->batches.n)
        qsort(out->batches.at, out->batches.n, sizeof *out->batches.at, by_exec);
    orr_cluster_spec_destroy(cluster);
}

void served_fini(served *s)
{
    orr_sim_destroy(s->sim);
    ORR_VEC_FREE(&s->records);
    ORR_VEC_FREE(&s->batches);
    *s = (served){0};
}

/* ---- one request, one batch -------------------------------------------------------------------------------------- */

#define FAILS(...) return snprintf(text, SERVED_TEXT, __VA_ARGS__), text

static const char *check_record(const served *s, const orr_request_record *r, const orr_request_record *before,
                                char text[SERVED_TEXT])
{
    const orr_service *v = &s->w->services[r->service];
    if (before && before->service == r->service && before->number == r->number)
        FAILS("request %u of '%s' had its last word twice", r->number, v->name);
    if (r->end < r->arrival || r->end > orr_time_add(s->ended, v->reply))
        FAILS("request %u of '%s' ends at %lld, and arrived at %lld", r->number, v->name, (long long)r->end,
              (long long)r->arrival);
    if (r->answered && (r->start < r->arrival || r->start > r->end))
        FAILS("request %u of '%s': arrival %lld, start %lld, end %lld", r->number, v->name, (long long)r->arrival,
              (long long)r->start, (long long)r->end);
    if (r->answered && r->late != (r->end > r->deadline))
        FAILS("request %u of '%s' is late or it isn't", r->number, v->name);
    if (r->measured != (r->arrival >= s->w->all.warm_up))
        FAILS("request %u of '%s' is measured or it isn't", r->number, v->name);
    if (!r->answered && r->why == ORR_DROP_TIMEOUT && !v->edge_count && !v->cache.items &&
        r->end - r->arrival < v->timeout)
        FAILS("request %u of '%s' left after %lld", r->number, v->name, (long long)(r->end - r->arrival));
    return NULL;
}

/* In batches that are sorted: at most so many at once. */
static const char *check_batches(const served *s, char text[SERVED_TEXT])
{
    for (size_t i = 0; i < s->batches.n; i++) {
        const served_batch *b = &s->batches.at[i];
        const orr_sv_exec *e = &s->serving->execs.at[b->exec];
        int32_t beside = 0;
        if (b->size < 1 || b->size > s->serving->variants.at[b->variant].spec->max_batch || b->end < b->start)
            FAILS("a batch of %d from %lld to %lld", b->size, (long long)b->start, (long long)b->end);
        for (size_t k = 0; k <= i; k++)
            beside += s->batches.at[k].exec == b->exec && s->batches.at[k].start <= b->start &&
                      s->batches.at[k].end > b->start;
        if (e->stages == 1 && beside > e->slots)
            FAILS("%d batches at once on %d slots of executor %d", beside, e->slots, b->exec);
    }
    return NULL;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

typedef struct sums {
    uint64_t answered, late, dropped[ORR_DROP_KINDS], early, all;
    double waited, present;
} sums;

static sums sums_of(const served *s, orr_service_id service)
{
    sums t = {0};
    for (size_t i = 0; i < s->records.n; i++) {
        const orr_request_record *r = &s->records.at[i];
        if (r->service != service)
            continue;
        t.all++;
        t.early += !r->measured;
        if (!r->measured)
            continue;
        t.answered += r->answered;
        t.late += r->answered && r->late;
        if (!r->answered)
            t.dropped[r->why]++;
        t.waited += (double)((r->answered ? r->start : r->end) - r->arrival) * 1e-9;
        t.present += (double)(r->end - r->arrival) * 1e-9;
    }
    return t;
}

static uint64_t in_queues(const orr_serving *s, orr_service_id service)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->variants.n; i++)
        n += s->variants.at[i].service == service ? s->variants.at[i].central.n : 0;
    for (size_t i = 0; i < s->replicas.n; i++)
        n += s->variants.at[s->replicas.at[i].variant].service == service ? s->replicas.at[i].queue.n : 0;
    return n;
}

static uint64_t in_batches(const orr_serving *s, orr_service_id service)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->execs.n; i++)
        for (size_t k = 0; k < s->execs.at[i].at.n; k++) {
            const orr_sv_slot *slot = &s->execs.at[i].at.at[k];
            if (slot->size && s->variants.at[s->replicas.at[slot->replica].variant].service == service)
                n += (uint64_t)slot->size;
        }
    return n;
}

/* Those in flight are in a queue or a batch, where nothing sends them elsewhere or makes copies. */
static const char *check_in_flight(const served *s, orr_service_id id, const orr_service_counts *c, const sums *t,
                                   char text[SERVED_TEXT])
{
    const orr_sv_service *v = &s->serving->services.at[id];
    const uint64_t there = in_queues(s->serving, id) + in_batches(s->serving, id);
    const uint64_t told = c->arrived + c->warm_up - t->all; /* all that came, less those that had their last word */
    if (c->arrived + c->warm_up < t->all || c->in_flight > told)
        FAILS("'%s': %llu in flight, %llu are", v->spec->name, (unsigned long long)c->in_flight,
              (unsigned long long)told);
    if (!v->linked && !v->cache && (there > told || (there < told && !s->serving->calls)))
        FAILS("'%s': %llu wait or run, %llu had no last word", v->spec->name, (unsigned long long)there,
              (unsigned long long)told);
    return NULL;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

static const char *check_service(const served *s, orr_service_id id, char text[SERVED_TEXT])
{
    const orr_service_counts c = orr_serving_count(s->serving, id);
    const sums t = sums_of(s, id);
    const char *name = s->w->services[id].name;
    uint64_t dropped = 0;
    for (int i = 0; i < ORR_DROP_KINDS; i++) {
        dropped += c.dropped[i];
        if (c.dropped[i] != t.dropped[i])
            FAILS("'%s': %llu dropped for reason %d, %llu were told", name, (unsigned long long)c.dropped[i], i,
                  (unsigned long long)t.dropped[i]);
    }
    if (c.arrived != c.answered + dropped + c.in_flight || c.in_flight > c.arrived)
        FAILS("'%s': %llu arrived, %llu answered, %llu dropped, %llu in flight", name, (unsigned long long)c.arrived,
              (unsigned long long)c.answered, (unsigned long long)dropped, (unsigned long long)c.in_flight);
    if (c.answered != t.answered || c.late != t.late)
        FAILS("'%s': %llu answered, %llu late; told: %llu, %llu", name, (unsigned long long)c.answered,
              (unsigned long long)c.late, (unsigned long long)t.answered, (unsigned long long)t.late);
    if (c.members < c.members_answered + c.members_dropped)
        FAILS("'%s': %llu members, more had their last word", name, (unsigned long long)c.members);
    if (!near(c.waited, t.waited) || !near(c.present, t.present))
        FAILS("'%s': waited %.9g, present %.9g s; told: %.9g, %.9g", name, c.waited, c.present, t.waited, t.present);
    return check_in_flight(s, id, &c, &t, text);
}

static const char *check_use(const served *s, char text[SERVED_TEXT])
{
    double busy, there, gpu_seconds;
    int64_t held = 0;
    orr_serving_use(s->serving, &busy, &there, &gpu_seconds);
    for (size_t i = 0; i < s->serving->execs.n; i++)
        held +=
            s->serving->execs.at[i].alive ? (int64_t)s->serving->execs.at[i].gpus * s->serving->execs.at[i].milli : 0;
    if (busy > there + 1e-9)
        FAILS("busy %.9g of %.9g slot-seconds", busy, there);
    if (held != s->serving->milli_held)
        FAILS("executors hold %lld, the ledger says %lld", (long long)held, (long long)s->serving->milli_held);
    return NULL;
}

const char *check_served(const served *s, char text[SERVED_TEXT])
{
    const char *wrong = NULL;
    if (s->error.code)
        FAILS("the run fails: %.200s", s->error.message);
    /* what comes, comes within seconds; who waits for it longest is asked once an hour */
    if (s->ended > 3 * 3600 * ORR_SECOND)
        FAILS("it ends at %lld", (long long)s->ended);
    for (size_t i = 0; i < s->records.n && !wrong; i++)
        wrong = check_record(s, &s->records.at[i], i ? &s->records.at[i - 1] : NULL, text);
    for (int32_t i = 0; i < s->w->all.count && !wrong; i++)
        wrong = check_service(s, i, text);
    if (!wrong)
        wrong = check_batches(s, text);
    return wrong ? wrong : check_use(s, text);
}

/* ---- two runs ---------------------------------------------------------------------------------------------------- */

static bool equal(const orr_request_record *a, const orr_request_record *b)
{
    return a->service == b->service && a->number == b->number && a->answered == b->answered && a->late == b->late &&
           a->class_ == b->class_ && a->arrival == b->arrival && a->start == b->start && a->end == b->end &&
           a->exec == b->exec && a->batch == b->batch && a->variant == b->variant && (a->answered || a->why == b->why);
}

const char *check_equal(const served *a, const served *b, char text[SERVED_TEXT])
{
    if (a->error.code || b->error.code)
        FAILS("a run fails: %.200s", a->error.code ? a->error.message : b->error.message);
    for (size_t i = 0; i < a->records.n && i < b->records.n; i++)
        if (!equal(&a->records.at[i], &b->records.at[i])) {
            const orr_request_record *x = &a->records.at[i], *y = &b->records.at[i];
            FAILS("request %d/%u and %d/%u: start %lld and %lld, end %lld and %lld, answered %d and %d, executor %d "
                  "and %d",
                  x->service, x->number, y->service, y->number, (long long)x->start, (long long)y->start,
                  (long long)x->end, (long long)y->end, x->answered, y->answered, x->exec, y->exec);
        }
    if (a->records.n != b->records.n)
        FAILS("%zu requests had their last word, and %zu", a->records.n, b->records.n);
    return NULL;
}

const char *check_same_end(const served *a, const served *b, char text[SERVED_TEXT])
{
    if (a->ended != b->ended)
        FAILS("they end at %lld and %lld", (long long)a->ended, (long long)b->ended);
    return NULL;
}
