/* Two passes: the attempts give each job's last allocation and the number of GPUs a node, the jobs give the rows. GPUs
 * are numbered node by node, by the cluster's GPUs a node where that is a whole number and covers what was used, else
 * by the GPUs seen of each node. */
#define _POSIX_C_SOURCE 200809L
#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "report/out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#define HEADER                                                                                                         \
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"   \
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"               \
    "consumed_energy,metadata\n"

/* Of jobs that ended, in seconds. */
typedef struct sums {
    uint64_t n;
    double sum, max;
} sums;

typedef struct batsim {
    const orr_result *result;
    orr_output *out;
    orr_names *ids, *allocations;
    ORR_VEC(uint32_t) last;  /* allocation of each id */
    ORR_VEC(int32_t) widths; /* GPUs of each node, then the number of its first GPU */
    ORR_VEC(int64_t) room;   /* of one allocation */
    uint64_t jobs, finished, succeeded, killed;
    orr_time makespan;
    sums waiting, turnaround, slowdown;
    orr_error *e;
} batsim;

/* ---- allocations ---- */

static orr_err unreadable(batsim *b, const char *allocation)
{
    orr_error_set(b->e, ORR_E_SYNTAX, "an allocation can't be read");
    orr_error_text(b->e, allocation, strlen(allocation));
    return ORR_E_SYNTAX;
}

static void widen(batsim *b, int32_t node, uint64_t gpus)
{
    while (b->widths.n <= (size_t)node)
        ORR_VEC_PUSH(&b->widths, 0);
    for (int32_t i = b->widths.at[node]; i < 64; i++)
        if (gpus >> i & 1)
            b->widths.at[node] = i + 1;
}

static bool take_hold(void *self, const orr_result_hold *h)
{
    batsim *b = self;
    const uint32_t known = orr_names_count(b->allocations);
    const uint32_t allocation = orr_names_id(b->allocations, h->allocation, strlen(h->allocation));
    const uint32_t id = orr_names_id(b->ids, h->id, strlen(h->id));
    if (id == b->last.n)
        ORR_VEC_PUSH(&b->last, allocation);
    b->last.at[id] = allocation;
    if (allocation < known)
        return true;
    const char *at = h->allocation;
    orr_result_share share;
    while (*at && orr_result_slice(&at, &share))
        widen(b, share.node, share.gpus);
    return !*at || (unreadable(b, h->allocation), false);
}

