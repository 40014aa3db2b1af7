/* The store behind walk-forward estimators. */
#include "predict/history.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void nothing_is_known_before_it_happened(void **state)
{
    (void)state;
    struct history *h = orr_history_create();
    double mean = 42;
    assert_false(orr_history_get(h, "a", &mean));
    assert_true(mean == 42);
    orr_history_put(h, "a", 10);
    assert_false(orr_history_get(h, "b", &mean));
    assert_false(orr_history_get(h, "", &mean));
    assert_true(orr_history_get(h, "a", &mean));
    assert_true(mean == 10);
    orr_history_destroy(h);
    orr_history_destroy(NULL);
}

static void means_by_key(void **state)
{
    (void)state;
    struct history *h = orr_history_create();
    double mean;
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i % 100);
        orr_history_put(h, key, i); /* k7: 7, 107, …, 907 */
    }
    assert_true(orr_history_get(h, "k7", &mean));
    assert_true(mean == 457);
    assert_true(orr_history_get(h, "k99", &mean));
    assert_true(mean == 549);
    orr_history_put(h, "", 3); /* an empty key is a key */
    assert_true(orr_history_get(h, "", &mean));
    assert_true(mean == 3);
    orr_history_destroy(h);
}

static void keys_are_copied(void **state)
{
    (void)state;
    struct history *h = orr_history_create();
    char *key = orr_xstrdup("gone");
    orr_history_put(h, key, 5);
    memset(key, 'x', 4);
    free(key);
    double mean;
    assert_true(orr_history_get(h, "gone", &mean));
    orr_history_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_it_happened),
        cmocka_unit_test(means_by_key),
        cmocka_unit_test(keys_are_copied),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
