/* Traces of the Gavel simulator and its relatives: no header, fields separated by tabs. Three layouts are in use, told
 * apart by their number of fields: 7 (converted from Philly), 10 (Gavel itself) and 12 (Shockwave, which adds how the
 * batch size changes and a duration).
 *
 * A job is an amount of work. Its duration is total steps / steps per second of (job type, GPUs) alone on one GPU type,
 * from a throughput table; the speed is a binary fraction anyway, so the quotient is made in double and rounded to the
 * nearest ns. Jobs that the table doesn't know are dropped (Gavel itself ends with an error there), as are those whose
 * speed is 0, which means that they can't run. Without a table the 12 fields' own duration is used; with both, the
 * table's, and a difference of more than the second to which theirs are rounded is counted.
 *
 * An SLO is a factor: the deadline lies that many times the duration on a V100 behind the arrival, whatever type is
 * asked for; negative: none. If the table has no speed there, the duration at hand stands in. */
#include "trace/reader.h"
#include "model/throughputs.h"
#include <stdio.h>

enum { TYPE, COMMAND, FOLDER, STEPS_ARG, NEEDS_DATA, STEPS, GPUS, MODE, WEIGHT, SLO, DURATION, ARRIVAL, FIELDS };

static const orr_sheet_column about[FIELDS] = {
    [TYPE] = {"job_type", .needed = true},
    [COMMAND] = {"command", true, .attribute = true},
    [FOLDER] = {"working_dir", true, .attribute = true},
    [STEPS_ARG] = {"steps_arg", true, .attribute = true},
    [NEEDS_DATA] = {"needs_data", true, .attribute = true},
    [STEPS] = {"total_steps", true, .attribute = true},
    [GPUS] = {"scale_factor", .needed = true},
    [MODE] = {"mode", true, .attribute = true},
    [WEIGHT] = {"priority_weight", .needed = true},
    [SLO] = {"slo", .needed = true},
    [DURATION] = {"stated_duration", true, .attribute = true},
    [ARRIVAL] = {"arrival_time", .needed = true},
};

typedef struct layout {
    size_t n;
    unsigned char fields[FIELDS];
} layout;

static const layout layouts[] = {
    {7, {TYPE, COMMAND, STEPS_ARG, NEEDS_DATA, STEPS, ARRIVAL, GPUS}},
    {10, {TYPE, COMMAND, FOLDER, STEPS_ARG, NEEDS_DATA, STEPS, GPUS, WEIGHT, SLO, ARRIVAL}},
    {12, {TYPE, COMMAND, FOLDER, STEPS_ARG, NEEDS_DATA, STEPS, GPUS, MODE, WEIGHT, SLO, DURATION, ARRIVAL}},
};

typedef struct gavel {
    orr_throughputs *table; /* NULL: none was given */
    int32_t type, v100;     /* of the table; v100 = -1: it has none */
    bool spread;            /* the type was asked for as X_unconsolidated */
    int32_t at[FIELDS];     /* where a field stands in this file's rows; -1: nowhere */
    size_t batch_place;     /* of the attribute batch_size */
    char batch[24];
} gavel;

/* ---- recognition ---- */

static const layout *layout_of(const orr_csv *row)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].n == row->fields.n)
            return &layouts[i];
    return NULL;
}

static bool fits(const orr_field *field, unsigned char what)
{
    int64_t whole;
    double real;
    switch (what) {
    case NEEDS_DATA:
        return field->n == 1 && (field->at[0] == '0' || field->at[0] == '1');
    case STEPS:
    case GPUS:
        return orr_parse_i64(field->at, field->n, &whole);
    case WEIGHT:
    case SLO:
    case DURATION:
    case ARRIVAL:
        return orr_parse_double(field->at, field->n, &real);
    default:
        return field->n > 0;
    }
}

/* A line cut at its tabs. */
static orr_csv split(const char *line)
{
    const size_t n = strlen(line);
    orr_csv row = {.text = orr_xstrndup(line, n), .length = n, .separator = '\t'};
    orr_csv_split(&row);
    return row;
}

