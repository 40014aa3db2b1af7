/* HiveD's own scheduler, request by request: the six cases of its test and three sequences of ours, with where each pod
 * went, who had to leave, and in ours the state of every gang after each step. */
#include "compare.h"
#include "hived_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_PODS = 16, MAX_GANGS = 64 };

typedef struct pod {
    const char *name;
    int32_t gpus;
    bool bound;
} pod;

typedef struct gang {
    const char *name;
    orr_gang *at; /* NULL: there is no such gang now */
    int32_t vc;
    pod pods[MAX_PODS]; /* those that were bound or wait */
    int32_t pod_count;
} gang;

typedef struct player {
    world w;
    gang gangs[MAX_GANGS];
    int32_t gang_count;
    bool *suggested;
} player;

typedef struct request {
    const char *pod, *vc, *pin, *type, *group, *members;
    int32_t priority, gpus;
    bool lazy;
} request;

typedef enum outcome { FAILED, WAITS, PREEMPTS, BINDS } outcome;

typedef struct answer {
    outcome what;
    gang *g;
    const orr_leaf *leaves;
} answer;

static const char *given(const char *text)
{
    return text[0] ? text : NULL;
}

/* ---- gangs and pods ---- */

static gang *find_gang(player *p, const char *name)
{
    for (int32_t i = 0; i < p->gang_count; i++)
        if (strcmp(p->gangs[i].name, name) == 0)
            return &p->gangs[i];
    assert_true(p->gang_count < MAX_GANGS);
    p->gangs[p->gang_count] = (gang){.name = name};
    return &p->gangs[p->gang_count++];
}

static void end_gang(gang *g)
{
    orr_gang_destroy(g->at);
    g->at = NULL;
    g->pod_count = 0;
}

/* Gangs whose preemption was called off are as good as never asked for. */
static void forget_pending(player *p)
{
    for (int32_t i = 0; i < p->gang_count; i++)
        if (p->gangs[i].at && orr_gang_state_now(p->gangs[i].at) == ORR_GANG_PENDING)
            end_gang(&p->gangs[i]);
}

static pod *find_pod(gang *g, const char *name)
{
    for (int32_t i = 0; i < g->pod_count; i++)
        if (strcmp(g->pods[i].name, name) == 0)
            return &g->pods[i];
    return NULL;
}

static pod *add_pod(gang *g, const char *name, int32_t gpus)
{
    pod *known = find_pod(g, name);
    if (known)
        return known;
    assert_true(g->pod_count < MAX_PODS);
    g->pods[g->pod_count] = (pod){.name = name, .gpus = gpus};
    return &g->pods[g->pod_count++];
}

/* A pod that its gang doesn't know is an error, as is what the cells refuse. */
static orr_err create(player *p, const request *r, gang *g)
{
    orr_member members[MAX_PODS];
    int32_t n = 0;
    bool known = false;
    for (const char *at = r->members; at; at = strchr(at, '+') ? strchr(at, '+') + 1 : NULL) {
        char *x;
        members[n].pods = (int32_t)strtol(at, &x, 10);
        members[n].gpus = (int32_t)strtol(x + 1, NULL, 10);
        known = known || members[n].gpus == r->gpus;
        n++;
    }
    if (!known)
        return ORR_E_BAD_VALUE;
    orr_cells_request q = {.vc = world_vc(&p->w, r->vc),
                           .priority = r->priority,
                           .lazy = r->lazy,
                           .pin = r->pin,
                           .type = r->type,
                           .members = members,
                           .member_count = n,
                           .owner = g};
    g->vc = q.vc;
    return orr_gang_create(p->w.cells, &q, &g->at, NULL);
}

/* The leaves of the next pod of this size; NULL: the gang has no such pod left. */
static const orr_leaf *next_leaves(const gang *g, int32_t gpus)
{
    int32_t skip = 0, size;
    for (int32_t i = 0; i < g->pod_count; i++)
        skip += g->pods[i].bound && g->pods[i].gpus == gpus;
    for (int32_t i = 0; i < orr_gang_pods(g->at); i++) {
        const orr_leaf *at = orr_gang_pod(g->at, i, &size);
        if (size == gpus && skip-- == 0)
            return at;
    }
    return NULL;
}

/* ---- steps ---- */

