/* fifo: order of submission, ties, one line a VC. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Of one second: by id, where 9 comes before 10; or by input row, as they stand here. */
static void equal_submissions(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "j10", .gpus = 1, .duration = 5}, {.id = "j9", .gpus = 1, .duration = 5}};
    run *by_id = run_of(jobs, 2, "1", "fifo"), *by_row = run_of(jobs, 2, "1", "fifo:helios");
    run_ends(by_id, "j9:5 j10:10");
    run_ends(by_row, "j10:5 j9:10");
    run_free(by_id);
    run_free(by_row);
}

/* A short job never passes, and nobody is displaced.
 *
 *   A 222222        0-6
 *   B  .....44      6-8
 *   C   ......1     8-9
 *   D    .....222   8-11
 */
static void a_wide_job_holds_the_line(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 6},
                            {.id = "B", .submit = 1, .gpus = 4, .duration = 2},
                            {.id = "C", .submit = 2, .gpus = 1, .duration = 1},
                            {.id = "D", .submit = 3, .gpus = 2, .duration = 3}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "4", "fifo");
    run_ends(r, "A:6 B:8 C:9 D:11");
    run_preempted(r, "");
    run_free(r);
}

static const run_job of_two_vcs[] = {{.id = "A", .gpus = 2, .duration = 10, .vc = "red"},
                                     {.id = "B", .submit = 1, .gpus = 2, .duration = 10, .vc = "red"},
                                     {.id = "C", .submit = 2, .gpus = 1, .duration = 5, .vc = "blue"}};

/* node 0 is red, node 1 blue
 *
 *            isolated      shared        borrow
 *   A red    node 0, 0-10  node 0, 0-10  node 0, 0-10
 *   B red    node 0,10-20  node 1, 1-11  node 1, 1-11    red's own node is full: B may go to blue's only if it is
 * shared
 *   C blue   node 1, 2-7   node 0,10-15  node 0,10-15    finds its own node taken, and the other one free first
 */
static void virtual_clusters(void **state)
{
    (void)state;
    run *isolated = run_of(of_two_vcs, 3, "2@red 2@blue", "fifo");
    run *shared = run_of(of_two_vcs, 3, "2@red 2@blue", "fifo,vc=shared");
    run *borrow = run_of(of_two_vcs, 3, "2@red 2@blue", "fifo,vc=borrow");
    run_held(isolated, "B", "10-20@0:2");
    run_held(isolated, "C", "2-7@1:1");
    run_held(shared, "B", "1-11@1:2");
    run_held(shared, "C", "10-15@0:1");
    run_held(borrow, "B", "1-11@1:2");
    run_held(borrow, "C", "10-15@0:1");
    run_free(isolated);
    run_free(shared);
    run_free(borrow);
}

/* Lines of different VCs: with borrowing, C passes B, which waits for 4 GPUs in another line; in one line it may not.
 *
 *            borrow         shared
 *   A red    nodes 0, 0-10  nodes 0, 0-10
 *   B red    0 and 1,10-15  0 and 1,10-15
 *   C blue   node 1, 2-7    node 0, 15-20
 */
static void a_borrower_holds_only_its_own_line(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 10, .vc = "red"},
                            {.id = "B", .submit = 1, .gpus = 4, .duration = 5, .vc = "red"},
                            {.id = "C", .submit = 2, .gpus = 1, .duration = 5, .vc = "blue"}};
    run *borrow = run_of(jobs, 3, "2@red 2@blue", "fifo,vc=borrow");
    run *shared = run_of(jobs, 3, "2@red 2@blue", "fifo,vc=shared");
    run_held(borrow, "B", "10-15@0:2;1:2");
    run_held(borrow, "C", "2-7@1:1");
    run_held(shared, "C", "15-20@0:1");
    run_free(borrow);
    run_free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_submissions),
        cmocka_unit_test(a_wide_job_holds_the_line),
        cmocka_unit_test(virtual_clusters),
        cmocka_unit_test(a_borrower_holds_only_its_own_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
