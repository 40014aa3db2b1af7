/* Estimators that learn from finished jobs: what they say, worked out by hand; and that none knows anything before it
 * happened. Everyone finds GPUs at once here, so a job ends at submit + duration. */
#include "probe.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Nobody has finished before 40. At 50 a2 has (40 s): b's mean is that of all. At 200 a has 100 and 40; c has nothing:
 * (100 + 40 + 20) / 3. */
static void user_mean(void **state)
{
    (void)state;
    const run_job jobs[] = {
        {.id = "a1", .user = "a", .gpus = 1, .duration = 100},
        {.id = "a2", .user = "a", .gpus = 2, .duration = 40},
        {.id = "b1", .user = "b", .submit = 50, .gpus = 1, .duration = 20},
        {.id = "a3", .user = "a", .submit = 200, .gpus = 1, .duration = 1},
        {.id = "b2", .user = "b", .submit = 200, .gpus = 1, .duration = 1},
        {.id = "c1", .user = "c", .submit = 200, .gpus = 1, .duration = 1},
    };
    const double expected[] = {3600, 3600, 40, 70, 20, 160.0 / 3};
    const double guessed[] = {90, 90};
    probe_expect(jobs, RUN_COUNT(jobs), "user-mean", expected);
    probe_expect(jobs, 2, "user-mean,guess=90s", guessed);
}

/* The past of the tests of `rolling`; all of it has finished at 1000. */
#define PAST                                                                                                           \
    {.id = "1", .user = "a", .name = "train_a", .gpus = 1, .duration = 10},                                            \
        {.id = "2", .user = "a", .name = "train_a", .gpus = 1, .duration = 20},                                        \
        {.id = "3", .user = "a", .name = "train_a", .gpus = 2, .duration = 90},                                        \
        {.id = "4", .user = "a", .name = "train_c", .gpus = 1, .duration = 600},                                       \
        {.id = "5", .user = "b", .name = "train_a", .gpus = 1, .duration = 500},                                       \
        {.id = "6", .user = "b", .name = "eval", .gpus = 4, .duration = 7}
#define NOW .submit = 1000, .duration = 1
enum { G = 3600 };

/* The user's jobs of this name: with as many GPUs, else all of them; else everyone's of this name. */
static void rolling_by_name(void **state)
{
    (void)state;
    const run_job jobs[] = {
        PAST,
        {.id = "7", .user = "a", .name = "train_a", .gpus = 1, NOW}, /* (10 + 20) / 2 */
        {.id = "8", .user = "a", .name = "train_a", .gpus = 4, NOW}, /* (10 + 20 + 90) / 3 */
        {.id = "9", .user = "a", .name = "eval", .gpus = 1, NOW},    /* b's only */
        {.id = "A", .user = "z", .name = "train_a", .gpus = 2, NOW}, /* (10 + 20 + 90 + 500) / 4, whatever the GPUs */
    };
    const double expected[] = {G, G, G, G, G, G, 15, 40, 7, 155};
    probe_expect(jobs, RUN_COUNT(jobs), "rolling", expected);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,matches=0", expected);
}

/* No job was called train_bb. By Python's difflib train_a and train_c are like it to 0.8, eval to 0.167. With one
 * match the greater text of two that are equally close counts. */
static void rolling_by_close_names(void **state)
{
    (void)state;
    const run_job jobs[] = {
        PAST,
        {.id = "7", .user = "a", .name = "train_bb", .gpus = 1, NOW},
        {.id = "8", .user = "b", .name = "train_bb", .gpus = 8, NOW},
        {.id = "9", .user = "z", .name = "train_bb", .gpus = 1, NOW},
        {.id = "A", .user = "b", .name = "nothing like it", .gpus = 1, NOW},
        {.id = "B", .user = "z", .name = "nothing like it", .gpus = 1, NOW},
    };
    const double all = (10 + 20 + 90 + 600 + 500 + 7) / 6.0;
    const double two[] = {G, G, G, G, G, G, 210, 500, 244, 253.5, all};   /* 630 / 3; 500; 1220 / 5; 507 / 2 */
    const double one[] = {G, G, G, G, G, G, 600, 600, 600, 253.5, all};   /* train_c alone, which b hasn't run */
    const double none[] = {G, G, G, G, G, G, 180, 253.5, all, 253.5, all};/* the user's jobs, or all */
    probe_expect(jobs, RUN_COUNT(jobs), "rolling", two);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,matches=1", one);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,matches=0", none);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,cut=0.81", none);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,cut=0.8", two);
}

