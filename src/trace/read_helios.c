/* Helios `cluster_log.csv`. Times are local text without a zone (China has no daylight saving). The duration is
 * recomputed where start and end are both there, and a column that says otherwise is counted as repaired. Over half of
 * the real rows are CPU jobs. Ids are unique within one cluster only, so a repeated id means that files of several
 * clusters were joined. */
#include "trace/amounts.h"
#include "trace/reader.h"

enum { JOB_ID, USER, VC, GPUS, CPUS, STATE, SUBMIT, START, END, DURATION, NAME, NODES, QUEUE, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", true, false},        [USER] = {"user", false, false},     [VC] = {"vc", true, false},
    [GPUS] = {"gpu_num", true, false},         [CPUS] = {"cpu_num", false, false},  [STATE] = {"state", false, false},
    [SUBMIT] = {"submit_time", true, false},   [START] = {"start_time", false, false}, [END] = {"end_time", false, false},
    [DURATION] = {"duration", false, false},   [NAME] = {"jobname", false, false},  [NODES] = {"node_num", false, false},
    [QUEUE] = {"queue", false, false},
};

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.user = orr_sheet_text(sheet, USER);
    job.vc = orr_sheet_text(sheet, VC);
    job.name = orr_sheet_text(sheet, NAME);
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) &&
        orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        orr_take_run(k, orr_sheet_cell(sheet, START), orr_sheet_cell(sheet, END), orr_sheet_cell(sheet, DURATION),
                     &job) &&
        orr_take_cores(k, orr_sheet_cell(sheet, CPUS), &job.cpu_milli) &&
        orr_take_state(k, orr_sheet_cell(sheet, STATE), &job))
        orr_intake_keep(k, &job);
}

static orr_err read_helios(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_helios = {
    .name = "helios",
    .label = "helios",
    .about = "Helios `cluster_log.csv`",
    .signature = {"job_id", "vc", "gpu_num", "submit_time"},
    .read = read_helios,
};
