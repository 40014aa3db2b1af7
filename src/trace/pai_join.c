/* Records are found by name while the tables are read. Then each job's tasks are sorted by launch and cut into
 * stages in one sweep: a stage goes on as long as something in it still runs. */
#include "trace/pai_join.h"
#include "base/assert.h"
#include "trace/amounts.h"

void orr_pai_join_init(orr_pai_join *join)
{
    *join = (orr_pai_join){.job_names = orr_names_create(), .task_names = orr_names_create(),
                           .inst_ids = orr_names_create(), .machines = orr_names_create(),
                           .types = orr_names_create()};
}

void orr_pai_join_fini(orr_pai_join *join)
{
    orr_names_destroy(join->job_names);
    orr_names_destroy(join->task_names);
    orr_names_destroy(join->inst_ids);
    orr_names_destroy(join->machines);
    orr_names_destroy(join->types);
    ORR_VEC_FREE(&join->jobs);
    ORR_VEC_FREE(&join->tasks);
    ORR_VEC_FREE(&join->tags);
    ORR_VEC_FREE(&join->machine_types);
    orr_text_fini(&join->key);
}

orr_pai_job *orr_pai_job_named(orr_pai_join *join, const char *name)
{
    const uint32_t at = orr_names_id(join->job_names, name, strlen(name));
    if (at == join->jobs.n) {
        const orr_pai_job fresh = {.user = "", .submit = ORR_TIME_NONE, .end = ORR_TIME_NONE};
        ORR_VEC_PUSH(&join->jobs, fresh);
    }
    return &join->jobs.at[at];
}

/* A NUL ends the job's name, so that no two pairs make one key. */
static void set_key(orr_pai_join *join, const char *job, const char *task)
{
    orr_text_clear(&join->key);
    orr_text_add(&join->key, job, strlen(job) + 1);
    orr_text_add(&join->key, task, strlen(task));
}

orr_pai_task *orr_pai_task_find(orr_pai_join *join, const char *job, const char *task)
{
    set_key(join, job, task);
    const int64_t at = orr_names_find(join->task_names, join->key.at, join->key.n);
    return at < 0 ? NULL : &join->tasks.at[at];
}

orr_pai_task *orr_pai_task_add(orr_pai_join *join, const char *job, const char *task)
{
    if (orr_pai_task_find(join, job, task))
        return NULL;
    const uint32_t at = orr_names_id(join->task_names, join->key.at, join->key.n);
    const orr_pai_task fresh = {.name = orr_names_text(join->task_names, at) + strlen(job) + 1,
                                .gpu_type = "", .start = ORR_TIME_NONE, .end = ORR_TIME_NONE, .first = ORR_TIME_NONE,
                                .last = ORR_TIME_NONE};
    ORR_VEC_PUSH(&join->tasks, fresh);
    orr_pai_job *owner = orr_pai_job_named(join, job);
    if (owner->last)
        join->tasks.at[owner->last - 1].next = at + 1;
    else
        owner->first = at + 1;
    owner->last = at + 1;
    return &join->tasks.at[at];
}

void orr_pai_set_inst(orr_pai_join *join, orr_pai_job *job, const char *inst_id)
{
    if (!job->inst && inst_id[0])
        job->inst = orr_names_id(join->inst_ids, inst_id, strlen(inst_id)) + 1;
}

/* ---- what a gang asks for ---- */

typedef struct demand {
    orr_wide gpus, cpu_milli, mem;
    int64_t share;    /* of each GPU: the largest; 0: no GPU yet */
    const char *type; /* of the first task with GPUs */
    bool shares_differ, types_differ;
} demand;

static void add_gpus(demand *d, const orr_pai_task *task)
{
    const int64_t share = task->gpu_milli < 1000 ? task->gpu_milli : 1000;
    const int64_t each = task->gpu_milli / 1000 + (task->gpu_milli % 1000 != 0);
    const char *type = strcmp(task->gpu_type, "MISC") == 0 ? "" : task->gpu_type;
    d->shares_differ |= (d->share && d->share != share) || (task->gpu_milli > 1000 && task->gpu_milli % 1000);
    d->types_differ |= d->type && strcmp(d->type, type) != 0;
    d->share = share > d->share ? share : d->share;
    d->type = d->type ? d->type : type;
    d->gpus += (orr_wide)each * task->instances;
}