/* Names become known in the order of ends: eval 7, train_a 10, train_c 600. The latest two don't hold eval, the
 * latest doesn't hold train_a. */
static void rolling_looks_at_the_latest_names(void **state)
{
    (void)state;
    const run_job jobs[] = {
        PAST,
        {.id = "7", .user = "z", .name = "eval1", .gpus = 1, NOW},
        {.id = "8", .user = "z", .name = "train_bb", .gpus = 1, NOW},
    };
    const double all = 1227 / 6.0;
    const double three[] = {G, G, G, G, G, G, 7, 244}, two[] = {G, G, G, G, G, G, all, 244};
    const double one[] = {G, G, G, G, G, G, all, 600};
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,look=3", three);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,look=2", two);
    probe_expect(jobs, RUN_COUNT(jobs), "rolling,look=1", one);
}

/* Sixteen jobs, eight of a user each, and nothing else differs: the intercept is the mean of the logs, 8 / (8 +
 * lambda) of the rest is the user's. With 15 there is no regression yet, and the mean of all stands in. */
enum { EACH = 8 };

static void two_users(run_job jobs[2 * EACH + 2], char ids[2 * EACH + 2][8], double a, double b)
{
    for (int i = 0; i < 2 * EACH + 2; i++) {
        snprintf(ids[i], sizeof ids[i], "j%02d", i);
        jobs[i] = (run_job){.id = ids[i], .user = i % 2 ? "b" : "a", .gpus = 1, .duration = i % 2 ? b : a};
        jobs[i].submit = i < 2 * EACH ? 0 : 100;
    }
}

static double shrunk(double own, double mean, double lambda)
{
    return expm1(mean + EACH / (EACH + lambda) * (own - mean));
}

static void ridge_by_hand(void **state)
{
    (void)state;
    run_job jobs[2 * EACH + 2];
    char ids[2 * EACH + 2][8];
    double got[2 * EACH + 2], a = log1p(10), b = log1p(90), mean = (a + b) / 2;
    two_users(jobs, ids, 10, 90);
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "ridge,buckets=2048", got);
    assert_true(got[0] == 3600);
    assert_true(fabs(got[2 * EACH] - shrunk(a, mean, 1)) < 1e-6);
    assert_true(fabs(got[2 * EACH + 1] - shrunk(b, mean, 1)) < 1e-6);
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "ridge,buckets=2048,lambda=4", got);
    assert_true(fabs(got[2 * EACH] - shrunk(a, mean, 4)) < 1e-6);
    probe_jobs(jobs + 1, RUN_COUNT(jobs) - 1, "64", "ridge", got);
    assert_true(fabs(got[2 * EACH - 1] - (7 * 10 + 8 * 90) / 15.0) < 1e-6);
}

/* A relative trace begins with January: at 100 s no month is over, and the mean of all stands in. In February the
 * regression has its say, on nine jobs of a and eight of b; what they have in common is the intercept's. With l =
 * lambda, the intercept c is the mean of both logs weighed by n / (n + l), and n / (n + l) of the rest is the
 * user's. */
static void ridge_by_months(void **state)
{
    (void)state;
    run_job jobs[2 * EACH + 2];
    char ids[2 * EACH + 2][8];
    double got[2 * EACH + 2], a = log1p(10), b = log1p(90), of_a = 9.0 / (9 + 1), of_b = 8.0 / (8 + 1);
    two_users(jobs, ids, 10, 90);
    jobs[2 * EACH + 1].submit = 31 * 86400;
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "ridge,refit=months,buckets=2048", got);
    assert_true(fabs(got[2 * EACH] - 50) < 1e-6);
    double c = (of_a * a + of_b * b) / (of_a + of_b);
    assert_true(fabs(got[2 * EACH + 1] - expm1(c + of_b * (b - c))) < 1e-6);
}