static answer bind(player *p, gang *g, const request *r, bool keep)
{
    answer a = {BINDS, g, next_leaves(g, r->gpus)};
    if (!a.leaves) {
        if (orr_gang_state_now(g->at) == ORR_GANG_PENDING)
            end_gang(g);
        return (answer){.what = FAILED};
    }
    if (!keep)
        return a;
    if (orr_gang_state_now(g->at) == ORR_GANG_PENDING || orr_gang_state_now(g->at) == ORR_GANG_PREEMPTING)
        orr_gang_take(g->at);
    add_pod(g, r->pod, r->gpus)->bound = true;
    forget_pending(p);
    return a;
}

static answer schedule(player *p, const request *r, bool keep, bool may_preempt)
{
    gang *g = find_gang(p, r->group);
    if (!g->at && create(p, r, g))
        return (answer){.what = FAILED};
    switch (orr_gang_ask(g->at, p->suggested, may_preempt)) {
    case ORR_CELLS_BIND:
        return bind(p, g, r, keep);
    case ORR_CELLS_PREEMPT:
        add_pod(g, r->pod, r->gpus);
        return (answer){PREEMPTS, g, NULL};
    default:
        forget_pending(p);
        return (answer){.what = WAITS};
    }
}

static void delete_pod(player *p, const char *name)
{
    for (int32_t i = 0; i < p->gang_count; i++) {
        gang *g = &p->gangs[i];
        pod *gone = g->at ? find_pod(g, name) : NULL;
        if (!gone)
            continue;
        *gone = g->pods[--g->pod_count];
        if (!g->pod_count)
            end_gang(g);
        return;
    }
    fail_msg("no pod %s", name);
}

/* "*", "* except A+B" or "A+B" */
static void suggest(player *p, const char *text)
{
    bool all = text[0] == '*' || !text[0];
    text += text[0] == '*' ? 1 : 0;
    text += strncmp(text, " except ", 8) == 0 ? 8 : 0;
    for (int32_t n = 0; n < p->w.node_count; n++)
        p->suggested[n] = all;
    for (char name[64]; *text;) {
        size_t length = strcspn(text, "+");
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        p->suggested[world_node(&p->w, name)] = !all;
        text += length + (text[length] == '+');
    }
}

static void health(player *p, const char *names, bool healthy)
{
    for (char name[64]; *names;) {
        size_t length = strcspn(names, "+");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        orr_cells_node(p->w.cells, world_node(&p->w, name), healthy);
        names += length + (names[length] == '+');
    }
}

/* ---- what is expected ---- */

static bool listed(const char *list, const char *name)
{
    for (size_t n = strlen(name); list; list = strchr(list, '+') ? strchr(list, '+') + 1 : NULL)
        if (strncmp(list, name, n) == 0 && (list[n] == '+' || !list[n]))
            return true;
    return false;
}

/* The pods that have to leave are among these. */
static void victims_within(const gang *g, const char *list)
{
    orr_gang *const *victims;
    int32_t n = orr_gang_victims(g->at, &victims);
    assert_true(n > 0);
    for (int32_t i = 0; i < n; i++) {
        const gang *victim = orr_gang_owner(victims[i]);
        for (int32_t k = 0; k < victim->pod_count; k++)
            assert_true(listed(list, victim->pods[k].name));
    }
}

static void binds_at(const player *p, const answer *a, const char *node, const char *gpus)
{
    assert_string_equal(p->w.nodes[a->leaves[0].node], node);
    for (int32_t i = 0; gpus && *gpus; i++) {
        char *end;
        assert_int_equal(a->leaves[i].gpu, strtol(gpus, &end, 10));
        gpus = *end ? end + 1 : end;
    }
}

/* ---- the reference's own cases ---- */

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void expect(player *p, const answer *a, const char *expected)
{
    static const struct {
        const char *prefix;
        outcome what;
    } words[] = {{"wait", WAITS}, {"preempt", PREEMPTS}, {"error", FAILED}, {"bind", BINDS}};
    if (strcmp(expected, "bind-or-error") == 0) {
        assert_true(a->what == BINDS || a->what == FAILED);
        return;
    }
    for (size_t i = 0; i < RUN_COUNT(words); i++)
        if (starts_with(expected, words[i].prefix))
            assert_int_equal(a->what, words[i].what);
    if (starts_with(expected, "preempt "))
        victims_within(a->g, expected + 8);
    if (starts_with(expected, "preempting"))
        assert_int_equal(orr_gang_state_now(a->g->at), ORR_GANG_PREEMPTING);
    if (starts_with(expected, "bind ")) {
        char node[64];
        const char *gpus = strrchr(expected, ' ') + 1;
        snprintf(node, sizeof node, "%.*s", (int)(gpus - expected - 6), expected + 5);
        binds_at(p, a, node, gpus);
    }
}

