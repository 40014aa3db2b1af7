/* Applications are opened when first mentioned; one that isn't there is remembered as such. Placements are texts, and
 * those of scalability.csv get a text of another form, "nodes:GPUs", so that one list holds both. */
#define _POSIX_C_SOURCE 200809L
#include "trace/pollux_tables.h"

#include "trace/sheet.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct measure {
    uint32_t placement; /* in `names` */
    double local, step, sync; /* samples per GPU; s */
} measure;

typedef struct run {
    int64_t batch, iterations; /* iterations = 0: not read yet */
} run;

typedef struct application {
    const char *name; /* in `known` */
    char *folder;
    int32_t per_node;        /* GPUs; 0: there are no placements */
    ORR_VEC(measure) measures; /* by (placement, local) once sorted */
    ORR_VEC(run) runs;       /* validated batch sizes, ascending */
} application;

struct orr_pollux_tables {
    const char *folder, *gpu_type;
    orr_names *names, *known; /* placements, applications */
    ORR_VEC(application) applications; /* by their number in `known` */
};

orr_pollux_tables *orr_pollux_tables_open(const char *folder, const char *gpu_type, orr_error *e)
{
    struct stat s;
    if (stat(folder, &s) != 0 || !S_ISDIR(s.st_mode)) {
        orr_error_set(e, ORR_E_OPEN, "there is no such folder of measurements");
        orr_error_at(e, folder, 0, 0);
        return NULL;
    }
    orr_pollux_tables *t = orr_xcalloc(1, sizeof *t);
    t->folder = folder;
    t->gpu_type = gpu_type;
    t->names = orr_names_create();
    t->known = orr_names_create();
    return t;
}

void orr_pollux_tables_destroy(orr_pollux_tables *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->applications.n; i++) {
        application *a = &t->applications.at[i];
        free(a->folder);
        ORR_VEC_FREE(&a->measures);
        ORR_VEC_FREE(&a->runs);
    }
    ORR_VEC_FREE(&t->applications);
    orr_names_destroy(t->names);
    orr_names_destroy(t->known);
    free(t);
}

/* ---- files ---- */

typedef struct loading {
    orr_pollux_tables *tables;
    application *app;
    run *run;
} loading;

static bool take_number(orr_intake *k, orr_cell cell, double least, double *out)
{
    if (orr_parse_double(cell.at, cell.n, out) && *out >= least && *out <= 1e15)
        return true;
    return orr_intake_fail(k, ORR_E_NUMBER, &cell, "%s should be a number of at least %g", cell.name, least);
}

enum { PLACEMENT, P_LOCAL, P_STEP, P_SYNC, PLACEMENT_COLUMNS };
static const orr_sheet_column placement_columns[PLACEMENT_COLUMNS] = {
    [PLACEMENT] = {"placement", .needed = true},
    [P_LOCAL] = {"local_bsz", .needed = true},
    [P_STEP] = {"step_time", .needed = true},
    [P_SYNC] = {"sync_time", .needed = true},
};

enum { NODES, REPLICAS, S_LOCAL, S_STEP, S_SYNC, SCALABILITY_COLUMNS };
static const orr_sheet_column scalability_columns[SCALABILITY_COLUMNS] = {
    [NODES] = {"num_nodes", .needed = true},
    [REPLICAS] = {"num_replicas", .needed = true},
    [S_LOCAL] = {"local_bsz", .needed = true},
    [S_STEP] = {"step_time", .needed = true},
    [S_SYNC] = {"sync_time", .needed = true},
};

static void add(loading *l, const char *placement, measure m)
{
    m.placement = orr_names_id(l->tables->names, placement, strlen(placement));
    ORR_VEC_PUSH(&l->app->measures, m);
}

