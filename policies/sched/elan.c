/* elan: elastic FIFO and elastic backfill. Jobs start in the order in which they came, with the least number of GPUs
 * that they run on, and nobody is preempted. Where the first one finds no room, running jobs give back what they have
 * above their least number, the GPUs that add the least speed first, as many as it takes; where that isn't enough it
 * waits. What is idle then goes to running jobs, each GPU where it adds most speed.
 *
 * With `queue=backfill` others may pass the one that waits (EASY): those that are believed to end before it can start,
 * or that leave it room enough, all of them taken to run on their least number. With `queue=skip` whoever fits may.
 *
 * Source: Xie et al., Elan, ICDCS'20. Elan itself is a mechanism: a job is resized in about a second, and that is for
 * the scenario to say (--costs resize=1s). Of its hybrid scaling, which lets the batch grow with the workers, there is
 * what the application says: a job has its own batch, split over what it holds. */
#include <orrery/policy.h>

#include <stdlib.h>

typedef struct settings {
    int32_t queue, vc;
    double gain;
} settings;

enum { FIFO, SKIP, BACKFILL };

typedef struct ending {
    double at; /* seconds from now */
    int32_t gpus;
} ending;

typedef struct state {
    orr_elastic *elastic;
    orr_greedy_rules dealing;
    ending *endings; /* scratch */
    size_t room;
} state;

/* To the first one that waits: when it may start, and how many GPUs it leaves even then. */
typedef struct promise {
    double at;
    int32_t extra;
} promise;

static const orr_portion_rules in_place = {.in_place = true, .lack = ORR_PORTIONS_LESS};

/* ---- room for one more ------------------------------------------------------------------------------------------- */

static int32_t room_in(orr_ctx *ctx, orr_plan *plan, int32_t pool, orr_scope scope)
{
    const state *st = orr_state(ctx);
    orr_portion *p;
    int32_t room = orr_scope_free(ctx, scope);
    const size_t n = orr_elastic_running(st->elastic, plan, pool, &p);
    for (size_t i = 0; i < n; i++)
        room += p[i].gpus > p[i].min ? p[i].gpus - p[i].min : 0;
    return room;
}

static bool start(orr_plan *plan, const orr_portion *p)
{
    return orr_plan_resize(plan, p->job, p->min, p->scope) == ORR_OK;
}

/* Others give back `need` GPUs first. */
static bool start_with(orr_ctx *ctx, orr_plan *plan, int32_t pool, const orr_portion *p, int32_t need)
{
    const state *st = orr_state(ctx);
    orr_portion *others;
    const size_t n = orr_elastic_running(st->elastic, plan, pool, &others);
    const uint32_t mark = orr_plan_mark(plan);
    orr_deal_back(ctx, &st->dealing, others, n, need);
    if (orr_plan_portions(plan, &in_place, others, n) == ORR_OK && start(plan, p))
        return true;
    orr_plan_undo(plan, mark);
    return false;
}

/* As many as it lacks, or, if these aren't where it needs them, all that there are. */
static bool admit(orr_ctx *ctx, orr_plan *plan, int32_t pool, const orr_portion *p)
{
    const int32_t lacks = p->min - orr_scope_free(ctx, p->scope);
    return start(plan, p) || (lacks > 0 && start_with(ctx, plan, pool, p, lacks)) ||
           start_with(ctx, plan, pool, p, INT32_MAX);
}

/* ---- backfill ---------------------------------------------------------------------------------------------------- */

/* Seconds until it is believed to end on its least number; an estimate that was overrun is taken to be a tenth short. */
static double end_of(orr_ctx *ctx, const orr_portion *p)
{
    const double left = orr_est_remaining(ctx, p->job), tenth = orr_est_duration(ctx, p->job) / 10;
    const double speed = orr_job_scaling(ctx, p->job, p->min, 0, -1);
    return (left > 0 ? left : tenth > 1 ? tenth : 1) / (speed > 0 ? speed : 1);
}

