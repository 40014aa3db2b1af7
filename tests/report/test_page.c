/* The page of a trace and what it is made of: well-formed, self-contained, and plots where the numbers say. */
#include "markup.h"
#include "report/page.h"
#include "report/trace_page.h"
#include "sample.h"
#include "trace/reader.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>

/* ---- markup ---- */

static void markup_is(const char *text, const char *want)
{
    orr_text out = {0};
    orr_text_addf(&out, "%s", "");
    orr_markup(&out, text);
    assert_string_equal(out.at ? out.at : "", want);
    orr_text_fini(&out);
}

static void texts_are_escaped(void **state)
{
    (void)state;
    markup_is("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
    markup_is("z\xC3\xA4h", "z\xC3\xA4h");
    markup_is("\xC3", "\xEF\xBF\xBD");         /* cut short by the end */
    markup_is("a\xFFz", "a\xEF\xBF\xBDz");     /* no UTF-8 */
    markup_is("a\x01z\n", "a\xEF\xBF\xBDz\n"); /* no character of XML */
}

/* ---- tables ---- */

static void tables_are_html(void **state)
{
    (void)state;
    orr_grid *grid = orr_grid_create();
    orr_text out = {0};
    orr_grid_column(grid, "a<b", "a", false);
    orr_grid_column(grid, "n", "n", true);
    orr_grid_cell(grid, "x&y", NULL);
    orr_grid_cell(grid, "1,204", "1204");
    assert_int_equal(orr_grid_rows(grid), 1);
    orr_grid_print(grid, ORR_TABLE_HTML, &out);
    assert_string_equal(
        out.at, "<div class=\"table\"><table>\n<thead><tr><th>a&lt;b</th><th class=\"n\">n</th></tr>\n"
                "</thead>\n<tbody>\n<tr><td>x&amp;y</td><td class=\"n\" data-v=\"1204\">1,204</td></tr>\n</tbody>\n"
                "</table></div>\n");
    orr_grid_destroy(grid);
    orr_text_clear(&out);
    orr_text_addf(&out, "-");
    grid = orr_grid_create();
    orr_grid_column(grid, "a", "a", false);
    orr_page_table(&out, "empty", grid); /* takes it */
    assert_string_equal(out.at, "-");
    orr_text_fini(&out);
}

/* ---- the page ---- */

/* The digest of the policy is that of what stands between the tags. */
static void the_script_is_the_one_that_is_allowed(void **state)
{
    (void)state;
    orr_text out = {0};
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE) + 1] = "";
    orr_page_begin(&out, "kind", "title");
    orr_page_end(&out);
    const char *from = strstr(out.at, "<script>"), *to = strstr(out.at, "</script>");
    assert_true(from && to);
    from += 8;
    assert_null(memchr(from, '<', (size_t)(to - from)));
    assert_null(memchr(from, '&', (size_t)(to - from)));
    sha256_init(&context);
    sha256_update(&context, (size_t)(to - from), (const uint8_t *)from);
    sha256_digest(&context, sizeof digest, digest);
    base64_encode_raw(text, sizeof digest, digest);
    assert_non_null(strstr(out.at, text));
    orr_text_fini(&out);
}

static orr_trace *read(const char *text)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("t<1>.csv", text, strlen(text));
    orr_trace *trace = orr_trace_read_input(in, &(orr_trace_options){0}, &e);
    orr_input_close(in);
    if (!trace)
        fail_msg("%s: %s", e.message, text);
    return trace;
}

static void print(const char *jobs, void (*form)(const orr_trace_page *page, orr_text *out), orr_text *out)
{
    orr_trace *trace = read(jobs);
    orr_description *d = orr_trace_describe(trace);
    orr_cluster_spec *cluster = orr_cluster_spec_create("c");
    const orr_node_spec node = orr_node_spec_default();
    assert_int_equal(orr_cluster_spec_add(cluster, &node, 1, NULL), ORR_OK);
    orr_offered_load load = orr_offered_load_of(d, cluster, "nodes=1,gpus=8");
    const orr_trace_page page = {d, &load, "orrery describe 't<1>.csv'"};
    form(&page, out);
    orr_offered_load_fini(&load);
    orr_cluster_spec_destroy(cluster);
    orr_description_destroy(d);
    orr_trace_destroy(trace);
}

static const char *const traces[] = {
    "job_id,submit,duration,gpus,vc,user,gpu_type,gpu_milli,queue,start,end\n"
    "a,2017-10-30 23:59:50,10,2,v<1>,ann,A,,q&a,2017-10-31 00:00:00,2017-10-31 00:00:10\n"
    "b,2017-10-31 00:00:00,20,4,w,bob,,,,2017-10-31 00:10:00,2017-10-31 00:10:20\n"
    "c,2017-11-02 12:00:00,100,1,w,ann,A|B,500,,,\n",
    "submit,duration,gpus\n5,0,1\n",          /* one job of no length */
    "submit,duration,gpus\n5,0.5,1\n5,1,0\n", /* one instant, less than a second */
    "submit,duration,gpus\n0,1,1\n99000000,1,1\n",
};

static void pages_stand_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        orr_text html = {0}, again = {0}, svg = {0};
        print(traces[i], orr_trace_page_html, &html);
        print(traces[i], orr_trace_page_html, &again);
        print(traces[i], orr_trace_page_svg, &svg);
        assert_string_equal(html.at, again.at);
        assert_stands_alone(html.at);
        assert_well_formed(svg.at);
        assert_null(strstr(svg.at, "nan"));
        orr_text_fini(&html);
        orr_text_fini(&again);
        orr_text_fini(&svg);
    }
}

static void the_page_holds_it_all(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "<h1>t&lt;1&gt;.csv</h1>",
        "<b>3</b><span>jobs</span>",
        "Duration, cumulative",
        "Recorded wait, cumulative",
        "Submissions by day",
        "GPUs in use over time",
        "Submissions by weekday and hour",
        "GPU-hours by virtual cluster",
        "<td>v&lt;1&gt;</td>",
        "<h2>Offered load</h2>",
        "<h2>Attributes</h2>",
        "q&amp;a: 1",
        "<td>fractional-gpu</td>",
        "<pre>orrery describe &#39;t&lt;1&gt;.csv&#39;</pre>",
        "SHA-256",
    };
    orr_text html = {0};
    print(traces[0], orr_trace_page_html, &html);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(html.at, parts[i]))
            fail_msg("the page lacks %s", parts[i]);
    orr_text_clear(&html);
    print(traces[3], orr_trace_page_html, &html);
    assert_non_null(strstr(html.at, "Submissions by hour of relative days"));
    assert_null(strstr(html.at, "weekday"));
    orr_text_fini(&html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(tables_are_html),
        cmocka_unit_test(the_script_is_the_one_that_is_allowed),
        cmocka_unit_test(pages_stand_alone),
        cmocka_unit_test(the_page_holds_it_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
