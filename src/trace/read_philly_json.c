/* Philly `cluster_job_log`: an array of jobs, each with a list of attempts.
 *
 * Rules, since the log leaves much open:
 * - A time is unknown if it is absent, null, "" or a word such as "None".
 * - An attempt counts if start and end are known and the end is not before the start; its run time is their difference.
 *   The job's duration is the sum over the attempts that count; gaps between attempts are waiting, not work.
 * - A job without attempts never ran: dropped (`no-attempts`). One with attempts of which none counts: dropped, as
 * `no-end`
 *   if the last has a start but no end (it still ran at the snapshot), else as `no-usable-attempt`.
 * - A job whose last attempt has a start but no end while earlier ones count is kept and marked censored (`open-end`).
 *   Other attempts that don't count beside some that do are kept out of the sum and counted (`attempt-without-times`).
 * - The number of GPUs is that of the first attempt that lists any, over all its servers; other sizes later are counted
 *   (`gpus-differ`). Servers listed without GPUs make a CPU-only job; no list at all is `no-gpus`.
 * - Where it ran (`ip`) is advice at most and not kept: a replay is on the cluster that the user names.
 * - An id that occurs twice is another job and gets a suffix.
 */
#include "trace/json_cut.h"
#include "trace/reader.h"
#include <cjson/cJSON.h>
#include <stdio.h>

static orr_cell text_cell(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    return (orr_cell){name, text, strlen(text), 0};
}

/* What the attempts of one job say. */
typedef struct summary {
    size_t attempts, usable;
    bool open_end; /* the last one has a start and no end */
    bool overlap, early;
    int64_t gpus; /* -1: no list */
    bool gpus_differ;
    orr_time first, last; /* start and end over the attempts that count */
} summary;

static bool take_stamp(orr_intake *k, orr_cell cell, orr_time *out, bool *known)
{
    *known = !orr_cell_missing(cell);
    return !*known || orr_take_time(k, cell, ORR_FLAW_TIME, out);
}

static int64_t count_gpus(const cJSON *attempt)
{
    const cJSON *detail = cJSON_GetObjectItemCaseSensitive(attempt, "detail"), *server;
    int64_t gpus = -1;
    cJSON_ArrayForEach(server, detail)
    {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(server, "gpus");
        gpus = (gpus < 0 ? 0 : gpus) + (cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0);
    }
    return gpus;
}

static void add_gpus(summary *sum, int64_t gpus)
{
    if (sum->gpus <= 0)
        sum->gpus = gpus > sum->gpus ? gpus : sum->gpus;
    else if (gpus > 0 && gpus != sum->gpus)
        sum->gpus_differ = true;
}

static bool add_attempt(orr_intake *k, const cJSON *attempt, orr_time submit, orr_time *last_end, summary *sum)
{
    orr_time start = 0, end = 0;
    bool has_start, has_end;
    if (!take_stamp(k, text_cell(attempt, "start_time"), &start, &has_start) ||
        !take_stamp(k, text_cell(attempt, "end_time"), &end, &has_end))
        return false;
    sum->attempts++;
    sum->open_end = has_start && !has_end;
    sum->overlap |= has_start && start < *last_end;
    sum->early |= has_start && start < submit;
    add_gpus(sum, count_gpus(attempt));
    if (has_end && end > *last_end)
        *last_end = end;
    if (has_start && has_end && end >= start) {
        ORR_VEC_PUSH(&k->attempts, end - start);
        ORR_VEC_PUSH(&k->starts, start);
        sum->first = sum->usable == 0 || start < sum->first ? start : sum->first;
        sum->last = end > sum->last ? end : sum->last;
        sum->usable++;
    }
    return true;
}

static bool sum_up(orr_intake *k, const cJSON *job, orr_time submit, summary *sum)
{
    orr_time last_end = ORR_TIME_NONE;
    const cJSON *attempt;
    *sum = (summary){.gpus = -1, .first = ORR_TIME_NONE, .last = ORR_TIME_NONE};
    k->attempts.n = k->starts.n = 0;
    cJSON_ArrayForEach(attempt, cJSON_GetObjectItemCaseSensitive(job, "attempts"))
    {
        if (!add_attempt(k, attempt, submit, &last_end, sum))
            return false;
    }
    return true;
}

