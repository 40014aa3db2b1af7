/* Bytes as the calls of a policy on its plans, in a small simulation: overlaps, nodes that don't exist, masks of all sizes, too few
 * and too many GPUs, undo in any depth, preemption, kills, rejections, timers and thresholds. The engine may refuse, count or stop;
 * what it commits must be sound: its assertions are always on, and all that is reported is checked here once more.
 *
 * The first bytes choose the scenario; the rest is a tape of instructions, read by the policy as it goes. */
#include <orrery/orrery.h>

#include <stdlib.h>
#include <string.h>

enum { JOBS = 12, NODES = 5, MAX_HOLDS = 4096, MARKS = 8 };

typedef struct tape {
    const uint8_t *data;
    size_t size, at;
} tape;

typedef struct kept_hold {
    uint32_t job;
    orr_time start, end;
    uint64_t gpus[NODES];
} kept_hold;

typedef struct fuzz {
    tape t;
    orr_job *jobs[JOBS];
    kept_hold holds[MAX_HOLDS];
    size_t hold_count, record_count;
    uint32_t marks[MARKS];
    uint32_t mark_count;
} fuzz;

/* The policy finds its fuzz here: one runs at a time. */
static fuzz *current;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static uint8_t byte(void)
{
    tape *t = &current->t;
    return t->at < t->size ? t->data[t->at++] : 0;
}

static uint64_t word(void)
{
    uint64_t w = 0;
    for (int i = 0; i < 8; i++)
        w = w << 8 | byte();
    return w;
}

static bool at_end(void)
{
    return current->t.at >= current->t.size;
}

/* ---- the policy -------------------------------------------------------------------------------------------------- */

static orr_job *some_job(void)
{
    return current->jobs[byte() % JOBS];
}

static void add_slice(orr_alloc *alloc, orr_plan *plan)
{
    uint8_t how = byte();
    int32_t node = how & 64 ? (int32_t)(word() & 0xffffffff) : how % (NODES + 1) - (how == 5);
    uint64_t gpus = how & 32 ? word() : how & 16 ? (uint64_t)1 << (byte() & 63) : byte();
    if (how & 128)
        orr_alloc_take(alloc, plan, node, (int32_t)(gpus & 0x7f) - 1);
    else
        orr_alloc_add(alloc, node, gpus);
}

static void assign(orr_plan *plan, orr_job *job)
{
    orr_alloc *alloc = orr_plan_alloc(plan);
    for (int n = byte() % 4; n > 0; n--)
        add_slice(alloc, plan);
    orr_plan_assign(plan, job, byte() == 255 ? NULL : alloc);
}

static void assign_what_it_holds(orr_plan *plan, orr_job *job)
{
    const orr_alloc *held = orr_plan_held(plan, job);
    if (held)
        orr_plan_assign(plan, job, held);
}

static void undo(orr_plan *plan)
{
    fuzz *f = current;
    if (f->mark_count == 0 || byte() % 8 == 0) {
        orr_plan_undo(plan, byte() % 4 ? orr_plan_mark(plan) : 0);
        f->mark_count = 0;
        return;
    }
    f->mark_count = byte() % f->mark_count; /* several levels at once */
    orr_plan_undo(plan, f->marks[f->mark_count]);
}

static void mark(orr_plan *plan)
{
    if (current->mark_count < MARKS)
        current->marks[current->mark_count++] = orr_plan_mark(plan);
}

static void time_matters(orr_ctx *ctx, orr_job *job)
{
    uint8_t how = byte();
    switch (how % 4) {
    case 0:
        orr_arm(ctx, how >> 2, orr_now(ctx) + (orr_time)byte() * ORR_SECOND / 4 - ORR_SECOND);
        break;
    case 1:
        orr_disarm(ctx, how >> 2);
        break;
    case 2:
        orr_watch(ctx, job, (orr_watched)(how >> 2 & 1), byte() - 8.5);
        break;
    default:
        orr_unwatch(ctx, job, (orr_watched)(how >> 2 & 1));
    }
}

