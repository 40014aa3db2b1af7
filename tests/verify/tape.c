#include "tape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { ROOM = 8 };

static const char *text(tape *t, const char *s)
{
    return orr_arena_strdup(&t->arena, s, strlen(s));
}

static void *bytes(tape *t, const void *from, size_t n)
{
    void *to = orr_arena_alloc(&t->arena, n + 1);
    if (n)
        memcpy(to, from, n);
    return to;
}

static orr_log_request *request(tape *t, const orr_log_request *q)
{
    orr_log_request *own = bytes(t, q, sizeof *q);
    own->id = text(t, q->id);
    own->user = text(t, q->user);
    own->vc = text(t, q->vc);
    own->name = text(t, q->name);
    own->model = text(t, q->model);
    own->types = text(t, q->types);
    if (q->attempts)
        own->attempts = bytes(t, q->attempts, q->attempt_count * sizeof *q->attempts);
    own->after = bytes(t, q->after, q->after_count * sizeof *q->after);
    return own;
}

static orr_log_record record(tape *t, const orr_log_record *r)
{
    orr_log_record own = *r;
    own.reason = text(t, r->reason);
    own.state = text(t, r->state);
    own.slices = bytes(t, r->slices, (size_t)r->slice_count * sizeof *r->slices);
    if (r->request)
        own.request = request(t, r->request);
    return own;
}

static void header(tape *t, const orr_log_header *h)
{
    t->header = *h;
    const char **texts[] = {&t->header.program,         &t->header.trace,          &t->header.trace_digest,
                            &t->header.cluster,         &t->header.cluster_digest, &t->header.policy,
                            &t->header.policy_resolved, &t->header.costs,          &t->header.clock,
                            &t->header.measure,         &t->header.model,          &t->header.profiles,
                            &t->header.profiles_digest, &t->header.interference,   &t->header.net,
                            &t->header.scenario,        &t->header.scenario_digest};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = text(t, *texts[i]);
    t->nodes = bytes(t, h->nodes, h->node_runs * sizeof *h->nodes);
    for (size_t i = 0; i < h->node_runs; i++) {
        t->nodes[i].type = text(t, t->nodes[i].type);
        t->nodes[i].vc = text(t, t->nodes[i].vc);
        t->nodes[i].rack = text(t, t->nodes[i].rack);
        t->nodes[i].name = text(t, t->nodes[i].name);
    }
    t->header.nodes = t->nodes;
}

tape *tape_of(const orr_text *packed)
{
    orr_error e = {0};
    const orr_log_record *r;
    orr_log *log = orr_log_memory("tape", packed->at, packed->n, &e);
    if (!log)
        fail_msg("%s", e.message);
    tape *t = orr_xcalloc(1, sizeof *t);
    ORR_VEC(orr_log_record) all = {0};
    header(t, orr_log_header_of(log));
    while (orr_log_next(log, &r, &e) == ORR_OK && r)
        ORR_VEC_PUSH(&all, record(t, r));
    if (e.code)
        fail_msg("%s", e.message);
    orr_log_close(log);
    ORR_VEC_RESERVE(&all, all.n + ROOM);
    t->at = all.at;
    t->n = all.n;
    return t;
}

void tape_free(tape *t)
{
    orr_arena_fini(&t->arena);
    free(t->at);
    free(t);
}

orr_text tape_bytes(const tape *t)
{
    orr_log_writer *w = orr_log_writer_create(NULL, NULL);
    orr_log_write_header(w, &t->header);
    for (size_t i = 0; i < t->n; i++)
        orr_log_write(w, &t->at[i]);
    return orr_log_writer_take(w);
}

orr_verification tape_verify(const tape *t)
{
    orr_error e = {0};
    orr_verification v = {.metrics = -1};
    orr_text packed = tape_bytes(t);
    orr_log *log = orr_log_memory("tape", packed.at, packed.n, &e);
    if (!log || orr_verify_log(log, NULL, &v, &e))
        fail_msg("%s", e.message);
    orr_log_close(log);
    orr_text_fini(&packed);
    return v;
}

bool tape_breaks(const orr_verification *v, const char *rule)
{
    for (size_t i = 0; i < v->broken.n; i++)
        if (strcmp(v->broken.at[i].rule, rule) == 0)
            return true;
    return false;
}

uint32_t tape_job(const tape *t, const char *id)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].kind == ORR_LOG_SUBMIT && strcmp(t->at[i].request->id, id) == 0)
            return t->at[i].job;
    fail_msg("no job %s", id);
    return 0;
}

orr_log_record *tape_find(tape *t, orr_log_kind kind, const char *id, size_t n)
{
    const uint32_t job = id ? tape_job(t, id) : 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].kind == kind && (!id || t->at[i].job == job) && n-- == 0)
            return &t->at[i];
    fail_msg("no such %s", orr_log_kind_name(kind));
    return NULL;
}

void tape_drop(tape *t, const orr_log_record *r)
{
    const size_t i = (size_t)(r - t->at);
    memmove(t->at + i, t->at + i + 1, (--t->n - i) * sizeof *t->at);
}

void tape_insert(tape *t, size_t at, orr_log_record r)
{
    memmove(t->at + at + 1, t->at + at, (t->n++ - at) * sizeof *t->at);
    t->at[at] = r;
}

orr_log_slice *tape_slice(orr_log_record *r, int32_t i)
{
    assert_true(i < r->slice_count);
    return (orr_log_slice *)(uintptr_t)&r->slices[i];
}

orr_log_request *tape_request(tape *t, const char *id)
{
    return (orr_log_request *)(uintptr_t)tape_find(t, ORR_LOG_SUBMIT, id, 0)->request;
}
