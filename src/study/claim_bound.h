/* A bound on a number, as people type it behind what it bounds:
 *
 *     < 10min     <= 0.6     >= 99%     != 0     in 0.3..0.7     == 138     == 12.96 within 1e-9     = 138 within 0.5%
 *
 * A value is a decimal, a share in percent, or a duration with a unit, which counts in seconds. `within` is absolute,
 * with a % relative to the value; without it == and != are exact. A range includes its ends. What is undefined (NaN)
 * keeps to no bound.
 */
#ifndef ORR_STUDY_CLAIM_BOUND_H
#define ORR_STUDY_CLAIM_BOUND_H

#include "base/text.h"

typedef enum orr_claim_bound_op {
    ORR_CLAIM_LESS,
    ORR_CLAIM_AT_MOST,
    ORR_CLAIM_MORE,
    ORR_CLAIM_AT_LEAST,
    ORR_CLAIM_EQUAL,
    ORR_CLAIM_OTHER,
    ORR_CLAIM_IN
} orr_claim_bound_op;

typedef struct orr_claim_bound {
    orr_claim_bound_op op;
    double low, high; /* the same but for IN */
    double within;    /* absolute, >= 0 */
} orr_claim_bound;

/* Splits "SUBJECT BOUND" at the first operator that stands in no parentheses: *subject is the length of what stands
 * before it, without blanks at its end. ORR_E_BAD_VALUE if there is no operator, nothing before it, or a value that is
 * none. */
orr_err orr_claim_bound_parse(const char *text, size_t *subject, orr_claim_bound *out, orr_error *e);
bool orr_claim_bound_holds(const orr_claim_bound *bound, double value);

#endif
