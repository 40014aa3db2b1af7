/* GPUs are given, exchanged and taken away. */
#include "verify/proof.h"

#include <inttypes.h>
#include <math.h>

/* ---- what must be true of a grant -------------------------------------------------------------------------------- */

static void check_begin(proof *p, const live *l)
{
    const orr_time vacant = orr_booked_vacant(p, l, p->now);
    if (l->from < vacant)
        orr_proof_finds(p, RULE_CAPACITY, NULL, "its hold begins %" PRId64 " ns before its GPUs are vacated",
                        orr_proof_gap(vacant, l->from));
    else if (l->from != vacant)
        orr_proof_finds(p, RULE_HOLD, NULL, "its hold begins %" PRId64 " ns late", orr_proof_gap(l->from, vacant));
}

static void check_pay(proof *p, const live *l, orr_time owed)
{
    if (l->pay != owed)
        orr_proof_finds(p, RULE_COST, NULL, "it pays %" PRId64 " ns without progress and owes %" PRId64 " ns", l->pay,
                        owed);
}

/* Linear: as fast as it has GPUs. Another model's rates are taken as they are, if they are any. */
static void check_rate(proof *p, const live *l)
{
    const double linear = l->gpus == l->f->gpus ? 1.0 : (double)l->gpus / l->f->gpus;
    const bool known = strcmp(p->header->model, "linear") == 0;
    if (!isfinite(l->rate) || l->rate <= 0 || (known && l->rate != linear))
        orr_proof_finds(p, RULE_RATE, NULL, "it progresses at %g on %d GPUs of a gang of %d", l->rate, l->gpus,
                        l->f->gpus);
}

static void check_share(proof *p, const live *l)
{
    if (l->milli < 1 || l->milli > 1000)
        orr_proof_finds(p, RULE_CAPACITY, NULL, "it is given %d thousandths of each GPU", l->milli);
}

