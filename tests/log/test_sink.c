/* What a run tells its log, against a schedule worked out by hand (tests/verify/scene.h). */
#include "../verify/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *seconds(orr_time t)
{
    static char buf[ORR_TIME_BUF];
    orr_time_format(t, buf);
    return buf;
}

static void add_members(const orr_log_header *h, const orr_log_record *r, orr_text *out)
{
    if (r->slice_count) {
        orr_text_add(out, " ", 1);
        orr_log_slices_text(h, r, out);
        if (r->from != r->at)
            orr_text_addf(out, " from %s", seconds(r->from));
        orr_text_addf(out, " pays %s", seconds(r->pay));
        if (r->rate != 1.0)
            orr_text_addf(out, " at %g", r->rate);
    }
    if (r->kind == ORR_LOG_PREEMPT) {
        orr_text_addf(out, " until %s", seconds(r->until));
        orr_text_addf(out, " loses %s", seconds(r->lost));
    }
    if (r->kind == ORR_LOG_FINISH)
        orr_text_addf(out, " %s", orr_log_ending_name(r->ending));
    if (r->reason[0])
        orr_text_addf(out, " (%s)", r->reason);
    if (r->kind == ORR_LOG_STOP)
        orr_text_addf(out, " %s", orr_log_stop_name(r->stop));
}

/* A line a record; ids of jobs are one letter, by their place in the trace. */
static orr_text listing(orr_log *log, const char *ids)
{
    orr_text out = {0};
    orr_error e = {0};
    const orr_log_record *r;
    const orr_log_header *h = orr_log_header_of(log);
    while (orr_log_next(log, &r, &e) == ORR_OK && r) {
        if (r->kind == ORR_LOG_DECIDE)
            continue;
        orr_text_addf(&out, "%s %s", seconds(r->at), orr_log_kind_name(r->kind));
        if (r->kind != ORR_LOG_STOP)
            orr_text_addf(&out, " %c", ids[r->job]);
        add_members(h, r, &out);
        orr_text_addf(&out, "\n");
    }
    assert_int_equal(e.code, ORR_OK);
    return out;
}

static void tells_what_happens(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_text bytes = scene_log();
    orr_log *log = orr_log_memory("scene", bytes.at, bytes.n, &e);
    assert_non_null(log);
    orr_text told = listing(log, "ABEKCIDFGH");
    assert_string_equal(told.at, "0 submit A\n0 submit B\n0 submit E\n0 submit K\n"
                                 "0 start A node0:0-1 pays 1\n0 start B node1:0-3 pays 1\n0 start E node0:2 pays 1\n"
                                 "5 submit C\n5 submit I\n"
                                 "5 reject I (script)\n5 start C node2:0-1 pays 1\n"
                                 "7 submit F\n8 submit G\n8 reject G (too-wide)\n9 submit H\n"
                                 "10 resize C node2:0-3 pays 4 at 2\n"
                                 "15 resize C node2:0 pays 4 at 0.5\n"
                                 "20 migrate A node2:2-3 pays 5\n"
                                 "30 preempt B until 32 loses 9\n30 start K node1:0 from 32 pays 1\n"
                                 "31 finish E done\n32 saved B\n38 finish K done\n"
                                 "40 start B node1:0-3 pays 3\n"
                                 "50 start F node0:0 pays 1\n60 start H node0:1 pays 1\n61 retry F\n"
                                 "70 start F node0:0 pays 1\n73 finish B done\n80 finish H killed (script)\n"
                                 "91 finish F failed\n106 finish A done\n111 submit D\n111 start D node0:0 pays 1\n"
                                 "122 finish D done\n127 finish C done\n127 stop drained\n");
    orr_text_fini(&told);
    orr_log_close(log);
    orr_text_fini(&bytes);
}

/* The log alone tells what must be known to judge it. */
static void tells_the_terms(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_text bytes = scene_log();
    orr_log *log = orr_log_memory("scene", bytes.at, bytes.n, &e);
    const orr_log_header *h = orr_log_header_of(log);
    assert_string_equal(h->costs, "start=1s,save=2s,restore=3s,resize=4s,checkpoint=10s");
    assert_string_equal(h->clock, "exact");
    assert_string_equal(h->measure, "all");
    assert_string_equal(h->trace, "stage");
    assert_int_equal(h->jobs, 10);
    assert_int_equal(h->first_asked, 0);
    assert_int_equal(h->last_asked, 9 * ORR_SECOND);
    assert_int_equal(h->node_runs, 3); /* no two neighbours are alike */
    assert_string_equal(h->nodes[1].type, "A100");
    assert_string_equal(h->nodes[1].vc, "blue");
    assert_int_equal(h->nodes[1].cpus, 16);
    assert_false(h->borrows || h->one_pool);
    orr_log_close(log);
    orr_text_fini(&bytes);
}

