/* The numbers of a summary, by the verifier's own formulas: from the jobs as they were and the integrals over the
 * log. */
#include "verify/proof.h"

#include "base/stat.h"
#include <math.h>
#include <stdio.h>

enum { JCT, WAIT_FIRST, WAIT_TOTAL, SERVICE, SLOWDOWN, BSLD, RHO, SETS };

typedef struct telling {
    const proof *p;
    const measure *m;
    const listed *jobs;
    size_t n;
    int32_t pool;
    int64_t gpus;
    orr_number_told *told;
    void *self;
} telling;

static void tell(const telling *t, const char *key, double value)
{
    t->told(t->self, key, value);
}

static double over(orr_wide part, orr_wide whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static double seconds(orr_wide ns)
{
    return (double)ns / 1e9;
}

static double gpu_seconds(orr_wide milli_ns)
{
    return (double)milli_ns / 1e12;
}

/* ---- distributions ----------------------------------------------------------------------------------------------- */

static double value_of(int set, const facts *f)
{
    const double took = (double)(f->end - f->submit), d = (double)f->duration;
    switch (set) {
    case JCT:
        return took / 1e9;
    case WAIT_FIRST:
        return f->first_start == ORR_TIME_NONE ? NAN : seconds(f->first_start - f->submit);
    case WAIT_TOTAL:
        return seconds(f->end - f->submit - f->held);
    case SERVICE:
        return gpu_seconds(f->service);
    case SLOWDOWN:
        return f->duration > 0 ? took / d : NAN;
    case BSLD:
        return fmax(1, took / fmax(d, 1e10));
    default:
        return f->rho;
    }
}

/* Between the two order statistics around (n - 1) q. */
static double quantile(const double *sorted, size_t n, double q)
{
    const double at = (double)(n - 1) * q;
    const size_t i = (size_t)at;
    return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static void tell_dist(const telling *t, const char *name, double *v, size_t n)
{
    static const struct {
        const char *name;
        double q;
    } quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};
    char key[64];
    long double sum = 0;
    orr_sort_doubles(v, n);
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    snprintf(key, sizeof key, "%s.n", name);
    tell(t, key, (double)n);
    snprintf(key, sizeof key, "%s.sum", name);
    tell(t, key, n ? (double)sum : NAN);
    snprintf(key, sizeof key, "%s.mean", name);
    tell(t, key, n ? (double)(sum / n) : NAN);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        snprintf(key, sizeof key, "%s.%s", name, quantiles[i].name);
        tell(t, key, n ? quantile(v, n, quantiles[i].q) : NAN);
    }
}

static void tell_geomean(const telling *t, const char *name, const double *v, size_t n)
{
    char key[64];
    long double logs = 0;
    snprintf(key, sizeof key, "%s.geomean", name);
    for (size_t i = 0; i < n; i++)
        logs += logl(v[i]);
    tell(t, key, n ? (double)expl(logs / n) : NAN);
}

static void tell_rho(const telling *t, const double *sorted, size_t n)
{
    size_t unfair = 0;
    for (size_t i = 0; i < n; i++)
        unfair += sorted[i] > 1;
    tell(t, "rho_worst", n ? sorted[n - 1] : NAN);
    tell(t, "rho_unfair", n ? (double)unfair / (double)n : NAN);
}

static void tell_dists(const telling *t)
{
    static const char *const names[SETS] = {"jct",      "wait_first", "wait_total", "service",
                                            "slowdown", "bsld",       "rho:avg_n"};
    double *v = orr_xcalloc(t->n + 1, sizeof *v);
    for (int set = 0; set < SETS; set++) {
        size_t n = 0;
        for (size_t i = 0; i < t->n; i++) {
            const double value =
                orr_measure_takes(t->m, t->jobs[i].f, t->jobs[i].place) ? value_of(set, t->jobs[i].f) : NAN;
            if (!isnan(value))
                v[n++] = value;
        }
        tell_dist(t, names[set], v, n);
        if (set == SLOWDOWN || set == BSLD || set == RHO)
            tell_geomean(t, names[set], v, n);
        if (set == RHO)
            tell_rho(t, v, n);
    }
    free(v);
}

