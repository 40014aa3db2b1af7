/* Our own form: applications by parameters, or tables with what they leave open. */
#include "config/applications.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BATCH 1000000000
#define MOST_EPOCHS 100000
#define MOST_RESTART (24 * ORR_HOUR)

typedef struct file_head {
    const char *schema, *name, *tables, *validation, *type;
    const orr_yaml *gpu_types, *applications;
} file_head;

typedef struct app_entry {
    const char *model;
    const orr_yaml *batch, *perf, *progress, *noise, *loss;
    int64_t epochs, most_gpus;
    double slowdown;
    orr_time restart;
} app_entry;

typedef struct batch_entry {
    int64_t initial, most;
    const orr_yaml *local;
    bool accumulates;
} batch_entry;

typedef struct perf_entry {
    const char *type;
    int64_t width, local_most;
    orr_perf perf;
} perf_entry;

typedef struct noise_entry {
    int64_t epoch;
    double scale, sqr, var;
} noise_entry;

typedef struct loss_entry {
    double a, b, c;
} loss_entry;

/* clang-format off */
#define AT(member) offsetof(batch_entry, member)
static const orr_key batch_keys[] = {
    {"initial", ORR_KEY_INT, AT(initial), "0", 0, MOST_BATCH, "The batch, over all GPUs, that a sample's worth is measured by; no job takes less when it tunes.", NULL},
    {"most", ORR_KEY_INT, AT(most), "0", 0, MOST_BATCH, "The greatest batch, over all GPUs.", NULL},
    {"local", ORR_KEY_TEXTS, AT(local), "", 2, 2, "The least and the greatest number of samples on one GPU in one go, `[32, 1024]`.", NULL},
    {"accumulates", ORR_KEY_BOOL, AT(accumulates), "on", 0, 0, "A GPU may take its part of the batch in several goes.", NULL},
    {0},
};
#undef AT
const orr_keys orr_application_batch_keys = {
    .title = "`batch`",
    .doc = "Which batches it can have. An application by parameters needs `initial`, `most` and `local`; of one that has tables, what is given here replaces what they say.",
    .at = batch_keys,
};

#define AT(member) offsetof(perf_entry, member)
#define SECONDS(name, what) {#name, ORR_KEY_REAL, AT(perf.name), "0", 0, 1000000, what, NULL}
static const orr_key perf_keys[] = {
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0, "GPU type, as the cluster names it. Without one, all types that no other element names.", NULL},
    {"width", ORR_KEY_INT, AT(width), "4", 1, 64, "GPUs of the nodes on which a job's recorded gang is thought to be packed.", NULL},
    {"local_most", ORR_KEY_INT, AT(local_most), "0", 0, MOST_BATCH, "The greatest number of samples on one GPU of this type; 0: as `local` says.", NULL},
    SECONDS(alpha_c, "Seconds to compute gradients, whatever the batch."),
    SECONDS(beta_c, "Seconds more a sample on the GPU."),
    SECONDS(alpha_n, "Seconds to synchronise GPUs of several nodes."),
    SECONDS(beta_n, "Seconds more for each GPU beyond two."),
    SECONDS(alpha_r, "Seconds to synchronise GPUs of one node."),
    SECONDS(beta_r, "Seconds more for each GPU beyond two."),
    {"gamma", ORR_KEY_REAL, AT(perf.gamma), "1", 1, 10, "How far the two overlap: 1, not at all; 10, nearly as far as they can.", NULL},
    {0},
};
#undef AT
const orr_keys orr_application_perf_keys = {
    .title = "An element of `perf`",
    .doc = "How long an iteration takes on GPUs of one type, after Pollux: with g = alpha_c + beta_c samples and s = alpha + beta max(GPUs - 2, 0), (g^gamma + s^gamma)^(1/gamma).",
    .at = perf_keys,
};

