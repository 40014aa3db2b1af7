/* One pass: the ledger follows every record; the job's own records cut its life into steps, and between two records the
 * wait that goes on is charged to what was missing then. */
#include "report/life.h"
#include "base/text.h"
#include "report/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen_job {
    const char *id;
    uint32_t order; /* of its submission, from 1; 0: not yet */
    bool queued;
} seen_job;

typedef struct reading {
    const char *wanted;
    orr_life *life;
    const orr_log_header *header;
    orr_ledger ledger;
    seen_job *jobs;
    uint32_t submitted;
    uint64_t ahead;     /* queued, and submitted before the job */
    int64_t job;        /* its place; -1: not submitted yet */
    orr_time at;        /* of the record before */
    orr_log_slice *lost_slices; /* what it was preempted from at this time; n = 0: it wasn't */
    int32_t lost_count;
} reading;

/* ---- steps ---- */

static orr_life_step *last_step(reading *r)
{
    return r->life->steps.n ? &r->life->steps.at[r->life->steps.n - 1] : NULL;
}

static bool waits(reading *r)
{
    const orr_life_step *s = last_step(r);
    return s && s->kind == ORR_LIFE_WAIT && s->open;
}

static void begin_wait(reading *r, orr_time from)
{
    orr_life_step step = {.kind = ORR_LIFE_WAIT, .from = from, .to = from, .open = true, .where = "", .end = "",
                          .node = "", .gpus = r->ledger.gpus, .held = r->ledger.held, .ahead = r->ahead,
                          .running = r->ledger.running};
    ORR_VEC_PUSH(&r->life->steps, step);
}

static void end_step(reading *r, orr_time to, const char *why)
{
    orr_life_step *s = last_step(r);
    s->to = to;
    s->open = false;
    s->end = why;
}

/* Charges the time since the record before to what is missing. */
static void charge(reading *r, orr_time to)
{
    orr_life_step *s = last_step(r);
    if (!s || !waits(r) || to <= s->to)
        return;
    const int32_t gang = r->life->min_gpus;
    orr_time *what = !orr_ledger_has_free(&r->ledger, gang)   ? &s->busy
                     : orr_ledger_has_room(&r->ledger, gang) ? &s->room
                                                             : &s->pieces;
    *what += to - s->to;
    s->to = to;
}

static void name_job(orr_life_jobs *jobs, const char *id)
{
    if (jobs->count < ORR_LIFE_NAMED)
        snprintf(jobs->id[jobs->count], sizeof jobs->id[0], "%s", id);
    jobs->count++;
}

/* ---- the queue ---- */

static void set_queued(reading *r, uint32_t job, bool queued)
{
    seen_job *j = &r->jobs[job];
    const bool counts = r->job >= 0 && job != r->job && j->order < r->jobs[r->job].order;
    if (j->queued == queued)
        return;
    j->queued = queued;
    if (counts)
        r->ahead += queued ? 1 : (uint64_t)-1;
}

static uint64_t queued_now(const reading *r)
{
    uint64_t n = 0; /* once, when the job comes */
    for (uint64_t i = 0; i < r->header->jobs; i++)
        n += r->jobs[i].queued;
    return n;
}

/* ---- the job itself ---- */

static const char *keep(reading *r, const char *text)
{
    return orr_arena_strdup(&r->life->texts, text, strlen(text));
}

static void take_request(reading *r, const orr_log_record *record)
{
    const orr_log_request *q = record->request;
    orr_life *l = r->life;
    l->id = keep(r, q->id);
    l->user = keep(r, q->user);
    l->vc = keep(r, q->vc);
    l->name = keep(r, q->name);
    l->types = keep(r, q->types);
    l->gpus = q->gpus;
    l->min_gpus = q->min_gpus;
    l->max_gpus = q->max_gpus;
    l->milli = q->milli;
    l->submit = record->at;
    l->duration = q->duration;
    l->deadline = q->deadline;
    l->after = q->after_count;
    l->state = "queued";
}

static void submit(reading *r, const orr_log_record *record)
{
    seen_job *j = &r->jobs[record->job];
    j->id = keep(r, record->request->id);
    j->order = ++r->submitted;
    if (r->job >= 0 || strcmp(j->id, r->wanted) != 0) {
        set_queued(r, record->job, true);
        return;
    }
    take_request(r, record);
    r->ahead = queued_now(r);
    r->job = record->job;
    j->queued = true;
    const bool anywhere = r->header->one_pool || r->header->borrows || r->header->tenant_count;
    orr_ledger_mark(&r->ledger, anywhere ? -1 : record->request->pool,
                    r->life->types, r->life->min_gpus, r->life->milli);
    begin_wait(r, record->at);
}

static const char *what_ended(orr_log_kind kind)
{
    return kind == ORR_LOG_RESIZE ? "resized" : kind == ORR_LOG_MIGRATE ? "migrated" : "reshared";
}

