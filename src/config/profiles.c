/* Reading a file of profiles: models first, then the tables it names, then pairs, so that a pair may name any model. */
#include "config/presets.h"
#include "config/profiles.h"

#include "base/text.h"
#include "model/host.h"

#include <stdlib.h>

#define MAX_BYTES ((int64_t)1 << 46)
#define MAX_MODELS 100000
#define MAX_PAIRS 1000000
#define MAX_TIME (24 * ORR_HOUR)

typedef struct file_head {
    const char *schema, *name, *models_table, *pairs_table;
    const orr_yaml *models, *pairs;
} file_head;

typedef struct model_entry {
    const char *model;
    orr_time iteration;
    const orr_yaml *stages, *host;
    int64_t gradient, gpu_mem, sharing, servers;
    double overlap, gpu_util, largest_tensor;
} model_entry;

typedef struct stage_entry {
    orr_time of[ORR_STAGES];
} stage_entry;

typedef struct host_entry {
    double cpus, speed;
    int64_t mem;
} host_entry;

typedef struct pair_entry {
    const char *a, *b;
    double speed_a, speed_b;
} pair_entry;

/* clang-format off */
#define STAGE(name, stage, doc) {name, ORR_KEY_DURATION, offsetof(stage_entry, of) + (stage) * sizeof(orr_time), "0", 0, MAX_TIME, doc, NULL}
static const orr_key stage_keys[] = {
    STAGE("storage", ORR_STAGE_STORAGE, "Reading the data."),
    STAGE("cpu", ORR_STAGE_CPU, "Preparing it on the host."),
    STAGE("gpu", ORR_STAGE_GPU, "Computing."),
    STAGE("network", ORR_STAGE_NET, "Exchanging gradients."),
    {0},
};
const orr_keys orr_profile_stage_keys = {
    .title = "`stages`",
    .doc = "How long each stage of one iteration takes when nothing overlaps.",
    .at = stage_keys,
};

static const orr_key host_keys[] = {
    {"cpus", ORR_KEY_REAL, offsetof(host_entry, cpus), NULL, 0, 65536, "Cores a GPU.", NULL},
    {"mem", ORR_KEY_BYTES, offsetof(host_entry, mem), "0", 0, MAX_BYTES, "Host memory a GPU.", NULL},
    {"speed", ORR_KEY_REAL, offsetof(host_entry, speed), NULL, 0, 1000, "Speed then; 1 is as recorded.", NULL},
    {0},
};
const orr_keys orr_profile_host_keys = {
    .title = "An element of `host`",
    .doc = "A measured point of the curve. Points ascend by cores, then memory.",
    .at = host_keys,
};

#define AT(member) offsetof(model_entry, member)
static const orr_key model_keys[] = {
    {"model", ORR_KEY_TEXT, AT(model), NULL, 0, 0, "Name, as the trace's column `model` has it.", NULL},
    {"iteration", ORR_KEY_DURATION, AT(iteration), "0", 0, MAX_TIME,
     "One iteration, alone and with all that the job asks; 0: not stated.", NULL},
    {"stages", ORR_KEY_MAP, AT(stages), "", 0, 0, "What an iteration is made up of (below).", NULL},
    {"gradient", ORR_KEY_BYTES, AT(gradient), "0", 0, MAX_BYTES,
     "What each worker exchanges an iteration; 0: it doesn't communicate.", NULL},
    {"servers", ORR_KEY_INT, AT(servers), "0", 0, 100000, "Parameter servers to exchange it with; 0: an all-reduce.", NULL},
    {"overlap", ORR_KEY_REAL, AT(overlap), "0", 0, 1, "Part of the communication that hides behind computing.", NULL},
    {"gpu_util", ORR_KEY_REAL, AT(gpu_util), "", 0, 1, "How busy it keeps one GPU, 0..1; not stated without it.", NULL},
    {"gpu_mem", ORR_KEY_BYTES, AT(gpu_mem), "0", 0, MAX_BYTES,
     "Device memory on each GPU; taken where the trace states none. 0: not stated.", NULL},
    {"largest_tensor", ORR_KEY_REAL, AT(largest_tensor), "", 0, 1, "The largest tensor's share of the model's size.", NULL},
    {"sharing", ORR_KEY_INT, AT(sharing), "", 0, 2,
     "How much it slows its neighbours: 0 tiny, 1 medium, 2 jumbo. Without it, by the mean of its pairs: from 0.95 on tiny, "
     "from 0.85 on medium; without pairs jumbo.", NULL},
    {"host", ORR_KEY_LIST, AT(host), "", 1, 10000, "How fast it runs with fewer cores or less memory.",
     &orr_profile_host_keys},
    {0},
};
#undef AT
const orr_keys orr_profile_model_keys = {
    .title = "An element of `models`",
    .doc = "One model. What isn't stated changes nothing: a model of which nothing is known runs as recorded.",
    .at = model_keys,
};

