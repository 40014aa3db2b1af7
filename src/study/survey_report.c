/* What came of a survey, for people and for programs. */
#include "study/survey.h"

#include "report/json.h"
#include "study/claim_number.h"
#include <math.h>

const char *orr_claim_verdict_name(orr_claim_verdict verdict)
{
    static const char *const names[] = {"holds", "fails", "skipped", "error"};
    return names[verdict];
}

/* ---- numbers ---- */

static const char *unit_of(const orr_claim_expect *x)
{
    return x->op == '/' ? "ratio" : orr_number_unit(x->terms[0].metric);
}

/* "0.38", or of several seeds "0.38 (0.35..0.42)". */
static void add_measured(const orr_claim_result *r, size_t i, orr_text *out)
{
    const orr_claim_measured *m = &r->measured[i];
    const char *unit = unit_of(&r->claim->expects.at[i]);
    char mean[ORR_SHOWN_BUF], low[ORR_SHOWN_BUF], high[ORR_SHOWN_BUF];
    orr_text_addf(out, "%s", orr_number_show(m->mean, unit, mean));
    if (r->claim->seeds > 1)
        orr_text_addf(out, " (%s..%s)", orr_number_show(m->low, unit, low), orr_number_show(m->high, unit, high));
}

/* Policies by their specs, other runs by their names. */
static const char *run_name(const orr_claim *c, const orr_claim_term *term)
{
    const char *name = c->runs.at[term->run].name;
    if (term->run == 0)
        return orr_claim_subject(c);
    return strcmp(name, "baseline") == 0 ? c->baseline : name;
}

static void add_term(const orr_claim *c, const orr_claim_term *term, bool always, orr_text *out)
{
    orr_text_addf(out, "%s", term->metric);
    if (always || term->run)
        orr_text_addf(out, " of %s", run_name(c, term));
}

/* "jct.mean == 138", "jct.mean of fifo == 25", "las / fifo of jct.mean <= 0.6", "window of las - makespan of x < 0". */
static void add_expect(const orr_claim *c, const orr_claim_expect *x, orr_text *out)
{
    const orr_claim_term *a = &x->terms[0], *b = &x->terms[1];
    if (!x->op) {
        add_term(c, a, false, out);
    } else if (strcmp(a->metric, b->metric) == 0) {
        orr_text_addf(out, "%s %c %s of %s", run_name(c, a), x->op, run_name(c, b), a->metric);
    } else {
        add_term(c, a, true, out);
        orr_text_addf(out, " %c ", x->op);
        add_term(c, b, true, out);
    }
    orr_text_addf(out, "%s", x->bound_text);
}

static bool is_tested(const orr_claim_result *r)
{
    return r->verdict == ORR_CLAIM_HOLDS || r->verdict == ORR_CLAIM_FAILS;
}

/* ---- the table for people ---- */

/* The expectations from the i-th on, up to `end`, and what came of them. */
static void number_cells(orr_grid *grid, const orr_claim_result *r, size_t i, size_t end)
{
    orr_text expected = {0}, measured = {0};
    for (size_t k = i; k < end; k++) {
        orr_text_addf(&expected, "%s", k > i ? "; " : "");
        orr_text_addf(&measured, "%s", k > i ? "; " : "");
        add_expect(r->claim, &r->claim->expects.at[k], &expected);
        if (is_tested(r))
            add_measured(r, k, &measured);
        else
            orr_text_addf(&measured, "-");
    }
    orr_grid_cell(grid, expected.at, NULL);
    orr_grid_cell(grid, measured.at, NULL);
    orr_text_fini(&expected);
    orr_text_fini(&measured);
}

/* What the claim is, in the first of its rows only. */
static void add_row(orr_grid *grid, const orr_claim_result *r, size_t i, size_t end)
{
    const orr_claim *c = r->claim;
    const char *cells[] = {orr_claim_verdict_name(r->verdict), c->name, c->system, c->survey};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        orr_grid_cell(grid, i ? "" : cells[k], NULL);
    number_cells(grid, r, i, end);
    orr_grid_cell(grid, i ? "" : c->claim, NULL);
}

/* In text a row an expectation, which keeps the columns narrow. */
static void people_rows(orr_grid *grid, const orr_claim_result *r, bool together)
{
    const size_t n = r->claim->expects.n;
    for (size_t i = 0; i < (together ? 1 : n); i++)
        add_row(grid, r, i, together ? n : i + 1);
}

