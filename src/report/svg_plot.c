#include "report/svg_plot.h"
#include "report/page.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 58, RIGHT = 16, TOP = 46, BOTTOM = 30 };

void orr_svg_style(orr_text *out)
{
    static const char rules[] =
        "svg text{font:12px system-ui,sans-serif;fill:#596579}\n"
        "svg .title{font-size:14px;font-weight:600;fill:#1c2330}\n"
        "svg .end{text-anchor:end}svg .mid{text-anchor:middle}\n"
        "svg .grid{stroke:#e4e7ec;stroke-width:1}svg .bar{fill:#2f6fd0}\n"
        "svg .s0,svg .s1,svg .s2{fill:none;stroke-width:1.8;stroke-linejoin:round}\n"
        "svg .s0{stroke:#2f6fd0}svg .s1{stroke:#c2571a}svg .s2{stroke:#1d8a5f}\n"
        "svg .t0{fill:#2f6fd0}svg .t1{fill:#c2571a}svg .t2{fill:#1d8a5f}\n"
        "@media(prefers-color-scheme:dark){svg text{fill:#9aa5b8}svg .title{fill:#e6e9ef}svg .grid{stroke:#2c333e}"
        "svg .bar{fill:#6ea3f0}svg .s0{stroke:#6ea3f0}svg .s1{stroke:#f0965a}svg .s2{stroke:#4fc796}"
        "svg .t0{fill:#6ea3f0}svg .t1{fill:#f0965a}svg .t2{fill:#4fc796}}\n";
    orr_text_add(out, rules, sizeof rules - 1);
}

/* ---- numbers ---- */

/* Four digits at most, with a letter for thousands and so on. */
static const char *brief(double v, char buf[24])
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
        orr_svg_add_tick(&axis, axis.high, brief(axis.high, label));
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

orr_svg_axis orr_svg_durations(double low, double high)
{
    static const orr_svg_tick steps[] = {
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
        {36000, "10 h"},
        {86400, "1 d"},
        {864000, "10 d"},
        {8640000, "100 d"},
        {86400000, "1000 d"},
        {864000000, "10000 d"},
        {8640000000, "100000 d"},
    };
    const size_t n = sizeof steps / sizeof *steps;
    size_t from = 0, to = n - 1;
    while (from + 2 < n && steps[from + 1].at <= low)
        from++;
    while (to > from + 1 && steps[to - 1].at >= high)
        to--;
    orr_svg_axis axis = {.low = steps[from].at, .high = steps[to].at, .log = true};
    for (size_t i = from; i <= to; i++)
        orr_svg_add_tick(&axis, steps[i].at, steps[i].label);
    return axis;
}

/* Where `v` lies on the axis, 0 to 1; held at its ends. */
static double place(const orr_svg_axis *axis, double v)
{
    if (v <= axis->low)
        return 0;
    if (v >= axis->high)
        return 1;
    if (axis->log)
        return log(v / axis->low) / log(axis->high / axis->low);
    return (v - axis->low) / (axis->high - axis->low);
}

static double across(const orr_svg_frame *f, const orr_svg_axis *axis, double v)
{
    return LEFT + place(axis, v) * (f->width - LEFT - RIGHT);
}

static double down(const orr_svg_frame *f, const orr_svg_axis *axis, double v)
{
    return f->height - BOTTOM - place(axis, v) * (f->height - TOP - BOTTOM);
}

/* ---- marks ---- */

static void text_at(orr_text *out, double x, double y, const char *class, const char *text)
{
    orr_text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    orr_markup(out, text);
    orr_text_addf(out, "</text>\n");
}

static void begin(orr_text *out, const orr_svg_frame *f)
{
    orr_text_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    if (f->x > 0 || f->y > 0)
        orr_text_addf(out, " x=\"%.0f\" y=\"%.0f\"", f->x, f->y);
    orr_text_addf(out, " width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", f->width,
                  f->height, f->width, f->height);
    orr_markup(out, f->title);
    orr_text_addf(out, "\">\n");
    text_at(out, 0, 15, "title", f->title);
    if (f->note)
        text_at(out, 0, 32, "note", f->note);
}

