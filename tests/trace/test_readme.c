/* traces/README.md holds the tables that the code prints, word for word, between `<!-- NAME -->` and `<!-- end -->`.
 * ORRERY_UPDATE_DOCS=1 writes them anew instead of comparing. */
#include "trace/columns.h"
#include "trace/reader.h"
#include "trace/requests.h"
#include "trace/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define README ORR_SOURCE_DIR "/traces/README.md"

static char *page(void)
{
    orr_error e = {0};
    orr_input *in = orr_input_open(README, &e);
    char *readme;
    size_t n;
    assert_non_null(in);
    assert_int_equal(orr_input_all(in, &readme, &n, &e), ORR_OK);
    orr_input_close(in);
    return readme;
}

static void rewrite(const char *before, size_t n, const char *table, const char *after)
{
    FILE *f = fopen(README, "w");
    assert_non_null(f);
    fprintf(f, "%.*s\n%s%s", (int)n, before, table, after);
    fclose(f);
}

static void holds(const char *name, void (*print)(orr_text *out))
{
    char mark[40];
    snprintf(mark, sizeof mark, "<!-- %s -->", name);
    char *const readme = page();
    char *const from = strstr(readme, mark), *const to = from ? strstr(from, "<!-- end -->") : NULL;
    orr_text table = {0};
    if (!to)
        fail_msg("%s lacks the marks for \"%s\"", README, name);
    print(&table);
    const size_t head = (size_t)(from - readme) + strlen(mark);
    const bool same = (size_t)(to - readme) == head + 1 + table.n && memcmp(readme + head + 1, table.at, table.n) == 0;
    if (!same && getenv("ORRERY_UPDATE_DOCS"))
        rewrite(readme, head, table.at, to);
    else if (!same)
        fail_msg("%s differs from the table of %s; ORRERY_UPDATE_DOCS=1 with this test writes it anew", README, name);
    orr_text_fini(&table);
    free(readme);
}

static void formats(void **state)
{
    (void)state;
    holds("formats", orr_formats_markdown);
}

static void columns(void **state)
{
    (void)state;
    holds("columns", orr_columns_markdown);
}

static void request_columns(void **state)
{
    (void)state;
    holds("request-columns", orr_request_columns_markdown);
}

static void reasons(void **state)
{
    (void)state;
    holds("reasons", orr_flaw_markdown);
}

static void writers(void **state)
{
    (void)state;
    holds("writers", orr_writers_markdown);
}

static void names_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < ORR_COLUMNS; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(orr_columns[i].name, orr_columns[k].name);
    for (size_t i = 0; i < ORR_REQUEST_COLUMNS; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(orr_request_columns[i].name, orr_request_columns[k].name);
    for (int i = ORR_FLAW_NONE + 1; i < ORR_FLAW_COUNT; i++)
        for (int k = ORR_FLAW_NONE + 1; k < i; k++)
            assert_string_not_equal(orr_flaw_about((orr_flaw)i)->reason, orr_flaw_about((orr_flaw)k)->reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),
        cmocka_unit_test(columns),
        cmocka_unit_test(request_columns),
        cmocka_unit_test(reasons),
        cmocka_unit_test(writers),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
