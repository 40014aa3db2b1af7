/* serving.csv: what services and executors did over time, in bins whose number is bounded: they double their width when
 * the run outgrows them. A request or batch costs the bins that it spans. */
#include "base/mem.h"
#include "report/csv.h"

#include <stdlib.h>

#define HEADER "t,entity,metric,value"

enum { BINS = 480, SERVICES = 16, EXECUTORS = 48 };

typedef enum what { ARRIVED, ANSWERED, LATE, DROPPED, WAITING, WHATS } what;

static const char *const names[WHATS] = {"arrived", "answered", "late", "dropped", "waiting"};

typedef double bins[BINS];

typedef struct levels {
    const orr_services *services;
    orr_serving_sink next;
    orr_time width, end; /* end: the last time that was told */
    int32_t shown, executors;
    bins (*of)[WHATS]; /* 0: all services, 1 + i: service i of those shown; waiting in request-ns */
    bins *busy;        /* 0: all executors, 1 + i: executor i; batch-ns */
} levels;

/* ---- bins ---- */

static void halve(double *at)
{
    for (int i = 0; i < BINS; i++)
        at[i] = i < BINS / 2 ? at[2 * i] + at[2 * i + 1] : 0;
}

static void reach(levels *l, orr_time t)
{
    l->end = t > l->end ? t : l->end;
    while (t / l->width >= BINS) {
        for (int32_t i = 0; i <= l->shown; i++)
            for (int w = 0; w < WHATS; w++)
                halve(l->of[i][w]);
        for (int32_t i = 0; i <= EXECUTORS; i++)
            halve(l->busy[i]);
        l->width *= 2;
    }
}

static void add_one(const levels *l, int32_t row, what w, orr_time at)
{
    l->of[0][w][at / l->width]++;
    if (row)
        l->of[row][w][at / l->width]++;
}

static void add_span(const levels *l, double *at, orr_time from, orr_time to)
{
    for (orr_time bin = from / l->width; from < to; bin++) {
        const orr_time end = (bin + 1) * l->width < to ? (bin + 1) * l->width : to;
        at[bin] += (double)(end - from);
        from = end;
    }
}

/* ---- listening ---- */

static void take_request(void *self, const orr_request_record *r)
{
    levels *l = ((orr_csv_sink *)self)->state;
    const int32_t row = r->service < l->shown ? r->service + 1 : 0;
    const orr_time left = r->start == ORR_TIME_NONE ? r->end : r->start;
    if (l->next.request)
        l->next.request(l->next.self, r);
    reach(l, r->end);
    add_one(l, row, ARRIVED, r->arrival);
    add_one(l, row, r->answered ? ANSWERED : DROPPED, r->end);
    if (r->late)
        add_one(l, row, LATE, r->end);
    add_span(l, l->of[0][WAITING], r->arrival, left);
    if (row)
        add_span(l, l->of[row][WAITING], r->arrival, left);
}

static void take_batch(void *self, const orr_batch_run *b)
{
    levels *l = ((orr_csv_sink *)self)->state;
    if (l->next.batch)
        l->next.batch(l->next.self, b);
    reach(l, b->end);
    add_span(l, l->busy[0], b->start, b->end);
    l->executors = b->exec_id >= l->executors ? b->exec_id + 1 : l->executors;
    if (b->exec_id < EXECUTORS)
        add_span(l, l->busy[b->exec_id + 1], b->start, b->end);
}

/* ---- writing ---- */

static void write_value(orr_csv_sink *csv, orr_time t, const char *entity, const char *metric, double value)
{
    char at[ORR_TIME_BUF];
    orr_time_format(t, at);
    orr_output_text(csv->out, at);
    orr_csv_text(csv->out, entity);
    orr_csv_text(csv->out, metric);
    orr_csv_double(csv->out, value);
    orr_output_text(csv->out, "\n");
}

/* Changes only; 0 is the value before the first row. The last bin is as long as the run is in it. `unit`: what a
 * nanosecond's worth of the sum is. */
static void write_bin(orr_csv_sink *csv, int bin, const double *at, double unit, const char *entity, const char *metric)
{
    const levels *l = csv->state;
    const orr_time from = bin * l->width, to = from + l->width < l->end ? from + l->width : l->end;
    const double value = to > from ? at[bin] * unit / (double)(to - from) : 0;
    const double before = bin ? at[bin - 1] * unit / (double)l->width : 0;
    if (value < before || value > before)
        write_value(csv, from, entity, metric, value);
}

/* After the last bin nothing goes on. */
static void write_end(orr_csv_sink *csv, int last, const double *at, const char *entity, const char *metric)
{
    const levels *l = csv->state;
    if (last >= 0 && at[last] > 0)
        write_value(csv, l->end, entity, metric, 0);
}

static void each_row(orr_csv_sink *csv, int bin, bool end)
{
    const levels *l = csv->state;
    orr_text entity = {0};
    for (int32_t i = 0; i <= l->shown; i++) {
        orr_text_clear(&entity);
        orr_text_addf(&entity, i ? "service:%s" : "services", i ? l->services->services[i - 1].name : "");
        for (int w = 0; w < WHATS; w++)
            if (end)
                write_end(csv, bin, l->of[i][w], entity.at, names[w]);
            else
                write_bin(csv, bin, l->of[i][w], w == WAITING ? 1 : 1e9, entity.at, names[w]);
    }
    for (int32_t i = 0; i <= EXECUTORS && i <= l->executors; i++) {
        orr_text_clear(&entity);
        orr_text_addf(&entity, i ? "executor:%d" : "executors", (int)i - 1);
        if (end)
            write_end(csv, bin, l->busy[i], entity.at, "busy");
        else
            write_bin(csv, bin, l->busy[i], 1, entity.at, "busy");
    }
    orr_text_fini(&entity);
}

/* What happened at the very end belongs to the last bin, not to one of no length behind it. */
static void fold(const levels *l, int used)
{
    if (used == 0 || l->end % l->width != 0)
        return;
    for (int32_t i = 0; i <= l->shown; i++)
        for (int w = 0; w < WHATS; w++)
            l->of[i][w][used - 1] += l->of[i][w][used];
}

static void write_rows(orr_csv_sink *csv)
{
    const levels *l = csv->state;
    const int used = l->end ? (int)((l->end - 1) / l->width) + 1 : 0;
    fold(l, used);
    for (int bin = 0; bin < used; bin++)
        each_row(csv, bin, false);
    each_row(csv, used - 1, true);
}

static void free_levels(void *state)
{
    levels *l = state;
    free(l->of);
    free(l->busy);
    free(l);
}

orr_csv_sink *orr_serving_csv_create(const char *path, const orr_services *services, orr_error *e)
{
    orr_csv_sink *csv = orr_csv_sink_open(path, HEADER, e);
    if (!csv)
        return NULL;
    levels *l = orr_xcalloc(1, sizeof *l);
    l->services = services;
    l->width = ORR_SECOND / 1000;
    l->shown = services->count < SERVICES ? services->count : SERVICES;
    l->of = orr_xcalloc((size_t)l->shown + 1, sizeof *l->of);
    l->busy = orr_xcalloc(EXECUTORS + 1, sizeof *l->busy);
    csv->state = l;
    csv->free_state = free_levels;
    csv->finish = write_rows;
    return csv;
}

orr_serving_sink orr_serving_csv_sink(orr_csv_sink *csv, const orr_serving_sink *next)
{
    levels *l = csv->state;
    l->next = next ? *next : (orr_serving_sink){0};
    return (orr_serving_sink){.self = csv, .request = take_request, .batch = take_batch};
}
