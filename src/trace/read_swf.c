/* The Standard Workload Format, version 2: 18 numbers a row, -1 where nothing is known, and comment lines behind `;`.
 *
 * Rules, since the format has no GPUs and logs bend it:
 * - A processor is a GPU (`processors-as-gpus`): those allocated, or those asked for where none are recorded.
 * - Times count from the log's own zero, whatever their size; `UnixStartTime` is its calendar time, in UTC unless the
 *   user names a zone or `TimeZone` gives the offset in seconds. Start is submit + wait, end is start + run time.
 * - Status 1 is done, 0 failed, 5 killed. A cancelled job without run time never ran.
 * - Status 2, 3 and 4 are partial executions of one job, which repeat its number: their run times are its attempts,
 *   and add up to its duration. One without a submit time was submitted when the part before it ended. If the last
 *   part is "to be continued" (2) the job is censored. A row of status 0, 1 or 5 with the number of such parts is
 *   their summary: it says how the job ended, and its run time is only compared with their sum.
 * - The executable's number is the name, the queue is the VC. What is left is kept as attributes.
 * - `MaxProcs` is not enforced: a larger job is counted and kept (`beyond-machine`).
 */
#include "trace/amounts.h"
#include "trace/reader.h"
#include "trace/runs.h"

enum {
    NUMBER,
    SUBMIT,
    WAIT,
    RUN,
    ALLOCATED,
    CPU_TIME,
    MEMORY,
    REQUESTED,
    LIMIT,
    REQUESTED_MEMORY,
    STATUS,
    USER,
    GROUP,
    EXECUTABLE,
    QUEUE,
    PARTITION,
    PRECEDING,
    THINK,
    COLUMNS
};

static const orr_sheet_column columns[COLUMNS] = {
    [NUMBER] = {.name = "job number"},
    [SUBMIT] = {.name = "submit time"},
    [WAIT] = {.name = "wait time"},
    [RUN] = {.name = "run time"},
    [ALLOCATED] = {.name = "allocated processors"},
    [CPU_TIME] = {.name = "cpu_time"},
    [MEMORY] = {.name = "used_memory_kb"}, /* a processor */
    [REQUESTED] = {.name = "requested processors"},
    [LIMIT] = {.name = "requested time"},
    [REQUESTED_MEMORY] = {.name = "requested memory"},
    [STATUS] = {.name = "status"},
    [USER] = {.name = "user"},
    [GROUP] = {.name = "unix_group"},
    [EXECUTABLE] = {.name = "executable"},
    [QUEUE] = {.name = "queue"},
    [PARTITION] = {.name = "partition"},
    [PRECEDING] = {.name = "preceding job"},
    [THINK] = {.name = "think time"},
};

/* Columns that no member of a record holds. */
static const int kept[] = {CPU_TIME, MEMORY, GROUP, PARTITION};
enum { KEPT = sizeof kept / sizeof *kept };

enum { FAILED, DONE, CONTINUED, LAST_DONE, LAST_FAILED, CANCELLED, UNKNOWN };

/* What the rows of a job have been: one for the whole; parts only; parts and a summary. */
enum { WHOLE, PARTS, SUMMED };

typedef struct summary {
    size_t place;
    uint32_t line;
    orr_time duration;
    orr_ending ending;
} summary;

typedef struct workload {
    size_t attributes[KEPT];
    int64_t machine;       /* processors; 0: not stated */
    bool told;             /* that processors are taken as GPUs */
    bool parts;            /* there are some */
    ORR_VEC(uint8_t) rows; /* of each job: WHOLE, … */
    ORR_VEC(summary) summaries;
} workload;

/* ---- comments ---- */

/* `; Label: value`; false if it isn't that label or no number above `least`. */
static bool labelled(const char *text, const char *label, int64_t least, int64_t *out)
{
    text += strspn(text, " \t");
    const size_t n = strlen(label);
    if (strncmp(text, label, n) != 0 || text[n] != ':')
        return false;
    text += n + 1;
    text += strspn(text, " \t");
    return orr_parse_i64(text, strcspn(text, " \t\r"), out) && *out > least;
}

