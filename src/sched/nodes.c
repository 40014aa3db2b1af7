/* Queries about nodes, as the plan sees them. */
#include "cluster/hosts.h"
#include "cluster/nodelife.h"
#include "model/power.h"
#include "cluster/parts.h"
#include "sched/ctx.h"

#include <math.h>

static const orr_node *node_at(const orr_ctx *ctx, int32_t node)
{
    return &ctx->world->cluster->nodes[node];
}

bool orr_node_suits_job(const orr_node *n, const orr_job *job)
{
    return (job->types & n->type) != 0;
}

bool orr_node_has_host(const orr_node *n, orr_share share)
{
    return (!n->spec->cpus || share.cpu_milli <= n->cpu_milli_free) && (!n->spec->mem_bytes || share.mem <= n->mem_free);
}

int32_t orr_node_room(const orr_ctx *ctx, const orr_job *job, int32_t node)
{
    const orr_node *n = node_at(ctx, node);
    if (!orr_node_suits_job(n, job))
        return 0;
    int32_t k = n->free;
    while (k > 0 && !orr_node_has_host(n, orr_job_share(job, k)))
        k--;
    return k;
}

int32_t orr_node_gpus(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->spec->gpus;
}

uint64_t orr_node_up_gpus(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->up;
}

uint64_t orr_node_free_gpus(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->free_gpus;
}

int32_t orr_node_gpu_free(const orr_ctx *ctx, int32_t node, int32_t gpu)
{
    return orr_node_part_free(node_at(ctx, node), gpu);
}

int32_t orr_node_cpus(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->spec->cpus;
}

int64_t orr_node_cpu_free(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->cpu_milli_free;
}

int64_t orr_node_free_milli(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->left;
}

int64_t orr_node_mem(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->spec->mem_bytes;
}

int64_t orr_node_mem_free(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->mem_free;
}

const char *orr_node_gpu_type(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->spec->gpu_type;
}

int32_t orr_node_vc(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->vc;
}

int32_t orr_node_type(const orr_ctx *ctx, int32_t node)
{
    const orr_node *n = node_at(ctx, node);
    return n->spec->gpus ? orr_lowest_bit(n->type) : -1;
}

bool orr_node_suits(const orr_ctx *ctx, const orr_job *job, int32_t node)
{
    return orr_node_suits_job(node_at(ctx, node), job);
}

static orr_share one_gpu(const orr_job *job, int32_t milli)
{
    orr_share share = orr_job_share(job, 1);
    share.milli = milli;
    return share;
}

bool orr_node_takes(const orr_ctx *ctx, const orr_job *job, int32_t node, int32_t gpu, int32_t milli)
{
    const orr_node *n = node_at(ctx, node);
    orr_share share = one_gpu(job, milli);
    return orr_node_suits_job(n, job) && orr_node_has_host(n, share) && orr_node_has_part(n, gpu, share);
}

/* GPUs that could each be given this much. */
static int32_t gpus_with(const orr_node *n, orr_share share)
{
    int32_t k = 0;
    for (uint64_t m = n->usable & (n->idle | n->shared); m; m &= m - 1)
        k += orr_node_has_part(n, orr_lowest_bit(m), share);
    return k;
}

bool orr_node_hosts(const orr_ctx *ctx, const orr_request *r, int32_t node)
{
    const orr_node *n = node_at(ctx, node);
    orr_share share = orr_job_share(r->job, r->gpus);
    share.milli = r->milli;
    if (!orr_node_suits_job(n, r->job) || !orr_node_has_host(n, share))
        return false;
    if (r->gpus == 0)
        return orr_node_open(n);
    return orr_share_is_whole(share) ? n->free >= r->gpus : gpus_with(n, share) >= r->gpus;
}

uint64_t orr_node_shared_gpus(const orr_ctx *ctx, int32_t node)
{
    return node_at(ctx, node)->shared;
}

int32_t orr_node_gangs(const orr_ctx *ctx, int32_t node, int32_t gpus)
{
    const orr_node *n = node_at(ctx, node);
    return gpus > 0 && gpus <= n->spec->gpus ? n->gangs[gpus] : 0;
}

int32_t orr_gpu_residents(const orr_ctx *ctx, int32_t node, int32_t gpu, orr_job **out, int32_t n)
{
    return orr_life_residents(ctx->world->life, node, gpu, out, n);
}

bool orr_nodes_changed(orr_ctx *ctx, uint64_t *seen, void (*each)(void *self, int32_t node), void *self)
{
    orr_cluster *c = ctx->world->cluster;
    if (c != ctx->world->real) /* feasibility is asked of an empty cluster: its changes are nobody's news */
        return *seen = UINT64_MAX, false;
    orr_cluster_watch(c);
    return orr_cluster_changes(c, seen, each, self);
}

