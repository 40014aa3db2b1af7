/* Demand is summed by the distinct texts of GPU types, which are few, and spread over the cluster's types in doubles;
 * what can't fit is found job by job against a table of GPUs by (VC, type). */
#include "report/offered_load.h"
#include "report/json.h"
#include <math.h>

/* GPUs of the cluster by VC and type: gpus[vc * types + type]; VC 0 is the whole. */
typedef struct places {
    const orr_cluster_spec *cluster;
    orr_names *types;
    const char **names; /* of the types, as the cluster holds them */
    size_t n;
    int64_t *gpus;
} places;

static size_t length(const char *text)
{
    return strcspn(text, "|");
}

static size_t type_of(const places *p, const orr_node_spec *node)
{
    return (size_t)orr_names_find(p->types, node->gpu_type, strlen(node->gpu_type));
}

static places places_of(const orr_cluster_spec *cluster)
{
    const int32_t nodes = orr_cluster_spec_nodes(cluster);
    places p = {.cluster = cluster, .types = orr_names_create()};
    for (int32_t i = 0; i < nodes; i++) {
        const orr_node_spec *node = orr_cluster_spec_node(cluster, i);
        if (node->gpus > 0)
            orr_names_id(p.types, node->gpu_type, strlen(node->gpu_type));
    }
    p.n = orr_names_count(p.types);
    p.names = orr_xcalloc(p.n + 1, sizeof *p.names);
    p.gpus = orr_xcalloc(((size_t)orr_cluster_spec_vcs(cluster) + 1) * (p.n + 1), sizeof *p.gpus);
    for (int32_t i = 0; i < nodes; i++) {
        const orr_node_spec *node = orr_cluster_spec_node(cluster, i);
        if (node->gpus == 0)
            continue;
        const size_t type = type_of(&p, node), vc = 1 + (size_t)orr_cluster_spec_find_vc(cluster, node->vc);
        p.names[type] = node->gpu_type;
        p.gpus[type] += node->gpus;
        p.gpus[vc * p.n + type] += node->gpus;
    }
    return p;
}

static void places_fini(places *p)
{
    orr_names_destroy(p->types);
    free(p->names);
    free(p->gpus);
}

/* Where a job of this VC runs, as a simulation has it: its own nodes, else those without a VC; -1: there are none.
 * Without VCs in the cluster it is the whole. */
static int64_t place_of_vc(const places *p, const char *vc)
{
    const orr_cluster_spec *c = p->cluster;
    if (orr_cluster_spec_vcs(c) == 1 && !orr_cluster_spec_vc(c, 0)[0])
        return 0;
    const int32_t own = orr_cluster_spec_find_vc(c, vc);
    const int32_t found = own >= 0 ? own : orr_cluster_spec_find_vc(c, "");
    return found < 0 ? -1 : 1 + (int64_t)found;
}

/* GPUs of the types in this list ("": all), and calls `each` on those that are there. */
static int64_t gpus_of_types(const places *p, size_t vc, const char *list, void (*each)(void *self, size_t type),
                             void *self)
{
    int64_t gpus = 0;
    for (size_t type = 0; !list[0] && type < p->n; type++) {
        gpus += p->gpus[vc * p->n + type];
        if (each)
            each(self, type);
    }
    while (list[0]) {
        const int64_t type = orr_names_find(p->types, list, length(list));
        gpus += type >= 0 ? p->gpus[vc * p->n + (size_t)type] : 0;
        if (type >= 0 && each)
            each(self, (size_t)type);
        list += length(list);
        list += *list == '|';
    }
    return gpus;
}

/* ---- loads ---- */

static double load_of(const orr_description *d, double gpu_seconds, int64_t gpus)
{
    const double span = orr_time_seconds(d->last - d->first);
    return span > 0 && gpus > 0 ? gpu_seconds / ((double)gpus * span) : NAN;
}

typedef struct spreading {
    const places *p;
    double *demand; /* GPU-s by type */
    double gpu_seconds, gpus;
} spreading;

static void add_part(void *self, size_t type)
{
    spreading *s = self;
    s->demand[type] += s->gpu_seconds * (double)s->p->gpus[type] / s->gpus;
}

static void by_type(orr_offered_load *load, const orr_description *d, const places *p)
{
    double *demand = orr_xcalloc(p->n + 1, sizeof *demand);
    for (size_t i = 0; i < d->gpu_types.n; i++) {
        const orr_share_facts *share = &d->gpu_types.at[i];
        spreading s = {p, demand, orr_milli_seconds(share->milli_ns), 0};
        s.gpus = (double)gpus_of_types(p, 0, share->name, NULL, NULL);
        if (s.gpus > 0)
            gpus_of_types(p, 0, share->name, add_part, &s);
    }
    for (size_t type = 0; p->n > 1 && type < p->n; type++) {
        const orr_load_row row = {p->names[type], p->gpus[type], load_of(d, demand[type], p->gpus[type])};
        ORR_VEC_PUSH(&load->types, row);
    }
    free(demand);
}

static void by_vc(orr_offered_load *load, const orr_description *d, const places *p)
{
    for (size_t i = 0; orr_cluster_spec_vcs(p->cluster) > 1 && i < d->vcs.n; i++) {
        const orr_share_facts *share = &d->vcs.at[i];
        const int32_t vc = orr_cluster_spec_find_vc(p->cluster, share->name);
        if (vc < 0)
            continue;
        const int64_t gpus = gpus_of_types(p, (size_t)vc + 1, "", NULL, NULL);
        const orr_load_row row = {share->name, gpus, load_of(d, orr_milli_seconds(share->milli_ns), gpus)};
        ORR_VEC_PUSH(&load->vcs, row);
    }
}

