#include "conditions.h"

#include "study/case_keys.h"

static orr_texts borrowed(const char **at, size_t n)
{
    return (orr_texts){.at = at, .n = n};
}

orr_case conditions_of(const settings *s)
{
    orr_case c = orr_case_default();
    c.trace = s->trace;
    c.format = s->format;
    c.tables = s->tables;
    c.gpu_type = s->gpu_type;
    c.tz = s->tz;
    c.epoch = s->epoch;
    c.cpu_jobs = s->cpu_jobs;
    c.attempts = s->attempts;
    c.strict = s->strict;
    c.where = s->where;
    c.from = s->from;
    c.to = s->to;
    c.vcs = borrowed(s->only_vcs.at, s->only_vcs.n);
    c.users = borrowed(s->only_users.at, s->only_users.n);
    c.min_gpus = s->least_gpus;
    c.max_gpus = s->most_gpus;
    c.sample = s->sample;
    c.scale_load = s->scale_load;
    c.limit = s->first_jobs;
    c.cluster = s->cluster;
    c.capacity_day = s->capacity_day;
    c.gpus_per_node = s->gpus_per_node;
    c.ignore_vcs = s->ignore_vcs;
    c.unknown_vc = s->unknown_vc;
    c.costs = s->costs;
    c.scenario = s->scenario;
    c.throughputs = s->throughputs;
    c.applications = s->applications;
    c.services = s->services;
    c.profiles = s->profiles;
    c.interference = s->interference;
    c.net = s->net;
    c.clock = s->clock;
    c.measure = s->measure;
    c.know = s->know;
    c.on_violation = s->on_violation;
    c.seed = s->seed;
    c.warmup = s->warmup;
    c.cooldown = s->cooldown;
    c.metrics = borrowed(s->metrics.at, s->metrics.n);
    c.until = s->until;
    c.max_events = s->max_events;
    return c;
}

const opt *conditions_option(const settings *s, const char *key)
{
    const opt *o = opt_find(CMD_RUN, key, strlen(key));
    return o && opt_given(s, o) ? o : NULL;
}

void conditions_override(orr_case *c, const settings *s)
{
    const orr_case typed = conditions_of(s);
    for (const orr_key *key = orr_case_keys.at; key->name; key++)
        if (conditions_option(s, key->name))
            orr_schema_copy(key, c, &typed);
}

/* ---- what a case doesn't know ---- */

static const orr_key extra_keys[CONDITIONS_EXTRAS + 1] = {
    {"werror", ORR_KEY_BOOL, offsetof(settings, werror), "off", 0, 0, "", NULL},
    {"plugin", ORR_KEY_NAMES, offsetof(settings, plugins), "", 0, 0, "", NULL},
    {"max-wall", ORR_KEY_DURATION, offsetof(settings, max_wall), "inf", 0, 0, "", NULL},
    {0},
};

const orr_keys conditions_extra_keys = {"", "", extra_keys};

void conditions_extras(const settings *s, orr_arena *arena, orr_case_extra extras[CONDITIONS_EXTRAS])
{
    static const char *const behind[CONDITIONS_EXTRAS] = {"strict", "policy", NULL};
    for (size_t i = 0; i < CONDITIONS_EXTRAS; i++) {
        orr_text value = {0};
        orr_schema_value(&extra_keys[i], s, &value);
        extras[i] = (orr_case_extra){extra_keys[i].name, orr_arena_strdup(arena, value.at, value.n), behind[i]};
        orr_text_fini(&value);
    }
}
