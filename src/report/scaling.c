#include "report/scaling.h"

#include "report/json.h"

#include <math.h>
#include <stdio.h>

/* Gangs that are shown are powers of two. */
enum { SIZES = 11 };

static int32_t sizes_of(const orr_applications *all)
{
    int32_t most = 1, n = 1;
    for (int32_t i = 0; i < orr_applications_count(all); i++) {
        const int32_t gpus = orr_application_most_gpus(orr_applications_at(all, i));
        most = gpus > most ? gpus : most;
    }
    while (n < SIZES && 1 << n <= most)
        n++;
    return n;
}

/* The epoch in the middle stands for the training. */
static double best_of(const orr_application *a, int32_t type, int32_t gpus, orr_batch *batch)
{
    const orr_placement gang = orr_application_gang(a, type, gpus);
    *batch = (orr_batch){0, 0};
    return gpus > orr_application_most_gpus(a) ? 0 : orr_application_best(a, type, &gang, orr_application_epochs(a) / 2, batch);
}

/* Of the fewest GPUs that it runs on; 0: none of those shown. */
static double base_of(const orr_application *a, int32_t type, int32_t *gpus)
{
    orr_batch batch;
    for (*gpus = 1; *gpus <= orr_application_most_gpus(a) && *gpus <= 1 << (SIZES - 1); *gpus *= 2) {
        const double pace = best_of(a, type, *gpus, &batch);
        if (pace > 0)
            return pace;
    }
    return 0;
}

/* Seconds of a training on one GPU with the initial batch; NaN: not known. */
static double length_of(const orr_application *a, int32_t type)
{
    const orr_placement one = orr_application_gang(a, type, 1);
    const orr_batch_limits limits = orr_application_limits_on(a, type, &one);
    if (orr_application_iterations(a, orr_application_epochs(a), limits.initial) < 0)
        return NAN;
    const double seconds = orr_application_length(a, type, &one, orr_batch_split(&limits, 1, limits.initial));
    return isfinite(seconds) ? seconds : NAN;
}

/* ---- text ---- */

static void head(orr_grid *g, int32_t sizes)
{
    orr_grid_column(g, "model", "model", false);
    orr_grid_column(g, "type", "type", false);
    orr_grid_column(g, "batch", "batch", true);
    orr_grid_column(g, "on a GPU", "local", true);
    orr_grid_column(g, "epochs", "epochs", true);
    orr_grid_column(g, "hours", "hours", true);
    for (int32_t i = 0; i < sizes; i++) {
        char text[24];
        snprintf(text, sizeof text, "%d", 1 << i);
        orr_grid_column(g, text, text, true);
    }
}

static void range(orr_grid *g, int64_t low, int64_t high)
{
    char text[48];
    snprintf(text, sizeof text, "%lld..%lld", (long long)low, (long long)high);
    orr_grid_cell(g, text, NULL);
}

static void number(orr_grid *g, double v, const char *form)
{
    char text[32];
    snprintf(text, sizeof text, form, v);
    orr_grid_cell(g, isnan(v) ? "-" : text, NULL);
}

static void row(const orr_application *a, int32_t type, int32_t sizes, orr_grid *g)
{
    int32_t least;
    const orr_batch_limits l = orr_application_limits_on(a, type, NULL);
    const double base = base_of(a, type, &least);
    const char *name = orr_application_type_name(a, type);
    orr_grid_cell(g, orr_application_name(a), NULL);
    orr_grid_cell(g, name[0] ? name : "any", NULL);
    range(g, l.initial, l.most);
    range(g, l.local_least, l.local_most);
    number(g, orr_application_epochs(a), "%.0f");
    number(g, length_of(a, type) / 3600, "%.2f");
    for (int32_t i = 0; i < sizes; i++) {
        orr_batch batch;
        const double pace = best_of(a, type, 1 << i, &batch);
        number(g, pace > 0 ? least * pace / base : NAN, "%.2f");
    }
}

