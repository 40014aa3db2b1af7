#include "config/kinds.h"

#include "base/text.h"

/* Types and wirings are kept once in a description, so that their addresses tell them apart. */
static uint32_t id_of(orr_names *ids, const orr_node_spec *node)
{
    orr_text key = {0};
    orr_text_add(&key, (const char *)&node->gpus, sizeof node->gpus);
    orr_text_add(&key, (const char *)&node->sockets, sizeof node->sockets);
    orr_text_add(&key, (const char *)&node->gpu_type, sizeof node->gpu_type);
    orr_text_add(&key, (const char *)&node->wiring, sizeof node->wiring);
    const uint32_t id = orr_names_id(ids, key.at, key.n);
    orr_text_fini(&key);
    return id;
}

orr_node_kinds orr_node_kinds_of(const orr_cluster_spec *spec, bool all)
{
    orr_node_kinds kinds = {0};
    orr_names *ids = orr_names_create();
    for (int32_t i = 0; i < orr_cluster_spec_nodes(spec); i++) {
        const orr_node_spec *node = orr_cluster_spec_node(spec, i);
        if (!node->gpus || (!node->wiring && !all))
            continue;
        const uint32_t id = id_of(ids, node);
        if (id == kinds.list.n)
            ORR_VEC_PUSH(&kinds.list, ((orr_node_kind){.node = node}));
        kinds.list.at[id].nodes++;
    }
    orr_names_destroy(ids);
    return kinds;
}

void orr_node_kinds_fini(orr_node_kinds *kinds)
{
    ORR_VEC_FREE(&kinds->list);
}
