/* The cursor over a source, whatever its process: the row of arrivals drawn ahead, its bounds, what requests carry,
 * and the rate at a time.
 *
 * Everything is drawn from keys made of (seed, service's name, purpose), what a request carries also of its number:
 * another service, class or token law changes no arrival. The next arrival is always in the row, so that peeking is a
 * load.
 */
#include "base/assert.h"
#include "base/mem.h"
#include "serve/source_parts.h"

#include <math.h>

#define RATE_WINDOW ORR_MINUTE /* of lists of single requests */

/* ---- the row ---- */

/* The process is over where an arrival reaches `until`; arrivals before `from` are passed over. */
static void bound_row(orr_pull *p)
{
    const orr_source *s = p->source;
    while (p->ready > p->next && p->at[p->ready - 1] >= s->until) {
        p->ready--;
        p->ended = true;
    }
    while (p->next < p->ready && p->at[p->next] < s->from)
        p->next++;
}

static void refill(orr_pull *p)
{
    while (p->next == p->ready && !p->ended) {
        p->next = 0;
        p->fill(p);
        p->ended |= p->ready == 0;
        bound_row(p);
    }
}

/* A row of one that clients who come back may still change: it never ends but by the limit. */
static void refill_closed(orr_pull *p)
{
    p->outstanding += p->next;
    p->next = 0;
    orr_pull_closed(p);
}

static void advance(orr_pull *p)
{
    p->number++;
    p->next++;
    if (p->closed)
        refill_closed(p);
    else if (p->next == p->ready)
        refill(p);
    if (p->number == p->limit) {
        p->next = p->ready = 0;
        p->ended = true;
    }
}

/* ---- what requests carry ---- */

static uint8_t class_of(const orr_pull *p)
{
    if (p->classes <= 1)
        return 0;
    const double x = orr_draw_unit(orr_mix64(orr_draw_at(p->class_key, p->number)));
    int32_t c = 0;
    while (c < p->classes - 1 && x > p->parts[c])
        c++;
    return (uint8_t)c;
}

/* At least one token of a kind that there is. */
static int64_t tokens(double mean, const orr_scattering *spread, uint64_t key, uint64_t number)
{
    if (!(mean > 0))
        return 0;
    const double drawn = mean * orr_scattering_draw(spread, orr_mix64(orr_draw_at(key, number)));
    return drawn < 1 ? 1 : drawn < 1e12 ? (int64_t)(drawn + 0.5) : INT64_C(1000000000000);
}

static void carry(const orr_pull *p, orr_arrival *out)
{
    const orr_source *s = p->source;
    const bool listed = s->kind == ORR_SOURCE_LIST;
    out->class_ = class_of(p);
    out->tokens_in =
        listed && p->tokens_in >= 0 ? p->tokens_in : tokens(s->tokens_in, &p->in_spread, p->in_key, p->number);
    out->tokens_out =
        listed && p->tokens_out >= 0 ? p->tokens_out : tokens(s->tokens_out, &p->out_spread, p->out_key, p->number);
    if (listed && p->known_input)
        out->input = p->input;
    else if (s->inputs > 0)
        out->input = orr_zipf_draw(&p->inputs, orr_mix64(orr_draw_at(p->input_key, p->number)));
}

/* ---- making it ---- */

static uint64_t key(uint64_t service, const char *purpose)
{
    return orr_hash64(service, purpose, strlen(purpose));
}

static void set_keys(orr_pull *p, uint64_t seed, const char *name)
{
    const uint64_t service = orr_hash64(seed, name, strlen(name));
    p->draws = key(service, "arrivals");
    p->stays = key(service, "stays");
    p->jumps = key(service, "states");
    p->within = key(service, "bins");
    p->think = key(service, "think");
    p->class_key = key(service, "class");
    p->in_key = key(service, "tokens-in");
    p->out_key = key(service, "tokens-out");
    p->input_key = key(service, "input");
}