static void add_task(demand *d, const orr_pai_task *task)
{
    d->cpu_milli += (orr_wide)task->cpu_milli * task->instances;
    d->mem += (orr_wide)task->mem_bytes * task->instances;
    if (task->gpu_milli > 0 && task->instances > 0)
        add_gpus(d, task);
}

static bool take_demand(orr_intake *k, const demand *d, orr_trace_job *job)
{
    if (d->gpus > ORR_TRACE_GPUS_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, NULL);
    if (d->mem > INT64_MAX || d->cpu_milli > INT64_C(1000) * INT32_MAX)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, NULL);
    job->gpus = (int32_t)d->gpus;
    job->gpu_milli = d->share ? (int32_t)d->share : 1000;
    job->cpu_milli = (int64_t)d->cpu_milli;
    job->mem_bytes = (int64_t)d->mem;
    job->gpu_type = d->type ? d->type : "";
    return (!d->shares_differ || orr_intake_flaw(k, ORR_FLAW_GPU_SHARES, NULL)) &&
           (!d->types_differ || orr_intake_flaw(k, ORR_FLAW_GPU_TYPES, NULL));
}

/* ---- one job ---- */

typedef struct emitter {
    orr_intake *k;
    orr_pai_join *join;
    orr_pai_lines lines;
    size_t workload, ran_on;          /* places of the attributes */
    const orr_pai_job *job;
    const char *name;                 /* the job's */
    ORR_VEC(orr_pai_task *) tasks;    /* of the job, those that started, by launch */
    orr_text id, before, types;
    orr_time before_end;              /* of the stage before */
} emitter;

static void begin_row(emitter *m, const orr_pai_task *task)
{
    const uint32_t line = m->lines == ORR_PAI_LINES_OF_JOBS ? m->job->line : task ? task->line : 0;
    orr_intake_row(m->k, m->lines == ORR_PAI_NO_LINES ? 0 : line);
}

/* What is not about one stage. */
static void fill_common(emitter *m, orr_trace_job *job)
{
    const orr_pai_join *join = m->join;
    job->user = m->job->user;
    if (!m->job->inst || m->job->inst > join->tags.n || !join->tags.at[m->job->inst - 1].group)
        return;
    const orr_pai_tag *tag = &join->tags.at[m->job->inst - 1];
    job->name = tag->group;
    job->gpu_type = tag->gpu_type[0] ? tag->gpu_type : job->gpu_type;
    orr_intake_set(m->k, m->workload, tag->workload);
}

static void set_ran_on(emitter *m, uint64_t types)
{
    orr_text_clear(&m->types);
    for (uint32_t i = 0; i < 64 && types >> i; i++)
        if (types >> i & 1)
            orr_text_addf(&m->types, "%s%s", m->types.n ? "|" : "", orr_names_text(m->join->types, i));
    if (m->types.n)
        orr_intake_set(m->k, m->ran_on, m->types.at);
}

/* The gang of tasks [from, to): what it asks for and where it ran. */
static bool fill_gang(emitter *m, size_t from, size_t to, orr_trace_job *job)
{
    demand d = {0};
    uint64_t types = 0;
    for (size_t i = from; i < to; i++) {
        add_task(&d, m->tasks.at[i]);
        types |= m->tasks.at[i]->ran_on;
    }
    if (!take_demand(m->k, &d, job))
        return false;
    fill_common(m, job);
    set_ran_on(m, types);
    return true;
}