static void people_table(const orr_survey *s, bool together, orr_grid *grid)
{
    static const char *const heads[] = {"verdict", "name", "system", "survey", "expected", "measured", "claim"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(grid, heads[i], heads[i], false);
    for (size_t i = 0; i < s->count; i++)
        people_rows(grid, &s->results[i], together);
}

/* ---- and for programs ---- */

static void exact_cell(orr_grid *grid, bool known, double v)
{
    char exact[ORR_DOUBLE_BUF] = "";
    if (known)
        orr_format_double(v, exact);
    orr_grid_cell(grid, exact, NULL);
}

static void program_row(orr_grid *grid, const orr_claim_result *r, size_t i)
{
    const orr_claim *c = r->claim;
    const orr_claim_measured *m = &r->measured[i];
    const bool tested = is_tested(r);
    const char *cells[] = {c->name, c->system, c->survey, orr_claim_subject(c), c->baseline, orr_claim_verdict_name(r->verdict)};
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        orr_grid_cell(grid, cells[k], NULL);
    orr_text expected = {0};
    add_expect(c, &c->expects.at[i], &expected);
    orr_grid_cell(grid, expected.at, NULL);
    orr_text_fini(&expected);
    orr_grid_cell(grid, !tested ? "" : m->holds ? "1" : "0", NULL);
    exact_cell(grid, tested, m->mean);
    exact_cell(grid, tested, m->low);
    exact_cell(grid, tested, m->high);
    orr_grid_cell(grid, unit_of(&c->expects.at[i]), NULL);
    orr_grid_cell(grid, c->claim, NULL);
}

static void program_table(const orr_survey *s, orr_grid *grid)
{
    static const char *const heads[] = {"name",  "system", "survey", "policy", "baseline", "verdict", "expected",
                                        "holds", "mean",   "low",    "high",   "unit",     "claim"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(grid, heads[i], heads[i], false);
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->results[i].claim->expects.n; k++)
            program_row(grid, &s->results[i], k);
}

void orr_survey_table(const orr_survey *s, orr_table_form form, orr_text *out)
{
    orr_grid *grid = orr_grid_create();
    if (form == ORR_TABLE_CSV)
        program_table(s, grid);
    else
        people_table(s, form == ORR_TABLE_MARKDOWN, grid);
    orr_grid_print(grid, form, out);
    orr_grid_destroy(grid);
}

/* ---- in words ---- */

static void add_reason(const orr_claim_result *r, orr_text *out)
{
    if (r->verdict == ORR_CLAIM_SKIPPED)
        orr_text_addf(out, "%s is skipped: it needs %s\n", r->claim->name, r->missing);
    if (r->verdict == ORR_CLAIM_ERROR)
        orr_text_addf(out, "%s can't be told: %s [%s]\n", r->claim->name, r->error.message,
                      orr_err_name(r->error.code));
    for (size_t i = 0; i < r->claim->expects.n && r->verdict == ORR_CLAIM_FAILS; i++) {
        if (r->measured[i].holds)
            continue;
        orr_text_addf(out, "%s fails: ", r->claim->name);
        add_expect(r->claim, &r->claim->expects.at[i], out);
        orr_text_addf(out, ", measured ");
        add_measured(r, i, out);
        orr_text_addf(out, "\n");
    }
}

void orr_survey_tell(const orr_survey *s, orr_text *out)
{
    static const char *const verbs[][2] = {{"holds", "hold"}, {"fails", "fail"}, {"is skipped", "are skipped"},
                                           {"can't be told", "can't be told"}};
    for (size_t i = 0; i < s->count; i++)
        add_reason(&s->results[i], out);
    orr_text_addf(out, "%zu claim%s", s->count, s->count == 1 ? "" : "s");
    const char *separator = ": ";
    for (int v = 0; v < 4; v++) {
        if (!s->verdicts[v])
            continue;
        orr_text_addf(out, "%s%zu %s", separator, s->verdicts[v], verbs[v][s->verdicts[v] != 1]);
        separator = ", ";
    }
    orr_text_addf(out, "\n");
}

/* ---- JSON ---- */

static void add_numbers(cJSON *object, const char *key, const double *v, size_t n)
{
    char number[ORR_DOUBLE_BUF];
    cJSON *array = orr_json_array(object, key);
    for (size_t i = 0; i < n; i++) {
        orr_format_double(v[i], number);
        cJSON_AddItemToArray(array, cJSON_CreateRaw(number));
    }
}

static void expect_json(cJSON *array, const orr_claim_result *r, size_t i)
{
    const orr_claim_measured *m = &r->measured[i];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    orr_json_text(object, "expect", r->claim->expects.at[i].text);
    orr_json_text(object, "unit", unit_of(&r->claim->expects.at[i]));
    if (!m->values)
        return;
    orr_json_bool(object, "holds", m->holds);
    orr_json_double(object, "mean", m->mean);
    orr_json_double(object, "low", m->low);
    orr_json_double(object, "high", m->high);
    add_numbers(object, "by_seed", m->values, (size_t)r->claim->seeds);
}

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

static void claim_json(cJSON *array, const orr_claim_result *r)
{
    const orr_claim *c = r->claim;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    orr_json_text(object, "name", c->name);
    orr_json_text(object, "system", c->system);
    orr_json_text(object, "survey", c->survey);
    orr_json_text(object, "source", c->source);
    orr_json_text(object, "claim", c->claim);
    orr_json_text(object, "note", or_null(c->note));
    orr_json_text(object, c->serve[0] ? "serve" : "policy", orr_claim_subject(c));
    orr_json_text(object, "baseline", or_null(c->baseline));
    orr_json_text(object, "metric", c->metric);
    orr_json_count(object, "seeds", (uint64_t)c->seeds);
    orr_json_text(object, "verdict", orr_claim_verdict_name(r->verdict));
    orr_json_text(object, "missing", r->missing);
    orr_json_text(object, "error", or_null(r->error.message));
    cJSON *expects = orr_json_array(object, "expectations");
    for (size_t i = 0; i < c->expects.n; i++)
        expect_json(expects, r, i);
}

orr_err orr_survey_json(const orr_survey *s, orr_text *out, orr_error *e)
{
    cJSON *document = cJSON_CreateObject();
    orr_json_text(document, "schema", "orrery.survey/1");
    cJSON *claims = orr_json_array(document, "claims");
    for (size_t i = 0; i < s->count; i++)
        claim_json(claims, &s->results[i]);
    cJSON *verdicts = orr_json_object(document, "verdicts");
    for (int v = 0; v < 4; v++)
        orr_json_count(verdicts, orr_claim_verdict_name((orr_claim_verdict)v), s->verdicts[v]);
    return orr_json_print(document, true, out, e);
}
