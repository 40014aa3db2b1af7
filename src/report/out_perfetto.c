/* Chrome's trace format as a JSON object, streamed. pid is a node + 1 and tid a GPU + 1, since 0 means "idle" to
 * viewers; names come by metadata when a node or GPU is first heard of. Times are microseconds with the nanoseconds
 * behind the point. Attempts on parts of a GPU overlap, which events of a thread may not: they are asynchronous ones,
 * with an id each. An arrow begins within the attempt that it leaves, 1 ns before its end, since a viewer binds it to
 * the event around that instant. */
#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/out.h"

#include <inttypes.h>
#include <math.h>

enum { COUNTERS_PID = 1000000, MANY = 1000000 };

/* A node and a GPU of it, and when an attempt that may go on elsewhere held it. */
typedef struct left {
    int32_t node;
    int gpu;
    orr_time start, end;
    bool open;
} left;

enum { TOTAL, HELD, QUEUED, ASKED, SERIES };
static const char *const series_names[SERIES] = {"gpus_total", "gpus_held", "jobs_queued", "gpus_queued"};

typedef struct pool {
    char *name;
    double value[SERIES];
    bool changed;
} pool;

typedef struct perfetto {
    orr_output *out;
    uint64_t events, arrows, shared, without_gpus;
    ORR_VEC(uint64_t) named; /* GPUs that have a name, by node */
    orr_names *ids;          /* of jobs that were interrupted */
    ORR_VEC(left) left;      /* by id */
    ORR_VEC(pool) pools;
    orr_time at;
    orr_error *e;
} perfetto;

/* ---- JSON ---- */

static void put_text(orr_output *out, const char *text)
{
    orr_output_text(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            orr_output_printf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            orr_output_printf(out, "\\u%04x", (unsigned)*c);
        else
            orr_output_write(out, c, 1);
    }
    orr_output_text(out, "\"");
}

static void put_us(orr_output *out, orr_time t)
{
    const orr_time whole = t / 1000, rest = t % 1000;
    orr_output_printf(out, "%" PRId64, whole);
    if (rest)
        orr_output_printf(out, ".%03" PRId64, rest < 0 ? -rest : rest);
}

static void begin_event(perfetto *p, const char *phase)
{
    orr_output_printf(p->out, "%s\n{\"ph\":\"%s\"", p->events++ ? "," : "", phase);
}

static void put_place(perfetto *p, int32_t node, int gpu)
{
    orr_output_printf(p->out, ",\"pid\":%d,\"tid\":%d", node + 1, gpu + 1);
}

static void put_at(perfetto *p, orr_time t)
{
    orr_output_text(p->out, ",\"ts\":");
    put_us(p->out, t);
}

/* ---- names ---- */

