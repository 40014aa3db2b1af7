/* Axes and the places of marks. Lengths along x are percent of the area, along y pixels from its top. */
#include "markup.h"
#include "report/svg_plot.h"

#include <math.h>
#include <stdio.h>

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
}

static void durations_begin_at_a_tick(void **state)
{
    (void)state;
    orr_svg_axis a = orr_svg_durations(4, 4000);
    assert_true(a.low == 1 && a.high == 4000);
    assert_string_equal(a.ticks[3].label, "10 m");
    assert_string_equal(a.ticks[a.n - 1].label, "1 h");
    a = orr_svg_durations(5, 5);
    assert_true(a.low == 1 && a.high == 10);
    a = orr_svg_durations(1e12, 1e13);
    assert_true(a.low < a.high);
    assert_true(orr_svg_place(&a, a.low) == 0 && orr_svg_place(&a, a.high) == 1);
}

static void decades_have_one_two_five_where_they_are_few(void **state)
{
    (void)state;
    orr_svg_axis a = orr_svg_decades(0.6, 3);
    assert_true(a.low == 0.5 && a.high == 5);
    assert_int_equal(a.n, 4);
    assert_string_equal(a.ticks[0].label, "0.5");
    a = orr_svg_decades(1, 1e6);
    assert_true(a.low == 1 && a.high == 1e6);
    assert_int_equal(a.n, 7);
    assert_string_equal(a.ticks[6].label, "1M");
}

static void changes_lie_about_nothing(void **state)
{
    (void)state;
    orr_svg_axis a = orr_svg_changes(-3000, 3000);
    assert_true(a.low == -3600 && a.high == 3600);
    assert_int_equal(a.n, 7);
    assert_string_equal(a.ticks[0].label, "-1 h");
    assert_string_equal(a.ticks[3].label, "0");
    assert_true(orr_svg_place(&a, 0) == 0.5);
    assert_true(fabs(orr_svg_place(&a, 60) - (0.5 + 0.5 * log(2) / log(61))) < 1e-12);
    assert_true(fabs(orr_svg_place(&a, -60) + orr_svg_place(&a, 60) - 1) < 1e-12);
    a = orr_svg_changes(-90000, 0);
    assert_true(a.low == -864000 && a.high == 60);
    assert_int_equal(a.n, 8);
    assert_string_equal(a.ticks[6].label, "0");
}

static void clocks_count_in_what_people_do(void **state)
{
    (void)state;
    orr_svg_axis a = orr_svg_clock(300, 14 * 86400);
    assert_string_equal(a.ticks[0].label, "2 d");
    a = orr_svg_clock(0, 5 * 3600);
    assert_string_equal(a.ticks[0].label, "0 h");
    assert_string_equal(a.ticks[1].label, "1 h");
    a = orr_svg_clock(0, 2 * 86400);
    assert_string_equal(a.ticks[1].label, "6 h");
    assert_string_equal(a.ticks[5].label, "1 d 6 h");
    a = orr_svg_clock(0, 1);
    assert_string_equal(a.ticks[1].label, "0.2 s");
}

/* ---- curves ---- */

static const orr_svg_frame frame = {.id = "p", .title = "t & u", .height = 100};

/* In a box of 1000 x 100. */
static void lines_lie_where_they_should(void **state)
{
    (void)state;
    static const double x[] = {1, 10, 100}, y[] = {0, 0.5, 1};
    orr_svg_series series = {.name = "s", .x = x, .y = y, .n = 3};
    orr_svg_axis across = {.low = 1, .high = 100, .scale = ORR_SVG_LOG}, down = orr_svg_shares();
    orr_text out = {0};
    orr_svg_lines(&out, &frame, &across, &down, &series, 1, false);
    assert_holds(out.at, "class=\"s0\" d=\"M0.0 100.0L500.0 50.0L1000.0 0.0\"");
    assert_holds(out.at, "<b>t &amp; u</b>");
    assert_lacks(out.at, "class=\"fill\"");
    assert_lacks(out.at, "class=\"key\""); /* one needs no legend */
    assert_well_formed(out.at);
    orr_text_clear(&out);
    series.steps = true;
    orr_svg_lines(&out, &frame, &across, &down, &series, 1, true);
    assert_holds(out.at, "class=\"s0\" d=\"M0.0 100.0H500.0V50.0H1000.0V0.0\"");
    assert_holds(out.at, "class=\"fill\" d=\"M0.0 100.0H500.0V50.0H1000.0V0.0V100H0.0Z\"");
    orr_text_fini(&out);
}

