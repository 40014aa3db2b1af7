/* philly: virtual clusters with quotas that others may borrow. Of a VC's jobs the first come is tried first, on the
 * fewest nodes of one rack; every `retry` it tries again, and after `relax_node` tries in vain it takes more nodes of
 * one rack, after `relax_rack` tries GPUs wherever they are. Those that find none are overtaken. VCs within their
 * quotas come first; what they leave anybody may have. When a job of a VC within its quota finds no room, and at least
 * `preempt_at` of all GPUs are held, jobs of VCs above theirs give way, the last started first. A VC whose nodes are
 * its own has them for a quota, and all nodes are one pool. Attempts that failed are tried again as the trace says
 * (`--replay-attempts`).
 *
 * Source: Jeon et al., Philly, ATC'19, sections 2.3 and 3; what it doesn't tell (which jobs give way, what becomes of
 * them) is as above. Durations aren't known. */
#include <orrery/policy.h>

#include <string.h>

typedef struct settings {
    int64_t relax_node, relax_rack;
    orr_time retry;
    double preempt_at;
} settings;

typedef struct own { /* by job */
    uint64_t started; /* its place among all starts */
    size_t at;        /* its place in the list of those that hold GPUs, from 1; 0: it isn't there */
} own;

typedef struct state {
    orr_near *near;
    orr_line running;
    uint64_t starts;
    int64_t *held, *saved; /* by VC, thousandths of a GPU, as the plan would have it */
} state;

/* ---- quotas ------------------------------------------------------------------------------------------------------ */

static int64_t asks(const orr_job *job)
{
    return (int64_t)orr_job_gpus(job) * orr_job_gpu_milli(job);
}

static int64_t quota(const orr_ctx *ctx, int32_t vc)
{
    return 1000 * orr_vc_quota(ctx, vc);
}

static bool is_within(orr_ctx *ctx, const orr_job *job)
{
    const state *st = orr_state(ctx);
    const int32_t vc = orr_job_vc(job);
    return st->held[vc] + asks(job) <= quota(ctx, vc);
}

static void read_held(orr_ctx *ctx)
{
    state *st = orr_state(ctx);
    for (int32_t vc = 0; vc < orr_cluster_vcs(ctx); vc++)
        st->held[vc] = orr_vc_held(ctx, vc);
}

/* ---- who runs ---------------------------------------------------------------------------------------------------- */

static void keep_running(orr_ctx *ctx, orr_job *job, bool runs)
{
    state *st = orr_state(ctx);
    own *o = orr_job_state_of(ctx, job);
    if (runs && !o->at) {
        orr_line_add(ctx, &st->running, job);
        o->at = st->running.n;
        o->started = ++st->starts;
    } else if (!runs && o->at) { /* the last takes its place */
        orr_job *last = st->running.at[--st->running.n];
        st->running.at[o->at - 1] = last;
        ((own *)orr_job_state_of(ctx, last))->at = o->at;
        o->at = 0;
    }
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    const state *st = orr_state(ctx);
    if (event->kind == ORR_EV_STARTED)
        keep_running(ctx, job, true);
    else if (!orr_job_holds(job))
        keep_running(ctx, job, false);
    orr_near_event(st->near, job, event);
}

/* ---- giving way -------------------------------------------------------------------------------------------------- */

static bool is_crowded(const orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    const orr_scope all = {.vc = -1};
    const double there = 1000.0 * orr_scope_gpus(ctx, all);
    return there - (double)orr_scope_free_milli(ctx, all) >= s->preempt_at * there;
}

/* The last started of a VC that is above its quota, of those started before `before`. O(running): only where a VC within its
 * quota found no room. */
static orr_job *next_victim(orr_ctx *ctx, uint64_t before)
{
    const state *st = orr_state(ctx);
    orr_job *best = NULL;
    uint64_t started = 0;
    for (size_t i = 0; i < st->running.n; i++) {
        orr_job *job = st->running.at[i];
        const own *o = orr_job_state_of(ctx, job);
        const int32_t vc = orr_job_vc(job);
        if (o->started >= before || o->started <= started || !orr_job_preemptible(job))
            continue;
        if (st->held[vc] <= quota(ctx, vc))
            continue;
        best = job;
        started = o->started;
    }
    return best;
}

