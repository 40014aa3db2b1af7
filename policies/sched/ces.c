/* ces: nodes that aren't needed sleep, and few have to be woken again. Jobs are started by the list driver, in the
 * order of the knob `order`; every `step` the policy looks at how many nodes are needed and decides how many shall be
 * awake.
 *
 * With U nodes needed now and A awake: if A < U, U + buffer nodes shall be awake, and none falls asleep for the next
 * `keep` steps. Else, if U has fallen by `fell` against the mean of the last `past` steps, and will have fallen by
 * `falls` on the mean of the next `ahead` steps, and doesn't rise again after that, all but U + buffer may sleep, if
 * these are `least` at least. In the first steps, when there is no past to compare with, U + buffer nodes are awake.
 *
 * Needed are the nodes that somebody holds anything of, and as many as the waiting jobs ask: so jobs that find too few
 * awake nodes wait for the next step and for the scenario's `wake`. What will be is a forecast from what was (a period
 * of a day, see orr_series). A virtual cluster with nodes of its own is looked at on its own.
 *
 * Source: Hu et al., Helios, SC'21, section 4.3 (CES), and its public code, whose knobs for each cluster are the
 * presets. */
#include <orrery/history.h>
#include <orrery/policy.h>

enum { ORDER_SUBMIT, ORDER_DURATION, ORDER_GPU_TIME };
enum { FORECAST_HISTORY, FORECAST_LAST };

typedef struct settings {
    orr_time step, period;
    int64_t past, ahead, buffer, keep, least;
    double fell, falls;
    int32_t order, hol, vc, forecast;
} settings;

/* ---- the rule, on numbers alone ---- */

typedef struct view {
    int64_t step, total, active; /* active: nodes that are or will be awake */
    double used;                 /* nodes needed now */
    const double *before;        /* the last `past` of that, the latest last */
    const double *forecast;      /* from now on; [0] is `used` */
    int64_t known;               /* how many of them there are */
} view;

static double mean(const double *at, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += at[i];
    return sum / (double)n;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool may_shrink(const settings *k, const view *v)
{
    double soon = mean(v->forecast, least(k->ahead, v->known));
    double later = mean(v->forecast, least(2 * k->ahead, v->known));
    return mean(v->before, k->past) - v->used >= k->fell && v->used - soon >= k->falls && soon >= later;
}

/* How many nodes shall be awake; *hold is the step before which none falls asleep. */
static int64_t next_active(const settings *k, const view *v, int64_t *hold)
{
    int64_t target = least((int64_t)v->used + k->buffer, v->total);
    if (v->step < (k->past > k->ahead ? k->past : k->ahead))
        return target;
    if ((double)v->active < v->used) {
        *hold = v->step + k->keep;
        return target;
    }
    bool shrinks = v->step >= *hold && v->active - target >= k->least && may_shrink(k, v);
    return shrinks ? target : v->active;
}

/* ---- the state ---- */

typedef struct group { /* the cluster, or a VC with nodes of its own */
    orr_series *series;
    double *before; /* [past] */
    int64_t step, active, hold;
    int64_t waiting_milli; /* thousandths of a node that waiting jobs ask */
    int64_t waiting;
} group;

typedef struct state {
    orr_list *list;
    group *groups;
    int32_t count;
    bool armed, due; /* due: a step has been made and nodes are to be told */
    double *forecast;
    bool *asleep; /* by node: it was told to sleep */
} state;

typedef struct own { /* by job */
    bool waits;
    int64_t milli;
} own;

static group *group_at(const state *s, int32_t vc)
{
    return &s->groups[s->count == 1 ? 0 : vc];
}

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    if (k->order == ORDER_SUBMIT)
        return (orr_rank){.major = orr_time_seconds(orr_job_submit(job))};
    double gpus = k->order == ORDER_GPU_TIME ? orr_job_gpus(job) : 1;
    return (orr_rank){.major = gpus * orr_est_duration(ctx, job), .minor = orr_job_gpus(job)};
}

/* ---- who waits ---- */

/* Whole nodes, and the part of one. */
static int64_t asked_milli(const orr_ctx *ctx, const state *s, const orr_job *job)
{
    int64_t wide = orr_scope_widest(ctx, (orr_scope){.vc = s->count == 1 ? -1 : orr_job_vc(job)});
    int64_t gpus = orr_job_gpus(job);
    if (wide < 1 || gpus < 1)
        return 1;
    return gpus >= wide ? (gpus + wide - 1) / wide * 1000 : (gpus * 1000 + wide - 1) / wide;
}

