/* Fits Pollux' throughput model to measured iterations (Qiao et al., OSDI'21, §4.1; objective and priors as in the
 * published code).
 *
 * The objective is two roots of mean squares of logarithms and three small squares. Each step minimises a convex
 * model of it over the box: a root of a mean square lies below (mean square / r + r) / 2 for any r, equal at its own
 * value, and what is squared is taken as linear (Gauss and Newton); Marquardt's damping, by the columns' own sizes,
 * makes sure that the objective falls. Parameters at a bound that push outward stay out of the step.
 *
 * A root has a kink where it is zero, at an exact fit: the steps see root(mean square + round²) and `round` shrinks
 * from stage to stage.
 */
#include "base/assert.h"

#include <orrery/goodput.h>

#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

enum { PARAMETERS = 7, ITERATIONS = 40 /* of a stage */ };
enum { ALPHA_C, BETA_C, ALPHA_N, BETA_N, ALPHA_R, BETA_R, GAMMA };

static const double least_time = 1e-8;
static const double least_damping = 1e-9, most_damping = 1e9;
static const double enough = 1e-7; /* of the objective, won by a step: the last one */
static const double start[PARAMETERS] = {0.1, 0.01, 0.1, 0.01, 0.1, 0.01, 1.001};

typedef struct fit {
    const orr_measurement *measured;
    size_t n;
    double lower[PARAMETERS], upper[PARAMETERS]; /* equal: fixed */
    double round;
} fit;

/* The objective at a point, its gradient, and the matrix of the convex model. */
typedef struct place {
    double x[PARAMETERS], value;
    double gradient[PARAMETERS], curve[PARAMETERS][PARAMETERS];
} place;

/* ---- what is fitted ---- */

static double measured_gradient(const orr_measurement *m)
{
    return fmax(m->step - m->sync, least_time);
}

static void fix(fit *f, int which, double value)
{
    f->lower[which] = f->upper[which] = value;
}

/* Parameters that nothing was measured for are as small as can be: more GPUs look good until they were tried. */
static void set_bounds(fit *f)
{
    bool one_batch = true, nodes = false, together = false, many = false;
    double gradients = 0;
    for (size_t i = 0; i < f->n; i++) {
        const orr_measurement *m = &f->measured[i];
        one_batch &= m->local == f->measured[0].local;
        nodes |= m->nodes > 1;
        together |= m->nodes == 1 && m->gpus > 1;
        many |= m->gpus > 2;
        gradients += measured_gradient(m);
    }
    for (int k = 0; k < PARAMETERS; k++) {
        f->lower[k] = k == GAMMA ? 1 : least_time;
        f->upper[k] = k == GAMMA ? 10 : INFINITY;
    }
    if (one_batch)
        fix(f, ALPHA_C, fmax(gradients / (double)f->n / 2, least_time));
    if (!nodes)
        fix(f, ALPHA_N, least_time);
    if (!together)
        fix(f, ALPHA_R, least_time);
    if (!nodes || !many)
        fix(f, BETA_N, least_time);
    if (!together || !many)
        fix(f, BETA_R, least_time);
}

/* ---- the objective ---- */

/* The two parts of an iteration, in logarithms, and how the whole depends on them. */
typedef struct parts {
    double gradient, sync, all; /* log seconds */
    double of_gradient;         /* d all / d gradient; of sync the rest to 1 */
    double of_gamma;
} parts;

static parts parts_at(double gradient, double sync, double gamma)
{
    parts p = {.gradient = log(gradient), .sync = log(sync)};
    const double apart = fabs(p.gradient - p.sync), less = exp(-gamma * apart), sum = log1p(less);
    const double share = less / (1 + less); /* of the lesser part */
    p.all = fmax(p.gradient, p.sync) + sum / gamma;
    p.of_gradient = p.gradient < p.sync ? share : 1 - share;
    p.of_gamma = -(sum / gamma + share * apart) / gamma;
    return p;
}

typedef struct row { /* derivatives by the parameters that it depends on */
    int which[5], count;
    double by[5];
} row;

static void depend(row *r, int which, double by)
{
    r->which[r->count] = which;
    r->by[r->count++] = by;
}

/* How sync time depends on its own two. */
static double sync_of(const double x[], const orr_measurement *m, int *alpha, double *beyond)
{
    *beyond = fmax((double)m->gpus - 2, least_time);
    *alpha = m->nodes > 1 ? ALPHA_N : m->gpus > 1 ? ALPHA_R : -1;
    return *alpha < 0 ? least_time + least_time * *beyond : x[*alpha] + x[*alpha + 1] * *beyond;
}

