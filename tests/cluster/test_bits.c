/* The set of small integers against an array of booleans, at sizes where a level of the tree begins. */
#include "cluster/bits.h"

#include "base/mem.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int32_t next_by_scan(const bool *in, int32_t size, int32_t i)
{
    for (i = i < 0 ? 0 : i; i < size; i++)
        if (in[i])
            return i;
    return -1;
}

static void toggle(orr_bits *b, bool *in, int32_t i)
{
    in[i] = !in[i];
    if (in[i])
        orr_bits_add(b, i);
    else
        orr_bits_remove(b, i);
}

static void like_an_array_at(int32_t size)
{
    orr_bits b;
    orr_bits_init(&b, size);
    bool *in = orr_xcalloc((size_t)size, sizeof *in);
    uint64_t x = (uint64_t)size;
    assert_int_equal(orr_bits_next(&b, 0), -1);
    for (int round = 0; round < 400; round++) {
        x = orr_mix64(x);
        toggle(&b, in, (int32_t)(x % (uint64_t)size));
        if (round % 7 == 0) /* the ends, where an off-by-one would sit */
            toggle(&b, in, round % 2 ? 0 : size - 1);
        x = orr_mix64(x);
        int32_t from = (int32_t)(x % (uint64_t)size);
        assert_int_equal(orr_bits_next(&b, from), next_by_scan(in, size, from));
    }
    for (int32_t i = -1, seen = 0; seen < size + 2; seen++) { /* an ordered walk finds each member once */
        int32_t at = orr_bits_next(&b, i + 1);
        assert_int_equal(at, next_by_scan(in, size, i + 1));
        if (at < 0)
            break;
        i = at;
    }
    assert_int_equal(orr_bits_next(&b, size), -1);
    assert_int_equal(orr_bits_next(&b, INT32_MAX), -1);
    assert_int_equal(orr_bits_next(&b, -1), next_by_scan(in, size, 0));
    free(in);
    orr_bits_fini(&b);
}

static void like_an_array(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 262144, 262145, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        like_an_array_at(sizes[i]);
}

static void adding_twice_is_adding_once(void **state)
{
    (void)state;
    orr_bits b;
    orr_bits_init(&b, 5000);
    orr_bits_add(&b, 4999);
    orr_bits_add(&b, 4999);
    orr_bits_remove(&b, 17); /* not in it */
    assert_int_equal(orr_bits_next(&b, 0), 4999);
    orr_bits_remove(&b, 4999);
    orr_bits_remove(&b, 4999);
    assert_int_equal(orr_bits_next(&b, 0), -1);
    orr_bits_fini(&b);
}

static void an_empty_set_has_no_members(void **state)
{
    (void)state;
    orr_bits b;
    orr_bits_init(&b, 0);
    assert_int_equal(orr_bits_next(&b, 0), -1);
    orr_bits_fini(&b);
}

static void words(void **state)
{
    (void)state;
    assert_int_equal(orr_lowest_bit(1), 0);
    assert_int_equal(orr_lowest_bit((uint64_t)1 << 63), 63);
    assert_int_equal(orr_bit_count(0), 0);
    assert_int_equal(orr_bit_count(UINT64_MAX), 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_an_array),
        cmocka_unit_test(adding_twice_is_adding_once),
        cmocka_unit_test(an_empty_set_has_no_members),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
