/* Slurm's accounting as `sacct -P` prints it (`-p` too): columns by name in any order, separated by bars.
 *
 * Rules, since sacct writes a row for everything and its columns are chosen by the user:
 * - Rows with a dot in the id are steps; their work is in the job's own row (`job-step`).
 * - Start and End are the server's clock faces. Elapsed is what passed, so it is the duration where it is known, even
 *   if a suspension or a clock change makes End - Start another (`elapsed-differs`); else End - Start is.
 * - A job with a Start and no End still ran: censored. One that is PENDING, or ended without a Start (old versions:
 *   with End as its Start, and nothing allocated), never ran. It keeps the size that it asked for.
 * - A pending array is one row, "123_[5-9]", and one job that never ran. Parts of a heterogeneous job, "123+1", are
 *   jobs of their own (`het-component`).
 * - Rows of one id, user and name (`--duplicates`) are the runs of one job: their times add up, the earliest Submit
 *   is the job's, the run that ends last says how it ended. Rows of one id with the same Start are one run, told
 *   twice. The same id with another user or name is another job: ids are used again.
 * - GPUs: those of AllocTRES, AllocGRES, ReqTRES, ReqGRES, whichever is the first to name any; none of them: a CPU
 *   job. Counts are totals of the job, as Slurm writes them. Types are those named there.
 * - Memory is that of AllocTRES or ReqTRES; else ReqMem, times cores or nodes if it says so.
 * - The VC is the partition; without that column the account. */
#include "trace/reader.h"
#include "trace/runs.h"
#include "trace/slurm_text.h"
#include <stdio.h>

enum {
    JOB_ID,
    JOB_ID_RAW,
    NAME,
    USER,
    PARTITION,
    STATE,
    SUBMIT,
    START,
    END,
    ELAPSED,
    ELAPSED_RAW,
    LIMIT,
    LIMIT_RAW,
    ALLOC_TRES,
    ALLOC_GRES,
    REQ_TRES,
    REQ_GRES,
    ALLOC_CPUS,
    CPUS,
    REQ_CPUS,
    NODES,
    REQ_MEM,
    NODE_LIST,
    GROUP,
    CLUSTER,
    ACCOUNT,
    QOS,
    ELIGIBLE,
    PRIORITY,
    EXIT_CODE,
    DERIVED_EXIT,
    REASON,
    RESERVATION,
    SUSPENDED,
    CONSTRAINTS,
    WORK_DIR,
    UID,
    GID,
    COLUMNS
};

static const orr_sheet_column columns[COLUMNS] = {
    [JOB_ID] = {.name = "JobID"},
    [JOB_ID_RAW] = {.name = "JobIDRaw"},
    [NAME] = {.name = "JobName"},
    [USER] = {.name = "User"},
    [PARTITION] = {.name = "Partition"},
    [STATE] = {.name = "State"},
    [SUBMIT] = {.name = "Submit", .needed = true},
    [START] = {.name = "Start"},
    [END] = {.name = "End"},
    [ELAPSED] = {.name = "Elapsed"},
    [ELAPSED_RAW] = {.name = "ElapsedRaw"},
    [LIMIT] = {.name = "Timelimit"},
    [LIMIT_RAW] = {.name = "TimelimitRaw"},
    [ALLOC_TRES] = {.name = "AllocTRES", .attribute = true},
    [ALLOC_GRES] = {.name = "AllocGRES", .attribute = true},
    [REQ_TRES] = {.name = "ReqTRES", .attribute = true},
    [REQ_GRES] = {.name = "ReqGRES", .attribute = true},
    [ALLOC_CPUS] = {.name = "AllocCPUS"},
    [CPUS] = {.name = "NCPUS"},
    [REQ_CPUS] = {.name = "ReqCPUS"},
    [NODES] = {.name = "NNodes", .attribute = true},
    [REQ_MEM] = {.name = "ReqMem"},
    [NODE_LIST] = {.name = "NodeList", .attribute = true},
    [GROUP] = {.name = "Group"},
    [CLUSTER] = {.name = "Cluster", .attribute = true},
    [ACCOUNT] = {.name = "Account", .attribute = true},
    [QOS] = {.name = "QOS", .attribute = true},
    [ELIGIBLE] = {.name = "Eligible", .attribute = true},
    [PRIORITY] = {.name = "Priority", .attribute = true},
    [EXIT_CODE] = {.name = "ExitCode", .attribute = true},
    [DERIVED_EXIT] = {.name = "DerivedExitCode", .attribute = true},
    [REASON] = {.name = "Reason", .attribute = true},
    [RESERVATION] = {.name = "Reservation", .attribute = true},
    [SUSPENDED] = {.name = "Suspended", .attribute = true},
    [CONSTRAINTS] = {.name = "Constraints", .attribute = true},
    [WORK_DIR] = {.name = "WorkDir", .attribute = true},
    [UID] = {.name = "UID", .attribute = true},
    [GID] = {.name = "GID", .attribute = true},
};