#define AT(member) offsetof(noise_entry, member)
static const orr_key noise_keys[] = {
    {"epoch", ORR_KEY_INT, AT(epoch), "0", 0, MOST_EPOCHS, "From 0; elements ascend.", NULL},
    {"scale", ORR_KEY_REAL, AT(scale), "", 0, 1000000000000, "Gradient noise scale in samples: a batch much below it loses nothing, one much above it gains nothing.", NULL},
    {"sqr", ORR_KEY_REAL, AT(sqr), "", 0, 1000000000000000000, "In place of `scale`: the squared norm of the gradient,", NULL},
    {"var", ORR_KEY_REAL, AT(var), "", 0, 1000000000000000000, "and its variance with the initial batch.", NULL},
    {0},
};
#undef AT
const orr_keys orr_application_noise_keys = {
    .title = "An element of `noise`",
    .doc = "The gradient's noise in an epoch. Between elements it is interpolated, before the first and after the last it stays. Without any, every sample is worth as much in a large batch.",
    .at = noise_keys,
};

static const orr_key loss_keys[] = {
    {"a", ORR_KEY_REAL, offsetof(loss_entry, a), NULL, 0, 1000000, "At least 0.", NULL},
    {"b", ORR_KEY_REAL, offsetof(loss_entry, b), NULL, 0, 1000000, "Above 0.", NULL},
    {"c", ORR_KEY_REAL, offsetof(loss_entry, c), "0", 0, 1000000, "What it comes to in the end.", NULL},
    {0},
};
const orr_keys orr_application_loss_keys = {
    .title = "`loss`",
    .doc = "The loss after k epochs is 1 / (a k + b) + c.",
    .at = loss_keys,
};

#define AT(member) offsetof(app_entry, member)
static const orr_key app_keys[] = {
    {"model", ORR_KEY_TEXT, AT(model), NULL, 0, 0, "Name, as the trace's column `model` has it.", NULL},
    {"batch", ORR_KEY_MAP, AT(batch), "", 0, 0, "Which batches it can have (below).", NULL},
    {"perf", ORR_KEY_LIST, AT(perf), "", 1, 64, "How long an iteration takes, by GPU type. Durations are stated on the first.", &orr_application_perf_keys},
    {"epochs", ORR_KEY_INT, AT(epochs), "1", 1, MOST_EPOCHS, "Epochs of a training.", NULL},
    {"progress", ORR_KEY_TEXTS, AT(progress), "", 1, MOST_EPOCHS, "Iterations with the initial batch that a training takes, one number; or a list of how many are done when each epoch ends. Without it one an epoch: only how they relate counts, unless `work=own`.", NULL},
    {"noise", ORR_KEY_LIST, AT(noise), "", 1, MOST_EPOCHS, "How the gradient's noise changes.", &orr_application_noise_keys},
    {"loss", ORR_KEY_MAP, AT(loss), "", 0, 0, "How the loss falls (below), for policies that look at it.", NULL},
    {"restart", ORR_KEY_DURATION, AT(restart), "", 0, MOST_RESTART, "What it costs to start it or change what it holds, where the costs say `by=application`.", NULL},
    {"most_gpus", ORR_KEY_INT, AT(most_gpus), "0", 0, 1000000, "GPUs that it can use; 0: as its batches and tables allow.", NULL},
    {"slowdown", ORR_KEY_REAL, AT(slowdown), "1", 0, 1000000, "All its times are as stated, times this.", NULL},
    {0},
};
#undef AT
const orr_keys orr_application_keys = {
    .title = "An element of `applications`",
    .doc = "One application, by parameters; or what is to be different with one that `tables` holds (`batch`, `loss`, `restart`, `most_gpus`, `slowdown`).",
    .at = app_keys,
};

#define AT(member) offsetof(file_head, member)
static const orr_key file_keys[] = {
    {"schema", ORR_KEY_TEXT, AT(schema), NULL, 0, 0, "What the file is: `" ORR_APPLICATIONS_SCHEMA "`.", NULL},
    {"name", ORR_KEY_TEXT, AT(name), "", 0, 0, "Name in results; the file's path if it is left out.", NULL},
    {"tables", ORR_KEY_TEXT, AT(tables), "", 0, 0, "A folder of measured tables, as Pollux, Sia or ElasticFlow keep them; a path from this file's folder.", NULL},
    {"validation", ORR_KEY_TEXT, AT(validation), "", 0, 0, "Where the applications' `validation-BATCH.csv` lie, where `tables` has none.", NULL},
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0, "Only the tables of this type of GPUs, for all GPUs there are.", NULL},
    {"gpu_types", ORR_KEY_MAP, AT(gpu_types), "", 0, 0, "What the cluster's GPU types are called in `tables`, `{T4: aws, A100: dgx-ext}`; others aren't used.", NULL},
    {"applications", ORR_KEY_LIST, AT(applications), "", 1, 10000, "The applications.", &orr_application_keys},
    {0},
};
#undef AT
const orr_keys orr_applications_keys = {
    .title = "A file of applications",
    .doc = "YAML, given by `--applications`. Any other key is an error.",
    .at = file_keys,
};
/* clang-format on */

