/* Alibaba's PAI tables: a folder of small tables a case, the jobs worked out by hand. */
#define _POSIX_C_SOURCE 200809L
#include "reading.h"
#include "trace/pai_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const orr_trace_options all = {.keep_cpu_jobs = true};

/* ---- a folder of tables ---- */

typedef struct folder {
    char path[64];
    const char *ending;
} folder;

static folder make_folder(const char *ending)
{
    folder f = {"/tmp/orrery-pai-XXXXXX", ending};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static void name_of(const folder *f, orr_pai_kind kind, char out[160])
{
    snprintf(out, 160, "%s/%s%s", f->path, orr_pai_tables[kind].name, f->ending);
}

static void put(const folder *f, orr_pai_kind kind, const char *text)
{
    char path[160];
    name_of(f, kind, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_folder(const folder *f)
{
    for (int kind = 0; kind < ORR_PAI_KINDS; kind++) {
        char path[160];
        name_of(f, (orr_pai_kind)kind, path);
        remove(path);
    }
    assert_int_equal(rmdir(f->path), 0);
}

static orr_trace *read_folder(const folder *f, orr_pai_kind own, const orr_trace_options *options, orr_error *e)
{
    char path[160];
    name_of(f, own, path);
    *e = (orr_error){0};
    return orr_trace_read(path, options, e);
}

static uint64_t dropped(const orr_trace *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->notes.n; i++)
        sum += t->notes.at[i].kind == ORR_NOTE_DROP ? t->notes.at[i].count : 0;
    return sum;
}

static orr_trace *read_well(const folder *f, orr_pai_kind own, const orr_trace_options *options)
{
    orr_error e;
    orr_trace *t = read_folder(f, own, options, &e);
    if (!t)
        fail_msg("%s\n%s", e.message, e.hint);
    assert_int_equal(orr_trace_rows_read(t), orr_trace_count(t) + dropped(t));
    return t;
}

/* How often a reason was noted, in all files. */
static uint64_t in_all(const orr_trace *t, const char *reason)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->notes.n; i++)
        sum += strcmp(t->notes.at[i].reason, reason) == 0 ? t->notes.at[i].count : 0;
    return sum;
}

static const orr_trace_job *job_of(const orr_trace *t, const char *id)
{
    for (size_t i = 0; i < orr_trace_count(t); i++)
        if (strcmp(orr_trace_jobs(t)[i].id, id) == 0)
            return &orr_trace_jobs(t)[i];
    fail_msg("no job %s", id);
    return NULL;
}

/* ---- one table alone ---- */

#define A "aaaaaaaaaaaa"
#define B "bbbbbbbbbbbb"
#define C "cccccccccccc"

