/* Requests that are answered elsewhere, for money: each takes the variant's `call` and costs its `cost`. Any number
 * goes on at once.
 */
#include "serve/serving.h"

typedef struct call {
    orr_variant_id variant;
    int32_t next; /* the next free place; -1 */
    orr_time start;
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
} call;

struct orr_sv_calls {
    ORR_VEC(call) at; /* places are used again */
    int32_t free;     /* -1: none */
};

bool orr_serving_sold(const orr_variant *variant)
{
    return variant->call > 0 || variant->cost > 0;
}

static int32_t place_for(struct orr_sv_calls *c)
{
    if (c->free < 0) {
        ORR_VEC_PUSH(&c->at, (call){.next = -1});
        return (int32_t)c->at.n - 1;
    }
    const int32_t place = c->free;
    c->free = c->at.at[place].next;
    return place;
}

void orr_serving_call(orr_serving *s, const uint8_t *record, orr_variant_id variant)
{
    if (!s->calls) {
        s->calls = orr_xcalloc(1, sizeof *s->calls);
        s->calls->free = -1;
    }
    const orr_sv_service *v = orr_sv_service_of(s, variant);
    const int32_t place = place_for(s->calls);
    call *c = &s->calls->at.at[place];
    c->variant = variant;
    c->start = s->now;
    memcpy(c->record, record, v->stride);
    orr_queue_add(s->queue, &(orr_queued){.at = orr_time_add(s->now, s->variants.at[variant].spec->call),
                                          .class_ = ORR_CLASS_END,
                                          .kind = ORR_SV_CALL,
                                          .cookie = (uint64_t)place});
}

void orr_serving_call_done(orr_serving *s, uint64_t cookie)
{
    const int32_t place = (int32_t)cookie;
    const call done = s->calls->at.at[place];
    orr_sv_service *v = orr_sv_service_of(s, done.variant);
    s->calls->at.at[place].next = s->calls->free;
    s->calls->free = place;
    if (((const orr_req *)(const void *)done.record)->arrival >= s->spec->warm_up)
        v->counts.remote++;
    v->counts.cost += s->variants.at[done.variant].spec->cost;
    orr_serving_answer(s, v, done.variant, done.record, done.start, 1, -1);
}

void orr_serving_calls_destroy(struct orr_sv_calls *c)
{
    if (c)
        ORR_VEC_FREE(&c->at);
    free(c);
}
