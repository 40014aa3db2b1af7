/* ada-srsf: small jobs first, also on the network. Jobs are placed in the order of their remaining service (GPUs x time
 * left); when one has computed and has a message to send, it is decided whether that goes now or waits until another is
 * through, since messages that share a link take longer together than one after the other.
 *
 * AdaDUAL: a message without a rival goes. With one rival it goes only if it is much smaller than what the rival has
 * left: m / M < b / (2 (b + eta)), b being the time of a byte alone and eta what each further message adds. With more
 * it waits. Waiting messages are asked in the order of remaining service, at each beginning and end of a message.
 * `overlap=one` never lets two meet, `overlap=two` always lets two: the SRSF(1) and SRSF(2) of the paper.
 *
 * Source: Wang, Shi, Wang and Chu, Communication contention aware scheduling of multiple deep learning training jobs,
 * 2020. It needs a network with phases (`--net phases`); under any other nobody waits to send, which is noted, and jobs
 * come in the order of SRSF. */
#include <orrery/policy.h>

#include <math.h>

enum { ADA, ONE, TWO };

typedef struct settings {
    int32_t overlap, hol;
    double penalty;
} settings;

typedef struct jobs { /* in no order */
    orr_job **at;
    size_t n, room;
} jobs;

typedef struct state {
    orr_list *list;
    jobs waiting, going; /* messages of these */
    bool told;
} state;

/* ---- the pure part ----------------------------------------------------------------------------------------------- */

/* May a message of m bytes go beside `rivals` others, the one with M left, if there is one? */
static bool may_go(const settings *k, int rivals, double m, double M)
{
    if (rivals == 0)
        return true;
    if (k->overlap != ADA)
        return k->overlap == TWO && rivals < 2;
    return rivals == 1 && 2 * (1 + k->penalty) * m < M;
}

static double service_left(orr_ctx *ctx, const orr_job *job)
{
    return orr_job_gpus(job) * orr_est_remaining(ctx, job);
}

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    return (orr_rank){.major = service_left(ctx, job)};
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void put(orr_ctx *ctx, jobs *list, orr_job *job)
{
    if (list->n == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        orr_job **more = orr_alloc_memory(ctx, room * sizeof *more);
        for (size_t i = 0; i < list->n; i++)
            more[i] = list->at[i];
        list->at = more;
        list->room = room;
    }
    list->at[list->n++] = job;
}

static void drop(jobs *list, const orr_job *job)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i] == job)
            list->at[i--] = list->at[--list->n];
}

/* ---- a job's life ------------------------------------------------------------------------------------------------ */

static void on_message(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    drop(&s->waiting, job);
    drop(&s->going, job);
    if (orr_job_message(ctx, job) == ORR_MESSAGE_WAITS)
        put(ctx, &s->waiting, job);
}

/* It holds something else from now on, or nothing: its message is gone. */
static void on_change(orr_ctx *ctx, orr_job *job, bool holds)
{
    state *s = orr_state(ctx);
    drop(&s->waiting, job);
    drop(&s->going, job);
    if (holds)
        orr_watch_messages(ctx, job);
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_list_event(((state *)orr_state(ctx))->list, job, event);
    switch (event->kind) {
    case ORR_EV_MESSAGE:
        on_message(ctx, job);
        break;
    case ORR_EV_STARTED:
    case ORR_EV_RESIZED:
    case ORR_EV_MIGRATED:
    case ORR_EV_RESHARED:
        on_change(ctx, job, true);
        break;
    case ORR_EV_PREEMPTED:
    case ORR_EV_SAVING:
    case ORR_EV_RETRIED:
    case ORR_EV_INTERRUPTED:
    case ORR_EV_ENDED:
        on_change(ctx, job, false);
        break;
    default:
        break;
    }
}

/* ---- the decision ------------------------------------------------------------------------------------------------ */

/* Least service first; O(waiting). */
static size_t first_waiting(orr_ctx *ctx, const jobs *list, double after, uint32_t after_index)
{
    size_t best = list->n;
    double least = 0;
    for (size_t i = 0; i < list->n; i++) {
        const double left = service_left(ctx, list->at[i]);
        const uint32_t index = orr_job_index(list->at[i]);
        if (left < after || (left == after && index <= after_index))
            continue;
        if (best == list->n || left < least || (left == least && index < orr_job_index(list->at[best]))) {
            best = i;
            least = left;
        }
    }
    return best;
}

/* How many of those that go share a link with it, and what is left of the last of them. */
static int count_rivals(orr_ctx *ctx, const jobs *going, const orr_job *job, double *left)
{
    int rivals = 0;
    for (size_t i = 0; i < going->n; i++) {
        if (!orr_jobs_share_links(ctx, job, going->at[i]))
            continue;
        rivals++;
        *left = orr_job_message_left(ctx, going->at[i]);
    }
    return rivals;
}

/* Messages in flight and waiting ones are no more than running jobs, and those that meet on links are few: each waiting
 * one is held against each in flight. */
static orr_err direct_messages(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    double after = -1;
    uint32_t after_index = 0;
    for (;;) {
        const size_t i = first_waiting(ctx, &s->waiting, after, after_index);
        if (i == s->waiting.n)
            return ORR_OK;
        orr_job *job = s->waiting.at[i];
        double left = 0;
        after = service_left(ctx, job);
        after_index = orr_job_index(job);
        const int rivals = count_rivals(ctx, &s->going, job, &left);
        if (!may_go(orr_knobs(ctx), rivals, orr_job_message_left(ctx, job), left)) {
            orr_note_decision(ctx, job, "message-waits");
            continue;
        }
        const orr_err err = orr_plan_flow(plan, job, 0, 1, INFINITY);
        if (err)
            return err;
        drop(&s->waiting, job);
        put(ctx, &s->going, job);
    }
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    if (!s->told && !orr_models_phases(ctx))
        orr_note_decision(ctx, NULL, "no-phases");
    s->told = true;
    const orr_err err = orr_list_schedule(s->list, plan);
    return err ? err : direct_messages(ctx, plan);
}

static orr_err init(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    const settings *k = orr_knobs(ctx);
    const orr_list_rules rules = {.rank = rank, .hol = k->hol};
    s->list = orr_list_create(ctx, &rules);
    return ORR_OK;
}

static const orr_knob knobs[] = {
    {"overlap", ORR_KNOB_CHOICE, offsetof(settings, overlap), "ada", "ada|one|two",
     "messages that meet on a link: the smaller at the expense of the larger, never, or always two"},
    {"penalty", ORR_KNOB_NUMBER, offsetof(settings, penalty), "0.2", "0..1000",
     "eta / b: what it takes each further message to be on a link, in parts of a message alone"},
    {"hol", ORR_KNOB_CHOICE, offsetof(settings, hol), "skip", "block|skip",
     "the first job that doesn't fit blocks, or is skipped"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"srsf1", "overlap=one", "SRSF(1): never two messages on a link"},
    {"srsf2", "overlap=two", "SRSF(2): two messages at most on a link"},
    {NULL, NULL, NULL},
};

ORR_POLICY(ada_srsf) = {
    .summary = "small jobs first; messages that would meet on a link wait where that pays",
    .cite = "Wang et al., 2020 (Ada-SRSF)",
    .deviations =
        "GPUs aren't shared, so that the placement by least workload is the one with the most room first; the service "
        "left is that of the recorded speed, without what communication adds",
    .know = {[ORR_Q_DURATION] = ORR_KNOW_ORACLE, [ORR_Q_PROFILE] = ORR_KNOW_PROFILED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
    .placer = "spread",
};
