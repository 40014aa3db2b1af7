/* A plan for people and for programs. */
#include "study/plan.h"

#include "report/json.h"
#include "study/claim_number.h"
#include <math.h>

/* ---- parts of sentences ---- */

static void add_size(int64_t nodes, int64_t gpus, orr_text *out)
{
    char n[ORR_DOUBLE_BUF], g[ORR_DOUBLE_BUF];
    orr_format_count((uint64_t)nodes, n);
    orr_format_count((uint64_t)gpus, g);
    orr_text_addf(out, "%s node%s, %s GPU%s", n, nodes == 1 ? "" : "s", g, gpus == 1 ? "" : "s");
}

/* What kept a probe from its targets, or what it got: "wait_first.p95 11 m, 3 jobs rejected". */
static void add_values(const orr_plan_ask *ask, const orr_plan_probe *p, orr_text *out)
{
    char shown[ORR_SHOWN_BUF];
    if (p->no_room)
        orr_text_addf(out, "no room for the executors");
    for (size_t i = 0; i < ask->target_count && !p->no_room; i++) {
        const char *metric = ask->targets[i].metric;
        orr_text_addf(out, "%s%s %s", i ? ", " : "", metric,
                      orr_number_show(p->values[i], orr_number_unit(metric), shown));
    }
    if (p->rejected) {
        orr_format_count(p->rejected, shown);
        orr_text_addf(out, ", %s job%s rejected", shown, p->rejected == 1 ? "" : "s");
    }
    orr_text_addf(out, "%s", p->stalled ? ", stalled" : "");
}

static void add_probe(const orr_plan_ask *ask, const char *label, const orr_plan_probe *p, orr_text *out)
{
    orr_text_addf(out, "%-8s ", label);
    add_size(p->nodes, p->gpus, out);
    orr_text_addf(out, ": ");
    add_values(ask, p, out);
    orr_text_addf(out, "\n");
}

static void add_head(const orr_plan *plan, orr_text *out)
{
    const orr_plan_ask *ask = plan->ask;
    char count[ORR_DOUBLE_BUF];
    const size_t n = orr_trace_count(plan->trace);
    orr_format_count(n, count);
    if (orr_case_has_jobs(ask->base)) {
        orr_text_addf(out, "trace    %s    %s job%s\n", orr_trace_name(plan->trace), count, n == 1 ? "" : "s");
        orr_text_addf(out, "policy   %s\n", ask->base->policy);
    }
    if (plan->services) {
        orr_text_addf(out, "services %s    %d of them\n", plan->services->name, plan->services->count);
        orr_text_addf(out, "serve    %s\n", ask->base->serve[0] ? ask->base->serve : "none");
    }
    orr_text_addf(out, "node     %s\n", ask->node);
    for (size_t i = 0; i < ask->target_count; i++)
        orr_text_addf(out, "target   %s\n", ask->targets[i].text);
    orr_text_addf(out, "\n");
}

/* ---- one part ---- */

/* "tried    1- 2- 4+ 8+" */
static void add_tried(const orr_plan_part *part, orr_text *out)
{
    orr_text_addf(out, "tried   ");
    for (size_t i = 0; i < part->probes.n; i++)
        orr_text_addf(out, " %lld%c", (long long)part->probes.at[i].nodes, part->probes.at[i].met ? '+' : '-');
    orr_text_addf(out, "    + enough, - not\n");
}

/* Where a greater cluster was not enough although a smaller one is. */
static void add_exceptions(const orr_plan_part *part, const orr_plan_probe *found, orr_text *out)
{
    const int64_t steady = orr_plan_search_steady(part->search);
    if (steady == found->nodes)
        return;
    orr_text_addf(out, "beware   more is not always enough here: not with");
    for (size_t i = 0; i < part->probes.n; i++)
        if (part->probes.at[i].nodes > found->nodes && !part->probes.at[i].met)
            orr_text_addf(out, " %lld", (long long)part->probes.at[i].nodes);
    if (steady)
        orr_text_addf(out, "; from %lld on all tried are", (long long)steady);
    orr_text_addf(out, "\n");
}