static void set_waiting(orr_ctx *ctx, const orr_job *job, bool waits)
{
    const state *s = orr_state(ctx);
    group *g = group_at(s, orr_job_vc(job));
    own *o = orr_job_state_of(ctx, job);
    if (o->waits == waits)
        return;
    o->waits = waits;
    o->milli = waits ? asked_milli(ctx, s, job) : o->milli;
    g->waiting += waits ? 1 : -1;
    g->waiting_milli += waits ? o->milli : -o->milli;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    const settings *k = orr_knobs(ctx);
    orr_list_event(s->list, job, event);
    set_waiting(ctx, job, orr_job_state_now(job) == ORR_JOB_QUEUED);
    if (s->armed)
        return;
    s->armed = true;
    orr_arm(ctx, 0, orr_time_ceil(orr_time_add(orr_now(ctx), 1), k->step));
}

/* One that came back from elsewhere is awake, whatever it was told before. */
static void on_node(orr_ctx *ctx, int32_t node, const orr_event *event)
{
    if (event->kind == ORR_EV_NODE_UP)
        ((state *)orr_state(ctx))->asleep[node] = false;
}

/* ---- a step ---- */

typedef struct census {
    int64_t total, busy; /* nodes that aren't down; of them, that somebody holds something of */
} census;

/* O(nodes), once a step. */
static census count(orr_ctx *ctx, int32_t vc)
{
    census c = {0, 0};
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        if ((vc >= 0 && orr_node_vc(ctx, i) != vc) || orr_node_state_now(ctx, i) == ORR_NODE_DOWN)
            continue;
        c.total++;
        c.busy += orr_node_busy(ctx, i);
    }
    return c;
}

static void forecast(orr_ctx *ctx, const group *g, double used)
{
    const settings *k = orr_knobs(ctx);
    double *out = ((const state *)orr_state(ctx))->forecast;
    out[0] = used;
    if (k->forecast == FORECAST_HISTORY)
        orr_series_forecast(ctx, g->series, 2 * k->ahead - 1, out + 1);
    else
        for (int64_t i = 1; i < 2 * k->ahead; i++)
            out[i] = used;
}

static void remember(group *g, int64_t past, double used)
{
    for (int64_t i = 1; i < past; i++)
        g->before[i - 1] = g->before[i];
    g->before[past - 1] = used;
    g->step++;
}

static void step(orr_ctx *ctx, int32_t vc)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    group *g = group_at(s, vc);
    census c = count(ctx, vc);
    double used = (double)least(c.total, c.busy + (g->waiting_milli + 999) / 1000);
    orr_series_add(g->series, used);
    forecast(ctx, g, used);
    const view v = {.step = g->step,
                    .total = c.total,
                    .active = least(g->active, c.total),
                    .used = used,
                    .before = g->before,
                    .forecast = s->forecast,
                    .known = 2 * k->ahead};
    g->active = next_active(k, &v, &g->hold);
    remember(g, k->past, used);
}

static void on_timer(orr_ctx *ctx, uint64_t cookie)
{
    state *s = orr_state(ctx);
    const settings *k = orr_knobs(ctx);
    for (int32_t i = 0; i < s->count; i++)
        step(ctx, s->count == 1 ? -1 : i);
    s->due = true;
    orr_arm(ctx, cookie, orr_time_add(orr_now(ctx), k->step));
}

/* ---- telling nodes ---- */

static bool is_of(const orr_ctx *ctx, const state *s, int32_t node, int32_t g)
{
    return (s->count == 1 || orr_node_vc(ctx, node) == g) && orr_node_state_now(ctx, node) != ORR_NODE_DOWN;
}

static int64_t awake(const orr_ctx *ctx, const state *s, int32_t g)
{
    int64_t n = 0;
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++)
        n += is_of(ctx, s, i, g) && !s->asleep[i];
    return n;
}

/* The first ones that were told to sleep, by index. */
static orr_err wake(orr_ctx *ctx, orr_plan *plan, int32_t g, int64_t missing)
{
    const state *s = orr_state(ctx);
    orr_err err = ORR_OK;
    for (int32_t i = 0; !err && missing > 0 && i < orr_cluster_nodes(ctx); i++) {
        if (!is_of(ctx, s, i, g) || !s->asleep[i])
            continue;
        err = orr_plan_node(plan, i, ORR_NODE_WAKE);
        s->asleep[i] = false;
        missing--;
    }
    return err;
}

/* The last ones that nobody uses. */
static orr_err let_sleep(orr_ctx *ctx, orr_plan *plan, int32_t g, int64_t spare)
{
    const state *s = orr_state(ctx);
    orr_err err = ORR_OK;
    for (int32_t i = orr_cluster_nodes(ctx) - 1; !err && spare > 0 && i >= 0; i--) {
        if (!is_of(ctx, s, i, g) || s->asleep[i] || orr_node_busy(ctx, i) || orr_node_state_now(ctx, i) != ORR_NODE_UP)
            continue;
        err = orr_plan_node(plan, i, ORR_NODE_SLEEP);
        s->asleep[i] = true;
        spare--;
    }
    return err;
}