static void one_call(orr_ctx *ctx, orr_plan *plan)
{
    uint8_t what = byte();
    orr_job *job = some_job();
    if (!job)
        return;
    switch (what % 12) {
    case 0:
    case 1:
        orr_plan_start(plan, job);
        break;
    case 2:
        orr_plan_start_in(plan, job, (orr_scope){.vc = byte() % 3 - 1});
        break;
    case 3:
    case 4:
        assign(plan, job);
        break;
    case 5:
        orr_plan_preempt(plan, job);
        break;
    case 6:
        what & 128 ? orr_plan_kill(plan, job, "fuzz") : orr_plan_reject(plan, job, "fuzz");
        break;
    case 7:
        mark(plan);
        break;
    case 8:
        undo(plan);
        break;
    case 9:
        orr_plan_fits(plan, job, (orr_scope){.vc = byte() % 3 - 1});
        break;
    case 10:
        assign_what_it_holds(plan, job);
        break;
    default:
        time_matters(ctx, job);
    }
}

/* What is over is forgotten: of an ended job a policy may keep nothing. */
static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    uint32_t i = orr_job_index(job);
    must(i < JOBS);
    if (event->kind == ORR_EV_SUBMITTED)
        current->jobs[i] = job;
    if (byte() % 16 == 0)
        time_matters(ctx, job);
    if (event->kind == ORR_EV_ENDED)
        current->jobs[i] = NULL;
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    if (cookie % 3 == 0 && byte() & 1)
        orr_arm(ctx, cookie, orr_now(ctx) + ORR_SECOND);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    current->mark_count = 0;
    for (int n = byte() % 16; n > 0 && !at_end(); n--)
        one_call(ctx, plan);
    if (!at_end())
        return orr_arm(ctx, 1000, orr_now(ctx) + (orr_time)(byte() % 64) * ORR_SECOND / 8);
    for (int i = 0; i < JOBS; i++) /* the tape is at its end: let those that can run so */
        if (current->jobs[i] && orr_job_state_now(current->jobs[i]) == ORR_JOB_QUEUED &&
            orr_plan_fits(plan, current->jobs[i], (orr_scope){.vc = orr_job_vc(current->jobs[i])}))
            orr_plan_start(plan, current->jobs[i]);
    return ORR_OK;
}

static const orr_policy policy = {
    .summary = "does what bytes say",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .on_job = on_job,
    .on_timer = on_timer,
    .schedule = schedule,
    .placer = "first-fit",
};

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

static bool collide(const kept_hold *a, const kept_hold *b)
{
    bool apart = a->end <= b->start || b->end <= a->start;
    for (int n = 0; n < NODES && !apart; n++)
        if (a->gpus[n] & b->gpus[n])
            return true;
    return !apart && a->job == b->job;
}

static const int32_t node_gpus[NODES] = {1, 2, 4, 8, 64};

static void on_hold(void *self, const orr_hold *h)
{
    fuzz *f = self;
    kept_hold k = {.job = orr_job_index(h->job), .start = h->start, .end = h->end};
    int32_t gpus = 0;
    must(h->start <= h->end && h->overhead >= 0 && h->overhead <= h->end - h->start);
    for (int32_t i = 0; i < h->slice_count; i++) {
        must(h->slices[i].node >= 0 && h->slices[i].node < NODES);
        int32_t size = node_gpus[h->slices[i].node];
        must(size == 64 || h->slices[i].gpus >> size == 0);
        must(!k.gpus[h->slices[i].node]);
        k.gpus[h->slices[i].node] = h->slices[i].gpus;
        for (uint64_t m = h->slices[i].gpus; m; m &= m - 1)
            gpus++;
    }
    must(gpus == h->gpus && gpus >= orr_job_min_gpus(h->job) && gpus <= orr_job_max_gpus(h->job));
    for (size_t i = 0; i < f->hold_count; i++)
        must(!collide(&f->holds[i], &k));
    if (f->hold_count < MAX_HOLDS)
        f->holds[f->hold_count++] = k;
}

static void on_record(void *self, const orr_job_record *r)
{
    fuzz *f = self;
    f->record_count++;
    must(r->held >= 0 && r->service >= 0 && r->overhead >= 0 && r->overhead <= r->service + 1e-6 && r->lost_work >= 0);
    must(r->first_start == ORR_TIME_NONE || (r->first_start >= r->submit && r->starts > 0));
    must(r->end == ORR_TIME_NONE || (r->end >= r->submit && (r->first_start == ORR_TIME_NONE || r->end >= r->first_start)));
}