/* True: it was booked. */
static bool give(proof *p, live *l, const orr_log_record *r, orr_time owed)
{
    if (!orr_booked_check(p, l, r))
        return false;
    orr_hold_begin(p, l, r);
    check_begin(p, l);
    check_pay(p, l, owed);
    check_rate(p, l);
    check_share(p, l);
    if (!isfinite(l->rate) || l->rate <= 0)
        l->rate = 1.0;
    p->out->grants++;
    return true;
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

static void check_resumed(proof *p, const live *l, const orr_log_record *r)
{
    const bool may = l->ran != ORR_TIME_NONE && l->f->starts == 0 && p->now == 0 && p->decision == 0;
    if (r->resumed && !may)
        orr_proof_finds(p, RULE_COST, NULL, "it carries on without a start, and didn't run at the origin");
}

static void start(proof *p, live *l, const orr_log_record *r)
{
    check_resumed(p, l, r);
    orr_wait_book(p, l, p->now);
    l->run_began_with = l->left;
    if (!give(p, l, r, r->resumed ? 0 : l->owes)) {
        l->wait_since = p->now;
        return;
    }
    l->f->starts++;
    p->resumed += r->resumed;
}

/* ---- change ------------------------------------------------------------------------------------------------------ */

static void check_overdue(proof *p, const live *l)
{
    const orr_time due = orr_hold_due(p, l);
    if (due <= p->now)
        orr_proof_finds(p, RULE_WORK, NULL, "its work was done %" PRId64 " ns ago, and it hasn't ended",
                        orr_proof_gap(p->now, due));
}

static bool same_place(const live *l, const orr_log_record *r)
{
    int32_t matches = 0;
    for (int32_t i = 0; i < r->slice_count; i++)
        for (size_t k = 0; k < l->slices.n; k++)
            matches += l->slices.at[k].node == r->slices[i].node && l->slices.at[k].gpus == r->slices[i].gpus;
    return matches == r->slice_count && (size_t)matches == l->slices.n;
}

static orr_time price(const proof *p, bool resize, int32_t gpus)
{
    const terms *t = &p->terms;
    if (resize)
        return orr_terms_cost(&t->resize, gpus);
    return orr_time_add(orr_terms_cost(&t->save, gpus), orr_terms_cost(&t->restore, gpus));
}

static void change(proof *p, live *l, const orr_log_record *r)
{
    const bool resize = r->kind == ORR_LOG_RESIZE;
    const int32_t gpus = orr_log_gpus(r);
    const orr_time owed = orr_time_add(orr_hold_unpaid(l, p->now), price(p, resize, gpus));
    check_overdue(p, l);
    if (resize != (gpus != l->gpus) || (!resize && same_place(l, r)))
        orr_proof_finds(p, RULE_LIFECYCLE, NULL, "it goes from %d GPUs to %d, which is no %s", l->gpus, gpus,
                        orr_log_kind_name(r->kind));
    orr_hold_book(p, l, p->now, false);
    orr_hold_release(p, l, p->now, resize ? "resized" : "migrated");
    orr_booked_give(p, l);
    if (!give(p, l, r, owed)) {
        orr_booked_take(p, l); /* as if nothing had been said */
        l->given = l->from = p->now;
        l->pay = owed;
        return;
    }
    *(resize ? &l->f->resizes : &l->f->migrations) += 1;
    *(resize ? &p->counts.resizes : &p->counts.migrations) += 1;
}

void orr_step_grant(proof *p, live *l, const orr_log_record *r)
{
    if (r->kind == ORR_LOG_START)
        start(p, l, r);
    else
        change(p, l, r);
}

/* ---- preempt ----------------------------------------------------------------------------------------------------- */

/* Work since the last checkpoint of this run; none are made where state is never lost. */
static orr_time unsaved(const proof *p, const live *l)
{
    const orr_time period = p->terms.checkpoint;
    return period > 0 ? (l->run_began_with - l->left) % period : 0;
}

static orr_time saved_at(const proof *p, const live *l, bool began)
{
    const orr_time save = orr_terms_cost(&p->terms.save, l->gpus);
    return save && began ? orr_terms_on_grid(&p->terms, orr_time_add(p->now, save)) : p->now;
}

static void check_lost(proof *p, const orr_log_record *r, orr_time lost)
{
    if (r->lost != lost)
        orr_proof_finds(p, RULE_LOST, NULL, "it loses %" PRId64 " ns of work, and %" PRId64 " ns were not saved",
                        r->lost, lost);
}

static void take_back(proof *p, live *l, const orr_log_record *r)
{
    const orr_time lost = unsaved(p, l), restore = orr_terms_cost(&p->terms.restore, l->f->gpus);
    const orr_time unpaid = orr_hold_unpaid(l, p->now);
    check_lost(p, r, lost);
    l->left = orr_time_add(l->left, lost);
    l->f->lost += (orr_wide)lost * l->f->gpus;
    l->owes = p->terms.keep_unpaid ? orr_time_add(unpaid, restore) : restore;
}

static void wait_again(proof *p, live *l)
{
    l->f->stage = WAITING;
    l->wait_since = p->now;
    l->slices.n = 0;
}

void orr_step_preempt(proof *p, live *l, const orr_log_record *r)
{
    const bool began = l->from <= p->now; /* else its GPUs were never vacated for it, and it owes what it owed */
    const orr_time until = saved_at(p, l, began);
    if (l->pinned)
        orr_proof_finds(p, RULE_PINNED, NULL, "it must not be preempted");
    check_overdue(p, l);
    orr_hold_book(p, l, p->now, false);
    if (began) {
        take_back(p, l, r);
    } else {
        check_lost(p, r, 0);
        l->owes = l->pay;
    }
    if (r->until != until)
        orr_proof_finds(p, RULE_COST, NULL, "it saves for %" PRId64 " ns, and that takes %" PRId64 " ns",
                        orr_proof_gap(r->until, p->now), orr_proof_gap(until, p->now));
    l->f->preemptions++;
    p->counts.preemptions++;
    orr_booked_give(p, l);
    if (until == p->now) {
        orr_hold_release(p, l, p->now, "preempted");
        wait_again(p, l);
        return;
    }
    orr_booked_block(p, l, until);
    l->f->stage = SAVING;
    l->given = p->now;
    l->until = until;
    ORR_VEC_PUSH(&p->savers, l);
}
