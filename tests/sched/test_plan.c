/* Plans: trying and taking back leaves no trace, an illegal one changes nothing, and the run says who, when and why. */
#include "../sim/stage.h"
#include "base/rng.h"
#include "sched/ctx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- mark and undo ----------------------------------------------------------------------------------------------- */

enum { JOBS = 24, NODES = 6 };

typedef struct book { /* the policy's state */
    orr_job *jobs[JOBS];
    uint64_t seed, trials;
} book;

typedef struct picture { /* all of the index that a plan can move */
    uint64_t free_gpus[NODES];
    int64_t cpus[NODES];
    int64_t mem[NODES], free_in[4];
    int32_t gpus_held[JOBS]; /* as the plan sees it */
} picture;

static void keep(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    book *b = orr_state(ctx);
    if (event->kind == ORR_EV_SUBMITTED)
        b->jobs[orr_job_index(job)] = job;
    if (event->kind == ORR_EV_ENDED)
        b->jobs[orr_job_index(job)] = NULL;
}

static picture take_picture(const orr_ctx *ctx, const orr_plan *plan, const book *b)
{
    picture p;
    memset(&p, 0, sizeof p);
    const orr_cluster *c = ctx->world->cluster;
    for (int32_t i = 0; i < NODES; i++) {
        p.free_gpus[i] = c->nodes[i].free_gpus;
        p.cpus[i] = c->nodes[i].cpu_milli_free;
        p.mem[i] = c->nodes[i].mem_free;
        assert_int_equal(c->nodes[i].free, orr_bit_count(c->nodes[i].free_gpus));
    }
    for (int32_t vc = -1; vc < c->vcs; vc++)
        p.free_in[vc + 1] = orr_cluster_pool(c, vc)->free;
    for (int i = 0; i < JOBS; i++) {
        const orr_alloc *held = b->jobs[i] ? orr_plan_held(plan, b->jobs[i]) : NULL;
        p.gpus_held[i] = held ? orr_alloc_gpus(held) : 0;
    }
    return p;
}

static uint64_t draw(book *b, uint64_t below)
{
    return (b->seed = orr_mix64(b->seed)) % below;
}

/* Only calls that are legal, or refused for want of room: an offence would end the run. */
static void random_call(orr_ctx *ctx, orr_plan *plan, book *b)
{
    orr_job *job = b->jobs[draw(b, JOBS)];
    if (!job || (orr_job_state_now(job) != ORR_JOB_QUEUED && !orr_job_holds(job)))
        return;
    const orr_alloc *held = orr_plan_held(plan, job);
    uint64_t what = draw(b, 10);
    if (!held && what < 6 && job->plan_entry == 0) {
        orr_plan_start_in(plan, job, (orr_scope){.vc = what < 2 ? -1 : orr_job_vc(job)});
    } else if (held && what < 5 && orr_job_preemptible(job)) {
        orr_plan_preempt(plan, job);
    } else if (held && what < 7) { /* the same again */
        orr_alloc *same = orr_plan_alloc(plan);
        for (int32_t i = orr_alloc_nodes(held); i-- > 0;)
            orr_alloc_add(same, orr_alloc_slices(held)[i].node, orr_alloc_slices(held)[i].gpus);
        orr_plan_assign(plan, job, same);
    } else if (what == 9) {
        orr_plan_fits(plan, job, (orr_scope){.vc = -1});
    } else if (what == 8 && job->plan_entry == 0) {
        orr_plan_kill(plan, job, "tried");
    }
    (void)ctx;
}

