/* Portions of GPUs as changes of a plan: who keeps what, who is placed where, and what becomes of those without room. */
#define ORR_BUILTIN /* the modules are registered by hand */
#include "../sim/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What the test's policy does: in second i it stages numbers[i], "A3 B0" by the rules. Jobs that aren't named stay as
 * they are. */
static const char *const *numbers;
static orr_portion_rules rules;
static uint64_t types, moves; /* that portions may have; 0: all; the former from the second decision on */

typedef struct state {
    orr_elastic *elastic;
    int at;
} state;

static bool named(const char *text, const char *id, int32_t *gpus)
{
    for (const char *at = text; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] != 0)) {
        if (*at != *id)
            continue;
        *gpus = atoi(at + 1);
        return true;
    }
    return false;
}

static orr_err stage_numbers(orr_ctx *ctx, orr_plan *plan)
{
    state *st = orr_state(ctx);
    orr_portion *portions;
    int32_t capacity;
    size_t count = 0;
    orr_trigger_events(ctx, 0);
    orr_trigger_period(ctx, ORR_SECOND, 0);
    if (!numbers[st->at])
        return ORR_OK;
    const size_t n = orr_elastic_pool(st->elastic, 0, &portions, &capacity);
    for (size_t i = 0; i < n; i++) {
        int32_t gpus;
        if (!named(numbers[st->at], orr_job_id(portions[i].job), &gpus))
            continue;
        portions[count] = portions[i];
        portions[count].scope.types = types;
        portions[count++].gpus = gpus;
    }
    st->at++;
    types = moves;
    return orr_plan_portions(plan, &rules, portions, count);
}

static void hear(orr_ctx *ctx, orr_job *job, const orr_event *event)
{
    orr_elastic_event(((state *)orr_state(ctx))->elastic, job, event);
}

static orr_err begin(orr_ctx *ctx)
{
    ((state *)orr_state(ctx))->elastic = orr_elastic_create(ctx, ORR_VC_SHARED);
    return ORR_OK;
}

static const orr_policy policy = {.summary = "stages numbers", .state_size = sizeof(state), .schedule = stage_numbers,
                                  .init = begin, .on_job = hear, .placer = "consolidate"};

/* Jobs A, B, …, on 1 to 8 GPUs each. */
static stage *staged(const char *cluster, int jobs, const orr_portion_rules *by, const char *const *list)
{
    stage *s = stage_create(cluster);
    for (int i = 0; i < jobs; i++) {
        const char id[2] = {(char)('A' + i), '\0'};
        orr_trace_job job = stage_job(id, 0, 2, 1000);
        job.min_gpus = 1;
        job.max_gpus = 8;
        stage_add(s, job);
    }
    numbers = list;
    rules = *by;
    types = 0;
    stage_policy(s, &policy);
    s->options.until = 6 * ORR_SECOND + 1;
    return s;
}

/* Holds in order, with masks: "0:3 | 0:7 1:1". Its last one ends with the run. */
static void held(const stage *s, const char *id, const char *expected)
{
    char text[512] = "";
    for (size_t i = 0; i < s->hold_count; i++) {
        const stage_hold *h = &s->holds[i];
        if (h->job != (uint32_t)(*id - 'A'))
            continue;
        for (int32_t k = 0; k < h->slice_count; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%llu", k ? " " : text[0] ? " | " : "",
                     h->slices[k].node, (unsigned long long)h->slices[k].gpus);
    }
    if (strcmp(text, expected) != 0)
        fail_msg("%s holds %s, not %s", id, text, expected);
}

static void run_to_horizon(stage *s)
{
    if (stage_try(s))
        fail_msg("%s (job %s)", s->error.message, s->error.job);
    assert_int_equal(s->stop, ORR_STOP_HORIZON);
    assert_int_equal(s->counts.violations, 0);
}

/* The smaller first, on the emptiest node, again and again: A, C, and B where it finds the rest. Then B keeps what it
 * has; C, now the smallest, and A are placed on what they gave back; and A has to go.
 *
 *   node 0 A A B B    A A B B    - - B B
 *   node 1 C C B -    C A B -    C - B - */
static void unchanged_ones_keep_their_gpus(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A2 B3 C2", "A3 B3 C1", "A0 C1", NULL};
    const orr_portion_rules by = {.order = ORR_PORTIONS_SMALLEST, .place = ORR_PORTIONS_EMPTIEST};
    stage *s = staged("nodes=2,gpus=4", 3, &by, list);
    run_to_horizon(s);
    held(s, "A", "0:3 | 0:3 1:2");
    held(s, "B", "0:12 1:4");
    held(s, "C", "1:3 | 1:1");
    assert_int_equal(s->counts.preemptions, 1);
    stage_destroy(s);
}