/* ---- where placers leave it to the engine ------------------------------------------------------------------------ */

static bool host_suits(const void *job, const orr_node *n)
{
    return orr_node_suits_job(n, job);
}

orr_err orr_fill_cores(orr_ctx *ctx, const orr_request *r, orr_alloc *out)
{
    int32_t node = orr_pool_with_host(ctx->world->cluster, r->scope.vc, r->scope.types, orr_job_share(r->job, 0), host_suits, r->job);
    if (node < 0)
        return ORR_E_NOFIT;
    orr_alloc_append(out, (orr_slice){.node = node});
    return ORR_OK;
}

uint64_t orr_node_parts_for(const orr_node *n, const orr_job *job, int32_t milli, int32_t want)
{
    uint64_t taken = 0;
    orr_node rest = *n; /* without those taken so far */
    for (int32_t k = 1; k <= want; k++) {
        orr_share share = orr_job_share(job, k);
        share.milli = milli;
        int gpu = orr_node_has_host(n, share) ? orr_node_fullest_part(&rest, share) : -1;
        if (gpu < 0)
            break;
        taken |= (uint64_t)1 << gpu;
        rest.usable &= ~((uint64_t)1 << gpu);
        rest.free_gpus &= rest.usable;
    }
    return taken;
}

static int32_t take_parts(const orr_node *n, int32_t node, const orr_request *r, int32_t want, orr_alloc *out)
{
    uint64_t gpus = orr_node_suits_job(n, r->job) ? orr_node_parts_for(n, r->job, r->milli, want) : 0;
    if (gpus)
        orr_alloc_append(out, (orr_slice){.node = node, .milli = r->milli, .gpus = gpus});
    return orr_bit_count(gpus);
}

static bool spot_suits(const void *request, const orr_node *n, int gpu)
{
    const orr_request *r = request;
    orr_share share = one_gpu(r->job, r->milli);
    return orr_node_suits_job(n, r->job) && orr_node_has_host(n, share) && orr_node_has_part(n, gpu, share);
}

/* First among the GPUs that are shared already, fullest first; then on free ones, fullest nodes first. A gang of parts
 * looks at all nodes: several of its parts may go to one node, whose GPUs no set tells apart. */
orr_err orr_fill_parts(orr_ctx *ctx, const orr_request *r, orr_alloc *out)
{
    orr_cluster *c = ctx->world->cluster;
    orr_spot spot = {.node = -1};
    if (r->gpus == 1)
        spot = orr_pool_part(c, r->scope.vc, r->scope.types, r->milli, spot_suits, r);
    if (spot.node >= 0) {
        orr_alloc_append(out, (orr_slice){.node = spot.node, .milli = r->milli, .gpus = (uint64_t)1 << spot.gpu});
        return ORR_OK;
    }
    int32_t left = r->gpus, widest = orr_scope_widest(ctx, r->scope);
    for (int32_t free = r->gpus == 1; left > 0 && free <= widest; free++)
        for (int32_t node = -1; left > 0 && (node = orr_node_with_free(ctx, r->scope, free, node)) >= 0;)
            left -= take_parts(&c->nodes[node], node, r, left, out);
    return left ? ORR_E_NOFIT : ORR_OK;
}

orr_node_state orr_node_state_now(const orr_ctx *ctx, int32_t node)
{
    return orr_nodelife_state(ctx->world->nodes, node);
}

bool orr_node_busy(const orr_ctx *ctx, int32_t node)
{
    const orr_node *n = node_at(ctx, node);
    return n->idle != n->all || ctx->world->life->tenants[node].n > 0;
}

double orr_node_price(const orr_ctx *ctx, int32_t node)
{
    return orr_world_price(ctx->world, orr_lowest_bit(node_at(ctx, node)->type));
}

/* ---- clocks ---- */

static const orr_clocks *clocks_of(const orr_ctx *ctx, int32_t node)
{
    const orr_node *n = node_at(ctx, node);
    return ctx->world->clocks && n->spec->gpus ? &ctx->world->clocks[orr_lowest_bit(n->type)] : NULL;
}

int32_t orr_node_clocks(const orr_ctx *ctx, int32_t node)
{
    const orr_clocks *c = clocks_of(ctx, node);
    return c ? c->n : 1;
}

int32_t orr_node_clock(const orr_ctx *ctx, int32_t node)
{
    return ctx->world->real->nodes[node].clock;
}

bool orr_node_clock_point(const orr_ctx *ctx, int32_t node, int32_t point, double *clock, double *speed, double *power)
{
    const orr_clocks *c = clocks_of(ctx, node);
    if (point < 0 || point >= (c ? c->n : 1))
        return false;
    *clock = c ? c->at[point]->clock : 1;
    *speed = c ? c->at[point]->speed : 1;
    *power = c ? c->at[point]->power : 1;
    return true;
}
