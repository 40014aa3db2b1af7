/* The jobs to come, as kinds of request with how often each comes: counted in a file, or in the jobs submitted so
 * far. */
#include "sched/ctx.h"

#include <stdlib.h>

#define uthash_malloc(size) orr_xmalloc(size)
#pragma GCC diagnostic ignored "-Wconversion"
#include <uthash.h>

typedef struct ask_key {
    int64_t cpu_milli;
    int32_t gpus, milli;
    const char *gpu_type; /* traces keep one copy of each text: equal pointers are equal types */
} ask_key;

typedef struct counted {
    ask_key key;
    double count;
    UT_hash_handle hh;
} counted;

struct orr_target {
    struct orr_target *next; /* of the same instance */
    orr_ctx *ctx;
    const orr_asks *given; /* NULL: counted as they come */
    double part;
    counted *counts;
    uint64_t seen, renew_at;
    orr_fragments *fragments;
};

/* ---- counting ---- */

static void count(counted **counts, const orr_trace_job *job)
{
    ask_key key;
    memset(&key, 0, sizeof key);
    key.cpu_milli = job->cpu_milli;
    key.gpus = job->gpus;
    key.milli = job->gpus > 0 ? job->gpu_milli : 0;
    key.gpu_type = job->gpu_type;
    counted *found;
    HASH_FIND(hh, *counts, &key, sizeof key, found);
    if (!found) {
        found = orr_xcalloc(1, sizeof *found);
        found->key = key;
        HASH_ADD(hh, *counts, key, sizeof key, found);
    }
    found->count++;
}

static void forget(counted **counts)
{
    counted *c, *next;
    HASH_ITER(hh, *counts, c, next)
    {
        HASH_DEL(*counts, c);
        free(c);
    }
}

static int falling(double a, double b)
{
    return a > b ? -1 : a < b;
}

/* Most frequent first; of equals the one that asks more. */
static int by_count(const void *left, const void *right)
{
    const orr_ask *a = left, *b = right;
    int order = falling(a->count, b->count);
    if (!order)
        order = falling((double)a->cpu_milli, (double)b->cpu_milli);
    if (!order)
        order = falling(a->milli, b->milli);
    if (!order)
        order = falling(a->gpus, b->gpus);
    return order ? order : strcmp(b->gpu_type, a->gpu_type);
}

/* All kinds in that order; the texts are borrowed. */
static orr_ask *sorted(const counted *counts, size_t *n)
{
    orr_ask *list = orr_xcalloc(HASH_COUNT(counts) + 1, sizeof *list);
    *n = 0;
    for (const counted *c = counts; c; c = c->hh.next)
        list[(*n)++] = (orr_ask){.cpu_milli = c->key.cpu_milli, .gpus = c->key.gpus, .milli = c->key.milli,
                                 .gpu_type = c->key.gpu_type, .count = c->count};
    qsort(list, *n, sizeof *list, by_count);
    return list;
}

/* ---- a file ---- */

static void count_trace(counted **counts, const orr_trace *trace)
{
    const orr_trace_job *withdrawn;
    size_t n = orr_trace_withdrawn(trace, &withdrawn);
    for (size_t i = 0; i < orr_trace_count(trace); i++)
        count(counts, &orr_trace_jobs(trace)[i]);
    for (size_t i = 0; i < n; i++) /* they asked for it all the same */
        count(counts, &withdrawn[i]);
}

orr_err orr_asks_read(const char *path, orr_arena *arena, orr_asks *out, orr_error *e)
{
    const orr_trace_options options = {.keep_cpu_jobs = true};
    *out = (orr_asks){.path = orr_arena_strdup(arena, path, strlen(path))};
    if (!*path)
        return ORR_OK;
    orr_trace *trace = orr_trace_read(path, &options, e);
    if (!trace)
        return e ? e->code : ORR_E_OPEN;
    counted *counts = NULL;
    count_trace(&counts, trace);
    orr_ask *list = sorted(counts, &out->count);
    for (size_t i = 0; i < out->count; i++)
        list[i].gpu_type = orr_arena_strdup(arena, list[i].gpu_type, strlen(list[i].gpu_type));
    orr_ask *kept = orr_arena_alloc(arena, (out->count + 1) * sizeof *kept);
    if (out->count)
        memcpy(kept, list, out->count * sizeof *kept);
    out->at = kept;
    free(list);
    forget(&counts);
    orr_trace_destroy(trace);
    return ORR_OK;
}

/* ---- the target ---- */

/* How many of the first kinds make up this part of all jobs; how many jobs there are, and how many of them those. */
static size_t typical(const orr_ask *list, size_t n, double part, double *all, double *taken)
{
    size_t k = 0;
    *all = *taken = 0;
    for (size_t i = 0; i < n; i++)
        *all += list[i].count;
    for (; k < n && *taken < part * *all; k++)
        *taken += list[k].count;
    return k;
}

/* Parts are shares of all jobs over the share that was taken: scores are cut to whole numbers, so that the last bit of
 * a sum can decide, and this is how the public simulator rounds. */
static void set_classes(orr_target *t, const orr_ask *list, size_t n)
{
    double all, taken;
    size_t k = typical(list, n, t->part, &all, &taken);
    orr_fragment_class *classes = orr_xcalloc(k + 1, sizeof *classes);
    for (size_t i = 0; i < k; i++)
        classes[i] = (orr_fragment_class){.cpu_milli = list[i].cpu_milli,
                                          .gpus = list[i].gpus,
                                          .milli = list[i].milli,
                                          .types = orr_cluster_types_named(t->ctx->world->real, list[i].gpu_type),
                                          .part = list[i].count / all / (taken / all)};
    orr_fragments_destroy(t->fragments);
    t->fragments = orr_fragments_create(classes, k);
    free(classes);
}

orr_target *orr_target_create(orr_ctx *ctx, const orr_asks *given, double part)
{
    orr_target *t = orr_xcalloc(1, sizeof *t);
    *t = (orr_target){.next = ctx->targets, .ctx = ctx, .part = part};
    ctx->targets = t;
    if (given && given->count)
        t->given = given;
    set_classes(t, t->given ? given->at : NULL, t->given ? given->count : 0);
    return t;
}

void orr_targets_destroy(orr_target *t)
{
    while (t) {
        orr_target *next = t->next;
        forget(&t->counts);
        orr_fragments_destroy(t->fragments);
        free(t);
        t = next;
    }
}

/* A quarter more jobs make a new target, so that all of a trace make O(log jobs) of them. */
bool orr_target_saw(orr_target *t, const orr_job *job)
{
    if (t->given)
        return false;
    count(&t->counts, job->record);
    if (++t->seen < t->renew_at)
        return false;
    t->renew_at = t->seen + t->seen / 4 + 1;
    size_t n;
    orr_ask *list = sorted(t->counts, &n);
    set_classes(t, list, n);
    free(list);
    return true;
}

const orr_fragments *orr_target_fragments(const orr_target *t)
{
    return t->fragments;
}

void orr_node_remnant(const orr_ctx *ctx, int32_t node, orr_remnant *out)
{
    const orr_node *n = &ctx->world->cluster->nodes[node];
    out->cpu_milli = n->spec->cpus ? n->cpu_milli_free : INT64_MAX;
    out->type = n->type;
    out->gpus = n->spec->gpus;
    for (int32_t g = 0; g < out->gpus; g++)
        out->milli[g] = orr_node_part_free(n, g);
}
