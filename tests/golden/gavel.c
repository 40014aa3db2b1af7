#include "gavel.h"

#include "base/io.h"
#include "base/mem.h"
#include "trace/store.h"
#include "base/text.h"
#include "model/throughputs.h"
#include "sim/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const types[3] = {"v100", "p100", "k80"};

static double real(const char *text)
{
    double v = NAN;
    if (!orr_parse_double(text, strlen(text), &v))
        fail_msg("no number: %s", text);
    return v;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

typedef struct given {
    const char *model;
    int32_t gpus;
    double steps, arrival, weight, slo;
} given;

typedef struct inputs {
    orr_trace *trace;
    const orr_throughputs *table;
    bool slo;
    size_t count, limit;
} inputs;

static void add_job(inputs *in, const given *g)
{
    char id[24];
    orr_error e = {0};
    orr_trace_job job = orr_trace_job_default();
    const int32_t row = orr_throughputs_job(in->table, g->model, g->gpus);
    if (row < 0 || (in->limit && in->count >= in->limit))
        return;
    const double speed = orr_throughputs_alone(in->table, orr_throughputs_type(in->table, "v100"), row);
    assert_true(speed > 0);
    snprintf(id, sizeof id, "%06zu", in->count++);
    job.id = id;
    job.model = g->model;
    job.gpus = g->gpus;
    job.submit = orr_time_from_seconds(g->arrival);
    job.duration = orr_time_from_seconds(g->steps / speed);
    job.weight = g->weight;
    char steps[32];
    const char *const attributes[] = {steps}; /* total_steps */
    snprintf(steps, sizeof steps, "%.17g", g->steps);
    job.attributes = attributes;
    if (in->slo && g->slo > 0)
        job.deadline = job.submit + orr_time_from_seconds(g->slo * g->steps / speed);
    if (orr_trace_add(in->trace, &job, &e))
        fail_msg("%s", e.message);
}

static void add_table(inputs *in, const char *path)
{
    table *t = table_read(path);
    const bool theirs = table_has(t, "job_type");
    for (size_t i = 0; i < t->count; i++) {
        given g = {.weight = 1, .slo = -1};
        g.model = table_text(t, i, theirs ? "job_type" : "model");
        g.gpus = (int32_t)table_number(t, i, theirs ? "scale_factor" : "gpus");
        g.steps = real(table_text(t, i, "total_steps"));
        g.arrival = real(table_text(t, i, theirs ? "arrival" : "arrival_s"));
        if (theirs)
            g.weight = real(table_text(t, i, "priority"));
        if (theirs && table_has(t, "slo_factor") && table_text(t, i, "slo_factor")[0])
            g.slo = real(table_text(t, i, "slo_factor"));
        add_job(in, &g);
    }
    table_free(t);
}

/* Fields between tabs, 7 or 10 of them. */
static void add_line(inputs *in, char *line)
{
    char *field[12];
    size_t n = 0;
    for (char *at = line; at && n < 12; n++) {
        field[n] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    if (n == 7)
        add_job(in, &(given){field[0], (int32_t)real(field[6]), real(field[4]), real(field[5]), 1, -1});
    else if (n == 10)
        add_job(in, &(given){field[0], (int32_t)real(field[6]), real(field[5]), real(field[9]), real(field[7]), real(field[8])});
    else
        fail_msg("a row of %zu fields", n);
}

static void add_trace(inputs *in, const char *path)
{
    orr_error e = {0};
    orr_input *file = orr_input_open(path, &e);
    assert_non_null(file);
    char *line;
    size_t length;
    while (orr_input_line(file, &line, &length, &e) == ORR_OK && line)
        add_line(in, line);
    orr_input_close(file);
}

static orr_trace *read_jobs(const gavel_case *c, const orr_throughputs *speeds)
{
    orr_error e = {0};
    inputs in = {.trace = orr_trace_create("gavel"), .table = speeds, .slo = c->slo, .limit = c->limit};
    orr_trace_attribute_named(in.trace, "total_steps");
    if (strstr(c->jobs, ".trace"))
        add_trace(&in, c->jobs);
    else
        add_table(&in, c->jobs);
    if (orr_trace_finish(in.trace, &e))
        fail_msg("%s", e.message);
    return in.trace;
}

static orr_cluster_spec *make_cluster(const gavel_case *c)
{
    orr_error e = {0};
    orr_cluster_spec *cluster = orr_cluster_spec_create("gavel");
    for (int k = 0; k < 3; k++) {
        orr_node_spec node = orr_node_spec_default();
        node.gpus = c->gpus[k];
        node.gpu_type = types[k];
        if (orr_cluster_spec_add(cluster, &node, 1, &e))
            fail_msg("%s", e.message);
    }
    return cluster;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

typedef struct listener {
    gavel_run *run;
    orr_sim *sim;
} listener;

static void on_job(void *self, const orr_job_record *record)
{
    listener *l = self;
    gavel_job *job = &l->run->jobs[orr_job_index(record->job)];
    job->arrival = orr_time_seconds(record->submit);
    job->end = record->end == ORR_TIME_NONE ? NAN : orr_time_seconds(record->end);
    for (int32_t k = 0; k < 3; k++)
        job->rounds[k] = (uint32_t)orr_share_rounds_given(l->sim->policy->share_rounds, record->job, k);
}

/* Constant prices, from a file in the working folder. */
static orr_scenario *scenario_of(const double *prices)
{
    static const char path[] = "gavel-prices.yaml";
    orr_error e = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "schema: orrery.scenario/1\nevents:\n");
    for (int k = 0; k < 3; k++)
        fprintf(file, "  - {at: 0, do: price, type: %s, price: %.17g}\n", types[k], prices[k]);
    assert_int_equal(fclose(file), 0);
    orr_scenario *scenario = orr_scenario_load(path, &e);
    if (!scenario)
        fail_msg("%s", e.message);
    remove(path);
    return scenario;
}

gavel_run *gavel_go(const gavel_case *c, const char *policy)
{
    char text[1200];
    orr_error e = {0};
    snprintf(text, sizeof text, "%s,reference=v100,spread=no", c->table);
    orr_throughputs *speeds = orr_throughputs_load(text, &e);
    if (!speeds)
        fail_msg("%s: %s", text, e.message);
    orr_trace *trace = read_jobs(c, speeds);
    orr_cluster_spec *cluster = make_cluster(c);
    gavel_run *r = orr_xcalloc(1, sizeof *r);
    r->count = orr_trace_count(trace);
    r->jobs = orr_xcalloc(r->count, sizeof *r->jobs);
    listener self = {.run = r};
    const orr_sink sink = {.self = &self, .job = on_job};
    orr_sim_options options = orr_sim_options_default();
    options.policy = policy;
    options.throughputs = speeds;
    options.seed = c->seed;
    orr_scenario *scenario = c->prices ? scenario_of(c->prices) : NULL;
    options.scenario = scenario;
    self.sim = orr_sim_create(trace, cluster, &options, &sink, &e);
    if (!self.sim || orr_sim_run(self.sim, &e))
        fail_msg("%s: %s", policy, e.message);
    orr_share_rounds_count(self.sim->policy->share_rounds, &r->resets, &r->cells, &r->rounds);
    orr_sim_destroy(self.sim);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    orr_throughputs_destroy(speeds);
    orr_scenario_destroy(scenario);
    return r;
}

void gavel_free(gavel_run *r)
{
    free(r->jobs);
    free(r);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static bool has_ended(const table *t, size_t i)
{
    return !table_has(t, "jct") || table_text(t, i, "jct")[0];
}

static const gavel_job *ours_of(const gavel_run *r, const table *t, size_t i)
{
    const size_t id = (size_t)table_number(t, i, "job_id");
    assert_true(id < r->count);
    return &r->jobs[id];
}

static bool same(const gavel_job *ours, const table *t, size_t i)
{
    return fabs(ours->end - real(table_text(t, i, "end"))) <= 1e-3 && ours->rounds[0] == table_number(t, i, "rounds_v100") &&
           ours->rounds[1] == table_number(t, i, "rounds_p100") && ours->rounds[2] == table_number(t, i, "rounds_k80");
}

/* From when on theirs differs for having dropped a job. */
static double first_drop(const gavel_run *r, const table *expected)
{
    double at = INFINITY;
    for (size_t i = 0; i < expected->count; i++)
        if (!has_ended(expected, i))
            at = fmin(at, ours_of(r, expected, i)->end);
    return at;
}

static void describe(const char *label, const gavel_job *ours, const table *t, size_t i)
{
    printf("%s: job %s ends at %.6f with %u/%u/%u rounds, should at %s with %s/%s/%s\n", label, table_text(t, i, "job_id"),
           ours->end, ours->rounds[0], ours->rounds[1], ours->rounds[2], table_text(t, i, "end"),
           table_text(t, i, "rounds_v100"), table_text(t, i, "rounds_p100"), table_text(t, i, "rounds_k80"));
}

size_t gavel_differ(const char *label, const gavel_run *r, const table *expected)
{
    size_t differ = 0, first = 0;
    const double until = first_drop(r, expected);
    for (size_t i = 0; i < expected->count; i++) {
        const double end = real(table_text(expected, i, "end"));
        if (!has_ended(expected, i) || end > until || same(ours_of(r, expected, i), expected, i))
            continue;
        if (!differ++ || end < real(table_text(expected, first, "end")))
            first = i;
    }
    if (differ)
        describe(label, ours_of(r, expected, first), expected, first);
    return differ;
}

gavel_means gavel_compare(const gavel_run *r, const table *expected, size_t from, size_t to)
{
    gavel_means m = {0};
    for (size_t i = 0; i < expected->count; i++) {
        const size_t id = (size_t)table_number(expected, i, "job_id");
        if (id < from || id >= to || !has_ended(expected, i))
            continue;
        const gavel_job *ours = ours_of(r, expected, i);
        const double end = real(table_text(expected, i, "end"));
        m.jct += ours->end - ours->arrival;
        m.their_jct += end - real(table_text(expected, i, "arrival"));
        m.makespan = fmax(m.makespan, ours->end);
        m.their_makespan = fmax(m.their_makespan, end);
        m.jobs++;
    }
    m.jct /= (double)m.jobs;
    m.their_jct /= (double)m.jobs;
    return m;
}