/* Half a GPU, 6 cores, 30,000 MiB; the launch stands for the submission. */
static void a_task_table_alone(void **state)
{
    (void)state;
    orr_trace *t = reading_well(A ",tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,29.296875,50.0,MISC\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "pai");
    assert_string_equal(job->id, A);
    assert_int_equal(job->gpus, 1);
    assert_int_equal(job->gpu_milli, 500);
    assert_int_equal(job->cpu_milli, 6000);
    assert_int_equal(job->mem_bytes, INT64_C(30000) << 20);
    assert_string_equal(job->gpu_type, ""); /* MISC is any */
    assert_int_equal(job->submit, 1739162 * ORR_SECOND);
    assert_int_equal(job->start, 1739162 * ORR_SECOND);
    assert_int_equal(job->end, 1739200 * ORR_SECOND);
    assert_int_equal(job->duration, 38 * ORR_SECOND);
    assert_int_equal(job->line, 1);
    assert_int_equal(noted(t, "submit-is-launch"), 1);
    orr_trace_destroy(t);
}

/* Read as Unix time in UTC+8 the hours are right: second 0 is eight in the morning of a Thursday. */
static void the_clock_is_shifted(void **state)
{
    (void)state;
    const char *text = A ",worker,1,Terminated,3600,3700,100,1,100,T4\n";
    orr_trace *t = reading_well(text, NULL);
    assert_string_equal(orr_trace_origin(t), "1970-01-01 08:00:00+08:00");
    assert_int_equal(noted(t, "shifted-clock"), 1);
    orr_trace_destroy(t);
    const orr_trace_options told = {.epoch = "2020-07-01 08:00:00+08:00"};
    t = reading_well(text, &told);
    assert_string_equal(orr_trace_origin(t), "2020-07-01 08:00:00+08:00");
    assert_int_equal(noted(t, "shifted-clock"), 0);
    orr_trace_destroy(t);
}

static void a_header_may_stand_in_front(void **state)
{
    (void)state;
    orr_trace *t = reading_well("task_name,job_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,"
                                "gpu_type\nworker,anything,2,Terminated,10,20,100,1,100,T4\n", NULL);
    assert_string_equal(orr_trace_jobs(t)->id, "anything");
    assert_int_equal(orr_trace_jobs(t)->gpus, 2);
    assert_int_equal(orr_trace_jobs(t)->line, 2);
    assert_int_equal(orr_trace_rows_read(t), 1);
    orr_trace_destroy(t);
}

/* What tasks of one job make: start, end, instances, percent of a core, GB, percent of a GPU, type. */
static void gangs(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int32_t gpus, milli, cpu_milli;
        int64_t gib, seconds;
        const char *type, *reason;
    } rows[] = {
        {"ps join with cores and memory",
         A ",ps,2,Terminated,10,50,600,4,,\n" A ",worker,4,Terminated,12,40,400,8,100,V100\n", 4, 1000, 28000, 40, 40,
         "V100", NULL},
        {"equal shares", A ",worker,4,Terminated,10,30,400,1,25,T4\n" A ",evaluator,1,Terminated,15,20,100,1,25,T4\n",
         5, 250, 17000, 5, 20, "T4", "fractional-gpu"},
        {"different shares: the largest",
         A ",worker,2,Terminated,10,30,100,1,50,T4\n" A ",evaluator,3,Terminated,10,30,100,1,25,T4\n", 5, 500, 5000, 5, 20,
         "T4", "gpu-shares"},
        {"a share beside whole ones", A ",w,2,Terminated,10,30,100,1,200,T4\n" A ",e,3,Terminated,10,30,100,1,25,T4\n",
         7, 1000, 5000, 5, 20, "T4", "gpu-shares"},
        {"one and a half GPUs", A ",w,2,Terminated,10,30,100,1,150,T4\n", 4, 1000, 2000, 2, 20, "T4", "gpu-shares"},
        {"eight GPUs each", A ",w,2,Terminated,10,30,100,1,800,P100\n", 16, 1000, 2000, 2, 20, "P100", NULL},
        {"a sliver", A ",w,1,Terminated,10,30,0.5,1,0.01,T4\n", 1, 1, 5, 1, 20, "T4", "fractional-gpu"},
        {"types differ: the first with GPUs",
         A ",ps,1,Terminated,10,30,100,1,0,CPU\n" A ",w,1,Terminated,10,30,100,1,100,T4\n"
         A ",e,1,Terminated,10,30,100,1,100,P100\n", 2, 1000, 3000, 3, 20, "T4", "gpu-types-differ"},
        {"chained overlaps are one gang",
         A ",a,1,Terminated,10,20,0,0,100,T4\n" A ",b,1,Terminated,15,30,0,0,100,T4\n"
         A ",c,1,Terminated,25,40,0,0,100,T4\n", 3, 1000, 0, 0, 30, "T4", NULL},
        {"launched at once, one over at once",
         A ",a,1,Terminated,10,10,0,0,100,T4\n" A ",b,1,Terminated,10,40,0,0,100,T4\n", 2, 1000, 0, 0, 30, "T4", NULL},
        {"one never started", A ",a,1,Terminated,10,30,0,0,100,T4\n" A ",b,8,Waiting,,,0,0,100,T4\n", 1, 1000, 0, 0, 20,
         "T4", "task-without-start"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_trace *t = reading_well(rows[i].text, NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        if (orr_trace_count(t) != 1 || job->gpus != rows[i].gpus || job->gpu_milli != rows[i].milli ||
            job->cpu_milli != rows[i].cpu_milli || job->mem_bytes != rows[i].gib << 30 || strcmp(job->gpu_type, rows[i].type) ||
            job->duration != rows[i].seconds * ORR_SECOND || job->after_count)
            fail_msg("%s: %d GPUs of %d, %d/1000 cores", rows[i].name, job->gpus, job->gpu_milli, (int)job->cpu_milli);
        if (rows[i].reason && noted(t, rows[i].reason) != 1)
            fail_msg("%s: no %s", rows[i].name, rows[i].reason);
        orr_trace_destroy(t);
    }
}

/*  0    10        30   35        60  60    70
 *       [ prepare )     [ worker )   [ export )     the evaluator runs inside the worker's time
 *                          [ev)                      */
static void later_tasks_are_stages(void **state)
{
    (void)state;
    orr_trace *t = reading_well(A ",export,1,Failed,60,70,0,0,100,T4\n"
                                A ",prepare,1,Terminated,10,30,0,0,100,T4\n"
                                A ",evaluator,1,Terminated,40,50,0,0,0,\n"
                                A ",worker,2,Terminated,35,60,0,0,100,T4\n", NULL);
    assert_int_equal(orr_trace_count(t), 3);
    const orr_trace_job *first = job_of(t, A), *second = job_of(t, A "/worker"), *third = job_of(t, A "/export");
    assert_int_equal(first->submit, 10 * ORR_SECOND);
    assert_int_equal(first->after_count, 0);
    assert_int_equal(first->ending, ORR_ENDING_DONE);
    assert_int_equal(second->after_count, 1);
    assert_string_equal(second->after[0].id, A);
    assert_int_equal(second->think, 5 * ORR_SECOND);
    assert_int_equal(second->submit, 35 * ORR_SECOND);
    assert_int_equal(second->duration, 25 * ORR_SECOND);
    assert_int_equal(second->gpus, 2);
    assert_int_equal(second->ending, ORR_ENDING_DONE);
    assert_string_equal(third->after[0].id, A "/worker");
    assert_ptr_equal(&orr_trace_jobs(t)[third->after[0].job], second);
    assert_int_equal(third->think, 0);
    assert_int_equal(third->ending, ORR_ENDING_FAILED);
    assert_int_equal(orr_trace_rows_read(t), 3);
    orr_trace_destroy(t);
}

/* The stage before is a CPU job, left out: its successor is not waited for, and that is told. */
static void a_stage_whose_predecessor_is_left_out(void **state)
{
    (void)state;
    const char *text = A ",prepare,1,Terminated,10,30,100,0,,\n" A ",worker,2,Terminated,35,60,0,0,100,T4\n";
    orr_trace *t = reading_well(text, NULL);
    assert_int_equal(orr_trace_count(t), 1);
    assert_string_equal(orr_trace_jobs(t)->id, A "/worker");
    assert_int_equal(orr_trace_jobs(t)->after_count, 0);
    assert_int_equal(noted(t, "cpu-only"), 1);
    assert_int_equal(noted(t, "unknown-predecessor"), 1);
    orr_trace_destroy(t);
    t = reading_well(text, &all);
    assert_int_equal(orr_trace_jobs(t)[1].after_count, 1);
    orr_trace_destroy(t);
}

/* A second job so that something is left. */
#define REST B ",w,1,Terminated,90,99,0,0,100,T4\n"

static void rows_that_are_odd(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
        size_t kept;
        bool censored;
    } rows[] = {
        {A ",w,1,Running,10,,0,0,100,T4\n", "no-end", 0, false},
        {A ",w,1,Running,10,20,0,0,100,T4\n", "still-running", 1, true},
        {A ",w,1,Terminated,10,20,0,0,100,T4\n" A ",ps,1,Running,10,,100,0,,\n", "open-end", 1, true},
        {A ",w,1,Failed,10,,0,0,100,T4\n", "no-end", 0, false},
        {A ",w,1,Waiting,,,0,0,100,T4\n", "no-submit", 0, false}, /* and no job table that has one */
        {A ",w,1,Terminated,,,0,0,100,T4\n", "no-duration", 0, false},
        {A ",w,1,Terminated,20,10,0,0,100,T4\n", "end-before-start", 0, false},
        {A ",w,,Terminated,10,20,0,0,100,T4\n", "bad-number", 0, false},
        {A ",w,-1,Terminated,10,20,0,0,100,T4\n", "bad-number", 0, false},
        {A ",w,1,Terminated,10,20,0,0,-50,T4\n", "bad-number", 0, false},
        {A ",w,1,Terminated,10,20,x,0,100,T4\n", "bad-number", 0, false},
        {A ",w,1,Terminated,10,soon,0,0,100,T4\n", "bad-time", 0, false},
        {A ",w,2000000,Terminated,10,20,0,0,100,T4\n", "too-many-gpus", 0, false},
        {A ",w,1000000,Terminated,10,20,0,0,200,T4\n", "too-many-gpus", 0, false},
        {A ",w,1000000,Terminated,10,20,0,9000000000,100,T4\n", "bad-number", 0, false},
        {A ",w,1,Terminated,10,20,0,0,,\n", "cpu-only", 0, false},
        {A ",,1,Terminated,10,20,0,0,100,T4\n", "no-id", 0, false},
        {",w,1,Terminated,10,20,0,0,100,T4\n", "no-id", 0, false},
        {A ",w,1,Terminated,10,20,0,0,100\n", "ragged-row", 0, false},
        {A ",w,1,Melted,10,20,0,0,100,T4\n", "unknown-state", 1, false},
        {A ",w,1,Terminated,10,20,0,0,100,T4\n" A ",w,1,Terminated,10,20,0,0,100,T4\n", "repeated-row", 1, false},
    };
    const orr_trace_options named = {.format = "pai"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, REST "%s", rows[i].text);
        orr_trace *t = reading_well(text.at, &named);
        if (noted(t, rows[i].reason) != 1 || orr_trace_count(t) != rows[i].kept + 1 ||
            (rows[i].kept && orr_trace_jobs(t)->censored != rows[i].censored))
            fail_msg("%s", rows[i].text);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

/* ---- joined ---- */

static void every_table_has_its_say(void **state)
{
    (void)state;
    const folder f = make_folder(".csv");
    put(&f, ORR_PAI_JOB, A ",aaaa0001,0a0a0a01,Terminated,5.0,60.0\n" B ",bbbb0001,0a0a0a02,Failed,100.0,190.0\n");
    put(&f, ORR_PAI_TASK, A ",ps,1,Terminated,10.0,50.0,600.0,2,,\n"
                          A ",worker,2,Terminated,12.0,60.0,400.0,2,100.0,V100\n"
                          B ",worker,1,Terminated,120.0,190.0,100.0,2,50.0,T4\n");
    put(&f, ORR_PAI_INSTANCE, A ",worker,11111111,22222222,aaaa0001,Terminated,12.0,60.0,abcdef01\n"
                              A ",worker,11111112,22222223,aaaa0001,Terminated,12.0,58.0,abcdef02\n"
                              A ",ps,11111113,22222224,aaaa0001,Terminated,12.0,58.0,abcdef03\n");
    put(&f, ORR_PAI_MACHINE, "abcdef01,V100,96,512,8\nabcdef02,V100M32,96,512,8\nabcdef03,CPU,96,512,0\n");
    put(&f, ORR_PAI_GROUP, "aaaa0001,0a0a0a01,V100M32,feedbeef01,nmt\n");
    for (int own = 0; own < ORR_PAI_JOINED; own++) {
        orr_trace *t = read_well(&f, (orr_pai_kind)own, NULL);
        const orr_trace_job *a = job_of(t, A), *b = job_of(t, B);
        assert_int_equal(orr_trace_rows_read(t), 2);
        assert_int_equal(a->submit, 5 * ORR_SECOND);
        assert_int_equal(a->start, 10 * ORR_SECOND); /* when its first task was launched */
        assert_int_equal(a->duration, 50 * ORR_SECOND);
        assert_string_equal(a->user, "0a0a0a01");
        assert_string_equal(a->name, "feedbeef01");
        assert_string_equal(a->gpu_type, "V100M32"); /* asked for, not got */
        assert_int_equal(a->gpus, 2);
        assert_int_equal(a->cpu_milli, 14000);
        assert_string_equal(orr_trace_attribute(t, a, "workload"), "nmt");
        assert_string_equal(orr_trace_attribute(t, a, "ran_on"), "V100|V100M32|CPU");
        assert_int_equal(b->submit, 100 * ORR_SECOND);
        assert_int_equal(b->ending, ORR_ENDING_FAILED); /* by its job, not its task */
        assert_string_equal(b->gpu_type, "T4");
        assert_string_equal(b->name, "");
        assert_string_equal(orr_trace_attribute(t, b, "ran_on"), "");
        assert_int_equal(in_all(t, "submit-is-launch"), 0);
        assert_int_equal(in_all(t, "orphan-row"), 0);
        const orr_trace_input *inputs;
        assert_int_equal(orr_trace_inputs(t, &inputs), 5);
        assert_string_equal(inputs[0].path, orr_trace_name(t));
        assert_int_equal(a->line, own == ORR_PAI_JOB || own == ORR_PAI_TASK ? (own == ORR_PAI_JOB ? 1 : 2) : 0);
        orr_trace_destroy(t);
    }
    remove_folder(&f);
}

/* Two of six rows without a job's name, as 1.31 % of the published instances are. */
static void rows_without_ids_are_counted(void **state)
{
    (void)state;
    orr_error e;
    const folder f = make_folder(".csv");
    put(&f, ORR_PAI_TASK, A ",w,1,Terminated,10,20,0,0,100,T4\n,w,1,Terminated,11,20,0,0,100,T4\n"
                          B ",w,1,Terminated,12,20,0,0,100,T4\n" C ",w,1,Terminated,13,20,0,0,100,T4\n"
                          ",w,1,Terminated,14,20,0,0,100,T4\ndddddddddddd,w,1,Terminated,15,20,0,0,100,T4\n");
    put(&f, ORR_PAI_INSTANCE, ",,11111111,22222222,,Terminated,12.0,60.0,abcdef01\n"
                              A ",w,11111111,22222222,aaaa0001,Terminated,12.0,60.0,abcdef01\n");
    orr_trace *t = read_well(&f, ORR_PAI_TASK, NULL);
    assert_int_equal(orr_trace_count(t), 4);
    assert_int_equal(noted(t, "no-id"), 2); /* of the first file noted: the trace's own */
    assert_int_equal(in_all(t, "no-id"), 3);
    assert_int_equal(orr_trace_rows_read(t), 7);
    assert_int_equal(t->notes.at[0].first_lines[1], 5);
    orr_trace_destroy(t);
    const orr_trace_options strict = {.strict = true};
    assert_null(read_folder(&f, ORR_PAI_TASK, &strict, &e));
    assert_int_equal(e.code, ORR_E_BAD_JOB);
    assert_int_equal(e.line, 2);
    remove_folder(&f);
}

/* Times that a task lacks: of its instances, else the end of its job. */
static void times_that_stand_elsewhere(void **state)
{
    (void)state;
    const folder f = make_folder(".csv");
    put(&f, ORR_PAI_JOB, A ",,deadbeef,Terminated,5,90\n" B ",,deadbeef,Terminated,5,90\n" C ",,deadbeef,Running,5,\n");
    put(&f, ORR_PAI_TASK, A ",w,2,Terminated,,,0,0,100,T4\n" B ",w,1,Terminated,10,,0,0,100,T4\n"
                          C ",w,2,Running,10,,0,0,100,T4\n");
    put(&f, ORR_PAI_INSTANCE, A ",w,11111111,22222222,,Terminated,15,40,\n"
                              A ",w,11111112,22222223,,Terminated,12,35,\n"
                              C ",w,11111113,22222224,,Terminated,10,40,\n" C ",w,11111113,22222224,,Running,10,,\n"
                              "dddddddddddd,w,11111113,22222224,,Running,10,,\n");
    orr_trace *t = read_well(&f, ORR_PAI_TASK, NULL);
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(job_of(t, A)->start, 12 * ORR_SECOND);
    assert_int_equal(job_of(t, A)->duration, 28 * ORR_SECOND);
    assert_int_equal(job_of(t, B)->duration, 80 * ORR_SECOND);
    assert_int_equal(in_all(t, "times-of-instances"), 1);
    assert_int_equal(in_all(t, "end-of-job"), 1);
    assert_int_equal(in_all(t, "no-end"), 1); /* one of C's instances still runs, so its end is not known */
    assert_int_equal(in_all(t, "orphan-row"), 1);
    orr_trace_destroy(t);
    remove_folder(&f);
}

static void jobs_that_never_ran_or_are_not_known(void **state)
{
    (void)state;
    const folder f = make_folder(".csv");
    put(&f, ORR_PAI_JOB, A ",,deadbeef,Waiting,50,\n" B ",,deadbeef,Failed,60,70\n" C ",,deadbeef,Terminated,,9\n"
                         "dddddddddddd,,deadbeef,Terminated,1,9\neeeeeeeeeeee,,deadbeef,Terminated,1,9\n"
                         ",,deadbeef,Terminated,1,9\n"
                         A ",,deadbeef,Terminated,1,9\nffffffffffff,,deadbeef,Terminated,5,9\n");
    put(&f, ORR_PAI_TASK, A ",w,2,Waiting,,,100,0,100,T4\n" B ",w,1,Failed,,,0,0,100,T4\n"
                          C ",w,1,Terminated,2,9,0,0,100,T4\ndddddddddddd,w,1,Terminated,2,9,0,0,100,T4\n"
                          "ffffffffffff,w,1,Terminated,4,9,0,0,100,T4\n");
    orr_trace *t = read_well(&f, ORR_PAI_JOB, NULL);
    const orr_trace_job *gone;
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 2);
    assert_string_equal(gone[0].id, A);
    assert_int_equal(gone[0].gpus, 2);
    assert_int_equal(gone[0].cpu_milli, 2000);
    assert_int_equal(gone[0].submit, 50 * ORR_SECOND);
    assert_int_equal(gone[0].end, ORR_TIME_NONE);
    assert_int_equal(gone[1].end, 70 * ORR_SECOND);
    assert_int_equal(noted(t, "never-ran"), 2);
    assert_int_equal(noted(t, "no-submit"), 1);    /* C */
    assert_int_equal(noted(t, "no-task"), 1);      /* e… */
    assert_int_equal(noted(t, "no-id"), 1);
    assert_int_equal(noted(t, "repeated-row"), 1);
    assert_int_equal(noted(t, "start-before-submit"), 1); /* f… */
    assert_int_equal(orr_trace_rows_read(t), 8);
    orr_trace_destroy(t);
    remove_folder(&f);
}

static void endings_of_files(void **state)
{
    (void)state;
    static const char *const endings[] = {".csv", ".example.csv", "", ".csv.gz"}; /* by content, not by name */
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const folder f = make_folder(endings[i]);
        put(&f, ORR_PAI_JOB, A ",aaaa0001,0a0a0a01,Terminated,5.0,60.0\n");
        put(&f, ORR_PAI_TASK, A ",w,1,Terminated,10,20,0,0,100,T4\n");
        orr_trace *t = read_well(&f, ORR_PAI_JOB, NULL);
        assert_int_equal(orr_trace_jobs(t)->submit, 5 * ORR_SECOND);
        orr_trace_destroy(t);
        remove_folder(&f);
    }
}