typedef struct accounting {
    int id;                /* the column of the id */
    int64_t raw_id, group; /* attributes that are set by hand; -1: not there */
    /* Runs of jobs that have several rows, by place and start, and how long each has been so far. */
    orr_names *runs;
    ORR_VEC(orr_time) durations;
} accounting;

static orr_cell cell_of(const orr_sheet *sheet, int column)
{
    return orr_sheet_cell(sheet, (size_t)column);
}

/* ---- the header ---- */

static bool sizes_known(const orr_intake *k, const orr_sheet *sheet)
{
    return orr_sheet_has(sheet, ALLOC_TRES) || orr_sheet_has(sheet, ALLOC_GRES) || orr_sheet_has(sheet, REQ_TRES) ||
           orr_sheet_has(sheet, REQ_GRES) || k->options->keep_cpu_jobs;
}

/* What a header must have one of. */
static bool bind_header(orr_intake *k, orr_sheet *sheet)
{
    accounting *a = sheet->self;
    a->id = orr_sheet_has(sheet, JOB_ID) ? JOB_ID : JOB_ID_RAW;
    if (!orr_sheet_has(sheet, (size_t)a->id))
        return orr_intake_fail(k, ORR_E_MISSING_COLUMN, NULL, "the header has neither JobID nor JobIDRaw");
    if (!sizes_known(k, sheet)) {
        orr_intake_fail(k, ORR_E_MISSING_COLUMN, NULL, "the header has no column that tells the GPUs of a job");
        orr_error_hint(k->e,
                       "add AllocTRES and ReqTRES to the format of sacct (AllocGRES and ReqGRES in old versions)");
        return false;
    }
    if (a->id == JOB_ID && orr_sheet_has(sheet, JOB_ID_RAW))
        a->raw_id = (int64_t)orr_intake_attribute(k, "JobIDRaw");
    if (orr_sheet_has(sheet, GROUP))
        a->group = (int64_t)orr_intake_attribute(k, "unix_group");
    return true;
}

/* ---- cells ---- */

static void take_texts(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const accounting *a = sheet->self;
    job->id = cell_of(sheet, a->id).at;
    job->user = cell_of(sheet, USER).at;
    job->name = cell_of(sheet, NAME).at;
    job->vc = cell_of(sheet, orr_sheet_has(sheet, PARTITION) ? PARTITION : ACCOUNT).at;
    if (a->raw_id >= 0)
        orr_intake_set(k, (size_t)a->raw_id, cell_of(sheet, JOB_ID_RAW).at);
    if (a->group >= 0)
        orr_intake_set(k, (size_t)a->group, cell_of(sheet, GROUP).at);
}