static void check_request(const orr_log_request *q)
{
    if (strcmp(q->id, "A") == 0) {
        assert_string_equal(q->types, "P100|V100");
        assert_int_equal(q->cpu_milli, 4000);
        assert_int_equal(q->pool, 0);
    } else if (strcmp(q->id, "C") == 0) {
        assert_true(q->min_gpus == 1 && q->gpus == 2 && q->max_gpus == 4);
    } else if (strcmp(q->id, "D") == 0) {
        assert_int_equal(q->after_count, 1);
        assert_int_equal(q->after[0], 0);
        assert_int_equal(q->think, 5 * ORR_SECOND);
        assert_int_equal(q->asked, 6 * ORR_SECOND);
    } else if (strcmp(q->id, "F") == 0) {
        assert_int_equal(q->attempt_count, 2);
        assert_int_equal(q->attempts[1], 20 * ORR_SECOND);
        assert_int_equal(q->deadline, 200 * ORR_SECOND);
        assert_int_equal(q->ending, ORR_LOG_FAILED);
    } else if (strcmp(q->id, "B") == 0) {
        assert_int_equal(q->pool, 1);
        assert_int_equal(q->deadline, ORR_TIME_NONE);
    }
    assert_int_equal(q->pinned, strcmp(q->id, "E") == 0);
}

static void tells_what_was_asked(void **state)
{
    (void)state;
    orr_error e = {0};
    const orr_log_record *r;
    size_t n = 0;
    orr_text bytes = scene_log();
    orr_log *log = orr_log_memory("scene", bytes.at, bytes.n, &e);
    while (orr_log_next(log, &r, &e) == ORR_OK && r)
        if (r->kind == ORR_LOG_SUBMIT) {
            check_request(r->request);
            n++;
        }
    assert_int_equal(n, 10);
    orr_log_close(log);
    orr_text_fini(&bytes);
}

/* Only what changes something has a record, and each has one decision before it. */
static void decisions_that_do_nothing_leave_no_trace(void **state)
{
    (void)state;
    orr_error e = {0};
    const orr_log_record *r;
    orr_log_kind last = ORR_LOG_NONE;
    uint64_t decisions = 0, commits = 0;
    orr_text bytes = scene_log();
    orr_log *log = orr_log_memory("scene", bytes.at, bytes.n, &e);
    while (orr_log_next(log, &r, &e) == ORR_OK && r) {
        assert_false(last == ORR_LOG_DECIDE && r->kind == ORR_LOG_DECIDE);
        decisions += r->kind == ORR_LOG_DECIDE;
        last = r->kind;
        if (r->kind == ORR_LOG_STOP) {
            commits = r->counts.commits;
            assert_true(r->counts.decisions > commits);
        }
    }
    assert_int_equal(decisions, commits);
    assert_int_equal(decisions, 12); /* at 0 5 10 15 20 30 40 50 60 70 80 111 */
    orr_log_close(log);
    orr_text_fini(&bytes);
}

static void equal_runs_have_equal_logs(void **state)
{
    (void)state;
    orr_text a = scene_log(), b = scene_log();
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    orr_text_fini(&a);
    orr_text_fini(&b);
}

/* Two nodes and their names: alike and numbered they are one run, else each its own. */
static void equal_nodes_are_told_once(void **state)
{
    (void)state;
    orr_error e = {0};
    stage *s = stage_create("nodes=200,gpus=8,type=V100");
    stage_add(s, stage_job("A", 0, 1, 1));
    orr_text bytes = scene_run(s);
    orr_log *log = orr_log_memory("nodes", bytes.at, bytes.n, &e);
    assert_int_equal(orr_log_header_of(log)->node_runs, 1);
    assert_int_equal(orr_log_node_count(orr_log_header_of(log)), 200);
    orr_log_close(log);
    orr_text_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_happens),         cmocka_unit_test(tells_the_terms),
        cmocka_unit_test(tells_what_was_asked),       cmocka_unit_test(decisions_that_do_nothing_leave_no_trace),
        cmocka_unit_test(equal_runs_have_equal_logs), cmocka_unit_test(equal_nodes_are_told_once),
    };
    return cmocka_run_group_tests_name("sink", tests, NULL, NULL);
}
