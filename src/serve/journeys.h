/* Requests that have parts elsewhere: those that services ask of each other, and those that a selector asks of
 * several variants.
 *
 * A request of a root is one *query*: its own answer asks other services (edges), theirs ask on, and it is answered
 * when the last of its parts has been. What is asked of one service is a *part*; it has a record of its own there. A
 * part that several variants answer is a *fan*; each of them gets a copy, a *member*. Records say which query and fan
 * they belong to (orr_sv_link).
 *
 * A service that several others ask within one query is a join: it is asked when all of them are done, as often as
 * the one asks it that asks most. A part that is dropped ends its query without an answer, at once; nothing more is
 * asked for it then, what runs is let run.
 */
#ifndef ORR_SERVE_JOURNEYS_H
#define ORR_SERVE_JOURNEYS_H

#include "serve/serving.h"

/* At link_at of a record: what it belongs to; 0: nothing. */
typedef struct orr_sv_link {
    uint32_t query; /* its place + 1 */
    uint32_t fan;   /* (its place + 1) * ORR_FAN_MOST + which member it is */
} orr_sv_link;

/* An answer, as far as it is known before it is counted. */
typedef struct orr_sv_answer {
    orr_variant_id variant;
    orr_exec_id exec;
    orr_time start; /* of its batch */
    int32_t batch;
    double accuracy; /* of what was drawn: 0 or 1; of one variant that wasn't: its own; NaN: not stated */
    int8_t correct;  /* 1, 0; -1: not known */
} orr_sv_answer;

orr_err orr_serving_journeys_begin(orr_serving *s, orr_error *e); /* CONFLICT: services ask each other in a circle */
void orr_serving_journeys_end(orr_serving *s);

/* ---- fans.c ---- */
/* Asks the selector; then each of the variants. */
void orr_serving_select(orr_serving *s, orr_sv_service *v, uint8_t *record);
/* A record of a linked service was answered or dropped. */
void orr_serving_part_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer);
void orr_serving_part_dropped(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at);

void orr_serving_fan_due(orr_serving *s, uint32_t fan); /* its MEMBER event */
/* True: it was a member, and that is all there is to do now. */
bool orr_serving_fan_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer);
bool orr_serving_fan_dropped(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at);
void orr_serving_fans_end(orr_serving *s);

/* ---- sends.c ---- */
/* On the way: enters `service` after `delay`, or, with `answer`, is answered then. The record is copied. */
void orr_serving_send(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer,
                      orr_time delay);
void orr_serving_sent(orr_serving *s, uint32_t place); /* its SEND event */
void orr_serving_sends_end(orr_serving *s);

/* ---- finish.c ---- */
/* A record was answered: by a member, a part, or for good. */
void orr_serving_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer);
/* Counted and told. `deadline`: that which it is judged by. */
void orr_serving_count_answer(orr_serving *s, orr_sv_service *v, const orr_req *req, const orr_sv_answer *answer,
                              orr_time deadline);
void orr_serving_count_drop(orr_serving *s, orr_sv_service *v, const orr_req *req, orr_drop_why why, orr_time at);
/* Was it right? Drawn by the request's number and the variant; -1: its accuracy isn't stated. */
int8_t orr_serving_correct(const orr_sv_service *v, const orr_variant *variant, int32_t place, uint32_t number);
void orr_serving_tell_answer(orr_serving *s, orr_sv_service *v, const orr_req *req, const orr_sv_answer *answer,
                             int32_t asked, int32_t came);

/* What a draw is for, in orr_sv_key. */
enum { ORR_SV_HARD = 11, ORR_SV_ALIKE, ORR_SV_RIGHT, ORR_SV_COIN, ORR_SV_FAN_OUT };
/* 0..1, of a request for one purpose; `part` tells several of them apart. */
static inline double orr_sv_draw(const orr_sv_service *v, uint64_t number, uint64_t purpose, uint64_t part)
{
    return (double)(orr_mix64(orr_sv_key(v, number, purpose) + part) >> 11) * 0x1p-53;
}

static inline orr_sv_link *orr_sv_link_of(const orr_sv_service *v, const uint8_t *record)
{
    return (orr_sv_link *)(void *)(uintptr_t)(record + v->link_at);
}

#endif
