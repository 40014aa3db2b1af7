/* edf: the earliest deadline runs first, preempting later ones; jobs whose deadline has passed come after all others, and jobs
 * without one last. `admission=demand` rejects a job when the GPU time due by some deadline exceeds what the VC has until then
 * (necessary); `admission=plan` also asks that a plan in order of deadlines on counts of GPUs meets them all (sufficient on
 * counts). Optimal on one GPU when the set is feasible. */
#include <orrery/policy.h>

typedef struct settings {
    bool preempt;
    int32_t admission, hol, vc;
} settings;

typedef struct state {
    orr_list *list;
    orr_job **due; /* active jobs with deadlines, by deadline */
    size_t count, room;
    orr_calendar *calendar;
} state;

enum { ADMIT_ALL, ADMIT_DEMAND, ADMIT_PLAN };

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    orr_time deadline = orr_job_deadline(ctx, job);
    if (deadline == ORR_TIME_NONE)
        return (orr_rank){.major = 2};
    return (orr_rank){.major = deadline <= orr_now(ctx) ? 1 : 0, .minor = orr_time_seconds(deadline)};
}

/* ---- admission: O(active jobs with deadlines) an arrival, which is what a test of all deadlines takes ---- */

static bool same_pool(const orr_ctx *ctx, const orr_job *a, const orr_job *b)
{
    return ((const settings *)orr_knobs(ctx))->vc == ORR_VC_SHARED || orr_job_vc(a) == orr_job_vc(b);
}

static orr_scope scope_of(orr_ctx *ctx, const orr_job *job)
{
    return (orr_scope){.vc = ((const settings *)orr_knobs(ctx))->vc == ORR_VC_SHARED ? -1 : orr_job_vc(job)};
}

/* Where the job belongs among `due`; late ones are given up and don't count. */
static size_t place_of(orr_ctx *ctx, const orr_job *job)
{
    const state *s = orr_state(ctx);
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (orr_job_deadline(ctx, s->due[mid]) > orr_job_deadline(ctx, job))
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static const orr_job *nth(const state *s, size_t place, const orr_job *extra, size_t i)
{
    return i < place ? s->due[i] : i == place ? extra : s->due[i - 1];
}

static bool demand_fits(orr_ctx *ctx, const orr_job *job)
{
    const state *s = orr_state(ctx);
    size_t place = place_of(ctx, job);
    double gpus = orr_scope_gpus(ctx, scope_of(ctx, job)), demand = 0;
    for (size_t i = 0; i <= s->count; i++) {
        const orr_job *j = nth(s, place, job, i);
        orr_time left = orr_job_deadline(ctx, j) - orr_now(ctx);
        if (left <= 0 || !same_pool(ctx, j, job))
            continue;
        demand += orr_job_gpus(j) * orr_est_remaining(ctx, j);
        if (demand > gpus * orr_time_seconds(left))
            return false;
    }
    return true;
}

static bool reserve(orr_ctx *ctx, const orr_job *job, bool at_once)
{
    const state *s = orr_state(ctx);
    orr_time now = orr_now(ctx), length = orr_est_remaining_time(ctx, job), deadline = orr_job_deadline(ctx, job);
    orr_time start = at_once ? now : orr_calendar_fit(s->calendar, now, length, orr_job_gpus(job));
    if (start == ORR_TIME_MAX)
        return false;
    orr_calendar_reserve(s->calendar, start, length, orr_job_gpus(job));
    return deadline <= now || orr_time_add(start, length) <= deadline;
}

static bool plan_fits(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    const state *s = orr_state(ctx);
    size_t place = place_of(ctx, job);
    orr_calendar_reset(s->calendar, orr_now(ctx), orr_scope_gpus(ctx, scope_of(ctx, job)));
    for (size_t i = 0; !k->preempt && i < s->count; i++)
        if (orr_job_holds(s->due[i]) && same_pool(ctx, s->due[i], job) && !reserve(ctx, s->due[i], true))
            return false;
    for (size_t i = 0; i <= s->count; i++) {
        const orr_job *j = nth(s, place, job, i);
        bool counted = same_pool(ctx, j, job) && orr_job_deadline(ctx, j) > orr_now(ctx);
        if (counted && (k->preempt || !orr_job_holds(j)) && !reserve(ctx, j, false))
            return false;
    }
    return true;
}

static bool admit(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    if (k->admission == ADMIT_ALL || orr_job_deadline(ctx, job) == ORR_TIME_NONE)
        return true;
    bool fits = demand_fits(ctx, job) && (k->admission == ADMIT_DEMAND || plan_fits(ctx, job));
    if (!fits)
        orr_note_decision(ctx, job, "deadline-not-admitted");
    return fits;
}

/* ---- a job's life ---- */

static void remember(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 64;
        orr_job **more = orr_alloc_memory(ctx, room * sizeof *more);
        for (size_t i = 0; i < s->count; i++)
            more[i] = s->due[i];
        s->due = more;
        s->room = room;
    }
    size_t place = place_of(ctx, job);
    for (size_t i = s->count++; i > place; i--)
        s->due[i] = s->due[i - 1];
    s->due[place] = job;
}