static void placement_row(orr_intake *k, orr_sheet *sheet)
{
    loading *l = sheet->self;
    measure m;
    const orr_cell code = orr_sheet_cell(sheet, PLACEMENT);
    if (code.n == 0 || strspn(code.at, "123456789") != code.n) {
        orr_intake_fail(k, ORR_E_NUMBER, &code, "a placement should be digits, one a node");
        return;
    }
    if (!take_number(k, orr_sheet_cell(sheet, P_LOCAL), 1, &m.local) ||
        !take_number(k, orr_sheet_cell(sheet, P_STEP), 0, &m.step) ||
        !take_number(k, orr_sheet_cell(sheet, P_SYNC), 0, &m.sync))
        return;
    for (const char *node = code.at; *node; node++)
        if (*node - '0' > l->app->per_node)
            l->app->per_node = *node - '0';
    add(l, code.at, m);
}

static void scalability_row(orr_intake *k, orr_sheet *sheet)
{
    loading *l = sheet->self;
    measure m;
    double nodes, replicas;
    char placement[64];
    if (!take_number(k, orr_sheet_cell(sheet, NODES), 1, &nodes) ||
        !take_number(k, orr_sheet_cell(sheet, REPLICAS), 1, &replicas) ||
        !take_number(k, orr_sheet_cell(sheet, S_LOCAL), 1, &m.local) ||
        !take_number(k, orr_sheet_cell(sheet, S_STEP), 0, &m.step) ||
        !take_number(k, orr_sheet_cell(sheet, S_SYNC), 0, &m.sync))
        return;
    snprintf(placement, sizeof placement, "%.0f:%.0f", nodes, replicas);
    add(l, placement, m);
}

/* `progress` and the statistics of gradients are for a model of goodput; here only the count of steps matters. */
enum { ITERATION, VALIDATION_COLUMNS };
static const orr_sheet_column validation_columns[VALIDATION_COLUMNS] = {[ITERATION] = {"iteration", .needed = true}};

static void validation_row(orr_intake *k, orr_sheet *sheet)
{
    loading *l = sheet->self;
    double iterations;
    const orr_cell cell = orr_sheet_cell(sheet, ITERATION);
    if (!take_number(k, cell, 1, &iterations))
        return;
    if ((int64_t)iterations < l->run->iterations)
        orr_intake_fail(k, ORR_E_NUMBER, &cell, "%s counts from the start of the training: it can't fall", cell.name);
    l->run->iterations = (int64_t)iterations;
}

static orr_err read_placements(orr_intake *k, void *self)
{
    orr_sheet sheet = {.columns = placement_columns, .n = PLACEMENT_COLUMNS, .foreign = true, .self = self};
    return orr_sheet_read(&sheet, k, placement_row);
}

static orr_err read_scalability(orr_intake *k, void *self)
{
    orr_sheet sheet = {.columns = scalability_columns, .n = SCALABILITY_COLUMNS, .foreign = true, .self = self};
    return orr_sheet_read(&sheet, k, scalability_row);
}

static orr_err read_validation(orr_intake *k, void *self)
{
    orr_sheet sheet = {.columns = validation_columns, .n = VALIDATION_COLUMNS, .foreign = true, .self = self};
    return orr_sheet_read(&sheet, k, validation_row);
}

static bool exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

/* The rows of a table reset what the row of the trace has said so far: it is put back. */
static bool read_beside(orr_intake *k, const char *path, orr_err (*read)(orr_intake *k, void *self), loading *l)
{
    ORR_VEC(const char *) kept = {0};
    for (size_t i = 0; i < k->attributes.n; i++)
        ORR_VEC_PUSH(&kept, k->attributes.at[i]);
    const orr_err err = orr_intake_beside(k, path, read, l);
    for (size_t i = 0; i < kept.n; i++)
        k->attributes.at[i] = kept.at[i];
    ORR_VEC_FREE(&kept);
    return err == ORR_OK;
}

