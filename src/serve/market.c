/* Machines that are bought: what they cost, and those that are taken away again.
 *
 * An executor of a market with a mean life lives for a time drawn when it is made (exponential, by the seed and its
 * number). Before that it has notice, at once if its life is shorter; its event in the queue is the notice first, then
 * the end. Such events don't keep a run alive: they are counted as periods are, and where they are all that is left,
 * nothing more happens.
 */
#include "serve/iter.h"
#include "serve/nodes.h"
#include "serve/weights.h"

#include <math.h>

/* ---- lives ------------------------------------------------------------------------------------------------------- */

static void at(orr_serving *s, orr_sv_exec *e, orr_time when)
{
    s->periodic++;
    s->markets_due++;
    e->market_event = orr_queue_add(
        s->queue,
        &(orr_queued){.at = when, .class_ = ORR_CLASS_CAPACITY, .kind = ORR_SV_MARKET, .cookie = (uint64_t)e->id});
}

static void fired(orr_serving *s, orr_sv_exec *e)
{
    s->periodic--;
    s->markets_due--;
    e->market_event = 0;
}

void orr_serving_market_begin(orr_serving *s, orr_exec_id id)
{
    orr_sv_exec *e = &s->execs.at[id];
    const orr_market *m = e->market < 0 ? NULL : &s->spec->markets[e->market];
    if (!m || m->mean_life <= 0 || m->mean_life == ORR_TIME_MAX)
        return;
    uint64_t draws = orr_mix64(s->seed ^ ((uint64_t)(uint32_t)id << 20) ^ UINT64_C(0x6d61726b6574));
    const double life = floor((double)m->mean_life * orr_draw_exponential(&draws)) + 1;
    e->taken_at = life < 9e18 ? orr_time_add(s->now, (orr_time)life) : ORR_TIME_MAX;
    if (e->taken_at == ORR_TIME_MAX)
        return;
    const orr_time told = e->taken_at - (m->notice > 0 ? m->notice : 0);
    at(s, e, told > s->now ? told : s->now);
}

void orr_serving_market_end(orr_serving *s, orr_exec_id id)
{
    orr_sv_exec *e = &s->execs.at[id];
    if (e->market_event && orr_queue_cancel(s->queue, e->market_event))
        fired(s, e);
}

void orr_serving_market_event(orr_serving *s, orr_exec_id id)
{
    orr_sv_exec *e = &s->execs.at[id];
    fired(s, e);
    if (s->now >= e->taken_at) {
        orr_serving_exec_take(s, id, ORR_GONE_MARKET);
        return;
    }
    e->noticed = true;
    at(s, e, e->taken_at);
    orr_serving_tell(s, &(orr_serve_event){.kind = ORR_SE_NOTICE,
                                           .service = -1,
                                           .variant = -1,
                                           .replica = -1,
                                           .exec = e->id,
                                           .node = e->node,
                                           .due = e->taken_at});
}

/* An executor that is idle, if there is one, is asked what it runs next; it passes on what it leaves. */
void orr_serving_rouse(orr_serving *s, orr_variant_id variant)
{
    const orr_sv_variant *v = &s->variants.at[variant];
    const orr_exec_id first = v->idle_made && v->central.n ? orr_bits_next(&v->idle, 0) : -1;
    if (v->iter)
        orr_serving_iter_rouse(s, variant, -1);
    else if (first >= 0)
        orr_serving_touch(s, first);
    if (s->store)
        orr_serving_weights_missed(s, (orr_dest){.variant = variant, .replica = -1});
    orr_serving_arm(s, &s->services.at[v->service]);
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

/* Of executors by the hour and GPU, a part of one at the part of its price; and of what was bought by the call. */
double orr_serving_cost(const orr_serving *s)
{
    double cost = 0;
    for (size_t i = 0; i < s->execs.n; i++) {
        const orr_sv_exec *e = &s->execs.at[i];
        if (e->market < 0)
            continue;
        const double life = (double)(e->alive ? s->now : e->gone_at) - e->since_ns;
        cost += life / 3600e9 * e->gpus * (e->held / 1000.0) * s->spec->markets[e->market].price;
    }
    for (size_t i = 0; i < s->services.n; i++)
        cost += s->services.at[i].counts.cost;
    return cost;
}
