/* The runs of all claims are numbered through: by claim, then seed, then run. A piece answers with the numbers that the
 * claim's expectations take from its run, in their order, as doubles. */
#include "study/survey.h"

#include "study/claim_number.h"
#include "study/pool.h"
#include <math.h>
#include <stdlib.h>

typedef struct piece {
    size_t claim, seed, run;
} piece;

typedef struct work {
    orr_claim *const *claims;
    const orr_survey_options *options;
    orr_survey *out;
    ORR_VEC(piece) pieces;
    bool stopped;
} work;

/* Where a term's value for a seed is kept. */
static double *term_at(orr_claim_result *r, size_t expect, int term, size_t seed)
{
    const size_t seeds = (size_t)r->claim->seeds;
    return &r->terms[(expect * 2 + (size_t)term) * seeds + seed];
}

static int terms_of(const orr_claim_expect *x)
{
    return x->op ? 2 : 1;
}

/* ---- one run, where it is done ---- */

static void put_numbers(const orr_claim *c, size_t run, const cJSON *summary, orr_text *out)
{
    for (size_t i = 0; i < c->expects.n; i++)
        for (int t = 0; t < terms_of(&c->expects.at[i]); t++) {
            const orr_claim_term *term = &c->expects.at[i].terms[t];
            if (term->run != run)
                continue;
            const double v = orr_number_of(summary, term->metric);
            orr_text_add(out, (const char *)&v, sizeof v);
        }
}

static void put_result(const orr_claim *c, size_t run, const orr_case_result *result, orr_text *out)
{
    cJSON *summary = cJSON_Parse(result->summary.at);
    put_numbers(c, run, summary, out);
    cJSON_Delete(summary);
}

static orr_err run_case(const orr_claim *c, const piece *p, orr_stock *stock, orr_text *out, orr_error *e)
{
    orr_case conditions = c->runs.at[p->run].conditions;
    orr_case_result result = {0};
    conditions.seed += p->seed;
    orr_trace *trace = orr_claim_workload(c, conditions.seed, e);
    if (!trace && orr_case_has_jobs(&conditions) && !(conditions.trace && conditions.trace[0]))
        return e->code;
    if (c->requests[0] && strcmp(conditions.services, c->name) == 0) {
        orr_services *services = orr_claim_services(c, e);
        if (!services)
            return e->code;
        orr_stock_keep_services(stock, c->name, services);
    }
    if (trace) {
        conditions.trace = c->name;
        orr_stock_keep(stock, &conditions, trace);
    }
    orr_err err = orr_case_run(&conditions, stock, NULL, &result, e);
    if (!err)
        err = result.code;
    if (!err)
        put_result(c, p->run, &result, out);
    orr_case_result_fini(&result);
    return err;
}

static orr_err do_piece(void *self, size_t i, orr_text *out, orr_error *e)
{
    const work *w = self;
    const piece *p = &w->pieces.at[i];
    orr_stock *stock = orr_stock_create(w->options->registry);
    const orr_err err = run_case(w->claims[p->claim], p, stock, out, e);
    orr_stock_destroy(stock);
    return err;
}

/* ---- what comes back ---- */

static void take_numbers(orr_claim_result *r, const piece *p, const orr_text *bytes)
{
    size_t at = 0;
    for (size_t i = 0; i < r->claim->expects.n; i++)
        for (int t = 0; t < terms_of(&r->claim->expects.at[i]); t++) {
            if (r->claim->expects.at[i].terms[t].run != p->run || at + sizeof(double) > bytes->n)
                continue;
            memcpy(term_at(r, i, t, p->seed), bytes->at + at, sizeof(double));
            at += sizeof(double);
        }
}

/* Of several failures of a claim the one of the first piece is told, whichever came first. */
static bool take_piece(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    work *w = self;
    const piece *p = &w->pieces.at[i];
    orr_claim_result *r = &w->out->results[p->claim];
    if (!error) {
        take_numbers(r, p, bytes);
    } else if (!r->error.code || i < r->failed) {
        r->error = *error;
        r->failed = i;
    }
    return true;
}

static bool tick(void *self)
{
    work *w = self;
    w->stopped = w->options->tick && !w->options->tick(w->options->tick_self);
    return !w->stopped;
}

/* ---- verdicts ---- */

static double value_of(orr_claim_result *r, size_t expect, size_t seed)
{
    const char op = r->claim->expects.at[expect].op;
    const double a = *term_at(r, expect, 0, seed), b = op ? *term_at(r, expect, 1, seed) : 0;
    if (op == '/')
        return b != 0 ? a / b : NAN;
    return op == '-' ? a - b : a;
}

