/* Where two runs of the same jobs part. Two passes: the first walks both logs in step, time by time, until what was
 * decided differs; the second collects what happened to the few jobs in question and compares that job by job. */
#include "log/log.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct deed {
    orr_log_deed told;
    uint32_t job;
    uint32_t order; /* within its time */
    uint64_t hash;  /* of the whole text, which may be longer than what is told */
} deed;

typedef ORR_VEC(deed) deeds;

/* ---- deeds ------------------------------------------------------------------------------------------------------- */

static bool is_deed(const orr_log_record *r)
{
    return orr_log_is_grant(r->kind) || r->kind == ORR_LOG_PREEMPT || r->kind == ORR_LOG_INTERRUPT ||
           r->kind == ORR_LOG_REJECT || r->kind == ORR_LOG_FINISH;
}

static int by_node(const void *a, const void *b)
{
    const orr_log_slice *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

/* Placers may list the same nodes in another order. */
static void add_place(const orr_log_header *header, const orr_log_record *r, orr_text *out)
{
    char time[ORR_TIME_BUF];
    orr_log_record sorted = *r;
    orr_log_slice *slices = orr_xcalloc((size_t)r->slice_count + 1, sizeof *slices);
    for (int32_t i = 0; i < r->slice_count; i++)
        slices[i] = r->slices[i];
    qsort(slices, (size_t)r->slice_count, sizeof *slices, by_node);
    sorted.slices = slices;
    orr_text_addf(out, r->kind == ORR_LOG_START ? " on " : " to ");
    orr_log_slices_text(header, &sorted, out);
    if (r->pay) {
        orr_time_human(r->pay, time);
        orr_text_addf(out, ", pays %s", time);
    }
    free(slices);
}

static void describe(const orr_log_header *header, const orr_log_record *r, orr_text *out)
{
    orr_text_clear(out);
    orr_text_addf(out, "%s", orr_log_kind_name(r->kind));
    if (orr_log_is_grant(r->kind))
        add_place(header, r, out);
    if (r->kind == ORR_LOG_FINISH)
        orr_text_addf(out, " as %s", orr_log_ending_name(r->ending));
    if (r->reason[0])
        orr_text_addf(out, " (%s)", r->reason);
}

static uint64_t hash_of(const orr_text *text)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < text->n; i++)
        hash = (hash ^ (unsigned char)text->at[i]) * 1099511628211u;
    return hash;
}

static deed deed_of(const orr_log_header *header, const orr_log_record *r, orr_text *text)
{
    describe(header, r, text);
    deed d = {.told = {.kind = r->kind, .at = r->at}, .job = r->job, .hash = hash_of(text)};
    snprintf(d.told.text, sizeof d.told.text, "%s", text->at);
    return d;
}

static bool same(const deed *a, const deed *b)
{
    return a->told.at == b->told.at && a->told.kind == b->told.kind && a->hash == b->hash;
}

/* ---- both logs in step ------------------------------------------------------------------------------------------- */

typedef struct side {
    orr_log *log;
    deeds now;  /* of one time */
    deed ahead; /* the first of the next time */
    bool has_ahead;
    orr_text text;
} side;

/* The next deed of a log; false at its end, or where it is cut. */
static orr_err next_deed(side *s, deed *out, bool *found, orr_error *e)
{
    *found = false;
    while (!*found) {
        const orr_log_record *r;
        orr_error own = {0};
        const orr_err err = orr_log_next(s->log, &r, &own);
        if (err && !orr_log_is_cut(s->log) && e && !e->code)
            *e = own;
        if (err || !r)
            return err && !orr_log_is_cut(s->log) ? err : ORR_OK;
        if (!is_deed(r))
            continue;
        *out = deed_of(orr_log_header_of(s->log), r, &s->text);
        *found = true;
    }
    return ORR_OK;
}

