/* Two sets of plans, of which one is the present one. Plans lie one behind the other; those that were replaced are left
 * where they are until the set is begun anew. */
#include <orrery/bookings.h>

static const orr_stretch none; /* what an empty plan points at */

static const orr_stretch *plan_in(const orr_bookings *b, const orr_booking *k, int w, size_t *n)
{
    *n = k->in[w].set == b->set[w] ? k->in[w].count : 0;
    return *n ? b->plans[w].at + k->in[w].from : &none;
}

static const orr_stretch *plan_of(const orr_bookings *b, const orr_booking *k, size_t *n)
{
    return plan_in(b, k, b->which, n);
}

static void give_back(orr_bookings *b, const orr_booking *k)
{
    size_t n;
    const orr_stretch *plan = plan_of(b, k, &n);
    orr_slots_give(&b->slots[b->which], plan, n);
}

static void take(orr_bookings *b, const orr_booking *k)
{
    size_t n;
    const orr_stretch *plan = plan_of(b, k, &n);
    orr_slots_take(&b->slots[b->which], plan, n);
}

/* Its plan are the stretches from there on. */
static void note(orr_bookings *b, orr_booking *k, size_t from, const orr_outcome *out)
{
    const int w = b->which;
    k->in[w].set = b->set[w];
    k->in[w].from = from;
    k->in[w].count = b->plans[w].n - from;
    k->in[w].out = *out;
}

void orr_bookings_try(orr_bookings *b, orr_time now, orr_time length, int32_t gpus)
{
    b->which = !b->which;
    b->set[b->which] = ++b->sets;
    b->plans[b->which].n = 0;
    orr_slots_reset(&b->slots[b->which], now, length, gpus);
}

void orr_bookings_drop(orr_bookings *b)
{
    b->which = !b->which;
}

void orr_bookings_fini(orr_bookings *b)
{
    for (int w = 0; w < 2; w++) {
        orr_slots_fini(&b->slots[w]);
        orr_stretches_fini(&b->plans[w]);
    }
}

const orr_slots *orr_bookings_slots(const orr_bookings *b)
{
    return &b->slots[b->which];
}

bool orr_bookings_reach(const orr_bookings *b, orr_time now)
{
    const orr_slots *s = &b->slots[b->which];
    return s->length > 0 && s->first == now / s->length;
}

void orr_bookings_advance(orr_bookings *b, orr_time now)
{
    b->slots[b->which].now = now;
}

bool orr_bookings_fill(orr_bookings *b, orr_booking *k, const orr_demand *d)
{
    orr_stretches *plans = &b->plans[b->which];
    const size_t from = plans->n;
    orr_outcome out = {0};
    give_back(b, k);
    const bool fits = orr_slots_fill(&b->slots[b->which], d, plans, &out);
    if (fits)
        note(b, k, from, &out);
    take(b, k);
    return fits;
}

static bool hold(orr_bookings *b, orr_booking *k, const orr_demand *d, int32_t size, orr_outcome *out, bool keep)
{
    orr_stretches *plans = &b->plans[b->which];
    const size_t from = plans->n;
    give_back(b, k);
    const bool fits = orr_slots_hold(&b->slots[b->which], d, size, plans, out);
    if (fits && keep)
        note(b, k, from, out);
    else
        plans->n = from;
    take(b, k);
    return fits;
}

bool orr_bookings_hold(orr_bookings *b, orr_booking *k, const orr_demand *d, int32_t size)
{
    orr_outcome out = {0};
    return hold(b, k, d, size, &out, true);
}

bool orr_bookings_ask(orr_bookings *b, orr_booking *k, const orr_demand *d, int32_t size, orr_outcome *out)
{
    *out = (orr_outcome){0};
    return hold(b, k, d, size, out, false);
}

void orr_bookings_put(orr_bookings *b, orr_booking *k, orr_stretch stretch, const orr_outcome *out)
{
    orr_stretches *plans = &b->plans[b->which];
    const size_t from = plans->n;
    give_back(b, k);
    orr_stretches_add(plans, stretch);
    note(b, k, from, out);
    take(b, k);
}

void orr_bookings_clear(orr_bookings *b, orr_booking *k)
{
    give_back(b, k);
    k->in[b->which].set = 0;
}

/* False: there is no room for it. */
static bool copy(orr_bookings *b, const orr_stretch *plan, size_t n)
{
    const orr_slots *slots = &b->slots[b->which];
    for (size_t i = 0; i < n; i++) {
        orr_stretch s = plan[i];
        s.from = s.from > slots->first ? s.from : slots->first;
        if (s.from >= s.to)
            continue;
        if (orr_slots_least(slots, s.from, s.to) < s.gpus)
            return false;
        orr_stretches_add(&b->plans[b->which], s);
    }
    return true;
}

bool orr_bookings_keep(orr_bookings *b, orr_booking *k, const orr_demand *d)
{
    size_t n;
    const orr_stretch *plan = plan_in(b, k, !b->which, &n);
    const size_t from = b->plans[b->which].n;
    orr_outcome out = {0};
    if ((d && !orr_slots_follow(&b->slots[b->which], d, plan, n, &out)) || !copy(b, plan, n)) {
        b->plans[b->which].n = from;
        return false;
    }
    out = n ? k->in[!b->which].out : out;
    note(b, k, from, &out);
    take(b, k);
    return true;
}

bool orr_bookings_follow(const orr_bookings *b, const orr_booking *k, const orr_demand *d)
{
    size_t n;
    const orr_stretch *plan = plan_of(b, k, &n);
    orr_outcome out = {0};
    return orr_slots_follow(&b->slots[b->which], d, plan, n, &out);
}

bool orr_bookings_has(const orr_bookings *b, const orr_booking *k)
{
    size_t n;
    plan_of(b, k, &n);
    return n > 0;
}

orr_outcome orr_bookings_outcome(const orr_bookings *b, const orr_booking *k)
{
    return orr_bookings_has(b, k) ? k->in[b->which].out : (orr_outcome){0};
}

int32_t orr_bookings_now(const orr_bookings *b, const orr_booking *k)
{
    size_t n;
    const orr_stretch *plan = plan_of(b, k, &n);
    return n && plan->from <= b->slots[b->which].first ? plan->gpus : -1;
}

int64_t orr_bookings_change(const orr_bookings *b, const orr_booking *k)
{
    size_t n;
    const orr_stretch *plan = plan_of(b, k, &n);
    if (!n)
        return INT64_MAX;
    return plan->from > b->slots[b->which].first ? plan->from : plan->to;
}
