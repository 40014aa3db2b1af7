/* Helios' `cluster_log.csv` out: whole seconds on the calendar.
 *
 * The file holds a start, an end and a duration that is their difference. Where the record knows no start the job is
 * taken to have started at once; where its run isn't one piece (attempts, waiting in between) the end is the start plus
 * the time it ran. `queue` is the time from submission to start, `node_num` the least number of Helios' nodes of eight
 * GPUs. A job that still ran when the record ended is RUNNING, a word of Slurm's that the log itself lacks.
 * Cores are whole ones, rounded up. */
#include "trace/amounts.h"
#include "trace/write.h"

static const char *fit(orr_writing *w, const orr_trace_job *job)
{
    orr_trace_job *held = &w->held;
    orr_hold_run(w, job);
    held->cpu_milli = orr_cores_for(job->cpu_milli) * INT64_C(1000);
    held->censored = job->censored && job->ending == ORR_ENDING_DONE;
    return orr_hold_faces(w);
}

static void head(orr_writing *w)
{
    orr_emit_text(w, "job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
                    "queue\n");
}

static const char *state_of(const orr_trace_job *held)
{
    static const char *const words[] = {"COMPLETED", "FAILED", "CANCELLED"};
    return held->censored ? "RUNNING" : words[held->ending];
}

static void put_texts(orr_writing *w)
{
    const char *const texts[] = {w->held.id, w->held.user, w->held.vc, w->held.name};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        orr_emit_cell(w, texts[i]);
        orr_emit_text(w, ",");
    }
}

static void line(orr_writing *w)
{
    const orr_trace_job *held = &w->held;
    const orr_time faces[] = {held->submit, held->start, held->end};
    put_texts(w);
    orr_output_printf(w->out, "%d,%d,%d,%s", (int)held->gpus, orr_cores_for(held->cpu_milli),
                      held->gpus ? (int)(held->gpus + 7) / 8 : 1, state_of(held));
    for (int i = 0; i < 3; i++) {
        orr_emit_text(w, ",");
        orr_emit_face(w, faces[i]);
    }
    orr_emit_text(w, ",");
    orr_emit_time(w, held->duration);
    orr_emit_text(w, ",");
    orr_emit_time(w, held->start - held->submit);
    orr_emit_text(w, "\n");
}

const orr_writer orr_writer_helios = {
    .format = "helios",
    .carries = {[ORR_COLUMN_ID] = ORR_KEPT,
                [ORR_COLUMN_SUBMIT] = ORR_SECONDS,
                [ORR_COLUMN_DURATION] = ORR_SECONDS,
                [ORR_COLUMN_GPUS] = ORR_KEPT,
                [ORR_COLUMN_USER] = ORR_KEPT,
                [ORR_COLUMN_VC] = ORR_KEPT,
                [ORR_COLUMN_NAME] = ORR_KEPT,
                [ORR_COLUMN_CPUS] = ORR_FITTED,
                [ORR_COLUMN_STATE] = ORR_KEPT,
                [ORR_COLUMN_CENSORED] = ORR_FITTED,
                [ORR_COLUMN_START] = ORR_FITTED,
                [ORR_COLUMN_END] = ORR_FITTED},
    .calendar = ORR_CALENDAR_FACE,
    .fit = fit,
    .head = head,
    .line = line,
};
