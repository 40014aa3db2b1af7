/* The life of nodes, on its own: a cluster, a queue, and a clock that the test moves. */
#include "cluster/nodelife.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { KIND = 7 };

typedef struct scene {
    orr_cluster_spec *spec;
    orr_cluster *cluster;
    orr_queue *queue;
    orr_nodelife life;
    orr_time now;
    uint64_t evicted[4];
    int told;
    char states[512]; /* "1:draining 1:down …" */
} scene;

static void evict(void *self, int32_t node, uint64_t gpus)
{
    scene *s = self;
    s->evicted[node] |= gpus;
    orr_node *n = &s->cluster->nodes[node];
    uint64_t held = ~n->idle & n->all & gpus;
    if (held)
        orr_cluster_give(s->cluster, node, held, (orr_share){0});
}

static void told(void *self, int32_t node, orr_node_state was)
{
    scene *s = self;
    char word[64];
    (void)was;
    s->told++;
    snprintf(word, sizeof word, "%s%d:%s", s->states[0] ? " " : "", node,
             orr_node_state_name(orr_nodelife_state(&s->life, node)));
    strncat(s->states, word, sizeof s->states - strlen(s->states) - 1);
}

static bool busy(void *self, int32_t node)
{
    (void)self;
    (void)node;
    return false;
}

/* Two nodes of four GPUs; 10 s to switch off, 20 s to switch on. */
static scene *begin(void)
{
    scene *s = orr_xcalloc(1, sizeof *s);
    orr_node_spec node = orr_node_spec_default();
    node.gpus = 4;
    s->spec = orr_cluster_spec_create("test");
    assert_int_equal(orr_cluster_spec_add(s->spec, &node, 2, NULL), ORR_OK);
    s->cluster = orr_cluster_create(s->spec, false);
    s->queue = orr_queue_create();
    orr_nodelife_init(&s->life, s->cluster, s->queue, &s->now, KIND);
    s->life.self = s;
    s->life.evict = evict;
    s->life.told = told;
    s->life.busy = busy;
    s->life.sleep_time = 10 * ORR_SECOND;
    s->life.wake_time = 20 * ORR_SECOND;
    return s;
}

static void end(scene *s)
{
    orr_nodelife_fini(&s->life);
    orr_queue_destroy(s->queue);
    orr_cluster_destroy(s->cluster);
    orr_cluster_spec_destroy(s->spec);
    free(s);
}

static void run_to(scene *s, double seconds)
{
    orr_time to = orr_time_from_seconds(seconds);
    orr_queued event;
    for (const orr_queued *head; (head = orr_queue_peek(s->queue)) && head->at <= to;) {
        orr_queue_pop(s->queue, &event);
        s->now = event.at;
        assert_int_equal(event.kind, KIND);
        orr_nodelife_dispatch(&s->life, &event);
    }
    s->now = to;
}

static void states(scene *s, const char *expected)
{
    assert_string_equal(s->states, expected);
    s->states[0] = '\0';
}

static int64_t gpus(const scene *s)
{
    return orr_cluster_pool(s->cluster, -1)->gpus;
}

static void sleeping_and_waking_take_their_time(void **state)
{
    (void)state;
    scene *s = begin();
    orr_nodelife_wish(&s->life, 1, ORR_WISH_SLEEP);
    states(s, "1:falling-asleep"); /* nobody is there: at once */
    assert_int_equal(gpus(s), 4);
    run_to(s, 9);
    assert_int_equal(orr_nodelife_state(&s->life, 1), ORR_NODE_FALLING_ASLEEP);
    run_to(s, 10);
    states(s, "1:asleep");
    orr_nodelife_wish(&s->life, 1, ORR_WISH_TAKE);
    run_to(s, 29);
    states(s, "1:waking");
    run_to(s, 30);
    states(s, "1:up");
    assert_int_equal(gpus(s), 8);
    assert_int_equal(s->life.wakes, 1);
    end(s);
}

/* Who changes his mind while it is switched off gets it back as soon as that can be. */
static void a_wish_that_comes_too_early_is_kept(void **state)
{
    (void)state;
    scene *s = begin();
    orr_nodelife_wish(&s->life, 0, ORR_WISH_SLEEP);
    run_to(s, 5);
    orr_nodelife_wish(&s->life, 0, ORR_WISH_TAKE);
    run_to(s, 30);
    states(s, "0:falling-asleep 0:asleep 0:waking 0:up");
    orr_nodelife_wish(&s->life, 0, ORR_WISH_SLEEP);
    run_to(s, 41);
    orr_nodelife_wish(&s->life, 0, ORR_WISH_TAKE);
    orr_nodelife_wish(&s->life, 0, ORR_WISH_SLEEP);
    run_to(s, 100);
    states(s, "0:falling-asleep 0:asleep 0:waking 0:up 0:falling-asleep 0:asleep");
    end(s);
}