static void forget(orr_ctx *ctx, const orr_job *job)
{
    state *s = orr_state(ctx);
    size_t i = 0;
    while (i < s->count && s->due[i] != job)
        i++;
    if (i == s->count)
        return;
    for (s->count--; i < s->count; i++)
        s->due[i] = s->due[i + 1];
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    orr_list_event(s->list, job, event);
    orr_time deadline = orr_job_deadline(ctx, job);
    if (deadline == ORR_TIME_NONE)
        return;
    if (event->kind == ORR_EV_SUBMITTED) {
        remember(ctx, job);
        if (deadline > orr_now(ctx)) /* when it passes, the job falls behind */
            orr_arm(ctx, orr_job_index(job), deadline);
    } else if (event->kind == ORR_EV_ENDED) {
        forget(ctx, job);
        orr_disarm(ctx, orr_job_index(job));
    }
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    state *s = orr_state(ctx);
    for (size_t i = 0; i < s->count && orr_job_deadline(ctx, s->due[i]) <= orr_now(ctx); i++)
        if (orr_job_index(s->due[i]) == cookie)
            orr_list_touch(s->list, s->due[i]);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    orr_list_rules rules = {.rank = rank, .preemptive = k->preempt, .varying = true, .hol = k->hol, .vc = k->vc,
                            .depth = INT64_MAX};
    s->list = orr_list_create(ctx, &rules);
    s->calendar = orr_calendar_create(0, 0);
    return ORR_OK;
}

static void fini(orr_ctx *ctx)
{
    orr_calendar_destroy(((state *)orr_state(ctx))->calendar);
}

static const orr_knob knobs[] = {
    {"preempt", ORR_KNOB_BOOL, offsetof(settings, preempt), "on", NULL, "earlier deadlines preempt later ones"},
    {"admission", ORR_KNOB_CHOICE, offsetof(settings, admission), "none", "none|demand|plan", "reject what can't be met"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "skip", "block|skip", "the first job that doesn't fit blocks, or is skipped"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "a queue a VC, or one for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"admission", "admission=plan", "reject jobs whose deadlines can't be met (edf-accessctrl in the ElasticFlow code)"},
    {NULL, NULL, NULL},
};

ORR_POLICY(edf) = {
    .summary = "earliest deadline first, with or without admission",
    .cite = "Liu and Layland 1973; baseline of ElasticFlow ASPLOS'23 and Chronus SoCC'21",
    .deviations = "admission counts GPUs, not shapes",
    .needs = ORR_CAP_DEADLINE,
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LIMIT] = ORR_KNOW_DECLARED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .admit = admit,
    .init = init,
    .fini = fini,
    .on_job = on_job,
    .on_timer = on_timer,
    .schedule = orr_drive_schedule,
};
