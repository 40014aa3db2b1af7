/* clock: a result cache by second chance: a hand goes round, who was used since it last passed is spared once.
 *
 * Source: Crankshaw et al., "Clipper: a low-latency online prediction serving system", NSDI 2017, section 4.2, which
 * evicts by CLOCK.
 */
#include <orrery/serve.h>

ORR_CACHE(clock) = {
    .summary = "result cache: who wasn't used since the hand last passed goes",
    .cite = "Crankshaw et al., Clipper, NSDI 2017, section 4.2",
    .deviations = "all results of a service are of one size",
    .flags = ORR_CACHE_CLOCK,
};
