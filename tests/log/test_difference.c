/* Where two runs of the same jobs part, and the story of one job, by hand. */
#include "../trace/scratch.h"
#include "../verify/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One GPU. A 10 s at 0, B 8 s at 1, C 2 s at 2, D 2 s at 30. fifo: A B C D; sjf: A C B D, so that they part at 10. */
static void write_log(const char *path, const char *policy, const char *costs)
{
    orr_error e = {0};
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 0, 1, 10));
    stage_add(s, stage_job("B", 1, 1, 8));
    stage_add(s, stage_job("C", 2, 1, 2));
    stage_add(s, stage_job("D", 30, 1, 2));
    s->options.policy = policy;
    s->options.costs = costs;
    orr_log_sink *sink = orr_log_sink_create(path, "all", &e);
    assert_non_null(sink);
    s->also = orr_log_sink_sink(sink);
    stage_run(s);
    stage_destroy(s);
    assert_int_equal(orr_log_sink_commit(sink, &e), ORR_OK);
}

typedef struct two {
    char folder[64], a[80], b[80];
} two;

static two both(const char *policy_a, const char *costs_a, const char *policy_b, const char *costs_b)
{
    two t = {.folder = ""};
    scratch_folder(t.folder);
    snprintf(t.a, sizeof t.a, "%s/a", t.folder);
    snprintf(t.b, sizeof t.b, "%s/b", t.folder);
    write_log(t.a, policy_a, costs_a);
    write_log(t.b, policy_b, costs_b);
    return t;
}

static void the_first_decision_that_differs(void **state)
{
    (void)state;
    two t = both("fifo", NULL, "sjf", NULL);
    static const char *const ids[] = {"C", "A", "D", "nobody"};
    orr_log_difference overall, each[4];
    orr_error e = {0};
    assert_int_equal(orr_log_first_difference(t.a, t.b, &overall, ids, 4, each, &e), ORR_OK);
    assert_true(overall.differs && overall.found);
    assert_string_equal(overall.id, "B"); /* of B and C the first in the trace */
    assert_true(overall.a.kind == ORR_LOG_START && overall.a.at == 10 * ORR_SECOND);
    assert_string_equal(overall.a.text, "start on node0:0");
    assert_true(overall.b.kind == ORR_LOG_START && overall.b.at == 12 * ORR_SECOND);
    assert_true(each[0].differs && each[0].found);
    assert_true(each[0].a.at == 18 * ORR_SECOND && each[0].b.at == 10 * ORR_SECOND);
    assert_true(!each[1].differs && each[1].found);
    assert_true(!each[2].differs && each[2].found);
    assert_true(!each[3].differs && !each[3].found);
    assert_string_equal(each[3].id, "nobody");
    scratch_remove(t.folder);
}

static void equal_runs_do_not_differ(void **state)
{
    (void)state;
    two t = both("fifo", NULL, "fifo", NULL);
    orr_log_difference overall;
    orr_error e = {0};
    assert_int_equal(orr_log_first_difference(t.a, t.b, &overall, NULL, 0, NULL, &e), ORR_OK);
    assert_false(overall.differs);
    scratch_remove(t.folder);
}

/* What is paid is part of what was decided. */
static void other_costs_show_at_the_first_start(void **state)
{
    (void)state;
    two t = both("fifo", NULL, "fifo", "start=3s");
    orr_log_difference overall;
    orr_error e = {0};
    assert_int_equal(orr_log_first_difference(t.a, t.b, &overall, NULL, 0, NULL, &e), ORR_OK);
    assert_true(overall.differs && overall.a.at == 0 && overall.b.at == 0);
    assert_string_equal(overall.id, "A");
    assert_string_equal(overall.b.text, "start on node0:0, pays 3 s");
    scratch_remove(t.folder);
}

static void missing_and_damaged_logs_are_told(void **state)
{
    (void)state;
    two t = both("fifo", NULL, "sjf", NULL);
    orr_log_difference overall;
    orr_error e = {0};
    assert_int_equal(orr_log_first_difference(t.a, "/no/such", &overall, NULL, 0, NULL, &e), ORR_E_OPEN);
    assert_int_equal(e.code, ORR_E_OPEN);
    e = (orr_error){0};
    scratch_write(t.folder, "c", "what?");
    snprintf(t.b, sizeof t.b, "%s/c", t.folder);
    assert_int_equal(orr_log_first_difference(t.a, t.b, &overall, NULL, 0, NULL, &e), ORR_E_FORMAT);
    scratch_remove(t.folder);
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

typedef struct story {
    orr_text text;
    int most;
} story;

static bool add(void *self, const orr_log_header *header, const orr_log_record *r)
{
    story *s = self;
    char at[ORR_TIME_BUF];
    assert_int_equal(orr_log_node_count(header), 1);
    orr_time_format(r->at, at);
    orr_text_addf(&s->text, "%s %s; ", at, orr_log_kind_name(r->kind));
    return --s->most != 0;
}

static void a_job_has_its_story(void **state)
{
    (void)state;
    two t = both("fifo", NULL, "srtf", NULL);
    orr_error e = {0};
    story s = {.most = -1};
    assert_int_equal(orr_log_of_job(t.b, "A", add, &s, &e), ORR_OK);
    assert_string_equal(s.text.at, "0 submit; 0 start; 1 preempt; 11 start; 20 finish; "); /* C 2-4, B 1-2 and 4-11 */
    orr_text_clear(&s.text);
    s.most = 2;
    assert_int_equal(orr_log_of_job(t.b, "A", add, &s, &e), ORR_OK);
    assert_string_equal(s.text.at, "0 submit; 0 start; ");
    assert_int_equal(orr_log_of_job(t.b, "E", add, &s, &e), ORR_E_BAD_VALUE);
    assert_string_equal(e.text, "E");
    orr_text_fini(&s.text);
    scratch_remove(t.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_decision_that_differs),
        cmocka_unit_test(equal_runs_do_not_differ),
        cmocka_unit_test(other_costs_show_at_the_first_start),
        cmocka_unit_test(missing_and_damaged_logs_are_told),
        cmocka_unit_test(a_job_has_its_story),
    };
    return cmocka_run_group_tests_name("difference", tests, NULL, NULL);
}