static const orr_key pair_keys[] = {
    {"a", ORR_KEY_TEXT, offsetof(pair_entry, a), NULL, 0, 0, "A model.", NULL},
    {"b", ORR_KEY_TEXT, offsetof(pair_entry, b), NULL, 0, 0, "Another, or the same.", NULL},
    {"a_speed", ORR_KEY_REAL, offsetof(pair_entry, speed_a), NULL, 0, 1000, "Speed of `a` beside `b`; 1 is as alone.", NULL},
    {"b_speed", ORR_KEY_REAL, offsetof(pair_entry, speed_b), NULL, 0, 1000, "Speed of `b` beside `a`.", NULL},
    {0},
};
const orr_keys orr_profile_pair_keys = {
    .title = "An element of `pairs`",
    .doc = "Two models side by side on the same GPUs. A pair is stated once, in either order.",
    .at = pair_keys,
};

#define AT(member) offsetof(file_head, member)
static const orr_key file_keys[] = {
    {"schema", ORR_KEY_TEXT, AT(schema), NULL, 0, 0, "What the file is: `" ORR_PROFILES_SCHEMA "`.", NULL},
    {"name", ORR_KEY_TEXT, AT(name), "", 0, 0, "Name in results; the file's path if it is left out.", NULL},
    {"models", ORR_KEY_LIST, AT(models), "", 1, MAX_MODELS, "The models.", &orr_profile_model_keys},
    {"pairs", ORR_KEY_LIST, AT(pairs), "", 1, MAX_PAIRS, "Models side by side.", &orr_profile_pair_keys},
    {"models_table", ORR_KEY_TEXT, AT(models_table), "", 0, 0,
     "A CSV file beside this one with more models, as Lucid's `single_data.csv`: the columns model, gpu_util (per cent), "
     "gmem (MiB), and perhaps label (`sharing`). With dataset, batchsize and amp a model's name is "
     "`model/dataset/batchsize/amp`.", NULL},
    {"pairs_table", ORR_KEY_TEXT, AT(pairs_table), "", 0, 0,
     "A CSV file beside this one with more pairs, as Lucid's `colocate_info.csv`: model1, speed1, model2, speed2, and perhaps "
     "dataset1, batchsize1, amp1 and so on. Of a pair that is stated twice the first counts.", NULL},
    {0},
};
#undef AT
const orr_keys orr_profiles_keys = {
    .title = "A file of profiles",
    .doc = "YAML, given by `--profiles`. Durations are written `250ms` or `1.5s`, sizes `16GiB`, `25GB` or in plain bytes. Any "
           "other key is an error.",
    .at = file_keys,
};
/* clang-format on */

void orr_profiles_keys_markdown(orr_text *out)
{
    const orr_keys *const tables[] = {&orr_profiles_keys, &orr_profile_model_keys, &orr_profile_stage_keys,
                                      &orr_profile_host_keys, &orr_profile_pair_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (i)
            orr_text_addf(out, "\n");
        orr_schema_markdown(tables[i], out);
    }
}

/* ---- models ---- */

static orr_err read_stages(const orr_yaml_doc *doc, const orr_yaml *map, orr_profile *out, orr_error *e)
{
    stage_entry stages;
    orr_schema_defaults(&orr_profile_stage_keys, &stages);
    const orr_err err = map ? orr_schema_read(&orr_profile_stage_keys, doc, map, &stages, e) : ORR_OK;
    for (int s = 0; s < ORR_STAGES; s++)
        out->stages[s] = orr_time_seconds(stages.of[s]);
    return err;
}

static orr_err read_point(const orr_yaml_doc *doc, const orr_yaml *map, orr_host_point *out, orr_error *e)
{
    host_entry entry;
    orr_schema_defaults(&orr_profile_host_keys, &entry);
    const orr_err err = orr_schema_read(&orr_profile_host_keys, doc, map, &entry, e);
    *out = (orr_host_point){.cpus = entry.cpus, .mem = (double)entry.mem, .speed = entry.speed};
    return err;
}

typedef ORR_VEC(orr_host_point) points;

