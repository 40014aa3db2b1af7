/* One walk over the jobs; each is kept as it is or changed, or counted under why it isn't. */
#include <orrery/select.h>

#include "base/rng.h"
#include "base/where.h"
#include "trace/columns.h"
#include <math.h>

orr_selection orr_selection_all(void)
{
    return (orr_selection){.from = ORR_TIME_NONE, .to = ORR_TIME_NONE, .sample = 1, .seed = 1, .scale_load = 1};
}

/* ---- what a condition may name: columns of records, attributes, and some figures made of them ---- */

typedef struct figure {
    const char *name;
    orr_where_type type;
    orr_where_value (*of)(const orr_trace_job *job);
} figure;

static orr_where_value some_time(orr_time t)
{
    return (orr_where_value){.known = t != ORR_TIME_NONE, .time = t};
}

static orr_where_value some_text(const char *text)
{
    return (orr_where_value){.known = text[0] != '\0', .text = text};
}

static orr_where_value number(double v)
{
    return (orr_where_value){.known = true, .number = v};
}

#define FIGURE(name, expression)                                                                                       \
    static orr_where_value of_##name(const orr_trace_job *job)                                                         \
    {                                                                                                                  \
        return expression;                                                                                             \
    }

static const char *ending_name(orr_ending ending)
{
    static const char *const names[] = {"done", "failed", "killed"};
    return names[ending];
}

static orr_time between(orr_time from, orr_time to)
{
    return from == ORR_TIME_NONE || to == ORR_TIME_NONE ? ORR_TIME_NONE : to - from;
}

FIGURE(job_id, some_text(job->id))
FIGURE(submit, some_time(job->submit))
FIGURE(duration, some_time(job->duration))
FIGURE(gpus, number(job->gpus))
FIGURE(user, some_text(job->user))
FIGURE(vc, some_text(job->vc))
FIGURE(name, some_text(job->name))
FIGURE(model, some_text(job->model))
FIGURE(gpu_type, some_text(job->gpu_type))
FIGURE(group, some_text(job->group))
FIGURE(cpus, ((orr_where_value){.known = job->cpu_milli > 0, .number = (double)job->cpu_milli / 1000}))
FIGURE(mem, ((orr_where_value){.known = job->mem_bytes > 0, .number = (double)job->mem_bytes}))
FIGURE(gpu_mem, ((orr_where_value){.known = job->gpu_mem_bytes > 0, .number = (double)job->gpu_mem_bytes}))
FIGURE(limit, some_time(job->limit))
FIGURE(deadline, some_time(job->deadline))
FIGURE(weight, number(job->weight))
FIGURE(state, some_text(ending_name(job->ending)))
FIGURE(attempts, number(job->attempt_count))
FIGURE(min_gpus, number(job->min_gpus))
FIGURE(max_gpus, number(job->max_gpus))
FIGURE(gpu_milli, number(job->gpu_milli))
FIGURE(preemptible, number(job->preemptible))
FIGURE(censored, number(job->censored))
FIGURE(carried, number(job->carried))
FIGURE(after, number(job->after_count))
FIGURE(think, some_time(job->think))
FIGURE(ran, some_time(job->ran))
FIGURE(starts, number(job->starts ? job->attempt_count : job->start != ORR_TIME_NONE))
FIGURE(start, some_time(job->start))
FIGURE(end, some_time(job->end))
FIGURE(wait, some_time(between(job->submit, job->start)))
FIGURE(jct, some_time(between(job->submit, job->end)))
FIGURE(gpu_time, number(orr_time_seconds(job->duration) * job->gpus * job->gpu_milli / 1000))

