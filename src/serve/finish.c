/* The last word on a request: answered or dropped, and counted. */
#include "serve/cache.h"
#include "serve/journeys.h"

#include <math.h>

void orr_serving_came(orr_serving *s, orr_sv_service *v, orr_time at)
{
    if (at < s->spec->warm_up)
        v->counts.warm_up++;
    else
        v->counts.arrived++;
    if (v->rates)
        orr_serving_rates_came(v->rates, at);
}

static void tell(orr_serving *s, const orr_sv_service *v, const orr_request_record *r)
{
    (void)v;
    s->sink.request(s->sink.self, r);
}

/* A part of a query is nobody's own request. */
static void next_client(orr_serving *s, orr_sv_service *v, const orr_req *req, orr_time at)
{
    if (v->spec->source.kind != ORR_SOURCE_CLOSED ||
        (v->linked && orr_sv_link_of(v, (const uint8_t *)(const void *)req)->query))
        return;
    orr_pull_answered(v->pull, at > s->now ? at : s->now); /* who was found to have left before asks from now on */
    orr_serving_arm(s, v);
}

void orr_serving_count_answer(orr_serving *s, orr_sv_service *v, const orr_req *req, const orr_sv_answer *a,
                              orr_time deadline)
{
    const orr_time at = orr_time_add(s->now, v->spec->reply);
    const bool late = deadline < at, measured = req->arrival >= s->spec->warm_up;
    if (measured) {
        v->counts.answered++;
        v->counts.late += late;
        orr_sv_tally_add(&v->latency, at - req->arrival);
        orr_sv_tally_add(&v->wait, a->start - req->arrival);
        v->counts.accuracy_sum += isnan(a->accuracy) ? 0 : a->accuracy;
        v->counts.rated += a->correct >= 0;
        v->counts.correct += a->correct > 0;
    }
    if (s->sink.request)
        tell(s, v,
             &(orr_request_record){.service = v->id,
                                   .variant = a->variant,
                                   .exec = a->exec,
                                   .number = req->number,
                                   .class_ = req->class_,
                                   .answered = true,
                                   .late = late,
                                   .measured = measured,
                                   .arrival = req->arrival,
                                   .start = a->start,
                                   .end = at,
                                   .deadline = deadline,
                                   .batch = a->batch});
    next_client(s, v, req, at);
}

void orr_serving_tell_answer(orr_serving *s, orr_sv_service *v, const orr_req *req, const orr_sv_answer *a,
                             int32_t asked, int32_t came)
{
    orr_ctx *ctx = s->seats[ORR_SEAT_SELECTOR];
    if (!s->selector || !s->selector->on_answer)
        return;
    const bool knows = ctx->know[ORR_SQ_CORRECT] >= ORR_KNOW_OBSERVED;
    if (knows)
        ctx->used[ORR_SQ_CORRECT] = ORR_KNOW_OBSERVED;
    s->selector->on_answer(ctx, &(orr_answer){.service = v->id,
                                              .variant = a->variant,
                                              .req = req,
                                              .latency = s->now - req->arrival,
                                              .late = req->deadline < s->now,
                                              .correct = knows ? a->correct : -1,
                                              .asked = asked,
                                              .came = came});
}

static void settle(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *a)
{
    const orr_req *req = (const orr_req *)(const void *)record;
    if (v->linked && orr_serving_fan_answered(s, v, record, a))
        return;
    orr_serving_tell_answer(s, v, req, a, 1, 1);
    if (v->linked)
        orr_serving_part_answered(s, v, record, a);
    else
        orr_serving_count_answer(s, v, req, a, req->deadline);
}

void orr_serving_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *a)
{
    settle(s, v, record, a);
    if (v->cache) /* those who waited for it come behind it */
        orr_serving_cache_answered(s, v, record, a);
}

void orr_serving_answer(orr_serving *s, orr_sv_service *v, orr_variant_id variant, const uint8_t *record,
                        orr_time start, int32_t batch, orr_exec_id exec)
{
    const orr_variant *spec = s->variants.at[variant].spec;
    const orr_req *req = (const orr_req *)(const void *)record;
    const orr_sv_answer a = {.variant = variant,
                             .exec = exec,
                             .start = start,
                             .batch = batch,
                             .accuracy = spec->accuracy,
                             .correct = v->judged ? orr_serving_correct(v, spec, variant - v->first, req->number) : -1};
    if (v->linked || v->cache || s->selector)
        orr_serving_answered(s, v, record, &a);
    else
        orr_serving_count_answer(s, v, req, &a, req->deadline);
}

void orr_serving_count_drop(orr_serving *s, orr_sv_service *v, const orr_req *req, orr_drop_why why, orr_time at)
{
    const bool measured = req->arrival >= s->spec->warm_up;
    if (measured) {
        v->counts.dropped[why]++;
        v->gone_waited += (double)(at - req->arrival);
    }
    if (s->sink.request)
        tell(s, v,
             &(orr_request_record){.service = v->id,
                                   .variant = -1,
                                   .exec = -1,
                                   .number = req->number,
                                   .class_ = req->class_,
                                   .measured = measured,
                                   .why = why,
                                   .arrival = req->arrival,
                                   .start = ORR_TIME_NONE,
                                   .end = at,
                                   .deadline = req->deadline});
    next_client(s, v, req, at);
}

void orr_serving_drop_at(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at)
{
    if (v->cache)
        orr_serving_cache_dropped(s, v, record, why, at);
    if (!v->linked)
        orr_serving_count_drop(s, v, (const orr_req *)(const void *)record, why, at);
    else if (!orr_serving_fan_dropped(s, v, record, why, at))
        orr_serving_part_dropped(s, v, record, why, at);
}

void orr_serving_drop(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why)
{
    orr_serving_drop_at(s, v, record, why, s->now);
}
