/* optimus: elastic jobs get workers by marginal gain. Every so often all is dealt out anew: each job one worker, in
 * the order of submission; then again and again one more for the job whose time left shrinks most by it, over the
 * share of the cluster that a worker takes of the resource of which it takes most, as long as something is gained and
 * GPUs are left. Who has another number of workers than before is placed anew, the smallest first; the others keep
 * their GPUs.
 *
 * What is left of a job: its loss so far is fitted by l(k) = 1 / (a k + b) + c over epochs k, and its training ends
 * with the first epoch in which the loss has fallen by less than `drop` within `over` epochs; a job without a loss
 * trains the epochs it declares, one without epochs as long as the estimator says. How fast it would be: f(w) = 1 / (a
 * M/w + b + c + d w + e w) is fitted to its speed with as many workers as it has held, and to what `prerun` runs
 * showed when it came; what was measured is used as measured. A worker is a GPU, and its part of the job's cores and
 * memory.
 *
 * Source: Peng et al., Optimus, EuroSys'18, section 4, and the authors' scheduler for the constants. Ours is
 * all-reduce training: as many parameter servers as workers, and beside them. `optimus:oracle` is the baseline of the
 * Pollux artifact (OSDI'21): true times of an iteration, true numbers of iterations left, a worker more for the
 * greatest (t(w) - t(w+1)) iterations, nodes with the most free GPUs first. `optimus:fair` is the paper's baseline:
 * the next worker goes to the job whose dominant share is the smallest.
 *
 * Cost of a decision: O(epochs + samples) a job, O(log jobs) a GPU dealt out. */
#include <orrery/curves.h>
#include <orrery/elastic.h>
#include <orrery/policy.h>

#include <math.h>

enum { SAMPLES = 32, NODES = 64 };

typedef struct settings {
    orr_time interval;
    int64_t prerun, over, more;
    double drop;
    int32_t vc;
    bool oracle, fair;
} settings;

typedef struct state {
    orr_elastic *elastic;
    double gpus, cpu_milli, mem; /* of all nodes */
    double *loss;                /* scratch */
    int32_t room;
} state;

typedef struct own { /* by job */
    orr_speed_sample samples[SAMPLES]; /* a number of workers each */
    int32_t count;
    bool fitted;
    orr_speed_curve curve;
    double left;  /* seconds on its gang; of the oracle: iterations */
    double share; /* of the cluster that a worker takes of what it takes most of */
    int32_t asked;   /* the number of workers asked about last, */
    double each;     /* and how long a unit of what is left takes with it */
} own;

static own *own_of(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

/* ---- speed, as fitted -------------------------------------------------------------------------------------------- */

static void measured(own *o, int32_t workers, double speed)
{
    int32_t i = 0;
    while (i < o->count && o->samples[i].workers != workers)
        i++;
    if (speed <= 0 || i == SAMPLES || (i < o->count && o->samples[i].speed == speed))
        return;
    o->samples[i] = (orr_speed_sample){workers, workers, speed};
    o->count += i == o->count;
    o->fitted = false;
}

/* Short runs with some numbers of workers; all of them if there are no more. */
static void run_before(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    const state *s = orr_state(ctx);
    own *o = own_of(ctx, job);
    const int32_t least = orr_job_min_gpus(job), all = (int32_t)s->gpus;
    const int32_t most = orr_job_max_gpus(job) < all ? orr_job_max_gpus(job) : all, numbers = most - least + 1;
    for (int32_t i = 0; i < k->prerun && i < numbers; i++) {
        const int32_t w = least + (numbers <= k->prerun ? i : (int32_t)orr_random_below(ctx, (uint64_t)numbers));
        measured(o, w, orr_job_scaling(ctx, job, w, 0, -1));
    }
}

/* Speed with so many workers; as recorded: 1. Before anything was measured it is taken to be in proportion. */
static double speed(orr_ctx *ctx, const orr_job *job, int32_t workers)
{
    own *o = own_of(ctx, job);
    if (o->count == 0)
        return (double)workers / orr_job_gpus(job);
    if (!o->fitted)
        orr_speed_fit(ORR_SPEED_SYNC, (double)orr_job_own_batch(ctx, job) + 1, o->samples, (size_t)o->count, &o->curve);
    o->fitted = true;
    return orr_speed_known(&o->curve, o->samples, (size_t)o->count, workers, workers);
}

/* ---- what is left, as fitted ------------------------------------------------------------------------------------- */

static double epochs_left(orr_ctx *ctx, const orr_job *job)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    const int32_t epochs = orr_job_epochs(ctx, job), done = orr_job_epoch(ctx, job);
    const orr_loss_rule rule = {.drop = k->drop, .over = (int32_t)k->over, .more = (int32_t)k->more, .most = epochs};
    if (done == 0 || orr_job_loss(ctx, job, 1) < 0)
        return (1 - orr_job_progress(ctx, job)) * epochs;
    if (s->room < done) {
        s->room = 2 * done;
        s->loss = orr_alloc_memory(ctx, (size_t)s->room * sizeof *s->loss);
    }
    for (int32_t e = 0; e < done; e++)
        s->loss[e] = orr_job_loss(ctx, job, e + 1);
    return orr_loss_end(s->loss, (size_t)done, &rule) - done;
}

