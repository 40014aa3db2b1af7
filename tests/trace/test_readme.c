/* traces/README.md holds the tables that the code prints, word for word. */
#include "trace/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void holds(void (*print)(orr_text *out))
{
    orr_error e = {0};
    orr_input *in = orr_input_open(ORR_SOURCE_DIR "/traces/README.md", &e);
    orr_text expected = {0};
    char *readme;
    size_t n;
    assert_non_null(in);
    assert_int_equal(orr_input_all(in, &readme, &n, &e), ORR_OK);
    orr_input_close(in);
    print(&expected);
    if (!strstr(readme, expected.at))
        fail_msg("traces/README.md should hold\n%s", expected.at);
    orr_text_fini(&expected);
    free(readme);
}

static void columns(void **state)
{
    (void)state;
    holds(orr_columns_markdown);
}

static void reasons(void **state)
{
    (void)state;
    holds(orr_flaw_markdown);
}

static void names_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(orr_columns[i].name, orr_columns[k].name);
    for (int i = ORR_FLAW_NONE + 1; i < ORR_FLAW_COUNT; i++)
        for (int k = ORR_FLAW_NONE + 1; k < i; k++)
            assert_string_not_equal(orr_flaw_about((orr_flaw)i)->reason, orr_flaw_about((orr_flaw)k)->reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(reasons),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
