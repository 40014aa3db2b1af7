/* timeline.csv: step functions in long form. What is reported during an instant is held until time moves on, so that a
 * row tells the value an instant left behind, and within one time rows stand in the order cluster, VCs, metrics.
 * A run with one pool tells of it once, as the cluster. */
#include "base/mem.h"
#include "report/csv.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEADER "t,entity,metric,value"

typedef struct series {
    bool changed, written; /* in this instant; ever */
    orr_levels now, last;  /* last: as written */
} series;

typedef struct timeline {
    const orr_cluster_spec *cluster;
    orr_time at;
    ORR_VEC(series) pools; /* 0: the cluster, 1 + i: VC i */
} timeline;

static const struct {
    const char *name;
    size_t offset;
    bool milli; /* counted in thousandths */
} metrics[] = {
    {"gpus_total", offsetof(orr_levels, gpus_total), false},    {"gpus_held", offsetof(orr_levels, milli_held), true},
    {"gpus_busy", offsetof(orr_levels, milli_busy), true},      {"jobs_queued", offsetof(orr_levels, jobs_queued), false},
    {"gpus_queued", offsetof(orr_levels, milli_queued), true},  {"jobs_running", offsetof(orr_levels, jobs_running), false},
};

static int64_t value_at(const orr_levels *levels, size_t offset)
{
    int64_t v;
    memcpy(&v, (const char *)levels + offset, sizeof v);
    return v;
}

/* In thousandths, as an exact decimal. */
static void write_milli(orr_csv_sink *csv, int64_t value)
{
    orr_text t = {0};
    orr_text_addf(&t, "%lld", (long long)(value / 1000));
    if (value % 1000) {
        orr_text_addf(&t, ".%03d", (int)(value % 1000));
        while (t.at[t.n - 1] == '0')
            t.at[--t.n] = '\0';
    }
    orr_csv_text(csv->out, t.at);
    orr_text_fini(&t);
}

static void write_row(orr_csv_sink *csv, size_t pool, size_t i, int64_t value)
{
    const char *metric = metrics[i].name;
    const timeline *t = csv->state;
    char at[ORR_TIME_BUF];
    orr_text entity = {0};
    orr_time_format(t->at, at);
    if (pool == 0)
        orr_text_addf(&entity, "cluster");
    else
        orr_text_addf(&entity, "vc:%s", orr_cluster_spec_vc(t->cluster, (int32_t)pool - 1));
    orr_output_text(csv->out, at);
    orr_csv_text(csv->out, entity.at);
    orr_csv_text(csv->out, metric);
    if (metrics[i].milli)
        write_milli(csv, value);
    else
        orr_csv_int(csv->out, value);
    orr_output_text(csv->out, "\n");
    orr_text_fini(&entity);
}

static void write_changes(orr_csv_sink *csv, size_t pool)
{
    timeline *t = csv->state;
    series *s = &t->pools.at[pool];
    for (size_t i = 0; s->changed && i < sizeof metrics / sizeof *metrics; i++) {
        int64_t now = value_at(&s->now, metrics[i].offset);
        if (!s->written || now != value_at(&s->last, metrics[i].offset))
            write_row(csv, pool, i, now);
    }
    if (s->changed) {
        s->last = s->now;
        s->written = true;
        s->changed = false;
    }
}

static void write_instant(orr_csv_sink *csv)
{
    timeline *t = csv->state;
    size_t pools = t->pools.n > 2 ? t->pools.n : 1;
    for (size_t i = 0; i < pools && i < t->pools.n; i++)
        write_changes(csv, i);
}

static void take_levels(void *self, orr_time at, const orr_levels *levels)
{
    orr_csv_sink *csv = self;
    timeline *t = csv->state;
    if (at != t->at)
        write_instant(csv);
    t->at = at;
    size_t pool = (size_t)(levels->vc + 1);
    while (t->pools.n <= pool)
        ORR_VEC_PUSH(&t->pools, ((series){.changed = false}));
    t->pools.at[pool].now = *levels;
    t->pools.at[pool].changed = true;
}

static void free_timeline(void *state)
{
    timeline *t = state;
    ORR_VEC_FREE(&t->pools);
    free(t);
}

orr_csv_sink *orr_timeline_csv_create(const char *path, const orr_cluster_spec *cluster, orr_error *e)
{
    orr_csv_sink *csv = orr_csv_sink_open(path, HEADER, e);
    if (!csv)
        return NULL;
    timeline *t = orr_xcalloc(1, sizeof *t);
    t->cluster = cluster;
    t->at = ORR_TIME_NONE;
    csv->state = t;
    csv->sink.levels = take_levels;
    csv->finish = write_instant;
    csv->free_state = free_timeline;
    return csv;
}
