/* Differences are kept as seconds, with their class beside them in one byte; sums are of whole ns in 128 bits, so that
 * means are exact and don't depend on any order. */
#include "report/paired.h"

#include "base/assert.h"
#include "base/mem.h"
#include "base/stat.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>

const double orr_pair_quantiles[ORR_PAIR_QUANTILES] = {0.01, 0.05, 0.25, 0.50, 0.75, 0.95, 0.99};
const char *const orr_pair_quantile_names[ORR_PAIR_QUANTILES] = {"p1", "p5", "p25", "p50", "p75", "p95", "p99"};
const char *const orr_pair_size_names[ORR_PAIR_SIZES] = {"0", "1", "2-4", "5-8", "9-16", "17-32", "> 32"};
const char *const orr_pair_duration_names[ORR_PAIR_DURATIONS] = {"< 10 min", "10 min - 1 h", "1 h - 1 d", ">= 1 d"};

int orr_pair_size(int32_t gpus)
{
    static const int32_t most[ORR_PAIR_SIZES - 1] = {0, 1, 4, 8, 16, 32};
    int i = 0;
    while (i < ORR_PAIR_SIZES - 1 && gpus > most[i])
        i++;
    return i;
}

int orr_pair_duration(orr_time duration)
{
    return (duration >= 10 * ORR_MINUTE) + (duration >= ORR_HOUR) + (duration >= ORR_DAY);
}

typedef struct pairs {
    ORR_VEC(double) d;                                 /* seconds */
    ORR_VEC(uint8_t) class;                            /* size * ORR_PAIR_DURATIONS + duration, of each */
    orr_wide sum[ORR_PAIR_SIZES * ORR_PAIR_DURATIONS]; /* ns */
    orr_paired *out;
} pairs;

static bool counts(const orr_result_job *job)
{
    return job->measured && job->jct != ORR_TIME_NONE;
}

/* ---- the jobs that moved most ---- */

static orr_time distance(const orr_pair_move *m)
{
    return m->second > m->first ? m->second - m->first : m->first - m->second;
}

static void keep_move(orr_paired *out, const char *id, orr_pair_move move)
{
    size_t at = out->moved_count;
    while (at > 0 && distance(&move) > distance(&out->moved[at - 1]))
        at--;
    if (at == ORR_PAIR_MOVES || distance(&move) == 0)
        return;
    if (out->moved_count == ORR_PAIR_MOVES)
        free(out->moved[--out->moved_count].id);
    memmove(&out->moved[at + 1], &out->moved[at], (out->moved_count - at) * sizeof move);
    move.id = orr_xstrdup(id);
    out->moved[at] = move;
    out->moved_count++;
}

/* ---- taking pairs ---- */

static void take_pair(pairs *p, const orr_result_job *second, orr_time first_jct)
{
    const int class = orr_pair_size(second->gpus) * ORR_PAIR_DURATIONS + orr_pair_duration(second->duration);
    const orr_time d = second->jct - first_jct;
    ORR_VEC_PUSH(&p->d, orr_time_seconds(d));
    ORR_VEC_PUSH(&p->class, (uint8_t) class);
    p->sum[class] += d;
    keep_move(p->out, second->id, (orr_pair_move){NULL, second->gpus, first_jct, second->jct});
}

static void take_both(pairs *p, const orr_result_job *first, const orr_result_job *second)
{
    if (counts(first) && counts(second))
        take_pair(p, second, first->jct);
    p->out->first_only += counts(first) && !counts(second);
    p->out->second_only += counts(second) && !counts(first);
}

/* Both in step. *apart: the rows don't tell of the same jobs in one order; then what was taken is void. */
static orr_err walk_in_step(pairs *p, orr_result_walk *a, orr_result_walk *b, bool *apart, orr_error *e)
{
    const orr_result_job *first, *second;
    do {
        orr_err err = orr_result_walk_next(a, &first, e);
        if (!err)
            err = orr_result_walk_next(b, &second, e);
        if (err)
            return err;
        *apart = !first != !second || (first && strcmp(first->id, second->id) != 0);
        if (!*apart && first)
            take_both(p, first, second);
    } while (first && second && !*apart);
    return ORR_OK;
}

static void forget(pairs *p)
{
    orr_paired *out = p->out;
    ORR_VEC_FREE(&p->d);
    ORR_VEC_FREE(&p->class);
    orr_paired_fini(out);
    *p = (pairs){.out = out};
}

/* ---- by id, where the orders differ ---- */

typedef struct known {
    orr_time jct; /* of the first result; ORR_TIME_NONE: not measured there */
    bool met;
} known;

typedef struct by_id {
    orr_names *ids;         /* the k-th job of an id, k > 1, goes by "id\x1fk" */
    ORR_VEC(uint32_t) seen; /* how often each name came, in the present result */
    ORR_VEC(known) jobs;    /* by name */
    pairs *pairs;
} by_id;

static uint32_t count_seen(by_id *x, uint32_t name)
{
    while (x->seen.n <= name)
        ORR_VEC_PUSH(&x->seen, 0);
    return ++x->seen.at[name];
}

/* The name of this occurrence of the id. */
static uint32_t occurrence(by_id *x, const char *id)
{
    const uint32_t name = orr_names_id(x->ids, id, strlen(id));
    const uint32_t k = count_seen(x, name);
    if (k == 1)
        return name;
    orr_text text = {0};
    orr_text_addf(&text, "%s\x1f%u", id, k);
    const uint32_t other = orr_names_id(x->ids, text.at, text.n);
    orr_text_fini(&text);
    return other;
}

