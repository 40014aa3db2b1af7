/* Workloads of the AIST Artificial Intelligence Cloud: 13 fields a row in a fixed order, times in Unix seconds.
 *
 * Its makers state the order, but the names of the header only in part (their own programs use `user`, `group`,
 * `queue`, `nodes`, `gpus`, `walltime_req`, `termcode` and `walltime`): a first line that has those in their places
 * is a header, and tells the format; the fields are taken by their order. Without a header the format has to be
 * named.
 *
 * GPUs are stated per node. The unit of the requested time is not stated: it is read in seconds, as the other
 * durations are. The duration is finish - start, and a walltime that says otherwise is counted as repaired. A job
 * that was cancelled and has no start never ran. The queue is the VC. */
#include "trace/reader.h"

enum { JOB, USER, GROUP, QUEUE, NODES, GPUS, LIMIT, TERMCODE, SUBMIT, START, FINISH, WAIT, WALLTIME, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [JOB] = {.name = "job id"},
    [USER] = {.name = "user"},
    [GROUP] = {.name = "unix_group", .attribute = true},
    [QUEUE] = {.name = "queue"},
    [NODES] = {.name = "nodes", .attribute = true},
    [GPUS] = {.name = "gpus_per_node", .attribute = true},
    [LIMIT] = {.name = "walltime_req"},
    [TERMCODE] = {.name = "termcode", .attribute = true},
    [SUBMIT] = {.name = "submit"},
    [START] = {.name = "start"},
    [FINISH] = {.name = "finish"},
    [WAIT] = {.name = "wait"}, /* start - submit: nothing new */
    [WALLTIME] = {.name = "walltime"},
};

/* What is known of the header. */
static const char *const header[COLUMNS] = {
    [USER] = "user", [GROUP] = "group",        [QUEUE] = "queue",       [NODES] = "nodes",
    [GPUS] = "gpus", [LIMIT] = "walltime_req", [TERMCODE] = "termcode", [WALLTIME] = "walltime",
};

static bool take_size(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell cell = orr_sheet_cell(sheet, GPUS);
    int64_t nodes;
    if (!orr_take_count(k, orr_sheet_cell(sheet, NODES), ORR_FLAW_NO_GPUS, &nodes) ||
        !orr_take_gpus(k, cell, &job->gpus))
        return false;
    if (nodes < 0)
        return orr_intake_flaw(k, ORR_FLAW_NEGATIVE_GPUS, &cell);
    if (job->gpus && nodes > ORR_TRACE_GPUS_LIMIT / job->gpus)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, &cell);
    job->gpus = (int32_t)(nodes * job->gpus);
    return true;
}

static bool take_termcode(orr_intake *k, orr_cell cell, int64_t *code, orr_trace_job *job)
{
    static const orr_ending endings[] = {ORR_ENDING_DONE, ORR_ENDING_FAILED, ORR_ENDING_KILLED, ORR_ENDING_KILLED,
                                         ORR_ENDING_KILLED};
    *code = -1;
    if (orr_cell_missing(cell))
        return true;
    if (!orr_take_count(k, cell, ORR_FLAW_NUMBER, code))
        return false;
    if (*code < 0 || *code >= (int64_t)(sizeof endings / sizeof *endings))
        return orr_intake_flaw(k, ORR_FLAW_STATE, &cell);
    job->ending = endings[*code];
    return true;
}

static bool none(orr_cell cell)
{
    int64_t value;
    return orr_cell_missing(cell) || (orr_parse_i64(cell.at, cell.n, &value) && value <= 0);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    int64_t code;
    job.id = orr_sheet_text(sheet, JOB);
    job.user = orr_sheet_text(sheet, USER);
    job.vc = orr_sheet_text(sheet, QUEUE);
    if (!take_size(k, sheet, &job) || !take_termcode(k, orr_sheet_cell(sheet, TERMCODE), &code, &job) ||
        !orr_take_some_duration(k, orr_sheet_cell(sheet, LIMIT), &job.limit) ||
        !orr_take_time(k, orr_sheet_cell(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit))
        return;
    const orr_cell start = orr_sheet_cell(sheet, START), finish = orr_sheet_cell(sheet, FINISH);
    if (code >= 3 && none(start)) {
        if (none(finish) || orr_take_time(k, finish, ORR_FLAW_TIME, &job.end))
            orr_intake_withdraw(k, &job);
    } else if (orr_take_run(k, start, finish, orr_sheet_cell(sheet, WALLTIME), &job)) {
        orr_intake_keep(k, &job);
    }
}

static bool is_header(const char *line, size_t n)
{
    char *copy = orr_xstrndup(line, n);
    orr_csv csv = {.text = copy, .length = n, .separator = ','};
    orr_csv_split(&csv);
    bool fits = csv.fields.n == COLUMNS;
    for (size_t i = 0; fits && i < COLUMNS; i++)
        fits = !header[i] || orr_same_word(csv.fields.at[i].at, header[i]);
    orr_csv_fini(&csv);
    free(copy);
    return fits;
}

static orr_err skip_header(orr_intake *k)
{
    const char *bytes;
    size_t n;
    orr_err err = orr_input_peek(k->in, 4096, &bytes, &n, k->e);
    if (err || n == 0)
        return err;
    const char *end = memchr(bytes, '\n', n);
    const size_t bom = n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t length = (end ? (size_t)(end - bytes) : n) - bom;
    length -= length && bytes[bom + length - 1] == '\r';
    char *line;
    return is_header(bytes + bom, length) ? orr_input_line(k->in, &line, &n, k->e) : ORR_OK;
}

static orr_err read_aaic(orr_intake *k)
{
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .no_header = true};
    const orr_err err = skip_header(k);
    return err ? err : orr_sheet_read(&sheet, k, row);
}

static bool is_aaic(const orr_head *head)
{
    return is_header(head->line, strlen(head->line));
}

const orr_format orr_format_aaic = {
    .name = "aaic",
    .label = "aaic",
    .about = "workloads of the AIST Artificial Intelligence Cloud",
    .told = "13 columns with `walltime_req` and `termcode` in their places; without a header by name only",
    .is = is_aaic,
    .read = read_aaic,
};