static void tell_part(const orr_plan *plan, const orr_plan_part *part, orr_text *out)
{
    const orr_plan_probe *found = orr_plan_found(part);
    const size_t n = part->probes.n;
    if (!found) {
        orr_text_addf(out, "none     of the %zu sizes tried is enough\n", n);
        add_probe(plan->ask, "largest", &part->probes.at[n - 1], out);
    } else {
        add_probe(plan->ask, "enough", found, out);
        if (found > part->probes.at)
            add_probe(plan->ask, "not", found - 1, out);
        add_exceptions(part, found, out);
    }
    add_tried(part, out);
}

/* ---- the split ---- */

static void split_row(const orr_plan *plan, const orr_plan_part *part, orr_grid *grid)
{
    const orr_plan_probe *found = orr_plan_found(part);
    char buf[ORR_DOUBLE_BUF], nodes[32] = "none", gpus[32] = "-";
    orr_text values = {0};
    orr_format_count(part->trace_jobs, buf);
    orr_grid_cell(grid, part->vc, NULL);
    orr_grid_cell(grid, buf, NULL);
    if (found) {
        orr_format_count((uint64_t)found->nodes, nodes);
        orr_format_count((uint64_t)found->gpus, gpus);
    }
    orr_grid_cell(grid, nodes, NULL);
    orr_grid_cell(grid, gpus, NULL);
    add_values(plan->ask, found ? found : &part->probes.at[part->probes.n - 1], &values);
    if (found && orr_plan_search_steady(part->search) != found->nodes)
        orr_text_addf(&values, "; some greater sizes are not enough");
    orr_grid_cell(grid, values.at, NULL);
    orr_text_fini(&values);
}

static void add_sum(const orr_plan *plan, orr_text *out)
{
    int64_t nodes = 0, gpus = 0;
    size_t without = 0;
    for (size_t i = 0; i < plan->parts.n; i++) {
        const orr_plan_probe *found = orr_plan_found(&plan->parts.at[i]);
        nodes += found ? found->nodes : 0;
        gpus += found ? found->gpus : 0;
        without += !found;
    }
    orr_text_addf(out, "\nin all   ");
    add_size(nodes, gpus, out);
    if (without)
        orr_text_addf(out, "; for %zu of %zu virtual clusters no size tried is enough", without, plan->parts.n);
    orr_text_addf(out, "\n");
}

static void tell_split(const orr_plan *plan, orr_text *out)
{
    orr_grid *grid = orr_grid_create();
    orr_grid_column(grid, "vc", "vc", false);
    orr_grid_column(grid, "jobs", "jobs", true);
    orr_grid_column(grid, "nodes", "nodes", true);
    orr_grid_column(grid, "gpus", "gpus", true);
    orr_grid_column(grid, "there", "there", false);
    for (size_t i = 0; i < plan->parts.n; i++)
        split_row(plan, &plan->parts.at[i], grid);
    orr_grid_print(grid, ORR_TABLE_TEXT, out);
    orr_grid_destroy(grid);
    add_sum(plan, out);
}

void orr_plan_tell(const orr_plan *plan, orr_text *out)
{
    add_head(plan, out);
    if (plan->ask->by_vc)
        tell_split(plan, out);
    else
        tell_part(plan, &plan->parts.at[0], out);
}

/* ---- all probes ---- */

static void probe_row(const orr_plan *plan, const orr_plan_part *part, const orr_plan_probe *p, orr_grid *grid)
{
    char exact[ORR_DOUBLE_BUF], shown[ORR_SHOWN_BUF];
    const double counts[] = {(double)p->nodes, (double)p->gpus};
    if (plan->ask->by_vc)
        orr_grid_cell(grid, part->vc, NULL);
    for (int i = 0; i < 2; i++) {
        orr_format_double(counts[i], exact);
        orr_grid_cell(grid, orr_number_show(counts[i], "count", shown), exact);
    }
    for (size_t i = 0; i < plan->ask->target_count; i++) {
        orr_format_double(p->values[i], exact);
        orr_grid_cell(grid, orr_number_show(p->values[i], orr_number_unit(plan->ask->targets[i].metric), shown),
                      isnan(p->values[i]) ? "" : exact);
    }
    orr_format_double((double)p->rejected, exact);
    orr_grid_cell(grid, orr_number_show((double)p->rejected, "count", shown), exact);
    orr_grid_cell(grid, p->no_room ? "no room" : p->stalled ? "stalled" : "drained", NULL);
    orr_grid_cell(grid, p->met ? "yes" : "no", p->met ? "1" : "0");
}

