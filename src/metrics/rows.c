/* One table of columns: name, kind and place in the row. */
#include "metrics/rows.h"

#include <math.h>
#include <string.h>

#define BSLD_FLOOR (10 * ORR_SECOND)

typedef enum kind { TEXT, COUNT, REAL, TIME } kind;

#define AT(member) offsetof(orr_job_row, member)

static const struct {
    kind kind;
    size_t offset;
} places[] = {
    {TEXT, AT(id)},        {TEXT, AT(user)},        {TEXT, AT(vc)},           {COUNT, AT(gpus)},
    {TIME, AT(submit)},    {TIME, AT(first_start)}, {TIME, AT(end)},          {TEXT, AT(state)},
    {TEXT, AT(reason)},    {TIME, AT(jct)},         {TIME, AT(wait_first)},   {TIME, AT(wait_total)},
    {TIME, AT(duration)},  {TIME, AT(held)},        {REAL, AT(service)},      {REAL, AT(overhead)},
    {REAL, AT(lost_work)}, {COUNT, AT(starts)},     {COUNT, AT(preemptions)}, {COUNT, AT(migrations)},
    {COUNT, AT(resizes)},  {COUNT, AT(attempts)},   {REAL, AT(slowdown)},     {REAL, AT(rho)},
    {TIME, AT(deadline)},  {COUNT, AT(gpu_milli)},  {COUNT, AT(interruptions)}, {REAL, AT(bsld)},
};

static const orr_where_column columns[] = {
    {"job_id", ORR_WHERE_TEXT},        {"user", ORR_WHERE_TEXT},         {"vc", ORR_WHERE_TEXT},
    {"gpus", ORR_WHERE_NUMBER},        {"submit", ORR_WHERE_TIME},       {"first_start", ORR_WHERE_TIME},
    {"end", ORR_WHERE_TIME},           {"state", ORR_WHERE_TEXT},        {"reason", ORR_WHERE_TEXT},
    {"jct", ORR_WHERE_TIME},           {"wait_first", ORR_WHERE_TIME},   {"wait_total", ORR_WHERE_TIME},
    {"duration", ORR_WHERE_TIME},      {"held", ORR_WHERE_TIME},         {"service", ORR_WHERE_NUMBER},
    {"overhead", ORR_WHERE_NUMBER},    {"lost_work", ORR_WHERE_NUMBER},  {"starts", ORR_WHERE_NUMBER},
    {"preemptions", ORR_WHERE_NUMBER}, {"migrations", ORR_WHERE_NUMBER}, {"resizes", ORR_WHERE_NUMBER},
    {"attempts", ORR_WHERE_NUMBER},    {"slowdown", ORR_WHERE_NUMBER},   {"rho", ORR_WHERE_NUMBER},
    {"deadline", ORR_WHERE_TIME},      {"gpu_milli", ORR_WHERE_NUMBER},  {"interruptions", ORR_WHERE_NUMBER},
    {"bsld", ORR_WHERE_NUMBER},
};
_Static_assert(sizeof columns / sizeof *columns == sizeof places / sizeof *places, "a column without a place");

size_t orr_job_columns(const orr_where_column **out)
{
    *out = columns;
    return sizeof columns / sizeof *columns;
}

static const void *place(const orr_job_row *row, size_t column)
{
    return (const char *)row + places[column].offset;
}

static orr_time time_at(const orr_job_row *row, size_t column)
{
    return *(const orr_time *)place(row, column);
}

double orr_job_number(const orr_job_row *row, size_t column)
{
    switch (places[column].kind) {
    case COUNT: return (double)*(const int64_t *)place(row, column);
    case REAL: return *(const double *)place(row, column);
    case TIME: return time_at(row, column) == ORR_TIME_NONE ? NAN : orr_time_seconds(time_at(row, column));
    default: return NAN;
    }
}

orr_where_value orr_job_column(const orr_job_row *row, size_t column)
{
    orr_where_value v = {.known = true};
    switch (places[column].kind) {
    case TEXT:
        v.text = *(const char *const *)place(row, column);
        v.known = v.text[0] != '\0';
        break;
    case TIME:
        v.time = time_at(row, column);
        v.known = v.time != ORR_TIME_NONE;
        break;
    default: v.number = orr_job_number(row, column); v.known = !isnan(v.number);
    }
    return v;
}

double orr_job_rho_fixed(const orr_job_row *row, int64_t n)
{
    if (row->jct == ORR_TIME_NONE || row->duration <= 0 || row->gpus <= 0 || row->pool_gpus <= 0)
        return NAN;
    double g = (double)(row->gpus * row->gpu_milli) / 1000, fair = (double)row->pool_gpus / (double)n;
    const double d = orr_time_seconds(row->duration);
    const bool in_full = fair >= g && row->gpu_milli != 1000; /* parts don't divide exactly */
    return orr_time_seconds(row->jct) / (in_full ? d : d * g / (fair < g ? fair : g));
}

double orr_job_bsld(orr_time jct, orr_time duration)
{
    if (jct == ORR_TIME_NONE)
        return NAN;
    double ratio = (double)jct / (double)(duration > BSLD_FLOOR ? duration : BSLD_FLOOR);
    return ratio > 1 ? ratio : 1;
}

static void copy_record(orr_job_row *row, const orr_job_record *r)
{
    row->submit = r->submit != ORR_TIME_NONE ? r->submit : r->trace->submit;
    row->first_start = r->first_start;
    row->end = r->end;
    row->held = r->held;
    row->service = r->service;
    row->overhead = r->overhead;
    row->lost_work = r->lost_work;
    row->starts = r->starts;
    row->preemptions = r->preemptions;
    row->migrations = r->migrations;
    row->resizes = r->resizes;
    row->attempts = r->attempts;
    row->interruptions = r->interruptions;
}

orr_job_row orr_job_row_of(const orr_kept_job *job)
{
    const orr_trace_job *t = job->record.trace;
    orr_job_row row = {.id = t->id,
                       .user = t->user,
                       .vc = t->vc,
                       .gpus = t->gpus,
                       .gpu_milli = t->gpu_milli,
                       .duration = t->duration,
                       .deadline = t->deadline,
                       .rho = job->rho,
                       .submitted = orr_kept_submitted(job)};
    copy_record(&row, &job->record);
    row.state = orr_job_state_name(job->record.state);
    row.reason = job->record.reason;
    row.jct = orr_kept_jct(job);
    row.wait_first = orr_kept_wait_first(job);
    row.wait_total = orr_kept_wait_total(job);
    row.slowdown = orr_kept_slowdown(job);
    row.bsld = orr_job_bsld(row.jct, row.duration);
    return row;
}
