/* The reader of scenario files: entries by their key tables, rules between keys, then the tables that the file
 * names. */
#include "config/presets.h"
#include "config/scenario_keys.h"

#include "cluster/scenario.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    orr_yaml_doc doc;
    orr_scenario_file head;
    orr_scenario *out;
    const char *folder;
    orr_sha256 digest; /* of the digests of all files, where there are several */
    char own[65];      /* of the file itself */
    int files;
    orr_error *e;
} reader;

static orr_said place(const reader *r, const orr_yaml *at)
{
    return (orr_said){r->doc.file, at->line, at->column};
}

/* ---- nodes and GPUs ---- */

orr_which orr_which_of(const orr_which_entry *entry)
{
    orr_which w = {.vc = entry->vc, .type = entry->type, .rack = entry->rack, .count = entry->count};
    if (entry->nodes) {
        w.names = (const char *const *)entry->nodes->texts;
        w.name_count = entry->nodes->kind == ORR_YAML_LIST ? entry->nodes->count : 1;
    }
    return w;
}

bool orr_which_says(const orr_which_entry *w)
{
    return w->nodes || w->vc[0] || w->type[0] || w->rack[0] || w->count;
}

/* "3" or "0..3" as bits. */
static bool read_gpus(const char *text, uint64_t *mask)
{
    const char *dots = strstr(text, "..");
    int64_t from = 0, to = 0;
    size_t n = dots ? (size_t)(dots - text) : strlen(text);
    if (!orr_parse_i64(text, n, &from) || (dots && !orr_parse_i64(dots + 2, strlen(dots + 2), &to)))
        return false;
    to = dots ? to : from;
    if (from < 0 || to < from || to > 63)
        return false;
    for (int64_t g = from; g <= to; g++)
        *mask |= (uint64_t)1 << g;
    return true;
}

static orr_err gpus_of(const reader *r, const orr_yaml *gpus, uint64_t *mask)
{
    size_t n = !gpus ? 0 : gpus->kind == ORR_YAML_LIST ? gpus->count : 1;
    for (size_t i = 0; i < n; i++)
        if (!read_gpus(gpus->texts[i], mask))
            return orr_yaml_fail(&r->doc, gpus, ORR_E_NUMBER, r->e, "'gpus' should be numbers from 0 to 63, or 0..3");
    return ORR_OK;
}

/* ---- events ---- */

/* Keys that an event of this kind has no use for, or must have. */
static const struct {
    const char *key;
    unsigned kinds; /* that may have it: bits */
} uses[] = {
    {"nodes", ~(1u << ORR_INCIDENT_PRICE | 1u << ORR_INCIDENT_CAPACITY | 1u << ORR_INCIDENT_CANCEL)},
    {"rack", ~(1u << ORR_INCIDENT_PRICE | 1u << ORR_INCIDENT_CAPACITY | 1u << ORR_INCIDENT_CANCEL)},
    {"type", ~(1u << ORR_INCIDENT_CAPACITY | 1u << ORR_INCIDENT_CANCEL)},
    {"vc", ~(1u << ORR_INCIDENT_PRICE | 1u << ORR_INCIDENT_CANCEL)},
    {"count", ~(1u << ORR_INCIDENT_PRICE | 1u << ORR_INCIDENT_CANCEL)},
    {"gpus", 1u << ORR_INCIDENT_DOWN | 1u << ORR_INCIDENT_UP},
    {"for", 1u << ORR_INCIDENT_DOWN | 1u << ORR_INCIDENT_DRAIN | 1u << ORR_INCIDENT_REVOKE | 1u << ORR_INCIDENT_LOAN |
                1u << ORR_INCIDENT_CLOCK},
    {"notice", 1u << ORR_INCIDENT_REVOKE | 1u << ORR_INCIDENT_LOAN},
    {"job", 1u << ORR_INCIDENT_CANCEL},
    {"price", 1u << ORR_INCIDENT_PRICE},
    {"clock", 1u << ORR_INCIDENT_CLOCK},
};

