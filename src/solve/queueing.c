/* Queues in the long run (Kleinrock, Queueing Systems I and II).
 *
 * Erlang B by its recurrence over servers, on 1/B: sums of positive terms, whatever the load. Erlang C follows from
 * B. M/M/c/K by the ratios of neighbouring states, outwards from the likeliest one, so that nothing over- or
 * underflows. */
#include <orrery/queueing.h>

#include <math.h>

static const orr_long_run saturated = {.busy = 1,
                                       .delayed = 1,
                                       .wait = INFINITY,
                                       .response = INFINITY,
                                       .waiting = INFINITY,
                                       .in_system = INFINITY};

/* ---- how long service takes ---- */

orr_moments orr_moments_of(double mean, double cv)
{
    return (orr_moments){mean, mean * mean * (1 + cv * cv)};
}

orr_moments orr_moments_mix(const double *part, const double *seconds, size_t n)
{
    orr_moments m = {0, 0};
    for (size_t i = 0; i < n; i++) {
        m.mean += part[i] * seconds[i];
        m.square += part[i] * seconds[i] * seconds[i];
    }
    return m;
}

/* ---- Erlang ---- */

/* 1/B. */
static double erlang_b_inverse(double load, int32_t servers)
{
    double inverse = 1;
    for (int32_t n = 1; n <= servers; n++)
        inverse = 1 + inverse * n / load;
    return inverse;
}

double orr_erlang_b(double load, int32_t servers)
{
    return load > 0 ? 1 / erlang_b_inverse(load, servers) : servers == 0;
}

/* C = B / (1 - u (1 - B)), with u = load / servers, written for 1/B, which may be infinite. */
static double delayed_of(double load, double servers, double inverse)
{
    return 1 / (1 + (inverse - 1) * ((servers - load) / servers));
}

double orr_erlang_c(double load, int32_t servers)
{
    if (load >= servers)
        return 1;
    return load > 0 ? delayed_of(load, servers, erlang_b_inverse(load, servers)) : 0;
}

/* ---- one queue ---- */

/* The rest of a long run in which nobody is turned away, by Little's law. */
static orr_long_run completed(double rate, double busy, double delayed, double wait, double service)
{
    return (orr_long_run){.busy = busy,
                          .delayed = delayed,
                          .wait = wait,
                          .response = wait + service,
                          .waiting = rate * wait,
                          .in_system = rate * (wait + service)};
}

orr_long_run orr_mg1(double rate, orr_moments service)
{
    const double busy = rate * service.mean;
    if (busy >= 1)
        return saturated;
    return completed(rate, busy, busy, rate * service.square / (2 * (1 - busy)), service.mean);
}

orr_long_run orr_mmc(double rate, double each, int32_t servers)
{
    const double spare = servers * each - rate;
    if (spare <= 0)
        return saturated;
    const double delayed = orr_erlang_c(rate / each, servers);
    return completed(rate, rate / (servers * each), delayed, delayed / spare, 1 / each);
}

/* ---- limited room ---- */

/* Sums over the states of M/M/c/K, each state weighted as if the likeliest had weight 1. */
typedef struct sums {
    double all, full, served, waiting, delayed;
} sums;

static void add_state(sums *s, double weight, int64_t n, int32_t servers, int64_t room)
{
    s->all += weight;
    s->served += weight * (double)(n < servers ? n : servers);
    s->waiting += n > servers ? weight * (double)(n - servers) : 0;
    s->delayed += n >= servers && n < room ? weight : 0;
    s->full += n == room ? weight : 0;
}

/* weight(n) / weight(n - 1). */
static double up_ratio(double load, int64_t n, int32_t servers)
{
    return load / (double)(n < servers ? n : servers);
}

/* The ratios don't grow with n: the likeliest state is the last one whose ratio is at least 1. */
static int64_t likeliest(double load, int32_t servers, int64_t room)
{
    if (load >= servers)
        return room;
    return (int64_t)load;
}

static sums sum_states(double load, int32_t servers, int64_t room)
{
    const int64_t top = likeliest(load, servers, room);
    sums s = {0};
    double weight = 1;
    for (int64_t n = top; n >= 0; n--) {
        add_state(&s, weight, n, servers, room);
        weight = n > 0 ? weight / up_ratio(load, n, servers) : 0;
    }
    weight = 1;
    for (int64_t n = top + 1; n <= room; n++) {
        weight *= up_ratio(load, n, servers);
        add_state(&s, weight, n, servers, room);
    }
    return s;
}

orr_long_run orr_mmck(double rate, double each, int32_t servers, int64_t room)
{
    const double load = rate / each;
    if (load <= 0)
        return completed(0, 0, 0, 0, 1 / each);
    const sums s = sum_states(load, servers, room);
    const double served = s.served / s.all, waiting = s.waiting / s.all;
    orr_long_run run = {.busy = served / servers, .lost = s.full / s.all, .waiting = waiting};
    run.in_system = waiting + served;
    run.delayed = s.delayed / (s.all - s.full);
    run.wait = waiting / (served * each); /* what is let in is what is served */
    run.response = run.wait + 1 / each;
    return run;
}

