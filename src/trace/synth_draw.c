/* The base columns of synthetic jobs, each from a stream of its own.
 *
 * Everything is drawn by inversion: a uniform number a property and job (two for durations, deadlines and names),
 * whatever comes of it. Bounding the sizes or changing the arrivals so never shifts another draw.
 */
#include "trace/synth.h"

#include "base/rng.h"
#include "model/throughputs.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 12 };
#define LONGEST_SECONDS 1e8 /* of durations that aren't a shape's: 3 years */

gsl_rng *orr_synth_stream(uint64_t seed, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "workload/%s", name);
    return orr_rng_create(seed, full);
}

int32_t orr_synth_pick(const double *cumulated, int32_t n, double x)
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

double *orr_synth_zipf(int32_t n, double x)
{
    double *c = orr_xmalloc(sizeof *c * (size_t)(n > 0 ? n : 1)), sum = 0;
    for (int32_t i = 0; i < n; i++)
        c[i] = sum += 1.0 / pow(i + 1, x);
    return c;
}

static gsl_rng *stream(const synth *s, const char *name)
{
    return orr_synth_stream(s->plan.options->seed, name);
}

/* ---- sizes and durations ---- */

static void draw_sizes(synth *s)
{
    const int32_t n = (int32_t)s->model->classes.n, most = s->plan.options->max_gpus;
    double *cumulated = orr_xmalloc((size_t)n * sizeof *cumulated), sum = 0;
    for (int32_t i = 0; i < n; i++) {
        const synth_class *c = &s->model->classes.at[i];
        cumulated[i] = sum += most == 0 || c->gpus <= most ? c->weight : 0;
    }
    gsl_rng *rng = stream(s, "gpus");
    for (size_t i = 0; i < s->n; i++)
        s->jobs[i].size = orr_synth_pick(cumulated, n, gsl_rng_uniform(rng) * sum);
    gsl_rng_free(rng);
    free(cumulated);
}

static const synth_part *pick_part(const synth_law *law, double u)
{
    int last = 0;
    double sum = 0;
    for (int i = 0; i < SYNTH_PARTS && law->parts[i].weight > 0; i++) {
        last = i;
        sum += law->parts[i].weight;
        if (u < sum)
            break;
    }
    return &law->parts[last];
}

static int64_t whole_seconds(double seconds, double longest)
{
    double rounded = floor(seconds + 0.5);
    return rounded < 1 ? 1 : rounded > longest ? (int64_t)longest : (int64_t)rounded;
}

static int64_t draw_by_law(const synth_law *law, double longest, double which, double where)
{
    if (law->knots)
        return whole_seconds(exp(orr_synth_quantile(law->knots, where)), longest);
    const synth_part *p = pick_part(law, which);
    double kept = gsl_cdf_ugaussian_P((log(longest) - p->mu) / p->sigma);
    double z = gsl_cdf_ugaussian_Pinv(where * kept);
    return whole_seconds(exp(p->mu + p->sigma * z), longest);
}

/* By the distribution that was asked for; u is above 0 and below 1. */
static int64_t draw_as_asked(const synth_plan *p, double u)
{
    double seconds = p->scale;
    if (p->durations == SYNTH_LOGNORMAL)
        seconds *= exp(p->form * gsl_cdf_ugaussian_Pinv(u));
    else if (p->durations == SYNTH_EXP)
        seconds *= -log(u);
    else if (p->durations == SYNTH_PARETO)
        seconds *= exp(-log(u) / p->form);
    return whole_seconds(seconds, LONGEST_SECONDS);
}

static void draw_durations(synth *s)
{
    gsl_rng *rng = stream(s, "duration");
    for (size_t i = 0; i < s->n; i++) {
        double which = gsl_rng_uniform(rng), where = gsl_rng_uniform_pos(rng);
        const synth_class *c = &s->model->classes.at[s->jobs[i].size];
        if (s->plan.durations)
            s->jobs[i].seconds = draw_as_asked(&s->plan, where);
        else
            s->jobs[i].seconds = draw_by_law(&s->model->laws.at[c->law], s->model->longest, which, where);
    }
    gsl_rng_free(rng);
}