static void set_classes(orr_pull *p, const orr_service *service)
{
    double sum = 0;
    p->classes = service->class_count;
    p->parts = orr_xcalloc((size_t)p->classes + 1, sizeof *p->parts);
    for (int32_t i = 0; i < p->classes; i++)
        p->parts[i] = sum += service->classes[i].part;
}

static void set_carried(orr_pull *p, const orr_service *service)
{
    const orr_source *s = p->source;
    set_classes(p, service);
    p->in_spread = orr_scattering_of(&s->in_spread);
    p->out_spread = orr_scattering_of(&s->out_spread);
    p->think_spread = orr_scattering_of(&s->think_spread);
    if (s->inputs > 0)
        p->inputs = orr_zipf_of(s->inputs, s->zipf);
    p->plain =
        p->classes <= 1 && !(s->tokens_in > 0) && !(s->tokens_out > 0) && s->inputs == 0 && s->kind != ORR_SOURCE_LIST;
}

static void no_more(orr_pull *p)
{
    p->ready = 0;
}

static bool any_rate(const orr_source *s)
{
    for (int32_t i = 0; i < s->states; i++)
        if (s->rates[i] > 0)
            return true;
    return false;
}

static void start_chain(orr_pull *p)
{
    p->fill = any_rate(p->source) ? orr_pull_mmpp : no_more;
    if (p->source->states == 0)
        return;
    p->chain = orr_pull_chain_start(p);
    p->watch = orr_xcalloc(1, sizeof *p->watch);
    *p->watch = (orr_pull_watch){p->chain, p->chain.left};
}

static void start_clients(orr_pull *p)
{
    const orr_source *s = p->source;
    const int32_t clients = s->from < s->until && s->clients > 0 ? s->clients : 0;
    p->asks = orr_xcalloc((size_t)clients + 1, sizeof *p->asks);
    for (int32_t i = 0; i < clients; i++)
        orr_pull_ask(p, s->from);
    refill_closed(p);
}

static void start(orr_pull *p)
{
    static void (*const fills[ORR_SOURCE_KINDS])(orr_pull *) = {
        [ORR_SOURCE_NONE] = no_more,
        [ORR_SOURCE_POISSON] = orr_pull_poisson,
        [ORR_SOURCE_GAMMA] = orr_pull_gamma,
        [ORR_SOURCE_MMPP] = orr_pull_mmpp,
        [ORR_SOURCE_REGULAR] = orr_pull_regular,
        [ORR_SOURCE_CLOSED] = orr_pull_closed,
        [ORR_SOURCE_COUNTS] = orr_pull_counts,
        [ORR_SOURCE_DIURNAL] = orr_pull_diurnal,
        [ORR_SOURCE_LIST] = orr_pull_list,
    };
    const orr_source_kind kind = p->source->kind;
    const bool by_rate = kind == ORR_SOURCE_POISSON || kind == ORR_SOURCE_GAMMA || kind == ORR_SOURCE_REGULAR ||
                         kind == ORR_SOURCE_DIURNAL;
    p->fill = by_rate && !(p->source->rate > 0) ? no_more : fills[kind];
    if (kind == ORR_SOURCE_GAMMA && !(p->source->cv > 0))
        p->fill = p->fill == no_more ? no_more : orr_pull_regular;
    if (kind == ORR_SOURCE_MMPP)
        start_chain(p);
    if (kind == ORR_SOURCE_CLOSED)
        start_clients(p);
    else
        refill(p);
}

orr_pull *orr_pull_create(const orr_service *service, uint64_t seed)
{
    orr_pull *p = orr_xcalloc(1, sizeof *p);
    p->source = &service->source;
    p->limit = p->source->limit;
    p->base = p->source->from;
    p->closed = p->source->kind == ORR_SOURCE_CLOSED;
    set_keys(p, seed, service->name);
    set_carried(p, service);
    start(p);
    return p;
}

void orr_pull_destroy(orr_pull *p)
{
    if (!p)
        return;
    free(p->watch);
    free(p->asks);
    free(p->parts);
    free(p);
}

/* ---- taking from it ---- */

