/* The page of a comparison, from folders written by hand. */
#include "made.h"
#include "markup.h"
#include "report/compare_page.h"

#include <stdio.h>

#define LEVELS "0,cluster,jobs_queued,1\n50,cluster,jobs_queued,0\n0,cluster,gpus_held,4\n"

static orr_result *result_of(const char *policy, const char *jobs, double mean)
{
    orr_text metrics = {0};
    orr_text_addf(&metrics, "\"jct\":{\"n\":3,\"mean\":%.10g},\"gpu_alloc\":0.5", mean);
    const made m = {.policy = policy, .measured = 3, .metrics = metrics.at, .jobs = jobs, .timeline = LEVELS};
    orr_result *r = made_result(&m);
    orr_text_fini(&metrics);
    return r;
}

/* Job 2 gains 30 s, job 3 loses 5 s, <1> stays. */
static const char before[] = "<1>,1,0,0,10,done,10,0,10,10,1\n"
                             "2,4,0,30,40,done,40,30,10,10,1\n"
                             "3,4,0,0,10,done,10,0,10,10,1\n";
static const char after[] = "<1>,1,0,0,10,done,10,0,10,10,1\n"
                            "2,4,0,0,10,done,10,0,10,10,1\n"
                            "3,4,0,5,15,done,15,5,10,10,1\n";

static char *page_of(const orr_result *const *results, size_t n, const orr_comparison_options *options)
{
    orr_error e = {0};
    orr_text page = {0}, again = {0};
    orr_comparison *c = orr_comparison_make(results, n, options, &e);
    if (!c)
        fail_msg("%s", e.message);
    assert_int_equal(orr_compare_page(c, &page, &e), ORR_OK);
    assert_int_equal(orr_compare_page(c, &again, &e), ORR_OK);
    assert_string_equal(page.at, again.at);
    assert_stands_alone(page.at);
    orr_text_fini(&again);
    orr_comparison_destroy(c);
    return page.at;
}

static void two_results(void **state)
{
    (void)state;
    orr_result *a = result_of("fifo", before, 20), *b = result_of("las:q=<2>", after, 12);
    const orr_result *const both[] = {a, b};
    static const char *const figures[] = {"jct", "wait", "changes", "jobs_queued", "gpus_held", "splits-1"};
    char *page = page_of(both, 2, &(orr_comparison_options){.metric_count = 0});
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        free(figure_of(page, figures[i]));
    assert_holds(page, "<h1>fifo, las:q=&lt;2&gt;</h1>");
    assert_holds(page, "<td class=\"n\" data-v=\"20\">20 s</td><td class=\"n best\" data-v=\"12\">* 12 s"
                       "<small>-40.0 %</small></td>");
    char *splits = figure_of(page, "splits-1");
    assert_holds(splits, "<b>las:q=&lt;2&gt; against fifo</b>");
    assert_holds(splits, ">+50.0 % -50.0 % of 2</text>");
    assert_holds(splits, "<title>sooner: 1 (50.0 %)</title>");
    free(splits);
    assert_holds(page, "<h2>Moved farthest: las:q=&lt;2&gt;</h2>");
    assert_holds(page, "<tr><td>2</td><td class=\"n\">4</td><td class=\"n\" data-v=\"40\">40 s</td>"
                       "<td class=\"n\" data-v=\"10\">10 s</td><td class=\"n\" data-v=\"-30\">-30 s</td></tr>");
    assert_lacks(page, "&quot;wall&quot;");
    free(page);
    made_remove(a);
    made_remove(b);
}

/* The base is where its colour is, whatever its place; the ninth result has no colour, and the page says so. */
static void ten_results(void **state)
{
    (void)state;
    const orr_result *list[10];
    orr_result *owned[10];
    for (int i = 0; i < 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        list[i] = owned[i] = result_of(name, i ? after : before, 10 + i);
    }
    char *page = page_of(list, 10, &(orr_comparison_options){.base = "p1"});
    char *jct = figure_of(page, "jct"), *changes = figure_of(page, "changes");
    assert_holds(jct, "</svg>p7</li>");
    assert_lacks(jct, "p8");
    assert_holds(jct, "; the first 8 results");
    assert_holds(changes, "Change of each job&#39;s jct against p1");
    assert_int_equal(count_of(changes, "class=\"dot\""), 9);
    assert_holds(changes, "class=\"f0\""); /* p0 */
    assert_lacks(page, "id=\"splits-1\"");
    assert_holds(page, "id=\"splits-9\"");
    assert_holds(page, "<h1>p0, p1, p2, p3, p4, p5, p6, p7 and 2 more</h1>");
    free(jct);
    free(changes);
    free(page);
    for (int i = 0; i < 10; i++)
        made_remove(owned[i]);
}

static void a_damaged_table_is_an_error(void **state)
{
    (void)state;
    orr_result *a = result_of("fifo", before, 20), *b = result_of("las", after, 12);
    const orr_result *const both[] = {a, b};
    orr_error e = {0};
    orr_text page = {0};
    orr_comparison *c = orr_comparison_make(both, 2, &(orr_comparison_options){.metric_count = 0}, &e);
    assert_non_null(c);
    made_file(orr_result_dir(b), "timeline.csv", "t,entity,metric,value\nx,cluster,jobs_queued,1\n");
    assert_int_not_equal(orr_compare_page(c, &page, &e), ORR_OK);
    assert_int_equal(e.line, 2);
    assert_int_equal(page.n, 0);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_results),
        cmocka_unit_test(ten_results),
        cmocka_unit_test(a_damaged_table_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
