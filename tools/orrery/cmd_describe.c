/* orrery describe FILE...: says what each file holds, be it a cluster or a trace, and what a reader makes of it; and of a
 * folder what came of the run. */
#include "cmd.h"
#include "config/applications.h"
#include "config/describe.h"
#include "config/services.h"
#include "describe_result.h"
#include "json.h"
#include "report/affinities.h"
#include "report/cluster_page.h"
#include "report/offered_load.h"
#include "report/report.h"
#include "report/request_page.h"
#include "report/scaling.h"
#include "report/service_facts.h"
#include "report/trace_page.h"
#include "scenario.h"
#include "trace/describe.h"
#include "trace/describe_requests.h"
#include "trace/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* One file: a cluster, a table, applications, services, or a trace with the description of its jobs or of its requests. */
typedef struct subject {
    const char *name;
    orr_cluster_spec *cluster;
    orr_throughputs *table; /* the file itself, or of a cluster or trace what --throughputs names */
    orr_applications *applications;
    orr_services *services;
    orr_trace *trace;
    orr_description *description;
    orr_request_description *requests;
    bool against; /* there is a cluster to state the load on: */
    orr_offered_load load;
} subject;

static void subject_fini(subject *s)
{
    if (s->against)
        orr_offered_load_fini(&s->load);
    orr_request_description_destroy(s->requests);
    orr_description_destroy(s->description);
    orr_trace_destroy(s->trace);
    orr_cluster_spec_destroy(s->cluster);
    orr_throughputs_destroy(s->table);
    orr_applications_destroy(s->applications);
    orr_services_destroy(s->services);
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

static void describe_trace(app *a, subject *s, const orr_cluster_spec *against)
{
    const orr_trace_request *requests;
    if (orr_trace_requests(s->trace, &requests)) {
        s->requests = orr_requests_describe(s->trace);
        s->requests->clock.blocks = a->out.utf8;
        return;
    }
    s->description = orr_trace_describe(s->trace);
    s->description->blocks = a->out.utf8;
    s->against = against;
    if (against)
        s->load = orr_offered_load_of(s->description, against, a->set->cluster);
}

/* Of a cluster: with the speeds that models have on it; of a trace: those of its models. */
static int load_speeds(app *a, subject *s, const char *text)
{
    orr_error e = {0};
    if (text)
        s->table = orr_throughputs_load(text, &e);
    return text && !s->table ? say_error(&a->say, &e) : 0;
}

/* A refusal that names a line is of a reader that took the file for its own, and says why.
 * Attempts are always kept apart: they are facts, too. */
static int load_trace(app *a, subject *s, const orr_cluster_spec *against)
{
    orr_error e = {0};
    orr_trace_options options = scenario_trace_options(a->set);
    options.replay_attempts = true;
    s->trace = orr_trace_read(s->name, &options, &e);
    if (!s->trace)
        return e.code == ORR_E_FORMAT && e.line == 0 && !a->set->format ? neither(a, &e) : say_error(&a->say, &e);
    if (scenario_select(a->set, &s->trace, &e))
        return say_error(&a->say, &e);
    describe_trace(a, s, against);
    const int status = s->requests ? 0 : load_speeds(a, s, a->set->throughputs);
    return status ? status : scenario_refuse_warnings(a, s->trace);
}

static int load_applications(app *a, subject *s)
{
    orr_error e = {0};
    s->applications = orr_applications_load(s->name, &e);
    return s->applications ? 0 : say_error(&a->say, &e);
}

static int load_services(app *a, subject *s)
{
    orr_error e = {0};
    s->services = orr_services_load(s->name, &e);
    return s->services ? 0 : say_error(&a->say, &e);
}

/* Throughput tables, applications and services are recognised by their beginning. Clusters are recognised by their first line,
 * traces by more: so they are asked first. Any line with a colon may begin
 * a YAML cluster, though, so if it is none the file may still be told as a trace. Standard input can be read once, and
 * is a trace. */
static int load(app *a, subject *s, const orr_cluster_spec *against)
{
    orr_error e = {0};
    const orr_cluster_options options = {.capacity_day = a->set->capacity_day,
                                         .gpus_per_node = (int32_t)a->set->gpus_per_node};
    if (a->set->format || strcmp(s->name, "-") == 0)
        return load_trace(a, s, against);
    if (orr_throughputs_told(s->name))
        return load_speeds(a, s, s->name);
    if (orr_applications_told(s->name))
        return load_applications(a, s);
    if (orr_services_told(s->name))
        return load_services(a, s);
    s->cluster = orr_cluster_spec_load(s->name, &options, &e);
    if (s->cluster)
        return load_speeds(a, s, a->set->throughputs);
    const bool other = e.code == ORR_E_FORMAT || orr_trace_told(s->name);
    return other ? load_trace(a, s, against) : say_error(&a->say, &e);
}

/* ---- pages ---- */

static bool is_plain(const char *word)
{
    return *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:,+@%-")];
}

/* As one would type it in a shell. */
static void add_command(const app *a, orr_text *t)
{
    orr_text_addf(t, "orrery");
    for (int i = 1; i < a->argc; i++) {
        const bool plain = is_plain(a->argv[i]);
        orr_text_addf(t, plain ? " " : " '");
        for (const char *c = a->argv[i]; *c; c++)
            orr_text_add(t, *c == '\'' ? "'\\''" : c, *c == '\'' ? 4 : 1);
        orr_text_addf(t, plain ? "" : "'");
    }
}

static int write_page(app *a, const char *path, orr_text *text)
{
    orr_error e = {0};
    const orr_err err = orr_report_write(path, text, &e);
    orr_text_fini(text);
    return err ? say_error(&a->say, &e) : 0;
}

static int no_page(app *a, const subject *s, const char *why)
{
    orr_error e = {0};
    orr_error_set(&e, ORR_E_USAGE, "--html and --svg show a single file: %s", why);
    orr_error_text(&e, s->name, strlen(s->name));
    return say_error(&a->say, &e);
}

static int write_html(app *a, const subject *s, const char *typed)
{
    orr_text page = {0};
    if (!a->set->html)
        return 0;
    if (s->table && !s->trace)
        orr_affinities_html(s->table, s->cluster, typed, &page);
    else if (s->cluster)
        orr_cluster_page_html(s->cluster, typed, &page);
    else if (s->requests)
        orr_request_page_html(&(orr_request_page){s->requests, typed}, &page);
    else
        orr_trace_page_html(&(orr_trace_page){s->description, s->against ? &s->load : NULL, typed}, &page);
    return write_page(a, a->set->html, &page);
}

static int write_svg(app *a, const subject *s)
{
    orr_text drawing = {0};
    if (!a->set->svg)
        return 0;
    if (s->cluster)
        orr_cluster_page_svg(s->cluster, &drawing);
    else
        orr_trace_page_svg(&(orr_trace_page){.d = s->description}, &drawing);
    return write_page(a, a->set->svg, &drawing);
}

static int write_pages(app *a, const subject *s)
{
    if (!a->set->html && !a->set->svg)
        return 0;
    if (s->applications)
        return no_page(a, s, "applications have no page");
    if (s->services)
        return no_page(a, s, "services have no page");
    if (s->table && s->trace)
        return no_page(a, s, "speeds of a trace's models have none");
    if (s->table && a->set->svg)
        return no_page(a, s, "a throughput table has --html only");
    if (s->requests && a->set->svg)
        return no_page(a, s, "this is one of requests, which has --html only");
    orr_text typed = {0};
    add_command(a, &typed);
    const int html = write_html(a, s, typed.at);
    orr_text_fini(&typed);
    return html ? html : write_svg(a, s);
}

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int refuse_pages(app *a)
{
    const subject second = {.name = a->operand_count > 1 ? a->operands[1] : "-"};
    if (a->operand_count > 1 && (a->set->html || a->set->svg))
        return no_page(a, &second, "several files were given");
    if (is_stdout(a->set->html) && is_stdout(a->set->svg))
        return no_page(a, &second, "only one of them can be stdout");
    return 0;
}

/* ---- output ---- */

static cJSON *document_of(const subject *s)
{
    if (s->cluster) {
        cJSON *cluster = orr_describe_cluster_json(s->cluster);
        if (s->table)
            cJSON_AddItemToObject(cluster, "throughputs", orr_affinities_json(s->table, s->cluster));
        return cluster;
    }
    if (s->table && !s->trace)
        return orr_affinities_json(s->table, NULL);
    if (s->applications)
        return orr_scaling_json(s->applications);
    if (s->services)
        return orr_service_facts_json(s->services);
    if (s->requests)
        return orr_requests_describe_json(s->requests);
    cJSON *document = orr_trace_describe_json(s->description);
    if (s->against)
        orr_offered_load_json(&s->load, document);
    if (s->table)
        cJSON_AddItemToObject(document, "throughputs", orr_affinities_of_trace_json(s->table, s->trace));
    return document;
}

static void print_subject(const subject *s, bool first)
{
    orr_text t = {0};
    if (!first)
        orr_text_addf(&t, "\n");
    if (s->cluster)
        orr_describe_cluster_text(s->cluster, &t);
    else if (s->table && !s->trace)
        orr_affinities_text(s->table, NULL, &t);
    else if (s->applications)
        orr_scaling_text(s->applications, &t);
    else if (s->services)
        orr_service_facts_text(s->services, &t);
    else if (s->requests)
        orr_requests_describe_text(s->requests, &t);
    else
        orr_trace_describe_text(s->description, &t);
    if (s->cluster && s->table) {
        orr_text_addf(&t, "\n");
        orr_affinities_text(s->table, s->cluster, &t);
    }
    if (s->against)
        orr_offered_load_text(&s->load, &t);
    if (s->trace && s->table) {
        orr_text_addf(&t, "\n");
        orr_affinities_of_trace_text(s->table, s->trace, &t);
    }
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

/* What is for results only. */
static int refuse_result_options(app *a, const subject *s)
{
    orr_error e = {0};
    if (!a->set->write && a->set->metrics.n == 0)
        return 0;
    orr_error_set(&e, ORR_E_USAGE, "--%s is for results, and this is a file", a->set->write ? "write" : "metric");
    orr_error_text(&e, s->name, strlen(s->name));
    orr_error_hint(&e, "a result is a folder that `orrery run -o` made");
    return say_error(&a->say, &e);
}

static int refuse_speeds(app *a, const subject *s)
{
    orr_error e = {0};
    if (!a->set->throughputs || s->cluster || s->description)
        return 0;
    orr_error_set(&e, ORR_E_USAGE, "--throughputs goes with a cluster or a trace of jobs, and this is neither");
    orr_error_text(&e, s->name, strlen(s->name));
    orr_error_hint(&e, "`orrery describe TABLE` shows a throughput table by itself");
    return say_error(&a->say, &e);
}

static int describe_one(app *a, subject *s, const orr_cluster_spec *against, cJSON *documents, bool first)
{
    if (describe_is_folder(s->name) && !orr_applications_told(s->name))
        return describe_results(a, s->name, documents, first);
    const int refused = refuse_result_options(a, s);
    const int failed = refused ? refused : load(a, s, against);
    const int odd = failed ? failed : refuse_speeds(a, s);
    const int status = odd ? odd : write_pages(a, s);
    if (status || is_stdout(a->set->html) || is_stdout(a->set->svg))
        return status;
    if (documents)
        cJSON_AddItemToArray(documents, document_of(s));
    else
        print_subject(s, first);
    return 0;
}

static int describe_all(app *a, const orr_cluster_spec *against, cJSON *documents)
{
    int status = 0;
    for (size_t i = 0; i < a->operand_count; i++) {
        subject s = {.name = a->operands[i]};
        const int one = describe_one(a, &s, against, documents, i == 0);
        status = status ? status : one;
        subject_fini(&s);
    }
    return status;
}

int cmd_describe(app *a)
{
    int status = refuse_pages(a);
    orr_cluster_spec *against = !status && a->set->cluster ? scenario_cluster(a, a->set->cluster, &status) : NULL;
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
