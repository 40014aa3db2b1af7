/* Job files of the Tiresias simulator out: CSV, whole seconds from the trace's origin. `iterations` and `interval`
 * are the trace's own, else 0: the simulator's policies use the duration. Further columns of its sibling files
 * follow if the trace has them. */
#include "trace/write.h"

static const char *const own[] = {"iterations",    "interval",    "start_time", "model_size",
                                  "aggr_interval", "model_scale", NULL};
enum { ITERATIONS, INTERVAL, SIBLINGS };

/* 0 where the trace says nothing. */
static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    (void)job;
    for (int i = 0; i < SIBLINGS; i++)
        if (!orr_held_attribute(w, own[i])[0])
            orr_hold_attribute(w, own[i], "0");
    return orr_hold_relative(w);
}

static void head(orr_writing *w)
{
    orr_emit_text(w, "job_id,num_gpu,submit_time,iterations,model_name,duration,interval");
    for (int i = SIBLINGS; own[i]; i++)
        if (orr_has_attribute(w, own[i]))
            orr_output_printf(w->out, ",%s", own[i]);
    orr_emit_text(w, "\n");
}

static void put_attribute(orr_writing *w, int which)
{
    const char *text = orr_held_attribute(w, own[which]);
    orr_emit_cell(w, text[0] || which >= SIBLINGS ? text : "0");
}

static void line(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    orr_emit_cell(w, held->id);
    orr_output_printf(w->out, ",%d,", (int)held->gpus);
    orr_emit_time(w, held->submit);
    orr_emit_text(w, ",");
    put_attribute(w, ITERATIONS);
    orr_emit_text(w, ",");
    orr_emit_cell(w, held->model);
    orr_emit_text(w, ",");
    orr_emit_time(w, held->duration);
    orr_emit_text(w, ",");
    put_attribute(w, INTERVAL);
    for (int i = SIBLINGS; own[i]; i++) {
        if (!orr_has_attribute(w, own[i]))
            continue;
        orr_emit_text(w, ",");
        put_attribute(w, i);
    }
    orr_emit_text(w, "\n");
}

const orr_writer orr_writer_tiresias = {
    .format = "tiresias",
    .carries = {[ORR_COLUMN_ID] = ORR_KEPT,
                [ORR_COLUMN_SUBMIT] = ORR_SECONDS,
                [ORR_COLUMN_DURATION] = ORR_SECONDS,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_MODEL] = ORR_KEPT},
    .attributes = own,
    .fit = fit,
    .head = head,
    .line = line,
};
