/* Sums by key. */
#include "predict/history.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static orr_seen seen(const struct history *h, const char *key)
{
    return orr_history_get(h, key, strlen(key));
}

static void nothing_is_known_before_it_happened(void **state)
{
    (void)state;
    struct history *h = orr_history_create();
    assert_int_equal(seen(h, "a").count, 0);
    orr_history_put(h, "a", 1, 10);
    assert_int_equal(seen(h, "b").count, 0);
    assert_int_equal(seen(h, "").count, 0);
    assert_int_equal(seen(h, "a").count, 1);
    assert_true(seen(h, "a").sum == 10);
    orr_history_destroy(h);
    orr_history_destroy(NULL);
}

static void sums_by_key(void **state)
{
    (void)state;
    struct history *h = orr_history_create();
    for (int i = 0; i < 1000; i++) {
        char key[16];
        orr_history_put(h, key, (size_t)snprintf(key, sizeof key, "k%d", i % 100), i); /* k7: 7, 107, …, 907 */
    }
    assert_true(seen(h, "k7").sum == 4570 && seen(h, "k7").count == 10);
    assert_true(seen(h, "k99").sum == 5490);
    orr_history_put(h, "", 0, 3); /* an empty key is a key */
    assert_true(seen(h, "").sum == 3);
    orr_history_destroy(h);
}

/* Any bytes: a NUL in the middle doesn't end one. */
static void keys_are_bytes_and_copied(void **state)
{
    (void)state;
    struct history *h = orr_history_create();
    char *key = orr_xstrdup("gone");
    key[1] = '\0';
    orr_history_put(h, key, 4, 5);
    memset(key, 'x', 4);
    free(key);
    assert_int_equal(orr_history_get(h, "g\0ne", 4).count, 1);
    assert_int_equal(orr_history_get(h, "g\0no", 4).count, 0);
    assert_int_equal(orr_history_get(h, "g", 1).count, 0);
    orr_history_destroy(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_it_happened),
        cmocka_unit_test(sums_by_key),
        cmocka_unit_test(keys_are_bytes_and_copied),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
