/* What the instances of a simulation share: request shapes, feasibility, faults, timers. */
#include "model/price.h"
#include "sched/ctx.h"
#include "sched/groups.h"
#include "sched/list.h"
#include "sched/timers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define uthash_malloc(size) orr_xmalloc(size)
#pragma GCC diagnostic ignored "-Wconversion"
#include <uthash.h>

typedef struct shape_key {
    int32_t vc, gpus, milli;
    uint64_t types;
    int64_t cpu_milli, mem, gpu_mem;
    const char *model; /* traces keep one copy of each text: equal pointers are equal models */
} shape_key;

struct shape_map {
    shape_key key;
    uint32_t shape;
    UT_hash_handle hh;
};

static bool models_host(const orr_cluster *c)
{
    for (int32_t i = 0; i < c->count; i++)
        if (c->nodes[i].spec->cpus || c->nodes[i].spec->mem_bytes)
            return true;
    return false;
}

static bool models_gpu_mem(const orr_cluster *c)
{
    for (int32_t i = 0; i < c->count; i++)
        if (c->nodes[i].spec->gpu_mem_bytes)
            return true;
    return false;
}

uint32_t orr_world_shape(orr_world *w, const orr_job *job)
{
    if (w->models_host == 0)
        w->models_host = models_host(w->real) ? 1 : -1;
    if (w->models_gpu_mem == 0)
        w->models_gpu_mem = models_gpu_mem(w->real) ? 1 : -1;
    shape_key key;
    memset(&key, 0, sizeof key);
    key.vc = job->vc;
    key.gpus = job->record->gpus;
    key.milli = job->record->gpu_milli;
    key.types = job->types;
    if (w->models_gpu_mem > 0 && key.milli < ORR_WHOLE_GPU)
        key.gpu_mem = job->gpu_mem;
    if (w->models_host > 0) { /* else cores and memory never refuse: jobs that differ in them alone are alike */
        key.cpu_milli = job->record->cpu_milli;
        key.mem = job->record->mem_bytes;
    }
    if (w->by_model)
        key.model = job->record->model;
    struct shape_map *found;
    HASH_FIND(hh, w->shape_map, &key, sizeof key, found);
    if (found)
        return found->shape;
    found = orr_xcalloc(1, sizeof *found);
    found->key = key;
    found->shape = (uint32_t)w->shapes.n;
    HASH_ADD(hh, w->shape_map, key, sizeof key, found);
    orr_shape shape = {.vc = key.vc, .gpus = key.gpus, .milli = key.milli, .types = key.types, .cpu_milli = key.cpu_milli,
                       .mem = key.mem, .gpu_mem = key.gpu_mem, .feasible = -1};
    ORR_VEC_PUSH(&w->shapes, shape);
    return found->shape;
}

/* Would the policy's placer find room for it if nobody held anything? */
static bool fits_empty(orr_ctx *policy, orr_plan *plan, const orr_job *job, orr_scope scope)
{
    orr_world *w = policy->world;
    orr_cluster *seen = w->cluster;
    w->cluster = w->empty;
    orr_plan_begin(plan, policy);
    const bool fits = orr_plan_fits(plan, job, scope);
    orr_plan_abandon(plan);
    w->cluster = seen;
    return fits;
}

bool orr_world_feasible(orr_world *w, orr_ctx *policy, orr_job *job)
{
    w->by_model = policy->placer_ctx->desc.placer.by_model;
    job->shape = orr_world_shape(w, job);
    orr_shape *shape = &w->shapes.at[job->shape];
    if (shape->feasible < 0) {
        /* one queue: it never asks for a VC's own nodes */
        bool shared = policy->list && policy->list->rules.vc == ORR_VC_SHARED;
        bool fits = !shared && fits_empty(policy, w->plan, job, (orr_scope){.vc = job->vc});
        if (!fits && w->reach_all)
            fits = fits_empty(policy, w->plan, job, (orr_scope){.vc = -1});
        shape->feasible = fits;
    }
    return shape->feasible;
}

static bool ask_type(orr_ctx *ctx, const orr_job *job, orr_scope scope)
{
    orr_plan *plan = orr_plan_create(ctx->world); /* the world's own may be in the making */
    const bool fits = fits_empty(ctx, plan, job, scope);
    orr_plan_destroy(plan);
    return fits;
}

bool orr_type_hosts(orr_ctx *ctx, const orr_job *job, int32_t type, bool anywhere)
{
    const orr_scope scope = {.vc = anywhere ? -1 : job->vc, .types = (uint64_t)1 << type};
    orr_shape *shape = &ctx->world->shapes.at[job->shape];
    if (!(shape->asked[anywhere] & scope.types)) {
        shape->asked[anywhere] |= scope.types;
        shape->hosts[anywhere] |= ask_type(ctx, job, scope) ? scope.types : 0;
    }
    return shape->hosts[anywhere] & scope.types;
}

double orr_world_price(const orr_world *w, int32_t type)
{
    const int32_t priced = w->prices ? w->price_types[type] : -1;
    return priced < 0 ? NAN : orr_prices_at(w->prices, priced, w->life->now);
}

/* Reasons are few: a linear look. */
void orr_world_note(orr_world *w, const char *reason)
{
    for (size_t i = 0; i < w->notes.n; i++) {
        if (strcmp(w->notes.at[i].reason, reason) == 0) {
            w->notes.at[i].count++;
            return;
        }
    }
    orr_counted note = {.reason = orr_arena_strdup(&w->note_texts, reason, strlen(reason)), .count = 1};
    ORR_VEC_PUSH(&w->notes, note);
}

void orr_world_fault(orr_world *w, orr_err code, const orr_job *job, const char *fmt, ...)
{
    if (w->fault.code)
        return;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    orr_error_set(&w->fault, code, "%s", text);
    orr_error_when(&w->fault, w->life->now, job ? job->record->id : NULL);
}

void orr_world_fire(orr_world *w, const orr_queued *event)
{
    orr_ctx *ctx = event->what;
    orr_timers_drop(&ctx->timers, event->cookie);
    w->decide = true;
    orr_ctx_on_timer(ctx, event->cookie);
}

void orr_world_fini(orr_world *w)
{
    struct shape_map *s, *next;
    HASH_ITER(hh, w->shape_map, s, next)
    {
        HASH_DEL(w->shape_map, s);
        free(s);
    }
    ORR_VEC_FREE(&w->shapes);
    ORR_VEC_FREE(&w->notes);
    orr_arena_fini(&w->note_texts);
    orr_names_destroy(w->users);
    orr_groups_destroy(w->groups);
}