/* ---- the jobs in range ------------------------------------------------------------------------------------------- */

typedef struct range {
    uint64_t n, takes, deadlines, met;
    uint64_t preemptions, migrations, resizes, restarts, preemptions_most, migrations_most, resizes_most, restarts_most;
    uint64_t interruptions, interruptions_most;
    bool unfinished;
    orr_time first, last, begin, end, oldest;
    orr_wide offered, lost, overhead;
    ORR_VEC(double) by_user;
} range;

static bool ended(const facts *f)
{
    return f->stage == DONE || f->stage == FAILED || f->stage == KILLED;
}

static void add_wait(const telling *t, range *r, const facts *f)
{
    const orr_time until = f->first_start != ORR_TIME_NONE ? f->first_start : ended(f) ? f->end : t->p->out->end;
    if (f->stage != REJECTED && until - f->submit > r->oldest)
        r->oldest = until - f->submit;
}

static void add_user(const telling *t, range *r, const facts *f)
{
    if (!orr_names_text(t->p->names, f->user)[0])
        return;
    while (r->by_user.n <= f->user)
        ORR_VEC_PUSH(&r->by_user, NAN);
    double *sum = &r->by_user.at[f->user];
    *sum = (isnan(*sum) ? 0 : *sum) + gpu_seconds(f->service);
}

static void add_to(uint64_t *sum, uint64_t *most, int32_t n)
{
    *sum += (uint64_t)n;
    *most = (uint64_t)n > *most ? (uint64_t)n : *most;
}

static void add_churn(range *r, const facts *f)
{
    add_to(&r->preemptions, &r->preemptions_most, f->preemptions);
    add_to(&r->migrations, &r->migrations_most, f->migrations);
    add_to(&r->resizes, &r->resizes_most, f->resizes);
    add_to(&r->restarts, &r->restarts_most, f->starts > 1 ? f->starts - 1 : 0);
    add_to(&r->interruptions, &r->interruptions_most, f->interruptions);
    r->lost += f->lost;
    r->overhead += f->overhead;
}

static void add_job(const telling *t, range *r, const listed *job)
{
    const facts *f = job->f;
    r->first = r->n && r->first < f->submit ? r->first : f->submit;
    r->last = r->n && r->last > f->submit ? r->last : f->submit;
    r->n++;
    r->offered += (orr_wide)f->duration * f->gpus * f->milli;
    r->unfinished |= !ended(f) && f->stage != REJECTED;
    r->deadlines += f->deadline != ORR_TIME_NONE;
    r->met += f->deadline != ORR_TIME_NONE && f->stage == DONE && f->end <= f->deadline;
    add_wait(t, r, f);
    add_user(t, r, f);
    add_churn(r, f);
    if (!orr_measure_takes(t->m, f, job->place))
        return;
    r->begin = r->takes && r->begin < f->submit ? r->begin : f->submit;
    r->end = r->takes && r->end > f->end ? r->end : f->end;
    r->takes++;
}

/* (sum)^2 / (n sum of squares) */
static double jain(const double *v, size_t n)
{
    long double sum = 0, squares = 0;
    size_t some = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(v[i]))
            continue;
        sum += v[i];
        squares += (long double)v[i] * v[i];
        some++;
    }
    if (!some)
        return NAN;
    return squares > 0 ? (double)(sum * sum / ((long double)some * squares)) : 1;
}

static void tell_range(const telling *t, const range *r)
{
    tell(t, "measured", (double)r->takes);
    tell(t, "biased", r->unfinished);
    tell(t, "makespan", r->takes ? seconds(r->end - r->begin) : NAN);
    tell(t, "load", over(r->offered, ((orr_wide)r->last - r->first) * t->gpus * 1000));
    tell(t, "age_max", r->oldest == ORR_TIME_NONE ? NAN : seconds(r->oldest));
    tell(t, "jain", jain(r->by_user.at, r->by_user.n));
    tell(t, "deadlines", (double)r->deadlines);
    tell(t, "deadline_met", r->deadlines ? (double)r->met / (double)r->deadlines : NAN);
    tell(t, "preemptions", (double)r->preemptions);
    tell(t, "migrations", (double)r->migrations);
    tell(t, "resizes", (double)r->resizes);
    tell(t, "restarts", (double)r->restarts);
    tell(t, "preemptions_max", (double)r->preemptions_most);
    tell(t, "migrations_max", (double)r->migrations_most);
    tell(t, "resizes_max", (double)r->resizes_most);
    tell(t, "restarts_max", (double)r->restarts_most);
    tell(t, "interruptions", (double)r->interruptions);
    tell(t, "interruptions_max", (double)r->interruptions_most);
    tell(t, "lost_work", gpu_seconds(r->lost));
    tell(t, "overhead", gpu_seconds(r->overhead));
}

