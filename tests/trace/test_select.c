/* Parts of a trace: each rule on a few jobs worked out by hand. */
#include "reading.h"
#include "trace/columns.h"
#include <orrery/select.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Submit, start, end: a ended before 100, b runs at 100, c waits at 100, d comes later, e at 200. */
static const char five[] = "job_id,submit,start,end,duration,gpus,user,vc,deadline,mood\n"
                           "a,0,0,50,50,1,u1,v1,,glad\n"
                           "b,10,20,150,130,2,u1,v1,500,\n"
                           "c,60,120,130,10,4,u2,v1,,sad\n"
                           "d,110,110,115,5,8,u2,v2,400,3\n"
                           "e,200,210,260,50,1,u3,v2,,4\n";

static void ids_are(const orr_trace *t, const char *expected)
{
    orr_text ids = {0};
    for (size_t i = 0; i < orr_trace_count(t); i++)
        orr_text_addf(&ids, "%s", orr_trace_jobs(t)[i].id);
    assert_string_equal(ids.at, expected);
    orr_text_fini(&ids);
}

static orr_trace *part(const char *text, orr_selection s)
{
    orr_error e = {0};
    orr_trace *whole = reading_well(text, NULL);
    orr_trace *t = orr_trace_select(whole, &s, &e);
    if (!t)
        fail_msg("%s", e.message);
    assert_int_equal(orr_trace_rows_read(t), orr_trace_rows_read(whole));
    orr_trace_destroy(whole);
    return t;
}

static void everything(void **state)
{
    (void)state;
    orr_trace *t = part(five, orr_selection_all());
    ids_are(t, "abcde");
    assert_string_equal(orr_trace_attribute(t, &orr_trace_jobs(t)[2], "mood"), "sad");
    assert_int_equal(orr_trace_jobs(t)[1].deadline, 500 * ORR_SECOND);
    assert_int_equal(strlen(orr_trace_digest(t)), 64);
    orr_trace_destroy(t);
}

static void conditions(void **state)
{
    static const struct {
        const char *where, *ids;
    } rows[] = {
        {"gpus >= 2", "bcd"}, {"user = u1", "ab"}, {"wait > 5s", "bce"}, {"jct = 140", "b"}, {"gpu_time > 200", "b"},
        {"known(deadline)", "bd"}, {"mood = sad or vc = v2", "cde"}, {"not known(mood)", "b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_selection s = orr_selection_all();
        s.where = rows[i].where;
        orr_trace *t = part(five, s);
        ids_are(t, rows[i].ids);
        assert_int_equal(noted(t, "condition"), 5 - strlen(rows[i].ids));
        orr_trace_destroy(t);
    }
}

/* An attribute all of whose values are numbers is one. */
static void numeric_attributes(void **state)
{
    orr_selection s = orr_selection_all();
    (void)state;
    s.where = "score >= 10";
    orr_trace *t = part("submit,duration,gpus,score\n0,1,1,9\n1,1,1,10\n2,1,1,\n3,1,1,1e2\n", s);
    ids_are(t, "13");
    orr_trace_destroy(t);
}

/* Whatever a column of our CSV holds can be asked for. */
static void every_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < ORR_COLUMNS; i++) {
        orr_selection s = orr_selection_all();
        orr_text where = {0};
        orr_text_addf(&where, "known(%s) or gpus > 0", orr_columns[i].name);
        s.where = where.at;
        orr_trace *t = part(five, s);
        ids_are(t, "abcde");
        orr_trace_destroy(t);
        orr_text_fini(&where);
    }
}