static bool fill_end(emitter *m, size_t from, size_t to, orr_trace_job *job)
{
    bool open = false, running = false;
    for (size_t i = from; i < to; i++) {
        const orr_pai_task *task = m->tasks.at[i];
        open |= task->end == ORR_TIME_NONE;
        running |= task->status == ORR_PAI_RUNNING;
        if (task->status == ORR_PAI_FAILED)
            job->ending = ORR_ENDING_FAILED;
        job->end = task->end > job->end ? task->end : job->end;
    }
    if (to == m->tasks.n && m->job->status == ORR_PAI_FAILED)
        job->ending = ORR_ENDING_FAILED;
    if (job->end == ORR_TIME_NONE)
        return orr_intake_flaw(m->k, ORR_FLAW_NO_END, NULL);
    if (job->end < job->start)
        return orr_intake_flaw(m->k, ORR_FLAW_END_BEFORE_START, NULL);
    job->duration = job->end - job->start;
    job->censored = open || running;
    if (open)
        job->end = ORR_TIME_NONE;
    return !job->censored || orr_intake_flaw(m->k, open ? ORR_FLAW_OPEN_END : ORR_FLAW_STILL_RUNNING, NULL);
}

static bool fill_submit(emitter *m, bool first, orr_trace_job *job)
{
    job->submit = first && m->job->told ? m->job->submit : job->start;
    if (first && !m->job->told)
        return orr_intake_flaw(m->k, ORR_FLAW_LAUNCH, NULL);
    return job->start >= job->submit || orr_intake_flaw(m->k, ORR_FLAW_EARLY_START, NULL);
}

static const orr_pai_task *lead(const emitter *m, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (m->tasks.at[i]->gpu_milli > 0)
            return m->tasks.at[i];
    return m->tasks.at[from];
}

/* Names the stage, and the one before it. */
static void fill_order(emitter *m, size_t from, size_t to, orr_trace_job *job)
{
    orr_text_clear(&m->id);
    orr_text_addf(&m->id, "%s", m->name);
    if (from > 0) {
        orr_text_addf(&m->id, "/%s", lead(m, from, to)->name);
        orr_intake_after(m->k, m->before.at);
        job->think = job->start - m->before_end;
    }
    job->id = m->id.at;
}

static void emit_stage(emitter *m, size_t from, size_t to, orr_time end)
{
    orr_trace_job job = orr_trace_job_default();
    begin_row(m, lead(m, from, to));
    job.start = m->tasks.at[from]->start;
    fill_order(m, from, to, &job);
    if (fill_gang(m, from, to, &job) && fill_submit(m, from == 0, &job) && fill_end(m, from, to, &job))
        orr_intake_keep(m->k, &job);
    orr_text_clear(&m->before);
    orr_text_add(&m->before, m->id.at, m->id.n);
    m->before_end = end;
}

/* What is launched while something of the stage runs is of the stage, and so is what is launched with its first
 * task. */
static size_t stage_from(const emitter *m, size_t from, orr_time *end)
{
    const orr_time start = m->tasks.at[from]->start;
    size_t to = from;
    *end = start;
    for (; to < m->tasks.n && (m->tasks.at[to]->start < *end || m->tasks.at[to]->start == start); to++) {
        const orr_time task_end = m->tasks.at[to]->end;
        *end = task_end == ORR_TIME_NONE ? ORR_TIME_MAX : task_end > *end ? task_end : *end;
    }
    return to;
}

static void emit_stages(emitter *m)
{
    orr_time end;
    for (size_t from = 0; from < m->tasks.n && !m->k->failed;) {
        const size_t to = stage_from(m, from, &end);
        emit_stage(m, from, to, end);
        from = to;
    }
}

/* ---- jobs that make no gang ---- */

static void drop_job(emitter *m, orr_flaw flaw)
{
    begin_row(m, m->job->first ? &m->join->tasks.at[m->job->first - 1] : NULL);
    orr_intake_flaw(m->k, flaw, NULL);
}

