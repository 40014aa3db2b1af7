#include "study/sweep_inputs.h"

#include "model/costs.h"
#include "model/interference.h"
#include "model/net.h"
#include "sim/sim.h"

/* ---- values that are wrong whatever they are run on ---- */

/* One job on one node: enough to find out whether a policy's name and knobs are right. */
typedef struct probe {
    const orr_registry *registry;
    orr_trace *trace;
    orr_cluster_spec *cluster;
} probe;

static orr_err probe_make(probe *p, const orr_registry *registry, orr_error *e)
{
    orr_trace_job job = orr_trace_job_default();
    orr_node_spec node = orr_node_spec_default();
    *p = (probe){registry, orr_trace_create("probe"), orr_cluster_spec_create("probe")};
    job.duration = ORR_SECOND;
    orr_err err = orr_trace_add(p->trace, &job, e);
    if (!err)
        err = orr_trace_finish(p->trace, e);
    return err ? err : orr_cluster_spec_add(p->cluster, &node, 1, e);
}

static void probe_fini(probe *p)
{
    orr_trace_destroy(p->trace);
    orr_cluster_spec_destroy(p->cluster);
}

static bool is_wrong_word(orr_err code)
{
    return code == ORR_E_UNKNOWN_POLICY || code == ORR_E_UNKNOWN_PRESET || code == ORR_E_UNKNOWN_KNOB ||
           code == ORR_E_BAD_VALUE || code == ORR_E_CONFLICT;
}

/* `spec` is about jobs, or where `serves` about services: of none, so that only its words can be wrong. */
static orr_err check_spec(const probe *p, const char *spec, bool serves, orr_error *e)
{
    static const orr_services nobody = {.name = "probe", .path = "", .digest = ""};
    orr_error own = {0};
    orr_sim_options options = orr_sim_options_default();
    options.registry = p->registry;
    options.policy = serves ? NULL : spec;
    options.serve = serves && strcmp(spec, "none") != 0 ? spec : NULL;
    options.services = serves ? &nobody : NULL;
    orr_sim *sim = orr_sim_create(p->trace, p->cluster, &options, NULL, &own);
    orr_sim_destroy(sim);
    if (sim || !is_wrong_word(own.code))
        return ORR_OK;
    if (e)
        *e = own;
    return own.code;
}

static orr_err check_one(const probe *p, const char *key, const char *text, orr_error *e)
{
    orr_costs costs;
    orr_interference interference;
    orr_net_model net;
    orr_time round, tick;
    orr_measure measure;
    if (!*text)
        return ORR_OK;
    if (strcmp(key, "policy") == 0)
        return check_spec(p, text, false, e);
    if (strcmp(key, "serve") == 0)
        return check_spec(p, text, true, e);
    if (strcmp(key, "costs") == 0)
        return orr_costs_parse(text, &costs, e);
    if (strcmp(key, "interference") == 0)
        return orr_interference_parse(text, &interference, e);
    if (strcmp(key, "net") == 0)
        return orr_net_parse(text, &net, e);
    if (strcmp(key, "clock") == 0)
        return orr_sim_parse_clock(text, &round, &tick, e);
    if (strcmp(key, "measure") == 0)
        return orr_measure_parse(text, &measure, e);
    return ORR_OK;
}

static orr_err check_value(const orr_sweep_plan *plan, const probe *p, const char *key, const char *text,
                           const orr_yaml *at, orr_error *e)
{
    const orr_err err = check_one(p, key, text, e);
    if (!err)
        return ORR_OK;
    if (e && !*e->text)
        orr_error_text(e, text, strlen(text));
    orr_error_at(e, plan->doc.file, at->line, at->column);
    return err;
}

static orr_err check_all(const orr_sweep_plan *plan, const probe *p, orr_error *e)
{
    orr_err err = ORR_OK;
    for (const orr_yaml *v = plan->base ? plan->base->first : NULL; v && !err; v = v->next)
        if (v->kind == ORR_YAML_SCALAR)
            err = check_value(plan, p, v->key, v->text, v, e);
    for (size_t i = 0; i < plan->axes.n && !err; i++) {
        const orr_axis *axis = &plan->axes.at[i];
        for (size_t k = 0; k < axis->values.n && !err; k++)
            err = check_value(plan, p, axis->key, axis->values.at[k].text, axis->values.at[k].at, e);
    }
    return err;
}

orr_err orr_sweep_check(const orr_sweep_plan *plan, const orr_registry *registry, orr_error *e)
{
    probe p;
    orr_err err = probe_make(&p, registry, e);
    if (!err)
        err = check_all(plan, &p, e);
    probe_fini(&p);
    return err;
}

/* ---- inputs ---- */

/* Is there a random part of a trace, or a random trace? Then the seed decides which. */
static bool samples(const orr_sweep_plan *plan)
{
    return plan->synth || orr_sweep_axis(plan, "sample") < plan->axes.n ||
           (plan->base && orr_yaml_member(plan->base, "sample"));
}