/* "FOLDER/KIND-TYPE.csv" into `path`; without a type asked for, the file that has none is first. */
static bool find_file(const orr_pollux_tables *t, const application *a, const char *kind, orr_text *path)
{
    const char *type = t->gpu_type ? t->gpu_type : "aws";
    const bool plain = strcmp(type, "aws") == 0;
    orr_text_clear(path);
    orr_text_addf(path, "%s/%s.csv", a->folder, kind);
    if (plain && exists(path->at))
        return true;
    orr_text_clear(path);
    orr_text_addf(path, "%s/%s-%s.csv", a->folder, kind, type);
    return exists(path->at);
}

static int by_batch(const void *x, const void *y)
{
    const run *a = x, *b = y;
    return (a->batch > b->batch) - (a->batch < b->batch);
}

/* Which batch sizes were validated: the names of the files tell. */
static void list_runs(application *a)
{
    static const char before[] = "validation-", after[] = ".csv";
    DIR *folder = opendir(a->folder);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        const char *name = entry->d_name;
        const size_t n = strlen(name), around = sizeof before + sizeof after - 2;
        run r = {0};
        if (n > around && memcmp(name, before, sizeof before - 1) == 0 &&
            strcmp(name + n - (sizeof after - 1), after) == 0 &&
            orr_parse_i64(name + sizeof before - 1, n - around, &r.batch) && r.batch >= 1)
            ORR_VEC_PUSH(&a->runs, r);
    }
    if (folder)
        closedir(folder);
    if (a->runs.n)
        qsort(a->runs.at, a->runs.n, sizeof *a->runs.at, by_batch);
}