static void run_begins(reading *r, const orr_log_record *record)
{
    orr_text where = {0};
    end_step(r, record->from, record->kind == ORR_LOG_START ? "started" : what_ended(record->kind));
    orr_log_slices_text(r->header, record, &where);
    orr_life_step step = {.kind = ORR_LIFE_RUN, .from = record->from, .to = record->from, .open = true, .pay = record->pay,
                          .run_gpus = orr_log_gpus(record), .nodes = record->slice_count, .rate = record->rate,
                          .slowest = record->rate, .fastest = record->rate,
                          .where = keep(r, where.at ? where.at : ""), .end = "", .node = ""};
    ORR_VEC_PUSH(&r->life->steps, step);
    r->life->state = "running";
    orr_text_fini(&where);
}

/* Kept until the time moves on: whoever is given GPUs meanwhile may have got these. */
static void remember_slices(reading *r)
{
    const orr_holding *h = &r->ledger.holdings[r->job];
    free(r->lost_slices);
    r->lost_slices = orr_xmalloc(((size_t)h->n + 1) * sizeof *h->slices);
    memcpy(r->lost_slices, h->slices, (size_t)h->n * sizeof *h->slices);
    r->lost_count = h->n;
}

/* A run that is taken away before it got through its payment never progressed. */
static void taken_away(reading *r, const orr_log_record *record)
{
    orr_life_step *s = last_step(r);
    s->lost = record->lost;
    if (s->pay > record->at - s->from)
        s->pay = record->at > s->from ? record->at - s->from : 0;
}

/* Without progress at its end, too: saving. */
static void preempted(reading *r, const orr_log_record *record)
{
    taken_away(r, record);
    last_step(r)->saving = record->until - record->at;
    end_step(r, record->until, "preempted");
    begin_wait(r, record->until);
    r->life->state = "queued";
}

static void interrupted(reading *r, const orr_log_record *record)
{
    orr_text node = {0};
    const orr_log_slice whole = {.node = record->node, .milli = 1000};
    taken_away(r, record);
    orr_log_slices_text(r->header, &(orr_log_record){.slices = &whole, .slice_count = 1}, &node);
    last_step(r)->node = keep(r, node.at);
    end_step(r, record->at, "interrupted");
    begin_wait(r, record->at);
    r->life->state = "queued";
    orr_text_fini(&node);
}

static void at_another_speed(reading *r, const orr_log_record *record)
{
    orr_life_step *s = last_step(r);
    s->speeds++;
    s->slowest = record->rate < s->slowest ? record->rate : s->slowest;
    s->fastest = record->rate > s->fastest ? record->rate : s->fastest;
}

static void finish(reading *r, const orr_log_record *record, const char *state)
{
    charge(r, record->at);
    end_step(r, record->at, state);
    r->life->end = record->at;
    r->life->state = state;
    r->life->reason = keep(r, record->reason);
}

static void its_own(reading *r, const orr_log_record *record)
{
    switch (record->kind) {
    case ORR_LOG_START:
    case ORR_LOG_RESIZE:
    case ORR_LOG_MIGRATE:
    case ORR_LOG_RESHARE:
        run_begins(r, record);
        return;
    case ORR_LOG_SPEED:
        at_another_speed(r, record);
        return;
    case ORR_LOG_INTERRUPT:
        interrupted(r, record);
        return;
    case ORR_LOG_PREEMPT:
        preempted(r, record);
        return;
    case ORR_LOG_RETRY:
        end_step(r, record->at, "retried");
        begin_wait(r, record->at);
        r->life->state = "queued";
        return;
    case ORR_LOG_FINISH:
        finish(r, record, orr_log_ending_name(record->ending));
        return;
    case ORR_LOG_REJECT:
        finish(r, record, "rejected");
        return;
    default:
        return;
    }
}

/* ---- other jobs ---- */

static bool took_from(const reading *r, const orr_log_record *record)
{
    for (int32_t i = 0; i < record->slice_count; i++)
        for (int32_t k = 0; k < r->lost_count; k++)
            if (record->slices[i].node == r->lost_slices[k].node && record->slices[i].gpus & r->lost_slices[k].gpus)
                return true;
    return false;
}

/* The run before the wait that goes on. */
static orr_life_step *lost_run(reading *r)
{
    return &r->life->steps.at[r->life->steps.n - 2];
}

static void other_gets(reading *r, const orr_log_record *record)
{
    const seen_job *j = &r->jobs[record->job];
    if (!waits(r))
        return;
    if (r->lost_count && took_from(r, record))
        name_job(&lost_run(r)->takers, j->id);
    if (record->kind == ORR_LOG_START && j->order > r->jobs[r->job].order && j->queued)
        name_job(&last_step(r)->overtakers, j->id);
}

/* ---- records ---- */

