#include "report/comparison.h"

#include "base/text.h"
#include <math.h>

static orr_err refuse(const char *text, const char *why, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "%s", why);
    orr_error_text(e, text, strlen(text));
    orr_error_hint(e, "for instance jct.mean:+2%%, gpu_alloc:-1%%, jct.p99:+30s, preemptions:+0");
    return ORR_E_BAD_VALUE;
}

typedef struct sought {
    const char *key, *unit;
} sought;

static void match_unit(void *self, const char *key, double value, const char *unit)
{
    sought *s = self;
    (void)value;
    if (strcmp(key, s->key) == 0)
        s->unit = unit;
}

/* "" for what isn't a metric of every run, as counts of jobs. */
static const char *unit_of(const char *key)
{
    static const orr_metrics none;
    sought s = {key, ""};
    orr_metrics_each(&none, match_unit, &s);
    orr_expr *expr = strchr(key, '(') ? orr_expr_parse(key, NULL) : NULL;
    if (expr && orr_expr_is_time(expr))
        s.unit = "s";
    orr_expr_destroy(expr);
    return s.unit;
}

static bool read_share(const char *text, size_t n, double *out)
{
    if (!orr_parse_double(text, n, out))
        return false;
    *out /= 100;
    return true;
}

static bool read_amount(const char *text, const char *unit, double *out)
{
    orr_time t;
    if (strcmp(unit, "s") != 0)
        return orr_parse_double(text, strlen(text), out);
    if (orr_time_parse_duration(text, &t))
        return false;
    *out = orr_time_seconds(t);
    return true;
}

/* The key may hold colons itself ("rho:avg_n.mean"): the last one counts. */
orr_err orr_bound_parse(const char *text, orr_bound *out, orr_error *e)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1])
        return refuse(text, "a bound is a metric, a colon and how far it may move", e);
    const char *amount = colon + 1;
    orr_bound b = {.sign = *amount == '+' || *amount == '-' ? *amount++ : ' '};
    const size_t n = strlen(amount);
    b.key = orr_xstrndup(text, (size_t)(colon - text));
    b.relative = n > 1 && amount[n - 1] == '%';
    const bool read =
        b.relative ? read_share(amount, n - 1, &b.amount) : read_amount(amount, unit_of(b.key), &b.amount);
    if (!read || !(b.amount >= 0)) {
        orr_bound_fini(&b);
        return refuse(text, "how far a metric may move is a number, with % or a unit of the metric behind it", e);
    }
    b.text = orr_xstrdup(text);
    *out = b;
    return ORR_OK;
}

void orr_bound_fini(orr_bound *bound)
{
    free(bound->key);
    free(bound->text);
    *bound = (orr_bound){.sign = ' '};
}

/* How far the value went in the direction that the bound is about. */
static double excess(const orr_bound *b, double moved)
{
    if (b->sign != ' ')
        return b->sign == '+' ? moved : -moved;
    const orr_direction direction = orr_metric_direction(b->key);
    if (direction == ORR_BETTER_TARGET)
        return fabs(moved);
    return direction == ORR_BETTER_LOWER ? moved : -moved;
}

orr_bound_answer orr_bound_check(const orr_bound *b, double base, double value)
{
    orr_bound_answer a = {.base = base, .value = value, .decided = !isnan(base) && !isnan(value)};
    if (!a.decided)
        return a;
    const double allowed = b->relative ? b->amount * fabs(base) : b->amount;
    const double slack = 1e-9 * fmax(fabs(base), fabs(value)); /* of rounding */
    a.holds = excess(b, value - base) <= allowed + slack;
    return a;
}
