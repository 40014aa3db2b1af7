/* Alibaba's PAI trace of 2020: tables without headers, of which the user names one. The others are found beside it
 * by their names; the task table must be there, the rest may be missing:
 *
 * - tasks say what was asked for, per instance: percent of a core, percent of a GPU, GB (2^30 bytes: the values are
 *   MiB / 1024) of memory;
 * - jobs say who submitted when; without that table the launch is taken for the submission;
 * - instances give times to tasks that have none, and with the machines' table the types of GPU that tasks ran on;
 * - group tags name recurrent jobs, and say which GPUs were asked for rather than got.
 *
 * How tasks become jobs is in pai_join.h. Rows read are the jobs of ours that the tables make, and the rows of all
 * tables that were dropped. Times are seconds, shifted by an unknown constant such that, read as Unix time in UTC+8,
 * hour and weekday are right: the origin says so. */
#include "trace/amounts.h"
#include "trace/pai_join.h"
#include "trace/pai_tables.h"

/* The row is in the join now, and makes or is part of a row of the trace later. */
static void absorbed(orr_intake *k)
{
    k->trace->rows -= !k->file;
}

static orr_pai_status status_of(orr_intake *k, orr_cell cell)
{
    static const struct {
        const char *word;
        orr_pai_status status;
    } words[] = {{"Waiting", ORR_PAI_WAITING}, {"Running", ORR_PAI_RUNNING}, {"Terminated", ORR_PAI_TERMINATED},
                 {"Failed", ORR_PAI_FAILED}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (orr_same_word(cell.at, words[i].word))
            return words[i].status;
    if (cell.n)
        orr_intake_flaw(k, ORR_FLAW_STATE, &cell);
    return ORR_PAI_UNTOLD;
}

/* ---- a row of each table ---- */

static void job_row(orr_intake *k, orr_sheet *sheet)
{
    orr_pai_join *join = sheet->self;
    const orr_cell name = orr_sheet_cell(sheet, ORR_PAI_JOB_NAME);
    orr_time submit = ORR_TIME_NONE, end = ORR_TIME_NONE;
    if (!name.n) {
        orr_intake_flaw(k, ORR_FLAW_NO_ID, &name);
        return;
    }
    if (!orr_take_some_time(k, orr_sheet_cell(sheet, ORR_PAI_JOB_START), &submit) ||
        !orr_take_some_time(k, orr_sheet_cell(sheet, ORR_PAI_JOB_END), &end))
        return;
    orr_pai_job *job = orr_pai_job_named(join, name.at);
    if (job->told) {
        orr_intake_flaw(k, ORR_FLAW_REPEATED_ROW, &name);
        return;
    }
    job->told = true;
    job->line = k->line;
    job->submit = submit;
    job->end = end;
    job->user = orr_trace_keep(k->trace, orr_sheet_text(sheet, ORR_PAI_JOB_USER));
    job->status = status_of(k, orr_sheet_cell(sheet, ORR_PAI_JOB_STATUS));
    orr_pai_set_inst(join, job, orr_sheet_text(sheet, ORR_PAI_JOB_INST));
    absorbed(k);
}

/* Percent are hundredths, so ten times that are thousandths. A share above 0 is at least a thousandth. */
static bool take_plan(orr_intake *k, orr_sheet *sheet, orr_pai_task *task)
{
    const orr_cell count = orr_sheet_cell(sheet, ORR_PAI_TASK_INSTANCES), gpu = orr_sheet_cell(sheet, ORR_PAI_TASK_GPU);
    if (!orr_take_count(k, count, ORR_FLAW_NUMBER, &task->instances) ||
        !orr_take_amount(k, orr_sheet_cell(sheet, ORR_PAI_TASK_CPU), 1, 1, &task->cpu_milli) ||
        !orr_take_amount(k, gpu, 1, 1, &task->gpu_milli) ||
        !orr_take_amount(k, orr_sheet_cell(sheet, ORR_PAI_TASK_MEM), ORR_GIB, 0, &task->mem_bytes))
        return false;
    if (task->instances < 0)
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &count);
    if (task->instances > ORR_TRACE_GPUS_LIMIT || task->gpu_milli > INT64_C(1000) * ORR_TRACE_GPUS_LIMIT)
        return orr_intake_flaw(k, ORR_FLAW_MANY_GPUS, task->instances > ORR_TRACE_GPUS_LIMIT ? &count : &gpu);
    if (task->gpu_milli == 0 && strpbrk(gpu.at, "123456789"))
        task->gpu_milli = 1;
    return true;
}

static bool take_task_times(orr_intake *k, orr_sheet *sheet, orr_pai_task *task)
{
    const orr_cell end = orr_sheet_cell(sheet, ORR_PAI_TASK_END);
    if (!orr_take_some_time(k, orr_sheet_cell(sheet, ORR_PAI_TASK_START), &task->start) ||
        !orr_take_some_time(k, end, &task->end))
        return false;
    return task->end == ORR_TIME_NONE || task->end >= task->start ||
           orr_intake_flaw(k, ORR_FLAW_END_BEFORE_START, &end);
}

