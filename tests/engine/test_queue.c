/* The event queue: order, handles, and that its cost grows with the logarithm of what is in it. */
#include "engine/queue.h"

#include "base/mem.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static orr_event_id add(orr_queue *q, orr_time at, orr_class class_, uint64_t cookie)
{
    return orr_queue_add(q, &(orr_queued){.at = at, .class_ = class_, .cookie = cookie});
}

static void pops(orr_queue *q, uint64_t cookie)
{
    orr_queued event;
    assert_true(orr_queue_pop(q, &event));
    assert_int_equal(event.cookie, cookie);
}

static void time_then_class_then_sequence(void **state)
{
    (void)state;
    orr_queue *q = orr_queue_create();
    add(q, 20, ORR_CLASS_END, 6);
    add(q, 10, ORR_CLASS_DECIDE, 5);
    add(q, 10, ORR_CLASS_SUBMIT, 3);
    add(q, 10, ORR_CLASS_SUBMIT, 4); /* the same place: first come, first served */
    add(q, 10, ORR_CLASS_END, 1);
    add(q, 10, ORR_CLASS_CAPACITY, 2);
    add(q, -5, ORR_CLASS_TIMER, 0); /* times before the origin come first */
    assert_int_equal(orr_queue_count(q), 7);
    assert_int_equal(orr_queue_peek(q)->cookie, 0);
    for (uint64_t k = 0; k < 7; k++)
        pops(q, k);
    orr_queued none;
    assert_false(orr_queue_pop(q, &none));
    assert_null(orr_queue_peek(q));
    orr_queue_destroy(q);
}

static void payload_comes_back(void **state)
{
    (void)state;
    int owner;
    orr_queue *q = orr_queue_create();
    orr_queue_add(q, &(orr_queued){.at = ORR_TIME_MAX, .class_ = ORR_CLASS_TIMER, .kind = 7, .what = &owner, .cookie = UINT64_MAX});
    orr_queued event;
    assert_true(orr_queue_pop(q, &event));
    assert_int_equal(event.at, ORR_TIME_MAX);
    assert_int_equal(event.class_, ORR_CLASS_TIMER);
    assert_int_equal(event.kind, 7);
    assert_ptr_equal(event.what, &owner);
    assert_true(event.cookie == UINT64_MAX);
    orr_queue_destroy(q);
}

static void cancel_takes_one_away(void **state)
{
    (void)state;
    orr_queue *q = orr_queue_create();
    orr_event_id id[9];
    for (uint64_t k = 0; k < 9; k++)
        id[k] = add(q, (orr_time)(9 - k), ORR_CLASS_END, 9 - k);
    assert_true(orr_queue_cancel(q, id[0])); /* the last */
    assert_true(orr_queue_cancel(q, id[8])); /* the first */
    assert_true(orr_queue_cancel(q, id[4])); /* one in between */
    assert_int_equal(orr_queue_count(q), 6);
    static const uint64_t left[] = {2, 3, 4, 6, 7, 8};
    for (size_t i = 0; i < 6; i++)
        pops(q, left[i]);
    orr_queue_destroy(q);
}

static void move_goes_behind_its_equals(void **state)
{
    (void)state;
    orr_queue *q = orr_queue_create();
    orr_event_id early = add(q, 1, ORR_CLASS_END, 3);
    add(q, 5, ORR_CLASS_END, 1);
    orr_event_id same = add(q, 5, ORR_CLASS_END, 2);
    orr_event_id late = add(q, 9, ORR_CLASS_END, 0);
    assert_true(orr_queue_move(q, early, 5)); /* down, behind 1 and 2 */
    assert_true(orr_queue_move(q, late, 2));  /* up, to the front */
    assert_int_equal(orr_queue_peek(q)->cookie, 0);
    for (uint64_t k = 0; k < 2; k++)
        pops(q, k);
    assert_true(orr_queue_move(q, same, 5)); /* a move to where it is: behind 3 now */
    pops(q, 3);
    pops(q, 2);
    orr_queue_destroy(q);
}

static void stale_handles_are_refused(void **state)
{
    (void)state;
    orr_queue *q = orr_queue_create();
    assert_false(orr_queue_cancel(q, 0));
    assert_false(orr_queue_move(q, 0, 1));
    assert_false(orr_queue_cancel(q, UINT64_MAX));
    orr_event_id fired = add(q, 1, ORR_CLASS_END, 1), cancelled = add(q, 2, ORR_CLASS_END, 2);
    assert_true(fired && cancelled && fired != cancelled);
    pops(q, 1);
    assert_true(orr_queue_cancel(q, cancelled));
    orr_event_id again = add(q, 3, ORR_CLASS_END, 3); /* lives where one of them did */
    assert_false(orr_queue_cancel(q, fired));
    assert_false(orr_queue_move(q, fired, 0));
    assert_false(orr_queue_cancel(q, cancelled));
    assert_false(orr_queue_move(q, cancelled, 0));
    assert_int_equal(orr_queue_count(q), 1);
    assert_int_equal(orr_queue_peek(q)->at, 3);
    assert_true(orr_queue_cancel(q, again));
    assert_false(orr_queue_cancel(q, again));
    orr_queue_destroy(q);
    orr_queue_destroy(NULL);
}

/* ---- against a sorted list --------------------------------------------------------------------------------------- */

typedef struct entry {
    orr_time at;
    orr_class class_;
    uint64_t sequence, cookie;
    orr_event_id id;
} entry;

typedef struct model {
    orr_queue *q;
    ORR_VEC(entry) list; /* sorted */
    ORR_VEC(orr_event_id) dead;
    uint64_t sequence, seed;
} model;

