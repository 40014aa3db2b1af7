/* What formats state in units of their own (thousandths of a core, percent of a GPU, MiB), as exact whole numbers.
 */
#ifndef ORR_TRACE_AMOUNTS_H
#define ORR_TRACE_AMOUNTS_H

#include "trace/intake.h"

#define ORR_MIB (INT64_C(1) << 20)
#define ORR_GIB (INT64_C(1) << 30)

/* An amount that may be missing, then *out stays: value * multiplier * 10^places to the nearest whole, never through a
 * double. Negative ones, and what doesn't fit, are a flaw (`bad-number`). The multiplier is below 2^53. */
bool orr_take_amount(orr_intake *k, orr_cell cell, int64_t multiplier, int places, int64_t *out);
/* Cores, likewise, in thousandths; more than INT32_MAX cores are a flaw. */
bool orr_take_cores(orr_intake *k, orr_cell cell, int64_t *milli);
/* Whole cores that hold so many thousandths (>= 0); INT32_MAX at most. */
int32_t orr_cores_for(int64_t milli);
/* Thousandths (>= 0) as cores, with as many decimals as needed: "11.908". Returns the length. */
#define ORR_CORES_BUF 32
int orr_cores_format(int64_t milli, char buf[ORR_CORES_BUF]);
/* The list of alternatives "a|b|a" without what repeats, in order of first mention; cut in place. Whether any did. */
bool orr_drop_repeated_types(char *list);
/* Whether a stated GPU time is duration x GPUs, a millisecond per GPU being rounding. A missing one fits, as does
 * what is no number: nothing is taken from it. */
bool orr_gpu_time_fits(orr_cell stated, orr_time duration, int32_t gpus);

#endif
