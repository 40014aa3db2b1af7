/* Rounds by shares under `sim`: which of many optima. The reference's solver comes to it from the inside, and stays as
 * far from all limits as the optimum lets it; the programs of orrery/shares.h end in a corner. What follows from that
 * is made up for here:
 *
 *   centre   the shares whose distances from all limits have the greatest product (the analytic centre), by Newton's method
 *   traces   what should be 0 is left at a trace, the less of it the more the sum would lose by it; what nobody has a share of goes
 *            in that order
 */
#include "base/mem.h"
#include "sched/share_rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TRACE = 1e-10; /* of a share: too little to be one */

void orr_share_leave_traces(const orr_share_problem *p, const double *gain, const double *loss, double *x)
{
    const int32_t cells = p->jobs * p->types;
    double most = 0;
    for (int32_t i = 0; i < cells; i++)
        most = fmax(most, gain[i]);
    for (int32_t i = 0; i < cells; i++)
        if (x[i] <= 0 && isfinite(loss[i]))
            x[i] = TRACE / fmax(loss[i] / most, 1e-3);
}

/* ---- centre ------------------------------------------------------------------------------------------------------ */

enum { STEPS = 100 };

/* Newton's method on the sum of logarithms of all distances. Its matrix has a small block for each job, and types tie
 * these: two small systems a step, O(jobs types^3). */
typedef struct centre {
    const orr_share_problem *p;
    const double *least;
    int32_t types;    /* with any GPUs */
    int32_t *type;    /* which those are */
    double *x, *next; /* [jobs][types] */
    double *step;     /* [jobs][types] */
    double *tied;     /* [jobs][types][types]: each block's answer to one more GPU of a type */
    double *block, *gradient, *sums, *wanted; /* of a job, or of the types */
} centre;

static double speed_at(const centre *c, int32_t job, int32_t k)
{
    return c->p->speed[(size_t)job * (size_t)c->p->types + (size_t)c->type[k]];
}

static double time_left(const centre *c, const double *x)
{
    double left = 1;
    for (int32_t k = 0; k < c->types; k++)
        left -= x[k];
    return left;
}

static double speed_left(const centre *c, int32_t job, const double *x)
{
    double left = -c->least[job];
    for (int32_t k = 0; k < c->types; k++)
        left += speed_at(c, job, k) * x[k];
    return left;
}

static double gpus_left(const centre *c, const double *x, int32_t k)
{
    double left = c->p->capacity[c->type[k]];
    for (int32_t j = 0; j < c->p->jobs; j++)
        left -= c->p->gpus[j] * x[j * c->types + k];
    return left;
}

/* -INFINITY: outside. */
static double height(const centre *c, const double *x)
{
    double sum = 0;
    for (int32_t j = 0; j < c->p->jobs; j++) {
        const double *row = &x[j * c->types], time = time_left(c, row), speed = c->least[j] > 0 ? speed_left(c, j, row) : 1;
        for (int32_t k = 0; k < c->types; k++)
            if (row[k] <= 0)
                return -INFINITY;
            else
                sum += log(row[k]);
        if (time <= 0 || speed <= 0)
            return -INFINITY;
        sum += log(time) + (c->least[j] > 0 ? log(speed / c->least[j]) : 0);
    }
    for (int32_t k = 0; k < c->types; k++) {
        const double gpus = gpus_left(c, x, k);
        if (gpus <= 0)
            return -INFINITY;
        sum += log(gpus);
    }
    return sum;
}

/* Solves a v = b for n columns of b in place; a is symmetric and positive, and is used up (Cholesky). */
static void solve_small(double *a, int32_t size, double *b, int32_t n)
{
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j <= i; j++) {
            double sum = a[i * size + j];
            for (int32_t k = 0; k < j; k++)
                sum -= a[i * size + k] * a[j * size + k];
            a[i * size + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / a[j * size + j];
        }
    for (int32_t v = 0; v < n; v++, b += size) {
        for (int32_t i = 0; i < size; i++) {
            for (int32_t k = 0; k < i; k++)
                b[i] -= a[i * size + k] * b[k];
            b[i] /= a[i * size + i];
        }
        for (int32_t i = size - 1; i >= 0; i--) {
            for (int32_t k = i + 1; k < size; k++)
                b[i] -= a[k * size + i] * b[k];
            b[i] /= a[i * size + i];
        }
    }
}

