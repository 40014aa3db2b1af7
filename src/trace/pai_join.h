/* The join of PAI's tables: what rows said, by job and task, until all tables are read; then the jobs.
 *
 * One record per job and one per task are kept, none per instance. Rows come in any order. A PAI job is one or
 * several jobs of ours:
 *
 * - Tasks whose recorded times overlap are one gang: it asks for what they ask for together, runs from the first
 *   launch to the last end, and failed if one of them failed.
 * - A task that began when all earlier ones had ended is a stage of its own: the job `job/task`, `after` the stage
 *   before it, with the recorded gap as `think`.
 */
#ifndef ORR_TRACE_PAI_JOIN_H
#define ORR_TRACE_PAI_JOIN_H

#include "trace/intake.h"

typedef enum orr_pai_status {
    ORR_PAI_UNTOLD,
    ORR_PAI_WAITING,
    ORR_PAI_RUNNING,
    ORR_PAI_TERMINATED,
    ORR_PAI_FAILED,
} orr_pai_status;

/* Texts are the trace's or the join's own; times ORR_TIME_NONE where not known. */
typedef struct orr_pai_task {
    const char *name, *gpu_type;
    orr_time start, end;
    orr_time first, last; /* of its instances */
    bool open;            /* an instance has no end */
    int64_t instances, cpu_milli, gpu_milli, mem_bytes; /* the last three per instance */
    uint64_t ran_on;      /* types of its machines, a bit each */
    orr_pai_status status;
    uint32_t line;
    uint32_t next;        /* of the same job, + 1; 0: none */
} orr_pai_task;

typedef struct orr_pai_job {
    const char *user;
    orr_time submit, end;
    orr_pai_status status;
    bool told;            /* the job table has it */
    uint32_t line;        /* there */
    uint32_t inst;        /* its inst_id's number + 1; 0: unknown */
    uint32_t first, last; /* its tasks, + 1; 0: none */
} orr_pai_job;

typedef struct orr_pai_tag {
    const char *gpu_type, *group, *workload; /* NULL: the inst_id has no tag */
} orr_pai_tag;

typedef struct orr_pai_join {
    orr_names *job_names, *task_names, *inst_ids, *machines, *types; /* task_names: of job and task */
    ORR_VEC(orr_pai_job) jobs;
    ORR_VEC(orr_pai_task) tasks;
    ORR_VEC(orr_pai_tag) tags;         /* by number of the inst_id */
    ORR_VEC(uint32_t) machine_types;   /* by number of the machine */
    orr_text key;
} orr_pai_join;

void orr_pai_join_init(orr_pai_join *join);
void orr_pai_join_fini(orr_pai_join *join);
/* The job of a name, made if there is none yet. Valid until the next is made. */
orr_pai_job *orr_pai_job_named(orr_pai_join *join, const char *name);
/* A new task of a job, to be filled in; NULL if the job has one of this name. */
orr_pai_task *orr_pai_task_add(orr_pai_join *join, const char *job, const char *task);
/* NULL if there is none. */
orr_pai_task *orr_pai_task_find(orr_pai_join *join, const char *job, const char *task);
/* Gives a job its inst_id, unless it has one. An empty one is none. */
void orr_pai_set_inst(orr_pai_join *join, orr_pai_job *job, const char *inst_id);

/* How the lines of the records are lines of the trace's own file. */
typedef enum orr_pai_lines { ORR_PAI_NO_LINES, ORR_PAI_LINES_OF_JOBS, ORR_PAI_LINES_OF_TASKS } orr_pai_lines;
/* Keeps, withdraws or drops what the records make, each gang as a row of the trace. Declares its attributes. */
orr_err orr_pai_emit(orr_intake *k, orr_pai_join *join, orr_pai_lines lines);

#endif
