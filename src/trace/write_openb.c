/* Pod lists of Alibaba's GPU cluster of 2023 out, `openb_pod_list_*.csv`: whole seconds from the trace's origin.
 *
 * A pod runs from when it was scheduled until it was deleted; see orr_hold_run for what that is where the record knows
 * no start. Phases know success and failure: a killed job is Failed, a censored one Running. Memory is what
 * the trace's own `memory_mib` states, if it has that and it agrees with the record. */
#include "trace/amounts.h"
#include "trace/write.h"

static const char *const own[] = {"memory_mib", "qos", "pod_phase", NULL};

static void fit_host(orr_writing *w)
{
    orr_trace_job *held = &w->held;
    int64_t mib = -1;
    const char *memory = orr_held_attribute(w, "memory_mib");
    if (!orr_parse_i64(memory, strlen(memory), &mib) || mib < 0 || mib != held->mem_bytes / ORR_MIB)
        orr_hold_attribute(w, "memory_mib", orr_hold_number(w, held->mem_bytes / ORR_MIB));
    held->mem_bytes = held->mem_bytes / ORR_MIB * ORR_MIB;
}

static const char *phase_of(const orr_trace_job *held)
{
    return held->censored ? "Running" : held->ending == ORR_ENDING_DONE ? "Succeeded" : "Failed";
}

static void fit_end(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    held->ending = job->ending == ORR_ENDING_DONE ? ORR_ENDING_DONE : ORR_ENDING_FAILED;
    held->censored = job->censored && job->ending == ORR_ENDING_DONE;
    orr_hold_attribute(w, "pod_phase", phase_of(held));
}

static void fit_gpus(orr_writing *w)
{
    orr_trace_job *held = &w->held;
    if (held->gpus == 0)
        held->gpu_milli = 1000;
    char *types = orr_arena_strdup(&w->texts, held->gpu_type, strlen(held->gpu_type));
    if (orr_drop_repeated_types(types))
        held->gpu_type = types;
}

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    orr_hold_run(w, job);
    if (w->held.start < 0) { /* before the record */
        w->held.start = w->held.submit;
        w->held.end = w->held.start + orr_whole_seconds(job->duration);
        w->held.duration = w->held.end - w->held.start;
    }
    fit_gpus(w);
    fit_host(w);
    fit_end(w, job);
    return NULL;
}

static void head(orr_writing *w)
{
    orr_emit_text(w, "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
                    "scheduled_time\n");
}

/* What the trace states beyond the record, or what the record says. */
static void put_amount(orr_writing *w, const char *name, int64_t otherwise)
{
    const char *stated = orr_held_attribute(w, name);
    if (stated[0])
        orr_emit_cell(w, stated);
    else
        orr_emit_number(w, otherwise);
    orr_emit_text(w, ",");
}

static void line(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    orr_emit_cell(w, held->id);
    orr_emit_text(w, ",");
    orr_emit_number(w, held->cpu_milli);
    orr_emit_text(w, ",");
    put_amount(w, "memory_mib", held->mem_bytes / ORR_MIB);
    orr_output_printf(w->out, "%d,%d,", (int)held->gpus, held->gpus ? (int)held->gpu_milli : 0);
    orr_emit_cell(w, held->gpu_type);
    orr_emit_text(w, ",");
    orr_emit_cell(w, orr_held_attribute(w, "qos"));
    orr_output_printf(w->out, ",%s,", phase_of(held));
    orr_emit_time(w, held->submit);
    orr_emit_text(w, ",");
    orr_emit_time(w, held->end);
    orr_emit_text(w, ",");
    orr_emit_time(w, held->start);
    orr_emit_text(w, "\n");
}

const orr_writer orr_writer_openb = {
    .format = "openb",
    .carries = {[ORR_COLUMN_ID] = ORR_KEPT,
                [ORR_COLUMN_SUBMIT] = ORR_SECONDS,
                [ORR_COLUMN_DURATION] = ORR_SECONDS,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_GPU_TYPE] = ORR_FITTED,
                [ORR_COLUMN_CPUS] = ORR_KEPT,
                [ORR_COLUMN_MEM_BYTES] = ORR_FITTED,
                [ORR_COLUMN_STATE] = ORR_FITTED,
                [ORR_COLUMN_GPU_MILLI] = ORR_FITTED,
                [ORR_COLUMN_CENSORED] = ORR_FITTED,
                [ORR_COLUMN_START] = ORR_FITTED,
                [ORR_COLUMN_END] = ORR_FITTED},
    .attributes = own,
    .fit = fit,
    .head = head,
    .line = line,
};
