/* lucid: packing by sharing scores, never preempting. Waiting jobs stand by priority, believed duration x GPUs, least first. A
 * job first looks for a partner: the first running job (by its start) with as many GPUs that has its GPUs for itself, whose
 * sharing class and its own add up to at most `score` (0 tiny, 1 medium, 2 jumbo), whose device memory leaves room for its own,
 * and whose priority isn't less than 1/`favour` of its own. Both then run on the same GPUs. Without a partner it asks the placer;
 * one that doesn't fit holds up nobody. With `sharing=off` there are no partners, and the first that doesn't fit blocks.
 *
 * `profiler=VC` names a virtual cluster that profiles: jobs of at most `profile_gpus` GPUs run there first, smallest in front,
 * the first that doesn't fit blocking, for at most `profile_time`; whoever isn't done by then goes to its own queue. Without it
 * profiles are known at submission.
 *
 * Source: Hu et al., Lucid, ASPLOS'23, sections 3.2 to 3.4, and its public simulator. The classes are the decision tree's, given
 * by the file of profiles. */
#include <orrery/policy.h>

#include <stdlib.h>
#include <string.h>

typedef struct settings {
    bool sharing, rejoin;
    int64_t share_gpus, score, profile_gpus;
    double memory, favour;
    orr_time recheck, profile_time;
    const char *profiler;
} settings;

typedef enum phase { WAITS, RUNS, TO_PROFILE, PROFILES } phase;

typedef struct own { /* by job */
    double priority;
    uint64_t order;   /* rank among starts */
    orr_job *partner; /* whom it shares its GPUs with */
    phase phase;
    bool joined, left; /* it came to another; it has been left by a partner and has less than its GPUs */
} own;

typedef struct vc_state {
    orr_line queue;     /* waits, by priority */
    orr_line *alone;    /* [share_gpus + 1] running jobs that may take a partner, by start */
    bool dirty;
} vc_state;

typedef struct state {
    vc_state *vcs;
    int32_t vc_count, profiler; /* VC that profiles; -1: none */
    orr_line to_profile;            /* by GPUs, then as they came */
    orr_line profiling, left;
    uint64_t starts;
    uint32_t *failed; /* by shape: the walk in which the placer had no room for it */
    uint32_t shapes, walk;
} state;

enum { RECHECK = 0, PROFILE_ENDS = 1 }; /* cookies; the latter + the job's index */

static own *of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

typedef bool before(orr_ctx *ctx, const orr_job *a, const orr_job *b);

static bool by_priority(orr_ctx *ctx, const orr_job *a, const orr_job *b)
{
    const double x = of(ctx, a)->priority, y = of(ctx, b)->priority;
    return x < y || (!(y < x) && orr_job_index(a) < orr_job_index(b));
}

static bool by_start(orr_ctx *ctx, const orr_job *a, const orr_job *b)
{
    return of(ctx, a)->order < of(ctx, b)->order;
}

static bool by_gpus(orr_ctx *ctx, const orr_job *a, const orr_job *b)
{
    (void)ctx;
    const int32_t x = orr_job_gpus(a), y = orr_job_gpus(b);
    return x < y || (x == y && orr_job_index(a) < orr_job_index(b));
}

/* The first place whose job doesn't stand before this one. */
static size_t place_of(orr_ctx *ctx, const orr_line *l, const orr_job *job, before *less)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (less(ctx, l->at[mid], job))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void line_put(orr_ctx *ctx, orr_line *l, orr_job *job, before *less)
{
    orr_line_insert(ctx, l, place_of(ctx, l, job, less), job);
}

/* ---- who may share ----------------------------------------------------------------------------------------------- */

static vc_state *vc_of(orr_ctx *ctx, const orr_job *job)
{
    return &((state *)orr_state(ctx))->vcs[orr_job_vc(job)];
}

static bool may_share(orr_ctx *ctx, const orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    const int32_t gpus = orr_job_gpus(job);
    return s->sharing && gpus > 0 && gpus <= s->share_gpus && orr_job_gpu_milli(job) == 1000;
}

static void offer(orr_ctx *ctx, orr_job *job)
{
    if (may_share(ctx, job) && !of(ctx, job)->partner)
        line_put(ctx, &vc_of(ctx, job)->alone[orr_job_gpus(job)], job, by_start);
}

static void withdraw(orr_ctx *ctx, const orr_job *job)
{
    if (may_share(ctx, job))
        orr_line_remove(&vc_of(ctx, job)->alone[orr_job_gpus(job)], job);
}

static bool suits(orr_ctx *ctx, const orr_job *job, const orr_job *host)
{
    const settings *s = orr_knobs(ctx);
    const double bytes = (double)orr_job_gpu_mem(ctx, job) + (double)orr_job_gpu_mem(ctx, host);
    return bytes < s->memory * 1073741824.0 && of(ctx, job)->priority <= s->favour * of(ctx, host)->priority &&
           orr_job_sharing(ctx, job) + orr_job_sharing(ctx, host) <= s->score;
}

/* ---- one decision ------------------------------------------------------------------------------------------------ */

