/* Numbers and texts come back as they went; short ones are short; nothing that isn't there is read. */
#include "log/code.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static orr_packed all_of(const orr_text *t)
{
    const unsigned char *at = (const unsigned char *)t->at;
    return (orr_packed){at, at + t->n, false};
}

static void unsigned_and_signed_come_back(void **state)
{
    (void)state;
    static const uint64_t values[] = {
        0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    static const size_t sizes[] = {1, 1, 1, 2, 2, 3, 5, 9, 10, 10};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        orr_text t = {0};
        orr_pack_unsigned(&t, values[i]);
        assert_int_equal(t.n, sizes[i]);
        orr_pack_signed(&t, (int64_t)values[i]);
        orr_pack_signed(&t, INT64_MIN);
        orr_packed in = all_of(&t);
        assert_true(orr_unpack_unsigned(&in) == values[i]);
        assert_true(orr_unpack_signed(&in) == (int64_t)values[i]);
        assert_true(orr_unpack_signed(&in) == INT64_MIN);
        assert_true(!in.bad && in.at == in.end);
        orr_text_fini(&t);
    }
}

static void times_come_back(void **state)
{
    (void)state;
    static const struct {
        orr_time t;
        size_t size;
    } rows[] = {{0, 1},
                {ORR_SECOND, 1},
                {15 * ORR_SECOND, 1},
                {16 * ORR_SECOND, 2},
                {-ORR_HOUR, 3},
                {7 * ORR_DAY, 4},
                {1, 1},
                {ORR_SECOND / 4, 2},
                {ORR_SECOND + 1, 5},
                {ORR_TIME_MAX, 10},
                {-ORR_TIME_MAX, 10},
                {ORR_TIME_NONE, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text t = {0};
        orr_pack_time(&t, rows[i].t);
        assert_in_range(t.n, 1, rows[i].size);
        orr_packed in = all_of(&t);
        assert_true(orr_unpack_time(&in) == rows[i].t);
        assert_true(!in.bad && in.at == in.end);
        orr_text_fini(&t);
    }
}

static void doubles_and_texts_come_back(void **state)
{
    (void)state;
    orr_text t = {0};
    orr_arena arena = {0};
    orr_pack_double(&t, 0.1);
    orr_pack_double(&t, -INFINITY);
    orr_pack_text(&t, "");
    orr_pack_text(&t, "job \xc3\xa9");
    orr_packed in = all_of(&t);
    assert_true(orr_unpack_double(&in) == 0.1);
    assert_true(isinf(orr_unpack_double(&in)));
    assert_string_equal(orr_unpack_text(&in, &arena), "");
    assert_string_equal(orr_unpack_text(&in, &arena), "job \xc3\xa9");
    assert_true(!in.bad && in.at == in.end);
    orr_arena_fini(&arena);
    orr_text_fini(&t);
}

static orr_packed bytes(const char *s, size_t n)
{
    return (orr_packed){(const unsigned char *)s, (const unsigned char *)s + n, false};
}

static void nothing_is_read_that_is_not_there(void **state)
{
    (void)state;
    orr_arena arena = {0};
    orr_packed in = bytes("\x80\x80", 2);
    assert_true(orr_unpack_unsigned(&in) == 0 && in.bad);
    assert_true(orr_unpack_byte(&in) == 0 && in.bad);           /* and so on */
    in = bytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10); /* 65 bits */
    assert_true(orr_unpack_unsigned(&in) == 0 && in.bad);
    in = bytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    assert_true(orr_unpack_unsigned(&in) == 0 && in.bad);
    in = bytes("\x05xyz", 4);
    assert_string_equal(orr_unpack_text(&in, &arena), "");
    assert_true(in.bad);
    in = bytes("\x03x\0z", 4);
    assert_string_equal(orr_unpack_text(&in, &arena), "");
    assert_true(in.bad);
    in = bytes("\x7f", 1); /* a count of 127 things, and no byte is left */
    assert_true(orr_unpack_count(&in, 1) == 0 && in.bad);
    in = bytes("\x02..", 3);
    assert_true(orr_unpack_count(&in, 1) == 2 && !in.bad);
    in = bytes("\x06", 1); /* 3 */
    assert_true(orr_unpack_int32(&in, 0, 2) == 0 && in.bad);
    in = bytes("\xe1\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10); /* seconds that are too many ns */
    assert_true(orr_unpack_time(&in) == 0 && in.bad);
    orr_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_and_signed_come_back),
        cmocka_unit_test(times_come_back),
        cmocka_unit_test(doubles_and_texts_come_back),
        cmocka_unit_test(nothing_is_read_that_is_not_there),
    };
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