static void tell_jobs_in_range(const telling *t)
{
    range r = {.oldest = ORR_TIME_NONE};
    for (size_t i = 0; i < t->n; i++)
        if (orr_measure_ranges(t->m, t->jobs[i].f, t->jobs[i].place))
            add_job(t, &r, &t->jobs[i]);
    tell_range(t, &r);
    ORR_VEC_FREE(&r.by_user);
}

/* Of each VC what its jobs got, by the GPUs it has. */
static void tell_vcs(const telling *t)
{
    const proof *p = t->p;
    const size_t pools = (size_t)p->pool_count;
    double *got = orr_xcalloc(pools + 1, sizeof *got);
    for (size_t i = 0; i < t->n; i++)
        if (t->jobs[i].f->pool >= 0 && orr_measure_ranges(t->m, t->jobs[i].f, t->jobs[i].place))
            got[t->jobs[i].f->pool] += gpu_seconds(t->jobs[i].f->service);
    for (size_t v = 0; v < pools; v++)
        got[v] = p->pool_gpus[v] > 0 ? got[v] / (double)p->pool_gpus[v] : NAN;
    tell(t, "jain:vc", t->pool < 0 && pools > 1 ? jain(got, pools) : NAN);
    free(got);
}

/* ---- integrals, and what became of all jobs ---------------------------------------------------------------------- */

static void tell_integrals(const telling *t)
{
    const proof *p = t->p;
    const sums *s = &p->sums[t->pool + 1];
    orr_time from = p->first_submit == ORR_TIME_NONE ? p->out->end : p->first_submit, to = p->out->end;
    from = from < t->m->lower ? t->m->lower : from;
    to = to > t->m->upper ? t->m->upper : to;
    const orr_wide window = to > from ? (orr_wide)to - from : 0;
    tell(t, "window", seconds(window));
    tell(t, "gpus", (double)t->gpus);
    tell(t, "gpu_alloc", over(s->held, s->there * 1000));
    tell(t, "gpu_busy", over(s->busy, s->there * 1000));
    tell(t, "queue_len", over(s->jobs_queued, window));
    tell(t, "queue_gpus", over(s->milli_queued, window * 1000));
}

static void tell_fates(const telling *t)
{
    static const char *const keys[] = {NULL,          "jobs.queued_at_end", "jobs.running_at_end",
                                       NULL,          "jobs.completed",     "jobs.failed",
                                       "jobs.killed", "jobs.rejected"};
    uint64_t count[8] = {0}, censored = 0, carried = 0;
    for (size_t i = 0; i < t->n; i++) {
        const facts *f = t->jobs[i].f;
        count[f->stage == SAVING ? HOLDING : f->stage]++;
        censored += f->censored;
        carried += f->carried;
    }
    for (int s = WAITING; s <= REJECTED; s++)
        if (keys[s])
            tell(t, keys[s], (double)count[s]);
    tell(t, "jobs.submitted", (double)t->n);
    tell(t, "jobs.censored", (double)censored);
    tell(t, "jobs.carried", (double)carried);
}

void orr_measured_each(const proof *p, const measure *m, const listed *jobs, size_t n, int32_t pool,
                       orr_number_told *told, void *self)
{
    const telling t = {p, m, jobs, n, pool, pool < 0 ? p->gpus : p->pool_gpus[pool], told, self};
    tell_dists(&t);
    tell_jobs_in_range(&t);
    tell_vcs(&t);
    tell_integrals(&t);
    tell_fates(&t);
}
