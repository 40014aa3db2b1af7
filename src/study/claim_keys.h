/* What a claim file may say, as tables. */
#ifndef ORR_STUDY_CLAIM_KEYS_H
#define ORR_STUDY_CLAIM_KEYS_H

#include "study/claim.h"

#define ORR_CLAIM_ARRIVALS "poisson|diurnal|bursty|mmpp|at-once"
#define ORR_CLAIM_CONFIGURED "tuned|random"

extern const orr_keys orr_claim_keys, orr_claim_synth_keys;

#endif
