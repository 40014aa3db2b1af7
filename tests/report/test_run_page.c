/* What a run's page gathers from a folder, by hand, and the page itself. */
#include "made.h"
#include "markup.h"
#include "report/run_facts.h"
#include "report/run_page.h"

#include <math.h>
#include <stdio.h>

#define HEADER                                                                                                         \
    "job_id,user,vc,gpus,submit,first_start,end,state,reason,jct,wait_first,wait_total,duration,rho,measured\n"

/* 2 nodes x 4 GPUs for 100 s:
 *
 *   node 0  GPU 0-3  a a a a a . . . . .      a: 0..50, b: 50..100 on GPU 3 and 0..3 of node 1
 *   node 1  GPU 0-3  . . . . . b b b b b      c waits from 20 to the end, d is rejected
 */
static const char jobs[] = HEADER "a,u<1>,v&1,4,0,0,50,done,,50,0,0,50,0.5,1\n"
                                  "b,bob,w,5,10,50,100,done,,90,40,40,50,2,1\n"
                                  "<script>alert(1)</script>,\"x\"\"y\",w,8,20,,,queued,,,,,10,,0\n"
                                  "d,bob,w,9,30,,30,rejected,too-wide,,,,10,,0\n";
static const char holds[] = "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead\n"
                            "a,1,0,50,4,0:0-3,1,preempted,0\n"
                            "b,1,50,100,5,0:3;1:0-3,2,done,0\n";
static const char levels[] = "t,entity,metric,value\n"
                             "0,cluster,gpus_total,8\n0,cluster,gpus_held,4\n0,cluster,jobs_queued,0\n"
                             "0,vc:v&1,gpus_held,4\n0,vc:w,gpus_held,0\n"
                             "10,cluster,jobs_queued,1\n20,cluster,jobs_queued,2\n"
                             "50,cluster,gpus_held,5\n50,cluster,jobs_queued,1\n50,vc:v&1,gpus_held,0\n"
                             "50,vc:w,gpus_held,5\n100,cluster,gpus_held,0\n100,vc:w,gpus_held,0\n";

