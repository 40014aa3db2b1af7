/* A good log is corrupted in many ways, written back in valid form, and each corruption must be found, by the rule
 * that it breaks. The schedule is the one of scene.h. */
#include "scene.h"
#include "tape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define S ORR_SECOND

static orr_log_record *start_of(tape *t, const char *id, size_t n)
{
    return tape_find(t, ORR_LOG_START, id, n);
}

static orr_log_record *finish_of(tape *t, const char *id)
{
    return tape_find(t, ORR_LOG_FINISH, id, 0);
}

static size_t place(const tape *t, const orr_log_record *r)
{
    return (size_t)(r - t->at);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void starts_before_its_decision(tape *t) { start_of(t, "F", 0)->at -= S; }
static void goes_back_in_time(tape *t) { finish_of(t, "F")->at = 20 * S; }
static void stops_early(tape *t) { t->at[t->n - 1].at = 120 * S; }
static void stops_late(tape *t) { t->at[t->n - 1].stop = ORR_LOG_STALLED; }
/* clang-format on */

static void starts_and_decides_earlier(tape *t)
{
    orr_log_record *r = start_of(t, "F", 0);
    r->at -= S;
    r->from -= S;
    r[-1].at -= S;
}

static void trades_places(tape *t)
{
    orr_log_record *r = tape_find(t, ORR_LOG_SUBMIT, "A", 0), a = *r;
    orr_log_record *s = start_of(t, "A", 0);
    *r = *s;
    *s = a;
}

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void takes_an_occupied_gpu(tape *t) { tape_slice(start_of(t, "E", 0), 0)->gpus = 1; }
static void loses_a_gpu(tape *t) { tape_slice(start_of(t, "B", 0), 0)->gpus = 7; }
static void gets_one_more(tape *t) { tape_slice(start_of(t, "H", 0), 0)->gpus = 6; }
static void grows_beyond_its_range(tape *t) { tape_request(t, "C")->max_gpus = 3; }
static void takes_a_gpu_that_is_not_there(tape *t) { tape_slice(start_of(t, "H", 0), 0)->gpus = 16; }
static void takes_a_node_that_is_not_there(tape *t) { tape_slice(start_of(t, "H", 0), 0)->node = 3; }
static void goes_to_another_vc(tape *t) { tape_slice(start_of(t, "H", 0), 0)->node = 1; }
static void goes_to_another_type(tape *t) { tape_slice(start_of(t, "A", 0), 0)->node = 1; }
static void asks_for_another_type(tape *t) { tape_request(t, "A")->types = "V10|A100|V1000"; }
static void asks_for_more_cores(tape *t) { tape_request(t, "A")->cpu_milli = 16001; }
static void moves_to_an_occupied_gpu(tape *t) { tape_slice(tape_find(t, ORR_LOG_MIGRATE, "A", 0), 0)->gpus = 3; }
static void is_given_more_than_all(tape *t) { tape_slice(start_of(t, "A", 0), 0)->milli = 1001; }
static void is_given_nothing_of_it(tape *t) { tape_slice(start_of(t, "A", 0), 0)->milli = 0; }
static void moves_in_too_early(tape *t) { start_of(t, "K", 0)->from = 31 * S; }
static void moves_in_too_late(tape *t) { start_of(t, "K", 0)->from = 33 * S; }
static void waits_for_nobody(tape *t) { start_of(t, "F", 0)->from += S; }
/* clang-format on */

static void asks_for_more_gpus(tape *t)
{
    orr_log_request *q = tape_request(t, "H");
    q->gpus = q->min_gpus = q->max_gpus = 2;
}

static void names_a_node_twice(tape *t)
{
    orr_log_record *r = start_of(t, "B", 0);
    orr_log_slice *two = orr_arena_alloc(&t->arena, 2 * sizeof *two);
    two[0] = (orr_log_slice){.node = 1, .milli = 1000, .gpus = 3};
    two[1] = (orr_log_slice){.node = 1, .milli = 1000, .gpus = 12};
    r->slices = two;
    r->slice_count = 2;
}

static void shares_a_gpu_with_a_whole(tape *t)
{
    tape_slice(start_of(t, "A", 0), 0)->milli = tape_slice(start_of(t, "E", 0), 0)->milli = 500;
    tape_slice(start_of(t, "E", 0), 0)->gpus = 1; /* 500 + 500 fit … */
    tape_slice(start_of(t, "F", 0), 0)->milli = 501;             /* … and at 50 F has GPU 0 alone: nothing wrong */
    tape_slice(start_of(t, "H", 0), 0)->gpus = 1; /* but H comes, with 1000 */
}

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void has_a_node_less(tape *t) { t->header.node_runs = 2; }
static void has_smaller_nodes(tape *t) { t->nodes[2].gpus = 3; }
static void has_nodes_of_another_vc(tape *t) { t->nodes[2].vc = "blue"; }
static void has_nodes_of_another_type(tape *t) { t->nodes[0].type = "K80"; }
static void has_fewer_cores(tape *t) { t->nodes[0].cpus = 3; }
/* clang-format on */

/* ---- lifecycle --------------------------------------------------------------------------------------------------- */

static void starts_twice(tape *t)
{
    orr_log_record *r = start_of(t, "A", 0);
    tape_insert(t, place(t, r) + 1, *r);
}

static void comes_twice(tape *t)
{
    orr_log_record *r = tape_find(t, ORR_LOG_SUBMIT, "A", 0);
    tape_insert(t, place(t, r) + 1, *r);
}

/* clang-format off */
static void never_comes(tape *t) { tape_drop(t, tape_find(t, ORR_LOG_SUBMIT, "E", 0)); }
static void never_ends(tape *t) { tape_drop(t, finish_of(t, "E")); }
static void never_starts(tape *t) { tape_drop(t, start_of(t, "E", 0)); }
static void is_never_preempted(tape *t) { tape_drop(t, tape_find(t, ORR_LOG_PREEMPT, "B", 0)); }
static void never_has_saved(tape *t) { tape_drop(t, tape_find(t, ORR_LOG_SAVED, "B", 0)); }
static void never_tries_again(tape *t) { tape_drop(t, tape_find(t, ORR_LOG_RETRY, "F", 0)); }
static void is_another_job(tape *t) { start_of(t, "H", 0)->job = tape_job(t, "G"); }
static void is_no_job_at_all(tape *t) { start_of(t, "H", 0)->job = 10; }
static void is_rejected_when_it_ran(tape *t) { tape_find(t, ORR_LOG_REJECT, "I", 0)->job = tape_job(t, "C"); }
static void calls_a_resize_a_migration(tape *t) { tape_find(t, ORR_LOG_RESIZE, "C", 0)->kind = ORR_LOG_MIGRATE; }
static void calls_a_migration_a_resize(tape *t) { tape_find(t, ORR_LOG_MIGRATE, "A", 0)->kind = ORR_LOG_RESIZE; }
static void calls_a_start_a_resize(tape *t) { start_of(t, "F", 0)->kind = ORR_LOG_RESIZE; }
/* clang-format on */

static void moves_nowhere(tape *t)
{
    orr_log_slice *s = tape_slice(tape_find(t, ORR_LOG_MIGRATE, "A", 0), 0);
    *s = (orr_log_slice){.gpus = 3};
}

static void is_preempted_though_pinned(tape *t)
{
    orr_log_record *r = tape_find(t, ORR_LOG_PREEMPT, "B", 0), copy = *r;
    copy.job = tape_job(t, "E");
    copy.lost = 9 * S;
    tape_insert(t, place(t, r) + 1, copy);
}

static void is_forgotten(tape *t)
{
    const uint32_t job = tape_job(t, "E");
    for (size_t i = t->n; i-- > 0;)
        if (t->at[i].kind != ORR_LOG_DECIDE && t->at[i].kind != ORR_LOG_STOP && t->at[i].job == job)
            tape_drop(t, &t->at[i]);
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void forgets_a_decision(tape *t) { tape_drop(t, start_of(t, "F", 0) - 1); }
static void counts_decisions_down(tape *t) { start_of(t, "F", 0)[-1].number = 1; }
static void decides_off_the_clock(tape *t) { t->header.clock = "round=3s"; }
static void decides_off_the_grid(tape *t) { t->header.clock = "tick=3s"; }
/* clang-format on */

static void makes_up_a_decision(tape *t)
{
    orr_log_record *r = start_of(t, "F", 0) - 1, copy = *r;
    copy.at += S;
    copy.number++;
    tape_insert(t, place(t, r) + 2, copy);
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void pays_more(tape *t) { start_of(t, "F", 0)->pay += 1; }
static void pays_nothing(tape *t) { start_of(t, "A", 0)->pay = 0; }
static void restores_for_nothing(tape *t) { start_of(t, "B", 1)->pay = 1 * S; }
static void resizes_for_less(tape *t) { tape_find(t, ORR_LOG_RESIZE, "C", 1)->pay = 3 * S; }
static void migrates_for_less(tape *t) { tape_find(t, ORR_LOG_MIGRATE, "A", 0)->pay = 2 * S; }
static void saves_for_longer(tape *t) { tape_find(t, ORR_LOG_PREEMPT, "B", 0)->until = 33 * S; }
static void has_saved_late(tape *t) { tape_find(t, ORR_LOG_SAVED, "B", 0)->at = 33 * S; }
static void carries_on_without_having_run(tape *t) { start_of(t, "A", 0)->resumed = true; }
static void is_of_other_costs(tape *t) { t->header.costs = "start=2s,save=2s,restore=3s,resize=4s,checkpoint=10s"; }
static void is_free(tape *t) { t->header.costs = "zero"; }
static void steps_costs_by_size(tape *t) { t->header.costs = "start=1s,save=2s,restore=1:3s/4:5s,resize=4s"; }
/* clang-format on */

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* clang-format off */
static void ends_a_little_early(tape *t) { finish_of(t, "F")->at -= 1; }
static void ends_a_little_late(tape *t) { finish_of(t, "F")->at += 1; }
static void takes_longer(tape *t) { tape_request(t, "H")->duration = 19 * S; }
static void has_more_to_do(tape *t) { tape_request(t, "K")->duration += 1; }
static void goes_faster(tape *t) { tape_find(t, ORR_LOG_RESIZE, "C", 0)->rate = 2.5; }
static void goes_at_full_speed(tape *t) { tape_find(t, ORR_LOG_RESIZE, "C", 1)->rate = 1.0; }
static void stands_still(tape *t) { tape_find(t, ORR_LOG_RESIZE, "C", 1)->rate = 0; }
static void goes_at_no_speed(tape *t) { start_of(t, "A", 0)->rate = NAN; }
static void loses_more(tape *t) { tape_find(t, ORR_LOG_PREEMPT, "B", 0)->lost += 1; }
static void loses_nothing(tape *t) { tape_find(t, ORR_LOG_PREEMPT, "B", 0)->lost = 0; }
static void has_other_checkpoints(tape *t) { t->header.costs = "start=1s,save=2s,restore=3s,resize=4s,checkpoint=11s"; }
/* clang-format on */

/* ---- ends and beginnings ----------------------------------------------------------------------------------------- */

/* clang-format off */
static void fails_instead(tape *t) { finish_of(t, "A")->ending = ORR_LOG_FAILED; }
static void succeeds_instead(tape *t) { finish_of(t, "F")->ending = ORR_LOG_DONE; }
static void is_done_when_killed(tape *t) { finish_of(t, "H")->ending = ORR_LOG_DONE; }
static void is_killed_by_nobody(tape *t) { finish_of(t, "A")->reason = "script"; }
static void ends_by_itself(tape *t) { finish_of(t, "H")->reason = ""; }
/* clang-format on */

static void ends_after_one_attempt(tape *t)
{
    orr_log_record *r = tape_find(t, ORR_LOG_RETRY, "F", 0);
    r->kind = ORR_LOG_FINISH;
    r->ending = ORR_LOG_FAILED;
}

/* clang-format off */
static void tries_too_often(tape *t) { finish_of(t, "F")->kind = ORR_LOG_RETRY; }
static void comes_early(tape *t) { tape_request(t, "H")->asked = 10 * S; }
static void thinks_longer(tape *t) { tape_request(t, "D")->think = 6 * S; }
/* clang-format on */

static void comes_before_the_other_ends(tape *t)
{
    static const uint32_t c[] = {4};
    assert_int_equal(tape_job(t, "C"), 4);
    tape_request(t, "D")->after = c;
}

/* clang-format off */
static void asks_less_than_its_least(tape *t) { tape_request(t, "C")->min_gpus = 3; }
static void has_odd_attempts(tape *t) { tape_request(t, "F")->duration = 31 * S; }
static void counts_in_another_vc(tape *t) { tape_request(t, "H")->pool = 1; }
static void counts_in_no_vc(tape *t) { tape_request(t, "H")->pool = -1; }
static void counts_in_a_vc_that_is_not_there(tape *t) { tape_request(t, "H")->pool = 7; }
/* clang-format on */

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* clang-format off */
static orr_log_counts *counts(tape *t) { return &t->at[t->n - 1].counts; }
static void claims_one_more(tape *t) { counts(t)->submitted++; }
static void claims_one_done(tape *t) { counts(t)->done--; }
static void claims_none_failed(tape *t) { counts(t)->failed = 0; }
static void claims_one_killed(tape *t) { counts(t)->killed++; }
static void claims_one_rejected(tape *t) { counts(t)->rejected--; }
static void claims_one_running(tape *t) { counts(t)->running = 1; }
static void claims_one_queued(tape *t) { counts(t)->queued = 1; }
static void claims_a_preemption(tape *t) { counts(t)->preemptions++; }
static void claims_a_migration(tape *t) { counts(t)->migrations++; }
static void claims_no_resize(tape *t) { counts(t)->resizes = 0; }
static void claims_no_retry(tape *t) { counts(t)->retries = 0; }
static void claims_a_commit(tape *t) { counts(t)->commits++; }
static void claims_few_decisions(tape *t) { counts(t)->decisions = 1; }
static void claims_more_jobs(tape *t) { t->header.jobs++; }
/* clang-format on */

/* clang-format off */
static const struct {
    const char *rule;
    void (*corrupt)(tape *t);
    const char *name;
} rows[] = {
#define ROW(rule, corrupt) {rule, corrupt, #corrupt}
    ROW("decision", starts_before_its_decision), ROW("time", goes_back_in_time), ROW("time", stops_early),
    ROW("stop", stops_late), ROW("work", starts_and_decides_earlier), ROW("lifecycle", trades_places),
    ROW("capacity", takes_an_occupied_gpu), ROW("gang", loses_a_gpu), ROW("gang", gets_one_more),
    ROW("gang", grows_beyond_its_range), ROW("no-such-gpu", takes_a_gpu_that_is_not_there),
    ROW("no-such-gpu", takes_a_node_that_is_not_there), ROW("vc", goes_to_another_vc),
    ROW("gpu-type", goes_to_another_type), ROW("gpu-type", asks_for_another_type), ROW("host", asks_for_more_cores),
    ROW("gang", asks_for_more_gpus), ROW("capacity", moves_to_an_occupied_gpu),
    ROW("capacity", is_given_more_than_all), ROW("capacity", is_given_nothing_of_it),
    ROW("capacity", moves_in_too_early), ROW("hold-start", moves_in_too_late), ROW("hold-start", waits_for_nobody),
    ROW("gang", names_a_node_twice), ROW("capacity", shares_a_gpu_with_a_whole), ROW("no-such-gpu", has_a_node_less),
    ROW("no-such-gpu", has_smaller_nodes), ROW("vc", has_nodes_of_another_vc),
    ROW("gpu-type", has_nodes_of_another_type), ROW("host", has_fewer_cores), ROW("lifecycle", starts_twice),
    ROW("lifecycle", comes_twice), ROW("lifecycle", never_comes), ROW("work", never_ends),
    ROW("lifecycle", never_starts), ROW("lifecycle", is_never_preempted), ROW("lifecycle", never_has_saved),
    ROW("lifecycle", never_tries_again), ROW("lifecycle", is_another_job), ROW("lifecycle", is_no_job_at_all),
    ROW("lifecycle", is_rejected_when_it_ran), ROW("lifecycle", calls_a_resize_a_migration),
    ROW("lifecycle", calls_a_migration_a_resize), ROW("lifecycle", calls_a_start_a_resize),
    ROW("lifecycle", moves_nowhere), ROW("pinned", is_preempted_though_pinned), ROW("conservation", is_forgotten),
    ROW("stop", is_forgotten), ROW("decision", forgets_a_decision), ROW("decision", counts_decisions_down),
    ROW("decision", decides_off_the_clock), ROW("decision", decides_off_the_grid),
    ROW("conservation", makes_up_a_decision), ROW("cost", pays_more), ROW("cost", pays_nothing),
    ROW("cost", restores_for_nothing), ROW("cost", resizes_for_less), ROW("cost", migrates_for_less),
    ROW("cost", saves_for_longer), ROW("cost", has_saved_late), ROW("cost", carries_on_without_having_run),
    ROW("cost", is_of_other_costs), ROW("cost", is_free), ROW("cost", steps_costs_by_size),
    ROW("work", ends_a_little_early), ROW("work", ends_a_little_late), ROW("work", takes_longer),
    ROW("work", has_more_to_do), ROW("rate", goes_faster), ROW("rate", goes_at_full_speed), ROW("rate", stands_still),
    ROW("rate", goes_at_no_speed), ROW("lost-work", loses_more), ROW("lost-work", loses_nothing),
    ROW("lost-work", has_other_checkpoints), ROW("ending", fails_instead), ROW("ending", succeeds_instead),
    ROW("ending", is_done_when_killed), ROW("decision", is_killed_by_nobody), ROW("work", ends_by_itself),
    ROW("ending", ends_after_one_attempt), ROW("ending", tries_too_often), ROW("submission", comes_early),
    ROW("predecessors", comes_before_the_other_ends), ROW("predecessors", thinks_longer),
    ROW("request", asks_less_than_its_least), ROW("request", has_odd_attempts), ROW("vc", counts_in_another_vc),
    ROW("vc", counts_in_no_vc), ROW("vc", counts_in_a_vc_that_is_not_there), ROW("conservation", claims_one_more),
    ROW("conservation", claims_one_done), ROW("conservation", claims_none_failed),
    ROW("conservation", claims_one_killed), ROW("conservation", claims_one_rejected),
    ROW("conservation", claims_one_running), ROW("conservation", claims_one_queued),
    ROW("conservation", claims_a_preemption), ROW("conservation", claims_a_migration),
    ROW("conservation", claims_no_resize), ROW("conservation", claims_no_retry), ROW("conservation", claims_a_commit),
    ROW("conservation", claims_few_decisions), ROW("stop", claims_more_jobs),
};
/* clang-format on */

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void print(const orr_verification *v)
{
    for (size_t i = 0; i < v->findings.n; i++)
        printf("  %s: %s %s: %s\n", v->findings.at[i].rule, v->findings.at[i].job, v->findings.at[i].resource,
               v->findings.at[i].text);
}

static void the_good_log_holds(void **state)
{
    (void)state;
    orr_text bytes = scene_log();
    tape *t = tape_of(&bytes);
    orr_verification v = tape_verify(t);
    print(&v);
    assert_true(orr_verification_holds(&v));
    assert_int_equal(v.jobs, 10);
    assert_int_equal(v.records, t->n);
    assert_int_equal(v.gpus, 12);
    assert_int_equal(v.preemptions, 1);
    assert_int_equal(v.end, 127 * S);
    orr_verification_fini(&v);
    tape_free(t);
    orr_text_fini(&bytes);
}

static void each_corruption_is_found(void **state)
{
    (void)state;
    orr_text bytes = scene_log();
    int missed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tape *t = tape_of(&bytes);
        rows[i].corrupt(t);
        orr_verification v = tape_verify(t);
        if (!tape_breaks(&v, rows[i].rule)) {
            printf("%s doesn't break %s, but:\n", rows[i].name, rows[i].rule);
            print(&v);
            missed++;
        }
        orr_verification_fini(&v);
        tape_free(t);
    }
    orr_text_fini(&bytes);
    assert_int_equal(missed, 0);
}

/* Every rule of the log has been seen broken; those of the files beside it are tested with those, and those of parts of
 * GPUs and of nodes in test_shared. */
static void no_rule_is_idle(void **state)
{
    (void)state;
    for (const orr_verify_rule *r = orr_verify_rules(); r->name; r++) {
        bool seen =
            strcmp(r->name, "metric") == 0 || strcmp(r->name, "jobs-row") == 0 ||
                    strcmp(r->name, "holds-row") == 0 || strcmp(r->name, "device-memory") == 0 ||
                    strcmp(r->name, "node-up") == 0;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            seen |= strcmp(rows[i].rule, r->name) == 0;
        if (!seen)
            fail_msg("no corruption breaks %s", r->name);
    }
}

/* src/verify/README.md has the rules as they are. */
static void rules_are_documented(void **state)
{
    (void)state;
    char *readme;
    size_t n;
    orr_input *in = orr_input_open(ORR_SOURCE_DIR "/src/verify/README.md", NULL);
    assert_int_equal(orr_input_all(in, &readme, &n, NULL), ORR_OK);
    for (const orr_verify_rule *r = orr_verify_rules(); r->name; r++) {
        char row[256];
        snprintf(row, sizeof row, "| `%s` | %s |\n", r->name, r->text);
        if (!strstr(readme, row))
            fail_msg("the README lacks %s", row);
    }
    orr_input_close(in);
    free(readme);
}

/* Where a policy may lend GPUs, another VC's are fine. */
static void lending_is_no_crime(void **state)
{
    (void)state;
    orr_text bytes = scene_log();
    tape *t = tape_of(&bytes);
    goes_to_another_vc(t);
    tape_slice(start_of(t, "H", 0), 0)->gpus = 8;
    t->header.borrows = true;
    orr_verification v = tape_verify(t);
    assert_true(tape_breaks(&v, "capacity")); /* B holds all of that node until 73 */
    assert_false(tape_breaks(&v, "vc"));
    orr_verification_fini(&v);
    tape_free(t);
    orr_text_fini(&bytes);
}

/* At most 20 findings of a rule are kept, all are counted. */
static void findings_are_bounded(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=8");
    for (int i = 0; i < 30; i++) {
        char id[16];
        snprintf(id, sizeof id, "J%d", i);
        stage_add(s, stage_job(id, 0, 1, 10));
    }
    orr_text bytes = scene_run(s);
    tape *t = tape_of(&bytes);
    t->header.costs = "start=1s";
    orr_verification v = tape_verify(t);
    size_t costs = 0;
    for (size_t i = 0; i < v.findings.n; i++)
        costs += strcmp(v.findings.at[i].rule, "cost") == 0;
    assert_int_equal(costs, 20);
    assert_string_equal(v.broken.at[0].rule, "cost");
    assert_int_equal(v.broken.at[0].count, 30);
    orr_verification_fini(&v);
    tape_free(t);
    orr_text_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_log_holds),   cmocka_unit_test(each_corruption_is_found),
        cmocka_unit_test(no_rule_is_idle),
        cmocka_unit_test(rules_are_documented),      cmocka_unit_test(lending_is_no_crime),
        cmocka_unit_test(findings_are_bounded),
    };
    return cmocka_run_group_tests_name("mutations", tests, NULL, NULL);
}