static orr_err tries(orr_ctx *ctx, orr_plan *plan)
{
    book *b = orr_state(ctx);
    if (!b->seed)
        b->seed = 77;
    picture before[8];
    uint32_t mark[8];
    for (int trial = 0; trial < 20; trial++, b->trials++) {
        int depth = 1 + (int)draw(b, 8);
        for (int d = 0; d < depth; d++) { /* nested */
            before[d] = take_picture(ctx, plan, b);
            mark[d] = orr_plan_mark(plan);
            for (uint64_t k = draw(b, 12); k > 0; k--)
                random_call(ctx, plan, b);
        }
        for (int d = depth; d-- > 0;) {
            if (draw(b, 3) == 0 && d > 0)
                continue; /* two levels at once */
            orr_plan_undo(plan, mark[d]);
            picture after = take_picture(ctx, plan, b);
            assert_memory_equal(&after, &before[d], sizeof after);
        }
    }
    /* Then in earnest: waiting jobs start, and now and then somebody gives way. */
    for (int i = 0; i < JOBS; i++) {
        orr_job *job = b->jobs[i];
        if (job && orr_job_state_now(job) == ORR_JOB_QUEUED)
            orr_plan_start(plan, job);
        else if (job && orr_job_holds(job) && orr_job_preemptible(job) && draw(b, 20) == 0)
            orr_plan_preempt(plan, job);
    }
    orr_arm(ctx, 1, orr_now(ctx) + ORR_SECOND);
    return ORR_OK;
}

static void undo_restores_everything(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .state_size = sizeof(book), .on_job = keep, .schedule = tries,
                                      .placer = "first-fit"};
    for (int with_save = 0; with_save < 2; with_save++) {
        orr_cluster_spec *spec = orr_cluster_spec_create("two vcs");
        orr_node_spec n = orr_node_spec_default();
        n.cpus = 32;
        n.mem_bytes = 1000;
        for (int32_t i = 0; i < NODES; i++) {
            n.gpus = 1 + 3 * (i % 3);
            n.vc = i % 2 ? "a" : "b";
            assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
        }
        stage *s = stage_on(spec);
        for (int i = 0; i < JOBS; i++) {
            char id[8] = {'j', (char)('a' + i), 0};
            orr_trace_job job = stage_job(id, i % 5, 1 + i % 9, 3 + i % 4);
            job.vc = i % 3 ? "a" : "b";
            job.cpu_milli = 3000 * job.gpus;
            job.mem_bytes = 7 * job.gpus;
            job.preemptible = i % 6;
            stage_add(s, job);
        }
        s->options.costs = with_save ? "save=500ms,restore=1s" : NULL;
        stage_policy(s, &policy);
        stage_run(s);
        assert_true(s->counts.preemptions > 0);
        stage_destroy(s);
    }
}

/* ---- offences ---------------------------------------------------------------------------------------------------- */

static stage *offender(const char *script)
{
    stage *s = stage_create("nodes=1,gpus=4");
    stage_add(s, stage_job("A", 0, 2, 10));
    stage_add(s, stage_job("B", 0, 2, 10));
    stage_add(s, stage_job("C", 0, 2, 10));
    stage_script(s, script);
    return s;
}

static void an_illegal_plan_ends_the_run(void **state)
{
    (void)state;
    static const struct {
        const char *script, *job, *says;
        orr_err code;
    } rows[] = {
        {"0 A@0:3; 2 B@0:6", "B", "GPUs, cores or memory that are not free", ORR_E_PLAN_CAPACITY},
        {"2 B@0:7", "B", "another number of GPUs", ORR_E_PLAN_GANG},
        {"2 C-", "C", "a job that holds none", ORR_E_PLAN_STATE},
        {"2 A@0:3; 2 B@0:9; 2 C-", "B", "not free", ORR_E_PLAN_CAPACITY}, /* the first offence is named */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stage *s = offender(rows[i].script);
        assert_int_equal(stage_try(s), rows[i].code);
        assert_int_equal(orr_err_exit_status(s->code), 76);
        assert_int_equal(s->stop, ORR_STOP_ERROR);
        assert_string_equal(s->error.job, rows[i].job);
        assert_int_equal(s->error.at_ns, 2 * ORR_SECOND);
        assert_non_null(strstr(s->error.message, "policy 'script'"));
        assert_non_null(strstr(s->error.message, rows[i].says));
        assert_int_equal(s->counts.violations, 1);
        stage_destroy(s);
    }
}

