/* What a cluster consists of, for `orrery describe`: counted once, shown as text for people or JSON for programs. */
#ifndef ORR_CONFIG_DESCRIBE_H
#define ORR_CONFIG_DESCRIBE_H

#include "base/text.h"
#include <cjson/cJSON.h>
#include <orrery/cluster.h>

/* Some lines, each ended by a newline: totals, then a table by GPU type, by VC if there is more than one, by size, then
 * how the GPUs of each kind of node are connected, where that is stated. */
void orr_describe_cluster_text(const orr_cluster_spec *spec, orr_text *out);
/* An object of schema "orrery.cluster-facts/1", keys in fixed order; to be freed with cJSON_Delete. */
cJSON *orr_describe_cluster_json(const orr_cluster_spec *spec);

/* Parts of both: tenants and their quotas. Nothing where VCs own nodes. */
void orr_describe_tenants_text(const orr_cluster_spec *spec, orr_text *out);
void orr_describe_tenants_json(const orr_cluster_spec *spec, cJSON *object);

#endif
