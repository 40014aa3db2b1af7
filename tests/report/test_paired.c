/* Two results job by job. */
#include "made.h"
#include "report/paired.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static orr_paired pair(orr_result *a, orr_result *b)
{
    orr_paired p;
    orr_error e = {0};
    if (orr_paired_of(a, b, &p, &e))
        fail_msg("%s", e.message);
    return p;
}

/* Five jobs under two policies, JCT in seconds:
 *
 *     job       gpus  duration   first  second   d
 *     a            1       60       60      60    0
 *     b            1      900      900     600 -300   (a shorter JCT than duration: only numbers here)
 *     c            8     3600     4000    4100  100
 *     d           64    90000   100000   99000 -1000
 *     e            0       10       10      20   10
 */
static const made first = {
    .measured = 5,
    .jobs = "a,1,0,0,60,done,60,0,60,60,1\nb,1,0,0,900,done,900,0,900,900,1\nc,8,0,0,4000,done,4000,0,3600,4000,1\n"
            "d,64,0,0,100000,done,100000,0,90000,100000,1\ne,0,0,0,10,done,10,0,10,10,1\n",
};
static const made second = {
    .policy = "srtf",
    .measured = 5,
    .jobs = "a,1,0,0,60,done,60,0,60,60,1\nb,1,0,0,600,done,600,0,900,600,1\nc,8,0,0,4100,done,4100,0,3600,4100,1\n"
            "d,64,0,0,99000,done,99000,0,90000,99000,1\ne,0,0,0,20,done,20,0,10,20,1\n",
};
/* The same rows in another order. */
static const made shuffled = {
    .policy = "srtf",
    .measured = 5,
    .jobs = "e,0,0,0,20,done,20,0,10,20,1\nd,64,0,0,99000,done,99000,0,90000,99000,1\na,1,0,0,60,done,60,0,60,60,1\n"
            "c,8,0,0,4100,done,4100,0,3600,4100,1\nb,1,0,0,600,done,600,0,900,600,1\n",
};

static void check_sums(const orr_pair_sums *s, uint64_t pairs, uint64_t better, uint64_t worse, double mean, double p50)
{
    assert_int_equal(s->pairs, pairs);
    assert_int_equal(s->better, better);
    assert_int_equal(s->worse, worse);
    assert_int_equal(s->equal, pairs - better - worse);
    assert_true(s->mean == mean || (isnan(mean) && isnan(s->mean)));
    assert_true(s->p50 == p50 || (isnan(p50) && isnan(s->p50)));
}

