/* GPUs stand in a row, each in a column of its own; all above and below is centred over the columns it belongs to. */
#include "report/node_drawing.h"

#include "config/describe_nodes.h"
#include "report/page.h"

#include <stdio.h>

enum {
    TITLE = 16,
    RATES = 36,
    NICS = 54,
    SOCKETS = 92,
    SWITCHES = 130,
    PART_HEIGHT = 22,
    GPUS = 178,
    GPU_HEIGHT = 34,
    BELOW = GPUS + GPU_HEIGHT,
    LEAST_WIDTH = 560,
    BAR = 30,
    BAR_HEIGHT = 24
};

static const orr_wiring none;

static const orr_wiring *wiring_of(const orr_node_spec *node)
{
    return node->wiring ? node->wiring : &none;
}

int orr_node_drawing_width(const orr_node_spec *node)
{
    const int width = node->gpus * (node->gpus <= 8 ? 84 : 54);
    return width > LEAST_WIDTH ? width : LEAST_WIDTH;
}

static int arc_depth(int a, int b)
{
    return 18 + 26 * (b - a);
}

static int deepest(const orr_node_spec *node)
{
    int depth = 0;
    for (int a = 0; a < node->gpus; a++)
        for (int b = a + 1; b < node->gpus; b++)
            if (wiring_of(node)->nvlinks[a * node->gpus + b] && arc_depth(a, b) > depth)
                depth = arc_depth(a, b);
    return depth / 2; /* of a quadratic curve */
}

int orr_node_drawing_height(const orr_node_spec *node)
{
    const orr_wiring *w = wiring_of(node);
    return BELOW + 16 + (w->nvlinks ? deepest(node) : w->nvswitch_links ? BAR + BAR_HEIGHT : 0);
}

