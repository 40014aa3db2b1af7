/* Inside a cluster description: VCs that own no nodes, their quotas, and the chains of cells that quotas may name. */
#ifndef ORR_CONFIG_TENANTS_H
#define ORR_CONFIG_TENANTS_H

#include "base/mem.h"

#include <orrery/cluster.h>

typedef struct orr_tenants {
    ORR_VEC(orr_quota) quotas; /* by the VC's index; empty: VCs own nodes */
    ORR_VEC(orr_chain_spec) chains;
    orr_arena arena;
} orr_tenants;

void orr_tenants_fini(orr_tenants *t);
/* Checks and copies; the VC's name is the caller's business. */
orr_err orr_tenants_add(orr_tenants *t, const char *vc, const orr_quota *quota, orr_error *e);
orr_err orr_tenants_add_chain(orr_tenants *t, const orr_chain_spec *chain, orr_error *e);

#endif
