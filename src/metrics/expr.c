/* One pass over the rows fills every aggregate's samples or counts; then the trees are walked once. Samples are summed
 * in ascending order, as the summary's own distributions are, so that mean(jct) is jct.mean to the last bit. */
#include "base/stat.h"
#include "metrics/dist.h"
#include "metrics/expr_node.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

typedef struct sums {
    const orr_expr *expr;
    const orr_expr_aggregate *aggregate;
    ORR_VEC(double) samples;
    uint64_t rows, met;
} sums;

typedef struct pass {
    ORR_VEC(sums) sums;
} pass;

/* ---- a row ---- */

static double row_value(const orr_expr *x, uint32_t at, const orr_job_row *row)
{
    const orr_expr_node *n = &x->nodes.at[at];
    switch (n->kind) {
    case ORR_EXPR_NUMBER: return n->number;
    case ORR_EXPR_COLUMN: return orr_job_number(row, n->a);
    case ORR_EXPR_RHO_FIXED: return orr_job_rho_fixed(row, n->n);
    case ORR_EXPR_ADD: return row_value(x, n->a, row) + row_value(x, n->b, row);
    case ORR_EXPR_SUB: return row_value(x, n->a, row) - row_value(x, n->b, row);
    case ORR_EXPR_MUL: return row_value(x, n->a, row) * row_value(x, n->b, row);
    case ORR_EXPR_DIV: return row_value(x, n->a, row) / row_value(x, n->b, row);
    case ORR_EXPR_NEG: return -row_value(x, n->a, row);
    default: return NAN;
    }
}

/* Conditions ask by a pointer that isn't const: it leads to the row. */
typedef struct asked {
    const orr_job_row *row;
} asked;

static orr_where_value column_of(void *self, size_t column)
{
    const asked *a = self;
    return orr_job_column(a->row, column);
}

static bool meets(const orr_where *where, const orr_job_row *row)
{
    asked a = {row};
    return !where || orr_where_holds(where, column_of, &a);
}

static void add_row(sums *s, const orr_job_row *row)
{
    const orr_expr_aggregate *a = s->aggregate;
    if (!row->submitted || !(a->of_all || row->measured) || !meets(a->where, row))
        return;
    s->rows++;
    if (a->of >= ORR_OF_COUNT) {
        s->met += meets(a->meets, row);
        return;
    }
    double value = row_value(s->expr, a->value, row);
    if (isfinite(value))
        ORR_VEC_PUSH(&s->samples, value);
}

static void take_row(void *to, const orr_job_row *row)
{
    pass *p = to;
    for (size_t i = 0; i < p->sums.n; i++)
        add_row(&p->sums.at[i], row);
}

/* ---- an aggregate ---- */

static double stddev(const double *v, size_t n)
{
    return n > 1 ? gsl_stats_sd(v, 1, n) : NAN;
}

static double of_samples(const orr_expr_aggregate *a, double *v, size_t n)
{
    if (n == 0)
        return NAN;
    if (a->of == ORR_OF_GEOMEAN) /* in the order of rows, as the summary's */
        return orr_geomean(v, n);
    orr_sort_doubles(v, n);
    switch (a->of) {
    case ORR_OF_MEAN: return orr_mean(v, n);
    case ORR_OF_SUM: return orr_sum(v, n);
    case ORR_OF_MIN: return v[0];
    case ORR_OF_MAX: return v[n - 1];
    case ORR_OF_STDDEV: return stddev(v, n);
    case ORR_OF_CV: return stddev(v, n) / orr_mean(v, n);
    default: return orr_quantile(v, n, a->p);
    }
}

static double result(const sums *s)
{
    if (s->aggregate->of == ORR_OF_COUNT)
        return (double)s->met;
    if (s->aggregate->of == ORR_OF_SHARE)
        return s->rows ? (double)s->met / (double)s->rows : NAN;
    return of_samples(s->aggregate, s->samples.at, s->samples.n);
}

/* ---- the whole ---- */

static double key_value(const char *key, const orr_expr_source *source)
{
    double value;
    return source->key && source->key(source->self, key, &value) ? value : NAN;
}

static double value_of(const orr_expr *x, uint32_t at, const sums *own, const orr_expr_source *source)
{
    const orr_expr_node *n = &x->nodes.at[at];
    switch (n->kind) {
    case ORR_EXPR_NUMBER: return n->number;
    case ORR_EXPR_KEY: return key_value(x->keys.at[n->a], source);
    case ORR_EXPR_AGGREGATE: return result(&own[n->a]);
    case ORR_EXPR_ADD: return value_of(x, n->a, own, source) + value_of(x, n->b, own, source);
    case ORR_EXPR_SUB: return value_of(x, n->a, own, source) - value_of(x, n->b, own, source);
    case ORR_EXPR_MUL: return value_of(x, n->a, own, source) * value_of(x, n->b, own, source);
    case ORR_EXPR_DIV: return value_of(x, n->a, own, source) / value_of(x, n->b, own, source);
    case ORR_EXPR_NEG: return -value_of(x, n->a, own, source);
    default: return NAN;
    }
}

static void prepare(pass *p, const orr_expr *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < list[i]->aggregates.n; k++)
            ORR_VEC_PUSH(&p->sums, ((sums){.expr = list[i], .aggregate = &list[i]->aggregates.at[k]}));
}

static void pass_fini(pass *p)
{
    for (size_t i = 0; i < p->sums.n; i++)
        ORR_VEC_FREE(&p->sums.at[i].samples);
    ORR_VEC_FREE(&p->sums);
}

orr_err orr_expr_values(const orr_expr *const *list, size_t n, const orr_expr_source *source, double *values,
                        orr_error *e)
{
    pass p = {0};
    prepare(&p, list, n);
    orr_err err = p.sums.n ? source->each(source->self, take_row, &p, e) : ORR_OK;
    for (size_t i = 0, first = 0; i < n && !err; first += list[i++]->aggregates.n) {
        double value = value_of(list[i], list[i]->root, p.sums.n ? &p.sums.at[first] : NULL, source);
        values[i] = isfinite(value) ? value : NAN;
    }
    pass_fini(&p);
    return err;
}

/* ---- what it is ---- */

const char *orr_expr_text(const orr_expr *x)
{
    return x->text;
}

bool orr_expr_is_key(const orr_expr *x)
{
    return x->nodes.at[x->root].kind == ORR_EXPR_KEY;
}

bool orr_expr_is_time(const orr_expr *x)
{
    return x->nodes.at[x->root].is_time;
}

void orr_expr_destroy(orr_expr *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->aggregates.n; i++) {
        orr_where_destroy(x->aggregates.at[i].meets);
        orr_where_destroy(x->aggregates.at[i].where);
    }
    for (size_t i = 0; i < x->keys.n; i++)
        free(x->keys.at[i]);
    ORR_VEC_FREE(&x->nodes);
    ORR_VEC_FREE(&x->aggregates);
    ORR_VEC_FREE(&x->keys);
    free(x->text);
    free(x);
}
