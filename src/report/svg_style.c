/* The colours of plots. Series differ in lightness as well as in hue, and lines in their dashes, so that print and
 * colour blindness lose nothing. */
#include "report/svg_plot.h"
#include <string.h>

typedef struct scheme {
    const char *ink, *dim, *grid, *paper;
    const char *series[ORR_SVG_SERIES];
} scheme;

static const scheme light = {
    "#18202c",
    "#5b6678",
    "#e4e8ee",
    "#ffffff",
    {"#2f62d8", "#d9701a", "#0f8f7e", "#8a4bb8", "#a8860b", "#c63d6b", "#3f9fd0", "#6d7787"},
};
static const scheme dark = {
    "#e7eaf0",
    "#98a3b5",
    "#2a313b",
    "#12151a",
    {"#7aa5ff", "#f5a35c", "#4fd0bb", "#c79bf0", "#e0c14a", "#f48cae", "#8fd4f5", "#a7b1c0"},
};

static const char *const dashes[ORR_SVG_SERIES] = {"none",   "7 3",       "2 2.5",   "9 3 2 3",
                                                   "12 3.5", "4 2 1.5 2", "1.5 3.5", "14 3 2 3 2 3"};

static void add(orr_text *out, const char *text)
{
    orr_text_add(out, text, strlen(text));
}

static void colours(const scheme *s, orr_text *out)
{
    orr_text_addf(out, "svg text{fill:%s}svg .title,svg .ink{fill:%s}svg .grid{stroke:%s}svg .halo{stroke:%s}\n",
                  s->dim, s->ink, s->grid, s->paper);
    orr_text_addf(out, "svg .rule,svg .mid-line{stroke:%s}svg .even{fill:%s}svg .dot{fill:%s;stroke:%s}\n", s->dim,
                  s->dim, s->ink, s->paper);
    orr_text_addf(out, "svg .bar,svg .fill{fill:%s}svg .broken{fill:%s}\n", s->series[0], s->series[1]);
    for (int i = 0; i < ORR_SVG_SERIES; i++)
        orr_text_addf(out, "svg .s%d,svg .g%d{stroke:%s}svg .t%d,svg .f%d{fill:%s}\n", i, i, s->series[i], i, i,
                      s->series[i]);
    for (int i = 0; i < ORR_SVG_SHADES; i++)
        orr_text_addf(out, "svg .h%d%s", i, i + 1 < ORR_SVG_SHADES ? "," : "");
    orr_text_addf(out, "{fill:%s}\n", s->series[0]);
}

/* Shades of one blue, the same over light and dark paper. */
static void shades(orr_text *out)
{
    for (int i = 0; i < ORR_SVG_SHADES; i++) {
        const int percent = 8 + 92 * i * (i + 6) / ((ORR_SVG_SHADES - 1) * (ORR_SVG_SHADES + 5));
        orr_text_addf(out, "svg .h%d{fill-opacity:%d%%}", i, percent);
    }
    add(out, "\n");
}

void orr_svg_style(orr_text *out)
{
    add(out, "svg text{font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}\n"
             "svg .title{font-size:14px;font-weight:600}\n"
             "svg .end{text-anchor:end}svg .mid{text-anchor:middle}svg .w2{display:none}\n"
             "svg .grid{stroke-width:1;shape-rendering:crispEdges}\n"
             "svg .rule{fill:none;stroke-width:1;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}\n"
             "svg .fill{fill-opacity:.14}svg .even{fill-opacity:.3}svg .dot{stroke-width:1.5}\n"
             "svg .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}\n"
             "svg .mid-line{stroke-width:1}\n");
    for (int i = 0; i < ORR_SVG_SERIES; i++)
        orr_text_addf(out,
                      "svg .s%d,svg .g%d{fill:none;stroke-width:1.8;stroke-linejoin:round;"
                      "vector-effect:non-scaling-stroke;stroke-dasharray:%s}svg .g%d{stroke-width:1;stroke-opacity:.4;"
                      "stroke-dasharray:none}svg .f%d{fill-opacity:.84}\n",
                      i, i, dashes[i], i, i);
    shades(out);
    colours(&light, out);
    add(out, "@media(prefers-color-scheme:dark){\n");
    colours(&dark, out);
    add(out, "}\n");
}