static orr_result *result_of(const char *jobs_csv, const char *attempts_csv, const char *timeline_csv)
{
    const made m = {.policy = "fifo",
                    .measured = 2,
                    .biased = true,
                    .metrics = "\"jct\":{\"n\":2,\"mean\":70},\"gpu_alloc\":0.5625,\"custom\":{\"max(<jct>)\":90}",
                    .vcs = "\"v&1\":{\"jobs\":{\"submitted\":1,\"completed\":1},\"metrics\":{\"gpus\":4}}",
                    .settings = "\"policy\":\"<b>\""};
    orr_result *r = made_result(&m);
    made_file(orr_result_dir(r), "jobs.csv", jobs_csv);
    made_file(orr_result_dir(r), "attempts.csv", attempts_csv);
    made_file(orr_result_dir(r), "timeline.csv", timeline_csv);
    return r;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* ---- facts ---- */

static void curves_are_exact_where_they_have_points(void **state)
{
    (void)state;
    static const double few[] = {1, 2, 2, 4};
    orr_cdf c = orr_cdf_of(few, 4);
    assert_int_equal(c.n, 3);
    assert_true(c.x[0] == 1 && near(c.share[0], 0.25));
    assert_true(c.x[1] == 2 && near(c.share[1], 0.75));
    assert_true(c.x[2] == 4 && near(c.share[2], 1));
    double many[2401];
    for (int i = 0; i <= 2400; i++)
        many[i] = i;
    c = orr_cdf_of(many, 2401);
    assert_int_equal(c.n, 241);
    assert_true(c.x[0] == 0 && c.x[1] == 10 && c.x[240] == 2400); /* quantiles a 240th apart */
    assert_true(near(c.share[120], 0.5));
    orr_cdf_reach(&c, 3000);
    assert_true(c.n == 242 && c.x[241] == 3000 && c.share[241] == 1);
    c = orr_cdf_of(few, 0);
    orr_cdf_reach(&c, 1);
    assert_int_equal(c.n, 0);
}

static void jobs_are_told_apart(void **state)
{
    (void)state;
    orr_result *r = result_of(jobs, holds, levels);
    orr_run_jobs j;
    assert_int_equal(orr_run_jobs_of(r, 100 * ORR_SECOND, &j, NULL), ORR_OK);
    assert_true(j.first == 0 && j.last == 100 * ORR_SECOND);
    assert_int_equal(j.jct.n, 2);
    assert_true(j.jct.at[0] == 50 && j.jct.at[1] == 90);
    assert_true(j.rho.at[1] == 2);
    assert_int_equal(j.size_wait[orr_pair_size(4)].n, 1);
    assert_true(j.size_wait[orr_pair_size(5)].at[0] == 40);
    assert_int_equal(j.longest_count, 2); /* a didn't wait, d was refused */
    assert_true(j.longest[0].wait == 80 * ORR_SECOND && !j.longest[0].started);
    assert_string_equal(j.longest[1].id, "b");
    orr_run_jobs_fini(&j);
    made_remove(r);
}

static void the_longest_waits_are_kept(void **state)
{
    (void)state;
    orr_text t = {0};
    orr_text_addf(&t, HEADER);
    for (int i = 0; i < 50; i++)
        orr_text_addf(&t, "j%d,,,1,0,%d,100,done,,100,%d,0,10,1,1\n", i, i * 7 % 50, i * 7 % 50);
    orr_result *r = result_of(t.at, holds, levels);
    orr_run_jobs j;
    assert_int_equal(orr_run_jobs_of(r, 0, &j, NULL), ORR_OK);
    assert_int_equal(j.longest_count, ORR_RUN_LONGEST);
    for (int i = 0; i < ORR_RUN_LONGEST; i++)
        assert_true(j.longest[i].wait == (49 - i) * ORR_SECOND);
    orr_run_jobs_fini(&j);
    made_remove(r);
    orr_text_fini(&t);
}

static double sum_of(const orr_binned *b)
{
    double sum = 0;
    for (int i = 0; i < ORR_RUN_BINS; i++)
        sum += b->mean[i] * 100 / ORR_RUN_BINS;
    return sum;
}

/* 480 bins of 100 s: the 48th begins at 10 s, the 240th at 50 s. Nothing is lost by binning. */
static void bins_hold_means(void **state)
{
    (void)state;
    orr_result *r = result_of(jobs, holds, levels);
    orr_run_levels l;
    assert_int_equal(orr_run_levels_of(r, 0, 100 * ORR_SECOND, &l, NULL), ORR_OK);
    const orr_binned *held = orr_run_level(&l, "cluster", "gpus_held");
    assert_true(near(held->mean[0], 4) && near(held->mean[239], 4) && near(held->mean[240], 5) &&
                near(held->mean[479], 5));
    assert_true(near(held->integral, 450) && near(sum_of(held), 450));
    const orr_binned *queued = orr_run_level(&l, "cluster", "jobs_queued");
    assert_true(near(queued->mean[47], 0) && near(queued->mean[48], 1) && queued->most[100] == 2);
    assert_true(near(sum_of(queued), 10 + 60 + 50));
    assert_null(orr_run_level(&l, "cluster", "gpus_busy"));
    orr_run_levels_fini(&l);
    assert_int_equal(orr_run_levels_of(r, 0, 1000 * ORR_SECOND, &l, NULL), ORR_OK); /* bins of 2.083 s */
    held = orr_run_level(&l, "cluster", "gpus_held");
    assert_true(near(held->mean[24], 5) && near(held->integral, 450));
    assert_true(near(held->mean[47], 4.99999999999999 * 2.08333333333333 / 2.08333333333333));
    orr_run_levels_fini(&l);
    made_remove(r);
}

static void nodes_and_boxes(void **state)
{
    (void)state;
    orr_result *r = result_of(jobs, holds, levels);
    orr_run_holds *h = orr_xcalloc(1, sizeof *h);
    assert_int_equal(orr_run_holds_of(r, 0, 100 * ORR_SECOND, h, NULL), ORR_OK);
    assert_true(h->nodes == 2 && h->node_gpus == 4 && h->uniform && h->rows == 2 && h->node_step == 1);
    assert_true(near(h->heat[0], 4) && near(h->heat[79], 4) && near(h->heat[80], 1) && near(h->heat[159], 1));
    assert_true(near(h->heat[ORR_HEAT_COLUMNS], 0) && near(h->heat[ORR_HEAT_COLUMNS + 159], 4));
    assert_int_equal(h->box_count, 3);
    assert_string_equal(h->boxes[0].id, "a");
    assert_true(h->boxes[0].gpus == 4 && h->boxes[0].broken);
    assert_true(h->boxes[1].gpu == 3 && h->boxes[1].gpus == 1 && h->boxes[1].job_gpus == 5 && !h->boxes[1].broken);
    assert_true(h->boxes[2].node == 1 && near(h->all_weight, 450) && near(h->shown_weight, 450));
    orr_run_holds_fini(h);
    free(h);
    made_remove(r);
}

/* 3,000 boxes of 1 to 3,000 ms: the 2,000 longest stay, in order of time. */
static void the_heaviest_boxes_stay(void **state)
{
    (void)state;
    orr_text t = {0};
    orr_text_addf(&t, "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead\n");
    for (int i = 0; i < 3000; i++) {
        const int ms = i * 1009 % 3000 + 1;
        orr_text_addf(&t, "j,1,%d,%d.%03d,1,0:0,1,done,0\n", 4 * i, 4 * i + ms / 1000, ms % 1000);
    }
    orr_result *r = result_of(jobs, t.at, levels);
    orr_run_holds *h = orr_xcalloc(1, sizeof *h);
    assert_int_equal(orr_run_holds_of(r, 0, 12000 * ORR_SECOND, h, NULL), ORR_OK);
    assert_true(h->box_count == ORR_GANTT_BOXES && h->box_total == 3000);
    for (size_t i = 0; i < h->box_count; i++) {
        assert_true(h->boxes[i].weight > 1.0005);
        assert_true(i == 0 || h->boxes[i].from > h->boxes[i - 1].from);
    }
    assert_true(fabs(h->shown_weight - 4001.0) < 1e-6); /* 1.001 + … + 3.000 */
    orr_run_holds_fini(h);
    free(h);
    made_remove(r);
    orr_text_fini(&t);
}

/* ---- the page ---- */

static void the_page_holds_it_all(void **state)
{
    (void)state;
    static const char *const figures[] = {"gpus", "queue", "jct", "wait", "sizes", "rho", "nodes", "schedule"};
    static const char *const parts[] = {
        "<h1>fifo</h1>",
        "Means cover survivors only",
        "<b>1 m 10 s</b><span>jct.mean</span>",
        "<b>56.2 %</b><span>gpu_alloc</span>",
        "<h2>What became of the jobs</h2>",
        "<dt>max(&lt;jct&gt;)</dt><dd>90</dd>",
        "<td>v&amp;1</td>",
        "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>",
        "<td>x&quot;y</td>",
        "never started",
        "&quot;policy&quot;:\t&quot;&lt;b&gt;&quot;",
    };
    orr_result *r = result_of(jobs, holds, levels);
    orr_text page = {0}, again = {0};
    assert_int_equal(orr_run_page(r, &page, NULL), ORR_OK);
    assert_int_equal(orr_run_page(r, &again, NULL), ORR_OK);
    assert_string_equal(page.at, again.at);
    assert_stands_alone(page.at);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        free(figure_of(page.at, figures[i]));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_holds(page.at, parts[i]);
    assert_lacks(page.at, "&quot;wall&quot;"); /* equal runs have equal pages */
    char *gpus = figure_of(page.at, "gpus");
    assert_holds(gpus, "GPUs held, by virtual cluster");
    assert_holds(gpus, "</svg>v&amp;1</li>");
    assert_holds(gpus, ">8 GPUs</text>");
    free(gpus);
    orr_text_fini(&page);
    orr_text_fini(&again);
    made_remove(r);
}

/* Nothing ran, nothing was measured: the page says so by what it leaves out. */
static void a_run_of_nothing_has_a_page(void **state)
{
    (void)state;
    orr_result *r = result_of(HEADER, "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead\n",
                              "t,entity,metric,value\n");
    orr_text page = {0};
    assert_int_equal(orr_run_page(r, &page, NULL), ORR_OK);
    assert_stands_alone(page.at);
    assert_lacks(page.at, "id=\"jct\"");
    assert_lacks(page.at, "id=\"schedule\"");
    orr_text_fini(&page);
    made_remove(r);
}

static void more_virtual_clusters_than_colours(void **state)
{
    (void)state;
    orr_text t = {0};
    orr_text_addf(&t, "t,entity,metric,value\n");
    for (int i = 0; i < 20; i++)
        orr_text_addf(&t, "0,vc:v%d,gpus_held,%d\n", i, 20 - i);
    orr_text_addf(&t, "0,cluster,gpus_held,210\n100,cluster,gpus_held,0\n");
    orr_result *r = result_of(jobs, holds, t.at);
    orr_text page = {0};
    assert_int_equal(orr_run_page(r, &page, NULL), ORR_OK);
    char *gpus = figure_of(page.at, "gpus");
    assert_holds(gpus, "</svg>v6</li>");
    assert_lacks(gpus, "</svg>v7</li>");
    assert_holds(gpus, "</svg>13 others</li>");
    free(gpus);
    orr_text_fini(&page);
    orr_text_fini(&t);
    made_remove(r);
}

static void a_damaged_table_is_an_error(void **state)
{
    (void)state;
    orr_result *r = result_of(jobs, holds, "t,entity,metric,value\n0,cluster,gpus_held,x\n");
    orr_text page = {0};
    orr_error e = {0};
    assert_int_equal(orr_run_page(r, &page, &e), ORR_E_NUMBER);
    assert_int_equal(e.line, 2);
    assert_int_equal(page.n, 0);
    assert_int_equal(orr_run_page_write(r, orr_result_dir(r), &e), ORR_E_NUMBER);
    made_remove(r);
}

/* A million holds would be too much here; what grows with jobs is bounded, so 40,000 show it: under 1 MB. */
static void pages_stay_small(void **state)
{
    (void)state;
    orr_text t[3] = {{0}, {0}, {0}};
    orr_text_addf(&t[0], HEADER);
    orr_text_addf(&t[1], "job_id,attempt,start,end,gpus,allocation,nodes,reason,overhead\n");
    orr_text_addf(&t[2], "t,entity,metric,value\n");
    for (int i = 0; i < 40000; i++) {
        const int wait = i * 7919 % 1000;
        orr_text_addf(&t[0], "job-%d,u,v,1,%d,%d,%d,done,,%d,%d,%d,50,1.%d,1\n", i, i, i + wait, i + wait + 50,
                      wait + 50, wait, wait, i);
        orr_text_addf(&t[1], "job-%d,1,%d,%d,1,%d:%d,1,done,0\n", i, i, i + 50, i % 2, i / 2 % 4);
        orr_text_addf(&t[2], "%d,cluster,jobs_queued,%d\n%d,cluster,gpus_held,%d\n", i, wait, i, i % 8);
    }
    orr_result *r = result_of(t[0].at, t[1].at, t[2].at);
    assert_int_equal(orr_run_page_write(r, orr_result_dir(r), NULL), ORR_OK);
    char *page = made_read(orr_result_dir(r), "report.html");
    assert_true(strlen(page) < 1000000);
    assert_holds(page, "240 exact quantiles of 40,000 measured jobs");
    assert_holds(page, "the 2,000 boxes of 40,000 with the most GPU time, 5.00 % of it");
    assert_int_equal(count_of(page, "<rect class=\"h3\""), 2000 + 1); /* and the legend's */
    free(page);
    for (int i = 0; i < 3; i++)
        orr_text_fini(&t[i]);
    made_remove(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_exact_where_they_have_points),
        cmocka_unit_test(jobs_are_told_apart),
        cmocka_unit_test(the_longest_waits_are_kept),
        cmocka_unit_test(bins_hold_means),
        cmocka_unit_test(nodes_and_boxes),
        cmocka_unit_test(the_heaviest_boxes_stay),
        cmocka_unit_test(the_page_holds_it_all),
        cmocka_unit_test(a_run_of_nothing_has_a_page),
        cmocka_unit_test(more_virtual_clusters_than_colours),
        cmocka_unit_test(a_damaged_table_is_an_error),
        cmocka_unit_test(pages_stay_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
