#define _POSIX_C_SOURCE 200809L
#include "study/moved.h"

#include "log/sink.h"
#include "study/folder.h"
#include "study/pool.h"
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- where a reference lies ---- */

void orr_reference_name(const orr_baseline_case *c, size_t seed, orr_text *out)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=,+-";
    for (const char *p = c->name; *p; p++)
        orr_text_add(out, strchr(allowed, *p) && !(*p == '.' && p == c->name) ? p : "-", 1);
    if (c->seeds.n > 1)
        orr_text_addf(out, "-seed%llu", (unsigned long long)c->seeds.at[seed]);
    orr_text_addf(out, ".orrlog");
}

static char *path_in(const char *folder, const orr_baseline_case *c, size_t seed)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/", folder);
    orr_reference_name(c, seed, &path);
    return path.at;
}

/* ---- writing logs ---- */

typedef struct logged {
    orr_check_case *of;
    size_t seed;
    char *path;
    orr_error error;
} logged;

typedef struct logging {
    const orr_check_options *options;
    orr_stock *stock;
    ORR_VEC(logged) runs;
    size_t done;
    bool stopped;
} logging;

static orr_err run_logged(void *self, size_t i, orr_text *out, orr_error *e)
{
    const logging *l = self;
    const logged *r = &l->runs.at[i];
    orr_case setup = r->of->from->setup;
    orr_case_result result = {0};
    (void)out;
    setup.seed = r->of->from->seeds.at[r->seed];
    orr_log_sink *sink = orr_log_sink_create(r->path, setup.measure, e);
    if (!sink)
        return ORR_E_CREATE;
    const orr_case_hooks hooks = {.sink = orr_log_sink_sink(sink)};
    orr_err err = orr_case_run(&setup, l->stock, &hooks, &result, e);
    if (!err)
        err = result.code;
    orr_case_result_fini(&result);
    if (!err)
        return orr_log_sink_commit(sink, e);
    orr_log_sink_abandon(sink);
    return err;
}

static bool logged_done(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    logging *l = self;
    (void)bytes;
    l->done++;
    if (error)
        l->runs.at[i].error = *error;
    return true;
}

static bool logged_tick(void *self)
{
    logging *l = self;
    if (l->options->tick && !l->options->tick(l->options->self, l->done, l->runs.n))
        l->stopped = true;
    return !l->stopped;
}

/* Inputs are read here, so that the children have them. */
static orr_err write_logs(logging *l, orr_error *e)
{
    size_t *list = orr_xcalloc(l->runs.n + 1, sizeof *list);
    l->stock = orr_stock_create(l->options->registry);
    for (size_t i = 0; i < l->runs.n; i++) {
        const orr_case *setup = &l->runs.at[i].of->from->setup;
        list[i] = i;
        if (orr_stock_trace(l->stock, setup, NULL))
            (void)orr_stock_cluster(l->stock, setup, NULL);
    }
    const orr_pool_work work = {l, run_logged, logged_done, logged_tick};
    const orr_err err = orr_pool_run(&work, list, l->runs.n, l->options->jobs, e);
    orr_stock_destroy(l->stock);
    free(list);
    return !err && l->stopped ? orr_error_set(e, ORR_E_INTERRUPTED, "interrupted") : err;
}

static void logging_fini(logging *l)
{
    for (size_t i = 0; i < l->runs.n; i++)
        free(l->runs.at[i].path);
    ORR_VEC_FREE(&l->runs);
}

orr_err orr_reference_write(const orr_check *c, const orr_check_options *options, orr_error *e)
{
    const char *folder = c->baseline->reference;
    logging l = {.options = options};
    if (!*folder)
        return ORR_OK;
    orr_err err = orr_folder_make(folder, e);
    for (size_t i = 0; i < c->n && !err; i++)
        for (size_t s = 0; c->cases[i].selected && s < c->cases[i].from->seeds.n; s++) {
            orr_check_case *k = &c->cases[i];
            ORR_VEC_PUSH(&l.runs, ((logged){.of = k, .seed = s, .path = path_in(folder, k->from, s)}));
        }
    if (!err)
        err = write_logs(&l, e);
    for (size_t i = 0; i < l.runs.n && !err; i++)
        if (l.runs.at[i].error.code) {
            err = l.runs.at[i].error.code;
            *e = l.runs.at[i].error;
        }
    logging_fini(&l);
    return err;
}

/* ---- when jobs ended ---- */

typedef struct ends {
    uint64_t n;
    orr_time *jct;    /* by place in the trace; minus the submission until it ends */
    bool *ended;
    const char **ids; /* NULL: it was never submitted */
    orr_arena arena;
    char digest[65];
} ends;