static void comment(orr_intake *k, const char *text, size_t n)
{
    (void)n; /* lines are NUL-terminated */
    workload *w = k->reader;
    int64_t value;
    if (labelled(text, "MaxProcs", 0, &value))
        w->machine = value;
    if (labelled(text, "UnixStartTime", 86400, &value) && value < INT64_C(4290000000)) {
        const int32_t offset = k->zone ? orr_zone_offset(k->zone, value * ORR_SECOND) : k->origin.offset_minutes;
        k->origin = (orr_civil){value * ORR_SECOND + offset * ORR_MINUTE, true, offset};
    }
    if (labelled(text, "TimeZone", -86400, &value) && value < 86400 && !k->zone) {
        const int32_t offset = (int32_t)(value / 60);
        if (k->origin.local)
            k->origin.local += (offset - k->origin.offset_minutes) * ORR_MINUTE;
        k->origin.offset_minutes = offset;
    }
}

/* ---- fields ---- */

static bool minus_one(const char *text)
{
    if (text[0] != '-' || text[1] != '1')
        return false;
    text += 2;
    text += *text == '.';
    return text[strspn(text, "0")] == '\0';
}

static orr_cell field(const orr_sheet *sheet, int column)
{
    orr_cell cell = orr_sheet_cell(sheet, (size_t)column);
    if (minus_one(cell.at)) {
        cell.at = "";
        cell.n = 0;
    }
    return cell;
}

static bool is_zero(orr_cell cell)
{
    double value;
    return orr_parse_double(cell.at, cell.n, &value) && value == 0;
}

/* Some logs have starts before submissions. */
static bool take_wait(orr_intake *k, orr_cell cell, orr_time *wait)
{
    const bool early = cell.at[0] == '-';
    cell.at += early;
    cell.n -= early;
    if (!orr_take_some_duration(k, cell, wait))
        return false;
    if (!early || *wait == ORR_TIME_NONE || *wait == 0)
        return true;
    *wait = -*wait;
    return orr_intake_flaw(k, ORR_FLAW_EARLY_START, &cell);
}

/* Kilobytes a processor. */
static bool take_memory(orr_intake *k, orr_cell cell, orr_trace_job *job)
{
    int64_t each = 0;
    if (!orr_take_amount(k, cell, 1024, 0, &each))
        return false;
    if (job->gpus && each > INT64_MAX / job->gpus)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    job->mem_bytes = each * job->gpus;
    return true;
}

static bool take_gpus(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const workload *w = k->reader;
    orr_cell cell = field(sheet, ALLOCATED);
    if ((orr_cell_missing(cell) || is_zero(cell)) && !orr_cell_missing(field(sheet, REQUESTED)))
        cell = field(sheet, REQUESTED);
    if (!orr_take_gpus(k, cell, &job->gpus))
        return false;
    return !w->machine || job->gpus <= w->machine || orr_intake_flaw(k, ORR_FLAW_BEYOND_MACHINE, &cell);
}

static bool take_status(orr_intake *k, orr_cell cell, int *status)
{
    *status = UNKNOWN;
    if (orr_cell_missing(cell))
        return true;
    int64_t value;
    if (!orr_take_count(k, cell, ORR_FLAW_NUMBER, &value))
        return false;
    if (value < FAILED || value > CANCELLED)
        return orr_intake_flaw(k, ORR_FLAW_STATE, &cell);
    *status = (int)value;
    return true;
}

static bool take_after(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell cell = field(sheet, PRECEDING);
    if (orr_cell_missing(cell) || is_zero(cell))
        return true;
    orr_intake_after(k, cell.at);
    return orr_take_some_duration(k, field(sheet, THINK), &job->think);
}

static void take_texts(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const workload *w = k->reader;
    job->id = field(sheet, NUMBER).at;
    job->user = field(sheet, USER).at;
    job->vc = field(sheet, QUEUE).at;
    job->name = field(sheet, EXECUTABLE).at;
    for (int i = 0; i < KEPT; i++)
        orr_intake_set(k, w->attributes[i], field(sheet, kept[i]).at);
}