/* False where a value is undefined. */
static bool sum_up(orr_claim_result *r, size_t expect)
{
    const size_t n = (size_t)r->claim->seeds;
    orr_claim_measured *m = &r->measured[expect];
    double sum = 0;
    bool defined = true;
    m->values = orr_xcalloc(n, sizeof *m->values);
    m->holds = true;
    for (size_t i = 0; i < n; i++) {
        const double v = m->values[i] = value_of(r, expect, i);
        sum += v;
        m->low = i == 0 || v < m->low ? v : m->low;
        m->high = i == 0 || v > m->high ? v : m->high;
        defined = defined && !isnan(v);
        m->holds = m->holds && orr_claim_bound_holds(&r->claim->expects.at[expect].bound, v);
    }
    m->mean = n == 1 ? m->values[0] : sum / (double)n;
    return defined;
}

static void judge(orr_claim_result *r)
{
    if (r->missing) {
        r->verdict = ORR_CLAIM_SKIPPED;
        return;
    }
    r->verdict = r->error.code ? ORR_CLAIM_ERROR : ORR_CLAIM_HOLDS;
    for (size_t i = 0; i < r->claim->expects.n && !r->error.code; i++) {
        if (!sum_up(r, i)) {
            orr_error_set(&r->error, ORR_E_NOT_COMPARABLE, "what '%s' is about is undefined here",
                          r->claim->expects.at[i].text);
            r->verdict = ORR_CLAIM_ERROR;
        } else if (!r->measured[i].holds) {
            r->verdict = ORR_CLAIM_FAILS;
        }
    }
}

/* ---- all of it ---- */

static void begin(orr_claim_result *r, const orr_claim *c)
{
    const size_t terms = c->expects.n * 2 * (size_t)c->seeds;
    *r = (orr_claim_result){.claim = c, .missing = orr_claim_missing(c)};
    r->measured = orr_xcalloc(c->expects.n, sizeof *r->measured);
    r->terms = orr_xcalloc(terms, sizeof *r->terms);
    for (size_t i = 0; i < terms; i++)
        r->terms[i] = NAN;
}

static void add_pieces(work *w, size_t claim)
{
    const orr_claim *c = w->claims[claim];
    for (size_t seed = 0; seed < (size_t)c->seeds; seed++)
        for (size_t run = 0; run < c->runs.n; run++)
            ORR_VEC_PUSH(&w->pieces, ((piece){claim, seed, run}));
}

static orr_err run_pieces(work *w, orr_error *e)
{
    const orr_pool_work pool = {.self = w, .piece = do_piece, .done = take_piece, .tick = tick};
    size_t *list = orr_xcalloc(w->pieces.n + 1, sizeof *list);
    for (size_t i = 0; i < w->pieces.n; i++)
        list[i] = i;
    orr_err err = orr_pool_run(&pool, list, w->pieces.n, w->options->jobs, e);
    free(list);
    if (!err && w->stopped)
        err = orr_error_set(e, ORR_E_INTERRUPTED, "interrupted: the claims are not all tested");
    return err;
}

orr_err orr_survey_run(orr_claim *const *claims, size_t n, const orr_survey_options *options, orr_survey *out,
                       orr_error *e)
{
    work w = {.claims = claims, .options = options, .out = out};
    *out = (orr_survey){.results = orr_xcalloc(n + 1, sizeof *out->results), .count = n};
    for (size_t i = 0; i < n; i++) {
        begin(&out->results[i], claims[i]);
        if (!out->results[i].missing)
            add_pieces(&w, i);
    }
    const orr_err err = run_pieces(&w, e);
    for (size_t i = 0; i < n && !err; i++) {
        judge(&out->results[i]);
        out->verdicts[out->results[i].verdict]++;
    }
    ORR_VEC_FREE(&w.pieces);
    return err;
}

void orr_survey_fini(orr_survey *s)
{
    for (size_t i = 0; i < s->count; i++) {
        orr_claim_result *r = &s->results[i];
        for (size_t x = 0; x < r->claim->expects.n; x++)
            free(r->measured[x].values);
        free(r->measured);
        free(r->terms);
    }
    free(s->results);
    *s = (orr_survey){0};
}

int orr_survey_status(const orr_survey *s)
{
    const size_t held = s->verdicts[ORR_CLAIM_HOLDS];
    if (s->verdicts[ORR_CLAIM_FAILS])
        return 1;
    return s->verdicts[ORR_CLAIM_ERROR] || !held ? 2 : 0;
}
