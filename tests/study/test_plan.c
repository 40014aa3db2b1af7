/* Plans over small traces whose smallest clusters are worked out by hand. */
#include "study/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct asked {
    orr_case base;
    orr_target targets[2];
    orr_plan_ask ask;
    orr_stock *stock;
    orr_plan plan;
} asked;

static void write_trace(const char *path, const char *rows)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fprintf(f, "job_id,submit,gpus,duration,vc\n%s", rows);
    fclose(f);
}

static orr_err try_plan(asked *x, const char *rows, const char *target, orr_plan_range range, bool by_vc,
                        const char *policy, orr_error *e)
{
    static const char path[] = "test_plan.csv";
    write_trace(path, rows);
    *x = (asked){.base = orr_case_default()};
    x->base.trace = path;
    x->base.policy = policy;
    assert_int_equal(orr_target_parse(target, &x->targets[0], e), ORR_OK);
    x->ask = (orr_plan_ask){.base = &x->base, .node = "gpus=1", .targets = x->targets, .target_count = 1,
                            .range = range, .by_vc = by_vc, .jobs = 1};
    x->stock = orr_stock_create(NULL);
    return orr_plan_make(&x->ask, x->stock, &x->plan, e);
}

static void make_plan(asked *x, const char *rows, const char *target, orr_plan_range range, bool by_vc,
                      const char *policy)
{
    orr_error e = {0};
    if (try_plan(x, rows, target, range, by_vc, policy, &e))
        fail_msg("%s", e.message);
}

static void drop_plan(asked *x)
{
    orr_plan_fini(&x->plan);
    orr_stock_destroy(x->stock);
    remove("test_plan.csv");
}

static int64_t nodes_of(const asked *x, size_t part)
{
    const orr_plan_probe *p = orr_plan_found(&x->plan.parts.at[part]);
    return p ? p->nodes : 0;
}

/* Every 10 s from 0 a job of 25 s: a D/D/c queue with a load of 2.5. */
#define EVERY_10                                                                                                       \
    "a,0,1,25,\nb,10,1,25,\nc,20,1,25,\nd,30,1,25,\ne,40,1,25,\nf,50,1,25,\ng,60,1,25,\nh,70,1,25,\n"
static const orr_plan_range wide = {.low = 1, .high = 64, .check = 2};

static void three_servers_keep_up_with_a_load_of_two_and_a_half(void **state)
{
    (void)state;
    asked x;
    make_plan(&x, EVERY_10, "wait_first.max <= 0", wide, false, "fifo");
    assert_int_equal(nodes_of(&x, 0), 3);
    assert_true(orr_plan_met(&x.plan));
    drop_plan(&x);
    /* starts with two GPUs: 0 10 25 35 50 60 75 85, waits 0 0 5 5 10 10 15 15 */
    make_plan(&x, EVERY_10, "wait_first.max <= 15s", wide, false, "fifo");
    assert_int_equal(nodes_of(&x, 0), 2);
    assert_true(orr_plan_found(&x.plan.parts.at[0])->values[0] == 15);
    drop_plan(&x);
}

/* A gang of 5 doesn't fit less than five nodes, where it would be turned away. */
static void a_rejected_gang_is_not_served(void **state)
{
    (void)state;
    asked x;
    make_plan(&x, "a,0,5,10,\nb,100,1,10,\n", "wait_first.max <= 0", wide, false, "fifo");
    assert_int_equal(nodes_of(&x, 0), 5);
    assert_int_equal(x.plan.parts.at[0].probes.at[0].rejected, 1);
    drop_plan(&x);
}

static void no_size_may_be_enough(void **state)
{
    (void)state;
    asked x;
    make_plan(&x, EVERY_10, "jct.mean < 25s", wide, false, "fifo");
    assert_int_equal(nodes_of(&x, 0), 0);
    assert_false(orr_plan_met(&x.plan));
    drop_plan(&x);
}

/* Jobs that run side by side: three of A at 0, two of B at 0. Apart they need 3 and 2. */
static void virtual_clusters_are_sized_apart(void **state)
{
    (void)state;
    asked x;
    make_plan(&x, "a,0,1,10,A\nb,0,1,10,A\nc,0,1,10,A\nd,0,1,10,B\ne,0,1,10,B\nf,50,1,10,B\n", "wait_first.max <= 0",
              wide, true, "fifo");
    assert_int_equal(x.plan.parts.n, 2);
    assert_string_equal(x.plan.parts.at[0].vc, "A");
    assert_int_equal(nodes_of(&x, 0), 3);
    assert_int_equal(nodes_of(&x, 1), 2);
    assert_int_equal(x.plan.parts.at[1].trace_jobs, 3);
    drop_plan(&x);
}

static void a_split_needs_the_name_of_every_job(void **state)
{
    (void)state;
    asked x;
    orr_error e = {0};
    assert_int_equal(try_plan(&x, "a,0,1,10,A\nb,0,1,10,\n", "wait_first.max <= 0", wide, true, "fifo", &e),
                     ORR_E_MISSING);
    assert_int_equal(e.line, 3);
    drop_plan(&x);
}

/* p (2 GPUs, 10 s) at 0, big (3, 10 s) at 1, s (2, 100 s) at 2; what doesn't fit is passed over.
 *   3 GPUs: p 0-10, big 10-20, s 20-120: nobody waits 20 s
 *   4 GPUs: p 0-10, s 2-102, since it fits beside p, and big waits for it until 102
 *   5 GPUs: p 0-10, big 1-11 beside it, s 10-110 */
static void a_greater_cluster_may_not_be_enough(void **state)
{
    (void)state;
    asked x;
    orr_text t = {0};
    make_plan(&x, "p,0,2,10,\nbig,1,3,10,\ns,2,2,100,\n", "wait_first.max < 60s", wide, false, "fifo,hol=skip");
    const orr_plan_part *part = &x.plan.parts.at[0];
    assert_int_equal(nodes_of(&x, 0), 3);
    assert_int_equal(orr_plan_search_steady(part->search), 5);
    assert_true(part->probes.at[2].values[0] == 18 && part->probes.at[3].values[0] == 101);
    orr_plan_tell(&x.plan, &t);
    assert_non_null(strstr(t.at, "beware   more is not always enough here: not with 4; from 5 on all tried are"));
    assert_non_null(strstr(t.at, "tried    1- 2- 3+ 4- 5+ 6+ 7+ 8+"));
    orr_text_fini(&t);
    drop_plan(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_servers_keep_up_with_a_load_of_two_and_a_half),
        cmocka_unit_test(a_rejected_gang_is_not_served),
        cmocka_unit_test(no_size_may_be_enough),
        cmocka_unit_test(virtual_clusters_are_sized_apart),
        cmocka_unit_test(a_split_needs_the_name_of_every_job),
        cmocka_unit_test(a_greater_cluster_may_not_be_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
