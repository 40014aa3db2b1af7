/* Stride scheduling: who gets how many turns, gangs among them, and what becomes of those who were away or want
 * little. */
#include "sched/ctx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct client {
    orr_stride_client at; /* item is the client */
    int32_t units;
    double tickets;
    int had; /* units, over all turns */
    bool rests;
} client;

typedef struct machine {
    orr_ctx ctx;
    orr_stride stride;
    int32_t units, left;
    client *won[16];
    int winners;
} machine;

static orr_offer offer(void *self, void *item)
{
    machine *m = self;
    client *c = item;
    if (m->left == 0)
        return ORR_OFFER_FULL;
    if (c->rests)
        return ORR_OFFER_ASIDE;
    if (c->units > m->left)
        return ORR_OFFER_REFUSED;
    m->left -= c->units;
    m->won[m->winners++] = c;
    return ORR_OFFER_TOOK;
}

static void turn(machine *m)
{
    m->left = m->units;
    m->winners = 0;
    orr_stride_turn(&m->ctx, &m->stride, offer, m);
    for (int i = 0; i < m->winners; i++) {
        m->won[i]->had += m->won[i]->units;
        orr_stride_charge(&m->stride, &m->won[i]->at, m->won[i]->units, m->won[i]->tickets);
    }
}

static void join(machine *m, client *c)
{
    c->at.item = c;
    orr_stride_join(&m->ctx, &m->stride, &c->at);
}

/* One unit, tickets 1, 2 and 3: at no time is anybody a whole turn off. */
static void turns_follow_tickets(void **state)
{
    (void)state;
    machine m = {.units = 1};
    client c[3] = {{.units = 1, .tickets = 1}, {.units = 1, .tickets = 2}, {.units = 1, .tickets = 3}};
    for (int i = 0; i < 3; i++)
        join(&m, &c[i]);
    for (int t = 1; t <= 600; t++) {
        turn(&m);
        for (int i = 0; i < 3; i++)
            assert_true(c[i].had <= t * (i + 1) / 6.0 + 1 && c[i].had >= t * (i + 1) / 6.0 - 1);
    }
    assert_int_equal(c[2].had, 300);
    orr_arena_fini(&m.ctx.arena);
}

/* Four units; a gang of four, one of two and two of one, all with the same tickets. Each has a third or a quarter of
 * the units where it can, and the gang of four isn't starved by those that fit beside each other. */
static void gangs_have_their_turns(void **state)
{
    (void)state;
    machine m = {.units = 4};
    client c[4] = {
        {.units = 4, .tickets = 2}, {.units = 2, .tickets = 2}, {.units = 1, .tickets = 1}, {.units = 1, .tickets = 1}};
    for (int i = 0; i < 4; i++)
        join(&m, &c[i]);
    for (int t = 1; t <= 900; t++) {
        turn(&m);
        assert_true(c[0].had - 4 * t / 3 <= 4 && 4 * t / 3 - c[0].had <= 4);
    }
    assert_true(abs(c[0].had - 1200) <= 4 && abs(c[1].had - 1200) <= 4 && abs(c[2].had - 600) <= 4);
    orr_arena_fini(&m.ctx.arena);
}

/* Two units. The first is entitled to both but wants one: it has that, and isn't owed the rest when a third comes. */
static void nobody_saves_up(void **state)
{
    (void)state;
    machine m = {.units = 2};
    client c[4] = {{.units = 1, .tickets = 10},
                   {.units = 1, .tickets = 1},
                   {.units = 1, .tickets = 1},
                   {.units = 1, .tickets = 10}};
    for (int i = 0; i < 3; i++)
        join(&m, &c[i]);
    for (int t = 0; t < 1000; t++)
        turn(&m);
    assert_int_equal(c[0].had, 1000);
    assert_true(abs(c[1].had - c[2].had) <= 1);
    m.units = 1;
    join(&m, &c[3]);
    const int before = c[0].had;
    for (int t = 0; t < 220; t++)
        turn(&m);
    assert_true(abs(c[0].had - before - 100) <= 11 && abs(c[3].had - 100) <= 11);
    orr_arena_fini(&m.ctx.arena);
}

/* Who was away comes back where it was among the others: neither first for all that it missed, nor last. */
static void being_away_changes_nothing(void **state)
{
    (void)state;
    machine m = {.units = 1};
    client c[2] = {{.units = 1, .tickets = 1}, {.units = 1, .tickets = 1}};
    join(&m, &c[0]);
    join(&m, &c[1]);
    for (int t = 0; t < 10; t++)
        turn(&m);
    orr_stride_leave(&m.stride, &c[1].at);
    for (int t = 0; t < 50; t++)
        turn(&m);
    join(&m, &c[1]);
    c[0].had = c[1].had = 0;
    for (int t = 0; t < 10; t++)
        turn(&m);
    assert_true(abs(c[0].had - c[1].had) <= 2);
    c[0].rests = true; /* aside, though a member */
    turn(&m);
    turn(&m);
    assert_ptr_equal(m.won[0], &c[1]);
    orr_arena_fini(&m.ctx.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_follow_tickets),
        cmocka_unit_test(gangs_have_their_turns),
        cmocka_unit_test(nobody_saves_up),
        cmocka_unit_test(being_away_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