static void name_something(perfetto *p, const char *what, int pid, int tid, const char *fmt, int number)
{
    begin_event(p, "M");
    orr_output_printf(p->out, ",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"", what, pid, tid);
    orr_output_printf(p->out, "%s %d\"}}", fmt, number);
}

static void sort_something(perfetto *p, const char *what, int pid, int tid, int index)
{
    begin_event(p, "M");
    orr_output_printf(p->out, ",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"sort_index\":%d}}", what, pid, tid,
                      index);
}

static void name_gpu(perfetto *p, int32_t node, int gpu)
{
    while (p->named.n <= (size_t)node)
        ORR_VEC_PUSH(&p->named, 0);
    uint64_t *named = &p->named.at[node];
    if (*named >> gpu & 1)
        return;
    if (*named == 0) {
        name_something(p, "process_name", node + 1, 0, "node", node);
        sort_something(p, "process_sort_index", node + 1, 0, node + 1);
    }
    *named |= UINT64_C(1) << gpu;
    name_something(p, "thread_name", node + 1, gpu + 1, "GPU", gpu);
    sort_something(p, "thread_sort_index", node + 1, gpu + 1, gpu);
}

/* ---- attempts ---- */

static void begin_hold(perfetto *p, const char *phase, const orr_result_hold *h, int32_t node, int gpu)
{
    begin_event(p, phase);
    orr_output_text(p->out, ",\"name\":");
    put_text(p->out, h->id);
    orr_output_text(p->out, ",\"cat\":");
    put_text(p->out, h->reason);
    put_place(p, node, gpu);
}

static void put_args(perfetto *p, const orr_result_hold *h)
{
    char overhead[ORR_TIME_BUF] = "0";
    if (h->overhead != ORR_TIME_NONE)
        orr_time_format(h->overhead, overhead);
    orr_output_printf(p->out, ",\"args\":{\"attempt\":%" PRId64 ",\"gpus\":%d,\"nodes\":%d,\"overhead_s\":%s",
                      h->attempt, h->gpus, h->nodes, overhead);
}

static void put_hold(perfetto *p, const orr_result_hold *h, int32_t node, int gpu)
{
    name_gpu(p, node, gpu);
    begin_hold(p, "X", h, node, gpu);
    put_at(p, h->start);
    orr_output_text(p->out, ",\"dur\":");
    put_us(p->out, h->end - h->start);
    put_args(p, h);
    orr_output_text(p->out, "}}");
}

static void put_shared(perfetto *p, const orr_result_hold *h, int32_t node, int gpu, int32_t milli)
{
    name_gpu(p, node, gpu);
    p->shared++;
    begin_hold(p, "b", h, node, gpu);
    orr_output_printf(p->out, ",\"id\":%" PRIu64, p->shared);
    put_at(p, h->start);
    put_args(p, h);
    orr_output_printf(p->out, ",\"milli\":%d}}", milli);
    begin_hold(p, "e", h, node, gpu);
    orr_output_printf(p->out, ",\"id\":%" PRIu64, p->shared);
    put_at(p, h->end);
    orr_output_text(p->out, "}");
}

static void put_share(perfetto *p, const orr_result_hold *h, const orr_result_share *share)
{
    for (int i = 0; i < 64; i++) {
        if (!(share->gpus >> i & 1))
            continue;
        if (share->milli < 1000)
            put_shared(p, h, share->node, i, share->milli);
        else
            put_hold(p, h, share->node, i);
    }
}

static void put_arrow_end(perfetto *p, const char *phase, const char *more, int32_t node, int gpu, orr_time at)
{
    begin_event(p, phase);
    orr_output_printf(p->out, ",\"name\":\"next attempt\",\"cat\":\"job\",\"id\":%" PRIu64 "%s", p->arrows, more);
    put_place(p, node, gpu);
    put_at(p, at);
    orr_output_text(p->out, "}");
}

static void put_arrow(perfetto *p, const left *from, int32_t node, int gpu, orr_time at)
{
    p->arrows++;
    put_arrow_end(p, "s", "", from->node, from->gpu, from->end > from->start ? from->end - 1 : from->end);
    put_arrow_end(p, "f", ",\"bp\":\"e\"", node, gpu, at);
}

static bool is_last(const orr_result_hold *h)
{
    static const char *const ends[] = {"done", "failed", "killed", "open"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(h->reason, ends[i]) == 0)
            return true;
    return false;
}

/* The arrow from the attempt before, and what the next one will need. */
static void join_attempts(perfetto *p, const orr_result_hold *h, int32_t node, int gpu)
{
    int64_t id = orr_names_find(p->ids, h->id, strlen(h->id));
    if (id >= 0 && p->left.at[id].open)
        put_arrow(p, &p->left.at[id], node, gpu, h->start);
    if (id < 0 && is_last(h))
        return;
    id = orr_names_id(p->ids, h->id, strlen(h->id));
    if ((size_t)id == p->left.n)
        ORR_VEC_PUSH(&p->left, ((left){.open = false}));
    p->left.at[id] = (left){node, gpu, h->start, h->end, !is_last(h)};
}

static int lowest(uint64_t gpus)
{
    int i = 0;
    while (!(gpus >> i & 1))
        i++;
    return i;
}

static bool take_hold(void *self, const orr_result_hold *h)
{
    perfetto *p = self;
    const char *at = h->allocation;
    orr_result_share share, first = {.gpus = 0};
    while (*at && orr_result_slice(&at, &share)) {
        if (!first.gpus)
            first = share;
        put_share(p, h, &share);
    }
    if (*at) {
        orr_error_set(p->e, ORR_E_SYNTAX, "attempt %" PRId64 " of job %s has an allocation that can't be read",
                      h->attempt, h->id);
        orr_error_text(p->e, h->allocation, strlen(h->allocation));
        return false;
    }
    p->without_gpus += !first.gpus;
    if (first.gpus)
        join_attempts(p, h, first.node, lowest(first.gpus));
    return true;
}

/* ---- counters ---- */

static void put_counter(perfetto *p, const pool *of, const char *name, const char *one, double first, const char *other,
                        double second)
{
    char a[ORR_DOUBLE_BUF], b[ORR_DOUBLE_BUF];
    const bool whole = strcmp(of->name, "cluster") == 0;
    orr_format_double(first, a);
    orr_format_double(second, b);
    orr_text title = {0};
    orr_text_addf(&title, "%s%s%s", name, whole ? "" : " of ", whole ? "" : of->name);
    begin_event(p, "C");
    orr_output_text(p->out, ",\"name\":");
    put_text(p->out, title.at);
    orr_output_printf(p->out, ",\"pid\":%d,\"tid\":0", COUNTERS_PID);
    put_at(p, p->at);
    orr_output_printf(p->out, ",\"args\":{\"%s\":%s,\"%s\":%s}}", one, a, other, b);
    orr_text_fini(&title);
}

static void put_instant(perfetto *p)
{
    for (size_t i = 0; i < p->pools.n; i++) {
        pool *of = &p->pools.at[i];
        if (!of->changed)
            continue;
        put_counter(p, of, "queue", "jobs", of->value[QUEUED], "gpus", of->value[ASKED]);
        put_counter(p, of, "GPUs", "held", of->value[HELD], "free", of->value[TOTAL] - of->value[HELD]);
        of->changed = false;
    }
}

static pool *pool_of(perfetto *p, const char *entity)
{
    for (size_t i = 0; i < p->pools.n; i++)
        if (strcmp(p->pools.at[i].name, entity) == 0)
            return &p->pools.at[i];
    ORR_VEC_PUSH(&p->pools, ((pool){.name = orr_xstrdup(entity)}));
    return &p->pools.at[p->pools.n - 1];
}

/* A few series of an entity make one counter, told once an instant. */
static bool take_level(void *self, const orr_result_level *l)
{
    perfetto *p = self;
    if (l->t != p->at)
        put_instant(p);
    p->at = l->t;
    pool *of = pool_of(p, l->entity);
    for (int i = 0; i < SERIES; i++)
        if (strcmp(series_names[i], l->metric) == 0) {
            of->value[i] = isnan(l->value) ? 0 : l->value;
            of->changed = true;
        }
    return true;
}

/* ---- the document ---- */

static void put_head(perfetto *p, const orr_result *r)
{
    static const char *const paths[][2] = {
        {"policy", "policy.resolved"}, {"trace", "trace.name"}, {"cluster", "cluster.name"}};
    orr_output_text(p->out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"made_by\":\"orrery\"");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        orr_output_printf(p->out, ",\"%s\":", paths[i][0]);
        put_text(p->out, orr_result_text(r, paths[i][1]));
    }
    orr_output_text(p->out, "},\"traceEvents\":[");
    begin_event(p, "M");
    orr_output_printf(p->out, ",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"cluster\"}}",
                      COUNTERS_PID);
    sort_something(p, "process_sort_index", COUNTERS_PID, 0, -1);
}

