/* The jobs of Alibaba's spot cluster of 2026 (`job_info_df.csv`): workers that each ask for GPUs and cores, seconds
 * from the first submission. A Spot job may be taken off its GPUs, an HP (high priority) one may not. The
 * organization is who pays: the tenant, hence the VC. Requests below a whole GPU are shares of one. */
#include "trace/amounts.h"
#include "trace/reader.h"

enum { JOB_NAME, ORGANIZATION, MODEL, CPUS, GPUS, WORKERS, SUBMIT, DURATION, TYPE, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_NAME] = {"job_name", true, false},   [ORGANIZATION] = {"organization", false, false},
    [MODEL] = {"gpu_model", false, false},    [CPUS] = {"cpu_request", false, false},
    [GPUS] = {"gpu_request", true, false},    [WORKERS] = {"worker_num", true, true},
    [SUBMIT] = {"submit_time", true, false},  [DURATION] = {"duration", true, false},
    [TYPE] = {"job_type", false, true},
};

/* Of each worker: some whole GPUs, or a share of one. Between, the next whole number is taken. */
static bool split_request(orr_intake *k, orr_cell cell, int64_t milli, int64_t *each, orr_trace_job *job)
{
    *each = milli > 1000 ? milli / 1000 + (milli % 1000 != 0) : milli > 0;
    if (milli > 0 && milli < 1000)
        job->gpu_milli = (int32_t)milli;
    return milli < 1000 || milli % 1000 == 0 || orr_intake_flaw(k, ORR_FLAW_GPU_SHARES, &cell);
}

static bool take_gang(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell gpus = orr_sheet_cell(sheet, GPUS);
    int64_t milli = 0, cpu_milli = 0, each = 0;
    int32_t workers = 0;
    if (orr_cell_missing(gpus))
        return orr_intake_flaw(k, ORR_FLAW_NO_GPUS, &gpus);
    if (!orr_take_amount(k, gpus, 1, 3, &milli) || !orr_take_gpus(k, orr_sheet_cell(sheet, WORKERS), &workers) ||
        !orr_take_amount(k, orr_sheet_cell(sheet, CPUS), 1, 3, &cpu_milli))
        return false;
    if (!split_request(k, gpus, milli, &each, job))
        return false;
    if (each > ORR_TRACE_GPUS_LIMIT || each * workers > ORR_TRACE_GPUS_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, &gpus);
    job->gpus = (int32_t)(each * workers);
    if (workers && cpu_milli > INT64_C(1000) * INT32_MAX / workers)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, NULL);
    job->cpu_milli = cpu_milli * workers;
    return true;
}

static bool take_class(orr_intake *k, orr_cell type, orr_trace_job *job)
{
    job->preemptible = !orr_same_word(type.at, "HP");
    if (!job->preemptible || orr_same_word(type.at, "Spot"))
        return true;
    return orr_intake_flaw(k, ORR_FLAW_JOB_CLASS, &type);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_NAME);
    job.vc = orr_sheet_text(sheet, ORGANIZATION);
    job.gpu_type = orr_sheet_text(sheet, MODEL);
    if (take_gang(k, sheet, &job) && orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        orr_take_duration(k, orr_sheet_cell(sheet, DURATION), ORR_FLAW_NO_DURATION, &job.duration) &&
        take_class(k, orr_sheet_cell(sheet, TYPE), &job))
        orr_intake_keep(k, &job);
}

static orr_err read_spot(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    k->relative = true;
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_spot = {
    .name = "spot",
    .label = "spot",
    .about = "jobs of Alibaba's spot cluster of 2026, `job_info_df.csv`",
    .signature = {"job_name", "organization", "gpu_model", "worker_num", "submit_time", "duration"},
    .read = read_spot,
};
