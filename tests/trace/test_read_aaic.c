/* Workloads of the AIST Artificial Intelligence Cloud, by hand: no public file is at hand. The order of the columns is
 * their makers', and so are the names of the header that is used here where they are known. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define HEADER "id, user, group, queue, nodes, gpus, walltime_req, termcode, s, b, e, w, walltime\n"
#define GOOD "1, 10, 20, 0, 2, 8, 3600, 0, 1500000000, 1500000060, 1500000160, 60, 100\n"

static void with_and_without_header(void **state)
{
    (void)state;
    static const char *const texts[] = {GOOD, HEADER GOOD, "\xEF\xBB\xBF" HEADER GOOD};
    const orr_trace_options by_name = {.format = "aaic", .strict = true};
    for (int i = 0; i < 4; i++) {
        orr_trace *t = reading_well(texts[i % 3], i == 3 || i == 0 ? &by_name : NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        assert_string_equal(orr_trace_format(t), "aaic");
        assert_int_equal(orr_trace_count(t), 1);
        assert_int_equal(orr_trace_rows_read(t), 1);
        assert_string_equal(job->id, "1");
        assert_string_equal(job->user, "10");
        assert_string_equal(job->vc, "0");
        assert_int_equal(job->gpus, 16); /* 8 on each of 2 nodes */
        assert_int_equal(job->limit, 3600 * ORR_SECOND);
        assert_int_equal(job->submit, 0);
        assert_int_equal(job->start, 60 * ORR_SECOND);
        assert_int_equal(job->end, 160 * ORR_SECOND);
        assert_int_equal(job->duration, 100 * ORR_SECOND);
        assert_int_equal(job->line, i % 3 ? 2 : 1);
        assert_string_equal(orr_trace_origin(t), "2017-07-14 02:40:00Z");
        assert_string_equal(orr_trace_attribute(t, job, "unix_group"), "20");
        assert_string_equal(orr_trace_attribute(t, job, "nodes"), "2");
        assert_string_equal(orr_trace_attribute(t, job, "gpus_per_node"), "8");
        assert_int_equal(t->notes.n, 0);
        orr_trace_destroy(t);
    }
}

static void rows(void **state)
{
    (void)state;
    static const struct {
        const char *row, *note;
        int64_t seconds; /* -1: dropped */
        orr_ending ending;
    } cases[] = {
        {"2,1,1,1,1,1,60,1,1500000000,1500000001,1500000003,1,2", NULL, 2, ORR_ENDING_FAILED},
        {"2,1,1,1,1,1,60,2,1500000000,1500000001,1500000061,1,60", NULL, 60, ORR_ENDING_KILLED},
        {"2,1,1,1,1,1,60,3,1500000000,1500000001,1500000003,1,2", NULL, 2, ORR_ENDING_KILLED},
        {"2,1,1,1,1,1,60,4,1500000000,1500000001,1500000003,1,2", NULL, 2, ORR_ENDING_KILLED},
        {"2,1,1,1,1,1,60,9,1500000000,1500000001,1500000003,1,2", "unknown-state", 2, ORR_ENDING_DONE},
        {"2,1,1,1,1,1,60,0,1500000000,1500000001,1500000003,1,5", "duration-mismatch", 2, ORR_ENDING_DONE},
        {"2,1,1,1,1,1,60,3,1500000000,0,1500000003,3,0", "never-ran", -1, 0},
        {"2,1,1,1,1,1,60,3,1500000000,,,,", "never-ran", -1, 0},
        {"2,1,1,1,1,1,60,0,1500000000,,,,", "no-duration", -1, 0},
        {"2,1,1,1,,1,60,0,1500000000,1500000001,1500000003,1,2", "no-gpus", -1, 0},
        {"2,1,1,1,1,0,60,0,1500000000,1500000001,1500000003,1,2", "cpu-only", -1, 0},
        {"2,1,1,1,-1,1,60,0,1500000000,1500000001,1500000003,1,2", "negative-gpus", -1, 0},
        {"2,1,1,1,900000,8,60,0,1500000000,1500000001,1500000003,1,2", "too-many-gpus", -1, 0},
        {"2,1,1,1,1,1,60,0,1500000000,1500000001,1500000003,1", "ragged-row", -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_text text = {0};
        orr_text_addf(&text, HEADER GOOD "%s\n", cases[i].row);
        orr_trace *t = reading_well(text.at, NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        bool right = orr_trace_count(t) == (cases[i].seconds < 0 ? 1u : 2u);
        right = right && (cases[i].note ? noted(t, cases[i].note) == 1 && t->notes.n == 1 : t->notes.n == 0);
        if (right && cases[i].seconds >= 0)
            right = job[1].duration == cases[i].seconds * ORR_SECOND && job[1].ending == cases[i].ending;
        if (!right)
            fail_msg("%s", cases[i].row);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void withdrawn(void **state)
{
    (void)state;
    const orr_trace_job *gone;
    orr_trace *t = reading_well(HEADER GOOD "2,1,1,1,3,8,60,3,1500000010,0,1500000013,3,0\n", NULL);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 1);
    assert_int_equal(gone->gpus, 24);
    assert_int_equal(gone->submit, 10 * ORR_SECOND);
    assert_int_equal(gone->end, 13 * ORR_SECOND);
    orr_trace_destroy(t);
}

static void not_told_without_a_header(void **state)
{
    (void)state;
    orr_error e;
    assert_null(reading(GOOD, NULL, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
}

static void empty(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options by_name = {.format = "aaic"};
    assert_null(reading("", &by_name, &e));
    assert_int_equal(e.code, ORR_E_EMPTY);
    assert_null(reading(HEADER, &by_name, &e));
    assert_int_equal(e.code, ORR_E_EMPTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_and_without_header),   cmocka_unit_test(rows),  cmocka_unit_test(withdrawn),
        cmocka_unit_test(not_told_without_a_header), cmocka_unit_test(empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