static void lines_that_are_compared_have_a_legend(void **state)
{
    (void)state;
    static const double x[] = {0, 1}, y[] = {0, 1};
    const orr_svg_series series[] = {{.name = "most", .x = x, .y = y, .n = 2, .faint = true},
                                     {.name = "a<b", .x = x, .y = y, .n = 2},
                                     {.name = "c", .x = x, .y = y, .n = 2}};
    const orr_svg_axis axis = orr_svg_shares();
    orr_text out = {0};
    orr_svg_lines(&out, &frame, &axis, &axis, series, 3, true);
    assert_holds(out.at, "<line class=\"s0\" x1=\"0\" y1=\"5\" x2=\"20\" y2=\"5\"/></svg>a&lt;b</li>");
    assert_holds(out.at, "</svg>c</li>");
    assert_lacks(out.at, "most</li>");
    assert_holds(out.at, "<path class=\"g0\"");
    assert_holds(out.at, "<path class=\"s1\"");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

static void marks_stand_beside_their_points(void **state)
{
    (void)state;
    static const double x[] = {0, 1}, y[] = {0, 1};
    const orr_svg_mark marks[] = {{0.25, 0.25, "p25"}, {0.75, 0.75, "p75"}};
    const orr_svg_series series = {.name = "s", .x = x, .y = y, .n = 2, .marks = marks, .mark_count = 2};
    const orr_svg_axis axis = orr_svg_shares();
    orr_text out = {0};
    orr_svg_lines(&out, &frame, &axis, &axis, &series, 1, false);
    assert_holds(out.at, "cx=\"25.00%\" cy=\"75.0\"");
    assert_holds(out.at, "<text x=\"25%\" dx=\"8\" y=\"88\" class=\"ink halo\">p25</text>");
    assert_holds(out.at, "<text x=\"75%\" dx=\"-8\" y=\"21\" class=\"ink halo end\">p75</text>");
    orr_text_fini(&out);
}

/* 1 and 2 of 4 below each other: edges at 75 and 25 pixels, back along the layer below. */
static void layers_lie_upon_each_other(void **state)
{
    (void)state;
    static const double x[] = {0, 1, 2}, a[] = {1, 1, 0}, b[] = {2, 0, 0}, most[] = {4, 4, 4};
    const orr_svg_series layers[] = {{.name = "a", .x = x, .y = a, .n = 3, .steps = true},
                                     {.name = "b", .x = x, .y = b, .n = 3, .steps = true}};
    const orr_svg_series bound = {.name = "4 GPUs", .x = x, .y = most, .n = 3, .steps = true};
    const orr_svg_axis across = {.high = 2}, down = {.high = 4};
    orr_text out = {0};
    orr_svg_stack(&out, &frame, &across, &down, layers, 2, &bound);
    assert_holds(out.at, "class=\"f0\" d=\"M0.0 75.0H1000.0V100.0V100.0H500.0V100.0H0.0Z\"");
    assert_holds(out.at, "class=\"f1\" d=\"M0.0 25.0H500.0V75.0H1000.0V100.0V75.0H500.0V75.0H0.0Z\"");
    assert_holds(out.at, ">4 GPUs</text>");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

/* ---- bars and rows ---- */

static void bars_are_as_high_as_their_values(void **state)
{
    (void)state;
    static const orr_svg_bar bars[] = {{"a", NULL, 4}, {"b", "tip <b>", 2}};
    orr_text out = {0};
    orr_svg_bars(&out, &frame, bars, 2); /* to 4 */
    assert_holds(out.at, "x=\"4.5%\" y=\"0\" width=\"41%\" height=\"100\"><title>a: 4</title>");
    assert_holds(out.at, "x=\"54.5%\" y=\"50\" width=\"41%\" height=\"50\"><title>tip &lt;b&gt;</title>");
    assert_holds(out.at, "<text x=\"25%\" y=\"118\" class=\"mid\">a</text>");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

/* Every third of 24 labels has room on a phone, every second on half a screen, all on a whole one. */
static void labels_show_where_there_is_room(void **state)
{
    (void)state;
    orr_svg_bar bars[24];
    char labels[24][4];
    orr_text out = {0};
    for (int i = 0; i < 24; i++) {
        snprintf(labels[i], sizeof *labels, "%d", i);
        bars[i] = (orr_svg_bar){labels[i], NULL, 1};
    }
    orr_svg_bars(&out, &frame, bars, 24);
    assert_int_equal(count_of(out.at, "class=\"mid\""), 12 / 2); /* 0, 4, … 20 */
    assert_int_equal(count_of(out.at, "class=\"mid w1\""), 6);   /* 2, 6, … 22 */
    assert_int_equal(count_of(out.at, "class=\"mid w2\""), 12);
    orr_text_fini(&out);
}

static void rows_shorten_long_names(void **state)
{
    (void)state;
    const orr_svg_bar bars[] = {{"a name that is much too long to stand above", NULL, 12345},
                                {"\xC3\xA4\xC3\xA4", NULL, 0}};
    orr_text out = {0};
    orr_svg_rows(&out, &frame, bars, 2);
    assert_holds(out.at, ">a name that is much too lo...<");
    assert_holds(out.at, ">12.35k<");
    assert_holds(out.at, "x=\"0%\" y=\"25\" width=\"100%\"");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

static void histograms_follow_their_axis(void **state)
{
    (void)state;
    static const double edges[] = {1, 10, 100};
    static const uint64_t counts[] = {1, 4};
    const orr_svg_axis x = orr_svg_decades(1, 100);
    orr_text out = {0};
    orr_svg_histogram(&out, &frame, &x, edges, counts, 2, 10, "rule");
    assert_holds(out.at, "x=\"2.5%\" y=\"75\" width=\"45%\" height=\"25\"><title>1 to 10: 1</title>");
    assert_holds(out.at, "x=\"52.5%\" y=\"0\" width=\"45%\" height=\"100\"");
    assert_holds(out.at, "<line class=\"rule\" x1=\"50%\" y1=\"0\" x2=\"50%\" y2=\"100\"/>");
    orr_text_fini(&out);
}

static void spreads_and_splits(void **state)
{
    (void)state;
    const orr_svg_axis x = {.high = 10};
    const orr_svg_spread rows[] = {{"a", "n 5", "tip", {0, 2, 5, 8, 10}, 1},
                                   {"b", "none", NULL, {NAN, NAN, NAN, NAN, NAN}, 0}};
    const orr_svg_split splits[] = {{"s", "10 jobs", 5, 2, 3}};
    orr_text out = {0};
    orr_svg_spreads(&out, &frame, &x, rows, 2);
    assert_holds(out.at, "<line class=\"g1\" x1=\"0%\" y1=\"29.5\" x2=\"100%\" y2=\"29.5\"/>");
    assert_holds(out.at, "<rect class=\"f1\" x=\"20%\" y=\"25\" width=\"60%\" height=\"9\"><title>tip</title>");
    assert_int_equal(count_of(out.at, "class=\"dot\""), 1);
    assert_lacks(out.at, "nan");
    orr_text_clear(&out);
    orr_svg_splits(&out, &frame, splits, 1);
    assert_holds(out.at, "<rect class=\"f0\" x=\"0%\" y=\"45\" width=\"50%\" height=\"9\"><title>sooner: 5 (50.0 %)");
    assert_holds(out.at, "<rect class=\"even\" x=\"50%\" y=\"45\" width=\"20%\"");
    assert_holds(out.at, "<rect class=\"f1\" x=\"70%\" y=\"45\" width=\"30%\"");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

/* ---- cells ---- */

static void few_cells_have_tips(void **state)
{
    (void)state;
    static const double values[] = {0, 4, NAN, 2};
    static const char *const labels[] = {"a", NULL};
    const orr_svg_axis x = orr_svg_places(2);
    orr_text out = {0};
    orr_svg_heat(&out, &frame, &x, &(orr_svg_cells){values, 2, 2, labels, 4, "GPUs"});
    assert_holds(out.at, "<rect class=\"h0\" x=\"0%\" y=\"0\" width=\"47%\" height=\"49\"><title>a 0: 0 GPUs");
    assert_holds(out.at, "<rect class=\"h9\" x=\"50%\" y=\"0\"");
    assert_holds(out.at, "<rect class=\"h5\" x=\"50%\" y=\"50\"");
    assert_holds(out.at, "</svg>4 GPUs</li>");
    assert_int_equal(count_of(out.at, "<title>"), 3);
    orr_text_fini(&out);
}

/* 20 x 20 of two shades: a path each, and one mark for each row of neighbours. */
static void many_cells_are_paths(void **state)
{
    (void)state;
    double values[400];
    const orr_svg_axis x = orr_svg_places(20);
    orr_text out = {0};
    for (int i = 0; i < 400; i++)
        values[i] = i % 20 < 15;
    orr_svg_heat(&out, &frame, &x, &(orr_svg_cells){values, 20, 20, NULL, 1, "x"});
    assert_int_equal(count_of(out.at, "<path"), 2);
    assert_holds(out.at, "<path class=\"h0\" d=\"M750.0 0.0h250.0v5.0h-250.0zM750.0 5.0");
    assert_holds(out.at, "<path class=\"h9\" d=\"M0.0 0.0h750.0v5.0h-750.0z");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

static void spans_lie_in_their_rows(void **state)
{
    (void)state;
    const orr_svg_axis x = {.high = 10};
    const orr_svg_span spans[] = {{0, 5, 0, 2, 3, false, "j<1>"}, {5, 10, 2, 1, 9, true, "k"}};
    static const double bands[] = {0, 2};
    static const char *const labels[] = {"0", "1"}, *const classes[] = {"h3"}, *const names[] = {"1 GPU"};
    const orr_svg_gantt gantt = {spans, 2, 4, bands, labels, 2, classes, names, 1};
    orr_text out = {0};
    orr_svg_spans(&out, &frame, &x, &gantt);
    assert_holds(out.at, "<rect class=\"h3\" x=\"0%\" y=\"0\" width=\"50%\" height=\"49\"><title>j&lt;1&gt;</title>");
    assert_holds(out.at, "<rect class=\"h9\" x=\"50%\" y=\"50\" width=\"50%\" height=\"24\">");
    assert_int_equal(count_of(out.at, "class=\"broken\""), 1);
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

static void drawings_have_a_size(void **state)
{
    (void)state;
    static const orr_svg_bar bars[] = {{"a", NULL, 4}};
    const orr_svg_frame drawn = {.title = "t", .note = "n", .height = 100, .width = 274, .x = 5};
    orr_text out = {0};
    orr_svg_bars(&out, &drawn, bars, 1);
    assert_int_equal(orr_svg_drawing_height(&drawn), 176);
    assert_holds(out.at, "<svg x=\"5\" y=\"0\" width=\"274\" height=\"176\">");
    assert_holds(out.at, "<svg x=\"58\" y=\"46\" width=\"200\" height=\"100\" overflow=\"visible\">");
    assert_holds(out.at, "class=\"title\">t</text>");
    assert_lacks(out.at, "<figure");
    assert_well_formed(out.at);
    orr_text_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_have_round_ticks),
        cmocka_unit_test(durations_begin_at_a_tick),
        cmocka_unit_test(decades_have_one_two_five_where_they_are_few),
        cmocka_unit_test(changes_lie_about_nothing),
        cmocka_unit_test(clocks_count_in_what_people_do),
        cmocka_unit_test(lines_lie_where_they_should),
        cmocka_unit_test(lines_that_are_compared_have_a_legend),
        cmocka_unit_test(marks_stand_beside_their_points),
        cmocka_unit_test(layers_lie_upon_each_other),
        cmocka_unit_test(bars_are_as_high_as_their_values),
        cmocka_unit_test(labels_show_where_there_is_room),
        cmocka_unit_test(rows_shorten_long_names),
        cmocka_unit_test(histograms_follow_their_axis),
        cmocka_unit_test(spreads_and_splits),
        cmocka_unit_test(few_cells_have_tips),
        cmocka_unit_test(many_cells_are_paths),
        cmocka_unit_test(spans_lie_in_their_rows),
        cmocka_unit_test(drawings_have_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
