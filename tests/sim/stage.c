#include "stage.h"

#include "base/mem.h"
#include "base/text.h"
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- the policy that follows a script ---------------------------------------------------------------------------- */

enum { SCRIPT_JOBS = 64 };

typedef struct script_settings {
    const char *steps;
} script_settings;

typedef struct script_state {
    const char *next;              /* the rest of the script */
    orr_job *jobs[SCRIPT_JOBS];
    int32_t count;
} script_state;

static orr_time step_time(const char *step)
{
    return orr_time_from_seconds(strtod(step, NULL));
}

static const char *after_step(const char *step)
{
    const char *end = strchr(step, ';');
    return end ? end + 1 : NULL;
}

static orr_err script_init(orr_ctx *ctx)
{
    script_state *st = orr_state(ctx);
    uint64_t cookie = 0;
    st->next = ((const script_settings *)orr_knobs(ctx))->steps;
    for (const char *step = st->next; step && *step; step = after_step(step))
        orr_arm(ctx, cookie++, step_time(step));
    return ORR_OK;
}

static void script_on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    script_state *st = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED && st->count < SCRIPT_JOBS)
        st->jobs[st->count++] = job;
    for (int32_t i = 0; event->kind == ORR_EV_ENDED && i < st->count; i++)
        if (st->jobs[i] == job)
            st->jobs[i] = NULL;
}

static orr_job *script_job(const script_state *st, const char *id, size_t n)
{
    for (int32_t i = 0; i < st->count; i++)
        if (st->jobs[i] && strlen(orr_job_id(st->jobs[i])) == n && strncmp(orr_job_id(st->jobs[i]), id, n) == 0)
            return st->jobs[i];
    return NULL;
}

static void script_assign(orr_plan *plan, orr_job *job, const char *slices)
{
    orr_alloc *alloc = orr_plan_alloc(plan);
    while (slices && *slices == '@') {
        char *end;
        int32_t node = (int32_t)strtol(slices + 1, &end, 10);
        orr_slice slice = {.node = node, .gpus = strtoull(end + 1, &end, 0)};
        if (*end == '/')
            slice.milli = (int32_t)strtol(end + 1, &end, 10);
        orr_alloc_add_slice(alloc, &slice);
        slices = end;
    }
    orr_plan_assign(plan, job, alloc);
}

static orr_err script_step(const script_state *st, orr_plan *plan, const char *step)
{
    const char *id = strchr(step + strspn(step, " "), ' ') + 1;
    size_t n = strcspn(id, "@+-!?;");
    orr_job *job = script_job(st, id, n);
    if (!job)
        return ORR_E_POLICY;
    switch (id[n]) {
    case '@':
        script_assign(plan, job, id + n);
        break;
    case '+':
        orr_plan_start(plan, job);
        break;
    case '-':
        orr_plan_preempt(plan, job);
        break;
    case '!':
        orr_plan_kill(plan, job, "script");
        break;
    default:
        orr_plan_reject(plan, job, "script");
    }
    return ORR_OK;
}

static orr_err script_schedule(orr_ctx *ctx, orr_plan *plan)
{
    script_state *st = orr_state(ctx);
    while (st->next && *st->next && step_time(st->next) <= orr_now(ctx)) {
        const char *step = st->next;
        st->next = after_step(step);
        if (script_step(st, plan, step))
            return ORR_E_POLICY;
    }
    return ORR_OK;
}

static const orr_knob script_knobs[] = {
    {"steps", ORR_KNOB_TEXT, offsetof(script_settings, steps), "", NULL, "what to do when"},
    {NULL, ORR_KNOB_BOOL, 0, NULL, NULL, NULL},
};

static const orr_policy script = {
    .summary = "does what a test says",
    .knobs = script_knobs,
    .knobs_size = sizeof(script_settings),
    .state_size = sizeof(script_state),
    .init = script_init,
    .on_job = script_on_job,
    .schedule = script_schedule,
};

/* ---- what is reported -------------------------------------------------------------------------------------------- */

static void keep_job(void *self, const orr_job_record *r)
{
    stage *s = self;
    if (s->record_count == s->record_room)
        s->records = orr_vec_grow(s->records, &s->record_room, s->record_count + 1, sizeof *s->records);
    stage_record *k = &s->records[s->record_count++];
    *k = (stage_record){.state = r->state, .submit = r->submit, .first_start = r->first_start, .end = r->end, .held = r->held,
                        .service = r->service, .overhead = r->overhead, .lost_work = r->lost_work, .starts = r->starts,
                        .preemptions = r->preemptions, .migrations = r->migrations, .resizes = r->resizes,
                        .attempts = r->attempts};
    snprintf(k->id, sizeof k->id, "%s", r->trace->id);
    snprintf(k->reason, sizeof k->reason, "%s", r->reason);
}