/* Keys that decide how something is run, and not what is read. */
static bool is_about_running(const orr_sweep_plan *plan, const char *key)
{
    static const char *const keys[] = {"policy", "serve", "costs", "interference", "net", "clock", "measure", "know",
                                       "on-violation", "until", "max-events", "ignore-vcs", "unknown-vc"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return strcmp(key, "seed") == 0 && !samples(plan);
}

static void note_trace(orr_sweep_inputs *inputs, const orr_trace *trace)
{
    const orr_trace_input *files;
    const size_t n = orr_trace_inputs(trace, &files);
    for (size_t i = 0; i < n; i++)
        orr_sweep_inputs_add(inputs, files[i].path, files[i].digest);
}

static orr_err note_profiles(orr_sweep_inputs *inputs, const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_profiles *profiles = NULL;
    const orr_err err = orr_stock_profiles(stock, c, &profiles, e);
    if (profiles)
        orr_sweep_inputs_add(inputs, c->profiles, orr_profiles_digest(profiles));
    return err;
}

static orr_err note_throughputs(orr_sweep_inputs *inputs, const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_throughputs *table = NULL;
    const orr_err err = orr_stock_throughputs(stock, c, &table, e);
    if (table)
        orr_sweep_inputs_add(inputs, orr_throughputs_name(table), orr_throughputs_digest(table));
    return err;
}

static orr_err note_applications(orr_sweep_inputs *inputs, const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_applications *applications = NULL;
    const orr_err err = orr_stock_applications(stock, c, &applications, e);
    if (applications)
        orr_sweep_inputs_add(inputs, orr_applications_name(applications), orr_applications_digest(applications));
    return err;
}

static orr_err note_scenario(orr_sweep_inputs *inputs, const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_scenario *scenario = NULL;
    const orr_err err = orr_stock_scenario(stock, c, &scenario, e);
    if (scenario)
        orr_sweep_inputs_add(inputs, c->scenario, scenario->digest);
    return err;
}

static orr_err note_services(orr_sweep_inputs *inputs, const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_services *services = NULL;
    const orr_err err = orr_stock_services(stock, c, &services, e);
    if (services)
        orr_sweep_inputs_add(inputs, c->services, services->digest);
    return err;
}

/* Seeds whose workloads the stock has. */
typedef ORR_VEC(uint64_t) seeds;

/* Draws the workload of a case, unless its seed was among the first ones, for which that was done. */
static orr_err draw(const orr_sweep_plan *plan, const orr_case *c, orr_stock *stock, seeds *drawn, orr_error *e)
{
    for (size_t i = 0; i < drawn->n; i++)
        if (drawn->at[i] == c->seed)
            return ORR_OK;
    orr_trace *trace = orr_claim_synth_draw(&plan->drawn, c->seed, e);
    if (!trace)
        return e->code;
    orr_stock_keep(stock, c, trace);
    ORR_VEC_PUSH(drawn, c->seed);
    return ORR_OK;
}

static orr_err load(const orr_sweep_plan *plan, const uint32_t *at, orr_stock *stock, seeds *drawn,
                    orr_sweep_inputs *inputs, orr_error *e)
{
    orr_arena arena = {0};
    orr_case c;
    orr_err err = orr_sweep_case(plan, at, &arena, &c, e);
    if (!err && plan->synth)
        err = draw(plan, &c, stock, drawn, e);
    const orr_trace *trace = err ? NULL : orr_stock_trace(stock, &c, e);
    const orr_cluster_spec *cluster = trace ? orr_stock_cluster(stock, &c, e) : NULL;
    if (cluster) {
        note_trace(inputs, trace);
        orr_sweep_inputs_add(inputs, c.cluster ? c.cluster : "", orr_cluster_spec_digest(cluster));
        err = note_profiles(inputs, &c, stock, e);
        err = err ? err : note_throughputs(inputs, &c, stock, e);
        err = err ? err : note_applications(inputs, &c, stock, e);
        err = err ? err : note_scenario(inputs, &c, stock, e);
        err = err ? err : note_services(inputs, &c, stock, e);
    } else if (!err) {
        err = e->code;
    }
    orr_arena_fini(&arena);
    return err;
}

/* The number of the combination of the axes that decide what is read. */
static size_t reading_of(const orr_sweep_plan *plan, const uint32_t *at)
{
    size_t number = 0;
    for (size_t i = 0; i < plan->axes.n; i++)
        if (!is_about_running(plan, plan->axes.at[i].key))
            number = number * plan->axes.at[i].values.n + at[i];
    return number;
}

static orr_err load_all(const orr_sweep_plan *plan, orr_stock *stock, size_t only, orr_sweep_inputs *inputs,
                        orr_error *e)
{
    orr_err err = ORR_OK;
    seeds drawn = {0};
    bool *seen = orr_xcalloc(plan->combinations + 1, sizeof *seen);
    for (size_t cell = only ? only : 1; cell <= (only ? only : plan->cells) && !err; cell++) {
        uint32_t at[ORR_SWEEP_AXES];
        orr_sweep_cell(plan, cell, at);
        const size_t reading = reading_of(plan, at);
        if (!seen[reading])
            err = load(plan, at, stock, &drawn, inputs, e);
        seen[reading] = true;
    }
    free(seen);
    ORR_VEC_FREE(&drawn);
    return err;
}

orr_err orr_sweep_load(const orr_sweep_plan *plan, orr_stock *stock, size_t cell, orr_sweep_inputs *inputs,
                       orr_error *e)
{
    orr_error own = {0};
    const orr_err err = load_all(plan, stock, cell, inputs, &own);
    orr_stock_trim(stock);
    if (err && e)
        *e = own;
    return err;
}
