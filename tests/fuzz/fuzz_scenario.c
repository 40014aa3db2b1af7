/* Bytes as a scenario file, and as the tables that one may name. What is accepted must hold what the header promises,
 * and a small simulation takes it or refuses it by name; the first instants of it are run. */
#include "base/io.h"
#include "config/scenario_keys.h"

#include <orrery/orrery.h>

#include <stdlib.h>
#include <string.h>

#define MAX_INPUT 8192

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(const orr_scenario *s)
{
    must(s->sleep_time >= 0 && s->wake_time >= 0);
    for (size_t i = 0; i < s->incident_count; i++) {
        const orr_incident *in = &s->incidents[i];
        must(in->at >= 0 && in->at < ORR_TIME_MAX && in->kind < ORR_INCIDENT_KINDS && in->notice >= 0);
        must(in->lasts == ORR_TIME_NONE || in->lasts >= 0);
        must(in->kind != ORR_INCIDENT_PRICE || in->price >= 0);
        must(in->which.vc && in->which.type && in->which.rack && in->job && in->type && in->said.file);
    }
    for (size_t i = 0; i < s->failure_count; i++)
        must(s->failures[i].mtbf >= ORR_SECOND && s->failures[i].mttr >= 0 && s->failures[i].shape >= 0.1);
}

static void simulate(const orr_scenario *s)
{
    static orr_trace *trace;
    static orr_cluster_spec *cluster;
    orr_error e = {0};
    if (!trace) { /* once, for all inputs; never changed */
        orr_trace_job job = orr_trace_job_default();
        job.id = "j1";
        job.gpus = job.min_gpus = job.max_gpus = 6;
        job.duration = 100 * ORR_SECOND;
        trace = orr_trace_create("fuzz");
        must(!orr_trace_add(trace, &job, &e) && !orr_trace_finish(trace, &e));
        cluster =
            orr_cluster_spec_load("nodes=3,gpus=4,type=V100,racks=2", &(orr_cluster_options){.preset_dir = ""}, &e);
    }
    orr_sim_options options = orr_sim_options_default();
    options.scenario = s;
    options.max_events = 2000;
    orr_sim *sim = orr_sim_create(trace, cluster, &options, NULL, &e);
    must((sim != NULL) == (e.code == 0));
    if (sim) {
        orr_err err = orr_sim_run(sim, &e);
        must(!err || err == ORR_E_STALLED);
    }
    orr_sim_destroy(sim);
}

static void as_file(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_scenario *s = orr_scenario_read(in, "", &e);
    must((s != NULL) == (e.code == 0));
    if (s) {
        check(s);
        simulate(s);
    }
    orr_scenario_destroy(s);
    orr_input_close(in);
}

static void as_table(const uint8_t *data, size_t size, orr_err (*read)(orr_scenario *, orr_input *, orr_error *))
{
    orr_error e = {0};
    orr_scenario *s = orr_scenario_create("fuzz");
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_err err = read(s, in, &e);
    must(err == e.code);
    check(s);
    if (!err)
        simulate(s);
    orr_scenario_destroy(s);
    orr_input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    as_file(data, size);
    as_table(data, size, orr_scenario_read_recorded);
    as_table(data, size, orr_scenario_read_prices);
    return 0;
}
