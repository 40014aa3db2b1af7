#include "model/collective.h"

#include <math.h>

/* Rounds of halving, and what a p besides a power of two adds: some workers hand all they have to a neighbour first and
 * get the result in the end. */
static orr_exchange halving(int32_t p)
{
    const int rounds = (int)floor(log2((double)p));
    const double power = ldexp(1, rounds);
    const orr_exchange even = {2 * rounds, 2 * (power - 1) / power};
    return (double)p == power ? even : (orr_exchange){even.steps + 2, even.volume + 2};
}

orr_exchange orr_collective_exchange(orr_collective what, int32_t p)
{
    const double others = p - 1, part = others / (p > 0 ? p : 1), depth = p > 1 ? ceil(log2((double)p)) : 0;
    if (p < 2)
        return (orr_exchange){0, 0};
    switch (what) {
    case ORR_ALL_REDUCE_RING:
        return (orr_exchange){2 * others, 2 * part};
    case ORR_ALL_REDUCE_HALVING:
        return halving(p);
    case ORR_ALL_REDUCE_TREE:
        return (orr_exchange){2 * depth, p == 2 ? 2 : 4};
    case ORR_ALL_REDUCE_TREES:
        return (orr_exchange){2 * depth, 2};
    case ORR_REDUCE_SCATTER:
    case ORR_ALL_GATHER:
    case ORR_ALL_TO_ALL:
        return (orr_exchange){others, part};
    case ORR_BROADCAST:
        return (orr_exchange){others, 1};
    case ORR_SEND_RECV:
    case ORR_COLLECTIVES:
        break;
    }
    return (orr_exchange){1, 1};
}

static double seconds(orr_exchange x, double bytes, orr_hop hop)
{
    const double moving = hop.bps > 0 ? x.volume * bytes / hop.bps : 0;
    return x.steps * hop.latency + moving;
}

double orr_collective_seconds(orr_collective what, int32_t p, double bytes, orr_hop hop)
{
    return seconds(orr_collective_exchange(what, p), bytes, hop);
}

double orr_collective_bus_rate(orr_collective what, int32_t p, double bytes, double time)
{
    const bool all_reduce = what <= ORR_ALL_REDUCE_TREES;
    const double volume = orr_collective_exchange(all_reduce ? ORR_ALL_REDUCE_RING : what, p).volume;
    return time > 0 ? volume * bytes / time : 0;
}

double orr_collective_hierarchical(int32_t gpus, int32_t nodes, double bytes, orr_hop inside, orr_hop between,
                                   int32_t nics)
{
    const orr_hop rail = {between.latency, between.bps * (nics > 0 ? nics : 1) / gpus}; /* of one of the `gpus` rings */
    return orr_collective_seconds(ORR_ALL_REDUCE_RING, gpus, bytes, inside) +
           orr_collective_seconds(ORR_ALL_REDUCE_RING, nodes, bytes / gpus, rail);
}

double orr_collective_flat_ring(int32_t gpus, int32_t nodes, double bytes, orr_hop inside, orr_hop between)
{
    const bool one_node = nodes == 1, alone = gpus == 1;
    const double narrow = one_node                   ? inside.bps
                          : alone || inside.bps <= 0 ? between.bps
                                                     : fmin(inside.bps, between.bps);
    return orr_collective_seconds(ORR_ALL_REDUCE_RING, gpus * nodes, bytes,
                                  (orr_hop){one_node ? inside.latency : between.latency, narrow});
}

static double per(double amount, double bps)
{
    return bps > 0 ? amount / bps : 0;
}

double orr_collective_servers(int32_t workers, int32_t servers, double bytes, double worker_bps, double server_bps)
{
    return 2 * bytes * fmax(per(1, worker_bps), per((double)workers / servers, server_bps));
}
