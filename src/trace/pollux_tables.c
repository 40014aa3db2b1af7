/* Applications are read when first mentioned; one that isn't there is remembered as such. */
#define _POSIX_C_SOURCE 200809L
#include "trace/pollux_tables.h"

#include "model/application_data.h"
#include <sys/stat.h>

struct orr_pollux_tables {
    const char *folder;
    orr_type_wish type;
    orr_names *known;
    ORR_VEC(orr_application *) at; /* by their number in `known`; NULL: nothing is known of it */
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
    t->type = (orr_type_wish){gpu_type ? gpu_type : "aws", ""};
    t->known = orr_names_create();
    return t;
}

void orr_pollux_tables_destroy(orr_pollux_tables *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->at.n; i++)
        orr_application_destroy(t->at.at[i]);
    ORR_VEC_FREE(&t->at);
    orr_names_destroy(t->known);
    free(t);
}

static void add_input(void *self, const char *path, const char digest[65])
{
    const orr_intake *k = self;
    orr_trace_add_input(k->trace, path, digest);
}

/* A name that leaves the folder is no application. */
static bool well_named(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/');
}

static const orr_application *find_application(orr_pollux_tables *t, orr_intake *k, const char *name)
{
    const uint32_t id = orr_names_id(t->known, name, strlen(name));
    if (id < t->at.n)
        return t->at.at[id];
    const orr_application_folder from = {.path = t->folder, .types = &t->type, .type_count = 1, .file = add_input, .self = k};
    orr_application *a = NULL;
    if (well_named(name))
        k->failed = orr_application_read_tables(&from, name, &a, k->e);
    ORR_VEC_PUSH(&t->at, a);
    return a;
}

static bool is_validated(const orr_application *a, int64_t batch)
{
    for (size_t i = 0; i < a->runs.n; i++)
        if (a->runs.at[i].batch == batch)
            return true;
    return false;
}

orr_flaw orr_pollux_duration(orr_pollux_tables *t, orr_intake *k, const char *application, int32_t gpus, int64_t batch,
                             orr_time *out)
{
    double step, sync;
    const orr_application *a = find_application(t, k, application);
    if (!a || !is_validated(a, batch))
        return ORR_FLAW_NO_TABLE;
    const orr_placement gang = orr_application_gang(a, 0, gpus);
    const orr_batch_limits limits = orr_application_limits_on(a, 0, &gang);
    const orr_batch split = orr_batch_split(&limits, gpus, batch);
    if (split.local < 1 || !orr_application_step(a, 0, &gang, split.local, &step, &sync))
        return ORR_FLAW_NO_THROUGHPUT;
    const double iterations = orr_application_iterations(a, orr_application_epochs(a), batch);
    *out = orr_time_from_seconds(iterations * (step + split.steps * (step - sync)));
    return ORR_FLAW_NONE;
}
