/* A `take` and a `print` for each kind of column, then the table. An empty cell always means the default. */
#include "trace/columns.h"
#include "trace/amounts.h"
#include <stdio.h>

/* ---- texts ---- */

static bool take_text(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)k;
    memcpy((char *)job + column->text_at, &cell.at, sizeof cell.at);
    return true;
}

static void print_text(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    const char *text;
    memcpy(&text, (const char *)job + column->text_at, sizeof text);
    orr_text_add(out, text, strlen(text));
}

/* ---- numbers ---- */

static void print_count(orr_text *out, int64_t value)
{
    orr_text_addf(out, "%lld", (long long)value);
}

static bool take_gpus(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_gpus(k, cell, &job->gpus);
}

static void print_gpus(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_count(out, job->gpus);
}

static bool take_min_gpus(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_cell_missing(cell) || orr_take_gpus(k, cell, &job->min_gpus);
}

static void print_min_gpus(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->min_gpus != job->gpus)
        print_count(out, job->min_gpus);
}

static bool take_max_gpus(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_cell_missing(cell) || orr_take_gpus(k, cell, &job->max_gpus);
}

static void print_max_gpus(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->max_gpus != job->gpus)
        print_count(out, job->max_gpus);
}

static bool take_gpu_milli(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_int32(k, cell, &job->gpu_milli);
}

static void print_gpu_milli(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->gpu_milli != 1000)
        print_count(out, job->gpu_milli);
}

static bool take_cpus(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_cores(k, cell, &job->cpu_milli);
}

static void print_cpus(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    char buf[ORR_CORES_BUF];
    (void)column;
    if (job->cpu_milli != 0)
        orr_text_add(out, buf, (size_t)orr_cores_format(job->cpu_milli, buf));
}

static bool take_bytes(orr_intake *k, orr_cell cell, int64_t *out)
{
    return orr_cell_missing(cell) || orr_parse_bytes(cell.at, out) || orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

static bool take_mem(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return take_bytes(k, cell, &job->mem_bytes);
}

static void print_mem(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->mem_bytes != 0)
        print_count(out, job->mem_bytes);
}

static bool take_gpu_mem(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return take_bytes(k, cell, &job->gpu_mem_bytes);
}

static void print_gpu_mem(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->gpu_mem_bytes != 0)
        print_count(out, job->gpu_mem_bytes);
}

static bool take_weight(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_cell_missing(cell) || orr_parse_double(cell.at, cell.n, &job->weight) ||
           orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

static void print_weight(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    char buf[ORR_DOUBLE_BUF];
    if (job->weight < 1 || job->weight > 1)
        orr_text_add(out, buf, (size_t)orr_format_double(job->weight, buf));
}

/* ---- times ---- */

static void print_time(orr_text *out, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_text_add(out, buf, (size_t)orr_time_format(t, buf));
}

static bool take_submit(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_time(k, cell, ORR_FLAW_NO_SUBMIT, &job->submit);
}

static void print_submit(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_time(out, job->submit);
}

static bool take_duration(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_duration(k, cell, ORR_FLAW_NO_DURATION, &job->duration);
}

static void print_duration(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_time(out, job->duration);
}

static bool take_limit(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_cell_missing(cell) || orr_take_duration(k, cell, ORR_FLAW_TIME, &job->limit);
}

static void print_limit(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->limit != ORR_TIME_NONE)
        print_time(out, job->limit);
}

static bool take_deadline(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_cell_missing(cell) || orr_take_time(k, cell, ORR_FLAW_TIME, &job->deadline);
}

static void print_deadline(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->deadline != ORR_TIME_NONE)
        print_time(out, job->deadline);
}

typedef bool take_part(orr_intake *k, orr_cell part);

static bool take_attempt(orr_intake *k, orr_cell part)
{
    orr_time value = 0;
    if (!orr_take_duration(k, part, ORR_FLAW_TIME, &value))
        return false;
    ORR_VEC_PUSH(&k->attempts, value);
    return true;
}

static bool take_start_of_one(orr_intake *k, orr_cell part)
{
    orr_time value = 0;
    if (!orr_take_time(k, part, ORR_FLAW_TIME, &value))
        return false;
    ORR_VEC_PUSH(&k->starts, value);
    return true;
}

static bool take_parts(orr_intake *k, const orr_cell *cell, char joint, take_part *take)
{
    const char *at = cell->at, *const end = cell->at + cell->n;
    for (const char *mark = at; mark; at = mark ? mark + 1 : end) {
        mark = memchr(at, joint, (size_t)(end - at));
        const orr_cell part = {cell->name, at, (size_t)((mark ? mark : end) - at), cell->column};
        if (part.n == 0)
            return orr_intake_flaw(k, ORR_FLAW_TIME, cell);
        if (!take(k, part))
            return false;
    }
    return true;
}