static void follow(reading *r, const orr_log_record *record)
{
    if (orr_log_is_grant(record->kind)) {
        set_queued(r, record->job, false);
        orr_ledger_give(&r->ledger, record->job, record->slices, record->slice_count);
        return;
    }
    const bool gone = record->kind == ORR_LOG_FINISH || record->kind == ORR_LOG_REJECT;
    const bool saves = record->kind == ORR_LOG_PREEMPT && record->until > record->at;
    if (!gone && record->kind != ORR_LOG_PREEMPT && record->kind != ORR_LOG_SAVED && record->kind != ORR_LOG_RETRY &&
        record->kind != ORR_LOG_INTERRUPT)
        return;
    set_queued(r, record->job, !gone && !saves);
    if (saves)
        orr_ledger_save(&r->ledger, record->job);
    else
        orr_ledger_take(&r->ledger, record->job);
}

/* What the ledger won't tell any more once it has followed. */
static void before_its_own(reading *r, const orr_log_record *record)
{
    if (orr_log_is_grant(record->kind))
        charge(r, record->from);
    else if (record->kind == ORR_LOG_PREEMPT)
        remember_slices(r);
}

static void advance(reading *r, orr_time at)
{
    if (at == r->at)
        return;
    r->at = at;
    r->lost_count = 0;
}

static void stop(reading *r, orr_time at, const char *why)
{
    orr_life *l = r->life;
    l->stop = why;
    l->stopped = at;
    charge(r, at);
    if (l->steps.n && last_step(r)->open && last_step(r)->to < at)
        last_step(r)->to = at;
}

static void take(reading *r, const orr_log_record *record)
{
    charge(r, record->at);
    advance(r, record->at);
    if (record->kind == ORR_LOG_STOP) {
        stop(r, record->at, orr_log_stop_name(record->stop));
        return;
    }
    if (record->kind == ORR_LOG_DECIDE)
        return;
    if (record->kind == ORR_LOG_NODE) {
        orr_ledger_node_is(&r->ledger, record->node, record->up, record->takes);
        return;
    }
    if (record->kind == ORR_LOG_SUBMIT) {
        submit(r, record);
        return;
    }
    if (record->job == r->job)
        before_its_own(r, record);
    else if (orr_log_is_grant(record->kind))
        other_gets(r, record);
    follow(r, record);
    if (record->job == r->job)
        its_own(r, record);
}

/* ---- the whole ---- */

static void add_up(orr_life *l)
{
    for (size_t i = 0; i < l->steps.n; i++) {
        const orr_life_step *s = &l->steps.at[i];
        const orr_time length = s->to - s->from;
        if (s->kind == ORR_LIFE_WAIT) {
            l->waited += length;
            continue;
        }
        l->held += length;
        l->paid += (s->pay < length ? s->pay : length) + s->saving;
        l->lost += s->lost;
    }
}

static void unknown(const reading *r, const char *path, const char *id, orr_error *e)
{
    const char **ids = orr_xmalloc(((size_t)r->header->jobs + 1) * sizeof *ids);
    size_t n = 0;
    for (uint64_t i = 0; i < r->header->jobs; i++)
        if (r->jobs[i].id)
            ids[n++] = r->jobs[i].id;
    orr_error_set(e, ORR_E_BAD_VALUE, "no job of this id was submitted");
    orr_error_at(e, path, 0, 0);
    orr_error_text(e, id, strlen(id));
    const char *near = orr_nearest(id, ids, n);
    if (near)
        orr_error_hint(e, "is \"%.60s\" meant?", near);
    else
        orr_error_hint(e, "%zu jobs were submitted; jobs.csv lists them", n);
    free(ids);
}

static orr_err read_all(reading *r, orr_log *log, orr_error *e)
{
    const orr_log_record *record;
    orr_err err;
    while (!(err = orr_log_next(log, &record, e)) && record)
        take(r, record);
    if (err && orr_log_is_cut(log)) {
        *e = (orr_error){0};
        stop(r, r->at, "cut");
        err = ORR_OK;
    }
    return err;
}

static void fini(reading *r)
{
    orr_ledger_fini(&r->ledger);
    free(r->jobs);
    free(r->lost_slices);
}

orr_life *orr_life_read(const char *path, const char *id, orr_error *e)
{
    orr_error own = {0};
    orr_log *log = orr_log_open(path, &own);
    if (!log) {
        *e = own;
        return NULL;
    }
    reading r = {.wanted = id, .header = orr_log_header_of(log), .job = -1, .life = orr_xcalloc(1, sizeof *r.life)};
    *r.life = (orr_life){.reason = "", .stop = "", .end = ORR_TIME_NONE, .deadline = ORR_TIME_NONE};
    r.jobs = orr_xcalloc((size_t)r.header->jobs + 1, sizeof *r.jobs);
    orr_ledger_init(&r.ledger, r.header);
    orr_err err = read_all(&r, log, &own);
    if (!err && r.job < 0) {
        unknown(&r, path, id, &own);
        err = own.code;
    }
    fini(&r);
    orr_log_close(log);
    add_up(r.life);
    if (!err)
        return r.life;
    orr_life_destroy(r.life);
    *e = own;
    return NULL;
}

void orr_life_destroy(orr_life *life)
{
    if (!life)
        return;
    ORR_VEC_FREE(&life->steps);
    orr_arena_fini(&life->texts);
    free(life);
}
