/* Facts about a trace of requests, computed once: what `orrery describe` prints of one and what its --json holds.
 *
 * Single requests have gaps between their arrivals; bins of them have counts instead, and a bin in which nothing
 * arrived counts as one. Seconds and minutes are counted from the first arrival on, so that bins fall into one each.
 * Quantiles and deviations as in describe.h, weekdays and hours where the calendar is known. O(n log n).
 */
#ifndef ORR_TRACE_DESCRIBE_REQUESTS_H
#define ORR_TRACE_DESCRIBE_REQUESTS_H

#include "trace/describe.h"

/* The requests of one service or client. */
typedef struct orr_asker_facts {
    const char *name;
    uint64_t requests, failed;
    uint64_t in_stated, out_stated; /* records that state their tokens, */
    orr_wide tokens_in, tokens_out; /* and the sums of those */
} orr_asker_facts;
typedef ORR_VEC(orr_asker_facts) orr_askers; /* most requests first, then by name */

/* The second or minute in which most arrived; 0 requests: bins are wider than that. */
typedef struct orr_rush {
    uint64_t requests;
    orr_time at; /* its beginning; the first such */
} orr_rush;

/* Names of prefix-cache blocks. */
typedef struct orr_block_facts {
    uint64_t requests, names, distinct; /* requests that state them; names in all; different ones */
    uint64_t seen;     /* names that came before, in an earlier request or earlier in this one */
    uint64_t unbroken; /* of those: in a run from the first block on, as a prefix cache without bounds would hit */
    orr_spread per_request;
} orr_block_facts;

typedef struct orr_request_description {
    orr_description clock; /* of this only trace, calendar, origin, rows and dropped */
    uint64_t records, requests; /* rows kept; what arrived: of bins the sum of their counts */
    orr_time bin;               /* 0: single requests */
    orr_time first, last;       /* arrivals */
    double rate;                /* requests a second from the first to the last arrival (of bins: to the end of the
                                 * last); NaN: no time passed */
    orr_rush second, minute;
    orr_spread gaps; /* s, of single requests */
    double gap_cv;   /* NaN: no gap, or all are 0 */
    uint64_t zero_gaps;
    orr_spread counts; /* of a bin, empty ones too */
    double count_cv, dispersion; /* sd / mean; variance / mean: 1 for Poisson arrivals */
    uint64_t bins, empty_bins;
    orr_spread tokens_in, tokens_out;
    orr_wide total_in, total_out;
    orr_spread duration; /* s, recorded; censored ones left out */
    orr_block_facts blocks;
    orr_askers services, clients; /* empty: none is named */
    uint64_t endings[3]; /* by orr_ending, the censored left out */
    uint64_t censored;
    uint64_t same_groups, same_records, same_surplus; /* records alike in all but id and place, as in describe.h */
    uint64_t weekdays[7], hours[24]; /* from Monday; zero without a calendar */
    ORR_VEC(orr_attribute_facts) attributes; /* `jobs` of a value counts records */
} orr_request_description;

/* Of a trace with at least one request, which is borrowed and must outlive this. */
orr_request_description *orr_requests_describe(const orr_trace *trace);
void orr_request_description_destroy(orr_request_description *d);

/* For people; ends with a newline. */
void orr_requests_describe_text(const orr_request_description *d, orr_text *out);
/* Schema "orrery.describe-requests/1"; the caller frees it by cJSON_Delete. */
struct cJSON *orr_requests_describe_json(const orr_request_description *d);

#endif