static void started(orr_ctx *ctx, orr_job *job, orr_job *partner)
{
    own *o = of(ctx, job);
    o->phase = RUNS;
    o->order = ++((state *)orr_state(ctx))->starts;
    o->partner = partner;
    o->joined = partner != NULL;
    if (partner)
        of(ctx, partner)->partner = job;
}

static bool joins(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    if (!may_share(ctx, job))
        return false;
    const orr_line *l = &vc_of(ctx, job)->alone[orr_job_gpus(job)];
    for (size_t i = 0; i < l->n; i++) {
        orr_job *host = l->at[i];
        if (!suits(ctx, job, host) || orr_plan_join(plan, job, host) != ORR_OK)
            continue;
        withdraw(ctx, host);
        started(ctx, job, host);
        orr_note_decision(ctx, job, "shares");
        return true;
    }
    return false;
}

/* Placers are monotone: where one of its shape found no room in this walk, it finds none, either. */
static bool fits(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    state *st = orr_state(ctx);
    const uint32_t shape = orr_job_shape(job);
    if (shape >= st->shapes) {
        const uint32_t n = 2 * shape + 16;
        uint32_t *failed = orr_alloc_memory(ctx, n * sizeof *failed);
        if (st->shapes)
            memcpy(failed, st->failed, st->shapes * sizeof *failed);
        st->failed = failed;
        st->shapes = n;
    }
    if (st->failed[shape] == st->walk)
        return false;
    if (orr_plan_start(plan, job) == ORR_OK)
        return true;
    st->failed[shape] = st->walk;
    return false;
}

/* Whom a job may join depends on its own memory, class and priority, so that all of the queue is looked at, as in the source;
 * but only of a VC in which something has happened. */
static bool walk(orr_ctx *ctx, orr_plan *plan, vc_state *vc)
{
    const settings *s = orr_knobs(ctx);
    size_t left = 0, i = 0;
    ((state *)orr_state(ctx))->walk++;
    for (; i < vc->queue.n; i++) {
        orr_job *job = vc->queue.at[i];
        bool starts = joins(ctx, plan, job);
        if (!starts && fits(ctx, plan, job)) {
            started(ctx, job, NULL);
            offer(ctx, job);
            starts = true;
        }
        if (!starts)
            vc->queue.at[left++] = job;
        if (!starts && !s->sharing)
            break;
    }
    const bool any = left < i + (i < vc->queue.n);
    for (i += i < vc->queue.n; i < vc->queue.n; i++)
        vc->queue.at[left++] = vc->queue.at[i];
    vc->queue.n = left;
    return any;
}

static void start_profiling(orr_ctx *ctx, orr_plan *plan)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    while (st->to_profile.n > 0) {
        orr_job *job = st->to_profile.at[0];
        if (orr_plan_start_in(plan, job, (orr_scope){.vc = st->profiler}) != ORR_OK)
            return;
        orr_line_remove(&st->to_profile, job);
        of(ctx, job)->phase = PROFILES;
        orr_line_add(ctx, &st->profiling, job);
        orr_arm(ctx, PROFILE_ENDS + orr_job_index(job), orr_time_add(orr_now(ctx), s->profile_time));
    }
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    bool again = false;
    for (size_t i = 0; i < st->profiling.n; i++)
        if (of(ctx, st->profiling.at[i])->left && orr_plan_held(plan, st->profiling.at[i]))
            orr_plan_preempt(plan, st->profiling.at[i]);
    for (size_t i = 0; i < st->left.n; i++)
        if (orr_plan_held(plan, st->left.at[i]) && !of(ctx, st->left.at[i])->partner)
            orr_plan_reshare(plan, st->left.at[i], 1000);
    st->left.n = 0;
    if (st->profiler >= 0)
        start_profiling(ctx, plan);
    for (int32_t i = 0; i < st->vc_count; i++) {
        vc_state *vc = &st->vcs[i];
        if (!vc->dirty)
            continue;
        vc->dirty = walk(ctx, plan, vc) && vc->queue.n > 0;
        again |= vc->dirty;
    }
    return again ? orr_arm(ctx, RECHECK, orr_time_add(orr_now(ctx), s->recheck)) : ORR_OK;
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

static void wait(orr_ctx *ctx, orr_job *job)
{
    vc_state *vc = vc_of(ctx, job);
    of(ctx, job)->phase = WAITS;
    line_put(ctx, &vc->queue, job, by_priority);
    vc->dirty = true;
}

static void submitted(orr_ctx *ctx, orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    own *o = of(ctx, job);
    o->priority = orr_est_duration(ctx, job) * orr_job_gpus(job);
    const bool small = orr_job_gpus(job) > 0 && orr_job_gpus(job) <= s->profile_gpus;
    if (st->profiler < 0 || !small || !orr_job_preemptible(job)) {
        wait(ctx, job);
        return;
    }
    o->phase = TO_PROFILE;
    line_put(ctx, &st->to_profile, job, by_gpus);
}

