/* Limits that are often met exactly: 1e-9 of their size is forgiven, so that a sum may be rounded either way. */
#ifndef ORR_SOLVE_LIMITS_H
#define ORR_SOLVE_LIMITS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static const double orr_forgiven = 1e-9;

/* budget >= 0 */
static inline bool orr_fits(double seconds, double budget)
{
    return seconds <= budget * (1 + orr_forgiven);
}

/* x >= 0, cut at 2^30. */
static inline int32_t orr_round_up(double x)
{
    const double up = ceil(x * (1 - orr_forgiven));
    return up < 1 << 30 ? (int32_t)up : 1 << 30;
}

static inline int32_t orr_round_down(double x)
{
    const double down = floor(x * (1 + orr_forgiven));
    return down < 1 << 30 ? (int32_t)down : 1 << 30;
}

#endif