static int by_placement(const void *x, const void *y)
{
    const measure *a = x, *b = y;
    if (a->placement != b->placement)
        return a->placement < b->placement ? -1 : 1;
    if (a->local != b->local)
        return a->local < b->local ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

static void load(orr_pollux_tables *t, orr_intake *k, application *a)
{
    orr_text path = {0};
    loading l = {.tables = t, .app = a};
    if (find_file(t, a, "placements", &path) && read_beside(k, path.at, read_placements, &l) &&
        find_file(t, a, "scalability", &path))
        read_beside(k, path.at, read_scalability, &l);
    orr_text_fini(&path);
    if (a->measures.n)
        qsort(a->measures.at, a->measures.n, sizeof *a->measures.at, by_placement);
    list_runs(a);
}

/* A name that leaves the folder is no application. */
static bool well_named(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/');
}

static application *find_application(orr_pollux_tables *t, orr_intake *k, const char *name)
{
    const uint32_t id = orr_names_id(t->known, name, strlen(name));
    if (id < t->applications.n)
        return &t->applications.at[id];
    orr_text folder = {0};
    orr_text_addf(&folder, "%s/%s", t->folder, name);
    const application new = {.name = orr_names_text(t->known, id), .folder = folder.at};
    ORR_VEC_PUSH(&t->applications, new);
    application *a = &t->applications.at[id];
    if (well_named(name))
        load(t, k, a);
    return a;
}

/* The steps of a training at this batch size; 0: nobody ran one. */
static int64_t iterations_of(orr_pollux_tables *t, orr_intake *k, application *a, int64_t batch)
{
    const run key = {.batch = batch};
    run *found = a->runs.n ? bsearch(&key, a->runs.at, a->runs.n, sizeof key, by_batch) : NULL;
    if (!found || found->iterations > 0)
        return found ? found->iterations : 0;
    orr_text path = {0};
    loading l = {.tables = t, .app = a, .run = found};
    orr_text_addf(&path, "%s/validation-%lld.csv", a->folder, (long long)batch);
    read_beside(k, path.at, read_validation, &l);
    orr_text_fini(&path);
    return found->iterations;
}

/* ---- the time of a step ---- */

/* The measures of one placement: of(…)[0] to [*n - 1], by batch per GPU. */
static const measure *of_placement(const orr_pollux_tables *t, const application *a, const char *text, size_t *n)
{
    const int64_t id = orr_names_find(t->names, text, strlen(text));
    size_t from = 0;
    while (from < a->measures.n && (int64_t)a->measures.at[from].placement != id)
        from++;
    *n = 0;
    while (from + *n < a->measures.n && (int64_t)a->measures.at[from + *n].placement == id)
        ++*n;
    return a->measures.at + from;
}

/* Whole nodes, and the rest on one more. Turned so that the digits come in ascending order, as the files write it. */
static const measure *packed(const orr_pollux_tables *t, const application *a, int32_t gpus, size_t *n)
{
    const int32_t whole = gpus / a->per_node, rest = gpus % a->per_node;
    orr_text text = {0};
    if (rest)
        orr_text_addf(&text, "%d", (int)rest);
    for (int32_t i = 0; i < whole && i < 32; i++)
        orr_text_addf(&text, "%d", (int)a->per_node);
    const measure *found = of_placement(t, a, text.at, n);
    if (*n == 0) {
        orr_text_clear(&text);
        orr_text_addf(&text, "%d:%d", (int)(whole + (rest > 0)), (int)gpus);
        found = of_placement(t, a, text.at, n);
    }
    orr_text_fini(&text);
    return found;
}

/* Linear between two measures; false beyond them. */
static bool at_batch(const measure *m, size_t n, double local, double *step, double *sync)
{
    size_t i = 0;
    while (i < n && m[i].local < local)
        i++;
    if (i == n || (i == 0 && m[0].local > local))
        return false;
    const measure *high = &m[i], *low = m[i].local > local ? &m[i - 1] : high;
    const double share = high == low ? 0 : (local - low->local) / (high->local - low->local);
    *step = low->step + share * (high->step - low->step);
    *sync = low->sync + share * (high->sync - low->sync);
    return true;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static int64_t fits_one_gpu(const application *a, const measure *last)
{
    const int64_t measured = (int64_t)last->local;
    return strcmp(a->name, "yolov3") == 0 && measured > 8 ? 8 : measured;
}

/* How a GPU takes its share of the batch: `parts` times `local` samples. */
static int64_t cut(const application *a, const measure *last, int32_t gpus, int64_t batch, int64_t *parts)
{
    const int64_t share = divide_up(batch, gpus), largest = a->runs.at[a->runs.n - 1].batch;
    *parts = divide_up(share, fits_one_gpu(a, last));
    if (gpus == 1 && batch > a->runs.at[0].batch && *parts < 2)
        *parts = 2;
    const int64_t local = divide_up(share, *parts), most = largest / (gpus * *parts);
    return local < most ? local : most;
}

static bool step_time(const orr_pollux_tables *t, const application *a, int32_t gpus, int64_t batch, double *out)
{
    size_t n;
    int64_t parts;
    double step, sync;
    const measure *m = packed(t, a, gpus, &n);
    if (n == 0)
        return false;
    const int64_t local = cut(a, &m[n - 1], gpus, batch, &parts);
    if (!at_batch(m, n, (double)local, &step, &sync))
        return false;
    /* Where more time was measured for the synchronisation than for the step around it, a part takes the whole. */
    *out = step + (double)(parts - 1) * (sync < step ? step - sync : step);
    return true;
}

orr_flaw orr_pollux_duration(orr_pollux_tables *t, orr_intake *k, const char *application_name, int32_t gpus,
                             int64_t batch, orr_time *out)
{
    double step;
    application *a = find_application(t, k, application_name);
    const int64_t iterations = k->failed || a->per_node == 0 ? 0 : iterations_of(t, k, a, batch);
    if (iterations == 0)
        return ORR_FLAW_NO_TABLE;
    if (!step_time(t, a, gpus, batch, &step))
        return ORR_FLAW_NO_THROUGHPUT;
    *out = orr_time_from_seconds((double)iterations * step);
    return ORR_FLAW_NONE;
}
