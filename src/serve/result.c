/* What came of it. */
#include "serve/serving.h"

#include <math.h>

const orr_services *orr_serving_services(const orr_serving *s)
{
    return s->spec;
}

static uint64_t in_flight(const orr_service_counts *c)
{
    uint64_t gone = c->answered;
    for (int i = 0; i < ORR_DROP_KINDS; i++)
        gone += c->dropped[i];
    return c->arrived - gone;
}

static orr_service_counts of_one(const orr_sv_service *v)
{
    orr_service_counts c = v->counts;
    c.in_flight = in_flight(&c);
    c.waited = v->wait.sum * 1e-9 + v->gone_waited * 1e-9;
    c.present = v->latency.sum * 1e-9 + v->gone_waited * 1e-9;
    return c;
}

static void add(orr_service_counts *to, const orr_service_counts *c)
{
    to->arrived += c->arrived;
    to->answered += c->answered;
    to->late += c->late;
    to->in_flight += c->in_flight;
    for (int i = 0; i < ORR_DROP_KINDS; i++)
        to->dropped[i] += c->dropped[i];
    to->warm_up += c->warm_up;
    to->batches += c->batches;
    to->batched += c->batched;
    to->hits += c->hits;
    to->remote += c->remote;
    to->joined += c->joined;
    to->members += c->members;
    to->members_answered += c->members_answered;
    to->members_dropped += c->members_dropped;
    to->rated += c->rated;
    to->correct += c->correct;
    to->cold += c->cold;
    to->loads += c->loads;
    to->evictions += c->evictions;
    to->accuracy_sum += c->accuracy_sum;
    to->waited += c->waited;
    to->present += c->present;
    to->cost += c->cost;
    to->tokens_in += c->tokens_in;
    to->tokens_out += c->tokens_out;
}

orr_service_counts orr_serving_count(const orr_serving *s, orr_service_id service)
{
    orr_service_counts all = {0};
    if (service >= 0)
        return of_one(&s->services.at[service]);
    for (size_t i = 0; i < s->services.n; i++) {
        const orr_service_counts c = of_one(&s->services.at[i]);
        add(&all, &c);
    }
    return all;
}

static const orr_sv_tally *tally_of(const orr_sv_service *v, orr_serving_time what)
{
    switch (what) {
    case ORR_SERVING_WAIT:
        return &v->wait;
    case ORR_SERVING_TTFT:
        return &v->ttft;
    case ORR_SERVING_TPOT:
        return &v->tpot;
    default:
        return &v->latency;
    }
}

/* Of all services: one distribution made of theirs. */
static orr_sv_tally joined(const orr_serving *s, orr_serving_time what)
{
    orr_sv_tally sum = {0};
    for (size_t i = 0; i < s->services.n; i++)
        orr_sv_tally_join(&sum, tally_of(&s->services.at[i], what));
    return sum;
}

static double quantile(const orr_sv_tally *t, const orr_service_counts *c, orr_serving_time what, double q)
{
    uint64_t all = t->count;
    if (what == ORR_SERVING_ALL)
        all = c->arrived - c->in_flight;
    return orr_sv_tally_quantile(t, q, all) * 1e-9;
}

double orr_serving_quantile(const orr_serving *s, orr_service_id service, orr_serving_time what, double q)
{
    const orr_service_counts c = orr_serving_count(s, service);
    if (service >= 0)
        return quantile(tally_of(&s->services.at[service], what), &c, what, q);
    orr_sv_tally sum = joined(s, what);
    const double value = quantile(&sum, &c, what, q);
    orr_sv_tally_fini(&sum);
    return value;
}

static void sums(const orr_serving *s, orr_service_id service, orr_serving_time what, uint64_t *count, double *sum,
                 orr_time *most)
{
    *count = 0;
    *sum = 0;
    *most = 0;
    for (size_t i = 0; i < s->services.n; i++) {
        const orr_sv_tally *t = tally_of(&s->services.at[i], what);
        if (service >= 0 && (size_t)service != i)
            continue;
        *count += t->count;
        *sum += t->sum;
        *most = t->most > *most ? t->most : *most;
    }
}

double orr_serving_mean(const orr_serving *s, orr_service_id service, orr_serving_time what)
{
    uint64_t count;
    double sum;
    orr_time most;
    const orr_service_counts c = orr_serving_count(s, service);
    sums(s, service, what, &count, &sum, &most);
    if (what == ORR_SERVING_ALL && c.arrived - c.in_flight > count)
        return NAN;
    return count ? sum * 1e-9 / (double)count : NAN;
}

uint64_t orr_serving_samples(const orr_serving *s, orr_service_id service, orr_serving_time what)
{
    uint64_t count;
    double sum;
    orr_time most;
    const orr_service_counts c = orr_serving_count(s, service);
    sums(s, service, what, &count, &sum, &most);
    return what == ORR_SERVING_ALL ? c.arrived - c.in_flight : count;
}

double orr_serving_most(const orr_serving *s, orr_service_id service, orr_serving_time what)
{
    uint64_t count;
    double sum;
    orr_time most;
    sums(s, service, what, &count, &sum, &most);
    return count ? (double)most * 1e-9 : NAN;
}

uint64_t orr_serving_batch_size(const orr_serving *s, orr_service_id service, int32_t size)
{
    return size < 1 ? 0 : orr_sv_tally_at(&s->services.at[service].batch_sizes, size);
}

void orr_serving_use(const orr_serving *s, double *busy, double *there, double *gpu_seconds)
{
    *busy = *there = *gpu_seconds = 0;
    for (size_t i = 0; i < s->execs.n; i++) {
        const orr_sv_exec *e = &s->execs.at[i];
        const double life = (double)(e->alive ? s->now : e->gone_at) - e->since_ns;
        *busy += e->busy_ns * 1e-9;
        for (size_t k = 0; k < e->at.n; k++)
            *busy += e->at.at[k].size ? orr_sv_used(e, &e->at.at[k], s->now) * 1e-9 : 0;
        *there += life * e->slots * 1e-9;
        *gpu_seconds += life * e->gpus * e->held * 1e-12;
    }
}

uint64_t orr_serving_events(const orr_serving *s)
{
    return s->events;
}

const char *orr_serving_resolved(const orr_serving *s)
{
    return s->text.at ? s->text.at : "";
}