/* ---- jobs of several rows ---- */

static bool is_part(int status)
{
    return status == CONTINUED || status == LAST_DONE || status == LAST_FAILED;
}

static orr_ending ending_of(int status)
{
    if (status == FAILED || status == LAST_FAILED)
        return ORR_ENDING_FAILED;
    return status == CANCELLED ? ORR_ENDING_KILLED : ORR_ENDING_DONE;
}

static int64_t known_place(const orr_intake *k, const orr_trace_job *job)
{
    return orr_trace_find_id(k->trace, job->id, strlen(job->id));
}

static void keep(orr_intake *k, orr_trace_job *job, bool part)
{
    workload *w = k->reader;
    if (!orr_intake_keep(k, job))
        return;
    ORR_VEC_PUSH(&w->rows, part ? PARTS : WHOLE);
    w->parts |= part;
}

static void set_summary(workload *w, size_t place, uint32_t line, const orr_trace_job *whole)
{
    const summary s = {place, line, whole->duration, whole->ending};
    ORR_VEC_PUSH(&w->summaries, s);
    w->rows.at[place] = SUMMED;
}

/* The first part of a job whose summary is there: the part takes its place. */
static void replace_summary(orr_intake *k, size_t place, orr_trace_job *part)
{
    orr_trace_job *job = &k->trace->jobs.at[place];
    part->min_gpus = part->max_gpus = part->gpus;
    const orr_flaw flaw = orr_flaw_of(part);
    if (flaw) {
        orr_intake_flaw(k, flaw, NULL);
        return;
    }
    set_summary(k->reader, place, job->line, job);
    job->duration = part->duration;
    job->start = part->start;
    job->end = part->end;
    if (part->gpus != job->gpus)
        orr_intake_flaw(k, ORR_FLAW_GPUS_DIFFER, NULL);
    orr_intake_flaw(k, ORR_FLAW_MERGED, NULL);
}

static void add_part(orr_intake *k, orr_trace_job *part)
{
    workload *w = k->reader;
    const int64_t place = known_place(k, part);
    w->parts = true;
    if (place < 0)
        keep(k, part, true);
    else if (w->rows.at[place] == WHOLE)
        replace_summary(k, (size_t)place, part);
    else
        orr_intake_add_run(k, (size_t)place, part);
}

static void add_whole(orr_intake *k, orr_trace_job *job)
{
    workload *w = k->reader;
    const int64_t place = w->parts ? known_place(k, job) : -1;
    if (place < 0 || w->rows.at[place] != PARTS) {
        keep(k, job, false);
        return;
    }
    set_summary(w, (size_t)place, k->line, job);
    orr_intake_flaw(k, ORR_FLAW_MERGED, NULL);
}

/* Once all parts are there. */
static void compare_summaries(orr_intake *k)
{
    const workload *w = k->reader;
    for (size_t i = 0; i < w->summaries.n && !k->failed; i++) {
        const summary *s = &w->summaries.at[i];
        orr_trace_job *job = &k->trace->jobs.at[s->place];
        job->ending = s->ending;
        job->censored = false;
        k->line = s->line;
        if (job->duration != s->duration)
            orr_intake_flaw(k, ORR_FLAW_DURATION, NULL);
    }
}

/* ---- rows ---- */

/* A later part may lack a submit time: it was there again when the part before it ended, and waited since then. */
static bool take_submit(orr_intake *k, const orr_sheet *sheet, bool part, orr_trace_job *job)
{
    const orr_cell cell = field(sheet, SUBMIT);
    const int64_t place = part && orr_cell_missing(cell) ? known_place(k, job) : -1;
    if (place < 0)
        return orr_take_time(k, cell, ORR_FLAW_NO_SUBMIT, &job->submit);
    const orr_trace_job *before = &k->trace->jobs.at[place];
    const workload *w = k->reader;
    const bool first = w->rows.at[place] == WHOLE || before->end == ORR_TIME_NONE;
    job->submit = first ? before->submit : before->end;
    return true;
}

