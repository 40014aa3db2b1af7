/* How jobs end: as recorded, after several attempts, at once, or not served at all. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void recorded_endings_are_kept(void **state)
{
    (void)state;
    static const struct {
        orr_ending ending;
        orr_job_state state;
        const char *held;
    } rows[] = {{ORR_ENDING_DONE, ORR_JOB_DONE, "0-10/1 done"},
                {ORR_ENDING_FAILED, ORR_JOB_FAILED, "0-10/1 failed"},
                {ORR_ENDING_KILLED, ORR_JOB_KILLED, "0-10/1 killed"}};
    for (size_t i = 0; i < 3; i++) {
        stage *s = stage_create("nodes=1,gpus=1");
        orr_trace_job job = stage_job("A", 0, 1, 10);
        job.ending = rows[i].ending;
        stage_add(s, job);
        stage_run(s);
        assert_int_equal(stage_of(s, "A")->state, rows[i].state);
        assert_string_equal(stage_of(s, "A")->reason, "");
        stage_held(s, "A", rows[i].held);
        const uint64_t counted[] = {s->counts.done, s->counts.failed, s->counts.killed};
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(counted[k], k == i);
        stage_destroy(s);
    }
}

static orr_trace_job in_attempts(const char *id, double submit, const orr_time *attempts, uint32_t count)
{
    orr_trace_job job = stage_job(id, submit, 1, 0);
    for (uint32_t i = 0; i < count; i++)
        job.duration += attempts[i];
    job.attempts = attempts;
    job.attempt_count = count;
    return job;
}

/*  A |###|####|#####|      three attempts; between them it is the first of the queue again
 *  B |.............##|  */
static void attempts_run_one_by_one(void **state)
{
    (void)state;
    static const orr_time attempts[] = {3 * ORR_SECOND, 4 * ORR_SECOND, 5 * ORR_SECOND};
    stage *s = stage_create("nodes=1,gpus=1");
    orr_trace_job job = in_attempts("A", 0, attempts, 3);
    job.ending = ORR_ENDING_FAILED;
    stage_add(s, job);
    stage_add(s, stage_job("B", 1, 1, 2));
    stage_run(s);
    stage_held(s, "A", "0-3/1 retried, 3-7/1 retried, 7-12/1 failed");
    stage_held(s, "B", "12-14/1 done");
    assert_int_equal(stage_of(s, "A")->attempts, 3);
    assert_int_equal(stage_of(s, "A")->starts, 3);
    assert_int_equal(stage_of(s, "A")->preemptions, 0);
    assert_int_equal(s->counts.retries, 2);
    stage_destroy(s);
}

/* start=1s, restore=2s:  A |s###|s##.rr##|   an attempt begins anew; a preemption inside one is restored */
static void each_attempt_pays_its_start(void **state)
{
    (void)state;
    static const orr_time attempts[] = {3 * ORR_SECOND, 4 * ORR_SECOND};
    stage *s = stage_create("nodes=1,gpus=1");
    s->options.costs = "start=1s,restore=2s";
    stage_add(s, in_attempts("A", 0, attempts, 2));
    stage_script(s, "0 A@0:1; 5 A@0:1; 8 A-; 9 A@0:1");
    stage_run(s);
    stage_held(s, "A", "0-4/1 retried, 5-8/1 preempted, 9-13/1 done");
    assert_true(stage_of(s, "A")->overhead == 1 + 1 + 2);
    stage_destroy(s);
}

static void attempts_of_no_length(void **state)
{
    (void)state;
    static const orr_time attempts[] = {0, 0, 2 * ORR_SECOND, 0};
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, in_attempts("A", 1, attempts, 4));
    stage_run(s);
    stage_held(s, "A", "1-1/1 retried, 1-1/1 retried, 1-3/1 retried, 3-3/1 done");
    stage_destroy(s);
}

/* ---- short jobs -------------------------------------------------------------------------------------------------- */

