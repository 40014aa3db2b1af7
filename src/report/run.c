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

void orr_report_from_sim(orr_report_run *run, const orr_sim *sim)
{
    run->stop = orr_sim_stop(sim);
    run->end = orr_sim_now(sim);
    run->counts = orr_sim_count(sim);
    orr_sim_knowledge(sim, run->used);
    run->policy_resolved = orr_sim_policy_resolved(sim);
    run->costs_resolved = orr_sim_costs_resolved(sim);
    orr_sim_each_note(sim, add_note, run);
}

void orr_report_run_fini(orr_report_run *run)
{
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
