/* The derived Philly csv: `timestamp,duration,num_gpus,gpu_time,cluster`, a row a job with all attempts summed. It has
 * no ids, so jobs are numbered by row from 0 and equal rows are different jobs. VCs are hashes of which some look like
 * numbers (6214e9, 103959) and are texts all the same. */
#include "trace/amounts.h"
#include "trace/reader.h"

enum { TIMESTAMP, DURATION, GPUS, GPU_TIME, CLUSTER, USER, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [TIMESTAMP] = {"timestamp", true, false}, [DURATION] = {"duration", true, false}, [GPUS] = {"num_gpus", true, false},
    [GPU_TIME] = {"gpu_time", false, false},  [CLUSTER] = {"cluster", false, false},  [USER] = {"user", false, false},
};

/* gpu_time says nothing new; one that contradicts is worth a warning. */
static bool check_gpu_time(orr_intake *k, orr_sheet *sheet, const orr_trace_job *job)
{
    const orr_cell cell = orr_sheet_cell(sheet, GPU_TIME);
    return orr_gpu_time_fits(cell, job->duration, job->gpus) || orr_intake_flaw(k, ORR_FLAW_GPU_TIME, &cell);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_intake_number(k);
    job.vc = orr_sheet_text(sheet, CLUSTER);
    job.user = orr_sheet_text(sheet, USER);
    if (orr_take_time(k, orr_sheet_cell(sheet, TIMESTAMP), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        orr_take_duration(k, orr_sheet_cell(sheet, DURATION), ORR_FLAW_NO_DURATION, &job.duration) &&
        orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) && check_gpu_time(k, sheet, &job))
        orr_intake_keep(k, &job);
}

static orr_err read_philly_csv(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    k->same_id = ORR_SAME_ID_NEVER;
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_philly_csv = {
    .name = "philly-csv",
    .label = "philly-csv",
    .about = "the csv derived from it",
    .signature = {"timestamp", "duration", "num_gpus"},
    .read = read_philly_csv,
};
