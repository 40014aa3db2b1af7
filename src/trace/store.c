/* Records lie in one growing array. Texts that repeat (users, VCs, …) are interned; ids are copied to an arena and
 * found by a table of our own, which costs 8 bytes a slot and no allocation per job. Sorting moves small entries, not
 * the records, and is skipped when the order is right already.
 */
#include "trace/store.h"
#include "base/rng.h"
#include <stdio.h>
#include <stdlib.h>

orr_trace *orr_trace_create(const char *name)
{
    orr_trace *trace = orr_xcalloc(1, sizeof *trace);
    trace->name = orr_xstrdup(name ? name : "");
    trace->format = "memory";
    trace->names = orr_names_create();
    return trace;
}

void orr_trace_destroy(orr_trace *trace)
{
    if (!trace)
        return;
    ORR_VEC_FREE(&trace->jobs);
    ORR_VEC_FREE(&trace->withdrawn);
    ORR_VEC_FREE(&trace->requests);
    ORR_VEC_FREE(&trace->attributes);
    ORR_VEC_FREE(&trace->notes);
    ORR_VEC_FREE(&trace->inputs);
    orr_names_destroy(trace->names);
    orr_arena_fini(&trace->arena);
    free(trace->ids);
    free(trace->name);
    free(trace);
}

orr_trace_job orr_trace_job_default(void)
{
    return (orr_trace_job){
        .limit = ORR_TIME_NONE,
        .deadline = ORR_TIME_NONE,
        .start = ORR_TIME_NONE,
        .end = ORR_TIME_NONE,
        .ran = ORR_TIME_NONE,
        .attempt_count = 1,
        .gpus = 1,
        .gpu_milli = 1000,
        .weight = 1,
        .preemptible = true,
    };
}

const char *orr_trace_keep(orr_trace *trace, const char *text)
{
    if (!text || !text[0])
        return "";
    return orr_names_text(trace->names, orr_names_id(trace->names, text, strlen(text)));
}

/* 32 bits of hash choose the place and are kept as the tag: growing the table then needs no text. */
static uint32_t id_tag(const char *id, size_t n)
{
    return (uint32_t)(orr_hash64(0, id, n) >> 32);
}

static size_t id_place(const orr_trace *trace, uint32_t tag, const char *id, size_t n)
{
    size_t i = tag & (trace->id_slots - 1);
    for (; trace->ids[i].job; i = (i + 1) & (trace->id_slots - 1)) {
        if (trace->ids[i].tag != tag)
            continue;
        const char *known = trace->jobs.at[trace->ids[i].job - 1].id;
        if (strncmp(known, id, n) == 0 && known[n] == '\0')
            break;
    }
    return i;
}

/* Keeps the table at most half full. */
static void id_grow(orr_trace *trace)
{
    const size_t old_slots = trace->id_slots;
    orr_id_slot *old = trace->ids;
    trace->id_slots = old_slots ? 2 * old_slots : 256;
    trace->ids = orr_xcalloc(trace->id_slots, sizeof *trace->ids);
    for (size_t i = 0; i < old_slots; i++) {
        size_t to = old[i].tag & (trace->id_slots - 1);
        while (old[i].job && trace->ids[to].job)
            to = (to + 1) & (trace->id_slots - 1);
        if (old[i].job)
            trace->ids[to] = old[i];
    }
    free(old);
}

static void id_put(orr_trace *trace, uint32_t job)
{
    if (2 * ((size_t)job + 1) > trace->id_slots)
        id_grow(trace);
    const char *id = trace->jobs.at[job].id;
    const size_t n = strlen(id);
    const uint32_t tag = id_tag(id, n);
    trace->ids[id_place(trace, tag, id, n)] = (orr_id_slot){tag, job + 1};
}

/* Most logs count their jobs. As long as each id lies behind the one before it in the natural order, all are different
 * and the table is not needed; it is made when one doesn't. */
static bool behind_last(const orr_trace *trace, const char *id, size_t n)
{
    if (trace->id_slots || id[n] != '\0')
        return false;
    return trace->jobs.n == 0 || orr_natural_compare(trace->jobs.at[trace->jobs.n - 1].id, id) < 0;
}

