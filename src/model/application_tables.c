/* The layout of the Pollux and Sia simulators: a folder an application, in which lie
 *   placements[-TYPE].csv   step and synchronisation time by placement (a digit a node: its GPUs) and samples a GPU
 *   scalability[-TYPE].csv  the same for more nodes, by nodes and GPUs; may be missing
 *   validation-BATCH.csv    a row an epoch of a training with this batch
 * and, where `mesh` names a folder, interp-points-APPLICATION.csv, interp-simplices-…, interp-face-lookups.csv, each
 * perhaps in gzip.
 *
 * An exception, as the Pollux simulator has it: of yolov3's placements without a type those with more than 8 samples a
 * GPU count for times, but no job takes so many.
 */
#define _POSIX_C_SOURCE 200809L
#include "model/application_data.h"

#include "base/table.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

typedef struct reader {
    const orr_application_folder *from;
    orr_application *app;
    orr_steps *steps;
    orr_validated *run;
    orr_error *e;
} reader;

typedef orr_err row_reader(reader *r, const orr_table *t, const size_t at[]);

enum { MOST_COLUMNS = 6 };

/* ---- tables ---- */

static orr_err real(const orr_table *t, size_t column, double least, double *out, orr_error *e)
{
    const char *text = t->fields.at[column];
    if (orr_parse_double(text, strlen(text), out) && *out >= least && *out <= 1e18)
        return ORR_OK;
    return orr_table_fail(t, column, ORR_E_NUMBER, e, "'%s' should be a number of at least %g", t->columns.at[column], least);
}

/* A count, which may be written 12.0. */
static orr_err count(const orr_table *t, size_t column, double *out, orr_error *e)
{
    const orr_err err = real(t, column, 1, out, e);
    if (err || (*out == floor(*out) && *out <= INT32_MAX))
        return err;
    return orr_table_fail(t, column, ORR_E_NUMBER, e, "'%s' should be a whole number", t->columns.at[column]);
}

static orr_err read_rows(reader *r, orr_table *t, const char *const *names, row_reader *row)
{
    size_t at[MOST_COLUMNS];
    bool more = true;
    orr_err err = ORR_OK;
    for (int c = 0; names[c] && !err; c++)
        err = orr_table_column(t, names[c], &at[c], r->e);
    while (!err && !(err = orr_table_next(t, &more, r->e)) && more)
        err = row(r, t, at);
    return err;
}

static orr_err read_table(reader *r, const char *path, const char *const *names, row_reader *row)
{
    orr_table t;
    orr_input *in = orr_input_open(path, r->e);
    if (!in)
        return ORR_E_OPEN;
    orr_err err = orr_table_open(&t, in, r->e);
    if (!err)
        err = read_rows(r, &t, names, row);
    orr_table_close(&t);
    if (!err && r->from->file) {
        char hex[65];
        orr_input_digest(in, hex);
        r->from->file(r->from->self, path, hex);
    }
    orr_input_close(in);
    return err;
}

