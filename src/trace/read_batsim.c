/* Batsim's workloads: one JSON object of `nb_res`, `jobs` and `profiles`, which may stand in any order. Jobs and
 * profiles are cut out and parsed one by one; since profiles may follow the jobs that name them, a record of each job
 * is held until the end. Numbers are taken from the text as it stands, so that times and ids stay exact.
 *
 * Rules:
 * - A resource is a GPU (`processors-as-gpus`).
 * - The run time is the delay of a delay profile (type `delay`, or `DelayProfile` from version 5 on). Other profiles
 *   say what is computed and moved, not how long it takes: their jobs are dropped (`profile-type`).
 * - Batsim ends jobs at their walltime: a longer delay is cut there (`cut-at-limit`). A walltime of -1 is none.
 * - A profile that returns something else than 0 makes its jobs fail.
 * - Other members of a job are kept as attributes; `dependencies`, a list of job ids, are the jobs that it waits for.
 */
#include "trace/json_cut.h"
#include "trace/reader.h"
#include <cjson/cJSON.h>
#include <stdio.h>

#define MEMBERS 40 /* of a job, at most */
#define FIELDS 32  /* different names of other members, at most */

/* A member as it stands in the text. */
typedef struct member {
    const char *key, *at;
    size_t key_n, n;
} member;

typedef struct profile {
    const char *type, *delay; /* NULL type: not defined */
    orr_ending ending;
} profile;

typedef struct held {
    orr_trace_job job;
    uint32_t profile, line;
    size_t values, values_end; /* of its attributes among `values` */
} held;

typedef struct value {
    uint32_t field;
    const char *text;
} value;

typedef struct workload {
    orr_json_cut cut;
    bool jobs_seen;
    orr_arena scratch, ids;    /* texts of the current object; ids of the jobs held */
    orr_names *names, *types;  /* of profiles; of their types that are no delays */
    ORR_VEC(profile) profiles; /* by name */
    ORR_VEC(held) jobs;
    ORR_VEC(value) values;
    const char *fields[FIELDS]; /* names of attributes */
    uint32_t field_count;
    member members[MEMBERS]; /* of the current object */
    size_t n;
} workload;

/* ---- the members of an object, as text ---- */

/* What cJSON takes for a blank. */
static bool blank(char c)
{
    return c > 0 && c <= ' ';
}

static const char *skip_blanks(const char *p)
{
    while (blank(*p))
        p++;
    return p;
}

static const char *end_of_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        p += *p == '\\' && p[1];
    return p + (*p == '"');
}

static const char *end_of_value(const char *p)
{
    for (int depth = 0; *p;) {
        if (*p == '"') {
            p = end_of_string(p);
            continue;
        }
        if (depth == 0 && (*p == ',' || *p == '}' || *p == ']'))
            break;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        p++;
    }
    return p;
}

/* The object's text is valid JSON. False if it has too many. */
static bool list_members(workload *w, const char *text)
{
    const char *p = skip_blanks(text) + 1;
    w->n = 0;
    for (p = skip_blanks(p); *p == '"'; p = skip_blanks(p)) {
        if (w->n == MEMBERS)
            return false;
        const char *key = p + 1, *end = end_of_string(p);
        member m = {.key = key, .key_n = (size_t)(end - 1 - key)};
        p = skip_blanks(end);
        m.at = skip_blanks(p + 1);
        p = end_of_value(m.at);
        m.n = (size_t)(p - m.at);
        while (m.n && blank(m.at[m.n - 1]))
            m.n--;
        w->members[w->n++] = m;
        p += *p == ',';
    }
    return true;
}

static bool named(const member *m, const char *name)
{
    return m->key_n == strlen(name) && memcmp(m->key, name, m->key_n) == 0;
}

/* A string without its quotes and escapes, anything else as it stands. Lives until the next object. */
static const char *text_of(workload *w, const member *m)
{
    const bool quoted = m->n >= 2 && m->at[0] == '"';
    if (!quoted || !memchr(m->at, '\\', m->n))
        return orr_arena_strdup(&w->scratch, m->at + quoted, m->n - 2 * (size_t)quoted);
    cJSON *string = cJSON_Parse(orr_arena_strdup(&w->scratch, m->at, m->n));
    const char *plain = cJSON_IsString(string) ? string->valuestring : "";
    const char *text = orr_arena_strdup(&w->scratch, plain, strlen(plain));
    cJSON_Delete(string);
    return text;
}

