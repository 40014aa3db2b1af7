/* From what a scenario says to what happens to which node when. */
#include "sim/sim.h"

#include "base/rng.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Looks names up; node i has id i. */
typedef struct resolver {
    orr_sim *sim;
    const orr_cluster_spec *spec;
    orr_names *nodes;
    ORR_VEC(int32_t) found;
    orr_error *e;
} resolver;

static orr_err bad(const resolver *r, orr_said said, const char *fmt, const char *what)
{
    orr_error_set(r->e, ORR_E_BAD_SCENARIO, fmt, what);
    if (said.file && said.file[0])
        orr_error_at(r->e, said.file, said.line, said.column);
    if (what[0])
        orr_error_text(r->e, what, strlen(what));
    return ORR_E_BAD_SCENARIO;
}

/* ---- which nodes ------------------------------------------------------------------------------------------------- */

static bool is(const char *wanted, const char *text)
{
    return !wanted || !wanted[0] || strcmp(wanted, text) == 0;
}

static void take(resolver *r, const orr_which *which, int64_t node)
{
    const orr_node_spec *n = orr_cluster_spec_node(r->spec, (int32_t)node);
    bool enough = which->count && (int64_t)r->found.n >= which->count;
    if (!enough && is(which->vc, n->vc) && is(which->type, n->gpu_type) && is(which->rack, n->rack))
        ORR_VEC_PUSH(&r->found, (int32_t)node);
}

/* "A" or "A..B"; false: there is no such node. */
static bool take_named(resolver *r, const orr_which *which, const char *name)
{
    const char *dots = strstr(name, "..");
    int64_t from = orr_names_find(r->nodes, name, strlen(name)), to = from;
    if (from < 0 && dots) {
        from = orr_names_find(r->nodes, name, (size_t)(dots - name));
        to = orr_names_find(r->nodes, dots + 2, strlen(dots + 2));
    }
    for (int64_t i = from; from >= 0 && i <= to; i++)
        take(r, which, i);
    return from >= 0 && to >= from;
}