static bool is_gavel(const orr_head *head)
{
    orr_csv row = split(head->line);
    const layout *l = layout_of(&row);
    bool good = l != NULL;
    for (size_t i = 0; good && i < l->n; i++)
        good = fits(&row.fields.at[i], l->fields[i]);
    free(row.text);
    orr_csv_fini(&row);
    return good;
}

/* ---- rows ---- */

static orr_cell cell(const orr_sheet *sheet, int what)
{
    const gavel *g = sheet->self;
    if (g->at[what] < 0)
        return (orr_cell){about[what].name, "", 0, 0};
    return orr_sheet_cell(sheet, (size_t)g->at[what]);
}

/* "ResNet-18 (batch size 16)" -> 16; "" where the type says none. */
static const char *batch_size(gavel *g, const char *type)
{
    static const char words[] = "(batch size ";
    const char *found = strstr(type, words);
    const size_t digits = found ? strspn(found + sizeof words - 1, "0123456789") : 0;
    if (digits == 0 || digits >= sizeof g->batch || found[sizeof words - 1 + digits] != ')')
        return "";
    snprintf(g->batch, sizeof g->batch, "%.*s", (int)digits, found + sizeof words - 1);
    return g->batch;
}

/* On the type that was asked for. */
static double own_speed(const gavel *g, int32_t job)
{
    return (g->spread ? orr_throughputs_spread : orr_throughputs_alone)(g->table, g->type, job);
}

static orr_time at_speed(double speed, int64_t steps)
{
    return speed > 0 ? orr_time_from_seconds((double)steps / speed) : ORR_TIME_NONE;
}

static bool no_speed(orr_intake *k, const orr_sheet *sheet, int32_t known)
{
    const gavel *g = sheet->self;
    const orr_cell type = cell(sheet, TYPE);
    const bool zero = known >= 0 && own_speed(g, known) == 0;
    return orr_intake_flaw(k, zero ? ORR_FLAW_ZERO_THROUGHPUT : ORR_FLAW_NO_THROUGHPUT, &type);
}

static bool take_stated(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job)
{
    const orr_cell stated = cell(sheet, DURATION);
    const gavel *g = sheet->self;
    orr_time duration = job->duration;
    if (!g->table)
        return orr_take_duration(k, stated, ORR_FLAW_NO_DURATION, &job->duration);
    if (!orr_take_some_duration(k, stated, &duration))
        return false;
    const orr_time apart = duration > job->duration ? duration - job->duration : job->duration - duration;
    return apart <= ORR_SECOND || orr_intake_flaw(k, ORR_FLAW_DURATION, &stated);
}

/* The duration, and in *reference what an SLO multiplies. */
static bool take_work(orr_intake *k, const orr_sheet *sheet, orr_trace_job *job, orr_time *reference)
{
    const gavel *g = sheet->self;
    int64_t steps;
    if (!orr_take_count(k, cell(sheet, STEPS), ORR_FLAW_NO_DURATION, &steps))
        return false;
    if (steps < 0) {
        const orr_cell bad = cell(sheet, STEPS);
        return orr_intake_flaw(k, ORR_FLAW_NUMBER, &bad);
    }
    if (!g->table) {
        const bool good = take_stated(k, sheet, job);
        *reference = job->duration;
        return good;
    }
    const int32_t known = orr_throughputs_job(g->table, job->model, job->gpus);
    job->duration = at_speed(own_speed(g, known), steps);
    if (job->duration == ORR_TIME_NONE)
        return no_speed(k, sheet, known);
    *reference = at_speed(orr_throughputs_alone(g->table, g->v100, known), steps);
    if (*reference == ORR_TIME_NONE)
        *reference = job->duration;
    return take_stated(k, sheet, job);
}

