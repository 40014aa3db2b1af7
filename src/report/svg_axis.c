#include "report/svg_axis.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *orr_svg_brief(double v, char *buf)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    size_t unit = 0;
    for (; fabs(v) >= (unit ? 1000 : 10000) && unit < 4; unit++)
        v /= 1000;
    snprintf(buf, 24, "%.4g%s", v, units[unit]);
    return buf;
}

void orr_svg_add_tick(orr_svg_axis *axis, double at, const char *label)
{
    if (axis->n == ORR_SVG_TICKS)
        return;
    axis->ticks[axis->n].at = at;
    snprintf(axis->ticks[axis->n].label, sizeof axis->ticks->label, "%s", label);
    axis->n++;
}

/* The least of 1, 2, 5 times a power of ten that is at least v. */
static double nice(double v)
{
    double unit = 1e-9;
    while (unit * 10 <= v)
        unit *= 10;
    return v <= unit ? unit : v <= 2 * unit ? 2 * unit : v <= 5 * unit ? 5 * unit : 10 * unit;
}

orr_svg_axis orr_svg_numbers(double high)
{
    orr_svg_axis axis = {0};
    char label[24];
    const double step = high > 0 ? nice(high / 5) : 1;
    for (int i = 0; i == 0 || (double)(i - 1) * step < high * (1 - 1e-12); i++) {
        axis.high = i * step;
        orr_svg_add_tick(&axis, axis.high, orr_svg_brief(axis.high, label));
    }
    axis.high = axis.high > 0 ? axis.high : 1;
    return axis;
}

orr_svg_axis orr_svg_shares(void)
{
    orr_svg_axis axis = {.high = 1};
    static const char *const labels[] = {"0 %", "25 %", "50 %", "75 %", "100 %"};
    for (int i = 0; i < 5; i++)
        orr_svg_add_tick(&axis, i / 4.0, labels[i]);
    return axis;
}

orr_svg_axis orr_svg_places(size_t n)
{
    return (orr_svg_axis){.high = n ? (double)n : 1};
}

/* ---- durations ---- */

static const orr_svg_tick spans[] = {
    {1e-6, "1 us"},
    {1e-4, "100 us"},
    {1e-3, "1 ms"},
    {1e-2, "10 ms"},
    {0.1, "100 ms"},
    {1, "1 s"},
    {10, "10 s"},
    {60, "1 m"},
    {600, "10 m"},
    {3600, "1 h"},
    {21600, "6 h"},
    {86400, "1 d"},
    {864000, "10 d"},
    {8640000, "100 d"},
    {86400000, "1000 d"},
    {864000000, "10000 d"},
    {8640000000, "100000 d"},
};
enum { SPANS = sizeof spans / sizeof *spans, FIRST_CHANGE = 7 };

orr_svg_axis orr_svg_durations(double low, double high)
{
    size_t from = 0;
    while (from + 2 < SPANS && spans[from + 1].at <= low)
        from++;
    orr_svg_axis axis = {.low = spans[from].at, .high = fmax(high, spans[from + 1].at), .scale = ORR_SVG_LOG};
    for (size_t i = from; i < SPANS && spans[i].at <= axis.high; i++)
        orr_svg_add_tick(&axis, spans[i].at, spans[i].label);
    return axis;
}

/* The first span that is at least so long. */
static size_t span_for(double seconds)
{
    size_t i = FIRST_CHANGE;
    while (i + 1 < SPANS && spans[i].at < seconds)
        i++;
    return i;
}

orr_svg_axis orr_svg_changes(double low, double high)
{
    const size_t down = span_for(-low), up = span_for(high);
    char label[24];
    orr_svg_axis axis = {
        .low = -spans[down].at, .high = spans[up].at, .about = spans[FIRST_CHANGE].at, .scale = ORR_SVG_SYMLOG};
    for (size_t i = down; i >= FIRST_CHANGE; i--) {
        snprintf(label, sizeof label, "-%.20s", spans[i].label);
        orr_svg_add_tick(&axis, -spans[i].at, label);
    }
    orr_svg_add_tick(&axis, 0, "0");
    for (size_t i = FIRST_CHANGE; i <= up; i++) {
        snprintf(label, sizeof label, "+%.20s", spans[i].label);
        orr_svg_add_tick(&axis, spans[i].at, label);
    }
    return axis;
}

/* ---- numbers on a logarithmic scale ---- */

/* 1, 2, 5, 10, 20, … by number; 0 is 1. */
static double one_two_five(int i)
{
    static const double parts[] = {1, 2, 5};
    const int decade = i >= 0 ? i / 3 : -((2 - i) / 3);
    return parts[i - 3 * decade] * pow(10, decade);
}

orr_svg_axis orr_svg_decades(double low, double high)
{
    int from = -18, to;
    char label[24];
    while (one_two_five(from + 1) <= low * (1 + 1e-9) && from < 40)
        from++;
    for (to = from + 1; one_two_five(to) < high * (1 - 1e-9) && to < 60;)
        to++;
    const bool all = to - from <= 9;
    orr_svg_axis axis = {.low = one_two_five(from), .high = one_two_five(to), .scale = ORR_SVG_LOG};
    for (int i = from; i <= to; i++)
        if (all || (i + 60) % 3 == 0)
            orr_svg_add_tick(&axis, one_two_five(i), orr_svg_brief(one_two_five(i), label));
    return axis;
}

/* ---- time ---- */

static double clock_step(double span)
{
    static const double steps[] = {1,    2,     5,     10,    30,    60,     120,    300,    600,     1800,    3600,
                                   7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 1728000, 4320000, 8640000};
    enum { MOST = 8 };
    if (span < MOST)
        return nice(span / MOST);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (span / steps[i] <= MOST)
            return steps[i];
    return 86400 * nice(span / 86400 / MOST);
}

static void clock_label(double at, double step, char label[24])
{
    const double days = floor(at / 86400);
    const double hours = (at - 86400 * days) / 3600;
    if (step >= 86400)
        snprintf(label, 24, "%.0f d", days);
    else if (step >= 3600 && days > 0 && hours > 0)
        snprintf(label, 24, "%.0f d %.0f h", days, hours);
    else if (step >= 3600)
        snprintf(label, 24, days > 0 ? "%.0f d" : "%.0f h", days > 0 ? days : hours);
    else if (step >= 60)
        snprintf(label, 24, "%.10g m", at / 60);
    else
        snprintf(label, 24, "%.10g s", at);
}

orr_svg_axis orr_svg_clock(double from, double to)
{
    orr_svg_axis axis = {.low = from, .high = to > from ? to : from + 1};
    const double step = clock_step(axis.high - axis.low);
    char label[24];
    for (double i = ceil(axis.low / step - 1e-9) + 0.0; i * step <= axis.high * (1 + 1e-12); i++) {
        clock_label(i * step, step, label);
        orr_svg_add_tick(&axis, i * step, label);
    }
    return axis;
}

/* ---- places ---- */

static double along(const orr_svg_axis *axis, double v)
{
    if (axis->scale == ORR_SVG_LOG)
        return log(v);
    return axis->scale == ORR_SVG_SYMLOG ? copysign(log1p(fabs(v) / axis->about), v) : v;
}

double orr_svg_place(const orr_svg_axis *axis, double v)
{
    if (!(v > axis->low))
        return 0;
    if (v >= axis->high)
        return 1;
    const double low = along(axis, axis->low), high = along(axis, axis->high);
    return (along(axis, v) - low) / (high - low);
}
