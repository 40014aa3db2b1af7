/* Nexus' "squishy bin packing" (Shen et al., SOSP'19, §6.1): sessions that fill GPUs get them whole, what is left
 * over shares GPUs in duty cycles, best fit by descending occupancy. Putting a session on a GPU may shorten its
 * cycle, and batches with it. */
#include <orrery/batching.h>

#include "base/mem.h"
#include "solve/limits.h"

static const double alike = 1e-12; /* occupancies that differ by less are equal */

/* ---- one session's share ---- */

static int32_t largest(const orr_session *s)
{
    return orr_batch_within(s->times, s->budget / 2);
}

static orr_duty duty_of(int32_t batch, int32_t most, double duty)
{
    return (orr_duty){batch, most, duty, batch / duty};
}

static bool can_gather(const orr_session *s, int32_t batch)
{
    const double seconds = orr_batch_seconds(s->times, batch), gather = batch / s->rate;
    return orr_fits(seconds + gather, s->budget) && orr_fits(seconds, gather);
}

/* On a line the largest that is in time is the one that keeps up, if any does. */
static int32_t gathered_on_line(const orr_session *s)
{
    orr_batch_times steeper = *s->times;
    steeper.beta += 1 / s->rate;
    const int32_t batch = orr_batch_within(&steeper, s->budget);
    return batch && can_gather(s, batch) ? batch : 0;
}

static int32_t gathered(const orr_session *s)
{
    const orr_batch_times *t = s->times;
    if (!t->n)
        return gathered_on_line(s);
    for (int32_t i = t->n - 1; i >= 0; i--) {
        const int32_t size = t->size ? t->size[i] : i + 1;
        if (can_gather(s, size))
            return size;
    }
    return 0;
}

orr_duty orr_duty_left(const orr_session *s)
{
    const int32_t most = largest(s);
    if (!most || s->rate <= 0)
        return (orr_duty){.largest = most};
    const int32_t batch = gathered(s);
    if (batch)
        return duty_of(batch, most, batch / s->rate);
    const double alone = orr_batch_seconds(s->times, 1);
    if (orr_fits(2 * alone, s->budget) && s->rate * (s->budget - alone) < 1)
        return duty_of(1, most, s->budget - alone);
    return duty_of(most, most, orr_batch_seconds(s->times, most));
}

orr_duty orr_duty_released(const orr_session *s)
{
    const int32_t most = largest(s);
    if (!most)
        return (orr_duty){0};
    if (s->rate <= 0 || s->rate >= orr_batch_rate(s->times, most))
        return duty_of(most, most, orr_batch_seconds(s->times, most));
    int32_t batch = orr_batch_filled(s->times, s->rate, s->budget);
    batch = batch < most ? batch : most;
    return duty_of(batch, most, fmin(s->budget - orr_batch_seconds(s->times, batch), batch / s->rate));
}

bool orr_duties_fit(const orr_session *sessions, const orr_packed_item *items, int32_t n, double duty, int32_t *batch,
                    double *seconds)
{
    double all = 0;
    for (int32_t i = 0; i < n; i++) {
        const orr_session *s = &sessions[items[i].session];
        const int32_t need = orr_round_up(duty * items[i].rate);
        batch[i] = need > 1 ? need : 1;
        const double own = orr_batch_seconds(s->times, batch[i]);
        all += own;
        if (!orr_fits(own + duty, s->budget))
            return false;
    }
    if (seconds)
        *seconds = all;
    return orr_fits(all, duty);
}

/* ---- packing ---- */

typedef ORR_VEC(orr_packed_item) items_of; /* the last one is the one that is tried, where it is tried */

typedef struct bin {
    orr_packed_gpu gpu;
    items_of items;
} bin;

typedef struct share {
    orr_packed_item item;
    double duty, occupancy;
} share;

typedef struct packer {
    const orr_session *sessions;
    orr_duty_rule *rule;
    ORR_VEC(bin) bins;
    ORR_VEC(share) shares;
    ORR_VEC(int32_t) refused;
    ORR_VEC(int32_t) batches; /* of the items tried last */
} packer;

static void open_bin(packer *p, orr_packed_item item, double duty, double occupancy, bool saturated)
{
    bin b = {.gpu = {.saturated = saturated, .duty = duty, .occupancy = occupancy}};
    ORR_VEC_PUSH(&b.items, item);
    ORR_VEC_PUSH(&p->bins, b);
}

/* Whole GPUs for what fills them. Returns the rate that is left. */
static double saturate(packer *p, int32_t session, int32_t most)
{
    const orr_session *s = &p->sessions[session];
    const double each = orr_batch_rate(s->times, most);
    const int32_t whole = orr_round_down(s->rate / each);
    for (int32_t i = 0; i < whole; i++)
        open_bin(p, (orr_packed_item){session, most, each}, orr_batch_seconds(s->times, most), 1, true);
    const double left = s->rate - whole * each;
    return left > orr_forgiven * s->rate ? left : 0;
}

