/* Nothing but the inputs decides: not the order of rows, not what else runs in the process, not the seed where nothing is drawn. */
#include "stage.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Some jobs with ties of submission; `shuffle` permutes the rows. */
static void add_jobs(stage *s, int n, uint64_t seed, uint64_t shuffle, bool together)
{
    int *order = malloc((size_t)n * sizeof *order);
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0 && shuffle; i--) {
        int k = (int)(orr_mix64(shuffle + (uint64_t)i) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (int i = 0; i < n; i++) {
        uint64_t x = orr_mix64(seed + (uint64_t)order[i]);
        char id[16];
        snprintf(id, sizeof id, "j%d", order[i]);
        orr_trace_job job = stage_job(id, together ? 0 : (double)(x % 50) * 10, 1 << (x >> 8) % 4, (double)((x >> 16) % 300));
        job.deadline = job.submit + 1000 * ORR_SECOND;
        job.limit = job.duration + 5 * ORR_SECOND;
        stage_add(s, job);
    }
    free(order);
}

static stage *prepared(const char *policy, int n, uint64_t shuffle, bool together)
{
    stage *s = stage_create("nodes=4,gpus=8");
    add_jobs(s, n, 3, shuffle, together);
    s->options.policy = policy;
    return s;
}

static char *story_of(const char *policy, int n, uint64_t shuffle, bool together, uint64_t seed)
{
    stage *s = prepared(policy, n, shuffle, together);
    s->options.seed = seed;
    stage_run(s);
    char *story = stage_story(s);
    stage_destroy(s);
    return story;
}

static void same(char *a, char *b, const char *policy)
{
    if (strcmp(a, b) != 0)
        fail_msg("%s: two runs differ", policy);
    free(a);
    free(b);
}

static void a_thousand_at_once_in_any_order_of_rows(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "srtf", "easy", "tiresias", "sjf+random", "edf"};
    for (size_t i = 0; i < 6; i++)
        for (uint64_t shuffle = 1; shuffle < 3; shuffle++)
            same(story_of(policies[i], 1000, 0, true, 1), story_of(policies[i], 1000, shuffle, true, 1), policies[i]);
}

static void rows_of_equal_times_in_any_order(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo,hol=skip", "las", "conservative", "gittins", "srsf"};
    for (size_t i = 0; i < 5; i++)
        same(story_of(policies[i], 300, 0, false, 1), story_of(policies[i], 300, 9, false, 1), policies[i]);
}

/* ties=row is the exception, and says so: there the file's order counts. */
static void ties_by_row_follow_the_file(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        stage *s = stage_create("nodes=1,gpus=1");
        stage_add(s, stage_job(turn ? "B" : "A", 0, 1, 10));
        stage_add(s, stage_job(turn ? "A" : "B", 0, 1, 10));
        s->options.policy = "fifo,ties=row";
        stage_run(s);
        stage_ends(s, turn ? "B:10 A:20" : "A:10 B:20");
        stage_destroy(s);
    }
}

static void seeds_matter_where_something_is_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        bool draws;
    } rows[] = {{"fifo", false}, {"srtf+spread", false}, {"sjf~noisy", true}, {"fifo+random", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *a = story_of(rows[i].policy, 200, 0, false, 1), *b = story_of(rows[i].policy, 200, 0, false, 2);
        if ((strcmp(a, b) != 0) != rows[i].draws)
            fail_msg("%s: seeds %s", rows[i].policy, rows[i].draws ? "don't matter" : "matter");
        free(b);
        same(a, story_of(rows[i].policy, 200, 0, false, 1), rows[i].policy);
        same(story_of(rows[i].policy, 200, 0, false, 0), story_of(rows[i].policy, 200, 0, false, 0), rows[i].policy);
    }
}

