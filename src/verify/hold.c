/* What the time of a hold, or of a wait, amounts to: work, overhead, service, and the integrals of its pool. */
#include "verify/proof.h"

#include <math.h>

/* ---- integrals --------------------------------------------------------------------------------------------------- */

static orr_time within(const proof *p, orr_time t)
{
    return t < p->lower ? p->lower : t > p->upper ? p->upper : t;
}

static void add_to(sums *s, size_t member, orr_wide amount)
{
    *(orr_wide *)((char *)s + member) += amount;
}

void orr_sums_add(proof *p, int32_t pool, size_t member, orr_time from, orr_time to, int64_t amount)
{
    if (to <= from)
        return;
    const orr_wide area = ((orr_wide)within(p, to) - within(p, from)) * amount;
    add_to(&p->sums[0], member, area);
    if (pool >= 0 && pool < p->pool_count)
        add_to(&p->sums[1 + pool], member, area);
}

void orr_wait_book(proof *p, live *l, orr_time at)
{
    const int64_t asked = (int64_t)l->f->gpus * l->f->milli;
    orr_sums_add(p, l->f->pool, offsetof(sums, jobs_queued), l->wait_since, at, 1);
    orr_sums_add(p, l->f->pool, offsetof(sums, milli_queued), l->wait_since, at, asked);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* Work done in so much time of progress, and the time that so much work takes. */
static orr_time worked(const live *l, orr_time progress)
{
    if (l->rate == 1.0)
        return progress < l->left ? progress : l->left;
    const double work = floor((double)progress * l->rate);
    return work < (double)l->left ? (orr_time)work : l->left;
}

static orr_time time_for(const live *l)
{
    if (l->rate == 1.0 || l->left == 0)
        return l->left;
    const double time = ceil((double)l->left / l->rate);
    return time < 9e18 ? (orr_time)time : ORR_TIME_MAX;
}

orr_time orr_hold_due(const proof *p, const live *l)
{
    return orr_terms_on_grid(&p->terms, orr_time_add(orr_time_add(l->since, l->debt), time_for(l)));
}

static orr_time past(orr_time from, orr_time at)
{
    return at > from ? orr_proof_gap(at, from) : 0;
}

orr_time orr_hold_unpaid(const live *l, orr_time at)
{
    return past(l->since, at) < l->debt ? l->debt - past(l->since, at) : 0;
}

void orr_hold_advance(live *l, orr_time at)
{
    const orr_time span = past(l->since, at), paid = span < l->debt ? span : l->debt;
    l->left -= worked(l, span - paid);
    l->debt -= paid;
    l->overhead = orr_time_add(l->overhead, paid);
    l->since = at > l->since ? at : l->since;
}

/* ---- one hold ---------------------------------------------------------------------------------------------------- */

void orr_hold_begin(proof *p, live *l, const orr_log_record *r)
{
    facts *f = l->f;
    l->slices.n = 0;
    for (int32_t i = 0; i < r->slice_count; i++)
        ORR_VEC_PUSH(&l->slices, r->slices[i]);
    l->gpus = orr_log_gpus(r);
    l->milli = orr_log_milli(r);
    l->given = r->at;
    l->from = l->since = r->from;
    l->pay = l->debt = r->pay;
    l->overhead = 0;
    l->rate = r->rate;
    l->moving = r->kind == ORR_LOG_RESHARE ? l->moving : r->kind != ORR_LOG_START;
    f->stage = HOLDING;
    if (f->first_start == ORR_TIME_NONE)
        f->first_start = l->from;
    orr_booked_take(p, l);
}

void orr_hold_book(proof *p, live *l, orr_time at, bool done)
{
    facts *f = l->f;
    const orr_time span = past(l->from, at);
    orr_hold_advance(l, at);
    f->held = orr_time_add(f->held, span);
    f->service += (orr_wide)span * l->milli;
    f->overhead += (orr_wide)l->overhead * l->milli;
    l->left = done ? 0 : l->left;
    orr_sums_add(p, f->pool, offsetof(sums, held), l->given, at, l->milli);
    orr_sums_add(p, f->pool, offsetof(sums, busy), orr_time_add(l->from, l->pay), at, l->milli);
}

/* All of its GPUs count for the job until it has saved; for the cluster those that nobody else has. */
void orr_hold_book_saving(proof *p, live *l, orr_time at)
{
    facts *f = l->f;
    const orr_time span = orr_proof_gap(at, l->given);
    f->held = orr_time_add(f->held, span);
    f->service += (orr_wide)span * l->milli;
    f->overhead += (orr_wide)span * l->milli;
    l->overhead = orr_time_add(l->overhead, span);
    orr_sums_add(p, f->pool, offsetof(sums, held), l->given, at, l->kept);
}

/* Its row of attempts.csv is due. A hold whose GPUs were never vacated for it never was. */
void orr_hold_release(proof *p, live *l, orr_time at, const char *reason)
{
    if (at < l->from) {
        if (l->f->first_start == l->from)
            l->f->first_start = ORR_TIME_NONE;
        return;
    }
    l->holds++;
    if (p->holds)
        orr_rows_hold(p, l, at, reason);
}
