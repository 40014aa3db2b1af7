/* Bytes as the texts of a command line: a policy with its settings, costs, a clock. The first line is the policy, the second the
 * costs, the third the clock. What is accepted must come back the same from its resolved form; what isn't must say why. */
#include "model/costs.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void refusal(orr_err err, const orr_error *e)
{
    char text[4096];
    must(err == e->code && e->message[0]);
    must(orr_error_format(e, text, sizeof text) > 0 && orr_err_exit_status(err) >= 64);
}

static void as_costs(const char *text)
{
    char once[512], twice[512];
    orr_costs costs, again;
    orr_error e = {0};
    orr_err err = orr_costs_parse(text, &costs, &e);
    if (err) {
        refusal(err, &e);
        return;
    }
    orr_costs_format(&costs, once, sizeof once);
    must(orr_costs_parse(once, &again, NULL) == ORR_OK);
    orr_costs_format(&again, twice, sizeof twice);
    must(strcmp(once, twice) == 0);
    for (int32_t gpus = 0; gpus < 20; gpus++)
        must(orr_cost_of(&costs.restore, gpus) >= 0 && orr_cost_of(&costs.restore, gpus) == orr_cost_of(&again.restore, gpus));
}

static void as_clock(const char *text)
{
    orr_time round, tick;
    orr_error e = {0};
    orr_err err = orr_sim_parse_clock(text, &round, &tick, &e);
    if (err)
        refusal(err, &e);
    else
        must(round >= 0 && tick >= 0 && !(round && tick));
}

static orr_sim *simulate(const orr_trace *trace, const orr_cluster_spec *cluster, const char *policy, orr_error *e)
{
    orr_sim_options o = orr_sim_options_default();
    o.policy = policy;
    o.max_events = 200;
    return orr_sim_create(trace, cluster, &o, NULL, e);
}

/* Files are out of reach: what could be a path of samples is left alone. */
static void as_policy(const char *text)
{
    if (strstr(text, "samples"))
        return;
    orr_error e = {0};
    orr_trace *trace = orr_trace_create("fuzz");
    for (int i = 0; i < 3; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.submit = i * ORR_SECOND;
        job.duration = 5 * ORR_SECOND;
        job.deadline = job.limit = 20 * ORR_SECOND;
        must(orr_trace_add(trace, &job, NULL) == ORR_OK);
    }
    must(orr_trace_finish(trace, NULL) == ORR_OK);
    orr_cluster_spec *cluster = orr_cluster_spec_load("nodes=1,gpus=2", NULL, NULL);
    orr_sim *sim = simulate(trace, cluster, text, &e);
    if (!sim) {
        refusal(e.code, &e);
    } else {
        const char *resolved = orr_sim_policy_resolved(sim);
        orr_sim *again = simulate(trace, cluster, resolved, NULL);
        must(again && strcmp(orr_sim_policy_resolved(again), resolved) == 0);
        orr_err err = orr_sim_run(sim, &e);
        must(err == e.code && err != ORR_E_INVARIANT);
        orr_sim_destroy(again);
    }
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void (*const doors[])(const char *) = {as_policy, as_costs, as_clock};
    char text[1024];
    size_t n = size < sizeof text ? size : sizeof text - 1;
    if (n)
        memcpy(text, data, n);
    text[n] = '\0';
    char *line = text;
    for (int i = 0; i < 3 && line; i++) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        doors[i](line);
        line = end;
    }
    return 0;
}