/* Comes after `duration` in the table, which the parts must add up to. */
static bool take_attempts(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    if (orr_cell_missing(cell))
        return true;
    return take_parts(k, &cell, '/', take_attempt) && orr_intake_attempts(k, &cell, job);
}

static void print_times(const orr_time *times, uint32_t n, orr_text *out)
{
    for (uint32_t i = 0; times && i < n; i++) {
        if (i)
            orr_text_add(out, "/", 1);
        print_time(out, times[i]);
    }
}

static void print_attempts(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_times(job->attempts, job->attempt_count, out);
}

static bool take_starts(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    (void)job;
    return orr_cell_missing(cell) || take_parts(k, &cell, '/', take_start_of_one);
}

static void print_starts(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_times(job->starts, job->attempt_count, out);
}

static bool take_start(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_some_time(k, cell, &job->start);
}

static bool take_end(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_some_time(k, cell, &job->end);
}

static void print_known(orr_text *out, orr_time t)
{
    if (t != ORR_TIME_NONE)
        print_time(out, t);
}

static void print_start(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_known(out, job->start);
}

static void print_end(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_known(out, job->end);
}

static bool take_think(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_some_duration(k, cell, &job->think);
}

static void print_think(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->think)
        print_time(out, job->think);
}

static bool take_ran(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_some_duration(k, cell, &job->ran);
}

static void print_ran(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    print_known(out, job->ran);
}

/* ---- predecessors ---- */

/* Cut up in place: the cell is the row's own text. */
static bool take_after(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    (void)job;
    for (char *at = (char *)cell.at, *bar; cell.n && at; at = bar) {
        bar = strchr(at, '|');
        if (bar)
            *bar++ = '\0';
        if (!at[0])
            return orr_intake_flaw(k, ORR_FLAW_NO_ID, &cell);
        orr_intake_after(k, at);
    }
    return true;
}

static void print_after(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    for (uint32_t i = 0; i < job->after_count; i++)
        orr_text_addf(out, "%s%s", i ? "|" : "", job->after[i].id);
}

/* ---- words ---- */

static bool take_state(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return orr_take_state(k, cell, job);
}

static void print_state(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->ending != ORR_ENDING_DONE)
        orr_text_addf(out, "%s", job->ending == ORR_ENDING_FAILED ? "failed" : "killed");
}

static bool take_bool(orr_intake *k, orr_cell cell, bool *out)
{
    return orr_cell_missing(cell) || orr_parse_bool(cell.at, out) || orr_intake_flaw(k, ORR_FLAW_NUMBER, &cell);
}

static bool take_preemptible(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return take_bool(k, cell, &job->preemptible);
}

static void print_preemptible(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (!job->preemptible)
        print_count(out, 0);
}

static bool take_carried(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return take_bool(k, cell, &job->carried);
}

static void print_carried(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->carried)
        print_count(out, 1);
}

static bool take_censored(orr_intake *k, const orr_column *column, orr_cell cell, orr_trace_job *job)
{
    (void)column;
    return take_bool(k, cell, &job->censored);
}

static void print_censored(const orr_column *column, const orr_trace_job *job, orr_text *out)
{
    (void)column;
    if (job->censored)
        print_count(out, 1);
}

/* ---- the table ---- */

#define TEXT(member) offsetof(orr_trace_job, member), take_text, print_text