static stage *for_policy(const char *policy, double length)
{
    stage *s = stage_create("nodes=1,gpus=1");
    static const double submit[] = {0, 1, 2}, duration[] = {10, -1, 10};
    static const char *const ids[] = {"A", "Z", "B"};
    for (size_t i = 0; i < 3; i++) {
        orr_trace_job job = stage_job(ids[i], submit[i], 1, duration[i] < 0 ? length : duration[i]);
        job.limit = job.duration;
        job.deadline = 1000 * ORR_SECOND;
        job.start = job.submit;
        stage_add(s, job);
    }
    s->options.policy = policy;
    stage_run(s);
    return s;
}

/* A |##########|, Z nothing, B |##########|: whatever the policy, Z ends where it starts, and all is over at 20. */
static void no_length_between_two_normal_ones(void **state)
{
    (void)state;
    orr_registry *registry = orr_registry_create();
    const orr_module *const *modules;
    size_t n = orr_registry_modules(registry, &modules), seen = 0;
    for (size_t i = 0; i < n; i++) {
        char name[64];
        if (modules[i]->kind != ORR_KIND_ORDER && modules[i]->kind != ORR_KIND_POLICY)
            continue;
        orr_module_shown_name(modules[i], name, sizeof name);
        if (strcmp(name, "drop") == 0 || stage_has_rounds(name)) /* turns away who finds no room */
            continue;
        for (int tiny = 0; tiny < 2; tiny++) {
            stage *s = for_policy(name, tiny ? 1e-6 : 0);
            const stage_record *z = stage_of(s, "Z");
            orr_time length = tiny ? ORR_US : 0;
            if (z->end - z->first_start != length || z->held != length || z->state != ORR_JOB_DONE)
                fail_msg("%s: Z starts at %lld ns and ends at %lld", name, (long long)z->first_start, (long long)z->end);
            orr_time a = stage_of(s, "A")->end, b = stage_of(s, "B")->end;
            if ((a > b ? a : b) != 20 * ORR_SECOND + length)
                fail_msg("%s: all is over at %lld ns", name, (long long)(a > b ? a : b));
            stage_destroy(s);
        }
        seen++;
    }
    assert_true(seen >= 10);
    orr_registry_destroy(registry);
}

static void the_shortest_job_is_not_lost(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("us", 0, 1, 1e-6));
    stage_add(s, stage_job("ns", 1e9, 1, 1e-9)); /* 31 years later */
    stage_run(s);
    stage_held(s, "us", "0-0.000001/1 done");
    stage_held(s, "ns", "1000000000-1000000000.000000001/1 done");
    assert_true(stage_of(s, "us")->service == 1e-6);
    stage_destroy(s);
}

/* ---- ended by the policy ----------------------------------------------------------------------------------------- */

/*  A |###!   B |...!   C |..?   */
static void killed_and_rejected_by_the_policy(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=2");
    s->options.costs = "start=1s";
    for (int i = 0; i < 4; i++)
        stage_add(s, stage_job((const char *[]){"A", "B", "C", "D"}[i], 0, 2, 10));
    stage_script(s, "0 A@0:3; 2 C?; 3 A!; 3 B!; 4 D@0:3");
    stage_run(s);
    stage_held(s, "A", "0-3/2 killed");
    stage_held(s, "B", "");
    stage_held(s, "C", "");
    stage_held(s, "D", "4-15/2 done"); /* what A held was free again */
    assert_int_equal(stage_of(s, "A")->state, ORR_JOB_KILLED);
    assert_int_equal(stage_of(s, "B")->state, ORR_JOB_KILLED);
    assert_int_equal(stage_of(s, "C")->state, ORR_JOB_REJECTED);
    for (int i = 0; i < 3; i++)
        assert_string_equal(stage_of(s, (const char *[]){"A", "B", "C"}[i])->reason, "script");
    assert_int_equal(stage_of(s, "C")->end, 2 * ORR_SECOND);
    assert_true(stage_of(s, "B")->first_start == ORR_TIME_NONE);
    assert_true(stage_of(s, "A")->service == 6);
    assert_true(stage_of(s, "A")->overhead == 2);
    assert_int_equal(s->counts.killed, 2);
    assert_int_equal(s->counts.rejected, 1);
    stage_destroy(s);
}

