/* Batches that stop before their end: at the next operator boundary, or at once where there are no operators. Their
 * requests go back to the head of the queue; what is left of them is in their records, and the next batch that they are
 * in takes the part of its time that the one with most left still needs.
 */
#include "serve/preempt.h"

#include "serve/iter.h"
#include "serve/sharing.h"

#include <math.h>

static double *left_of(const orr_sv_service *v, uint8_t *record)
{
    return (double *)(void *)(record + v->left_at);
}

double orr_serving_left(const orr_sv_service *v, uint8_t *reqs, int32_t size)
{
    double most = 0;
    for (int32_t i = 0; i < size; i++)
        most = fmax(most, 1 - *left_of(v, reqs + (size_t)i * v->stride));
    return most;
}

/* The part of a batch that is done when operators up to `op` are; those of what is left are as long as they were. */
double orr_serving_until(const orr_exec_profile *p, int32_t op)
{
    double sum = 0;
    for (int32_t i = 0; i < op && i < p->op_count; i++)
        sum += p->ops[i];
    return op >= p->op_count ? 1 : sum;
}

/* The first boundary at or after a part of the whole. */
static double boundary(const orr_exec_profile *p, double part)
{
    double sum = 0;
    for (int32_t i = 0; i < p->op_count; i++) {
        sum += p->ops[i];
        if (sum >= part - 1e-12)
            return i == p->op_count - 1 ? 1 : sum;
    }
    return part;
}

static double part_done(const orr_serving *s, const orr_sv_slot *slot)
{
    const double ran = (double)(s->now - slot->since) * 1e-9 * slot->rate;
    const double left = fmax(slot->work - ran, 0);
    return 1 - left / slot->whole;
}

void orr_serving_stop(orr_serving *s, orr_exec_id exec, uint32_t place, bool redo)
{
    orr_sv_slot *slot = &s->execs.at[exec].at.at[place];
    const orr_exec_profile *p = s->replicas.at[slot->replica].profile;
    const double done = part_done(s, slot), stop = p->op_count ? boundary(p, done) : done;
    if (stop >= 1)
        return; /* it ends by itself */
    slot->stops = true;
    slot->redo = redo;
    slot->stop_at = stop;
    const double more = (stop - done) * slot->whole / slot->rate;
    slot->end = s->now + orr_serving_span(more) + (redo ? 0 : s->spec->preempt_save);
    orr_queue_move(s->queue, slot->event, slot->end);
}

/* Counts as no batch that ended. */
void orr_serving_stopped(orr_serving *s, orr_exec_id exec, uint32_t place)
{
    orr_sv_exec *e = &s->execs.at[exec];
    orr_sv_slot slot = e->at.at[place];
    orr_sv_service *v = orr_sv_service_of(s, s->replicas.at[slot.replica].variant);
    e->busy--;
    e->busy_ns += (double)(s->now - slot.start);
    e->at.at[place].size = 0;
    e->at.at[place].stops = false;
    for (int32_t i = slot.size - 1; i >= 0; i--) {
        uint8_t *record = slot.reqs + (size_t)i * v->stride;
        if (!slot.redo)
            *left_of(v, record) = slot.stop_at;
        orr_serving_back(s, v, record, s->replicas.at[slot.replica].variant);
    }
    orr_serving_touch(s, exec);
}

orr_err orr_batch_preempt(orr_ctx *ctx, orr_exec_id exec, bool redo)
{
    orr_serving *s = ctx->serving;
    const bool there = exec >= 0 && (size_t)exec < s->execs.n;
    int32_t youngest = -1;
    if (!there || !s->preempts) {
        orr_serving_violation(s, ORR_E_SERVE_DECISION, "orr_batch_preempt: %s",
                              there ? "its table doesn't say that it preempts" : "no such executor");
        return ORR_E_BAD_VALUE;
    }
    orr_sv_exec *e = &s->execs.at[exec];
    for (size_t i = 0; i < e->at.n; i++)
        if (e->at.at[i].size && e->at.at[i].event && !e->at.at[i].stops &&
            (youngest < 0 || e->at.at[i].start >= e->at.at[youngest].start))
            youngest = (int32_t)i;
    if (youngest < 0 || e->stages > 1 || orr_serving_iter_on(e)) /* who makes tokens goes back by `step` */
        return ORR_E_NOFIT;
    orr_serving_stop(s, exec, (uint32_t)youngest, redo);
    return ORR_OK;
}
