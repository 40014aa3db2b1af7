/* Company of overlapping stays, against hand counts and against counting every second. */
#include "metrics/presence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/*   t  0 1 2 3 4 5 6
 *   x  ========          [0,4)  1 1 2 2   = 6
 *   y      ========      [2,6)  2 2 1 1   = 6
 *   z          |         [4,4)            = 0
 *   w  other pool [0,6)                   = 6
 */
static void by_hand(void **state)
{
    (void)state;
    orr_stay stays[] = {{0, 4, 0, 0}, {2, 6, 0, 0}, {4, 4, 0, 0}, {0, 6, 1, 0}};
    orr_presence(stays, 4, 2);
    assert_int_equal((int64_t)stays[0].company, 6);
    assert_int_equal((int64_t)stays[1].company, 6);
    assert_int_equal((int64_t)stays[2].company, 0);
    assert_int_equal((int64_t)stays[3].company, 6);
}

static uint32_t next_random(uint32_t *x)
{
    *x = *x * 1664525u + 1013904223u;
    return *x >> 8;
}

static int64_t counted(const orr_stay *stays, size_t n, const orr_stay *of)
{
    int64_t sum = 0;
    for (orr_time t = of->from; t < of->to; t++)
        for (size_t i = 0; i < n; i++)
            sum += stays[i].pool == of->pool && stays[i].from <= t && t < stays[i].to;
    return sum;
}

static void against_counting(void **state)
{
    (void)state;
    uint32_t x = 7;
    for (int round = 0; round < 200; round++) {
        orr_stay stays[30];
        size_t n = next_random(&x) % 31;
        for (size_t i = 0; i < n; i++) {
            stays[i].from = next_random(&x) % 40;
            stays[i].to = stays[i].from + next_random(&x) % 12;
            stays[i].pool = (int32_t)(next_random(&x) % 3);
        }
        orr_presence(stays, n, 3);
        for (size_t i = 0; i < n; i++)
            assert_int_equal((int64_t)stays[i].company, counted(stays, n, &stays[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(against_counting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
