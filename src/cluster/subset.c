/* Which of the free GPUs of a node are best for so many.
 *
 * Small nodes: all subsets are compared once and the answer is kept. Large symmetric ones: the tree of sockets and
 * switches is gone down like a buddy allocator's, the part with the least room that suffices first. Large meshes: the
 * set grows from its best pair by the GPU with the widest way to those chosen.
 */
#include "cluster/bits.h"
#include "cluster/topology.h"

/* ---- small nodes: compare all ---- */

typedef struct choice {
    uint64_t gpus;
    double ring;
    int32_t whole; /* GPUs of the islands that stay whole */
    orr_level level;
    int32_t distance;
} choice;

static int32_t left_whole(const orr_topology *t, uint64_t left)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < t->island_count; i++)
        if ((t->islands[i] & ~left) == 0)
            sum += orr_bit_count(t->islands[i]);
    return sum;
}

static int32_t scattered(const orr_topology *t, uint64_t gpus)
{
    int32_t sum = 0;
    for (uint64_t a = gpus; a; a &= a - 1)
        for (uint64_t b = a & (a - 1); b; b &= b - 1)
            sum += orr_topology_distance(t, orr_lowest_bit(a), orr_lowest_bit(b));
    return sum;
}

static choice weigh(orr_topology *t, uint64_t free, uint64_t gpus)
{
    return (choice){gpus, orr_topology_ring(t, gpus), left_whole(t, free & ~gpus), orr_topology_level(t, gpus),
                    scattered(t, gpus)};
}

/* Of two sets that differ, the one with the lowest GPU that isn't in both. */
static bool comes_first(uint64_t a, uint64_t b)
{
    const uint64_t differ = a ^ b;
    return (a & (differ & (~differ + 1))) != 0;
}

static bool better(const choice *a, const choice *b)
{
    if (a->ring != b->ring)
        return a->ring > b->ring;
    if (a->whole != b->whole)
        return a->whole > b->whole;
    if (a->level != b->level)
        return a->level < b->level;
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return comes_first(a->gpus, b->gpus);
}

static uint64_t compare_all(orr_topology *t, uint64_t free, int32_t count)
{
    choice best = {0};
    for (uint64_t set = free; set; set = (set - 1) & free) {
        if (orr_bit_count(set) != count)
            continue;
        const choice next = weigh(t, free, set);
        if (!best.gpus || better(&next, &best))
            best = next;
    }
    return best.gpus;
}

static uint64_t remembered(orr_topology *t, uint64_t free, int32_t count)
{
    uint8_t *known = &t->subsets[(size_t)free * ((size_t)t->spec->gpus + 1) + (size_t)count];
    if (!*known)
        *known = (uint8_t)compare_all(t, free, count);
    return *known;
}

/* ---- large nodes ---- */

/* Of the free GPUs of the parts of a kind, those of the part with the least room that suffices; if none does, of the
 * roomiest. */
static uint64_t best_part(const orr_topology *t, uint64_t free, int32_t count, int (*of)(const orr_node_spec *, int))
{
    uint64_t best = 0;
    for (uint64_t left = free; left;) {
        const int where = of(t->spec, orr_lowest_bit(left));
        uint64_t part = 0;
        for (uint64_t m = left; m; m &= m - 1)
            part |= of(t->spec, orr_lowest_bit(m)) == where ? m & (~m + 1) : 0;
        left &= ~part;
        const int32_t room = orr_bit_count(part), had = orr_bit_count(best);
        const bool enough = room >= count;
        if (had >= count ? enough && room < had : room > had)
            best = part;
    }
    return best;
}

static uint64_t from_switches(const orr_topology *t, uint64_t free, int32_t count)
{
    uint64_t taken = 0;
    while (count > 0 && t->wiring.switches) {
        const uint64_t part = best_part(t, free & ~taken, count, orr_switch_of);
        const int32_t n = orr_bit_count(part);
        taken |= orr_lowest_bits(part, n < count ? n : count);
        count -= n < count ? n : count;
    }
    return taken | orr_lowest_bits(free & ~taken, count);
}

/* Both take part after part until there are enough. */
static uint64_t from_sockets(const orr_topology *t, uint64_t free, int32_t count)
{
    uint64_t taken = 0;
    while (count > 0) {
        const uint64_t part = best_part(t, free & ~taken, count, orr_socket_of);
        const int32_t n = orr_bit_count(part);
        taken |= from_switches(t, part, n < count ? n : count);
        count -= n < count ? n : count;
    }
    return taken;
}

static uint64_t best_pair(const orr_topology *t, uint64_t free)
{
    uint64_t best = 0;
    double rate = -1;
    for (uint64_t a = free; a; a &= a - 1) {
        for (uint64_t b = a & (a - 1); b; b &= b - 1) {
            const double next = orr_topology_bps(t, orr_lowest_bit(a), orr_lowest_bit(b));
            if (next <= rate)
                continue;
            rate = next;
            best = (a & (~a + 1)) | (b & (~b + 1));
        }
    }
    return best;
}

static double width(const orr_topology *t, uint64_t chosen, int gpu)
{
    double sum = 0;
    for (uint64_t m = chosen; m; m &= m - 1)
        sum += orr_topology_bps(t, orr_lowest_bit(m), gpu);
    return sum;
}

static uint64_t grown(const orr_topology *t, uint64_t free, int32_t count)
{
    uint64_t chosen = best_pair(t, free);
    while (orr_bit_count(chosen) < count) {
        int best = -1;
        for (uint64_t m = free & ~chosen; m; m &= m - 1)
            if (best < 0 || width(t, chosen, orr_lowest_bit(m)) > width(t, chosen, best))
                best = orr_lowest_bit(m);
        chosen |= (uint64_t)1 << best;
    }
    return chosen;
}

uint64_t orr_topology_best(orr_topology *t, uint64_t free, int32_t count)
{
    free &= t->all;
    const int32_t n = orr_bit_count(free);
    if (count < 1 || count > n)
        return 0;
    if (count == n)
        return free;
    if (t->subsets)
        return remembered(t, free, count);
    return t->wiring.nvlinks && count > 1 ? grown(t, free, count) : from_sockets(t, free, count);
}