/* Seconds with its gang. What an epoch takes there follows from how long the estimator says that all of them do. */
static double time_left(orr_ctx *ctx, const orr_job *job)
{
    orr_batch_limits limits;
    if (!orr_job_batch_limits(ctx, job, &limits))
        return orr_est_remaining(ctx, job);
    return epochs_left(ctx, job) / orr_job_epochs(ctx, job) * orr_est_duration(ctx, job);
}

/* ---- the truth --------------------------------------------------------------------------------------------------- */

/* A single GPU always accumulates in their baseline. */
static orr_batch split(const orr_batch_limits *limits, int32_t workers, int64_t batch)
{
    orr_batch b = orr_batch_split(limits, workers, batch);
    if (limits->accumulates && workers == 1 && b.steps == 0 && b.local > 1)
        b = (orr_batch){(b.local + 1) / 2, 1};
    return b;
}

/* Seconds of an iteration with so many workers, packed. INFINITY: it can't run so. */
static double iteration(orr_ctx *ctx, const orr_job *job, int32_t workers)
{
    orr_batch_limits limits;
    int32_t gpus[NODES], nodes = 0;
    double step, sync;
    const int32_t width = orr_scope_widest(ctx, (orr_scope){.vc = -1});
    if (!orr_job_batch_limits(ctx, job, &limits))
        return (double)orr_job_gpus(job) / workers;
    for (int32_t left = workers; left > 0 && nodes < NODES; left -= width)
        gpus[nodes++] = left < width ? left : width;
    const orr_batch batch = split(&limits, workers, orr_job_own_batch(ctx, job));
    if (!orr_job_step_time(ctx, job, gpus, nodes, -1, batch.local, &step, &sync))
        return INFINITY;
    return step + batch.steps * (step - sync);
}

