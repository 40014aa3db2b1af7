/* Moments of arrival processes. */
#include <orrery/queueing.h>

orr_gamma_gaps orr_gamma_gaps_of(double rate, double cv)
{
    return (orr_gamma_gaps){1 / (cv * cv), cv * cv / rate, 1 / rate, cv / rate};
}

/* Both second moments depend on the square of the difference of the rates: with r = r1 + r2 and D = (l1 - l2)^2 r1 r2,
 * dispersion 1 + 2 D / (r^2 (l1 r2 + l2 r1)), gaps' SCV 1 + 2 D / (r^2 (l1 l2 + l1 r2 + l2 r1)). */
orr_mmpp2_moments orr_mmpp2_moments_of(const orr_mmpp2 *m)
{
    const double l1 = m->rates[0], l2 = m->rates[1], r1 = m->leaves[0], r2 = m->leaves[1], r = r1 + r2;
    const double apart = 2 * (l1 - l2) * (l1 - l2) * r1 * r2 / (r * r), through = l1 * r2 + l2 * r1;
    const double rate = through / r;
    return (orr_mmpp2_moments){.part = {r2 / r, r1 / r},
                               .rate = rate,
                               .dispersion = 1 + apart / through,
                               .gap = 1 / rate,
                               .gap_scv = 1 + apart / (l1 * l2 + through)};
}
