/* lru: a result cache that forgets what nobody has asked for longest. It is what a cache without a module does, by
 * name.
 *
 * Source: Crankshaw et al., "Clipper: a low-latency online prediction serving system", NSDI 2017, section 4.2:
 * requests for what is being worked out join it, which the engine sees to.
 */
#include <orrery/serve.h>

ORR_CACHE(lru) = {
    .summary = "result cache: the least recently used goes",
    .cite = "Crankshaw et al., Clipper, NSDI 2017, section 4.2",
    .deviations = "all results of a service are of one size",
};