/* Sums of a root of a mean square: r², r J, J J. */
typedef struct sums {
    double square, gradient[PARAMETERS], curve[PARAMETERS][PARAMETERS];
} sums;

static void add_row(sums *s, double off, const row *r)
{
    s->square += off * off;
    for (int a = 0; a < r->count; a++) {
        s->gradient[r->which[a]] += off * r->by[a];
        for (int b = 0; b < r->count; b++)
            s->curve[r->which[a]][r->which[b]] += r->by[a] * r->by[b];
    }
}

static void add_measurement(const double x[], const orr_measurement *m, sums *gradients, sums *steps)
{
    int alpha;
    double beyond;
    const double gradient = x[ALPHA_C] + x[BETA_C] * m->local, sync = sync_of(x, m, &alpha, &beyond);
    const parts p = parts_at(gradient, sync, x[GAMMA]);
    row of_gradient = {.count = 0}, of_all = {.count = 0};
    depend(&of_gradient, ALPHA_C, 1 / gradient);
    depend(&of_gradient, BETA_C, m->local / gradient);
    depend(&of_all, ALPHA_C, p.of_gradient / gradient);
    depend(&of_all, BETA_C, p.of_gradient * m->local / gradient);
    if (alpha >= 0) {
        depend(&of_all, alpha, (1 - p.of_gradient) / sync);
        depend(&of_all, alpha + 1, (1 - p.of_gradient) * beyond / sync);
    }
    depend(&of_all, GAMMA, p.of_gamma);
    add_row(gradients, p.gradient - log(measured_gradient(m)), &of_gradient);
    add_row(steps, p.all - log(fmax(m->step, least_time)), &of_all);
}

static void add_root(const fit *f, const sums *s, place *at)
{
    const double n = (double)f->n, root = sqrt(s->square / n + f->round * f->round), by = root > 0 ? 1 / (n * root) : 0;
    at->value += root;
    for (int a = 0; a < PARAMETERS; a++) {
        at->gradient[a] += s->gradient[a] * by;
        for (int b = 0; b < PARAMETERS; b++)
            at->curve[a][b] += s->curve[a][b] * by;
    }
}

/* 0.01 (beta / alpha)². */
static void add_ratio(place *at, int alpha)
{
    const double ratio = at->x[alpha + 1] / at->x[alpha], by[2] = {-ratio / at->x[alpha], 1 / at->x[alpha]};
    at->value += 0.01 * ratio * ratio;
    for (int a = 0; a < 2; a++) {
        at->gradient[alpha + a] += 0.02 * ratio * by[a];
        for (int b = 0; b < 2; b++)
            at->curve[alpha + a][alpha + b] += 0.02 * by[a] * by[b];
    }
}

/* Fills in the rest of a place whose x is set. */
static void look(const fit *f, place *at)
{
    sums gradients = {.square = 0}, steps = {.square = 0};
    for (size_t i = 0; i < f->n; i++)
        add_measurement(at->x, &f->measured[i], &gradients, &steps);
    at->value = 0.001 * (at->x[GAMMA] - 1) * (at->x[GAMMA] - 1);
    memset(at->gradient, 0, sizeof at->gradient);
    memset(at->curve, 0, sizeof at->curve);
    at->gradient[GAMMA] = 0.002 * (at->x[GAMMA] - 1);
    at->curve[GAMMA][GAMMA] = 0.002;
    add_root(f, &gradients, at);
    add_root(f, &steps, at);
    add_ratio(at, ALPHA_N);
    add_ratio(at, ALPHA_R);
}

/* ---- steps ---- */

static int list_free(const fit *f, const place *at, int list[])
{
    int count = 0;
    for (int k = 0; k < PARAMETERS; k++) {
        const bool stuck =
            (at->x[k] <= f->lower[k] && at->gradient[k] >= 0) || (at->x[k] >= f->upper[k] && at->gradient[k] <= 0);
        if (f->lower[k] < f->upper[k] && !stuck)
            list[count++] = k;
    }
    return count;
}

/* Adds the damped step of the convex model over the listed parameters to x, within the bounds. Scaled by the
 * diagonal: the columns differ by orders of magnitude. With a diagonal of 1 + damping the matrix is positive
 * definite, whatever was rounded. */