static void end(orr_text *out)
{
    orr_text_addf(out, "</svg>\n");
}

static void line(orr_text *out, double x1, double y1, double x2, double y2)
{
    orr_text_addf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1, y1, x2, y2);
}

static void y_axis(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *axis)
{
    for (size_t i = 0; i < axis->n; i++) {
        const double y = down(f, axis, axis->ticks[i].at);
        line(out, LEFT, y, f->width - RIGHT, y);
        text_at(out, LEFT - 8, y + 4, "end", axis->ticks[i].label);
    }
}

/* Half of what a label is wide, about. */
static double half_of(const char *label)
{
    return 3.4 * (double)strlen(label);
}

/* Labels that would run into the one before are left out; the last one ends within the frame. */
static void x_axis(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *axis)
{
    double free_from = 0;
    for (size_t i = 0; i < axis->n; i++) {
        const double x = across(f, axis, axis->ticks[i].at), half = half_of(axis->ticks[i].label);
        const bool at_edge = x + half > f->width;
        line(out, x, f->height - BOTTOM, x, f->height - BOTTOM + 4);
        if ((at_edge ? f->width - 2 * half : x - half) < free_from)
            continue;
        text_at(out, at_edge ? f->width : x, f->height - BOTTOM + 18, at_edge ? "end" : "mid", axis->ticks[i].label);
        free_from = x + half + 6;
    }
}