/* Drops what can't be replayed and counts what is odd. */
static bool judge(orr_intake *k, const summary *sum)
{
    if (sum->attempts == 0)
        return orr_intake_flaw(k, ORR_FLAW_NO_ATTEMPTS, NULL);
    if (sum->usable == 0)
        return orr_intake_flaw(k, sum->open_end ? ORR_FLAW_NO_END : ORR_FLAW_NO_USABLE, NULL);
    if (sum->gpus < 0)
        return orr_intake_flaw(k, ORR_FLAW_NO_GPUS, NULL);
    if (sum->gpus > ORR_TRACE_GPUS_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, NULL);
    if (sum->open_end)
        orr_intake_flaw(k, ORR_FLAW_OPEN_END, NULL);
    if (sum->usable + sum->open_end < sum->attempts)
        orr_intake_flaw(k, ORR_FLAW_ATTEMPT_TIMES, NULL);
    if (sum->gpus_differ)
        orr_intake_flaw(k, ORR_FLAW_GPUS_DIFFER, NULL);
    if (sum->overlap)
        orr_intake_flaw(k, ORR_FLAW_OVERLAP, NULL);
    if (sum->early)
        orr_intake_flaw(k, ORR_FLAW_EARLY_START, NULL);
    return true;
}

static void element(orr_intake *k, const cJSON *object)
{
    if (!cJSON_IsObject(object)) {
        orr_intake_flaw(k, ORR_FLAW_NOT_A_JOB, NULL);
        return;
    }
    orr_trace_job job = orr_trace_job_default();
    summary sum;
    job.id = text_cell(object, "jobid").at;
    job.user = text_cell(object, "user").at;
    job.vc = text_cell(object, "vc").at;
    if (!orr_take_time(k, text_cell(object, "submitted_time"), ORR_FLAW_NO_SUBMIT, &job.submit) ||
        !sum_up(k, object, job.submit, &sum) || !judge(k, &sum) ||
        !orr_take_state(k, text_cell(object, "status"), &job))
        return;
    job.gpus = (int32_t)sum.gpus;
    job.start = sum.first;
    job.end = sum.open_end ? ORR_TIME_NONE : sum.last;
    job.censored |= sum.open_end;
    for (size_t i = 0; i < k->attempts.n; i++)
        job.duration = orr_time_add(job.duration, k->attempts.at[i]);
    if (orr_intake_attempts(k, NULL, &job))
        orr_intake_keep(k, &job);
}

static uint32_t line_of(const orr_json_cut *cut, const char *text, const char *at)
{
    uint32_t line = cut->element_line;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static orr_err parse(orr_intake *k, const orr_json_cut *cut, const char *text, size_t n)
{
    const char *stopped = NULL;
    orr_intake_row(k, cut->element_line);
    cJSON *object = cJSON_ParseWithLengthOpts(text, n + 1, &stopped, true);
    if (!object) {
        k->line = line_of(cut, text, stopped ? stopped : text);
        const size_t rest = stopped ? strlen(stopped) : n;
        const orr_cell cell = {"element", stopped ? stopped : text, rest < 60 ? rest : 60, 0};
        orr_intake_fail(k, ORR_E_SYNTAX, &cell, "the job that begins in line %u is not valid JSON", cut->element_line);
        return k->failed;
    }
    element(k, object);
    cJSON_Delete(object);
    return k->failed;
}

static orr_err read_elements(orr_intake *k, orr_json_cut *cut)
{
    for (;;) {
        const char *text;
        size_t n;
        orr_err err = orr_json_cut_next(cut, &text, &n, k->e);
        if (err || !text)
            return err;
        err = parse(k, cut, text, n);
        if (err)
            return err;
    }
}

static orr_err read_philly_json(orr_intake *k)
{
    orr_json_cut cut;
    orr_json_cut_init(&cut, k->in);
    k->same_id = ORR_SAME_ID_SUFFIX;
    const orr_err err = read_elements(k, &cut);
    orr_json_cut_fini(&cut);
    k->failed = err;
    return err;
}

static bool is_array(const orr_head *head)
{
    return head->bytes[0] == '[';
}

const orr_format orr_format_philly_json = {
    .name = "philly-json",
    .label = "philly-json",
    .about = "Philly `cluster_job_log`",
    .told = "a JSON array",
    .is = is_array,
    .read = read_philly_json,
};