static double cluster_count(const orr_result *r, const char *name)
{
    const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(orr_result_summary(r), "cluster");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(cluster, name);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static int32_t even_width(const batsim *b)
{
    const double width = cluster_count(b->result, "gpus") / fmax(1, cluster_count(b->result, "nodes"));
    for (size_t i = 0; i < b->widths.n; i++)
        if (b->widths.at[i] > width)
            return 0;
    return width >= 1 && width <= 64 && width == floor(width) ? (int32_t)width : 0;
}

static void number_gpus(batsim *b)
{
    const int32_t even = even_width(b);
    int32_t first = 0;
    for (size_t i = 0; i < b->widths.n; i++) {
        const int32_t width = even ? even : b->widths.at[i];
        b->widths.at[i] = first;
        first += width;
    }
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* "0-3 8" */
static void intervals(batsim *b, const char *allocation, orr_text *out)
{
    orr_result_share share;
    b->room.n = 0;
    while (*allocation && orr_result_slice(&allocation, &share))
        for (int i = 0; i < 64; i++)
            if (share.gpus >> i & 1)
                ORR_VEC_PUSH(&b->room, (int64_t)b->widths.at[share.node] + i);
    if (b->room.n)
        qsort(b->room.at, b->room.n, sizeof *b->room.at, ascending);
    for (size_t i = 0, end; i < b->room.n; i = end) {
        for (end = i + 1; end < b->room.n && b->room.at[end] == b->room.at[end - 1] + 1; end++)
            ;
        orr_text_addf(out, "%s%" PRId64, i ? " " : "", b->room.at[i]);
        if (end > i + 1)
            orr_text_addf(out, "-%" PRId64, b->room.at[end - 1]);
    }
}

/* ---- rows ---- */

static const char *final_state(const char *state)
{
    static const char *const names[][2] = {{"done", "COMPLETED_SUCCESSFULLY"},
                                           {"failed", "COMPLETED_FAILED"},
                                           {"killed", "COMPLETED_KILLED"},
                                           {"rejected", "REJECTED"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(state, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static void put_time(orr_output *out, orr_time t)
{
    char buf[ORR_TIME_BUF] = "";
    if (t != ORR_TIME_NONE)
        orr_time_format(t, buf);
    orr_output_printf(out, ",%s", buf);
}

static void add_to(sums *s, double v)
{
    s->n++;
    s->sum += v;
    s->max = v > s->max ? v : s->max;
}

static void count_ended(batsim *b, const orr_result_job *job, orr_time execution)
{
    b->finished++;
    b->succeeded += strcmp(job->state, "done") == 0;
    b->killed += strcmp(job->state, "done") != 0;
    b->makespan = job->end > b->makespan ? job->end : b->makespan;
    add_to(&b->waiting, orr_time_seconds(job->first_start - job->submit));
    add_to(&b->turnaround, orr_time_seconds(job->end - job->submit));
    if (execution > 0)
        add_to(&b->slowdown, (double)(job->end - job->submit) / (double)execution);
}

static void put_ran(batsim *b, const orr_result_job *job)
{
    const orr_time execution = job->end - job->first_start;
    char stretch[ORR_DOUBLE_BUF] = "";
    count_ended(b, job, execution);
    put_time(b->out, job->first_start);
    put_time(b->out, execution);
    put_time(b->out, job->end);
    put_time(b->out, job->first_start - job->submit);
    put_time(b->out, job->end - job->submit);
    if (execution > 0)
        orr_format_double((double)(job->end - job->submit) / (double)execution, stretch);
    orr_output_printf(b->out, ",%s", stretch);
}

static void put_allocation(batsim *b, const orr_result_job *job)
{
    const int64_t id = orr_names_find(b->ids, job->id, strlen(job->id));
    orr_text t = {0};
    if (id >= 0)
        intervals(b, orr_names_text(b->allocations, b->last.at[id]), &t);
    orr_output_printf(b->out, ",%s", t.at ? t.at : "");
    orr_text_fini(&t);
}

static void put_metadata(batsim *b, const orr_result_job *job)
{
    char held[ORR_TIME_BUF] = "0";
    orr_text t = {0};
    if (job->held != ORR_TIME_NONE)
        orr_time_format(job->held, held);
    orr_text_addf(&t, "held=%s starts=%" PRId64 " preemptions=%" PRId64 " migrations=%" PRId64, held, job->starts,
                  job->preemptions, job->migrations);
    if (*job->user)
        orr_text_addf(&t, " user=%s", job->user);
    if (*job->reason)
        orr_text_addf(&t, " reason=%s", job->reason);
    orr_output_text(b->out, ",,");
    orr_output_csv(b->out, t.at);
    orr_output_text(b->out, "\n");
    orr_text_fini(&t);
}

static bool put_job(void *self, const orr_result_job *job)
{
    batsim *b = self;
    const char *state = final_state(job->state);
    const bool ran = job->first_start != ORR_TIME_NONE && job->end != ORR_TIME_NONE;
    b->jobs++;
    if (!state)
        return true;
    orr_output_csv(b->out, job->id);
    orr_output_text(b->out, ",w0");
    put_time(b->out, job->duration); /* the profile: a delay of so many seconds */
    put_time(b->out, job->submit);
    orr_output_printf(b->out, ",%d,,%d,%s", job->gpus, strcmp(job->state, "done") == 0, state);
    if (ran)
        put_ran(b, job);
    else
        orr_output_text(b->out, ",,,,,,");
    put_allocation(b, job);
    put_metadata(b, job);
    return true;
}

/* ---- the files ---- */

static orr_output *create(const char *dir, const char *file, orr_error *e)
{
    orr_text path = {0};
    orr_text_addf(&path, "%s/batsim", dir);
    orr_output *out = NULL;
    if (mkdir(path.at, 0777) != 0 && errno != EEXIST) {
        orr_error_set(e, ORR_E_CREATE, "the folder can't be made: %s", strerror(errno));
        orr_error_at(e, path.at, 0, 0);
    } else {
        orr_text_addf(&path, "/%s", file);
        out = orr_output_create(path.at, e);
    }
    orr_text_fini(&path);
    return out;
}

static orr_err write_jobs(batsim *b, const char *dir)
{
    b->out = create(dir, "jobs.csv", b->e);
    if (!b->out)
        return ORR_E_CREATE;
    orr_output_text(b->out, HEADER);
    const orr_err err = orr_result_jobs(b->result, put_job, b, b->e);
    if (!err)
        return orr_output_commit(b->out, b->e);
    orr_output_abandon(b->out);
    return err;
}

static void put_mean(orr_output *out, const sums *s)
{
    char buf[ORR_DOUBLE_BUF] = "";
    if (s->n)
        orr_format_double(s->sum / (double)s->n, buf);
    orr_output_printf(out, ",%s", buf);
}

static void put_max(orr_output *out, const sums *s)
{
    char buf[ORR_DOUBLE_BUF] = "";
    if (s->n)
        orr_format_double(s->max, buf);
    orr_output_printf(out, ",%s", buf);
}

/* Means are over the jobs that ended. */
static orr_err write_schedule(const batsim *b, const char *dir)
{
    orr_output *out = create(dir, "schedule.csv", b->e);
    if (!out)
        return ORR_E_CREATE;
    char makespan[ORR_TIME_BUF], rate[ORR_DOUBLE_BUF] = "";
    orr_time_format(b->makespan, makespan);
    if (b->jobs)
        orr_format_double((double)b->succeeded / (double)b->jobs, rate);
    orr_output_text(out,
                    "makespan,max_slowdown,max_turnaround_time,max_waiting_time,mean_slowdown,mean_turnaround_time,"
                    "mean_waiting_time,nb_computing_machines,nb_jobs,nb_jobs_finished,nb_jobs_killed,"
                    "nb_jobs_success,success_rate\n");
    orr_output_text(out, makespan);
    put_max(out, &b->slowdown);
    put_max(out, &b->turnaround);
    put_max(out, &b->waiting);
    put_mean(out, &b->slowdown);
    put_mean(out, &b->turnaround);
    put_mean(out, &b->waiting);
    orr_output_printf(out, ",%.0f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s\n",
                      cluster_count(b->result, "gpus"), b->jobs, b->finished, b->killed, b->succeeded, rate);
    return orr_output_commit(out, b->e);
}

orr_err orr_out_batsim(const orr_result *r, const char *dir, orr_error *e)
{
    orr_error own = {0};
    batsim b = {.result = r, .ids = orr_names_create(), .allocations = orr_names_create(), .e = &own};
    orr_err err = orr_result_holds(r, take_hold, &b, &own);
    err = err ? err : own.code;
    if (!err) {
        number_gpus(&b);
        err = write_jobs(&b, dir);
    }
    if (!err)
        err = write_schedule(&b, dir);
    if (err && e && !e->code)
        *e = own;
    orr_names_destroy(b.ids);
    orr_names_destroy(b.allocations);
    ORR_VEC_FREE(&b.last);
    ORR_VEC_FREE(&b.widths);
    ORR_VEC_FREE(&b.room);
    return err;
}
