/* The description of requests as one JSON document. */
#include "trace/describe_out.h"
#include "trace/describe_requests.h"
#include <math.h>

#define LISTED 1000 /* services and clients */

static void put_source(const orr_request_description *d, cJSON *root)
{
    const orr_trace *trace = d->clock.trace;
    cJSON_AddStringToObject(root, "trace", orr_trace_name(trace));
    cJSON_AddStringToObject(root, "format", orr_trace_format(trace));
    cJSON_AddStringToObject(root, "sha256", orr_trace_digest(trace));
    orr_put_when(&d->clock, root, "origin", 0);
    orr_put_count(root, "rows", d->clock.rows);
    orr_put_count(root, "records", d->records);
    orr_put_count(root, "requests", d->requests);
    orr_put_notes(trace, root);
}

static void put_span(const orr_request_description *d, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "span");
    orr_put_time(o, "first_arrival", d->first);
    orr_put_time(o, "last_arrival", d->last);
    orr_put_time(o, "seconds", d->last - d->first);
    orr_put_when(&d->clock, o, "first_arrival_text", d->first);
    orr_put_when(&d->clock, o, "last_arrival_text", d->last);
}

/* Null where bins are wider than the window. */
static void put_rush(const orr_request_description *d, cJSON *to, const char *key, const orr_rush *rush)
{
    if (rush->requests == 0) {
        cJSON_AddNullToObject(to, key);
        return;
    }
    cJSON *o = cJSON_AddObjectToObject(to, key);
    orr_put_count(o, "requests", rush->requests);
    orr_put_time(o, "from", rush->at);
    orr_put_when(&d->clock, o, "from_text", rush->at);
}

static void put_rates(const orr_request_description *d, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "rate");
    orr_put_double(o, "per_second", d->rate);
    orr_put_double(o, "per_minute", d->rate * 60);
    put_rush(d, o, "busiest_second", &d->second);
    put_rush(d, o, "busiest_minute", &d->minute);
}

/* Of requests their gaps, of bins their counts. */
static void put_arrivals(const orr_request_description *d, cJSON *root)
{
    if (!d->bin) {
        orr_put_spread(root, "gaps", &d->gaps);
        cJSON *gaps = cJSON_GetObjectItemCaseSensitive(root, "gaps");
        orr_put_double(gaps, "cv", d->gap_cv);
        orr_put_count(gaps, "zero", d->zero_gaps);
        return;
    }
    cJSON *o = cJSON_AddObjectToObject(root, "bins");
    orr_put_time(o, "seconds", d->bin);
    orr_put_count(o, "spanned", d->bins);
    orr_put_count(o, "empty", d->empty_bins);
    orr_put_spread(o, "counts", &d->counts);
    orr_put_double(o, "cv", d->count_cv);
    orr_put_double(o, "dispersion", d->dispersion);
}

static void put_calendar(const orr_request_description *d, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "arrivals");
    cJSON_AddStringToObject(o, "clock", d->clock.calendar ? "calendar" : "relative");
    if (!d->clock.calendar)
        return;
    orr_put_counts(o, "weekdays", d->weekdays, 7);
    orr_put_counts(o, "hours", d->hours, 24);
}

static void put_tokens(cJSON *root, const char *key, const orr_spread *s, orr_wide total)
{
    orr_put_spread(root, key, s);
    orr_put_wide(cJSON_GetObjectItemCaseSensitive(root, key), "total", total, 0);
}

static void put_blocks(const orr_block_facts *b, cJSON *root)
{
    cJSON *o = cJSON_AddObjectToObject(root, "blocks");
    orr_put_count(o, "requests", b->requests);
    orr_put_count(o, "names", b->names);
    orr_put_count(o, "distinct", b->distinct);
    orr_put_count(o, "seen_before", b->seen);
    orr_put_count(o, "in_prefix", b->unbroken);
    orr_put_double(o, "reuse_share", b->names ? (double)b->seen / (double)b->names : NAN);
    orr_put_double(o, "prefix_share", b->names ? (double)b->unbroken / (double)b->names : NAN);
    orr_put_spread(o, "per_request", &b->per_request);
}

static void put_asker(const orr_asker_facts *a, const char *key, cJSON *list)
{
    cJSON *o = orr_put_item(list);
    cJSON_AddStringToObject(o, key, a->name);
    orr_put_count(o, "requests", a->requests);
    orr_put_count(o, "failed", a->failed);
    orr_put_double(o, "tokens_in_mean", a->in_stated ? (double)a->tokens_in / (double)a->in_stated : NAN);
    orr_put_double(o, "tokens_out_mean", a->out_stated ? (double)a->tokens_out / (double)a->out_stated : NAN);
}

static void put_askers(const orr_askers *askers, const char *keys, const char *key, cJSON *root)
{
    if (askers->n == 0)
        return;
    uint64_t rest = 0;
    cJSON *o = cJSON_AddObjectToObject(root, keys);
    orr_put_count(o, "names", askers->n);
    cJSON *list = cJSON_AddArrayToObject(o, "list");
    for (size_t i = 0; i < askers->n && i < LISTED; i++)
        put_asker(&askers->at[i], key, list);
    for (size_t i = LISTED; i < askers->n; i++)
        rest += askers->at[i].requests;
    cJSON *left = cJSON_AddObjectToObject(o, "left_out");
    orr_put_count(left, "names", askers->n > LISTED ? askers->n - LISTED : 0);
    orr_put_count(left, "requests", rest);
}

static void put_endings(const orr_request_description *d, cJSON *root)
{
    cJSON *endings = cJSON_AddObjectToObject(root, "endings");
    orr_put_count(endings, "done", d->endings[ORR_ENDING_DONE]);
    orr_put_count(endings, "failed", d->endings[ORR_ENDING_FAILED]);
    orr_put_count(endings, "killed", d->endings[ORR_ENDING_KILLED]);
    orr_put_count(root, "censored", d->censored);
    cJSON *same = cJSON_AddObjectToObject(root, "duplicates");
    orr_put_count(same, "groups", d->same_groups);
    orr_put_count(same, "records", d->same_records);
    orr_put_count(same, "surplus", d->same_surplus);
}

static void put_attribute(const orr_attribute_facts *a, cJSON *list)
{
    cJSON *o = orr_put_attribute(list, a);
    cJSON *values = a->values.n ? cJSON_AddArrayToObject(o, "values") : NULL;
    for (size_t i = 0; i < a->values.n; i++) {
        cJSON *value = orr_put_item(values);
        cJSON_AddStringToObject(value, "value", a->values.at[i].value);
        orr_put_count(value, "records", a->values.at[i].jobs);
    }
}

cJSON *orr_requests_describe_json(const orr_request_description *d)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "orrery.describe-requests/1");
    put_source(d, root);
    put_span(d, root);
    put_rates(d, root);
    put_arrivals(d, root);
    put_calendar(d, root);
    put_tokens(root, "tokens_in", &d->tokens_in, d->total_in);
    put_tokens(root, "tokens_out", &d->tokens_out, d->total_out);
    orr_put_spread(root, "duration", &d->duration);
    put_blocks(&d->blocks, root);
    put_askers(&d->services, "services", "service", root);
    put_askers(&d->clients, "clients", "client", root);
    put_endings(d, root);
    cJSON *list = cJSON_AddArrayToObject(root, "attributes");
    for (size_t i = 0; i < d->attributes.n; i++)
        put_attribute(&d->attributes.at[i], list);
    return root;
}
