/* Helios `cluster_log.csv`. Times are local text without a zone (China has no daylight saving). The duration is
 * recomputed where start and end are both there, and a column that says otherwise is counted as repaired. Over half of
 * the real rows are CPU jobs. Ids are unique within one cluster only, so a repeated id means that files of several
 * clusters were joined. */
#include "trace/reader.h"

enum { JOB_ID, USER, VC, GPUS, CPUS, STATE, SUBMIT, START, END, DURATION, NAME, NODES, QUEUE, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", true},        [USER] = {"user", false},     [VC] = {"vc", true},
    [GPUS] = {"gpu_num", true},         [CPUS] = {"cpu_num", false},  [STATE] = {"state", false},
    [SUBMIT] = {"submit_time", true},   [START] = {"start_time", false}, [END] = {"end_time", false},
    [DURATION] = {"duration", false},   [NAME] = {"jobname", false},  [NODES] = {"node_num", false},
    [QUEUE] = {"queue", false},
};

/* From the stamps if both are there; *known says whether they are. */
static bool take_stamps(orr_intake *k, orr_sheet *sheet, orr_trace_job *job, bool *known)
{
    const orr_cell start = orr_sheet_cell(sheet, START), end = orr_sheet_cell(sheet, END);
    orr_time from = 0, to = 0;
    *known = !orr_cell_missing(start) && !orr_cell_missing(end);
    if (!*known)
        return true;
    if (!orr_take_time(k, start, ORR_FLAW_TIME, &from) || !orr_take_time(k, end, ORR_FLAW_TIME, &to))
        return false;
    if (to < from)
        return orr_intake_flaw(k, ORR_FLAW_END_BEFORE_START, &end);
    if (from < job->submit)
        orr_intake_flaw(k, ORR_FLAW_EARLY_START, &start);
    job->duration = to - from;
    return true;
}

static bool take_duration(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell cell = orr_sheet_cell(sheet, DURATION);
    bool known;
    if (!take_stamps(k, sheet, job, &known))
        return false;
    orr_time stated = job->duration;
    if ((!known || !orr_cell_missing(cell)) && !orr_take_duration(k, cell, ORR_FLAW_NO_DURATION, &stated))
        return false;
    if (known && stated != job->duration)
        return orr_intake_flaw(k, ORR_FLAW_DURATION, &cell);
    job->duration = stated;
    return true;
}

static bool take_cpus(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell cell = orr_sheet_cell(sheet, CPUS);
    int64_t cpus = 0;
    if (orr_cell_missing(cell))
        return true;
    if (!orr_take_count(k, cell, ORR_FLAW_NUMBER, &cpus))
        return false;
    if (cpus < 0 || cpus > INT32_MAX)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    job->cpus = (int32_t)cpus;
    return true;
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.user = orr_sheet_text(sheet, USER);
    job.vc = orr_sheet_text(sheet, VC);
    job.name = orr_sheet_text(sheet, NAME);
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) &&
        orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        take_duration(k, sheet, &job) && take_cpus(k, sheet, &job) &&
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
    .signature = {"job_id", "vc", "gpu_num", "submit_time"},
    .read = read_helios,
};