/* A placer's draws don't shift an estimator's: the error of a job is its own. */
static void streams_are_apart(void **state)
{
    (void)state;
    orr_time ends[2];
    for (int i = 0; i < 2; i++) {
        stage *s = stage_create("nodes=8,gpus=1");
        add_jobs(s, 100, 4, 0, true);
        s->options.policy = i ? "sjf+random~noisy" : "sjf+first-fit~noisy"; /* on nodes of one GPU any place is alike */
        stage_run(s);
        ends[i] = 0;
        for (size_t k = 0; k < s->record_count; k++)
            ends[i] ^= (orr_time)orr_mix64((uint64_t)s->records[k].end + k);
        stage_destroy(s);
    }
    assert_int_equal(ends[0], ends[1]);
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* Five simulations in turns, one instant each; every one must give what it gives alone. */
static void interleaved_like_alone(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo", "tiresias", "sjf+random~noisy", "easy~rolling", "gittins"};
    enum { N = 5 };
    stage *s[N];
    for (int i = 0; i < N; i++) {
        s[i] = prepared(policies[i], 200, 0, false);
        assert_int_equal(stage_open(s[i]), ORR_OK);
    }
    for (int live = N; live > 0;) {
        live = 0;
        for (int i = 0; i < N; i++) {
            bool more;
            assert_int_equal(orr_sim_step(s[i]->sim, &more, &s[i]->error), ORR_OK);
            live += more;
        }
    }
    for (int i = 0; i < N; i++) {
        stage_try(s[i]);
        same(stage_story(s[i]), story_of(policies[i], 200, 0, false, 1), policies[i]);
        stage_destroy(s[i]);
    }
}

static void count_job(void *self, const orr_job_record *record)
{
    *(uint64_t *)self = orr_mix64(*(uint64_t *)self ^ (uint64_t)record->end);
}

/* Two simulations may share a trace, a cluster and a registry. */
static void shared_inputs(void **state)
{
    (void)state;
    stage *s = prepared("fifo", 200, 0, false);
    stage_run(s);
    uint64_t hash[2] = {0, 0};
    orr_sim *sims[2];
    for (int i = 0; i < 2; i++) {
        orr_sink sink = {.self = &hash[i], .job = count_job};
        sims[i] = orr_sim_create(s->trace, s->cluster, &s->options, &sink, NULL);
        assert_non_null(sims[i]);
    }
    bool more[2] = {true, true};
    while (more[0] || more[1])
        for (int i = 0; i < 2; i++)
            for (int k = 0; k <= i && more[i]; k++) /* one goes ahead of the other */
                assert_int_equal(orr_sim_step(sims[i], &more[i], NULL), ORR_OK);
    assert_true(hash[0] == hash[1] && hash[0] != 0);
    orr_sim_destroy(sims[0]);
    orr_sim_destroy(sims[1]);
    stage_destroy(s);
}

static void a_sink_is_optional(void **state)
{
    (void)state;
    stage *s = prepared("fifo", 50, 0, false);
    stage_run(s);
    orr_sim *sim = orr_sim_create(s->trace, s->cluster, &s->options, NULL, NULL);
    assert_int_equal(orr_sim_run(sim, NULL), ORR_OK);
    assert_int_equal(orr_sim_count(sim).done, 50);
    orr_sim_destroy(sim);
    orr_sim_destroy(NULL);
    stage_destroy(s);
}

/* 100,000 jobs of one second on one GPU: each comes to its end, and the last at 100,000 s. */
static void nobody_is_lost_in_a_crowd(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=1");
    for (int i = 0; i < 100000; i++)
        stage_add(s, stage_job("", 0, 1, 1));
    assert_int_equal(stage_open(s), ORR_OK);
    s->no_holds = true;
    assert_int_equal(orr_sim_run(s->sim, &s->error), ORR_OK);
    assert_int_equal(s->record_count, 100000);
    assert_int_equal(orr_sim_count(s->sim).done, 100000);
    assert_int_equal(orr_sim_now(s->sim), 100000 * ORR_SECOND);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_at_once_in_any_order_of_rows),
        cmocka_unit_test(rows_of_equal_times_in_any_order),
        cmocka_unit_test(ties_by_row_follow_the_file),
        cmocka_unit_test(seeds_matter_where_something_is_drawn),
        cmocka_unit_test(streams_are_apart),
        cmocka_unit_test(interleaved_like_alone),
        cmocka_unit_test(shared_inputs),
        cmocka_unit_test(a_sink_is_optional),
        cmocka_unit_test(nobody_is_lost_in_a_crowd),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
