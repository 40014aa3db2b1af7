/* clipper: the batch limit of each replica adapts to what its batches took, by one of three rules, and a batch that isn't
 * full may be waited for.
 *
 * Source: Crankshaw et al., "Clipper: a low-latency online prediction serving system", NSDI 2017, §4.3; the rule `released`
 * follows its public code (ucbrise/clipper, containers.cpp and task_executor.hpp).
 *   aimd      up by a step after a batch in time, down to a part of itself after a late one. `aimd` is this alone.
 *   quantile  the 99th percentile of times is a line in the batch (quantile regression over the last batches); the limit
 *             is the largest batch that it says is in time.
 *   released  what is left until the head's deadline, less a margin, is the budget. Above all times seen one explores
 *             larger batches; else a ridge regression of batch on time (an upper bound per size) says how many fit.
 * Assumed: of two sizes not yet measured the quantile rule tries twice the larger; ridge weight 0.1; all by replica.
 */
#include <orrery/serve.h>

#include <math.h>

enum { RULE_AIMD, RULE_QUANTILE, RULE_RELEASED };
enum { SAMPLES = 24, SIZES = 24, EVERY = 8 };

struct knobs {
    int32_t rule;
    int64_t add;
    double back_off, quantile, margin;
    orr_time delay;
};

static const orr_knob knobs[] = {
    {"rule", ORR_KNOB_CHOICE, offsetof(struct knobs, rule), "aimd", "aimd|quantile|released", "how the limit adapts"},
    {"add", ORR_KNOB_INT, offsetof(struct knobs, add), "1", "1..1024", "aimd: gained by a batch in time"},
    {"back_off", ORR_KNOB_NUMBER, offsetof(struct knobs, back_off), "0.9", "0.1..1", "kept of the limit after a late batch"},
    {"quantile", ORR_KNOB_NUMBER, offsetof(struct knobs, quantile), "0.99", "0.5..1", "quantile: of the times"},
    {"margin", ORR_KNOB_NUMBER, offsetof(struct knobs, margin), "0.92", "0.01..1", "released: part of the time left"},
    {"delay", ORR_KNOB_TIME, offsetof(struct knobs, delay), "0", "0..inf", "how long the oldest waits for a full batch"},
    {0},
};

static const orr_preset presets[] = {
    {"aimd", "rule=aimd", "additive increase, multiplicative decrease"},
    {"quantile", "rule=quantile", "quantile regression of the 99th percentile"},
    {"released", "rule=released", "as in the released code: deadlines and estimates"},
    {0},
};

struct size_seen {
    int32_t batch, n;
    double mean, squares; /* of its times, seconds: running mean, sum of squared distances */
};

struct mine {
    int32_t extra;   /* limit - 1, so that zeroed memory is a valid start */
    int32_t largest; /* batch that ran */
    double longest;  /* seconds */
    bool fitted;     /* quantile: a line was found once */
    uint32_t count;
    int32_t batch[SAMPLES]; /* the last ones */
    double seconds[SAMPLES];
    struct size_seen sizes[SIZES];
};

static int32_t at_least_one(double batch)
{
    return batch < 1 ? 1 : batch > 1e6 ? 1000000 : (int32_t)batch;
}

/* ---- quantile regression ---- */

static double loss(const struct mine *m, int32_t n, double tau, double a, double b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) {
        const double above = m->seconds[i] - (a + b * m->batch[i]);
        sum += above > 0 ? tau * above : (tau - 1) * above;
    }
    return sum;
}

/* A best line goes through two samples, so that all such lines are looked at: O(SAMPLES^3), after every eighth batch.
 * False: no two sizes are known. */
static bool fit_line(const struct mine *m, int32_t n, double tau, double *a, double *b)
{
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = i + 1; j < n; j++) {
            if (m->batch[i] == m->batch[j])
                continue;
            const double slope = (m->seconds[j] - m->seconds[i]) / (m->batch[j] - m->batch[i]);
            const double base = m->seconds[i] - slope * m->batch[i], l = loss(m, n, tau, base, slope);
            if (slope >= 0 && l < least) {
                least = l;
                *a = base;
                *b = slope;
            }
        }
    }
    return least < INFINITY;
}

/* Never more than twice what was measured. Where all of the last batches were of one size, they say nothing of others:
 * the limit stays, or backs off from one that was late. */
static void adapt_quantile(const struct knobs *k, struct mine *m, const orr_batch_run *batch)
{
    const int32_t n = m->count < SAMPLES ? (int32_t)m->count : SAMPLES;
    double a = 0, b = 0, limit = m->fitted ? 1 + m->extra : 2.0 * m->largest;
    const bool full = batch->size > m->extra;
    if (n > 2 && m->count % EVERY != 0 && !full)
        return;
    if (fit_line(m, n, k->quantile, &a, &b) && b > 0) {
        limit = fmin(2.0 * m->largest, ((double)batch->slo * 1e-9 - a) / b * (1 + 1e-12));
        m->fitted = true;
    } else if (batch->exec > batch->slo) {
        limit = k->back_off * (1 + m->extra);
    }
    m->extra = at_least_one(floor(limit)) - 1;
}

/* ---- the released rule ---- */

