/* allox: least mean completion time on GPUs of unlike types. Whenever a job comes or goes and GPUs are free, the
 * jobs that wait are matched with places in queues of GPUs: k-th from the end of a queue, a job of length p adds k p
 * to the sum of completion times, its own and those of the jobs behind it, and each in the queue of a busy GPU waits
 * until that is free. Jobs that are first in the queue of a free GPU start; all the others are matched anew next
 * time. So short jobs go first, each where it is fast in comparison, a fast GPU may be worth waiting for, and nobody
 * who runs is moved.
 *
 * GPUs of one type that are free at the same time are alike (orr_assign_queues). Only the longest-waiting part
 * `alpha` of the jobs is matched, but at least as many as there are free GPUs: the smaller, the sooner everybody has
 * its turn.
 *
 * A gang counts as one job of all its GPU time: it holds up so many queues at once. It starts on one type, on as
 * many of its GPUs as it asks; where fewer are free, those behind it that fit start before it (`hol=block`: nobody
 * in the queues of that type does). One that no single type could hold starts wherever there is room.
 *
 * Source: Le et al., AlloX, EuroSys'20, section 4; with `rules=sim` as the simulator of Gavel (OSDI'20) has it,
 * which looks at free GPUs only. Assumed: lengths and speeds are known. A decision looks at all that wait or run, as
 * what is left of each moves with time; but only when GPUs are free and somebody waits. */
#include <orrery/policy.h>
#include <orrery/solve.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    double alpha;
    int32_t machines, hol, vc, rules;
    orr_time round, reset;
} settings;

typedef struct entrant {
    orr_job *job;
    int32_t kind, position; /* of its queue; position from the end */
} entrant;

typedef struct scratch { /* memory that is used again and again */
    void *at;
    size_t size;
} scratch;

typedef struct state {
    orr_line *waiting, *running; /* [pools] whole GPUs, as they came, as they started */
    int32_t pools;
    orr_waiting *others; /* who aren't matched */
    scratch line, time, answer;
    uint64_t *failed; /* [shapes] the last pass in which a job of this shape found no room */
    uint32_t shapes;
    uint64_t pass;
} state;

typedef struct own { /* by job */
    bool apart; /* not matched: it asks parts of GPUs, or none, or no type has room for it */
} own;

static const settings *set_of(const orr_ctx *ctx)
{
    return orr_knobs(ctx);
}

static void *room_in(orr_ctx *ctx, scratch *s, size_t count, size_t size)
{
    if (s->size < count * size) {
        s->size = 2 * count * size;
        s->at = orr_alloc_memory(ctx, s->size);
    }
    return s->at;
}

/* ---- who waits --------------------------------------------------------------------------------------------------- */

/* GPU seconds left of it on this type; INFINITY: it can't run there. */
static double time_on(orr_ctx *ctx, const orr_job *job, int32_t vc, int32_t type)
{
    const orr_scope scope = {.vc = vc, .types = UINT64_C(1) << type};
    const int32_t gpus = orr_job_gpus(job);
    if (gpus > orr_scope_gpus(ctx, scope) || !orr_type_hosts(ctx, job, type, vc < 0))
        return INFINITY;
    const double speed = orr_job_speed_on(ctx, job, type, gpus > orr_scope_widest(ctx, scope));
    return speed > 0 ? orr_est_remaining(ctx, job) * gpus / speed : INFINITY;
}

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static bool is_dealt_with(orr_ctx *ctx, const orr_job *job)
{
    return !own_of(ctx, job)->apart;
}

/* Has some type, where it may run, enough GPUs? */
static bool fits_a_type(orr_ctx *ctx, const orr_job *job, int32_t vc)
{
    bool fits = false;
    for (int32_t k = 0; k < orr_cluster_types(ctx) && !fits; k++)
        fits = isfinite(time_on(ctx, job, vc, k));
    return fits;
}

static orr_line *line_of(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    return &s->waiting[s->pools > 1 ? orr_job_vc(job) : 0];
}