void orr_applications_keys_markdown(orr_text *out)
{
    const orr_keys *const tables[] = {&orr_applications_keys,     &orr_application_keys,       &orr_application_batch_keys,
                                      &orr_application_perf_keys, &orr_application_noise_keys, &orr_application_loss_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (i)
            orr_text_addf(out, "\n");
        orr_schema_markdown(tables[i], out);
    }
}

typedef struct reader {
    const orr_yaml_doc *doc;
    orr_applications *all;
    const char *folder;
    orr_sha256 sha;
    orr_error *e;
} reader;

static orr_err wrong(const reader *r, const orr_yaml *at, const char *what)
{
    return orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "%s", what);
}

/* ---- batches ---- */

static orr_err read_local(const reader *r, const orr_yaml *list, int32_t *least, int32_t *most)
{
    int64_t of[2] = {0, 0};
    if (!list)
        return ORR_OK;
    for (size_t i = 0; i < 2; i++)
        if (list->kind != ORR_YAML_LIST || !orr_parse_i64(list->texts[i], strlen(list->texts[i]), &of[i]) || of[i] < 1 ||
            of[i] > MOST_BATCH)
            return wrong(r, list, "'local' should be two whole numbers above 0, [LEAST, GREATEST]");
    if (of[0] > of[1])
        return wrong(r, list, "'local' begins with the least");
    *least = (int32_t)of[0];
    *most = (int32_t)of[1];
    return ORR_OK;
}

/* `least`, `most`: on a GPU; as they are unless the map says so. */
static orr_err read_batch(const reader *r, const orr_yaml *map, orr_batch_limits *limits, int32_t *least, int32_t *most)
{
    batch_entry entry;
    orr_schema_defaults(&orr_application_batch_keys, &entry);
    if (!map)
        return ORR_OK;
    orr_err err = orr_schema_read(&orr_application_batch_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = read_local(r, entry.local, least, most);
    if (err)
        return err;
    limits->initial = entry.initial ? entry.initial : limits->initial;
    limits->most = entry.most ? entry.most : limits->most;
    if (orr_yaml_member(map, "accumulates"))
        limits->accumulates = entry.accumulates;
    return limits->most < limits->initial ? wrong(r, map, "'most' should be at least 'initial'") : ORR_OK;
}

/* ---- times ---- */

static orr_err read_perf(const reader *r, const orr_yaml *map, orr_application *a, int32_t least, int32_t most)
{
    perf_entry entry;
    orr_schema_defaults(&orr_application_perf_keys, &entry);
    const orr_err err = orr_schema_read(&orr_application_perf_keys, r->doc, map, &entry, r->e);
    if (err)
        return err;
    if (!(entry.perf.alpha_c + entry.perf.beta_c > 0))
        return wrong(r, map, "an iteration takes time: 'alpha_c' or 'beta_c' should be above 0");
    for (size_t i = 0; i < a->types.n; i++)
        if (strcmp(a->types.at[i].type, entry.type) == 0)
            return wrong(r, map, "this GPU type stands twice");
    if (entry.local_most && entry.local_most < least)
        return wrong(r, map, "'local_most' is less than the least");
    orr_steps *s = orr_application_add_type(a, entry.type);
    s->kind = ORR_STEPS_FORMULA;
    s->perf = entry.perf;
    s->width = (int32_t)entry.width;
    s->local_least = least;
    s->local_most = entry.local_most ? (int32_t)entry.local_most : most;
    const int64_t gpus = a->limits.most / least;
    s->most_gpus = gpus < INT32_MAX ? (int32_t)gpus : INT32_MAX;
    return ORR_OK;
}

static orr_err read_perfs(const reader *r, const orr_yaml *list, orr_application *a, int32_t least, int32_t most)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = list->first; v && !err; v = v->next)
        err = read_perf(r, v, a, least, most);
    return err;
}

