/* How far two traces are apart: two-sample Kolmogorov-Smirnov distances of numbers, total variation of texts. */
#include "trace/synth.h"

#include "base/rng.h"
#include "base/stat.h"

#include <math.h>
#include <stdlib.h>

/* The values of one column of one trace. */
typedef struct values {
    double *at;
    size_t n;
} values;

typedef double (*number_of)(const orr_trace *t, size_t i);

/* ---- numbers of a job ---- */

static double duration_of(const orr_trace *t, size_t i)
{
    return orr_time_seconds(t->jobs.at[i].duration);
}

static double gpus_of(const orr_trace *t, size_t i)
{
    return t->jobs.at[i].gpus;
}

static double milli_of(const orr_trace *t, size_t i)
{
    return t->jobs.at[i].gpu_milli;
}

static double gpu_time_of(const orr_trace *t, size_t i)
{
    return duration_of(t, i) * gpus_of(t, i) * milli_of(t, i) / 1000;
}

static double gap_of(const orr_trace *t, size_t i)
{
    return i == 0 ? NAN : orr_time_seconds(t->jobs.at[i].submit - t->jobs.at[i - 1].submit);
}

/* Seconds since the midnight of the first Monday: of the calendar if it is known, else of second 0. */
static int64_t clock_of(const orr_trace *t, size_t i)
{
    orr_civil origin = {0};
    int64_t at = t->jobs.at[i].submit / ORR_SECOND;
    if (t->origin[0] && !orr_civil_parse(t->origin, strlen(t->origin), &origin))
        at += origin.local / ORR_SECOND + 3 * 86400; /* 1970 began on a Thursday */
    return at % (SYNTH_WEEK * 3600);
}

static double hour_of(const orr_trace *t, size_t i)
{
    return (double)(clock_of(t, i) % 86400) / 3600;
}

static double weekday_of(const orr_trace *t, size_t i)
{
    return (double)(clock_of(t, i) / 86400);
}

static values numbers(const orr_trace *t, number_of number)
{
    values v = {orr_xmalloc((t->jobs.n + 1) * sizeof(double)), 0};
    for (size_t i = 0; i < t->jobs.n; i++) {
        const double x = number(t, i);
        if (!isnan(x))
            v.at[v.n++] = x;
    }
    return v;
}

/* ---- texts of a job ---- */

static const char *text_at(const orr_trace_job *job, size_t offset)
{
    const char *text;
    memcpy(&text, (const char *)job + offset, sizeof text);
    return text;
}

/* How many jobs have each text, by its place in `seen`; empty texts don't count. */
static values counts(const orr_trace *t, orr_names *seen, size_t offset)
{
    ORR_VEC(double) found = {0};
    for (size_t i = 0; i < t->jobs.n; i++) {
        const char *text = text_at(&t->jobs.at[i], offset);
        const uint32_t place = text[0] ? orr_names_id(seen, text, strlen(text)) : 0;
        while (text[0] && found.n <= place)
            ORR_VEC_PUSH(&found, 0);
        if (text[0])
            found.at[place]++;
    }
    return (values){found.at, found.n};
}

/* ---- distances ---- */

static double apart(values a, values b)
{
    double most = 0;
    size_t i = 0, k = 0;
    if (a.n == 0 || b.n == 0)
        return NAN;
    orr_sort_doubles(a.at, a.n);
    orr_sort_doubles(b.at, b.n);
    while (i < a.n && k < b.n) {
        const double x = fmin(a.at[i], b.at[k]);
        while (i < a.n && a.at[i] <= x)
            i++;
        while (k < b.n && b.at[k] <= x)
            k++;
        most = fmax(most, fabs((double)i / (double)a.n - (double)k / (double)b.n));
    }
    return most;
}

static orr_synth_distance by_number(const char *column, const orr_trace *a, const orr_trace *b, number_of number)
{
    values x = numbers(a, number), y = numbers(b, number);
    const orr_synth_distance d = {column, "ks", apart(x, y), x.n, y.n};
    free(x.at);
    free(y.at);
    return d;
}

/* Shares instead of counts, so that traces of different length can be compared. */
static void share_out(values v)
{
    const double all = orr_sum(v.at, v.n);
    for (size_t i = 0; i < v.n; i++)
        v.at[i] /= all;
}

static orr_synth_distance by_count(const char *column, const orr_trace *a, const orr_trace *b, size_t offset)
{
    orr_names *in_a = orr_names_create(), *in_b = orr_names_create();
    values x = counts(a, in_a, offset), y = counts(b, in_b, offset);
    share_out(x);
    share_out(y);
    const orr_synth_distance d = {column, "ks", apart(x, y), x.n, y.n};
    free(x.at);
    free(y.at);
    orr_names_destroy(in_a);
    orr_names_destroy(in_b);
    return d;
}

static double variation(values a, values b)
{
    const double all_a = orr_sum(a.at, a.n), all_b = orr_sum(b.at, b.n);
    double sum = 0;
    if (!(all_a > 0 && all_b > 0))
        return NAN;
    for (size_t i = 0; i < a.n || i < b.n; i++)
        sum += fabs((i < a.n ? a.at[i] / all_a : 0) - (i < b.n ? b.at[i] / all_b : 0));
    return sum / 2;
}