/* 0.1 of what the name says, 0.9 of the regression; before there is one, the name alone. */
static void qssf_blends(void **state)
{
    (void)state;
    run_job jobs[2 * EACH + 2];
    char ids[2 * EACH + 2][8];
    double rolling[2 * EACH + 2], ridge[2 * EACH + 2], got[2 * EACH + 2];
    two_users(jobs, ids, 10, 90);
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "rolling", rolling);
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "ridge", ridge);
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "qssf", got);
    assert_true(rolling[2 * EACH] == 10 && fabs(got[2 * EACH] - (0.1 * 10 + 0.9 * ridge[2 * EACH])) < 2e-9);
    probe_jobs(jobs, RUN_COUNT(jobs), "64", "qssf,alpha=0.5", got);
    assert_true(fabs(got[2 * EACH + 1] - (0.5 * 90 + 0.5 * ridge[2 * EACH + 1])) < 2e-9);
    probe_jobs(jobs, RUN_COUNT(jobs) - 1, "64", "qssf,alpha=1", got);
    assert_true(got[0] == 3600 && got[2 * EACH] == 10);
    probe_jobs(jobs + 1, RUN_COUNT(jobs) - 1, "64", "qssf", got);
    assert_true(got[2 * EACH - 1] == 10); /* 15 have finished */
}

/* A column of the trace; what is missing, no time or negative is guessed, and counted. */
static void given_by_the_trace(void **state)
{
    (void)state;
    orr_trace *trace = run_trace_file(ORR_TEST_DATA_DIR "/policies/predicted.csv");
    orr_cluster_spec *cluster = run_cluster("4");
    double got[4];
    const double usual[] = {12.5, 3600, 3600, 3600}, wishes[] = {3600, 150, 60, 0};
    probe_trace(trace, "4", "given", got);
    assert_memory_equal(got, usual, sizeof usual);
    probe_trace(trace, "4", "given,column=wish,guess=1m", got);
    assert_memory_equal(got, wishes, sizeof wishes);
    run *r = run_policy(trace, cluster, "sjf~given", NULL);
    assert_int_equal(run_note(r, "no-estimate"), 3);
    run_free(r);
    r = run_policy(trace, cluster, "sjf~given,column=no-such-column", NULL);
    assert_int_equal(run_note(r, "no-estimate"), 4);
    run_free(r);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
}

/* ---- the calendar ---- */

static void shows(const orr_trace *trace, orr_time at, orr_date expected)
{
    const orr_date d = orr_trace_date(trace, at);
    assert_int_equal(d.year, expected.year);
    assert_int_equal(d.month, expected.month);
    assert_int_equal(d.day, expected.day);
    assert_int_equal(d.weekday, expected.weekday);
    assert_int_equal(d.hour, expected.hour);
}

/* By the file's own clock, or from Thursday, 1970-01-01, on. */
static void days_and_hours(void **state)
{
    (void)state;
    orr_trace *dated = run_trace_file(ORR_TEST_DATA_DIR "/policies/dated.csv");
    orr_trace *relative = run_trace_file(ORR_TEST_DATA_DIR "/policies/predicted.csv");
    const orr_trace_job *jobs = orr_trace_jobs(dated);
    shows(dated, jobs[0].submit, (orr_date){.year = 2020, .month = 2, .day = 29, .weekday = 5, .hour = 23});
    shows(dated, jobs[1].submit, (orr_date){.year = 2020, .month = 3, .day = 1, .weekday = 6, .hour = 0});
    shows(relative, 0, (orr_date){.year = 1970, .month = 1, .day = 1, .weekday = 3, .hour = 0});
    shows(relative, 31 * ORR_DAY + 90 * ORR_MINUTE,
          (orr_date){.year = 1970, .month = 2, .day = 1, .weekday = 6, .hour = 1});
    orr_trace_destroy(dated);
    orr_trace_destroy(relative);
}

/* ---- walk-forward ---- */

