/* Bounds are read from left to right; nothing is owned. */
#include "study/claim_bound.h"

#include <math.h>
#include <orrery/time.h>
#include <string.h>

static const struct {
    const char *text;
    orr_claim_bound_op op;
} operators[] = {
    /* longer ones first */
    {"<=", ORR_CLAIM_AT_MOST}, {">=", ORR_CLAIM_AT_LEAST}, {"==", ORR_CLAIM_EQUAL}, {"!=", ORR_CLAIM_OTHER},
    {"<", ORR_CLAIM_LESS},     {">", ORR_CLAIM_MORE},      {"=", ORR_CLAIM_EQUAL},
};

/* ---- where the bound begins ---- */

/* Length of the operator that stands here; 0: none. */
static size_t symbol_at(const char *text, orr_claim_bound_op *op)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(text, operators[i].text, strlen(operators[i].text)) == 0)
            return *op = operators[i].op, strlen(operators[i].text);
    return 0;
}

static size_t word_at(const char *text, const char *at, orr_claim_bound_op *op)
{
    if (at == text || at[-1] != ' ' || strncmp(at, "in ", 3) != 0)
        return 0;
    *op = ORR_CLAIM_IN;
    return 3;
}

/* The first operator outside of parentheses, and what follows it; NULL: none. */
static const char *find_operator(const char *text, orr_claim_bound_op *op, const char **rest)
{
    int depth = 0;
    for (const char *at = text; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        size_t n = depth > 0 ? 0 : symbol_at(at, op);
        if (!n && depth == 0)
            n = word_at(text, at, op);
        if (n)
            return *rest = at + n, at;
    }
    return NULL;
}

static size_t trimmed(const char *text, const char *end)
{
    while (end > text && end[-1] == ' ')
        end--;
    return (size_t)(end - text);
}

/* ---- values ---- */

/* A copy without the blanks around it; false: too long to be a value, or nothing. */
static bool cut(const char *text, size_t n, char buf[64])
{
    while (n && *text == ' ')
        text++, n--;
    n = trimmed(text, text + n);
    if (n == 0 || n >= 64)
        return false;
    memcpy(buf, text, n);
    buf[n] = '\0';
    return true;
}

static bool percent_of(const char *text, double *out)
{
    const size_t n = strlen(text);
    if (n < 2 || text[n - 1] != '%' || !orr_parse_double(text, n - 1, out))
        return false;
    *out /= 100;
    return true;
}

static bool value_of(const char *text, size_t n, double *out)
{
    char buf[64];
    orr_time t = 0;
    if (!cut(text, n, buf))
        return false;
    if (orr_parse_double(buf, strlen(buf), out) || percent_of(buf, out))
        return true;
    if (orr_time_parse_duration(buf, &t))
        return false;
    *out = orr_time_seconds(t);
    return true;
}

static bool range_of(const char *text, orr_claim_bound *b)
{
    const char *dots = strstr(text, "..");
    return dots && value_of(text, (size_t)(dots - text), &b->low) && value_of(dots + 2, strlen(dots + 2), &b->high) &&
           b->low <= b->high;
}

static bool within_of(const char *text, orr_claim_bound *b)
{
    char buf[64];
    if (!cut(text, strlen(text), buf))
        return false;
    if (percent_of(buf, &b->within))
        b->within *= fabs(b->low);
    else if (!value_of(buf, strlen(buf), &b->within))
        return false;
    return b->within >= 0;
}

static bool single_of(const char *text, orr_claim_bound *b)
{
    const char *within = strstr(text, "within");
    const size_t n = within ? (size_t)(within - text) : strlen(text);
    if (!value_of(text, n, &b->low))
        return false;
    b->high = b->low;
    if (!within)
        return true;
    return (b->op == ORR_CLAIM_EQUAL || b->op == ORR_CLAIM_OTHER) && within_of(within + strlen("within"), b);
}

/* ---- the whole ---- */

static orr_err refuse(const char *what, const char *text, orr_error *e)
{
    orr_error_set(e, ORR_E_BAD_VALUE, "%s", what);
    orr_error_text(e, text, strlen(text));
    return ORR_E_BAD_VALUE;
}

orr_err orr_claim_bound_parse(const char *text, size_t *subject, orr_claim_bound *out, orr_error *e)
{
    orr_claim_bound b = {0};
    const char *rest = NULL, *at = find_operator(text, &b.op, &rest);
    const char *forms = "a bound is < <= > >= == != and a value, or `in LOW..HIGH`: `jct.mean < 2h`";
    orr_err err = ORR_OK;
    if (!at || trimmed(text, at) == 0)
        err = refuse(at ? "nothing stands before the operator" : "this holds no bound", text, e);
    else if (!(b.op == ORR_CLAIM_IN ? range_of(rest, &b) : single_of(rest, &b)))
        err = refuse(b.op == ORR_CLAIM_IN ? "this is no range of values" : "this is no value to compare with", rest, e);
    if (err) {
        orr_error_hint(e, "%s", forms);
        return err;
    }
    *subject = trimmed(text, at);
    *out = b;
    return ORR_OK;
}

bool orr_claim_bound_holds(const orr_claim_bound *b, double v)
{
    switch (isnan(v) ? -1 : (int)b->op) {
    case ORR_CLAIM_LESS:
        return v < b->high;
    case ORR_CLAIM_AT_MOST:
        return v <= b->high;
    case ORR_CLAIM_MORE:
        return v > b->low;
    case ORR_CLAIM_AT_LEAST:
        return v >= b->low;
    case ORR_CLAIM_EQUAL:
        return fabs(v - b->low) <= b->within;
    case ORR_CLAIM_OTHER:
        return fabs(v - b->low) > b->within;
    case ORR_CLAIM_IN:
        return v >= b->low && v <= b->high;
    default:
        return false;
    }
}
