/* A request that several variants answer, and the vote on it. */
#include "serve/journeys.h"

#include <math.h>

enum { WAITS, CAME, GONE };

typedef struct fan {
    orr_service_id service;
    orr_fan ask;
    uint8_t state[ORR_FAN_MOST];
    int8_t correct[ORR_FAN_MOST];
    int32_t waiting, came;
    bool decided, overdue; /* overdue: the next one that comes is the answer */
    orr_time start;        /* the first batch of those that came */
    orr_sv_answer last;    /* of the member that came last */
    orr_event_id due;
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST]; /* of the request itself */
} fan;

struct orr_sv_fans {
    ORR_VEC(fan) at;
    ORR_VEC(uint32_t) free;
};

/* ---- right or wrong ---------------------------------------------------------------------------------------------- */

/* The part `alike` of the requests is as hard for one variant as for the others: one draw decides for all of them.
 * The correlation of two equally accurate ones is `alike`. */
int8_t orr_serving_correct(const orr_sv_service *v, const orr_variant *variant, int32_t place, uint32_t number)
{
    if (isnan(variant->accuracy))
        return -1;
    const bool common = v->spec->alike > 0 && orr_sv_draw(v, number, ORR_SV_ALIKE, 0) < v->spec->alike;
    const double u =
        common ? orr_sv_draw(v, number, ORR_SV_HARD, 0) : orr_sv_draw(v, number, ORR_SV_RIGHT, (uint64_t)place);
    return u < variant->accuracy;
}

