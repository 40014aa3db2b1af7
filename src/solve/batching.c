/* How large a batch may be. On a line the answers are closed forms, put right where rounding moved them by one; in a
 * table the measured sizes are gone through. */
#include <orrery/batching.h>

#include "base/mem.h"
#include "base/stat.h"
#include "solve/limits.h"

/* ---- how long a batch takes ---- */

static int32_t size_of(const orr_batch_times *t, int32_t i)
{
    return t->size ? t->size[i] : i + 1;
}

int32_t orr_batch_most(const orr_batch_times *t)
{
    return t->n ? size_of(t, t->n - 1) : t->most;
}

/* The first measured size that holds it. */
static int32_t place_of(const orr_batch_times *t, int32_t batch)
{
    int32_t low = 0, high = t->n;
    while (low < high) {
        const int32_t mid = low + (high - low) / 2;
        if (size_of(t, mid) < batch)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

double orr_batch_seconds(const orr_batch_times *t, int32_t batch)
{
    if (batch > orr_batch_most(t))
        return INFINITY;
    return t->n ? t->seconds[place_of(t, batch)] : t->alpha + t->beta * batch;
}

double orr_batch_rate(const orr_batch_times *t, int32_t batch)
{
    return batch / orr_batch_seconds(t, batch);
}

/* ---- limits ---- */

/* The largest batch of a line with (alpha + beta b) + (b - first) * gap <= budget, 0: none. Both parts grow with b. */
static int32_t line_within(const orr_batch_times *t, double budget, double gap, int32_t first)
{
    const double each = t->beta + gap, room = fmax(budget - t->alpha + first * gap, 0);
    int32_t b = each * t->most <= room ? t->most : orr_round_down(room / each);
    b = b < t->most ? b : t->most;
    while (b > 0 && !orr_fits(t->alpha + t->beta * b + (b - first) * gap, budget))
        b = each > 0 ? b - 1 : 0;
    return b;
}

int32_t orr_batch_within(const orr_batch_times *t, double budget)
{
    if (budget < 0)
        return 0;
    if (!t->n)
        return line_within(t, budget, 0, 0);
    for (int32_t i = t->n - 1; i >= 0; i--)
        if (orr_fits(t->seconds[i], budget))
            return size_of(t, i);
    return 0;
}

int32_t orr_batch_fastest(const orr_batch_times *t, double budget)
{
    if (!t->n)
        return orr_batch_within(t, budget);
    int32_t best = 0;
    double most = 0;
    for (int32_t i = 0; i < t->n; i++) {
        const double rate = size_of(t, i) / t->seconds[i];
        if (orr_fits(t->seconds[i], budget) && rate >= most) {
            most = rate;
            best = size_of(t, i);
        }
    }
    return best;
}

/* Of the sizes up to the i-th measured one that cost as much as this one: the largest whose first request can wait. */
static int32_t filled_up_to(const orr_batch_times *t, int32_t i, double rate, double budget)
{
    const double spare = budget - t->seconds[i];
    const int32_t waits = orr_round_down(fmax(spare, 0) * rate), size = size_of(t, i);
    return waits < size ? waits + 1 : size;
}

int32_t orr_batch_filled(const orr_batch_times *t, double rate, double budget)
{
    if (budget < 0)
        return 0;
    if (!t->n && rate <= 0)
        return orr_fits(orr_batch_seconds(t, 1), budget);
    if (!t->n)
        return line_within(t, budget, 1 / rate, 1);
    for (int32_t i = t->n - 1; i >= 0; i--) {
        const int32_t below = i ? size_of(t, i - 1) : 0, batch = filled_up_to(t, i, rate, budget);
        if (orr_fits(t->seconds[i], budget) && batch > below)
            return batch;
    }
    return 0;
}

double orr_batch_patience(const orr_batch_times *t, int32_t batch, double budget)
{
    return fmax(budget - orr_batch_seconds(t, batch), 0);
}

/* ---- which requests go ---- */

/* The largest full one within the budget; all of them where they are fewer than the smallest measured size. */
static int32_t full_batch(const orr_batch_times *t, int32_t waiting, double budget)
{
    if (!t->n) {
        const int32_t most = orr_batch_within(t, budget);
        return waiting < most ? waiting : most;
    }
    for (int32_t i = t->n - 1; i >= 0; i--)
        if (size_of(t, i) <= waiting && orr_fits(t->seconds[i], budget))
            return size_of(t, i);
    return waiting < size_of(t, 0) ? waiting : 0;
}

orr_batch_choice orr_batch_choose(const orr_batch_times *t, const double *left, size_t n, double buffer)
{
    orr_batch_choice choice = {0};
    const double alone = orr_batch_seconds(t, 1);
    while (choice.dropped < n && !orr_fits(alone, left[choice.dropped] - buffer))
        choice.dropped++;
    choice.left = n - choice.dropped;
    if (!choice.left)
        return choice;
    const int32_t waiting = choice.left < INT32_MAX ? (int32_t)choice.left : INT32_MAX;
    choice.batch = full_batch(t, waiting, left[choice.dropped] - buffer);
    choice.seconds = choice.batch ? orr_batch_seconds(t, choice.batch) : 0;
    return choice;
}

double orr_floor_quantile(const double *values, size_t n, double q)
{
    if (!n)
        return 0;
    double *sorted = orr_xmalloc(n * sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    orr_sort_doubles(sorted, n);
    const size_t i = (size_t)(q * (double)n);
    const double value = sorted[i < n ? i : n - 1];
    free(sorted);
    return value;
}

/* ---- batches that adapt ---- */

static bool late(const orr_batch_times *t, const orr_aimd *rule, int32_t limit)
{
    return !orr_fits(orr_batch_seconds(t, limit), rule->slo);
}

static int32_t next_limit(const orr_batch_times *t, const orr_aimd *rule, int32_t limit)
{
    if (late(t, rule, limit)) {
        const int32_t less = (int32_t)(rule->back_off * limit);
        return less > 1 ? less : 1;
    }
    const int32_t most = orr_batch_most(t);
    return limit < most - rule->add ? limit + rule->add : most;
}

/* The cycle's length, by Brent's method: a mark is moved up to where the other one is after 1, 2, 4, ... steps. */
static int64_t length_of(const orr_batch_times *t, const orr_aimd *rule, int32_t start)
{
    int64_t length = 1, power = 1;
    int32_t mark = start;
    for (int32_t at = next_limit(t, rule, start); at != mark; at = next_limit(t, rule, at), length++)
        if (length == power) {
            mark = at;
            power *= 2;
            length = 0;
        }
    return length;
}

/* The first limit that comes up again: two of them, one cycle apart, meet there. */
static int32_t first_of_cycle(const orr_batch_times *t, const orr_aimd *rule, int32_t start, int64_t length)
{
    int32_t ahead = start, behind = start;
    for (int64_t i = 0; i < length; i++)
        ahead = next_limit(t, rule, ahead);
    for (; ahead != behind; ahead = next_limit(t, rule, ahead))
        behind = next_limit(t, rule, behind);
    return behind;
}

static int64_t batches_in_time(const orr_batch_times *t, const orr_aimd *rule, int32_t start, int64_t most)
{
    int64_t n = 0;
    for (int32_t at = start; n < most && !late(t, rule, at); at = next_limit(t, rule, at))
        n++;
    return n;
}

orr_aimd_cycle orr_aimd_cycle_of(const orr_batch_times *t, const orr_aimd *rule, int32_t *cycle, size_t cap)
{
    const int32_t start = rule->start < orr_batch_most(t) ? rule->start : orr_batch_most(t);
    orr_aimd_cycle c = {.length = length_of(t, rule, start), .least = INT32_MAX};
    int32_t at = first_of_cycle(t, rule, start, c.length);
    double sum = 0, seconds = 0, lates = 0;
    for (int64_t i = 0; i < c.length; i++, at = next_limit(t, rule, at)) {
        if (cycle && (size_t)i < cap)
            cycle[i] = at;
        c.least = at < c.least ? at : c.least;
        c.most = at > c.most ? at : c.most;
        sum += at;
        seconds += orr_batch_seconds(t, at);
        lates += late(t, rule, at);
    }
    c.mean = sum / (double)c.length;
    c.late = lates / (double)c.length;
    c.rate = sum / seconds;
    if (lates > 0)
        c.before = 1 + batches_in_time(t, rule, start, INT64_MAX);
    return c;
}

void orr_aimd_fluid(const orr_batch_times *line, const orr_aimd *rule, double *limit, double *mean, double *length)
{
    *limit = (rule->slo - line->alpha) / line->beta;
    *mean = (1 + rule->back_off) / 2 * *limit;
    *length = (1 - rule->back_off) * *limit / rule->add + 1;
}
