/* The tables for programs, streamed: a sweep of a million cells has a row for each. */
#include "study/sweep_report.h"

#include "report/csv.h"
#include "study/numbers.h"
#include <math.h>

/* ---- cells ---- */

static void cell_row(const orr_sweep_plan *plan, const orr_sweep_results *r, size_t cell, orr_output *out)
{
    const orr_cell_state *state = &r->states[cell - 1];
    uint32_t at[ORR_SWEEP_AXES];
    orr_sweep_cell(plan, cell, at);
    orr_output_printf(out, "%zu", cell);
    for (size_t i = 0; i < plan->axes.n; i++)
        orr_csv_text(out, orr_sweep_value(plan, i, at));
    orr_csv_text(out, state->code ? orr_err_name(state->code) : "");
    orr_csv_int(out, state->biased);
    for (size_t m = 0; m < plan->metrics.n; m++)
        orr_csv_double(out, r->values[(cell - 1) * r->metrics + m]);
    orr_output_text(out, "\n");
}

void orr_sweep_cells_csv(const orr_sweep_plan *plan, const orr_sweep_results *r, orr_output *out)
{
    orr_output_text(out, "cell");
    for (size_t i = 0; i < plan->axes.n; i++)
        orr_csv_text(out, plan->axes.at[i].key);
    orr_output_text(out, ",error,biased");
    for (size_t m = 0; m < plan->metrics.n; m++)
        orr_csv_text(out, plan->metrics.at[m].text);
    orr_output_text(out, "\n");
    for (size_t cell = 1; cell <= r->cells; cell++)
        if (r->states[cell - 1].there)
            cell_row(plan, r, cell, out);
}

/* ---- statistics ---- */

static void sample_fields(const orr_sample *s, orr_output *out)
{
    orr_csv_int(out, (int64_t)s->n);
    orr_csv_double(out, s->mean);
    orr_csv_double(out, s->sd);
    orr_csv_double(out, s->low);
    orr_csv_double(out, s->high);
}

static void contrast_fields(const orr_sweep_contrast *c, orr_output *out)
{
    if (!c->paired) {
        orr_output_text(out, ",,,,,,,,,,,,");
        return;
    }
    sample_fields(&c->difference, out);
    orr_csv_double(out, c->base);
    orr_csv_double(out, c->base != 0 ? c->difference.mean / fabs(c->base) : NAN);
    orr_csv_double(out, c->boot_low);
    orr_csv_double(out, c->boot_high);
    orr_csv_int(out, (int64_t)c->signs.above);
    orr_csv_int(out, (int64_t)c->signs.below);
    orr_csv_int(out, (int64_t)c->signs.zero);
}

static void stats_row(const orr_sweep_plan *plan, const orr_sweep_contrast *c, const uint32_t *at, size_t metric,
                      orr_output *out)
{
    const char *key = plan->metrics.at[metric].text;
    for (size_t i = 0; i < plan->axes.n; i++) {
        if (i == plan->repeats)
            continue;
        orr_output_csv(out, orr_sweep_value(plan, i, at));
        orr_output_text(out, ",");
    }
    orr_output_csv(out, key);
    orr_csv_text(out, orr_numbers_unit(key));
    orr_csv_text(out, orr_direction_name(plan->metrics.at[metric].better));
    orr_csv_int(out, (int64_t)c->repeats);
    orr_csv_int(out, c->biased);
    sample_fields(&c->sample, out);
    contrast_fields(c, out);
    orr_output_text(out, "\n");
}

void orr_sweep_stats_csv(const orr_sweep_plan *plan, const orr_sweep_results *r, orr_output *out)
{
    bool repeated[ORR_SWEEP_AXES] = {false};
    uint32_t at[ORR_SWEEP_AXES] = {0};
    orr_bootstrap *bootstrap = orr_bootstrap_create(plan->seed);
    for (size_t i = 0; i < plan->axes.n; i++) {
        repeated[i] = i == plan->repeats;
        if (repeated[i])
            continue;
        orr_output_csv(out, plan->axes.at[i].key);
        orr_output_text(out, ",");
    }
    orr_output_text(out,
                    "metric,unit,better,repeats,biased,n,mean,sd,low,high,pairs,difference,difference_sd,"
                    "difference_low,difference_high,base,relative,bootstrap_low,bootstrap_high,above,below,same\n");
    do
        for (size_t m = 0; m < plan->metrics.n; m++) {
            orr_sweep_contrast c;
            orr_sweep_contrast_make(plan, r, at, m, bootstrap, &c);
            if (c.repeats)
                stats_row(plan, &c, at, m, out);
            orr_sweep_contrast_fini(&c);
        }
    while (orr_sweep_next(plan, repeated, at));
    orr_bootstrap_destroy(bootstrap);
}