void orr_node_drawing_style(orr_text *out)
{
    orr_text_addf(out, "svg .part{fill:none;stroke:#8a94a6;stroke-width:1.2}svg .wire{stroke:#8a94a6;stroke-width:1}\n"
                       "svg .gpu{fill-opacity:.14;stroke-width:1.2}svg .arc{fill:none;stroke-opacity:.75}\n");
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The middle of place `i` of `n` over the whole width. */
static double middle(const orr_node_spec *node, int32_t i, int32_t n)
{
    return (i + 0.5) * orr_node_drawing_width(node) / n;
}

static void box(orr_text *out, const char *class, double x, int y, double width, int height, const char *text)
{
    orr_text_addf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"4\"/>", class,
                  x - width / 2, y, width, height);
    orr_text_addf(out, "<text class=\"mid\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, y + height / 2 + 4, text);
}

static void line(orr_text *out, double x1, int y1, double x2, int y2)
{
    orr_text_addf(out, "<line class=\"wire\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x1, y1, x2, y2);
}

/* "switch 0", "s0", or nothing, by the room there is. */
static void part(orr_text *out, double x, int y, double width, const char *name, int32_t i)
{
    char text[32] = "";
    if (width >= 58)
        snprintf(text, sizeof text, "%s %d", name, (int)i);
    else if (width >= 18)
        snprintf(text, sizeof text, "%c%d", name[0], (int)i);
    box(out, "part", x, y, width, PART_HEIGHT, text);
}

/* From (x, y) up to the nearest point of a box. */
static void line_up(orr_text *out, double x, int y, double at, double width, int bottom)
{
    const double end = x < at - width / 2 + 4 ? at - width / 2 + 4 : x > at + width / 2 - 4 ? at + width / 2 - 4 : x;
    line(out, x, y, end, bottom);
}

/* ---- above the GPUs ---------------------------------------------------------------------------------------------- */

/* The part of a row that one of `n` places has for itself. */
static double share_of(const orr_node_spec *node, int32_t n)
{
    const double width = orr_node_drawing_width(node) / (double)n;
    return width > 16 ? width - 10 : width * 0.7;
}

static void row(orr_text *out, const orr_node_spec *node, const char *name, int32_t n, int y)
{
    for (int32_t i = 0; i < n; i++)
        part(out, middle(node, i, n), y, share_of(node, n), name, i);
}

static void draw_sockets(orr_text *out, const orr_node_spec *node)
{
    row(out, node, "socket", node->sockets, SOCKETS);
    for (int32_t s = 0; s + 1 < node->sockets; s++) {
        const double x = (double)(s + 1) * orr_node_drawing_width(node) / node->sockets;
        line(out, x - 5, SOCKETS + PART_HEIGHT / 2, x + 5, SOCKETS + PART_HEIGHT / 2);
    }
}

/* Where switches aren't stated NICs are the sockets'. */
static void draw_nics(orr_text *out, const orr_node_spec *node)
{
    const int32_t nics = wiring_of(node)->nics;
    row(out, node, "nic", nics, NICS);
    for (int32_t i = 0; i < nics; i++)
        line(out, middle(node, i, nics), NICS + PART_HEIGHT, middle(node, i, nics), SOCKETS);
}

static int32_t nics_below(const orr_wiring *w, int32_t sw)
{
    int32_t n = 0;
    for (int32_t i = 0; i < w->nics; i++)
        n += i * w->switches / w->nics == sw;
    return n;
}

/* A switch with its NICs to the right of it. */
static void draw_switch(orr_text *out, const orr_node_spec *node, int32_t sw, int32_t *nic)
{
    const orr_wiring *w = wiring_of(node);
    const int32_t nics = nics_below(w, sw), socket = sw * node->sockets / w->switches;
    const double room = share_of(node, w->switches), left = middle(node, sw, w->switches) - room / 2;
    const double width = nics ? room * 0.5 : room, each = nics ? (room - width) / nics : 0;
    part(out, left + width / 2, SWITCHES, width, "switch", sw);
    line_up(out, left + width / 2, SWITCHES, middle(node, socket, node->sockets), share_of(node, node->sockets),
            SOCKETS + PART_HEIGHT);
    for (int32_t i = 0; i < nics; i++) {
        const double x = left + width + each * i;
        line(out, x, SWITCHES + PART_HEIGHT / 2, x + 5, SWITCHES + PART_HEIGHT / 2);
        part(out, x + 5 + (each - 5) / 2, SWITCHES, each - 5, "nic", (*nic)++);
    }
    for (int32_t g = 0; g < node->gpus; g++)
        if (g * w->switches / node->gpus == sw)
            line_up(out, middle(node, g, node->gpus), GPUS, left + width / 2, width, SWITCHES + PART_HEIGHT);
}

static void draw_host(orr_text *out, const orr_node_spec *node)
{
    const int32_t switches = wiring_of(node)->switches;
    int32_t nic = 0;
    draw_sockets(out, node);
    for (int32_t s = 0; s < switches; s++)
        draw_switch(out, node, s, &nic);
    if (switches)
        return;
    draw_nics(out, node);
    for (int32_t g = 0; g < node->gpus; g++)
        line(out, middle(node, g, node->gpus), GPUS, middle(node, g, node->gpus), SOCKETS + PART_HEIGHT);
}

static void draw_gpus(orr_text *out, const orr_node_spec *node)
{
    char text[32];
    for (int32_t g = 0; g < node->gpus; g++) {
        snprintf(text, sizeof text, node->gpus <= 8 ? "GPU %d" : "%d", (int)g);
        box(out, "gpu f0 s0", middle(node, g, node->gpus), GPUS, node->gpus <= 8 ? 64 : 40, GPU_HEIGHT, text);
    }
}

/* ---- below them -------------------------------------------------------------------------------------------------- */

static void arc(orr_text *out, const orr_node_spec *node, int a, int b, int links)
{
    char rate[ORR_RATE_BUF];
    const double from = middle(node, a, node->gpus), to = middle(node, b, node->gpus);
    orr_text_addf(out, "<path class=\"arc s0\" style=\"stroke-width:%.1fpx\" d=\"M%.1f %dQ%.1f %d %.1f %d\"><title>",
                  1.4 * links, from, BELOW, (from + to) / 2, BELOW + arc_depth(a, b), to, BELOW);
    orr_text_addf(out, "GPU %d - GPU %d: %d NVLink%s, %s</title></path>\n", a, b, links, links == 1 ? "" : "s",
                  orr_describe_rate(links * wiring_of(node)->nvlink_bps, rate));
}

static void draw_mesh(orr_text *out, const orr_node_spec *node)
{
    const uint8_t *links = wiring_of(node)->nvlinks;
    for (int a = 0; a < node->gpus; a++)
        for (int b = a + 1; b < node->gpus; b++)
            if (links[a * node->gpus + b])
                arc(out, node, a, b, links[a * node->gpus + b]);
}

static void draw_nvswitch(orr_text *out, const orr_node_spec *node)
{
    const orr_wiring *w = wiring_of(node);
    char rate[ORR_RATE_BUF], text[128];
    for (int32_t g = 0; g < node->gpus; g++)
        line(out, middle(node, g, node->gpus), BELOW, middle(node, g, node->gpus), BELOW + BAR);
    snprintf(text, sizeof text, "NVSwitch: %d links a GPU, %s", (int)w->nvswitch_links,
             orr_describe_rate(w->nvswitch_links * w->nvlink_bps, rate));
    box(out, "gpu f2 s2", orr_node_drawing_width(node) / 2.0, BELOW + BAR, orr_node_drawing_width(node) - 10,
        BAR_HEIGHT, text);
}

void orr_node_draw(const orr_node_spec *node, const char *title, orr_text *out)
{
    const orr_wiring *w = wiring_of(node);
    orr_text rates = {0};
    orr_describe_node_rates(node, &rates);
    orr_text_addf(out, "<text class=\"title\" x=\"5\" y=\"%d\">", TITLE);
    orr_markup(out, title);
    orr_text_addf(out, "</text>\n<text x=\"5\" y=\"%d\">%s</text>\n", RATES,
                  rates.n ? rates.at : "no links are stated");
    orr_text_fini(&rates);
    if (w->nvlinks)
        draw_mesh(out, node);
    else if (w->nvswitch_links)
        draw_nvswitch(out, node);
    draw_host(out, node);
    draw_gpus(out, node);
}
