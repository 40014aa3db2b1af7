/* tiresias: discretised two-dimensional LAS. Jobs sit in queues by attained service (GPUs x time); the first queue runs first;
 * inside a queue, jobs that ran before come first, in the order of their first start, then the others in the order of
 * submission. A job that passes its queue's threshold goes down, at the exact instant. With `promote=p`, one that ran e seconds
 * and then waited p * e returns to the first queue. `index=gittins` orders each queue by the two-dimensional Gittins index of a
 * service distribution instead, given by a file of samples.
 *
 * Source: Gu et al., Tiresias, NSDI'19, sections 3.2 and 3.3; thresholds of the public simulator. The paper consolidates
 * models with a large skew of tensor sizes only: that is the placer `skew`. */
#include <orrery/policy.h>

#include <math.h>

typedef struct settings {
    orr_list_of_numbers thresholds;
    orr_samples samples;
    int32_t service, within, index, ties, admit, demote, vc;
    double promote, delta;
    orr_time round;
} settings;

typedef struct state {
    double *sums; /* sums of the samples before each */
} state;

/* The first sample greater than a. */
static size_t above(const orr_samples *s, double a)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->at[mid] > a)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

/* P(S - a <= delta | S > a) / E[min(S - a, delta) | S > a]; 0 when no sample is greater. */
static double gittins(const orr_samples *s, const double *sums, double a, double delta)
{
    size_t i = above(s, a), j = above(s, a + delta), left = s->count - i;
    if (left == 0)
        return 0;
    double served = sums[j] - sums[i] - a * (double)(j - i) + delta * (double)(s->count - j);
    return (double)(j - i) / served;
}

/* The public simulator's form: raw samples instead of S - a in the sum, integer arithmetic, a table that holds the value at
 * the greatest service below each sample, rounded. */
static double gittins_table(const orr_samples *s, const double *sums, double a, double delta)
{
    size_t n = s->count, k = above(s, a);
    if (k == n)
        return 0;
    double at = s->at[k] - 1;
    size_t i = above(s, at), j = at + delta > s->at[n - 1] - 1 ? n - 1 : above(s, at + delta);
    double p = nearbyint((double)(j - i) / (double)(n - i) * 1e5) / 1e5;
    double e = floor((sums[j] - sums[i] + delta * (double)(n - j)) / (double)(n - i));
    return nearbyint(p * 1e6 / e * 1e4) / 1e4;
}

static double score(orr_ctx *ctx, const orr_job *job, double service)
{
    const settings *s = orr_knobs(ctx);
    const state *st = orr_state(ctx);
    (void)job;
    return (s->demote == 1 ? gittins_table : gittins)(&s->samples, st->sums, service, s->delta);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *s = orr_knobs(ctx);
    state *st = orr_state(ctx);
    if (s->index == 1 && s->samples.count == 0)
        return ORR_E_MISSING;
    st->sums = orr_alloc_memory(ctx, (s->samples.count + 1) * sizeof *st->sums);
    for (size_t i = 0; i < s->samples.count; i++)
        st->sums[i + 1] = st->sums[i] + s->samples.at[i];
    orr_mlfq_rules rules = {
        .thresholds = s->thresholds, .by_time = s->service == 1, .promote = s->promote, .on_events = s->demote == 1,
        .within = s->index == 1 ? ORR_WITHIN_SCORE : s->within == 3 ? ORR_WITHIN_JOINED : s->within, .score = score,
        .list = {.preemptive = true, .hol = ORR_HOL_SKIP, .ties = s->ties, .admit = s->admit, .vc = s->vc,
                 .round = s->round}};
    orr_mlfq_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"thresholds", ORR_KNOB_LIST, offsetof(settings, thresholds), "3250/7200", "0..inf", "service at which a queue is left"},
    {"service", ORR_KNOB_CHOICE, offsetof(settings, service), "gpu", "gpu|time", "GPU-seconds (2D), or seconds held (1D)"},
    {"within", ORR_KNOB_CHOICE, offsetof(settings, within), "start", "start|submit|position|joined", "order inside a queue"},
    {"index", ORR_KNOB_CHOICE, offsetof(settings, index), "las", "las|gittins", "gittins: by index inside a queue; needs samples"},
    {"samples", ORR_KNOB_SAMPLES, offsetof(settings, samples), "", NULL, "a file of service samples, one a line"},
    {"delta", ORR_KNOB_NUMBER, offsetof(settings, delta), "3250", "0..inf", "service quantum of the Gittins index"},
    {"promote", ORR_KNOB_NUMBER, offsetof(settings, promote), "inf", "0..inf", "back to the first queue after this times the time run"},
    {"round", ORR_KNOB_TIME, offsetof(settings, round), "0", "0..inf", "decide every so often only; 0: at events"},
    {"demote", ORR_KNOB_CHOICE, offsetof(settings, demote), "exact", "exact|events", "at the crossing, or at events and predicted seconds"},
    {"ties", ORR_KNOB_CHOICE, offsetof(settings, ties), "id", "id|row|queue|last|submit", "equal places in a queue"},
    {"admit", ORR_KNOB_CHOICE, offsetof(settings, admit), "room", "room|count", "preempt only for what is then placed, or by count"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "queues a VC, or for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"paper", "thresholds=3250,within=start", "two queues, exact demotion, no promotion"},
    {"sim", "thresholds=3250/7200,within=position,demote=events,admit=count,ties=submit+first-fit",
     "`dlas-gpu` of the public simulator: three queues, counts of GPUs, books kept at events"},
    {"pollux", "thresholds=57600,within=joined,demote=events,admit=count,round=60s+spread",
     "the baseline of Pollux OSDI'21; use --costs pollux"},
    {"lucid", "thresholds=18000.5,within=submit,admit=count,round=60s",
     "the baseline of Lucid ASPLOS'23, which demotes above 18000 and looks at whole seconds; use --costs lucid"},
    {NULL, NULL, NULL},
};

ORR_POLICY(tiresias) = {
    .summary = "discretised two-dimensional LAS, preemptive",
    .cite = "Gu et al., Tiresias, NSDI'19",
    .deviations = "placement does not change speed yet, so the skew rule costs waiting and gains nothing",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = orr_drive_on_job,
    .schedule = orr_drive_schedule,
};