/* A gang of the notes, which must hold, or be none. */
static void group_is(player *p, const char *name, bool there)
{
    const gang *g = find_gang(p, name);
    forget_pending(p);
    assert_int_equal(g->at != NULL, there);
    if (there)
        assert_int_equal(orr_gang_state_now(g->at), ORR_GANG_HOLDS);
}

static void lost_is(const player *p, int32_t first, int32_t second)
{
    /* of VC1 and VC2 in the chain of 3-node cells; chains stand in reverse order of their names */
    for (int32_t c = 0; c < orr_cells_chains(p->w.cells); c++) {
        int32_t node = orr_cells_chain_node(p->w.cells, c, 0);
        if (strcmp(p->w.nodes[node], "0.0.2.0") != 0)
            continue;
        assert_int_equal(orr_cells_lost(p->w.cells, 0, c), first);
        assert_int_equal(orr_cells_lost(p->w.cells, 1, c), second);
        return;
    }
    fail_msg("no chain with node 0.0.2.0");
}

/* What the notes of a step say beyond the answer. */
static void check_note(player *p, const char *name, int64_t step)
{
    static const struct {
        const char *name;
        int step, first, second;
    } lost[] = {{"bad_nodes", 3, 0, 0}, {"bad_nodes", 4, 1, 0}, {"bad_nodes", 5, 0, 0}, {"bad_nodes", 6, 1, 1},
                {"bad_nodes", 7, 0, 0}, {"bad_nodes", 8, 2, 1}, {"bad_nodes", 9, 2, 1}};
    static const struct {
        const char *name;
        int step;
        const char *group;
        bool there;
    } groups[] = {{"backtrack", 4, "group27", true},
                  {"backtrack", 4, "group28", true},
                  {"suggested", 7, "group24", false},
                  {"suggested", 8, "group24", false},
                  {"suggested", 10, "group24", false},
                  {"stateful_preemption", 6, "group20", false},
                  {"stateful_preemption", 6, "group22", false},
                  {"stateful_preemption", 8, "group24", false},
                  {"stateful_preemption", 10, "group26", false}};
    for (size_t i = 0; i < RUN_COUNT(lost); i++)
        if (strcmp(lost[i].name, name) == 0 && lost[i].step == step)
            lost_is(p, lost[i].first, lost[i].second);
    for (size_t i = 0; i < RUN_COUNT(groups); i++)
        if (strcmp(groups[i].name, name) == 0 && groups[i].step == step)
            group_is(p, groups[i].group, groups[i].there);
    if (strcmp(name, "stateful_preemption") == 0 && step == 10)
        for (int32_t g = 0; g < 16; g++) {
            orr_leaf_look held = orr_cells_look(p->w.cells, (orr_leaf){world_node(&p->w, "0.0.3.0"), g});
            orr_leaf_look free_now = orr_cells_look(p->w.cells, (orr_leaf){world_node(&p->w, "0.0.3.1"), g});
            assert_int_equal(held.state, ORR_LEAF_USED);
            assert_int_equal(held.priority, 4);
            assert_int_equal(free_now.state, ORR_LEAF_FREE);
        }
}

#define PAIR "4-DGX2-V100-NODE.2-DGX2-V100-NODE"
static const quota_change backtrack[] = {{"VC1", PAIR ".DGX2-V100-NODE", PAIR ".DGX2-V100-NODE", 0},
                                         {"VC1", PAIR, PAIR, 3}};
static const quota_change relaxed_buddy[] = {{"VC1", PAIR ".DGX2-V100-NODE", PAIR ".DGX2-V100-NODE", 4},
                                             {"VC1", "DGX2-V100-NODE", "DGX2-V100-NODE", 0},
                                             {"VC1", PAIR, PAIR, 0},
                                             {"VC2", "CT1-NODE", PAIR, 1}};
static const quota_change bad_nodes[] = {{"VC2", "CT1-NODE", "3-DGX2-V100-NODE.DGX2-V100-NODE", 1}};

