/* Rounding for people is done on the number, so that no locale shows in the text. */
#include "study/claim_number.h"

#include "metrics/expr.h"
#include "study/numbers.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what it is ---- */

/* Patterns, which match keys too, are for tolerances. */
static bool is_key(const char *text)
{
    return !strchr(text, '*') && !strchr(text, '(') && orr_numbers_known(text);
}

orr_err orr_number_check(const char *text, bool *expression, orr_error *e)
{
    *expression = !is_key(text);
    if (!*expression)
        return ORR_OK;
    orr_error own = {0};
    orr_expr *expr = orr_expr_parse(text, &own);
    orr_expr_destroy(expr);
    own.file[0] = '\0'; /* the place within the expression: the caller knows where that stands */
    own.line = own.column = 0;
    if (!expr && e)
        *e = own;
    return own.code;
}

double orr_number_of(const cJSON *summary, const char *text)
{
    double v = NAN;
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(summary, "metrics");
    const cJSON *custom = cJSON_GetObjectItemCaseSensitive(metrics, "custom");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(custom, text);
    if (cJSON_IsNumber(item))
        return item->valuedouble;
    return is_key(text) && orr_numbers_get(summary, text, &v) ? v : (double)NAN;
}

const char *orr_number_unit(const char *text)
{
    if (is_key(text))
        return orr_numbers_unit(text);
    orr_expr *expr = orr_expr_parse(text, NULL);
    const bool time = expr && orr_expr_is_time(expr);
    orr_expr_destroy(expr);
    return time ? "s" : "";
}

/* ---- for people ---- */

static double to_digits(double v, int digits)
{
    if (v == 0)
        return 0;
    const int shift = digits - 1 - (int)floor(log10(fabs(v)));
    const double scale = pow(10, fabs((double)shift));
    return shift >= 0 ? round(v * scale) / scale : round(v / scale) * scale;
}

static void plain(double v, char *buf)
{
    if (v >= 0 && v == floor(v) && v < 1e15)
        orr_format_count((uint64_t)v, buf);
    else
        orr_format_double(to_digits(v, 4), buf);
}

const char *orr_number_show(double v, const char *unit, char *buf)
{
    char number[ORR_DOUBLE_BUF];
    if (isnan(v)) {
        memcpy(buf, "-", 2);
    } else if (strcmp(unit, "s") != 0) {
        plain(v, buf);
    } else if (fabs(v) < 1000) {
        plain(v, number);
        snprintf(buf, ORR_SHOWN_BUF, "%s s", number);
    } else {
        orr_time_human(orr_time_from_seconds(v), buf);
    }
    return buf;
}
