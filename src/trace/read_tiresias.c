/* The Tiresias simulator's job files: CSV, or separated by blanks (its .txt variants); seconds from 0. An id that
 * occurs twice (its own tf_job.csv has one) is another job.
 *
 * Muri and Chronus wrote files of nearly the same header in other units, which are formats of their own. Reading them
 * as seconds would give a wrong workload without any sign of it, so their tell-tale columns are refused here. */
#include "trace/reader.h"

enum { JOB_ID, GPUS, SUBMIT, DURATION, MODEL, USER, ITERATIONS, INTERVAL, START, SIZE, AGGREGATE, SCALE, KNOWN,
       MURI = KNOWN, CHRONUS, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", .needed = true},
    [GPUS] = {"num_gpu", .needed = true},
    [SUBMIT] = {"submit_time", .needed = true},
    [DURATION] = {"duration", .needed = true},
    [MODEL] = {.name = "model_name"},
    [USER] = {.name = "user"},
    [ITERATIONS] = {"iterations", .attribute = true},
    [INTERVAL] = {"interval", .attribute = true},
    [START] = {"start_time", .attribute = true}, /* a field of the simulator's state, no record */
    [SIZE] = {"model_size", .attribute = true},
    [AGGREGATE] = {"aggr_interval", .attribute = true},
    [SCALE] = {"model_scale", .attribute = true},
    [MURI] = {.name = "iteration_time"},
    [CHRONUS] = {.name = "expect_time_list"},
};

static bool of_a_sibling(orr_intake *k, orr_sheet *sheet)
{
    const bool muri = orr_sheet_has(sheet, MURI);
    if (!muri && !orr_sheet_has(sheet, CHRONUS))
        return false;
    k->line = 1;
    orr_intake_fail(k, ORR_E_FORMAT, NULL, "this is a %s trace, whose times are not seconds",
                    muri ? "Muri" : "Chronus");
    orr_error_hint(k->e, "read it as what it is: --format %s", muri ? "muri" : "chronus");
    return true;
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    if (of_a_sibling(k, sheet))
        return;
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.user = orr_sheet_text(sheet, USER);
    job.model = orr_sheet_text(sheet, MODEL);
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) &&
        orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        orr_take_duration(k, orr_sheet_cell(sheet, DURATION), ORR_FLAW_NO_DURATION, &job.duration))
        orr_intake_keep(k, &job);
}

static orr_err read_tiresias(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .may_blank = true};
    k->same_id = ORR_SAME_ID_SUFFIX;
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_tiresias = {
    .name = "tiresias",
    .label = "tiresias",
    .about = "job files of the Tiresias simulator, CSV or separated by blanks",
    .signature = {"job_id", "num_gpu", "submit_time", "duration"},
    .blanks = true,
    .read = read_tiresias,
};
