/* afs: apathetic future share. All jobs are elastic, and at each arrival and end GPUs are dealt out anew, one by one,
 * each to the winner of a tournament. Of two jobs the shorter one wins, unless the longer one would make more of the
 * GPU: unless the part of its speed that it would owe to that GPU is greater than what the GPU would add to the speed
 * of the shorter one, as a part of what that has already. Who has nothing yet is the longer one beside one that has
 * GPUs; where both have nothing the one that is shorter with its least number wins.
 *
 *   afs-l   the remaining work is known, as the estimator believes it
 *   afs-p   it isn't: shorter is whose service has passed fewer of the thresholds, then who came first; and only jobs that
 *           have passed as few as any get more than their least number
 *
 * Source: Hwang et al., Elastic Resource Sharing for Distributed Deep Learning (AFS), NSDI'21, sections 4 and 5. From
 * general knowledge of the paper, not checked: the different denominators of the two gains; that afs-p is a feedback
 * queue whose top expands. */
#include <orrery/policy.h>

typedef struct settings {
    int32_t length, steps, vc;
    orr_list_of_numbers thresholds;
} settings;

enum { KNOWN, UNKNOWN };

typedef struct state {
    orr_elastic *elastic;
    int32_t top; /* of unknown length: the first queue that isn't empty */
} state;

typedef struct own { /* by job */
    int32_t queue; /* thresholds that its service has passed */
    double work;   /* left, in seconds at speed 1 */
} own;

static own *of(orr_ctx *ctx, const orr_portion *p)
{
    return orr_job_state_of(ctx, p->job);
}

static double speed(orr_ctx *ctx, const orr_portion *p, int32_t gpus)
{
    return gpus ? orr_job_scaling(ctx, p->job, gpus, 0, -1) : 0;
}

static int32_t step(orr_ctx *ctx, const orr_portion *p)
{
    const settings *s = orr_knobs(ctx);
    const state *st = orr_state(ctx);
    if (p->gpus && s->length == UNKNOWN && of(ctx, p)->queue > st->top)
        return 0;
    if (s->steps)
        return orr_step_doubling(ctx, p);
    return p->gpus < p->min ? p->min : p->gpus < p->max ? p->gpus + 1 : 0;
}

/* ---- two jobs ---------------------------------------------------------------------------------------------------- */

/* `a` came first. */
static bool is_shorter(orr_ctx *ctx, const orr_portion *a, const orr_portion *b)
{
    const settings *s = orr_knobs(ctx);
    if (!a->gpus != !b->gpus)
        return a->gpus > 0;
    if (s->length == UNKNOWN)
        return of(ctx, a)->queue <= of(ctx, b)->queue;
    const int32_t x = a->gpus ? a->gpus : a->min, y = b->gpus ? b->gpus : b->min;
    return of(ctx, a)->work * speed(ctx, b, y) <= of(ctx, b)->work * speed(ctx, a, x);
}

static bool longer_wins(orr_ctx *ctx, const orr_portion *shorter, const orr_portion *longer)
{
    const double has = speed(ctx, shorter, shorter->gpus), more = speed(ctx, shorter, step(ctx, shorter));
    const double had = speed(ctx, longer, longer->gpus), much = speed(ctx, longer, step(ctx, longer));
    return (much - had) * has > (more - has) * much; /* (much - had) / much > (more - has) / has */
}

static bool beats(orr_ctx *ctx, const orr_portion *a, const orr_portion *b)
{
    const bool first = is_shorter(ctx, a, b);
    if (!a->gpus && !b->gpus)
        return first;
    return first ? !longer_wins(ctx, a, b) : longer_wins(ctx, b, a);
}

/* ---- one decision ------------------------------------------------------------------------------------------------ */

static void look_at(orr_ctx *ctx, const orr_portion *portions, size_t n)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    st->top = INT32_MAX;
    for (size_t i = 0; i < n; i++) {
        own *o = of(ctx, &portions[i]);
        if (s->length == KNOWN)
            o->work = orr_est_work(ctx, portions[i].job);
        st->top = o->queue < st->top ? o->queue : st->top;
    }
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *st = orr_state(ctx);
    const orr_tournament_rules dealing = {.beats = beats, .step = step};
    const orr_portion_rules placing = {.order = ORR_PORTIONS_LARGEST, .lack = ORR_PORTIONS_LESS, .fill = true};
    orr_err err = ORR_OK;
    for (int32_t pool = 0; pool < orr_elastic_pools(st->elastic) && !err; pool++) {
        orr_portion *portions;
        int32_t left;
        const size_t n = orr_elastic_pool(st->elastic, pool, &portions, &left);
        look_at(ctx, portions, n);
        orr_deal_tournament(ctx, &dealing, portions, n, &left);
        err = orr_plan_portions(plan, &placing, portions, n);
    }
    orr_elastic_start_others(st->elastic, plan);
    return err;
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

static void await_threshold(orr_ctx *ctx, orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    const own *o = orr_job_state_of(ctx, job);
    if (s->length == UNKNOWN && o->queue < (int32_t)s->thresholds.count)
        orr_watch(ctx, job, ORR_WATCH_SERVICE, s->thresholds.at[o->queue]);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    own *o = orr_job_state_of(ctx, job);
    orr_elastic_event(((state *)orr_state(ctx))->elastic, job, event);
    if (event->kind == ORR_EV_SUBMITTED)
        await_threshold(ctx, job);
    if (event->kind != ORR_EV_THRESHOLD)
        return;
    o->queue++;
    await_threshold(ctx, job);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    ((state *)orr_state(ctx))->elastic = orr_elastic_create(ctx, s->vc);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"length", ORR_KNOB_CHOICE, offsetof(settings, length), "known", "known|unknown",
     "afs-l by what is left, or afs-p by service"},
    {"thresholds", ORR_KNOB_LIST, offsetof(settings, thresholds), "3250/7200", "0..inf",
     "afs-p: service that ends a queue, in GPU-seconds"},
    {"steps", ORR_KNOB_CHOICE, offsetof(settings, steps), "one", "one|double",
     "GPUs one by one, or to the next power of two"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared",
     "GPUs are dealt out a VC, or all together"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"l", "length=known", "the remaining work is known"},
    {"p", "length=unknown", "it isn't: by attained service"},
    {NULL, NULL, NULL},
};

ORR_POLICY(afs) = {
    .summary = "elastic: GPUs one by one to the winner of a tournament of what is left and what is gained",
    .cite = "Hwang et al., AFS, NSDI'21",
    .deviations = "a tournament by knock-out instead of a pass over all jobs for each GPU, which may differ where wins go in "
                  "circles; afs-p's queues are ours",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE,
             [ORR_Q_SERVICE] = ORR_KNOW_OBSERVED,
             [ORR_Q_SCALING] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