/* ---- trainings ---- */

static orr_err read_progress(const reader *r, const orr_yaml *list, orr_application *a)
{
    const size_t n = !list ? 0 : list->kind == ORR_YAML_LIST ? list->count : 1;
    double whole = a->epochs;
    if (n > 1 && n != (size_t)a->epochs)
        return wrong(r, list, "'progress' should have one number, or as many as there are epochs");
    a->progress = orr_xcalloc((size_t)a->epochs + 1, sizeof *a->progress);
    for (size_t i = 0; i < n; i++) {
        double *into = n == 1 ? &whole : &a->progress[i + 1];
        if (!orr_parse_double(list->texts[i], strlen(list->texts[i]), into) || *into <= (n == 1 ? 0 : a->progress[i]) || *into > 1e15)
            return wrong(r, list, "'progress' should be numbers above 0 that rise");
    }
    for (int32_t k = 1; k <= a->epochs && n <= 1; k++)
        a->progress[k] = whole * k / a->epochs;
    return ORR_OK;
}

typedef struct noise_point {
    int64_t epoch;
    orr_noise noise;
} noise_point;

typedef ORR_VEC(noise_point) noise_points;

static orr_err read_noise_point(const reader *r, const orr_yaml *map, const orr_application *a, noise_points *out)
{
    noise_entry entry;
    orr_schema_defaults(&orr_application_noise_keys, &entry);
    entry.scale = entry.sqr = entry.var = -1;
    const orr_err err = orr_schema_read(&orr_application_noise_keys, r->doc, map, &entry, r->e);
    if (err)
        return err;
    if ((entry.scale >= 0) == (entry.sqr >= 0) || (entry.sqr >= 0) != (entry.var >= 0))
        return wrong(r, map, "noise is told by 'scale', or by 'sqr' and 'var'");
    if (out->n && entry.epoch <= out->at[out->n - 1].epoch)
        return wrong(r, map, "elements of 'noise' should ascend by 'epoch'");
    const orr_noise by_scale = {1, entry.scale / (double)a->limits.initial}, given = {entry.sqr, entry.var};
    ORR_VEC_PUSH(out, ((noise_point){entry.epoch, entry.scale >= 0 ? by_scale : given}));
    return ORR_OK;
}

static orr_noise noise_at(const noise_points *p, int64_t epoch)
{
    size_t i = 0;
    while (i < p->n && p->at[i].epoch < epoch)
        i++;
    if (i == 0 || i == p->n || p->at[i].epoch == epoch)
        return p->at[i < p->n ? i : p->n - 1].noise;
    const noise_point *low = &p->at[i - 1], *high = &p->at[i];
    const double share = (double)(epoch - low->epoch) / (double)(high->epoch - low->epoch);
    return (orr_noise){low->noise.sqr + share * (high->noise.sqr - low->noise.sqr),
                       low->noise.var + share * (high->noise.var - low->noise.var)};
}

static orr_err read_noise(const reader *r, const orr_yaml *list, orr_application *a)
{
    noise_points points = {0};
    orr_err err = ORR_OK;
    for (const orr_yaml *v = list ? list->first : NULL; v && !err; v = v->next)
        err = read_noise_point(r, v, a, &points);
    if (!err && points.n) {
        orr_validated run = {.batch = a->limits.initial};
        for (int32_t k = 0; k < a->epochs; k++)
            ORR_VEC_PUSH(&run.noise, noise_at(&points, k));
        ORR_VEC_PUSH(&a->runs, run);
    }
    ORR_VEC_FREE(&points);
    return err;
}

static orr_err read_loss(const reader *r, const orr_yaml *map, orr_application *a)
{
    loss_entry entry;
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_application_loss_keys, &entry);
    const orr_err err = orr_schema_read(&orr_application_loss_keys, r->doc, map, &entry, r->e);
    if (err)
        return err;
    if (!(entry.b > 0))
        return wrong(r, map, "'b' should be above 0");
    a->loss[0] = entry.a;
    a->loss[1] = entry.b;
    a->loss[2] = entry.c;
    a->has_loss = true;
    return ORR_OK;
}

/* ---- one application ---- */