/* --on-violation skip: the whole plan of 2 s is dropped, A's part too; at 3 s life goes on. */
static void skipped_offences_are_counted(void **state)
{
    (void)state;
    stage *s = offender("0 A@0:3; 2 C@0:12; 2 A-; 2 B@0:9; 3 B@0:12; 4 C@0:12; 13 C@0:3");
    s->options.skip_violations = true;
    stage_run(s);
    stage_held(s, "A", "0-10/2 done");
    stage_held(s, "B", "3-13/2 done");
    stage_held(s, "C", "13-23/2 done");
    assert_int_equal(s->counts.violations, 2);
    assert_int_equal(s->counts.preemptions, 0);
    stage_destroy(s);
}

static void no_room_is_no_offence(void **state)
{
    (void)state;
    stage *s = offender("0 A+; 0 B+; 0 C+; 10 C+"); /* C finds no room at 0 */
    stage_run(s);
    stage_ends(s, "A:10 B:10 C:20");
    assert_int_equal(s->counts.violations, 0);
    stage_destroy(s);
}

static orr_err gives_up(orr_ctx *ctx, orr_plan *plan)
{
    (void)ctx, (void)plan;
    return ORR_E_MISSING;
}

static void a_policy_may_fail(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .schedule = gives_up};
    stage *s = stage_create("nodes=1,gpus=1");
    stage_add(s, stage_job("A", 7, 1, 1));
    stage_policy(s, &policy);
    assert_int_equal(stage_try(s), ORR_E_POLICY);
    assert_int_equal(s->error.at_ns, 7 * ORR_SECOND);
    assert_non_null(strstr(s->error.message, orr_err_text(ORR_E_MISSING)));
    stage_destroy(s);
}

/* ---- a plan kept for later --------------------------------------------------------------------------------------- */

static orr_plan *kept;
static orr_job *running;
static orr_event_kind misuse_at;

static void uses_what_it_kept(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    (void)ctx;
    if (event->kind == ORR_EV_STARTED)
        running = job;
    if (!kept || event->kind != misuse_at)
        return;
    assert_int_equal(orr_plan_assign(kept, job, NULL), ORR_E_PLAN_STATE);
    assert_int_equal(orr_plan_preempt(kept, job), ORR_E_PLAN_STATE);
    assert_int_equal(orr_plan_kill(kept, job, "late"), ORR_E_PLAN_STATE);
    assert_int_equal(orr_plan_reject(kept, job, "late"), ORR_E_PLAN_STATE);
    orr_plan_start(kept, job);
    orr_plan_undo(kept, 0);
}

static orr_err keeps_it(orr_ctx *ctx, orr_plan *plan)
{
    kept = plan;
    if (running && orr_now(ctx) == ORR_SECOND && orr_job_holds(running))
        orr_plan_preempt(plan, running);
    else if (orr_now(ctx) < ORR_SECOND)
        orr_arm(ctx, 1, ORR_SECOND);
    if (running && orr_now(ctx) == 2 * ORR_SECOND)
        orr_plan_start(plan, running);
    return ORR_OK;
}

static orr_err starts_first(orr_ctx *ctx, orr_plan *plan)
{
    if (!running && ((orr_job **)orr_state(ctx))[0])
        orr_plan_start(plan, ((orr_job **)orr_state(ctx))[0]);
    return keeps_it(ctx, plan);
}

static void knows_the_first(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    if (event->kind == ORR_EV_SUBMITTED && !((orr_job **)orr_state(ctx))[0])
        ((orr_job **)orr_state(ctx))[0] = job;
    uses_what_it_kept(ctx, job, event);
}

/* In the midst of a commit (started, preempted) and between decisions (submitted, ended). */
static void a_plan_is_good_for_one_decision(void **state)
{
    (void)state;
    static const orr_policy policy = {.summary = "s", .state_size = sizeof(orr_job *), .on_job = knows_the_first,
                                      .schedule = starts_first};
    static const orr_event_kind kinds[] = {ORR_EV_STARTED, ORR_EV_PREEMPTED, ORR_EV_SUBMITTED, ORR_EV_ENDED};
    for (size_t i = 0; i < 4; i++) {
        kept = NULL;
        running = NULL;
        misuse_at = kinds[i];
        stage *s = stage_create("nodes=1,gpus=1");
        stage_add(s, stage_job("A", 0, 1, kinds[i] == ORR_EV_ENDED ? 0.5 : 10));
        stage_add(s, stage_job("B", 0.75, 1, 10));
        stage_policy(s, &policy);
        assert_int_equal(stage_try(s), ORR_E_PLAN_STATE);
        assert_non_null(strstr(s->error.message, "outside of its decision"));
        stage_destroy(s);
    }
}

