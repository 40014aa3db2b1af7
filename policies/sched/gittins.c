/* gittins: the jobs with the greatest Gittins index of attained service run:
 *     G(a) = P(S - a <= delta | S > a) / E[min(S - a, delta) | S > a]
 * over a distribution S of the service of jobs, from a file of samples, or learned from the jobs that finished (their service,
 * taken in anew whenever their number has doubled). Before 16 have finished, and beyond the greatest sample, the least attained
 * service goes first. */
#include <orrery/policy.h>

#include <string.h>

typedef struct settings {
    orr_samples samples;
    double delta;
    orr_time quantum;
    int32_t vc;
} settings;

typedef struct state {
    double *seen, *sorted, *sums; /* finished; those in use, ascending, with their sums */
    size_t seen_count, seen_room, count;
} state;

enum { ENOUGH = 16 };

static size_t above(const double *v, size_t n, double a)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (v[mid] > a)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static double gittins(const double *v, const double *sums, size_t n, double a, double delta)
{
    size_t i = above(v, n, a), j = above(v, n, a + delta);
    if (i == n)
        return 0;
    return (double)(j - i) / (sums[j] - sums[i] - a * (double)(j - i) + delta * (double)(n - j));
}

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    const state *s = orr_state(ctx);
    double a = orr_job_service(ctx, job), delta = ((const settings *)orr_knobs(ctx))->delta;
    double index = s->count ? gittins(s->sorted, s->sums, s->count, a, delta) : 0;
    return (orr_rank){.major = -index, .minor = a};
}

/* Merge sort of `seen` into `sorted`, bottom up; stable and in plain C. */
static void sort_into(double *v, double *scratch, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t mid = low + width < n ? low + width : n, high = low + 2 * width < n ? low + 2 * width : n;
            size_t a = low, b = mid, k = low;
            while (k < high)
                scratch[k++] = a < mid && (b >= high || v[a] <= v[b]) ? v[a++] : v[b++];
        }
        memcpy(v, scratch, n * sizeof *v);
    }
}

static void use(orr_ctx *ctx, const double *v, size_t n)
{
    state *s = orr_state(ctx);
    double *scratch = orr_alloc_memory(ctx, (n + 1) * sizeof *scratch);
    s->sorted = orr_alloc_memory(ctx, (n + 1) * sizeof *s->sorted);
    s->sums = orr_alloc_memory(ctx, (n + 1) * sizeof *s->sums);
    memcpy(s->sorted, v, n * sizeof *v);
    sort_into(s->sorted, scratch, n);
    for (size_t i = 0; i < n; i++)
        s->sums[i + 1] = s->sums[i] + s->sorted[i];
    s->count = n;
}

static void learn(orr_ctx *ctx, double service)
{
    state *s = orr_state(ctx);
    if (s->seen_count == s->seen_room) {
        size_t room = s->seen_room ? 2 * s->seen_room : ENOUGH;
        double *more = orr_alloc_memory(ctx, room * sizeof *more);
        if (s->seen_count)
            memcpy(more, s->seen, s->seen_count * sizeof *more);
        s->seen = more;
        s->seen_room = room;
    }
    s->seen[s->seen_count++] = service;
    if (s->seen_count == s->seen_room)
        use(ctx, s->seen, s->seen_count);
}

static orr_err init(orr_ctx *ctx)
{
    const settings *k = orr_knobs(ctx);
    if (k->samples.count)
        use(ctx, k->samples.at, k->samples.count);
    orr_list_rules rules = {.rank = rank, .preemptive = true, .varying = true, .hol = ORR_HOL_SKIP, .vc = k->vc,
                            .quantum = k->quantum, .depth = INT64_MAX};
    orr_list_create(ctx, &rules);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_ENDED && ((const settings *)orr_knobs(ctx))->samples.count == 0)
        learn(ctx, orr_job_service(ctx, job));
    orr_drive_on_job(ctx, job, event);
}

static const orr_knob knobs[] = {
    {"samples", ORR_KNOB_SAMPLES, offsetof(settings, samples), "", NULL, "a file of service samples, one a line; none: learned"},
    {"delta", ORR_KNOB_NUMBER, offsetof(settings, delta), "3250", "0..inf", "service quantum of the index, GPU-seconds"},
    {"quantum", ORR_KNOB_TIME, offsetof(settings, quantum), "60s", "0..inf", "while jobs wait, decide at least this often"},
    {"vc", ORR_KNOB_CHOICE, offsetof(settings, vc), "isolated", "isolated|shared", "a queue a VC, or one for all nodes"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

ORR_POLICY(gittins) = {
    .summary = "greatest Gittins index of attained service first, preemptive",
    .cite = "Gittins 1979; as 2D-Gittins in Tiresias NSDI'19 section 3.2",
    .deviations = "one index for all jobs of a VC, without Tiresias' queues (tiresias,index=gittins has them)",
    .know = {[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = on_job,
    .schedule = orr_drive_schedule,
};
