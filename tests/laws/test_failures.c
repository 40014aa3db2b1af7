/* What must hold while nodes and GPUs come and go: on random worlds, with failures that are drawn and a list besides.
 *
 * Nobody holds a GPU that doesn't work when an instant is over; the counters of GPUs are those that work; every job
 * that can run ends, with all of its work done; the same again gives the same, whatever the order of the list; and
 * policies that don't touch nodes see the same nodes fail at the same times. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 12, LISTED = 12, TEXT = 1 << 16 };

static const char *const policies[] = {"fifo",         "srtf",       "easy",
                                       "conservative", "tiresias",   "las",
                                       "mlfq",         "sjf+spread", "gandiva-fair",
                                       /* last: it sends nodes to sleep */
                                       "ces,step=30s,past=1,ahead=1,buffer=1,keep=1"};
enum { POLICIES = sizeof policies / sizeof *policies };

typedef struct witness {
    int32_t nodes;
    uint64_t up[WORLD_NODES], all[WORLD_NODES];
    int16_t held[WORLD_NODES][64];
    bool takes[WORLD_NODES];
    char *log; /* of nodes */
    size_t logged;
    const char *broken;
    uint64_t lost; /* interruptions */
} witness;

static void broke(witness *w, const char *what)
{
    w->broken = w->broken ? w->broken : what;
}

static void add(witness *w, const orr_slice *slices, int32_t n, int by)
{
    for (int32_t i = 0; i < n; i++)
        for (int g = 0; g < 64; g++)
            if (slices[i].gpus >> g & 1)
                w->held[slices[i].node][g] = (int16_t)(w->held[slices[i].node][g] + by);
}

static void on_grant(void *self, const orr_grant *grant)
{
    witness *w = self;
    for (int32_t i = 0; i < grant->slice_count; i++) {
        const orr_slice *s = &grant->slices[i];
        if (s->gpus & ~w->up[s->node])
            broke(w, "a job is given a GPU that doesn't work");
        if (!w->takes[s->node] && grant->instead_of == ORR_HOLD_OPEN)
            broke(w, "a job starts on a node that takes none");
    }
    add(w, grant->slices, grant->slice_count, 1);
}

static void on_hold(void *self, const orr_hold *hold)
{
    add(self, hold->slices, hold->slice_count, -1);
}

static void on_interrupt(void *self, const orr_interruption *interruption)
{
    witness *w = self;
    (void)interruption;
    w->lost++;
}

static void on_node(void *self, const orr_node_change *change)
{
    witness *w = self;
    w->up[change->node] = change->up;
    w->takes[change->node] = change->takes;
    if (change->up & ~w->all[change->node])
        broke(w, "a node has GPUs that it hasn't");
    if (w->logged < TEXT - 100)
        w->logged += (size_t)snprintf(w->log + w->logged, 100, "%lld %d %s %llx\n", (long long)change->at, change->node,
                                      change->state, (unsigned long long)change->up);
}

