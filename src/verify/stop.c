/* The end of a run: what is still there is accounted for, and the counts are compared. */
#include "verify/proof.h"

#include <inttypes.h>

/* ---- those that are still there ---------------------------------------------------------------------------------- */

/* What comes at the very time of a horizon doesn't happen any more. */
static bool is_over(const proof *p, orr_time t)
{
    return t < p->out->end || (t == p->out->end && p->stop != ORR_LOG_HORIZON);
}

static void close_hold(proof *p, live *l)
{
    const orr_time due = orr_hold_due(p, l);
    if (due < p->now)
        orr_proof_finds(p, RULE_WORK, NULL, "its work was done %" PRId64 " ns before the stop, and it hasn't ended",
                        orr_proof_gap(p->now, due));
    l->f->moving = l->moving;
    orr_hold_book(p, l, p->now, false);
    orr_hold_release(p, l, p->now, "open");
}

static void close_saving(proof *p, live *l)
{
    if (l->until < p->now)
        orr_proof_finds(p, RULE_COST, NULL, "it should have saved %" PRId64 " ns before the stop",
                        orr_proof_gap(p->now, l->until));
    orr_hold_book_saving(p, l, p->now);
    orr_hold_release(p, l, p->now, "open");
}

static void close_job(proof *p, live *l)
{
    p->job = l->f->id;
    l->f->attempts = (int32_t)l->attempt + 1;
    if (l->f->stage == WAITING) {
        orr_wait_book(p, l, p->now);
        p->counts.queued++;
        if (l->f->pool < 0)
            orr_proof_finds(p, RULE_VC, NULL, "it waits and has no VC to run in");
        return;
    }
    (l->f->stage == HOLDING ? close_hold : close_saving)(p, l);
    p->counts.running++;
}

const char *orr_stage_name(const proof *p, const facts *f)
{
    static const char *const names[] = {"pending", "queued", "running", "checkpointing",
                                        "done",    "failed", "killed",  "rejected"};
    const live *l = f->live;
    if (f->stage == HOLDING && l && !is_over(p, orr_time_add(l->from, l->pay)))
        return f->moving ? "resizing" : "starting";
    return names[f->stage];
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void compare(proof *p, const char *what, uint64_t claimed, uint64_t found)
{
    if (claimed != found)
        orr_proof_finds(p, RULE_CONSERVATION, NULL, "%" PRIu64 " %s are claimed, and the log has %" PRIu64, claimed,
                        what, found);
}

static void compare_counts(proof *p, const orr_log_counts *c)
{
    const orr_log_counts *own = &p->counts;
    compare(p, "jobs submitted", c->submitted, own->submitted);
    compare(p, "jobs done", c->done, own->done);
    compare(p, "jobs failed", c->failed, own->failed);
    compare(p, "jobs killed", c->killed, own->killed);
    compare(p, "jobs rejected", c->rejected, own->rejected);
    compare(p, "jobs running", c->running, own->running);
    compare(p, "jobs queued", c->queued, own->queued);
    compare(p, "preemptions", c->preemptions, own->preemptions);
    compare(p, "migrations", c->migrations, own->migrations);
    compare(p, "resizes", c->resizes, own->resizes);
    compare(p, "retries", c->retries, own->retries);
    compare(p, "changes of shares", c->reshares, own->reshares);
    compare(p, "interruptions", c->interruptions, own->interruptions);
    compare(p, "changes of speed", c->speed_changes, own->speed_changes);
    compare(p, "decisions that changed something", c->commits, own->commits);
    if (c->decisions < p->decision)
        compare(p, "decisions", c->decisions, p->decision);
}

static void check_stop(proof *p)
{
    const uint64_t there = p->counts.running + p->counts.queued;
    if (p->stop == ORR_LOG_DRAINED && (there || p->counts.submitted != p->header->jobs))
        orr_proof_finds(p, RULE_STOP, NULL,
                        "drained, with %" PRIu64 " jobs still there and %" PRIu64 " of %" PRIu64 " submitted", there,
                        p->counts.submitted, p->header->jobs);
    if (p->stop == ORR_LOG_DRAINED && p->before != p->now && p->before != ORR_TIME_NONE)
        orr_proof_finds(p, RULE_STOP, NULL, "drained, and not when the last job ended");
    if (p->stop == ORR_LOG_STALLED && !there)
        orr_proof_finds(p, RULE_STOP, NULL, "stalled, with no job left");
}

void orr_step_stop(proof *p, const orr_log_record *r)
{
    p->stop = r->stop;
    p->out->end = r->at;
    orr_nodes_settle(p);
    orr_nodes_sum(p, r->at);
    for (live *l = p->first; l; l = l->after)
        close_job(p, l);
    p->job = NULL;
    check_stop(p);
    compare_counts(p, &r->counts);
    p->counts.decisions = r->counts.decisions;
}
