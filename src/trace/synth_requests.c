/* Synthetic requests: one source a service (serve/source.h), merged by time until there are enough.
 *
 * Shares of services fall like 1, 1/2, 1/3, … to a power, so nine services and exponential gaps give the mix of models
 * that serving systems are commonly tried on. Arrivals are cut to microseconds: the last bit of a machine's logarithm
 * hardly ever shows.
 */
#include "engine/queue.h"
#include "serve/source.h"
#include "trace/intake.h"
#include "trace/synth.h"
#include "trace/synth_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SERVICES = 100000, NAME = 64 };

#define MOST_SPAN 4.5e9 /* s; a trace takes arrivals up to 4.6e9 s */
#define LEAST_RATE 1e-6
#define MOST_RATE 1e9

/* What a bin has of one service so far. */
typedef struct pending {
    uint64_t count;
    int64_t in, out;
} pending;

typedef struct mix {
    const orr_synth_requests_options *options;
    ORR_VEC(char *) names;
    ORR_VEC(orr_service) services;
    ORR_VEC(orr_pull *) pulls;
    synth_state states[SYNTH_STATES];
    double *rates; /* MMPP: [services][states] */
    double stays[SYNTH_STATES];
    orr_source pattern; /* of every service, but for its rate */
    orr_queue *next;    /* cookie: service */
    orr_trace *trace;
    orr_time bin;  /* where the open one begins */
    pending *open; /* [services] of it */
    ORR_VEC(size_t) touched;
} mix;

static const orr_slo_class any = {.name = "", .slo = ORR_TIME_MAX, .part = 1, .weight = 1};

orr_synth_requests_options orr_synth_requests_options_default(void)
{
    return (orr_synth_requests_options){.seed = 1, .requests = 1000, .span = ORR_TIME_NONE, .cv = 4, .swing = 0.5};
}

/* ---- options ---- */

static const char *wrong_value(const orr_synth_requests_options *o)
{
    if (o->requests < 1 || o->requests > 1000000000)
        return "requests must be 1 to 1,000,000,000";
    if (!(o->service_zipf >= 0 && o->service_zipf <= 10))
        return "the exponent of shares must be 0 to 10";
    if (!(o->rate == 0 || (o->rate >= LEAST_RATE && o->rate <= MOST_RATE)))
        return "the rate must be 0.000001 to 1,000,000,000 requests a second";
    if (o->span != ORR_TIME_NONE && o->span < ORR_MS)
        return "the span must be a millisecond or more";
    if (!(o->cv >= 0.01 && o->cv <= 100))
        return "cv must be 0.01 to 100";
    if (!(o->swing >= 0 && o->swing <= 1))
        return "the swing must be 0 to 1";
    if (o->bin < 0 || (o->bin > 0 && (o->bin < ORR_MS || o->bin % ORR_MS)))
        return "bins must be as wide as a whole number of milliseconds";
    return NULL;
}

static double rate_of(const orr_synth_requests_options *o)
{
    if (o->rate > 0)
        return o->rate;
    return o->span == ORR_TIME_NONE ? 10 : (double)o->requests / orr_time_seconds(o->span);
}

static orr_err check(const orr_synth_requests_options *o, orr_error *e)
{
    const char *wrong = wrong_value(o);
    if (wrong)
        return orr_error_set(e, ORR_E_BAD_VALUE, "%s", wrong);
    if (o->rate > 0 && o->span != ORR_TIME_NONE) {
        orr_error_set(e, ORR_E_CONFLICT, "a rate and a span were both given, and each sets the other");
        orr_error_hint(e, "give one of them, and the number of requests");
        return ORR_E_CONFLICT;
    }
    if ((double)o->requests / rate_of(o) > MOST_SPAN / 4)
        return orr_error_set(e, ORR_E_RANGE, "the arrivals would span more than the clock's range");
    return ORR_OK;
}

static orr_err plan_tokens(const char *text, const char *what, double *mean, orr_jitter *spread, orr_error *e)
{
    if (!text)
        return ORR_OK;
    const char *colon = strchr(text, ':');
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    double cv = 0;
    if (!orr_parse_double(text, n, mean) || !(*mean >= 1 && *mean <= 1e9) ||
        (colon && (!orr_parse_double(colon + 1, strlen(colon + 1), &cv) || !(cv >= 0 && cv <= 100)))) {
        orr_error_set(e, ORR_E_BAD_VALUE, "the %s tokens can't be understood", what);
        orr_error_text(e, text, strlen(text));
        orr_error_hint(e, "the form is MEAN or MEAN:CV, a mean of 1 to 1e9, a cv of 0 to 100");
        return ORR_E_BAD_VALUE;
    }
    *spread = (orr_jitter){ORR_SCATTER_LOGNORMAL, cv};
    return ORR_OK;
}

