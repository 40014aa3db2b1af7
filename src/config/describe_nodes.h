/* How the GPUs of each kind of node are connected, and the racks: as text for people and JSON for programs. */
#ifndef ORR_CONFIG_DESCRIBE_NODES_H
#define ORR_CONFIG_DESCRIBE_NODES_H

#include "base/text.h"
#include <cjson/cJSON.h>
#include <orrery/topology.h>

#define ORR_RATE_BUF 48

/* "12.5 GB/s"; buf holds ORR_RATE_BUF. */
const char *orr_describe_rate(double bps, char *buf);
/* "8 x V100, NVLink between some pairs" */
void orr_describe_node_title(const orr_node_spec *node, orr_text *out);
/* "NVLink 20 GB/s a link, PCIe 12 GB/s, …"; "" where no rate is stated. */
void orr_describe_node_rates(const orr_node_spec *node, orr_text *out);

/* The fabric in a line, if it is stated, and a drawing of each kind of node whose links are stated, the first few. */
void orr_describe_fabric_text(const orr_cluster_spec *spec, orr_text *out);
void orr_describe_nodes_text(const orr_cluster_spec *spec, orr_text *out);
/* Members `fabric` and `wiring`. */
void orr_describe_nodes_json(const orr_cluster_spec *spec, cJSON *object);

#endif
