/* Editing by line and column: where places are, and that nothing else moves. */
#include "study/text_edit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        size_t at;
    } rows[] = {
        {"ab\ncd", 1, 1, 0},
        {"ab\ncd", 1, 3, 2},
        {"ab\ncd", 1, 9, 2}, /* not past the line */
        {"ab\ncd", 2, 2, 4},
        {"ab\ncd", 3, 1, 5},
        {"ab\r\ncd", 2, 1, 4},
        {"ab\rcd", 2, 1, 3},
        {"a\xC2\x85" "b", 2, 1, 3},          /* next line */
        {"a\xE2\x80\xA8" "b", 2, 1, 4},      /* line separator */
        {"a\xE2\x80\xA9" "b", 2, 1, 4},      /* paragraph separator */
        {"\xC3\xA9\xE2\x82\xAC" "x", 1, 3, 5}, /* columns are code points */
        {"\xEF\xBB\xBF" "ab", 1, 2, 4},      /* a byte order mark is no column */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_edits edits;
        orr_edits_init(&edits, rows[i].text, strlen(rows[i].text));
        if (orr_edits_offset(&edits, rows[i].line, rows[i].column) != rows[i].at)
            fail_msg("row %zu: %zu", i, orr_edits_offset(&edits, rows[i].line, rows[i].column));
        orr_edits_fini(&edits);
    }
}

static void changes_in_any_order(void **state)
{
    (void)state;
    static const char text[] = "one: 1 # first\ntwo: 2\n";
    orr_edits edits;
    orr_text out = {0};
    orr_edits_init(&edits, text, strlen(text));
    const size_t end = orr_edits_line_end(&edits, orr_edits_offset(&edits, 2, 7));
    orr_edits_insert(&edits, end, "\nthree: 3");
    orr_edits_insert(&edits, end, "\nfour: 4");
    orr_edits_replace(&edits, 5, 6, "1000");
    orr_edits_apply(&edits, &out);
    assert_string_equal(out.at, "one: 1000 # first\ntwo: 2\nthree: 3\nfour: 4\n");
    orr_text_fini(&out);
    orr_edits_fini(&edits);
}

static void ends_of_lines(void **state)
{
    (void)state;
    static const char text[] = "a: 1  # why\n\n\nb: 2";
    orr_edits edits;
    orr_edits_init(&edits, text, strlen(text));
    assert_int_equal(orr_edits_line_end(&edits, 4), 11);            /* behind the comment */
    assert_int_equal(orr_edits_line_end(&edits, 14), 11);           /* from the next thing back over blank lines */
    assert_int_equal(orr_edits_line_end(&edits, strlen(text)), 18); /* no break at the end */
    assert_string_equal(orr_edits_break(&edits), "\n");
    orr_edits_fini(&edits);
    orr_edits_init(&edits, "a\r\nb\n", 5);
    assert_string_equal(orr_edits_break(&edits), "\r\n");
    orr_edits_fini(&edits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(changes_in_any_order),
        cmocka_unit_test(ends_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
