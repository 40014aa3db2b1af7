/* Waiting jobs by shape: who is first, who is asked again, and taking any of them out. */
#include "sched/ctx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { JOBS = 200 };
static orr_job *make_jobs(void)
{
    orr_job *jobs = orr_xcalloc(JOBS, sizeof *jobs);
    for (uint32_t i = 0; i < JOBS; i++)
        jobs[i].index = i;
    return jobs;
}

static void failed_shapes_wait_for_room(void **state)
{
    (void)state;
    orr_job *jobs = make_jobs();
    orr_waiting *w = orr_waiting_create();
    uint32_t shape = 9;
    assert_null(orr_waiting_first(w, true, &shape));
    orr_waiting_add(w, &jobs[0], 2, (orr_rank){1, 0});
    orr_waiting_add(w, &jobs[1], 0, (orr_rank){1, 5});
    orr_waiting_add(w, &jobs[2], 2, (orr_rank){0, 7});
    assert_ptr_equal(orr_waiting_first(w, false, &shape), &jobs[2]);
    assert_int_equal(shape, 2);
    orr_waiting_failed(w, 2);
    assert_null(orr_waiting_first(w, false, &shape));               /* the first blocks the rest, */
    assert_ptr_equal(orr_waiting_first(w, true, &shape), &jobs[1]); /* or is passed over with all of its shape */
    orr_waiting_room(w);
    assert_ptr_equal(orr_waiting_first(w, true, &shape), &jobs[2]);
    assert_true(orr_waiting_remove(w, &jobs[2], 2));
    assert_false(orr_waiting_remove(w, &jobs[2], 2));
    assert_false(orr_waiting_remove(w, &jobs[0], 7));
    assert_ptr_equal(orr_waiting_first(w, true, &shape), &jobs[0]);
    orr_waiting_destroy(w);
    free(jobs);
}

/* Jobs go in with few different ranks and come out, now the first, now any: always the least that is left. */
static void the_first_is_the_least(void **state)
{
    (void)state;
    orr_job *jobs = make_jobs();
    orr_waiting *w = orr_waiting_create();
    bool in[JOBS] = {0};
    for (uint32_t i = 0; i < JOBS; i++) {
        orr_waiting_add(w, &jobs[i], i % 3, (orr_rank){(double)(i * 7 % 5), (double)(i * 11 % 4)});
        in[i] = true;
    }
    for (uint32_t round = 0, shape; round < JOBS; round++) {
        uint32_t least = JOBS;
        for (uint32_t i = 0; i < JOBS; i++) {
            uint32_t rank = i * 7 % 5 * 4 + i * 11 % 4, best = least * 7 % 5 * 4 + least * 11 % 4;
            if (in[i] && (least == JOBS || rank < best))
                least = i;
        }
        assert_ptr_equal(orr_waiting_first(w, true, &shape), &jobs[least]);
        uint32_t gone = least;
        for (uint32_t i = round % 2 ? round * 13 % JOBS : JOBS; i < JOBS; i++)
            if (in[i])
                gone = i;
        assert_true(orr_waiting_remove(w, &jobs[gone], gone % 3));
        in[gone] = false;
    }
    orr_waiting_destroy(w);
    free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(failed_shapes_wait_for_room),
                                       cmocka_unit_test(the_first_is_the_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
