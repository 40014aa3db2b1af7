#include "study/sweep_results.h"

#include "study/numbers.h"
#include <math.h>

static orr_err damaged(size_t cell, orr_error *e)
{
    orr_error_set(e, ORR_E_FORMAT, "the line of cell %zu is damaged", cell);
    orr_error_at(e, ORR_CELLS_FILE, 0, 0);
    orr_error_hint(e, "start the sweep anew with --force");
    return ORR_E_FORMAT;
}

static orr_err code_of(const cJSON *error)
{
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(error, "code");
    const int known = cJSON_IsString(code) ? orr_err_by_name(code->valuestring) : -1;
    return known > 0 ? (orr_err)known : ORR_E_INVARIANT;
}

static orr_err take(const orr_sweep_plan *plan, size_t cell, const cJSON *document, orr_sweep_results *out,
                    orr_error *e)
{
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(document, "error");
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(document, "summary");
    const cJSON *measured = cJSON_GetObjectItemCaseSensitive(summary, "measured");
    orr_cell_state *state = &out->states[cell - 1];
    if (!error || !summary)
        return damaged(cell, e);
    state->there = true;
    state->code = cJSON_IsNull(error) ? ORR_OK : code_of(error);
    state->biased = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(measured, "biased"));
    out->failed += state->code != ORR_OK;
    for (size_t m = 0; m < plan->metrics.n; m++) {
        double value = NAN;
        if (cJSON_IsObject(summary) && orr_numbers_get(summary, plan->metrics.at[m].text, &value))
            out->values[(cell - 1) * out->metrics + m] = value;
    }
    return ORR_OK;
}

static orr_err load_cell(const orr_sweep_plan *plan, const orr_cells *cells, size_t cell, orr_text *line,
                         orr_sweep_results *out, orr_error *e)
{
    orr_err err = orr_cells_line(cells, cell, line, e);
    if (err)
        return err;
    cJSON *document = cJSON_ParseWithLength(line->at, line->n);
    err = document ? take(plan, cell, document, out, e) : damaged(cell, e);
    cJSON_Delete(document);
    return err;
}

orr_err orr_sweep_results_load(const orr_sweep_plan *plan, const orr_cells *cells, orr_sweep_results *out, orr_error *e)
{
    orr_text line = {0};
    orr_err err = ORR_OK;
    *out = (orr_sweep_results){.cells = plan->cells, .metrics = plan->metrics.n};
    out->states = orr_xcalloc(out->cells + 1, sizeof *out->states);
    out->values = orr_xcalloc(out->cells * out->metrics + 1, sizeof *out->values);
    for (size_t i = 0; i < out->cells * out->metrics; i++)
        out->values[i] = NAN;
    for (size_t cell = 1; cell <= out->cells && !err; cell++)
        if (orr_cells_has(cells, cell))
            err = load_cell(plan, cells, cell, &line, out, e);
    orr_text_fini(&line);
    return err;
}

void orr_sweep_results_fini(orr_sweep_results *r)
{
    free(r->states);
    free(r->values);
    *r = (orr_sweep_results){0};
}

static double value_of(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t *at, size_t metric)
{
    const size_t cell = orr_sweep_find(plan, at);
    if (cell == 0 || !r->states[cell - 1].there || r->states[cell - 1].code)
        return NAN;
    return r->values[(cell - 1) * r->metrics + metric];
}

size_t orr_sweep_repeats(const orr_sweep_plan *plan, const orr_sweep_results *r, const uint32_t at[ORR_SWEEP_AXES],
                         size_t metric, double *out)
{
    uint32_t here[ORR_SWEEP_AXES];
    const size_t axis = plan->repeats;
    const size_t n = axis < plan->axes.n ? plan->axes.at[axis].values.n : 1;
    memcpy(here, at, sizeof here);
    for (size_t i = 0; i < n; i++) {
        if (axis < plan->axes.n)
            here[axis] = (uint32_t)i;
        out[i] = value_of(plan, r, here, metric);
    }
    return n;
}

size_t orr_sweep_defined(double *v, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i]))
            v[kept++] = v[i];
    return kept;
}
