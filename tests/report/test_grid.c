/* One model of rows, three forms. */
#include "sample.h"

static orr_grid *names_and_numbers(void)
{
    orr_grid *g = orr_grid_create();
    orr_grid_column(g, "name", "name.key", false);
    orr_grid_column(g, "number", "number.key", true);
    orr_grid_column(g, "last", "last.key", false);
    orr_grid_cell(g, "z\xc3\xa4h", NULL); /* three code points in four bytes */
    orr_grid_cell(g, "1,204", "1204");
    orr_grid_cell(g, "a|b", NULL);
    orr_grid_cell(g, "long name", NULL);
    orr_grid_cell(g, "2 h 40 m", "9600.5");
    orr_grid_cell(g, "x, \"y\"", NULL);
    return g;
}

static void assert_form(orr_table_form form, const char *want)
{
    orr_grid *g = names_and_numbers();
    orr_text text = {0};
    orr_grid_print(g, form, &text);
    assert_string_equal(text.at, want);
    orr_text_fini(&text);
    orr_grid_destroy(g);
}

static void text_is_aligned_by_code_points(void **state)
{
    (void)state;
    assert_form(ORR_TABLE_TEXT, "name         number  last\n"
                                "z\xc3\xa4h           1,204  a|b\n"
                                "long name  2 h 40 m  x, \"y\"\n");
}

static void csv_has_keys_and_exact_values(void **state)
{
    (void)state;
    assert_form(ORR_TABLE_CSV, "name.key,number.key,last.key\n"
                               "z\xc3\xa4h,1204,a|b\n"
                               "long name,9600.5,\"x, \"\"y\"\"\"\n");
}

static void markdown_escapes_bars(void **state)
{
    (void)state;
    assert_form(ORR_TABLE_MARKDOWN, "| name | number | last |\n"
                                    "|---|---:|---|\n"
                                    "| z\xc3\xa4h | 1,204 | a\\|b |\n"
                                    "| long name | 2 h 40 m | x, \"y\" |\n");
}

static void an_empty_grid(void **state)
{
    (void)state;
    orr_grid *g = orr_grid_create();
    orr_text text = {0};
    orr_grid_column(g, "only", "only", true);
    orr_grid_print(g, ORR_TABLE_TEXT, &text);
    assert_string_equal(text.at, "only\n");
    orr_text_fini(&text);
    orr_grid_destroy(g);
    orr_grid_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_aligned_by_code_points),
        cmocka_unit_test(csv_has_keys_and_exact_values),
        cmocka_unit_test(markdown_escapes_bars),
        cmocka_unit_test(an_empty_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
