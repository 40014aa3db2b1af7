/* Arenas, growable arrays, checked sizes, and the end of a process without memory. */
#include "base/mem.h"

#include "base/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void arena_memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    orr_arena a = {0};
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *p = orr_arena_alloc(&a, size);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size);
    }
    orr_arena_fini(&a);
    assert_null(a.head);
    orr_arena_fini(&a);
}

static void arena_memory_is_zeroed_again_after_a_reset(void **state)
{
    (void)state;
    orr_arena a = {0};
    memset(orr_arena_alloc(&a, 1000), 0xff, 1000);
    orr_arena_reset(&a);
    assert_int_equal(a.total, 0);
    const unsigned char *p = orr_arena_alloc(&a, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(p[i], 0);
    orr_arena_fini(&a);
}

static void a_reset_arena_reuses_its_block(void **state)
{
    (void)state;
    orr_arena a = {0};
    void *first = orr_arena_alloc(&a, 64);
    orr_arena_reset(&a);
    assert_ptr_equal(orr_arena_alloc(&a, 64), first);
    orr_arena_fini(&a);
}

static void a_large_request_keeps_the_room_in_the_head(void **state)
{
    (void)state;
    orr_arena a = {0};
    char *before = orr_arena_alloc(&a, 16);
    memset(orr_arena_alloc(&a, 4 << 20), 1, 4 << 20);
    char *after = orr_arena_alloc(&a, 16);
    assert_ptr_equal(after, before + 16);
    assert_int_equal(a.total, 32 + (4 << 20));
    orr_arena_fini(&a);
}

static void arena_texts_are_terminated(void **state)
{
    (void)state;
    orr_arena a = {0};
    assert_string_equal(orr_arena_strdup(&a, "abcdef", 3), "abc");
    assert_string_equal(orr_arena_strdup(&a, "", 0), "");
    orr_arena_fini(&a);
}

static void arrays_grow_and_keep_their_contents(void **state)
{
    (void)state;
    ORR_VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        ORR_VEC_PUSH(&v, i * i);
    assert_int_equal(v.n, 1000);
    assert_true(v.cap >= 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.at[i], i * i);
    ORR_VEC_FREE(&v);
    assert_null(v.at);
    assert_int_equal(v.n, 0);
}

static void copies_of_text(void **state)
{
    (void)state;
    char *whole = orr_xstrdup("job"), *part = orr_xstrndup("job-17", 4);
    assert_string_equal(whole, "job");
    assert_string_equal(part, "job-");
    free(whole);
    free(part);
}

static void nothing_is_a_valid_amount(void **state)
{
    (void)state;
    void *a = orr_xmalloc(0), *b = orr_xcalloc(0, 8), *c = orr_xrealloc(NULL, 0, 8);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    free(a);
    free(b);
    free(c);
}

/* Runs `act` in a process of its own; returns its exit status and the first bytes of its stderr. */
static int status_of(void (*act)(void), char *said, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], said, size - 1);
    said[n > 0 ? n : 0] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ask_for_too_much(void)
{
    volatile size_t most = SIZE_MAX / 4;
    free(orr_xrealloc(NULL, most, 8));
}

static void fail_in_a_library(void)
{
    orr_out_of_memory(0);
}

static void break_a_rule(void)
{
    int gpus = 9;
    ORR_ASSERT(gpus <= 8, "node 3 gives more than it has");
}

static void without_memory_the_process_ends_with_71(void **state)
{
    (void)state;
    char said[512];
    assert_int_equal(status_of(ask_for_too_much, said, sizeof said), 71);
    assert_non_null(strstr(said, "out of memory"));
    assert_int_equal(status_of(fail_in_a_library, said, sizeof said), 71);
    assert_string_equal(said, "orrery: error: out of memory [memory]\n");
}

static void a_broken_rule_ends_the_process_with_70_and_names_it(void **state)
{
    (void)state;
    char said[512];
    assert_int_equal(status_of(break_a_rule, said, sizeof said), 70);
    assert_non_null(strstr(said, "gpus <= 8: node 3 gives more than it has [invariant]"));
    assert_non_null(strstr(said, "test_mem.c:"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_and_aligned),
        cmocka_unit_test(arena_memory_is_zeroed_again_after_a_reset),
        cmocka_unit_test(a_reset_arena_reuses_its_block),
        cmocka_unit_test(a_large_request_keeps_the_room_in_the_head),
        cmocka_unit_test(arena_texts_are_terminated),
        cmocka_unit_test(arrays_grow_and_keep_their_contents),
        cmocka_unit_test(copies_of_text),
        cmocka_unit_test(nothing_is_a_valid_amount),
        cmocka_unit_test(without_memory_the_process_ends_with_71),
        cmocka_unit_test(a_broken_rule_ends_the_process_with_70_and_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
