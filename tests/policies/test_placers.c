/* Placers on states drawn by hand. Jobs whose name is a list "node:gpus,…" are put just there by a policy of this test
 * and stay for ever; then job J asks the placer. In the pictures a node is a pair of brackets, # a taken GPU, . a free
 * one, J what J gets. */
#define ORR_BUILTIN /* the module is registered by hand */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the policy: explicit places, else the placer ---- */

typedef struct state_of_hand {
    orr_job *waiting[16];
    size_t count;
} state_of_hand;

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state_of_hand *s = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED)
        s->waiting[s->count++] = job;
}

static orr_err put(orr_plan *plan, orr_job *job, const char *places)
{
    orr_alloc *alloc = orr_plan_alloc(plan);
    int node, gpus, used;
    for (; sscanf(places, "%d:%d%n", &node, &gpus, &used) == 2; places += used, places += *places == ',') {
        orr_err err = orr_alloc_take(alloc, plan, node, gpus);
        if (err)
            return err;
    }
    return orr_plan_assign(plan, job, alloc);
}

static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state_of_hand *s = orr_state(ctx);
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++) {
        orr_job *job = s->waiting[i];
        const char *places = orr_job_name(job);
        orr_err err = places[0] ? put(plan, job, places) : orr_plan_start(plan, job);
        if (err == ORR_E_NOFIT)
            s->waiting[left++] = job;
        else if (err)
            return err;
    }
    s->count = left;
    return ORR_OK;
}

ORR_POLICY(hand) = {
    .summary = "puts jobs where their names say",
    .state_size = sizeof(state_of_hand),
    .on_job = on_job,
    .schedule = schedule,
};

/* ---- asking ---- */

typedef struct ask {
    const char *cluster;
    const char *taken[8]; /* one job each, up to a NULL */
    int32_t gpus;         /* what J asks */
    const char *model;
    uint64_t seed;
} ask;

static int32_t gpus_of(const char *places)
{
    int32_t sum = 0;
    int node, gpus, used;
    for (; sscanf(places, "%d:%d%n", &node, &gpus, &used) == 2; places += used, places += *places == ',')
        sum += gpus;
    return sum;
}

