#include "report/cluster_page.h"

#include "config/describe.h"
#include "config/describe_nodes.h"
#include "config/kinds.h"
#include "report/node_drawing.h"
#include "report/page.h"
#include "report/svg_plot.h"

enum { DRAWN = 16, EDGE = 20, GAP = 30, HEAD = 44 };

/* "8 x V100, NVLink between pairs: 8 nodes" */
static void title_of(const orr_node_kind *kind, orr_text *out)
{
    char count[64];
    orr_format_count((uint64_t)kind->nodes, count);
    orr_describe_node_title(kind->node, out);
    orr_text_addf(out, ": %s %s", count, kind->nodes == 1 ? "node" : "nodes");
}

static void draw(const orr_node_kind *kind, orr_text *out)
{
    orr_text title = {0};
    title_of(kind, &title);
    orr_node_draw(kind->node, title.at, out);
    orr_text_fini(&title);
}

static size_t drawn(const orr_node_kinds *kinds)
{
    return kinds->list.n < DRAWN ? kinds->list.n : DRAWN;
}

/* ---- one drawing ------------------------------------------------------------------------------------------------- */

void orr_cluster_page_svg(const orr_cluster_spec *spec, orr_text *out)
{
    orr_node_kinds kinds = orr_node_kinds_of(spec, true);
    int width = 0, height = HEAD + EDGE;
    for (size_t i = 0; i < drawn(&kinds); i++) {
        const int w = orr_node_drawing_width(kinds.list.at[i].node);
        width = w > width ? w : width;
        height += orr_node_drawing_height(kinds.list.at[i].node) + GAP;
    }
    width += 2 * EDGE;
    orr_text_addf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<style>\n"
        "svg .back{fill:#fff}@media(prefers-color-scheme:dark){svg .back{fill:#12151a}}\n",
        width, height, width, height);
    orr_svg_style(out);
    orr_node_drawing_style(out);
    orr_text_addf(
        out, "</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n<text class=\"title\" x=\"%d\" y=\"28\">",
        width, height, EDGE);
    orr_markup(out, orr_cluster_spec_name(spec));
    orr_text_addf(out, "</text>\n");
    int y = HEAD;
    for (size_t i = 0; i < drawn(&kinds); i++) {
        orr_text_addf(out, "<g transform=\"translate(%d %d)\">\n", EDGE, y);
        draw(&kinds.list.at[i], out);
        orr_text_addf(out, "</g>\n");
        y += orr_node_drawing_height(kinds.list.at[i].node) + GAP;
    }
    orr_text_addf(out, "</svg>\n");
    orr_node_kinds_fini(&kinds);
}

/* ---- a page ------------------------------------------------------------------------------------------------------ */

static void fact(orr_text *out, int64_t value, const char *label)
{
    char buf[64];
    orr_format_count((uint64_t)value, buf);
    orr_page_fact(out, buf, label);
}

static void facts(const orr_cluster_spec *spec, orr_text *out)
{
    int64_t cpus = 0;
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++)
        cpus += orr_cluster_spec_node(spec, i)->cpus;
    orr_page_facts_begin(out);
    fact(out, orr_cluster_spec_nodes(spec), "nodes");
    fact(out, orr_cluster_spec_gpus(spec), "GPUs");
    if (cpus)
        fact(out, cpus, "cores");
    orr_page_facts_end(out);
}

static void figures(const orr_node_kinds *kinds, orr_text *out)
{
    for (size_t i = 0; i < drawn(kinds); i++) {
        const orr_node_spec *node = kinds->list.at[i].node;
        const int width = orr_node_drawing_width(node), height = orr_node_drawing_height(node);
        orr_text_addf(out,
                      "<figure class=\"plot wide\" id=\"node%zu\"><svg viewBox=\"0 0 %d %d\" "
                      "style=\"width:100%%;max-width:%dpx;height:auto\">\n",
                      i, width, height, width);
        if (i == 0) {
            orr_text_addf(out, "<style>");
            orr_node_drawing_style(out);
            orr_text_addf(out, "</style>\n");
        }
        draw(&kinds->list.at[i], out);
        orr_text_addf(out, "</svg></figure>\n");
    }
}

static void kind_table(const orr_node_kinds *kinds, orr_text *out)
{
    orr_grid *grid = orr_grid_of("kind of node|>nodes|>GPUs each|>sockets|rates");
    for (size_t i = 0; i < kinds->list.n; i++) {
        const orr_node_kind *kind = &kinds->list.at[i];
        orr_text title = {0}, rates = {0};
        orr_describe_node_title(kind->node, &title);
        orr_describe_node_rates(kind->node, &rates);
        orr_grid_text(grid, title.at);
        orr_grid_count(grid, (uint64_t)kind->nodes);
        orr_grid_count(grid, (uint64_t)kind->node->gpus);
        orr_grid_count(grid, (uint64_t)kind->node->sockets);
        orr_grid_text(grid, rates.n ? rates.at : "not stated");
        orr_text_fini(&title);
        orr_text_fini(&rates);
    }
    orr_page_table(out, "Kinds of node", grid);
}

void orr_cluster_page_html(const orr_cluster_spec *spec, const char *command, orr_text *out)
{
    orr_node_kinds kinds = orr_node_kinds_of(spec, true);
    orr_text text = {0};
    orr_page_begin(out, "cluster", orr_cluster_spec_name(spec));
    facts(spec, out);
    orr_page_plots_begin(out);
    figures(&kinds, out);
    orr_page_plots_end(out);
    kind_table(&kinds, out);
    orr_page_heading(out, "As text");
    orr_describe_cluster_text(spec, &text);
    orr_page_code(out, text.at);
    if (command) {
        orr_page_heading(out, "Made by");
        orr_page_code(out, command);
    }
    orr_page_end(out);
    orr_text_fini(&text);
    orr_node_kinds_fini(&kinds);
}