static const figure figures[] = {
    {"job_id", ORR_WHERE_TEXT, of_job_id},         {"submit", ORR_WHERE_TIME, of_submit},
    {"duration", ORR_WHERE_TIME, of_duration},     {"gpus", ORR_WHERE_NUMBER, of_gpus},
    {"user", ORR_WHERE_TEXT, of_user},             {"vc", ORR_WHERE_TEXT, of_vc},
    {"name", ORR_WHERE_TEXT, of_name},             {"model", ORR_WHERE_TEXT, of_model},
    {"gpu_type", ORR_WHERE_TEXT, of_gpu_type},     {"group", ORR_WHERE_TEXT, of_group},
    {"cpus", ORR_WHERE_NUMBER, of_cpus},           {"mem_bytes", ORR_WHERE_NUMBER, of_mem},
    {"gpu_mem", ORR_WHERE_NUMBER, of_gpu_mem},     {"limit", ORR_WHERE_TIME, of_limit},
             {"deadline", ORR_WHERE_TIME, of_deadline},
    {"weight", ORR_WHERE_NUMBER, of_weight},       {"state", ORR_WHERE_TEXT, of_state},
    {"attempts", ORR_WHERE_NUMBER, of_attempts},   {"min_gpus", ORR_WHERE_NUMBER, of_min_gpus},
    {"max_gpus", ORR_WHERE_NUMBER, of_max_gpus},   {"gpu_milli", ORR_WHERE_NUMBER, of_gpu_milli},
    {"preemptible", ORR_WHERE_NUMBER, of_preemptible}, {"censored", ORR_WHERE_NUMBER, of_censored},
    {"carried", ORR_WHERE_NUMBER, of_carried},     {"start", ORR_WHERE_TIME, of_start},
    {"end", ORR_WHERE_TIME, of_end},               {"wait", ORR_WHERE_TIME, of_wait},
    {"jct", ORR_WHERE_TIME, of_jct},               {"gpu_time", ORR_WHERE_NUMBER, of_gpu_time},
    {"after", ORR_WHERE_NUMBER, of_after},         {"think", ORR_WHERE_TIME, of_think},
    {"ran", ORR_WHERE_TIME, of_ran},               {"starts", ORR_WHERE_NUMBER, of_starts},
};
#define FIGURES (sizeof figures / sizeof *figures)

/* An attribute all of whose values are numbers is compared as a number. */
static orr_where_type attribute_type(const orr_trace *trace, size_t place)
{
    bool any = false;
    double value;
    for (size_t i = 0; i < trace->jobs.n; i++) {
        const char *const *attributes = trace->jobs.at[i].attributes;
        if (!attributes || !attributes[place][0])
            continue;
        if (!orr_parse_double(attributes[place], strlen(attributes[place]), &value))
            return ORR_WHERE_TEXT;
        any = true;
    }
    return any ? ORR_WHERE_NUMBER : ORR_WHERE_TEXT;
}

typedef struct selecting {
    const orr_trace *from;
    const orr_selection *s;
    orr_trace *to;
    orr_where *where;
    ORR_VEC(orr_where_column) columns;
    const orr_trace_job *job; /* the one that is looked at */
    uint64_t kept;
} selecting;

static orr_where_value attribute_of(const selecting *x, size_t column)
{
    const char *const *attributes = x->job->attributes;
    orr_where_value v = some_text(attributes ? attributes[column - FIGURES] : "");
    if (v.known && x->columns.at[column].type == ORR_WHERE_NUMBER)
        orr_parse_double(v.text, strlen(v.text), &v.number);
    return v;
}

static orr_where_value get(void *self, size_t column)
{
    const selecting *x = self;
    return column < FIGURES ? figures[column].of(x->job) : attribute_of(x, column);
}

static orr_err prepare_where(selecting *x, orr_error *e)
{
    if (!x->s->where)
        return ORR_OK;
    if (x->from->requests.n)
        return orr_error_set(e, ORR_E_BAD_VALUE, "a condition selects jobs, and the trace holds requests");
    for (size_t i = 0; i < FIGURES; i++) {
        const orr_where_column column = {figures[i].name, figures[i].type};
        ORR_VEC_PUSH(&x->columns, column);
    }
    for (size_t i = 0; i < x->from->attributes.n; i++) {
        const orr_where_column column = {x->from->attributes.at[i], attribute_type(x->from, i)};
        ORR_VEC_PUSH(&x->columns, column);
    }
    x->where = orr_where_parse("--where", x->s->where, x->columns.at, x->columns.n, e);
    return x->where ? ORR_OK : ORR_E_BAD_VALUE;
}

/* ---- one job ---- */

static bool one_of(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return n == 0;
}

static orr_flaw unwanted(selecting *x)
{
    const orr_selection *s = x->s;
    const orr_trace_job *job = x->job;
    if (!one_of(job->vc, s->vcs, s->vc_count))
        return ORR_FLAW_OTHER_VC;
    if (!one_of(job->user, s->users, s->user_count))
        return ORR_FLAW_OTHER_USER;
    if (job->gpus < s->min_gpus || (s->max_gpus && job->gpus > s->max_gpus))
        return ORR_FLAW_OTHER_SIZE;
    return x->where && !orr_where_holds(x->where, get, x) ? ORR_FLAW_NOT_WHERE : ORR_FLAW_NONE;
}

/* A job submitted before the cut: what it was doing then. Where pauses between attempts were not kept, what is left is
 * taken to be its last part. */
