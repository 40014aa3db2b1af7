/* ada-srsf: who sends, who waits. Three nodes of two GPUs and one NIC of 1 GB/s; gangs of three, so that each job has a
 * whole node and they share the NIC of a third. An iteration of `big` computes 1 s and sends 4 GB, one of `small` sends
 * 0.4 GB: 4 s and 0.4 s alone. Two messages on a link cost a fifth of one besides: together they get 2 / 2.2 of it. */
#include "run.h"

#include "model/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define CLUSTER "nodes=3,gpus=2,nics=1,nic_bw=1GB/s"

static orr_profiles *profiles(void)
{
    orr_profiles *p = orr_profiles_create("test");
    orr_profile m = orr_profile_default();
    m.model = "big";
    m.iteration = 5;
    m.gradient_bytes = 4e9;
    assert_true(orr_profiles_add(p, &m));
    m.model = "small";
    m.iteration = 1.4;
    m.gradient_bytes = 0.4e9;
    assert_true(orr_profiles_add(p, &m));
    return p;
}

static run *play(const run_job *jobs, size_t n, const char *policy, const char *net, orr_profiles *p)
{
    orr_sim_options options = orr_sim_options_default();
    options.profiles = p;
    options.net = net;
    return run_of_with(jobs, n, CLUSTER, policy, &options);
}

static void ends(const run *r, const char *id, double seconds)
{
    if (fabs(run_end(r, id) - seconds) > 1e-6)
        fail_msg("%s ends at %.9f instead of %.9f", id, run_end(r, id), seconds);
}

/* Two iterations each. All compute until 1; B has less service left and is asked first.
 *
 *   ada-srsf  B goes, A waits: 0.4 isn't above 2.4 x 4. At 1.4 A goes; at 2.4, with 3 GB of A's left, B is small
 *             enough: at 2 / 2.2 of half the link it takes 0.88 s. A sends 0.4 GB meanwhile, and the
 *             other 2.6 GB until 5.88.
 *             A ....~====+====....====        ends 10.88     (. computes, ~ waits, = sends, + shares)
 *             B ....=....++                   ends 3.28
 *   srsf1     the same until 2.4, when B waits for A until 5.4.        B ends 5.8, A 5.4 + 1 + 4 = 10.4
 *   srsf2     both go at 1: B until 1.88, A has 3.6 GB left. At 2.88 A has 2.6 GB left, and they share again for
 *             0.88 s: B ends 3.76, A 3.76 + 2.2 + 1 + 4 = 10.96 */
static void a_small_message_passes_a_large_one(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        double a, b;
    } rows[] = {{"ada-srsf", 10.88, 3.28}, {"ada-srsf:srsf1", 10.4, 5.8}, {"ada-srsf:srsf2", 10.96, 3.76}};
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10, .model = "big"},
                            {.id = "B", .gpus = 3, .duration = 2.8, .model = "small"}};
    orr_profiles *p = profiles();
    for (size_t i = 0; i < 3; i++) {
        run *r = play(jobs, 2, rows[i].policy, "phases,latency=0,penalty=0.2", p);
        ends(r, "A", rows[i].a);
        ends(r, "B", rows[i].b);
        assert_true(i == 2 || run_note(r, "message-waits") > 0);
        run_free(r);
    }
    orr_profiles_destroy(p);
}

/* A believed penalty decides how much smaller is small enough: with 3, 2 (1 + 3) x 0.4 is more than the 3 GB that A has
 * left. */
static void the_penalty_decides_what_is_small(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10, .model = "big"},
                            {.id = "B", .gpus = 3, .duration = 2.8, .model = "small"}};
    orr_profiles *p = profiles();
    run *r = play(jobs, 2, "ada-srsf,penalty=3", "phases,latency=0,penalty=0.2", p);
    ends(r, "A", 10.4);
    ends(r, "B", 5.8);
    run_free(r);
    orr_profiles_destroy(p);
}

/* B asks for a node of its own and sends nothing over links: nobody waits. */
static void who_shares_no_link_never_waits(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10, .model = "big"},
                            {.id = "B", .gpus = 2, .duration = 2.8, .model = "small"}};
    orr_profiles *p = profiles();
    run *r = play(jobs, 2, "ada-srsf", "phases,latency=0,penalty=0.2", p);
    ends(r, "A", 10);
    ends(r, "B", 2.8);
    assert_int_equal(run_note(r, "message-waits"), 0);
    run_free(r);
    orr_profiles_destroy(p);
}

/* Where nobody knows when jobs send it is SRSF for jobs alone, and says so. */
static void without_phases_it_orders_jobs(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 6, .duration = 10},
                            {.id = "B", .submit = 1, .gpus = 6, .duration = 3},
                            {.id = "C", .submit = 2, .gpus = 2, .duration = 5}};
    run *r = run_of(jobs, 3, CLUSTER, "ada-srsf");
    run_ends(r, "A:10 C:15 B:18"); /* 10 GPU-s of C before 18 of B; nobody is preempted */
    assert_int_equal(run_note(r, "no-phases"), 1);
    run_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_message_passes_a_large_one),
        cmocka_unit_test(the_penalty_decides_what_is_small),
        cmocka_unit_test(who_shares_no_link_never_waits),
        cmocka_unit_test(without_phases_it_orders_jobs),
    };
    return cmocka_run_group_tests_name("ada-srsf", tests, NULL, NULL);
}
