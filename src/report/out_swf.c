/* The Standard Workload Format, version 2.2: 18 whole numbers a job, -1 where nothing is known. Times are rounded to
 * whole seconds one by one and then subtracted, so that submission + wait + run time is the rounded end. Ids, users
 * and VCs that are no numbers are counted from 1 in the order of the jobs. A job that never held GPUs has neither wait
 * nor run time. */
#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/out.h"

#include <inttypes.h>
#include <math.h>

typedef struct swf {
    orr_output *out;
    uint64_t row;
    bool ids_are_numbers;
    orr_names *users, *vcs;
} swf;

/* As the format's other readers would print it again. */
static bool is_number(const char *text, int64_t *value)
{
    return orr_parse_i64(text, strlen(text), value) && *value >= 0 && *text != '+' && (*text != '0' || !text[1]);
}

static bool look_at_id(void *self, const orr_result_job *job)
{
    swf *s = self;
    int64_t number;
    s->ids_are_numbers &= is_number(job->id, &number);
    return s->ids_are_numbers;
}

static int64_t whole(orr_time t)
{
    const orr_time half = ORR_SECOND / 2;
    return t >= 0 ? (t + half) / ORR_SECOND : -((-t + half) / ORR_SECOND);
}

static int64_t number_of(orr_names *names, const char *text)
{
    return *text ? (int64_t)orr_names_id(names, text, strlen(text)) + 1 : -1;
}

/* 1 completed, 0 failed, 5 cancelled; what hasn't ended has no status. A job that was killed before it ran for half a
 * second is failed, since the format would say that it never ran. */
static int status_of(const char *state, int64_t run)
{
    if (strcmp(state, "done") == 0)
        return 1;
    if (strcmp(state, "failed") == 0)
        return 0;
    if (strcmp(state, "killed") == 0)
        return run == 0 ? 0 : 5;
    return strcmp(state, "rejected") == 0 ? 5 : -1;
}

/* GPUs held on average, which is what was asked unless the job is elastic; of a part of a GPU one, since the format
 * counts whole ones. */
static int64_t allocated(const orr_result_job *job)
{
    const double held = orr_time_seconds(job->held);
    const int64_t mean = job->held > 0 && !isnan(job->service) ? llround(job->service / held) : job->gpus;
    return mean == 0 && job->gpus > 0 ? 1 : mean;
}

static bool put_job(void *self, const orr_result_job *job)
{
    swf *s = self;
    int64_t id = (int64_t)++s->row, wait = -1, run = -1;
    const int64_t submit = whole(job->submit);
    const bool started = job->first_start != ORR_TIME_NONE;
    if (started && job->end != ORR_TIME_NONE) {
        run = whole(job->held);
        wait = whole(job->end) - submit - run;
        run += wait < 0 ? wait : 0; /* of rounding */
        wait = wait < 0 ? 0 : wait;
    } else if (started) {
        run = whole(job->held);
        wait = whole(job->first_start) - submit;
    }
    if (s->ids_are_numbers)
        is_number(job->id, &id);
    orr_output_printf(s->out,
                      "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " -1 -1 %d -1 -1 %d %" PRId64
                      " -1 -1 %" PRId64 " -1 -1 -1\n",
                      id, submit, wait, run, started ? allocated(job) : -1, job->gpus, status_of(job->state, run),
                      number_of(s->users, job->user), number_of(s->vcs, job->vc));
    return true;
}

static void put_line(swf *s, const char *name, const char *value)
{
    orr_output_printf(s->out, "; %s: ", name);
    for (; *value; value++)
        orr_output_write(s->out, (unsigned char)*value < 0x20 ? " " : value, 1);
    orr_output_text(s->out, "\n");
}

static void put_count(swf *s, const orr_result *r, const char *name, const char *object, const char *member)
{
    const cJSON *parent = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), object);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(parent, member);
    if (cJSON_IsNumber(item))
        orr_output_printf(s->out, "; %s: %.0f\n", name, item->valuedouble);
}

static void put_head(swf *s, const orr_result *r)
{
    put_line(s, "Version", "2.2");
    put_line(s, "Computer", orr_result_text(r, "cluster.name"));
    put_count(s, r, "MaxJobs", "trace", "jobs");
    put_count(s, r, "MaxRecords", "trace", "jobs");
    put_count(s, r, "MaxNodes", "cluster", "nodes");
    put_count(s, r, "MaxProcs", "cluster", "gpus");
    put_line(s, "Note", "a schedule made by orrery; processors are GPUs");
    put_line(s, "Note", "wait is all time without GPUs, run time all time with them");
    put_line(s, "Policy", orr_result_text(r, "policy.resolved"));
    put_line(s, "Trace", orr_result_text(r, "trace.name"));
    if (*orr_result_text(r, "trace.origin"))
        put_line(s, "StartTime", orr_result_text(r, "trace.origin"));
}

static orr_err put_all(swf *s, const orr_result *r, orr_error *e)
{
    orr_err err = orr_result_jobs(r, look_at_id, s, e);
    put_head(s, r);
    return err ? err : orr_result_jobs(r, put_job, s, e);
}

orr_err orr_out_swf(const orr_result *r, const char *dir, orr_error *e)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/schedule.swf", dir);
    swf s = {.out = orr_output_create(path.at, e), .ids_are_numbers = true};
    s.users = orr_names_create();
    s.vcs = orr_names_create();
    orr_err err = s.out ? put_all(&s, r, e) : ORR_E_CREATE;
    if (s.out && !err)
        err = orr_output_commit(s.out, e);
    else
        orr_output_abandon(s.out);
    orr_names_destroy(s.users);
    orr_names_destroy(s.vcs);
    orr_text_fini(&path);
    return err;
}
