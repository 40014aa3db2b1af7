/* edl: elastic Tiresias. Who runs is Tiresias' to say (discretised LAS, see tiresias.c): jobs start with the GPUs that
 * they ask. Besides, jobs are resized:
 *
 *   expansion    nobody waits: idle GPUs go to running jobs one by one, each where it adds most speed, as long as a GPU of
 *                that job brings at least `efficiency` of what it brings at best
 *   return       somebody waits: who was expanded gives that back, as much as is asked, before anybody is preempted
 *   compaction   more than `pending` jobs wait: running jobs of the lowest queue, the last ones first, shrink to the greatest
 *                number at which a GPU still brings `efficiency` of that, or with `compact=best` to the number at which it
 *                brings most, until the first that waits has room
 *
 * Source: Wu et al., Elastic Deep Learning in Multi-Tenant GPU Clusters (EDL), TPDS'21. From a summary, not checked:
 * that the efficiency bounds both, how GPUs are returned, and `pending`. With `compact=best` many share the cluster
 * evenly, and the mean suffers where it is full. That resizing hardly stops a job is for the scenario to say (--costs
 * resize=1s). */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    orr_list_of_numbers thresholds;
    int64_t pending;
    double efficiency;
    int32_t compact, vc;
} settings;

typedef struct state {
    orr_elastic *elastic;
    orr_mlfq *mlfq;
    int64_t saving; /* jobs that were preempted and don't wait yet */
    int64_t wide;   /* jobs in the system that can be resized; 0: there is nothing to do besides Tiresias */
} state;

typedef struct own { /* by job */
    int32_t best;   /* number at which its GPUs bring most each; 0: not looked yet */
    int32_t enough; /* the greatest at which they bring `efficiency` of that */
    double peak;    /* what one brings at best */
    bool saving;
} own;

enum { AGAIN }; /* cookie */

static const orr_portion_rules in_place = {.in_place = true, .lack = ORR_PORTIONS_LESS};

/* Those of a pool that wait: how many, what they ask, and the first by queue. */
typedef struct line {
    int64_t count, asked;
    const orr_job *first;
} line;

static line waiting_in(orr_ctx *ctx, const orr_plan *plan, int32_t pool)
{
    const state *st = orr_state(ctx);
    orr_portion *p;
    int32_t capacity;
    line l = {0};
    const size_t n = orr_elastic_pool(st->elastic, pool, &p, &capacity);
    for (size_t i = 0; i < n; i++) {
        if (orr_plan_held(plan, p[i].job) || orr_job_state_now(p[i].job) != ORR_JOB_QUEUED)
            continue;
        l.count++;
        l.asked += orr_job_gpus(p[i].job);
        if (!l.first || orr_mlfq_queue(st->mlfq, p[i].job) < orr_mlfq_queue(st->mlfq, l.first))
            l.first = p[i].job;
    }
    return l;
}

/* ---- expansion and return ---------------------------------------------------------------------------------------- */

/* Its best number is looked for once. */
static const own *look_at(orr_ctx *ctx, const orr_portion *p)
{
    const settings *s = orr_knobs(ctx);
    own *o = orr_job_state_of(ctx, p->job);
    if (o->best)
        return o;
    for (int32_t gpus = p->min; gpus <= p->max; gpus++) {
        const double each = orr_job_scaling(ctx, p->job, gpus, 0, -1) / gpus;
        if (o->best && each <= o->peak)
            continue;
        o->peak = each;
        o->best = gpus;
    }
    for (o->enough = p->max; o->enough > o->best; o->enough--)
        if (orr_job_scaling(ctx, p->job, o->enough, 0, -1) >= s->efficiency * o->peak * o->enough)
            break;
    return o;
}

static int32_t step(orr_ctx *ctx, const orr_portion *p)
{
    const settings *s = orr_knobs(ctx);
    const int32_t to = p->gpus + 1;
    if (p->gpus >= p->max)
        return 0;
    return orr_job_scaling(ctx, p->job, to, 0, -1) >= s->efficiency * look_at(ctx, p)->peak * to ? to : 0;
}

static int32_t next(orr_ctx *ctx, const orr_portion *p)
{
    (void)ctx;
    return p->gpus < p->max ? p->gpus + 1 : 0;
}

static orr_err expand(orr_ctx *ctx, orr_plan *plan, int32_t pool)
{
    const orr_greedy_rules dealing = {.gain = orr_gain_speed, .step = step};
    orr_portion *p;
    const size_t n = orr_elastic_running(((state *)orr_state(ctx))->elastic, plan, pool, &p);
    int32_t left = n ? orr_scope_free(ctx, p->scope) : 0;
    orr_deal_greedy(ctx, &dealing, p, n, &left);
    return orr_plan_portions(plan, &in_place, p, n);
}