/* Sorted: -1000 -300 0 10 100. Type 7 at p: position 4p. */
static void check_five(const orr_paired *p)
{
    check_sums(&p->all, 5, 2, 2, -238, 0);
    static const double quantiles[] = {-972, -860, -300, 0, 10, 82, 96.4};
    for (int i = 0; i < ORR_PAIR_QUANTILES; i++)
        if (fabs(p->quantile[i] - quantiles[i]) > 1e-9)
            fail_msg("%s is %.17g", orr_pair_quantile_names[i], p->quantile[i]);
    check_sums(&p->size[0], 1, 0, 1, 10, 10);     /* e */
    check_sums(&p->size[1], 2, 1, 0, -150, -150); /* a b */
    check_sums(&p->size[2], 0, 0, 0, NAN, NAN);
    check_sums(&p->size[3], 1, 0, 1, 100, 100); /* c */
    check_sums(&p->size[6], 1, 1, 0, -1000, -1000);
    check_sums(&p->duration[0], 2, 0, 1, 5, 5); /* a e */
    check_sums(&p->duration[1], 1, 1, 0, -300, -300);
    check_sums(&p->duration[2], 1, 0, 1, 100, 100);
    check_sums(&p->duration[3], 1, 1, 0, -1000, -1000);
    assert_int_equal(p->first_only + p->second_only + p->unmatched, 0);
    static const char *const moved[] = {"d", "b", "c", "e"};
    assert_int_equal(p->moved_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(p->moved[i].id, moved[i]);
    assert_true(p->moved[0].first == 100000 * ORR_SECOND && p->moved[0].second == 99000 * ORR_SECOND);
}

static void five_jobs_by_hand(void **state)
{
    (void)state;
    orr_result *a = made_result(&first), *b = made_result(&second), *c = made_result(&shuffled);
    orr_paired p = pair(a, b);
    check_five(&p);
    orr_paired_fini(&p);
    p = pair(a, c); /* by id */
    check_five(&p);
    orr_paired_fini(&p);
    made_remove(a);
    made_remove(b);
    made_remove(c);
}

/* What only one of them measured is counted, and makes no pair; the third table lacks a job and has another. */
static void jobs_measured_in_one_only(void **state)
{
    (void)state;
    const made full = {.jobs = "a,1,0,0,5,done,5,0,5,5,1\nb,1,0,0,9,done,9,0,9,9,1\nc,1,0,,,queued,,,9,0,0\n"
                               "d,1,0,0,4,done,4,0,4,4,1\n"};
    const made other = {.jobs = "a,1,0,0,6,done,6,0,5,6,1\nb,1,0,0,,running,,,9,4,0\nc,1,0,0,9,done,9,0,9,9,1\n"
                                "d,1,0,0,4,done,4,0,4,4,1\n"};
    const made lacking = {.jobs = "a,1,0,0,6,done,6,0,5,6,1\nx,1,0,0,1,done,1,0,1,1,1\nd,1,0,0,4,done,4,0,4,4,1\n"};
    orr_result *a = made_result(&full), *b = made_result(&other), *c = made_result(&lacking);
    orr_paired p = pair(a, b);
    check_sums(&p.all, 2, 0, 1, 0.5, 0.5);
    assert_int_equal(p.first_only, 1);
    assert_int_equal(p.second_only, 1);
    assert_int_equal(p.unmatched, 0);
    orr_paired_fini(&p);
    p = pair(a, c);
    check_sums(&p.all, 2, 0, 1, 0.5, 0.5);
    assert_int_equal(p.first_only, 1);  /* b */
    assert_int_equal(p.second_only, 1); /* x */
    assert_int_equal(p.unmatched, 2);
    orr_paired_fini(&p);
    made_remove(a);
    made_remove(b);
    made_remove(c);
}

static void equal_ids_go_by_their_order(void **state)
{
    (void)state;
    const made one = {.jobs = "a,1,0,0,1,done,1,0,1,1,1\na,1,0,0,2,done,2,0,1,1,1\na,1,0,0,3,done,3,0,1,1,1\n"
                              "b,1,0,0,9,done,9,0,1,1,1\n"};
    const made two = {.jobs = "b,1,0,0,9,done,9,0,1,1,1\na,1,0,0,1,done,1,0,1,1,1\na,1,0,0,2,done,2,0,1,1,1\n"
                              "a,1,0,0,5,done,5,0,1,1,1\n"};
    orr_result *a = made_result(&one), *b = made_result(&two);
    orr_paired p = pair(a, b);
    check_sums(&p.all, 4, 0, 1, 0.5, 0);
    assert_int_equal(p.moved_count, 1);
    assert_true(p.moved[0].first == 3 * ORR_SECOND && p.moved[0].second == 5 * ORR_SECOND);
    orr_paired_fini(&p);
    made_remove(a);
    made_remove(b);
}

/* Differences of 1 ns and of years, whose sum leaves 64 bits. */
static void exact_at_both_ends(void **state)
{
    (void)state;
    const made one = {.jobs = "a,1,0,0,1,done,9000000000,0,1,1,1\nb,1,0,0,1,done,9000000000,0,1,1,1\n"
                              "c,1,0,0,1,done,0.000000002,0,1,1,1\n"};
    const made two = {.jobs =
                          "a,1,0,0,1,done,0,0,1,1,1\nb,1,0,0,1,done,0,0,1,1,1\nc,1,0,0,1,done,0.000000001,0,1,1,1\n"};
    orr_result *a = made_result(&one), *b = made_result(&two);
    orr_paired p = pair(a, b);
    check_sums(&p.all, 3, 3, 0, -18000000000000000001e-9 / 3, -9000000000.0);
    assert_true(p.moved[2].first - p.moved[2].second == 1);
    orr_paired_fini(&p);
    made_remove(a);
    made_remove(b);
}

static void nothing_to_pair(void **state)
{
    (void)state;
    const made none = {.measured = 0};
    orr_result *a = made_result(&none);
    orr_paired p = pair(a, a);
    check_sums(&p.all, 0, 0, 0, NAN, NAN);
    assert_true(isnan(p.quantile[0]));
    orr_paired_fini(&p);
    made_file(orr_result_dir(a), "jobs.csv", "job_id\n");
    orr_error e = {0};
    assert_int_equal(orr_paired_of(a, a, &p, &e), ORR_E_MISSING_COLUMN);
    assert_int_equal(e.code, ORR_E_MISSING_COLUMN);
    made_remove(a);
}

static void classes(void **state)
{
    (void)state;
    static const int32_t gpus[] = {0, 1, 2, 4, 5, 8, 9, 16, 17, 32, 33, 1000};
    static const int size[] = {0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        assert_int_equal(orr_pair_size(gpus[i]), size[i]);
    assert_int_equal(orr_pair_duration(0), 0);
    assert_int_equal(orr_pair_duration(10 * ORR_MINUTE - 1), 0);
    assert_int_equal(orr_pair_duration(10 * ORR_MINUTE), 1);
    assert_int_equal(orr_pair_duration(ORR_HOUR), 2);
    assert_int_equal(orr_pair_duration(ORR_DAY), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_jobs_by_hand),
        cmocka_unit_test(jobs_measured_in_one_only),
        cmocka_unit_test(equal_ids_go_by_their_order),
        cmocka_unit_test(exact_at_both_ends),
        cmocka_unit_test(nothing_to_pair),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
