/* The ordered tree against a sorted array, over thousands of random operations. */
#include "base/tree.h"

#include "base/mem.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct entry {
    orr_tree_key key;
    int64_t weight;
    orr_tree_at at;
} entry;

typedef struct model {
    ORR_VEC(entry) sorted;
    orr_tree *tree;
    uint64_t state, ties;
} model;

static uint64_t draw(model *m, uint64_t below)
{
    return orr_mix64(m->state++) % below;
}

static size_t first_after(const model *m, orr_tree_key key)
{
    size_t i = 0;
    while (i < m->sorted.n && orr_tree_key_compare(m->sorted.at[i].key, key) <= 0)
        i++;
    return i;
}

/* Few different values, so that all three parts of a key decide now and then. */
static orr_tree_key some_key(model *m)
{
    return (orr_tree_key){(double)draw(m, 10) - 5, (double)draw(m, 4), ++m->ties};
}

static void insert(model *m)
{
    entry e = {some_key(m), (int64_t)draw(m, 8) - 1, 0};
    size_t at = first_after(m, e.key);
    e.at = orr_tree_insert(m->tree, e.key, e.weight, (void *)(uintptr_t)e.key.tie);
    ORR_VEC_PUSH(&m->sorted, e);
    memmove(&m->sorted.at[at + 1], &m->sorted.at[at], (m->sorted.n - 1 - at) * sizeof e);
    m->sorted.at[at] = e;
}

static void remove_some(model *m)
{
    if (m->sorted.n == 0)
        return;
    size_t at = (size_t)draw(m, m->sorted.n);
    orr_tree_remove(m->tree, m->sorted.at[at].at);
    memmove(&m->sorted.at[at], &m->sorted.at[at + 1], (m->sorted.n - 1 - at) * sizeof(entry));
    m->sorted.n--;
}

static orr_tree_at place(const model *m, size_t i)
{
    return i < m->sorted.n ? m->sorted.at[i].at : 0;
}

static void check_queries(model *m)
{
    orr_tree_key key = some_key(m);
    if (m->sorted.n && draw(m, 2))
        key = m->sorted.at[draw(m, m->sorted.n)].key; /* a key that is there: "after" is strict */
    size_t i = first_after(m, key);
    assert_int_equal(orr_tree_after(m->tree, key), place(m, i));
    int64_t most = (int64_t)draw(m, 9) - 2;
    while (i < m->sorted.n && m->sorted.at[i].weight > most)
        i++;
    assert_int_equal(orr_tree_after_light(m->tree, key, most), place(m, i));
}

static void check_walk(const model *m)
{
    size_t i = 0;
    for (orr_tree_at at = orr_tree_first(m->tree); at; at = orr_tree_next(m->tree, at), i++) {
        assert_true(i < m->sorted.n);
        assert_int_equal(at, m->sorted.at[i].at);
        assert_int_equal(orr_tree_weight_of(m->tree, at), m->sorted.at[i].weight);
        assert_int_equal(orr_tree_key_of(m->tree, at).tie, m->sorted.at[i].key.tie);
        assert_int_equal((uintptr_t)orr_tree_item(m->tree, at), m->sorted.at[i].key.tie);
    }
    assert_int_equal(i, m->sorted.n);
    assert_int_equal(orr_tree_count(m->tree), m->sorted.n);
}

static void behaves_like_a_sorted_array(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        model m = {.tree = orr_tree_create(), .state = seed << 32};
        for (int step = 0; step < 6000; step++) {
            bool grows = step / 500 % 2 == 0; /* fill, drain, fill: removed places are reused */
            if (draw(&m, 10) < (grows ? 7u : 3u))
                insert(&m);
            else
                remove_some(&m);
            check_queries(&m);
            if (step % 97 == 0)
                check_walk(&m);
        }
        while (m.sorted.n)
            remove_some(&m);
        check_walk(&m);
        orr_tree_destroy(m.tree);
        ORR_VEC_FREE(&m.sorted);
    }
}

static void an_empty_tree_has_no_places(void **state)
{
    (void)state;
    orr_tree *tree = orr_tree_create();
    orr_tree_key least = {-1e308, 0, 0};
    assert_int_equal(orr_tree_first(tree), 0);
    assert_int_equal(orr_tree_after(tree, least), 0);
    assert_int_equal(orr_tree_after_light(tree, least, INT64_MAX), 0);
    orr_tree_destroy(tree);
    orr_tree_destroy(NULL);
}

static void the_lightest_and_heaviest_weights_are_ordinary(void **state)
{
    (void)state;
    orr_tree *tree = orr_tree_create();
    orr_tree_at heavy = orr_tree_insert(tree, (orr_tree_key){1, 0, 1}, INT64_MAX, NULL);
    orr_tree_at light = orr_tree_insert(tree, (orr_tree_key){2, 0, 2}, INT64_MIN, NULL);
    orr_tree_key least = {0, 0, 0};
    assert_int_equal(orr_tree_after_light(tree, least, INT64_MAX), heavy);
    assert_int_equal(orr_tree_after_light(tree, least, INT64_MAX - 1), light);
    assert_int_equal(orr_tree_after_light(tree, least, INT64_MIN), light);
    orr_tree_remove(tree, light);
    assert_int_equal(orr_tree_after_light(tree, least, INT64_MAX - 1), 0);
    orr_tree_destroy(tree);
}

/* In ascending order a plain search tree would be a list of 200,000 and this test would take minutes. */
static void sorted_insertion_stays_shallow(void **state)
{
    (void)state;
    enum { N = 200000 };
    orr_tree *tree = orr_tree_create();
    for (uint64_t i = 0; i < N; i++)
        orr_tree_insert(tree, (orr_tree_key){(double)i, 0, i}, (int64_t)(i % 1000), NULL);
    for (uint64_t i = 0; i + 1000 < N; i += 7) {
        orr_tree_at at = orr_tree_after_light(tree, (orr_tree_key){(double)i, 0, i}, 0);
        assert_int_equal(orr_tree_key_of(tree, at).tie, (i / 1000 + 1) * 1000);
    }
    orr_tree_destroy(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_tree_has_no_places),
        cmocka_unit_test(the_lightest_and_heaviest_weights_are_ordinary),
        cmocka_unit_test(behaves_like_a_sorted_array),
        cmocka_unit_test(sorted_insertion_stays_shallow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