/* True: somebody does, and Tiresias should look again when that is free. */
static bool give_back(orr_ctx *ctx, orr_plan *plan, int32_t pool)
{
    const orr_greedy_rules dealing = {.gain = orr_gain_speed, .step = next};
    const line l = waiting_in(ctx, plan, pool);
    orr_portion *p;
    size_t expanded = 0;
    const size_t n = l.count ? orr_elastic_running(((state *)orr_state(ctx))->elastic, plan, pool, &p) : 0;
    for (size_t i = 0; i < n; i++) {
        p[i].min = orr_job_gpus(p[i].job);
        if (p[i].gpus > p[i].min)
            p[expanded++] = p[i];
    }
    const int64_t lacks = expanded ? l.asked - orr_scope_free(ctx, p->scope) : 0;
    if (lacks <= 0)
        return false;
    orr_deal_back(ctx, &dealing, p, expanded, lacks < INT32_MAX ? (int32_t)lacks : INT32_MAX);
    return orr_plan_portions(plan, &in_place, p, expanded) == ORR_OK;
}

/* ---- compaction -------------------------------------------------------------------------------------------------- */

/* True: the first that waits has room, once that is free. */
static bool compact(orr_ctx *ctx, orr_plan *plan, int32_t pool, const orr_job *first)
{
    const settings *s = orr_knobs(ctx);
    const state *st = orr_state(ctx);
    orr_portion *p;
    const size_t n = orr_elastic_running(st->elastic, plan, pool, &p);
    int32_t lacks = n ? orr_job_gpus(first) - orr_scope_free(ctx, p->scope) : 0, lowest = 0;
    for (size_t i = 0; i < n; i++)
        lowest = orr_mlfq_queue(st->mlfq, p[i].job) > lowest ? orr_mlfq_queue(st->mlfq, p[i].job) : lowest;
    if (lacks <= 0)
        return false;
    for (size_t i = n; lacks > 0 && i-- > 0;) {
        const own *o = look_at(ctx, &p[i]);
        const int32_t to = s->compact ? o->best : o->enough;
        if (orr_mlfq_queue(st->mlfq, p[i].job) < lowest || p[i].gpus <= to)
            continue;
        lacks -= p[i].gpus - to;
        p[i].gpus = to;
    }
    return lacks <= 0 && orr_plan_portions(plan, &in_place, p, n) == ORR_OK;
}

/* ---- one decision ------------------------------------------------------------------------------------------------ */

/* O(active), where there are jobs that can be resized. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *s = orr_knobs(ctx);
    const state *st = orr_state(ctx);
    const int32_t pools = orr_elastic_pools(st->elastic);
    bool again = false;
    if (!st->wide)
        return orr_mlfq_schedule(st->mlfq, plan);
    for (int32_t pool = 0; pool < pools; pool++)
        again |= give_back(ctx, plan, pool);
    orr_err err = again ? ORR_OK : orr_mlfq_schedule(st->mlfq, plan);
    for (int32_t pool = 0; pool < pools && !again && !err; pool++) {
        const line l = waiting_in(ctx, plan, pool);
        if (l.count > s->pending)
            again |= compact(ctx, plan, pool, l.first);
        else if (l.count == 0 && st->saving == 0)
            err = expand(ctx, plan, pool);
    }
    return again && !err ? orr_arm(ctx, AGAIN, orr_now(ctx)) : err;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *st = orr_state(ctx);
    own *o = orr_job_state_of(ctx, job);
    const bool wide = orr_job_min_gpus(job) < orr_job_max_gpus(job);
    orr_elastic_event(st->elastic, job, event);
    orr_mlfq_event(st->mlfq, job, event);
    if (wide)
        st->wide += (event->kind == ORR_EV_SUBMITTED) - (event->kind == ORR_EV_ENDED);
    const bool saving = event->kind == ORR_EV_SAVING || (o->saving && event->kind == ORR_EV_SPEED);
    st->saving += saving - o->saving;
    o->saving = saving;
}

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    const orr_mlfq_rules rules = {.thresholds = s->thresholds, .promote = INFINITY, .within = ORR_WITHIN_START,
                                  .list = {.preemptive = true, .hol = ORR_HOL_SKIP, .vc = s->vc}};
    st->elastic = orr_elastic_create(ctx, s->vc);
    st->mlfq = orr_mlfq_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"thresholds", ORR_KNOB_LIST, offsetof(settings, thresholds), "3250/7200", "0..inf",
     "service at which a queue is left, in GPU-seconds"},
    {"pending", ORR_KNOB_INT, offsetof(settings, pending), "10", "0..inf", "jobs are compacted when more than this wait"},
    {"efficiency", ORR_KNOB_NUMBER, offsetof(settings, efficiency), "0.5", "0..1",
     "a job has more GPUs only where they bring at least this part of what they bring at best"},
    {"compact", ORR_KNOB_CHOICE, offsetof(settings, compact), "enough", "enough|best",
     "jobs shrink to where GPUs bring that part, or most"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "queues a VC, or for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(edl) = {
    .summary = "elastic Tiresias: jobs grow into idle GPUs, and shrink when many wait",
    .cite = "Wu et al., EDL, TPDS'21",
    .deviations = "the rules of its scheduler are known from a summary: what bounds expansion and how GPUs are returned are ours",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED, [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