orr_time orr_pull_peek(orr_pull *p)
{
    return p->next < p->ready ? p->at[p->next] : ORR_TIME_MAX;
}

void orr_pull_next(orr_pull *p, orr_arrival *out)
{
    ORR_ASSERT(p->next < p->ready, "a request was taken that there isn't");
    *out = (orr_arrival){.at = p->at[p->next], .input = p->number};
    if (!p->plain)
        carry(p, out);
    advance(p);
}

static orr_time think_time(orr_pull *p)
{
    const uint64_t draw = orr_mix64(orr_draw_at(p->think, p->answers++));
    if (p->think_spread.law == ORR_SCATTER_NONE)
        return p->source->think;
    return orr_pull_time(0, (double)p->source->think * orr_scattering_draw(&p->think_spread, draw) + 0.5);
}

void orr_pull_answered(orr_pull *p, orr_time at)
{
    if (!p->closed || p->outstanding == 0)
        return;
    p->outstanding--;
    const orr_source *s = p->source;
    const orr_time ask = orr_time_add(at, think_time(p));
    if (p->ended || ask >= s->until)
        return;
    orr_pull_ask(p, ask);
    p->at[0] = p->asks[0];
    p->ready = 1;
}

/* ---- the rate ---- */

static double chain_rate(const orr_pull *p, orr_time at)
{
    orr_pull_watch *w = p->watch;
    const double since = (double)(at - p->source->from);
    if (!w)
        return 0;
    if (since < w->ends - w->chain.left) {
        w->chain = orr_pull_chain_start(p);
        w->ends = w->chain.left;
    }
    while (since >= w->ends) {
        orr_pull_chain_step(p, &w->chain);
        w->ends += w->chain.left;
    }
    return p->source->rates[w->chain.state];
}

static double day_rate(const orr_source *s, orr_time at)
{
    const double angle = 6.283185307179586 * (double)((at - s->phase) % s->period) / (double)s->period;
    return s->rate * (1 + s->swing * sin(angle));
}

/* At a time of the record. */
static double counts_rate(const orr_source *s, orr_time at)
{
    const orr_time bin = at / s->bin;
    return (uint64_t)bin < s->bins ? (double)s->counts[bin] / orr_time_seconds(s->bin) : 0;
}

/* The first record at or after a time of the record. */
static size_t first_at(const orr_source *s, orr_time at)
{
    size_t low = 0, high = s->listed;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->list[middle].arrival < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the bin that holds the time, or of the minute around which single requests came. */
static double list_rate(const orr_source *s, orr_time at)
{
    const orr_time width = s->bin > 0 ? s->bin : RATE_WINDOW;
    const orr_time start = s->bin > 0 ? at - width + 1 : at - width / 2;
    uint64_t count = 0;
    for (size_t i = first_at(s, start); i < s->listed && s->list[i].arrival < start + width; i++)
        count += s->list[i].count;
    return (double)count / orr_time_seconds(width);
}

static double thinking_rate(const orr_pull *p)
{
    return p->source->think > 0 ? p->asking / orr_time_seconds(p->source->think) : 0;
}

double orr_pull_rate(const orr_pull *p, orr_time at)
{
    const orr_source *s = p->source;
    const double speed = s->speed > 0 ? s->speed : 1;
    if (at < s->from || at >= s->until || (p->limit && p->number == p->limit))
        return 0;
    switch (s->kind) {
    case ORR_SOURCE_POISSON:
    case ORR_SOURCE_GAMMA:
    case ORR_SOURCE_REGULAR:
        return s->rate;
    case ORR_SOURCE_MMPP:
        return chain_rate(p, at);
    case ORR_SOURCE_DIURNAL:
        return day_rate(s, at);
    case ORR_SOURCE_COUNTS:
        return speed * counts_rate(s, orr_pull_time(0, (double)at * speed));
    case ORR_SOURCE_LIST:
        return speed * list_rate(s, orr_pull_time(0, (double)at * speed));
    case ORR_SOURCE_CLOSED:
        return thinking_rate(p);
    default:
        return 0;
    }
}