static const struct {
    const char *name;
    const quota_change *changes;
    size_t count;
} cases[] = {{"normal", NULL, 0},
             {"suggested", NULL, 0},
             {"backtrack", backtrack, RUN_COUNT(backtrack)},
             {"stateful_preemption", NULL, 0},
             {"relaxed_buddy", relaxed_buddy, RUN_COUNT(relaxed_buddy)},
             {"bad_nodes", bad_nodes, RUN_COUNT(bad_nodes)}};

static request request_of(const table *requests, const char *name)
{
    for (size_t i = 0; i < requests->count; i++)
        if (strcmp(table_text(requests, i, "pod"), name) == 0)
            return (request){.pod = table_text(requests, i, "pod"),
                             .vc = table_text(requests, i, "vc"),
                             .pin = given(table_text(requests, i, "pinned_cell")),
                             .type = given(table_text(requests, i, "leaf_type")),
                             .group = table_text(requests, i, "group"),
                             .members = table_text(requests, i, "group_members"),
                             .priority = (int32_t)table_number(requests, i, "priority"),
                             .gpus = (int32_t)table_number(requests, i, "leaf_count"),
                             .lazy = strcmp(table_text(requests, i, "lazy_preemption"), "true") == 0};
    fail_msg("no request %s", name);
    return (request){0};
}

static void play_row(player *p, const table *requests, const table *t, size_t row)
{
    const char *op = table_text(t, row, "op"), *name = table_text(t, row, "pod");
    const char *nodes = table_text(t, row, "suggested_nodes");
    if (starts_with(op, "schedule")) {
        request r = request_of(requests, name);
        bool keep = !strstr(table_text(t, row, "note"), "do not allocate");
        suggest(p, nodes);
        answer a = schedule(p, &r, keep, strcmp(op, "schedule") == 0);
        expect(p, &a, table_text(t, row, "expected"));
        forget_pending(p);
    } else if (strcmp(op, "delete") == 0) {
        delete_pod(p, name);
    } else if (strcmp(op, "delete_all") == 0) {
        for (int32_t i = 0; i < p->gang_count; i++)
            end_gang(&p->gangs[i]);
    } else if (starts_with(op, "node_")) {
        health(p, nodes, strcmp(op, "node_healthy") == 0);
    } else {
        assert_string_equal(op, "configure");
    }
    check_note(p, table_text(t, row, "case"), table_number(t, row, "step"));
}

static void open_player(player *p, const char *path, const quota_change *changes, size_t n)
{
    memset(p, 0, sizeof *p);
    world_open(&p->w, path, changes, n);
    p->suggested = orr_xcalloc((size_t)p->w.node_count + 1, sizeof *p->suggested);
}

static void close_player(player *p)
{
    world_close(&p->w);
    free(p->suggested);
}

static void as_the_reference_tests(void **state)
{
    char path[1024], requests_path[1024], sequences_path[1024], label[64];
    (void)state;
    if (!run_shared(path, "golden/hived/cluster.yaml") || !run_shared(requests_path, "golden/hived/requests.csv") ||
        !run_shared(sequences_path, "golden/hived/sequences.csv")) {
        golden_skipped("hived", "its files aren't here");
        return;
    }
    table *requests = table_read(requests_path), *steps = table_read(sequences_path);
    for (size_t c = 0; c < RUN_COUNT(cases); c++) {
        player p;
        open_player(&p, path, cases[c].changes, cases[c].count);
        for (size_t i = 0; i < steps->count; i++)
            if (strcmp(table_text(steps, i, "case"), cases[c].name) == 0) {
                print_message("%s %s\n", cases[c].name, table_text(steps, i, "step"));
                play_row(&p, requests, steps, i);
            }
        close_player(&p);
        snprintf(label, sizeof label, "hived %s", cases[c].name);
        golden_ran(label);
    }
    table_free(requests);
    table_free(steps);
}

/* Quotas that can't be carved are refused: three nodes of two GPUs, one of them with a pinned GPU, can't be three nodes
 * and two GPUs more. */