static void row(orr_intake *k, orr_sheet *sheet)
{
    gavel *g = sheet->self;
    orr_trace_job job = orr_trace_job_default();
    orr_time reference = 0;
    double slo = -1;
    job.id = orr_intake_number(k);
    job.model = cell(sheet, TYPE).at;
    orr_intake_set(k, g->batch_place, batch_size(g, job.model));
    if (!orr_take_gpus(k, cell(sheet, GPUS), &job.gpus) ||
        !orr_take_time(k, cell(sheet, ARRIVAL), ORR_FLAW_NO_SUBMIT, &job.submit) ||
        !orr_take_real(k, cell(sheet, WEIGHT), &job.weight) || !orr_take_real(k, cell(sheet, SLO), &slo) ||
        !take_work(k, sheet, &job, &reference))
        return;
    if (slo >= 0)
        job.deadline = orr_time_add(job.submit, orr_time_from_seconds(slo * orr_time_seconds(reference)));
    orr_intake_keep(k, &job);
}

/* ---- the file ---- */

static orr_err read_table(orr_intake *k, void *self)
{
    gavel *g = self;
    g->table = orr_throughputs_read(k->in, k->e);
    return g->table ? ORR_OK : k->e->code;
}

/* The type by its name, X_unconsolidated for gangs that are spread over nodes. */
static bool choose_type(orr_intake *k, gavel *g, const char *name)
{
    static const char suffix[] = "_unconsolidated";
    const size_t n = strlen(name), tail = sizeof suffix - 1;
    g->spread = n > tail && strcmp(name + n - tail, suffix) == 0;
    char *type = orr_xstrndup(name, g->spread ? n - tail : n);
    g->type = orr_throughputs_type(g->table, type);
    if (g->type < 0) {
        k->failed = orr_throughputs_refer(g->table, type, k->e);
        orr_error_at(k->e, k->options->tables, 0, 0);
    }
    free(type);
    return g->type >= 0;
}

static bool open_table(orr_intake *k, gavel *g, const layout *l)
{
    const char *type = k->options->gpu_type ? k->options->gpu_type : "v100";
    if (!k->options->tables) {
        if (l->n == 12)
            return true;
        orr_intake_fail(k, ORR_E_MISSING, NULL, "a Gavel trace holds steps, and no durations");
        orr_error_hint(k->e, "give the speeds that it was made for (simulation_throughputs.json): --tables FILE");
        return false;
    }
    if (orr_intake_beside(k, k->options->tables, read_table, g))
        return false;
    g->v100 = orr_throughputs_type(g->table, "v100");
    return choose_type(k, g, type);
}

/* The layout of the first row; NULL and an error if it is none of ours. */
static const layout *peek_layout(orr_intake *k)
{
    orr_head head;
    k->failed = orr_head_peek(k->in, &head, k->e);
    if (k->failed)
        return NULL;
    orr_csv row = split(head.line);
    const layout *l = layout_of(&row);
    if (!l)
        orr_intake_fail(k, ORR_E_FORMAT, NULL, "the first row has %zu fields between tabs; Gavel's have 7, 10 or 12",
                        row.fields.n);
    free(row.text);
    orr_csv_fini(&row);
    orr_head_fini(&head);
    return l;
}

static orr_err read_gavel(orr_intake *k)
{
    gavel g = {.v100 = -1};
    orr_sheet_column columns[FIELDS];
    const layout *l = peek_layout(k);
    k->same_id = ORR_SAME_ID_NEVER;
    if (!l || !open_table(k, &g, l)) {
        orr_throughputs_destroy(g.table);
        return k->failed;
    }
    for (size_t i = 0; i < FIELDS; i++)
        g.at[i] = -1;
    for (size_t i = 0; i < l->n; i++) {
        columns[i] = about[l->fields[i]];
        g.at[l->fields[i]] = (int32_t)i;
    }
    orr_sheet sheet = {.columns = columns, .n = l->n, .separator = '\t', .no_header = true, .self = &g};
    g.batch_place = orr_intake_attribute(k, "batch_size");
    orr_sheet_read(&sheet, k, row);
    orr_throughputs_destroy(g.table);
    return k->failed;
}

const orr_format orr_format_gavel = {
    .name = "gavel",
    .label = "gavel",
    .about = "traces of the Gavel simulator and of Shockwave; need its throughputs",
    .told = "7, 10 or 12 fields between tabs, without a header",
    .is = is_gavel,
    .read = read_gavel,
};