/* No task started. If none is said to have run, the job waited and was withdrawn. */
static void emit_unstarted(emitter *m)
{
    orr_trace_job job = orr_trace_job_default();
    for (size_t i = 0; i < m->tasks.n; i++) {
        const orr_pai_status status = m->tasks.at[i]->status;
        if (status == ORR_PAI_TERMINATED || status == ORR_PAI_RUNNING) {
            drop_job(m, ORR_FLAW_NO_DURATION);
            return;
        }
    }
    if (!m->job->told) {
        drop_job(m, ORR_FLAW_NO_SUBMIT);
        return;
    }
    begin_row(m, m->tasks.at[0]);
    job.id = m->name;
    job.submit = m->job->submit;
    job.end = m->job->end;
    if (fill_gang(m, 0, m->tasks.n, &job))
        orr_intake_withdraw(m->k, &job);
}

/* ---- times that stand elsewhere ---- */

static bool complete(emitter *m, orr_pai_task *task)
{
    const orr_time start = task->start, end = task->end;
    orr_intake *k = m->k;
    task->start = start == ORR_TIME_NONE ? task->first : start;
    if (end == ORR_TIME_NONE && !task->open && task->last >= task->start)
        task->end = task->last;
    k->line = m->lines == ORR_PAI_LINES_OF_JOBS ? m->job->line : m->lines == ORR_PAI_LINES_OF_TASKS ? task->line : 0;
    if ((task->start != start || task->end != end) && !orr_intake_flaw(k, ORR_FLAW_INSTANCE_TIMES, NULL))
        return false;
    if (task->start == ORR_TIME_NONE || task->end != ORR_TIME_NONE || m->job->end < task->start ||
        m->job->status == ORR_PAI_RUNNING)
        return true;
    task->end = m->job->end;
    return orr_intake_flaw(k, ORR_FLAW_END_OF_JOB, NULL);
}

static int by_launch(const void *left, const void *right)
{
    const orr_pai_task *a = *(orr_pai_task *const *)left, *b = *(orr_pai_task *const *)right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a < b ? -1 : a > b; /* all in one array, in the order of the rows */
}

/* Sorted by launch, those that never started (ORR_TIME_NONE) come first. */
static size_t gather(emitter *m)
{
    size_t unstarted = 0;
    m->tasks.n = 0;
    for (uint32_t at = m->job->first; at && !m->k->failed;) {
        orr_pai_task *task = &m->join->tasks.at[at - 1];
        complete(m, task);
        unstarted += task->start == ORR_TIME_NONE;
        ORR_VEC_PUSH(&m->tasks, task);
        at = task->next;
    }
    if (m->tasks.n > 1)
        qsort(m->tasks.at, m->tasks.n, sizeof *m->tasks.at, by_launch);
    return unstarted;
}

static void leave_out(emitter *m, size_t unstarted)
{
    for (size_t i = 0; i < unstarted; i++)
        orr_intake_flaw(m->k, ORR_FLAW_TASK_TIMES, NULL);
    memmove(m->tasks.at, m->tasks.at + unstarted, (m->tasks.n - unstarted) * sizeof *m->tasks.at);
    m->tasks.n -= unstarted;
}

static void emit_job(emitter *m, uint32_t at)
{
    m->job = &m->join->jobs.at[at];
    m->name = orr_names_text(m->join->job_names, at);
    if (!m->job->first) {
        drop_job(m, ORR_FLAW_NO_TASK);
        return;
    }
    if (m->job->told && m->job->submit == ORR_TIME_NONE) {
        drop_job(m, ORR_FLAW_NO_SUBMIT);
        return;
    }
    const size_t unstarted = gather(m);
    if (m->k->failed)
        return;
    if (unstarted == m->tasks.n) {
        emit_unstarted(m);
        return;
    }
    leave_out(m, unstarted);
    emit_stages(m);
}

orr_err orr_pai_emit(orr_intake *k, orr_pai_join *join, orr_pai_lines lines)
{
    emitter m = {.k = k, .join = join, .lines = lines};
    m.workload = orr_intake_attribute(k, "workload");
    m.ran_on = orr_intake_attribute(k, "ran_on");
    for (uint32_t i = 0; i < join->jobs.n && !k->failed; i++)
        emit_job(&m, i);
    ORR_VEC_FREE(&m.tasks);
    orr_text_fini(&m.id);
    orr_text_fini(&m.before);
    orr_text_fini(&m.types);
    return k->failed;
}
