/* Each fact is one walk over the requests, or a sort and a walk. Records come in order of arrival. */
#include "trace/describe_requests.h"
#include "base/rng.h"
#include "base/stat.h"
#include "trace/describe_walk.h"
#include <math.h>
#include <stdlib.h>

static size_t list_of(const orr_request_description *d, const orr_trace_request **requests)
{
    return orr_trace_requests(d->clock.trace, requests);
}

/* ---- arrivals ---- */

static void totals(orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    d->records = n;
    d->first = r[0].arrival;
    d->last = r[n - 1].arrival;
    for (size_t i = 0; i < n; i++) {
        d->requests += r[i].count;
        d->censored += r[i].censored ? r[i].count : 0;
        d->endings[r[i].ending] += r[i].censored ? 0 : r[i].count;
    }
    const double span = orr_time_seconds(d->last - d->first + d->bin);
    d->rate = span > 0 ? (double)(d->bin ? d->requests : d->requests - 1) / span : NAN;
}

static orr_rush rush(const orr_request_description *d, orr_time width)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    orr_rush most = {0};
    if (d->bin > 0 && width % d->bin)
        return most;
    for (size_t from = 0, to; from < n; from = to) {
        const orr_time window = (r[from].arrival - d->first) / width;
        uint64_t requests = 0;
        for (to = from; to < n && (r[to].arrival - d->first) / width == window; to++)
            requests += r[to].count;
        if (requests > most.requests)
            most = (orr_rush){requests, d->first + window * width};
    }
    return most;
}

static double over(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

static void gaps(orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    double *gap = orr_xmalloc(n * sizeof *gap);
    for (size_t i = 1; i < n; i++) {
        gap[i - 1] = orr_time_seconds(r[i].arrival - r[i - 1].arrival);
        d->zero_gaps += r[i].arrival == r[i - 1].arrival;
    }
    d->gaps = orr_spread_of(gap, n - 1);
    d->gap_cv = over(d->gaps.sd, d->gaps.mean);
    free(gap);
}

/* The i-th of ascending values that `zeros` zeros come before. */
static double value_at(const double *v, uint64_t zeros, uint64_t i)
{
    return i < zeros ? 0 : v[i - zeros];
}

static double quantile_with_zeros(const double *v, size_t n, uint64_t zeros, double p)
{
    const uint64_t last = n + zeros - 1;
    const double at = p * (double)last;
    const uint64_t low = (uint64_t)at < last ? (uint64_t)at : last;
    const double pair[2] = {value_at(v, zeros, low), value_at(v, zeros, low < last ? low + 1 : last)};
    return orr_quantile(pair, 2, at - (double)low < 1 ? at - (double)low : 1);
}

/* Of `n` values, which are sorted and spoiled, and so many zeros: bins without arrivals may be too many to list. */
static orr_spread spread_with_zeros(double *v, size_t n, uint64_t zeros)
{
    const double all = (double)n + (double)zeros;
    orr_spread s = {.n = n + zeros};
    orr_sort_doubles(v, n);
    s.min = zeros ? 0 : v[0];
    s.max = v[n - 1];
    s.mean = orr_sum(v, n) / all;
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        s.q[i] = quantile_with_zeros(v, n, zeros, orr_describe_p[i]);
    for (size_t i = 0; i < n; i++)
        v[i] = (v[i] - s.mean) * (v[i] - s.mean);
    s.sd = sqrt((orr_sum(v, n) + (double)zeros * s.mean * s.mean) / all);
    return s;
}

/* Several records may share a bin, one a service. */
static void bin_counts(orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    double *counts = orr_xmalloc(n * sizeof *counts);
    size_t used = 0;
    for (size_t from = 0, to; from < n; from = to) {
        const orr_time place = (r[from].arrival - d->first) / d->bin;
        counts[used] = 0;
        for (to = from; to < n && (r[to].arrival - d->first) / d->bin == place; to++)
            counts[used] += (double)r[to].count;
        used++;
    }
    d->bins = (uint64_t)((d->last - d->first) / d->bin) + 1;
    d->empty_bins = d->bins - used;
    d->counts = spread_with_zeros(counts, used, d->empty_bins);
    d->count_cv = over(d->counts.sd, d->counts.mean);
    d->dispersion = over(d->counts.sd * d->counts.sd, d->counts.mean);
    free(counts);
}

static void calendar_counts(orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    for (size_t i = 0; i < n; i++) {
        const orr_date date = orr_civil_date(d->clock.origin.local + r[i].arrival);
        d->weekdays[date.weekday] += r[i].count;
        d->hours[date.hour] += r[i].count;
    }
}

/* ---- what they asked for ---- */

/* Of the records that state it. */
static orr_spread token_spread(const orr_request_description *d, bool out, orr_wide *total)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    double *v = orr_xmalloc(n * sizeof *v);
    size_t stated = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t tokens = out ? r[i].tokens_out : r[i].tokens_in;
        if (tokens < 0)
            continue;
        *total += tokens;
        v[stated++] = (double)tokens;
    }
    const orr_spread s = orr_spread_of(v, stated);
    free(v);
    return s;
}

