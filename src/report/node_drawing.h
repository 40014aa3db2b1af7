/* A node drawn as SVG: NICs, sockets and PCIe switches above its GPUs, NVLinks as arcs below them (the thicker the more
 * links), an NVSwitch as a bar. Values are in <title> elements where a pointer rests.
 */
#ifndef ORR_REPORT_NODE_DRAWING_H
#define ORR_REPORT_NODE_DRAWING_H

#include "base/text.h"
#include <orrery/topology.h>

/* The rules of <style> for it, besides those of orr_svg_style. */
void orr_node_drawing_style(orr_text *out);
int orr_node_drawing_width(const orr_node_spec *node);
int orr_node_drawing_height(const orr_node_spec *node);
/* At (0, 0); `title` stands above it. */
void orr_node_draw(const orr_node_spec *node, const char *title, orr_text *out);

#endif