static void draw_endings(synth *s)
{
    gsl_rng *rng = stream(s, "ending");
    for (size_t i = 0; i < s->n; i++) {
        const synth_law *law = &s->model->laws.at[s->model->classes.at[s->jobs[i].size].law];
        double u = gsl_rng_uniform(rng), failed = law->failed, killed = law->killed;
        s->jobs[i].ending = u < failed ? ORR_ENDING_FAILED : u < failed + killed ? ORR_ENDING_KILLED : ORR_ENDING_DONE;
    }
    gsl_rng_free(rng);
}

/* ---- people ---- */

static void draw_vcs(synth *s)
{
    int32_t vcs = s->plan.vcs;
    double *shares = orr_synth_zipf(vcs, s->plan.vc_zipf);
    gsl_rng *rng = stream(s, "vc");
    for (size_t i = 0; i < s->n; i++) {
        double u = gsl_rng_uniform(rng);
        if (vcs < 0)
            s->jobs[i].vc = s->model->classes.at[s->jobs[i].size].vc;
        else
            s->jobs[i].vc = vcs == 0 ? -1 : orr_synth_pick(shares, vcs, u * shares[vcs - 1]);
    }
    gsl_rng_free(rng);
    free(shares);
}

/* User u belongs to VC u mod vcs. A VC without a user (fewer users than VCs) borrows one. */
static int32_t numbered_user(const synth *s, const double *shares, int32_t of_vc, double u)
{
    int32_t users = s->plan.users, vcs = s->plan.vcs;
    if (vcs < 0)
        vcs = (int32_t)s->model->vcs.n;
    vcs = vcs > 0 ? vcs : 1;
    int32_t vc = of_vc > 0 ? of_vc : 0;
    int32_t members = users > vc ? (users - vc - 1) / vcs + 1 : 0;
    if (members > 0)
        return vc + vcs * orr_synth_pick(shares, members, u * shares[members - 1]);
    return users > 0 ? vc % users : -1;
}

/* Measured people stand by VC, those without one first: where each VC's begin, one more for the end. */
static int32_t *people_by_vc(const orr_synth_model *m)
{
    const int32_t vcs = (int32_t)m->vcs.n;
    int32_t *from = orr_xcalloc((size_t)vcs + 2, sizeof *from);
    for (size_t i = 0; i < m->people.n; i++)
        from[m->people.at[i].vc + 2]++;
    for (int32_t v = 0; v <= vcs; v++)
        from[v + 1] += from[v];
    return from;
}

static void draw_measured_users(synth *s, gsl_rng *rng)
{
    const orr_synth_model *m = s->model;
    int32_t *from = people_by_vc(m);
    double *cumulated = orr_xmalloc((m->people.n + 1) * sizeof *cumulated), sum = 0;
    cumulated[0] = 0;
    for (size_t i = 0; i < m->people.n; i++)
        cumulated[i + 1] = sum += m->people.at[i].weight;
    for (size_t i = 0; i < s->n; i++) {
        const int32_t first = from[s->jobs[i].vc + 1], end = from[s->jobs[i].vc + 2];
        const double u = gsl_rng_uniform(rng), low = cumulated[first], high = cumulated[end];
        s->jobs[i].user =
            end > first ? first + orr_synth_pick(cumulated + first + 1, end - first, low + u * (high - low)) : -1;
    }
    free(cumulated);
    free(from);
}

static void draw_users(synth *s)
{
    gsl_rng *rng = stream(s, "user");
    if (s->plan.users < 0 && s->plan.vcs < 0) {
        draw_measured_users(s, rng);
        gsl_rng_free(rng);
        return;
    }
    if (s->plan.users < 0) /* VCs other than the measured ones: as many users, by the usual law */
        s->plan.users = (int32_t)s->model->people.n;
    double *shares = orr_synth_zipf(s->plan.users, s->plan.user_zipf);
    for (size_t i = 0; i < s->n; i++)
        s->jobs[i].user = numbered_user(s, shares, s->jobs[i].vc, gsl_rng_uniform(rng));
    gsl_rng_free(rng);
    free(shares);
}

