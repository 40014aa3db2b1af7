/* The tables of Alibaba's PAI trace of 2020: their columns, which one a file is, and where the others lie.
 *
 * The published files have no header; some people put one in front. Files lie side by side under one ending:
 * pai_job_table.csv, pai_task_table.csv, …
 */
#ifndef ORR_TRACE_PAI_TABLES_H
#define ORR_TRACE_PAI_TABLES_H

#include "trace/reader.h"

/* In the order in which they are joined. The last two say nothing about what jobs asked for. */
typedef enum orr_pai_kind {
    ORR_PAI_JOB,
    ORR_PAI_TASK,
    ORR_PAI_MACHINE,
    ORR_PAI_INSTANCE,
    ORR_PAI_GROUP,
    ORR_PAI_JOINED,
    ORR_PAI_SENSOR = ORR_PAI_JOINED,
    ORR_PAI_METRIC,
    ORR_PAI_KINDS,
    ORR_PAI_NONE = ORR_PAI_KINDS
} orr_pai_kind;

typedef struct orr_pai_table {
    const char *name; /* in file names: "pai_job_table" */
    const orr_sheet_column *columns;
    size_t n;
} orr_pai_table;
extern const orr_pai_table orr_pai_tables[ORR_PAI_KINDS];

enum { ORR_PAI_JOB_NAME, ORR_PAI_JOB_INST, ORR_PAI_JOB_USER, ORR_PAI_JOB_STATUS, ORR_PAI_JOB_START, ORR_PAI_JOB_END };
enum { ORR_PAI_TASK_JOB, ORR_PAI_TASK_NAME, ORR_PAI_TASK_INSTANCES, ORR_PAI_TASK_STATUS, ORR_PAI_TASK_START,
       ORR_PAI_TASK_END, ORR_PAI_TASK_CPU, ORR_PAI_TASK_MEM, ORR_PAI_TASK_GPU, ORR_PAI_TASK_TYPE };
enum { ORR_PAI_MACHINE_NAME, ORR_PAI_MACHINE_TYPE };
enum { ORR_PAI_INST_JOB, ORR_PAI_INST_TASK, ORR_PAI_INST_NAME, ORR_PAI_INST_WORKER, ORR_PAI_INST_ID,
       ORR_PAI_INST_STATUS, ORR_PAI_INST_START, ORR_PAI_INST_END, ORR_PAI_INST_MACHINE };
enum { ORR_PAI_GROUP_INST, ORR_PAI_GROUP_USER, ORR_PAI_GROUP_TYPE, ORR_PAI_GROUP_GROUP, ORR_PAI_GROUP_WORKLOAD };

/* Which table a first line is of: by its names if it is a header, else by the number of its fields. `sure`: the fields
 * must look like that table's, too: hexadecimal ids, known words of status, numbers. ORR_PAI_NONE: of none. */
orr_pai_kind orr_pai_recognise(const char *line, bool sure);
/* The path of another table beside a file, if there is one: the table's name in the file's name replaced, the ending
 * kept or with .gz or .zst more or less. False, and the likeliest path in *path if the name has the table's at all,
 * else "". */
bool orr_pai_beside(const char *file, orr_pai_kind kind, orr_pai_kind wanted, orr_text *path);

#endif
