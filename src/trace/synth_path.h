/* A cumulated rate in straight pieces: how much is expected up to a time, and when how much is reached. */
#ifndef ORR_TRACE_SYNTH_PATH_H
#define ORR_TRACE_SYNTH_PATH_H

#include "trace/synth_model.h"

/* Zeroed memory is empty; the first point is the beginning, the last the end. Both rise. */
typedef struct synth_path {
    ORR_VEC(double) time, weight;
} synth_path;

void orr_synth_path_add(synth_path *p, double time, double weight);
void orr_synth_path_fini(synth_path *p);
double orr_synth_path_end(const synth_path *p); /* the weight of all of it */
/* The time at which a weight is reached, and the weight up to a time. O(log points). */
double orr_synth_path_time(const synth_path *p, double weight);
double orr_synth_path_weight(const synth_path *p, double time);
double orr_synth_path_rate(const synth_path *p, double weight); /* where a weight is reached */
/* Follows the weeks and days of a measured model from its first submission on, for so many seconds. */
void orr_synth_path_measured(synth_path *p, const orr_synth_model *m, int64_t span);

#endif