static bool parse_resources(orr_intake *k, const orr_sheet *sheet, int column, orr_slurm_resources *out)
{
    const orr_cell cell = cell_of(sheet, column);
    const bool tres = column == ALLOC_TRES || column == REQ_TRES;
    const char *text = orr_cell_missing(cell) ? "" : cell.at;
    return (tres ? orr_slurm_tres : orr_slurm_gres)(text, out) || orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

/* The first known of two columns beside what the resources said. */
static bool take_count(orr_intake *k, const orr_sheet *sheet, int first, int second, int64_t *out)
{
    for (int i = 0; i < 2 && *out < 0; i++) {
        const orr_cell cell = cell_of(sheet, i ? second : first);
        if (!orr_cell_missing(cell) && !orr_take_count(k, cell, ORR_FLAW_NUMBER, out))
            return false;
    }
    return true;
}

static bool take_memory(orr_intake *k, orr_cell cell, int64_t cpus, int64_t nodes, int64_t *out)
{
    int64_t bytes, times = 1;
    char per;
    if (*out >= 0 || orr_cell_missing(cell) || cell.at[0] == '?')
        return true;
    if (!orr_slurm_memory(cell.at, cell.n, &bytes, &per))
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    if (per)
        times = per == 'c' ? cpus : nodes;
    if (times <= 0)
        return true;
    if (bytes > INT64_MAX / times)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
    *out = bytes * times;
    return true;
}

/* Into `to` goes what it lacks. */
static void fill(orr_slurm_resources *to, const orr_slurm_resources *from)
{
    if (to->gpus <= 0 && from->gpus > 0) {
        to->gpus = from->gpus;
        memcpy(to->types, from->types, sizeof to->types);
    }
    to->cpus = to->cpus < 0 ? from->cpus : to->cpus;
    to->nodes = to->nodes < 0 ? from->nodes : to->nodes;
    to->mem_bytes = to->mem_bytes < 0 ? from->mem_bytes : to->mem_bytes;
}

static bool take_resources(orr_intake *k, const orr_sheet *sheet, orr_slurm_resources *out)
{
    orr_slurm_resources gres, asked, asked_gres;
    if (!parse_resources(k, sheet, ALLOC_TRES, out) || !parse_resources(k, sheet, ALLOC_GRES, &gres) ||
        !parse_resources(k, sheet, REQ_TRES, &asked) || !parse_resources(k, sheet, REQ_GRES, &asked_gres) ||
        !take_count(k, sheet, ALLOC_CPUS, CPUS, &out->cpus))
        return false;
    /* Of a job that never ran these columns say 0. */
    out->cpus = out->cpus > 0 ? out->cpus : -1;
    fill(out, &gres);
    fill(out, &asked);
    fill(out, &asked_gres);
    return take_count(k, sheet, REQ_CPUS, REQ_CPUS, &out->cpus) && take_count(k, sheet, NODES, NODES, &out->nodes) &&
           take_memory(k, cell_of(sheet, REQ_MEM), out->cpus, out->nodes, &out->mem_bytes);
}

static bool take_size(orr_intake *k, const orr_slurm_resources *r, orr_trace_job *job)
{
    if (r->gpus > ORR_TRACE_GPUS_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, NULL);
    if (r->cpus > INT32_MAX)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, NULL);
    job->gpus = r->gpus > 0 ? (int32_t)r->gpus : 0;
    job->cpu_milli = r->cpus > 0 ? r->cpus * 1000 : 0;
    job->mem_bytes = r->mem_bytes > 0 ? r->mem_bytes : 0;
    job->gpu_type = r->types;
    return true;
}

static bool no_limit(orr_cell cell)
{
    return orr_cell_missing(cell) || orr_same_word(cell.at, "UNLIMITED") || orr_same_word(cell.at, "Partition_Limit") ||
           orr_same_word(cell.at, "INVALID");
}

static bool take_span(orr_intake *k, orr_cell cell, orr_time *out)
{
    orr_time value;
    if (!orr_slurm_elapsed(cell.at, cell.n, &value))
        return orr_intake_flaw(k, ORR_FLAW_TIME, &cell);
    if (value > ORR_TRACE_TIME_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_TIME_RANGE, &cell);
    *out = value;
    return true;
}

static bool take_limit(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell raw = cell_of(sheet, LIMIT_RAW), text = cell_of(sheet, LIMIT);
    if (orr_cell_missing(raw))
        return no_limit(text) || take_span(k, text, &job->limit);
    if (no_limit(raw))
        return true;
    k->unit = ORR_UNIT_MINUTES;
    const bool taken = orr_take_duration(k, raw, ORR_FLAW_TIME, &job->limit);
    k->unit = ORR_UNIT_SECONDS;
    return taken;
}

static bool take_elapsed(orr_intake *k, const orr_sheet *sheet, orr_time *out)
{
    const orr_cell raw = cell_of(sheet, ELAPSED_RAW), text = cell_of(sheet, ELAPSED);
    if (!orr_cell_missing(raw))
        return orr_take_duration(k, raw, ORR_FLAW_TIME, out);
    return orr_cell_missing(text) || take_span(k, text, out);
}

/* ---- times ---- */

static bool is_pending(const orr_sheet *sheet)
{
    return orr_same_word(cell_of(sheet, STATE).at, "PENDING");
}