/* Those that wait want nodes of another kind than those that are awake. */
static bool is_stuck(orr_ctx *ctx, const state *s, int32_t g)
{
    return s->groups[g].waiting > 0 && count(ctx, s->count == 1 ? -1 : g).busy == 0;
}

static orr_err tell(orr_ctx *ctx, orr_plan *plan, int32_t g)
{
    const state *s = orr_state(ctx);
    int64_t now = awake(ctx, s, g), wanted = s->groups[g].active;
    if (is_stuck(ctx, s, g) && wanted <= now)
        wanted = orr_cluster_nodes(ctx);
    return wanted > now ? wake(ctx, plan, g, wanted - now) : let_sleep(ctx, plan, g, now - wanted);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    orr_err err = orr_list_schedule(s->list, plan);
    for (int32_t g = 0; s->due && !err && g < s->count; g++)
        err = tell(ctx, plan, g);
    s->due = false;
    return err;
}

/* ---- life ---- */

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    orr_list_rules rules = {.rank = rank, .hol = k->hol, .vc = k->vc};
    s->list = orr_list_create(ctx, &rules);
    s->count = k->vc == ORR_VC_ISOLATED && !orr_vcs_are_tenants(ctx) ? orr_cluster_vcs(ctx) : 1;
    s->groups = orr_alloc_memory(ctx, (size_t)s->count * sizeof *s->groups);
    s->forecast = orr_alloc_memory(ctx, (size_t)(2 * k->ahead) * sizeof *s->forecast);
    s->asleep = orr_alloc_memory(ctx, (size_t)orr_cluster_nodes(ctx) * sizeof *s->asleep);
    for (int32_t i = 0; i < s->count; i++) {
        s->groups[i].series = orr_series_create(ctx, k->period / k->step);
        s->groups[i].before = orr_alloc_memory(ctx, (size_t)k->past * sizeof(double));
        s->groups[i].active = orr_cluster_nodes(ctx);
    }
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"step", ORR_KNOB_TIME, offsetof(settings, step), "10m", "1s..1d", "how often it decides who sleeps"},
    {"past", ORR_KNOB_INT, offsetof(settings, past), "6", "1..1000", "steps that the present is compared with"},
    {"ahead", ORR_KNOB_INT, offsetof(settings, ahead), "18", "1..1000", "steps of the forecast"},
    {"fell", ORR_KNOB_NUMBER, offsetof(settings, fell), "1", "0..inf", "nodes that the need must have fallen by"},
    {"falls", ORR_KNOB_NUMBER, offsetof(settings, falls), "1", "0..inf", "nodes that it must be expected to fall by"},
    {"least", ORR_KNOB_INT, offsetof(settings, least), "2", "1..1000000",
     "fewer nodes than this don't fall asleep at once"},
    {"buffer", ORR_KNOB_INT, offsetof(settings, buffer), "5", "0..1000000", "nodes awake beyond those needed"},
    {"keep", ORR_KNOB_INT, offsetof(settings, keep), "12", "0..1000000",
     "steps after nodes were woken in which none sleeps"},
    {"forecast", ORR_KNOB_CHOICE, offsetof(settings, forecast), "history", "history|last",
     "learned from former periods, or as it is now"},
    {"period", ORR_KNOB_TIME, offsetof(settings, period), "1d", "1s..1000d", "after which the need tends to repeat"},
    {"order", ORR_KNOB_CHOICE, offsetof(settings, order), "submit", "submit|duration|gpu-time",
     "which job is first: fifo, sjf or qssf; the latter two ask the estimator"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "block", "block|skip",
     "the first job that doesn't fit blocks, or is skipped"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared",
     "a queue a VC, or one for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"venus", "past=3,ahead=18,fell=0.5,falls=1,least=2,buffer=5,keep=12",
     "knobs of the public code for Helios' Venus"},
    {"earth", "past=6,ahead=18,fell=1,falls=1,least=5,buffer=5,keep=12", "for Earth"},
    {"saturn", "past=6,ahead=18,fell=1,falls=1,least=1,buffer=5,keep=12", "for Saturn"},
    {"uranus", "past=3,ahead=18,fell=1,falls=1,least=1,buffer=7,keep=12", "for Uranus"},
    {NULL, NULL, NULL},
};

ORR_POLICY(ces) = {
    .summary = "idle nodes sleep where the forecast says that they aren't needed soon",
    .cite = "Hu et al., Helios, SC'21, section 4.3 (cluster energy saving)",
    .deviations =
        "needed nodes include those that waiting jobs ask, since sleeping nodes make jobs wait here; the forecast is "
        "a mean by the time of the day with a fading difference, not gradient-boosted trees",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_LOAD] = ORR_KNOW_HISTORY},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .estimator = "rolling",
    .init = init,
    .on_job = on_job,
    .on_timer = on_timer,
    .on_node = on_node,
    .schedule = schedule,
};
