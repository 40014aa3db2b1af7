/* The page of a trace and what it is made of: well-formed, self-contained, and plots where the numbers say. */
#include "report/page.h"
#include "report/svg_plot.h"
#include "report/trace_page.h"
#include "sample.h"
#include "trace/reader.h"

#include <math.h>

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

/* Tags that are open at most, and whether all were closed in order: enough of XML for what we write. */
static void assert_well_formed(const char *text)
{
    char open[64][16];
    size_t depth = 0;
    if (strncmp(text, "<!DOCTYPE html>\n", 16) == 0)
        text += 16;
    for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
        const char *end = strchr(at, '>');
        char name[16];
        assert_non_null(end);
        const bool closes = at[1] == '/';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + closes, " />"), at + 1 + closes);
        if (closes && (depth == 0 || strcmp(open[--depth], name) != 0))
            fail_msg("</%s> closes %s at: %.60s", name, depth ? open[depth] : "nothing", at);
        if (!closes && end[-1] != '/') {
            assert_true(depth < 64);
            memcpy(open[depth++], name, sizeof name);
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

/* ---- axes ---- */

static void axes_have_round_ticks(void **state)
{
    (void)state;
    orr_svg_axis a = orr_svg_numbers(7);
    assert_true(a.high == 8);
    assert_int_equal(a.n, 5);
    assert_string_equal(a.ticks[4].label, "8");
    a = orr_svg_numbers(82247);
    assert_true(a.high == 100000);
    assert_string_equal(a.ticks[1].label, "20k");
    a = orr_svg_numbers(0);
    assert_true(a.high == 1);
    a = orr_svg_durations(4, 4000);
    assert_true(a.low == 1 && a.high == 36000);
    assert_string_equal(a.ticks[3].label, "10 m");
    a = orr_svg_durations(5, 5);
    assert_true(a.low == 1 && a.high == 10);
    a = orr_svg_durations(1e12, 1e13);
    assert_true(a.low < a.high);
}

/* ---- plots ---- */

/* 58 + (520 - 58 - 16) * log 10 / log 100 and so on; heights from 46 to 230. */
static void lines_lie_where_they_should(void **state)
{
    (void)state;
    static const double x[] = {1, 10, 100}, y[] = {0, 0.5, 1};
    const orr_svg_series series = {"s", x, y, 3, false}, steps = {"s", x, y, 3, true};
    const orr_svg_frame frame = {.title = "t & u", .width = 520, .height = 260};
    orr_svg_axis across = {.low = 1, .high = 100, .log = true}, down = orr_svg_shares();
    orr_text out = {0};
    orr_svg_lines(&out, &frame, &across, &down, &series, 1);
    assert_non_null(strstr(out.at, "d=\"M58.0 230.0L281.0 138.0L504.0 46.0\""));
    assert_non_null(strstr(out.at, "t &amp; u"));
    assert_well_formed(out.at);
    orr_text_clear(&out);
    orr_svg_lines(&out, &frame, &across, &down, &steps, 1);
    assert_non_null(strstr(out.at, "d=\"M58.0 230.0H281.0L281.0 138.0H504.0L504.0 46.0\""));
    orr_text_fini(&out);
}

static void bars_are_as_high_as_their_values(void **state)
{
    (void)state;
    static const orr_svg_bar bars[] = {{"a", NULL, 4}, {"b", "tip <b>", 2}};
    const orr_svg_frame frame = {.title = "t", .width = 274, .height = 176};
    orr_text out = {0};
    orr_svg_bars(&out, &frame, bars, 2); /* 200 wide, 100 high, axis to 4 */
    assert_non_null(strstr(out.at, "x=\"65.50\" y=\"46.00\" width=\"85.00\" height=\"100.00\"><title>a: 4</title>"));
    assert_non_null(
        strstr(out.at, "x=\"165.50\" y=\"96.00\" width=\"85.00\" height=\"50.00\"><title>tip &lt;b&gt;</title>"));
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

static void rows_shorten_long_names(void **state)
{
    (void)state;
    const orr_svg_bar bars[] = {{"a name that is much too long to stand", NULL, 12345}, {"\xC3\xA4\xC3\xA4", NULL, 0}};
    const orr_svg_frame frame = {.title = "t", .width = 520, .height = 260};
    orr_text out = {0};
    orr_svg_rows(&out, &frame, bars, 2);
    assert_non_null(strstr(out.at, ">a name that is m...<"));
    assert_non_null(strstr(out.at, ">12.35k<"));
    assert_well_formed(out.at);
    orr_text_fini(&out);
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
    assert_string_equal(out.at, "<div class=\"table\"><table>\n<thead><tr><th>a&lt;b</th><th class=\"n\">n</th></tr>\n"
                                "</thead>\n<tbody>\n<tr><td>x&amp;y</td><td class=\"n\">1,204</td></tr>\n</tbody>\n"
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
        assert_well_formed(html.at);
        assert_well_formed(svg.at);
        assert_null(strstr(html.at, "<script"));
        assert_null(strstr(html.at, "src="));
        assert_null(strstr(html.at, "href="));
        assert_null(strstr(html.at, "nan"));
        assert_null(strstr(svg.at, "nan"));
        assert_non_null(strstr(html.at, "prefers-color-scheme:dark"));
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
        cmocka_unit_test(texts_are_escaped),           cmocka_unit_test(axes_have_round_ticks),
        cmocka_unit_test(lines_lie_where_they_should), cmocka_unit_test(bars_are_as_high_as_their_values),
        cmocka_unit_test(rows_shorten_long_names),     cmocka_unit_test(tables_are_html),
        cmocka_unit_test(pages_stand_alone),           cmocka_unit_test(the_page_holds_it_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