static bool is_there(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

/* ---- what rows say ---- */

/* Where more time was measured for the synchronisation than for the step around it, the two aren't nested: nothing of
 * the step is saved by leaving it out. */
static orr_err take_times(const orr_table *t, size_t step, size_t sync, orr_step_point *out, orr_error *e)
{
    orr_err err = real(t, step, 0, &out->step, e);
    if (!err && !(out->step > 0))
        err = orr_table_fail(t, step, ORR_E_NUMBER, e, "a step takes more than no time");
    if (!err)
        err = real(t, sync, 0, &out->sync, e);
    if (!err && out->sync > out->step)
        out->sync = 0;
    return err;
}

static const char *const placement_columns[] = {"placement", "local_bsz", "step_time", "sync_time", NULL};

static orr_err placement_row(reader *r, const orr_table *t, const size_t at[])
{
    orr_placement shape = {0};
    orr_step_point point;
    const char *digits = t->fields.at[at[0]];
    const size_t n = strlen(digits);
    if (n == 0 || n > 19 || strspn(digits, "123456789") != n)
        return orr_table_fail(t, at[0], ORR_E_NUMBER, r->e, "a placement should be digits, one a node, at most 19");
    for (const char *node = digits; *node; node++)
        shape.at[shape.nodes++] = *node - '0';
    orr_err err = count(t, at[1], &point.local, r->e);
    if (!err)
        err = take_times(t, at[2], at[3], &point, r->e);
    if (!err)
        orr_steps_add_point(r->steps, orr_steps_code(&shape), point);
    return err;
}

static const char *const scalability_columns[] = {"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time", NULL};

static orr_err scalability_row(reader *r, const orr_table *t, const size_t at[])
{
    double nodes = 1, gpus = 1;
    orr_step_point point;
    orr_err err = count(t, at[0], &nodes, r->e);
    if (!err)
        err = count(t, at[1], &gpus, r->e);
    if (!err && gpus < nodes)
        err = orr_table_fail(t, at[1], ORR_E_NUMBER, r->e, "there can't be fewer GPUs than nodes");
    if (!err)
        err = count(t, at[2], &point.local, r->e);
    if (!err)
        err = take_times(t, at[3], at[4], &point, r->e);
    if (!err)
        orr_steps_add_place(r->steps, (int32_t)nodes, (int32_t)gpus, point);
    return err;
}

static orr_err face_row(reader *r, const orr_table *t, const size_t at[])
{
    double nodes = 1, gpus = 1;
    orr_step_point point;
    if (strcmp(t->fields.at[at[5]], r->app->name) != 0)
        return ORR_OK;
    orr_err err = count(t, at[0], &nodes, r->e);
    if (!err)
        err = count(t, at[1], &gpus, r->e);
    if (!err)
        err = count(t, at[2], &point.local, r->e);
    if (!err)
        err = take_times(t, at[3], at[4], &point, r->e);
    if (!err)
        ORR_VEC_PUSH(&r->steps->faces,
                     ((orr_step_face){(int32_t)nodes, (int32_t)gpus, (int32_t)point.local, point.step, point.sync}));
    return err;
}

static const char *const validation_columns[] = {"progress", "iteration", "grad_sqr", "grad_var", NULL};

static orr_err validation_row(reader *r, const orr_table *t, const size_t at[])
{
    orr_validated *run = r->run;
    double progress = 0, iterations = 0;
    orr_noise noise = {0, 0};
    orr_err err = real(t, at[0], 0, &progress, r->e);
    if (!err)
        err = real(t, at[1], 1, &iterations, r->e);
    if (!err)
        err = real(t, at[2], 0, &noise.sqr, r->e);
    if (!err)
        err = real(t, at[3], 0, &noise.var, r->e);
    for (int c = 0; c < 2 && !err; c++) {
        const double last = !run->progress.n ? 0 : c ? run->iterations.at[run->progress.n - 1] : run->progress.at[run->progress.n - 1];
        if (!((c ? iterations : progress) > last))
            err = orr_table_fail(t, at[c], ORR_E_NUMBER, r->e, "'%s' counts from the start of the training: it should rise",
                                 validation_columns[c]);
    }
    ORR_VEC_PUSH(&run->progress, progress);
    ORR_VEC_PUSH(&run->iterations, iterations);
    ORR_VEC_PUSH(&run->noise, noise);
    return err;
}

/* ---- triangulations that are given ---- */

static bool find_packed(const char *folder, const char *kind, const char *app, orr_text *path)
{
    for (int gz = 0; gz < 2; gz++) {
        orr_text_clear(path);
        orr_text_addf(path, "%s/interp-%s%s%s.csv%s", folder, kind, app ? "-" : "", app ? app : "", gz ? ".gz" : "");
        if (is_there(path->at))
            return true;
    }
    return false;
}

typedef struct corners {
    reader base; /* first */
    ORR_VEC(int32_t) at;
} corners;

static orr_err corner_row(reader *r, const orr_table *t, const size_t at[])
{
    corners *c = (corners *)r;
    for (int i = 0; i < 4; i++) {
        int64_t corner = 0;
        const orr_err err = orr_table_int(t, at[i], 0, (int64_t)r->steps->values.n - 1, &corner, r->e);
        if (err)
            return err;
        ORR_VEC_PUSH(&c->at, (int32_t)corner);
    }
    return ORR_OK;
}

static orr_err read_corners(reader *r, const char *path)
{
    static const char *const columns[] = {"v0", "v1", "v2", "v3", NULL};
    corners c = {.base = *r};
    orr_err err = read_table(&c.base, path, columns, corner_row);
    if (!err)
        r->steps->mesh = orr_mesh_of(r->steps->places.at, r->steps->values.n, c.at.at, c.at.n / 4);
    if (!err && !r->steps->mesh)
        err = orr_error_set(r->e, ORR_E_EMPTY, "%s: all simplices are flat", path);
    ORR_VEC_FREE(&c.at);
    return err;
}

static orr_err read_mesh(reader *r)
{
    static const char *const columns[] = {"num_nodes", "num_replicas", "local_bsz", "step_time", "sync_time", "application",
                                          NULL};
    const char *folder = r->from->mesh;
    orr_text path = {0};
    orr_err err = ORR_OK;
    r->steps->places.n = r->steps->values.n = 0;
    if (!find_packed(folder, "points", r->app->name, &path))
        err = orr_error_set(r->e, ORR_E_OPEN, "there is no interp-points-%s.csv in '%s'", r->app->name, folder);
    if (!err)
        err = read_table(r, path.at, scalability_columns, scalability_row);
    if (!err && !find_packed(folder, "simplices", r->app->name, &path))
        err = orr_error_set(r->e, ORR_E_OPEN, "there is no interp-simplices-%s.csv in '%s'", r->app->name, folder);
    if (!err)
        err = read_corners(r, path.at);
    if (!err && find_packed(folder, "face-lookups", NULL, &path))
        err = read_table(r, path.at, columns, face_row);
    orr_text_fini(&path);
    return err;
}

/* ---- one application ---- */

/* "FOLDER/APPLICATION/KIND-TYPE.csv"; without one, the file that names no type is that of `aws`. */
static bool find_file(const reader *r, const char *kind, const char *type, orr_text *path)
{
    orr_text_clear(path);
    if (type[0])
        orr_text_addf(path, "%s/%s/%s-%s.csv", r->from->path, r->app->name, kind, type);
    else
        orr_text_addf(path, "%s/%s/%s.csv", r->from->path, r->app->name, kind);
    return is_there(path->at);
}

static orr_err read_type(reader *r, const char *type, const char *called)
{
    orr_text path = {0};
    orr_err err = ORR_OK;
    if (find_file(r, "placements", type, &path)) {
        r->steps = orr_application_add_type(r->app, called);
        err = read_table(r, path.at, placement_columns, placement_row);
        if (!err && find_file(r, "scalability", type, &path))
            err = read_table(r, path.at, scalability_columns, scalability_row);
        if (!err && r->from->mesh)
            err = read_mesh(r);
        if (!err && (err = orr_steps_settle(r->steps, r->e)))
            orr_error_at(r->e, path.at, 0, 0);
        if (!type[0] && strcmp(r->app->name, "yolov3") == 0 && r->steps->local_most > 8)
            r->steps->local_most = 8;
    }
    orr_text_fini(&path);
    return err;
}

static orr_err read_all_types(reader *r)
{
    orr_folder_names types = {0};
    orr_text folder = {0};
    orr_text_addf(&folder, "%s/%s", r->from->path, r->app->name);
    orr_err err = read_type(r, "", "");
    orr_folder_list(folder.at, "placements-", ".csv", &types);
    for (size_t i = 0; i < types.n && !err; i++)
        err = read_type(r, types.at[i], types.at[i]);
    if (!err && r->app->types.n > 1 && !r->app->types.at[0].type[0]) {
        free(r->app->types.at[0].type);
        r->app->types.at[0].type = orr_xstrdup("aws");
    }
    orr_folder_names_free(&types);
    orr_text_fini(&folder);
    return err;
}

/* The file that names no type is that of `aws`. */
static orr_err read_types(reader *r)
{
    orr_err err = ORR_OK;
    if (!r->from->type_count)
        return read_all_types(r);
    for (size_t i = 0; i < r->from->type_count && !err; i++) {
        const orr_type_wish *wish = &r->from->types[i];
        const size_t before = r->app->types.n;
        if (strcmp(wish->in_tables, "aws") == 0)
            err = read_type(r, "", wish->called);
        if (!err && r->app->types.n == before)
            err = read_type(r, wish->in_tables, wish->called);
    }
    return err;
}

/* ---- trainings ---- */

static int by_batch(const void *x, const void *y)
{
    const orr_validated *a = x, *b = y;
    return (a->batch > b->batch) - (a->batch < b->batch);
}

static orr_err check_epochs(reader *r, const char *folder)
{
    const orr_application *a = r->app;
    if (!a->runs.n) {
        const orr_err err = orr_error_set(r->e, ORR_E_OPEN, "there is no validation-BATCH.csv in '%s'", folder);
        orr_error_hint(r->e, "if they lie elsewhere, say so: validation=FOLDER");
        return err;
    }
    for (size_t i = 1; i < a->runs.n; i++)
        if (a->runs.at[i].progress.n != a->runs.at[0].progress.n)
            return orr_error_set(r->e, ORR_E_SYNTAX, "%s: batch %lld has %zu epochs and batch %lld has %zu", folder,
                                 (long long)a->runs.at[0].batch, a->runs.at[0].progress.n, (long long)a->runs.at[i].batch,
                                 a->runs.at[i].progress.n);
    return ORR_OK;
}

static orr_err read_runs(reader *r)
{
    orr_text folder = {0}, path = {0};
    orr_folder_names batches = {0};
    orr_err err = ORR_OK;
    orr_text_addf(&folder, "%s/%s", r->from->path, r->app->name);
    orr_folder_list(folder.at, "validation-", ".csv", &batches);
    if (!batches.n && r->from->validation) {
        orr_text_clear(&folder);
        orr_text_addf(&folder, "%s/%s", r->from->validation, r->app->name);
        orr_folder_list(folder.at, "validation-", ".csv", &batches);
    }
    for (size_t i = 0; i < batches.n; i++) {
        orr_validated run = {0};
        if (orr_parse_i64(batches.at[i], strlen(batches.at[i]), &run.batch) && run.batch >= 1 && run.batch <= INT32_MAX)
            ORR_VEC_PUSH(&r->app->runs, run);
    }
    if (r->app->runs.n)
        qsort(r->app->runs.at, r->app->runs.n, sizeof *r->app->runs.at, by_batch);
    for (size_t i = 0; i < r->app->runs.n && !err; i++) {
        r->run = &r->app->runs.at[i];
        orr_text_clear(&path);
        orr_text_addf(&path, "%s/validation-%lld.csv", folder.at, (long long)r->run->batch);
        err = read_table(r, path.at, validation_columns, validation_row);
    }
    if (!err)
        err = check_epochs(r, folder.at);
    orr_folder_names_free(&batches);
    orr_text_fini(&folder);
    orr_text_fini(&path);
    return err;
}

orr_err orr_application_read_tables(const orr_application_folder *from, const char *name, orr_application **out, orr_error *e)
{
    orr_error own = {0};
    reader r = {.from = from, .app = orr_application_create(name), .e = &own};
    r.app->limits.accumulates = true;
    *out = NULL;
    orr_err err = read_types(&r);
    if (!err && r.app->types.n && !(err = read_runs(&r))) {
        orr_application_sum_up(r.app);
        *out = r.app;
        return ORR_OK;
    }
    orr_application_destroy(r.app);
    if (err && e)
        *e = own;
    return err;
}