static orr_err check_uses(const reader *r, const orr_yaml *map, int32_t kind)
{
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const orr_yaml *member = orr_yaml_member(map, uses[i].key);
        if (member && !(uses[i].kinds >> kind & 1u))
            return orr_yaml_fail_key(&r->doc, member, ORR_E_SYNTAX, r->e, "'%s' means nothing with 'do: %s'",
                                     uses[i].key, orr_incident_name((orr_incident_kind)kind));
    }
    return ORR_OK;
}

static orr_err missing(const reader *r, const orr_yaml *map, int32_t kind, const char *what)
{
    return orr_yaml_fail(&r->doc, map, ORR_E_SYNTAX, r->e, "'do: %s' needs %s",
                         orr_incident_name((orr_incident_kind)kind), what);
}

static orr_err check_needs(const reader *r, const orr_yaml *map, const orr_event_entry *entry)
{
    switch ((orr_incident_kind)entry->kind) {
    case ORR_INCIDENT_CANCEL:
        return entry->job[0] ? ORR_OK : missing(r, map, entry->kind, "a 'job'");
    case ORR_INCIDENT_PRICE:
        return entry->price >= 0 ? ORR_OK : missing(r, map, entry->kind, "a 'price' of at least 0");
    case ORR_INCIDENT_CLOCK:
        if (entry->clock <= 0)
            return missing(r, map, entry->kind, "a 'clock' above 0");
        return orr_which_says(&entry->which) ? ORR_OK : missing(r, map, entry->kind, "nodes");
    case ORR_INCIDENT_CAPACITY:
        return orr_yaml_member(map, "count") ? ORR_OK : missing(r, map, entry->kind, "a 'count' of GPUs");
    default:
        return orr_which_says(&entry->which)
                   ? ORR_OK
                   : missing(r, map, entry->kind, "nodes: 'nodes', 'vc', 'type', 'rack' or 'count'");
    }
}

static orr_err read_event(const reader *r, const orr_yaml *map)
{
    orr_event_entry entry;
    orr_schema_defaults(&orr_event_keys, &entry);
    orr_err err = orr_schema_read(&orr_event_keys, &r->doc, map, &entry, r->e);
    if (!err)
        err = check_uses(r, map, entry.kind);
    if (!err)
        err = check_needs(r, map, &entry);
    orr_incident in = orr_incident_default();
    if (!err)
        err = gpus_of(r, entry.gpus, &in.gpus);
    if (err)
        return err;
    if (entry.at == ORR_TIME_MAX)
        return orr_yaml_fail(&r->doc, orr_yaml_member(map, "at"), ORR_E_NUMBER, r->e, "'at' should be a time");
    in.at = entry.at;
    in.kind = (orr_incident_kind)entry.kind;
    in.which = orr_which_of(&entry.which);
    in.lasts = entry.lasts == ORR_TIME_MAX ? ORR_TIME_NONE : entry.lasts;
    in.notice = entry.notice == ORR_TIME_MAX ? in.at : entry.notice;
    in.job = entry.job;
    in.type = entry.which.type;
    in.price = entry.price;
    in.clock = entry.clock;
    in.said = place(r, map);
    orr_scenario_add(r->out, &in);
    return ORR_OK;
}

static orr_err read_failures(const reader *r, const orr_yaml *map)
{
    orr_failures_entry entry;
    orr_schema_defaults(&orr_failures_keys, &entry);
    orr_err err = orr_schema_read(&orr_failures_keys, &r->doc, map, &entry, r->e);
    if (err)
        return err;
    if (entry.shape < 0.1 || entry.repair_shape < 0.1)
        return orr_yaml_fail(&r->doc, map, ORR_E_NUMBER, r->e, "a shape should be at least 0.1");
    const orr_failures f = {.which = orr_which_of(&entry.which),
                            .of_gpus = entry.of == 1,
                            .mtbf = entry.mtbf,
                            .mttr = entry.mttr,
                            .shape = entry.shape,
                            .repair_shape = entry.repair_shape,
                            .said = place(r, map)};
    orr_scenario_add_failures(r->out, &f);
    return ORR_OK;
}

/* ---- power ---- */

