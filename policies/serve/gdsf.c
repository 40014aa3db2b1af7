/* gdsf: a result cache that keeps what saves most by its size, and ages: greedy dual size with frequency.
 *
 * Source: Cherkasova, "Improving WWW proxies performance with greedy-dual-size-frequency caching policy", HP
 * Laboratories 1998. An item's score is age + uses * seconds saved / bytes; the age becomes that of whatever went
 * last.
 */
#include <orrery/serve.h>

struct mine {
    double age;
};

static double score(orr_ctx *ctx, const orr_item *item, uint64_t hits)
{
    const struct mine *m = orr_state(ctx);
    return m->age + (double)(hits + 1) * item->saves / (item->bytes > 0 ? (double)item->bytes : 1);
}

static void on_evict(orr_ctx *ctx, const orr_item *item, double went)
{
    struct mine *m = orr_state(ctx);
    (void)item;
    m->age = went;
}

ORR_CACHE(gdsf) = {
    .summary = "result cache: the least used by what it saves goes, with ageing",
    .cite = "Cherkasova, greedy dual size frequency, HP Laboratories 1998",
    .deviations = "one age for all services; what a hit saves is the time of a batch of one",
    .state_size = sizeof(struct mine),
    .score = score,
    .on_evict = on_evict,
};
