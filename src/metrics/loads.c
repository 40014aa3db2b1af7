/* Demand is summed exactly by the distinct lists of types, which are few, and then spread over the types in doubles. */
#include "metrics/loads.h"

#include "base/mem.h"
#include "base/text.h"
#include "metrics/tally.h"
#include <math.h>

typedef struct type {
    const char *name;
    int64_t gpus;
    double demand; /* GPU·ns */
} type;
typedef ORR_VEC(type) types;

static types types_of(const orr_cluster_spec *cluster)
{
    types list = {0};
    for (int32_t i = 0; i < orr_cluster_spec_nodes(cluster); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(cluster, i);
        size_t at = 0;
        while (at < list.n && strcmp(list.at[at].name, node->gpu_type) != 0)
            at++;
        if (node->gpus > 0 && at == list.n)
            ORR_VEC_PUSH(&list, ((type){.name = node->gpu_type}));
        if (node->gpus > 0)
            list.at[at].gpus += node->gpus;
    }
    return list;
}

/* "": any. */
static bool names_type(const char *list, const char *name)
{
    if (!list[0])
        return true;
    for (;; list++) {
        size_t n = strcspn(list, "|");
        if (n == strlen(name) && memcmp(list, name, n) == 0)
            return true;
        list += n;
        if (!*list)
            return false;
    }
}

static void spread(types *list, const char *wanted, double demand)
{
    int64_t gpus = 0;
    for (size_t i = 0; i < list->n; i++)
        gpus += names_type(wanted, list->at[i].name) ? list->at[i].gpus : 0;
    for (size_t i = 0; i < list->n; i++)
        if (names_type(wanted, list->at[i].name))
            list->at[i].demand += demand * (double)list->at[i].gpus / (double)gpus;
}

typedef struct demand {
    orr_names *lists;
    ORR_VEC(orr_wide) gpu_ns; /* by list; thousandths */
    orr_time first, last;     /* submissions */
    size_t jobs;
} demand;

static void add_job(demand *d, const orr_kept_job *job)
{
    const orr_trace_job *t = job->record.trace;
    uint32_t list = orr_names_id(d->lists, t->gpu_type, strlen(t->gpu_type));
    if (list >= d->gpu_ns.n)
        ORR_VEC_PUSH(&d->gpu_ns, 0);
    d->gpu_ns.at[list] += (orr_wide)t->duration * orr_kept_milli(job);
    orr_time submit = job->record.submit;
    d->first = d->jobs == 0 || submit < d->first ? submit : d->first;
    d->last = d->jobs == 0 || submit > d->last ? submit : d->last;
    d->jobs++;
}

static void tell(const types *list, double span, orr_metrics *out)
{
    out->type_load_count = (uint32_t)(list->n < ORR_TYPE_LOADS ? list->n : ORR_TYPE_LOADS);
    for (uint32_t i = 0; i < out->type_load_count; i++) {
        const type *t = &list->at[i];
        out->type_loads[i] = (orr_type_load){t->name, span > 0 ? t->demand / (span * (double)t->gpus) : NAN};
    }
}

void orr_type_loads(const orr_cluster_spec *cluster, const orr_measure *measure, const orr_kept_job *jobs, size_t n,
                    orr_metrics *out)
{
    types list = types_of(cluster);
    demand d = {.lists = orr_names_create()};
    for (size_t i = 0; i < n && list.n > 1; i++)
        if (orr_measure_in_range(measure, &jobs[i]))
            add_job(&d, &jobs[i]);
    for (size_t i = 0; i < d.gpu_ns.n; i++)
        spread(&list, orr_names_text(d.lists, (uint32_t)i), orr_gpu_ns(d.gpu_ns.at[i]));
    if (list.n > 1)
        tell(&list, (double)(d.last - d.first), out);
    orr_names_destroy(d.lists);
    ORR_VEC_FREE(&d.gpu_ns);
    ORR_VEC_FREE(&list);
}