/* As given: A first. The greatest first: B. */
static void the_order_is_a_rule(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A1 B3", NULL};
    const orr_portion_rules given = {.place = ORR_PORTIONS_INDEXED}, largest = {.order = ORR_PORTIONS_LARGEST};
    stage *s = staged("nodes=1,gpus=4", 2, &given, list);
    run_to_horizon(s);
    held(s, "A", "0:1");
    stage_destroy(s);
    s = staged("nodes=1,gpus=4", 2, &largest, list);
    run_to_horizon(s);
    held(s, "A", "0:8");
    stage_destroy(s);
}

/* A and B swap sizes, which in place has A shrink before B grows, so that both stay on their GPUs. */
static void in_place_those_that_shrink_come_first(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A3 B1", "B3 A1", "A5", NULL};
    const orr_portion_rules by = {.in_place = true};
    stage *s = staged("nodes=1,gpus=4", 2, &by, list);
    run_to_horizon(s);
    held(s, "A", "0:7 | 0:1"); /* and five don't fit: it keeps what it has */
    held(s, "B", "0:8 | 0:14");
    stage_destroy(s);
}

/* On nodes of four, by consolidation: A leaves two GPUs of its node and one of B's. C asks three: it waits, or has
 * two, or half of three. */
static void who_finds_no_room(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A2 B3 C3", NULL};
    static const char *const expected[] = {"", "0:12", "1:8"};
    for (int32_t lack = ORR_PORTIONS_WAIT; lack <= ORR_PORTIONS_HALVE; lack++) {
        const orr_portion_rules by = {.lack = lack};
        stage *s = staged("nodes=2,gpus=4", 3, &by, list);
        run_to_horizon(s);
        held(s, "C", expected[lack]);
        stage_destroy(s);
    }
}

/* A gave its two GPUs back for six that there aren't: it has the same two again, and no cost. */
static void who_gave_back_for_nothing_stays(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A2 B4", "A6", NULL};
    const orr_portion_rules by = {.lack = ORR_PORTIONS_LESS};
    stage *s = staged("nodes=2,gpus=4", 2, &by, list);
    run_to_horizon(s);
    held(s, "A", "0:3");
    stage_destroy(s);
}

/* A, B and C may have nothing; A and B then get their least number of what C leaves. */
static void leftovers_start_somebody(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A0 B0 C2 D0", NULL};
    const orr_portion_rules by = {.fill = true};
    stage *s = staged("nodes=1,gpus=4", 4, &by, list);
    run_to_horizon(s);
    held(s, "C", "0:3");
    held(s, "A", "0:4");
    held(s, "B", "0:8");
    held(s, "D", "");
    stage_destroy(s);
}

/* It must not be preempted: 0 means nothing to it, and it is resized in place. */
static void a_pinned_job_is_resized_only(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A2 B2", "A0", "A1", "A2", NULL};
    const orr_portion_rules by = {.place = ORR_PORTIONS_EMPTIEST};
    stage *s = staged("nodes=2,gpus=4", 0, &by, list);
    for (int i = 0; i < 2; i++) {
        orr_trace_job job = stage_job(i ? "B" : "A", 0, 2, 1000);
        job.min_gpus = 1;
        job.max_gpus = 8;
        job.preemptible = i == 1;
        stage_add(s, job);
    }
    run_to_horizon(s);
    held(s, "A", "0:3"); /* a pool has only those that can be preempted, so that it isn't even asked */
    assert_int_equal(s->counts.preemptions, 0);
    stage_destroy(s);
}

/* The same number elsewhere: the types of its scope are others now. */
static void another_type_moves_it(void **state_)
{
    (void)state_;
    static const char *const list[] = {"A2", "A2", NULL};
    const orr_portion_rules by = {.in_place = true};
    orr_cluster_spec *spec = orr_cluster_spec_create("types");
    for (int i = 0; i < 2; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = 4;
        n.gpu_type = i ? "A100" : "V100";
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    stage *s = stage_on(spec);
    orr_trace_job job = stage_job("A", 0, 2, 1000);
    job.max_gpus = 8;
    stage_add(s, job);
    numbers = list;
    rules = by;
    types = 0;
    moves = 2;
    stage_policy(s, &policy);
    s->options.until = 6 * ORR_SECOND + 1;
    run_to_horizon(s);
    held(s, "A", "0:3 | 1:3");
    moves = 0;
    stage_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_ones_keep_their_gpus),
        cmocka_unit_test(the_order_is_a_rule),
        cmocka_unit_test(in_place_those_that_shrink_come_first),
        cmocka_unit_test(who_finds_no_room),
        cmocka_unit_test(who_gave_back_for_nothing_stays),
        cmocka_unit_test(leftovers_start_somebody),
        cmocka_unit_test(a_pinned_job_is_resized_only),
        cmocka_unit_test(another_type_moves_it),
    };
    return cmocka_run_group_tests_name("elastic", tests, NULL, NULL);
}