static uint64_t draw(model *m, uint64_t below)
{
    return (m->seed = orr_mix64(m->seed)) % below;
}

static bool before(const entry *a, const entry *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    return a->class_ != b->class_ ? a->class_ < b->class_ : a->sequence < b->sequence;
}

static void insert(model *m, entry e)
{
    ORR_VEC_PUSH(&m->list, e);
    size_t i = m->list.n - 1;
    for (; i > 0 && before(&e, &m->list.at[i - 1]); i--)
        m->list.at[i] = m->list.at[i - 1];
    m->list.at[i] = e;
}

static entry take(model *m, size_t i)
{
    entry e = m->list.at[i];
    memmove(m->list.at + i, m->list.at + i + 1, (m->list.n - i - 1) * sizeof e);
    m->list.n--;
    return e;
}

static void random_add(model *m)
{
    entry e = {.at = (orr_time)draw(m, 50), .class_ = (orr_class)draw(m, 6), .sequence = m->sequence++};
    e.cookie = e.sequence;
    e.id = add(m->q, e.at, e.class_, e.cookie);
    insert(m, e);
}

static void random_pop(model *m)
{
    entry e = take(m, 0);
    orr_queued event;
    assert_int_equal(orr_queue_peek(m->q)->cookie, e.cookie);
    assert_true(orr_queue_pop(m->q, &event));
    assert_int_equal(event.at, e.at);
    assert_int_equal(event.class_, e.class_);
    assert_int_equal(event.cookie, e.cookie);
    ORR_VEC_PUSH(&m->dead, e.id);
}

static void random_cancel(model *m)
{
    entry e = take(m, draw(m, m->list.n));
    assert_true(orr_queue_cancel(m->q, e.id));
    ORR_VEC_PUSH(&m->dead, e.id);
}

static void random_move(model *m)
{
    entry e = take(m, draw(m, m->list.n));
    e.at = (orr_time)draw(m, 50);
    e.sequence = m->sequence++;
    assert_true(orr_queue_move(m->q, e.id, e.at));
    insert(m, e);
}

static void random_stale(model *m)
{
    orr_event_id id = m->dead.at[draw(m, m->dead.n)];
    assert_false(draw(m, 2) ? orr_queue_cancel(m->q, id) : orr_queue_move(m->q, id, 3));
}

static void like_a_sorted_list(void **state)
{
    (void)state;
    model m = {.q = orr_queue_create(), .seed = 11};
    for (int i = 0; i < 100000; i++) {
        /* It grows to some hundred entries and shrinks to nothing, in waves. */
        uint64_t what = draw(&m, 100), adds = (i / 4000) % 2 ? 22 : 36;
        if (what < adds || m.list.n == 0)
            random_add(&m);
        else if (what < 60)
            random_pop(&m);
        else if (what < 70)
            random_cancel(&m);
        else if (what < 90 || m.dead.n == 0)
            random_move(&m);
        else
            random_stale(&m);
        assert_int_equal(orr_queue_count(m.q), m.list.n);
    }
    while (m.list.n)
        random_pop(&m);
    assert_int_equal(orr_queue_count(m.q), 0);
    ORR_VEC_FREE(&m.list);
    ORR_VEC_FREE(&m.dead);
    orr_queue_destroy(m.q);
}

/* ---- counted work ------------------------------------------------------------------------------------------------ */

/* Comparisons of one operation on a queue that holds n. */
static double compares_per_operation(uint32_t n)
{
    orr_queue *q = orr_queue_create();
    orr_event_id *id = orr_xcalloc(n, sizeof *id);
    enum { ROUNDS = 2000 };
    uint64_t x = n;
    for (uint32_t i = 0; i < n; i++)
        id[i] = add(q, (orr_time)((x = orr_mix64(x)) >> 20), ORR_CLASS_END, i);
    uint64_t from = orr_queue_compares(q);
    for (uint32_t i = 0; i < ROUNDS; i++) { /* pop, add, move, cancel, add */
        orr_queued event;
        assert_true(orr_queue_pop(q, &event));
        id[event.cookie] = add(q, event.at + (orr_time)((x = orr_mix64(x)) >> 20), ORR_CLASS_END, event.cookie);
        uint64_t k = (x = orr_mix64(x)) % n;
        assert_true(orr_queue_move(q, id[k], (orr_time)((x = orr_mix64(x)) >> 20)));
        k = (x = orr_mix64(x)) % n;
        assert_true(orr_queue_cancel(q, id[k]));
        id[k] = add(q, (orr_time)((x = orr_mix64(x)) >> 20), ORR_CLASS_END, k);
    }
    double each = (double)(orr_queue_compares(q) - from) / (5.0 * ROUNDS);
    free(id);
    orr_queue_destroy(q);
    return each;
}

/* A 4-ary heap compares at most 4 times a level; log4 of the size is the number of levels. */
static void cost_is_logarithmic(void **state)
{
    (void)state;
    static const struct {
        uint32_t n;
        double levels;
    } sizes[] = {{100, 4}, {1000, 5}, {10000, 7}, {100000, 9}};
    for (size_t i = 0; i < 4; i++) {
        double each = compares_per_operation(sizes[i].n);
        if (each > 4 * sizes[i].levels)
            fail_msg("%.1f comparisons an operation at %u events", each, sizes[i].n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_then_class_then_sequence), cmocka_unit_test(payload_comes_back),
        cmocka_unit_test(cancel_takes_one_away),         cmocka_unit_test(move_goes_behind_its_equals),
        cmocka_unit_test(stale_handles_are_refused),     cmocka_unit_test(like_a_sorted_list),
        cmocka_unit_test(cost_is_logarithmic),
    };
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