/* The block of a job; its answers to its own gradient and to each type. */
static void answer_job(const centre *c, int32_t j, const double *left)
{
    const int32_t n = c->types;
    const double *x = &c->x[j * n], time = 1 / time_left(c, x), speed = c->least[j] > 0 ? 1 / speed_left(c, j, x) : 0;
    double *step = &c->step[j * n], *tied = &c->tied[j * n * n];
    memset(tied, 0, (size_t)n * (size_t)n * sizeof *tied);
    for (int32_t k = 0; k < n; k++) {
        const double mine = speed_at(c, j, k) * speed;
        step[k] = 1 / x[k] - time + mine - c->p->gpus[j] / left[k];
        tied[k * n + k] = c->p->gpus[j];
        for (int32_t i = 0; i < n; i++)
            c->block[k * n + i] = (i == k ? 1 / (x[k] * x[k]) : 0) + time * time + mine * speed_at(c, j, i) * speed;
    }
    memcpy(c->gradient + j * n, step, (size_t)n * sizeof *step);
    double *copy = c->block + n * n;
    memcpy(copy, c->block, (size_t)n * (size_t)n * sizeof *copy);
    solve_small(c->block, n, step, 1);
    solve_small(copy, n, tied, n);
}

/* The step; returns what it gains at first. */
static double find_step(const centre *c, double *left)
{
    const int32_t n = c->types, jobs = c->p->jobs;
    double slope = 0;
    for (int32_t k = 0; k < n; k++) {
        left[k] = gpus_left(c, c->x, k);
        c->wanted[k] = 0;
        for (int32_t i = 0; i < n; i++)
            c->sums[k * n + i] = i == k ? left[k] * left[k] : 0;
    }
    for (int32_t j = 0; j < jobs; j++) {
        answer_job(c, j, left);
        for (int32_t k = 0; k < n; k++) {
            c->wanted[k] += c->p->gpus[j] * c->step[j * n + k];
            for (int32_t i = 0; i < n; i++)
                c->sums[k * n + i] += c->p->gpus[j] * c->tied[(j * n + i) * n + k];
        }
    }
    solve_small(c->sums, n, c->wanted, 1);
    for (int32_t j = 0; j < jobs; j++)
        for (int32_t k = 0; k < n; k++) {
            for (int32_t i = 0; i < n; i++)
                c->step[j * n + k] -= c->wanted[i] * c->tied[(j * n + i) * n + k];
            slope += c->step[j * n + k] * c->gradient[j * n + k];
        }
    return slope;
}

/* As far as it still rises, halving. False: it is there. */
static bool go(const centre *c, double *left)
{
    const int32_t cells = c->p->jobs * c->types;
    const double slope = find_step(c, left), here = height(c, c->x);
    double part = 1;
    for (int tries = 0; slope > 1e-12 && tries < 60; tries++, part /= 2) {
        for (int32_t i = 0; i < cells; i++)
            c->next[i] = c->x[i] + part * c->step[i];
        if (height(c, c->next) > here + 0.1 * part * slope) {
            memcpy(c->x, c->next, (size_t)cells * sizeof *c->x);
            return true;
        }
    }
    return false;
}

/* Between what reaches the least with something to spare, and an even share. */
static void begin(const centre *c, const double *x)
{
    const orr_share_problem *p = c->p;
    double spare = 1;
    for (int32_t j = 0; j < p->jobs; j++)
        if (c->least[j] > 0)
            spare = fmin(spare, 1 - c->least[j] / orr_shares_speed(p, x, j));
    spare = fmax(spare / 2, 0);
    for (int32_t j = 0; j < p->jobs; j++)
        for (int32_t k = 0; k < c->types; k++) {
            const double even = fmin(p->capacity[c->type[k]] / p->gpus[j] / p->jobs, 1.0 / c->types) / 2;
            c->x[j * c->types + k] = (1 - spare) * x[j * p->types + c->type[k]] + spare * even;
        }
}

static centre make(const orr_share_problem *p, const double *least)
{
    centre c = {.p = p, .least = least, .type = orr_xcalloc((size_t)p->types + 1, sizeof *c.type)};
    for (int32_t k = 0; k < p->types; k++)
        if (p->capacity[k] > 0)
            c.type[c.types++] = k;
    const size_t n = (size_t)c.types, cells = (size_t)p->jobs * n;
    c.x = orr_xcalloc(4 * cells + cells * n + 3 * n * n + 2 * n + 1, sizeof *c.x);
    c.next = c.x + cells;
    c.step = c.next + cells;
    c.gradient = c.step + cells;
    c.tied = c.gradient + cells;
    c.block = c.tied + cells * n;
    c.sums = c.block + 2 * n * n;
    c.wanted = c.sums + n * n;
    return c;
}

void orr_share_centre(const orr_share_problem *p, const double *least, double *x)
{
    centre c = make(p, least);
    begin(&c, x);
    double *left = c.wanted + c.types;
    if (isfinite(height(&c, c.x))) {
        for (int i = 0; i < STEPS && go(&c, left); i++) {
        }
        for (int32_t j = 0; j < p->jobs; j++)
            for (int32_t k = 0; k < c.types; k++)
                x[j * p->types + c.type[k]] = c.x[j * c.types + k];
    }
    free(c.type);
    free(c.x);
}
