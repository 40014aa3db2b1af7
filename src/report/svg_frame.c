#include "report/svg_frame.h"
#include "report/page.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add(orr_text *out, const char *text)
{
    orr_text_add(out, text, strlen(text));
}

/* ---- numbers: two decimals at most, no zeros behind, whatever the locale ---- */

static const char *number(double v, char buf[32])
{
    const long long n = llround(v * 100);
    const unsigned long long size = n < 0 ? 0ull - (unsigned long long)n : (unsigned long long)n;
    const char *sign = n < 0 ? "-" : "";
    if (size % 100 == 0)
        snprintf(buf, 32, "%s%llu", sign, size / 100);
    else if (size % 10 == 0)
        snprintf(buf, 32, "%s%llu.%llu", sign, size / 100, size / 10 % 10);
    else
        snprintf(buf, 32, "%s%llu.%02llu", sign, size / 100, size % 100);
    return buf;
}

static void attribute(orr_text *out, const char *name, double v, const char *unit)
{
    char buf[32];
    orr_text_addf(out, " %s=\"%s%s\"", name, number(v, buf), unit);
}

double orr_svg_x(const orr_svg_axis *axis, double v)
{
    return 100 * orr_svg_place(axis, v);
}

double orr_svg_y(const orr_svg_frame *f, const orr_svg_axis *axis, double v)
{
    return f->height * (1 - orr_svg_place(axis, v));
}

/* ---- marks ---- */

void orr_svg_text_beside(orr_text *out, double x, double dx, double y, const char *class, const char *text)
{
    add(out, "<text");
    attribute(out, "x", x, "%");
    if (dx < 0 || dx > 0)
        attribute(out, "dx", dx, "");
    attribute(out, "y", y, "");
    orr_text_addf(out, " class=\"%s\">", class);
    orr_markup(out, text);
    add(out, "</text>\n");
}

void orr_svg_text(orr_text *out, double x, double y, const char *class, const char *text)
{
    orr_svg_text_beside(out, x, 0, y, class, text);
}

void orr_svg_line(orr_text *out, const char *class, double x1, double y1, double x2, double y2)
{
    orr_text_addf(out, "<line class=\"%s\"", class);
    attribute(out, "x1", x1, "%");
    attribute(out, "y1", y1, "");
    attribute(out, "x2", x2, "%");
    attribute(out, "y2", y2, "");
    add(out, "/>\n");
}

void orr_svg_box(orr_text *out, const char *class, double x, double y, double width, double height, const char *tip)
{
    orr_text_addf(out, "<rect class=\"%s\"", class);
    attribute(out, "x", x, "%");
    attribute(out, "y", y, "");
    attribute(out, "width", width, "%");
    attribute(out, "height", height, "");
    if (!tip) {
        add(out, "/>\n");
        return;
    }
    add(out, "><title>");
    orr_markup(out, tip);
    add(out, "</title></rect>\n");
}

void orr_svg_stretch_begin(orr_text *out, const orr_svg_frame *f)
{
    orr_text_addf(out,
                  "<svg class=\"stretch\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "preserveAspectRatio=\"none\" overflow=\"visible\">\n",
                  f->height, ORR_SVG_BOX, f->height);
}

void orr_svg_stretch_end(orr_text *out)
{
    add(out, "</svg>\n");
}

const char *orr_svg_short(const char *name, char *buf)
{
    enum { MOST = 28 };
    size_t characters = 0, cut = 0, n = 0;
    for (; name[n] && n < 112; n++) {
        if (((unsigned char)name[n] & 0xC0) == 0x80)
            continue;
        characters++;
        cut = characters == MOST - 1 ? n : cut;
    }
    if (characters <= MOST && !name[n])
        snprintf(buf, 128, "%s", name);
    else
        snprintf(buf, 128, "%.*s...", (int)cut, name);
    return buf;
}

/* ---- the frame ---- */

