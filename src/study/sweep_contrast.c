/* Comparisons over repeats: each number of the tables, before it is formatted. */
#include "study/sweep_report.h"

#include "base/mem.h"
#include "base/stat.h"
#include "study/numbers.h"
#include <math.h>

bool orr_sweep_next(const orr_sweep_plan *plan, const bool fixed[ORR_SWEEP_AXES], uint32_t at[ORR_SWEEP_AXES])
{
    for (size_t i = plan->axes.n; i-- > 0;) {
        if (fixed[i])
            continue;
        if (++at[i] < plan->axes.at[i].values.n)
            return true;
        at[i] = 0;
    }
    return false;
}

static size_t repeats_of(const orr_sweep_plan *plan)
{
    return plan->repeats < plan->axes.n ? plan->axes.at[plan->repeats].values.n : 1;
}

/* Cells of a configuration, and whether any of them is biased. */
static void look(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t *at, orr_sweep_contrast *out)
{
    uint32_t here[ORR_SWEEP_AXES];
    memcpy(here, at, sizeof here);
    for (size_t i = 0; i < repeats_of(plan); i++) {
        if (plan->repeats < plan->axes.n)
            here[plan->repeats] = (uint32_t)i;
        const size_t cell = orr_sweep_find(plan, here);
        out->repeats += cell > 0;
        out->biased |= cell > 0 && r->states[cell - 1].biased && !r->states[cell - 1].code;
    }
}

/* ---- against the baseline ---- */

static bool is_baseline(const orr_sweep_plan *plan, const uint32_t *at)
{
    for (size_t i = 0; i < plan->axes.n; i++)
        if (plan->compared[i] && at[i] != plan->baseline[i])
            return false;
    return true;
}

/* v[i] - w[i] where both are numbers, into `out`; w's mean over these. */
static size_t pair(const double *v, double *w, size_t n, double *out, double *mean)
{
    size_t pairs = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(v[i]) || isnan(w[i]))
            continue;
        out[pairs] = v[i] - w[i];
        w[pairs++] = w[i];
    }
    *mean = orr_mean(w, pairs);
    return pairs;
}

static void contrast(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t *at, size_t metric,
                     orr_bootstrap *bootstrap, orr_sweep_contrast *out)
{
    const size_t n = repeats_of(plan);
    uint32_t base[ORR_SWEEP_AXES];
    double *theirs = orr_xmalloc((n + 1) * sizeof *theirs);
    memcpy(base, at, sizeof base);
    for (size_t i = 0; i < plan->axes.n; i++)
        if (plan->compared[i])
            base[i] = plan->baseline[i];
    orr_sweep_repeats(plan, r, base, metric, theirs);
    const size_t pairs = pair(out->values, theirs, n, out->differences, &out->base);
    out->paired = true;
    out->difference = orr_sample_of(out->differences, pairs);
    out->signs = orr_signs_of(out->differences, pairs);
    if (bootstrap)
        orr_bootstrap_mean(bootstrap, out->differences, pairs, &out->boot_low, &out->boot_high);
    free(theirs);
}

void orr_sweep_contrast_make(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t at[ORR_SWEEP_AXES],
                             size_t metric, orr_bootstrap *bootstrap, orr_sweep_contrast *out)
{
    const size_t n = repeats_of(plan);
    *out = (orr_sweep_contrast){.base = NAN, .boot_low = NAN, .boot_high = NAN};
    out->values = orr_xcalloc(n + 1, sizeof *out->values);
    out->differences = orr_xcalloc(n + 1, sizeof *out->differences);
    look(plan, r, at, out);
    orr_sweep_repeats(plan, r, at, metric, out->values);
    if (plan->has_baseline && !is_baseline(plan, at))
        contrast(plan, r, at, metric, bootstrap, out);
    out->sample = orr_sample_of(out->values, orr_sweep_defined(out->values, n));
}

void orr_sweep_contrast_fini(orr_sweep_contrast *c)
{
    free(c->values);
    free(c->differences);
    *c = (orr_sweep_contrast){0};
}

