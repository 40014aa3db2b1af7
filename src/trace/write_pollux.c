/* Workloads of the Pollux simulator and of Sia's out: seconds from the trace's origin. They say which batch size of
 * which application a job trains; how long that takes is measured elsewhere, so the duration is lost, and only jobs
 * with a model and an attribute `batch_size` can be written. */
#include "trace/write.h"

static const char *const own[] = {"batch_size", "category", NULL};

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    int64_t batch;
    const char *text = orr_held_attribute(w, "batch_size");
    if (!job->model[0])
        return "it names no model, which is the application";
    if (!orr_parse_i64(text, strlen(text), &batch) || batch < 1 || batch > INT32_MAX)
        return "it has no attribute batch_size that is a whole number above 0";
    return job->gpus ? orr_hold_relative(w) : "it asks for no GPU";
}

static void head(orr_writing *w)
{
    orr_output_printf(w->out, "name,time,application,num_replicas,batch_size%s\n",
                      orr_has_attribute(w, own[1]) ? ",category" : "");
}

static void line(orr_writing *w)
{
    orr_emit_cell(w, w->held.id);
    orr_emit_text(w, ",");
    orr_emit_time(w, w->held.submit);
    orr_emit_text(w, ",");
    orr_emit_cell(w, w->held.model);
    orr_output_printf(w->out, ",%d,%s", (int)w->held.gpus, orr_held_attribute(w, "batch_size"));
    if (orr_has_attribute(w, own[1])) {
        orr_emit_text(w, ",");
        orr_emit_cell(w, orr_held_attribute(w, own[1]));
    }
    orr_emit_text(w, "\n");
}

const orr_writer orr_writer_pollux = {
    .format = "pollux",
    .carries = {[ORR_COLUMN_ID] = ORR_KEPT,
                [ORR_COLUMN_SUBMIT] = ORR_KEPT,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_MODEL] = ORR_KEPT},
    .attributes = own,
    .fit = fit,
    .head = head,
    .line = line,
};