static void quotas_that_can_t_be_carved(void **state)
{
    (void)state;
    orr_cells *cells = orr_cells_create();
    orr_cell_level node = {"CT1-NODE", 2, true};
    int32_t chain;
    orr_error e = {0};
    assert_int_equal(orr_cells_add_chain(cells, "CT1-NODE", "CT1", &node, 1, &chain, NULL), ORR_OK);
    for (int32_t n = 0; n < 3; n++)
        orr_cells_add_top(cells, chain, (orr_leaf[]){{n, 0}, {n, 1}});
    int32_t first = orr_cells_add_vc(cells, "VC1"), second = orr_cells_add_vc(cells, "VC2");
    orr_cells_add_quota(cells, first, chain, 2, 2);
    orr_cells_add_quota(cells, first, chain, 1, 2);
    orr_cells_add_pin(cells, first, chain, 1, (orr_leaf){2, 0}, "mine");
    orr_cells_add_quota(cells, second, chain, 2, 1);
    assert_int_equal(orr_cells_ready(cells, &e), ORR_E_BAD_CLUSTER);
    orr_cells_destroy(cells);
}

/* ---- ours ---- */

static const char *state_text(const orr_gang *g)
{
    static const char *const names[] = {[ORR_GANG_PENDING] = "pending",
                                        [ORR_GANG_PREEMPTING] = "preempting",
                                        [ORR_GANG_HOLDS] = "allocated",
                                        [ORR_GANG_GIVES_WAY] = "beingpreempted"};
    return names[orr_gang_state_now(g)];
}

/* "g-a=preempting g-b=beingpreempted/lazy": these, and no others. */
static void states_are(const player *p, const char *expected)
{
    size_t seen = 0, wanted = expected[0] != '\0';
    for (const char *at = expected; *at; at++)
        wanted += *at == ' ';
    for (int32_t i = 0; i < p->gang_count; i++) {
        const gang *g = &p->gangs[i];
        char text[128];
        bool plain = !g->at || (orr_gang_state_now(g->at) == ORR_GANG_HOLDS && !orr_gang_lazily_preempted(g->at));
        if (plain)
            continue;
        snprintf(text, sizeof text, "%s=%s%s", g->name, state_text(g->at),
                 orr_gang_lazily_preempted(g->at) ? "/lazy" : "");
        const char *at = strstr(expected, text);
        if (!at || (at[strlen(text)] && at[strlen(text)] != ' '))
            fail_msg("%s isn't in '%s'", text, expected);
        seen++;
    }
    assert_int_equal(seen, wanted);
}

static void play_ours(player *p, const table *t, size_t i)
{
    const char *op = table_text(t, i, "op"), *expected = table_text(t, i, "expected");
    const char *name = table_text(t, i, "pod_or_node");
    if (strcmp(op, "schedule") == 0) {
        request r = {.pod = name,
                     .vc = table_text(t, i, "vc"),
                     .type = given(table_text(t, i, "leaf_type")),
                     .group = table_text(t, i, "group"),
                     .members = table_text(t, i, "members"),
                     .priority = (int32_t)table_number(t, i, "priority"),
                     .gpus = (int32_t)table_number(t, i, "gpus"),
                     .lazy = table_number(t, i, "lazy") != 0};
        suggest(p, table_text(t, i, "suggested"));
        answer a = schedule(p, &r, true, true);
        expect(p, &a, strcmp(expected, "bind") == 0 ? "bind" : expected);
        if (a.what == BINDS)
            binds_at(p, &a, table_text(t, i, "node"), table_text(t, i, "gpu_indices"));
    } else if (strcmp(op, "delete") == 0) {
        delete_pod(p, name);
    } else {
        health(p, name, strcmp(op, "good") == 0);
    }
    forget_pending(p);
    states_are(p, table_text(t, i, "groups_not_plainly_allocated"));
}

static void our_sequences(void **state)
{
    (void)state;
    table *t = table_read(ORR_TEST_DATA_DIR "/golden/ours/hived-1/sequences.csv");
    const char *running = "";
    player p;
    char label[64];
    for (size_t i = 0; i < t->count; i++) {
        const char *name = table_text(t, i, "case");
        if (strcmp(name, running) != 0) {
            if (running[0])
                close_player(&p);
            open_player(&p, ORR_TEST_DATA_DIR "/golden/ours/hived-1/cluster.yaml", NULL, 0);
            snprintf(label, sizeof label, "hived-1 %s", name);
            golden_ran(label);
            running = name;
        }
        print_message("%s %s\n", name, table_text(t, i, "step"));
        play_ours(&p, t, i);
    }
    close_player(&p);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(our_sequences), cmocka_unit_test(as_the_reference_tests),
                                       cmocka_unit_test(quotas_that_can_t_be_carved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
