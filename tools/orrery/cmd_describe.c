/* orrery describe FILE...: says what each file holds, be it a cluster or a trace, and what a reader makes of it. */
#include "cmd.h"
#include "config/describe.h"
#include "json.h"
#include "scenario.h"
#include "trace/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One file. Exactly one of the two is set. */
typedef struct subject {
    const char *name;
    orr_cluster_spec *cluster;
    orr_trace *trace;
    orr_description *description;
} subject;

static void subject_fini(subject *s)
{
    orr_description_destroy(s->description);
    orr_trace_destroy(s->trace);
    orr_cluster_spec_destroy(s->cluster);
}

/* ---- which kind of file ---- */

static int neither(app *a, orr_error *e)
{
    orr_error both = {0};
    orr_error_set(&both, ORR_E_FORMAT, "this is neither a trace nor a cluster in a known format");
    orr_error_at(&both, e->file, e->line, e->column);
    orr_error_text(&both, e->text, strlen(e->text));
    orr_error_hint(&both, "`orrery version` lists the formats");
    return say_error(&a->say, &both);
}

static int load_trace(app *a, subject *s)
{
    orr_error e = {0};
    const orr_trace_options options = scenario_trace_options(a->set);
    s->trace = orr_trace_read(s->name, &options, &e);
    if (!s->trace)
        return e.code == ORR_E_FORMAT && !a->set->format ? neither(a, &e) : say_error(&a->say, &e);
    s->description = orr_trace_describe(s->trace);
    return scenario_refuse_warnings(a, s->trace);
}

/* Clusters are recognised by their first line, traces by more: so they are asked first. Standard input can be read
 * once, and is a trace. */
static int load(app *a, subject *s)
{
    orr_error e = {0};
    const orr_cluster_options options = {.capacity_day = a->set->capacity_day,
                                         .gpus_per_node = (int32_t)a->set->gpus_per_node};
    if (a->set->format || strcmp(s->name, "-") == 0)
        return load_trace(a, s);
    s->cluster = orr_cluster_spec_load(s->name, &options, &e);
    if (s->cluster)
        return 0;
    return e.code == ORR_E_FORMAT ? load_trace(a, s) : say_error(&a->say, &e);
}

/* ---- offered load ---- */

/* GPU time asked over GPU time there is while jobs are submitted; NaN if that takes no time. */
static double load_of(const orr_description *d, orr_wide gpu_ns, int64_t gpus)
{
    const double span = orr_time_seconds(d->last - d->first);
    return span > 0 && gpus > 0 ? (double)gpu_ns / 1e9 / ((double)gpus * span) : NAN;
}

static int64_t gpus_of_vc(const orr_cluster_spec *cluster, const char *vc)
{
    int64_t gpus = 0;
    for (int32_t i = 0; i < orr_cluster_spec_nodes(cluster); i++)
        if (strcmp(orr_cluster_spec_node(cluster, i)->vc, vc) == 0)
            gpus += orr_cluster_spec_node(cluster, i)->gpus;
    return gpus;
}

/* VCs of the trace that the cluster has too, where it has several. */
static bool load_has_vc(const orr_cluster_spec *cluster, const char *vc)
{
    return orr_cluster_spec_vcs(cluster) > 1 && orr_cluster_spec_find_vc(cluster, vc) >= 0;
}

static void load_line(const char *name, double load, int64_t gpus, orr_text *t)
{
    char count[ORR_DOUBLE_BUF];
    orr_format_count((uint64_t)gpus, count);
    if (isnan(load))
        orr_text_addf(t, "  %-16s not defined: all jobs are submitted at once (%s GPUs)\n", name, count);
    else
        orr_text_addf(t, "  %-16s %.3f of %s GPUs\n", name, load, count);
}