static orr_err read_host(const orr_yaml_doc *doc, const orr_yaml *list, points *out, orr_error *e)
{
    out->n = 0;
    for (const orr_yaml *element = list ? list->first : NULL; element; element = element->next) {
        orr_host_point point;
        const orr_err err = read_point(doc, element, &point, e);
        if (err)
            return err;
        ORR_VEC_PUSH(out, point);
        const char *flaw = orr_host_flaw(out->at, out->n);
        if (flaw)
            return orr_yaml_fail(doc, element, ORR_E_SYNTAX, e, "%s", flaw);
    }
    return ORR_OK;
}

static orr_err check_name(const orr_yaml_doc *doc, const orr_yaml *at, orr_error *e)
{
    return at->text[0] ? ORR_OK : orr_yaml_fail(doc, at, ORR_E_SYNTAX, e, "a model needs a name");
}

static orr_err read_model(orr_profiles *profiles, const orr_yaml_doc *doc, const orr_yaml *map, points *host, orr_error *e)
{
    model_entry entry;
    orr_profile profile = orr_profile_default();
    orr_schema_defaults(&orr_profile_model_keys, &entry);
    entry.gpu_util = entry.largest_tensor = -1;
    entry.sharing = -1;
    orr_err err = orr_schema_read(&orr_profile_model_keys, doc, map, &entry, e);
    if (!err)
        err = check_name(doc, orr_yaml_member(map, "model"), e);
    if (!err)
        err = read_stages(doc, entry.stages, &profile, e);
    if (!err)
        err = read_host(doc, entry.host, host, e);
    if (err)
        return err;
    profile.model = entry.model;
    profile.iteration = orr_time_seconds(entry.iteration);
    profile.gradient_bytes = (double)entry.gradient;
    profile.servers = (int32_t)entry.servers;
    profile.overlap = entry.overlap;
    profile.gpu_util = entry.gpu_util;
    profile.gpu_mem = entry.gpu_mem;
    profile.largest_tensor = entry.largest_tensor;
    profile.sharing = (int32_t)entry.sharing;
    profile.host = host->at;
    profile.host_points = host->n;
    if (orr_profiles_add(profiles, &profile))
        return ORR_OK;
    return orr_yaml_fail(doc, orr_yaml_member(map, "model"), ORR_E_SYNTAX, e, "the model '%.80s' is described twice",
                         entry.model);
}

static orr_err read_models(orr_profiles *profiles, const orr_yaml_doc *doc, const orr_yaml *list, orr_error *e)
{
    points host = {0};
    orr_err err = ORR_OK;
    for (const orr_yaml *element = list ? list->first : NULL; element && !err; element = element->next)
        err = read_model(profiles, doc, element, &host, e);
    ORR_VEC_FREE(&host);
    return err;
}

/* ---- pairs ---- */

static const orr_profile *named(const orr_profiles *profiles, const orr_yaml_doc *doc, const orr_yaml *map, const char *key,
                                orr_error *e)
{
    const orr_yaml *at = orr_yaml_member(map, key);
    const orr_profile *profile = orr_profiles_find(profiles, at->text);
    if (!profile)
        orr_yaml_fail(doc, at, ORR_E_SYNTAX, e, "the model '%.80s' is not described", at->text);
    return profile;
}

static orr_err check_speed(const orr_yaml_doc *doc, const orr_yaml *map, const char *key, double speed, orr_error *e)
{
    if (speed > 0)
        return ORR_OK;
    return orr_yaml_fail(doc, orr_yaml_member(map, key), ORR_E_NUMBER, e, "a speed is greater than 0");
}

static orr_err read_pair(orr_profiles *profiles, const orr_yaml_doc *doc, const orr_yaml *map, orr_error *e)
{
    pair_entry entry;
    orr_schema_defaults(&orr_profile_pair_keys, &entry);
    orr_err err = orr_schema_read(&orr_profile_pair_keys, doc, map, &entry, e);
    if (!err)
        err = check_speed(doc, map, "a_speed", entry.speed_a, e);
    if (!err)
        err = check_speed(doc, map, "b_speed", entry.speed_b, e);
    if (err)
        return err;
    const orr_profile *a = named(profiles, doc, map, "a", e), *b = a ? named(profiles, doc, map, "b", e) : NULL;
    if (!b)
        return ORR_E_SYNTAX;
    if (orr_profiles_add_pair(profiles, a, b, entry.speed_a, entry.speed_b))
        return ORR_OK;
    return orr_yaml_fail(doc, map, ORR_E_SYNTAX, e, "this pair is stated twice");
}

static orr_err read_pairs(orr_profiles *profiles, const orr_yaml_doc *doc, const orr_yaml *list, orr_error *e)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *element = list ? list->first : NULL; element && !err; element = element->next)
        err = read_pair(profiles, doc, element, e);
    return err;
}

/* ---- the file ---- */

