#include "metrics/expr_names.h"

#include "base/text.h"
#include "metrics/keys.h"
#include <stdio.h>

typedef ORR_VEC(char *) names;

static void names_fini(names *known)
{
    for (size_t i = 0; i < known->n; i++)
        free(known->at[i]);
    ORR_VEC_FREE(known);
}

/* Frees the names. */
static void hint_nearest(const char *name, names *known, orr_error *e)
{
    const char *near = orr_nearest(name, (const char *const *)known->at, known->n);
    if (near)
        orr_error_hint(e, "did you mean \"%s\"?", near);
    names_fini(known);
}

/* ---- functions ---- */

static const struct {
    const char *name;
    orr_expr_of of;
} functions[] = {
    {"mean", ORR_OF_MEAN}, {"sum", ORR_OF_SUM},         {"min", ORR_OF_MIN},
    {"max", ORR_OF_MAX},   {"geomean", ORR_OF_GEOMEAN}, {"stddev", ORR_OF_STDDEV},
    {"cv", ORR_OF_CV},     {"count", ORR_OF_COUNT},     {"share", ORR_OF_SHARE},
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

/* "p95", "p99.9": the hundredth part, as near as a double comes to it. */
static bool read_quantile(const char *name, double *p)
{
    char shifted[40];
    size_t n = strlen(name);
    if (name[0] != 'p' || n < 2 || n > 30 || strspn(name + 1, "0123456789.") != n - 1)
        return false;
    snprintf(shifted, sizeof shifted, "%se-2", name + 1);
    return orr_parse_double(shifted, strlen(shifted), p) && *p <= 1;
}

bool orr_expr_function(const char *name, orr_expr_aggregate *a)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) {
            a->of = functions[i].of;
            return true;
        }
    a->of = ORR_OF_QUANTILE;
    return read_quantile(name, &a->p);
}

void orr_expr_hint_function(const char *name, orr_error *e)
{
    names known = {0};
    for (size_t i = 0; i < FUNCTIONS; i++)
        ORR_VEC_PUSH(&known, orr_xstrdup(functions[i].name));
    hint_nearest(name, &known, e);
    orr_error_hint(e, "mean sum min max count share geomean stddev cv, or p0 to p100");
}

/* ---- columns ---- */

bool orr_expr_fixed_n(const char *name, int64_t *n, const char **rest)
{
    static const char head[] = "rho:fixed_n=";
    const size_t length = sizeof head - 1;
    if (strncmp(name, head, length) != 0)
        return false;
    size_t digits = strspn(name + length, "0123456789");
    *rest = name + length + digits;
    return orr_parse_i64(name + length, digits, n) && *n > 0;
}

int64_t orr_expr_column(const char *name, orr_where_type *type)
{
    const orr_where_column *columns;
    size_t count = orr_job_columns(&columns);
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0) {
            *type = columns[i].type;
            return (int64_t)i;
        }
    return -1;
}

void orr_expr_hint_column(const char *name, orr_error *e)
{
    names known = {0};
    const orr_where_column *columns;
    size_t count = orr_job_columns(&columns);
    if (orr_metric_is_served(name))
        orr_error_hint(e, "requests have keys, not columns: latency.p99, slo_attain, ...");
    for (size_t i = 0; i < count; i++)
        if (columns[i].type != ORR_WHERE_TEXT)
            ORR_VEC_PUSH(&known, orr_xstrdup(columns[i].name));
    hint_nearest(name, &known, e);
}

/* ---- keys ---- */

typedef struct search {
    const char *name, *unit; /* unit NULL: not found */
    names known;
} search;

static void look(void *self, const char *key, double value, const char *unit)
{
    search *s = self;
    (void)value;
    if (strcmp(key, s->name) == 0)
        s->unit = unit;
    ORR_VEC_PUSH(&s->known, orr_xstrdup(key));
}

static search search_for(const char *name)
{
    static const orr_metrics none;
    search s = {.name = name};
    orr_metrics_each(&none, look, &s);
    return s;
}

/* Which GPU types a load may be asked of is known to the cluster alone. */
bool orr_expr_key(const char *name, char full[160], bool *is_time)
{
    orr_metric_full(name, full, 160);
    search s = search_for(full);
    names_fini(&s.known);
    *is_time = s.unit && strcmp(s.unit, "s") == 0;
    return s.unit || strncmp(full, "load:", 5) == 0;
}

void orr_expr_hint_key(const char *name, orr_error *e)
{
    orr_where_type type;
    search s = search_for(name);
    if (orr_expr_column(name, &type) >= 0 && type == ORR_WHERE_TEXT)
        orr_error_hint(e, "%s is a column: share(%s = '...'), mean(jct where %s = '...')", name, name, name);
    else if (orr_expr_column(name, &type) >= 0)
        orr_error_hint(e, "%s is a column: mean(%s), p99(%s), share(%s < 60), ...", name, name, name, name);
    hint_nearest(name, &s.known, e);
}