/* The member's value under its name; null and what is absent are missing. */
static orr_cell cell_of(workload *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++) {
        const member *m = &w->members[i];
        if (!named(m, name) || (m->n == 4 && memcmp(m->at, "null", 4) == 0))
            continue;
        const char *text = text_of(w, m);
        return (orr_cell){name, text, strlen(text), 0};
    }
    return (orr_cell){name, "", 0, 0};
}

/* ---- profiles ---- */

static uint32_t profile_named(workload *w, const char *name)
{
    const profile none = {0};
    const uint32_t id = orr_names_id(w->names, name, strlen(name));
    if (id == w->profiles.n)
        ORR_VEC_PUSH(&w->profiles, none);
    return id;
}

/* `"name": {…}`; of two of one name the last counts, as for any JSON parser. */
static void add_profile(orr_intake *k, workload *w, const char *text, const cJSON *object)
{
    int64_t ret = 0;
    if (!cJSON_IsObject(object) || !list_members(w, strchr(end_of_string(text), '{')))
        return; /* jobs of it have no profile */
    const orr_cell code = cell_of(w, "ret");
    const bool fails = orr_parse_i64(code.at, code.n, &ret) && ret != 0;
    const char *type = orr_trace_keep(k->trace, cell_of(w, "type").at);
    const char *delay = orr_trace_keep(k->trace, cell_of(w, "delay").at);
    const profile p = {type, delay, fails ? ORR_ENDING_FAILED : ORR_ENDING_DONE};
    const uint32_t id = profile_named(w, object->string); /* may move the list */
    w->profiles.at[id] = p;
}

static bool is_delay(const profile *p)
{
    return strcmp(p->type, "delay") == 0 || strcmp(p->type, "DelayProfile") == 0;
}

/* ---- jobs ---- */

static bool is_member_of_ours(const member *m)
{
    static const char *const ours[] = {"id", "subtime", "res", "profile", "walltime", "user", "dependencies"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (named(m, ours[i]))
            return true;
    return false;
}

static bool add_value(orr_intake *k, workload *w, const member *m)
{
    uint32_t field = 0;
    while (field < w->field_count &&
           (strlen(w->fields[field]) != m->key_n || memcmp(w->fields[field], m->key, m->key_n) != 0))
        field++;
    if (field == FIELDS)
        return orr_intake_fail(k, ORR_E_FORMAT, NULL, "jobs have more than %d members that Batsim doesn't know",
                               FIELDS);
    if (field == w->field_count) {
        char *name = orr_xstrndup(m->key, m->key_n);
        w->fields[w->field_count++] = orr_trace_keep(k->trace, name);
        free(name);
    }
    const value v = {field, orr_trace_keep(k->trace, text_of(w, m))};
    ORR_VEC_PUSH(&w->values, v);
    return true;
}

static void take_dependencies(orr_intake *k, const cJSON *object, orr_trace_job *job)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "dependencies"), *one;
    const int n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
    if (n == 0)
        return;
    orr_predecessor *after = orr_arena_alloc(&k->trace->arena, (size_t)n * sizeof *after);
    cJSON_ArrayForEach(one, list)
    {
        char *number = cJSON_IsString(one) ? NULL : cJSON_PrintUnformatted(one);
        after[job->after_count++].id = orr_trace_keep(k->trace, number ? number : one->valuestring);
        cJSON_free(number);
    }
    job->after = after;
}

static bool take_walltime(orr_intake *k, orr_cell cell, orr_trace_job *job)
{
    double number;
    const bool none = orr_parse_double(cell.at, cell.n, &number) && number == -1;
    return none || orr_take_some_duration(k, cell, &job->limit);
}

static void hold(orr_intake *k, workload *w, const cJSON *object)
{
    held h = {.job = orr_trace_job_default(), .line = k->line, .values = w->values.n};
    const orr_cell id = cell_of(w, "id"), name = cell_of(w, "profile");
    if (id.n == 0) {
        orr_intake_flaw(k, ORR_FLAW_NO_ID, NULL);
        return;
    }
    h.job.user = orr_trace_keep(k->trace, cell_of(w, "user").at);
    if (!orr_take_gpus(k, cell_of(w, "res"), &h.job.gpus) ||
        !orr_take_time(k, cell_of(w, "subtime"), ORR_FLAW_NO_SUBMIT, &h.job.submit) ||
        !take_walltime(k, cell_of(w, "walltime"), &h.job))
        return;
    for (size_t i = 0; i < w->n; i++)
        if (!is_member_of_ours(&w->members[i]) && !add_value(k, w, &w->members[i]))
            return;
    take_dependencies(k, object, &h.job);
    h.profile = profile_named(w, name.at);
    h.job.id = orr_arena_strdup(&w->ids, id.at, id.n);
    h.values_end = w->values.n;
    ORR_VEC_PUSH(&w->jobs, h);
}