/* Old versions give a job that was cancelled while it waited a start: its end. */
static bool holds_nothing(const orr_sheet *sheet)
{
    return strcmp(cell_of(sheet, NODE_LIST).at, "None assigned") == 0 ||
           (orr_sheet_has(sheet, ALLOC_TRES) && orr_cell_missing(cell_of(sheet, ALLOC_TRES)));
}

static bool never_ran(const orr_sheet *sheet, const orr_trace_job *job, orr_time elapsed)
{
    if (is_pending(sheet))
        return true;
    const bool ran = elapsed != ORR_TIME_NONE && elapsed > 0;
    return !ran && job->ending != ORR_ENDING_DONE && (job->start == ORR_TIME_NONE || holds_nothing(sheet));
}

/* Both clock faces are known. */
static bool take_stamped(orr_intake *k, const orr_sheet *sheet, orr_time elapsed, orr_trace_job *job)
{
    const orr_cell end = cell_of(sheet, END);
    const orr_time between = job->end - job->start;
    if (elapsed == ORR_TIME_NONE && between < 0)
        return orr_intake_flaw(k, ORR_FLAW_END_BEFORE_START, &end);
    job->duration = elapsed == ORR_TIME_NONE ? between : elapsed;
    if (between < 0)
        job->end = orr_time_add(job->start, elapsed);
    return job->duration == between || orr_intake_flaw(k, ORR_FLAW_ELAPSED, &end);
}

static bool take_run(orr_intake *k, const orr_sheet *sheet, orr_time elapsed, orr_trace_job *job)
{
    const orr_cell start = cell_of(sheet, START);
    if (job->start != ORR_TIME_NONE && job->start < job->submit)
        orr_intake_flaw(k, ORR_FLAW_EARLY_START, &start);
    if (job->start != ORR_TIME_NONE && job->end != ORR_TIME_NONE)
        return take_stamped(k, sheet, elapsed, job);
    if (elapsed == ORR_TIME_NONE)
        return orr_intake_flaw(k, ORR_FLAW_NO_DURATION, &start);
    job->duration = elapsed;
    if (job->start == ORR_TIME_NONE || !orr_sheet_has(sheet, END))
        return true;
    job->censored = true;
    job->ending = ORR_ENDING_DONE;
    return true;
}

/* ---- rows of one job ---- */

static bool same_job(const orr_intake *k, const orr_sheet *sheet, const orr_trace_job *known, const orr_trace_job *job)
{
    return strcmp(known->user, job->user) == 0 && strcmp(known->name, job->name) == 0 &&
           strcmp(orr_trace_attribute(k->trace, known, "Cluster"), cell_of(sheet, CLUSTER).at) == 0;
}

/* The place of the job that this row belongs to; -1: it is new. */
static int64_t place_of(const orr_intake *k, const orr_sheet *sheet, const orr_trace_job *job)
{
    const int64_t place = orr_trace_find_id(k->trace, job->id, strlen(job->id));
    return place >= 0 && same_job(k, sheet, &k->trace->jobs.at[place], job) ? place : -1;
}

/* The number of a run, from 0; `duration` is noted if it is new. Runs without a start are told by their submission. */
static uint32_t run_number(accounting *a, int64_t place, const orr_trace_job *run, bool *fresh)
{
    char key[80];
    const bool started = run->start != ORR_TIME_NONE;
    const int n = snprintf(key, sizeof key, "%lld%c%lld", (long long)place, started ? '@' : '/',
                           (long long)(started ? run->start : run->submit));
    const uint32_t id = orr_names_id(a->runs, key, (size_t)n);
    *fresh = id == a->durations.n;
    if (*fresh)
        ORR_VEC_PUSH(&a->durations, run->duration);
    return id;
}

static void add_row(orr_intake *k, const orr_sheet *sheet, int64_t place, const orr_trace_job *run)
{
    accounting *a = sheet->self;
    bool fresh;
    run_number(a, place, &k->trace->jobs.at[place], &fresh); /* its first run, if this is the second row */
    const uint32_t id = run_number(a, place, run, &fresh);
    if (fresh) {
        orr_intake_add_run(k, (size_t)place, run);
        return;
    }
    orr_intake_run_again(k, (size_t)place, run, a->durations.at[id]);
    if (run->duration > a->durations.at[id])
        a->durations.at[id] = run->duration;
}