static int count(uint64_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

/* The last word of an instant is about the whole cluster. */
static void on_levels(void *self, orr_time at, const orr_levels *levels)
{
    witness *w = self;
    int64_t total = 0;
    (void)at;
    if (levels->vc >= 0)
        return;
    for (int32_t n = 0; n < w->nodes; n++) {
        total += count(w->up[n]);
        for (int g = 0; g < 64; g++)
            if (w->held[n][g] > 0 && !(w->up[n] >> g & 1))
                broke(w, "a GPU that doesn't work is held");
    }
    if (total != levels->gpus_total)
        broke(w, "the counter of GPUs isn't what works");
}

/* ---- a run ---- */

static orr_incident listed(const world *w, uint64_t *state, int i)
{
    static const orr_incident_kind kinds[] = {ORR_INCIDENT_DOWN, ORR_INCIDENT_DRAIN, ORR_INCIDENT_REVOKE,
                                              ORR_INCIDENT_DOWN};
    static char names[WORLD_NODES][16];
    static const char *name[WORLD_NODES];
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t r = *state >> 33;
    int node = (int)(r % (uint64_t)w->node_count);
    snprintf(names[node], sizeof names[node], "node%d", node);
    name[node] = names[node];
    orr_incident in = orr_incident_default();
    in.kind = kinds[i % 4];
    in.at = (orr_time)(r / 8 % 20) * 10 * ORR_SECOND; /* often at one instant */
    in.lasts = (orr_time)(1 + r / 256 % 5) * 10 * ORR_SECOND;
    in.notice = (orr_time)(r % 3) * ORR_SECOND;
    in.which.names = &name[node];
    in.which.name_count = 1;
    if (i % 4 == 3 && w->nodes[node].gpus)
        in.gpus = (uint64_t)1 << r / 64 % (uint64_t)w->nodes[node].gpus;
    return in;
}

static orr_scenario *scenario_of(const world *w, uint64_t seed, bool backwards)
{
    orr_scenario *s = orr_scenario_create("random");
    orr_incident list[LISTED];
    uint64_t state = seed;
    for (int i = 0; i < LISTED; i++)
        list[i] = listed(w, &state, i);
    for (int i = 0; i < LISTED; i++)
        orr_scenario_add(s, &list[backwards ? LISTED - 1 - i : i]);
    const orr_failures nodes = {.mtbf = 500 * ORR_SECOND, .mttr = 20 * ORR_SECOND, .shape = 0.8, .repair_shape = 1};
    orr_failures gpus = {
        .mtbf = 2000 * ORR_SECOND, .mttr = 30 * ORR_SECOND, .shape = 1, .repair_shape = 2, .of_gpus = true};
    orr_scenario_add_failures(s, &nodes);
    orr_scenario_add_failures(s, &gpus);
    s->sleep_time = 3 * ORR_SECOND;
    s->wake_time = 7 * ORR_SECOND;
    return s;
}

typedef struct outcome {
    char *story, *nodes;
} outcome;

static void check_jobs(const stage *s, const char *policy, uint64_t seed)
{
    for (size_t i = 0; i < s->record_count; i++) {
        const stage_record *r = &s->records[i];
        if (r->state == ORR_JOB_REJECTED)
            continue;
        const orr_trace_job *jobs = orr_trace_jobs(s->trace), *job = jobs;
        while (strcmp(job->id, r->id) != 0)
            job++;
        if (r->end == ORR_TIME_NONE || r->held != job->duration)
            fail_msg("%s, seed %llu: job %s held GPUs for %lld ns of %lld", policy, (unsigned long long)seed, r->id,
                     (long long)r->held, (long long)job->duration);
    }
}

static outcome play(const world *w, const char *policy, bool backwards, uint64_t *lost)
{
    stage *s = world_stage(w, NULL);
    orr_scenario *scenario = scenario_of(w, w->seed, backwards);
    witness eyes = {.nodes = w->node_count, .log = calloc(1, TEXT)};
    for (int i = 0; i < w->node_count; i++) {
        eyes.up[i] = eyes.all[i] = w->nodes[i].gpus >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << w->nodes[i].gpus) - 1;
        eyes.takes[i] = true;
    }
    s->options.policy = policy;
    s->options.scenario = scenario;
    s->also = (orr_sink){.self = &eyes,
                         .grant = on_grant,
                         .hold = on_hold,
                         .node = on_node,
                         .levels = on_levels,
                         .interrupt = on_interrupt};
    if (stage_try(s) && s->code != ORR_E_STALLED)
        fail_msg("%s, seed %llu: %s", policy, (unsigned long long)w->seed, s->error.message);
    if (s->code == ORR_E_STALLED)
        fail_msg("%s, seed %llu stalls: %s", policy, (unsigned long long)w->seed, s->error.message);
    if (eyes.broken)
        fail_msg("%s, seed %llu: %s", policy, (unsigned long long)w->seed, eyes.broken);
    stage_conserves(s);
    check_jobs(s, policy, w->seed);
    *lost += eyes.lost;
    outcome o = {stage_story(s), eyes.log};
    stage_destroy(s);
    orr_scenario_destroy(scenario);
    return o;
}

static void done_with(outcome o)
{
    free(o.story);
    free(o.nodes);
}

/* One is how the other begins: runs end at different times. */
static bool is_beginning(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    return strncmp(a, b, n < m ? n : m) == 0;
}

static void nodes_come_and_go(void **state)
{
    (void)state;
    uint64_t lost = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        static world w;
        outcome first = {NULL, NULL};
        world_make(&w, seed);
        for (size_t p = 0; p < POLICIES; p++) {
            outcome once = play(&w, policies[p], false, &lost), again = play(&w, policies[p], true, &lost);
            if (strcmp(once.story, again.story) != 0 || strcmp(once.nodes, again.nodes) != 0)
                fail_msg("%s, seed %d: another order of the list changes the run", policies[p], (int)seed);
            if (p > 0 && p + 1 < POLICIES && !is_beginning(first.nodes, once.nodes))
                fail_msg("%s, seed %d: other failures than under %s", policies[p], (int)seed, policies[0]);
            done_with(again);
            if (p == 0)
                first = once;
            else
                done_with(once);
        }
        done_with(first);
    }
    assert_true(lost > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