/* Iterations after the present epoch; where that isn't known, as many as fit into what the estimator says. */
static double iterations_left(orr_ctx *ctx, const orr_job *job)
{
    const int64_t batch = orr_job_own_batch(ctx, job);
    const int32_t epochs = orr_job_epochs(ctx, job), next = orr_job_epoch(ctx, job) + 1;
    const double all = batch ? orr_job_iterations(ctx, job, epochs, batch) : -1;
    if (all < 0)
        return orr_est_remaining(ctx, job) / iteration(ctx, job, orr_job_gpus(job));
    return next < epochs ? all - orr_job_iterations(ctx, job, next, batch) : 1;
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

static double each(orr_ctx *ctx, const orr_job *job, int32_t workers)
{
    const settings *k = orr_knobs(ctx);
    own *o = own_of(ctx, job);
    if (o->asked != workers)
        o->each = k->oracle ? iteration(ctx, job, workers) : 1 / speed(ctx, job, workers);
    o->asked = workers;
    return o->each;
}

static double gain(orr_ctx *ctx, const orr_portion *portion, int32_t to)
{
    const settings *k = orr_knobs(ctx);
    const own *o = own_of(ctx, portion->job);
    if (k->fair)
        return 1 / (portion->gpus * o->share);
    const double now = each(ctx, portion->job, portion->gpus);
    return (now - each(ctx, portion->job, to)) * o->left / o->share;
}

/* Of the cluster's GPUs, cores and memory that a worker takes. */
static double dominant(orr_ctx *ctx, const orr_job *job)
{
    const state *s = orr_state(ctx);
    const double gpus = 1 / s->gpus, of = orr_job_gpus(job);
    const double cores = s->cpu_milli > 0 ? (double)orr_job_cpu_milli(job) / of / s->cpu_milli : 0;
    const double mem = s->mem > 0 ? (double)orr_job_mem(job) / of / s->mem : 0;
    return fmax(gpus, fmax(cores, mem));
}

/* A batch can be split over so many workers only. */
static int32_t bounded(orr_ctx *ctx, const orr_portion *p)
{
    orr_batch_limits limits;
    if (!orr_job_batch_limits(ctx, p->job, &limits) || limits.local_least < 1)
        return p->max;
    const int64_t most = orr_job_own_batch(ctx, p->job) / limits.local_least;
    return most >= p->max ? p->max : most > p->min ? (int32_t)most : p->min;
}

static void look_at(orr_ctx *ctx, const orr_plan *plan, orr_portion *p)
{
    const settings *k = orr_knobs(ctx);
    own *o = own_of(ctx, p->job);
    const orr_alloc *held = orr_plan_held(plan, p->job);
    if (held && !k->oracle)
        measured(o, orr_alloc_gpus(held), orr_job_rate(ctx, p->job));
    o->left = k->oracle ? iterations_left(ctx, p->job) : time_left(ctx, p->job);
    o->share = k->oracle ? 1 : dominant(ctx, p->job);
    o->asked = 0;
    p->max = bounded(ctx, p);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    static const orr_greedy_rules rules = {.gain = gain, .first = true};
    const orr_portion_rules placing = {.order = ORR_PORTIONS_SMALLEST, .lack = ORR_PORTIONS_LESS};
    const settings *k = orr_knobs(ctx);
    const state *s = orr_state(ctx);
    orr_err err = ORR_OK;
    if (orr_now(ctx) % k->interval != 0)
        return ORR_OK;
    for (int32_t pool = 0; pool < orr_elastic_pools(s->elastic) && !err; pool++) {
        orr_portion *portions;
        int32_t left;
        const size_t n = orr_elastic_pool(s->elastic, pool, &portions, &left);
        for (size_t i = 0; i < n; i++)
            look_at(ctx, plan, &portions[i]);
        orr_deal_greedy(ctx, &rules, portions, n, &left);
        err = orr_plan_portions(plan, &placing, portions, n);
    }
    if (!err)
        orr_elastic_start_others(s->elastic, plan);
    return err;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    const settings *k = orr_knobs(ctx);
    const state *s = orr_state(ctx);
    orr_elastic_event(s->elastic, job, event);
    if (event->kind != ORR_EV_SUBMITTED)
        return;
    *own_of(ctx, job) = (own){0};
    if (!k->oracle && orr_job_gpus(job) > 0)
        run_before(ctx, job);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    state *s = orr_state(ctx);
    s->elastic = orr_elastic_create(ctx, k->vc);
    if (!k->oracle)
        orr_know_less(ctx, ORR_Q_SCALING, k->prerun ? ORR_KNOW_PROFILED : ORR_KNOW_OBSERVED);
    for (int32_t i = 0; i < orr_cluster_nodes(ctx); i++) {
        s->gpus += orr_node_gpus(ctx, i);
        s->cpu_milli += 1000.0 * orr_node_cpus(ctx, i);
        s->mem += (double)orr_node_mem(ctx, i);
    }
    orr_trigger_events(ctx, 1u << ORR_EV_SUBMITTED); /* one at the very time belongs to it */
    orr_trigger_period(ctx, k->interval, 0);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"interval", ORR_KNOB_TIME, offsetof(settings, interval), "600s", "1s..inf", "between two decisions"},
    {"oracle", ORR_KNOB_BOOL, offsetof(settings, oracle), "off", NULL, "true iterations, their times and numbers"},
    {"prerun", ORR_KNOB_INT, offsetof(settings, prerun), "8", "0..32", "numbers of workers tried when a job comes"},
    {"fair", ORR_KNOB_BOOL, offsetof(settings, fair), "off", NULL, "a worker more for the smallest share, instead"},
    {"drop", ORR_KNOB_NUMBER, offsetof(settings, drop), "0.05", "0..1", "training ends when the loss falls by less"},
    {"over", ORR_KNOB_INT, offsetof(settings, over), "10", "1..1000000", "of the greatest, within so many epochs"},
    {"more", ORR_KNOB_INT, offsetof(settings, more), "20", "1..1000000", "epochs left where the loss doesn't tell"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "GPUs of each VC, or all together"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"oracle", "oracle=on,interval=60s+spread", "the baseline of Pollux OSDI'21; use --costs pollux"},
    {"fair", "fair=on,prerun=0", "dominant resource fairness over elastic jobs, the paper's baseline"},
    {NULL, NULL, NULL},
};

ORR_POLICY(optimus) = {
    .summary = "elastic jobs get workers by marginal gain, from fitted speed and loss curves",
    .cite = "Peng et al., Optimus, EuroSys'18",
    .deviations = "all-reduce training: as many parameter servers as workers; runs before the first are free; "
                  "who keeps its number of workers keeps its GPUs; an epoch's length follows from the estimator",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE,
             [ORR_Q_RATE] = ORR_KNOW_OBSERVED,
             [ORR_Q_SCALING] = ORR_KNOW_ORACLE},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(own),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
    .placer = "consolidate-first",
};