static void on_levels(void *self, orr_time at, const orr_levels *l)
{
    (void)self, (void)at;
    must(l->milli_busy >= 0 && l->milli_busy <= l->milli_held);
    must(l->vc >= 0 || l->milli_held <= l->gpus_total * 1000); /* of a VC: what its jobs hold, wherever that is */
    must(l->jobs_queued >= 0 && l->milli_queued >= 0 && l->jobs_running >= 0);
}

static void check_counts(const orr_sim *sim, const fuzz *f)
{
    orr_sim_counts c = orr_sim_count(sim);
    must(c.submitted == c.done + c.failed + c.killed + c.rejected + c.running_at_end + c.queued_at_end);
    must(c.submitted + c.pending == c.trace && f->record_count == c.submitted);
}

/* ---- the scenario ------------------------------------------------------------------------------------------------ */

static orr_cluster_spec *make_cluster(uint8_t how)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("fuzz");
    for (int i = 0; i < NODES; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = node_gpus[i];
        n.vc = how & 1 ? (i % 2 ? "a" : "b") : "";
        n.cpus = how & 2 ? 2 * n.gpus : 0;
        must(orr_cluster_spec_add(spec, &n, 1, NULL) == ORR_OK);
    }
    return spec;
}

static orr_trace *make_trace(void)
{
    static const orr_time attempts[] = {2 * ORR_SECOND, 0, 3 * ORR_SECOND};
    orr_trace *trace = orr_trace_create("fuzz");
    for (int i = 0; i < JOBS; i++) {
        uint8_t a = byte(), b = byte();
        orr_trace_job job = orr_trace_job_default();
        job.submit = (orr_time)(a % 16) * ORR_SECOND;
        job.duration = (orr_time)(b % 32) * ORR_SECOND / 2;
        job.gpus = 1 + a / 16;
        job.vc = b & 32 ? "a" : "b";
        job.preemptible = b & 64 || i % 2;
        job.cpu_milli = b & 128 ? 1000 * job.gpus : 0;
        if (i % 3 == 0) {
            job.min_gpus = 1;
            job.max_gpus = 2 * job.gpus;
        }
        if (i % 4 == 1) {
            job.attempts = attempts;
            job.attempt_count = 3;
            job.duration = 5 * ORR_SECOND;
        }
        must(orr_trace_add(trace, &job, NULL) == ORR_OK);
    }
    must(orr_trace_finish(trace, NULL) == ORR_OK);
    return trace;
}

static orr_sim_options make_options(const orr_registry *registry, uint8_t how)
{
    static const char *const costs[] = {NULL, "start=1s,save=1500ms,restore=2s,resize=1s", "save=3s,checkpoint=4s,unpaid=keep",
                                        "restore=1:1s/4:5s,checkpoint=1s"};
    static const char *const clocks[] = {NULL, NULL, "round=3s", "tick=2s"};
    orr_sim_options o = orr_sim_options_default();
    o.registry = registry;
    o.policy = "fuzz";
    o.costs = costs[how >> 2 & 3];
    o.clock = clocks[how >> 4 & 3];
    o.skip_violations = how & 64 || !(how & 128);
    o.max_events = 5000;
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const orr_module module = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request),
                                      sizeof(orr_policy), ORR_KIND_POLICY, "fuzz", &policy};
    if (size > 8192)
        return 0;
    fuzz *f = current = calloc(1, sizeof *f);
    must(f != NULL);
    f->t = (tape){data, size, 0};
    uint8_t how = byte();
    orr_registry *registry = orr_registry_create();
    must(orr_registry_add(registry, &module, NULL) == ORR_OK);
    orr_trace *trace = make_trace();
    orr_cluster_spec *cluster = make_cluster(how);
    orr_sim_options options = make_options(registry, how);
    orr_sink sink = {.self = f, .job = on_record, .hold = on_hold, .levels = on_levels};
    orr_error e = {0};
    orr_sim *sim = orr_sim_create(trace, cluster, &options, &sink, &e);
    must(sim != NULL);
    orr_err err = orr_sim_run(sim, &e);
    must(err == e.code && orr_sim_stop(sim) != ORR_STOP_NONE);
    must(err != ORR_E_INVARIANT && (!err || e.message[0]));
    check_counts(sim, f);
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    orr_registry_destroy(registry);
    free(f);
    current = NULL;
    return 0;
}
