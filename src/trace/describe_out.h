/* Members of the JSON description. Numbers are added as raw text, since cJSON prints doubles with fewer digits than
 * reading them back needs, and exact sums do not fit a double. Inside src/trace/describe*.c only.
 */
#ifndef ORR_TRACE_DESCRIBE_OUT_H
#define ORR_TRACE_DESCRIBE_OUT_H

#include "trace/describe.h"
#include <cjson/cJSON.h>

void orr_put_count(cJSON *to, const char *key, uint64_t value);
void orr_put_counts(cJSON *to, const char *key, const uint64_t *values, size_t n);
void orr_put_double(cJSON *to, const char *key, double value); /* NaN: null */
void orr_put_doubles(cJSON *to, const char *key, const double *values, size_t n);
void orr_put_time(cJSON *to, const char *key, orr_time t); /* exact decimal seconds; ORR_TIME_NONE: null */
void orr_put_wide(cJSON *to, const char *key, orr_wide value, int places); /* value / 10^places, exactly */
/* Calendar text, or null on a relative clock. */
void orr_put_when(const orr_description *d, cJSON *to, const char *key, orr_time t);
void orr_put_spread(cJSON *to, const char *key, const orr_spread *s);
/* What was dropped by reason, and all notes. */
void orr_put_notes(const orr_trace *trace, cJSON *root);
/* A new object at the end of a list. */
cJSON *orr_put_item(cJSON *list);
/* The object of an attribute, at the end of a list: all but its values. */
cJSON *orr_put_attribute(cJSON *list, const orr_attribute_facts *a);

/* The second half of the document: shares, the record, attributes, coverage. */
void orr_put_shares(const orr_description *d, cJSON *root);
void orr_put_record(const orr_description *d, cJSON *root);
void orr_put_attributes(const orr_description *d, cJSON *root);
void orr_put_coverage(const orr_description *d, cJSON *root);

#endif
