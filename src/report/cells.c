/* Cells of tables: each number as people read it, and as it is. */
#include "report/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void exact_number(double v, char *buf)
{
    buf[0] = '\0';
    if (isfinite(v))
        orr_format_double(v, buf);
}

/* With 1 or 2 decimals, rounded half away from zero; by whole numbers, so that no locale shows. */
void orr_cell_fixed(double v, int decimals, char *buf, size_t size)
{
    long long unit = decimals == 1 ? 10 : 100;
    if (!(fabs(v) < 1e15)) {
        exact_number(v, buf);
        return;
    }
    long long n = llround(fabs(v) * (double)unit);
    snprintf(buf, size, "%s%lld.%0*lld", v < 0 && n > 0 ? "-" : "", n / unit, decimals, n % unit);
}

/* `mark` follows a number that covers survivors only. */
void orr_cell_duration(orr_grid *t, double seconds, bool mark)
{
    char shown[ORR_TIME_BUF + 2] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(seconds, exact);
    if (isfinite(seconds)) {
        orr_time_human(orr_time_from_seconds(seconds), shown);
        strcat(shown, mark ? "*" : "");
    }
    orr_grid_cell(t, shown, exact);
}

bool orr_latency_human(double seconds, char *buf)
{
    const bool micro = seconds < 0.9995e-3;
    const double value = seconds * (micro ? 1e6 : 1e3);
    char number[ORR_DOUBLE_BUF];
    if (!(value > 0) || seconds >= 0.9995)
        return false;
    const double unit = pow(10, 2 - floor(log10(value)));
    exact_number(isfinite(unit) ? round(value * unit) / unit : value, number);
    snprintf(buf, ORR_TIME_BUF, "%.*s %s", ORR_TIME_BUF - 4, number, micro ? "us" : "ms");
    return true;
}

void orr_cell_latency(orr_grid *t, double seconds, bool mark)
{
    char shown[ORR_TIME_BUF + 2], exact[ORR_DOUBLE_BUF];
    if (!orr_latency_human(seconds, shown)) {
        orr_cell_duration(t, seconds, mark);
        return;
    }
    exact_number(seconds, exact);
    strcat(shown, mark ? "*" : "");
    orr_grid_cell(t, shown, exact);
}

void orr_cell_percent(orr_grid *t, double share)
{
    char shown[48] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(share, exact);
    if (isfinite(share)) {
        orr_cell_fixed(100 * share, 1, shown, 44);
        strcat(shown, " %");
    }
    orr_grid_cell(t, shown, exact);
}

void orr_cell_ratio(orr_grid *t, double ratio, bool mark)
{
    char shown[48] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(ratio, exact);
    if (isfinite(ratio)) {
        orr_cell_fixed(ratio, 2, shown, 44);
        strcat(shown, mark ? "*" : "");
    }
    orr_grid_cell(t, shown, exact);
}

void orr_cell_count(orr_grid *t, uint64_t n)
{
    char shown[40], exact[24];
    orr_format_count(n, shown);
    snprintf(exact, sizeof exact, "%" PRIu64, n);
    orr_grid_cell(t, shown, exact);
}

/* Four significant digits for people; whole numbers as they are. */
void orr_cell_number(orr_grid *t, double v, bool mark)
{
    char shown[48] = "-", exact[ORR_DOUBLE_BUF];
    exact_number(v, exact);
    if (isfinite(v) && fabs(v) < 1e15 && v == floor(v)) {
        snprintf(shown, sizeof shown, "%s", v < 0 ? "-" : "");
        orr_format_count((uint64_t)fabs(v), shown + strlen(shown));
    } else if (isfinite(v)) {
        double unit = pow(10, 3 - floor(log10(fabs(v))));
        exact_number(isfinite(unit) && unit > 0 ? round(v * unit) / unit : v, shown);
    }
    strcat(shown, mark && isfinite(v) ? "*" : "");
    orr_grid_cell(t, shown, exact);
}

/* Of the summary's keys those of distributions cover survivors only. */
static bool is_of_jobs(const orr_expr *x)
{
    const char *text = orr_expr_text(x);
    return !orr_expr_is_key(x) || (strchr(text, '.') && strncmp(text, "jobs.", 5) != 0);
}

void orr_cell_custom(orr_grid *t, const orr_custom *c, bool biased)
{
    bool mark = biased && is_of_jobs(c->expr);
    if (orr_expr_is_time(c->expr))
        orr_cell_duration(t, c->value, mark);
    else
        orr_cell_number(t, c->value, mark);
}
