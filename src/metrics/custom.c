#include "metrics/custom.h"

#include "base/assert.h"
#include "base/mem.h"

static bool has(const orr_exprs *asked, const char *text)
{
    for (size_t i = 0; i < asked->n; i++)
        if (strcmp(orr_expr_text(asked->exprs[i]), text) == 0)
            return true;
    return false;
}

orr_err orr_exprs_parse(const char *const *texts, size_t n, orr_exprs *out, orr_error *e)
{
    orr_exprs asked = {.exprs = orr_xcalloc(n + 1, sizeof *asked.exprs)};
    for (size_t i = 0; i < n; i++) {
        if (has(&asked, texts[i]))
            continue;
        orr_expr *expr = orr_expr_parse(texts[i], e);
        if (!expr) {
            orr_exprs_fini(&asked);
            return ORR_E_BAD_VALUE;
        }
        asked.exprs[asked.n++] = expr;
    }
    *out = asked;
    return ORR_OK;
}

void orr_exprs_fini(orr_exprs *asked)
{
    for (size_t i = 0; i < asked->n; i++)
        orr_expr_destroy(asked->exprs[i]);
    free(asked->exprs);
    *asked = (orr_exprs){0};
}

static orr_err each_kept(void *self, void (*row)(void *to, const orr_job_row *row), void *to, orr_error *e)
{
    const orr_collector *c = *(const orr_collector *const *)self;
    size_t n;
    const orr_kept_job *jobs = orr_collector_jobs(c, &n);
    (void)e;
    for (size_t i = 0; i < n; i++) {
        orr_job_row r = orr_job_row_of(&jobs[i]);
        r.measured = orr_collector_measured(c, &jobs[i]);
        r.pool_gpus = orr_collector_pool_gpus(c, &jobs[i]);
        row(to, &r);
    }
    return ORR_OK;
}

static bool key_of(void *self, const char *key, double *value)
{
    return orr_metrics_get(orr_collector_whole(*(const orr_collector *const *)self), key, value);
}

orr_custom *orr_collector_custom(const orr_collector *collector, const orr_exprs *asked)
{
    orr_custom *list = orr_xcalloc(asked->n + 1, sizeof *list);
    double *values = orr_xcalloc(asked->n + 1, sizeof *values);
    const orr_expr_source source = {.self = &collector, .each = each_kept, .key = key_of};
    orr_err err = orr_expr_values((const orr_expr *const *)asked->exprs, asked->n, &source, values, NULL);
    ORR_ASSERT(!err, "reading jobs from memory failed");
    for (size_t i = 0; i < asked->n; i++)
        list[i] = (orr_custom){asked->exprs[i], values[i]};
    free(values);
    return list;
}
