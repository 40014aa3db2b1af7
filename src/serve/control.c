/* What is decided about replicas, and when: scalers by their period, `decide` after events and by its own, timers. */
#include "serve/journeys.h"
#include "serve/weights.h"
#include "serve/nodes.h"

enum { IDLE_DECISIONS = 1000 };

/* ---- periods ----------------------------------------------------------------------------------------------------- */

/* A knob `period` wins over what the table says. */
static orr_time period_of(const orr_ctx *ctx, const char *stated)
{
    orr_time period = 0;
    for (const orr_knob *k = ctx->desc.batcher.knobs; k && k->name; k++)
        if (k->type == ORR_KNOB_TIME && strcmp(k->name, "period") == 0)
            return *(const orr_time *)(const void *)((const char *)ctx->knobs + k->offset);
    if (stated && orr_time_parse_duration(stated, &period) == ORR_OK)
        return period;
    return 0;
}

static void again(orr_serving *s, orr_sv_event kind, uint64_t cookie, orr_time after)
{
    if (after <= 0)
        return;
    s->periodic++;
    orr_queue_add(
        s->queue,
        &(orr_queued){.at = orr_time_add(s->now, after), .class_ = ORR_CLASS_DECIDE, .kind = kind, .cookie = cookie});
}

void orr_serving_control_begin(orr_serving *s)
{
    s->decide = s->serve && s->serve->decide;
    if (s->scaler && s->scaler->want) {
        const orr_time period = period_of(s->seats[ORR_SEAT_SCALER], s->scaler->period ? s->scaler->period : "1s");
        s->scale_period = period;
        for (size_t i = 0; i < s->services.n; i++)
            again(s, ORR_SV_SCALE, i, period);
    }
    if (s->serve && s->serve->decide) {
        s->decide_period = period_of(s->seats[ORR_SEAT_SERVE], s->serve->period);
        again(s, ORR_SV_DECIDE, 0, s->decide_period);
    }
}

/* ---- scalers ----------------------------------------------------------------------------------------------------- */

static bool same_kind(const orr_serving *s, orr_replica_id id, const orr_want_row *row)
{
    const orr_sv_replica *r = &s->replicas.at[id];
    const orr_sv_exec *e = &s->execs.at[r->exec];
    return r->variant == row->variant && (row->type < 0 || e->type == row->type) && e->milli == row->milli &&
           e->gpus == row->gpus && (row->market < 0 || e->market == row->market) &&
           (!row->slice || (e->slice_name && strcmp(e->slice_name, row->slice) == 0));
}

static int32_t row_of(const orr_serving *s, const orr_want *want, orr_replica_id id)
{
    for (int32_t i = 0; i < want->count; i++)
        if (same_kind(s, id, &want->rows[i]))
            return i;
    return -1;
}

static bool counts(const orr_serving *s, orr_replica_id id)
{
    const orr_phase phase = s->replicas.at[id].phase;
    return phase != ORR_PHASE_DRAINING && phase != ORR_PHASE_GONE;
}

/* What exists, by kind, in the order in which a kind first appears. O(replicas of the service), by its period. */
static orr_want what_exists(orr_serving *s, const orr_sv_service *v)
{
    orr_want want = {.current = v->current};
    for (orr_variant_id a = v->first; a < v->first + v->spec->variant_count; a++) {
        const orr_sv_variant *variant = &s->variants.at[a];
        for (size_t i = 0; i < variant->replicas.n; i++) {
            const orr_sv_replica *r = &s->replicas.at[variant->replicas.at[i]];
            const orr_sv_exec *e = &s->execs.at[r->exec];
            int32_t row = counts(s, r->id) ? row_of(s, &want, r->id) : ORR_WANT_MOST;
            if (row < 0 && want.count < ORR_WANT_MOST) {
                row = want.count++;
                want.rows[row] = (orr_want_row){.variant = a,
                                                .type = e->type,
                                                .market = e->market,
                                                .milli = e->milli,
                                                .gpus = e->gpus,
                                                .slice = e->slice ? e->slice_name : NULL};
            }
            if (row >= 0 && row < ORR_WANT_MOST)
                want.rows[row].count++;
        }
    }
    return want;
}

