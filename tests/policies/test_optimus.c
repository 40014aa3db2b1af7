/* optimus: its known answer, what it learns from runs and losses, and what it is for jobs that aren't elastic. */
#include "small.h"

#include "base/mem.h"
#include "config/applications.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LINEAR "batch: {initial: 60, most: 60, local: [1, 60]}, perf: [{beta_c: 0.01}]"

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

typedef struct counted {
    const char *model, *speeds; /* with 1, 2, … GPUs */
} counted;

/* Applications by the number of GPUs alone; a batch of 60 is parted evenly among up to six. */
static orr_applications *by_count(const counted *models, size_t n)
{
    orr_error e = {0};
    orr_applications *all = orr_applications_create("counted");
    for (size_t i = 0; i < n; i++) {
        char text[256];
        snprintf(text, sizeof text, "global_batch_size,1,2,3,4,5\n60,%s\n", models[i].speeds);
        orr_input *in = orr_input_memory(models[i].model, text, strlen(text));
        orr_application *a = orr_application_read_counts(in, models[i].model, &e);
        orr_input_close(in);
        if (!a)
            fail_msg("%s", e.message);
        ORR_VEC_PUSH(&all->at, a);
    }
    if (orr_applications_settle(all, &e))
        fail_msg("%s", e.message);
    return all;
}

static orr_applications *from_text(const char *text)
{
    const orr_applications_wish wish = {0};
    orr_error e = {0};
    orr_input *in = orr_input_memory("applications", text, strlen(text));
    orr_applications *all = orr_applications_read(in, "", &wish, &e);
    orr_input_close(in);
    if (!all)
        fail_msg("%s", e.message);
    return all;
}

static run *run_with(const run_job *jobs, size_t n, const orr_applications *all, const char *cluster,
                     const char *policy)
{
    orr_sim_options options = orr_sim_options_default();
    options.applications = all;
    return run_of_with(jobs, n, cluster, policy, &options);
}

