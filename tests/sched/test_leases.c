/* Leases and groups of jobs, by small policies. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct own {
    orr_leases *leases;
    orr_line waiting, line;
} own;

static orr_time length;
static bool together;

static orr_err begin(orr_ctx *ctx)
{
    own *st = orr_state(ctx);
    st->leases = orr_leases_create(ctx, &(orr_lease_rules){.length = length, .together = together});
    return ORR_OK;
}

static void hear(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    own *st = orr_state(ctx);
    orr_leases_event(st->leases, job, event);
    if (event->kind == ORR_EV_SUBMITTED || event->kind == ORR_EV_PREEMPTED)
        orr_line_add(ctx, &st->waiting, job);
    else if (event->kind == ORR_EV_STARTED)
        orr_line_remove(&st->waiting, job);
}

/* Whoever waits, in order, and then whose lease is over. */
static orr_err deal(orr_ctx *ctx, orr_plan *plan)
{
    own *st = orr_state(ctx);
    orr_job *const *over;
    const size_t n = orr_leases_over(st->leases, &over);
    st->line.n = 0;
    for (size_t i = 0; i < st->waiting.n; i++)
        orr_line_add(ctx, &st->line, st->waiting.at[i]);
    for (size_t i = 0; i < n; i++)
        orr_line_add(ctx, &st->line, over[i]);
    orr_leases_deal(st->leases, plan, st->line.at, st->line.n, (orr_scope){.vc = -1});
    return ORR_OK;
}

static const orr_policy policy = {.summary = "leases", .state_size = sizeof(own), .init = begin, .on_job = hear,
                                  .schedule = deal};

static stage *staged(const char *cluster, double seconds, bool as_one)
{
    stage *s = stage_create(cluster);
    length = orr_time_from_seconds(seconds);
    together = as_one;
    stage_policy(s, &policy);
    return s;
}

/* One GPU. B comes at 10 and has it when A's lease ends; A's is renewed once nobody else is there. */
static void a_lease_protects_until_it_ends(void **state)
{
    (void)state;
    stage *s = staged("nodes=1,gpus=1", 30, false);
    stage_add(s, stage_job("A", 0, 1, 100));
    stage_add(s, stage_job("B", 10, 1, 20));
    stage_run(s);
    stage_held(s, "A", "0-30/1 preempted, 50-120/1 done");
    stage_held(s, "B", "30-50/1 done");
    stage_destroy(s);
}

/* Leases that end together: given at 15, over at 40, too. */
static void leases_may_end_together(void **state)
{
    (void)state;
    stage *s = staged("nodes=1,gpus=2", 40, true);
    stage_add(s, stage_job("A", 0, 1, 100));
    stage_add(s, stage_job("B", 15, 1, 100));
    stage_add(s, stage_job("C", 20, 2, 10));
    stage_run(s);
    stage_held(s, "A", "0-40/1 preempted, 50-110/1 done");
    stage_held(s, "B", "15-40/1 preempted, 50-125/1 done");
    stage_held(s, "C", "40-50/2 done");
    stage_destroy(s);
}

/* Who can't be preempted loses nothing, and a gang that finds no room takes nothing from anybody. */
static void nobody_loses_for_nothing(void **state)
{
    (void)state;
    stage *s = staged("nodes=1,gpus=2", 10, false);
    orr_trace_job pinned = stage_job("A", 0, 1, 100);
    pinned.preemptible = false;
    stage_add(s, pinned);
    stage_add(s, stage_job("B", 0, 1, 50));
    stage_add(s, stage_job("C", 5, 2, 10));
    stage_run(s);
    stage_held(s, "A", "0-100/1 done");
    stage_held(s, "B", "0-50/1 done");
    stage_held(s, "C", "100-110/2 done");
    stage_destroy(s);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static char seen[512];

/* "a:0/1": the job, its group, and how many of it are there; after an end those that are left. */
static void look(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_job *const *jobs;
    if (event->kind != ORR_EV_SUBMITTED && event->kind != ORR_EV_ENDED)
        return;
    const size_t n = orr_group_jobs(ctx, orr_job_group(job), &jobs);
    assert_true(orr_job_group(job) < orr_groups_seen(ctx));
    for (size_t i = 1; i < n; i++)
        assert_true(orr_job_index(jobs[i - 1]) < orr_job_index(jobs[i]));
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%s:%d/%d ",
             event->kind == ORR_EV_ENDED ? "-" : "", orr_job_id(job), orr_job_group(job), (int)n);
}

static orr_err start_all(orr_ctx *ctx, orr_plan *plan)
{
    orr_job *const *jobs;
    for (int32_t g = 0; g < orr_groups_seen(ctx); g++)
        for (size_t i = 0, n = orr_group_jobs(ctx, g, &jobs); i < n; i++)
            if (orr_job_state_now(jobs[i]) == ORR_JOB_QUEUED)
                orr_plan_start(plan, jobs[i]);
    return ORR_OK;
}

static const orr_policy looks = {.summary = "groups", .on_job = look, .schedule = start_all};

static void groups_know_who_is_there(void **state)
{
    (void)state;
    static const struct {
        const char *id, *group;
        double submit;
    } jobs[] = {{"a", "x", 0}, {"b", "", 1}, {"c", "x", 2}, {"d", "y", 15}, {"e", "", 16}, {"f", "x", 17}};
    stage *s = stage_create("nodes=1,gpus=8");
    stage_policy(s, &looks);
    seen[0] = '\0';
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        orr_trace_job job = stage_job(jobs[i].id, jobs[i].submit, 1, 10);
        job.group = jobs[i].group;
        stage_add(s, job);
    }
    stage_run(s);
    assert_string_equal(seen, "a:0/1 b:1/1 c:0/2 -a:0/1 -b:1/0 -c:0/0 d:2/1 e:1/1 f:0/1 -d:2/0 -e:1/0 -f:0/0 ");
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lease_protects_until_it_ends),
        cmocka_unit_test(leases_may_end_together),
        cmocka_unit_test(nobody_loses_for_nothing),
        cmocka_unit_test(groups_know_who_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