static void id_put_all(orr_trace *trace)
{
    for (uint32_t i = trace->id_slots ? (uint32_t)trace->jobs.n : 0; i < trace->jobs.n; i++)
        id_put(trace, i);
}

int64_t orr_trace_find_id(orr_trace *trace, const char *id, size_t n)
{
    if (behind_last(trace, id, n) || trace->jobs.n == 0)
        return -1;
    id_put_all(trace);
    return (int64_t)trace->ids[id_place(trace, id_tag(id, n), id, n)].job - 1;
}

static const orr_time *copy_times(orr_trace *trace, const orr_time *times, uint32_t n)
{
    if (!times || n < 2)
        return NULL;
    orr_time *copy = orr_arena_alloc(&trace->arena, n * sizeof *copy);
    memcpy(copy, times, n * sizeof *copy);
    return copy;
}

static const orr_predecessor *copy_after(orr_trace *trace, const orr_trace_job *job)
{
    if (job->after_count == 0)
        return NULL;
    orr_predecessor *copy = orr_arena_alloc(&trace->arena, job->after_count * sizeof *copy);
    for (uint32_t i = 0; i < job->after_count; i++)
        copy[i].id = orr_arena_strdup(&trace->arena, job->after[i].id, strlen(job->after[i].id));
    return copy;
}

