/* Whether a number that was expected and the one that came differ, and for better or worse.
 *
 * Simulated numbers have no noise: equal inputs give equal bytes. So a verdict needs no statistics where there is one
 * seed: what lies outside the tolerance has changed. With several seeds the numbers are paired by seed, and the
 * question is whether the mean moved: from ORR_STATS_LEAST pairs on the 95 % interval of the mean difference decides,
 * with fewer any pair outside does. Numbers with a target are held to it in every seed: a lost job isn't made good by
 * one too many elsewhere.
 */
#ifndef ORR_STUDY_VERDICT_H
#define ORR_STUDY_VERDICT_H

#include "study/stats.h"
#include "study/tolerance.h"
#include <orrery/metrics.h>

typedef enum orr_verdict {
    ORR_VERDICT_SAME,
    ORR_VERDICT_IMPROVED,
    ORR_VERDICT_CHANGED,   /* of a number with a target, or in no direction: counts as a failure */
    ORR_VERDICT_REGRESSED,
    ORR_VERDICT_NOT_COMPARABLE
} orr_verdict;
#define ORR_VERDICTS (ORR_VERDICT_NOT_COMPARABLE + 1)

const char *orr_verdict_name(orr_verdict verdict); /* "same", …, "not comparable" */

typedef struct orr_judgement {
    orr_verdict verdict;
    double want, got;      /* means over the pairs; NaN where any is undefined */
    double difference;     /* of the means: got - want; NaN likewise */
    double relative;       /* to |want|; NaN where that is 0 */
    double low, high;      /* 95 % interval of the mean difference; NaN with fewer than ORR_STATS_LEAST pairs */
    orr_signs signs;       /* of the differences */
    size_t outside;        /* pairs outside the tolerance */
} orr_judgement;

/* `n` pairs, NaN for undefined: where both of a pair are undefined they agree, where one is the judgement can't be made
 * (nor of no pairs). O(n). */
orr_judgement orr_judge(const double *want, const double *got, size_t n, orr_direction direction,
                        const orr_tolerance *tolerance);

#endif
