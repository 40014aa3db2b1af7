/* Alibaba's disaggregated recommendation models of 2025: instances of inference services, a row each, of one GPU on
 * a GPU node (role HN) or of cores alone on a CPU node (CN). Seconds from the beginning of the record, an empty time
 * being one outside of it:
 *
 * - created and scheduled before it: the instance holds what it asks for at second 0, and its duration is what is
 *   left. How long it had run is not recorded; it counts as 0, and the start stays unknown.
 * - created before it and scheduled within: it waited at second 0.
 * - not deleted within it: it was still there at the last time that the record shows, which makes its duration a
 *   lower bound. That time is known when all rows are read.
 * - created and never scheduled: it never ran. */
#include "trace/amounts.h"
#include "trace/reader.h"

enum { INSTANCE, ROLE, APP, CPUS, CPU_LIMIT, GPUS, GPU_LIMIT, RDMA, RDMA_LIMIT, MEMORY, MEMORY_LIMIT, DISK, DISK_LIMIT,
       PER_NODE, CREATED, SCHEDULED, DELETED, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [INSTANCE] = {"instance_sn", true, false},
    [ROLE] = {"role", false, true},
    [APP] = {"app_name", false, false},
    [CPUS] = {"cpu_request", false, false},
    [CPU_LIMIT] = {"cpu_limit", false, false},
    [GPUS] = {"gpu_request", true, false},
    [GPU_LIMIT] = {"gpu_limit", false, false},
    [RDMA] = {"rdma_request", false, true},
    [RDMA_LIMIT] = {"rdma_limit", false, false},
    [MEMORY] = {"memory_request", false, false},
    [MEMORY_LIMIT] = {"memory_limit", false, true},
    [DISK] = {"disk_request", false, true},
    [DISK_LIMIT] = {"disk_limit", false, true},
    [PER_NODE] = {"max_instance_per_node", false, true},
    [CREATED] = {"creation_time", true, false},
    [SCHEDULED] = {"scheduled_time", true, false},
    [DELETED] = {"deletion_time", true, false},
};

/* A time of the row, and the last of all. */
static bool take_time(orr_intake *k, orr_sheet *sheet, int column, orr_time *out)
{
    orr_time *last = sheet->self;
    if (!orr_take_some_time(k, orr_sheet_cell(sheet, (size_t)column), out))
        return false;
    *last = *out > *last ? *out : *last; /* ORR_TIME_NONE is below all */
    return true;
}

/* `submit` is ORR_TIME_NONE yet where it lies before the record. */
static bool carry_over(orr_intake *k, orr_trace_job *job)
{
    if (job->submit != ORR_TIME_NONE)
        return true;
    job->submit = 0;
    job->carried = true;
    if (job->start == ORR_TIME_NONE)
        job->ran = 0;
    return orr_intake_flaw(k, ORR_FLAW_BEFORE_RECORD, NULL);
}

static orr_time since(const orr_trace_job *job)
{
    return job->start == ORR_TIME_NONE ? 0 : job->start;
}

static bool take_life(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell scheduled = orr_sheet_cell(sheet, SCHEDULED), deleted = orr_sheet_cell(sheet, DELETED);
    if (!carry_over(k, job))
        return false;
    if (job->start != ORR_TIME_NONE && job->start < job->submit &&
        !orr_intake_flaw(k, ORR_FLAW_EARLY_START, &scheduled))
        return false;
    job->censored = job->end == ORR_TIME_NONE;
    if (job->censored)
        return orr_intake_flaw(k, ORR_FLAW_STILL_RUNNING, NULL);
    job->duration = job->end - since(job);
    return job->duration >= 0 || orr_intake_flaw(k, ORR_FLAW_END_BEFORE_START, &deleted);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, INSTANCE);
    job.group = orr_sheet_text(sheet, APP);
    job.submit = ORR_TIME_NONE;
    if (!take_time(k, sheet, CREATED, &job.submit) || !take_time(k, sheet, SCHEDULED, &job.start) ||
        !take_time(k, sheet, DELETED, &job.end) || !orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) ||
        !orr_take_cores(k, orr_sheet_cell(sheet, CPUS), &job.cpu_milli) ||
        !orr_take_amount(k, orr_sheet_cell(sheet, MEMORY), ORR_GIB, 0, &job.mem_bytes))
        return;
    if (job.submit != ORR_TIME_NONE && job.start == ORR_TIME_NONE)
        orr_intake_withdraw(k, &job);
    else if (take_life(k, sheet, &job))
        orr_intake_keep(k, &job);
}

/* The record's own end cuts off what was not deleted. */
static void end_all(orr_intake *k, orr_time last)
{
    for (size_t i = 0; i < k->trace->jobs.n; i++) {
        orr_trace_job *job = &k->trace->jobs.at[i];
        if (job->censored)
            job->duration = last - since(job);
    }
}

static orr_err read_dlrm(orr_intake *k)
{
    orr_time last = 0;
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .self = &last};
    k->relative = true;
    orr_err err = orr_sheet_read(&sheet, k, row);
    if (!err && k->clock.kind > ORR_CLOCK_RELATIVE) {
        k->line = k->clock.line;
        orr_intake_fail(k, ORR_E_MIXED_CLOCKS, NULL, "a calendar time (%s), where an empty one means second 0",
                        k->clock.text);
        err = k->failed;
    }
    if (!err)
        end_all(k, last);
    return err;
}

const orr_format orr_format_dlrm = {
    .name = "dlrm",
    .label = "dlrm",
    .about = "inference instances of Alibaba's disaggregated recommendation models of 2025",
    .signature = {"instance_sn", "role", "app_name", "gpu_request", "creation_time", "deletion_time"},
    .read = read_dlrm,
};