static orr_flaw carry(orr_trace_job *job, orr_time cut)
{
    if (job->start == ORR_TIME_NONE)
        return ORR_FLAW_BEFORE_UNKNOWN;
    const orr_time end = job->end == ORR_TIME_NONE ? orr_time_add(job->start, job->duration) : job->end;
    if (end <= cut)
        return ORR_FLAW_BEFORE;
    if (job->start <= cut) {
        const orr_time left = end - cut < job->duration ? end - cut : job->duration;
        job->ran = job->duration - left;
        job->duration = left;
        job->attempts = NULL;
        job->starts = NULL;
        job->attempt_count = 1;
    }
    job->carried = true;
    job->submit = cut;
    return ORR_FLAW_NONE;
}

/* On which side of the window a time lies, if outside. */
static orr_flaw beside_window(const orr_selection *s, orr_time t)
{
    if (s->to != ORR_TIME_NONE && t >= s->to)
        return ORR_FLAW_BEYOND;
    return s->from != ORR_TIME_NONE && t < s->from ? ORR_FLAW_BEFORE : ORR_FLAW_NONE;
}

static orr_flaw window(const orr_selection *s, orr_trace_job *job)
{
    const orr_flaw flaw = beside_window(s, job->submit);
    return flaw == ORR_FLAW_BEFORE ? carry(job, s->from) : flaw;
}

static bool sampled(const orr_selection *s, const char *id)
{
    if (s->sample >= 1)
        return true;
    const uint64_t hash = orr_mix64(orr_hash64(s->seed, id, strlen(id)));
    return (double)(hash >> 11) * 0x1p-53 < s->sample;
}

static bool scales(const orr_selection *s)
{
    return s->scale_load > 1 || s->scale_load < 1;
}

/* Exact where nothing is scaled. */
static orr_time scaled(const orr_selection *s, orr_time t)
{
    const double factor = s->scale_load;
    if (!scales(s))
        return t;
    return orr_time_from_seconds((double)(t / ORR_SECOND) / factor + (double)(t % ORR_SECOND) / 1e9 / factor);
}

static void scale(const orr_selection *s, orr_trace_job *job)
{
    if (!scales(s))
        return;
    const orr_time submit = scaled(s, job->submit);
    if (job->deadline != ORR_TIME_NONE)
        job->deadline += submit - job->submit;
    job->submit = submit;
    job->start = job->end = ORR_TIME_NONE;
    job->starts = NULL;
}

static void shift(orr_time *t, orr_time by)
{
    if (*t != ORR_TIME_NONE)
        *t -= by;
}

static void shift_job(orr_trace *trace, orr_trace_job *job, orr_time by)
{
    shift(&job->submit, by);
    shift(&job->start, by);
    shift(&job->end, by);
    shift(&job->deadline, by);
    if (!job->starts)
        return;
    orr_time *starts = orr_arena_alloc(&trace->arena, job->attempt_count * sizeof *starts);
    for (uint32_t i = 0; i < job->attempt_count; i++)
        starts[i] = job->starts[i] - by;
    job->starts = starts;
}

static orr_time cut_of(const orr_selection *s)
{
    return s->from == ORR_TIME_NONE ? 0 : s->from;
}

static orr_flaw change(selecting *x, orr_trace_job *job)
{
    orr_flaw flaw = unwanted(x);
    if (!flaw)
        flaw = window(x->s, job);
    if (!flaw && !sampled(x->s, job->id))
        flaw = ORR_FLAW_NOT_SAMPLED;
    if (flaw)
        return flaw;
    if (cut_of(x->s))
        shift_job(x->to, job, x->s->from);
    scale(x->s, job);
    return x->s->limit && x->kept >= x->s->limit ? ORR_FLAW_OVER_LIMIT : ORR_FLAW_NONE;
}

static void select_jobs(selecting *x)
{
    for (size_t i = 0; i < x->from->jobs.n; i++) {
        orr_trace_job job = x->from->jobs.at[i];
        x->job = &x->from->jobs.at[i];
        const orr_flaw flaw = change(x, &job);
        if (flaw) {
            orr_trace_note(x->to, flaw, NULL, job.line);
            continue;
        }
        orr_trace_store(x->to, &job, false);
        x->to->jobs.at[x->kept++].row = job.row;
    }
}

/* Withdrawn jobs are only told of: those of the window stay. */
static void select_withdrawn(selecting *x)
{
    for (size_t i = 0; i < x->from->withdrawn.n; i++) {
        orr_trace_job job = x->from->withdrawn.at[i];
        x->job = &x->from->withdrawn.at[i];
        if (unwanted(x) || beside_window(x->s, job.submit))
            continue;
        shift_job(x->to, &job, cut_of(x->s));
        orr_trace_store_withdrawn(x->to, &job);
    }
}

