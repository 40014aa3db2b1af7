/* The header as bytes: facts as key and value, of which empty ones are left out, then runs of equal nodes. */
#include "log/record.h"

static const struct {
    const char *key;
    size_t offset;
} facts[] = {
    {"program", offsetof(orr_log_header, program)},
    {"trace", offsetof(orr_log_header, trace)},
    {"trace_digest", offsetof(orr_log_header, trace_digest)},
    {"cluster", offsetof(orr_log_header, cluster)},
    {"cluster_digest", offsetof(orr_log_header, cluster_digest)},
    {"policy", offsetof(orr_log_header, policy)},
    {"policy_resolved", offsetof(orr_log_header, policy_resolved)},
    {"costs", offsetof(orr_log_header, costs)},
    {"clock", offsetof(orr_log_header, clock)},
    {"measure", offsetof(orr_log_header, measure)},
    {"model", offsetof(orr_log_header, model)},
    {"profiles", offsetof(orr_log_header, profiles)},
    {"profiles_digest", offsetof(orr_log_header, profiles_digest)},
    {"throughputs", offsetof(orr_log_header, throughputs)},
    {"throughputs_digest", offsetof(orr_log_header, throughputs_digest)},
    {"applications", offsetof(orr_log_header, applications)},
    {"applications_digest", offsetof(orr_log_header, applications_digest)},
    {"interference", offsetof(orr_log_header, interference)},
    {"net", offsetof(orr_log_header, net)},
    {"scenario", offsetof(orr_log_header, scenario)},
    {"scenario_digest", offsetof(orr_log_header, scenario_digest)},
    {"services", offsetof(orr_log_header, services)},
    {"services_digest", offsetof(orr_log_header, services_digest)},
    {"serve", offsetof(orr_log_header, serve)},
};
enum { FACTS = sizeof facts / sizeof *facts, ONE_POOL = 1, BORROWS = 2 };

static const char **fact_of(orr_log_header *header, size_t i)
{
    return (const char **)((char *)header + facts[i].offset);
}

static void put_nodes(orr_text *out, const orr_log_nodes *n)
{
    orr_pack_signed(out, n->count);
    orr_pack_signed(out, n->gpus);
    orr_pack_signed(out, n->cpus);
    orr_pack_signed(out, n->mem);
    orr_pack_signed(out, n->gpu_mem);
    orr_pack_text(out, n->type);
    orr_pack_text(out, n->vc);
    orr_pack_text(out, n->rack);
    orr_pack_text(out, n->name);
}

static bool is_told(const char *fact)
{
    return fact && fact[0];
}

void orr_log_put_header(orr_text *out, const orr_log_header *header)
{
    orr_log_header copy = *header;
    unsigned told = 0;
    for (size_t i = 0; i < FACTS; i++)
        told += is_told(*fact_of(&copy, i));
    orr_pack_unsigned(out, told);
    for (size_t i = 0; i < FACTS; i++) {
        if (!is_told(*fact_of(&copy, i)))
            continue;
        orr_pack_text(out, facts[i].key);
        orr_pack_text(out, *fact_of(&copy, i));
    }
    orr_pack_unsigned(out, header->seed);
    orr_pack_unsigned(out, header->jobs);
    orr_pack_time(out, header->first_asked);
    orr_pack_time(out, header->last_asked);
    orr_pack_unsigned(out, (header->one_pool ? ONE_POOL : 0u) | (header->borrows ? BORROWS : 0u));
    orr_pack_unsigned(out, header->node_runs);
    for (size_t i = 0; i < header->node_runs; i++)
        put_nodes(out, &header->nodes[i]);
    orr_pack_unsigned(out, header->tenant_count);
    for (size_t i = 0; i < header->tenant_count; i++) {
        orr_pack_text(out, header->tenants[i].vc);
        orr_pack_signed(out, header->tenants[i].quota);
    }
}

/* Facts of another version's are passed over. */
static void take_fact(orr_packed *in, orr_arena *arena, orr_log_header *header)
{
    const char *key = orr_unpack_text(in, arena), *value = orr_unpack_text(in, arena);
    for (size_t i = 0; i < FACTS; i++)
        if (strcmp(facts[i].key, key) == 0)
            *fact_of(header, i) = value;
}

static orr_log_nodes take_nodes(orr_packed *in, uint32_t version, orr_arena *arena)
{
    orr_log_nodes n;
    n.count = orr_unpack_int32(in, 1, INT32_MAX);
    n.gpus = orr_unpack_int32(in, 0, ORR_LOG_MAX_GPUS);
    n.cpus = orr_unpack_int32(in, 0, INT32_MAX);
    n.mem = orr_unpack_amount(in);
    n.gpu_mem = version == 1 ? 0 : orr_unpack_amount(in);
    n.type = orr_unpack_text(in, arena);
    n.vc = orr_unpack_text(in, arena);
    n.rack = orr_unpack_text(in, arena);
    n.name = orr_unpack_text(in, arena);
    return n;
}

static bool take_all_nodes(orr_packed *in, uint32_t version, orr_arena *arena, orr_log_header *header)
{
    const uint32_t runs = orr_unpack_count(in, 8);
    orr_log_nodes *nodes = orr_arena_alloc(arena, (runs + 1) * sizeof *nodes);
    for (uint32_t i = 0; i < runs && !in->bad; i++)
        nodes[i] = take_nodes(in, version, arena);
    header->nodes = nodes;
    header->node_runs = runs;
    return !in->bad && orr_log_node_count(header) <= ORR_LOG_MAX_NODES;
}

static void take_tenants(orr_packed *in, orr_arena *arena, orr_log_header *header)
{
    const uint32_t n = orr_unpack_count(in, 2);
    orr_log_tenant *tenants = orr_arena_alloc(arena, (n + 1) * sizeof *tenants);
    for (uint32_t i = 0; i < n && !in->bad; i++) {
        tenants[i].vc = orr_unpack_text(in, arena);
        tenants[i].quota = orr_unpack_amount(in);
    }
    header->tenants = tenants;
    header->tenant_count = n;
}

bool orr_log_take_header(orr_packed *in, uint32_t version, orr_arena *arena, orr_log_header *header)
{
    const uint32_t n = orr_unpack_count(in, 2);
    *header = (orr_log_header){.seed = 0};
    for (size_t i = 0; i < FACTS; i++)
        *fact_of(header, i) = "";
    for (uint32_t i = 0; i < n && !in->bad; i++)
        take_fact(in, arena, header);
    header->seed = orr_unpack_unsigned(in);
    header->jobs = orr_unpack_unsigned(in);
    header->first_asked = orr_unpack_time(in);
    header->last_asked = orr_unpack_time(in);
    const uint64_t flags = orr_unpack_unsigned(in);
    header->one_pool = flags & ONE_POOL;
    header->borrows = flags & BORROWS;
    if (!take_all_nodes(in, version, arena, header))
        return false;
    if (version > 1)
        take_tenants(in, arena, header);
    return !in->bad && in->at == in->end;
}