static bool index_job(void *self, const orr_result_job *job)
{
    by_id *x = self;
    const uint32_t name = occurrence(x, job->id);
    while (x->jobs.n <= name)
        ORR_VEC_PUSH(&x->jobs, ((known){ORR_TIME_NONE, true}));
    x->jobs.at[name] = (known){counts(job) ? job->jct : ORR_TIME_NONE, false};
    return true;
}

static bool match_job(void *self, const orr_result_job *job)
{
    by_id *x = self;
    orr_paired *out = x->pairs->out;
    const uint32_t name = occurrence(x, job->id);
    known *first = name < x->jobs.n && !x->jobs.at[name].met ? &x->jobs.at[name] : NULL;
    out->unmatched += !first && counts(job);
    out->second_only += counts(job) && (!first || first->jct == ORR_TIME_NONE);
    if (!first)
        return true;
    first->met = true;
    out->first_only += first->jct != ORR_TIME_NONE && !counts(job);
    if (first->jct != ORR_TIME_NONE && counts(job))
        take_pair(x->pairs, job, first->jct);
    return true;
}

static void count_left(const by_id *x)
{
    for (size_t i = 0; i < x->jobs.n; i++) {
        const bool left = !x->jobs.at[i].met && x->jobs.at[i].jct != ORR_TIME_NONE;
        x->pairs->out->first_only += left;
        x->pairs->out->unmatched += left;
    }
}

static orr_err match_by_id(pairs *p, const orr_result *first, const orr_result *second, orr_error *e)
{
    by_id x = {.ids = orr_names_create(), .pairs = p};
    orr_err err = orr_result_jobs(first, index_job, &x, e);
    x.seen.n = 0;
    if (!err)
        err = orr_result_jobs(second, match_job, &x, e);
    if (!err)
        count_left(&x);
    orr_names_destroy(x.ids);
    ORR_VEC_FREE(&x.seen);
    ORR_VEC_FREE(&x.jobs);
    return err;
}

/* ---- summing up ---- */

static void count_signs(orr_pair_sums *s, double d)
{
    s->pairs++;
    s->better += d < 0;
    s->worse += d > 0;
    s->equal += d == 0;
}

static double mean_of(orr_wide sum, uint64_t n)
{
    return n ? (double)sum / (double)n / 1e9 : NAN;
}

/* The pairs whose class lies in these bounds, in `room`. */
static void sum_up(const pairs *p, int size, int duration, double *room, orr_pair_sums *out)
{
    size_t n = 0;
    orr_wide sum = 0;
    *out = (orr_pair_sums){.p50 = NAN};
    for (size_t i = 0; i < p->d.n; i++) {
        const int class = p->class.at[i];
        if ((size >= 0 && class / ORR_PAIR_DURATIONS != size) ||
            (duration >= 0 && class % ORR_PAIR_DURATIONS != duration))
            continue;
        count_signs(out, p->d.at[i]);
        room[n++] = p->d.at[i];
    }
    for (int class = 0; class < ORR_PAIR_SIZES * ORR_PAIR_DURATIONS; class ++)
        if ((size < 0 || class / ORR_PAIR_DURATIONS == size) &&
            (duration < 0 || class % ORR_PAIR_DURATIONS == duration))
            sum += p->sum[class];
    orr_sort_doubles(room, n);
    out->mean = mean_of(sum, n);
    out->p50 = orr_quantile(room, n, 0.5);
}

static void finish(const pairs *p)
{
    orr_paired *out = p->out;
    double *room = orr_xcalloc(p->d.n + 1, sizeof *room);
    for (int i = 0; i < ORR_PAIR_SIZES; i++)
        sum_up(p, i, -1, room, &out->size[i]);
    for (int i = 0; i < ORR_PAIR_DURATIONS; i++)
        sum_up(p, -1, i, room, &out->duration[i]);
    sum_up(p, -1, -1, room, &out->all);
    for (int i = 0; i < ORR_PAIR_QUANTILES; i++)
        out->quantile[i] = orr_quantile(room, p->d.n, orr_pair_quantiles[i]);
    free(room);
}

orr_err orr_paired_of(const orr_result *first, const orr_result *second, orr_paired *out, orr_error *e)
{
    orr_error own = {0};
    bool apart = false;
    *out = (orr_paired){.moved_count = 0};
    pairs p = {.out = out};
    orr_result_walk *a = orr_result_walk_begin(first, &own);
    orr_result_walk *b = a ? orr_result_walk_begin(second, &own) : NULL;
    orr_err err = b ? walk_in_step(&p, a, b, &apart, &own) : own.code;
    orr_result_walk_end(a);
    orr_result_walk_end(b);
    if (!err && apart) {
        forget(&p);
        err = match_by_id(&p, first, second, &own);
    }
    if (err)
        forget(&p);
    else
        finish(&p);
    if (err && e && !e->code)
        *e = own;
    ORR_VEC_FREE(&p.d);
    ORR_VEC_FREE(&p.class);
    return err;
}

void orr_paired_fini(orr_paired *paired)
{
    for (size_t i = 0; i < paired->moved_count; i++)
        free(paired->moved[i].id);
    *paired = (orr_paired){.moved_count = 0};
}
