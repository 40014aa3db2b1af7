/* A published table has no header, so its first line must tell it: the tables differ in their number of fields, but for
 * two of five, of which one has numbers where the other has names. */
#include "trace/pai_tables.h"
#include "base/decimal.h"
#include <stdio.h>

static const orr_sheet_column job_columns[] = {
    {"job_name", true, false}, {"inst_id", false, false},   {"user", false, false},
    {"status", true, false},   {"start_time", true, false}, {"end_time", true, false},
};
static const orr_sheet_column task_columns[] = {
    {"job_name", true, false},   {"task_name", true, false}, {"inst_num", true, false},  {"status", true, false},
    {"start_time", true, false}, {"end_time", true, false},  {"plan_cpu", true, false},  {"plan_mem", true, false},
    {"plan_gpu", true, false},   {"gpu_type", true, false},
};
static const orr_sheet_column machine_columns[] = {
    {"machine", true, false},  {"gpu_type", true, false}, {"cap_cpu", false, false},
    {"cap_mem", false, false}, {"cap_gpu", false, false},
};
static const orr_sheet_column instance_columns[] = {
    {"job_name", true, false}, {"task_name", true, false}, {"inst_name", false, false},
    {"worker_name", false, false}, {"inst_id", true, false}, {"status", false, false},
    {"start_time", true, false}, {"end_time", true, false}, {"machine", true, false},
};
static const orr_sheet_column group_columns[] = {
    {"inst_id", true, false}, {"user", false, false},    {"gpu_type_spec", true, false},
    {"group", true, false},   {"workload", true, false},
};
static const orr_sheet_column sensor_columns[] = {
    {"job_name", true, false},        {"task_name", true, false},       {"worker_name", true, false},
    {"inst_id", true, false},         {"machine", true, false},         {"gpu_name", true, false},
    {"cpu_usage", true, false},       {"gpu_wrk_util", true, false},    {"avg_mem", true, false},
    {"max_mem", true, false},         {"avg_gpu_wrk_mem", true, false}, {"max_gpu_wrk_mem", true, false},
    {"read", true, false},            {"write", true, false},           {"read_count", true, false},
    {"write_count", true, false},
};
static const orr_sheet_column metric_columns[] = {
    {"worker_name", true, false},        {"machine", true, false},             {"start_time", true, false},
    {"end_time", true, false},           {"machine_cpu_iowait", true, false},  {"machine_cpu_kernel", true, false},
    {"machine_cpu_usr", true, false},    {"machine_gpu", true, false},         {"machine_load_1", true, false},
    {"machine_net_receive", true, false}, {"machine_num_worker", true, false}, {"machine_cpu", true, false},
};

#define TABLE(name, columns) {name, columns, sizeof columns / sizeof *columns}
const orr_pai_table orr_pai_tables[ORR_PAI_KINDS] = {
    [ORR_PAI_JOB] = TABLE("pai_job_table", job_columns),
    [ORR_PAI_TASK] = TABLE("pai_task_table", task_columns),
    [ORR_PAI_MACHINE] = TABLE("pai_machine_spec", machine_columns),
    [ORR_PAI_INSTANCE] = TABLE("pai_instance_table", instance_columns),
    [ORR_PAI_GROUP] = TABLE("pai_group_tag_table", group_columns),
    [ORR_PAI_SENSOR] = TABLE("pai_sensor_table", sensor_columns),
    [ORR_PAI_METRIC] = TABLE("pai_machine_metric", metric_columns),
};

/* What each field of a line without a header looks like: h an id of hexadecimal digits, s a status, d a decimal, D one
 * that is there, anything else any text. All but D may be empty, as long as the line has one h or s. */
static const char *const shapes[ORR_PAI_KINDS] = {
    [ORR_PAI_JOB] = "hhhsdd",       [ORR_PAI_TASK] = "h.dsddddd.", [ORR_PAI_MACHINE] = "h.DDD",
    [ORR_PAI_INSTANCE] = "h.hhhsddh", [ORR_PAI_GROUP] = "hh.h.",   [ORR_PAI_SENSOR] = "h.hhh.DDDDDDDDDD",
    [ORR_PAI_METRIC] = "hhdddddddddd",
};