static orr_line *running_of(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    return &s->running[s->pools > 1 ? orr_job_vc(job) : 0];
}

static size_t place_in(const orr_line *line, const orr_job *job)
{
    size_t at = line->n;
    while (at && orr_job_index(line->at[at - 1]) > orr_job_index(job))
        at--;
    return at;
}

static void begin_waiting(orr_ctx *ctx, orr_job *job)
{
    orr_line *line = line_of(ctx, job);
    const bool whole = orr_job_gpus(job) > 0 && orr_job_gpu_milli(job) == 1000;
    const int32_t vc = ((state *)orr_state(ctx))->pools > 1 ? orr_job_vc(job) : -1;
    own_of(ctx, job)->apart = !whole || !fits_a_type(ctx, job, vc);
    if (is_dealt_with(ctx, job)) {
        orr_line_remove(running_of(ctx, job), job);
        orr_line_insert(ctx, line, place_in(line, job), job);
    } else
        orr_waiting_add(((state *)orr_state(ctx))->others, job, orr_job_shape(job), (orr_rank){0, 0});
}

static void end_waiting(orr_ctx *ctx, orr_job *job)
{
    if (is_dealt_with(ctx, job))
        orr_line_remove(line_of(ctx, job), job);
    else
        orr_waiting_remove(((state *)orr_state(ctx))->others, job, orr_job_shape(job));
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    if (set_of(ctx)->rules) {
        orr_drive_on_job(ctx, job, event);
        return;
    }
    switch (event->kind) {
    case ORR_EV_SUBMITTED:
    case ORR_EV_PREEMPTED:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
        begin_waiting(ctx, job);
        orr_waiting_room(s->others);
        break;
    case ORR_EV_STARTED:
        end_waiting(ctx, job);
        if (is_dealt_with(ctx, job))
            orr_line_add(ctx, running_of(ctx, job), job);
        break;
    case ORR_EV_ENDED:
        end_waiting(ctx, job);
        orr_line_remove(running_of(ctx, job), job);
        orr_waiting_room(s->others);
        break;
    default:
        break;
    }
}

static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    state *s = orr_state(ctx);
    (void)node, (void)event;
    if (!set_of(ctx)->rules)
        orr_waiting_room(s->others);
}

/* ---- the matching ------------------------------------------------------------------------------------------------ */

/* Of so many that wait, as many are matched. */
static size_t count_in(size_t waiting, double alpha, int64_t machines)
{
    const double part = ceil(alpha * (double)waiting - 1e-9);
    const size_t least = machines > 0 ? (size_t)machines : 0, n = part > 0 ? (size_t)part : 0;
    const size_t most = n > least ? n : least;
    return most < waiting ? most : waiting;
}

/* Those of the first `count` that can run on something that is free, with their times; returns how many. */
static int32_t line_up(orr_ctx *ctx, int32_t vc, const orr_machines *m, const orr_line *waiting, size_t count)
{
    state *s = orr_state(ctx);
    entrant *line = room_in(ctx, &s->line, count, sizeof *line);
    double *time = room_in(ctx, &s->time, count * (size_t)m->kinds, sizeof *time);
    int32_t n = 0;
    for (size_t i = 0; i < count; i++) {
        bool anywhere = false;
        for (int32_t k = 0; k < m->kinds; k++) {
            time[n * m->kinds + k] = time_on(ctx, waiting->at[i], vc, m->type[k]);
            anywhere |= isfinite(time[n * m->kinds + k]);
        }
        line[n] = (entrant){.job = waiting->at[i]};
        n += anywhere;
    }
    return n;
}

/* By type, the first in their queues first, of those the ones that came first: on two GPUs with three jobs each the
 * two third from the end start; if one of the GPUs has a job less, its first is the earlier of the two second from
 * the end. */
static int by_turn(const void *a, const void *b)
{
    const entrant *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->position != y->position)
        return x->position > y->position ? -1 : 1;
    return orr_job_index(x->job) < orr_job_index(y->job) ? -1 : 1;
}