/* It holds no GPUs any more; a partner has its own for itself again. */
static void parts(orr_ctx *ctx, orr_job *job)
{
    const settings *s = orr_knobs(ctx);
    own *o = of(ctx, job);
    orr_job *partner = o->partner;
    vc_of(ctx, job)->dirty = true;
    o->partner = NULL;
    if (!partner) {
        withdraw(ctx, job);
        return;
    }
    of(ctx, partner)->partner = NULL;
    orr_line_add(ctx, &((state *)orr_state(ctx))->left, partner);
    if (s->rejoin || !of(ctx, partner)->joined)
        offer(ctx, partner);
}

static void leaves(orr_ctx *ctx, orr_job *job)
{
    state *st = orr_state(ctx);
    own *o = of(ctx, job);
    switch (o->phase) {
    case WAITS:
        orr_line_remove(&vc_of(ctx, job)->queue, job);
        break;
    case RUNS:
        parts(ctx, job);
        orr_line_remove(&st->left, job);
        break;
    case TO_PROFILE:
        orr_line_remove(&st->to_profile, job);
        break;
    case PROFILES:
        orr_line_remove(&st->profiling, job);
        orr_disarm(ctx, PROFILE_ENDS + orr_job_index(job));
        o->left = false;
        break;
    }
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
        submitted(ctx, job);
        break;
    case ORR_EV_STARTED: /* by its own decision, or by the start state */
        if (of(ctx, job)->phase == TO_PROFILE || of(ctx, job)->phase == WAITS) {
            leaves(ctx, job);
            started(ctx, job, NULL);
            offer(ctx, job);
        }
        break;
    case ORR_EV_SAVING:
    case ORR_EV_PREEMPTED:
    case ORR_EV_INTERRUPTED:
    case ORR_EV_RETRIED:
        if (of(ctx, job)->phase != WAITS)
            leaves(ctx, job);
        of(ctx, job)->phase = WAITS;
        if (event->kind == ORR_EV_SAVING)
            break;
        wait(ctx, job);
        orr_arm(ctx, RECHECK, orr_now(ctx)); /* what a decision itself brought about asks for none */
        break;
    case ORR_EV_ENDED:
        leaves(ctx, job);
        break;
    default:
        break;
    }
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    state *st = orr_state(ctx);
    for (size_t i = 0; cookie >= PROFILE_ENDS && i < st->profiling.n; i++) /* those in the profiler are few */
        if (orr_job_index(st->profiling.at[i]) == cookie - PROFILE_ENDS)
            of(ctx, st->profiling.at[i])->left = true;
}

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    st->vc_count = orr_cluster_vcs(ctx);
    st->vcs = orr_alloc_memory(ctx, (size_t)st->vc_count * sizeof *st->vcs);
    st->profiler = -1;
    for (int32_t i = 0; i < st->vc_count; i++) {
        st->vcs[i].alone = orr_alloc_memory(ctx, (size_t)(s->share_gpus + 1) * sizeof(orr_line));
        if (s->profiler[0] && strcmp(orr_vc_name(ctx, i), s->profiler) == 0)
            st->profiler = i;
    }
    return s->profiler[0] && st->profiler < 0 ? ORR_E_MISSING : ORR_OK;
}

static const orr_knob knobs[] = {
    {"sharing", ORR_KNOB_BOOL, offsetof(settings, sharing), "on", NULL, "off: nobody shares, and the first that doesn't fit blocks"},
    {"share_gpus", ORR_KNOB_INT, offsetof(settings, share_gpus), "8", "0..64", "gangs of at most so many GPUs share"},
    {"score", ORR_KNOB_INT, offsetof(settings, score), "2", "0..4", "the most that two sharing classes may add up to"},
    {"memory", ORR_KNOB_NUMBER, offsetof(settings, memory), "24", "0..inf", "GiB of device memory that two jobs must stay below"},
    {"favour", ORR_KNOB_NUMBER, offsetof(settings, favour), "2", "0..inf", "a partner's priority times this isn't below its own"},
    {"rejoin", ORR_KNOB_BOOL, offsetof(settings, rejoin), "on", NULL, "who joined another and was left may be joined again"},
    {"recheck", ORR_KNOB_TIME, offsetof(settings, recheck), "1s", "1..inf", "look again so long after jobs were started"},
    {"profiler", ORR_KNOB_TEXT, offsetof(settings, profiler), "", NULL, "virtual cluster that profiles; none: profiles are known"},
    {"profile_time", ORR_KNOB_TIME, offsetof(settings, profile_time), "80s", "1..inf", "the longest stay there"},
    {"profile_gpus", ORR_KNOB_INT, offsetof(settings, profile_gpus), "4", "0..64", "larger gangs aren't profiled"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"sim", "rejoin=off", "as the public simulator, in which a job that joined another is not joined itself later"},
    {NULL, NULL, NULL},
};

ORR_POLICY(lucid) = {
    .summary = "packs jobs whose sharing classes get on, by believed service, without preemption",
    .cite = "Hu et al., Lucid, ASPLOS'23",
    .deviations = "sharing isn't switched off when few arrivals are forecast; the profiler doesn't grow and shrink, and what a job "
                  "does in it counts as work",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .on_timer = on_timer,
    .schedule = schedule,
};