static bool take_times(orr_intake *k, const orr_sheet *sheet, int status, orr_trace_job *job)
{
    orr_time wait = ORR_TIME_NONE;
    if (!take_submit(k, sheet, is_part(status), job) || !take_wait(k, field(sheet, WAIT), &wait) ||
        !orr_take_some_duration(k, field(sheet, LIMIT), &job->limit) ||
        !orr_take_some_duration(k, field(sheet, RUN), &job->duration))
        return false;
    job->start = wait == ORR_TIME_NONE ? wait : orr_time_add(job->submit, wait);
    return true;
}

/* A run time of 0 is the default of the record, so what is known is asked of the row. */
static bool finish_times(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell run = field(sheet, RUN);
    if (orr_cell_missing(run))
        return orr_intake_flaw(k, ORR_FLAW_NO_DURATION, &run);
    if (job->start != ORR_TIME_NONE)
        job->end = orr_time_add(job->start, job->duration);
    return true;
}

static void withdraw(orr_intake *k, orr_trace_job *job)
{
    job->end = job->start;
    job->start = ORR_TIME_NONE;
    orr_intake_withdraw(k, job);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    workload *w = k->reader;
    orr_trace_job job = orr_trace_job_default();
    int status;
    if (!w->told)
        orr_trace_note(k->trace, ORR_FLAW_PROCESSORS, NULL, k->line);
    w->told = true;
    take_texts(k, sheet, &job);
    if (!take_status(k, field(sheet, STATUS), &status) || !take_gpus(k, sheet, &job) ||
        !take_times(k, sheet, status, &job) || !take_memory(k, field(sheet, REQUESTED_MEMORY), &job) ||
        !take_after(k, sheet, &job))
        return;
    job.ending = ending_of(status);
    job.censored = status == CONTINUED;
    if (status == CANCELLED && job.duration == 0)
        withdraw(k, &job);
    else if (finish_times(k, sheet, &job))
        (is_part(status) ? add_part : add_whole)(k, &job);
}

static orr_err read_swf(orr_intake *k)
{
    workload w = {0};
    orr_sheet sheet = {
        .columns = columns, .n = COLUMNS, .separator = ' ', .mark = ';', .no_header = true, .comment = comment};
    k->reader = &w;
    k->same_id = ORR_SAME_ID_SUFFIX;
    k->relative = true;
    for (int i = 0; i < KEPT; i++)
        w.attributes[i] = orr_intake_attribute(k, columns[kept[i]].name);
    if (!orr_sheet_read(&sheet, k, row))
        compare_summaries(k);
    ORR_VEC_FREE(&w.rows);
    ORR_VEC_FREE(&w.summaries);
    k->reader = NULL;
    return k->failed;
}

/* ---- sniffing ---- */

static bool is_number(const char *text, size_t n)
{
    double value;
    return orr_parse_double(text, n, &value);
}

static bool all_blank(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r'))
        i++;
    return i == n;
}

/* Fields of a line of numbers between blanks; 0 if anything else stands there. */
static int count_numbers(const char *line, size_t n)
{
    int count = 0;
    for (size_t i = 0; i < n;) {
        size_t from = i;
        while (i < n && line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            i++;
        if (i > from && !is_number(line + from, i - from))
            return 0;
        count += i > from;
        i += i < n;
    }
    return count;
}

/* 18 numbers in the first line that is no comment; behind comments, numbers between blanks, or nothing at all. */
static bool is_swf(const orr_head *head)
{
    const bool commented = head->line[0] == ';';
    for (size_t from = 0; from < head->n;) {
        const char *line = head->bytes + from, *end = memchr(line, '\n', head->n - from);
        const size_t n = end ? (size_t)(end - line) : head->n - from;
        if (n && line[0] != ';' && !all_blank(line, n)) {
            const int numbers = count_numbers(line, n);
            return numbers == COLUMNS || (commented && numbers > 0);
        }
        from += n + 1;
    }
    return commented;
}

const orr_format orr_format_swf = {
    .name = "swf",
    .label = "swf",
    .about = "logs in the Standard Workload Format, version 2",
    .told = "18 numbers a line, `;` before comments",
    .is = is_swf,
    .read = read_swf,
};