/* ---- who wins ---- */

typedef struct candidate {
    uint32_t at[ORR_SWEEP_AXES];
    size_t n;
    double mean;
} candidate;

typedef ORR_VEC(candidate) candidates;

static void gather(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t *point, size_t metric,
                   double *scratch, candidates *all)
{
    bool fixed[ORR_SWEEP_AXES];
    candidate c = {0};
    memcpy(c.at, point, sizeof c.at);
    for (size_t i = 0; i < plan->axes.n; i++) {
        fixed[i] = !plan->compared[i];
        if (plan->compared[i])
            c.at[i] = 0;
    }
    do {
        const size_t n = orr_sweep_repeats(plan, r, c.at, metric, scratch);
        c.n = orr_sweep_defined(scratch, n);
        c.mean = orr_mean(scratch, c.n);
        if (c.n)
            ORR_VEC_PUSH(all, c);
    } while (orr_sweep_next(plan, fixed, c.at));
}

/* Those who miss a repeat that another has don't compete. */
static void keep_complete(candidates *all)
{
    size_t most = 0, kept = 0;
    for (size_t i = 0; i < all->n; i++)
        most = all->at[i].n > most ? all->at[i].n : most;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].n == most)
            all->at[kept++] = all->at[i];
    all->n = kept;
}

/* The best but for `other`, the first of equals; all->n: there is none. */
static size_t best_of(const candidates *all, orr_direction better, size_t other)
{
    size_t best = all->n;
    for (size_t i = 0; i < all->n; i++) {
        if (i == other)
            continue;
        const double gain = best == all->n ? 1 : all->at[best].mean - all->at[i].mean;
        if (better == ORR_BETTER_LOWER || best == all->n ? gain > 0 : gain < 0)
            best = i;
    }
    return best;
}

static bool differ_clearly(const orr_sweep_plan *plan, const orr_sweep_results *r, const candidate *a,
                           const candidate *b, size_t metric)
{
    const size_t n = repeats_of(plan);
    double *v = orr_xmalloc((n + 1) * sizeof *v), *w = orr_xmalloc((n + 1) * sizeof *w), mean;
    orr_sweep_repeats(plan, r, a->at, metric, v);
    orr_sweep_repeats(plan, r, b->at, metric, w);
    double *differences = orr_xmalloc((n + 1) * sizeof *differences);
    const orr_sample s = orr_sample_of(differences, pair(v, w, n, differences, &mean));
    free(differences);
    free(v);
    free(w);
    return s.low > 0 || s.high < 0;
}

static void decide(const orr_sweep_plan *plan, const orr_sweep_results *r, const candidates *all, size_t metric,
                   orr_direction better, orr_sweep_winner *out)
{
    const size_t first = best_of(all, better, all->n), second = best_of(all, better, first);
    const candidate *a = &all->at[first];
    memcpy(out->best, a->at, sizeof out->best);
    out->candidates = all->n;
    out->mean = a->mean;
    if (second == all->n)
        return;
    const candidate *b = &all->at[second];
    memcpy(out->second, b->at, sizeof out->second);
    out->tie = a->mean == b->mean;
    out->clear = !out->tie && differ_clearly(plan, r, a, b, metric);
    out->gap = fabs(b->mean - a->mean);
    out->behind = a->mean != 0 ? out->gap / fabs(a->mean) : NAN;
}

void orr_sweep_winner_find(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t point[ORR_SWEEP_AXES],
                           size_t metric, orr_sweep_winner *out)
{
    const orr_direction better = plan->metrics.at[metric].better;
    candidates all = {0};
    double *scratch = orr_xmalloc((repeats_of(plan) + 1) * sizeof *scratch);
    *out = (orr_sweep_winner){.mean = NAN, .gap = NAN, .behind = NAN};
    if (better != ORR_BETTER_TARGET) {
        gather(plan, r, point, metric, scratch, &all);
        keep_complete(&all);
        if (all.n)
            decide(plan, r, &all, metric, better, out);
    }
    free(scratch);
    ORR_VEC_FREE(&all);
}
