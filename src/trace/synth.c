/* Synthetic traces.
 *
 * Everything is drawn by inversion: a uniform number a property and job (two for durations, deadlines and names),
 * whatever comes of it. Bounding the sizes or changing the arrivals so never shifts another draw. Only the gamma
 * gaps of bursty arrivals take a varying number, from a stream of their own.
 *
 * Machines agree: drawing uses + - * / and GSL's generator, whose output is integer; ln, exp, sqrt and the normal
 * quantile may differ between C libraries in the last bit, which whole seconds hide but for odds of about 1e-10 a
 * job.
 */
#include <orrery/synth.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stat.h"
#include "base/text.h"
#include "trace/synth_shape.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMES_A_USER = 100, BUCKETS = 12, WEEK_HOURS = 7 * 24 };
#define NAME_NOISE 0.15 /* share of jobs named without regard to how long they run */
#define SHAPES (sizeof synth_shapes / sizeof *synth_shapes)
#define MAX_SPAN_SECONDS 4.5e9 /* a trace takes submissions up to 4.6e9 s */

typedef struct draft {
    int64_t submit, seconds;
    int64_t limit, deadline; /* seconds; deadline from the submission; 0: none */
    int32_t size; /* index into the shape's sizes */
    int32_t vc, user, name; /* -1: none */
    orr_ending ending;
} draft;

typedef struct synth {
    const orr_synth_options *options;
    const synth_shape *shape;
    draft *jobs;
    size_t n;
    int64_t span; /* seconds */
} synth;

/* ---- options ---- */

orr_synth_options orr_synth_options_default(void)
{
    return (orr_synth_options){
        .seed = 1,
        .shape = "philly",
        .jobs = 1000,
        .span = ORR_TIME_NONE,
        .cv = 4,
        .users = 30,
    };
}

static orr_err unknown(orr_error *e, const char *what, const char *name, const char *const *known, size_t n)
{
    orr_text all = {0};
    for (size_t i = 0; i < n; i++)
        orr_text_addf(&all, "%s%s", i > 0 ? ", " : "", known[i]);
    const char *near = orr_nearest(name, known, n);
    orr_error_set(e, ORR_E_BAD_VALUE, "no %s is called '%s'", what, name);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    else
        orr_error_hint(e, "known: %s", all.at);
    orr_text_fini(&all);
    return ORR_E_BAD_VALUE;
}

static const synth_shape *find_shape(const char *name, orr_error *e)
{
    const char *names[SHAPES];
    for (size_t i = 0; i < SHAPES; i++) {
        names[i] = synth_shapes[i].name;
        if (name && strcmp(name, names[i]) == 0)
            return &synth_shapes[i];
    }
    unknown(e, "shape", name ? name : "", names, SHAPES);
    return NULL;
}

static const char *arrivals_of(const orr_synth_options *o)
{
    return o->arrivals ? o->arrivals : "diurnal";
}

static orr_err check_arrivals(const orr_synth_options *o, orr_error *e)
{
    static const char *const known[] = {"poisson", "diurnal", "bursty", "at-once"};
    const char *name = arrivals_of(o);
    for (size_t i = 0; i < 4; i++)
        if (strcmp(name, known[i]) == 0)
            return ORR_OK;
    return unknown(e, "arrival process", name, known, 4);
}

/* The one value out of range, by name; NULL if all are fine. Comparisons are written so that NaN fails. */
static const char *wrong_value(const orr_synth_options *o)
{
    if (o->jobs < 1 || o->jobs > 1000000000)
        return "jobs must be 1 to 1,000,000,000";
    if (o->span != ORR_TIME_NONE && o->span < ORR_SECOND)
        return "the span must be a second or more";
    if (!(o->load >= 0 && o->load <= 1e6))
        return "the load must be 0 (none asked) to 1,000,000";
    if (o->gpus < 0 || o->vcs < 0 || o->users < 0 || o->max_gpus < 0)
        return "numbers of GPUs, VCs and users must not be negative";
    if (!(o->cv >= 0.01 && o->cv <= 100))
        return "cv must be 0.01 to 100";
    if (!(o->deadline_share >= 0 && o->deadline_share <= 1))
        return "the share of jobs with a deadline must be 0 to 1";
    if (!(o->limit_factor == 0 || (o->limit_factor >= 1 && o->limit_factor <= 1000)))
        return "the limit factor must be 1 to 1,000, or 0 for no limits";
    return NULL;
}

