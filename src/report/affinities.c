#include "report/affinities.h"

#include "base/mem.h"
#include "report/json.h"
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_TYPES = 64 };

/* The types that are shown: the table's number of each, -1 where it lacks it. */
typedef struct shown {
    const orr_throughputs *table;
    const char *names[MAX_TYPES];
    int32_t types[MAX_TYPES], count;
    bool *asked;    /* by job of the table: it is shown; NULL: all are */
    size_t unknown; /* jobs of the trace of which the table says nothing */
} shown;

static bool has(const shown *s, const char *name)
{
    for (int32_t i = 0; i < s->count; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    return false;
}

static shown shown_of(const orr_throughputs *table, const orr_cluster_spec *cluster)
{
    shown s = {.table = table};
    if (!cluster)
        for (; s.count < orr_throughputs_types(table) && s.count < MAX_TYPES; s.count++) {
            s.names[s.count] = orr_throughputs_type_name(table, s.count);
            s.types[s.count] = s.count;
        }
    for (int32_t i = 0; cluster && i < orr_cluster_spec_nodes(cluster) && s.count < MAX_TYPES; i++) {
        const orr_node_spec *n = orr_cluster_spec_node(cluster, i);
        if (n->gpus == 0 || has(&s, n->gpu_type))
            continue;
        s.names[s.count] = n->gpu_type;
        s.types[s.count++] = orr_throughputs_type(table, n->gpu_type);
    }
    return s;
}

/* To be freed: `asked`. */
static shown shown_of_trace(const orr_throughputs *table, const orr_trace *trace)
{
    shown s = shown_of(table, NULL);
    const orr_trace_job *jobs = orr_trace_jobs(trace);
    s.asked = orr_xcalloc((size_t)orr_throughputs_jobs(table) + 1, sizeof *s.asked);
    for (size_t i = 0; i < orr_trace_count(trace); i++) {
        const int32_t exact = orr_throughputs_job(table, jobs[i].model, jobs[i].gpus);
        const int32_t job = exact >= 0 ? exact : orr_throughputs_near(table, jobs[i].model, jobs[i].gpus);
        if (job >= 0)
            s.asked[job] = true;
        s.unknown += job < 0;
    }
    return s;
}

static double base_of(const shown *s, int32_t job)
{
    return orr_throughputs_alone(s->table, orr_throughputs_reference(s->table), job);
}

/* Relative to the reference; 0: can't run; NaN: not stated. */
static double relative(const shown *s, int32_t type, int32_t job)
{
    const double base = base_of(s, job), alone = orr_throughputs_alone(s->table, type, job);
    return alone < 0 || (alone > 0 && !(base > 0)) ? NAN : alone > 0 ? alone / base : 0;
}

/* The fastest of those shown, the first among equals; -1: nothing is stated. */
static int32_t best_of(const shown *s, int32_t job)
{
    int32_t best = -1;
    double most = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const double steps = orr_throughputs_alone(s->table, s->types[i], job);
        if (steps <= most)
            continue;
        most = steps;
        best = i;
    }
    return best;
}

/* What is left of its speed on a type when it is spread over nodes; NaN: not stated. */
static double kept_apart(const shown *s, int32_t type, int32_t job)
{
    const double alone = orr_throughputs_alone(s->table, type, job), spread = orr_throughputs_spread(s->table, type, job);
    return alone > 0 && spread >= 0 ? spread / alone : NAN;
}

/* ---- side by side ---- */

typedef struct partners {
    const shown *s;
    int32_t type, job, count, best;
    double most;
    cJSON *list; /* NULL: nobody wants them */
} partners;

/* What two make together, of what each makes alone: 2 is as if alone, 1 no more than in turns. */
static void look_at(void *self, int32_t other, const double speeds[2])
{
    partners *p = self;
    const double own = orr_throughputs_alone(p->s->table, p->type, p->job);
    const double others = orr_throughputs_alone(p->s->table, p->type, other);
    const double together = own > 0 && others > 0 ? speeds[0] / own + speeds[1] / others : NAN;
    if (speeds[0] > 0 && speeds[1] > 0)
        p->count++;
    if (together > p->most) {
        p->most = together;
        p->best = other;
    }
    if (!p->list)
        return;
    int64_t gpus;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(p->list, o);
    orr_json_text(o, "beside", orr_throughputs_model(p->s->table, other, &gpus));
    orr_json_double(o, "speed", own > 0 ? speeds[0] / own : NAN);
    orr_json_double(o, "beside_speed", others > 0 ? speeds[1] / others : NAN);
    orr_json_double(o, "together", together);
}

