#include "cluster/parts.h"

#include "base/assert.h"
#include "base/mem.h"
#include "cluster/mig.h"
#include "cluster/pools.h"

#include <stdlib.h>

/* ---- what is left of a GPU --------------------------------------------------------------------------------------- */

int32_t orr_node_part_free(const orr_node *n, int gpu)
{
    uint64_t bit = (uint64_t)1 << gpu;
    if (!(n->usable & bit))
        return 0;
    if (n->idle & bit)
        return ORR_WHOLE_GPU;
    return n->shared & bit ? ORR_WHOLE_GPU - n->parts[gpu].milli : 0;
}

static const orr_mig_profile *instance_for(const orr_node *n, orr_share share)
{
    if (share.slice)
        return &n->mig->profiles[share.slice - 1];
    return orr_mig_least(n->mig, share.milli, share.gpu_mem, n->spec->gpu_mem_bytes);
}

bool orr_node_holds_part(const orr_node *n, int gpu, orr_share share)
{
    const uint64_t bit = (uint64_t)1 << gpu;
    const int64_t mem = n->spec->gpu_mem_bytes;
    if (!((n->idle | n->shared) & bit))
        return false;
    if (n->mig) {
        const orr_mig_profile *p = instance_for(n, share);
        return p && orr_mig_place(n->mig, p, n->cuts ? n->cuts[gpu].cut : (orr_mig_cut){0}) >= 0;
    }
    const orr_part none = {0}, *part = n->shared & bit ? &n->parts[gpu] : &none;
    return part->milli + share.milli <= ORR_WHOLE_GPU && (!mem || part->mem + share.gpu_mem <= mem);
}

bool orr_node_has_part(const orr_node *n, int gpu, orr_share share)
{
    uint64_t bit = (uint64_t)1 << gpu;
    if (orr_share_is_whole(share))
        return n->free_gpus & bit;
    return (n->usable & bit) && orr_node_holds_part(n, gpu, share);
}

int orr_node_fullest_part(const orr_node *n, orr_share share)
{
    int best = -1;
    for (uint64_t m = n->usable & (n->idle | n->shared); m; m &= m - 1) {
        int gpu = orr_lowest_bit(m);
        if (orr_node_has_part(n, gpu, share) && (best < 0 || orr_node_part_free(n, gpu) < orr_node_part_free(n, best)))
            best = gpu;
    }
    return best;
}

/* ---- the sets ---------------------------------------------------------------------------------------------------- */

static orr_bits *set_of(orr_pool *p, int32_t milli)
{
    if (!p->by_part) {
        p->by_part = orr_xcalloc(ORR_WHOLE_GPU, sizeof(orr_bits *));
        p->part_count = orr_xcalloc(ORR_WHOLE_GPU, sizeof *p->part_count);
    }
    if (!p->by_part[milli]) {
        p->by_part[milli] = orr_xcalloc(1, sizeof(orr_bits));
        orr_bits_init(p->by_part[milli], p->count * 64);
    }
    return p->by_part[milli];
}

static void file_one(orr_pool *p, int32_t place, int gpu, int32_t milli, bool in)
{
    orr_bits *set = set_of(p, milli);
    if (in)
        orr_bits_add(set, place * 64 + gpu);
    else
        orr_bits_remove(set, place * 64 + gpu);
    p->part_count[milli] += in ? 1 : -1;
}

static void file_node(orr_pool *p, int32_t place, const orr_node *n, bool in)
{
    for (uint64_t m = n->shared & n->usable; m; m &= m - 1) {
        int gpu = orr_lowest_bit(m);
        int32_t left = orr_node_part_free(n, gpu);
        if (left)
            file_one(p, place, gpu, left, in);
    }
}

static void file_all(orr_cluster *c, const orr_node *n, bool in)
{
    orr_pool_at at[ORR_POOLS_OF_NODE];
    for (int i = orr_pools_of_node(c, n, at) - 1; n->shared && i >= 0; i--)
        file_node(at[i].pool, at[i].place, n, in);
}

void orr_parts_file_in(orr_pool *p, int32_t place, const orr_node *n)
{
    file_node(p, place, n, true);
}