static void task_row(orr_intake *k, orr_sheet *sheet)
{
    orr_pai_join *join = sheet->self;
    const orr_cell job = orr_sheet_cell(sheet, ORR_PAI_TASK_JOB), name = orr_sheet_cell(sheet, ORR_PAI_TASK_NAME);
    orr_pai_task said = {.start = ORR_TIME_NONE, .end = ORR_TIME_NONE};
    if (!job.n || !name.n) {
        orr_intake_flaw(k, ORR_FLAW_NO_ID, job.n ? &name : &job);
        return;
    }
    if (!take_plan(k, sheet, &said) || !take_task_times(k, sheet, &said))
        return;
    orr_pai_task *task = orr_pai_task_add(join, job.at, name.at);
    if (!task) {
        orr_intake_flaw(k, ORR_FLAW_REPEATED_ROW, &name);
        return;
    }
    task->start = said.start;
    task->end = said.end;
    task->instances = said.instances;
    task->cpu_milli = said.cpu_milli;
    task->gpu_milli = said.gpu_milli;
    task->mem_bytes = said.mem_bytes;
    task->line = k->line;
    task->gpu_type = orr_trace_keep(k->trace, orr_sheet_text(sheet, ORR_PAI_TASK_TYPE));
    task->status = status_of(k, orr_sheet_cell(sheet, ORR_PAI_TASK_STATUS));
    absorbed(k);
}

static void machine_row(orr_intake *k, orr_sheet *sheet)
{
    orr_pai_join *join = sheet->self;
    const orr_cell name = orr_sheet_cell(sheet, ORR_PAI_MACHINE_NAME);
    const orr_cell type = orr_sheet_cell(sheet, ORR_PAI_MACHINE_TYPE);
    if (!name.n) {
        orr_intake_flaw(k, ORR_FLAW_NO_ID, &name);
        return;
    }
    if (orr_names_id(join->machines, name.at, name.n) == join->machine_types.n) {
        const uint32_t number = orr_names_id(join->types, type.at, type.n);
        ORR_VEC_PUSH(&join->machine_types, number);
    }
    absorbed(k);
}

/* Types beyond the 64th are not kept: there are six. */
static void add_machine(orr_pai_join *join, orr_pai_task *task, orr_cell machine)
{
    const int64_t at = orr_names_find(join->machines, machine.at, machine.n);
    if (at >= 0 && join->machine_types.at[at] < 64)
        task->ran_on |= UINT64_C(1) << join->machine_types.at[at];
}

static void add_instance(orr_pai_task *task, orr_time start, orr_time end)
{
    if (start == ORR_TIME_NONE)
        return;
    if (task->first == ORR_TIME_NONE || start < task->first)
        task->first = start;
    if (end > task->last)
        task->last = end;
    task->open |= end == ORR_TIME_NONE;
}

static void instance_row(orr_intake *k, orr_sheet *sheet)
{
    orr_pai_join *join = sheet->self;
    const orr_cell job = orr_sheet_cell(sheet, ORR_PAI_INST_JOB), name = orr_sheet_cell(sheet, ORR_PAI_INST_TASK);
    orr_time start = ORR_TIME_NONE, end = ORR_TIME_NONE;
    if (!job.n || !name.n) {
        orr_intake_flaw(k, ORR_FLAW_NO_ID, job.n ? &name : &job);
        return;
    }
    if (!orr_take_some_time(k, orr_sheet_cell(sheet, ORR_PAI_INST_START), &start) ||
        !orr_take_some_time(k, orr_sheet_cell(sheet, ORR_PAI_INST_END), &end))
        return;
    orr_pai_task *task = orr_pai_task_find(join, job.at, name.at);
    if (task) {
        add_instance(task, start, end);
        add_machine(join, task, orr_sheet_cell(sheet, ORR_PAI_INST_MACHINE));
        orr_pai_set_inst(join, orr_pai_job_named(join, job.at), orr_sheet_text(sheet, ORR_PAI_INST_ID));
    } else {
        orr_intake_flaw(k, ORR_FLAW_ORPHAN, &job);
    }
    absorbed(k);
}

static void set_tag(orr_intake *k, orr_sheet *sheet, size_t at)
{
    orr_pai_join *join = sheet->self;
    const orr_pai_tag none = {0};
    while (join->tags.n <= at)
        ORR_VEC_PUSH(&join->tags, none);
    join->tags.at[at] = (orr_pai_tag){
        .gpu_type = orr_trace_keep(k->trace, orr_sheet_text(sheet, ORR_PAI_GROUP_TYPE)),
        .group = orr_trace_keep(k->trace, orr_sheet_text(sheet, ORR_PAI_GROUP_GROUP)),
        .workload = orr_trace_keep(k->trace, orr_sheet_text(sheet, ORR_PAI_GROUP_WORKLOAD)),
    };
}