void orr_scaling_text(const orr_applications *all, orr_text *out)
{
    orr_grid *g = orr_grid_create();
    const int32_t sizes = sizes_of(all), n = orr_applications_count(all);
    head(g, sizes);
    for (int32_t i = 0; i < n; i++)
        for (int32_t t = 0; t < orr_application_types(orr_applications_at(all, i)); t++)
            row(orr_applications_at(all, i), t, sizes, g);
    orr_text_addf(out, "applications  %s    %d application%s\n\n", orr_applications_name(all), (int)n, n == 1 ? "" : "s");
    orr_grid_print(g, ORR_TABLE_TEXT, out);
    orr_text_addf(out, "\nhours: of a training on one GPU with the initial batch\n"
                       "by number of GPUs, packed: progress of the middle epoch with the best batch, of that on one\n");
    orr_grid_destroy(g);
}

/* ---- JSON ---- */

static void gang_json(const orr_application *a, int32_t type, int32_t gpus, double base, cJSON *list)
{
    orr_batch batch;
    double step, sync;
    const double pace = best_of(a, type, gpus, &batch);
    const orr_placement gang = orr_application_gang(a, type, gpus);
    if (!(pace > 0) || !orr_application_step(a, type, &gang, batch.local, &step, &sync))
        return;
    const int64_t total = orr_batch_total(batch, gpus);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_count(o, "gpus", (uint64_t)gpus);
    orr_json_count(o, "nodes", (uint64_t)gang.nodes);
    orr_json_count(o, "batch", (uint64_t)total);
    orr_json_count(o, "local", (uint64_t)batch.local);
    orr_json_count(o, "steps", (uint64_t)batch.steps);
    orr_json_double(o, "samples_per_s", (double)total / (step + batch.steps * (step - sync)));
    orr_json_double(o, "goodput", pace * (double)orr_application_limits(a)->initial);
    orr_json_double(o, "speedup", pace / base);
}

static void type_json(const orr_application *a, int32_t type, int32_t sizes, cJSON *list)
{
    int32_t least;
    const orr_batch_limits l = orr_application_limits_on(a, type, NULL);
    const double base = base_of(a, type, &least);
    const char *name = orr_application_type_name(a, type);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "type", name[0] ? name : NULL);
    orr_json_count(o, "local_least", (uint64_t)l.local_least);
    orr_json_count(o, "local_most", (uint64_t)l.local_most);
    orr_json_double(o, "seconds_on_one", length_of(a, type));
    cJSON *gangs = orr_json_array(o, "gangs");
    for (int32_t i = 0; i < sizes && base > 0; i++)
        gang_json(a, type, 1 << i, base / least, gangs);
}

static void application_json(const orr_application *a, int32_t sizes, cJSON *list)
{
    const orr_batch_limits *l = orr_application_limits(a);
    const int32_t epochs = orr_application_epochs(a);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "model", orr_application_name(a));
    orr_json_count(o, "batch_initial", (uint64_t)l->initial);
    orr_json_count(o, "batch_most", (uint64_t)l->most);
    orr_json_bool(o, "accumulates", l->accumulates);
    orr_json_count(o, "most_gpus", (uint64_t)orr_application_most_gpus(a));
    orr_json_count(o, "epochs", (uint64_t)epochs);
    orr_json_double(o, "progress", orr_application_progress(a, epochs));
    orr_json_time(o, "restart", orr_application_restart(a));
    cJSON *types = orr_json_array(o, "types");
    for (int32_t t = 0; t < orr_application_types(a); t++)
        type_json(a, t, sizes, types);
}

cJSON *orr_scaling_json(const orr_applications *all)
{
    cJSON *o = cJSON_CreateObject();
    orr_json_text(o, "schema", "orrery.application-facts/1");
    orr_json_text(o, "name", orr_applications_name(all));
    orr_json_text(o, "sha256", orr_applications_digest(all));
    cJSON *list = orr_json_array(o, "applications");
    for (int32_t i = 0; i < orr_applications_count(all); i++)
        application_json(orr_applications_at(all, i), sizes_of(all), list);
    return o;
}
