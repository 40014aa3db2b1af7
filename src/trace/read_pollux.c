/* Workloads of the Pollux simulator and of Sia's. They say how many GPUs and which batch size a job asks for; how long
 * that takes is in tables of measurements beside them: pollux_tables.h has the rules. The GPU count is taken as rigid:
 * elastic ranges are limits of those schedulers, not of the files. */
#include "trace/pollux_tables.h"
#include "trace/reader.h"

enum { NAME, TIME, APPLICATION, REPLICAS, BATCH, CATEGORY, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [NAME] = {"name", .needed = true},
    [TIME] = {"time", .needed = true},
    [APPLICATION] = {"application", .needed = true},
    [REPLICAS] = {"num_replicas", .needed = true},
    [BATCH] = {"batch_size", true, .attribute = true},
    [CATEGORY] = {"category", .attribute = true}, /* of some of Sia's: adaptive, scale-gpus or rigid */
};

static bool take_batch(orr_intake *k, orr_cell cell, int64_t *batch)
{
    if (!orr_take_count(k, cell, ORR_FLAW_NO_TABLE, batch))
        return false;
    return (*batch >= 1 && *batch <= INT32_MAX) || orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    const orr_cell application = orr_sheet_cell(sheet, APPLICATION);
    int64_t batch;
    job.id = orr_sheet_text(sheet, NAME);
    job.model = application.at;
    if (!orr_take_gpus(k, orr_sheet_cell(sheet, REPLICAS), &job.gpus) ||
        !orr_take_time(k, orr_sheet_cell(sheet, TIME), ORR_FLAW_NO_SUBMIT, &job.submit) ||
        !take_batch(k, orr_sheet_cell(sheet, BATCH), &batch))
        return;
    const orr_flaw flaw = job.gpus ? orr_pollux_duration(sheet->self, k, job.model, job.gpus, batch, &job.duration)
                                   : ORR_FLAW_NO_THROUGHPUT;
    if (k->failed)
        return;
    if (flaw)
        orr_intake_flaw(k, flaw, &application);
    else
        orr_intake_keep(k, &job);
}

static orr_err read_pollux(orr_intake *k)
{
    if (!k->options->tables) {
        orr_intake_fail(k, ORR_E_MISSING, NULL, "a Pollux workload holds batch sizes, and no durations");
        orr_error_hint(k->e, "name the folder that holds the measurements of its applications: --tables FOLDER");
        return k->failed;
    }
    orr_pollux_tables *tables = orr_pollux_tables_open(k->options->tables, k->options->gpu_type, k->e);
    if (!tables)
        return k->failed = ORR_E_OPEN;
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .self = tables};
    orr_sheet_read(&sheet, k, row);
    orr_pollux_tables_destroy(tables);
    return k->failed;
}

const orr_format orr_format_pollux = {
    .name = "pollux",
    .label = "pollux",
    .about = "workloads of the Pollux and Sia simulators; need the folder of their measurements",
    .signature = {"name", "time", "application", "num_replicas", "batch_size"},
    .read = read_pollux,
};