static void one_that_is_held_drains_first(void **state)
{
    (void)state;
    scene *s = begin();
    orr_cluster_take(s->cluster, 0, 3, (orr_share){0});
    orr_nodelife_wish(&s->life, 0, ORR_WISH_SLEEP);
    states(s, "0:draining");
    assert_int_equal(gpus(s), 8); /* they are there, but not to be given */
    assert_int_equal(s->cluster->nodes[0].free, 0);
    assert_false(orr_nodelife_settle(&s->life));
    orr_cluster_give(s->cluster, 0, 1, (orr_share){0});
    assert_false(orr_nodelife_settle(&s->life));
    orr_cluster_give(s->cluster, 0, 2, (orr_share){0});
    assert_true(orr_nodelife_settle(&s->life));
    states(s, "0:falling-asleep");
    assert_int_equal(s->life.leaving.n, 0);
    end(s);
}

static void draining_can_be_taken_back(void **state)
{
    (void)state;
    scene *s = begin();
    orr_nodelife_wish(&s->life, 0, ORR_WISH_DRAIN);
    states(s, "0:draining");
    assert_int_equal(s->cluster->nodes[0].free, 0);
    assert_false(orr_nodelife_settle(&s->life)); /* it drains for its own sake: nothing comes of it */
    orr_nodelife_wish(&s->life, 0, ORR_WISH_TAKE);
    states(s, "0:up");
    assert_int_equal(s->cluster->nodes[0].free, 4);
    end(s);
}

/* Two reasons: it is back when both are gone. Saying that it failed twice is one reason. */
static void losses_count(void **state)
{
    (void)state;
    scene *s = begin();
    orr_cluster_take(s->cluster, 0, 1, (orr_share){0});
    orr_nodelife_lose(&s->life, 0);
    assert_true(s->evicted[0] == ~(uint64_t)0);
    orr_nodelife_say(&s->life, 0, ORR_LOSS_FAILED, true);
    orr_nodelife_say(&s->life, 0, ORR_LOSS_FAILED, true);
    orr_nodelife_regain(&s->life, 0);
    states(s, "0:down");
    orr_nodelife_say(&s->life, 0, ORR_LOSS_FAILED, false);
    states(s, "0:up");
    orr_nodelife_regain(&s->life, 0); /* of nothing */
    states(s, "");
    assert_int_equal(s->cluster->nodes[0].free, 4);
    end(s);
}

/* After a loss it is as it would have been. */
static void a_loss_hides_the_wish_for_a_while(void **state)
{
    (void)state;
    scene *s = begin();
    orr_nodelife_wish(&s->life, 0, ORR_WISH_SLEEP);
    run_to(s, 3);
    orr_nodelife_lose(&s->life, 0);
    run_to(s, 60); /* it isn't asleep at 10: it is down */
    orr_nodelife_regain(&s->life, 0);
    states(s, "0:falling-asleep 0:down 0:asleep");
    orr_nodelife_wish(&s->life, 0, ORR_WISH_TAKE);
    run_to(s, 70);
    orr_nodelife_lose(&s->life, 0);
    orr_nodelife_wish(&s->life, 0, ORR_WISH_DRAIN);
    orr_nodelife_regain(&s->life, 0);
    run_to(s, 200);
    states(s, "0:waking 0:down 0:draining");
    end(s);
}

static void one_that_leaves_is_gone_until_it_is_called_back(void **state)
{
    (void)state;
    scene *s = begin();
    orr_cluster_take(s->cluster, 1, 1, (orr_share){0});
    orr_nodelife_wish(&s->life, 1, ORR_WISH_LEAVE);
    orr_nodelife_wish(&s->life, 0, ORR_WISH_LEAVE);
    orr_cluster_give(s->cluster, 1, 1, (orr_share){0});
    assert_true(orr_nodelife_settle(&s->life));
    states(s, "1:draining 0:down 1:down");
    assert_int_equal(gpus(s), 0);
    assert_true(s->evicted[0] == ~(uint64_t)0); /* of nobody: it was empty */
    orr_nodelife_wish(&s->life, 0, ORR_WISH_LEAVE);
    orr_nodelife_wish(&s->life, 0, ORR_WISH_TAKE);
    states(s, "0:up");
    end(s);
}

static void single_gpus_come_and_go(void **state)
{
    (void)state;
    scene *s = begin();
    orr_cluster_take(s->cluster, 0, 1, (orr_share){0});
    orr_nodelife_lose_gpus(&s->life, 0, 3);
    assert_int_equal(s->evicted[0], 3);
    assert_int_equal(gpus(s), 6);
    orr_nodelife_say_gpus(&s->life, 0, 2, true);
    orr_nodelife_regain_gpus(&s->life, 0, 3);
    assert_int_equal(gpus(s), 7); /* the second is still said to be down */
    orr_nodelife_lose(&s->life, 0);
    orr_nodelife_say_gpus(&s->life, 0, 2, false);
    assert_int_equal(gpus(s), 4);
    orr_nodelife_regain(&s->life, 0);
    assert_int_equal(gpus(s), 8);
    states(s, "0:up 0:up 0:down 0:up");
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeping_and_waking_take_their_time),
        cmocka_unit_test(a_wish_that_comes_too_early_is_kept),
        cmocka_unit_test(one_that_is_held_drains_first),
        cmocka_unit_test(draining_can_be_taken_back),
        cmocka_unit_test(losses_count),
        cmocka_unit_test(a_loss_hides_the_wish_for_a_while),
        cmocka_unit_test(one_that_leaves_is_gone_until_it_is_called_back),
        cmocka_unit_test(single_gpus_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
