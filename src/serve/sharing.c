/* Batches that slow each other down: on slots that share one processor, and on one GPU beside other executors. Whenever
 * one begins or ends, those beside it get another rate, and what is left of them ends at another time.
 */
#include "serve/sharing.h"

#include "serve/iter.h"

#include <math.h>
#include <stdio.h>

/* ---- who is beside whom ------------------------------------------------------------------------------------------ */

static bool overlap(const orr_sv_exec *a, const orr_sv_exec *b)
{
    return a->node == b->node && (a->mask & b->mask);
}

/* Few live on one GPU: O(executors of the node), when one is made. */
void orr_serving_neighbours(orr_serving *s, orr_exec_id id)
{
    if (!s->spec->contention_count || s->execs.at[id].milli == ORR_WHOLE_GPU || s->execs.at[id].slice_name)
        return;
    for (size_t i = 0; i < s->execs.n; i++) {
        orr_sv_exec *a = &s->execs.at[i], *b = &s->execs.at[id];
        if (a->id == id || !a->alive || !overlap(a, b))
            continue;
        ORR_VEC_PUSH(&a->beside, id);
        ORR_VEC_PUSH(&b->beside, a->id);
        a->slows = b->slows = true;
    }
}

static bool names(const orr_serving *s, const char *text, orr_variant_id variant)
{
    const orr_sv_variant *v = &s->variants.at[variant];
    char name[256];
    if (!*text)
        return true;
    snprintf(name, sizeof name, "%s/%s", s->services.at[v->service].spec->name, v->spec->name);
    return strcmp(text, name) == 0;
}

/* The first line that speaks of the two. */
static double slowdown(const orr_serving *s, orr_variant_id a, orr_variant_id b)
{
    for (int32_t i = 0; i < s->spec->contention_count; i++) {
        const orr_contention *c = &s->spec->contention[i];
        if (names(s, c->a, a) && names(s, c->b, b))
            return c->slowdown;
    }
    return 1;
}

static double rate_of(const orr_serving *s, const orr_sv_exec *e, orr_variant_id variant)
{
    double rate = e->shared_slots && e->busy > 1 ? 1.0 / e->busy : 1;
    for (size_t i = 0; i < e->beside.n; i++) {
        const orr_sv_exec *n = &s->execs.at[e->beside.at[i]];
        for (size_t k = 0; n->alive && k < n->at.n; k++)
            if (n->at.at[k].size)
                rate /= slowdown(s, variant, s->replicas.at[n->at.at[k].replica].variant);
    }
    return rate;
}

/* ---- rates ------------------------------------------------------------------------------------------------------- */

static void rerate_slot(orr_serving *s, const orr_sv_exec *e, orr_sv_slot *slot)
{
    const double rate = rate_of(s, e, s->replicas.at[slot->replica].variant);
    if (rate == slot->rate)
        return;
    if (orr_serving_iter_on(e)) {
        orr_serving_iter_rate(s, e->id, rate);
        return;
    }
    slot->work = fmax(slot->work - (double)(s->now - slot->since) * 1e-9 * slot->rate, 0);
    slot->since = s->now;
    slot->rate = rate;
    slot->end = s->now + orr_serving_span(slot->work / rate);
    orr_queue_move(s->queue, slot->event, slot->end);
}

static void rerate(orr_serving *s, orr_sv_exec *e)
{
    for (size_t i = 0; i < e->at.n; i++)
        if (e->at.at[i].size)
            rerate_slot(s, e, &e->at.at[i]);
    const orr_variant_id first = e->replicas.n ? s->replicas.at[e->replicas.at[0]].variant : -1;
    const double rate = first < 0 ? 1 : rate_of(s, e, first);
    if (rate == e->rate)
        return;
    e->rate = rate;
    if (s->tells_rates)
        orr_serving_tell(s, &(orr_serve_event){.kind = ORR_SE_SLOWED,
                                               .exec = e->id,
                                               .node = e->node,
                                               .replica = -1,
                                               .variant = first,
                                               .service = first < 0 ? -1 : s->variants.at[first].service,
                                               .value = rate,
                                               .due = s->now});
}

void orr_serving_loaded(orr_serving *s, orr_exec_id id)
{
    rerate(s, &s->execs.at[id]);
    for (size_t i = 0; i < s->execs.at[id].beside.n; i++)
        rerate(s, &s->execs.at[s->execs.at[id].beside.at[i]]);
}
