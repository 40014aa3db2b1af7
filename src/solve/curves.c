/* Optimus' curves (Peng et al., EuroSys'18, §3): linear ones by non-negative least squares. Losses by one search:
 * with b = s and a = r s the curve 1 / (a k + b) + c is u g(k) + c, g(k) = 1 / (1 + r k), u = 1 / s, so that for
 * each r the best u and c are known in closed form. r is looked for in a geometric grid, then by golden section
 * around the best.
 */
#include "base/assert.h"
#include "base/mem.h"

#include <orrery/curves.h>

#include <float.h>
#include <math.h>

/* ---- speed ---- */

size_t orr_speed_needs(orr_speed_kind kind)
{
    return kind == ORR_SPEED_SYNC ? 5 : 4;
}

/* What the parameters are multiplied by. Returns how many there are. */
static size_t speed_terms(orr_speed_kind kind, double batch, double servers, double workers, double terms[5])
{
    size_t n = 0;
    if (kind == ORR_SPEED_SYNC)
        terms[n++] = batch / workers;
    terms[n++] = 1;
    terms[n++] = workers / servers;
    terms[n++] = workers;
    terms[n++] = servers;
    return n;
}

double orr_speed_fit(orr_speed_kind kind, double batch, const orr_speed_sample *samples, size_t n, orr_speed_curve *out)
{
    ORR_ASSERT(n >= 1, "samples to fit");
    const size_t columns = orr_speed_needs(kind);
    double *terms = orr_xcalloc(n * (columns + 1), sizeof *terms), *seconds = terms + n * columns, x[5] = {0};
    for (size_t i = 0; i < n; i++) {
        const orr_speed_sample *s = &samples[i];
        double of_one[5];
        speed_terms(kind, batch, s->servers, s->workers, of_one);
        memcpy(terms + i * columns, of_one, columns * sizeof *terms);
        seconds[i] = (kind == ORR_SPEED_SYNC ? 1 : s->workers) / s->speed;
    }
    const double error = orr_nnls(terms, seconds, n, columns, x);
    free(terms);
    *out = (orr_speed_curve){kind, batch, x[0], x[1], x[2], x[3], x[4]};
    return error / sqrt((double)n);
}

double orr_speed_at(const orr_speed_curve *curve, int32_t servers, int32_t workers)
{
    const double by[5] = {curve->a, curve->b, curve->c, curve->d, curve->e};
    double terms[5], seconds = 0;
    const size_t n = speed_terms(curve->kind, curve->batch, servers, workers, terms);
    for (size_t k = 0; k < n; k++)
        seconds += by[k] * terms[k];
    return (curve->kind == ORR_SPEED_SYNC ? 1 : workers) / seconds;
}

double orr_speed_known(const orr_speed_curve *curve, const orr_speed_sample *samples, size_t n, int32_t servers,
                       int32_t workers)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (samples[i].servers != servers || samples[i].workers != workers)
            continue;
        sum += samples[i].speed;
        count++;
    }
    return count ? sum / (double)count : orr_speed_at(curve, servers, workers);
}

/* ---- losses ---- */

static const double most_r = 1e9; /* so great that b = 0 is as good */

typedef struct losses {
    const double *at; /* as they were given: < 0 is not known */
    size_t n, known;
} losses;

/* For some r: the best line through what it makes of the epochs, and its weighted square error. */
typedef struct trial {
    double r, u, c, error;
} trial;

static bool known(double loss)
{
    return loss >= 0;
}

/* An error's square counts 16 times as much in each later third of what is known. */
static double weight_of(const losses *l, size_t index)
{
    const size_t third = index / ((l->known + 2) / 3);
    return third == 0 ? 1 : third == 1 ? 16 : 256;
}

/* 1 / (1 + r k), times r where r is great: then that is 1 / k, and u isn't huge. */
static double form(double r, double k)
{
    return r > 1 ? 1 / (1 / r + k) : 1 / (1 + r * k);
}

/* Weighted means. */
typedef struct means {
    double all, g, l, gg, gl; /* sum of weights; means of g, l, g², g l */
} means;

static means means_of(const losses *l, double r)
{
    means m = {0, 0, 0, 0, 0};
    size_t index = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!known(l->at[i]))
            continue;
        const double w = weight_of(l, index++), g = form(r, (double)(i + 1));
        m.all += w;
        m.g += w * g;
        m.l += w * l->at[i];
        m.gg += w * g * g;
        m.gl += w * g * l->at[i];
    }
    return (means){m.all, m.g / m.all, m.l / m.all, m.gg / m.all, m.gl / m.all};
}