void orr_parts_unfile(orr_cluster *c, const orr_node *n)
{
    file_all(c, n, false);
}

void orr_parts_file(orr_cluster *c, const orr_node *n)
{
    file_all(c, n, true);
}

/* The first of a pool's GPUs of which `left` is left, of those that `ok` takes. */
static orr_spot first_part(const orr_cluster *c, const orr_pool *p, int32_t left, orr_spot_ok *ok, const void *self)
{
    int32_t at = -1;
    while (p->by_part && p->part_count[left] && (at = orr_bits_next(p->by_part[left], at + 1)) >= 0) {
        orr_spot spot = {.node = p->nodes[at / 64], .gpu = at % 64};
        if (ok(self, &c->nodes[spot.node], spot.gpu))
            return spot;
    }
    return (orr_spot){.node = -1};
}

orr_spot orr_pool_part(const orr_cluster *c, int32_t vc, uint64_t types, int32_t milli, orr_spot_ok *ok, const void *self)
{
    orr_pool *in[ORR_MAX_TYPES];
    const int32_t n = orr_cluster_pools(c, vc, types, in);
    orr_spot best = {.node = -1};
    for (int32_t left = milli; best.node < 0 && left < ORR_WHOLE_GPU; left++)
        for (int32_t i = 0; i < n; i++) {
            orr_spot spot = first_part(c, in[i], left, ok, self);
            if (spot.node >= 0 && (best.node < 0 || spot.node < best.node))
                best = spot;
        }
    return best;
}

void orr_parts_fini(orr_pool *p)
{
    for (int32_t i = 0; p->by_part && i < ORR_WHOLE_GPU; i++) {
        if (p->by_part[i])
            orr_bits_fini(p->by_part[i]);
        free(p->by_part[i]);
    }
    free(p->by_part);
    free(p->part_count);
}

/* ---- instances ---------------------------------------------------------------------------------------------------- */

/* What it takes of the GPU: what was asked, or the instance that holds that. */
static int32_t take_one(orr_node *n, int gpu, orr_share share)
{
    if (!n->mig)
        return share.milli;
    const orr_mig_profile *p = instance_for(n, share);
    ORR_ASSERT(p, "a part of a GPU is given that no MIG instance holds");
    if (!n->cuts)
        n->cuts = orr_xcalloc((size_t)n->spec->gpus, sizeof *n->cuts);
    orr_mig_take(n->mig, &n->cuts[gpu], p, share.holder);
    return orr_mig_milli(n->mig, p);
}

static int32_t give_one(orr_node *n, int gpu, orr_share share)
{
    return n->mig ? orr_mig_milli(n->mig, orr_mig_give(&n->cuts[gpu], share.holder)) : share.milli;
}

/* ---- the books --------------------------------------------------------------------------------------------------- */

void orr_parts_take(orr_cluster *c, orr_node *n, uint64_t gpus, orr_share share)
{
    if (!n->parts)
        n->parts = orr_xcalloc((size_t)n->spec->gpus, sizeof *n->parts);
    orr_parts_unfile(c, n);
    for (uint64_t m = gpus; m; m &= m - 1) {
        orr_part *part = &n->parts[orr_lowest_bit(m)];
        part->milli += take_one(n, orr_lowest_bit(m), share);
        part->mem += share.gpu_mem;
        part->residents++;
        ORR_ASSERT(part->milli <= ORR_WHOLE_GPU, "a part of a GPU is given away twice");
    }
    n->idle &= ~gpus;
    n->shared |= gpus;
    orr_parts_file(c, n);
}

void orr_parts_give(orr_cluster *c, orr_node *n, uint64_t gpus, orr_share share)
{
    orr_parts_unfile(c, n);
    for (uint64_t m = gpus; m; m &= m - 1) {
        uint64_t bit = m & (~m + 1);
        orr_part *part = &n->parts[orr_lowest_bit(m)];
        part->milli -= give_one(n, orr_lowest_bit(m), share);
        part->mem -= share.gpu_mem;
        ORR_ASSERT(part->milli >= 0 && part->residents > 0, "a part of a GPU is given back twice");
        if (--part->residents > 0)
            continue;
        n->shared &= ~bit;
        n->idle |= bit;
    }
    orr_parts_file(c, n);
}
