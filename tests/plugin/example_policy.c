/* example-policy: users take turns. The first job of each user goes before the second of any; inside a turn, in the order of
 * submission. `turn=n` gives each user n jobs a turn. Nobody is preempted, and a job that doesn't fit is passed over.
 *
 * An example of a policy outside the tree: its own knobs, memory of its own and for each job, and a stock driver for the rest.
 *     cc -shared -fPIC $(pkg-config --cflags orrery) example_policy.c -o example_policy.so
 *     orrery run --plugin ./example_policy.so -p example-policy,turn=2 … */
#include <orrery/policy.h>

#include <string.h>

typedef struct settings {
    int64_t turn;
} settings;

typedef struct user {
    const char *name;
    int64_t jobs; /* that came so far */
} user;

typedef struct state {
    orr_list *list;
    user *users;
    size_t count, room;
} state;

typedef struct job_state {
    int64_t turn; /* in which it is its user's */
} job_state;

/* ---- the pure part ---- */

static int64_t turn_of(int64_t jobs_before, int64_t jobs_a_turn)
{
    return jobs_before / jobs_a_turn;
}

/* ---- memory ---- */

/* Grows by doubling; the old table stays behind in the instance's memory. */
static void make_room(orr_ctx *ctx, state *s)
{
    size_t room = s->room ? 2 * s->room : 16;
    user *more = orr_alloc_memory(ctx, room * sizeof *more);
    if (s->count)
        memcpy(more, s->users, s->count * sizeof *more);
    s->users = more;
    s->room = room;
}

static user *user_of(orr_ctx *ctx, const char *name)
{
    state *s = orr_state(ctx);
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->users[i].name, name) == 0)
            return &s->users[i];
    if (s->count == s->room)
        make_room(ctx, s);
    s->users[s->count].name = name;
    return &s->users[s->count++];
}

/* ---- callbacks ---- */

static orr_rank rank(orr_ctx *ctx, const orr_job *job)
{
    const job_state *mine = orr_job_state_of(ctx, job);
    return (orr_rank){.major = (double)mine->turn, .minor = orr_time_seconds(orr_job_submit(job))};
}

static orr_err init(orr_ctx *ctx)
{
    const orr_list_rules rules = {.rank = rank, .hol = ORR_HOL_SKIP, .depth = INT64_MAX};
    ((state *)orr_state(ctx))->list = orr_list_create(ctx, &rules);
    return ORR_OK;
}

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED) {
        job_state *mine = orr_job_state_of(ctx, job);
        mine->turn = turn_of(user_of(ctx, orr_job_user(job))->jobs++, ((const settings *)orr_knobs(ctx))->turn);
    }
    orr_list_event(((state *)orr_state(ctx))->list, job, event);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    return orr_list_schedule(((state *)orr_state(ctx))->list, plan);
}

static const orr_knob knobs[] = {
    {"turn", ORR_KNOB_INT, offsetof(settings, turn), "1", "1..inf", "jobs that each user may have in a turn"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_preset presets[] = {
    {"fifo", "turn=inf", "no turns: in the order of submission"},
    {NULL, NULL, NULL},
};

ORR_POLICY(example_policy) = {
    .summary = "users take turns",
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(job_state),
    .init = init,
    .on_job = on_job,
    .schedule = schedule,
};
