#include "cluster/scenario.h"

#include <string.h>

struct orr_scenario_memory {
    orr_arena arena;
    ORR_VEC(orr_incident) incidents;
    ORR_VEC(orr_failures) failures;
    ORR_VEC(orr_gpu_power) gpus;
    ORR_VEC(orr_clock_point) points;
};

orr_incident orr_incident_default(void)
{
    return (orr_incident){.which = {.vc = "", .type = "", .rack = ""},
                          .lasts = ORR_TIME_NONE,
                          .job = "",
                          .type = "",
                          .said = {.file = ""}};
}

const char *orr_incident_name(orr_incident_kind kind)
{
    static const char *const names[ORR_INCIDENT_KINDS] = {"price",    "clock", "up",     "resume", "loan",
                                                          "capacity", "drain", "revoke", "down",   "cancel"};
    return (unsigned)kind < ORR_INCIDENT_KINDS ? names[kind] : "?";
}

orr_scenario *orr_scenario_create(const char *name)
{
    orr_scenario *s = orr_xcalloc(1, sizeof *s);
    s->memory = orr_xcalloc(1, sizeof *s->memory);
    s->name = orr_scenario_keep(s, name);
    s->path = s->digest = s->power.said.file = "";
    s->early_stop.quality = s->early_stop.said.file = "";
    return s;
}

void orr_scenario_destroy(orr_scenario *s)
{
    if (!s)
        return;
    ORR_VEC_FREE(&s->memory->incidents);
    ORR_VEC_FREE(&s->memory->failures);
    ORR_VEC_FREE(&s->memory->gpus);
    ORR_VEC_FREE(&s->memory->points);
    orr_arena_fini(&s->memory->arena);
    free(s->memory);
    free(s);
}

const char *orr_scenario_keep(orr_scenario *s, const char *text)
{
    return text && text[0] ? orr_arena_strdup(&s->memory->arena, text, strlen(text)) : "";
}

orr_which orr_scenario_keep_which(orr_scenario *s, const orr_which *which)
{
    orr_which kept = *which;
    kept.vc = orr_scenario_keep(s, which->vc);
    kept.type = orr_scenario_keep(s, which->type);
    kept.rack = orr_scenario_keep(s, which->rack);
    if (!which->names)
        return kept;
    const char **names = orr_arena_alloc(&s->memory->arena, (which->name_count + 1) * sizeof *names);
    for (size_t i = 0; i < which->name_count; i++)
        names[i] = orr_scenario_keep(s, which->names[i]);
    kept.names = names;
    return kept;
}

static orr_said keep_said(orr_scenario *s, orr_said said)
{
    said.file = orr_scenario_keep(s, said.file);
    return said;
}

void orr_scenario_add(orr_scenario *s, const orr_incident *incident)
{
    orr_incident kept = *incident;
    kept.which = orr_scenario_keep_which(s, &incident->which);
    kept.job = orr_scenario_keep(s, incident->job);
    kept.type = orr_scenario_keep(s, incident->type);
    kept.said = keep_said(s, incident->said);
    ORR_VEC_PUSH(&s->memory->incidents, kept);
    s->incidents = s->memory->incidents.at;
    s->incident_count = s->memory->incidents.n;
}

void orr_scenario_add_failures(orr_scenario *s, const orr_failures *failures)
{
    orr_failures kept = *failures;
    kept.which = orr_scenario_keep_which(s, &failures->which);
    kept.said = keep_said(s, failures->said);
    ORR_VEC_PUSH(&s->memory->failures, kept);
    s->failures = s->memory->failures.at;
    s->failure_count = s->memory->failures.n;
}

void orr_scenario_add_clock_point(orr_scenario *s, const orr_clock_point *point)
{
    orr_clock_point kept = *point;
    kept.type = orr_scenario_keep(s, point->type);
    ORR_VEC_PUSH(&s->memory->points, kept);
    s->power.points = s->memory->points.at;
    s->power.point_count = s->memory->points.n;
}

void orr_scenario_add_gpu_power(orr_scenario *s, const orr_gpu_power *power)
{
    orr_gpu_power kept = *power;
    kept.type = orr_scenario_keep(s, power->type);
    ORR_VEC_PUSH(&s->memory->gpus, kept);
    s->power.gpus = s->memory->gpus.at;
    s->power.gpu_count = s->memory->gpus.n;
}
