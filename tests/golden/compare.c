#include "compare.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- names of policies ---- */

bool golden_helios_policy(const char *policy, const char *placer, golden_case *out, const char **reason)
{
    static const struct {
        const char *theirs, *ours, *estimator, *costs;
    } known[] = {{"fifo", "fifo:helios", "", NULL},
                 {"sjf", "sjf:helios", "", NULL},
                 {"srtf", "srtf:helios", "", "helios"},
                 {"qssf-oracle", "qssf:helios", "~oracle", NULL},
                 {"qssf-hist", "qssf:helios", "~given,column=est_duration", NULL}};
    *reason = "belongs to another policy set";
    for (size_t i = 0; i < RUN_COUNT(known); i++) {
        if (strcmp(policy, known[i].theirs) != 0)
            continue;
        bool first_fit = strcmp(placer, "random") == 0; /* of their two placers, the one called random isn't */
        snprintf(out->policy, sizeof out->policy, "%s%s%s", known[i].ours, first_fit ? "+first-fit" : "",
                 known[i].estimator);
        out->costs = known[i].costs;
        return true;
    }
    return false;
}

/* The K of "dlas-gpu-K" and "dlas-gpu-gittins-K": those ignore the index. NULL: another schedule. */
static const char *promotion_of(const char *schedule)
{
    static const char *const values[] = {"05", "1", "2", "4", "8", "10", "100", "1000"};
    const char *last = strrchr(schedule, '-');
    if (strncmp(schedule, "dlas-gpu-", 9) != 0)
        return NULL;
    for (size_t i = 0; i < RUN_COUNT(values); i++)
        if (strcmp(last + 1, values[i]) == 0)
            return i == 0 ? "0.5" : values[i];
    return NULL;
}

bool golden_tiresias_policy(const char *schedule, const char *scheme, const char *samples, golden_case *out,
                            const char **reason)
{
    /* dlas-gpu-pack packs what scheme `count` doesn't see: it is dlas-gpu, placed by count whatever the scheme. */
    static const struct {
        const char *theirs, *ours;
    } known[] = {{"sjf", "sgf:tiresias"},       {"shortest", "srtf:tiresias"},
                 {"shortest-gpu", "srsf:tiresias"}, {"dlas", "tiresias:sim,service=time"},
                 {"dlas-gpu", "tiresias:sim"},  {"dlas-gpu-pack", "tiresias:sim"}};
    const char *placer = strcmp(scheme, "yarn") == 0 ? "+consolidate:yarn" : "+first-fit";
    const char *promote = promotion_of(schedule);
    size_t room = sizeof out->policy;
    *reason = "belongs to another policy set";
    out->costs = NULL;
    if (strcmp(schedule, "fifo") == 0)
        return snprintf(out->policy, room, "fifo%s", placer) > 0;
    if (strcmp(schedule, "fjf") == 0)
        return snprintf(out->policy, room, "fifo,hol=skip%s", placer) > 0;
    if (strcmp(schedule, "dlas-gpu-gittins") == 0)
        return snprintf(out->policy, room, "tiresias:sim,index=gittins,samples=%s", samples) > 0;
    if (promote)
        return snprintf(out->policy, room, "tiresias:sim,promote=%s", promote) > 0;
    for (size_t i = 0; i < RUN_COUNT(known); i++)
        if (strcmp(schedule, known[i].theirs) == 0)
            return snprintf(out->policy, room, "%s", known[i].ours) > 0;
    return false;
}

/* ---- rows ---- */

/* Ours by their id: `hint` is where it was found last, since both lists are nearly in one order. */
static const run_record *ours_of(const run *r, const char *id, size_t *hint)
{
    for (size_t i = 0; i < r->count; i++, ++*hint)
        if (strcmp(r->jobs[*hint % r->count].id, id) == 0)
            return &r->jobs[*hint % r->count];
    fail_msg("no job %s", id);
    return NULL;
}

/* Seconds, or -1 for what didn't happen or is no whole second. */
static int64_t whole(orr_time t)
{
    return t == ORR_TIME_NONE || t % ORR_SECOND ? -1 : t / ORR_SECOND;
}

/* Their value, ours, and the name; counts and describes a difference. */
typedef struct row_check {
    const table *theirs;
    size_t row;
    bool same;
    char text[256];
} row_check;

static void expect(row_check *k, const char *column, int64_t ours)
{
    int64_t theirs = table_number(k->theirs, k->row, column);
    if (theirs == ours || !k->same)
        return;
    k->same = false;
    snprintf(k->text, sizeof k->text, "job %s: %s is %lld, should be %lld", table_text(k->theirs, k->row, "job_id"),
             column, (long long)ours, (long long)theirs);
}

static run *run_case(const golden_case *c, orr_trace **trace, orr_cluster_spec **cluster)
{
    orr_sim_options o = orr_sim_options_default();
    o.costs = c->costs;
    *trace = run_trace_file(c->trace);
    *cluster = run_cluster(c->cluster);
    return run_policy(*trace, *cluster, c->policy, &o);
}

static void describe_first(const golden_case *c, size_t differ, const row_check *k)
{
    if (differ == 1)
        printf("%s as %s: %s\n", c->label, c->policy, k->text);
}

/* ---- Helios ---- */

enum { NODES_MAX = 64 };

/* "node:gpus;…" as pairs, ascending by node. */
static size_t nodes_of(const char *text, int64_t pairs[NODES_MAX][2])
{
    size_t n = 0;
    int used = 0;
    long long node, gpus;
    for (; n < NODES_MAX && sscanf(text, "%lld:%lld%n", &node, &gpus, &used) == 2; n++) {
        size_t i = n;
        for (; i > 0 && pairs[i - 1][0] > node; i--)
            memcpy(pairs[i], pairs[i - 1], sizeof *pairs);
        pairs[i][0] = node;
        pairs[i][1] = gpus;
        text += used;
        text += *text == ';';
    }
    return n;
}