/* GPUs that it held at that second; 0: none. */
static int32_t gpus_at(const run *r, const char *id, int64_t second)
{
    for (size_t i = 0; i < r->hold_count; i++)
        if (strcmp(r->jobs[r->holds[i].job].id, id) == 0 && r->holds[i].start <= second * ORR_SECOND &&
            r->holds[i].end > second * ORR_SECOND)
            return r->holds[i].gpus;
    return 0;
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

/* One worker each; then b (600/5 - 600/9.5 = 56.8), a (1000/10 - 1000/18 = 44.4), c (2000/8 - 2000/9 = 27.8), b
 * (18.7), a (13.9). */
static void the_known_answer(void **state)
{
    (void)state;
    static const counted models[] = {{"a", "10,18,24,28,30"}, {"b", "5,9.5,13.5,17,20"}, {"c", "8,9,9.5,9.6,9.6"}};
    static const run_job jobs[] = {{.id = "a", .gpus = 1, .duration = 100, .model = "a"},
                                   {.id = "b", .gpus = 1, .duration = 120, .model = "b"},
                                   {.id = "c", .gpus = 1, .duration = 250, .model = "c"}};
    orr_applications *all = by_count(models, 3);
    static const char *const policies[] = {"optimus", "optimus:oracle"};
    for (size_t i = 0; i < RUN_COUNT(policies); i++) {
        run *r = run_with(jobs, 3, all, "nodes=2,gpus=4", policies[i]);
        assert_int_equal(gpus_at(r, "a", 0), 3);
        assert_int_equal(gpus_at(r, "b", 0), 3);
        assert_int_equal(gpus_at(r, "c", 0), 2);
        run_free(r);
    }
    orr_applications_destroy(all);
}

/* The second worker of one job is worth nothing, which runs before the first show; without them both look alike. */
static void runs_before_the_first_show_who_scales(void **state)
{
    (void)state;
    static const counted models[] = {{"flat", "10,10.1,10.1,10.1,10.1"}, {"linear", "10,20,30,40,50"}};
    static const run_job jobs[] = {{.id = "flat", .gpus = 1, .duration = 3000, .model = "flat"},
                                   {.id = "linear", .gpus = 1, .duration = 3000, .model = "linear"}};
    orr_applications *all = by_count(models, 2);
    run *r = run_with(jobs, 2, all, "nodes=1,gpus=4", "optimus");
    assert_int_equal(gpus_at(r, "flat", 0), 1);
    assert_int_equal(gpus_at(r, "linear", 0), 3);
    run_free(r);
    r = run_with(jobs, 2, all, "nodes=1,gpus=4", "optimus,prerun=0");
    assert_int_equal(gpus_at(r, "flat", 0), 2);
    assert_int_equal(gpus_at(r, "linear", 0), 2);
    run_free(r);
    orr_applications_destroy(all);
}

/* Without runs before, it learns as it goes. Four workers alone tell nothing: one of them is thought to be a fourth as
 * fast. When two were as fast as four, one will do. */
static void it_learns_from_what_a_job_held(void **state)
{
    (void)state;
    static const counted models[] = {{"flat", "10,10,10,10,10"}, {"linear", "10,20,30,40,50"}};
    static const run_job jobs[] = {{.id = "flat", .gpus = 1, .duration = 6000, .model = "flat"},
                                   {.id = "linear", .submit = 600, .gpus = 1, .duration = 60000, .model = "linear"}};
    orr_applications *all = by_count(models, 2);
    run *r = run_with(jobs, 2, all, "nodes=1,gpus=4", "optimus,prerun=0");
    assert_int_equal(gpus_at(r, "flat", 0), 4);
    assert_int_equal(gpus_at(r, "flat", 600), 2); /* 21600 - 10800, before linear's third, 30000 - 20000 */
    assert_int_equal(gpus_at(r, "linear", 600), 2);
    assert_int_equal(gpus_at(r, "flat", 1200), 1);
    assert_int_equal(gpus_at(r, "linear", 1200), 3);
    run_free(r);
    orr_applications_destroy(all);
}

/* ---- loss -------------------------------------------------------------------------------------------------------- */

/* Both declare 100 epochs. After ten of them the loss 1 / (k + 1) tells that those from 25 on gain less than a
 * twentieth of the first one's in ten: 15 are left of one and 90 of the other. */
static void a_loss_that_flattens_leaves_less(void **state)
{
    (void)state;
    static const char text[] = "schema: orrery.applications/1\n"
                               "applications:\n"
                               "  - {model: early, epochs: 100, " LINEAR ", loss: {a: 1, b: 1, c: 0}}\n"
                               "  - {model: plain, epochs: 100, " LINEAR "}\n";
    static const run_job jobs[] = {{.id = "early", .gpus = 2, .duration = 6000, .model = "early"},
                                   {.id = "plain", .gpus = 2, .duration = 6000, .model = "plain"}};
    orr_applications *all = from_text(text);
    run *r = run_with(jobs, 2, all, "nodes=1,gpus=4", "optimus");
    assert_int_equal(gpus_at(r, "early", 0), 2);
    assert_int_equal(gpus_at(r, "plain", 0), 2);
    assert_int_equal(gpus_at(r, "early", 600), 1);
    assert_int_equal(gpus_at(r, "plain", 600), 3);
    run_free(r);
    orr_applications_destroy(all);
}

/* Their records are parts of a whole training of their application, one four times as long as the other; so are the
 * iterations that the oracle tells: the third worker of one saves 4 (1/2 - 1/3) of those, the second of the other 1/2.
 */
static void records_are_parts_of_trainings(void **state)
{
    (void)state;
    static const char text[] = "schema: orrery.applications/1\n"
                               "applications:\n"
                               "  - {model: plain, epochs: 100, " LINEAR "}\n";
    static const run_job jobs[] = {{.id = "short", .gpus = 2, .duration = 1000, .model = "plain"},
                                   {.id = "long", .gpus = 2, .duration = 4000, .model = "plain"}};
    orr_applications *all = from_text(text);
    run *r = run_with(jobs, 2, all, "nodes=1,gpus=4", "optimus:oracle");
    assert_int_equal(gpus_at(r, "short", 0), 1);
    assert_int_equal(gpus_at(r, "long", 0), 3);
    run_free(r);
    orr_applications_destroy(all);
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

static void fair_is_equal_parts(void **state)
{
    (void)state;
    static const counted models[] = {{"a", "10,11,12,13,14"}, {"b", "10,20,30,40,50"}};
    static const run_job jobs[] = {{.id = "a", .gpus = 1, .duration = 100, .model = "a"},
                                   {.id = "b", .gpus = 1, .duration = 5000, .model = "b"},
                                   {.id = "c", .gpus = 1, .duration = 900, .model = "a"}};
    orr_applications *all = by_count(models, 2);
    run *r = run_with(jobs, 3, all, "nodes=1,gpus=8", "optimus:fair");
    assert_int_equal(gpus_at(r, "a", 0), 3);
    assert_int_equal(gpus_at(r, "b", 0), 3);
    assert_int_equal(gpus_at(r, "c", 0), 2);
    run_free(r);
    orr_applications_destroy(all);
}

/* Each is given all of its gang or nothing, in the order of submission: one queue that is dealt out anew every ten
 * minutes. */
static void gangs_are_served_as_they_came(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        small s;
        small_make(&s, seed, (small_shape){.count = 40, .gpus = 6, .span = 20000, .work = 6000});
        run *x = run_of(s.jobs, s.count, "nodes=1,gpus=8", "optimus");
        run *y = run_of(s.jobs, s.count, "nodes=1,gpus=8",
                        "tiresias,thresholds=1e15,within=submit,admit=count,round=600s");
        for (size_t i = 0; i < x->count; i++)
            assert_int_equal(x->jobs[i].end, y->jobs[i].end);
        run_free(x);
        run_free(y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_known_answer),
        cmocka_unit_test(runs_before_the_first_show_who_scales),
        cmocka_unit_test(it_learns_from_what_a_job_held),
        cmocka_unit_test(a_loss_that_flattens_leaves_less),
        cmocka_unit_test(records_are_parts_of_trainings),
        cmocka_unit_test(fair_is_equal_parts),
        cmocka_unit_test(gangs_are_served_as_they_came),
    };
    return cmocka_run_group_tests_name("optimus", tests, NULL, NULL);
}
