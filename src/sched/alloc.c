/* Allocations, filled by placers or by hand. */
#include "sched/ctx.h"

orr_err orr_alloc_add(orr_alloc *out, int32_t node, uint64_t gpus)
{
    if (node < 0 || gpus == 0)
        return ORR_E_PLAN_CAPACITY;
    orr_alloc_append(out, (orr_slice){.node = node, .gpus = gpus});
    return ORR_OK;
}

orr_err orr_alloc_add_slice(orr_alloc *out, const orr_slice *slice)
{
    if (slice->node < 0 || slice->milli < 0 || slice->milli > ORR_WHOLE_GPU || slice->cpu_milli < 0 || slice->mem < 0)
        return ORR_E_PLAN_CAPACITY;
    orr_alloc_append(out, *slice);
    return ORR_OK;
}

int64_t orr_alloc_milli(const orr_alloc *alloc)
{
    return alloc->milli;
}

int32_t orr_alloc_gpus(const orr_alloc *alloc)
{
    return alloc->gpus;
}

int32_t orr_alloc_nodes(const orr_alloc *alloc)
{
    return alloc->count;
}

const orr_slice *orr_alloc_slices(const orr_alloc *alloc)
{
    return orr_slices(alloc);
}