static void apply(const app_entry *entry, orr_application *a)
{
    if (entry->restart != ORR_TIME_NONE)
        a->restart = entry->restart;
    if (entry->most_gpus)
        a->most_gpus = (int32_t)entry->most_gpus;
    for (size_t i = 0; i < a->types.n; i++)
        a->types.at[i].slowdown = entry->slowdown;
}

static orr_err make(const reader *r, const orr_yaml *map, const app_entry *entry, orr_application *a)
{
    int32_t least = 0, most = 0;
    a->epochs = (int32_t)entry->epochs;
    a->limits.accumulates = true;
    if (!entry->perf)
        return wrong(r, map, "an application without tables needs 'perf'");
    orr_err err = read_batch(r, entry->batch, &a->limits, &least, &most);
    if (!err && !(a->limits.initial && a->limits.most && least))
        err = wrong(r, map, "an application without tables needs a 'batch' with 'initial', 'most' and 'local'");
    if (!err)
        err = read_perfs(r, entry->perf, a, least, most);
    if (!err)
        err = read_progress(r, entry->progress, a);
    if (!err)
        err = read_noise(r, entry->noise, a);
    if (!err)
        err = read_loss(r, entry->loss, a);
    if (!err)
        apply(entry, a);
    if (!err)
        orr_application_sum_up(a);
    return err;
}

static orr_err change(const reader *r, const orr_yaml *map, const app_entry *entry, orr_application *a)
{
    static const char *const told[] = {"perf", "epochs", "progress", "noise"};
    int32_t least = 0, most = 0;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (orr_yaml_member(map, told[i]))
            return orr_yaml_fail_key(r->doc, orr_yaml_member(map, told[i]), ORR_E_SYNTAX, r->e, "the tables tell that of '%.80s'",
                                     entry->model);
    orr_err err = read_batch(r, entry->batch, &a->limits, &least, &most);
    for (size_t i = 0; i < a->types.n && most; i++) {
        a->types.at[i].local_least = least;
        a->types.at[i].local_most = most < a->types.at[i].local_most ? most : a->types.at[i].local_most;
    }
    if (!err)
        err = read_loss(r, entry->loss, a);
    if (!err)
        apply(entry, a);
    if (!err && most)
        orr_application_sum_up_types(a);
    return err;
}

static orr_application *find_among(const orr_applications *all, size_t n, const char *model)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all->at.at[i]->name, model) == 0)
            return all->at.at[i];
    return NULL;
}

/* `tables`: how many of them come from there. */
static orr_err read_application(const reader *r, const orr_yaml *map, size_t tables)
{
    app_entry entry;
    orr_schema_defaults(&orr_application_keys, &entry);
    entry.restart = ORR_TIME_NONE;
    orr_err err = orr_schema_read(&orr_application_keys, r->doc, map, &entry, r->e);
    if (!err && !(entry.slowdown > 0))
        err = orr_yaml_fail(r->doc, orr_yaml_member(map, "slowdown"), ORR_E_NUMBER, r->e, "'slowdown' should be above 0");
    if (err)
        return err;
    orr_application *known = find_among(r->all, tables, entry.model);
    if (known)
        return change(r, map, &entry, known);
    if (find_among(r->all, r->all->at.n, entry.model))
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "model"), ORR_E_SYNTAX, r->e, "the model '%.80s' is described twice",
                             entry.model);
    orr_application *a = orr_application_create(entry.model);
    err = make(r, map, &entry, a);
    if (err)
        orr_application_destroy(a);
    else
        ORR_VEC_PUSH(&r->all->at, a);
    return err;
}

/* ---- tables ---- */

static void add_digest(void *self, const char *path, const char digest[65])
{
    (void)path;
    orr_sha256_add(self, digest, 64);
}

static orr_err path_beside(const reader *r, const char *key, const char *name, orr_text *path)
{
    if (name[0] == '/' || r->folder[0]) {
        orr_text_addf(path, "%s%s%s", name[0] == '/' ? "" : r->folder, name[0] == '/' ? "" : "/", name);
        return ORR_OK;
    }
    return orr_yaml_fail(r->doc, orr_yaml_member(r->doc->root, key), ORR_E_OPEN, r->e,
                         "'%s' names a folder, but this file doesn't lie in one", key);
}

typedef ORR_VEC(orr_type_wish) type_wishes;