/* ---- recognising ---- */

static bool is_hex(const orr_field *f)
{
    return f->n >= 8 && strspn(f->at, "0123456789abcdef") == f->n;
}

static bool is_decimal(const orr_field *f)
{
    orr_decimal d;
    return f->n > 0 && orr_decimal_scan(f->at, f->n, &d) == f->n;
}

static bool is_status(const orr_field *f)
{
    static const char *const words[] = {"Terminated", "Failed", "Running", "Waiting"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(f->at, words[i]) == 0)
            return true;
    return false;
}

static bool has_shape(const orr_csv *line, const char *shape)
{
    bool told = false;
    for (size_t i = 0; i < line->fields.n; i++) {
        const orr_field *f = &line->fields.at[i];
        const char c = shape[i];
        if ((c == 'D' && !is_decimal(f)) || (f->n > 0 && c == 'd' && !is_decimal(f)) ||
            (f->n > 0 && c == 'h' && !is_hex(f)) || (f->n > 0 && c == 's' && !is_status(f)))
            return false;
        told |= f->n > 0 && (c == 'h' || c == 's');
    }
    return told;
}

static bool has_names(const orr_csv *line, const orr_pai_table *table)
{
    size_t found = 0;
    for (size_t i = 0; i < table->n; i++)
        for (size_t k = 0; k < line->fields.n; k++)
            found += orr_same_word(line->fields.at[k].at, table->columns[i].name);
    return found == table->n;
}

static bool is_of(const orr_csv *line, orr_pai_kind kind, bool sure)
{
    const orr_pai_table *table = &orr_pai_tables[kind];
    if (line->fields.n != table->n)
        return false;
    if (kind == ORR_PAI_MACHINE && !has_shape(line, shapes[kind]))
        return false;
    return !sure || has_shape(line, shapes[kind]);
}

static orr_pai_kind of_fields(const orr_csv *line, bool sure)
{
    for (int i = 0; i < ORR_PAI_KINDS; i++)
        if (has_names(line, &orr_pai_tables[i]))
            return (orr_pai_kind)i;
    for (int i = 0; i < ORR_PAI_KINDS; i++)
        if (is_of(line, (orr_pai_kind)i, sure))
            return (orr_pai_kind)i;
    return ORR_PAI_NONE;
}

orr_pai_kind orr_pai_recognise(const char *line, bool sure)
{
    const size_t n = strlen(line);
    orr_csv csv = {.text = orr_xstrndup(line, n), .length = n, .separator = ','};
    orr_csv_split(&csv);
    const orr_pai_kind kind = of_fields(&csv, sure);
    free(csv.text);
    orr_csv_fini(&csv);
    return kind;
}

/* ---- files beside ---- */

static bool exists(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    return f != NULL;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The same name, packed otherwise. */
static bool packed_otherwise(orr_text *path)
{
    static const char *const packings[] = {"", ".gz", ".zst"};
    const size_t n = path->n;
    const size_t bare = n - (ends_in(path->at, ".gz") ? 3 : ends_in(path->at, ".zst") ? 4 : 0);
    orr_text other = {0};
    bool found = false;
    for (size_t i = 0; i < 3 && !found; i++) {
        orr_text_clear(&other);
        orr_text_addf(&other, "%.*s%s", (int)bare, path->at, packings[i]);
        found = exists(other.at);
    }
    if (found) {
        orr_text_clear(path);
        orr_text_add(path, other.at, other.n);
    }
    orr_text_fini(&other);
    return found;
}

bool orr_pai_beside(const char *file, orr_pai_kind kind, orr_pai_kind wanted, orr_text *path)
{
    const char *own = orr_pai_tables[kind].name, *at = strstr(base_of(file), own);
    orr_text_clear(path);
    if (!at) {
        orr_text_add(path, "", 0);
        return false;
    }
    orr_text_addf(path, "%.*s%s%s", (int)(at - file), file, orr_pai_tables[wanted].name, at + strlen(own));
    return exists(path->at) || packed_otherwise(path);
}