static orr_synth_distance of_shares(const char *column, values x, values y)
{
    const orr_synth_distance d = {column, "tv", variation(x, y), (uint64_t)orr_sum(x.at, x.n),
                                  (uint64_t)orr_sum(y.at, y.n)};
    free(x.at);
    free(y.at);
    return d;
}

static orr_synth_distance by_text(const char *column, const orr_trace *a, const orr_trace *b, size_t offset)
{
    orr_names *seen = orr_names_create();
    const values x = counts(a, seen, offset), y = counts(b, seen, offset);
    orr_names_destroy(seen);
    return of_shares(column, x, y);
}

static values endings(const orr_trace *t)
{
    values v = {orr_xcalloc(3, sizeof(double)), 3};
    for (size_t i = 0; i < t->jobs.n; i++)
        v.at[t->jobs.at[i].ending]++;
    return v;
}

/* ---- what names tell ---- */

typedef struct keyed {
    uint64_t key;
    double x;
} keyed;

/* By value too, so that sums don't depend on the order in which equal keys came. */
static int by_key(const void *left, const void *right)
{
    const keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->x < b->x ? -1 : a->x > b->x;
}

double orr_synth_explained(const uint64_t *keys, const double *seconds, size_t n)
{
    keyed *k = orr_xmalloc((n + 1) * sizeof *k);
    double mean = 0, inside = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        k[i] = (keyed){keys[i], log(fmax(seconds[i], 0.5))};
        mean += k[i].x / (double)n;
    }
    qsort(k, n, sizeof *k, by_key);
    for (size_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && k[end].key == k[i].key; end++)
            sum += k[end].x;
        const double own = sum / (double)(end - i);
        for (size_t j = i; j < end; j++) {
            inside += (k[j].x - own) * (k[j].x - own);
            total += (k[j].x - mean) * (k[j].x - mean);
        }
    }
    free(k);
    return total > 0 ? 1 - inside / total : NAN;
}

static double explained(const orr_trace *t, uint64_t *named)
{
    uint64_t *keys = orr_xmalloc((t->jobs.n + 1) * sizeof *keys);
    double *seconds = orr_xmalloc((t->jobs.n + 1) * sizeof *seconds);
    size_t n = 0;
    for (size_t i = 0; i < t->jobs.n; i++) {
        const orr_trace_job *job = &t->jobs.at[i];
        if (!job->name[0])
            continue;
        keys[n] = orr_hash64(orr_hash64(1, job->user, strlen(job->user)), job->name, strlen(job->name));
        seconds[n++] = orr_time_seconds(job->duration);
    }
    *named = n;
    const double r = orr_synth_explained(keys, seconds, n);
    free(keys);
    free(seconds);
    return r;
}

static orr_synth_distance by_recurrence(const orr_trace *a, const orr_trace *b)
{
    orr_synth_distance d = {"recurrence", "difference", 0, 0, 0};
    d.distance = fabs(explained(a, &d.n) - explained(b, &d.m));
    return d;
}

/* ---- all columns ---- */

void orr_synth_compare(const orr_trace *a, const orr_trace *b, orr_synth_distance rows[ORR_SYNTH_DISTANCES])
{
    orr_synth_distance *row = rows;
    *row++ = by_number("duration", a, b, duration_of);
    *row++ = by_number("gpus", a, b, gpus_of);
    *row++ = by_number("gpu_milli", a, b, milli_of);
    *row++ = by_number("gpu_time", a, b, gpu_time_of);
    *row++ = by_number("gap", a, b, gap_of);
    *row++ = by_number("hour", a, b, hour_of);
    *row++ = by_number("weekday", a, b, weekday_of);
    *row++ = by_count("user_share", a, b, offsetof(orr_trace_job, user));
    *row++ = by_text("vc", a, b, offsetof(orr_trace_job, vc));
    *row++ = of_shares("state", endings(a), endings(b));
    *row++ = by_text("gpu_type", a, b, offsetof(orr_trace_job, gpu_type));
    *row++ = by_text("model", a, b, offsetof(orr_trace_job, model));
    *row++ = by_recurrence(a, b);
}

/* ---- what a model doesn't tell about ---- */

char *orr_synth_left_out(const orr_trace *t)
{
    static const char *const columns[] = {"cpus",     "mem_bytes", "gpu_mem", "limit", "deadline", "weight",
                                          "attempts", "min_gpus",  "group",   "after", "censored", "preemptible"};
    bool used[sizeof columns / sizeof *columns] = {0};
    orr_text out = {0};
    for (size_t i = 0; i < t->jobs.n; i++) {
        const orr_trace_job *j = &t->jobs.at[i];
        const bool has[] = {j->cpu_milli > 0,
                            j->mem_bytes > 0,
                            j->gpu_mem_bytes > 0,
                            j->limit != ORR_TIME_NONE,
                            j->deadline != ORR_TIME_NONE,
                            j->weight < 1 || j->weight > 1,
                            j->attempt_count > 1,
                            j->min_gpus != j->gpus || j->max_gpus != j->gpus,
                            j->group[0] != '\0',
                            j->after_count > 0,
                            j->censored,
                            !j->preemptible};
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            used[k] = used[k] || has[k];
    }
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        if (used[k])
            orr_text_addf(&out, "%s%s", out.n ? " " : "", columns[k]);
    for (size_t k = 0; k < t->attributes.n; k++)
        orr_text_addf(&out, "%s%s", out.n ? " " : "", t->attributes.at[k]);
    if (!out.at)
        orr_text_add(&out, "", 0);
    return out.at;
}