static orr_err check_pairs(const orr_synth_options *o, orr_error *e)
{
    bool at_once = strcmp(arrivals_of(o), "at-once") == 0;
    if (o->load > 0 && o->span != ORR_TIME_NONE) {
        orr_error_set(e, ORR_E_CONFLICT, "a load and a span were both given, and each sets the other");
        orr_error_hint(e, "give the load and the GPUs, or the span");
        return ORR_E_CONFLICT;
    }
    if (at_once && (o->load > 0 || o->span != ORR_TIME_NONE))
        return orr_error_set(e, ORR_E_CONFLICT, "jobs that arrive at once have neither a load nor a span");
    if (o->load > 0 && o->gpus == 0)
        return orr_error_set(e, ORR_E_MISSING, "a load needs the number of GPUs it refers to");
    return ORR_OK;
}

static orr_err check(const orr_synth_options *o, orr_error *e)
{
    const char *wrong = wrong_value(o);
    if (wrong)
        return orr_error_set(e, ORR_E_BAD_VALUE, "%s", wrong);
    orr_err err = check_arrivals(o, e);
    return err ? err : check_pairs(o, e);
}

/* ---- drawing from tables ---- */

/* The first index whose cumulated weight exceeds `x`; the last one if rounding pushes x past the end. */
static int32_t pick(const double *cumulated, int32_t n, double x)
{
    int32_t low = 0, high = n - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (cumulated[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Cumulated shares 1, 1/2, 1/3, … */
static double *falling_shares(int32_t n)
{
    double *c = orr_xmalloc(sizeof *c * (size_t)(n > 0 ? n : 1)), sum = 0;
    for (int32_t i = 0; i < n; i++)
        c[i] = sum += 1.0 / (i + 1);
    return c;
}

static gsl_rng *stream(const synth *s, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "workload/%s", name);
    return orr_rng_create(s->options->seed, full);
}

/* ---- properties, one stream each ---- */

static void draw_sizes(synth *s)
{
    double cumulated[32], sum = 0;
    int32_t n = 0, most = s->options->max_gpus;
    for (; n < s->shape->size_count && (most == 0 || s->shape->sizes[n].gpus <= most); n++)
        cumulated[n] = sum += s->shape->sizes[n].weight;
    gsl_rng *rng = stream(s, "gpus");
    for (size_t i = 0; i < s->n; i++)
        s->jobs[i].size = pick(cumulated, n, gsl_rng_uniform(rng) * sum);
    gsl_rng_free(rng);
}

static const synth_part *pick_part(const synth_size *size, double u)
{
    int last = 0;
    double sum = 0;
    for (int i = 0; i < SYNTH_PARTS && size->parts[i].weight > 0; i++) {
        last = i;
        sum += size->parts[i].weight;
        if (u < sum)
            break;
    }
    return &size->parts[last];
}

static int64_t whole_seconds(double seconds, double longest)
{
    double rounded = floor(seconds + 0.5);
    return rounded < 1 ? 1 : rounded > longest ? (int64_t)longest : (int64_t)rounded;
}

static void draw_durations(synth *s)
{
    gsl_rng *rng = stream(s, "duration");
    double longest = s->shape->longest;
    for (size_t i = 0; i < s->n; i++) {
        double which = gsl_rng_uniform(rng), where = gsl_rng_uniform_pos(rng);
        const synth_part *p = pick_part(&s->shape->sizes[s->jobs[i].size], which);
        double kept = gsl_cdf_ugaussian_P((log(longest) - p->mu) / p->sigma);
        double z = gsl_cdf_ugaussian_Pinv(where * kept);
        s->jobs[i].seconds = whole_seconds(exp(p->mu + p->sigma * z), longest);
    }
    gsl_rng_free(rng);
}

static void draw_endings(synth *s)
{
    gsl_rng *rng = stream(s, "ending");
    for (size_t i = 0; i < s->n; i++) {
        double u = gsl_rng_uniform(rng), failed = s->shape->failed, killed = s->shape->killed;
        s->jobs[i].ending = u < failed            ? ORR_ENDING_FAILED
                            : u < failed + killed ? ORR_ENDING_KILLED
                                                  : ORR_ENDING_DONE;
    }
    gsl_rng_free(rng);
}

static void draw_vcs(synth *s)
{
    int32_t vcs = s->options->vcs;
    double *shares = falling_shares(vcs);
    gsl_rng *rng = stream(s, "vc");
    for (size_t i = 0; i < s->n; i++)
        s->jobs[i].vc = vcs == 0 ? -1 : pick(shares, vcs, gsl_rng_uniform(rng) * shares[vcs - 1]);
    gsl_rng_free(rng);
    free(shares);
}

/* User u belongs to VC u mod vcs. A VC without a user (fewer users than VCs) borrows one. */
static void draw_users(synth *s)
{
    int32_t users = s->options->users, vcs = s->options->vcs > 0 ? s->options->vcs : 1;
    double *shares = falling_shares(users);
    gsl_rng *rng = stream(s, "user");
    for (size_t i = 0; i < s->n; i++) {
        double u = gsl_rng_uniform(rng);
        int32_t vc = s->jobs[i].vc > 0 ? s->jobs[i].vc : 0;
        int32_t members = users > vc ? (users - vc - 1) / vcs + 1 : 0;
        if (members > 0)
            s->jobs[i].user = vc + vcs * pick(shares, members, u * shares[members - 1]);
        else
            s->jobs[i].user = users > 0 ? vc % users : -1;
    }
    gsl_rng_free(rng);
    free(shares);
}

/* A job's name comes from its user, its size and the power of four of its seconds; now and then the last is made up. */
static void draw_names(synth *s)
{
    gsl_rng *rng = stream(s, "name");
    for (size_t i = 0; i < s->n; i++) {
        draft *j = &s->jobs[i];
        double noise = gsl_rng_uniform(rng), other = gsl_rng_uniform(rng);
        uint64_t bucket = 0;
        for (int64_t left = j->seconds / 4; left > 0; left /= 4)
            bucket++;
        if (noise < NAME_NOISE)
            bucket = (uint64_t)(other * BUCKETS);
        uint64_t key = ((uint64_t)(j->user + 1) * 64 + (uint64_t)j->size) * 64 + bucket;
        j->name = (int32_t)(orr_mix64(key) % NAMES_A_USER);
    }
    gsl_rng_free(rng);
}

static void draw_limits(synth *s)
{
    double factor = s->options->limit_factor;
    if (factor == 0)
        return;
    gsl_rng *rng = stream(s, "limit");
    for (size_t i = 0; i < s->n; i++) {
        double least = (double)s->jobs[i].seconds;
        double asked = least * (1 + (factor - 1) * 2 * gsl_rng_uniform(rng));
        s->jobs[i].limit = (int64_t)ceil(asked / 60) * 60;
    }
    gsl_rng_free(rng);
}

static void draw_deadlines(synth *s)
{
    if (s->options->deadline_share == 0)
        return;
    gsl_rng *rng = stream(s, "deadline");
    for (size_t i = 0; i < s->n; i++) {
        double has = gsl_rng_uniform(rng), slack = gsl_rng_uniform(rng);
        if (has < s->options->deadline_share)
            s->jobs[i].deadline = (int64_t)ceil((double)s->jobs[i].seconds * (1 + 2 * slack));
    }
    gsl_rng_free(rng);
}

/* ---- arrivals ---- */

static orr_err find_span(synth *s, orr_error *e)
{
    const orr_synth_options *o = s->options;
    double seconds = (double)s->n * s->shape->gap;
    if (o->span != ORR_TIME_NONE)
        seconds = (double)(o->span / ORR_SECOND);
    else if (o->load > 0) {
        int64_t work = 0; /* at most 1e9 jobs of 128 GPUs and 4.7e6 s: in range */
        for (size_t i = 0; i < s->n; i++)
            work += s->jobs[i].seconds * s->shape->sizes[s->jobs[i].size].gpus;
        seconds = ceil((double)work / ((double)o->gpus * o->load));
    }
    if (!(seconds <= MAX_SPAN_SECONDS))
        return orr_error_set(e, ORR_E_RANGE, "the submissions would span more than the clock's range");
    s->span = seconds < 1 ? 1 : (int64_t)seconds;
    return ORR_OK;
}

static void put_sorted(synth *s, double *at)
{
    orr_sort_doubles(at, s->n);
    for (size_t i = 0; i < s->n; i++) {
        int64_t second = (int64_t)at[i];
        s->jobs[i].submit = second < s->span ? second : s->span - 1;
    }
}

/* A Poisson process given its number of points: that many uniform ones. */
static void arrive_poisson(synth *s, gsl_rng *rng, double *at)
{
    for (size_t i = 0; i < s->n; i++)
        at[i] = gsl_rng_uniform(rng) * (double)s->span;
    put_sorted(s, at);
}

/* Cumulated weight of the week's hours: week[h] is what lies before hour h. */
static void cumulate_week(double week[WEEK_HOURS + 1])
{
    week[0] = 0;
    for (int h = 0; h < WEEK_HOURS; h++)
        week[h + 1] = week[h] + synth_weekdays[h / 24] * synth_hours[h % 24];
}

static double weight_before(const double *week, double hours)
{
    double weeks = floor(hours / WEEK_HOURS), rest = hours - weeks * WEEK_HOURS;
    int h = (int)rest;
    return weeks * week[WEEK_HOURS] + week[h] + (rest - h) * (week[h + 1] - week[h]);
}

static double hours_at(const double *week, double weight)
{
    double weeks = floor(weight / week[WEEK_HOURS]), rest = weight - weeks * week[WEEK_HOURS];
    int h = pick(week + 1, WEEK_HOURS, rest);
    return weeks * WEEK_HOURS + h + (rest - week[h]) / (week[h + 1] - week[h]);
}

static void arrive_diurnal(synth *s, gsl_rng *rng, double *at)
{
    double week[WEEK_HOURS + 1];
    cumulate_week(week);
    double all = weight_before(week, (double)s->span / 3600);
    for (size_t i = 0; i < s->n; i++)
        at[i] = hours_at(week, gsl_rng_uniform(rng) * all) * 3600;
    put_sorted(s, at);
}

/* Gaps of a gamma distribution, stretched so that the first job comes at 0 and the last in the span's last second. */
static void arrive_bursty(synth *s, gsl_rng *rng, double *at)
{
    double cv = s->options->cv, sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        at[i] = sum;
        sum += gsl_ran_gamma(rng, 1 / (cv * cv), cv * cv);
    }
    double last = at[s->n - 1], stretch = last > 0 ? (double)(s->span - 1) / last : 0;
    for (size_t i = 0; i < s->n; i++)
        at[i] *= stretch;
    put_sorted(s, at);
}

static void arrive(synth *s)
{
    const char *how = arrivals_of(s->options);
    if (strcmp(how, "at-once") == 0)
        return; /* drafts begin at 0 */
    gsl_rng *rng = stream(s, "arrival");
    double *at = orr_xmalloc(s->n * sizeof *at);
    if (strcmp(how, "poisson") == 0)
        arrive_poisson(s, rng, at);
    else if (strcmp(how, "diurnal") == 0)
        arrive_diurnal(s, rng, at);
    else
        arrive_bursty(s, rng, at);
    free(at);
    gsl_rng_free(rng);
}

/* ---- the trace ---- */

static void format_index(char *buf, size_t size, const char *form, int32_t index)
{
    buf[0] = '\0';
    if (index >= 0)
        snprintf(buf, size, "%s%d", form, (int)index);
}

static orr_err add_job(const synth *s, orr_trace *trace, size_t i, orr_error *e)
{
    const draft *d = &s->jobs[i];
    char id[24], vc[24], user[24], name[24];
    snprintf(id, sizeof id, "%zu", i + 1);
    format_index(vc, sizeof vc, "vc", d->vc);
    format_index(user, sizeof user, "u", d->user);
    format_index(name, sizeof name, "job-", d->name);
    orr_trace_job job = orr_trace_job_default();
    job.id = id;
    job.vc = vc;
    job.user = user;
    job.name = name;
    job.submit = d->submit * ORR_SECOND;
    job.duration = d->seconds * ORR_SECOND;
    job.gpus = job.min_gpus = job.max_gpus = s->shape->sizes[d->size].gpus;
    job.ending = d->ending;
    if (d->limit > 0)
        job.limit = d->limit * ORR_SECOND;
    if (d->deadline > 0)
        job.deadline = (d->submit + d->deadline) * ORR_SECOND;
    return orr_trace_add(trace, &job, e);
}

static orr_trace *build(const synth *s, orr_error *e)
{
    char name[64];
    snprintf(name, sizeof name, "synth:%s", s->shape->name);
    orr_trace *trace = orr_trace_create(name);
    orr_err err = ORR_OK;
    for (size_t i = 0; i < s->n && !err; i++)
        err = add_job(s, trace, i, e);
    if (!err)
        err = orr_trace_finish(trace, e);
    if (!err)
        return trace;
    orr_trace_destroy(trace);
    return NULL;
}

static void draw(synth *s)
{
    draw_sizes(s);
    draw_durations(s);
    draw_endings(s);
    draw_vcs(s);
    draw_users(s);
    draw_names(s);
    draw_limits(s);
    draw_deadlines(s);
}

orr_trace *orr_synth(const orr_synth_options *options, orr_error *e)
{
    synth s = {.options = options, .shape = find_shape(options->shape, e)};
    if (!s.shape || check(options, e))
        return NULL;
    s.n = (size_t)options->jobs;
    s.jobs = orr_xcalloc(s.n, sizeof *s.jobs);
    draw(&s);
    orr_trace *trace = NULL;
    if (!find_span(&s, e)) {
        arrive(&s);
        trace = build(&s, e);
    }
    free(s.jobs);
    return trace;
}
