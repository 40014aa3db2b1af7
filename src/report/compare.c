/* The side-by-side table of several runs: what each policy knew, what came out, and why the run ended. */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void exact_number(double v, char *buf)
{
    buf[0] = '\0';
    if (isfinite(v))
        orr_format_double(v, buf);
}

/* With 1 or 2 decimals, rounded half away from zero; by whole numbers, so that no locale shows. */
static void fixed(double v, int decimals, char *buf, size_t size)
{
    long long unit = decimals == 1 ? 10 : 100;
    if (!(fabs(v) < 1e15)) {
        exact_number(v, buf);
        return;
    }
    long long n = llround(fabs(v) * (double)unit);
    snprintf(buf, size, "%s%lld.%0*lld", v < 0 && n > 0 ? "-" : "", n / unit, decimals, n % unit);
}

/* `mark` follows a number that covers survivors only. */
static void duration_cell(orr_grid *t, double seconds, bool mark)
{
    char shown[ORR_TIME_BUF + 2] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(seconds, exact);
    if (isfinite(seconds)) {
        orr_time_human(orr_time_from_seconds(seconds), shown);
        strcat(shown, mark ? "*" : "");
    }
    orr_grid_cell(t, shown, exact);
}

static void percent_cell(orr_grid *t, double share)
{
    char shown[48] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(share, exact);
    if (isfinite(share)) {
        fixed(100 * share, 1, shown, 44);
        strcat(shown, " %");
    }
    orr_grid_cell(t, shown, exact);
}

static void ratio_cell(orr_grid *t, double ratio, bool mark)
{
    char shown[48] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(ratio, exact);
    if (isfinite(ratio)) {
        fixed(ratio, 2, shown, 44);
        strcat(shown, mark ? "*" : "");
    }
    orr_grid_cell(t, shown, exact);
}

static void count_cell(orr_grid *t, uint64_t n)
{
    char shown[40], exact[24];
    orr_format_count(n, shown);
    snprintf(exact, sizeof exact, "%" PRIu64, n);
    orr_grid_cell(t, shown, exact);
}

/* Four significant digits for people; whole numbers as they are. */
static void number_cell(orr_grid *t, double v, bool mark)
{
    char shown[48] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(v, exact);
    if (isfinite(v) && fabs(v) < 1e15 && v == floor(v)) {
        snprintf(shown, sizeof shown, "%s", v < 0 ? "-" : "");
        orr_format_count((uint64_t)fabs(v), shown + strlen(shown));
    } else if (isfinite(v)) {
        double unit = pow(10, 3 - floor(log10(fabs(v))));
        exact_number(isfinite(unit) && unit > 0 ? round(v * unit) / unit : v, shown);
    }
    strcat(shown, mark && isfinite(v) ? "*" : "");
    orr_grid_cell(t, shown, exact);
}

/* Of the summary's keys those of distributions cover survivors only. */
static bool is_of_jobs(const orr_expr *x)
{
    const char *text = orr_expr_text(x);
    return !orr_expr_is_key(x) || (strchr(text, '.') && strncmp(text, "jobs.", 5) != 0);
}

static void custom_cell(orr_grid *t, const orr_custom *c, bool biased)
{
    bool mark = biased && is_of_jobs(c->expr);
    if (orr_expr_is_time(c->expr))
        duration_cell(t, c->value, mark);
    else
        number_cell(t, c->value, mark);
}

static void add_columns(orr_grid *t, const orr_report_run *run)
{
    orr_grid_column(t, "policy", "policy", false);
    orr_grid_column(t, "knowledge", "knowledge", false);
    orr_grid_column(t, "jct.mean", "jct.mean", true);
    orr_grid_column(t, "p50", "jct.p50", true);
    orr_grid_column(t, "p99", "jct.p99", true);
    orr_grid_column(t, "wait_total", "wait_total.mean", true);
    orr_grid_column(t, "gpu_alloc", "gpu_alloc", true);
    orr_grid_column(t, "preemptions", "preemptions", true);
    orr_grid_column(t, "rho_worst:avg_n", "rho_worst:avg_n", true);
    for (size_t i = 0; run && i < run->custom_count; i++)
        orr_grid_column(t, orr_expr_text(run->custom[i].expr), orr_expr_text(run->custom[i].expr), true);
    orr_grid_column(t, "stop", "stop", false);
}

static void add_row(orr_grid *t, const orr_report_run *run)
{
    const orr_metrics *m = run->metrics;
    orr_grid_cell(t, run->options->policy, NULL);
    orr_grid_cell(t, orr_report_knowledge(run), NULL);
    duration_cell(t, m->jct.mean, m->biased);
    duration_cell(t, m->jct.p50, m->biased);
    duration_cell(t, m->jct.p99, m->biased);
    duration_cell(t, m->wait_total.mean, m->biased);
    percent_cell(t, m->gpu_alloc);
    count_cell(t, m->preemptions);
    ratio_cell(t, m->rho.max, m->biased);
    for (size_t i = 0; i < run->custom_count; i++)
        custom_cell(t, &run->custom[i], m->biased);
    orr_grid_cell(t, orr_stop_name(run->stop), NULL);
}

/* ---- the head ---- */