/* ---- atomic gangs ------------------------------------------------------------------------------------------------ */

/* Two gangs of 8 on 8 GPUs, together: one after the other, no hold and wait. */
static void gangs_never_hold_and_wait(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=2,gpus=4");
    stage_add(s, stage_job("A", 0, 8, 10));
    stage_add(s, stage_job("B", 0, 8, 10));
    s->options.policy = "fifo+spread";
    stage_run(s);
    stage_held(s, "A", "0-10/8 done");
    stage_held(s, "B", "10-20/8 done");
    stage_destroy(s);
}

/* 8 low jobs hold everything; a high gang of 8 displaces them all at once. */
static void enough_gives_way_at_once(void **state)
{
    (void)state;
    stage *s = stage_create("nodes=1,gpus=8");
    for (int i = 0; i < 8; i++)
        stage_add(s, stage_job((const char *[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i], 0, 1, 100));
    stage_add(s, stage_job("H", 10, 8, 5));
    s->options.policy = "srtf";
    stage_run(s);
    stage_held(s, "H", "10-15/8 done");
    assert_int_equal(s->counts.preemptions, 8);
    stage_ends(s, "a:105 h:105");
    stage_destroy(s);
}

/* ---- the placer's word ------------------------------------------------------------------------------------------- */

static int32_t wrong_by;

static orr_err places_wrongly(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    (void)ctx;
    return orr_alloc_take(out, plan, 0, r->gpus + wrong_by);
}

static orr_err places_twice(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    (void)ctx, (void)r;
    orr_alloc_take(out, plan, 0, 1);
    return orr_alloc_take(out, plan, 0, 1);
}

static orr_err breaks(orr_ctx *ctx, const orr_plan *plan, const orr_request *r, orr_alloc *out)
{
    (void)ctx, (void)plan, (void)r, (void)out;
    return orr_now(ctx) > 0 ? ORR_E_POLICY : ORR_OK;
}

static void placers_are_checked_too(void **state)
{
    (void)state;
    static const struct {
        orr_err (*place)(orr_ctx *, const orr_plan *, const orr_request *, orr_alloc *);
        int32_t wrong_by;
        orr_err code;
    } rows[] = {{places_wrongly, 1, ORR_E_PLAN_GANG}, {places_wrongly, -1, ORR_E_PLAN_GANG},
                {places_twice, 0, ORR_E_PLAN_CAPACITY}, {breaks, 0, ORR_E_POLICY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_placer placer = {.summary = "s", .place = rows[i].place};
        wrong_by = rows[i].wrong_by;
        stage *s = stage_create("nodes=1,gpus=4");
        orr_module m = {ORR_ABI, sizeof(orr_module), sizeof(orr_knob), sizeof(orr_event), sizeof(orr_request),
                        sizeof placer, ORR_KIND_PLACER, "bad", &placer};
        assert_int_equal(orr_registry_add(s->registry, &m, NULL), ORR_OK);
        stage_add(s, stage_job("A", 1, 2, 10));
        s->options.policy = "fifo+bad";
        assert_int_equal(stage_try(s), rows[i].code);
        assert_string_equal(s->error.job, "A");
        stage_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undo_restores_everything),
        cmocka_unit_test(an_illegal_plan_ends_the_run),
        cmocka_unit_test(skipped_offences_are_counted),
        cmocka_unit_test(no_room_is_no_offence),
        cmocka_unit_test(a_policy_may_fail),
        cmocka_unit_test(a_plan_is_good_for_one_decision),
        cmocka_unit_test(gangs_never_hold_and_wait),
        cmocka_unit_test(enough_gives_way_at_once),
        cmocka_unit_test(placers_are_checked_too),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