static void take(ends *t, const orr_log_record *r)
{
    if (r->job >= t->n)
        return;
    if (r->kind == ORR_LOG_SUBMIT) {
        t->ids[r->job] = orr_arena_strdup(&t->arena, r->request->id, strlen(r->request->id));
        t->jct[r->job] = -r->at; /* until it ends */
    } else if (r->kind == ORR_LOG_FINISH && t->ids[r->job]) {
        t->jct[r->job] += r->at;
        t->ended[r->job] = true;
    }
}

static orr_err read_ends(const char *path, ends *t, orr_error *e)
{
    const orr_log_record *record = NULL;
    orr_log *log = orr_log_open(path, e);
    if (!log)
        return e->code;
    const orr_log_header *header = orr_log_header_of(log);
    t->n = header->jobs;
    t->jct = orr_xcalloc(t->n + 1, sizeof *t->jct);
    t->ids = orr_xcalloc(t->n + 1, sizeof *t->ids);
    t->ended = orr_xcalloc(t->n + 1, sizeof *t->ended);
    snprintf(t->digest, sizeof t->digest, "%s", header->trace_digest);
    orr_err err = orr_log_next(log, &record, e);
    for (; !err && record; err = orr_log_next(log, &record, e))
        take(t, record);
    orr_log_close(log);
    return err;
}

static void ends_fini(ends *t)
{
    free(t->jct);
    free(t->ids);
    free(t->ended);
    orr_arena_fini(&t->arena);
}

static orr_time jct_of(const ends *t, uint64_t i)
{
    return t->ended[i] ? t->jct[i] : ORR_TIME_NONE;
}

/* ---- who moved farthest ---- */

typedef struct candidate {
    const char *id;
    orr_time before, now;
    uint64_t distance; /* UINT64_MAX: it ended in one of the runs only */
} candidate;

static int farther_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance > y->distance ? -1 : 1;
    return orr_natural_compare(x->id, y->id);
}

static uint64_t distance_of(orr_time before, orr_time now)
{
    if (before == now)
        return 0;
    if (before == ORR_TIME_NONE || now == ORR_TIME_NONE)
        return UINT64_MAX;
    return now > before ? (uint64_t)now - (uint64_t)before : (uint64_t)before - (uint64_t)now;
}

typedef ORR_VEC(candidate) candidates;

static void find_candidates(const ends *a, const ends *b, candidates *out)
{
    for (uint64_t i = 0; i < a->n; i++) {
        const orr_time before = jct_of(a, i), now = jct_of(b, i);
        const uint64_t distance = distance_of(before, now);
        if (distance)
            ORR_VEC_PUSH(out, ((candidate){a->ids[i] ? a->ids[i] : b->ids[i], before, now, distance}));
    }
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, farther_first);
}

/* ---- where the runs part ---- */

static orr_time parted_at(const orr_log_difference *d)
{
    if (d->a.kind == ORR_LOG_NONE)
        return d->b.at;
    if (d->b.kind == ORR_LOG_NONE)
        return d->a.at;
    return d->a.at < d->b.at ? d->a.at : d->b.at;
}

/* What is done at another time than that at which the runs part names its own. */
static void deed_text(const orr_log_deed *deed, orr_time parted, char *buf, size_t size)
{
    char clock[ORR_TIME_BUF];
    if (deed->kind == ORR_LOG_NONE) {
        buf[0] = '\0';
    } else if (deed->at == parted) {
        snprintf(buf, size, "%s", deed->text);
    } else {
        orr_time_clock(deed->at, clock);
        snprintf(buf, size, "%s at %s", deed->text, clock);
    }
}

static void tell_parting(const orr_log_difference *d, orr_time *at, char *then, char *instead, size_t size)
{
    *at = parted_at(d);
    deed_text(&d->a, *at, then, size);
    deed_text(&d->b, *at, instead, size);
}

static orr_err find_parting(const char *a, const char *b, const candidates *list, orr_moved *out, orr_error *e)
{
    const size_t n = out->worst.n;
    orr_log_difference overall = {0}, *each = orr_xcalloc(n + 1, sizeof *each);
    const char **ids = orr_xcalloc(n + 1, sizeof *ids);
    for (size_t i = 0; i < n; i++)
        ids[i] = list->at[i].id;
    const orr_err err = orr_log_first_difference(a, b, &overall, ids, n, each, e);
    if (!err && overall.differs) {
        out->parted = true;
        tell_parting(&overall, &out->parted_at, out->then, out->instead, sizeof out->then);
        snprintf(out->first_job, sizeof out->first_job, "%s", overall.id);
    }
    for (size_t i = 0; i < n && !err; i++) {
        orr_moved_job *job = &out->worst.at[i];
        job->parted = each[i].differs;
        job->parted_at = ORR_TIME_NONE;
        if (job->parted)
            tell_parting(&each[i], &job->parted_at, job->then, job->instead, sizeof job->then);
    }
    free(ids);
    free(each);
    return err;
}