const orr_column orr_columns[ORR_COLUMNS] = {
    [ORR_COLUMN_ID] = {"job_id", false, "text", "row number from 0", "unique name of the job", TEXT(id)},
    [ORR_COLUMN_SUBMIT] = {"submit", true, "s", "",
                           "time of submission: seconds from the origin, Unix seconds, or calendar text", 0,
                           take_submit, print_submit},
    [ORR_COLUMN_DURATION] = {"duration", true, "s", "", "run time alone on what it asks for; all attempts together", 0,
                             take_duration, print_duration},
    [ORR_COLUMN_GPUS] = {"gpus", true, "GPUs", "", "GPUs of the gang, all at once; 0: a CPU-only job", 0, take_gpus,
                         print_gpus},
    [ORR_COLUMN_USER] = {"user", false, "text", "empty", "who submitted it", TEXT(user)},
    [ORR_COLUMN_VC] = {"vc", false, "text", "empty", "virtual cluster or tenant", TEXT(vc)},
    [ORR_COLUMN_NAME] = {"name", false, "text", "empty", "what the user called it; similar jobs share names",
                         TEXT(name)},
    [ORR_COLUMN_MODEL] = {"model", false, "text", "empty", "model that it trains, for throughput tables", TEXT(model)},
    [ORR_COLUMN_GPU_TYPE] = {"gpu_type", false, "text", "empty",
                             "GPU types that it may run on, joined by \\|; empty: any", TEXT(gpu_type)},
    [ORR_COLUMN_CPUS] = {"cpus", false, "cores", "0", "cores of the whole job, to the thousandth; 0: not stated", 0,
                         take_cpus, print_cpus},
    [ORR_COLUMN_MEM_BYTES] = {"mem_bytes", false, "bytes", "0",
                              "host memory of the whole job, units allowed (64GiB); 0: not stated", 0, take_mem,
                              print_mem},
    [ORR_COLUMN_GPU_MEM] = {"gpu_mem", false, "bytes", "0",
                            "device memory on each of its GPUs, units allowed; 0: not stated", 0, take_gpu_mem,
                            print_gpu_mem},
    [ORR_COLUMN_LIMIT] = {"limit", false, "s", "none", "what the user said it takes at most", 0, take_limit,
                          print_limit},
    [ORR_COLUMN_DEADLINE] = {"deadline", false, "s", "none", "when it must be done, on the clock of submit", 0,
                             take_deadline, print_deadline},
    [ORR_COLUMN_WEIGHT] = {"weight", false, "", "1", "share relative to other jobs, above 0", 0, take_weight,
                           print_weight},
    [ORR_COLUMN_STATE] = {"state", false, "word", "done",
                          "how it ended in the record: done, failed, killed (Slurm's and Philly's words too)", 0,
                          take_state, print_state},
    [ORR_COLUMN_ATTEMPTS] = {"attempts", false, "s/s/…", "one run",
                             "durations of the single attempts, joined by /; they add up to duration", 0, take_attempts,
                             print_attempts},
    [ORR_COLUMN_MIN_GPUS] = {"min_gpus", false, "GPUs", "gpus", "least size of an elastic job", 0, take_min_gpus,
                             print_min_gpus},
    [ORR_COLUMN_MAX_GPUS] = {"max_gpus", false, "GPUs", "gpus", "greatest size of an elastic job", 0, take_max_gpus,
                             print_max_gpus},
    [ORR_COLUMN_GPU_MILLI] = {"gpu_milli", false, "1/1000", "1000",
                              "share of each GPU that it asks for", 0, take_gpu_milli,
                              print_gpu_milli},
    [ORR_COLUMN_PREEMPTIBLE] = {"preemptible", false, "bool", "1",
                                "whether it may be taken off its GPUs and go on later", 0, take_preemptible,
                                print_preemptible},
    [ORR_COLUMN_CENSORED] = {"censored", false, "bool", "0",
                             "still ran when the record ended: duration is a lower bound", 0, take_censored,
                             print_censored},
    [ORR_COLUMN_GROUP] = {"group", false, "text", "empty", "trial group or app that it is one of", TEXT(group)},
    [ORR_COLUMN_START] = {"start", false, "s", "unknown",
                          "when it first held GPUs in the record, on the clock of submit", 0, take_start, print_start},
    [ORR_COLUMN_END] = {"end", false, "s", "unknown", "when it ended in the record, on the clock of submit", 0,
                        take_end, print_end},
    [ORR_COLUMN_STARTS] = {"starts", false, "s/s/…", "unknown", "recorded starts of the single attempts, joined by /",
                           0, take_starts, print_starts},
    [ORR_COLUMN_AFTER] = {"after", false, "ids", "empty",
                          "jobs that must have ended, in whatever way, before it is submitted, joined by \\|", 0,
                          take_after, print_after},
    [ORR_COLUMN_THINK] = {"think", false, "s", "0", "time between the last of those ends and its submission", 0,
                          take_think, print_think},
    [ORR_COLUMN_RAN] = {"ran", false, "s", "empty",
                        "it holds GPUs at second 0 and had run for so long; duration is what is left", 0, take_ran,
                        print_ran},
    [ORR_COLUMN_CARRIED] = {"carried", false, "bool", "0", "submitted before second 0 and not ended by then", 0,
                            take_carried, print_carried},
};

void orr_columns_markdown(orr_text *out)
{
    orr_text_addf(out, "| column | needed | unit | default | meaning |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < ORR_COLUMNS; i++) {
        const orr_column *c = &orr_columns[i];
        orr_text_addf(out, "| `%s` | %s | %s | %s | %s |\n", c->name, c->needed ? "yes" : "", c->unit, c->fallback,
                      c->meaning);
    }
}