/* What a reader of the file should know, behind the events, when it is known. */
static void put_tail(perfetto *p)
{
    orr_output_printf(p->out, "\n],\"events\":%" PRIu64 ",\"attempts_without_gpus_left_out\":%" PRIu64, p->events,
                      p->without_gpus);
    if (p->events > MANY)
        orr_output_text(p->out,
                        ",\"note\":\"all events of the run, which are more than viewers show quickly; a part of "
                        "the trace, cut out by --from and --to, has fewer\"");
    orr_output_text(p->out, "}\n");
}

static orr_err put_all(perfetto *p, const orr_result *r)
{
    put_head(p, r);
    orr_err err = orr_result_holds(r, take_hold, p, p->e);
    if (!err && p->e->code)
        err = p->e->code;
    if (!err)
        err = orr_result_levels(r, take_level, p, p->e);
    if (!err)
        put_instant(p);
    put_tail(p);
    return err;
}

static void fini(perfetto *p)
{
    for (size_t i = 0; i < p->pools.n; i++)
        free(p->pools.at[i].name);
    ORR_VEC_FREE(&p->pools);
    ORR_VEC_FREE(&p->named);
    ORR_VEC_FREE(&p->left);
    orr_names_destroy(p->ids);
}

orr_err orr_out_perfetto(const orr_result *r, const char *dir, orr_error *e)
{
    orr_error own = {0};
    orr_text path = {0};
    orr_text_addf(&path, "%s/perfetto.json.gz", dir);
    perfetto p = {.out = orr_output_create(path.at, &own), .ids = orr_names_create(), .at = ORR_TIME_NONE, .e = &own};
    orr_err err = p.out ? put_all(&p, r) : own.code;
    if (p.out && !err)
        err = orr_output_commit(p.out, &own);
    else
        orr_output_abandon(p.out);
    if (err && e && !e->code)
        *e = own;
    fini(&p);
    orr_text_fini(&path);
    return err;
}