/* Starting ones before ready ones, then who has least waiting, then the youngest. */
static bool better_victim(const orr_serving *s, orr_replica_id a, orr_replica_id b)
{
    const orr_sv_replica *x = &s->replicas.at[a], *y = &s->replicas.at[b];
    const bool x_ready = x->phase == ORR_PHASE_READY, y_ready = y->phase == ORR_PHASE_READY;
    if (x_ready != y_ready)
        return !x_ready;
    if (x->queue.n != y->queue.n)
        return x->queue.n < y->queue.n;
    return a > b;
}

static void take_away(orr_serving *s, const orr_want_row *row, int32_t n)
{
    for (; n > 0; n--) {
        const orr_sv_variant *variant = &s->variants.at[row->variant];
        orr_replica_id victim = -1;
        for (size_t i = 0; i < variant->replicas.n; i++) {
            const orr_replica_id id = variant->replicas.at[i];
            if (counts(s, id) && same_kind(s, id, row) && (victim < 0 || better_victim(s, id, victim)))
                victim = id;
        }
        if (victim < 0)
            return;
        orr_serving_replica_drain(s, victim);
    }
}

static void add_some(orr_serving *s, const orr_want_row *row, int32_t n)
{
    const orr_replica_ask ask = {.variant = row->variant,
                                 .on = -1,
                                 .type = row->type,
                                 .milli = row->milli,
                                 .gpus = row->gpus,
                                 .market = row->market,
                                 .node = -1,
                                 .slice = row->slice};
    for (; n > 0; n--) {
        orr_replica_id id;
        if (orr_serving_replica_ask(s, &ask, &id) != ORR_OK) {
            orr_world_note(s->world, "no room for another replica");
            return;
        }
    }
}

static bool is_legal(const orr_serving *s, const orr_sv_service *v, const orr_want_row *row)
{
    return row->count >= 0 && row->variant >= v->first && row->variant < v->first + v->spec->variant_count &&
           row->type < s->cluster->gpu_types && row->market < s->spec->market_count &&
           orr_serving_sized(row->milli, row->gpus);
}

static void apply(orr_serving *s, orr_sv_service *v, const orr_want *want)
{
    if (want->count < 0 || want->count > ORR_WANT_MOST) {
        orr_serving_violation(s, ORR_E_SERVE_DECISION, "scaler: %d rows", want->count);
        return;
    }
    for (int32_t i = 0; i < want->count; i++) {
        const orr_want_row *row = &want->rows[i];
        if (!is_legal(s, v, row)) {
            orr_serving_violation(s, ORR_E_SERVE_DECISION, "scaler: row %d wants %d of variant %d", i, row->count,
                                  row->variant);
            return;
        }
        int32_t there = 0;
        const orr_sv_variant *variant = &s->variants.at[row->variant];
        for (size_t k = 0; k < variant->replicas.n; k++)
            there += counts(s, variant->replicas.at[k]) && same_kind(s, variant->replicas.at[k], row);
        if (there > row->count)
            take_away(s, row, there - row->count);
        else
            add_some(s, row, row->count - there);
    }
    if (want->current != v->current)
        orr_serving_switch(s, v, want->current);
}

static void scale(orr_serving *s, orr_sv_service *v)
{
    orr_want want;
    if (!v->eager)
        orr_serving_catch_up(s, v);
    want = what_exists(s, v);
    s->controlling = true;
    s->scaler->want(s->seats[ORR_SEAT_SCALER], v->id, &want);
    if (!s->world->fault.code)
        apply(s, v, &want);
    s->controlling = false;
    if (orr_serving_goes_on(s))
        again(s, ORR_SV_SCALE, (uint64_t)v->id, s->scale_period);
}

/* ---- the variant that is current --------------------------------------------------------------------------------- */