static void see_size(struct mine *m, int32_t batch, double seconds)
{
    struct size_seen *s = NULL, *rarest = &m->sizes[0];
    for (int32_t i = 0; i < SIZES && !s; i++) {
        if (m->sizes[i].batch == batch || m->sizes[i].n == 0)
            s = &m->sizes[i];
        else if (m->sizes[i].n < rarest->n)
            rarest = &m->sizes[i];
    }
    if (!s) {
        s = rarest;
        *s = (struct size_seen){0};
    }
    const double off = seconds - s->mean;
    s->batch = batch;
    s->n++;
    s->mean += off / s->n;
    s->squares += off * (seconds - s->mean);
}

static int32_t times_seen(const struct mine *m, int32_t batch)
{
    for (int32_t i = 0; i < SIZES; i++)
        if (m->sizes[i].batch == batch)
            return m->sizes[i].n;
    return 0;
}

/* Batch regressed on an upper bound of its time: mean and three pooled deviations. */
static int32_t estimate(const struct mine *m, double budget)
{
    double squares = 0, freedom = 0, n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int32_t i = 0; i < SIZES; i++) {
        squares += m->sizes[i].squares;
        freedom += m->sizes[i].n > 1 ? m->sizes[i].n - 1 : 0;
        n += m->sizes[i].n > 0;
    }
    const double bound = freedom > 0 ? 3 * sqrt(squares / freedom) : 0;
    for (int32_t i = 0; i < SIZES && n > 0; i++) {
        if (m->sizes[i].n > 0) {
            x += (m->sizes[i].mean + bound) * 1e3 / n;
            y += m->sizes[i].batch / n;
        }
    }
    for (int32_t i = 0; i < SIZES; i++) {
        const double off = (m->sizes[i].mean + bound) * 1e3 - x;
        if (m->sizes[i].n > 0) {
            xx += off * off;
            xy += off * (m->sizes[i].batch - y);
        }
    }
    return at_least_one(fmin(y + xy / (xx + 0.1) * (budget * 1e3 - x), m->largest));
}

/* Roughly normal: of twelve uniform numbers, which needs no table. */
static double normal(orr_ctx *ctx)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += orr_random(ctx);
    return sum;
}

static int32_t explore(orr_ctx *ctx, const struct mine *m)
{
    if (m->largest < 10)
        return times_seen(m, m->largest) >= 5 || m->largest == 0 ? m->largest + 1 : m->largest;
    return at_least_one(m->largest * (1 + fmax(0, 0.1 + 0.05 * normal(ctx))));
}

static int32_t by_deadline(orr_ctx *ctx, const struct knobs *k, const struct mine *m, const orr_form *f)
{
    const double budget = k->margin * (double)(f->head->deadline - orr_serve_now(ctx)) * 1e-9;
    return budget > m->longest ? explore(ctx, m) : estimate(m, budget);
}

/* ---- seats ---- */

/* Heads whose time is over. */
static int32_t over(orr_ctx *ctx, const orr_form *f)
{
    int32_t n = 0;
    while (n < f->waiting && orr_dest_at(ctx, orr_form_dest(f), n)->deadline < orr_serve_now(ctx))
        n++;
    return n;
}

static void form(orr_ctx *ctx, orr_exec_id exec, orr_form *f)
{
    const struct knobs *k = orr_knobs(ctx);
    const struct mine *m = orr_replica_priv(ctx, f->replica);
    const int32_t most = orr_variant_of(ctx, f->variant)->max_batch;
    (void)exec;
    if (k->rule == RULE_RELEASED && (f->drop = over(ctx, f)) > 0) {
        f->take = 0; /* they go first; then this is asked anew */
        return;
    }
    int32_t limit = k->rule == RULE_RELEASED ? by_deadline(ctx, k, m, f) : 1 + m->extra;
    limit = limit < most ? limit : most;
    const orr_time until = orr_time_add(f->head->arrival, k->delay);
    if (f->take > limit)
        f->take = limit;
    if (f->waiting < limit && f->take == f->waiting && orr_serve_now(ctx) < until)
        orr_form_wait(ctx, f, limit, until);
}

static void on_done(orr_ctx *ctx, const orr_batch_run *b)
{
    const struct knobs *k = orr_knobs(ctx);
    struct mine *m = orr_replica_priv(ctx, b->replica);
    const double seconds = (double)b->exec * 1e-9;
    m->largest = b->size > m->largest ? b->size : m->largest;
    m->longest = fmax(m->longest, seconds);
    m->batch[m->count % SAMPLES] = b->size;
    m->seconds[m->count % SAMPLES] = seconds;
    m->count++;
    if (k->rule == RULE_QUANTILE)
        adapt_quantile(k, m, b);
    else if (k->rule == RULE_RELEASED)
        see_size(m, b->size, seconds);
    else if (b->exec > b->slo)
        m->extra = at_least_one(k->back_off * (1 + m->extra)) - 1;
    else if (b->size > m->extra)
        m->extra += (int32_t)k->add;
}

ORR_BATCHER(clipper) = {
    .summary = "batches as large as the SLO lets them be, learnt from batches",
    .cite = "Crankshaw et al., Clipper, NSDI 2017, section 4.3; code ucbrise/clipper",
    .deviations = "released: requests in order of arrival, which with one SLO is that of deadlines; an exploratory batch that isn't "
                  "full is run as it is instead of being padded with copies; the last 24 sizes. Only full batches say that larger "
                  "ones could be tried. Selection and cache are modules of their own (exp3, exp4, lru)",
    .know = {[ORR_SQ_EXEC] = ORR_KNOW_OBSERVED},
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .replica_priv = sizeof(struct mine),
    .form = form,
    .on_done = on_done,
};
