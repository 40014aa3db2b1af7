/* Numbers of requests, from what the simulation counted and the distributions that it kept. */
#include <orrery/metrics.h>

#include <math.h>

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Quantiles are those of a histogram: right to 1 part in 128. */
static orr_dist times_of(const orr_serving *s, orr_service_id service, orr_serving_time what)
{
    const uint64_t n = orr_serving_samples(s, service, what);
    const double mean = orr_serving_mean(s, service, what);
    const bool some_without = isnan(mean); /* of ALL: dropped ones are longer than any */
    return (orr_dist){
        .n = n,
        .mean = mean,
        .p50 = orr_serving_quantile(s, service, what, 0.5),
        .p90 = orr_serving_quantile(s, service, what, 0.9),
        .p95 = orr_serving_quantile(s, service, what, 0.95),
        .p99 = orr_serving_quantile(s, service, what, 0.99),
        .max = some_without ? (double)NAN : orr_serving_most(s, service, what),
        .sum = mean * (double)n,
    };
}

/* Every variant of the service, or of all, says how accurate it is. */
static bool states_accuracy(const orr_services *all, orr_service_id service)
{
    for (int32_t i = 0; i < all->count; i++)
        for (int32_t v = 0; (service < 0 || service == i) && v < all->services[i].variant_count; v++)
            if (isnan(all->services[i].variants[v].accuracy))
                return false;
    return true;
}

static bool states_prices(const orr_services *all)
{
    for (int32_t i = 0; i < all->count; i++)
        for (int32_t v = 0; v < all->services[i].variant_count; v++)
            if (all->services[i].variants[v].cost > 0)
                return true;
    return all->market_count > 0;
}

static void count(orr_serving_metrics *m, const orr_service_counts *c)
{
    m->arrived = c->arrived;
    m->answered = c->answered;
    m->late = c->late;
    m->in_flight = c->in_flight;
    for (int i = 0; i < ORR_DROP_KINDS; i++)
        m->dropped += c->dropped[i];
    m->refused = c->dropped[ORR_DROP_REFUSED];
    m->full = c->dropped[ORR_DROP_FULL];
    m->shed = c->dropped[ORR_DROP_SHED];
    m->expired = c->dropped[ORR_DROP_EXPIRED];
    m->timeout = c->dropped[ORR_DROP_TIMEOUT];
    m->lost = c->dropped[ORR_DROP_LOST];
    m->warm_up = c->warm_up;
    m->batches = c->batches;
    m->hits = c->hits;
    m->remote = c->remote;
    m->cold = c->cold;
    m->loads = c->loads;
    m->evictions = c->evictions;
}

static void rate(orr_serving_metrics *m, const orr_service_counts *c, double window)
{
    m->slo_attain = share((double)(c->answered - c->late), (double)c->arrived);
    m->goodput = share((double)(c->answered - c->late), window);
    m->tput_req = share((double)c->answered, window);
    m->tput_tok = c->tokens_out ? share((double)c->tokens_out, window) : (double)NAN;
    m->batch_mean = share((double)c->batched, (double)c->batches);
    m->queue_len = share(c->waited, window);
}

static void add_use(orr_serving_metrics *m, const orr_serving *s)
{
    double busy, there, held;
    orr_serving_use(s, &busy, &there, &held);
    m->exec_busy = share(busy, there);
    m->gpu_hours = held / 3600;
    m->cost = states_prices(orr_serving_services(s)) ? orr_serving_cost(s) : (double)NAN;
    const orr_loans loans = orr_serving_loans(s);
    m->loans = loans.loans;
    m->loans_interrupted = loans.interrupted;
    m->lent = loans.node_seconds;
}

orr_serving_metrics orr_serving_measure(const orr_serving *s, orr_service_id service, orr_time end)
{
    const orr_services *all = orr_serving_services(s);
    const orr_service_counts c = orr_serving_count(s, service);
    orr_serving_metrics m = {.of_one = service >= 0, .exec_busy = NAN, .gpu_hours = NAN, .cost = NAN, .lent = NAN};
    count(&m, &c);
    rate(&m, &c, end > all->warm_up ? orr_time_seconds(end - all->warm_up) : 0);
    m.accuracy = states_accuracy(all, service) ? share(c.accuracy_sum, (double)c.answered) : (double)NAN;
    m.correct = share((double)c.correct, (double)c.rated);
    m.latency = times_of(s, service, ORR_SERVING_LATENCY);
    m.latency_all = times_of(s, service, ORR_SERVING_ALL);
    m.wait = times_of(s, service, ORR_SERVING_WAIT);
    m.ttft = times_of(s, service, ORR_SERVING_TTFT);
    m.tpot = times_of(s, service, ORR_SERVING_TPOT);
    m.latency_p999 = orr_serving_quantile(s, service, ORR_SERVING_LATENCY, 0.999);
    m.latency_all_p999 = orr_serving_quantile(s, service, ORR_SERVING_ALL, 0.999);
    double came, channels;
    m.without_weights = !orr_serving_weights(s, &came, &channels);
    m.without_nodes = !all->nodes_count;
    m.channel_busy = service < 0 ? share(came, channels) : (double)NAN;
    if (service < 0)
        add_use(&m, s);
    return m;
}