/* b follows a, after 5 s; c ran for 9 s before the origin. */
static void conditions_on_the_past(void **state)
{
    static const char three[] = "job_id,submit,start,end,duration,gpus,after,think,ran\n"
                                "a,0,0,50,50,1,,,\nb,0,,,130,2,a,5,\nc,0,,,10,4,,,9\n";
    static const char *const rows[][2] = {
        {"after = 1", "b"}, {"think > 4s", "b"}, {"ran = 9s", "c"}, {"known(ran)", "c"}, {"starts = 1", "a"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_selection s = orr_selection_all();
        s.where = rows[i][0];
        orr_trace *t = part(three, s);
        ids_are(t, rows[i][1]);
        orr_trace_destroy(t);
    }
}

static void lists_and_bounds(void **state)
{
    static const char *const v2[] = {"v2"}, *const users[] = {"u1", "u3"};
    orr_selection s = orr_selection_all();
    (void)state;
    s.vcs = v2;
    s.vc_count = 1;
    orr_trace *t = part(five, s);
    ids_are(t, "de");
    assert_int_equal(noted(t, "other-vc"), 3);
    orr_trace_destroy(t);
    s = orr_selection_all();
    s.users = users;
    s.user_count = 2;
    s.min_gpus = 1;
    s.max_gpus = 1;
    t = part(five, s);
    ids_are(t, "ae");
    assert_int_equal(noted(t, "other-user"), 2);
    assert_int_equal(noted(t, "other-size"), 1);
    orr_trace_destroy(t);
}

/* b had run 80 s of its 130 at the cut and keeps 50; c waited; d comes 10 s after the cut. */
static void start_state(void **state)
{
    orr_selection s = orr_selection_all();
    (void)state;
    s.from = 100 * ORR_SECOND;
    s.to = 200 * ORR_SECOND;
    orr_trace *t = part(five, s);
    const orr_trace_job *jobs = orr_trace_jobs(t);
    ids_are(t, "bcd");
    assert_int_equal(jobs[0].submit, 0);
    assert_int_equal(jobs[0].ran, 80 * ORR_SECOND);
    assert_int_equal(jobs[0].duration, 50 * ORR_SECOND);
    assert_int_equal(jobs[0].start, -80 * ORR_SECOND);
    assert_int_equal(jobs[0].deadline, 400 * ORR_SECOND);
    assert_true(jobs[0].carried);
    assert_int_equal(jobs[1].submit, 0);
    assert_int_equal(jobs[1].ran, ORR_TIME_NONE);
    assert_int_equal(jobs[1].duration, 10 * ORR_SECOND);
    assert_true(jobs[1].carried);
    assert_int_equal(jobs[2].submit, 10 * ORR_SECOND);
    assert_false(jobs[2].carried);
    assert_int_equal(noted(t, "before-window"), 1);
    assert_int_equal(noted(t, "after-window"), 1);
    orr_trace_destroy(t);
}

static void a_window_without_recorded_starts(void **state)
{
    orr_selection s = orr_selection_all();
    (void)state;
    s.from = 5 * ORR_SECOND;
    orr_trace *t = part("submit,duration,gpus\n0,100,1\n5,1,1\n9,1,1\n", s);
    ids_are(t, "12");
    assert_int_equal(orr_trace_jobs(t)[0].submit, 0);
    assert_int_equal(noted(t, "before-window-unknown"), 1);
    orr_trace_destroy(t);
}

static void the_origin_moves_along(void **state)
{
    orr_selection s = orr_selection_all();
    (void)state;
    s.from = ORR_DAY;
    orr_trace *t = part("submit,duration,gpus\n2020-01-01,1,1\n2020-01-02 12:00,1,1\n", s);
    assert_string_equal(orr_trace_origin(t), "2020-01-02 00:00:00");
    assert_int_equal(orr_trace_jobs(t)[0].submit, 12 * ORR_HOUR);
    orr_trace_destroy(t);
}

static void load_and_limit(void **state)
{
    orr_selection s = orr_selection_all();
    (void)state;
    s.scale_load = 2;
    s.limit = 4;
    orr_trace *t = part(five, s);
    ids_are(t, "abcd");
    assert_int_equal(orr_trace_jobs(t)[1].submit, 5 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[1].deadline, 495 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[1].duration, 130 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)[1].start, ORR_TIME_NONE);
    assert_int_equal(noted(t, "over-limit"), 1);
    orr_trace_destroy(t);
}

static orr_trace *many(void)
{
    orr_text text = {0};
    orr_text_addf(&text, "submit,duration,gpus\n");
    for (int i = 0; i < 10000; i++)
        orr_text_addf(&text, "%d,1,1\n", i);
    orr_trace *t = reading_well(text.at, NULL);
    orr_text_fini(&text);
    return t;
}

/* 10,000 coins of 0.25: within six deviations (260) of 2,500. The same seed takes the same jobs; what a smaller share
 * takes, a larger takes too. */
static void samples(void **state)
{
    orr_selection s = orr_selection_all();
    orr_error e = {0};
    (void)state;
    orr_trace *whole = many();
    s.sample = 0.25;
    orr_trace *a = orr_trace_select(whole, &s, &e), *b = orr_trace_select(whole, &s, &e);
    s.sample = 0.5;
    orr_trace *half = orr_trace_select(whole, &s, &e);
    const size_t n = orr_trace_count(a);
    assert_in_range(n, 2240, 2760);
    assert_int_equal(orr_trace_count(b), n);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(orr_trace_jobs(a)[i].id, orr_trace_jobs(b)[i].id);
        while (k < orr_trace_count(half) && strcmp(orr_trace_jobs(half)[k].id, orr_trace_jobs(a)[i].id) != 0)
            k++;
    }
    assert_true(k < orr_trace_count(half));
    assert_int_equal(noted(a, "not-sampled"), 10000 - n);
    orr_trace_destroy(a);
    orr_trace_destroy(b);
    orr_trace_destroy(half);
    orr_trace_destroy(whole);
}

