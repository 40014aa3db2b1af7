/* Inside a cluster description: what the readers of this folder may set, and the limits that every way in obeys. */
#ifndef ORR_CONFIG_SPEC_H
#define ORR_CONFIG_SPEC_H

#include <orrery/cluster.h>

#define ORR_CLUSTER_MAX_NODES 1000000
#define ORR_NODE_MAX_SOCKETS 64
#define ORR_NODE_MAX_CPUS 65536
#define ORR_NODE_MAX_BYTES (INT64_C(1) << 46) /* 64 TiB, of a host or a GPU */
#define ORR_CLUSTER_MAX_TEXT 200              /* bytes of a name */

/* Keeps one copy of `text` as long as the description lives. */
const char *orr_cluster_spec_keep(orr_cluster_spec *spec, const char *text);
void orr_cluster_spec_set_name(orr_cluster_spec *spec, const char *name);
void orr_cluster_spec_set_format(orr_cluster_spec *spec, const char *format);
void orr_cluster_spec_set_digest(orr_cluster_spec *spec, const char hex[65]);
void orr_cluster_spec_add_capacity(orr_cluster_spec *spec, const orr_capacity_change *change);
void orr_cluster_spec_add_note(orr_cluster_spec *spec, const char *fmt, ...) ORR_PRINTF(2, 3);

#endif