/* What VCs hold above their quotas, and what is free, would be enough. */
static bool may_suffice(orr_ctx *ctx, const orr_job *job)
{
    const state *st = orr_state(ctx);
    int64_t sum = orr_scope_free_milli(ctx, (orr_scope){.vc = -1});
    for (int32_t vc = 0; vc < orr_cluster_vcs(ctx); vc++)
        sum += st->held[vc] > quota(ctx, vc) ? st->held[vc] : 0;
    return sum >= asks(job);
}

/* Takes GPUs away until the job has room; all of it is undone if it never has. */
static bool make_room(orr_ctx *ctx, orr_plan *plan, orr_job *job)
{
    const state *st = orr_state(ctx);
    const size_t vcs = (size_t)orr_cluster_vcs(ctx);
    const uint32_t mark = orr_plan_mark(plan);
    uint64_t before = UINT64_MAX;
    memcpy(st->saved, st->held, vcs * sizeof *st->held);
    for (orr_job *victim; (victim = next_victim(ctx, before)) != NULL;) {
        before = ((own *)orr_job_state_of(ctx, victim))->started;
        if (!orr_plan_held(plan, victim) || orr_plan_preempt(plan, victim))
            continue;
        st->held[orr_job_vc(victim)] -= asks(victim);
        if (orr_near_start(st->near, plan, job) == ORR_OK)
            return true;
    }
    orr_plan_undo(plan, mark);
    memcpy(st->held, st->saved, vcs * sizeof *st->held);
    return false;
}

/* One job a decision: what it makes of the others is seen at the next one, which follows at once. */
static void take_back(orr_ctx *ctx, orr_plan *plan)
{
    const state *st = orr_state(ctx);
    for (orr_job *job = NULL; (job = orr_near_left(st->near, job)) != NULL;)
        if (is_within(ctx, job) && may_suffice(ctx, job) && make_room(ctx, plan, job))
            return;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static void count_start(orr_ctx *ctx, const orr_job *job)
{
    const state *st = orr_state(ctx);
    st->held[orr_job_vc(job)] += asks(job);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    const state *st = orr_state(ctx);
    orr_near_begin(st->near);
    read_held(ctx);
    orr_err err = orr_near_schedule(st->near, plan, is_within);
    if (!err)
        err = orr_near_schedule(st->near, plan, NULL);
    if (!err && is_crowded(ctx))
        take_back(ctx, plan);
    return err;
}

static orr_time tries(const settings *s, int64_t n)
{
    return n > 0 && s->retry > ORR_TIME_MAX / n ? ORR_TIME_MAX : s->retry * n;
}

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    const orr_time node = tries(s, s->relax_node), rack = tries(s, s->relax_rack);
    const orr_near_rules rules = {.node = node, .rack = rack > node ? rack - node : 0, .anywhere = true,
                                  .started = count_start};
    st->held = orr_alloc_memory(ctx, (size_t)orr_cluster_vcs(ctx) * sizeof *st->held);
    st->saved = orr_alloc_memory(ctx, (size_t)orr_cluster_vcs(ctx) * sizeof *st->saved);
    st->near = orr_near_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"relax_node", ORR_KNOB_INT, offsetof(settings, relax_node), "3", "0..1000000", "tries on the fewest nodes"},
    {"relax_rack", ORR_KNOB_INT, offsetof(settings, relax_rack), "10", "0..1000000", "tries in one rack, those included"},
    {"retry", ORR_KNOB_TIME, offsetof(settings, retry), "120s", "0..", "from try to try"},
    {"preempt_at", ORR_KNOB_NUMBER, offsetof(settings, preempt_at), "0.9", "0..", "share of GPUs held from which jobs give way"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(philly) = {
    .summary = "quotas that others may borrow, and locality that is relaxed try by try",
    .cite = "Jeon et al., Philly, ATC'19",
    .deviations = "a job is also tried whenever room has grown, not at its own times only: tries are counted by time; within a VC "
                  "jobs come in the order of submission, not by users' fair shares",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
    .placer = "first-fit", /* of parts of GPUs; and what it has no room for is rejected at the door */
};
