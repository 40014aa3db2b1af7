/* What jobs on one GPU do to each other's speed: the scenario's truth, the same for every policy compared.
 *
 *   none                           sharing costs nothing
 *   pairs[,unknown=X]              by the profiles' table of pairs; X (1) for pairs that it doesn't have. Among more than two,
 *                                  a job is slowed by each of the others in turn: the product
 *   table[,unknown=X]              by the pairs of the throughput table, for the GPU type that they share; otherwise as `pairs`. It
 *                                  is what `none` means where a throughput table has pairs
 *   utilisation                    what each keeps busy of the GPU adds up; more than one GPU's worth is shared out evenly
 *   mps                            the same, but nobody keeps more of it busy than its share
 *   stages                         iterations interleave stage by stage, each resident one stage behind the one before: the
 *                                  period is the sum over the stages of the longest that then run together, for the best
 *                                  order of the residents (Muri). One that lasts T alone runs at T / period
 *   time-slice[,quantum=Q][,switch=S]  they take turns of Q (60s) in proportion to their shares; S (0) of each turn is lost.
 *                                  Nobody runs faster than alone
 *
 * Alone on its GPUs, and with the share that it asks, a job runs as recorded under every rule. A job without a profile
 * is taken to keep busy what it asked of the GPU; under `stages` one whose stages aren't stated neither slows nor is
 * slowed.
 */
#ifndef ORR_MODEL_INTERFERENCE_H
#define ORR_MODEL_INTERFERENCE_H

#include "model/profile.h"

typedef enum orr_interference_kind {
    ORR_INTERFERENCE_NONE,
    ORR_INTERFERENCE_PAIRS,
    ORR_INTERFERENCE_UTILISATION,
    ORR_INTERFERENCE_MPS,
    ORR_INTERFERENCE_STAGES,
    ORR_INTERFERENCE_SLICE,
    ORR_INTERFERENCE_TABLE
} orr_interference_kind;

typedef struct orr_interference {
    orr_interference_kind kind;
    double unknown;         /* PAIRS, TABLE: speed beside a stranger, > 0 */
    orr_time quantum, lost; /* SLICE: of a turn, > 0; of which nobody gets that, < quantum */
} orr_interference;

/* Those beyond so many on one GPU aren't looked at: more than processes that an MPS server takes (48). */
enum { ORR_MAX_RESIDENTS = 48 };

/* One of those on a GPU. */
typedef struct orr_resident {
    const orr_profile *profile; /* NULL: none */
    int32_t milli, asked;       /* thousandths of the GPU: that it has; that it asked for */
} orr_resident;

/* NULL or "": none. ORR_E_BAD_VALUE. */
orr_err orr_interference_parse(const char *text, orr_interference *out, orr_error *e);
/* The resolved form, which parses back to the same; buf of at least 128. */
void orr_interference_format(const orr_interference *rule, char *buf, size_t size);
/* Does the rule say anything only where there are profiles? */
bool orr_interference_needs_profiles(const orr_interference *rule);
/* Speed of resident `self` among `n` <= ORR_MAX_RESIDENTS, in the order in which they came; 1: as recorded. O(n). */
double orr_interference_speed(const orr_interference *rule, const orr_profiles *profiles, const orr_resident *all,
                              int32_t n, int32_t self);
/* The shortest period, in seconds, in which each of 1..ORR_STAGES interleaved jobs does one iteration. */
double orr_stages_period(const double (*stages)[ORR_STAGES], int32_t n);

#endif