static void step_to(const fit *f, const place *at, double damping, const int list[], int count, place *to)
{
    double matrix[PARAMETERS * PARAMETERS], step[PARAMETERS], scale[PARAMETERS];
    for (int a = 0; a < count; a++)
        scale[a] = sqrt(at->curve[list[a]][list[a]] + DBL_MIN);
    for (int a = 0; a < count; a++) {
        step[a] = -at->gradient[list[a]] / scale[a];
        for (int b = 0; b < count; b++)
            matrix[a * count + b] = a == b ? 1 + damping : at->curve[list[a]][list[b]] / scale[a] / scale[b];
    }
    gsl_matrix_view m = gsl_matrix_view_array(matrix, (size_t)count, (size_t)count);
    gsl_vector_view v = gsl_vector_view_array(step, (size_t)count);
    gsl_linalg_cholesky_decomp1(&m.matrix);
    gsl_linalg_cholesky_svx(&m.matrix, &v.vector);
    memcpy(to->x, at->x, sizeof to->x);
    for (int a = 0; a < count; a++) {
        const int k = list[a];
        to->x[k] = fmin(fmax(at->x[k] + step[a] / scale[a], f->lower[k]), f->upper[k]);
    }
}

/* Goes down from `at` until nothing is won any more. */
static void descend(const fit *f, place *at)
{
    double damping = 1e-3;
    look(f, at);
    for (int i = 0; i < ITERATIONS && damping < most_damping; i++) {
        int list[PARAMETERS];
        const int count = list_free(f, at, list);
        place to;
        if (count == 0)
            return;
        step_to(f, at, damping, list, count, &to);
        look(f, &to);
        if (!(to.value < at->value)) {
            damping *= 8;
            continue;
        }
        const bool little = at->value - to.value < enough * at->value;
        *at = to;
        damping = fmax(damping / 8, least_damping);
        if (little)
            return;
    }
}

/* ---- the fit ---- */

static void put_within(const fit *f, place *at)
{
    for (int k = 0; k < PARAMETERS; k++)
        at->x[k] = fmin(fmax(at->x[k], f->lower[k]), f->upper[k]);
}

static void begin(const fit *f, const orr_perf *from, place *at)
{
    memcpy(at->x, start, sizeof start);
    if (from) {
        const double x[PARAMETERS] = {from->alpha_c, from->beta_c, from->alpha_n, from->beta_n,
                                      from->alpha_r, from->beta_r, from->gamma};
        for (int k = 0; k < PARAMETERS; k++)
            at->x[k] = x[k] > 2 * least_time ? x[k] : start[k];
    }
    put_within(f, at);
}

/* What the measurements say at first sight: half of the gradients' time is fixed, and synchronisation takes what it
 * took, little more with more GPUs. */
static void begin_as_measured(const fit *f, place *at)
{
    double sum[PARAMETERS] = {0}, count[PARAMETERS] = {0};
    for (size_t i = 0; i < f->n; i++) {
        const orr_measurement *m = &f->measured[i];
        const int alpha = m->nodes > 1 ? ALPHA_N : ALPHA_R;
        sum[ALPHA_C] += measured_gradient(m) / 2;
        sum[BETA_C] += measured_gradient(m) / 2 / fmax(m->local, 1);
        sum[alpha] += m->gpus > 1 ? m->sync : 0;
        count[ALPHA_C]++;
        count[BETA_C]++;
        count[alpha] += m->gpus > 1;
    }
    for (int k = ALPHA_C; k < GAMMA; k++)
        at->x[k] = count[k] > 0 ? fmax(sum[k] / count[k], least_time) : start[k];
    at->x[BETA_N] = 0.01 * at->x[ALPHA_N];
    at->x[BETA_R] = 0.01 * at->x[ALPHA_R];
    at->x[GAMMA] = 2;
    put_within(f, at);
}

/* Several nodes, never seen, are a little worse than one. */
static void suppose_nodes(const fit *f, place *at)
{
    if (f->upper[ALPHA_N] > least_time)
        return;
    at->x[ALPHA_N] = fmax(at->x[ALPHA_N], 1.1 * at->x[ALPHA_R]);
    at->x[BETA_N] = fmax(at->x[BETA_N], 1.1 * at->x[BETA_R]);
}

static void fit_from(fit *f, place *at)
{
    static const double rounds[] = {1e-2, 1e-4, 1e-6};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        f->round = rounds[i];
        descend(f, at);
    }
    suppose_nodes(f, at);
    f->round = 0;
    look(f, at);
}

double orr_perf_fit(const orr_measurement *measured, size_t n, const orr_perf *from, orr_perf *out)
{
    ORR_ASSERT(n >= 1, "measurements to fit");
    fit f = {.measured = measured, .n = n};
    place at, other;
    set_bounds(&f);
    begin(&f, from, &at);
    fit_from(&f, &at);
    begin_as_measured(&f, &other);
    fit_from(&f, &other);
    if (other.value < at.value)
        at = other;
    const double *x = at.x;
    *out = (orr_perf){x[ALPHA_C], x[BETA_C], x[ALPHA_N], x[BETA_N], x[ALPHA_R], x[BETA_R], x[GAMMA]};
    return at.value;
}