/* Of the slope: both sums around the means, which the plain ones lose to rounding. */
static double slope_of(const losses *l, double r, const means *m)
{
    double up = 0, across = 0;
    size_t index = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!known(l->at[i]))
            continue;
        const double w = weight_of(l, index++), g = form(r, (double)(i + 1)) - m->g;
        up += w * g * (l->at[i] - m->l);
        across += w * g * g;
    }
    return across > 0 ? up / across : 0;
}

static double error_of(const losses *l, const trial *t)
{
    double sum = 0;
    size_t index = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!known(l->at[i]))
            continue;
        const double off = t->u * form(t->r, (double)(i + 1)) + t->c - l->at[i];
        sum += weight_of(l, index++) * off * off;
    }
    return sum;
}

static trial try_form(const losses *l, double r)
{
    const means m = means_of(l, r);
    trial t = {.r = r, .u = fmax(slope_of(l, r, &m), 0)};
    t.c = m.l - t.u * m.g;
    if (t.c < 0) {
        t.c = 0;
        t.u = m.gl / m.gg;
    }
    t.error = error_of(l, &t);
    return t;
}

/* Golden section over log r. */
static trial narrow(const losses *l, double low, double high, trial best)
{
    const double golden = (sqrt(5) - 1) / 2;
    trial left = try_form(l, exp(high - golden * (high - low))), right = try_form(l, exp(low + golden * (high - low)));
    while (high - low > 1e-10) {
        if (left.error <= right.error) {
            high = log(right.r);
            right = left;
            left = try_form(l, exp(high - golden * (high - low)));
        } else {
            low = log(left.r);
            left = right;
            right = try_form(l, exp(low + golden * (high - low)));
        }
    }
    const trial found = left.error <= right.error ? left : right;
    return found.error < best.error ? found : best;
}

static trial search(const losses *l)
{
    enum { POINTS = 64 };
    const double low = log(1e-6 / (double)l->n), step = (log(most_r) - low) / (POINTS - 1);
    trial best = try_form(l, exp(low));
    double at = low;
    for (int i = 1; i < POINTS; i++) {
        const trial t = try_form(l, exp(low + i * step));
        if (!(t.error < best.error))
            continue;
        best = t;
        at = low + i * step;
    }
    return narrow(l, at - step, fmin(at + step, log(most_r)), best);
}

/* u g(k) + c as 1 / (a k + b) + c. Without a fall the constant is 1 / b, so that the curve is one. */
static orr_loss_curve curve_of(const trial *t)
{
    if (!(t->u > DBL_MIN))
        return (orr_loss_curve){0, 1 / fmax(t->c, DBL_MIN), 0};
    if (t->r >= most_r * (1 - 1e-6))
        return (orr_loss_curve){1 / t->u, 0, t->c};
    return t->r > 1 ? (orr_loss_curve){1 / t->u, 1 / t->r / t->u, t->c} : (orr_loss_curve){t->r / t->u, 1 / t->u, t->c};
}

bool orr_loss_fit(const double *loss, size_t n, orr_loss_curve *out)
{
    losses l = {.at = loss, .n = n, .known = 0};
    for (size_t i = 0; i < n; i++)
        l.known += known(loss[i]);
    if (l.known < 3)
        return false;
    const trial best = search(&l);
    *out = curve_of(&best);
    return true;
}

double orr_loss_at(const orr_loss_curve *curve, double epochs)
{
    return 1 / (curve->a * epochs + curve->b) + curve->c;
}

/* ---- the end of training ---- */

static bool still_falls(const orr_loss_curve *curve, const orr_loss_rule *rule, double least, int32_t epoch)
{
    return orr_loss_at(curve, (double)epoch - rule->over) - orr_loss_at(curve, epoch) >= least;
}

/* The first epoch at which it has stopped to fall, at most rule->most: falls become less and less. */
static int32_t first_flat(const orr_loss_curve *curve, const orr_loss_rule *rule, double least)
{
    int32_t low = rule->over, high = rule->most;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (still_falls(curve, rule, least, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t orr_loss_end(const double *loss, size_t n, const orr_loss_rule *rule)
{
    orr_loss_curve curve;
    double greatest = 0;
    for (size_t i = 0; i < n; i++)
        greatest = fmax(greatest, loss[i]);
    int64_t end = 0;
    if (orr_loss_fit(loss, n, &curve))
        end = first_flat(&curve, rule, rule->drop * greatest);
    if (end <= (int64_t)n)
        end = (int64_t)n + (rule->more > 1 ? rule->more : 1);
    return (int32_t)(end < rule->most ? end : rule->most);
}