static void gpus_of_the_killed_go_to_another_in_one_plan(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 0, 1, 10));
    stage_script(s, "0 A@0:1; 3 A!; 3 B@0:1");
    stage_run(s);
    stage_held(s, "B", "3-13/1 done");
    stage_destroy(s);
}

static void fails(const char *script, const char *job)
{
    stage *s = stage_create("nodes=2,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10));
    orr_trace_job pinned = stage_job("P", 0, 1, 10);
    pinned.preemptible = false;
    stage_add(s, pinned);
    stage_script(s, script);
    assert_int_equal(stage_try(s), ORR_E_PLAN_STATE);
    assert_string_equal(s->error.job, job);
    assert_true(strstr(s->error.message, "policy 'script'") != NULL);
    stage_destroy(s);
}

static void what_a_state_does_not_allow(void **state)
{
    (void)state;
    fails("0 A-", "A");                 /* it holds nothing */
    fails("0 A@0:1; 1 A?", "A");        /* started jobs can't be rejected, */
    fails("0 A@0:1; 1 A-; 2 A?", "A");  /* not even when they wait again */
    fails("0 A@0:1; 1 A+", "A");        /* it holds GPUs already */
    fails("0 P@0:1; 1 P-", "P");        /* it must not be preempted */
    fails("0 A!; 0 A@0:1", "A");        /* dead and started in one plan */
    fails("0 A?; 0 A@0:1", "A");
    fails("0 A@0:1; 0 A?", "A");
}

/* ---- at the door ------------------------------------------------------------------------------------------------- */

static orr_cluster_spec *two_kinds(void)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("two kinds");
    orr_node_spec n = orr_node_spec_default();
    n.gpus = 4;
    n.cpus = 16;
    n.gpu_type = "V100";
    n.vc = "vision";
    assert_int_equal(orr_cluster_spec_add(spec, &n, 2, NULL), ORR_OK);
    n.gpu_type = "A100";
    n.vc = "speech";
    assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    return spec;
}

static void hopeless_jobs_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *id, *vc, *type;
        int32_t gpus, cpus;
        const char *reason;
    } rows[] = {
        {"fits", "vision", "", 8, 0, ""},
        {"wide", "vision", "", 9, 0, "too-wide"},
        {"wide-in-vc", "speech", "", 8, 0, "too-wide"},
        {"no-vc", "music", "", 1, 0, "unknown-vc"},
        {"no-type", "vision", "H100", 1, 0, "no-such-gpu-type"},
        {"other-type", "vision", "A100", 1, 0, "no-room-even-when-empty"},
        {"cores", "vision", "V100", 1, 17, "no-room-even-when-empty"},
        {"cores-fit", "vision", "V100", 8, 32, ""},
    };
    stage *s = stage_on(two_kinds());
    s->options.reject_unknown_vc = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_trace_job job = stage_job(rows[i].id, 5, rows[i].gpus, 10);
        job.vc = rows[i].vc;
        job.gpu_type = rows[i].type;
        job.cpu_milli = INT64_C(1000) * rows[i].cpus;
        stage_add(s, job);
    }
    stage_run(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const stage_record *r = stage_of(s, rows[i].id);
        if (strcmp(r->reason, rows[i].reason) != 0)
            fail_msg("%s: '%s' instead of '%s'", rows[i].id, r->reason, rows[i].reason);
        bool refused = rows[i].reason[0];
        assert_int_equal(r->state, refused ? ORR_JOB_REJECTED : ORR_JOB_DONE);
        if (refused) {
            assert_int_equal(r->end, 5 * ORR_SECOND);
            assert_true(r->first_start == ORR_TIME_NONE && r->held == 0 && r->starts == 0);
        }
    }
    assert_int_equal(s->counts.rejected, 6);
    stage_destroy(s);
}