static void load_text(const orr_description *d, const char *what, const orr_cluster_spec *cluster, orr_text *t)
{
    const int64_t all = orr_cluster_spec_gpus(cluster);
    orr_text_addf(t, "\noffered load on %s\n", what);
    load_line("all", load_of(d, d->gpu_ns, all), all, t);
    for (size_t i = 0; i < d->vcs.n; i++) {
        const char *vc = d->vcs.at[i].name;
        if (load_has_vc(cluster, vc))
            load_line(vc, load_of(d, d->vcs.at[i].gpu_ns, gpus_of_vc(cluster, vc)), gpus_of_vc(cluster, vc), t);
    }
}

static void load_member(cJSON *object, const char *vc, double load, int64_t gpus)
{
    char number[ORR_DOUBLE_BUF];
    if (vc)
        json_text(object, "vc", vc);
    orr_format_double(load, number);
    json_count(object, "gpus", (uint64_t)gpus);
    cJSON_AddRawToObject(object, "load", number);
}

static void load_json(cJSON *document, const orr_description *d, const char *what, const orr_cluster_spec *cluster)
{
    const int64_t all = orr_cluster_spec_gpus(cluster);
    cJSON *object = json_object(document, "offered_load");
    json_text(object, "cluster", what);
    load_member(object, NULL, load_of(d, d->gpu_ns, all), all);
    cJSON *vcs = json_array(object, "vcs");
    for (size_t i = 0; i < d->vcs.n; i++) {
        const char *vc = d->vcs.at[i].name;
        if (load_has_vc(cluster, vc))
            load_member(json_append_object(vcs), vc, load_of(d, d->vcs.at[i].gpu_ns, gpus_of_vc(cluster, vc)),
                        gpus_of_vc(cluster, vc));
    }
}

/* ---- output ---- */

static cJSON *document_of(const app *a, const subject *s, const orr_cluster_spec *against)
{
    if (s->cluster)
        return orr_describe_cluster_json(s->cluster);
    cJSON *document = orr_trace_describe_json(s->description);
    if (against)
        load_json(document, s->description, a->set->cluster, against);
    return document;
}

static void print_subject(const app *a, const subject *s, const orr_cluster_spec *against, bool first)
{
    orr_text t = {0};
    if (!first)
        orr_text_addf(&t, "\n");
    if (s->cluster)
        orr_describe_cluster_text(s->cluster, &t);
    else
        orr_trace_describe_text(s->description, &t);
    if (s->trace && against)
        load_text(s->description, a->set->cluster, against, &t);
    print_text(&t);
    orr_text_fini(&t);
}

/* One file: its document. Several: one document that holds them all. */
static void print_documents(const app *a, cJSON *documents)
{
    if (a->operand_count == 1 && cJSON_GetArraySize(documents) == 1) {
        json_print(cJSON_DetachItemFromArray(documents, 0));
        cJSON_Delete(documents);
        return;
    }
    cJSON *root = cJSON_CreateObject();
    json_text(root, "schema", "orrery.descriptions/1");
    cJSON_AddItemToObject(root, "files", documents);
    json_print(root);
}

static int describe_all(app *a, const orr_cluster_spec *against, cJSON *documents)
{
    int status = 0;
    for (size_t i = 0; i < a->operand_count; i++) {
        subject s = {.name = a->operands[i]};
        const int one = load(a, &s);
        status = status ? status : one;
        if (!one && documents)
            cJSON_AddItemToArray(documents, document_of(a, &s, against));
        else if (!one)
            print_subject(a, &s, against, i == 0);
        subject_fini(&s);
    }
    return status;
}

int cmd_describe(app *a)
{
    int status = 0;
    orr_cluster_spec *against = a->set->cluster ? scenario_cluster(a, a->set->cluster, &status) : NULL;
    if (status)
        return status;
    cJSON *documents = a->set->json ? cJSON_CreateArray() : NULL;
    status = describe_all(a, against, documents);
    if (documents && cJSON_GetArraySize(documents) > 0)
        print_documents(a, documents);
    else
        cJSON_Delete(documents);
    orr_cluster_spec_destroy(against);
    return status;
}
