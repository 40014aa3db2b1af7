/* Traces of the Chronus simulator, derived from Philly. Two clocks: durations and deadlines are seconds, submissions
 * are of a coarser unit that nothing states. They are read as minutes, since the largest, 20,151, then is two weeks,
 * and the reading is noted.
 *
 * `expect_time_list` holds deadlines relative to the submission, `expect_value_list` what each is worth. A strict job
 * has one; of a soft job's list the first counts, which is worth most, and the others stay in the attribute. A
 * best-effort job's cell repeats the submission and means nothing. The column `user` names a virtual cluster
 * (vc_6214e9). */
#include "trace/reader.h"

enum { JOB_ID, GPUS, SUBMIT, DURATION, DEADLINES, USER, MODEL, BEST_EFFORT, JOB_TYPE, VALUES, ITERATIONS, INTERVAL,
       COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {"job_id", .needed = true},
    [GPUS] = {"num_gpu", .needed = true},
    [SUBMIT] = {"submit_time", .needed = true},
    [DURATION] = {"duration", .needed = true},
    [DEADLINES] = {"expect_time_list", true, .attribute = true},
    [USER] = {.name = "user"},
    [MODEL] = {.name = "model_name"},
    [BEST_EFFORT] = {"best_effort", .attribute = true},
    [JOB_TYPE] = {"job_type", .attribute = true},
    [VALUES] = {"expect_value_list", .attribute = true},
    [ITERATIONS] = {"iterations", .attribute = true},
    [INTERVAL] = {"interval", .attribute = true},
};

static bool best_effort(const orr_sheet *sheet)
{
    return strcmp(orr_sheet_text(sheet, JOB_TYPE), "best") == 0 ||
           strcmp(orr_sheet_text(sheet, BEST_EFFORT), "1") == 0;
}

static bool take_deadline(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    orr_cell first = orr_sheet_cell(sheet, DEADLINES);
    orr_time within;
    if (best_effort(sheet) || orr_cell_missing(first))
        return true;
    const char *dash = strchr(first.at + 1, '-'); /* a sign in front is none */
    if (dash)
        first.n = (size_t)(dash - first.at);
    if (!orr_take_duration(k, first, ORR_FLAW_TIME, &within))
        return false;
    job->deadline = orr_time_add(job->submit, within);
    return true;
}

static bool take_submit(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    k->unit = ORR_UNIT_MINUTES;
    const bool good = orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job->submit);
    k->unit = ORR_UNIT_SECONDS;
    return good;
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    static const char vc[] = "vc_";
    orr_trace_job job = orr_trace_job_default();
    const char *owner = orr_sheet_text(sheet, USER);
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.model = orr_sheet_text(sheet, MODEL);
    *(strncmp(owner, vc, sizeof vc - 1) == 0 ? &job.vc : &job.user) = owner;
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) && take_submit(k, sheet, &job) &&
        orr_take_duration(k, orr_sheet_cell(sheet, DURATION), ORR_FLAW_NO_DURATION, &job.duration) &&
        take_deadline(k, sheet, &job))
        orr_intake_keep(k, &job);
}

static orr_err read_chronus(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS};
    orr_trace_note(k->trace, ORR_FLAW_UNIT, NULL, 0)->detail =
        "the format does not state the unit of submit_time; taken as minutes, in which its 20,151 are two weeks";
    return orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_chronus = {
    .name = "chronus",
    .label = "chronus",
    .about = "traces of the Chronus simulator, with lists of deadlines",
    .signature = {"job_id", "num_gpu", "submit_time", "duration", "expect_time_list"},
    .read = read_chronus,
};
