/* The keys under which every number is known: one table, so that the list, the look-up, the directions and the page
 * can't disagree. */
#include "metrics/keys.h"

#include <stdio.h>
#include <string.h>

/* TYPES: a number for each GPU type. Those of nodes, power and prices are keys of runs whose scenario states them. */
typedef enum shape { DIST, NUMBER, COUNT, TYPES, NODES, WAKES, POWER, PRICE } shape;

/* What it is taken over. */
typedef enum over { RUN, SUBMITTED, RANGE, MEASURED, WINDOW } over;

static const char *const over_names[] = {
    [RUN] = "the run",       [SUBMITTED] = "jobs submitted", [RANGE] = "jobs in range", [MEASURED] = "measured jobs",
    [WINDOW] = "the window",
};

typedef struct row {
    const char *key;
    shape shape;
    size_t offset;
    const char *unit;
    orr_direction better;
    over over;
    const char *formula; /* Markdown, for the table in README.md */
} row;

#define AT(member) offsetof(orr_metrics, member)
#define LOWER ORR_BETTER_LOWER
#define HIGHER ORR_BETTER_HIGHER
#define TARGET ORR_BETTER_TARGET

static const row rows[] = {
    {"measured", COUNT, AT(measured), "count", TARGET, MEASURED, "how many there are; in the summary `measured.n`"},
    {"jobs.submitted", COUNT, AT(jobs.submitted), "count", TARGET, SUBMITTED, "all; the sum of the next six"},
    {"jobs.completed", COUNT, AT(jobs.done), "count", TARGET, SUBMITTED, "that ended done"},
    {"jobs.failed", COUNT, AT(jobs.failed), "count", TARGET, SUBMITTED, "that ended failed"},
    {"jobs.killed", COUNT, AT(jobs.killed), "count", TARGET, SUBMITTED, "that ended killed"},
    {"jobs.rejected", COUNT, AT(jobs.rejected), "count", TARGET, SUBMITTED, "that were refused"},
    {"jobs.running_at_end", COUNT, AT(jobs.running_at_end), "count", TARGET, SUBMITTED, "with GPUs at the stop"},
    {"jobs.queued_at_end", COUNT, AT(jobs.queued_at_end), "count", TARGET, SUBMITTED, "without, and not ended"},
    {"jobs.censored", COUNT, AT(jobs.censored), "count", TARGET, SUBMITTED, "whose recorded duration is a lower bound"},
    {"jobs.carried", COUNT, AT(jobs.carried), "count", TARGET, SUBMITTED, "that came before the origin"},
    {"jct", DIST, AT(jct), "s", LOWER, MEASURED, "C - a"},
    {"wait_first", DIST, AT(wait_first), "s", LOWER, MEASURED, "s - a; those that started"},
    {"wait_total", DIST, AT(wait_total), "s", LOWER, MEASURED, "C - a - time with GPUs"},
    {"service", DIST, AT(service), "gpu*s", TARGET, MEASURED, "integral of the GPUs it held"},
    {"slowdown", DIST, AT(slowdown), "ratio", LOWER, MEASURED, "(C - a) / d; those with d > 0"},
    {"slowdown.geomean", NUMBER, AT(slowdown_geomean), "ratio", LOWER, MEASURED, "geometric mean of the same"},
    {"bsld", DIST, AT(bsld), "ratio", LOWER, MEASURED, "max(1, (C - a) / max(d, 10 s))"},
    {"bsld.geomean", NUMBER, AT(bsld_geomean), "ratio", LOWER, MEASURED, "geometric mean of the same"},
    {"rho:avg_n", DIST, AT(rho), "ratio", LOWER, MEASURED,
     "(C - a) / (d g / min(g, G / N)), N the average number of jobs present: finish-time fairness; short `rho`"},
    {"rho:avg_n.geomean", NUMBER, AT(rho_geomean), "ratio", LOWER, MEASURED, "geometric mean of the same"},
    {"rho_worst", NUMBER, AT(rho.max), "ratio", LOWER, MEASURED, "the greatest `rho:avg_n`"},
    {"rho_unfair", NUMBER, AT(rho_unfair), "ratio", LOWER, MEASURED, "share of them with `rho:avg_n` > 1"},
    {"makespan", NUMBER, AT(makespan), "s", LOWER, MEASURED, "max C - min a"},
    {"window", NUMBER, AT(window), "s", LOWER, WINDOW, "its length T"},
    {"gpus", COUNT, AT(gpus), "count", TARGET, RUN, "G: of the cluster, or of the VC"},
    {"gpu_alloc", NUMBER, AT(gpu_alloc), "ratio", HIGHER, WINDOW,
     "integral of GPUs held / integral of GPUs that there are"},
    {"gpu_busy", NUMBER, AT(gpu_busy), "ratio", HIGHER, WINDOW, "the same, of GPUs whose job progresses"},
    {"gpu_util", NUMBER, AT(gpu_util), "ratio", HIGHER, WINDOW,
     "the same, of GPUs held times the job's recorded utilisation (attribute `gpu_util`, per cent); null unless all "
     "who held GPUs state it"},
    {"frag", NUMBER, AT(frag), "ratio", LOWER, WINDOW,
     "integral of F / integral of free GPUs; F = sum over nodes of free GPUs x share of the trace's jobs that don't "
     "fit them (FGD)"},
    {"frag:node", NUMBER, AT(frag_node), "ratio", LOWER, WINDOW,
     "while gangs wait: free GPUs in nodes that can't host the one that has waited longest / free GPUs"},
    {"frag:rack", NUMBER, AT(frag_rack), "ratio", LOWER, WINDOW, "the same of racks; null with fewer than two"},
    {"load", NUMBER, AT(load), "ratio", TARGET, RANGE, "offered: sum of g d / (G x span of their submissions)"},
    {"load:TYPE", TYPES, 0, "ratio", TARGET, RANGE,
     "the same for each GPU type, where there are several; a job loads the types that it may run on in proportion to "
     "their GPUs"},
    {"queue_len", NUMBER, AT(queue_len), "count", LOWER, WINDOW, "integral of jobs that wait / T"},
    {"queue_gpus", NUMBER, AT(queue_gpus), "count", LOWER, WINDOW, "the same, of the GPUs that they ask"},
    {"age_max", NUMBER, AT(age_max), "s", LOWER, RANGE, "longest wait before a first start, begun or not: starvation"},
    {"jain", NUMBER, AT(jain), "ratio", HIGHER, RANGE, "(sum x)^2 / (n sum x^2), x the GPU·s of a user"},
    {"jain:vc", NUMBER, AT(jain_vc), "ratio", HIGHER, RANGE,
     "the same, x the GPU·s of a VC by its GPUs; null without VCs"},
    {"deadline_met", NUMBER, AT(deadline_met), "ratio", HIGHER, RANGE,
     "done by their deadlines / all with one, rejected and unfinished ones included"},
    {"deadlines", COUNT, AT(deadlines), "count", TARGET, RANGE, "how many have one"},
    {"preemptions", COUNT, AT(preemptions), "count", LOWER, RANGE, "in all"},
    {"preemptions_max", COUNT, AT(preemptions_max), "count", LOWER, RANGE, "of one job at most"},
    {"migrations", COUNT, AT(migrations), "count", LOWER, RANGE, "in all"},
    {"migrations_max", COUNT, AT(migrations_max), "count", LOWER, RANGE, "of one job at most"},
    {"resizes", COUNT, AT(resizes), "count", LOWER, RANGE, "in all"},
    {"resizes_max", COUNT, AT(resizes_max), "count", LOWER, RANGE, "of one job at most"},
    {"restarts", COUNT, AT(restarts), "count", LOWER, RANGE, "starts after the first, in all"},
    {"restarts_max", COUNT, AT(restarts_max), "count", LOWER, RANGE, "of one job at most"},
    {"interruptions", COUNT, AT(interruptions), "count", LOWER, RANGE, "losses of GPUs with a node, in all"},
    {"interruptions_max", COUNT, AT(interruptions_max), "count", LOWER, RANGE, "of one job at most"},
    {"lost_work", NUMBER, AT(lost_work), "gpu*s", LOWER, RANGE, "GPU·s done again after a loss of state"},
    {"overhead", NUMBER, AT(overhead), "gpu*s", LOWER, RANGE, "GPU·s held to start, save, restore or resize"},
    {"nodes_up", NODES, AT(nodes_up), "count", LOWER, WINDOW,
     "integral of nodes that are up or drain / T; with a scenario only"},
    {"node_wakes", WAKES, AT(node_wakes), "count", LOWER, WINDOW, "how often a node was switched on, likewise"},
    {"energy.total", POWER, AT(energy), "J", LOWER, WINDOW,
     "integral of power; the sum of the next four; with a scenario that has `power`"},
    {"energy.idle", POWER, AT(energy_idle), "J", LOWER, WINDOW, "of nodes that are up, and of GPUs that nobody holds"},
    {"energy.active", POWER, AT(energy_active), "J", LOWER, WINDOW, "of GPUs that jobs hold"},
    {"energy.asleep", POWER, AT(energy_asleep), "J", LOWER, WINDOW, "of nodes that sleep"},
    {"energy.transition", POWER, AT(energy_transition), "J", LOWER, WINDOW, "of nodes that are switched on or off"},
    {"cost.total", PRICE, AT(cost), "money", LOWER, WINDOW,
     "integral of the price of all GPUs that are up; null if one has none; with a scenario that has prices"},
    {"cost.held", PRICE, AT(cost_held), "money", LOWER, WINDOW, "the same of GPUs that jobs hold"},
    {"cost.energy", PRICE, AT(cost_energy), "money", LOWER, WINDOW,
     "integral of power x the price of a kWh; null without one or the other"},
};
#define ROWS (sizeof rows / sizeof *rows)