static orr_err read_types(const reader *r, const file_head *head, type_wishes *out)
{
    if (head->type[0] && head->gpu_types)
        return wrong(r, head->gpu_types, "'gpu_types' and 'type' don't go together");
    if (head->type[0])
        ORR_VEC_PUSH(out, ((orr_type_wish){head->type, ""}));
    for (const orr_yaml *v = head->gpu_types ? head->gpu_types->first : NULL; v; v = v->next) {
        if (v->kind != ORR_YAML_SCALAR || !v->text[0])
            return wrong(r, v, "'gpu_types' names a type of the tables for each of the cluster's");
        ORR_VEC_PUSH(out, ((orr_type_wish){v->text, v->key}));
    }
    return ORR_OK;
}

/* What the user's text says goes before what the file says. */
static orr_err read_tables(reader *r, const file_head *head, const orr_applications_wish *wish)
{
    orr_text path = {0}, validation = {0};
    type_wishes types = {0};
    orr_err err = path_beside(r, "tables", head->tables, &path);
    if (!err && head->validation[0] && !wish->validation)
        err = path_beside(r, "validation", head->validation, &validation);
    if (!err)
        err = read_types(r, head, &types);
    if (!err) {
        const orr_type_wish one = {wish->type, ""};
        const orr_application_folder from = {.path = path.at,
                                             .validation = wish->validation ? wish->validation : validation.at,
                                             .types = wish->type ? &one : types.at,
                                             .type_count = wish->type ? 1 : types.n,
                                             .mesh = wish->mesh,
                                             .file = add_digest,
                                             .self = &r->sha};
        err = orr_applications_read_folder(r->all, &from, r->e);
    }
    ORR_VEC_FREE(&types);
    orr_text_fini(&path);
    orr_text_fini(&validation);
    return err;
}

/* ---- the file ---- */

static orr_err check_schema(const reader *r)
{
    const orr_yaml *root = r->doc->root, *schema = root->kind == ORR_YAML_MAP ? orr_yaml_member(root, "schema") : NULL;
    if (!schema || schema->kind != ORR_YAML_SCALAR || strcmp(schema->text, ORR_APPLICATIONS_SCHEMA) == 0)
        return ORR_OK;
    const orr_err err =
        orr_yaml_fail(r->doc, schema, ORR_E_FORMAT, r->e, "this is no file of applications that this version can read");
    orr_error_hint(r->e, "it should say `schema: " ORR_APPLICATIONS_SCHEMA "`");
    return err;
}

static orr_err read_all(reader *r, const file_head *head, const orr_applications_wish *wish)
{
    orr_err err = head->tables[0] ? read_tables(r, head, wish) : ORR_OK;
    const size_t tables = r->all->at.n;
    for (const orr_yaml *v = head->applications ? head->applications->first : NULL; v && !err; v = v->next)
        err = read_application(r, v, tables);
    return err ? err : orr_applications_settle(r->all, r->e);
}

static orr_applications *read_document(const orr_yaml_doc *doc, const char *folder, orr_sha256 sha, const orr_applications_wish *wish,
                                       orr_error *e)
{
    file_head head;
    reader r = {.doc = doc, .folder = folder, .sha = sha, .e = e};
    orr_schema_defaults(&orr_applications_keys, &head);
    if (check_schema(&r) || orr_schema_read(&orr_applications_keys, doc, doc->root, &head, e))
        return NULL;
    r.all = orr_applications_create(head.name[0] ? head.name : doc->file);
    const orr_err err = read_all(&r, &head, wish);
    orr_sha256_hex(&r.sha, r.all->digest);
    if (!err)
        return r.all;
    orr_applications_destroy(r.all);
    return NULL;
}

orr_applications *orr_applications_read(orr_input *in, const char *folder, const orr_applications_wish *wish, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_yaml_doc doc = {0};
    orr_applications *all = NULL;
    orr_sha256 sha;
    orr_error own = {0};
    orr_sha256_init(&sha);
    if (!orr_input_all(in, &data, &size, &own)) {
        orr_sha256_add(&sha, data, size);
        if (!orr_yaml_read(&doc, orr_input_name(in), data, size, &own))
            all = read_document(&doc, folder, sha, wish, &own);
    }
    free(data);
    orr_yaml_fini(&doc);
    if (e && own.code)
        *e = own;
    return all;
}