/* Those who are wrong say the same wrong thing (two classes): the most pessimistic case. A tie is decided by a coin. */
static int8_t vote(const orr_sv_service *v, const fan *f)
{
    double right = 0, wrong = 0;
    for (int32_t i = 0; i < f->ask.count; i++) {
        if (f->state[i] != CAME)
            continue;
        if (f->correct[i] < 0)
            return -1;
        *(f->correct[i] ? &right : &wrong) += f->ask.weights[i];
    }
    if (right == wrong)
        return orr_sv_draw(v, ((const orr_req *)(const void *)f->record)->number, ORR_SV_COIN, 0) < 0.5;
    return right > wrong;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static uint32_t place_for(struct orr_sv_fans *t)
{
    if (t->free.n)
        return t->free.at[--t->free.n];
    ORR_VEC_PUSH(&t->at, (fan){0});
    return (uint32_t)t->at.n - 1;
}

static bool legal(orr_serving *s, const orr_sv_service *v, const orr_fan *f)
{
    bool fine =
        f->count >= 1 && f->count <= ORR_FAN_MOST && f->need >= 0 && f->need <= f->count && f->answer_by >= s->now;
    for (int32_t i = 0; fine && i < f->count; i++)
        fine = f->variants[i] >= v->first && f->variants[i] < v->first + v->spec->variant_count && f->weights[i] >= 0;
    if (!fine)
        orr_serving_violation(s, ORR_E_SERVE_DECISION, "selector: illegal choice of variants of '%s'", v->spec->name);
    return fine;
}

static void plain(const orr_serving *s, const orr_sv_service *v, const orr_req *req, orr_fan *f)
{
    *f = (orr_fan){.count = 1, .variants = {v->current}, .answer_by = req->deadline > s->now ? req->deadline : s->now};
    for (int i = 0; i < ORR_FAN_MOST; i++)
        f->weights[i] = 1;
}

static void ask_members(orr_serving *s, orr_sv_service *v, uint32_t place, int32_t count)
{
    _Alignas(8) uint8_t copy[ORR_SV_STRIDE_MOST];
    for (int32_t i = 0; i < count; i++) {
        const fan *f = &s->fans->at.at[place];
        memcpy(copy, f->record, v->stride);
        orr_sv_link_of(v, copy)->fan = (place + 1) * ORR_FAN_MOST + (uint32_t)i;
        if (((const orr_req *)(const void *)copy)->arrival >= s->spec->warm_up)
            v->counts.members++;
        orr_serving_member(s, v, copy, f->ask.variants[i]);
    }
}

static void let_go(orr_serving *s, uint32_t place)
{
    fan *f = &s->fans->at.at[place];
    if (f->waiting || !f->decided)
        return;
    f->waiting = -1; /* once: its answer may have led to the end of others of it */
    orr_queue_cancel(s->queue, f->due);
    ORR_VEC_PUSH(&s->fans->free, place);
}

static void open_fan(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_fan *ask)
{
    if (!s->fans)
        s->fans = orr_xcalloc(1, sizeof *s->fans);
    const uint32_t place = place_for(s->fans);
    fan *f = &s->fans->at.at[place];
    *f = (fan){.service = v->id, .ask = *ask, .waiting = ask->count, .start = ORR_TIME_MAX};
    f->ask.need = ask->need ? ask->need : ask->count;
    memcpy(f->record, record, v->stride);
    if (ask->answer_by != ORR_TIME_MAX)
        f->due = orr_queue_add(
            s->queue,
            &(orr_queued){.at = ask->answer_by, .class_ = ORR_CLASS_CAPACITY, .kind = ORR_SV_MEMBER, .cookie = place});
    ask_members(s, v, place, ask->count);
}

void orr_serving_select(orr_serving *s, orr_sv_service *v, uint8_t *record)
{
    orr_fan f;
    const orr_req *req = (const orr_req *)(const void *)record;
    plain(s, v, req, &f);
    s->selector->select(s->seats[ORR_SEAT_SELECTOR], v->id, req, &f);
    if (s->world->fault.code)
        return;
    if (!legal(s, v, &f))
        plain(s, v, req, &f);
    if (f.count == 1)
        orr_serving_member(s, v, record, f.variants[0]);
    else
        open_fan(s, v, record, &f);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static fan *fan_of(orr_serving *s, uint32_t link)
{
    return &s->fans->at.at[link / ORR_FAN_MOST - 1];
}

/* The request's own answer: as of the member that came last. */
static void decide(orr_serving *s, orr_sv_service *v, uint32_t place)
{
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
    fan *f = &s->fans->at.at[place];
    orr_sv_answer a = f->last;
    f->decided = true;
    a.start = f->start;
    a.correct = vote(v, f);
    a.accuracy = a.correct < 0 ? NAN : a.correct;
    memcpy(record, f->record, v->stride);
    orr_serving_part_answered(s, v, record, &a);
}

bool orr_serving_fan_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *answer)
{
    const uint32_t link = orr_sv_link_of(v, record)->fan;
    const orr_req *req = (const orr_req *)(const void *)record;
    if (!link)
        return false;
    fan *f = fan_of(s, link);
    const uint32_t i = link % ORR_FAN_MOST;
    f->state[i] = CAME;
    f->correct[i] = answer->correct;
    f->waiting--;
    f->came++;
    f->start = answer->start < f->start ? answer->start : f->start;
    f->last = *answer;
    if (req->arrival >= s->spec->warm_up)
        v->counts.members_answered++;
    const int32_t asked = f->ask.count, came = f->came;
    if (!f->decided && (f->came >= f->ask.need || !f->waiting || f->overdue))
        decide(s, v, link / ORR_FAN_MOST - 1);
    let_go(s, link / ORR_FAN_MOST - 1);
    orr_serving_tell_answer(s, v, req, answer, asked, came); /* last: it may drop other members */
    return true;
}

/* Nobody is left who could answer. */
static void give_up(orr_serving *s, orr_sv_service *v, uint32_t place, orr_drop_why why, orr_time at)
{
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
    fan *f = &s->fans->at.at[place];
    f->decided = true;
    memcpy(record, f->record, v->stride);
    orr_serving_part_dropped(s, v, record, why, at);
}

bool orr_serving_fan_dropped(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at)
{
    const uint32_t link = orr_sv_link_of(v, record)->fan;
    if (!link)
        return false;
    fan *f = fan_of(s, link);
    f->state[link % ORR_FAN_MOST] = GONE;
    f->waiting--;
    if (((const orr_req *)(const void *)record)->arrival >= s->spec->warm_up)
        v->counts.members_dropped++;
    if (!f->waiting && !f->decided && f->came)
        decide(s, v, link / ORR_FAN_MOST - 1);
    else if (!f->waiting && !f->decided)
        give_up(s, v, link / ORR_FAN_MOST - 1, why, at);
    let_go(s, link / ORR_FAN_MOST - 1);
    return true;
}

void orr_serving_fan_due(orr_serving *s, uint32_t place)
{
    fan *f = &s->fans->at.at[place];
    f->due = 0;
    if (f->decided)
        return;
    f->overdue = true;
    if (f->came)
        decide(s, &s->services.at[f->service], place);
}

void orr_serving_fans_end(orr_serving *s)
{
    if (!s->fans)
        return;
    ORR_VEC_FREE(&s->fans->at);
    ORR_VEC_FREE(&s->fans->free);
    free(s->fans);
    s->fans = NULL;
}