/* Nothing is kept for a record that has none of them. */
static const char *const *copy_attributes(orr_trace *trace, const char *const *attributes)
{
    const size_t n = trace->attributes.n;
    size_t used = 0;
    while (attributes && used < n && !attributes[used][0])
        used++;
    if (!attributes || used == n)
        return NULL;
    const char **copy = orr_arena_alloc(&trace->arena, n * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = orr_trace_keep(trace, attributes[i]);
    return copy;
}

static orr_trace_job copy_job(orr_trace *trace, const orr_trace_job *job)
{
    orr_trace_job kept = *job;
    kept.id = orr_arena_strdup(&trace->arena, job->id, strlen(job->id));
    kept.user = orr_trace_keep(trace, job->user);
    kept.vc = orr_trace_keep(trace, job->vc);
    kept.name = orr_trace_keep(trace, job->name);
    kept.model = orr_trace_keep(trace, job->model);
    kept.gpu_type = orr_trace_keep(trace, job->gpu_type);
    kept.group = orr_trace_keep(trace, job->group);
    kept.attributes = copy_attributes(trace, job->attributes);
    kept.attempts = copy_times(trace, job->attempts, job->attempt_count);
    kept.starts = kept.attempts ? copy_times(trace, job->starts, job->attempt_count) : NULL;
    kept.after = copy_after(trace, job);
    if (!kept.attempts)
        kept.attempt_count = 1;
    return kept;
}

static int by_submission(const orr_trace_job *a, const orr_trace_job *b)
{
    if (a->submit != b->submit)
        return a->submit < b->submit ? -1 : 1;
    const int names = orr_natural_compare(a->id, b->id);
    if (names)
        return names;
    return a->row < b->row ? -1 : a->row > b->row;
}

void orr_trace_store(orr_trace *trace, const orr_trace_job *job, bool indexed)
{
    orr_trace_job kept = copy_job(trace, job);
    kept.row = (uint32_t)trace->jobs.n;
    if (indexed && !behind_last(trace, kept.id, strlen(kept.id)))
        id_put_all(trace);
    trace->unsorted |= kept.row > 0 && by_submission(&trace->jobs.at[kept.row - 1], &kept) > 0;
    trace->linked |= kept.after_count > 0;
    ORR_VEC_PUSH(&trace->jobs, kept);
    if (indexed && trace->id_slots)
        id_put(trace, kept.row);
}

void orr_trace_store_withdrawn(orr_trace *trace, const orr_trace_job *job)
{
    const orr_trace_job kept = copy_job(trace, job);
    ORR_VEC_PUSH(&trace->withdrawn, kept);
}

void orr_trace_store_request(orr_trace *trace, const orr_trace_request *request)
{
    orr_trace_request kept = *request;
    kept.id = orr_arena_strdup(&trace->arena, request->id, strlen(request->id));
    kept.service = orr_trace_keep(trace, request->service);
    kept.client = orr_trace_keep(trace, request->client);
    kept.attributes = copy_attributes(trace, request->attributes);
    if (kept.block_count) {
        uint64_t *blocks = orr_arena_alloc(&trace->arena, kept.block_count * sizeof *blocks);
        memcpy(blocks, request->blocks, kept.block_count * sizeof *blocks);
        kept.blocks = blocks;
    }
    kept.row = (uint32_t)trace->requests.n;
    ORR_VEC_PUSH(&trace->requests, kept);
}

size_t orr_trace_attribute_named(orr_trace *trace, const char *name)
{
    size_t i = 0;
    while (i < trace->attributes.n && strcmp(trace->attributes.at[i], name) != 0)
        i++;
    if (i == trace->attributes.n) {
        const char *kept = orr_trace_keep(trace, name);
        ORR_VEC_PUSH(&trace->attributes, kept);
    }
    return i;
}

orr_note *orr_trace_note(orr_trace *trace, orr_flaw flaw, const char *file, uint32_t line)
{
    const orr_flaw_info *about = orr_flaw_about(flaw);
    file = file ? file : trace->name;
    size_t i = 0;
    while (i < trace->notes.n &&
           (trace->notes.at[i].reason != about->reason || strcmp(trace->notes.at[i].file, file) != 0))
        i++;
    if (i == trace->notes.n) {
        const orr_note fresh = {.reason = about->reason,
                                .detail = about->sentence,
                                .file = orr_trace_keep(trace, file),
                                .kind = about->kind};
        ORR_VEC_PUSH(&trace->notes, fresh);
    }
    orr_note *note = &trace->notes.at[i];
    if (note->count < 3)
        note->first_lines[note->count] = line;
    note->count++;
    return note;
}

void orr_trace_add_input(orr_trace *trace, const char *path, const char digest[65])
{
    orr_trace_input input = {.path = orr_trace_keep(trace, path)};
    memcpy(input.digest, digest, sizeof input.digest);
    ORR_VEC_PUSH(&trace->inputs, input);
}

typedef struct entry {
    orr_time submit;
    const orr_trace_job *job;
} entry;

static int by_entry(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    if (a->submit != b->submit)
        return a->submit < b->submit ? -1 : 1;
    return by_submission(a->job, b->job);
}

/* Moves jobs[i] = *order[i].job for all i, cycle by cycle in place; spoils `order`. */
static void permute(orr_trace_job *jobs, entry *order, size_t n)
{
    for (size_t start = 0; start < n; start++) {
        const orr_trace_job first = jobs[start];
        for (size_t to = start; order[to].job;) {
            const size_t from = (size_t)(order[to].job - jobs);
            order[to].job = NULL; /* settled */
            jobs[to] = from == start ? first : jobs[from];
            to = from;
        }
    }
}

static int by_arrival(const void *left, const void *right)
{
    const orr_trace_request *a = left, *b = right;
    if (a->arrival != b->arrival)
        return a->arrival < b->arrival ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool in_order_of_arrival(const orr_trace *trace)
{
    for (size_t i = 1; i < trace->requests.n; i++)
        if (by_arrival(&trace->requests.at[i - 1], &trace->requests.at[i]) > 0)
            return false;
    return true;
}

static void sort_jobs(orr_trace *trace)
{
    const size_t n = trace->jobs.n;
    entry *order = orr_xmalloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = (entry){trace->jobs.at[i].submit, &trace->jobs.at[i]};
    qsort(order, n, sizeof *order, by_entry);
    permute(trace->jobs.at, order, n);
    free(order);
}

void orr_trace_sort(orr_trace *trace)
{
    if (trace->unsorted)
        sort_jobs(trace);
    free(trace->ids); /* indices into the old order */
    trace->ids = NULL;
    trace->id_slots = 0;
    if (!in_order_of_arrival(trace))
        qsort(trace->requests.at, trace->requests.n, sizeof *trace->requests.at, by_arrival);
}

/* ---- building in memory ---- */

static orr_err bad_job(const orr_trace_job *job, const char *why, orr_err code, orr_error *e)
{
    orr_error_set(e, code, "job %s: %s", job->id, why);
    return code;
}

orr_err orr_trace_add(orr_trace *trace, const orr_trace_job *job, orr_error *e)
{
    char number[24];
    orr_trace_job draft = *job;
    if (!draft.id || !draft.id[0]) {
        snprintf(number, sizeof number, "%zu", trace->jobs.n);
        draft.id = number;
    }
    if (draft.min_gpus == 0)
        draft.min_gpus = draft.gpus;
    if (draft.max_gpus == 0)
        draft.max_gpus = draft.gpus;
    if (trace->finished)
        return bad_job(&draft, "the trace is finished and takes no more jobs", ORR_E_BAD_JOB, e);
    const orr_flaw flaw = orr_flaw_of(&draft);
    if (flaw == ORR_FLAW_DURATION)
        return bad_job(&draft, "the attempts don't add up to the duration", ORR_E_BAD_JOB, e);
    if (flaw)
        return bad_job(&draft, orr_flaw_about(flaw)->sentence, ORR_E_BAD_JOB, e);
    if (orr_trace_find_id(trace, draft.id, strlen(draft.id)) >= 0)
        return bad_job(&draft, "another job has this id", ORR_E_DUPLICATE_ID, e);
    orr_trace_store(trace, &draft, true);
    return ORR_OK;
}

orr_err orr_trace_finish(orr_trace *trace, orr_error *e)
{
    if (trace->jobs.n == 0 && trace->requests.n == 0)
        return orr_error_set(e, ORR_E_NO_JOBS, "the trace holds no job");
    orr_trace_sort(trace);
    orr_trace_link(trace);
    trace->finished = true;
    return ORR_OK;
}

/* ---- queries ---- */

size_t orr_trace_count(const orr_trace *trace)
{
    return trace->jobs.n;
}

const orr_trace_job *orr_trace_jobs(const orr_trace *trace)
{
    return trace->jobs.at;
}

const char *orr_trace_name(const orr_trace *trace)
{
    return trace->name;
}

const char *orr_trace_format(const orr_trace *trace)
{
    return trace->format;
}

const char *orr_trace_origin(const orr_trace *trace)
{
    return trace->origin;
}

orr_date orr_trace_date(const orr_trace *trace, orr_time at)
{
    orr_civil origin;
    const bool known = orr_civil_parse(trace->origin, strlen(trace->origin), &origin) == ORR_OK;
    return orr_civil_date(orr_time_add(known ? origin.local : 0, at));
}

const char *orr_trace_digest(const orr_trace *trace)
{
    return trace->inputs.n ? trace->inputs.at[0].digest : "";
}

size_t orr_trace_inputs(const orr_trace *trace, const orr_trace_input **inputs)
{
    *inputs = trace->inputs.at;
    return trace->inputs.n;
}

size_t orr_trace_withdrawn(const orr_trace *trace, const orr_trace_job **jobs)
{
    *jobs = trace->withdrawn.at;
    return trace->withdrawn.n;
}

size_t orr_trace_requests(const orr_trace *trace, const orr_trace_request **requests)
{
    *requests = trace->requests.at;
    return trace->requests.n;
}

orr_time orr_trace_bin(const orr_trace *trace)
{
    return trace->bin;
}

size_t orr_trace_attributes(const orr_trace *trace, const char *const **names)
{
    *names = trace->attributes.at;
    return trace->attributes.n;
}

const char *orr_trace_attribute(const orr_trace *trace, const orr_trace_job *job, const char *name)
{
    for (size_t i = 0; job->attributes && i < trace->attributes.n; i++)
        if (strcmp(trace->attributes.at[i], name) == 0)
            return job->attributes[i];
    return "";
}

size_t orr_trace_notes(const orr_trace *trace, const orr_note **notes)
{
    *notes = trace->notes.at;
    return trace->notes.n;
}

uint64_t orr_trace_rows_read(const orr_trace *trace)
{
    return trace->rows ? trace->rows : trace->jobs.n + trace->requests.n;
}
