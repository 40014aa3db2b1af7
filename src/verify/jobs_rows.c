/* jobs.csv: a row a job in trace order, each cell against what the log amounts to. Columns that aren't known here are
 * passed over. */
#include "verify/proof.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef enum kind { TEXT, TIME, COUNT, REAL } kind;

typedef struct value {
    kind kind;
    const char *text;
    orr_time time;
    int64_t count;
    double real;
} value;

static value text(const char *t)
{
    return (value){.kind = TEXT, .text = t};
}

static value time_of(orr_time t)
{
    return (value){.kind = TIME, .time = t};
}

static value count(int64_t n)
{
    return (value){.kind = COUNT, .count = n};
}

static value real(double v)
{
    return (value){.kind = REAL, .real = v};
}

static value gpu_seconds(orr_wide w)
{
    return real((double)w / 1e12);
}

/* ---- the columns ------------------------------------------------------------------------------------------------- */

static bool ended(const facts *f)
{
    return f->stage == DONE || f->stage == FAILED || f->stage == KILLED;
}

static orr_time jct(const facts *f)
{
    return ended(f) ? f->end - f->submit : ORR_TIME_NONE;
}

typedef struct row_of {
    const proof *p;
    const facts *f;
    uint64_t place;
} row_of;

/* clang-format off */
static value v_id(const row_of *r) { return text(r->f->id); }
static value v_user(const row_of *r) { return text(orr_names_text(r->p->names, r->f->user)); }
static value v_vc(const row_of *r) { return text(orr_names_text(r->p->names, r->f->vc)); }
static value v_gpus(const row_of *r) { return count(r->f->gpus); }
static value v_submit(const row_of *r) { return time_of(r->f->submit); }
static value v_first(const row_of *r) { return time_of(r->f->first_start); }
static value v_end(const row_of *r) { return time_of(r->f->end); }
static value v_state(const row_of *r) { return text(orr_stage_name(r->p, r->f)); }
static value v_reason(const row_of *r) { return text(orr_names_text(r->p->names, r->f->reason)); }
static value v_jct(const row_of *r) { return time_of(jct(r->f)); }
static value v_duration(const row_of *r) { return time_of(r->f->duration); }
static value v_held(const row_of *r) { return time_of(r->f->held); }
static value v_service(const row_of *r) { return gpu_seconds(r->f->service); }
static value v_overhead(const row_of *r) { return gpu_seconds(r->f->overhead); }
static value v_lost(const row_of *r) { return gpu_seconds(r->f->lost); }
static value v_starts(const row_of *r) { return count(r->f->starts); }
static value v_preemptions(const row_of *r) { return count(r->f->preemptions); }
static value v_migrations(const row_of *r) { return count(r->f->migrations); }
static value v_resizes(const row_of *r) { return count(r->f->resizes); }
static value v_milli(const row_of *r) { return count(r->f->milli); }
static value v_interruptions(const row_of *r) { return count(r->f->interruptions); }
static value v_attempts(const row_of *r) { return count(r->f->attempts); }
static value v_rho(const row_of *r) { return real(r->f->rho); }
static value v_deadline(const row_of *r) { return time_of(r->f->deadline); }
static value v_measured(const row_of *r) { return count(orr_measure_takes(&r->p->measure, r->f, r->place)); }
/* clang-format on */

static value v_wait_first(const row_of *r)
{
    return time_of(r->f->first_start == ORR_TIME_NONE ? ORR_TIME_NONE : r->f->first_start - r->f->submit);
}

static value v_wait_total(const row_of *r)
{
    return time_of(ended(r->f) ? jct(r->f) - r->f->held : ORR_TIME_NONE);
}

static value v_slowdown(const row_of *r)
{
    return real(ended(r->f) && r->f->duration > 0 ? (double)jct(r->f) / (double)r->f->duration : NAN);
}

static const struct {
    const char *name;
    value (*value)(const row_of *r);
} columns[] = {
    {"job_id", v_id},
    {"user", v_user},
    {"vc", v_vc},
    {"gpus", v_gpus},
    {"submit", v_submit},
    {"first_start", v_first},
    {"end", v_end},
    {"state", v_state},
    {"reason", v_reason},
    {"jct", v_jct},
    {"wait_first", v_wait_first},
    {"wait_total", v_wait_total},
    {"duration", v_duration},
    {"held", v_held},
    {"service", v_service},
    {"overhead", v_overhead},
    {"lost_work", v_lost},
    {"starts", v_starts},
    {"preemptions", v_preemptions},
    {"migrations", v_migrations},
    {"resizes", v_resizes},
    {"attempts", v_attempts},
    {"slowdown", v_slowdown},
    {"rho", v_rho},
    {"deadline", v_deadline},
    {"measured", v_measured},
    {"gpu_milli", v_milli},
    {"interruptions", v_interruptions},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool says(const char *cell, value v)
{
    switch (v.kind) {
    case TEXT:
        return strcmp(cell, v.text) == 0;
    case TIME:
        return orr_cell_is_time(cell, v.time);
    case COUNT:
        return orr_cell_is_count(cell, v.count);
    default:
        return orr_cell_is_real(cell, v.real);
    }
}

static void compare_row(proof *p, const orr_beside *s, const int *which, size_t cells, const row_of *r)
{
    char place[64];
    snprintf(place, sizeof place, "jobs.csv:%" PRIu32, s->line);
    p->job = r->f->id;
    for (size_t i = 0; i < cells; i++)
        if (which[i] >= 0 && !says(orr_beside_cell(s, i), columns[which[i]].value(r))) {
            orr_proof_finds(p, RULE_JOBS, place, "%s is '%.80s', which the log doesn't say", columns[which[i]].name,
                            orr_beside_cell(s, i));
            return;
        }
}

/* The next job that was submitted, from `place` on. */
static facts *next_job(proof *p, uint64_t *place)
{
    for (; *place < (uint64_t)p->page_count * PAGE; ++*place) {
        facts *f = orr_proof_facts(p, *place, false);
        if (f && f->stage != ABSENT)
            return f;
    }
    return NULL;
}

static int column_named(const char *name)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].name, name) == 0)
            return i;
    return -1;
}

static orr_err compare_rows(proof *p, orr_beside *s, orr_error *e)
{
    const size_t cells = s->cells.n;
    int *which = orr_xcalloc(cells + 1, sizeof *which);
    for (size_t i = 0; i < cells; i++)
        which[i] = column_named(orr_beside_cell(s, i));
    uint64_t place = 0;
    orr_err err = ORR_OK;
    p->now = ORR_TIME_NONE;
    for (p->out->job_rows = 0; !(err = orr_beside_next(s, e)) && !s->over; p->out->job_rows++, place++) {
        const facts *f = next_job(p, &place);
        p->job = NULL;
        if (f)
            compare_row(p, s, which, cells, &(row_of){p, f, place});
        else
            orr_proof_finds(p, RULE_JOBS, "jobs.csv", "it has a row of a job that the log doesn't have: %.80s",
                            orr_beside_cell(s, 0));
    }
    const facts *missing = err ? NULL : next_job(p, &place);
    p->job = missing ? missing->id : NULL;
    if (missing)
        orr_proof_finds(p, RULE_JOBS, "jobs.csv", "this job has no row");
    free(which);
    return err;
}

orr_err orr_jobs_compare(proof *p, const char *path, orr_error *e)
{
    orr_beside sheet;
    orr_err err = orr_beside_open(&sheet, path, e);
    if (!err)
        err = compare_rows(p, &sheet, e);
    orr_beside_close(&sheet);
    p->job = NULL;
    return err;
}