static const struct {
    const char *name;
    size_t offset;
} parts[] = {
    {"mean", offsetof(orr_dist, mean)}, {"p50", offsetof(orr_dist, p50)}, {"p90", offsetof(orr_dist, p90)},
    {"p95", offsetof(orr_dist, p95)},   {"p99", offsetof(orr_dist, p99)}, {"max", offsetof(orr_dist, max)},
    {"sum", offsetof(orr_dist, sum)},
};

static double number_at(const void *base, size_t offset)
{
    double v;
    memcpy(&v, (const char *)base + offset, sizeof v);
    return v;
}

static double count_at(const void *base, size_t offset)
{
    uint64_t v;
    memcpy(&v, (const char *)base + offset, sizeof v);
    return (double)v;
}

typedef void each_fn(void *self, const char *key, double value, const char *unit);

static void each_of_dist(const orr_metrics *m, const row *entry, each_fn *each, void *self)
{
    const orr_dist *dist = (const orr_dist *)(const void *)((const char *)m + entry->offset);
    char key[64];
    snprintf(key, sizeof key, "%s.n", entry->key);
    each(self, key, (double)dist->n, "count");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(key, sizeof key, "%s.%s", entry->key, parts[i].name);
        each(self, key, number_at(dist, parts[i].offset), entry->unit);
    }
}

