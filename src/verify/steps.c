/* One record after the other: may this happen now, and what follows from it. A step that a job's state doesn't allow
 * is told and otherwise passed over, so that the rest can still be judged. */
#include "verify/proof.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const stage_words[] = {"was never submitted", "waits",      "holds GPUs",  "saves", "is done",
                                          "has failed",          "was killed", "was rejected"};

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* By its user, which is the scenario's doing. */
static bool is_cancelled(const orr_log_record *r)
{
    return r->kind == ORR_LOG_FINISH &&
           (strcmp(r->reason, ORR_LOG_CANCELLED) == 0 || strcmp(r->reason, ORR_LOG_EARLY_STOP) == 0);
}

/* Kills and rejections by a decision; a job can also be rejected at the door. */
static bool may_be_decided(const orr_log_record *r)
{
    return orr_log_is_grant(r->kind) || r->kind == ORR_LOG_PREEMPT || r->kind == ORR_LOG_REJECT ||
           (r->kind == ORR_LOG_FINISH && r->reason[0] && !is_cancelled(r));
}

static void check_decided(proof *p, const orr_log_record *r)
{
    if (p->begun != p->now)
        orr_proof_finds(p, RULE_DECISION, NULL, "%s without a decision", orr_log_kind_name(r->kind));
}

static bool on_clock(const proof *p)
{
    const terms *t = &p->terms;
    return (!t->round || p->now % t->round == 0) && (!t->tick || p->now % t->tick == 0);
}

static void decide(proof *p, const orr_log_record *r)
{
    if (p->decided ? r->number <= p->decision : r->number == 0 && p->now != 0)
        orr_proof_finds(p, RULE_DECISION, NULL, "decision %" PRIu64 " comes after decision %" PRIu64, r->number,
                        p->decision);
    if (r->number && !on_clock(p))
        orr_proof_finds(p, RULE_DECISION, NULL, "a decision off the clock, which is %s", p->header->clock);
    p->decided = true;
    p->decision = r->number;
    p->begun = p->now;
    p->counts.commits += r->number != 0;
}

/* ---- coming in --------------------------------------------------------------------------------------------------- */

static orr_time sum_of(const orr_log_request *q)
{
    orr_time sum = 0;
    for (uint32_t i = 0; i < q->attempt_count; i++)
        sum = orr_time_add(sum, q->attempts[i]);
    return sum;
}

static void check_request(proof *p, const orr_log_request *q)
{
    if (q->min_gpus > q->gpus || q->max_gpus < q->gpus || q->milli < 1 || q->milli > 1000)
        orr_proof_finds(p, RULE_REQUEST, NULL, "it asks for %d GPUs, for %d to %d, and for %d thousandths of each",
                        q->gpus, q->min_gpus, q->max_gpus, q->milli);
    if (q->attempts && sum_of(q) != q->duration)
        orr_proof_finds(p, RULE_REQUEST, NULL, "its attempts don't make up its duration");
    if (q->pool >= p->pool_count)
        orr_proof_finds(p, RULE_VC, NULL, "it counts in VC number %d of %d", q->pool, p->pool_count);
}

/* A VC that nodes have; else the common one, or none. In one pool a VC is a label. */
static void check_pool(proof *p, const orr_log_request *q)
{
    if (p->pool_count == 1 && orr_names_text(p->pools, 0)[0] == '\0') {
        if (q->pool != 0)
            orr_proof_finds(p, RULE_VC, NULL, "it counts in VC number %d, and there is one pool", q->pool);
        return;
    }
    const int64_t own = orr_names_find(p->pools, q->vc, strlen(q->vc)), common = orr_names_find(p->pools, "", 0);
    if (own >= 0 ? q->pool != own : q->pool != -1 && q->pool != common)
        orr_proof_finds(p, RULE_VC, NULL, "it asks for VC '%s' and counts in number %d", q->vc, q->pool);
}

static void check_after(proof *p, const orr_log_request *q)
{
    orr_time last = ORR_TIME_NONE;
    for (uint32_t i = 0; i < q->after_count; i++) {
        const facts *f = orr_proof_facts(p, q->after[i], false);
        if (!f || f->stage < DONE) {
            orr_proof_finds(p, RULE_AFTER, NULL,
                            "it waits for job number %" PRIu32 " of the trace, which has not ended", q->after[i]);
            return;
        }
        last = f->end > last ? f->end : last;
    }
    const orr_time due = orr_terms_on_grid(&p->terms, orr_time_add(last, q->think));
    if (p->now != due)
        orr_proof_finds(p, RULE_AFTER, NULL, "it comes %" PRId64 " ns from when those that it waits for let it",
                        orr_proof_gap(p->now, due));
}