/* Who waits for the old one centrally goes over, too, in order. */
void orr_serving_switch(orr_serving *s, orr_sv_service *v, orr_variant_id to)
{
    uint8_t record[ORR_SV_STRIDE_MOST];
    if (to < v->first || to >= v->first + v->spec->variant_count) {
        orr_serving_violation(s, ORR_E_SERVE_DECISION, "variant %d isn't one of the service", to);
        return;
    }
    orr_serving_catch_up(s, v);
    orr_sv_queue *old = &s->variants.at[v->current].central;
    v->current = to;
    if (old == &s->variants.at[to].central)
        return;
    for (uint32_t n = old->n; n > 0 && old->n; n--) { /* who sees them arrive may do more */
        orr_sv_pop(old, record);
        orr_serving_enqueue(s, record, (orr_dest){.variant = to, .replica = -1});
    }
    orr_serving_arm(s, v);
    s->variants.at[to].central.wake_at = INT32_MAX;
}

/* ---- decide, timers ---------------------------------------------------------------------------------------------- */

/* Asked only when nothing but periods, timers and wakes is left. */
static bool somebody_comes(orr_serving *s)
{
    bool comes = false;
    for (size_t i = 0; i < s->services.n && !comes; i++)
        comes = s->services.at[i].pull && orr_serving_look(s, &s->services.at[i], 1) != ORR_TIME_MAX;
    return comes;
}

/* Whoever lends nodes goes on deciding while there are jobs, unless nothing has come of it for long. */
static bool jobs_may_need_nodes(const orr_serving *s)
{
    return s->lends && s->world->life->live && s->idle_decisions < IDLE_DECISIONS;
}

/* Periods end with the run: nothing is to come, nobody waits, nothing runs. */
bool orr_serving_goes_on(orr_serving *s)
{
    return orr_queue_count(s->queue) > s->periodic || somebody_comes(s) || jobs_may_need_nodes(s);
}

bool orr_serving_expects(orr_serving *s)
{
    bool waits = false;
    for (size_t i = 0; i < s->variants.n && !waits; i++)
        waits = s->variants.at[i].central.n > 0;
    for (size_t i = 0; i < s->replicas.n && !waits; i++)
        waits = s->replicas.at[i].queue.n > 0;
    return waits || somebody_comes(s) || jobs_may_need_nodes(s);
}

void orr_serving_control(orr_serving *s)
{
    if (!s->decide || !s->serve || !s->serve->decide)
        return;
    s->decide = false;
    s->controlling = true;
    const orr_err err = s->serve->decide(s->seats[ORR_SEAT_SERVE]);
    s->controlling = false;
    char name[64];
    if (err)
        orr_world_fault(s->world, err, NULL, "policy '%s' failed: %s",
                        orr_ctx_name(s->seats[ORR_SEAT_SERVE], name, sizeof name), orr_err_text(err));
}

void orr_serving_dispatch_more(orr_serving *s, const orr_queued *event)
{
    switch ((orr_sv_event)event->kind) {
    case ORR_SV_SCALE:
        s->periodic--;
        scale(s, &s->services.at[event->cookie]);
        break;
    case ORR_SV_DECIDE:
        s->periodic--;
        s->decide = true;
        s->idle_decisions = s->lends && !somebody_comes(s) ? s->idle_decisions + 1 : 0;
        if (orr_serving_goes_on(s))
            again(s, ORR_SV_DECIDE, 0, s->decide_period);
        break;
    case ORR_SV_MEMBER:
        orr_serving_fan_due(s, (uint32_t)event->cookie);
        break;
    case ORR_SV_SEND:
        orr_serving_sent(s, (uint32_t)event->cookie);
        break;
    case ORR_SV_MARKET:
        orr_serving_market_event(s, (orr_exec_id)event->cookie);
        break;
    case ORR_SV_RETURN:
        orr_serving_loan_due(s, (int32_t)event->cookie);
        break;
    case ORR_SV_LOAD:
        orr_serving_weights_loaded(s, event->cookie);
        break;
    case ORR_SV_CALL:
        orr_serving_call_done(s, event->cookie);
        break;
    case ORR_SV_LEAVE:
        orr_serving_leave(s, &s->services.at[event->cookie]);
        break;
    case ORR_SV_TIMER:
        s->asked_for--;
        if (s->serve && s->serve->on_timer)
            s->serve->on_timer(event->what, event->cookie);
        s->decide = true;
        break;
    default:
        break;
    }
}