/* One table packed, the other not. */
static void siblings_may_be_packed_otherwise(void **state)
{
    (void)state;
    folder f = make_folder(".csv"), packed = f;
    packed.ending = ".csv.gz";
    put(&f, ORR_PAI_TASK, A ",w,1,Terminated,10,20,0,0,100,T4\n");
    put(&packed, ORR_PAI_JOB, A ",aaaa0001,0a0a0a01,Terminated,5.0,60.0\n");
    orr_trace *t = read_well(&f, ORR_PAI_TASK, NULL);
    assert_string_equal(orr_trace_jobs(t)->user, "0a0a0a01");
    orr_trace_destroy(t);
    t = read_well(&packed, ORR_PAI_JOB, NULL);
    assert_int_equal(orr_trace_jobs(t)->gpus, 1);
    orr_trace_destroy(t);
    char path[160];
    name_of(&packed, ORR_PAI_JOB, path);
    remove(path);
    remove_folder(&f);
}

static void refused(void **state)
{
    (void)state;
    orr_error e;
    const folder f = make_folder(".csv");
    put(&f, ORR_PAI_JOB, A ",aaaa0001,0a0a0a01,Terminated,5.0,60.0\n");
    assert_null(read_folder(&f, ORR_PAI_JOB, NULL, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_non_null(strstr(e.message, "pai_task_table.csv"));
    put(&f, ORR_PAI_TASK, "");
    assert_null(read_folder(&f, ORR_PAI_JOB, NULL, &e));
    assert_int_equal(e.code, ORR_E_EMPTY);
    assert_non_null(strstr(e.file, "pai_task_table.csv"));
    remove_folder(&f);
    assert_null(reading(A ",aaaa0001,0a0a0a01,Terminated,5.0,60.0\n", NULL, &e)); /* t.csv has no siblings */
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_null(reading(A ",worker,bbbbbbbb,cccccccc,dddddddd,/dev/nvidia0,1,2,3,4,5,6,7,8,9,10\n", NULL, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
    assert_non_null(strstr(e.message, "pai_sensor_table"));
    const orr_trace_options named = {.format = "pai"};
    assert_null(reading("1,2,3\n", &named, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
}

static void what_is_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        orr_pai_kind sure, loose;
    } rows[] = {
        {A ",aaaa0001,bbbb0001,Terminated,5.0,60.0", ORR_PAI_JOB, ORR_PAI_JOB},
        {",,,Waiting,,", ORR_PAI_JOB, ORR_PAI_JOB},
        {"a,b,c,done,5.0,60.0", ORR_PAI_NONE, ORR_PAI_JOB},
        {A ",w,1,Failed,,,,,,", ORR_PAI_TASK, ORR_PAI_TASK},
        {A ",w,1,Failed,,,x,,,", ORR_PAI_NONE, ORR_PAI_TASK},
        {"82e5af3cd5c4af3f56c62c54,T4,96,512,2", ORR_PAI_MACHINE, ORR_PAI_MACHINE},
        {"f7f6218cb5cb82e0,d2d3b77d342e,V100M32,fbeb14d671c629b6,nmt", ORR_PAI_GROUP, ORR_PAI_GROUP},
        {"f7f6218cb5cb82e0,d2d3b77d342e,,,", ORR_PAI_GROUP, ORR_PAI_GROUP},
        {"0,vgg16,1.5,100,2", ORR_PAI_NONE, ORR_PAI_GROUP},
        {"1,2,3,4,5,6", ORR_PAI_NONE, ORR_PAI_JOB},
        {"submit,duration,gpus", ORR_PAI_NONE, ORR_PAI_NONE},
        {"", ORR_PAI_NONE, ORR_PAI_NONE},
        {"inst_id,user,gpu_type_spec,group,workload", ORR_PAI_GROUP, ORR_PAI_GROUP},
        {"user,job_name,inst_id,status,end_time,start_time", ORR_PAI_JOB, ORR_PAI_JOB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (orr_pai_recognise(rows[i].line, true) != rows[i].sure ||
            orr_pai_recognise(rows[i].line, false) != rows[i].loose)
            fail_msg("%s", rows[i].line);
}

/* The published example rows, one a table and of different jobs: only the task makes a job. */
static void published_rows(void **state)
{
    (void)state;
    static const char *const joined[] = {"job_table", "task_table", "machine_spec", "instance_table",
                                         "group_tag_table"};
    char path[512], name[100];
    orr_error e = {0};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        snprintf(name, sizeof name, "data/alibaba-gpu-v2020/pai_%s.example.csv", joined[i]);
        orr_trace *t = orr_trace_read(shared_path(path, name), NULL, &e);
        if (!t)
            fail_msg("%s: %s", name, e.message);
        const orr_trace_job *job = orr_trace_jobs(t);
        assert_int_equal(orr_trace_count(t), 1);
        assert_string_equal(job->id, "4f057009a5d481acec67b088");
        assert_int_equal(job->gpu_milli, 500);
        assert_int_equal(job->duration, 38 * ORR_SECOND);
        assert_int_equal(noted(t, "no-task"), 1);
        assert_int_equal(in_all(t, "orphan-row"), 2);
        assert_int_equal(orr_trace_rows_read(t), 2);
        orr_trace_destroy(t);
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "data/alibaba-gpu-v2020/pai_%s.example.csv", i ? "sensor_table" : "machine_metric");
        e = (orr_error){0};
        assert_null(orr_trace_read(shared_path(path, name), NULL, &e));
        assert_int_equal(e.code, ORR_E_FORMAT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_task_table_alone),
        cmocka_unit_test(the_clock_is_shifted),
        cmocka_unit_test(a_header_may_stand_in_front),
        cmocka_unit_test(gangs),
        cmocka_unit_test(later_tasks_are_stages),
        cmocka_unit_test(a_stage_whose_predecessor_is_left_out),
        cmocka_unit_test(rows_that_are_odd),
        cmocka_unit_test(every_table_has_its_say),
        cmocka_unit_test(rows_without_ids_are_counted),
        cmocka_unit_test(times_that_stand_elsewhere),
        cmocka_unit_test(jobs_that_never_ran_or_are_not_known),
        cmocka_unit_test(endings_of_files),
        cmocka_unit_test(siblings_may_be_packed_otherwise),
        cmocka_unit_test(refused),
        cmocka_unit_test(what_is_recognised),
        cmocka_unit_test(published_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