/* ---- requests ---- */

static orr_flaw change_request(selecting *x, orr_trace_request *r)
{
    const orr_selection *s = x->s;
    if (!one_of(r->client, s->users, s->user_count))
        return ORR_FLAW_OTHER_USER;
    const orr_flaw beside = beside_window(s, r->arrival);
    if (beside)
        return beside;
    if (!sampled(s, r->id))
        return ORR_FLAW_NOT_SAMPLED;
    r->arrival = scaled(s, r->arrival - cut_of(s));
    return s->limit && x->kept >= s->limit ? ORR_FLAW_OVER_LIMIT : ORR_FLAW_NONE;
}

static void select_requests(selecting *x)
{
    for (size_t i = 0; i < x->from->requests.n; i++) {
        orr_trace_request r = x->from->requests.at[i];
        const orr_flaw flaw = change_request(x, &r);
        if (flaw) {
            orr_trace_note(x->to, flaw, NULL, r.line);
            continue;
        }
        orr_trace_store_request(x->to, &r);
        x->to->requests.at[x->kept++].row = r.row;
    }
}

/* ---- the trace ---- */

static void copy_head(const orr_trace *from, orr_trace *to, orr_time cut)
{
    to->format = from->format;
    to->rows = orr_trace_rows_read(from);
    to->bin = from->bin;
    for (size_t i = 0; i < from->attributes.n; i++)
        orr_trace_attribute_named(to, from->attributes.at[i]);
    for (size_t i = 0; i < from->inputs.n; i++)
        orr_trace_add_input(to, from->inputs.at[i].path, from->inputs.at[i].digest);
    for (size_t i = 0; i < from->notes.n; i++) {
        orr_note note = from->notes.at[i];
        note.detail = orr_trace_keep(to, note.detail);
        note.file = orr_trace_keep(to, note.file);
        ORR_VEC_PUSH(&to->notes, note);
    }
    orr_civil origin;
    if (!from->origin[0] || orr_civil_parse(from->origin, strlen(from->origin), &origin))
        return;
    origin.local = orr_time_add(origin.local, cut);
    orr_civil_format(&origin, to->origin);
}

static orr_err check(const orr_selection *s, orr_error *e)
{
    if (!(s->sample > 0 && s->sample <= 1))
        return orr_error_set(e, ORR_E_BAD_VALUE, "a sample is a share above 0 and up to 1");
    if (!(s->scale_load >= 1e-6 && s->scale_load <= 1e6))
        return orr_error_set(e, ORR_E_BAD_VALUE, "the load is scaled by a number from 0.000001 to 1000000");
    if (s->from != ORR_TIME_NONE && s->to != ORR_TIME_NONE && s->to <= s->from)
        return orr_error_set(e, ORR_E_BAD_VALUE, "the window ends before it begins");
    if (s->max_gpus && s->max_gpus < s->min_gpus)
        return orr_error_set(e, ORR_E_BAD_VALUE, "no number of GPUs is at least %d and at most %d", s->min_gpus,
                             s->max_gpus);
    return ORR_OK;
}

static orr_err nothing_left(const orr_trace *to, orr_error *e)
{
    orr_text counts = {0};
    for (size_t i = 0; i < to->notes.n; i++)
        if (to->notes.at[i].kind == ORR_NOTE_DROP)
            orr_text_addf(&counts, "%s %s %llu", counts.n ? "," : "", to->notes.at[i].reason,
                          (unsigned long long)to->notes.at[i].count);
    orr_error_set(e, ORR_E_NO_JOBS, "the selection leaves nothing of %llu rows:%s", (unsigned long long)to->rows,
                  counts.at ? counts.at : "");
    orr_error_at(e, to->name, 0, 0);
    orr_text_fini(&counts);
    return ORR_E_NO_JOBS;
}

orr_trace *orr_trace_select(const orr_trace *trace, const orr_selection *selection, orr_error *e)
{
    selecting x = {.from = trace, .s = selection};
    orr_err err = check(selection, e);
    if (!err)
        err = prepare_where(&x, e);
    if (!err) {
        x.to = orr_trace_create(trace->name);
        copy_head(trace, x.to, cut_of(selection));
        select_jobs(&x);
        select_withdrawn(&x);
        select_requests(&x);
        err = x.kept ? orr_trace_finish(x.to, e) : nothing_left(x.to, e);
    }
    orr_where_destroy(x.where);
    ORR_VEC_FREE(&x.columns);
    if (!err)
        return x.to;
    orr_trace_destroy(x.to);
    return NULL;
}
