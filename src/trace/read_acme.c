/* Acme's `trace_seren.csv` and `trace_kalos.csv`: one reader, since Kalos only has columns more. Times are calendar
 * text with an offset, ids are texts.
 *
 * The duration is end minus start, whatever its column says. Seren's column agrees; that of Kalos counts from the
 * submission, which is told apart (`duration-from-submit`), and its gpu_time was made from it: as long as it is that
 * duration times GPUs it is the same fault and not counted again. A job cancelled before it had a start never ran. */
#include "trace/amounts.h"
#include "trace/amounts.h"
#include "trace/reader.h"

enum { JOB_ID, USER, NODES, GPUS, CPUS, MEM, SHM, TYPE, STATE, SUBMIT, START, END, FAIL, STOP, DURATION, QUEUE,
       GPU_TIME, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", true, false},
    [USER] = {"user", false, false},
    [NODES] = {"node_num", false, true},
    [GPUS] = {"gpu_num", true, false},
    [CPUS] = {"cpu_num", false, false},
    [MEM] = {"mem_per_pod_GB", false, true},
    [SHM] = {"shared_mem_per_pod", false, true},
    [TYPE] = {"type", false, true},
    [STATE] = {"state", false, false},
    [SUBMIT] = {"submit_time", true, false},
    [START] = {"start_time", false, false},
    [END] = {"end_time", false, false},
    [FAIL] = {"fail_time", false, true},
    [STOP] = {"stop_time", false, true},
    [DURATION] = {"duration", false, false},
    [QUEUE] = {"queue", false, false},
    [GPU_TIME] = {"gpu_time", false, true},
};

/* What the two columns claim against what the stamps say. */
static bool check_claims(orr_intake *k, orr_sheet *sheet, orr_time said, const orr_trace_job *job)
{
    const orr_cell stated = orr_sheet_cell(sheet, DURATION), gpu_time = orr_sheet_cell(sheet, GPU_TIME);
    const bool waited_too = said != job->duration && said == job->end - job->submit;
    if (said != job->duration &&
        !orr_intake_flaw(k, waited_too ? ORR_FLAW_FROM_SUBMIT : ORR_FLAW_DURATION, &stated))
        return false;
    return orr_gpu_time_fits(gpu_time, job->duration, job->gpus) ||
           (waited_too && orr_gpu_time_fits(gpu_time, said, job->gpus)) ||
           orr_intake_flaw(k, ORR_FLAW_GPU_TIME, &gpu_time);
}

static bool take_run(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell start = orr_sheet_cell(sheet, START), end = orr_sheet_cell(sheet, END);
    const orr_cell stated = orr_sheet_cell(sheet, DURATION), none = {stated.name, "", 0, stated.column};
    const bool stamped = !orr_cell_missing(start) && !orr_cell_missing(end);
    orr_time said = ORR_TIME_NONE;
    if (!orr_take_some_duration(k, stated, &said) || !orr_take_run(k, start, end, stamped ? none : stated, job))
        return false;
    return check_claims(k, sheet, said == ORR_TIME_NONE ? job->duration : said, job);
}

static bool never_started(const orr_sheet *sheet)
{
    return orr_cell_missing(orr_sheet_cell(sheet, START)) &&
           strncmp(orr_sheet_text(sheet, STATE), "CANCELLED", strlen("CANCELLED")) == 0;
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.user = orr_sheet_text(sheet, USER);
    if (!orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) ||
        !orr_take_cores(k, orr_sheet_cell(sheet, CPUS), &job.cpu_milli) ||
        !orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit))
        return;
    if (never_started(sheet)) {
        if (orr_take_some_time(k, orr_sheet_cell(sheet, END), &job.end))
            orr_intake_withdraw(k, &job);
        return;
    }
    if (take_run(k, sheet, &job) && orr_take_state(k, orr_sheet_cell(sheet, STATE), &job))
        orr_intake_keep(k, &job);
}

static orr_err read_acme(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_acme = {
    .name = "acme",
    .label = "acme",
    .about = "Acme's `trace_seren.csv` and `trace_kalos.csv`",
    .signature = {"job_id", "gpu_num", "type", "submit_time", "gpu_time"},
    .read = read_acme,
};