static void add_job(orr_intake *k, workload *w, const char *text, const cJSON *object)
{
    orr_intake_row(k, w->cut.element_line);
    if (!w->jobs_seen)
        orr_trace_note(k->trace, ORR_FLAW_PROCESSORS, NULL, k->line);
    w->jobs_seen = true;
    if (!cJSON_IsObject(object))
        orr_intake_flaw(k, ORR_FLAW_NOT_A_JOB, NULL);
    else if (!list_members(w, text))
        orr_intake_fail(k, ORR_E_FORMAT, NULL, "a job has more than %d members", MEMBERS);
    else
        hold(k, w, object);
}

/* ---- at the end ---- */

static void end_job(orr_intake *k, const workload *w, held *h)
{
    const profile *p = &w->profiles.at[h->profile];
    const char *name = orr_names_text(w->names, h->profile);
    const orr_cell profile_cell = {"profile", name, strlen(name), 0};
    if (!p->type) {
        orr_intake_flaw(k, ORR_FLAW_NO_PROFILE, &profile_cell);
        return;
    }
    if (!is_delay(p)) {
        const orr_cell type = {"type", p->type, strlen(p->type), 0};
        orr_names_id(w->types, p->type, strlen(p->type));
        orr_intake_flaw(k, ORR_FLAW_PROFILE_TYPE, &type);
        return;
    }
    const orr_cell delay = {"delay", p->delay, strlen(p->delay), 0};
    if (!orr_take_duration(k, delay, ORR_FLAW_NO_DURATION, &h->job.duration))
        return;
    h->job.ending = p->ending;
    if (h->job.limit != ORR_TIME_NONE && h->job.duration > h->job.limit) {
        orr_intake_flaw(k, ORR_FLAW_CUT, NULL);
        h->job.duration = h->job.limit;
        h->job.ending = ORR_ENDING_KILLED;
    }
    orr_intake_keep(k, &h->job);
}

static void set_scratch(orr_intake *k, const workload *w, const held *h, const size_t *places)
{
    k->line = h->line;
    k->after.n = 0;
    for (uint32_t i = 0; i < h->job.after_count; i++)
        orr_intake_after(k, h->job.after[i].id);
    for (uint32_t i = 0; i < w->field_count; i++)
        orr_intake_set(k, places[i], "");
    for (size_t i = h->values; i < h->values_end; i++)
        orr_intake_set(k, places[w->values.at[i].field], w->values.at[i].text);
}

/* Names the types in the note of the jobs that were dropped for them. */
static void name_types(orr_intake *k, const workload *w)
{
    const char *reason = orr_flaw_about(ORR_FLAW_PROFILE_TYPE)->reason;
    orr_text text = {0};
    orr_text_addf(&text, "%s (", orr_flaw_about(ORR_FLAW_PROFILE_TYPE)->sentence);
    const uint32_t n = orr_names_count(w->types);
    for (uint32_t i = 0; i < n && i < 8; i++)
        orr_text_addf(&text, "%s%.60s", i ? ", " : "", orr_names_text(w->types, i));
    orr_text_addf(&text, "%s)", n > 8 ? ", …" : "");
    for (size_t i = 0; n && i < k->trace->notes.n; i++)
        if (k->trace->notes.at[i].reason == reason)
            k->trace->notes.at[i].detail = orr_trace_keep(k->trace, text.at);
    orr_text_fini(&text);
}

static void end_jobs(orr_intake *k, const workload *w)
{
    size_t places[FIELDS];
    for (uint32_t i = 0; i < w->field_count; i++)
        places[i] = orr_intake_attribute(k, w->fields[i]);
    for (size_t i = 0; i < w->jobs.n && !k->failed; i++) {
        set_scratch(k, w, &w->jobs.at[i], places);
        end_job(k, w, &w->jobs.at[i]);
    }
    name_types(k, w);
}

/* ---- the file ---- */

typedef void add(orr_intake *k, workload *w, const char *text, const cJSON *value);