static void swatch(orr_text *out, const orr_svg_legend *l, size_t i)
{
    add(out, "<svg class=\"swatch\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\">");
    if (l->swatch == ORR_SVG_STROKE)
        orr_text_addf(out, "<line class=\"%s\" x1=\"0\" y1=\"5\" x2=\"20\" y2=\"5\"/></svg>", l->classes[i]);
    else
        orr_text_addf(out, "<rect class=\"%s\" x=\"4\" y=\"0\" width=\"12\" height=\"10\"/></svg>", l->classes[i]);
}

static void page_legend(orr_text *out, const orr_svg_legend *l)
{
    add(out, "<ul class=\"key\">");
    for (size_t i = 0; i < l->n; i++) {
        add(out, "<li>");
        swatch(out, l, i);
        orr_markup(out, l->names[i]);
        add(out, "</li>");
    }
    add(out, "</ul>\n");
}

static void in_page(orr_text *out, const orr_svg_frame *f, bool flush, const orr_svg_legend *legend)
{
    orr_text_addf(out, "<figure class=\"plot%s\" id=\"%s\">\n<figcaption><b>", f->wide ? " wide" : "", f->id);
    orr_markup(out, f->title);
    add(out, "</b>");
    if (f->note) {
        add(out, "<span>");
        orr_markup(out, f->note);
        add(out, "</span>");
    }
    add(out, "</figcaption>\n");
    if (legend && legend->n)
        page_legend(out, legend);
    orr_text_addf(out, "<svg class=\"area%s\" height=\"%d\" role=\"img\" aria-label=\"", flush ? " flush" : "",
                  f->height);
    orr_markup(out, f->title);
    add(out, "\">\n");
}

static void drawn_legend(orr_text *out, const orr_svg_frame *f, const orr_svg_legend *l)
{
    double x = f->width - ORR_SVG_RIGHT;
    char class[32];
    for (size_t i = l->n; l->swatch == ORR_SVG_STROKE && i-- > 0;) {
        snprintf(class, sizeof class, "end t%zu", i);
        orr_svg_text(out, 100 * x / f->width, 32, class, l->names[i]);
        x -= 6.6 * (double)strlen(l->names[i]) + 16;
    }
}

int orr_svg_drawing_height(const orr_svg_frame *f)
{
    return ORR_SVG_TOP + f->height + ORR_SVG_BOTTOM;
}

static void in_drawing(orr_text *out, const orr_svg_frame *f, bool flush, const orr_svg_legend *legend)
{
    const int left = flush ? 0 : ORR_SVG_LEFT;
    add(out, "<svg");
    attribute(out, "x", f->x, "");
    attribute(out, "y", f->y, "");
    orr_text_addf(out, " width=\"%d\" height=\"%d\">\n", f->width, orr_svg_drawing_height(f));
    orr_svg_text(out, 0, 15, "title", f->title);
    if (f->note)
        orr_svg_text(out, 0, 32, "note", f->note);
    if (legend && legend->n)
        drawn_legend(out, f, legend);
    orr_text_addf(out, "<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" overflow=\"visible\">\n", left, ORR_SVG_TOP,
                  f->width - left - ORR_SVG_RIGHT, f->height);
}

void orr_svg_begin(orr_text *out, const orr_svg_frame *f, bool flush, const orr_svg_legend *legend)
{
    if (f->width > 0)
        in_drawing(out, f, flush, legend);
    else
        in_page(out, f, flush, legend);
}

void orr_svg_end(orr_text *out, const orr_svg_frame *f)
{
    add(out, f->width > 0 ? "</svg>\n</svg>\n" : "</svg>\n</figure>\n");
}

/* ---- axes ---- */

void orr_svg_y_axis(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *axis)
{
    for (size_t i = 0; i < axis->n; i++) {
        const double y = orr_svg_y(f, axis, axis->ticks[i].at);
        orr_svg_line(out, "grid", 0, y, 100, y);
        orr_svg_text_beside(out, 0, -8, y + 4, "end", axis->ticks[i].label);
    }
}

/* Widths of an area at which more labels find room, and the class that shows them from there on. */
enum { TIERS = 3 };
static const double tier_widths[TIERS] = {250, 460, 960};
static const char *const tier_classes[TIERS] = {"", " w1", " w2"};

