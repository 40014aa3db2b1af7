/* Traces of the Muri simulator, which schedules jobs whose iterations can be interleaved. All times are milliseconds;
 * those of an iteration and of its stages stay as they are, attributes: 0 (storage and CPU), 1 (GPU), 2 (network). */
#include "trace/reader.h"

enum { JOB_ID, GPUS, SUBMIT, DURATION, ITERATION_TIME, MODEL, ITERATIONS, BATCH, INTERVAL, STAGE_0, STAGE_1, STAGE_2,
       PRIORITY, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", .needed = true},
    [GPUS] = {"num_gpu", .needed = true},
    [SUBMIT] = {"submit_time", .needed = true},
    [DURATION] = {"duration", .needed = true},
    [ITERATION_TIME] = {"iteration_time", true, .attribute = true},
    [MODEL] = {.name = "model_name"},
    [ITERATIONS] = {"iterations", .attribute = true},
    [BATCH] = {"batch_size", .attribute = true},
    [INTERVAL] = {"interval", .attribute = true},
    [STAGE_0] = {"resource_time_0", .attribute = true},
    [STAGE_1] = {"resource_time_1", .attribute = true},
    [STAGE_2] = {"resource_time_2", .attribute = true},
    [PRIORITY] = {"priority", .attribute = true},
};

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.model = orr_sheet_text(sheet, MODEL);
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) &&
        orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        orr_take_duration(k, orr_sheet_cell(sheet, DURATION), ORR_FLAW_NO_DURATION, &job.duration))
        orr_intake_keep(k, &job);
}

static orr_err read_muri(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    k->unit = ORR_UNIT_MS;
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_muri = {
    .name = "muri",
    .label = "muri",
    .about = "traces of the Muri simulator, in milliseconds",
    .signature = {"job_id", "num_gpu", "submit_time", "duration", "iteration_time"},
    .read = read_muri,
};
