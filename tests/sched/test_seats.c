/* Seats: whole nodes and parts of them, and who makes room. */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { JOBS = 16 };

typedef struct state {
    orr_job *jobs[JOBS];
    size_t n;
} state;

static void on_job(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    state *s = orr_state(ctx);
    size_t i = 0;
    if (event->kind == ORR_EV_SUBMITTED)
        s->jobs[s->n++] = job;
    if (event->kind != ORR_EV_ENDED)
        return;
    while (s->jobs[i] != job)
        i++;
    s->jobs[i] = s->jobs[--s->n];
}

/* Everybody as soon as there are GPUs for all. Jobs named F… must not be moved. */
static orr_err schedule(orr_ctx *ctx, orr_plan *plan)
{
    state *s = orr_state(ctx);
    orr_seat seats[JOBS];
    int32_t gpus = 0;
    for (size_t i = 0; i < s->n; i++) {
        gpus += orr_job_gpus(s->jobs[i]);
        seats[i] = (orr_seat){.job = s->jobs[i], .gpus = orr_job_gpus(s->jobs[i]), .keeps = orr_plan_held(plan, s->jobs[i]) != NULL,
                              .fixed = orr_job_id(s->jobs[i])[0] == 'F'};
    }
    if (gpus > orr_scope_gpus(ctx, (orr_scope){.vc = -1}))
        return ORR_OK;
    orr_plan_seats(ctx, plan, (orr_scope){.vc = -1}, NULL, seats, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (!seats[i].found)
            orr_note_decision(ctx, seats[i].job, "no seat");
    return ORR_OK;
}

static const orr_policy by_seats = {.summary = "seats", .state_size = sizeof(state), .on_job = on_job, .schedule = schedule};

static stage *play(const char *cluster, const orr_trace_job *jobs, size_t n)
{
    stage *s = stage_create(cluster);
    for (size_t i = 0; i < n; i++)
        stage_add(s, jobs[i]);
    stage_policy(s, &by_seats);
    stage_run(s);
    return s;
}

/* The job's k-th hold is on this node alone, with this mask. */
static void sits(const stage *s, const char *id, int k, int32_t node, uint64_t mask)
{
    for (size_t i = 0; i < s->hold_count; i++)
        if (strcmp(orr_trace_jobs(s->trace)[s->holds[i].job].id, id) == 0 && k-- == 0) {
            assert_int_equal(s->holds[i].slices[0].node, node);
            assert_int_equal(s->holds[i].slices[0].gpus, mask);
            return;
        }
    fail_msg("%s has no such hold", id);
}

/* The wide one is on the last node; of the others the widest come first, each where it leaves least. */
static void whole_nodes_from_the_end_and_parts_where_they_leave_least(void **unused)
{
    (void)unused;
    const orr_trace_job jobs[] = {stage_job("one", 0, 1, 10), stage_job("two", 0, 2, 10), stage_job("four", 0, 4, 10),
                                  stage_job("wide", 0, 8, 10)};
    stage *s = play("nodes=4,gpus=4", jobs, 4);
    stage_ends(s, "one:10 two:10 four:10 wide:10");
    sits(s, "wide", 0, 3, 15);
    sits(s, "four", 0, 1, 15);
    sits(s, "two", 0, 0, 3);
    sits(s, "one", 0, 0, 4);
    stage_destroy(s);
}

/* At 10 X and Y end; a and b are alone on a node each, and W wants a whole one: a moves to b's. */
static void small_ones_make_room(void **unused)
{
    (void)unused;
    const orr_trace_job jobs[] = {stage_job("X", 0, 3, 10), stage_job("Y", 0, 3, 10), stage_job("a", 0, 1, 30), stage_job("b", 0, 1, 30),
                                  stage_job("W", 10, 4, 5)};
    stage *s = play("nodes=2,gpus=4", jobs, 5);
    stage_ends(s, "X:10 Y:10 a:30 b:30 W:15");
    sits(s, "a", 1, 1, 1);
    sits(s, "W", 0, 0, 15);
    stage_destroy(s);
}

/* At 10 X and Y end. The first node has more room, but F must not be moved: c and d go there, and W has the other one. */
static void who_is_fixed_stays(void **unused)
{
    (void)unused;
    const orr_trace_job jobs[] = {stage_job("X", 0, 3, 10), stage_job("Y", 0, 2, 10), stage_job("F", 0, 1, 30), stage_job("c", 0, 1, 30),
                                  stage_job("d", 0, 1, 30), stage_job("W", 10, 4, 5)};
    stage *s = play("nodes=2,gpus=4", jobs, 6);
    stage_ends(s, "X:10 Y:10 F:30 c:30 d:30 W:15");
    sits(s, "F", 0, 0, 8);
    assert_int_equal(stage_of(s, "F")->migrations, 0);
    sits(s, "c", 1, 0, 1);
    sits(s, "d", 1, 0, 2);
    sits(s, "W", 0, 1, 15);
    stage_destroy(s);
}

/* Three GPUs on each of two nodes leave one on each: two GPUs are scattered over them. */
static void odd_numbers_take_what_is_left(void **unused)
{
    (void)unused;
    const orr_trace_job jobs[] = {stage_job("f", 0, 3, 10), stage_job("g", 0, 3, 10), stage_job("h", 0, 2, 10)};
    stage *s = play("nodes=2,gpus=4", jobs, 3);
    stage_ends(s, "f:10 g:10 h:10");
    for (size_t i = 0; i < s->hold_count; i++)
        if (s->holds[i].gpus == 2)
            assert_int_equal(s->holds[i].slice_count, 2);
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_nodes_from_the_end_and_parts_where_they_leave_least),
        cmocka_unit_test(small_ones_make_room),
        cmocka_unit_test(who_is_fixed_stays),
        cmocka_unit_test(odd_numbers_take_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
