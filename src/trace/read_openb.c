/* The pods of Alibaba's GPU cluster of 2023 (`openb_pod_list_*.csv`): submitted at their creation, run from when
 * they were scheduled until they were deleted, seconds from the beginning of the record.
 *
 * - A pod in phase Running was cut off by the snapshot: its deletion is the end of what is known, its duration a
 *   lower bound. A Pending one never ran and was withdrawn at its deletion.
 * - `gpu_milli` is the share of each GPU and nothing for pods without one. `gpu_spec` lists the models allowed.
 *
 * Sibling files that hold no such record are refused: lists of nodes, and pod lists of five columns, which say what
 * pods ask for but not when. */
#include "trace/amounts.h"
#include "trace/reader.h"

enum { NAME, CPU, MEMORY, GPUS, SHARE, SPEC, QOS, PHASE, CREATED, DELETED, SCHEDULED, NODE, COLUMNS };

static const orr_sheet_column columns[COLUMNS] = {
    [NAME] = {"name", true, false},
    [CPU] = {"cpu_milli", false, false},
    [MEMORY] = {"memory_mib", false, true},
    [GPUS] = {"num_gpu", true, false},
    [SHARE] = {"gpu_milli", false, false},
    [SPEC] = {"gpu_spec", false, false},
    [QOS] = {"qos", false, true},
    [PHASE] = {"pod_phase", false, true},
    [CREATED] = {"creation_time", true, false},
    [DELETED] = {"deletion_time", true, false},
    [SCHEDULED] = {"scheduled_time", true, false},
    [NODE] = {"sn", false, false},
};

static bool refuse_nodes(orr_intake *k)
{
    orr_intake_fail(k, ORR_E_FORMAT, NULL, "this is a list of nodes: a cluster, not a trace");
    orr_error_hint(k->e, "give the CSV node list as the cluster, and a pod list, openb_pod_list_*.csv, as the trace");
    return false;
}

static bool header(orr_intake *k, orr_sheet *sheet)
{
    if (orr_sheet_has(sheet, NODE))
        return refuse_nodes(k);
    if (orr_sheet_has(sheet, CREATED) || orr_sheet_has(sheet, SCHEDULED) || !orr_sheet_has(sheet, GPUS))
        return true;
    orr_intake_fail(k, ORR_E_FORMAT, NULL, "this pod list holds shapes without times: it does not say when pods came");
    orr_error_hint(k->e, "the multigpu lists are so; openb_pod_list_default.csv and its other siblings have the times");
    return false;
}

static bool take_gpus(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    char *spec = (char *)orr_sheet_text(sheet, SPEC); /* the row's own text */
    if (!orr_take_gpus(k, orr_sheet_cell(sheet, GPUS), &job->gpus) ||
        (job->gpus > 0 && !orr_take_int32(k, orr_sheet_cell(sheet, SHARE), &job->gpu_milli)))
        return false;
    job->gpu_type = spec;
    return !spec[0] || !orr_drop_repeated_types(spec) || orr_intake_flaw(k, ORR_FLAW_REPEATED_TYPE, NULL);
}

static bool take_host(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    return orr_take_amount(k, orr_sheet_cell(sheet, CPU), 1, 0, &job->cpu_milli) &&
           orr_take_amount(k, orr_sheet_cell(sheet, MEMORY), ORR_MIB, 0, &job->mem_bytes);
}

static bool take_phase(orr_intake *k, orr_cell phase, orr_trace_job *job)
{
    if (orr_same_word(phase.at, "Succeeded"))
        return true;
    if (orr_same_word(phase.at, "Failed")) {
        job->ending = ORR_ENDING_FAILED;
        return true;
    }
    if (!orr_same_word(phase.at, "Running"))
        return orr_intake_flaw(k, ORR_FLAW_STATE, &phase);
    job->censored = true;
    return orr_intake_flaw(k, ORR_FLAW_STILL_RUNNING, &phase);
}

static void withdraw(orr_intake *k, orr_sheet *sheet, orr_trace_job *job)
{
    if (orr_take_some_time(k, orr_sheet_cell(sheet, DELETED), &job->end))
        orr_intake_withdraw(k, job);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    const orr_cell none = {"duration", "", 0, 0}, phase = orr_sheet_cell(sheet, PHASE);
    orr_trace_job job = orr_trace_job_default();
    job.id = orr_sheet_text(sheet, NAME);
    if (!take_gpus(k, sheet, &job) || !take_host(k, sheet, &job) ||
        !orr_take_time(k, orr_sheet_cell(sheet, CREATED), ORR_FLAW_NO_SUBMIT, &job.submit))
        return;
    if (orr_same_word(phase.at, "Pending")) {
        withdraw(k, sheet, &job);
        return;
    }
    if (orr_take_run(k, orr_sheet_cell(sheet, SCHEDULED), orr_sheet_cell(sheet, DELETED), none, &job) &&
        take_phase(k, phase, &job) && (job.submit > 0 || orr_intake_flaw(k, ORR_FLAW_AT_ZERO, NULL)))
        orr_intake_keep(k, &job);
}

/* The node list as Kubernetes objects. */
static bool is_kubernetes(const orr_head *head)
{
    static const char mark[] = "apiVersion:";
    return strncmp(head->line, mark, sizeof mark - 1) == 0;
}

static bool is_sibling(const orr_head *head)
{
    return is_kubernetes(head) || (orr_head_has(head, "sn") && orr_head_has(head, "cpu_milli"));
}

static orr_err read_openb(orr_intake *k)
{
    orr_head head;
    orr_sheet sheet = {.columns = columns, .n = COLUMNS, .header = header};
    k->failed = orr_head_peek(k->in, &head, k->e);
    if (!k->failed && is_kubernetes(&head))
        refuse_nodes(k);
    orr_head_fini(&head);
    k->relative = true;
    return k->failed ? k->failed : orr_sheet_read(&sheet, k, row);
}

const orr_format orr_format_openb = {
    .name = "openb",
    .label = "openb",
    .about = "pod lists of Alibaba's GPU cluster of 2023, `openb_pod_list_*.csv`",
    .signature = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"},
    .is = is_sibling,
    .read = read_openb,
};
