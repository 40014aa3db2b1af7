/* The keys under which every number is known: one table, so that the list, the look-up, the directions and the page
 * can't disagree. */
#include "metrics/keys.h"

#include <stdio.h>
#include <string.h>

/* TYPES: a number for each GPU type. Those of nodes, power and prices are keys of runs whose scenario states them;
 * APPS, a distribution, and STOPS of runs whose trace has trial groups. */
typedef enum shape { DIST, NUMBER, COUNT, TYPES, NODES, WAKES, POWER, PRICE, APPS, STOPS } shape;

/* What it is taken over. */
typedef enum over { RUN, SUBMITTED, RANGE, MEASURED, WINDOW, OF_APPS, ARRIVED, ANSWERED, SERVED } over;

static const char *const over_names[] = {
    [RUN] = "the run",       [SUBMITTED] = "jobs submitted", [RANGE] = "jobs in range", [MEASURED] = "measured jobs",
    [WINDOW] = "the window", [OF_APPS] = "apps",         [ARRIVED] = "requests that arrived",
    [ANSWERED] = "answers",  [SERVED] = "the serving window",
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
#define SV(member) (offsetof(orr_metrics, serving) + offsetof(orr_serving_metrics, member))
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
    {"app.jct", APPS, AT(app_jct), "s", LOWER, OF_APPS,
     "last end - first submission of the jobs of a group; a job without one is an app of its own; of traces with groups"},
    {"rho:app", APPS, AT(app_rho), "ratio", LOWER, OF_APPS,
     "(last end - first submission) / (max(longest d, sum of d g / G) N), N the average number of apps present: Themis' "
     "finish-time fairness"},
    {"early_stops", STOPS, AT(early_stops), "count", TARGET, RANGE,
     "that the scenario's `early_stop` ended; of traces with groups"},
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
    {"ltgf:vc", NUMBER, AT(ltgf_vc), "ratio", LOWER, WINDOW,
     "greatest / least over VCs of integral of GPUs held / integral of GPUs due, which are G by water filling: in "
     "proportion to a VC's GPUs, no more than its jobs hold and wait for (Astraea); null without VCs"},
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
    {"requests.arrived", COUNT, SV(arrived), "count", TARGET, ARRIVED,
     "measured ones, after the services' `warm_up`; answered, dropped or in flight; with services only, as all that follow"},
    {"requests.answered", COUNT, SV(answered), "count", HIGHER, ARRIVED, "late ones, too"},
    {"requests.late", COUNT, SV(late), "count", LOWER, ARRIVED, "answered after their deadline"},
    {"requests.in_flight", COUNT, SV(in_flight), "count", LOWER, ARRIVED, "at the stop"},
    {"requests.dropped", COUNT, SV(dropped), "count", LOWER, ARRIVED, "the sum of the next six"},
    {"requests.refused", COUNT, SV(refused), "count", LOWER, ARRIVED, "dropped at the door"},
    {"requests.full", COUNT, SV(full), "count", LOWER, ARRIVED, "dropped because of the queue's bound"},
    {"requests.shed", COUNT, SV(shed), "count", LOWER, ARRIVED, "dropped while they waited"},
    {"requests.expired", COUNT, SV(expired), "count", LOWER, ARRIVED, "dropped when a batch was formed"},
    {"requests.timeout", COUNT, SV(timeout), "count", LOWER, ARRIVED, "whose client left"},
    {"requests.lost", COUNT, SV(lost), "count", LOWER, ARRIVED, "whose batch was lost, or that nothing was left to serve"},
    {"requests.warm_up", COUNT, SV(warm_up), "count", TARGET, RUN, "came before `warm_up` had passed: not measured"},
    {"slo_attain", NUMBER, SV(slo_attain), "ratio", HIGHER, ARRIVED, "answered in time / all that arrived"},
    {"goodput_serve", NUMBER, SV(goodput), "1/s", HIGHER, SERVED, "answered in time / T"},
    {"latency", DIST, SV(latency), "s", LOWER, ANSWERED, "answer - arrival; also called `e2e`"},
    {"latency.p999", NUMBER, SV(latency_p999), "s", LOWER, ANSWERED, "of the same"},
    {"latency_all", DIST, SV(latency_all), "s", LOWER, ARRIVED,
     "the same of all that were answered or dropped, the latter longer than any: null where it falls among them"},
    {"latency_all.p999", NUMBER, SV(latency_all_p999), "s", LOWER, ARRIVED, "of the same"},
    {"wait", DIST, SV(wait), "s", LOWER, ANSWERED, "start of the batch - arrival"},
    {"ttft", DIST, SV(ttft), "s", LOWER, ANSWERED, "first token - arrival; of services that produce tokens"},
    {"tpot", DIST, SV(tpot), "s", LOWER, ANSWERED, "(answer - first token) / (tokens - 1), likewise"},
    {"tput_req", NUMBER, SV(tput_req), "1/s", HIGHER, SERVED, "answers / T"},
    {"tput_tok", NUMBER, SV(tput_tok), "1/s", HIGHER, SERVED, "tokens produced / T"},
    {"batches", COUNT, SV(batches), "count", TARGET, ANSWERED, "how many ran"},
    {"batch_mean", NUMBER, SV(batch_mean), "count", TARGET, ANSWERED, "requests a batch"},
    {"cache_hits", COUNT, SV(hits), "count", HIGHER, ANSWERED, "answered by the result cache"},
    {"remote_calls", COUNT, SV(remote), "count", LOWER, ANSWERED, "bought by the call"},
    {"accuracy", NUMBER, SV(accuracy), "ratio", HIGHER, ANSWERED,
     "mean of the variants that answered; null unless all of them state it"},
    {"correct", NUMBER, SV(correct), "ratio", HIGHER, ANSWERED, "share of those whose correctness is known"},
    {"queue_len:serve", NUMBER, SV(queue_len), "count", LOWER, SERVED, "sum of waits / T (Little's law)"},
    {"exec_busy", NUMBER, SV(exec_busy), "ratio", TARGET, SERVED, "share of the executors' slot-time in which batches ran"},
    {"exec_gpu_hours", NUMBER, SV(gpu_hours), "gpu*h", LOWER, SERVED, "that executors held, the whole run"},
    {"cost.serve", NUMBER, SV(cost), "money", LOWER, SERVED,
     "of executors at the prices of their markets, and of remote calls; null where nothing has a price"},
    {"requests.cold", COUNT, SV(cold), "count", LOWER, ANSWERED,
     "by an executor to which the weights came after the request; with a store of weights only, as the next three"},
    {"weight_loads", COUNT, SV(loads), "count", LOWER, RUN, "weights that were loaded, those of new replicas, too"},
    {"weight_evictions", COUNT, SV(evictions), "count", LOWER, RUN, "weights that were put out"},
    {"channel_busy", NUMBER, SV(channel_busy), "ratio", TARGET, RUN, "part of their time in which channels load"},
    {"loans", COUNT, SV(loans), "count", TARGET, RUN, "nodes lent to jobs; where nodes belong to serving only, as the next two"},
    {"loan_interrupts", COUNT, SV(loans_interrupted), "count", LOWER, RUN, "jobs that were on a lent node when it was due"},
    {"loan_time", NUMBER, SV(lent), "s", TARGET, RUN, "that nodes were lent, node-seconds"},
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

static bool is_of_serving(const row *entry)
{
    return entry->offset >= AT(serving) && entry->offset < AT(serving) + sizeof(orr_serving_metrics);
}

static bool is_of_weights(const row *entry)
{
    return entry->offset >= SV(cold) && entry->offset <= SV(channel_busy);
}

static bool is_of_loans(const row *entry)
{
    return entry->offset >= SV(loans) && entry->offset <= SV(lent);
}

/* The scenario has nothing that it could tell of. */
static bool is_missing(const orr_serving_metrics *m, const row *entry)
{
    return (m->without_weights && is_of_weights(entry)) || (m->without_nodes && is_of_loans(entry));
}

/* Nothing of it is about jobs. */
static bool is_of_run(const row *entry)
{
    const bool nodes = entry->shape == NODES || entry->shape == WAKES || entry->shape == POWER || entry->shape == PRICE;
    return nodes || entry->offset == AT(gpus) || entry->offset == AT(window);
}

/* A key that this run has. */
static bool is_told(const orr_metrics *m, const row *entry)
{
    if (is_of_serving(entry))
        return !m->without_serving && !is_missing(&m->serving, entry);
    if (m->without_jobs && !is_of_run(entry))
        return false;
    switch (entry->shape) {
    case NODES:
    case WAKES:
        return !m->without_scenario;
    case POWER:
        return !m->without_power;
    case PRICE:
        return !m->without_prices;
    case APPS:
    case STOPS:
        return !m->without_apps;
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

static void each_of(const orr_metrics *m, const row *entry, each_fn *each, void *self)
{
    if (entry->shape == DIST || entry->shape == APPS)
        each_of_dist(m, entry, each, self);
    else if (entry->shape == TYPES)
        each_of_types(m, entry, each, self);
    else if (entry->shape == COUNT || entry->shape == WAKES || entry->shape == STOPS)
        each(self, entry->key, count_at(m, entry->offset), entry->unit);
    else
        each(self, entry->key, number_at(m, entry->offset), entry->unit);
}

void orr_metrics_each(const orr_metrics *m, void (*each)(void *self, const char *key, double value, const char *unit),
                      void *self)
{
    for (size_t i = 0; i < ROWS; i++)
        if (is_told(m, &rows[i]))
            each_of(m, &rows[i], each, self);
}

/* Executors serve several: what they do is no number of one service. */
static bool is_of_executors(const row *entry)
{
    return entry->offset == SV(exec_busy) || entry->offset == SV(gpu_hours) || entry->offset == SV(cost) ||
           entry->offset == SV(channel_busy) || is_of_loans(entry);
}

void orr_serving_metrics_each(const orr_serving_metrics *m,
                              void (*each)(void *self, const char *key, double value, const char *unit), void *self)
{
    const orr_metrics whole = {.serving = *m};
    for (size_t i = 0; i < ROWS; i++)
        if (is_of_serving(&rows[i]) && !(m->of_one && is_of_executors(&rows[i])) && !is_missing(m, &rows[i]))
            each_of(&whole, &rows[i], each, self);
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

void orr_metric_full(const char *key, char *full, size_t size)
{
    static const char *const others[][2] = {{"rho.", "rho:avg_n."}, {"e2e.", "latency."}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(key, others[i][0], 4) == 0) {
            snprintf(full, size, "%s%s", others[i][1], key + 4);
            return;
        }
    snprintf(full, size, "%s", key);
}

bool orr_metrics_get(const orr_metrics *m, const char *key, double *value)
{
    char full[160];
    orr_metric_full(key, full, sizeof full);
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
    return (entry->shape == DIST || entry->shape == APPS) && strncmp(key, entry->key, n) == 0 && key[n] == '.' && strcmp(key + n, ".n") != 0;
}

orr_direction orr_metric_direction(const char *key)
{
    char full[160];
    orr_metric_full(key, full, sizeof full);
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].key, full) == 0 || is_part_of(full, &rows[i]))
            return rows[i].better;
    return TARGET;
}

bool orr_metric_is_served(const char *key)
{
    for (size_t i = 0; i < ROWS; i++) {
        const size_t n = strlen(rows[i].key);
        if (!is_of_serving(&rows[i]) || strncmp(key, rows[i].key, n) != 0)
            continue;
        if (!key[n] || (rows[i].shape == DIST && key[n] == '.'))
            return true;
    }
    return false;
}

/* ---- the page ---- */

void orr_metric_keys_markdown(orr_text *out)
{
    orr_text_addf(out, "| key | unit | better | over | formula |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        orr_text_addf(out, "| `%s%s` | %s | %s | %s | %s |\n", r->key, r->shape == DIST || r->shape == APPS ? ".*" : "", r->unit,
                      orr_direction_name(r->better), over_names[r->over], r->formula);
    }
}