static void bar(orr_text *out, double x, double y, double width, double height, double opacity, const char *tip)
{
    orr_text_addf(out, "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y, width, height);
    if (opacity < 1)
        orr_text_addf(out, " fill-opacity=\"%.3f\"", opacity);
    orr_text_addf(out, "><title>");
    orr_markup(out, tip);
    orr_text_addf(out, "</title></rect>\n");
}

static const char *tip_of(const orr_svg_bar *b, orr_text *scratch)
{
    char value[ORR_DOUBLE_BUF];
    if (b->tip)
        return b->tip;
    orr_format_double(b->value, value);
    orr_text_clear(scratch);
    orr_text_addf(scratch, "%s: %s", b->label, value);
    return scratch->at;
}

/* ---- plots ---- */

static void curve(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *x, const orr_svg_axis *y,
                  const orr_svg_series *s, size_t number)
{
    orr_text_addf(out, "<path class=\"s%zu\" d=\"", number);
    for (size_t i = 0; i < s->n; i++) {
        const double at = across(f, x, s->x[i]), height = down(f, y, s->y[i]);
        if (i && s->steps)
            orr_text_addf(out, "H%.1f", at);
        orr_text_addf(out, "%s%.1f %.1f", i ? "L" : "M", at, height);
    }
    orr_text_addf(out, "\"/>\n");
}

static void legend(orr_text *out, const orr_svg_frame *f, const orr_svg_series *series, size_t n)
{
    double x = f->width - RIGHT;
    for (size_t i = n; n > 1 && i-- > 0;) {
        char class[32];
        snprintf(class, sizeof class, "end t%zu", i);
        text_at(out, x, 32, class, series[i].name);
        x -= 6.6 * (double)strlen(series[i].name) + 16;
    }
}

void orr_svg_lines(orr_text *out, const orr_svg_frame *frame, const orr_svg_axis *x, const orr_svg_axis *y,
                   const orr_svg_series *series, size_t n)
{
    begin(out, frame);
    y_axis(out, frame, y);
    x_axis(out, frame, x);
    for (size_t i = 0; i < n; i++)
        curve(out, frame, x, y, &series[i], i);
    legend(out, frame, series, n);
    end(out);
}

static double most_of(const orr_svg_bar *bars, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = bars[i].value > most ? bars[i].value : most;
    return most;
}

/* Each how many bars have a label, so that none runs into the next. */
static size_t label_step(const orr_svg_bar *bars, size_t n, double slot)
{
    double widest = 0;
    for (size_t i = 0; i < n; i++)
        widest = fmax(widest, 2 * half_of(bars[i].label) + 6);
    return slot >= widest ? 1 : (size_t)(widest / slot) + 1;
}

void orr_svg_bars(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n)
{
    const orr_svg_axis y = orr_svg_numbers(most_of(bars, n));
    const double slot = (frame->width - LEFT - RIGHT) / (double)(n ? n : 1), gap = slot > 4 ? slot * 0.15 : 0;
    const size_t step = label_step(bars, n, slot);
    orr_text scratch = {0};
    begin(out, frame);
    y_axis(out, frame, &y);
    for (size_t i = 0; i < n; i++) {
        const double x = LEFT + (double)i * slot, top = down(frame, &y, bars[i].value);
        bar(out, x + gap / 2, top, slot - gap, frame->height - BOTTOM - top, 1, tip_of(&bars[i], &scratch));
        if (i % step == 0)
            text_at(out, x + slot / 2, frame->height - BOTTOM + 18, "mid", bars[i].label);
    }
    end(out);
    orr_text_fini(&scratch);
}

/* A long name is cut between characters. */
static const char *short_name(const char *name, char buf[64])
{
    enum { MOST = 18 };
    size_t characters = 0, cut = 0, n = 0;
    for (; name[n] && n < 56; n++) {
        if (((unsigned char)name[n] & 0xC0) == 0x80)
            continue;
        characters++;
        cut = characters == MOST - 1 ? n : cut;
    }
    if (characters <= MOST && !name[n])
        snprintf(buf, 64, "%s", name);
    else
        snprintf(buf, 64, "%.*s...", (int)cut, name);
    return buf;
}

void orr_svg_rows(orr_text *out, const orr_svg_frame *frame, const orr_svg_bar *bars, size_t n)
{
    enum { NAMES = 130, VALUES = 60 };
    const double most = most_of(bars, n), room = frame->width - NAMES - VALUES - RIGHT;
    const double slot = (frame->height - TOP) / (double)(n ? n : 1), height = slot > 26 ? 20 : slot * 0.75;
    orr_text scratch = {0};
    begin(out, frame);
    for (size_t i = 0; i < n; i++) {
        const double y = TOP + (double)i * slot, wide = most > 0 ? bars[i].value / most * room : 0;
        char value[24], label[64];
        text_at(out, NAMES - 8, y + height / 2 + 4, "end", short_name(bars[i].label, label));
        bar(out, NAMES, y, wide, height, 1, tip_of(&bars[i], &scratch));
        text_at(out, NAMES + wide + 6, y + height / 2 + 4, "note", brief(bars[i].value, value));
    }
    end(out);
    orr_text_fini(&scratch);
}

static void heat_row(orr_text *out, const orr_svg_frame *f, const double *values, const char *name, double y,
                     double height, size_t columns, double most)
{
    const double slot = (f->width - LEFT - RIGHT) / (double)columns;
    char tip[96], value[ORR_DOUBLE_BUF];
    text_at(out, LEFT - 8, y + height / 2 + 4, "end", name);
    for (size_t c = 0; c < columns; c++) {
        orr_format_double(values[c], value);
        snprintf(tip, sizeof tip, "%.20s %zu: %s", name, c, value);
        bar(out, LEFT + (double)c * slot, y, slot - 1, height - 1, most > 0 ? 0.06 + 0.93 * values[c] / most : 0.06,
            tip);
    }
}

void orr_svg_heat(orr_text *out, const orr_svg_frame *frame, const double *values, const char *const *rows, size_t n,
                  size_t columns)
{
    const double height = (frame->height - TOP - BOTTOM) / (double)n;
    const double slot = (frame->width - LEFT - RIGHT) / (double)columns;
    double most = 0;
    for (size_t i = 0; i < n * columns; i++)
        most = values[i] > most ? values[i] : most;
    begin(out, frame);
    for (size_t r = 0; r < n; r++)
        heat_row(out, frame, values + r * columns, rows[r], TOP + (double)r * height, height, columns, most);
    for (size_t c = 0; c<columns; c += columns> 12 ? 3 : 1) {
        char label[24];
        snprintf(label, sizeof label, "%zu", c);
        text_at(out, LEFT + ((double)c + 0.5) * slot, frame->height - BOTTOM + 18, "mid", label);
    }
    end(out);
}