/* Their nodes count from 0 within the VC. */
static bool same_nodes(const char *ours, const char *theirs, const int32_t *within_vc)
{
    int64_t a[NODES_MAX][2], b[NODES_MAX][2];
    size_t n = nodes_of(ours, a);
    if (n != nodes_of(theirs, b) || n == 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (within_vc[a[i][0]] != b[i][0] || a[i][1] != b[i][1])
            return false;
    return true;
}

static int32_t *index_within_vc(const orr_cluster_spec *cluster)
{
    int32_t nodes = orr_cluster_spec_nodes(cluster), *within = orr_xcalloc((size_t)nodes, sizeof *within);
    int32_t *seen = orr_xcalloc((size_t)orr_cluster_spec_vcs(cluster), sizeof *seen);
    for (int32_t i = 0; i < nodes; i++)
        within[i] = seen[orr_cluster_spec_find_vc(cluster, orr_cluster_spec_node(cluster, i)->vc)]++;
    free(seen);
    return within;
}

static row_check helios_row(const table *theirs, size_t row, const run_record *ours, const int32_t *within_vc)
{
    row_check k = {theirs, row, true, ""};
    expect(&k, "submit", whole(ours->submit));
    expect(&k, "start", whole(ours->first_start));
    expect(&k, "end", whole(ours->end));
    expect(&k, "preempt", ours->preemptions);
    expect(&k, "queue", whole(ours->wait_total));
    if (k.same && !same_nodes(ours->nodes, table_text(theirs, row, "nodes"), within_vc)) {
        k.same = false;
        snprintf(k.text, sizeof k.text, "job %s: nodes %.64s of the cluster, should be %.64s of the VC", ours->id,
                 ours->nodes, table_text(theirs, row, "nodes"));
    }
    return k;
}

size_t golden_helios_differ(const golden_case *c)
{
    orr_trace *trace;
    orr_cluster_spec *cluster;
    run *r = run_case(c, &trace, &cluster);
    table *theirs = table_read(c->expected);
    int32_t *within_vc = index_within_vc(cluster);
    size_t differ = 0, hint = 0;
    assert_int_equal(theirs->count, r->count);
    for (size_t i = 0; i < theirs->count; i++) {
        row_check k = helios_row(theirs, i, ours_of(r, table_text(theirs, i, "job_id"), &hint), within_vc);
        differ += !k.same;
        if (!k.same)
            describe_first(c, differ, &k);
    }
    free(within_vc);
    table_free(theirs);
    run_free(r);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(cluster);
    return differ;
}

/* ---- Tiresias ---- */

/* `resume` counts starts under the preemptive schedules; under fifo and fjf it stays 0, under yarn it is often
 * empty. */
static row_check tiresias_row(const table *theirs, size_t row, const run_record *ours, bool counts_starts)
{
    row_check k = {theirs, row, true, ""};
    expect(&k, "submit", whole(ours->submit));
    expect(&k, "start", whole(ours->first_start));
    expect(&k, "end", whole(ours->end));
    expect(&k, "pending", whole(ours->wait_total));
    expect(&k, "preempt", ours->preemptions);
    if (counts_starts && table_text(theirs, row, "resume")[0])
        expect(&k, "resume", ours->starts);
    expect(&k, "job_id", atoi(ours->id));
    return k;
}

static void earlier(orr_time *first, orr_time t)
{
    if (t != ORR_TIME_NONE && t < *first)
        *first = t;
}

/* Their file is in the order of completion: ours must report the jobs so, at least between different instants. */
static bool in_order(const table *theirs, size_t row, const run_record *ours, const run_record *last)
{
    if (row == 0 || last->place < ours->place)
        return true;
    return table_number(theirs, row, "end") == table_number(theirs, row - 1, "end");
}

size_t golden_tiresias_differ(const golden_case *c, orr_time *first_end)
{
    orr_trace *trace;
    orr_cluster_spec *cluster;
    run *r = run_case(c, &trace, &cluster);
    table *theirs = table_read(c->expected);
    bool counts_starts = strncmp(c->policy, "fifo", 4) != 0;
    const run_record *last = NULL;
    size_t differ = 0, hint = 0;
    uint64_t promoted = 0;
    *first_end = ORR_TIME_MAX;
    assert_int_equal(theirs->count, r->count);
    for (size_t i = 0; i < theirs->count; i++) {
        const run_record *ours = ours_of(r, table_text(theirs, i, "job_id"), &hint);
        row_check k = tiresias_row(theirs, i, ours, counts_starts);
        if (k.same && !in_order(theirs, i, ours, last)) {
            k.same = false;
            snprintf(k.text, sizeof k.text, "job %s ends out of order", ours->id);
        }
        last = ours;
        promoted += (uint64_t)table_number(theirs, i, "promote");
        if (k.same)
            continue;
        describe_first(c, ++differ, &k);
        earlier(first_end, table_number(theirs, i, "end") * ORR_SECOND);
        earlier(first_end, ours->end);
    }
    if (differ == 0 && promoted != run_note(r, "promoted"))
        fail_msg("%s: %llu promotions instead of %llu", c->label, (unsigned long long)run_note(r, "promoted"),
                 (unsigned long long)promoted);
    table_free(theirs);
    run_free(r);
    orr_trace_destroy(trace);
    orr_cluster_spec_destroy(cluster);
    return differ;
}

/* ---- what tools/test.sh counts ---- */

void golden_ran(const char *label)
{
    printf("golden: %s ran\n", label);
}

void golden_skipped(const char *label, const char *reason)
{
    printf("golden: %s skipped (%s)\n", label, reason);
}