static partners partners_of(const shown *s, int32_t type, int32_t job, cJSON *list)
{
    partners p = {.s = s, .type = type, .job = job, .best = -1, .list = list};
    if (type >= 0)
        orr_throughputs_each_pair(s->table, type, job, look_at, &p);
    return p;
}

/* ---- the table ---- */

static void number(orr_grid *g, double v, int digits)
{
    char text[32], exact[ORR_DOUBLE_BUF] = "";
    if (!isnan(v))
        orr_format_double(v, exact);
    snprintf(text, sizeof text, "%.*f", digits, v);
    orr_grid_cell(g, isnan(v) ? "-" : v == 0 ? "no" : text, exact);
}

static void head(const shown *s, orr_grid *g)
{
    orr_grid_column(g, "model", "model", false);
    orr_grid_column(g, "GPUs", "gpus", true);
    orr_grid_column(g, "steps/s", "steps_per_s", true);
    for (int32_t i = 0; i < s->count; i++)
        orr_grid_column(g, s->names[i], s->names[i], true);
    orr_grid_column(g, "best", "best", false);
    orr_grid_column(g, "spread", "spread", true);
    orr_grid_column(g, "together", "together", true);
    orr_grid_column(g, "best beside", "beside", false);
}

static void row(const shown *s, int32_t job, orr_grid *g)
{
    int64_t gpus;
    char text[24];
    const int32_t best = best_of(s, job), type = best < 0 ? -1 : s->types[best];
    const partners p = partners_of(s, type, job, NULL);
    orr_grid_cell(g, orr_throughputs_model(s->table, job, &gpus), NULL);
    snprintf(text, sizeof text, "%lld", (long long)gpus);
    orr_grid_cell(g, text, NULL);
    number(g, base_of(s, job) < 0 ? NAN : base_of(s, job), 2);
    for (int32_t i = 0; i < s->count; i++)
        number(g, relative(s, s->types[i], job), 2);
    orr_grid_cell(g, best < 0 ? "-" : s->names[best], NULL);
    number(g, kept_apart(s, type, job), 2);
    number(g, p.best < 0 ? NAN : p.most, 2);
    orr_grid_cell(g, p.best < 0 ? "-" : orr_throughputs_model(s->table, p.best, &gpus), NULL);
}

/* Jobs that only stand beside others have no row. */
static bool is_stated(const shown *s, int32_t job)
{
    if (s->asked && !s->asked[job])
        return false;
    for (int32_t i = 0; i < s->count; i++)
        if (orr_throughputs_alone(s->table, s->types[i], job) >= 0)
            return true;
    return false;
}

static orr_grid *grid_of(const shown *s)
{
    orr_grid *g = orr_grid_create();
    head(s, g);
    for (int32_t j = 0; j < orr_throughputs_jobs(s->table); j++)
        if (is_stated(s, j))
            row(s, j, g);
    return g;
}

static void summary(const shown *s, orr_text *out)
{
    const char *reference = orr_throughputs_type_name(s->table, orr_throughputs_reference(s->table));
    orr_text_addf(out, "speeds on each GPU type are relative to %s\n", reference);
    for (int32_t i = 0; i < s->count; i++)
        if (s->types[i] < 0)
            orr_text_addf(out, "GPU type '%s' isn't in the table: jobs run there as recorded\n", s->names[i]);
    if (s->unknown)
        orr_text_addf(out, "%zu job%s of models that the table doesn't know: they run as recorded\n", s->unknown,
                      s->unknown == 1 ? "" : "s");
    orr_text_addf(out, "spread: what is left of the speed on the best type when the gang stands on several nodes\n"
                       "together: what it and the best of those beside it make there, of what each makes alone\n");
}