enum { MANY = 400, SPAN = 5000, WORK = 1500 };

typedef struct crowd {
    run_job jobs[MANY];
    char ids[MANY][8];
} crowd;

static const char *one_of(uint64_t seed, int i, const char *const *names, size_t n)
{
    return names[orr_mix64(seed * MANY + (uint64_t)i) % n];
}

/* `scale` stretches time. */
static void make_crowd(crowd *c, double scale)
{
    static const char *const users[] = {"ann", "bob", "eve", "kim"};
    static const char *const names[] = {"train_a", "train_b", "train_c", "eval", "sweep-1", "sweep-2", "sweep-33", "x"};
    for (int i = 0; i < MANY; i++) {
        snprintf(c->ids[i], sizeof c->ids[i], "j%03d", i);
        c->jobs[i] = (run_job){.id = c->ids[i], .submit = scale * i * SPAN / MANY, .gpus = 1 + i % 3};
        c->jobs[i].user = one_of(1, i, users, RUN_COUNT(users));
        c->jobs[i].name = one_of(2, i, names, RUN_COUNT(names));
        c->jobs[i].duration = scale * (1 + (double)(orr_mix64(3 * MANY + (uint64_t)i) % WORK));
    }
}

static const char *const learners[] = {
    "user-mean", "rolling", "rolling,look=2,matches=1", "ridge", "ridge,every=1,buckets=16",
    "ridge,refit=months", "qssf", "qssf,refit=months", "qssf,alpha=0.9",
};

/* Of jobs that end after `now` the durations change. All that was believed up to then stays. */
static void nobody_sees_what_ends_later(void **state)
{
    (void)state;
    static crowd c, other;
    double before[MANY], after[MANY];
    for (size_t k = 0; k < RUN_COUNT(learners); k++) {
        size_t changed = 0;
        double scale = strstr(learners[k], "months") ? 2000 : 1; /* 1e7 s are four months */
        make_crowd(&c, scale);
        for (double now = 1000 * scale; now < SPAN * scale; now += 1000 * scale) {
            other = c;
            for (int i = 0; i < MANY; i++)
                if (c.jobs[i].submit + c.jobs[i].duration > now)
                    other.jobs[i].duration = c.jobs[i].duration * 3 + 5;
            probe_jobs(c.jobs, MANY, "nodes=300,gpus=4", learners[k], before);
            probe_jobs(other.jobs, MANY, "nodes=300,gpus=4", learners[k], after);
            for (int i = 0; i < MANY; i++) {
                if (c.jobs[i].submit <= now && before[i] != after[i])
                    fail_msg("%s: at %g s %s was believed to take %.9g s, or %.9g, by what ends after %g s",
                             learners[k], c.jobs[i].submit, c.jobs[i].id, before[i], after[i], now);
                changed += before[i] != after[i];
            }
        }
        assert_true(changed > 100); /* they do learn */
    }
}

/* With nothing that ever ends before the last submission there is nothing to be known. */
static void all_guess_at_first(void **state)
{
    (void)state;
    static crowd c;
    double got[MANY];
    make_crowd(&c, 1);
    for (int i = 0; i < MANY; i++)
        c.jobs[i].duration += SPAN;
    for (size_t k = 0; k < RUN_COUNT(learners); k++) {
        char text[64];
        snprintf(text, sizeof text, "%s,guess=77s", learners[k]);
        probe_jobs(c.jobs, MANY, "nodes=300,gpus=4", text, got);
        for (int i = 0; i < MANY; i++)
            assert_true(got[i] == 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_mean),
        cmocka_unit_test(rolling_by_name),
        cmocka_unit_test(rolling_by_close_names),
        cmocka_unit_test(rolling_looks_at_the_latest_names),
        cmocka_unit_test(ridge_by_hand),
        cmocka_unit_test(ridge_by_months),
        cmocka_unit_test(qssf_blends),
        cmocka_unit_test(given_by_the_trace),
        cmocka_unit_test(days_and_hours),
        cmocka_unit_test(nobody_sees_what_ends_later),
        cmocka_unit_test(all_guess_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
