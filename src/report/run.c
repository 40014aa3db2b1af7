/* Asks a stopped simulation for what the documents say about it; the only file of this folder that does. */
#include "base/io.h"
#include "base/mem.h"
#include "report/report.h"

#include <stdlib.h>

static void add_note(void *self, const char *reason, uint64_t count)
{
    orr_report_run *run = self;
    run->notes = orr_xrealloc(run->notes, run->note_count + 1, sizeof *run->notes);
    run->notes[run->note_count++] = (orr_report_count){reason, count};
}

/* Sizes from 256 on share places: the step to the next place is the part of its power of two that they are counted
 * in. */
static int32_t next_size(int32_t size)
{
    int32_t step = 1;
    for (int32_t top = size; top >= 256; top >>= 1)
        step <<= 1;
    return size + step;
}

static int32_t largest_batch(const orr_service *s)
{
    int32_t most = 0;
    for (int32_t v = 0; v < s->variant_count; v++)
        most = s->variants[v].max_batch > most ? s->variants[v].max_batch : most;
    return most;
}

static void add_batches(orr_report_service *of, const orr_serving *serving, orr_service_id id)
{
    const int32_t most = largest_batch(&orr_serving_services(serving)->services[id]);
    for (int32_t size = 1; size <= most; size = next_size(size)) {
        const uint64_t n = orr_serving_batch_size(serving, id, size);
        if (!n)
            continue;
        of->batches = orr_xrealloc(of->batches, of->batch_count + 1, sizeof *of->batches);
        of->batches[of->batch_count++] = (orr_batch_count){size, n};
    }
}

static void add_services(orr_report_run *run, const orr_serving *serving)
{
    const orr_services *all = orr_serving_services(serving);
    run->serve_resolved = orr_serving_resolved(serving);
    run->service_count = (size_t)all->count;
    run->services = orr_xcalloc(run->service_count + 1, sizeof *run->services);
    for (int32_t i = 0; i < all->count; i++) {
        run->services[i].name = all->services[i].name;
        run->services[i].metrics = orr_serving_measure(serving, i, run->end);
        add_batches(&run->services[i], serving, i);
    }
}

void orr_report_from_sim(orr_report_run *run, const orr_sim *sim)
{
    run->stop = orr_sim_stop(sim);
    run->end = orr_sim_now(sim);
    run->counts = orr_sim_count(sim);
    orr_sim_knowledge(sim, run->used);
    run->policy_resolved = orr_sim_policy_resolved(sim);
    run->costs_resolved = orr_sim_costs_resolved(sim);
    orr_sim_each_note(sim, add_note, run);
    if (orr_sim_serving(sim))
        add_services(run, orr_sim_serving(sim));
}

void orr_report_run_fini(orr_report_run *run)
{
    for (size_t i = 0; i < run->service_count; i++)
        free(run->services[i].batches);
    free(run->services);
    run->services = NULL;
    run->service_count = 0;
    free(run->notes);
    run->notes = NULL;
    run->note_count = 0;
}

const char *orr_report_knowledge(const orr_report_run *run)
{
    orr_know highest = ORR_KNOW_NONE;
    for (int q = 0; q < ORR_Q_COUNT; q++)
        highest = run->used[q] > highest ? run->used[q] : highest;
    return orr_know_name(highest);
}

orr_err orr_report_write(const char *path, const orr_text *text, orr_error *e)
{
    orr_output *out = orr_output_create(path, e);
    if (!out)
        return e ? e->code : ORR_E_CREATE;
    orr_output_write(out, text->at, text->n);
    return orr_output_commit(out, e);
}