static orr_spread duration_spread(const orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    double *v = orr_xmalloc(n * sizeof *v);
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        if (!r[i].censored && r[i].duration != ORR_TIME_NONE)
            v[known++] = orr_time_seconds(r[i].duration);
    const orr_spread s = orr_spread_of(v, known);
    free(v);
    return s;
}

/* Open addressing, at most half full; a place that holds 0 is free, so the name 0 is remembered apart. */
typedef struct name_set {
    uint64_t *at;
    size_t places, n;
    bool zero;
} name_set;

static uint64_t *place_of(const name_set *set, uint64_t name)
{
    size_t i = (size_t)orr_hash64(0, &name, sizeof name) & (set->places - 1);
    while (set->at[i] && set->at[i] != name)
        i = (i + 1) & (set->places - 1);
    return &set->at[i];
}

static void grow(name_set *set)
{
    const name_set old = *set;
    set->places = old.places ? 2 * old.places : 256;
    set->at = orr_xcalloc(set->places, sizeof *set->at);
    for (size_t i = 0; i < old.places; i++)
        if (old.at[i])
            *place_of(set, old.at[i]) = old.at[i];
    free(old.at);
}

/* Whether it was there already. */
static bool put(name_set *set, uint64_t name)
{
    if (name == 0) {
        const bool had = set->zero;
        set->zero = true;
        return had;
    }
    if (2 * (set->n + 1) > set->places)
        grow(set);
    uint64_t *place = place_of(set, name);
    if (*place)
        return true;
    *place = name;
    set->n++;
    return false;
}

static void look_up(orr_block_facts *b, const orr_trace_request *r, name_set *known)
{
    bool unbroken = true;
    b->requests++;
    b->names += r->block_count;
    for (uint32_t i = 0; i < r->block_count; i++) {
        const bool seen = put(known, r->blocks[i]);
        unbroken = unbroken && seen;
        b->seen += seen;
        b->unbroken += unbroken;
    }
}

static void blocks(orr_request_description *d)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    name_set known = {0};
    double *counts = orr_xmalloc(n * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        if (!r[i].block_count)
            continue;
        counts[d->blocks.requests] = r[i].block_count;
        look_up(&d->blocks, &r[i], &known);
    }
    d->blocks.distinct = known.n + known.zero;
    d->blocks.per_request = orr_spread_of(counts, d->blocks.requests);
    free(known.at);
    free(counts);
}

/* ---- who asked whom ---- */

static const char *service_of(const orr_trace_request *r)
{
    return r->service;
}

static const char *client_of(const orr_trace_request *r)
{
    return r->client;
}

static void add_request(orr_asker_facts *a, const orr_trace_request *r)
{
    a->requests += r->count;
    a->failed += r->ending == ORR_ENDING_FAILED ? r->count : 0;
    a->in_stated += r->tokens_in >= 0;
    a->out_stated += r->tokens_out >= 0;
    a->tokens_in += r->tokens_in >= 0 ? r->tokens_in : 0;
    a->tokens_out += r->tokens_out >= 0 ? r->tokens_out : 0;
}

static int most_requests_first(const void *left, const void *right)
{
    const orr_asker_facts *a = left, *b = right;
    if (a->requests != b->requests)
        return a->requests > b->requests ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void askers(const orr_request_description *d, const char *(*name_of)(const orr_trace_request *r),
                   orr_askers *out)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    orr_names *seen = orr_names_create();
    bool named = false;
    for (size_t i = 0; i < n; i++) {
        const char *name = name_of(&r[i]);
        const uint32_t id = orr_names_id(seen, name, strlen(name));
        named |= name[0] != '\0';
        if (id == out->n)
            ORR_VEC_PUSH(out, ((orr_asker_facts){.name = name}));
        add_request(&out->at[id], &r[i]);
    }
    orr_names_destroy(seen);
    if (named)
        qsort(out->at, out->n, sizeof *out->at, most_requests_first);
    else
        out->n = 0;
}