static void keep_hold(void *self, const orr_hold *h)
{
    stage *s = self;
    if (s->no_holds)
        return;
    if (s->hold_count == s->hold_room)
        s->holds = orr_vec_grow(s->holds, &s->hold_room, s->hold_count + 1, sizeof *s->holds);
    stage_hold *k = &s->holds[s->hold_count++];
    *k = (stage_hold){.job = orr_job_index(h->job), .start = h->start, .end = h->end, .overhead = h->overhead, .gpus = h->gpus,
                      .slice_count = h->slice_count, .reason = h->reason};
    assert_true(h->slice_count <= 16);
    for (int32_t i = 0; i < h->slice_count; i++)
        k->slices[i] = h->slices[i];
}

static void keep_levels(void *self, orr_time at, const orr_levels *levels)
{
    stage *s = self;
    (void)at;
    s->levels_count++;
    if (levels->vc == -1)
        s->last = *levels;
}

/* ---- setting up -------------------------------------------------------------------------------------------------- */

stage *stage_on(orr_cluster_spec *cluster)
{
    stage *s = orr_xcalloc(1, sizeof *s);
    s->cluster = cluster;
    s->trace = orr_trace_create("stage");
    s->registry = orr_registry_create();
    s->options = orr_sim_options_default();
    return s;
}

stage *stage_create(const char *cluster)
{
    orr_error e = {0};
    orr_cluster_spec *spec = orr_cluster_spec_load(cluster, NULL, &e);
    if (!spec)
        fail_msg("%s", e.message);
    return stage_on(spec);
}

void stage_destroy(stage *s)
{
    orr_sim_destroy(s->sim);
    orr_fanout_destroy(s->both);
    orr_registry_destroy(s->registry);
    orr_trace_destroy(s->trace);
    orr_cluster_spec_destroy(s->cluster);
    free(s->policy_text);
    free(s->records);
    free(s->holds);
    free(s);
}

orr_trace_job stage_job(const char *id, double submit, int32_t gpus, double duration)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = id;
    job.submit = orr_time_from_seconds(submit);
    job.gpus = gpus;
    job.duration = orr_time_from_seconds(duration);
    return job;
}

void stage_add(stage *s, orr_trace_job job)
{
    orr_error e = {0};
    if (orr_trace_add(s->trace, &job, &e))
        fail_msg("%s", e.message);
}

static void choose(stage *s, orr_kind kind, const char *name, size_t size, const void *descriptor)
{
    /* The registry keeps the pointer as long as it lives, which is not as long as the test program. */
    static const orr_module like = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request), 0,
                                    ORR_KIND_POLICY, "test", NULL};
    static orr_module modules[256];
    static size_t used;
    assert_true(used < 256);
    orr_module *m = &modules[used++];
    *m = like;
    m->kind = kind;
    m->name = name;
    m->descriptor_size = (uint32_t)size;
    m->descriptor = descriptor;
    orr_error e = {0};
    if (orr_registry_add(s->registry, m, &e))
        fail_msg("%s", e.message);
    s->options.policy = name;
}

void stage_policy(stage *s, const orr_policy *descriptor)
{
    choose(s, ORR_KIND_POLICY, "test", sizeof *descriptor, descriptor);
}

void stage_order(stage *s, const orr_order *descriptor)
{
    choose(s, ORR_KIND_ORDER, "test", sizeof *descriptor, descriptor);
}

