/* Replay traces of the Synergy simulator: id, model, arrival, iterations, GPUs; no header. The file states no unit of
 * the arrival; the simulator takes it on its clock of seconds, and so do we, with a note.
 *
 * An iteration takes what the simulator's profile of the model says for a job with its share of a server's cores and
 * memory, 3 cores and 62.5 GB a GPU, whatever the number of GPUs (msr-fiddle/synergy at 1bb2bed, simulator/models).
 * With more of them some models run up to three times as fast; that is for a model of CPU needs. A job whose model
 * has no profile is dropped. */
#include "trace/reader.h"

enum { JOB_ID, MODEL, ARRIVAL, ITERATIONS, GPUS, FIELDS };

static const orr_sheet_column columns[FIELDS] = {
    [JOB_ID] = {"job_id", .needed = true},
    [MODEL] = {"model", .needed = true},
    [ARRIVAL] = {"arrival", .needed = true},
    [ITERATIONS] = {"iterations", true, .attribute = true},
    [GPUS] = {"gpus", .needed = true},
};

static const struct {
    const char *model;
    int64_t ms; /* an iteration */
} profiles[] = {
    {"alexnet", 600},   {"shufflenet", 615}, {"res18", 640},       {"m5", 600},   {"mobilenet", 710}, {"res50", 780},
    {"deepspeech", 757}, {"transformer", 670}, {"gnmt", 120},      {"bert", 11},  {"lstm", 11},       {"vae", 11},
};

static bool take_work(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    int64_t iterations;
    const orr_cell count = orr_sheet_cell(sheet, ITERATIONS), model = orr_sheet_cell(sheet, MODEL);
    if (!orr_take_count(k, count, ORR_FLAW_NO_DURATION, &iterations))
        return false;
    if (iterations < 0)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &count);
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(model.at, profiles[i].model) == 0) {
            job->duration = orr_time_mul(profiles[i].ms * ORR_MS, iterations);
            return true;
        }
    return orr_intake_flaw(k, ORR_FLAW_NO_THROUGHPUT, &model);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, JOB_ID);
    job.model = orr_sheet_text(sheet, MODEL);
    if (orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job.gpus) &&
        orr_take_time(k, orr_sheet_cell(sheet, ARRIVAL), ORR_FLAW_NO_SUBMIT, &job.submit) &&
        take_work(k, sheet, &job))
        orr_intake_keep(k, &job);
}

static orr_err read_synergy(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = FIELDS, .no_header = true};
    orr_trace_note(k->trace, ORR_FLAW_UNIT, NULL, 0)->detail =
        "the format does not state the unit of arrivals; taken as seconds, as its simulator does";
    return orr_sheet_read(&sheet, k, row);
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_synergy(const orr_head *head)
{
    int64_t whole;
    double real;
    const size_t n = strlen(head->line);
    orr_csv csv = {.text = orr_xstrndup(head->line, n), .length = n, .separator = ','};
    orr_csv_split(&csv);
    const orr_field *f = csv.fields.at;
    const bool good = csv.fields.n == FIELDS && orr_parse_i64(f[JOB_ID].at, f[JOB_ID].n, &whole) &&
                      letter(f[MODEL].at[0]) && orr_parse_double(f[ARRIVAL].at, f[ARRIVAL].n, &real) &&
                      orr_parse_i64(f[ITERATIONS].at, f[ITERATIONS].n, &whole) &&
                      orr_parse_i64(f[GPUS].at, f[GPUS].n, &whole);
    free(csv.text);
    orr_csv_fini(&csv);
    return good;
}

const orr_format orr_format_synergy = {
    .name = "synergy",
    .label = "synergy",
    .about = "replay traces of the Synergy simulator",
    .told = "5 fields without a header: number, word, number, number, number",
    .is = is_synergy,
    .read = read_synergy,
};
