/* GPUs are given, exchanged and taken away. */
#include "verify/proof.h"

#include <inttypes.h>
#include <math.h>

/* ---- what must be true of a grant -------------------------------------------------------------------------------- */

/* `at_work`: it was on these GPUs already, and goes on whoever saves beside it. */
static void check_begin(proof *p, const live *l, bool at_work)
{
    const orr_time vacant = at_work ? p->now : orr_booked_vacant(p, l, p->now);
    if (l->from < vacant)
        orr_proof_finds(p, RULE_CAPACITY, NULL, "its hold begins %" PRId64 " ns before its GPUs are vacated",
                        orr_proof_gap(vacant, l->from));
    else if (l->from != vacant)
        orr_proof_finds(p, RULE_HOLD, NULL, "its hold begins %" PRId64 " ns late", orr_proof_gap(l->from, vacant));
}

static void check_pay(proof *p, const live *l, orr_time owed)
{
    if (l->pay != owed && !p->terms.by_application)
        orr_proof_finds(p, RULE_COST, NULL, "it pays %" PRId64 " ns without progress and owes %" PRId64 " ns", l->pay,
                        owed);
}

/* Linear: as fast as it has GPUs. Another model's rates are taken as they are; at 0 it stands still. */
static void check_rate(proof *p, const live *l)
{
    const double linear = l->gpus == l->f->gpus ? 1.0 : (double)l->gpus / l->f->gpus;
    const bool known = strcmp(p->header->model, "linear") == 0;
    if (!isfinite(l->rate) || l->rate < 0 || (known && l->rate != linear))
        orr_proof_finds(p, RULE_RATE, NULL, "it progresses at %g on %d GPUs of a gang of %d", l->rate, l->gpus,
                        l->f->gpus);
}

/* True: it was booked. */
static bool give(proof *p, live *l, const orr_log_record *r, orr_time owed, bool at_work)
{
    if (!orr_booked_check(p, l, r))
        return false;
    orr_hold_begin(p, l, r);
    check_begin(p, l, at_work);
    check_pay(p, l, owed);
    check_rate(p, l);
    if (!isfinite(l->rate) || l->rate < 0)
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
    if (!give(p, l, r, r->resumed ? 0 : l->owes, false)) {
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

static bool alike(const orr_log_slice *a, const orr_log_slice *b, bool shares)
{
    return a->node == b->node && a->gpus == b->gpus &&
           (!shares || (a->milli == b->milli && a->cpu_milli == b->cpu_milli && a->mem == b->mem));
}

/* The same GPUs; `shares`: and as much of each, and as much with them. */
static bool same_place(const live *l, const orr_log_record *r, bool shares)
{
    int32_t matches = 0;
    for (int32_t i = 0; i < r->slice_count; i++)
        for (size_t k = 0; k < l->slices.n; k++)
            matches += alike(&l->slices.at[k], &r->slices[i], shares);
    return matches == r->slice_count && (size_t)matches == l->slices.n;
}

/* What it was given now, compared with what it had. */
static orr_log_kind what_changed(const live *l, const orr_log_record *r)
{
    if (orr_log_gpus(r) != l->gpus)
        return ORR_LOG_RESIZE;
    if (!same_place(l, r, false))
        return ORR_LOG_MIGRATE;
    return same_place(l, r, true) ? ORR_LOG_NONE : ORR_LOG_RESHARE;
}

static orr_time price(const proof *p, orr_log_kind kind, int32_t gpus)
{
    const terms *t = &p->terms;
    if (kind == ORR_LOG_RESHARE)
        return 0;
    if (kind == ORR_LOG_RESIZE)
        return orr_terms_cost(&t->resize, gpus);
    return orr_time_add(orr_terms_cost(&t->save, gpus), orr_terms_cost(&t->restore, gpus));
}

static void count_change(proof *p, live *l, orr_log_kind kind)
{
    if (kind == ORR_LOG_RESHARE) {
        p->counts.reshares++;
        return;
    }
    const bool resize = kind == ORR_LOG_RESIZE;
    *(resize ? &l->f->resizes : &l->f->migrations) += 1;
    *(resize ? &p->counts.resizes : &p->counts.migrations) += 1;
}

static const char *hold_end(orr_log_kind kind)
{
    return kind == ORR_LOG_RESIZE ? "resized" : kind == ORR_LOG_MIGRATE ? "migrated" : "reshared";
}

static void change(proof *p, live *l, const orr_log_record *r)
{
    const orr_log_kind in_fact = what_changed(l, r);
    const orr_time before = p->terms.unpaid == 'r' && r->kind != ORR_LOG_RESHARE ? 0 : orr_hold_unpaid(l, p->now);
    const orr_time owed = orr_time_add(before, price(p, r->kind, orr_log_gpus(r)));
    const bool at_work = in_fact == ORR_LOG_RESHARE && l->from <= p->now;
    check_overdue(p, l);
    if (r->kind != in_fact)
        orr_proof_finds(p, RULE_LIFECYCLE, NULL, "it goes from %d GPUs to %d%s, which is no %s", l->gpus,
                        orr_log_gpus(r), in_fact == ORR_LOG_MIGRATE ? " elsewhere" : "", orr_log_kind_name(r->kind));
    orr_hold_book(p, l, p->now, false);
    orr_hold_release(p, l, p->now, hold_end(r->kind));
    orr_booked_give(p, l);
    if (!give(p, l, r, owed, at_work)) {
        orr_booked_take(p, l); /* as if nothing had been said */
        l->given = l->from = l->since = p->now;
        l->pay = l->debt = owed;
        l->overhead = 0;
        return;
    }
    count_change(p, l, r->kind);
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
    l->f->lost += (orr_wide)lost * l->f->gpus * l->f->milli;
    l->owes = p->terms.unpaid == 'k' ? orr_time_add(unpaid, restore) : restore;
}

/* Where its GPUs were never vacated for it, it owes what it owed. */
void orr_step_take_back(proof *p, live *l, const orr_log_record *r)
{
    orr_hold_book(p, l, p->now, false);
    if (l->from <= p->now) {
        take_back(p, l, r);
        return;
    }
    check_lost(p, r, 0);
    l->owes = l->pay;
}

static void wait_again(proof *p, live *l)
{
    l->f->stage = WAITING;
    l->wait_since = p->now;
    l->slices.n = 0;
}

void orr_step_preempt(proof *p, live *l, const orr_log_record *r)
{
    const orr_time until = saved_at(p, l, l->from <= p->now);
    if (l->pinned)
        orr_proof_finds(p, RULE_PINNED, NULL, "it must not be preempted");
    check_overdue(p, l);
    orr_step_take_back(p, l, r);
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