static int by_end(const void *a, const void *b)
{
    const ending *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static promise promise_to(orr_ctx *ctx, orr_plan *plan, int32_t pool, const orr_portion *head, int32_t room)
{
    state *st = orr_state(ctx);
    orr_portion *p;
    promise made = {0};
    const size_t n = orr_elastic_running(st->elastic, plan, pool, &p);
    if (n > st->room) {
        st->room = 2 * n;
        st->endings = orr_alloc_memory(ctx, st->room * sizeof *st->endings);
    }
    for (size_t i = 0; i < n; i++)
        st->endings[i] = (ending){end_of(ctx, &p[i]), p[i].min};
    if (n)
        qsort(st->endings, n, sizeof *st->endings, by_end);
    for (size_t i = 0; i < n && (room < head->min || st->endings[i].at == made.at); i++) {
        room += st->endings[i].gpus;
        made.at = st->endings[i].at;
    }
    made.extra = room - head->min;
    return made;
}

/* May it pass the one that waits? Then *extra is what that one has left. */
static bool may_pass(orr_ctx *ctx, const orr_portion *p, const promise *made, int32_t *extra)
{
    const bool ends_before = end_of(ctx, p) <= made->at;
    *extra = made->extra - (ends_before ? 0 : p->min);
    return ends_before || *extra >= 0;
}

/* ---- one decision ------------------------------------------------------------------------------------------------ */

static bool waits(orr_plan *plan, const orr_portion *p)
{
    return orr_job_state_now(p->job) == ORR_JOB_QUEUED && !orr_plan_held(plan, p->job);
}

/* From the first on; O(jobs), and for each that starts or is held up by the shape of what is free O(running log
 * running). */
static void start_waiting(orr_ctx *ctx, orr_plan *plan, int32_t pool, const orr_portion *p, size_t n)
{
    const settings *s = orr_knobs(ctx);
    int32_t room = n ? room_in(ctx, plan, pool, p->scope) : 0, extra;
    const orr_portion *head = NULL;
    promise made = {0};
    for (size_t i = 0; i < n && room > 0; i++) {
        if (!waits(plan, &p[i]) || (head && p[i].min > room))
            continue;
        if (head && s->queue == BACKFILL && !may_pass(ctx, &p[i], &made, &extra))
            continue;
        if (p[i].min <= room && admit(ctx, plan, pool, &p[i])) {
            room -= p[i].min;
            made.extra = head && s->queue == BACKFILL ? extra : 0;
        } else if (!head) {
            head = &p[i];
            if (s->queue == FIFO)
                return;
            if (s->queue == BACKFILL)
                made = promise_to(ctx, plan, pool, head, room);
        }
    }
}

static orr_err grow(orr_ctx *ctx, orr_plan *plan, int32_t pool)
{
    const state *st = orr_state(ctx);
    orr_portion *p;
    const size_t n = orr_elastic_running(st->elastic, plan, pool, &p);
    int32_t left = n ? orr_scope_free(ctx, p->scope) : 0;
    if (left <= 0)
        return ORR_OK;
    orr_deal_greedy(ctx, &st->dealing, p, n, &left);
    return orr_plan_portions(plan, &in_place, p, n);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const state *st = orr_state(ctx);
    orr_err err = ORR_OK;
    orr_elastic_start_others(st->elastic, plan);
    for (int32_t pool = 0; pool < orr_elastic_pools(st->elastic) && !err; pool++) {
        orr_portion *p;
        int32_t capacity;
        const size_t n = orr_elastic_pool(st->elastic, pool, &p, &capacity);
        start_waiting(ctx, plan, pool, p, n);
        err = grow(ctx, plan, pool);
    }
    return err;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_elastic_event(((state *)orr_state(ctx))->elastic, job, event);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    st->elastic = orr_elastic_create(ctx, s->vc);
    st->dealing = (orr_greedy_rules){.gain = orr_gain_speed, .least = s->gain};
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"queue", ORR_KNOB_CHOICE, offsetof(settings, queue), "fifo", "fifo|skip|backfill",
     "who may pass the first that waits: nobody; whoever fits; who doesn't delay it"},
    {"gain", ORR_KNOB_NUMBER, offsetof(settings, gain), "0", "0..inf",
     "one more GPU must add more than this, in GPUs of its least number"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "queues a VC, or one for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"fifo", "queue=fifo", "elastic FIFO"},
    {"backfill", "queue=backfill", "elastic backfill"},
    {NULL, NULL, NULL},
};

ORR_POLICY(elan) = {
    .summary = "elastic FIFO or backfill: jobs start small, grow into idle GPUs and shrink to let others in",
    .cite = "Xie et al., Elan, ICDCS'20",
    .deviations = "the batch doesn't grow with the workers unless the application's own batch does; the rules of its schedulers "
                  "are known from a summary",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