static orr_err read_gpu_power(const reader *r, const orr_yaml *map)
{
    orr_gpu_power gpu;
    orr_schema_defaults(&orr_gpu_power_keys, &gpu);
    orr_err err = orr_schema_read(&orr_gpu_power_keys, &r->doc, map, &gpu, r->e);
    if (!err && gpu.tdp < gpu.idle)
        err = orr_yaml_fail(&r->doc, map, ORR_E_NUMBER, r->e, "'tdp' should be at least 'idle'");
    if (!err)
        orr_scenario_add_gpu_power(r->out, &gpu);
    return err;
}

static orr_err read_clock_point(const reader *r, const orr_yaml *map)
{
    orr_clock_point p;
    orr_schema_defaults(&orr_clock_keys, &p);
    orr_err err = orr_schema_read(&orr_clock_keys, &r->doc, map, &p, r->e);
    if (err)
        return err;
    p.speed = p.speed < 0 ? p.clock : p.speed;
    p.power = p.power < 0 ? p.clock * p.clock * p.clock : p.power;
    if (p.clock <= 0 || p.clock >= 1 || p.speed <= 0)
        return orr_yaml_fail(&r->doc, map, ORR_E_NUMBER, r->e, "'clock' should lie between 0 and 1, 'speed' above 0");
    for (size_t i = 0; i < r->out->power.point_count; i++)
        if (strcmp(r->out->power.points[i].type, p.type) == 0 && r->out->power.points[i].clock == p.clock)
            return orr_yaml_fail(&r->doc, map, ORR_E_SYNTAX, r->e, "this clock was said before");
    orr_scenario_add_clock_point(r->out, &p);
    return ORR_OK;
}

static orr_err read_power(reader *r)
{
    orr_power_entry entry;
    const orr_yaml *map = r->head.power;
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_power_keys, &entry);
    orr_err err = orr_schema_read(&orr_power_keys, &r->doc, map, &entry, r->e);
    for (const orr_yaml *v = !err && entry.gpus ? entry.gpus->first : NULL; v && !err; v = v->next)
        err = read_gpu_power(r, v);
    for (const orr_yaml *v = !err && entry.clocks ? entry.clocks->first : NULL; v && !err; v = v->next)
        err = read_clock_point(r, v);
    orr_power *p = &r->out->power;
    p->known = true;
    p->host = entry.host;
    p->falling_asleep = entry.falling_asleep;
    p->asleep = entry.asleep;
    p->waking = entry.waking;
    p->said = place(r, map);
    p->said.file = orr_scenario_keep(r->out, p->said.file);
    return err;
}

/* ---- early stop ---- */

static orr_err read_early_stop(reader *r)
{
    orr_early_entry entry;
    const orr_yaml *map = r->head.early_stop;
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_early_keys, &entry);
    orr_err err = orr_schema_read(&orr_early_keys, &r->doc, map, &entry, r->e);
    if (err)
        return err;
    if (entry.rung <= 0 || entry.rung >= 1 || entry.eta <= 1)
        return orr_yaml_fail(&r->doc, map, ORR_E_NUMBER, r->e, "'rung' should lie between 0 and 1, 'eta' above 1");
    for (const char *const *key = (const char *const[]){"rung", "eta", "quality", NULL}; *key; key++) {
        const orr_yaml *member = orr_yaml_member(map, *key);
        if (member && entry.rule == 0)
            return orr_yaml_fail_key(&r->doc, member, ORR_E_SYNTAX, r->e, "'%s' means nothing with 'rule: first'", *key);
    }
    orr_early_stop *early = &r->out->early_stop;
    early->rule = entry.rule == 0 ? ORR_EARLY_FIRST : ORR_EARLY_HALVING;
    early->rung = entry.rung;
    early->eta = entry.eta;
    early->quality = orr_scenario_keep(r->out, entry.quality);
    early->said = place(r, map);
    early->said.file = orr_scenario_keep(r->out, early->said.file);
    return ORR_OK;
}

/* ---- tables beside the file ---- */

static void digest_of(reader *r, const orr_input *in)
{
    char hex[65];
    orr_input_digest(in, hex);
    orr_sha256_add(&r->digest, hex, 64);
    if (r->files++ == 0)
        memcpy(r->own, hex, sizeof hex);
}

