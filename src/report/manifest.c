/* manifest.json: how a result came about, so that it can be made again. All that differs from run to run on equal
 * inputs is in `wall`, which byte comparisons leave out. */
#include "report/json.h"

#include <orrery/version.h>

static void add_command(cJSON *document, const orr_report_manifest *m)
{
    cJSON *command = orr_json_array(document, "command");
    for (int i = 0; i < m->argc; i++)
        orr_json_item(command, m->argv[i]);
    cJSON *settings = orr_json_object(document, "settings");
    for (size_t i = 0; i < m->setting_count; i++)
        orr_json_text(settings, m->settings[i].name, m->settings[i].value);
}

static void add_input(cJSON *inputs, const char *role, const char *name, const char *format, const char *digest)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(inputs, object);
    orr_json_text(object, "role", role);
    orr_json_text(object, "name", name);
    orr_json_text(object, "format", format);
    orr_json_text(object, "sha256", digest && digest[0] ? digest : NULL);
}

static void add_inputs(cJSON *document, const orr_report_run *run)
{
    cJSON *inputs = orr_json_array(document, "inputs");
    const orr_cluster_spec *cluster = run->cluster;
    const orr_trace_input *files;
    const size_t n = orr_trace_inputs(run->trace, &files);
    if (!run->without_jobs)
        add_input(inputs, "trace", orr_trace_name(run->trace), orr_trace_format(run->trace), orr_trace_digest(run->trace));
    for (size_t i = 1; i < n; i++)
        add_input(inputs, "table", files[i].path, NULL, files[i].digest);
    add_input(inputs, "cluster", run->cluster_asked ? run->cluster_asked : orr_cluster_spec_name(cluster), NULL,
              orr_cluster_spec_digest(cluster));
    const orr_profiles *profiles = run->options->profiles;
    const orr_scenario *scenario = run->options->scenario;
    if (profiles)
        add_input(inputs, "profiles", orr_profiles_name(profiles), NULL, orr_profiles_digest(profiles));
    const orr_throughputs *table = run->options->throughputs;
    if (table)
        add_input(inputs, "throughputs", orr_throughputs_name(table), NULL, orr_throughputs_digest(table));
    const orr_applications *applications = run->options->applications;
    if (applications)
        add_input(inputs, "applications", orr_applications_name(applications), NULL, orr_applications_digest(applications));
    const orr_services *services = run->options->services;
    if (services)
        add_input(inputs, "services", services->name, NULL, services->digest);
    if (scenario)
        add_input(inputs, "scenario", scenario->path[0] ? scenario->path : scenario->name, NULL, scenario->digest);
}

static void add_decide(cJSON *wall, const double us[3])
{
    if (us[0] < 0)
        return;
    cJSON *decide = orr_json_object(wall, "decide_us");
    orr_json_double(decide, "p50", us[0]);
    orr_json_double(decide, "p99", us[1]);
    orr_json_double(decide, "max", us[2]);
}

static void add_wall(cJSON *document, const orr_report_manifest *m)
{
    if (m->no_wall)
        return;
    cJSON *wall = orr_json_object(document, "wall");
    if (m->wall_date)
        orr_json_text(wall, "date", m->wall_date);
    if (m->wall_host)
        orr_json_text(wall, "host", m->wall_host);
    if (m->wall_duration_s >= 0)
        orr_json_double(wall, "duration_s", m->wall_duration_s);
    if (m->wall_max_rss_kib >= 0)
        orr_json_count(wall, "max_rss_kib", (uint64_t)m->wall_max_rss_kib);
    add_decide(wall, m->wall_decide_us);
}

orr_err orr_manifest_json(const orr_report_run *run, const orr_report_manifest *manifest, orr_text *out, orr_error *e)
{
    cJSON *document = cJSON_CreateObject();
    orr_json_text(document, "schema", "orrery.manifest/1");
    orr_json_text(document, "version", orr_version());
    orr_json_text(document, "commit", orr_commit());
    orr_json_text(document, "build", orr_build());
    orr_json_count(document, "abi", ORR_ABI);
    add_command(document, manifest);
    orr_json_count(orr_json_object(document, "seeds"), "master", run->options->seed);
    add_inputs(document, run);
    orr_json_policy(document, run);
    orr_json_serve(document, run);
    orr_json_text(document, "clock", run->options->clock ? run->options->clock : "exact");
    orr_json_text(document, "costs", run->costs_resolved ? run->costs_resolved : "none");
    orr_json_text(document, "knowledge_granted", orr_know_name(run->options->know));
    orr_json_knowledge(document, run);
    orr_json_stop(document, run);
    add_wall(document, manifest);
    return orr_json_print(document, true, out, e);
}