static int by_job(const void *a, const void *b)
{
    const deed *x = a, *y = b;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* All deeds of the next time that has any. */
static orr_err gather(side *s, orr_error *e)
{
    orr_err err = ORR_OK;
    s->now.n = 0;
    while (!err) {
        if (!s->has_ahead)
            err = next_deed(s, &s->ahead, &s->has_ahead, e);
        if (err || !s->has_ahead || (s->now.n && s->now.at[0].told.at != s->ahead.told.at))
            break;
        s->ahead.order = (uint32_t)s->now.n;
        ORR_VEC_PUSH(&s->now, s->ahead);
        s->has_ahead = false;
    }
    if (s->now.n)
        qsort(s->now.at, s->now.n, sizeof *s->now.at, by_job);
    return err;
}

/* The job that the two differ in at this time; -1: none. */
static int64_t compare_times(const deeds *a, const deeds *b)
{
    if (a->n && (!b->n || a->at[0].told.at < b->at[0].told.at))
        return a->at[0].job;
    if (b->n && (!a->n || b->at[0].told.at < a->at[0].told.at))
        return b->at[0].job;
    for (size_t i = 0; i < a->n || i < b->n; i++) {
        if (i >= a->n || i >= b->n)
            return i < a->n ? a->at[i].job : b->at[i].job;
        if (a->at[i].job != b->at[i].job)
            return a->at[i].job < b->at[i].job ? a->at[i].job : b->at[i].job;
        if (!same(&a->at[i], &b->at[i]))
            return a->at[i].job;
    }
    return -1;
}

static void close_side(side *s)
{
    orr_log_close(s->log);
    ORR_VEC_FREE(&s->now);
    orr_text_fini(&s->text);
}

/* *job: in which job they differ first; -1: in none. */
static orr_err walk(const char *path_a, const char *path_b, int64_t *job, orr_error *e)
{
    side a = {.log = orr_log_open(path_a, e)}, b = {.log = NULL};
    *job = -1;
    if (a.log)
        b.log = orr_log_open(path_b, e);
    orr_err err = a.log && b.log ? ORR_OK : e->code;
    while (!err && *job < 0) {
        err = gather(&a, e);
        if (!err)
            err = gather(&b, e);
        if (err || (!a.now.n && !b.now.n))
            break;
        *job = compare_times(&a.now, &b.now);
    }
    close_side(&a);
    close_side(&b);
    return err;
}

/* ---- job by job -------------------------------------------------------------------------------------------------- */

typedef struct watched {
    const char *id; /* NULL: known by its place */
    uint32_t job;
    bool found;
    deeds done;
    char name[64];
} watched;

static void recognize(watched *jobs, size_t n, const orr_log_record *r)
{
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].id ? strcmp(jobs[i].id, r->request->id) != 0 : jobs[i].job != r->job)
            continue;
        jobs[i].job = r->job;
        jobs[i].found = true;
        snprintf(jobs[i].name, sizeof jobs[i].name, "%s", r->request->id);
    }
}

static void collect(watched *jobs, size_t n, const orr_log_header *header, const orr_log_record *r, orr_text *text)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].found && jobs[i].job == r->job)
            ORR_VEC_PUSH(&jobs[i].done, deed_of(header, r, text));
}

static orr_err watch(const char *path, watched *jobs, size_t n, orr_error *e)
{
    orr_error own = {0};
    orr_text text = {0};
    const orr_log_record *r = NULL;
    orr_log *log = orr_log_open(path, &own);
    orr_err err = log ? ORR_OK : own.code;
    while (!err && !(err = orr_log_next(log, &r, &own)) && r) {
        if (r->kind == ORR_LOG_SUBMIT)
            recognize(jobs, n, r);
        else if (is_deed(r))
            collect(jobs, n, orr_log_header_of(log), r, &text);
    }
    if (log && orr_log_is_cut(log))
        err = ORR_OK;
    if (err && !e->code)
        *e = own;
    orr_log_close(log);
    orr_text_fini(&text);
    return err;
}

static void compare_job(const watched *a, const watched *b, orr_log_difference *out)
{
    *out = (orr_log_difference){.found = a->found && b->found};
    snprintf(out->id, sizeof out->id, "%s", a->found ? a->name : b->found ? b->name : a->id ? a->id : "");
    size_t i = 0;
    while (i < a->done.n && i < b->done.n && same(&a->done.at[i], &b->done.at[i]))
        i++;
    out->differs = i < a->done.n || i < b->done.n;
    if (i < a->done.n)
        out->a = a->done.at[i].told;
    if (i < b->done.n)
        out->b = b->done.at[i].told;
}

static watched *watch_list(const char *const *ids, size_t n, int64_t overall)
{
    watched *jobs = orr_xcalloc(n + 1, sizeof *jobs);
    for (size_t i = 0; i < n; i++)
        jobs[i].id = ids[i];
    if (overall >= 0)
        jobs[n].job = (uint32_t)overall;
    return jobs;
}

static void free_watched(watched *jobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ORR_VEC_FREE(&jobs[i].done);
    free(jobs);
}

orr_err orr_log_first_difference(const char *a, const char *b, orr_log_difference *overall, const char *const *ids,
                                 size_t n, orr_log_difference *each, orr_error *e)
{
    orr_error own = {0};
    int64_t first = -1;
    orr_err err = overall ? walk(a, b, &first, &own) : ORR_OK;
    const size_t count = n + (first >= 0);
    watched *in_a = watch_list(ids, n, first), *in_b = watch_list(ids, n, first);
    if (overall)
        *overall = (orr_log_difference){.differs = false};
    if (!err && count)
        err = watch(a, in_a, count, &own);
    if (!err && count)
        err = watch(b, in_b, count, &own);
    for (size_t i = 0; i < n && !err; i++)
        compare_job(&in_a[i], &in_b[i], &each[i]);
    if (!err && first >= 0)
        compare_job(&in_a[n], &in_b[n], overall);
    free_watched(in_a, n + 1);
    free_watched(in_b, n + 1);
    if (err && e && !e->code)
        *e = own;
    return err;
}