void orr_plan_table(const orr_plan *plan, orr_table_form form, orr_text *out)
{
    orr_grid *grid = orr_grid_create();
    if (plan->ask->by_vc)
        orr_grid_column(grid, "vc", "vc", false);
    orr_grid_column(grid, "nodes", "nodes", true);
    orr_grid_column(grid, "gpus", "gpus", true);
    for (size_t i = 0; i < plan->ask->target_count; i++)
        orr_grid_column(grid, plan->ask->targets[i].metric, plan->ask->targets[i].metric, true);
    orr_grid_column(grid, "rejected", "rejected", true);
    orr_grid_column(grid, "stop", "stop", false);
    orr_grid_column(grid, "met", "met", false);
    for (size_t i = 0; i < plan->parts.n; i++)
        for (size_t k = 0; k < plan->parts.at[i].probes.n; k++)
            probe_row(plan, &plan->parts.at[i], &plan->parts.at[i].probes.at[k], grid);
    orr_grid_print(grid, form, out);
    orr_grid_destroy(grid);
}

/* ---- JSON ---- */

static cJSON *append(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

static void probe_json(const orr_plan *plan, const orr_plan_probe *p, cJSON *array)
{
    const orr_plan_ask *ask = plan->ask;
    cJSON *object = append(array);
    orr_json_count(object, "nodes", (uint64_t)p->nodes);
    orr_json_count(object, "gpus", (uint64_t)p->gpus);
    cJSON *values = orr_json_array(object, "values");
    for (size_t i = 0; i < ask->target_count; i++) {
        char number[ORR_DOUBLE_BUF];
        orr_format_double(p->values[i], number);
        cJSON_AddItemToArray(values, cJSON_CreateRaw(number));
    }
    orr_json_count(object, "rejected", p->rejected);
    orr_json_bool(object, "stalled", p->stalled);
    if (plan->services)
        orr_json_bool(object, "no_room", p->no_room);
    orr_json_bool(object, "met", p->met);
}

static void nodes_or_null(cJSON *object, const char *key, int64_t nodes)
{
    if (nodes)
        orr_json_count(object, key, (uint64_t)nodes);
    else
        cJSON_AddNullToObject(object, key);
}

static void part_json(const orr_plan *plan, const orr_plan_part *part, cJSON *array)
{
    const orr_plan_probe *found = orr_plan_found(part);
    cJSON *object = append(array);
    orr_json_text(object, "vc", part->vc[0] ? part->vc : NULL);
    orr_json_count(object, "jobs", part->trace_jobs);
    nodes_or_null(object, "nodes", found ? found->nodes : 0);
    nodes_or_null(object, "gpus", found ? found->gpus : 0);
    nodes_or_null(object, "enough_from", orr_plan_search_steady(part->search));
    cJSON *probes = orr_json_array(object, "probes");
    for (size_t i = 0; i < part->probes.n; i++)
        probe_json(plan, &part->probes.at[i], probes);
}

orr_err orr_plan_json(const orr_plan *plan, orr_text *out, orr_error *e)
{
    cJSON *document = cJSON_CreateObject();
    orr_json_text(document, "schema", "orrery.plan/1");
    if (orr_case_has_jobs(plan->ask->base)) {
        orr_json_text(document, "trace", orr_trace_name(plan->trace));
        orr_json_text(document, "policy", plan->ask->base->policy);
    }
    if (plan->services) {
        orr_json_text(document, "services", plan->services->name);
        orr_json_text(document, "serve", plan->ask->base->serve[0] ? plan->ask->base->serve : "none");
    }
    orr_json_text(document, "node", plan->ask->node);
    cJSON *targets = orr_json_array(document, "targets");
    for (size_t i = 0; i < plan->ask->target_count; i++)
        orr_json_item(targets, plan->ask->targets[i].text);
    orr_json_bool(document, "met", orr_plan_met(plan));
    cJSON *parts = orr_json_array(document, "parts");
    for (size_t i = 0; i < plan->parts.n; i++)
        part_json(plan, &plan->parts.at[i], parts);
    return orr_json_print(document, true, out, e);
}
