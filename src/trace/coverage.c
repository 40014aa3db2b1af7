/* What records state at all: our columns that may be missing, and the format's attributes, in all and by day. Columns
 * with a value by default (weight, state, …) are no part of it: a record that doesn't state them isn't seen from one
 * that states the default. */
#include "trace/describe_walk.h"
#include <stdlib.h>

enum { TEXT, TIME, AMOUNT };

typedef struct column {
    const char *name;
    int kind;
    size_t at;
} column;

#define NAMED(name, member, kind)                                                                                      \
    {                                                                                                                  \
        name, kind, offsetof(orr_trace_job, member)                                                                    \
    }
#define COLUMN(member, kind) NAMED(#member, member, kind)
static const column columns[] = {
    COLUMN(user, TEXT),     COLUMN(vc, TEXT),       COLUMN(name, TEXT),  COLUMN(model, TEXT),
    COLUMN(gpu_type, TEXT), COLUMN(group, TEXT),    NAMED("cpus", cpu_milli, AMOUNT),
    COLUMN(mem_bytes, AMOUNT),                      NAMED("gpu_mem", gpu_mem_bytes, AMOUNT),
    COLUMN(limit, TIME),    COLUMN(deadline, TIME), COLUMN(start, TIME), COLUMN(end, TIME),
};

static bool states(const orr_trace_job *job, const column *c)
{
    const void *at = (const char *)job + c->at;
    switch (c->kind) {
    case TEXT:
        return **(const char *const *)at != '\0';
    case TIME:
        return *(const orr_time *)at != ORR_TIME_NONE;
    default:
        return *(const int64_t *)at != 0;
    }
}

static const char *attribute_of(const orr_trace_job *job, size_t place)
{
    return job->attributes ? job->attributes[place] : "";
}

/* ---- by day ---- */

/* The place among arrivals.by_day of the day on which it was submitted: each submission is in one. */
static size_t day_place(const orr_arrival_facts *a, orr_time submit)
{
    size_t low = 0, high = a->by_day.n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (a->by_day.at[middle].at <= submit)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static orr_column_coverage fresh(const orr_description *d, const char *name, bool attribute)
{
    orr_column_coverage c = {.column = name, .attribute = attribute};
    c.by_day = orr_xcalloc(d->arrivals.by_day.n, sizeof *c.by_day);
    return c;
}

static void count(orr_column_coverage *c, bool stated, size_t day)
{
    c->stated += stated;
    c->by_day[day] += stated;
}

void orr_walk_coverage(orr_description *d)
{
    const size_t ours = sizeof columns / sizeof *columns;
    const char *const *names;
    const size_t attributes = orr_trace_attributes(d->trace, &names);
    for (size_t c = 0; c < ours; c++)
        ORR_VEC_PUSH(&d->coverage, fresh(d, columns[c].name, false));
    for (size_t a = 0; a < attributes; a++)
        ORR_VEC_PUSH(&d->coverage, fresh(d, names[a], true));
    for (size_t i = 0; i < orr_records(d); i++) {
        const orr_trace_job *job = orr_record(d, i);
        const size_t day = day_place(&d->arrivals, job->submit);
        for (size_t c = 0; c < ours; c++)
            count(&d->coverage.at[c], states(job, &columns[c]), day);
        for (size_t a = 0; a < attributes; a++)
            count(&d->coverage.at[ours + a], attribute_of(job, a)[0], day);
    }
}

/* ---- values of attributes ---- */

static int most_frequent_first(const void *left, const void *right)
{
    const orr_value_facts *a = left, *b = right;
    const uint64_t na = a->jobs + a->withdrawn, nb = b->jobs + b->withdrawn;
    if (na != nb)
        return na > nb ? -1 : 1;
    return orr_natural_compare(a->value, b->value);
}

static void add_number(orr_attribute_facts *a, const char *text)
{
    double v;
    if (!a->numeric || !orr_parse_double(text, strlen(text), &v)) {
        a->numeric = false;
        return;
    }
    a->min = a->stated == 0 || v < a->min ? v : a->min;
    a->max = a->stated == 0 || v > a->max ? v : a->max;
    a->sum += v;
}

void orr_attribute_take(orr_attribute_facts *a, orr_names *seen, const char *text, bool withdrawn)
{
    if (!text[0])
        return;
    const uint32_t id = orr_names_id(seen, text, strlen(text));
    add_number(a, text);
    a->stated++;
    if (id >= ORR_ATTRIBUTE_VALUES)
        return;
    if (id == a->values.n)
        ORR_VEC_PUSH(&a->values, ((orr_value_facts){.value = text}));
    a->values.at[id].jobs += !withdrawn;
    a->values.at[id].withdrawn += withdrawn;
}

void orr_attribute_end(orr_attribute_facts *a, const orr_names *seen)
{
    a->distinct = orr_names_count(seen);
    a->numeric = a->numeric && a->stated;
    if (a->distinct > ORR_ATTRIBUTE_VALUES)
        ORR_VEC_FREE(&a->values);
    else if (a->distinct)
        qsort(a->values.at, a->values.n, sizeof *a->values.at, most_frequent_first);
}

static orr_attribute_facts attribute_facts(const orr_description *d, const char *name, size_t place)
{
    orr_attribute_facts a = {.name = name, .numeric = true};
    orr_names *seen = orr_names_create();
    for (size_t i = 0; i < orr_records(d); i++)
        orr_attribute_take(&a, seen, attribute_of(orr_record(d, i), place), i >= d->jobs);
    orr_attribute_end(&a, seen);
    orr_names_destroy(seen);
    return a;
}

void orr_walk_attributes(orr_description *d)
{
    const char *const *names;
    const size_t n = orr_trace_attributes(d->trace, &names);
    for (size_t i = 0; i < n; i++)
        ORR_VEC_PUSH(&d->attributes, attribute_facts(d, names[i], i));
}

void orr_coverage_fini(orr_description *d)
{
    for (size_t i = 0; i < d->attributes.n; i++)
        ORR_VEC_FREE(&d->attributes.at[i].values);
    for (size_t i = 0; i < d->coverage.n; i++)
        free(d->coverage.at[i].by_day);
    ORR_VEC_FREE(&d->attributes);
    ORR_VEC_FREE(&d->coverage);
}