static size_t jobs_of(const ask *a, run_job jobs[9])
{
    static const char *const ids[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"};
    size_t n = 0;
    for (; n < RUN_COUNT(a->taken) && a->taken[n]; n++)
        jobs[n] = (run_job){.id = ids[n], .gpus = gpus_of(a->taken[n]), .duration = 1000, .name = a->taken[n]};
    jobs[n] = (run_job){.id = "J", .submit = 1, .gpus = a->gpus, .duration = 1, .model = a->model};
    return n + 1;
}

/* Where J goes at 1; "wait" if it has to wait until the others leave. `got` holds 64 bytes. */
static void asked(const ask *a, const char *placer, char *got)
{
    orr_error e = {0};
    run_job jobs[9];
    size_t n = jobs_of(a, jobs);
    char policy[64];
    orr_registry *registry = orr_registry_create();
    assert_int_equal(orr_registry_add(registry, &orr_module_sched_hand, &e), ORR_OK);
    orr_sim_options o = orr_sim_options_default();
    o.registry = registry;
    o.seed = a->seed ? a->seed : 1;
    snprintf(policy, sizeof policy, "hand+%s", placer);
    run *r = run_of_with(jobs, n, a->cluster, policy, &o);
    const run_record *j = run_job_of(r, "J");
    snprintf(got, 64, "%s", j->first_start == ORR_SECOND ? j->nodes : "wait");
    run_free(r);
    orr_registry_destroy(registry);
}

static void goes(const ask *a, const char *placer, const char *expected)
{
    char got[64];
    asked(a, placer, got);
    if (strcmp(got, expected) != 0)
        fail_msg("%s puts it on %s, should be %s", placer, got, expected);
}

/* ---- one state, every placer ----
 *
 * J asks 2 of
 *   0 [####....]   1 [#####...]   2 [#######.]   3 [######..]   4 [........]
 */
static const ask two_gpus = {.cluster = "8 8 8 8 8", .taken = {"0:4", "1:5", "2:7", "3:6"}, .gpus = 2};

static void two_of_five_nodes(void **state)
{
    (void)state;
    goes(&two_gpus, "consolidate", "3:2");       /* the fullest with room for both */
    goes(&two_gpus, "consolidate:yarn", "0:2");  /* the first */
    goes(&two_gpus, "consolidate-first", "3:2"); /* like consolidate */
    goes(&two_gpus, "first-fit", "0:2");         /* the first */
    goes(&two_gpus, "best-fit", "3:2");          /* least room left over */
    goes(&two_gpus, "spread", "4:2");            /* most room */
    goes(&two_gpus, "skew", "3:2");              /* a model that it doesn't know: consolidated */
}

/* J asks 3, and no node has 3:
 *   0 [##..]   1 [###.]   2 [##..]
 */
static const ask scattered = {.cluster = "4 4 4", .taken = {"0:2", "1:3", "2:2"}, .gpus = 3};

static void three_where_no_node_has_three(void **state)
{
    (void)state;
    goes(&scattered, "consolidate", "wait");            /* never split */
    goes(&scattered, "consolidate:yarn", "wait");
    goes(&scattered, "consolidate-first", "0:2;2:1");   /* [##JJ] [###.] [##J.]: most room first, so the fewest nodes */
    goes(&scattered, "first-fit", "0:2;1:1");           /* [##JJ] [###J] [##..]: in order */
    goes(&scattered, "best-fit", "0:2;1:1");            /* [##JJ] [###J] [##..]: node 1, the tightest, first */
    goes(&scattered, "spread", "0:2;2:1");              /* [##JJ] [###.] [##J.] */
    goes(&scattered, "skew", "wait");
}

/* ---- gangs wider than a node ----
 *
 * J asks 11 of nodes of 4: two whole nodes and 3 more.
 *   0 [#...]   1 [....]   2 [....]   3 [....]   4 [.###]
 */
static const ask eleven = {.cluster = "4 4 4 4 4", .taken = {"0:1", "4:3"}, .gpus = 11};

static void eleven_of_nodes_of_four(void **state)
{
    (void)state;
    /* The rest goes to the emptiest: [#...] [JJJJ] [JJJJ] [JJJ.] [.###]
     * or to the first:               [#JJJ] [JJJJ] [JJJJ] [....] [.###] */
    goes(&eleven, "consolidate", "1:4;2:4;3:3");
    goes(&eleven, "consolidate,rest=first", "0:3;1:4;2:4");
    goes(&eleven, "consolidate:yarn", "0:3;1:4;2:4");
    goes(&eleven, "consolidate-first", "1:4;2:4;3:3");
    goes(&eleven, "first-fit", "0:3;1:4;2:4");
    goes(&eleven, "best-fit", "0:3;1:4;2:3;4:1");      /* tightest first: node 4, then 0 */
    goes(&eleven, "spread", "1:4;2:4;3:3");
    goes(&eleven, "skew", "0:3;1:4;2:4");              /* whole nodes, and the rest where it fits tightest */
}

/* With one whole node only, `consolidate` waits, whatever lies free elsewhere:
 *   0 [#...]   1 [....]   2 [#...]   3 [#...]
 */
static void a_wide_gang_waits_for_whole_nodes(void **state)
{
    (void)state;
    const ask a = {.cluster = "4 4 4 4", .taken = {"0:1", "2:1", "3:1"}, .gpus = 8};
    goes(&a, "consolidate", "wait");
    goes(&a, "consolidate-first", "0:3;1:4;2:1");
    goes(&a, "best-fit", "0:3;2:3;3:2");
    goes(&a, "spread", "0:3;1:4;2:1");
}

/* Two whole nodes, and no rest.
 *   0 [JJJJ]   1 [#...]   2 [JJJJ]   3 [....]
 */
static void whole_nodes_alone(void **state)
{
    (void)state;
    static const char *const together[] = {"consolidate", "consolidate:yarn", "consolidate-first", "skew", "spread"};
    const ask a = {.cluster = "4 4 4 4", .taken = {"1:1"}, .gpus = 8};
    for (size_t i = 0; i < RUN_COUNT(together); i++)
        goes(&a, together[i], "0:4;2:4");
    goes(&a, "first-fit", "0:4;1:3;2:1");
}

/* ---- racks (`yarn`) ----
 *
 * J asks 8 of nodes of 4. There are two whole nodes, but in different racks, until node 3 is free too.
 *   r0:  0 [....]   1 [#...]      r1:  2 [....]   3 [#...]
 */
static void within_a_rack(void **state)
{
    (void)state;
    const ask apart = {.cluster = "4/r0 4/r0 4/r1 4/r1", .taken = {"1:1", "3:1"}, .gpus = 8};
    const ask together = {.cluster = "4/r0 4/r0 4/r1 4/r1", .taken = {"1:1"}, .gpus = 8};
    goes(&apart, "consolidate", "0:4;2:4");
    goes(&apart, "consolidate:yarn", "wait");
    goes(&together, "consolidate", "0:4;2:4");
    goes(&together, "consolidate:yarn", "2:4;3:4");
}

/* ---- nodes of different sizes ---- */

/* J asks 6:
 *   0 [....]   1 [##......]   2 [........]
 * The largest node has 8, so J fits one. */
static void nodes_of_two_sizes(void **state)
{
    (void)state;
    const ask a = {.cluster = "4 8 8", .taken = {"1:2"}, .gpus = 6};
    goes(&a, "consolidate", "1:6");
    goes(&a, "best-fit", "1:6");
    goes(&a, "first-fit", "0:4;1:2");
    goes(&a, "spread", "2:6");
}

/* ---- models ----
 *
 * Two free GPUs on each of two nodes, J asks 3. vgg19 (largest tensor 72 % of all) is kept together or waits, resnet50
 * (11 %) is put anywhere; the threshold says what is large.
 *   0 [##..]   1 [##..]
 */
static void skewed_models_are_kept_together(void **state)
{
    (void)state;
    ask a = {.cluster = "4 4", .taken = {"0:2", "1:2"}, .gpus = 3};
    a.model = "vgg19";
    goes(&a, "skew", "wait");
    goes(&a, "skew,threshold=0.8", "0:2;1:1");
    a.model = "resnet50";
    goes(&a, "skew", "0:2;1:1");
    goes(&a, "skew,threshold=0.1", "wait");
    a.model = "something-new";
    goes(&a, "skew", "wait");
}

/* ---- random ----
 *
 * Any node may come first; a seed says which, and always the same.
 *   0 [##..]   1 [####]   2 [....]   3 [##..]
 */
static void random_covers_all_nodes(void **state)
{
    (void)state;
    int seen[4] = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const ask a = {.cluster = "4 4 4 4", .taken = {"0:2", "1:4", "3:2"}, .gpus = 2, .seed = seed};
        char got[64], again[64];
        asked(&a, "random", got);
        asked(&a, "random", again);
        assert_string_equal(got, again);
        seen[atoi(got)]++;
    }
    assert_true(seen[0] > 0 && seen[1] == 0 && seen[2] > 0 && seen[3] > 0);
    const ask most = {.cluster = "4 4 4 4", .taken = {"0:2", "1:4", "3:2"}, .gpus = 8, .seed = 7};
    const ask more = {.cluster = "4 4 4 4", .taken = {"0:2", "1:4", "3:2"}, .gpus = 9, .seed = 7};
    goes(&most, "random", "0:2;2:4;3:2");
    goes(&more, "random", "wait");
}