static orr_err plan_arrivals(mix *m, orr_error *e)
{
    static const char *const known[] = {"poisson", "diurnal", "bursty", "mmpp"};
    static const orr_source_kind kinds[] = {ORR_SOURCE_POISSON, ORR_SOURCE_DIURNAL, ORR_SOURCE_GAMMA, ORR_SOURCE_MMPP};
    const char *name = m->options->arrivals ? m->options->arrivals : known[0];
    size_t i = 0;
    while (i < 4 && strcmp(name, known[i]) != 0)
        i++;
    if (i == 4)
        return orr_synth_unknown(e, "arrival process of requests", name, known, 4);
    m->pattern = (orr_source){.kind = kinds[i],
                              .cv = m->options->cv,
                              .swing = m->options->swing,
                              .period = ORR_DAY,
                              .phase = 6 * ORR_HOUR,
                              .speed = 1,
                              .until = ORR_TIME_MAX};
    return orr_synth_states(m->options->mmpp, m->states, &m->pattern.states, e);
}

/* ---- services ---- */

static orr_err bad_services(const char *text, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "the services can't be understood");
    orr_error_text(e, text, strlen(text));
    orr_error_hint(e, "give their names, separated by commas and each another, or how many there are, 1 to %d",
                   MOST_SERVICES);
    return ORR_E_BAD_VALUE;
}

static void add_name(mix *m, const char *name, size_t n)
{
    char *copy = orr_xstrndup(name, n);
    ORR_VEC_PUSH(&m->names, copy);
}

/* Nobody lists many by hand, so each is compared with all before it. */
static orr_err name_all(mix *m, const char *text, orr_error *e)
{
    for (const char *at = text, *end; at; at = *end ? end + 1 : NULL) {
        const size_t n = strcspn(at, ",");
        end = at + n;
        if (n == 0 || n >= NAME || m->names.n == 1000)
            return bad_services(text, e);
        for (size_t i = 0; i < m->names.n; i++)
            if (strlen(m->names.at[i]) == n && memcmp(m->names.at[i], at, n) == 0)
                return bad_services(text, e);
        add_name(m, at, n);
    }
    return ORR_OK;
}

static orr_err plan_names(mix *m, orr_error *e)
{
    char name[NAME];
    uint64_t n = 0;
    const char *text = m->options->services ? m->options->services : "1";
    if (!orr_parse_u64(text, strlen(text), &n))
        return name_all(m, text, e);
    if (n < 1 || n > MOST_SERVICES)
        return bad_services(text, e);
    for (uint64_t i = 0; i < n; i++)
        add_name(m, name, (size_t)snprintf(name, sizeof name, "s%llu", (unsigned long long)i));
    return ORR_OK;
}

/* Relative rates become those whose mean in the long run is the service's. */
static void scale_states(mix *m, size_t i, double rate)
{
    const int32_t n = m->pattern.states;
    double time = 0, weight = 0;
    for (int32_t k = 0; k < n; k++) {
        m->stays[k] = m->states[k].sojourn;
        time += m->states[k].sojourn;
        weight += m->states[k].sojourn * m->states[k].rate;
    }
    for (int32_t k = 0; k < n; k++)
        m->rates[i * SYNTH_STATES + (size_t)k] = m->states[k].rate * rate * time / weight;
    m->services.at[i].source.rates = &m->rates[i * SYNTH_STATES];
    m->services.at[i].source.stays = m->stays;
}

static void make_services(mix *m)
{
    const size_t n = m->names.n;
    double *shares = orr_synth_zipf((int32_t)n, m->options->service_zipf), before = 0;
    const double unit = rate_of(m->options) / shares[n - 1];
    m->rates = orr_xcalloc(n * SYNTH_STATES, sizeof *m->rates);
    for (size_t i = 0; i < n; i++) {
        orr_service s = {.name = m->names.at[i], .classes = &any, .class_count = 1, .source = m->pattern};
        s.source.rate = unit * (shares[i] - before);
        before = shares[i];
        ORR_VEC_PUSH(&m->services, s);
        scale_states(m, i, s.source.rate);
    }
    free(shares);
}

