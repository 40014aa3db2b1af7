/* Numbers for people: durations in two units, counts in groups, shares and ratios with as many digits as tell them
 * apart. Rounded by whole numbers, so that no locale shows. */
#include "report/comparison.h"

#include "base/text.h"
#include "report/cells.h"
#include <math.h>
#include <stdio.h>

static void fixed(double v, int decimals, orr_text *out)
{
    static const long long units[] = {1, 10, 100, 1000, 10000};
    const long long unit = units[decimals];
    char buf[ORR_DOUBLE_BUF];
    if (!(fabs(v) < 1e14)) {
        orr_format_double(v, buf);
        orr_text_addf(out, "%s", buf);
        return;
    }
    const long long n = llround(fabs(v) * (double)unit);
    orr_format_count((uint64_t)(n / unit), buf);
    orr_text_addf(out, "%s%s", v < 0 && n > 0 ? "-" : "", buf);
    if (decimals)
        orr_text_addf(out, ".%0*lld", decimals, n % unit);
}

static void plain(double v, orr_text *out)
{
    fixed(v, v == floor(v) ? 0 : fabs(v) < 10 ? 4 : 2, out);
}

void orr_metric_shown(double v, const char *unit, orr_text *out)
{
    char buf[ORR_TIME_BUF];
    if (isnan(v)) {
        orr_text_addf(out, "-");
    } else if (strcmp(unit, "s") == 0) {
        if (!orr_latency_human(v, buf))
            orr_time_human(orr_time_from_seconds(v), buf);
        orr_text_addf(out, "%s", buf);
    } else if (strcmp(unit, "gpu*s") == 0) {
        fixed(v / 3600, 1, out);
        orr_text_addf(out, " GPU h");
    } else if (strcmp(unit, "J") == 0) {
        fixed(v / 3.6e6, v < 3.6e7 ? 4 : 1, out);
        orr_text_addf(out, " kWh");
    } else {
        plain(v, out);
    }
}

void orr_difference_shown(double d, const char *unit, orr_text *out)
{
    if (isnan(d)) {
        orr_text_addf(out, "-");
        return;
    }
    orr_text_addf(out, "%s", d > 0 ? "+" : d < 0 ? "-" : "");
    orr_metric_shown(fabs(d), unit, out);
}

void orr_relative_shown(double relative, orr_text *out)
{
    if (isnan(relative)) {
        orr_text_addf(out, "-");
        return;
    }
    orr_text_addf(out, "%s", relative > 0 ? "+" : relative < 0 ? "-" : "");
    fixed(fabs(100 * relative), fabs(relative) < 0.001 && relative != 0 ? 4 : 1, out);
    orr_text_addf(out, " %%");
}