/* A key that this run has. */
static bool is_told(const orr_metrics *m, const row *entry)
{
    switch (entry->shape) {
    case NODES:
    case WAKES:
        return !m->without_scenario;
    case POWER:
        return !m->without_power;
    case PRICE:
        return !m->without_prices;
    default:
        return true;
    }
}

static void each_of_types(const orr_metrics *m, const row *entry, each_fn *each, void *self)
{
    char key[160];
    for (uint32_t i = 0; i < m->type_load_count; i++) {
        const orr_type_load *type = &m->type_loads[i];
        snprintf(key, sizeof key, "load:%s", type->gpu_type[0] ? type->gpu_type : "(none)");
        each(self, key, type->load, entry->unit);
    }
}

void orr_metrics_each(const orr_metrics *m, void (*each)(void *self, const char *key, double value, const char *unit),
                      void *self)
{
    for (size_t i = 0; i < ROWS; i++) {
        const row *entry = &rows[i];
        if (!is_told(m, entry))
            continue;
        if (entry->shape == DIST)
            each_of_dist(m, entry, each, self);
        else if (entry->shape == TYPES)
            each_of_types(m, entry, each, self);
        else if (entry->shape == COUNT || entry->shape == WAKES)
            each(self, entry->key, count_at(m, entry->offset), entry->unit);
        else
            each(self, entry->key, number_at(m, entry->offset), entry->unit);
    }
}

typedef struct wanted {
    const char *key;
    double value;
    bool found;
} wanted;

static void match(void *self, const char *key, double value, const char *unit)
{
    wanted *w = self;
    (void)unit;
    if (strcmp(key, w->key) != 0)
        return;
    w->value = value;
    w->found = true;
}

/* The name as the table has it. */
static void full_key(const char *key, char *full, size_t size)
{
    bool bare_rho = strncmp(key, "rho.", 4) == 0;
    snprintf(full, size, "%s%s", bare_rho ? "rho:avg_n" : "", bare_rho ? key + 3 : key);
}

bool orr_metrics_get(const orr_metrics *m, const char *key, double *value)
{
    char full[160];
    full_key(key, full, sizeof full);
    wanted w = {.key = full};
    orr_metrics_each(m, match, &w);
    if (w.found)
        *value = w.value;
    return w.found;
}

/* ---- directions ---- */

const char *orr_direction_name(orr_direction direction)
{
    return direction == LOWER ? "lower" : direction == HIGHER ? "higher" : "target";
}

/* "jct.p99" is a part of the row "jct"; how many jobs a distribution covers is nothing to be made smaller. */
static bool is_part_of(const char *key, const row *entry)
{
    size_t n = strlen(entry->key);
    return entry->shape == DIST && strncmp(key, entry->key, n) == 0 && key[n] == '.' && strcmp(key + n, ".n") != 0;
}

orr_direction orr_metric_direction(const char *key)
{
    char full[160];
    full_key(key, full, sizeof full);
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].key, full) == 0 || is_part_of(full, &rows[i]))
            return rows[i].better;
    return TARGET;
}

/* ---- the page ---- */

void orr_metric_keys_markdown(orr_text *out)
{
    orr_text_addf(out, "| key | unit | better | over | formula |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        orr_text_addf(out, "| `%s%s` | %s | %s | %s | %s |\n", r->key, r->shape == DIST ? ".*" : "", r->unit,
                      orr_direction_name(r->better), over_names[r->over], r->formula);
    }
}