static void take_session(packer *p, int32_t session)
{
    const int32_t most = largest(&p->sessions[session]);
    if (p->sessions[session].rate <= 0)
        return;
    if (!most) {
        ORR_VEC_PUSH(&p->refused, session);
        return;
    }
    orr_session rest = p->sessions[session];
    rest.rate = saturate(p, session, most);
    const orr_duty d = p->rule(&rest);
    if (!d.batch || rest.rate <= 0)
        return;
    const double occupancy = orr_batch_seconds(rest.times, d.batch) / d.duty;
    ORR_VEC_PUSH(&p->shares, ((share){{session, d.batch, rest.rate}, d.duty, occupancy}));
}

static int fuller_first(const void *a, const void *b)
{
    const share *x = a, *y = b;
    if (x->occupancy != y->occupancy)
        return x->occupancy < y->occupancy ? 1 : -1;
    return x->item.session - y->item.session;
}

/* The occupancy that the GPU would have; < 0: it does not fit. Batches are left in p->batches. */
static double try_bin(packer *p, bin *b, const share *s)
{
    if (b->gpu.saturated)
        return -1;
    ORR_VEC_PUSH(&b->items, s->item);
    ORR_VEC_RESERVE(&p->batches, b->items.n);
    const double duty = fmin(b->gpu.duty, s->duty);
    double seconds = 0;
    const bool fits =
        orr_duties_fit(p->sessions, b->items.at, (int32_t)b->items.n, duty, p->batches.at, &seconds);
    b->items.n--;
    return fits ? seconds / duty : -1;
}

static void join_bin(packer *p, bin *b, const share *s)
{
    b->gpu.occupancy = try_bin(p, b, s);
    b->gpu.duty = fmin(b->gpu.duty, s->duty);
    ORR_VEC_PUSH(&b->items, s->item);
    for (size_t i = 0; i < b->items.n; i++)
        b->items.at[i].batch = p->batches.at[i];
}

/* Looks at every GPU that is shared: a plan is made once an epoch, of sessions, not of requests. */
static void place_share(packer *p, const share *s)
{
    bin *best = NULL;
    double most = -1;
    for (size_t i = 0; i < p->bins.n; i++) {
        const double occupancy = try_bin(p, &p->bins.at[i], s);
        if (occupancy > most + alike) {
            most = occupancy;
            best = &p->bins.at[i];
        }
    }
    if (best)
        join_bin(p, best, s);
    else
        open_bin(p, s->item, s->duty, s->occupancy, false);
}

static void hand_over(packer *p, orr_packing *out)
{
    size_t items = 0;
    for (size_t i = 0; i < p->bins.n; i++)
        items += p->bins.at[i].items.n;
    out->gpus = orr_xcalloc(p->bins.n + 1, sizeof *out->gpus);
    out->items = orr_xcalloc(items + 1, sizeof *out->items);
    for (size_t i = 0; i < p->bins.n; i++) {
        bin *b = &p->bins.at[i];
        b->gpu.first = out->item_count;
        b->gpu.count = (int32_t)b->items.n;
        out->gpus[out->gpu_count++] = b->gpu;
        memcpy(out->items + out->item_count, b->items.at, b->items.n * sizeof *b->items.at);
        out->item_count += b->gpu.count;
        ORR_VEC_FREE(&b->items);
    }
    out->refused = p->refused.at;
    out->refused_count = (int32_t)p->refused.n;
}

void orr_pack_sessions(const orr_session *sessions, int32_t n, orr_packing *out)
{
    orr_pack_sessions_by(sessions, n, orr_duty_left, out);
}

void orr_pack_sessions_by(const orr_session *sessions, int32_t n, orr_duty_rule *rule, orr_packing *out)
{
    orr_packing_fini(out);
    packer p = {.sessions = sessions, .rule = rule};
    for (int32_t i = 0; i < n; i++)
        take_session(&p, i);
    if (p.shares.n)
        qsort(p.shares.at, p.shares.n, sizeof *p.shares.at, fuller_first);
    for (size_t i = 0; i < p.shares.n; i++)
        place_share(&p, &p.shares.at[i]);
    hand_over(&p, out);
    ORR_VEC_FREE(&p.bins);
    ORR_VEC_FREE(&p.shares);
    ORR_VEC_FREE(&p.batches);
}

void orr_packing_fini(orr_packing *packing)
{
    free(packing->gpus);
    free(packing->items);
    free(packing->refused);
    *packing = (orr_packing){0};
}
