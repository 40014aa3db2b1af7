/* What the pages of a run and of a comparison show of serving, from folders written by hand. */
#include "made.h"
#include "markup.h"
#include "report/compare_page.h"
#include "report/run_page.h"
#include "report/serve_plots.h"

#define SERVING(BATCHES)                                                                                               \
    "\"serving\":{\"asked\":\"aimd\",\"resolved\":\"aimd,add=1\",\"name\":\"two\",\"digest\":\"d\"," \
    "\"services\":{" \
    "\"a\":{\"metrics\":{\"requests\":{\"arrived\":4}},\"batch_sizes\":{" BATCHES "}},"                                \
    "\"<b>\":{\"metrics\":{},\"batch_sizes\":{\"1\":2}}}}"

/* For 100 s: 10 a second, a tenth of them dropped from 50 s on; executor 0 works half of the first half. */
static const char levels[] = "t,entity,metric,value\n0,services,arrived,10\n0,services,waiting,3\n"
                             "0,executors,busy,0.5\n0,executor:0,busy,0.5\n"
                             "50,services,dropped,1\n50,executors,busy,0\n50,executor:0,busy,0\n"
                             "100,services,arrived,0\n100,services,dropped,0\n100,services,waiting,0\n";
/* Of a one in five isn't answered. */
static const char latencies[] = "service,share,latency,latency_all\n"
                                "*,0,0.01,0.01\n*,0.5,0.02,0.02\n*,1,0.04,\n"
                                "a,0,0.01,0.01\na,0.8,0.03,0.04\na,1,0.04,\n<b>,0,0.01,0.01\n<b>,1,0.02,0.02\n";

static orr_result *result_of(const char *serving)
{
    const made m = {.measured = 2,
                    .metrics = "\"jct\":{\"n\":2,\"mean\":70},\"requests\":{\"arrived\":1000},"
                               "\"latency_all\":{\"n\":2,\"p99\":0.04}",
                    .more = serving};
    orr_result *r = made_result(&m);
    made_file(orr_result_dir(r), "serving.csv", levels);
    made_file(orr_result_dir(r), "latencies.csv", latencies);
    return r;
}

static void what_is_gathered(void **state)
{
    (void)state;
    orr_result *r = result_of(SERVING("\"1\":3,\"40\":5"));
    orr_served s;
    assert_int_equal(orr_served_of(r, 0, 100 * ORR_SECOND, &s, NULL), ORR_OK);
    assert_int_equal(s.curves.n, 3);
    assert_string_equal(s.curves.at[0].service, "*");
    assert_int_equal(s.curves.at[1].cdf.n, 2); /* it ends at the share that was answered */
    assert_true(s.curves.at[1].cdf.share[1] > 0.79 && s.curves.at[1].cdf.share[1] < 0.81);
    assert_int_equal(s.batches.n, 2);
    assert_true(s.batches.at[0].size == 1 && s.batches.at[0].count == 5); /* of both services */
    assert_true(s.batches.at[1].size == 40 && s.batches.at[1].count == 5);
    const orr_binned *dropped = orr_run_level(&s.levels, "services", "dropped");
    assert_true(dropped->mean[0] < 1e-9 && dropped->mean[479] > 0.999);
    orr_served_fini(&s);
    made_remove(r);
}

static void the_page_of_a_run(void **state)
{
    (void)state;
    static const char *const figures[] = {"latency", "requests", "waiting", "batches", "executors"};
    orr_result *r = result_of(SERVING("\"1\":3,\"40\":5"));
    orr_text page = {0}, again = {0};
    assert_int_equal(orr_run_page(r, &page, NULL), ORR_OK);
    assert_int_equal(orr_run_page(r, &again, NULL), ORR_OK);
    assert_string_equal(page.at, again.at);
    assert_stands_alone(page.at);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        free(figure_of(page.at, figures[i]));
    char *latency = figure_of(page.at, "latency"), *batches = figure_of(page.at, "batches"),
         *requests = figure_of(page.at, "requests");
    assert_holds(latency, "</svg>&lt;b&gt;</li>");
    assert_lacks(latency, "</svg>*</li>");
    assert_holds(latency, ">10 ms</text>");
    assert_holds(batches, "10 batches, by the number of requests in them");
    assert_holds(batches, "<title>33-64: 5</title>");
    assert_holds(requests, "</svg>dropped</li>");
    assert_lacks(requests, "</svg>late</li>"); /* there are none */
    free(latency);
    free(batches);
    free(requests);
    orr_text_fini(&page);
    orr_text_fini(&again);
    made_remove(r);
}

static void without_services_there_is_nothing_of_it(void **state)
{
    (void)state;
    orr_result *r = result_of(NULL);
    orr_text page = {0};
    assert_int_equal(orr_run_page(r, &page, NULL), ORR_OK);
    assert_lacks(page.at, "id=\"latency\"");
    assert_lacks(page.at, "id=\"executors\"");
    orr_text_fini(&page);
    made_remove(r);
}

/* A folder of an older program has no such tables: what the summary says is shown. */
static void older_results_lack_the_tables(void **state)
{
    (void)state;
    const made m = {.more = SERVING("\"2\":1")};
    orr_result *r = made_result(&m);
    orr_text page = {0};
    assert_int_equal(orr_run_page(r, &page, NULL), ORR_OK);
    assert_lacks(page.at, "id=\"latency\"");
    free(figure_of(page.at, "batches"));
    orr_text_fini(&page);
    made_remove(r);
}

static void side_by_side(void **state)
{
    (void)state;
    static const char *const figures[] = {"jct", "latency", "dropped", "waiting", "busy", "batches"};
    orr_result *a = result_of(SERVING("\"1\":3")), *b = result_of(SERVING("\"8\":3"));
    orr_result_rename(b, "other");
    const orr_result *const both[] = {a, b};
    orr_error e = {0};
    orr_text page = {0};
    orr_comparison *c = orr_comparison_make(both, 2, &(orr_comparison_options){.force = true}, &e);
    if (!c)
        fail_msg("%s", e.message);
    assert_int_equal(orr_compare_page(c, &page, &e), ORR_OK);
    assert_stands_alone(page.at);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        free(figure_of(page.at, figures[i]));
    assert_holds(page.at, "Services two on tiny: 1,000 requests measured.");
    assert_holds(page.at, "<b>40 ms</b><span>latency_all.p99, ");
    orr_text_fini(&page);
    orr_comparison_destroy(c);
    made_remove(a);
    made_remove(b);
}

static void a_damaged_table_is_an_error(void **state)
{
    (void)state;
    orr_result *r = result_of(SERVING("\"1\":3"));
    orr_error e = {0};
    orr_text page = {0};
    made_file(orr_result_dir(r), "latencies.csv", "service,share,latency,latency_all\na,x,1,1\n");
    assert_int_equal(orr_run_page(r, &page, &e), ORR_E_NUMBER);
    assert_int_equal(e.line, 2);
    assert_int_equal(page.n, 0);
    made_remove(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_gathered),
        cmocka_unit_test(the_page_of_a_run),
        cmocka_unit_test(without_services_there_is_nothing_of_it),
        cmocka_unit_test(older_results_lack_the_tables),
        cmocka_unit_test(side_by_side),
        cmocka_unit_test(a_damaged_table_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