static int by_index(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void sort_found(resolver *r)
{
    size_t n = 0;
    if (r->found.n)
        qsort(r->found.at, r->found.n, sizeof *r->found.at, by_index);
    for (size_t i = 0; i < r->found.n; i++)
        if (i == 0 || r->found.at[i] != r->found.at[n - 1])
            r->found.at[n++] = r->found.at[i];
    r->found.n = n;
}

static orr_err find_nodes(resolver *r, const orr_which *which, orr_said said)
{
    r->found.n = 0;
    for (size_t i = 0; i < which->name_count; i++)
        if (!take_named(r, which, which->names[i]))
            return bad(r, said, "the cluster has no node '%.80s'", which->names[i]);
    for (int32_t i = 0; !which->names && i < orr_cluster_spec_nodes(r->spec); i++)
        take(r, which, i);
    sort_found(r);
    if (r->found.n)
        return ORR_OK;
    return bad(r, said, "no node of the cluster is meant here%s", "");
}

/* ---- incidents --------------------------------------------------------------------------------------------------- */

static void add(resolver *r, orr_time at, orr_happening_kind kind, int32_t node, uint64_t gpus)
{
    ORR_VEC_PUSH(&r->sim->capacity.list, ((orr_happening){.at = at, .kind = kind, .node = node, .gpus = gpus}));
}

static void add_notice(resolver *r, const orr_incident *in, int32_t node, orr_time due)
{
    orr_time at = due - in->notice;
    if (in->notice)
        ORR_VEC_PUSH(&r->sim->capacity.list,
                     ((orr_happening){.at = at < 0 ? 0 : at, .kind = ORR_HAPPENS_NOTICE, .node = node, .due = due}));
}

static void add_clock(resolver *r, orr_time at, int32_t node, int32_t point)
{
    ORR_VEC_PUSH(&r->sim->capacity.list,
                 ((orr_happening){.at = at, .kind = ORR_HAPPENS_CLOCK, .node = node, .count = point}));
}

/* The clock is set at `at`, and the full one after that. */
static orr_err add_clock_of_node(resolver *r, const orr_incident *in, int32_t node)
{
    const orr_capacity *c = &r->sim->capacity;
    const orr_node *n = &r->sim->world.real->nodes[node];
    const int32_t point = c->clocks && n->spec->gpus ? orr_clocks_find(&c->clocks[orr_lowest_bit(n->type)], in->clock)
                                                     : in->clock == 1 ? 0 : -1;
    if (point < 0) {
        orr_err err = bad(r, in->said, "GPUs of type '%.80s' have no such clock", n->spec->gpu_type);
        orr_error_hint(r->e, "state it under power.clocks: {type: %.40s, clock: 0.7}", n->spec->gpu_type);
        return err;
    }
    add_clock(r, in->at, node, point);
    if (in->lasts != ORR_TIME_NONE)
        add_clock(r, orr_time_add(in->at, in->lasts), node, 0);
    return ORR_OK;
}

static void add_of_node(resolver *r, const orr_incident *in, int32_t node)
{
    bool ends = in->lasts != ORR_TIME_NONE;
    orr_time end = ends ? orr_time_add(in->at, in->lasts) : ORR_TIME_MAX;
    uint64_t gpus = in->gpus;
    switch (in->kind) {
    case ORR_INCIDENT_UP:
        add(r, in->at, ORR_HAPPENS_UP, node, gpus);
        return;
    case ORR_INCIDENT_RESUME:
        add(r, in->at, ORR_HAPPENS_RESUME, node, 0);
        return;
    case ORR_INCIDENT_DRAIN:
        add(r, in->at, ORR_HAPPENS_DRAIN, node, 0);
        if (ends)
            add(r, end, ORR_HAPPENS_RESUME, node, 0);
        return;
    case ORR_INCIDENT_REVOKE:
        add_notice(r, in, node, in->at);
        add(r, in->at, ORR_HAPPENS_LOSE, node, 0);
        if (ends)
            add(r, end, ORR_HAPPENS_REGAIN, node, 0);
        return;
    case ORR_INCIDENT_LOAN:
        add(r, in->at, ORR_HAPPENS_RETURN, node, 0);
        if (ends) {
            add_notice(r, in, node, end);
            add(r, end, ORR_HAPPENS_AWAY, node, 0);
        }
        return;
    default: /* DOWN: one that ends by itself is a reason of its own, other ones end when somebody says so */
        add(r, in->at, ends ? ORR_HAPPENS_LOSE : ORR_HAPPENS_DOWN, node, gpus);
        if (ends)
            add(r, end, ORR_HAPPENS_REGAIN, node, gpus);
    }
}

static orr_err add_of_nodes(resolver *r, const orr_incident *in)
{
    orr_err err = find_nodes(r, &in->which, in->said);
    for (size_t i = 0; !err && i < r->found.n; i++) {
        int32_t node = r->found.at[i];
        if (in->kind == ORR_INCIDENT_LOAN && r->sim->capacity.nodes.nodes[node].said & ORR_LOSS_OWNED)
            return bad(r, in->said, "node '%.80s' belongs to serving", orr_cluster_spec_node(r->spec, node)->name);
        if (in->gpus & ~r->sim->world.real->nodes[node].all)
            return bad(r, in->said, "node '%.80s' has no such GPU", orr_cluster_spec_node(r->spec, node)->name);
        if (in->kind == ORR_INCIDENT_CLOCK)
            err = add_clock_of_node(r, in, node);
        else
            add_of_node(r, in, node);
    }
    return err;
}

static orr_err add_capacity(resolver *r, const orr_incident *in)
{
    bool all = !in->which.vc || !in->which.vc[0];
    int32_t vc = all ? -1 : orr_cluster_spec_find_vc(r->spec, in->which.vc);
    if (!all && (vc < 0 || r->sim->options.ignore_vcs))
        return bad(r, in->said, "the cluster has no virtual cluster '%.80s'", in->which.vc);
    if (!all && orr_cluster_spec_tenants(r->spec))
        return bad(r, in->said, "the virtual cluster '%.80s' has a quota, and no nodes that could come or go",
                   in->which.vc);
    ORR_VEC_PUSH(&r->sim->capacity.list,
                 ((orr_happening){.at = in->at, .kind = ORR_HAPPENS_CAPACITY, .node = vc, .count = in->which.count}));
    return ORR_OK;
}

/* O(jobs): cancels are few and their jobs are named. */
static orr_err add_cancel(resolver *r, const orr_incident *in)
{
    const orr_trace_job *jobs = orr_trace_jobs(r->sim->trace);
    for (size_t i = 0; i < orr_trace_count(r->sim->trace); i++) {
        if (strcmp(jobs[i].id, in->job) != 0)
            continue;
        add(r, in->at, ORR_HAPPENS_CANCEL, (int32_t)i, 0);
        return ORR_OK;
    }
    return bad(r, in->said, "the trace has no job '%.80s'", in->job);
}

static orr_err add_incident(resolver *r, const orr_incident *in)
{
    switch (in->kind) {
    case ORR_INCIDENT_PRICE:
        add(r, in->at, ORR_HAPPENS_PRICE, -1, 0);
        return ORR_OK;
    case ORR_INCIDENT_CANCEL:
        return add_cancel(r, in);
    case ORR_INCIDENT_CAPACITY:
        return add_capacity(r, in);
    default:
        return add_of_nodes(r, in);
    }
}

/* Nodes that are lent from some time on aren't there before. */
static void keep_away(resolver *r)
{
    orr_capacity *c = &r->sim->capacity;
    int32_t nodes = orr_cluster_spec_nodes(r->spec);
    orr_time *first = orr_xcalloc((size_t)nodes + 1, sizeof *first);
    for (size_t i = 0; i < c->list.n; i++) {
        const orr_happening *h = &c->list.at[i];
        if (h->kind == ORR_HAPPENS_RETURN && (!first[h->node] || h->at < first[h->node] - 1))
            first[h->node] = h->at + 1; /* 0: never lent */
    }
    for (int32_t i = 0; i < nodes; i++)
        if (first[i] > 1)
            add(r, 0, ORR_HAPPENS_AWAY, i, 0);
    free(first);
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_order(const void *a, const void *b)
{
    const orr_happening *x = a, *y = b;
    if (x->at != y->at)
        return compare(x->at, y->at);
    if (x->kind != y->kind)
        return compare(x->kind, y->kind);
    if (x->node != y->node)
        return compare(x->node, y->node);
    if (x->gpus != y->gpus)
        return x->gpus < y->gpus ? -1 : 1;
    return x->due != y->due ? compare(x->due, y->due) : compare(x->count, y->count);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void add_failing(resolver *r, const orr_failures *how, uint64_t process, int32_t node, int gpu)
{
    const uint64_t parts[] = {process, (uint64_t)node, (uint64_t)(gpu + 1)};
    static const char stream[] = "failures";
    uint64_t seed = orr_hash64(r->sim->options.seed, stream, sizeof stream - 1);
    ORR_VEC_PUSH(
        &r->sim->capacity.failing,
        ((orr_failing){.how = how,
                       .node = node,
                       .gpus = gpu < 0 ? 0 : (uint64_t)1 << gpu,
                       .key = orr_mix64(seed ^ orr_mix64(parts[0] ^ orr_mix64(parts[1] ^ orr_mix64(parts[2]))))}));
}

static orr_err add_failures(resolver *r, const orr_failures *how, uint64_t process)
{
    orr_err err = find_nodes(r, &how->which, how->said);
    for (size_t i = 0; !err && i < r->found.n; i++) {
        int32_t node = r->found.at[i];
        if (!how->of_gpus)
            add_failing(r, how, process, node, -1);
        for (int g = 0; how->of_gpus && g < orr_cluster_spec_node(r->spec, node)->gpus; g++)
            add_failing(r, how, process, node, g);
    }
    return err;
}

/* ---- power and prices -------------------------------------------------------------------------------------------- */

static orr_err resolve_power(resolver *r)
{
    orr_capacity *c = &r->sim->capacity;
    const orr_cluster *cluster = r->sim->world.real;
    const orr_power *power = &c->scenario->power;
    if (!power->known)
        return ORR_OK;
    c->watts = orr_xcalloc((size_t)cluster->types + 1, sizeof *c->watts);
    for (int32_t i = 0; i < cluster->count; i++) {
        const orr_node *n = &cluster->nodes[i];
        if (!n->spec->gpus || orr_power_of_gpu(power, n->spec->gpu_type, &c->watts[orr_lowest_bit(n->type)]))
            continue;
        orr_err err = bad(r, power->said, "what a GPU of type '%.80s' draws is not known", n->spec->gpu_type);
        orr_error_hint(r->e, "state it under power.gpus: {type: %.40s, idle: 30, tdp: 300}", n->spec->gpu_type);
        return err;
    }
    return ORR_OK;
}

static void resolve_clocks(orr_sim *sim)
{
    orr_capacity *c = &sim->capacity;
    if (!c->scenario->power.point_count)
        return;
    c->clock_types = sim->world.real->types;
    c->clocks = orr_xcalloc((size_t)c->clock_types + 1, sizeof *c->clocks);
    for (int32_t t = 0; t < c->clock_types; t++)
        c->clocks[t] = orr_clocks_of(&c->scenario->power, sim->world.real->type_names[t]);
}

static void resolve_prices(orr_sim *sim)
{
    orr_capacity *c = &sim->capacity;
    const orr_scenario *s = c->scenario;
    for (size_t i = 0; i < s->incident_count; i++) {
        const orr_incident *in = &s->incidents[i];
        if (in->kind != ORR_INCIDENT_PRICE)
            continue;
        c->prices = c->prices ? c->prices : orr_prices_create();
        orr_prices_add(c->prices, in->type ? in->type : "", in->at, in->price);
    }
    if (!c->prices)
        return;
    orr_prices_finish(c->prices);
    c->price_types = orr_xcalloc((size_t)sim->world.real->types + 1, sizeof *c->price_types);
    for (int32_t t = 0; t < sim->world.real->types; t++)
        c->price_types[t] = orr_prices_type(c->prices, sim->world.real->type_names[t]);
}

/* ---- capacity by day --------------------------------------------------------------------------------------------- */

/* Days since 1970-01-01 in the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, of_era = year % 400, of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* When the trace's first day began, before its origin: the negative of the time of the day that the origin shows. */
static bool first_midnight(const orr_trace *trace, int64_t *day, orr_time *at)
{
    int y, month, d, h, min, s;
    if (sscanf(orr_trace_origin(trace), "%d-%d-%d%*[ T]%d:%d:%d", &y, &month, &d, &h, &min, &s) != 6)
        return false;
    *day = days_of(y, month, d);
    *at = -((h * 60 + min) * 60 + s) * ORR_SECOND;
    return true;
}

/* What a VC has from some time on; of several up to the origin the last one counts. */
static orr_err add_days(resolver *r)
{
    size_t n;
    int64_t first;
    orr_time midnight;
    const orr_capacity_change *changes = orr_cluster_spec_capacity(r->spec, &n);
    int32_t vcs = orr_cluster_spec_vcs(r->spec);
    if (!n)
        return ORR_OK;
    if (!first_midnight(r->sim->trace, &first, &midnight)) {
        orr_error_set(r->e, ORR_E_BAD_SCENARIO, "the cluster's capacity follows the calendar, and the trace has none");
        orr_error_hint(r->e, "--epoch gives it one; or choose a day by --capacity-day");
        return ORR_E_BAD_SCENARIO;
    }
    int64_t *now = orr_xcalloc((size_t)vcs + 1, sizeof *now), *start = orr_xcalloc((size_t)vcs + 1, sizeof *start),
            total = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_capacity_change *c = &changes[i];
        orr_time at = orr_time_add(midnight, (days_of(c->year, c->month, c->day) - first) * ORR_DAY);
        bool one_pool = r->sim->options.ignore_vcs;
        total += c->gpus - now[c->vc];
        now[c->vc] = c->gpus;
        orr_happening h = {.at = at < 0 ? 0 : at,
                           .kind = ORR_HAPPENS_CAPACITY,
                           .node = one_pool ? -1 : c->vc,
                           .count = one_pool ? total : c->gpus};
        int64_t *of_start = &start[one_pool ? 0 : c->vc]; /* 1 + its place in the list */
        if (h.at == 0 && *of_start) {
            r->sim->capacity.list.at[*of_start - 1].count = h.count;
            continue;
        }
        ORR_VEC_PUSH(&r->sim->capacity.list, h);
        *of_start = h.at == 0 ? (int64_t)r->sim->capacity.list.n : *of_start;
    }
    free(now);
    free(start);
    return ORR_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static orr_err resolve_scenario(resolver *r, const orr_scenario *s)
{
    orr_err err = ORR_OK;
    resolve_clocks(r->sim);
    for (size_t i = 0; !err && i < s->incident_count; i++)
        err = add_incident(r, &s->incidents[i]);
    for (size_t i = 0; !err && i < s->failure_count; i++)
        err = add_failures(r, &s->failures[i], i);
    if (err || (err = resolve_power(r)) != ORR_OK)
        return err;
    keep_away(r);
    resolve_prices(r->sim);
    return ORR_OK;
}

/* Nodes that belong to serving. */
static orr_err add_owned(resolver *r, const orr_services *services)
{
    orr_nodelife *nodes = &r->sim->capacity.nodes;
    orr_err err = ORR_OK;
    for (int32_t k = 0; k < services->nodes_count && !err; k++) {
        err = find_nodes(r, &services->nodes[k], services->nodes_said);
        for (size_t i = 0; i < r->found.n; i++) {
            if (nodes->nodes[r->found.at[i]].said & ORR_LOSS_OWNED)
                continue;
            orr_nodelife_own(nodes, r->found.at[i]);
            add(r, 0, ORR_HAPPENS_OWNED, r->found.at[i], 0);
        }
    }
    return err;
}

static orr_err resolve(resolver *r)
{
    const orr_scenario *s = r->sim->capacity.scenario;
    const orr_services *services = r->sim->options.services;
    orr_err err = services ? add_owned(r, services) : ORR_OK;
    if (!err && s)
        err = resolve_scenario(r, s);
    if (!err)
        err = add_days(r);
    if (!err && r->sim->capacity.list.n)
        qsort(r->sim->capacity.list.at, r->sim->capacity.list.n, sizeof *r->sim->capacity.list.at, by_order);
    return err;
}

orr_err orr_capacity_resolve(orr_sim *sim, orr_error *e)
{
    resolver r = {.sim = sim, .spec = sim->cluster_spec, .nodes = orr_names_create(), .e = e};
    const bool named = sim->capacity.scenario || (sim->options.services && sim->options.services->nodes_count);
    for (int32_t i = 0; named && i < orr_cluster_spec_nodes(r.spec); i++) {
        const char *name = orr_cluster_spec_node(r.spec, i)->name;
        orr_names_id(r.nodes, name, strlen(name));
    }
    orr_err err = resolve(&r);
    orr_names_destroy(r.nodes);
    ORR_VEC_FREE(&r.found);
    return err;
}