static void refusals(void **state)
{
    static const struct {
        orr_selection s;
        orr_err code;
    } rows[] = {
        {{.from = ORR_TIME_NONE, .to = ORR_TIME_NONE, .sample = 0, .scale_load = 1}, ORR_E_BAD_VALUE},
        {{.from = ORR_TIME_NONE, .to = ORR_TIME_NONE, .sample = 1, .scale_load = 0}, ORR_E_BAD_VALUE},
        {{.from = 5, .to = 5, .sample = 1, .scale_load = 1}, ORR_E_BAD_VALUE},
        {{.from = ORR_TIME_NONE, .to = ORR_TIME_NONE, .sample = 1, .scale_load = 1, .min_gpus = 4, .max_gpus = 2},
         ORR_E_BAD_VALUE},
        {{.from = ORR_TIME_NONE, .to = ORR_TIME_NONE, .sample = 1, .scale_load = 1, .where = "gpus >"}, ORR_E_BAD_VALUE},
        {{.from = ORR_TIME_NONE, .to = ORR_TIME_NONE, .sample = 1, .scale_load = 1, .where = "gpus > 9"}, ORR_E_NO_JOBS},
    };
    (void)state;
    orr_trace *whole = reading_well(five, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        assert_null(orr_trace_select(whole, &rows[i].s, &e));
        assert_int_equal(e.code, rows[i].code);
    }
    orr_trace_destroy(whole);
}

/* 100,000,000.000000001 s is beyond what a double holds. */
static void arrivals_stay_exact(void **state)
{
    orr_selection s = orr_selection_all();
    const orr_trace_request *requests;
    (void)state;
    s.limit = 2;
    orr_trace *t = part("arrival,tokens_in\n0,1\n99999999.000000001,1\n99999999.5,1\n", s);
    assert_int_equal(orr_trace_requests(t, &requests), 2);
    assert_int_equal(requests[1].arrival, 99999999 * ORR_SECOND + 1);
    orr_trace_destroy(t);
}

/* A job that was withdrawn before the first one that ran came at -60 s: without a window it stays. */
static void withdrawn_jobs_before_the_first(void **state)
{
    static const char text[] =
        "JobID|State|Submit|Start|End|ElapsedRaw|AllocTRES|ReqTRES\n"
        "1|CANCELLED by 7|2020-01-01T00:00:00|None|2020-01-01T00:00:30|0||gres/gpu=1\n"
        "2|COMPLETED|2020-01-01T00:01:00|2020-01-01T00:01:00|2020-01-01T00:02:00|60|gres/gpu=1|gres/gpu=1\n";
    orr_selection s = orr_selection_all();
    const orr_trace_job *withdrawn;
    (void)state;
    s.min_gpus = 1;
    orr_trace *t = part(text, s);
    assert_int_equal(orr_trace_withdrawn(t, &withdrawn), 1);
    assert_int_equal(withdrawn->submit, -60 * ORR_SECOND);
    orr_trace_destroy(t);
    s.from = 0;
    t = part(text, s);
    assert_int_equal(orr_trace_withdrawn(t, &withdrawn), 0);
    orr_trace_destroy(t);
}

static void links_follow(void **state)
{
    orr_selection s = orr_selection_all();
    (void)state;
    s.where = "gpus = 1";
    orr_trace *t = part("job_id,submit,duration,gpus,after,think\na,0,5,1,,\nb,1,5,2,,\nc,2,5,1,a|b,7\n", s);
    const orr_trace_job *c = &orr_trace_jobs(t)[1];
    assert_int_equal(c->after_count, 1);
    assert_string_equal(c->after[0].id, "a");
    assert_int_equal(c->after[0].job, 0);
    assert_int_equal(c->think, 7 * ORR_SECOND);
    assert_int_equal(noted(t, "unknown-predecessor"), 1);
    orr_trace_destroy(t);
}

static void circles_are_opened(void **state)
{
    (void)state;
    orr_trace *t = reading_well("job_id,submit,duration,gpus,after\na,0,5,1,b\nb,1,5,2,c\nc,2,5,1,a\nd,3,5,1,d|a\n", NULL);
    assert_int_equal(noted(t, "circular-after"), 2);
    assert_int_equal(orr_trace_jobs(t)[2].after_count, 0);
    assert_int_equal(orr_trace_jobs(t)[3].after_count, 1);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),       cmocka_unit_test(conditions),
        cmocka_unit_test(numeric_attributes), cmocka_unit_test(lists_and_bounds),
        cmocka_unit_test(every_column),     cmocka_unit_test(conditions_on_the_past),
        cmocka_unit_test(start_state),      cmocka_unit_test(a_window_without_recorded_starts),
        cmocka_unit_test(the_origin_moves_along), cmocka_unit_test(load_and_limit),
        cmocka_unit_test(samples),          cmocka_unit_test(refusals),
        cmocka_unit_test(arrivals_stay_exact), cmocka_unit_test(withdrawn_jobs_before_the_first),
        cmocka_unit_test(links_follow),     cmocka_unit_test(circles_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