static void add_trace_line(const orr_report_run *run, orr_text *out)
{
    size_t n = orr_trace_count(run->trace);
    const orr_trace_job *jobs = orr_trace_jobs(run->trace);
    char count[40], gpus[40], span[ORR_TIME_BUF] = "0 s";
    orr_format_count(n, count);
    orr_format_count(run->metrics->gpus, gpus);
    if (n > 0)
        orr_time_human(jobs[n - 1].submit - jobs[0].submit, span);
    orr_text_addf(out, "trace    %s    %s job%s over %s", orr_trace_name(run->trace), count, n == 1 ? "" : "s", span);
    if (isfinite(run->metrics->load)) {
        char load[48];
        fixed(run->metrics->load, 2, load, sizeof load);
        orr_text_addf(out, "   offered load %s of %s GPUs", load, gpus);
    }
    orr_text_addf(out, "\n");
}

static bool same_machine(const orr_node_spec *a, const orr_node_spec *b)
{
    return a->gpus == b->gpus && strcmp(a->gpu_type, b->gpu_type) == 0;
}

static void add_machines(const orr_node_spec *node, int32_t count, orr_text *out)
{
    orr_text_addf(out, "%d node%s", count, count == 1 ? "" : "s");
    if (node->gpus > 0)
        orr_text_addf(out, " x %d %s", node->gpus, node->gpu_type[0] ? node->gpu_type : "GPUs");
    else
        orr_text_addf(out, " without GPUs");
}

#define KINDS_SHOWN 4

/* Machines alike are counted together, in the order of their first mention. */
static void add_cluster_line(const orr_report_run *run, orr_text *out)
{
    const orr_node_spec *kinds[KINDS_SHOWN];
    int32_t counts[KINDS_SHOWN] = {0}, others = 0, shown = 0;
    for (int32_t i = 0; i < orr_cluster_spec_nodes(run->cluster); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(run->cluster, i);
        int32_t k = 0;
        while (k < shown && !same_machine(kinds[k], node))
            k++;
        if (k == KINDS_SHOWN) {
            others++;
            continue;
        }
        kinds[k] = node;
        counts[k]++;
        shown = k == shown ? shown + 1 : shown;
    }
    const char *asked = run->cluster_asked;
    orr_text_addf(out, "cluster  %s    ", asked ? asked : orr_cluster_spec_name(run->cluster));
    for (int32_t k = 0; k < shown; k++) {
        orr_text_addf(out, "%s", k > 0 ? ", " : "");
        add_machines(kinds[k], counts[k], out);
    }
    if (others > 0)
        orr_text_addf(out, ", %d nodes of other kinds", others);
    if (orr_cluster_spec_vcs(run->cluster) > 1)
        orr_text_addf(out, ", %d VCs", orr_cluster_spec_vcs(run->cluster));
    orr_text_addf(out, "\n");
}

static void add_head(const orr_report_run *run, orr_table_form form, orr_text *out)
{
    const char *fence = form == ORR_TABLE_MARKDOWN ? "```\n" : "";
    orr_text_addf(out, "%s", fence);
    add_trace_line(run, out);
    add_cluster_line(run, out);
    orr_text_addf(out, "%s\n", fence);
}

/* ---- the foot ---- */

static void add_rule(const orr_report_run *run, orr_text *out)
{
    char rule[ORR_MEASURE_BUF], censored[40], carried[40];
    const orr_metrics *m = run->metrics;
    orr_measure_format(&m->measure, rule);
    if (strcmp(rule, "all") != 0)
        orr_text_addf(out, "measured set: %s\n", rule);
    uint64_t cut_off = m->measure.censored ? 0 : m->jobs.censored, early = m->measure.carried ? 0 : m->jobs.carried;
    orr_format_count(cut_off, censored);
    orr_format_count(early, carried);
    if (cut_off)
        orr_text_addf(out, "not measured: %s censored job%s (all+censored does)\n", censored, cut_off == 1 ? "" : "s");
    if (early)
        orr_text_addf(out, "not measured: %s job%s carried over the beginning (all+carried does)\n", carried,
                      early == 1 ? "" : "s");
}

static void add_displaced(const orr_report_run *run, orr_text *out)
{
    char some[40], all[40];
    orr_format_count(run->counts.displaced, some);
    orr_format_count(run->counts.displaced + run->counts.resumed, all);
    if (run->counts.displaced)
        orr_text_addf(out, "%s: %s of %s jobs that ran at the beginning found no room and were queued\n",
                      run->options->policy, some, all);
}

static void add_foot(const orr_report_run *runs, size_t count, orr_text *out)
{
    orr_text notes = {0};
    bool biased = false;
    for (size_t i = 0; i < count; i++)
        biased |= runs[i].metrics->biased;
    if (biased)
        orr_text_addf(&notes, "* jobs were still running or queued at the end: covers survivors only\n");
    add_rule(&runs[0], &notes);
    for (size_t i = 0; i < count; i++)
        add_displaced(&runs[i], &notes);
    if (notes.n)
        orr_text_addf(out, "\n%s", notes.at);
    orr_text_fini(&notes);
}

void orr_report_table(const orr_report_run *runs, size_t count, orr_table_form form, orr_text *out)
{
    orr_grid *table = orr_grid_create();
    add_columns(table, count > 0 ? &runs[0] : NULL);
    for (size_t i = 0; i < count; i++)
        add_row(table, &runs[i]);
    bool framed = form != ORR_TABLE_CSV && count > 0;
    if (framed)
        add_head(&runs[0], form, out);
    orr_grid_print(table, form, out);
    if (framed)
        add_foot(runs, count, out);
    orr_grid_destroy(table);
}