static orr_err compare_ends(const ends *a, const ends *b, const char *reference, const char *now, size_t most,
                            orr_moved *out, orr_error *e)
{
    candidates list = {0};
    if (strcmp(a->digest, b->digest) != 0 || a->n != b->n)
        return orr_error_set(e, ORR_E_NOT_COMPARABLE, "the reference is of another trace");
    find_candidates(a, b, &list);
    out->jobs = a->n;
    out->moved = list.n;
    for (size_t i = 0; i < list.n && i < most; i++) {
        orr_moved_job job = {.before = list.at[i].before, .now = list.at[i].now};
        snprintf(job.id, sizeof job.id, "%s", list.at[i].id);
        ORR_VEC_PUSH(&out->worst, job);
    }
    const orr_err err = find_parting(reference, now, &list, out, e);
    ORR_VEC_FREE(&list);
    return err;
}

orr_err orr_moved_compare(const char *reference, const char *now, size_t most, orr_moved *out, orr_error *e)
{
    ends a = {0}, b = {0};
    orr_err err = read_ends(reference, &a, e);
    if (!err)
        err = read_ends(now, &b, e);
    if (!err)
        err = compare_ends(&a, &b, reference, now, most, out, e);
    ends_fini(&a);
    ends_fini(&b);
    return err;
}

void orr_moved_fini(orr_moved *moved)
{
    ORR_VEC_FREE(&moved->worst);
    free(moved->missing);
}

/* ---- all cases ---- */

static bool seed_differs(const orr_check_case *k, size_t seed)
{
    for (size_t i = 0; i < k->numbers.n; i++) {
        const orr_check_number *x = &k->numbers.at[i];
        if (x->expected == &k->from->wall)
            continue; /* no schedule differs by it */
        if (x->judgement.verdict != ORR_VERDICT_SAME && x->judgement.verdict != ORR_VERDICT_NOT_COMPARABLE &&
            fabs(x->got[seed] - x->expected->values[seed]) > 0)
            return true;
    }
    return false;
}

static void list_runs(const orr_check *c, const char *scratch, logging *l)
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t s = 0; s < c->cases[i].from->seeds.n; s++)
            if (c->cases[i].selected && seed_differs(&c->cases[i], s))
                ORR_VEC_PUSH(&l->runs, ((logged){.of = &c->cases[i], .seed = s,
                                                 .path = path_in(scratch, c->cases[i].from, s)}));
}

static char *reason(const orr_error *e)
{
    orr_text t = {0};
    orr_text_addf(&t, "%s%s%s", e->file, *e->file ? ": " : "", e->message);
    return t.at;
}

static void tell_run(orr_check *c, logged *r, size_t most)
{
    char *reference = path_in(c->baseline->reference, r->of->from, r->seed);
    orr_moved m = {.seed = r->of->from->seeds.at[r->seed], .parted_at = ORR_TIME_NONE};
    orr_error e = r->error;
    if (!e.code)
        (void)!orr_moved_compare(reference, r->path, most, &m, &e);
    if (e.code)
        m.missing = reason(&e);
    ORR_VEC_PUSH(&r->of->moved, m);
    free(reference);
}

static void tell_no_reference(logging *l)
{
    for (size_t i = 0; i < l->runs.n; i++) {
        const logged *r = &l->runs.at[i];
        orr_moved m = {.seed = r->of->from->seeds.at[r->seed], .parted_at = ORR_TIME_NONE};
        m.missing = orr_xstrdup("the baseline names no reference folder; with `reference: DIR` in it, --update "
                                "keeps the logs that this needs");
        ORR_VEC_PUSH(&r->of->moved, m);
    }
}

orr_err orr_moved_find(orr_check *c, const orr_check_options *options, size_t most, const char *scratch, orr_error *e)
{
    logging l = {.options = options};
    orr_err err = ORR_OK;
    list_runs(c, scratch, &l);
    if (!*c->baseline->reference)
        tell_no_reference(&l);
    else if (l.runs.n)
        err = write_logs(&l, e);
    for (size_t i = 0; i < l.runs.n && !err && *c->baseline->reference; i++)
        tell_run(c, &l.runs.at[i], most);
    for (size_t i = 0; i < l.runs.n; i++)
        unlink(l.runs.at[i].path); /* it may not be there */
    logging_fini(&l);
    return err;
}
