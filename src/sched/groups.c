#include "sched/groups.h"

#include "base/mem.h"
#include "base/text.h"
#include "sched/ctx.h"

#include <stdlib.h>
#include <string.h>

typedef struct members {
    ORR_VEC(orr_job *) jobs;
    bool named;
} members;

struct orr_groups {
    ORR_VEC(members) groups;
    ORR_VEC(int32_t) of_name; /* by the name's number: its group */
    ORR_VEC(int32_t) spare;   /* numbers of single jobs that have ended */
    orr_names *names;         /* NULL: no group has one yet */
};

orr_groups *orr_groups_create(void)
{
    return orr_xcalloc(1, sizeof(orr_groups));
}

void orr_groups_destroy(orr_groups *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->groups.n; i++)
        ORR_VEC_FREE(&g->groups.at[i].jobs);
    ORR_VEC_FREE(&g->groups);
    ORR_VEC_FREE(&g->of_name);
    ORR_VEC_FREE(&g->spare);
    if (g->names)
        orr_names_destroy(g->names);
    free(g);
}

static int32_t new_group(orr_groups *g, bool named)
{
    ORR_VEC_PUSH(&g->groups, ((members){.named = named}));
    return (int32_t)g->groups.n - 1;
}

static int32_t group_named(orr_groups *g, const char *name)
{
    if (!g->names)
        g->names = orr_names_create();
    uint32_t id = orr_names_id(g->names, name, strlen(name));
    if (id == g->of_name.n) {
        int32_t group = new_group(g, true);
        ORR_VEC_PUSH(&g->of_name, group);
    }
    return g->of_name.at[id];
}

void orr_groups_enter(orr_groups *g, orr_job *job)
{
    if (job->record->group[0])
        job->group = group_named(g, job->record->group);
    else
        job->group = g->spare.n ? g->spare.at[--g->spare.n] : new_group(g, false);
    ORR_VEC_PUSH(&g->groups.at[job->group].jobs, job);
}

void orr_groups_leave(orr_groups *g, const orr_job *job)
{
    members *m = &g->groups.at[job->group];
    size_t i = 0;
    while (m->jobs.at[i] != job)
        i++;
    m->jobs.n--;
    memmove(&m->jobs.at[i], &m->jobs.at[i + 1], (m->jobs.n - i) * sizeof *m->jobs.at);
    if (!m->named)
        ORR_VEC_PUSH(&g->spare, job->group);
}

size_t orr_groups_members(const orr_groups *g, int32_t group, orr_job *const **jobs)
{
    *jobs = g->groups.at[group].jobs.at;
    return g->groups.at[group].jobs.n;
}

/* ---- what policies ask ------------------------------------------------------------------------------------------- */

int32_t orr_job_group(const orr_job *job)
{
    return job->group;
}

int32_t orr_groups_seen(const orr_ctx *ctx)
{
    return (int32_t)ctx->world->groups->groups.n;
}

size_t orr_group_jobs(const orr_ctx *ctx, int32_t group, orr_job *const **jobs)
{
    return orr_groups_members(ctx->world->groups, group, jobs);
}