/* ---- M/M/c's waits and responses ---- */

double orr_mmc_wait_over(double rate, double each, int32_t servers, double seconds)
{
    const double spare = servers * each - rate;
    return spare > 0 ? orr_erlang_c(rate / each, servers) * exp(-spare * seconds) : 1;
}

/* A response is a service, and for those delayed an exponential wait before it. The sum of the two lasts longer than
 * t with probability e^-mt (1 + m (1 - e^-dt) / d), d = spare - m: a form that is sound for d near 0. */
static double response_over(double delayed, double each, double spare, double t)
{
    const double d = spare - each;
    if (d < 0) /* e^-dt may overflow: e^-mt is multiplied in */
        return exp(-each * t) + delayed * each * exp(-spare * t) * (expm1(d * t) / d);
    return exp(-each * t) * (1 + delayed * each * (d > 0 ? -expm1(-d * t) / d : t));
}

double orr_mmc_within(double rate, double each, int32_t servers, double seconds)
{
    const double spare = servers * each - rate;
    if (spare <= 0)
        return 0;
    return 1 - response_over(orr_erlang_c(rate / each, servers), each, spare, seconds);
}

double orr_mmc_wait_quantile(double rate, double each, int32_t servers, double q)
{
    const double spare = servers * each - rate;
    if (spare <= 0 || q >= 1)
        return INFINITY;
    const double delayed = orr_erlang_c(rate / each, servers);
    return 1 - q < delayed ? log(delayed / (1 - q)) / spare : 0;
}

double orr_mmc_quantile(double rate, double each, int32_t servers, double q)
{
    const double spare = servers * each - rate;
    if (spare <= 0 || q >= 1)
        return INFINITY;
    if (servers == 1)
        return -log1p(-q) / spare;
    const double delayed = orr_erlang_c(rate / each, servers);
    double low = 0, high = 1 / each;
    while (response_over(delayed, each, spare, high) > 1 - q)
        high *= 2;
    for (double mid = 0.5 * (low + high); low < mid && mid < high; mid = 0.5 * (low + high)) {
        if (response_over(delayed, each, spare, mid) > 1 - q)
            low = mid;
        else
            high = mid;
    }
    return high;
}

int32_t orr_mmc_servers(double rate, double each, double seconds, double q)
{
    const double load = rate / each;
    if (load >= 1 << 30)
        return -1;
    const int32_t least = (int32_t)load + 1;
    double inverse = load > 0 ? erlang_b_inverse(load, least) : INFINITY;
    for (int32_t c = least; c <= 1 << 30; c++, inverse = 1 + inverse * c / load) {
        const double delayed = load > 0 ? delayed_of(load, c, inverse) : 0;
        if (delayed * exp(-(c * each - rate) * seconds) <= q)
            return c;
    }
    return -1;
}

/* ---- other ways to serve ---- */

/* What is left of the service that a request finds going on. Of a class that gets only the rest of the server's time
 * only as many are served. */
static double work_in_service(const orr_load_class *classes, size_t n)
{
    double work = 0, busy = 0;
    for (size_t i = 0; i < n; i++) {
        const double load = classes[i].rate * classes[i].service.mean;
        const double part = busy + load > 1 ? (1 - busy) / load : 1;
        work += part * classes[i].rate * classes[i].service.square / 2;
        busy += part * load;
    }
    return work;
}

/* Cobham: W0 / ((1 - before) (1 - with)), W0 the work in service, of those classes that are not interrupted. */
void orr_priorities(const orr_load_class *classes, size_t n, bool preempts, double *wait, double *response)
{
    double work = preempts ? 0 : work_in_service(classes, n), before = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_moments service = classes[i].service;
        const double with = before + classes[i].rate * service.mean;
        if (preempts)
            work += classes[i].rate * service.square / 2;
        const double queued = with < 1 ? work / ((1 - before) * (1 - with)) : INFINITY;
        const double held = with < 1 && preempts ? service.mean / (1 - before) : service.mean;
        if (wait)
            wait[i] = queued + (held - service.mean);
        if (response)
            response[i] = queued + held;
        before = with;
    }
}

double orr_shared_response(double rate, double mean, double seconds)
{
    return rate * mean < 1 ? seconds / (1 - rate * mean) : INFINITY;
}

double orr_pipeline_response(double rate, const double *stages, size_t n)
{
    double all = 0, slowest = 0;
    for (size_t i = 0; i < n; i++) {
        all += stages[i];
        slowest = fmax(slowest, stages[i]);
    }
    return all + orr_mg1(rate, orr_moments_of(slowest, 0)).wait;
}
