/* requests.csv: a row a request, when the last word on it is spoken. Memory doesn't grow with them. */
#include "base/mem.h"
#include "report/csv.h"

#include <stdlib.h>

#define HEADER "service,number,class,arrival,start,end,deadline,latency,outcome,late,variant,executor,batch,measured"

typedef struct requests {
    const orr_services *services;
    ORR_VEC(const char *) variants; /* names, by variant id */
} requests;

static const char *outcome_of(const orr_request_record *r)
{
    static const char *const why[ORR_DROP_KINDS] = {
        [ORR_DROP_REFUSED] = "refused", [ORR_DROP_FULL] = "full",       [ORR_DROP_SHED] = "shed",
        [ORR_DROP_EXPIRED] = "expired", [ORR_DROP_TIMEOUT] = "timeout", [ORR_DROP_LOST] = "lost",
    };
    return r->answered ? "answered" : why[r->why];
}

static void write_index(orr_output *out, int32_t index)
{
    if (index >= 0)
        orr_csv_int(out, index);
    else
        orr_csv_text(out, "");
}

static void write_request(void *self, const orr_request_record *r)
{
    orr_csv_sink *csv = self;
    const requests *q = csv->state;
    const orr_service *s = &q->services->services[r->service];
    orr_output_csv(csv->out, s->name);
    orr_csv_int(csv->out, r->number);
    orr_csv_text(csv->out, s->classes[r->class_].name);
    orr_csv_time(csv->out, r->arrival);
    orr_csv_time(csv->out, r->start);
    orr_csv_time(csv->out, r->end);
    orr_csv_time(csv->out, r->deadline == ORR_TIME_MAX ? ORR_TIME_NONE : r->deadline);
    orr_csv_time(csv->out, r->answered ? r->end - r->arrival : ORR_TIME_NONE);
    orr_csv_text(csv->out, outcome_of(r));
    orr_csv_int(csv->out, r->late);
    orr_csv_text(csv->out, r->variant >= 0 ? q->variants.at[r->variant] : "");
    write_index(csv->out, r->exec);
    write_index(csv->out, r->batch > 0 ? r->batch : -1);
    orr_csv_int(csv->out, r->measured);
    orr_output_text(csv->out, "\n");
}

static void free_requests(void *state)
{
    requests *q = state;
    ORR_VEC_FREE(&q->variants);
    free(q);
}

orr_csv_sink *orr_requests_csv_create(const char *path, const orr_services *services, orr_error *e)
{
    orr_csv_sink *csv = orr_csv_sink_open(path, HEADER, e);
    if (!csv)
        return NULL;
    requests *q = orr_xcalloc(1, sizeof *q);
    q->services = services;
    for (int32_t i = 0; i < services->count; i++)
        for (int32_t v = 0; v < services->services[i].variant_count; v++)
            ORR_VEC_PUSH(&q->variants, services->services[i].variants[v].name);
    csv->state = q;
    csv->free_state = free_requests;
    return csv;
}

orr_serving_sink orr_requests_csv_sink(orr_csv_sink *csv)
{
    return (orr_serving_sink){.self = csv, .request = write_request};
}