static void group_row(orr_intake *k, orr_sheet *sheet)
{
    orr_pai_join *join = sheet->self;
    const orr_cell inst = orr_sheet_cell(sheet, ORR_PAI_GROUP_INST);
    if (!inst.n) {
        orr_intake_flaw(k, ORR_FLAW_NO_ID, &inst);
        return;
    }
    const int64_t at = orr_names_find(join->inst_ids, inst.at, inst.n);
    if (at >= 0)
        set_tag(k, sheet, (size_t)at);
    else
        orr_intake_flaw(k, ORR_FLAW_ORPHAN, &inst);
    absorbed(k);
}

/* ---- all tables ---- */

typedef struct pai {
    orr_pai_join join;
    orr_pai_kind own, now; /* the table that the user named, and the one being read */
} pai;

static orr_err read_table(orr_intake *k, void *self)
{
    static void (*const rows[])(orr_intake *k, orr_sheet *sheet) = {
        [ORR_PAI_JOB] = job_row, [ORR_PAI_TASK] = task_row, [ORR_PAI_MACHINE] = machine_row,
        [ORR_PAI_INSTANCE] = instance_row, [ORR_PAI_GROUP] = group_row};
    pai *p = self;
    const orr_pai_table *table = &orr_pai_tables[p->now];
    orr_sheet sheet = {.columns = table->columns, .n = table->n, .no_header = true, .may_header = true, .foreign = true,
                       .self = &p->join};
    return orr_sheet_read(&sheet, k, rows[p->now]);
}

static orr_err no_tasks(orr_intake *k, const orr_text *path)
{
    k->line = 0;
    if (path->n)
        orr_intake_fail(k, ORR_E_OPEN, NULL, "the task table beside this file, %s, is not there", path->at);
    else
        orr_intake_fail(k, ORR_E_OPEN, NULL, "the name of this file does not say where the task table beside it is");
    orr_error_hint(k->e, "what jobs ask for is in pai_task_table alone, which is looked for beside the other tables "
                         "under the same ending");
    return k->failed;
}

static orr_err read_one(orr_intake *k, pai *p, orr_pai_kind kind)
{
    p->now = kind;
    if (kind == p->own)
        return read_table(k, p);
    orr_text path = {0};
    orr_err err = ORR_OK;
    if (orr_pai_beside(orr_input_name(k->in), p->own, kind, &path))
        err = orr_intake_beside(k, path.at, read_table, p);
    else if (kind == ORR_PAI_TASK)
        err = no_tasks(k, &path);
    orr_text_fini(&path);
    return err;
}

static orr_err refuse(orr_intake *k, orr_pai_kind kind)
{
    if (kind == ORR_PAI_NONE)
        orr_intake_fail(k, ORR_E_FORMAT, NULL, "the first line is of none of the PAI tables");
    else
        orr_intake_fail(k, ORR_E_FORMAT, NULL, "this is %s, which holds measurements, not jobs",
                        orr_pai_tables[kind].name);
    orr_error_hint(k->e, "name pai_job_table or pai_task_table");
    return k->failed;
}

/* Read as Unix time in UTC+8 the hours and weekdays are right, so second 0 is 1970-01-01 08:00 there. An epoch that the
 * user names is one that is right. */
static void set_origin(orr_intake *k)
{
    k->origin = (orr_civil){.local = 8 * ORR_HOUR, .zoned = true, .offset_minutes = 480};
    if (!k->options->epoch)
        orr_trace_note(k->trace, ORR_FLAW_SHIFTED, NULL, 0);
}

static orr_err read_all(orr_intake *k, pai *p)
{
    const orr_pai_lines lines = p->own == ORR_PAI_JOB    ? ORR_PAI_LINES_OF_JOBS
                                : p->own == ORR_PAI_TASK ? ORR_PAI_LINES_OF_TASKS
                                                         : ORR_PAI_NO_LINES;
    orr_err err = ORR_OK;
    for (int kind = 0; kind < ORR_PAI_JOINED && !err; kind++)
        err = read_one(k, p, (orr_pai_kind)kind);
    if (!err)
        err = orr_pai_emit(k, &p->join, lines);
    if (!err)
        set_origin(k);
    return err;
}

static orr_err read_pai(orr_intake *k)
{
    orr_head head;
    pai p = {0};
    const orr_err err = orr_head_peek(k->in, &head, k->e);
    if (err)
        return err;
    p.own = orr_pai_recognise(head.line, false);
    orr_head_fini(&head);
    if (p.own >= ORR_PAI_JOINED)
        return refuse(k, p.own);
    k->relative = true;
    orr_pai_join_init(&p.join);
    k->failed = read_all(k, &p);
    orr_pai_join_fini(&p.join);
    return k->failed;
}

static bool is_table(const orr_head *head)
{
    return orr_pai_recognise(head->line, true) != ORR_PAI_NONE;
}

const orr_format orr_format_pai = {
    .name = "pai",
    .label = "pai",
    .about = "tables of Alibaba's PAI of 2020, `pai_job_table`, `pai_task_table`, …, joined",
    .told = "rows of one of the tables, or its header",
    .is = is_table,
    .read = read_pai,
};