static void match(orr_ctx *ctx, const orr_machines *m, int32_t n)
{
    state *s = orr_state(ctx);
    entrant *line = s->line.at;
    int32_t *kind = room_in(ctx, &s->answer, 2 * (size_t)n, sizeof *kind), *position = kind + n;
    const orr_queues queues = {.jobs = n, .kinds = m->kinds, .time = s->time.at, .alike = m->gpus, .ready = m->ready};
    orr_assign_queues(&queues, kind, position);
    for (int32_t i = 0; i < n; i++) {
        line[i].kind = kind[i];
        line[i].position = position[i];
    }
    qsort(line, (size_t)n, sizeof *line, by_turn);
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

/* Where jobs of this shape failed in this pass. */
static uint64_t *failed_at(orr_ctx *ctx, uint32_t shape)
{
    state *s = orr_state(ctx);
    if (shape >= s->shapes) {
        uint64_t *larger = orr_alloc_memory(ctx, (2 * (size_t)shape + 16) * sizeof *larger);
        if (s->shapes)
            memcpy(larger, s->failed, s->shapes * sizeof *larger);
        s->failed = larger;
        s->shapes = 2 * shape + 16;
    }
    return &s->failed[shape];
}

static orr_err start(orr_ctx *ctx, orr_plan *plan, int32_t vc, const orr_machines *m, const entrant *e)
{
    state *s = orr_state(ctx);
    uint64_t *failed = failed_at(ctx, orr_job_shape(e->job));
    if (orr_job_gpus(e->job) > m->gpus[e->kind] || *failed == s->pass)
        return ORR_E_NOFIT;
    orr_err err = orr_plan_start_in(plan, e->job, (orr_scope){.vc = vc, .types = UINT64_C(1) << m->type[e->kind]});
    if (err == ORR_E_NOFIT)
        *failed = s->pass;
    return err;
}

static orr_err start_first(orr_ctx *ctx, orr_plan *plan, int32_t vc, orr_machines *m, int32_t n)
{
    state *s = orr_state(ctx);
    const entrant *line = s->line.at;
    bool closed = false; /* the kind that it is at */
    for (int32_t i = 0, before = -1; i < n && line[i].kind < m->free_kinds; i++) {
        const int32_t k = line[i].kind;
        s->pass += k != before;
        closed &= k == before;
        before = k;
        if (closed || m->gpus[k] == 0)
            continue;
        orr_err err = start(ctx, plan, vc, m, &line[i]);
        if (err && err != ORR_E_NOFIT)
            return err;
        m->gpus[k] -= err ? 0 : orr_job_gpus(line[i].job);
        closed = err && set_of(ctx)->hol == ORR_HOL_BLOCK;
    }
    return ORR_OK;
}

static orr_err start_matched(orr_ctx *ctx, orr_plan *plan, int32_t at)
{
    state *s = orr_state(ctx);
    const orr_line *waiting = &s->waiting[at];
    const int32_t vc = s->pools > 1 ? at : -1;
    orr_machines m = {0};
    if (waiting->n)
        orr_machines_find_free(ctx, vc, &m);
    if (!m.free)
        return ORR_OK;
    if (set_of(ctx)->machines == 0)
        orr_machines_add_busy(ctx, plan, &s->running[at], &m);
    const int32_t n = line_up(ctx, vc, &m, waiting, count_in(waiting->n, set_of(ctx)->alpha, m.free));
    if (n)
        match(ctx, &m, n);
    return start_first(ctx, plan, vc, &m, n);
}

static orr_err start_others(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    uint32_t shape;
    for (orr_job *job; (job = orr_waiting_first(s->others, true, &shape)) != NULL;) {
        orr_err err = orr_plan_start_in(plan, job, (orr_scope){.vc = s->pools > 1 ? orr_job_vc(job) : -1});
        if (err == ORR_E_NOFIT)
            orr_waiting_failed(s->others, shape);
        else if (err)
            return err;
        else
            orr_waiting_remove(s->others, job, shape);
    }
    return ORR_OK;
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    if (set_of(ctx)->rules)
        return orr_drive_schedule(ctx, plan);
    orr_err err = start_others(ctx, plan);
    for (int32_t i = 0; !err && i < s->pools; i++)
        err = start_matched(ctx, plan, i);
    return err;
}

/* ---- the policy -------------------------------------------------------------------------------------------------- */

/* Its simulator refuses gangs. */
static bool admit(orr_ctx *ctx, const orr_job *job)
{
    if (!set_of(ctx)->rules || orr_job_gpus(job) <= 1)
        return true;
    orr_note_decision(ctx, job, "gang");
    return false;
}

static orr_err init(orr_ctx *ctx)
{
    const settings *set = set_of(ctx);
    state *s = orr_state(ctx);
    if (set->rules) {
        const orr_share_rules rules = {.round = set->round, .reset = set->reset, .vc = set->vc, .sim = true,
                                       .objective = ORR_SHARES_QUEUES, .queue_part = set->alpha};
        orr_share_rounds_create(ctx, &rules);
        return ORR_OK;
    }
    const bool apart = set->vc == ORR_VC_ISOLATED && orr_cluster_vcs(ctx) > 1 && !orr_vcs_are_tenants(ctx);
    s->pools = apart ? orr_cluster_vcs(ctx) : 1;
    s->waiting = orr_alloc_memory(ctx, (size_t)s->pools * sizeof *s->waiting);
    s->running = orr_alloc_memory(ctx, (size_t)s->pools * sizeof *s->running);
    s->others = orr_waiting_create();
    if (!apart)
        orr_reach_all(ctx);
    orr_trigger_events(ctx, 1u << ORR_EV_SUBMITTED | 1u << ORR_EV_ENDED | 1u << ORR_EV_PREEMPTED |
                                1u << ORR_EV_RETRIED | 1u << ORR_EV_INTERRUPTED);
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    orr_waiting_destroy(((state *)orr_state(ctx))->others);
}

static const orr_knob knobs[] = {
    {"alpha", ORR_KNOB_NUMBER, offsetof(settings, alpha), "1", "0..1",
     "this part of those that wait is matched, the longest-waiting, but as many as there are free GPUs"},
    {"machines", ORR_KNOB_CHOICE, offsetof(settings, machines), "all", "all|free",
     "all: a job may be matched with a GPU that is still busy, and wait for it"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "skip", "block|skip",
     "a gang for which too few GPUs of its type are free holds up those behind it there, or not"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "nodes of its VC, or all"},
    {"rules", ORR_KNOB_CHOICE, offsetof(settings, rules), "own", "own|sim",
     "sim: as the simulator of gavel, in rounds; one GPU a job"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "360s", "0.001..inf", "sim: length of a round"},
    {"reset", ORR_KNOB_TIME, offsetof(settings, reset), "1920s", "0..inf",
     "sim: matched anew not more often than that"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"gavel", "rules=sim", "`allox` of Gavel's public simulator, to the step"},
    {"fair", "alpha=0.3", "the longest-waiting third of the jobs is matched"},
    {NULL, NULL, NULL},
};

ORR_POLICY(allox) = {
    .summary = "least mean completion time on unlike GPUs, by matching jobs with places in queues",
    .cite = "Le et al., AlloX: Compute Allocation in Hybrid Clusters, EuroSys'20",
    .deviations =
        "GPU types instead of CPUs and GPUs; a gang, which the paper doesn't know, counts as one job of all its "
        "GPU time on one type; alpha chooses jobs by how long they wait, where the paper asks which users had "
        "least; queues of many busy GPUs are taken together, 48 kinds of them at most",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .fini = fini,
    .admit = admit,
    .on_job = on_job,
    .on_node = on_node,
    .schedule = schedule,
};