static void print(const shown *s, orr_text *out)
{
    orr_grid *g = grid_of(s);
    const int types = (int)orr_throughputs_types(s->table);
    orr_text_addf(out, "throughputs  %s    %zu row%s, %d GPU type%s\n\n", orr_throughputs_name(s->table),
                  orr_grid_rows(g), orr_grid_rows(g) == 1 ? "" : "s", types, types == 1 ? "" : "s");
    orr_grid_print(g, ORR_TABLE_TEXT, out);
    orr_text_addf(out, "\n");
    summary(s, out);
    orr_grid_destroy(g);
}

void orr_affinities_text(const orr_throughputs *table, const orr_cluster_spec *cluster, orr_text *out)
{
    const shown s = shown_of(table, cluster);
    print(&s, out);
}

void orr_affinities_of_trace_text(const orr_throughputs *table, const orr_trace *trace, orr_text *out)
{
    const shown s = shown_of_trace(table, trace);
    print(&s, out);
    free(s.asked);
}

void orr_affinities_html(const orr_throughputs *table, const orr_cluster_spec *cluster, const char *command, orr_text *out)
{
    const shown s = shown_of(table, cluster);
    orr_text notes = {0};
    summary(&s, &notes);
    orr_page_begin(out, "throughputs", orr_throughputs_name(table));
    orr_page_table(out, "Speeds", grid_of(&s));
    orr_page_code(out, notes.at);
    if (command) {
        orr_page_heading(out, "Made by");
        orr_page_code(out, command);
    }
    orr_page_end(out);
    orr_text_fini(&notes);
}

/* ---- JSON ---- */

static void speed_json(const shown *s, int32_t i, int32_t job, cJSON *list)
{
    const double alone = orr_throughputs_alone(s->table, s->types[i], job);
    if (alone < 0)
        return;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "type", s->names[i]);
    orr_json_double(o, "steps_per_s", alone);
    orr_json_double(o, "speed", relative(s, s->types[i], job));
    orr_json_double(o, "spread", kept_apart(s, s->types[i], job));
    cJSON *pairs = orr_json_array(o, "pairs");
    (void)partners_of(s, s->types[i], job, pairs);
}

static void job_json(const shown *s, int32_t job, cJSON *list)
{
    int64_t gpus;
    const int32_t best = best_of(s, job);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    orr_json_text(o, "model", orr_throughputs_model(s->table, job, &gpus));
    orr_json_count(o, "gpus", (uint64_t)gpus);
    orr_json_text(o, "best", best < 0 ? NULL : s->names[best]);
    cJSON *types = orr_json_array(o, "types");
    for (int32_t i = 0; i < s->count; i++)
        speed_json(s, i, job, types);
}

static cJSON *document(const shown *s)
{
    const orr_throughputs *table = s->table;
    cJSON *o = cJSON_CreateObject();
    orr_json_text(o, "schema", "orrery.throughput-facts/1");
    orr_json_text(o, "name", orr_throughputs_name(table));
    orr_json_text(o, "sha256", orr_throughputs_digest(table));
    orr_json_text(o, "reference", orr_throughputs_type_name(table, orr_throughputs_reference(table)));
    cJSON *lacking = orr_json_array(o, "types_not_in_table"), *jobs = orr_json_array(o, "jobs");
    for (int32_t i = 0; i < s->count; i++)
        if (s->types[i] < 0)
            orr_json_item(lacking, s->names[i]);
    for (int32_t j = 0; j < orr_throughputs_jobs(table); j++)
        if (is_stated(s, j))
            job_json(s, j, jobs);
    if (s->asked)
        orr_json_count(o, "jobs_of_unknown_models", s->unknown);
    return o;
}

cJSON *orr_affinities_json(const orr_throughputs *table, const orr_cluster_spec *cluster)
{
    const shown s = shown_of(table, cluster);
    return document(&s);
}

cJSON *orr_affinities_of_trace_json(const orr_throughputs *table, const orr_trace *trace)
{
    const shown s = shown_of_trace(table, trace);
    cJSON *o = document(&s);
    free(s.asked);
    return o;
}
