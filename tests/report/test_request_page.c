/* The page of a trace of requests. */
#include "markup.h"
#include "report/request_page.h"
#include "trace/reader.h"

#include <stdio.h>

static char *page_of(const char *text)
{
    orr_error e = {0};
    orr_text page = {0}, again = {0};
    orr_input *in = orr_input_memory("r<1>.csv", text, strlen(text));
    orr_trace *trace = orr_trace_read_input(in, &(orr_trace_options){.format = "requests"}, &e);
    orr_input_close(in);
    if (!trace)
        fail_msg("%s: %s", e.message, e.text);
    orr_request_description *d = orr_requests_describe(trace);
    const orr_request_page told = {d, "orrery describe 'r<1>.csv'"};
    orr_request_page_html(&told, &page);
    orr_request_page_html(&told, &again);
    assert_string_equal(page.at, again.at);
    assert_stands_alone(page.at);
    orr_text_fini(&again);
    orr_request_description_destroy(d);
    orr_trace_destroy(trace);
    return page.at;
}

static const char single[] = "arrival,tokens_in,tokens_out,service,client\n"
                             "0,10,1,<m>,ann\n1,100,20,n&o,ann\n1,1000,,n&o,bob\n5,20,3,n&o,\n";

static void single_requests(void **state)
{
    (void)state;
    static const char *const figures[] = {"arrivals", "tokens", "gaps", "services", "clients"};
    static const char *const parts[] = {"<h1>r&lt;1&gt;.csv</h1>",
                                        "<td>&lt;m&gt;</td>",
                                        "<td>n&amp;o</td>",
                                        "<b>4</b><span>requests</span>",
                                        "<td>tokens_out</td><td class=\"n\">3</td><td class=\"n\">75.00 %</td>",
                                        "<pre>orrery describe &#39;r&lt;1&gt;.csv&#39;</pre>"};
    char *page = page_of(single);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        free(figure_of(page, figures[i]));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_holds(page, parts[i]);
    char *gaps = figure_of(page, "gaps");
    assert_holds(gaps, "</svg>independent, at this rate</li>");
    free(gaps);
    assert_lacks(page, "id=\"counts\"");
    assert_lacks(page, "id=\"hours\""); /* no calendar */
    free(page);
}

/* 1,200 requests, one each second: their counts don't vary at all, whatever the window. */
static void even_arrivals_are_no_burst(void **state)
{
    (void)state;
    orr_text t = {0};
    orr_text_addf(&t, "arrival\n");
    for (int i = 0; i <= 1200; i++)
        orr_text_addf(&t, "%d\n", i);
    char *page = page_of(t.at), *bursts = figure_of(page, "bursts"), *arrivals = figure_of(page, "arrivals");
    assert_holds(bursts, "<title>1 s: 0</title>");
    assert_holds(bursts, "<title>1 m: 0</title>");
    assert_lacks(bursts, "<title>10 m"); /* two windows tell nothing */
    assert_holds(arrivals, "requests a second, means over 2.5 s");
    free(bursts);
    free(arrivals);
    free(page);
    orr_text_fini(&t);
}

static void requests_of_one_instant(void **state)
{
    (void)state;
    char *page = page_of("arrival\n3\n3\n");
    assert_lacks(page, "id=\"arrivals\"");
    assert_lacks(page, "id=\"gaps\"");
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_requests),
        cmocka_unit_test(even_arrivals_are_no_burst),
        cmocka_unit_test(requests_of_one_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
