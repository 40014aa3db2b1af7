/* The side-by-side table of several runs: what each policy knew, what came out, and why the run ended. */
#include "report/cells.h"
#include "report/serve_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    if (run && run->service_count)
        orr_grid_column(t, "slo_attain", "slo_attain", true);
    for (size_t i = 0; run && i < run->custom_count; i++)
        orr_grid_column(t, orr_expr_text(run->custom[i].expr), orr_expr_text(run->custom[i].expr), true);
    orr_grid_column(t, "stop", "stop", false);
}

static void add_row(orr_grid *t, const orr_report_run *run)
{
    const orr_metrics *m = run->metrics;
    orr_grid_cell(t, run->label ? run->label : run->options->policy, NULL);
    orr_grid_cell(t, orr_report_knowledge(run), NULL);
    orr_cell_duration(t, m->jct.mean, m->biased);
    orr_cell_duration(t, m->jct.p50, m->biased);
    orr_cell_duration(t, m->jct.p99, m->biased);
    orr_cell_duration(t, m->wait_total.mean, m->biased);
    orr_cell_percent(t, m->gpu_alloc);
    orr_cell_count(t, m->preemptions);
    orr_cell_ratio(t, m->rho.max, m->biased);
    if (run->service_count)
        orr_cell_percent(t, m->serving.slo_attain);
    for (size_t i = 0; i < run->custom_count; i++)
        orr_cell_custom(t, &run->custom[i], m->biased);
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
        orr_cell_fixed(run->metrics->load, 2, load, sizeof load);
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
    if (!run->without_jobs)
        add_trace_line(run, out);
    if (run->service_count)
        orr_serve_line(run, out);
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
    if (!runs[0].without_jobs)
        add_rule(&runs[0], &notes);
    orr_serve_foot(runs, count, &notes);
    for (size_t i = 0; i < count; i++)
        add_displaced(&runs[i], &notes);
    if (notes.n)
        orr_text_addf(out, "\n%s", notes.at);
    orr_text_fini(&notes);
}

static void job_table(const orr_report_run *runs, size_t count, orr_table_form form, orr_text *out)
{
    orr_grid *table = orr_grid_create();
    add_columns(table, count > 0 ? &runs[0] : NULL);
    for (size_t i = 0; i < count; i++)
        add_row(table, &runs[i]);
    orr_grid_print(table, form, out);
    orr_grid_destroy(table);
}

void orr_report_table(const orr_report_run *runs, size_t count, orr_table_form form, orr_text *out)
{
    const bool framed = form != ORR_TABLE_CSV && count > 0;
    const bool served = count > 0 && runs[0].service_count, jobs = count == 0 || !runs[0].without_jobs;
    if (framed)
        add_head(&runs[0], form, out);
    if (jobs)
        job_table(runs, count, form, out);
    if (served && jobs && framed)
        orr_text_addf(out, "\n");
    if (served && (framed || !jobs))
        orr_serve_table(runs, count, form, out);
    if (framed)
        add_foot(runs, count, out);
}