/* A job's name comes from its user, its law and the power of four of its seconds; now and then the last is made up. */
void orr_synth_draw_names(synth *s, double recurrence)
{
    const int32_t names = s->model->names_a_user;
    gsl_rng *rng = stream(s, "name");
    for (size_t i = 0; i < s->n; i++) {
        synth_draft *j = &s->jobs[i];
        double noise = gsl_rng_uniform(rng), other = gsl_rng_uniform(rng);
        uint64_t bucket = 0;
        for (int64_t left = j->seconds / 4; left > 0; left /= 4)
            bucket++;
        if (noise < 1 - recurrence)
            bucket = (uint64_t)(other * BUCKETS);
        const uint64_t law = (uint64_t)(s->model->classes.at[j->size].law % s->model->names_by_size);
        uint64_t key = ((uint64_t)(j->user + 1) * 64 + law) * 64 + bucket;
        j->name = names > 0 ? (int32_t)(orr_mix64(key) % (uint64_t)names) : -1;
    }
    gsl_rng_free(rng);
}

/* ---- texts with shares ---- */

static int32_t pick_share(const synth_share *shares, size_t n, double u)
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        all += shares[i].weight;
    for (size_t i = 0; i < n; i++) {
        sum += shares[i].weight;
        if (u * all < sum)
            return (int32_t)i;
    }
    return (int32_t)n - 1; /* -1 of none */
}

/* The table's jobs of one size that run on its reference type, in its order. */
static size_t jobs_of_size(const orr_throughputs *t, int32_t gpus, int32_t *out)
{
    size_t n = 0;
    int64_t size;
    for (int32_t j = 0; j < orr_throughputs_jobs(t); j++) {
        (void)orr_throughputs_model(t, j, &size);
        if (size == gpus && orr_throughputs_alone(t, orr_throughputs_reference(t), j) > 0)
            out[n++] = j;
    }
    return n;
}

/* From here on `model` is a job of the table. */
static void draw_by_table(synth *s)
{
    const orr_throughputs *t = s->plan.options->throughputs;
    if (!t)
        return;
    const size_t classes = s->model->classes.n, jobs = (size_t)orr_throughputs_jobs(t);
    int32_t **of = orr_xcalloc(classes, sizeof *of);
    size_t *counts = orr_xcalloc(classes, sizeof *counts);
    for (size_t c = 0; c < classes; c++) {
        of[c] = orr_xcalloc(jobs + 1, sizeof *of[c]);
        counts[c] = jobs_of_size(t, s->model->classes.at[c].gpus, of[c]);
    }
    gsl_rng *rng = stream(s, "table-model");
    for (size_t i = 0; i < s->n; i++) {
        const size_t c = (size_t)s->jobs[i].size;
        const double u = gsl_rng_uniform(rng);
        s->jobs[i].model = counts[c] ? of[c][(size_t)(u * (double)counts[c])] : -1;
    }
    gsl_rng_free(rng);
    for (size_t c = 0; c < classes; c++)
        free(of[c]);
    free(of);
    free(counts);
}

static void draw_texts(synth *s)
{
    gsl_rng *types = stream(s, "gpu-type"), *models = stream(s, "measured-model");
    for (size_t i = 0; i < s->n; i++) {
        s->jobs[i].type = pick_share(s->model->types.at, s->model->types.n, gsl_rng_uniform(types));
        s->jobs[i].model = pick_share(s->model->models.at, s->model->models.n, gsl_rng_uniform(models));
    }
    gsl_rng_free(types);
    gsl_rng_free(models);
    draw_by_table(s);
}

/* ---- contracts ---- */

static void draw_limits(synth *s)
{
    double factor = s->plan.options->limit_factor;
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
    const double share = s->plan.deadline_share, low = s->plan.slack_low, high = s->plan.slack_high;
    if (share == 0)
        return;
    gsl_rng *rng = stream(s, "deadline");
    for (size_t i = 0; i < s->n; i++) {
        double has = gsl_rng_uniform(rng), slack = gsl_rng_uniform(rng);
        if (has < share)
            s->jobs[i].deadline = (int64_t)ceil((double)s->jobs[i].seconds * (low + (high - low) * slack));
    }
    gsl_rng_free(rng);
}

void orr_synth_draw(synth *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->jobs[i].app = s->jobs[i].leader = -1;
    draw_sizes(s);
    draw_durations(s);
    draw_endings(s);
    draw_vcs(s);
    draw_users(s);
    orr_synth_draw_names(s, s->plan.recurrence);
    draw_texts(s);
    orr_synth_train(s);
    draw_limits(s);
    draw_deadlines(s);
}
