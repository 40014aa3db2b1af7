/* attempts.csv: a row when a hold ends. An allocation is written "0:0-3;2:5+7": node, colon, GPU indices of that node
 * with runs as low-high and joined by '+'; nodes joined by ';'. Of parts of GPUs "0:3@250": so many thousandths of
 * each. */
#include "base/mem.h"
#include "report/csv.h"

#include <stdlib.h>

#define HEADER "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead"

typedef struct attempts {
    orr_job_access access;
    ORR_VEC(int32_t) holds; /* so far, by job index */
    orr_text allocation;    /* reused */
} attempts;

static int32_t next_hold(attempts *a, uint32_t index)
{
    while (a->holds.n <= index)
        ORR_VEC_PUSH(&a->holds, 0);
    return ++a->holds.at[index];
}

static int run_end(uint64_t gpus, int first)
{
    int last = first;
    while (last < 63 && (gpus >> (last + 1) & 1))
        last++;
    return last;
}

static void add_slice(orr_text *text, const orr_slice *slice)
{
    orr_text_addf(text, "%s%d:", text->n > 0 ? ";" : "", slice->node);
    const char *join = "";
    for (int i = 0; i < 64; i++) {
        if (!(slice->gpus >> i & 1))
            continue;
        int last = run_end(slice->gpus, i);
        if (last > i)
            orr_text_addf(text, "%s%d-%d", join, i, last);
        else
            orr_text_addf(text, "%s%d", join, i);
        join = "+";
        i = last;
    }
    if (slice->milli && slice->milli != 1000)
        orr_text_addf(text, "@%d", slice->milli);
}

static void write_hold(void *self, const orr_hold *hold)
{
    orr_csv_sink *csv = self;
    attempts *a = csv->state;
    orr_text_clear(&a->allocation);
    for (int32_t i = 0; i < hold->slice_count; i++)
        add_slice(&a->allocation, &hold->slices[i]);
    orr_output_csv(csv->out, a->access.id(hold->job));
    orr_csv_int(csv->out, next_hold(a, a->access.index(hold->job)));
    orr_csv_time(csv->out, hold->start);
    orr_csv_time(csv->out, hold->end);
    orr_csv_int(csv->out, hold->gpus);
    orr_csv_text(csv->out, a->allocation.n > 0 ? a->allocation.at : "");
    orr_csv_int(csv->out, hold->slice_count);
    orr_csv_text(csv->out, orr_hold_end_name(hold->reason));
    orr_csv_time(csv->out, hold->overhead);
    orr_output_text(csv->out, "\n");
}

static void free_attempts(void *state)
{
    attempts *a = state;
    ORR_VEC_FREE(&a->holds);
    orr_text_fini(&a->allocation);
    free(a);
}

orr_csv_sink *orr_attempts_csv_create_for(const char *path, orr_job_access access, orr_error *e)
{
    orr_csv_sink *csv = orr_csv_sink_open(path, HEADER, e);
    if (!csv)
        return NULL;
    attempts *a = orr_xcalloc(1, sizeof *a);
    a->access = access;
    csv->state = a;
    csv->sink.hold = write_hold;
    csv->free_state = free_attempts;
    return csv;
}

orr_csv_sink *orr_attempts_csv_create(const char *path, orr_error *e)
{
    return orr_attempts_csv_create_for(path, orr_job_access_default(), e);
}
