/* abi1-fifo: a policy exactly as it was compiled against the first release: the declarations below are those of ABI 1, written
 * out instead of included, so that this file stays what it was when the headers grow. It must load and run for as long as ABI 1
 * does. Don't touch it: when it fails, the interface broke. */
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

typedef struct orr_ctx orr_ctx;
typedef struct orr_job orr_job;
typedef struct orr_plan orr_plan;

enum { ABI = 1, OK = 0, NOFIT = 1, KIND_POLICY = 1 };
enum { EV_SUBMITTED = 0, EV_STARTED = 1, EV_RETRIED = 5, EV_ENDED = 6 };
enum { JOB_QUEUED = 1 };

typedef struct event {
    int kind, watched;
} event;

typedef struct knob {
    const char *name;
    int type;
    uint32_t offset;
    const char *fallback, *values, *doc;
} knob;

typedef struct scope {
    int32_t vc;
} scope;

typedef struct request {
    const orr_job *job;
    int32_t gpus;
    scope where;
} request;

typedef struct policy {
    const char *summary, *cite, *deviations;
    uint32_t needs;
    uint8_t know[8];
    const knob *knobs;
    const void *presets;
    uint32_t knobs_size, state_size, job_size;
    int (*schedule)(orr_ctx *ctx, orr_plan *plan);
    int (*init)(orr_ctx *ctx);
    void (*fini)(orr_ctx *ctx);
    _Bool (*admit)(orr_ctx *ctx, const orr_job *job);
    void (*on_job)(orr_ctx *ctx, orr_job *job, const event *what);
} policy; /* the members behind these were not used */

typedef struct module {
    uint32_t abi, module_size, knob_size, event_size, request_size, descriptor_size;
    int kind;
    const char *name;
    const void *descriptor;
} module;

extern const void *orr_knobs(const orr_ctx *ctx);
extern void *orr_state(orr_ctx *ctx);
extern void *orr_job_state_of(orr_ctx *ctx, const orr_job *job);
extern int orr_job_state_now(const orr_job *job);
extern int orr_plan_start(orr_plan *plan, orr_job *job);

/* ---- the policy: a list of waiting jobs in the order of submission; the first that doesn't fit holds the line ---- */

typedef struct settings {
    int64_t at_once;
} settings;

typedef struct state {
    orr_job *first, *last;
} state;

typedef struct link {
    orr_job *next;
} link;

static link *link_of(orr_ctx *ctx, orr_job *job)
{
    return orr_job_state_of(ctx, job);
}

static void append(orr_ctx *ctx, orr_job *job)
{
    state *s = orr_state(ctx);
    link_of(ctx, job)->next = NULL;
    if (s->last)
        link_of(ctx, s->last)->next = job;
    else
        s->first = job;
    s->last = job;
}

static void take_first(orr_ctx *ctx)
{
    state *s = orr_state(ctx);
    s->first = link_of(ctx, s->first)->next;
    if (!s->first)
        s->last = NULL;
}

static void on_job(orr_ctx *ctx, orr_job *job, const event *what)
{
    state *s = orr_state(ctx);
    if (what->kind == EV_SUBMITTED)
        append(ctx, job);
    else if (what->kind == EV_STARTED && s->first == job)
        take_first(ctx);
}

static int schedule(orr_ctx *ctx, orr_plan *plan)
{
    const settings *k = orr_knobs(ctx);
    int64_t started = 0;
    orr_job *job = ((state *)orr_state(ctx))->first;
    for (; job && started < k->at_once && orr_job_state_now(job) == JOB_QUEUED; started++) {
        int err = orr_plan_start(plan, job);
        if (err)
            return err == NOFIT ? OK : err;
        job = link_of(ctx, job)->next;
    }
    return OK;
}

static const knob knobs[] = {
    {"at_once", 1, offsetof(settings, at_once), "inf", "1..inf", "jobs started in one decision at most"},
    {NULL, 0, 0, NULL, NULL, NULL},
};

static const policy descriptor = {
    .summary = "fifo as of the first release",
    .knobs = knobs,
    .knobs_size = sizeof(settings),
    .state_size = sizeof(state),
    .job_size = sizeof(link),
    .schedule = schedule,
    .on_job = on_job,
};

extern const module orr_plugin;
EXPORTED const module orr_plugin = {ABI, sizeof(module), sizeof(knob), sizeof(event), sizeof(request), sizeof(policy),
                                    KIND_POLICY, "abi1_fifo", &descriptor};