static void check_arrival(proof *p, const orr_log_request *q)
{
    const orr_time due = orr_terms_on_grid(&p->terms, q->asked);
    if (q->after_count)
        check_after(p, q);
    else if (p->now != due)
        orr_proof_finds(p, RULE_SUBMISSION, NULL, "it comes %" PRId64 " ns from when its record says",
                        orr_proof_gap(p->now, due));
}

static void submit(proof *p, const orr_log_record *r)
{
    facts *f = orr_proof_facts(p, r->job, true);
    p->job = r->request->id;
    if (!f || f->stage != ABSENT) {
        orr_proof_finds(p, RULE_LIFECYCLE, NULL, f ? "it is submitted twice" : "its number is beyond the trace");
        return;
    }
    check_request(p, r->request);
    check_pool(p, r->request);
    check_arrival(p, r->request);
    orr_proof_enter(p, f, r);
    p->counts.submitted++;
    p->came_running += r->request->ran != ORR_TIME_NONE && p->now == 0;
    if (p->first_submit == ORR_TIME_NONE) {
        orr_nodes_sum(p, p->now);
        p->first_submit = p->now;
    }
}

/* ---- going away -------------------------------------------------------------------------------------------------- */

static void leave(proof *p, live *l, stage to, const char *reason)
{
    facts *f = l->f;
    uint64_t *const counts[] = {&p->counts.done, &p->counts.failed, &p->counts.killed, &p->counts.rejected};
    f->stage = (uint8_t)to;
    f->end = p->now;
    f->reason = orr_names_id(p->names, reason, strlen(reason));
    f->attempts = (int32_t)l->attempt + 1;
    ++*counts[to - DONE];
    orr_proof_leave(p, l);
}

static void reject(proof *p, live *l, const orr_log_record *r)
{
    if (p->begun != p->now && l->f->submit != p->now)
        orr_proof_finds(p, RULE_DECISION, NULL, "it is rejected without a decision, and not at the door");
    p->came_running -= l->ran != ORR_TIME_NONE && p->now == 0 && p->begun != p->now; /* refused at the door */
    if (l->f->starts)
        orr_proof_finds(p, RULE_LIFECYCLE, NULL, "it is rejected after a start");
    orr_wait_book(p, l, p->now);
    leave(p, l, REJECTED, r->reason);
}

static void check_due(proof *p, const live *l)
{
    const orr_time due = orr_hold_due(p, l);
    if (due != p->now)
        orr_proof_finds(p, RULE_WORK, NULL, "it ends %" PRId64 " ns %s its work is done",
                        due > p->now ? orr_proof_gap(due, p->now) : orr_proof_gap(p->now, due),
                        due > p->now ? "before" : "after");
}

static void retry(proof *p, live *l)
{
    check_due(p, l);
    orr_hold_book(p, l, p->now, true);
    orr_hold_release(p, l, p->now, "retried");
    orr_booked_give(p, l);
    l->f->stage = WAITING;
    l->wait_since = p->now;
    l->slices.n = 0;
    p->counts.retries++;
    if (l->attempt + 1 >= l->attempt_count) {
        orr_proof_finds(p, RULE_ENDING, NULL, "it tries again after its last attempt");
        return;
    }
    l->left = l->attempts[++l->attempt];
    l->owes = orr_terms_cost(&p->terms.start, l->f->gpus);
}

static void complete(proof *p, live *l, const orr_log_record *r)
{
    check_due(p, l);
    if (r->ending != l->ending)
        orr_proof_finds(p, RULE_ENDING, NULL, "it ends as %s, and its record as %s", orr_log_ending_name(r->ending),
                        orr_log_ending_name(l->ending));
    if (l->attempt + 1 != l->attempt_count)
        orr_proof_finds(p, RULE_ENDING, NULL, "it ends with attempts left");
    orr_hold_book(p, l, p->now, true);
    orr_hold_release(p, l, p->now, orr_log_ending_name(r->ending));
    orr_booked_give(p, l);
    leave(p, l, (stage)(DONE + (int)r->ending), "");
}

static void kill(proof *p, live *l, const orr_log_record *r)
{
    if (is_cancelled(r) && !p->header->scenario[0])
        orr_proof_finds(p, RULE_DECISION, NULL, "its user cancels it, and there is no scenario");
    if (r->ending != ORR_LOG_KILLED)
        orr_proof_finds(p, RULE_ENDING, NULL, "a decision ends it as %s", orr_log_ending_name(r->ending));
    if (l->f->stage == WAITING) {
        orr_wait_book(p, l, p->now);
    } else {
        if (orr_hold_due(p, l) <= p->now)
            orr_proof_finds(p, RULE_WORK, NULL, "it is killed when its work was done");
        orr_hold_book(p, l, p->now, false);
        orr_hold_release(p, l, p->now, "killed");
        orr_booked_give(p, l);
    }
    leave(p, l, KILLED, r->reason);
}