/* ---- a VC's jobs stay on its nodes ---- */

/* node 0 is red, 1 and 2 are blue: job K of blue gets node 1 though node 0 is as free. */
static void nodes_of_the_vc_alone(void **state)
{
    (void)state;
    static const char *const placers[] = {"consolidate", "consolidate-first", "first-fit",
                                          "best-fit",    "spread",            "random"};
    const run_job jobs[] = {{.id = "K", .gpus = 2, .duration = 1, .vc = "blue"},
                            {.id = "L", .gpus = 6, .duration = 1, .vc = "blue"}};
    for (size_t i = 0; i < RUN_COUNT(placers); i++) {
        char policy[64];
        snprintf(policy, sizeof policy, "fifo+%s", placers[i]);
        run *r = run_of(jobs, 2, "4@red 4@blue 4@blue", policy);
        for (size_t k = 0; k < r->count; k++)
            if (strstr(r->jobs[k].nodes, "0:"))
                fail_msg("%s leaves the VC: %s", placers[i], r->jobs[k].nodes);
        run_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_of_five_nodes),
        cmocka_unit_test(three_where_no_node_has_three),
        cmocka_unit_test(eleven_of_nodes_of_four),
        cmocka_unit_test(a_wide_gang_waits_for_whole_nodes),
        cmocka_unit_test(whole_nodes_alone),
        cmocka_unit_test(within_a_rack),
        cmocka_unit_test(nodes_of_two_sizes),
        cmocka_unit_test(skewed_models_are_kept_together),
        cmocka_unit_test(random_covers_all_nodes),
        cmocka_unit_test(nodes_of_the_vc_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