static orr_err read_beside(reader *r, const char *key, const char *name,
                           orr_err (*read)(orr_scenario *, orr_input *, orr_error *))
{
    orr_text path = {0};
    if (!name[0])
        return ORR_OK;
    if (!r->folder[0])
        return orr_yaml_fail(&r->doc, orr_yaml_member(r->doc.root, key), ORR_E_OPEN, r->e,
                             "'%s' names a file, but this scenario doesn't lie in a folder", key);
    orr_text_addf(&path, "%s%s%s", name[0] == '/' ? "" : r->folder, name[0] == '/' ? "" : "/", name);
    orr_input *in = orr_input_open(path.at, r->e);
    orr_err err = in ? read(r->out, in, r->e) : ORR_E_OPEN;
    if (!err)
        digest_of(r, in);
    orr_input_close(in);
    orr_text_fini(&path);
    return err;
}

/* ---- the whole ---- */

/* `schema` is looked at first: a file of another kind should not be told that its keys are unknown. */
static orr_err check_schema(const reader *r)
{
    const orr_yaml *root = r->doc.root;
    const orr_yaml *schema = root->kind == ORR_YAML_MAP ? orr_yaml_member(root, "schema") : NULL;
    if (!schema || schema->kind != ORR_YAML_SCALAR || strcmp(schema->text, ORR_SCENARIO_SCHEMA) == 0)
        return ORR_OK;
    orr_err err =
        orr_yaml_fail(&r->doc, schema, ORR_E_FORMAT, r->e, "this is no scenario file that this version can read");
    orr_error_hint(r->e, "it should say `schema: " ORR_SCENARIO_SCHEMA "`");
    return err;
}

static orr_err read_lists(reader *r)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = r->head.events ? r->head.events->first : NULL; v && !err; v = v->next)
        err = read_event(r, v);
    for (const orr_yaml *v = r->head.failures ? r->head.failures->first : NULL; v && !err; v = v->next)
        err = read_failures(r, v);
    return err ? err : read_power(r);
}

static orr_err read_all(reader *r)
{
    orr_err err = check_schema(r);
    if (err)
        return err;
    orr_schema_defaults(&orr_scenario_keys, &r->head);
    err = orr_schema_read(&orr_scenario_keys, &r->doc, r->doc.root, &r->head, r->e);
    if (err)
        return err;
    r->out = orr_scenario_create(r->head.name[0] ? r->head.name : r->doc.file);
    r->out->path = orr_scenario_keep(r->out, r->doc.file);
    r->out->sleep_time = r->head.sleep;
    r->out->wake_time = r->head.wake;
    err = read_lists(r);
    if (!err)
        err = read_early_stop(r);
    if (!err)
        err = read_beside(r, "recorded", r->head.recorded, orr_scenario_read_recorded);
    return err ? err : read_beside(r, "prices", r->head.prices, orr_scenario_read_prices);
}

static orr_err open_doc(reader *r, orr_input *in)
{
    char *data = NULL;
    size_t size = 0;
    orr_err err = orr_input_all(in, &data, &size, r->e);
    if (err)
        return err;
    orr_sha256_init(&r->digest);
    digest_of(r, in);
    err = orr_yaml_read(&r->doc, orr_input_name(in), data, size, r->e);
    free(data);
    return err;
}

orr_scenario *orr_scenario_read(orr_input *in, const char *folder, orr_error *e)
{
    char hex[65];
    orr_error own = {0};
    reader r = {.folder = folder, .e = &own};
    orr_err err = open_doc(&r, in);
    if (!err)
        err = read_all(&r);
    if (err) {
        orr_scenario_destroy(r.out);
        r.out = NULL;
        if (e && !e->code)
            *e = own;
    } else {
        orr_sha256_hex(&r.digest, hex);
        r.out->digest = orr_scenario_keep(r.out, r.files == 1 ? r.own : hex);
    }
    orr_yaml_fini(&r.doc);
    return r.out;
}

orr_scenario *orr_scenario_load(const char *text, orr_error *e)
{
    orr_text folder = {0};
    orr_input *in = orr_preset_open("scenarios", text, &folder, e);
    orr_scenario *scenario = in ? orr_scenario_read(in, folder.at, e) : NULL;
    orr_input_close(in);
    orr_text_fini(&folder);
    return scenario;
}