/* What stands in the way of a job, counted; NULL: nothing. */
static uint64_t *obstacle(orr_offered_load *load, const places *p, const orr_trace_job *job)
{
    const int64_t place = place_of_vc(p, job->vc);
    if (job->gpus == 0)
        return NULL;
    if (place < 0)
        return &load->no_vc;
    if (gpus_of_types(p, 0, job->gpu_type, NULL, NULL) == 0)
        return &load->no_type;
    return job->gpus > gpus_of_types(p, (size_t)place, job->gpu_type, NULL, NULL) ? &load->too_wide : NULL;
}

static void what_never_fits(orr_offered_load *load, const orr_description *d, const places *p)
{
    const orr_trace_job *jobs = orr_trace_jobs(d->trace);
    for (size_t i = 0; i < d->jobs; i++) {
        uint64_t *why = obstacle(load, p, &jobs[i]);
        if (!why)
            continue;
        ++*why;
        load->never++;
        load->never_milli_ns += orr_milli_ns(&jobs[i], jobs[i].duration);
    }
}

orr_offered_load orr_offered_load_of(const orr_description *d, const orr_cluster_spec *cluster, const char *asked)
{
    const int64_t gpus = orr_cluster_spec_gpus(cluster);
    const orr_wide milli = d->asked.milli + d->asked_withdrawn.milli;
    orr_offered_load load = {.cluster = asked, .all = {"all", gpus, load_of(d, orr_milli_seconds(d->milli_ns), gpus)}};
    places p = places_of(cluster);
    load.at_once = gpus ? (double)milli / 1000 / (double)gpus : NAN;
    by_type(&load, d, &p);
    by_vc(&load, d, &p);
    what_never_fits(&load, d, &p);
    places_fini(&p);
    return load;
}

void orr_offered_load_fini(orr_offered_load *load)
{
    ORR_VEC_FREE(&load->types);
    ORR_VEC_FREE(&load->vcs);
}

/* ---- told ---- */

static void row_text(const orr_load_row *row, orr_text *out)
{
    char count[ORR_DOUBLE_BUF];
    orr_format_count((uint64_t)row->gpus, count);
    const char *name = row->name[0] ? row->name : "(none)";
    if (isnan(row->load))
        orr_text_addf(out, "  %-16s not defined: all jobs are submitted at once (%s GPUs)\n", name, count);
    else
        orr_text_addf(out, "  %-16s %.3f of %s GPUs\n", name, row->load, count);
}

static void never_text(const orr_offered_load *load, orr_text *out)
{
    char never[ORR_DOUBLE_BUF], wide[ORR_DOUBLE_BUF], type[ORR_DOUBLE_BUF], vc[ORR_DOUBLE_BUF], hours[ORR_WIDE_BUF];
    orr_format_count(load->never, never);
    orr_format_count(load->too_wide, wide);
    orr_format_count(load->no_type, type);
    orr_format_count(load->no_vc, vc);
    orr_text_addf(out, "  can never fit    %s jobs, %s GPU-hours:\n", never,
                  orr_grouped(orr_milli_hours(load->never_milli_ns), 3, hours));
    orr_text_addf(out, "                   too wide %s, no GPU of their type %s, no such VC %s\n", wide, type, vc);
}

void orr_offered_load_text(const orr_offered_load *load, orr_text *out)
{
    orr_text_addf(out, "\noffered load on %s\n", load->cluster);
    row_text(&load->all, out);
    for (size_t i = 0; i < load->types.n; i++)
        row_text(&load->types.at[i], out);
    for (size_t i = 0; i < load->vcs.n; i++)
        row_text(&load->vcs.at[i], out);
    if (!isnan(load->at_once))
        orr_text_addf(out, "  all at once      %.3f of its GPUs\n", load->at_once);
    if (load->never)
        never_text(load, out);
}

static void row_json(const orr_load_row *row, const char *key, cJSON *object)
{
    if (key)
        orr_json_text(object, key, row->name);
    orr_json_count(object, "gpus", (uint64_t)row->gpus);
    orr_json_double(object, "load", row->load);
}

static void rows_json(const orr_load_rows *rows, const char *key, cJSON *list)
{
    for (size_t i = 0; i < rows->n; i++) {
        cJSON *o = cJSON_CreateObject();
        row_json(&rows->at[i], key, o);
        cJSON_AddItemToArray(list, o);
    }
}

void orr_offered_load_json(const orr_offered_load *load, cJSON *document)
{
    cJSON *o = orr_json_object(document, "offered_load");
    orr_json_text(o, "cluster", load->cluster);
    row_json(&load->all, NULL, o);
    rows_json(&load->vcs, "vc", orr_json_array(o, "vcs"));
    rows_json(&load->types, "gpu_type", orr_json_array(o, "gpu_types"));
    orr_json_double(o, "all_at_once", load->at_once);
    cJSON *never = orr_json_object(o, "never_fit");
    orr_json_count(never, "jobs", load->never);
    orr_json_count(never, "no_gpu_of_type", load->no_type);
    orr_json_count(never, "too_wide", load->too_wide);
    orr_json_count(never, "no_such_vc", load->no_vc);
    orr_json_double(never, "gpu_hours", orr_milli_hours(load->never_milli_ns));
}
