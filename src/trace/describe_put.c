/* What the JSON description is put together from. */
#include "trace/describe_out.h"
#include <stdio.h>

static cJSON *count_item(uint64_t value)
{
    char buf[24];
    snprintf(buf, sizeof buf, "%llu", (unsigned long long)value);
    return cJSON_CreateRaw(buf);
}

static cJSON *double_item(double value)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_double(value, buf);
    return cJSON_CreateRaw(buf);
}

void orr_put_count(cJSON *to, const char *key, uint64_t value)
{
    cJSON_AddItemToObject(to, key, count_item(value));
}

void orr_put_counts(cJSON *to, const char *key, const uint64_t *values, size_t n)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, count_item(values[i]));
}

void orr_put_double(cJSON *to, const char *key, double value)
{
    cJSON_AddItemToObject(to, key, double_item(value));
}

void orr_put_doubles(cJSON *to, const char *key, const double *values, size_t n)
{
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, double_item(values[i]));
}

void orr_put_time(cJSON *to, const char *key, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_time_format(t, buf);
    cJSON_AddRawToObject(to, key, buf[0] ? buf : "null");
}

void orr_put_wide(cJSON *to, const char *key, orr_wide value, int places)
{
    char buf[ORR_WIDE_BUF];
    orr_wide_decimal(value, places, buf);
    cJSON_AddRawToObject(to, key, buf);
}

void orr_put_when(const orr_description *d, cJSON *to, const char *key, orr_time t)
{
    char buf[ORR_CIVIL_BUF];
    if (orr_describe_when(d, t, buf))
        cJSON_AddStringToObject(to, key, buf);
    else
        cJSON_AddNullToObject(to, key);
}

void orr_put_spread(cJSON *to, const char *key, const orr_spread *s)
{
    cJSON *o = cJSON_AddObjectToObject(to, key);
    orr_put_double(o, "min", s->min);
    orr_put_double(o, "mean", s->mean);
    orr_put_double(o, "sd", s->sd);
    for (int i = 0; i < ORR_DESCRIBE_QUANTILES; i++)
        orr_put_double(o, orr_describe_p_names[i], s->q[i]);
    orr_put_double(o, "max", s->max);
    orr_put_count(o, "n", s->n);
}

cJSON *orr_put_item(cJSON *list)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    return o;
}

cJSON *orr_put_attribute(cJSON *list, const orr_attribute_facts *a)
{
    cJSON *o = orr_put_item(list);
    cJSON_AddStringToObject(o, "attribute", a->name);
    orr_put_count(o, "stated", a->stated);
    orr_put_count(o, "distinct", a->distinct);
    if (a->numeric) {
        orr_put_double(o, "min", a->min);
        orr_put_double(o, "max", a->max);
        orr_put_double(o, "sum", a->sum);
    }
    return o;
}