static double label_width(const char *label)
{
    return 6.8 * (double)strlen(label);
}

typedef struct placed {
    double from, to; /* pixels */
} placed;

/* Where a label lies on an area of this width: in the middle of its tick, or ending at it near the right edge. */
static placed place_label(double share, double width, const char *label, bool *ends)
{
    const double wide = label_width(label), x = share * width;
    *ends = share * tier_widths[0] + wide / 2 > tier_widths[0] + ORR_SVG_RIGHT;
    return *ends ? (placed){x - wide, x} : (placed){x - wide / 2, x + wide / 2};
}

/* Whether label `i` keeps clear of those that have a tier already, on an area as wide as `tier` asks. */
static bool fits(const orr_svg_axis *axis, const int *tiers, size_t i, int tier)
{
    enum { APART = 8 };
    bool ends;
    const double width = tier_widths[tier];
    const placed own = place_label(orr_svg_place(axis, axis->ticks[i].at), width, axis->ticks[i].label, &ends);
    for (size_t k = 0; k < axis->n; k++) {
        if (k == i || tiers[k] < 0)
            continue;
        const placed other = place_label(orr_svg_place(axis, axis->ticks[k].at), width, axis->ticks[k].label, &ends);
        if (own.from < other.to + APART && other.from < own.to + APART)
            return false;
    }
    return true;
}

/* Whether every `stride`-th label keeps clear of the next. */
static bool stride_fits(const orr_svg_axis *axis, size_t stride, int tier)
{
    int tiers[ORR_SVG_TICKS];
    for (size_t i = 0; i < axis->n; i++)
        tiers[i] = i % stride ? -1 : 0;
    for (size_t i = 0; i < axis->n; i += stride)
        if (!fits(axis, tiers, i, tier))
            return false;
    return true;
}

/* Ticks of equal steps have labels of equal steps, too: each stride is a multiple of the next finer one. */
static void rank_evenly(const orr_svg_axis *axis, int *tiers)
{
    size_t stride = 1;
    for (size_t i = 0; i < axis->n; i++)
        tiers[i] = -1;
    for (int tier = TIERS - 1; tier >= 0; tier--) {
        const size_t finer = stride;
        while (stride < axis->n && !stride_fits(axis, stride, tier))
            stride += finer;
        for (size_t i = 0; i < axis->n; i += stride)
            tiers[i] = tier;
    }
}

/* The tier from which on each label shows; -1: never. 0 between signs comes first, then from left to right. */
static void rank_labels(const orr_svg_axis *axis, int *tiers)
{
    if (axis->scale == ORR_SVG_LINEAR) {
        rank_evenly(axis, tiers);
        return;
    }
    for (size_t i = 0; i < axis->n; i++)
        tiers[i] = axis->scale == ORR_SVG_SYMLOG && axis->ticks[i].label[0] == '0' ? 0 : -1;
    for (int tier = 0; tier < TIERS; tier++)
        for (size_t i = 0; i < axis->n; i++)
            if (tiers[i] < 0 && fits(axis, tiers, i, tier))
                tiers[i] = tier;
}

void orr_svg_x_axis(orr_text *out, const orr_svg_frame *f, const orr_svg_axis *axis, bool lines)
{
    int tiers[ORR_SVG_TICKS];
    rank_labels(axis, tiers);
    for (size_t i = 0; i < axis->n; i++) {
        const double x = orr_svg_x(axis, axis->ticks[i].at);
        char class[16];
        bool ends;
        orr_svg_line(out, "grid", x, lines ? 0 : f->height, x, f->height + 4);
        if (tiers[i] < 0)
            continue;
        place_label(x / 100, tier_widths[0], axis->ticks[i].label, &ends);
        snprintf(class, sizeof class, "%s%s", ends ? "end" : "mid", tier_classes[tiers[i]]);
        orr_svg_text(out, x, f->height + 18, class, axis->ticks[i].label);
    }
}
