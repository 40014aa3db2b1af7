/* Traces of the ElasticFlow simulator: seconds, deadlines that are points in time like the submissions, and jobs for
 * the GPU count that their throughput was measured at. The columns real_iteration and real_duration are those of its
 * testbed and no more than attributes here. A best-effort job has no deadline, whatever its cell says. */
#include "trace/reader.h"

enum { JOB_ID, GPUS, SUBMIT, DURATION, DEADLINE, MODEL, BEST_EFFORT, BATCH, ITERATION, REAL_ITERATION, REAL_DURATION,
       COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", .needed = true},
    [GPUS] = {"num_gpu", .needed = true},
    [SUBMIT] = {"submit_time", .needed = true},
    [DURATION] = {"duration", .needed = true},
    [DEADLINE] = {"ddl", .needed = true},
    [MODEL] = {.name = "model_name"},
    [BEST_EFFORT] = {"best_effort", .attribute = true},
    [BATCH] = {"batch_size", .attribute = true},
    [ITERATION] = {"iteration", .attribute = true},
    [REAL_ITERATION] = {"real_iteration", .attribute = true},
    [REAL_DURATION] = {"real_duration", .attribute = true},
};

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.model = orr_sheet_text(sheet, MODEL);
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) &&
        orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        orr_take_duration(k, orr_sheet_cell(sheet, DURATION), ORR_FLAW_NO_DURATION, &job.duration) &&
        (strcmp(orr_sheet_text(sheet, BEST_EFFORT), "1") == 0 ||
         orr_take_some_time(k, orr_sheet_cell(sheet, DEADLINE), &job.deadline)))
        orr_intake_keep(k, &job);
}

static orr_err read_elasticflow(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_elasticflow = {
    .name = "elasticflow",
    .label = "elasticflow",
    .about = "traces of the ElasticFlow simulator, with deadlines",
    .signature = {"job_id", "num_gpu", "submit_time", "duration", "ddl"},
    .read = read_elasticflow,
};
