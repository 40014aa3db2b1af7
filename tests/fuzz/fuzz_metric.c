/* Any text as an expression; one that is understood is asked of two rows. */
#include "base/assert.h"
#include "base/mem.h"
#include "metrics/expr.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static orr_err each(void *self, void (*row)(void *to, const orr_job_row *row), void *to, orr_error *e)
{
    orr_job_row r = {.id = "1", .user = "u", .vc = "", .state = "done", .reason = "", .gpus = 8, .jct = ORR_HOUR,
                     .wait_first = ORR_TIME_NONE, .deadline = ORR_TIME_NONE, .duration = ORR_MINUTE, .rho = NAN,
                     .service = 12.5, .pool_gpus = 64, .submitted = true, .measured = true};
    (void)self, (void)e;
    row(to, &r);
    r.measured = false;
    row(to, &r);
    return ORR_OK;
}

static bool key(void *self, const char *name, double *value)
{
    static const orr_metrics none;
    (void)self;
    return orr_metrics_get(&none, name, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    orr_error e = {0};
    char *text = orr_xstrndup((const char *)data, size);
    orr_expr *x = orr_expr_parse(text, &e);
    ORR_ASSERT((x != NULL) == (e.code == ORR_OK), "an expression or an error");
    if (x) {
        const orr_expr *list[] = {x};
        const orr_expr_source source = {.each = each, .key = key};
        double value;
        ORR_ASSERT(!orr_expr_values(list, 1, &source, &value, NULL), "rows that can be read");
        ORR_ASSERT(!isinf(value), "a number or nothing");
    }
    orr_expr_destroy(x);
    free(text);
    return 0;
}