/* What the placer can't shape is refused, too: consolidate needs 6 on one node of 4 and the rest on another. */
static void the_placer_has_its_say(void **state)
{
    (void)state;
    static const struct {
        const char *policy, *reason;
    } rows[] = {{"fifo+first-fit", ""}, {"fifo+consolidate", "no-room-even-when-empty"}};
    for (size_t i = 0; i < 2; i++) {
        orr_cluster_spec *spec = orr_cluster_spec_create("odd");
        orr_node_spec n = orr_node_spec_default();
        n.gpus = 4;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
        n.gpus = 1;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 2, NULL), ORR_OK);
        stage *s = stage_on(spec);
        s->options.policy = rows[i].policy;
        stage_add(s, stage_job("A", 0, 6, 10)); /* 4 + 1 + 1 */
        stage_run(s);
        assert_string_equal(stage_of(s, "A")->reason, rows[i].reason);
        stage_destroy(s);
    }
}

static void an_unknown_vc_may_use_the_common_pool(void **state)
{
    (void)state;
    orr_cluster_spec *spec = two_kinds();
    orr_node_spec n = orr_node_spec_default();
    n.gpus = 2;
    assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK); /* of no VC */
    stage *s = stage_on(spec);
    orr_trace_job job = stage_job("A", 0, 2, 10);
    job.vc = "music";
    stage_add(s, job);
    job.id = "B";
    job.gpus = 3;
    stage_add(s, job);
    stage_run(s);
    stage_held(s, "A", "0-10/2 done");
    assert_int_equal(s->holds[0].slices[0].node, 3);
    assert_string_equal(stage_of(s, "B")->reason, "too-wide");
    stage_destroy(s);
}

/*  cores 4   A |##########|B ##########|C ...   one after the other on the cores of a node without GPUs to spare */
static void jobs_without_gpus_wait_for_cores(void **state)
{
    (void)state;
    orr_cluster_spec *spec = orr_cluster_spec_create("cores");
    orr_node_spec n = orr_node_spec_default();
    n.gpus = 1;
    n.cpus = 4;
    assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    stage *s = stage_on(spec);
    for (int i = 0; i < 4; i++) {
        orr_trace_job job = stage_job((const char *[]){"A", "B", "C", "X"}[i], 0, 0, 10);
        job.cpu_milli = i == 3 ? 5000 : 3000;
        stage_add(s, job);
    }
    stage_add(s, stage_job("G", 0, 1, 10)); /* asks no cores */
    stage_run(s);
    stage_ends(s, "A:10 B:20 C:30");
    assert_int_equal(stage_of(s, "X")->state, ORR_JOB_REJECTED);
    assert_true(stage_of(s, "A")->service == 0);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_endings_are_kept),
        cmocka_unit_test(attempts_run_one_by_one),
        cmocka_unit_test(each_attempt_pays_its_start),
        cmocka_unit_test(attempts_of_no_length),
        cmocka_unit_test(no_length_between_two_normal_ones),
        cmocka_unit_test(the_shortest_job_is_not_lost),
        cmocka_unit_test(killed_and_rejected_by_the_policy),
        cmocka_unit_test(gpus_of_the_killed_go_to_another_in_one_plan),
        cmocka_unit_test(what_a_state_does_not_allow),
        cmocka_unit_test(hopeless_jobs_are_refused_with_a_reason),
        cmocka_unit_test(the_placer_has_its_say),
        cmocka_unit_test(an_unknown_vc_may_use_the_common_pool),
        cmocka_unit_test(jobs_without_gpus_wait_for_cores),
    };
    return cmocka_run_group_tests_name("ends", tests, NULL, NULL);
}