static void saved(proof *p, live *l)
{
    if (p->now < l->until && p->header->scenario[0])
        orr_nodes_expect_loss(p, l);
    else if (l->until != p->now)
        orr_proof_finds(p, RULE_COST, NULL, "it has saved %" PRId64 " ns from when it should have",
                        orr_proof_gap(p->now, l->until));
    orr_hold_book_saving(p, l, p->now);
    orr_hold_release(p, l, p->now, "preempted");
    orr_booked_free_kept(p, l);
    l->f->stage = WAITING;
    l->wait_since = p->now;
    l->slices.n = 0;
}

/* ---- speeds ------------------------------------------------------------------------------------------------------ */

static void change_speed(proof *p, live *l, const orr_log_record *r)
{
    if (strcmp(p->header->model, "linear") == 0)
        orr_proof_finds(p, RULE_RATE, NULL, "its speed changes to %g, and nothing counts but its GPUs", r->rate);
    else if (!isfinite(r->rate) || r->rate < 0)
        orr_proof_finds(p, RULE_RATE, NULL, "it progresses at %g", r->rate);
    if (orr_hold_due(p, l) <= p->now)
        orr_proof_finds(p, RULE_WORK, NULL, "its speed changes when its work was done");
    orr_hold_advance(l, p->now);
    l->rate = isfinite(r->rate) && r->rate >= 0 ? r->rate : 1.0;
    p->counts.speed_changes++;
}

/* ---- one record -------------------------------------------------------------------------------------------------- */

/* Which stage a step needs; a kill takes two. */
static bool is_legal(const orr_log_record *r, int in)
{
    switch (r->kind) {
    case ORR_LOG_REJECT:
    case ORR_LOG_START:
        return in == WAITING;
    case ORR_LOG_SAVED:
        return in == SAVING;
    case ORR_LOG_FINISH:
        return in == HOLDING || (in == WAITING && r->reason[0]);
    default:
        return in == HOLDING;
    }
}

static void step_of(proof *p, live *l, const orr_log_record *r)
{
    switch (r->kind) {
    case ORR_LOG_REJECT:
        reject(p, l, r);
        break;
    case ORR_LOG_PREEMPT:
        orr_step_preempt(p, l, r);
        break;
    case ORR_LOG_SAVED:
        saved(p, l);
        break;
    case ORR_LOG_RETRY:
        retry(p, l);
        break;
    case ORR_LOG_FINISH:
        (r->reason[0] ? kill : complete)(p, l, r);
        break;
    case ORR_LOG_SPEED:
        change_speed(p, l, r);
        break;
    case ORR_LOG_INTERRUPT:
        orr_step_interrupt(p, l, r);
        break;
    default:
        orr_step_grant(p, l, r);
    }
}

static void step_job(proof *p, const orr_log_record *r)
{
    const facts *f = orr_proof_facts(p, r->job, false);
    char number[32];
    snprintf(number, sizeof number, "number %" PRIu32, r->job);
    p->job = f && f->id ? f->id : number;
    if (r->kind != ORR_LOG_REJECT && may_be_decided(r))
        check_decided(p, r);
    if (f && is_legal(r, f->stage))
        step_of(p, f->live, r);
    else
        orr_proof_finds(p, RULE_LIFECYCLE, NULL, "%s of a job that %s", orr_log_kind_name(r->kind),
                        stage_words[f ? f->stage : ABSENT]);
    p->job = NULL;
}

static void begin_record(proof *p, const orr_log_record *r)
{
    if (r->at != p->now || (!may_be_decided(r) && r->kind != ORR_LOG_NODE)) {
        orr_booked_settle(p);
        p->begun = ORR_TIME_NONE;
    }
    if (r->at != p->now)
        orr_nodes_settle(p);
    if (r->at < p->now)
        orr_proof_finds(p, RULE_TIME, NULL, "%s comes at an earlier time than the record before it",
                        orr_log_kind_name(r->kind));
    p->before = p->now;
    p->now = r->at;
}

void orr_proof_step(proof *p, const orr_log_record *r)
{
    begin_record(p, r);
    if (r->kind == ORR_LOG_SUBMIT)
        submit(p, r);
    else if (r->kind == ORR_LOG_DECIDE)
        decide(p, r);
    else if (r->kind == ORR_LOG_NODE)
        orr_step_node(p, r);
    else if (r->kind == ORR_LOG_STOP)
        orr_step_stop(p, r);
    else
        step_job(p, r);
    p->job = NULL;
}