/* It was requeued and then withdrawn, or still waits. */
static void end_waiting(orr_intake *k, const orr_sheet *sheet, orr_trace_job *known, const orr_trace_job *row)
{
    if (known->end != ORR_TIME_NONE && row->submit >= known->end) {
        known->ending = is_pending(sheet) ? ORR_ENDING_DONE : row->ending;
        known->censored = is_pending(sheet);
    }
    orr_intake_flaw(k, ORR_FLAW_MERGED, NULL);
}

static void withdraw(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const int64_t place = place_of(k, sheet, job);
    job->start = ORR_TIME_NONE;
    if (place >= 0)
        end_waiting(k, sheet, &k->trace->jobs.at[place], job);
    else
        orr_intake_withdraw(k, job);
}

/* Jobs that ran after all, by a later row. */
static void forget_withdrawn(orr_intake *k)
{
    orr_trace *t = k->trace;
    size_t n = 0;
    for (size_t i = 0; i < t->withdrawn.n; i++) {
        const orr_trace_job *job = &t->withdrawn.at[i];
        const int64_t place = orr_trace_find_id(t, job->id, strlen(job->id));
        if (place < 0 || strcmp(t->jobs.at[place].user, job->user) != 0 ||
            strcmp(t->jobs.at[place].name, job->name) != 0)
            t->withdrawn.at[n++] = *job;
    }
    t->withdrawn.n = n;
}

static void keep(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const int64_t place = place_of(k, sheet, job);
    if (place >= 0) {
        add_row(k, sheet, place, job);
        return;
    }
    if (strchr(job->id, '+'))
        orr_intake_flaw(k, ORR_FLAW_HET, NULL);
    orr_intake_keep(k, job);
}

static void job_row(orr_intake *k, const orr_sheet *sheet)
{
    orr_trace_job job = orr_trace_job_default();
    orr_slurm_resources resources;
    orr_time elapsed = ORR_TIME_NONE;
    take_texts(k, sheet, &job);
    if (!take_resources(k, sheet, &resources) || !take_size(k, &resources, &job) ||
        !orr_take_time(k, cell_of(sheet, SUBMIT), ORR_FLAW_NO_SUBMIT, &job.submit) ||
        !orr_take_some_time(k, cell_of(sheet, START), &job.start) ||
        !orr_take_some_time(k, cell_of(sheet, END), &job.end) || !take_limit(k, sheet, &job) ||
        !take_elapsed(k, sheet, &elapsed))
        return;
    if (!is_pending(sheet) && !orr_take_state(k, cell_of(sheet, STATE), &job))
        return;
    if (never_ran(sheet, &job, elapsed))
        withdraw(k, sheet, &job);
    else if (take_run(k, sheet, elapsed, &job))
        keep(k, sheet, &job);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    const accounting *a = sheet->self;
    if (strchr(cell_of(sheet, a->id).at, '.'))
        orr_intake_flaw(k, ORR_FLAW_STEP, NULL);
    else
        job_row(k, sheet);
}

/* The usual reason for ragged rows. */
static void explain_ragged(orr_intake *k)
{
    const char *reason = orr_flaw_about(ORR_FLAW_RAGGED)->reason;
    for (size_t i = 0; i < k->trace->notes.n; i++)
        if (k->trace->notes.at[i].reason == reason)
            k->trace->notes.at[i].detail = "the row has another number of fields than the header: a name with a bar in "
                                           "it? Leave JobName out of the "
                                           "format of sacct, or have bars replaced";
}

static orr_err read_slurm(orr_intake *k)
{
    accounting a = {.raw_id = -1, .group = -1, .runs = orr_names_create()};
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .separator = '|', .header = bind_header, .self = &a};
    k->same_id = ORR_SAME_ID_SUFFIX;
    k->keeps_clock = true;
    const orr_err err = orr_sheet_read(&sheet, k, row);
    forget_withdrawn(k);
    explain_ragged(k);
    orr_names_destroy(a.runs);
    ORR_VEC_FREE(&a.durations);
    return err;
}

const orr_format orr_format_slurm = {
    .name = "slurm",
    .label = "slurm",
    .about = "Slurm's accounting, `sacct -P`",
    .signature = {"JobID", "State", "Submit"},
    .separator = '|',
    .read = read_slurm,
};