static orr_err check_schema(const orr_yaml_doc *doc, orr_error *e)
{
    const orr_yaml *schema = doc->root->kind == ORR_YAML_MAP ? orr_yaml_member(doc->root, "schema") : NULL;
    if (!schema || schema->kind != ORR_YAML_SCALAR || strcmp(schema->text, ORR_PROFILES_SCHEMA) == 0)
        return ORR_OK;
    const orr_err err = orr_yaml_fail(doc, schema, ORR_E_FORMAT, e, "this is no file of profiles that this version can read");
    orr_error_hint(e, "it should say `schema: " ORR_PROFILES_SCHEMA "`");
    return err;
}

/* A table stands beside the file and can't be elsewhere, so that a file of profiles reaches nothing else. */
static orr_err check_table(const orr_yaml_doc *doc, const char *key, const char *folder, orr_error *e)
{
    const orr_yaml *at = orr_yaml_member(doc->root, key);
    if (!at || (folder[0] && at->text[0] != '.' && !strpbrk(at->text, "/\\")))
        return ORR_OK;
    return orr_yaml_fail(doc, at, ORR_E_SYNTAX, e, "'%s' should name a file in the folder of this one", key);
}

typedef orr_err read_table(orr_profiles *profiles, orr_input *in, orr_error *e);

/* The digest of a table goes into that of the whole by its hex. */
static orr_err take_table(orr_profiles *profiles, const char *folder, const char *name, read_table *read, orr_sha256 *sha,
                          orr_error *e)
{
    if (!name[0])
        return ORR_OK;
    orr_text path = {0};
    orr_text_addf(&path, "%s/%s", folder, name);
    orr_input *in = orr_input_open(path.at, e);
    orr_err err = in ? read(profiles, in, e) : ORR_E_OPEN;
    if (!err) {
        char hex[65];
        orr_input_digest(in, hex);
        orr_sha256_add(sha, hex, 64);
    }
    if (in)
        orr_input_close(in);
    orr_text_fini(&path);
    return err;
}

static orr_err read_file(orr_profiles *profiles, const orr_yaml_doc *doc, const file_head *head, const char *folder,
                         orr_sha256 *sha, orr_error *e)
{
    orr_err err = check_table(doc, "models_table", folder, e);
    if (!err)
        err = check_table(doc, "pairs_table", folder, e);
    if (!err)
        err = read_models(profiles, doc, head->models, e);
    if (!err)
        err = take_table(profiles, folder, head->models_table, orr_profiles_read_models, sha, e);
    if (!err)
        err = read_pairs(profiles, doc, head->pairs, e);
    if (!err)
        err = take_table(profiles, folder, head->pairs_table, orr_profiles_read_pairs, sha, e);
    if (!err && !orr_profiles_count(profiles))
        err = orr_yaml_fail(doc, doc->root, ORR_E_EMPTY, e, "there is no model in the file");
    return err;
}

static orr_profiles *read_document(const orr_yaml_doc *doc, const char *folder, orr_sha256 *sha, orr_error *e)
{
    file_head head;
    char hex[65];
    orr_schema_defaults(&orr_profiles_keys, &head);
    if (check_schema(doc, e) || orr_schema_read(&orr_profiles_keys, doc, doc->root, &head, e))
        return NULL;
    orr_profiles *profiles = orr_profiles_create(head.name[0] ? head.name : doc->file);
    if (read_file(profiles, doc, &head, folder, sha, e)) {
        orr_profiles_destroy(profiles);
        return NULL;
    }
    orr_sha256_hex(sha, hex);
    orr_profiles_set_digest(profiles, hex);
    return profiles;
}

orr_profiles *orr_profiles_read(orr_input *in, const char *folder, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_yaml_doc doc = {0};
    orr_profiles *profiles = NULL;
    orr_sha256 sha;
    orr_error own = {0};
    orr_sha256_init(&sha);
    if (!orr_input_all(in, &data, &size, &own)) {
        orr_sha256_add(&sha, data, size);
        if (!orr_yaml_read(&doc, orr_input_name(in), data, size, &own))
            profiles = read_document(&doc, folder, &sha, &own);
    }
    free(data);
    orr_yaml_fini(&doc);
    if (e && own.code)
        *e = own;
    return profiles;
}

orr_profiles *orr_profiles_load(const char *text, orr_error *e)
{
    orr_text folder = {0};
    orr_input *in = orr_preset_open("profiles", text, &folder, e);
    orr_profiles *profiles = in ? orr_profiles_read(in, folder.at, e) : NULL;
    orr_input_close(in);
    orr_text_fini(&folder);
    return profiles;
}
