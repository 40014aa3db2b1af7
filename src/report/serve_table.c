/* Of answered requests and of all that arrived: a policy that drops what would be late looks good by the first
 * alone. */
#include "report/serve_table.h"

#include "report/cells.h"

#include <math.h>

enum { SERVICES_SHOWN = 8 };

static bool has_weights(const orr_report_run *run)
{
    return run->service_count && !run->metrics->serving.without_weights;
}

static void add_columns(orr_grid *t, const orr_report_run *run)
{
    static const struct {
        const char *label, *key;
    } numbers[] = {{"arrived", "requests.arrived"},
                   {"slo_attain", "slo_attain"},
                   {"p50 answered", "latency.p50"},
                   {"p99", "latency.p99"},
                   {"p50 all", "latency_all.p50"},
                   {"p99", "latency_all.p99"},
                   {"batch_mean", "batch_mean"},
                   {"busy", "exec_busy"},
                   {"accuracy", "accuracy"},
                   {"dropped", "requests.dropped"}};
    orr_grid_column(t, "serve", "serve", false);
    orr_grid_column(t, "service", "service", false);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        orr_grid_column(t, numbers[i].label, numbers[i].key, true);
    orr_grid_column(t, "of them", "dropped_by", false);
    if (has_weights(run)) {
        orr_grid_column(t, "cold", "requests.cold", true);
        orr_grid_column(t, "loads", "weight_loads", true);
        orr_grid_column(t, "channel", "channel_busy", true);
    }
    for (size_t i = 0; i < run->custom_count; i++)
        orr_grid_column(t, orr_expr_text(run->custom[i].expr), orr_expr_text(run->custom[i].expr), true);
    orr_grid_column(t, "stop", "stop", false);
}

static void reasons_cell(orr_grid *t, const orr_serving_metrics *m)
{
    const struct {
        uint64_t n;
        const char *name;
    } list[] = {{m->refused, "refused"}, {m->full, "full"},       {m->shed, "shed"},
                {m->expired, "expired"}, {m->timeout, "timeout"}, {m->lost, "lost"}};
    orr_text text = {0};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char n[ORR_DOUBLE_BUF];
        orr_format_count(list[i].n, n);
        if (list[i].n)
            orr_text_addf(&text, "%s%s %s", text.n ? ", " : "", n, list[i].name);
    }
    orr_grid_cell(t, text.n ? text.at : "-", text.n ? text.at : "");
    orr_text_fini(&text);
}

/* Whoever is in flight at the stop has no latency yet. */
static void add_numbers(orr_grid *t, const orr_serving_metrics *m, bool weights)
{
    const bool some_left = m->in_flight > 0;
    orr_cell_count(t, m->arrived);
    orr_cell_percent(t, m->slo_attain);
    orr_cell_latency(t, m->latency.p50, some_left);
    orr_cell_latency(t, m->latency.p99, some_left);
    orr_cell_latency(t, m->latency_all.p50, some_left);
    orr_cell_latency(t, m->latency_all.p99, some_left);
    orr_cell_ratio(t, m->batch_mean, false);
    orr_cell_percent(t, m->of_one ? (double)NAN : m->exec_busy);
    orr_cell_percent(t, m->accuracy);
    orr_cell_count(t, m->dropped);
    reasons_cell(t, m);
    if (!weights)
        return;
    orr_cell_count(t, m->cold);
    orr_cell_count(t, m->loads);
    orr_cell_percent(t, m->channel_busy);
}

static const char *label_of(const orr_report_run *run)
{
    return run->label ? run->label : run->options->serve ? run->options->serve : "none";
}

static void add_whole(orr_grid *t, const orr_report_run *run, bool weights)
{
    orr_grid_cell(t, label_of(run), NULL);
    orr_grid_cell(t, run->service_count == 1 ? run->services[0].name : "all", NULL);
    add_numbers(t, &run->metrics->serving, weights);
    for (size_t i = 0; i < run->custom_count; i++)
        orr_cell_custom(t, &run->custom[i], false);
    orr_grid_cell(t, orr_stop_name(run->stop), NULL);
}

static void add_service(orr_grid *t, const orr_report_run *run, const orr_report_service *s, bool exact, bool weights)
{
    orr_grid_cell(t, exact ? label_of(run) : "", NULL);
    orr_grid_cell(t, s->name, NULL);
    add_numbers(t, &s->metrics, weights);
    for (size_t i = 0; i < run->custom_count; i++)
        orr_grid_cell(t, exact ? "" : "-", NULL);
    orr_grid_cell(t, exact ? orr_stop_name(run->stop) : "", NULL);
}

static void add_run(orr_grid *t, const orr_report_run *run, orr_table_form form, bool weights)
{
    const bool exact = form == ORR_TABLE_CSV;
    add_whole(t, run, weights);
    if (run->service_count == 1 || (!exact && run->service_count > SERVICES_SHOWN))
        return;
    for (size_t i = 0; i < run->service_count; i++)
        add_service(t, run, &run->services[i], exact, weights);
}

void orr_serve_table(const orr_report_run *runs, size_t count, orr_table_form form, orr_text *out)
{
    orr_grid *table = orr_grid_create();
    add_columns(table, &runs[0]);
    for (size_t i = 0; i < count; i++)
        if (runs[i].service_count)
            add_run(table, &runs[i], form, has_weights(&runs[0]));
    orr_grid_print(table, form, out);
    orr_grid_destroy(table);
}

void orr_serve_line(const orr_report_run *run, orr_text *out)
{
    const orr_services *all = run->options->services;
    int32_t executors = 0;
    for (int32_t i = 0; i < all->executor_count; i++)
        executors += all->executors[i].count;
    orr_text_addf(out, "services %s    %d service%s on %d executor%s\n", all->name, all->count,
                  all->count == 1 ? "" : "s", executors, executors == 1 ? "" : "s");
}

void orr_serve_foot(const orr_report_run *runs, size_t count, orr_text *out)
{
    bool left = false;
    for (size_t i = 0; i < count; i++)
        left |= runs[i].metrics->serving.in_flight > 0;
    if (left)
        orr_text_addf(out, "* requests were in flight at the stop: they have no latency, and missed their deadlines "
                           "for slo_attain\n");
    const uint64_t early = count ? runs[0].metrics->serving.warm_up : 0;
    char n[ORR_DOUBLE_BUF];
    orr_format_count(early, n);
    if (early)
        orr_text_addf(out, "not measured: %s request%s of the warm-up\n", n, early == 1 ? "" : "s");
}
