/* A job's cheapest mix for a target speed: of the points (speed, price) of the types and (0, 0), idle, the lower
 * convex hull at the target. Walks along the hull from idle on: the next corner is the one with the least slope. */
#include "solve/prices.h"

/* The next corner after `at` (-1: idle); among equal slopes the fastest. -1: `at` is the last. */
static int32_t next_corner(const double *speed, const double *price, int32_t types, double from_speed, double from_cost)
{
    int32_t best = -1;
    double best_gain = 1, best_cost = 0;
    for (int32_t k = 0; k < types; k++) {
        double gain = speed[k] - from_speed, cost = price[k] - from_cost;
        if (gain <= 0)
            continue;
        double ahead = cost * best_gain - best_cost * gain; /* slopes compared without dividing */
        if (best < 0 || ahead < 0 || (!(ahead > 0) && gain > best_gain)) {
            best = k;
            best_gain = gain;
            best_cost = cost;
        }
    }
    return best;
}

orr_mix orr_mix_cheapest(const double *speed, const double *price, int32_t types, double target)
{
    orr_mix m = {.slow = -1, .fast = -1};
    double at_speed = 0, at_cost = 0;
    while (target > at_speed) {
        int32_t next = next_corner(speed, price, types, at_speed, at_cost);
        if (next < 0)
            break;
        m.slow = m.fast;
        m.fast = next;
        double gain = speed[next] - at_speed;
        m.slope = (price[next] - at_cost) / gain;
        m.step = 1 / gain;
        m.fast_part = target < speed[next] ? (target - at_speed) / gain : 1;
        m.cost = at_cost + m.fast_part * (price[next] - at_cost);
        at_speed = speed[next];
        at_cost = price[next];
    }
    m.slow_part = m.slow < 0 ? 0 : 1 - m.fast_part;
    return m;
}