static uint32_t line_of(const orr_json_cut *cut, const char *text, const char *at)
{
    uint32_t line = cut->element_line;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static orr_err not_json(orr_intake *k, const workload *w, const char *text, const char *stopped)
{
    k->line = line_of(&w->cut, text, stopped);
    const size_t rest = strlen(stopped);
    const orr_cell cell = {"value", stopped, rest < 60 ? rest : 60, 0};
    orr_intake_fail(k, ORR_E_SYNTAX, &cell, "the value that begins in line %u is not valid JSON", w->cut.element_line);
    return k->failed;
}

/* An element, or a member as an object of one. */
static orr_err parse(orr_intake *k, workload *w, const char *text, bool is_member, add *take)
{
    orr_text whole = {0};
    const char *stopped = NULL;
    orr_arena_reset(&w->scratch);
    orr_text_addf(&whole, is_member ? "{%s}" : "%s", text);
    cJSON *json = cJSON_ParseWithLengthOpts(whole.at, whole.n + 1, &stopped, true);
    if (json && (!is_member || json->child))
        take(k, w, text, is_member ? json->child : json);
    else
        not_json(k, w, whole.at, stopped && stopped >= whole.at ? stopped : whole.at);
    cJSON_Delete(json);
    orr_text_fini(&whole);
    return k->failed;
}

/* The elements of an array, or the members of an object, whose opening bracket comes next. */
static orr_err each(orr_intake *k, workload *w, char open, char close, add *take)
{
    const char *text;
    size_t n;
    char c = 0;
    orr_err err = orr_json_cut_take(&w->cut, open, k->e);
    for (bool first = true; !err; first = false) {
        err = orr_json_cut_peek(&w->cut, &c, k->e);
        if (err || c == close)
            break;
        err = first ? ORR_OK : orr_json_cut_take(&w->cut, ',', k->e);
        if (!err)
            err = orr_json_cut_value(&w->cut, &text, &n, k->e);
        if (!err)
            err = parse(k, w, text, close == '}', take);
    }
    return err ? err : orr_json_cut_take(&w->cut, close, k->e);
}

static orr_err outer_member(orr_intake *k, workload *w)
{
    const char *key, *text;
    size_t n;
    const orr_err err = orr_json_cut_key(&w->cut, &key, k->e);
    if (err)
        return err;
    if (strcmp(key, "jobs") == 0)
        return each(k, w, '[', ']', add_job);
    if (strcmp(key, "profiles") == 0)
        return each(k, w, '{', '}', add_profile);
    return orr_json_cut_value(&w->cut, &text, &n, k->e); /* nothing of a job */
}

static orr_err read_outer(orr_intake *k, workload *w)
{
    char c = 0;
    orr_err err = orr_json_cut_take(&w->cut, '{', k->e);
    for (bool first = true; !err; first = false) {
        err = orr_json_cut_peek(&w->cut, &c, k->e);
        if (err || c == '}')
            break;
        err = first ? ORR_OK : orr_json_cut_take(&w->cut, ',', k->e);
        if (!err)
            err = outer_member(k, w);
    }
    if (!err)
        err = orr_json_cut_take(&w->cut, '}', k->e);
    if (!err)
        err = orr_json_cut_peek(&w->cut, &c, k->e);
    if (err || c == '\0')
        return err;
    k->line = w->cut.line;
    orr_intake_fail(k, ORR_E_SYNTAX, NULL, "text follows the end of the workload");
    return k->failed;
}

static orr_err read_batsim(orr_intake *k)
{
    workload *w = orr_xcalloc(1, sizeof *w);
    orr_json_cut_init(&w->cut, k->in);
    w->names = orr_names_create();
    w->types = orr_names_create();
    k->relative = true;
    k->failed = read_outer(k, w);
    if (!k->failed)
        end_jobs(k, w);
    orr_json_cut_fini(&w->cut);
    orr_arena_fini(&w->scratch);
    orr_arena_fini(&w->ids);
    orr_names_destroy(w->names);
    orr_names_destroy(w->types);
    ORR_VEC_FREE(&w->profiles);
    ORR_VEC_FREE(&w->jobs);
    ORR_VEC_FREE(&w->values);
    free(w);
    return k->failed;
}

static bool holds(const orr_head *head, const char *text)
{
    const size_t n = strlen(text);
    for (size_t i = 0; i + n <= head->n; i++)
        if (memcmp(head->bytes + i, text, n) == 0)
            return true;
    return false;
}

static bool is_batsim(const orr_head *head)
{
    return head->bytes[0] == '{' && holds(head, "\"jobs\"") &&
           (holds(head, "\"subtime\"") || holds(head, "\"profiles\"") || holds(head, "\"nb_res\""));
}

const orr_format orr_format_batsim = {
    .name = "batsim",
    .label = "batsim",
    .about = "Batsim's workloads",
    .told = "a JSON object with `jobs` and `profiles`, `nb_res` or `subtime`",
    .is = is_batsim,
    .read = read_batsim,
};