/* Services stay where they are from here on: sources point to them. */
static void open_sources(mix *m)
{
    m->next = orr_queue_create();
    m->open = orr_xcalloc(m->names.n, sizeof *m->open);
    for (size_t i = 0; i < m->services.n; i++) {
        orr_pull *pull = orr_pull_create(&m->services.at[i], m->options->seed);
        ORR_VEC_PUSH(&m->pulls, pull);
        orr_queue_add(m->next, &(orr_queued){.at = orr_pull_peek(pull), .class_ = ORR_CLASS_SUBMIT, .cookie = i});
    }
}

/* ---- records ---- */

static void store(mix *m, size_t service, orr_time at, const pending *what)
{
    char id[24];
    snprintf(id, sizeof id, "%zu", m->trace->requests.n);
    orr_trace_request r = orr_trace_request_default();
    r.id = id;
    r.service = m->names.at[service];
    r.arrival = at;
    r.count = what->count;
    if (m->options->tokens_in)
        r.tokens_in = what->in;
    if (m->options->tokens_out)
        r.tokens_out = what->out;
    orr_trace_store_request(m->trace, &r);
}

static void close_bin(mix *m)
{
    for (size_t i = 0; i < m->touched.n; i++) {
        store(m, m->touched.at[i], m->bin, &m->open[m->touched.at[i]]);
        m->open[m->touched.at[i]] = (pending){0};
    }
    m->touched.n = 0;
}

static void count(mix *m, size_t service, orr_time at, const pending *one)
{
    if (at >= m->bin + m->options->bin) {
        close_bin(m);
        m->bin = at / m->options->bin * m->options->bin;
    }
    pending *p = &m->open[service];
    if (p->count == 0)
        ORR_VEC_PUSH(&m->touched, service);
    p->count += one->count;
    p->in += one->in;
    p->out += one->out;
}

static void take(mix *m)
{
    orr_queued next;
    orr_arrival a;
    orr_queue_pop(m->next, &next);
    const size_t service = (size_t)next.cookie;
    orr_pull_next(m->pulls.at[service], &a);
    next.at = orr_pull_peek(m->pulls.at[service]);
    orr_queue_add(m->next, &next);
    const pending one = {1, a.tokens_in, a.tokens_out};
    if (m->options->bin)
        count(m, service, a.at, &one);
    else
        store(m, service, a.at / ORR_US * ORR_US, &one);
}

/* Rates that rest for long may lead beyond what a trace takes. */
static orr_err fill(mix *m, orr_error *e)
{
    for (uint64_t i = 0; i < m->options->requests; i++) {
        if (orr_queue_peek(m->next)->at > (orr_time)(MOST_SPAN)*ORR_SECOND)
            return orr_error_set(e, ORR_E_RANGE, "the arrivals would span more than the clock's range");
        take(m);
    }
    close_bin(m);
    m->trace->bin = m->options->bin;
    return orr_trace_finish(m->trace, e);
}

/* ---- all of it ---- */

static orr_err plan(mix *m, orr_error *e)
{
    const orr_synth_requests_options *o = m->options;
    orr_err err = check(o, e);
    if (!err)
        err = plan_arrivals(m, e);
    if (!err)
        err = plan_tokens(o->tokens_in, "input", &m->pattern.tokens_in, &m->pattern.in_spread, e);
    if (!err)
        err = plan_tokens(o->tokens_out, "output", &m->pattern.tokens_out, &m->pattern.out_spread, e);
    return err ? err : plan_names(m, e);
}

static void mix_fini(mix *m)
{
    for (size_t i = 0; i < m->names.n; i++)
        free(m->names.at[i]);
    for (size_t i = 0; i < m->pulls.n; i++)
        orr_pull_destroy(m->pulls.at[i]);
    ORR_VEC_FREE(&m->names);
    ORR_VEC_FREE(&m->services);
    ORR_VEC_FREE(&m->pulls);
    ORR_VEC_FREE(&m->touched);
    free(m->rates);
    free(m->open);
    orr_queue_destroy(m->next);
}

orr_trace *orr_synth_requests(const orr_synth_requests_options *options, orr_error *e)
{
    mix m = {.options = options};
    orr_err err = plan(&m, e);
    if (!err) {
        make_services(&m);
        open_sources(&m);
        m.trace = orr_trace_create("synth:requests");
        err = fill(&m, e);
    }
    mix_fini(&m);
    if (!err)
        return m.trace;
    orr_trace_destroy(m.trace);
    return NULL;
}