/* ---- records that are the same but for their ids ---- */

typedef struct ref {
    const orr_trace_request *request;
    size_t attributes; /* how many it may have */
} ref;

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int numbers_order(const orr_trace_request *a, const orr_trace_request *b)
{
    const int64_t pairs[][2] = {
        {a->arrival, b->arrival},       {a->tokens_in, b->tokens_in},         {a->tokens_out, b->tokens_out},
        {a->duration, b->duration},     {(int64_t)a->count, (int64_t)b->count}, {a->block_count, b->block_count},
        {(int)a->ending, (int)b->ending}, {a->censored, b->censored},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return order(pairs[i][0], pairs[i][1]);
    return 0;
}

static int blocks_order(const orr_trace_request *a, const orr_trace_request *b)
{
    for (uint32_t i = 0; i < a->block_count; i++)
        if (a->blocks[i] != b->blocks[i])
            return a->blocks[i] < b->blocks[i] ? -1 : 1;
    return 0;
}

static int texts_order(const ref *left, const ref *right)
{
    const orr_trace_request *a = left->request, *b = right->request;
    int before = strcmp(a->service, b->service);
    if (!before)
        before = strcmp(a->client, b->client);
    for (size_t i = 0; i < left->attributes && !before; i++)
        before = strcmp(a->attributes ? a->attributes[i] : "", b->attributes ? b->attributes[i] : "");
    return before;
}

static int by_content(const void *left, const void *right)
{
    const ref *a = left, *b = right;
    int before = numbers_order(a->request, b->request);
    if (!before)
        before = blocks_order(a->request, b->request);
    return before ? before : texts_order(a, b);
}

static void same_records(orr_request_description *d)
{
    const orr_trace_request *r;
    const char *const *names;
    const size_t n = list_of(d, &r), named = orr_trace_attributes(d->clock.trace, &names);
    ref *list = orr_xmalloc(n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = (ref){&r[i], named};
    qsort(list, n, sizeof *list, by_content);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && by_content(&list[from], &list[to]) == 0;)
            to++;
        if (to - from < 2)
            continue;
        d->same_groups++;
        d->same_records += to - from;
        d->same_surplus += to - from - 1;
    }
    free(list);
}

/* ---- attributes ---- */

static orr_attribute_facts attribute_facts(const orr_request_description *d, const char *name, size_t place)
{
    const orr_trace_request *r;
    const size_t n = list_of(d, &r);
    orr_attribute_facts a = {.name = name, .numeric = true};
    orr_names *seen = orr_names_create();
    for (size_t i = 0; i < n; i++)
        if (r[i].attributes)
            orr_attribute_take(&a, seen, r[i].attributes[place], false);
    orr_attribute_end(&a, seen);
    orr_names_destroy(seen);
    return a;
}

static void attributes(orr_request_description *d)
{
    const char *const *names;
    const size_t n = orr_trace_attributes(d->clock.trace, &names);
    for (size_t i = 0; i < n; i++)
        ORR_VEC_PUSH(&d->attributes, attribute_facts(d, names[i], i));
}

/* ---- all of it ---- */

orr_request_description *orr_requests_describe(const orr_trace *trace)
{
    orr_request_description *d = orr_xcalloc(1, sizeof *d);
    const char *origin = orr_trace_origin(trace);
    d->clock.trace = trace;
    d->clock.calendar = origin[0] && orr_civil_parse(origin, strlen(origin), &d->clock.origin) == ORR_OK;
    d->bin = orr_trace_bin(trace);
    totals(d);
    d->clock.rows = orr_trace_rows_read(trace);
    d->clock.dropped = d->clock.rows - d->records;
    d->second = rush(d, ORR_SECOND);
    d->minute = rush(d, ORR_MINUTE);
    if (d->bin)
        bin_counts(d);
    else
        gaps(d);
    if (d->clock.calendar)
        calendar_counts(d);
    d->tokens_in = token_spread(d, false, &d->total_in);
    d->tokens_out = token_spread(d, true, &d->total_out);
    d->duration = duration_spread(d);
    blocks(d);
    askers(d, service_of, &d->services);
    askers(d, client_of, &d->clients);
    same_records(d);
    attributes(d);
    return d;
}

void orr_request_description_destroy(orr_request_description *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->attributes.n; i++)
        ORR_VEC_FREE(&d->attributes.at[i].values);
    ORR_VEC_FREE(&d->attributes);
    ORR_VEC_FREE(&d->services);
    ORR_VEC_FREE(&d->clients);
    free(d);
}