void stage_script(stage *s, const char *steps)
{
    orr_text text = {0};
    choose(s, ORR_KIND_POLICY, "script", sizeof script, &script);
    orr_text_addf(&text, "script,steps=%s", steps);
    s->policy_text = text.at;
    s->options.policy = s->policy_text;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

orr_err stage_open(stage *s)
{
    const orr_sink own = {.self = s, .job = keep_job, .hold = keep_hold, .levels = keep_levels};
    orr_error e = {0};
    s->both = orr_fanout_create();
    orr_fanout_add(s->both, own);
    orr_fanout_add(s->both, s->also);
    const orr_sink sink = orr_fanout_sink(s->both);
    if (orr_trace_count(s->trace) && orr_trace_finish(s->trace, &e))
        fail_msg("%s", e.message);
    s->options.registry = s->registry;
    s->sim = orr_sim_create(s->trace, s->cluster, &s->options, &sink, &s->error);
    s->code = s->error.code;
    assert_true((s->sim == NULL) == (s->code != ORR_OK));
    return s->code;
}

orr_err stage_try(stage *s)
{
    if (!s->sim && stage_open(s))
        return s->code;
    s->code = orr_sim_run(s->sim, &s->error);
    s->counts = orr_sim_count(s->sim);
    s->stop = orr_sim_stop(s->sim);
    assert_int_equal(s->error.code, s->code);
    assert_true(s->stop != ORR_STOP_NONE);
    stage_conserves(s);
    return s->code;
}

void stage_run(stage *s)
{
    if (stage_try(s))
        fail_msg("%s (job %s)", s->error.message, s->error.job);
    assert_int_equal(s->stop, ORR_STOP_DRAINED);
    assert_int_equal(s->last.milli_held, 0);
    assert_int_equal(s->last.jobs_running + s->last.jobs_queued + s->last.milli_queued + s->last.milli_busy, 0);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

void stage_conserves(const stage *s)
{
    orr_sim_counts c = orr_sim_count(s->sim);
    assert_int_equal(c.submitted, c.done + c.failed + c.killed + c.rejected + c.running_at_end + c.queued_at_end);
    assert_int_equal(c.trace, c.submitted + c.pending);
    assert_int_equal(c.submitted, s->record_count);
    for (size_t i = 0; i < s->record_count; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(s->records[i].id, s->records[k].id);
}

const stage_record *stage_of(const stage *s, const char *id)
{
    for (size_t i = 0; i < s->record_count; i++)
        if (strcmp(s->records[i].id, id) == 0)
            return &s->records[i];
    fail_msg("no job %s was reported", id);
    return NULL;
}

static const char *id_of(const stage *s, uint32_t rank)
{
    return orr_trace_jobs(s->trace)[rank].id;
}

void stage_held(const stage *s, const char *id, const char *expected)
{
    orr_text text = {0};
    orr_text_add(&text, "", 0);
    for (size_t i = 0; i < s->hold_count; i++) {
        const stage_hold *h = &s->holds[i];
        char from[ORR_TIME_BUF], to[ORR_TIME_BUF];
        if (strcmp(id_of(s, h->job), id) != 0)
            continue;
        orr_time_format(h->start, from);
        orr_time_format(h->end, to);
        orr_text_addf(&text, "%s%s-%s/%d %s", text.n ? ", " : "", from, to, h->gpus, orr_hold_end_name(h->reason));
    }
    char got[2048];
    snprintf(got, sizeof got, "%s", text.at ? text.at : "");
    orr_text_fini(&text);
    assert_string_equal(got, expected);
}

void stage_ends(const stage *s, const char *expected)
{
    char id[32], time[32];
    int used = 0;
    for (const char *at = expected; sscanf(at, " %31[^:]:%31s%n", id, time, &used) == 2; at += used) {
        char got[ORR_TIME_BUF];
        orr_time_format(stage_of(s, id)->end, got);
        if (strcmp(got, time) != 0)
            fail_msg("%s ends at %s, not at %s", id, got, time);
    }
}

bool stage_has_rounds(const char *policy)
{
    static const char *const such[] = {"synergy", "pollux", "optimus", "sia"};
    for (size_t i = 0; i < sizeof such / sizeof *such; i++)
        if (strncmp(policy, such[i], strlen(such[i])) == 0)
            return true;
    return strstr(policy, "round=") != NULL;
}

char *stage_story(const stage *s)
{
    orr_text t = {0};
    orr_text_addf(&t, "stop %s\n", orr_stop_name(s->stop));
    for (size_t i = 0; i < s->record_count; i++) {
        const stage_record *r = &s->records[i];
        orr_text_addf(&t, "%s %s %s %lld %lld %lld %lld %.17g %.17g %.17g %d %d %d %d %d\n", r->id, orr_job_state_name(r->state),
                      r->reason, (long long)r->submit, (long long)r->first_start, (long long)r->end, (long long)r->held,
                      r->service, r->overhead, r->lost_work, r->starts, r->preemptions, r->migrations, r->resizes, r->attempts);
    }
    for (size_t i = 0; i < s->hold_count; i++) {
        const stage_hold *h = &s->holds[i];
        orr_text_addf(&t, "%s %lld %lld %lld %s", id_of(s, h->job), (long long)h->start, (long long)h->end,
                      (long long)h->overhead, orr_hold_end_name(h->reason));
        for (int32_t k = 0; k < h->slice_count; k++)
            orr_text_addf(&t, " %d:%llx", h->slices[k].node, (unsigned long long)h->slices[k].gpus);
        orr_text_addf(&t, "\n");
    }
    return t.at;
}
