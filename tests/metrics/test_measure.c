/* The measured set as a text. */
#include <orrery/metrics.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void reads_and_writes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *again;
    } rows[] = {
        {"all", "all"},
        {"completed", "completed"},
        {"jobs:0..1", "jobs:0..1"},
        {"jobs:5..", "jobs:5.."},
        {"jobs:..7", "jobs:..7"},
        {"time:1h..2d", "time:3600..172800"},
        {"time:0.5..1.25", "time:0.5..1.25"},
        {"completed,time:..10m", "completed,time:..600"},
        {"time:1..2,jobs:3..4,completed", "completed,jobs:3..4,time:1..2"},
        {"all+censored", "all+censored"},
        {"all+carried", "all+carried"},
        {"completed+carried+censored", "completed+censored+carried"},
        {"jobs:3..4,all+carried", "all+carried,jobs:3..4"},
        {"all+censored,completed,all+carried", "completed+censored+carried"},
        {"warmup:1d", "warmup:86400"},
        {"cooldown:90,warmup:0.5,completed", "completed,warmup:0.5,cooldown:90"},
        {"warmup:0", "all"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_measure m;
        char buf[ORR_MEASURE_BUF];
        if (orr_measure_parse(rows[i].text, &m, &e))
            fail_msg("%s: %s", rows[i].text, e.message);
        assert_int_equal(orr_measure_format(&m, buf), strlen(rows[i].again));
        assert_string_equal(buf, rows[i].again);
    }
}

static void fields(void **state)
{
    (void)state;
    orr_measure m;
    assert_int_equal(orr_measure_parse("completed,jobs:3..8,time:1m..", &m, NULL), ORR_OK);
    assert_true(m.completed_only);
    assert_int_equal(m.job_from, 3);
    assert_int_equal(m.job_to, 8);
    assert_int_equal(m.from, ORR_MINUTE);
    assert_true(m.to == ORR_TIME_NONE);
    assert_true(!m.censored && !m.carried);
    assert_int_equal(orr_measure_parse("all+carried", &m, NULL), ORR_OK);
    assert_true(m.carried && !m.censored && !m.completed_only);
}

static void the_widest_text_fits(void **state)
{
    (void)state;
    orr_measure m = {true, INT64_MAX - 1, INT64_MAX, -ORR_TIME_MAX, -ORR_TIME_MAX + 1, true, true,
                     ORR_TIME_MAX, ORR_TIME_MAX, 0, 0};
    char buf[ORR_MEASURE_BUF];
    assert_in_range(orr_measure_format(&m, buf), 1, ORR_MEASURE_BUF - 1);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "", "everything", "jobs:", "jobs:..", "jobs:5", "jobs:a..b", "jobs:-1..2", "jobs:4..4", "jobs:5..4",
        "time:x..y", "time:2..1", "completed,", ",all", "jobs:1..2,jobs:3..4", "time:1..2,time:..4", "jobs:1.5..2",
        "all+", "all+censored+", "all+late", "allcensored", "+censored", "censored", "jobs:1..2+carried", "all+censored carried",
        "warmup:", "warmup:x", "warmup:-5", "warmup:1,warmup:2", "cooldown:1..2", "warmup",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_measure m = orr_measure_default();
        if (orr_measure_parse(rows[i], &m, &e) != ORR_E_BAD_VALUE)
            fail_msg("\"%s\" was taken", rows[i]);
        assert_true(e.message[0] && e.hint[0]);
        assert_int_equal(m.job_from, -1); /* untouched */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes),
        cmocka_unit_test(fields),
        cmocka_unit_test(the_widest_text_fits),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
