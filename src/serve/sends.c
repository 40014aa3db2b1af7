/* What is on the way for a while: requests that one service sends to another, and answers of a result cache. */
#include "serve/journeys.h"

typedef struct sent {
    orr_service_id service;
    bool answered;
    orr_sv_answer answer;
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
} sent;

struct orr_sv_sends {
    ORR_VEC(sent) at;
    ORR_VEC(uint32_t) free;
};

static uint32_t place_for(struct orr_sv_sends *t)
{
    if (t->free.n)
        return t->free.at[--t->free.n];
    ORR_VEC_PUSH(&t->at, (sent){0});
    return (uint32_t)t->at.n - 1;
}

void orr_serving_send(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer,
                      orr_time delay)
{
    if (!s->sends)
        s->sends = orr_xcalloc(1, sizeof *s->sends);
    const uint32_t place = place_for(s->sends);
    sent *x = &s->sends->at.at[place];
    x->service = v->id;
    x->answered = answer != NULL;
    if (answer)
        x->answer = *answer;
    memcpy(x->record, record, v->stride);
    orr_queue_add(s->queue, &(orr_queued){.at = orr_time_add(s->now, delay),
                                          .class_ = answer ? ORR_CLASS_END : ORR_CLASS_SUBMIT,
                                          .kind = ORR_SV_SEND,
                                          .cookie = place});
}

void orr_serving_sent(orr_serving *s, uint32_t place)
{
    sent x = s->sends->at.at[place];
    orr_sv_service *v = &s->services.at[x.service];
    ORR_VEC_PUSH(&s->sends->free, place);
    if (x.answered) {
        orr_serving_answered(s, v, x.record, &x.answer);
        return;
    }
    orr_serving_come(s, v, x.record);
}

void orr_serving_sends_end(orr_serving *s)
{
    if (!s->sends)
        return;
    ORR_VEC_FREE(&s->sends->at);
    ORR_VEC_FREE(&s->sends->free);
    free(s->sends);
    s->sends = NULL;
}
